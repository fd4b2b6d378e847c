"""Files of all kinds -> what is read aloud of them: every row of what was once spoken with its marks."""

import zipfile

import pytest

from mlx_tts.errors import RequestError
from mlx_tts.text.cutting.pieces import Packing
from mlx_tts.text.reading import Reading
from mlx_tts.text.source.blocks import Asides
from mlx_tts.text.source.documents import read_document, text_document


def spoken(text: str, ending: str = "") -> list[str]:
    chapters = text_document(text, ending).chapters
    return [piece.spoken for piece in Reading().pieces(chapters, Packing("english", every_sentence=True))]


@pytest.mark.parametrize(
    ("markdown", "said"),
    [
        ("---\ntitle: My Book\n---\n\nHello.", ["Hello."]),
        ("Before.\n\n```py\nprint(1)\n```\n\nAfter.", ["Before.", "After."]),
        ("Before.\n\n    indented code\n\nAfter.", ["Before.", "After."]),
        ("| Name | Age |\n|---|---|\n| Ann | 7 |", ["Name, Age.", "Ann, 7."]),
        ("A note.[^1] More.\n\n[^1]: The note\n    goes on.\n", ["A note.", "More."]),
        ("See [the page][1] and [more][].\n\n[1]: http://x.y\n", ["See the page and more."]),
        ("Go to <https://example.com> or <a@b.c>.", ["Go to https://example.com or a@b.c."]),
        ("- [ ] buy milk\n- [x] sleep", ["buy milk", "sleep"]),
        ("A&nbsp;&euro;5&mdash;so &lt;it&gt; &amp; that &notanentity;", ["A €5—so <it> & that &notanentity;"]),
        ("H~2~O and x^2^", ["H2O and x2"]),
        ("One.\n\n$$\nx^2 = 5\n$$\n\nTwo.", ["One.", "Two."]),
        ("1. First\n2. Second", ["1. First", "2. Second"]),
        ("A \\*star\\* and \\# hash", ["A *star* and # hash"]),
        ("> Quoted\n> words.", ["Quoted words."]),
        ("Line one  \nLine two", ["Line one, Line two"]),
        ("Title\n=====\n\nText.", ["Title", "Text."]),
        ("<div>\nblock &amp; html<script>x()</script>\n</div>\n\nText.", ["block & html", "Text."]),
        ("**Bold *and soft*** words, ~~gone~~, `code`", ["Bold and soft words, gone, code"]),
        ("![A picture](x.png) [![badge](b.svg)](http://x)", ["A picture badge"]),
        ("***\n\nText\n\n- - -", ["Text"]),
    ],
)  # fmt: skip
def test_markdown_files(markdown, said):
    assert spoken(markdown, ".md") == said


def test_what_a_markdown_file_says_of_itself():
    document = text_document("---\ntitle: 'My Book'\nauthor: Me\nlang: de\n---\n# One\na\n# Two\nb\n```\nx\n```", ".md")
    assert (document.title, document.author, document.language) == ("My Book", "Me", "de")
    assert [chapter.title for chapter in document.chapters] == ["One", "Two"]
    assert document.left_out == ("1 block of code",)


def test_code_is_read_if_asked():
    code = Asides(code=True)
    document = text_document("Text.\n\n```\nx = 1\n\nprint(x)\n```\nMore.", ".md", code)
    assert document.chapters[0].text == "Text.\n\nx = 1\n\nprint(x)\n\nMore." and document.left_out == ()
    page = "<p>Text.</p><pre><code>x = 1\n  y = <b>2</b></code></pre><p>More.</p>"
    document = text_document(page, ".html", code)
    assert document.chapters[0].text == "Text.\n\nx = 1\n\ny = 2\n\nMore." and document.left_out == ()
    assert text_document(page, ".html").chapters[0].text == "Text.\n\nMore."


