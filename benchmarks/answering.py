"""Programs that take turns, each a process that answers lines of JSON, and what they are measured by.

For comparisons with another implementation, whose packages live in an environment of their own.
"""

from __future__ import annotations

import json
import os
import queue
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from math import inf
from pathlib import Path
from typing import Any

import numpy as np


class Program:
    """A process that answers a line of JSON with a line of JSON; other lines of its output are left out.

    Its first line, `ready`, is waited for when it is first asked for, so that programs get ready side by side.
    """

    def __init__(self, command: list[str], threads: int, errors: Path | None = None, **variables: str):
        """threads: of its products on the CPU. errors: the file that its standard error goes to. variables: of its
        environment."""
        limits = {"OPENBLAS_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}
        log = None if errors is None else errors.open("w")
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": log, "text": True}
        self.process: Any = subprocess.Popen(command, env={**os.environ, **limits, **variables}, **pipes)
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._ready: dict[str, Any] | None = None
        threading.Thread(target=self._read, daemon=True).start()

    @property
    def ready(self) -> dict[str, Any]:
        return self.wait()

    def wait(self, until: float = inf) -> dict[str, Any]:
        """What it says when it is ready. until: of `time.monotonic`; TimeoutError behind it."""
        if self._ready is None:
            self._ready = self._answer(until)
        return self._ready

    def ask(self, until: float = inf, **question: Any) -> dict[str, Any]:
        self.wait(until)
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        return self._answer(until)

    def _read(self) -> None:
        for line in self.process.stdout:
            if line.startswith("{"):
                self._lines.put(line)
        self._lines.put(None)

    def _answer(self, until: float) -> dict[str, Any]:
        try:
            line = self._lines.get(timeout=min(max(0.0, until - time.monotonic()), threading.TIMEOUT_MAX))
        except queue.Empty:
            raise TimeoutError(f"{self.process.args} did not answer in time") from None
        if line is None:
            raise SystemExit(f"{self.process.args} ended with {self.process.wait()}: its own output says why")
        return dict(json.loads(line))

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


def turns_in_time(count: int, until: float, what: str = "") -> Iterator[int]:
    """0, 1, ... below count, as long as another turn as long as the longest so far ends by `until` (time.monotonic)."""
    longest = 0.0
    for turn in range(count):
        began = time.monotonic()
        if turn and began + longest > until:
            print(f"{what}only {turn} turns: the time is over", flush=True)
            return
        yield turn
        longest = max(longest, time.monotonic() - began)


def heard(open_stream: Callable[[], Any], save: str | None) -> dict[str, Any]:
    """Open a stream of ours and read it to its end: what it took, and its sound into the file `save`."""
    began, worked, first, parts = time.perf_counter(), time.process_time(), 0.0, []
    with open_stream() as chunks:
        for chunk in chunks:
            first = first or time.perf_counter() - began
            parts.append(chunk.samples)
    seconds, worked = time.perf_counter() - began, time.process_time() - worked
    sound = np.concatenate(parts)
    if save:
        np.save(save, sound)
    return {"seconds": seconds, "worked": worked, "first": first, "samples": len(sound)}


def answer_lines(speak: Callable[[dict[str, Any], int], dict[str, Any]], parts: Iterable[Any], **ready: Any) -> None:
    """For programs of this package: say that it is ready, then answer each line of standard input by `speak`, which
    takes the question and its number. parts: of the model, whose weights are counted. An answer also has the bytes that
    were held at most, and those that MLX keeps; on the CPU both are the process's own.
    """
    import mlx.core as mx

    import mlx_tts
    from mlx_tts.checkpoints.tensors import parameters_of
    from mlx_tts.runtime.device import gpu_info, on_gpu

    gpu = on_gpu()
    ready["ready"] = f"mlx-tts {mlx_tts.__version__}, MLX {mx.__version__}"
    ready["weights"] = sum(value.nbytes for part in parts for value in parameters_of(part).values())
    print(json.dumps({**ready, "device": (gpu_info() or {}).get("device_name", "CPU")}), flush=True)
    for number, line in enumerate(sys.stdin):
        if gpu:
            mx.clear_cache()
            mx.reset_peak_memory()
        else:
            forget_peak()
        answer = speak(json.loads(line), number)
        answer["peak"] = mx.get_peak_memory() if gpu else peak_bytes()
        answer["held"] = mx.get_active_memory() + mx.get_cache_memory() if gpu else answer["peak"]
        print(json.dumps(answer), flush=True)


def forget_peak() -> None:
    """The kernel counts the most resident memory of this process from now on."""
    Path("/proc/self/clear_refs").write_text("5")


def peak_bytes() -> int:
    status = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))


def said(values: list[float]) -> str:
    """Median (least to most), in milliseconds of a number that is given in seconds."""
    digits = 0 if statistics.median(values) >= 0.1 else 1
    middle, least, most = (
        f"{value * 1e3:,.{digits}f}" for value in (statistics.median(values), min(values), max(values))
    )
    return f"{middle} ({least}-{most})"
