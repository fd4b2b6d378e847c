"""Samples [B, N] -> codes [B, T, K], T = ceil(N / samples_per_frame): the half of the codec that voice samples need."""

from __future__ import annotations

import mlx.core as mx
import mlx.nn as nn

from mlx_tts.models.magpie.config import CodecConfig
from mlx_tts.nn.activations import leaky_relu
from mlx_tts.nn.codebooks import GroupFSQ
from mlx_tts.nn.conv import Conv1d


class EdgeConv1d(nn.Module):
    """Convolution whose input is continued on both sides by its first and its last row."""

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: int, dilation: int = 1, stride: int = 1, pad: int = -1
    ):
        super().__init__()
        self.conv = Conv1d(in_channels, out_channels, kernel_size, stride, dilation)
        self.pad = (self.conv.span - 1) // 2 if pad < 0 else pad

    def __call__(self, x: mx.array) -> mx.array:
        return self.conv(mx.pad(x, [(0, 0), (self.pad, self.pad), (0, 0)], mode="edge"))


class EdgeResidualBlock(nn.Module):
    def __init__(self, channels: int, kernel_size: int, dilation: int):
        super().__init__()
        self.input_conv = EdgeConv1d(channels, channels, kernel_size, dilation)
        self.skip_conv = EdgeConv1d(channels, channels, kernel_size)

    def __call__(self, x: mx.array) -> mx.array:
        return x + self.skip_conv(leaky_relu(self.input_conv(leaky_relu(x))))


class DownsampleLayer(nn.Module):
    """Residual layer, activation, and a `rate`th of the rows with twice the channels."""

    def __init__(self, channels: int, rate: int, config: CodecConfig):
        super().__init__()
        self.chains = [
            [EdgeResidualBlock(channels, kernel_size, dilation) for dilation in config.resblock_dilation_sizes]
            for kernel_size in config.resblock_kernel_sizes
        ]
        self.down = EdgeConv1d(channels, 2 * channels, 2 * rate, stride=rate, pad=(rate + 1) // 2)

    def __call__(self, x: mx.array) -> mx.array:
        total = None
        for chain in self.chains:
            y = x
            for block in chain:
                y = block(y)
            total = y if total is None else total + y
        assert total is not None
        return self.down(leaky_relu(total / len(self.chains)))


class CodecEncoder(nn.Module):
    def __init__(self, config: CodecConfig):
        super().__init__()
        self.config = config
        C, rates = config.encoder_channels, config.down_sample_rates
        latent = config.num_groups * len(config.num_levels_per_group)
        self.quantizer = GroupFSQ(config.num_groups, config.num_levels_per_group)
        self.pre_conv = EdgeConv1d(1, C, 7)
        self.layers = [DownsampleLayer(C << level, rate, config) for level, rate in enumerate(rates)]
        self.post_conv = EdgeConv1d(C << len(rates), latent, 7)

    def __call__(self, samples: mx.array) -> mx.array:
        return self.quantizer.encode(self.latents(samples))

    def latents(self, samples: mx.array) -> mx.array:
        """[B, N] -> [B, T, D]; zeros fill the last frame."""
        missing = -samples.shape[1] % self.config.samples_per_frame
        x = self.pre_conv(mx.pad(samples, [(0, 0), (0, missing)])[..., None])
        for layer in self.layers:
            x = layer(x)
        return self.post_conv(leaky_relu(x))
