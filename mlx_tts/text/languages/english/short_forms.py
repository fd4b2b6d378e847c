"""Short forms of letters, notices and old books: names ("Wm."), words with an apostrophe ("rec'd"), sizes of pans."""

from __future__ import annotations

import re

from mlx_tts.text.languages.english.dates import MONTHS, date_of_pair
from mlx_tts.text.languages.english.numbers import NUMBER, cardinal, ordinal, spoken, year
from mlx_tts.text.languages.english.words import keeps_dot
from mlx_tts.text.normalise.engine import mentions, one_of, rule, text_before
from mlx_tts.text.roman import value

# Before a family name, or behind one.
GIVEN_NAMES = {
    "Jas": "James", "Chas": "Charles", "Wm": "William", "Thos": "Thomas", "Robt": "Robert", "Edw": "Edward",
    "Saml": "Samuel", "Benj": "Benjamin", "Jno": "John", "Richd": "Richard", "Geo": "George", "Danl": "Daniel",
    "Nathl": "Nathaniel", "Eliz": "Elizabeth", "Margt": "Margaret", "Fredk": "Frederick", "Archd": "Archibald",
}  # fmt: skip
# With an apostrophe in place of what is left out: no word is spelled so.
LEFT_OUT = {
    "rec'd": "received", "req'd": "required", "cont'd": "continued", "gov't": "government", "dep't": "department",
    "ass'n": "association", "sec'y": "secretary", "add'l": "additional", "att'y": "attorney", "comm'r": "commissioner",
    "ret'd": "retired", "dec'd": "deceased", "rep't": "report", "min'm": "minimum", "pm't": "payment",
    "prof'l": "professional", "nat'l": "national", "int'l": "international", "intern'l": "international",
    "bldg's": "building's", "dep'y": "deputy", "treas'r": "treasurer", "supp't": "support", "sup't": "superintendent",
    "eng'r": "engineer", "eng'g": "engineering", "mfg'd": "manufactured", "mkt'g": "marketing", "acc't": "account",
    "am't": "amount", "pres't": "president", "hr'g": "hearing", "mem'l": "memorial", "ass't": "assistant",
}  # fmt: skip
# Before the noun that they belong to. A sentence may end with them, and then they stay.
BEFORE_NOUN = {
    "std": "standard", "rev": "revised", "attys": "attorneys", "atty": "attorney", "mfr": "manufacturer",
    "mgr": "manager", "mgmt": "management", "maint": "maintenance", "admin": "administration", "prev": "previous",
    "curr": "current", "addl": "additional", "natl": "national", "intl": "international", "cont": "continued",
    "equiv": "equivalent", "min": "minimum", "max": "maximum", "reg": "regular", "sched": "scheduled",
}  # fmt: skip
PANS = (
    r"(?:pans?|dish(?:es)?|tins?|sheets?|baking|cake|loaf|glass|casserole|metal|photos?|prints?|frames?|rooms?|rugs?|boards?"
    r"|grids?|posters?|cards?|tiles?|box(?:es)?|tents?|plots?|canvas(?:es)?|envelopes?|boxes|beams?|posts?|lumber|studs?"
    r"|matri(?:x|ces)|squares?|patch(?:es)?|beds?|greenhouse|sheds?|garage|foil)"
)
SIDED = (
    r"(?:doors?|walls?|gates?|sides?|wings?|towers?|entrances?|coast|shores?|windows?|front|aisle|transept|porch|slopes?"
    r"|ridge|face)"
)
SIDES = {"N": "north", "S": "south", "E": "east", "W": "west"}
HEATED = re.compile(
    r"(?i)\b(?:heat\w*|cool\w*|temperatures?|anneal\w*|quench\w*|superconduct\w*|stars?|plasma|sample)\b"
)
COOKING = re.compile(r"(?i)\b(?:tsp|tbsp|cups?|whisk|stir|simmer|bake|preheat|oil|flour|sugar|butter|salt|onions?)\b")
COMPARED = {"<": "is less than", ">": "is greater than", "=": "equals", "≤": "is at most", "≥": "is at least"}
GENTLE = {"MR": "Mister", "MRS": "Missus"}


def _left_out(match: re.Match[str]) -> str:
    word = match["word"].replace("’", "'")
    said = LEFT_OUT[word.lower()]
    said = said.capitalize() if word[0].isupper() else said
    return keeps_dot(said, match) if match[0].endswith(".") else said


def _given(match: re.Match[str]) -> str:
    """ "Jas. Whitby", "Geo. IV"."""
    name = GIVEN_NAMES[match["name"]]
    return f"{name} the {ordinal(value(match['numeral']))}" if match["numeral"] else name


