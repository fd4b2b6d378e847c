"""Lines for people, on standard error: standard output is for audio and for lists that were asked for."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass

from mlx_tts.cli.process import shown_line, tell
from mlx_tts.errors import MlxTtsError, RequestError

TICK_SECONDS = 0.25
SHORT_SECONDS = 0.5  # of work that nobody needs to be told of
DAY = 86_400.0  # seconds
BAR = 20  # characters


PLAIN_SECONDS, LOG_SECONDS = 5.0, 30.0  # between lines of progress that stay: for a person, and in a log
STYLES = ("auto", "bar", "plain", "none")


class _Screen:
    """Standard error, where one line of progress may stand that the next line replaces. Several threads write to it."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.shows_progress = False
        self.told_at = time.monotonic()
        self.movers: list[object] = []  # what moves a line; the last one has the place

    def clear(self) -> None:
        if self.shows_progress:
            tell("\r\x1b[K", end="")
            self.shows_progress = False


_screen = _Screen()


def begin_command() -> None:
    """The time until the first line of progress that stays counts from the command, not from the process: one process
    may run several."""
    _screen.told_at = time.monotonic()


@dataclass(frozen=True)
class Console:
    """style: of progress. bar: one line that moves; plain: a line of its own now and then, without control characters,
    as a screen reader wants it; auto: the bar on a terminal, and plain in a log."""

    quiet: bool = False
    verbose: bool = False
    style: str = "auto"

    def say(self, line: str) -> None:
        """What a user should know; -q hides it."""
        if not self.quiet:
            with _screen.lock:
                _screen.clear()
                tell(shown_line(line))

    def detail(self, line: str) -> None:
        """What a curious user may know; -v shows it."""
        if self.verbose:
            self.say(line)

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
        """Whether a line that moves is shown."""
        if self.quiet or self.style in ("plain", "none"):
            return False
        return self.style == "bar" or (sys.stderr.isatty() and os.environ.get("TERM") != "dumb")

    def progress(self, line: str, share: float | None = None) -> None:
        """One line that overwrites itself, cut to the terminal's width; "" clears it. share: of the work that is done,
        which a bar before the line shows. Where nothing can be overwritten, a line of its own now and then."""
        with _screen.lock:
            if not self.shows_progress:
                self._tell_plainly(line, share)
            elif not line:
                _screen.clear()
            else:
                line, room = shown_line(line), shutil.get_terminal_size().columns - 1
                with_bar = share is not None and room > 2 * BAR
                shown = f"{bar(share or 0.0)} {line[: room - BAR - 1]}" if with_bar else line[:room]
                tell(f"\r\x1b[K{shown}", end="")
                _screen.shows_progress = True

    def _tell_plainly(self, line: str, share: float | None) -> None:
        if not line or self.quiet or self.style == "none":
            return
        now, seconds = time.monotonic(), PLAIN_SECONDS if self.style == "plain" or sys.stderr.isatty() else LOG_SECONDS
        if now - _screen.told_at >= seconds:
            _screen.told_at = now
            tell(shown_line(line if share is None else f"{share:.0%}: {line}"))

    @contextlib.contextmanager
    def moving(self, line: Callable[[], tuple[str, float | None] | None]) -> Iterator[None]:
        """While this lasts, what `line` gives is shown several times a second; None: nothing. Inside of another one it
        takes the other's place."""
        over, mover = threading.Event(), object()

        def show() -> None:
            while not over.wait(TICK_SECONDS):
                now = line()
                with _screen.lock:
                    if now is not None and _screen.movers[-1:] == [mover]:
                        self.progress(*now)

        thread = threading.Thread(target=show, name="mlx-tts progress", daemon=True)
        with self._place(mover):
            thread.start()
            try:
                yield
            finally:
                over.set()
                thread.join()

    def held(self) -> AbstractContextManager[None]:
        """While this lasts, no line of `moving` is shown: a question or a download has the place."""
        return self._place(object())

    @contextlib.contextmanager
    def _place(self, mover: object) -> Iterator[None]:
        with _screen.lock:
            _screen.movers.append(mover)
            self.progress("")
        try:
            yield
        finally:
            with _screen.lock:
                _screen.movers.remove(mover)
                self.progress("")

    @contextlib.contextmanager
    def working(self, what: str) -> Iterator[Callable[[str], None]]:
        """While this lasts, what is being done and since when, where it takes longer than SHORT_SECONDS. Gives a
        function that takes the name of the next step."""
        began, steps = time.monotonic(), [what]

        def line() -> tuple[str, None] | None:
            seconds = time.monotonic() - began
            # The time comes first: what does not fit a terminal's width is cut off at the end. Tenths move.
            return (f"{seconds:.1f} s: {steps[-1]}", None) if seconds > SHORT_SECONDS else None

        with self.moving(line):
            yield steps.append

    def must_agree(self, question: str, option: str = "--yes") -> None:
        """Ask on a terminal. MlxTtsError for a no; RequestError where nobody can answer, with the option that does."""
        if not self.agrees(question, option):
            raise MlxTtsError("nothing was done: the answer was no")

    @property
    def can_ask(self) -> bool:
        """Whether somebody sits at a terminal who reads a question and can answer it."""
        return sys.stdin.isatty() and sys.stderr.isatty()

    def agrees(self, question: str, option: str = "--yes") -> bool:
        """Ask on a terminal. RequestError where nobody can answer: it names the option that answers."""
        if not self.can_ask:
            raise RequestError(f"{question} There is no terminal to ask on: {option} answers it")
        with self.held():
            tell(f"{shown_line(question)} [Y/n] ", end="")
            answer = sys.stdin.readline()
            if not answer:  # Control-D is no answer, and leaves the cursor behind the question
                tell("")
        return bool(answer) and answer.strip().casefold() in ("", "y", "yes")


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
