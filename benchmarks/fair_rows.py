"""First sounds of a two-word request next to eight short requests and next to eight books, in one run on one machine.

python benchmarks/fair_rows.py [--model tiny] [--times 5] [--rows N]

The eight ask again as soon as they have their answer; a book has 100,000 characters. They and the short request come
from loopback addresses of their own (Linux). Needs the extra server.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SENTENCE = "This is a long story, and nobody knows yet how it will end. "
BOOK = (SENTENCE * 2000)[:100_000]
WORDS = "Hello there."


class Client:
    """Asks from one loopback address."""

    def __init__(self, port: int, number: int):
        self._port, self._address = port, f"127.0.0.{10 + number}"

    def speak(self, text: str, seed: int, over: threading.Event | None = None) -> float:
        """Seconds until the first sound; infinite where it is refused. over: when to leave in the midst of it."""
        body = json.dumps({"input": text, "voice": "ivy", "response_format": "pcm", "seed": seed})
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=120, source_address=(self._address, 0))
        begin = time.perf_counter()
        with contextlib.closing(connection):
            connection.request("POST", "/v1/audio/speech", body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            if answer.status != 200 or not answer.read(1):
                time.sleep(0.5)
                return float("inf")
            first = time.perf_counter() - begin
            while answer.read(4800) and not (over is not None and over.is_set()):
                pass
        return first


@contextlib.contextmanager
def eight(port: int, text: str, addresses: int) -> Iterator[None]:
    over = threading.Event()

    def work(number: int) -> None:
        client = Client(port, 1 + number % addresses)
        seed = 100 * number
        while not over.is_set():
            seed += 1
            with contextlib.suppress(OSError, http.client.HTTPException):
                client.speak(text, seed, over)

    threads = [threading.Thread(target=work, args=(number,), daemon=True) for number in range(8)]
    for thread in threads:
        thread.start()
    time.sleep(6)
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join(20)
        time.sleep(1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="tiny")
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--rows", type=int)
    options = parser.parse_args()
    command = [sys.executable, "-m", "mlx_tts", "serve", "--port", "0", "--model", options.model, "-v"]
    command += ["--cache-mb", "0"]  # the same words come often, and are to be made
    command += ["--rows", str(options.rows)] if options.rows else []
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "MLX_TTS_HOME": tempfile.mkdtemp()}
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    assert server.stdout is not None
    port = int(server.stdout.readline().rpartition(":")[2])
    me = Client(port, 0)
    try:
        while not me_ready(port):
            time.sleep(0.1)
        time.sleep(4)
        row("alone", [me.speak(WORDS, seed) for seed in range(options.times)])
        for addresses in (1, 8):
            for name, text in (("short ones", "The train leaves at nine."), ("books", BOOK)):
                with eight(port, text, addresses):
                    firsts = [me.speak(WORDS, seed) for seed in range(options.times)]
                row(f"next to eight {name} of {addresses} address{'es' if addresses > 1 else ''}", firsts)
    finally:
        server.terminate()
        server.wait(40)


def me_ready(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port)
    with contextlib.closing(connection):
        connection.request("GET", "/ready")
        return connection.getresponse().status == 200


def row(what: str, seconds: list[float]) -> None:
    print(f"| {what} | median {statistics.median(seconds):.2f} s, longest {max(seconds):.2f} s |", flush=True)


if __name__ == "__main__":
    main()
