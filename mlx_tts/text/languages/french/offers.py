"""French short forms of courts, offers, openings and case notes ("Cass. soc.", "TR 8 €", "av. asc.") -> words."""

from __future__ import annotations

import re

from mlx_tts.text.normalise.engine import Kind, Words, mentions, rule, text_before
from mlx_tts.text.normalise.romance import Romance
from mlx_tts.text.normalise.romance_notices import split_hours_rule, tennis_rules, tested_rules

PATIENT = re.compile(r"\b(?:[Pp]atiente?|[Pp]te?|TA|FC|Hb|SpO2|CRP|NFS|[Bb]ilan)\b|\bmg\b")
TESTED = {"Hb": "hémoglobine", "Plaq.": "plaquettes", "plaq.": "plaquettes", "Leuco.": "leucocytes",
          "leuco.": "leucocytes", "Hte": "hématocrite", "Créat.": "créatinine", "créat.": "créatinine",
          "Gly.": "glycémie", "gly.": "glycémie"}  # fmt: skip
CHAMBERS = {"soc": "sociale", "com": "commerciale", "crim": "criminelle", "civ": "civile",
            "ass. plén": "assemblée plénière", "ch. mixte": "chambre mixte", "req": "des requêtes"}  # fmt: skip
# A text with one of these offers a flat.
HOMES = re.compile(
    r"(?i)\b(?:[tf][1-7]|studio|appt?|appart\w*|maison|villa|louer|loue|vends|étage|ch\.|séj|sdb|loyer|m2|immeuble)\b|m²"
)
SHORT = {"kitch": "kitchenette", "séj": "séjour", "terr": "terrasse", "balc": "balcon", "cuis": "cuisine",
         "mezz": "mezzanine", "jard": "jardin", "gar": "garage"}  # fmt: skip
ROOMS = r"(?:séj|salon|jardin|terr|balcon|cuis|garage|ch\.|sous-sol|hall|dressing|parking|T\d|studio|appart)"


def offer_kinds(own: Romance) -> tuple[Kind, ...]:
    """own: the words of the language."""

    stop = own.sentence_stop

    def short(match: re.Match[str]) -> str | None:
        if not mentions(HOMES, match.string):
            return None
        said = SHORT[match["word"].lower()]
        return (said.capitalize() if match["word"][0].isupper() else said) + stop(match)

    def chamber(match: re.Match[str]) -> str | None:
        known = "Cass." in match.string or text_before(match, 4) == "ch. "
        return CHAMBERS[match["ch"].lower()] + stop(match) if known else None

    def home(said: str) -> Words:
        return lambda match: said if mentions(HOMES, match.string) else None

    return (
        Kind("number", re.compile(r"\d"), (
            *tennis_rules(own),
            split_hours_rule(own, lambda a, b: f"de {a} à {b}", " et "),
            *tested_rules(own, TESTED, PATIENT, "température"),
        )),
        Kind("abbreviation", re.compile(
            r"Cass\. |\bch\. [scm]|\bT[RP]\b|\bav\. |\bss? [ad]|\bss \w|\bs\. d['’]|\bgds? |\b[Rr]ech\. "
            rf"|\b(?i:{'|'.join(SHORT)})\."
        ), (
            rule(rf"(?:(?<=Cass\. )|(?<=\bch\. )|(?<=\dre )|(?<=\d[eᵉ] ))(?P<ch>(?i:{'|'.join(CHAMBERS)}))\.", chamber),
            rule(r"(?<![\w.])ch\.(?= (?:soc|com|crim|civ|mixte|corr)\.)", "chambre"),
            # Prices, for all and for some.
            rule(r"(?<![\w.])T(?P<kind>[RP])(?=(?: ?:)? ?\d{1,3}(?:[,.]\d\d)? ?€)",
                 lambda m: f"tarif {'réduit' if m['kind'] == 'R' else 'plein'}"),
            rule(r"(?<=[\wé.)²] )av\.(?= (?!d[eu]\b|des\b|l[ae]s?\b|l['’]|à |au\b|aux\b|une?\b|J)[a-zà-ÿ]{3,})",
                 home("avec")),
            rule(r"(?<![\w.])ss(?= (?:asc|ascenseur|vis-à-vis|travaux|frais|meubles|animaux|charges)\b)",
                 home("sans")),
            rule(r"(?<![\w.])s\. (?=d['’](?:eau|attente)\b)", "salle "),
            rule(r"(?<![\w.])s\. de b(?:\.|ains?\b)", lambda m: f"salle de bain{stop(m)}"),
            rule(rf"(?<![\w.])(?P<g>[Gg])d(?P<s>s?)(?= {ROOMS})",
                 lambda m: f"{m['g']}rand{m['s']}" if mentions(HOMES, m.string) else None),
            rule(r"(?<![\w.])(?P<r>[Rr])ech\.(?= (?:[a-zà-ÿ]{3,}|T\d|F\d|coloc))", r"\g<r>echerche"),
            rule(rf"(?<![\w.])(?P<word>(?i:{'|'.join(SHORT)}))\.(?! ?\d)(?!\w)", short),
        )),
    )  # fmt: skip
