"""A file of torch.save -> its tensors as numpy arrays, without torch and without running anything in the pickle.

The file is a zip that is not compressed: a pickle that describes the tensors, and their numbers in files of their own.
The pickle is read by a small interpreter that knows the dozen instructions such a description needs. It imports no
module and calls nothing, so a file from a stranger can at worst be refused.
"""

from __future__ import annotations

import math
import pickletools
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from mlx_tts.errors import ModelError

MOST_PICKLE_BYTES = 32_000_000  # descriptions of released models take less than one million
MOST_TENSORS = 100_000
LOCAL_HEADER = 30  # bytes of a zip member's own header, before its name
DICTIONARY, REBUILD = "collections OrderedDict", "torch._utils _rebuild_tensor_v2"
STORAGES = {
    "torch FloatStorage": np.dtype("<f4"),
    "torch HalfStorage": np.dtype("<f2"),
    "torch BFloat16Storage": None,  # numpy has no such type: it becomes float32
    "torch LongStorage": np.dtype("<i8"),
    "torch IntStorage": np.dtype("<i4"),
    "torch BoolStorage": np.dtype("?"),
}


class _Refusal(Exception):
    """Why a pickle is not read."""


@dataclass(frozen=True)
class _Global:
    name: str


@dataclass(frozen=True)
class _Storage:
    type: str
    key: str
    numbers: int


@dataclass(frozen=True)
class _Tensor:
    storage: _Storage
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


class _Mark: ...


