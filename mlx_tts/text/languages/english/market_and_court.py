"""English short forms of markets, courts, journeys and chat ("412p", "ss. 3", "25 zł", "shd be w u") -> words."""

from __future__ import annotations

import re

from mlx_tts.text.languages.english.dates import DAYS
from mlx_tts.text.languages.english.numbers import NUMBER, cardinal, is_one, ordinal, spoken
from mlx_tts.text.languages.english.unit_names import NAMES, named
from mlx_tts.text.languages.english.words import keeps_dot
from mlx_tts.text.normalise.engine import mentions, one_of, rule

# In these texts p are pence, but not next to pictures.
PENCE = re.compile(
    r"£|\b(?:pence|FTSE|dividends?|shares?|pints?|litres?|stamps?|fares?|UK|London|sterling|cost|costs|price)\b"
)
PICTURES = re.compile(
    r"(?i)\b(?:videos?|HD|resolution|stream\w*|screens?|displays?|fps|monitors?|TVs?|camera"
    r"|footage|YouTube)\b"
)
# In these texts "back at 5.25" is a rate or a price.
TRADED = re.compile(r"(?i)\b(?:bonds?|shares?|rates?|yields?|index|prices?|odds|stocks?|points|pence|mortgages?)\b|%")
ABROAD = {
    "zł": "zloty|zlotys", "PLN": "zloty|zlotys", "Kč": "koruna|korunas", "CZK": "koruna|korunas", "kr": "krone|kroner",
    "SEK": "Swedish krona|Swedish kronor", "NOK": "Norwegian krone|Norwegian kroner",
    "DKK": "Danish krone|Danish kroner", "HUF": "forint|forints", "TRY": "Turkish lira|Turkish lira",
    "₺": "Turkish lira|Turkish lira",
}  # fmt: skip
LAW = {"ss": "sections", "sch": "schedule", "Sch": "Schedule", "Sched": "Schedule",
       "sched": "schedule", "reg": "regulation", "regs": "regulations",
       "Regs": "Regulations", "Reg": "Regulation", "arts": "articles", "Arts": "Articles", "cls": "clauses",
       "schs": "schedules"}  # fmt: skip
CHATTY = re.compile(r"(?i)(?<![\w.])(?:r u|u r|w u|thx|pls|tmrw|2moro|hiya|xx+|lol|omg|gonna)(?![\w.])")
SMALL = {"shd": "should", "wld": "would", "cld": "could"}


def _pence(match: re.Match[str]) -> str | None:
    if not mentions(PENCE, match.string) or mentions(PICTURES, match.string):
        return None
    return f"{spoken(match['n'])} {'penny' if match['n'] == '1' else 'pence'}"


def _abroad(match: re.Match[str]) -> str:
    one, _, many = ABROAD[match["sign"]].partition("|")
    return f"{spoken(match['n'])} {one if is_one(match['n']) else many}"


def _clock(match: re.Match[str]) -> str | None:
    if mentions(TRADED, match.string):
        return None
    minute = int(match["m"])
    minutes = "o'clock" if not minute else f"{'oh ' if minute < 10 else ''}{cardinal(minute)}"
    return f"{match['word']}{cardinal(int(match['h']))} {minutes}"


