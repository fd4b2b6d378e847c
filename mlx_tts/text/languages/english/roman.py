"""Roman numerals -> English words, where what stands before says that they are numbers."""

from __future__ import annotations

import re

from mlx_tts.text.languages.english.numbers import cardinal, ordinal
from mlx_tts.text.normalise.rules import one_of, rule, words_of

VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
NUMERAL = r"(?=[IVXLCDM]+\b)M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})"
COUNTED = words_of(
    "Chapter Part Book Volume Section Act Scene Article Title Appendix Figure Table Plate Canto Stage Phase Type "
    "Class Grade Level Group Division Mark Unit Lesson Exercise Problem Theorem Amendment Annex Schedule Step "
    "Round Game Episode Season Saturn Apollo Gemini Rocky Rambo Opus War Bowl Olympiad Symphony Sonata Concerto "
    "Legion Factor Platform Vatican Titan Polaris Schedule CHAPTER PART BOOK VOLUME SECTION ACT SCENE ARTICLE"
)
REIGNED = words_of(
    "Henry Louis Charles Elizabeth George William James Edward Richard John Paul Pius Benedict Leo Catherine "
    "Peter Alexander Nicholas Frederick Philip Ferdinand Francis Napoleon Wilhelm Ivan Mary Ramesses Ramses "
    "Ptolemy Darius Xerxes Gregory Innocent Clement Urban Boniface Victor Margaret Harald Gustav Carl Christian "
    "Olaf Haakon Leopold Albert Rudolf Otto Maximilian Joseph Franz Mehmed Murad Selim Suleiman Robert David "
    "Kenneth Constantine Justinian Theodosius Artaxerxes Thutmose Amenhotep Mithridates Antiochus Cosimo "
    "Lorenzo Alfonso Sancho Pedro Manuel Afonso Stephen Casimir Sigismund Vladislaus Adrian Hadrian Julius Sixtus "
    "Martin Eugene Celestine Cleopatra"
)
NOT_NUMBERS = frozenset(("MIX", "DIM", "MM", "CD", "DC", "MD", "DI", "CV", "MC", "CC", "DM", "ID", "LCD", "DVD", "MI"))


def value(numeral: str) -> int:
    numbers = [VALUES[letter] for letter in numeral]
    return sum(-n if i + 1 < len(numbers) and n < numbers[i + 1] else n for i, n in enumerate(numbers))


def _counted(match: re.Match[str]) -> str:
    return f"{match['word']} {cardinal(value(match['numeral']))}"


def _reigned(match: re.Match[str]) -> str | None:
    numeral = match["numeral"]
    after = match.string[match.end() : match.end() + 12]
    if numeral == "I" and not re.match(r"(?:[’']s)?(?:[.,;:!?)]|\Z| (?:of|was|ruled|reigned|and)\b)", after):
        return None
    return f"{match['word']} the {ordinal(value(numeral))}"


def _century(match: re.Match[str]) -> str:
    return f"{ordinal(value(match['numeral']))} {match['noun']}"


def _sequel(match: re.Match[str]) -> str | None:
    numeral = match["numeral"]
    if numeral in NOT_NUMBERS or len(numeral) < 2 or set(numeral) - set("IVX"):
        return None
    return f"{match['word']} {cardinal(value(numeral))}"


LIST = r"(?P<more>(?:,? ?(?:and|or|to|–|-|&|,) ?[IVX]{1,6}\b){0,5})"
RULES = (
    rule(rf"\b(?P<word>(?:{one_of(COUNTED)})s?|(?:chapter|part|book|volume|section|act|scene|phase|type|stage|article"
         rf"|appendix))"
         rf" (?P<numeral>{NUMERAL})\b(?!['’-]?\w){LIST}",
         lambda m: _counted(m) + re.sub(r"[IVX]+", lambda n: cardinal(value(n[0])), m["more"])),
    rule(rf"\b(?P<word>{one_of(REIGNED)}) (?P<numeral>{NUMERAL})\b", _reigned),
    rule(r"\b(?P<numeral>[IVX]{1,5})(?:st|nd|rd|th|e)? (?P<noun>century|centuries|dynasty|legion)\b", _century),
    rule(r"\b(?P<word>[A-Z][a-z]+) (?P<numeral>[IVX]{2,6})\b(?!['’-]?\w)",
         lambda m: _sequel(m) if re.fullmatch(NUMERAL, m["numeral"]) else None),
    rule(rf"\A(?P<numeral>{NUMERAL})\.(?=\s*\Z|\s+[A-Z“\"])",
         lambda m: f"{cardinal(value(m['numeral'])).capitalize()}." if m["numeral"] not in ("C", "D", "M",
         "L") else None),
    rule(r"\A(?P<numeral>[IVX]{1,6})\Z", lambda m: cardinal(value(m["numeral"])) if re.fullmatch(NUMERAL,
         m[0]) else None),
)  # fmt: skip
