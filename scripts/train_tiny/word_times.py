"""How far the built-in voice's times of words are from the teachers' own durations, on held-out sentences.

    PYTHONPATH=../.. python word_times.py --cache KOKORO --voices VOICES --sentences 24 [--model OUT/tiny --judged OUT]

The teacher says a sentence, and its durations tell when each word begins. The built-in voice says it too, and the two
sounds are laid over each other (dynamic time warping of cepstra: the same words in the same voice), so that the
teacher's times become times in the other sound. Half of the sentences are for choosing (which heads, by how much they
look ahead), the other half tell how good that is. With --judged the folders `tiny` and `tiny-base` of gate.py's OUT get
what was found in their config.json (by how much the heads look ahead; `measured` where 95 % of the words are near enough), and
OUT/word_times.json tells it to the model cards. Needs the packages of `teacher.py` and mlx in one environment.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from phonemes import SPACE
from shards import LEAD_SECONDS, SAMPLE_RATE, SOUND_THRESHOLD, block_rms, finish, normalise_loudness
from speakers import SPEAKERS
from teacher import KokoroCpuEngine
from teacher_common import Job, jobs

import mlx_tts
from mlx_tts.narration.plan import reading_for
from mlx_tts.runtime import mlx_thread

HOP, WINDOW, BINS, BANDS, CEPSTRA = 240, 720, 1024, 40, 14
BAND = 0.25  # of the length: how far the two may run apart
PAUSE_HOPS = 6  # a teacher's instant that lies on so much of the other sound lies on a pause: the word is behind it
LIMIT_SECONDS = 0.2
LEAST_CHANGE_SECONDS = 0.02  # of the lead: a frame is 80 ms long


def cepstra(samples: np.ndarray) -> np.ndarray:
    """[N] -> [T, 28]: mel cepstra and their slopes, each of one size, a row for 10 ms."""
    loud = np.concatenate([samples[:1], samples[1:] - 0.97 * samples[:-1]])
    frames = np.lib.stride_tricks.sliding_window_view(np.pad(loud, WINDOW // 2), WINDOW)[::HOP] * np.hanning(WINDOW)
    power = np.abs(np.fft.rfft(frames, BINS)) ** 2
    mel = 2595 * np.log10(1 + np.linspace(0, SAMPLE_RATE / 2, power.shape[1]) / 700)
    edges = np.linspace(mel[3], 2595 * np.log10(1 + 8000 / 700), BANDS + 2)[:, None]
    rising, falling = (mel - edges[:-2]) / (edges[1:-1] - edges[:-2]), (edges[2:] - mel) / (edges[2:] - edges[1:-1])
    bands = np.log(power @ np.maximum(0, np.minimum(rising, falling)).T + 1e-6 * power.max())
    values = bands @ np.cos(np.pi * np.arange(CEPSTRA)[:, None] * (np.arange(BANDS) + 0.5) / BANDS).T
    values = (values - values.mean(0)) / (values.std(0) + 1e-6)
    slopes = np.gradient(values, axis=0)
    return np.concatenate([values, 0.7 * slopes / (slopes.std(0) + 1e-6)], axis=1)


def warped(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """[T, D], [U, D] -> [steps, 2]: which rows belong together, in order."""
    costs = np.sqrt(np.maximum(0, np.square(a).sum(1)[:, None] + np.square(b).sum(1) - 2 * a @ b.T))
    T, U = costs.shape
    totals, came = np.full((T + 1, U + 1), np.inf), np.zeros((T, U), np.int8)
    totals[0, 0] = 0
    for i in range(T):
        for j in range(max(0, int(i * U / T - BAND * U - 20)), min(U, int(i * U / T + BAND * U + 20))):
            cost = costs[i, j]
            ways = totals[i, j] + 2 * cost, totals[i, j + 1] + 1.2 * cost, totals[i + 1, j] + 1.2 * cost
            came[i, j] = int(np.argmin(ways))
            totals[i + 1, j + 1] = ways[came[i, j]]
    i, j = T - 1, U - 1
    path = [(i, j)]
    while i or j:
        i, j = max(0, i - (came[i, j] != 2)), max(0, j - (came[i, j] != 1))
        path.append((i, j))
    return np.array(path[::-1])


def taught(engine: KokoroCpuEngine, job: Job) -> tuple[np.ndarray, np.ndarray]:
    """The teacher's sound as it is trained on, and when each of its words begins, in seconds."""
    phones = job.phones
    firsts = [1, *(at + 1 for at, phone in enumerate(phones) if phone == SPACE)]
    clip = engine(job)
    sounding = np.flatnonzero(block_rms(normalise_loudness(clip.audio), 240) > SOUND_THRESHOLD)
    cut = sounding[0] * 240 - int(LEAD_SECONDS * SAMPLE_RATE)
    begins = np.concatenate([[0], clip.phone_ends[:-1]])[firsts]
    return finish(clip)[0].astype(np.float32) / 32768, (begins - cut) / SAMPLE_RATE


