"""Short forms of American letters, charts, rulings, games and offers ("Ph.", "M-F 9-5", "↓ from 10", "1 br. apt.")."""

from __future__ import annotations

import re

from mlx_tts.text.languages.english.british import CHARTED, COUNTIES, POSTCODE, RACING
from mlx_tts.text.languages.english.clinic import HOME, NOTES
from mlx_tts.text.languages.english.dates import DAYS, MONTHS, SHORT_MONTH
from mlx_tts.text.languages.english.market_and_court import PENCE, TRADED
from mlx_tts.text.languages.english.mathematics import VULGAR, mixed
from mlx_tts.text.languages.english.more_notices import CARS
from mlx_tts.text.languages.english.numbers import NUMBER, cardinal, digits, is_one, label_digits, plural, spoken, year
from mlx_tts.text.languages.english.places import DIRECTIONS, OLD_STATES
from mlx_tts.text.languages.english.tells import tells_of
from mlx_tts.text.languages.english.terms import STUDIED
from mlx_tts.text.languages.english.unit_names import named
from mlx_tts.text.languages.english.words import keeps_dot
from mlx_tts.text.normalise.engine import mentions, one_of, rule, text_after

HOURS = re.compile(
    r"\d ?[ap]\.?m\b|\b\d{1,2}(?::\d\d)?[ap]?m? ?[-–] ?\d{1,2}(?::\d\d)?(?![\d-])|\b\d{1,2}:\d\d"
    r"|\bhours\b"
)
DAY_LETTERS = {"M": "Monday", "Tu": "Tuesday", "W": "Wednesday", "Th": "Thursday", "F": "Friday", "Sa": "Saturday",
               "Su": "Sunday", "Sat": "Saturday", "Sun": "Sunday"}  # fmt: skip
ESTATES = {"Ind": "Industrial", "Indl": "Industrial", "Trad": "Trading", "Bus": "Business", "Ret": "Retail"}
# What a recipe names with a capital letter: behind "1 lb." no sentence begins with it.
FOODS = (
    "Brussels|Yukon|Parmesan|Parmigiano|Dijon|Worcestershire|Greek|Swiss|Italian|Roma|Gruy[eè]re|Monterey|Cheddar|Medjool"
    "|Thai|Kalamata|Granny|Honeycrisp|Russet|Cajun|Romano|Pecorino|Tabasco|Sriracha|Idaho|French|English|Napa|Chinese"
    "|Mexican|Asiago|Fontina|Marsala|Cognac|Grand Marnier|King Arthur|Arborio|Spanish|Persian|Meyer|Hass|Anaheim|Fresno"
    "|Scotch|Bibb|Boston lettuce|Savoy|Cotija|Oaxaca|Velveeta|Crisco|Bisquick|Old Bay|Japanese|Korean|Vidalia|Nutella"
)
PORTIONS = (
    "serving|slice|piece|cup|portion|bar|cookie|scoop|group|arm|cage|well|plate|litter|tank|person|patient|team|player"
    "|child|adult|user|seat|site|plot|pack|box|bottle|guest|session|subject|animal|mouse|sample|condition|household"
    "|ticket|order|license|vehicle|class|lesson|couple|family|dog|tablet|capsule|block|square|treatment|lap|set"
)
COUNTED = {
    "cal": "calorie",
    "cals": "calorie",
    "kcal": "kilocalorie",
    "kcals": "kilocalorie",
    "g": "gram",
    "mg": "milligram",
}
FULL_STATES = {**OLD_STATES, "Cal": "California"}
REGIMENTS = {"Inf": "Infantry", "Cav": "Cavalry", "Vols": "Volunteers", "Vol": "Volunteer", "Regt": "Regiment",
             "Art": "Artillery", "Mil": "Militia"}  # fmt: skip
RANKS = {"Pvt": "Private", "Cpl": "Corporal", "Pfc": "Private First Class", "Adm": "Admiral", "Brig": "Brigadier",
         "Ens": "Ensign", "Lieut": "Lieutenant", "Spc": "Specialist", "Comdr": "Commander"}  # fmt: skip
