"""Adversarial part of the codec's loss: period and complex-spectrum discriminators, multi-scale mel distance."""

import functools

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.parametrizations import weight_norm

PERIODS = (2, 3, 5, 7, 11)
SPECTRUM_WINDOWS = (2048, 1024, 512)
# Window and bands of each scale (as in the Descript codec): the short ones pin transients, the long ones pitch.
MEL_SCALES = ((32, 5), (64, 10), (128, 20), (256, 40), (512, 80), (1024, 120), (2048, 160))
# Digital silence must not dominate a logarithm: everything under about -66 dB counts as equal.
NOISE_FLOOR = 5e-4


SPECTRUM_INPUTS = 8  # real and imaginary part, filled up with zeros: tensor cores want eight channels


def _biased_leaky(x, bias):
    return F.leaky_relu(x.float() + bias.float()[:, None, None], 0.1).to(x.dtype)


class _BiasedLeaky(torch.autograd.Function):
    """leaky_relu(x + bias) in one pass: the convolution's own bias would cost one more over tensors of 100 MB."""

    kernel = staticmethod(_biased_leaky)

    @staticmethod
    def forward(ctx, x, bias):
        y = _BiasedLeaky.kernel(x, bias)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, gradient):
        (y,) = ctx.saved_tensors
        of_x = torch.ops.aten.leaky_relu_backward(gradient, y, 0.1, True)
        return of_x, of_x.sum((0, 2, 3), dtype=torch.float32) if ctx.needs_input_grad[1] else None


def compile_activation():
    _BiasedLeaky.kernel = staticmethod(torch.compile(_biased_leaky, dynamic=True))


def activated(layer, x):
    """A convolution with its activation, in the layout that tensor cores read."""
    weight = layer.weight
    if weight.shape[1] == 2:
        x, weight = (F.pad(tensor, (0, 0, 0, 0, 0, SPECTRUM_INPUTS - 2)) for tensor in (x, weight))
    y = F.conv2d(
        x.contiguous(memory_format=torch.channels_last), weight, None, layer.stride, layer.padding, layer.dilation
    )
    return _BiasedLeaky.apply(y.contiguous(memory_format=torch.channels_last), layer.bias)


class PeriodDiscriminator(nn.Module):
    def __init__(self, period, channels):
        super().__init__()
        self.period = period
        widths = (1, *channels)
        strides = [(3, 1)] * (len(channels) - 1) + [(1, 1)]
        self.layers = nn.ModuleList(
            [
                weight_norm(nn.Conv2d(i, o, (5, 1), stride, (2, 0)))
                for i, o, stride in zip(widths, widths[1:], strides, strict=False)
            ]
        )
        self.judge = weight_norm(nn.Conv2d(channels[-1], 1, (3, 1), 1, (1, 0)))

    def forward(self, x):
        surplus = -x.shape[-1] % self.period
        if surplus:
            x = F.pad(x[:, None], (0, surplus), mode="reflect")[:, 0]
        x = x.view(x.shape[0], 1, -1, self.period)
        features = []
        for layer in self.layers:
            x = activated(layer, x)
            features.append(x)
        return self.judge(x), features


