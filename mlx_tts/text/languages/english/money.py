"""Amounts of money -> English words: signs and codes, before and behind, with magnitudes, ranges and periods."""

from __future__ import annotations

import re

from mlx_tts.text.languages.english.numbers import BRITISH, MAGNITUDES, NUMBER, cardinal, is_one, spoken
from mlx_tts.text.normalise.engine import one_of, rule, text_after, text_before, words_of

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
    "CHF": "Swiss_franc Swiss_francs centime centimes", "CAD": CURRENCIES["C$"], "AUD": CURRENCIES["A$"],
    "CNY": "yuan yuan fen fen", "RMB": "yuan yuan fen fen", "INR": CURRENCIES["₹"], "BTC": CURRENCIES["₿"],
}  # fmt: skip
ALL = CURRENCIES | CODES
WITHOUT_CENTS = ("¥", "₩", "JPY", "KRW")

SIGN = rf"(?P<sign>{one_of(CURRENCIES)})"
SCALES = MAGNITUDES | {
    "Million": "million",
    "Billion": "billion",
    "Trillion": "trillion",
    "m": "million",
    "MM": "million",
    "mm": "million",
    "mio": "million",
    "Mio": "million",
}
MAGNITUDE = (
    rf"(?:(?P<spaced> ?)(?P<magnitude>{one_of(SCALES)})\b(?!&)(?:(?:(?<=mil)|(?<=bn)|(?<=mn)|(?<=tn))"
    r"\.(?= [a-z]|[,;)]))?)?"
)
AMOUNT = rf"(?P<amount>{NUMBER})"
PERIODS = {"d": "day", "mo": "month", "yr": "year", "y": "year", "wk": "week", "hr": "hour", "h": "hour",
    "kg": "kilogram",
           "lb": "pound", "min": "minute", "pp": "person", "sq ft": "square foot", "oz": "ounce", "L": "liter",
               "gal": "gallon", "bbl": "barrel", "MWh": "megawatt hour", "sqft": "square foot",
                   "km2": "square kilometer", "m2": "square meter", "ft2": "square foot", "sf": "square foot",
                   "sq. ft": "square foot", "dozen": "dozen",
           "mi": "mile", "km": "kilometer", "GB": "gigabyte", "kWh": "kilowatt hour", "t": "ton", "pc": "piece",
               "ea": "each", "nt": "night", "nts": "nights",
           **{word: word for word in words_of("day month year week hour night person unit gallon minute user seat head "
           "share bottle mile pound barrel ton piece room page word item visit student game")}}  # fmt: skip
PERIOD = rf"(?: ?/ ?(?P<period>{one_of(PERIODS)}|[a-z]{{4,12}})\b(?:\.(?=[,;)]| [a-z+&(]))?)?"


def amount(sign: str, written: str, magnitude: str | None, adjective: bool = False) -> str:
    """adjective: before a noun, as in "a $5 bill" -> "a five dollar bill"."""
    one, many, cent, cents = (word.replace("_", " ") for word in ALL[sign].split())
    if magnitude:
        return f"{spoken(written)} {SCALES[magnitude]} {one if adjective else many}"
    whole, _, fraction = written.replace(",", "").partition(".")
    if len(fraction) != 2 or sign in WITHOUT_CENTS:
        return f"{spoken(written)} {one if is_one(written) or adjective else many}"
    parts = []
    if int(whole or 0) or not int(fraction):
        parts.append(f"{spoken(whole or '0')} {one if whole == '1' else many}")
    if int(fraction):
        parts.append(f"{cardinal(int(fraction))} {cent if int(fraction) == 1 else cents}")
    return " and ".join(parts)


def _per(match: re.Match[str]) -> str:
    period = match.groupdict().get("period")
    if not period:
        return ""
    return " each" if period == "ea" else f" per {PERIODS.get(period, period)}"


# "$20 bills", "$1,400 checks": before these an amount says which.
BILLS = re.compile(
    r" (?:bills?|notes?|coins?|checks?|cheques?|tickets?|fines?|stamps?|vouchers?|gift cards?|bonus(?:es)?|grants?|"
    r"tips?|buy-?backs?|takeovers?|bids?|bailouts?|IPOs?|rights issue|refurb\w*|expansion|overhaul|scheme|settlement"
    r"|upgrade"
    r"|stadium|mansion|bounty|prize)\b"
)


