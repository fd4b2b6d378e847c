"""A recording of a voice -> the part of it that a clone needs, at an even level, with what was done and what is wrong.

The model repeats what it hears: silence at the ends, a low level, noise and the room.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mlx_tts.audio.files import SILENCE_PEAK
from mlx_tts.audio.reference.faults import faults_of
from mlx_tts.audio.reference.measures import FRAME_SECONDS, PAUSE_SECONDS, Levels, frame_samples, levels_of
from mlx_tts.errors import AudioError
from mlx_tts.samples import Samples

LEAST_SECONDS, MOST_SECONDS = 3.0, 15.0  # of a good sample
LEAST_USABLE_SECONDS = 0.5
MARGIN_SECONDS = 0.1  # kept before the first and behind the last sound: soft consonants are quieter than the limit
LEAST_SOUND_SECONDS = 0.06  # shorter sounds at the ends are clicks
FADE_SECONDS = 0.005
SPEECH_DB, PEAK_DB = -20.0, -1.0
UNCHANGED_DB = 1.0
GOOD_NOISE_DB = 30.0
SILENCE_BEHIND_SECONDS = 0.5


@dataclass(frozen=True)
class PreparedSample:
    """samples: what the voice is made from. steps: what was done. warnings: what will be heard in the clone."""

    samples: Samples
    sample_rate: int
    steps: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def seconds(self) -> float:
        return len(self.samples) / self.sample_rate

    def in_context(self) -> Samples:
        """With silence behind: without it the clone begins with the end of the recording's last word."""
        return np.concatenate([self.samples, np.zeros(round(SILENCE_BEHIND_SECONDS * self.sample_rate), np.float32)])


def prepare_sample(samples: Samples, sample_rate: int, whole: bool) -> PreparedSample:
    """Samples [N] -> the sample of a voice; AudioError where nobody can be heard. whole: nothing may be left out but
    silence, because a transcript says what is in it."""
    samples = np.asarray(samples, np.float32)
    if np.abs(samples).max(initial=0.0) < SILENCE_PEAK:
        raise AudioError("the voice sample is silent: record it again, louder")
    steps: list[str] = []
    samples = _trimmed(samples, sample_rate, steps)
    seconds = len(samples) / sample_rate
    if seconds > MOST_SECONDS and not whole:
        samples = _best_part(samples, sample_rate, steps)
    warnings = [] if seconds >= LEAST_SECONDS else [f"the voice sample has {seconds:.1f} s: 3 to 15 s are best"]
    if seconds > MOST_SECONDS and whole:
        warnings.append(f"the voice sample has {seconds:.0f} s, all of it for its transcript: 3 to 15 s are best")
    warnings += faults_of(samples, sample_rate)
    return PreparedSample(_levelled(samples, sample_rate, steps), sample_rate, tuple(steps), tuple(warnings))


def _trimmed(samples: Samples, sample_rate: int, steps: list[str]) -> Samples:
    """Without the silence at its ends."""
    size, margin = frame_samples(sample_rate), round(MARGIN_SECONDS * sample_rate)
    sounds = levels_of(samples, sample_rate).runs(True, LEAST_SOUND_SECONDS)
    if not sounds:
        return samples
    first, end = max(0, sounds[0][0] * size - margin), min(len(samples), sounds[-1][1] * size + margin)
    if len(samples) - end < size:
        end = len(samples)
    if end - first < LEAST_USABLE_SECONDS * sample_rate or end - first == len(samples):
        return samples
    before, behind = first / sample_rate, (len(samples) - end) / sample_rate
    steps.append(f"trimmed {before:.2f} s of silence before the voice and {behind:.2f} s behind it")
    return _cut(samples, first, end, sample_rate)


def _best_part(samples: Samples, sample_rate: int, steps: list[str]) -> Samples:
    """The stretch between two pauses, 3 to 15 s long, with the most speech and the least noise and clipping."""
    levels, size = levels_of(samples, sample_rate), frame_samples(sample_rate)
    total = len(levels.db)
    pauses = [(a + b) // 2 for a, b in levels.runs(False, PAUSE_SECONDS)]
    cuts = [0, *(at for at in pauses if 0 < at < total), total]
    least, most = round(LEAST_SECONDS / FRAME_SECONDS), round(MOST_SECONDS / FRAME_SECONDS)
    parts = [(a, b) for at, a in enumerate(cuts) for b in cuts[at + 1 :] if least <= b - a <= most]
    if parts:
        worth = np.concatenate([[0.0], np.cumsum(_worth(samples, levels, size))])
        first, end = max(parts, key=lambda part: (worth[part[1]] - worth[part[0]], -part[0]))
    else:  # nobody pauses: end where it is quietest
        first, end = 0, least + int(np.argmin(levels.db[least:most]))
    seconds = len(samples) / sample_rate
    steps.append(f"took {first * FRAME_SECONDS:.1f} to {end * FRAME_SECONDS:.1f} s of {seconds:.1f} s of speech")
    return _cut(samples, first * size, min(end * size, len(samples)), sample_rate)


def _worth(samples: Samples, levels: Levels, size: int) -> NDArray[np.float64]:
    """What each frame adds to a sample: speech adds, noisy or clipped speech takes away."""
    frames = len(levels.db)
    quietest = np.concatenate(
        [np.full(len(block), np.percentile(block, 10)) for block in np.split(levels.db, range(50, frames, 50))]
    )
    clean = np.clip((levels.speech_db - quietest) / GOOD_NOISE_DB, 0, 1)
    top = np.abs(samples[: frames * size]) >= 0.98 * np.abs(samples).max()
    clipped = np.add.reduceat(top, np.arange(0, len(top), size))[:frames] >= 3
    return np.where(levels.active, clean - 0.5 - clipped, 0.0)


def _cut(samples: Samples, first: int, end: int, sample_rate: int) -> Samples:
    """samples[first:end], faded at the ends that are new, which would click."""
    part = samples[first:end].copy()
    fade = np.linspace(0, 1, round(FADE_SECONDS * sample_rate), dtype=np.float32)
    if first > 0:
        part[: len(fade)] *= fade
    if end < len(samples):
        part[-len(fade) :] *= fade[::-1]
    return part


def _levelled(samples: Samples, sample_rate: int, steps: list[str]) -> Samples:
    """At the level of SPEECH_DB, as far as no peak passes PEAK_DB."""
    peak_db = 20 * np.log10(float(np.abs(samples).max()))
    change = min(SPEECH_DB - levels_of(samples, sample_rate).speech_db, PEAK_DB - peak_db)
    if abs(change) < UNCHANGED_DB:
        return samples
    steps.append(f"{'raised' if change > 0 else 'lowered'} the level by {abs(change):.1f} dB")
    return samples * np.float32(10 ** (change / 20))
