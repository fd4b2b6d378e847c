"""Names with numbers that are said as in English ("G7", "3D", "B2B") or digit by digit ("737-800"), for languages that
count in myriads; each language gives its words."""

from __future__ import annotations

import re

from mlx_tts.text.normalise.east_asian import START, EastAsian
from mlx_tts.text.normalise.engine import Rule, mentions, rule, words_of

CHIPS = re.compile("Ryzen|Core|Intel|AMD|라이젠|코어|锐龙|酷睿|SSD|GB|CPU")
ALONE = r"(?<![A-Za-z\d._-])"
LETTERS_END = r"(?![A-Za-z\d_-]|\.\d)"


def english_rules(own: EastAsian, digits: str, names: str, ahead: str, behind: str, joint: str) -> tuple[Rule, ...]:
    """digits: English ones from nought to ten, as they sound. names: a pattern of "G7", of letters and number. ahead:
    of words before a number up to ten, "トップ". behind: of what stands behind a number, "D". joint: the 2 of "B2B"."""
    english = words_of(digits)

    def named(match: re.Match[str]) -> str:
        apart = " " if match["letters"].isascii() else ""
        return f"{match['letters']}{apart}{english[int(match['n'])]} {match['more']}".strip()

    return (
        rule(rf"{ALONE}(?:{names}){LETTERS_END}", lambda m: named_of(m, english)),
        rule(rf"(?P<letters>{ahead}) ?(?P<n>10|[1-9])(?P<more>(?:(?<=6)E)?)"
             r"(?![\dA-Za-z:：/-]|[.,]\d|[年月日時位人円点回]|[년월일시위명원점회층개기채단번대동호])", named),
        rule(rf"{ALONE}(?<!\d,)(?P<n>[1-9])(?P<letters>{behind})", lambda m: f"{english[int(m['n'])]} {m['letters']}"),
        rule(rf"{ALONE}(?P<a>[BCDGPOM])2(?P<b>[BCDGPOM])(?![A-Za-z\d_-])", lambda m: f"{m['a']} {joint} {m['b']}"),
    )  # fmt: skip


def named_of(match: re.Match[str], english: tuple[str, ...]) -> str:
    letters, number, more = re.findall(r"([A-Za-z]+)-?(\d+)([A-Za-z]*)", match[0])[0]
    return f"{letters} {english[int(number)]} {more}".strip()


def aircraft_rule(own: EastAsian, maker: str, joint: str) -> Rule:
    """ "737-800": the number of a plane is said digit by digit. maker: a pattern of who makes it; without it only the
    usual lengths behind a hyphen tell a plane from a range."""

    def said(match: re.Match[str]) -> str | None:
        if not match["head"] and match["b"] not in ("200", "300", "400", "500", "700", "800", "900", "8", "9", "10"):
            return None
        length = f"{joint}{own.cardinal(int(match['b']))}" if match["b"] else ""
        return f"{match['head'] or ''}{own.by_digits(match['a'])}{length}"

    return rule(rf"(?P<head>(?:(?:{maker}) ?)?){START}(?P<a>7\d7)(?:-(?P<b>\d{{1,4}}))?(?![\d-]|[.,]\d)", said)


def optics_rules(own: EastAsian) -> tuple[Rule, ...]:
    """ "f/1.6" and "F2.8": how far a lens is open; "1/250s": for how long."""
    second = own.all_units.get("s", "{}秒")
    return (
        rule(r"(?<![A-Za-z\d./_-])1/(?P<n>\d{2,5}) ?s(?![A-Za-z\d])",
             lambda m: second.format(own.fraction_words(own.spoken(m["n"]), own.spoken("1")))),
        rule(r"(?<![A-Za-z\d./_-])(?P<f>[fF])/(?P<n>\d{1,2}(?:\.\d{1,2})?)(?![\dA-Za-z/]|\.\d)",
             lambda m: f"F {own.spoken(m['n'])}"),
        rule(r"(?<![A-Za-z\d./_-])(?P<f>[fF])(?P<n>\d{1,2}\.\d{1,2})(?![\dA-Za-z/]|\.\d)",
             lambda m: f"F {own.spoken(m['n'])}"),
    )  # fmt: skip


