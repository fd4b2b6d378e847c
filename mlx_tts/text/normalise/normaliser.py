"""A text in a language -> the words that a person would say for it."""

from __future__ import annotations

import re

EUROPEAN = ("german", "french", "spanish", "italian", "portuguese", "russian")
EAST_ASIAN = ("chinese", "japanese", "korean")
DIALECTS = {"beijing_dialect": "chinese", "sichuan_dialect": "chinese"}
LONGEST = 4000  # characters: rules look around a match, so a longer text is cut between words first
CHUNK = re.compile(rf"[\s\S]{{1,{LONGEST}}}(?:(?<=[.!?])(?=\s)|\Z)|[\s\S]{{1,{LONGEST}}}(?=\s)|[\s\S]{{1,{LONGEST}}}")


def normalise(text: str, language: str) -> str:
    """language: as `languages.SPELLINGS` names it; texts in any other stay as they are written."""
    language = DIALECTS.get(language, language)
    if len(text) > LONGEST:
        return "".join(_one(match[0], language) for match in CHUNK.finditer(text))
    return _one(text, language)


def _one(text: str, language: str) -> str:
    body = text.strip()
    if not body:
        return text
    at = text.index(body[0])
    return text[:at] + _said(body, language) + text[at + len(body) :]


def _said(text: str, language: str) -> str:
    if language == "english":
        from mlx_tts.text.normalise.english.all_rules import english

        return english(text)
    if language in EUROPEAN:
        from mlx_tts.text.normalise.european import european

        return european(text, language)
    if language in EAST_ASIAN:
        from mlx_tts.text.normalise.east_asian import east_asian

        return east_asian(text, language)
    return text
