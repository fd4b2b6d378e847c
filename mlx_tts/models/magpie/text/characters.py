"""Text -> characters or bytes, for the languages that are read without pronunciations."""

from __future__ import annotations

import string
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import Any

PUNCTUATION = '!"(),-./:;?[]{}'
HINDI = (
    "अआइईउऊऋॠएऐओऔऍऑकखगघङचछजझञटठडढणतथदधनपफबभमयरलवशषसहळऩऱ"
    "\u093e\u093f\u0940\u0941\u0942\u0943\u0944\u0947\u0948\u094b\u094c\u0945\u0949"
    "\u0901\u0902\u0903\u094d\u093c\u094a\u0962\u0963\u0946\u0964"
)
ARABIC = (
    "ءآأإؤئابةتثجحخدذرزسشصضطظعغفقكلمنهوىي"
    "\u064b\u064c\u064d\u064e\u064f\u0650\u0651\u0670\u0652"
)  # fmt: skip
SPECIALS = ("<pad>", "<oov>")
BYTES, BYTES_END = 384, 1  # ids of google/byt5-small: three specials, 256 bytes, 125 sentinels
BYTE_OFFSET = 3


def hindi_table(charset_version: int, punct_version: int) -> list[str]:
    """The first form of the table has the letters twice and Latin ones in lower case alone."""
    letters = [*HINDI, *HINDI, *string.ascii_lowercase] if charset_version == 1 else [*HINDI, *string.ascii_letters]
    signs = PUNCTUATION if punct_version == 1 else PUNCTUATION + "।॥"
    return [" ", *letters, "'", *signs, *SPECIALS]


def arabic_table(charset_version: int) -> list[str]:
    letters = [*ARABIC, *ARABIC] if charset_version == 1 else [*ARABIC]
    return [" ", *letters, *string.ascii_letters, "'", *PUNCTUATION, *"،؛؟", *SPECIALS]


def table_of(kind: str, settings: dict[str, Any], old: bool) -> list[str]:
    """kind: "hindi" or "arabic". old: whether versions that are not set mean the first ones."""
    usual = 1 if old else 2
    charset = int(settings.get("charset_version") or usual)
    if kind == "arabic":
        return arabic_table(charset)
    return hindi_table(charset, int(settings.get("punct_version") or usual))


def table_ids(
    tokens: Sequence[str], symbols: Iterable[str], is_heard: Callable[[str], bool], padded: bool
) -> list[int]:
    """Symbols -> their ids in a table; empty where nothing of them is heard. What the table lacks drops out, spaces
    become one, those at the ends go; of a symbol that stands twice in the table the last place counts."""
    ids = {token: number for number, token in enumerate(tokens)}
    kept: list[str] = []
    for symbol in symbols:
        if symbol in ids and not (symbol == " " and kept[-1:] in ([], [" "])):
            kept.append(symbol)
    while kept and kept[-1] == " ":
        kept.pop()
    if not any(map(is_heard, kept)):
        return []
    return [ids[symbol] for symbol in ([" ", *kept, " "] if padded else kept)]


class CharacterTokenizer:
    """Characters of the table stay, others drop out."""

    def __init__(self, tokens: list[str], padded: bool):
        self.tokens, self.padded = tokens, padded

    @property
    def size(self) -> int:
        return len(self.tokens)

    def encode(self, text: str) -> list[int]:
        characters = (" " if character.isspace() else character for character in unicodedata.normalize("NFC", text))
        return table_ids(self.tokens, characters, str.isalnum, self.padded)


class ByteTokenizer:
    """UTF-8 bytes and an end, as google/byt5-small has them."""

    size = BYTES
    tokens = None

    def encode(self, text: str) -> list[int]:
        if not any(character.isalnum() for character in text):
            return []
        return [byte + BYTE_OFFSET for byte in text.encode()] + [BYTES_END]
