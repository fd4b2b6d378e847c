"""Portuguese short forms of notices, match reports and advertisements ("7'/1ºT", "síd.", "máq. de lavar") -> words."""

from __future__ import annotations

import re

from mlx_tts.text.normalise.engine import Kind, mentions, rule
from mlx_tts.text.normalise.romance import Romance
from mlx_tts.text.normalise.romance_notices import dust_rule, minutes_rule

HOUSING = re.compile(r"(?i)\b(?:alug\w+|caução|quarto|qto\.|apto\.|dorms?\.|/mês)")
NOUNS = {"síd": "síndico", "elev": "elevador", "univ": "universidade", "admin": "administrador"}


def advert_kinds(own: Romance) -> tuple[Kind, ...]:
    """own: the words of the language."""

    stop = own.sentence_stop

    def months(match: re.Match[str]) -> str | None:
        if not mentions(HOUSING, match.string):
            return None
        return f"mínimo {own.counted(match['n'], ['mês', 'meses'])}"

    return (
        Kind("abbreviation", re.compile(
            r"\b(?:síd|elev|univ|admin|conv|ger|Ingr|ral|Árb|pag|imp|rec|atual|qto|próx|máq|td|mín|máx|alug|Disp)\."
            r"|\binteress\.|\bp\. \d"
        ), (
            rule(r"(?:(?<=\bdo )|(?<=\bo )|(?<=\bao )|(?<=\bcom )|(?<=\bc/ )|(?<=\bà )|(?<=\ba )|(?<=\bda )"
                 r"|(?<=\bcomo )|(?<=\bsem ))(?P<what>síd|elev|univ|admin)\.", lambda m: NOUNS[m["what"]] + stop(m)),
            rule(r"(?<=\dª )conv\.", lambda m: f"convocação{stop(m)}"),
            rule(r"(?<=[Aa]ssuntos )ger\.", lambda m: f"gerais{stop(m)}"),
            rule(r"(?<![\w.])Ingr\.(?= ?[(:]| para)", "Ingredientes"),
            rule(r"(?<=[Qq]ueijo )ral\.|(?<=[Cc]oco )ral\.", lambda m: f"ralado{stop(m)}"),
            rule(r"(?<![\w.])Árb\.(?=:)", "Árbitro"),
            rule(r"(?<=\d )pag\.(?=[,;)])", "pagantes"),
            rule(r"(?<![\w.])imp\.(?= (?:[A-ZÀ-Þ][a-zà-ÿ]{2,20} [IVX]+\b"
                 r"|August|Nero\b|Tibér|Trajan|Adrian|Constantin))",
                 "imperador"),
            rule(r"(?<=\()(?P<what>rec|atual)\.(?= \d)",
                 lambda m: "recomendado" if m["what"] == "rec" else "atualização"),
            rule(r"(?<![\w.])(?P<q>[Qq])to\.(?= (?:p/|para|com|c/|mobil|individual))", r"\g<q>uarto"),
            rule(r"(?<![\w.])(?P<p>[Pp])róx\.(?= (?:à|ao|a|do|da)\b)", r"\g<p>róximo"),
            rule(r"(?<![\w.])(?P<m>[Mm])áq\.(?= de )", r"\g<m>áquina"),
            rule(r"(?<![\w.])td\.(?= incl)", "tudo"),
            rule(r"(?<![\w.])mín\. (?:de )?(?P<n>\d{1,2}) m\.(?=[,;)])", months),
            rule(r"(?<![\w.,])(?P<n>\d{1,2}) alug\.", lambda m: own.counted(m["n"], ["aluguel", "aluguéis"]) + stop(m)),
            rule(r"(?<![\w.])Disp\.(?= (?:a partir|desde|já|em|imed))", "Disponível"),
            rule(r"(?<=\b[Ss]ó )interess\.", lambda m: f"interessados{stop(m)}"),
            rule(r"(?:(?<=\b[Aa] )|(?<=\bcom )|(?<=\be ))(?P<what>mín|máx)\."
                 r"(?=,? (?:foi|de [-–−]?\d|será|prevista|chega|fica|atingiu))",
                 lambda m: f"{m['what']}ima"),
            rule(r"(?<![\w.])p\. (?=\d{1,4} ?[-–] ?\d)", "páginas "),
        )),
        Kind("number", re.compile(r"\d ?min\.|['’′] ?/ ?[12]|\bPM(?:2|10)|\dL\b"), (
            rule(r"(?<![\w.,-])(?P<n>[1-9]\d?)(?:\+(?P<more>[1-9]))?['’′] ?/ ?(?P<half>[12])º ?T(?!\w)",
                 lambda m: own.cardinal(int(m["n"])) + (f" mais {own.cardinal(int(m['more']))}" if m["more"] else "")
                 + f" minutos do {own.ordinal(int(m['half']))} tempo"),
            minutes_rule(own),
            dust_rule(own),
            rule(r"(?<![\w.,-])(?P<n>\d{1,3}(?:,\d{1,2})?)L(?= d[aeo]|[,;)])",
                 lambda m: own.counted(m["n"], own.unit_names["l"].split("|"))),
        )),
    )  # fmt: skip
