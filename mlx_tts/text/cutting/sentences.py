"""A paragraph -> its sentences; a sentence that is too long -> clauses. No number, abbreviation or address is cut."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

from mlx_tts.text.languages import AUTO, sentence_language

# Ends of "sentences" that go on, where the library's lists are too short: in Latin letters the same for all languages,
# since nobody need say which one a text is in.
UNFINISHED = r"M|MM|Mme|Mlle|St|Ste|Dr|Prof|z|d|u|B|[A-ZÀ-ÞА-Я]"
# The same before a number alone: "Ch. 3".
BEFORE_NUMBERS = re.compile(
    r"(?:^|[\s(«„“\"'])(?:(?i:chs?|chap|caps?|kap|secs?|figs?|abb|eqs?|vols?|bks?|bde?|pts|arts?|paras?|apps?|tab|eds?|apt|rm|rte|tel|tél"
    r"|págs?|pagg?|núm|num|pos|vv|ca|approx|aprox|max|máx|min|mín|mind))\.\s*$"
)
STRONG, WEAK = ";:；：—–", ",，、)）」』”»"
SPACED_MARKS = ";:,)”»"  # between digits and letters these do not end clauses: 10:30, 1,000
ABBREVIATION = 40  # characters, more than any has with the white space behind it
SEGMENTED = 4000
WINDOW = 2000
CLOSING = "。！？…；：，、,.;:!?)）」』”’»"


def split_sentences(paragraph: str, language: str) -> list[str]:
    """Joined (with single spaces where there were any), they are the paragraph again."""
    sentences: list[list[str]] = []
    goes_on = False
    known = sentence_language(language, paragraph[:2000])
    unfinished_end = _unfinished_end(known.unfinished, sentence_language(AUTO, paragraph[:2000]).unfinished)
    for segment_text, unfinished in _segments(known.sentences, paragraph):
        if sentences and (
            goes_on
            or not segment_text.strip()
            or unfinished_end.search(end := "".join(sentences[-1][-2:])[-ABBREVIATION:])
            or (segment_text.lstrip()[:1].isdecimal() and BEFORE_NUMBERS.search(end))
        ):
            sentences[-1].append(segment_text)
        elif segment_text.strip():
            sentences.append([segment_text])
        goes_on = unfinished
    return ["".join(parts) for parts in sentences]


@cache
def _unfinished_end(*own: str) -> re.Pattern[str]:
    """A number of a list, or an abbreviation: those of Latin letters, of the language and of the text's script."""
    words = "|".join(filter(None, (UNFINISHED, *own)))
    return re.compile(rf"\A\s*\d{{1,3}}[.)]\s*\Z|(?:^|[\s(«„“\"'])(?:{words})\.\s*$")


def _segments(code: str, paragraph: str) -> Iterator[tuple[str, bool]]:
    """The library's sentences, and whether one goes on in the next: it takes quadratic time for open quotes, so it is
    given a few thousand characters at a time, and the last sentence of them once more with those that follow."""
    from sentencex import segment

    at = 0
    while at < len(paragraph):
        taken = paragraph[at : at + SEGMENTED]
        more = at + SEGMENTED < len(paragraph)
        if more and (space := taken.rfind(" ", SEGMENTED // 2)) > 0:
            taken = taken[: space + 1]
        parts = list(segment(code, taken))
        if more and len(parts) > 1 and len(parts[-1]) < len(taken) // 2:
            parts.pop()
            yield from ((part, False) for part in parts)
        else:
            yield from ((part, more and part is parts[-1]) for part in parts)
        at += sum(map(len, parts))


def split_clauses(sentence: str, fits: Callable[[str], bool]) -> list[str]:
    """Cut so that each part fits, at the strongest mark in the second half of what fits, else between words."""
    parts = []
    start = 0
    while True:
        window = sentence[start : start + WINDOW]  # so that a very long line costs no more a part than a short one
        if fits(window) and start + WINDOW >= len(sentence):
            break
        at = _cut(window, _longest(window, fits))
        parts.append(window[:at])
        start += at
    rest = sentence[start:]
    return [*parts, rest] if rest.strip() else parts


def clauses(sentence: str) -> list[str]:
    """A sentence, cut after each mark and the white space that follows. Joined, the parts are the sentence again."""
    parts, start = [], 0
    for at in range(1, min(len(sentence), WINDOW)):
        if at > start and sentence[at - 1] in STRONG + WEAK and _may_cut(sentence, at):
            end = at
            while end < len(sentence) and sentence[end].isspace():
                end += 1
            if end < len(sentence):
                parts.append(sentence[start:end])
                start = end
    return [*parts, sentence[start:]]


def _longest(text: str, fits: Callable[[str], bool]) -> int:
    """How many characters of the text fit, at least one."""
    low, high = 1, min(len(text), 64)
    while high < len(text) and fits(text[:high]):
        low, high = high, high * 2
    high = min(high, len(text))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(text[:middle]) else (low, middle - 1)
    return low


def _cut(text: str, end: int) -> int:
    """Where to cut at or before `end`."""
    for marks in (STRONG, WEAK):
        for at in range(end, end // 2, -1):
            if text[at - 1] in marks and _may_cut(text, at):
                return at
    for at in range(end, 0, -1):
        # Not behind a full stop: without a sentence's end there it is an abbreviation's.
        if text[at - 1].isspace() and text[: at - 1].rstrip()[-1:] not in (".", "") and _may_cut(text, at):
            return at
    for at in range(end, 0, -1):
        if _may_cut(text, at) and not (_is_word(text[at - 1]) and _is_word(text[at])):
            return at
    return end  # one word longer than all that fits


def _may_cut(text: str, at: int) -> bool:
    """Whether a cut before text[at] keeps numbers whole and leaves no part that begins with a closing mark."""
    if at >= len(text):
        return True
    before, after = text[at - 1], text[at]
    if after in CLOSING:
        return False
    if before in SPACED_MARKS and not after.isspace() and ord(after) < 0x2E80:
        return False
    left = text[max(0, at - 20) : at].rstrip()
    return not (left[-1:].isdigit() and text[at : at + 20].lstrip()[:1].isdigit())


def _is_word(character: str) -> bool:
    """Part of a word that must stay whole; scripts without spaces have none."""
    code = ord(character)
    return not character.isspace() and not 0x2E80 <= code < 0xAC00 and not 0xF900 <= code < 0xFFE0 and code < 0x20000
