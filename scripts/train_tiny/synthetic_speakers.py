"""Speakers that nobody is: mixtures of Kokoro's voice styles, with a pitch, a vocal tract and a pace of their own.

A speaker is its number: the same number is the same voice in every process and on every machine. Training takes
numbers below FIRST_UNSEEN; the judges take those above.

A style tensor holds one row of 256 dimensions for each number of phones: 128 for the sound, 128 for the prosody. A
speaker weighs the voices, either alike in all dimensions (a convex mixture of two to four voices) or with a share of
a draw of its own in each dimension, between the extremes of all voices.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from speakers import SPEAKERS

FIRST_UNSEEN = 90_000
STYLE_DIMENSIONS = 256
DRAWN_SHARE = 0.4  # of the speakers have draws of their own
MOST_DRAWN = 0.6  # how far such a speaker is from its mixture
HOME_VOICES = ("a", "b")  # the first letter of a voice is its language: American and British English read English best
HOME_SHARE = 0.7
LEAST_BRITISH = 0.2
MOST_FORMANT_SHIFT = 0.12  # of the length of the vocal tract
MOST_PITCH_SHIFT = 0.12  # beside what the tract's length brings
MOST_PACE_SHIFT = 0.12


@dataclass(frozen=True)
class Voice:
    weights: np.ndarray  # [voices of Kokoro]
    british: bool
    share: np.ndarray | float = 0.0  # [256], of a draw between the lowest and highest of all voices
    between: np.ndarray | float = 0.0  # [256], where in between
    formants: float = 1.0  # factor on all resonances: above 1 is a shorter vocal tract
    pitch: float = 1.0
    pace: float = 1.0


class VoiceBook:
    """Every voice by its name: the four presets, and s00000, s00001, ... made of all of Kokoro's styles."""

    def __init__(self, folder: Path):
        paths = sorted(folder.glob("*.bin"))
        if not paths:
            raise SystemExit(f"no voice styles (NAME.bin) in {folder}")
        self.names = [path.stem for path in paths]
        self.styles = np.stack([np.fromfile(path, "<f4").reshape(-1, STYLE_DIMENSIONS) for path in paths])
        self.voices: dict[str, Voice] = {}

    def __getitem__(self, name: str) -> Voice:
        if name not in self.voices:
            self.voices[name] = self._preset(name) if name in SPEAKERS else self._synthetic(int(name[1:]))
        return self.voices[name]

    def style(self, voice: Voice, phones: int) -> np.ndarray:  # [256]
        rows = self.styles[:, phones - 3]  # as Kokoro counts: without the silences, from 0
        mixed = voice.weights @ rows
        lowest, highest = rows.min(0), rows.max(0)
        drawn = lowest + voice.between * (highest - lowest)
        return (mixed + voice.share * (drawn - mixed)).astype(np.float32)

    def _preset(self, name: str) -> Voice:
        weights = np.array([float(voice == SPEAKERS[name].teacher_voice) for voice in self.names])
        return Voice(weights, SPEAKERS[name].british)

    def _synthetic(self, number: int) -> Voice:
        random = np.random.default_rng([17, number])
        at_home = np.array([name[0] in HOME_VOICES for name in self.names])
        likely = np.where(at_home, HOME_SHARE / at_home.sum(), (1 - HOME_SHARE) / max(1, (~at_home).sum()))
        chosen = random.choice(len(self.names), random.integers(2, 5), replace=False, p=likely / likely.sum())
        weights = np.zeros(len(self.names))
        weights[chosen] = random.dirichlet(np.full(len(chosen), 0.7))
        from_britain = weights[[name[0] == "b" for name in self.names]].sum()
        british = bool(random.random() < max(LEAST_BRITISH, from_britain))
        drawn = random.random() < DRAWN_SHARE
        # The prosody of a draw is rarely good English: it follows the mixture more closely than the sound does.
        share = drawn * random.random() * MOST_DRAWN * np.where(np.arange(STYLE_DIMENSIONS) < 128, 1.0, 0.5)
        between = random.random(STYLE_DIMENSIONS)
        formants = math.exp(random.uniform(-1, 1) * MOST_FORMANT_SHIFT)
        # Short tracts mostly go with high voices: half of the shift of the resonances is in the pitch, too.
        pitch = formants**0.5 * math.exp(random.uniform(-1, 1) * MOST_PITCH_SHIFT)
        pace = math.exp(random.uniform(-1, 1) * MOST_PACE_SHIFT)
        return Voice(weights, british, share, between, formants, pitch, pace)


def numbered(first: int, count: int) -> list[str]:
    return [f"s{number:05d}" for number in range(first, first + count)]