def _sides(match: re.Match[str]) -> str:
    """All sides of a thing, with "by" between them."""
    return " by ".join(spoken(part) for part in re.findall(NUMBER, match["size"]))


def _rated(match: re.Match[str]) -> str | None:
    best = int(match["best"])
    return f"{spoken(match['n'])} out of {cardinal(best)}" if float(match["n"]) <= best else None


def _minutes(match: re.Match[str]) -> str:
    names = {"m": "minutes", "h": "hours", "y": "years", "w": "weeks", "d": "days", "l": "pounds", "s": "seconds"}
    noun = names["m" if match["unit"].startswith("mi") else match["unit"][0]]
    if match["unit"].startswith("mo"):
        noun = "months"
    return f"{spoken(match['n'])} plus {keeps_dot(noun, match) if match[0].endswith('.') else noun}"


def _expires(match: re.Match[str]) -> str:
    number = int(match["year"][-2:])
    word = re.sub(r"\A([Ee])xp\.", r"\1xpires", match["word"])
    return f"{word}{MONTHS[int(match['month']) - 1]} {year(2000 + number)}"


def _spoons(match: re.Match[str]) -> str:
    """ "½ t. sugar", "3 T oil"."""
    several = match["big"] and text_before(match, 2) != "1 "
    return f"{'tea' if match['unit'] == 't' else 'table'}spoon{'s' if several else ''}"


def _dated(match: re.Match[str]) -> str | None:
    """ "by 11/30": with a day that no part of a whole has."""
    return (
        None if int(match["b"]) < 13 and match["a"] != "12" else date_of_pair(match, int(match["a"]), int(match["b"]))
    )


