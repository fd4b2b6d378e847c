"""What reads Russian: the European reader, with prepositions that fit the words behind them."""

from __future__ import annotations

import re

from mlx_tts.text.normalise.engine import Span
from mlx_tts.text.normalise.european_rules import EuropeanReader

# Before "second" and "hundred" a preposition of one consonant has a vowel.
ALONE = re.compile(r"(?<![^\W_])([ВвСсКк]) \Z")
NEEDS_A_VOWEL = {"в": re.compile(r"втор"), "с": re.compile(r"втор|ст[аоу]"), "к": re.compile(r"втор|ст[ау]\b")}
WITHIN = re.compile(r"(?<![^\W_])(?P<p>[ВвСсКк]) (?=(?P<word>втор|ст[аоу])(?P<end>[а-яё]*))")


def fitted(match: re.Match[str]) -> str:
    preposition = match["p"].lower()
    return f"{match['p']}{'о' if NEEDS_A_VOWEL[preposition].match(match['word'] + match['end']) else ''} "


class RussianReader(EuropeanReader):
    def __call__(self, text: str, variant: str = "") -> list[Span]:
        spans = []
        last = 0
        for span in super().__call__(text, variant):
            if span.words and re.search(r"\d", text[span.start : span.end]):
                words = WITHIN.sub(fitted, span.words)
                before = ALONE.search(text[max(last, span.start - 3) : span.start])
                if before and NEEDS_A_VOWEL[before[1].lower()].match(words):
                    at = span.start - 2
                    spans.append(Span(at, at + 1, span.rule, f"{before[1]}о"))
                span = span._replace(words=words)
            spans.append(span)
            last = span.end
        return spans