@pytest.mark.slow
@pytest.mark.parametrize(
    "block",
    [
        "<pre>x = 1\n  y = f(x)</pre>",
        "<pre>pip install mlx-tts</pre>",
        "<pre>$ mlx-tts doctor</pre>",
        "<pre><samp>All is well.</samp></pre>",
        '<div class="highlight"><pre><span></span><span class="kn">import</span> Antigravity</pre></div>',
        '<div class="highlight-python"><div class="highlight"><pre>Import it.</pre></div></div>',
        '<pre class="language-text">Hello, world.</pre>',
        "<pre>+-----+\n| box |\n+-----+</pre>",
    ],
)
def test_preformatted_code_is_left_out_without_a_code_element(block):
    page = f"<p>Text.</p>{block}<p>More.</p>"
    document = text_document(page, ".html")
    assert document.chapters[0].text == "Text.\n\nMore." and document.left_out == ("1 block of code",)
    assert len(text_document(page, ".html", Asides(code=True)).chapters[0].text) > len("Text.\n\nMore.")


@pytest.mark.parametrize(
    "text",
    [
        "Tyger Tyger, burning bright,\n  In the forests of the night;",
        "so much depends\nupon\n\na red wheel\nbarrow.",
        "Dear Anna,\n\nthe soup (of Tuesday) is still warm.\n\nYours, Tom",
        "床前明月光\n疑是地上霜",
        "Über allen Gipfeln\nIst Ruh",
    ],
)
def test_preformatted_poems_and_letters_are_read(text):
    document = text_document(f"<p>Text.</p><pre>{text}</pre><p>More.</p>", ".html")
    assert text.split("\n")[-1].strip() in document.chapters[0].text and document.left_out == ()


def test_a_file_of_code_is_read_if_asked(tmp_path):
    (tmp_path / "a.py").write_text("print(1)\n")
    assert read_document(tmp_path / "a.py", Asides(code=True)).chapters[0].text == "print(1)\n"
    with pytest.raises(RequestError, match="--read-code reads it"):
        read_document(tmp_path / "a.py")


NOTES = """First.[^a] More.[^b]

Second[^a] and third.[^gone]

* Item.[^c]

[^a]: Note *a*.
    Its second line.

    And a paragraph.
[^b]: Note b.
[^a]: Another a.
[^c]: Note c.
[^never]: Nobody asks.
"""


def test_footnotes_are_skipped_or_read_behind_what_asks_for_them():
    def said(footnotes):
        return text_document(NOTES, ".md", asides=Asides(footnotes=footnotes)).chapters[0].text.split("\n\n")

    assert said(False) == ["First. More.", "Second and third.", "Item."]
    notes = ["Note a. Its second line.", "And a paragraph.", "Note b."]
    assert said(True) == ["First. More.", *notes, "Second and third.", "Item.", "Note c."]


def test_a_text_without_a_name_is_markdown_if_it_looks_like_it():
    assert spoken("# Title\n\nText with a note.[^1]\n\n[^1]: note") == ["Title", "Text with a note."]
    assert spoken("1986. What a year!\n    He left.") == ["1986. What a year!", "He left."] or spoken(
        "1986. What a year!\n    He left."
    ) == ["1986.", "What a year!", "He left."]
    assert spoken("2 * 3 * 4 < 30 and snake_case_name") == ["2 * 3 * 4 < 30 and snake_case_name"]


PAGE = """<!DOCTYPE html><html lang="en"><head><title>My &amp; Page</title><style>p { color: red }</style>
<script>var x = "<p>no</p>";</script></head><body><header>The Site</header><nav><ul><li>Menu</ul></nav>
<main><h1>Head</h1><p>First &euro;5 <b>bold</b><sup><a href="#n">1</a></sup>.</p><p hidden>secret</p>
<pre><code>x = 1</code></pre><table><tr><th>a<th>b<tr><td>1<td>2</table><p>m<sup>2</sup>, H<sub>2</sub>O</p>
<ul><li>one<li>two</ul><p>John Smith<br>Main Street</p></main><footer>Imprint</footer></body></html>"""


def test_the_head_of_a_section_is_read_and_that_of_a_page_is_not():
    page = "<body><header>Menu</header><section><header><h2>News</h2></header><p>It rains.</p></section></body>"
    assert spoken(page, ".html") == ["News", "It rains."]


