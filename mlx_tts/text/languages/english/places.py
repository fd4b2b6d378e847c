"""Addresses, roads, rooms and gates -> English words. A letter after their number is a letter, never a unit."""

from __future__ import annotations

import re

from mlx_tts.text.languages.english.numbers import BRITISH, cardinal, day_first, digits, label, label_digits, year
from mlx_tts.text.normalise.engine import UnspeakableError, mentions, one_of, rule, text_after, text_before, words_of

STATES = dict(
    pair.split(":") for pair in ["AL:Alabama", "AK:Alaska", "AZ:Arizona", "AR:Arkansas", "CA:California",
    "CO:Colorado", "CT:Connecticut", "DE:Delaware", "FL:Florida", "GA:Georgia", "HI:Hawaii", "ID:Idaho", "IL:Illinois",
    "IN:Indiana", "IA:Iowa", "KS:Kansas", "KY:Kentucky", "LA:Louisiana", "ME:Maine", "MD:Maryland", "MA:Massachusetts",
    "MI:Michigan", "MN:Minnesota", "MS:Mississippi", "MO:Missouri", "MT:Montana", "NE:Nebraska", "NV:Nevada",
    "NH:New Hampshire", "NJ:New Jersey", "NM:New Mexico", "NY:New York", "NC:North Carolina", "ND:North Dakota",
    "OH:Ohio", "OK:Oklahoma", "OR:Oregon", "PA:Pennsylvania", "RI:Rhode Island", "SC:South Carolina",
    "SD:South Dakota", "TN:Tennessee", "TX:Texas", "UT:Utah", "VT:Vermont", "VA:Virginia", "WA:Washington",
    "WV:West Virginia", "WI:Wisconsin", "WY:Wyoming", "DC:D C"]
)  # fmt: skip
OLD_STATES = dict(
    pair.split(":") for pair in words_of(
        "Ala:Alabama Ariz:Arizona Ark:Arkansas Calif:California Colo:Colorado Conn:Connecticut Del:Delaware "
        "Fla:Florida Ga:Georgia Ill:Illinois Ind:Indiana Kan:Kansas Ky:Kentucky La:Louisiana "
        "Md:Maryland Mass:Massachusetts "
        "Mich:Michigan Minn:Minnesota Miss:Mississippi Mo:Missouri Mont:Montana Neb:Nebraska Nev:Nevada Okla:Oklahoma "
        "Ore:Oregon Pa:Pennsylvania Tenn:Tennessee Tex:Texas Va:Virginia Vt:Vermont Wash:Washington Wis:Wisconsin "
        "Wyo:Wyoming")
)  # fmt: skip
# Words that are nothing else; the others need a street number before the name.
STREETS = {"Ave": "Avenue", "Av": "Avenue", "Blvd": "Boulevard", "Rd": "Road", "Pkwy": "Parkway", "Expy": "Expressway",
           "Expwy": "Expressway", "Fwy": "Freeway", "Hwy": "Highway", "Tpke": "Turnpike", "Hts": "Heights"}  # fmt: skip
NUMBERED_STREETS = {"St": "Street", "Dr": "Drive", "Ct": "Court", "Pl": "Place", "Ln": "Lane", "Sq": "Square",
                    "Cir": "Circle", "Ter": "Terrace", "Terr": "Terrace", "Trl": "Trail", "Way": "Way",
                    "Hwy": "Highway"}  # fmt: skip
FULL = words_of(
    "Street Avenue Road Drive Boulevard Lane Court Place Square Parkway Expressway Highway Terrace Circle "
    "Way Broadway Trail Crescent Close Gardens Row Mews Hill"
)
POINTED = {"N.E.": "Northeast", "N.W.": "Northwest", "S.E.": "Southeast", "S.W.": "Southwest"}
DIRECTIONS = {"N": "North", "S": "South", "E": "East", "W": "West", "NE": "Northeast", "NW": "Northwest",
              "SE": "Southeast", "SW": "Southwest"}  # fmt: skip
