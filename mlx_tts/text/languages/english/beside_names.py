"""Short forms that a name or a noun next to them explains: states, sides, births, sizes, references, parts -> words."""

from __future__ import annotations

import re

from mlx_tts.text.languages.english.dates import DAYS, MONTHS, SHORT_MONTH, date_of_pair
from mlx_tts.text.languages.english.everyday import CRICKET
from mlx_tts.text.languages.english.mathematics import VULGAR, mixed
from mlx_tts.text.languages.english.numbers import BRITISH, NUMBER, WHOLE, digits, label_digits, ordinal, spoken
from mlx_tts.text.languages.english.places import DIRECTIONS, OLD_STATES
from mlx_tts.text.languages.english.technical import MIXED, mixed_number
from mlx_tts.text.languages.english.unit_names import NAMES, named
from mlx_tts.text.languages.english.words import keeps_dot
from mlx_tts.text.normalise.engine import mentions, one_of, rule, text_before, words_of

# States whose short name has no other meaning. They need no town before a word of an office or a small letter.
SURE_STATES = {name: OLD_STATES[name] for name in words_of(
    "Ala Ariz Calif Colo Conn Fla Kan Mich Minn Neb Nev Okla Tenn Tex Wash Wis Wyo")}  # fmt: skip
OFFICE = (
    r"(?:Gov|Sen|Rep|Lt|Dept|Univ|State|Senate|House|Supreme|Legislature|Attorney|Highway|Department|Democrats?"
    r"|Republicans?|National|Army|Turnpike|Superior|Secretary|Public|Constitution)\b"
)
STREET_STATES = OLD_STATES | {"Penn": "Pennsylvania"}
STREETS = {"Ave": "Avenue", "St": "Street", "Blvd": "Boulevard", "Rd": "Road"}
PARTIES = {"D": "Democrat", "R": "Republican", "I": "Independent"}
LANDS = (
    "Africa|Korea|Carolina|Dakota|America|Sudan|Ireland|Macedonia|Virginia|Timor|Germany|Vietnam|Europe|Asia|Wales"
    "|Yorkshire|Sussex|Midlands|Texas|Florida|Australia|London|Philadelphia|Bengal"
)
# What has sides: "the W. wall".
SIDED = (
    "walls?|gates?|sides?|wings?|ends?|towers?|entrances?|banks?|coast|shores?|windows?|fronts?|faces?|slopes?|ridges?"
    "|transept|aisle|doors?|corners?|half|rim|branch|fork|facade|porch|terrace|lawn|parking|lot|stand|edge|part|exit"
)
SIZES = {"med": "medium", "sm": "small", "lg": "large", "lrg": "large", "xl": "extra large"}
NUMBERED_NOUNS = (
    "tel|phone|telephone|acct|account|ref|reference|cell|mobile|fax|room|order|flight|model|part|serial|case|invoice"
    "|policy|house|flat|card|passport|ID|tracking|reg|registration|seat|gate|page|route|bus|member|membership|licence"
    "|license|patent|contact|confirmation|customer|job|lot|item|job|catalogue|catalog|PO|tax|booking|claim|roll"
    "|ticket|batch|student|employee|access|extension|unit|apt"
)
WORDS_OF_NOUNS = {"tel": "telephone", "acct": "account", "ref": "reference", "reg": "registration", "apt": "apartment"}
# Parts that stand before a noun as one word: "a 3/4-inch board".
PART = rf"(?:[1-9]\d?/(?:2|3|4|5|6|8|10|12|16|32|64)(?!\d)|[{''.join(VULGAR)}])"
SHORT_UNITS = words_of("in ft lb oz gal qt pt yd mi c tsp tbsp hr yr mo wk min")
SINGULAR = {(1, 2): "half", (1, 4): "quarter", (3, 4): "three quarter", (1, 3): "one third", (2, 3): "two third"}
# What an emission is counted by.
EMITTED_PER = {
    "km": "kilometer",
    "mi": "mile",
    "mile": "mile",
    "kWh": "kilowatt hour",
    "yr": "year",
    "year": "year",
    "kg": "kilogram",
    "person": "person",
    "day": "day",
    "t": "ton",
}

