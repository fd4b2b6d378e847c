"""An English text -> the spans that are said in other words: all rules of the language, kind by kind."""

from __future__ import annotations

import re

from mlx_tts.text.languages.english import (
    american,
    beside_names,
    british,
    clinic,
    dates,
    everyday,
    fixtures,
    letters,
    market_and_court,
    mathematics,
    measures,
    money,
    more_notices,
    names,
    notices,
    numbers,
    offices,
    places,
    sales,
    short_forms,
    subjects,
    technical,
    terms,
    words,
)
from mlx_tts.text.normalise.engine import SIGNS, Kind, Span, recognise

DIGIT = r"\d|[²³⁰-⁹₀-₉]"
# Of two spans that are equally long the kind that stands first wins.
KINDS = (
    Kind("notice", british.TELLS, british.BRITISH_RULES),
    Kind("notice", american.TELLS, american.AMERICAN_RULES),
    Kind("notice", letters.TELLS, letters.LETTER_RULES),
    Kind("notice", offices.TELLS, offices.OFFICE_RULES),
    Kind("notice", sales.TELLS, sales.SALE_RULES),
    Kind("notice", fixtures.TELLS, fixtures.FIXTURE_RULES),
    Kind("notice", clinic.TELLS, clinic.CLINIC_RULES),
    Kind("notice", market_and_court.TELLS, market_and_court.MARKET_RULES),
    Kind("notice", terms.TELLS, terms.TERM_RULES),
    Kind("notice", more_notices.TELLS, more_notices.MORE_NOTICE_RULES),
    Kind("notice", re.compile(r"\d|[DRI]-[A-Z]|¶¶|\b[Ii]d\. |Fed\.|/[A-Z\d]|\bWW|\. \+|\butils?\b"
                    r"|\b(?:PO|[BTQ]ID|PRN|Q[DH])"
                    r"|apt\.? av|\b[Ss]ec\. dep"),
         notices.NOTICE_RULES),
    Kind("code", re.compile(r"\d|:\\"), technical.TECHNICAL_RULES),
    Kind("abbreviation",
         re.compile(r"[a-z]\. ?[a-zA-Z'’]|[a-z]['’][a-z]|[a-z]\.\)|\bMRS?\b|B4|[NSEW] [a-z]|\d ?[x×+/\"″TKÅ]|\b4[a-z ]"
                    r"|[LR] [a-z]|\b0:|\b[Pp] ?[<>=≤≥]|[½¼¾⅓⅔⅛]"
                    r"|[<>] ?[$£€\d]|\b(?i:encls?|sept)\."),
         short_forms.SHORT_FORM_RULES),
    Kind("abbreviation",
         re.compile(r"\.:|[a-z]\.?[-–][A-Z]|\b(?:COB|EOD|by) [A-Z]|Ltd|Co\.|\byr\b|\bpl[sz]\b|\b[Aa]ttn:"
                    r"|\b(?:Mon|Tues?|Weds?|Thur?s?|Fri|Sat|Sun)\.|\bdr\b|\bHon\. [ST]|\d pp|\b[Ee]xhs?\."
                    r"|[tdh] (?:inst|ult)\.|\b(?:[shdtf]x|[wh]t)\b|\([Rr]et|\b[Pp](?:l[sz]|t)\.|[a-z]\.[a-z]\.|btwn"
                    r"|Cllr|w/in|/(?:wk|mo|yr|hr)\b|Ex\.|\bx\d"
                    r"|c\. A|in 10\d\d"),
         technical.SHORT_RULES),
    Kind("abbreviation",
         re.compile(r"\d|[½¼¾⅓⅔⅛⅜⅝⅞][-–]|\(&|\([MTWFS][a-z]{2}|\b[NSEW]\b|\b(?:CO[2₂]|RT|[FC])\b|(?i:\bref)\b|\b[Mm]ed\b|[a-z]\.(?:[,;:)]"
                    r"| ?[a-z(—–-])|\b(?:[A-Z][a-z]{1,4}|[A-Z]\w{1,4}s|ea|oz|lb|gal|hr|wk|yr|doz|nos?|pop|conf)\."
                    r"|[-–](?:sun|mid|dusk|dawn|noon|late|close)"),
         beside_names.BESIDE_NAME_RULES),
    Kind("address of the net", re.compile(r"[@#/_(]|\w\.\w|\.[a-zN]|--|\+\+|[a-z][A-Z]"), names.WEB_RULES),
    Kind("score", re.compile(r"\d[-–/]\d|\d (?:km|mi\.?|miles) [NSEW]|\d['′’]|\d\+\d"), subjects.CRICKET_RULES),
    Kind("measure", re.compile(r"\d"), (*subjects.WEATHER_RULES, *subjects.RATE_RULES)),
    Kind("date or time", re.compile(r"\d[.:]\d"), subjects.TIME_RULES),
    Kind("address",
         re.compile(r"\d|\b(?:St|Dr|Ave?|Blvd|Rd|Pkwy|Hwy)\b|, [A-Z]{2}\b|\bCo\.|\b[NS]\. [A-Z]|, [A-Z][a-z]{1,4}\."),
         places.ADDRESS_RULES),
    Kind("abbreviation", re.compile(r"\d|\b[IVX]+\b|pp |\b(?:Mr|Mrs|Ms|[Aa]pprox)\b"), words.BEFORE_NUMBERS),
    Kind("Roman numeral", re.compile(r"\b[ivx]+\b|\b[IVXLCDM]+(?:st|nd|rd|th|e)?\b"), numbers.ROMAN_RULES),
    Kind("date or time", re.compile(r"\d"), dates.DATE_RULES),
    Kind("date or time", re.compile(r"\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|[A-Z][a-z]{2,4}\.)|\d0"), dates.DATE_NAMES),
    Kind("chat", re.compile(r"[A-Za-z]"), everyday.CHAT_RULES),
    Kind("abbreviation", re.compile(r"\b(?:Tues|Thurs|Weds|hols?|[Tt]hx|WWI{1,2}|WW[12]|[FfHhRrSs]/[UuOoPpv]|dew)\b"),
    words.WITHOUT_STOP),
    Kind("code", re.compile(r"[A-Z][A-Za-z]?[A-Z\d]"), names.CODE_NAMES),
    Kind("code", re.compile(rf"{DIGIT}|[A-Z][a-z]?[₀-₉]|[α-ωΔΣΩ]"), names.CODE_RULES),
    Kind("score",
         re.compile(r"\d/\d|\d ?[Bb][RDrd]|\(?[DRI]-[A-Z]|\d\*|\din\b|= ?[£$€]\d|\bgal\b|\dm\d"
                    r"|[x×] ?\d{1,3} ?[dwmhyn]|"
                    r"\. x \d"), everyday.SCORE_RULES),
    Kind("money", re.compile(r"\d"), money.MONEY_RULES),
    Kind("measure", re.compile(r"\d|[/°²½¼¾⅓⅔]|kg|mph|kWh|[kMG](?:Hz|B)"), measures.UNIT_RULES),
    Kind("mathematics", re.compile(rf"{DIGIT}|[-+×·÷=<>≤≥≠≈±−→*^√π∞~%½⅓⅔¼¾⅕-⅞]"), mathematics.MATHS_RULES),
    Kind("number", re.compile(r"\d"), numbers.NUMBER_RULES),
    Kind("abbreviation", re.compile(r"\.|[/&]|\b(?:vs|etc|aka|PhD|FYI|[aA][sS][aA][pP]|mtg|appt|dept)\b"),
         words.ABBREVIATION_RULES),
    Kind("capitals", re.compile(r"[A-Z][A-Z'’]"), words.CAPITAL_RULES),
    Kind("sign", re.compile(r"[^\w\s,.;:!?'\"’‘“”()—–…-]|_"), words.SYMBOL_RULES),
)  # fmt: skip


def english(text: str, variant: str) -> list[Span]:
    """variant: the region, such as "gb", in small letters; the United States where there is none."""
    token = numbers.BRITISH.set(variant in ("gb", "uk", "ie", "au", "nz", "za", "in"))
    try:
        raised = re.sub(r"(?<=\b10)\u2212(?=\d{1,2}\b)", "⁻", text)  # what is left of a raised exponent
        spans = recognise(british.unglued(raised.translate(SIGNS)), KINDS, endings=True)
    finally:
        numbers.BRITISH.reset(token)
    if spans and spans[0].words and not text[:1].islower() and not re.search(r"\w", text[: spans[0].start]):
        spoken = spans[0].words.strip()
        spans[0] = spans[0]._replace(words=spoken[:1].upper() + spoken[1:])
    return spans
