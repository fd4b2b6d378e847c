"""Spans of days and years whose last number is short, as "4/18〜20" and "1904〜05年", and titles in signs of
smaller and larger, for languages that count in myriads; each language gives its words."""

from __future__ import annotations

import re

from mlx_tts.text.normalise.east_asian import START, EastAsian
from mlx_tts.text.normalise.engine import Rule, rule, text_before

WAVE = " ?[-–—~〜～] ?"
# Before "1/2〜3" and behind it stand words of what is measured: then it is no day.
MEASURED_BEFORE = re.compile(r"(?:さじ|カップ|約|全体の|[컵술약]|스푼|大约|约) ?\Z")
MEASURED_BEHIND = (
    r"[\d/:：%％]|\.\d|[A-Za-z個个個杯本枚片束株丁缶袋勺匙颗根量倍割程時时點点回分号層层人名]|カップ|さじ|時間|개|컵|큰술|작은술|스푼"
    r"|시(?:간|[ ,.까부]|\Z)|[대줄쪽배층회명단모](?![가-힣])|정도|가량|포기"
)
SEASON = "赛季|賽季|学年|學年|财年|財年|シーズン|시즌|학년도|회계연도"


def span_rules(own: EastAsian, day: str) -> tuple[Rule, ...]:
    """day: of a number, "{}日"."""

    def weekday(name: str | None) -> str:
        if not name:
            return ""
        return own.weekday.format(name) if len(name) == 1 else f"（{name}）"

    def days(match: re.Match[str]) -> str | None:
        month, first, last = (int(match[name]) for name in ("month", "day", "last"))
        if not first < last or (not match["wa"] and MEASURED_BEFORE.search(text_before(match, 4))):
            return None
        return (
            f"{own._short_date_of(month, first)}{weekday(match['wa'])}{own.from_to or own.to}"
            f"{day.format(own.cardinal(last))}{weekday(match['wb'])}"
        )

    def years(match: re.Match[str]) -> str | None:
        """The last year has the century of the first; a nought would be heard as a number of its own."""
        first, last = match["a"], match["b"]
        if int(first[2:]) >= int(last):
            return None
        joint = own.from_to or own.to
        if match["mark"] == "/" and not own.years_by_digits:
            joint = own.pause if own.pause != ", " else " "
        if own.years_by_digits:
            said = own.by_digits(last)
        else:
            said = own.year(first[:2] + last) if last[0] == "0" else own.cardinal(int(last))
        return f"{own.year(first)}{match['unit']}{joint}{said}"

    def month(match: re.Match[str]) -> str:
        """ "2026/3まで": a month of a year."""
        said = own.date.format(year=own.year(match["year"]), month=own.month(int(match["month"])), day="")
        return re.sub(r" ?[日일]\Z", "", said)

    named = rf"[（(](?P<w{{}}>(?:周|週|星期)?[{own.weekdays}])[)）]"
    year = r"(?P<a>(?:1\d|20)\d\d)(?P<unit>[年년]?) ?(?P<mark>[-–—~〜～至到/]) ?(?P<b>\d\d)"
    return (
        rule(r"(?<![A-Za-z\d./~〜=+×÷-])(?P<month>1[0-2]|0?[1-9])/(?P<day>3[01]|[12]\d|0?[1-9])"
             rf"(?:{named.format('a')})?{WAVE}(?P<last>3[01]|[12]\d|0?[1-9])[日일]?"
             rf"(?:{named.format('b')})?(?!{MEASURED_BEHIND})", days),
        rule(r"(?<![A-Za-z\d./~〜=+×÷-])(?P<month>1[0-2]|[1-9])/(?P<day>3[01]|[12]\d|[1-9])[日일](?![간間目])",
             lambda m: own._short_date_of(int(m["month"]), int(m["day"])) if m[0][:3] != "1/2" else None),
        # The number of a day in brackets behind its name, as of "two weeks later".
        rule(r"(?:(?<=[後日週曜朝夜晩晚后天周뒤후주날年년][（(]))(?P<month>1[0-2]|[1-9])/(?P<day>3[01]|[12]\d|[1-9])(?=[)）])",
             lambda m: own._short_date_of(int(m["month"]), int(m["day"]))),
        rule(rf"{START}(?P<year>20[0-4]\d|19\d\d)[/.](?P<month>1[0-2]|0?[1-9])"
             r"(?=まで|迄|から|現在|購入|発売|製(?!品)|까지|부터|구입|출시|购|买|产|上市|[起至])", month),
        # "1/2~3컵"
        rule(r"(?:(?<=[^\d.]\d/[2-9])|(?<=\A\d/[2-9]))[-–—~〜～](?=\d)", lambda m: own.to),
        rule(rf"{START}{year}(?=[年년]| ?(?:{SEASON}))", years),
        rule(rf"(?<=[（(]){year}(?=[）)])", years),
    )  # fmt: skip


def title_rules() -> tuple[Rule, ...]:
    """ "<4월 일정>": the signs around a title are brackets, and neither compares."""
    return (
        rule(r"(?<![A-Za-z])<(?=\d[^<>=\n、,，。]{0,40}>)", "<"),
        rule(r"(?<=\d)>", lambda m: ">" if re.search(r"<[^<>=\n、,，。]{1,40}\Z", text_before(m, 41)) else None),
    )


def is_title(match: re.Match[str]) -> bool:
    """Whether a sign of smaller opens a title."""
    behind = match.string[match.start("sign") + 1 : match.start("sign") + 42]
    return match["sign"] in "<＜" and not match["name"] and re.match(r"[^<>=\n、,，。]{1,40}>", behind) is not None
