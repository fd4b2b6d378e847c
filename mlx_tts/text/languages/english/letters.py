"""Short forms of letters, terms, statutes and journeys ("+44 (0)20", "10+4/40", "5 Jan-27 Mar", "left at 8.30 &")."""

from __future__ import annotations

import re

from mlx_tts.text.languages.english.american import CHAT
from mlx_tts.text.languages.english.british import CHARTED
from mlx_tts.text.languages.english.clinic import HOME, LENGTHS, NOTES
from mlx_tts.text.languages.english.dates import DAYS, MONTHS, SHORT_MONTH
from mlx_tts.text.languages.english.market_and_court import TRADED
from mlx_tts.text.languages.english.money import PERIODS
from mlx_tts.text.languages.english.numbers import (
    NUMBER,
    cardinal,
    day_first,
    digits,
    label_digits,
    ordinal,
    plural,
    spoken,
)
from mlx_tts.text.languages.english.places import OLD_STATES
from mlx_tts.text.languages.english.subjects import GAME
from mlx_tts.text.languages.english.tells import tells_of
from mlx_tts.text.languages.english.terms import HOTEL
from mlx_tts.text.languages.english.unit_names import named
from mlx_tts.text.languages.english.words import keeps_dot
from mlx_tts.text.normalise.engine import mentions, one_of, rule, text_after, text_before

# What people do at an hour, also at one with a full stop in it.
DAILY = re.compile(
    r"\b(?i:left|leave|leaving|set off|arriv\w+|woke|walk\w*|drove|drive|sail\w*|boarded|check(?:ed)?[- ]in"
    r"|pick(?:ed)? up"
    r"|pub|hotel|b&b|breakfast|lunch|dinner|supper|tea|coffee|school|church|match|game|film|dentist|surgery|clinic"
    r"|ferry"
    r"|viaduct|meet\w*|met|opens?|closes?|starts?|began|begins?|finish\w*|kick-?off|doors|gates?|train|bus|coach|flight"
    r"|police|officers|crash|spokes\w+|ambulance|fire|morning|evening|afternoon|tonight|last night|said)\b"
)
MEASURED = re.compile(
    r"(?i)\b(?:pH|GPA|averag\w*|mean|median|ratio|magnitude|density|valued?|priced?|stood|clos(?:ed|ing)|traded|odds"
    r"|score[ds]?"
    r"|fell|rose|index|yield\w*|version|section|clause|rule|paragraph|chapter|figure|table|speed|factor|rated?) "
    r"(?:\w+ ){0,2}\Z"
)
LETTERS = {
    "ltr": "letter", "ltrs": "letters", "encs": "enclosures", "ck": "check", "cks": "checks", "inv": "invoice",
    "acct": "account", "accts": "accounts", "stmt": "statement", "pymt": "payment", "pmt": "payment", "bal": "balance",
    "chq": "cheque", "recd": "received", "exp": "expected", "corresp": "correspondence", "cert": "certificate",
}  # fmt: skip
IN_LETTERS = [word for word in LETTERS if word not in ("exp", "cert", "bal", "inv")]
OFFERS = {"gar": "garage", "smkg": "smoking", "hse": "house", "hdwd": "hardwood", "flrs": "floors",
          "appl": "appliances", "bldg": "building", "elev": "elevator", "kit": "kitchen", "ba": "bath",
          "lndry": "laundry", "pkg": "parking",
          "bsmt": "basement", "ctr": "center", "nbhd": "neighborhood", "sec": "security", "refs": "references",
          "unfurn": "unfurnished", "furn": "furnished", "renov": "renovated", "spac": "spacious"}  # fmt: skip
PLACES = {"Coll": "College", "Lab": "Laboratory", "Labs": "Laboratories", "Inst": "Institute", "Hosp": "Hospital",
          "Sch": "School", "Libr": "Library", "Soc": "Society", "Cres": "Crescent", "Gdns": "Gardens",
          "Bldgs": "Buildings", "Ctr": "Centre"}  # fmt: skip
SOUTHS = {"N": "North", "S": "South", "E": "East", "W": "West"}
KINGS = {"Eliz": "Elizabeth", "Geo": "George", "Hen": "Henry", "Will": "William", "Vict": "Victoria", "Edw": "Edward",
         "Chas": "Charles", "Jac": "James", "Ric": "Richard", "Ann": "Anne"}  # fmt: skip
