"""Italian short forms of notices, match reports and advertisements ("1ª conv.", "38' st", "zona univ.") -> words."""

from __future__ import annotations

import re

from mlx_tts.text.normalise.engine import Kind, mentions, rule, text_before
from mlx_tts.text.normalise.romance import Romance
from mlx_tts.text.normalise.romance_notices import dust_rule

# In these texts a highest and a lowest are temperatures.
WEATHER = re.compile(r"(?i)\b(?:temp\.|temperatur[ae]|meteo|previsioni|allerta)")
TELEPHONE = re.compile(r"(?i)\b(?:tel|cell|telefono|cellulare|whatsapp|chiam\w{1,4}|numero|ore)\b[^\d]{0,16}\Z")
SHORT = {"app.to": "appartamento", "amm.re": "amministratore", "lavatr.": "lavatrice", "lavast.": "lavastoviglie"}
AFTER = {"cond": "condominiale", "parr": "parrocchiale", "univ": "universitaria"}


def advert_kinds(own: Romance) -> tuple[Kind, ...]:
    """own: the words of the language."""

    stop = own.sentence_stop

    def extreme(match: re.Match[str]) -> str | None:
        said = "massima" if match["what"].casefold() == "max" else "minima"
        said = said.capitalize() if match["what"][0].isupper() else said
        return said + match["gap"] if mentions(WEATHER, match.string) else None

    def half(match: re.Match[str]) -> str:
        """ "al 38' st"."""
        said = own.minute_of_play.format(ordinal=own.ordinal(int(match["n"])), number=own.cardinal(int(match["n"])))
        more = f" più {own.cardinal(int(match['more']))}" if match["more"] else ""
        return f"{said}{more} del {'primo' if match['half'][0] == 'p' else 'secondo'} tempo{stop(match)}"

    def dialled(match: re.Match[str]) -> str | None:
        if match["grouped"] and not TELEPHONE.search(text_before(match, 32)):
            return None  # as well 340 millions
        return ", ".join(own.digits(group) for group in match[0].split("."))

    return (
        Kind("abbreviation", re.compile(
            r"\b(?:cond|parr|univ|conv|cons|prev|ev|ingr|Ingr|ca|imp|agg|dep|lavatr|lavast|max|min|Max|Min)\.|\.to\b|\.re\b"
            r"|\bx [a-z]|\b(?:max|min) "
        ), (
            rule(r"(?<![\w.])(?:app\.to|amm\.re)(?!\w)", lambda m: SHORT[m[0]]),
            rule(r"(?<![\w.])(?:lavatr|lavast)\.(?! ?\d)", lambda m: SHORT[m[0]] + stop(m)),
            rule(r"(?:(?<=[Aa]ssemblea )|(?<=[Rr]egolamento )|(?<=[Ss]ala )|(?<=[Zz]ona )|(?<=[Ss]ede ))"
                 r"(?P<what>cond|parr|univ)\.", lambda m: f"{AFTER[m['what']]}{stop(m)}"),
            rule(r"(?<=\dª )conv\.", lambda m: f"convocazione{stop(m)}"),
            rule(r"(?<=[Bb]ilancio )(?P<what>cons|prev)\.",
                 lambda m: f"{'consuntivo' if m['what'] == 'cons' else 'preventivo'}{stop(m)}"),
            rule(r"(?<![\w.])cons\.(?= \d{1,3} ?[GT]B)", "consigliati"),
            rule(r"(?<=\b[Vv]arie ed )ev\.", lambda m: f"eventuali{stop(m)}"),
            rule(r"(?<![\w.])(?P<i>[Ii])ngr\.(?= (?:per|x) \d| ?\(|: ?\d+ ?(?:g|gr|kg|ml|uova)\b)", r"\g<i>ngredienti"),
            rule(r"(?<=\d )ca\.(?= [A-ZÀ-Þ])", "circa."),
            rule(r"(?<![\w.])(?P<i>[Ii])mp\.(?= (?:[A-ZÀ-Þ][a-zà-ÿ]{2,20} [IVX]+\b"
                 r"|August|Neron|Tiber|Traian|Adrian|Costantin))",
                 r"\g<i>mperatore"),
            rule(r"(?<=\()agg\.(?= (?:al )?\d)", "aggiornamento"),
            rule(r"(?<![\w.])(?P<d>[Dd])ep\.(?= (?:caus|\d{1,2} mens|€))", r"\g<d>eposito"),
            rule(r"(?<=[Tt]emp\. )(?P<what>max|min)(?:\.|(?!\w))(?P<gap>)", extreme),
            rule(r"(?<![\w.])(?P<what>[Mm]ax|[Mm]in)\.?(?P<gap> )(?=(?:di |a )?[-–−]?\d{1,2}(?:,\d)? ?°)", extreme),
            rule(r"(?<=[a-zà-ÿ] )x (?=(?:lavori|info|motivi|problemi|appuntamento|ogni|quest[oaie]|quell[oaie])\b)",
                 "per "),
        )),
        Kind("number", re.compile(r"['’′](?:\+\d)? ?[ps]\.?t|\bPM(?:2|10)|\d{3}\.\d{3}"), (
            rule(r"(?<![\w.,-])(?P<n>[1-9]\d?)['’′](?:\+(?P<more>[1-9])['’′]?)? ?(?P<half>pt|st|p\.t\.|s\.t\.)(?!\w)",
                 half),
            dust_rule(own),
            rule(r"(?<![\w.,-])3\d\d\.(?:\d{6,7}|(?P<grouped>\d{3}\.\d{3,4}))(?![\w,]|\.\d)", dialled),
        )),
    )  # fmt: skip
