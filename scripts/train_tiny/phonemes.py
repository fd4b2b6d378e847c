"""Written English to Kokoro's phone ids, American or British, through hibari's front end.

hibari reads most numbers, prices, dates, times and abbreviations well; READINGS mends what it does not.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

SPACE, SILENCE = 16, 0
# Kokoro's letters of English phones and their ids, for programs that run without the front end.
LETTER_IDS = {
    **dict(zip(";:,.!?", range(1, 7), strict=True)),
    **{"—": 9, "…": 10, '"': 11, "(": 12, ")": 13, "“": 14, "”": 15, " ": SPACE},
    **{
        "A": 24,
        "I": 25,
        "O": 31,
        "Q": 33,
        "T": 36,
        "W": 39,
        "Y": 41,
        "ᵊ": 42,
        "a": 43,
        "b": 44,
        "d": 46,
        "f": 48,
        "h": 50,
    },
    **{
        "i": 51,
        "j": 52,
        "k": 53,
        "l": 54,
        "m": 55,
        "n": 56,
        "p": 58,
        "s": 61,
        "t": 62,
        "u": 63,
        "v": 64,
        "w": 65,
        "z": 68,
    },
    **{"ɑ": 69, "ɐ": 70, "ɒ": 71, "æ": 72, "ɔ": 76, "ð": 81, "ʤ": 82, "ə": 83, "ɛ": 86, "ɜ": 87, "ɡ": 92, "ɪ": 102},
    **{"ŋ": 112, "θ": 119, "ɹ": 123, "ɾ": 125, "ʃ": 131, "ʧ": 133, "ʊ": 135, "ʌ": 138, "ʒ": 147, "ʔ": 148, "ˈ": 156},
    **{"ˌ": 157, "ː": 158, "ᵻ": 177},
}
LETTERS = {number: letter for letter, number in LETTER_IDS.items()}
WEEKDAYS = {
    "Mon": "Monday",
    "Tue": "Tuesday",
    "Tues": "Tuesday",
    "Wed": "Wednesday",
    "Thu": "Thursday",
    "Thur": "Thursday",
    "Thurs": "Thursday",
    "Fri": "Friday",
    "Sat": "Saturday",
    "Sun": "Sunday",
}
CURRENCIES = {"$": "dollars", "£": "pounds", "€": "euros"}
MAGNITUDES = {"k": "thousand", "m": "million", "bn": "billion"}
READINGS = (
    (re.compile(rf"\b({'|'.join(WEEKDAYS)})(?:\.,?|,)(?= (?:\d|[A-Z]))"), lambda match: WEEKDAYS[match[1]] + ","),
    (re.compile(r"(\d)'(\d{1,2})\""), r"\1 foot \2"),
    # Quotation marks glue themselves to words and spoil them; they are not heard anyway.
    (re.compile(r"[\"“”«»]|(?<!\w)['\u2018](?=\w)|(?<=\w)['\u2019](?!\w)"), ""),
    (re.compile(r"\s*--\s*"), " — "),
    (
        re.compile(r"(?<![\w.\-])(\d{3})-(\d{4})(?=\.(?:\s|$))"),
        lambda match: f"{' '.join(match[1])}, {' '.join(match[2])}",
    ),
    (re.compile(r"(?<![\w.\-])(\d{1,4})\s?[-\u2013]\s?(\d{1,4})(?=[.%](?:\s|$))"), r"\1 to \2"),
    (
        re.compile(r"([$£€])(\d+(?:\.\d+)?)(k|m|bn)\b"),
        lambda match: f"{match[2]} {MAGNITUDES[match[3]]} {CURRENCIES[match[1]]}",
    ),
    (re.compile(r"(?<![\w.])(\d+)p\b"), r"\1 pence"),
    (
        re.compile(r"\b(\d)-(\d{3})-(\d{3})-(\d{4})\b"),
        lambda match: ", ".join(" ".join(group) for group in match.groups()),
    ),
    (re.compile(r"\b(Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.(?= \d)"), r"\1"),
    (re.compile(r"\bwww\."), "W W W dot "),
    (re.compile(r"\b24/7\b"), "twenty-four seven"),
)


def readable(text: str) -> str:
    for pattern, replacement in READINGS:
        text = pattern.sub(replacement, text)
    return text


class Phonemiser:
    """One British and one American reader; loads in about a second."""

    def __init__(self) -> None:
        from hibari.g2p import G2P
        from hibari.tts import ASSETS, Hibari

        self.split = Hibari.split_sentences
        self.readers = {british: G2P(british=british) for british in (False, True)}
        self.ids: dict[str, int] = json.loads((Path(ASSETS) / "vocab.json").read_text(encoding="utf-8"))

    def sentences(self, text: str, british: bool) -> list[tuple[int, ...]]:
        """Phone ids of each sentence, without the silences around it."""
        return [ids for _, ids in self.reading(text, british)]

    def reading(
        self, text: str, british: bool, said: dict[str, str] | None = None
    ) -> list[tuple[list[int] | None, tuple[int, ...]]]:
        """Of each sentence where it stands in the text, if it stands there letter by letter, and its phone ids.

        said: the phones of words that are said otherwise than the front end would say them.
        """
        result, end = [], 0
        for sentence in self.split(readable(text)):
            phones = self.readers[british](sentence)
            ending = sentence.rstrip()[-1:]
            if ending in ".!?" and phones and phones[-1] not in ".!?…":
                phones += ending  # lost after "p.m." or a single letter, and with it the falling tone
            if said:
                phones = spoken_instead(sentence, phones, said)
            ids = tuple(self.ids[phone] for phone in phones if phone in self.ids)
            span = place_of(sentence, text, end)
            end = span[1] if span else end
            if ids:
                result.append((span, ids))
        return result


QUOTES = "[\"“”«»'\u2018\u2019]*"


def place_of(sentence: str, text: str, begin: int) -> list[int] | None:
    """[start, end] of a sentence in a text from `begin` on, where it is as written but for quotation marks."""
    words = map(re.escape, sentence.split())
    found = re.compile(rf"{QUOTES}\s+{QUOTES}".join(words)).search(text, begin)
    return list(found.span()) if found else None


def spoken_instead(sentence: str, phones: str, said: dict[str, str]) -> str:
    """Phones of a sentence with those of some words exchanged; ValueError where its words and phones fall apart."""
    written, spoken = re.findall(r"\S*\w\S*", sentence), re.split(r"(\s+)", phones)
    places = [at for at, part in enumerate(spoken) if re.search(r"[^\W_]", part)]
    if len(written) != len(places):
        raise ValueError("words and phones fall apart")
    for word, place in zip(written, places, strict=True):
        bare = re.sub(r"^\W+|\W+$|['’]s\W*$", "", word)
        if bare in said:
            core = re.search(r"[\wˈˌː].*[\wː]|[\w]", spoken[place])
            spoken[place] = spoken[place][: core.start()] + said[bare] + spoken[place][core.end() :]
    return "".join(spoken)
