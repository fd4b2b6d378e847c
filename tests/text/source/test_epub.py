"""EPUB files: contents, notes, front matter, anchors, what the book says of itself, and all kinds of damage."""

import random
import zipfile

import pytest

from mlx_tts.errors import RequestError
from mlx_tts.text.source.epub import epub_document

CONTAINER = '<container><rootfiles><rootfile full-path="OPS/b.opf"/></rootfiles></container>'


def make(path, pages: dict[str, str], toc: str = "", metadata: str = "", extra: dict[str, bytes] | None = None):
    items = "".join(f'<item id="{name}" href="{name}.xhtml"/>' for name in pages)
    items += '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>' if "<ncx" in toc else ""
    items += '<item id="nav" href="nav.xhtml" properties="nav"/>' if "<nav" in toc else ""
    items += '<item id="img" href="cover.jpg" media-type="image/jpeg" properties="cover-image"/>' if extra else ""
    spine = "".join(f'<itemref idref="{name}"/>' for name in pages)
    metadata = f'<metadata xmlns:dc="d">{metadata}</metadata>'
    package = f"<package>{metadata}<manifest>{items}</manifest><spine>{spine}</spine></package>"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("META-INF/container.xml", CONTAINER)
        book.writestr("OPS/b.opf", package)
        if toc:
            book.writestr("OPS/toc.ncx" if "<ncx" in toc else "OPS/nav.xhtml", toc)
        for name, text in pages.items():
            book.writestr(f"OPS/{name}.xhtml", f"<html><body>{text}</body></html>")
        for name, data in (extra or {}).items():
            book.writestr(name, data)
    return path


@pytest.mark.slow
def test_a_book_of_one_verse_is_read_and_a_bomb_is_not(tmp_path):
    """Deflate packs an honest table or verse to a fraction; what packs better than deflate can is a bomb."""
    verse = "Row, row, row your boat."
    page = ("<p>" + f"{verse}\n" * 4_000 + "</p>\n") * 11
    path = make(tmp_path / "verse.epub", {"c1": page})
    with zipfile.ZipFile(path) as book:
        part = book.getinfo("OPS/c1.xhtml")
    assert part.file_size / part.compress_size > 300
    assert epub_document(path).chapters[0].text.count(verse) == 44_000
    with zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as book:
        book.writestr("META-INF/container.xml", CONTAINER + " " * 3_000_000)
    with pytest.raises(RequestError, match="packed to grow by more than 1,100 times"):
        epub_document(path)


NAV = """<html><body><nav epub:type="toc"><ol><li><a href="c1.xhtml">I. The Night</a></li>
<li><a href="c2.xhtml">II. The Day</a></li></ol></nav></body></html>"""
NCX = """<!DOCTYPE ncx PUBLIC "-//NISO//DTD ncx 2005-1//EN" "http://www.daisy.org/z3986/2005/ncx-2005-1.dtd">
<ncx><navMap><navPoint><navLabel><text>First</text></navLabel><content src="c1.xhtml"/></navPoint>
<navPoint><navLabel><text>Second</text></navLabel><content src="c1.xhtml#two"/></navPoint></navMap></ncx>"""
COPYRIGHT = "<p>Copyright © 2020 by Me.</p><p>All rights reserved.</p><p>ISBN 978-0-00-000000-2</p>"


def titles_and_texts(path) -> list[tuple[str | None, str]]:
    return [(chapter.title, chapter.text) for chapter in epub_document(path).chapters]


def test_titles_come_from_the_table_of_contents_and_front_matter_is_left_out(tmp_path):
    pages = {"p0": COPYRIGHT, "titlepage": "<h1>My Book</h1>", "c1": "<h1>1</h1><p>Dark.</p>", "c2": "<p>Light.</p>"}
    metadata = "<dc:title>My  Book</dc:title><dc:creator>Me</dc:creator><dc:language>en-GB</dc:language>"
    book = epub_document(make(tmp_path / "a.epub", pages, NAV, metadata, {"OPS/cover.jpg": b"jpeg"}))
    assert [(c.title, c.text) for c in book.chapters] == [("I. The Night", "1\n\nDark."), ("II. The Day", "Light.")]
    assert (book.title, book.author, book.language, book.cover) == ("My Book", "Me", "en-GB", b"jpeg")
    assert book.left_out == ("p0.xhtml", "titlepage.xhtml")


def test_chapters_within_a_file_begin_at_their_anchors(tmp_path):
    path = make(tmp_path / "a.epub", {"c1": '<p>One.</p><h2 id="two">2</h2><p>Two.</p>', "c9": "<p>Goes on.</p>"}, NCX)
    assert titles_and_texts(path) == [("First", "One."), ("Second", "2\n\nTwo.\n\nGoes on.")]


def test_notes_and_their_marks_are_skipped(tmp_path):
    page = (
        '<p>It was night.<sup>1</sup> So<a epub:type="noteref" href="#n">2</a> dark'
        '<sup><a href="#n">*</a></sup>, 5 m<sup>2</sup>.</p>'
        '<aside epub:type="footnote" id="n">A note.</aside><section role="doc-endnotes"><p>End.</p></section>'
        '<span epub:type="pagebreak">12</span>'
    )
    assert titles_and_texts(make(tmp_path / "a.epub", {"c": page})) == [(None, "It was night. So dark, 5 m².")]


def test_elements_that_xhtml_closes_at_once_swallow_nothing(tmp_path):
    page = '<title/><script src="x"/><p>One <a id="x"/>two <i/>three.</p><div/><p>Four.</p>'
    assert titles_and_texts(make(tmp_path / "a.epub", {"c": page})) == [(None, "One two three.\n\nFour.")]


def test_entities_in_a_package_are_refused(tmp_path):
    path = make(tmp_path / "a.epub", {"c": "<p>Hi.</p>"}, NCX.replace('"http', '[<!ENTITY a "b">] "http'))
    bomb = '<!DOCTYPE ncx [<!ENTITY a "aaaaaaaaaa">]><ncx><navMap/></ncx>'
    path = make(tmp_path / "a.epub", {"c": "<p>Hi.</p>"}, bomb)
    with pytest.raises(RequestError, match="declares entities"):
        epub_document(path)


def test_a_part_that_unpacks_to_gigabytes_is_refused(tmp_path):
    path = tmp_path / "a.epub"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("META-INF/container.xml", " " * 30_000_000 + CONTAINER)
    with pytest.raises(RequestError, match="holds more than 20 MB"):
        epub_document(path)


def test_damage_of_any_kind_is_one_line(tmp_path):
    whole = make(
        tmp_path / "a.epub", {"c1": "<p>" + "Words of a book. " * 500 + "</p>", "c2": "<p>End.</p>"}, NAV
    ).read_bytes()
    refused = 0
    for seed in range(150):
        chance = random.Random(seed)
        data = bytearray(whole)
        for _ in range(chance.choice([1, 5, 30])):
            data[chance.randrange(len(data))] = chance.randrange(256)
        if seed % 5 == 0:
            data = data[: chance.randrange(len(data))]
        path = tmp_path / "b.epub"
        path.write_bytes(data)
        try:
            epub_document(path)
        except RequestError as error:
            refused += 1
            assert "b.epub" in str(error) and "\n" not in str(error) and len(str(error)) < 600  # noqa: PT017
    assert refused > 50
