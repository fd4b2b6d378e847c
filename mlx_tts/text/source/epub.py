"""An EPUB file -> its book: a zip of XHTML in the order of its spine, with the titles of its table of contents."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from mlx_tts.errors import RequestError
from mlx_tts.files import budget
from mlx_tts.text.cutting.pieces import Chapter
from mlx_tts.text.source.blocks import NO_ASIDES, Asides, Document, TextBlock, text_of
from mlx_tts.text.source.html_document import html_blocks
from mlx_tts.text.source.zip_parts import Archive, open_archive

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

NCX = "application/x-dtbncx+xml"
MOST_ENTRIES = 10_000  # of a table of contents
FRONT_NAMES = re.compile(
    r"(?:[\w-]*[_-])?(?:cover|title-?page|half-?title(?:page)?|copyright(?:-page)?|toc|contents|nav|colophon|imprint|landmarks)"
    r"(?:[_-]?\d{0,3})?", re.IGNORECASE)  # fmt: skip
FRONT_TITLES = re.compile(
    r"(?:cover|title page|copyright(?: page)?|(?:table of )?contents|colophon|imprint)", re.IGNORECASE
)
COPYRIGHT = re.compile(r"copyright|©|all rights reserved|isbn", re.IGNORECASE)
MOST_COPYRIGHT_CHARACTERS = 4000


@dataclass
class _Contents:
    """Titles by file, and by anchors in it: what begins where."""

    files: dict[str, str] = field(default_factory=dict)
    anchors: dict[tuple[str, str], str] = field(default_factory=dict)

    def add(self, base: str, href: str, title: str) -> None:
        name, _, anchor = href.partition("#")
        words = " ".join(title.split())
        if not words or len(self.files) + len(self.anchors) > MOST_ENTRIES:
            return
        file = _joined(base, name)
        if anchor:
            self.anchors.setdefault((file, unquote(anchor)), words)
        else:
            self.files.setdefault(file, words)


def epub_document(path: Path, asides: Asides = NO_ASIDES) -> Document:
    """Chapters with text in them; RequestError says what is wrong with the file."""
    with open_archive(path, "EPUB") as book:
        if "META-INF/encryption.xml" in book and "META-INF/rights.xml" in book:
            raise RequestError(f"{path} is protected against copying (DRM) and cannot be read: use a copy without it")
        package, root, items = opened_package(book)
        contents = _contents(book, package, root, items)
        chapters, left_out = _chapters(book, package, root, items, contents, asides)
        if not chapters:
            raise RequestError(f"{path} has no text in it: give another file")
        return Document(
            chapters,
            _metadata(root, "title"),
            _metadata(root, "creator"),
            _metadata(root, "language"),
            _cover(book, package, root, items),
            tuple(left_out),
        )


def opened_package(book: Archive) -> tuple[str, Element, dict[str, Element]]:
    """The name of the package document, the document, and the items of its manifest by their ids."""
    package = _package_name(book)
    root = book.xml(package)
    return package, root, {item.get("id", ""): item for item in _listed(book, root, ".//{*}manifest/{*}item")}


def spoken_pages(
    book: Archive, package: str, root: Element, items: dict[str, Element], asides: Asides = NO_ASIDES
) -> Iterator[tuple[str, Element]]:
    """Name and item of each page that is read aloud, in the order of the spine."""
    contents = _contents(book, package, root, items)
    for name, item, blocks in _pages(book, package, root, items, asides):
        if not _is_front(name, item, blocks, contents):
            yield name, item


def _package_name(book: Archive) -> str:
    entry = book.xml("META-INF/container.xml").find(".//{*}rootfile")
    name = entry.get("full-path") if entry is not None else None
    if name is None:
        raise RequestError(f"{book.path} is a damaged EPUB: its container names no package")
    return name


def _listed(book: Archive, root: Element, place: str) -> list[Element]:
    """A list that asks for a part with each of its entries."""
    found = root.findall(place)
    budget.BOOK_ENTRIES.check(len(found), book.path)
    return found


def _joined(base: str, href: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(base), unquote(href)))


def _metadata(root: Element, name: str) -> str | None:
    entry = root.find(f".//{{*}}metadata/{{*}}{name}")
    return (" ".join((entry.text or "").split()) or None) if entry is not None else None


def _cover(book: Archive, package: str, root: Element, items: dict[str, Element]) -> bytes | None:
    named = root.find(".//{*}metadata/{*}meta[@name='cover']")
    wanted = named.get("content") if named is not None else None
    for key, item in items.items():
        if "cover-image" in (item.get("properties") or "").split() or key == wanted:
            name = _joined(package, item.get("href") or "")
            if name in book and (item.get("media-type") or "").startswith("image/"):
                return book.read(name, budget.COVER_BYTES)
    return None


def _contents(book: Archive, package: str, root: Element, items: dict[str, Element]) -> _Contents:
    """From the navigation page of EPUB 3, else from the NCX of EPUB 2; a broken one counts as none."""
    contents = _Contents()
    pages = (_joined(package, item.get("href") or "") for item in items.values() if _is_navigation(item))
    if (name := next((name for name in pages if name in book), None)) is not None:  # there is but one in any book
        _read_navigation(book, name, contents)
    if contents.files or contents.anchors:
        return contents
    tables = (_joined(package, item.get("href") or "") for item in items.values() if item.get("media-type") == NCX)
    if (name := next((name for name in tables if name in book), None)) is not None:
        for point in book.xml(name).iterfind(".//{*}navMap/{*}navPoint"):
            _read_point(point, name, contents)
    return contents


def _is_navigation(item: Element) -> bool:
    return "nav" in (item.get("properties") or "").split()


def _read_navigation(book: Archive, name: str, contents: _Contents) -> None:
    from selectolax.lexbor import LexborHTMLParser

    page = LexborHTMLParser(book.page(name))
    lists = page.css("nav")
    table = next((nav for nav in lists if "toc" in (nav.attributes.get("epub:type") or "").split()), None)
    table = table or (lists[0] if lists else None)
    for link in table.css("a") if table is not None else []:
        href = link.attributes.get("href")
        if href:
            contents.add(name, href, link.text())


def _read_point(point: Element, base: str, contents: _Contents) -> None:
    """A chapter, and what is below it if that begins files of its own: parts hold chapters, chapters hold sections."""
    label, content = point.find("{*}navLabel/{*}text"), point.find("{*}content")
    source = content.get("src") if content is not None else None
    if source:
        contents.add(base, source, (label.text or "") if label is not None else "")
    for child in point.iterfind(".//{*}navPoint"):
        inner = child.find("{*}content")
        href = inner.get("src") if inner is not None else None
        if href and href.partition("#")[0] != (source or "").partition("#")[0]:
            text = child.find("{*}navLabel/{*}text")
            contents.add(base, href.partition("#")[0], (text.text or "") if text is not None else "")


def _chapters(
    book: Archive, package: str, root: Element, items: dict[str, Element], contents: _Contents, asides: Asides
) -> tuple[list[Chapter], list[str]]:
    chapters: list[Chapter] = []
    left_out: list[str] = []
    for name, item, blocks in _pages(book, package, root, items, asides):
        if _is_front(name, item, blocks, contents):
            left_out.append(contents.files.get(name) or posixpath.basename(name))
        else:
            _add(chapters, name, blocks, contents)
    return chapters, left_out


def _pages(
    book: Archive, package: str, root: Element, items: dict[str, Element], asides: Asides
) -> Iterator[tuple[str, Element, list[TextBlock]]]:
    """Those with text, in the order of the spine."""
    for reference in _listed(book, root, ".//{*}spine/{*}itemref"):
        item = items.get(reference.get("idref") or "")
        href = item.get("href") if item is not None else None
        if item is None or href is None or reference.get("linear") == "no":
            continue
        name = _joined(package, href.split("#")[0])
        blocks = html_blocks(book.page(name), asides)
        if any(block.text for block in blocks):
            yield name, item, blocks


def _is_front(name: str, item: Element, blocks: list[TextBlock], contents: _Contents) -> bool:
    """Cover, title page, copyright page, table of contents: what nobody reads aloud."""
    if _is_navigation(item):
        return True
    stem = posixpath.splitext(posixpath.basename(name))[0]
    length = sum(len(block.text) for block in blocks)
    title = contents.files.get(name, "")
    short = length < MOST_COPYRIGHT_CHARACTERS
    if short and (FRONT_NAMES.fullmatch(stem) or FRONT_TITLES.fullmatch(title.strip())):
        return True
    return short and len(COPYRIGHT.findall(text_of(blocks))) > 2


def _add(chapters: list[Chapter], name: str, blocks: list[TextBlock], contents: _Contents) -> None:
    """A file begins a chapter if the contents or a heading say so; else the last one goes on in it."""
    parts: list[tuple[str | None, list[TextBlock]]] = [(contents.files.get(name), [])]
    for block in blocks:
        title = next(
            (contents.anchors[name, anchor] for anchor in block.names if (name, anchor) in contents.anchors), None
        )
        if title is not None:
            parts.append((title, []))
        parts[-1][1].append(block)
    known = bool(contents.files or contents.anchors)
    for title, part in parts:
        text = text_of(part)
        if not text.strip():
            continue
        heading = next((block.text for block in part if 0 < block.level <= 3), None)
        if title is None and not (known and chapters):
            title = heading
        if title is None and chapters:  # a chapter that goes on in another file
            chapters[-1] = Chapter(chapters[-1].title, f"{chapters[-1].text}\n\n{text}", plain=True)
        else:
            chapters.append(Chapter(title, text, plain=True))
