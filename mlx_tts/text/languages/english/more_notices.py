"""More English short forms that their surroundings explain: offers of cars and flats, rates, zones, ovens, notes."""

from __future__ import annotations

import re

from mlx_tts.text.languages.english.dates import MONTHS
from mlx_tts.text.languages.english.names import GREEK
from mlx_tts.text.languages.english.numbers import NUMBER, cardinal, spoken, year
from mlx_tts.text.languages.english.tells import tells_of
from mlx_tts.text.languages.english.words import keeps_dot
from mlx_tts.text.normalise.engine import mentions, rule, text_after

# In these texts "bp" are hundredths of a percent, and elsewhere pairs of bases.
RATES = re.compile(
    r"(?i)\b(?:rates?|yields?|spreads?|fed|ecb|boe|banks?|inflation|bonds?|treasur(?:y|ies)|gilts?|bunds?|coupon|libor"
    r"|sofr|euribor|mortgages?|margins?|basis|fees?|cuts?|hikes?|markets?|percent|guidance|ebitda)\b|%"
)
GENES = re.compile(
    r"(?i)\b(?:genomes?|genes?|DNA|r?RNA|mRNA|reads|amplicons?|16S|primers?|exons?|introns?|plasmids?|sequenc\w+|PCR)\b"
)
CHANGE = re.compile(
    r" (?:rate |interest rate )?(?:cuts?|hikes?|rises?|increases?|moves?|reductions?|jumps?|drops?|falls?|changes?"
    r"|gains?|premiums?|spreads?|discounts?|fees?|margins?|steps?|charges?)\b"
)
CARS = re.compile(
    r"(?i)\b(?:hatch(?:back)?|saloon|sedan|estate|coupe|convertible|MOT|mpg|TDI|TSI|GTI|petrol|diesel|manual|auto"
    r"|mileage|miles|VW|BMW|Ford|Audi|Vauxhall|Toyota|Honda|Nissan|Skoda|Mini|Fiat|Peugeot|Renault|FSH)\b|\dk\b"
)
OFFERED = {
    "ono": "or nearest offer", "o.n.o.": "or nearest offer", "vgc": "very good condition",
    "VGC": "very good condition", "v.g.c.": "very good condition", "V.G.C.": "very good condition",
    "FSH": "full service history", "f.s.h.": "full service history", "PSH": "part service history",
    "OIRO": "offers in the region of", "oiro": "offers in the region of", "o.i.r.o.": "offers in the region of",
    "GCH": "gas central heating", "gch": "gas central heating",
}  # fmt: skip
OFFER = re.compile(r"[£€$] ?\d|\b(?i:for sale|to let|wanted|tel|offers?|bargain|price)\b")
GROWTH = {"YoY": "year over year", "yoy": "year over year", "YOY": "year over year", "QoQ": "quarter over quarter",
          "qoq": "quarter over quarter", "QOQ": "quarter over quarter", "MoM": "month over month"}  # fmt: skip
CITED = re.compile(r"(?:\b(?:[Ss]ee|pp?\.|supra|infra|ibid\.?|at|cf\.|and|[Pp]ara\.?|[Cc]h\.|v\.)\s|[,(;\d] ?)")
SCALES = {"C": "Celsius", "F": "Fahrenheit"}
FLOORS = {"grd": "ground", "gnd": "ground", "lwr": "lower", "upr": "upper"}


def _points(match: re.Match[str]) -> str | None:
    """ "25bp": in the singular before what they change by."""
    if not mentions(RATES, match.string) or mentions(GENES, match.string):
        return None
    sign = {"+": "plus ", "-": "minus ", "–": "minus "}.get(match["sign"] or "", "")
    one = match["n"] == "1" or match["joint"] == "-" or CHANGE.match(text_after(match, 32))
    return f"{sign}{spoken(match['n'])} basis point{'' if one else 's'}"


def _offered(match: re.Match[str]) -> str | None:
    """ "£80 ono", "v.g.c."."""
    if not mentions(OFFER, match.string):
        return None
    said = OFFERED[match["word"]]
    if not match["word"].endswith("."):
        return said
    return f"{said}." if re.match(r" [£$€]\d", text_after(match, 3)) else keeps_dot(said, match)


