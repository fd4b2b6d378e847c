"""A text or a file -> its chapters: of an EPUB's contents, or what stands under the headings of any other text."""

from __future__ import annotations

import codecs
import importlib.util
import re
from pathlib import Path

from mlx_tts.errors import RequestError
from mlx_tts.extras import missing
from mlx_tts.files import budget
from mlx_tts.text.cutting.pieces import Chapter
from mlx_tts.text.markup.directives import is_ssml
from mlx_tts.text.markup.markdown import clean
from mlx_tts.text.source.blocks import NO_ASIDES, Asides, Document
from mlx_tts.text.source.parsers import parse_file, parse_text
from mlx_tts.text.source.plain_headings import plain_cuts

PACKED = (".epub", ".docx")
HEADING = re.compile(r"^[ \t]{0,3}(#{1,6})[ \t]++(\S.*)$", re.MULTILINE)
FENCED = re.compile(r"^[ \t]*(```|~~~).*?^[ \t]*\1", re.MULTILINE | re.DOTALL)
MARKDOWN = (".md", ".markdown", ".mdown", ".mkd", ".mdx", ".rmd", ".qmd")
HTML = (".html", ".htm", ".xhtml")
SOURCE = (
    ".py .pyi .js .mjs .ts .tsx .jsx .c .h .cc .cpp .hpp .cs .java .kt .go .rs .rb .php .pl .swift .m .mm .sh .bash "
    ".zsh .bat .ps1 .sql .css .scss .json .yaml .yml .toml .ini .cfg .ipynb .lock"
)
PAGE = re.compile(r"(?:\ufeff|\s)*(?:<!--|<\?xml|<!doctype html|<html|<head|<body)", re.IGNORECASE)


def read_document(path: Path, asides: Asides = NO_ASIDES) -> Document:
    """Any file that people read: its kind by its name, and by its first bytes where the name says nothing.

    RequestError: no such file, not for reading aloud, damaged, over a limit."""
    ending = path.suffix.lower()
    try:
        if not path.is_file():
            raise RequestError(f"cannot read {path}: {'it is a folder' if path.is_dir() else 'no such file'}")
        with path.open("rb") as file:
            begins = file.read(8)
        if ending in PACKED:
            return parse_file(path, ending, asides)
        if ending == ".pdf" or begins.startswith(b"%PDF-"):
            if importlib.util.find_spec("pypdf") is None:
                raise RequestError(missing(f"{path} is a PDF file, which needs pypdf", "pdf"))
            return parse_file(path, ".pdf", asides)
        budget.TEXT_BYTES.check(path.stat().st_size, path)
        data = path.read_bytes()
    except OSError as error:
        raise RequestError(f"cannot read {path}: {error.strerror}") from None
    if ending in SOURCE.split() and not asides.code:
        raise RequestError(f"{path} is a program's source or data, not a text: --read-code reads it all the same")
    return text_document(decode(data, str(path)), ending, asides, str(path))


def text_document(text: str, ending: str = "", asides: Asides = NO_ASIDES, name: str = "this text") -> Document:
    """A text as it is given, or a file's: Markdown and HTML by their names or, where there is no name, by their look.

    Anything else, .txt too, stays as it is written: what marks it has are cleaned away paragraph by paragraph.
    name: for messages."""
    from mlx_tts.text.source.markdown_document import looks_like_markdown

    if is_ssml(text) or ending == ".ssml":
        return Document([Chapter(None, text)])
    if ending in HTML or (not ending and PAGE.match(text)):
        return parse_text(text, "html", asides, name)
    if ending in MARKDOWN or (not ending and looks_like_markdown(text)):
        return parse_text(text, "markdown", asides, name)
    return Document(markdown_chapters(text))


