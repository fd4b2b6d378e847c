"""A word -> its readings in the dictionaries that ship with the package.

names.txt comes first: names from many languages that english.txt lacks or says by English spelling, written by hand,
each with its IPA as an educated speaker of American English says it. english.txt is made by
scripts/make_pronunciations.py. Both are sorted by their bytes. Nothing is loaded: the files are mapped, and a word is
found by bisection (33 microseconds each on a busy core). Endings (-s, -'s, -ed, -ing) are added by rule to words that
stand in them without endings.
"""

from __future__ import annotations

import mmap
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from mlx_tts.text.phonemes.notations import from_ipa
from mlx_tts.text.phonemes.phones import american, british, with_ed, with_s

PATH = Path(__file__).with_name("english.txt")
NAMES = Path(__file__).with_name("names.txt")


@dataclass(frozen=True)
class Readings:
    """readings: phones by kind of word, "" for the usual ones. common: one of the 11,000 words that everybody knows.
    exact: whether it stands there as it was asked for, in capitals and ending. is_name: whether it is of names.txt."""

    readings: dict[str, str]
    common: bool = False
    exact: bool = True
    is_name: bool = False

    @property
    def phones(self) -> str:
        return self.readings[""]


@cache
def _text(path: Path) -> mmap.mmap:
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _line(word: bytes, path: Path) -> bytes | None:
    """The line of a word: bisection over byte positions, each moved back to its line's beginning."""
    text = _text(path)
    low, high = 0, len(text)
    while low < high:
        begin = text.rfind(b"\n", low, (low + high) // 2) + 1 or low
        end = text.find(b"\n", begin)
        line = text[begin:end]
        found = line.partition(b"\t")[0]
        if found == word:
            return line
        if found < word:
            low = end + 1
        else:
            high = begin
    return None


@lru_cache(maxsize=1 << 14)
def look_up(word: str, is_british: bool = False) -> Readings | None:
    """A word without blanks; an apostrophe may be curly. None where the dictionary does not have it."""
    word = word.replace("’", "'")
    spellings = dict.fromkeys((word, word.lower(), word.capitalize() if word.isupper() else word))
    for spelling in spellings:
        if (entry := _entry(spelling, is_british)) is not None:
            return entry
    for spelling in spellings:
        if (entry := _with_ending(spelling, is_british)) is not None:
            return entry
    return None


def _entry(word: str, is_british: bool) -> Readings | None:
    if not word or "\t" in word or "\n" in word:
        return None
    if (name := _line(word.encode(), NAMES)) is not None:
        return Readings({"": from_ipa(name.decode().partition("\t")[2], is_british).phones}, is_name=True)
    if (line := _line(word.encode(), PATH)) is None:
        return None
    _, us, other, *mark = line.decode().split("\t")
    said = other if is_british and other not in ("", "=") else us
    if not said:  # a British word, most often an ending of one that both have
        return _with_ending(word, is_british) or Readings(_readings(american(other)), mark == ["c"])
    readings = _readings(said)
    if is_british and other in ("", "="):
        readings = {kind: british(phones) for kind, phones in readings.items()}
    return Readings(readings, mark == ["c"])


def _readings(said: str) -> dict[str, str]:
    parts = (part.rpartition("=") for part in said.split(";"))
    return {kind if equals else "": phones for kind, equals, phones in parts}


def _with_ending(word: str, is_british: bool) -> Readings | None:
    if word.endswith("'s") or (word.endswith("s'") and len(word) > 3):
        stem = _entry(word[:-2] if word.endswith("'s") else word[:-1], is_british)
        return stem and _ended(stem, with_s if word.endswith("'s") else lambda phones: phones)
    stems: list[tuple[str, str]] = []
    if word.endswith("s") and len(word) > 3 and not word.endswith("ss"):
        stems += [("s", word[:-1])] + ([("s", word[:-3] + "y")] if word.endswith("ies") else [])
        stems += [("s", word[:-2])] if word.endswith("es") else []
    if word.endswith("ed") and len(word) > 4:
        stems += [("d", word[:-1]), ("d", word[:-2])] + ([("d", word[:-3])] if word[-3] == word[-4] else [])
    if word.endswith("ing") and len(word) > 5:
        stems += [("g", word[:-3]), ("g", word[:-3] + "e")] + ([("g", word[:-4])] if word[-4] == word[-5] else [])
    rules = {"s": with_s, "d": with_ed, "g": lambda phones: phones + "ɪŋ"}
    for kind, stem_word in stems:
        if len(stem_word) > 1 and (stem := _entry(stem_word, is_british)) is not None:
            return _ended(stem, rules[kind])
    return None


def _ended(entry: Readings, rule) -> Readings:  # type: ignore[no-untyped-def]
    readings = {kind: rule(phones) for kind, phones in entry.readings.items()}
    return Readings(readings, entry.common, exact=False, is_name=entry.is_name)
