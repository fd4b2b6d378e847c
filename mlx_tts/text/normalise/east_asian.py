"""Numbers, dates, times, money and measures -> words, for languages that count in myriads and have no plural.

`EastAsian` is what such a language says; its methods are what several say in the same way, and a language overrides
those in which it differs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

from mlx_tts.text.normalise.rules import Rule, apply, one_of, rule

NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
START = r"(?<![A-Za-z\d.,_-])"
MINUS = r"(?P<minus>[-−](?=\d))?"
MOST_DIGITS = 16


@dataclass(frozen=True)
class EastAsian:
    """digits: from zero to nine. tens: names of 10, 100, 1000. myriads: of 10^4, 10^8, 10^12. one_before: from which
    power of ten on a one is said. The rest: words around numbers, {} being the number.

    one_inside: whether a one is said before ten inside a number. two: said for a two before a thousand or a myriad.
    zero: said for a gap. hours, months: those that are not the plain number. before_minutes: said before minutes below
    ten. telephone_one: said for a one in telephone numbers; pause: what stands between their groups."""

    digits: str
    tens: tuple[str, str, str]
    myriads: tuple[str, str, str]
    one_before: int
    point: str
    minus: str
    percent: str
    fraction: str  # of {bottom} and {top}
    to: str
    money: dict[str, str]
    units: dict[str, str]
    date: str  # of {year}, {month} and {day}
    clock: str  # of {hour} and {minute}
    full_hour: str
    one_inside: bool = False
    two: str = ""
    zero: str = ""
    hours: dict[int, str] = field(default_factory=dict)
    months: dict[int, str] = field(default_factory=dict)
    before_minutes: str = ""
    years_by_digits: bool = False
    telephone_one: str = ""
    pause: str = "，"

    def normalise(self, text: str) -> str:
        return apply(self._rules, text)

    def cardinal(self, number: int) -> str:
        if number == 0:
            return self.digits[0]
        groups: list[tuple[int, int]] = []
        power = 0
        while number:
            number, group = divmod(number, 10_000)
            groups.append((group, power))
            power += 1
        said = ""
        for group, power in reversed(groups):
            if group:
                gap = self.zero if said and group < 1000 else ""
                words = self._group(group, first=not said)
                if power and group == 1 and not said and 4 * power < self.one_before:
                    words = ""
                if power and group == 2 and self.two:
                    words = self.two
                said += gap + words + (self.myriads[power - 1] if power else "")
        return said

    def _group(self, number: int, first: bool) -> str:
        said, gap = "", False
        for power in (3, 2, 1, 0):
            digit = number // 10**power % 10
            if not digit:
                gap = bool(said)
                continue
            said += self.zero if gap else ""
            gap = False
            silent = digit == 1 and 0 < power < self.one_before and (not self.one_inside or (first and not said))
            word = "" if silent else self.digits[digit]
            if digit == 2 and power == 3 and self.two:
                word = self.two
            said += word + (self.tens[power - 1] if power else "")
        return said

    def by_digits(self, written: str) -> str:
        return "".join(self.digits[int(character)] for character in written if character.isdecimal())

    def spoken(self, written: str) -> str:
        whole, _, fraction = written.replace(",", "").partition(".")
        if len(whole) > MOST_DIGITS or (len(whole) > 1 and whole[0] == "0"):
            said = self.by_digits(whole)
        else:
            said = self.cardinal(int(whole))
        return f"{said}{self.point}{self.by_digits(fraction)}" if fraction else said

    def year(self, written: str) -> str:
        return self.by_digits(written) if self.years_by_digits else self.cardinal(int(written))

    def month(self, number: int) -> str:
        return self.months.get(number) or self.cardinal(number)

    def hour(self, number: int) -> str:
        return self.hours.get(number) or self.cardinal(number)

    def dates(self) -> tuple[Rule, ...]:
        return (
            rule(rf"{START}(?P<year>[12]\d{{3}})[-/.](?P<month>0?[1-9]|1[0-2])[-/.](?P<day>0?[1-9]|[12]\d|3[01])(?!\d)",
                 lambda m: self.date.format(year=self.year(m["year"]), month=self.month(int(m["month"])),
                                            day=self.cardinal(int(m["day"])))),
            rule(rf"{START}(?P<n>[12]\d{{3}})(?= ?年)", lambda m: self.year(m["n"])),
        )  # fmt: skip

    def times(self) -> tuple[Rule, ...]:
        return (rule(rf"{START}(?P<hour>[01]?\d|2[0-4])[:：](?P<minute>[0-5]\d)(?![\d:])", self._time),)

    def counters(self) -> tuple[Rule, ...]:
        """Numbers before the words that count things, where they are not the plain ones."""
        return ()

    def _time(self, match: re.Match[str]) -> str:
        hour, minute = self.hour(int(match["hour"])), int(match["minute"])
        if not minute:
            return self.full_hour.format(hour=hour)
        return self.clock.format(hour=hour, minute=(self.before_minutes if minute < 10 else "") + self.cardinal(minute))

    def _telephone(self, match: re.Match[str]) -> str:
        said = self.pause.join(self.by_digits(group) for group in re.findall(r"\d+", match[0]))
        return said.replace(self.digits[1], self.telephone_one) if self.telephone_one else said

    def _sign(self, match: re.Match[str]) -> str:
        return self.minus if match["minus"] else ""

    @cached_property
    def _rules(self) -> tuple[Rule, ...]:
        said = self.spoken
        return (
            *self.dates(),
            rule(rf"{START}(?:\+\d{{1,3}}[- ])?0?\d{{1,4}}-\d{{3,4}}-\d{{4}}(?!\d)|{START}1[3-9]\d{{9}}(?!\d)",
                 self._telephone),
            *self.times(),
            rule(rf"(?P<sign>{one_of(self.money)}) ?(?P<n>{NUMBER})(?P<scale>[万亿億萬만억]?)",
                 lambda m: self.money[m["sign"]].format(said(m["n"]) + m["scale"])),
            rule(rf"{START}{MINUS}(?P<n>{NUMBER}) ?[%％]",
                 lambda m: self._sign(m) + self.percent.format(said(m["n"]))),
            rule(rf"{START}{MINUS}(?P<n>{NUMBER}) ?(?P<unit>{one_of(self.units)})(?![A-Za-z/])",
                 lambda m: self._sign(m) + self.units[m["unit"]].format(said(m["n"]))),
            rule(rf"{START}(?P<top>\d{{1,4}})/(?P<bottom>\d{{1,4}})(?![\d/])",
                 lambda m: self.fraction.format(bottom=said(m["bottom"]), top=said(m["top"]))),
            rule(rf"{START}(?P<a>{NUMBER})(?P<unit>[年月日年人個个万億亿]?) ?[-–~〜～] ?(?={NUMBER}(?![\d-]))",
                 lambda m: said(m["a"]) + m["unit"] + self.to),
            *self.counters(),
            rule(rf"(?<![A-Za-z\d.,_]){MINUS}(?P<n>{NUMBER})(?![A-Za-z\d])", lambda m: self._sign(m) + said(m["n"])),
        )  # fmt: skip
