"""Chapters of text -> numbered pieces of 10 to 20 seconds of speech, each of whole sentences of one paragraph."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from mlx_tts.text.cutting.pace import expected_seconds
from mlx_tts.text.cutting.sentences import clauses, split_clauses, split_sentences
from mlx_tts.text.phonemes.phones import written as without_phones

if TYPE_CHECKING:
    from mlx_tts.speech import GrowingText, Voice
    from mlx_tts.text.markup.feelings import Feeling

PIECE_SECONDS = 15.0  # shorter ones lose the tone of a passage; in longer ones the voice drifts and models run away
# Of UTF-8, since models read rare scripts byte by byte. A second of Burmese, whose marks take no time of their own, has
# 50, Hindi 37. A small model that was trained to say so many characters was trained on so many letters of Latin script.
MOST_BYTES, BYTES_A_CHARACTER = 60, 2
LEAST_OPENING_SECONDS = 0.8  # a shorter one sounds weak, and is over before more can be made
# A piece that two slow cores make while the one before is played has so many times its expected seconds and so many
# more: the quiet at both ends of each piece is played, too.
GROWTH, GROWTH_SECONDS = 2.5, 1.5
SHORTEST_HALF = 10  # characters: shorter texts are not cut, however many words they become
LINES_AT_ONCE = 50_000  # characters
PARAGRAPH_END = re.compile(r"\n[ \t]*\n\s*")

HEADING = re.compile(r"^([ \t]{0,3}#{1,6}[ \t].*)$", re.MULTILINE)
ITEM = re.compile(r"^([ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+\S.*)$", re.MULTILINE)

START, SENTENCE, PARAGRAPH, CHAPTER = "start", "sentence", "paragraph", "chapter"


class VoiceSpan(NamedTuple):
    """Characters of a chapter's text, from `start` to before `end`, that another voice speaks."""

    start: int
    end: int
    voice: str


@dataclass(frozen=True)
class Chapter:
    """title: None where the text has none. It is spoken only if it stands in the text as well. plain: the text is words
    alone, in which no Markdown or HTML is looked for. voices: in order, none over another."""

    title: str | None
    text: str
    plain: bool = False
    voices: tuple[VoiceSpan, ...] = ()


@dataclass(frozen=True)
class Piece:
    """What is spoken in one go. text: as it was written, without markup. chapter: its number, from 0. gap: what ended
    just before it. spoken: the words for the model; where nothing was rewritten, those of `text`.

    What markup asks for, else None: language, voice, rate (times as fast), decibels (louder), pause_before_seconds
    (instead of that of `gap`), pause_after_seconds (at the end of all), feeling (how it is said, which a model's plan
    turns into instruct, or into rate and decibels); marks: names of places at its beginning. own_voice: what `voice`
    stands for where that is not a preset's name."""

    number: int
    text: str
    chapter: int
    gap: str
    growing: GrowingText | None = None  # where its text goes on, if it is still arriving
    spoken: str = ""
    language: str | None = None
    voice: str | None = None
    own_voice: Voice | None = None
    pause_before_seconds: float | None = None
    pause_after_seconds: float | None = None
    rate: float | None = None
    decibels: float | None = None
    feeling: Feeling | None = None
    instruct: str | None = None
    marks: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.spoken:
            object.__setattr__(self, "spoken", self.text)


@dataclass(frozen=True)
class Packing:
    """language: as the checkpoint names it. characters: the most a piece may have; None: only time limits it.
    every_sentence: each is a piece of its own. growing: how many seconds the first pieces of a text have at most, where
    its marks allow it; the first of them is as short as they allow."""

    language: str = "auto"
    seconds: float = PIECE_SECONDS
    characters: int | None = None
    every_sentence: bool = False
    growing: tuple[float, ...] = ()

    def fits(self, text: str) -> bool:
        text = without_phones(text)
        size = len(text.encode("utf-8", "surrogatepass"))
        if self.characters is not None and (len(text) > self.characters or size > BYTES_A_CHARACTER * self.characters):
            return False
        # Nobody says forty characters a second: a quick no for very long lines.
        if len(text) >= 40 * self.seconds or size >= MOST_BYTES * self.seconds:
            return False
        return expected_seconds(text) <= self.seconds


class Unit(NamedTuple):
    """A sentence or a part of one, with the white space behind it: as written, and as spoken."""

    written: str
    spoken: str


Saying = Callable[[str], str]


def paragraphs(text: str) -> list[str]:
    """Blank lines, headings, list items and rules stand between paragraphs."""
    return [part for part in split_paragraphs(text) if part.strip()]


