"""Fractions, ratios, scores, ranges and arithmetic -> English words."""

from __future__ import annotations

import re

from mlx_tts.text.languages.english.numbers import NUMBER, START, cardinal, ordinal, spoken, year
from mlx_tts.text.normalise.rules import one_of, rule

VULGAR = {"½": (1, 2), "⅓": (1, 3), "⅔": (2, 3), "¼": (1, 4), "¾": (3, 4), "⅕": (1, 5), "⅖": (2, 5), "⅗": (3, 5),
          "⅘": (4, 5), "⅙": (1, 6), "⅚": (5, 6), "⅛": (1, 8), "⅜": (3, 8), "⅝": (5, 8), "⅞": (7, 8)}  # fmt: skip
FIXED = {"24/7": "twenty four seven", "9/11": "nine eleven", "50/50": "fifty fifty", "50-50": "fifty fifty",
         "20/20": "twenty twenty", "360°": "three hundred sixty degrees"}  # fmt: skip
SIGNS = {"+": "plus", "×": "times", "·": "times", "*": "times", "÷": "divided by", "=": "equals", "==": "equals",
         "<": "is less than", ">": "is greater than", "≤": "is at most", "<=": "is at most", "≥": "is at least",
         ">=": "is at least", "≠": "is not equal to", "!=": "is not equal to", "≈": "is about", "±": "plus or minus",
         "−": "minus", "-": "minus", "/": "divided by", "→": "to", "->": "to", "%": "modulo"}  # fmt: skip
SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
POWERS = {"2": "squared", "3": "cubed"}


def fraction(top: int, bottom: int) -> str:
    if bottom == 2:
        part = "half" if top == 1 else "halves"
    elif bottom == 4:
        part = "quarter" if top == 1 else "quarters"
    elif bottom > 20 and bottom % 10 and bottom != 100:
        return f"{cardinal(top)} over {cardinal(bottom)}"
    else:
        part = ordinal(bottom) + ("" if top == 1 else "s")
    return f"{cardinal(top)} {part}"


def _mixed(whole: str | None, top: int, bottom: int) -> str:
    if not whole:
        return fraction(top, bottom)
    part = fraction(top, bottom).replace("one ", "a ", 1) if top == 1 and bottom in (2, 3, 4) else fraction(top, bottom)
    return f"{spoken(whole)} and {part}"


def _fraction(match: re.Match[str]) -> str | None:
    top, bottom = int(match["top"]), int(match["bottom"])
    if bottom < 2 or (top > bottom and bottom > 16):
        return None
    return _mixed(match["whole"], top, bottom)


def _power(match: re.Match[str]) -> str:
    exponent = match["power"].translate(SUPERSCRIPTS).replace("−", "-")
    sign, number = ("minus ", exponent[1:]) if exponent.startswith("-") else ("", exponent)
    words = POWERS.get(exponent)
    if words is None:
        words = f"to the power of {sign}{cardinal(int(number)) if number.isdecimal() else number}"
    return f"{match['base']} {words} "


def _year_or_number(written: str) -> str:
    return year(int(written)) if len(written) == 4 and "1100" <= written < "2100" else spoken(written)


