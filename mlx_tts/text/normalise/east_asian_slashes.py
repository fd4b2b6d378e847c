"""Slashes, hyphens and telephones between forms that stand side by side, and what a plug bears, for languages that
count in myriads: "220V/60Hz", "☎02-123-4567/010-1234-5678", "2%-5%"; each language gives its words."""

from __future__ import annotations

import re
from collections.abc import Callable

from mlx_tts.text.normalise.east_asian import NUMBER, START, EastAsian
from mlx_tts.text.normalise.engine import Rule, one_of, rule, text_after, text_before

OF_POWER = "k?Hz|MHz|GHz|k?V|k?W"
WORD = "一-鿿ぁ-んァ-ヺ가-힣"
# What a range counts; a hyphen behind the number of a house is none.
SPANNED = re.compile(
    r"\d[万亿億萬千百만천억]?(?:[年天月日号周週分秒时時点點个個人名元円岁歳度倍成回次년월일시분초개명원도점]|[ヶケカか]月|[小时時]{1,2}間?|[点點]半|个月"
    r"|分钟|分間|万円|万元|개월|시간)? ?\Z"
)


def slash_rules(own: EastAsian) -> tuple[Rule, ...]:
    units = one_of(own.all_units)
    measured = re.compile(rf"(?:\d ?(?:{units})|[A-Za-z]\d|\d[A-Z]{{1,2}}) ?\Z")

    def between(match: re.Match[str]) -> str | None:
        return own.pause if measured.search(text_before(match, 12)) else None

    def powers(match: re.Match[str]) -> str | None:
        if float(match["a"]) >= float(match["b"]):
            return None
        return f"{own.spoken(match['a'])}{own.pause}{own.all_units[match['unit']].format(own.spoken(match['b']))}"

    def plugged(match: re.Match[str]) -> str:
        first = f"{own.spoken(match['a'])}{own.to}" if match["a"] else ""
        return f"{match['head']} {own.all_units[match['unit']].format(first + own.spoken(match['n']))}"

    def shares(match: re.Match[str]) -> str:
        first, last = (own.percent.format(own.spoken(match[name])) for name in "ab")
        return f"{first}{own.to}{last}"

    return (
        rule(r"(?P<head>(?:FAX|Fax|TEL|Tel|ファクス"
             r"|ファックス|電話|팩스|전화|传真|电话|座机)[:은는は为 ]{0,2})"
             r"(?P<a>\d{3,4})-(?P<b>\d{4})(?![\d-])",
             lambda m: f"{m['head']}{own.by_digits(m['a'])}{own.pause}{own.by_digits(m['b'])}"),
        rule(r"(?<=<)(?P<a>\d{1,2})-(?P<b>\d{1,2})(?=>)",
             lambda m: f"{own.cardinal(int(m['a']))}{own.versus}{own.cardinal(int(m['b']))}"),
        rule(r"[☎☏✆📞📱] ?(?=[(（+]?\d)", ""),
        rule(r"(?<=\d\d\d\d) ?/ ?(?=[(（]?0\d{1,3}[-)）]|1[3-9]\d{9}|1[3-9]\d-|\+\d|95\d{3}(?!\d))",
             lambda m: own.pause),
        rule(r"(?:(?<=\.jp)|(?<=\.kr)|(?<=\.cn)|(?<=\.com)|(?<=\.net)|(?<=\.org)) ?/ ?"
             r"(?=0\d{1,3}-|1[3-9]\d{9}|1\d{3}-)", lambda m: own.pause),
        rule(r"(?<=\d\d\d\d) ?/ ?(?P<word>[A-Za-z]{2,5})(?P<mark>[:.]? ?)(?=[(（+]?\d)",
             lambda m: f"{own.pause}{m['word']}{m['mark']}"),
        rule(r"(?<![A-Za-z\d])(?P<word>[A-Za-z]{2,5}) ?/ ?(?=[(（]?0\d{1,3}[-)）])", lambda m: m["word"] + own.pause),
        rule(rf"(?<=[{WORD}])/(?=\d{{1,4}}(?:\.\d{{1,2}})? ?(?:{units})(?![A-Za-z]))",
             lambda m: own.pause if re.search(r"\d[^\d\s/]{1,5}\Z", text_before(m, 6)) else None),
        rule(r"(?:(?<=:[0-5]\d)|(?<=[)）])) ?/ ?(?=\d{1,2}:[0-5]\d)", lambda m: own.pause),
        rule(rf"(?<=:[0-5]\d) ?/ ?(?=[{WORD}])", lambda m: own.pause),
        rule(rf"(?<=[A-Za-zΩ℃%\d]) ?/ ?(?={NUMBER} ?(?:{units}|[{WORD}])(?![A-Za-z]))", between),
        rule(rf"(?<=\dV) ?(?:[=⎓] ?(?={NUMBER} ?A)|~ ?(?={NUMBER} ?Hz))", lambda m: own.pause),
        rule(rf"{START}(?P<a>\d{{1,4}}(?:\.\d)?)/(?P<b>\d{{1,4}}(?:\.\d)?) ?(?P<unit>{OF_POWER})(?![A-Za-z])", powers),
        rule(r"(?<![A-Za-z])(?P<head>AC|DC) ?(?:(?P<a>\d{1,4})[-~〜～])?(?P<n>\d{1,4}(?:\.\d)?) ?"
             r"(?P<unit>k?V)(?![A-Za-z])", plugged),
        rule(rf"{START}(?P<a>{NUMBER}) ?% ?[-–—~〜～] ?(?P<b>{NUMBER}) ?%", shares),
        # "D2:8点" has no score.
        rule(rf"(?<![A-Za-z\d])(?P<letters>[A-Z][a-z]{{0,3}})(?P<n>\d{{1,2}}):(?=\d{{1,2}}(?::\d\d|[{WORD}]))",
             lambda m: f"{m['letters']} {own.cardinal(int(m['n']))}:"),
    )  # fmt: skip


def span_rule(own: EastAsian, said: Callable[[str, str], str]) -> Rule:
    """ "3个月-1年", "7月5日-7月18日": the hyphen is no minus. said: a number before what stands behind it."""

    def spanned(match: re.Match[str]) -> str | None:
        before, behind = text_before(match, 8), text_after(match, 4)
        if (
            re.match("[度点點점]|도(?!루)|ポイント|포인트", behind)
            and behind[0] not in re.split("[、，,。 ]", before)[-1]
        ):
            return None  # "1月は-5度" is below nought
        if not SPANNED.search(before) or before[-1:].isdigit():
            beside = re.search(rf"\d[{WORD}]{{1,4}}(?<![はのがにでもをと은는이가을를为是约])\Z", before)
            return own.pause + said(match["n"], behind) if beside else None
        joint = own.from_to if own.from_to and re.search("[년월일시]\\Z|시 ?\\d{1,2}분\\Z", before) else own.to
        if re.match("篮板|助攻|抢断|盖帽|リバウンド|アシスト|盗塁", behind):
            return own.pause + said(match["n"], behind)
        if len(match["n"]) == 4 and behind[:1] in ("年", "년"):
            return joint + own.year(match["n"])
        return joint + said(match["n"], behind)

    return rule(rf"(?<=[{WORD}]) ?[-–—] ?(?P<n>{NUMBER})(?=[{WORD}])", spanned)
