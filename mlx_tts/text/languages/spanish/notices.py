"""Spanish short forms of medicine, law, offers and timetables ("v.o.", "disp. adic.", "sin asc.") -> words."""

from __future__ import annotations

import re

from mlx_tts.text.languages.spanish.adverts import advert_kinds
from mlx_tts.text.languages.spanish.offers import offer_kinds
from mlx_tts.text.languages.spanish.trade import trade_kinds
from mlx_tts.text.normalise.engine import Kind, mentions, rule
from mlx_tts.text.normalise.romance import Romance
from mlx_tts.text.normalise.romance_notices import zone_rule

# What only a case note or a prescription has: elsewhere "v.o." is a film that speaks its own language.
PATIENT = re.compile(r"\b(?:[Pp]aciente|[Vv]arón|TA|FC|FR|Sat|[Pp]aut|[Rr]ecet)|\bmg\b|\d ?comp\.|\bc/\d")
ROUTES = {"v.o.": "vía oral", "i.v.": "vía intravenosa", "i.m.": "vía intramuscular", "s.c.": "vía subcutánea"}
# A text with one of these offers a flat.
HOUSING = re.compile(
    r"(?i)\b(?:piso|ático|dúplex|alquil\w+|vend[oe]|habitaci\w+|hab\.|dorm\w*\.?|m²|m2|chalet|estudio|apto\.|baños?)"
)
ROOMS = {"asc": "ascensor", "calef": "calefacción", "trast": "trastero", "terr": "terraza", "coc": "cocina"}
LEGAL = {"adic": "adicional", "trans": "transitoria", "transit": "transitoria", "derog": "derogatoria",
         "final": "final",
         "fin": "final"}  # fmt: skip
GROWN = {"a/a": "interanual", "t/t": "intertrimestral", "m/m": "intermensual"}


def notice_kinds(own: Romance) -> tuple[Kind, ...]:
    """own: the words of the language."""
    months = "ene|feb|febr|mar|abr|may|jun|jul|ago|sept|set|oct|nov|dic"

    stop = own.sentence_stop

    def route(match: re.Match[str]) -> str | None:
        short = match[0].replace(" ", "").casefold()
        return f"{ROUTES[short]}{stop(match)}" if mentions(PATIENT, match.string) else None

    def room(match: re.Match[str]) -> str | None:
        return f"{ROOMS[match['what']]}{stop(match)}" if mentions(HOUSING, match.string) else None

    def month(match: re.Match[str]) -> str:
        short = {"set": "sept", "febr": "feb"}.get(match["month"], match["month"])
        return own.month_names[own.month_numbers[short] - 1] + stop(match)

    def provision(match: re.Match[str]) -> str:
        several = match["many"] or ""
        head = "isposiciones" if several else "isposición"
        what = LEGAL[match["what"]]
        if several:
            what += "es" if what[-1] == "l" else "s"
        return f"{match['d']}{head} {what}"

    return (
        *offer_kinds(own),
        *advert_kinds(own),
        *trade_kinds(own),
        Kind("abbreviation", re.compile(r"[visVIS]\. ?[omvc]\.|\d d\. |[Vv]id\. |[Dd]isps?\. |\bX |% [atm]/[atm]\b"), (
            rule(r"(?<=\b[Ee]n )v\. ?o\.(?! ?\d)", lambda m: f"versión original{stop(m)}"),
            rule(r"(?<![\w.])(?:v\. ?o\.|i\. ?v\.|i\. ?m\.|s\. ?c\.)(?!\w)", route),
            # The words around tell that it is no date before Christ, and no sentence ends before a small letter.
            rule(r"\b(?P<before>[Dd]urante|[Cc]ada|[Ee]n|[Pp]or|[Tt]ras|[Hh]ace) (?P<n>\d{1,3}) d\.(?= [a-zà-ÿ(])",
                 lambda m: f"{m['before']} {own.counted(m['n'], ['día', 'días'])}"),
            rule(r"(?<![\w.])(?<!\b[Ll]a )(?P<v>[Vv])id\.(?= (?:[Ll]ey|STS|STC|[Rr]eal|RD|[Ss]entencia|[Aa]nexo"
                 r"|[Tt]abla|[Ff]ig|infra|supra|nota|arts?\.|[Aa]rtículo|págs?\.|pp?\.|cap\.|también|p\. ej))",
                 r"\g<v>éase"),
            rule(r"(?<![\w.])(?P<d>[Dd])isp(?P<many>s)?\. (?P<what>adic|transit|trans|derog|final|fin)\b\.?",
                 provision),
            rule(r"(?:\A|(?<=[.!?¡¿] ))X(?= (?:cierto|favor|fa|eso|ejemplo|fin|si|lo menos)\b)", "Por"),
            rule(r"(?<=% )(?:a/a|t/t|m/m)(?![\w/])", lambda m: GROWN[m[0]]),
        )),
        Kind("abbreviation", re.compile(
            rf"\b(?:asc|calef|trast|terr|coc|com|fest|amueb|reform|min)\.|\d(?:\.?º)? de (?:{months})\.|[Kk]m \d"
        ), (
            rule(r"(?<![\w.])(?P<what>asc|calef|trast|terr|coc)\.(?! ?\d)", room),
            rule(r"(?:(?<=[Gg]astos de )|(?<=\+ )|(?<=más )|(?<=[Gg]astos ))com\.",
                 lambda m: f"comunidad{stop(m)}" if mentions(HOUSING, m.string) else None),
            rule(r"(?<![\w.])(?P<what>amueb|reform)\.(?! ?\d)",
                 lambda m: f"{m['what']}{'lado' if m['what'] == 'amueb' else 'ado'}{stop(m)}"
                 if mentions(HOUSING, m.string) else None),
            rule(r"(?:(?<=\by )|(?<=[Dd]om\. )|(?<=, )|(?<=/)|(?<=[Dd]omingos ))fest\.",
                 lambda m: f"festivos{stop(m)}"),
            rule(rf"(?<=[\dº] de )(?P<month>{months})\.(?! ?\d| de \d| del \d)", month),
            rule(r"(?<![\w.])min\. (?=\d{1,3}(?:, \d{1,3}){0,4} y \d{1,3}(?!\w|[.,]\d))", "minutos "),
            rule(r"(?<![\w.])(?<!\b[Ee]l )(?<!\b[Aa]l )(?<!\b[Dd]el )(?<!\bpunto )(?P<k>[Kk])m "
                 r"(?=\d{2,3}\.\d{3}(?!\d|[.,]\d))",
                 r"\g<k>ilómetros "),
        )),
        Kind("time", re.compile(r"(?:UTC|GMT) ?[-+−–]\d"), (
            zone_rule(own, "y"),
        )),
    )  # fmt: skip
