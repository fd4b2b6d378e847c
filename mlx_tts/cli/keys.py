"""A terminal -> the keys that are pressed on it, one by one; its settings are put back whatever happens."""

from __future__ import annotations

import contextlib
import os
import re
import select
import sys
import termios
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any

SPACE, LEFT, RIGHT, PLUS, MINUS, QUIT = "space", "left", "right", "plus", "minus", "quit"
NAMES = {b" ": SPACE, b"+": PLUS, b"=": PLUS, b"-": MINUS, b"_": MINUS, b"q": QUIT, b"Q": QUIT}
ARROWS = {b"C": RIGHT, b"D": LEFT}
SEQUENCE = re.compile(rb"\x1b(?:[\[O][0-9;]*([A-Za-z~])|\Z|[\[O][0-9;]*\Z)|.", re.DOTALL)
TICK_SECONDS = 0.1


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
