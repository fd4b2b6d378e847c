"""Teacher audio on the training device: follows growing shards, keeps one int16 buffer a group of speakers, cuts random
clips."""

import json
import zlib
from pathlib import Path

import numpy as np
import torch
from shards import FRAME_SAMPLES, LABEL_SAMPLES
from sizes import LABELS_PER_FRAME
from speakers import group_of

HELD_OUT_ONE_IN = 250
REFERENCE_ONE_IN, SHORTEST_REFERENCE, LONGEST_REFERENCE = 3, 20, 125  # frames


def held_out(item):
    """The same items are kept from the codec's and the talker's training: chosen by their text alone."""
    return zlib.crc32(item["text"].encode()) % HELD_OUT_ONE_IN == 0


def taught(hours):
    """Of {group: hours}, the most of a group that teachers speak: people's recordings are there at once."""
    return max((value for group, value in hours.items() if group != "human"), default=0.0)


def may_be_reference(item):
    """A third of the clips of usable length: only these are encoded a second time, as poor recordings."""
    usable = SHORTEST_REFERENCE <= item["frames"] <= LONGEST_REFERENCE and group_of(item["speaker"]) != "human"
    return usable and zlib.crc32(item["text"].encode()) % REFERENCE_ONE_IN == 0


def read_items(path, start=0):
    """Whole lines of a growing .jsonl from byte `start`: (items, next byte)."""
    with open(path, "rb") as file:
        file.seek(start)
        block = file.read()
    whole = block[: block.rfind(b"\n") + 1]
    return [json.loads(line) for line in whole.splitlines()], start + len(whole)


class Buffer:
    def __init__(self, frames, device):
        self.audio = torch.zeros(frames, FRAME_SAMPLES, dtype=torch.int16, device=device)
        self.labels = torch.zeros(frames, LABELS_PER_FRAME, dtype=torch.uint8, device=device)
        self.ends = []  # of the items, in frames

    @property
    def frames(self):
        return self.ends[-1] if self.ends else 0

    def starts(self, count, frames, generator):
        """Random first frames of clips; a clip stays inside its item where the item is long enough."""
        ends = np.array(self.ends)
        chosen = generator.integers(0, self.frames - frames - 1, count)
        end = ends[np.searchsorted(ends, chosen, side="right")]
        begin = np.concatenate([[0], ends])[np.searchsorted(ends, chosen, side="right")]
        return np.minimum(np.minimum(chosen, np.maximum(begin, end - frames)), self.frames - frames - 2)


class Pool:
    def __init__(self, folder, shares, hours, device, seed):
        """`shares` {group: share of the clips}; at most `hours` of the largest group are held, of the others less."""
        self.folder = Path(folder)
        self.device = device
        self.shares = shares
        frames = hours * 3600 * 12.5 / max(shares.values())
        self.buffers = {name: Buffer(int(frames * share), device) for name, share in shares.items()}
        self.read_to = {}
        self.generator = np.random.default_rng(seed)

    def refresh(self, most_frames=200_000):
        """Take in what is new, about `most_frames` at most so that no training step waits long."""
        taken = 0
        for index in sorted(self.folder.glob("*.jsonl")):
            items, end = read_items(index, self.read_to.get(index, 0))
            self.read_to[index] = end
            taken += self._take(index, [item for item in items if not held_out(item)])
            if taken > most_frames:
                break
        return taken

    def _take(self, index, items):
        """Items stand in a shard one after the other: one read for all, then one copy for each."""
        if not items:
            return 0
        first, last = items[0]["start_frame"], items[-1]["start_frame"] + items[-1]["frames"]
        audio = self._read(index.with_suffix(".pcm"), "<i2", first, last, FRAME_SAMPLES)
        labels = self._read(index.with_suffix(".lab"), np.uint8, first, last, LABELS_PER_FRAME)
        taken = 0
        for item in items:
            buffer = self.buffers.get(group_of(item["speaker"]))
            if buffer is None:
                continue
            source = slice(item["start_frame"] - first, item["start_frame"] - first + item["frames"])
            target = slice(buffer.frames, buffer.frames + item["frames"])
            if source.stop > min(len(audio), len(labels)) or target.stop > len(buffer.audio):
                continue
            buffer.audio[target] = audio[source]
            buffer.labels[target] = labels[source]
            buffer.ends.append(target.stop)
            taken += item["frames"]
        return taken

    def _read(self, path, kind, first, last, width):  # -> [frames, width], on the device
        size = np.dtype(kind).itemsize
        values = np.fromfile(path, kind, (last - first) * width, offset=first * width * size)
        return torch.from_numpy(values[: len(values) // width * width]).view(-1, width).to(self.device)

    def hours(self):
        return {name: round(buffer.frames / 12.5 / 3600, 2) for name, buffer in self.buffers.items()}

    def clips(self, count, frames):
        """audio [count, frames x 1920] float, labels [count, frames x 4]; every group has its share on average."""
        names = [name for name, buffer in self.buffers.items() if buffer.frames > frames + 2]
        shares = np.array([self.shares[name] for name in names])
        chosen = self.generator.choice(len(names), count, p=shares / shares.sum())
        audio, labels = [], []
        for row, name in enumerate(names):
            buffer, share = self.buffers[name], int((chosen == row).sum())
            first = buffer.starts(share, frames, self.generator) * LABELS_PER_FRAME
            first = torch.from_numpy(first + self.generator.integers(0, LABELS_PER_FRAME, share)).to(self.device)
            steps = first[:, None] + torch.arange(frames * LABELS_PER_FRAME, device=self.device)[None]
            audio.append(buffer.audio.view(-1, LABEL_SAMPLES)[steps].view(share, frames * FRAME_SAMPLES))
            labels.append(buffer.labels.view(-1)[steps])
        return torch.cat(audio).float() / 32768, torch.cat(labels).long()
