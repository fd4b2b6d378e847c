"""Numbers, dates, times, money and measures -> words, for languages that count in myriads and have no plural.

`EastAsian` is what such a language says; its methods are what several say in the same way, and a language overrides
those in which it differs.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from functools import cached_property

from mlx_tts.text.normalise.engine import SIGNS, Kind, Rule, Span, UnspeakableError, one_of, recognise, rule
from mlx_tts.text.normalise.number_words import number_words

NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
START = r"(?<![A-Za-z\d.,_-])"
MINUS = r"(?P<minus>[-+±](?=[\d√]))?"
MOST_DIGITS = 17
SCALES = "万亿億萬만억조兆千"
HOST = r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})\.){1,8}(?:[A-Za-z]{2,24})"
FILES = [
    "pdf",
    "txt",
    "md",
    "doc",
    "docx",
    "xls",
    "xlsx",
    "ppt",
    "pptx",
    "zip",
    "png",
    "jpg",
    "jpeg",
    "gif",
    "mp3",
    "mp4",
    "wav",
    "csv",
    "json",
    "html",
    "py",
]


@dataclass(frozen=True)
class EastAsian:
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

    def recognise(self, text: str, variant: str = "") -> list[Span]:
        return recognise(text.translate(SIGNS), self.kinds)

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
            rule(rf"{START}(?P<month>1[0-2]|0?[1-9])/(?P<day>0?[1-9]|[12]\d|3[01])(?=付|自|자|[（(](?:周|週|"
                rf"星期)?[{self.weekdays}]|까지|부터|まで|から|[的前后起至截])",
                 self._short_date),
            rule(rf"{START}(?P<year>[12]\d{{3}})[-/.](?P<month>0?[1-9]|1[0-2])[-/.](?P<day>0?[1-9]|[12]\d|3[01])(?!\d)",
                 self._date),
            rule(rf"{START}(?P<month>0?[1-9]|1[0-2])/(?P<day>0?[1-9]|[12]\d|3[01])/(?P<year>[12]\d{{3}})(?!\d)",
                 self._date),
            rule(rf"{START}(?P<n>[12]\d{{3}})(?= ?[年])", lambda m: self.year(m["n"])),
            rule(rf"{START}0(?P<n>\d)(?= ?[月日号點点分秒时時월일])", lambda m: self.cardinal(int(m["n"]))),
            rule(rf"(?<=[日일])[（(](?P<a>[{self.weekdays}])(?:[〜～~-](?P<b>[{self.weekdays}]))?[)）]", self._weekday),
        )  # fmt: skip

    def _date(self, match: re.Match[str]) -> str:
        return self.date.format(
            year=self.year(match["year"]), month=self.month(int(match["month"])), day=self.cardinal(int(match["day"]))
        )

    def _short_date(self, match: re.Match[str]) -> str | None:
        month, day = int(match["month"]), int(match["day"])
        if month < day <= 12 and match.string[match.end() : match.end() + 1] not in ("付", "자", "(", "（"):
            return None  # 2/3 may be a part
        said = self.date.format(year="", month=self.month(month), day=self.cardinal(day))
        return re.sub(r"\A[年년]\s?", "", said)

    def _weekday(self, match: re.Match[str]) -> str:
        said = self.weekday.format(match["a"])
        return f"{said}{self.from_to}{self.weekday.format(match['b']).strip()}" if match["b"] else said

    def times(self) -> tuple[Rule, ...]:
        clock = r"(?P<hour>[01]?\d|2[0-4]):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d))?"
        last = clock.replace("hour", "hour2").replace("minute", "minute2").replace("second", "second2")
        return (
            rule(rf"{START}{clock} ?[-–~〜～] ?(?={last}(?![\d:]))",
                 lambda m: self._time(m) + (self.from_to or self.to)),
            rule(rf"(?:(?<=[\d][-–~〜～])|(?<=[\d][-–~〜～] )|{START}){clock}(?![\d:])", self._time),
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
            rule(rf"{START}(?P<plus>\+(?P<country>\d{{1,3}})[- .]?)?\(?0?\d{{1,4}}[-. )"
                 rf"]{{1,2}}\d{{3,4}}[-.]\d{{4}}(?![\d-])", self._telephone),
            rule(r"(?<![\w+-])\+(?P<country>\d{1,3})[- .]\(?\d{2,4}\)?(?:[- .]\d{3,4}){1,3}(?![\d-])", self._telephone),
            rule(rf"{START}0\d{{2,3}}[- ]\d{{7,8}}(?![\d-])", self._telephone),
            rule(rf"{START}1[3-9]\d{{9}}(?!\d)", self._telephone),
            rule(rf"{START}\d{{4}}-\d{{4}}-\d{{4}}-\d{{4}}(?![\d-])", self._telephone),
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

    def addresses(self) -> tuple[Rule, ...]:
        path = r"(?P<path>/(?:[A-Za-z\d._~%/-]{0,200}[\w/])?)?"
        return (
            rule(rf"(?<![A-Za-z\d.@+_-])(?P<user>[A-Za-z0-9][A-Za-z\d_.+-]{{0,63}})@(?P<host>{HOST})(?![A-Za-z\d@])",
                 lambda m: f"{self.marked(m['user'])}{self.web['@']}{self.host(m['host'])}"),
            rule(rf"(?<![A-Za-z\d.@/-])(?:[a-z]{{2,10}}://)?(?:www\.)?(?P<host>{HOST}){path}(?![A-Za-z\d@])",
                 self._url),
            rule(rf"(?P<name>[^\W_]{{1,40}})\.(?P<end>(?i:{one_of(FILES)}))(?![A-Za-z\d])",
                 lambda m: f"{self.marked(m['name'])}{self.web['.']}{self.letters(m['end'])}"),
        )  # fmt: skip

    def _url(self, match: re.Match[str]) -> str | None:
        """A host without a scheme must end as addresses do."""
        known = re.search(
            r"\.(?:com|org|net|io|ai|edu|gov|dev|app|cn|jp|kr|tw|hk|co|uk|de|fr|it|eu|tv|me|info)\Z", match["host"]
        )
        if "://" not in match[0] and not match[0].startswith("www.") and not known:
            return None
        path = (match["path"] or "").strip("/")
        return self.host(match["host"]) + (self.web["/"] + self.marked(path) if path else "")

    def host(self, host: str) -> str:
        *names, end = host.split(".")
        parts = [
            self.marked(name) if place == 0 or len(name) > 3 else self.letters(name) for place, name in enumerate(names)
        ]
        return self.web["."].join([*parts, self.letters(end)])

    def letters(self, written: str) -> str:
        """A short name that is said letter by letter."""
        return written if len(written) > 3 else " ".join(written.upper())

    def marked(self, written: str) -> str:
        said = re.sub(r"[^\w\s]|_", lambda mark: self.web.get(mark[0], " "), written)
        return re.sub(r"\d+", lambda number: self.by_digits(number[0]), said)

    # All rules

    def counters(self) -> tuple[Rule, ...]:
        """Numbers before the words that count things, where they are not the plain ones."""
        return ()

    def own_rules(self) -> tuple[Rule, ...]:
        """What only one language has."""
        return ()

    def fraction_words(self, bottom: str, top: str) -> str:
        return self.fraction.format(bottom=bottom, top=top)

    def _part(self, match: re.Match[str]) -> str:
        if not match["root"] and not match["root_below"] and int(match["top"]) > int(match["bottom"]) > 12:
            return f"{self._sign(match)}{self.spoken(match['top'])}{self.web['/']}{self.spoken(match['bottom'])}"
        top = (self.root if match["root"] else "") + self.spoken(match["top"])
        bottom = (self.root if match["root_below"] else "") + self.spoken(match["bottom"])
        return self._sign(match) + self.fraction_words(bottom, top)

    def _price(self, match: re.Match[str]) -> str:
        number = self.spoken(match["n"]) + (match["scale"] or "")
        return self._sign(match) + self.money[match["sign"].upper()].format(number)

    def _measure(self, match: re.Match[str]) -> str | None:
        if (
            len(match["unit"]) == 1
            and match["unit"].isalpha()
            and match.string[match.end() : match.end() + 1] in ("-", "'", "’")
        ):
            return None
        before, _, behind = self.units[match["unit"]].partition("{}")
        if before and match.string.endswith(before, 0, match.start()):
            before = ""  # 時速60km/h says it already
        return self._sign(match) + before + self.spoken(match["n"]) + (match["scale"] or "") + behind

    @cached_property
    def kinds(self) -> tuple[Kind, ...]:
        said, digit = self.spoken, re.compile(r"\d")
        money, units = one_of(self.money), one_of(self.units)
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
                rule(rf"{START}{MINUS}(?P<n>{NUMBER}) ?%", lambda m: self._sign(m) + self.percent.format(said(m["n"]))),
                rule(rf"{START}{MINUS}(?P<n>{NUMBER})(?P<scale>[{SCALES}]?) ?(?P<unit>{units})(?![A-Za-z/²³\d])",
                     self._measure),
            )),
            Kind("own", digit, self.own_rules()),
            Kind("name", re.compile(r"\d|[Ⅰ-Ⅿ]"), self.names()),
            Kind("number", digit, (
                rule(rf"{START}{MINUS}(?P<root>√)?(?P<top>\d{{1,9}})/(?P<root_below>√)?(?P<bottom>\d{{1,9}})(?![\d/])",
                     self._part),
                rule(rf"(?<![A-Za-z\d]){MINUS}√(?P<n>{NUMBER})(?![\d/])",
                     lambda m: f"{self._sign(m)}{self.root}{said(m['n'])}"),
                rule(rf"{START}(?P<a>{NUMBER})(?P<unit>[年月日年人個个万億亿]?) ?[-–~〜～] ?(?={NUMBER}(?![\d-]))",
                     lambda m: said(m["a"]) + m["unit"] + (self.to if re.search("[-–]", m[0]) else waved)),
                rule(r"(?<=[^\sA-Za-z\d])[〜～~](?=\d|[一-鿿ぁ-ヿ가-힣])", lambda m: waved.strip()),
                *self.counters(),
                rule(rf"{START}(?P<a>{NUMBER})(?P<rest>(?: ?[-−+×÷=] ?{NUMBER}){{1,8}})(?![A-Za-z\d])", self._sum),
                rule(r"(?<=[^\s\dA-Za-z=])=(?=\d)", lambda m: self.web["="]),
                rule(r"(?P<name>[A-Za-zπ]?) ?≈ ?(?=\d)", lambda m: f"{m['name']}{self.about}" if self.about else None),
                rule(rf"{START}(?P<whole>\d{{1,4}}) (?P<top>\d{{1,2}})/(?P<bottom>\d{{1,2}})(?![\d/A-Za-z])",
                self._mixed_part),
                rule(rf"(?<![A-Za-z\d.,_]){MINUS}(?P<n>{NUMBER})(?![A-Za-z\d]|\.\d)",
                     lambda m: self._sign(m) + said(m["n"])),
            )),
        )  # fmt: skip

    def names(self) -> tuple[Rule, ...]:
        """Numbers beside letters, and others that count nothing."""
        return (
            rule(r"(?<![A-Za-z\d.,_-])(?P<letters>[A-Za-z]{1,12})-?(?P<n>\d{1,5})(?P<more>[A-Za-z]{0,3})(?![A-Za-z\d"
                 r"_-]|\.\d)",
                 lambda m: f"{m['letters']} {self.name_of_number(m['n'])} {m['more']}".strip()),
            rule(r"(?<![A-Za-z\d.,_-])(?P<n>\d{1,3})(?P<letters>[A-Z]{1,3})(?![A-Za-z\d_-])",
                 lambda m: f"{self.cardinal(int(m['n']))} {m['letters']}"),
            rule(r"(?<![A-Za-z\d.,_-])[vV]?(?P<n>\d{1,4}(?:\.\d{1,4}){2,3})(?![\d.])",
                 lambda m: self.point.join(self.cardinal(int(part)) for part in m["n"].split("."))),
            rule(r"(?<![A-Za-z\d.])[Vv]er\.? ?(?P<n>\d{1,4}(?:\.\d{1,4}){0,3})(?![\d.])",
                 lambda m: f"{self.version} " + self.point.join(self.cardinal(int(part)) for part in m["n"].split(
                 "."))),
            rule(r"(?:№|(?<![A-Za-z])[Nn]o\.) ?(?P<n>\d{1,6})(?![\dA-Za-z]|\.\d)",
                 lambda m: f"{self.numero}{self.cardinal(int(m['n']))}"),
            rule(r"[Ⅰ-Ⅻ]", lambda m: self.cardinal(int(unicodedata.numeric(m[0])))),
            rule(rf"(?:{self.score_words})(?P<gap>[^\d\n]{{0,4}})(?P<a>\d{{1,3}}) ?[-–:] "
                 rf"?(?P<b>\d{{1,3}})(?![\d:-])", self._score),
            rule(rf"{START}(?P<a>\d{{1,3}}):(?P<b>\d)(?![\d:])",
                 lambda m: f"{self.spoken(m['a'])}{self.versus}{self.spoken(m['b'])}"),
            rule(rf"(?:{self.pressure_words})(?P<gap>[^\d\n]{{0,4}})(?P<a>\d{{2,3}})/(?P<b>\d{{2,3}})(?P<unit>(?: "
            rf"?mm ?Hg)?)(?![A-Za-z\d/])",
            self._pressed),
            rule(r"(?<=[A-Za-z²³]) ?[×x] ?(?=\d)|(?<=[\d]) ?× ?(?=\d)", lambda m: self.web["×"]),
        )  # fmt: skip

    def name_of_number(self, written: str) -> str:
        by_digits = written[0] == "0" or len(written) >= self.names_by_digits
        return self.by_digits(written) if by_digits else self.cardinal(int(written))

    def _score(self, match: re.Match[str]) -> str:
        head = match[0][: match.start("a") - match.start()]
        return f"{head}{self.spoken(match['a'])}{self.versus}{self.spoken(match['b'])}"

    def _pressed(self, match: re.Match[str]) -> str:
        head = match[0][: match.start("a") - match.start()]
        said = f"{self.spoken(match['a'])}{self.pressure}{self.spoken(match['b'])}"
        return head + (self.units["mmHg"].format(said) if match["unit"] else said)

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
