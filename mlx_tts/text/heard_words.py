"""What was to be said and what a recogniser heard -> the words that differ, by sound rather than by spelling."""

from __future__ import annotations

import re
import unicodedata
from difflib import SequenceMatcher

from mlx_tts.text.languages import DEFAULT, sentence_language
from mlx_tts.text.normalise.normaliser import normalise

# A word; in scripts without spaces a character.
WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\u3040-\u30ff\u3400-\u9fff]+")


def differences(said: str, heard: str, language: str = "auto") -> list[tuple[str, str]]:
    """Each place where they differ: the words of `said` and those of `heard`, either of which may be empty. Numbers
    count as their words, and where words are divided does not count ("every body", "well-known")."""
    wanted, found = plain_words(said, language), plain_words(heard, language)
    places = []
    for kind, i, j, m, n in SequenceMatcher(None, wanted, found, autojunk=False).get_opcodes():
        if kind != "equal" and "".join(wanted[i:j]) != "".join(found[m:n]):
            places.append((" ".join(wanted[i:j]), " ".join(found[m:n])))
    return places


def count(places: list[tuple[str, str]]) -> int:
    """How many words are wrong."""
    return sum(max(len(said.split()), len(heard.split())) for said, heard in places)


def plain_words(text: str, language: str = "auto") -> list[str]:
    """Words as they are said, without capitals, accents and marks; language: its name."""
    text = normalise(text, sentence_language(language, text).name).casefold()
    text = re.sub(r"(?<=\w)['’](?=\w)", "", text)
    text = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return WORD.findall(unicodedata.normalize("NFC", text))


def language_code(language: str, text: str) -> str | None:
    """The ISO code for the recogniser; None where the text's letters do not tell the language."""
    found = sentence_language(language, text)
    return None if found.name == DEFAULT != language else found.code
