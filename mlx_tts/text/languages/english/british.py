"""Short forms of Britain: glued to their number ("p.27", "c.1295"), rents, pairs of measures, addresses, charts."""

from __future__ import annotations

import re

from mlx_tts.text.languages.english.clinic import NOTES
from mlx_tts.text.languages.english.dates import DAYS, MONTHS, SHORT_MONTH
from mlx_tts.text.languages.english.money import amount
from mlx_tts.text.languages.english.numbers import (
    NUMBER,
    NUMERAL,
    cardinal,
    is_one,
    label_digits,
    ordinal,
    spoken,
    year,
)
from mlx_tts.text.languages.english.tells import tells_of
from mlx_tts.text.languages.english.unit_names import named
from mlx_tts.text.languages.english.words import NUMBERED, keeps_dot
from mlx_tts.text.normalise.engine import mentions, one_of, rule, text_after, text_before
from mlx_tts.text.roman import value

# Stands for the full stop of "p.27" while a text is read: behind a full stop no number begins.
STOP = "\ue000"
GLUED = {
    **{word: said for word, said in NUMBERED.items() if word not in ("ch", "ed", "tab", "ver", "lvl", "ln")},
    "ch": "chapter", "c": "circa", "ca": "circa", "approx": "approximately", "s": "section", "ss": "sections",
    "reg": "regulation", "regs": "regulations", "Reg": "Regulation", "Sch": "Schedule", "Pt": "Part", "pt": "part",
    "Bk": "Book", "bk": "book", "Art": "Article", "arts": "articles", "Arts": "Articles", "Chs": "Chapters",
    "chs": "chapters", "Ex": "Exercise", "ex": "exercise", "Vols": "Volumes", "Pp": "Pages", "P": "Page",
    "Paras": "Paragraphs", "Q": "question", "cls": "clauses", "n": "note", "nn": "notes", "St": "stanza",
}  # fmt: skip
# No name of a file or of a version has its digits there and goes on with a letter behind a full stop.
BEFORE_GLUED = re.compile(rf"(?<![\w.@/-])(?P<word>{one_of(GLUED)})\.(?=[~<]?[£$€]?\d)(?!\d{{1,9}}\.[A-Za-z])")
COUNTIES = {
    "Glos": "Gloucestershire", "Berks": "Berkshire", "Bucks": "Buckinghamshire", "Beds": "Bedfordshire",
    "Herts": "Hertfordshire", "Hants": "Hampshire", "Lancs": "Lancashire", "Lincs": "Lincolnshire",
    "Leics": "Leicestershire", "Northants": "Northamptonshire", "Notts": "Nottinghamshire", "Oxon": "Oxfordshire",
    "Staffs": "Staffordshire", "Wilts": "Wiltshire", "Worcs": "Worcestershire", "Yorks": "Yorkshire",
    "Cambs": "Cambridgeshire", "Middx": "Middlesex", "Warks": "Warwickshire", "Derbys": "Derbyshire",
    "Northumb": "Northumberland", "Salop": "Shropshire", "Ches": "Cheshire",
}  # fmt: skip
# "Bucks" are a team, "Beds" stand in a room, "Notts" is said: without a full stop only before a postcode or in a row.
POSTCODE = r"[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}\b"
RENTS = {
    "pcm": "per calendar month", "pm": "per month", "pw": "per week", "pa": "per annum", "ph": "per hour",
    "pppn": "per person per night", "pp": "per person", "pn": "per night", "p/m": "per month", "p/w": "per week",
    "p/a": "per annum", "p/h": "per hour", "p/n": "per night", "p/p": "per person", "p/d": "per day",
    "p.c.m.": "per calendar month", "p.w.": "per week", "p.m.": "per month", "p.h.": "per hour", "p.p.": "per person",
}  # fmt: skip
MASS_AND_SIZE = ("g", "kg", "ml", "mL", "l", "L", "cm", "mm", "m", "km", "oz", "lb", "lbs", "in", "ft", "pt", "fl oz",
                 "mi", "pint", "yd", "cl", "litre", "miles")  # fmt: skip
