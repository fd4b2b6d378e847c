"""The speaker encoder: audio -> a vector in the place of a speaker's id. ECAPA-TDNN, tensor names as `speaker_encoder.*`.

The released layout has no normalisation, neither of the log mel nor between the layers. Here the mel is normalised by
two constants; `official_tensors` folds them into the first convolution, which is exact (its padding reflects).
"""

import math

import numpy as np
import torch
import torch.nn.functional as F
from sizes import SAMPLE_RATE
from torch import nn

WINDOW, HOP, BANDS, HIGHEST_HERTZ = 1024, 256, 128, 12000.0
MEL_MEAN, MEL_DEVIATION = -5.5, 2.5  # of the teachers' speech
VECTOR_DEVIATION = 0.3  # at first, like the embeddings of the speakers' ids
LEAST_VARIANCE = 1e-12
KERNELS, DILATIONS, SCALE = (5, 3, 3, 3, 1), (1, 2, 3, 4, 1), 8


def mel_filters(window=WINDOW, bands=BANDS, highest_hertz=HIGHEST_HERTZ, rate=SAMPLE_RATE):
    """Triangles on Slaney's mel scale, each of area 1: [bands, window // 2 + 1]."""

    def mel_to_hertz(mel):
        return np.where(mel < 15, mel * 200 / 3, 1000 * np.exp(np.log(6.4) / 27 * (mel - 15)))

    highest = 15 + math.log(highest_hertz / 1000) * 27 / math.log(6.4)
    edges = mel_to_hertz(np.linspace(0, highest, bands + 2))
    distance = edges[:, None] - np.fft.rfftfreq(window, 1 / rate)
    widths = np.diff(edges)[:, None]
    triangles = np.maximum(0, np.minimum(-distance[:-2] / widths[:-1], distance[2:] / widths[1:]))
    return torch.from_numpy((triangles * (2 / (edges[2:] - edges[:-2]))[:, None]).astype(np.float32))


