"""Measures -> English words: "25 °C", "100 km/h", "12.5 %", "5'11"", and a few units without a number."""

from __future__ import annotations

import re

from mlx_tts.text.languages.english.mathematics import VULGAR, mixed
from mlx_tts.text.languages.english.money import PERIODS
from mlx_tts.text.languages.english.numbers import (
    BRITISH,
    MAGNITUDES,
    NUMBER,
    cardinal,
    counts_millions,
    in_seconds,
    is_one,
    label_digits,
    spoken,
)
from mlx_tts.text.languages.english.unit_names import NAMES, WITHOUT_NUMBER, named
from mlx_tts.text.normalise.engine import mentions, one_of, rule, text_after, text_before

# After these a number is a name, whatever letter follows.
NAMED = re.compile(
    r"\b(?:[Aa]pt|[Aa]partment|[Ff]lat|[Uu]nit|[Gg]ate|[Rr]oom|[Nn]o|[Nn]umber|[Ss]uite|[Ee]xit|[Ss]eat|[Rr]ow|[Bb]us"
    r"|[Ss]ection|[Pp]art|[Cc]lass|[Ll]ine|[Gg]rade|[Tt]ype|[Ff]orm|[Pp]latform|[Ff]igure|[Ff]ig|[Tt]able|[Mm]odel"
    r"|[Qq]uestion|[Cc]hapter|[Hh]all|[Bb]uilding|[Ss]tep|[Ll]evel)\.? #?\Z"
)
QUANTITY = re.compile(
    r"\d ?(?:km|cm|mm|kg|mg|ml|mL|lbs?|oz|ft|kcal|cal|Hz|kHz|MHz|GHz|ms|kW|mA|kV|mV|V|W|°|ohms?|Pa|kJ|hours?|min)\b"
)
FOOD = re.compile(
    r" (?:of\b|(?:\w+ )?(?:sugar|flour|butter|protein|fat|fats|carbs|carbohydrates|salt|fib(?:er|re)|rice|water|oil"
    r"|cheese|chocolate|pasta|meat|chicken|gold|silver|sample|dose|sodium|caffeine|milk|yogh?urt|oats|nuts)\b|per\b|"
    r"a day)"
)
# Letters that are units only with more evidence than a number before them.
BARE = frozenset("gAVKFCJLWmshlt") | {"in", "pt", "º", "ac"}
MEASURE_WORDS = r" (?:deep|long|wide|tall|high|thick|away|apart|above|below|across|square|by|x|of|diameter)\b"


def _bare(match: re.Match[str]) -> bool:
    """Whether a bare letter behind a number is a unit."""
    unit, number = match["unit"], match["number"] or ""
    text, end = match.string, match.end()
    before, after = text[max(0, match.start() - 14) : match.start()], text[end : end + 24]
    if NAMED.search(before):
        return False
    decimal, spaced = "." in number, match["space"] != ""
    around = text[max(0, match.start() - 40) : match.start()] + " " + text[end : end + 40]
    quantities = QUANTITY.search(around) is not None
    if unit == "in":
        dotted = match[0].endswith(".")
        return (
            dotted
            or bool(re.match(MEASURE_WORDS, after))
            or bool(match["fraction"])
            or bool(
                match["first"]
                and match["between"].strip() in ("x", "×")
                and not re.match(r" (?:\d|the\b|an?\b|[A-Z]|[a-z]+ colou?rs?\b)", after)
            )
            or (
                (after[:1] in (",", ".", ";", ")", "") and (quantities or decimal))
                or re.search(r"\d ?ft\.? \Z", before) is not None
            )
        )
    if unit in ("F", "C", "t", "pt"):
        return spaced and (quantities or decimal)
    if unit in ("A", "K", "J", "ac"):
        return spaced and (decimal or quantities)
    if unit in ("V", "L", "W", "l"):
        return (spaced and not re.match(r" (?!O2\b|NC\b|NS\b)(?:[A-Z]|\d)", after)) or (
            unit in "WVLl"
            and not spaced
            and (
                decimal
                or quantities
                or unit == "W"
                or re.match(r" (?:battery|supply|of|bottle|engine|tank|socket|charger|power)", after) is not None
            )
        )
    if unit == "s":
        return (
            decimal
            or in_seconds(match)
            or (spaced and not re.match(r" [A-Z]", after))
            or (quantities and match["space"] == "")
        )
    if unit == "h":
        return True
    if unit == "m":
        return not re.match(r" ?(?:people|users|views)", after) and not counts_millions(match)
    if unit == "g":
        return (
            (before.endswith("(") and after.startswith(")"))
            or decimal
            or quantities
            or FOOD.match(after) is not None
            or (number.isdecimal() and int(number) > 9 and not re.search(r"(?:\A|\s)[A-Z]\w* \Z", before))
            or re.search(r"(?<![\w.,])\d{2,4}g\b", text) is not None
            or (spaced and not re.match(r" [A-Z]", after))
        )
    return spaced or decimal


