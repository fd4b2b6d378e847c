"""The process as a shell, cron or systemd started it -> one with standard streams, and signals that end it in order."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys
import threading
import time
from types import FrameType
from typing import TextIO

ONE_INTERRUPTION = 3.0  # seconds: signals so close to the first one mean the same interruption
AGAIN_SECONDS = 0.005  # after which a signal is sent once more that came at a bad moment
LONGEST_LINE = 400  # characters of a message: its beginning and its end say what it is about

M_ARENA_MAX = -8  # of glibc's malloc.h
MOST_ARENAS = 2

_closed: set[int] = set()


def open_standard_streams() -> None:
    """Put the null device where standard input, output or error is closed. To be called before anything is opened: the
    next file would get that number, and messages would be written into the sound."""
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            _closed.add(number)
            descriptor = os.open(os.devnull, os.O_RDWR)
            if descriptor != number:  # only where a lower one is taken by now
                os.dup2(descriptor, number)
                os.close(descriptor)
            os.set_inheritable(number, True)
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a name that the terminal's encoding lacks ends no run


def share_malloc() -> None:
    """Let all threads of a server share two parts of glibc's memory. By default each thread has its own, up to eight
    for each processor, and each keeps megabytes that were freed: after each file that somebody fetched, a server with
    64 threads on 16 processors had 0.4 MB more. To be called before OpenBLAS starts its threads."""
    if not sys.platform.startswith("linux"):
        return
    import ctypes

    set_option = getattr(ctypes.CDLL(None), "mallopt", None)  # other C libraries have none
    if set_option is not None:
        set_option(M_ARENA_MAX, MOST_ARENAS)


def stdout_was_closed() -> bool:
    """Whether there was no standard output when the process began."""
    return 1 in _closed


class Interruption:
    """A signal handler that raises KeyboardInterrupt, once for signals that come together: the second of two Ctrl-C
    must not break into the saving that the first one began."""

    def __init__(self) -> None:
        self._raised = float("-inf")

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if _swallows_exceptions(frame):
            again = threading.Timer(AGAIN_SECONDS, os.kill, (os.getpid(), number))
            again.daemon = True
            again.start()
            return
        now = time.monotonic()
        if now - self._raised > ONE_INTERRUPTION:
            self._raised = now
            raise KeyboardInterrupt


def _swallows_exceptions(frame: FrameType | None) -> bool:
    """Whether an exception would be lost just now: libsndfile called Python, or an object is being removed."""
    while frame is not None:
        name = frame.f_code.co_name
        if name == "__del__" or (name.startswith("vio_") and frame.f_code.co_filename.endswith("soundfile.py")):
            return True
        frame = frame.f_back
    return False


def interrupt_on_signals() -> None:
    """SIGTERM and SIGHUP end a run as Ctrl-C does: what was made is kept. One that is ignored (nohup) stays so."""
    handler = Interruption()
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, handler)


def ignore_signals() -> None:
    """The run is over and its exit code is settled."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if (number := getattr(signal, name, None)) is not None:
            signal.signal(number, signal.SIG_IGN)


def shown_line(text: str) -> str:
    """One line of at most LONGEST_LINE characters without control characters, which a terminal would obey."""
    text = " ".join(text.split())
    if len(text) > LONGEST_LINE:
        half = LONGEST_LINE // 2
        text = f"{text[:half]} ... {text[-half:]}"
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)


def tell(line: str, end: str = "\n", stream: TextIO | None = None) -> None:
    """Write to standard error. A message that cannot be written (a full disk, a reader that went away) ends no run."""
    with contextlib.suppress(OSError, ValueError):
        print(line, end=end, file=stream or sys.stderr, flush=True)
