"""Ordinary short pieces in; how often the guard blames good speech of the built-in voices, out.

    python scripts/false_alarms.py [--pieces 500] [--first 0] [--list]

Headings, list items, quotations, dialogue and names, as books have them, given to the model as a command gives them:
some words as phones. Each piece is spoken once with the guard and no second take. What the guard blames is spoken again
without it, with the same seed, and a recogniser listens: where it hears the words, the alarm was false. Needs the
development tools.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from pathlib import Path

import mlx_tts.runtime

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402 (the runtime comes first: it loads a fast BLAS)

import mlx_tts  # noqa: E402
from mlx_tts import SpeechRequest  # noqa: E402
from mlx_tts.narration.plan import reading_for  # noqa: E402
from tests.helpers.hearing import recognised, word_errors, words  # noqa: E402

VOICES = ("miles", "ivy", "rowan", "hazel")
NUMBERS = ["One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten"]
THINGS = [
    "garden",
    "window",
    "letter",
    "river",
    "bridge",
    "kitchen",
    "island",
    "winter",
    "journey",
    "lantern",
    "station",
    "market",
]
NAMES = [
    "Anna",
    "Thomas",
    "Margaret",
    "Peter",
    "Helen",
    "Robert",
    "Alice",
    "George",
    "Emma",
    "Henry",
    "Clara",
    "Daniel",
]
PLACES = ["London", "Paris", "Boston", "Dublin", "Chicago", "Bristol", "Oxford", "Berlin", "Toronto", "Sydney"]
VERBS = ["said", "asked", "whispered", "answered", "cried", "replied", "called"]
PATTERNS = (
    ("heading", "Chapter {number}"),
    ("heading", "The {thing}"),
    ("heading", "Part {number}: The {thing}"),
    ("heading", "{number} {thing}s"),
    ("heading", "dialogue"),
    ("heading", "In {place}"),
    ("item", "A new {thing}."),
    ("item", "{number} cups of flour."),
    ("item", "Open the {thing}, then close it."),
    ("item", "One {thing}"),
    ("item", "Call {name} before noon."),
    ("quotation", '"There is no {thing} without a {other}."'),
    ("quotation", '"To be, or not to be."'),
    ("quotation", "“The {thing} is closed today.”"),
    ("dialogue", '"Where is the {thing}?" {verb} {name}.'),
    ("dialogue", '"No," {verb} {name}.'),
    ("dialogue", '"You\'ll not be going out," {verb} {name}.'),
    ("dialogue", '"Yes, {name}, I think so."'),
    ("dialogue", "“Hush!”"),
    ("name", "{name} and {friend} went to {place}."),
    ("name", "Mr. {name} of {place}"),
    ("name", "{name}, {friend} and the {thing}"),
)


def pieces(count: int) -> list[tuple[str, str]]:
    """(kind, text), the same each time; nearly all of them different."""
    chance, made = random.Random(7), []
    for number in range(count):
        kind, pattern = PATTERNS[number % len(PATTERNS)]
        thing, other = chance.sample(THINGS, 2)
        name, friend = chance.sample(NAMES, 2)
        text = pattern.format(
            number=chance.choice(NUMBERS), thing=thing, other=other, name=name, friend=friend,
            place=chance.choice(PLACES), verb=chance.choice(VERBS),
        )  # fmt: skip
        made.append((kind, text.title() if kind == "heading" and " " in text else text))
    return made


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pieces", type=int, default=500)
    parser.add_argument("--first", type=int, default=0, help="begin with the piece of this number")
    parser.add_argument("--list", action="store_true", help="name every piece that was blamed")
    asked = parser.parse_args()
    texts = pieces(asked.first + asked.pieces)
    blamed: Counter[str] = Counter()
    false: Counter[str] = Counter()
    with mlx_tts.load("tiny") as tts:
        reading = reading_for(tts.info)
        requests = []
        for number, (_, text) in enumerate(texts[asked.first :], asked.first):
            voice = VOICES[number % len(VOICES)]
            spoken = reading.spoken(text, "english", voice=voice)
            requests.append((number, SpeechRequest(spoken, voice=voice, language="english", seed=number, retries=0)))
        by_number = dict(requests)
        for number, chunk in tts.stream_many(iter(requests)):
            if chunk.report is None or chunk.report.kept_fault is None:
                continue
            kind, text = texts[number]
            asked_again = by_number[number]
            take = tts.speak(SpeechRequest(**{**vars(asked_again), "guard": False}))
            heard = recognised(np.asarray(take.samples), take.sample_rate)
            right = word_errors(words(text), heard) == 0
            blamed[kind] += 1
            false[kind] += right
            if asked.list:
                mark = "FALSE" if right else "right"
                print(f"{mark} {kind:<10} {chunk.report.kept_fault:<40} {text!r} heard {' '.join(heard)!r}", flush=True)
    texts = texts[asked.first :]
    for kind in sorted({kind for kind, _ in texts}):
        total = sum(kind == one for one, _ in texts)
        print(f"{kind:<10} {total:4} pieces, {blamed[kind]:3} blamed, {false[kind]:3} of them without need")
    share = sum(false.values()) / len(texts)
    print(f"{len(texts)} pieces: {sum(false.values())} false alarms, {share:.1%}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
