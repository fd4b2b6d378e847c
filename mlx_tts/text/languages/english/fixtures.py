"""Marks of matches ("67' pen", "121* off 187b", "FT:") and signs of science ("km s⁻¹", "300 Myr") -> words."""

from __future__ import annotations

import re

from mlx_tts.text.languages.english.everyday import CRICKET
from mlx_tts.text.languages.english.numbers import NUMBER, ordinal, spoken
from mlx_tts.text.languages.english.subjects import GAME
from mlx_tts.text.languages.english.tells import tells_of
from mlx_tts.text.languages.english.unit_names import NAMES, named
from mlx_tts.text.normalise.engine import mentions, one_of, rule

SCORED = re.compile(r"\b[A-Z][a-z]+ \d{1,2}[-–]\d{1,2}\b|\b[HF]T \d{1,2}[-–]\d")
STUMPS = re.compile(
    r"\b(?:stumps|innings|crease|not out|wickets?|Lord['’]s|batt?ed|batting|run chase|ODI|T20"
    r"|[Oo]vers?)\b"
)
KICKS = {"pen": "penalty", "pens": "penalties", "og": "own goal", "o.g.": "own goal", "p": "penalty"}
AGES = {"Myr": "million years", "Gyr": "billion years", "kyr": "thousand years", "Mya": "million years ago",
        "mya": "million years ago", "kya": "thousand years ago", "Gya": "billion years ago", "Mpc": "megaparsecs",
        "kpc": "kiloparsecs", "Gpc": "gigaparsecs"}  # fmt: skip
POWERS = {"¹": "", "²": " squared", "³": " cubed"}
PER = {
    "s": "second", "m": "meter", "cm": "centimeter", "mm": "millimeter", "kg": "kilogram", "g": "gram", "L": "liter",
    "l": "liter", "mol": "mole", "yr": "year", "h": "hour", "hr": "hour", "K": "kelvin", "d": "day", "min": "minute",
    "Mpc": "megaparsec", "ha": "hectare", "mL": "milliliter", "sr": "steradian", "km": "kilometer", "day": "day",
}  # fmt: skip
VERSIONS = {"≥": "at least", ">=": "at least", ">": "above", "<=": "at most", "≤": "at most", "<": "below",
            "==": "equals", "~=": "compatible with"}  # fmt: skip
OF_AREA = {"²": "square ", "³": "cubic "}


def _cricket(match: re.Match[str]) -> bool:
    return mentions(CRICKET, match.string) or mentions(STUMPS, match.string)


def _per(match: re.Match[str]) -> str:
    """ "120 km s⁻¹", "9.81 m s⁻²", "1.2 kg m⁻³": a second is squared, and a meter is of an area."""
    parts = []
    for unit, power in re.findall(r"([A-Za-z]+)⁻([¹²³])", match["per"]):
        whole = f"{OF_AREA[power]}{PER[unit]}" if unit.endswith("m") and power in OF_AREA else PER[unit] + POWERS[power]
        parts.append(f"per {whole}")
    first = named(match["unit"], match["n"] not in ("1", "1.0")) if match["unit"] in NAMES else match["unit"]
    return f"{spoken(match['n'])} {first} {' '.join(parts)}"


HOURS = re.compile(r"\b(?:Next up|v|vs|away|home|Sky|TNT|live|fixture|match)\b")
DENSE = {"mA": "milliamp", "A": "amp", "µA": "microamp", "mW": "milliwatt", "W": "watt", "kW": "kilowatt",
        "mg": "milligram",
         "µg": "microgram", "g": "gram", "kg": "kilogram", "kN": "kilonewton", "N": "newton", "lb": "pound", "mAh":
         "milliamp hour", "J": "joule", "MJ": "megajoule", "t": "ton", "C": "coulomb", "cells": "cell"}  # fmt: skip
AREAS = {"cm": "centimeter", "m": "meter", "mm": "millimeter", "in": "inch", "ft": "foot", "km": "kilometer"}


def _dense(match: re.Match[str]) -> str | None:
    """ "25.1 mA/cm²": a unit for each piece of an area or of a room."""
    whole = "square" if re.search(r"(?:²|2)\Z", match[0]) else "cubic"
    several = "" if match["n"] in ("1", "1.0") else "s"
    return f"{spoken(match['n'])} {DENSE[match['unit']]}{several} per {whole} {AREAS[match['per']]}"


