"""A running server against its own engine, in one run on one machine: first sounds, throughput, rows that come free.

python benchmarks/serving.py [--model tiny] [--times 20] [--clients 8]

The server's addition is what a client waits for its first sound, less what the engine took for it, from the submission
of the request to its first chunk: both of one request, so a busy machine does not matter. Engine and server take turns
where they are compared. Needs the extra server.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SEARCHED = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))  # for the server
sys.path.insert(0, str(ROOT))

import httpx  # noqa: E402 (found through the line above)

import mlx_tts  # noqa: E402

TEXT = "The train to the north leaves at nine."
LONG = f"{TEXT} " * 16


# Put into the server's process: a line on standard output for each request, with the engine's own time.
CLOCK = """
import time
from mlx_tts.api import TextToSpeech
from mlx_tts.generation.stream import SpeechStream
submit, put = TextToSpeech.submit, SpeechStream.put
def timed_submit(self, *arguments, **options):
    begin = time.perf_counter()
    stream = submit(self, *arguments, **options)
    stream.begin = begin
    return stream
def timed_put(self, chunk):
    if hasattr(self, "begin"):
        print("engine", time.perf_counter() - self.begin, flush=True)
        del self.begin
    put(self, chunk)
TextToSpeech.submit, SpeechStream.put = timed_submit, timed_put
from mlx_tts.cli import main
main()
"""


class Server:
    """`mlx-tts serve` as a process of its own."""

    def __init__(self, model: str, rows: int, script: str = CLOCK):
        environment = {**os.environ, "PYTHONPATH": SEARCHED, "MLX_TTS_HOME": tempfile.mkdtemp()}
        command = [sys.executable, "-c", script, "serve", "--port", "0", "--model", model, "--rows", str(rows)]
        command += ["--cache-mb", "0"]  # the same words come often, and are to be made
        begin = time.perf_counter()
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().split()[-1]
        self.client = httpx.Client(timeout=120)
        while self.client.get(f"{self.url}/ready").status_code != 200:
            time.sleep(0.02)
        self.ready_seconds = time.perf_counter() - begin
        self.engine: list[float] = []  # the engine's time of each first sound
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith("engine "):
                self.engine.append(float(line.split()[1]))

    def addition(self, seed: int) -> tuple[float, float]:
        """Seconds that the engine took for the first sound, and that the server and the connection added."""
        before = len(self.engine)
        first, _ = self.speak(TEXT, seed)
        while len(self.engine) == before:
            time.sleep(0.001)
        return self.engine[before], first - self.engine[before]

    def speak(self, text: str, seed: int, client: httpx.Client | None = None) -> tuple[float, float]:
        """Seconds until the first sound, and seconds of sound."""
        body = {"input": text, "response_format": "pcm", "seed": seed}
        begin = time.perf_counter()
        with (client or self.client).stream("POST", f"{self.url}/v1/audio/speech", json=body) as answer:
            answer.raise_for_status()
            parts = answer.iter_raw()
            size = len(next(parts))
            first = time.perf_counter() - begin
            size += sum(map(len, parts))
        return first, size / 48_000

    def metric(self, name: str) -> float:
        page = self.client.get(f"{self.url}/metrics").text
        return next(float(line.split()[1]) for line in page.splitlines() if line.startswith(f"{name} "))

    def row_free_seconds(self, seed: int) -> float:
        """From a client's going until its row is free."""
        body = {"input": LONG, "response_format": "pcm", "seed": seed}
        with self.client.stream("POST", f"{self.url}/v1/audio/speech", json=body) as answer:
            parts = answer.iter_raw()
            next(parts)
        begin = time.perf_counter()
        while self.metric("mlx_tts_rows_used"):
            pass
        return time.perf_counter() - begin


def engine_batch(tts: mlx_tts.TextToSpeech, clients: int, each: int) -> float:
    """Seconds of sound a second with this many rows."""
    requests = ((number, mlx_tts.SpeechRequest(TEXT, seed=number)) for number in range(clients * each))
    begin = time.perf_counter()
    sound = sum(chunk.seconds for _, chunk in tts.stream_many(requests, rows=clients, live=True))
    return sound / (time.perf_counter() - begin)


def server_batch(server: Server, clients: int, each: int) -> tuple[float, list[float]]:
    """The same from as many clients, and their first sounds."""
    firsts: list[float] = []
    sounds: list[float] = []

    def client(number: int) -> None:
        with httpx.Client(timeout=120) as connection:
            for turn in range(each):
                first, sound = server.speak(TEXT, number * each + turn, connection)
                firsts.append(first)
                sounds.append(sound)

    threads = [threading.Thread(target=client, args=(number,)) for number in range(clients)]
    begin = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(sounds) / (time.perf_counter() - begin), firsts


def all_at_once(server: Server, number: int) -> str:
    """Statuses of so many requests at the same moment."""

    def ask(seed: int) -> int:
        body = {"input": "Hi.", "response_format": "pcm", "seed": seed}
        return httpx.post(f"{server.url}/v1/audio/speech", json=body, timeout=120).status_code

    with ThreadPoolExecutor(number) as pool:
        statuses = list(pool.map(ask, range(number)))
    return ", ".join(f"{statuses.count(status)} x {status}" for status in sorted(set(statuses)))


def row(what: str, value: str) -> None:
    print(f"| {what} | {value} |", flush=True)


def milliseconds(values: list[float]) -> str:
    ordered = sorted(values)
    last = ordered[min(len(ordered) - 1, round(0.99 * len(ordered)))]
    return f"median {1e3 * statistics.median(ordered):.0f} ms, p99 {1e3 * last:.0f} ms"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="tiny")
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--clients", type=int, default=8)
    options = parser.parse_args()
    server = Server(options.model, options.clients)
    tts = mlx_tts.load(options.model)
    try:
        row("ready after", f"{server.ready_seconds:.2f} s")
        server.addition(0)
        pairs = [server.addition(seed) for seed in range(1, 1 + options.times)]
        row("first sound of the engine", milliseconds([engine for engine, _ in pairs]))
        row("the server's addition", milliseconds([added for _, added in pairs]))
        one = server_batch(server, 1, 5)[1]
        four = server_batch(server, 4, 3)[1]
        row("first sound, 1 stream", milliseconds(one))
        row(
            "first sound, 4 streams",
            f"{milliseconds(four)}: {statistics.median(four) / statistics.median(one):.1f} times",
        )
        for turn in range(2):
            engine, (served, _) = engine_batch(tts, options.clients, 3), server_batch(server, options.clients, 3)
            row(
                f"{options.clients} side by side, turn {turn + 1}, engine / server",
                f"{engine:.2f} / {served:.2f} s a second",
            )
        row("row free after a client has gone", milliseconds([server.row_free_seconds(seed) for seed in range(10)]))
        row("200 at once", all_at_once(server, 200))
    finally:
        server.process.terminate()
        server.process.wait(40)
    row("exit code", str(server.process.returncode))


if __name__ == "__main__":
    main()
