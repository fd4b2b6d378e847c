"""Rules for forms that Italian, Spanish and Portuguese write alike; each language gives its words."""

from __future__ import annotations

import re
from collections.abc import Mapping

from mlx_tts.text.normalise.engine import Rule, rule
from mlx_tts.text.normalise.romance import Romance


def place_rules(
    own: Romance, parts: tuple[str, str, str], lines: Mapping[str, str], sides: str, joint: str = " "
) -> tuple[Rule, ...]:
    """ "lat. 45°40'12\" N", "long. 10,5° E". parts: one and several degrees, minutes, seconds. lines: "lat" and its
    like. sides: their letters. joint: between the parts."""

    def place(match: re.Match[str]) -> str:
        line = match["line"] or ""
        word = f"{lines[line.lower()]} " if line else ""
        said = [match["d"]]
        if match["m"]:
            said.append(str(int(match["m"])))
        if match["s"]:
            said.append(match["s"].replace(".", ","))
        numbers = joint.join(own.counted(n, part.split("|")) for n, part in zip(said, parts, strict=False))
        side = match["side"] if match["side"] in own.compass else "O"
        return f"{word.capitalize() if line[:1].isupper() else word}{numbers} {own.compass[side]}"

    return (
        rule(rf"(?:\b(?P<line>[Ll]at|[Ll]ong?)\. ?)?(?<![\w.,-])(?P<d>\d{{1,3}})° ?(?P<m>[0-5]?\d)['’′] ?"
             rf"(?:(?P<s>[0-5]?\d(?:[.,]\d{{1,2}})?)(?:[\"”″]|['’]{{2}}) ?)?(?P<side>[{sides}])(?!\w)", place),
        rule(r"\b(?P<line>[Ll]at|[Ll]ong?)\. ?(?P<d>\d{1,3}(?:,\d{1,6})?)° ?(?P<m>)(?P<s>)"
             rf"(?P<side>[{sides}])(?!\w)", place),
    )  # fmt: skip


def zone_rule(own: Romance, joint: str) -> Rule:
    """ "UTC-5", "GMT+5:30". joint: "and", between hours and minutes."""
    return rule(
        r"\b(?P<zone>UTC|GMT) ?(?P<sign>[-+−–]) ?(?P<n>1[0-4]|0?\d)(?::(?P<m>[0-5]\d))?(?![\w:]|[.,]\d)",
        lambda m: (
            f"{m['zone']} {own.plus if m['sign'] == '+' else own.minus} {own.cardinal(int(m['n']))}"
            + (f" {joint} {own.cardinal(int(m['m']))}" if int(m["m"] or 0) else "")
        ),
    )


def year_of_month_rule(own: Romance, months: str, joint: str, longer: Mapping[str, str] | None = None) -> Rule:
    """ "gen/27". months: a pattern. joint: between month and year. longer: short forms that the language's lack."""

    def said(match: re.Match[str]) -> str:
        year = int(match["y"]) + (2000 if len(match["y"]) == 2 else 0)
        month = (longer or {}).get(match["month"], match["month"])
        return f"{own.month_names[own.month_numbers[month] - 1]}{joint}{own.year(year)}"

    return rule(rf"(?<![\w/])(?P<month>{months})/(?P<y>20\d\d|[0-3]\d)(?![\w/])", said)


def extreme_rule(measured: Mapping[str, str], extremes: Mapping[str, str]) -> Rule:
    """ "prof. max"."""
    return rule(
        rf"(?<![\w.])(?P<what>{'|'.join(measured)})\. (?P<how>{'|'.join(extremes)})(?:\.|(?!\w))",
        lambda m: f"{measured[m['what']]} {extremes[m['how']]}",
    )


def oxygen_rule(own: Romance) -> Rule:
    return rule(r"\b(?P<what>Sat|Sp)O₂", lambda m: f"{m['what']}O {own.cardinal(2)}")


def dust_rule(own: Romance) -> Rule:
    """ "PM2.5"."""
    return rule(r"\bPM ?(?P<n>2[.,]5|10)(?!\w|[.,]\d)", lambda m: f"PM {own.spoken(m['n'].replace('.', ','))}")


def minutes_rule(own: Romance) -> Rule:
    """ "16/18 min.", behind which a capital begins a sentence."""

    def span(match: re.Match[str]) -> str | None:
        first, last = int(match["a"]), int(match["b"])
        return f"{own.cardinal(first)} a {own.cardinal(last)} minutos." if first < last else None

    return rule(r"(?<![\w.,/-])(?P<a>[1-9]\d?)/(?P<b>[1-9]\d?) ?min\.(?= [A-ZÀ-Þ])", span)


def side_rule(own: Romance, before: str, sides: str) -> Rule:
    """ "sentido N-S". before: a pattern of lookbehinds."""
    return rule(
        rf"(?:{before})(?P<a>[{sides}])-(?P<b>[{sides}])(?!\w)",
        lambda m: f"{own.compass[m['a']]}-{own.compass[m['b']]}",
    )
