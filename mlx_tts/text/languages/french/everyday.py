"""French short forms of offers and of chat ("ch. double", "750 € cc", "avt 18h") -> words."""

from __future__ import annotations

import re

from mlx_tts.text.normalise.engine import Kind, rule, text_before
from mlx_tts.text.normalise.romance import Romance

ROOM = (
    r"double|simple|triple|quadruple|individuelle|familiale|climatisée|parentale|standard|supérieure|twin|confort|privée"
    r"|d['’](?:hôtes?|amis|enfants?)|avec (?:vue|balcon|sdb|bain|lit|terrasse|douche)|à (?:deux|2|1|3) lits?|meublée"
    r"|d['’]étudiant"
)


def everyday_kinds(own: Romance) -> tuple[Kind, ...]:
    """own: the words of the language."""

    def stop(match: re.Match[str]) -> str:
        return own.sentence_stop(match) if match[0].endswith(".") else ""

    def rooms(match: re.Match[str]) -> str:
        several = re.search(
            r"(?:\b(?:[Ll]es|[Dd]es|[Dd]eux|[Tt]rois|[Nn]os|[Cc]es|[Qq]uelques)|[2-9]) \Z", text_before(match, 9)
        )
        said = f"chambre{'s' if several or match['end'] else ''}"
        return said.capitalize() if match[0][0] == "C" else said

    return (
        Kind("abbreviation", re.compile(r"\b[Cc]h\. |\b(?:cc|CC|HC|avt|Avt|ap)\b|[cC]\.[cC]\."), (
            rule(rf"(?<![\w.])[Cc]h\.(?= (?:{ROOM})(?P<end>s?)(?!\w))", rooms),
            rule(r"(?:(?<=\b[Ll]a )|(?<=\b[Uu]ne )|(?<=\b[Ll]es )|(?<=\b[Dd]es )|(?<=\bvotre )|(?<=\bpar )"
                 r"|(?<=\b[Nn]os ))ch\.(?= [a-zà-ÿ])(?P<end>)", rooms),
            rule(r"(?<![\w.])[Cc]h\. comp?r?\.", lambda m: f"charges comprises{stop(m)}"),
            rule(r"(?:(?<=[€] )|(?<=euros )|(?<=/mois )|(?<=[Ll]oyer ))(?:cc|CC|[cC]\.[cC]\.)(?!\w)",
                 lambda m: f"charges comprises{stop(m)}"),
            rule(r"(?:(?<=[€] )|(?<=euros )|(?<=/mois ))(?:HC|hc|H\.C\.)(?!\w)", lambda m: f"hors charges{stop(m)}"),
            rule(r"(?<![\w.,-])(?P<n>\d{2,4}) ?cc(?!\w)",
                 lambda m: own.counted(m["n"], ["centimètre cube", "centimètres cubes"])),
            rule(r"(?<![\w.])(?P<a>[Aa])vt(?= (?:\d|de |d['’]|le |la |l['’]|que |midi|minuit|hier|demain|ce|mon|ton|son"
                 r"|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|toi|moi|nous|vous))", r"\g<a>vant"),
            rule(r"(?<![\w.])ap(?= (?:\d{1,2} ?h|midi|minuit|le |demain))", "après"),
        )),
    )  # fmt: skip
