"""A word with several readings and its neighbours -> the reading that is meant ("they read it" or "read it to me").

Rules of two kinds: those of single words look for telling neighbours ("a lead pipe", "bow and arrow"); those of kinds of
words look at what stands directly before ("to record", "the record"). No tagger and no weights: a rule that errs can
be read and mended. Phones are American; `choose` gives British ones for British readers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from mlx_tts.text.phonemes.dictionary import Readings, look_up
from mlx_tts.text.phonemes.phones import british

NOUN, VERB, ADJECTIVE, PAST, PARTICIPLE, USUAL = "NOUN", "VERB", "ADJ", "VBD", "VBN", ""
NEIGHBOURS = 8  # words on each side that rules see

_MODALS = (
    "to will would can could shall should may might must do does did don't doesn't didn't won't wouldn't can't cannot couldn't "
    "shan't shouldn't mustn't let's i'll you'll he'll she'll it'll we'll they'll i'd you'd he'd she'd we'd they'd let "
    "help helps helped make makes made never always often sometimes usually please rarely seldom"
)
_SUBJECTS = "i you we they who and"
_DETERMINERS = (
    "a an the this that these those my your his her its our their no some any each every another either neither much many few "
    "several one two three four five six seven eight nine ten first second third last next of in on at by for with from "
    "into onto about under over during without between against whose what which new old good bad great little big long "
    "early late best worst own same other such than near"
)
_BE = (
    "am is are was were be been being i'm you're he's she's it's we're they're isn't aren't wasn't weren't get gets got"
)
_ADVERBS = "very so too quite more most rather fairly really extremely seem seems seemed feel feels felt perfectly almost become"
_HAVE = "have has had having i've you've we've they've haven't hasn't hadn't having"
_BEFORE = {
    word: kind
    for kind, words in ((VERB, _MODALS), (NOUN, _DETERMINERS), (PARTICIPLE, _HAVE), (ADJECTIVE, f"{_ADVERBS} {_BE}"))
    for word in words.split()
}
_PAST_TIMES = re.compile(
    r"\b(?:yesterday|ago|last (?:night|week|month|year|summer|winter|spring|autumn|time|monday|tuesday|wednesday|thursday|"
    r"friday|saturday|sunday)|when (?:i|he|she|we|they) (?:was|were)|once|earlier|then|was|were|had|did|said|went|came|took)\b"
)
_HABIT = re.compile(r"\b(?:every|always|usually|often|never|sometimes|each|daily|now|these days|most)\b")

RULES = Path(__file__).with_name("heteronyms.txt")
_AS_VERB = {"object": "verb", "excuse": "verb", "abuse": "verb"}


@dataclass(frozen=True)
class _Word:
    """readings: American phones by name. rules: a pattern and the reading that it tells, in order."""

    readings: dict[str, str]
    rules: tuple[tuple[str, str], ...]


@cache
def _own() -> dict[str, _Word]:
    """The words of heteronyms.txt; read when a sentence first holds a word with several readings."""
    found: dict[str, _Word] = {}
    lists = {"{nounish}": _DETERMINERS, "{verbish}": f"{_MODALS} {_SUBJECTS}"}
    for line in RULES.read_text(encoding="utf-8").splitlines():
        word, *fields = line.split("\t")
        if not line or line.startswith("#"):
            continue
        if word:
            current, readings = word, dict(field.split("=") for field in fields)
            found[current] = _Word(readings, ())
            continue
        reading, pattern = fields
        for name, words in lists.items():
            pattern = pattern.replace(name, words.replace(" ", "|"))
        found[current] = replace(found[current], rules=(*found[current].rules, (pattern, reading)))
    return found


def is_heteronym(word: str, entry: Readings | None) -> bool:
    """Whether its neighbours decide how a word is read."""
    return word.lower() in _own() or (entry is not None and len(set(entry.readings.values())) > 1)


def readings(word: str, is_british: bool = False) -> tuple[str, ...]:
    """All ways in which a word may be said, the usual one first."""
    entry = look_up(word, is_british)
    listed = _own().get(word.lower())
    own = listed.readings if listed else {}
    found = [british(said) if is_british else said for _, said in sorted(own.items())]
    usual = [entry.phones] if entry and "" not in own else []
    others = entry.readings.values() if entry and not own else ()
    return tuple(dict.fromkeys([*usual, *found, *others]))


def choose(word: str, before: list[str], after: list[str], is_british: bool = False) -> str | None:
    """The phones of a word between its neighbours, in small letters; None where it has one reading or none."""
    entry, key = look_up(word, is_british), word.lower()
    if (listed := _own().get(key)) is not None:
        own = listed.readings
        reading = _own_reading(key, before, after)
        if reading not in own:
            return entry.phones if entry else None
        return british(own[reading]) if is_british else own[reading]
    if entry is None or len(set(entry.readings.values())) < 2:
        return None
    kind = kind_of(before, after)
    if kind == VERB and VERB not in entry.readings and NOUN in entry.readings:
        kind = USUAL
    return entry.readings.get(kind, entry.phones)


def _own_reading(word: str, before: list[str], after: list[str]) -> str:
    context = " ".join(before[-NEIGHBOURS:]) + " _ " + " ".join(after[:NEIGHBOURS])
    context = f" {context} "
    for pattern, reading in _own()[word].rules:
        if re.search(pattern, context):
            return _present_or_past(context) if reading == "check" else reading
    if word in _AS_VERB and kind_of(before, after) == VERB:
        return _AS_VERB[word]
    if word == "read":
        if re.search(r"\b(?:do|does|did|don't|didn't|will|would|can|could|should) (?:not )?\w+ _", context):
            return USUAL
        subject = bool(re.search(r"\b(?:i|you|we|they|people|children|students|who) (?:\w+ly )?_", context))
        return USUAL if not subject or _HABIT.search(context) else "past"
    return USUAL


def _present_or_past(context: str) -> str:
    """ "I sat down and read": a past form before the "and" says that it was long ago."""
    joined = re.search(r"\b(\w+)(?: \w+){0,5} and _", context)
    if not re.search(r"\band (?:\w+ly )?_", context):
        return USUAL
    forms = r"\b(?:\w+ed|sat|took|lay|came|went|got|found|stood|bought|wrote|ate|drank)\b"
    past = joined is not None and re.search(forms, context.split("_")[0])
    return "past" if past else USUAL


def kind_of(before: list[str], after: list[str]) -> str:
    """What a word between these neighbours most likely is: a verb, a noun, a participle, or not known."""
    last = before[-1] if before else ""
    following = after[0] if after else ""
    takes_object = following in _OBJECTS
    if not last:
        return VERB if takes_object else NOUN
    if last == "to":
        return VERB
    if last.endswith("ly") and len(last) > 4:
        return kind_of(before[:-1], after) if before[:-1] else USUAL
    if last in ("not",):
        return kind_of(before[:-1], after) if before[:-1] else VERB
    if last in ("i", "you", "we", "they", "who"):
        return VERB
    if last in ("and", "or", "that", "this", "which", "those", "these", "one", "much", "any") and takes_object:
        return VERB
    if (kind := _BEFORE.get(last)) is not None:
        return kind
    if last.endswith("'s") or last.endswith("s'"):
        return NOUN
    if takes_object:
        return VERB
    return VERB if last.endswith("s") and len(last) > 3 and not last.endswith("ss") and following else NOUN


_OBJECTS = frozenset(
    "the a an it him her them me us you my your his our their this these those to himself herself themselves all every".split()
)
