"""Samples in, the same speech faster or slower out, at its own pitch, while it is made: FFmpeg's atempo."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from mlx_tts.errors import RequestError
from mlx_tts.samples import Samples

SLOWEST, FASTEST = 0.25, 4.0

SLOWEST_STAGE = 0.5  # atempo's own limit; slower speech goes through it twice
FASTEST_STAGE = 2.0  # above it atempo leaves samples out instead of blending them, so faster speech takes two as well


def check_speed(speed: float, what: str = "speed") -> float:
    """The speed; RequestError where it is out of range."""
    if not SLOWEST <= speed <= FASTEST:
        raise RequestError(f"{what} is {speed:g}: give {SLOWEST:g} to {FASTEST:g}")
    return speed


class SpeedChange:
    """speed: times as fast, from 0.25 to 4."""

    def __init__(self, sample_rate: int, speed: float):
        import av.filter

        self._rate, self._made = sample_rate, 0
        self._graph = av.filter.Graph()
        nodes: list[Any] = [
            self._graph.add_abuffer(sample_rate=sample_rate, format="flt", layout="mono", time_base=_per(sample_rate))
        ]
        while speed < SLOWEST_STAGE:
            nodes.append(self._graph.add("atempo", f"{SLOWEST_STAGE}"))
            speed /= SLOWEST_STAGE
        while speed > FASTEST_STAGE:
            nodes.append(self._graph.add("atempo", f"{FASTEST_STAGE}"))
            speed /= FASTEST_STAGE
        nodes.append(self._graph.add("atempo", f"{speed:.6f}"))
        nodes.append(self._graph.add("abuffersink"))
        for node, following in pairwise(nodes):
            node.link_to(following)
        self._graph.configure()

    def change(self, samples: Samples) -> Samples:
        import av

        if not len(samples):
            return samples
        frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(samples[None], np.float32), format="flt", layout="mono")
        frame.sample_rate, frame.pts, frame.time_base = self._rate, self._made, _per(self._rate)
        self._made += len(samples)
        self._graph.push(frame)
        return self._pulled()

    def finish(self) -> Samples:
        if not self._made:
            return np.zeros(0, np.float32)
        self._graph.push(None)
        return self._pulled()

    def _pulled(self) -> Samples:
        import av

        parts = [np.zeros(0, np.float32)]
        while True:
            try:
                frame: Any = self._graph.pull()
                parts.append(frame.to_ndarray().reshape(-1))
            except (av.BlockingIOError, av.EOFError):
                return np.concatenate(parts)


def _per(rate: int) -> Any:
    from fractions import Fraction

    return Fraction(1, rate)
