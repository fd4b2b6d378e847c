"""Latents [B, T, D] -> samples [B, T * hop] in [-1, 1], whole or streamed.

Every layer sees the past only, so a stream carries one small state a layer and equals the whole.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import mlx.core as mx
import mlx.nn as nn

from mlx_tts.models.voxcpm2.codec.config import CodecConfig
from mlx_tts.nn.conv import CausalConv1d, CausalConvTranspose1d, State, prefers_products
from mlx_tts.nn.snake import SnakeBeta
from mlx_tts.nn.streaming import step_in_slices, step_through
from mlx_tts.runtime.device import on_gpu

# Frames decoded at once, and numbers a layer puts out at once: arrays that stay in the CPU's cache make it faster; a
# GPU wants few and large kernels.
CPU_FRAMES, CPU_NUMBERS = 4, 200_000
GPU_FRAMES, GPU_NUMBERS = 64, 1 << 30
COMPILED_FRAMES = 16  # a GPU's compiled step is kept for each length up to this
DILATIONS = (1, 3, 9)


class ResidualUnit(nn.Module):
    """x + conv1(snake(depthwise conv7(snake(x))))"""

    def __init__(self, channels: int, dilation: int):
        super().__init__()
        self.first, self.second = SnakeBeta(channels), SnakeBeta(channels)
        self.wide = CausalConv1d(channels, channels, 7, dilation=dilation, groups=channels)
        self.mix = CausalConv1d(channels, channels, 1)
        self._parts: list[Any] = [self.first, self.wide, self.second, self.mix]

    def make_state(self, batch: int) -> State:
        return tuple(part.make_state(batch) for part in self._parts)

    def step(self, x: mx.array, state: State) -> tuple[mx.array, State]:
        y, state = step_through(self._parts, x, state)
        return x + y, state


class RateCondition(nn.Module):
    """x * scale + bias: what the decoder is told of the rate of the sound."""

    def __init__(self, channels: int):
        super().__init__()
        self.scale, self.bias = mx.ones((channels,)), mx.zeros((channels,))

    def make_state(self, _batch: int) -> State:
        return ()

    def step(self, x: mx.array, state: State) -> tuple[mx.array, State]:
        return x * self.scale + self.bias, state


class UpsampleLayer(nn.Module):
    """Activation, `rate` times as many rows of half the channels, residual units."""

    def __init__(self, channels: int, rate: int, conditioned: bool):
        super().__init__()
        half = channels // 2
        if conditioned:
            self.condition = RateCondition(channels)
        self.activation = SnakeBeta(channels)
        self.up = CausalConvTranspose1d(channels, half, 2 * rate, rate)
        self.units = [ResidualUnit(half, dilation) for dilation in DILATIONS]
        numbers = CPU_NUMBERS if prefers_products() else GPU_NUMBERS
        self.rows_at_once = max(1, numbers // (half * rate))
        front = [self.condition] if conditioned else []
        self._parts: list[Any] = [*front, self.activation, self.up, *self.units]

    def make_state(self, batch: int) -> State:
        return tuple(part.make_state(batch) for part in self._parts)

    def step(self, x: mx.array, state: State) -> tuple[mx.array, State]:
        return step_in_slices(partial(step_through, self._parts), x, state, self.rows_at_once)


class CodecDecoder(nn.Module):
    def __init__(self, config: CodecConfig):
        super().__init__()
        self.config = config
        D, widths = config.latent_dim, [config.decoder_dim >> level for level in range(len(config.decoder_rates) + 1)]
        self.wide = CausalConv1d(D, D, 7, groups=D)
        self.mix = CausalConv1d(D, widths[0], 1)
        conditioned = bool(config.sr_bin_boundaries)
        self.layers = [
            UpsampleLayer(width, rate, conditioned) for width, rate in zip(widths, config.decoder_rates, strict=False)
        ]
        self.activation = SnakeBeta(widths[-1])
        self.out = CausalConv1d(widths[-1], 1, 7)
        self.frames_at_once = CPU_FRAMES if prefers_products() else GPU_FRAMES
        self._short_step: Callable[..., Any] | None = mx.compile(self._step) if on_gpu() else None

    def __call__(self, latents: mx.array) -> mx.array:
        return self.step(latents, self.make_state(latents.shape[0]))[0]

    def make_state(self, batch: int = 1) -> State:
        """State before the first frame: a tree of tuples of arrays, of the same shapes through the whole stream."""
        return tuple(part.make_state(batch) for part in self._parts())

    def step(self, latents: mx.array, state: State) -> tuple[mx.array, State]:
        """The next latents [B, T, D], the state before them -> their samples, the state after."""
        if latents.shape[1] == 0:
            return mx.zeros((latents.shape[0], 0)), state
        if self._short_step is not None and latents.shape[1] <= COMPILED_FRAMES:
            return self._short_step(latents, state)  # type: ignore[no-any-return]
        return step_in_slices(self._step, latents, state, self.frames_at_once)

    def step_patches(self, patches: mx.array, state: State) -> tuple[mx.array, State]:
        """The same for patches [B, N, P, D]."""
        B, N, frames, D = patches.shape
        return self.step(patches.reshape(B, N * frames, D), state)

    def _step(self, latents: mx.array, state: State) -> tuple[mx.array, State]:
        x, state = step_through(self._parts(), latents, state)
        return mx.tanh(x[..., 0]), state

    def _parts(self) -> list[Any]:
        return [self.wide, self.mix, *self.layers, self.activation, self.out]
