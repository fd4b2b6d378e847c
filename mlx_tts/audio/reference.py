"""A recording of a voice -> a good sample of it: measured, checked for faults, trimmed, levelled."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mlx_tts.audio.files import SILENCE_PEAK
from mlx_tts.errors import AudioError
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
        return _runs(self.active == active, at_least_seconds)


def _runs(frames: NDArray[np.bool_], at_least_seconds: float) -> list[tuple[int, int]]:
    """Stretches [first, end) of frames that are True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], frames, [False]])))
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


CLIPPED_RATIO, CLIPPED_SHARE = 1.5, 2e-4
NOISY_DB = 20.0
SPECTRUM_SAMPLES_SECONDS = 0.08
STEADY_SECONDS, MUSIC_SHARE = 0.4, 0.04  # of speech, real and synthetic, no part was steady for so long
PROMINENT_DB = 10.0
ONE_TONE_SHARE = 0.95  # of the energy; a voice has overtones, and moves
TWO_VOICES_SEMITONES, TWO_VOICES_SHARE = 7.0, 0.15  # one voice reaches 6 between its phrases
PHRASE_SECONDS, LEAST_VOICED = 0.5, 20  # frames: the median pitch of fewer jumps about
REVERBERANT_SECONDS = 0.5
DECAY_DB = 20.0


def faults_of(samples: Samples, sample_rate: int) -> list[str]:
    """A line for each fault that is measured, saying what to do: clipping, noise, music, speakers, reverberation.

    Each rule measures one number and compares it with a limit; docs/voices.md lists them. They are warnings, since each
    can be wrong: a rule that is silent proves nothing.
    """
    levels = levels_of(samples, sample_rate)
    lines = []
    if is_clipped(samples):
        lines.append("the recording is clipped: record it again at a lower level")
    music = steady_share(samples, sample_rate) > MUSIC_SHARE or is_one_tone(samples, sample_rate)
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
    for bin_ in range(tones.shape[1]):
        for first, end in _runs(tones[:, bin_], STEADY_SECONDS):
            steady[first:end, bin_] = True
    return float(np.mean(steady.sum(axis=1) >= 2))


def is_one_tone(samples: Samples, sample_rate: int) -> bool:
    """Whether it is a whistle or a test tone: nearly all of the energy is in one narrow line, which stands still."""
    size = round(SPECTRUM_SAMPLES_SECONDS * sample_rate)
    if len(samples) < size:
        return False
    windows = np.lib.stride_tricks.sliding_window_view(samples, size)[:: size // 2] * np.hanning(size)
    power = np.abs(np.fft.rfft(windows, axis=1)) ** 2
    loud = power[power.sum(axis=1) > 0.01 * power.sum(axis=1).max(initial=0.0)]
    if not len(loud):
        return False
    peaks = loud.argmax(axis=1)
    near = np.abs(np.arange(power.shape[1]) - peaks[:, None]) <= 2
    shares = np.where(near, loud, 0.0).sum(axis=1) / loud.sum(axis=1)
    spread = np.percentile(peaks, 95) - np.percentile(peaks, 5)
    return bool(np.percentile(shares, 10) > ONE_TONE_SHARE and spread <= 1)


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


LEAST_SECONDS, MOST_SECONDS = 3.0, 15.0  # of a good sample
LEAST_USABLE_SECONDS = 0.5
WORTH_TELLING_SECONDS = 0.1  # of silence that is cut off: nobody hears less
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
    warnings = []
    if seconds < LEAST_SECONDS:
        warnings.append(f"the voice sample is only {seconds:.1f} s long: record 3 to 15 s for a closer voice")
    elif seconds > MOST_SECONDS and whole:
        warnings.append(
            f"the voice sample is {seconds:.0f} s long, and a transcript goes with all of it: cut both to 3 to 15 s"
        )
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
    if max(before, behind) >= WORTH_TELLING_SECONDS:
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