SIZES = ("cm", "mm", "in")
FRACTIONS = {"½": "half a", "¼": "a quarter of a", "¾": "three quarters of a", "⅓": "a third of a",
             "⅔": "two thirds of a"}  # fmt: skip
WITH_FRACTION = {"½": "and a half", "¼": "and a quarter", "¾": "and three quarters", "⅓": "and a third",
                 "⅔": "and two thirds"}  # fmt: skip
OLD_HOUSES = (
    "pub|church|inn|farmhouse|cottage|manor|house|castle|barn|mill|chapel|abbey|hall|tower|cathedral|coaching|thatched"
    "|stone|monastery|building|bridge|tavern|manuscript|painting|portrait|tapestry|priory|font|village|town|facade"
)
JOURNEY = re.compile(
    r"(?i)\b(?:walk\w*|drives?|drove|cycl\w+|rides?|hik\w+|paths?|roads?|route|away|mph|mpg|MOT|miles?|from|coast"
    r"|marathon)\b"
)
POURED = re.compile(
    r"(?i)\b(?:doses?|syringes?|mg|milk|tsp|cups?|spoons?|feeds?|bottles?|blood|saline|stir|bladder|water"
    r"|urine|inject\w*|infus\w+|solution|gin|syrup|serum)\b"
)
INFORMAL = re.compile(r"\b(?i:thx|thnx|tks|thks|pls|plz|rgds|msg|asap|cheers|btw|fyi|lol|ur)\b|(?<![\w.])u(?![\w.])")
CHARTED = re.compile(
    r"\d ?y/?o\b|\b(?:y/?o|[Yy]ear-old|BP|HR|Hx|hx|h/o|c/o|SpO2|RR|O/E|PMH|CXR|ECG|EKG|[Pp]ts?|[Pp]atient"
    r"|denies)\b"
)
DOTTED_TIME = re.compile(r"\b\d{1,2}\.[0-5]\d ?[ap]\.?m\b|\b\d{1,2} ?[ap]m\b")
SHOWN = re.compile(
    r"(?i)\b(?:matin[eé]es?|eve(?:ning)?s?|perfs?|performances?|doors|box office|curtain|kick-?offs?|tickets?|tkts"
    r"|gigs?"
    r"|shows?|screenings?|services?|evensong|rehearsals?|lectures?|talks?|coffee|lunch|GMT|BST|concert)\b"
)
RACING = re.compile(
    r"\b(?i:odds|favourite|bookies|bookmakers?|evens|each[- ]way|jockey|furlongs?|hurdles?|handicap|racecourse|trainer"
    r"|Ascot|Cheltenham|Aintree|Epsom|Goodwood|Newmarket|Doncaster|Kempton|Grand National|backed at|priced at|SP)\b"
)
RANK = {"f": " favourite", "F": " favourite", "jf": " joint favourite", "fav": " favourite"}


MIXED = re.compile(r"\d[A-Za-z]|[A-Za-z]\d")


def unglued(text: str) -> str:
    """The text with STOP in "p.27", "No.5", "c.£3m": of the same length, so that places stay what they are."""
    return BEFORE_GLUED.sub(rf"\g<word>{STOP}", text) if "." in text else text


def _county(match: re.Match[str]) -> str:
    said = COUNTIES[match["county"]]
    return keeps_dot(said, match) if match[0].endswith(".") else said


def _rent(match: re.Match[str]) -> str | None:
    unit = match["unit"]
    if unit == "pm" and match["gap"] and re.search(r"\b(?:at|by|until|till) \Z", text_before(match, 6)):
        return None
    said = f"{amount(match['sign'], match['n'], match['scale'])} {RENTS[unit]}"
    return keeps_dot(said, match) if unit.endswith(".") else said