MEASURED = one_of((*NAMES, *PER, "J", "N", "W", "Pa", "erg", "photons"))
PENALTY = r"(?P<kick>pens?|og|o\.g\.|p)"
LAPS = re.compile(r"\b(?:F1|laps?|Grand Prix|GP|pole|Norris|Verstappen|Hamilton|McLaren|Ferrari|qualifying|race)\b")
FINAL = re.compile(r"\d[-–]\d in (?:\d|double |triple )?OT\b")
FIXTURE_RULES = (
    rule(r"(?<![\w.])(?P<half>[FH])T(?=:? \(?\d{1,2}[-–]\d{1,2}(?!\d)|: [A-Z])",
         lambda m: {"F": "full time", "H": "half time"}[m["half"]]
         if mentions(SCORED, m.string) and mentions(GAME, m.string) else None),
    rule(rf"(?<![\w.,x×'’-])(?P<n>[1-9]\d?|1[0-2]\d)(?:\+(?P<more>\d{{1,2}}))?['′’],? ?(?P<mark>\(?){PENALTY}(?![\w.])",
         lambda m: ((f"{spoken(m['n'])} plus {ordinal(int(m['more']))}" if m["more"] else ordinal(int(m["n"])))
                    + f" minute, {KICKS[m['kick']]}")
         if (mentions(GAME, m.string) or mentions(SCORED, m.string)) and m["mark"] == "" else None),
    rule(rf"(?<=['′’] \(){PENALTY}(?=\))",
         lambda m: KICKS[m["kick"]] if mentions(GAME, m.string) or mentions(SCORED, m.string) else None),
    rule(r"(?<![\w.,*])(?P<n>\d{1,3})\*(?= (?:off|from|not|and|in|as|by|to|at|on|with|helped|took|guided|saw)\b)",
         lambda m: f"{spoken(m['n'])} not out" if _cricket(m) else None),
    rule(r"(?:(?<=\boff )|(?<=\bfrom )|(?<=\())(?P<n>\d{1,3}) ?b(?![\w.])",
         lambda m: f"{spoken(m['n'])} ball{'' if m['n'] == '1' else 's'}" if _cricket(m) else None),
    rule(r"(?:(?<=\()|(?<=, )|(?<=b )|(?<=b; ))(?P<n>\d{1,2}) ?[x×] ?(?P<k>[46])s?(?=[,;)])",
         lambda m: f"{spoken(m['n'])} {'four' if m['k'] == '4' else 'six'}"
         + ("" if m["n"] == "1" else "s" if m["k"] == "4" else "es") if _cricket(m) else None),
    rule(r"(?:(?<=\bin )|(?<=\binto )|(?<=\bin the ))(?P<n>(?:[2-5]|double |triple )?)OT(?!\w)",
         lambda m: (f"{spoken(m['n'])} overtimes" if m["n"].isdecimal() else f"{m['n']}overtime")
         if mentions(GAME, m.string) or mentions(FINAL, m.string) else None),
    rule(r"(?:(?<=\d(?:st|nd|rd|th) )|(?<= 1st )|(?<=ouse ))X(?P<n>I|V)(?!\w)",
         lambda m: "eleven" if m["n"] == "I" else "fifteen"),
    rule(r"(?:(?<=\d(?:st|nd|rd|th) )|(?<=irst )|(?<=econd ))inns\b\.?(?=[ ,;:)])",
         lambda m: "innings" if _cricket(m) else None),
    rule(r"(?P<n>(?<![\w.,])\d{1,3}(?:\.[1-5])?) ?ovs?\b\.?(?=[ ,;:)]|\s*\Z)",
         lambda m: f"{spoken(m['n'])} over{'' if m['n'] == '1' else 's'}" if _cricket(m) else None),
    rule(r"(?P<what>[;(] ?(?:[A-Z]\. ?)?[A-Z][a-z'’-]+ )(?P<w>10|\d)[-–/](?P<r>[1-9]\d{1,2})(?=[,;)])",
         lambda m: f"{m['what']}{spoken(m['w'])} for {spoken(m['r'])}" if _cricket(m) else None),
    rule(r"(?<![\w/])f/l(?![\w/])", lambda m: "fastest lap" if mentions(LAPS, m.string) else None),
    # Of science.
    rule(r"(?<!\w)S/N(?= ?(?:ratio|of|≈|~|>|<|=|≥)(?! ?\d{4,})(?: |\w|\d))", "signal to noise"),
    rule(rf"(?<![\w.,])(?P<n>{NUMBER})[ -]?(?P<unit>{one_of(AGES)})(?![\w/⁻])",
         lambda m: f"{spoken(m['n'])} {AGES[m['unit']]}"),
    rule(rf"(?<![\w.,])(?P<n>{NUMBER}) ?(?P<unit>{MEASURED})"
         rf"(?P<per>(?:[ ·](?:{one_of(PER)})⁻[¹²³]){{1,3}})(?!\w)", _per),
    rule(r"(?<![\w.,])10\^\(?(?P<sign>[-−]?)(?P<n>\d{1,2}\.\d{1,3})\)?(?!\w)",
         lambda m: f"ten to the power of {'minus ' if m['sign'] else ''}{spoken(m['n'])}"),
    rule(r"(?<=\d )(?P<what>[MLR])[☉⊙](?!\w)",
         lambda m: {"M": "solar masses", "L": "solar luminosities", "R": "solar radii"}[m["what"]]),
    rule(r"(?<=[Pp]ython )(?P<sign>≥|>=|>|<=|≤|<|==|~=) ?3\.(?P<n>1\d)(?!\w|\.\d)",
         lambda m: f"{VERSIONS[m['sign']]} three point {spoken(m['n'])}"),
    rule(r"(?:(?<=\bat )|(?<=\bby )|(?<=\bbefore )|(?<=\bafter )|(?<=\buntil )|(?<=\bon at ))HT(?=[ ,;.)]"
         r"|\s*\Z)(?! \d)",
         lambda m: "half time" if mentions(GAME, m.string) else None),
    rule(r"(?<=[ap]m )KO(?!\w)|(?<=\d )KO(?=[,;.)]|\s*\Z)",
         lambda m: "kick-off" if mentions(GAME, m.string) or mentions(HOURS, m.string) else None),
    rule(rf"(?<![\w.,])(?P<n>{NUMBER}) ?(?P<unit>{one_of(DENSE)})/(?P<per>{one_of(AREAS)})(?:²|2|³|3"
         rf"|\^[23])(?!\w)", _dense),
    rule(rf"(?<![\w.,])(?P<n>{NUMBER}) ?°(?P<scale>[CF])/(?P<m>{NUMBER}) ?%(?!\w)",
         lambda m: f"{spoken(m['n'])} degrees {'Celsius' if m['scale'] == 'C' else 'Fahrenheit'},"
         f" {spoken(m['m'])} percent"),
    rule(r"(?<![\w.,/])(?P<a>\d{1,4}) ?(?P<u>[GT])B ?/ ?(?P<b>\d{1,4}) ?(?P<v>[GT])B"
         r"(?:/(?P<c>\d{1,4}) ?(?P<w>[GT])B)?(?![\w/])",
         lambda m: ", ".join(f"{spoken(m[n])} {'giga' if m[u] == 'G' else 'tera'}byte{'' if m[n] == '1' else 's'}"
                             for n, u in (("a", "u"), ("b", "v"), ("c", "w")) if m[n])),
    rule(r"(?P<what>\b(?:MacBook(?: Pro| Air)?|iMac|Surface|iPad(?: Pro| Air)?|ThinkPad|XPS|ROG|Galaxy|TV|monitor"
         r"|laptop|screen"
         r"|Pro|Air)) (?P<n>\d{2}(?:\.\d)?)[\"″](?=[ ,;.)]|\s*\Z)", lambda m: f"{m['what']} {spoken(m['n'])} inch"),
    # Of markets: "Rev. was $94.9B", "34x fwd. EPS".
    rule(r"(?:\A|(?<=[.;,(&] )|(?<=\n)|(?<=\band )|(?<=Q[1-4] )|(?<=while ))(?P<r>[Rr])ev\.(?= (?:was|rose|fell|grew"
         r"|up|down|of"
         r" [$£€]|hit|beat|missed|came in|increased|declined|growth|guidance|est\.?|[$£€]\d))", r"\g<r>evenue"),
    rule(r"(?<![\w.])(?P<f>[Ff])wd\.?(?= (?:EPS|earnings|P/E|PE\b|multiples?|sales|guidance|EBITDA))", r"\g<f>orward"),
    rule(r"(?<![\w.])(?P<m>[Mm])kt\.?(?= (?:cap|share|value|price|open|close|cond)\b)", r"\g<m>arket"),
)  # fmt: skip
TELLS = tells_of(
    r"\b[FH]T\b|['′’],? ?\(?(?:pen|og|o\.g|p\b)|\d\*|\d ?b\b|[x×] ?[46]|OT\b|\bX[IV]\b|S/N|\d[ -]?[MGk](?:yr|ya"
    r"|pc)\b|mya\b"
    r"|⁻[¹²³]|10\^|\b[Rr]ev\b|[Ff]wd|[Mm]kt|[MLR][☉⊙]|ython [≥>≤<=~]|\bHT\b|\binns\b|\d ?ovs?\b"
    r"|[;(] ?[A-Z][a-z]+ \d{1,2}[-–/]\d|\bf/l\b|\bKO\b"
    r"|\d ?[a-zA-Zµ]{1,5}/(?:[ckm]?m|in|ft)[²³23^]|°[CF]/\d|\dGB ?/|\dTB ?/|[a-zAV] \d{2}(?:\.\d)?[\"″]"
)
