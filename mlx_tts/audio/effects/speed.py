"""Samples in, the same speech faster or slower out, at its own pitch, while it is made: FFmpeg's atempo."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from mlx_tts.errors import RequestError
from mlx_tts.samples import Samples

NO_SAMPLES: Samples = np.zeros(0, np.float32)
SLOWEST, FASTEST = 0.25, 4.0
SLOWEST_STAGE = 0.5  # atempo's own limit; slower speech goes through it twice
SLICE_SECONDS = 0.02
FASTEST_STAGE = 2.0  # above it atempo leaves samples out instead of blending them, so faster speech takes two as well


def check_speed(speed: float, what: str = "speed") -> float:
    """The speed; RequestError where it is out of range."""
    if not SLOWEST <= speed <= FASTEST:
        raise RequestError(f"{what} is {speed:g}: give {SLOWEST:g} to {FASTEST:g}")
    return speed


class SpeedChange:
    """speed: times as fast, from 0.25 to 4.

    atempo hands nothing over before a block as long as the one that it was given is full, so the first sound would wait
    for the second chunk. A second graph is given the same samples in slices, and hands the same ones over sooner. The
    end depends on the slices: it comes from the first graph, which is given whole chunks.
    """

    def __init__(self, sample_rate: int, speed: float):
        self._whole, self._sliced = _Tempo(sample_rate, speed), _Tempo(sample_rate, speed)
        self._slice = max(1, round(SLICE_SECONDS * sample_rate))
        self._from_whole = self._from_sliced = self._given = 0  # samples

    def change(self, samples: Samples) -> Samples:
        whole, sliced = self._whole.change(samples), list[Samples]()
        for at in range(0, len(samples), self._slice):
            sliced += self._sliced.change(samples[at : at + self._slice])
        self._from_whole += sum(map(len, whole))
        self._from_sliced += sum(map(len, sliced))
        # With small chunks of odd lengths the first graph may be the one that is further.
        furthest = max(self._from_whole, self._from_sliced)
        made = np.concatenate([NO_SAMPLES, *(sliced if furthest == self._from_sliced else whole)])
        new, self._given = furthest - self._given, furthest
        return made[len(made) - new :]

    def finish(self) -> Samples:
        rest = np.concatenate([NO_SAMPLES, *self._whole.finish()])
        return rest[self._given - self._from_whole :]


class _Tempo:
    """A graph of FFmpeg's. What comes out of it are the parts that it had ready."""

    def __init__(self, sample_rate: int, speed: float):
        import av.filter

        self._rate, self._tick, self._made = sample_rate, Fraction(1, sample_rate), 0
        self._graph = av.filter.Graph()
        nodes: list[Any] = [
            self._graph.add_abuffer(sample_rate=sample_rate, format="flt", layout="mono", time_base=self._tick)
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

    def change(self, samples: Samples) -> list[Samples]:
        import av

        if not len(samples):
            return []
        frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(samples[None], np.float32), format="flt", layout="mono")
        frame.sample_rate, frame.pts, frame.time_base = self._rate, self._made, self._tick
        self._made += len(samples)
        self._graph.push(frame)
        return self._pulled()

    def finish(self) -> list[Samples]:
        if not self._made:
            return []
        self._graph.push(None)
        return self._pulled()

    def _pulled(self) -> list[Samples]:
        import av

        parts: list[Samples] = []
        while True:
            try:
                frame: Any = self._graph.pull()
                parts.append(frame.to_ndarray().reshape(-1))
            except (av.BlockingIOError, av.EOFError):
                return parts


class ChangingSpeed:
    """Samples at a speed that may be another one each time."""

    def __init__(self, sample_rate: int) -> None:
        self._rate = sample_rate
        self.reset()

    def reset(self) -> None:
        """What was given is not wanted any more."""
        self._speed = 1.0
        self._effect: SpeedChange | None = None

    def change(self, samples: Samples, speed: float, last: bool) -> Samples:
        """The samples at this speed, behind what is left of those at another one. last: what follows begins again."""
        before = NO_SAMPLES
        if speed != self._speed:
            before = self._rest()
            self._speed = speed
            self._effect = None if speed == 1.0 else SpeedChange(self._rate, speed)
        if self._effect is not None:
            samples = self._effect.change(samples)
        return np.concatenate([before, samples, self._rest() if last else NO_SAMPLES])

    def _rest(self) -> Samples:
        effect = self._effect
        self.reset()
        return NO_SAMPLES if effect is None else effect.finish()
