"""Temperatures in pairs, times of races, places of the spine and stages of tumours, for languages that count in
myriads; each language gives its words."""

from __future__ import annotations

import re
from typing import NamedTuple

from mlx_tts.text.normalise.east_asian import NUMBER, START, EastAsian
from mlx_tts.text.normalise.engine import Rule, mentions, one_of, rule, text_before, words_of

SPINE = re.compile("椎|ヘルニア|狭窄|すべり症|腰痛|경추|요추|흉추|디스크|추간판|협착|목뼈|허리")
URINE = re.compile("尿|蛋白|潜血|隐血|浮腫|水肿|反射|단백|혈뇨|소변|부종|잠혈")
PARTS = {"½": (2, 1), "⅓": (3, 1), "⅔": (3, 2), "¼": (4, 1), "¾": (4, 3)}  # bottom and top
# What becomes another number behind an arrow.
CHANGED = re.compile(r"\d[万億亿만억천千]?[円元원個个개人名명件건台대%％度도年년]\Z")
DEGREE = "℃|°C|度|도"
WARM = r"\d{1,3}(?:\.\d)?"


class ChartWords(NamedTuple):
    """digits: from nought to four behind T, N and M. filtered: what kidneys do, of {n}, for 1.73 m². pluses: of a test
    that found something. and_part: between a whole number and a part of one, where an open syllable stands before."""

    digits: str
    filtered: str
    per_mille: str
    pluses: str
    and_part: str = ""


