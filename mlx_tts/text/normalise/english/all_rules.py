"""English text as it is written -> as it is said."""

from __future__ import annotations

import re

from mlx_tts.text.normalise.english import (
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
from mlx_tts.text.normalise.rules import apply

# Kinds that hold others' marks come first: an address has dots and digits, a date has slashes, a price a number.
ORDER = (web.RULES, abbreviations.BEFORE_NUMBERS, roman.RULES, dates.RULES, dates.NAMES, codes.NAMES, codes.RULES,
         money.RULES, units.RULES, maths.RULES, numbers.RULES, abbreviations.RULES, capitals.RULES,
         symbols.RULES)  # fmt: skip
RULES = tuple(rule for kind in ORDER for rule in kind)
# Most sentences have letters and common marks alone: a third of the rules is enough for them.
TELLS = re.compile(r"[^A-Za-zÀ-ÿ\s,.;:!?'\"’‘“”()—–…-]")
OF_LETTERS = (web.RULES, abbreviations.BEFORE_NUMBERS, roman.RULES, dates.NAMES, codes.NAMES, abbreviations.RULES,
              capitals.RULES)  # fmt: skip
RULES_OF_LETTERS = tuple(rule for kind in OF_LETTERS for rule in kind)
# One form of signs that are written in several ways.
SIGNS = str.maketrans({"\u00a0": " ", "\u202f": " ", "\u2009": " ", "\u2212": "-", "\u2010": "-", "\u2011": "-",
"μ": "µ",
                       "\u2012": "–", "\u2044": "/", "º": "°", "ﬁ": "fi", "ﬂ": "fl", "℃": "°C", "℉": "°F"})  # fmt: skip
SPACED = re.compile(r" {2,}")
BEFORE_MARK = re.compile(r" (?=[.,;:!?…](?:\s|\Z))")


def english(text: str) -> str:
    text = text.translate(SIGNS)
    said = apply(RULES if TELLS.search(text) else RULES_OF_LETTERS, text)
    said = BEFORE_MARK.sub("", SPACED.sub(" ", said)).strip()
    begins_small = text[:1].isalpha() and not text[0].isupper()
    return said if begins_small else said[:1].upper() + said[1:]
