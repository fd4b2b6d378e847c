"""A server process with the built-in voice, what it holds, and how long others wait; for the attack on it.

`python -m tests.attack.served WATCH serve ...` is the server's process: its event loop writes its longest lag into WATCH.
`python -m tests.attack.served WATCH watch PORT PID` asks /health again and again and writes how long it took.
`python -m tests.attack.served WATCH listen PORT PID` asks for two words at each line, and prints when their sound began.

The machine does other things as well. What it took from the server and its neighbours meanwhile is left out of what
they waited, as far as the system tells (`Contention`).
"""

from __future__ import annotations

import contextlib
import http.client
import json
import mmap
import os
import socket
import struct
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from tests.attack.faults import children_of
from tests.attack.health import HealthClient
from tests.attack.wire import ADDRESS, NEIGHBOUR, SPEECH, Target

BEAT_SECONDS, LOOK_SECONDS = 0.005, 0.01
# Seconds, each the longest since it was set to 0: how late the event loop was; how long something computed while it
# could not go on; how long /health took without what the machine did besides; and how long by the clock.
LAG, HELD, HEALTH, CLOCK = FIGURES = range(4)
TICKS = 100  # of /proc/stat, a second
POOL_THREADS = 66  # that the server may start when they are needed, and keeps
GRACE_SECONDS = 12.0
STARTS_WITHIN = 120.0
GONE = "the server's process ended"


class Watch:
    """The figures, in a file that several processes share."""

    def __init__(self, path: Path):
        if not path.exists():
            path.write_bytes(bytes(8 * len(FIGURES)))
        self._file = path.open("r+b")
        self._memory = mmap.mmap(self._file.fileno(), 8 * len(FIGURES))

    def longest(self, which: int, seconds: float) -> None:
        if seconds > self[which]:
            self._memory[8 * which : 8 * which + 8] = struct.pack("d", seconds)

    def __getitem__(self, which: int) -> float:
        return float(struct.unpack("d", self._memory[8 * which : 8 * which + 8])[0])

    def reset(self) -> None:
        self._memory[:] = bytes(8 * len(FIGURES))


class Contention:
    """How long a process waited for a processor that programs of others had. process: its number.

    Waiting for one's own threads is not counted: a client that keeps the server busy makes others wait. Of the threads'
    waiting that share is taken from others which they had of the busy time of these processors; what remains is never
    less than the server computed meanwhile. 0 where the system does not tell.
    """

    def __init__(self, process: int, all_threads: bool):
        self._place, self._all = Path(f"/proc/{process}"), all_threads
        self._names = (
            {f"cpu{number}" for number in os.sched_getaffinity(0)} if sys.platform.startswith("linux") else set()
        )
        self._before = self._look()

    def begin(self) -> None:
        self._before = self._look()

    def seconds(self) -> float:
        """Since `begin`."""
        now, before = self._look(), self._before
        busy = max(now["busy"] - before["busy"], 1 / TICKS)
        computed = now["computed"] - before["computed"]
        theirs = min(1.0, max(0.0, 1 - computed / busy))
        waits = sum(value - before[name] for name, value in now.items() if name.isdigit() and name in before)
        most = max(0.0, now["clock"] - before["clock"] - computed / max(1, len(self._names)))
        return min(most, theirs * waits + now["own"] - before["own"])

    def _look(self) -> dict[str, float]:
        found = {"clock": time.perf_counter(), "busy": 0.0, "computed": 0.0, "own": 0.0}
        with contextlib.suppress(OSError, ValueError):
            for row in Path("/proc/stat").read_text().splitlines():
                name, *figures = row.split()
                if name in self._names:
                    found["busy"] += (sum(map(int, figures[:8])) - int(figures[3]) - int(figures[4])) / TICKS
            fields = (self._place / "stat").read_text().rpartition(")")[2].split()
            found["computed"] = (int(fields[11]) + int(fields[12])) / TICKS
            main = self._place / "task" / self._place.name
            for thread in (self._place / "task").iterdir() if self._all else [main]:
                with contextlib.suppress(OSError):  # it has ended
                    found[thread.name] = _waited(thread / "schedstat")
            found["own"] = _waited(Path("/proc/thread-self/schedstat"))
        return found


