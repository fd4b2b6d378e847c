"""Chinese text -> IPA syllables and tones: words by jieba, pinyin by pypinyin, both of the extra `chinese`."""

from __future__ import annotations

import string
from collections.abc import Callable
from functools import cached_property
from typing import Any

from mlx_tts.errors import RequestError
from mlx_tts.extras import missing
from mlx_tts.models.magpie.text.characters import table_ids

PUNCTUATION = (*"，。？！；：、‘’“”（）【】「」《》", *',.!?-:;/"()[]{}')
TONES = "12345"


class ChineseTokenizer:
    """dictionary: the text of pinyin -> IPA, read when first needed. table: the symbols, where they are known."""

    def __init__(self, settings: dict[str, Any], dictionary: Callable[[], str], table: list[str] | None):
        g2p = settings.get("g2p") or {}
        self._case = str(g2p.get("phoneme_case") or "lower")
        self._letter_case = str(g2p.get("ascii_letter_case") or "upper")
        self._prefix = str(g2p.get("phoneme_prefix") or "")
        self._tone_prefix = str(g2p.get("tone_prefix") or "")
        self._letter_prefix = str(g2p.get("ascii_letter_prefix") or "")
        self._padded = bool(settings.get("pad_with_space", False))
        self._apostrophe = bool(settings.get("apostrophe", True))
        self._signs = PUNCTUATION if settings.get("punct", True) else ()
        self._read_dictionary, self._table = dictionary, table

    @cached_property
    def _syllables(self) -> dict[str, list[str]]:
        found = {}
        for line in self._read_dictionary().split("\n"):
            if line.strip() and not line.startswith(";;;") and "\t" in line:
                syllable, sounds = line.split("\t")[:2]
                found[syllable.lower()] = [self._prefix + sound for sound in _cased(sounds, self._case).split()]
        return found

    @property
    def _letters(self) -> dict[str, str]:
        return {letter: self._letter_prefix + letter for letter in _cased(string.ascii_uppercase, self._letter_case)}

    @cached_property
    def tokens(self) -> list[str]:
        if self._table is not None:
            return self._table
        sounds = sorted({sound for own in self._syllables.values() for sound in own})
        tones = [self._tone_prefix + tone for tone in TONES]
        apostrophe = ["'"] if self._apostrophe else []
        return [" ", *sounds, *tones, *sorted(self._letters.values()), *apostrophe, *self._signs, "<pad>", "<oov>"]

    @property
    def size(self) -> int:
        return len(self.tokens)

    def encode(self, text: str) -> list[int]:
        return table_ids(self.tokens, self._symbols(text), lambda symbol: symbol not in self._signs, self._padded)

    def _symbols(self, text: str) -> list[str]:
        cut, pinyin = _packages()
        letters, symbols = self._letters, []
        for word in cut(_cased(text, self._letter_case)):
            for sound in pinyin(word):
                if sound[-1] in TONES and len(sound) > 1:
                    if sound[:-1] in self._syllables:
                        symbols += [*self._syllables[sound[:-1]], self._tone_prefix + sound[-1]]
                else:
                    symbols.append(letters.get(sound, sound))
        return symbols


def _cased(text: str, case: str) -> str:
    return text.upper() if case == "upper" else text.lower() if case == "lower" else text


def _packages() -> tuple[Callable[[str], Any], Callable[[str], list[str]]]:
    """How words are cut, and how one is spelled in pinyin."""
    try:
        import logging

        import jieba
        from pypinyin import Style, lazy_pinyin
        from pypinyin_dict.pinyin_data import cc_cedict
    except ImportError as error:
        raise RequestError(missing(f"Chinese needs the package {error.name}", "chinese")) from None
    jieba.setLogLevel(logging.WARNING)  # it tells of its dictionary on standard error
    cc_cedict.load()

    def pinyin(word: str) -> list[str]:
        return lazy_pinyin(word, style=Style.TONE3, neutral_tone_with_five=True, errors=list)  # type: ignore[no-any-return]

    return jieba.cut, pinyin
