"""Good and planted bad takes of the built-in voices in; how many of each the guard blames, out.

    python scripts/planted_takes.py make --good 2000 --folder takes  hours on two cores; the same command goes on
    python scripts/planted_takes.py judge --folder takes             the guard's verdict on each; it goes on, too, so
                                                                     remove verdicts.jsonl after a change of the guard
    python scripts/planted_takes.py judge --folder takes --list      and every take that is counted as wrong
    python scripts/planted_takes.py limits --folder takes            what good takes keep to, for `alignment.limits` in
                                                                     the config.json of a model that was trained again

Good takes are ordinary sentences. One that is blamed is played to a recogniser; where it misses a third of the words
the take was bad indeed, and counts as neither. One bad take is planted to ten good ones. Some are frames of another
text (`replaced`), or of the text with words left out (`skipped`), said twice (`doubled`) or in another order (`moved`):
there surprise is not counted, because frames that a model makes by itself do not surprise it. The others are takes of
the text itself, sampled far too hot (`hot`), longer than the model was trained for (`long`), in capitals (`capitals`)
or with addresses and figures that it cannot read (`written`), where the recogniser hears other words. Loudness takes
no part. Needs the development tools.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import mlx_tts.runtime

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts"), str(ROOT / "scripts" / "train_tiny")]

import mlx.core as mx  # noqa: E402 (the runtime comes first: it loads a fast BLAS)
import numpy as np  # noqa: E402
from false_alarms import pieces  # noqa: E402
from text_templates import Templates  # noqa: E402

from mlx_tts import Sampling, SpeechRequest  # noqa: E402
from mlx_tts.generation.guard import QualityMonitor, frame_budget  # noqa: E402
from mlx_tts.generation.signs import (  # noqa: E402
    Following,
    Surprises,
    TextAttention,
    how_it_followed,
    how_it_strayed,
    is_unclear,
)
from mlx_tts.models.qwen3_tts.alignment import inputs, text_attention  # noqa: E402
from mlx_tts.models.qwen3_tts.frames import surprise, surprises_of  # noqa: E402
from mlx_tts.narration.plan import reading_for  # noqa: E402
from mlx_tts.runtime import mlx_thread  # noqa: E402
from mlx_tts.text.reading import Reading  # noqa: E402
from tests.helpers.hearing import recognised, word_errors, words  # noqa: E402

GOOD_TO_BAD = 10
SHORT_GOOD, SHORT_BAD, SHORT_WORDS = 5, 2, 6  # of texts of so many words at most: headings, items, names
SHORT_KINDS = ("replaced", "skipped", "doubled", "moved", "hot")
SIGNS = ("length, loops", "attention", "surprise")
FOREIGN = ("replaced", "skipped", "doubled", "moved")
MISHEARD = 0.33
KINDS = (*FOREIGN, "hot", "long", "capitals", "written")
HEARD = {"hot": 0.3, "long": 0.2, "capitals": 0.3, "written": 0.4}  # so many words wrong: the take is bad
LONGEST_FRAMES = 900
WRITTEN = (
    "Write to jane.doe@example.com or see www.example.com.",
    "Visit https://docs.example.org/en/latest today.",
    "The number is +1 (555) 010-2030.",
    "Python 3.11.7 and Node v20 are needed.",
    "Let x = 3 + 4 × 2, then x > 10.",
    "The serial is 978-0-00-000000-2.",
    "It has 1,000,000,007 parts.",
    "Follow @openai and #machinelearning.",
)


@dataclass(frozen=True)
class Take:
    """text: what should be said. said: what the model was given. wrong: share of the words that a recogniser misses."""

    kind: str
    number: int
    text: str
    said: str
    voice: str
    temperature: float | None = None
    wrong: float | None = None

    @property
    def name(self) -> str:
        return f"{self.kind}-{self.number:05d}"

    @property
    def is_bad(self) -> bool:
        return self.kind != "good" and (self.wrong is None or self.wrong >= HEARD[self.kind])


class Plan:
    """Number -> the takes to make: ten good ones and a bad one."""

    def __init__(self, voices: tuple[str, ...]):
        self.voices = voices
        pages = (ROOT / "tests" / "fixtures" / "two_pages.txt").read_text(encoding="utf-8").split("\n\n")
        held_out = (ROOT / "scripts" / "train_tiny" / "held_out.txt").read_text(encoding="utf-8").splitlines()
        self.sentences = [*held_out, *(" ".join(page.split()) for page in pages if 20 < len(page) < 280)]
        self.reading = Reading("on")

    def sentence(self, chance: random.Random, words: int = 1) -> str:
        """An ordinary sentence of at least so many words, as the model is given it."""
        while True:
            made = Templates(chance.randrange(1 << 30))() if chance.random() < 0.6 else chance.choice(self.sentences)
            text = self.reading.spoken(made, "english")
            if len(text.split()) >= words:
                return text

    def takes(self, number: int) -> list[Take]:
        chance = random.Random(f"planted takes {number}")
        found = []
        for at in range(number * GOOD_TO_BAD, (number + 1) * GOOD_TO_BAD):
            text = self.sentence(chance)
            found.append(Take("good", at, text, text, self.voices[at % len(self.voices)]))
        kind = KINDS[number % len(KINDS)]
        voice = self.voices[(number + number // len(KINDS)) % len(self.voices)]  # each kind in every voice
        return [*found, self.bad(kind, number, voice, chance)]

    def bad(self, kind: str, number: int, voice: str, chance: random.Random) -> Take:
        text = said = self.sentence(chance, 8)
        parts = text.split()
        run = chance.randint(2, 4)
        at = chance.randrange(1, len(parts) - run)
        if kind == "replaced":
            while abs(len(said) / len(text) - 1) > 0.2 or said == text:
                said = self.sentence(chance, 5)
        elif kind == "skipped":
            said = " ".join(parts[:at] + parts[at + run :])
        elif kind == "doubled":
            said = " ".join(parts[: at + run] + parts[at:])
        elif kind == "moved":
            middle = len(parts) // 2
            said = " ".join(parts[middle:] + parts[:middle])
        elif kind == "long":
            while len(text) < chance.randint(600, 900):
                text += " " + self.sentence(chance)
            said = text
        elif kind == "capitals":
            text = said = text.upper()
        elif kind == "written":
            text = said = chance.choice(WRITTEN)
        return Take(kind, number, text, said, voice, chance.uniform(1.5, 2.2) if kind == "hot" else None)


class ShortPlan(Plan):
    """The same of the ordinary short pieces of false_alarms.py: five good ones and two bad ones."""

    def takes(self, number: int) -> list[Take]:
        chance = random.Random(f"short planted takes {number}")
        good = range(number * SHORT_GOOD, (number + 1) * SHORT_GOOD)
        texts = [text for _, text in pieces(good.stop)]
        found = [Take("good", at, texts[at], texts[at], self.voices[at % len(self.voices)]) for at in good]
        for at in range(number * SHORT_BAD, (number + 1) * SHORT_BAD):
            kind, voice = SHORT_KINDS[at % len(SHORT_KINDS)], self.voices[(at + at // 5) % len(self.voices)]
            found.append(self.bad(kind, at, voice, chance))
        return found

    def bad(self, kind: str, number: int, voice: str, chance: random.Random) -> Take:
        some = [text for _, text in pieces(500) if 3 <= len(text.split()) <= SHORT_WORDS and re.search(r"\w{4}", text)]
        text = said = chance.choice(some)
        parts = text.split()
        at = chance.choice([at for at, word in enumerate(parts) if re.search(r"\w{4}", word)])
        if kind == "replaced":
            while set(words(said)) & set(words(text)) or abs(len(said) / len(text) - 1) > 0.3:
                said = chance.choice(some)
        elif kind == "skipped":
            said = " ".join(parts[:at] + parts[at + 1 :])
        elif kind == "doubled":
            said = " ".join(parts[: at + 1] + parts[max(0, at - chance.randint(0, 1)) :])
        elif kind == "moved":
            middle = (len(parts) + 1) // 2
            said = " ".join(parts[middle:] + parts[:middle])
        return Take(kind, number, text, said, voice, chance.uniform(1.5, 2.2) if kind == "hot" else None)


class Folder:
    """Takes that were made: a line each in takes.jsonl, their codes next to it."""

    def __init__(self, path: Path):
        self.path = path
        path.mkdir(parents=True, exist_ok=True)

    def takes(self) -> Iterator[Take]:
        path = self.path / "takes.jsonl"
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
            yield Take(**json.loads(line))

    def add(self, take: Take, codes: np.ndarray) -> None:
        np.save(self.path / f"{take.name}.npy", codes.astype(np.int16))
        with (self.path / "takes.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(take)) + "\n")

    def codes(self, take: Take) -> np.ndarray:
        return np.load(self.path / f"{take.name}.npy").astype(np.int32)


def request(tts: Any, take: Take) -> SpeechRequest:
    sampling = None
    if take.temperature is not None:
        sampling = Sampling(temperature=take.temperature, subtalker_temperature=1.0, top_k=0)
    return SpeechRequest(
        as_read(tts, take, take.said),
        take.voice,
        "english",
        sampling=sampling,
        seed=take.number,
        guard=False,
        max_frames=LONGEST_FRAMES,
    )


def as_read(tts: Any, take: Take, text: str) -> str:
    """What the model is given of a text by a command: some words as phones, where it reads them. The planted kinds that
    are told by their letters stay in letters."""
    return (
        text
        if take.kind in ("capitals", "written")
        else reading_for(tts.info).spoken(text, "english", voice=take.voice)
    )


def share_wrong(tts: Any, take: Take, codes: np.ndarray) -> float:
    said = words(Reading("on").spoken(take.text.lower() if take.kind == "capitals" else take.text, "english"))
    heard = recognised(tts.decode_codes(codes), tts.sample_rate)
    return word_errors(said, heard) / max(1, len(said))


def make(tts: Any, folder: Folder, good: range, seconds: float, short: bool) -> None:
    start, plan = time.monotonic(), (ShortPlan if short else Plan)(tts.voices)
    at_once = SHORT_GOOD if short else GOOD_TO_BAD
    there = {take.name for take in folder.takes()}
    for number in range(good.start // at_once, good.stop // at_once):
        wanted = [take for take in plan.takes(number) if take.name not in there]
        if not wanted:
            continue
        if time.monotonic() - start > seconds:
            break
        streams = [tts.submit(request(tts, take), silent=True) for take in wanted]
        for take, stream in zip(wanted, streams, strict=True):
            for _ in stream:
                pass
            if stream.codes is None:
                continue
            wrong = share_wrong(tts, take, stream.codes) if take.kind in HEARD else None
            folder.add(Take(**{**asdict(take), "wrong": wrong}), stream.codes)
    made = Counter(take.kind for take in folder.takes())
    print(f"{sum(made.values())} takes in {folder.path}: {dict(made)}")


class Judge:
    """The guard's verdict on frames, as if the model had just made them for the text."""

    def __init__(self, tts: Any):
        self.tts, self.synthesizer = tts, tts._synthesizer
        self.talker = self.synthesizer.talker

    def signs(self, take: Take, codes: np.ndarray) -> list[str]:
        """What the guard finds, of SIGNS."""
        info = self.tts.info
        budget = frame_budget(take.text, info.frame_rate)
        monitor = QualityMonitor(take.text, info.frame_rate, info.frame_samples, budget)
        fault = next((found for found in map(monitor.on_frame, codes) if found is not None), None) or monitor.on_end()
        utterance = self._utterance(take)
        strayed = how_it_strayed(self._attention(utterance, codes), info.frame_rate)
        unclear = take.kind not in FOREIGN and is_unclear(self._draws(utterance, codes))
        found = zip(SIGNS, (fault is not None, strayed is not None, unclear), strict=True)
        return [sign for sign, is_found in found if is_found]

    def followed(self, take: Take, codes: np.ndarray) -> Following:
        return how_it_followed(self._attention(self._utterance(take), codes), self.tts.info.frame_rate)

    def _utterance(self, take: Take) -> Any:
        text = as_read(self.tts, take, take.text)
        asked = self.tts.check(SpeechRequest(text, take.voice, "english", seed=take.number))
        return self.synthesizer.prepare(asked).utterance

    def _attention(self, utterance: Any, codes: np.ndarray) -> TextAttention:
        found = text_attention(self.talker, self.synthesizer._config.alignment, utterance, codes)
        assert found is not None
        return found.read()

    def _draws(self, utterance: Any, codes: np.ndarray) -> Surprises:
        """What the guard gets while the frames are made."""
        x = inputs(self.talker, utterance, mx.array(codes))
        hidden = self.talker.model(x, self.talker.make_cache())[0, -len(codes) :]
        logits = self.talker.codec_head(hidden) + self.synthesizer._loop.later
        draws = surprises_of(np.array(surprise(logits, mx.array(codes[:, 0]))))
        assert draws is not None
        return draws