EACH = {"yr": "year", "year": "year", "decade": "decade", "mo": "month", "wk": "week", "day": "day", "d": "day",
        "min": "minute", "hr": "hour", "h": "hour", "night": "night"}  # fmt: skip
BASEBALL = re.compile(
    r"\b(?:RBIs?|HRs?|ERA|OPS|[Bb]atting|homers?|homered|innings?|slugging|shortstop|pitcher|hitter|doubles)\b"
)
DIALS = re.compile(
    r"\b(?:[Cc]all(?:ed|ing|s)?|[Dd]ial(?:ed|led|ing|s)?|[Pp]hone|[Rr]ing|[Tt]ext)\b(?! the)[^.!?\d]{0,40} \Z"
)
ASTRONOMY = re.compile(r"(?i)\b(?:comets?|orbits?|planets?|stars?|sun|asteroids?|earth|spacecraft|probe|telescopes?)\b")
BANDWIDTH = re.compile(r"\b(?:[MG]bps|[MG]bit/s|[MG]b/s)(?!\w)")
SCHEDULED = re.compile(
    r"(?i)\b(?:yesterday|today|tomorrow|meeting|mtg|call|due|deadline|calendar|schedul\w+|invite|appointment|e-?mail"
    r"|mon|tues?|wed|thurs?|fri|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b"
)
OFTEN = {"qd": "once a day", "bid": "twice a day", "tid": "three times a day", "qid": "four times a day",
         "qhs": "at bedtime", "prn": "as needed"}  # fmt: skip


def _part_before_noun(match: re.Match[str]) -> str | None:
    """ "3/4-inch" and "1 1/2-in."."""
    top, bottom = VULGAR.get(match["part"]) or tuple(int(n) for n in match["part"].split("/"))
    if top >= bottom:
        return None
    noun = match["noun"]
    if match["unit"]:
        noun = "cup" if match["unit"] == "c" else named(match["unit"], False)
        if match[0].endswith("."):
            noun = keeps_dot(noun, match)
    if match["whole"]:
        return f"{mixed(match['whole'], top, bottom)} {noun}"
    return f"{SINGULAR.get((top, bottom)) or mixed(None, top, bottom)} {noun}"


def _reference(match: re.Match[str]) -> str | None:
    """ "Ref. 2231/B", "order no. 45-C/7": letters and numbers with pauses between them."""
    code = match["code"]
    if not re.search(r"\d", code) or re.fullmatch(r"\d{1,2}/\d{1,2}/\d{2,4}", code):
        return None
    parts = []
    for part in re.findall(r"[A-Za-z]+|\d+|[/-]", code):
        if part in "/-":
            parts.append(",")
        else:
            parts.append(f" {label_digits(part) if part.isdecimal() else ' '.join(part.upper())}")
    word = re.sub(r"^ref\.?", lambda m: "reference" if m[0][0] == "r" else "Reference", match["word"].strip(" :"),
                  flags=re.IGNORECASE)  # fmt: skip
    word = re.sub(r"\bref\b\.?", "reference", re.sub(r"\b([Nn])o\.", r"\1umber", word)).rstrip(".")
    return word + "".join(parts)


def _born(match: re.Match[str]) -> str:
    return {"b": "born", "d": "died"}[match["word"]]


def _out_of(match: re.Match[str]) -> str:
    """ "1,482/9,310": a part of a whole, or two numbers where the first is the larger."""
    first, last = (int(match[name].replace(",", "")) for name in "ab")
    return f"{spoken(match['a'])}{' out of' if first <= last else ','} {spoken(match['b'])}"


def _tablets(match: re.Match[str]) -> str:
    """ "1-2 tabs.", "10 tabs./24 hrs."."""
    if match["n"] in VULGAR:
        noun = {"tab": "a tablet", "cap": "a capsule"}[match["what"]]
        part = {"½": "half", "¼": "a quarter of"}[match["n"]]
        return f"{part} {keeps_dot(noun, match) if match[0].endswith('.') else noun}"
    first, _, last = match["n"].replace("–", "-").partition("-")
    number = f"{spoken(first)} to {spoken(last)}" if last else spoken(first)
    noun = {"tab": "tablet", "cap": "capsule"}[match["what"]] + ("" if match["n"] == "1" else "s")
    if match["hours"]:
        hours = f"{spoken(match['hours'])} hours"
        return f"{number} {noun} per {keeps_dot(hours, match) if match[0].endswith('.') else hours}"
    return f"{number} {keeps_dot(noun, match) if match[0].endswith('.') else noun}"


