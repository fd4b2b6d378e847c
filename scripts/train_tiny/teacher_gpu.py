"""Kokoro on a GPU, with presets and synthetic speakers: chunks of jobs, grouped by equal length so that batches need
no masks."""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from collections.abc import Iterator

import numpy as np
import torch
from kokoro_torch import Kokoro
from kokoro_weights import load_weights
from phonemise import read_phones
from shards import ShardWriter
from synthetic_speakers import VoiceBook, numbered
from teacher_common import KOKORO_FRAME, MOST_PHONES, Job, clip_of, store
from vocal_tract import resample

FRAME_MULTIPLE = 4  # utterance lengths are rounded up (in silence) so that more of them are equal
FRAMES_PER_BATCH = 6400  # 160 s of audio
PHONES_PER_BATCH = 16384
ITEMS_PER_CHUNK = 2048


def assigned(options: argparse.Namespace, book: VoiceBook) -> list[Job]:
    """This process's share of the texts in a seeded order, each with a speaker of its accent."""
    readings = list(read_phones(options.phones))
    random.Random(options.seed).shuffle(readings)
    synthetic = numbered(options.first_synthetic, options.synthetic)
    pools = {
        (preset, british): [name for name in names if book[name].british == british]
        for preset, names in ((True, options.speakers), (False, synthetic))
        for british in (False, True)
    }
    jobs = []
    for reading in readings[options.part[0] :: options.part[1]]:
        chance = random.Random(f"{options.seed} {reading.text}")
        pool = pools[chance.random() < options.preset_share, reading.british]
        if pool:
            job = Job(reading.text, chance.choice(pool), reading.sentences)
            jobs += [job] if job.sentences and len(job.phones) <= MOST_PHONES else []
    return jobs


def in_groups(items: list, length, budget: int) -> Iterator[list]:
    """Batches of items of equal length, none above the budget of total length."""
    groups: dict[int, list] = {}
    for item in items:
        groups.setdefault(length(item), []).append(item)
    for size, group in random.Random(len(items)).sample(sorted(groups.items()), len(groups)):
        step = max(1, budget // size)
        for start in range(0, len(group), step):
            yield group[start : start + step]


def speak_chunk(kokoro, book: VoiceBook, chunk: list[Job], writer: ShardWriter, skipped: Counter, options) -> None:
    def column(batch: list[Job], value) -> torch.Tensor:
        return torch.tensor([[value(book[job.speaker])] for job in batch], device=options.device)

    timed = []
    for batch in in_groups(chunk, lambda job: len(job.phones), PHONES_PER_BATCH):
        ids = torch.tensor([job.phones for job in batch], device=options.device)
        style = np.stack([book.style(book[job.speaker], ids.shape[1]) for job in batch])
        style = torch.from_numpy(style).to(options.device)
        # A shorter vocal tract comes by playing faster, see vocal_tract.py: until then all is slower and lower.
        speed = column(batch, lambda voice: voice.pace / voice.formants)
        durations, features, text = kokoro.prosody(ids, style, speed)
        durations[:, -1] += -durations.sum(1) % FRAME_MULTIPLE
        totals = durations.sum(1).tolist()
        timed += [
            (job, total, *row) for job, total, *row in zip(batch, totals, durations, features, text, style, strict=True)
        ]
    for batch in in_groups(timed, lambda item: item[1], FRAMES_PER_BATCH):
        features, text = (
            torch.stack([item[part].repeat_interleave(item[2], dim=0, output_size=item[1]) for item in batch])
            for part in (3, 4)
        )
        pitch = column([item[0] for item in batch], lambda voice: voice.pitch / voice.formants)[..., None]
        audio = kokoro.audio(features, text, torch.stack([item[5] for item in batch]), pitch)
        formants = [book[item[0].speaker].formants for item in batch]
        audio = resample(audio, formants).cpu().numpy()
        for item, wave, factor in zip(batch, audio, formants, strict=True):
            durations, frame = item[2].cpu().numpy(), KOKORO_FRAME / factor
            wave = wave[: int(item[1] * frame)]
            store(item[0], clip_of(item[0].phones, durations, frame, wave), writer, skipped)
        if time.time() > options.deadline:
            break


def gpu_process(options: argparse.Namespace) -> None:
    torch.manual_seed(options.seed * 1000 + options.part[0])
    torch.set_num_threads(1)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    began = time.time()
    book = VoiceBook(options.voices)
    jobs = assigned(options, book)
    kokoro = Kokoro(load_weights(options.cache), options.device, compiled=options.compile)
    writer, skipped = ShardWriter(options.out, options.name), Counter()
    print(f"{options.name}: {len(jobs)} texts, ready after {time.time() - began:.1f} s", flush=True)
    start, size = 0, ITEMS_PER_CHUNK // 8  # first audio soon, then full batches
    while start < len(jobs) and time.time() < options.deadline:
        speak_chunk(kokoro, book, jobs[start : start + size], writer, skipped, options)
        writer.flush()
        start, size = start + size, ITEMS_PER_CHUNK
        print(
            f"{options.name}: {writer.seconds / 3600:.2f} h, {writer.seconds / (time.time() - began):.0f} x real time, "
            f"skipped {dict(skipped)}",
            flush=True,
        )
    writer.close()
