"""Written text -> spans: where a form stands, which rule knows it, and the words that are said for it.

All rules look at the text as it was written; the longest span wins, then the rule that stands first,
    and words are never
read again. A form is said whole or left: a run of characters without a blank that has a digit is covered by spans to
its end, or none of it is changed.

Every pattern must take linear time: it begins where a lookbehind forbids to begin inside the same run of characters,
and its repeats are bounded or cannot overlap.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

# A digit of any form, or a sign that stands for a number.
NUMERIC = re.compile(r"[\d²³¹⁰⁴-⁹₀-₉¼-¾⅐-⅞Ⅰ-ⅿ]")
# Writing without blanks between words: there a run ends.
UNSPACED = "\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef"
RUN = re.compile(
    rf"[^\s{UNSPACED}]+(?:(?:(?<=\d) (?=[A-Za-z°µ%~]{{1,4}}/\d|\d{{3}}/\d)|(?<=/\d) (?=\d{{3}}(?!\d)))"
    rf"[^\s{UNSPACED}]+){{0,5}}"
)
# What may stand around a form that was said: it is a pause or nothing to the ear.
QUIET = re.compile(r"[\s.,;:!?…'\"’‘“”„«»‹›¿¡()\[\]{}*_~|·•‐‑‒–—-]*")
CHOICES = 3  # how often spans are chosen when some of them are refused
SPACED_LETTER = re.compile(rf"[^\W_{UNSPACED}]")
# One character for those that look alike, so that places in a text stay what they are.
SIGNS = str.maketrans({"\u00a0": " ", "\u202f": " ", "\u2009": " ", "\u2007": " ", "\u2212": "-", "\u2010": "-",
                       "\u2011": "-", "\u2012": "–", "\u2044": "/", "μ": "µ", "％": "%", "：": ":", "＋": "+",
                       **{chr(0xFF10 + digit): str(digit) for digit in range(10)}})  # fmt: skip


class UnspeakableError(ValueError):
    """A rule raises it for a form that it cannot say whole."""


class Span(NamedTuple):
    """words: None claims the place, and leaves it as it is written."""

    start: int
    end: int
    rule: str
    words: str | None


Words = Callable[[re.Match[str]], str | None]


class Rule:
    """words: what is said for a match; None: the rule does not know it. Hundreds of patterns take long to compile, and
    most texts need few of them, so each is compiled when a text first asks for it."""

    def __init__(self, written: str, words: Words, flags: int = 0):
        self.words, self._written, self._flags = words, written, flags

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(self._written, self._flags)


class Kind(NamedTuple):
    """Rules for one kind of form. tells: what a text has in which any of them finds something. Most sentences have
    little of it, and a search for a few characters costs a hundredth of trying all rules."""

    name: str
    tells: re.Pattern[str]
    rules: tuple[Rule, ...]


def text_before(match: re.Match[str], characters: int) -> str:
    """What stands before a form, at most so many characters of it."""
    return match.string[max(0, match.start() - characters) : match.start()]


def text_after(match: re.Match[str], characters: int) -> str:
    """What stands behind a form, at most so many characters of it: a rule that looks at all that follows makes the time
    of a long text quadratic."""
    return match.string[match.end() : match.end() + characters]


@lru_cache(maxsize=64)
def mentions(pattern: re.Pattern[str], text: str) -> bool:
    """Whether a text has a word of a subject. Rules ask it at each of their matches, so the answer is kept."""
    return pattern.search(text) is not None


def rule(pattern: str, words: Words | str, flags: int = 0) -> Rule:
    """words: a function of the match, or a template such as r"\\1 percent"."""
    if isinstance(words, str):
        template = words
        return Rule(pattern, lambda match: match.expand(template), flags)
    return Rule(pattern, words, flags)


def one_of(words: Iterable[str]) -> str:
    """An alternation that tries longer words first."""
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


def words_of(text: str) -> tuple[str, ...]:
    """A list of words as data: "a b c" reads better than a line for each."""
    return tuple(text.split())


def recognise(text: str, kinds: Iterable[Kind], endings: bool = False) -> list[Span]:
    """The spans of a text, in their order. endings: whether letters may follow a spoken form behind a hyphen, as in
    "5-point"; where numbers are inflected, they are an ending that would be left over."""
    candidates: list[tuple[int, int, Span]] = []
    order = 0
    for kind in kinds:
        if not kind.tells.search(text):
            continue
        for each in kind.rules:
            order += 1
            for match in each.pattern.finditer(text):
                span = _span(match, each.words, kind.name)
                if span is not None:
                    candidates.append((span.start - span.end, order, span))
    for _ in range(CHOICES):
        if not candidates:
            return []
        chosen = _longest(text, candidates)
        kept = _whole(text, chosen, endings)
        if len(kept) == len(chosen):
            break
        refused = set(chosen).difference(kept)  # a shorter span may say the whole of what they said by halves
        candidates = [candidate for candidate in candidates if candidate[2] not in refused]
    return kept


def _span(match: re.Match[str], words: Words, name: str) -> Span | None:
    try:
        said = words(match)
    except UnspeakableError:
        return None
    if said is None or match.end() == match.start() or re.search(r"\d", said):
        return None
    return Span(match.start(), match.end(), name, said)


def _longest(text: str, candidates: list[tuple[int, int, Span]]) -> list[Span]:
    candidates.sort()
    taken = bytearray(len(text))
    chosen = []
    for _, _, span in candidates:
        if not any(taken[span.start : span.end]):
            taken[span.start : span.end] = b"\1" * (span.end - span.start)
            chosen.append(span)
    return sorted(chosen)


def _whole(text: str, spans: list[Span], endings: bool) -> list[Span]:
    """The spans without those that would say a part of a run."""
    runs = [match.span() for match in RUN.finditer(text) if NUMERIC.search(match[0])]
    while True:
        covered = bytearray(len(text))
        for span in spans:
            covered[span.start : span.end] = b"\1" * (span.end - span.start)
        halves = [
            run for run in runs if any(covered[run[0] : run[1]]) and not _said_to_its_end(text, run, covered, endings)
        ]
        if not halves:
            return spans
        wrong = bytearray(len(text))
        for start, end in halves:
            wrong[start:end] = b"\1" * (end - start)
        spans = [span for span in spans if not any(wrong[span.start : span.end])]


def _said_to_its_end(text: str, run: tuple[int, int], covered: bytearray, endings: bool) -> bool:
    at, last = run
    while at < last:
        end = covered.find(not covered[at], at, last)
        end = last if end < 0 else end
        if not covered[at]:
            rest = text[at:end]
            before, after = at > run[0], end < last
            if NUMERIC.search(rest):
                return False
            if before and after and text[at - 1].isdigit() and text[end].isdigit() and rest != "(":
                return False
            if not QUIET.fullmatch(rest):
                if not QUIET.fullmatch(re.sub(r"[^\W\d_]", "", rest)):
                    return False
                if (before and rest[0].isalpha()) or (after and rest[-1].isalpha()):
                    return False
                if before and not endings and re.match(r"[-‐‑'’.]{1,2}[^\W\d_]", rest) and rest[1:2].islower():
                    return False
        at = end
    return True


def speak(text: str, spans: Sequence[Span]) -> str:
    """The text with the words of the spans in their places, and a blank between words that would be glued."""
    said: list[str] = []
    last = ""  # the character before
    at = 0
    for span in spans:
        if span.words is None:
            continue
        if span.start > at:
            last = _join(said, last, text[at : span.start])
        words = span.words.strip()
        at = span.end
        if words:
            if span.words[0] == " " and last and not last.isspace():
                last = _join(said, last, " ")
            last = _join(said, last, words)
            if span.words[-1] == " " and at < len(text) and not text[at].isspace() and text[at] not in ".,;:!?)":
                last = _join(said, last, " ")
        elif last in ("", " ") and text[at : at + 1] == " ":
            at += 1
        elif last == " " and text[at : at + 1] in (",", ".", ";", ":", "!", "?"):
            said[-1] = said[-1][:-1]
            last = said[-1][-1:]
    _join(said, last, text[at:])
    return "".join(said)


def _join(said: list[str], last: str, words: str) -> str:
    """Add words behind a character; gives the last one of them."""
    if SPACED_LETTER.match(last) and SPACED_LETTER.match(words):
        said.append(" ")
    said.append(words)
    return words[-1:] or last
