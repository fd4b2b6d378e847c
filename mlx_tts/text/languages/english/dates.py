"""Dates and times of day -> English words."""

from __future__ import annotations

import re

from mlx_tts.text.languages.english.numbers import (
    BRITISH,
    FROM_BRITAIN,
    cardinal,
    day_first,
    decade,
    digits,
    label_digits,
    ordinal,
    year,
)
from mlx_tts.text.normalise.engine import mentions, rule, text_after, text_before, words_of

MONTHS = words_of("January February March April May June July August September October November December")
SHORT = {month[:3]: month for month in MONTHS} | {"Sept": "September"}
DAYS = {day[:3]: day for day in ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]}
DAYS |= {"Tues": "Tuesday", "Thur": "Thursday", "Thurs": "Thursday", "Weds": "Wednesday"}

SHORT_MONTH = "Sept|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
MONTH = rf"(?P<month>{'|'.join(MONTHS)}|(?:{SHORT_MONTH})\b\.?)"
# "jan. 15", "JAN. 15": not "may 5" and not "mar 5", which may be words.
ANY_CASE = (
    r"(?P<month>(?i:january|february|april|june|july|august|september|october|november|december"
    r"|(?:jan|feb|apr|jun|jul|aug|sept?|oct|nov|dec)\b\.?))"
)
WEEKDAY = r"(?P<weekday>(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Thur|Fri|Sat(?:ur)?|Sun)(?:day\b|\b\.?))"
DAY = r"(?P<day>0?[1-9]|[12]\d|3[01])"
YEAR = r"(?P<year>[12]\d{3})"
AM_PM = r"(?P<half>[ap])\.?\s?m\b\.?"
CLOCK = r"(?P<hour>[01]?\d|2[0-4]):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d)(?:[.,]\d{1,9})?)?"

LAST_CLOCK = r"(?:[01]?\d|2[0-4]):[0-5]\d"
HOURS = re.compile(rf"{CLOCK}(?:\s{AM_PM})?", re.IGNORECASE)


def _month(match: re.Match[str]) -> str:
    written = match["month"].rstrip(".").capitalize()
    return SHORT.get(written, written)


def _date(month: str, day: str, number: str | None) -> str:
    """American order: it needs no "of" and is understood everywhere; in Britain the day comes first."""
    if BRITISH.get():
        return f"the {ordinal(int(day))} of {month}" + (f" {year(int(number))}" if number else "")
    tail = f", {year(int(number))}" if number else ""
    return f"{month} {ordinal(int(day))}{tail}"


def _named_day(match: re.Match[str]) -> str:
    """ "its Oct. 6 record": there in Britain as well no article is said twice."""
    said = _date(_month(match), match["day"], match.groupdict().get("year"))
    owned = re.search(r"\b(?:the|its|his|her|their|our|my|your|this|an?|[a-z]['’]s) \Z", text_before(match, 7), re.I)
    return said.removeprefix("the ") if owned else said


def _numeric(match: re.Match[str]) -> str | None:
    """Month first with slashes (not in Britain), day first with dots, unless the numbers say otherwise."""
    first, second = int(match["a"]), int(match["b"])
    month_first = match["mark"] != "." and not day_first(match.string)
    if match["mark"] == "-" and len(match["year"]) == 2 and month_first and first > 12:
        return None  # "31-9-11" is no American date
    if first > 12 or second > 12:
        month_first = second > 12
    month, day = (first, second) if month_first else (second, first)
    if not 1 <= month <= 12 or not 1 <= day <= 31:
        return None
    written = match["year"]
    number = written if len(written) == 4 else f"{'19' if int(written) > 39 else '20'}{written}"
    return _date(MONTHS[month - 1], str(day), number)


def _iso(match: re.Match[str]) -> str | None:
    month = int(match["m"])
    if not 1 <= month <= 12:
        return None
    return _date(MONTHS[month - 1], match["day"], match["year"])


