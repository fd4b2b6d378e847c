"""An EPUB 3 book and the sentences of its speech -> the parts that give it media overlays, by which readers follow.

As EPUB 3.3 has it, section 9, https://www.w3.org/TR/epub-33/#sec-media-overlays: each page that is read aloud gets a
SMIL document, which says of each sentence where it stands in the page and in which sound it is heard. Runs in the child
process of `files/child`, since all of it is a stranger's; what it answers is put into the new book by narration.
"""

from __future__ import annotations

import html
import json
import os
import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote
from xml.sax.saxutils import escape, quoteattr

from mlx_tts.errors import RequestError
from mlx_tts.files import budget
from mlx_tts.files.child import Answer, can_start, run_limited
from mlx_tts.shortened import shown
from mlx_tts.text.source.blocks import Asides
from mlx_tts.text.source.epub import epub_document, opened_package, spoken_pages
from mlx_tts.text.source.overlay import (
    Page,
    attributes_of,
    letters_of,
    places_of,
    spans_of,
    tokens_of,
    with_edits,
    with_spans,
)
from mlx_tts.text.source.zip_parts import Archive, open_archive

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

CHILD = "mlx_tts.text.source.epub_overlay"
FOLDER = "mlx-tts"  # next to the package document: all that is new in the book
ACTIVE = "mlx-tts-spoken"
STYLE = f".{ACTIVE} {{ background-color: #ffe08a; color: #000; }}\n"


@dataclass(frozen=True)
class TimedSentence:
    """chapter: by number, from 0. start_ms: when it begins in the sound of its chapter."""

    chapter: int
    text: str
    start_ms: int


@dataclass(frozen=True)
class OverlayParts:
    """parts: name in the archive -> its bytes, those that are new and those that change. sound: for each chapter the
    name of its sound in the archive. missing: sentences that were not found in the book; they are heard, and shown as a
    part of the sentence before."""

    parts: dict[str, bytes]
    sound: tuple[str, ...]
    missing: int


def overlay_parts(
    path: Path, asides: Asides, sentences: Sequence[TimedSentence] = (), lengths_ms: Sequence[int] = ()
) -> OverlayParts:
    """lengths_ms: of each chapter's sound, 0 where it has none. Without sentences the book is only looked at: whether
    it can be given sound, and where that will stand. RequestError says why it cannot."""
    header = {
        "path": os.fsencode(path.absolute()).hex(),
        "name": str(path),
        "asides": [asides.code, asides.footnotes],
        "lengths": list(lengths_ms),
    }
    spoken = [[one.chapter, one.text, one.start_ms] for one in sentences]
    data = json.dumps(spoken).encode()
    found, body = run_limited(CHILD, header, data, str(path)) if can_start() else work(header, data)
    parts, at = {}, 0
    for name, size in found["parts"]:
        parts[name] = body[at : at + size]
        at += size
    return OverlayParts(parts, tuple(found["sound"]), found["missing"])


def work(header: dict[str, Any], data: bytes) -> Answer:
    """In the child: what `overlay_parts` asks for."""
    path = Path(os.fsdecode(bytes.fromhex(header["path"])))
    sentences = [TimedSentence(*one) for one in json.loads(data)]
    asides = Asides(*header["asides"])
    chapters = [chapter.text for chapter in epub_document(path, asides).chapters]
    with open_archive(path, "EPUB") as archive:
        book = _OverlaidBook(archive, header["name"], asides)
        sound = [book.at(f"chapter-{number:03}.mp3") for number in range(1, len(chapters) + 1)]
        missing = book.speak(chapters, sentences, header["lengths"], sound) if sentences else 0
    found = {"parts": [[name, len(part)] for name, part in book.parts.items()], "sound": sound, "missing": missing}
    return found, b"".join(book.parts.values())


