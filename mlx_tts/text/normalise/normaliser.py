"""A text in a language -> the words that a person would say for it, and which rule says what."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mlx_tts.text.languages import find
from mlx_tts.text.normalise.engine import Span, speak

LONGEST = 4000  # characters: rules look around a match, so a longer text is cut between words first
CHUNK = re.compile(rf"[\s\S]{{1,{LONGEST}}}(?:(?<=[.!?])(?=\s)|\Z)|[\s\S]{{1,{LONGEST}}}(?=\s)|[\s\S]{{1,{LONGEST}}}")


def normalise(text: str, language: str, variant: str = "") -> str:
    """language: its name; texts in a language without rules stay as they are written. variant: its region ("gb")."""
    return speak(text, list(spans(text, language, variant)))


def spans(text: str, language: str, variant: str = "") -> Iterator[Span]:
    """What becomes words: the places in the text, the rules' names and the words."""
    known = find(language)
    if known is None or known.recognise is None:
        return
    for chunk in CHUNK.finditer(text):
        start = chunk.start() + len(chunk[0]) - len(chunk[0].lstrip())
        for span in known.recognise(chunk[0].strip(), variant):
            yield span._replace(start=start + span.start, end=start + span.end)
