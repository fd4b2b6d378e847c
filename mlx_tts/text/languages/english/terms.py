"""English short forms of term dates, sales and notes ("27-31 Oct", "6ft x 4ft", "any cond.", "Na+ 138") -> words."""

from __future__ import annotations

import re

from mlx_tts.text.languages.english.dates import DAYS, MONTHS, SHORT_MONTH
from mlx_tts.text.languages.english.numbers import NUMBER, cardinal, ordinal, spoken, year
from mlx_tts.text.languages.english.tells import tells_of
from mlx_tts.text.languages.english.unit_names import named
from mlx_tts.text.languages.english.words import keeps_dot
from mlx_tts.text.normalise.engine import mentions, rule, text_after

SHORT_DAY = r"(?:Mon|Tues?|Weds?|Thur?s?|Fri|Sat|Sun)"
# With one of these in a text another "8.50" is a time as well.
DOTTED_TIMES = re.compile(r"\b\d{1,2}\.[0-5]\d ?[ap]\.?m\b")
SALTS = {"Na": "sodium", "K": "potassium", "Cl": "chloride", "Ca": "calcium", "Mg": "magnesium"}
STUDIED = re.compile(r"\b(?:mg|mmol|AEs?|trial|placebo|cohort|SD|CI|randomi[sz]ed|dose|mortality)\b")
ACROSS = ("ft", "in", "cm", "mm", "m", "yd")


def _days(match: re.Match[str]) -> str | None:
    """ "27-31 Oct", "3-5 September 2025"."""
    first, last = int(match["a"]), int(match["b"])
    if not 0 < first < last < 32:
        return None
    month = next(name for name in MONTHS if name.startswith(match["month"][:3]))
    said = f"the {ordinal(first)} to the {ordinal(last)} of {month}"
    if match["year"]:
        return f"{said}, {year(int(match['year']))}"
    return keeps_dot(said, match) if match[0].endswith(".") else said


def _clock(match: re.Match[str]) -> str | None:
    if not mentions(DOTTED_TIMES, match.string):
        return None
    minute = int(match["m"])
    minutes = "o'clock" if not minute else f"{'oh ' if minute < 10 else ''}{cardinal(minute)}"
    return f"{cardinal(int(match['h']))} {minutes}"


def _across(match: re.Match[str]) -> str:
    """ "6ft x 4ft": each side has its unit."""
    sides = re.findall(rf"({NUMBER}) ?(?:{'|'.join(ACROSS)})", match[0])
    alone = re.match(
        r" (?!(?:and|or|by|in|at|with|for|each|wide|long|high|deep|tall"
        r"|x)\b)[a-z]{3}",
        text_after(match, 8),
    )
    return " by ".join(f"{spoken(side)} {named(match['unit'], side != '1' and not alone)}" for side in sides)


OF_PEOPLE = r"(?:pts?\b\.?|patients|participants|subjects|women|men|children|adults|cases|respondents|volunteers)"


def _four(written: str) -> str:
    """ "0730"."""
    hour, minute = int(written[:2]), int(written[-2:])
    said = f"{'zero ' if hour < 10 else ''}{cardinal(hour)}"
    return f"{said} {'hundred' if not minute else ('oh ' if minute < 10 else '') + cardinal(minute)}"


def _train(match: re.Match[str]) -> str:
    """ "Dep. London Euston 0730"."""
    word = {"d": "departs", "a": "arrives"}[match["word"][0].lower()]
    word = word.capitalize() if match["word"][0].isupper() else word
    return f"{word} {match['place'].replace('Cent.', 'Central')}{_four(match['time'])}"


TINS = r"(?:loaf|cake|round|square|tin|dish|pan|jar|bag|pack|tub|pot|bowl)"
STREETS = {"Ave": "Avenue", "St": "Street", "Rd": "Road", "Blvd": "Boulevard", "Ln": "Lane"}
HOTEL = re.compile(r"(?i)\b(?:hotels?|resort|B&B|guest ?house|inn|hostel|all-inclusive)\b")

