"""Portuguese short forms of letters, recipes, matches, wards and maps ("V/ carta", "34ª rod.", "déc.") -> words."""

from __future__ import annotations

import re

from mlx_tts.text.normalise.engine import Kind, mentions, rule, text_before
from mlx_tts.text.normalise.romance import Romance

PATIENT = re.compile(r"\b(?:[Pp]aciente|[Pp]cte\.|PA\b|FC\b|Hb\b|Sp?O2|SatO)|\bmg\b")
SEEN_AGAIN = re.compile(r"(?i)\b(?:ret\.|retorn\w+|reavali\w+|controle|consulta|acompanhamento)[^.\d]{0,24}\Z")
# In these texts "420 m." are months.
BILLED = re.compile(r"(?i)\b(?:financi\w+|parcela\w*|prestaç\w+|crédito|empréstimo|prazo|consórcio)\b")
REVOLTS = "Farroupilha|Francesa|Russa|Industrial|Praieira|Constitucionalista|dos Cravos|Liberal|de (?:1\\d{3}|30|32)\\b"
LINES = {"lat": "latitude", "long": "longitude", "lon": "longitude"}
EXTREMES = {"máx": "máxima", "mín": "mínima", "méd": "média"}
MEASURED = {"prof": "profundidade", "alt": "altitude", "temp": "temperatura"}
CHAT = {"Obg": "Obrigado", "Vlw": "Valeu", "Blz": "Beleza"}


def trade_kinds(own: Romance) -> tuple[Kind, ...]:
    """own: the words of the language."""
    months = "jan|fev|mar|abr|mai|jun|jul|ago|set|out|nov|dez"

    def stop(match: re.Match[str]) -> str:
        return own.sentence_stop(match)

    def place(match: re.Match[str]) -> str:
        """ "lat. 31°06'12\" S"."""
        line = match["line"] or ""
        word = f"{LINES[line.lower()]} " if line else ""
        said = f"{word.capitalize() if line[:1].isupper() else word}{own.counted(match['d'], ['grau', 'graus'])}"
        if match["m"]:
            said += f" e {own.counted(str(int(match['m'])), ['minuto', 'minutos'])}"
        if match["s"]:
            said += f" e {own.counted(match['s'].replace('.', ','), ['segundo', 'segundos'])}"
        return f"{said} {own.compass[match['side']]}"

    def month(match: re.Match[str]) -> str:
        year = int(match["y"]) + (2000 if len(match["y"]) == 2 else 0)
        return f"{own.month_names[own.month_numbers[match['month']] - 1]} de {own.year(year)}"

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
            r"|\bAA\b|\b(?:Obg|Vlw|Blz)\b|\bmáx |\bm\b|\bRev\. |\bRep\. |\b[Dd]éc\. "
        ), (
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
            rule(r"(?:\b(?P<line>[Ll]at|[Ll]ong?)\. ?)?(?<![\w.,-])(?P<d>\d{1,3})° ?(?P<m>[0-5]?\d)['’′] ?"
                 r"(?:(?P<s>[0-5]?\d(?:[.,]\d{1,2})?)(?:[\"”″]|['’]{2}) ?)?(?P<side>[NSELOW])(?!\w)", place),
            rule(r"\b(?P<line>[Ll]at|[Ll]ong?)\. ?(?P<d>\d{1,3}(?:,\d{1,6})?)° ?(?P<m>)(?P<s>)(?P<side>[NSELOW])(?!\w)",
                 place),
            rule(rf"(?<![\w/])(?P<month>{months})/(?P<y>20\d\d|[0-3]\d)(?![\w/])", month),
            rule(rf"(?<![\w.])(?P<what>{'|'.join(MEASURED)})\. (?P<how>máx|mín|méd)(?:\.|(?!\w))",
                 lambda m: f"{MEASURED[m['what']]} {EXTREMES[m['how']]}"),
            rule(r"\b(?P<what>Sat|Sp)O₂", lambda m: f"{m['what']}O {own.cardinal(2)}"),
            rule(r"(?:(?<=[Ss]entido )|(?<=[Dd]ireção ))(?P<a>[NSLO])-(?P<b>[NSLO])(?!\w)",
                 lambda m: f"{own.compass[m['a']]}-{own.compass[m['b']]}"),
        )),
    )  # fmt: skip
