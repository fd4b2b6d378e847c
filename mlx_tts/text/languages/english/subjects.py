"""Numbers that only the subject of a text tells (cricket, weather, timetables, doses) -> English words.

Each rule asks for words of its subject anywhere in the text; without them other rules read the number.
"""

from __future__ import annotations

import re

from mlx_tts.text.languages.english.dates import MONTHS
from mlx_tts.text.languages.english.measures import NAMED as NUMBERED_PLACE
from mlx_tts.text.languages.english.money import PERIODS
from mlx_tts.text.languages.english.numbers import (
    BRITISH,
    NUMBER,
    cardinal,
    day_first,
    digits,
    is_one,
    ordinal,
    spoken,
    year,
)
from mlx_tts.text.languages.english.unit_names import NAMES, named
from mlx_tts.text.normalise.engine import mentions, one_of, rule, text_after, text_before, words_of

CRICKET = re.compile(
    r"\b(?:wickets?|inns|ovs|stumps|overs|lbw|not out|declared|batsm[ae]n|cricket|Ashes|(?:Test|T20|ODI)s?|the Test"
    r"|bowled|bowling|maidens?|off \d+ balls|county championship)\b"
)
BOWLED = r"(?<![\w.,/:-])(?P<wickets>10|[0-9])[-–/](?P<runs>\d{1,3})(?![\w/:-]|[.,]\d)"
BOWLER = re.compile(
    r"\b(?:took|takes|take|taking|with|claimed|claiming|finished with|figures of|returned|bagged|grabbed|best of"
    r"|ended with"
    r"|haul of|bowled) (?:a |his |her |career-best )?\Z"
)
RESULT = re.compile(r"\b(?:beat|won|lost|series|lead|led|trail|drew|win|defeat(?:ed)?|Tests?)\b[^.;]{0,30}\Z")


def _innings(match: re.Match[str]) -> str | None:
    """ "358-7" is seven wickets for 358 runs, which Britons say the other way round: "358 for 7"."""
    if not mentions(CRICKET, match.string):
        return None
    stop = " declared" if match["declared"] else ""
    return f"{spoken(match['runs'])} for {spoken(match['wickets'])}{stop}"


def _bowled(match: re.Match[str]) -> str | None:
    if not mentions(CRICKET, match.string) or int(match["runs"]) < 2:
        return None
    before = text_before(match, 40)
    if not BOWLER.search(before):
        return None
    return f"{spoken(match['wickets'])} for {spoken(match['runs'])}"


LINE = re.compile(
    r"\b(?:had|has|with|posted|averag\w+|record\w*|finished|line of|went|at|is|are|was|were|sit|sits|stand"
    r"|stands|put up|added"
    r"|to|of|,) (?:a |an? average of |him |them )?\Z|\(\Z"
)
NOT_COUNTED = re.compile(
    r"(?i)\b(?:sort|code|pin|account|acct|a/c|no|number|ref|sku|serial|id|isbn|order|case|dob|born|date[ds]?"
    r"|since|until"
    r"|before|after|by|on|expir\w+|due|sent|from|signed)\b[^\d]{0,16}\Z"
)


def _line(match: re.Match[str]) -> str | None:
    """ "29-18-16": games won, lost and drawn, or points, rebounds and assists; also the stops of a lock."""
    numbers = [int(n) for n in match.groups()]
    before = text_before(match, 24)
    account = re.match(r",? (?:a/c|acc|account|\d{8}\b)", text_after(match, 12))
    if account or NOT_COUNTED.search(before) or not LINE.search(before):
        return None
    month, day, year = (numbers[1], numbers[0], numbers[2]) if BRITISH.get() else numbers
    if month <= 12 and 1 <= day <= 31 and len(match[3]) == 2 and month >= 1 and year < 40 and "(" not in before[-1:]:
        return None  # it may be a date
    a, b, c = (cardinal(n) for n in numbers)
    return f"{a}, {b} and {c}"


