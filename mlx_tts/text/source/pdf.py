"""A PDF file -> its document, by pypdf (the extra `pdf`): its words without page numbers and hyphens."""

from __future__ import annotations

import re
from pathlib import Path

from mlx_tts.errors import RequestError
from mlx_tts.text.cutting.pieces import Chapter
from mlx_tts.text.source.blocks import Document

MOST_BYTES = 200_000_000
HYPHEN = re.compile(r"(?<=[a-zà-ÿ])[-\u00ad]\n(?=[a-zà-ÿ])")
PAGE_NUMBER = re.compile(r"\A\s*\d{1,4}\s*\n|\n\s*\d{1,4}\s*\Z")


def pdf_document(path: Path) -> Document:
    try:
        import pypdf
        from pypdf.errors import PyPdfError
    except ImportError:
        raise RequestError(f'{path} is a PDF file: pip install "mlx-tts[pdf]" reads them, or give its text') from None
    if path.stat().st_size > MOST_BYTES:
        raise RequestError(f"{path} is larger than {MOST_BYTES // 1_000_000} MB: that is refused")
    try:
        reader = pypdf.PdfReader(path)
        if reader.is_encrypted and not reader.decrypt(""):
            raise RequestError(f"{path} is locked with a password")
        pages = [PAGE_NUMBER.sub("", page.extract_text() or "") for page in reader.pages]
        title = reader.metadata.title if reader.metadata else None
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
        raise RequestError(f"{path} is a damaged PDF: {str(error)[:100] or type(error).__name__}") from None
    # A sentence may go on over a page's end; paragraphs are hardly to be told from lines.
    text = HYPHEN.sub("", "\n".join(pages))
    if not text.strip():
        raise RequestError(f"{path} has no text in it: its pages are pictures")
    return Document([Chapter(None, text, plain=True)], str(title) if title else None)