PINTS = re.compile(
    r"\.? (?:of )?(?:milk|cream|beer|stock|water|broth|ale|lager|cider|blood|strawberries|blueberries"
    r"|raspberries|juice|stout"
    r"|bitter|double cream|whole milk|ice cream|cherry tomatoes)\b"
)
PORTIONED = frozenset(("g", "kg", "mg", "ml", "mL", "l", "L", "cl", "oz", "lb"))


def _measured(match: re.Match[str]) -> str | None:
    number, sign = match["number"], match["unit"]
    if sign in ("pt", "pts") and PINTS.match(match.string, match.end()):
        return f"{_counted(match)} pint{'' if is_one(number) else 's'}"
    if sign in BARE and not _bare(match):
        return None
    if sign[0] == "°" and "/" in (match["fraction"] or ""):
        return None  # a high and a low: "68/49°F"
    portions = bool(match["first"]) and match["between"].strip() in ("x", "×") and sign in PORTIONED
    noun_follows = re.match(r"[ -][a-z]{3,}", text_after(match, 6))
    if portions and noun_follows:  # "2 x 400g tins"
        return f"{spoken(match['first'])} {_counted(match)} {named(sign, False)}"
    first = f"{spoken(match['first'])} {'times' if portions else _between(match)} " if match["first"] else ""
    minus = {"-": "minus ", "+": "plus "}.get(match["minus"] or "", "") if not match["first"] else ""
    scale = f" {MAGNITUDES[match['scale']]}" if match["scale"] else ""
    said = f"{minus}{first}{_counted(match)}{scale}"
    if match["fraction"] and not (number and int(number)):
        unit = named(sign, False)
        joint = "" if said.endswith(("half a", "half an")) else "of an " if unit[0] in "aeio" else "of a "
        return f"{said} {joint}{unit}"
    several = not is_one(number) or bool(scale) or bool(first) or bool(match["fraction"])
    # "a 5 km run" counts one run.
    begins = text_before(match, 4)
    if re.search(r"(?:\A|\s)[Aa]n? \Z", begins) and not first and not scale and "|" not in NAMES[sign]:
        several = False
    adjective = re.search(r"\b(?:an?|the|this|per|its)\s\Z", text_before(match, 6), re.I)
    if sign in ("W", "kW", "V") and not first and DEVICE.match(text_after(match, 40)):
        several = False  # "a 65W GaN charger"
    if sign in DOSES and not first and PORTION.match(text_after(match, 12)):
        several = False  # "one 500 mg tablet"
    if (adjective and noun_follows and "|" not in NAMES[sign]) or match["space"] == "-":
        several = False
    return f"{said} {named(sign, several)}"


