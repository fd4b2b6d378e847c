"""Recordings of people on the training device, in pairs: nobody wrote down their words, so they teach the speaker encoder
alone, whom to tell from whom."""

from pathlib import Path

import numpy as np
import torch
from pool import read_items
from shards import FRAME_SAMPLES
from speakers import HUMAN_PREFIX, MANY_PEOPLE
from talker_data import on

LEAST_FRAMES = 100  # 8 seconds


def person_named(speaker):
    """The person of a shard's speaker; None for a synthetic one and for a file that many people share."""
    if not speaker.startswith(HUMAN_PREFIX) or MANY_PEOPLE in speaker:
        return None
    return speaker


class People:
    def __init__(self, folder, device):
        """All shards of people in the folder; a person at another speed is another person."""
        clips = {}
        for index in sorted(Path(folder).glob("*.jsonl")):
            items = [(person_named(item["speaker"]), item) for item in read_items(index)[0]]
            if not any(person for person, _ in items):
                continue
            samples = np.fromfile(index.with_suffix(".pcm"), "<i2")
            samples = samples[: len(samples) // FRAME_SAMPLES * FRAME_SAMPLES].reshape(-1, FRAME_SAMPLES)
            for person, item in items:
                last = item["start_frame"] + item["frames"]
                if person and last <= len(samples):
                    clips.setdefault(person, []).append(samples[item["start_frame"] : last])
        voices = [np.concatenate(parts) for parts in clips.values()]
        voices = [voice for voice in voices if len(voice) >= LEAST_FRAMES]
        self.lengths = np.array([len(voice) for voice in voices], int)
        self.starts = np.cumsum(self.lengths) - self.lengths
        self.audio = torch.from_numpy(np.concatenate(voices)).to(device) if voices else None

    def __len__(self):
        return len(self.lengths)

    def pairs(self, count, frames, random):
        """Two clips each of `count` people, different ones as far as there are: 2 x [count, frames x 1920], numbers."""
        order = random.permutation(len(self))
        people = np.resize(order, count)
        length = self.lengths[people]
        begin = (random.random(count) * length).astype(int)
        apart = frames + (random.random(count) * np.maximum(1, length - 2 * frames)).astype(int)
        return self._clips(people, begin, frames), self._clips(people, begin + apart, frames), people

    def _clips(self, people, begin, frames):
        rows = (begin[:, None] + np.arange(frames)[None]) % self.lengths[people][:, None] + self.starts[people][:, None]
        chosen = self.audio[on(rows, self.audio.device)]
        return chosen.flatten(1).float() / 32768
