"""Short forms of offices, screens, teams and wards ("VAT no. GB 123", "22H2", "slashing .322/.458", "#clinic")."""

from __future__ import annotations

import re

from mlx_tts.text.languages.english.british import CHARTED
from mlx_tts.text.languages.english.clinic import HOME, NOTES
from mlx_tts.text.languages.english.dates import DAYS, MONTHS, SHORT_MONTH
from mlx_tts.text.languages.english.market_and_court import PENCE
from mlx_tts.text.languages.english.measures import KITCHEN
from mlx_tts.text.languages.english.money import amount
from mlx_tts.text.languages.english.numbers import (
    NUMBER,
    cardinal,
    day_first,
    digits,
    label_digits,
    ordinal,
    spoken,
)
from mlx_tts.text.languages.english.places import OLD_STATES
from mlx_tts.text.languages.english.tells import tells_of
from mlx_tts.text.languages.english.unit_names import named
from mlx_tts.text.languages.english.words import keeps_dot
from mlx_tts.text.normalise.engine import mentions, one_of, rule, text_after

# Before a noun, or behind one; no sentence is full of them.
SHORT = {
    "mgmt": "management", "satis": "satisfactory", "indiv": "individual", "liab": "liability", "addt'l": "additional",
    "addl": "additional", "bkfst": "breakfast", "brkfst": "breakfast", "wkshop": "workshop", "wkshops": "workshops",
    "btn": "button", "btns": "buttons", "dbl": "double", "sgl": "single", "wkend": "weekend", "wkends": "weekends",
    "wknd": "weekend", "lge": "large", "sml": "small", "xtra": "extra", "chkn": "chicken", "snr": "senior",
    "jnr": "junior", "hbd": "happy birthday", "pymts": "payments", "yday": "yesterday", "mins'": "minutes'",
}  # fmt: skip
EITHER_CASE = [*SHORT, *(word.capitalize() for word in SHORT)]
STATES = {**OLD_STATES, "N.Y": "New York", "N.J": "New Jersey", "Cal": "California"}
CORPS = {"corp": "corporation", "Corp": "Corporation", "LLC": "L L C", "ltd": "limited", "Ltd": "Limited"}
BASEBALL = re.compile(
    r"\b(?:hitting|batting|slashing|slashed|line|OPS|AVG|average|HRs?|RBIs?|inning|pitch(?:er"
    r"|ed)?)\b"
)


def _short(match: re.Match[str]) -> str:
    said = SHORT[match["word"].lower()]
    said = said.capitalize() if match["word"][0].isupper() else said
    return keeps_dot(said, match) if match[0].endswith(".") else said


def _charted(match: re.Match[str]) -> bool:
    return mentions(CHARTED, match.string) or mentions(NOTES, match.string)


def _tenths(written: str) -> str:
    return label_digits(written) if written[0] != "0" else f"oh {cardinal(int(written))}"


