"""Latents [B, T, D] -> samples [B, T * hop] in [-1, 1], whole or streamed.

Every layer sees the past only, so a stream carries one small state a layer and equals the whole.
"""

from __future__ import annotations

from typing import Any

import mlx.core as mx

from mlx_tts.models.voxcpm2.config import CodecConfig
from mlx_tts.nn.activations import SnakeBeta, Stateless
from mlx_tts.nn.conv import CausalConv1d, CausalConvTranspose1d, State
from mlx_tts.nn.streaming import SlicedLayers, StreamedDecoder, StreamedLayers

# Decoded at once. A GPU would take more, because each slice is 142 launches, but it holds all that was sent to it until
# it has come that far: 22 MB for each frame of each row.
CPU_FRAMES, GPU_FRAMES, GPU_FRAMES_OF_SEVERAL = 4, 16, 8
DILATIONS = (1, 3, 9)


class ResidualUnit(StreamedLayers):
    """x + conv1(snake(depthwise conv7(snake(x))))"""

    def __init__(self, channels: int, dilation: int):
        super().__init__()
        self.first, self.second = SnakeBeta(channels), SnakeBeta(channels)
        self.wide = CausalConv1d(channels, channels, 7, dilation=dilation, groups=channels)
        self.mix = CausalConv1d(channels, channels, 1)

    def stages(self) -> list[Any]:
        return [self.first, self.wide, self.second, self.mix]

    def step(self, x: mx.array, state: State) -> tuple[mx.array, State]:
        y, state = super().step(x, state)
        return x + y, state


class RateCondition(Stateless):
    """x * scale + bias: what the decoder is told of the rate of the sound."""

    def __init__(self, channels: int):
        super().__init__()
        self.scale, self.bias = mx.ones((channels,)), mx.zeros((channels,))

    def __call__(self, x: mx.array) -> mx.array:
        return x * self.scale + self.bias


class UpsampleLayer(SlicedLayers):
    """Activation, `rate` times as many rows of half the channels, residual units."""

    def __init__(self, channels: int, rate: int, conditioned: bool):
        half = channels // 2
        super().__init__(half * rate)
        if conditioned:
            self.condition = RateCondition(channels)
        self.activation = SnakeBeta(channels)
        self.up = CausalConvTranspose1d(channels, half, 2 * rate, rate)
        self.units = [ResidualUnit(half, dilation) for dilation in DILATIONS]

    def stages(self) -> list[Any]:
        front = [self.condition] if "condition" in self else []
        return [*front, self.activation, self.up, *self.units]


class CodecDecoder(StreamedDecoder):
    def __init__(self, config: CodecConfig):
        super().__init__(CPU_FRAMES, GPU_FRAMES)
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

    def step_patches(self, patches: mx.array, state: State) -> tuple[mx.array, State]:
        """The same for patches [B, N, P, D]."""
        B, N, frames, D = patches.shape
        return self.step(patches.reshape(B, N * frames, D), state)

    def _at_once(self, rows: int) -> int:
        return self.frames_at_once if rows == 1 else min(self.frames_at_once, GPU_FRAMES_OF_SEVERAL)

    def _bounded(self, x: mx.array) -> mx.array:
        return mx.tanh(x)

    def stages(self) -> list[Any]:
        return [self.wide, self.mix, *self.layers, self.activation, self.out]