# Behind what a team has won and lost, where no score can stand.
STANDS = (
    r"(?:has|have|had|hosts?|visits?|plays?|travels?|sits?|is|are|was|were|improved?|fell|drop(?:s|ped)?|won|beat"
    r"|faces?|will|"
    r"edged|topped|routed|rallied|held|downed|blanked|crushed|outscored|defeated|stunned|rolled|pulled|upset|swept"
    r"|clinched"
    r"|handed|ended|suffered|survived|cruised|used|kept|moved|came|took|opened|closed|"
    r"remains?|leads?|trails?|snapped|extended|entered|enters?|look|looks|need|needs|can|got)"
)
RECORD = re.compile(rf"[A-Z][a-z]+ \(\d{{1,2}}[-–]\d{{1,2}}(?:[-–]\d{{1,2}})?\) {STANDS}\b")
SEASON = re.compile(
    r"\b(?:games?|season|points|wins?|won|beat|lost|loss|scor\w+|rebounds|innings?|quarter|conference|hosts?"
    r"|standings|playoffs?"
    r"|seed)\b"
)


def _record(match: re.Match[str]) -> str | None:
    """ "Boston (41-12) has won": games won and lost; so are all that stand in the same way behind a name."""
    if BRITISH.get() or not mentions(SEASON, match.string) or not mentions(RECORD, match.string):
        return None
    numbers = [cardinal(int(n)) for n in match.groups() if n is not None]
    return f"{', '.join(numbers[:-1])} and {numbers[-1]}"


GAME = re.compile(
    r"\b(?:beat|beaten|drew|draw|won|wins?|lost|lose|lead|led|leading|trail\w*|thrash\w*|defeat\w*|scor\w+|goals?|HT|FT"
    r"|half[- ]time|full[- ]time|league|Prem|FC|equalis\w+)\b"
)


def _nil(match: re.Match[str]) -> str | None:
    """Of football, as in Britain."""
    if not BRITISH.get() or not mentions(GAME, match.string):
        return None
    return " ".join("nil" if n == "0" else cardinal(int(n)) for n in (match["a"], match["b"]))


COMPASS = {"N": "north", "S": "south", "E": "east", "W": "west", "NE": "northeast", "NW": "northwest",
    "SE": "southeast", "SW": "southwest"}  # fmt: skip
CRICKET_RULES = (
    rule(r"(?<=\d km )(?P<way>[NS]?[EW]|[NS])(?= of\b)|(?<=\d mi )(?P<way2>[NS]?[EW]|[NS])(?= of\b)"
         r"|(?<=\d miles )(?P<way3>[NS]?[EW]|[NS])(?= of\b)"
         r"|(?<=\d mi\. )(?P<way4>[NS]?[EW]|[NS])(?= of\b)",
         lambda m: COMPASS[m["way"] or m["way2"] or m["way3"] or m["way4"]]),
    rule(r"(?<![\w.,x×'’-])(?P<n>[1-9]\d?|1[0-2]\d)['′’](?=[,)])",
         lambda m: f"{ordinal(int(m['n']))} minute" if mentions(GAME, m.string) else None),
    rule(r"(?<![\w.,/])(?P<n>\d{1,3})\+(?P<more>\d{1,2})(?:st|nd|rd|th) min(?:ute\b|\.|\b)",
         lambda m: f"{spoken(m['n'])} plus {ordinal(int(m['more']))} minute{'.' if m.end() == len(m.string) else ''}"),
    rule(r"(?:(?<=\b[Kk]icked )|(?<=\bmade )|(?<=\bhit )|(?<=\bconverted )|(?<=\blanded )|(?<=\bshot )|(?<=\bwent ))"
         r"(?P<a>\d{1,2})/(?P<b>\d{1,2})(?![\w/]|[.,]\d)",
         lambda m: f"{spoken(m['a'])} out of {spoken(m['b'])}" if int(m["a"]) <= int(m["b"]) and m["b"] > "2"
              else None),
    rule(r"(?<![\w.,:/–-])(?=0|\d[-–]0)(?P<a>\d)[-–](?P<b>\d)(?![\w/:–-]|[.,]\d)", _nil),
    rule(r"(?<![\w.,/:-])(?P<runs>[2-9]\d|[1-9]\d\d)[-–/](?P<wickets>10|\d)(?P<declared>(?:d| dec)?)(?![\w/:-]|[.,]\d)",
         _innings),
    rule(BOWLED, _bowled),
    rule(r"(?<![\w.,/:–-])([1-9]\d?)-([1-9]\d?|0)-([1-9]\d?|0)(?![\w/:–-]|[.,]\d)", _line),
    rule(r"(?<=[a-zA-Z] \()(\d{1,2})[-–](\d{1,2})(?:[-–](\d{1,2}))?(?=\))", _record),
    rule(r"(?<![\w.,/])(?P<n>\d|10)/10(?=\s*(?:[.,;:)!?]|\Z)| (?:would|for|pain|on|in|and|but|with|radiating|at"
        r"|severity"
         r"|stars|because|to|from|if|when|today|now)\b)(?![,.]\d)",
         lambda m: None if re.search(r"\A\s*\Z|\b(?:[Oo]n|[Bb]y|[Dd]ue|[Uu]ntil|[Ss]ince|[Ff]rom|[Tt]hru"
             r"|[A-Z][a-z]{2,8}day)\.? \Z|\d \Z",
                                     text_before(m, 12))
         else f"{spoken(m['n'])} out of ten"),
)  # fmt: skip