CLASSES = re.compile(
    r"\b(?:INSET|[Tt]erm dates|half[- ]term|[Ss]chool|Yr \d|Year \d|bank holidays?|closed"
    r"|[Cc]losures?)\b"
)


def _charted(match: re.Match[str]) -> bool:
    return mentions(CHARTED, match.string) or mentions(NOTES, match.string)


def _ended(said: str, match: re.Match[str]) -> str:
    """With the full stop of a short form where it ends the sentence as well."""
    return keeps_dot(said, match) if match[0].endswith(".") else said


def _phone(match: re.Match[str]) -> str:
    """ "+44 (0)20 7594 7770"."""
    first = f"{'plus' if match['plus'] == '+' else 'zero zero'} {digits(match['cc'])}"
    zero = ", zero" if match["zero"] else ""
    return f"{first}{zero}, {', '.join(digits(part) for part in re.split('[ -]', match['rest']))}"


def _letter(match: re.Match[str]) -> str:
    said = LETTERS[match["word"].lower()]
    said = said.capitalize() if match["word"][0].isupper() else said
    return keeps_dot(said, match)


def _offer(match: re.Match[str]) -> str | None:
    if not mentions(HOME, match.string) and not mentions(FLAT, match.string):
        return None
    said = OFFERS[match["word"].lower()]
    return f"{said}." if re.match(r"\s+[A-Z$£€]|\s*\Z", text_after(match, 4)) and match["word"] != "hse" else said


def _kept(match: re.Match[str]) -> str | None:
    """ "left Fort William at 8.30": an hour, where no amount is told."""
    if not day_first(match.string) or not mentions(DAILY, match.string) or mentions(TRADED, match.string):
        return None
    if MEASURED.search(text_before(match, 40)):
        return None
    return f"{cardinal(int(match['h']))} {_minutes(match['m'])}"


def _minutes(written: str) -> str:
    return "o'clock" if written == "00" else f"{'oh ' if written[0] == '0' else ''}{cardinal(int(written))}"


def _weeks(match: re.Match[str]) -> str:
    """Of a pregnancy, of which forty weeks are the whole: "10+4/40"."""
    days = f" plus {spoken(match['d'])}" if match["d"] else ""
    return f"{spoken(match['n'])}{days} weeks"


def _some_days(match: re.Match[str]) -> str | None:
    """ "INSET days: 1/9, 2/9 & 5/1": days and months of a school."""
    pairs = [(int(a), int(b)) for a, b in re.findall(r"(\d{1,2})/(\d{1,2})", match["days"])]
    if not mentions(CLASSES, match.string) or any(not 0 < a < 32 or not 0 < b < 13 for a, b in pairs):
        return None
    if not day_first(match.string) and all(a < 13 for a, _ in pairs):
        return None
    said = [f"the {ordinal(a)} of {MONTHS[b - 1]}" for a, b in pairs]
    return f"{match['what']}{', '.join(said[:-1])} and {said[-1]}"


