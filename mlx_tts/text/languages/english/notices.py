"""English short forms of notes that are read by what stands next to them: timetables, charts, filings, offers."""

from __future__ import annotations

import re

from mlx_tts.text.languages.english.dates import DAYS, MONTHS, date_of_pair
from mlx_tts.text.languages.english.money import amount
from mlx_tts.text.languages.english.numbers import BRITISH, NUMBER, cardinal, label_digits, ordinal, spoken, year
from mlx_tts.text.languages.english.places import DIRECTIONS, OLD_STATES, STATES
from mlx_tts.text.languages.english.words import PATIENT, keeps_dot
from mlx_tts.text.normalise.engine import mentions, one_of, rule, text_after, text_before

PARTIES = {"D": "Democrat", "R": "Republican", "I": "Independent"}
# How and how often a drug is taken.
TAKEN = {"PO": "by mouth", "BID": "twice a day", "TID": "three times a day", "QID": "four times a day",
         "QD": "daily", "PRN": "as needed", "QHS": "at bedtime"}  # fmt: skip
# In the blood; each stands before its amount.
TESTED = {"Na": "sodium", "Cr": "creatinine", "Hgb": "hemoglobin", "Hb": "hemoglobin", "Plt": "platelets",
          "Gluc": "glucose", "Alb": "albumin"}  # fmt: skip
SIZES = {"TB": "terabyte", "GB": "gigabyte", "MB": "megabyte", "MP": "megapixel", "W": "watt"}
WAITED = re.compile(
    r"\b(?i:timeouts?|interval|delay|ttl|back-?off|cooldown|retry|retries|polling)(?: (?!the\b)[a-z]+){0,2} \Z"
)
LET = re.compile(r"\b(?:BR|BD|BA|apt|apartment|rent|lease|sq\. ?ft|bedroom|studio|condo)\b|\dBR|\dBA")
DAY = r"(?:Mon|Mo|Tues?|Tu|Wed|We|Thurs?|Thu?|Fri|Fr|Sat?|Sun?|M|T|W|F)"
ONE_DAY = {"M": "Mon", "T": "Tue", "W": "Wed", "F": "Fri", "Mo": "Mon", "Tu": "Tue", "We": "Wed", "Th": "Thu",
           "Fr": "Fri", "Sa": "Sat", "Su": "Sun"}  # fmt: skip
ONE = {"lb": "pound", "oz": "ounce", "in": "inch", "qt": "quart"}
SCALES = {"K": "thousand", "M": "million", "B": "billion"}
DATED = re.compile(r"(?:\b(?i:dates?|on|from|weekend|week|fri|sat|sun|mon|tues?|wed|thurs?)\.?,?:? |\()\Z")
CLOTS = re.compile(r"\b(?:warfarin|Coumadin|Hgb|WBC|PTT?|labs|clot\w*)\b")
PEOPLE = re.compile(r"\b(?:pop\.|population|census|people|inhabitants|users|subscribers|viewers|voters)")
PER_LENGTH = {"m": "meter", "cm": "centimeter", "mm": "millimeter", "nm": "nanometer", "s": "second"}


def _days(match: re.Match[str]) -> str | None:
    """ "Tu/Th", "M/W/F"; "M/F" alone are the sexes, "T/F" true and false."""
    written = match["days"].split("/")
    if all(len(day) == 1 for day in written) and len(written) < 3:
        return None
    said = [DAYS[ONE_DAY.get(day, day[:3])] for day in written]
    return f"{', '.join(said[:-1])} and {said[-1]}"


def _clock(hour: str, minute: str | None, half: str) -> str:
    minutes = "" if not minute or minute == "00" else f" {'oh ' if minute[0] == '0' else ''}{cardinal(int(minute))}"
    return f"{cardinal(int(hour))}{minutes} {half.lower()}.m."