class _Description:
    """The interpreter: a stack, a memo, and one method for each instruction that is allowed."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}

    def read(self, data: bytes) -> Any:
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
                    raise _Refusal(f"it uses the instruction {name}")
                method(argument)
        raise _Refusal("it has no end")

    def on_proto(self, version: int) -> None:
        if version > 3:
            raise _Refusal(f"it is of protocol {version}")

    def on_global(self, name: str) -> None:
        if name not in (DICTIONARY, REBUILD, *STORAGES):
            raise _Refusal(f"it names {name.replace(' ', '.')[:80]}")
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
            raise _Refusal("it refers to something that is no storage")
        if not isinstance(key, str) or not _is_count(numbers):
            raise _Refusal("a storage has no name or no size")
        self.stack.append(_Storage(type_.name, key, numbers))

    def on_reduce(self, _argument: Any) -> None:
        arguments, function = self.stack.pop(), self.stack.pop()
        if not isinstance(function, _Global) or not isinstance(arguments, tuple):
            raise _Refusal("it calls something that is no function")
        if function.name == DICTIONARY and not arguments:
            self.stack.append({})
        elif function.name == REBUILD and len(arguments) >= 4:
            self.stack.append(_tensor(*arguments[:4]))
        else:
            raise _Refusal(f"it calls {function.name.replace(' ', '.')} in an unknown way")

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
            raise _Refusal("it fills something that is no dictionary of names")
        target[key] = value

    def _tuple(self, size: int) -> None:
        values = self.stack[-size:]
        if len(values) != size or _Mark in values:
            raise _Refusal("it ends too early")
        self.stack[-size:] = [tuple(values)]

    def _to_mark(self) -> list[Any]:
        items = []
        while (item := self.stack.pop()) is not _Mark:
            items.append(item)
        return items[::-1]


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 40


def _tensor(storage: Any, offset: Any, shape: Any, strides: Any) -> _Tensor:
    if not isinstance(storage, _Storage) or not isinstance(shape, tuple) or not isinstance(strides, tuple):
        raise _Refusal("a tensor has no storage or no shape")
    if len(shape) != len(strides) or len(shape) > 8 or not all(map(_is_count, (offset, *shape, *strides))):
        raise _Refusal("a tensor has an impossible shape")
    wanted = math.prod(shape)
    last = offset + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True)) if wanted else 0
    if wanted > storage.numbers or last >= max(1, storage.numbers):
        raise _Refusal("a tensor reaches past its storage")
    return _Tensor(storage, offset, shape, strides)


class _Window:
    """A stretch of an open file, as a file of its own."""

    def __init__(self, file: BinaryIO, start: int, size: int):
        self.file, self.start, self.size, self.at = file, start, size, 0

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self.at

    def seek(self, offset: int, whence: int = 0) -> int:
        base = (0, self.at, self.size)[whence]
        if base + offset < 0:
            raise ValueError("seek before the beginning")
        self.at = base + offset
        return self.at

    def read(self, count: int = -1) -> bytes:
        left = max(0, self.size - self.at)
        self.file.seek(self.start + self.at)
        data = self.file.read(left if count is None or count < 0 else min(count, left))
        self.at += len(data)
        return data


def read_torch_zip(path: Path, start: int = 0, size: int | None = None) -> dict[str, np.ndarray]:
    """Name -> array, mapped from the file where its type allows it. start, size: where in the file the zip stands.

    ModelError where it is damaged, or where its pickle has anything in it but tensors by name.
    """
    size = path.stat().st_size - start if size is None else size
    try:
        with path.open("rb") as file, zipfile.ZipFile(_Window(file, start, size)) as archive:  # type: ignore[arg-type]
            members = {info.filename: info for info in archive.infolist()}
            (pickle_name,) = (name for name in members if name.count("/") == 1 and name.endswith("/data.pkl"))
            if any(info.compress_type != zipfile.ZIP_STORED for info in members.values()):
                raise _Refusal("it is compressed")
            if members[pickle_name].file_size > MOST_PICKLE_BYTES:
                raise _Refusal("its description is too long")
            described = _Description().read(archive.read(pickle_name))
            root = pickle_name.partition("/")[0]
            places = {
                name.removeprefix(f"{root}/data/"): (start + _data_offset(file, start, info), info.file_size)
                for name, info in members.items()
                if name.startswith(f"{root}/data/")
            }
        _check_entries(described)
        return {name: _array(path, start + size, tensor, places) for name, tensor in described.items()}
    except _Refusal as refusal:
        raise ModelError(f"{path} holds weights that are not read, {refusal}: fetch it again from its source") from None
    except (ValueError, KeyError, IndexError, TypeError, OSError, EOFError, zipfile.BadZipFile, RuntimeError,
            NotImplementedError, OverflowError) as error:  # fmt: skip
        raise ModelError(f"{path} holds damaged weights ({str(error)[:80]}): fetch it again") from None


def _check_entries(described: Any) -> None:
    if not isinstance(described, dict) or len(described) > MOST_TENSORS:
        raise _Refusal("it is no dictionary of tensors")
    for name, tensor in described.items():
        if not isinstance(tensor, _Tensor):
            raise _Refusal(f"its entry {name[:40]!r} is no tensor")


def _data_offset(file: BinaryIO, start: int, info: zipfile.ZipInfo) -> int:
    """Where a stored member's bytes begin, from the start of the zip."""
    file.seek(start + info.header_offset)
    header = file.read(LOCAL_HEADER)
    if len(header) < LOCAL_HEADER or header[:4] != b"PK\3\4":
        raise _Refusal("a member has no header")
    lengths = int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
    return info.header_offset + LOCAL_HEADER + lengths


def _array(path: Path, end: int, tensor: _Tensor, places: Mapping[str, tuple[int, int]]) -> np.ndarray:
    dtype = STORAGES[tensor.storage.type]
    stored = np.dtype("<u2") if dtype is None else dtype
    offset, size = places[tensor.storage.key]
    if tensor.storage.numbers * stored.itemsize > size or offset + size > end:
        raise _Refusal("a storage is cut off")
    if not math.prod(tensor.shape):
        return np.zeros(tensor.shape, np.float32 if dtype is None else dtype)
    flat = np.memmap(path, stored, "r", offset, (tensor.storage.numbers,))
    strides = tuple(stride * stored.itemsize for stride in tensor.strides)
    array = np.lib.stride_tricks.as_strided(flat[tensor.offset :], tensor.shape, strides)
    if dtype is None:
        return (array.astype(np.uint32) << 16).view(np.float32)
    return array
