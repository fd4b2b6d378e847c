"""Codes [B, T, K] -> samples [B, T * samples_per_frame] in [-1, 1], whole or streamed.

Every layer sees the past only, so a stream carries one small state a layer and equals the whole.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import mlx.core as mx
import mlx.nn as nn

from mlx_tts.models.magpie.config import CodecConfig
from mlx_tts.nn.conv import CausalConv1d, CausalConvTranspose1d, State, prefers_products
from mlx_tts.nn.fsq import GroupFSQ
from mlx_tts.nn.snake import HalfSnake
from mlx_tts.nn.streaming import step_in_slices, step_through
from mlx_tts.runtime.device import on_gpu

# Frames decoded at once, and numbers a layer puts out at once: arrays that stay in the CPU's cache make it faster; a
# GPU wants few and large kernels.
CPU_FRAMES, CPU_NUMBERS = 4, 200_000
GPU_FRAMES, GPU_NUMBERS = 128, 1 << 30
COMPILED_FRAMES = 16  # a GPU's compiled step is kept for each length up to this


class ResidualBlock(nn.Module):
    """x + conv(act(conv_dilated(act(x))))"""

    def __init__(self, channels: int, kernel_size: int, dilation: int):
        super().__init__()
        self.input_activation, self.skip_activation = HalfSnake(channels), HalfSnake(channels)
        self.input_conv = CausalConv1d(channels, channels, kernel_size, dilation=dilation)
        self.skip_conv = CausalConv1d(channels, channels, kernel_size)

    def make_state(self, batch: int) -> State:
        return self.input_conv.make_state(batch), self.skip_conv.make_state(batch)

    def step(self, x: mx.array, state: State) -> tuple[mx.array, State]:
        y, first = self.input_conv.step(self.input_activation(x), state[0])
        y, second = self.skip_conv.step(self.skip_activation(y), state[1])
        return x + y, (first, second)


class ResidualLayer(nn.Module):
    """The mean of chains of blocks, one chain a kernel size, each with growing dilations."""

    def __init__(self, channels: int, config: CodecConfig):
        super().__init__()
        self.chains = [
            [ResidualBlock(channels, kernel_size, dilation) for dilation in config.resblock_dilation_sizes]
            for kernel_size in config.resblock_kernel_sizes
        ]

    def make_state(self, batch: int) -> State:
        return tuple(tuple(block.make_state(batch) for block in chain) for chain in self.chains)

    def step(self, x: mx.array, state: State) -> tuple[mx.array, State]:
        total, after = None, []
        for chain, own in zip(self.chains, state, strict=True):
            y, own = step_through(chain, x, own)
            total = y if total is None else total + y
            after.append(own)
        assert total is not None
        return total / len(self.chains), tuple(after)


class UpsampleLayer(nn.Module):
    """Activation, `rate` times as many rows of half the channels, residual layer."""

    def __init__(self, channels: int, rate: int, config: CodecConfig):
        super().__init__()
        half = channels // 2
        self.activation = HalfSnake(channels)
        self.up = CausalConvTranspose1d(channels, half, 2 * rate, rate, groups=half)
        self.residual = ResidualLayer(half, config)
        numbers = CPU_NUMBERS if prefers_products() else GPU_NUMBERS
        self.rows_at_once = max(1, numbers // (half * rate))
        self._parts: list[Any] = [self.activation, self.up, self.residual]

    def make_state(self, batch: int) -> State:
        return tuple(part.make_state(batch) for part in self._parts)

    def step(self, x: mx.array, state: State) -> tuple[mx.array, State]:
        return step_in_slices(partial(step_through, self._parts), x, state, self.rows_at_once)


class CodecDecoder(nn.Module):
    def __init__(self, config: CodecConfig):
        super().__init__()
        self.config = config
        widths = [config.base_channels >> level for level in range(len(config.up_sample_rates) + 1)]
        latent = config.num_groups * len(config.num_levels_per_group)
        self.quantizer = GroupFSQ(config.num_groups, config.num_levels_per_group)
        self.pre_conv = CausalConv1d(latent, widths[0], config.in_kernel_size)
        self.layers = [
            UpsampleLayer(width, rate, config) for width, rate in zip(widths, config.up_sample_rates, strict=False)
        ]
        self.post_activation = HalfSnake(widths[-1])
        self.post_conv = CausalConv1d(widths[-1], 1, config.out_kernel_size)
        self.frames_at_once = CPU_FRAMES if prefers_products() else GPU_FRAMES
        self._short_step: Callable[..., Any] | None = mx.compile(self._step) if on_gpu() else None

    def __call__(self, codes: mx.array) -> mx.array:
        return self.step(codes, self.make_state(codes.shape[0]))[0]

    def make_state(self, batch: int = 1) -> State:
        """State before the first frame: a tree of tuples of arrays, of the same shapes through the whole stream."""
        return tuple(part.make_state(batch) for part in self._parts())

    def step(self, codes: mx.array, state: State) -> tuple[mx.array, State]:
        """The next codes [B, T, K], the state before them -> their samples, the state after."""
        if codes.shape[1] == 0:
            return mx.zeros((codes.shape[0], 0)), state
        if self._short_step is not None and codes.shape[1] <= COMPILED_FRAMES:
            return self._short_step(codes, state)  # type: ignore[no-any-return]
        return step_in_slices(self._step, codes, state, self.frames_at_once)

    def _step(self, codes: mx.array, state: State) -> tuple[mx.array, State]:
        x, state = step_through(self._parts(), self.quantizer.decode(codes), state)
        return mx.clip(x[..., 0], -1, 1), state

    def _parts(self) -> list[Any]:
        return [self.pre_conv, *self.layers, self.post_activation, self.post_conv]
