"""Argument, standard input or file -> the script: all chapters of a text, or a text that is still arriving."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mlx_tts.audio.formats import format_of
from mlx_tts.errors import RequestError

if TYPE_CHECKING:
    from mlx_tts.audio.encoder import BookInfo
    from mlx_tts.cli.options import TextOptions
    from mlx_tts.job.settings import ReadingSettings
    from mlx_tts.speech import ModelInfo
    from mlx_tts.text.cutting.pieces import Chapter, Piece
    from mlx_tts.text.reading import Reading
    from mlx_tts.text.source.blocks import Document

READ_BYTES = 4096


@dataclass(frozen=True)
class Script:
    """chapters: the whole text, or None while it is still arriving at standard input. document: of a file, what it says
    of itself."""

    chapters: list[Chapter] | None
    document: Document | None = None

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

    def book(self, file: Path | None) -> BookInfo | None:
        """What an audiobook says of itself: as its document does, or by its file's name."""
        if file is None or not format_of(file).chapters:
            return None
        from mlx_tts.audio.encoder import BookInfo

        document = self.document
        title = (document and document.title) or file.stem
        author, cover = (document.author, document.cover) if document else (None, None)
        return BookInfo(title, author, cover, self.titles)

    def arriving_pieces(
        self,
        language: str,
        info: ModelInfo,
        reading: Reading,
        skipped: Callable[[str], None],
        every_sentence: bool = False,
    ) -> Iterator[Piece | None]:
        """Each piece as soon as its text is there, or its first words where the model takes them; None: nothing now."""
        from mlx_tts.narration.job import packing_for
        from mlx_tts.text.source.arriving import read_pieces
        from mlx_tts.text.source.word_by_word import read_growing

        descriptor = sys.stdin.fileno()
        packing = packing_for(info, language, every_sentence)

        def read() -> bytes:
            return os.read(descriptor, READ_BYTES)

        if info.can.streams_text and not reading.rewrites and not reading.exact:
            return read_growing(read, packing, skipped)
        return read_pieces(read, packing, skipped, reading)


def read_script(words: list[str] | None, options: TextOptions, reading: ReadingSettings, live: bool) -> Script:
    """The text from exactly one place. live: the sound is wanted at once, so a pipe's text is not waited for."""
    from mlx_tts.job.prepare import asides_of, chapters_of
    from mlx_tts.text.source.documents import read_document

    file, asides = options.file, asides_of(reading)
    argument = " ".join(words) if words else None
    if file is not None:
        if argument is not None or options.url is not None:
            other = "a text" if argument is not None else "--url"
            raise RequestError(f"both {other} and --file were given: give one of them")
        document = read_document(file, asides)
        return Script(document.chapters, document)
    if options.url is not None:
        from mlx_tts.text.source.web import fetch_document

        if argument is not None:
            raise RequestError("both a text and --url were given: give one of them")
        document = fetch_document(options.url, asides)
        return Script(document.chapters, document)
    if live and argument in (None, "-") and _is_pipe():
        return Script(None)
    return Script(chapters_of(reading, read_text(argument)))


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


def chapter_range(text: str, chapters: int) -> tuple[int, int]:
    """ "2-5", "3", "2-" -> the first and the last chapter, counted from 1."""
    first, dash, last = text.partition("-")
    try:
        begin = int(first)
        end = begin if not dash else int(last) if last else chapters
    except ValueError:
        raise RequestError(f"--only-chapters is {text!r}: give a number or a range such as 2-5") from None
    if not 1 <= begin <= end <= chapters:
        raise RequestError(f"--only-chapters is {text!r}: this text has {chapters} chapters")
    return begin, end