def _quantity(number: str, fraction: str | None, unit: str, several: bool) -> str:
    unit = {"litre": "l", "miles": "mi", "pt": "pint"}.get(unit, unit)
    if fraction and not number:
        return f"{FRACTIONS[fraction]} {named(unit, False)}"
    tail = f" {WITH_FRACTION[fraction]}" if fraction else ""
    return f"{spoken(number)}{tail} {named(unit, several and not (is_one(number) and not fraction))}"


def _two_scales(match: re.Match[str]) -> str | None:
    """ "225g/8oz", "20cm/8in": the same by two scales, and before a noun in the singular."""
    if match["u"] == match["v"] or not (match["b"] or match["part"]):
        return None
    noun = re.match(r" (?!(?:of|and|or|in|at|by|to|from|long|wide|high|deep|tall|thick|away|apart|each|is|are"
    r"|was)\b)[a-z]{3}",
                    text_after(match, 10))  # fmt: skip
    several = not (noun and match["u"] in SIZES)
    more = f" {spoken(match['c'])} {named(match['w'], not is_one(match['c']))}" if match["c"] else ""
    times = f"{spoken(match['times'])} " if match["times"] else ""
    first = _quantity(match["a"], None, match["u"], several)
    return f"{times}{first}, {_quantity(match['b'], match['part'], match['v'], several)}{more}"


def _marks(written: str) -> str:
    """ "(b)(iii)": small numerals behind a letter are numbers."""
    said = []
    for mark in re.findall(r"\w+", written):
        roman = re.fullmatch(r"[ivx]{2,4}", mark) and re.fullmatch(NUMERAL, mark.upper())
        said.append(cardinal(value(mark.upper())) if roman else cardinal(int(mark)) if mark.isdecimal() else mark)
    return " ".join(said)


def _circa(match: re.Match[str]) -> str:
    return f"{GLUED[match['word']]} "


def _miles(match: re.Match[str]) -> str | None:
    """ "3 mls": miles of a journey, and what is poured."""
    way = mentions(JOURNEY, match.string) and not text_after(match, 4).startswith(" of ")
    if match["k"] or way:
        return f"{spoken(match['n'])}{' thousand' if match['k'] else ''} mile{'' if match['n'] == '1' else 's'}"
    if not mentions(POURED, match.string):
        return None
    return f"{spoken(match['n'])} milliliter{'' if is_one(match['n']) else 's'}"


def _of_family(match: re.Match[str]) -> str:
    return {"s": "son", "dau": "daughter", "d": "daughter"}[match["word"]] + " of "


def _born(match: re.Match[str]) -> str:
    return {"b": "born", "d": "died", "m": "married", "bap": "baptised", "bur": "buried"}[match["word"]]


def _at_time(match: re.Match[str]) -> str | None:
    """ "Matinee 2.30": where another time has a full stop or half of the day, on a bill of what is shown."""
    if not mentions(DOTTED_TIME, match.string) or not mentions(SHOWN, match.string):
        return None
    minute = int(match["m"])
    minutes = "o'clock" if not minute else f"{'oh ' if minute < 10 else ''}{cardinal(minute)}"
    return f"{cardinal(int(match['h']))} {minutes}"


def _odds(match: re.Match[str]) -> str | None:
    if not mentions(RACING, match.string):
        return None
    first = "a hundred" if match["a"] == "100" else spoken(match["a"])
    return f"{first} to {spoken(match['b'])}{RANK[match['rank']] if match['rank'] else ''}"


def _patient(match: re.Match[str]) -> str:
    return ("P" if match["word"][0] == "P" else "p") + "atient" + ("s" if match["word"].endswith("s") else "")


def _breath(match: re.Match[str]) -> str | None:
    exertion = " on exertion" if match["oe"] else ""
    return f"shortness of breath{exertion}" if mentions(CHARTED, match.string) else None


