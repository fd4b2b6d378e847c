"""A plain text with a table of contents -> where the chapters of that table begin, if its titles come again.

"Dubliners" has titles alone, without a number or a word such as "Chapter": only its table of contents says which
paragraphs are headings. The table ends where one of its lines comes again.
"""

from __future__ import annotations

import re
from bisect import bisect_left

HEADING = re.compile(
    r"^(?!\n)[ \t\f\ufeff_*=]*+(?:(?:table of )?contents|"
    r"inhalt(?:sverzeichnis)?|table des mati[eè]res|[ií]ndice|sommaire|"
    r"оглавление|содержание|目[录錄次])[ \t_*=.:]*\r?$",
    re.MULTILINE | re.IGNORECASE,
)
LINE = re.compile(r"^.*$", re.MULTILINE)
SEARCHED = 60_000  # characters at the beginning of a text in which the table begins
MOST_LINES = 1200  # of a table
MOST_LINES_OF_A_HEADING = 3
MOST_CHARACTERS = 120  # of a line of a table, and of a heading
LEAST_TITLES = 3
LEAST_SHARE = 0.6  # of the lines of a table that come again: titles on two lines may not be found
PAGE = re.compile(r"(?:[ \t]{2,}|[ \t.·…_]{3,})(?:\d{1,4}|[ivxlc]{1,7})$", re.IGNORECASE)
NOTE = re.compile(r"\[\d{2,4}\]$")


def listed_headings(text: str) -> list[tuple[int, int, str]]:
    """Of each heading in order: where its line begins and ends, and its words. None without a table that fits."""
    heading = HEADING.search(text, 0, SEARCHED)
    if heading is None:
        return []
    entries, end = _entries(text, heading.end())
    if len(entries) < LEAST_TITLES:
        return []
    places: dict[str, list[int]] = {}
    for place, entry in enumerate(entries):
        places.setdefault(entry, []).append(place)
    found: list[tuple[int, int, int, str]] = []  # place in the table, start, end, words
    for start, stop, words in _short_paragraphs(text, end):
        found += [(place, start, stop, words) for place in places.get(_plain(words), ())]
    chain = _longest_chain(found)
    if len(chain) < max(LEAST_TITLES, LEAST_SHARE * len(entries)):
        return []
    return [(start, stop, words) for _, start, stop, words in chain]


def _entries(text: str, begin: int) -> tuple[list[str], int]:
    """The lines of a table up to where the first comes again, and the place of that."""
    entries: list[str] = []
    known = set[str]()
    for match in LINE.finditer(text, begin):
        words = match[0].strip()
        entry = _plain(PAGE.sub("", words))
        if not entry:
            continue
        if len(words) > MOST_CHARACTERS or len(entries) >= MOST_LINES:
            return [], begin
        if entry in known and not match[0][:1].isspace():
            return entries, match.start()
        known.add(entry)
        entries.append(entry)
    return [], begin


def _short_paragraphs(text: str, begin: int) -> list[tuple[int, int, str]]:
    """Where each paragraph of a few short lines begins and ends, and its words on one line."""
    found: list[tuple[int, int, str]] = []
    start, end, lines = 0, 0, list[str]()
    for match in LINE.finditer(text, begin):
        words = match[0].strip()
        if words:
            start = start if lines else match.start()
            end = match.start() + len(match[0].rstrip())
            lines.append(words)
        else:
            if lines and len(lines) <= MOST_LINES_OF_A_HEADING and end - start <= MOST_CHARACTERS:
                found.append((start, end, " ".join(lines)))
            lines = []
    return found


def _longest_chain(found: list[tuple[int, int, int, str]]) -> list[tuple[int, int, int, str]]:
    """The most headings that stand in the text in the order of the table."""
    ends: list[int] = []  # of the chains of each length, the least place in the table that one may end with
    at: list[int] = []
    before: list[int] = []
    # Of one line of the text at most one entry: a line with several places comes with the last one first.
    order = sorted(found, key=lambda one: (one[1], -one[0]))
    for number, (place, *_) in enumerate(order):
        length = bisect_left(ends, place)
        before.append(at[length - 1] if length else -1)
        if length == len(ends):
            ends.append(place)
            at.append(number)
        else:
            ends[length], at[length] = place, number
    chain = []
    number = at[-1] if at else -1
    while number >= 0:
        chain.append(order[number])
        number = before[number]
    return chain[::-1]


def _plain(words: str) -> str:
    """Letters and figures alone: "THE SISTERS." is "The Sisters"."""
    return " ".join(re.findall(r"\w+", NOTE.sub("", words).replace("_", " ").casefold()))
