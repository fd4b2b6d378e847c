"""Dates and times of day -> English words."""

from __future__ import annotations

import re

from mlx_tts.text.languages.english.numbers import cardinal, decade, ordinal, spoken, year
from mlx_tts.text.normalise.rules import rule, words_of

MONTHS = words_of("January February March April May June July August September October November December")
SHORT = {month[:3]: month for month in MONTHS} | {"Sept": "September"}
DAYS = {day[:3]: day for day in ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]}
DAYS |= {"Tues": "Tuesday", "Thur": "Thursday", "Thurs": "Thursday", "Weds": "Wednesday"}

MONTH = rf"(?P<month>{'|'.join(MONTHS)}|(?:Sept|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b\.?)"
DAY = r"(?P<day>0?[1-9]|[12]\d|3[01])"
YEAR = r"(?P<year>[12]\d{3})"
AM_PM = r"(?P<half>[ap])\.?\s?m\b\.?"
CLOCK = r"(?P<hour>[01]?\d|2[0-4]):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d)(?:[.,]\d{1,9})?)?"


def _month(match: re.Match[str]) -> str:
    written = match["month"].rstrip(".")
    return SHORT.get(written, written)


def _date(month: str, day: str, number: str | None) -> str:
    """American order: it needs no "of" and is understood everywhere."""
    tail = f", {year(int(number))}" if number else ""
    return f"{month} {ordinal(int(day))}{tail}"


def _numeric(match: re.Match[str]) -> str | None:
    """Month first with slashes, day first with dots, unless the numbers say otherwise."""
    first, second = int(match["a"]), int(match["b"])
    month_first = match["mark"] != "."
    if first > 12 or second > 12:
        month_first = second > 12
    month, day = (first, second) if month_first else (second, first)
    if not 1 <= month <= 12 or not 1 <= day <= 31:
        return None
    written = match["year"]
    number = written if len(written) == 4 else f"{'19' if int(written) > 50 else '20'}{written}"
    return _date(MONTHS[month - 1], str(day), number)


def _iso(match: re.Match[str]) -> str | None:
    month = int(match["m"])
    if not 1 <= month <= 12:
        return None
    return _date(MONTHS[month - 1], match["day"], match["year"]) + (" at " if match["t"] else "")


def _day_first(match: re.Match[str]) -> str:
    tail = f", {year(int(match['year']))}" if match["year"] else ""
    article = "" if re.search(r"\bthe \Z", match.string[max(0, match.start() - 4) : match.start()]) else "the "
    return f"{article}{ordinal(int(match['day']))} of {_month(match)}{tail}"


def _time(match: re.Match[str]) -> str:
    hour, minute = int(match["hour"]), int(match["minute"])
    half = f" {match['half'].lower()}.m." if match["half"] else ""
    if minute:
        words = f"{cardinal(hour)} {'oh ' if minute < 10 else ''}{cardinal(minute)}"
    elif half:
        words = cardinal(hour)
    elif hour in (0, 24):
        words = "midnight"
    else:
        words = f"{cardinal(hour)} o'clock" if hour < 13 else f"{cardinal(hour)} hundred"
    if match["second"] and int(match["second"]):
        words += f" and {cardinal(int(match['second']))} seconds"
    return words + half


def _hour(match: re.Match[str]) -> str:
    return f"{cardinal(int(match['hour']))} {match['half'].lower()}.m."


def _years(match: re.Match[str]) -> str:
    first, second = match["a"], match["b"]
    return f"{year(int(first))} to {year(int(second)) if len(second) == 4 else cardinal(int(second))}"


