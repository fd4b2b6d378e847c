"""A voice sample -> warnings about what will be heard in its clones: clipping, noise, music, speakers, reverberation.

Each rule measures one number and compares it with a limit; the docs list them (docs/voices.md). They are warnings,
since each can be wrong: a rule that is silent proves nothing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mlx_tts.audio.reference.measures import FRAME_SECONDS, Levels, frame_samples, levels_of, pitch_of
from mlx_tts.samples import Samples

CLIPPED_RATIO, CLIPPED_SHARE = 1.5, 2e-4
NOISY_DB = 20.0
SPECTRUM_SAMPLES_SECONDS = 0.08
STEADY_SECONDS, MUSIC_SHARE = 0.4, 0.04  # of speech, real and synthetic, no part was steady for so long
PROMINENT_DB = 10.0
TWO_VOICES_SEMITONES, TWO_VOICES_SHARE = 7.0, 0.15  # one voice reaches 6 between its phrases
PHRASE_SECONDS, LEAST_VOICED = 0.5, 20  # frames: the median pitch of fewer jumps about
REVERBERANT_SECONDS = 0.5
DECAY_DB = 20.0


def faults_of(samples: Samples, sample_rate: int) -> list[str]:
    """A line for each fault that is measured, saying what to do."""
    levels = levels_of(samples, sample_rate)
    lines = []
    if is_clipped(samples):
        lines.append("the recording is clipped: record it again at a lower level")
    music = steady_share(samples, sample_rate) > MUSIC_SHARE
    if music:
        lines.append("there seems to be music or a steady tone in the recording: use one with the voice alone")
    elif noise_distance_db(levels) < NOISY_DB:
        lines.append(
            f"there is noise in the recording, {noise_distance_db(levels):.0f} dB below the voice: use a quieter room"
        )
    if not music and (between := semitones_between_speakers(samples, sample_rate, levels)) > TWO_VOICES_SEMITONES:
        lines.append(f"several people seem to speak ({between:.0f} semitones apart): cut the sample to one of them")
    if not music and (seconds := reverberation_seconds(samples, sample_rate)) > REVERBERANT_SECONDS:
        lines.append(f"the room echoes (about {seconds:.1f} s): record closer to the microphone")
    return lines


def is_clipped(samples: Samples) -> bool:
    """Whether the highest level is reached more often than the levels just below it: tops that were cut off."""
    size = np.abs(samples)
    peak = float(size.max(initial=0.0))
    top = np.count_nonzero(size >= 0.98 * peak)
    below = np.count_nonzero((size >= 0.88 * peak) & (size < 0.98 * peak))
    return bool(peak > 0 and top > CLIPPED_SHARE * len(size) and top > CLIPPED_RATIO * below)


def noise_distance_db(levels: Levels) -> float:
    """How far the quietest frames are below the voice."""
    return levels.speech_db - levels.floor_db


def steady_share(samples: Samples, sample_rate: int) -> float:
    """The share of the time in which two narrow tones at least stay where they are: notes do, voices move."""
    tones = _tones(samples, sample_rate)
    steady = np.zeros(tones.shape, bool)
    least = round(STEADY_SECONDS / FRAME_SECONDS)
    for bin_ in np.flatnonzero(tones.sum(axis=0) >= least):
        edges = np.flatnonzero(np.diff(np.concatenate([[False], tones[:, bin_], [False]])))
        for first, end in zip(edges[::2], edges[1::2], strict=True):
            steady[first:end, bin_] |= end - first >= least
    return float(np.mean(steady.sum(axis=1) >= 2))


def _tones(samples: Samples, sample_rate: int) -> NDArray[np.bool_]:
    """[frames, bins]: where a bin stands out from its surroundings as the peak of a narrow line."""
    size, hop = round(SPECTRUM_SAMPLES_SECONDS * sample_rate), frame_samples(sample_rate)
    if len(samples) < size:
        return np.zeros((1, 1), bool)
    windows = np.lib.stride_tricks.sliding_window_view(samples, size)[::hop] * np.hanning(size)
    db = 20 * np.log10(np.abs(np.fft.rfft(windows, axis=1))[:, : round(4000 * size / sample_rate)] + 1e-4)
    peak = np.zeros(db.shape, bool)
    around = np.minimum(np.roll(db, 4, axis=1), np.roll(db, -4, axis=1))
    around = np.maximum(around, np.minimum(np.roll(db, 5, axis=1), np.roll(db, -5, axis=1)))
    peak[:, 6:-6] = ((db > np.roll(db, 1, axis=1)) & (db >= np.roll(db, -1, axis=1)) & (db - around > PROMINENT_DB))[
        :, 6:-6
    ]
    return peak


def semitones_between_speakers(samples: Samples, sample_rate: int, levels: Levels) -> float:
    """How far apart the median pitches of two groups of phrases are; 0 where there are no two groups.

    Speakers of equal pitch are not told apart.
    """
    pitch = pitch_of(samples, sample_rate)
    medians, weights = [], []
    for first, end in levels.runs(True, PHRASE_SECONDS):
        step = round(1.0 / FRAME_SECONDS)  # a phrase may hold a change of speakers: look at each second of it
        for at in range(first, end, step):
            voiced = pitch[at : min(at + step, end)]
            voiced = voiced[np.isfinite(voiced)]
            if len(voiced) >= LEAST_VOICED:
                medians.append(12 * np.log2(np.median(voiced)))
                weights.append(len(voiced))
    if len(medians) < 2:
        return 0.0
    order = np.argsort(medians)
    sorted_medians, sorted_weights = np.array(medians)[order], np.array(weights)[order]
    best = 0.0
    for cut in range(1, len(order)):
        low, high = sorted_weights[:cut].sum(), sorted_weights[cut:].sum()
        if min(low, high) >= TWO_VOICES_SHARE * (low + high):
            apart = np.median(sorted_medians[cut:]) - np.median(sorted_medians[:cut])
            gap = sorted_medians[cut] - sorted_medians[cut - 1]
            best = max(best, float(apart) if gap > 2.0 else 0.0)
    return best


def reverberation_seconds(samples: Samples, sample_rate: int) -> float:
    """The time in which sound decays by 60 dB, from how fast the level falls where it falls; 0 where it is unknown."""
    levels = levels_of(samples, sample_rate)
    db = levels.db
    slopes = []
    for first, end in levels.runs(True, 0.1):
        top = first + int(np.argmax(db[first:end][-10:])) + max(0, end - first - 10)
        after = db[top : top + 50]
        fallen = np.flatnonzero(after < after[0] - DECAY_DB)
        if len(fallen):
            start = int(np.flatnonzero(after[: fallen[0] + 1] > after[0] - 5)[-1])
            frames = fallen[0] - start
            slopes.append((after[start] - after[fallen[0]]) / (frames * FRAME_SECONDS))
    return 60.0 / float(np.median(slopes)) if len(slopes) >= 2 else 0.0
