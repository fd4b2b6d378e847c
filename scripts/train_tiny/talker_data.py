"""The encoded shards as device tensors, and random batches of like length with their prompts.

A speaker of the table SPEAKERS mostly speaks by its id, all others by a reference: another clip of the same speaker,
as a speaker vector alone or with its words and frames in front (in-context).
"""

import itertools
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
import torch
from pack_codes import begun
from phone_tokens import ALL, COPIES
from pool import LONGEST_REFERENCE, held_out, may_be_reference, read_items
from prompt_tracks import VECTOR, TrackBuilder
from shards import FRAME_SAMPLES
from sizes import LABELS_PER_FRAME
from speakers import SPEAKERS, group_of

# Few lengths, so that kernels are reused; the longest holds 25 s and 300 characters, or a clone of 15 s from one of 10.
EDGES = (48, 64, 80, 96, 128, 160, 208, 272, 352, 480, 600)
AUTO_SHARE = 0.18
BY_ID, BY_VECTOR, IN_CONTEXT = range(3)
PROMPTS = ("id", "vector", "context")
PROMPT_SHARES = {"preset": (0.8, 0.08, 0.12), "synthetic": (0.0, 0.45, 0.55)}
VECTOR_SHARES = {"preset": (0.8, 0.2, 0.0), "synthetic": (0.0, 1.0, 0.0)}  # no frames in front: no encoder is shipped
STREAMED_SHARES = np.array([0.3, 0.6, 0.6])  # the released Base models stream the text by default
STREAMED_MOST = (
    0.9  # text ids a frame: phones come as fast as frames, and what is streamed must be there before it is said
)
# Shares of the batches; within a group a speaker's goes with the square root of its audio.
GROUP_SHARES = {"preset": 0.3, "synthetic": 0.7}
BALANCE = 0.5
DRAWS = 100_000
MOST_REFERENCES = 8  # clips a speaker that are kept as audio, too
CLIPS_AT_ONCE = 256
UNSEEN_ONE_IN, UNSEEN = 50, 49  # of the synthetic speakers, by number: for validation alone


def unseen(speaker):
    """Synthetic speakers that the talker never learns from."""
    return group_of(speaker) == "synthetic" and int(speaker[1:]) % UNSEEN_ONE_IN == UNSEEN


def on(array, device, kind=torch.long):
    """A NumPy array on the device. Pinned memory, because the host waits for all that is queued before it copies other."""
    tensor = torch.as_tensor(array, dtype=kind)
    return tensor.pin_memory().to(device, non_blocking=True) if device.type == "cuda" else tensor.to(device)


@dataclass(frozen=True)
class Plan:
    """What is spoken, and how it is asked for: arrays of equal length. `copy` is which copy of the text (phone_tokens.COPIES),
    `reference` an item, -1 for none."""

    item: np.ndarray
    copy: np.ndarray
    prompt: np.ndarray
    reference: np.ndarray
    auto: np.ndarray
    streamed: np.ndarray

    def __getitem__(self, rows):
        return Plan(*(getattr(self, field.name)[rows] for field in fields(self)))

    def __len__(self):
        return len(self.item)

    @property
    def given(self):  # the items whose words and frames stand in front
        return np.where(self.prompt == IN_CONTEXT, self.reference, -1)


