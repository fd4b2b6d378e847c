"""Sentences with figures, capitals, names and signs in; which of them a recogniser hears rightly in each voice, out.

    python scripts/hear_reading.py --folder heard              46 sentences, 4 voices; the same command goes on
    python scripts/hear_reading.py --folder heard --held-out   72 sentences that no voice was trained with: word errors

A sentence is right if the words of its written form are heard, however the recogniser spells them: what it writes is
put in words like any text, and spaces do not count. Where it writes a time as 4.17, or the figures of a ZIP code as
one number, that counts as heard. It cannot spell some (marked ~: rare names, addresses, serials): they are counted
apart. Needs the development tools.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import mlx_tts.runtime

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from mlx_tts import SpeechRequest  # noqa: E402 (the runtime comes first: it loads a fast BLAS)
from mlx_tts.text.reading import Reading  # noqa: E402
from tests.helpers.hearing import recognised_text, word_errors, words  # noqa: E402

SEED = 3
# kind; what is written, with the words that count in brackets: [as written|as it may be heard|or so].
SENTENCES = """\
capitals: [THIS IS VERY IMPORTANT NEWS|this is very important news].
~URL: Visit [www.example.com|w w w dot example dot com|www dot example dot com] for more.
~e-mail: Write to [jane.doe@example.com|jane dot doe at example dot com] today.
ISO date: The meeting is on [2026-11-21|november twenty first twenty twenty six].
telephone: Call us at [+1 (555) 010-2030|plus one five five five zero one zero two zero three zero].
money: They raised [$24.5M|twenty four point five million dollars] in March.
money: It costs [€20|twenty euros] here and [$3.50|three dollars fifty|three dollars and fifty cents|three fifty] there.
large numbers: There are [2,000,000|two million] houses in the city.
large numbers: We counted [1,000,000,007|one billion and seven|one billion seven] parts.
decimals: Pi is about [3.14159|three point one four one five nine].
units: It was [25 °C|twenty five degrees celsius|twenty five degrees c] in the shade.
units: The train goes [100 km/h|one hundred kilometers per hour|one hundred kilometers an hour].
units: He ran [5 km|five kilometers|five kilometres|five k] with [3 kg|three kilograms|three kilos] on his back.
arithmetic: If [x = 3 + 4 × 2|x equals three plus four times two], we are done.
versions: You need [Python 3.11.7|python three point eleven point seven] for this.
versions: We moved to [Node v20|node version twenty] last week.
state and ZIP: She lives in New York, [NY 10001|new york one zero zero zero one|new york ten thousand one].
Roman numerals: [Chapter IV|chapter four] begins here.
Roman numerals: [Henry VIII|henry the eighth] had six wives.
Roman numerals: [World War II|world war two] ended long ago.
~handles: Follow [@openai|at open ai|at openai] for the news.
~tags: The tag was [#machinelearning|hashtag machine learning|hashtag machinelearning].
slashes: You can pay by card [and/or|and or] in cash.
slashes: Ask the teacher if [he/she|he or she] knows.
slashes: I drink coffee [w/o|without] sugar.
~serials: The book has the number [978-0-00-000000-2|nine seven eight zero zero zero zero zero zero zero zero zero two].
abbreviation: It takes [approx.|approximately] ten minutes.
abbreviation: [Dr.|doctor] Smith and [Mrs.|mrs|missus|misses] Jones live on Baker [St.|street]
abbreviation: Bring fruit, [e.g.|for example|eg] apples, pears, [etc.|et cetera|etcetera|etc]
formulas: Salt is [NaCl|n a c l|nacl] to a chemist.
formulas: Water is [H2O|h two o|h2o] and gas is [CO2|c o two|co2].
quarter: Sales went up in [Q3|q three|q3|quarter three|the third quarter].
~foreign words: I had a [croissant|croissant|crescent] for breakfast.
~rare names: [Siobhan|siobhan|shivawn|shavon|shivon] met [Nguyen|nguyen|win|wen] at noon.
thousands: The hall has [1,234|one thousand two hundred thirty four|one thousand two hundred and thirty four] seats.
US date: He was born on [11/21/1985|november twenty first nineteen eighty five].
date: We met on [March 3rd, 2019|march third twenty nineteen].
decades: Music of the [1980s|nineteen eighties] is back.
time: The bus left at [4:17 p.m.|four seventeen pm|four seventeen p m|four point one seven pm].
time: The film starts at [16:05|sixteen oh five|four oh five pm|sixteen five|sixteen point zero five].
percent: Prices rose by [12.5%|twelve point five percent] this year.
fractions: Add [3/4|three quarters|three fourths] of a cup of milk.
ordinals: She came [1st|first] and he came [23rd|twenty third].
letters: I work for [AT&T|a t and t|at and t|a t t] in Texas.
negative: It was [-5|minus five|negative five] degrees outside.
initials: [NASA|nasa] and the [FBI|f b i|fbi] sent a [PDF|p d f|pdf] on a [USB|u s b|usb] stick.
"""
MARKED = re.compile(r"\[([^\[\]]*)\]")


def squeezed(text: str, spell: bool = True) -> str:
    """Letters alone, figures in words: what is left of a spelling when it is read."""
    said = Reading("on").spoken(text, "english") if spell else text
    return re.sub(r"[^a-z]", "", said.lower())


def sentences() -> list[tuple[str, str, list[list[str]]]]:
    """Kind, text, and of each marked place the ways to hear it."""
    found = []
    for line in SENTENCES.strip().splitlines():
        kind, _, text = line.partition(": ")
        places = [match.group(1).split("|")[1:] for match in MARKED.finditer(text)]
        found.append((kind, MARKED.sub(lambda match: match.group(1).split("|")[0], text), places))
    return found


def is_right(places: list[list[str]], heard: str) -> bool:
    """Whether each marked place is heard, in order."""
    text, at = squeezed(heard), 0
    for ways in places:
        ends = [text.find(way, at) + len(way) for way in map(squeezed, ways) if text.find(way, at) >= 0]
        if not ends:
            return False
        at = min(ends)
    return True


class Heard:
    """What was heard of each clip so far, in a file."""

    def __init__(self, folder: Path):
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / "heard.json"
        self.texts: dict[str, str] = json.loads(self.path.read_text()) if self.path.exists() else {}

    def of(self, tts: Any, text: str, voice: str) -> str:
        key = f"{voice}: {text}"
        if key not in self.texts:
            spoken = Reading("on").spoken(text, "english")
            speech = tts.speak(SpeechRequest(spoken, voice, "english", seed=SEED))
            self.texts[key] = recognised_text(speech.samples, speech.sample_rate)
            self.path.write_text(json.dumps(self.texts, indent=1))
        return self.texts[key]


def hear_sentences(tts: Any, heard: Heard) -> None:
    right, tried = Counter(), Counter()
    print("| kind | written | right | heard otherwise |\n|---|---|---|---|")
    for kind, text, places in sentences():
        said = [heard.of(tts, text, voice) for voice in tts.voices]
        good = [is_right(places, each) for each in said]
        group = "not spelt by the recogniser" if kind[0] == "~" else "spelt"
        right[group] += sum(good)
        tried[group] += len(good)
        other = next((each.strip() for each, is_good in zip(said, good, strict=True) if not is_good), "")
        print(f"| {kind.lstrip('~')} | {text} | {sum(good)} | {other} |", flush=True)
    for group, count in tried.items():
        print(f"\n{group}: {right[group]} of {count} right, {100 * right[group] / count:.0f} %")


def hear_held_out(tts: Any, heard: Heard) -> None:
    errors, count = Counter(), Counter()
    lines = (ROOT / "scripts" / "train_tiny" / "held_out.txt").read_text(encoding="utf-8").splitlines()
    for text in lines:
        said = words(Reading("on").spoken(text, "english"))
        for voice in tts.voices:
            other = words(Reading("on").spoken(heard.of(tts, text, voice), "english"))
            errors[voice] += word_errors(said, other)
            count[voice] += len(said)
    for voice in tts.voices:
        print(f"| {voice} | {count[voice]} | {errors[voice]} | {100 * errors[voice] / count[voice]:.1f} % |")
    total, wrong = sum(count.values()), sum(errors.values())
    print(f"all voices: {wrong} of {total} words wrong, {100 * wrong / total:.1f} %")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=Path("heard"), help="where what was heard is kept")
    parser.add_argument("--held-out", action="store_true")
    asked = parser.parse_args()
    with mlx_tts.load("tiny") as tts:
        (hear_held_out if asked.held_out else hear_sentences)(tts, Heard(asked.folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
