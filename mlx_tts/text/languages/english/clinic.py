"""English short forms of wards, letters and offers of homes ("3/7 hx", "Det. Insp.", "dble glazing") -> words."""

from __future__ import annotations

import re

from mlx_tts.text.languages.english.dates import MONTHS
from mlx_tts.text.languages.english.numbers import digits, spoken
from mlx_tts.text.languages.english.tells import tells_of
from mlx_tts.text.languages.english.words import keeps_dot
from mlx_tts.text.normalise.engine import mentions, one_of, rule, text_after

# In these texts R is right and 3/7 are three days.
NOTES = re.compile(
    r"\d ?y/?o\b|\b(?:hx|Hx|O/E|SOB|Rx|CXR|sats|SpO2|creps|TDS|BD|QDS|PRN|y/?o"
    r"|[Pp]ts?\.?|PMH|Dx|ECG|A&E|GCS|BP|RR|bloods|c/o|r/v)\b"
)
OFTEN = {"TDS": "three times a day", "tds": "three times a day", "BD": "twice a day", "bd": "twice a day",
         "QDS": "four times a day", "qds": "four times a day", "OD": "once a day", "od": "once a day",
         "nocte": "at night", "mane": "in the morning"}  # fmt: skip
SIDED = (
    "base|lung|wrist|arm|leg|knee|hip|ankle|foot|hand|eye|ear|shoulder|elbow|breast|kidney|flank|calf|groin|thigh|heel"
    "|lower|upper|mid|hemithorax|iliac|side|neck|cheek|jaw|chest|foot|toe|thumb|index|femur|tibia|humerus"
)
LENGTHS = {"7": "day", "52": "week", "12": "month", "24": "hour"}
UNITS = {"min": "minute", "hr": "hour", "wk": "week", "yr": "year", "mth": "month", "mo": "month"}
RANKS = {"Insp": "Inspector", "Sgt": "Sergeant", "Supt": "Superintendent", "Con": "Constable", "Ch": "Chief"}
GENTLE = {"Mr": "Mister", "Mrs": "Missus", "Ms": "Miss", "Dr": "Doctor", "Prof": "Professor"}
HOME = re.compile(
    r"(?i)\b(?:\d[ -]?beds?|bedrooms?|semi|terraced?|detached|flat|house|bungalow|cottage|to let|pcm|glazing|EPC"
    r"|council tax|sq\.? ?ft|let|rent|landlord|lounge|kitchen)\b"
)
HOMES = {
    "stn": "station", "dble": "double", "dbl": "double", "gdn": "garden", "gdns": "gardens", "lge": "large",
    "sgle": "single", "recep": "reception", "receps": "receptions", "bthrm": "bathroom", "bthrms": "bathrooms",
    "gge": "garage", "off-st": "off-street", "on-st": "on-street", "furn": "furnished", "unfurn": "unfurnished",
    "refurb": "refurbished", "mod": "modern", "prkg": "parking", "pkg": "parking", "ktchn": "kitchen",
    "conserv": "conservatory", "sep": "separate", "ensuite": "en suite",
}  # fmt: skip
FREE_WORDS = frozenset(("mod", "sep", "furn", "recep", "conserv", "pkg"))  # only with a full stop, or not at all
SHORT_MONTHS = "|".join([*(month[:3] for month in MONTHS if month != "May"), "Sept"])


def _home(match: re.Match[str]) -> str | None:
    word = match["word"].lower()
    if not mentions(HOME, match.string) or (word in FREE_WORDS and not match[0].endswith(".")):
        return None
    said = HOMES[word]
    said = said.capitalize() if match["word"][0].isupper() else said
    if not match[0].endswith("."):
        return said
    return f"{said}." if re.match(r"\s+[A-Z£€$]|\s*\Z", text_after(match, 4)) else said


def _length(match: re.Match[str]) -> str | None:
    """ "a 3/7 hx", "for 2/52": days, weeks and months of doctors."""
    if not mentions(NOTES, match.string):
        return None
    unit = LENGTHS[match["of"]]
    several = match["n"] != "1" and not match["noun"]
    return f"{spoken(match['n'])} {unit}{'s' if several else ''}"


def _month(match: re.Match[str]) -> str:
    said = next(month for month in MONTHS if month.startswith(match["month"][:3]))
    return keeps_dot(said, match) if match[0].endswith(".") else said


