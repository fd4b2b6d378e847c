"""A small EPUB with a cover, chapters and marks in its text, for whoever reads books."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib

TITLE, AUTHOR = "The Wind in the Willows", "Kenneth Grahame"
# The beginning of three chapters of a book of 1908 that belongs to everybody.
CHAPTERS = {
    "The River Bank": [
        "The Mole had been working very hard.",
        "Spring was moving. He said <em>Bother!</em>",
    ],
    "The Open Road": [
        "“Ratty,” said the Mole suddenly, one bright summer morning, “if you please, I want to ask you a favour.”",
        "The Rat was sitting on the river bank, singing a little song.",
    ],
    "The Wild Wood": [
        "The Mole had long wanted to meet the Badger, who lived at No. 7.",
    ],
}
PACKAGE = """<?xml version="1.0"?><package version="3.0"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:title>{title}</dc:title><dc:creator>{author}</dc:creator><dc:language>en</dc:language></metadata>
<manifest><item id="nav" href="nav.xhtml" properties="nav"/>
<item id="img" href="cover.png" media-type="image/png" properties="cover-image"/>{items}</manifest>
<spine>{spine}</spine></package>"""


def epub() -> bytes:
    """The file's bytes."""
    names = {f"c{number}": title for number, title in enumerate(CHAPTERS)}
    items = "".join(f'<item id="{name}" href="{name}.xhtml"/>' for name in names)
    spine = "".join(f'<itemref idref="{name}"/>' for name in names)
    places = "".join(f'<li><a href="{name}.xhtml">{title}</a></li>' for name, title in names.items())
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr(
            "META-INF/container.xml", '<container><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>'
        )
        book.writestr("b.opf", PACKAGE.format(title=TITLE, author=AUTHOR, items=items, spine=spine))
        book.writestr("nav.xhtml", f'<html><body><nav epub:type="toc"><ol>{places}</ol></nav></body></html>')
        book.writestr("cover.png", cover())
        for name, title in names.items():
            text = "".join(f"<p>{paragraph}</p>" for paragraph in CHAPTERS[title])
            book.writestr(f"{name}.xhtml", f"<html><body><h1>{title}</h1>{text}</body></html>")
    return output.getvalue()


def cover(width: int = 96, height: int = 144) -> bytes:
    """A PNG: hills before an evening sky."""
    rows = []
    for y in range(height):
        row = bytearray(b"\0")
        for x in range(width):
            hill = y > 90 + 14 * ((x / 40) % 1 - 0.5) ** 2 * 4
            sun = (x - 64) ** 2 + (y - 62) ** 2 < 190
            sky = (240 - y // 2, 170 - y // 3, 120 + y // 4)
            row += bytes((70, 92, 64) if hill else (255, 226, 160) if sun else sky)
        rows.append(bytes(row))

    def part(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = zlib.compress(b"".join(rows), 9)
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head) + part(b"IDAT", body) + part(b"IEND", b"")
