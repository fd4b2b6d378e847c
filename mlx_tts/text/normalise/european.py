"""German, French, Spanish, Italian, Portuguese, Russian: numbers, dates, times, money and measures -> words."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from mlx_tts.text.normalise.european_words import TONGUES, Tongue
from mlx_tts.text.normalise.rules import Rule, apply, one_of, rule

# A comma before decimals, a dot or a narrow space between thousands: "1.234,5", "10 000".
NUMBER = r"(?:\d{1,3}(?:[. ]\d{3})+(?![\d])|\d+)(?:,\d+)?"
START = r"(?<![\w.,])(?<!\d[-–/:])"
MOST_DIGITS = 15
ARTICLE = re.compile(r"\b(?:am|vom|zum|dem|den|des|beim|im|der|die|das)\s\Z", re.IGNORECASE)
ORDINAL_BEFORE = re.compile(r"\b(?:am|vom|zum|dem|den|des|bis|beim|seit|im)\s\Z", re.IGNORECASE)


class Speaker:
    """Numbers of one language in its words."""

    def __init__(self, tongue: Tongue):
        from num2words import num2words  # 0.2 s: only for a text that has digits

        self.tongue = tongue
        self._words: Callable[..., str] = num2words

    def cardinal(self, number: int, **form: str) -> str:
        return self._words(number, lang=self.tongue.code, **form)

    def digits(self, written: str) -> str:
        return " ".join(self.cardinal(int(digit)) for digit in written if digit.isdecimal())

    def spoken(self, written: str, **form: str) -> str:
        whole, _, fraction = written.replace(".", "").replace(" ", "").partition(",")
        if len(whole) > MOST_DIGITS or (len(whole) > 1 and whole[0] == "0"):
            said = self.digits(whole)
        else:
            said = self.cardinal(int(whole), **({} if fraction else form))
        if not fraction:
            return said
        if self.tongue.code == "ru":
            return self._words(f"{int(whole)}.{fraction[:6]}", lang="ru") if len(fraction) < 4 else (
                f"{said} запятая {self.digits(fraction)}")  # fmt: skip
        return f"{said} {self.tongue.point} {self.digits(fraction)}"

    def counted(self, written: str, sign: str, forms: list[str]) -> str:
        """A number and what is counted, in the form that belongs to it."""
        whole = written.replace(".", "").replace(" ", "")
        one = whole == "1"
        number = self.spoken(written)
        if one:
            number = self._one(sign)
        elif self.tongue.code == "es" and number.endswith("uno"):
            masculine = f"{number[:-3]}ún" if number.endswith("veintiuno") else number[:-1]
            number = f"{number[:-1]}a" if sign in self.tongue.feminine else masculine
        if sign in self.tongue.feminine and self.tongue.code == "ru" and whole.isdecimal():
            number = self.cardinal(int(whole), gender="f")
        if re.search(r"(?:llón|llones|lhão|lhões|ilioni|ilione|illions?|illiards?)\Z", number):
            number += {"fr": " de", "es": " de", "it": " di", "pt_BR": " de"}.get(self.tongue.code, "")
        return f"{number} {self._form(whole, forms)}"

    def _one(self, sign: str) -> str:
        feminine = sign in self.tongue.feminine
        masculine = {"de": "ein", "fr": "un", "es": "un", "it": "un", "pt_BR": "um", "ru": "один"}
        return {"de": "eine", "fr": "une", "es": "una", "it": "una", "pt_BR": "uma", "ru": "одна"}[
            self.tongue.code] if feminine else masculine[self.tongue.code]  # fmt: skip

    def _form(self, written: str, forms: list[str]) -> str:
        if len(forms) == 2:
            zero_or_one = written in ("0", "1") if self.tongue.code == "fr" else written == "1"
            return forms[0] if zero_or_one else forms[1]
        if "," in written:
            return forms[1]
        number = int(written[-2:])
        if number % 10 == 1 and number != 11:
            return forms[0]
        return forms[1] if 2 <= number % 10 <= 4 and not 12 <= number <= 14 else forms[2]

    def money(self, written: str, sign: str) -> str:
        forms = self.tongue.money[sign].split("|")
        half = len(forms) // 2
        whole, _, fraction = written.partition(",")
        if len(fraction) != 2:
            return self.counted(written, sign, forms[:half])
        if not int(fraction):
            return self.counted(whole, sign, forms[:half])
        said = self.counted(whole, sign, forms[:half])
        cents = str(int(fraction))
        if self.tongue.code == "de":
            return f"{said} {self.spoken(cents)}"
        joint = {"es": " con ", "it": " e ", "pt_BR": " e ", "fr": " ", "ru": " "}[self.tongue.code]
        if self.tongue.code == "ru":
            small = self.cardinal(int(cents), gender="f" if "копейка" in forms else "m")
            return f"{said}{joint}{small} {self._form(cents, forms[half:])}"
        return said + joint + self.counted(cents, "", forms[half:])

    def year(self, number: int) -> str:
        if self.tongue.code == "de" and 1100 <= number < 2000:
            return self.cardinal(number, to="year")
        if self.tongue.code == "ru":
            return self.cardinal(number, to="ordinal", case="genitive")
        return self.cardinal(number)

    def day(self, number: int, before: str = "") -> str:
        if self.tongue.code == "de":
            return self.ordinal(number, before)
        if self.tongue.code == "ru":
            return self.cardinal(number, to="ordinal", gender="n", case="genitive")  # "on the ...", as mostly
        return self.tongue.first_of_month if number == 1 and self.tongue.first_of_month else self.cardinal(number)

    def ordinal(self, number: int, before: str) -> str:
        """German: "der dritte", but "am dritten"."""
        return self.cardinal(number, to="ordinal") + ("n" if ORDINAL_BEFORE.search(before) else "")

    def date(self, day: int, month: str, year: int | None, before: str) -> str:
        said = self.tongue.date.format(day=self.day(day, before), month=month, year=self.year(year) if year else "")
        return said if year else re.sub(r"(?: de)? +(?:года)?\Z", "", said)

    def time(self, hour: int, minute: int) -> str:
        hour_words = self.cardinal(hour)
        if self.tongue.code == "de":
            hour_words = "ein" if hour == 1 else hour_words
        elif self.tongue.code in ("fr", "pt_BR") and hour in (1, 2, 21, 22):
            hour_words = {1: "une", 21: "vingt et une"}.get(hour, hour_words) if self.tongue.code == "fr" else (
                {1: "uma", 2: "duas", 21: "vinte e uma", 22: "vinte e duas"}[hour])  # fmt: skip
        template = self.tongue.clock if minute else self.tongue.full_hour
        if hour == 1:
            template = template.replace("heures", "heure").replace("horas", "hora")
        minutes = self.cardinal(minute) if minute > 9 or self.tongue.code != "ru" else f"ноль {self.cardinal(minute)}"
        return template.format(hour=hour_words, minute=minutes)


def _before(match: re.Match[str]) -> str:
    return match.string[max(0, match.start() - 8) : match.start()]


@cache
def rules(language: str) -> tuple[Rule, ...]:
    tongue = TONGUES[language]
    say = Speaker(tongue)
    months = "|".join(tongue.months)
    signs, units = one_of(tongue.money), one_of(tongue.units)
    minus = r"(?P<minus>[-−](?=\d))?"

    def sign(match: re.Match[str]) -> str:
        return f"{tongue.minus} " if match["minus"] else ""

    def dated(match: re.Match[str], month: int) -> str | None:
        return say.date(int(match["day"]), tongue.months[month - 1], int(match["year"]), _before(match)) \
            if 1 <= month <= 12 and 1 <= int(match["day"]) <= 31 else None  # fmt: skip

    clock = r"(?P<hour>[01]?\d|2[0-4])" + (r"(?:[:.](?P<minute>[0-5]\d) ?Uhr|:(?P<m>[0-5]\d)"
    r")" if tongue.code == "de" else
             r"(?: ?h ?|:)(?P<minute>[0-5]\d)(?P<m>)" if tongue.code == "fr" else r":(?P<minute>[0-5]\d)(?P<m>"
             r")")  # fmt: skip
    of_month = r"(?: de)? " if tongue.code in ("es", "pt_BR") else r"(?:er)? " if tongue.code == "fr" else r"\.? "
    return (
        rule(rf"{START}(?P<year>[12]\d{{3}})-(?P<month>0[1-9]|1[0-2])-(?P<day>[0-3]\d)(?![\w-])",
             lambda m: dated(m, int(m["month"]))),
        rule(rf"{START}(?P<day>[0-3]?\d)[./](?P<month>[01]?\d)[./](?P<year>[12]\d{{3}})(?!\w)",
             lambda m: dated(m, int(m["month"]))),
        rule(rf"{START}(?P<day>[0-3]?\d){of_month}(?P<month>{months})(?:(?: de)? (?P<year>[12]\d{{3}}))?(?: (?:г\."
             rf"|года))?(?!\w)",
             lambda m: say.date(int(m["day"]), m["month"], int(m["year"]) if m["year"] else None, _before(m))),
        rule(rf"{START}{clock}(?![\d:])", lambda m: say.time(int(m["hour"]), int(m["minute"] or m["m"]))),
        rule(rf"{START}{minus}(?P<n>{NUMBER}) ?(?P<sign>{signs})(?![\wа-я])", lambda m: sign(m) + say.money(m["n"],
             m["sign"])),
        rule(rf"(?<!\w){minus}(?P<sign>{signs}) ?(?P<n>{NUMBER})", lambda m: sign(m) + say.money(m["n"], m["sign"])),
        rule(rf"{START}(?P<a>{NUMBER}) ?[-–] ?(?={NUMBER}(?![\d-]))", lambda m: f"{say.spoken(m['a'])} {tongue.to} "),
        rule(rf"{START}{minus}(?P<n>{NUMBER}) ?%",
             lambda m: sign(m) + say.counted(m["n"], "%", tongue.percent.split("|"))),
        rule(rf"{START}{minus}(?P<n>{NUMBER}) ?(?P<unit>{units})(?![\w/²'’])",
             lambda m: sign(m) + say.counted(m["n"], m["unit"], tongue.units[m["unit"]].split("|"))),
        *((rule(r"(?<=\b(?:am|im|em|om|um|en|es|er|ie|as) )(?P<n>\d{1,2})\.(?= [A-ZÄÖÜ][a-zäöüß])",
                lambda m: say.ordinal(int(m["n"]), _before(m)) if ARTICLE.search(_before(m)) else None),)
          if tongue.code == "de" else ()),
        abbreviations(tongue),
        rule(rf"{START}(?P<n>[12]\d{{3}})(?![\w.,]\d|\w)",
             lambda m: say.year(int(m["n"])) if tongue.code == "de" else None),
        rule(rf"(?<![\w.,]){minus}(?P<n>{NUMBER})(?!\w)(?![.,/:-]\d)", lambda m: sign(m) + say.spoken(m["n"])),
    )  # fmt: skip


def abbreviations(tongue: Tongue) -> Rule:
    return rule(rf"(?<!\w)(?:{one_of(tongue.words)})(?!\w)", lambda match: _abbreviation(match, tongue))


def _abbreviation(match: re.Match[str], tongue: Tongue) -> str:
    said = tongue.words[match[0]]
    return f"{said}." if match[0].endswith(".") and not match.string[match.end() :].strip("»”\"' ") else said


SIGNS = str.maketrans({"\u00a0": " ", "\u202f": " ", "\u2009": " ", "−": "-"})


def european(text: str, language: str) -> str:
    text = text.translate(SIGNS)
    has_digits = any(character.isdecimal() for character in text)  # without them, num2words need not be imported
    return apply(rules(language) if has_digits else (abbreviations(TONGUES[language]),), text)
