"""Noise, what conditions a patch, and settings -> the patch: Euler steps through the estimator's velocities."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import mlx.core as mx
import numpy as np

from mlx_tts.generation.seeds import frame_key
from mlx_tts.models.voxcpm2.network import Estimator
from mlx_tts.runtime.device import compiled

ZERO_SHARE = 0.04  # of the steps, at the beginning: there the velocity is taken as 0
TINY = 1e-8


@lru_cache(maxsize=64)
def times(steps: int) -> tuple[float, ...]:
    """The times 1 to 0 of n steps, n + 1 of them, closer together at the noisy end (sway sampling)."""
    u = np.linspace(1, 0, steps + 1, dtype=np.float32)
    return tuple(float(t) for t in u + (np.cos(np.float32(np.pi / 2) * u) - 1 + u))


def steps_left_out(steps: int) -> int:
    """How many steps at the beginning do nothing."""
    return max(1, int((steps + 1) * ZERO_SHARE))


def guided(velocity: mx.array, guidance: mx.array) -> mx.array:
    """[R, 2, P, D], conditional and not, and [R] -> [R, P, D]: away from the unconditional one, fitted in length."""
    c, u = velocity[:, 0], velocity[:, 1]
    scale = (c * u).sum((1, 2), keepdims=True) / ((u * u).sum((1, 2), keepdims=True) + TINY)
    return scale * u + guidance[:, None, None] * (c - scale * u)


class Diffusion:
    """The solver of one model. On a GPU each step is one compiled graph, the same for any number of steps."""

    def __init__(self, estimator: Estimator, patch: int, rows: int, mean_mode: bool):
        """rows: of mu."""
        self.estimator, self.mean_mode = estimator, mean_mode
        self._masks = {parts: estimator.mask(parts, rows, patch) for parts in (1, 2)}
        self._times: dict[int, mx.array] = {}
        self._step: Callable[..., mx.array] = compiled(self.step)

    def __call__(
        self, noise: mx.array, mu: mx.array, last: mx.array, steps: int, guidance: Sequence[float]
    ) -> mx.array:
        """[R, P, D], [R, rows * W], the patches before [R, P, D] -> patches [R, P, D], float32.

        guidance: one number a row. They are all 1, and nothing is guided, or none is.
        """
        stacked, conditions, weights = self.parted(mu, last, guidance)
        t, embedded = times(steps), self.embedded(steps)
        x = noise
        for k in range(steps_left_out(steps), steps):
            x = self._step(x, stacked, conditions, embedded[k], mx.array(t[k] - t[k + 1], mx.float32), weights)
        return x

    def step(
        self, x: mx.array, mu: mx.array, conditions: mx.array, time: mx.array, size: mx.array, guidance: mx.array
    ) -> mx.array:
        """One Euler step."""
        return x - size * self.velocity(x, mu, conditions, time, guidance)

    def velocity(self, x: mx.array, mu: mx.array, conditions: mx.array, time: mx.array, guidance: mx.array) -> mx.array:
        """[R, P, D], guided."""
        velocity = self.estimator(x, mu, conditions, time, self._masks[mu.shape[1]])
        return velocity[:, 0] if mu.shape[1] == 1 else guided(velocity, guidance)

    def parted(self, mu: mx.array, last: mx.array, guidance: Sequence[float]) -> tuple[mx.array, mx.array, mx.array]:
        """What a step takes besides x and its time: mu [R, parts, rows, W], conditions [R, P, W], guidance [R]."""
        rows, conditions = self.estimator.conditions(mu, last)
        parts = [rows] if guidance[0] == 1.0 else [rows, mx.zeros_like(rows)]
        return mx.stack(parts, axis=1), conditions, mx.array(list(guidance), mx.float32)

    def embedded(self, steps: int) -> mx.array:
        """[n, W]: the time of every step as the estimator reads it."""
        if steps not in self._times:
            t = times(steps)
            sizes = [t[k] - t[k + 1] if self.mean_mode else 0.0 for k in range(steps)]
            self._times[steps] = self.estimator.time_embedding(t[:-1], sizes)
            mx.eval(self._times[steps])
        return self._times[steps]


def noise_of(seed: int, take: int, frame: int, shape: tuple[int, int]) -> mx.array:
    """[P, D] of standard normal numbers: one key a patch."""
    return mx.random.normal(shape, key=mx.array(frame_key(seed, take, frame), mx.uint32))
