"""What tells of a kind of form, as one pattern that is quick to look for in a text that has none of it."""

from __future__ import annotations

import re

# An alternative begins with one of these, and then goes on.
BEGINNINGS = (r"\b", r"\d")


def tells_of(alternatives: str) -> re.Pattern[str]:
    """The same alternatives, of which all that begin with a boundary of a word, or with a digit, stand behind one test
    for it: a hundred of them are looked for at each character of a text, and nearly always one test is enough."""
    grouped: dict[str, list[str]] = {beginning: [] for beginning in BEGINNINGS}
    others = []
    for each in _split(alternatives):
        beginning = next(
            (b for b in BEGINNINGS if each.startswith(b) and not each[len(b) :].startswith(tuple("?*+{"))), None
        )
        if beginning is None:
            others.append(each)
        else:
            grouped[beginning].append(each[len(beginning) :])
    groups = [f"{beginning}(?:{'|'.join(rests)})" for beginning, rests in grouped.items() if rests]
    return re.compile("|".join(groups + others))


def _split(alternatives: str) -> list[str]:
    """At the bars that stand in no brackets."""
    parts, depth, of_set, start, at = [], 0, False, 0, 0
    while at < len(alternatives):
        sign = alternatives[at]
        if sign == "\\":
            at += 1
        elif of_set:
            of_set = sign != "]"
        elif sign == "[":
            of_set = True
        elif sign in "()":
            depth += 1 if sign == "(" else -1
        elif sign == "|" and not depth:
            parts.append(alternatives[start:at])
            start = at + 1
        at += 1
    return [*parts, alternatives[start:]]
