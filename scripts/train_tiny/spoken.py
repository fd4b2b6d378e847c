"""Compare texts as they sound: digits, prices and abbreviations become words, spelling variants meet.

Speech recognition writes "$45.20" or "forty-five dollars and twenty cents" as it likes; neither is an error.
"""

from __future__ import annotations

import re

ONES = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen""".split()  # noqa: SIM905
TENS = "_ _ twenty thirty forty fifty sixty seventy eighty ninety".split()  # noqa: SIM905
SCALES = ((10**9, "billion"), (10**6, "million"), (1000, "thousand"), (100, "hundred"))
ORDINALS = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
}
MONTHS = "january february march april may june july august september october november december".split()  # noqa: SIM905
CURRENCIES = {"$": ("dollar", "cent"), "£": ("pound", "pence"), "€": ("euro", "cent")}
WORDS = {
    "mr": "mister", "mrs": "missus", "ms": "miss", "dr": "doctor", "prof": "professor", "st": "saint", "vs": "versus",
    "ok": "okay", "approx": "approximately", "etc": "et cetera", "km": "kilometers", "kg": "kilograms",
    "colour": "color", "favour": "favor", "favourite": "favorite", "grey": "gray", "honour": "honor",
    "neighbour": "neighbor", "neighbours": "neighbors", "centre": "center", "theatre": "theater",
    "metre": "meter", "metres": "meters", "litre": "liter", "litres": "liters", "kilometres": "kilometers",
    "realise": "realize", "travelled": "traveled", "programme": "program", "cheque": "check", "jewellery": "jewelry",
    "aluminium": "aluminum", "mum": "mom", "percent": "per cent", "till": "until", "grey-haired": "gray haired",
}  # fmt: skip
LONGEST_COMPOUND = 6  # "K L E I N" may come back as "Klein"


def cardinal(value: int) -> str:
    if value < 20:
        return ONES[value]
    if value < 100:
        return TENS[value // 10] + (" " + ONES[value % 10] if value % 10 else "")
    for scale, name in SCALES:
        if value >= scale:
            rest = value % scale
            return f"{cardinal(value // scale)} {name}" + (" " + cardinal(rest) if rest else "")
    return str(value)


def year(value: int) -> str:
    """Four digits as people say them: in pairs, but for round thousands and 2001 to 2009."""
    first, second = divmod(value, 100)
    if not 1100 <= value <= 2999 or (first % 10 == 0 and second < 10):
        return cardinal(value)
    if second == 0:
        return cardinal(first) + " hundred"
    return cardinal(first) + (" oh " if second < 10 else " ") + cardinal(second)


def ordinal(value: int) -> str:
    head, _, last = cardinal(value).rpartition(" ")
    last = ORDINALS.get(last) or (last[:-1] + "ieth" if last.endswith("y") else last + "th")
    return f"{head} {last}".strip()


def plain_number(text: str) -> str:
    whole, _, fraction = text.partition(".")
    if fraction:
        return f"{cardinal(int(whole))} point " + " ".join(ONES[int(digit)] for digit in fraction)
    if (len(whole) > 1 and whole.startswith("0")) or len(whole) > 10:
        return " ".join(ONES[int(digit)] for digit in whole)
    return year(int(whole)) if len(whole) == 4 else cardinal(int(whole))


def price(match: re.Match[str]) -> str:
    name, part = CURRENCIES[match["sign"]]
    whole, cents, scale = match["whole"], match["cents"], match["scale"]
    if scale:
        return f" {plain_number(whole + ('.' + cents if cents else ''))} {scale} {name}s "
    pieces = [f"{plain_number(whole)} {name}s"] if int(whole) or not cents else []
    pieces += [f"{cardinal(int(cents))} {part}{'s' if part == 'cent' else ''}"] if cents and int(cents) else []
    return f" {' and '.join(pieces)} "


def clock(match: re.Match[str]) -> str:
    hour, minute = int(match[1]), int(match[2])
    if minute == 0:
        return f" {cardinal(hour)} " + ("" if match[3] else "o'clock ")
    return f" {cardinal(hour)} {'oh ' if minute < 10 else ''}{cardinal(minute)} "


RULES = (
    (re.compile(r"(?<=\d),(?=\d{3}\b)"), ""),
    (re.compile(r"(?P<sign>[$£€])(?P<whole>\d+)(?:\.(?P<cents>\d+))?(?: (?P<scale>thousand|million|billion))?"), price),
    (re.compile(r"\b(\d{1,2})[:.](\d{2})(?=( ?[ap]\.?m\b))"), clock),
    (re.compile(r"\b(\d{1,2}):(\d{2})\b()"), clock),
    (re.compile(r"(?<![a-z])([ap])\.?m\b\.?"), r" \1 m "),
    (re.compile(r"\b(\d+)p\b"), r"\1 pence"),
    (re.compile(r"\b([ei])\.([ge])\."), r"\1 \2"),
    (re.compile(r"\bno\. (?=\d)"), "number "),
    (re.compile(r"(?<!\w)[-\u2212](?=\d)"), "minus "),
    (re.compile(rf"\b({'|'.join(MONTHS)}) (\d+)(?:st|nd|rd|th)\b"), r"\1 \2"),
    (re.compile(r"\b(\d+)(?:st|nd|rd|th)\b"), lambda match: ordinal(int(match[1]))),
    (re.compile(r"\b(\d{4})s\b"), lambda match: re.sub(r"y$", "ies", year(int(match[1])))),
    (re.compile(r"(?<=\d)%"), " percent "),
    (re.compile(r"\d+(?:\.\d+)?"), lambda match: f" {plain_number(match[0])} "),
    (re.compile(r"&"), " and "),
    (re.compile(r"(?<=\b\w)\.(?=\w\b)"), ""),  # U.S. and US
    (re.compile(r"[^a-z' ]"), " "),
    (re.compile(r"(?<!\w)'|'(?!\w)"), " "),
)


def words(text: str) -> list[str]:
    text = text.lower().replace("\u2019", "'")
    for pattern, replacement in RULES:
        text = pattern.sub(replacement, text)
    return " ".join(WORDS.get(word, word) for word in text.split()).split()


def word_errors(reference: list[str], heard: list[str]) -> int:
    """Edit distance in words, where "riverbank" and "river bank" are the same."""
    costs = [[0] * (len(heard) + 1) for _ in range(len(reference) + 1)]
    for i in range(len(reference) + 1):
        for j in range(len(heard) + 1):
            options = [costs[i - 1][j] + 1] if i else []
            options += [costs[i][j - 1] + 1] if j else []
            if i and j:
                options.append(costs[i - 1][j - 1] + (reference[i - 1] != heard[j - 1]))
                for size in range(2, LONGEST_COMPOUND + 1):
                    if i >= size and "".join(reference[i - size : i]) == heard[j - 1]:
                        options.append(costs[i - size][j - 1])
                    if j >= size and "".join(heard[j - size : j]) == reference[i - 1]:
                        options.append(costs[i - 1][j - size])
            costs[i][j] = min(options, default=0)
    return costs[-1][-1]