def judge(tts: Any, folder: Folder, listed: bool) -> None:
    judging, counts, found = Judge(tts), Counter(), Counter()
    heard_path, verdicts = folder.path / "heard.json", folder.path / "verdicts.jsonl"
    heard = json.loads(heard_path.read_text()) if heard_path.exists() else {}
    lines = verdicts.read_text().splitlines() if verdicts.exists() else []
    known = dict(json.loads(line) for line in lines)
    for take in folder.takes():
        codes = folder.codes(take)
        if take.name not in known:
            known[take.name] = mlx_thread.run(lambda take=take, codes=codes: judging.signs(take, codes))
            with verdicts.open("a") as file:
                file.write(json.dumps([take.name, known[take.name]]) + "\n")
        signs, kind = known[take.name], take.kind
        if kind == "good" and signs:
            if take.name not in heard:
                heard[take.name] = share_wrong(tts, take, codes)
                heard_path.write_text(json.dumps(heard))
            kind = "good, blamed and misheard" if heard[take.name] >= MISHEARD else "good"
        elif kind != "good" and not take.is_bad:
            kind = f"{kind}, heard rightly"
        counts[kind] += 1
        found[kind, "any"] += bool(signs)
        for sign in signs:
            found[kind, sign] += 1
        if listed and (bool(signs) != take.is_bad):
            print(f"    {take.name} {take.voice} {signs} wrong {take.wrong or heard.get(take.name)}: {take.text[:150]}")
    print(f"| kind | takes | blamed | {' | '.join(SIGNS)} |\n|---|---|---|{'---|' * len(SIGNS)}")
    for kind in sorted(counts):
        print(
            f"| {kind} | {counts[kind]:,} | {found[kind, 'any']} | {' | '.join(str(found[kind, s]) for s in SIGNS)} |"
        )
    bad = [kind for kind in KINDS if counts[kind]]
    print(f"\nbad: {sum(found[kind, 'any'] for kind in bad)} of {sum(counts[kind] for kind in bad)} found; "
          f"good: {found['good', 'any']} of {counts['good']:,} blamed")  # fmt: skip