COOKED = re.compile(KITCHEN.pattern + r"|\b(?:grill|bake|chill|mince|dough|pastry|fry|shape|roll)\b", re.I)
ROADS = re.compile(r"\b(?:[ABM]\d{1,4}|junction|J\d{1,2}|police|crash\w*|villages?|motorway)\b")
RAILS = re.compile(
    r"\b(?:train|trains|rail|bus|coach|ferry|station|platform|left|departs?|arriv\w+|Shinkansen"
    r"|caught|missed|took)\b"
)
CALLS = re.compile(r"\b(?:[Rr]ing|[Cc]all|[Tt]el|[Vv]iewings?|£)\b|£")
BONES = re.compile(r"\b(?:fracture\w*|distal|FOOSH|POP|plaster|X-?ray|orthop\w+|haematoma|MUA|NOF|displaced)\b")
OFFICE_RULES = (
    rule(rf"(?<![\w.@'’-])(?P<word>{one_of(EITHER_CASE)})\b(?![\w@'’-]|\.\w)(?:\.(?=[,;)]| [a-z\d(]|\s*\Z"
         rf"| [A-Z]))?", _short),
    rule(r"(?<![\w.])(?P<f>[Ff])lr\.? (?=\d{1,2}(?!\w))", lambda m: f"{m['f']}loor "),
    rule(r"(?<![\w.])(?P<o>[Oo])pt\.? (?=\d(?!\w))", lambda m: f"{m['o']}ption "),
    rule(r"(?P<what>\b(?:VAT|EORI|Reg|reg|registration|company|charity|UTR|NI|policy)(?: [Nn]o\.?| [Nn]umber)?:? )"
         r"(?P<country>GB ?)?(?P<n>\d{3} ?\d{4} ?\d{2,3}|\d{9,10})(?![\w-])",
         lambda m: re.sub(r" [Nn]o\.?", " number", m["what"]) + ("G B " if m["country"] else "")
         + ", ".join(digits(part) for part in m["n"].split())),
    rule(r"(?<![\w.])Co\.? [Rr]eg\.? [Nn]o\.?:? ?(?=\d)", "Company registration number "),
    rule(r"(?<![\w.])(?P<r>[Rr])eg\.? [Nn]o\.?:? ?(?=[\dA-Z])", lambda m: f"{m['r']}egistration number "),
    rule(r"(?<![\w.,/-])(?P<n>\d{1,3})(?P<a>[a-dA-D]) ?[–-] ?(?P<m>\d{1,3})(?P<b>[a-dA-D]?)(?= [A-Z][a-z]+ (?:Road"
         r"|Rd|St|Street"
         r"|Lane|Ln|Ave|Ground|Row|Square|Place|Hill|Terrace|Gardens|Mews|Close|Way|Court|Parade)\b)",
         lambda m: f"{label_digits(m['n'])} {m['a'].upper()} to {label_digits(m['m'])}"
         + (f" {m['b'].upper()}" if m["b"] else "")),
    rule(r"\b(?P<a>[A-Z]\d{1,2}|\d{1,2}[A-Z])[–-](?P<b>[A-Z]\d{1,2}|\d{1,2}[A-Z])(?![\w-]|[.,]\d)",
         lambda m: _labels(m)),
    rule(r"(?<=\b[Rr]m\. )(?P<n>\d{3})(?P<a>[A-Z])/(?P<b>[A-Z])(?!\w)"
         r"|(?<=oom )(?P<n2>\d{3})(?P<a2>[A-Z])/(?P<b2>[A-Z])(?!\w)"
         r"|(?<=ooms )(?P<n3>\d{3})(?P<a3>[A-Z])/(?P<b3>[A-Z])(?!\w)",
         lambda m: f"{label_digits(m['n'] or m['n2'] or m['n3'])} {m['a'] or m['a2'] or m['a3']} and "
         f"{m['b'] or m['b2'] or m['b3']}"),
    # Kitchens.
    rule(rf"(?<![\w.,/])(?P<times>\d{{1,2}}) ?[x×] ?(?P<a>{NUMBER}) ?-?(?P<u>cm|mm|in)(?= (?:[a-z-]+ )?[a-z]{{3,}}s\b)"
         r"(?! [a-z]+ (?:is|are)\b)",
         lambda m: f"{spoken(m['times'])} {spoken(m['a'])} {named(m['u'], False)}"
         if mentions(COOKED, m.string) else None),
    # Teams.
    rule(r"(?<=\bthe )bot\.? (?=of\b)", "bottom "),
    rule(r"(?<=[Ss]ox)(?=\Z)", ""),
    rule(r"(?<=\()(?P<w>[WL]), (?P<a>\d{1,2})[-–](?P<b>\d{1,2})(?=\))",
         lambda m: f"{m['w']}, {spoken(m['a'])} and {spoken(m['b'])}"),
    rule(r"(?<![\w.,/])\.(?P<a>\d{3})/\.(?P<b>\d{3})/\.(?P<c>\d{3})(?![\w/]|[.,]\d)",
         lambda m: ", ".join(_tenths(m[key]) for key in "abc")),
    rule(r"(?P<what>\b(?:[Mm]agic|[Jj]ersey|[Pp]hone|[Tt]elephone|[Ff]ax|[Mm]obile|[Oo]rder|[Aa]ccount|[Pp]age"
         r"|[Rr]oom|[Ss]erial"
         r"|[Mm]odel|[Cc]ase|[Ff]ile)) no\.(?= (?:is|was|and|for|of|on|below"
         r"|above)\b)", lambda m: f"{m['what']} number"),
    rule(r"(?<=[a-z] )(?P<day>Sat|Sun)\.(?= (?:is|was|will|has|starts?|begins?|from|vs|against|in|with|w/|to|due"
         r"|weather)\b)",
         lambda m: DAYS[m["day"]]),
    rule(rf"(?<=[a-z] )(?P<day>Mon|Tues?|Weds?|Thurs?|Fri|Sat|Sun)(?= (?:the )?\d{{1,2}}(?:st|nd|rd"
         rf"|th)\b(?! (?:{SHORT_MONTH})))",
         lambda m: DAYS[m["day"][:3]]),
    rule(r"(?<![\w.])(?P<day>Mon|Tue|Wed|Thu|Fri|Sat|Sun)(?:s|rs)?(?=['’]s [a-z])", lambda m: DAYS[m["day"]]),
    rule(rf"(?<=[\( ])(?P<month>{SHORT_MONTH})(?=: ?\d)",
         lambda m: next(name for name in MONTHS if name.startswith(m["month"][:3]))),
    # Laboratories.
    rule(rf"(?<![\w.,])(?P<a>\d) ?[×x] ?(?P<n>{NUMBER}) bp(?!\w)",
         lambda m: f"{spoken(m['a'])} times {spoken(m['n'])} base pairs"),
    rule(r"(?<![\w.])(?P<w>F|t|χ²|χ2|X2|r) ?\((?P<a>\d{1,4})(?:, ?(?P<b>\d{1,5}))?\)(?= ?[=≈] ?[-–−]?\d)",
         lambda m: f"{ {'χ²': 'chi squared', 'χ2': 'chi squared', 'X2': 'chi squared'}.get(m['w'], m['w'])} of "
         f"{spoken(m['a'])}" + (f" and {spoken(m['b'])}" if m["b"] else "")),
    # Offices.
    rule(r"(?<![\w.])(?P<b>[Bb])al\.?(?= (?:sheet|sheets|due|at|on|owed|carried|brought|outstanding|b/f|c/f|fwd)\b)",
         lambda m: f"{m['b']}alance"),
    rule(r"(?<=anagement )acc(?:t)?s(?=[ ,;.])|(?<=mgmt )acc(?:t)?s(?=[ ,;.])"
         r"|(?<=udited )acc(?:t)?s(?=[ ,;.])", "accounts"),
    rule(r"(?<=[\dmnk%] )v\.? (?=(?:budget|forecast|plan|target|prior|last|consensus|PY|LY|guidance|expected"
         r"|est)\b)", "versus "),
    rule(r"(?<![\w/])A/L(?= (?:\d|from|until|till|on|next|this|today|tomorrow|for|w/c|back)|[,;)]|\.?\s*\Z"
         r"|\. )", "annual leave"),
    rule(r"(?<![\w/])[Oo]/night", lambda m: "Overnight" if m[0][0] == "O" else "overnight"),
    rule(r"(?<=[a-z] )(?<!\d )supp\.(?= ?[£$€]\d)|(?<=[Ss]gl )supp\.?(?= ?[£$€]\d)|(?<=ingle )supp\.?(?= ?[£$€]\d)",
         "supplement"),
    rule(r"(?<![\w.])(?P<a>[Dd]bl|[Ss]gl|[Dd]ouble|[Ss]ingle)/(?P<b>twin|dbl|double|triple|family)(?![\w/])",
         lambda m: f"{SHORT.get(m['a'].lower(), m['a'])} or {SHORT.get(m['b'], m['b'])}"),
    rule(r"(?<![€\w])€€(?=[ ,.;]|\s*\Z)", "euros"),
    rule(r"(?<![\w.,:/-])0(?P<h>\d)(?P<m>[0-5]\d)(?= (?:coach|train|bus|flight|ferry|departure|start|arrival|service"
         r"|sailing"
         r"|check-in|meeting|call|briefing|to|from)\b)",
         lambda m: f"oh {cardinal(int(m['h']))} " + ("hundred" if m["m"] == "00" else
                                                   ("oh " if m["m"][0] == "0" else "") + cardinal(int(m["m"])))),
    # Wards.
    rule(r"(?<![\w.])(?P<side>[RL])(?= (?:distal|proximal|radi(?:us|al)|ulnar?|scaphoid|fibula|tibial?|NOF|neck of"
         r"|hallux|iliac"
         r"|renal|ovarian|inguinal|carotid|pleural|basal|tympanic|lateral|medial|middle|ring|little|index|big"
         r"|great)\b)",
         lambda m: {"R": "right", "L": "left"}[m["side"]] if _charted(m) else None),
    rule(r"(?:(?<=[a-z] )|(?<=NOF ))#(?=[ ,;.(]|\s*\Z)|(?<!\w)#(?P<what>(?:clinic|NOF|ribs?|wrist|ankle|hip|femur"
         r"|radius"
         r"|tibia|humerus"
         r"|scaphoid|skull|pelvis|clavicle|metatarsal)\b)",
         lambda m: f"fracture {m['what'] or ''}" if mentions(BONES, m.string) else None),
    rule(r"(?P<what>\b[Cc]o-(?:codamol|dydramol|amoxiclav|beneldopa|careldopa"
         r"|trimoxazole) )(?P<a>\d{1,3})/(?P<b>\d{1,4})(?![\w/])",
         lambda m: f"{m['what']}{spoken(m['a'])} {spoken(m['b'])}"),
    rule(r"(?<![\w.,/])(?P<n>\d{1,3})/24 ?h(?:rs?|ours?)?(?![\w/])",
         lambda m: f"{spoken(m['n'])} in twenty four hours" if _charted(m) else None),
    rule(r"(?<![\w.])(?P<what>[WwHh])t:? (?=\d{2,3}(?:\.\d)? ?(?:kg|cm|lbs?)\b|\d\.\d\d ?m\b)",
         lambda m: {"W": "Weight ", "w": "weight ", "H": "Height ", "h": "height "}[m["what"]]),
    # Courts.
    rule(r"(?<![\w/])b/w(?= [A-Z\d])",
         lambda m: "between" if " and " in text_after(m, 160) or "&" in text_after(m, 160) else None),
    rule(rf"(?<=\b[Aa] )(?P<state>{one_of(STATES)})\. (?P<what>{one_of(CORPS)})\b\.?",
         lambda m: f"{STATES[m['state']]} {CORPS[m['what']]}"),
    rule(r"(?<![\w.])N\.(?P<w>[YJ])\. (?=(?:Gen|Bus|Penal|Civ|Crim|Labor|Real|Dom|Rev|Stat|Est|Tax|Veh|Gen)\b)",
         lambda m: "New York " if m["w"] == "Y" else "New Jersey "),
    rule(r"(?<=Gen\. )Bus\. (?=Law|Corp)|(?<=\. )Bus\. (?=Law|& Prof|Corp)", "Business "),
    # Markets.
    rule(r"(?<![\w.,])(?P<n>\d{1,2})M(?= (?:high|low|moving|rolling|trailing|forward|average|EURIBOR|SOFR|LIBOR"
         r"|T-bills?)\b)",
         lambda m: f"{spoken(m['n'])} month"),
    rule(r"(?<=[A-Za-z.)] )[–−](?=\d{1,3}(?:\.\d{1,2})? ?(?:%|bps?\b)(?! ?[–-]))",
         lambda m: "minus " if re.search(r"\+\d{1,3}(?:\.\d{1,2})? ?(?:%|bp)", m.string) else None),
    rule(r"(?<![\w.,£])(?P<n>\d{1,3}(?:,\d{3})+)p(?!\w)",
         lambda m: f"{spoken(m['n'])} pence" if mentions(PENCE, m.string) else None),
    rule(r"(?<![\w.])(?P<i>[Ii])nt\.?(?= (?:divi|dividend|div\b|results|report))", lambda m: f"{m['i']}nterim"),
    # Screens.
    rule(r"(?<![\w.,])(?P<n>[1-9])x(?P<what>(?:HDMI|DP|USB|DVI|VGA|RJ45|SFP|M\.2|SATA|PCIe|Thunderbolt|Ethernet"
         r"|DisplayPort|LAN)\b)",
         lambda m: f"{spoken(m['n'])} "
         + (m["what"] if m["what"] in ("HDMI", "SATA", "PCIe") or m["what"][1:].islower() else " ".join(m["what"]))
         if not re.search(r"\d", m["what"]) else None),
    rule(r"(?<![\w.,])(?P<n>[1-9])x(?= (?:HDMI|DP|USB|DVI|VGA|RJ45|SFP|M\.2|SATA|PCIe|Thunderbolt|Ethernet)\b)",
         lambda m: spoken(m["n"])),
    rule(r"(?<![\w.])802\.(?P<n>1\d|3)(?P<v>[a-z]{0,2})(?!\w|\.\w)",
         lambda m: f"eight oh two point {spoken(m['n'])}" + (f" {' '.join(m['v'].upper())}" if m["v"] else "")),
    rule(r"(?<![\w/])[Ff]/w(?= )", lambda m: "Firmware" if m[0][0] == "F" else "firmware"),
    rule(r"(?<![\w.,])(?P<n>\d{2}(?:\.\d)?)[\"″](?= (?:Odyssey|UltraSharp|Predator|Bravia|ThinkVision|ROG|iMac"
         r"|Galaxy|Surface|Latitude"
         r"|Inspiron|Pavilion|Envy|Spectre|ZenBook|Vivobook|Legion|Aspire|Swift|ThinkPad|Yoga|Dell|LG|Sony|Samsung"
         r"|Acer|Asus|BenQ"
         r"|alloy|Trek|Scott|Giant)\b)", lambda m: f"{spoken(m['n'])} inch"),
    rule(r"(?:(?<=[A-Z]\d )|(?<=[A-Z]\d\d )|(?<=[A-Z]\d{3} )|(?<=[a-z] ))nr\.?(?= [A-Z][a-z]{2})", lambda m: "near"
         if day_first(m.string) or mentions(ROADS, m.string) else None),
    rule(r"(?<=\d )med(?= (?:eggs?|onions?|carrots?|potato(?:es)?|tomato(?:es)?|bananas?|free-range|apples?|leeks?"
         r"|courgettes?|shrimp|zucchini|lemons?|heat)\b)", "medium"),
    rule(r"(?:\A|(?<=[.!,] )|(?<=\n))Yrs?(?= (?:faithfully|sincerely|truly|ever|aye|etc|affectionately"
         r"|respectfully)\b)",
         "Yours"),
    rule(r"(?<=\bdated )(?P<n>\d{1,2})(?=(?:st|nd|rd|th) (?:&|and) \d)(?:st|nd|rd"
         r"|th)", lambda m: f"the {ordinal(int(m['n']))}"),
    rule(r"(?<=page )op\.(?=[,;])|(?<=\b[Ss]lip )op\.(?= (?:at|\d))|(?<=ajority )op\.|(?<=oncurring )op\.",
         lambda m: "opinion"),
    rule(r"(?<=& )Co\.(?= v\.)|(?<=and )Co\.(?= v\.)", "Company"),
    rule(r"(?<![\w-])(?P<what>y-o-y|q-o-q|m-o-m)(?![\w-])",
         lambda m: {"y": "year on year", "q": "quarter on quarter", "m": "month on month"}[m["what"][0]]),
    rule(rf"(?<![\w.,])~(?P<sign>[£$€¥]) ?(?P<n>{NUMBER})(?P<scale>k|K|m|M|bn|B|tn|T)?(?![\w.,]\d|\w|[–/-])",
         lambda m: f"about {amount(m['sign'], m['n'], m['scale'])}"),
    rule(rf"(?<![\w.,])(?P<sign>[¥₹]|A\$|C\$|US\$|NZ\$) ?(?P<n>{NUMBER})(?P<scale>k|m|bn)? ?pp(?![\w/])",
         lambda m: f"{amount(m['sign'], m['n'], m['scale'])} per person"),
    rule(r"(?<![\w.,])(?P<n>\d{1,2}) ?nts?(?= (?:in|at|for|stay|B&B|half|all|from|min|accom)\b|[,;)]|\.?\s*\Z)",
         lambda m: f"{spoken(m['n'])} night{'' if m['n'] == '1' else 's'}"),
    rule(r"(?<=\b[Tt]he )(?P<h>1\d|2[0-3]|[1-9])\.(?P<m>[0-5]\d)(?= (?:[A-Z][a-z]+|train|bus|coach|ferry|service|flight"
         r"|departure|sailing|Eurostar|sleeper)\b)",
         lambda m: f"{cardinal(int(m['h']))} {'oh ' if m['m'][0] == '0' else ''}{cardinal(int(m['m']))}"
         if m["m"] != "00" and mentions(RAILS, m.string) else None),
    rule(r"(?<=\d(?:st|nd|rd|th) )C\.?(?= (?:[a-z]|[A-Z][a-z]+ [a-z]))", "century"),
    rule(r"(?<![\w.,])£(?P<l>\d{1,4}) (?P<s>1?\d)s(?:\.? (?P<d>1[01]|\d)d)?(?![\w.]\w)\.?(?=[ ,;)]|\s*\Z)",
         lambda m: f"{spoken(m['l'])} pound{'' if m['l'] == '1' else 's'} {spoken(m['s'])} shilling"
         f"{'' if m['s'] == '1' else 's'}" + (f" and {spoken(m['d'])} pence" if m["d"] else "")),
    rule(r"(?<![\w.])(?P<q>[QK])\. (?=(?:Victoria|Elizabeth|Anne|Mary|Charles|George|Edward|Henry|James|William|John"
         r"|Richard)\b)",
         lambda m: "Queen " if m["q"] == "Q" else "King "),
    rule(r"(?:\A|(?<=[.;,:)|(] )|(?<=\n))(?P<day>MON|TUES?|WEDS?|THU(?:RS)?|FRI|SAT|SUN)(?P<dot>\.?)(?= \d{1,2}(?!\w"
         r"|[:.]\d\d)"
         r"| (?:JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)|[–-](?:MON|TUE|WED|THU|FRI|SAT|SUN))",
         lambda m: DAYS[m["day"][:3].capitalize()]),
    rule(r"(?<![\w.])Ep\.? ?(?P<n>\d{1,3})(?:/(?P<of>\d{1,3}))?(?![\w/])",
         lambda m: f"episode {spoken(m['n'])}" + (f" of {spoken(m['of'])}" if m["of"] else "")),
    rule(r"(?<![\w/])(?P<what>d/g|c/tax|c/h|D/G|C/H)(?![\w/])",
         lambda m: {"d": "double glazing", "c/t": "council tax", "c/h": "central heating"}[
             m["what"].lower()[:3] if m["what"][0] in "cC" else "d"] if mentions(HOME, m.string) else None),
    rule(r"(?<=[a-z] )eves(?= (?:&|and|or|only|after|pref)|[,;.]|/)", lambda m: "evenings"
         if mentions(HOME, m.string) or mentions(CALLS, m.string) else None),
    # Chats and journeys.
    rule(r"(?<![\w.'’])[Uu]['’](?P<what>re|ve|ll|d)(?!\w)",
         lambda m: {"re": "you're", "ve": "you've", "ll": "you'll", "d": "you'd"}[m["what"]]),
    rule(rf"(?<=[A-Z][a-z]{{2}} )[bd]\. (?=\d{{1,2}} (?:{'|'.join(MONTHS)}|(?:{SHORT_MONTH})\b))|(?<=[a-z]{{3}} )d\. "
         rf"(?=\d{{1,2}} (?:{'|'.join(MONTHS)}|(?:{SHORT_MONTH})\b))",
         lambda m: "born " if m[0][0] == "b" else "died "),
    rule(r"(?<=\d )stat\. (?=miles?\b)", "statute "),
    rule(rf"(?<=\bon )(?P<a>\d{{1,2}})/(?P<b>\d{{1,2}}) (?P<month>{'|'.join(MONTHS)}|(?:{SHORT_MONTH})\b)(?! \d{{4}})",
         lambda m: f"the {ordinal(int(m['a']))} or {ordinal(int(m['b']))} of "
         + next(name for name in MONTHS if name.startswith(m["month"][:3]))
         if 0 < int(m["a"]) < int(m["b"]) < 32 else None),
    rule(r"(?<=\b[A-Z]{2} )reg(?:d|'d)?\.?(?=[,;)]|\s*\Z)",
         lambda m: "registered" if "£" in m.string or "$" in m.string else None),
)  # fmt: skip