NOT_CHESS = r"(?!and\b|then\b|with\b|is\b|was\b|followed\b|wins\b|or\b|but\b|to\b|square\b|pawn\b)"
TRIPLE = re.compile(r"\b(?:triple[- ]double|double[- ]double|slash line|slashing|stat line|line of)")
CHAT = re.compile(r"(?<![\w.])(?:[ru]|ur|thx|pls|lol|omg|xx+|np|brb|luv|yh|ya|hiya|gonna|wanna|tbh|idk)(?![\w.])", re.I)


def _charted(match: re.Match[str]) -> bool:
    return mentions(CHARTED, match.string) or mentions(NOTES, match.string)


def _week(match: re.Match[str]) -> str | None:
    if not mentions(HOURS, match.string):
        return None
    return f"{DAY_LETTERS[match['a']]} to {DAY_LETTERS[match['b']]}"


def _food(match: re.Match[str]) -> str:
    """ "1½ lbs. Brussels sprouts"."""
    unit, whole = match["unit"].lower(), match["n"]
    if not match["f"]:
        return f"{spoken(whole)} {named(unit, not is_one(whole))} "
    top, bottom = VULGAR.get(match["f"]) or tuple(int(part) for part in match["f"].split("/"))
    return f"{mixed(whole, top, bottom)} {'' if whole else 'of a '}{named(unit, bool(whole))} "


def _per(match: re.Match[str]) -> str:
    """ "210 cal./serving", "24/group"."""
    unit = COUNTED.get(match["unit"] or "", "")
    unit = f" {unit}{'' if is_one(match['n']) else 's'}" if unit else ""
    return f"{spoken(match['n'])}{unit} per {match['per']}"


def _marks(written: str) -> str:
    return " ".join(cardinal(int(mark)) if mark.isdecimal() else mark for mark in re.findall(r"\w+", written))


def _year(written: str) -> str:
    return f"oh {cardinal(int(written[1]))}" if written[0] == "0" and written != "00" else cardinal(int(written))


def _clock(match: re.Match[str]) -> str | None:
    if mentions(TRADED, match.string):
        return None
    minutes = "o'clock" if match["m"] == "00" else f"{'oh ' if match['m'][0] == '0' else ''}{cardinal(int(match['m']))}"
    return f"{cardinal(int(match['h']))} {minutes}"


def _noun(match: re.Match[str], noun: str) -> str:
    """With the case of what is written, and the full stop where it ends a sentence."""
    said = noun.capitalize() if match[0][0].isupper() else noun
    return keeps_dot(said, match) if match[0].endswith(".") else said


