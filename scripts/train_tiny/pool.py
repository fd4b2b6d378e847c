"""Teacher audio on the training device: follows growing shards, keeps one int16 buffer a speaker, cuts random clips."""

import json
import zlib
from pathlib import Path

import numpy as np
import torch
from shards import FRAME_SAMPLES, LABEL_SAMPLES
from sizes import LABELS_PER_FRAME

HELD_OUT_ONE_IN = 250


def held_out(item):
    """The same items are kept from the codec's and the talker's training: chosen by their text alone."""
    return zlib.crc32(item["text"].encode()) % HELD_OUT_ONE_IN == 0


def read_items(path, start=0):
    """Whole lines of a growing .jsonl from byte `start`: (items, next byte)."""
    with open(path, "rb") as file:
        file.seek(start)
        block = file.read()
    whole = block[: block.rfind(b"\n") + 1]
    return [json.loads(line) for line in whole.splitlines()], start + len(whole)


def runs(items):
    """Neighbouring items of one speaker as (speaker, first frame, frames), held-out items left out."""
    result = []
    for item in items:
        if held_out(item):
            continue
        joined = result and result[-1][0] == item["speaker"] and sum(result[-1][1:]) == item["start_frame"]
        if joined:
            result[-1][2] += item["frames"]
        else:
            result.append([item["speaker"], item["start_frame"], item["frames"]])
    return result


class Buffer:
    def __init__(self, frames, books, device):
        self.audio = torch.zeros(frames, FRAME_SAMPLES, dtype=torch.int16, device=device)
        self.labels = torch.zeros(frames, LABELS_PER_FRAME, dtype=torch.uint8, device=device)
        self.codes = torch.zeros(frames, books, dtype=torch.int16, device=device)
        self.frames = 0


class Pool:
    def __init__(self, folder, speakers, hours_each, device, seed, books=0):
        """`books` > 0 also reads NAME.codes.npy, one row a frame (for training the decoder alone)."""
        self.folder = Path(folder)
        self.device = device
        self.books = books
        self.capacity = int(hours_each * 3600 * 12.5)
        self.buffers = {name: Buffer(self.capacity, books, device) for name in speakers}
        self.read_to = {}
        self.generator = np.random.default_rng(seed)

    def refresh(self, most_frames=200_000):
        """Take in what is new, at most `most_frames` so that no training step waits long."""
        taken = 0
        for index in sorted(self.folder.glob("*.jsonl")):
            if self.books and not index.with_suffix(".codes.npy").exists():
                continue
            items, end = read_items(index, self.read_to.get(index, 0))
            self.read_to[index] = end
            codes = np.load(index.with_suffix(".codes.npy"), mmap_mode="r") if self.books and items else None
            for speaker, first, frames in runs(items):
                taken += self._take(index, codes, self.buffers[speaker], first, frames)
            if taken > most_frames:
                break
        return taken

    def _take(self, index, codes, buffer, first, frames):
        frames = min(frames, self.capacity - buffer.frames)
        if frames <= 0:
            return 0
        rows = slice(buffer.frames, buffer.frames + frames)
        audio = np.fromfile(index.with_suffix(".pcm"), "<i2", frames * FRAME_SAMPLES, offset=first * FRAME_SAMPLES * 2)
        labels = np.fromfile(
            index.with_suffix(".lab"), np.uint8, frames * LABELS_PER_FRAME, offset=first * LABELS_PER_FRAME
        )
        if len(audio) < frames * FRAME_SAMPLES or len(labels) < frames * LABELS_PER_FRAME:
            return 0
        buffer.audio[rows] = torch.from_numpy(audio).view(frames, FRAME_SAMPLES).to(self.device)
        buffer.labels[rows] = torch.from_numpy(labels).view(frames, LABELS_PER_FRAME).to(self.device)
        if codes is not None:
            buffer.codes[rows] = torch.from_numpy(np.array(codes[first : first + frames], np.int16)).to(self.device)
        buffer.frames += frames
        return frames

    def hours(self):
        return {name: round(buffer.frames / 12.5 / 3600, 2) for name, buffer in self.buffers.items()}

    def clips(self, count, frames, aligned=False):
        """Every speaker the same share: audio [count, frames x 1920] float, labels [count, frames x 4], codes."""
        audio, labels, codes = [], [], []
        names = [name for name, buffer in self.buffers.items() if buffer.frames > frames + 1]
        chosen = self.generator.permutation(np.resize(self.generator.permutation(names), count))
        for name in sorted(set(chosen)):
            buffer = self.buffers[name]
            share = int((chosen == name).sum())
            first = self.generator.integers(0, buffer.frames - frames - 1, share) * LABELS_PER_FRAME
            if not aligned:
                first = first + self.generator.integers(0, LABELS_PER_FRAME, share)
            first = torch.from_numpy(first).to(self.device)
            steps = first[:, None] + torch.arange(frames * LABELS_PER_FRAME, device=self.device)[None]
            audio.append(buffer.audio.view(-1, LABEL_SAMPLES)[steps].view(share, -1))
            labels.append(buffer.labels.view(-1)[steps])
            rows = first[:, None] // LABELS_PER_FRAME + torch.arange(frames, device=self.device)[None]
            codes.append(buffer.codes[rows])
        audio = torch.cat(audio).float() / 32768
        return audio, torch.cat(labels).long(), torch.cat(codes).long()