# Weather: degrees without their sign

WEATHER = re.compile(
    r"(?i)\b(?:lows?|highs?|max|min|temps?|temperatures?|degrees|forecast|frost|winds?|sunny|clouds?|cloudy|snow"
    r"|chilly?|rain"
    r"|showers|heatwave|in the (?:shade|sun)|thermometer|freezing|sleet(?:ing)?|icy|drizzl\w+|foggy?|storms?|mild"
    r"|muggy|celsius)\b"
)
DEGREES = {"C": "degrees Celsius", "F": "degrees Fahrenheit"}


def _degrees(match: re.Match[str]) -> str | None:
    if not mentions(WEATHER, match.string) or NUMBERED_PLACE.search(text_before(match, 14)):
        return None
    first = f"{_signed(match['first'])} to " if match["first"] else ""
    number = match["n"]
    unit = DEGREES[match["unit"]]
    return (
        f"{first}{_signed(number)} {unit if first or number.lstrip('-−') != '1' else unit.replace('degrees', 'degree')}"
    )


def _signed(written: str) -> str:
    return ("minus " if written[0] in "-−" else "") + spoken(written.lstrip("-−"))


WEATHER_RULES = (
    rule(r"(?<=\b[Gg]as )(?P<g>\d)/(?P<n>\d{3})(?P<u>C)(?![\w/])",
         lambda m: f"{spoken(m['g'])}, {spoken(m['n'])} degrees Celsius"),
    rule(r"(?<![\w.,/–-])(?:(?P<first>[-−]?\d{1,3})(?: ?– ?|-| to"
        r" ))?(?P<n>[-−]?\d{1,3}(?:\.\d)?)(?P<unit>[CF])(?![\w°/’'-])",
         _degrees),
    rule(rf"(?<![\w.,/])(?P<a>[-−]?{NUMBER}) ?°?(?P<u>[CF]) ?/ ?(?P<b>[-−]?{NUMBER}) ?°?(?P<v>[CF])(?![\w/])",
         lambda m: f"{_signed(m['a'])} {DEGREES[m['u']]}, {_signed(m['b'])} {DEGREES[m['v']]}"
         if "°" in m[0] or mentions(WEATHER, m.string) else None),
)  # fmt: skip

# Times of day with a dot, as in Britain

KEPT = (
    r"(?:sets?|rises?|[Ss]unrise|[Ss]unset|HW|LW|[Hh]igh (?:water|tide)|[Ll]ow (?:water|tide)|[Kk]ick[- ]?offs?"
    r"|[Kk]icks off"
    r"|KO|starts?|[Oo]pen(?:s|ing)?|[Cc]los(?:es?|ing)|[Dd]oors|departs|departing|arr(?:iv(?:es?|ing))?\.?|dep\.?"
    r"|finish(?:es)?|ends?|meet|[Bb]egins?|[Ll]ast (?:orders|entry|admissions?)|[Bb]rekkie|[Cc]urtain(?: up)?"
    r"|[Tt]ee[- ]off|[Cc]heck[- ](?:in|out)|[Ll]unch|[Dd]inner|[Bb]reakfast|[Ee]vensong|[Mm]ass|[Ss]ervice|till?|until"
    r"|between|@|calls? at|gets in|leav(?:es?|ing)|[Mm]on(?:day)?|[Tt]ue(?:s|sday)?|[Ww]ed(?:s|nesday)?"
    r"|[Tt]hu(?:rs|rsday)?"
    r"|[Ff]ri(?:day)?|[Ss]at(?:urday)?|[Ss]un(?:day)?)"
)
DOTTED_TIME = r"(?P<hour>2[0-3]|1\d|0?\d)\.(?P<minute>[0-5]\d)"
NO_UNIT = (
    r"(?![\w%°]|[.,:/]\d| ?(?:million|billion|bn|per cent|percent|[cm]?m\b|k[gm]\b|points?|p\b|miles|metres"
    r"|seconds|secs|lengths"
    r"|goals|runs|overs|out of|inches|litres|each|times|on average|degrees|[€$£%°]))"
)


