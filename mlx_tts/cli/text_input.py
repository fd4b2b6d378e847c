"""Argument, standard input or file -> the text to speak."""

from __future__ import annotations

import sys
from pathlib import Path

from mlx_tts.errors import RequestError


def read_text(argument: str | None, file: Path | None) -> str:
    """The text from exactly one place; RequestError when there is none, or no text in it."""
    if file is not None:
        if argument is not None:
            raise RequestError("both a text and --file were given: give one of them")
        text, source = _decode(_read(file), str(file)), str(file)
    elif argument is not None and argument != "-":
        text, source = argument, "the text"
    else:
        if argument is None and sys.stdin.isatty():
            raise RequestError('no text: give it in quotes, as in mlx-tts speak "Hello", or use --file or a pipe')
        text, source = _decode(sys.stdin.buffer.read(), "standard input"), "standard input"
    if not text.strip():
        raise RequestError(f"{source} is empty: give some words to speak")
    return text


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise RequestError(f"cannot read {file}: {error.strerror}") from None


def _decode(data: bytes, source: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RequestError(f"{source} is not UTF-8 text (byte {error.start}): convert it first") from None
