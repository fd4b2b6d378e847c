"""Training shards: what teacher.py writes and the training programs read.

NAME.pcm    int16 mono 24 kHz, items one after the other, each padded to whole 1920-sample frames
NAME.lab    uint8, one phone label for every 480 samples of the .pcm (0 = silence)
NAME.jsonl  one line an item: {"text", "speaker", "start_frame", "frames"}

A line is written only after its audio and labels are on disk, so a reader may follow a growing shard.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

SAMPLE_RATE = 24000
FRAME_SAMPLES = 1920
LABEL_SAMPLES = 480
LEAD_SECONDS, TAIL_SECONDS = 0.06, 0.14
LONGEST_SECONDS = 25.0
ACTIVE_LEVEL = 0.1  # -20 dBFS
HIGHEST_PEAK = 0.95
SOUND_THRESHOLD = 0.01  # 20 dB under the active level
ITEMS_PER_FLUSH = 16


class UnusableAudio(Exception):
    """The teacher produced something that must not be learned from."""


@dataclass(frozen=True)
class Clip:
    """Teacher audio with the end sample of every phone."""

    audio: np.ndarray
    phones: np.ndarray
    phone_ends: np.ndarray


def block_rms(audio: np.ndarray, block: int) -> np.ndarray:
    whole = audio[: len(audio) // block * block].reshape(-1, block)
    return np.sqrt(np.mean(np.square(whole), axis=1))


def normalise_loudness(audio: np.ndarray) -> np.ndarray:
    """Bring the RMS of the parts that sound (within 30 dB of the loudest) to the common level."""
    levels = block_rms(audio, LABEL_SAMPLES)
    if levels.size == 0 or levels.max() < 1e-3:
        raise UnusableAudio("silence")
    active = levels[levels > levels.max() * 10 ** (-30 / 20)]
    gain = ACTIVE_LEVEL / np.sqrt(np.mean(np.square(active)))
    return audio * min(gain, HIGHEST_PEAK / np.abs(audio).max())


def finish(clip: Clip) -> tuple[np.ndarray, np.ndarray]:
    """Level, trim to 60 ms before and 140 ms after the sound, pad to whole frames; int16 audio and labels."""
    if not np.isfinite(clip.audio).all():
        raise UnusableAudio("not finite")
    audio = normalise_loudness(clip.audio)
    sounding = np.flatnonzero(block_rms(audio, 240) > SOUND_THRESHOLD)
    if sounding.size == 0:
        raise UnusableAudio("silence")
    start = sounding[0] * 240 - int(LEAD_SECONDS * SAMPLE_RATE)
    stop = (sounding[-1] + 1) * 240 + int(TAIL_SECONDS * SAMPLE_RATE)
    if stop - start > LONGEST_SECONDS * SAMPLE_RATE:
        raise UnusableAudio("too long")
    length = -(-(stop - start) // FRAME_SAMPLES) * FRAME_SAMPLES
    result = np.zeros(length, np.float32)
    kept = audio[max(start, 0) : stop]
    offset = max(-start, 0)
    result[offset : offset + len(kept)] = kept
    centres = (np.arange(length // LABEL_SAMPLES) + 0.5) * LABEL_SAMPLES
    index = np.searchsorted(clip.phone_ends - start, centres, side="right")
    labels = clip.phones[np.minimum(index, len(clip.phones) - 1)].astype(np.uint8)
    labels[(centres < offset) | (centres >= offset + len(kept))] = 0
    return np.round(result * 32767).astype("<i2"), labels


class ShardWriter:
    def __init__(self, folder: Path, name: str):
        folder.mkdir(parents=True, exist_ok=True)
        self.pcm = (folder / f"{name}.pcm").open("wb")
        self.lab = (folder / f"{name}.lab").open("wb")
        self.index = (folder / f"{name}.jsonl").open("w", encoding="utf-8")
        self.waiting: list[str] = []
        self.frames = 0

    def add(self, text: str, speaker: str, audio: np.ndarray, labels: np.ndarray) -> None:
        frames = len(audio) // FRAME_SAMPLES
        self.pcm.write(audio.tobytes())
        self.lab.write(labels.tobytes())
        entry = {"text": text, "speaker": speaker, "start_frame": self.frames, "frames": frames}
        self.waiting.append(json.dumps(entry, ensure_ascii=False) + "\n")
        self.frames += frames
        if len(self.waiting) >= ITEMS_PER_FLUSH:
            self.flush()

    def flush(self) -> None:
        self.pcm.flush()
        self.lab.flush()
        self.index.writelines(self.waiting)
        self.index.flush()
        self.waiting.clear()

    def close(self) -> None:
        self.flush()
        for file in (self.pcm, self.lab, self.index):
            file.close()

    @property
    def seconds(self) -> float:
        return self.frames * FRAME_SAMPLES / SAMPLE_RATE
