"""Numbers, dates, times, money and measures -> words, for languages that are written like German or French.

`European` is what such a language says; its methods are what several say in the same way, and a language overrides
those in which it differs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

from mlx_tts.text.normalise.rules import Rule, apply, one_of, rule

# A comma before decimals, a dot or a narrow space between thousands: "1.234,5", "10 000".
NUMBER = r"(?:\d{1,3}(?:[. ]\d{3})+(?![\d])|\d+)(?:,\d+)?"
START = r"(?<![\w.,])(?<!\d[-–/:])"
MINUS = r"(?P<minus>[-−](?=\d))?"
MOST_DIGITS = 15
MILLIONS = re.compile(r"(?:llón|llones|lhão|lhões|ilioni|ilione|illions?|illiards?)\Z")
SIGNS = str.maketrans({"\u00a0": " ", "\u202f": " ", "\u2009": " ", "−": "-"})
DATE_PARTS = {"DAY": r"(?P<day>[0-3]?\d)", "YEAR": r"(?P<year>[12]\d{3})"}


@dataclass(frozen=True)
class European:
    """number_words: num2words' name of the language. months: twelve words. Between bars stand the forms for one and for
    several (Russian: for 1, 2 to 4, 5 and more), where they differ; money has those of the hundredths behind them. A
    sign without an entry is left as it is written, which is better than a wrong word.

    written_date: the pattern of a date with the month's name, of DAY, MONTH and YEAR. minutes: the pattern of the time
    behind the hour. singular: the numbers with the form for one. feminine: signs before which "one" is feminine.
    hours: those that are not the plain number. before_minutes: said before minutes below ten. after_millions: said
    between a million and what is counted."""

    number_words: str
    months: str
    date: str  # of {day} and {month}
    date_year: str  # said behind it: {year}
    written_date: str
    clock: str  # of {hour} and {minute}
    full_hour: str
    one: str  # masculine|feminine
    to: str
    minus: str
    point: str
    percent: str
    with_cents: str  # of {money} and {cents}, or {number} of them
    abbreviations: dict[str, str]
    money: dict[str, str]
    units: dict[str, str]
    feminine: tuple[str, ...] = ()
    singular: tuple[str, ...] = ("1",)
    first_of_month: str = ""  # where the others are plain numbers
    hours: dict[int, str] = field(default_factory=dict)
    minutes: str = r":(?P<minute>[0-5]\d)"
    before_minutes: str = ""
    after_millions: str = ""

    def normalise(self, text: str) -> str:
        text = text.translate(SIGNS)
        has_digits = any(character.isdecimal() for character in text)  # without them, num2words need not be imported
        return apply(self._rules if has_digits else (self._abbreviated,), text)

    def cardinal(self, number: int | str, **form: str) -> str:
        from num2words import num2words  # 0.2 s: only for a text that has digits

        said: str = num2words(number, lang=self.number_words, **form)
        return said

    def digits(self, written: str) -> str:
        return " ".join(self.cardinal(int(digit)) for digit in written if digit.isdecimal())

    def spoken(self, written: str) -> str:
        whole, _, fraction = written.replace(".", "").replace(" ", "").partition(",")
        return self.decimal(whole, fraction) if fraction else self.whole(whole)

    def whole(self, written: str) -> str:
        if len(written) > MOST_DIGITS or (len(written) > 1 and written[0] == "0"):
            return self.digits(written)
        return self.cardinal(int(written))

    def decimal(self, whole: str, fraction: str) -> str:
        return f"{self.whole(whole)} {self.point} {self.digits(fraction)}"

    def counted(self, written: str, sign: str, forms: list[str]) -> str:
        """A number and what is counted, in the form that belongs to it."""
        plain = written.replace(".", "").replace(" ", "")
        number = self.count(plain, sign in self.feminine)
        if MILLIONS.search(number):
            number += self.after_millions
        return f"{number} {self.form(plain, forms)}"

    def count(self, written: str, feminine: bool) -> str:
        """The number before a noun."""
        return self.one.split("|")[feminine] if written == "1" else self.spoken(written)

    def form(self, written: str, forms: list[str]) -> str:
        if len(forms) < 3:
            return forms[0 if written in self.singular else -1]
        if "," in written:
            return forms[1]
        number = int(written[-2:])
        if number % 10 == 1 and number != 11:
            return forms[0]
        return forms[1] if 2 <= number % 10 <= 4 and not 12 <= number <= 14 else forms[2]

    def price(self, written: str, sign: str) -> str:
        forms = self.money[sign].split("|")
        half = len(forms) // 2
        whole, _, fraction = written.partition(",")
        if len(fraction) != 2:
            return self.counted(written, sign, forms[:half])
        said = self.counted(whole, sign, forms[:half])
        if not int(fraction):
            return said
        number = str(int(fraction))
        cents = self.counted(number, forms[half], forms[half:])
        return self.with_cents.format(money=said, number=self.spoken(number), cents=cents)

    def year(self, number: int) -> str:
        return self.cardinal(number)

    def day(self, number: int, before: str) -> str:
        """before: the text before the date."""
        return self.first_of_month if number == 1 and self.first_of_month else self.cardinal(number)

    def said_date(self, match: re.Match[str], month: str) -> str:
        said = self.date.format(day=self.day(int(match["day"]), before(match)), month=month)
        return said + self.date_year.format(year=self.year(int(match["year"]))) if match["year"] else said

    def time(self, match: re.Match[str]) -> str:
        hour, minute = int(match["hour"]), int(match["minute"])
        forms = (self.clock if minute else self.full_hour).split("|")
        minutes = f"{self.before_minutes if minute < 10 else ''}{self.cardinal(minute)}"
        said = self.hours.get(hour) or self.cardinal(hour)
        return forms[0 if hour == 1 else -1].format(hour=said, minute=minutes)

    def own_rules(self) -> tuple[Rule, ...]:
        """What only one language has; they come before the abbreviations and single numbers."""
        return ()

    @cached_property
    def _abbreviated(self) -> Rule:
        return rule(rf"(?<!\w)(?:{one_of(self.abbreviations)})(?!\w)", self._abbreviation)

    def _abbreviation(self, match: re.Match[str]) -> str:
        said = self.abbreviations[match[0]]
        return f"{said}." if match[0].endswith(".") and not match.string[match.end() :].strip("»”\"' ") else said

    def _sign(self, match: re.Match[str]) -> str:
        return f"{self.minus} " if match["minus"] else ""

    def _numeric_date(self, match: re.Match[str]) -> str | None:
        month = int(match["month"])
        if not 1 <= month <= 12 or not 1 <= int(match["day"]) <= 31:
            return None
        return self.said_date(match, self.months.split()[month - 1])

    @cached_property
    def _rules(self) -> tuple[Rule, ...]:
        signs, units = one_of(self.money), one_of(self.units)
        named_date = self.written_date.replace("MONTH", f"(?P<month>{'|'.join(self.months.split())})")
        for part, pattern in DATE_PARTS.items():
            named_date = named_date.replace(part, pattern)
        return (
            rule(rf"{START}(?P<year>[12]\d{{3}})-(?P<month>0[1-9]|1[0-2])-(?P<day>[0-3]\d)(?![\w-])",
                 self._numeric_date),
            rule(rf"{START}(?P<day>[0-3]?\d)[./](?P<month>[01]?\d)[./](?P<year>[12]\d{{3}})(?!\w)",
                 self._numeric_date),
            rule(rf"{START}{named_date}(?!\w)", lambda m: self.said_date(m, m["month"])),
            rule(rf"{START}(?P<hour>[01]?\d|2[0-4]){self.minutes}(?![\d:])", self.time),
            rule(rf"{START}{MINUS}(?P<n>{NUMBER}) ?(?P<sign>{signs})(?!\w)",
                 lambda m: self._sign(m) + self.price(m["n"], m["sign"])),
            rule(rf"(?<!\w){MINUS}(?P<sign>{signs}) ?(?P<n>{NUMBER})",
                 lambda m: self._sign(m) + self.price(m["n"], m["sign"])),
            rule(rf"{START}(?P<a>{NUMBER}) ?[-–] ?(?={NUMBER}(?![\d-]))",
                 lambda m: f"{self.spoken(m['a'])} {self.to} "),
            rule(rf"{START}{MINUS}(?P<n>{NUMBER}) ?%",
                 lambda m: self._sign(m) + self.counted(m["n"], "%", self.percent.split("|"))),
            rule(rf"{START}{MINUS}(?P<n>{NUMBER}) ?(?P<unit>{units})(?![\w/²'’])",
                 lambda m: self._sign(m) + self.counted(m["n"], m["unit"], self.units[m["unit"]].split("|"))),
            *self.own_rules(),
            self._abbreviated,
            rule(rf"(?<![\w.,]){MINUS}(?P<n>{NUMBER})(?!\w)(?![.,/:-]\d)",
                 lambda m: self._sign(m) + self.spoken(m["n"])),
        )  # fmt: skip


def before(match: re.Match[str]) -> str:
    return match.string[max(0, match.start() - 8) : match.start()]
