"""Features of frames, pitch, energy and a style in, sound out: decoder blocks, excitation, generator, inverse STFT."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi

import mlx.core as mx
import mlx.nn as nn
import numpy as np

from mlx_tts.models.kokoro.config import HARMONICS, SAMPLE_RATE, KokoroConfig, VocoderConfig
from mlx_tts.models.kokoro.layers import Extent, SameConv1d, SnakeBlock, StyledBlock, UpConv1d, made_now
from mlx_tts.models.kokoro.stretches import PHASES, Cores, convolve_leaky, convolve_plainly, snake_block, upsampled
from mlx_tts.nn.activations import leaky_relu
from mlx_tts.nn.conv import Conv1d
from mlx_tts.runtime.blas import one_thread
from mlx_tts.runtime.device import policy
from mlx_tts.runtime.memory import give_back_pages

SINE, NOISE, UNVOICED_NOISE = 0.1, 0.003, 0.1 / 3  # amplitudes in the excitation
VOICED_HZ = 10.0


class Spectrum:
    """Short-time spectra of the excitation, and sound of those that the generator makes. Holds no weights."""

    def __init__(self, config: VocoderConfig):
        N, self.hop = config.gen_istft_n_fft, config.gen_istft_hop_size
        self.size, self.bins = N, N // 2 + 1
        self.window = 0.5 - 0.5 * np.cos(2 * pi * np.arange(N) / N)
        angles = 2 * pi * np.arange(N)[:, None] * np.arange(self.bins)[None] / N
        ahead = np.concatenate([np.cos(angles), -np.sin(angles)], axis=1) * self.window[:, None]
        self._ahead = mx.array(ahead.astype(np.float32))  # [N, 2 bins]
        twice = np.full(self.bins, 2.0)
        twice[[0, -1]] = 1.0
        back = np.concatenate([np.cos(angles) * twice, -np.sin(angles) * twice], axis=1).T * self.window[None] / N
        self._back = mx.array(back.astype(np.float32))  # [2 bins, N]
        edge = np.zeros(self.bins, bool)
        edge[[0, -1]] = True
        self._edge = mx.array(edge)

    def of_sound(self, sound: Sequence[mx.array]) -> mx.array:
        """Rows of samples [n] -> [B, F, 2 bins]: magnitudes, then phases; F = n / hop + 1 of the longest."""
        edge, longest = self.size // 2, max(len(row) for row in sound)
        padded = []
        for row in sound:
            row = mx.concatenate([row[1 : edge + 1][::-1], row, row[-edge - 1 : -1][::-1]])
            padded.append(mx.pad(row, [(0, longest + 2 * edge - len(row))]))
        hops = mx.stack(padded).reshape(len(sound), -1, self.hop)
        parts, frames = self.size // self.hop, longest // self.hop + 1
        windows = mx.concatenate([hops[:, at : at + frames] for at in range(parts)], axis=-1)
        real, imaginary = mx.split(windows @ self._ahead, 2, axis=-1)
        magnitude = mx.sqrt(mx.square(real) + mx.square(imaginary))
        # Real numbers: minus zero as their imaginary part would turn them by minus pi. The first and the last bin are,
        # and all of the first frame, which the reflection makes symmetric but for its rounding.
        turned = mx.where(real < 0, pi, 0.0)
        phase = mx.where(self._edge, turned, mx.arctan2(imaginary, real))
        phase = mx.concatenate([turned[:, :1], phase[:, 1:]], axis=1)
        return mx.concatenate([magnitude, phase], axis=-1)

    def to_sound(self, magnitude: mx.array, phase: mx.array, extent: Extent) -> mx.array:
        """[B, F, bins] each -> samples [B, (F - 1) * hop]."""
        spectrum = mx.concatenate([magnitude * mx.cos(phase), magnitude * mx.sin(phase)], axis=-1)
        frames = extent.cut(spectrum) @ self._back
        total = self._overlapped(frames)
        inside = np.ones(frames.shape[:2], np.float32)
        for row, length in zip(inside, extent.lengths, strict=True):
            row[length:] = 0
        squares = mx.array(np.square(self.window).astype(np.float32))
        weight = self._overlapped(mx.array(inside)[..., None] * squares)
        edge = self.size // 2
        total, weight = total[:, edge:-edge], weight[:, edge:-edge]
        return mx.where(weight > 1e-11, total / mx.maximum(weight, 1e-11), 0.0)

    def _overlapped(self, frames: mx.array) -> mx.array:
        """[B, F, N] -> [B, (F - 1) * hop + N]: each a hop behind the one before, added up."""
        B, L, _ = frames.shape
        parts = self.size // self.hop
        hops = frames.reshape(B, L, parts, self.hop)
        shifted = [mx.pad(hops[:, :, at], [(0, 0), (at, parts - 1 - at), (0, 0)]) for at in range(parts)]
        return sum(shifted[1:], shifted[0]).reshape(B, -1)


@dataclass(frozen=True)
class Excitation:
    """The sines of a pitch curve [2 T] as the device adds them up: cycles at the middle of each value, modulo 1, and
    what is added until the next. Worked out in float64: as float32 they lose their pitch after some seconds."""

    base: np.ndarray  # [2 T + 1, harmonics]
    slope: np.ndarray

    @classmethod
    def of(cls, pitch: np.ndarray, hop: int) -> Excitation:
        cycles = pitch.astype(np.float64)[:, None] * np.arange(1, HARMONICS + 1) / SAMPLE_RATE % 1.0 * hop
        turned = np.cumsum(cycles, axis=0) % 1.0
        base = np.concatenate([turned[:1], turned])
        slope = np.concatenate([np.zeros_like(cycles[:1]), cycles[1:], np.zeros_like(cycles[:1])])
        return cls(base.astype(np.float32), slope.astype(np.float32))


def _sine(x: mx.array) -> mx.array:
    """On the CPU by NumPy, in a twentieth of MLX's time."""
    return mx.array(np.sin(np.asarray(x))) if policy().prefers_products else mx.sin(x)


