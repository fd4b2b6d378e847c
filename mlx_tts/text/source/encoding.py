"""Bytes of a text file -> its text: UTF-8, UTF-16 and old encodings of one byte; what is no text is refused by name."""

from __future__ import annotations

import codecs

from mlx_tts.errors import RequestError

# What a file begins with -> what it is.
MAGIC = (
    (b"%PDF-", "a PDF file"), (b"\x89PNG", "a picture"), (b"\xff\xd8\xff", "a picture"), (b"GIF8", "a picture"),
    (b"PK\x03\x04", "a zip archive"), (b"\x1f\x8b", "a gzip archive"), (b"7z\xbc\xaf", "an archive"), (b"Rar!",
    "an archive"),
    (b"RIFF", "a sound or picture file"), (b"OggS", "a sound file"), (b"fLaC", "a sound file"), (b"ID3",
    "a sound file"),
    (b"\x7fELF", "a program"), (b"MZ\x90", "a program"), (b"\xcf\xfa\xed\xfe", "a program"), (b"\xca\xfe\xba\xbe",
    "a program"),
    (b"\xd0\xcf\x11\xe0", "an old Word or Excel file"), (b"{\\rtf", "an RTF file"), (b"SQLite format 3", "a database"),
    (b"#!/", "a program's source"), (b"<?php", "a program's source"),
)  # fmt: skip
BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
)  # fmt: skip
SAMPLE = 64_000
CONTROLS = frozenset(range(32)) - frozenset(b"\t\n\r\f\b\x1a\x1b")


def decode(data: bytes, name: str) -> str:
    """RequestError: no text. name: for that message."""
    for beginning, kind in MAGIC:
        if data.startswith(beginning):
            raise RequestError(f"{name} is {kind}, not text: give text, Markdown, HTML, EPUB or DOCX")
    encoding = next((encoding for bom, encoding in BOMS if data.startswith(bom)), None) or _utf_16_without_bom(data)
    if encoding is not None:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            raise RequestError(f"{name} is no text: it begins as {encoding.upper()} and is none") from None
    controls = sum(byte in CONTROLS for byte in data[:SAMPLE])
    if controls * 50 > len(data[:SAMPLE]):
        raise RequestError(f"{name} is no text: it is full of control characters")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode(_of_one_byte(data), "replace")


def _utf_16_without_bom(data: bytes) -> str | None:
    """Letters of Western scripts have a zero as every second byte."""
    sample = data[:SAMPLE]
    half = len(sample) // 2
    if half < 2:
        return None
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    if odd > 0.4 * half and even < 0.05 * half:
        return "utf-16-le"
    return "utf-16-be" if even > 0.4 * half and odd < 0.05 * half else None


def _of_one_byte(data: bytes) -> str:
    """Few letters above 127 in much ASCII are Western; a text of them is guessed by its letters' frequencies."""
    sample = data[:SAMPLE]
    high = sum(byte > 127 for byte in sample)
    if high * 4 < len(sample):
        return "cp1252"
    from charset_normalizer import from_bytes

    best = from_bytes(sample).best()
    return best.encoding if best is not None else "cp1252"