def _doors(match: re.Match[str]) -> str | None:
    return f"{spoken(match['n'])} door" if mentions(CARS, match.string) else None


def _oven(match: re.Match[str]) -> str | None:
    if bool(match["joint"]) != bool(match["n"] and match["mark"]) or not (match["n"] or match["mark"]):
        return None
    parts = [" fan" if match["fan"] else ""]
    if match["n"]:
        parts.append(f" {spoken(match['n'])} degrees {SCALES[match['scale']]}{match['too'] or ''}")
    if match["mark"]:
        parts.append(f" gas mark {spoken(match['mark'])}")
    return ",".join(parts)


def _note(match: re.Match[str]) -> str | None:
    """ "p. 4 n. 3"; behind anything else "n." is born, neuter or a number."""
    cited = CITED.search(match.string[max(0, match.start() - 8) : match.start()])
    return f"note{'s' if match['several'] else ''} " if cited else None


def _month(match: re.Match[str]) -> str:
    said = match["year"]
    return f"{MONTHS[int(match['month']) - 1]} {year(int(said) if len(said) == 4 else 2000 + int(said))}"


MORE_NOTICE_RULES = (
    rule(rf"(?<![\w.,])(?P<sign>[-+–])?(?P<n>{NUMBER})(?P<joint>[ -]?)bps?(?![\w/])", _points),
    rule(r"(?<![\w.])(?:YoY|yoy|YOY|QoQ|qoq|QOQ|MoM)(?![\w-])", lambda m: GROWTH[m[0]]),
    # A zone's distance: its sign is not a dash.
    rule(r"\b(?P<zone>UTC|GMT) ?(?P<sign>[-+−–]) ?(?P<h>\d{1,2})(?::(?P<m>[0-5]\d))?(?![\w:/-]|[.,]\d)",
         lambda m: f"{' '.join(m['zone'])} {'plus' if m['sign'] == '+' else 'minus'} {cardinal(int(m['h']))}"
         + (f" {cardinal(int(m['m']))}" if m["m"] and int(m["m"]) else "")),
    rule(r"(?:(?<=\bUTC)|(?<=\bGMT)|(?<=\bUTC )|(?<=\bGMT ))(?P<sign>[-+−–]) ?(?=\d{1,2}(?![\d/.-]))",
         lambda m: " minus " if m["sign"] != "+" else " plus "),
    # A month and a year: "06/2027", "MOT till 3/26".
    rule(r"(?<![\w.,/:-])(?P<month>0[1-9]|1[0-2])/(?P<year>19[5-9]\d|20[0-4]\d)(?![\w/-]|[.,]\d)", _month),
    rule(r"(?P<what>\bMOT(?:['’]?d)?(?: (?:till?|’til|until|to|expires|ends|due|exp\.?|runs out))?:? )"
         r"(?P<month>0?[1-9]|1[0-2])/(?P<year>2\d|3\d)(?![\w/-]|[.,]\d)", lambda m: f"{m['what']}{_month(m)}"),
    rule(r"(?P<what>\b(?:[Tt]ax(?:ed)?|[Ww]arranty|[Ii]nsured|[Ii]nsurance|[Ll]ease|[Vv]isa|[Pp]assport|[Ll]icence"
         r"|[Ll]icense|[Mm]embership|[Cc]ontract|[Gg]uarantee|[Ss]ubscription) (?:is |valid )?(?:till?|until|thru|to"
         r"|expires|ends)(?: end)? )"
         r"(?P<month>0[1-9]|1[0-2]|[1-9](?=/3[2-9]))/(?P<year>2\d|3\d)(?![\w/-]|[.,]\d)",
         lambda m: f"{m['what']}{_month(m)}"),
    rule(r"(?<![\w.,/-])(?P<n>[2-5])[ -]?dr\b\.?(?=[ ,;/)]|\s*\Z)(?! [A-Z]\w+ (?:said|was|is))", _doors),
    # An oven's heat by two scales: "160°C fan/350°F/gas mark 4".
    rule(r"(?<![\w.,/-])(?P<n>\d{2,3}) ?°?(?P<scale>[CF])(?=(?: fan)?/(?:\d{2,3} ?°?[CF]|[Gg]as)\b)",
         lambda m: f"{spoken(m['n'])} degrees {SCALES[m['scale']]}"),
    rule(r"(?:(?<=°[CF])|(?<=\d[CF]))(?: (?P<fan>fan))?/(?:(?P<n>\d{2,3}) ?°?(?P<scale>[CF])(?P<too> fan)?"
         r"(?P<joint>/)?)?(?:(?<=/)[Gg]as(?: [Mm]ark)? (?P<mark>\d))?(?![\w°/])", _oven),
    rule(rf"(?<![\w.@/-])(?P<word>{'|'.join(re.escape(word) for word in OFFERED)})(?![\w@/-])(?!\.\w)", _offered),
    rule(r"(?P<which>\b(?:first|second|third|fourth|top|grd|gnd|ground|lwr|upr|upper|lower) |(?<=\dst )|(?<=\dnd )"
         r"|(?<=\drd )|(?<=\dth ))[Ff]lr\b(?P<dot>\.?)",
         lambda m: FLOORS.get(m["which"].strip(), m["which"].strip()) + (
             keeps_dot(" floor", m) if m["dot"] else " floor")),
    rule(r"(?<=[\d,] )dep\b\.?(?=[ ,;)]|\s*\Z)(?! \d| [A-Z]\w+ (?:at )?\d)",
         lambda m: (keeps_dot("deposit", m) if m[0].endswith(".") else "deposit")
         if re.search(r"[£$€] ?[\d,.]{1,9} \Z", m.string[max(0, m.start() - 12) : m.start()]) else None),
    rule(r"(?<= )\+ (?=[£$€] ?\d)", "plus "),
    rule(r"(?<![\w.])(?<!\d )n(?P<several>n?)\. ?(?=\d{1,3}(?!\d|[.,]\d))", _note),
    rule(r"(?<=\d )n(?P<several>n?)\. ?(?=\d{1,3}(?!\d|[.,]\d))", _note),
    rule(r"(?:(?<=\byour )|(?<=\bmy )|(?<=\bur )|(?<=\bhis )|(?<=\bher ))msg(?P<s>s?)(?=[ ,;!?)]|\.?\s*\Z|\. )",
         r"message\g<s>"),
    # Out of office, and no row of noughts.
    rule(r"(?:(?<=['’]m )|(?<=['’]s )|(?<=['’]re )|(?<=\bam )|(?<=\bis )|(?<=\bare )|(?<=\bbe )|(?<=\bwas )"
         r"|(?<=\bgoing )|(?<=\bbeen ))OOO(?!\w)|(?<!\w)OOO(?= (?:from|until|till|on|this|next|all|repl(?:y|ies)"
         r"|messages?|notice|today|tomorrow|starting|through|thru|for|w/c|-)(?!\w))", "out of office"),
    # Lines of light, and messengers between cells.
    rule(rf"(?<![\w-])(?P<what>[A-Z][A-Za-z]{{0,3}})(?P<letter>[{''.join(GREEK)}])(?![^\W_])",
         lambda m: f"{m['what'] if m['what'][1:].islower() or len(m['what']) == 1 else ' '.join(m['what'])} "
         f"{GREEK[m['letter']]}"),
    rule(rf"(?<![\w-])(?P<what>[A-Z]{{2,4}})-(?P<n>\d{{1,2}})(?P<letter>[{''.join(GREEK)}])(?![^\W_])",
         lambda m: f"{' '.join(m['what'])} {cardinal(int(m['n']))} {GREEK[m['letter']]}"),
)  # fmt: skip
TELLS = tells_of(
    r"\d ?-?bps?\b|[CF](?: fan)?/|\b[yY][oO][yY]\b|\b[qQ][oO][qQ]\b|\bMoM\b|\b(?:UTC|GMT) ?[-+−–]|\d/\d|\d ?-?dr\b"
    r"|\bono\b|[oO]\.[in]\.|\b[vV]\.?[gG]\.?[cC]\b|SH\b|f\.s\.h|\b(?:OIRO|oiro|GCH|gch)\b|[Ff]lr|\bdep\b|\+ [£$€]"
    rf"|\bnn?\. ?\d|OOO|\bmsg|[A-Z\d][a-z]{{0,3}}[{''.join(GREEK)}]"
)
