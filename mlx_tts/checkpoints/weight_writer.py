"""Tensors with their forms in, a safetensors file out: each is computed, written and freed before the next is read.

So a conversion holds one layer, whatever the file's size. The header comes first in the file: shapes and types follow
from the forms alone.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np

from mlx_tts.checkpoints.quantising import PARTS_OF_LAYER, Formed, making, quantised
from mlx_tts.checkpoints.work import WRITE_SECONDS, WRITING, ConversionWork

TYPES = {
    mx.float32: "F32", mx.float16: "F16", mx.bfloat16: "BF16", mx.bool_: "BOOL",
    mx.uint8: "U8", mx.uint16: "U16", mx.uint32: "U32", mx.uint64: "U64",
    mx.int8: "I8", mx.int16: "I16", mx.int32: "I32", mx.int64: "I64",
}  # fmt: skip
ALIGNMENT = 8  # of the first tensor


def write_tensors(
    path: Path, tensors: Formed, dtype: mx.Dtype, metadata: Mapping[str, str], work: ConversionWork
) -> None:
    """Quantise what has a form, cast the other floating numbers to `dtype`, and write the file that `plan` has counted.
    Empties `tensors`, so that what a tensor is made from is freed when it is written. OSError where the disk is full,
    ModelError for weights that cannot be quantised."""
    work(f"writing {path.name}")
    with path.open("wb") as file:
        file.write(_header(tensors, dtype, metadata))
        while tensors:
            name, (value, form) = next(iter(tensors.items()))
            del tensors[name]
            with work.doing(*making(value, form)):
                parts = _parts(name, value, form, dtype)
                mx.eval(parts)
            del value
            for part in parts.values():
                with work.doing(WRITING, part.nbytes * WRITE_SECONDS):
                    file.write(_bytes(part))


def _parts(name: str, value: mx.array, form: Mapping[str, Any] | None, dtype: mx.Dtype) -> dict[str, mx.array]:
    if form is not None:
        return quantised(name, value, form, dtype)
    return {name: value.astype(dtype) if mx.issubdtype(value.dtype, mx.floating) else value}


def _shapes(tensors: Formed, dtype: mx.Dtype) -> Iterator[tuple[str, mx.array]]:
    """The names of the file, and lazy arrays of the shapes and types that will be there: none of them is computed."""
    for name, (value, form) in tensors.items():
        if form is None:
            yield name, value.astype(dtype) if mx.issubdtype(value.dtype, mx.floating) else value
            continue
        parts = mx.quantize(mx.zeros(value.shape, dtype), **form)
        for part, array in zip(PARTS_OF_LAYER, parts, strict=False):
            yield name.removesuffix("weight") + part, array


def _header(tensors: Formed, dtype: mx.Dtype, metadata: Mapping[str, str]) -> bytes:
    entries: dict[str, Any] = {"__metadata__": dict(metadata)}
    end = 0
    for name, array in _shapes(tensors, dtype):
        begin, end = end, end + array.nbytes
        entries[name] = {"dtype": TYPES[array.dtype], "shape": list(array.shape), "data_offsets": [begin, end]}
    text = json.dumps(entries, separators=(",", ":")).encode()
    text += b" " * (-len(text) % ALIGNMENT)
    return struct.pack("<Q", len(text)) + text


def _bytes(array: mx.array) -> memoryview:
    """Little-endian, as the machines that MLX runs on have them."""
    if not array.size:
        return memoryview(b"")
    flat = mx.contiguous(array).reshape(-1)
    bits: Any = np.array(flat if array.dtype == mx.bool_ else flat.view(mx.uint8), copy=False)
    return memoryview(bits).cast("B")
