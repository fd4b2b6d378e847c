"""Kokoro on a GPU: chunks of jobs, grouped by equal length so that batches need no masks."""

from __future__ import annotations

import argparse
import multiprocessing
import queue
import random
import time
from collections import Counter
from collections.abc import Iterator

import torch
from kokoro_torch import Kokoro
from kokoro_weights import load_weights
from shards import ShardWriter
from teacher_common import KOKORO_FRAME, Job, clip_of, jobs, read_style, store

FRAME_MULTIPLE = 4  # utterance lengths are rounded up (in silence) so that more of them are equal
FRAMES_PER_BATCH = 6400  # 160 s of audio
PHONES_PER_BATCH = 16384
ITEMS_PER_CHUNK = 2048


def phonemise_into(sink: multiprocessing.Queue, pairs: list[tuple[str, str]]) -> None:
    skipped: Counter = Counter()
    for job in jobs(pairs, skipped):
        sink.put(job)
    sink.put(skipped)


def in_groups(items: list, length, budget: int) -> Iterator[list]:
    """Batches of items of equal length, none above the budget of total length."""
    groups: dict[int, list] = {}
    for item in items:
        groups.setdefault(length(item), []).append(item)
    for size, group in random.Random(len(items)).sample(sorted(groups.items()), len(groups)):
        step = max(1, budget // size)
        for start in range(0, len(group), step):
            yield group[start : start + step]


def speak_chunk(kokoro, styles, chunk: list[Job], writer: ShardWriter, skipped: Counter, options) -> None:
    timed = []
    for batch in in_groups(chunk, lambda job: len(job.phones), PHONES_PER_BATCH):
        ids = torch.tensor([job.phones for job in batch], device=options.device)
        style = torch.stack([styles[job.speaker][ids.shape[1] - 3] for job in batch])
        durations, features, text = kokoro.prosody(ids, style)
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
        audio = kokoro.audio(features, text, torch.stack([item[5] for item in batch])).cpu().numpy()
        for item, wave in zip(batch, audio, strict=True):
            store(item[0], clip_of(item[0].phones, item[2].cpu().numpy(), KOKORO_FRAME, wave), writer, skipped)
        if time.time() > options.deadline:
            break


def gpu_process(options: argparse.Namespace, pairs: list[tuple[str, str]]) -> None:
    torch.manual_seed(options.seed * 1000 + options.part[0])
    torch.set_num_threads(1)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    source: multiprocessing.Queue = multiprocessing.Queue(maxsize=4 * ITEMS_PER_CHUNK)
    readers = [
        multiprocessing.Process(target=phonemise_into, args=(source, pairs[worker :: options.workers]), daemon=True)
        for worker in range(options.workers)
    ]
    for reader in readers:
        reader.start()
    kokoro = Kokoro(load_weights(options.cache), options.device, compiled=options.compile)
    styles = {name: torch.from_numpy(read_style(options.voices, name)).to(options.device) for name in options.speakers}
    writer, skipped = ShardWriter(options.out, options.name), Counter()
    running, began, size = options.workers, time.time(), ITEMS_PER_CHUNK // 8  # first audio soon, then full batches
    while running and time.time() < options.deadline:
        chunk: list[Job] = []
        while running and len(chunk) < size:
            try:
                item = source.get(timeout=5)
            except queue.Empty:
                break
            if isinstance(item, Counter):
                running, skipped = running - 1, skipped + item
            else:
                chunk.append(item)
        speak_chunk(kokoro, styles, chunk, writer, skipped, options)
        writer.flush()
        size = ITEMS_PER_CHUNK
        print(
            f"{options.name}: {writer.seconds / 3600:.2f} h, {writer.seconds / (time.time() - began):.0f} x real time, "
            f"skipped {dict(skipped)}",
            flush=True,
        )
    writer.close()
    for reader in readers:
        reader.terminate()
