"""Paths of Windows, settings, batteries, tickets, marks out of a hundred, spans of mixed numbers -> English words."""

from __future__ import annotations

import re

from mlx_tts.text.languages.english.dates import DAYS, MONTHS
from mlx_tts.text.languages.english.mathematics import VULGAR, mixed
from mlx_tts.text.languages.english.names import EXTENSIONS, extension, split_camel
from mlx_tts.text.languages.english.numbers import (
    BRITISH,
    NUMBER,
    cardinal,
    day_first,
    digits,
    label_digits,
    ordinal,
    spoken,
    year,
)
from mlx_tts.text.languages.english.unit_names import NAMES, named
from mlx_tts.text.languages.english.words import PATIENT
from mlx_tts.text.normalise.engine import mentions, one_of, rule

# How much memory: a lone letter behind the number is a size only there.
MEMORY = re.compile(r"(?i)mem|heap|cache|swap|shm|buffer|disk|Xmx")
SIZES = {"k": "kilobytes", "m": "megabytes", "g": "gigabytes", "t": "terabytes"}
GRADED = re.compile(r"(?i)\b(?:grades?|graded|marks?|marked|scores?|scored|exams?|tests?|quiz|rated|rating|essay)\b")
DOSE = re.compile(r"\d ?(?:mg|mcg|µg|g|mL|ml|U|IU|units?|tabs?|tablets?|puffs?|drops?)\b")
DOSES = {
    "b.i.d": "twice a day",
    "t.i.d": "three times a day",
    "q.i.d": "four times a day",
    "s.c": "subcutaneously",
    "p.o": "by mouth",
    "i.m": "intramuscularly",
    "i.v": "intravenously",
}
PERIOD = {"wk": "week", "mo": "month", "yr": "year", "hr": "hour"}
WAITING = re.compile(r"(?i)timeout|delay|interval|ttl|wait|sleep|period|duration")
BATTERY = re.compile(
    r"(?i)\b(?:batter(?:y|ies)|adapt[eo]rs?|chargers?|sockets?|suppl(?:y|ies)|cells?|motors?|leads?)\b"
)


def _setting(match: re.Match[str]) -> str | None:
    size, name = match["size"].lower(), match["name"]
    if size in ("s", "ms"):
        unit = {"s": "second", "ms": "millisecond"}[size] + ("" if match["n"] == "1" else "s")
        said = f"{split_camel(name.replace('-', ' '))} equals {spoken(match['n'])} {unit}"
        return said if WAITING.search(name) else None
    if MEMORY.search(name):
        unit = SIZES[size].removesuffix("s") if match["n"] == "1" else SIZES[size]
    elif "_" in name or name.isupper():
        unit = size.upper()
    else:
        return None  # "mass=5g" is of physics
    return f"{split_camel(name.replace('-', ' '))} equals {spoken(match['n'])} {unit}".strip()


def _windows_path(match: re.Match[str]) -> str:
    *folders, last = match["path"].strip("\\").split("\\")
    file = re.fullmatch(rf"([\w-]+)\.((?i:{one_of(EXTENSIONS)}))", last)
    end = f"{_name(file[1])} dot {extension(file[2])}" if file else _name(last)
    return " backslash ".join((f"{match['drive']} colon", *map(_name, folders), end))


def _name(written: str) -> str:
    return split_camel(re.sub(r"[-_.]+", " ", written))


def _month(short: str) -> str:
    return next(month for month in MONTHS if month.startswith(short[:3]))


def _full_stop(match: re.Match[str]) -> str:
    return "." if re.match(r"\s*\Z|\s+[A-Z][A-Za-z]", match.string[match.end() : match.end() + 8]) else ""


def _clock(written: str) -> str:
    hour, minute = written.split(".")
    return f"{spoken(hour)} {'oh ' + spoken(minute[1]) if minute[0] == '0' else spoken(minute)}"