UNITS = {"Apt": "Apartment", "Ste": "Suite", "Bldg": "Building", "Fl": "Floor", "Rm": "Room"}
UNIT_WORDS = words_of(
    "Apt apt Apartment apartment Flat flat Unit unit Suite suite Ste Room room Gate gate Exit exit Building "
    "building Bldg "
    "Terminal terminal Platform platform Seat seat Row row Lot lot Pier pier Track track Bay bay Box Section section "
    "Floor floor Bus bus Line line Locker locker Door door Aisle aisle Form form Hall hall Stall stall Table table "
    "Block block Zone zone Group group Class class Dock dock Cell cell Grade grade Rm"
)
SENTENCE_START = r" (?:The|It|A|An|This|That|We|You|He|She|They|I|In|On|At|If|And|But|Turn|Take|Call|Use)\s"
DIRECTION = r"(?:[NSEW]|NE|NW|SE|SW)\b\.?"
NAME = r"(?:(?:Mt|St|Ft)\. )?(?:[A-Z][\w'’]{0,30}|\d{1,3}(?:st|nd|rd|th))"
STREET = rf"(?:{one_of({**STREETS, **NUMBERED_STREETS})}|{one_of(FULL)})\b"
ROUTE = r"(?:I|US|SR|CR|Hwy|Highway|Route|Rte|Interstate|[MA](?=-))"


def _compass(written: str) -> str | None:
    """ "NNW" -> "north northwest"."""
    if len(written) == 3:
        first, rest = _compass(written[0]), DIRECTIONS.get(written[1:])
        return f"{first} {rest.lower()}" if rest else None
    said = DIRECTIONS.get(written)
    return said.lower() if said else None


def _street_number(match: re.Match[str]) -> str:
    """In pairs: 2788 is "twenty seven eighty eight", 123 "one twenty three"."""
    written, letter = match["n"], match["letter"] or ""
    if re.fullmatch(r"1[5-9]\d\d|20\d\d", written) and re.search(
        r"\b(?:[Ii]n|[Ss]ince|[Bb]y|[Uu]ntil|[Aa]fter|[Bb]efore|[Dd]uring) \Z", text_before(match, 8)
    ):
        raise UnspeakableError(match[0])  # "In 1974 E. Howard Hunt"
    if len(written) == 4 and written[1:] != "000" and written[0] != "0":
        said = f"{cardinal(int(written[:2]))} hundred" if written[2:] == "00" else year_pairs(written)
    else:
        said = label_digits(written)
    way = f" {DIRECTIONS[match['way']]}" if match["way"] else ""
    return f"{said} {letter.upper()}".strip() + way


def year_pairs(written: str) -> str:
    first, last = written[:2], written[2:]
    return f"{cardinal(int(first))} {'oh ' if last[0] == '0' else ''}{cardinal(int(last))}"


def _two_houses(match: re.Match[str]) -> bool:
    """ "48-50 Mill Lane" in Britain are two houses on one side of the street; in Queens it is the number of one."""
    first, last = int(match["n"]), int(match["m"])
    return day_first(match.string) and first < last <= first + 20 and (last - first) % 2 == 0


def _street(match: re.Match[str]) -> str:
    words = STREETS.get(match["word"]) or NUMBERED_STREETS[match["word"]]
    ends = match[0].endswith(".") and re.match(r"[\"'”’)]*(?:\s*\Z|\s+[\"'“‘(]?[A-Z][a-z])", text_after(match, 8))
    return f"{words}." if ends else words


def _numbered_street(match: re.Match[str]) -> str | None:
    """St, Dr and the like are streets behind a name that has a number before it."""
    if re.search(rf"(?<![\w.,])\d{{1,6}}[A-Za-z]?,? (?:{DIRECTION} )?(?:{NAME} ){{1,4}}\Z", text_before(match, 80)):
        return _street(match)
    ordinal_before = re.search(r"\b\d{1,3}(?:st|nd|rd|th) \Z", text_before(match, 8))
    return _street(match) if ordinal_before and match["word"] in ("St", "Pl", "Ct") else None