DOSES = ("mg", "mcg", "µg", "g", "ml", "mL", "kg", "oz", "lb", "l", "L")
DEVICE = re.compile(
    r"(?: [A-Za-z-]{2,12})? (?:charg(?:er|ing)|adapt[eo]rs?|bulbs?|panels?|speakers?|motors?|heaters?|PSU|amps?|LEDs?"
    r"|lamps?|inverters?|generators?|outlets?|systems?)\b"
)
PORTION = re.compile(
    r" (?:tablet|capsule|pill|dose|vial|sachet|ampoule|bottle|bag|can|tin|jar|tub|pack|packet|pot|carton|block|bar)s?\b"
)


def _counted(match: re.Match[str]) -> str:
    if not match["fraction"]:
        return spoken(match["number"])
    top, bottom = VULGAR.get(match["fraction"]) or tuple(int(part) for part in match["fraction"].split("/"))
    if not match["number"] and (top, bottom) == (1, 2):
        return "half an" if named(match["unit"], False)[0] in "aeio" or match["unit"] in ("h", "hr") else "half a"
    return mixed(match["number"], top, bottom)


def _between(match: re.Match[str]) -> str:
    return {"x": "by", "×": "by"}.get(match["between"].strip(), "to")


def _height(match: re.Match[str]) -> str:
    inches = f" {cardinal(int(match['inches']))}" if match["inches"] else ""
    return f"{cardinal(int(match['feet']))} {'foot' if inches else 'feet'}{inches}"


VULGAR_OR_PART = rf"(?:[{''.join(VULGAR)}]|[1-9]/[2-9])"


def _kitchen(match: re.Match[str]) -> str | None:
    """Cups and tablespoons by one letter: "1/3 c. oil", "2 T. sugar"."""
    written, unit = match["n"], "cup" if match["unit"] == "c" else "tablespoon"
    if written.isdecimal():
        return f"{spoken(written)} {unit}{'' if is_one(written) else 's'}"
    found = re.search(rf"{VULGAR_OR_PART}\Z", written)
    if found is None:
        return None
    whole, part = written[: found.start()].strip(), found[0]
    top, bottom = VULGAR.get(part) or tuple(int(n) for n in part.split("/"))
    return f"{mixed(whole or None, top, bottom)} {unit}{'s' if whole else ''}"


WAYS = {"N": "north", "S": "south", "E": "east", "W": "west"}


def _degrees(match: re.Match[str]) -> str:
    """Degrees, and minutes and seconds of arc where they are written."""
    parts = [f"{spoken(match['n'])} degree{'' if is_one(match['n']) else 's'}"]
    for written, name in ((match["m"], "minute"), (match["s"], "second")):
        if written:
            parts.append(f"{spoken(written.lstrip('0') or '0')} {name}{'' if is_one(written) else 's'}")
    return " ".join(parts)


def _coordinate(match: re.Match[str]) -> str:
    """ "40° 26' N"."""
    return f"{_degrees(match)} {WAYS[match['way']]}"


SIGNED = {"-": "minus ", "–": "minus ", "−": "minus ", "+": "plus "}
EXTENT = {"D": "deep", "W": "wide", "H": "high", "L": "long"}
KITCHEN = re.compile(r"\b(?:tsp|tbsp|cups?|flour|sugar|butter|oven|simmer|garlic)\b", re.IGNORECASE)
OVEN = re.compile(r"(?i)\b(?:oven|bake[ds]?|baking|heat(?:ed)?|preheat|cook(?:ed)?|roast(?:ed)?|fan|grill|gas)\b")


ONE_INCH = re.compile(
    r" (?!(?:and|or|at|by|in|wide|tall|deep|long|high|thick|apart|above|below|across|from|off|below|square"
    r"|diameter|to|under|of"
    r"|away|shorter|taller|longer|is|was|are|for|with|on|into)\b)[a-z]| (?:\d{1,4} ?(?:Hz|K|p)"
    r"|\d{3,4} ?[x×] ?\d{3,4}|(?:Super|Liquid|Full|Ultra|Mini|Dynamic|Fluid|Quad|Pro"
    r"|Wide) ?[A-Z]\w{1,12}|U?F?HD|AMOLED|LED|OLED"
    r"|QLED|LCD|IPS|Retina|TVs?|SSDs?|HDDs?|MacBook|iMac|iPad)\b"
)  # the number belongs to a noun


