"""A text -> the language it is written in: the script first, then the small words that only one language has."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

from mlx_tts.text.languages import OTHER_SCRIPT, every_language, scripts

LATIN = re.compile("[A-Za-zÀ-ɏḀ-ỿ]")
WORD = re.compile(r"[^\W\d_]+(?:['’](?=\w))?")
# Addresses of web or mail and names of files are in no language. The lookbehinds and ++ keep the time linear: a run of
# characters is looked at from its beginning only, and once.
ADDRESS = re.compile(r"(?<![^\s@.:/])[^\s@.:/]*+(?:[@/]|(?<![.:])[.:]++(?=[\w/]))\S*+")
SAMPLE = 20_000  # characters: enough to know, and no more time for a book than for a page
SHORTEST = 5  # words: a shorter text in a Latin script is not evidence
LEAST_WITNESSES = 2  # different words or letters that only few languages have: one alone may be a name


@cache
def _languages_by_word() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for language in every_language():
        for word in set(language.common_words.split()):
            found.setdefault(word, []).append(language.name)
    return found


def guess_language(text: str) -> str | None:
    """None: not sure."""
    text = text[:SAMPLE]
    if not OTHER_SCRIPT.search(text):
        return guess_latin_language(text)
    counts = {language.name: len(characters.findall(text)) for language, characters in scripts()}
    for language, _ in scripts():
        own, other = counts[language.name], counts.get(language.mixed_with, 0)
        if own and own * 20 > other:
            counts[language.name], counts[language.mixed_with] = own + other, 0
    most, _ = max(scripts(), key=lambda script: counts[script[0].name])
    if counts[most.name] * most.character_weight > len(LATIN.findall(text)):
        return most.name
    return guess_latin_language(text)


def guess_latin_language(text: str) -> str | None:
    """By the words alone; None: too few, or two languages are as likely."""
    text = text[:SAMPLE]
    found = WORD.findall(ADDRESS.sub(" ", text))
    short_forms = [word for word in found if len(word) > 1 and word.isupper()]
    if 2 * len(short_forms) < len(found):  # not a text in capitals: "6:30 ET" has no Danish article
        found = [word for word in found if len(word) == 1 or not word.isupper()]
    words = [word.lower() for word in found]
    if sum(len(word) > 1 for word in words) < SHORTEST:  # single letters are spelt in any text
        return None
    votes: Counter[str] = Counter()
    witnesses: Counter[str] = Counter()
    for word, times in Counter(word.replace("’", "'") for word in words).items():
        languages = _languages_by_word().get(word, ())
        for name in languages:
            votes[name] += times * (6 // min(len(languages), 6))
            witnesses[name] += len(word) > 1
    for language in every_language():
        for letter in language.own_letters:
            if times := min(text.lower().count(letter), len(words) // 4 + 1):
                votes[language.name] += 4 * times
                witnesses[language.name] += 1
    ranked = votes.most_common(2)
    if not ranked:
        return None
    best = ranked[0]
    second = ranked[1][1] if len(ranked) > 1 else 0
    sure = best[1] >= 1.25 * second and best[1] >= 0.6 * len(words)
    return best[0] if sure and witnesses[best[0]] >= LEAST_WITNESSES else None


def foreign_to(text: str, spoken: tuple[str, ...] | list[str]) -> str | None:
    """The language of a text that a model with these languages cannot say; None: it can, or nobody can be sure.

    A text of fewer than five words in a script that the model reads is never foreign.
    """
    language = guess_language(text)
    return None if language is None or language in {name.lower() for name in spoken} else language
