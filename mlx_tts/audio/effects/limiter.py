"""Samples in, the same out with no peak above a ceiling: what is below it keeps its bits, what is above is turned down.

Peaks are true peaks: also those between the samples, which a player's converter makes (4 times oversampled).
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from mlx_tts.samples import Samples

CEILING = -1.0  # dBTP
MARGIN = 0.05  # dB, for what the moving gain itself adds between samples
REACH_SECONDS = 0.005  # the gain begins to fall so long before a peak, and is back as long after it
HALF_TAPS = 12  # of the interpolation on each side
CERTAIN = 0.5  # true peaks are less than twice as high as the samples around them
LOUD = CERTAIN * 10 ** ((CEILING - MARGIN) / 20)  # samples below it are never turned down


class Limiter:
    """Takes samples [N] in order; `finish` gives the last ones, and then it begins anew."""

    def __init__(self, sample_rate: int, ceiling: float = CEILING):
        self._ceiling = 10 ** ((ceiling - MARGIN) / 20)
        self._reach = round(REACH_SECONDS * sample_rate)
        self._context = 2 * self._reach + HALF_TAPS + 1
        self._smooth = _window(2 * self._reach + 1)
        self._reset()

    def _reset(self) -> None:
        self._waiting = np.zeros(self._context, np.float32)

    def change(self, samples: Samples) -> Samples:
        data = np.concatenate([self._waiting, samples]).astype(np.float32, copy=False)
        ready = len(data) - 2 * self._context
        if ready <= 0:
            self._waiting = data
            return data[:0]
        self._waiting = data[-2 * self._context :]
        return self._limited(data)

    def finish(self) -> Samples:
        rest = self.change(np.zeros(self._context, np.float32))
        self._reset()
        return rest

    def _limited(self, data: Samples) -> Samples:
        """[N + 2 * context] -> [N]"""
        inner = data[self._context : -self._context]
        if np.abs(data).max() < CERTAIN * self._ceiling:
            return inner
        peaks = np.maximum(true_peaks(data), 1e-9)
        gain = np.minimum(1.0, self._ceiling / peaks)
        if gain.min() >= 1.0:
            return inner
        gain = np.convolve(lowest_of(gain, 2 * self._reach + 1), self._smooth, "valid")  # never above what a peak needs
        gain = gain[HALF_TAPS + 1 : len(gain) - HALF_TAPS - 1]
        gain[gain > 1.0 - 1e-9] = 1.0
        return (inner * gain).astype(np.float32)


def true_peaks(data: Samples) -> NDArray[np.float64]:
    """[N] -> [N]: the highest level at each sample and at the three points on either side of it."""
    peaks = np.abs(data).astype(np.float64)
    if len(data) <= 2 * HALF_TAPS:
        return peaks
    for taps in _taps():
        between = np.abs(np.convolve(data, taps, "same"))
        # `between[n]` lies in the gap before sample n or after it, by the convolution's centre: it counts for both
        peaks[:-1] = np.maximum(peaks[:-1], between[1:])
        peaks = np.maximum(peaks, between)
        peaks[1:] = np.maximum(peaks[1:], between[:-1])
    return peaks


def lowest_of(values: NDArray[np.float64], width: int) -> NDArray[np.float64]:
    """[N] -> [N - width + 1]: the lowest of each `width` values that follow each other. Windows of twice the width are
    made of two, so this takes few passes."""
    have = 1
    while 2 * have <= width:
        values, have = np.minimum(values[:-have], values[have:]), 2 * have
    missing = width - have
    return np.minimum(values[: len(values) - missing], values[missing:]) if missing else values


@lru_cache(maxsize=8)
def _window(length: int) -> NDArray[np.float64]:
    window = np.hanning(length + 2)[1:-1]
    return window / window.sum()  # type: ignore[no-any-return]


@lru_cache(maxsize=1)
def _taps() -> list[NDArray[np.float64]]:
    """Of the interpolation at each quarter between two samples."""
    found = []
    for quarter in (0.25, 0.5, 0.75):
        at = np.arange(-HALF_TAPS + 1, HALF_TAPS + 1) - quarter
        taps = np.sinc(at) * np.cos(np.pi * at / (2 * HALF_TAPS + 1)) ** 2
        found.append(taps[::-1])
    return found
