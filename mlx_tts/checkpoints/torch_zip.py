"""A file of torch.save -> its tensors as numpy arrays, without torch and without running anything in the pickle.

The file is a zip that is not compressed: a pickle that describes the tensors, and their numbers in files of their own.
The pickle is read by a small interpreter, so a file from a stranger can at worst be refused.
"""

from __future__ import annotations

import math
import pickletools
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from mlx_tts.errors import ModelError
from mlx_tts.shortened import reason_of, shortened, shown

DICTIONARY, REBUILD = "collections OrderedDict", "torch._utils _rebuild_tensor_v2"
STORAGES: dict[str, np.dtype[Any] | None] = {
    "torch FloatStorage": np.dtype("<f4"),
    "torch HalfStorage": np.dtype("<f2"),
    "torch BFloat16Storage": None,  # numpy has no such type: it becomes float32
    "torch LongStorage": np.dtype("<i8"),
    "torch IntStorage": np.dtype("<i4"),
    "torch BoolStorage": np.dtype("?"),
}
MOST_PICKLE_BYTES = 32_000_000  # descriptions of released models take less than one million
MOST_TENSORS = 100_000
NESTED = "state_dict"
LOCAL_HEADER = 30  # bytes of a zip member's own header, before its name


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
    """The interpreter: a stack and a memo. It imports no module and calls nothing that the pickle names.

    It knows the dozen instructions that describe tensors by name, and refuses all others. Python's own
    `pickle.Unpickler` with a restricted `find_class` would be weaker: a key that is a deeply nested tuple ends the
    process while it is hashed, keys that are numbers of one hash take hours, and nine bytes with a large memo index
    take gigabytes.
    """

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}

    def read(self, data: bytes) -> Any:
        """The value of a pickle: dictionaries with names as keys, and TensorPlace. RefusedError for whatever else is in
        it; damage also shows as a ValueError, KeyError, IndexError or TypeError."""
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
                    raise RefusedError(f"it names {shortened(argument.replace(' ', '.'), 80)}")
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


def _widened(bits: np.ndarray) -> np.ndarray:
    """bfloat16 numbers as uint16 -> float32."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


def read_torch_zip(
    path: Path,
    start: int = 0,
    size: int | None = None,
    bfloat16: Callable[[np.ndarray], Any] = _widened,
    parts: bool = False,
) -> dict[str, Any]:
    """Name -> array, mapped from the file where its type allows it. start, size: where in the file the zip stands.
    bfloat16: makes an array of such numbers, which numpy does not have, from their bits. parts: the tensors may stand
    in one dictionary for each part of a model, PART.NAME is theirs then; a tensor alone has the name "".

    The dictionary may stand in another one under "state_dict", as training frameworks save it.
    ModelError where it is damaged, or where its pickle has anything in it but tensors by name.
    """
    size = path.stat().st_size - start if size is None else size
    try:
        with path.open("rb") as file, zipfile.ZipFile(_Window(file, start, size)) as archive:  # type: ignore[arg-type]
            members = {info.filename: info for info in archive.infolist()}
            (pickle_name,) = (name for name in members if name.count("/") == 1 and name.endswith("/data.pkl"))
            if any(info.compress_type != zipfile.ZIP_STORED for info in members.values()):
                raise RefusedError("it is compressed")
            if members[pickle_name].file_size > MOST_PICKLE_BYTES:
                raise RefusedError("its description is too long")
            described = _Description().read(archive.read(pickle_name))
            root = pickle_name.partition("/")[0]
            places = {
                name.removeprefix(f"{root}/data/"): (start + _data_offset(file, start, info), info.file_size)
                for name, info in members.items()
                if name.startswith(f"{root}/data/")
            }
        if isinstance(described, dict) and isinstance(described.get(NESTED), dict):
            described = described[NESTED]
        if parts:
            described = _flat(described)
        _check_entries(described)
        return {name: _array(path, start + size, tensor, places, bfloat16) for name, tensor in described.items()}
    except RefusedError as refusal:
        raise ModelError(f"{path} holds weights that are not read, {refusal}: fetch it again from its source") from None
    except (ValueError, KeyError, IndexError, TypeError, OSError, EOFError, zipfile.BadZipFile, RuntimeError,
            NotImplementedError, OverflowError) as error:  # fmt: skip
        raise ModelError(f"{path} holds damaged weights ({reason_of(error, 80)}): fetch it again") from None


def _flat(described: Any) -> Any:
    """One level of dictionaries, and no more: a pickle can hold a dictionary that holds itself."""
    if isinstance(described, TensorPlace):
        return {"": described}
    if not isinstance(described, dict):
        return described
    found: dict[str, Any] = {}
    for name, value in described.items():
        entries = value.items() if isinstance(value, dict) else [(None, value)]
        found |= {name if own is None else f"{name}.{own}": entry for own, entry in entries}
    return found


def _check_entries(described: Any) -> None:
    if not isinstance(described, dict) or len(described) > MOST_TENSORS:
        raise RefusedError("it is not a dictionary of tensors")
    for name, tensor in described.items():
        if not isinstance(tensor, TensorPlace):
            raise RefusedError(f"its entry {shown(name, 40)} is not a tensor")


def _data_offset(file: BinaryIO, start: int, info: zipfile.ZipInfo) -> int:
    """Where a stored member's bytes begin, from the start of the zip."""
    file.seek(start + info.header_offset)
    header = file.read(LOCAL_HEADER)
    if len(header) < LOCAL_HEADER or header[:4] != b"PK\3\4":
        raise RefusedError("a member has no header")
    lengths = int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
    return info.header_offset + LOCAL_HEADER + lengths


def _array(
    path: Path,
    end: int,
    tensor: TensorPlace,
    places: Mapping[str, tuple[int, int]],
    bfloat16: Callable[[np.ndarray], Any],
) -> Any:
    dtype = STORAGES[tensor.storage.type]
    stored: np.dtype[Any] = np.dtype("<u2") if dtype is None else dtype
    offset, size = places[tensor.storage.key]
    if tensor.storage.numbers * stored.itemsize > size or offset + size > end:
        raise RefusedError("a storage is cut off")
    if not math.prod(tensor.shape):
        return np.zeros(tensor.shape, np.float32 if dtype is None else dtype)
    flat = np.memmap(path, stored, "r", offset, (tensor.storage.numbers,))
    strides = tuple(stride * stored.itemsize for stride in tensor.strides)
    array = np.lib.stride_tricks.as_strided(flat[tensor.offset :], tensor.shape, strides)
    return bfloat16(array) if dtype is None else array