def markdown_chapters(text: str) -> list[Chapter]:
    """Cut at the highest level of Markdown's headings that there are several of; else at "CHAPTER II" and the like.
    One chapter where there are none."""
    if is_ssml(text):
        return [Chapter(None, text)]
    marked = _marked_cuts(text)
    cuts = (plain_cuts(text) if len(marked) < 2 else []) or marked
    if not cuts:
        return [Chapter(None, text)]
    ends = [*(start for start, _ in cuts[1:]), len(text)]
    chapters = [Chapter(title, text[start:end]) for (start, title), end in zip(cuts, ends, strict=True)]
    front = text[: cuts[0][0]]
    return [Chapter(None, front), *chapters] if clean(front) else chapters


def _marked_cuts(text: str) -> list[tuple[int, str | None]]:
    """Where each of Markdown's headings of that level begins, and its words."""
    code = list(reversed([match.span() for match in FENCED.finditer(text)]))
    headings = []
    for match in HEADING.finditer(text):
        while code and code[-1][1] <= match.start():
            code.pop()
        if not (code and code[-1][0] <= match.start()):
            headings.append(match)
    levels = [len(match.group(1)) for match in headings]
    level = next((level for level in sorted(set(levels)) if levels.count(level) > 1), min(levels, default=0))
    return [
        (match.start(), clean(match.group(2).rstrip(" \t#")) or None)
        for match in headings
        if len(match.group(1)) == level
    ]


# What a file begins with -> what it is.
MAGIC = (
    (b"%PDF-", "a PDF file"), (b"\x89PNG", "a picture"), (b"\xff\xd8\xff", "a picture"), (b"GIF8", "a picture"),
    (b"PK\x03\x04", "a zip archive"), (b"\x1f\x8b", "a gzip archive"), (b"7z\xbc\xaf", "an archive"), (b"Rar!",
    "an archive"),
    (b"RIFF", "a sound or picture file"), (b"OggS", "a sound file"), (b"fLaC", "a sound file"), (b"ID3",
    "a sound file"),
    (b"\x7fELF", "a program"), (b"MZ\x90", "a program"), (b"\xcf\xfa\xed\xfe", "a program"), (b"\xca\xfe\xba\xbe",
    "a program"),
    (b"\xd0\xcf\x11\xe0", "an old Word or Excel file"), (b"{\\rtf", "an RTF file"), (b"SQLite format 3", "a database"),
    (b"#!/", "a program's source"), (b"<?php", "a program's source"),
)  # fmt: skip
BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
)  # fmt: skip
SAMPLE = 64_000
TAKEN = "give text, Markdown, HTML, EPUB or DOCX"
CONTROLS = frozenset(range(32)) - frozenset(b"\t\n\r\f\b\x1a\x1b")


def decode(data: bytes, name: str) -> str:
    """RequestError: no text. name: for that message."""
    for beginning, kind in MAGIC:
        if data.startswith(beginning):
            raise RequestError(f"{name} is {kind}, not text: {TAKEN}")
    encoding = next((encoding for bom, encoding in BOMS if data.startswith(bom)), None) or _utf_16_without_bom(data)
    if encoding is not None:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            raise RequestError(f"{name} is not text: it begins like {encoding.upper()}, but the rest is not") from None
    controls = sum(byte in CONTROLS for byte in data[:SAMPLE])
    if controls * 50 > len(data[:SAMPLE]):
        raise RequestError(f"{name} is not text: it is full of control characters: {TAKEN}")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode(_of_one_byte(data), "replace")


def _utf_16_without_bom(data: bytes) -> str | None:
    """Letters of Western scripts have a zero as every second byte."""
    sample = data[:SAMPLE]
    half = len(sample) // 2
    if half < 2:
        return None
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    if odd > 0.4 * half and even < 0.05 * half:
        return "utf-16-le"
    return "utf-16-be" if even > 0.4 * half and odd < 0.05 * half else None


def _of_one_byte(data: bytes) -> str:
    """Few letters above 127 in much ASCII are Western; a text of them is guessed by its letters' frequencies."""
    sample = data[:SAMPLE]
    high = sum(byte > 127 for byte in sample)
    if high * 4 < len(sample):
        return "cp1252"
    from charset_normalizer import from_bytes

    best = from_bytes(sample).best()
    return best.encoding if best is not None else "cp1252"
