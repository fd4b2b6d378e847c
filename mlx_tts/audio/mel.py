"""Samples [N] -> log mel spectrogram [T, bands], as the reference's speaker encoder takes it (numpy, no mlx)."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

FLOOR = 1e-5


def log_mel(
    samples: NDArray[np.float32],
    sample_rate: int = 24000,
    bands: int = 128,
    window: int = 1024,
    hop: int = 256,
    highest_hertz: float = 12000.0,
) -> NDArray[np.float32]:
    """[N] -> [(N - hop) // hop + 1, bands] for an even window - hop: reflected at both ends, windows not centred."""
    padding = (window - hop) // 2
    padded = np.pad(np.asarray(samples, np.float32), padding, mode="reflect")
    frames = np.lib.stride_tricks.sliding_window_view(padded, window)[::hop]
    hann = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(window) / window)
    spectrum = np.fft.rfft(frames * hann.astype(np.float32), axis=-1)
    magnitude = np.sqrt(spectrum.real**2 + spectrum.imag**2 + 1e-9)
    mel = magnitude @ mel_filters(sample_rate, bands, window, highest_hertz).T
    return np.log(np.maximum(mel, FLOOR)).astype(np.float32)


@cache
def mel_filters(sample_rate: int, bands: int, window: int, highest_hertz: float) -> NDArray[np.float64]:
    """Triangles on Slaney's mel scale, each of area 1 (librosa's default filters): [bands, window // 2 + 1]."""
    frequencies = np.fft.rfftfreq(window, 1 / sample_rate)
    edges = _mel_to_hertz(np.linspace(0, _hertz_to_mel(highest_hertz), bands + 2))
    widths = np.diff(edges)
    distance = edges[:, None] - frequencies
    rising = -distance[:-2] / widths[:-1, None]
    falling = distance[2:] / widths[1:, None]
    filters = np.maximum(0, np.minimum(rising, falling)) * (2 / (edges[2:] - edges[:-2]))[:, None]
    return filters.astype(np.float32).astype(np.float64)


# Slaney's scale: 3 mels are 200 Hz up to 1,000 Hz, above it 27 mels are a factor of 6.4.
HERTZ_PER_MEL, BEND_HERTZ, LOG_STEP = 200 / 3, 1000.0, np.log(6.4) / 27
BEND_MEL = BEND_HERTZ / HERTZ_PER_MEL


def _hertz_to_mel(hertz: float) -> float:
    return hertz / HERTZ_PER_MEL if hertz < BEND_HERTZ else BEND_MEL + np.log(hertz / BEND_HERTZ) / LOG_STEP


def _mel_to_hertz(mel: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(mel < BEND_MEL, mel * HERTZ_PER_MEL, BEND_HERTZ * np.exp(LOG_STEP * (mel - BEND_MEL)))
