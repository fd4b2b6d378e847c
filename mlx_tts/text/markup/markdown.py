"""Text as people and programs write it -> text as it is spoken: no NULs, no markup, no pictures.

This works on one paragraph of any text; `source/markdown_document.py` parses whole Markdown files. All patterns take
linear time: none of their repeats can begin again inside what it has just scanned in vain."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable
from html.entities import html5

from mlx_tts.text.phonemes.phones import MARK, parts

FENCE = re.compile(r"^[ \t]*+(?:```|~~~).*$", re.MULTILINE)
TAG = re.compile(r"</?([A-Za-z][A-Za-z0-9-]*+)(?:\s[^<>]*+)?/?>")
# Tags that separate nothing.
INSIDE_WORDS = {"a", "abbr", "b", "cite", "code", "em", "i", "mark", "q", "s", "small", "span", "strong", "u"}
AUTOLINK = re.compile(r"<((?:https?://|mailto:)[^\s<>]++|[^\s<>@/]++@[^\s<>@]++)>")
ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
TARGET = r"\([^()\s]*+(?:\([^()\s]*+\)[^()\s]*+)?+(?:\s\"[^\"()]*+\")?\)"
IMAGE = re.compile(rf"!\[([^\[\]]*+)\]{TARGET}")
LINK = re.compile(rf"(?<!!)\[([^\[\]]++)\](?:{TARGET}|\[[^\[\]]*+\])")
FOOTNOTE = re.compile(r"\[\^[^\[\]\s]{1,60}\]")
DEFINITION = re.compile(r"^[ ]{0,3}\[[^\[\]\n]{1,200}\]:[ \t]*+\S.*$", re.MULTILINE)
STRAY = re.compile(r"\*{2,}+|(?<!\w)_{2,}+(?=\w)|(?<=[^\W_])_{2,}+(?!\w)")  # marks whose other end is elsewhere
LINE_MARK = re.compile(r"^[ \t]{0,3}(?:#{1,6}[ \t]++|>[ \t]?|[-*+•][ \t]++(?=\S))(?:\[[ xX]\][ \t]++)?", re.MULTILINE)
RULE = re.compile(r"^[ \t]*+(?:[-*_=][ \t]*+){3,}+$|^[ \t]*+\|?+[ \t]*+:?+---[^\n|]*+\|.*$", re.MULTILINE)
TABLE_ROW = re.compile(r"^[ \t]*+\|(.*)\|[ \t]*+$", re.MULTILINE)
SUBSCRIPT = re.compile(r"(?<=\w)~([^~\s]{1,20})~|(?<=\w)\^([^\^\s]{1,20})\^")
DISPLAYED = re.compile(r"\$\$[^$]*+\$\$")  # formulas on lines of their own
EMOJI = re.compile("[\U0001f000-\U0001faff\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\ufe0f\u200d\U000e0000-\U000e007f]+")
SPACES = re.compile(r"[ \t\u00a0\u2000-\u200a\u3000]+")
COLOR = re.compile(r"\x1b\[[0-9;?]{0,40}[A-Za-z]")  # what terminals take for colours and cursors

# On one letter: more than any script writes. Libraries that put marks in order take quadratic time, and a model would
# be given pieces of nothing else.
MOST_MARKS = 10

VERSE_COLUMNS, SHORT_COLUMNS, CJK_COLUMNS = 60, 40, 20  # longer lines are wrapped prose


def printable(text: str) -> str:
    """Without what no tokenizer reads or nobody says: lone surrogates, NULs and other controls, marks of direction, and
    heaps of marks on one letter."""
    text = COLOR.sub("", text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n\n"))
    text = without_lone_surrogates(text)
    if MARK in text:  # pronunciations that markup has given
        return "".join(part if at % 2 else _printable(part) for at, part in enumerate(parts(text)))
    return _printable(text)


def _printable(text: str) -> str:
    kept: list[str] = []
    marks = 0  # combining ones, in a row
    for c in text:
        kind = unicodedata.category(c) if c > "~" or c < " " else ""
        if c in "\n\t" or (kind not in ("Cc", "Cs", "Cn", "Co") and c not in "\ufeff\u200b\u2060"):
            marks = marks + 1 if kind in ("Mn", "Me") else 0
            if marks <= MOST_MARKS:
                kept.append(c)
    return "".join(kept)


def without_lone_surrogates(text: str) -> str:
    """Pairs become letters; lone halves, which no encoding has, go."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "ignore")