class Source(nn.Module):
    """A pitch curve -> the excitation: nine sines where the voice sounds, noise where it does not."""

    def __init__(self, config: VocoderConfig):
        super().__init__()
        self.linear = nn.Linear(HARMONICS, 1)
        self.hop = config.hop

    def __call__(self, pitch: mx.array, noise: mx.array) -> mx.array:
        """One row's pitch in Hz [2 T], standard normal noise [2 T * hop, 9] -> samples [2 T * hop]."""
        sines = Excitation.of(np.array(pitch), self.hop)
        within = (mx.arange(self.hop)[:, None] + 0.5) / self.hop
        cycles = mx.array(sines.base)[:, None] + within * mx.array(sines.slope)[:, None]  # [2 T + 1, hop, 9]
        cycles = cycles.reshape(-1, HARMONICS)[self.hop // 2 : -(self.hop // 2)]
        voiced = mx.repeat((pitch > VOICED_HZ).astype(mx.float32), self.hop)[:, None]
        wave = _sine((cycles - mx.round(cycles)) * (2 * pi)) * (SINE * voiced)
        wave = wave + noise * (NOISE * voiced + UNVOICED_NOISE * (1 - voiced))
        return mx.tanh(self.linear(wave))[:, 0]


class Vocoder(nn.Module):
    """Features [B, 2 T, C], a style and the excitation's spectrum -> log magnitudes and phases [B, F, 2 bins]."""

    def __init__(self, config: VocoderConfig, style: int):
        super().__init__()
        rates, kernels, C = config.upsample_rates, config.upsample_kernel_sizes, config.upsample_initial_channel
        bins2 = config.gen_istft_n_fft + 2
        self.rates = rates
        self.source = Source(config)
        self.ups, self.noise_convs, self.noise_res, self.resblocks = [], [], [], []
        for at, (rate, kernel) in enumerate(zip(rates, kernels, strict=True)):
            width, last = C >> (at + 1), at == len(rates) - 1
            later = int(np.prod(rates[at + 1 :]))
            self.ups.append(UpConv1d(C >> at, width, kernel, rate))
            self.noise_convs.append(Conv1d(bins2, width, 1 if last else 2 * later, 1 if last else later))
            self.noise_res.append(SnakeBlock(style, width, 11 if last else 7, (1, 3, 5)))
            for number, size in enumerate(config.resblock_kernel_sizes):
                self.resblocks.append(
                    SnakeBlock(style, width, size, config.resblock_dilation_sizes[3 * number : 3 * number + 3])
                )
        self.blocks = len(config.resblock_kernel_sizes)
        self.by_stretches = policy().prefers_products and min(config.resblock_kernel_sizes) > 1
        self.most_step = PHASES * max((5, *config.resblock_dilation_sizes))  # of a stretch
        self.conv_post = SameConv1d(C >> len(rates), bins2, 7)

    def __call__(self, x: mx.array, s: mx.array, spectrum: mx.array, extent: Extent) -> tuple[mx.array, Extent]:
        if self.by_stretches and len(extent.lengths) == 1:
            return self._in_stretches(x, s, spectrum), extent.times(int(np.prod(self.rates)), 1)
        return self.whole(x, s, spectrum, extent)

    def whole(self, x: mx.array, s: mx.array, spectrum: mx.array, extent: Extent) -> tuple[mx.array, Extent]:
        """The plain form, for GPUs and for several rows."""
        for at, (rate, up) in enumerate(zip(self.rates, self.ups, strict=True)):
            last = at == len(self.rates) - 1
            x = made_now(up(extent.cut(leaky_relu(x, 0.1))))
            extent = extent.times(rate, 1 if last else 0)
            if last:
                x = mx.concatenate([x[:, 1:2], x], axis=1)
            x = made_now(x + self.noise_res[at](self.noise(at, spectrum), s, extent))
            mine = [block(x, s, extent) for block in self.resblocks[at * self.blocks : (at + 1) * self.blocks]]
            x = sum(mine[1:], mine[0]) / self.blocks
        return self.conv_post(extent.cut(leaky_relu(x, 0.01))), extent

    def _in_stretches(self, x: mx.array, s: mx.array, spectrum: mx.array) -> mx.array:
        """The form for one row on the CPU: see `stretches`."""
        own, excited = np.asarray(x)[0], np.asarray(spectrum)[0]
        with one_thread() as threads:
            for at in range(len(self.ups)):
                own = self._stage(at, own, s, excited, Cores(threads))
                give_back_pages()  # those of the next stage have other sizes
            return mx.array(convolve_leaky(self.conv_post, own, 0.01, Cores(threads)))[None]

    def _stage(self, at: int, x: np.ndarray, s: mx.array, spectrum: np.ndarray, cores: Cores) -> np.ndarray:
        """[T, C] -> [T * rate, C / 2], the last stage one more. Holds four such arrays."""
        last, edge = at == len(self.ups) - 1, self.edge(at)
        own = upsampled(self.ups[at], x, 1 if last else 0, cores)
        if last:
            own[0] = own[2]
        T, C = own.shape
        room, other = (np.zeros((T + self.most_step, C), np.float32) for _ in range(2))
        padded = np.pad(spectrum, ((edge, edge), (0, 0)))
        convolve_plainly(self.noise_convs[at], padded, room[:T], cores)
        own += snake_block(self.noise_res[at], room, other, T, s, cores)
        total = np.zeros_like(own)
        for block in self.resblocks[at * self.blocks : (at + 1) * self.blocks]:
            room[:T] = own
            total += snake_block(block, room, other, T, s, cores)
        total /= self.blocks
        return total

    def noise(self, at: int, spectrum: mx.array) -> mx.array:
        """Of the excitation, as stage `at` takes it."""
        edge = self.edge(at)
        return self.noise_convs[at](mx.pad(spectrum, [(0, 0), (edge, edge), (0, 0)]))

    def edge(self, at: int) -> int:
        """Zeros on either side of what the convolution of stage `at` reads."""
        return 0 if at == len(self.rates) - 1 else (int(np.prod(self.rates[at + 1 :])) + 1) // 2


class FeatureDecoder(nn.Module):
    """Features of frames [B, T, D] with pitch and energy [B, 2 T] -> what the generator reads, [B, 2 T, C].

    wide, narrow: channels of the blocks, and those in which the text is given to each of them again.
    """

    def __init__(self, config: KokoroConfig, wide: int, narrow: int):
        super().__init__()
        style, D, C = config.style_dim, config.hidden_dim, config.istftnet.upsample_initial_channel
        self.pitch_conv, self.energy_conv = Conv1d(1, 1, 3, 2), Conv1d(1, 1, 3, 2)
        self.encode = StyledBlock(style, D + 2, wide)
        self.text = nn.Linear(D, narrow)
        inner = wide + narrow + 2
        self.decode = [*(StyledBlock(style, inner, wide) for _ in range(3)), StyledBlock(style, inner, C, doubles=True)]

    def __call__(
        self, text: mx.array, pitch: mx.array, energy: mx.array, s: mx.array, extent: Extent
    ) -> tuple[mx.array, Extent]:
        curves = [
            conv(mx.pad(extent.times(2).cut(curve[..., None]), [(0, 0), (1, 1), (0, 0)]))
            for conv, curve in ((self.pitch_conv, pitch), (self.energy_conv, energy))
        ]
        x, _ = self.encode(extent.cut(mx.concatenate([text, *curves], axis=-1)), s, extent)
        again, after = self.text(text), extent
        for block in self.decode:
            x, after = block(mx.concatenate([x, again, *curves], axis=-1), s, extent)
        return x, after
