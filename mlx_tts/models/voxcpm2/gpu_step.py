"""A patch on a GPU: what `diffusion.py` and `frames.py` compute, in fewer launches.

Every launch costs microseconds, and a patch of ten steps had 2,600. The estimator's rows stay in one array through all
steps, guided and not as rows of a batch, and only the frames among them count. On CUDA all steps are one launch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import mlx.core as mx
import numpy as np

from mlx_tts.kernels import persistent_stack
from mlx_tts.kernels.core.self_check import CheckNumbers, self_checked
from mlx_tts.kernels.persistent_sizes import Solver, StackKernel
from mlx_tts.kernels.persistent_stack import CHECK_LAYERS, counters
from mlx_tts.kernels.stack_steps import StackSteps
from mlx_tts.models.voxcpm2.diffusion import TINY, Diffusion, steps_left_out, times
from mlx_tts.models.voxcpm2.network import Estimator, VoxCPM
from mlx_tts.nn.cache import KVCache
from mlx_tts.runtime.device import compiled, made_by_device

MOST_GUIDANCES = 64  # kept on the device


class GpuDiffusion(Diffusion):
    """The solver of one model. A step is one compiled graph, whatever the number of steps, or all are one launch."""

    def __init__(self, estimator: Estimator, patch: int, rows: int, mean_mode: bool):
        super().__init__(estimator, patch, rows, mean_mode)
        self.patch, self._stack = patch, StackSteps(estimator.decoder)
        length, self._time_row = rows + int(estimator.joined) + 2 * patch, rows - int(not estimator.joined)
        place = np.arange(length)[:, None]
        self._is_frame, self._is_time = mx.array(place >= length - patch), mx.array(place == self._time_row)
        mx.eval(self._is_frame, self._is_time)
        self.length, self._ends = length, (estimator.in_proj, estimator.out_proj)
        self._base: Any = {parts: compiled(partial(self._rows, parts=parts)) for parts in (1, 2)}
        self._own_step: Any = compiled(self._euler)
        self._whole: Any = {parts: compiled(partial(self._solve, parts=parts)) for parts in (1, 2)}
        self._times_and_sizes: dict[int, tuple[mx.array, mx.array, list[tuple[mx.array, mx.array]]]] = {}
        self._weights: dict[tuple[float, ...], mx.array] = {}
        self._for_steps: dict[tuple[int, int, int], StackKernel | None] = {}

    def __call__(
        self, noise: mx.array, mu: mx.array, last: mx.array, steps: int, guidance: Sequence[float]
    ) -> mx.array:
        parts, weights = 1 if guidance[0] == 1.0 else 2, self._guidance(guidance)
        all_times, sizes, each = self._of_steps(steps)
        if self._solver(noise.shape[0], noise.shape[2], parts) is not None:
            return self._whole[parts](noise, mu, last, all_times, sizes, weights, counters())  # type: ignore[no-any-return]
        base, barrier = self._base[parts](mu, last), counters()
        before = mx.zeros((noise.shape[0], self.length - self.patch, noise.shape[2]))
        x = mx.concatenate([before, noise], axis=1)  # noise where its frames stand among the rows
        for time, size in each:
            x = self._own_step(x, base, time, size, weights, barrier)
        return x[:, self.length - self.patch :]

    def _of_steps(self, steps: int) -> tuple[mx.array, mx.array, list[tuple[mx.array, mx.array]]]:
        """Of the steps that do something: times as the estimator reads them [n, W], sizes [n], and both of each."""
        if steps not in self._times_and_sizes:
            t, first = np.array(times(steps), np.float32), steps_left_out(steps)
            all_times = mx.contiguous(self.embedded(steps)[first:])
            sizes = made_by_device(mx.array((t[:-1] - t[1:])[first:]))
            each = [(all_times[k], sizes[k]) for k in range(steps - first)]
            mx.eval(all_times, sizes, each)
            self._times_and_sizes[steps] = all_times, sizes, each
        return self._times_and_sizes[steps]

    def _guidance(self, guidance: Sequence[float]) -> mx.array:
        """[R], kept: each step reads it."""
        key = tuple(guidance)
        if key not in self._weights:
            if len(self._weights) >= MOST_GUIDANCES:
                self._weights.clear()
            self._weights[key] = made_by_device(mx.array(key, mx.float32))
        return self._weights[key]

    def _rows(self, mu: mx.array, last: mx.array, parts: int) -> mx.array:
        """The estimator's rows without time and frames [B, parts, L, W]. The second part has no mu."""
        rows, conditions = self.estimator.conditions(mu, last)
        B, _, width = rows.shape
        empty = mx.zeros((B, int(self.estimator.joined), width), rows.dtype)
        behind = [empty, conditions, mx.zeros((B, self.patch, width), rows.dtype)]
        made = [mx.concatenate([head, *behind], axis=1) for head in (rows, mx.zeros_like(rows))[:parts]]
        return mx.stack(made, axis=1)

    def _euler(
        self, x: mx.array, base: mx.array, time: mx.array, size: mx.array, guidance: mx.array, barrier: mx.array
    ) -> mx.array:
        """One step of [B, L, D]. Rows that are not frames hold numbers that nothing reads."""
        return self._moved(x, base, time, size, guidance, partial(self._stack.read_at_once, barrier=barrier))

    def _moved(
        self,
        x: mx.array,
        base: mx.array,
        time: mx.array,
        size: mx.array,
        guidance: mx.array,
        read: Callable[[mx.array], mx.array],
    ) -> mx.array:
        """read: the estimator's stack, [N, L, W] -> [N, L, W]."""
        estimator = self.estimator
        B, parts, L, width = base.shape
        frames = estimator.in_proj(x.astype(base.dtype))[:, None]
        rows = mx.where(self._is_frame, frames, base + mx.where(self._is_time, time, 0))
        y = read(rows.reshape(B * parts, L, width))
        velocity = estimator.out_proj(y).astype(mx.float32).reshape(B, parts, L, -1)
        if parts == 1:
            return x - size * velocity[:, 0]
        c, u = velocity[:, 0], velocity[:, 1]
        along, length = (mx.where(self._is_frame, u * other, 0).sum((1, 2), keepdims=True) for other in (c, u))
        fitted = along / (length + TINY) * u
        return x - size * (fitted + guidance[:, None, None] * (c - fitted))

    # All steps as one launch.

    def _solve(
        self,
        noise: mx.array,
        mu: mx.array,
        last: mx.array,
        all_times: mx.array,
        sizes: mx.array,
        guidance: mx.array,
        barrier: mx.array,
        parts: int,
    ) -> mx.array:
        chosen, base = self._solver(noise.shape[0], noise.shape[2], parts), self._rows(mu, last, parts)
        assert chosen is not None
        rows, turned = base.reshape(-1, base.shape[-1]), self._stack.turns_of(self.length)[0]
        given = turned, rows, noise, all_times, sizes, guidance, barrier
        return persistent_stack.solve(chosen, self.estimator.decoder, self._ends, *given)

    def _solver(self, batch: int, numbers: int, parts: int) -> StackKernel | None:
        """The kernel of all steps, where it passes its check: two steps through its first layers."""
        stack, ends, sizes = self.estimator.decoder, self._ends, (batch, numbers, parts)
        if sizes not in self._for_steps:  # to look at all layers for every patch would take its time
            solver = Solver(self.patch, numbers, self._time_row, parts == 2, TINY)
            rows = batch * parts * self.length
            self._for_steps[sizes] = persistent_stack.of_solver(stack, ends, solver, rows, self.length)

        def check(chosen: StackKernel) -> list[tuple[mx.array, mx.array]]:
            made, few, L = CheckNumbers(), CHECK_LAYERS, self.length
            noise, base = made.normal((batch, self.patch, numbers)), made.normal((batch, parts, L, chosen.width))
            base = mx.where(self._is_frame, 0, base).astype(mx.bfloat16)
            all_times, sizes = made.normal((2, chosen.width), mx.bfloat16), mx.array([1.0, 0.5])
            guidance = mx.array([1.0 + row for row in range(batch)])
            rows, turned = base.reshape(-1, chosen.width), self._stack.turns_of(L)[0]
            given = turned, rows, noise, all_times, sizes, guidance, counters()
            found = persistent_stack.solve(chosen, stack, ends, *given, few)

            def read(rows: mx.array) -> mx.array:
                exact = self._stack.read_exactly(rows.reshape(-1, chosen.width), L, few)
                return stack.norm(exact).reshape(rows.shape)  # type: ignore[no-any-return]

            x = mx.concatenate([mx.zeros((batch, L - self.patch, numbers)), noise], axis=1)
            for k in range(2):
                x = self._moved(x, base.astype(mx.float32), all_times[k], sizes[k], guidance, read)
            right = x[:, L - self.patch :]
            return [((found - noise).astype(mx.bfloat16), (right - noise).astype(mx.bfloat16))]

        return self_checked(self._for_steps[sizes], check, part="stacks")


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

    def _encoded(self, patches: mx.array, barrier: mx.array) -> mx.array:
        encoder = self.model.feat_encoder
        return self.model.enc_to_lm_proj(self._encoder.read_at_once(encoder.rows(patches), barrier)[:, 0])

    def _quantised(self, h: mx.array, audio: mx.array) -> tuple[mx.array, mx.array]:
        lm = self.model.fsq_layer(h)
        return lm, self.model.fused(lm, audio)
