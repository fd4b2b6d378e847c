"""Hostile clients of a server: after each session it holds what it held, and meanwhile another client noticed nothing.

What another client waits is without the time that other programs took the processor (`health`, `served.Contention`), and
its first sound is compared with the one just before the session: how busy the machine is otherwise changes neither.

Memory that stays may be a leak, or what allocators and caches fill once. A session that leaves much more than was ever
known is therefore repeated: a leak goes on growing in the later half of the sessions, a plateau does not (`memories`). The
whole run is judged the same way, now and then, and no plateau may be higher than a limit.

The server is a process of its own with the built-in voice, and all traffic stays on this machine.
"""

from __future__ import annotations

import contextlib
import math
import os
import random
import threading
import time
from pathlib import Path

from tests.attack import http_sessions, live_sessions
from tests.attack.harness import Attack
from tests.attack.memories import LOOKED_AT, MOST_ABOVE, ROUNDS, fault_of, growth, is_below
from tests.attack.served import CLOCK, GONE, HEALTH, HELD, LAG, Served
from tests.attack.wire import Session

KINDS = (*http_sessions.KINDS, *live_sessions.KINDS)
MOST_HEALTH_SECONDS, MOST_HELD_SECONDS, MOST_TIMES = 0.1, 0.05, 2.0
JUDGED_AT = (200, 400, 800, 1600)  # sessions of all kinds, whose growth together is judged
TRIES = 3  # the machine does other things as well: what it did each time is the session's fault
# Sessions of each of these kinds, in which caches fill and all rows are used once. What comes later is less than
# `LOOKED_AT`: measured were 312 MiB after two of each, 319 after four.
SETTLED_AFTER = 2
SETTLING = (http_sessions.documents, http_sessions.samples, http_sessions.files_at_once, http_sessions.many_speeches)
MOST_LATER = 0.3  # seconds by which a neighbour speaks up behind the beginning of a session
LEAST_FIRST_SOUND = 0.2  # seconds; what is shorter than that twice over nobody notices
# The test suite sets it to 0: its other tests share the processor, so how long a neighbour waited would say nothing.
TIMES = "MLX_TTS_ATTACK_TIMES"
STRIDE = 25  # of the kinds from case to case, so that a few cases are of all doors


class Servers(Attack):
    """Every kind of session has its turn, each with other random numbers."""

    name, count, quick, slow = "server", 2000, 22, 300.0  # seconds of a session that is repeated
    traced = False

    def prepare(self, place: Path) -> None:
        import atexit

        self.place, self.served = place, Served(place)
        atexit.register(self.served.close)
        self.kinds = {kind.__name__: kind for kind in KINDS}
        for number in range(SETTLED_AFTER):  # what is loaded and cached once is not left behind
            for kind in SETTLING:
                self._play(kind.__name__, random.Random(number))
        self._before = self.served.held()
        self._known = self._before.memory  # bytes: where it settles, as far as that was seen
        self._memories: list[int] = []  # bytes after each session

    def attempt(self, rng: random.Random, folder: Path) -> str | None:
        name = list(self.kinds)[self.number * STRIDE % len(self.kinds)]
        seed = rng.random()
        fault = None
        for _ in range(TRIES):
            fault = self._verdict(name, random.Random(seed))
            if fault is None:
                return None
            if fault.startswith(GONE):
                self.prepare(self.place)  # for the next session
            if not fault.startswith("another client"):
                break
        return f"{name}: {fault}"

    def _verdict(self, name: str, rng: random.Random) -> str | None:
        watch = self.served.watch
        alone = self.served.first_sound()  # just before, for the machine's other work comes and goes
        watch.reset()
        first, error = self._play(name, rng, neighbour=True)
        if error is not None:
            return f"the session itself: {error}"
        if fault := self.served.settled(self._before):
            return fault
        if self.served.get("/health")[0] != 200:
            return "the server is not well afterwards"
        if fault := self._memory_verdict(name, rng):
            return fault
        self._note(name, first)
        if os.environ.get(TIMES) == "0":
            return None if math.isfinite(first) else "another client never heard a sound"
        if watch[HELD] > MOST_HELD_SECONDS:
            return f"another client waits: the event loop was held for {1e3 * watch[HELD]:.0f} ms by what was computed"
        if watch[HEALTH] > MOST_HEALTH_SECONDS:
            clock, lag = 1e3 * watch[CLOCK], 1e3 * watch[LAG]
            return f"another client waited {1e3 * watch[HEALTH]:.0f} ms for /health ({clock:.0f} by the clock, lag {lag:.0f})"
        if first > MOST_TIMES * max(LEAST_FIRST_SOUND, alone):
            return f"another client heard its first sound after {first:.2f} s, which takes {alone:.2f} s"
        return None

    def _memory_verdict(self, name: str, rng: random.Random) -> str | None:
        """Whether the memory that a session left is the beginning of more, or more than a plateau may have."""
        memory = self.served.held().memory
        self._memories.append(memory)
        self.figures["memory, MiB"] = memory / (1 << 20)
        if memory > self._before.memory + MOST_ABOVE:
            most = (self._before.memory + MOST_ABOVE) >> 20
            return f"the server holds {memory >> 20} MiB, and {most} are allowed, whatever fills its caches"
        if len(self._memories) in JUDGED_AT:
            self._note_growth("all kinds", self._memories)
            if fault := fault_of(self._memories):
                return f"in sessions of all kinds {fault}"
        if memory <= self._known + LOOKED_AT:
            return None
        memories: list[int] = []
        for count in ROUNDS:
            while len(memories) < count:
                memories.append(self._repeated(name, rng))
            if is_below(memories):
                break
        self._known = max(self._known, *memories)
        self._note_growth(name, memories)
        return fault_of(memories)

    def _note_growth(self, name: str, memories: list[int]) -> None:
        grows, error = growth(memories)
        self.figures[f"growth over the later half of {len(memories)} sessions of {name}, KiB each"] = grows / 1024
        self.figures[f"error of the growth over {len(memories)} sessions of {name}, KiB"] = error / 1024

    def _repeated(self, name: str, rng: random.Random) -> int:
        """The bytes of memory after another session."""
        self._play(name, random.Random(rng.random()))
        self.served.settled(self._before)
        return self.served.held().memory

    def _play(self, name: str, rng: random.Random, neighbour: bool = False) -> tuple[float, str | None]:
        """The session, and the first sound of somebody else in the midst of it."""
        session = Session(self.served.target, rng)
        errors: list[str] = []

        def attack() -> None:
            try:
                self.kinds[name](session)
            except Exception as error:  # a session with a fault of its own proves nothing
                errors.append(f"{type(error).__name__}: {error}")

        thread = threading.Thread(target=attack)
        thread.start()
        first = 0.0
        if neighbour:
            time.sleep(rng.random() * MOST_LATER)
            first = self.served.first_sound()
        thread.join()
        with contextlib.suppress(OSError):
            session.close()
        return first, errors[0] if errors else None

    def _note(self, name: str, first: float) -> None:
        watch = self.served.watch
        measured = {
            "first sound": first,
            "/health": watch[HEALTH],
            "/health by the clock": watch[CLOCK],
            "lag": watch[LAG],
            "turn": watch[HELD],
        }
        for what, seconds in measured.items():
            self.figures[f"{what} beside {name}, s"] = max(seconds, self.figures.get(f"{what} beside {name}, s", 0))