def _said(match: re.Match[str]) -> str | None:
    if match["sign"] in CODES and re.fullmatch(r"[A-Z]{3}\d", match[0]):
        return None  # CHF3 is a gas
    if match.groupdict()["sign"] in CODES and match.string.endswith("= ", 0, match.start()):
        _, many, *_ = (word.replace("_", " ") for word in CODES[match["sign"]].split())
        return f"{spoken(match['amount'])} {many}"  # a rate of exchange
    groups = match.groupdict()
    minus = "minus " if groups.get("minus") == "-" else "plus " if groups.get("minus") else ""
    before = text_before(match, 7).lower()
    after = text_after(match, 14)
    adjective = BILLS.match(after) is not None or (
        re.search(r"(?:\A|\W)(?:a|the|its|his|their) \Z", before) is not None
        and re.match(
            r"[ -](?!(?:or|and|to|at|in|on|for|from|per|a|the|by|is"
            r"|was)\b)[\"“‘']?[A-Za-z]",
            after,
        )
        is not None
    )
    return minus + amount(groups["sign"], groups["amount"], groups.get("magnitude"), adjective) + _per(match)


def _range(match: re.Match[str]) -> str:
    scale = match["magnitude"]
    first_scale = match["scale"]
    plus_first = f" {SCALES[first_scale]}" if first_scale and first_scale != scale else ""
    last = amount(match["sign"], match["last"], scale)
    both = plus_first or ("." in match["amount"] + match["last"] and not scale)
    first = amount(match["sign"], match["amount"], first_scale) if both else spoken(match["amount"])
    return f"{first} to {last}{_per(match)}"


SMALL = rf"(?P<amount>{NUMBER}|\.\d{{1,9}})"
ANY_SIGN = rf"(?:{one_of(CURRENCIES)})"
MONEY_RULES = (
    rule(r"(?<![\w.,])(?P<s>\d{1,2})s\.? (?P<d>1[01]|\d)d\b\.?(?=[ ,;)]|\Z)",
         lambda m: f"{spoken(m['s'])} shilling{'' if is_one(m['s']) else 's'} and {spoken(m['d'])} pence"),
    rule(r"(?<=\d) ?[x×] ?(?=[£$€]\d)", " times "),
    rule(rf"(?<![\w$]){SIGN} ?{AMOUNT}(?P<scale>{one_of(SCALES)})? ?[-–—] ?{ANY_SIGN}?(?P<last>{NUMBER}){MAGNITUDE}"
         rf"{PERIOD}(?![\w%])(?!\.\d)", _range),
    rule(rf"(?<![\w$])(?P<minus>[-+])?{SIGN} ?{SMALL}{MAGNITUDE}(?P<more>\+?){PERIOD}(?![\w.,]\d|\w)",
         lambda m: _more(m)),
    rule(rf"(?<![\w.,])(?P<minus>[-+])?{AMOUNT}{MAGNITUDE} ?(?P<sign>[€£¥₹₽₩₿$]){PERIOD}(?![\d\w])", _said),
    rule(rf"(?<![\w.,])(?P<minus>[-+])?{AMOUNT}{MAGNITUDE} ?(?P<sign>{one_of(CODES)})\b{PERIOD}", _said),
    rule(rf"\b(?P<sign>{one_of(CODES)}) ?{AMOUNT}{MAGNITUDE}{PERIOD}(?![\w.,]\d|\w)", _said),
    rule(rf"(?<![\w.,]){AMOUNT} ?¢", lambda m: f"{spoken(m['amount'])} cent{'' if is_one(m['amount']) else 's'}"),
    rule(r"(?<![\w.,])(?P<amount>\d{1,3})p\b(?= (?:each|coin|a|an|off|more|less|per)\b)"
         r"|(?<![\w.,])(?P<british>\d{1,2}|\d{1,4}\.\d)p(?!\w)",
         lambda m: None if m["british"] and not BRITISH.get() else _pence(m["amount"] or m["british"])),
)  # fmt: skip


def _pence(written: str) -> str:
    return f"{spoken(written)} {'penny' if written == '1' else 'pence'}"


def _more(match: re.Match[str]) -> str | None:
    said = _said(match)
    return said and said + (" plus" if match["more"] else "")
