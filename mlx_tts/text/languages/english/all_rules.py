"""English text as it is written -> as it is said."""

from __future__ import annotations

import re
from typing import NamedTuple

from mlx_tts.text.languages.english import (
    abbreviations,
    capitals,
    codes,
    dates,
    maths,
    money,
    numbers,
    roman,
    symbols,
    units,
    web,
)
from mlx_tts.text.normalise.rules import Rule, apply


class Kind(NamedTuple):
    """tells: what a text has in which any of the rules finds something. Most sentences have little of it, and a search
    for a few characters costs a hundredth of trying all rules."""

    tells: re.Pattern[str]
    rules: tuple[Rule, ...]


DIGIT = r"\d|[²³⁰-⁹₀-₉]"
# Kinds that hold others' marks come first: an address has dots and digits, a date has slashes, a price a number.
KINDS = (
    Kind(re.compile(r"[@#/_(]|\w\.\w|\.[a-zN]|--|\+\+|[a-z][A-Z]"), web.RULES),
    Kind(re.compile(r"\d|pp |\b(?:St|Dr|Mr|Mrs|Ms|[Aa]pprox)\b"), abbreviations.BEFORE_NUMBERS),
    Kind(re.compile(r"\b[IVXLCDM]+(?:st|nd|rd|th|e)?\b"), roman.RULES),
    Kind(re.compile(r"\d"), dates.RULES),
    Kind(re.compile(r"\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|[A-Z][a-z]{2,4}\.)|\d0"), dates.NAMES),
    Kind(re.compile(r"[A-Z][A-Za-z]?[A-Z\d]"), codes.NAMES),
    Kind(re.compile(rf"{DIGIT}|[A-Z][a-z]?[₀-₉]|[α-ωΔΣΩ]"), codes.RULES),
    Kind(re.compile(r"\d"), money.RULES),
    Kind(re.compile(r"\d|[/°²]|kg|mph|kWh|[kMG](?:Hz|B)"), units.RULES),
    Kind(re.compile(rf"{DIGIT}|[-+×·÷=<>≤≥≠≈±−→*^√π∞~%½⅓⅔¼¾⅕-⅞]"), maths.RULES),
    Kind(re.compile(r"\d"), numbers.RULES),
    Kind(re.compile(r"\.|[/&]|\b(?:vs|etc|aka|PhD|FYI|[aA][sS][aA][pP])\b"), abbreviations.RULES),
    Kind(re.compile(r"[A-Z][A-Z'’]"), capitals.RULES),
    Kind(re.compile(r"[^\w\s,.;:!?'\"’‘“”()—–…-]|_"), symbols.RULES),
)
# One form of signs that are written in several ways.
SIGNS = str.maketrans({"\u00a0": " ", "\u202f": " ", "\u2009": " ", "\u2212": "-", "\u2010": "-", "\u2011": "-",
"μ": "µ",
                       "\u2012": "–", "\u2044": "/", "º": "°", "ﬁ": "fi", "ﬂ": "fl", "℃": "°C", "℉": "°F"})  # fmt: skip
SPACED = re.compile(r" {2,}")
BEFORE_MARK = re.compile(r" (?=[.,;:!?…](?:\s|\Z))")


def english(text: str) -> str:
    text = text.translate(SIGNS)
    said = text
    for kind in KINDS:
        if kind.tells.search(said):
            said = apply(kind.rules, said)
    said = BEFORE_MARK.sub("", SPACED.sub(" ", said)).strip()
    begins_small = text[:1].isalpha() and not text[0].isupper()
    return said if begins_small else said[:1].upper() + said[1:]
