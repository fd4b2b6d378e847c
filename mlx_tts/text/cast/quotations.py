"""A chapter -> paragraphs, each cut into what is quoted and what is told. Put together, the parts are the chapter."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from mlx_tts.text.cast.speech_words import SpeechWords

PARAGRAPH = re.compile(r"[^\r\n](?:[^\n]|\n(?![ \t\r]*(?:\n|$)))*")
DASHED = re.compile(r"[ \t]*[—–―]|[ \t]*-{1,2} ")
# An opening mark, its closing one, and the nested marks that may look like it.
STYLES = {
    "“": re.compile(r"“[^“”]*(?:“[^“”]*”[^“”]*)*(?P<closed>”)?"),
    '"': re.compile(r'"[^"]*(?P<closed>")?'),
    "«": re.compile(r"«[^«»]*(?:«[^«»]*»[^«»]*)*(?P<closed>»)?"),
    "„": re.compile(r"„[^„“”]*(?P<closed>[“”])?"),
    "»": re.compile(r"»[^«»]*(?P<closed>«)?"),
    # Single marks are apostrophes as well: one that closes stands behind a mark of a sentence or a dash.
    "‘": re.compile(r"(?<!\w)‘(?:[^‘’]|(?<![.,!?;:—…-])’|’(?=\w)|‘[^‘’]*’)*(?P<closed>’)?"),
    "'": re.compile(r"(?<![\w'])'(?=\S)(?:[^']|(?<![.,!?;:—…_*-])'|'(?=\w))*(?P<closed>')?"),
    "`": re.compile(r"`(?:[^`']|(?<![.,!?;:—…-])'|'(?=\w))*(?P<closed>')?"),
}
RUSSIAN_CUT = re.compile(r"(?<=[,.:!?…»])[ \t\n]+[—–-]{1,2}[ \t\n]+")
SPANISH_CUT = re.compile(r"(?<=\s)[—–](?=[^\W\d_])|(?<=\w)[—–](?=[.,;:!?]|\s|$)")
LEAST_SHARE = 0.1  # of the commonest style, for a style that counts as well


class Stretch(NamedTuple):
    """Characters of the chapter from `start` to before `end`. open: a quotation that its paragraph does not close."""

    start: int
    end: int
    quoted: bool
    open: bool = False


@dataclass(frozen=True)
class Paragraph:
    """parts: in order, without gaps. What stands between paragraphs belongs to none."""

    start: int
    end: int
    parts: tuple[Stretch, ...]

    @property
    def quotes(self) -> list[Stretch]:
        return [part for part in self.parts if part.quoted]


def style_of(texts: Sequence[str]) -> tuple[str, bool]:
    """The opening mark that a book's quotations have, and whether dashes begin lines of dialogue."""
    counts: Counter[str] = Counter()
    for text in texts:
        for match in re.finditer(r"(?:^|(?<=[\s(—–-]))[“\"«„»‘'`](?=\S)|(?:^|(?<=\s))«(?=\s)", text):
            counts[match[0]] += 1
        # »…« and «…» share their marks: the first of a pair says which one it is.
        counts["dash"] += sum(1 for match in PARAGRAPH.finditer(text) if DASHED.match(match[0]))
    dashes = counts.pop("dash", 0)
    for single in ("'", "`"):  # apostrophes also begin words ('tis), and code has accents
        counts[single] //= 2
    style, count = max(counts.items(), key=lambda entry: entry[1], default=("“", 0))
    return style, dashes > 0 and dashes >= LEAST_SHARE * count


def paragraphs_of(text: str, style: str, has_dashes: bool, words: SpeechWords) -> list[Paragraph]:
    found = []
    for match in PARAGRAPH.finditer(text):
        is_dashed = has_dashes and DASHED.match(match[0])
        quotes = _dashed(match[0], words) if is_dashed else _marked(match[0], style, words)
        found.append(_paragraph(match.start(), match[0], quotes))
    return found


