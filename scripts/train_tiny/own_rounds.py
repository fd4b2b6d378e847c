"""Texts by voices, and the takes that are made of them: what a round of own_takes.py goes over."""

import json

import numpy as np
import torch
from phone_reader import numbers_of
from sizes import FRAME_SAMPLES, SAMPLE_RATE
from spoken import words

FRAMES_A_SECOND = SAMPLE_RATE / FRAME_SAMPLES
# As evaluate.py expects lengths; a take may be so many times as long.
SECONDS_BASE, SECONDS_PER_CHARACTER, LONGEST_TIMES, SLACK_FRAMES = 0.165, 0.0593, 1.7, 8


class Book:
    """The prompts by text and voice."""

    def __init__(self, path):
        with np.load(path) as found:
            facts = json.loads(bytes(found["facts"]))
            lengths, parts = found["lengths"], [found[name] for name in ("text", "codec", "trailing")]
        ends = np.cumsum(lengths, 0)
        self.text_pad = facts["text_pad"]
        self.texts = {"learn": facts["texts"], "held": facts["held"]}
        self.ordinary = facts.get(
            "ordinary", {kind: len(texts) for kind, texts in self.texts.items()}
        )  # then come names
        self.tracks, self.phones = {}, {}
        said = facts.get("phones", [""] * len(facts["rows"]))
        for row, (number, voice, kind) in enumerate(facts["rows"]):
            ids = [
                part[end - n : end].astype(np.int64)
                for part, end, n in zip(parts, ends[row], lengths[row], strict=True)
            ]
            self.tracks[kind, voice, number] = ids
            self.phones[kind, voice, number] = numbers_of(said[row])
        self.voices = sorted({voice for _, voice, _ in self.tracks} - {"clone"})

    def numbers(self, kind, voice, names=None):
        """Of a voice's texts; names: those with names, or those without."""
        found = [number for k, v, number in self.tracks if (k, v) == (kind, voice)]
        return [number for number in found if names is None or (number >= self.ordinary[kind]) == names]


class Round:
    """Texts by voices, and what was made of them."""

    def __init__(self, book, kind, groups, takes, vectors, width):
        """groups: [(voice, number, row of vectors or -1)], each `takes` times, in the order of their lengths."""
        groups = sorted(groups, key=lambda group: len(book.texts[kind][group[1]]))
        self.groups = [group for group in groups for _ in range(takes)]
        self.group = np.repeat(np.arange(len(groups)), takes)
        self.texts = [book.texts[kind][number] for _, number, _ in self.groups]
        self.tracks = [book.tracks[kind, voice, number] for voice, number, _ in self.groups]
        self.phones = [book.phones[kind, voice, number] for voice, number, _ in self.groups]
        self.named = np.array([number >= book.ordinary[kind] for _, number, _ in self.groups])
        self.speaker = np.array([row for *_, row in self.groups])
        rows = torch.zeros(len(self.groups), width, device=vectors.device)
        cloned = torch.from_numpy(self.speaker >= 0).to(vectors.device)
        rows[cloned] = vectors[torch.from_numpy(self.speaker[self.speaker >= 0]).to(vectors.device)]
        self.vectors = rows
        seconds = [SECONDS_BASE + SECONDS_PER_CHARACTER * len(" ".join(words(text))) for text in self.texts]
        frames = np.ceil(np.array(seconds) * FRAMES_A_SECOND * LONGEST_TIMES) + SLACK_FRAMES
        self.limits = torch.from_numpy(frames.astype(np.int64))


def within(values, group):
    """How much each value is above the mean of its group."""
    return values - (np.bincount(group, values) / np.bincount(group))[group]
