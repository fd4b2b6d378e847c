"""Codes [B, T, K] -> samples [B, T * samples_per_frame] in [-1, 1], whole or streamed.

Every layer sees the past only, so a stream carries one small state a layer and equals the whole.
"""

from __future__ import annotations

from typing import Any

import mlx.core as mx
import mlx.nn as nn

from mlx_tts.models.magpie.config import CodecConfig
from mlx_tts.nn.activations import HalfSnake
from mlx_tts.nn.codebooks import GroupFSQ
from mlx_tts.nn.conv import CausalConv1d, CausalConvTranspose1d, State
from mlx_tts.nn.streaming import SlicedLayers, StreamedDecoder, step_through

CPU_FRAMES, GPU_FRAMES = 4, 128  # decoded at once


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


class UpsampleLayer(SlicedLayers):
    """Activation, `rate` times as many rows of half the channels, residual layer."""

    def __init__(self, channels: int, rate: int, config: CodecConfig):
        half = channels // 2
        super().__init__(half * rate)
        self.activation = HalfSnake(channels)
        self.up = CausalConvTranspose1d(channels, half, 2 * rate, rate, groups=half)
        self.residual = ResidualLayer(half, config)

    def stages(self) -> list[Any]:
        return [self.activation, self.up, self.residual]


class CodecDecoder(StreamedDecoder):
    def __init__(self, config: CodecConfig):
        super().__init__(CPU_FRAMES, GPU_FRAMES)
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

    def _read(self, codes: mx.array) -> mx.array:
        return self.quantizer.decode(codes)

    def stages(self) -> list[Any]:
        return [self.pre_conv, *self.layers, self.post_activation, self.post_conv]