CLINIC_RULES = (
    rule(r"(?<![\w.,/])(?P<n>\d{1,2})/(?P<of>7|52|12)(?=(?P<noun> (?:hx|Hx|history|course|h/o|review|f/u)\b)| ago\b)",
         _length),
    rule(r"(?:(?<=\bfor )|(?<=\bin )|(?<=\bpast )|(?<=\blast ))(?P<n>\d{1,2})/(?P<of>7|52|12)(?P<noun>)"
         r"(?![\w/]|[.,]\d)", _length),
    rule(r"(?<= )x ?(?P<n>\d{1,2})/(?P<of>7|52|12)(?P<noun>)(?![\w/]|[.,]\d)",
         lambda m: (said := _length(m)) and f"for {said}"),
    rule(r"(?:(?<=\dg )|(?<=\d g )|(?<=mg )"
         r"|(?<=cg )|(?<=mL )|(?<=ml )|(?<=IV )|(?<=PO )|(?<=po )|(?<=SC )|(?<=IM )|(?<=units )"
         rf"|(?<=puffs )|(?<=tablet )|(?<=tablets )|(?<=tabs ))(?P<word>{one_of(OFTEN)})(?![\w/-])",
         lambda m: OFTEN[m["word"]]),
    rule(rf"(?<![\w.])(?P<side>[RL])(?= (?:{SIDED})\b)",
         lambda m: {"R": "right", "L": "left"}[m["side"]] if mentions(NOTES, m.string) else None),
    rule(r"(?<=\d% )(?P<on>on )?RA(?!\w)", lambda m: "on room air" if mentions(NOTES, m.string) else None),
    rule(r"(?<![\w.])Det\.? (?=(?:Ch\.? |Chief )?(?:Insp|Sgt|Supt|Con)\b)", "Detective "),
    rule(r"(?<![\w.])Ch\.? (?=(?:Insp|Supt)\b)", "Chief "),
    rule(r"(?:(?<=Det )|(?<=Det\. )|(?<=Ch )|(?<=Ch\. )|(?<=Chief )|(?<=Detective ))"
         r"(?P<rank>Insp|Sgt|Supt|Con)\b\.?|(?<![\w.])(?P<other>Insp)\.(?= [A-Z][a-z])",
         lambda m: RANKS[m["rank"] or m["other"]]),
    rule(r"(?:(?<=\bcalls on )|(?<=\bcall on )|(?<=\bcalls to )|(?<=\bpolice on )|(?<=calling )|(?<=ialling )"
         r"|(?<=honing )|(?<=\bNHS )|(?<=\bthem on )|(?<=\bhoned )|(?<=\brang )|(?<=\bialled ))"
         r"(?P<n>101|111|999|112|911)(?![\w%]|[.,]\d)", lambda m: digits(m["n"])),
    rule(r"(?<![\w.])(?P<title>Mr|Mrs|Ms|Dr|Prof)\.?(?= (?:and|&|or) (?:Mrs?|Ms|Dr|Miss|Prof)\b)",
         lambda m: GENTLE[m["title"]]),
    rule(r"(?:(?<=, )|(?<=\n)|(?<=[a-z] ))pp\.? (?=[A-Z]\. ?[A-Z][a-z])", "P P "),
    rule(r"(?<![\w.])(?P<a>[Aa])ccts\.?(?= (?:[Dd]ept|[Tt]eam|[Oo]ffice|[Pp]ayable|[Rr]eceivable)\b)",
         r"\g<a>ccounts"),
    rule(r"(?:\A|(?<=[.!?] ))TIA(?=[!.,]?\s*\Z|[!,] )", "Thanks in advance"),
    rule(r"(?:(?<=\dst )|(?<=\dnd )|(?<=\drd )|(?<=\dth ))cent\.", lambda m: keeps_dot("century", m)),
    # A place on the map: "NGR TQ 412 087".
    rule(r"(?P<what>\b(?:NGR|[Gg]rid [Rr]ef(?:erence)?\.?|OS ref\.?):? )(?P<letters>[A-Z]{2}) ?(?P<a>\d{3,5})"
         r" ?(?P<b>\d{3,5})(?![\w-]|[.,]\d)",
         lambda m: f"{' '.join('NGR') + ' ' if m['what'][0] == 'N' else 'grid reference '}{' '.join(m['letters'])} "
         f"{digits(m['a'])}, {digits(m['b'])}"),
    rule(r"(?<![\w.,-])(?P<n>\d{1,3})[ -]?(?P<unit>min|hr|wk|yr|mth|mo)(?:s?['’]|['’]s)(?= (?:walk|drive|notice|ride"
         r"|stroll|work|free|experience|supply|rent|deposit|time|flight|journey)\b)",
         lambda m: f"{spoken(m['n'])} {UNITS[m['unit']]}" + ("'s" if m["n"] == "1" else "s'")),
    rule(rf"(?<![\w.@/-])(?P<word>(?i:{one_of(HOMES)}))(?![\w@/-])(?:\.(?!\w))?", _home),
    rule(r"(?<![\w.])nr\.?(?= (?:stn|station|shops?|town|tube|bus|schools?|park|river|sea|beach|city|centre"
         r"|transport)\b)",
         lambda m: "near" if mentions(HOME, m.string) else None),
    rule(r"(?<=\b[Rr]efs )req\b\.?|(?<=deposit )req\b\.?|(?<=references )req\b\.?",
         lambda m: keeps_dot("required", m) if m[0].endswith(".") else "required"),
    rule(rf"(?:(?<=\bend )|(?<=\bmid )|(?<=\bmid-)|(?<=\bearly )|(?<=\blate )|(?<=\bstart )|(?<=\bend of )"
         rf"|(?<=\bsince )|(?<=\buntil )|(?<=\bfrom ))(?P<month>{SHORT_MONTHS})\b(?:\.|(?=[,;)!?]|\s*\Z))(?! \d)",
         _month),
)  # fmt: skip
TELLS = tells_of(
    r"\d/(?:7|52|12)\b|\b(?:TDS|tds|BD|bd|QDS|qds|OD|od|nocte|mane|RA|TIA|NGR|OS)\b|\b[RL] [a-z]|Det\b|Ch\b|Insp\b"
    r"|\b(?:101|111|999|112|911)\b|\b(?:Mrs?|Ms|Dr|Prof)\.? (?:and|&|or) |\bpp\b|ccts|cent\.|[Gg]rid|['’] ?[a-z]|\bnr\b"
    rf"|\breq\b|\b(?:{SHORT_MONTHS})\b|\b(?i:{one_of(HOMES)})\b"
)
