"""Samples of speech -> what is measured of them: levels, where somebody speaks, pauses, pitch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mlx_tts.samples import Samples

FRAME_SECONDS = 0.02
QUIETEST_DB = -100.0
ACTIVE_BELOW_PEAK_DB = 40.0  # speech is at most so far below its own loud frames
SPREAD_DB = 12.0  # with less between loud and quiet frames nothing tells speech from pauses
PAUSE_SECONDS = 0.15
PITCH_RATE, PITCH_WINDOW = 8_000, 512  # 64 ms, five periods of a low voice
LOWEST_HERTZ, HIGHEST_HERTZ = 65.0, 400.0
VOICED = 0.6  # of the energy repeats after a period


@dataclass(frozen=True)
class Levels:
    """A level for each frame of FRAME_SECONDS, in dB of full scale. active: where somebody speaks."""

    db: NDArray[np.float64]
    active: NDArray[np.bool_]

    @property
    def speech_db(self) -> float:
        """The mean power of the active frames."""
        return float(10 * np.log10(np.mean(10 ** (self.db[self.active] / 10))))

    @property
    def floor_db(self) -> float:
        """The level of the quietest frames."""
        return float(np.percentile(self.db, 5))

    def runs(self, active: bool, at_least_seconds: float = 0.0) -> list[tuple[int, int]]:
        """Stretches of frames [first, end) in which somebody speaks, or nobody does."""
        edges = np.flatnonzero(np.diff(np.concatenate([[False], self.active == active, [False]])))
        least = at_least_seconds / FRAME_SECONDS
        return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True) if b - a >= least]


def frame_samples(sample_rate: int) -> int:
    return round(FRAME_SECONDS * sample_rate)


def levels_of(samples: Samples, sample_rate: int) -> Levels:
    """Samples [N] -> the levels of N / (FRAME_SECONDS * rate) frames, at least one."""
    size = frame_samples(sample_rate)
    count = max(1, len(samples) // size)
    frames = np.zeros(count * size)
    frames[: min(len(samples), count * size)] = samples[: count * size]
    power = np.mean(frames.reshape(count, size) ** 2, axis=1)
    db = 10 * np.log10(np.maximum(power, 10 ** (QUIETEST_DB / 10)))
    loud, floor = float(np.percentile(db, 95)), float(np.percentile(db, 5))
    if loud - floor < SPREAD_DB:
        return Levels(db, np.ones(count, bool))
    return Levels(db, db > max(loud - ACTIVE_BELOW_PEAK_DB, floor + (loud - floor) / 3))


def pitch_of(samples: Samples, sample_rate: int) -> NDArray[np.float64]:
    """Samples -> the pitch in Hz of each frame of FRAME_SECONDS, NaN where there is none (by autocorrelation)."""
    from mlx_tts.audio.files import resample

    low = np.asarray(resample(np.asarray(samples, np.float32), sample_rate, PITCH_RATE), np.float64)
    hop = frame_samples(PITCH_RATE)
    if len(low) < PITCH_WINDOW:
        return np.full(1, np.nan)
    windows = np.lib.stride_tricks.sliding_window_view(low, PITCH_WINDOW)[::hop]
    windows = windows - windows.mean(axis=1, keepdims=True)
    taper = np.hanning(PITCH_WINDOW)
    shortest, longest = int(PITCH_RATE / HIGHEST_HERTZ), int(PITCH_RATE / LOWEST_HERTZ)
    correlation = _autocorrelation(windows * taper, longest + 2) / _autocorrelation(taper[None], longest + 2)
    correlation /= np.maximum(correlation[:, :1], 1e-12)
    inside = correlation[:, shortest : longest + 1]
    best = inside.max(axis=1)
    # The first lag that is nearly the best: its multiples repeat just as well.
    lag = shortest + np.argmax(inside >= 0.9 * best[:, None], axis=1)
    for _ in range(shortest):  # climb to the top of that peak
        higher = np.take_along_axis(correlation, lag[:, None] + 1, 1) > np.take_along_axis(correlation, lag[:, None], 1)
        lag = np.minimum(lag + higher[:, 0], longest)
    loud = np.sqrt(np.mean(windows**2, axis=1)) > 10 ** (-50 / 20)
    return np.where((best >= VOICED) & loud, PITCH_RATE / lag, np.nan)


def _autocorrelation(frames: NDArray[np.float64], lags: int) -> NDArray[np.float64]:
    spectrum = np.fft.rfft(frames, 2 * frames.shape[1], axis=1)
    return np.fft.irfft(np.abs(spectrum) ** 2, axis=1)[:, :lags]
