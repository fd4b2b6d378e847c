"""Marks around numbers -> words, for languages that count in myriads: floors, arrows, laps, penalties, signs of units
that are one character."""

from __future__ import annotations

import re
from functools import cached_property

from mlx_tts.text.normalise.engine import Rule, Span, mentions, one_of, rule, text_after, text_before

START = r"(?<![A-Za-z\d._-])(?<!\d,(?=\d{3}(?!\d)))"
NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
# Signs that are one character, for the letters that people also write.
SQUARED = {"㎏": "kg", "㎞": "km", "㎝": "cm", "㎜": "mm", "㎎": "mg", "㎖": "ml", "ℓ": "L", "㏄": "cc", "㎾": "kW",
    "㎐": "Hz", "㎒": "MHz", "㎓": "GHz", "㎥": "m³", "㎢": "km²", "㎍": "µg", "㎡": "m²", "㏊": "ha", "㎉": "kcal",
    "㎩": "Pa", "㎪": "kPa", "㎫": "MPa", "㏈": "dB", "m2": "m²", "m3": "m³", "km2": "km²", "KG": "kg",
    "Kg": "kg", "KM": "km", "ML": "ml", "Kcal": "kcal"}  # fmt: skip

# What a range counts, which no name begins with.
COUNTED = re.compile(
    "[年月日天周週次回人名个個件分时時秒小岁歳元円米公万億亿号番页頁"
    "章条層层楼階克毫升倍成点點位级級号개명년월일시분초번회대층원만장]"
)


PART_BEFORE = re.compile(
    r"(?:[=+×÷*^\d率点점률=-]|割合[はがの]?|比[例率重]?[为是约]?|占比?|비율[은이]?|全体の|全部的?|전체의?|約|약|约"
    r"|スコア|正解) ?\Z"
)
PART_BEHIND = re.compile(
    r" ?[=+×÷*^倍배-]|量|程度|以[上下]|[個个개컵本杯点點점分]|の(?:確率|割合|面積|値)|的(?:概率|机会|几率|值)"
    r"|의? ?(?:확률|비율|값)|\s?[a-zA-Z]"
)


def is_day(match: re.Match[str]) -> bool:
    """Whether "10/25" is a day: hardly anything is counted in such parts, unless the words say so."""
    month, day = int(match["top"]), int(match["bottom"])
    plain = not (match["root"] or match["root_below"] or match["minus"])
    if not (plain and 2 <= month <= 12 < day <= 31 and day != 16):
        return False
    return not (PART_BEFORE.search(text_before(match, 6)) or PART_BEHIND.match(text_after(match, 4)))


