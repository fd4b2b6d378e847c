"""The user's own words: a TOML file of [[entry]] tables -> what is said for words and patterns of a text.

An entry says other words (`say`), or how the word is pronounced: `ipa`, `arpabet`, `xsampa`, `pinyin` or `romaji`, or
`origin` alone, which reads the word by the spelling of that language.

Patterns may come from strangers; one of a line can look for hours: the package `regex` reads them, with a time limit.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from mlx_tts.errors import RequestError
from mlx_tts.files import budget
from mlx_tts.files.reading import UnreadableFileError, read_toml
from mlx_tts.shortened import reason_of, shortened, shown
from mlx_tts.text.languages import names, resolve
from mlx_tts.text.phonemes.notations import ALPHABETS, Said
from mlx_tts.text.phonemes.notations import read as read_pronunciation
from mlx_tts.text.phonemes.phones import with_s
from mlx_tts.text.phonemes.respelling import respelled

KEYS = {
    **{"match": str, "say": str, "language": str, "regex": bool, "case": bool},
    **dict.fromkeys(ALPHABETS, str),
    **{"origin": str, "voice": str},
}
# What stands for a word whose pronunciation is settled, until all other rules are done: no rule knows these characters.
SETTLED = 0xF0000
MOST_SETTLED = 0xFFFE


@dataclass(frozen=True)
class LexiconEntry:
    """match: a whole word or phrase, or with `regex` a pattern. case: whether capitals must be the same. alphabet,
    pronunciation: how it is said, in place of `say`. origin: the language of a name. voice: the only one to say so."""

    match: str
    say: str = ""
    language: str | None = None
    regex: bool = False
    case: bool = False
    alphabet: str | None = None
    pronunciation: str = ""
    origin: str | None = None
    voice: str | None = None

    def said(self, is_british: bool = False) -> Said | None:
        """The phones of an entry that has a pronunciation; RequestError where it cannot be read."""
        return None if self.alphabet is None else read_pronunciation(self.alphabet, self.pronunciation, is_british)

    @cached_property
    def pattern(self) -> Any:
        """A pattern of re, or of regex where the user wrote it."""
        flags = 0 if self.case else re.IGNORECASE
        if self.regex:
            import regex

            try:
                return regex.compile(self.match, regex.VERSION0 | (0 if self.case else regex.IGNORECASE))
            except (regex.error, RecursionError, OverflowError, MemoryError) as error:
                raise re.error(reason_of(error) or type(error).__name__) from None
        before = r"(?<!\w)" if _is_spaced(self.match[0]) else ""
        behind = r"(?!\w)" if _is_spaced(self.match[-1]) else ""
        ending = "(?P<possessive>['’]s)?" if self.alphabet else ""
        return re.compile(before + re.escape(self.match) + ending + behind, flags)


Pronounced = Callable[[str, Said], str]


def _is_spaced(character: str) -> bool:
    """A letter of a script with spaces between words."""
    return character.isalnum() and ord(character) < 0x2E80


class Lexicon:
    """Entries in their order; the first that matches at a place is taken, longer words first. source: the file that it
    was read from, where it was."""

    def __init__(self, entries: Iterable[LexiconEntry], source: Path | None = None):
        self.entries, self.source = tuple(entries), source
        ordered = sorted(self.entries, key=lambda entry: (entry.regex, -len(entry.match)))
        self._compiled = [(entry, entry.pattern) for entry in ordered]

    def __bool__(self) -> bool:
        return bool(self.entries)

    def __add__(self, other: Lexicon) -> Lexicon:
        return Lexicon((*self.entries, *other.entries))

    def settle(
        self,
        text: str,
        language: str,
        pronounced: Pronounced = lambda word, said: respelled(said.phones, shown=False),
        is_british: bool = False,
        voice: str | None = None,
        said: list[str] | None = None,
    ) -> tuple[str, list[str]]:
        """The text with a mark for each match, and what is said for the marks: see `restore`. pronounced: what stands
        for a word whose sounds are given; by default a respelling. said: of marks that the text has already."""
        said = [] if said is None else said

        def mark(match: Any, entry: LexiconEntry) -> str:
            if not match[0] or len(said) >= MOST_SETTLED:
                return match[0]
            if (sounds := entry.said(is_british)) is not None:
                if not entry.regex and match["possessive"]:
                    sounds = sounds._replace(phones=with_s(sounds.phones))
                said.append(pronounced(match[0], sounds))
            else:
                said.append(match.expand(entry.say) if entry.regex else entry.say)
            return chr(SETTLED + len(said) - 1)

        seconds = (budget.PATTERN_MS.allowed + budget.PATTERN_MS_PER_CHARACTER * len(text)) / 1000
        deadline = time.monotonic() + seconds
        for entry, pattern in self._compiled:
            if entry.language not in (None, language) or entry.voice not in (None, voice):
                continue
            limits = {"timeout": max(0.001, deadline - time.monotonic())} if entry.regex else {}
            try:
                text = pattern.sub(lambda match, entry=entry: mark(match, entry), text, **limits)
            except TimeoutError:
                raise RequestError(
                    budget.PATTERN_MS.refusal(f"the lexicon's pattern {shown(entry.match, 50)}")
                ) from None
        return text, said

    @staticmethod
    def restore(text: str, said: list[str]) -> str:
        if not said:
            return text
        return text.translate({SETTLED + number: words for number, words in enumerate(said)})


def read_lexicon(path: Path) -> Lexicon:
    """RequestError names the file, the entry (from 1) and what is wrong with it."""
    try:
        table = read_toml(path, budget.LEXICON_BYTES)
    except FileNotFoundError:
        raise RequestError(f"cannot read {path}: no such file") from None
    except UnreadableFileError as error:
        raise RequestError(f"{path} is not a lexicon, it {error}") from None
    entries = table.get("entry", [])
    unknown = sorted(set(table) - {"entry"})
    if unknown or not isinstance(entries, list):
        raise RequestError(
            f"{path} is not a lexicon: it may hold [[entry]] tables only, "
            f"not {shortened(', '.join(unknown), 100) or 'entry'}"
        )
    budget.LEXICON_ENTRIES.check(len(entries), path)
    budget.LEXICON_PATTERNS.check(sum(isinstance(raw, Mapping) and bool(raw.get("regex")) for raw in entries), path)
    return Lexicon((read_entry(raw, f"{path}, entry {number}") for number, raw in enumerate(entries, 1)), path)


def read_entry(raw: Any, where: str) -> LexiconEntry:  # noqa: C901 (one case a key, an element or a sign)
    """One [[entry]] as TOML or JSON has it; RequestError begins with `where` and says what is wrong."""
    if not isinstance(raw, Mapping):
        raise RequestError(f"{where}: write [[entry]], then match and say, or match and ipa")
    for key, value in raw.items():
        if key not in KEYS:
            raise RequestError(f"{where}: unknown key {shown(key, 50)}, use {', '.join(KEYS)}")
        if not isinstance(value, KEYS[key]):
            raise RequestError(f"{where}: {key} is {shown(str(value), 50)}, it must be a {KEYS[key].__name__}")
    ways = [key for key in ("say", *ALPHABETS) if key in raw]
    if "match" not in raw:
        raise RequestError(f"{where}: match is missing")
    if not ways and "origin" not in raw:
        raise RequestError(f"{where}: say is missing (or ipa, or another of {', '.join((*ALPHABETS, 'origin'))})")
    if len(ways) > 1:
        raise RequestError(f"{where}: it has {' and '.join(ways)}: give one of them")
    if not raw["match"]:
        raise RequestError(f"{where}: match is empty")
    budget.LEXICON_SAYS.check(max(len(raw.get(key, "")) for key in ("say", *ALPHABETS)), where)
    language = raw.get("language")
    try:
        plain = {key: value for key, value in raw.items() if key not in ALPHABETS}
        plain |= {"language": resolve(language, names()) if language else None}
        if ways != ["say"]:
            plain |= _pronunciation(raw, ways)
        entry = LexiconEntry(**plain)
        _check(entry)
    except RequestError as error:
        raise RequestError(f"{where}: {error}") from None
    except re.error as error:
        raise RequestError(f"{where}: {shown(raw['match'], 50)} is not a regular expression: {error}") from None
    return entry


def _pronunciation(raw: Mapping[str, str], ways: list[str]) -> dict[str, str | None]:
    """The alphabet and the pronunciation of an entry; by its origin alone the word is read as it is spelled there."""
    from mlx_tts.text.phonemes.origins import origin_code

    origin = origin_code(raw["origin"]) if "origin" in raw else None
    alphabet = ways[0] if ways else origin
    return {"alphabet": alphabet, "pronunciation": raw[ways[0]] if ways else raw["match"], "origin": origin}


def _check(entry: LexiconEntry) -> None:
    """A pattern compiles, and what is said names only groups that it has; a pronunciation can be read."""
    entry.said()
    pattern = entry.pattern
    if entry.regex:
        if pattern.match("") is not None:
            raise re.error("it matches nothing at all")
        any_match = re.match(r"(?s)" + "()" * pattern.groups, "")
        named = {f"\\g<{name}>": f"\\{number}" for name, number in pattern.groupindex.items()}
        template = entry.say
        for name, number in named.items():
            template = template.replace(name, number)
        try:
            assert any_match is not None
            any_match.expand(template)
        except IndexError as error:
            raise re.error(str(error)) from None