TERM_RULES = (
    rule(r"(?:(?<=\()|(?<= ))(?P<n>[1-5])\*(?=[,);]| [a-z])",
         lambda m: f"{spoken(m['n'])} star" if mentions(HOTEL, m.string) else None),
    rule(r"(?<=\d )pp/pn(?!\w)|(?<=\d )pp pn(?!\w)", "per person per night"),
    rule(rf"(?<![\w/])(?P<a>{SHORT_MONTH})\.?/(?P<b>{SHORT_MONTH})\b(?:\.(?= [a-z]|[,;)]))?(?!/)",
         lambda m: " and ".join(next(name for name in MONTHS if name.startswith(m[key][:3])) for key in "ab")),
    rule(r"(?<![\w.])c\. ?(?=\d{1,2}(?:[:.]\d\d)? ?[ap]\.?m\b)", "circa "),
    rule(r"(?<![\w.])nr\.(?= (?:the|a|our|my)\b| [A-Z][a-z])", "near"),
    rule(r"(?<![\w.])Pl[sz](?= (?:[a-z]|[A-Z]{2,5}\b))", "Please"),
    rule(rf"(?<=[A-Za-z] )(?P<street>{'|'.join(STREETS)})\. (?=[£$€]\d)", lambda m: f"{STREETS[m['street']]}. "),
    # "a 900g (2lb) loaf tin": both are of one tin.
    rule(rf"(?<![\w.,])(?P<n>{NUMBER}) ?(?P<unit>g|kg|ml|l|cm)(?= \(\d[\d.]{{0,4}} ?(?:lb|oz|in|pt|qt)\) {TINS})",
         lambda m: f"{spoken(m['n'])} {named(m['unit'], False)}"),
    rule(rf"(?<=\()(?P<n>{NUMBER}) ?(?P<unit>lb|oz|in|pt|qt)(?=\) {TINS})",
         lambda m: f"{spoken(m['n'])} {named(m['unit'], False)}"),
    rule(r"(?<![\w.])(?P<word>[Dd]ep|[Aa]rr)\.? (?P<place>(?:[A-Z][\w'’-]{1,20}\.? ){1,3})"
         r"(?P<time>(?:[01]\d|2[0-3]):?[0-5]\d)(?!\d|[.,:]\d)", _train),
    rule(r"(?<![\w.])(?P<g>[Gg])rade II\*", r"\g<g>rade two star"),
    rule(r"(?<!\w)FY ?(?P<a>\d\d)/(?P<b>\d\d)(?![\w/])", lambda m: f"F Y {spoken(m['a'])} {spoken(m['b'])}"),
    rule(r"(?<![\w.])rtn\b\.?(?=[ ,;)])", "return"),
    rule(r"(?<![\w.])(?P<a>[Aa])dv\.?(?= (?:singles?|returns?|tickets?|fares?|booking)\b)", r"\g<a>dvance"),
    rule(r"(?<=\bby )res\.", lambda m: keeps_dot("reservation", m)),
    rule(r"(?<![\w/])(?P<side>[LR])/H(?![\w/])", lambda m: "left-hand" if m["side"] == "L" else "right-hand"),
    rule(r"(?<![\w.,])(?P<n>\d{1,3}(?:\.\d{1,2})?)A(?= (?:max|fuse|plug|supply|socket|rating|breaker)\b)",
         lambda m: f"{spoken(m['n'])} amp{'' if m['n'] == '1' or not text_after(m, 4).startswith(' max') else 's'}"),
    rule(rf"(?<![\w.,/])(?P<a>\d{{1,4}})/(?P<b>\d{{2,5}})(?= {OF_PEOPLE})",
         lambda m: f"{spoken(m['a'])} of {spoken(m['b'])}" if int(m["a"]) <= int(m["b"]) else None),
    rule(r"(?<=\d )pts\.?(?= (?:withdrew|died|were|had|received|completed|dropped|on|with|in the)\b)",
         lambda m: "patients" if mentions(STUDIED, m.string) else None),
    rule(rf"(?<![\w.,/-])(?P<a>[1-9]|[12]\d|3[01]) ?[-–] ?(?P<b>[1-9]|[12]\d|3[01]) "
         rf"(?P<month>{'|'.join(MONTHS)}|(?:{SHORT_MONTH})\b\.?)(?: (?P<year>(?:19|20)\d\d))?(?!\w)", _days),
    rule(rf"(?<![\w.])(?P<a>{SHORT_DAY})\.? ?[-–] ?(?P<b>{SHORT_DAY})\b\.?",
         lambda m: f"{DAYS[m['a'][:3]]} to "
         + (keeps_dot(DAYS[m["b"][:3]], m) if m[0].endswith(".") else DAYS[m["b"][:3]])),
    rule(r"(?:(?<=[a-z] )|(?<=[a-z], ))(?<!\b[Rr]m )(?<!oom )(?<!ersion )(?<!ection )(?<!ule )(?<!\bof )(?<!\bis )"
         r"(?P<h>1[0-2]|[1-9])\.(?P<m>[0-5]\d)(?=[,;)](?!\d)|\.?\s*\Z|\. [A-Z])", _clock),
    rule(r"(?<![\w.])Yrs?(?= \d{1,2}(?:[-–]\d{1,2}| (?:and|to|&) \d{1,2})?(?!\w))",
         lambda m: "Years" if m[0] == "Yrs" or re.match(r" \d{1,2} ?[-–&]", text_after(m, 6)) else "Year"),
    rule(r"(?<![\w.])(?P<r>[Rr])m(?= \d{1,4}(?!\w))", r"\g<r>oom"),
    rule(r"(?:(?<=\bsee )|(?<=, )|(?<=\bon )|(?<=\()|(?<=\bfrom ))(?P<pages>pp?)(?P<n>\d{1,3})(?=[),;]|\.?\s*\Z|\. )",
         lambda m: f"page{'s' if m['pages'] == 'pp' else ''} {spoken(m['n'])}"),
    rule(r"(?<=[a-z] )pl[sz](?=\.(?:\s|\Z))", "please"),
    rule(rf"(?<![\w.,])(?:{NUMBER}) ?(?P<unit>{'|'.join(ACROSS)})(?: ?[x×] ?(?:{NUMBER}) ?(?P=unit)){{1,2}}(?![\w²³])",
         _across),
    rule(r"(?:(?<=\b[Aa]ny )|(?<=\b[Gg]ood )|(?<=\bexc )|(?<=xcellent )|(?<=\b[Gg]reat )|(?<=\b[Mm]int )"
         r"|(?<=\b[Ff]air )|(?<=\bused )|(?<=\bnew )|(?<=\bworking )|(?<=\b[Vv]gc )|(?<=\bperfect ))cond\b\.?",
         lambda m: keeps_dot("condition", m) if m[0].endswith(".") else "condition"),
    rule(r"(?:(?<=, )|(?<=\bor )|(?<=\band )|(?<=[Cc]all ))eves(?= (?:and|&|or|only|after|pref)|[,.;]|\s*\Z)",
         "evenings"),
    rule(r"(?<![\w.])(?P<salt>Na|K|Cl|Ca|Mg)2?[+⁺-](?=:? ?\d{1,3}(?:\.\d{1,2})?(?![\w%]))",
         lambda m: SALTS[m["salt"]]),
    rule(r"(?<![\w.])(?P<l>[Ll])ap\.(?= (?:chole|appendi|hernia|cholecyst|sigmoid|hyster))", r"\g<l>aparoscopic"),
    rule(r"(?<=\b[Ll]ap\. )chole\.|(?<=\b[Ll]ap )chole\.", lambda m: keeps_dot("cholecystectomy", m)),
)  # fmt: skip
TELLS = tells_of(
    r"\d\*|pp[/ ]pn|[a-z]\.?/[A-Z]|\bc\. ?\d|\bnr\.|\bPl[sz]\b|\. [£$€]|\d(?:g|kg|ml|l|cm) \(|"
    r"\b(?:[Dd]ep|[Aa]rr)\.? [A-Z]|II\*|\bFY ?\d|\brtn\b|\b[Aa]dv\b|\bres\.|[LR]/H|\dA |\d/\d|\d pts|"
    rf"\d ?[-–] ?\d{{1,2}} [A-Z]|{SHORT_DAY}\.? ?[-–]|\d\.\d\d|\bYrs?\b|\b[Rr]m \d|\bpp?\d|\bpl[sz]\."
    r"|\d ?[a-z]{1,2} ?[x×]|\bcond\b|\beves\b|\b(?:Na|K|Cl|Ca|Mg)2?[+⁺-]|[Ll]ap\.? "
)
