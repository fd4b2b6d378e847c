"""Text -> about how many seconds its speech takes: what budgets, packing and the time left are worked out from."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from mlx_tts.text.phonemes.phones import written

# Seconds a character takes at an ordinary pace, by script.
LATIN, CYRILLIC, HAN, KANA, HANGUL, OTHER = 0.066, 0.07, 0.24, 0.13, 0.16, 0.12
DIGIT, CAPITAL, STOP, SYMBOL = 0.42, 0.3, 0.3, 0.45  # a digit may be a word, a capital a letter's name, a symbol a word
CAPITALS = re.compile(r"\b[A-ZÀ-ÞА-Я]{2,}\b")
STOPS = frozenset(".!?…。！？;:；：—")


def expected_seconds(text: str) -> float:
    """How long a text takes at an ordinary pace: each character by its script, so that mixed texts count right."""
    text = written(text)
    seconds = CAPITAL * sum(len(word.group()) for word in CAPITALS.finditer(text))
    return seconds + sum(_seconds(character) for character in text)


@lru_cache(maxsize=1 << 16)
def _seconds(character: str) -> float:
    if character.isdigit():
        return DIGIT
    if character in STOPS:
        return STOP
    code = ord(character)
    if code < 0x0250:
        return LATIN
    category = unicodedata.category(character)
    if category[0] in "MZC":
        return 0.0
    if category[0] == "S":
        return SYMBOL
    if category[0] == "P":
        return 0.1
    if 0x0400 <= code < 0x0530:
        return CYRILLIC
    if 0x3040 <= code < 0x3100:
        return KANA
    if 0x3400 <= code < 0xA000 or 0xF900 <= code < 0xFB00 or code >= 0x20000:
        return HAN
    return HANGUL if 0xAC00 <= code < 0xD7B0 else OTHER
