"""Chinese, Japanese, Korean: numbers, dates, times, money and measures -> the words of that script."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from mlx_tts.text.normalise.rules import Rule, apply, one_of, rule

NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
START = r"(?<![A-Za-z\d.,_-])"
MOST_DIGITS = 16


@dataclass(frozen=True)
class Script:
    """digits: from zero to nine. tens: names of 10, 100, 1000. myriads: of 10^4, 10^8, 10^12. one_before: from which of
    the tens on a one is said. zero: said for a gap. The rest: words around numbers, {} being the number."""

    digits: str
    tens: tuple[str, str, str]
    myriads: tuple[str, str, str]
    one_before: int
    zero: str
    point: str
    minus: str
    percent: str
    fraction: str  # {bottom} and {top}
    to: str
    money: dict[str, str]
    units: dict[str, str]
    date: tuple[str, str, str]
    time: tuple[str, str]
    years_by_digits: bool = False


CHINESE = Script(
    "零一二三四五六七八九", ("十", "百", "千"), ("万", "亿", "兆"), 2, "零", "点", "负", "百分之{}",
    "{bottom}分之{top}", "到",
    {"¥": "{}元", "￥": "{}元", "$": "{}美元", "€": "{}欧元", "£": "{}英镑"},
    {"km/h": "{}公里每小时", "km": "{}公里", "kg": "{}公斤", "cm": "{}厘米", "mm": "{}毫米", "m": "{}米", "g": "{}克",
     "°C": "{}摄氏度", "℃": "{}摄氏度", "°": "{}度", "ml": "{}毫升", "L": "{}升", "m²": "{}平方米", "GB": "{}G B"},
    ("年", "月", "日"), ("点", "分"), True,
)  # fmt: skip
JAPANESE = Script(
    "零一二三四五六七八九", ("十", "百", "千"), ("万", "億", "兆"), 4, "", "点", "マイナス", "{}パーセント",
    "{bottom}分の{top}", "から",
    {"¥": "{}円", "￥": "{}円", "$": "{}ドル", "€": "{}ユーロ", "£": "{}ポンド"},
    {"km/h": "時速{}キロメートル", "km": "{}キロメートル", "kg": "{}キログラム", "cm": "{}センチメートル",
     "mm": "{}ミリメートル",
     "m": "{}メートル", "g": "{}グラム", "°C": "{}度", "℃": "{}度", "°": "{}度", "ml": "{}ミリリットル",
     "L": "{}リットル",
     "GB": "{}ギガバイト"},
    ("年", "月", "日"), ("時", "分"),
)  # fmt: skip
KOREAN = Script(
    "영일이삼사오육칠팔구", ("십", "백", "천"), ("만", "억", "조"), 5, "", " 점 ", "마이너스 ", "{} 퍼센트",
    "{bottom}분의 {top}", "에서 ",
    {"₩": "{} 원", "$": "{} 달러", "€": "{} 유로", "£": "{} 파운드", "¥": "{} 엔"},
    {"km/h": "시속 {} 킬로미터", "km": "{} 킬로미터", "kg": "{} 킬로그램", "cm": "{} 센티미터", "mm": "{} 밀리미터",
     "m": "{} 미터", "g": "{} 그램", "°C": "{} 도", "℃": "{} 도", "°": "{} 도", "ml": "{} 밀리리터", "L": "{} 리터",
     "GB": "{} 기가바이트"},
    ("년 ", "월 ", "일"), ("시", " 분"),
)  # fmt: skip
SCRIPTS = {"chinese": CHINESE, "japanese": JAPANESE, "korean": KOREAN}
KOREAN_HOURS = ["", "한", "두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉", "열", "열한", "열두"]
CHINESE_COUNTERS = (
    "个|個|次|天|岁|歲|本|人|只|隻|块|塊|小时|小時|位|名|件|条|條|家|种|種|张|張|瓶|杯|年(?!代)|周|週|倍|万|萬|亿|億"
)


def cardinal(number: int, script: Script) -> str:
    if number == 0:
        return script.digits[0]
    groups: list[tuple[int, int]] = []
    power = 0
    while number:
        number, group = divmod(number, 10_000)
        groups.append((group, power))
        power += 1
    said = ""
    for group, power in reversed(groups):
        if group:
            gap = script.zero if said and group < 1000 else ""
            words = _group(group, script, first=not said)
            if power and group == 1 and script is KOREAN and not said and power == 1:
                words = ""  # 만, not 일만
            if power and group == 2 and script is CHINESE:
                words = "两"
            said += gap + words + (script.myriads[power - 1] if power else "")
    return said


def _group(number: int, script: Script, first: bool) -> str:
    said, gap = "", False
    for power in (3, 2, 1, 0):
        digit = number // 10**power % 10
        if not digit:
            gap = bool(said)
            continue
        said += script.zero if gap else ""
        gap = False
        silent = digit == 1 and power and power < script.one_before
        if script is CHINESE:
            silent = digit == 1 and power == 1 and not said and first
        word = "" if silent else script.digits[digit]
        if script is CHINESE and digit == 2 and power == 3:
            word = "两"
        said += word + (script.tens[power - 1] if power else "")
    return said


def by_digits(written: str, script: Script) -> str:
    return "".join(script.digits[int(c)] for c in written if c.isdecimal())


def spoken(written: str, script: Script) -> str:
    whole, _, fraction = written.replace(",", "").partition(".")
    if len(whole) > MOST_DIGITS or (len(whole) > 1 and whole[0] == "0"):
        said = by_digits(whole, script)
    else:
        said = cardinal(int(whole), script)
    return f"{said}{script.point}{by_digits(fraction, script)}" if fraction else said


def _time(match: re.Match[str], script: Script) -> str:
    hour, minute = int(match["hour"]), int(match["minute"])
    hours = KOREAN_HOURS[hour] if script is KOREAN and 1 <= hour <= 12 else cardinal(hour, script)
    said = f"{hours}{' ' if script is KOREAN else ''}{script.time[0]}"
    if not minute:
        return said + ("整" if script is CHINESE else "")
    gap = "零" if script is CHINESE and minute < 10 else " " if script is KOREAN else ""
    return f"{said}{gap}{cardinal(minute, script)}{script.time[1]}"


def _date(match: re.Match[str], script: Script) -> str:
    year = match["year"]
    said = by_digits(year, script) if script.years_by_digits else cardinal(int(year), script)
    day, month = cardinal(int(match["day"]), script), cardinal(int(match["month"]), script)
    return f"{said}{script.date[0]}{_korean_month(month, script)}{script.date[1]}{day}{script.date[2]}"


def _korean_month(month: str, script: Script) -> str:
    return {"육": "유", "십": "시"}.get(month, month) if script is KOREAN else month


def _phone(match: re.Match[str], script: Script) -> str:
    groups = [by_digits(group, script) for group in re.findall(r"\d+", match[0])]
    said = ("，" if script is not KOREAN else ", ").join(groups)
    return said.replace("一", "幺") if script is CHINESE else said


@cache
def rules(language: str) -> tuple[Rule, ...]:
    script = SCRIPTS[language]

    def said(written: str) -> str:
        return spoken(written, script)

    def in_words(template: str, number: str) -> str:
        return template.format(said(number))

    sign: Callable[[re.Match[str]], str] = lambda m: script.minus if m["minus"] else ""  # noqa: E731
    minus = r"(?P<minus>[-−](?=\d))?"
    return (
        rule(rf"{START}(?P<year>[12]\d{{3}})[-/.](?P<month>0?[1-9]|1[0-2])[-/.](?P<day>0?[1-9]|[12]\d|3[01])(?!\d)",
             lambda m: _date(m, script)),
        rule(rf"{START}(?P<n>[12]\d{{3}})(?= ?年)",
             lambda m: by_digits(m["n"], script) if script.years_by_digits else said(m["n"])),
        rule(rf"{START}(?P<n>6|10)(?= ?월)", lambda m: _korean_month(said(m["n"]), script)),
        rule(rf"{START}(?:\+\d{{1,3}}[- ])?0?\d{{1,4}}-\d{{3,4}}-\d{{4}}(?!\d)|{START}1[3-9]\d{{9}}(?!\d)",
             lambda m: _phone(m, script)),
        rule(rf"{START}(?P<hour>[01]?\d|2[0-4])[:：](?P<minute>[0-5]\d)(?![\d:])", lambda m: _time(m, script)),
        rule(rf"{START}(?P<n>1[0-2]|[1-9])(?= ?시(?!\w*[간속]))", lambda m: KOREAN_HOURS[int(m["n"])]),
        rule(rf"(?P<sign>{one_of(script.money)}) ?(?P<n>{NUMBER})(?P<scale>[万亿億萬만억]?)",
             lambda m: script.money[m["sign"]].format(said(m["n"]) + m["scale"])),
        rule(rf"{START}{minus}(?P<n>{NUMBER}) ?[%％]", lambda m: sign(m) + in_words(script.percent, m["n"])),
        rule(rf"{START}{minus}(?P<n>{NUMBER}) ?(?P<unit>{one_of(script.units)})(?![A-Za-z/])",
             lambda m: sign(m) + in_words(script.units[m["unit"]], m["n"])),
        rule(rf"{START}(?P<top>\d{{1,4}})/(?P<bottom>\d{{1,4}})(?![\d/])",
             lambda m: script.fraction.format(bottom=said(m["bottom"]), top=said(m["top"]))),
        rule(rf"{START}(?P<a>{NUMBER})(?P<unit>[年月日年人個个万億亿]?) ?[-–~〜～] ?(?={NUMBER}(?![\d-]))",
             lambda m: said(m["a"]) + m["unit"] + script.to),
        rule(rf"{START}2(?=(?:{CHINESE_COUNTERS}))", lambda m: "两" if script is CHINESE else None),
        rule(rf"(?<![A-Za-z\d.,_]){minus}(?P<n>{NUMBER})(?![A-Za-z\d])", lambda m: sign(m) + said(m["n"])),
    )  # fmt: skip


def east_asian(text: str, language: str) -> str:
    return apply(rules(language), text)