LENGTHS = {"nk": "neck", "hd": "head", "sh hd": "short head"}
AMERICAN_RULES = (
    # Letters and parcels.
    rule(r"(?<![\w.])Ph\.?(?=:? ?(?:\(\d{3}\)|\d{3}[-. ]\d))", "Phone"),
    rule(r"(?P<what>\b(?:[Gg]ate|[Dd]oor|[Aa]ccess|[Ee]ntry|[Ll]ock|[Aa]larm|[Ss]ecurity|[Gg]arage|[Bb]uzzer)"
         r" [Cc]ode(?: is|:)?) #?(?P<n>\d{3,8})(?![\w-]|[.,]\d)", lambda m: f"{m['what']} {digits(m['n'])}"),
    rule(r"(?<![\w./-])[Pp]kgs\b\.?(?![\w/-]|\.\w)", lambda m: _noun(m, "packages")),
    rule(r"(?<![\w.-])(?P<a>M|Tu|W|Th|F|Sa) ?[-–] ?(?P<b>F|Th|W|Sat?|Sun?)(?=,? (?:\d|from\b|only\b|any\b|till?\b"
         r"|until\b"
         r"|at\b)|[,;:)]|\.?\s*\Z|\. )", _week),
    rule(r"(?<![\w.])(?P<kind>Indl?|Trad|Bus|Ret)\.? (?P<what>Est|Pk)\b\.?(?=[,;]|\s*\Z| [A-Za-z])",
         lambda m: f"{ESTATES[m['kind']]} {'Estate' if m['what'] == 'Est' else 'Park'}"),
    rule(rf"(?<![\w.])(?P<way>[NSEW])\.? (?P<county>{one_of(COUNTIES)})\b\.?(?=,? {POSTCODE}|[,;)]|\s*\Z| [a-z(])",
         lambda m: f"{DIRECTIONS[m['way']]} {COUNTIES[m['county']]}"),
    rule(rf"(?<=[a-z\d)] )b4(?= {NOT_CHESS}[a-z]{{3,}})", "before"),
    rule(r"(?<![\w.])[Vv]eh\.(?= [a-z])", lambda m: _noun(m, "vehicle")),
    rule(r"(?:(?<=\. )|(?<=[a-z] ))ht\.?(?= (?:\d{1,2}(?:\.\d)? ?m\b|\d{1,2}(?:ft|['’])|limit|restr"
         r"|barrier))", "height"),
    rule(r"(?<![\w.])[Ww]k?nds?\b(?<!wnd)(?<!wnds)(?<!Wnd)(?<!Wnds)\.?",
         lambda m: _noun(m, "weekends" if "s" in m[0] else "weekend")),
    rule(r"(?<![\w.])[Ww]kdays?\b", lambda m: _noun(m, "weekdays" if m[0].endswith("s") else "weekday")),
    rule(r"(?<![\w.])[Tt]xt(?= (?:\(?\d{3}|me\b|us\b|or call\b|only\b|for\b))", lambda m: _noun(m, "text")),
    rule(r"(?<![\w.])[Aa]mts?\.(?= [a-z(]|:)", lambda m: _noun(m, "amounts" if "s." in m[0] else "amount")),
    rule(r"(?<![\w.])Ctrm\.? (?=\d)", "Courtroom "),
    rule(r"(?<![\w.])[Ff]lts?\b\.?(?= (?:\(|[A-Z]{2} ?\d|#?\d|was\b|is\b|to\b|from\b|at\b|leaves\b|lands\b|got\b"
         r"|delayed\b"
         r"|home\b|out\b|back\b|no\b))", lambda m: _noun(m, "flights" if "s" in m[0] else "flight")),
    rule(r"(?<![\w.])(?P<word>[Dd]ep|[Aa]rr)\.? (?P<code>[A-Z]{3}) T(?P<t>\d) (?P<h>[01]\d"
         r"|2[0-3]):?(?P<m>[0-5]\d)(?!\d)",
         lambda m: f"{'departs' if m['word'].lower() == 'dep' else 'arrives'} {' '.join(m['code'])} T {spoken(m['t'])}"
         f" {'zero ' if m['h'][0] == '0' else ''}{cardinal(int(m['h']))} "
         + ("hundred" if m["m"] == "00" else f"{'oh ' if m['m'][0] == '0' else ''}{cardinal(int(m['m']))}")),
    # Kitchens and laboratories.
    rule(rf"(?<![\w.,/])(?P<n>\d{{1,3}})? ?(?P<f>[{''.join(VULGAR)}]|[1-9]/[2-8])? ?(?P<unit>lbs?|oz|[Tt]bsps?|tsps?"
         rf"|qts?)\. "
         rf"(?=(?:{FOODS})\b)", lambda m: _food(m) if m["n"] or m["f"] else None),
    rule(rf"(?<![\w.,/])(?P<n>{NUMBER}) ?(?P<unit>{one_of(COUNTED)})?\.?/(?P<per>{PORTIONS})\b(?![/-])", _per),
    rule(rf"(?<![\w.,$£€])(?P<n>{NUMBER}) ?M(?= (?:[A-Z]{{2,5}}s|[A-Z][a-z]{{3,}}s)\b)",
         lambda m: f"{spoken(m['n'])} million"),
    rule(r"(?<![\w.])[Ss]uppl?\.(?= (?:Tables?|Figs?\b|Figures?|Mat|Data|Methods?|Notes?|Info|Videos?))",
         lambda m: "Supplementary" if m[0][0] == "S" else "supplementary"),
    rule(r"\b(?P<what>Figs?\.?|Figures?|figs?\.|figures?|Tables?"
         r"|[Pp]anels?) ?(?P<n>\d{1,2})(?P<a>[A-Za-z])[–-](?P<b>[A-Za-z])"
         r"(?![\w-])",
         lambda m: {"Fig": "Figure", "Figs": "Figures", "fig": "figure", "figs": "figures"}.get(
             m["what"].rstrip("."), m["what"]) + f" {spoken(m['n'])} {m['a'].upper()} to {m['b'].upper()}"),
    rule(r"(?:(?<=\bfor )|(?<=\bafter )|(?<=\bevery )|(?<=\bwithin )|(?<=\bover )|(?<=\bin )|(?<=\bx ))"
         r"(?:(?P<a>\d{1,3}) ?[-–] ?)?(?P<n>\d{1,3}) d\b(?P<dot>\.?)(?=[,;)]| (?:and|then|or|to|at|of|with|post)\b"
         r"|\s*\Z| [A-Z])",
         lambda m: (f"{spoken(m['a'])} to " if m["a"] else "") + f"{spoken(m['n'])} day{'' if m['n'] == '1' else 's'}"
         + ("." if m["dot"] and re.match(r"\s*\Z|\s+[A-Z]", text_after(m, 3)) else "")
         if mentions(STUDIED, m.string) or _charted(m) else None),
    # Charts.
    rule(r"(?<![\w/])(?P<arrow>[↓↑]) ?(?=(?:from|to|by|in|on)\b|\d|[A-Z]{2,5}\b|[a-z]{3,})",
         lambda m: "down " if m["arrow"] == "↓" else "up "),
    rule(r"(?<![\w.,])(?P<n>\d{1,3}) ?u(?= (?:[Pp]RBCs?|FFP|insulin|Lantus|of\b|SC\b|SQ\b|blood|platelets|NovoLog"
         r"|glargine"
         r"|lispro|qhs|qd|bid|regular))", lambda m: f"{spoken(m['n'])} unit{'' if m['n'] == '1' else 's'}"),
    rule(r"(?<![\w/])(?P<s>[Ss])/p(?= [A-Za-z])", lambda m: f"{m['s']}tatus post" if _charted(m) else None),
    rule(r"(?<![\w/])[Dd]/c(?= (?!home|to\b|today|tomorrow|tmrw|on\b|when|summary|planning)[A-Za-z])",
         lambda m: _noun(m, "discontinue") if _charted(m) else None),
    rule(r"(?<![\w.])ppx(?!\w)", lambda m: "prophylaxis" if _charted(m) else None),
    rule(r"(?<![\w.])(?P<side>[RL])(?= (?:THA|TKA|THR|TKR|MCA|ACA|PCA|LE|UE|LL|ACL|BKA|AKA|IJ|ICA|CVA|VATS|PICC|ORIF"
         r"|[a-z]{4,}(?:ectomy|otomy|plasty))\b)",
         lambda m: {"R": "right", "L": "left"}[m["side"]] if _charted(m) else None),
    # Courts.
    rule(rf"(?<![\w.])(?P<state>{one_of(FULL_STATES)})\.(?= (?:Civ|Penal|Bus|Gen|Rev|Code|Stat|Const|Ins|Lab|Fam"
         rf"|Prob|Veh"
         r"|Health|Educ|Gov|Evid|Comp|Ann|Crim)\b)", lambda m: FULL_STATES[m["state"]]),
    rule(r"§ ?(?P<n>\d{4})(?P<marks>(?:\([A-Za-z\d]{1,4}\)){1,5})(?!\w)",
         lambda m: f"section {label_digits(m['n'])} {_marks(m['marks'])}"),
    # Games.
    rule(r"(?<=\()(?P<a>\d{1,2})/(?P<b>\d{1,2})/(?P<c>\d{1,2})(?=\))",
         lambda m: f"{spoken(m['a'])}, {spoken(m['b'])} and {spoken(m['c'])}" if mentions(TRIPLE, m.string) else None),
    rule(r"(?<![\w.])OT(?= (?:wins?|loss(?:es)?|thriller|winner|goals?|victory|period|game|defeat)\b)", "overtime"),
    rule(r"(?<=[A-Za-z)] )bt(?= (?:\(\d\) )?[A-Z][^.;\n]{2,30} \d)", "beat"),
    rule(r"(?<=\ba )(?:nk|hd|sh hd)\b\.?",
         lambda m: (keeps_dot(LENGTHS[m[0].rstrip(".")], m) if m[0].endswith(".") else LENGTHS[m[0]])
         if mentions(RACING, m.string) else None),
    rule(r"(?<=\d )(?P<j>(?:jt|co)[- ])?[Ff]av\b\.?(?=[,;:)]| [a-z]|\s*\Z)",
         lambda m: f"{'joint ' if m['j'] else ''}favourite" if mentions(RACING, m.string) else None),
    # Offices.
    rule(r"(?<![\w.,:])1:1s(?!\w)", "one on ones"),
    rule(r"(?:(?<=\b[Mm]y )|(?<=\b[Oo]ur )|(?<=\byour )|(?<=eekly )|(?<=onthly ))1:1(?![\w:]| ?ratio"
         r"|\.\d)", "one on one"),
    rule(r"(?<![\w.,-])(?P<a>[A-Z]{1,4})(?P<n>\d)s(?![\w'’-])",
         lambda m: f"{' '.join(m['a'])} {plural(spoken(m['n']))}"),
    rule(r"(?<![\w.])Tel(?= \(?\d{3})", "Telephone"),
    # Markets of Britain.
    rule(r"(?<![\w.,])(?P<n>\d{1,4})(?P<f>[½¼¾])p(?!\w)",
         lambda m: f"{mixed(m['n'], *VULGAR[m['f']])} pence" if mentions(PENCE, m.string) else None),
    rule(r"(?<=[ ,(])xd(?= \d|[,;)]|\.?\s*\Z|\. )", lambda m: "ex-dividend" if mentions(PENCE, m.string) else None),
    # Days and hours.
    rule(r"(?<=[a-z] )(?<!\b[Tt]he )(?P<day>Mon|Tues?|Weds?|Thur?s?|Fri|Sat|Sun)(?=\?)",
         lambda m: DAYS[m["day"][:3]]),
    rule(r"(?:(?<=\bgets in )|(?<=\bget in )|(?<=\bgot in )|(?<=\barrives )|(?<=\barriving )|(?<=\bdeparts )"
         r"|(?<=\bdue in )"
         r"|(?<=\blands )|(?<=\btrain )|(?<=\bbus )|(?<=\bferry )|(?<=\bcoach )|(?<=\bleaves )|(?<=\bleaving )"
         r"|(?<=\bkicks off ))(?P<h>1\d|2[0-3]|0?\d)\.(?P<m>[0-5]\d)(?![\w%]|[.,:]\d| ?(?:am|pm|a\.m|p\.m|million"
         r"|billion|per"
         r"|km|m|kg|miles?|points?|%)\b)", _clock),
    rule(r"(?:\A|(?<=[.!?:|] ))C(?= (?:u|ya|you)\b)", lambda m: "See" if mentions(CHAT, m.string) else None),
    rule(rf"(?<=[a-z\d] )(?P<day>Tues|Thurs|Weds)\.(?= (?!(?:{SHORT_MONTH}))[A-Z][a-z])",
         lambda m: f"{DAYS[m['day'][:3]]}."),
    # Regiments and old letters.
    rule(rf"\bca?\. (?=(?:{'|'.join(MONTHS)}|(?:{SHORT_MONTH})\b\.?) \d)", "circa "),
    rule(r"(?<![\w’'‘])[’'‘](?P<a>\d\d) ?[-–] ?[’'‘](?P<b>\d\d)(?![\w’'])",
         lambda m: f"{_year(m['a'])} to {_year(m['b'])}"),
    rule(rf"(?<![\w.])(?P<rank>{one_of(RANKS)})\.(?= (?:[A-Z][a-z]*\.? )?[A-Z][a-z])", lambda m: RANKS[m["rank"]]),
    rule(rf"(?<=\d(?:st|nd|rd|th) )(?P<state>{one_of(OLD_STATES)})\. (?P<what>{one_of(REGIMENTS)})\b\.?",
         lambda m: keeps_dot(f"{OLD_STATES[m['state']]} {REGIMENTS[m['what']]}", m) if m[0].endswith(".")
         else f"{OLD_STATES[m['state']]} {REGIMENTS[m['what']]}"),
    rule(r"(?<![\w.])k\.i\.a\.(?! [A-Z][a-z]+ (?:is|was|has))", "killed in action"),
    # Offers.
    rule(r"(?<![\w.,])(?P<n>\d)[ -]?(?:[Bb][Rr]|[Bb]drm|[Bb]d)\b\.?(?=,? (?:apts?|apartment|house|home|condo|unit"
         r"|flat|townhouse"
         r"|duplex|cottage|bungalow|suite)\b)", lambda m: f"{spoken(m['n'])} bedroom"),
    rule(r"(?:(?<=[a-z] )|(?<=[a-z]\. )|(?<=BR )|(?<=\d )|\A)[Aa]pt\.?(?= (?:nr|near|in|w/|for|avail|on|to|close"
         r"|with)\b)",
         lambda m: _noun(m, "apartment")),
    rule(r"(?<![\w.])nr\.?(?= (?:downtown|uptown|campus|subway|metro|BART|transit|airport|mall|hospital|highway|lake"
         r"|univ"
         r"|ocean|trains?)\b)", "near"),
    rule(r"(?:(?<=[a-z] )|(?<=[a-z]\. )|(?<=[a-z], )|(?<=\) ))pref\b\.?(?=[,;)]|\s*\Z| [A-Z])",
         lambda m: (keeps_dot("preferred", m) if m[0].endswith(".") and m.string[m.end():m.end() + 1] not in ",;)"
                    else "preferred")),
    rule(r"(?:(?<=\btires )|(?<=\btyres )|(?<=\bbrakes )|(?<=\bbattery )|(?<=nspected )|(?<=erviced )|(?<=\broof )"
         r"|(?<=\bclutch )|(?<=\bservice )|(?<=\bbelt ))\((?P<m>1[0-2]|0?[1-9])/(?P<y>[12]\d)\)",
         lambda m: f"({MONTHS[int(m['m']) - 1]} {year(2000 + int(m['y']))})" if mentions(CARS, m.string)
         or mentions(HOME, m.string) else None),
)  # fmt: skip
TELLS = tells_of(
    r"\bPh\b|\b[Cc]ode(?: is|:)? ?#?\d|\b[Pp]kgs\b|\b(?:M|Tu|W|Th|F|Sa) ?[-–] ?[FTWS]|\b(?:Indl?|Trad|Bus"
    r"|Ret)\.? (?:Est|Pk)"
    r"|\b[NSEW]\.? [A-Z]"
    r"|\bb4 |\b[Vv]eh\.|\bht\b|\b[Ww]k(?:nds?|days?)\b|\b[Tt]xt |\b[Aa]mts?\.|Ctrm|\b[Ff]lts?\b|\b(?:[Dd]ep"
    r"|[Aa]rr)\.? [A-Z]"
    rf"|\b(?:{one_of((*FULL_STATES, *RANKS))}|lbs?|oz|[Tt]bsps?|tsps?|qts?)\. [A-Z]"
    r"|\d ?[a-z]{0,8}\.?/[a-z]|\d ?M |\b[Ss]uppl?\.|\d[A-Za-z][–-][A-Za-z]|\d d\b|[↓↑]|\d ?u "
    r"|\b[Ss]/p |\b[Dd]/c"
    r"|\bppx\b|\b[RL] [A-Za-z]|§ ?\d|\d/\d|OT |\bbt |\b(?:nk|hd)\b|\b[Ff]av\b|\b1:1|[A-Z]\ds\b|\bTel |[½¼¾]p\b|\bxd\b"
    r"|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\w{0,2}[?.]|(?:in|arrives|arriving|departs|lands|train|bus|ferry|coach|leaves"
    r"|leaving|off) \d{1,2}\.\d\d|\bC (?:u|ya|you)\b|\bca?\. [A-Z]|[’'‘]\d\d|\bk\.i\.a\."
    r"|\bnr\b|\b[Aa]pt\b"
    r"|\bpref\b|\d[ -]?(?:[Bb][Rr]|[Bb]drm|[Bb]d)\b"
)
