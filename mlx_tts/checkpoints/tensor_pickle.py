"""The pickle of a torch file -> where each tensor stands. Imports no module and calls nothing that the pickle names.

A small interpreter that knows the dozen instructions that describe tensors by name, and refuses all others.
"""

from __future__ import annotations

import math
import pickletools
from dataclasses import dataclass
from typing import Any

import numpy as np

DICTIONARY, REBUILD = "collections OrderedDict", "torch._utils _rebuild_tensor_v2"
STORAGES: dict[str, np.dtype[Any] | None] = {
    "torch FloatStorage": np.dtype("<f4"),
    "torch HalfStorage": np.dtype("<f2"),
    "torch BFloat16Storage": None,  # numpy has no such type: it becomes float32
    "torch LongStorage": np.dtype("<i8"),
    "torch IntStorage": np.dtype("<i4"),
    "torch BoolStorage": np.dtype("?"),
}


class RefusedError(Exception):
    """Why a pickle is not read."""


@dataclass(frozen=True)
class _Global:
    name: str


@dataclass(frozen=True)
class Storage:
    type: str
    key: str
    numbers: int


@dataclass(frozen=True)
class TensorPlace:
    storage: Storage
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


class _Mark: ...


class Description:
    """The interpreter: a stack, a memo, and one method for each instruction that is allowed."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}

    def read(self, data: bytes) -> Any:
        argument: Any
        for instruction, argument, _ in pickletools.genops(data):
            name = instruction.name
            if name == "STOP":
                return self.stack.pop()
            if name in ("BININT", "BININT1", "BININT2", "LONG1", "BINUNICODE"):
                self.stack.append(argument)
            elif name in ("BINPUT", "LONG_BINPUT"):
                self.memo[argument] = self.stack[-1]
            elif name in ("BINGET", "LONG_BINGET"):
                self.stack.append(self.memo[argument])
            else:
                method = getattr(self, f"on_{name.lower()}", None)
                if method is None:
                    raise RefusedError(f"it uses the instruction {name}")
                method(argument)
        raise RefusedError("it has no end")

    def on_proto(self, version: int) -> None:
        if version > 3:
            raise RefusedError(f"it is of protocol {version}")

    def on_global(self, name: str) -> None:
        if name not in (DICTIONARY, REBUILD, *STORAGES):
            raise RefusedError(f"it names {name.replace(' ', '.')[:80]}")
        self.stack.append(_Global(name))

    def on_mark(self, _argument: Any) -> None:
        self.stack.append(_Mark)

    def on_none(self, _argument: Any) -> None:
        self.stack.append(None)

    def on_newtrue(self, _argument: Any) -> None:
        self.stack.append(True)

    def on_newfalse(self, _argument: Any) -> None:
        self.stack.append(False)

    def on_empty_dict(self, _argument: Any) -> None:
        self.stack.append({})

    def on_empty_tuple(self, _argument: Any) -> None:
        self.stack.append(())

    def on_tuple(self, _argument: Any) -> None:
        self.stack.append(tuple(self._to_mark()))

    def on_tuple1(self, _argument: Any) -> None:
        self._tuple(1)

    def on_tuple2(self, _argument: Any) -> None:
        self._tuple(2)

    def on_tuple3(self, _argument: Any) -> None:
        self._tuple(3)

    def on_binpersid(self, _argument: Any) -> None:
        kind, type_, key, _device, numbers = self.stack.pop()
        if kind != "storage" or not isinstance(type_, _Global) or type_.name not in STORAGES:
            raise RefusedError("it refers to something that is no storage")
        if not isinstance(key, str) or not _is_count(numbers):
            raise RefusedError("a storage has no name or no size")
        self.stack.append(Storage(type_.name, key, numbers))

    def on_reduce(self, _argument: Any) -> None:
        arguments, function = self.stack.pop(), self.stack.pop()
        if not isinstance(function, _Global) or not isinstance(arguments, tuple):
            raise RefusedError("it calls something that is no function")
        if function.name == DICTIONARY and not arguments:
            self.stack.append({})
        elif function.name == REBUILD and len(arguments) >= 4:
            self.stack.append(_tensor(*arguments[:4]))
        else:
            raise RefusedError(f"it calls {function.name.replace(' ', '.')} in an unknown way")

    def on_setitem(self, _argument: Any) -> None:
        value, key = self.stack.pop(), self.stack.pop()
        self._set(key, value)

    def on_setitems(self, _argument: Any) -> None:
        items = self._to_mark()
        for key, value in zip(items[::2], items[1::2], strict=True):
            self._set(key, value)

    def on_build(self, _argument: Any) -> None:
        self.stack.pop()  # torch hangs the versions of modules on the dictionary; nobody needs them

    def _set(self, key: Any, value: Any) -> None:
        target = self.stack[-1]
        if not isinstance(target, dict) or not isinstance(key, str):
            raise RefusedError("it fills something that is no dictionary of names")
        target[key] = value

    def _tuple(self, size: int) -> None:
        values = self.stack[-size:]
        if len(values) != size or _Mark in values:
            raise RefusedError("it ends too early")
        self.stack[-size:] = [tuple(values)]

    def _to_mark(self) -> list[Any]:
        items = []
        while (item := self.stack.pop()) is not _Mark:
            items.append(item)
        return items[::-1]


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 40


def _tensor(storage: Any, offset: Any, shape: Any, strides: Any) -> TensorPlace:
    if not isinstance(storage, Storage) or not isinstance(shape, tuple) or not isinstance(strides, tuple):
        raise RefusedError("a tensor has no storage or no shape")
    if len(shape) != len(strides) or len(shape) > 8 or not all(map(_is_count, (offset, *shape, *strides))):
        raise RefusedError("a tensor has an impossible shape")
    wanted = math.prod(shape)
    last = offset + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True)) if wanted else 0
    if wanted > storage.numbers or last >= max(1, storage.numbers):
        raise RefusedError("a tensor reaches past its storage")
    return TensorPlace(storage, offset, shape, strides)