def laid_over(samples: np.ndarray, begins: np.ndarray, other: np.ndarray) -> np.ndarray:
    """When the words of `samples` begin in `other`, which says the same."""
    path = warped(cepstra(samples), cepstra(other))
    times = []
    for row in np.minimum(np.round(begins * SAMPLE_RATE / HOP).astype(int), path[-1, 0]):
        there = path[path[:, 0] == row, 1]
        times.append((there.max() if np.ptp(there) >= PAUSE_HOPS else there.min()) * HOP / SAMPLE_RATE)
    return np.array(times)


def errors(options: argparse.Namespace, tts: Any) -> Iterator[tuple[int, np.ndarray]]:
    """(number of the sentence, seconds by which its words begin too late), but the first word, which tells nothing."""
    engine, reading = KokoroCpuEngine(options, 0), reading_for(tts.info)
    lines = options.texts.read_text(encoding="utf-8").splitlines()
    texts = [line for line in lines if not re.search(r"\d", line) and len(line.split()) > 4][: options.sentences]
    for number, text in enumerate(texts):
        for job in jobs([(text, speaker) for speaker in options.speakers], Counter()):
            if job.phones.count(SPACE) + 1 != len(text.split()):
                break  # words that the teacher joins
            samples, begins = taught(engine, job)
            read = reading.spoken(text, "english", voice=job.speaker)
            chunk = tts.speak(read, voice=job.speaker, language="english", seed=7)
            words = [mark.start for mark in chunk.marks if mark.level == "word"]
            yield number, (np.array(words) - laid_over(samples, begins, chunk.samples))[1:]


def told(name: str, off: np.ndarray) -> None:
    off = np.abs(off)
    print(f"{name}: {len(off)} words, median {np.median(off):.3f} s, 95 % within {np.percentile(off, 95):.3f} s, "
          f"{100 * np.mean(off <= LIMIT_SECONDS):.1f} % within {LIMIT_SECONDS} s", flush=True)  # fmt: skip


def chosen_lead(off: np.ndarray, lead: float) -> float:
    """By how much the heads look ahead, when words told with `lead` begin `off` seconds too late. Near enough stays."""
    better = round(max(0.0, lead - float(np.median(off))), 2)
    return lead if abs(better - lead) < LEAST_CHANGE_SECONDS else better


def write_down(judged: Path, lead: float, off: np.ndarray) -> None:
    """Into both configs, and a file for the cards."""
    most = float(np.percentile(np.abs(off), 95))
    median = float(np.median(np.abs(off)))
    found = {"words": len(off), "median": median, "most": most, "measured": most <= LIMIT_SECONDS}
    for name in ("tiny", "tiny-base"):
        path = judged / name / "config.json"
        config = json.loads(path.read_text())
        config["alignment"] |= {"lead_seconds": lead, "measured": found["measured"]}
        path.write_text(json.dumps(config, indent=1) + "\n")
    (judged / "word_times.json").write_text(json.dumps(found, indent=1) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, required=True, help="Kokoro's weights")
    parser.add_argument("--voices", type=Path, required=True, help="its voice styles")
    parser.add_argument("--texts", type=Path, default=Path(__file__).with_name("held_out.txt"))
    parser.add_argument("--sentences", type=int, default=24)
    parser.add_argument("--model", default="tiny", help="folder or alias of the voices to measure")
    parser.add_argument("--judged", type=Path, help="write what was found into this folder's tiny and tiny-base")
    parser.add_argument(
        "--lead", type=float, help="by how many seconds the heads look ahead; else as config.json has it"
    )
    options = parser.parse_args()
    options.speakers = list(SPEAKERS)
    with mlx_tts.load(options.model) as tts:
        if options.lead is not None:
            mlx_thread.run(lambda: use_lead(tts._engine.synthesizer, options.lead))
        lead = mlx_thread.run(lambda: tts._engine.synthesizer._config.alignment.lead_seconds)
        halves = measured_halves(options, tts)
        better = lead if options.lead is not None else chosen_lead(halves[0], lead)
        if better != lead:
            print(f"again, since the heads look ahead by {better} s and not by {lead} s", flush=True)
            mlx_thread.run(lambda: use_lead(tts._engine.synthesizer, better))
            halves = measured_halves(options, tts)
    if options.judged:
        write_down(options.judged, better, halves[1])


def measured_halves(options: argparse.Namespace, tts: Any) -> list[np.ndarray]:
    """Seconds by which words begin too late: of the sentences for choosing, and of those held out."""
    found = list(errors(options, tts))
    halves = [np.concatenate([off for number, off in found if number % 2 == half] or [np.zeros(0)]) for half in (0, 1)]
    if not all(map(len, halves)):
        raise SystemExit("too few words: take more --sentences, or a voice whose heads tell words")
    for name, off in zip(("for choosing", "held out"), halves, strict=True):
        told(name, off)
    return halves


def use_lead(synthesizer: Any, seconds: float) -> None:
    from dataclasses import replace

    config = synthesizer._config
    synthesizer._config = replace(config, alignment=replace(config.alignment, lead_seconds=seconds))


if __name__ == "__main__":
    main()