def measure_rules(own: EastAsian, words: ChartWords) -> tuple[Rule, ...]:
    stages = words_of(words.digits)

    def warm(number: str, degree: str | None) -> str:
        said = (own.minus if number[0] in "-−" else "") + own.spoken(number.lstrip("-−"))
        return own.all_units[degree].format(said) if degree in own.all_units else said + (degree or "")

    def pluses(number: int) -> str:
        return words.pluses.format(stages[number]).replace("二个", "两个")

    def mixed(whole: str, bottom: int, top: int) -> str:
        open_end = words.and_part and (ord(whole[-1]) - 0xAC00) % 28 == 0
        joint = words.and_part if open_end else own.and_part
        return whole + joint + own.fraction_words(own.cardinal(bottom), own.cardinal(top))

    def scored(match: re.Match[str]) -> str:
        first, last = re.split("[-:]", match[0])
        return f"{own.cardinal(int(first))}{own.versus}{own.cardinal(int(last))}"

    def times(match: re.Match[str]) -> str:
        said = own.web["×"].join(own.spoken(number) for number in re.split(" ?[xX] ?", match["n"]))
        return own.all_units[match["unit"]].format(said) if match["unit"] else said

    def staged(match: re.Match[str]) -> str:
        return " ".join(
            f"{letter} {stages[int(number)]} {more}".strip()
            for letter, number, more in re.findall(r"([TNM])([0-4])([a-d]?)", match[0])
        )

    return (
        rule(rf"{START}(?P<n>{NUMBER}) ?m[Ll]/[(（]?(?:min|分钟?|분)[/·]1\.73 ?(?:m²|m2|㎡)[)）]?",
             lambda m: words.filtered.format(n=own.spoken(m["n"]))),
        # "尿蛋白2+"
        rule(r"(?<![\dA-Za-z.+-])(?P<n>[1-4])\+(?![\d+A-Za-z])",
             lambda m: pluses(int(m["n"])) if mentions(URINE, m.string) else None),
        # What a server answers is said digit by digit.
        rule(rf"{START}(?P<n>[45]0[0-9]|[45][12]\d)(?= ?(?:エラー|错误|報錯|报错|오류|에러|页面))",
             lambda m: own.by_digits(m["n"])),
        rule(rf"{START}(?P<n>{NUMBER}) ?‰", lambda m: words.per_mille.format(own.spoken(m["n"]))),
        # The sets of a match behind its result.
        rule(r"(?<![\d.:-])\d{1,2}[-:]\d{1,2} ?[(（]\d{1,2}[-:]\d{1,2}"
             r"(?:[、，, ]{1,2}\d{1,2}[-:]\d{1,2}){1,6}(?=[)）])", lambda m: re.sub(r"\d+[-:]\d+", scored, m[0])),
        rule(r"[→⇒➡] ?(?=\d{1,2}:\d\d)", own.pause),
        rule(r"(?<=[^\s\dA-Za-z%]) ?[→⇒➡] ?(?=\d)",
             lambda m: own.pause if not CHANGED.search(text_before(m, 4)) else None),
        rule(r"(?<![A-Za-z\d])(?P<name>[A-Za-z])(?P<n>\d) ?= ?(?=-?\d)",
             lambda m: f"{m['name']} {own.cardinal(int(m['n']))}{own.web['=']}"),
        rule(r"(?<![A-Za-z\d.])(?<!\d,)(?P<n>\d{1,3})(?P<part>[½⅓⅔¼¾])(?![\d.])",
             lambda m: mixed(own.cardinal(int(m["n"])), *PARTS[m["part"]])),
        rule(r"(?<![A-Za-z\d])(?:지하 ?|地下)?B(?P<a>[1-9]) ?[-~〜～] ?(?P<b>[1-9]\d?)(?:F(?![A-Za-z\d])|[階层층])",
             lambda m: f"{own._below(m['a'])}{own.to}{own.floor.format(own.cardinal(int(m['b'])))}"),
        rule(r"(?<![A-Za-z\d])(?P<a>[1-9]\d?)F ?/ ?(?P<b>[1-9]\d?)F(?![A-Za-z\d])",
             lambda m: own.pause.join(own.floor.format(own.cardinal(int(m[name]))) for name in "ab")),
        rule(r"(?<=[cmk]m) ?[×xX] ?(?=[一-鿿ぁ-ヿ가-힣]{1,4} ?\d)", lambda m: own.web["×"]),
        # "-7~2도": the first minus is none of a range.
        rule(rf"(?<![\w./-])(?P<a>[-−]{WARM})(?P<da>(?:{DEGREE})?) ?[~〜～] ?(?P<b>[-−]?{WARM}) ?(?P<db>{DEGREE})",
             lambda m: f"{warm(m['a'], m['da'])}{own.to}{warm(m['b'], m['db'])}"),
        rule(rf"{START}(?P<a>[-−]?{WARM})(?P<da>(?:{DEGREE})?) ?/ ?(?P<b>[-−]?{WARM}) ?(?P<db>℃|°C)(?![A-Za-z/])",
             lambda m: f"{warm(m['a'], m['da'])}{own.pause if m['da'] else own.to}{warm(m['b'], m['db'])}"),
        rule(r"(?<![A-Za-z\d.:-])(?P<minute>\d{1,2}):(?P<second>[0-5]\d)\.(?P<part>\d{1,3})(?![\d.:])", own._lap),
        rule(rf"{START}(?P<minute>\d{{1,2}})['’′] ?(?P<second>[0-5]\d)(?:''|’’|′′)(?P<part>\d{{0,3}})(?!\d)", own._lap),
        rule(r"(?<![A-Za-z\d])(?P<p>[pcy]?)T[0-4][a-d]?N[0-3][a-c]?M[01][a-c]?(?![A-Za-z\d])",
             lambda m: f"{m['p']} {staged(m)}".strip()),
        rule(r"(?<![A-Za-z\d])(?P<a>C|T|Th|L)(?P<n>\d{1,2})[/-](?P<b>(?:C|T|Th|L|S)?)(?P<k>\d{1,2})(?![A-Za-z\d/-])",
             lambda m: f"{m['a']} {own.cardinal(int(m['n']))}{own.pause}"
             + f"{m['b']} {own.cardinal(int(m['k']))}".strip()
             if mentions(SPINE, m.string) else None),
        rule(r"(?<![A-Za-z\d])(?P<name>S&P) ?(?P<n>\d{3})(?![\dA-Za-z])",
             lambda m: f"{m['name']} {own.cardinal(int(m['n']))}"),
        rule(rf"{START}(?!0x)(?P<n>{NUMBER}(?: ?[xX] ?{NUMBER}){{1,2}}) ?(?P<unit>(?:{one_of(own.all_units)})?)"
             r"(?![A-Za-z\d²³]|\.\d)", times),
    )  # fmt: skip