def test_html_pages():
    assert spoken(PAGE, ".html") == [
        "Head", "First €5 bold.", "a, b.", "1, 2.", "m², H₂O", "one", "two", "John Smith, Main Street",
    ]  # fmt: skip
    document = text_document(PAGE)
    assert (document.title, document.language, document.left_out) == ("My & Page", "en", ("1 block of code",))
    assert spoken("<p>Not closed <i>at all<p>Two") == ["Not closed at all Two"]


def test_plain_text_keeps_its_lines(tmp_path):
    assert spoken("Milk\nBread\nEggs", ".txt") == ["Milk, Bread, Eggs"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1", "cp1252"])
def test_encodings(tmp_path, encoding):
    text = "Schöne Grüße aus Köln – naïve façade." if encoding != "latin-1" else "Schöne Grüße aus Köln."
    (tmp_path / "a.txt").write_bytes(text.encode(encoding))
    assert read_document(tmp_path / "a.txt").chapters[0].text == text


def test_an_old_russian_file(tmp_path):
    text = "Мой дядя самых честных правил, когда не в шутку занемог, он уважать себя заставил и лучше выдумать не мог."
    (tmp_path / "a.txt").write_bytes(text.encode("cp1251"))
    assert read_document(tmp_path / "a.txt").chapters[0].text == text


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("a.txt", b"%PDF-1.7 words", "PDF"),
        ("a.txt", b"\x89PNG\r\n", "is a picture, not text"),
        ("a.txt", b"PK\x03\x04", "is a zip archive, not text"),
        ("a.txt", b"\x7fELF\x02", "is a program, not text"),
        ("run", b"#!/bin/sh\necho", "is a program's source, not text"),
        ("a.py", b"print(1)", "is a program's source or data"),
        ("a.txt", bytes(range(1, 30)) * 10, "full of control characters"),
        ("a.docx", b"no zip", "is not a DOCX or is damaged"),
        ("a.pdf", b"%PDF-1.7\nno pdf", "PDF"),
        ("a.epub", b"", "is not an EPUB or is damaged"),
    ],
)
def test_what_is_no_text_is_one_line(tmp_path, name, data, says):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(RequestError) as caught:
        read_document(tmp_path / name)
    assert says in str(caught.value) and name in str(caught.value) and "\n" not in str(caught.value)


def test_no_file_and_a_folder(tmp_path):
    with pytest.raises(RequestError, match="no such file"):
        read_document(tmp_path / "none.txt")
    with pytest.raises(RequestError, match="it is a folder"):
        read_document(tmp_path)


WORD_SPACE = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
WORD = f'<w:document xmlns:w="{WORD_SPACE}"><w:body>{{}}</w:body></w:document>'


def make_docx(path, body: str, properties: str | None = None):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("word/document.xml", body if body.startswith("<!") else WORD.format(body))
        if properties:
            archive.writestr("docProps/core.xml", properties)
    return path


def test_docx(tmp_path):
    def paragraph(text: str, style: str = "") -> str:
        deleted = "<w:del><w:r><w:delText>x</w:delText></w:r></w:del>"
        return f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r><w:t>{text}</w:t></w:r>{deleted}</w:p>'

    cell = "<w:tc>{}</w:tc>".format
    table = f"<w:tbl><w:tr>{cell(paragraph('a'))}{cell(paragraph('b'))}</w:tr></w:tbl>"
    body = paragraph("One", "Heading1") + paragraph("Text.") + table + paragraph("Two", "Heading1") + paragraph("End.")
    properties = '<p xmlns:d="d"><d:title>T</d:title><d:creator>C</d:creator></p>'
    document = read_document(make_docx(tmp_path / "a.docx", body, properties))
    assert [(c.title, c.text) for c in document.chapters] == [("One", "One\n\nText.\n\na, b."), ("Two", "Two\n\nEnd.")]
    assert (document.title, document.author) == ("T", "C")


def test_entities_in_a_docx_are_refused(tmp_path):
    bomb = '<!DOCTYPE d [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><d>&b;</d>'
    with pytest.raises(RequestError, match="declares entities"):
        read_document(make_docx(tmp_path / "a.docx", bomb))