def _until(match: re.Match[str]) -> str:
    """ "8-sunset", "6:30pm-late"."""
    minutes = f" {'oh ' if match['m'][0] == '0' else ''}{spoken(match['m'].lstrip('0') or '0')}" if match["m"] else ""
    half = f" {match['half']}.m." if match["half"] else ""
    return f"{spoken(match['h'])}{'' if match['m'] == '00' else minutes}{half} to {match['end']}"


BESIDE_NAME_RULES = (
    rule(rf"(?:(?<=[a-z], )|(?<=[A-Z]{{3}}, ))(?P<state>{one_of(OLD_STATES)})\.(?=[\"'”’)]? ?(?:[—–(]|- )| [A-Z])",
         lambda m: keeps_dot(OLD_STATES[m["state"]], m)),
    rule(rf"(?<![\w.])(?P<state>{one_of(SURE_STATES)})\.(?= (?:[a-z]{{2}}|{OFFICE}))",
         lambda m: SURE_STATES[m["state"]]),
    rule(rf"(?<![\w.])(?P<state>{one_of(STREET_STATES)})\. (?P<street>Ave|St|Blvd|Rd)\b\.?",
         lambda m: keeps_dot(f"{STREET_STATES[m['state']]} {STREETS[m['street']]}", m)
         if m[0].endswith(".") else f"{STREET_STATES[m['state']]} {STREETS[m['street']]}"),
    rule(rf"(?:(?<=, )|(?<=\())(?P<party>[DRI])-(?P<state>{one_of(OLD_STATES)})\.",
         lambda m: f"{PARTIES[m['party']]}, {keeps_dot(OLD_STATES[m['state']], m)}"),
    rule(r"(?<=[\w'’] )(?P<word>Sts|Aves|Rds|Blvds)\b\.?",
         lambda m: keeps_dot(f"{STREETS[m['word'][:-1]]}s", m) if m[0].endswith(".") else
         f"{STREETS[m['word'][:-1]]}s"),
    rule(rf"(?<![\w.])(?P<way>[NSEW])\.(?= (?:{LANDS})\b)", lambda m: DIRECTIONS[m["way"]]),
    rule(rf"(?:(?<=\b[Tt]he )|(?<=\b[Ii]ts )|(?<=\band )|(?<=\bour )|(?<=\bor ))(?P<way>[NSEW])\.(?= (?:{SIDED})\b)",
         lambda m: DIRECTIONS[m["way"]].lower()),
    rule(rf"(?<![\w.])(?P<word>[bd])\.(?= (?:in |c\. ?|ca\. ?)?(?:1\d{{3}}|20[0-2]\d)"
         r"(?:[,;.)–-]|\s*\Z| (?:in|at|near|to|and|as|the|of)\b| [A-Z(])"
         rf"| (?:\d{{1,2}} )?(?:{'|'.join(MONTHS)}|(?:{SHORT_MONTH})\b\.?)(?: \d{{1,2}},?)? \d{{3,4}}\b)", _born),
    rule(r"(?<=\b[Tt]he )co\.(?= [a-z]|['’]s\b|[,;])", "company"),
    rule(r"(?<![\w.])(?P<m>[Mm])ed\.?(?=[ -](?:rare|well|heat|high|low|size|sized)\b)", r"\g<m>edium"),
    rule(rf"(?<=[\d{''.join(VULGAR)}] )(?P<size>{one_of(SIZES)})\.(?= [a-z])", lambda m: SIZES[m["size"]]),
    rule(r"(?<![\w.])ea\.(?=[ ,;)]|\Z)",
         lambda m: keeps_dot("each", m) if re.search(r"\d[^;!?\n]{0,24}[a-z\d.] \Z", text_before(m, 28)) else None),
    rule(r"(?<![\w.])(?P<w>[Rr])e\.(?= (?:my|your|our|the|his|her|their|this|that|yesterday|invoice|order|claim)\b)",
         r"\g<w>egarding"),
    rule(rf"(?<![\w.])(?P<noun>{NUMBERED_NOUNS})(?P<dot>\.?) (?P<n>nos?)\.(?=[,:;)?!]| [a-z]|(?P<end>\s*\Z))",
         lambda m: f"{WORDS_OF_NOUNS.get(m['noun'], m['noun'])} number{'s' if m['n'] == 'nos' else ''}"
         f"{'.' if m['end'] is not None else ''}"),
    rule(r"(?<![\w.])(?P<a>[Aa])cct\.(?= (?:[Nn]os?|[Nn]umber|#))", r"\g<a>ccount"),
    rule(r"(?:(?<=\ba )|(?<=\bper ))bbl\b\.?",
         lambda m: keeps_dot("barrel", m) if m[0].endswith(".") else "barrel"),
    rule(r"(?:(?<=\bdial-in )|(?<=\bphone )|(?<=\baccount )|(?<=\binvoice )|(?<=\border )|(?<=\bflight )"
         r"|(?<=\bbooking )|(?<=\bserial )|(?<=\bfax )|(?<=\bmobile ))no\.(?= (?:is|was|will)\b)", "number"),
    rule(r"(?<=: )–(?=\$\d)", "minus "),
    rule(r"(?P<word>\b(?i:(?:(?:your|our|my|quote|quoting) )?ref(?:erence)?\.?(?: no\.| number)?|order no\.|claim no\."
         r"|policy no\.|invoice no\.|file no\.):? )(?P<code>[A-Z\d]{1,10}(?:[/-][A-Z\d]{1,10}){1,4})"
         r"(?![\w/-]|[.,]\d)", _reference),
    rule(rf"(?<![\w.,/-])(?:(?P<whole>\d{{1,3}})[ -]?)?(?<![\d](?=\d))(?P<part>{PART})-"
         rf"(?:(?P<unit>{one_of(SHORT_UNITS)})\b\.?|(?P<noun>[a-z]{{3,20}}))(?![\w/-])", _part_before_noun),
    rule(rf"(?<![\w.,/-])(?P<a>{WHOLE})/(?P<b>{WHOLE})(?![\w/%-]|[.,]\d)",
         lambda m: _out_of(m) if "," in m["a"] or "," in m["b"] else None),
    rule(r"(?<![\w.,/-])(?P<n>\d{1,3}\.\d{1,3})(?P<letters>[A-Z])(?P<digits>\d{1,4})(?![\w/-]|[.,]\d)",
         lambda m: f"{spoken(m['n'])} {m['letters']} {label_digits(m['digits'])}"),
    rule(rf"(?<!\w)CO(?:2|₂)(?P<e>e?)/(?P<per>{one_of(EMITTED_PER)})(?![\w/])",
         lambda m: f"C O two{' equivalent' if m['e'] else ''} per {EMITTED_PER[m['per']]}"),
    rule(rf"(?<![^\s(])\+(?P<n>{NUMBER})(?=[),;]|\s*\Z| (?:points?|votes|runs|seats)\b)",
         lambda m: f"plus {spoken(m['n'])}"),
    rule(r"(?<![\w.,/-])(?P<a>\d{1,3})(?:st|nd|rd|th)?[-–](?P<b>\d{1,3})(?:st|nd|rd|th)\b",
         lambda m: f"{ordinal(int(m['a']))} to {ordinal(int(m['b']))}" if int(m["a"]) < int(m["b"]) else None),
    rule(r"(?:(?<=\b[Oo]n )|(?<=\b[Aa]t )|(?<=\band )|(?<=\bof )|(?<=\bto )|(?<=\bnear ))(?P<way>[NSEW])\. "
         r"(?=\d{1,3}(?:st|nd|rd|th)\b)", lambda m: f"{DIRECTIONS[m['way']]} "),
    rule(r"(?<=\bdegrees )(?P<unit>[FC])\b\.?",
         lambda m: (lambda word: keeps_dot(word, m) if m[0].endswith(".") else word)(
             "Fahrenheit" if m["unit"] == "F" else "Celsius")),
    rule(r"(?<![\w.,$£€-])(?P<n>911|988|999|112|111|311)(?=[.,;!?)]|\s*\Z"
         r"| (?:if|for|immediately|right|in an|and|or|at)\b)",
         lambda m: digits(m["n"]) if DIALS.search(text_before(m, 48)) else None),
    rule(r"(?:(?<=\b[Aa] )|(?<=\bthe )|(?<=\byour )|(?<=\bmy )|(?<=\beach )|(?<=\b[Ff]orm )|(?<=\bIRS ))"
         r"(?P<n>1099|1040|1098|1095)(?:-(?P<kind>[A-Z]{1,4}))?(?![\w-]|[.,]\d)",
         lambda m: label_digits(m["n"]) + (f" {' '.join(m['kind'])}" if m["kind"] else "")),
    rule(r"(?<![\w#])(?P<letters>[A-Z]{1,2})(?P<n>\d{2,8})#(?!\w)",
         lambda m: f"{' '.join(m['letters'])} {digits(m['n'])} {'hash' if BRITISH.get() else 'pound'}"),
    rule(r"(?:(?<=\blevel )|(?<=\bheaped )|(?<=\brounded )|(?<=\bheaping )|(?<=\bscant ))(?P<unit>tsp|tbsp)s?\b\.?",
         lambda m: named(m["unit"], re.search(r"(?:[2-9]|\d\d|\d ?[½¼¾]) \w+ \Z", text_before(m, 16)) is not None)),
    rule(r"(?<=\()(?P<a>10|\d)[-–/](?P<b>\d{2,3})(?=\))",
         lambda m: f"{spoken(m['a'])} for {spoken(m['b'])}"
         if mentions(CRICKET, m.string) and re.search(r"[A-Z][a-z]+ \(\Z", text_before(m, 16)) else None),
    rule(r"(?<=\()(?P<day>Mon|Tues?|Weds?|Thur?s?|Fri|Sat)\.?(?=\)|, | \d)", lambda m: DAYS[m["day"][:3]]),
    rule(r"(?:(?<=\b[Tt]he )|(?<=\b[Aa] ))no\.(?= of\b)", "number"),
    rule(r"(?:(?<=\dst )|(?<=\dnd )|(?<=\drd )|(?<=\dth ))gr\.(?= [a-z\d]|[,;)]|(?P<end>\s*\Z| [A-Z]))",
         lambda m: "grade." if m["end"] is not None else "grade"),
    rule(r"(?<=\()& (?=\w)", "and "),
    rule(rf"(?<![\w.,/-])(?P<n>{NUMBER}) ?(?:au|AU)(?!\w)",
         lambda m: f"{spoken(m['n'])} astronomical unit{'' if m['n'] == '1' else 's'}"
         if mentions(ASTRONOMY, m.string) else None),
    rule(r"(?P<word>\b(?i:order|ticket|confirmation|booking|quote|invoice|claim|policy|job|batch)"
         r"(?: (?:no\.|number))?:? )(?P<a>\d{2,4})-(?P<b>\d{3,6})(?![\w-]|[.,]\d)",
         lambda m: re.sub(r"([Nn])o\.", r"\1umber", m["word"]) + f"{label_digits(m['a'])}, {label_digits(m['b'])}"),
    rule(rf"(?<![\w.,/-])(?P<a>{NUMBER}) ?(?P<what>mg|mcg|µg|g|IU)/(?P<b>{NUMBER}) ?(?P<per>mL|ml|L|l)(?![\w/²³])",
         lambda m: f"{spoken(m['a'])} {named(m['what'], m['a'] != '1')} per {spoken(m['b'])} "
         f"{named(m['per'], m['b'] != '1')}"),
    rule(r"(?:(?<=\bis )|(?<=\bwas )|(?<=\bof )|(?<=\bat )|(?<=\bbelow )|(?<=\breached ))–(?=\d)", "minus "),
    rule(rf"\b(?P<month>{'|'.join(MONTHS)}) (?P<a>\d{{1,2}}) (?P<to>to|through|thru|and|or) (?P<b>\d{{1,2}})"
         r"(?=[.,;)!?](?!\d)|\s*\Z| (?:at|in|and|when|with|for|from|only|inclusive)\b)",
         lambda m: f"{m['month']} {ordinal(int(m['a']))} {m['to'].replace('thru', 'through')} {ordinal(int(m['b']))}"
         if int(m["a"]) < int(m["b"]) < 32 else None),
    rule(r"(?<![\w.,/-])(?P<a>\d{1,4})/(?P<b>\d{1,4})(?: ?(?P<unit>[MG]bps|[MG]bit/s|[MG]b/s))?(?![\w/]|[.,]\d)",
         lambda m: f"{spoken(m['a'])}, {spoken(m['b'])}{' ' + named(m['unit'], True) if m['unit'] else ''}"
         if m["unit"] or (int(m["a"]) > int(m["b"]) > 9 and mentions(BANDWIDTH, m.string)) else None),
    rule(r"(?:(?<=\dst )|(?<=\dnd )|(?<=\drd )|(?<=\dth ))wk\.(?= (?:of|in)\b)", "week"),
    rule(r"(?<![\w.])Yrs\.(?=,|,?\s+(?:sincerely|faithfully|truly|ever)\b)", "Yours"),
    # Timetables, notes and letters.
    rule(r"(?<![\w.])(?P<word>dep|arr)\.(?= (?:[A-Z]\w{2,20} )?(?:at )?\d{1,2}[:.]\d\d)",
         lambda m: {"dep": "departs", "arr": "arrives"}[m["word"]]),
    rule(r"(?:(?<=\ba )|(?<=\ban )|(?<=\bper )|(?<=\bhalf ))(?P<unit>oz|lb|gal|qt|yd|hr|wk|yr|doz|tsp|tbsp)\b\.?",
         lambda m: keeps_dot(named(m["unit"], False), m) if m[0].endswith(".") else named(m["unit"], False)),
    rule(rf"(?<![\w.,/:-])(?P<a>{MIXED}) ?[-–] ?(?P<b>{MIXED}) (?P<unit>[cT])\.(?= [a-z])",
         lambda m: f"{mixed_number(m['a'])} to {mixed_number(m['b'])} {'cup' if m['unit'] == 'c' else 'tablespoon'}"
         f"{'' if re.fullmatch(PART, m['b']) else 's'}"),
    rule(r"(?<![\w.,])\.(?P<n>\d{3})(?!\w|[.,]\d|%)",
         lambda m: label_digits(m["n"]) if mentions(BASEBALL, m.string) else None),
    rule(rf"(?<![\w.,/-])(?P<n>{NUMBER}) ?(?P<unit>{one_of(n for n in NAMES if len(n) > 1 and '/' not in n)})/"
         rf"(?P<per>{one_of(EACH)})\b(?!/|\.\w)",
         lambda m: None if f"{m['unit']}/{m['per']}" in NAMES
         else f"{spoken(m['n'])} {named(m['unit'], m['n'] != '1')} per {EACH[m['per']]}"),
    rule(r"(?:(?<=\()|(?<=\bis )|(?<=\bwas )|(?<=\bfor )|(?<=\bof ))(?P<a>\d{1,2})/(?P<b>\d{1,2})"
         r"(?=(?P<close>\))|,? (?:@|at) \d{1,2}(?::\d\d)? ?[AaPp]\.?[Mm])",
         lambda m: date_of_pair(m, int(m["a"]), int(m["b"]))
         if m["close"] is None or mentions(SCHEDULED, m.string) else None),
    rule(r"\b(?P<day>Mon|Tues?|Weds?|Thur?s?|Fri|Sat|Sun)\.(?= (?:EOD|COB|AM|PM|noon|midnight)\b)",
         lambda m: DAYS[m["day"][:3]]),
    rule(r"(?P<word>\b(?:ID|PIN|[Pp]asscode|IMEI|[Cc]ard)(?: no\.| number)?:? )"
         r"(?P<n>\d{2,6}(?:[ -]\d{2,6}){1,5})(?![\w-]|[.,]\d)",
         lambda m: m["word"] + ", ".join(digits(group) for group in re.findall(r"\d+", m["n"]))),
    rule(r"(?:(?<=\()|(?<=, ))x ?(?P<n>\d{3,5})(?=\)|,|\.?\s*\Z|\. [A-Z])", lambda m: f"extension {digits(m['n'])}"),
    rule(r"(?<![\w.,/-])(?P<n>[½¼]|\d{1,3}(?:[-–]\d{1,3})?) (?P<what>tab|cap)(?P<s>s?)\b\.?"
         r"(?:/(?P<hours>\d{1,2}) ?(?:hrs?|h)\b\.?)?", lambda m: _tablets(m)),
    rule(r"(?:(?<=g )|(?<=L )|(?<=units )|(?<=[btq]id ))(?:(?P<by>PO|po) )?(?P<often>qd|bid|tid|qid|qhs|prn)(?![\w/-])",
         lambda m: ("by mouth " if m["by"] else "") + OFTEN[m["often"]]),
    rule(r"(?<![\w.])(?P<word>[HhWw]t)\.(?=:? \d)",
         lambda m: {"h": "height", "H": "Height", "w": "weight", "W": "Weight"}[m["word"][0]]),
    rule(r"(?<![\w.,])(?P<n>\d{1,3}) cts?\.(?= of\b)",
         lambda m: f"{spoken(m['n'])} count{'' if m['n'] == '1' else 's'}"),
    rule(r"(?<![\w.])Dkt\.(?= (?:No|no)\.)", "Docket"),
    rule(r"(?<![\w.])div\.(?= (?:yield|payout|per)\b)", "dividend"),
    rule(r"(?<![\w.])conf\.(?= (?:rm|room|call|center|centre)\b)", "conference"),
    rule(r"(?<=\b[Tt]he )pop\.(?= (?:is|was|of|has|had|in|grew|fell|rose|\d))|(?<![\w.])pop\. (?=\d)",
         lambda m: f"population{' ' if m[0].endswith(' ') else ''}"),
    rule(r"(?P<of>\b(?:first|second|third|1st|2nd|3rd))-deg\.(?= [a-z])",
         lambda m: {"1st": "first", "2nd": "second", "3rd": "third"}.get(m["of"], m["of"]) + "-degree"),
    rule(r"(?<![\w.,])(?P<n>\d{1,2})-bdrm\b\.?", lambda m: f"{spoken(m['n'])} bedroom"),
    rule(r"(?<![\w.])fr\. (?=[$£€]\d)", "from "),
    rule(r"(?:(?<=[Kk]ids )|(?<=hildren ))u\. (?=\d)", "under "),
    rule(r"(?<![\w.])(?P<way>[NSEW])\.?(?= on (?:US|I|Hwy|Highway|Rte|Route|SR|CR)\b)",
         lambda m: DIRECTIONS[m["way"]].lower()),
    rule(r"(?:(?<=mi\. )|(?<=iles )|(?<=km ))RT(?=[,;.) ])", "round trip"),
    rule(r"(?<![\w.,:/-])(?P<h>1[0-2]|[1-9])(?::(?P<m>[0-5]\d))?(?: ?(?P<half>[ap])\.?m\.?)? ?[-–] ?"
         r"(?P<end>sunset|sundown|dusk|midnight|noon|late|close|dawn|sunrise)\b", lambda m: _until(m)),
    rule(r"(?P<what>\b(?:Win|Windows|iOS|iPadOS|macOS|Android|iPhone|Galaxy|Ubuntu|Debian) )"
         r"(?P<a>\d{1,2})/(?P<b>\d{1,2})(?![\w/]|[.,]\d)",
         lambda m: f"{m['what']}{spoken(m['a'])} or {spoken(m['b'])}"),
    rule(r"(?<=[a-z.] )(?P<word>Bros|Co)\.(?= (?:Co|Inc|Corp|Ltd|LLC|LP)\b)",
         lambda m: {"Bros": "Brothers", "Co": "Company"}[m["word"]]),
    rule(r"(?P<whose>\b(?i:my|your|his|her|our|their)(?: new| old| home| work| direct| right)? )no\."
         r"(?= (?:is|was|has)\b|[:,])", lambda m: f"{m['whose']}number"),
)  # fmt: skip
