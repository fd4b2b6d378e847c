"""A patch on a GPU: what `diffusion.py` and `frames.py` compute, in fewer launches.

Every launch costs microseconds, and a patch of ten steps had 2,600. The estimator's rows stay in one array through all
steps, guided and not as rows of a batch, and only the frames among them count.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mlx.core as mx
import numpy as np

from mlx_tts.models.voxcpm2.diffusion import TINY, Diffusion, steps_left_out, times
from mlx_tts.models.voxcpm2.network import Estimator, VoxCPM
from mlx_tts.nn.cache import KVCache
from mlx_tts.nn.fused.resident import counters
from mlx_tts.nn.fused.stack_step import StackSteps
from mlx_tts.runtime.device import compiled


class GpuDiffusion(Diffusion):
    """The solver of one model; each step is one compiled graph, the same for any number of steps."""

    def __init__(self, estimator: Estimator, patch: int, rows: int, mean_mode: bool):
        super().__init__(estimator, patch, rows, mean_mode)
        self.patch, self._stack = patch, StackSteps(estimator.decoder)
        length = rows + int(estimator.joined) + 2 * patch
        place = np.arange(length)[:, None]
        self._is_frame = mx.array(place >= length - patch)
        self._is_time = mx.array(place == rows - int(not estimator.joined))
        mx.eval(self._is_frame, self._is_time)
        self._base: Any = {parts: compiled(getattr(self, f"_base_{parts}")) for parts in (1, 2)}
        self._own_step: Any = compiled(self._euler)
        self._rows_of_time: dict[int, list[tuple[mx.array, mx.array]]] = {}

    def __call__(
        self, noise: mx.array, mu: mx.array, last: mx.array, steps: int, guidance: Sequence[float]
    ) -> mx.array:
        base, x = self._base[1 if guidance[0] == 1.0 else 2](noise, mu, last)
        weights, meeting = mx.array(list(guidance), mx.float32), counters()
        for time, size in self._of_steps(steps):
            x = self._own_step(x, base, time, size, weights, meeting)
        return x[:, x.shape[1] - self.patch :]

    def _of_steps(self, steps: int) -> list[tuple[mx.array, mx.array]]:
        """Of each step that does something: its time as the estimator reads it, and its size."""
        if steps not in self._rows_of_time:
            t, embedded = times(steps), self._embedded(steps)
            made = [(embedded[k], mx.array(t[k] - t[k + 1], mx.float32)) for k in range(steps_left_out(steps), steps)]
            mx.eval(made)
            self._rows_of_time[steps] = made
        return self._rows_of_time[steps]

    def _base_1(self, noise: mx.array, mu: mx.array, last: mx.array) -> tuple[mx.array, mx.array]:
        return self._rows(noise, mu, last, 1)

    def _base_2(self, noise: mx.array, mu: mx.array, last: mx.array) -> tuple[mx.array, mx.array]:
        return self._rows(noise, mu, last, 2)

    def _rows(self, noise: mx.array, mu: mx.array, last: mx.array, parts: int) -> tuple[mx.array, mx.array]:
        """The estimator's rows without time and frames [B, parts, L, W], and the noise where its frames stand
        [B, L, D]. The second part has no mu."""
        rows, conditions = self.estimator.conditions(mu, last)
        B, D = noise.shape[0], noise.shape[2]
        empty = mx.zeros((B, int(self.estimator.joined), rows.shape[2]), rows.dtype)
        behind = [empty, conditions, mx.zeros((B, self.patch, rows.shape[2]), rows.dtype)]
        made = [mx.concatenate([head, *behind], axis=1) for head in (rows, mx.zeros_like(rows))[:parts]]
        base = mx.stack(made, axis=1)
        return base, mx.concatenate([mx.zeros((B, base.shape[2] - self.patch, D)), noise], axis=1)

    def _euler(
        self, x: mx.array, base: mx.array, time: mx.array, size: mx.array, guidance: mx.array, meeting: mx.array
    ) -> mx.array:
        """One step of [B, L, D]. Rows that are no frames hold numbers that nothing reads."""
        estimator = self.estimator
        B, parts, L, width = base.shape
        frames = estimator.in_proj(x.astype(base.dtype))[:, None]
        rows = mx.where(self._is_frame, frames, base + mx.where(self._is_time, time, 0))
        y = self._stack.read_at_once(rows.reshape(B * parts, L, width), meeting)
        velocity = estimator.out_proj(y).astype(mx.float32).reshape(B, parts, L, -1)
        if parts == 1:
            return x - size * velocity[:, 0]
        c, u = velocity[:, 0], velocity[:, 1]
        along, length = (mx.where(self._is_frame, u * other, 0).sum((1, 2), keepdims=True) for other in (c, u))
        fitted = along / (length + TINY) * u
        return x - size * (fitted + guidance[:, None, None] * (c - fitted))


class GpuNext:
    """What follows from a patch: see `frames.follow`."""

    def __init__(self, model: VoxCPM):
        self.model = model
        self._encoder = StackSteps(model.feat_encoder.encoder)
        self._semantic, self._residual = StackSteps(model.base_lm), StackSteps(model.residual_lm)
        self._encode: Any = compiled(self._encoded)
        self._quantise: Any = compiled(self._quantised)
        self._stop: Any = compiled(model.stop_logits)

    def __call__(
        self, patches: mx.array, semantic: Sequence[list[KVCache]], residual: Sequence[list[KVCache]]
    ) -> tuple[mx.array, mx.array, mx.array]:
        audio = self._encode(patches, counters())
        lm, fused = self._quantise(self._semantic.decode_rows(audio, semantic), audio)
        return lm, self._residual.decode_rows(fused, residual), self._stop(lm)

    def _encoded(self, patches: mx.array, meeting: mx.array) -> mx.array:
        encoder = self.model.feat_encoder
        return self.model.enc_to_lm_proj(self._encoder.read_at_once(encoder.rows(patches), meeting)[:, 0])

    def _quantised(self, h: mx.array, audio: mx.array) -> tuple[mx.array, mx.array]:
        lm = self.model.fsq_layer(h)
        return lm, self.model.fused(lm, audio)
