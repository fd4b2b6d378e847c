"""Spanish short forms of orders, recipes, matches, wards and maps ("días háb.", "sal c/n", "J. 13") -> words."""

from __future__ import annotations

import re

from mlx_tts.text.normalise.engine import Kind, mentions, rule, text_before
from mlx_tts.text.normalise.european_numbers import DECIMAL
from mlx_tts.text.normalise.romance import Romance
from mlx_tts.text.normalise.romance_notices import (
    at_least_rule,
    extreme_rule,
    few_minutes_rule,
    lone_century_rule,
    oxygen_rule,
    place_rules,
    side_by_side_rule,
    side_rule,
    split_hours_rule,
    tennis_rules,
    tested_rules,
    two_days_rule,
    two_months_rule,
    version_rule,
    women_rules,
    year_of_month_rule,
)

# A text with one of these has its money in pesos, if no dollars are named as such.
PESOS = {"COP": "COP", "TRM": "COP", "MXN": "MXN", "ARS": "ARS", "CLP": "CLP"}
IN_PESOS = re.compile(r"\b(?:COP|TRM|MXN|ARS|CLP)\b")
IN_DOLLARS = re.compile(r"US\$|\bUSD\b|\bdólares\b")
LEAGUE = re.compile(r"(?i)\b(?:ACB|liga|partidos?|ganó|venció|empat\w+|goles|ptos\.|puntos|clasif\w*\.?|ascenso)\b")
PATIENT = re.compile(r"\b(?:[Pp]aciente|[Pp]te\.|[Vv]arón|TA\b|FC\b|Hb\b|SatO)|\bmg\b")
SEEN_AGAIN = re.compile(r"(?i)\b(?:rev\.|revisión|control|cita|seguimiento|consulta)[^\d;!?]{0,24}\Z")
WARDS = {"cardiol": "cardiología", "neurol": "neurología", "dermatol": "dermatología", "urol": "urología",
         "ginecol": "ginecología", "oftalmol": "oftalmología", "traumatol": "traumatología"}  # fmt: skip
TESTED = {"K+": "potasio", "Na+": "sodio", "Hb": "hemoglobina", "Plaq.": "plaquetas", "plaq.": "plaquetas",
          "Leuc.": "leucocitos",
          "leuc.": "leucocitos", "Hto.": "hematocrito", "Hto": "hematocrito"}  # fmt: skip
WOMEN_VERBS = (
    "fueron|han sido|habían sido|serán|serían|están|estaban|estarán|siguen|seguían|quedaron|resultaron|permanecen"
    "|permanecieron|continúan|acabaron|terminaron|fue|está|estaba|resultó|quedó|ha sido|son|eran|se encuentran"
)
LINES = {"lat": "latitud", "long": "longitud", "lon": "longitud"}
EXTREMES = {"máx": "máxima", "mín": "mínima", "med": "media"}
MEASURED = {"dist": "distancia", "prof": "profundidad", "alt": "altitud", "long": "longitud", "temp": "temperatura"}