@dataclass
class _Overlay:
    """Of one page. pars: the id of a span, the sound, from when to when in milliseconds."""

    page: Page
    item: Element
    spans: list[tuple[int, int, str]] = field(default_factory=list)
    pars: list[tuple[str, str, int, int]] = field(default_factory=list)

    @property
    def length_ms(self) -> int:
        return sum(end - start for _, _, start, end in self.pars)


class _OverlaidBook:
    """The book that is read, and the parts of the new one."""

    def __init__(self, archive: Archive, name: str, asides: Asides) -> None:
        self.parts: dict[str, bytes] = {}
        self._archive, self._name = archive, name
        self._package, root, items = opened_package(archive)
        version = root.get("version") or "2"
        if not version.startswith("3"):
            raise RequestError(
                f"{name} is an EPUB {version}, which has no place for sound: make an EPUB 3 of it first, as with "
                "Calibre, or write an audiobook with -o book.m4b"
            )
        if any(item.get("media-overlay") for item in items.values()) or self.at("overlay.css") in archive:
            raise RequestError(f"{name} has sound in it already: give the book without it")
        self._pages = dict(spoken_pages(archive, self._package, root, items, asides))
        self._opened = {name: self._text(name) for name in (self._package, *self._pages)}

    def at(self, name: str) -> str:
        """The name in the archive of something new."""
        return posixpath.join(posixpath.dirname(self._package), FOLDER, name)

    def _text(self, name: str) -> str:
        try:
            return self._archive.read(name, budget.PAGE_BYTES).decode("utf-8")
        except UnicodeDecodeError:
            raise RequestError(
                f"{self._name} cannot be given sound: its part {shown(name)} is not UTF-8 text"
            ) from None

    def speak(
        self, chapters: Sequence[str], sentences: Sequence[TimedSentence], lengths: Sequence[int], sound: Sequence[str]
    ) -> int:
        """How many sentences were not found."""
        overlays = [_Overlay(Page.of(name, self._opened[name]), item) for name, item in self._pages.items()]
        places = places_of([one.page for one in overlays], chapters, [(one.chapter, one.text) for one in sentences])
        spans: dict[int, list[tuple[int, int]]] = {}
        for number, overlay in enumerate(overlays):
            own = [at for at, place in enumerate(places) if place is not None and place.page == number]
            found = spans_of(overlay.page, [place for at in own if (place := places[at]) is not None])
            spans |= dict(zip(own, found, strict=True))
        heard = [at for at in range(len(sentences)) if spans.get(at)]
        for before, this, after in zip([None, *heard[:-1]], heard, [*heard[1:], None], strict=True):
            chapter, place = sentences[this].chapter, places[this]
            assert place is not None
            # A chapter's sound is shown from its beginning to its end, with what stands in between and was not found.
            is_first = before is None or sentences[before].chapter != chapter
            is_last = after is None or sentences[after].chapter != chapter
            start = 0 if is_first else sentences[this].start_ms
            end = lengths[chapter] if after is None or is_last else sentences[after].start_ms
            _add_pars(overlays[place.page], spans[this], sound[chapter], start, end)
        spoken = [overlay for overlay in overlays if overlay.pars]
        self._write(spoken, [name for name, length in zip(sound, lengths, strict=True) if length])
        return len(sentences) - len(heard)

    def _write(self, overlays: Sequence[_Overlay], sound: Sequence[str]) -> None:
        style = self.at("overlay.css")
        for number, overlay in enumerate(overlays, 1):
            page = overlay.page
            link = f'<link rel="stylesheet" type="text/css" href={quoteattr(_href(page.name, style))}/>'
            self.parts[page.name] = with_spans(page, overlay.spans, link).encode()
            self.parts[self.at(f"page-{number:03}.smil")] = self._smil(overlay).encode()
        self.parts[style] = STYLE.encode()
        self.parts[self._package] = self._new_package(overlays, sound).encode()

    def _smil(self, overlay: _Overlay) -> str:
        own = self.at("page.smil")
        page = _href(own, overlay.page.name)
        pars = [
            f'    <par id="par-{number}"><text src={quoteattr(f"{page}#{name}")}/>'
            f'<audio src={quoteattr(_href(own, sound))} clipBegin="{clock(start)}" clipEnd="{clock(end)}"/></par>'
            for number, (name, sound, start, end) in enumerate(overlay.pars, 1)
        ]
        return (
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            '<smil xmlns="http://www.w3.org/ns/SMIL" version="3.0">\n'
            "  <body>\n" + "\n".join(pars) + "\n  </body>\n</smil>\n"
        )

    def _new_package(self, overlays: Sequence[_Overlay], sound: Sequence[str]) -> str:
        """The package document with nothing changed but what was put into it."""
        markup = self._opened[self._package]
        of_items = {overlay.item.get("id"): number for number, overlay in enumerate(overlays, 1)}
        edits: list[tuple[int, str]] = []
        for token in tokens_of(markup):
            prefix = re.match(r"</?(\w+:)?", markup[token.start : token.end])
            prefix_text = (prefix[1] or "") if prefix else ""
            if (
                token.name == "item"
                and not token.closes
                and (number := of_items.get((attributes_of(token).get("id") or "").strip()))
            ):
                edits.append((token.end - 1 - token.is_empty, f' media-overlay="mlx-tts-smil-{number}"'))
            elif token.name == "metadata" and token.closes:
                edits.append((token.start, _metadata(overlays, prefix_text)))
            elif token.name == "manifest" and token.closes:
                edits.append((token.start, self._items(overlays, sound, prefix_text)))
        return with_edits(markup, edits)

    def _items(self, overlays: Sequence[_Overlay], sound: Sequence[str], prefix: str) -> str:
        new = [("mlx-tts-style", self.at("overlay.css"), "text/css")]
        new += [
            (f"mlx-tts-smil-{number}", self.at(f"page-{number:03}.smil"), "application/smil+xml")
            for number in range(1, len(overlays) + 1)
        ]
        new += [(f"mlx-tts-sound-{number}", name, "audio/mpeg") for number, name in enumerate(sound, 1)]
        return "".join(
            f'  <{prefix}item id="{name}" href={quoteattr(_href(self._package, file))} media-type="{kind}"/>\n'
            for name, file, kind in new
        )


