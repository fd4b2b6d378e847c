"""Samples in, how loud they are out: LUFS as ITU-R BS.1770 and EBU R 128 measure it, in one channel, in any parts."""

from __future__ import annotations

import math
from array import array

import numpy as np
from numpy.typing import NDArray

from mlx_tts.samples import Samples

STEP_SECONDS, STEPS = 0.1, 4  # blocks of 400 ms, one every 100 ms
ABSOLUTE_GATE, RELATIVE_GATE = -70.0, -10.0  # LUFS, LU: quieter blocks are pauses and do not count
RESPONSE_SECONDS = 0.1  # after so long nothing is left of the filters' response
OFFSET = -0.691  # LUFS of a power of 1, by the standard


class LoudnessMeter:
    """Takes samples [N] in order; `lufs` is the loudness of all of them so far."""

    def __init__(self, sample_rate: int):
        self._step = round(STEP_SECONDS * sample_rate)
        self._response = weighting(sample_rate)
        self._size = 1 << (self._step + len(self._response) - 1).bit_length()
        self._spectrum = np.fft.rfft(self._response, self._size)
        self._tail = np.zeros(len(self._response), np.float64)  # of the response to earlier steps
        self._rest = np.zeros(0, np.float32)
        self._powers = array("f")  # of each step: 4 bytes for 0.1 s

    def add(self, samples: Samples) -> None:
        samples = np.concatenate([self._rest, samples])
        whole = len(samples) // self._step * self._step
        for at in range(0, whole, self._step):
            self._powers.append(self._power(samples[at : at + self._step]))
        self._rest = samples[whole:]

    def _power(self, step: Samples) -> float:
        out = np.fft.irfft(np.fft.rfft(step, self._size) * self._spectrum, self._size)
        out[: len(self._tail)] += self._tail
        self._tail = out[self._step : self._step + len(self._tail)]
        return float(np.mean(out[: self._step] ** 2))

    @property
    def lufs(self) -> float | None:
        """The integrated loudness; None where nothing was loud enough to count."""
        powers = np.array(self._powers, np.float64)
        if len(powers) < STEPS:  # shorter than one block: all there is
            powers = np.append(powers, self._power_of_rest())
            blocks = powers.mean(keepdims=True)
        else:
            blocks = np.convolve(powers, np.full(STEPS, 1 / STEPS), "valid")
        blocks = blocks[blocks > power_of(ABSOLUTE_GATE)]
        if not len(blocks):
            return None
        blocks = blocks[blocks > power_of(lufs_of(blocks.mean()) + RELATIVE_GATE)]
        return lufs_of(blocks.mean())

    def _power_of_rest(self) -> float:
        return float(np.mean(self._rest.astype(np.float64) ** 2)) if len(self._rest) else 0.0


def lufs_of(power: float) -> float:
    return OFFSET + 10 * math.log10(power)


def power_of(lufs: float) -> float:
    return float(10 ** ((lufs - OFFSET) / 10))


def weighting(sample_rate: int) -> NDArray[np.float64]:
    """The impulse response of the standard's two filters (K-weighting) at any rate: a shelf that lifts what the head
    lifts, and a high-pass. Constants: of the analogue filters behind the standard's coefficients for 48 kHz."""
    k, q = math.tan(math.pi * 1681.974450955533 / sample_rate), 0.7071752369554196
    high = 10 ** (3.999843853973347 / 20)
    middle = high**0.4996667741545416
    shelf = [high + middle * k / q + k * k, 2 * (k * k - high), high - middle * k / q + k * k], _poles(k, q)
    k, q = math.tan(math.pi * 38.13547087602444 / sample_rate), 0.5003270373238773
    poles = _poles(k, q)
    high_pass = [poles[0], -2 * poles[0], poles[0]], poles
    size = 1 << math.ceil(math.log2(4 * RESPONSE_SECONDS * sample_rate))
    z = np.exp(-2j * np.pi * np.arange(size // 2 + 1) / size)
    spectrum = np.prod([np.polyval(b[::-1], z) / np.polyval(a[::-1], z) for b, a in (shelf, high_pass)], axis=0)
    return np.fft.irfft(spectrum, size)[: round(RESPONSE_SECONDS * sample_rate)]


def _poles(k: float, q: float) -> list[float]:
    return [1 + k / q + k * k, 2 * (k * k - 1), 1 - k / q + k * k]
