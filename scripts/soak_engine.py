"""Threads that start, stall, cancel and abandon speech of one model, and a verdict: same bits, flat memory, idle after.

python scripts/soak_engine.py                  12 threads, 10 minutes, the built-in voices
python scripts/soak_engine.py --minutes 1 --threads 4
"""

from __future__ import annotations

import argparse
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import numpy as np

import mlx_tts
from mlx_tts import SpeechRequest, TextToSpeech

TEXTS = ["The old man sat by the sea.", "Come here, she said.", "Nobody came.", "He left early today."]
WAYS = ("read", "read in time", "stall", "cancel", "abandon")
SAMPLE_SECONDS = 5
GROWTH_MB = 30  # the resident memory may grow this much after the first quarter of the run


def resident_mb() -> float:
    """This process's resident memory; Linux tells it in /proc, elsewhere the question is put to ps."""
    status = Path("/proc/self/statm")
    if status.exists():
        return int(status.read_text().split()[1]) * 4096 / 1e6
    import os
    import subprocess

    return int(subprocess.check_output(["ps", "-o", "rss=", "-p", str(os.getpid())])) / 1e3


class Callers:
    """Threads that use one model until the time is up; `counts` says how often each way was gone."""

    def __init__(self, tts: TextToSpeech, seconds: float):
        self.tts = tts
        self.requests = [SpeechRequest(text, seed=number) for number, text in enumerate(TEXTS)]
        self.alone = [tts.speak(request).samples for request in self.requests]
        self.end = time.monotonic() + seconds
        self.counts: Counter[str] = Counter()
        self.lock = threading.Lock()

    def call(self, seed: int) -> None:
        """One thread: choose a text and a way at random, again and again."""
        rng = np.random.default_rng(seed)
        while time.monotonic() < self.end:
            number, way = int(rng.integers(len(TEXTS))), WAYS[int(rng.integers(len(WAYS)))]
            try:
                samples = self.go(way, number, float(rng.random()))
                if samples is not None and not np.array_equal(samples, self.alone[number]):
                    way = "WRONG"
            except Exception as error:  # noqa: BLE001 (the verdict names it)
                way = f"FAILED: {error!r}"
            with self.lock:
                self.counts[way] += 1

    def go(self, way: str, number: int, seconds: float) -> np.ndarray | None:
        request = self.requests[number]
        if way == "abandon":
            generator = self.tts.stream(request)
            next(generator)
            return None
        with self.tts.submit(request, live=way != "read") as stream:
            chunks = [next(stream)]
            if way == "cancel":
                stream.cancel()
                return None
            if way == "stall":
                time.sleep(seconds)
            chunks += stream
            return np.concatenate([chunk.samples for chunk in chunks])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--threads", type=int, default=12)
    parser.add_argument("-m", "--model", default="tiny")
    options = parser.parse_args()
    tts = mlx_tts.load(options.model)
    callers = Callers(tts, 60 * options.minutes)
    threads = [threading.Thread(target=callers.call, args=(seed,)) for seed in range(options.threads)]
    for thread in threads:
        thread.start()
    memory = []
    while any(thread.is_alive() for thread in threads):
        time.sleep(SAMPLE_SECONDS)
        memory.append(resident_mb())
    settled = memory[len(memory) // 4 :]
    print("ways:", dict(sorted(callers.counts.items())))
    print("resident MB:", [round(value) for value in memory[:: max(1, len(memory) // 12)]])
    bad = [way for way in callers.counts if way not in WAYS]
    if settled[-1] - settled[0] > GROWTH_MB:
        bad.append(f"memory grew by {settled[-1] - settled[0]:.0f} MB")
    before = time.process_time()
    time.sleep(1)
    if time.process_time() - before > 0.2:
        bad.append("the engine works though nobody asks for anything")
    print("verdict:", "; ".join(bad) or "same bits, flat memory, idle at the end")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
