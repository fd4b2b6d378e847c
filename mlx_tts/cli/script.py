"""Argument, standard input or file -> the script: all chapters of a text, or a text that is still arriving."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mlx_tts.errors import RequestError

if TYPE_CHECKING:
    from mlx_tts.speech import ModelInfo
    from mlx_tts.text.cutting.pieces import Chapter, Piece
    from mlx_tts.text.reading import Reading

READ_BYTES = 4096


@dataclass(frozen=True)
class Script:
    """chapters: the whole text, or None while it is still arriving at standard input."""

    chapters: list[Chapter] | None

    @property
    def arriving(self) -> bool:
        return self.chapters is None

    @property
    def titles(self) -> list[str | None]:
        return [chapter.title for chapter in self.chapters or []]

    @property
    def sample(self) -> str:
        """Some text, for the check of a request whose own text is each piece."""
        return self.chapters[0].text if self.chapters else "..."

    def arriving_pieces(
        self, language: str, info: ModelInfo, reading: Reading, skipped: Callable[[str], None]
    ) -> Iterator[Piece | None]:
        """Each piece as soon as its text is there, or its first words where the model takes them; None: nothing now."""
        from mlx_tts.narration.job import packing_for
        from mlx_tts.text.source.arriving import read_pieces
        from mlx_tts.text.source.word_by_word import read_growing

        descriptor = sys.stdin.fileno()
        packing = packing_for(info, language)

        def read() -> bytes:
            return os.read(descriptor, READ_BYTES)

        if info.can.streams_text and not reading.rewrites and not reading.exact:
            return read_growing(read, packing, skipped)
        return read_pieces(read, packing, skipped, reading)


def read_script(words: list[str] | None, file: Path | None, live: bool, exact: bool = False) -> Script:
    """The text from exactly one place. live: the sound is wanted at once, so a pipe's text is not waited for. exact:
    every character of it is for the model."""
    from mlx_tts.text.cutting.pieces import Chapter
    from mlx_tts.text.source.documents import read_document, text_document

    argument = " ".join(words) if words else None
    if file is not None:
        if argument is not None:
            raise RequestError("both a text and --file were given: give one of them")
        return Script(read_document(file).chapters)
    if live and argument in (None, "-") and _is_pipe():
        return Script(None)
    text = read_text(argument)
    return Script([Chapter(None, text)] if exact else text_document(text).chapters)


def read_text(argument: str | None) -> str:
    """The text from the argument or standard input; RequestError when there is none, or no text in it."""
    if argument is not None and argument != "-":
        text, source = argument, "the text"
    else:
        if argument is None and sys.stdin.isatty():
            raise RequestError('no text: give it in quotes, as in mlx-tts speak "Hello", or use --file or a pipe')
        text, source = _decode(sys.stdin.buffer.read(), "standard input"), "standard input"
    if not text.strip():
        raise RequestError(f"{source} is empty: give some words to speak")
    return text


def check_argument(name: str, value: str) -> None:
    """RequestError for an argument whose bytes were no UTF-8."""
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise RequestError(f"{name} is not UTF-8 text: convert it first") from None


def _decode(data: bytes, source: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RequestError(f"{source} is not UTF-8 text (byte {error.start}): convert it first") from None


def _is_pipe() -> bool:
    """Whether standard input is another program's output, which may take its time; a file is read whole."""
    try:
        return stat.S_ISFIFO(os.fstat(sys.stdin.fileno()).st_mode)
    except (OSError, ValueError, AttributeError):
        return False