SHORT_FORM_RULES = (
    rule(rf"(?<![\w.'’-])(?P<name>{one_of(GIVEN_NAMES)})\."
         r"(?: (?P<numeral>I{1,3}|IV|VI{0,3})\b(?![.'’]\w)|(?= (?:[A-Z]\. )?[A-Z][a-z][a-zA-Z]))", _given),
    rule(rf"(?<![\w.'’-])(?P<word>(?i:{one_of(word.replace(chr(39), '~') for word in LEFT_OUT)}))\b\.?(?=[ ,;:)]|\s*\Z)"
         .replace("\\~", "['’]").replace("~", "['’]"), _left_out),
    rule(rf"(?<![\w.'’-])(?P<word>{one_of(BEFORE_NOUN)})\.(?= (?!(?:and|or|of|the|to|in|at|on|for|by|is|was|are|i?f)\b)"
         r"[a-z]{3,}|['’])",
         lambda m: BEFORE_NOUN[m["word"]] if m["word"] not in ("min", "max", "reg", "cont", "rev", "admin")
         or re.search(r"\b(?:the|an?|our|your|my|this|its?|their|latest|new) \Z", text_before(m, 12)) else None),
    rule(r"(?<![\w.'’-])(?P<a>full|half|last|mid|multi|per|prior|two|three|five|ten)-yr\.(?= [a-z]|['’]s\b)",
         r"\g<a>-year"),
    rule(r"(?:(?<=\blast )|(?<=\bthis )|(?<=\bnext )|(?<=\bper )|(?<=\beach )|(?<=\bthe ))"
         r"(?P<unit>yr|wk|mo|hr)\.?(?=['’]s\b)",
         lambda m: {"yr": "year", "wk": "week", "mo": "month", "hr": "hour"}[m["unit"]]),
    rule(r"(?<![\w.,])(?P<n>\d{1,2})(?:st|nd|rd|th)(?P<joint>[- ])cent\.(?= [a-z])",
         lambda m: f"{ordinal(int(m['n']))}{m['joint']}century"),
    rule(r"(?<![\w.])Sts\.(?= [A-Z][a-z]+(?:,? (?:and|&) |, )[A-Z])", "Saints"),
    rule(rf"(?:(?<=\b[Tt]he )|(?<=\b[Ii]ts ))(?P<way>[NSEW])(?= {SIDED}\b)", lambda m: SIDES[m["way"]]),
    rule(r"(?<![\w.])encl\.(?=(?P<n> \d)|[,:;)])", lambda m: "enclosure" if m["n"] else "enclosed"),
    rule(r"(?<![\w.'’-])std\.(?=[,;)]|\s*\Z|\s+[A-Z][a-z])", lambda m: keeps_dot("standard", m)),
    rule(r"(?<![\w.])Encls?\.(?=:? )", lambda m: "Enclosures" if "s" in m[0] else "Enclosure"),
    rule(r"(?<![\w.])arr\.(?= (?:in |at )?[A-Z][\w ]{2,24} (?:at )?\d{1,2}[:.]\d\d)", "arrives"),
    rule(r"(?<=\bin )Sept\.(?=\s+[A-Z][a-z]|\s*\Z)", "September."),
    rule(r"(?:(?<=[½¼¾⅓⅔] cup )|(?<=\d cups )|(?<=[½¼¾⅓⅔] tsp )|(?<=\d oz\. )|(?<=\d oz )|(?<=\d lbs\. ))"
         r"ea\.(?=[ ,;)])", "each"),
    rule(rf"(?<![\w.,])(?P<n>{NUMBER})\+ ?(?P<unit>mins?|hrs?|yrs?|wks?|mos|lbs?|secs?)\b\.?", _minutes),
    rule(rf"(?<![\w.,/])(?P<size>{NUMBER} ?[x×] ?{NUMBER})(?=[ -](?:[a-z]+ )?{PANS}\b)"
         rf"|(?<=\ban )(?P<s2>8 ?[x×] ?{NUMBER})(?![\w.])",
         lambda m: " by ".join(spoken(part) for part in re.findall(NUMBER, m["size"] or m["s2"]))),
    rule(rf"(?<![\w.,/])(?P<size>{NUMBER} ?[\"″] ?[x×] ?{NUMBER} ?[\"″] ?[x×] ?{NUMBER}) ?[\"″](?!\w)",
         lambda m: f"{_sides(m)} inches"),
    rule(rf"(?<![\w.,/])(?P<size>{NUMBER} ?[x×] ?{NUMBER} ?[x×] ?{NUMBER}) ?(?:in\b\.?(?=[ ,;)])|[\"″](?!\w))",
         lambda m: f"{_sides(m)} inches"),
    # A mark, not a part: "a solid 8/10", "gave it 7/10".
    rule(r"(?:(?<=\b[Aa] )|(?<=\ban )|(?<=\bsolid )|(?<=\bit )|(?<=\bthem )|(?<=\bhim )|(?<=\bme )|(?<=\brate this )"
         r"|(?<=\bperfect )|(?<=\bstrong )|(?<=\beasy ))(?P<n>\d{1,2}(?:\.5)?)/(?P<best>10)"
         r"(?![\w/]|\.\d| (?:of|inch|mile|second|chance|in)\b)", _rated),
    rule(r"(?<![\w.,/])(?P<n>\d{1,2}(?:\.5)?)/(?P<best>10)"
         r"(?= (?:or (?:worse|better|higher|more|less|lower|above|below)|overall|imo|tbh|pain)\b)", _rated),
    rule(r"\b(?P<word>[Pp]ain (?:is |was |at |level |score |of )?)(?P<n>\d{1,2})/(?P<best>10)(?![\w/]|\.\d)",
         lambda m: f"{m['word']}{_rated(m)}" if _rated(m) else None),
    # A clock of a match: "0:14 left".
    rule(r"(?<![\w.,:])0:(?P<s>[0-5]\d)(?= (?:left|remaining|to (?:go|play)|on the (?:clock|shot clock))\b)",
         lambda m: f"{spoken(str(int(m['s'])))} second{'' if m['s'] == '01' else 's'}"),
    rule(r"(?<=\bthe )(?P<side>[LR])\.?(?= (?:wrist|arm|leg|knee|hip|ankle|foot|hand|eye|ear|shoulder|elbow|lung|breast"
         r"|kidney|thigh|thumb|heel|femur|tibia)\b)", lambda m: {"L": "left", "R": "right"}[m["side"]]),
    rule(r"(?<=\bnoon )Weds?\.(?=\s*\Z|\s+[A-Z])", "Wednesday."),
    # The chance that nothing was found: "P < .001".
    rule(r"(?<![\w.])(?P<p>[Pp]) ?(?P<sign>[<>=≤≥]) ?0?\.(?P<n>\d{1,6})(?![\w]|[.,]\d)",
         lambda m: f"{m['p']} {COMPARED[m['sign']]} {spoken('0.' + m['n'])}"),
    rule(r"(?:(?<=['’]s)|(?<=['’]re)|(?<=\bis)|(?<=\bwas)|(?<=\bare)|(?<=\bwere)|(?<=\bwith)|(?<=\bin)|(?<=\bat)"
         r"|(?<=\bfor)|(?<=\bof)|(?<=\bonly)|(?<=\bstill)|(?<=\bto)) (?P<sign>[<>]) ?(?=[$£€]?\d)",
         lambda m: {"<": " less than ", ">": " more than "}[m["sign"]]),
    rule(r"(?<![\w.])(?P<word>MRS?)\.?(?= [A-Z]{3})", lambda m: GENTLE[m["word"]]),
    rule(r"(?<![\w.])B4(?= (?:I|we|you|u|he|she|they|the|it)\b)", lambda m: "before"
         if text_before(m, 3)[-2:-1] not in ".!?" and text_before(m, 1) else "Before"),
    # "Exp. 08/27": a month and a year.
    rule(r"(?P<word>\b(?:[Ee]xp(?:\.|ires|iry)?|EXP|[Bb]est (?:by|before)|[Uu]se by|MFG|Mfd\."
         r"|[Vv]alid (?:thru|until|to))(?: date)?:? )(?P<month>0?[1-9]|1[0-2])"
         r"/(?P<year>(?:20)?[2-4]\d)(?![\w/]|[.,]\d)", _expires),
    rule(r"(?:(?<=\b[ap]m [PECM]T )|(?<=\b[ap]\.m\. [PECM]T )|(?<=\bthru )|(?<=\bby )|(?<=\bends )|(?<=\bdue )"
         r"|(?<=\buntil )|(?<=\bon )|(?<=\bthrough ))(?P<a>1[0-2]|0?[1-9])/(?P<b>3[01]|[12]\d|0?[1-9])"
         r"(?=[.,;!?)](?!\d)|\s*\Z)", _dated),
    rule(r"(?<=[a-z] )4(?P<day>get|ever|give|got)(?![\w-])", r"for\g<day>"),
    rule(r"(?:(?<=\bup )|(?<=\bu )|(?<=\bplans )|(?<=\bdown )|(?<=\btix )|(?<=\bready ))"
         r"4 (?P<day>tmrw|tmr|2moro|2nite|2day)\b",
         lambda m: "for " + {"2nite": "tonight", "2day": "today"}.get(m["day"], "tomorrow")),
    rule(r"(?P<what>\b(?:[Tt]racking|[Oo]rder|[Cc]onfirmation)) no\.(?=: ?[A-Z\d])", r"\g<what> number"),
    rule(r"(?<![\w.,])(?P<n>\d[\d,]{0,6}(?:\.\d{1,3})?) K(?= (?:at|in|under|for|by|and|to|with)\b)"
         r"|(?<=\bto )(?P<m>\d[\d,]{2,6}) K(?=[,;.)])",
         lambda m: f"{spoken(m['n'] or m['m'])} kelvins" if mentions(HEATED, m.string) else None),
    rule(r"(?<=\d )Å(?!\w)", "angstroms"),
    rule(r"(?<![\w.])(?P<r>[Rr])efs\.(?= \d)", r"\g<r>eferences"),
    rule(r"(?<=\b[Ee]ach )tab\.(?= [a-z])", "tablet"),
    rule(r"(?<![\w.])(?P<q>[Qq])ty\.(?=:)", r"\g<q>uantity"),
    rule(r"(?<=[½¼¾⅓⅔⅛] )(?P<unit>[tT])\.?(?= [a-z])|(?<=\d )(?P<big>T)(?= [a-z])",
         lambda m: _spoons(m) if mentions(COOKING, m.string) else None),
    rule(r"(?:(?<=\blast )|(?<=\bnext )|(?<=\bthis ))(?P<unit>wk|mo|yr)\.(?=[,;)]|\s*\Z|\s+[A-Z][a-z])",
         lambda m: keeps_dot({"wk": "week", "mo": "month", "yr": "year"}[m["unit"]], m)),
    rule(r"(?<=[a-z] )min\./side\b", "minutes per side"),
    rule(r"(?:(?<=\bUncle )|(?<=\bCousin )|(?<=\bBrother )|(?<=\bAunt )|(?<=\bSister ))"
         rf"(?P<name>{one_of(GIVEN_NAMES)})\.(?=,| [a-z])", lambda m: GIVEN_NAMES[m["name"]]),
    rule(r"(?<=\bNew )Yr\.(?=['’]s)|(?<=\bNew )Yrs\.(?= [DE])", "Year"),
    rule(r"(?<=[A-Z][a-z] St\. )(?P<way>[NSEW])\.(?=,)|(?<=[A-Z]ve\. )(?P<side>[NSEW])\.(?=,)",
         lambda m: SIDES[m["way"] or m["side"]].capitalize()),
)  # fmt: skip
