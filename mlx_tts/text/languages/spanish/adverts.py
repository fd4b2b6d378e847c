"""Spanish short forms of notices, match reports and advertisements ("m. 83", "zona univ.", "2 mens.") -> words."""

from __future__ import annotations

import re

from mlx_tts.text.normalise.engine import Kind, mentions, rule, text_after, text_before
from mlx_tts.text.normalise.romance import Romance
from mlx_tts.text.normalise.romance_notices import dust_rule, minutes_rule

# In these texts a highest and a lowest are temperatures.
WEATHER = re.compile(r"(?i)\b(?:temp\.|temperaturas?|AEMET|meteo\w*|pronóstico|heladas?)")
# In these texts 5' are five minutes, and no minute of a match.
RECIPE = re.compile(r"\b(?:cdt?as?\.|cucharad\w+|horno|cocer|sofr\w+|rehogar|raciones|sartén|hornear|dientes de ajo)")
TELEPHONE = re.compile(r"(?i)\b(?:tlf\w*|tfno|tel\w*|móvil|whatsapp|llamar|número)\b[^\d]{0,16}\Z")
HOUSING = re.compile(r"(?i)\b(?:alquil\w+|arriendo|piso|fianza|zona)\b|€/mes")


def advert_kinds(own: Romance) -> tuple[Kind, ...]:
    """own: the words of the language."""

    stop = own.sentence_stop

    def extreme(match: re.Match[str]) -> str | None:
        return f"{match['what']}ima" if mentions(WEATHER, match.string) else None

    def dialled(match: re.Match[str]) -> str | None:
        if not TELEPHONE.search(text_before(match, 32)):
            return None  # as well 640 millions
        return ", ".join(own.digits(group) for group in match[0].split("."))

    def minutes(match: re.Match[str]) -> str | None:
        return own.counted(match["n"], ["minuto", "minutos"]) if mentions(RECIPE, match.string) else None

    return (
        Kind("abbreviation", re.compile(
            r"\b(?:adm|admin|preg|Ingr|Atco|Árb|espect|rec|act|emp|hab|univ|lavad|mens|Disp|Abst|m)\."
            r"|\b[Mm](?:áx|ín)\."
        ), (
            rule(r"(?:(?<=\bdel )|(?<=\bel )|(?<=\bcomo )|(?<=\bal ))adm(?:in)?\.",
                 lambda m: f"administrador{stop(m)}"),
            rule(r"(?<=[Rr]uegos y )preg\.", lambda m: f"preguntas{stop(m)}"),
            rule(r"(?<![\w.])Ingr\.(?= ?[(:]| para)", "Ingredientes"),
            rule(r"(?<![\w.])Atco\.", lambda m: f"Atlético{stop(m) if not text_after(m, 40).strip() else ''}"),
            rule(r"(?<![\w.])Árb\.(?=:)", "Árbitro"),
            rule(r"(?<=\d )espect\.", lambda m: f"espectadores{stop(m)}"),
            rule(r"(?<=\()(?P<what>rec|act)\.(?= \d)",
                 lambda m: "recomendado" if m["what"] == "rec" else "actualización"),
            rule(r"(?<![\w.])emp\.(?= (?:[A-ZÁ-Ú][a-zà-ÿ]{2,20} [IVX]+\b|August|Nerón|Tiber|Trajan|Adrian|Constantin))",
                 "emperador"),
            rule(r"(?<!\d )(?<![\w.])hab\.(?= (?:a|para|en|con|amueblada|exterior|interior|luminosa|grande) )",
                 lambda m: "habitación" if mentions(HOUSING, m.string) else None),
            rule(r"(?<=[Zz]ona )univ\.", lambda m: f"universitaria{stop(m)}"),
            rule(r"(?<![\w.])lavad\.(?! ?\d)", lambda m: f"lavadora{stop(m)}"),
            rule(r"(?<![\w.,])(?P<n>\d{1,2}) mens\.",
                 lambda m: own.counted(m["n"], ["mensualidad", "mensualidades"]) + stop(m)),
            rule(r"(?<![\w.])Disp\.(?= (?:desde|a partir|de inm|ya|en|para)\b)", "Disponible"),
            rule(r"(?<![\w.])Abst\.(?= [a-z])", "Abstenerse"),
            rule(r"(?:(?<=\()|(?<=; ))m\. ?(?=\d{1,2}(?:, [A-ZÁ-Ú]|\)))", "minuto "),
            rule(r"(?<![\w.])(?P<what>[Mm]áx|[Mm]ín)\.(?= (?:de |prevista de )?[-–−]?\d{1,2}(?:,\d)? ?[º°])", extreme),
        )),
        Kind("number", re.compile(r"\d ?min\.|\d['’′]|\bPM(?:2|10)|\d{3}\.\d{3}\.\d"), (
            rule(r"(?<![\w.,+-])(?P<n>[1-9]\d?)['’′](?![\w'’′\"+])", minutes),
            minutes_rule(own),
            dust_rule(own),
            rule(r"(?<![\w.,-])[6-9]\d\d\.\d{3}\.\d{3}(?![\w,]|\.\d)", dialled),
        )),
    )  # fmt: skip