class SpectrumDiscriminator(nn.Module):
    def __init__(self, window, channels):
        super().__init__()
        self.size = window
        self.register_buffer("window", torch.hann_window(window))
        layers = [nn.Conv2d(2, channels, (3, 9), padding=(1, 4))]
        layers += [
            nn.Conv2d(channels, channels, (3, 9), (1, 2), (dilation, 4), (dilation, 1)) for dilation in (1, 2, 4)
        ]
        layers += [nn.Conv2d(channels, channels, (3, 3), padding=1)]
        self.layers = nn.ModuleList([weight_norm(layer) for layer in layers])
        self.judge = weight_norm(nn.Conv2d(channels, 1, (3, 3), padding=1))

    def forward(self, x):
        with torch.autocast(x.device.type, enabled=False):
            spectrum = torch.stft(x.float(), self.size, self.size // 4, window=self.window, return_complex=True)
            x = torch.view_as_real(spectrum / self.size**0.5).permute(0, 3, 2, 1)
            # The square root of the magnitude: soft sounds count too.
            x = x * (x.pow(2).sum(1, keepdim=True) + 1e-6).pow(-0.25)
        features = []
        for layer in self.layers:
            x = activated(layer, x)
            features.append(x)
        return self.judge(x), features


class Discriminators(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.judges = nn.ModuleList(
            [PeriodDiscriminator(period, sizes.period_channels) for period in PERIODS]
            + [SpectrumDiscriminator(window, sizes.spectrum_channels) for window in SPECTRUM_WINDOWS]
        )

    def forward(self, x):  # [B, samples] -> [(verdict, features), ...]
        return [judge(x) for judge in self.judges]


def discriminator_loss(real, fake):
    return sum((1 - r[0].float()).pow(2).mean() + f[0].float().pow(2).mean() for r, f in zip(real, fake, strict=False))


def adversarial_loss(fake):
    return sum((1 - verdict.float()).pow(2).mean() for verdict, _ in fake)


def feature_loss(real, fake):
    """Relative L1 distance of the inner features, averaged over layers, summed over discriminators."""
    apart, size, share = [], [], []
    for (_, real_features), (_, fake_features) in zip(real, fake, strict=True):
        for r, f in zip(real_features, fake_features, strict=True):
            # The norm sums in float32 without a copy in float32.
            apart.append(torch.linalg.vector_norm(f - r.detach(), 1, dtype=torch.float32))
            size.append(torch.linalg.vector_norm(r.detach(), 1, dtype=torch.float32))
            share.append((1 / len(real_features), 1e-5 * r.numel()))
    weight, least = _columns(tuple(share), apart[0].device)
    return (weight * torch.stack(apart) / (torch.stack(size) + least)).sum()


@functools.cache
def _columns(rows, device):
    """Made once: a step that is being recorded must not copy from the host."""
    return torch.tensor(rows, device=device).unbind(1)


def mel_filters(size, bands, sample_rate=24000):
    def to_mel(hertz):
        return 2595 * np.log10(1 + hertz / 700)

    def to_hertz(mel):
        return 700 * (10 ** (mel / 2595) - 1)

    points = to_hertz(np.linspace(to_mel(0), to_mel(sample_rate / 2), bands + 2))
    bins = np.linspace(0, sample_rate / 2, size // 2 + 1)
    low, centre, high = points[:-2, None], points[1:-1, None], points[2:, None]
    triangles = np.maximum(0, np.minimum((bins - low) / (centre - low), (high - bins) / (high - centre)))
    # A narrow band may fall between two bins: it then takes its nearest bin.
    empty = triangles.sum(1) == 0
    triangles[empty, np.abs(bins[None] - centre).argmin(1)[empty]] = 1
    return torch.tensor(triangles / triangles.sum(1, keepdims=True), dtype=torch.float32)


class MelDistance(nn.Module):
    def __init__(self):
        super().__init__()
        for size, bands in MEL_SCALES:
            self.register_buffer(f"window{size}", torch.hann_window(size))
            self.register_buffer(f"filters{size}", mel_filters(size, bands))

    def _log_mel(self, x, size):
        spectrum = torch.view_as_real(
            torch.stft(x, size, size // 4, window=getattr(self, f"window{size}"), return_complex=True)
        )
        magnitude = torch.sqrt(spectrum.pow(2).sum(-1) + 1e-9)
        return torch.log10(getattr(self, f"filters{size}") @ magnitude + NOISE_FLOOR * (0.375 * size) ** 0.5)

    def forward(self, x, y):  # two [B, samples] in float32 -> scalar, the sum over scales
        return sum(F.l1_loss(self._log_mel(x, size), self._log_mel(y, size)) for size, _ in MEL_SCALES)
