"""A file of torch.save -> its tensors as numpy arrays, without torch and without running anything in the pickle.

The file is a zip that is not compressed: a pickle that describes the tensors, and their numbers in files of their own.
The pickle is read by a small interpreter (`tensor_pickle`), so a file from a stranger can at worst be refused.
"""

from __future__ import annotations

import math
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from mlx_tts.checkpoints.tensor_pickle import STORAGES, RefusedError, TensorPlace, read_description
from mlx_tts.errors import ModelError

MOST_PICKLE_BYTES = 32_000_000  # descriptions of released models take less than one million
MOST_TENSORS = 100_000
NESTED = "state_dict"
LOCAL_HEADER = 30  # bytes of a zip member's own header, before its name


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
    path: Path, start: int = 0, size: int | None = None, bfloat16: Callable[[np.ndarray], Any] = _widened
) -> dict[str, Any]:
    """Name -> array, mapped from the file where its type allows it. start, size: where in the file the zip stands.
    bfloat16: makes an array of such numbers, which numpy does not have, from their bits.

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
            described = read_description(archive.read(pickle_name))
            root = pickle_name.partition("/")[0]
            places = {
                name.removeprefix(f"{root}/data/"): (start + _data_offset(file, start, info), info.file_size)
                for name, info in members.items()
                if name.startswith(f"{root}/data/")
            }
        if isinstance(described, dict) and isinstance(described.get(NESTED), dict):
            described = described[NESTED]
        _check_entries(described)
        return {name: _array(path, start + size, tensor, places, bfloat16) for name, tensor in described.items()}
    except RefusedError as refusal:
        raise ModelError(f"{path} holds weights that are not read, {refusal}: fetch it again from its source") from None
    except (ValueError, KeyError, IndexError, TypeError, OSError, EOFError, zipfile.BadZipFile, RuntimeError,
            NotImplementedError, OverflowError) as error:  # fmt: skip
        raise ModelError(f"{path} holds damaged weights ({str(error)[:80]}): fetch it again") from None


def _check_entries(described: Any) -> None:
    if not isinstance(described, dict) or len(described) > MOST_TENSORS:
        raise RefusedError("it is not a dictionary of tensors")
    for name, tensor in described.items():
        if not isinstance(tensor, TensorPlace):
            raise RefusedError(f"its entry {name[:40]!r} is not a tensor")


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
