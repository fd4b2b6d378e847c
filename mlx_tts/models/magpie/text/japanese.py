"""Japanese text -> katakana, each mora behind its pitch (0 low, 1 high), by OpenJTalk of the extra `japanese`.

The reading of words is unproven: the released models were trained with `pyopenjtalk`, whose dictionary is downloaded
when it is first used; `pyopenjtalk-plus` brings a larger one of its own and reads some words otherwise.
"""

from __future__ import annotations

import logging
import re
import string
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import cache, cached_property, partial
from inspect import signature
from typing import Any

from mlx_tts.errors import RequestError
from mlx_tts.extras import missing
from mlx_tts.models.magpie.text.characters import table_ids
from mlx_tts.models.magpie.text.ipa import PUNCTUATION

MORA = re.compile("[ア-ンヴ][ャュョァィゥェォヮ]?|[ァィゥェォヵヶッャュョヮ]|ー")
KATAKANA = (*(chr(code) for code in range(ord("ァ"), ord("ヶ") + 1) if chr(code) not in "ヰヱ"), "ー")
SIGNS = (*PUNCTUATION, *"«»‹›【】…‥「」『』〜。、ー〃〔〕｟｠〈〉《》〖〗〘〙〚〛•◦﹅﹆※＊〽〓〒！？・", "・・・")
SYMBOL, SECOND_SYMBOL, LETTERS, FILLER = "記号", "補助記号", "アルファベット", "フィラー"  # kinds of words
G2P = "JapaneseKatakanaAccentG2p"  # the only reading that is known here

Frontend = Callable[[str], Iterable[dict[str, Any]]]


class JapaneseTokenizer:
    """table: the symbols, where they are known. frontend: the words of a text with reading and accent."""

    unproven = True

    def __init__(self, settings: dict[str, Any], table: list[str] | None, frontend: Frontend | None = None):
        g2p = settings.get("g2p") or {}
        self._case = str(g2p.get("ascii_letter_case") or "lower")
        self._prefix = str(g2p.get("ascii_letter_prefix") or "")
        self._padded = bool(settings.get("pad_with_space", False))
        self._apostrophe = bool(settings.get("apostrophe", True))
        own = settings.get("non_default_punct_list")
        signs = sorted(SIGNS) if own is None else list(own)
        self._signs = signs if settings.get("punct", True) else []
        self._table, self._frontend = table, frontend

    @cached_property
    def tokens(self) -> list[str]:
        if self._table is not None:
            return self._table
        letters = sorted(string.ascii_uppercase if self._case == "upper" else string.ascii_lowercase)
        apostrophe = ["'"] if self._apostrophe else []
        return [" ", "0", "1", *KATAKANA, *letters, *apostrophe, *self._signs, "<pad>", "<oov>"]

    @property
    def size(self) -> int:
        return len(self.tokens)

    def encode(self, text: str) -> list[int]:
        symbols = self._symbols("".join(text.split()))
        return table_ids(self.tokens, symbols, lambda symbol: symbol not in self._signs, self._padded)

    def _symbols(self, text: str) -> list[str]:
        """Chains of words share one accent; signs and letters stand between chains."""
        words = list((self._frontend or _openjtalk())(text.upper() if self._case == "upper" else text.lower()))
        symbols: list[str] = []
        chain: list[dict[str, Any]] = []
        for word, following in zip(words, [*words[1:], {}], strict=True):
            shown = unicodedata.normalize("NFKC", str(word.get("string", "")))
            between = self._between(word, shown)
            if between is None and (not word.get("pron") or not word.get("mora_size")):
                symbols += [" "] if shown.strip() else []  # no word at all: the chain goes on
            elif between is None:
                chain.append(word)
                if following.get("chain_flag") != 1:
                    symbols += with_pitch(chain)
                    chain = []
            else:
                symbols += [*with_pitch(chain), *between]
                chain = []
        return symbols + with_pitch(chain)

    def _between(self, word: dict[str, Any], shown: str) -> list[str] | None:
        """What a sign, or letters that OpenJTalk knows as no word, become; None for any other word."""
        letters = string.ascii_uppercase if self._case == "upper" else string.ascii_lowercase
        if shown and all(letter in letters for letter in shown) and word.get("pos") == FILLER:
            return [self._prefix + letter for letter in shown]
        if word.get("pos") in (SYMBOL, SECOND_SYMBOL) and word.get("pos_group1") != LETTERS:
            return [shown] if shown in SIGNS else [" "]
        return None


def with_pitch(chain: Sequence[dict[str, Any]]) -> list[str]:
    """The moras of a chain of words, each behind its pitch. The accent is that of the word which begins the chain."""
    if not chain:
        return []
    accent = next((word for word in chain if word.get("chain_flag") != 1), chain[0]).get("acc") or 0
    moras = [mora for word in chain for mora in MORA.findall(str(word["pron"]))]
    symbols: list[str] = []
    for number, mora in enumerate(moras, start=1):
        high = number == 1 if accent == 1 else number > 1 and not 0 < accent < number
        symbols += ["1" if high else "0", *mora]
    return symbols


def _openjtalk() -> Frontend:
    try:
        import pyopenjtalk
    except ImportError as error:
        raise RequestError(missing(f"Japanese needs the package {error.name}", "japanese")) from None
    _say_unproven()
    run = pyopenjtalk.run_frontend
    # Its own corrections of readings are left out, since the package of the training has none.
    return partial(run, use_vanilla=True) if "use_vanilla" in signature(run).parameters else run


@cache
def _say_unproven() -> None:
    logging.getLogger("mlx_tts").warning("Japanese is unproven: its reading was not compared with that of the training")
