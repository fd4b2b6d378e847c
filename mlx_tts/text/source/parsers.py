"""A document of a kind that has a parser -> its chapters, parsed in a child process that can be ended: see files/child.

Short texts of Markdown are parsed here: their cost is bounded by their length (tests/text/test_doubling.py), and the
start of a child would take longer. Plain text and SSML have no parser of this kind and never come here.
"""

from __future__ import annotations

import codecs
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from mlx_tts.errors import MlxTtsError
from mlx_tts.files import budget
from mlx_tts.files.child import Answer, can_start, keep_warm, let_go, run_limited
from mlx_tts.text.cutting.pieces import Chapter
from mlx_tts.text.source.blocks import Asides, Document

CHILD = "mlx_tts.text.source.apart"  # the module that the child imports
TITLE = 500  # characters, as many as the page's files take
DECODED_BYTES = 1 << 20  # at once, since Python does nothing else meanwhile
_apart = False  # whether this is the child


def keep_parser_warm() -> None:
    """For a server: the next document does not wait for a process to start."""
    if can_start():
        keep_warm(CHILD)


def let_parser_go() -> None:
    """The server ends."""
    let_go(CHILD)


def parse_file(path: Path, kind: str, asides: Asides, for_page: bool = False) -> Document:
    """kind: .epub, .docx or .pdf; "" for any file that `read_document` reads, of which all is done in the child,
    and only where one `can_start`. for_page: within the limits of what is dropped on the page."""
    if _apart or not can_start():
        return _parsed_file(path, kind, asides)
    folder = "/" if path.is_absolute() else os.getcwd()  # noqa: PTH109 (the child may have been started in another one)
    header: dict[str, Any] = {"path": os.fsencode(path).hex(), "folder": os.fsencode(folder).hex(), "kind": kind}
    header |= {"for_page": str(path)} if for_page else {}
    is_pdf = (kind or path.suffix.lower()) == ".pdf"
    return _elsewhere(header, b"", asides, str(path), budget.PDF_SECONDS if is_pdf else budget.PARSER_SECONDS)


def parse_text(text: str, kind: str, asides: Asides, name: str) -> Document:
    """kind: markdown or html. name: for messages."""
    small = len(text) <= budget.HERE_CHARACTERS and text.count("<") <= budget.HERE_TAGS
    if (small and kind == "markdown") or _apart or not can_start():
        return _parsed_text(text, kind, asides)
    return _elsewhere({"kind": kind}, text.encode("utf-8", "surrogatepass"), asides, name)


def _elsewhere(
    header: dict[str, Any], data: bytes, asides: Asides, name: str, seconds: budget.Limit = budget.PARSER_SECONDS
) -> Document:
    header["asides"] = [asides.code, asides.footnotes]
    found, body = run_limited(CHILD, header, data, name, seconds)
    try:
        return _document(found, body)
    except (KeyError, TypeError, ValueError, IndexError):
        raise MlxTtsError(f"{name} cannot be read: the process that reads it gave a wrong answer, try again") from None


def work(header: dict[str, Any], data: bytes, read: Callable[[Path, Asides], Document]) -> Answer:
    """In the child: a job as `_elsewhere` makes it -> the document, as `_document` takes it. read: reads any file."""
    global _apart
    _apart = True
    asides = Asides(*header["asides"])
    if "path" in header:
        path, folder = (os.fsdecode(bytes.fromhex(header[key])) for key in ("path", "folder"))
        os.chdir(folder)  # so that messages name the file as the caller does
        kind = header["kind"]
        document = _parsed_file(Path(path), kind, asides) if kind else read(Path(path), asides)
    else:
        document = _parsed_text(data.decode("utf-8", "surrogatepass"), header["kind"], asides)
    if "for_page" in header:
        document = _for_page(document, header["for_page"])
    texts = [chapter.text.encode("utf-8", "surrogatepass") for chapter in document.chapters]
    found = {
        "chapters": [[c.title, len(text), c.plain] for c, text in zip(document.chapters, texts, strict=True)],
        "about": [document.title, document.author, document.language],
        "cover": None if document.cover is None else len(document.cover),
        "left_out": list(document.left_out),
    }
    return found, b"".join((*texts, document.cover or b""))


def _for_page(document: Document, name: str) -> Document:
    """RequestError where it is too long; titles are cut, since they are not looked at part by part."""
    budget.DROPPED_CHAPTERS.check(len(document.chapters), name)
    budget.DROPPED_CHARACTERS.check(sum(len(chapter.text) for chapter in document.chapters), name)
    chapters = [replace(chapter, title=chapter.title and chapter.title[:TITLE]) for chapter in document.chapters]
    return replace(
        document,
        chapters=chapters,
        title=document.title and document.title[:TITLE],
        author=document.author and document.author[:TITLE],
    )


def load_parsers() -> None:
    """In a child that waits: load what any kind of document needs."""
    from defusedxml import ElementTree  # noqa: F401
    from selectolax import lexbor  # noqa: F401

    _parsed_text("# One\n\n<p>Two.</p>\n", "markdown", Asides())


def _document(found: dict[str, Any], body: bytes) -> Document:
    chapters, at, view = [], 0, memoryview(body)
    for title, size, plain in found["chapters"]:
        chapters.append(Chapter(title, _decoded(view[at : at + size]), plain=plain))
        at += size
    title, author, language = found["about"]
    cover = None if found["cover"] is None else body[at : at + found["cover"]]
    return Document(chapters, title, author, language, cover, tuple(found["left_out"]))


def _decoded(data: memoryview) -> str:
    decoder = codecs.getincrementaldecoder("utf-8")("surrogatepass")
    parts = [decoder.decode(data[at : at + DECODED_BYTES]) for at in range(0, len(data), DECODED_BYTES)]
    return "".join([*parts, decoder.decode(b"", final=True)])


def _parsed_file(path: Path, kind: str, asides: Asides) -> Document:
    if kind == ".epub":
        from mlx_tts.text.source.epub import epub_document

        return epub_document(path, asides)
    if kind == ".docx":
        from mlx_tts.text.source.docx import docx_document

        return docx_document(path)
    from mlx_tts.text.source.pdf import pdf_document

    return pdf_document(path)


def _parsed_text(text: str, kind: str, asides: Asides) -> Document:
    if kind == "html":
        from mlx_tts.text.source.html_document import html_document

        return html_document(text, asides)
    from mlx_tts.text.source.markdown_document import markdown_document

    return markdown_document(text, asides)
