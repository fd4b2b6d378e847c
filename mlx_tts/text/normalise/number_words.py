"""Whole numbers -> words, by the number rules of Unicode's CLDR (unicode-rbnf: MIT, the data Unicode-3.0)."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any

from mlx_tts.text.normalise.engine import UnspeakableError

LARGEST = 10**17  # beyond, the library's rules end


@cache
def _rules(language: str) -> Any:
    from unicode_rbnf import RbnfEngine  # 0.06 s: only for a text that has digits

    return RbnfEngine.for_language(language)


@lru_cache(maxsize=4096)
def number_words(language: str, number: int, rules: str) -> str:
    """language: CLDR's code. rules: a set of the language's rules without "spellout-", such as "ordinal-feminine".
    Raises UnspeakableError where the rules end."""
    from unicode_rbnf.engine import RbnfError

    if not 0 <= number <= LARGEST:
        raise UnspeakableError(str(number)[:20])
    name = f"spellout-{rules}"
    try:
        said: str = _rules(language).format_number(number, ruleset_names=[name]).text_by_ruleset[name]
    except (RbnfError, KeyError, RecursionError) as error:  # its rules never end for sixteen nines
        raise UnspeakableError(f"{number} in {language}") from error
    if any(character.isdecimal() for character in said):
        raise UnspeakableError(f"{number} in {language}")
    return said.strip()
