"""Measures -> English words: "25 °C", "100 km/h", "12.5 %", "5'11"", and a few units without a number."""

from __future__ import annotations

import re

from mlx_tts.text.languages.english.numbers import MAGNITUDES, NUMBER, cardinal, is_one, spoken
from mlx_tts.text.normalise.rules import one_of, rule

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


RULES = (
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