PART = rf"(?:[{''.join(VULGAR)}]|[1-9]/(?:2|3|4|8|16))"
MIXED = rf"(?:(?:\d{{1,3}}[ -]?)?{PART}|\d{{1,4}}(?:\.\d{{1,2}})?)"
# What is kept cold: its degrees may lack their sign.
COLD = re.compile(r"(?i)\b(?:fridges?|freezers?|refrigerat\w+|thaw\w*|chilled|cold store|cool(?:er)? box)\b")
DEGREES = {"C": "Celsius", "F": "Fahrenheit"}
# Behind "2 x 3": what is counted a number of times.
COUNTED = (
    r"(?:days?|weeks?|months?|years?|hours?|hrs?|minutes?|mins?|seconds?|secs?|nights?|reps?|repetitions|sets?"
    r"|sessions?|shifts?|tablets?|capsules?|pills?|puffs?|rounds?|laps?|innings)\b"
)
# What only a day is said to be.
OF_A_DAY = re.compile(
    r"(?i) (?:is|was|will be|would be|seems|looks|sounds|works|falls|fell|lands)\b(?:(?! of\b)[^.!?\n]){0,40}?"
    r"\b(?:days?|dates?|deadline|birthday|anniversary|holiday|appointment|meeting|party|wedding|christmas"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b"
)


def _signed(written: str) -> str:
    return ("minus " if written[0] in "-−" else "") + spoken(written.lstrip("-−"))


def _reference(word: str) -> str:
    """ "Ref.:", "our ref."."""
    whose, _, noun = word.rstrip(" .:").rpartition(" ")
    return f"{whose} reference".lstrip() if noun.islower() or whose else "Reference"


def mixed_number(written: str) -> str:
    """ "1½", "1 1/2", "¾", "2"."""
    found = re.search(rf"{PART}\Z", written)
    if found is None:
        return spoken(written)
    top, bottom = VULGAR.get(found[0]) or tuple(int(n) for n in found[0].split("/"))
    return mixed(written[: found.start()].strip(" -"), top, bottom)


def _mixed_span(match: re.Match[str]) -> str | None:
    """ "1-1½ hours", "2-2 1/2 tsp"; two fractions without a whole number may be dates: "3/4-5/6"."""
    first, last, sign = match["a"], match["b"], match["unit"]
    if not sign and re.fullmatch(r"\d/\d{1,2}", first) and re.fullmatch(r"\d/\d{1,2}", last):
        return None
    if first.isdecimal() and re.fullmatch(PART, last) and " " not in match[0][: match.end("b") - match.start()]:
        last, said = "2", mixed_number(f"{first} {last}")  # "2-1/2": a span would go down
    else:
        said = f"{mixed_number(first)} to {mixed_number(last)}"
    small = re.fullmatch(PART, last) is not None or last == "1"
    return f"{said} {named(sign, not small)}" if sign else said


def _dated(match: re.Match[str]) -> str | None:
    """ "12/25 is a good day for the party"."""
    first, second = int(match["a"]), int(match["b"])
    month, day = (second, first) if (day_first(match.string) and second < 13) or first > 12 else (first, second)
    if not OF_A_DAY.match(match.string[match.end() : match.end() + 72]) or not 1 <= month <= 12:
        return None
    said = f"{MONTHS[month - 1]} {ordinal(day)}"
    return f"the {ordinal(day)} of {MONTHS[month - 1]}" if BRITISH.get() else said


