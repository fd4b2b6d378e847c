"""Korean days that are written with full stops, as offices do: "4. 22.(월)", "'24.4.22.", "4.22(월)~26(금)"."""

from __future__ import annotations

import re

from mlx_tts.text.normalise.east_asian import START, EastAsian
from mlx_tts.text.normalise.engine import Rule, rule, text_before

MONTH, DAY = r"(?P<month>1[0-2]|0?[1-9])", r"(?P<day>3[01]|[12]\d|0?[1-9])"
NAMED = r" ?[(](?P<name>[월화수목금토일])[)]"
WAVE = r" ?[-–~〜～] ?"
LAST = rf"(?:{WAVE}(?P<last>3[01]|[12]\d|0?[1-9])[일.]? ?[(](?P<name2>[월화수목금토일])[)])?"
# The day on which something ends, with its month.
UNTIL = (
    rf"{WAVE}(?:['’‘]?(?P<year2>(?:[12]\d)?\d\d)\. ?)?(?P<month2>1[0-2]|0?[1-9])\. ?"
    r"(?P<day2>3[01]|[12]\d|0?[1-9])\.?(?!\d)"
    r"(?: ?[(](?P<name2>[월화수목금토일])[)])?"
)
PERIOD = r"(?:기간|접수|일시|신청|모집|전시|공연|일정|행사|개최|휴관)"
COUNTED = re.compile(r"(?:[초명개원장권잔병주회세살배만억천점건대곳]|시간|개월|마리|(?<!\d\d\d)\d년|인분|퍼센트) ?\Z")
TIMED = re.compile(
    r"(?:\d ?[년월일시분]|요일|[월화수목금토일초중말]|초순|중순|하순|봄|여름|가을|겨울|아침|점심|저녁|오전|오후|전후)"
    r" ?\Z"
)
LATER = re.compile("오[전후]|새벽|다음|이듬|익일|내일|이튿|모레|현재|지금|오늘")
CLOCK = re.compile(r"시 ?\d{1,2}분 ?\Z")


def dotted_rules(own: EastAsian) -> tuple[Rule, ...]:
    def day(parts: dict[str, str | None], end: str = "") -> str:
        year, month, name = (parts.get(f"{key}{end}") for key in ("year", "month", "name"))
        words = f"{own.cardinal(int(parts[f'day{end}'] or 0))}일"
        if month:
            words = f"{own.month(int(month))}월 {words}"
        if year:
            words = f"{own.cardinal(int(year))}년 {words}"
        return words + (own.weekday.format(name) if name else "")

    def said(match: re.Match[str]) -> str:
        parts = match.groupdict()
        words = (parts.get("head") or "") + day(parts)
        if parts.get("last"):
            words += own.from_to + day({"day2": parts["last"], "name2": parts["name2"]}, "2")
        if parts.get("day2"):
            words += own.from_to + day(parts, "2")
        return words

    def joint(match: re.Match[str]) -> str:
        """From a day or an hour it is 부터, between what is counted 에서."""
        before = text_before(match, 8)
        counted = COUNTED.search(before) or (re.search(r"\d분 ?\Z", before) and not CLOCK.search(before))
        return own.to if counted else own.from_to

    year = rf"{START}(?P<year>[12]\d{{3}})[-./] ?"
    short = r"(?<![\w.])['’‘](?P<year>\d\d)\. ?"
    return (
        rule(rf"{year}{MONTH}[-./] ?{DAY}\.?{NAMED}{LAST}", said),
        rule(rf"{year}{MONTH}\. ?{DAY}\.?(?:{NAMED})?{UNTIL}", said),
        rule(rf"{short}{MONTH}\. ?{DAY}\.?(?![\d])(?:{NAMED}{LAST})?", said),
        rule(rf"{short}{MONTH}\. ?{DAY}\.?(?:{NAMED})?{UNTIL}", said),
        rule(rf"{START}(?P<year>\d\d)\. ?{MONTH}\. ?{DAY}\.?{NAMED}{LAST}", said),
        # Without the apostrophe two noughts tell it from the number of a version.
        rule(rf"{START}(?P<year>[0-4]\d)\.(?P<month>0[1-9]|1[0-2])\.(?P<day>0[1-9]|[12]\d|3[01])(?![\d.])", said),
        rule(rf"{START}{MONTH}[./] ?{DAY}\.?{NAMED}{LAST}", said),
        rule(rf"{START}{MONTH}\. ?{DAY}\.(?:{NAMED})?{UNTIL}", said),
        rule(rf"(?P<head>{PERIOD}[은는]?:? ?){MONTH}\.{DAY}{UNTIL}(?!배|%)", said),
        rule(rf"{START}{MONTH}\. ?{DAY}\.(?= ?(?:까지|부터|자(?![가-힣])|오전|오후|\d{{1,2}}:\d\d|\d{{1,2}}시))", said),
        rule(r"(?<=[가-힣])[~〜～](?=\d)|(?<=[가-힣\d)]) [~〜～] (?=\d)", joint),
        # Between places no day begins.
        rule(r"(?<=[가-힣])[~〜～](?=[가-힣]{2})",
             lambda m: own.from_to if TIMED.search(text_before(m, 4)) or LATER.match(m.string, m.end()) else own.to),
        # A sentence counts months, and June is another word.
        rule(r"(?P<head>(?:징역|금고)형? ?)(?:(?P<years>\d{1,2})년 ?)?(?P<n>6|10)(?=월)",
             lambda m: m["head"] + (f"{own.cardinal(int(m['years']))}년 " if m["years"] else "")
             + own.cardinal(int(m["n"]))),
    )  # fmt: skip
