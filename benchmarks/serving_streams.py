"""A running server with 1, 8 and 32 streams at a time: first sounds, and whether each stream keeps up with its player.

python benchmarks/serving_streams.py FOLDER --streams 1 8 32          a checkpoint with random weights will do
python benchmarks/serving_streams.py tiny --streams 1 4 --each 2      to try it

The guard hears everything and says nothing, because random weights speak nonsense: what it costs is in the figures.
"all at once": every client asks at the same moment, the worst that can happen; "coming and going": each asks when its
last answer is over, so that a newcomer meets rows that speak. In turns with other programs (`turns.py`). Needs the
extra server.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import threading
import time
from http.client import HTTPConnection

import turns
from serving import CLOCK, TEXT, Server

WITHOUT_REFUSALS = """
from mlx_tts.generation import guarded
from mlx_tts.generation.guard import QualityMonitor
for name in ("on_frame", "on_audio", "on_end"):
    judge = getattr(QualityMonitor, name)
    setattr(QualityMonitor, name, lambda self, *given, judge=judge: judge(self, *given) and None)
guarded.misspoken = lambda *given, judge=guarded.misspoken: judge(*given) and None
"""
RATE_BYTES = 48_000  # a second of 16-bit samples


class Stream:
    """One request: seconds to its first sound, seconds of sound, how late a player would ever have waited for more.

    By the standard library's client: all clients share one interpreter, and httpx takes 1.3 ms of it for a request
    where this takes 0.5, so the last of 32 would wait for the clients.
    """

    def __init__(self, client: HTTPConnection, seed: int, text: str = TEXT):
        body = json.dumps({"input": text, "response_format": "pcm", "seed": seed})
        begin, size, self.late = time.perf_counter(), 0, 0.0
        self.first = 0.0
        client.request("POST", "/v1/audio/speech", body, {"Content-Type": "application/json"})
        answer = client.getresponse()
        if answer.status != 200:
            raise SystemExit(f"the server answered {answer.status}: {answer.read()!r}")
        while part := answer.read1(1 << 16):
            now = time.perf_counter() - begin
            self.first = self.first or now
            self.late = max(self.late, now - self.first - size / RATE_BYTES)
            size += len(part)
        self.sound = size / RATE_BYTES
        self.speed = self.sound / max(time.perf_counter() - begin - self.first, 1e-9)


def at_once(clients: list[HTTPConnection], each: int, text: str = TEXT) -> list[Stream]:
    """Each client asks `each` times, all at the same moment."""
    found: list[Stream] = []
    barrier = threading.Barrier(len(clients))

    def ask(number: int) -> None:
        for turn in range(each):
            barrier.wait()
            found.append(Stream(clients[number], 1000 * turn + number, text))

    _run(ask, len(clients))
    return found


def coming_and_going(clients: list[HTTPConnection], each: int) -> list[Stream]:
    """Each client asks again when it has its answer; they begin within half a second, at random moments."""
    found: list[Stream] = []
    starts = [random.Random(number).uniform(0, 0.5) for number in range(len(clients))]

    def ask(number: int) -> None:
        time.sleep(starts[number])
        for turn in range(each):
            found.append(Stream(clients[number], 1000 * turn + number))

    _run(ask, len(clients))
    return found


def _run(ask, count: int) -> None:  # type: ignore[no-untyped-def]
    threads = [threading.Thread(target=ask, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def p99(values: list[float]) -> float:
    return sorted(values)[min(len(values) - 1, round(0.99 * len(values)))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--streams", type=int, nargs="+", default=[1, 8, 32])
    parser.add_argument("--each", type=int, default=3, help="requests a client and kind")
    options = parser.parse_args()
    server = Server(options.model, max(options.streams), WITHOUT_REFUSALS + CLOCK)
    print(f"ready after {server.ready_seconds:.1f} s", flush=True)
    place = server.url.removeprefix("http://")
    clients = [HTTPConnection(place, timeout=300) for _ in range(max(options.streams))]
    try:
        begin = time.perf_counter()
        for count in range(1, len(clients) + 1):  # what a step of so many rows compiles and checks
            at_once(clients[:count], 1, "Hi.")
        coming_and_going(clients, 1)
        print(f"first use of every number of rows {time.perf_counter() - begin:.1f} s", flush=True)
        for count in options.streams:
            latest = max(stream.first for stream in at_once(clients[:count], 1))
            print(f"{count} at once for the first time: all begun after {1e3 * latest:.0f} ms", flush=True)
        while turns.take():
            for count in options.streams:
                each = options.each if count > 1 else 10
                for kind in (at_once, coming_and_going)[: min(count, 2)]:
                    begin = time.perf_counter()
                    found = kind(clients[:count], each)
                    took, firsts = time.perf_counter() - begin, [1e3 * stream.first for stream in found]
                    turns.tell(
                        what=f"{count} streams, {kind.__name__}",
                        first_ms_median=round(statistics.median(firsts), 1),
                        first_ms_p99=round(p99(firsts), 1),
                        slowest_times_real_time=round(min(stream.speed for stream in found), 2),
                        latest_ms=round(1e3 * max(stream.late for stream in found), 1),
                        sound_a_second=round(sum(stream.sound for stream in found) / took, 2),
                        requests=len(found),
                    )
    finally:
        server.process.terminate()
        server.process.wait(40)


if __name__ == "__main__":
    main()
