"""Clients that come, go, stall and send nonsense: the server must serve the others, and not grow.

python scripts/soak_server.py [--minutes 30] [--requests N] [--clients 200] [--model tiny]

Each client asks a few times over one connection, goes, and comes again as a new one. Prints a line a minute, and at
the end what happened. Exit 1 when anything but 200, 400, 404, 413, 415 and 429 was answered, an answer was cut, a
request had no answer in ten minutes, memory in the last quarter was more than 2 % above each earlier one, descriptors,
threads or child processes are left, or the server is not well afterwards. Needs the extra server.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import httpx  # noqa: E402 (it comes with the openai client of the development tools)

SENTENCES = ("Hello.", "The train leaves at nine.", "It was late, and nobody was there. The rain had stopped.")
LONG = "This is a long story, and nobody knows yet how it will end. " * 6
EXPECTED = {200, 400, 404, 413, 415, 429}
# Of the median memory in the last quarter of the run above the highest of the others: what comes and goes moves a
# quarter's median by 2 % in both directions, and what is not given back makes each quarter the highest.
MOST_GROWTH = 0.02
POOL_THREADS = 66  # that the server starts when they are needed, and keeps
MOST_PATIENCE, MOST_REQUESTS = 5, 6  # seconds before a refused client tries again; requests over one connection
FORMATS = ("mp3", "opus", "aac", "flac", "wav", "pcm")


class Soak:
    """One run. counts: what happened; wrong: what must not."""

    def __init__(self, url: str, seed: int):
        self.url, self.random = url, random.Random(seed)
        self.counts: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.lock = threading.Lock()
        self.address = (url.split("/")[2].split(":")[0], int(url.rpartition(":")[2]))

    def one(self, client: httpx.Client, kind: str) -> None:
        body = {"input": self.random.choice(SENTENCES), "response_format": self.random.choice(FORMATS)}
        body["stream_format"] = self.random.choice(("audio", "audio", "sse"))
        if kind == "whole":
            self.note(client.post(f"{self.url}/v1/audio/speech", json=body))
        elif kind == "leaves":
            with client.stream("POST", f"{self.url}/v1/audio/speech", json={**body, "input": LONG}) as answer:
                if answer.status_code == 200:
                    next(answer.iter_raw())
                else:
                    answer.read()
                self.note(answer)
        elif kind == "stalls":
            self.stall()
        else:
            self.note(client.post(f"{self.url}/v1/audio/speech", **self.nonsense()))

    def nonsense(self) -> dict:
        return self.random.choice(
            (
                {"json": {"input": ""}},
                {"json": {"input": "Hi.", "voice": "nobody"}},
                {"json": {"input": "Hi.", "model": "nothing"}},
                {"json": {"input": "Hi.", "speed": 99}},
                {"content": b"{", "headers": {"Content-Type": "application/json"}},
                {"content": b"x", "headers": {"Content-Type": "text/plain"}},
                {"content": b"x" * (5 << 20), "headers": {"Content-Type": "application/json"}},
            )
        )

    def stall(self) -> None:
        """Ask for a long text, read nothing for a while, and leave without a word."""
        body = json.dumps({"input": LONG, "response_format": "pcm"}).encode()
        head = "POST /v1/audio/speech HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        head += f"Content-Length: {len(body)}\r\n\r\n"
        with socket.create_connection(self.address, timeout=30) as connection:
            connection.sendall(head.encode() + body)
            time.sleep(self.random.uniform(0.1, 3))
        with self.lock:
            self.counts["stalled"] += 1

    def note(self, answer: httpx.Response) -> None:
        with self.lock:
            self.counts[str(answer.status_code)] += 1
            if answer.status_code not in EXPECTED:
                self.wrong.append(f"{answer.status_code}: {answer.text[:200]}")
            again = answer.headers.get("retry-after", "")
            if answer.status_code == 429 and not again.isdigit():
                self.wrong.append(f"429 with Retry-After {again!r}")
        if answer.status_code == 429:
            time.sleep(min(MOST_PATIENCE, int(again) if again.isdigit() else MOST_PATIENCE))

    def client(self, over: threading.Event) -> None:
        while not over.is_set():
            with httpx.Client(timeout=600, verify=False) as client:  # certificates would be read for each of them
                for _ in range(self.random.randrange(1, MOST_REQUESTS)):
                    kind = self.random.choices(("whole", "leaves", "stalls", "nonsense"), (6, 2, 1, 2))[0]
                    try:
                        self.one(client, kind)
                    except (httpx.HTTPError, OSError) as error:
                        with self.lock:
                            self.wrong.append(f"{kind}: {type(error).__name__} {error}")
                    if over.is_set():
                        return


def resident_bytes(process: int) -> int:
    """Memory of the process; 0 where the system does not tell."""
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    except OSError:
        done = subprocess.run(["ps", "-o", "rss=", "-p", str(process)], capture_output=True, text=True, check=False)
        return int(done.stdout or 0) * 1024
    return pages * os.sysconf("SC_PAGE_SIZE")


def held(process: int) -> tuple[int, int, int]:
    """Descriptors, threads and child processes; zeros where the system does not tell."""
    place = Path(f"/proc/{process}")
    if not place.exists():
        return 0, 0, 0
    tasks = list((place / "task").iterdir())
    children = sum(len((task / "children").read_text().split()) for task in tasks)
    return len(list((place / "fd").iterdir())), len(tasks), children


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--requests", type=int, default=None, help="stop after so many, if that is sooner")
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--model", default="tiny")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "MLX_TTS_HOME": tempfile.mkdtemp()}
    command = [sys.executable, "-m", "mlx_tts", "serve", "--port", "0", "--cache-mb", "0", "--model", options.model]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None
    url = process.stdout.readline().split()[-1]
    while httpx.get(f"{url}/ready").status_code != 200:
        time.sleep(0.1)
    try:
        return run(Soak(url, options.seed), process.pid, options)
    finally:
        process.terminate()
        process.wait(40)


def run(soak: Soak, process: int, options: argparse.Namespace) -> int:
    over, before = threading.Event(), held(process)
    threads = [threading.Thread(target=soak.client, args=(over,), daemon=True) for _ in range(options.clients)]
    for thread in threads:
        thread.start()
    begin, told = time.monotonic(), 0
    memories: list[int] = []  # each second
    while True:
        time.sleep(1)
        share = (time.monotonic() - begin) / 60 / options.minutes
        if options.requests:
            share = max(share, soak.counts.total() / options.requests)
        memories.append(resident_bytes(process))
        if (minute := int((time.monotonic() - begin) / 60)) > told or share >= 1:
            told = minute
            descriptors, tasks, children = held(process)
            print(
                f"{minute} min: {dict(soak.counts)}, {resident_bytes(process) >> 20} MiB, "
                f"{descriptors} descriptors, {tasks} threads, {children} children",
                flush=True,
            )
        if share >= 1:
            break
    over.set()
    for thread in threads:
        thread.join(600)
    time.sleep(3)
    for name, most, now in zip(("descriptors", "threads", "child processes"), before, held(process), strict=True):
        if now > most + (POOL_THREADS if name == "threads" else 0):
            soak.wrong.append(f"{now - most} {name} are left")
    return verdict(soak, memories)


def verdict(soak: Soak, memories: list[int]) -> int:
    """Say what happened; the exit code. memories: while the clients were there."""
    quarter = max(1, len(memories) // 4)
    medians = [median(memories[at * quarter : (at + 1) * quarter] or memories) for at in range(4)]
    settled, now = max(medians[:3]), medians[3]
    if "\nmlx_tts_rows_used 0.0" not in httpx.get(f"{soak.url}/metrics").text:
        soak.wrong.append("rows are still in use")
    if httpx.get(f"{soak.url}/health").status_code != 200:
        soak.wrong.append("the server is not well")
    if now > (1 + MOST_GROWTH) * settled:
        soak.wrong.append("memory grew too much")
    print(
        f"memory {' / '.join(f'{value / 2**20:.0f}' for value in medians)} MiB by quarters, the last "
        f"{now / settled - 1:+.1%} against the highest before, {max(memories) >> 20} MiB at most; "
        f"{len(soak.wrong)} things wrong"
    )
    print("\n".join(soak.wrong[:20]))
    return int(bool(soak.wrong))


if __name__ == "__main__":
    sys.exit(main())
