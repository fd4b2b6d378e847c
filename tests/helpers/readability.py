"""A page or a help text -> its prose and how easily it reads, by Flesch's formula: 60 and more is plain English."""

from __future__ import annotations

import re

VOWELS = re.compile(r"[aeiouy]+")
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n{2,}")


def prose(page: str) -> str:
    """Markdown without blocks of code, tags, tables, headings and addresses; a name in code counts as a word."""
    page = re.sub(r"```.*?```", "\n", page, flags=re.S)
    page = re.sub(r"</?\w[^>]*>", "\n", page)
    page = re.sub(r"^(\||#|!\[).*$", "\n", page, flags=re.M)
    page = re.sub(r"`[^`]*`", "it", page)
    page = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", page)
    page = re.sub(r"^(- .*[^.])$(?=\n- )", r"\1.", page, flags=re.M)
    return re.sub(r"[*>_]|^- ", "", page, flags=re.M).strip()


def syllables(word: str) -> int:
    """About how many; a silent e at the end, and -ed, do not count."""
    word = re.sub(r"[^a-z]", "", word.lower())
    found = len(VOWELS.findall(word))
    if found > 1 and (re.search(r"[^aeiouyl]e$", word) or re.search(r"[^aeioutd]e[ds]$", word)):
        found -= 1
    return max(1, found)


def flesch(text: str) -> float:
    """The reading ease of English prose."""
    sentences = [part for part in SENTENCE_END.split(text) if re.search(r"[A-Za-z]", part)]
    words = re.findall(r"[A-Za-z][\w'’-]*", text)
    return 206.835 - 1.015 * len(words) / len(sentences) - 84.6 * sum(map(syllables, words)) / len(words)