def _moment(match: re.Match[str]) -> str:
    zone = " U T C" if match["utc"] else ""
    if match["offset"]:
        zone = f" U T C {'plus' if match['offset'][0] == '+' else 'minus'} {cardinal(int(match['offset'][1:]))}"
    return f"{_iso(match)} at {_time(match)}{zone}"


def _day_first(match: re.Match[str]) -> str:
    tail = f", {year(int(match['year']))}" if match["year"] else ""
    article = "" if re.search(r"\b[Tt]he \Z", text_before(match, 4)) else "the "
    ends = match[0].endswith(".") and re.match(r"\s+[A-Z]|\s*\Z", text_after(match, 4))
    return f"{article}{ordinal(int(match['day']))} of {_month(match)}{tail}{'.' if ends else ''}"


def _weekday(match: re.Match[str]) -> str:
    return DAYS[match["weekday"][:3]]


def _short_date(match: re.Match[str]) -> str | None:
    """n/n next to a weekday or a word of time."""
    first, second = int(match["a"]), int(match["b"])
    month, day = (second, first) if (day_first(match.string) and second <= 12) or first > 12 else (first, second)
    if not 1 <= month <= 12 or not 1 <= day <= 31:
        return None
    groups = match.groupdict()
    weekday = f"{_weekday(match)}, " if groups.get("weekday") else ""
    written = groups.get("year")
    number = written if not written or len(written) == 4 else f"20{written}"
    return weekday + _date(MONTHS[month - 1], str(day), number)


def _time(match: re.Match[str]) -> str:
    hour, minute = int(match["hour"]), int(match["minute"])
    half = f" {match['half'].lower()}.m." if match["half"] else ""
    if minute == 30 and BRITISH.get() and 0 < hour < 13 and not match["second"]:
        words = f"half past {cardinal(hour)}"
    elif minute:
        words = f"{cardinal(hour)} {'oh ' if minute < 10 else ''}{cardinal(minute)}"
    elif half:
        words = cardinal(hour)
    elif hour in (0, 24):
        words = "midnight"
    else:
        words = f"{cardinal(hour)} o'clock" if hour < 13 else f"{cardinal(hour)} hundred"
        words += " hours" if hour > 12 and match["second"] and int(match["second"]) else ""
    if match["second"] and int(match["second"]):
        words += half
        half = ""
        words += f" and {cardinal(int(match['second']))} second{'' if int(match['second']) == 1 else 's'}"
    zone = match.groupdict().get("zone")
    return words + half + (" " + " ".join(zone.replace(".", "").upper()) if zone else "")


def _hour(match: re.Match[str]) -> str:
    return f"{cardinal(int(match['hour']))} {match['half'].lower()}.m."


def _years(match: re.Match[str]) -> str:
    first, second = match["a"], match["b"]
    return f"{year(int(first))} to {year(int(second)) if len(second) == 4 else cardinal(int(second))}"


def _lived(written: str) -> str:
    return label_digits(written) if len(written) == 3 else year(int(written))


def _decades(match: re.Match[str]) -> str:
    last = re.fullmatch("(?P<decade>.*)", match["last"])
    assert last is not None
    return f"{decade(match)} to {decade(last)}"


def _times(match: re.Match[str]) -> str:
    """9:00-17:30, 3pm-5pm, 3-5pm."""
    hour, _, minute = match["last"].partition(":")
    later = match.groupdict().get("later")
    last = HOURS.fullmatch(f"{hour}:{minute or '00'}" + (f" {later}m" if later else ""))
    assert last is not None
    clock = HOURS.fullmatch(
        f"{match['hour']}:{match['minute'] or '00'}" + (f" {match['half']}m" if match["half"] else "")
    )
    assert clock is not None
    bare = later and not match["half"] and not match["minute"]
    first = cardinal(int(match["hour"])) if bare else _time(clock)
    return f"{first} to {_time(last)}"


