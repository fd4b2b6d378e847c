"""What all teacher engines share: a text read into phones, and what becomes of its audio."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from phonemes import SILENCE, SPACE, Phonemiser
from shards import SAMPLE_RATE, Clip, ShardWriter, UnusableAudio, finish
from speakers import SPEAKERS

MOST_PHONES = 508
KOKORO_FRAME = 600  # samples of one unit of duration
SECONDS_PER_PHONE = (0.025, 0.30)


@dataclass(frozen=True)
class Job:
    text: str
    speaker: str
    sentences: tuple[tuple[int, ...], ...]  # phone ids of each sentence, without the silences around it

    @property
    def phones(self) -> list[int]:
        """All sentences in one request, silence at both ends, a space between."""
        ids = [SILENCE]
        for number, sentence in enumerate(self.sentences):
            ids += ([SPACE] if number else []) + list(sentence)
        return [*ids, SILENCE]


def jobs(pairs: list[tuple[str, str]], skipped: Counter) -> Iterator[Job]:
    phonemiser = Phonemiser()
    for text, speaker in pairs:
        try:
            job = Job(text, speaker, tuple(phonemiser.sentences(text, SPEAKERS[speaker].british)))
            if not job.sentences or len(job.phones) > MOST_PHONES:
                raise UnusableAudio("no or too many phones")
            yield job
        except Exception as error:  # one odd text must not stop hours of work
            skipped[type(error).__name__ + ": " + str(error)[:60]] += 1


def clip_of(phones: list[int], durations: np.ndarray, frame: int, audio: np.ndarray) -> Clip:
    return Clip(audio.astype(np.float32), np.asarray(phones), np.cumsum(durations) * frame)


def store(job: Job, clip: Clip, writer: ShardWriter, skipped: Counter) -> None:
    try:
        audio, labels = finish(clip)
        seconds_per_phone = len(audio) / SAMPLE_RATE / len(clip.phones)
        if len(clip.phones) > 20 and not SECONDS_PER_PHONE[0] < seconds_per_phone < SECONDS_PER_PHONE[1]:
            raise UnusableAudio("odd speaking rate")
    except UnusableAudio as error:
        skipped[str(error)] += 1
    else:
        writer.add(job.text, job.speaker, audio, labels)


def read_style(folder: Path, speaker: str) -> np.ndarray:
    """Style vectors of a Kokoro voice, one for each number of phones."""
    return np.fromfile(folder / f"{SPEAKERS[speaker].teacher_voice}.bin", "<f4").reshape(-1, 256)