def _waited(path: Path) -> float:
    """Seconds that a thread could have run and did not."""
    return int(path.read_text().split()[1]) / 1e9


@dataclass(frozen=True)
class Held:
    """What the server's process holds."""

    descriptors: int
    threads: int
    children: int
    files: tuple[str, ...]
    memory: int

    def more_than(self, before: Held) -> str | None:
        """What is left behind, in words."""
        if self.descriptors > before.descriptors:
            return f"{self.descriptors - before.descriptors} descriptors are left"
        if self.threads > before.threads + POOL_THREADS:
            return f"{self.threads - before.threads} threads are left"
        if self.children > before.children:
            return f"{self.children - before.children} child processes are left"
        if self.files:
            return f"temporary files are left: {', '.join(self.files[:5])}"
        return None


class Served:
    """The process, and the one that asks /health. It ends when this one does, since it reads from a pipe of ours."""

    def __init__(self, place: Path):
        self.temporary = place / "temporary"
        self.temporary.mkdir(parents=True, exist_ok=True)
        self.watch = Watch(place / "watch")
        self._log = (place / "server.log").open("wb")
        environment = {**os.environ, "TMPDIR": str(self.temporary), "MLX_TTS_HOME": str(place / "home")}
        line = [sys.executable, "-m", "tests.attack.served", str(place / "watch")]
        self.process = subprocess.Popen(
            [*line, "serve", "--port", "0", "--cache-mb", "0", "--wyoming", "0", "--model", "tiny", "-v"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log, text=True, env=environment,
        )  # fmt: skip
        assert self.process.stdout is not None
        ports = [int(self.process.stdout.readline().rpartition(":")[2]) for _ in range(2)]
        self.target = Target(*ports)
        self._connection = http.client.HTTPConnection(ADDRESS, self.target.http, timeout=30)
        until = time.monotonic() + STARTS_WITHIN
        while self.get("/ready")[0] != 200:
            assert time.monotonic() < until and self.process.poll() is None, "the server does not start"
            time.sleep(0.05)
        where = (str(self.target.http), str(self.process.pid))
        self._watcher = subprocess.Popen([*line, "watch", *where], stdin=subprocess.PIPE, env=environment)
        self._listener = subprocess.Popen(
            [*line, "listen", *where], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True
        )

    def get(self, path: str) -> tuple[int, bytes]:
        try:
            self._connection.request("GET", path)
            answer = self._connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException):
            self._connection.close()
            return 0, b""

    def metric(self, name: str) -> float:
        page = self.get("/metrics")[1].decode()
        return next((float(row.rpartition(" ")[2]) for row in page.splitlines() if row.startswith(f"{name} ")), -1.0)

    def first_sound(self) -> float:
        """Seconds that a client of another address waits for the first sound of two words; infinite without one.

        It is a process of its own: a thread here would wait for the attacker's turns of the interpreter.
        """
        assert self._listener.stdin is not None and self._listener.stdout is not None
        self._listener.stdin.write("\n")
        self._listener.stdin.flush()
        return float(self._listener.stdout.readline() or "inf")

    def held(self) -> Held:
        process = Path(f"/proc/{self.process.pid}")
        memory = int((process / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        children = len(children_of(process))
        files = tuple(sorted(name for _, folders, names in os.walk(self.temporary) for name in (*folders, *names)))
        threads = len(list((process / "task").iterdir()))
        return Held(len(list((process / "fd").iterdir())), threads, children, files, memory)

    def settled(self, before: Held) -> str | None:
        """What is left behind when all had time to go, or None."""
        until = time.monotonic() + GRACE_SECONDS
        while True:
            if (code := self.process.poll()) is not None:
                return f"{GONE} with {code}"
            fault = self.held().more_than(before)
            if fault is None and (used := self.metric("mlx_tts_rows_used") + self.metric("mlx_tts_waiting_requests")):
                fault = f"{used:g} rows are still used or waited for"
            if fault is None or time.monotonic() > until:
                return fault
            time.sleep(0.1)

    def close(self) -> None:
        for process in (self.process, self._watcher, self._listener):
            process.kill()
            process.wait()
        self._log.close()


def beat(watch: Watch) -> None:
    """Have the event loop of the server write down how late it is, and how long it, or another thread while it was kept
    from going on, computed."""
    import asyncio

    from mlx_tts.server import run

    startup = run._Server.startup

    async def beating() -> None:
        waits = Path("/proc/thread-self/schedstat")
        own = os.open(waits, os.O_RDONLY) if waits.exists() else None
        while True:
            waited, begin, computed, all_computed = _now(own)
            await asyncio.sleep(BEAT_SECONDS)
            now = _now(own)
            lag, mine = now[1] - begin - BEAT_SECONDS, now[2] - computed
            others = max(0.0, now[3] - all_computed - mine)
            watch.longest(LAG, lag)
            watch.longest(HELD, mine + min(others, max(0.0, lag - mine - (now[0] - waited))))

    async def started(self: run._Server, sockets: list[socket.socket] | None = None) -> None:
        await startup(self, sockets)
        self._background.append(asyncio.get_running_loop().create_task(beating()))

    run._Server.startup = started  # type: ignore[method-assign,assignment]


def _now(own: int | None) -> tuple[float, float, float, float]:
    """Seconds that this thread waited for a processor, as far as the system tells; the clock; what this thread and all
    of them computed."""
    waited = 0.0 if own is None else int(os.pread(own, 100, 0).split()[1]) / 1e9
    return waited, time.perf_counter(), time.thread_time(), time.process_time()


def ask_health(watch: Watch, port: int, process: int) -> None:
    """For ever."""
    client = HealthClient(port, process)
    while True:
        parts = client.ask()
        watch.longest(HEALTH, parts.own)
        watch.longest(CLOCK, parts.clock)
        time.sleep(LOOK_SECONDS)


def listen(port: int, process: int) -> None:
    """At each line, the seconds until two words are heard."""
    body = json.dumps({"input": "Hello there.", "voice": "ivy", "response_format": "pcm", "seed": 1})
    taken = Contention(process, all_threads=True)
    for _ in sys.stdin:
        client = http.client.HTTPConnection(ADDRESS, port, timeout=30, source_address=(NEIGHBOUR, 0))
        taken.begin()
        begin, seconds = time.perf_counter(), float("inf")
        with contextlib.closing(client), contextlib.suppress(OSError, http.client.HTTPException):
            client.request("POST", SPEECH, body, {"Content-Type": "application/json"})
            answer = client.getresponse()
            if answer.status == 200 and answer.read(1):
                seconds = max(0.0, time.perf_counter() - begin - taken.seconds())
            answer.read()
        print(seconds, flush=True)


def end_with_parent() -> None:
    while os.read(0, 4096):
        pass
    os._exit(1)


def main() -> None:
    watch, what = Watch(Path(sys.argv[1])), sys.argv[2]
    if what == "listen":
        listen(*map(int, sys.argv[3:]))  # ends with its standard input
        return
    threading.Thread(target=end_with_parent, daemon=True).start()
    if what == "watch":
        ask_health(watch, *map(int, sys.argv[3:]))
    from mlx_tts.cli import main as command
    from mlx_tts.cli.process import share_malloc

    share_malloc()  # as the command does at its beginning: `beat` loads OpenBLAS, which starts threads
    beat(watch)

    sys.argv[1:] = sys.argv[2:]
    command()


if __name__ == "__main__":
    main()
