"""A recording's transcript: what is wrong with it, and how what a recogniser heard differs from what was to be said."""

from __future__ import annotations

import re
import unicodedata
from difflib import SequenceMatcher

from mlx_tts.text.cutting.pace import expected_seconds
from mlx_tts.text.language_guess import foreign_to
from mlx_tts.text.languages import DEFAULT, sentence_language
from mlx_tts.text.normalise.normaliser import normalise

SHORTEST, LONGEST = 0.5, 1.9  # times the ordinary pace: hurried speech, and slow speech with pauses
INSTEAD = "give exactly the words of the recording, or leave the transcript out to clone by the speaker vector alone"


def transcript_fault(transcript: str, seconds: float) -> str | None:
    """Whether the words cover the recording; a clone that is told fewer or more words than it hears collapses."""
    expected = expected_seconds(transcript)
    if SHORTEST * expected <= seconds <= LONGEST * expected:
        return None
    what = "not all of the recording" if seconds > expected else "more than the recording holds"
    return (
        f"the transcript seems to be {what} (its words take about {expected:.0f} s, the recording {seconds:.0f} s): "
        + INSTEAD
    )


def language_fault(transcript: str, language: str | None) -> str | None:
    """Whether the words are in another language than the one that was asked for."""
    if language in (None, "auto"):
        return None
    found = foreign_to(transcript, [str(language)])
    if found is None:
        return None
    return f"the transcript reads like {found.capitalize()}, not {str(language).capitalize()}: check --language"


# A whole number that stands alone.
NUMBER = re.compile(r"(?<![\w.,:/$€£¥-])(?:\d{1,3}(?:[.,]\d{3}){1,3}|\d{2,9})(?![\w%€£/:-]|[.,]\d| ?[%€£$])")
# A word; in scripts without spaces a character.
WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\u3040-\u30ff\u3400-\u9fff]+")


def differences(said: str, heard: str, language: str = "auto") -> list[tuple[str, str]]:
    """Each place where they differ: the words of `said` and those of `heard`, either of which may be empty. Numbers
    count by their value, however they are said ("2399" is "twenty-three ninety-nine" and "two thousand three hundred
    ninety-nine"), and where words are divided does not count ("every body", "well-known")."""
    heard = _said_alike(heard, said, language)
    wanted, found = plain_words(_said_alike(said, heard, language), language), plain_words(heard, language)
    places = []
    for kind, i, j, m, n in SequenceMatcher(None, wanted, found, autojunk=False).get_opcodes():
        if kind != "equal" and "".join(wanted[i:j]) != "".join(found[m:n]):
            places.append((" ".join(wanted[i:j]), " ".join(found[m:n])))
    return places


def _said_alike(text: str, other: str, language: str) -> str:
    """The text with its whole numbers in the words that the other text has for them, where it has any."""
    if not NUMBER.search(text):
        return text
    words = f" {' '.join(plain_words(other, language))} "

    def found(match: re.Match[str]) -> str:
        for written in _ways(re.sub(r"\D", "", match[0])):
            said = plain_words(written, language)
            if f" {' '.join(said)} " in words:
                return " ".join(said)
        return match[0]

    return NUMBER.sub(found, text)


def _ways(digits: str) -> list[str]:
    """How the number may be written so that it is read as a year or a name, as an amount, in pairs and by digits."""
    pairs = [digits[max(0, end - 2) : end] for end in range(len(digits), 0, -2)][::-1]
    whole = f"{int(digits):,}"
    return [digits, whole, whole.replace(",", "."), " ".join(pairs), " ".join(digits)]


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
