"""A pattern and the words for what it matches: rules are applied in their order, each to all of a text.

Every pattern must take linear time: it begins where a lookbehind forbids to begin inside the same run of characters,
and its repeats are bounded or cannot overlap.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

Words = Callable[[re.Match[str]], str | None]


class Rule(NamedTuple):
    """words: what is said for a match; None leaves it as it is written."""

    pattern: re.Pattern[str]
    words: Words


def rule(pattern: str, words: Words | str, flags: int = 0) -> Rule:
    """words: a function of the match, or a template such as r"\\1 percent"."""
    if isinstance(words, str):
        template = words
        return Rule(re.compile(pattern, flags), lambda match: match.expand(template))
    return Rule(re.compile(pattern, flags), words)


def apply(rules: Iterable[Rule], text: str) -> str:
    for pattern, words in rules:
        text = pattern.sub(lambda match, words=words: _said(match, words), text)  # type: ignore[misc]
    return text


def _said(match: re.Match[str], words: Words) -> str:
    said = words(match)
    return match[0] if said is None else said


def one_of(words: Iterable[str]) -> str:
    """An alternation that tries longer words first."""
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


def words_of(text: str) -> tuple[str, ...]:
    """A list of words as data: "a b c" reads better than a line for each."""
    return tuple(text.split())
