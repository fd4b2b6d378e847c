"""Numbers that are names -> English words: telephones, serials, versions, addresses, formulas, quarters."""

from __future__ import annotations

import re

from mlx_tts.text.languages.english.numbers import cardinal, digits, spoken, year
from mlx_tts.text.normalise.rules import one_of, rule, words_of

STATES = dict(
    pair.split(":") for pair in ["AL:Alabama", "AK:Alaska", "AZ:Arizona", "AR:Arkansas", "CA:California",
    "CO:Colorado", "CT:Connecticut", "DE:Delaware", "FL:Florida", "GA:Georgia", "HI:Hawaii", "ID:Idaho", "IL:Illinois",
    "IN:Indiana", "IA:Iowa", "KS:Kansas", "KY:Kentucky", "LA:Louisiana", "ME:Maine", "MD:Maryland", "MA:Massachusetts",
    "MI:Michigan", "MN:Minnesota", "MS:Mississippi", "MO:Missouri", "MT:Montana", "NE:Nebraska", "NV:Nevada",
    "NH:New Hampshire", "NJ:New Jersey", "NM:New Mexico", "NY:New York", "NC:North Carolina", "ND:North Dakota",
    "OH:Ohio", "OK:Oklahoma", "OR:Oregon", "PA:Pennsylvania", "RI:Rhode Island", "SC:South Carolina",
    "SD:South Dakota", "TN:Tennessee", "TX:Texas", "UT:Utah", "VT:Vermont", "VA:Virginia", "WA:Washington",
    "WV:West Virginia", "WI:Wisconsin", "WY:Wyoming", "DC:D C"]
)  # fmt: skip
FORMULAS = words_of(
    "H2O CO2 O2 N2 H2 O3 CO NO2 N2O SO2 SO3 H2SO4 HNO3 H3PO4 NH3 CH4 C2H6 C2H5OH C6H12O6 NaCl KCl NaOH KOH HCl "
    "H2O2 CaCO3 Fe2O3 NaHCO3 MgO SiO2 TiO2 Al2O3 CaCl2 AgNO3 PbS UF6 CFC"
)
SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
GREEK = {"α": "alpha", "β": "beta", "γ": "gamma", "Δ": "delta", "δ": "delta", "λ": "lambda", "μ": "mu", "σ": "sigma",
         "Σ": "sigma", "θ": "theta", "ω": "omega", "Ω": "omega"}  # fmt: skip


def _groups(match: re.Match[str]) -> str:
    """Digits one by one, a comma's breath between the groups."""
    plus = "plus " if match[0].lstrip("(").startswith("+") else ""
    return plus + ", ".join(digits(group) for group in re.findall(r"\d+", match[0]))


def _serial(match: re.Match[str]) -> str | None:
    written = match[0]
    groups = written.split("-") if "-" in written else written.split(" ")
    return ", ".join(digits(g) if g.isdecimal() else f"{digits(g[:-1])} {g[-1]}".strip() for g in groups)


def _version(match: re.Match[str]) -> str:
    parts = re.split(r"\.", match["number"])
    return "version " + " point ".join(spoken(part) for part in parts) + _stage(match)


def _stage(match: re.Match[str]) -> str:
    stage = match["stage"] if "stage" in match.groupdict() else None
    if not stage:
        return ""
    kind, number = re.fullmatch(r"[-.]?([a-z]+)\.?(\d*)", stage).groups()  # type: ignore[union-attr]
    name = {"rc": "release candidate", "b": "beta", "a": "alpha"}.get(kind, kind)
    return f" {name}" + (f" {cardinal(int(number))}" if number else "")


def _dotted(match: re.Match[str]) -> str:
    parts = match["number"].split(".")
    if len(parts) == 4:
        return " dot ".join(digits(part) for part in parts)
    return " point ".join(spoken(part) for part in parts) + _stage(match)


def _formula(match: re.Match[str]) -> str:
    atoms = re.findall(r"[A-Z][a-z]?|\d+", match[0].translate(SUBSCRIPTS))
    # Hyphens: the built-in voices say so spelt letters rightly (4 of 4), with spaces between them wrongly (0 of 4).
    return "-".join(cardinal(int(a)) if a.isdecimal() else "-".join(a.upper()) for a in atoms)


def _zip(match: re.Match[str]) -> str | None:
    state = STATES.get(match["state"])
    if state is None:
        return None
    code = "".join(f"{sep}{digits(part)}" for sep, part in ((" ", match["zip"]), (", ", match["more"])) if part)
    return f", {state}{code}"