def model_rules(own: EastAsian, plus: str) -> tuple[Rule, ...]:
    """ "i7-13700K", "H5N1", and the star of "3*4" and "1.8m*2m" that stands for the sign of multiplying. plus: said of
    "SPF50+"."""

    def memory(match: re.Match[str]) -> str:
        number = own.cardinal(int(match["n"]))
        said = (
            own.all_units[match["unit"]].format(number)
            if match["unit"] in own.all_units and len(match["unit"]) > 1
            else f"{number} {match['unit']}".strip()
        )
        return f"{own.pause}{match['name']} {said}" if match["name"] else own.pause + said

    return (
        rule(rf"{ALONE}(?P<i>[iR])(?P<a>[3579])-(?P<b>\d{{4,5}})(?P<more>[A-Z]{{0,3}})(?![A-Za-z\d_-])",
             lambda m: f"{m['i']} {own.cardinal(int(m['a']))}{own.pause}{own.by_digits(m['b'])} {m['more']}".strip()),
        rule(r"(?<![A-Za-z\d])H(?P<h>\d{1,2})N(?P<n>\d{1,2})(?![A-Za-z\d])",
             lambda m: f"H {own.cardinal(int(m['h']))} N {own.cardinal(int(m['n']))}"),
        rule(rf"{ALONE}(?<!\d,)(?P<n>\d{{4,5}})(?P<letters>[A-Z]{{1,2}}|HX|HS)(?![A-Za-z\d_-])",
             lambda m: f"{own.by_digits(m['n'])} {m['letters']}" if mentions(CHIPS, m.string) else None),
        rule(r"(?<=[A-Za-z\d]) ?/ ?(?P<name>SSD|HDD|RAM|Win|Windows|Office|DDR|LPDDR) ?(?P<n>\d{1,4})"
             r"(?P<unit>(?:[GT]B)?)(?![A-Za-z\d])", memory),
        rule(r"(?<=[A-Za-z\d]) ?/ ?(?P<name>)(?P<n>\d{1,4})(?P<unit>[GT])(?![A-Za-z\d])", memory),
        rule(rf"{ALONE}(?<!\d,)(?P<n>\d{{1,4}})(?P<unit>[GMT]B)(?=/[A-Za-z])",
             lambda m: own.all_units[m["unit"]].format(own.cardinal(int(m["n"])))),
        rule(r"(?<![\d./A-Za-z-])24/7(?![\d/.])", lambda m: f"{own.cardinal(24)}{own.pause}{own.cardinal(7)}"),
        # Of a program that runs on two: "Windows 10/11".
        rule(r"(?<![A-Za-z])(?P<name>(?:Windows|Win|iOS|iPadOS|macOS|Android|iPhone|iPad|Galaxy|Office|Python|Java|PHP|USB"
             r"|Wi-Fi|Bluetooth) ?)(?P<a>\d{1,4}(?:\.\d{1,2})?)/(?P<b>\d{1,4}(?:\.\d{1,2})?)(?![\d/.A-Za-z])",
             lambda m: f"{m['name'].rstrip()} {own.spoken(m['a'])}{own.pause}{own.spoken(m['b'])}"),
        rule(r"(?<![A-Za-z])(?P<name>SPF|UPF) ?(?P<n>\d{2,3})(?P<more>\+?)(?![\dA-Za-z])",
             lambda m: f"{m['name']} {own.cardinal(int(m['n']))}"
             + (plus if m["more"] else "")),
        rule(r"(?:(?<=\d)|(?<=\dm)|(?<=\d[cm]m)|(?<=\d米)|(?<=\d厘米)) ?[*＊] ?(?=\d)", lambda m: own.web["×"]),
    )  # fmt: skip
