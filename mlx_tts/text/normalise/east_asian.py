"""Numbers, dates, times, money and measures -> words, for languages that count in myriads and have no plural.

`EastAsian` is what such a language says; its methods are what several say in the same way, and a language overrides
those in which it differs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

from mlx_tts.text.normalise.east_asian_marks import NUMBER, START, MarkWords, is_day, with_wide_colons
from mlx_tts.text.normalise.east_asian_names import NamedNumbers
from mlx_tts.text.normalise.east_asian_net import NetNames
from mlx_tts.text.normalise.engine import (
    SIGNS,
    Kind,
    Rule,
    Span,
    UnspeakableError,
    mentions,
    one_of,
    recognise,
    rule,
    text_before,
)
from mlx_tts.text.normalise.number_words import number_words

# A comma before three digits is inside a number; "15,12" are two.
RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
WIDE_SIGNS = SIGNS | str.maketrans({"―": "–", "－": "-", "／": "/", "＝": "=", "＞": ">", "＜": "<", "＄": "$"})
WIDE_SIGNS |= str.maketrans({"∼": "~", "∶": ":"})
MINUS = r"(?P<minus>[-+±](?=[\d√]))?"
# What a text of electricity has; elsewhere the A behind a number is a letter: "5A석".
ELECTRIC = re.compile(
    r"전류|전압|퓨즈|충전|어댑터|배터리|전원|차단기|콘센트|\d ?(?:V|W|kW|mA|Ah|Hz)(?![A-Za-z])|电流|電流|电压|電圧"
)
LEAGUE = re.compile(
    "리그|매치|호텔|시리즈|클래스|그룹|팀|リーグ|マッチ|クラス|グループ|シリーズ|ホテル|チーム|级|组|班|队"
)
MOST_DIGITS = 17
SCALES = "万亿億萬만억조兆千천"
MYRIADS = "万亿億萬만억조兆"


@dataclass(frozen=True)
class EastAsian(NamedNumbers, NetNames, MarkWords):
    """code: CLDR's name of the language. numbering: its rules for plain numbers. digits: from zero to nine. The rest:
    words around numbers, {} being the number.
    hours, months: those that are not the plain number. before_minutes: said before minutes below ten. to: between two
    numbers; from_to: where a wave stands between them. telephone_one: said for a one in telephone numbers; pause: what
    stands between their groups. web: the words for marks in addresses. weekdays: the letters for days in brackets,
    weekday: what is said of them."""

    code: str
    digits: str
    point: str
    minus: str
    percent: str
    fraction: str  # of {bottom} and {top}
    to: str
    money: dict[str, str]
    units: dict[str, str]
    date: str  # of {year}, {month} and {day}
    clock: str  # of {hour} and {minute}
    full_hour: str
    seconds: str  # of {hour}, {minute} and {second}
    root: str
    web: dict[str, str]  # "-" is a mark in addresses; beside it stands the minus of sums
    weekdays: str
    weekday: str
    numbering: str = "cardinal"
    plus: str = ""
    from_to: str = ""
    hours: dict[int, str] = field(default_factory=dict)
    months: dict[int, str] = field(default_factory=dict)
    before_minutes: str = ""
    years_by_digits: bool = False
    country_code: str = ""
    telephone_one: str = ""
    versus: str = ""  # between the numbers of a score or a ratio
    score_words: str = "(?!)"  # a pattern of what stands before a score
    pressure_words: str = "(?!)"  # and before a blood pressure
    pressure: str = ""  # between its numbers
    version: str = ""
    numero: str = ""
    names_by_digits: int = 9  # from so many digits a number in a name is said digit by digit
    pause: str = "，"
    about: str = ""  # "≈"
    and_part: str = ""  # between a whole number and a fraction
    power: str = ""  # of {base} and {exponent}
    sports: str = "(?!)"  # a pattern of words about a match, where "6-4, 3-6" are sets
    identifiers: str = "(?!)"  # a pattern of what stands before a number that counts nothing
    durations: str = "(?!)"  # and before one that says how long something took
    duration: str = ""  # of {hour}, {minute} and {second}
    onward: str = ""  # what a wave means with nothing behind it
    floor: str = ""
    basement: str = ""
    rises: str = ""
    falls: str = ""
    penalties: str = "(?!)"
    figures: str = "(?!)"
    per: str = ""
    every: str = ""
    zero_place: str = ""  # said where a place of a number is empty

    def recognise(self, text: str, variant: str = "") -> list[Span]:
        return with_wide_colons(recognise(text.translate(WIDE_SIGNS), self.kinds), text)

    # Numbers

    def cardinal(self, number: int) -> str:
        if number == 0:
            return self.digits[0]
        return number_words(self.code, number, self.numbering).replace(" ", "")

    def by_digits(self, written: str) -> str:
        return "".join(self.digits[int(character)] for character in written if character.isdecimal())

    def spoken(self, written: str) -> str:
        whole, _, fraction = written.replace(",", "").partition(".")
        if len(whole) > MOST_DIGITS or (len(whole) > 1 and whole[0] == "0"):
            said = self.by_digits(whole)
        else:
            said = self.cardinal(int(whole))
        return f"{said}{self.point}{self.by_digits(fraction)}" if fraction else said

    def year(self, written: str) -> str:
        return self.by_digits(written) if self.years_by_digits else self.cardinal(int(written))

    def month(self, number: int) -> str:
        return self.months.get(number) or self.cardinal(number)

    def hour(self, number: int) -> str:
        return self.hours.get(number) or self.cardinal(number)

    def _sign(self, match: re.Match[str]) -> str:
        return {"-": self.minus, "+": self.plus, "±": self.plus + self.minus}.get(match["minus"] or "", "")

    # Dates and times

    def dates(self) -> tuple[Rule, ...]:
        return (
            rule(rf"{START}(?P<month>1[0-2]|0?[1-9])/(?P<day>0?[1-9]|[12]\d|3[01])(?= ?(?:오전|오후|午[前後]"
                 rf"|上午|下午|[월화수목금토일]요일|[一二三四五六日]曜)|付|自|자|へ|に|以降|締|〆|発売|開催|実施|着|朝|夜|午[前後]|오전|오후|上午|下午|晚|[（(](?:周|週|"
                rf"星期)?[{self.weekdays}]|까지|부터|まで|から|[的前后起至截])",
                 self._short_date),
            rule(rf"{START}(?P<year>[12]\d{{3}})[-/.](?P<month>0?[1-9]|1[0-2])[-/.](?P<day>0?[1-9]|[12]\d|3[01])(?!\d)",
                 self._date),
            rule(rf"{START}(?P<month>0?[1-9]|1[0-2])/(?P<day>0?[1-9]|[12]\d|3[01])/(?P<year>[12]\d{{3}})(?!\d)",
                 self._date),
            rule(rf"{START}(?P<n>[12]\d{{3}})(?=(?:[,，、和与及と](?:1[5-9]|20)\d\d){{0,6}} ?[年])",
                 lambda m: self.year(m["n"])),
            rule(rf"{START}0(?P<n>\d)(?= ?[月日号點点分秒时時월일])", lambda m: self.cardinal(int(m["n"]))),
            rule(rf"(?:(?<=[日일])|(?<=\d/\d)|(?<=\d/\d\d))[（(](?P<a>[{self.weekdays}])(?:[〜～~-]"
                 rf"(?P<b>[{self.weekdays}]))?[)）]", self._weekday),
        )  # fmt: skip

    def _date(self, match: re.Match[str]) -> str:
        return self.date.format(
            year=self.year(match["year"]), month=self.month(int(match["month"])), day=self.cardinal(int(match["day"]))
        )

    def _short_date(self, match: re.Match[str]) -> str | None:
        month, day = int(match["month"]), int(match["day"])
        if month < day <= 12 and match.string[match.end() : match.end() + 1] not in (
            *"付자(（へに締〆発開実朝夜午 오",
        ):
            return None  # 2/3 may be a part
        return self._short_date_of(month, day)

    def _short_date_of(self, month: int, day: int) -> str:
        said = self.date.format(year="", month=self.month(month), day=self.cardinal(day))
        return re.sub(r"\A[年년]\s?", "", said)

    def _weekday(self, match: re.Match[str]) -> str:
        said = self.weekday.format(match["a"])
        return f"{said}{self.from_to}{self.weekday.format(match['b']).strip()}" if match["b"] else said

    def times(self) -> tuple[Rule, ...]:
        clock = r"(?P<hour>[01]?\d|2[0-4]):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d))?"
        last = clock.replace("hour", "hour2").replace("minute", "minute2").replace("second", "second2")
        return (
            rule(rf"{START}{clock} ?[-–—~〜～]{{1,2}} ?(?={last}(?![\d:]))",
                 lambda m: self._time(m) + (self.from_to or self.to)),
            rule(rf"(?<![A-Za-z.])(?![AaPp]\.[Mm])(?P<head>(?:[A-Za-z]{{1,3}}\.){{1,3}} ?){clock}(?![\d:])",
                 lambda m: m["head"] + self._time(m)),
            rule(rf"(?:(?<=[\d][-–—~〜～])|(?<=[\d][-–—~〜～] )|{START}){clock}(?![\d:])", self._time),
        )  # fmt: skip

    def _time(self, match: re.Match[str]) -> str:
        hour, minute = self.hour(int(match["hour"])), int(match["minute"])
        if match["second"]:
            return self.seconds.format(
                hour=hour, minute=self.cardinal(minute), second=self.cardinal(int(match["second"]))
            )
        if not minute:
            return self.full_hour.format(hour=hour)
        return self.clock.format(hour=hour, minute=(self.before_minutes if minute < 10 else "") + self.cardinal(minute))

    # Telephones and addresses of the net

    def telephones(self) -> tuple[Rule, ...]:
        return (
            rule(rf"{START}(?P<plus>\+(?P<country>\d{{1,3}})[- .]?)?(?:\((?=\d{{1,5}}\)))?0?\d{{1,4}}[-. )"
                 rf"]{{1,2}}\d{{3,4}}[-.]\d{{4}}(?![\d-])", self._telephone),
            rule(r"(?<![\w+-])\+(?P<country>\d{1,3})[- .]\(?\d{2,4}\)?(?:[- .]\d{3,4}){1,3}(?![\d-])", self._telephone),
            rule(rf"{START}0\d{{2,3}}[- ]\d{{7,8}}(?![\d-])", self._telephone),
            rule(rf"{START}0\d{{1,4}}-\d{{1,4}}-\d{{3,4}}(?![\d-])", self._telephone),
            rule(rf"{START}(?:[（(]0\d{{2,3}}[)）] ?|0\d{{2,3}}[- ])\d{{3,4}}[- ]?\d{{4}}(?![\d-])", self._telephone),
            rule(rf"{START}(?:1[3-9]\d[ -]\d{{4}}|[48]00[ -]\d{{3}})[ -]\d{{4}}(?![\d-])", self._telephone),
            rule(rf"{START}1[3-9]\d{{9}}(?!\d)", self._telephone),
            rule(rf"{START}\d{{4}}-\d{{4}}-\d{{4}}-\d{{4}}(?![\d-])", self._telephone),
            rule(rf"{START}\d{{4}}(?: \d{{4}}){{2,4}}(?: \d{{1,4}})?(?! ?\d)", self._telephone),
        )  # fmt: skip

    def _telephone(self, match: re.Match[str]) -> str | None:
        groups = re.findall(r"\d+", match[0])
        if len(groups) == 2 and len(match[0]) == 9 and not match[0].startswith("0"):
            return None
        country = match.groupdict().get("country")
        said = self.pause.join(self.by_digits(group) for group in groups)
        if country:
            said = f"{self.country_code or self.plus}{said}"
        return said.replace(self.digits[1], self.telephone_one) if self.telephone_one else said

    # All rules

    def counters(self) -> tuple[Rule, ...]:
        """Numbers before the words that count things, where they are not the plain ones."""
        return ()

    def own_rules(self) -> tuple[Rule, ...]:
        """What only one language has."""
        return ()

    def fraction_words(self, bottom: str, top: str) -> str:
        return self.fraction.format(bottom=bottom, top=top)

    def _part(self, match: re.Match[str]) -> str | None:
        if not match["root"] and not match["root_below"] and len(match["top"]) == len(match["bottom"]) == 3:
            return f"{self.spoken(match['top'])}{self.pause}{self.spoken(match['bottom'])}"  # two prices
        if not match["root"] and match["top"] == match["bottom"]:
            return None
        if (
            not (match["root"] or match["root_below"] or match["minus"])
            and 12 >= int(match["top"]) > int(match["bottom"]) >= 1
            and match["bottom"] != "2"
            and not re.search(r"[=+×÷*^(\d-] ?\Z", match.string[max(0, match.start() - 2) : match.start()])
            and not re.match(r" ?[=+×÷*^倍)-]", match.string[match.end() : match.end() + 2])
        ):
            return self._short_date_of(int(match["top"]), int(match["bottom"]))  # no part is larger than the whole
        if is_day(match):
            return self._short_date_of(int(match["top"]), int(match["bottom"]))
        if not match["root"] and not match["root_below"] and int(match["top"]) > int(match["bottom"]) > 12:
            return f"{self._sign(match)}{self.spoken(match['top'])}{self.web['/']}{self.spoken(match['bottom'])}"
        top = (self.root if match["root"] else "") + self.spoken(match["top"])
        bottom = (self.root if match["root_below"] else "") + self.spoken(match["bottom"])
        return self._sign(match) + self.fraction_words(bottom, top)

    def _price(self, match: re.Match[str]) -> str:
        number = self.spoken(match["n"].removesuffix(".00")) + (match["scale"] or "")
        behind = self.money[match["sign"].upper()].partition("{}")[2].strip()
        if behind and match.string.startswith(behind, match.end()):
            return self._sign(match) + number  # "￥520元" says it already
        return self._sign(match) + self.money[match["sign"].upper()].format(number)

    def _measure(self, match: re.Match[str]) -> str | None:
        if (
            match["unit"] == "L"
            and re.search(
                r"サイズ|尺码|尺寸|사이즈|[SMLX][〜~～、/]\Z", match.string[max(0, match.start() - 12) : match.start()]
            )
        ) or (
            len(match["unit"]) == 1
            and match["unit"].isalpha()
            and match.string[match.end() : match.end() + 1] in ("-", "'", "’", *"석동호홀열존관실席座栋楼区棟号")
        ):
            return None
        if self._of_league(match):
            return None
        if match["unit"] == "A" and not match["minus"] and not mentions(ELECTRIC, match.string):
            return None  # a seat
        before, _, behind = self.all_units[match["unit"]].partition("{}")
        if before and match.string.endswith(before, 0, match.start()):
            before = ""  # 時速60km/h says it already
        if before == "秒速" and text_before(match, 1) == "速":
            before = ""  # 風速5m/s is of meters
        return self._sign(match) + before + self.spoken(match["n"]) + (match["scale"] or "") + behind

    @cached_property
    def kinds(self) -> tuple[Kind, ...]:
        said, digit = self.spoken, re.compile(r"\d")
        money, units = one_of(self.money), one_of(self.all_units)
        waved = self.from_to or self.to
        return (
            Kind("address of the net", re.compile(r"[A-Za-z]\.|\.[A-Za-z]|@"), self.addresses()),
            Kind("date", digit, self.dates()),
            Kind("telephone", digit, self.telephones()),
            Kind("time", digit, self.times()),
            Kind("money", digit, (
                rule(rf"(?<![A-Za-z\d]){MINUS}(?P<sign>(?i:{money})) ?(?P<n>{NUMBER}) ?(?P<scale>[{SCALES}]?)",
                     self._price),
                rule(rf"{START}{MINUS}(?P<n>{NUMBER}) ?(?P<scale>[{SCALES}]?)(?P<sign>{money})(?![A-Za-z\d])",
                     self._price),
            )),
            Kind("measure", digit, (
                rule(rf"{START}{MINUS}(?P<a>{NUMBER}) ?(?P<ua>{units}|%)?[-–—~〜～] ?(?P<n>{NUMBER}) ?(?P<unit>{units})"
                     r"(?![A-Za-z²³\d]|/(?!\d))", self._measures),
                rule(rf"{START}(?P<n>{NUMBER}) ?% ?(?P<word>OFF|off|Off|UP|DOWN)(?![A-Za-z\d])",
                     lambda m: f"{self.percent.format(said(m['n']))} {m['word']}"),
                rule(rf"{START}{MINUS}(?:(?P<n>{NUMBER}) ?[×x·] ?)?(?P<base>\d{{1,4}})(?P<power>\^-?\d{{1,3}}"
                     rf"|⁻?[⁰¹²³⁴-⁹]{{1,3}})"
                     rf" ?(?P<unit>{units})?(?:/(?P<per>{units}))?(?![A-Za-z\d])", self._power),
                rule(rf"{START}{MINUS}(?P<n>{NUMBER}) ?%", lambda m: self._sign(m) + self.percent.format(said(m["n"]))),
                rule(rf"{START}{MINUS}(?P<n>{NUMBER})(?P<scale>[{SCALES}]{{0,2}}) ?(?P<unit>{units})"
                     rf"(?![A-Za-z²³\d]|/(?!\d))",
                     self._measure),
            )),
            Kind("own", digit, (
                *self.own_rules(),
                *self.marks(),
                rule(rf"(?P<head>(?:{self.identifiers})[：: 为是は는은이가]{{0,2}})"
                     rf"(?P<n>\d(?:[ -]?\d){{3,24}})(?!\d|[.,]\d)",
                     lambda m: m["head"]
                     + self.pause.join(self.by_digits(group) for group in re.findall(r"\d+", m["n"]))),
                rule(rf"(?P<head>(?:{self.identifiers})[：: 为是は는은이가]{{0,2}})(?P<letters>[A-Z]{{1,4}})-?"
                     rf"(?P<n>\d{{1,8}}(?:-\d{{1,8}}){{1,3}}|\d{{4,12}})(?![A-Za-z\d-])",
                     lambda m: f"{m['head']}{(' ' if '-' in m['n'] else '').join(m['letters'])} "
                     + self.pause.join(self.by_digits(group) for group in m["n"].split("-"))),
                rule(rf"(?P<head>(?:{self.durations})[：: 为是はが]{{0,2}})(?P<hour>\d{{1,2}}):(?P<minute>[0-5]\d)"
                     r":(?P<second>[0-5]\d)(?![\d:])", self._duration),
                rule(r"(?<=[一-鿿ぁ-ヿ가-힣])(?P<a>\d{1,3})[-–](?P<b>\d{1,3})(?=[一-鿿ァ-ヺ가-힣]{2})",
                     self._beside_names),
            )),
            Kind("name", re.compile(r"\d|[Ⅰ-Ⅿ①-⑳₀-₉]"), self.names()),
            Kind("number", digit, (
                rule(rf"{START}{MINUS}(?P<root>√)?(?P<top>\d{{1,9}})/(?P<root_below>√)?(?P<bottom>\d{{1,9}})(?![\d/])",
                     self._part),
                rule(rf"(?<![A-Za-z\d]){MINUS}√(?P<n>{NUMBER})(?![\d/])",
                     lambda m: f"{self._sign(m)}{self.root}{said(m['n'])}"),
                rule(r"(?<=[\d円元원個个개人名명件건台대%]) ?→ ?(?=[\d¥￥$€])", lambda m: self.to),
                rule(r"(?<=[一-鿿ぁ-ヿ가-힣]) ?[×x](?=\d)|(?<=[一-鿿ぁ-ヿ가-힣]) ?× ?(?=\d)", lambda m: self.web["×"]),
                # A comma that stands between two numbers, or two clauses, is a pause.
                rule(r"(?<=\d),(?!\d{3}(?!\d))(?=\d)", lambda m: self.pause),
                rule(r"(?:(?<=\d)|(?<=[시時点円元원人名日月年半반]))[〜～~](?=[。、，,.)）(（]|\s*\Z)",
                     lambda m: self.onward or None),
                rule(r"(?<![A-Za-z])(?P<name>[A-Za-z]{1,3}) ?(?P<sign>[=≠]) ?(?=-?\d)",
                     lambda m: m["name"] + self.web[m["sign"]]),
                # "5万0376円": noughts keep the four places behind a myriad.
                rule(rf"(?<=\d[{MYRIADS}])(?P<n>0\d{{3}})(?![\d.])", self._behind_a_myriad),
                rule(rf"{START}(?P<a>{NUMBER})(?P<unit>[年月日時时시点円元人個个万億亿만년월일]?) ?[-–—~〜～] ?"
                     rf"(?={NUMBER}(?![\d-]))",
                     self._range),
                rule(r"(?<=[^\sA-Za-z\d])[〜～~](?=\d|[一-鿿ぁ-ヿ가-힣])",
                     lambda m: waved.lstrip() if waved.endswith(" ") else waved.strip()),
                *self.counters(),
                rule(rf"{START}(?P<a>{NUMBER})(?P<rest>(?: ?[-−+×÷=] ?{NUMBER}){{1,8}})(?![A-Za-z\d])", self._sum),
                rule(r"(?<=[一-鿿ぁ-ヿ가-힣㎡])/(?=\d{1,4}[一-鿿ぁ-ヿ가-힣])", self.pause),  # "2층/18층"
                rule(r"(?<=[^\s\dA-Za-z=])(?:=(?=約?\d)| = (?=[1-9]))", self.equals),
                rule(r"(?P<name>[A-Za-zπ]?) ?≈ ?(?=\d)", lambda m: f"{m['name']}{self.about}" if self.about else None),
                rule(rf"{START}(?P<whole>\d{{1,4}})[ ・](?P<top>\d{{1,2}})/(?P<bottom>\d{{1,2}})(?![\d/A-Za-z])",
                self._mixed_part),
                rule(rf"(?<![A-Za-z\d._])(?<!\d,(?=\d{{3}}(?!\d))){MINUS}(?P<n>{NUMBER})(?![A-Za-z\d]|\.\d)",
                     lambda m: self._sign(m) + said(m["n"])),
            )),
        )  # fmt: skip

    def _of_league(self, match: re.Match[str]) -> bool:
        """Whether the letter is none of a unit: "2024 V리그"."""
        return re.search(r"\d [A-Z]\Z", match[0]) is not None and LEAGUE.match(match.string, match.end()) is not None

    def _measures(self, match: re.Match[str]) -> str | None:
        if match["ua"] not in (None, match["unit"]) or self._of_league(match):
            return None
        before, _, behind = self.all_units[match["unit"]].partition("{}")
        return f"{self._sign(match)}{before}{self.spoken(match['a'])}{self.to}{self.spoken(match['n'])}{behind}"

    def _behind_a_myriad(self, match: re.Match[str]) -> str:
        number = int(match["n"])
        return self.zero_place + self.cardinal(number) if number else ""

    def equals(self, match: re.Match[str]) -> str:
        return self.web["="]

    def _range(self, match: re.Match[str]) -> str:
        """The first number of a range; a year stays one, and in the report of a match it is a score."""
        if "-" in match[0] and not match["unit"] and mentions(self.sport_words, match.string):
            other = re.match(r"\d{1,2}(?= ?[(（,，、。)）]| ?\Z)", match.string[match.end() : match.end() + 4])
            if other and len(match["a"]) < 3:
                return f"{self.cardinal(int(match['a']))}{self.versus}"
        first = self.year(match["a"]) if match["unit"] in ("年", "년") and len(match["a"]) == 4 else None
        return (first or self.spoken(match["a"])) + match["unit"] + self.joint(match)

    def joint(self, match: re.Match[str]) -> str:
        """What stands between the numbers of a range."""
        return self.to if re.search("[-–]", match[0]) else self.from_to or self.to

    def _power(self, match: re.Match[str]) -> str | None:
        """ "10⁸ m/s", with what it multiplies."""
        if not self.power:
            return None
        exponent = match["power"].lstrip("^").translate(RAISED)
        minus = self.minus if exponent[0] == "-" else ""
        said = self.power.format(base=self.cardinal(int(match["base"])),
                                 exponent=f"{minus}{self.cardinal(int(exponent.lstrip('-')))}")  # fmt: skip
        if match["n"]:
            said = f"{self.spoken(match['n'])}{self.web['×']}{said}"
        if match["per"]:
            if not self.per:
                return None
            said += self.per + self.all_units[match["per"]].format("").strip()
        return self._sign(match) + (self.all_units[match["unit"]].format(said) if match["unit"] else said)

    def _duration(self, match: re.Match[str]) -> str:
        hour, minute, second = (self.cardinal(int(match[name])) for name in ("hour", "minute", "second"))
        return match["head"] + self.duration.format(hour=hour, minute=minute, second=second)

    def _mixed_part(self, match: re.Match[str]) -> str | None:
        if not self.and_part or int(match["top"]) >= int(match["bottom"]):
            return None
        part = self.fraction_words(self.spoken(match["bottom"]), self.spoken(match["top"]))
        return f"{self.spoken(match['whole'])}{self.and_part}{part}"

    def _sum(self, match: re.Match[str]) -> str:
        if "=" not in match["rest"] and re.search("[-−]", match["rest"]):
            raise UnspeakableError(match[0])  # a range
        names = {
            "-": self.web["−"],
            "−": self.web["−"],
            "+": self.web["+"],
            "=": self.web["="],
            "×": self.web["×"],
            "÷": self.web["÷"],
        }
        if not all(names.values()):
            raise UnspeakableError(match[0])
        rest = re.sub(r" ?([-−+×÷=]) ?", lambda m: names[m[1]], match["rest"])
        return self.spoken(match["a"]) + re.sub(r"\d[\d,.]*", lambda m: self.spoken(m[0]), rest)