def _hours(match: re.Match[str]) -> str:
    return f"{_clock(match['a'], match['b'], match['c'])} to {_clock(match['d'], match['e'], match['f'])}"


def _two_dates(match: re.Match[str]) -> str | None:
    """ "(12/5-12/8)": a span of days. As parts of a whole they would grow from the first to the last."""
    a, b, c, d = (int(match[name]) for name in "abcd")
    if (BRITISH.get() and max(b, d) < 13) or not (a > b or c > d or (a == c and b < d)):
        return None
    if re.match(r" ?(?:in|inch|inches|cups?|tsp|tbsp|miles?|lbs?)\b|[\"″]", text_after(match, 8)):
        return None
    first, last = date_of_pair(match, a, b), date_of_pair(match, c, d)
    if first and text_before(match, 4).lower() == "the ":
        first = first.removeprefix("the ")
    return f"{first} to {last}" if first and last else None


def _each(match: re.Match[str]) -> str | None:
    return keeps_dot("each", match) if re.search(r"[$£€]\d[\d.,]{0,9} \Z|\d¢ \Z", text_before(match, 14)) else None


def _tested(match: re.Match[str]) -> str | None:
    labs = mentions(PATIENT, match.string) or "abs" in text_before(match, 16)
    return TESTED[match["word"]] if labs else None


def _house_and_a_half(match: re.Match[str]) -> str:
    return f"{label_digits(match['n'])} and a half {DIRECTIONS[match['way']]}"


def _range_before_noun(match: re.Match[str]) -> str:
    """ "a 3½-4 lb. roast": in the singular, as it stands before its noun."""
    first = spoken(match["a"]) + (" and a half" if match["half"] else "")
    return f"{first} to {spoken(match['b'])} {ONE[match['unit']]}"


def _barrels(match: re.Match[str]) -> str:
    scale = f" {SCALES[match['scale']]}" if match["scale"] else ""
    noun = "barrels" if match["unit"][:2] == "bb" else "barrels per day"
    if match["joint"] == "-":
        noun = noun.replace("barrels", "barrel")
    return f"{spoken(match['n'])}{scale} {noun}"


def _dose(match: re.Match[str]) -> str | None:
    """ "bid" is a word as well: it is one but behind a dose, or behind two kinds of therapy."""
    dose = re.search(
        r"\d ?(?:m?c?g|mL|units?|tabs?|caps?|puffs?)(?: [A-Za-z]{2})? \Z|[A-Z]{2}/[A-Z]{2} \Z", text_before(match, 16)
    )
    return (
        TAKEN[match["word"].upper()] if dose or (match["word"] != "bid" and mentions(PATIENT, match.string)) else None
    )


def _every(match: re.Match[str]) -> str:
    last = f" to {spoken(match['b'])}" if match["b"] else ""
    many = match["b"] or match["a"] != "1"
    unit = {"h": "hour", "d": "day", "w": "week", "m": "minute"}[match["unit"][0]]
    return f"every {spoken(match['a'])}{last} {unit}{'s' if many else ''}"


def _weekend(match: re.Match[str]) -> str | None:
    """ "6/21-22": with a day that no part of a whole has."""
    a, b, c = (int(match[name]) for name in "abc")
    if (
        BRITISH.get()
        or b in (10, 12, 16, 20, 24, 32)
        or not b < c <= 31
        or b < 9
        or not DATED.search(text_before(match, 12))
    ):
        return None
    return f"{MONTHS[a - 1]} {ordinal(b)} to {ordinal(c)}"


