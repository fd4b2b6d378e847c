"""A text in a language -> the words that a person would say for it."""

from __future__ import annotations

import re

from mlx_tts.text.languages import find

LONGEST = 4000  # characters: rules look around a match, so a longer text is cut between words first
CHUNK = re.compile(rf"[\s\S]{{1,{LONGEST}}}(?:(?<=[.!?])(?=\s)|\Z)|[\s\S]{{1,{LONGEST}}}(?=\s)|[\s\S]{{1,{LONGEST}}}")


def normalise(text: str, language: str) -> str:
    """language: its name; texts in a language without rules stay as they are written."""
    known = find(language)
    if known is None or known.normalise is None:
        return text
    if len(text) > LONGEST:
        return "".join(normalise(match[0], language) for match in CHUNK.finditer(text))
    body = text.strip()
    return text.replace(body, known.normalise(body), 1) if body else text