def _labels(match: re.Match[str]) -> str | None:
    """ "V3-V4", "1A-1C": the first and the last of a row, which have the letter or the number in common."""
    first, last = match["a"], match["b"]
    kind = r"[A-Z]" if first[0].isalpha() else r"\d+"
    one, other = re.match(kind, first), re.match(kind, last)
    if not one or not other or one[0] != other[0] or first == last:
        return None
    return f"{_label(first)} to {_label(last)}"


def _label(written: str) -> str:
    return " ".join(part if part.isalpha() else spoken(part) for part in re.findall(r"\d+|[A-Z]", written))


TELLS = tells_of(
    rf"\b(?:{one_of(EITHER_CASE)})\b|\b[Ff]lr\.? \d|\b[Oo]pt\.? \d|\b(?:VAT|EORI|UTR|NI|[Rr]eg|registration|company"
    rf"|charity|policy)\b"
    r"|\d[a-dA-D] ?[–-]|[A-Z]\d{1,2}[–-][A-Z\d]|\d[A-Z][–-]\d|\d[A-Z]/[A-Z]|\d ?[x×] ?\d[\d.]{0,5} ?-?(?:cm|mm|in"
    r"|bp)\b|\bbot\.? of|\([WL], \d|\.\d{3}/"
    r"|\bno\. [a-z]"
    rf"|(?:Sat|Sun)\. [a-z]|[a-z] (?:Mon|Tues?|Weds?|Thurs?|Fri|Sat|Sun) (?:the )?\d|(?:Mon|Tue|Wed|Thu|Fri|Sat"
    rf"|Sun)(?:s|rs)?['’]s|(?:{SHORT_MONTH}): ?\d"
    r"| bp\b|\w ?\(\d{1,4}(?:, ?\d{1,5})?\) ?[=≈]|\b[Bb]al\b|\bacct?s\b| v\.? [a-zPLc]|A/L|[Oo]/night|\bsupp\.|€€"
    r"|\b0\d{3} [a-z]|\b[RL] [a-zN]"
    r"|[a-z] #[ ,;.(]|#(?:clinic|NOF|ribs?|wrist|ankle|hip|femur|radius|tibia|humerus|scaphoid|skull|pelvis)"
    r"|[Cc]o-[a-z]+ \d|/24 ?h|\b[WwHh]t:? \d|b/w |\b[Aa] [A-Z][a-z]{1,4}\. |\d\.\d+\(|N\.[YJ]\. |Bus\. |\dM "
    r"|[–−]\d|\d,\d{3}p\b|\b[Ii]nt\.? d"
    r"|\dx ?[A-Z]|\b802\.|f/w |\d[\"″] [A-Z]|[Uu]['’]|[a-z] d\. \d|[a-z] b\. \d|stat\. m|on \d{1,2}/\d{1,2} [A-Z]|\breg"
    r"|\bnr\b|\bmed |\bYrs? [a-z]|dated \d|\bop\.|Co\. v|\b[yqm]-o-|~[£$€¥]|[¥₹$]\d[\d,]{0,9} ?pp|\d ?nts?\b"
    r"|\b[Tt]he \d{1,2}\.\d\d"
    r"|h C\.? [a-zA-Z]|£\d+ \d|\b[QK]\. [A-Z]|\b(?:MON|TUE|WED|THU|FRI|SAT|SUN)|\bEp\b|\b[dcDC]/[ghtGH]|\beves\b"
)