NOTES = {
    "sx": "symptoms", "hx": "history", "dx": "diagnosis", "tx": "treatment", "fx": "fracture", "wt": "weight",
    "ht": "height", "Wt": "Weight", "Ht": "Height",
}  # fmt: skip
TECHNICAL_RULES = (
    rule(r"(?:(?<=\d m)|(?<=\d ft)|(?<=\d km)|(?<=\d mi)|(?<=\d kg)|(?<=\d lb)|(?<=\d lbs)|(?<=\d cm)|(?<=\d in)"
         r"|(?<=\d g)|(?<=\d oz)|(?<=\d ml)|(?<=°C)|(?<=°F)) / "
         r"(?=\d[\d,.]{0,7} ?(?:m|ft|km|mi|kg|lbs?|cm|in|g|oz|ml|°[CF])\b)", ", "),
    rule(r"(?<![\w.,:])(?P<h>\d{1,2})h(?P<m>[0-5]\d)(?![\w:]|[.,]\d)",
         lambda m: f"{spoken(m['h'])} hour{'' if m['h'] == '1' else 's'} {spoken(m['m'].lstrip('0') or '0')}"
         + (f" minute{'' if m['m'] == '01' else 's'}" if m["m"][0] == "0" else "")),
    rule(r"(?P<word>\b[A-Z][a-z]+: )(?P<n>\d(?:\.5)?)/(?P<best>5)(?=[,.;!](?!\d)|\s*\Z)",
         lambda m: f"{m['word']}{spoken(m['n'])} out of {spoken(m['best'])}"),
    rule(r"(?<![\w.,])(?P<n>\d{1,2}(?:\.\d{1,2}){1,2})(?P<marks>(?:\([a-z\d]{1,2}\)){1,3})(?!\w)",
         lambda m: " point ".join(spoken(part) for part in m["n"].split(".")) + "".join(
             f" {spoken(mark) if mark.isdecimal() else mark}" for mark in re.findall(r"\w+", m["marks"]))),
    rule(r"(?<![\w.])Yr (?=\d{1,2}(?!\w|[.,/]\d))", "Year "),
    rule(r"(?<=[a-z] )ref\. (?=\d)", "reference "),
    rule(r"(?<![\w.])reg\.(?= [A-Z]{2}\d\d ?[A-Z]{3}\b)", "registration"),
    rule(r"(?<=\b[Pp]er )(?P<unit>µ[lLg]|m[lLg]|kg|mL|dL|cm|km)(?![\w²³/])", lambda m: named(m["unit"], False)
         if m["unit"] in NAMES else None),
    rule(r"(?<![\w.,-])(?P<a>[-−]?\d{1,3})°[CF]? ?[-–] ?(?P<b>[-−]?\d{1,3}) ?°(?P<unit>[CF])(?![\w/])",
         lambda m: f"{_signed(m['a'])} to {_signed(m['b'])} degrees {DEGREES[m['unit']]}"),
    rule(r"(?<![\w.,-])(?P<a>\d{2,3}) ?°?(?P<unit>[CF])/[Gg]as (?:mark )?(?P<b>\d)(?![\w/]|[.,]\d)",
         lambda m: f"{spoken(m['a'])} degrees {DEGREES[m['unit']]}, gas mark {spoken(m['b'])}"),
    rule(r"(?P<word>\b(?i:(?:our |your )?ref)[.:]{1,2} ?)(?P<a>[A-Z]{1,4})(?P<n>(?:/\d{1,6}){1,3})(?![\w/])",
         lambda m: f"{_reference(m['word'])} "
         f"{' '.join(m['a'])}, {', '.join(digits(part) for part in m['n'][1:].split('/'))}"),
    # The number of a fault or of an article has groups of digits, and is no span.
    rule(r"(?P<word>\b(?:[Cc]odes?|[Ee]rrors?|[Mm]odel|[Pp]art|[Ss]erial|SKU|[Ff]ault|[Oo]rder|[Tt]icket|[Rr]ef(?:erence)?)"
         r"(?: (?:no\.|number|code))?:? )(?P<a>\d{3,8})-(?P<b>\d{1,6})(?![\w-]|[.,]\d)",
         lambda m: f"{m['word']}{label_digits(m['a']) if len(m['a']) == 3 else digits(m['a'])}, {digits(m['b'])}"),
    rule(r"(?<=\()(?P<a>\d{1,2})-(?P<b>\d{1,2})(?=, \d{1,2}\.\d\d ERA\b)",
         lambda m: f"{spoken(m['a'])} and {spoken(m['b'])}"),
    # A shop, not a score.
    rule(r"(?:(?<=\bthe )|(?<=\ba )|(?<=\bat ))7-11(?= (?:on|at|in|by|near|across|store|parking|around|down|next|for)\b"
         r"|[,.;!?)]|\s*\Z)(?! (?:in|at) (?:the )?(?:season|conference|half))", "seven eleven"),
    rule(r"(?<![\w.,:])(?P<all>\d{1,3}(?::\d{1,3}){2,3})(?= ratios?\b)"
         r"|(?:(?<=\b[Rr]atio )|(?<=\b[Rr]atio of )|(?<=\b[Rr]atio is ))"
         r"(?P<all2>\d{1,3}(?::\d{1,3}){2,3})(?![\w:]|\.\d)",
         lambda m: " to ".join(spoken(part) for part in (m["all"] or m["all2"]).split(":"))),
    rule(rf"(?<![\w.,/:-])(?=[^\s\w]?[\d ./-]{{1,8}}(?:[{''.join(VULGAR)}/]|[-–]))"
         rf"(?P<a>{MIXED}) ?[-–] ?(?P<b>{MIXED})"
         rf"(?<=[{''.join(VULGAR)}/\d])(?![\w/½¼¾]|[.,:]\d|[-–]\w)"
         rf"(?: ?(?P<unit>{one_of(n for n in NAMES if len(n) > 1)})"
         r"(?![\w²³/°'’])(?:\.(?= [a-z(]|[,;:)]))?)?",
         lambda m: _mixed_span(m) if re.search(PART, m["a"]) or re.search(PART, m["b"]) else None),
    rule(rf"(?<![\w.,/])(?P<a>{NUMBER}) ?[x×] ?(?P<b>{NUMBER})(?: ?[x×] ?(?P<c>{NUMBER}))?"
         r"-(?P<unit>inch|foot|feet|mile|met(?:er|re)|yard|centimet(?:er|re)|millimet(?:er|re)|pixel|cm|mm|ft)\b",
         lambda m: " by ".join(spoken(part) for part in m.group("a", "b", "c") if part)
         + f" {named(m['unit'], False) if m['unit'] in NAMES else m['unit']}"),
    rule(rf"(?<![\w.,/])(?P<a>\d{{1,3}}) ?[x×] ?(?P<b>\d{{1,4}})(?= {COUNTED})",
         lambda m: f"{spoken(m['a'])} times {spoken(m['b'])}"),
    rule(r"(?:(?<=\b[Aa]t )|(?<=\bto )|(?<=\bbelow )|(?<=\bunder )|(?<=\babove )|(?<=\bof )|(?<=\baround ))"
         r"(?P<minus>[-−])?(?P<n>\d{1,2})(?P<unit>[CF])(?![\w°/-])",
         lambda m: f"{'minus ' if m['minus'] else ''}{spoken(m['n'])} degree{'' if m['n'] == '1' else 's'} "
         f"{DEGREES[m['unit']]}" if mentions(COLD, m.string) else None),
    rule(r"(?<![\w.,/:-])(?P<a>0?[1-9]|[12]\d|3[01])/(?P<b>0?[1-9]|[12]\d|3[01])(?= [a-z])", _dated),
    rule(r"(?<![\w\\])(?P<drive>[A-Z]):(?P<path>(?:\\[\w.-]{0,60}\w){1,12}\\?)", _windows_path),
    rule(r"(?<![\w.&?-])(?P<name>[A-Za-z][\w-]{1,40})=(?P<n>\d{1,7})(?P<size>ms|[kKmMgGtTs])(?![\w/]|[.,]\d)",
         _setting),
    rule(r"(?<![\w.,-])(?P<n>\d{1,3}(?:\.\d{1,2})?)V(?![\w/-])",
         lambda m: f"{spoken(m['n'])} volt{'' if _before_noun(m) or m['n'] == '1' else 's'}"
         if mentions(BATTERY, m.string) else None),
    rule(r"(?<![\w.,-])(?P<n>\d{1,3}(?:\.\d{1,2})?) ?Ah(?![\w/-])",
         lambda m: f"{spoken(m['n'])} amp hour{'' if _before_noun(m) or m['n'] == '1' else 's'}"),
    rule(r"(?i:(?P<what>ticket|order|case|row|seat|gate|locker|bay|lot|room|item|parcel|invoice|ref)) "
         r"#(?P<letter>[A-Z])(?P<n>\d{1,4})(?!\w|-\w)",
         lambda m: f"{m['what']} number {m['letter']} {label_digits(m['n'])}"),
    rule(r"(?<=\()(?P<a>\d{1,3})/(?P<b>10|20|25|30|40|50|60|80|100)(?=\))",
         lambda m: f"{cardinal(int(m['a']))} out of {cardinal(int(m['b']))}"
         if mentions(GRADED, m.string) and int(m["a"]) <= int(m["b"]) else None),
    rule(r"\b(?P<open>[Bb]etween (?P<a>1[0-2]|[1-9]) and )(?P<b>(?:1[0-2]|[1-9])\.[0-5][05])(?![\w%£$€]|[.,]\d"
         r"| (?:per|million|billion|metres|miles|kg|km|times|points|degrees))",
         lambda m: f"{m['open'].split()[0]} {spoken(m['a'])} and {_clock(m['b'])}"
         if BRITISH.get() and m["b"].endswith(("00", "15", "30", "45")) else None),
)  # fmt: skip
SHORT_RULES = (
    rule(rf"(?<![\w.])(?P<a>{'|'.join(m[:3] for m in MONTHS)}|Sept)\.?[-–](?P<b>{'|'.join(m[:3] for m in MONTHS)}|Sept)"
         r"(?:\.(?=[ ,;)]|\s*\Z))?(?!\w|[.-]\w| \d)",
         lambda m: f"{_month(m['a'])} to {_month(m['b'])}{_full_stop(m) if m[0][-1] == '.' else ''}"),
    rule(r"\b(?P<word>by|COB|EOD) (?P<day>(?<=[BD] )(?:Mon|Sat|Sun)|Tues?|Weds?|Thur?s?|Fri)(?=[?!,;)]|\s*\Z)",
         lambda m: f"{m['word']} {DAYS[m['day'][:3]]}"),
    rule(r"(?<=\w )Ltd(?= \()", "Limited"),
    rule(r"(?<![\w.])Co\.(?= No\. ?\d)", "Company"),
    rule(r"(?:(?<=\blast )|(?<=\bthis )|(?<=\bnext ))yr(?=['’]s\b| [a-z])", "year"),
    rule(r"(?<![\w.@#/'’-])pl[sz](?![\w.'’-])", "please"),
    rule(r"(?<![\w.])(?P<a>[Aa])ttn(?=: )", r"\g<a>ttention"),
    rule(r"\b(?P<word>by|on|until|till|before|from|next|this|last|every|EOD|each) "
         r"(?P<day>Mon|Tues?|Weds?|Thur?s?|Fri|Sat|(?<!by )(?<!from )Sun)"
         r"\.(?=\s*\Z|\s+(?!(?:EOD|COB|AM|PM)\b)[A-Z])", lambda m: f"{m['word']} {DAYS[m['day'][:3]]}{_full_stop(m)}"),
    rule(r"(?:(?<=\byour )|(?<=\bmy )|(?<=\bthe )|(?<=\ba )|(?<=\bhis )|(?<=\bher ))"
         r"dr(?:\.(?=[,;)]|\s)|\.?(?=\s*\Z|[,;!?)]|"
         r" (?:said|says|told|about|if|and|for)\b))", lambda m: f"doctor{_full_stop(m) if m[0].endswith('.') else ''}"),
    rule(r"(?<![\w.])Hon\. (?P<what>Sec|Treas)\.",
         lambda m: f"Honorary { {'Sec': 'Secretary', 'Treas': 'Treasurer'}[m['what']]}{_full_stop(m)}"),
    rule(r"(?<=\d )pp(?=[ ,;)]|\s*\Z)(?! \d)",
         lambda m: "per person"
         if re.search(r"[£$€]\d{1,4}(?:\.\d\d)? \Z", m.string[max(0, m.start() - 10) : m.start()])
         else None),
    rule(r"(?<![\w.])(?P<word>[Ee]xh)(?P<s>s?)\. ?(?=[A-Z\d]{1,2}\b)", lambda m: f"{m['word']}ibit{m['s']} "),
    rule(r"(?:(?<=\dst )|(?<=\dnd )|(?<=\drd )|(?<=\dth ))(?P<word>inst|ult)\.",
         lambda m: {"inst": "instant", "ult": "ultimo"}[m["word"]] + _full_stop(m)),
    rule(r"(?<=\d )pppn(?!\w)", "per person per night"),
    rule(r"(?<=\d )pppw(?!\w)", "per person per week"),
    rule(rf"(?<![\w.])(?P<word>{one_of(NOTES)})(?=(?P<more> \d)?)(?![\w./])",
         lambda m: NOTES[m["word"]]
         if mentions(PATIENT, m.string) and (m["more"] or m["word"].casefold() not in ("wt", "ht")) else None),
    # Old soldiers: "Col. Barker (ret.)".
    rule(r"(?<=\()[Rr]et(?:'?d)?\.(?=\))", "retired"),
    rule(r"(?<![\w.])(?P<word>b\.i\.d|t\.i\.d|q\.i\.d|s\.c|p\.o|i\.m|i\.v)\.(?!\w)",
         lambda m: DOSES[m["word"]] + _full_stop(m) if mentions(DOSE, m.string) else None),
    rule(r"(?<![\w.])btwn\b(?:\.(?= [A-Za-z\d]))?", "between"),
    rule(r"(?<![\w.])Cllr\b(?:\.(?= [A-Z]))?", "Councillor"),
    rule(r"(?<!\w)(?P<w>[Ww])/in(?= [a-z\d])", r"\g<w>ithin"),
    rule(r"(?<=[a-z]{3})/(?P<period>wk|mo|yr|hr)\b(?:\.(?=[,;)]| [a-z]))?", lambda m: f" per {PERIOD[m['period']]}"),
    rule(r"(?:(?<=\bsee )|(?<=\bin )|(?<=\()|(?<=\bas )|(?<=\balso ))Ex\. (?=[A-Z]\b)"
         r"|(?<![\w.])Ex\. (?=[A-Z]\b(?!\. [A-Z]|['’]))", "Exhibit "),
    rule(r"(?:(?<=\bor )|(?<=\bcall )|(?<=\bto )|(?<=\bdial ))x(?P<n>\d{3,5})(?!\w|[.-]\w)",
         lambda m: f"extension {digits(m['n'])}"),
    rule(r"\bc\. (?=A\.?D\b)", "circa "),
    rule(r"(?<=\bin )(?P<a>10[1-9]\d)[-–](?P<b>\d\d)(?![\w-]|[.,]\d)",
         lambda m: f"{year(int(m['a']))} to {cardinal(int(m['b']))}" if m["b"] > m["a"][2:] else None),
    rule(r"(?<![\w.])(?P<day>Mon|Tues?|Wed|Thur?s?|Fri|Sat|Sun)\.(?=:)", lambda m: DAYS[m["day"][:3]]),
    rule(r"(?<![\w.])(?:(?P<p>[Pp])l[sz]\.(?= [a-z])|(?P<P>P)l[sz]\.(?= [A-Z]))",
         lambda m: f"{m['p'] or m['P']}lease"),
    rule(r"(?<![\w.])Pt\.(?= (?:is|was|has|had|denies|denied|reports|reported|presents|presented|states|stated)\b)",
         "Patient"),
)  # fmt: skip


def _before_noun(match: re.Match[str]) -> bool:
    """A measure before its noun is in the singular: "a 12 volt battery"."""
    return re.match(r" [a-z]{3,}| \d[\d.]{0,5} ?Ah [a-z]", match.string[match.end() : match.end() + 16]) is not None