def without_markup(text: str) -> str:
    """Markdown and HTML -> the words; what is not markup ("2 * 3 < 7", "snake_case") stays."""
    text = TAG.sub(_in_place_of_tag, without_comments(AUTOLINK.sub(r"\1", text)))
    text = RULE.sub("", FENCE.sub("", DEFINITION.sub("", text)))
    text = TABLE_ROW.sub(_row, DISPLAYED.sub("", text))
    text = LINE_MARK.sub("", text)
    text = LINK.sub(r"\1", IMAGE.sub(r"\1", FOOTNOTE.sub("", text)))
    text = SUBSCRIPT.sub(r"\1\2", without_emphasis(text))
    return ENTITY.sub(_entity, STRAY.sub("", text))


def _entity(match: re.Match[str]) -> str:
    """A number's or a known name's letter; html.unescape would also take the beginning of an unknown name."""
    return html.unescape(match[0]) if match[0][1] == "#" or match[0][1:] in html5 else match[0]


def without_comments(text: str) -> str:
    """Without <!-- comments -->; one that does not end is not a comment."""
    parts, at = [], 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        parts.append(text[at:start])
        at = end + 3
    return " ".join([*parts, text[at:]])


def _row(match: re.Match[str]) -> str:
    cells = [cell.strip() for cell in match[1].split("|")]
    return ", ".join(cell for cell in cells if cell)


def is_spoken(text: str) -> bool:
    """Whether there is anything to say in it: a letter or a digit of any script."""
    return any(unicodedata.category(c)[0] in "LN" for c in text)


def _in_place_of_tag(tag: re.Match[str]) -> str:
    return "" if tag[1].lower() in INSIDE_WORDS else " "


def clean(text: str, markup: bool = True, verse: bool = False) -> str:
    """One paragraph -> one line of speakable text, or "" when nothing in it is spoken.

    verse: lines that are meant as lines (poems, addresses, lists) get a comma's pause at their end."""
    text = printable(text)
    if markup:
        text = without_markup(text)
    text = EMOJI.sub("", text)
    lines = [line for line in text.split("\n") if line.strip()]
    text = _with_pauses(lines) if verse and _are_lines(lines) else join_lines(text)
    text = SPACES.sub(" ", text).strip()
    return text if is_spoken(text) else ""