MORE_RULES = (
    rule(r"(?<![\w.,])(?P<n>\d[\d,]{0,9}(?:\.\d{1,2})?)(?P<scale>[KMB]?)(?P<joint>[ -])(?P<unit>bbls?|bpd|b/d)"
         r"(?![\w/]|\.\w)", _barrels),
    rule(r"(?<![\w.,])(?P<n>\d{1,3})-bps?(?= )", lambda m: f"{spoken(m['n'])} basis point"),
    rule(r"(?<=\d )est\.(?=[,;)]| [a-z])", lambda m: "estimate" if re.search(
        r"\b(?:the|beat|missed|topped) [$£€]?\d[\d.,]{0,8} \Z", text_before(m, 24)) else None),
    rule(r"(?:(?<=\ba )|(?<=\ban )|(?<=\bone )|(?<=: ))(?P<a>\d{1,2})(?P<half>½?) ?[-–] ?(?P<b>\d{1,2}) "
         r"?(?P<unit>lb|oz|qt|in(?=\.))\.?(?= [a-z]{3})", _range_before_noun),
    rule(r"(?<![\w.,])(?P<a>\d{1,2})(?: ?[-–] ?(?P<b>\d{1,2}))? ?mins?\.?/side(?!\w)",
         lambda m: spoken(m["a"]) + (f" to {spoken(m['b'])}" if m["b"] else "") + " minutes per side"),
    rule(r"(?:(?<=\dg )|(?<=\d g ))sat\.(?=[),;])", "saturated"),
    rule(r"(?<![\w.])Gm\.? (?=\d)", "Game "),
    rule(r"(?<=\bthe )bot\.(?= \d)", "bottom of the"),
    # Of so many tries.
    rule(r"(?<![\w.,-])(?P<a>\d{1,2})[-–](?P<b>\d{1,2}) (?P<what>FT|FG|3PT|3FG|3P)(?!\w)",
         lambda m: f"{spoken(m['a'])} of {spoken(m['b'])} "
         f"{ {'FT': 'free throws', 'FG': 'field goals'}.get(m['what'], 'threes')}"),
    rule(r"(?:\A|(?<=[.:] )|(?<=\n))(?P<n>\d{1,3}) ?(?P<sex>[MF])(?=,? (?:s/p|w/|with\b|c/o|h/o|presents\b|presenting\b"
         r"|here\b|admitted\b|who\b))",
         lambda m: f"{spoken(m['n'])} year old {'male' if m['sex'] == 'M' else 'female'}"),
    rule(r"(?<![\w.])POD ?#?(?P<n>\d{1,2})(?!\w)", lambda m: f"post-op day {spoken(m['n'])}"),
    # No rupees: how long blood takes to clot.
    rule(r"(?<![\w.])INR:? (?P<n>\d\.\d)(?!\w|[.,]\d)",
         lambda m: f"I N R {spoken(m['n'])}" if mentions(CLOTS, m.string) or mentions(PATIENT, m.string) else None),
    rule(r"(?<![\w.])(?P<word>qd|bid|tid|qid|prn|qhs)(?=[ ,;)]|\.?\s*\Z|\.\s)", _dose),
    rule(r"(?<![\w.])q ?(?P<a>\d{1,2})(?: ?[-–] ?(?P<b>\d{1,2}))? ?(?P<unit>hrs?|h|d|wks?|min)(?!\w)", _every),
    rule(r"(?<![\w/])(?P<d>[Dd])/c(?= (?:home|to|today|tomorrow|tmrw|on|when|summary)\b)",
         lambda m: f"{m['d']}ischarge" if mentions(PATIENT, m.string) else None),
    rule(r"(?<![\w.])(?P<f>[Ff])cst\b\.?(?= [a-z(]|[,;)])", r"\g<f>orecast"),
    rule(r"(?:(?<=\bthe )|(?<=\ba ))(?P<sign>[$£€])(?P<a>\d{1,3}(?:\.\d)?) ?[-–] ?(?P<b>\d{1,3}(?:\.\d)?)"
         r"(?P<scale>[KMB])(?= [a-z]{3})",
         lambda m: f"{spoken(m['a'])} to {amount(m['sign'], m['b'], m['scale'], True)}"),
    rule(r"(?:(?<=\bCOB )|(?<=\bEOD ))Weds\.", lambda m: keeps_dot("Wednesday", m)),
    rule(r"(?<![\w/])w/(?= --?\w)", "with"),
    rule(r"(?<![\w.,$£€])(?P<n>\d{1,4}(?:\.\d{1,2})?)M(?= (?:to|in|and|by|from|of|people|at)\b|[,;)])",
         lambda m: f"{spoken(m['n'])} million" if mentions(PEOPLE, m.string) else None),
    rule(r"(?<=\bthe )(?P<year>1[5-9]\d\d|20\d\d)(?= (?:census|treaty|charter|famine|rebellion|revolution|earthquake"
         r"|epidemic|uprising|referendum)\b)", lambda m: year(int(m["year"]))),
    rule(r"(?<![\w.])Eng\.(?= (?:&|and) Wales\b)", "England"),
    rule(r"(?<=\d )chrs?\.(?=[ ,;)])", lambda m: "chair" if text_before(m, 3).endswith(" 1 ") else "chairs"),
    rule(r"(?<![\w.,])(?P<n>\d{1,4})-pcs?\.?(?= [a-zA-Z])", lambda m: f"{spoken(m['n'])} piece"),
    rule(r"(?<![\w.])(?P<s>[Ss])z\.? (?=\d)", r"\g<s>ize "),
    rule(r"(?<![\w.])(?P<a>\d)T ?[-–] ?(?P<b>\d)T(?!\w)", lambda m: f"{spoken(m['a'])} T to {spoken(m['b'])} T"),
    rule(r"(?<![\w.,/$])(?P<n>\d{1,3})/(?P<sign>[$£€])(?P<m>\d{1,3}(?:\.\d\d)?)(?![\w/]|[.,]\d)",
         lambda m: f"{spoken(m['n'])} for {amount(m['sign'], m['m'], None)}"),
    rule(r"(?<![\w.,/-])(?P<a>1[0-2]|0?[1-9])/(?P<b>3[01]|[12]\d|9) ?[-–] ?(?P<c>3[01]|[12]\d)(?![\w/-]|[.,]\d)",
         _weekend),
)  # fmt: skip