def split_paragraphs(text: str) -> list[str]:
    """The same with the empty part before a text that begins with a paragraph's end."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n\n")
    apart = (HEADING.sub(r"\n\1\n", ITEM.sub(r"\n\1", lines)) for lines in _some_lines(text))
    return PARAGRAPH_END.split("".join(apart))


def _some_lines(text: str) -> Iterator[str]:
    """The text in parts that end with a line: a pattern keeps the interpreter for all that it looks through at once."""
    start = 0
    while start < len(text):
        end = text.find("\n", start + LINES_AT_ONCE) + 1 or len(text)
        yield text[start:end]
        start = end


def pack_spoken(paragraph: str, packing: Packing, saying: Saying, before: int = 0) -> list[Unit]:
    """One line of clean text -> units that fit, about equally long; each is whole sentences or a part of one. saying:
    the words that are spoken for a text, which are what must fit. before: how many pieces the text has so far."""
    growing = packing.growing[before:]
    units = _spoken_units(paragraph, packing, saying, opens=bool(growing) and not before)
    if packing.every_sentence:
        return [Unit(unit.written.strip(), unit.spoken.strip()) for unit in units]
    seconds = [expected_seconds(unit.spoken) for unit in units]
    total = sum(seconds)
    parts = max(1.0, total / packing.seconds)
    if packing.characters is not None:
        parts = max(parts, sum(len(without_phones(unit.spoken)) for unit in units) / packing.characters)
    wanted = total / -(-parts // 1)  # as many pieces as are needed, all of about this length
    packed: list[Unit] = []
    written, spoken, length, length_before = "", "", 0.0, packing.seconds
    for unit, unit_seconds in zip(units, seconds, strict=True):
        if len(packed) >= len(growing):
            full = length >= wanted
        else:
            full = length + unit_seconds > min(growing[len(packed)], seconds_in_time(length_before))
            opens = not before and not packed
            full = full or (opens and min(length, unit_seconds) >= LEAST_OPENING_SECONDS)
        if written and (full or not packing.fits((spoken + unit.spoken).strip())):
            packed.append(Unit(written.strip(), spoken.strip()))
            written, spoken, length, length_before = "", "", 0.0, length
        written, spoken, length = written + unit.written, spoken + unit.spoken, length + unit_seconds
    return [*packed, Unit(written.strip(), spoken.strip())] if written.strip() else packed


def seconds_in_time(before: float) -> float:
    """How long a piece of live speech may be, after one of so many expected seconds."""
    return GROWTH * before + GROWTH_SECONDS


def units_of(paragraph: str, packing: Packing) -> list[str]:
    """Sentences, and clauses of those that do not fit; with the white space behind them."""
    return [unit.written for unit in _spoken_units(paragraph, packing, _as_written)]


def _as_written(text: str) -> str:
    return text


def _spoken_units(paragraph: str, packing: Packing, saying: Saying, opens: bool = False) -> list[Unit]:
    """opens: the first sentence, which is waited for, is cut at its clauses."""
    units: list[Unit] = []
    sentences = split_sentences(paragraph, packing.language)
    for sentence in [*_opening(sentences[0]), *sentences[1:]] if opens and sentences else sentences:
        whole = packing.fits(sentence.strip())
        for part in [sentence] if whole else split_clauses(sentence, packing.fits):
            units += _fitting(part, packing, saying)
    return [unit for unit in units if unit.written.strip()]


def _opening(sentence: str) -> list[str]:
    """The parts of a sentence that live speech begins with: its first clause, and then such that each is made while the
    one before is played, as far as the marks allow it."""
    parts, length, limit = [""], 0.0, LEAST_OPENING_SECONDS
    for clause in clauses(sentence):
        own = expected_seconds(clause)
        if length and (length >= limit if len(parts) == 1 else length + own > limit):
            parts.append("")
            length, limit = 0.0, seconds_in_time(length)
        parts[-1] += clause
        length += own
    return parts


def _fitting(written: str, packing: Packing, saying: Saying) -> list[Unit]:
    """What fits as it is written may be too long in words: it is halved until it fits."""
    body = written.strip()
    if not body:
        return [Unit(written, written)]
    spoken = written.replace(body, saying(body), 1)
    half = len(body) // 2
    if spoken == written or half < SHORTEST_HALF or packing.fits(spoken.strip()):
        return [Unit(written, spoken)]
    parts = split_clauses(written, lambda text: len(text.strip()) <= half + SHORTEST_HALF)
    if len(parts) < 2:
        return [Unit(written, spoken)]
    return [unit for part in parts for unit in _fitting(part, packing, saying)]