def _metadata(overlays: Sequence[_Overlay], prefix: str) -> str:
    meta = f"{prefix}meta"
    lines = [
        f'  <{meta} property="media:duration" refines="#mlx-tts-smil-{number}">{clock(one.length_ms)}</{meta}>\n'
        for number, one in enumerate(overlays, 1)
    ]
    whole = sum(one.length_ms for one in overlays)
    lines += [
        f'  <{meta} property="media:duration">{clock(whole)}</{meta}>\n',
        f'  <{meta} property="media:active-class">{escape(ACTIVE)}</{meta}>\n',
    ]
    return "".join(lines)


def _add_pars(overlay: _Overlay, spans: Sequence[tuple[int, int]], sound: str, start: int, end: int) -> None:
    """A sentence in several spans: each is heard as long as its letters take."""
    markup = overlay.page.markup
    shares = [max(1, len(letters_of(html.unescape(markup[first:last])))) for first, last in spans]
    whole, told, begin = sum(shares), 0, start
    for (first, last), share in zip(spans, shares, strict=True):
        told += share
        until = start + (end - start) * told // whole
        if until > begin:
            name = f"mlx-tts-{len(overlay.spans) + 1}"
            overlay.spans.append((first, last, name))
            overlay.pars.append((name, sound, begin, until))
            begin = until


def _href(base: str, name: str) -> str:
    """From one part of the archive to another."""
    return quote(posixpath.relpath(name, posixpath.dirname(base) or "."))


def clock(milliseconds: int) -> str:
    """As SMIL has it: 1:02:03.004."""
    seconds, rest = divmod(milliseconds, 1000)
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}.{rest:03}"
