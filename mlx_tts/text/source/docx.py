"""A DOCX file -> its document: paragraphs, headings by style, rows of tables; notes and deleted text are left out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mlx_tts.errors import RequestError
from mlx_tts.files import budget
from mlx_tts.text.markup.markdown import clean
from mlx_tts.text.source.blocks import Document, TextBlock, chapters_of
from mlx_tts.text.source.zip_parts import open_archive

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

BODY, PROPERTIES = "word/document.xml", "docProps/core.xml"


def docx_document(path: Path) -> Document:
    with open_archive(path, "DOCX") as archive:
        if BODY not in archive:
            raise RequestError(f"{path} is not a DOCX or is damaged: it has no {BODY}")
        blocks = _blocks(archive.xml(BODY))
        properties = archive.xml(PROPERTIES) if PROPERTIES in archive else None
    if not blocks:
        raise RequestError(f"{path} has no text in it: give another file")
    return Document(chapters_of(blocks), _property(properties, "title"), _property(properties, "creator"))


def _property(properties: Element | None, name: str) -> str | None:
    return (properties.findtext(f"{{*}}{name}") or "").strip() or None if properties is not None else None


def _blocks(root: Element) -> list[TextBlock]:
    blocks: list[TextBlock] = []
    in_rows: set[Element] = set()
    left = _Left(root)
    for element in root.iter():
        kind = _kind(element)
        if kind == "tr" and element not in in_rows:
            cells = [" ".join(_words(p, left) for p in cell.iterfind(".//{*}p")) for cell in element.iterfind("{*}tc")]
            in_rows.update(element.iterfind(".//{*}p"))
            in_rows.update(element.iterfind(".//{*}tr"))
            row = clean(", ".join(cell.strip() for cell in cells if cell.strip()), markup=False)
            blocks += [TextBlock(row if row[-1] in ".!?" else f"{row}.")] if row else []
        elif (
            kind == "p" and element not in in_rows and (words := clean(_words(element, left), markup=False, verse=True))
        ):
            blocks.append(TextBlock(words, _level(element)))
    return blocks


def _kind(element: Element) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


class _Left:
    """How much may still be read: paragraphs within paragraphs, as those of text boxes, are read with each of them."""

    def __init__(self, root: Element):
        self._amount = budget.REREAD.allowed * sum(1 + len(element.text or "") for element in root.iter())

    def take(self, element: Element) -> None:
        self._amount -= 1 + len(element.text or "")
        if self._amount < 0:
            raise RequestError(budget.REREAD.refusal("a document"))


def _words(paragraph: Element, left: _Left) -> str:
    parts = []
    for element in paragraph.iter():
        left.take(element)
        kind = _kind(element)
        if kind == "t":
            parts.append(element.text or "")
        elif kind in ("br", "cr"):
            parts.append("\n")
        elif kind == "tab":
            parts.append(" ")
    return "".join(parts)


def _level(paragraph: Element) -> int:
    """Styles keep their English names inside the file, whatever language Word speaks."""
    style = paragraph.find("{*}pPr/{*}pStyle")
    name = next((value for key, value in style.attrib.items() if key.endswith("val")), "") if style is not None else ""
    number = name.lower().removeprefix("heading").strip()
    return int(number) if name.lower().startswith("heading") and number.isdecimal() and len(number) == 1 else 0
