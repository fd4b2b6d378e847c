"""A valid EPUB 3 whose pages have what real ones have: elements within sentences, notes, ruby, several chapters."""

from __future__ import annotations

import zipfile
from pathlib import Path

HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE html>\n'
    '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops">'
    "<head><title>{title}</title></head>\n<body>"
)
PAGES = {
    "one": (
        "The River Bank",
        '<h1 id="top">The River Bank</h1>\n<p>The Mole had been <em>working</em> very hard. “<b>Bother!</b> O blow!” he'
        ' said, and&#160;ran<a epub:type="noteref" href="#n1">1</a> up. <i>All of this. Half</i> of that.</p>\n'
        '<aside epub:type="footnote" id="n1"><p>A note that nobody reads aloud.</p></aside>',
    ),
    "two": (
        "The Open Road",
        "<section><h2>The Open Road</h2><p>No. “Ratty,” said the Mole, “if you please, <br/>I want to ask.” "
        '<ruby>漢<rt>かん</rt></ruby> is a word.</p></section><section id="wood"><h2>The Wild Wood</h2>\n'
        '<ul><li>The Badger lived <a href="one.xhtml#top">alone</a></li><li>He did not mind it</li></ul></section>',
    ),
}
PACKAGE = """<?xml version="1.0" encoding="UTF-8"?>
<opf:package xmlns:opf="http://www.idpf.org/2007/opf" version="{version}" unique-identifier="id">
<opf:metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">urn:x:willows</dc:identifier>
<dc:title>The Wind in the Willows</dc:title><dc:language>en</dc:language>
<opf:meta property="dcterms:modified">2026-01-01T00:00:00Z</opf:meta></opf:metadata>
<opf:manifest><opf:item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>
{items}</opf:manifest>
<opf:spine>{spine}</opf:spine></opf:package>
"""


def write_epub3(path: Path, version: str = "3.0", **pages: tuple[str, str]) -> Path:
    """pages: those besides PAGES, or in their place: name -> title and body."""
    all_pages = {**PAGES, **pages}
    items = "".join(
        f'<opf:item id="{name}" href="Text/{name}.xhtml" media-type="application/xhtml+xml"/>\n' for name in all_pages
    )
    spine = "".join(f'<opf:itemref idref="{name}"/>' for name in all_pages)
    places = "".join(f'<li><a href="Text/{name}.xhtml">{title}</a></li>' for name, (title, _) in all_pages.items())
    places += '<li><a href="Text/two.xhtml#wood">The Wild Wood</a></li>'
    nav = f'{HEAD.format(title="Contents")}<nav epub:type="toc"><ol>{places}</ol></nav></body></html>'
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr(zipfile.ZipInfo("mimetype"), "application/epub+zip")
        book.writestr(
            "META-INF/container.xml",
            '<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
            '<rootfiles><rootfile full-path="OPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles>'
            "</container>",
        )
        book.writestr("OPS/book.opf", PACKAGE.format(version=version, items=items, spine=spine))
        book.writestr("OPS/nav.xhtml", nav)
        for name, (title, body) in all_pages.items():
            book.writestr(f"OPS/Text/{name}.xhtml", f"{HEAD.format(title=title)}{body}</body></html>")
    return path