def _paragraph(start: int, text: str, quotes: list[tuple[int, int, bool]]) -> Paragraph:
    parts, at = [], 0
    for begin, end, is_open in quotes:
        if begin > at:
            parts.append(Stretch(start + at, start + begin, False))
        parts.append(Stretch(start + begin, start + end, True, is_open))
        at = end
    if at < len(text):
        parts.append(Stretch(start + at, start + len(text), False))
    return Paragraph(start, start + len(text), tuple(parts))


def _marked(text: str, style: str, words: SpeechWords) -> list[tuple[int, int, bool]]:
    quotes = []
    for match in STYLES[style].finditer(text):
        end = len(text[: match.end()].rstrip()) if match["closed"] is None else match.end()
        if any(map(str.isalnum, match[0])):
            for begin, stop in _without_tags(text, match.start(), end, words):
                quotes.append((begin, stop, match["closed"] is None and stop == end))
    return quotes


def _without_tags(text: str, start: int, end: int, words: SpeechWords) -> list[tuple[int, int]]:
    """French and Russian say who speaks within the quotation: "Oui, dit-il, je viens", «Да, — думал он, — иду»."""
    if words.inverted_inside:
        title = r"(?:(?:le|la|l['’]|Mr?\.|Mmes?|Mrs\.|Dr\.|madame|monsieur|mademoiselle)\s?)?"
        subject = rf"(?:{'|'.join(words.pronouns)}|{title}\w+(?:\s+[A-ZÀ-Ý]\w+){{0,2}})"
        object_ = r"(?:(?:lui|leur|me|nous|se)\s)?"  # "lui dit-il"
        # Whatever verb stands in "demandai-je", and in front of a name: "ricana Jean."
        titles = "|".join(map(re.escape, words.titles))
        verb = rf"(?:(?:{words.verbs})|(?:{words.any_verb})(?=-|\s+(?:(?:{titles})\s+)?[A-ZÀ-Ý]\w+(?:[.,;:!]|$)))"
        inverted = rf"(?:{object_}{verb}(?:-t)?[\s-]{subject})(?!\w)"
        tag = re.compile(rf"(?<=[,!?…»])\s+{inverted}[^,.;:!?«»—]{{0,80}}[,.;:!]?")
    elif words.dashed_inside and text[start] == "«":
        tag = re.compile(rf"(?<=[,!?….])\s+[—–](?=\s(?:\w+\s){{0,3}}(?:{words.verbs})\s)[^«»—–]{{0,200}}(?:[—–]|$)")
    else:
        return [(start, end)]
    spans, at = [], start
    for match in tag.finditer(text, start, end):
        spans.append((at, match.start()))
        at = match.end()
    spans.append((at, end))
    kept = []
    for begin, stop in spans:
        while begin < stop and text[begin].isspace():
            begin += 1
        while stop > begin and text[stop - 1].isspace():
            stop -= 1
        if any(map(str.isalnum, text[begin:stop])):
            kept.append((begin, stop))
    return kept


def _dashed(text: str, words: SpeechWords) -> list[tuple[int, int, bool]]:
    """A paragraph that begins with a dash: words, then what is told between dashes, then words again."""
    verb = re.compile(
        rf"(?:\w+\s+){{0,3}}(?:{words.verbs})\b|(?:{words.adverbs}\s+)?(?:{words.any_verb})\s", re.IGNORECASE
    )
    begun = DASHED.match(text)
    at = begun.start() if begun else 0
    end = len(text.rstrip())
    cuts = [match for pattern in (RUSSIAN_CUT, SPANISH_CUT) for match in pattern.finditer(text, at + 2)]
    quotes: list[tuple[int, int]] = []
    told = False
    for match in sorted(cuts, key=lambda match: match.start()):
        after = text[match.end() :].lstrip()
        if told:
            told, at = False, match.end()
        elif after[:1].islower() and (verb.match(after) or "—" not in after[1:40]):
            quotes.append((at, match.start()))
            told = True
    if not told:
        quotes.append((at, end))
    split = [span for begin, stop in quotes for span in _without_tags(text, begin, stop, words)]
    return [(begin, stop, False) for begin, stop in split if any(map(str.isalnum, text[begin:stop]))]
