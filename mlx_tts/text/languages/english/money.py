"""Amounts of money -> English words: signs and codes, before and behind, with magnitudes, ranges and periods."""

from __future__ import annotations

import re

from mlx_tts.text.languages.english.numbers import MAGNITUDES, NUMBER, cardinal, is_one, spoken
from mlx_tts.text.normalise.rules import one_of, rule

# sign or code -> one, several, a hundredth, hundredths
DOLLAR, POUND, EURO = "dollar dollars cent cents", "pound pounds penny pence", "euro euros cent cents"
CURRENCIES = {
    "$": DOLLAR, "£": POUND, "€": EURO, "¥": "yen yen sen sen", "₹": "rupee rupees paisa paise",
    "₽": "ruble rubles kopeck kopecks", "₩": "won won jeon jeon", "₿": "bitcoin bitcoins satoshi satoshis",
    "US$": "U_S_dollar U_S_dollars cent cents", "A$": "Australian_dollar Australian_dollars cent cents",
    "C$": "Canadian_dollar Canadian_dollars cent cents", "HK$": "Hong_Kong_dollar Hong_Kong_dollars cent cents",
    "R$": "real reais centavo centavos",
}  # fmt: skip
CODES = {
    "USD": DOLLAR, "EUR": EURO, "GBP": POUND, "JPY": CURRENCIES["¥"],
    "CHF": "Swiss_franc Swiss_francs centime centimes",
    "CAD": CURRENCIES["C$"], "AUD": CURRENCIES["A$"], "CNY": "yuan yuan fen fen", "RMB": "yuan yuan fen fen",
    "INR": CURRENCIES["₹"], "BTC": CURRENCIES["₿"],
}  # fmt: skip
ALL = CURRENCIES | CODES
WITHOUT_CENTS = ("¥", "₩", "JPY", "KRW")

SIGN = rf"(?P<sign>{one_of(CURRENCIES)})"
MAGNITUDE = rf"(?:(?P<spaced> ?)(?P<magnitude>{one_of(MAGNITUDES)})\b)?"
AMOUNT = rf"(?P<amount>{NUMBER})"


def amount(sign: str, written: str, magnitude: str | None, adjective: bool = False) -> str:
    """adjective: before a noun, as in "a $5 bill" -> "a five dollar bill"."""
    one, many, cent, cents = (word.replace("_", " ") for word in ALL[sign].split())
    if magnitude:
        return f"{spoken(written)} {MAGNITUDES[magnitude]} {one if adjective else many}"
    whole, _, fraction = written.replace(",", "").partition(".")
    if len(fraction) != 2 or sign in WITHOUT_CENTS:
        return f"{spoken(written)} {one if is_one(written) or adjective else many}"
    parts = []
    if int(whole) or not int(fraction):
        parts.append(f"{spoken(whole)} {one if whole == '1' else many}")
    if int(fraction):
        parts.append(f"{cardinal(int(fraction))} {cent if int(fraction) == 1 else cents}")
    return " and ".join(parts)


def _said(match: re.Match[str]) -> str:
    groups = match.groupdict()
    minus = "minus " if groups.get("minus") else ""
    before = match.string[max(0, match.start() - 3) : match.start()].lower()
    after = match.string[match.end() : match.end() + 14]
    adjective = before.endswith((" a ", "a ")) and re.match(r"[ -][a-z]", after) is not None
    said = minus + amount(groups["sign"], groups["amount"], groups.get("magnitude"), adjective)
    return f"{said} " if re.match(r"\w", after) else said


def _range(match: re.Match[str]) -> str:
    last = amount(match["sign"], match["last"], match["magnitude"])
    return f"{spoken(match['amount'])} to {last}"


PERIOD = r"/ ?(?P<period>month|mo|year|yr|day|week|wk|hour|hr|night|person|unit|kg|lb|gallon|minute|min|user|seat)\b"
PERIODS = {"mo": "month", "yr": "year", "wk": "week", "hr": "hour", "kg": "kilogram", "lb": "pound", "min": "minute"}
RULES = (
    rule(rf"(?<![\w$]){SIGN} ?{AMOUNT} ?[-–] ?(?:{one_of(CURRENCIES)})?(?P<last>{NUMBER}){MAGNITUDE}(?![\w%])", _range),
    rule(rf"(?<![\w$])(?P<minus>[-−])?{SIGN} ?{AMOUNT}{MAGNITUDE}", _said),
    rule(rf"(?<![\w.,])(?P<minus>[-−])?{AMOUNT}{MAGNITUDE} ?(?P<sign>[€£¥₹₽₩₿$])(?![\d\w])", _said),
    rule(rf"(?<![\w.,])(?P<minus>[-−])?{AMOUNT}{MAGNITUDE} ?(?P<sign>{one_of(CODES)})\b", _said),
    rule(rf"\b(?P<sign>{one_of(CODES)}) ?{AMOUNT}{MAGNITUDE}", _said),
    rule(rf"(?<![\w.,]){AMOUNT} ?¢", lambda m: f"{spoken(m['amount'])} cent{'' if is_one(m['amount']) else 's'}"),
    rule(rf"(?:(?<=dollars)|(?<=dollar)|(?<=euros)|(?<=euro)|(?<=pounds)|(?<=pound)|(?<=cents)|(?<=pence)|(?<=yen)"
         rf"){PERIOD}",
         lambda m: f" per {PERIODS.get(m['period'], m['period'])}"),
)  # fmt: skip