# Without digits.
NAMES = (
    rule(rf"(?<![\w-])(?:{one_of(FORMULAS)})(?![\w-])", lambda m: None if m[0] in ("CO", "CFC") else _formula(m)),
    rule(rf"(?<=[a-z]), (?P<state>{'|'.join(STATES)})(?=[,.;:!?)]|\Z)(?P<zip>)(?P<more>)", _zip),
)
RULES = (
    rule(r"(?<![\w.])(?:\+\d{1,3}[ .-]?)?\(\d{2,5}\)[ .-]?\d{2,5}(?:[ .-]\d{2,5}){0,4}(?!\w)", _groups),
    rule(r"(?<![\w.])\+\d{1,3}(?:[ .-]?\d{1,12})(?:[ .-]\d{1,5}){0,5}(?![\w%])(?!\.\d)", lambda m: _international(m)),
    rule(r"(?<![\w.,$€£-])(?:1[-.])?[2-9]\d{2}([-.])\d{3}\1\d{4}(?![\w-])", _groups),
    rule(r"(?<![\w.,$€£-])555-\d{4}(?![\w-])", _groups),
    rule(r"(?<=\b[Tt]el[.:] )\d{3}[- ]\d{4}\b|(?<=\b[Pp]hone )\d{3}[- ]\d{4}\b|(?<=\b[Cc]all )\d{3}[- ]\d{4}\b",
         _groups),
    rule(r"(?<![\w.,-])\d{2}-\d{7}(?![\w-])|(?<![\w.,-])\d{3}-\d{2}-\d{4}(?![\w-])", _serial),
    rule(r"(?<![\w.,-])\d{1,7}(?:-\d{1,7}){2,6}(?:-[\dX])?(?![\w-])", _serial),
    rule(r"(?<![\w.,-])\d{4} \d{4} \d{4} \d{3,4}(?!\w)", _serial),
    rule(r",? (?P<state>[A-Z]{2}) (?P<zip>\d{5})(?:-(?P<more>\d{4}))?(?![\w-])", _zip),
    rule(r"\b[vV](?:\. ?|er\. ?)?(?P<number>\d{1,4}(?:\.\d{1,6}){0,4})(?P<stage>-?(?:rc|beta|alpha|b|a)\.?\d{0,3})?"
         r"(?![\w.]\w)(?!\w)",
         _version),
    rule(r"(?<![\w.,])(?P<number>\d{1,6}(?:\.\d{1,6}){2,4})(?P<stage>-?(?:rc|beta|alpha|b|a)\.?\d{0,3})?(?![\w-])",
         _dotted),
    rule(r"(?<!\w)(?:[A-Z][a-z]?[₀-₉]*){1,12}(?<=[₀-₉])(?:[A-Z][a-z]?[₀-₉]*){0,12}(?!\w)", _formula),
    rule(r"\b(?P<q>[QH])(?P<n>[1-4])(?:[ -](?P<year>(?:19|20)\d\d))?(?!\w)",
         lambda m: f"{m['q']} {cardinal(int(m['n']))}{' ' + year(int(m['year'])) if m['year'] else ''}"),
    rule(r"(?<!\w)0[xX](?P<hex>[0-9A-Fa-f]{1,16})\b", lambda m: "zero x " + " ".join(
        cardinal(int(c)) if c.isdecimal() else c.upper() for c in m["hex"])),
    rule(r"\b(?P<word>[Ff]light|[Rr]oom|[Rr]oute|[Hh]ighway|[Gg]ate|[Cc]ode|PIN|pin|[Ee]xtension|[Ee]xt\.)"
         r"(?P<kind> (?:[A-Z]{1,2} ?)?)(?P<n>\d{3,6})\b", lambda m: f"{_word(m['word'])}{m['kind']}{_room(m)}"),
    rule(r"(?<![\w.,])(?P<agent>00)(?P<n>[1-9])\b", lambda m: f"double oh {cardinal(int(m['n']))}"),
    rule(rf"(?<![A-Za-z])(?P<letter>{one_of(GREEK)})(?![A-Za-z])", lambda m: GREEK[m["letter"]]),
)  # fmt: skip


def _word(word: str) -> str:
    return "extension" if word.lower() == "ext." else word


def _room(match: re.Match[str]) -> str:
    written = match["n"]
    if len(written) == 3 and written[1:] != "00" and match["word"][0] in "FfRrHh":
        middle = "oh " if written[1] == "0" else ""
        return f"{digits(written[0])} {middle}{cardinal(int(written[1:]))}"
    if len(written) == 4 and match["word"][0] in "FfRr" and match["word"].lower() != "route":
        return year(int(written))
    return cardinal(int(written)) if written.endswith("00") else digits(written)


def _international(match: re.Match[str]) -> str | None:
    """With seven digits or more it is a telephone number; "+5" is a number with its sign."""
    return _groups(match) if sum(c.isdigit() for c in match[0]) > 6 else None
