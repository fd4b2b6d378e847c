"""A text or a file -> its chapters: those of an EPUB's spine, or what stands under a Markdown text's headings."""

from __future__ import annotations

import re
from pathlib import Path

from mlx_tts.text.cutting.pieces import Chapter
from mlx_tts.text.markup.markdown import clean
from mlx_tts.text.source.epub import read_epub

HEADING = re.compile(r"^[ \t]{0,3}(#{1,6})[ \t]++(\S.*)$", re.MULTILINE)
FENCED = re.compile(r"^[ \t]*(```|~~~).*?^[ \t]*\1", re.MULTILINE | re.DOTALL)


def is_epub(path: Path) -> bool:
    return path.suffix.lower() == ".epub"


def epub_chapters(path: Path) -> list[Chapter]:
    return read_epub(path)


def markdown_chapters(text: str) -> list[Chapter]:
    """Cut at the highest level of headings that there are several of; one chapter where there are none."""
    code = list(reversed([match.span() for match in FENCED.finditer(text)]))
    headings = []
    for match in HEADING.finditer(text):
        while code and code[-1][1] <= match.start():
            code.pop()
        if not (code and code[-1][0] <= match.start()):
            headings.append(match)
    levels = [len(match.group(1)) for match in headings]
    level = next((level for level in sorted(set(levels)) if levels.count(level) > 1), min(levels, default=0))
    cuts = [match for match in headings if len(match.group(1)) == level]
    if not cuts:
        return [Chapter(None, text)]
    ends = [*(match.start() for match in cuts[1:]), len(text)]
    chapters = [
        Chapter(clean(match.group(2).rstrip(" \t#")) or None, text[match.start() : end])
        for match, end in zip(cuts, ends, strict=True)
    ]
    front = text[: cuts[0].start()]
    return [Chapter(None, front), *chapters] if clean(front) else chapters
