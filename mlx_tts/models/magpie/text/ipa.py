"""Words -> IPA symbols by a pronunciation dictionary of the checkpoint; words that it lacks stay letters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from mlx_tts.errors import ModelError
from mlx_tts.shortened import shown

PUNCTUATION = tuple(',.!?-:;/"()[]{}')
LOCALE_PUNCTUATION = {
    "es-ES": "«»‹›¿¡",
    "de-DE": "«»‹›„“‚‘‒–—",
    "pt-BR": "«»‹›",
    "hi-IN": "।॥",
}
LATIN = "A-Za-z"
# Latin letters with marks, the scripts of India but for their full stops, Korean.
LETTERS = LATIN + "À-ÖØ-öø-ÿ\u0900-\u0963\u0966-\u0dff\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"
WORDS_EN = re.compile(rf"([{LATIN}]+(?:[{LATIN}\-']*[{LATIN}]+)*)|(\|[^|]*\|)|([^{LATIN}|]+)")
WORDS = re.compile(rf"([{LETTERS}]+(?:[{LETTERS}\-']*[{LETTERS}]+)*)|(\|[^|]*\|)|([^{LETTERS}|]+)")
SOUNDED = re.compile(rf"[{LETTERS}\d]")
UNSOUNDED = re.compile(rf"[^{LETTERS}\d]")
ENTRY = re.compile(rf"([{LETTERS}'][^\s]*)\s+(\S.*)")
VARIANT = re.compile(r"\(\d+\)")
APART = str.maketrans("\n\r\t\f\v\u2028\u2029", " " * 7)  # the reference glues the words on either side together
CASES = ("upper", "lower", "mixed")

Pronunciations = dict[str, list[str]]


@dataclass(frozen=True)
class IPARules:
    """The settings of one tokenizer in the config."""

    locale: str
    case: str
    prefix: str
    padded: bool
    punctuation: tuple[str, ...]
    apostrophe: bool

    @classmethod
    def of(cls, settings: dict[str, Any], where: str) -> IPARules:
        g2p = settings.get("g2p") or {}
        locale = str(g2p.get("locale") or settings.get("locale") or "")
        case = str(g2p.get("grapheme_case", "upper"))
        if case not in CASES:
            raise ModelError(f"{where} has grapheme_case {shown(case)}; known are {', '.join(CASES)}")
        signs: tuple[str, ...] = PUNCTUATION if settings.get("punct", True) else ()
        if signs and settings.get("locale_specific_punct", True):
            signs += tuple(LOCALE_PUNCTUATION.get(locale, ""))
        own = settings.get("non_default_punct_list")
        return cls(
            locale,
            case,
            str(g2p.get("grapheme_prefix") or ""),
            bool(settings.get("pad_with_space", False)),
            tuple(own) if own else signs,
            bool(settings.get("apostrophe", True)),
        )

    def cased(self, word: str) -> str:
        return {"upper": word.upper(), "lower": word.lower(), "mixed": word}[self.case]

    def graphemes(self, word: str) -> list[str]:
        return [self.prefix + letter for letter in word]


def read_dictionary(text: str) -> Pronunciations:
    """Lines `WORD  pronunciation`, variants as `WORD(1)` -> word -> its pronunciations, as they are written."""
    found: Pronunciations = {}
    for line in unicodedata.normalize("NFC", text).split("\n"):
        entry = ENTRY.match(line)
        if entry is not None:
            word = VARIANT.sub("", entry[1])
            found.setdefault(word, []).append("".join(entry[2].split()))
    return found


class IPATokenizer:
    """Read and encode as NeMo's IPATokenizer with IpaG2p does, every word by the dictionary's first pronunciation.

    dictionary, heteronyms: the text of these files, read when first needed. table: the symbols, where they are known.
    """

    def __init__(
        self, rules: IPARules, dictionary: Callable[[], str], heteronyms: Callable[[], str], table: list[str] | None
    ):
        self.rules = rules
        self._read_dictionary, self._read_heteronyms, self._table = dictionary, heteronyms, table

    @cached_property
    def _written(self) -> Pronunciations:
        words = read_dictionary(self._read_dictionary())
        if not words:
            raise ModelError("the checkpoint has an empty pronunciation dictionary: fetch or convert it again")
        return words

    @cached_property
    def _first(self) -> dict[str, str]:
        """Word, as it is looked up -> its first pronunciation. Of words that become equal the last one counts."""
        first: dict[str, str] = {}
        for word, pronunciations in self._written.items():
            cased = self.rules.cased(word)
            first[cased] = pronunciations[0]
            if self.rules.case == "mixed" and not cased.isupper():
                first[cased.upper()] = pronunciations[0]
        return first

    @cached_property
    def _ambiguous(self) -> frozenset[str]:
        """Words that are said in several ways, which the model reads as letters."""
        return frozenset(self.rules.cased(line.rstrip()) for line in self._read_heteronyms().split("\n"))

    @cached_property
    def tokens(self) -> list[str]:
        """The vocabulary, in its order."""
        if self._table is not None:
            return self._table
        symbols = set(self.rules.punctuation)
        if self.rules.apostrophe:
            symbols.add("'")
        for word, pronunciations in self._written.items():
            symbols.update(self.rules.graphemes(UNSOUNDED.sub("", self.rules.cased(word))))
            symbols.update(*pronunciations)
        return [*sorted(symbols), " ", "<pad>", "<oov>"]

    @property
    def size(self) -> int:
        return len(self.tokens)

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {token: number for number, token in enumerate(self.tokens)}

    def encode(self, text: str) -> list[int]:
        """Text -> ids of this table; empty where it knows nothing of the text."""
        kept = [symbol for symbol in self.symbols(text) if symbol in self._ids]
        while kept and kept[-1] == " ":
            kept.pop()
        if not any(SOUNDED.search(symbol) for symbol in kept):
            return []
        if self.rules.padded:
            kept = [" ", *kept, " "]
        return [self._ids[symbol] for symbol in kept]

    def symbols(self, text: str) -> Iterator[str]:
        """Text -> IPA symbols, letters and signs, some of which the table may lack."""
        text = text.translate(APART)
        english = self.rules.locale == "en-US"
        if english:
            text = "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn")
            text = text.replace("’", "'").replace("”", '"').replace("“", '"')
        else:
            text = unicodedata.normalize("NFC", text).replace("’", "'")
        for word, raw, rest in (WORDS_EN if english else WORDS).findall(text):
            if raw:
                yield from raw[1:-1].split(" ")
            else:
                yield from self._word((word.lower() if english else word) or rest)

    def _word(self, word: str) -> list[str]:
        said = self._said(word)
        if said is not None:
            return said
        if "-" not in word:
            return self.rules.graphemes(self.rules.cased(word))
        parts: list[str] = []
        for part in word.split("-"):
            known = self._said(part)
            parts += self.rules.graphemes(self.rules.cased(part)) if known is None else known
            parts.append("-")
        return parts[:-1]

    def _said(self, word: str) -> list[str] | None:
        """The symbols of a word, or of a run of signs; None for a word that the dictionary lacks."""
        word = self.rules.cased(word)
        if SOUNDED.search(word) is None:
            return list(word)
        if word in self._ambiguous:
            return self.rules.graphemes(word)
        if self.rules.locale == "en-US" and (inflected := self._inflected(word)) is not None:
            return inflected
        found = self._first.get(word)
        if found is None and self.rules.case == "mixed":
            found = self._first.get(word.upper())
        return None if found is None else list(found)

    def _inflected(self, word: str) -> list[str] | None:
        """A plural or a genitive whose stem alone stands in the dictionary."""
        if self._known(word) is not None:
            return None
        ending = word[-2:].lower()
        if len(word) > 2 and ending == "'s" and (stem := self._known(word[:-2])) is not None:
            last = word[-3].lower()
            return [*stem, *("s" if last == "t" else "ɪz" if last == "s" else "z")]
        if len(word) > 1 and ending[-1] == "s" and (stem := self._known(word[:-1])) is not None:
            return [*stem, "s" if word[-2].lower() == "t" else "z"]
        return None

    def _known(self, word: str) -> str | None:
        found = self._first.get(word)
        return self._first.get(word.upper()) if found is None else found