def _dates(match: re.Match[str]) -> str | None:
    """ "24/11-28/11": no month is the twenty fourth, wherever it is read."""
    days, months = (int(match["a"]), int(match["c"])), (int(match["b"]), int(match["d"]))
    if max(days) < 13 or not 1 <= min(days) <= max(days) <= 31:
        return None
    first, last = (f"the {ordinal(day)} of {MONTHS[month - 1]}" for day, month in zip(days, months, strict=True))
    return f"{first} to {last}"


UNIT = one_of(MASS_AND_SIZE)
OF_THE_NET = re.compile(
    r"\b(?:HTTPS?|API|server|URL|status code|status|nginx|endpoint|gateway|request|browser|website|page"
    r"|error|proxy|client|login|site|app)\b"
)
BRITISH_RULES = (
    rule(rf"(?<![\w.])(?P<word>{one_of(GLUED)}){STOP}", _circa),
    # Counties in an address.
    rule(rf"(?:(?<=, )|(?<=\n))(?P<county>{one_of(COUNTIES)})\b\.?(?=,? {POSTCODE})", _county),
    rule(rf"(?:(?<=[a-z], )|(?<=[a-z]\n))(?P<county>{one_of(COUNTIES)})\.(?=[,;)]|\s*\Z|\s)", _county),
    rule(r"(?<![\w.])(?P<m>[Mm])ob\b[.:]*(?= ?(?:no\.? ?)?:? ?(?:07|\+44))", r"\g<m>obile"),
    rule(rf"(?<![\w.,])(?P<sign>[£€$])(?P<n>{NUMBER})(?P<scale>k|K|m|bn)?(?P<gap> ?)"
         rf"(?P<unit>{one_of(RENTS)})(?![\w/])", _rent),
    rule(r"(?:(?<=%)|(?<=per cent)|(?<=percent)) p/?a(?![\w/])", " per annum"),
    rule(rf"(?<![\w.,/])(?:(?P<times>\d{{1,2}}) ?[x×] ?)?(?P<a>{NUMBER}) ?(?P<u>{UNIT})/"
         rf"(?P<b>(?:{NUMBER})?)(?P<part>[½¼¾⅓⅔]?) ?(?P<v>{UNIT})(?: (?P<c>\d{{1,2}}) ?(?P<w>oz|in))?(?![\w/])",
         _two_scales),
    rule(rf"(?<![\w.,/])(?<!No\. )(?<!no\. )(?P<times>\d{{1,2}}) ?[x×] ?(?P<a>{NUMBER}) ?-?(?P<u>cm|mm"
         rf"|in)(?= (?:[a-z-]+ )?"
         r"(?:tins?|pans?|rounds?|discs?|squares?|nails?|screws?|bolts?|pots?|planks?|bars?|moulds?|circles?"
         r"|pizzas?)\b)",
         lambda m: f"{spoken(m['times'])} {spoken(m['a'])} {named(m['u'], False)}"),
    rule(r"(?<![\w.])SR(?= (?:flour|wholemeal|white|brown)\b)", "self-raising"),
    rule(rf"(?:(?<=\b[Tt]he )|(?<=\b[Aa] )|(?<=\b[Aa]n )|(?<=\b[Oo]ur )|(?<=\b[Tt]his )|(?<=, ))"
         rf"(?:(?P<n>1\d|20|[5-9])C|C\.?(?P<k>1\d|20))(?= (?:{OLD_HOUSES})\b)",
         lambda m: f"{ordinal(int(m['n'] or m['k']))} century"),
    rule(rf"(?<![\w.,])(?P<n>{NUMBER})(?P<k>[kK]?) ?mls(?![\w/])", _miles),
    rule(r"(?<=\d[kK] )mls?(?![\w/])", "miles"),
    rule(r"(?<=[a-z] )b4(?= (?:\d{1,2}(?:[:.]\d\d)? ?[ap]\.?m\b|the\b|we\b|i\b|I\b|you\b|u\b|he\b|she\b|they\b|it\b"
         r"|my\b"
         r"|your\b|lunch\b|dinner\b|work\b|midnight\b|noon\b|bed\b|xmas\b|Xmas\b|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)))",
         "before"),
    rule(r"(?:(?<=\bfor )|(?<=\bof )|(?<=\bto )|(?<=\bwith )|(?<=\bre )|(?<=\bget )|(?<=\bon )|(?<=\bin )|(?<=\bsee )"
         r"|(?<=\band )|(?<=\bis )|(?<=\bgot )|(?<=\bat ))yr(?= [a-z]{3,})",
         lambda m: "your" if mentions(INFORMAL, m.string) else None),
    rule(r"(?<![\w.@/-])(?P<r>[Rr])gds(?![\w@/-])", r"\g<r>egards"),
    rule(r"(?<![\w.@/-])(?P<t>[Tt])(?:h?nx|h?ks)(?![\w@/-])", r"\g<t>hanks"),
    # Charts of doctors.
    rule(r"(?:\A|(?<=[.!?] )|(?<=\n)|(?<=\b[Tt]his )|(?<=\b[Tt]he ))(?P<word>[Pp]t)(?= (?:is|was|has|had|presents"
         r"|presented"
         r"|c/o|reports?|reported|denies|denied|states|stated|seen|feels|felt|admitted|complains|complained|remains"
         r"|unable|declined|tolerated|advised|discharged|did|does|will|r/v|with h/o|today|stable)\b)",
         lambda m: _patient(m) if m["word"] == "Pt" or mentions(CHARTED, m.string) else None),
    rule(r"(?:(?<=c/o )|(?<=\band )|(?<=with )|(?<=w/ )|(?<=denies )|(?<=, )|(?<=\bno )|(?<=reports )|(?<=mild )"
         r"|(?<=sening )|(?<=asing )|(?<=ional )|(?<=udden )|(?<=\bfor )|(?<=\bof )|(?<=\bor )|(?<=acute )|(?<=& )"
         r"|(?<=evere ))SOB(?P<oe>OE)?(?!\w)",
         _breath),
    rule(r"(?<=[A-Z]{2} )x ?(?P<n>\d{1,3})(?: ?(?P<unit>days?|weeks?|months?|wks?|mos?|hrs?|hours?|nights?|years?"
         r"|yrs?|d)\b)",
         lambda m: f"for {spoken(m['n'])} "
         + {"w": "week", "m": "month", "h": "hour", "y": "year", "d": "day", "n": "night"}[m["unit"][0]]
         + ("" if m["n"] == "1" else "s")
         if mentions(CHARTED, m.string) or mentions(NOTES, m.string) else None),
    # Of courts: "r. 44.2(6)(a)".
    rule(r"(?:(?<=\bCPR )|(?<=\bFPR )|(?<=\bCrimPR )|(?<=\bRules ))(?P<rules>rr?)\.? ?(?=\d)"
         r"|(?<![\w.])(?P<alone>rr?)\. ?(?=\d{1,3}(?:\.\d{1,3})?\()",
         lambda m: "rules " if "rr" in (m["rules"], m["alone"]) else "rule "),
    rule(r"(?<![\w.,])(?P<n>\d{1,3}\.\d{1,3})(?P<marks>(?:\([A-Za-z\d]{1,3}\)){1,5})(?!\w)",
         lambda m: f"{spoken(m['n'])}{',' if m['marks'][1].isdigit() else ''} "
         + _marks(m["marks"])
         if not MIXED.search(m["marks"]) else None),
    rule(r"(?<![\w.])Rt\.? Hon\.?(?= |,)", "Right Honorable"),
    # Families of old: "(b. 17/18 June 1239)", "s. of Henry III, d. at Burgh".
    rule(rf"(?:(?<=\()|(?<=[,;] ))(?P<word>b|d|m|bap|bur)\.(?= (?:(?:at|in|near|on|c\.?"
         rf"|ca\.) )?(?:\d{{1,2}}(?:[/–-]\d{{1,2}})? "
         rf"(?:{'|'.join(MONTHS)}|(?:{SHORT_MONTH})\b)|\d{{3,4}}\b|\d{{1,2}}/\d{{1,2}}/\d{{2,4}}\b))", _born),
    rule(r"(?<=[,;] )(?P<word>b|d|m|bap|bur)\.(?= (?:at|in|near) [A-Z])", _born),
    rule(r"(?:(?<=, )|(?<=\d(?:st|nd|rd|th) )|(?<=eldest )|(?<=ounger )|(?<=econd ))(?P<word>s|dau)\. of (?=[A-Z])",
         _of_family),
    rule(r"(?:(?<=[,;] )|(?<=\())r\.(?= (?:c\. ?)?\d{3,4} ?[-–])", "reigned"),
    # Bills of what is shown.
    rule(r"(?<=[ap]m) ?[–-] ?(?=\d{1,2}[.:]\d\d ?[ap]m)", " to "),
    rule(r"(?:(?<=[a-z)] )|(?<=[a-z][.:,] ))(?P<h>1[0-2]|[1-9])\.(?P<m>[0-5]\d)(?=[,;)](?!\d)| [(&]|\.?\s*\Z|\. [A-Z]"
         r"| (?:and|at|in|for|start|till|until)\b)", _at_time),
    rule(r"(?<=\b[Tt]he )(?P<h>1\d|2[0-3]|[1-9])\.(?P<m>[0-5]\d)(?= (?:from|to|at) [A-Z])",
         lambda m: f"{cardinal(int(m['h']))} {'oh ' if m['m'][0] == '0' else ''}{cardinal(int(m['m']))}"
         if m["m"] != "00" else None),
    rule(r"(?<![\w.])(?P<t>[Tt])kts?\b\.?(?=[ :,])", lambda m: f"{m['t']}icket{'s' if 's' in m[0] else ''}"),
    rule(rf"(?<![\w.,])(?P<sign>[£$€])(?P<a>{NUMBER})/(?P<s2>[£$€])?(?P<b>{NUMBER})(?P<c>(?:/[£$€]?\d{{1,4}})?)"
         r"(?=[,;)]| (?:concs?|concessions?|[cC]hild\w*|U\d|under|adults?|members|students?|\()\b|\.?\s*\Z|\. )",
         lambda m: ", ".join(amount(m["sign"], n, None) for n in (m["a"], m["b"], m["c"].lstrip("/£$€")) if n)
         if m["s2"] or "on" in text_after(m, 5) else None),
    rule(r"(?:(?<=[£\d] )|(?<=, )|(?<=\()|(?<=& )|(?<=/)|(?<=and ))conc(?P<s>s?)\b\.?(?=[ ,;:)/]|\s*\Z)",
         lambda m: (keeps_dot(f"concession{m['s']}", m) if m[0].endswith(".") else f"concession{m['s']}")
         if "£" in m.string else None),
    rule(r"(?:(?<=\b[Oo]n )|(?<=\b[Cc]losed )|(?<=\b[Ee]xc\. )|(?<=\b[Ee]xc )|(?<=xcept )|(?<=xcl\. )|(?<=& )"
         r"|(?<=\bnot )"
         r"|(?<=\b[Oo]pen ))(?P<day>Mon|Tue|Wed|Thur|Fri|Sat|Sun)s(?=[,;)]| (?:and|&|from|only|at|in|to|\d)|\.?\s*\Z"
         r"|\. )",
         lambda m: f"{DAYS[m['day'][:3]]}s"
         if m[0] not in ("Tues", "Weds", "Thurs") or text_before(m, 5) == "exc. " else None),
    rule(r"(?:\A|(?<=[.;,] )|(?<=\n))(?P<day>Mon|Tues?|Weds?|Thu(?:rs)?|Fri|Sat|Sun) (?P<n>3[01]|[12]?\d)(?=: ?[A-Z])",
         lambda m: f"{DAYS[m['day'][:3]]} the {ordinal(int(m['n']))}"),
    rule(r"(?<![\w.])KO(?=:? (?:at )?\d{1,2}(?:[.:]\d\d| ?[ap]m))", "kick-off"),
    rule(r"(?<=['’]til )(?P<month>0?[1-9]|1[0-2])/(?P<year>2\d|3\d)(?![\w/-]|[.,]\d)",
         lambda m: f"{MONTHS[int(m['month']) - 1]} {year(2000 + int(m['year']))}"),
    rule(r"(?<![\w.,/:-])(?P<a>\d{1,2})/(?P<b>0?[1-9]|1[0-2]) ?[-–] ?(?P<c>\d{1,2})/(?P<d>0?[1-9]|1[0-2])(?![\w/-]"
         r"|[.,]\d)",
         _dates),
    rule(r"(?<![\w.,/:£$€-])(?P<a>\d{1,3})/(?P<b>[1-9]\d?)(?P<rank>jf|fav|[fF])?(?![\w/]|[.,]\d| of\b)", _odds),
    rule(r"(?<![\w.])plat\.? (?=\d{1,2}[a-zA-Z]?(?!\w))", "platform "),
    # What is shown, and said by pairs.
    rule(r"(?<=\b[RG]TX )(?P<n>\d{3,4})(?=(?:Ti|s|S)?(?!\w))|(?<=GeForce )(?P<m>\d{3,4})(?!\w)"
         r"|(?<=Radeon RX )(?P<k>\d{4})"
         r"(?!\w)", lambda m: label_digits(m["n"] or m["m"] or m["k"])),
    rule(r"(?:(?<=\bHTTP )|(?<=\bHTTPS )|(?<=\bstatus )|(?<=\b[Aa] )|(?<=\ban )|(?<=\bthe )|(?<=\breturns )"
         r"|(?<=\breturned )"
         r"|(?<=\bgot )|(?<=\bsays ))(?P<n>[45]0[1-9]|429|422|418)"
         r"(?= (?:errors?|status|response|page|from|when|for|not found|on|again|because|if)\b|[,;)?!]|\.?\s*\Z|\. "
         r"|['’]s)",
         lambda m: label_digits(m["n"]) if mentions(OF_THE_NET, m.string) else None),
)  # fmt: skip
TELLS = tells_of(
    rf"{STOP}|\b(?:{one_of(COUNTIES)})\b|\b[Mm]ob\b|[£€$]\d[\d,.]{{0,9}}(?:k|K|m|bn)? ?[p/]|p/?a\b|\d ?[a-zL]{{1,3}}/"
    rf"|\d ?[x×] ?\d[\d.]{{0,5}} ?-?(?:cm|mm|in)|[A-Z]{{2}} x ?\d|\bSR "
    rf"|\d ?[kK]? ?mls?\b|\bb4 "
    r"|\bC\.?\d|\dC |\byr [a-z]|gds\b|\b[Tt]h?(?:nx|ks)\b|\b[Pp]t |SOB|\bPR |\.\d+\(|Hon\b|[,;(] ?(?:[bdmr]|bap|bur)\. "
    r"|\b(?:s|dau)\. of|[ap]m ?[–-]|(?<![\d.])\d{1,2}\.[0-5]\d(?![\d.%])|[Tt]kts?|concs?\b|\b(?:Mon|Tue|Wed|Thur|Fri"
    r"|Sat|Sun)(?:s\b|\w{0,2} \d)"
    r"|\bKO\b|['’]til|\d/\d"
    r"|TX |GeForce|Radeon|\b[45]\d\d\b|CPR|FPR|Rules|\brr?\. ?\d|\bplat\b"
)
