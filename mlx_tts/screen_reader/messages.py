"""What a screen reader wants to have spoken (SSML, a character, a key) -> words, and the marks between them."""

from __future__ import annotations

import html
import re
import string
import unicodedata
from dataclasses import dataclass

MOST_CHARACTERS = 2000  # of a segment: planning a longer one would delay its first sound
TAG = re.compile(r"<[/?!]?[A-Za-z][^<>]*>")
MARK = re.compile(r"<mark\b[^<>]*?\bname\s*=\s*(?:\"([^\"<>]*)\"|'([^'<>]*)')")
BREAKS = re.compile(r"<(?:break|/?p|/?s)\b")
SENTENCE_END = re.compile(r"[.!?:;…]\s|.[\n。！？]", re.DOTALL)  # and what stands behind it
SENTENCE_ENDS = frozenset(".!?:;…。！？；：\n")

# Signs whose names in Unicode are not what people call them.
SIGNS = {
    " ": "space",
    "\t": "tab",
    "\n": "new line",
    ".": "dot",
    ",": "comma",
    "-": "dash",
    "_": "underscore",
    "/": "slash",
    "\\": "backslash",
    "'": "apostrophe",
    '"': "quote",
    "`": "backtick",
    "(": "left paren",
    ")": "right paren",
    "[": "left bracket",
    "]": "right bracket",
    "{": "left brace",
    "}": "right brace",
    "<": "less than",
    ">": "greater than",
    "=": "equals",
    "+": "plus",
    "*": "star",
    "&": "and",
    "@": "at",
    "#": "number sign",
    "%": "percent",
    "$": "dollar",
    "|": "bar",
    "~": "tilde",
    "^": "caret",
    "!": "exclamation mark",
}

KEYS = ("space", "Return", "BackSpace", "Delete", "Tab", "Escape", "Left", "Right", "Up", "Down", "Home", "End")
KEYS_AND_SIGNS = (*string.ascii_lowercase, *string.digits, *".,-/:'", *KEYS)
# What Orca says most often by itself, as it writes it.
WORDS = ("blank", "selected", "unselected", "checked", "not checked", "expanded", "collapsed", "link", "visited link")

# What is named in a text, by speech-dispatcher's modes. Behind its name a sign stays where it shapes the sentence.
SOME = frozenset("#$%&*+/<=>@\\^_`|~")
MOST = SOME | frozenset('()[]{}"-:;')
NAMED = {"none": frozenset[str](), "some": SOME, "most": MOST, "all": MOST | frozenset(".,!?'")}
SHAPING = frozenset(".,!?:;")


@dataclass(frozen=True)
class Segment:
    """Words that are spoken in one go. marks: names, each with the number of characters of the text before it."""

    text: str
    marks: tuple[tuple[int, str], ...] = ()


def segments_of(ssml: str) -> list[Segment]:
    """A message of SPEAK. Tags that are not closed do no harm: a screen reader must not fall silent over them. A mark
    at the beginning of a sentence begins a segment; others stand in the midst of one."""
    text, marks = _without_tags(ssml.strip())
    cuts = {0, len(text)}
    for at, _ in marks:
        before = text[:at].rstrip(" \t")
        if not before or before[-1] in SENTENCE_ENDS:
            cuts.add(at)
    starts = sorted(cuts)
    segments = []
    for start, end in zip(starts, starts[1:] or [0], strict=False):
        last = end == len(text)
        own = [(at - start, name) for at, name in marks if start <= at < end or (last and at == end)]
        segments += _short(text[start:end], own)
    return segments


def _without_tags(ssml: str) -> tuple[str, list[tuple[int, str]]]:
    """The words, and each mark with the number of characters before it. What does not begin with <speak> is literal."""
    if not ssml.startswith("<speak"):
        return ssml, []
    words: list[str] = []
    marks: list[tuple[int, str]] = []
    length = done = 0
    for tag in TAG.finditer(ssml):
        found = html.unescape(ssml[done : tag.start()])
        if BREAKS.match(tag[0]):
            found += " "
        words.append(found)
        length += len(found)
        done = tag.end()
        if mark := MARK.match(tag[0]):
            marks.append((length, html.unescape(mark[1] if mark[1] is not None else mark[2])))
    words.append(html.unescape(ssml[done:]))
    return "".join(words), marks


def _short(text: str, marks: list[tuple[int, str]]) -> list[Segment]:
    """A segment, or several where it is long: cut behind a sentence, else between words."""
    segments = []
    while len(text) > MOST_CHARACTERS:
        window = text[:MOST_CHARACTERS]
        ends = [end for end in range(MOST_CHARACTERS // 2, MOST_CHARACTERS + 1) if SENTENCE_END.match(text, end - 2)]
        cut = ends[-1] if ends else window.rfind(" ") + 1 or MOST_CHARACTERS
        segments.append(Segment(text[:cut], tuple(mark for mark in marks if mark[0] < cut)))
        text, marks = text[cut:], [(at - cut, name) for at, name in marks if at >= cut]
    return [*segments, Segment(text, tuple(marks))]


def character(sign: str, says_capitals: bool = False) -> str:
    """A message of CHAR -> its words: "A." for a, "capital A." where wished, "question mark." for ?."""
    if sign == "space":
        return "space."
    if len(sign) > 1:
        return f"{sign}."  # speech-dispatcher has named it already
    if sign.isalnum():
        return f"capital {sign}." if says_capitals and sign.isupper() else f"{sign.upper()}."
    if sign in SIGNS:
        return f"{SIGNS[sign]}."
    return f"{unicodedata.name(sign, 'unknown sign').lower()}." if sign else ""


def everyday() -> list[str]:
    """The words of what people type all day, and what a screen reader says all day."""
    return [*(character(sign) for sign in KEYS_AND_SIGNS), *WORDS]


def key(name: str, says_capitals: bool = False) -> str:
    """A message of KEY -> its words: "control A." for control_a."""
    if name == "_":
        return character(name)
    parts = ["keypad" if part == "KP" else part for part in name.split("_") if part]
    if not parts:
        return ""
    return " ".join([*parts[:-1], character(parts[-1], says_capitals)])


def with_signs_named(segment: Segment, mode: str) -> Segment:
    """The segment with the signs in words that the mode (none, some, most, all) wants; its marks keep their places."""
    named = NAMED.get(mode, SOME)
    if not named.intersection(segment.text):
        return segment
    words, places = [], [0]
    for sign in segment.text:
        word = f" {character(sign)[:-1]}{sign if sign in SHAPING else ''} " if sign in named else sign
        words.append(word)
        places.append(places[-1] + len(word))
    return Segment("".join(words), tuple((places[at], name) for at, name in segment.marks))


def spelled(text: str, says_capitals: bool = False) -> str:
    """Letter by letter, as spelling mode has it."""
    return " ".join(character(sign, says_capitals) for sign in text if not sign.isspace())
