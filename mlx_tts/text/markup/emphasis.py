"""**bold**, *soft*, ~~struck~~ and `code` -> the words: marks are paired with a stack, in one pass over the text."""

from __future__ import annotations

import re
from collections.abc import Callable

RUN = re.compile(r"`+|(?:\*{1,3}|_{1,3}|~~)(?![*_~`])|[*_~]+")
MARKS = ("***", "**", "*", "___", "__", "_", "~~")


def without_emphasis(text: str) -> str:
    """What is no markup ("2 * 3", "snake_case", "5*6*7") stays."""
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