def clock(hour: str, minute: str) -> str:
    hours = cardinal(int(hour))
    if minute == "00":
        return f"{hours} o'clock" if int(hour) < 13 else f"{hours} hundred"
    return f"{hours} {'oh ' if minute[0] == '0' else ''}{cardinal(int(minute))}"


def _kept(match: re.Match[str]) -> str | None:
    return f"{match['before']}{clock(match['hour'], match['minute'])}" if day_first(match.string) else None


def _race(match: re.Match[str]) -> str | None:
    return f"{match['the']}{clock(match['hour'], match['minute'])}" if BRITISH.get() else None


def _part(written: str) -> str:
    hour, _, minute = re.sub("[.:]", ".", written).partition(".")
    return clock(hour, minute) if minute and minute != "00" else cardinal(int(hour))


def _hours(match: re.Match[str]) -> str | None:
    """ "2-3.30pm", "10-11:30", "open 10.30-5"."""
    first, last, half = match["a"], match["b"], match["half"]
    quarters = BRITISH.get() and all(
        n[-3:] in (".00", ".15", ".30", ".45") or (n.isdecimal() and mentions(OPENING, match.string))
        for n in (first, last)
    )
    if (
        "." in match[0]
        and not half
        and not quarters
        and not (BRITISH.get() and re.search(rf"\b{KEPT},? \Z", text_before(match, 24)))
    ):
        return None
    if int(re.split("[.:]", first)[0]) > 12 and half:
        return None
    said_half = f" {half.lower()}.m." if half else ""
    own = f" {match['first_half'].lower()}.m." if match["first_half"] else ""
    return f"{_part(first)}{own} to {_part(last)}{said_half}"


OPENING = re.compile(
    r"\b(?:[Oo]pen(?:s|ing)?|[Hh]ours|[Ww]kdays|[Ww]eekdays|[Dd]aily|w/ends|[Ww]eekends?|[Cc]losed|[Hh]elpline"
    r"|[Ll]ines|Mon|Tue"
    r"|Tues|Wed|Weds|Thu|Thurs|Fri|Sat|Sun)\b"
)
HOUR = r"(?:1[0-2]|0?[1-9])"
HOURS = (
    rf"(?P<a>{HOUR}(?:[.:][0-5]\d)?) ?(?:(?P<first_half>[AaPp])\.?[Mm]\.?)? ?[-–] ?(?P<b>{HOUR}(?:[.:][0-5]\d)?)"
    rf"(?: ?(?P<half>[AaPp])\.?\s?[Mm]\b\.?)?"
)
TIME_RULES = (
    rule(r"(?:(?<=\b[Dd]iluted )|(?<=\b[Rr]atio )|(?<=\b[Rr]atio of )|(?<=\b[Dd]ilution of )|(?<=\b[Ss]cale of ))"
         r"(?P<a>\d{1,3}):(?P<b>\d{1,3})(?![\w:]|\.\d)|(?<![\w.,:])(?P<c>\d{1,3}):(?P<d>\d{1,3})(?= (?:dilution"
         r"|scale|ratio)\b)",
         lambda m: f"{spoken(m['a'] or m['c'])} to {spoken(m['b'] or m['d'])}"),
    rule(r"(?<![\w.,:/£$€-])(?P<h>0\d|1\d|2[0-3])\.(?P<m>[0-5]\d) ?[-–] ?(?P<h2>0\d|1\d"
        r"|2[0-3])\.(?P<m2>[0-5]\d)(?![\w%:/-]|\.\d)",
         lambda m: f"{clock(m['h'], m['m'])} to {clock(m['h2'], m['m2'])}"
         if BRITISH.get() and "0" in (m["h"][0], m["h2"][0]) else None),
    rule(r"(?P<before>\b(?:[Ee]xp(?:\.|ir\w+)?|[Dd]iscard (?:after|by)|[Uu]se by|[Bb]est (?:by|before)|[Vv]alid"
         r"(?: (?:thru|through|until|to))?|[Gg]ood (?:thru|through"
        r"|until))(?: date)?:? )"
         r"(?P<month>0[1-9]|1[0-2])/(?P<year>2\d|3\d)(?![\w/])",
         lambda m: f"{m['before']}{MONTHS[int(m['month']) - 1]} {year(2000 + int(m['year']))}"),
    rule(rf"(?P<before>\b{KEPT}[,:]? ){DOTTED_TIME}{NO_UNIT}", _kept),
    rule(rf"(?P<the>\b[Tt]he ){DOTTED_TIME}(?= (?:(?:at|from|to) [A-Z]|went to\b|was won\b|is (?:late|delayed)"
        rf"|was (?:late|delayed|cancelled)))",
         _race),
    rule(rf"(?<![\w.,:/£$€-])(?=[\d ]*(?:[.:][0-5]\d ?(?:[AaPp]\.?[Mm]\.?)? ?[-–]|[-–] ?\d\d?[.:])){HOURS}"
         rf"(?![\w%:/-]|\.\d|,\d)", _hours),
)  # fmt: skip