def join_lines(text: str) -> str:
    """Hard-wrapped lines -> one; scripts without spaces between words get none."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    joined: list[str] = []
    for line in lines:
        spaced = joined and not (_is_spaceless(joined[-1][-1]) and _is_spaceless(line[0]))
        joined.append(f" {line}" if spaced else line)
    return "".join(joined)


def _are_lines(lines: list[str]) -> bool:
    """Whether line ends are meant: lines are short, and begin as sentences, names or numbers do."""
    if len(lines) < 2:
        return False
    stripped = [line.strip() for line in lines]
    longest = max(map(len, stripped))
    if any(_is_spaceless(line[0]) for line in stripped):
        return len(lines) > 2 and longest <= CJK_COLUMNS
    begin = all(not line.lstrip("\"'“‘«(").strip()[:1].islower() for line in stripped[1:])
    return (begin and longest <= VERSE_COLUMNS) or (len(lines) > 2 and longest <= SHORT_COLUMNS)


def _with_pauses(lines: list[str]) -> str:
    said: list[str] = []
    for line in (line.strip() for line in lines):
        if said and said[-1][-1].isalnum():
            said[-1] += "，" if _is_spaceless(said[-1][-1]) else ","
        said.append(line)
    return join_lines("\n".join(said))


def _is_spaceless(character: str) -> bool:
    code = ord(character)
    return 0x3000 <= code < 0xA000 or 0xF900 <= code < 0xFB00 or 0xFF00 <= code < 0xFFE0 or code >= 0x20000


RUN = re.compile(r"`+|(?:\*{1,3}|_{1,3}|~~)(?![*_~`])|[*_~]+")
MARKS = ("***", "**", "*", "___", "__", "_", "~~")


def without_emphasis(text: str) -> str:
    """**bold**, *soft*, ~~struck~~ and `code` -> the words: marks are paired with a stack, in one pass over the text.

    What is not markup ("2 * 3", "snake_case", "5*6*7") stays."""
    if not any(mark in text for mark in "*_~`"):
        return text
    runs = [(match.start(), match.end()) for match in RUN.finditer(text)]
    dropped = _code(text, runs)
    inside = _spans(dropped)
    marks = [(start, end) for start, end in runs if text[start] != "`" and not inside(start)]
    for start, end in _paired(text, marks):
        dropped.append((start, end, start, end))
    parts, at = [], 0
    for start, end in sorted({span for four in dropped for span in (four[:2], four[2:])}):
        parts.append(text[at:start])
        at = end
    return "".join([*parts, text[at:]])


def _code(text: str, runs: list[tuple[int, int]]) -> list[tuple[int, int, int, int]]:
    """Runs of backquotes and the next of the same length: what stands between them is as it is."""
    ticks = [(start, end) for start, end in runs if text[start] == "`"]
    following: dict[int, int] = {}  # length -> the nearest run behind
    nearest: list[int | None] = [None] * len(ticks)
    for number in range(len(ticks) - 1, -1, -1):
        length = ticks[number][1] - ticks[number][0]
        nearest[number] = following.get(length)
        following[length] = number
    pairs, number = [], 0
    while number < len(ticks):
        other = nearest[number]
        if other is None:
            number += 1
            continue
        pairs.append((*ticks[number], *ticks[other]))
        number = other + 1
    return pairs


def _spans(pairs: list[tuple[int, int, int, int]]) -> Callable[[int], bool]:
    """A question asked of growing positions: does it lie inside one of the pairs?"""
    waiting = list(reversed(pairs))

    def inside(position: int) -> bool:
        while waiting and waiting[-1][3] <= position:
            waiting.pop()
        return bool(waiting) and waiting[-1][0] <= position

    return inside


def _paired(text: str, runs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The runs that open or close: the innermost open one of the same marks belongs to a closing one."""
    open_at: dict[str, list[tuple[int, int]]] = {mark: [] for mark in MARKS}
    found: list[tuple[int, int]] = []
    for start, end in runs:
        mark = text[start:end]
        if mark not in open_at:
            continue
        before, after = text[start - 1 : start], text[end : end + 1]
        opens = bool(after) and not after.isspace()
        closes = bool(before) and not before.isspace()
        if len(mark) == 1 or mark[0] == "_":  # inside a word these are letters and signs
            opens = opens and not (before.isalnum() or before == mark)
            closes = closes and not (after.isalnum() or after == mark)
        if closes and open_at[mark] and "\n" not in _line(text, open_at[mark][-1][1], start, mark):
            found += [open_at[mark].pop(), (start, end)]
        elif closes and len(mark) == 3 and open_at[mark[0]] and open_at[mark[:2]]:
            found += [open_at[mark[0]].pop(), open_at[mark[:2]].pop(), (start, end)]  # two that end together
        elif opens:
            open_at[mark].append((start, end))
    return found


LONGEST_SOFT = 5000  # characters between two single marks


def _line(text: str, start: int, end: int, mark: str) -> str:
    """What may hold no line end: the text between single marks, as lists and products begin lines with them."""
    if len(mark) > 1:
        return ""
    return text[start:end] if end - start <= LONGEST_SOFT else "\n"
