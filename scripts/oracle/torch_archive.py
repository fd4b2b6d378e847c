"""Tensors by name -> the bytes of a torch archive, and what the families' `materialise.py` share otherwise.

Needs numpy alone, so that the environments of the official programs can import it.
"""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Callable

import numpy as np

STORAGES = {"float32": "FloatStorage", "int64": "LongStorage", "int32": "IntStorage"}
EMPTY = b"ccollections\nOrderedDict\n)R"


def tensors_of(part: dict, manifest: dict, make: Callable[[str, list[int], dict], np.ndarray]) -> dict[str, np.ndarray]:
    """All tensors of a part of the manifest, in the order of the official state dictionary. make: one from its name."""
    out = {}
    for name, entry in part.items():
        if isinstance(entry, dict):  # an integer tensor, stored whole
            out[name] = np.array(entry["values"], dtype=entry["dtype"]).reshape(entry["shape"])
        else:
            out[name] = make(name, entry, manifest)
    return out


def torch_zip(tensors: dict[str, np.ndarray], root: str, nested: bool) -> bytes:
    """What torch.save makes of an OrderedDict of tensors: a stored zip of a protocol 2 pickle and raw storages.

    root: the folder inside the zip. nested: the tensors stand in {"state_dict": ...}; else they are a module's own
    state, with the version that torch hangs on it.
    """
    body = [b"\x80\x02", *((b"}", _text("state_dict")) if nested else ()), EMPTY, b"("]
    for index, (name, array) in enumerate(tensors.items()):
        strides = tuple(s // array.itemsize for s in array.strides)
        storage = b"(" + _text("storage") + b"ctorch\n" + STORAGES[array.dtype.name].encode() + b"\n"
        storage += _text(str(index)) + _text("cpu") + _number(array.size) + b"tQ"
        arguments = storage + _number(0) + _numbers(array.shape) + _numbers(strides) + b"\x89" + EMPTY
        body += [_text(name), b"ctorch._utils\n_rebuild_tensor_v2\n(", arguments, b"tR"]
    if nested:
        body += [b"u", b"s", b"."]
    else:
        body += [
            b"u",
            b"}",
            _text("_metadata"),
            EMPTY,
            b"(",
            _text(""),
            b"}",
            _text("version"),
            _number(1),
            b"sus",
            b"b.",
        ]
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(f"{root}/data.pkl", b"".join(body))
        archive.writestr(f"{root}/byteorder", b"little")
        for index, array in enumerate(tensors.values()):
            archive.writestr(f"{root}/data/{index}", array.tobytes())
        archive.writestr(f"{root}/version", b"3\n")
    return buffer.getvalue()


def _text(text: str) -> bytes:
    return b"X" + struct.pack("<I", len(text.encode())) + text.encode()


def _number(number: int) -> bytes:
    return b"K" + bytes([number]) if 0 <= number < 256 else b"J" + struct.pack("<i", number)


def _numbers(values: tuple[int, ...]) -> bytes:
    return b"(" + b"".join(map(_number, values)) + b"t"
