"""Korean days that are written with full stops, as offices do: "4. 22.(월)", "'24.4.22.", "4.22(월)~26(금)"."""

from __future__ import annotations

import re
from typing import Protocol

from mlx_tts.text.normalise.east_asian_marks import START
from mlx_tts.text.normalise.engine import Rule, rule

MONTH, DAY = r"(?P<month>1[0-2]|0?[1-9])", r"(?P<day>3[01]|[12]\d|0?[1-9])"
NAMED = r" ?[(](?P<name>[월화수목금토일])[)]"
LAST = r"(?: ?[-–~〜～] ?(?P<last>3[01]|[12]\d|0?[1-9])[일.]? ?[(](?P<name2>[월화수목금토일])[)])?"


class Dating(Protocol):
    """What these rules ask of the language."""

    from_to: str
    weekday: str

    def cardinal(self, number: int) -> str: ...
    def month(self, number: int) -> str: ...


def dotted_rules(own: Dating) -> tuple[Rule, ...]:
    def said(match: re.Match[str]) -> str:
        parts = match.groupdict()
        words = f"{own.month(int(match['month']))}월 {own.cardinal(int(match['day']))}일"
        if parts.get("year"):
            words = f"{own.cardinal(int(match['year']))}년 {words}"
        if parts.get("name"):
            words += own.weekday.format(match["name"])
        if parts.get("last"):
            words += f"{own.from_to}{own.cardinal(int(match['last']))}일{own.weekday.format(match['name2'])}"
        return words

    return (
        rule(rf"{START}(?P<year>[12]\d{{3}})[-./] ?{MONTH}[-./] ?{DAY}\.?{NAMED}{LAST}", said),
        rule(rf"(?<![\w.])['’‘](?P<year>\d\d)\. ?{MONTH}\. ?{DAY}\.?(?![\d])(?:{NAMED}{LAST})?", said),
        rule(rf"{START}(?P<year>\d\d)\. ?{MONTH}\. ?{DAY}\.?{NAMED}{LAST}", said),
        # Without the apostrophe two noughts tell it from the number of a version.
        rule(rf"{START}(?P<year>[0-4]\d)\.(?P<month>0[1-9]|1[0-2])\.(?P<day>0[1-9]|[12]\d|3[01])(?![\d.])", said),
        rule(rf"{START}{MONTH}[./] ?{DAY}\.?{NAMED}{LAST}", said),
        rule(rf"{START}{MONTH}\. ?{DAY}\.(?= ?(?:까지|부터|자(?![가-힣])|오전|오후|\d{{1,2}}:\d\d|\d{{1,2}}시))", said),
    )  # fmt: skip
