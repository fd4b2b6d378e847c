"""Samples [B, N] -> latents [B, T, D], N a whole number of hops: the half of the codec that recordings need."""

from __future__ import annotations

from typing import Any

import mlx.core as mx

from mlx_tts.models.voxcpm2.codec.decoder import DILATIONS, ResidualUnit
from mlx_tts.models.voxcpm2.config import CodecConfig
from mlx_tts.nn.activations import SnakeBeta
from mlx_tts.nn.conv import CausalConv1d, State
from mlx_tts.nn.streaming import StreamedLayers, step_in_slices

HOPS_AT_ONCE = 8  # a recording of a minute would fill gigabytes at once


class DownsampleLayer(StreamedLayers):
    """Residual units, activation, and a `rate`th of the rows with twice the channels."""

    def __init__(self, channels: int, rate: int, delay: int):
        super().__init__()
        self.units = [ResidualUnit(channels, dilation) for dilation in DILATIONS]
        self.activation = SnakeBeta(channels)
        self.down = CausalConv1d(channels, 2 * channels, 2 * rate, stride=rate, delay=delay)

    def stages(self) -> list[Any]:
        return [*self.units, self.activation, self.down]


class CodecEncoder(StreamedLayers):
    def __init__(self, config: CodecConfig):
        super().__init__()
        self.config = config
        C, rates = config.encoder_dim, config.encoder_rates
        self.first = CausalConv1d(1, C, 7)
        # The first architecture pads a layer by an even number, so an odd stride lies a sample off.
        self.layers = [
            DownsampleLayer(C << level, rate, rate % 2 if config.delayed else 0) for level, rate in enumerate(rates)
        ]
        self.fc_mu = CausalConv1d(C << len(rates), config.latent_dim, 3)

    def __call__(self, samples: mx.array) -> mx.array:
        state, hops = self.make_state(samples.shape[0]), HOPS_AT_ONCE * self.config.encoder_hop
        return step_in_slices(self.step, samples[..., None], state, hops)[0]

    def step(self, x: mx.array, state: State) -> tuple[mx.array, State]:
        x, state = super().step(x, state)
        mx.eval(x, state)
        return x, state

    def stages(self) -> list[Any]:
        return [self.first, *self.layers, self.fc_mu]