OPERAND = r"(?:[A-Za-zπ]|\d)"
RULES = (
    rule(
        rf"(?<![\w.,])(?P<n>{NUMBER})[eE](?P<sign>[+-]?)(?P<power>\d{{1,3}})(?!\w)",
        lambda m: (
            f"{spoken(m['n'])} times ten to the power of "
            f"{'minus ' if m['sign'] == '-' else ''}{cardinal(int(m['power']))}"
        ),
    ),
    rule(rf"(?<![\w/.]){one_of(FIXED).join(('(?:', ')'))}(?![\w/])", lambda match: FIXED[match[0]]),
    rule(rf"(?<![\w.,])(?P<whole>\d{{1,9}})? ?(?P<sign>[{''.join(VULGAR)}])",
         lambda match: f"{_mixed(match['whole'], *VULGAR[match['sign']])}"),
    rule(r"(?<![\w./-])(?:(?P<whole>\d{1,9})[ -])?(?P<top>\d{1,3})[/⁄](?P<bottom>\d{1,3})(?:ths?|rds?|nds?)?(?![\w/])"
         r"(?!\.\d)",
         _fraction),
    rule(r"(?<![\w.,])(?P<base>[A-Za-z]|\d[\d.,]{0,20})(?P<power>[⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,4}) ?", _power),
    rule(r"(?<!\w)(?P<base>[A-Za-z]|\d[\d.,]{0,20}) ?\^ ?\(?(?P<power>[-−]?\d{1,4}|[a-z])\)? ?", _power),
    rule(rf"√ ?\(?(?P<n>{NUMBER}|[a-z])\)?", lambda m: f"the square root of {m['n']}"),
    rule(rf"{START}(?P<a>\d{{1,3}}):(?P<b>\d{{1,3}})(?![\w:])(?!\.\d)",
         lambda m: f"{spoken(m['a'])} to {spoken(m['b'])}"),
    rule(rf"{START}(?P<a>{NUMBER}) ?[x×] ?(?P<b>{NUMBER})(?: ?[x×] ?(?P<c>{NUMBER}))?(?=(?P<tight>))(?![\w])",
         lambda m: _by(m)),
    rule(rf"{START}(?P<a>{NUMBER}) ?[-–] ?(?P<b>{NUMBER})(?= ?(?:=|equals))",
         lambda m: f"{spoken(m['a'])} minus {spoken(m['b'])}"),
    rule(rf"{START}(?P<a>{NUMBER}) [-−] (?P<b>{NUMBER})(?![\w-])",
         lambda m: f"{spoken(m['a'])} minus {spoken(m['b'])}"),
    rule(rf"(?<![\w.,/–-])(?P<a>{NUMBER})(?P<mark> ?– ?|-)(?P<b>{NUMBER})(?![\w–-])(?!\.\d)",
         lambda m: f"{_year_or_number(m['a'])} to {_year_or_number(m['b'])}"),
    rule(rf"(?<=[A-Za-zπ\d)²³]) ?(?P<sign>==|<=|>=|!=|->|[+×·÷=<>≤≥≠≈±−→]|(?<=[\d ])\*(?=[\d ])) ?(?={OPERAND}|\("
         rf"|[-−√$])",
         lambda m: f" {SIGNS[m['sign']]} "),
    rule(r"(?<=[A-Za-zπ\d)]) (?P<sign>[-/%]) (?=\d|[A-Za-z]\b|\()", lambda m: _spaced_sign(m)),
    rule(r"π", "pi"),
    rule(r"∞", "infinity"),
    rule(r"(?<!\w)[±](?=\d)", "plus or minus "),
    rule(r"(?<![\w)])[~≈] ?(?=\$?\d)", "about "),
    rule(r"(?<![\w<])< ?(?=\d)", "less than "),
    rule(r"(?<![\w>-])> ?(?=\d)", "more than "),
    rule(r"(?<!\w)≥ ?(?=\d)", "at least "),
    rule(r"(?<!\w)≤ ?(?=\d)", "at most "),
)  # fmt: skip


def _by(match: re.Match[str]) -> str:
    """Sizes are "by", sums with an equals sign or a plus are "times"."""
    around = match.string[max(0, match.start() - 6) : match.start()] + match.string[match.end() : match.end() + 4]
    word = "times" if "×" in match[0] or re.search(r"[=+÷^]|equals|plus|minus", around) else "by"
    return f" {word} ".join(spoken(part) for part in (match["a"], match["b"], match["c"]) if part)


def _spaced_sign(match: re.Match[str]) -> str | None:
    """A dash between words is a dash; between two operands of a sum it is a minus."""
    before = match.string[max(0, match.start() - 2) : match.start()]
    if match["sign"] == "-" and not (before[-1].isdigit() or not before[:1].isalnum()):
        return None
    return f" {SIGNS[match['sign']]} "
