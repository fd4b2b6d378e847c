"""Chapters of text -> numbered pieces of 10 to 20 seconds of speech, each of whole sentences of one paragraph."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from mlx_tts.speech import GrowingText
from mlx_tts.text.cutting.pace import expected_seconds
from mlx_tts.text.cutting.sentences import split_clauses, split_sentences
from mlx_tts.text.markup.markdown import clean

PIECE_SECONDS = 15.0  # shorter ones lose the tone of a passage; in longer ones the voice drifts and models run away
PARAGRAPH_END = re.compile(r"\n[ \t]*\n\s*")

HEADING = re.compile(r"^([ \t]{0,3}#{1,6}[ \t].*)$", re.MULTILINE)
ITEM = re.compile(r"^([ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+\S.*)$", re.MULTILINE)

START, SENTENCE, PARAGRAPH, CHAPTER = "start", "sentence", "paragraph", "chapter"


@dataclass(frozen=True)
class Chapter:
    """title: None where the text has none. It is spoken only if it stands in the text as well."""

    title: str | None
    text: str


@dataclass(frozen=True)
class Piece:
    """What is spoken in one go. chapter: its number, from 0. gap: what ended just before it."""

    number: int
    text: str
    chapter: int
    gap: str
    growing: GrowingText | None = None  # where its text goes on, if it is still arriving


@dataclass(frozen=True)
class Packing:
    """language: as the checkpoint names it. characters: the most a piece may have; None: only time limits it."""

    language: str = "auto"
    seconds: float = PIECE_SECONDS
    characters: int | None = None

    def fits(self, text: str) -> bool:
        if self.characters is not None and len(text) > self.characters:
            return False
        # Nobody says forty characters a second: a quick no for very long lines.
        return len(text) < 40 * self.seconds and expected_seconds(text) <= self.seconds


def cut_chapters(chapters: Iterable[Chapter], packing: Packing, skipped: Callable[[str], None]) -> Iterator[Piece]:
    """All pieces in order. skipped: told of each paragraph in which there is nothing to say."""
    number = 0
    for at, chapter in enumerate(chapters):
        gap = CHAPTER
        for paragraph in paragraphs(chapter.text):
            words = clean(paragraph)
            if not words:
                skipped(paragraph)
                continue
            for text in pack(words, packing):
                yield Piece(number, text, at, gap if number else START)
                number, gap = number + 1, SENTENCE
            gap = PARAGRAPH


def paragraphs(text: str) -> list[str]:
    """Blank lines, headings, list items and rules stand between paragraphs."""
    return [part for part in split_paragraphs(text) if part.strip()]


def split_paragraphs(text: str) -> list[str]:
    """The same with the empty part before a text that begins with a paragraph's end."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n\n")
    return PARAGRAPH_END.split(HEADING.sub(r"\n\1\n", ITEM.sub(r"\n\1", text)))


def pack(paragraph: str, packing: Packing) -> list[str]:
    """One line of clean text -> texts that fit, about equally long; each is whole sentences or a part of one."""
    units = units_of(paragraph, packing)
    total = sum(expected_seconds(unit) for unit in units)
    parts = max(1.0, total / packing.seconds)
    if packing.characters is not None:
        parts = max(parts, len(paragraph) / packing.characters)
    wanted = total / -(-parts // 1)  # as many pieces as are needed, all of about this length
    packed: list[str] = []
    current = ""
    for unit in units:
        full = current and expected_seconds(current) >= wanted
        if current and (full or not packing.fits((current + unit).strip())):
            packed.append(current.strip())
            current = ""
        current += unit
    return [*packed, current.strip()] if current.strip() else packed


def units_of(paragraph: str, packing: Packing) -> list[str]:
    """Sentences, and clauses of those that do not fit; with the white space behind them."""
    units: list[str] = []
    for sentence in split_sentences(paragraph, packing.language):
        units += [sentence] if packing.fits(sentence.strip()) else split_clauses(sentence, packing.fits)
    return [unit for unit in units if unit.strip()]