TRAVEL = re.compile(
    r"\b(?:trains?|bus(?:es)?|[Cc]oach|[Rr]ailcard|got (?:in|back|home)|arrived|ferry|departs?|arrives?|"
    r"arrival|leaves?|gets? to|kick-?off|doors|station|"
    r"platform|Plat|Mon|Tues?|Wed(?:s|nesday)?|Thurs?(?:day)?|Fri(?:day)?|Sat(?:urday)?|Sunday|Monday|Tuesday|"
    r"tomorrow|tonight|appointment|meeting|"
    r"flight|calling at|service to|meets?|[Ss]how's|[Tt]he show|gig|concert|curtain|"
    r"start(?:s|ed)?|o'clock|lunch|breakfast|dinner)\b"
)
SHORT_DAY = "Mon|Tues?|Weds?|Thu(?:rs)?|Fri|Sat|Sun"
# Names of days and months without a number.
DATE_NAMES = (
    rule(rf"\b(?P<day>{SHORT_DAY})\.? (?P<to>&|and|or) (?P<last>{SHORT_DAY})\b(?:\.(?= [a-z\d]|[,;:)]))?",
         lambda m: f"{DAYS[m['day'][:3]]} {m['to'].replace('&', 'and')} {DAYS[m['last'][:3]]}"),
    rule(r"(?:(?<=\b[Oo]n )|(?<=\b[Bb]y )|(?<=\bto )|(?<=\b[Uu]ntil )|(?<=\b[Ff]or )|(?<=\b[Tt]his )|(?<=\b[Nn]ext )"
         r"|(?<=\b[Ll]ast ))(?P<day>Wed|Sat|Sun)(?= at (?:\d|noon|midnight)| \d{1,2}(?::\d\d|[ap]m)"
         r"| (?:morning|night|afternoon|evening)\b)", lambda m: DAYS[m["day"]]),
    rule(rf"\b(?P<day>{SHORT_DAY})\.? ?[-–] ?(?P<last>{SHORT_DAY})\b\.?",
         lambda m: f"{DAYS[m['day'][:3]]} to "
         f"{DAYS[m['last'][:3]]}" + ("." if m[0].endswith(".") and m.end() == len(m.string) else "")),
    rule(r"\b(?P<month>Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec)\.(?= [a-z]|[,;:)])", _month),
    rule(r"\b(?P<month>Jan|Feb|Apr|Aug|Sept|Sep|Oct|Nov|Dec)\.(?=\s*\Z)", lambda m: f"{_month(m)}."),
    rule(r"(?:(?<=\b[Oo]n )|(?<=\b[Bb]y )|(?<=\buntil )|(?<=\b[Ll]ast )|(?<=\b[Nn]ext ))"
         r"(?P<day>Mon|Tues?|Weds?|Thurs?|Fri)(?= [a-z])", lambda m: DAYS[m["day"][:3]]),
    rule(r"\b(?P<day>Mon|Tues?|Wed|Thurs?|Fri|Sat|Sun)\.(?= (?:&|and|or|to) )", lambda m: DAYS[m["day"][:3]]),
    rule(r"(?<=\b(?:by|on|to) )(?P<day>Mon|Tues?|Weds?|Thu(?:rs)?|Fri|Sat|Sun)\.(?= [A-Z])",
         lambda m: f"{DAYS[m['day'][:3]]}."),
    rule(rf"\b(?P<day>Mon|Tues?|Weds?|Thu(?:rs)?|Fri)(?=,? \d{{1,2}}(?:st|nd|rd|th)? (?:{SHORT_MONTH}))",
         lambda m: DAYS[m["day"][:3]]),
    rule(rf"\b(?P<day>Sat|Sun)\.?(?=,? (?:{SHORT_MONTH})\b|,? \d)", lambda m: DAYS[m["day"]]),
    rule(r"\b(?P<day>Tues|Thurs?|Weds|Mon|Tue|Wed|Thu|Fri)\.(?= [a-z\d@]|[,;:)])", lambda m: DAYS[m["day"]]),
    rule(r"(?:(?<=\b[Nn]ext )|(?<=\b[Ll]ast )|(?<=\bon )|(?<=\bthis )|(?<=\b[Bb]y )|(?<=\b[Uu]ntil )|(?<=\b[Ff]rom )"
         r"|(?<=\bhrough )|(?<=\b[Ss]ince ))(?P<day>Sat|Sun)\.(?=[,;)]| [a-z])", lambda m: DAYS[m["day"]]),
    rule(r"\b(?P<day>Sat|Sun)\.(?= (?:morning|afternoon|evening|night|at|thru|through|until|till|from)\b)",
         lambda m: DAYS[m["day"]]),
    rule(r"\b(?P<day>Tues|Thurs?|Weds|Mon|Tue|Wed|Thu|Fri)\.(?=\s*\Z)", lambda m: f"{DAYS[m['day']]}."),
)  # fmt: skip
BEFORE = r"(?<![\w.,/:-])"
DATE_RULES = (
    rule(r"\b(?:ca?|cca)\. ?(?=[£$€]?\d{1,4}\b)", "circa "),
    rule(rf"{BEFORE}{YEAR}-(?P<m>0[1-9]|1[0-2])-(?P<day>0[1-9]|[12]\d|3[01])[T ]{CLOCK}(?P<half>)"
         r"(?:(?P<utc>Z|UTC)|(?P<offset>[+-]\d\d):?00)?(?![\w:])", lambda m: _moment(m)),
    rule(rf"{BEFORE}{YEAR}[-/](?P<m>0[1-9]|1[0-2])[-/](?P<day>0[1-9]|[12]\d|3[01])(?![\w-])", _iso),
    rule(rf"{BEFORE}(?P<a>\d{{1,2}})(?P<mark>[./-])(?P<b>\d{{1,2}})(?P=mark)(?P<year>\d{{4}}|\d{{2}})(?![\w/-])"
         rf"(?!\.\d)",
         _numeric),
    rule(rf"{BEFORE}{WEEKDAY},? (?P<a>\d{{1,2}})/(?P<b>\d{{1,2}})(?:/(?P<year>\d{{4}}|\d\d))?(?![\w/])(?!\.\d)",
    _short_date),
    rule(r"\b(?P<word>[Ss]ent|[Pp]aid|[Pp]osted|[Rr]eceived|[Ss]hipped|[Ff]iled|[Dd]elivered|[Uu]pdated|[Ss]igned"
         r"|[Ee]ffective|"
         r"[Ww]eek of|[Aa]s of|[Ee]xpires?|[Dd]eadline|[Ss]tarts?|[Bb]egins?|[Ee]nds|[Ss]cheduled for|[Ll]ast seen|"
             r"[Bb]efore|[Uu]ntil|[Tt]ill|"
         r"[Aa]fter|[Tt]hru|[Oo]pens|[Mm]idnight|[Ll]abs|[Vv]isit|[Pp]ayable|"
         r"[Aa]vail(?:able)?)(?P<colon>:?) ~?"
         r"(?P<c>1[0-2]|0?[1-9])/(?P<d>0?[1-9]|[12]\d|3[01])(?![\w/])(?!\.\d)",
         lambda m: _worded(m)),
    rule(r"(?:(?<=\b[Aa]t )|(?<=\b[Bb]y )|(?<=@ )|(?<=\b[Ff]rom )|(?<=\buntil )|(?<=\bto )|(?<=\bETA )|(?<=\bETD ))"
         r"(?P<hour>1\d|2[0-3])(?P<minute>[0-5]\d) ?(?P<unit>hrs?|hours)\b(?:\.(?= [a-z]|[,;)]))?",
         lambda m: f"{cardinal(int(m['hour']))} "
         f"{'hundred' if m['minute'] == '00' else _minutes(m['minute'])} hours"),
    rule(rf"(?<![\w.,:-])(?P<first>(?:[01]\d|2[0-3])[0-5]\d) (?P<day>{SHORT_DAY})\.? ?[-–] ?"
         rf"(?P<second>(?:[01]\d|2[0-3])[0-5]\d) (?P<last>{SHORT_DAY})\b(?:\.(?= [a-z]|[,;)]))?",
         lambda m: f"{_four(m['first'])} {DAYS[m['day'][:3]]} to {_four(m['second'])} {DAYS[m['last'][:3]]}"),
    rule(rf"(?<![\w.,:]){CLOCK}(?P<half>[ap])(?![\w.])", _time),
    rule(r"(?P<before>\b(?:(?:at|by|from|until|till|before|after|[Tt]he|is|departs|arrives|to)"
         r"(?: about| around)?|"
         r"(?:arr|dep)\.?(?: [A-Z]\w{1,20}){0,3}) )(?P<hour>[01]?\d|"
    r"2[0-3])\.(?P<minute>[0-5]\d)"
         r"(?![\w%]|[.,:]\d| ?(?:million|billion|per cent|percent|[cm]?m\b|k[gm]\b|points?|p\b))",
             lambda m: _with_a_dot(m)),
    rule(r"(?<![\w.,£$€:-])0(?P<hour>\d)\.(?P<minute>[0-5]\d)(?![\w%]|[.,:]\d| ?(?:[cm]?m\b|k[gm]\b|%|per))",
         lambda m: f"{cardinal(int(m['hour']))} {_minutes(m['minute'])}" if day_first(m.string) and mentions(TRAVEL,
             m.string)
         else None),
    rule(r"(?:(?<=\b[Mm]y )|(?<=\b[Yy]our )|(?<=\b[Oo]ur )|(?<=\b[Hh]is )|(?<=\b[Hh]er )|(?<=\b[Tt]he ))"
         r"(?P<a>1[0-2]|[1-9])/(?P<b>3[01]|[12]?\d)(?= (?:e-?mail|meeting|call|letter|order|memo|message|visit"
         r"|invoice|appointment|deadline|session|flight|sync|stand-?up|demo|webinar|hearing|workshop|game"
         r"|show)\b)", lambda m: _after_word(m)),
    rule(r"(?P<word>\b(?:[Mm]essage|[Mm]sg|[Nn]ote|[Tt]ext|[Ff]ax|[Ee]-?mail|[Ll]etter|[Mm]emo|[Ii]nvoice"
         r"|[Ss]tatement|[Rr]eply|[Vv]isit|[Mm]eeting)"
         r" (?:of|from))(?P<colon>) (?P<c>\d{1,2})/(?P<d>\d{1,2})(?![\w/]|\.\d| (?:an?|the|pages?)\b)",
         lambda m: _worded(m)),
    rule(r"(?<=\b[Oo]n )(?P<a>\d{1,2})/(?P<b>\d{1,2})(?![\w/])(?!\.\d)|(?<=\b[Bb]y )(?P<c>\d{1,2})/(?P<d>\d{1,2})"
         r"(?![\w/])(?!\.\d)|(?<=\b[Dd]ue )(?P<e>\d{1,2})/(?P<f>\d{1,2})(?![\w/])(?!\.\d)", lambda m: _after_word(m)),
    rule(r"(?<![\w.,/:-])(?P<c>1[0-2]|0?[1-9])/(?P<d>1[3-5]|1[789]|2[1236789]|31)(?![\w/]|[.,]\d)(?! of\b)",
         lambda m: None if mentions(FROM_BRITAIN, m.string) else _after_word(m)),
    rule(r"(?<=\b[Ff]rom )(?P<a>\d{1,2})/(?P<b>\d{1,2})(?=[,;)]| (?:until|till|onwards|inclusive)\b|\.?\s*\Z)",
         lambda m: _after_word(m) if day_first(m.string) else None),
    rule(r"(?:(?<=vail\. )|(?<=ntil )|(?<=ince )|(?<=nding )|(?<=ated )|(?<=arting )|(?<=hrough ))(?P<c>\d{1,2})/(?P"
         r"<d>\d{1,2})(?![\w/])(?!\.\d)",
         lambda m: _after_word(m)),
    rule(rf"{BEFORE}{ANY_CASE}[ -]{DAY}(?:st|nd|rd|th)?(?:,? {YEAR})?(?![\w:/-])(?!,\d|\.\d)",
         lambda m: None if m["month"].isupper() and "-" in m[0] and not m["year"]  # the DEC-20 was a computer
         else _named_day(m)),
    rule(rf"{BEFORE}{DAY}(?:st|nd|rd|th)? {ANY_CASE}(?:,? {YEAR})?(?!\w)", _day_first),
    rule(rf"{BEFORE}(?P<first>\d{{1,2}})/{DAY} {MONTH}(?:,? {YEAR})?(?!\w)",
         lambda m: f"{ordinal(int(m['first']))} to {_day_first(m).removeprefix('the ')}"),
    rule(rf"{BEFORE}{DAY}-(?P<month>(?i:{SHORT_MONTH}))(?:-(?P<year>[12]\d{{3}}))?(?![\w-])", _day_first),
    rule(rf"{BEFORE}{DAY}(?:st|nd|rd|th)?(?: of)? {MONTH}(?:,? {YEAR})?(?!\w)", _day_first),
    rule(rf"\b{MONTH} {DAY}(?:st|nd|rd|th)?,? {YEAR}(?!\w)", lambda m: _named_day(m)),
    rule(rf"(?<=\d)(?: ?[-–] ?)(?=(?:{'|'.join(MONTHS)}|(?:{SHORT_MONTH})\b\.?) \d)", " to "),
    rule(r"(?<![\w.,/-])(?P<a>\d{1,2})/(?P<b>\d{1,2})[-–](?P<c>\d{1,2})/(?P<d>\d{1,2})(?![\w/]|[.,]\d)",
        lambda m: _two_dates(m)),
    rule(rf"\b{MONTH} {DAY}(?:st|nd|rd|th)?[-–](?P<last>[0-3]?\d)(?!\w)",
         lambda m: f"{_date(_month(m), m['day'], None)} to {ordinal(int(m['last']))}"),
    rule(rf"\b{MONTH} {DAY}(?:st|nd|rd|th)?(?![\w:/])(?!,\d|\.\d)", lambda m: _date(_month(m), m["day"], None)),
    rule(rf"\b{MONTH} {YEAR}(?!\w)", lambda m: f"{_month(m)} {year(int(m['year']))}"),
    rule(r"\b(?P<day>Tues|Thurs?|Weds|Mon|Tue|Wed|Thu|Fri|Sat|Sun)\.?(?=,? (?:January|February|March|April|May|June"
         r"|July"
         r"|August|September|October|November|December)\b)", lambda m: DAYS[m["day"]]),
    rule(r"(?<![\w.,-])(?P<decade>1[0-9]{2}0|20[0-9]0)s ?[-–] ?(?P<last>[1-9]0|1[0-9]{2}0|20[0-9]0)s\b",
         lambda m: _decades(m)),
    rule(r"(?<![\w.,])(?<!\d-)[’'‘]?(?P<decade>[1-9]0|1[0-9]{2}0|20[0-9]0)[’']?s\b", decade),
    rule(rf"(?<![\w.,:]){CLOCK}\s?(?:Z|UTC)(?!\w)(?P<half>)", lambda m: f"{_time(m)} U T C"),
    rule(rf"(?<![\w.,:])(?P<hour>1[0-2]|0?[1-9])\.(?P<minute>[0-5]\d)(?P<second>)\s?{AM_PM}", _time, re.IGNORECASE),
    rule(r"(?<![\w.,])(?P<h>\d{1,3}) ?h(?:rs?)? ?(?P<m>[0-5]?\d) ?m(?:ins?)?(?: ?(?P<s>[0-5]?\d) ?s)?(?!\w)",
         lambda m: _duration(m)),
    rule(r"(?<![\w.,])(?P<h>)(?P<m>\d{1,3}) ?m(?:in)? ?(?P<s>[0-5]?\d) ?s(?!\w)", lambda m: _duration(m)),
    rule(r"(?<![\w.,:])(?P<m>\d{1,2}):(?P<s>[0-5]\d) min\b(?:\.(?= [a-z]|[,;)]))?",
         lambda m: f"{cardinal(int(m['m']))} {'oh ' if int(m['s']) < 10 else ''}{cardinal(int(m['s']))} minutes"),
    rule(rf"(?<![\w.,:-]){CLOCK}(?P<half>) ?[-–] ?(?P<last>{LAST_CLOCK})(?![\w:])(?!\.\d)", lambda m: _times(m)),
    rule(rf"(?<![\w.,:-])(?P<hour>1[0-2]|0?[1-9])(?::(?P<minute>[0-5]\d))?(?P<second>)(?:\s?{AM_PM})? ?[-–] ?"
         rf"(?P<last>(?:1[0-2]|0?[1-9])(?::[0-5]\d)?)\s?(?P<later>[ap])\.?\s?m\b\.?", lambda m: _times(m),
             re.IGNORECASE),
    rule(rf"(?<![\w.,:]){CLOCK}\s?{AM_PM}(?: (?P<zone>(?:[ecmp]\.[sd]\.t|[ecmp][sd]t|gmt|utc)\b))?", _time,
         re.IGNORECASE),
    rule(r"(?<![\w.,:-])(?P<h>\d{1,3}):(?P<m>[0-5]\d):(?P<s>[0-5]\d)(?:\.(?P<part>\d{1,3}))?"
         r"(?!\w|[:.,]\d| ?[AaPp]\.?[Mm])", lambda m: _length(m)),
    rule(rf"(?<![\w.,:]){CLOCK}(?:\s?h(?:rs?)?\b)?(?P<half>)(?![\w:])(?!\.\d)", _time),
    rule(rf"(?<![\w.,:])(?P<hour>1[0-2]|0?[1-9])\s?{AM_PM}(?![\w-])", _hour, re.IGNORECASE),
    rule(rf"{BEFORE}(?P<a>1[1-9]\d\d|20\d\d)\s?[-–]\s?(?P<b>1[1-9]\d\d|20\d\d|\d\d)(?![\w-])(?!\.\d)", _years),
    rule(rf"{BEFORE}(?P<a>10[1-9]\d)[-–](?P<b>1[01]\d\d)(?![\w-]|[.,]\d)", _years),
    rule(rf"{BEFORE}(?P<a>\d{{3,4}})\?[-–](?P<b>\d{{3,4}})(?P<unsure>\??)(?![\w-]|[.,]\d)",
         lambda m: f"{_lived(m['a'])} to {_lived(m['b'])}"),
    rule(r"\bAD (?=\d{1,4}\b)", "A D "),
    rule(r"\b(?P<n>\d{1,4}) ?(?P<era>BCE|BC|CE|AD|B\.\s?C\.(?:\s?E\.)?|C\.\s?E\.|A\.\s?D\.)(?!\w)", lambda m: _era(m)),
)  # fmt: skip


