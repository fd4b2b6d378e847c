"""What languages that are written like German or French say for numbers, dates, times, money and measures.

`European` is such a language as data; its methods are what several say in the same way, and a language overrides those
in which it differs. `european_rules` and `european_numbers` have the patterns, which are the same for all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from mlx_tts.text.normalise.cldr import RATES, UNIT_SIGNS, cldr_names
from mlx_tts.text.normalise.engine import Kind, UnspeakableError, text_after, words_of
from mlx_tts.text.normalise.number_words import number_words

MOST_DIGITS = 17
WEB_SIGNS = ".-_/:@+&~=%#?²³"
MASCULINE, FEMININE, NEUTER = "m", "f", "n"
MILLIONS = re.compile(r"(?:llón|llones|lhão|lhões|lioni|lione|liardo|liardi|illions?|illiards?)\Z")

# What begins a sentence, or an item of a list.
CAPITAL = r"\s+(?:\d{1,2}[.)] )?[A-ZÀ-ÞА-ЯЁ¡¿]"


@dataclass(frozen=True)
class European:
    """code: CLDR's name of the language. genders: its rules for a number before a masculine, feminine or neuter noun.
    ordinals: its rules for ordinals, by a gender or a name of our own. Between bars stand the forms for one and for
    several (Russian: for 1, for 2 to 4, for 5 and more, and for a part of one); money has those of the hundredths
    behind them. A sign without an entry is left as it is written, which is better than a wrong word.

    date, date_year, clock and the like are said of {day}, {month}, {year}, {hour}, {minute}. feminine: what the
    singular or plural of a feminine noun looks like. web: the words for marks in addresses, all of `WEB_SIGNS`.
    abbreviations: said anywhere; enders: those of them whose full stop may be the sentence's; before_numbers: said
    before a number only. rulers: names with regnal numbers; queens: a pattern of those of women.
    numbered_nouns: what has Roman numerals. date_words, score_words, of_words: the words around n/n and n-n that
    tell what is meant. measure_words: nouns that are taken by halves. chat: said in a line with two of them."""

    code: str
    genders: dict[str, str]
    ordinals: dict[str, str]
    numbering: str
    date: str
    date_year: str
    clock: str
    full_hour: str
    with_seconds: str
    to: str
    minus: str
    plus: str
    point: str
    dot: str
    percent: str
    with_cents: str
    half: str  # masculine|feminine, before a noun
    and_half: str  # behind a whole number; before a noun masculine|feminine
    parts: dict[int, str]  # the names of parts: one|several
    over: str  # between top and bottom of other fractions
    times: str  # "2x"
    by: str  # "2 x 3"
    equals: str
    per: str
    hashtag: str
    score: str  # of {a} and {b}
    centuries: tuple[str, ...]  # patterns around NUMERAL
    scales: dict[str, str]  # abbreviation -> one|several
    scale_words: tuple[str, ...]
    abbreviations: dict[str, str]
    before_numbers: dict[str, str]
    money: dict[str, str]
    web: dict[str, str]
    divided: str  # "÷"
    power: str  # between a base and its exponent: "10^5"
    pressure_words: str  # a pattern of what stands before the two numbers of a blood pressure
    pressure: str  # of {a} and {b}
    scale_of: str = ""  # between a million and what is counted
    enders: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    units: dict[str, str] = field(default_factory=dict)
    unit_signs: dict[str, str] = field(default_factory=dict)
    feminine: str = r"(?!)"
    feminine_plural: str = r"(?!)"
    months: str = ""
    days: str = ""
    short_days: str = ""
    written_date: str = r"DAY MONTH(?: YEAR)?"
    first_of_month: str = ""
    year_words: str = ""  # a pattern of what may stand behind a date of numbers
    hour_words: str = ""  # a pattern of what may stand behind a time and is said as a part of it
    hour_sign: str = ":"
    hours: dict[int, str] = field(default_factory=dict)
    before_minutes: str = ""
    singular: tuple[str, ...] = ("1",)
    rulers: Sequence[str] = ()
    queens: str = "(?!)"
    and_fraction: str = ""  # between a whole number and another fraction than a half
    article: str = r"(?!)"  # a pattern of what stands before a date
    weekday_ends: str = ""  # what is heard as a comma between a weekday and its date
    between_days: str = "(?!)"  # a pattern of what joins "27" and "30/12" to one span of days
    century_noun: str = ""  # what an abbreviation beside a numeral means
    centuries_noun: str = ""  # and one beside several
    nouns_have_capitals: bool = False  # a capital behind a full stop says nothing
    month_first: bool = False  # "abr. 22" is a date; elsewhere only a full stop would tell
    numbered_nouns: tuple[str, ...] = ()
    ordinal_nouns: str = r"(?!)"
    ordinal_noun_form: str = FEMININE  # the ordinal's before those
    date_words: str = r"(?!)"
    score_words: str = r"(?!)"
    per_words: dict[str, str] = field(default_factory=dict)  # behind a slash: "3/día"
    out_of: str = ""  # between a mark and the best one: "4,5/5"
    minute_of_play: str = ""  # of {ordinal} or {number}: "21'" in a report of a match
    short_month_words: str = "(?!)"  # a pattern of what stands before a month that is shortened: "im Febr."
    telephone_words: str = r"(?!)"
    telephone_pairs: bool = False
    chat: dict[str, str] = field(default_factory=dict)
    fixed: dict[str, str] = field(default_factory=dict)
    measure_words: str = ""
    once: str = ""  # "1x"
    half_before_nouns: bool = False  # "1/2 compressa" is "mezza compressa", without an article
    openers: str = "(?!)"  # a pattern of words that have a capital at the beginning of a sentence alone
    leading: Sequence[str] = ()  # abbreviations that never end a sentence, besides titles
    words_too: Sequence[str] = ()  # abbreviations that are words as well, which end sentences
    naming: str = "(?!)"  # a pattern of nouns behind which a number is a name: "Gate 5 A"
    relations: dict[str, str] = field(default_factory=dict)  # "<" and its like before a number
    compass: dict[str, str] = field(default_factory=dict)
    wind_words: str = "(?!)"  # a pattern of what stands before a direction of the wind
    inch: str = ""  # one|several
    span_words: str = "(?!)"  # a pattern of what stands before a span whose two numbers are said side by side
    plus_minus: str = ""  # "±", where it is more than its two signs
    near: str = ""  # between a number and the next one, where more than the span's word is said: "2-3 cose"
    one_of_span: str = ""  # a one that begins a span: "ein bis zwei Stunden"
    screens: str = "(?!)"  # a pattern of what is measured in whole inches
    shots: str = "(?!)"  # a pattern of what stands behind "5/8" where five of eight is meant
    judged: str = "(?!)"  # a pattern of what has a mark of several: "Note 3/5"
    diameter: str = ""
    unit_words: dict[str, str] = field(default_factory=dict)  # a sign -> a pattern of what stands behind it as a word
    seconds_joint: str = ""  # between seconds and their hundredths: "9"99"
    fewer: str = ""  # "(- 18 ans)"
    per_amount: str = ""  # before an amount that something is counted by: "289/100 g"; else `per`
    of_pages: str = ""  # between a page and how many there are; else `out_of`
    points_of: str = ""  # behind "15/20 pts": points, in the case that `out_of` asks for
    coordinates: dict[str, str] = field(default_factory=dict)  # the sides of "18° N"; else those of `compass`
    version: str = ""  # before "v2.1"; nothing: the letter is not said
    dotted_version: bool = False  # whether "v. 2.1" is one as well; elsewhere it may be a date
    every_hours: str = ""  # of {n}: "500 mg/8 h"
    metre_joint: str = " "  # between metres and centimetres: "1m78"

    def __post_init__(self) -> None:
        if lacking := [sign for sign in WEB_SIGNS if sign not in self.web]:
            raise ValueError(f"{self.code}: web has no words for {' '.join(lacking)}")

    # Names

    @cached_property
    def month_names(self) -> tuple[str, ...]:
        return words_of(self.months) if self.months else tuple(cldr_names()[self.code]["months"])

    @cached_property
    def month_numbers(self) -> dict[str, int]:
        """Any spelling in small letters, without a full stop -> from 1."""
        table = cldr_names()[self.code]
        spelled = {name.casefold(): place for place, name in enumerate(table["months"], 1)}
        spelled |= {name.casefold(): place for place, name in enumerate(table["short_months"], 1)}
        for place, name in enumerate(self.month_names, 1):
            spelled[name.casefold()] = place
            if len(name) > 3:
                spelled.setdefault(name[:3].casefold(), place)
                spelled.setdefault(name[:4].casefold(), place)
                spelled.setdefault(name[:5].casefold(), place)
        return spelled

    @cached_property
    def day_names(self) -> dict[str, str]:
        table = cldr_names()[self.code]
        days = words_of(self.days) if self.days else table["days"]
        shorts = words_of(self.short_days) if self.short_days else table["short_days"]
        named = dict(zip(shorts, days, strict=True))
        return named | {short[:1].upper() + short[1:]: day for short, day in named.items()}

    @cached_property
    def unit_names(self) -> dict[str, str]:
        """Sign -> forms."""
        names = cldr_names()[self.code]["units"]
        found = {sign: names[unit] for sign, unit in UNIT_SIGNS.items() if unit in names and not self.unit_signs}
        found |= {sign: names[unit] for sign, unit in self.unit_signs.items() if unit in names}
        found |= self.units
        for sign in RATES:
            unit, _, per = sign.partition("/")
            if sign not in found and unit in found and per in found:
                one, *more = found[unit].split("|")
                rate = f" {self.per_unit(per)} {found[per].split('|')[0]}"
                found[sign] = "|".join(form + rate for form in (one, *more)).replace("' ", "'")
        return {sign[:-1] + "L": forms for sign, forms in found.items() if re.search(r"/[dmµ]?l\Z", sign)} | found

    def repeated(self, number: int) -> str:
        """ "3x"."""
        if number == 1 and self.once:
            return self.once
        return f"{self.cardinal(number, self.gender_of_many(self.times))} {self.times}"

    def hundredths(self, written: str) -> str:
        """Of a second, behind it."""
        said = self.digits(written) if written[0] == "0" else self.cardinal(int(written))
        return self.seconds_joint + said

    # Numbers

    def cardinal(self, number: int, gender: str = "") -> str:
        return self.spelling(number_words(self.code, number, self.genders.get(gender) or self.numbering))

    def ordinal(self, number: int, form: str = MASCULINE) -> str:
        if form not in self.ordinals:
            raise UnspeakableError(form)
        return self.spelling(number_words(self.code, number, self.ordinals[form]))

    def spelling(self, words: str) -> str:
        """The words as the language's own tables had them, where the library's are another good spelling."""
        return words

    def digits(self, written: str) -> str:
        return " ".join(self.cardinal(int(digit)) for digit in written if digit.isdecimal())

    def plain(self, written: str) -> str:
        """ "1.234,5" -> "1234,5"."""
        written = written.replace(" ", "")
        if re.fullmatch(r"\d+\.\d{1,2}|\d+\.\d{4,}", written):
            return written
        return written.replace(".", "")

    def gender_of_counted(self, written: str, noun: str) -> str:
        """The gender of a number by the word behind it."""
        return self.gender_of_many(noun)

    def spoken(self, written: str, gender: str = "") -> str:
        plain = self.plain(written)
        point = "." if "." in plain else ","
        whole, _, fraction = plain.partition(point)
        if fraction:
            return self.decimal(whole, fraction, self.dot if point == "." else self.point)
        return self.whole(whole, gender)

    def whole(self, written: str, gender: str = "") -> str:
        if len(written) > MOST_DIGITS or (len(written) > 1 and written[0] == "0"):
            return self.digits(written)
        return self.cardinal(int(written), gender)

    def decimal(self, whole: str, fraction: str, point: str) -> str:
        return f"{self.whole(whole)} {point} {self.digits(fraction)}"

    def year(self, number: int) -> str:
        return self.cardinal(number)

    def bare_year(self, number: int) -> str:
        """A number that may be a year, without a word that says so."""
        return self.year(number)

    def year_of_span(self, number: int) -> str:
        return self.cardinal(number)

    def season(self, first: int, last: int) -> str:
        """ "2024/25"."""
        return f"{self.year(first)} {self.year(last) if last > 99 else self.cardinal(last)}"

    def name_of_number(self, written: str) -> str:
        """A number in a name: A6, 12a, USB 3."""
        return self.digits(written) if len(written) > 4 or written[0] == "0" else self.cardinal(int(written))

    # What is counted

    def gender(self, noun: str) -> str:
        return FEMININE if re.match(self.feminine, noun.split(" ")[0]) else MASCULINE

    def gender_of_many(self, noun: str) -> str:
        """The gender that a word behind a number shows, in the plural; nothing: it does not."""
        return FEMININE if re.match(self.feminine_plural, noun) else ""

    def form(self, plain: str, forms: list[str]) -> str:
        if len(forms) < 3:
            return forms[0 if plain in self.singular else -1]
        if "," in plain or "." in plain:
            return forms[-1] if len(forms) > 3 else forms[1]
        number = int(plain[-2:])
        if number % 10 == 1 and number != 11:
            return forms[0]
        return forms[1] if 2 <= number % 10 <= 4 and not 12 <= number <= 14 else forms[2]

    def counted(self, written: str, forms: list[str], scale: str = "") -> str:
        """A number and what is counted, in the form that belongs to it."""
        plain = self.plain(written)
        if scale:
            said = self.scaled(written, scale)
            return (
                f"{said}{self.scale_of if MILLIONS.search(said) else ''} {forms[2 if len(forms) > 2 else -1]}".replace(
                    "' ", "'"
                )
            )
        number = self.spoken(written, self.gender(forms[0]))
        join = self.scale_of if MILLIONS.search(number) else ""
        noun = self.form(plain, forms)
        return f"{number}{join} {noun}"

    def scaled(self, written: str, scale: str) -> str:
        """ "3,4 Mio." and "1 Million"."""
        forms = self.scales.get(scale, "").split("|")
        if not forms[0]:
            forms = [scale, scale]
        gender = self.gender(forms[0])
        return f"{self.spoken(written, gender)} {self.form(self.plain(written), forms)}"

    def price(self, written: str, sign: str, scale: str = "") -> str:
        forms = self.money[sign].split("|")
        half = len(forms) // 2
        if scale:
            return self.counted(written, forms[:half], scale)
        plain = self.plain(written)
        whole, _, fraction = plain.replace(".", ",").partition(",")
        if len(fraction) != 2:
            return self.counted(written, forms[:half])
        cents = str(int(fraction))
        said_cents = self.counted(cents, forms[half:])
        if not int(whole):
            return said_cents if int(fraction) else self.counted("0", forms[:half])
        said = self.counted(whole, forms[:half])
        return said if not int(fraction) else self.with_cents.format(
            money=said, number=self.spoken(cents), cents=said_cents)  # fmt: skip

    def by_before(self, number: str, unit: str) -> str:
        """What stands between two numbers that a unit follows: "2 x 3 m"."""
        return self.by

    def per_word(self, word: str) -> str:
        """What is said behind a slash, with a word as it is spelled out."""
        return f"{self.per} {word}"

    def per_unit(self, sign: str) -> str:
        """What stands between a unit and the one that it is counted by."""
        return self.per

    # Fractions

    def fraction(self, top: int, bottom: int) -> str:
        if bottom < 2:
            raise UnspeakableError(f"{top}/{bottom}")
        name = self.part(bottom)
        if name is None:
            return f"{self.cardinal(top)} {self.over} {self.cardinal(bottom)}"
        one, _, several = name.partition("|")
        return f"{self.cardinal(top, MASCULINE)} {one if top == 1 else several or one}"

    def fraction_behind(self, top: int, bottom: int, before: str) -> str:
        """before: the text before it, where that decides on a case."""
        return self.fraction(top, bottom)

    def part(self, bottom: int) -> str | None:
        return self.parts.get(bottom)

    def mixed(self, whole: str, top: int, bottom: int, noun: str = "") -> str:
        """noun: the word behind."""
        if (top, bottom) == (1, 2):
            gender = self.gender_of_many(noun) or (FEMININE if noun and self.gender(noun) == FEMININE else "")
            masculine, _, feminine = self.and_half.partition("|")
            return f"{self.whole(whole, gender)} {feminine or masculine if gender == FEMININE else masculine}"
        return f"{self.whole(whole)} {self.and_fraction}{self.fraction(top, bottom)}"

    def part_of(self, top: int, bottom: int, unit: str) -> str:
        """A fraction before a unit: "medio kilo"."""
        one = unit.split("|")[0]
        if (top, bottom) == (1, 2):
            return f"{self.half.split('|')[self.gender(one) == FEMININE]} {one}"
        return f"{self.fraction(top, bottom)} {self.of_unit(one)}"

    def of_unit(self, unit: str) -> str:
        return unit

    # Dates and times

    def day(self, number: int, before: str) -> str:
        """before: the text before the date."""
        return self.first_of_month if number == 1 and self.first_of_month else self.cardinal(number)

    def said_date(self, day: int, month: int, year: str | None, before: str) -> str:
        if not (1 <= month <= 12 and 1 <= day <= 31):
            raise UnspeakableError(f"{day}.{month}.")
        said = self.date.format(day=self.day(day, before), month=self.month_names[month - 1])
        return said + self.date_year.format(year=self.year(int(year))) if year else said

    def time(self, hour: int, minute: int, second: int | None, match: re.Match[str]) -> str:
        forms = (self.clock if minute else self.full_hour).split("|")
        said_minute = f"{self.before_minutes if minute < 10 else ''}{self.cardinal(minute)}"
        said_hour = self.hours.get(hour) or self.cardinal(hour)
        one = hour == 1 or (hour == 0 and "0" in self.singular)
        said = forms[0 if one else -1].format(hour=said_hour, minute=said_minute)
        if second is not None:
            names = self.unit_names
            minutes = next(names[sign] for sign in ("min", "мин") if sign in names).split("|")
            seconds = next(names[sign] for sign in ("s", "с") if sign in names).split("|")
            said = self.with_seconds.format(
                hours=self.full_hour.split("|")[0 if hour == 1 else -1].format(hour=said_hour),
                minutes=self.counted(str(minute), minutes), seconds=self.counted(str(second), seconds))  # fmt: skip
        return said

    def in_case(self, words: str, before: str) -> str:
        """A measure in the case that the words before it ask for."""
        return words

    @property
    def opening(self) -> str:
        """What begins a sentence for sure, as a pattern, where all nouns have capitals."""
        return rf"\s+(?:(?:{self.openers})\b|[ABKLSU] \d)"

    def sentence_stop(self, match: re.Match[str]) -> str:
        """The full stop of an abbreviation, where it is the text's or the sentence's as well: a capital follows (in
        German all nouns have one)."""
        behind = text_after(match, 24)
        capital = self.opening if self.nouns_have_capitals else CAPITAL
        ends = match[0].endswith(".") and (not behind.strip() or re.match(capital, behind))
        return "." if ends else ""

    def day_name(self, written: str, before: str) -> str:
        """before: the text before the weekday, whose preposition may rule its case."""
        return self.day_names.get(written, written)

    # Ordinals and Roman numerals, which differ most

    def ordinal_rules(self) -> tuple[Any, ...]:
        return ()

    def regnal(self, number: int, name: str, before: str = "") -> str:
        """What is said behind a ruler's name. before: the text before the name."""
        if number > 10:
            return self.cardinal(number)
        return self.ordinal(number, "f" if re.fullmatch(self.queens, name) else MASCULINE)

    def one(self, noun: str, before: str) -> str:
        """A lone one counts a noun where the noun is known, or where it begins a clause or an item of a list."""
        if noun and re.match(self.feminine, noun):
            return self.cardinal(1, FEMININE)
        begins = re.search(r"(?:\A|[,;:(]|\b(?:y|e|o|et|ou|con|com|avec|de|hay|é))\s*\Z", before)
        return self.cardinal(1, MASCULINE) if begins and noun[:1].islower() else self.cardinal(1)

    def century_words(self, number: int) -> str:
        return self.cardinal(number)

    def own_kinds(self) -> tuple[Kind, ...]:
        """What only one language has."""
        return ()
