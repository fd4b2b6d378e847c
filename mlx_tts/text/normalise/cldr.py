"""CLDR's names of months, weekdays and units, and the signs that stand for the units."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

from mlx_tts.text.normalise.engine import words_of

# Signs of units that are the same in many languages, and CLDR's names for them.
UNIT_SIGNS = {
    "km": "kilometer", "m": "meter", "cm": "centimeter", "mm": "millimeter", "µm": "micrometer", "nm": "nanometer",
    "mi": "mile", "ft": "foot", "yd": "yard", "kg": "kilogram", "g": "gram", "mg": "milligram", "µg": "microgram",
    "t": "tonne", "lb": "pound", "lbs": "pound", "oz": "ounce", "l": "liter", "L": "liter", "ml": "milliliter",
    "mL": "milliliter", "cl": "centiliter", "dl": "deciliter", "hl": "hectoliter", "h": "hour", "min": "minute",
    "s": "second", "sec": "second", "ms": "millisecond", "km/h": "kilometer-per-hour", "m/s": "meter-per-second",
    "mph": "mile-per-hour", "°C": "celsius", "℃": "celsius", "ºC": "celsius", "°F": "fahrenheit", "K": "kelvin",
    "km²": "square-kilometer", "m²": "square-meter", "cm²": "square-centimeter", "ha": "hectare", "m³": "cubic-meter",
    "cm³": "cubic-centimeter", "km³": "cubic-kilometer", "W": "watt", "kW": "kilowatt", "MW": "megawatt",
    "kWh": "kilowatt-hour", "kJ": "kilojoule", "J": "joule", "cal": "calorie", "kcal": "kilocalorie", "V": "volt",
    "A": "ampere", "Ω": "ohm", "Hz": "hertz", "kHz": "kilohertz", "MHz": "megahertz", "GHz": "gigahertz",
    "kB": "kilobyte", "KB": "kilobyte", "MB": "megabyte", "GB": "gigabyte", "TB": "terabyte", "hPa": "hectopascal",
    "°": "degree",
}  # fmt: skip
# Rates that people write in ranges and beside powers, where a slash says nothing by itself.
RATES = words_of("l/m² g/cm³ kg/m³ g/m² kg/m² W/m² kWh/m² mg/l mg/dl g/l g/dl mg/kg m³/h l/h l/min ml/h ml/min km/s")


@cache
def cldr_names() -> Any:
    """Language -> months, weekdays and units."""
    table = files("mlx_tts.text.normalise").joinpath("cldr_names.json").read_text(encoding="utf-8")
    return json.loads(table)["languages"]
