"""Lines for people, on standard error: standard output is for audio and for lists that were asked for."""

from __future__ import annotations

import contextlib
import shutil
import sys
import time
import zlib
from dataclasses import dataclass

from mlx_tts.cli.process import shown_line, tell
from mlx_tts.errors import RequestError

DAY = 86_400.0  # seconds
BAR = 20  # characters


@dataclass(frozen=True)
class Console:
    quiet: bool = False
    verbose: bool = False

    def say(self, line: str) -> None:
        """What a user should know; -q hides it."""
        if not self.quiet:
            tell(shown_line(line))

    def detail(self, line: str) -> None:
        """What a curious user may know; -v shows it."""
        if self.verbose and not self.quiet:
            tell(shown_line(line))

    @property
    def is_watched(self) -> bool:
        """Whether somebody reads along: figures and hints are for them, not for a script's log."""
        return not self.quiet and (self.verbose or sys.stderr.isatty())

    def hint(self, line: str) -> None:
        """What a person at a terminal may like to know."""
        if self.is_watched:
            self.say(line)

    def daily_hint(self, line: str) -> None:
        """The same, once a day: who works at a terminal has read it by then."""
        if self.is_watched and (self.verbose or _is_new_today(line)):
            self.say(line)

    @property
    def shows_progress(self) -> bool:
        return not self.quiet and sys.stderr.isatty()

    def progress(self, line: str, share: float | None = None) -> None:
        """One line that overwrites itself, cut to the terminal's width; "" clears it. share: of the work that is done,
        which a bar before the line shows. Only on a terminal."""
        if not self.shows_progress:
            return
        line, room = shown_line(line), shutil.get_terminal_size().columns - 1
        if share is not None and room > 2 * BAR:
            tell(f"\r\x1b[K{bar(share)} {line[: room - BAR - 1]}", end="")
        else:
            tell(f"\r\x1b[K{line[:room]}", end="")

    def must_agree(self, question: str, option: str = "--yes") -> None:
        """Ask on a terminal. RequestError for a no, and where nobody can answer: then it names the option that does."""
        if not self.agrees(question, option):
            raise RequestError("nothing was done: the answer was no")

    @property
    def can_ask(self) -> bool:
        """Whether somebody sits at a terminal who reads a question and can answer it."""
        return sys.stdin.isatty() and sys.stderr.isatty()

    def agrees(self, question: str, option: str = "--yes") -> bool:
        """Ask on a terminal. RequestError where nobody can answer: it names the option that answers."""
        if not self.can_ask:
            raise RequestError(f"{question} Nobody can answer that here: {option} answers it")
        tell(f"{shown_line(question)} [Y/n] ", end="")
        return sys.stdin.readline().strip().casefold() in ("", "y", "yes")


def _is_new_today(line: str) -> bool:
    """Whether the line was not told in the last day; remembers that it is now. Where nothing can be kept: yes."""
    from mlx_tts.runtime.folders import cache_folder

    stamp = cache_folder() / "notes" / f"{zlib.crc32(line.encode()):08x}"
    with contextlib.suppress(OSError):
        if stamp.is_file() and 0 <= time.time() - stamp.stat().st_mtime < DAY:
            return False
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.touch()
    return True


def bar(share: float) -> str:
    """share: 0 to 1. rich makes it, in the colours and signs that standard error can show; it is imported only then.
    Without colours what is left is blank."""
    from rich.console import Console as RichConsole
    from rich.progress_bar import ProgressBar
    from rich.segment import Segment, Segments

    console = RichConsole(file=sys.stderr, width=BAR)
    parts = list(console.render(ProgressBar(total=1.0, completed=min(1.0, share), width=BAR)))
    with console.capture() as shown:
        console.print(Segments(Segment.adjust_line_length(parts, BAR)), end="")
    return shown.get()
