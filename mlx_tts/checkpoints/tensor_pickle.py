"""The pickle of a torch file -> where each tensor stands. Imports no module and calls nothing that the pickle names.

A small interpreter that knows the dozen instructions that describe tensors by name, and refuses all others. Python's
own `pickle.Unpickler` with a restricted `find_class` would be weaker: a key that is a deeply nested tuple ends the
process while it is hashed, keys that are numbers of one hash take hours, and nine bytes with a large memo index take
gigabytes.
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


CONSTANTS = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False, "EMPTY_TUPLE": (), "MARK": _Mark}


class _Description:
    """The interpreter: a stack and a memo."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}

    def read(self, data: bytes) -> Any:
        for instruction, argument, _ in pickletools.genops(data):
            if instruction.name == "STOP":
                return self.stack.pop()
            self._obey(instruction.name, argument)
        raise RefusedError("it has no end")

    def _obey(self, instruction: str, argument: Any) -> None:  # noqa: C901 (one case an instruction)
        stack = self.stack
        match instruction:
            case "PROTO":
                if argument > 3:
                    raise RefusedError(f"it is of protocol {argument}")
            case "BININT" | "BININT1" | "BININT2" | "LONG1" | "BINUNICODE":
                stack.append(argument)
            case "NONE" | "NEWTRUE" | "NEWFALSE" | "EMPTY_DICT" | "EMPTY_TUPLE" | "MARK":
                stack.append({} if instruction == "EMPTY_DICT" else CONSTANTS[instruction])
            case "GLOBAL":
                if argument not in (DICTIONARY, REBUILD, *STORAGES):
                    raise RefusedError(f"it names {argument.replace(' ', '.')[:80]}")
                stack.append(_Global(argument))
            case "BINPUT" | "LONG_BINPUT":
                self.memo[argument] = stack[-1]
            case "BINGET" | "LONG_BINGET":
                stack.append(self.memo[argument])
            case "TUPLE":
                stack.append(tuple(self._to_mark()))
            case "TUPLE1" | "TUPLE2" | "TUPLE3":
                self._make_tuple(int(instruction[-1]))
            case "BINPERSID":
                stack.append(_storage(*stack.pop()))
            case "REDUCE":
                arguments, function = stack.pop(), stack.pop()
                stack.append(_call(function, arguments))
            case "SETITEM":
                value, key = stack.pop(), stack.pop()
                self._set([key, value])
            case "SETITEMS":
                self._set(self._to_mark())
            case "BUILD":
                stack.pop()  # torch hangs the versions of modules on the dictionary; nobody needs them
            case _:
                raise RefusedError(f"it uses the instruction {instruction}")

    def _set(self, items: list[Any]) -> None:
        """items: key, value, key, value, ..."""
        target = self.stack[-1]
        for key, value in zip(items[::2], items[1::2], strict=True):
            if not isinstance(target, dict) or not isinstance(key, str):
                raise RefusedError("it fills something that is not a dictionary of names")
            target[key] = value

    def _make_tuple(self, size: int) -> None:
        values = self.stack[-size:]
        if len(values) != size or _Mark in values:
            raise RefusedError("it ends too early")
        self.stack[-size:] = [tuple(values)]

    def _to_mark(self) -> list[Any]:
        items = []
        while (item := self.stack.pop()) is not _Mark:
            items.append(item)
        return items[::-1]


def read_description(data: bytes) -> Any:
    """The value of a pickle: dictionaries with names as keys, and TensorPlace. RefusedError for whatever else is in it;
    damage also shows as a ValueError, KeyError, IndexError or TypeError."""
    return _Description().read(data)


def _storage(kind: Any, type_: Any, key: Any, _device: Any, numbers: Any) -> Storage:
    if kind != "storage" or not isinstance(type_, _Global) or type_.name not in STORAGES:
        raise RefusedError("it refers to something that is not a storage")
    if not isinstance(key, str) or not _is_count(numbers):
        raise RefusedError("a storage has no name or no size")
    return Storage(type_.name, key, numbers)


def _call(function: Any, arguments: Any) -> Any:
    """What the named function would return. There are two, and both are ours."""
    if not isinstance(function, _Global) or not isinstance(arguments, tuple):
        raise RefusedError("it calls something that is not a function")
    if function.name == DICTIONARY and not arguments:
        return {}
    if function.name == REBUILD and len(arguments) >= 4:
        return _tensor(*arguments[:4])
    raise RefusedError(f"it calls {function.name.replace(' ', '.')} in an unknown way")


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
