"""A GGUF file -> its settings and tensors as numpy arrays. Every count, size and offset is checked before it is used.

Read here are versions 2 and 3, little-endian, with tensors of 32-, 16- and bfloat-16-bit numbers, of integers, and of
8-bit blocks (Q8_0), which become float32. MLX's own reader is not used: it trusts what the file says of itself.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from mlx_tts.errors import ModelError
from mlx_tts.shortened import reason_of, shortened, shown

MAGIC, VERSIONS = b"GGUF", (2, 3)
MOST_ENTRIES = 100_000  # settings, tensors
MOST_TEXT_BYTES, MOST_HEADER_BYTES = 16_000_000, 64_000_000
MOST_DIMENSIONS, MOST_SIZE = 4, 1 << 40
MOST_NAME_BYTES = 512
NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
STRING, ARRAY = 8, 9
PLAIN = {0: "<f4", 1: "<f2", 24: "i1", 25: "<i2", 26: "<i4", 27: "<i8", 28: "<f8", 30: "<u2"}
BFLOAT16, Q8_0, BLOCK = 30, 8, 32
KINDS = {2: "Q4_0", 3: "Q4_1", 6: "Q5_0", 7: "Q5_1", 9: "Q8_1", 12: "Q4_K", 13: "Q5_K", 14: "Q6_K"}  # not read
ALIGNMENT = "general.alignment"


class _DamagedError(ValueError):
    """What is wrong with the file: the middle of a sentence."""


@dataclass(frozen=True)
class _Place:
    """Where a tensor stands. shape: rows first, as numpy has it."""

    kind: int
    shape: tuple[int, ...]
    offset: int


@dataclass(frozen=True)
class GgufFile:
    """settings: the file's own key-value pairs. tensors are read one by one, when they are asked for."""

    path: Path
    settings: dict[str, Any]
    _places: dict[str, _Place] = field(repr=False)
    _begin: int

    @property
    def names(self) -> list[str]:
        return list(self._places)

    def tensor(self, name: str) -> np.ndarray:
        """The tensor; quantised ones and bfloat16 as float32."""
        place = self._places[name]
        count, start = math.prod(place.shape), self._begin + place.offset
        with self.path.open("rb") as file:
            file.seek(start)
            data = file.read(_bytes_of(place.kind, count))
        if place.kind == Q8_0:
            blocks = np.frombuffer(data, np.dtype([("scale", "<f2"), ("codes", "i1", BLOCK)]))
            return (blocks["codes"] * blocks["scale"].astype(np.float32)[:, None]).reshape(place.shape)
        values = np.frombuffer(data, PLAIN[place.kind]).reshape(place.shape)
        if place.kind == BFLOAT16:
            return (values.astype(np.uint32) << 16).view(np.float32)
        return values


def read_gguf(path: Path) -> GgufFile:
    """Read the header; ModelError for what is damaged, too large, or of a kind that is not read here."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            return _HeaderReader(file, path, size).read()
    except (_DamagedError, OSError, UnicodeDecodeError, struct.error) as error:
        reason = reason_of(error, 120)
        raise ModelError(f"{path} is not a GGUF file that this program reads ({reason}): use the .nemo") from None


class _HeaderReader:
    def __init__(self, file: BinaryIO, path: Path, size: int):
        self.file, self.path, self.size = file, path, size

    def read(self) -> GgufFile:
        if self._bytes(4) != MAGIC:
            raise _DamagedError("it does not begin as one")
        version = self._number("I")
        if version not in VERSIONS:
            raise _DamagedError(f"version {version} in place of 2 or 3")
        tensors, entries = self._count("tensors"), self._count("settings")
        settings: dict[str, Any] = {}
        for _ in range(entries):
            key = self._text(MOST_NAME_BYTES)
            settings[key] = self._value(self._number("I"))
        places = dict(self._places(tensors))
        if len(places) != tensors:
            raise _DamagedError("two tensors of one name")
        alignment = settings.get(ALIGNMENT, 32)
        if type(alignment) is not int or not 0 < alignment <= 1 << 20 or alignment & (alignment - 1):
            raise _DamagedError(f"an alignment of {shortened(str(alignment), 20)}")
        begin = end = -(-self.file.tell() // alignment) * alignment
        for name, place in sorted(places.items(), key=lambda item: item[1].offset):
            if place.offset % alignment or begin + place.offset < end:
                raise _DamagedError(f"{shown(name)} stands askew, or in another tensor")
            end = begin + place.offset + _bytes_of(place.kind, math.prod(place.shape))
            if end > self.size:
                raise _DamagedError(f"{shown(name)} reaches beyond its end")
        return GgufFile(self.path, settings, places, begin)

    def _places(self, tensors: int) -> Iterator[tuple[str, _Place]]:
        for _ in range(tensors):
            name = self._text(MOST_NAME_BYTES)
            dimensions = self._number("I")
            if dimensions > MOST_DIMENSIONS:
                raise _DamagedError(f"{shown(name)} has {dimensions} dimensions")
            sizes = [self._number("Q") for _ in range(dimensions)]
            kind, offset = self._number("I"), self._number("Q")
            if any(size > MOST_SIZE for size in sizes) or math.prod(sizes) > MOST_SIZE or offset > MOST_SIZE:
                raise _DamagedError(f"{shown(name)} is larger than any model's")
            if kind not in PLAIN and kind != Q8_0:
                told = KINDS.get(kind, f"type {kind}")
                raise _DamagedError(f"{shown(name)} is stored as {told}; read are F32, F16, BF16 and Q8_0")
            if kind == Q8_0 and (not sizes or sizes[0] % BLOCK):
                raise _DamagedError(f"{shown(name)} has rows of {sizes[:1]} that are not whole blocks of {BLOCK}")
            yield name, _Place(kind, tuple(reversed(sizes)), offset)

    def _value(self, kind: int, inside: bool = False) -> Any:
        if kind == STRING:
            return self._text(MOST_TEXT_BYTES)
        if kind == ARRAY and not inside:
            own, count = self._number("I"), self._number("Q")
            self._must_hold(count)  # an entry takes a byte at least
            return [self._value(own, inside=True) for _ in range(count)]
        if kind not in NUMBERS:
            raise _DamagedError(f"a setting of type {kind}")
        return self._number(NUMBERS[kind])

    def _count(self, what: str) -> int:
        count = self._number("Q")
        if count > MOST_ENTRIES:
            raise _DamagedError(f"{count} {what}")
        return count

    def _text(self, most: int) -> str:
        length = self._number("Q")
        if length > most:
            raise _DamagedError(f"a text of {length} bytes")
        return self._bytes(length).decode("utf-8")

    def _number(self, form: str) -> Any:
        return struct.unpack("<" + form, self._bytes(struct.calcsize("<" + form)))[0]

    def _must_hold(self, count: int) -> None:
        if self.file.tell() + count > min(self.size, MOST_HEADER_BYTES):
            raise _DamagedError("it ends in the middle, or its header is too long")

    def _bytes(self, count: int) -> bytes:
        self._must_hold(count)
        return self.file.read(count)


def _bytes_of(kind: int, count: int) -> int:
    return count // BLOCK * (BLOCK + 2) if kind == Q8_0 else count * np.dtype(PLAIN[kind]).itemsize