def _washer(match: re.Match[str]) -> str | None:
    first = "Washer" if re.search(r"(?:\A|[.!?]\s)\Z", text_before(match, 2)) else "washer"
    return f"{first} and dryer" if mentions(LET, match.string) else None


NOTICE_RULES = (
    *MORE_RULES,
    rule(rf"(?:(?<=, )|(?<=\())(?P<party>[DRI])-(?P<state>{one_of(set(STATES.values()))})(?=[,.;:)])",
         lambda m: f"{PARTIES[m['party']]}, {m['state']}"),
    rule(rf"(?<=\()(?P<party>[DRI])-(?P<state>{one_of(OLD_STATES)})\.(?=\))",
         lambda m: f"{PARTIES[m['party']]}, {OLD_STATES[m['state']]}"),
    rule(r"(?<![\w.,/$£€#-])(?P<n>\d{1,5}) ?(?:½|1/2) (?P<way>NW|NE|SW|SE|[NSEW])\b\.?(?= (?:\d{1,3}(?:st|nd|rd|th)"
         r"|[A-Z][a-z])\b)", _house_and_a_half),
    # Games won and lost.
    rule(r"(?P<what>\b(?:improved|improves|improve|improving) to |\b(?:at|is|are|a|[Tt]heir|[Ii]ts) "
         r"(?=\d{1,2}[-–]\d{1,2}(?:[-–]\d{1,2})?(?: record\b| on the (?:season|year)\b|, (?:half a|\d{1,2}½?|[a-z]+)"
         r" games? (?:ahead|behind|back)\b)))(?P<a>\d{1,2})[-–](?P<b>\d{1,2})(?:[-–](?P<c>\d{1,2}))?(?![\w-]|[.,]\d)",
         lambda m: m["what"] + " and ".join(cardinal(int(part)) for part in m.group("a", "b", "c") if part)),
    rule(r"(?:(?<=[\d⁰¹²³⁴-⁹] ))(?P<unit>cm|mm|nm|m|s)[⁻−-]¹(?!\w)", lambda m: f"per {PER_LENGTH[m['unit']]}"),
    # The same moment in two zones.
    rule(r"(?<=\b[ECMP]T) ?/ ?(?=\d)|(?<=[ap]m) ?/ ?(?=\d{1,2}(?::\d\d)? ?[ap]m)", ", "),
    rule(r"(?<![\w.,/-])(?P<a>1[0-2]|0?[1-9])/(?P<b>[12]\d|3[01]|0?[1-9]) ?[-–] ?(?P<c>1[0-2]|0?[1-9])/"
         r"(?P<d>[12]\d|3[01]|0?[1-9])(?![\w/-]|[.,]\d)", _two_dates),
    rule(r"(?:(?<=y/o )|(?<=y\.o\. )|(?<=\dyo )|(?<=year-old )|(?<=year old ))(?P<sex>[MF])(?=,? [a-z]|[,;)])",
         lambda m: "male" if m["sex"] == "M" else "female"),
    rule(rf"(?:(?<=g )|(?<=L )|(?<=s )|(?<=b )|(?<=O )|(?<=D )|(?<=\. ))(?P<word>{one_of(TAKEN)})(?![\w/-]|\.\w)",
         lambda m: TAKEN[m["word"]] if (m["word"] not in ("PO", "BID") and mentions(PATIENT, m.string)) or re.search(
             r"\d ?m?c?g (?:[A-Z]{2,3} )?\Z", text_before(m, 12)) else None),
    rule(rf"(?:(?<=: )|(?<=, )|(?<=; )|(?<=\. ))(?P<word>{one_of(TESTED)})(?=:? \d)", _tested),
    rule(r"(?<![\w.])Fed\. ?R\. ?(?P<kind>Civ|Crim|App)\. ?P\.(?= \d)",
         lambda m: "Federal Rule of "
         f"{ {'Civ': 'Civil', 'Crim': 'Criminal', 'App': 'Appellate'}[m['kind']]} Procedure"),
    rule(r"(?<![\w.])Fed\. ?R\. ?Evid\.(?= \d)", "Federal Rule of Evidence"),
    rule(r"¶¶ ?(?=\d)", "paragraphs "),
    rule(r"(?<![\w.])(?P<i>[Ii])d\.(?= (?:at (?:\d|¶)|¶|§))", r"\g<i>d"),
    rule(r"(?<![\w.:])(?P<a>1[0-2]|0?[1-9]):(?P<b>[0-5]\d)(?P<c>[AaPp])(?![\w:]|[-–.]\w| ?[-–] ?\d)\.?",
         lambda m: _clock(m["a"], m["b"], m["c"])),
    rule(r"(?<![\w.:])(?P<a>1[0-2]|0?[1-9])(?::(?P<b>[0-5]\d))?(?P<c>[AaPp]) ?[-–] ?(?P<d>1[0-2]|0?[1-9])"
         r"(?::(?P<e>[0-5]\d))?(?P<f>[AaPp])(?![\w:-]|\.\w)\.?", _hours),
    rule(r"(?<![\w.])I-(?P<n>\d{1,3}) (?P<way>[NSEW])(?=\.? (?:to|at|toward|from|and|exit|Exit)\b)",
         lambda m: f"I {label_digits(m['n'])} {DIRECTIONS[m['way']]}"),
    rule(r"(?<=\w\. )\+(?= [a-z\d$£€])", "plus"),
    rule(r"(?:(?<=\+ )|(?<=plus )|(?<=incl\. )|(?<=includes )|(?<=including )|(?<=all )|(?<=most ))utils?\b\.?(?!\w)",
         lambda m: keeps_dot("utilities", m) if m[0].endswith(".") else "utilities"),
    rule(r"(?<=[\d¢] )ea\b\.?(?=[ ,;)!]|\s*\Z)", _each),
    rule(rf"(?<![\w.,])(?P<n>\d{{1,3}})x (?P<m>{NUMBER}) ?(?P<unit>{one_of(SIZES)})(?= (?:[A-Z]\w|[a-z]))",
         lambda m: f"{spoken(m['n'])} {spoken(m['m'])} {SIZES[m['unit']]}"),
    # Seconds that a machine waits, and no years from '30 on.
    rule(r"(?<![\w.,'’])(?P<n>\d{1,4})s(?![\w'’-]|\.\w)",
         lambda m: f"{spoken(m['n'])} second{'' if m['n'] == '1' else 's'}"
         if WAITED.search(text_before(m, 40)) else None),
    rule(r"(?<![\w.,])(?P<n>\d{1,2})(?:st|nd|rd|th)(?P<joint>[- ])c\.(?=\s*\Z|\n| (?:The|It|Its|He|She|They|This|These"
         r"|That|In|An?|But|We|His|Her|There|Most|Some|Many|By|At|On|After|When|Today|See|Later|Only|Both|As|For|From)\b)",
         lambda m: f"{ordinal(int(m['n']))}{m['joint']}century."),
    rule(r"(?<![\w.,])(?P<n>\d{1,2})(?:st|nd|rd|th)(?P<joint>[- ])c\.(?= [a-z]|[,;)]| (?:[A-Z][a-z]+ ){1,3}[a-z])",
         lambda m: f"{ordinal(int(m['n']))}{m['joint']}century"),
    rule(r"(?<![\w/.-])WW(?P<n>II?|[12])(?=\.(?:\s|\Z)|['’]s\b|-era\b)",
         lambda m: f"World War {'one' if m['n'] in ('I', '1') else 'two'}"),
    rule(rf"(?<![\w/])(?P<days>{DAY}(?:/{DAY}){{1,4}})(?![\w/])", _days),
    rule(r"(?<![\w.,])(?P<sign>[$£€])(?P<n>\d{1,4}(?:\.\d\d)?)/(?P<of>\d{1,3})(?= [a-z]{3,20}s\b)",
         lambda m: f"{amount(m['sign'], m['n'], None)} for {spoken(m['of'])}"),
    rule(r"(?<=\d[Kk] )mi\b\.?(?=[ ,;)]|\s*\Z)", lambda m: keeps_dot("miles", m) if m[0].endswith(".") else "miles"),
    rule(r"(?<![\w.])(?P<a>[Aa])pt\.?(?= avail)", r"\g<a>partment"),
    rule(r"(?:(?<=\bavail\. )|(?<=\bAvail\. )|(?<=vailable )|(?<=\bmove-in )|(?<=\beffective ))"
         r"(?P<a>1[0-2]|0?[1-9])/(?P<b>3[01]|[12]\d|0?[1-9])(?![\w/-]|[.,]\d)",
         lambda m: f"{MONTHS[int(m['a']) - 1]} {ordinal(int(m['b']))}" if not BRITISH.get() else None),
    rule(r"(?<![\w/])1st(?:/|, )last(?P<sec>(?:/|, |,? ?& ?|,? and )sec(?:urity|\.|\b))?(?P<dep> dep(?:osit|\.|\b))?"
         r"(?![\w/])",
         lambda m: f"first{', last,' if m['sec'] else ' and last'}{' and security' if m['sec'] else ''}"
         f"{' deposit' if m['dep'] else ''}" if m["sec"] or "/" in m[0] else None),
    rule(r"(?<![\w.])(?P<s>[Ss])ec\. dep\b\.?(?= [a-z]|[,;)])", r"\g<s>ecurity deposit"),
    rule(r"(?<![\w/])W/D(?![\w/])", _washer),
)  # fmt: skip
