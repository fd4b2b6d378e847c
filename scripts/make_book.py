"""A number of pages -> an EPUB of so many, with chapters, title, author and cover, of sentences from this repository.

python scripts/make_book.py book.epub --pages 300

The sentences come from scripts/train_tiny/sentences.grammar, so the text is as free as this repository. A seed makes
the same book everywhere.
"""

from __future__ import annotations

import argparse
import struct
import sys
import zipfile
import zlib
from collections.abc import Callable
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "scripts" / "train_tiny"))  # the grammar and what reads it

PAGE_WORDS, PARAGRAPH_WORDS, CHAPTER_PAGES = 300, 90, 10
TITLE, AUTHOR = "Three Hundred Pages", "The Grammar"
CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)
PAGE = '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>{title}</title></head><body>{body}</body></html>'


def make_book(path: Path, pages: int, seed: int = 0) -> list[str]:
    """Write the EPUB; the titles of its chapters, in order."""
    from text_templates import Templates

    sentence = Templates(seed)
    chapters = {
        f"Chapter {number}": [_paragraph(sentence) for _ in range(_paragraphs(pages, number))]
        for number in range(1, -(-pages // CHAPTER_PAGES) + 1)
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("META-INF/container.xml", CONTAINER)
        book.writestr("book.opf", _package(len(chapters)))
        book.writestr("cover.png", _cover())
        for number, (title, paragraphs) in enumerate(chapters.items(), 1):
            body = f"<h1>{title}</h1>" + "".join(f"<p>{escape(words)}</p>" for words in paragraphs)
            book.writestr(f"chapter{number}.xhtml", PAGE.format(title=title, body=body))
    return list(chapters)


def _paragraphs(pages: int, chapter: int) -> int:
    """How many a chapter has: those of its pages, of which the last may have fewer."""
    own = min(CHAPTER_PAGES, pages - (chapter - 1) * CHAPTER_PAGES)
    return max(1, own * PAGE_WORDS // PARAGRAPH_WORDS)


def _paragraph(sentence: Callable[[], str]) -> str:
    words: list[str] = []
    while len(words) < PARAGRAPH_WORDS:
        words += sentence().split()
    return " ".join(words)


def _package(chapters: int) -> str:
    numbers = range(1, chapters + 1)
    items = "".join(f'<item id="c{n}" href="chapter{n}.xhtml" media-type="application/xhtml+xml"/>' for n in numbers)
    references = "".join(f'<itemref idref="c{n}"/>' for n in numbers)
    picture = '<item id="cover" href="cover.png" media-type="image/png" properties="cover-image"/>'
    return (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<metadata><dc:title>{TITLE}</dc:title><dc:creator>{AUTHOR}</dc:creator></metadata>"
        f"<manifest>{items}{picture}</manifest>"
        f"<spine>{references}</spine></package>"
    )


def _cover(width: int = 64, height: int = 96) -> bytes:
    """A small PNG picture in one colour."""

    def part(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\0" + b"\x20\x60\x90" * width) * height
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", header) + part(b"IDAT", zlib.compress(rows)) + part(b"IEND", b"")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=Path)
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    print(f"{asked.output}: {len(make_book(asked.output, asked.pages, asked.seed))} chapters")


if __name__ == "__main__":
    main()
