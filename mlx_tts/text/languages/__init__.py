"""A language as people write it ("en", "English", "pt_BR", "zh-Hans-CN") -> what is known about it.

Every module in this folder is a language with rules for its words and holds one `LANGUAGE`; `without_rules` has all
others. A module is imported when it is asked for by its name; only a spelling or a guess needs all of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from itertools import chain, zip_longest
from pkgutil import iter_modules

from mlx_tts.errors import RequestError
from mlx_tts.shortened import shown
from mlx_tts.text.normalise.engine import Span

AUTO = "auto"
DEFAULT = "english"  # where nothing tells the language
TAG = re.compile(r"([a-z]{2,3})([-_][a-z0-9]{2,8})+", re.IGNORECASE)
OTHER_SCRIPT = re.compile("[\u0370-\u1dff\u2e80-\U0001efff]")  # what a text in Latin letters does not have


@dataclass(frozen=True)
class Language:
    """name: as checkpoints have it, and that of its module. spellings: ISO 639-1, 639-2 (both forms), 639-3, and the
    language's own name. Whatever is left out is not known, and then texts are neither guessed nor changed.

    For guessing: common_words, the most frequent ones, in small letters; those of several languages count for each.
    own_letters: which say more than any word. script: the characters that tell the language, as ranges of a regular
    expression; character_weight: how many Latin letters one of them outweighs; mixed_with: the language whose
    characters are also used.

    For cutting: sentences, the code of `sentencex` for the language; without one, the script of a text decides.
    unfinished: a pattern of abbreviations behind which no sentence ends, where the library's list is too short.

    sample: about eight seconds to read into a microphone and to hear voices with: a question and statements with many
    of the language's sounds, since a clone knows only what it has heard. everyday: short sentences that a model speaks
    where its own speech is measured. recognise: a text and a region ("gb") -> what is said in other words, see
    `text/normalise/engine.py`."""

    name: str
    spellings: str = ""
    common_words: str = ""
    own_letters: str = ""
    script: str = ""
    character_weight: int = 1
    mixed_with: str = ""
    sentences: str = ""
    unfinished: str = ""
    sample: str = ""
    everyday: tuple[str, ...] = ()
    recognise: Callable[[str, str], list[Span]] | None = None

    @property
    def code(self) -> str:
        """ISO 639-1 where the language has one."""
        return (self.spellings.split() or [self.name])[0]


@cache
def names() -> tuple[str, ...]:
    return tuple(sorted({*_modules(), *_without_rules()}))


@cache
def _modules() -> frozenset[str]:
    return frozenset(module.name for module in iter_modules(__path__)) - {"without_rules"}


@cache
def _without_rules() -> dict[str, Language]:
    table: tuple[Language, ...] = import_module(f"{__name__}.without_rules").LANGUAGES
    return {language.name: language for language in table}


@cache
def find(name: str) -> Language | None:
    """name: exactly as `names` has it."""
    if name not in _modules():
        return _without_rules().get(name)
    language: Language = import_module(f"{__name__}.{name}").LANGUAGE
    return language


@cache
def every_language() -> tuple[Language, ...]:
    return tuple(language for name in names() if (language := find(name)))


@cache
def scripts() -> tuple[tuple[Language, re.Pattern[str]], ...]:
    """The languages that their script tells, and its characters; where a text has as many of two, the first counts:
    one with words for numbers, then the one with the heavier characters."""
    found = [language for language in every_language() if language.script]
    found.sort(key=lambda language: (language.recognise is None, -language.character_weight, language.code))
    return tuple((language, re.compile(f"[{language.script}]")) for language in found)


def sentence_language(asked: str, text: str) -> Language:
    """The language by which a text is cut: `asked` if its sentences are known, else that of the text's script."""
    language = find(asked)
    if language is not None and language.sentences:
        return language
    if OTHER_SCRIPT.search(text):
        for language, characters in scripts():
            if language.sentences and characters.search(text):
                return language
    default = find(DEFAULT)
    assert default is not None
    return default


def sample_sentences(language: str | None) -> str:
    """What to read aloud in a language; English where there is nothing."""
    found = find(language or DEFAULT)
    return found.sample if found and found.sample else sample_sentences(DEFAULT)


def everyday_in_turn(languages: Iterable[str]) -> list[tuple[str, str]]:
    """(language, sentence) of those of the languages that have everyday sentences: the first of each, then the second,
    and so on. English ones where none has any."""
    able = [found for name in languages if (found := find(name)) is not None and found.everyday]
    default = find(DEFAULT)
    assert default is not None
    columns = ([(language.name, sentence) for sentence in language.everyday] for language in able or [default])
    return [pair for pair in chain.from_iterable(zip_longest(*columns)) if pair is not None]


def resolve(asked: str, allowed: Sequence[str]) -> str:
    """The name in `allowed` (or "auto") that `asked` means; RequestError names the near or the allowed ones."""
    by_key = {name.casefold(): name for name in (AUTO, *allowed)}
    word = _without_encoding(asked)
    key = re.sub(r"[\s-]+", "_", word).casefold()
    if key in by_key:
        return by_key[key]
    name = _spelled(word)
    if name in by_key:
        return by_key[name]
    if name is not None:
        raise RequestError(f"this model does not speak {shown(asked)} ({name}): use {_listed(by_key.values())}")
    spoken = {spelling: target for spelling, target in _spellings().items() if target in by_key and len(spelling) > 3}
    candidates = {**spoken, **{key: key for key in by_key}}
    near = {by_key[candidates[match]] for match in get_close_matches(key, candidates, n=2, cutoff=0.7)}
    hint = f"did you mean {' or '.join(sorted(near))}? " if near else ""
    raise RequestError(
        f"unknown language {shown(asked)}: {hint}use {_listed(by_key.values())}, an ISO code or a locale tag"
    )


def named(asked: str) -> str | None:
    """The language that a spelling, a code or a locale means, whichever model speaks it; None: an unknown one."""
    word = _without_encoding(asked).casefold()
    return word if word in names() else _spelled(word)


def region(asked: str) -> str:
    """The region of a locale tag in small letters: "gb" of en-GB; "" where there is none."""
    parts = re.split("[-_]", _without_encoding(asked).casefold())
    return next((part for part in parts[1:] if len(part) == 2 and part.isalpha()), "")


def _without_encoding(asked: str) -> str:
    """pt_BR.UTF-8 and de_DE@euro are locales as well."""
    return asked.strip().split(".")[0].split("@")[0]


@cache
def _spellings() -> dict[str, str]:
    return {spelling: language.name for language in every_language() for spelling in language.spellings.split()}


def _spelled(word: str) -> str | None:
    """The language with this spelling, or with that of the locale tag's first part."""
    tag = TAG.fullmatch(word)
    return _spellings().get(word.casefold()) or (_spellings().get(tag.group(1).casefold()) if tag else None)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
