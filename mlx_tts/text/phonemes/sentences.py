"""A sentence of English -> all of its words as phones: for models that read nothing but phones.

`reader` leaves common words in letters, for models that were trained on both. Here every word has phones: those that
markup or a lexicon gave it, the dictionary's, or the net's guess. Words without a stress of their own are said as they
are within a sentence ("the apple", "to eat", "a book").
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from mlx_tts.text.phonemes.dictionary import look_up
from mlx_tts.text.phonemes.guess import guess
from mlx_tts.text.phonemes.heteronyms import choose, is_heteronym
from mlx_tts.text.phonemes.phones import PRIMARY, SECONDARY, VOWELS, marked_words, parts, public, written
from mlx_tts.text.phonemes.reader import LONGEST, WORD, neighbours, phones_by_spelling

_BEGINS_WITH_VOWEL = re.compile(f"[{PRIMARY}{SECONDARY}]?[{VOWELS}]")
_PIECE = re.compile(rf"{WORD.pattern}|\s+|.", re.DOTALL)


@dataclass(frozen=True)
class SpokenPart:
    """A stretch of a sentence. written: as it stands there. phones: of a word; None for signs and white space."""

    written: str
    phones: str | None = None


def spoken_parts(text: str, is_british: bool = False) -> list[SpokenPart]:
    """The parts of a text in their order; joined, what is written is the text again without its phones."""
    plain = written(text)
    words = list(WORD.finditer(plain))
    by_place = {word.start(): number for number, word in enumerate(words)}
    found: list[SpokenPart] = []
    at = 0
    for number, part in enumerate(parts(text)):
        if number % 2:
            ((_, word, phones),) = marked_words(part)
            found.append(SpokenPart(word, public(phones)))
            at += len(word)
            continue
        for match in _PIECE.finditer(part):
            place = by_place.get(at)
            if place is not None and words[place][0] == match[0]:
                found.append(SpokenPart(match[0], _phones(plain, words, place, is_british)))
            elif WORD.fullmatch(match[0]):
                found.append(SpokenPart(match[0], _usual(match[0], is_british)))
            else:
                found.append(SpokenPart(match[0]))
            at += len(match[0])
    return _within_sentence(found)


def _phones(text: str, words: list[re.Match[str]], number: int, is_british: bool) -> str:
    word = words[number][0]
    if len(word) <= LONGEST and is_heteronym(word, look_up(word, is_british)):
        before, after = neighbours(text, words, number)
        if (chosen := choose(word, before, after, is_british)) is not None:
            return chosen
    return _usual(word, is_british)


def _usual(word: str, is_british: bool) -> str:
    """A word by itself; letters that no dictionary and no net can read are left out."""
    entry = look_up(word, is_british) if len(word) <= LONGEST else None
    if entry is not None and entry.phones:
        return entry.phones
    if (phones := phones_by_spelling(word, is_british)) is not None:
        return phones
    guessed = guess(word, is_british)
    return "" if guessed is None else guessed.phones


def _within_sentence(found: list[SpokenPart]) -> list[SpokenPart]:
    """Words that are said in another way beside others than alone."""
    places = [at for at, part in enumerate(found) if part.phones]
    following = dict(pairwise(places))
    said = list(found)
    for at in places:
        after = following.get(at)
        near = after is not None and not "".join(part.written for part in found[at + 1 : after]).strip()
        next_phones = (found[after].phones or "") if near and after is not None else ""
        is_letter = near and after is not None and re.fullmatch("[A-Z]", found[after].written) is not None
        weak = None if found[at].written == "A" and is_letter else _weak(found[at].written, next_phones)
        if weak is not None:
            said[at] = SpokenPart(found[at].written, weak)
    return said


def _weak(word: str, after: str) -> str | None:
    """How a small word is said before the phones of the next one, "" where none follows; None: as it is alone."""
    before_vowel = bool(_BEGINS_WITH_VOWEL.match(after))
    match word.lower():
        case "the":
            return "ði" if before_vowel else "ðə"
        case "a" if after:
            return "ɐ"
        case "an" if after:
            return "ɐn"
        case "to" if after:
            return "tʊ" if before_vowel else "tə"
        case "i" if after:
            return f"{SECONDARY}I"
    return None
