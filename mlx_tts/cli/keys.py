"""Keys that are pressed on a terminal -> pauses, steps and another speed of what is played, and a line about it."""

from __future__ import annotations

import contextlib
import os
import re
import select
import signal
import sys
import termios
import threading
import unicodedata
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any

from mlx_tts.cli.console import Console
from mlx_tts.narration.marks import SentenceTimes

if TYPE_CHECKING:
    from mlx_tts.audio.playback.player import Player
    from mlx_tts.narration.narrate import Spoken

SPACE, LEFT, RIGHT, PLUS, MINUS, QUIT = "space", "left", "right", "plus", "minus", "quit"
NAMES = {b" ": SPACE, b"+": PLUS, b"=": PLUS, b"-": MINUS, b"_": MINUS, b"q": QUIT, b"Q": QUIT}
ARROWS = {b"C": RIGHT, b"D": LEFT}
SEQUENCE = re.compile(rb"\x1b(?:[\[O][0-9;]*([A-Za-z~])|\Z|[\[O][0-9;]*\Z)|.", re.DOTALL)
TICK_SECONDS = 0.1
HINT = "space pauses, left and right go a sentence back and forth, + and - change the speed, q quits"
SPEED_STEP = 0.1
UNKNOWN_COLUMNS = 80
NARROWEST = 20  # columns; in a narrower terminal the line is not cut any more


def keys_in(data: bytes) -> tuple[list[str], bytes]:
    """The keys among the bytes of a terminal, and the beginning of a sequence that has not come to its end."""
    keys: list[str] = []
    for found in SEQUENCE.finditer(data):
        if found.group().startswith(b"\x1b") and found.group(1) is None:
            return keys, found.group()
        name = NAMES.get(found.group()) if found.group(1) is None else ARROWS.get(found.group(1))
        if name is not None:
            keys.append(name)
    return keys, b""


def keyboard(reads_standard_input: bool) -> int | None:
    """A descriptor of the terminal that somebody sits at; None where nobody does, or where what is typed is the text.
    Where standard input is a pipe it is the terminal that the process belongs to."""
    try:
        if sys.stdin.isatty():
            return None if reads_standard_input else os.dup(sys.stdin.fileno())
        return os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)
    except (OSError, ValueError):
        return None


class Keys:
    """A context in which a thread calls `pressed` with the name of each key, and `tick` about ten times a second. Keys
    come without Enter and are not shown; Ctrl-C and Ctrl-Z still do what they always do."""

    def __init__(self, terminal: int, pressed: Callable[[str], None], tick: Callable[[], None]) -> None:
        """terminal: a descriptor, which is closed at the end."""
        self._terminal, self._pressed, self._tick = terminal, pressed, tick
        self._before: list[Any] = []
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="mlx-tts keys", daemon=True)

    def __enter__(self) -> Keys:
        self._before = termios.tcgetattr(self._terminal)
        self._thread.start()
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()
        with contextlib.suppress(OSError, termios.error):  # the terminal may be gone
            if self._is_foreground():
                termios.tcsetattr(self._terminal, termios.TCSADRAIN, self._before)
        os.close(self._terminal)

    def _is_foreground(self) -> bool:
        """Whether the terminal is ours just now: a process in the background that touches it is stopped."""
        return os.tcgetpgrp(self._terminal) == os.getpgrp()

    def _watch(self) -> None:
        rest = b""
        try:
            while not self._ended.is_set():
                if not self._is_foreground():
                    self._tick()
                    self._ended.wait(TICK_SECONDS)
                    continue
                self._set()  # each time: after Ctrl-Z and fg the terminal is as the shell left it
                self._tick()
                if not select.select([self._terminal], [], [], TICK_SECONDS)[0]:
                    continue
                data = os.read(self._terminal, 64)
                if not data:
                    return
                keys, rest = keys_in(rest + data)
                for key in keys:
                    self._pressed(key)
        except (OSError, termios.error):
            return  # the terminal went away; the speech goes on without keys

    def _set(self) -> None:
        now = termios.tcgetattr(self._terminal)
        local = now[3] & ~(termios.ICANON | termios.ECHO)
        if now[3] != local:
            now[3] = local
            now[6][termios.VMIN], now[6][termios.VTIME] = 1, 0
            termios.tcsetattr(self._terminal, termios.TCSADRAIN, now)


class Listening:
    """What a listener at a terminal sees and does. base_speed: --speed, which the speech has before it is played."""

    def __init__(self, terminal: int, console: Console, base_speed: float) -> None:
        self.sentences = SentenceTimes()
        self.has_quit = False
        self._terminal, self._console, self._base = terminal, console, base_speed
        self._player: Player | None = None
        self._shown = ""

    def attach(self, player: Player) -> None:
        self._player = player

    @contextlib.contextmanager
    def keys(self) -> Iterator[None]:
        self._console.daily_hint(HINT)
        with Keys(self._terminal, self.pressed, self.show):
            yield

    def begins(self, part: Spoken, seconds: float, language: str) -> None:
        """This part is played next, from `seconds` of the speech on."""
        self.sentences.begin(part.piece, seconds, language, self._base)

    def pressed(self, key: str) -> None:
        player = self._player
        if player is None:
            return
        if key == SPACE:
            player.pause(not player.paused)
        elif key in (LEFT, RIGHT):
            player.go_to(self.sentences.stepped(player.heard_seconds(), -1 if key == LEFT else 1))
        elif key in (PLUS, MINUS):
            self._change_speed(player, SPEED_STEP if key == PLUS else -SPEED_STEP)
        elif key == QUIT and not self.has_quit:
            self.has_quit = True
            player.pause(True)
            os.kill(os.getpid(), signal.SIGINT)  # wakes the thread that waits for the model, as Ctrl-C does
        self.show()

    def _change_speed(self, player: Player, step: float) -> None:
        player.change_speed(round(self._base * player.speed + step, 2) / self._base)

    def show(self) -> None:
        """The line that overwrites itself, if it says something new."""
        if self._player is None or self.has_quit:
            return
        line = self.line(self._player)
        if line != self._shown:
            self._shown = line
            self._console.progress(line)

    def line(self, player: Player) -> str:
        seconds = player.heard_seconds()
        sentence = self.sentences.at(seconds)
        speed = self._base * player.speed
        parts = [f"{int(seconds) // 60}:{int(seconds) % 60:02}"]
        parts += ["paused"] if player.paused else []
        parts += [f"{speed:.2g}x"] if abs(speed - 1) > 0.001 else []
        return cut_to(f"{' '.join(parts)} | {sentence.text if sentence else ''}", columns())


def listening_for(plays: bool, reads_standard_input: bool, console: Console, speed: float) -> Listening | None:
    """None where nothing is played, or where nobody sits at a terminal."""
    if not (plays and console.shows_progress):
        return None
    terminal = keyboard(reads_standard_input)
    return None if terminal is None else Listening(terminal, console, speed)


def columns() -> int:
    """Of the terminal that messages are shown on."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or UNKNOWN_COLUMNS
    except (OSError, ValueError):
        return UNKNOWN_COLUMNS


def cut_to(line: str, width: int) -> str:
    """As much of a line as fits: one that is wrapped could not be overwritten."""
    room = max(NARROWEST, width) - 1
    kept: list[str] = []
    used = 0
    for character in " ".join(line.split()):
        used += 2 if unicodedata.east_asian_width(character) in "WF" else not unicodedata.combining(character)
        if used > room:
            return "".join(kept[:-3]) + "..."
        kept.append(character)
    return "".join(kept)
