"""A model in, many short and long utterances out, and a verdict: does any run away, is any silent, does memory grow?

python scripts/soak.py                      500 utterances of the built-in voices
python scripts/soak.py -n 200 -m 0.6b-custom-8bit --voice Ryan --rows 8
python scripts/soak.py -n 10000 --rows 32 --warm 500 --seconds 150     as far as it gets; memory after the first 500
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import takewhile
from math import inf
from pathlib import Path

import numpy as np

import mlx_tts
from mlx_tts import SpeechRequest, Synthesizer
from mlx_tts.generation.guard import frame_budget, least_frames

WORDS = [
    "yes",
    "no",
    "well",
    "now",
    "here",
    "there",
    "come",
    "go",
    "look",
    "the",
    "old",
    "man",
    "a",
    "small",
    "house",
    "in",
    "red",
    "water",
    "by",
    "her",
    "night",
    "we",
    "saw",
    "it",
]
SHORT = ["No.", "Yes.", "Hi!", "Why?", "One.", "Wait... what?", "Come here.", "Not yet.", "It is 5.", "OK."]


@dataclass
class Verdict:
    """What was found over all utterances; `fine` when none is over budget or silent and the memory stayed."""

    utterances: int = 0
    seconds: float = 0.0
    redrawn: Counter[str] = field(default_factory=Counter)
    kept_in_trouble: Counter[str] = field(default_factory=Counter)
    over_budget: list[str] = field(default_factory=list)
    too_short: list[str] = field(default_factory=list)
    silent: list[str] = field(default_factory=list)
    grown_bytes: int = 0

    @property
    def fine(self) -> bool:
        return not self.over_budget and not self.silent

    def __str__(self) -> str:
        lines = [f"{self.utterances} utterances, {self.seconds:.0f} s of speech"]
        lines.append(
            f"drawn again: {dict(self.redrawn) or 'none'}; kept in fault: {dict(self.kept_in_trouble) or 'none'}"
        )
        lines.append(f"over budget: {self.over_budget or 'none'}; silent: {self.silent or 'none'}")
        lines.append(f"too short and kept: {self.too_short or 'none'}; memory grew by {self.grown_bytes / 1e6:.0f} MB")
        return "\n".join(lines)


def texts(count: int, long: bool, seed: int = 0) -> Iterator[str]:
    """Half of them of one to three words, the worst case of all; the others sentences of random words; where `long`,
    every other of these is four to eight such sentences, at most 290 characters."""
    chance = random.Random(seed)

    def sentence() -> str:
        return " ".join(chance.choices(WORDS, k=chance.randint(3, 8))).capitalize() + "."

    for number in range(count):
        if number % 2 == 0:
            yield chance.choice(SHORT)
        elif long and number % 4 == 3:
            yield " ".join(sentence() for _ in range(chance.randint(4, 8)))[:290]
        else:
            yield sentence()


def soak(
    voice: Synthesizer,
    name: str | None,
    language: str,
    count: int,
    rows: int,
    long: bool = False,
    seed: int = 0,
    warm_up: int = 0,
    seconds: float = inf,
) -> Verdict:
    """Speak `count` texts, `rows` side by side, with one preset voice or (None) with all in turn.

    warm_up: utterances after which memory should not grow; 0: a fifth. seconds: after which none is begun.
    """
    rate = voice.info.frame_rate
    names = (name,) if name else voice.info.voices or (None,)
    requests = [
        SpeechRequest(text, voice=names[number // 4 % len(names)], language=language, seed=seed * count + number)
        for number, text in enumerate(texts(count, long, seed))
    ]
    verdict = Verdict()
    warm, end = 0, time.monotonic() + seconds
    asked = takewhile(lambda _: time.monotonic() < end, enumerate(requests))
    samples: dict[int, list[np.ndarray]] = {}
    for number, chunk in voice.stream_many(asked, rows):
        samples.setdefault(number, []).append(chunk.samples)
        if chunk.report is None:
            continue
        sound, text = np.concatenate(samples.pop(number)), requests[number].text
        seconds = len(sound) / voice.sample_rate
        verdict.utterances += 1
        verdict.seconds += seconds
        verdict.redrawn.update(reason.split(" ")[0] for reason in chunk.report.faults)
        if chunk.report.kept_fault is not None:
            verdict.kept_in_trouble[chunk.report.kept_fault] += 1
        if seconds * rate > frame_budget(text, rate) + 0.5:
            verdict.over_budget.append(f"{text} {seconds:.1f} s")
        if seconds * rate < least_frames(text, rate) - 0.5:
            verdict.too_short.append(f"{text} {seconds:.1f} s")
        if not len(sound) or np.sqrt(np.mean(sound**2)) < 1e-3:
            verdict.silent.append(text)
        if verdict.utterances == max(1, warm_up or count // 5):
            warm = resident_bytes()
    verdict.grown_bytes = resident_bytes() - warm if warm else 0
    return verdict


def resident_bytes() -> int:
    """What the process holds now on Linux; the most it has held elsewhere."""
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text().split()[1]) * resource.getpagesize()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", "--utterances", type=int, default=500)
    parser.add_argument("-m", "--model", default="tiny")
    parser.add_argument("--voice", help="default: all presets in turn")
    parser.add_argument("--short", action="store_true", help="no long texts")
    parser.add_argument("--language", default="english")
    parser.add_argument("--rows", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0, help="other texts, and others for each voice")
    parser.add_argument("--warm", type=int, default=0, help="utterances after which memory counts; default: a fifth")
    parser.add_argument("--seconds", type=float, default=inf, help="after which no utterance is begun")
    options = parser.parse_args()
    start = time.perf_counter()
    model = mlx_tts.load(options.model)
    given = (model, options.voice, options.language, options.utterances, options.rows, not options.short)
    verdict = soak(*given, options.seed, options.warm, options.seconds)
    print(f"{verdict}\n{time.perf_counter() - start:.0f} s; {'fine' if verdict.fine else 'NOT FINE'}")
    return int(not verdict.fine)


if __name__ == "__main__":
    sys.exit(main())
