"""Speech as it is made -> a tape of the last minutes, which can be read again from any place on it."""

from __future__ import annotations

from collections import deque

import numpy as np

from mlx_tts.samples import Samples


class Tape:
    """Samples by their number in the whole speech. One thread appends, another reads; the caller holds the lock."""

    def __init__(self) -> None:
        self._blocks: deque[Samples] = deque()
        self.first = 0  # the number of the oldest sample that is kept
        self.end = 0  # behind the newest

    def append(self, samples: Samples) -> None:
        if len(samples):
            self._blocks.append(np.array(samples, np.float32))
            self.end += len(samples)

    def read(self, start: int, size: int) -> Samples:
        """At most `size` samples from number `start` on; fewer where the tape ends."""
        parts, at = [np.zeros(0, np.float32)], self.first
        for block in self._blocks:
            if at >= start + size:
                break
            parts.append(block[max(0, start - at) : start + size - at])
            at += len(block)
        return np.concatenate(parts)

    def forget(self, before: int) -> None:
        """Drop the blocks that lie before sample `before` as a whole."""
        while self._blocks and self.first + len(self._blocks[0]) <= before:
            self.first += len(self._blocks.popleft())