def _four(written: str) -> str:
    """ "2100" as a time."""
    hour = f"{'zero ' if written[0] == '0' else ''}{cardinal(int(written[:2]))}"
    return f"{hour} {_minutes(written[2:])}"


def _after_word(match: re.Match[str]) -> str | None:
    first, second = (int(number) for number in match.groups() if number)
    said = date_of_pair(match, first, second)
    return said.removeprefix("the ") if said and text_before(match, 4).lower() == "the " else said


def date_of_pair(match: re.Match[str], first: int, second: int) -> str | None:
    if re.match(r" (?:of|cup|tsp|tbsp|inch|mile|pound)", text_after(match, 10)) or first in (
        0,
        second,
    ):
        return None
    month, day = (second, first) if (day_first(match.string) and second <= 12) or first > 12 else (first, second)
    return _date(MONTHS[month - 1], str(day), None) if 1 <= month <= 12 and 1 <= day <= 31 else None


def _worded(match: re.Match[str]) -> str | None:
    said = date_of_pair(match, int(match["c"]), int(match["d"]))
    word = re.sub(r"\b([Mm])sg\b", r"\1essage", match["word"])
    return f"{word}{match['colon']} {said}" if said else None


def _with_a_dot(match: re.Match[str]) -> str | None:
    """ "the 10.15 from Leeds": British times, where the sentence is about some that are kept."""
    if not day_first(match.string) or not mentions(TRAVEL, match.string) or re.search(r"[£$€]\Z", match["before"]):
        return None
    hour = int(match["hour"])
    return f"{match['before']}{cardinal(hour)} {_minutes(match['minute'])}"


