"""The encoded shards as device tensors, and random batches of like length, balanced over the speakers."""

from pathlib import Path

import numpy as np
import torch
from pool import held_out, read_items
from prompt_tracks import TrackBuilder
from sizes import LABELS_PER_FRAME

# Few lengths, so that kernels are reused; the longest holds 25 s and 300 characters.
EDGES = (48, 64, 80, 96, 128, 160, 208, 272, 352, 480)
STREAMED_SHARE, AUTO_SHARE = 0.3, 0.18
# A speaker's share of the batches goes with the square root of its audio: the bulk voice must not drown the others.
BALANCE = 0.5
DRAWS = 100_000


class TalkerData:
    def __init__(self, builder, device):
        self.builder, self.device = builder, device

    def load(self, folder, tokenizer, speakers):
        items, codes, phones, base = [], [], [], 0
        for index in sorted(Path(folder).glob("*.jsonl")):
            encoded = index.with_suffix(".codes.npy")
            if not encoded.exists():
                continue
            rows = np.load(encoded)
            shard = [item for item in read_items(index)[0] if item["start_frame"] + item["frames"] <= len(rows)]
            texts = tokenizer.encode_batch([item["text"] for item in shard])
            items += [
                (text.ids, speakers.index(item["speaker"]), base + item["start_frame"], item["frames"], held_out(item))
                for text, item in zip(texts, shard, strict=False)
            ]
            codes.append(rows)
            labels = np.fromfile(index.with_suffix(".lab"), np.uint8, len(rows) * LABELS_PER_FRAME)
            begun = np.cumsum(np.diff(labels, prepend=labels[:1]) != 0)
            phones.append(begun[LABELS_PER_FRAME // 2 :: LABELS_PER_FRAME].astype(np.int32))
            base += len(rows)
        self.set(items, np.concatenate(codes), np.concatenate(phones))

    def fake(self, sizes, count=4000):
        """Random items of every length, to compile and warm up before there are codes."""
        random = np.random.default_rng(0)
        frames = random.integers(8, 300, count)
        starts = np.cumsum(frames) - frames
        items = [
            (random.integers(0, 250, max(2, f // 2)).tolist(), i % 2, s, f, False)
            for i, (f, s) in enumerate(zip(frames.tolist(), starts.tolist(), strict=False))
        ]
        total = int(frames.sum())
        codes = random.integers(0, sizes.codec.entries, (total, sizes.codec.books)).astype(np.int16)
        self.set(items, codes, np.arange(total, dtype=np.int32))

    def set(self, items, codes, phones):
        """phones [frames]: how many phones have begun by the middle of a frame, counted through whole shards."""
        texts, speakers, starts, frames, held = zip(*items, strict=False)
        lengths = [len(text) for text in texts]
        self.codes = torch.from_numpy(codes).to(self.device)
        self.phones = torch.from_numpy(phones).to(self.device)
        self.text = torch.tensor([token for text in texts for token in text], dtype=torch.int32, device=self.device)
        self.text_length = np.array(lengths)
        self.text_start = np.cumsum(lengths) - lengths
        self.speaker, self.start, self.frames = np.array(speakers), np.array(starts), np.array(frames)
        self.held = np.array(held)

    def positions(self, chosen, auto, streamed):
        whole = TrackBuilder.overhead(auto.astype(int)) + self.frames[chosen] + 1
        return whole + np.where(streamed, 0, self.text_length[chosen] + 1)

    def draw(self, candidates, random, count):
        """Items with random modes: (item, auto, streamed, bucket); those longer than the last edge are left out."""
        hours = np.bincount(self.speaker[candidates], self.frames[candidates], minlength=self.speaker.max() + 1)
        numbers = np.bincount(self.speaker[candidates], minlength=len(hours))
        weight = np.where(hours > 0, hours**BALANCE, 0) / np.maximum(numbers, 1)
        weight = weight[self.speaker[candidates]]
        chosen = random.choice(candidates, count, p=weight / weight.sum())
        auto, streamed = random.random(count) < AUTO_SHARE, random.random(count) < STREAMED_SHARE
        bucket = np.searchsorted(EDGES, self.positions(chosen, auto, streamed))
        return chosen, auto, streamed, bucket

    def batches(self, seed, positions, rank, world):
        """For ever: (length, items, auto, streamed); all ranks get the same length at the same time."""
        random = np.random.default_rng(seed)
        candidates = np.flatnonzero(~self.held)
        while True:
            chosen, auto, streamed, bucket = self.draw(candidates, random, DRAWS * world)
            pieces = []
            for number, edge in enumerate(EDGES):
                rows = np.flatnonzero(bucket == number)
                size = max(1, positions // edge) * world
                pieces += [(edge, rows[at : at + size]) for at in range(0, len(rows) - size + 1, size)]
            if not pieces:
                raise SystemExit("too little data for one batch")
            for piece in random.permutation(len(pieces)):
                edge, rows = pieces[piece]
                rows = rows[rank::world]
                yield edge, chosen[rows], auto[rows], streamed[rows]

    def tracks(self, length, items, auto, streamed):
        def on(array, kind=torch.long):
            return torch.as_tensor(array, dtype=kind).to(self.device)

        text_length, frames = on(self.text_length[items]), on(self.frames[items])
        text = self._rows(self.text, on(self.text_start[items]), int(self.text_length[items].max()))
        codes = self._rows(self.codes, on(self.start[items]), int(self.frames[items].max()))
        phones = self._rows(self.phones, on(self.start[items]), int(self.frames[items].max()))
        begun = phones - phones[:, :1]
        spoken = (begun / begun.gather(1, frames[:, None] - 1).clamp(min=1)).clamp(max=1)
        return self.builder.build(
            text,
            text_length,
            codes,
            frames,
            on(self.speaker[items]),
            on(auto, torch.bool),
            on(streamed, torch.bool),
            length,
            spoken,
        )

    @staticmethod
    def _rows(values, starts, length):
        index = starts[:, None] + torch.arange(length, device=values.device)[None]
        return values[index.clamp(max=len(values) - 1)].long()
