"""A document of a kind that has a parser -> its chapters, parsed in a child process that can be ended: see files/child.

Short texts of Markdown are parsed here: their cost is bounded by their length (tests/text/test_doubling.py), and the
start of a child would take longer. Plain text and SSML have no parser of this kind and never come here.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from mlx_tts.errors import MlxTtsError
from mlx_tts.files import budget
from mlx_tts.files.child import Answer, can_start, keep_warm, let_go, run_limited
from mlx_tts.text.cutting.pieces import Chapter
from mlx_tts.text.source.blocks import Asides, Document


def keep_parser_warm() -> None:
    """For a server: the next document does not wait for a process to start."""
    if can_start():
        keep_warm(__name__)


def let_parser_go() -> None:
    """The server ends."""
    let_go(__name__)


def parse_file(path: Path, kind: str, asides: Asides) -> Document:
    """kind: .epub, .docx or .pdf."""
    if not can_start():
        return _parsed_file(path, kind, asides)
    folder = "/" if path.is_absolute() else os.getcwd()  # noqa: PTH109 (the child may have been started in another one)
    header = {"path": os.fsencode(path).hex(), "folder": os.fsencode(folder).hex(), "kind": kind}
    return _elsewhere(header, b"", asides, str(path), budget.PDF_SECONDS if kind == ".pdf" else budget.PARSER_SECONDS)


def parse_text(text: str, kind: str, asides: Asides, name: str) -> Document:
    """kind: markdown or html. name: for messages."""
    small = len(text) <= budget.HERE_CHARACTERS and text.count("<") <= budget.HERE_TAGS
    if (small and kind == "markdown") or not can_start():
        return _parsed_text(text, kind, asides)
    return _elsewhere({"kind": kind}, text.encode("utf-8", "surrogatepass"), asides, name)


def _elsewhere(
    header: dict[str, Any], data: bytes, asides: Asides, name: str, seconds: budget.Limit = budget.PARSER_SECONDS
) -> Document:
    header["asides"] = [asides.code, asides.footnotes]
    found, body = run_limited(__name__, header, data, name, seconds)
    try:
        return _document(found, body)
    except (KeyError, TypeError, ValueError, IndexError):
        raise MlxTtsError(f"{name} cannot be read: the process that reads it gave a wrong answer, try again") from None


def work(header: dict[str, Any], data: bytes) -> Answer:
    """In the child: a job as `_elsewhere` makes it -> the document, as `_document` takes it."""
    asides = Asides(*header["asides"])
    if "path" in header:
        path, folder = (os.fsdecode(bytes.fromhex(header[key])) for key in ("path", "folder"))
        os.chdir(folder)  # so that messages name the file as the caller does
        document = _parsed_file(Path(path), header["kind"], asides)
    else:
        document = _parsed_text(data.decode("utf-8", "surrogatepass"), header["kind"], asides)
    texts = [chapter.text.encode("utf-8", "surrogatepass") for chapter in document.chapters]
    found = {
        "chapters": [[c.title, len(text), c.plain] for c, text in zip(document.chapters, texts, strict=True)],
        "about": [document.title, document.author, document.language],
        "cover": None if document.cover is None else len(document.cover),
        "left_out": list(document.left_out),
    }
    return found, b"".join((*texts, document.cover or b""))


def load_parsers() -> None:
    """In a child that waits: load what any kind of document needs."""
    from defusedxml import ElementTree  # noqa: F401
    from selectolax import lexbor  # noqa: F401

    _parsed_text("# One\n\n<p>Two.</p>\n", "markdown", Asides())


def _document(found: dict[str, Any], body: bytes) -> Document:
    chapters, at = [], 0
    for title, size, plain in found["chapters"]:
        chapters.append(Chapter(title, body[at : at + size].decode("utf-8", "surrogatepass"), plain=plain))
        at += size
    title, author, language = found["about"]
    cover = None if found["cover"] is None else body[at : at + found["cover"]]
    return Document(chapters, title, author, language, cover, tuple(found["left_out"]))


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
