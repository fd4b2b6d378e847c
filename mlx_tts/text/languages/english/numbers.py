"""Digits -> English words: cardinals, ordinals, years, digits one by one."""

from __future__ import annotations

import re

from mlx_tts.text.normalise.rules import rule, words_of

ONES = words_of(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
TENS = ["", "", *words_of("twenty thirty forty fifty sixty seventy eighty ninety")]
SCALES = ["", *words_of("thousand million billion trillion quadrillion quintillion sextillion septillion")]
MOST_DIGITS = 3 * len(SCALES)  # longer ones are read digit by digit
IRREGULAR = {
    "one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth",
    "twelve": "twelfth",
}  # fmt: skip

# A number as it is written; what stands before may not be part of one.
START = r"(?<![\w.,])(?<!\d[-–/:])"
WHOLE = r"(?:\d{1,3}(?:,\d{3})+|\d+)"
NUMBER = rf"{WHOLE}(?:\.\d+)?"
MAGNITUDES = {
    "k": "thousand", "K": "thousand", "M": "million", "mn": "million", "mil": "million", "bn": "billion",
    "B": "billion", "T": "trillion", "tn": "trillion",
    **{word: word for word in ("hundred", "thousand", "million", "billion", "trillion")},
}  # fmt: skip


def cardinal(number: int) -> str:
    if number < 20:
        return ONES[number]
    groups = []
    for scale in SCALES:
        number, group = divmod(number, 1000)
        if group:
            groups.append(f"{_hundreds(group)} {scale}".strip())
    return " ".join(reversed(groups))


def _hundreds(number: int) -> str:
    words = []
    if number >= 100:
        words += [ONES[number // 100], "hundred"]
        number %= 100
    if number >= 20:
        words.append(TENS[number // 10])
        number %= 10
    return " ".join([*words, *([ONES[number]] if number else [])])


def ordinal(number: int) -> str:
    *front, last = cardinal(number).split(" ")
    regular = f"{last[:-1]}ieth" if last.endswith("y") else f"{last}th"
    return " ".join([*front, IRREGULAR.get(last, regular)])


def digits(written: str) -> str:
    """ "0199" -> "zero one nine nine"; anything but digits is left out."""
    return " ".join(ONES[int(digit)] for digit in written if digit.isdecimal())


def year(number: int) -> str:
    century, rest = divmod(number, 100)
    if not 1000 < number < 10_000 or number % 1000 == 0 or 2000 <= number < 2010:
        return cardinal(number)
    if not rest:
        return f"{cardinal(century)} hundred"
    return f"{cardinal(century)} {'oh ' if rest < 10 else ''}{cardinal(rest)}"


def spoken(written: str) -> str:
    """ "1,234.50" -> its words; a leading zero or too many digits: one by one."""
    whole, _, fraction = written.replace(",", "").partition(".")
    by_digit = len(whole) > MOST_DIGITS or (len(whole) > 1 and whole[0] == "0")
    words = digits(whole) if by_digit else cardinal(int(whole or "0"))
    return f"{words} point {digits(fraction)}" if fraction else words


def plural(word: str) -> str:
    """ "sixty" -> "sixties", "six" -> "sixes"."""
    if word.endswith("y"):
        return f"{word[:-1]}ies"
    return f"{word}es" if word.endswith("x") else f"{word}s"


def is_one(written: str) -> bool:
    return written in ("1", "1.0")


YEAR_BEFORE = re.compile(
    r"(?:\b(?:in|since|from|until|till|by|before|after|during|of|year|early|late|mid|circa|summer|winter|spring|fall"
    r"|autumn|and|to|class|around|between|copyright)|[(’'])[ -]?\Z",
    re.IGNORECASE,
)
PLURAL_AFTER = re.compile(
    r" (?:more |other |new |of |different )?(?:[a-z]{2,}(?<!s)s|people|men|women|children|percent)\b"
)


def _plain(match: re.Match[str]) -> str:
    """A number with nothing around it that tells its kind: four digits are a year unless things are counted."""
    written, text = match["number"], match.string
    sign = "minus " if match["sign"] else ""
    if len(written) == 4 and written.isdecimal() and "1000" < written < "2100" and not sign:
        before = text[max(0, match.start() - 12) : match.start()]
        if YEAR_BEFORE.search(before) or (
            written > "1099" and not PLURAL_AFTER.match(text[match.end() : match.end() + 40])
        ):
            return year(int(written))
    return sign + spoken(written)


def decade(match: re.Match[str]) -> str:
    number = int(match["decade"])
    century = f"{cardinal(number // 100)} " if number >= 100 else ""
    if number >= 100 and number % 1000 == 0:
        return plural(cardinal(number))
    return century + ("hundreds" if number % 100 == 0 and century else plural(cardinal(number % 100)))


MAGNITUDE = "|".join(sorted(MAGNITUDES, key=len, reverse=True))
RULES = (
    rule(rf"{START}(?P<n>\d{{1,6}})(?:st|nd|rd|th|ˢᵗ|ᵗʰ)\b", lambda match: ordinal(int(match["n"]))),
    rule(rf"{START}(?P<n>{NUMBER})(?P<m>k|K|M|bn|B|tn)\b",
         lambda m: None if m[0] in ("2K", "4K", "5K", "8K", "10K") else f"{spoken(m['n'])} {MAGNITUDES[m['m']]}"),
    rule(rf"{START}(?P<n>{NUMBER})x(?= (?:faster|slower|more|less|as|the|better|larger|smaller|bigger)\b|[ .,;!?)]|\Z)",
         lambda match: f"{spoken(match['n'])} times"),
    rule(rf"{START}(?P<n>{WHOLE})\+(?!\w)", lambda match: f"{spoken(match['n'])} plus"),
    rule(rf"(?<![\w.,])(?<![A-Za-z]-)(?P<sign>[-−](?=\d))?(?P<number>{WHOLE}(?:\.\d+)?|\.\d+)(?!\w|\.\d)", _plain),
    # Letters and digits in one word: 5G, A320, MP3, GPT-4.
    rule(r"(?<=[A-Za-z])-?(?P<n>\d+)(?!\d)", lambda match: f" {_label(match['n'])}"),
    rule(r"(?<![\w.])(?P<n>\d+\.\d+)(?=[A-Za-z])", lambda match: f"{spoken(match['n'])} "),
    rule(r"(?<!\w)(?P<n>\d+)(?=[A-Za-z])", lambda match: f"{_label(match['n'])} "),
    rule(r"(?P<n>\d+)", lambda match: f" {_label(match['n'])} "),
)  # fmt: skip


def _label(written: str) -> str:
    if len(written) > 4 or written[0] == "0":
        return digits(written)
    if len(written) == 3 and written[1:] != "00":
        middle = "oh " if written[1] == "0" else ""
        return f"{ONES[int(written[0])]} {middle}{cardinal(int(written[1:]))}"
    return year(int(written)) if len(written) == 4 else cardinal(int(written))