ANY_MONTH = rf"(?:{'|'.join(MONTHS)}|(?:{SHORT_MONTH})\b\.?)"
FLAT = re.compile(r"\b(?:condo|apt\.?|\dBR|BR|sq\. ?ft|sublet|roommate|rent)\b|/mo\b")
CITIES = {
    "Chi": "Chicago",
    "Phila": "Philadelphia",
    "Minn": "Minneapolis",
    "Balt": "Baltimore",
    "Cinn": "Cincinnati",
    "Clev": "Cleveland",
    "Indpls": "Indianapolis",
    "Mpls": "Minneapolis",
    "Bklyn": "Brooklyn",
    "Pitts": "Pittsburgh",
}
ENDS = {"COP": "close of play", "COB": "close of business"}
SCORERS = re.compile(r"\b[A-Z][a-z]+ \d \([A-Z]|\bAtt: |\(HT ")
STIRRED = re.compile(r"\b(?:stirr\w*|mmol|mL|reaction|yield|solution|incubat\w*|THF|DMSO)\b")
BIRTHS = re.compile(
    r"(?i)\b(?:pregnan\w*|gestation|weeks|LMP|antenatal|obstetric|midwife|G\dP\d|fetal|foetal|IUGR"
    r"|scan)\b"
)
ROMANS = {"I": 1, "II": 2, "III": 3, "IV": 4, "V": 5, "VI": 6, "VII": 7, "VIII": 8}
TRIES = re.compile(r"\b(?:tr(?:y|ies)|rugby|Six Nations|Premiership|fly-half|scrum|sin-binned|converted|pens?)\b")
LETTER_RULES = (
    rule(r"(?<![\w+])(?P<plus>\+|00)(?P<cc>[1-9]\d{1,2})[ -]?(?P<zero>\(0\))?[ -]?(?P<rest>\d{1,5}(?:[ -]\d{2,8}){1,4})"
         r"(?![\w-])", lambda m: _phone(m) if m["zero"] or m["plus"] == "00" else None),
    rule(rf"(?<![\w.@/-])(?P<word>{one_of((*IN_LETTERS, *map(str.capitalize, IN_LETTERS)))})\.(?= [a-z]|:|[,;)]"
         r"| #|\s*\Z)", _letter),
    rule(r"(?<![\w.@/-])(?P<word>(?i:inv))\.(?= (?:#|[Nn]o|\d|[Dd]ate|dated|for))", _letter),
    rule(r"(?:(?<=\dbn )|(?<=\dm )|(?<=% )|(?<=\dk )|(?<=\d[BM] )|(?<=\d\d )|(?<=vs\. )|(?<=\d[a-z]{2} ))"
         r"exp\.?(?=[,;)]|\.|\s*\Z)(?! \d)", lambda m: "expected."
         if m[0].endswith(".") and re.match(r"\s*\Z|\s+[\"“A-Z]", text_after(m, 4)) else "expected"),
    rule(r"(?:\A|(?<=[:.,(] )|(?<=\n))(?P<r>[Rr])ef\.?(?= (?:your|our|my|the|ltr|letter|inv"
         r"|yours)\b)", r"\g<r>eference"),
    rule(r"(?:(?<=\A)|(?<=, )|(?<=\. )|(?<=and ))[Ee]nc\.?(?= (?:please|pls|is|are|find)\b)",
         lambda m: "Enclosed" if m[0][0] == "E" else "enclosed"),
    rule(rf"(?<=[A-Z][a-z] )(?P<word>{one_of(PLACES)})\.(?=,)|(?<=[a-z]{{2}} )(?P<word2>{one_of(PLACES)})\.(?=,)",
         lambda m: PLACES[m["word"] or m["word2"]]),
    rule(r"(?<![\w.])Dept(?= (?:of|for)\b)", "Department"),
    rule(r"(?:(?<=: )|(?<=\bto )|(?<=\bat )|(?<=\bin )|(?<=\bfrom )|(?<=\bfor )|(?<=& )|(?<=\band )"
         r"|(?<=\bof ))(?P<way>[NSEW])\."
         r"(?= (?:Kensington|London|Wales|Yorkshire|Africa|America|Korea|Carolina|Dakota|Ireland|Devon|Cornwall"
         r"|Sussex|Croydon"
         r"|Hampstead|Ealing|Finchley|Harrow|Wimbledon|Norwood|Kent|Tyneside|Virginia|Hollywood|Oxford|Lothian|Pole"
         r"|Coast)\b)",
         lambda m: SOUTHS[m["way"]]),
    rule(r"(?<=[A-Za-z)] )Ltd(?![\w.])", "Limited"),
    # Terms and days.
    rule(r"(?<=[ap]m (?:GMT|BST|EST|EDT|CST|CDT|PST|PDT|CET)) ?/ ?(?=\d{1,2}(?:[:.]\d\d)? ?[ap]m)"
         r"|(?<=[ap]m (?:UK|ET|CT|MT|PT)) ?/ ?(?=\d{1,2}(?:[:.]\d\d)? ?[ap]m)", ", "),
    rule(r"\b(?P<a>Mon|Tues?|Weds?|Thur?s?|Fri|Sat|Sun) to (?P<b>Mon|Tues?|Weds?|Thur?s?|Fri|Sat|Sun)\b(?P<dot>\.?)",
         lambda m: f"{DAYS[m['a'][:3]]} to {DAYS[m['b'][:3]]}"
         + ("." if m["dot"] and re.match(r"\s*\Z|\s+[A-Z]", text_after(m, 3)) else "")),
    rule(r"(?<=\bby )(?P<what>COP|COB|EOD|EOP) (?P<day>Mon|Tues?|Weds?|Thur?s?|Fri)\b(?P<dot>\.?)",
         lambda m: f"{ENDS.get(m['what'], 'end of day')} {DAYS[m['day'][:3]]}"
         + ("." if m["dot"] and re.match(r"\s*\Z|\s+[A-Z]", text_after(m, 3)) else "")),
    rule(r"(?P<what>\b(?:p/w|pw|[Pp]assword|[Pp]asscode|PIN)(?: is|:)? )(?P<n>\d{3,8})(?![\w-]|[.,]\d)",
         lambda m: re.sub(r"\Ap/?w", "password", m["what"]) + digits(m["n"])),
    rule(r"(?<![\w'’])(?P<a>[Aa])tt['’]d(?!\w)", r"\g<a>ttached"),
    rule(rf"(?P<a>\b\d{{1,2}}(?:st|nd|rd|th)? {ANY_MONTH})(?P<joint> ?[–-] ?)(?=(?:(?:Mon|Tue|Wed|Thu|Fri|Sat"
         rf"|Sun)[a-z]* )?"
         rf"\d{{1,2}}(?:st|nd|rd|th)? {ANY_MONTH})", lambda m: _day(m["a"], m.string, m.start()) + " to "),
    rule(r"(?<![\w/])h/t(?= (?:\d|w/c|holiday|break|hols)|[,;)])", "half-term"),
    rule(r"(?P<what>\b(?:days?|closed|dates?|closures?|holidays?):? (?:on )?)"
         r"(?P<days>\d{1,2}/\d{1,2}(?:(?:, | ?& ?| and |, and )\d{1,2}/\d{1,2}){1,5})(?![\w/]|[.,]\d)", _some_days),
    rule(rf"\b(?P<month>{ANY_MONTH}) (?P<a>\d{{1,2}}) ?[–-] ?(?P<b>\d{{1,2}})(?![\w/-]|[.,:]\d|,? (?:19|20)\d\d)",
         lambda m: ("" if text_before(m, 4).lower() == "the " else "the ")
         + f"{ordinal(int(m['a']))} to the {ordinal(int(m['b']))} of {_month(m['month'])}"
         if day_first(m.string) and 0 < int(m["a"]) < int(m["b"]) < 32 else None),
    rule(r"(?:(?<=\bat )|(?<=\bby )|(?<=\bfrom )|(?<=\buntil )|(?<=\btill )|(?<=\babout )|(?<=\baround )|(?<=\bbefore )"
         r"|(?<=\bafter )|(?<=\bat about )|(?<=\bat around ))(?P<h>1\d|2[0-3]|0?[1-9])\.(?P<m>[0-5][05]|[0-5]\d)"
         r"(?![\w%°]|[.,:]\d| ?(?:[ap]\.?m\b|million|billion|per\b|km|cm|m\b|kg|g\b|miles?|points?|metres|seconds"
         r"|times|x\b"
         r"|%|to 1\b|and \d))", _kept),
    # Charts.
    rule(r"(?<![\w.,/])(?P<n>[4-9]|[1-3]\d|4[0-3])(?:\+(?P<d>[0-6]))?/40(?![\w/]|[.,]\d)",
         lambda m: _weeks(m) if m["d"] or mentions(BIRTHS, m.string) else None),
    rule(r"(?<![\w.,])(?P<n>\d{1,3})(?P<sex>[MF])(?=,? (?:G\d|LMP|with\b|w/|c/o|C/o|h/o|p/w|presents|BP|PMH|\()|, )",
         lambda m: f"{spoken(m['n'])} year old {'male' if m['sex'] == 'M' else 'female'}"
         if _charted(m) and not text_before(m, 2).endswith("°") else None),
    rule(r"(?<![\w/])C/o(?= )", lambda m: "Complaining of" if _charted(m) else None),
    rule(r"(?<![\w.,/])(?P<n>\d{1,2})/(?P<of>7|52|12)(?= (?:PV|PR|of\b|pain|fever|cough|D&V|SOB|bleeding"
         r"|vomiting"
         r"|diarrh|swelling|[a-z]+ing\b)|[,;)])",
         lambda m: f"{spoken(m['n'])} {LENGTHS[m['of']]}{'' if m['n'] == '1' else 's'}" if _charted(m) else None),
    rule(r"(?:(?<=\bscan )|(?<=\breview )|(?<=\bbloods )|(?<=\bTCI )|(?<=\bf/u )|(?<=\brepeat )"
         r"|(?<=\bGP )|(?<=clinic ))(?P<n>\d{1,2})"
         r"/(?P<of>7|52|12)(?![\w/])",
         lambda m: f"in {spoken(m['n'])} {LENGTHS[m['of']]}{'' if m['n'] == '1' else 's'}" if _charted(m) else None),
    rule(r"(?<![\w.])(?P<r>[Rr])pt(?= (?:scan|bloods?|ECG|CXR|BP|U&E|U&Es|FBC|swab|test|in|labs|CT|MRI)\b)",
         lambda m: f"{m['r']}epeat"),
    rule(r"(?<=\d )reg\.(?=[,;)])", lambda m: "regular" if _charted(m) else None),
    rule(r"(?:(?<= )|(?<=\())(?P<sign>[-−–+])ve(?!\w)", lambda m: "positive" if m["sign"] == "+" else "negative"),
    rule(rf"(?<![\w.,])(?P<n>{NUMBER}) ?g(?= (?:bd|BD|od|OD|tds|TDS|qds|QDS|stat|nocte|mane|PR|PO|IV|IM)\b)",
         lambda m: f"{spoken(m['n'])} gram{'' if m['n'] == '1' else 's'}"),
    rule(r"(?<![\w.])(?P<b>[Bb])ilat\.(?= [a-z])", r"\g<b>ilateral"),
    rule(r"(?<=\d )pk[ -]yrs?(?!\w)|(?<=\d )pack[ -]yrs?(?!\w)", "pack years"),
    rule(r"(?<=aily )wts(?!\w)", "weights"),
    rule(r"(?<![\w/])d/w(?= [A-Za-z])", lambda m: "discuss with" if _charted(m) else None),
    rule(rf"(?<![\w.,/])(?P<n>{NUMBER}) ?(?P<u>L|l|ml|mL|mg|g)/24 ?h(?:rs?|ours?)?(?![\w/])",
         lambda m: f"{spoken(m['n'])} {named(m['u'], m['n'] != '1')} in twenty four hours"),
    rule(r"(?:(?<=\bat )|(?<=\bto ))rt(?= (?:for|over|under|in|and|before|until|overnight)\b|[,;)])",
         lambda m: "room temperature" if mentions(STIRRED, m.string) else None),
    # Statutes and reports of cases.
    rule(r"(?:(?<=\b[Uu]nder )|(?<=\b[Pp]er )|(?<=\bof )|(?<=\bby )|(?<=\bin )|(?<=\band )|(?<=\bto )|(?<=\bsee )"
         r"|(?<=\ba )"
         r"|(?<=\bthe )|(?<=\bserved ))s ?(?P<n>\d{1,3}[A-Z]{0,2})(?= (?:[A-Z][a-z]+ (?:and |& )?){1,5}(?:Act|Code"
         r"|Order"
         r"|Regulations)\b| of the\b| (?:notice|order|appeal|application"
         r"|claim)\b)", lambda m: f"section {_section(m['n'])}"),
    rule(r"(?<![\w.])ss ?(?P<a>\d{1,3})(?: ?[-–] ?(?P<b>\d{1,3}))?(?= (?:of|and|or|[A-Z])|[,;)])",
         lambda m: f"sections {spoken(m['a'])}" + (f" to {spoken(m['b'])}" if m["b"] else "")),
    rule(r"(?<!\w)\[(?P<a>\d{1,3})\] ?[-–] ?\[(?P<b>\d{1,3})\](?!\w)",
         lambda m: f"{spoken(m['a'])} to {spoken(m['b'])}"),
    rule(rf"(?<=\d )(?P<king>{one_of(KINGS)})\.? (?P<n>I{{1,3}}|IV|VI{{0,3}}),? c\.? ?(?=\d)",
         lambda m: f"{KINGS[m['king']]} the {ordinal(ROMANS[m['n']])}, chapter "),
    rule(r"\b(?P<name>Mary|Elizabeth|James|Charles|George|Edward|William|Richard|Henry|Anne|Philip|Louis|Francis"
         r"|Alexander"
         r"|Nicholas|Napoleon|Wilhelm|Frederick) I(?= \((?:r\. ?|b\. ?|reigned |born "
         r"|c\. ?)?\d{3,4}\b)", r"\g<name> the first"),
    # Matches.
    rule(r"(?<=[\d(,;] )(?P<n>[1-9]\d?|1[0-2]\d) pen(?=[,;)]|\s)|(?<=[A-Z][a-z]{2} )(?P<k>[1-9]\d?"
         r"|1[0-2]\d) pen(?=[,;)])",
         lambda m: f"{spoken(m['n'] or m['k'])}, penalty"
         if mentions(GAME, m.string) or mentions(SCORERS, m.string) else None),
    rule(r"(?<!pros and )(?P<n>(?<![\w.,])\d{1,2}) (?P<what>pens|cons?|convs?)(?=[,;)&]| (?:&|and|in|as|to|from|for"
         r"|by)\b|\.?\s*\Z)",
         lambda m: f"{spoken(m['n'])} {'penalt' if m['what'][0] == 'p' else 'conversion'}"
         + ({"p": "y", "c": ""} if m["n"] == "1" else {"p": "ies", "c": "s"})[m["what"][0]]
         if mentions(TRIES, m.string) else None),
    rule(r"(?<=\d )(?:on )?pens(?=\))", lambda m: "on penalties" if mentions(GAME, m.string) else None),
    rule(r"(?:(?<=\()|(?<= ))a\.?e\.?t\.?(?=[,;)])",
         lambda m: "after extra time" if mentions(GAME, m.string) else None),
    rule(r"(?<![\w.,:])(?:(?P<h>\d)h ?)?(?P<m>\d{1,2})m ?(?P<s>\d{1,2}\.\d{1,3})s(?!\w)",
         lambda m: (f"{spoken(m['h'])} hour{'' if m['h'] == '1' else 's'} " if m["h"] else "")
         + f"{cardinal(int(m['m']))} minute{'' if m['m'] in ('1', '01') else 's'} {_seconds(m['s'])} seconds"),
    rule(rf"(?<![\w.])dtd\.?(?= (?:\d|(?:{SHORT_MONTH})|the \d|as\b))", "dated"),
    rule(r"(?<![\w.-])(?P<q>[Qq])tr\.?(?=-end\b|-on-|ly\b)|(?:(?<=each )|(?<=last )|(?<=this )|(?<=next )|(?<=per )"
         r"|(?<=the ))"
         r"(?P<alone>q)tr\.?(?=[ ,;)])", lambda m: f"{m['q'] or m['alone']}uarter"),
    rule(rf"(?<![\w.,])(?P<n>{NUMBER}) ?% ?/ ?(?P<per>mo|month|yr|year|wk|day|qtr|quarter|d|annum)\b\.?(?=[ ,;)]"
         rf"|\s*\Z)",
         lambda m: keeps_dot(f"{spoken(m['n'])} percent per {PERIODS.get(m['per'], m['per'])}", m) if m[0].endswith(".")
         else f"{spoken(m['n'])} percent per {PERIODS.get(m['per'], m['per'])}"),
    rule(r"(?<=, )(?P<city>Chi|Phila|Minn|Balt|Cinn|Clev|Indpls|Mpls|Bklyn"
         r"|Pitts)\.(?=, [A-Z]{2} \d{5})", lambda m: CITIES[m["city"]]),
    rule(r"(?<![\w'’])(?P<g>[Gg])ov['’]g(?!\w)", r"\g<g>overning"),
    rule(rf"(?<=: )(?P<state>{one_of(OLD_STATES)})\.(?= \()", lambda m: OLD_STATES[m["state"]]),
    rule(r"(?<![\w.])btw\.?(?= [A-Z]\w*\.? (?:&|and) [A-Z])", "between"),
    rule(r"(?<=\bno )ans\.?(?=[,;)]|\s*\Z|\.)", lambda m: keeps_dot("answer", m) if m[0].endswith(".") else "answer"),
    # Journeys and markets.
    rule(r"(?P<what>\b(?:[Qq]uot(?:e|ing)|[Cc]ite|[Cc]iting|[Ii]ncident|[Cc]rime|[Ll]og)(?: (?:ref|reference|number"
         r"|no|log|crime"
         r"|incident)\b\.?){1,2}:? )(?P<n>\d{5,14})(?![\w-]|[.,]\d)",
         lambda m: f"{m['what'].replace('ref.', 'reference').replace('no.', 'number')}{digits(m['n'])}"),
    rule(r"(?<![\w.,])(?P<a>\d{1,2})(?:[–-](?P<b>\d{1,2}))? ?mins?\.?/(?P<per>lb|kg)\b\.?(?=[ ,;)]|\s*\Z)",
         lambda m: _ended(spoken(m["a"]) + (f" to {spoken(m['b'])}" if m["b"] else "")
         + f" minutes per {'pound' if m['per'] == 'lb' else 'kilogram'}", m)),
    rule(rf"(?<![\w.])(?P<month>{SHORT_MONTH})(?= ['’]\d\d(?!\w))", lambda m: _month(m["month"])),
    rule(r"(?:(?<=\b[Tt]he )|(?<=\b[Aa]n ))avg(?= )", "average"),
    rule(r"(?<=\b[Tt]he )(?P<sign>[£$€¥])(?= (?:fell|rose|slid|slipped|gained|was|is|has|had|to|against|vs|and"
         r"|dropped|weakened"
         r"|strengthened|hit|traded|will|edged|jumped|at|in|on)\b|[,.;)]|\s*\Z)",
         lambda m: {"£": "pound", "$": "dollar", "€": "euro", "¥": "yen"}[m["sign"]]),
    rule(r"(?P<what>\b(?:[Oo]pen|daily|[Mm]on|[Ss]at|[Ss]un|[Ww]eekdays|[Ww]eekends|[Hh]ours:?) )(?P<h>1[0-2]"
         r"|[1-9])\.(?P<m>[0-5]\d) ?[–-] ?"
         r"(?P<h2>1[0-2]|[1-9])(?:\.(?P<m2>[0-5]\d))?(?![\w%]|[.,]\d)",
         lambda m: f"{m['what']}{cardinal(int(m['h']))} {_minutes(m['m'])} to {cardinal(int(m['h2']))}"
         + (f" {_minutes(m['m2'])}" if m["m2"] else "") if day_first(m.string) else None),
    rule(r"(?:(?<=, )|(?<=; )|(?<=\d )|(?<=/))ch\.?(?= £\d)", "children"),
    rule(r"(?:(?<=[\d£] )|(?<=\d\d ))std(?= (?:rtn|return|single|class|fare|adult)\b)", "standard"),
    rule(r"(?:(?<=std )|(?<=day )|(?<=adult )|(?<=single/)|(?<=open )|(?<=Anytime )|(?<=\d ))rtn(?=[,;)!?]|\.| )",
         "return"),
    rule(r"(?<![\w.])(?P<n>[1-5])\*(?= (?:B&B|[A-Z][a-z]+|hotel|rating))",
         lambda m: f"{spoken(m['n'])} star" if mentions(HOTEL, m.string) else None),
    rule(r"(?<![\w.,])(?P<n>\d{1,2})-nt(?= )", lambda m: f"{spoken(m['n'])} night"),
    rule(r"(?<![\w.])(?P<a>[25])s(?P<b>5|10|30)s(?!\w)",
         lambda m: f"{plural(spoken(m['a']))} {plural(spoken(m['b']))}"),
    # Chats.
    rule(r"(?:(?<=\bsry )|(?<=\bsorry )|(?<=\bthx )|(?<=\bthanks )|(?<=\bty )|(?<=[$£€]\d{2} )|(?<=[$£€]\d )"
         r"|(?<=\bwait )"
         r"|(?<=\block )|(?<=\bask ))4(?= [a-z])",
         lambda m: "for" if mentions(CHAT, m.string) or m.start() < 12 else None),
    rule(r"(?:(?<=\b[Nn]eed )|(?<=\b[Hh]ave )|(?<=\b[Gg]ot )|(?<=\bgonna )|(?<=\bgoing )|(?<=\bwant ))2(?= (?:book"
         r"|order|pick|get"
         r"|clean|cook|move|start|finish|read|write|check|send|bring|change|pack|fix|wake|drive|wash|shop|study|text"
         r"|chat|ring"
         r"|see|pass|cancel|return|print|plan|reply|sort|tidy|grab)\b)",
         lambda m: "to" if mentions(CHAT, m.string) else None),
    rule(r"(?:(?<=\bdo )|(?<=\bor )|(?<=\bmake )|(?<=\bsay )|(?<=\blike )|(?<=\bbout )|(?<=\b4 ))(?P<h>1[0-2]"
         r"|[1-9])(?P<m>15|30|45)"
         r"(?=[?!,;]| (?:or|ok|is|if|work|then|tonight|tmrw|tomorrow|at|on|pm|sharp|ish)\b|\.?\s*\Z|\. )",
         lambda m: f"{cardinal(int(m['h']))} {cardinal(int(m['m']))}" if mentions(CHAT, m.string) else None),
    rule(r"(?:(?<=\bb4 )|(?<=\bby )|(?<=\bon )|(?<=\bbefore )|(?<=\btil )|(?<=\bfor )|(?<=\b4 )|(?<=\bnext )"
         r"|(?<=\bthis ))"
         r"(?P<day>mon|tues?|weds?|thurs?|fri)(?=[,;!?]|\.|\s*\Z| (?:at|night|nite|if|ok|morning|eve|then|and|or|pls"
         r"|plz)\b)",
         lambda m: DAYS[m["day"][:3].capitalize()] if mentions(CHAT, m.string) else None),
    # Offers.
    rule(rf"(?<![\w.@/-])(?P<word>{one_of(OFFERS)})\.(?=[,;)]| [a-zA-Z$£]|\s*\Z)", _offer),
    rule(rf"(?<![\w.])(?P<a>[Aa])vail\.(?= (?:now\b|immed|from\b|{ANY_MONTH}|\d))", r"\g<a>vailable"),
    rule(rf"(?<![\w.,])(?P<n>{NUMBER}) ?vCPUs?/(?P<m>{NUMBER}) ?Gi?B(?!\w)",
         lambda m: f"{spoken(m['n'])} virtual C P U{'' if m['n'] == '1' else 's'}, {spoken(m['m'])} gigabytes"),
)  # fmt: skip