MARKET_RULES = (
    rule(r"(?<![\w.,$€-])(?P<n>\d{1,4}(?:\.\d{1,2})?)p(?![\w/-])", _pence),
    rule(rf"(?<![\w.,])(?P<n>{NUMBER}) ?(?P<sign>{one_of(ABROAD)})(?![\w/])", _abroad),
    rule(rf"(?<![\w.])(?P<word>{one_of(LAW)})\. ?(?=\d)", lambda m: f"{LAW[m['word']]} "),
    rule(r"(?<![\w.])(?P<a>[Aa])dm\.(?=:? (?:[£$€] ?\d|\d|free\b|fee\b))", r"\g<a>dmission"),
    rule(r"(?<=[A-Za-z] )Stn\b\.?", lambda m: keeps_dot("Station", m) if m[0].endswith(".") else "Station"),
    # What comes and goes has times, also with a full stop in them.
    rule(r"(?P<word>\b(?:[Ll]anded|gets? in|got in|arriv(?:es?|ing|ed)|leav(?:es?|ing)|left|departs?|due in|due out"
         r"|trains?|bus|flight|lands?|landed|back|home"
         r"|coach|ferry|starts?|kicks? off|meet|see you|pick (?:you|u) up)(?: (?:is|was|again|there|home"
         r"|here|ok|OK|safely|early|late)){0,2} at )"
         r"(?P<h>1\d|2[0-3]|0?\d)\.(?P<m>[0-5]\d)(?![\w%]|[.,:]\d| ?(?:am|pm|a\.m|p\.m|million|billion|per|km|m"
         r"|%)\b)", _clock),
    # "1hr+", "38th-min", "1.5m km": a letter next to another measure is a million.
    rule(r"(?<![\w.,])(?P<n>\d{1,4}(?:\.\d)?) ?(?P<unit>hrs?|mins?|yrs?|wks?|mths?|km|kg|GB|TB|lbs?|ft)\+(?!\w)",
         lambda m: f"{spoken(m['n'])} {named(m['unit'], m['n'] != '1')} plus"),
    rule(r"(?<![\w.,])(?P<n>\d{1,3})(?:st|nd|rd|th)-min\b\.?(?= [a-z])", lambda m: f"{ordinal(int(m['n']))} minute"),
    rule(rf"(?<![\w.,$£€])(?P<n>{NUMBER}) ?(?P<scale>m|bn) (?P<unit>km|kg|kWh|MWh|sq ft|sq m|mi)(?![\w/²³])",
         lambda m: f"{spoken(m['n'])} {'million' if m['scale'] == 'm' else 'billion'} {named(m['unit'], True)}"),
    rule(rf"(?<![\w.,$£€])(?P<n>{NUMBER}) ?(?P<scale>m|bn)(?= (?:miles|tonnes|tons|litres|liters|acres|hectares"
         r"|hours|years|barrels|kilometres|kilometers|kilos|euros|pounds|dollars)\b)",
         lambda m: f"{spoken(m['n'])} {'million' if m['scale'] == 'm' else 'billion'}"),
    rule(rf"(?<![\w.,])(?P<n>{NUMBER})\+ ?(?P<unit>{one_of(n for n in NAMES if len(n) > 1)})(?![\w²³/])",
         lambda m: f"{spoken(m['n'])} plus {named(m['unit'], True)}"),
    rule(r"(?:(?<=\bfor )|(?<=\bon )|(?<=\bby )|(?<=\btil )|(?<=\btill )|(?<=\buntil )|(?<=\bthis )|(?<=\bnext )"
         r"|(?<=\bbefore ))"
         r"(?P<day>Mon|Tues?|Weds?|Thur?s?|Fri|Sat|Sun)(?=[?!])", lambda m: DAYS[m["day"][:3]]),
    rule(rf"(?<=[a-z] )(?P<word>{one_of(SMALL)})(?= [a-z])", lambda m: SMALL[m["word"]]),
    rule(r"(?<![\w.'’])(?P<r>[Rr]) u(?= [a-z]|[?!])",
         lambda m: ("Are" if m["r"] == "R" else "are") + " you" if mentions(CHATTY, m.string) else None),
    rule(r"(?<=[a-z] )w(?= (?:u|me|him|her|them|us|the|my|a|ur|ya)\b)",
         lambda m: "with" if mentions(CHATTY, m.string) else None),
    rule(r"(?<=[a-z] )u(?= [a-z]|[?!,]|\.?\s*\Z)", lambda m: "you" if mentions(CHATTY, m.string) else None),
)  # fmt: skip
TELLS = re.compile(
    rf"\dp\b|\d ?(?:{one_of(ABROAD)})|\b(?:{one_of(LAW)})\. ?\d|\b[Aa]dm\.|Stn\b|at \d\d?\.\d"
    r"|\d ?[a-zA-Z]{0,4}\+|\d ?(?:m|bn) |-min\b|"
    rf"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\w{{0,2}}[?!]|\b(?:{one_of(SMALL)}|[RrUuWw]) ?"
)