class LogMel(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("filters", mel_filters(), persistent=False)
        self.register_buffer("window", torch.hann_window(WINDOW), persistent=False)

    @torch.no_grad()
    def forward(self, audio):  # [B, N] -> [B, BANDS, N // HOP], as the released models take it
        padded = F.pad(audio.float()[:, None], ((WINDOW - HOP) // 2,) * 2, mode="reflect")[:, 0]
        spectrum = torch.stft(padded, WINDOW, HOP, WINDOW, self.window, center=False, return_complex=True)
        magnitude = (spectrum.real.square() + spectrum.imag.square() + 1e-9).sqrt()
        return (self.filters @ magnitude).clamp(min=1e-5).log()


def pointwise(conv, x):
    """A convolution over one step of [B, T, C]."""
    return F.linear(x, conv.weight[..., 0], conv.bias)


class TimeDelayBlock(nn.Module):
    def __init__(self, inputs, outputs, kernel=1, dilation=1):
        super().__init__()
        self.conv = nn.Conv1d(inputs, outputs, kernel, dilation=dilation)
        self.kernel, self.dilation = kernel, dilation

    def forward(self, x):  # [B, T, inputs] -> [B, T, outputs]; the ends are reflected
        weight, T, edge = self.conv.weight, x.shape[1], (self.kernel - 1) * self.dilation // 2
        if edge:
            x = torch.cat([x[:, 1 : edge + 1].flip(1), x, x[:, T - edge - 1 : T - 1].flip(1)], 1)
            # As a matrix product: convolutions of few channels are slow.
            x = torch.cat([x[:, tap * self.dilation :][:, :T] for tap in range(self.kernel)], 2)
        return F.relu(F.linear(x, weight.transpose(1, 2).flatten(1), self.conv.bias))


class Res2NetBlock(nn.Module):
    def __init__(self, channels, kernel, dilation):
        super().__init__()
        width = channels // SCALE
        self.blocks = nn.ModuleList([TimeDelayBlock(width, width, kernel, dilation) for _ in range(SCALE - 1)])

    def forward(self, x):
        first, *parts = x.chunk(SCALE, 2)
        outputs = [first]
        for block, part in zip(self.blocks, parts, strict=True):
            outputs.append(block(part if len(outputs) == 1 else part + outputs[-1]))
        return torch.cat(outputs, 2)


class SqueezeExcitation(nn.Module):
    def __init__(self, channels, hidden):
        super().__init__()
        self.conv1 = nn.Conv1d(channels, hidden, 1)
        self.conv2 = nn.Conv1d(hidden, channels, 1)

    def forward(self, x):
        return x * torch.sigmoid(pointwise(self.conv2, F.relu(pointwise(self.conv1, x.mean(1, keepdim=True)))))


class SERes2NetBlock(nn.Module):
    def __init__(self, inputs, channels, hidden, kernel, dilation):
        super().__init__()
        self.tdnn1 = TimeDelayBlock(inputs, channels)
        self.res2net_block = Res2NetBlock(channels, kernel, dilation)
        self.tdnn2 = TimeDelayBlock(channels, channels)
        self.se_block = SqueezeExcitation(channels, hidden)

    def forward(self, x):
        return x + self.se_block(self.tdnn2(self.res2net_block(self.tdnn1(x))))


class AttentiveStatisticsPooling(nn.Module):
    """[B, T, C] -> [B, 2 C]: mean and standard deviation over time, weighted by attention of its own per channel."""

    def __init__(self, channels, hidden):
        super().__init__()
        self.tdnn = TimeDelayBlock(3 * channels, hidden)
        self.conv = nn.Conv1d(hidden, channels, 1)

    @staticmethod
    def statistics(x, weights):
        x = x.float()
        mean = (weights * x).sum(1, keepdim=True)
        variance = (weights * (x - mean).square()).sum(1, keepdim=True)
        return mean, variance.clamp(min=LEAST_VARIANCE).sqrt()

    def forward(self, x):
        mean, deviation = self.statistics(x, 1 / x.shape[1])
        context = torch.cat([x, mean.expand(x.shape).to(x.dtype), deviation.expand(x.shape).to(x.dtype)], 2)
        weights = pointwise(self.conv, torch.tanh(self.tdnn(context))).float().softmax(1)
        return torch.cat(self.statistics(x, weights), 2)[:, 0]


class SpeakerEncoder(nn.Module):
    def __init__(self, sizes, vector):
        super().__init__()
        channels, blocks = sizes.channels, range(1, len(sizes.channels) - 1)
        self.blocks = nn.ModuleList([TimeDelayBlock(BANDS, channels[0], KERNELS[0], DILATIONS[0])])
        self.blocks.extend(
            SERes2NetBlock(channels[i - 1], channels[i], sizes.squeezed, KERNELS[i], DILATIONS[i]) for i in blocks
        )
        self.mfa = TimeDelayBlock(sum(channels[i] for i in blocks), channels[-1], KERNELS[-1], DILATIONS[-1])
        self.asp = AttentiveStatisticsPooling(channels[-1], sizes.attention)
        self.fc = nn.Conv1d(2 * channels[-1], vector, 1)
        self._initialise()

    def _initialise(self):
        for module in self.modules():
            if isinstance(module, nn.Conv1d):
                nn.init.kaiming_normal_(module.weight, nonlinearity="relu")
                nn.init.zeros_(module.bias)
        for block in self.blocks[1:]:  # each adds to what came before: begin small
            block.tdnn2.conv.weight.data.mul_(0.5)
        nn.init.normal_(self.fc.weight, std=VECTOR_DEVIATION * self.fc.in_channels**-0.5)

    def forward(self, mel):  # log mel [B, BANDS, T] -> [B, vector]
        x, outputs = self.blocks[0]((mel.transpose(1, 2) - MEL_MEAN) / MEL_DEVIATION), []
        for block in self.blocks[1:]:
            x = block(x)
            outputs.append(x)
        return pointwise(self.fc, self.asp(self.mfa(torch.cat(outputs, 2)))).float()


def official_tensors(state):
    """For a log mel that is not normalised."""
    state = {name: value.float() for name, value in state.items()}
    weight = state["blocks.0.conv.weight"] / MEL_DEVIATION
    state["blocks.0.conv.weight"] = weight
    state["blocks.0.conv.bias"] = state["blocks.0.conv.bias"] - MEL_MEAN * weight.sum((1, 2))
    return state


def from_official(state):
    """The way back: what an export holds, as this encoder's own state."""
    state = {name: value.float() for name, value in state.items()}
    weight = state["blocks.0.conv.weight"]
    state["blocks.0.conv.bias"] = state["blocks.0.conv.bias"] + MEL_MEAN * weight.sum((1, 2))
    state["blocks.0.conv.weight"] = weight * MEL_DEVIATION
    return state
