"""A text or a file -> its chapters: of an EPUB's contents, or what stands under the headings of Markdown and HTML."""

from __future__ import annotations

import re
from pathlib import Path

from mlx_tts.errors import RequestError
from mlx_tts.text.cutting.pieces import Chapter
from mlx_tts.text.markup.markdown import clean
from mlx_tts.text.markup.ssml import is_ssml
from mlx_tts.text.source.blocks import NO_ASIDES, Asides, Document
from mlx_tts.text.source.encoding import decode
from mlx_tts.text.source.epub import epub_document

MOST_BYTES = 100_000_000
HEADING = re.compile(r"^[ \t]{0,3}(#{1,6})[ \t]++(\S.*)$", re.MULTILINE)
FENCED = re.compile(r"^[ \t]*(```|~~~).*?^[ \t]*\1", re.MULTILINE | re.DOTALL)
MARKDOWN = (".md", ".markdown", ".mdown", ".mkd", ".mdx", ".rmd", ".qmd")
HTML = (".html", ".htm", ".xhtml")
SOURCE = (
    ".py .pyi .js .mjs .ts .tsx .jsx .c .h .cc .cpp .hpp .cs .java .kt .go .rs .rb .php .pl .swift .m .mm .sh .bash "
    ".zsh .bat "
    ".ps1 .sql .css .scss .json .yaml .yml .toml .ini .cfg .ipynb .lock"
)
PAGE = re.compile(r"(?:\ufeff|\s)*(?:<!--|<\?xml|<!doctype html|<html|<head|<body)", re.IGNORECASE)


def read_document(path: Path, asides: Asides = NO_ASIDES) -> Document:
    """Any file that people read: its kind by its name, and by its first bytes where the name says nothing.

    RequestError: no such file, not for reading aloud, damaged."""
    ending = path.suffix.lower()
    try:
        if not path.is_file():
            raise RequestError(f"cannot read {path}: {'it is a folder' if path.is_dir() else 'no such file'}")
        with path.open("rb") as file:
            begins = file.read(8)
        if ending == ".epub":
            return epub_document(path, asides)
        if ending == ".docx":
            from mlx_tts.text.source.docx import docx_document

            return docx_document(path)
        if ending == ".pdf" or begins.startswith(b"%PDF-"):
            from mlx_tts.text.source.pdf import pdf_document

            return pdf_document(path)
        if path.stat().st_size > MOST_BYTES:
            raise RequestError(f"{path} is larger than {MOST_BYTES // 1_000_000} MB: that is refused")
        data = path.read_bytes()
    except OSError as error:
        raise RequestError(f"cannot read {path}: {error.strerror}") from None
    if ending in SOURCE.split() and not asides.code:
        raise RequestError(f"{path} is a program's source or data, not a text: --read-code has it read all the same")
    return text_document(decode(data, str(path)), ending, asides)


def text_document(text: str, ending: str = "", asides: Asides = NO_ASIDES) -> Document:
    """A text as it is given, or a file's: Markdown and HTML by their names or, where there is no name, by their look.

    Anything else, .txt too, stays as it is written: what marks it has are cleaned away paragraph by paragraph."""
    from mlx_tts.text.source.markdown_document import looks_like_markdown, markdown_document

    if is_ssml(text) or ending == ".ssml":
        return Document([Chapter(None, text)])
    if ending in HTML or (not ending and PAGE.match(text)):
        from mlx_tts.text.source.html_document import html_document

        return html_document(text, asides)
    if ending in MARKDOWN or (not ending and looks_like_markdown(text)):
        return markdown_document(text, asides)
    return Document(markdown_chapters(text))


def markdown_chapters(text: str) -> list[Chapter]:
    """Cut at the highest level of headings that there are several of; one chapter where there are none."""
    if is_ssml(text):
        return [Chapter(None, text)]
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
