"""Portuguese short forms of letters, recipes, matches, wards and maps ("V/ carta", "34ª rod.", "déc.") -> words."""

from __future__ import annotations

import re

from mlx_tts.text.normalise.engine import Kind, mentions, rule, text_before
from mlx_tts.text.normalise.romance import Romance
from mlx_tts.text.normalise.romance_notices import extreme_rule, oxygen_rule, place_rules, side_rule, year_of_month_rule

PATIENT = re.compile(r"\b(?:[Pp]aciente|[Pp]cte\.|PA\b|FC\b|Hb\b|Sp?O2|SatO)|\bmg\b")
SEEN_AGAIN = re.compile(r"(?i)\b(?:ret\.|retorn\w+|reavali\w+|controle|consulta|acompanhamento)[^.\d]{0,24}\Z")
# In these texts "420 m." are months.
BILLED = re.compile(r"(?i)\b(?:financi\w+|parcela\w*|prestaç\w+|crédito|empréstimo|prazo|consórcio)\b")
REVOLTS = "Farroupilha|Francesa|Russa|Industrial|Praieira|Constitucionalista|dos Cravos|Liberal|de (?:1\\d{3}|30|32)\\b"
LINES = {"lat": "latitude", "long": "longitude", "lon": "longitude"}
EXTREMES = {"máx": "máxima", "mín": "mínima", "méd": "média"}
MEASURED = {"prof": "profundidade", "alt": "altitude", "temp": "temperatura"}
CHAT = {"Obg": "Obrigado", "Vlw": "Valeu", "Blz": "Beleza"}

# Before names: "o dep. Leal", "a sen. Prado".
OFFICES = {"dep": "deputad", "sen": "senador"}


def trade_kinds(own: Romance) -> tuple[Kind, ...]:
    """own: the words of the language."""
    months = "jan|fev|mar|abr|mai|jun|jul|ago|set|out|nov|dez"

    stop = own.sentence_stop

    def again(match: re.Match[str]) -> str | None:
        seen = mentions(PATIENT, match.string) and SEEN_AGAIN.search(text_before(match, 40))
        return own.counted(match["n"], ["mês", "meses"]) + stop(match) if seen else None

    def paid(match: re.Match[str]) -> str | None:
        if not mentions(BILLED, match.string):
            return None
        return f"{match['word']} {own.counted(match['n'], ['mês', 'meses'])}{stop(match)}"

    def ours(match: re.Match[str]) -> str:
        """ "V/ carta", "N/ ref."."""
        noun = "referência" if match["noun"] == "ref" else match["noun"]
        said = f"{'vo' if match['whose'] == 'V' else 'no'}ss{'a' if own.gender(noun) == 'f' else 'o'}"
        return f"{said.capitalize() if not text_before(match, 1) else said} "

    return (
        Kind("abbreviation", re.compile(
            r"\b[VN]/ ?[a-z]|\bmod\. |\bpag\. |[Rr]end\.|\bp/ ?\d|\bCal\.:|\d ass\.|ª rod\.|\bpúb\.|\b(?:masc|fem)\."
            r"|\bAA\b|\b(?:Obg|Vlw|Blz)\b|\bmáx |\bm\b|\bRev\. |\bRep\. |\b[Dd]éc\. |\b(?:dep|sen)\. "
        ), (
            rule(r"(?P<the>\b(?:[Oo]|[Aa]|[Dd]o|[Dd]a|[Pp]el[oa]|[Aa]o|à) )(?P<who>dep|sen)\.(?= [A-ZÀ-Þ][a-zà-ÿ])",
                 lambda m: m["the"] + OFFICES[m["who"]]
                 + ("a" if m["the"][-2] in "aAà" else "o" if m["who"] == "dep" else "")),
            rule(r"(?<![\w/])(?P<whose>[VN])/ ?(?=(?P<noun>[a-zà-ÿ]{3,16}))", ours),
            rule(r"(?<![\w.])(?P<m>[Mm])od\.(?= ?[A-Z\d])", r"\g<m>odelo"),
            rule(r"(?<![\w.])(?P<p>[Pp])ag\.(?= (?:a (?:\d{2,3} dias|pronto)|à vista|antecip|em dinheiro))",
                 r"\g<p>agamento"),
            rule(r"(?<![\w.])(?P<r>[Rr])end\.(?=:? (?:\d|aprox|cerca))", r"\g<r>endimento"),
            rule(r"(?<![\w/])p/ ?(?=\d{1,3} ?(?:['’′]|min|seg)(?![\d\"]))", "por "),
            rule(r"(?<![\w.])Cal\.(?=:)", "Calorias"),
            rule(r"(?<![\w.,])(?P<n>\d{1,2}) ass\.",
                 lambda m: own.counted(m["n"], ["assistência", "assistências"]) + stop(m)),
            rule(r"(?<=ª )rod\.", lambda m: f"rodada{stop(m)}"),
            rule(r"(?<![\w.])(?P<p>[Pp])úb\.(?=:? ?\d)", r"\g<p>úblico"),
            rule(r"(?:(?<=\b[Pp]aciente )|(?<=\b[Pp]cte\. )|(?<=\b[Ss]exo ))(?P<what>masc|fem)\.",
                 lambda m: f"{'masculino' if m['what'] == 'masc' else 'feminino'}{stop(m)}"),
            rule(r"(?:(?<=\bem )|(?<=% ))AA(?!\w)", lambda m: "ar ambiente" if mentions(PATIENT, m.string) else None),
            rule(r"(?:\A|(?<=[.!?] ))(?P<what>Obg|Vlw|Blz)(?=[!,.? ])", lambda m: CHAT[m["what"]]),
            rule(r"(?<![\w.])máx(?= (?:R\$|€|\d))", "máximo"),
            rule(r"(?<=\bem )(?P<n>\d{1,2}) m\b\.?", again),
            rule(r"\b(?P<word>em|até|de) (?P<n>\d{1,3}) m\.(?=[;,:)]|\s*\Z| (?!de )[a-zà-ÿ])", paid),
            rule(rf"(?<![\w.])Rev\.(?= (?:{REVOLTS}))", "Revolução"),
            rule(r"(?<=\ba )Rep\.(?= [A-ZÀ-Þ])|(?<=\bda )Rep\.(?= [A-ZÀ-Þ])|(?<=\bna )Rep\.(?= [A-ZÀ-Þ])",
                 "República"),
            rule(r"(?<![\w.])(?P<d>[Dd])éc\.(?= (?:de|dos|passada))", r"\g<d>écada"),
        )),
        Kind("measure", re.compile(r"\d°|[a-z]{3}/\d\d|\b(?:prof|alt|temp)\. m|O₂|\b[NSLO]-[NSLO]\b"), (
            *place_rules(own, ("grau|graus", "minuto|minutos", "segundo|segundos"), LINES, "NSELOW", " e "),
            year_of_month_rule(own, months, " de "),
            extreme_rule(MEASURED, EXTREMES),
            oxygen_rule(own),
            side_rule(own, r"(?<=[Ss]entido )|(?<=[Dd]ireção )", "NSLO"),
        )),
    )  # fmt: skip
