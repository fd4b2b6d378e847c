"""Rules for Latin forms that stand alike in Chinese, Japanese and Korean texts; each language gives its words."""

from __future__ import annotations

import re
from math import gcd

from mlx_tts.text.normalise.east_asian import NUMBER, EastAsian
from mlx_tts.text.normalise.engine import Rule, rule, text_before


def blood_rule(own: EastAsian, comma: str) -> Rule:
    """ "AST/ALT 45/52": two values of blood in a row."""
    return rule(
        r"(?P<head>(?<![A-Za-z])[A-Za-z]{2,5}/[A-Za-z]{2,5}\)? ?)(?P<a>\d{1,4})/(?P<b>\d{1,4})(?![\d/.])",
        lambda m: f"{m['head']}{own.cardinal(int(m['a']))}{comma}{own.cardinal(int(m['b']))}",
    )


def protection_rule(own: EastAsian, behind: str = "") -> Rule:
    """ "IP68". behind: a pattern of what may not follow."""
    return rule(
        rf"(?<![A-Za-z\d])IP ?(?P<n>[0-6]\d)(?![\dA-Za-z_-]|\.\d{behind})", lambda m: f"IP {own.by_digits(m['n'])}"
    )


def formula_rules(two: str, hemoglobin: str, kind: str) -> tuple[Rule, ...]:
    """ "SpO2", "H2O", "HbA1c": formulas and values of blood are said as in English. two, hemoglobin, kind: "2", "Hb"
    and "A1c" as they sound."""
    return (
        rule(r"(?<![A-Za-z\d._-])(?P<atoms>(?:Sp|Pa|Fi|Et)?C?O|V[OC]O?|NO|SO|TiO)[2₂](?![A-Za-z\d_-]|\.\d)",
             lambda m: f"{m['atoms']} {two}"),
        rule(r"(?<![A-Za-z\d._-])H[2₂](?P<more>O?)(?![A-Za-z\d_-]|\.\d)", lambda m: f"H {two} {m['more']}".strip()),
        rule(r"(?<![A-Za-z\d._-])(?P<head>(?:Hb)?)A1[cC](?![A-Za-z\d_-])",
             lambda m: f"{hemoglobin if m['head'] else ''}{kind}"),
    )  # fmt: skip


def test_rule(own: EastAsian) -> Rule:
    """ "CRP8.6mg/dL": what was measured in the blood, without a blank before its number."""
    return rule(
        rf"(?<![A-Za-z\d])(?P<what>[A-Z][A-Za-z]{{1,5}}) ?(?P<n>{NUMBER}) ?(?P<unit>mg/dL|mg/L|mmol/L)(?![A-Za-z])",
        lambda m: (
            f"{m['what']} {own.all_units[m['unit']].format(own.spoken(m['n']))}" if m["unit"] in own.units else None
        ),
    )


# Before "6/12" that is a part of a whole or a mark.
SHARED = re.compile(r"(?:率|割合|評価|点|スコア|正解|全体|확률|비율|전체|점|정답|평가)[^。.]{0,6}\Z")


def day_rules(own: EastAsian, behind: str, named: str, mark: str) -> tuple[Rule, ...]:
    """ "6/30" and "1/3" as days. behind: a pattern of what stands behind the first, which nobody would write for a part
    of a whole, since it can be made smaller. named, mark: of what stands before the second: "帰りは"."""

    def day(match: re.Match[str]) -> str | None:
        month, day = int(match["month"]), int(match["day"])
        part = day in (10, 20) or day < 10 or gcd(month, day) == 1 or SHARED.search(text_before(match, 10))
        if not match["head"] and part:
            return None
        return f"{match['head'] or ''}{own._short_date_of(month, day)}"

    number = r"(?<![A-Za-z\d./~〜=+×÷-])(?P<month>1[0-2]|[1-9])/(?P<day>3[01]|[12]\d|[1-9])"
    return (
        rule(rf"(?P<head>){number}(?=(?:{behind}))", day),
        rule(rf"(?P<head>(?:{named}){mark}){number}(?![\d/.]|に[減増縮な]|으?로 ?[줄감늘])", day),
    )


def nil_rule(own: EastAsian, behind: str) -> Rule:
    """ "0-4" is a score: nothing is counted from nought. behind: a pattern of what stands behind it."""
    return rule(
        rf"(?<![A-Za-z\d./:~〜-])(?P<a>0|[1-9]\d?)-(?P<b>0|[1-9]\d?)(?=(?:{behind}))(?![\d-])",
        lambda m: (
            f"{own.cardinal(int(m['a']))}{own.versus}{own.cardinal(int(m['b']))}" if "0" in (m["a"], m["b"]) else None
        ),
    )