def limits(tts: Any, folder: Folder) -> None:
    """Each measure of the good takes, and how many bad ones it finds alone where it blames one good take in 500. Limits
    are chosen a little wider than that from one half of the takes; `judge` tells of all."""
    judging, found = Judge(tts), {True: [], False: []}
    for take in folder.takes():
        if take.is_bad or take.kind == "good":
            codes = folder.codes(take)
            found[take.is_bad].append(mlx_thread.run(lambda take=take, codes=codes: judging.followed(take, codes)))
    alignment = tts._synthesizer._config.alignment
    print("| measure | limit | good takes: middle | one in 100 | one in 500 | the worst | bad ones found |")
    print(f"|{'---|' * 7}")
    for field in fields(Following):
        is_least = field.name in ("near", "word_frames")
        good, bad = (
            np.array([getattr(one, field.name) for one in found[is_bad]]) * (-1 if is_least else 1)
            for is_bad in (False, True)
        )
        marks = [np.quantile(good, share, method="lower") for share in (0.5, 0.99, 0.998, 1)]
        shown = " | ".join(f"{abs(mark):.3f}" for mark in marks)
        print(f"| {field.name} | {getattr(alignment.limits, field.name):g} | {shown} | "
              f"{np.sum(bad > marks[2])} of {len(bad)} |")  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("make", "judge", "limits"))
    parser.add_argument("--folder", type=Path, default=Path("takes"))
    parser.add_argument("--model", default="tiny", help="alias or folder of the voices to judge")
    parser.add_argument("--good", type=int, default=2000, help="make: good takes; a tenth as many bad ones")
    parser.add_argument(
        "--first", type=int, default=0, help="make: of so high a number on, for takes that nobody has seen"
    )
    parser.add_argument("--short", action="store_true", help="make: of texts of at most six words, and more bad ones")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="make: stop after so long")
    parser.add_argument("--list", action="store_true", help="judge: name every good take that is blamed")
    asked = parser.parse_args()
    folder = Folder(asked.folder)
    with mlx_tts.load(asked.model) as tts:
        tts.serve_rows(4)
        if asked.what == "make":
            make(tts, folder, range(asked.first, asked.first + asked.good), asked.seconds, asked.short)
        elif asked.what == "limits":
            limits(tts, folder)
        else:
            judge(tts, folder, asked.list)
    return 0


if __name__ == "__main__":
    sys.exit(main())