# Where a college plays, "Fresno St." is Fresno State.
SCHOOLS = re.compile(
    r"(?<!\d )(?<!\d [NSEW] )\b(?:Fresno|Boise|Ohio|Penn|Michigan|Iowa|Kansas|Oklahoma|Florida|Oregon|Arizona"
    r"|San Diego|San Jose"
    r"|Utah|Colorado|Mississippi|Washington|Georgia|Ball|Kent|Wichita|Weber|Montana|N\.C\.|App) \Z"
)
PLAYS = re.compile(
    r"\b(?:TDs?|yds|yards|beat|vs\.?|season|coach|quarterback|rebounds|touchdowns?|game|ranked|Big Ten|SEC|NCAA"
    r"|points)\b"
)


def _saint_or_street(match: re.Match[str]) -> str | None:
    if SCHOOLS.search(text_before(match, 20)) and mentions(PLAYS, match.string):
        return "State." if match["dot"] and re.match(r"\s*\Z|\s+[A-Z][a-z]", text_after(match, 8)) else "State"
    named = re.search(r"\b(?!(?:The|In|At|On|To|And|Of|From|By|Near) )[A-Z][a-z'’]+ \Z", text_before(match, 24))
    after = text_after(match, 12)
    if re.match(r" [A-Z][a-z]", after) and not (
        named and re.search(r"\d\w* (?:[NSEW]\.? )?\w+ \Z", text_before(match, 40))
    ):
        return "Saint"
    if re.match(r" [A-Z][a-z]", after):
        return _street_end(match)
    return _street_end(match) if named and (match["dot"] or re.match(r"[,;)]|\s*\Z| [a-z]", after)) else None


def _street_end(match: re.Match[str]) -> str:
    ends = match["dot"] and re.match(r"[\"'”’)]*(?:\s*\Z|\s+[\"'“‘(]?[A-Z][a-z])", text_after(match, 8))
    return "Street." if ends else "Street"


def _doctor_or_drive(match: re.Match[str]) -> str:
    named = re.search(r"(?:\d \w+|\d \w+ \w+|\b[A-Z][a-z'’]+) \Z", text_before(match, 40))
    after = text_after(match, 8)
    follows = re.match(r"[,;)]|\s*\Z| [a-z]", after) or (re.search(r"\d \w+ (?:\w+ )?\Z", text_before(match, 40)))
    if named and not follows and re.match(SENTENCE_START, after + "     "):
        return "Drive."
    if not named or not follows:
        return "Doctor"
    ends = match[0].endswith(".") and re.match(r"[\"'”’)]*(?:\s*\Z|\s+[\"'“‘(]?[A-Z][a-z])", after)
    return "Drive." if ends else "Drive"


def _county(match: re.Match[str]) -> str:
    """ "in Levy Co."; a firm is named with other words before."""
    name = match["name"] or match["name2"] or match["name3"]
    ends = re.match(r"\s*\Z|\s+[A-Z][a-z]", text_after(match, 40))
    return f"{name}County{'.' if ends else ''}"


def _zip(match: re.Match[str]) -> str | None:
    state = STATES.get(match["state"])
    if state is None:
        return None
    code = "".join(f"{sep}{digits(part)}" for sep, part in ((" ", match["zip"]), (", ", match["more"])) if part)
    return f", {state}{code}"


def _unit(match: re.Match[str]) -> str | None:
    word = match["word"].rstrip(".")
    code = match["code"].replace(" ", "")
    if code.isdecimal():
        if len(code) < 3 or (len(code) == 3 and code.endswith("00")):
            said = cardinal(int(code)) if code[0] != "0" else digits(code)
        elif word.lower() in ("line", "table", "class", "block", "group") and len(code) == 3:
            said = cardinal(int(code))
        elif len(code) in (3, 4) and word[0] in "FfRrUuAaSs":
            said = label_digits(code)
        else:
            said = year(int(code)) if len(code) == 4 and word.lower() != "box" else digits(code)
    elif re.fullmatch(r"\d+-\d+", code):
        said = " ".join(label_digits(part) for part in code.split("-"))
    else:
        said = label(code) or code
    return f"{UNITS.get(word, word)} {said}"


