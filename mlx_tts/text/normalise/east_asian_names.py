"""Numbers next to letters and others that count nothing -> words, for languages that count in myriads."""

from __future__ import annotations

import re
import unicodedata

from mlx_tts.text.normalise.east_asian_marks import START, MarkWords
from mlx_tts.text.normalise.engine import Rule, rule

LOWERED = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")


class NamedNumbers(MarkWords):
    """What `EastAsian` says of model names, versions, chemical formulas, numbered items and scores.

    The attributes are those of `EastAsian`."""

    pause: str
    version: str
    numero: str
    names_by_digits: int
    score_words: str
    pressure_words: str

    def names(self) -> tuple[Rule, ...]:
        """Numbers next to letters, and others that count nothing."""
        return (
            rule(r"(?<![A-Za-z\d._-])(?P<letters>[A-Za-z]{1,12})-?(?P<n>\d{1,14})(?P<more>[A-Za-z]{0,3})(?![A-Za-z\d"
                 r"_-]|\.\d)",
                 self._named),
            rule(r"(?<![A-Za-z\d._-])(?<!\d,)(?P<n>\d{1,3}(?:\.\d)?)(?P<letters>[A-Z]{1,3})(?![A-Za-z\d_-])",
                 lambda m: f"{self.spoken(m['n']) if '.' in m['n'] else self.cardinal(int(m['n']))} {m['letters']}"),
            rule(r"(?<![A-Za-z\d._-])(?<!\d,)(?P<letters>[A-Z]{1,2})(?P<n>\d{1,3})-(?P<more>[A-Z]{1,2})(?![A-Za-z\d_-])",
                 lambda m: f"{m['letters']} {self.name_of_number(m['n'])} {m['more']}"),
            rule(r"(?<![A-Za-z\d._-])(?<!\d,)[vV]?(?P<n>\d{1,4}(?:\.\d{1,6}){2,3})(?!\d|\.\d)",
                 lambda m: self._parts(m["n"])),
            rule(r"(?<![A-Za-z\d.])[Vv]er\.? ?(?P<n>\d{1,4}(?:\.\d{1,4}){0,3})(?!\d|\.\d)",
                 lambda m: f"{self.version} " + self.point.join(self.cardinal(int(part)) for part in m["n"].split(
                 "."))),
            rule(r"(?:№|(?<![A-Za-z])(?:[Nn]o|NO)\.) ?(?P<n>\d{1,6})(?![\dA-Za-z]|\.\d)",
                 lambda m: self.numero + (self.by_digits(m["n"]) if len(m["n"]) > 4 else self.cardinal(int(m["n"])))),
            rule(r"[①-⑳]", self._item),
            rule(r"[Ⅰ-Ⅻ]", lambda m: self.cardinal(int(unicodedata.numeric(m[0])))),
            rule(rf"(?:{self.score_words})(?P<gap>[^\d\n]{{0,4}})(?P<a>\d{{1,3}}) ?[-–:] "
                 rf"?(?P<b>\d{{1,3}})(?![\d:-])", self._score),
            rule(rf"{START}\d{{1,3}}[-–:]\d{{1,3}}(?: ?[(（]\d{{1,2}}[-–:]\d{{1,2}}[)）])?"
                 rf"(?:[、，, /]{{1,2}}\d{{1,3}}[-–:]\d{{1,3}}(?: ?[(（]\d{{1,2}}[-–:]\d{{1,2}}[)）])?){{1,6}}"
                 r"(?![\d-])",
                 self._sets),
            rule(r"(?<![A-Za-z\d./])[vV]\.? ?(?P<n>\d{1,4}(?:\.\d{1,6}){1,3})(?![\dA-Za-z]|\.\d)",
                 lambda m: "V " + self._parts(m["n"])),
            rule(r"(?<![A-Za-z\d._-])(?<!\d,)(?P<letters>[A-Za-z]{2,8})(?<!ver)(?P<n>\d{1,4}\.\d{1,3})(?![\dA-Za-z]|\.\d)",
                 lambda m: f"{m['letters']} {self.spoken(m['n'])}"),
            rule(r"(?:№|(?<![A-Za-z])[Nn]o\.) ?(?P<a>\d{1,6})-(?P<b>\d{1,6})(?![\dA-Za-z-])",
                 lambda m: f"{self.numero}{self.by_digits(m['a'])}{self.web['-']}{self.by_digits(m['b'])}"),
            rule(r"(?<![A-Za-z\d])(?=[A-Za-z]{1,8}[₀-₉])(?P<atoms>(?:[A-Z][a-z]?[₀-₉]{0,3}){1,8})(?![A-Za-z\d])",
                 lambda m: " ".join(part if part[0].isalpha() else self.cardinal(int(part))
                                    for part in re.findall(r"[A-Z][a-z]?|\d+", m["atoms"].translate(LOWERED)))),
            rule(rf"{START}(?P<a>\d{{1,3}}):(?P<b>\d)(?![\d:])",
                 lambda m: f"{self.spoken(m['a'])}{self.versus}{self.spoken(m['b'])}"),
            rule(rf"(?:{self.pressure_words})(?P<gap>[^\d\n]{{0,4}})(?P<a>\d{{2,3}})/(?P<b>\d{{2,3}})(?P<unit>(?: "
            rf"?mm ?Hg)?)(?![A-Za-z\d/])",
            self._pressed),
            rule(r"(?<=[A-Za-z²³]) ?[×x] ?(?=\d)|(?<=[\d]) ?× ?(?=\d)", lambda m: self.web["×"]),
        )  # fmt: skip

    def _named(self, match: re.Match[str]) -> str:
        """ "G1023", "A4", "SSD256GB"."""
        if match["more"] in ("GB", "MB", "TB", "KB"):
            return f"{match['letters']} {self.all_units[match['more']].format(self.cardinal(int(match['n'])))}"
        return f"{match['letters']} {self.name_of_number(match['n'])} {match['more']}".strip()

    def _parts(self, version: str) -> str:
        """The number of a build is said digit by digit."""
        return self.point.join(
            self.cardinal(int(part)) if len(part) < 5 else self.by_digits(part) for part in version.split(".")
        )

    def _item(self, match: re.Match[str]) -> str:
        """The number of an item, apart from what stands around it."""
        apart = (
            self.pause
            if re.search(r"[^\s。、，,；;.:：（(]\Z", match.string[max(0, match.start() - 1) : match.start()])
            else ""
        )
        return f"{apart}{self.cardinal(int(unicodedata.numeric(match[0])))}{self.pause}"

    def name_of_number(self, written: str) -> str:
        by_digits = written[0] == "0" or len(written) >= min(self.names_by_digits, 6)
        return self.by_digits(written) if by_digits else self.cardinal(int(written))
