"""Log mel [B, T, 128] -> speaker vector [B, D]: ECAPA-TDNN, for cloning only."""

from __future__ import annotations

import mlx.core as mx
import mlx.nn as nn

from mlx_tts.models.qwen3_tts.config import SpeakerEncoderConfig
from mlx_tts.nn.activations import relu
from mlx_tts.nn.conv import Conv1d

LEAST_VARIANCE = 1e-12


def reflect_pad(x: mx.array, width: int) -> mx.array:
    """[B, T, C] -> [B, width + T + width, C], mirrored about the first and the last row (T > width)."""
    if width == 0:
        return x
    T = x.shape[1]
    return mx.concatenate([x[:, width:0:-1], x, x[:, T - 2 : T - 2 - width : -1]], axis=1)


class TimeDelayBlock(nn.Module):
    """[B, T, in] -> [B, T, out]: a convolution of unchanged length, reflected at the ends, and ReLU."""

    def __init__(self, in_channels: int, out_channels: int, kernel_size: int = 1, dilation: int = 1):
        super().__init__()
        self.conv = Conv1d(in_channels, out_channels, kernel_size, dilation=dilation)

    def __call__(self, x: mx.array) -> mx.array:
        return relu(self.conv(reflect_pad(x, self.conv.span // 2)))


class Res2NetBlock(nn.Module):
    """Channels in `scale` groups: the first passes, each other one is convolved with the result before it added."""

    def __init__(self, channels: int, scale: int, kernel_size: int, dilation: int):
        super().__init__()
        width = channels // scale
        self.blocks = [TimeDelayBlock(width, width, kernel_size, dilation) for _ in range(scale - 1)]

    def __call__(self, x: mx.array) -> mx.array:
        first, *parts = mx.split(x, len(self.blocks) + 1, axis=-1)
        outputs = [first]
        for block, part in zip(self.blocks, parts, strict=True):
            outputs.append(block(part if len(outputs) == 1 else part + outputs[-1]))
        return mx.concatenate(outputs, axis=-1)


class SqueezeExcitation(nn.Module):
    """Scales each channel by a number between 0 and 1 that depends on the mean of all channels over time."""

    def __init__(self, channels: int, hidden: int):
        super().__init__()
        self.conv1 = Conv1d(channels, hidden, 1)
        self.conv2 = Conv1d(hidden, channels, 1)

    def __call__(self, x: mx.array) -> mx.array:
        mean = x.mean(axis=1, keepdims=True)
        return x * mx.sigmoid(self.conv2(relu(self.conv1(mean))))


class SERes2NetBlock(nn.Module):
    def __init__(self, in_channels: int, channels: int, config: SpeakerEncoderConfig, kernel_size: int, dilation: int):
        super().__init__()
        self.tdnn1 = TimeDelayBlock(in_channels, channels)
        self.res2net_block = Res2NetBlock(channels, config.enc_res2net_scale, kernel_size, dilation)
        self.tdnn2 = TimeDelayBlock(channels, channels)
        self.se_block = SqueezeExcitation(channels, config.enc_se_channels)

    def __call__(self, x: mx.array) -> mx.array:
        return x + self.se_block(self.tdnn2(self.res2net_block(self.tdnn1(x))))


class AttentiveStatisticsPooling(nn.Module):
    """[B, T, C] -> [B, 1, 2 C]: mean and standard deviation over time, weighted by attention of its own per channel."""

    def __init__(self, channels: int, hidden: int):
        super().__init__()
        self.tdnn = TimeDelayBlock(3 * channels, hidden)
        self.conv = Conv1d(hidden, channels, 1)

    def __call__(self, x: mx.array) -> mx.array:
        mean, deviation = _statistics(x, mx.array(1 / x.shape[1]))
        context = [x, mx.broadcast_to(mean, x.shape), mx.broadcast_to(deviation, x.shape)]
        attention = mx.softmax(self.conv(mx.tanh(self.tdnn(mx.concatenate(context, axis=-1)))), axis=1)
        return mx.concatenate(list(_statistics(x, attention)), axis=-1)


def _statistics(x: mx.array, weights: mx.array) -> list[mx.array]:
    """[B, T, C], weights over T that add up to 1 -> [mean, standard deviation], each [B, 1, C]."""
    mean = (weights * x).sum(axis=1, keepdims=True)
    variance = (weights * mx.square(x - mean)).sum(axis=1, keepdims=True)
    return [mean, mx.sqrt(mx.maximum(variance, LEAST_VARIANCE))]


class SpeakerEncoder(nn.Module):
    """The modules are named and numbered as in the checkpoint."""

    def __init__(self, config: SpeakerEncoderConfig):
        super().__init__()
        channels, kernels, dilations = config.enc_channels, config.enc_kernel_sizes, config.enc_dilations
        self.blocks: list[nn.Module] = [TimeDelayBlock(config.mel_dim, channels[0], kernels[0], dilations[0])]
        for i in range(1, len(channels) - 1):
            self.blocks.append(SERes2NetBlock(channels[i - 1], channels[i], config, kernels[i], dilations[i]))
        self.mfa = TimeDelayBlock(channels[-1], channels[-1], kernels[-1], dilations[-1])
        self.asp = AttentiveStatisticsPooling(channels[-1], config.enc_attention_channels)
        self.fc = Conv1d(2 * channels[-1], config.enc_dim, 1)

    def __call__(self, mel: mx.array) -> mx.array:
        """Log mel [B, T, mel_dim] -> [B, enc_dim]."""
        x, outputs = self.blocks[0](mel), []
        for block in self.blocks[1:]:
            x = block(x)
            outputs.append(x)
        return self.fc(self.asp(self.mfa(mx.concatenate(outputs, axis=-1))))[:, 0]