def _minutes(written: str) -> str:
    minute = int(written)
    return "hundred" if not minute else f"{'oh ' if minute < 10 else ''}{cardinal(minute)}"


def _two_dates(match: re.Match[str]) -> str | None:
    """3/20-3/22; 1/2-3/4 may be fractions: the second must be a later day."""
    numbers = [int(match[name]) for name in "abcd"]
    months, days = (numbers[1::2], numbers[::2]) if day_first(match.string) else (numbers[::2], numbers[1::2])
    if not all(1 <= month <= 12 for month in months) or not all(1 <= day <= 31 for day in days) or max(days) < 9:
        return None
    first, last = (_date(MONTHS[month - 1], str(day), None) for month, day in zip(months, days, strict=True))
    return f"{first} to {last}"


def _duration(match: re.Match[str]) -> str:
    parts = []
    for written, name in ((match["h"], "hour"), (match["m"], "minute"), (match["s"], "second")):
        if written:
            parts.append(f"{cardinal(int(written))} {name}{'' if int(written) == 1 else 's'}")
    return " ".join(parts)


LASTING = re.compile(
    r"(?i:\b(?:in|of|took|times?|finish\w*|ran|run|clock\w*|last\w*|runtime|duration|length|record\w*|best|pb|pr|"
    r"elapsed|timer|stopwatch|split|reads?|showed|winning|won|after|within|under|sub|over|marathon|cut-?off|"
    r"for)\b[^.;:!?\d]{0,16}:?|\() ?\Z"
)
LASTED = re.compile(r" (?:into|long|ahead|behind|remaining|left|elapsed|marathon|in (?:total|all)|total|hours?)\b|\)")