# Rates of things that are no units: "100 req/min", "18 U/kg/hr"

SHORT = {"req": "requests", "reqs": "requests", "msg": "messages", "msgs": "messages", "rev": "revolutions",
         "ops": "operations", "op": "operation", "tx": "transactions", "U": "units", "u": "units", "hrs": "hours",
         "mins": "minutes", "pts": "points", "tok": "tokens", "img": "images", "imgs": "images"}  # fmt: skip
WHOLE_UNITS = dict(zip(words_of("U mg mcg µg g mL ml kcal IU mmol mEq"), words_of(
    "unit milligram microgram microgram gram milliliter milliliter kilocalorie international_unit millimole"
    " milliequivalent"),
    strict=True))  # fmt: skip
LONG_PERIODS = {
    "min": "minute",
    "hr": "hour",
    "h": "hour",
    "s": "second",
    "sec": "second",
    "d": "day",
    "wk": "week",
    "mo": "month",
    "yr": "year",
    "day": "day",
    "dose": "dose",
}
METRIC = {"mm": "millimeter", "cm": "centimeter", "m": "meter", "km": "kilometer", "kg": "kilogram",
          "g": "gram", "t": "ton",
          "L": "liter", "l": "liter", "ml": "milliliter", "kWh": "kilowatt hour", "kcal": "kilocalorie",
          "GB": "gigabyte"}  # fmt: skip
PER = rf"(?P<per>{one_of(LONG_PERIODS)})\b(?:\.(?= [a-z]|[,;:)]))?"


AGED = re.compile(
    r"\b(?:[Cc]hild(?:ren)?|[Aa]dults?|[Ii]nfants?|[Pp]atients?|[Aa]ged?|[Aa]dolescents?|[Pp]aediatric|[Pp]ediatric) \Z"
)
TRIAL = re.compile(r"\b(?:study|trial|placebo|tablets?|dose|mg|randomi[sz]ed)\b")
OF_AGE = re.compile(r"\b(?:mean|median|average) age\b")
TIMES = {"1": "once", "2": "twice"}
AGES = {"y": "year", "m": "month", "w": "week"}


def _age(match: re.Match[str]) -> str | None:
    """ "children 6-11 y"."""
    if mentions(OF_AGE, match.string) and match["unit"] == "y":
        return f"{spoken(match['n'])} year{'' if is_one(match['n']) else 's'}" if not match["first"] else None
    if not AGED.search(text_before(match, 24)) and not re.search(r"(?:[≥≤<>] ?|aged )\Z", text_before(match, 8)):
        return None
    first = f"{spoken(match['first'])} to " if match["first"] else ""
    return f"{first}{spoken(match['n'])} {AGES[match['unit'][0]]}{'' if is_one(match['n']) else 's'}"


def _doses(match: re.Match[str]) -> str:
    unit = WHOLE_UNITS[match["unit"]].replace("_", " ") + ("" if is_one(match["n"]) else "s")
    per = f" per {LONG_PERIODS[match['per']]}" if match["per"] else ""
    return f"{spoken(match['n'])} {unit} per kilogram{per}"


