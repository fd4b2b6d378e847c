"""A PDF file -> its document: the text of its pages in one chapter, without page numbers and broken words."""

from __future__ import annotations

import re
from pathlib import Path

from mlx_tts.errors import RequestError
from mlx_tts.files import budget
from mlx_tts.shortened import reason_of
from mlx_tts.text.cutting.pieces import Chapter
from mlx_tts.text.source.blocks import Document

HYPHEN = re.compile(r"(?<=[a-zà-ÿ])[-\u00ad]\n(?=[a-zà-ÿ])")
PAGE_NUMBER = re.compile(r"\A\s*\d{1,4}\s*\n|\n\s*\d{1,4}\s*\Z")


def pdf_document(path: Path) -> Document:
    import pypdf
    from pypdf.errors import PyPdfError

    budget.PDF_BYTES.check(path.stat().st_size, path)
    try:
        reader = pypdf.PdfReader(path)
        if reader.is_encrypted and not reader.decrypt(""):
            raise RequestError(f"{path} is locked with a password: save a copy without one")
        budget.PDF_PAGES.check(len(reader.pages), path)
        pages = [PAGE_NUMBER.sub("", page.extract_text() or "") for page in reader.pages]
        title = reader.metadata.title if reader.metadata else None
    except (
        PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError, OSError,
        NotImplementedError, ArithmeticError, AssertionError,
    ) as error:  # fmt: skip
        raise RequestError(f"{path} is a damaged PDF: {reason_of(error, 100) or type(error).__name__}") from None
    # A sentence may go on over a page's end; paragraphs are hardly to be told from lines.
    text = HYPHEN.sub("", "\n".join(pages))
    if not text.strip():
        raise RequestError(f"{path} has no text in it: its pages are pictures, so recognise their text (OCR) first")
    return Document([Chapter(None, text, plain=True)], str(title) if title else None)
