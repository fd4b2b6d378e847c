"""Blocks of a document (headings, paragraphs, items, rows) -> chapters of plain text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlx_tts.text.cutting.pieces import Chapter


@dataclass(frozen=True)
class TextBlock:
    """text: one paragraph of words. level: of a heading, from 1; 0: no heading. names: anchors that lie in it."""

    text: str
    level: int = 0
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Asides:
    """What is read in addition to the running text. code: blocks of code, line by line. footnotes: those of Markdown,
    each after the paragraph that asks for it first."""

    code: bool = False
    footnotes: bool = False


NO_ASIDES = Asides()


@dataclass(frozen=True)
class Document:
    """A file's chapters, and what it says of itself. left_out: for people: what is not read, as "2 blocks of code"."""

    chapters: list[Chapter]
    title: str | None = None
    author: str | None = None
    language: str | None = None
    cover: bytes | None = None
    left_out: tuple[str, ...] = ()


def lines_of_code(code: str) -> list[TextBlock]:
    """Each line on its own, as poems are read."""
    return [TextBlock(line.strip()) for line in code.split("\n") if line.strip()]


def text_of(blocks: Sequence[TextBlock]) -> str:
    return "\n\n".join(block.text for block in blocks if block.text)


def chapters_of(blocks: Sequence[TextBlock]) -> list[Chapter]:
    """Cut at the highest level of headings that there are several of; one chapter where there are none."""
    levels = [block.level for block in blocks if block.level]
    level = next((level for level in sorted(set(levels)) if levels.count(level) > 1), min(levels, default=0))
    starts = [number for number, block in enumerate(blocks) if level and block.level == level]
    if not starts:
        return [Chapter(None, text_of(blocks), plain=True)]
    ends = [*starts[1:], len(blocks)]
    chapters = [
        Chapter(blocks[a].text or None, text_of(blocks[a:b]), plain=True) for a, b in zip(starts, ends, strict=True)
    ]
    front = text_of(blocks[: starts[0]])
    return [Chapter(None, front, plain=True), *chapters] if front.strip() else chapters


def counted(number: int, what: str) -> tuple[str, ...]:
    return (f"{number} {what}{'' if number == 1 else 's'}",) if number else ()