NAMED = re.compile(
    r"(?:\ba/c|\b(?:nhs|acct?|account|policy|customer|member(?:ship)?|confirmation|passcode|password|meeting id|zoom"
    r" id|tracking|upc|ean|imei|sku|zip|vin|otp|routing|serial|fax|ending(?: in)?|text [A-Z]+ to"
    r"|booking)\b\.?)(?: (?:no\.?|number|code|id|is|#))*[:,]? \Z",
    re.IGNORECASE,
)
RATE_RULES = (
    rule(r"(?P<word>\b(?:[Pp]ages?|[Ss]lides?|[Ss]heets?|[Ee]pisodes?) )(?P<all>\d{1,3}/\d{1,3}(?:(?:,| and| or"
         r") \d{1,3}/\d{1,3}){0,3})"
         r"(?![\w/]|[.,]\d)",
         lambda m: m["word"] + re.sub(r"(\d+)/(\d+)", lambda n: f"{spoken(n[1])} of {spoken(n[2])}", m["all"])),
    rule(rf"(?<![\w.,/])(?P<n>{NUMBER}) pts\b(?:\.(?= [a-z]|[,;:)]))?",
         lambda m: f"{spoken(m['n'])} patients" if mentions(TRIAL, m.string) else None),
    rule(rf"(?<![\w/.])(?P<what>[a-z]{{2,20}})/(?P<n>\d{{1,3}}) ?{PER}(?!/)",
         lambda m: f"{m['what']} per {spoken(m['n'])} {LONG_PERIODS[m['per']]}s "),
    rule(rf"(?<![\w.,/])(?P<a>\d)[-–](?P<n>\d) ?[x×]/{PER}(?!/)",
         lambda m: f"{spoken(m['a'])} to {spoken(m['n'])} times per {LONG_PERIODS[m['per']]}"),
    rule(rf"(?<![\w.,/])(?P<n>\d{{1,2}}) ?[x×]/{PER}(?!/)",
         lambda m: f"{TIMES.get(m['n']) or spoken(m['n']) + ' times'} per {LONG_PERIODS[m['per']]}"),
    rule(rf"(?<![\w.,/])(?P<n>{NUMBER}) ?mL/min/(?P<of>1\.73) ?m(?:²|2|\^2)(?!\w)",
         lambda m: f"{spoken(m['n'])} milliliters per minute per {spoken(m['of'])} square meters"),
    rule(r"(?<![\w.,/])(?:(?P<first>\d{1,3})(?: ?– ?|-))?(?P<n>\d{1,3}(?:\.\d)?) ?"
         r"(?P<unit>yr?s?|mos?|mths?|wks?)(?=[ ,;:)]|\Z)",
         lambda m: _age(m)),
    rule(r"(?<![\w.,/-])0\d{2,4}(?: \d{1,4}){2,4}(?![\w/-]|[.,]\d)",
         lambda m: ", ".join(digits(group) for group in m[0].split()) if 9 < sum(c.isdigit() for c in m[0]) < 13
              else None),
    rule(r"(?<=\d )pcm\b", "per calendar month"),
    rule(r"(?<=\d )pp\.(?=[ ,;)])", "pages"),
    rule(r"(?<![\w.])s\.? ?(?=\d{1,4}(?:\(\w\))? of the\b)", "section "),
    # What is an account is no quantity.
    rule(r"(?<![\w.,/-])\d(?:[ -]?\d){3,19}(?![\w-]|[.,]\d)",
         lambda m: ", ".join(digits(group) for group in re.findall(r"\d+", m[0]))
         if NAMED.search(text_before(m, 40)) else None),
    rule(r"(?<![\w.,/-])\d\d-\d\d-\d\d(?=,? (?:a/c|acc|account|\d{8}\b))",
         lambda m: ", ".join(digits(group) for group in m[0].split("-"))),
    rule(r"\b(?P<a>EUR|GBP|USD|JPY|CHF|AUD|CAD|CNY|NZD)/(?P<b>EUR|GBP|USD|JPY|CHF|AUD|CAD|CNY|NZD)"
        r" (?P<n>\d{1,3}\.\d{1,5})"
         r"(?!\w|\.\d)", lambda m: f"{m['a']} {m['b']} {spoken(m['n'])}"),
    rule(r"(?<=GCS )(?P<a>\d{1,2})/(?P<b>15)(?![\w/])", lambda m: f"{spoken(m['a'])} out of {spoken(m['b'])}"),
    rule(r"(?<![\w.,/])(?P<a>\d{2})/(?P<b>\d{2}) mpg\b",
         lambda m: f"{spoken(m['a'])}, {spoken(m['b'])} miles per gallon"),
    rule(r"(?P<word>\b(?:[Ss]eats|[Ss]leeps|[Zz]ones?|[Yy]ears?|[Gg]rades?|[Ll]evels?|[Ss]izes?|[Aa]ges?))"
        r" (?P<a>\d{1,2})/(?P<b>\d{1,2})(?![\w/])",
         lambda m: f"{m['word']} {spoken(m['a'])} or {spoken(m['b'])}" if int(m["b"]) > int(m["a"]) else None),
    rule(rf"(?<![\w.,/])(?P<a>{NUMBER}) ?[x×] ?(?P<b>{NUMBER}) ?[x×] ?(?P<n>{NUMBER}) ?(?P<unit>cm|mm|m|ft"
        rf"|in)(?![\w²³])(?:\.(?= [a-z]|[,;:)]))?",
         lambda m: f"{spoken(m['a'])} by {spoken(m['b'])} by {spoken(m['n'])} {named(m['unit'], True)}"),
    rule(r"(?:(?<=\b[Aa]t )|(?<=\b[Ff]rom )|(?<=\b[Bb]y )|(?<=\buntil )|(?<=\btill )|(?<=\bto )|(?<=\bbefore ))"
         r"0(?P<h>\d)(?P<m>[0-5]\d)(?!\w|[.,:-]\d)",
         lambda m: f"oh {cardinal(int(m['h']))}"
             f" {'hundred' if m['m'] == '00' else clock('1', m['m']).partition(' ')[2]}"),
    rule(rf"(?<![\w.,/])(?P<n>{NUMBER})-(?P<unit>lb|yr|oz|ft|in|mo|hr|min|mi|wk|gal|qt|pt)\.(?= [A-Z\d])",
         lambda m: f"{spoken(m['n'])} {named(m['unit'], False)}"),
    rule(rf"(?<![\w.,/])(?P<n>{NUMBER}) (?P<what>[a-z]{{2,14}})/{PER}(?!/)",
         lambda m: None if m["what"] in NAMES or f"{m['what']}/{m['per']}" in NAMES
         else f"{spoken(m['n'])} {SHORT.get(m['what'], m['what'])} per {LONG_PERIODS[m['per']]}"),
    rule(rf"(?<![\w.,/])(?P<n>{NUMBER}) ?(?P<unit>{one_of(WHOLE_UNITS)})/kg(?:/{PER})?(?![\w/])", _doses),
    rule(rf"(?<![\w.,/])(?:(?P<first>{NUMBER})(?: ?– ?|-))?(?P<n>{NUMBER}) ?(?P<unit>mm|cm|m|km|kg|g|t|L|l|kWh|"
         rf"kcal|GB)/"
         rf"(?P<per>yr|year|mo|month|wk|week|day|d|min)\b(?!/)",
         lambda m: f"{spoken(m['first']) + ' to ' if m['first'] else ''}{spoken(m['n'])} {METRIC[m['unit']]}"
         f"{'' if is_one(m['n']) and not m['first'] else 's'} per {PERIODS.get(m['per'], m['per'])}"),
    rule(rf"(?<![\w.,/])(?P<n>{NUMBER}) ?¢ ?/ ?(?P<per>[a-z]{{1,12}})\b",
         lambda m: f"{spoken(m['n'])} cent{'' if is_one(m['n']) else 's'} per {PERIODS.get(m['per'], m['per'])}"),
    rule(rf"(?<![\w.,/])(?P<n>{NUMBER})p/(?P<of>\d{{1,4}}) ?(?P<unit>g|ml|kg)\b",
         lambda m: f"{spoken(m['n'])} pence per {spoken(m['of'])} {METRIC[m['unit']]}s" if BRITISH.get() else None),
    rule(r"(?<![\w.,/-])(?P<a>[A-Z]{1,3})(?P<n>\d{1,4})/(?P<b>[A-Z]{1,3})(?P<k>\d{1,4})(?![\w/]|[.,]\d)",
         lambda m: f"{' '.join(m['a'])} {_road(m['n'])}, {' '.join(m['b'])} {_road(m['k'])}"),
)  # fmt: skip


def _road(written: str) -> str:
    return cardinal(int(written)) if len(written) < 3 or written.endswith("00") else digits(written)