def trade_kinds(own: Romance) -> tuple[Kind, ...]:
    """own: the words of the language."""
    months = "ene|feb|mar|abr|may|jun|jul|ago|sept|sep|oct|nov|dic"

    stop = own.sentence_stop

    def pesos(match: re.Match[str]) -> str | None:
        if not mentions(IN_PESOS, match.string) or mentions(IN_DOLLARS, match.string):
            return None
        code = next(code for name, code in PESOS.items() if name in match.string)
        return own.price(match["n"], code, match["scale"] or "")

    def again(match: re.Match[str]) -> str | None:
        known = mentions(PATIENT, match.string) and SEEN_AGAIN.search(text_before(match, 40))
        return own.counted(match["n"], ["mes", "meses"]) + stop(match) if known else None

    return (
        Kind("number", re.compile(r"\d"), (
            *tennis_rules(own),
            at_least_rule("al menos", "como máximo"),
            few_minutes_rule(own),
            version_rule(own, "versión"),
            side_by_side_rule(own),
            two_days_rule(own),
            split_hours_rule(own, lambda a, b: f"de {a} a {b}", " y "),
            *women_rules(own, WOMEN_VERBS, r"(?<=\b[Oo]tras )|(?<=\b[Ll]as )|(?<=\b[Ee]stas )|(?<=\b[Ee]sas )"),
            *tested_rules(own, TESTED, PATIENT, "temperatura"),
        )),
        Kind("date", re.compile(r"[a-z]\.?[-–/][a-z]"), (two_months_rule(own),)),
        Kind("Roman numeral", re.compile(r"el [IVX]"), (
            lone_century_rule(own, "[Ee]n el|[Dd]el|[Aa]l|[Dd]esde el|[Hh]asta el|y el|[Ee]l",
                              "finales|principios|comienzos|mediados|inicios|fines|mitad|albores",
                              "y|o|hasta|se|fue|era|con|la|el|los|las|un|una|en|como|por|cuando|no|ya|hubo|vivió|nació"
                              "|murió|surgió|apareció|había"),
        )),
        Kind("money", re.compile(r"\$ ?\d"), (
            rule(rf"(?<!\w)\$ ?(?P<n>{DECIMAL})(?: (?P<scale>mil millones|millones|millón|mil)\b)?(?![\w%]|[.,]\d"
                 r"| (?:MXN|COP|ARS|CLP|USD|pesos)\b)", pesos),
            rule(rf"(?<!\w)\$ ?(?P<n>{DECIMAL})(?: (?P<scale>mil millones|millones|millón|mil)\b)?(?: de)?"
                 r" (?P<code>MXN|COP|ARS|CLP|USD)(?!\w)",
                 lambda m: own.price(m["n"], m["code"], m["scale"] or "")),
            rule(rf"(?<!\w)\$ ?(?P<n>{DECIMAL})(?= (?:de )?pesos\b)", lambda m: own.spoken(m["n"])),
        )),
        Kind("abbreviation", re.compile(
            r"€ p/p|\bext\. |\bapto\. "
            r"|\bmod\. |\bháb\.|\blab\.|\bd\. ?f\. ?f|\bDir\. |\bPol\. |\bc/n\b|rep\.:|if\.:|\bx \w|\bc/ |º clasif"
            r"|\bJ\. ?\d|\burg\.|\bevol\.|\bdx\b|\brev\. |FF\. ?CC|\bgob\. |\bCl\. \d|\b[CK]ra?\.? \d|#"
        ), (
            rule(r"(?<=€ )p/p(?!\w)", "por persona"),
            rule(r"(?:(?<=\b[Uu]n )|(?<=\b[Ee]l )|(?<=\bdel )|(?<=\bal ))apto\.(?= (?:de|con|en|para)\b)",
                 "apartamento"),
            rule(r"(?:(?<=\b[Mm]i )|(?<=\b[Ll]a )|(?<=\b[Ss]u )|(?<=, ))ext\.(?= (?:es|\d))", "extensión"),
            rule(r"(?<![\w.])(?P<m>[Mm])od\.(?= ?[A-Z\d])", r"\g<m>odelo"),
            rule(r"(?<=días )(?P<what>háb|lab)\.",
                 lambda m: f"{'hábiles' if m['what'] == 'háb' else 'laborables'}{stop(m)}"),
            rule(r"(?:(?<=\d )|(?<=días ))d\. ?f\. ?f\.",
                 lambda m: f"{'' if text_before(m, 2)[0] == 's' else 'días '}fecha factura{stop(m)}"),
            rule(r"(?<![\w.])(?P<her>[Ll]a )?Dir\."
                 r"(?= (?:de [A-ZÁ-Ú]|del |Gral|[Gg]eneral|[Gg]erente|[Cc]omercial|[Tt]écnico))",
                 lambda m: f"{m['her']}directora" if m["her"] else "director"),
            rule(r"(?<![\w.])Pol\. Ind\.", "polígono industrial"),  # its name follows
            rule(r"(?<![\w/])c/n(?![\w/])", "cantidad necesaria"),
            rule(r"(?<![\w.])Prep\.(?=:)", "Preparación"),
            rule(r"(?<![\w.])Dif\.(?=:)", "Dificultad"),
            rule(r"(?:(?<=[a-zà-ÿ] )|(?<=\d['’′] ))x (?=\d{1,3} ?(?:min|seg|h|minutos|horas|segundos)\b"
                 r"|(?:lado|cara|persona|día|noche|mes|hora|kilo|unidad|cabeza)\b)", "por "),
            rule(r"(?<![\w.])c/ ?(?=(?:el|la|los|las|un|una) [a-zà-ÿ])", "con "),
            rule(r"(?<=º )clasif\.", lambda m: f"clasificado{stop(m)}"),
            rule(r"(?<![\w.])J\.(?= ?\d{1,2}(?:[;:)]|[.,](?!\d)|\s*\Z))",
                 lambda m: "jornada" if mentions(LEAGUE, m.string) else None),
            rule(r"(?<=\ba )urg\.|(?<=\ben )urg\.|(?<=\bde )urg\.", lambda m: f"urgencias{stop(m)}"),
            rule(r"(?<=\bde )evol\.", lambda m: f"evolución{stop(m)}"),
            rule(r"(?<![\w.])dx(?= (?:de|previo|principal)\b|:)",
                 lambda m: "diagnóstico" if mentions(PATIENT, m.string) else None),
            rule(r"(?<![\w.])rev\.(?= (?:en|por|con)\b)", lambda m: "revisión"
                 if mentions(PATIENT, m.string) else None),
            rule(rf"(?:(?<=\ben )|(?<=\bpor )|(?<=\ba )|(?<=\bde ))(?P<what>{'|'.join(WARDS)})\.",
                 lambda m: f"{WARDS[m['what']]}{stop(m)}"),
            rule(r"(?<=\ben )(?P<n>\d{1,2}) m\b\.?", again),
            rule(r"(?P<the>\b(?:[Ee]l|[Dd]el|[Aa]l) )?(?<![\w.])FF\. ?CC\.",
                 lambda m: f"{m['the'] or ''}ferrocarril{'' if m['the'] else 'es'}{stop(m)}"),
            rule(r"(?:(?<=\bel )|(?<=\bdel )|(?<=\bal ))gob\.", lambda m: f"gobierno{stop(m)}"),
            rule(r"(?<![\w.])Cl\.? (?=\d)", "calle "),
            rule(r"(?<![\w.])(?:Cra|Kra|Kr)\.? (?=\d)", "carrera "),
            rule(r"(?<=\d) ?# ?(?P<a>\d{1,3})(?P<l>[A-Z])?[-–](?P<b>\d{1,3})(?![\w-])",
                 lambda m: f" número {own.cardinal(int(m['a']))}{' ' + m['l'] if m['l'] else ''},"
                 f" {own.cardinal(int(m['b']))}"),
        )),
        Kind("measure", re.compile(r"\d°|[a-z]{3}/\d\d|uríbor|\b(?:dist|prof|alt|long|temp)\. m|O₂|\b[NSEO]-[NSEO]"), (
            *place_rules(own, ("grado|grados", "minuto|minutos", "segundo|segundos"), LINES, "NSEOW"),
            year_of_month_rule(own, months, " de ", {"sep": "sept"}),
            rule(r"\b(?P<word>[Ee]uríbor (?:a )?)(?P<n>1|3|6|12) ?[mM](?!\w)\.?",
                 lambda m: f"{m['word']}{own.counted(m['n'], ['mes', 'meses'])}{stop(m)}"),
            extreme_rule(MEASURED, EXTREMES),
            oxygen_rule(own),
            side_rule(own, r"(?<=[Ss]entido )|(?<=[Dd]irección )", "NSEO"),
        )),
    )  # fmt: skip