# Names of days and months without a number.
NAMES = (
    rule(r"\b(?P<day>Mon|Tue|Wed|Thu|Fri|Sat|Sun)\.? ?[-–] ?(?P<last>Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b\.?",
         lambda m: f"{DAYS[m['day']]} to "
         f"{DAYS[m['last']]}" + ("." if m[0].endswith(".") and m.end() == len(m.string) else "")),
    rule(r"\b(?P<month>Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec)\.(?= [a-z])", _month),
    rule(r"\b(?P<day>Tues|Thurs?|Mon|Tue|Wed|Thu|Fri)\.(?= [a-z]|,)", lambda m: DAYS[m["day"]]),
)  # fmt: skip
BEFORE = r"(?<![\w.,/:-])"
RULES = (
    rule(r"\b(?:ca?|cca)\. ?(?=\d{1,4}\b)", "circa "),
    rule(rf"{BEFORE}{YEAR}[-/](?P<m>0[1-9]|1[0-2])[-/](?P<day>0[1-9]|[12]\d|3[01])(?P<t>T(?=\d))?(?![\w-])", _iso),
    rule(rf"{BEFORE}{YEAR}-(?P<m>0[1-9]|1[0-2])-(?P<day>[0-3]\d)(?P<t>T)(?=\d)", _iso),
    rule(rf"{BEFORE}(?P<a>\d{{1,2}})(?P<mark>[./-])(?P<b>\d{{1,2}})(?P=mark)(?P<year>\d{{4}}|\d{{2}})(?![\w/-])"
         rf"(?!\.\d)",
         _numeric),
    rule(rf"{BEFORE}{DAY}(?:st|nd|rd|th)?(?: of)? {MONTH}(?:,? {YEAR})?(?!\w)", _day_first),
    rule(rf"\b{MONTH} {DAY}(?:st|nd|rd|th)?,? {YEAR}(?!\w)", lambda m: _date(_month(m), m["day"], m["year"])),
    rule(rf"\b{MONTH} {DAY}(?:st|nd|rd|th)?[-–](?P<last>[0-3]?\d)(?!\w)",
         lambda m: f"{_date(_month(m), m['day'], None)} to {ordinal(int(m['last']))}"),
    rule(rf"\b{MONTH} {DAY}(?:st|nd|rd|th)?(?![\w:/])(?!,\d|\.\d)", lambda m: _date(_month(m), m["day"], None)),
    rule(rf"\b{MONTH} {YEAR}(?!\w)", lambda m: f"{_month(m)} {year(int(m['year']))}"),
    rule(r"\b(?P<day>Tues|Thurs?|Weds|Mon|Tue|Wed|Thu|Fri|Sat|Sun)\.?(?=,? (?:January|February|March|April|May|June"
         r"|July"
         r"|August|September|October|November|December)\b)", lambda m: DAYS[m["day"]]),
    rule(r"(?<![\w.,])(?<!\d-)[’'‘]?(?P<decade>[1-9]0|1[0-9]{2}0|20[0-9]0)[’']?s\b", decade),
    rule(rf"(?<![\w.,:]){CLOCK}\s?(?:Z|UTC)(?!\w)(?P<half>)", lambda m: f"{_time(m)} U T C"),
    rule(r"(?<=:\d\d) ?[-–] ?(?=\d{1,2}:\d\d)|(?<=[\dm.]) ?[-–] ?(?=\d{1,2}(?::\d\d)?\s?[ap]\.?m\b)", " to "),
    rule(rf"(?<![\w.,:]){CLOCK}\s?{AM_PM}", _time, re.IGNORECASE),
    rule(rf"(?<![\w.,:]){CLOCK}(?P<half>)(?![\w:])(?!\.\d)", _time),
    rule(rf"(?<![\w.,:])(?P<hour>1[0-2]|0?[1-9])\s?{AM_PM}(?![\w-])", _hour, re.IGNORECASE),
    rule(rf"{BEFORE}(?P<a>1[1-9]\d\d|20\d\d)\s?[-–]\s?(?P<b>1[1-9]\d\d|20\d\d|\d\d)(?![\w-])(?!\.\d)", _years),
    rule(r"\bAD (?=\d{1,4}\b)", "A D "),
    rule(r"\b(?P<n>\d{1,4}) ?(?P<era>BCE|BC|CE|AD)\b",
         lambda m: f"{spoken(m['n']) if len(m['n']) < 4 else year(int(m['n']))} {' '.join(m['era'])}"),
)  # fmt: skip