def _postcode(match: re.Match[str]) -> str:
    return ", ".join(" ".join(cardinal(int(c)) if c.isdecimal() else c for c in part) for part in match[0].split(" "))


def _road(match: re.Match[str]) -> str:
    word = {"Hwy": "Highway", "Rte": "Route"}.get(match["word"], match["word"])
    way = f" {DIRECTIONS[match['way']]}" if match["way"] else ""
    spoken_word = " ".join(word) if word.isupper() and len(word) == 2 else word
    letter = f" {match['letter']}" if match["letter"] else ""
    return f"{spoken_word} {label_digits(match['n'])}{letter}{way}"


# Before a word such as "Room" a number is its name.
ADDRESS_RULES = (
    # A street with its direction, without the number of a house: "at W. 44th St.", "on N. Maple Ave.".
    rule(r"(?<![\w.])(?P<way>[NSEW])\. (?=\d{1,3}(?:st|nd|rd|th) (?:St|Ave|Street|Avenue|Pl|Blvd)\b)"
         r"|(?:(?<=\b[Oo]n )|(?<=\b[Aa]t )|(?<=\band )|(?<=\bof )|(?<=\balong )|(?<=\bnear ))(?P<way2>[NSEW])\."
         r" (?=(?:[A-Z][a-z'’]{1,20} ){1,2}(?:St|Ave|Blvd|Rd|Street|Avenue|Boulevard|Road)\b)",
         lambda m: f"{DIRECTIONS[m['way'] or m['way2']]} "),
    rule(rf"(?<![\w.,/$£€#-])(?P<n>\d{{1,5}})(?P<letter>[A-Za-z]?)(?: (?P<way>[NSEW]|NE|NW|SE|SW)\b\.?)?(?=(?: "
         rf"{NAME}){{1,4}} {STREET})",
         _street_number),
    rule(rf"(?<![\w.,/$£€#-])(?P<n>\d{{1,5}})(?P<letter>) (?P<way>[NSEW]|NE|NW|SE|SW)\b\.?(?= (?:{NAME})(?:[ ,.]|\Z))",
         _street_number),
    rule(rf"(?<![\w.,/$£€#-])(?P<n>\d{{2,3}})-(?P<m>\d{{2}})(?= (?:[NSEW]\.? )?(?:{NAME} ){{1,3}}{STREET})",
         lambda m: f"{label_digits(m['n'])} to {label_digits(m['m'])}" if _two_houses(m)
         else f"{label_digits(m['n'])} {digits(m['m']) if m['m'][0] == '0' else cardinal(int(m['m']))}"),
    rule(rf"(?<=[a-z] )(?P<word>{one_of({**STREETS, **NUMBERED_STREETS})})\.? (?P<way>NW|NE|SW|SE)(?=[ ,.;)]|\Z)",
         lambda m: f"{(STREETS | NUMBERED_STREETS)[m['word']]} {DIRECTIONS[m['way']]}"),
    rule(rf"\b(?P<word>{ROUTE})[- ](?P<n>\d{{1,4}})(?![:.,]\d)(?P<letter>[A-Z]?)(?: (?P<way>[NSEW]|NE|NW|SE|"
         rf"SW)\b(?!\.\w))"
         rf"?(?![\w-])",
         _road),
    rule(rf"(?<=[\w'’] )(?P<word>{one_of(STREETS)})(?:\.|(?![\w'’.]))", _street),
    rule(rf"(?<=[\w'’] )(?P<word>{one_of(NUMBERED_STREETS)})(?:\.|(?![\w'’.]))", _numbered_street),
    rule(r"(?<=iles )(?P<way>[NSEW]{1,3})(?= of\b)", lambda m: _compass(m["way"])),
    rule(r"(?:(?<=\b[Ww]inds )|(?<=\b[Ww]ind ))(?P<way>[NSEW]{1,3})\b(?! ?[-/])", lambda m: _compass(m["way"])),
    rule(r"(?<![\w.])(?P<way>[NSEW]{2,3})(?= (?:winds?|gales?|breezes?)\b)", lambda m: _compass(m["way"])),
    rule(r"(?<=\bfrom the )(?P<way>[NSEW]{2,3})\b(?!\.)|(?<=\bto the )(?P<to>[NSEW]{2,3})\b(?!\.)",
         lambda m: _compass(m["way"] or m["to"])),
    rule(rf"(?<=[a-z], )(?P<state>{one_of(OLD_STATES)})\.(?=[,;)]| [a-z(]|(?P<end>\s*\Z))",
         lambda m: OLD_STATES[m["state"]] + ("." if m["end"] is not None else "")),
    rule(r"(?<=\bin )(?P<name>(?:[A-Z][a-z]+ ){1,2})Co\.|(?<=\bnear )(?P<name2>(?:[A-Z][a-z]+ ){1,2})Co\."
         r"|(?<=\bacross )(?P<name3>(?:[A-Z][a-z]+ ){1,2})Co\.", lambda m: _county(m)),
    rule(r"(?<=\bmoving )(?P<way>[NSEW]{1,3})\b(?!\.)", lambda m: _compass(m["way"])),
    rule(r"(?<=\d )(?P<way>[NS]\.[EW]\.)(?= (?:\d{1,3}(?:st|nd|rd|th)|[A-Z][a-z]+)\b)", lambda m: POINTED[m["way"]]),
    rule(r"(?<![\w.,/$£€#-])(?P<n>\d{1,5})(?P<letter>)(?=(?P<way>) [NS]\.[EW]\. )", _street_number),
    rule(r"(?<![\w.])St(?P<dot>\.|(?=[,;) ]|\Z))", _saint_or_street),
    rule(r"(?<![\w.])Dr(?:\.|(?= [A-Z]))", _doctor_or_drive),
    rule(r"(?<![\w#])(?P<n>\d{2,8})#(?!\w)", lambda m: f"{digits(m['n'])} {'hash' if BRITISH.get() else 'pound'}"),
    rule(r",? (?P<state>[A-Z]{2}) (?P<zip>\d{5})(?:-(?P<more>\d{4}))?(?![\w-])", _zip),
    rule(rf"(?<=[a-z]), (?P<state>{'|'.join(STATES)})(?=[,.;:!?)]|\Z)(?P<zip>)(?P<more>)", _zip),
    rule(r"\b[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}\b", _postcode),
    rule(rf"\b(?P<word>{one_of(UNIT_WORDS)})\.? (?:[Nn]o\. |#)?(?P<code>\d{{1,5}} ?[A-Z]|\d{{1,5}}[a-z]|"
         rf"\d{{1,2}}-\d{{2,4}}|"
         rf"[A-Z]-?\d{{1,5}}[A-Z]?"
         r"|\d{3,5})(?![\w-]|\.\d|,\d)(?! ?[%°])", _unit),
    rule(r"\b(?P<word>[Ff]light|[Rr]oute|[Hh]ighway|[Cc]ode|PIN|pin|[Ee]xtension|[Ee]xt\.)"
         r"(?P<kind> (?:[A-Z]{1,2} ?)?)(?P<n>\d{3,6})(?![\w-]|\.\d|,\d)",
             lambda m: f"{_word(m['word'])}{m['kind'].rstrip()} {_room(m)}"),
)  # fmt: skip


def _word(word: str) -> str:
    return "extension" if word.lower() == "ext." else word


def _room(match: re.Match[str]) -> str:
    written = match["n"]
    if len(written) == 3 and written[1:] != "00" and match["word"][0] in "FfRrHh":
        middle = "oh " if written[1] == "0" else ""
        return f"{digits(written[0])} {middle}{cardinal(int(written[1:]))}"
    if len(written) == 4 and match["word"][0] in "FfRr" and match["word"].lower() != "route":
        return year(int(written))
    return cardinal(int(written)) if written.endswith("00") else digits(written)