class MarkWords:
    """What `EastAsian` says of them.

    floor: of a number before F; basement: before B. rises, falls: behind a share. penalties: a pattern of what stands
    before the score of a shoot-out; figures: of what stands before "3-2" that is a name. gap: between a number and the
    word behind it. per: between a unit and the one that it is counted by; every: the slash of "/100g"."""

    units: dict[str, str]
    gap: str = ""
    plus: str
    minus: str
    web: dict[str, str]
    versus: str
    point: str
    floor: str
    basement: str
    rises: str
    falls: str
    duration: str
    penalties: str
    figures: str
    per: str
    sports: str
    pressure: str
    to: str
    from_to: str
    every: str  # "/100g"

    def cardinal(self, number: int) -> str:
        raise NotImplementedError

    def by_digits(self, written: str) -> str:
        raise NotImplementedError

    def spoken(self, written: str) -> str:
        raise NotImplementedError

    @cached_property
    def all_units(self) -> dict[str, str]:
        """With the signs of one character for those that have a word."""
        return {sign: self.units[unit] for sign, unit in SQUARED.items() if unit in self.units} | self.units

    def marks(self) -> tuple[Rule, ...]:
        units = one_of(self.all_units)
        return (
            rule(r"(?<![A-Za-z\d/])(?P<a>\d{2,3})/(?P<b>\d{2,3})(?P<unit> ?mm ?Hg)(?![A-Za-z])", self._pressed),
            rule(r"(?<![A-Za-z\d./~-])(?P<a>1[0-2]|[1-9])/(?P<b>3[01]|[12]\d|[1-9]) ?[-–~〜～] ?(?P<c>1[0-2]|[1-9])/"
                 r"(?P<d>3[01]|[12]\d|[1-9])(?![\d/%])", self._days),
            rule(r"(?<![A-Za-z\d._-])(?<!\d,)(?P<letter>[A-Z])(?P<a>\d{1,2}) ?[-–~〜～] ?(?P=letter)(?P<b>\d{1,2})"
                 r"(?![A-Za-z\d-])",
                 self._labels),
            rule(rf"{START}(?P<a>\d{{1,4}})(?P<unit>[年月년월]) ?[-–—~〜～] ?(?P<b>\d{{1,4}})(?=(?P=unit))",
                 self._years),
            rule(r"(?<=\d) ?± ?(?=\d)", lambda m: self.gap + self.plus + self.minus),
            rule(r"(?<=\d)[×x](?=[一-鿿ぁ-ヿ가-힣]{1,4}\d)", lambda m: self.web["×"]),
            rule(rf"{START}(?P<a>{NUMBER})(?P<unit>[時时日点円元원回])[-–—](?P<b>{NUMBER})(?=(?P=unit))",
                 lambda m: f"{self.cardinal(int(m['a'].replace(',', '')))}{m['unit']}{self.from_to or self.to}"
                 f"{self.spoken(m['b'])}" if "." not in m["a"] else None),
            rule(rf"{START}(?P<n>\d{{1,4}})(?P<scale>[万萬만])(?P<rest>\d{{1,4}}[千천百백]?) ?(?P<unit>{units})"
                 rf"(?![A-Za-z²³\d/])",
                 lambda m: self.all_units[m["unit"]].format(self.cardinal(int(m["n"]) * 10_000)
                 + self.cardinal(int(re.sub(r"\D", "", m["rest"]))) + re.sub(r"\d", "", m["rest"]))),
            rule(r"(?<![A-Za-z\d._-])(?<!\d,)(?P<below>B)?(?P<n>[1-9]\d?)F(?![A-Za-z\d座])", self._floor),
            rule(r"(?<![A-Za-z\d._-])(?<!\d,)B(?P<n>[1-9])(?:층|階|层|樓)", lambda m: self._below(m["n"])),
            rule(rf"(?<![A-Za-z\d._-])(?<!\d,)(?P<n>{NUMBER}) ?(?P<unit>{units}|IU|U|mol|mmol|[µm]?eq|mEq)/"
                 rf"(?P<per>{units}|dl|d)"
                 r"(?![A-Za-z²³\d/])", self._rate),
            rule(rf"{START}(?P<n>{NUMBER}) ?/ ?(?P<per>µL|mm³)(?![A-Za-z\d])",
                 lambda m: f"{self.spoken(m['n'])}{self.per}{self.all_units[m['per']].format('').strip()}"
                 if m["per"] in self.all_units else None),
            rule(r"(?<=[%A-Za-z²³])(?P<gap> ?)(?P<arrow>[↑↓▲▼])", lambda m: self.rises
                 if m["arrow"] in "↑▲" else self.falls),
            rule(r"(?<![A-Za-z\d.:'’])(?<!\d,)(?P<minute>\d{1,2})['’′] ?(?P<second>[0-5]\d)[\"″”](?P<part>\d{0,3})"
                 r"(?!\d)", self._lap),
            rule(r"(?<![A-Za-z\d.:-])(?<!\d,)(?P<a>\d{1,2}) ?[-–:] ?(?P<b>\d{1,2}) ?[(（](?P<word>(?:延長|延长|加时"
                 r"|연장)?)(?P<kick>"
                 rf"(?:{self.penalties})[ 、，]?)(?P<c>\d{{1,2}}) ?[-–:] ?(?P<d>\d{{1,2}})[)）]", self._shoot_out),
            rule(r"(?<![A-Za-z\d._-])(?<!\d,)(?P<a>\d{1,4})(?P<ua>[GT]B)?(?P<mark>[+/])(?P<b>\d{1,4}) ?(?P<ub>[GT]B)"
                 r"(?![A-Za-z\d])", self._memory),
            rule(rf"{START}\d{{1,2}}[-:]\d{{1,2}}(?= ?[(（]\d{{1,2}}[-:]\d{{1,2}}[ ,、，])", self._sets),
            rule(r"(?<=[(（])\d{1,2}[-:]\d{1,2}(?: \d{1,2}[-:]\d{1,2}){1,4}(?=[)）])", self._sets),
            rule(r"(?<=[A-Za-z\d一-鿿ァ-ヶ가-힣])/(?=100 ?(?:g|ml|mL|克|毫升|グラム|그램)(?![A-Za-z]))", self.every),
            rule(rf"(?P<word>(?:{self.figures}) ?)(?P<a>\d{{1,3}})[-–](?P<b>\d{{1,3}})(?![\d-])", self._figure),
            rule(r"(?<![A-Za-z\d._-])(?<!\d,)(?P<n>0\d)(?P<letter>[A-F])(?![A-Za-z\d_-])",
                 lambda m: f"{self.by_digits(m['n'])} {m['letter']}"),
        )  # fmt: skip

    def _years(self, match: re.Match[str]) -> str | None:
        """ "598年-649年": a span of years, also of those before the year 1000."""
        if match["unit"] in "年년" and max(len(match["a"]), len(match["b"])) < 3 and int(match["b"]) < 50:
            return None  # so many years
        if match["unit"] in "年년":
            first, last = (self.year(match[name]) for name in "ab")
        else:
            first, last = (self.month(int(match[name])) for name in "ab")
        return f"{first}{match['unit']}{self.from_to or self.to}{last}"

    def year(self, written: str) -> str:
        raise NotImplementedError

    def month(self, number: int) -> str:
        raise NotImplementedError

    def _labels(self, match: re.Match[str]) -> str:
        """ "V1-V4"."""
        first, last = (f"{match['letter']} {self.cardinal(int(match[name]))}" for name in "ab")
        return f"{first}{self.to}{last}"

    def _days(self, match: re.Match[str]) -> str | None:
        """ "4/29~5/2"."""
        first, last = ((int(match[a]), int(match[b])) for a, b in ("ab", "cd"))
        if not (first < last or (first[0] > 10 and last[0] < 4)):
            return None
        return f"{self._short_date_of(*first)}{self.from_to or self.to}{self._short_date_of(*last)}"

    def _short_date_of(self, month: int, day: int) -> str:
        raise NotImplementedError

    def _rate(self, match: re.Match[str]) -> str | None:
        """ "145g/L"."""
        if not self.per:
            return None
        spelled = " ".join(match["unit"]) if match["unit"] in ("IU", "U") else match["unit"]
        forms = self.all_units.get(match["unit"], "{}" + spelled)
        below = self.all_units.get(match["per"], "").format("").strip()
        return f"{forms.format(self.spoken(match['n']))}{self.per}{below}" if below else None

    def _floor(self, match: re.Match[str]) -> str | None:
        if match["below"]:
            return self._below(match["n"])
        if re.search(r"[A-Za-z] ?\Z", text_before(match, 2)):
            return None
        return self.floor.format(self.cardinal(int(match["n"])))

    def _below(self, number: str) -> str:
        return self.basement.format(self.cardinal(int(number)))

    def _lap(self, match: re.Match[str]) -> str:
        """ "1'30"", with hundredths behind it."""
        words = self.duration[self.duration.index("{minute}") :]
        said = words.format(minute=self.cardinal(int(match["minute"])), second=self.cardinal(int(match["second"])))
        return said + self.by_digits(match["part"])

    def _shoot_out(self, match: re.Match[str]) -> str:
        first, second = (
            f"{self.cardinal(int(match[a]))}{self.versus}{self.cardinal(int(match[b]))}" for a, b in ("ab", "cd")
        )
        return f"{first}（{match['word']}{match['kick'].strip()} {second}）"

    def _memory(self, match: re.Match[str]) -> str | None:
        """ "12GB+512GB", "8/256GB"."""
        unit = self.units[match["ub"]]
        joint = self.web["+"] if match["mark"] == "+" else " " if " " in unit else "，"
        first = self.units[match["ua"]].format(self.spoken(match["a"])) if match["ua"] else self.spoken(match["a"])
        return f"{first}{joint}{unit.format(self.spoken(match['b']))}"

    def _figure(self, match: re.Match[str]) -> str:
        """ "表3-2"."""
        return f"{match['word']}{self.cardinal(int(match['a']))}{self.web['figure']}{self.cardinal(int(match['b']))}"

    # Matches and blood pressures

    @cached_property
    def sport_words(self) -> re.Pattern[str]:
        return re.compile(self.sports)

    def _beside_names(self, match: re.Match[str]) -> str | None:
        """ "神戸2-1浦和": the result between the names of those who played."""
        if COUNTED.match(match.string, match.end()) or not mentions(self.sport_words, match.string):
            return None
        return f"{self.cardinal(int(match['a']))}{self.versus}{self.cardinal(int(match['b']))}"

    def _sets(self, match: re.Match[str]) -> str | None:
        """Scores of several sets, where the sentence is about a match."""
        if not mentions(self.sport_words, match.string):
            return None
        return re.sub(r"(\d+)[-–:](\d+)",
                      lambda m: f"{self.cardinal(int(m[1]))}{self.versus}{self.cardinal(int(m[2]))}",
                      match[0])  # fmt: skip

    def _score(self, match: re.Match[str]) -> str | None:
        if re.match(r" ?(?:[公千厘英海毫平立元]|米|%|[a-z])", text_after(match, 2)):
            return None  # "以15-20公里的时速"
        head = match[0][: match.start("a") - match.start()]
        return f"{head}{self.spoken(match['a'])}{self.versus}{self.spoken(match['b'])}"

    def _pressed(self, match: re.Match[str]) -> str:
        head = match[0][: match.start("a") - match.start()]
        said = f"{self.spoken(match['a'])}{self.pressure}{self.spoken(match['b'])}"
        return head + (self.units["mmHg"].format(said) if match["unit"] else said)


def with_wide_colons(spans: list[Span], text: str) -> list[Span]:
    """What stands before a number and is said again keeps the colon that was written; so do signs of titles."""
    return [
        span._replace(words=text[span.start : span.end] if span.words in "<>" else span.words.replace(":", "："))
        if span.words and ("：" in text[span.start : span.end] or span.words in "<>")
        else span
        for span in spans
    ]