def _month(written: str) -> str:
    return next(month for month in MONTHS if month.startswith(written.rstrip(".")[:3]))


def _day(written: str, text: str, start: int) -> str:
    number, _, month = written.partition(" ")
    article = "" if text[max(0, start - 4) : start].lower() == "the " else "the "
    return f"{article}{ordinal(int(re.sub(r'[a-z]+', '', number)))} of {_month(month)}"


def _section(written: str) -> str:
    number, letters = re.fullmatch(r"(\d+)([A-Z]*)", written).groups()  # type: ignore[union-attr]
    said = label_digits(number) if len(number) == 3 else spoken(number)
    return f"{said} {' '.join(letters)}".strip()


def _seconds(written: str) -> str:
    whole, _, part = written.partition(".")
    return f"{cardinal(int(whole))} point {digits(part)}"


TELLS = tells_of(
    rf"(?:\+|\b00)[1-9]\d{{1,2}}[ -]?[\d(]"
    rf"|\b(?:{one_of((*LETTERS, *map(str.capitalize, LETTERS), *OFFERS, *PLACES))})\."
    rf"|\bexp\b|\b[Rr]ef\.? "
    rf"|\b[Ee]nc\.? |Dept "
    rf"|\b[NSEW]\. [A-Z]|Ltd |\d (?:{SHORT_MONTH})[a-z]*\.? ?[–-]|\bh/t\b|\d/\d"
    rf"|(?:{SHORT_MONTH})[a-z]*\.? \d{{1,2}} ?[–-]"
    r"|(?:at|by|from|until|till|about|around|before|after) \d{1,2}\.\d|\d[MF]\b|C/o |\b[Rr]pt |[-−–+]ve\b|\bss? ?\d"
    r"|\] ?[–-] ?\[|\d [A-Z][a-z]+\.? [IV]"
    r"|[a-z] I \(|\d (?:pens?|cons?|convs?)\b|\baet\b|\ba\.e\.t|\d\.\d+s\b|\bstd |\brtn\b|\d\*|-nt |\ds\d| 4 [a-z]"
    r"| 2 [a-z]"
    r"| \d{1,2}(?:15|30|45)\b|\b(?:mon|tues?|weds?|thurs?|fri)\b|\b[Aa]vail\.|vCPU"
    r"|\b[Bb]ilat\.|\b(?:pk|pack)[ -]yr|\bwts\b|\bd/w\b|/24 ?h|\brt\b|\d ?g [a-zA-Z]{2}|\bdtd\b|\b[Qq]tr|% ?/"
    r"|, (?:Chi|Phila|Minn|Balt|Cinn|Clev|Indpls|Mpls|Bklyn|Pitts)\."
    r"|\b[Gg]ov['’]g|: [A-Z][a-z]{1,4}\. \(|\bbtw\b|\bans\b|[ap]m [A-Z]{2,3} ?/|(?:Mon|Tue|Wed|Thu"
    r"|Fri|Sat|Sun)[a-z]* to [MTWFS]"
    r"|\b(?:COP|COB|EOD|EOP) |\bp/?w |\b[Pp]ass(?:word|code)|\bPIN |\b[Aa]tt['’]d"
    r"|\b(?:[Qq]uot|[Cc]it|[Ii]ncident|[Cc]rime|[Ll]og )|mins?\.?/|['’]\d\d|\bavg |[Tt]he [£$€¥]|\d\.\d\d ?[–-] ?\d"
    r"|\bch\.? £"
)