class TalkerData:
    def __init__(self, builder, device, prompt_shares=PROMPT_SHARES, group_shares=GROUP_SHARES):
        self.builder, self.device, self.prompt_shares = builder, device, prompt_shares
        self.group_shares = group_shares

    def load(self, folder, tokenizer, copies=None):
        """All encoded shards; a text that nobody has written down (recordings of people) is left out.

        copies: what copies.py wrote; a text that it lacks has its letters alone.
        """
        items, codes, heard, phones, sources, written, base = [], [], [], [], [], [], 0
        self.names = list(SPEAKERS)
        numbers = {name: number for number, name in enumerate(self.names)}
        for index in sorted(Path(folder).glob("*.jsonl")):
            encoded = index.with_suffix(".codes.npy")
            if not encoded.exists():
                continue
            rows = np.load(encoded)
            if not len(rows):
                continue
            shard = [
                item
                for item in read_items(index)[0]
                if item["start_frame"] + item["frames"] <= len(rows) and group_of(item["speaker"]) != "human"
            ]
            texts = tokenizer.encode_batch([item["text"] for item in shard])
            sound = index.with_suffix(".pcm")  # codes of an earlier run came without it: they are no references
            for text, item in zip(texts, shard, strict=True):
                speaker = item["speaker"]
                if speaker not in numbers:
                    numbers[speaker] = len(self.names)
                    self.names.append(speaker)
                start, length = item["start_frame"], item["frames"]
                held = held_out(item) or unseen(speaker)
                items.append(
                    (
                        text.ids,
                        numbers[speaker],
                        base + start,
                        length,
                        held,
                        sound.exists() and may_be_reference(item),
                        len(sources),
                    )
                )
            written += [item["text"] for item in shard]
            # A teacher that was stopped may have left a part of a frame behind.
            samples = (
                np.memmap(sound, "<i2", "r")[: len(rows) * FRAME_SAMPLES] if sound.exists() else np.zeros(0, "<i2")
            )
            sources.append((samples.reshape(-1, FRAME_SAMPLES), base))
            codes.append(rows)
            degraded = index.with_suffix(".heard.npy")
            heard.append(np.load(degraded) if degraded.exists() else rows)
            counted = index.with_suffix(".begun.npy")
            labels = (
                None
                if counted.exists()
                else np.fromfile(index.with_suffix(".lab"), np.uint8, len(rows) * LABELS_PER_FRAME)
            )
            phones.append(np.load(counted) if labels is None else begun(labels))
            base += len(rows)
        source = [item[-1] for item in items]
        rows = None if copies is None else np.array([copies.rows.get(text, -1) for text in written])
        self.set(
            [item[:-1] for item in items],
            np.concatenate(codes),
            np.concatenate(heard),
            np.concatenate(phones),
            copies,
            rows,
        )
        self.set_audio(self._clip(item, *sources[source[item]]) for item in self.references)

    def _clip(self, item, samples, base):
        return samples[self.start[item] - base :][: self.frames[item]]

    def fake(self, sizes, count=4000):
        """Random items of every length, to compile and warm up before there are codes."""
        random = np.random.default_rng(0)
        frames = random.integers(8, 300, count)
        starts = np.cumsum(frames) - frames
        self.names = [*SPEAKERS, "s00000", "s00001"]
        items = [
            (random.integers(0, 250, max(2, f // 2)).tolist(), i % len(self.names), s, f, False, f <= LONGEST_REFERENCE)
            for i, (f, s) in enumerate(zip(frames.tolist(), starts.tolist(), strict=False))
        ]
        total = int(frames.sum())
        codes = random.integers(0, sizes.codec.entries, (total, sizes.codec.books)).astype(np.int16)
        self.set(items, codes, codes, np.arange(total, dtype=np.int32))
        noise = random.integers(-3000, 3000, (LONGEST_REFERENCE, FRAME_SAMPLES)).astype(np.int16)
        self.set_audio(noise[: self.frames[item]] for item in self.references)

    def set(self, items, codes, heard, phones, copies=None, rows=None):
        """items: text ids, number of the speaker, first frame, frames, held out?, a reference? heard: the codes as a poor recording gives them. phones [frames]: how many phones have begun by the middle of
        a frame, counted through whole shards. rows: of each item, where its text stands in `copies`, or -1."""
        texts, speakers, starts, frames, held, reference = zip(*items, strict=True)
        lengths = [len(text) for text in texts]
        self.codes = torch.from_numpy(codes).to(self.device)
        self.heard = torch.from_numpy(heard).to(self.device)
        self.phones = torch.from_numpy(phones).to(self.device)
        ids = np.array([token for text in texts for token in text], np.int32)
        shares = np.concatenate([np.linspace(0, 1, length, dtype=np.float32) for length in lengths])
        self.text_length = np.repeat(np.array(lengths)[:, None], len(COPIES), 1)  # [items, copies]
        self.text_start = np.repeat((np.cumsum(lengths) - lengths)[:, None], len(COPIES), 1)
        if copies is not None:
            found = rows >= 0
            self.text_length[found] = copies.length[rows[found]]
            self.text_start[found] = len(ids) + copies.start[rows[found]]
            ids = np.concatenate([ids, copies.ids.astype(np.int32)])
            shares = np.concatenate([shares, copies.shares.astype(np.float32)])
        self.text = torch.from_numpy(ids).to(self.device)
        self.text_share = torch.from_numpy(shares).to(self.device)  # of the phones that have begun before an id
        self.speaker, self.start, self.frames = np.array(speakers), np.array(starts), np.array(frames)
        self.held = np.array(held)
        self.preset = np.array([group_of(name) == "preset" for name in self.names])
        self.unseen = np.array([unseen(name) for name in self.names])
        self._choose_references(np.array(reference))

    def _choose_references(self, usable):
        """For every speaker some of the usable clips: `references` by speaker, `first_reference`, `reference_count`."""
        usable = np.random.default_rng(3).permutation(np.flatnonzero(usable))
        usable = usable[np.argsort(self.speaker[usable], kind="stable")]
        number, counts = self.speaker[usable], np.bincount(self.speaker[usable], minlength=len(self.names))
        place = np.arange(len(usable)) - (np.cumsum(counts) - counts)[number]
        self.references = usable[place < MOST_REFERENCES]
        self.reference_count = np.minimum(counts, MOST_REFERENCES)
        self.first_reference = np.cumsum(self.reference_count) - self.reference_count

    def set_audio(self, clips):
        """The audio [frames, 1920] of every reference, in their order; many gigabytes, so that they go in pieces."""
        lengths, first = self.frames[self.references], 0
        self.audio = torch.zeros(max(1, int(lengths.sum())), FRAME_SAMPLES, dtype=torch.int16, device=self.device)
        self.audio_start = np.full(len(self.frames), -1)
        self.audio_start[self.references] = np.cumsum(lengths) - lengths
        clips = iter(clips)
        while piece := list(itertools.islice(clips, CLIPS_AT_ONCE)):
            piece = torch.from_numpy(np.concatenate(piece))
            self.audio[first : first + len(piece)] = piece.to(self.device)
            first += len(piece)

    def other_clips(self, items, random):
        """For each item a reference of the same speaker that is another item."""
        speaker = self.speaker[items]
        first, count = self.first_reference[speaker], self.reference_count[speaker]
        place = (random.random(len(items)) * count).astype(int)
        chosen = self.references[first + place]
        return np.where(chosen == items, self.references[first + (place + 1) % count], chosen)

    def plan(self, items, prompt, auto, streamed, random, copy=None):
        copy = np.zeros(len(items), int) if copy is None else copy
        streamed = streamed & (self.text_length[items, copy] <= STREAMED_MOST * self.frames[items])
        streamed = streamed & np.array([kind != ALL for kind, _, _ in COPIES])[copy]
        reference = np.where(prompt == BY_ID, -1, items)
        asked = prompt != BY_ID
        reference[asked] = self.other_clips(items[asked], random)
        return Plan(items, copy, prompt, reference, auto, streamed)

    def positions(self, plan):
        given = plan.given
        frames = self.frames[plan.item] + np.where(given >= 0, self.frames[given], 0)
        text = self.text_length[plan.item, plan.copy] + np.where(given >= 0, self.text_length[given, 0], 0)
        whole = TrackBuilder.overhead(plan.auto.astype(int)) + frames + 1
        return whole + np.where(plan.streamed, 0, text + 1)

    def draw(self, candidates, random, count):
        """Random items with random prompts, and the bucket of each; those longer than the last edge are left out."""
        speaker = self.speaker[candidates]
        hours = np.bincount(speaker, self.frames[candidates], minlength=len(self.names))
        numbers = np.bincount(speaker, minlength=len(self.names))
        weight = np.where(hours > 0, hours**BALANCE, 0)
        for is_group, group in ((self.preset, "preset"), (~self.preset, "synthetic")):
            share = self.group_shares[group]
            weight[is_group] *= share / max(weight[is_group].sum(), 1e-9)
        weight = (weight / np.maximum(numbers, 1))[speaker]
        items = random.choice(candidates, count, p=weight / weight.sum())
        chance = random.random(count)
        shares = np.where(self.preset[self.speaker[items]][:, None], *(self.prompt_shares[key] for key in GROUP_SHARES))
        prompt = (chance[:, None] >= shares.cumsum(1)[:, :2]).sum(1)
        prompt[self.reference_count[self.speaker[items]] < 2] = BY_ID
        auto, streamed = random.random(count) < AUTO_SHARE, random.random(count) < STREAMED_SHARES[prompt]
        copy = random.choice(len(COPIES), count, p=[share for _, _, share in COPIES])
        plan = self.plan(items, prompt, auto, streamed, random, copy)
        return plan, np.searchsorted(EDGES, self.positions(plan))

    def batches(self, seed, positions, rank, world):
        """For ever: (length, plan); all ranks get the same length at the same time."""
        random = np.random.default_rng(seed)
        possible = self.preset | (self.reference_count >= 2)
        candidates = np.flatnonzero(~self.held & possible[self.speaker])
        while True:
            plan, bucket = self.draw(candidates, random, DRAWS * world)
            pieces = []
            for number, edge in enumerate(EDGES):
                rows = np.flatnonzero(bucket == number)
                size = max(1, positions // edge) * world
                pieces += [(edge, rows[at : at + size]) for at in range(0, len(rows) - size + 1, size)]
            if not pieces:
                raise SystemExit("too little data for one batch")
            for piece in random.permutation(len(pieces)):
                edge, rows = pieces[piece]
                yield edge, plan[rows[rank::world]]

    def tracks(self, length, plan):
        """The prompt and the frames; `vectors` is still missing where a speaker's vector is asked for."""
        items, given = plan.item, plan.given
        starts, lengths = self.text_start, self.text_length
        text, text_length, given_text = self._joined(
            (self.text, starts[given, 0], lengths[given, 0]),
            (self.text, starts[items, plan.copy], lengths[items, plan.copy]),
            given >= 0,
        )
        codes, frames, given_frames = self._joined(
            (self.heard, self.start[given], self.frames[given]),
            (self.codes, self.start[items], self.frames[items]),
            given >= 0,
        )
        own = self._on(self.frames[items])
        phones = self._rows(self.phones, self._on(self.start[items]), int(self.frames[items].max()))
        begun = phones - phones[:, :1]
        spoken = (begun / begun.gather(1, own[:, None] - 1).clamp(min=1)).clamp(max=1)
        spoken = self._place_in_text(spoken, starts[items, plan.copy], lengths[items, plan.copy])
        speaker = np.where(plan.prompt == BY_ID, self.speaker[items], VECTOR)
        return self.builder.build(
            text,
            text_length,
            codes,
            frames,
            self._on(speaker),
            self._on(plan.auto, torch.bool),
            self._on(plan.streamed, torch.bool),
            length,
            spoken,
            given_text,
            given_frames,
        )

    def reference_audio(self, references, frames, random):
        """[N, frames x 1920] of these references from a random frame on; a shorter clip begins anew."""
        lengths, starts = self._on(self.frames[references]), self._on(self.audio_start[references])
        begin = self._on((random.random(len(references)) * self.frames[references]).astype(int))
        step = torch.arange(frames, device=self.device)[None]
        rows = starts[:, None] + (begin[:, None] + step) % lengths[:, None]
        return self.audio[rows].flatten(1).float() / 32768

    def _on(self, array, kind=torch.long):
        return on(array, self.device, kind)

    def _joined(self, first, second, is_given):
        """Rows of the reference (if any) and of the item behind it: [B, longest], whole lengths, lengths of the first.

        first, second: the values, and of each row where it starts in them and how long it is.
        """
        before = np.where(is_given, first[2], 0)
        total = before + second[2]
        step = torch.arange(int(total.max()), device=self.device)[None]
        before, total = self._on(before), self._on(total)
        at_first = self._on(np.where(is_given, first[1], 0))[:, None] + step
        at_second = self._on(second[1])[:, None] + step - before[:, None]
        inside = step < before[:, None]
        front = first[0][at_first.clamp(max=len(first[0]) - 1)].long()
        back = second[0][at_second.clamp(0, len(second[0]) - 1)].long()
        inside = inside if front.ndim == 2 else inside[..., None]
        return torch.where(inside, front, back), total, before

    def _place_in_text(self, spoken, starts, lengths):
        """[B, F] shares of the phones that have begun -> how far into the text ids that is, 0 to 1."""
        width = int(lengths.max())
        starts, lengths = self._on(starts)[:, None], self._on(lengths)[:, None]
        step = torch.arange(width, device=self.device)[None]
        begun = self.text_share[(starts + step).clamp(max=len(self.text_share) - 1)]
        begun = torch.where(step < lengths, begun, 2.0 + step)  # sorted, and behind every share
        spoken = spoken.contiguous()
        place = torch.searchsorted(begun.contiguous(), spoken, right=True) - 1
        place = torch.minimum(place.clamp(min=0), lengths - 1)
        low = begun.gather(1, place)
        high = begun.gather(1, torch.minimum(place + 1, lengths - 1))
        within = ((spoken - low) / (high - low).clamp(min=1e-6)).clamp(0, 1)
        return (place + within * (high > low)) / (lengths - 1).clamp(min=1)

    @staticmethod
    def _rows(values, starts, length):
        index = starts[:, None] + torch.arange(length, device=values.device)[None]
        return values[index.clamp(max=len(values) - 1)].long()