def _length(match: re.Match[str]) -> str | None:
    """ "in 2:00:15": how long something took, where the words around say so or no day has so many hours."""
    before = text_before(match, 40)
    clock = re.search(r"\b(?:at|since|until|till|from|between|by|before|on [A-Z]\w+)\s\Z", before)
    lasted = LASTED.match(match.string, match.end()) or (LASTING.search(before) and not clock)
    if not lasted and int(match["h"]) < 25:
        return None
    parts = [(match["h"], "hour"), (match["m"], "minute")]
    said = [f"{cardinal(int(n))} {name}{'' if int(n) == 1 else 's'}" for n, name in parts if int(n)]
    if match["part"]:
        said.append(f"{cardinal(int(match['s']))} point {digits(match['part'])} seconds")
    elif int(match["s"]) or not said:
        said.append(f"{cardinal(int(match['s']))} second{'' if int(match['s']) == 1 else 's'}")
    return " ".join(said)


def _era(match: re.Match[str]) -> str:
    written, letters = match["n"], re.findall("[A-Z]", match["era"])
    said = f"{label_digits(written) if len(written) == 3 else year(int(written))} {' '.join(letters)}"
    ends = match["era"].endswith(".") and not text_after(match, 40).strip("\"'”’)")
    return f"{said}." if ends else said
