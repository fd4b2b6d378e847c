"""Argument, standard input or file -> the script: all chapters of a text, or a text that is still arriving."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mlx_tts.cli.text_input import read_text

if TYPE_CHECKING:
    from mlx_tts.speech import ModelInfo
    from mlx_tts.text.cutting.pieces import Chapter, Packing, Piece

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
        """Some text, for checks of a request that need one."""
        return self.chapters[0].text if self.chapters else "..."

    def pieces(self, language: str, longest: int | None, skipped: Callable[[str], None]) -> list[Piece]:
        from mlx_tts.text.cutting.pieces import cut_chapters

        return list(cut_chapters(self.chapters or [], _packing(language, longest), skipped))

    def arriving_pieces(self, language: str, info: ModelInfo, skipped: Callable[[str], None]) -> Iterator[Piece | None]:
        """Each piece as soon as its text is there, or its first words where the model takes them; None: nothing now."""
        from mlx_tts.text.source.arriving import read_pieces
        from mlx_tts.text.source.word_by_word import read_growing

        descriptor = sys.stdin.fileno()
        read_some = read_growing if info.streams_text else read_pieces
        return read_some(lambda: os.read(descriptor, READ_BYTES), _packing(language, info.longest_text), skipped)


def _packing(language: str, longest: int | None) -> Packing:
    from mlx_tts.text.cutting.pieces import Packing

    return Packing(language, characters=longest)


def read_script(argument: str | None, file: Path | None, live: bool) -> Script:
    """The text from exactly one place. live: the sound is wanted at once, so a pipe's text is not waited for."""
    from mlx_tts.text.source.documents import epub_chapters, is_epub, markdown_chapters

    if file is not None and argument is None and is_epub(file) and file.is_file():
        return Script(epub_chapters(file))
    if live and file is None and argument in (None, "-") and _is_pipe():
        return Script(None)
    return Script(markdown_chapters(read_text(argument, file)))


def _is_pipe() -> bool:
    """Whether standard input is another program's output, which may take its time; a file is read whole."""
    try:
        return stat.S_ISFIFO(os.fstat(sys.stdin.fileno()).st_mode)
    except (OSError, ValueError, AttributeError):
        return False
