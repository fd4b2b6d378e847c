"""How long /health takes another client, without what the machine's other programs are to blame for.

A process that sleeps and wakes on the same processors is no measure of that: who computes little goes first, while the
server's loop, which computes, waits in the queue behind the others. So the machine's share is read from the kernel's
account of the very threads that answer:

* how long the client could have run and did not, before it asked and after the answer was there;
* how long the loop's thread could have run and did not, less what the server's other threads computed meanwhile;
* how long the loop waited for a lock (as Python's own) while a thread that may have held it could not run either.

All else is the server's: what it computes, on the loop or in a thread that holds Python, and what the loop sleeps or
waits for. One thing is not told apart on a busy machine: a loop that waits for a lock of the server's own while another
of its threads, which may hold Python, waits for a processor. Where the system does not tell, all of the time is the server's.
"""

from __future__ import annotations

import contextlib
import http.client
import os
import platform
import select
import sys
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

from tests.attack.wire import ADDRESS, NEIGHBOUR

LATE_SECONDS, SAMPLE_SECONDS = 0.02, 0.005  # when it is looked what the loop does, and how often then
ANSWER_SECONDS = 30.0
FUTEX = {"x86_64": "202", "aarch64": "98"}.get(platform.machine(), "")  # the system call in which locks are waited for


@dataclass(frozen=True)
class Parts:
    """Seconds. clock: from asking to the answer. client_waited, loop_waited: for a processor. locked: that the loop
    waited for a lock; others_waited: of the other thread of the server that waited longest for a processor meanwhile.
    computed: by the server's other threads, on `processors` processors."""

    clock: float
    client_waited: float = 0.0
    loop_waited: float = 0.0
    locked: float = 0.0
    others_waited: float = 0.0
    computed: float = 0.0
    processors: int = 1

    @property
    def own(self) -> float:
        """The server's part: never less than what it computed while the loop could not go on."""
        queue = max(0.0, self.loop_waited - self.computed / self.processors)
        lock = max(0.0, min(self.locked - self.computed, self.others_waited))
        return max(0.0, self.clock - self.client_waited - queue - lock)


@dataclass(frozen=True)
class Look:
    """Seconds at one moment. ran, waited: of the loop's thread; computed: by the whole process; own: that this thread
    waited; others: that each other thread of the server did, by its number."""

    clock: float
    ran: float = 0.0
    waited: float = 0.0
    computed: float = 0.0
    own: float = 0.0
    others: dict[str, float] = field(default_factory=dict)


class LoopThread:
    """The main thread of a process, as the system tells of it."""

    def __init__(self, process: int):
        self._tasks = Path(f"/proc/{process}/task")
        self._loop = self._tasks / str(process)
        self._clock = (~process << 3) | 2  # what Linux calls the processor time of another process
        self.told = sys.platform.startswith("linux") and (self._loop / "schedstat").exists()
        self.processors = len(os.sched_getaffinity(0)) if self.told else 1

    def look(self, all_threads: bool = False) -> Look:
        clock = time.perf_counter()
        if self.told:
            with contextlib.suppress(OSError, ValueError):
                ran, waited = _schedule(self._loop)
                computed, own = time.clock_gettime(self._clock), _schedule(Path("/proc/thread-self"))[1]
                return Look(clock, ran, waited, computed, own, self._others() if all_threads else {})
        return Look(clock)

    def _others(self) -> dict[str, float]:
        found = {}
        for thread in self._tasks.iterdir():
            if thread.name != self._loop.name:
                with contextlib.suppress(OSError, ValueError):  # it has ended
                    found[thread.name] = _schedule(thread)[1]
        return found

    def waits_for_lock(self) -> bool | None:
        """Whether it sleeps and for a lock; None where it runs, or could. Where the system does not tell, it does."""
        try:
            call = (self._loop / "syscall").read_text().split()[0]
        except OSError:
            return True
        return None if call == "running" else call == FUTEX


def _schedule(thread: Path) -> tuple[float, float]:
    """Seconds that a thread ran, and that it could have run and did not."""
    ran, waited, _ = (thread / "schedstat").read_text().split()
    return int(ran) / 1e9, int(waited) / 1e9


class HealthClient:
    """Asks a server on this machine for /health, over one connection as long as that lasts."""

    def __init__(self, port: int, process: int):
        self._port, self._loop = port, LoopThread(process)
        self._client: http.client.HTTPConnection | None = None

    def ask(self) -> Parts:
        """Once. The clock is infinite where there was no answer over a new connection either."""
        before = self._loop.look()
        for _ in range(2):  # an old connection may have been closed
            try:
                return self._asked(before)
            except (OSError, http.client.HTTPException):
                self.close()
        return Parts(float("inf"))

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
        self._client = None

    def _asked(self, before: Look) -> Parts:
        if self._client is None:
            self._client = http.client.HTTPConnection(
                ADDRESS, self._port, timeout=ANSWER_SECONDS, source_address=(NEIGHBOUR, 0)
            )
        self._client.request("GET", "/health")
        sent = self._loop.look()
        connection = self._client.sock
        late = last = None
        samples = []
        if not select.select([connection], [], [], LATE_SECONDS)[0]:
            late = last = self._loop.look(all_threads=True)
            while not select.select([connection], [], [], SAMPLE_SECONDS)[0]:
                samples.append(self._loop.waits_for_lock())
                last = self._loop.look()
                if last.clock - before.clock > ANSWER_SECONDS:
                    raise TimeoutError
        self._client.getresponse().read()
        now = self._loop.look(all_threads=late is not None)
        client_waited = sent.own - before.own + now.own - (last or sent).own
        parts = Parts(
            clock=now.clock - before.clock,
            client_waited=client_waited,
            loop_waited=now.waited - before.waited,
            computed=max(0.0, now.computed - before.computed - (now.ran - before.ran)),
            processors=self._loop.processors,
        )
        if late is None or last is None:
            return parts
        slept = now.clock - late.clock - (now.ran - late.ran) - (now.waited - late.waited) - (now.own - last.own)
        told = [sample for sample in samples if sample is not None]
        share = sum(told) / len(told) if told else 0.0
        waits = [now.others[name] - late.others[name] for name in now.others.keys() & late.others]
        return replace(parts, locked=share * max(0.0, slept), others_waited=max(waits, default=0.0))
