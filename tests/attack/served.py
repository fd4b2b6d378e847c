"""A server process with the built-in voice, what it holds, and how long others wait; for the attack on it.

`python -m tests.attack.served WATCH PORTS` is the server's process: its event loop writes its longest lag into WATCH.
`python -m tests.attack.served WATCH URL-PORT watch` asks /health again and again and writes how long it took.
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

from tests.attack.wire import ADDRESS, NEIGHBOUR, SPEECH, Target

BEAT_SECONDS, LOOK_SECONDS = 0.005, 0.02
LAG, HELD, HEALTH = range(3)  # seconds, each the longest since it was set to 0
POOL_THREADS = 66  # that the server may start when they are needed, and keeps
MOST_GROWTH = 96 << 20  # bytes of memory that stay: what was freed is not always given back to the system
GRACE_SECONDS = 12.0
STARTS_WITHIN = 120.0


class Watch:
    """Three figures in a file that several processes share."""

    def __init__(self, path: Path):
        if not path.exists():
            path.write_bytes(bytes(24))
        self._file = path.open("r+b")
        self._memory = mmap.mmap(self._file.fileno(), 24)

    def longest(self, which: int, seconds: float) -> None:
        if seconds > self[which]:
            self._memory[8 * which : 8 * which + 8] = struct.pack("d", seconds)

    def __getitem__(self, which: int) -> float:
        return float(struct.unpack("d", self._memory[8 * which : 8 * which + 8])[0])

    def reset(self) -> None:
        self._memory[:] = bytes(24)


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
        if self.memory > before.memory + MOST_GROWTH:
            return f"memory grew by {(self.memory - before.memory) >> 20} MiB"
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
            [*line, "serve", "--port", "0", "--wyoming", "0", "--model", "tiny", "-v"],
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
        self._watcher = subprocess.Popen(
            [*line, "watch", str(self.target.http)], stdin=subprocess.PIPE, env=environment
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
        """Seconds that a client of another address waits for the first sound of two words; infinite without one."""
        body = json.dumps({"input": "Hello there.", "voice": "ivy", "response_format": "pcm", "seed": 1})
        client = http.client.HTTPConnection(ADDRESS, self.target.http, timeout=30, source_address=(NEIGHBOUR, 0))
        begin = time.perf_counter()
        with contextlib.closing(client):
            try:
                client.request("POST", SPEECH, body, {"Content-Type": "application/json"})
                answer = client.getresponse()
                if answer.status != 200 or not answer.read(1):
                    return float("inf")
                seconds = time.perf_counter() - begin
                answer.read()
                return seconds
            except (OSError, http.client.HTTPException):
                return float("inf")

    def held(self) -> Held:
        process = Path(f"/proc/{self.process.pid}")
        memory = int((process / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        children = sum(len((task / "children").read_text().split()) for task in (process / "task").iterdir())
        files = tuple(sorted(path.name for path in self.temporary.rglob("*")))
        threads = len(list((process / "task").iterdir()))
        return Held(len(list((process / "fd").iterdir())), threads, children, files, memory)

    def settled(self, before: Held) -> str | None:
        """What is left behind when all had time to go, or None."""
        until = time.monotonic() + GRACE_SECONDS
        while True:
            fault: str | None
            try:
                fault = self.held().more_than(before)
            except OSError:
                fault = "the server's process is gone"
            if fault is None and (used := self.metric("mlx_tts_rows_used") + self.metric("mlx_tts_waiting_requests")):
                fault = f"{used:g} rows are still used or waited for"
            if fault is None or time.monotonic() > until:
                return fault
            time.sleep(0.1)

    def close(self) -> None:
        for process in (self.process, self._watcher):
            process.kill()
            process.wait()
        self._log.close()


def beat(watch: Watch) -> None:
    """Have the event loop of the server write down how late it is, and how long one turn of it computed."""
    import asyncio

    from mlx_tts.server import run

    startup = run._Server.startup

    async def beating() -> None:
        while True:
            begin, computed = time.perf_counter(), time.thread_time()
            await asyncio.sleep(BEAT_SECONDS)
            watch.longest(LAG, time.perf_counter() - begin - BEAT_SECONDS)
            watch.longest(HELD, time.thread_time() - computed)

    async def started(self: run._Server, sockets: list[socket.socket] | None = None) -> None:
        await startup(self, sockets)
        self._background.append(asyncio.get_running_loop().create_task(beating()))

    run._Server.startup = started  # type: ignore[method-assign,assignment]


def ask_health(watch: Watch, port: int) -> None:
    """For ever."""
    client = http.client.HTTPConnection(ADDRESS, port, timeout=30, source_address=(NEIGHBOUR, 0))
    while True:
        begin = time.perf_counter()
        try:
            client.request("GET", "/health")
            client.getresponse().read()
        except (OSError, http.client.HTTPException):
            client.close()
            time.sleep(0.1)
        watch.longest(HEALTH, time.perf_counter() - begin)
        time.sleep(LOOK_SECONDS)


def end_with_parent() -> None:
    while os.read(0, 4096):
        pass
    os._exit(1)


def main() -> None:
    watch = Watch(Path(sys.argv[1]))
    threading.Thread(target=end_with_parent, daemon=True).start()
    if sys.argv[2] == "watch":
        ask_health(watch, int(sys.argv[3]))
    beat(watch)
    from mlx_tts.cli import main as command

    sys.argv[1:] = sys.argv[2:]
    command()


if __name__ == "__main__":
    main()