def _outside_quotes(match: re.Match[str]) -> bool:
    """A mark behind a digit is inches, or the end of a quotation that has begun."""
    quoted = False
    for digit in re.findall(r'(\d?)"', match.string[: match.start()]):
        quoted = not quoted if quoted or not digit else quoted
    return not quoted


def _inches(match: re.Match[str]) -> str:
    top, bottom = VULGAR.get(match["part"]) or tuple(int(part) for part in match["part"].split("/"))
    said = mixed(match["whole"], top, bottom)
    follows = re.match(r" [a-z]", text_after(match, 40))
    return f"{said} {'inches' if match['whole'] and not follows else 'inch' if follows else 'of an inch'}"


BYTES = re.compile(r"\b(?:many|few|more|extra|per|in|of|\d) \Z")  # elsewhere GB may be a country
# Behind a full stop a number with a unit goes on ("6 ft. 2 in."); another begins a sentence.
NEXT_AMOUNT = rf"\d[\d./]{{0,6}} ?(?:{one_of(name for name in NAMES if len(name) > 1 and name != 'in')}|in\.)(?!\w)"
# Behind letters, these begin a sentence with them: "in 24 hrs. BP was".
SAYS = r"(?:is|was|were|are|has|had|will|may|can|should|must|shows?|showed|rose|fell|remain(?:s|ed))\b"
UNIT_RULES = (
    rule(r"(?<![\w.,])(?P<a>\d{1,4})['′] ?[x×] ?(?P<b>\d{1,4})['′](?!\w)",
        lambda m: f"{spoken(m['a'])} by {spoken(m['b'])} feet"),
    rule(rf"(?<![\w.,/])(?P<n>{NUMBER}) ?/ ?(?P<per>min|hr?|day|sec|s|wk|mo|yr|L|mL|kg)\b",
         lambda m: f"{spoken(m['n'])} per {PERIODS.get(m['per']) or named(m['per'], False)}"),
    rule(rf"(?<![\w.,/])(?P<n>\d{{1,2}}|{VULGAR_OR_PART}|\d{{1,2}} ?{VULGAR_OR_PART}) (?P<unit>[cT])\."
         r"(?= [a-z]|\)|(?P<name> [A-Z][a-z]))",
        lambda m: _kitchen(m) if not m["name"] or mentions(KITCHEN, m.string) else None),
    rule(r"(?<![\w.])q ?(?P<n>\d{1,2})h(?!\w)", lambda m: f"every {spoken(m['n'])} hours"),
    rule(r"(?<=\d )ea(?=\.)(?:\.(?=[,;)]| [a-z(\d]))?", "each"),
    rule(r"(?<=\d )lg\.(?= [a-z])", "large"),
    rule(rf"(?<![\w.,/])(?P<n>\d{{1,2}}|{VULGAR_OR_PART}|\d{{1,2}} ?{VULGAR_OR_PART}) (?P<unit>T)(?= [a-z])",
         lambda m: _kitchen(m) if mentions(KITCHEN, m.string) else None),
    rule(r"(?<![\w.,x×'’-])(?P<n>[1-9]\d?)['′’](?=[ ,.;)]|\Z)",
         lambda m: f"{spoken(m['n'])} minutes"
         if mentions(KITCHEN, m.string) and re.search(r"(?i)\b(?:rest|cook|bake|simmer|boil|for|about|roast|fry"
                                                      r"|chill) \Z",
                                                      text_before(m, 12)) else None),
    rule(rf"(?<![\w.,])(?P<sign>[-+])?(?P<n>{NUMBER})pc(?!\w)",
         lambda m: f"{ {'-': 'minus ', '+': 'plus '}.get(m['sign'] or '', '')}{spoken(m['n'])} percent"),
    rule(r"(?<=[a-z] )(?P<unit>[Tt]bsp|tsp)s?\.(?= [a-z])", lambda m: named(m["unit"].lower(), m[0][-2] == "s")),
    rule(r"(?:(?<=\blast )|(?<=\bthis )|(?<=\bnext )|(?<=\bper )|(?<=\beach )|(?<=\bevery ))yr(?=[ ,;)]|\Z)", "year"),
    rule(r"(?<![\w.,/])(?P<a>\d{1,2})/(?P<b>\d{1,2}) ?%(?!\w)",
         lambda m: f"{spoken(m['a'])}, {spoken(m['b'])} percent"),
    rule(r"(?<=[a-z]\.)/(?=\d)|(?<=[a-z]{2})/(?=\d{1,4} ?(?:g|ml|mL|kg|cm|mm|oz|lbs?|km|°C|°F)\b)|(?<=°[CF])/(?=\d)",
        ", "),
    rule(rf"(?<![\w.,])(?P<a>{NUMBER})\"? ?(?P<mark>[-–x×]) ?(?P<b>{NUMBER})\"(?!\w)",
         lambda m: f"{spoken(m['a'])} {'by' if m['mark'] in 'x×' else 'to'} {spoken(m['b'])} "
         f"{'inch' if ONE_INCH.match(m.string, m.end()) else 'inches'}"
         if _outside_quotes(m) else None),
    rule(rf"(?<![\w.,/])(?:(?P<whole>\d{{1,3}})[ -])?(?P<part>[1-9]\d?/(?:2|4|8|16|32|64)|"
    rf"[{''.join(VULGAR)}])[\"″](?=[ .,;)]|\Z)",
         lambda m: _inches(m) if _outside_quotes(m) else None),
    rule(r"(?<![\w.,])(?P<n>[1-4]\d[05]) ?(?P<unit>[CF])(?![\w°])",
    lambda m: f"{spoken(m['n'])} degrees {'Celsius' if m['unit'] == 'C' else 'Fahrenheit'}"
         if mentions(OVEN, m.string) else None),
    rule(r"(?<=\d[CF])/(?=\d{2,3}[CF]\b|gas\b)|(?<=\dC fan)/(?=gas\b|\d{2,3}F)", ", "),
    rule(r"(?<![\w.,])(?P<n>\d{1,3})[ -]?y/?o\b(?!\.)", lambda m: f"{spoken(m['n'])} year old"),
    rule(r"(?<![\w.,])(?P<n>\d{1,3})[- ]?y\.o\.", lambda m: f"{spoken(m['n'])} year old"),
    rule(r"(?<![\w.,])(?P<n>\d{1,2}) d(?= (?:of|ago|later|prior|post)\b)",
         lambda m: f"{spoken(m['n'])} day{'' if m['n'] == '1' else 's'}"),
    rule(rf"(?<![\w.,])(?P<n>{NUMBER})[\"″](?P<way>[DWHL])(?!\w)",
         lambda m: f"{spoken(m['n'])} inch{'' if is_one(m['n']) else 'es'} {EXTENT[m['way']]}"),
    rule(r"(?<=\d[\"″][DWHL]) ?[x×] ?(?=\d)", " by "),
    rule(rf"(?<![\w.,/])(?P<a>{NUMBER}) ?V/(?P<b>{NUMBER}) ?(?P<unit>Hz|A|W)(?!\w)",
         lambda m: f"{spoken(m['a'])} volts, {spoken(m['b'])} {named(m['unit'], True)}"),
    rule(rf"(?<![\w.,])(?P<n>{NUMBER})\"(?=[ .,;)]|\Z)",
         lambda m: f"{spoken(m['n'])} "
              f"{'inch' if is_one(m['n']) or ONE_INCH.match(m.string, m.end()) else 'inches'}"
         if _outside_quotes(m) else None),
    rule(r"(?<![\w.,])(?P<n>\d{1,2}) ?st\.? ?(?P<lb>1[0-3]|\d) ?lbs?(?!\w)",
         lambda m: f"{spoken(m['n'])} stone {spoken(m['lb'])} pound{'' if m['lb'] == '1' else 's'}"),
    rule(r"(?<![\w.,])(?P<n>1[0-35-9]|[4-9]) ?st(?![\w.])",
         lambda m: f"{spoken(m['n'])} stone" if BRITISH.get() else None),
    rule(r"(?<![\w.,])(?P<n>\d{1,3}(?:,\d{3})?)['′](?= (?:of|tall|high|deep|long|wide|by|x|thick|away|descent|ascent|"
         r"elevation|drop|climb|cliffs?|ceilings?|walls?|fences?|trees?|towers?)\b)",
         lambda m: f"{spoken(m['n'])} {'foot' if m['n'] == '1' else 'feet'}"),
    rule(rf"(?<![\w.,])(?P<n>{NUMBER})['′](?= over\b|[.,;)]|\s*\Z)",
         lambda m: f"{spoken(m['n'])} feet" if not re.search(r"(?:\A|\s)['‘]\w", m.string[: m.start()]) else None),
    rule(r"(?<=\b[Hh]it )\.(?P<n>\d{3})\b|(?<=\b[Bb]atting )\.(?P<m>\d{3})\b|(?<=\b[Bb]atted )\.(?P<o>\d{3})\b",
         lambda m: label_digits(m["n"] or m["m"] or m["o"])),
    rule(r"(?<![\w.,])\.(?P<n>22|25|32|38|40|44|45|50|357|308|223)(?=[ -](?:caliber|calibre|cal|[Mm]agnum|pistol|rifle|"
         r"revolver|Special)\b)", lambda m: label_digits(m["n"])),
    rule(r"(?<![\w.,])(?P<sign>[-−+])?(?P<n>\d{1,2})° ?(?P<m>\d{1,2})[′’'] ?"
         r"(?:(?P<s>\d{1,2}(?:\.\d{1,4})?)[\"″”])?(?! ?\w)",
         lambda m: SIGNED.get(m["sign"] or "", "") + _degrees(m)),
    rule(rf"(?<![\w.,])(?P<n>{NUMBER})° ?(?:(?P<m>\d{{1,2}})['′’] ?)?(?:(?P<s>\d{{1,2}}(?:\.\d{{1,4}})?)[\"″”] ?)?"
         rf"(?P<way>[NSEW])(?!\w)", lambda m: _coordinate(m)),
    rule(rf"(?<![\w.,])(?P<n>{NUMBER}) ?″(?!\w)", lambda m: f"{spoken(m['n'])} inch{'' if is_one(m['n']) else 'es'}"),
    rule(r"(?<![\w.,])(?P<feet>\d{1,2})['′’](?P<inches>1[01]|\d)[\"″”]", _height),
    rule(rf"(?<![\w.,^])(?<!\d/)(?P<minus>[-+])?(?:(?P<first>{NUMBER})(?P<between> ?[-–x×] ?))?(?P<number>{NUMBER}|"
         rf"\.\d{{1,9}})(?P<fraction>)"
         rf"(?: (?P<scale>million|billion|thousand|hundred))?(?P<space>[ -]?)(?P<unit>{one_of(NAMES)})(?![\w²³/°'’])"
         rf"(?:(?<!Hz)(?<![GMTKk]B)(?<!mph)(?<!bpm)(?<!Hg)(?<!Wh)"
         rf"\.(?=[,;:)/–-]| (?![a-z]{{1,5}}[A-Z])[a-z(&]| \d{{1,2}}x| {NEXT_AMOUNT}| [NSEW]{{1,3}} o[fn]\b"
         rf"| [A-Z]{{2,3}}(?: (?!{SAYS})[a-z]|[,;)])))?",
         _measured),
    rule(rf"(?<![\w.,/])(?P<minus>)(?P<first>)(?:(?P<number>\d{{1,4}})(?:[ -]|(?=[{''.join(VULGAR)}])))"
         rf"?(?P<fraction>[1-9]\d?/[2-9]\d?|[{''.join(VULGAR)}])(?P<scale>)"
         rf"(?P<space>[ -]?)(?P<unit>{one_of(name for name in NAMES if len(name) > 1 or name in 'glLh')})(?![\w²³/°'’])"
         rf"(?:\.(?=[,;:)/–-]| [a-z(]| {NEXT_AMOUNT}))?",
         _measured),
    rule(r"(?<![\w.,/])(?P<a>\d{2,3})/(?P<b>\d{2,3})(?: ?(?P<unit>mmHg|mm Hg))(?!\w)",
         lambda m: f"{spoken(m['a'])} over {spoken(m['b'])} {named(m['unit'], True)}"),
    rule(r"\b(?P<word>BP|[Bb]lood pressure)(?P<gap>:? (?:(?:is|was|of|at|reading|now|about|around|averaged|aver"
         r"ages|today) "
    r"){1,2})(?P<a>\d{2,3})/(?P<b>\d{2,3})(?P<unit> ?mm ?Hg\b)?(?![\w/])",
         lambda m: f"{'B P' if m['word'] == 'BP' else m['word']}{m['gap']}{spoken(m['a'])} over {spoken(m['b'])}"
         + (f" {named('mmHg', True)}" if m["unit"] else "")),
    rule(r"(?<![\w.,/])(?P<a>\d{1,3})/(?P<b>\d{1,3}) ?(?P<unit>°[CF]?)(?!\w)",
         lambda m: f"{spoken(m['a'])}, {spoken(m['b'])} {named(m['unit'], True)}"),
    rule(r"(?<=[\dm'’\"″′]) ?[x×] ?(?=\d{1,4}(?:\.\d{1,2})? ?(?:m\b|cm\b|ft\b|['’′]))", " by "),
    rule(r"(?<=\bBP )(?P<a>\d{2,3})/(?P<b>\d{2,3})(?![\w/])|(?<=\bpressure )(?P<c>\d{2,3})/(?P<d>\d{2,3})(?![\w/])"
         r"|(?<=\bBP of )(?P<e>\d{2,3})/(?P<f>\d{2,3})(?![\w/])|(?<=\bpressure of )(?P<g>\d{2,3})/(?P<h>\d{2,3})"
             r"(?![\w/])"
         r"|(?<=\bBP was )(?P<i>\d{2,3})/(?P<j>\d{2,3})(?![\w/])|(?<=\bpressure was )(?P<k>\d{2,3})/(?P<l>\d{2,3})"
             r"(?![\w/])",
         lambda m: " over ".join(spoken(part) for part in m.groups() if part)),
    rule(rf"(?<![\w.,])(?P<a>{NUMBER}) ?%? ?[-–] ?(?P<n>{NUMBER}) ?%",
         lambda m: f"{spoken(m['a'])} to {spoken(m['n'])} percent"),
    rule(rf"(?<=\bper )(?P<unit>{one_of(name for name in NAMES if len(name) > 1)})(?![\w/²³])",
         lambda m: named(m["unit"], False)),
    rule(rf"(?<![\w.,])(?P<sign>[-−+]|(?<=\()–)?(?P<n>{NUMBER}|\.\d{{1,9}}) ?%",
         lambda m: f"{SIGNED.get(m['sign'] or '', '')}{spoken(m['n'])} percent"),
    rule(rf"(?<![\w.,])(?P<n>{NUMBER}) ?‰", lambda m: f"{spoken(m['n'])} per mille"),
    rule(rf"(?<![\w/])(?P<unit>{one_of(WITHOUT_NUMBER)})(?![\w/²³])",
         lambda m: None if m["unit"] == "GB" and not BYTES.search(text_before(m, 12)) else named(m["unit"], True)),
)  # fmt: skip
