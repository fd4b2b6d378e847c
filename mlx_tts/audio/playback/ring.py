"""Samples from the thread that makes them to the one that plays them, without a lock; and when to begin to play."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from statistics import median

import numpy as np

from mlx_tts.samples import Samples

WRITE_SECONDS = 0.96  # the longest wait for the next piece of sound is the time that so much speech takes to make
LEAST_SECONDS, MOST_SECONDS = 0.1, 8.0  # of speech before it is played: a little always; nobody waits longer
SAFETY = 1.25  # machines do not run evenly
BURST_SECONDS = 0.01  # writes so soon after one another were made together
PACES = 8  # how many of the last pieces of sound tell the speed


class RingBuffer:
    """One thread writes, one other reads; each advances a counter of its own, so neither ever waits for the other."""

    def __init__(self, capacity: int) -> None:
        self._data = np.zeros(capacity, dtype=np.float32)
        self._written = 0  # set by the writer alone, after the samples are in place
        self._read = 0  # set by the reader alone, after they were taken out
        self._unwanted = 0  # set by the writer: what lies before it is not to be heard

    def __len__(self) -> int:
        """Samples that wait to be read."""
        return self._written - self._read

    def put(self, samples: Samples) -> int:
        """Append as many of samples [N] as there is room for; how many that were."""
        size = min(len(samples), len(self._data) - len(self))
        start = self._written % len(self._data)
        first = min(size, len(self._data) - start)
        self._data[start : start + first] = samples[:first]
        self._data[: size - first] = samples[first:size]
        self._written += size
        return size

    @property
    def taken(self) -> int:
        """Samples that were read, in all."""
        return self._read

    @property
    def room(self) -> int:
        return len(self._data) - len(self)

    def drop(self) -> None:
        """For the writer: what waits now is not wanted any more."""
        self._unwanted = self._written

    @property
    def has_unwanted(self) -> bool:
        return self._unwanted > self._read

    def skip_unwanted(self) -> None:
        """For the reader."""
        self._read = max(self._read, self._unwanted)

    def take(self, out: Samples) -> int:
        """Fill `out` [N] with what there is, then silence; how many samples were real."""
        size = min(len(out), len(self))
        start = self._read % len(self._data)
        first = min(size, len(self._data) - start)
        out[:first] = self._data[start : start + first]
        out[first:size] = self._data[: size - first]
        out[size:] = 0.0
        self._read += size
        return size


class PreRoll:
    """From how fast speech is made: how much of it to have before it is played, so that it does not run dry.

    eager: play at once, whatever the speed. expected_seconds: of the whole speech, if it is known.
    """

    def __init__(
        self, eager: bool = False, expected_seconds: float | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._eager, self._expected, self._clock = eager, expected_seconds, clock
        self._since: float | None = None  # when the last piece of sound was taken in
        self._paces: deque[float] = deque(maxlen=PACES)
        self._took = 1.0  # seconds that the last of these took
        self._all = 0.0

    def wrote(self, seconds: float) -> None:
        """So much speech was just made; a part without sound, such as a report, tells no pace."""
        if not seconds:
            return
        now = self._clock()
        self._all += seconds
        took = 0.0 if self._since is None else now - self._since
        if took > BURST_SECONDS:
            self._paces.append(seconds / took)
            self._took = took
        elif self._paces:  # made together with the one before
            self._paces[-1] += seconds / self._took
        self._since = now

    def taken(self) -> None:
        """It is in the buffer now: waiting for room there is not the model's fault."""
        self._since = self._clock()

    @property
    def speed(self) -> float | None:
        """Seconds of speech made in a second; None before it is known. The middle one of the last few, so that a wait
        for text between two sentences does not count."""
        return median(self._paces) if self._paces else None

    def wanted_seconds(self) -> float | None:
        """How much speech should lie ready before it is played; None: not to be said yet."""
        if self._eager:
            return 0.0
        speed = self.speed
        if speed is None:
            return None
        wanted = SAFETY * WRITE_SECONDS / speed
        if speed < 1.0:  # slower than it is heard: what is missing by the end has to be there at the start
            left = MOST_SECONDS if self._expected is None else max(0.0, self._expected - self._all)
            wanted += left * (1.0 - speed)
        return min(MOST_SECONDS, max(LEAST_SECONDS, wanted))
