"""The characters of a book and the cast of one before it -> the same people under the same names and voices."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from mlx_tts.text.cast.cast_file import CastLine, Character


@dataclass(frozen=True)
class Continued:
    """characters: of this book, the most talkative first, and behind them those of the series who say nothing in it.
    kept: the names of those that are of the series. lines: with the names that the series has."""

    characters: tuple[Character, ...]
    kept: frozenset[str]
    lines: tuple[CastLine, ...]


def continued(found: Iterable[Character], lines: Iterable[CastLine], series: Iterable[Character]) -> Continued:
    """A character is one of the series where its name is a name or an alias there; else where just one character there
    has one of its aliases. Whoever is kept has the name, voice and sex of the series, and the aliases of both; two whom
    the series knows as one become one. A new character has no voice yet."""
    known = tuple(series)
    owners: dict[str, Character] = {name: one for one in known for name in _names(one)}
    kept: dict[str, Character] = {}
    new: list[Character] = []
    renamed: dict[str, str] = {}
    for one in found:
        own = owners.get(one.name.casefold())
        if own is None:
            others = {owners[alias].name: owners[alias] for alias in _names(one) if alias in owners}
            own = next(iter(others.values())) if len(others) == 1 else None
        if own is None:
            new.append(replace(one, voice=None, aliases=tuple(a for a in one.aliases if a.casefold() not in owners)))
            continue
        renamed[one.name] = own.name
        kept[own.name] = _together(kept.get(own.name, own), one, owners)
    silent = [replace(one, lines=0, first=None) for one in known if one.name not in kept]
    speaking = sorted([*kept.values(), *new], key=lambda one: -one.lines)
    return Continued(
        (*speaking, *silent),
        frozenset(one.name for one in known),
        tuple(replace(line, speaker=renamed.get(line.speaker or "", line.speaker)) for line in lines),
    )


def _names(one: Character) -> list[str]:
    return list(dict.fromkeys(name.casefold() for name in (one.name, *one.aliases)))


def _together(kept: Character, found: Character, owners: dict[str, Character]) -> Character:
    """Who is kept, with what this book says of it. A name that the series gives to somebody else stays there."""
    own = set(_names(kept))
    more = tuple(
        name
        for name in dict.fromkeys((found.name, *found.aliases))
        if name.casefold() not in own and owners.get(name.casefold(), kept).name == kept.name
    )
    return replace(
        kept,
        aliases=kept.aliases + more,
        sex=kept.sex or found.sex,
        lines=kept.lines + found.lines,
        first=kept.first or found.first,
    )
