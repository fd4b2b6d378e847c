"""Empty modules in the place of packages that another program imports and, in a comparison, does not use."""

from __future__ import annotations

import importlib.machinery
import sys
import types
from pathlib import Path


class Anything(type):
    """A class with every name in it, as attributes of the class itself."""

    def __getattr__(cls, name: str) -> object:
        return empty_class(name)


def empty_class(name: str) -> type:
    """A class that takes anything and does nothing."""
    if name.startswith("__"):
        raise AttributeError(name)
    return Anything(name, (), {"__init__": lambda *_, **__: None, "__call__": lambda *_, **__: None})


class Empty(types.ModuleType):
    """A module with every name in it: a class that takes anything and does nothing."""

    __path__ = ()

    def __getattr__(self, name: str) -> object:
        value = empty_class(name)
        setattr(self, name, value)
        return value


class Unused:
    """Finds the packages of a list that are not installed. stood_in: those that were asked for."""

    def __init__(self, packages: tuple[str, ...]) -> None:
        self.packages = packages
        self.stood_in: set[str] = set()

    def find_spec(self, name: str, *_: object) -> importlib.machinery.ModuleSpec | None:
        package = name.partition(".")[0]
        if not package.startswith(self.packages):
            return None
        self.stood_in.add(package)
        return importlib.machinery.ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type]

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> Empty:
        return Empty(spec.name)

    def exec_module(self, module: types.ModuleType) -> None: ...


def stand_in(packages: tuple[str, ...], oracle: Path) -> set[str]:
    """From now on empty modules stand in for those of the packages that are missing; which ones is what comes back.

    The folder of this file gives way to `oracle` in the search path: its `kernels` is not the package of that name.
    """
    unused, here = Unused(packages), Path(__file__).parent
    sys.meta_path.append(unused)  # type: ignore[arg-type]
    sys.path[:] = [str(oracle), *(path for path in sys.path if not path or Path(path).resolve() != here.resolve())]
    return unused.stood_in
