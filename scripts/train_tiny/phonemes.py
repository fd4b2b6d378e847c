"""Written English to Kokoro's phone ids, American or British, through hibari's front end.

hibari reads most numbers, prices, dates, times and abbreviations well; READINGS mends what it does not.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

SPACE, SILENCE = 16, 0
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
        result = []
        for sentence in self.split(readable(text)):
            phones = self.readers[british](sentence)
            ending = sentence.rstrip()[-1:]
            if ending in ".!?" and phones and phones[-1] not in ".!?…":
                phones += ending  # lost after "p.m." or a single letter, and with it the falling tone
            ids = tuple(self.ids[phone] for phone in phones if phone in self.ids)
            if ids:
                result.append(ids)
        return result
