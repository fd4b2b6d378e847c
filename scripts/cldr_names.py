"""Write the names of months, weekdays and units that the reader says, from Unicode's CLDR: python scripts/cldr_names.py

Needs Babel (pip install babel), which carries CLDR; the package itself does not. The table is
mlx_tts/text/normalise/cldr_names.json, under the Unicode licence that stands in it.
"""

import json
from pathlib import Path

import babel
from babel import Locale

# Those that `European` can describe: the ones behind the first six have no rules yet, and a file is all that they need.
LANGUAGES = ("de", "es", "fr", "it", "pt", "ru", "cs", "da", "nb", "nl", "pl", "ro", "sv")
UNITS = [
    "length-kilometer",
    "length-meter",
    "length-centimeter",
    "length-millimeter",
    "length-micrometer",
    "length-nanometer",
    "length-mile",
    "length-foot",
    "length-inch",
    "length-yard",
    "mass-kilogram",
    "mass-gram",
    "mass-milligram",
    "mass-microgram",
    "mass-tonne",
    "mass-pound",
    "mass-ounce",
    "volume-liter",
    "volume-milliliter",
    "volume-centiliter",
    "volume-deciliter",
    "volume-hectoliter",
    "duration-hour",
    "duration-minute",
    "duration-second",
    "duration-millisecond",
    "duration-day",
    "speed-kilometer-per-hour",
    "speed-meter-per-second",
    "speed-mile-per-hour",
    "temperature-celsius",
    "temperature-fahrenheit",
    "temperature-kelvin",
    "area-square-kilometer",
    "area-square-meter",
    "area-square-centimeter",
    "area-hectare",
    "volume-cubic-meter",
    "volume-cubic-centimeter",
    "volume-cubic-kilometer",
    "power-watt",
    "power-kilowatt",
    "power-megawatt",
    "energy-kilowatt-hour",
    "energy-kilojoule",
    "energy-joule",
    "energy-calorie",
    "energy-kilocalorie",
    "electric-volt",
    "electric-ampere",
    "electric-ohm",
    "frequency-hertz",
    "frequency-kilohertz",
    "frequency-megahertz",
    "frequency-gigahertz",
    "digital-kilobyte",
    "digital-megabyte",
    "digital-gigabyte",
    "digital-terabyte",
    "pressure-hectopascal",
    "angle-degree",
]
FORMS = ("one", "few", "many", "other")
TARGET = Path(__file__).parents[1] / "mlx_tts" / "text" / "normalise" / "cldr_names.json"


def names(code: str) -> dict[str, object]:
    locale = Locale(code)
    units = {}
    for unit in UNITS:
        patterns = locale._data["unit_patterns"].get(unit, {}).get("long", {})
        # Spanish, French and others have "many" for millions: it is not said here.
        keys = FORMS if {"few", "many"} <= locale.plural_form.tags else ("one", "other")
        said = {key: patterns[key].replace("{0}", "").strip() for key in keys if isinstance(patterns.get(key), str)}
        if said:
            other = said["other"]
            units[unit.split("-", 1)[1]] = "|".join(said.get(key, other) for key in keys)
    return {
        "months": [locale.months["format"]["wide"][month] for month in range(1, 13)],
        "short_months": [locale.months["format"]["abbreviated"][month].rstrip(".") for month in range(1, 13)],
        "days": [locale.days["format"]["wide"][day] for day in range(7)],
        "short_days": [locale.days["format"]["abbreviated"][day].rstrip(".") for day in range(7)],
        "units": units,
    }


def main() -> None:
    table = {
        "source": f"Unicode CLDR, by Babel {babel.__version__}",
        "licence": "Unicode-3.0, https://www.unicode.org/license.txt. Copyright (C) Unicode, Inc.",
        "languages": {code: names(code) for code in LANGUAGES},
    }
    TARGET.write_text(json.dumps(table, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
