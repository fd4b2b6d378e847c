"""The child process of `parsers`: a job -> its answer. Without a kind it is any file, read as `read_document` does."""

from __future__ import annotations

from typing import Any

from mlx_tts.files.child import Answer
from mlx_tts.text.source import parsers
from mlx_tts.text.source.documents import read_document

load_parsers = parsers.load_parsers


def work(header: dict[str, Any], data: bytes) -> Answer:
    """What files/child.py calls."""
    return parsers.work(header, data, read_document)
