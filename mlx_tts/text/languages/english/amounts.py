"""Dates, times of day, amounts of money and measures -> English words."""

from __future__ import annotations

import re

from mlx_tts.text.languages.english.numbers import MAGNITUDES, NUMBER, cardinal, decade, is_one, ordinal, spoken, year
from mlx_tts.text.normalise.rules import one_of, rule, words_of

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
DATE_NAMES = (
    rule(r"\b(?P<day>Mon|Tue|Wed|Thu|Fri|Sat|Sun)\.? ?[-–] ?(?P<last>Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b\.?",
         lambda m: f"{DAYS[m['day']]} to "
         f"{DAYS[m['last']]}" + ("." if m[0].endswith(".") and m.end() == len(m.string) else "")),
    rule(r"\b(?P<month>Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec)\.(?= [a-z])", _month),
    rule(r"\b(?P<day>Tues|Thurs?|Mon|Tue|Wed|Thu|Fri)\.(?= [a-z]|,)", lambda m: DAYS[m["day"]]),
)  # fmt: skip
BEFORE = r"(?<![\w.,/:-])"
DATE_RULES = (
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

# Amounts of money -> English words: signs and codes, before and behind, with magnitudes, ranges and periods.

# sign or code -> one, several, a hundredth, hundredths
DOLLAR, POUND, EURO = "dollar dollars cent cents", "pound pounds penny pence", "euro euros cent cents"
CURRENCIES = {
    "$": DOLLAR, "£": POUND, "€": EURO, "¥": "yen yen sen sen", "₹": "rupee rupees paisa paise",
    "₽": "ruble rubles kopeck kopecks", "₩": "won won jeon jeon", "₿": "bitcoin bitcoins satoshi satoshis",
    "US$": "U_S_dollar U_S_dollars cent cents", "A$": "Australian_dollar Australian_dollars cent cents",
    "C$": "Canadian_dollar Canadian_dollars cent cents", "HK$": "Hong_Kong_dollar Hong_Kong_dollars cent cents",
    "R$": "real reais centavo centavos",
}  # fmt: skip
CODES = {
    "USD": DOLLAR, "EUR": EURO, "GBP": POUND, "JPY": CURRENCIES["¥"],
    "CHF": "Swiss_franc Swiss_francs centime centimes", "CAD": CURRENCIES["C$"], "AUD": CURRENCIES["A$"],
    "CNY": "yuan yuan fen fen", "RMB": "yuan yuan fen fen", "INR": CURRENCIES["₹"], "BTC": CURRENCIES["₿"],
}  # fmt: skip
ALL = CURRENCIES | CODES
WITHOUT_CENTS = ("¥", "₩", "JPY", "KRW")

SIGN = rf"(?P<sign>{one_of(CURRENCIES)})"
MAGNITUDE = rf"(?:(?P<spaced> ?)(?P<magnitude>{one_of(MAGNITUDES)})\b)?"
AMOUNT = rf"(?P<amount>{NUMBER})"


def amount(sign: str, written: str, magnitude: str | None, adjective: bool = False) -> str:
    """adjective: before a noun, as in "a $5 bill" -> "a five dollar bill"."""
    one, many, cent, cents = (word.replace("_", " ") for word in ALL[sign].split())
    if magnitude:
        return f"{spoken(written)} {MAGNITUDES[magnitude]} {one if adjective else many}"
    whole, _, fraction = written.replace(",", "").partition(".")
    if len(fraction) != 2 or sign in WITHOUT_CENTS:
        return f"{spoken(written)} {one if is_one(written) or adjective else many}"
    parts = []
    if int(whole) or not int(fraction):
        parts.append(f"{spoken(whole)} {one if whole == '1' else many}")
    if int(fraction):
        parts.append(f"{cardinal(int(fraction))} {cent if int(fraction) == 1 else cents}")
    return " and ".join(parts)


def _said(match: re.Match[str]) -> str:
    groups = match.groupdict()
    minus = "minus " if groups.get("minus") else ""
    before = match.string[max(0, match.start() - 3) : match.start()].lower()
    after = match.string[match.end() : match.end() + 14]
    adjective = before.endswith((" a ", "a ")) and re.match(r"[ -][a-z]", after) is not None
    said = minus + amount(groups["sign"], groups["amount"], groups.get("magnitude"), adjective)
    return f"{said} " if re.match(r"\w", after) else said


def _range(match: re.Match[str]) -> str:
    last = amount(match["sign"], match["last"], match["magnitude"])
    return f"{spoken(match['amount'])} to {last}"


PERIOD = r"/ ?(?P<period>month|mo|year|yr|day|week|wk|hour|hr|night|person|unit|kg|lb|gallon|minute|min|user|seat)\b"
PERIODS = {"mo": "month", "yr": "year", "wk": "week", "hr": "hour", "kg": "kilogram", "lb": "pound", "min": "minute"}
MONEY_RULES = (
    rule(rf"(?<![\w$]){SIGN} ?{AMOUNT} ?[-–] ?(?:{one_of(CURRENCIES)})?(?P<last>{NUMBER}){MAGNITUDE}(?![\w%])", _range),
    rule(rf"(?<![\w$])(?P<minus>[-−])?{SIGN} ?{AMOUNT}{MAGNITUDE}", _said),
    rule(rf"(?<![\w.,])(?P<minus>[-−])?{AMOUNT}{MAGNITUDE} ?(?P<sign>[€£¥₹₽₩₿$])(?![\d\w])", _said),
    rule(rf"(?<![\w.,])(?P<minus>[-−])?{AMOUNT}{MAGNITUDE} ?(?P<sign>{one_of(CODES)})\b", _said),
    rule(rf"\b(?P<sign>{one_of(CODES)}) ?{AMOUNT}{MAGNITUDE}", _said),
    rule(rf"(?<![\w.,]){AMOUNT} ?¢", lambda m: f"{spoken(m['amount'])} cent{'' if is_one(m['amount']) else 's'}"),
    rule(rf"(?:(?<=dollars)|(?<=dollar)|(?<=euros)|(?<=euro)|(?<=pounds)|(?<=pound)|(?<=cents)|(?<=pence)|(?<=yen)"
         rf"){PERIOD}",
         lambda m: f" per {PERIODS.get(m['period'], m['period'])}"),
)  # fmt: skip


# Measures -> English words: "25 °C", "100 km/h", "12.5 %", "5'11"", and a few units without a number.

# sign -> name of one; of several: with an s, or what stands after a bar
NAMES = {
    "km": "kilometer", "cm": "centimeter", "mm": "millimeter", "nm": "nanometer", "µm": "micrometer", "m": "meter",
    "mi": "mile", "ft": "foot|feet", "yd": "yard", "nmi": "nautical mile", "sq ft": "square foot|square feet",
    "sq mi": "square mile", "sq km": "square kilometer", "sq m": "square meter", "ha": "hectare",
    "kg": "kilogram", "g": "gram", "mg": "milligram", "µg": "microgram", "mcg": "microgram", "lb": "pound",
    "lbs": "pound", "oz": "ounce", "fl oz": "fluid ounce", "gal": "gallon", "tsp": "teaspoon", "tbsp": "tablespoon",
    "L": "liter", "l": "liter", "mL": "milliliter", "ml": "milliliter", "cl": "centiliter", "dl": "deciliter",
    "h": "hour", "hr": "hour", "hrs": "hour", "min": "minute", "mins": "minute", "s": "second", "sec": "second",
    "secs": "second", "ms": "millisecond", "µs": "microsecond", "ns": "nanosecond",
    "mph": "mile per hour|miles per hour", "kph": "kilometer per hour|kilometers per hour",
    "rpm": "revolution per minute|revolutions per minute", "fps": "frame per second|frames per second",
    "Hz": "hertz|hertz", "kHz": "kilohertz|kilohertz", "MHz": "megahertz|megahertz", "GHz": "gigahertz|gigahertz",
    "B": "byte", "kB": "kilobyte", "KB": "kilobyte", "MB": "megabyte", "GB": "gigabyte", "TB": "terabyte",
    "PB": "petabyte", "KiB": "kibibyte", "MiB": "mebibyte", "GiB": "gibibyte", "kbit": "kilobit", "Mbit": "megabit",
    "Gbit": "gigabit", "kbps": "kilobit per second|kilobits per second",
    "Mbps": "megabit per second|megabits per second", "Gbps": "gigabit per second|gigabits per second",
    "W": "watt", "kW": "kilowatt", "MW": "megawatt", "GW": "gigawatt", "kWh": "kilowatt hour", "MWh": "megawatt hour",
    "V": "volt", "mV": "millivolt", "kV": "kilovolt", "mA": "milliamp", "mAh": "milliamp hour", "A": "amp",
    "Ω": "ohm", "kΩ": "kilohm", "J": "joule", "kJ": "kilojoule", "N": "newton", "Pa": "pascal", "kPa": "kilopascal",
    "hPa": "hectopascal", "psi": "P S I|P S I", "dB": "decibel", "cal": "calorie", "kcal": "kilocalorie",
    "px": "pixel", "dpi": "dots per inch|dots per inch", "ppm": "part per million|parts per million",
    "°C": "degree Celsius|degrees Celsius", "°F": "degree Fahrenheit|degrees Fahrenheit", "°": "degree", "K": "kelvin",
    "m/s": "meter per second|meters per second", "km/h": "kilometer per hour|kilometers per hour",
    "m/s²": "meter per second squared|meters per second squared", "mi/h": "mile per hour|miles per hour",
    "ft/s": "foot per second|feet per second", "g/l": "gram per liter|grams per liter",
    "mg/dL": "milligram per deciliter|milligrams per deciliter",
    "kg/m³": "kilogram per cubic meter|kilograms per cubic meter",
    "MB/s": "megabyte per second|megabytes per second", "GB/s": "gigabyte per second|gigabytes per second",
    "Mbit/s": "megabit per second|megabits per second", "Gbit/s": "gigabit per second|gigabits per second",
    "W/m²": "watt per square meter|watts per square meter",
    **{f"{sign}²": f"square {name}" for sign, name in (("km", "kilometer"), ("m", "meter"), ("cm", "centimeter"),
                                                        ("mm", "millimeter"), ("mi", "mile"))},
    **{f"{sign}³": f"cubic {name}" for sign, name in (("m", "meter"), ("cm", "centimeter"), ("mm", "millimeter"))},
}  # fmt: skip
WITHOUT_NUMBER = ("km/h", "m/s", "°C", "°F", "kg", "mph", "kWh", "GHz", "MHz", "kHz", "km²", "m²", "mg/dL", "Mbit/s",
"MB/s", "MB",
                  "GB")  # fmt: skip


def named(sign: str, several: bool) -> str:
    one, _, many = NAMES[sign].partition("|")
    return (many or f"{one}s") if several else one


def _measured(match: re.Match[str]) -> str | None:
    number, sign = match["number"], match["unit"]
    if not match["space"] and sign in ("K", "B", "A", "N", "T"):
        return None
    first = f"{spoken(match['first'])} {_between(match)} " if match["first"] else ""
    minus = "minus " if match["minus"] and not match["first"] else ""
    scale = f" {MAGNITUDES[match['scale']]}" if match["scale"] else ""
    several = not is_one(number) or bool(scale) or bool(first)
    # "a 5 km run" counts one run.
    adjective = re.search(r"\b(?:an?|the|this|per)\s\Z", match.string[max(0, match.start() - 6) : match.start()], re.I)
    noun_follows = re.match(r"[ -][a-z]{3,}", match.string[match.end() : match.end() + 6])
    if adjective and noun_follows and "|" not in NAMES[sign]:
        several = False
    return f"{minus}{first}{spoken(number)}{scale} {named(sign, several)}"


def _between(match: re.Match[str]) -> str:
    return {"x": "by", "×": "by"}.get(match["between"].strip(), "to")


def _height(match: re.Match[str]) -> str:
    inches = f" {cardinal(int(match['inches']))}" if match["inches"] else ""
    return f"{cardinal(int(match['feet']))} {'foot' if inches else 'feet'}{inches}"


UNIT_RULES = (
    rule(rf"(?<![\w.,])(?P<n>{NUMBER}) ?″(?!\w)", lambda m: f"{spoken(m['n'])} inch{'' if is_one(m['n']) else 'es'}"),
    rule(r"(?<![\w.,])(?P<feet>\d{1,2})['′’](?P<inches>1[01]|\d)[\"″”]", _height),
    rule(rf"(?<![\w.,])(?P<minus>[-−])?(?:(?P<first>{NUMBER})(?P<between> ?[-–x×] ?))?(?P<number>{NUMBER})"
         rf"(?: (?P<scale>million|billion|thousand|hundred))?(?P<space>[ -]?)(?P<unit>{one_of(NAMES)})(?![\w²³/°'’])"
         rf"(?:\.(?=[,;:)]| [a-z\d]))?",
         _measured),
    rule(rf"(?<![\w.,])(?P<a>{NUMBER}) ?%? ?[-–] ?(?P<n>{NUMBER}) ?%",
         lambda m: f"{spoken(m['a'])} to {spoken(m['n'])} percent"),
    rule(rf"(?<![\w.,])(?P<sign>[-−+])?(?P<n>{NUMBER}) ?%",
         lambda m: f"{ {'-': 'minus ', '−': 'minus ', '+': 'plus '}.get(m['sign'] or '', '')}{spoken(m['n'])} percent"),
    rule(rf"(?<![\w.,])(?P<n>{NUMBER}) ?‰", lambda m: f"{spoken(m['n'])} per mille"),
    rule(rf"(?<![\w/])(?P<unit>{one_of(WITHOUT_NUMBER)})(?![\w/²³])", lambda m: named(m["unit"], True)),
)  # fmt: skip
