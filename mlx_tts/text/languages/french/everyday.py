"""French short forms of offers and of chat ("ch. double", "750 € cc", "avt 18h") -> words."""

from __future__ import annotations

import re

from mlx_tts.text.normalise.engine import Kind, mentions, rule, text_before
from mlx_tts.text.normalise.romance import Romance

ROOM = (
    r"double|simple|triple|quadruple|individuelle|familiale|climatisée|parentale|standard|supérieure|twin|confort"
    r"|privée"
    r"|d['’](?:hôtes?|amis|enfants?)|avec (?:vue|balcon|sdb|bain|lit|terrasse|douche)|à (?:deux|2|1|3) lits?|meublée"
    r"|d['’]étudiant|de \d+"
)


WORK_PHONES = {"bur": "bureau", "Bur": "Bureau", "port": "portable", "Port": "Portable"}
PER = {"pers": "personne", "j": "jour"}
PATIENT = re.compile(
    r"\b[Pp]atient|\bTA\b|[Aa]tcd|ATCD|\badm\.|[Hh]ospit|HTA|[Dd]yspn|[Dd]ouleur|[Cc]onsult|[Aa]ntécéd"
)
COURT = re.compile(r"\b(?:[Tt]rib|[Cc]our|[Jj]ugement|[Aa]rrêt|[Aa]rt\.|prévenu|Cass|TGI|TJ|CA)\b")
COURTS = {"corr": "correctionnel", "adm": "administratif", "jud": "judiciaire", "com": "de commerce", "civ": "civil"}
CODES = {
    "route": "de la route", "éduc.": "de l'éducation", "env.": "de l'environnement", "urb.": "de l'urbanisme",
    "assur.": "des assurances", "séc. soc.": "de la sécurité sociale", "proc. civ.": "de procédure civile",
    "proc. pén.": "de procédure pénale", "mon. fin.": "monétaire et financier",
}  # fmt: skip


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

    def stars(match: re.Match[str]) -> str | None:
        if not re.search(r"(?i)\b(?:h[ôo]tel|camping|résidence|auberge|gîte)\b", text_before(match, 40)):
            return None
        return f" {own.cardinal(len(match['stars']))} étoiles"

    def code(match: re.Match[str]) -> str:
        numbered = re.search(r"\d \Z", text_before(match, 2))
        return f"{'du ' if numbered else ''}Code {CODES[match['code']]}{stop(match)}"

    def memory(match: re.Match[str]) -> str:
        return f"{own.cardinal(int(match['a']))}, {own.counted(match['b'], own.unit_names[match['unit']].split('|'))}"

    return (
        Kind("abbreviation", re.compile(
            r"\b[Aa]ssoc\.|[Kk]cal/|\bXV|\bXIII|Ø|a\.-?l\.|t[ée]l\.|\b[Aa]v\. (?:à|au|ass)|\d a\.|ATCD|[Aa]tcd|\bTtt"
            r"|\bttt"
            r"|[Cc]tr[lt]\b|\b[Aa]rr\. |\*\*|\b[Aa] tt|Rép\.|\bC\. |\b[Tt]rib\.|\dr?e ch\.|è?re ch\."
            r"|\d ?[GT]o|dép\.|act\.|ur\.|ort\.|de [+-]|\b(?:gratuit|interdit|réduit) [-–]|\d f\."
            r"|a ch\.|tre ch\.|les h\b|\b[Dd]vt\b|/mm|hors ch|\bR[dD][cC]\b|\d p\.|[Mm][àÀA][Jj]\b"
        ), (
            rule(r"(?<![\w.])(?P<a>[Aa])ssoc\.(?= )", r"\g<a>ssociation"),
            rule(r"(?<!\d )(?<![\w.])(?P<k>[Kk])cal/(?P<per>pers\.?|part|portion|jour|j)(?!\w)",
                 lambda m: f"{m['k']}ilocalories par {PER.get(m['per'].rstrip('.'), m['per'])}"),
            rule(r"(?:(?<=\b[Ll]e )|(?<=\b[Dd]u )|(?<=\b[Aa]u )|(?<=\b[Uu]n ))(?P<n>XV|XIII)(?= (?:de|du|d['’]))",
                 lambda m: "quinze" if m["n"] == "XV" else "treize"),
            rule(r"(?<!\w)Ø(?= (?:de|:|d['’]))", "diamètre"),
            rule(r"\bd['’]a\.-?l\.", lambda m: f"d'années-lumière{own.sentence_stop(m)}"),
            rule(r"(?:(?<=entretien )|(?<=appel )|(?<=contact )|(?<=échange )|(?<=RDV )|(?<=rdv )"
                 r"|(?<=rendez-vous ))tél\.",
                 lambda m: f"téléphonique{own.sentence_stop(m)}"),
            rule(r"(?<![\w.])(?P<a>[Aa])v\.(?= (?:à la [Cc]our|au [Bb]arreau|associée?s?\b))", r"\g<a>vocat"),
            rule(r"(?<![\w.,])(?P<n>[1-9]\d?|10\d) a\.(?=[,;)])", lambda m: own.counted(m["n"], ["an", "ans"])
                 if mentions(PATIENT, m.string) else None),
            rule(r"(?<![\w.])(?:ATCD|Atcd|atcd)(?=[ :.,;)])",
                 lambda m: "Antécédents" if m[0][0] == "A" else "antécédents"),
            rule(r"(?<![\w.])(?:Ttt|ttt)(?=[ :.,])", lambda m: "Traitement" if m[0][0] == "T" else "traitement"),
            rule(r"(?<![\w.])(?P<c>[Cc])tr[lt](?= )", r"\g<c>ontrôle"),
            rule(r"(?<=\d )dép\.(?! (?:\d|vers|à \d))", lambda m: f"départements{own.sentence_stop(m)}"),
            rule(r"(?<!\w)R[dD][cC](?!\w)", lambda m: "rez-de-chaussée" if m[0] in ("RdC", "Rdc") or (
                m[0] == "RDC" and re.search(r"\bau \Z", text_before(m, 3))) else None),
            rule(r"(?<=\()(?P<n>[1-9]) p\.(?=\))", lambda m: own.counted(m["n"], ["page", "pages"])),
            rule(r"(?<=les )h(?=[ ,.;])(?!\.\w)", "heures"),
            rule(r"(?<![\w.])(?P<d>[Dd])vt(?= [a-zà-ÿA-Z])", r"\g<d>evant"),
            rule(r"(?<![\w.,])(?P<n>\d{1,3}(?: \d{3})*(?:,\d+)?)/(?P<per>mm[3³])(?!\w)",
                 lambda m: f"{own.spoken(m['n'])} par millimètre cube"),
            rule(r"(?<=\bhors )ch\.", lambda m: f"charges{own.sentence_stop(m)}"),
            rule(r"(?<![\w.])(?P<f>[Ff])act\.(?= (?:n°|\d|du |de ))", r"\g<f>acture"),
            rule(r"(?<![\w.])(?P<w>[Bb]ur|[Pp]ort)\.(?= ?:? ?0\d)|(?<=\bou )(?P<v>port)\.",
                 lambda m: WORK_PHONES[m["w"] or m["v"]] + own.sentence_stop(m)),
            rule(r"(?<=[€\d] de )(?P<sign>[+-])(?=[ .,;)]|\Z)(?! ?\d)",
                 lambda m: own.plus if m["sign"] == "+" else own.minus),
            rule(r"(?:(?<=gratuit )|(?<=interdit )|(?<=réduit ))[-–] ?(?:de )?(?=\d{1,2} ans)", "moins de "),
            rule(r"(?<![\w.,])(?P<n>\d{1,3} \d{3}) p\.(?=[),;.]|\s*\Z| [a-zà-ÿA-Z])",
                 lambda m: f"{own.spoken(m['n'])} pages{own.sentence_stop(m)}"),
            rule(r"(?P<head>\b(?:[Bb]ac|[Rr]amette|[Cc]ahier|[Bb]loc) de )(?P<n>\d{2,4}) f\.",
                 lambda m: f"{m['head']}{own.counted(m['n'], ['feuille', 'feuilles'])}{own.sentence_stop(m)}"),
            rule(r"(?:(?<=\b[Ll]a )|(?<=\b[Mm]a )|(?<=\b[Tt]a )|(?<=votre )|(?<=notre ))ch\. (?=\d)", "chambre "),
            rule(r"(?<![\w.])(?P<a>[Aa])rr\.(?= (?:\d{1,2} ?h|vers |prévue))", r"\g<a>rrivée"),
            rule(r"(?<=[a-zà-ÿ]) ?(?P<stars>\*{2,5})(?![\w*])", stars),
            rule(r"(?:\A|(?<=[.!?,;)] )|(?<=\n))(?P<a>[Aa]) tte?(?= ?[,.!?]|\s*\Z)", "à toute"),
            rule(r"(?<=e )Rép\.(?!\w)", lambda m: f"République{own.sentence_stop(m)}"),
            rule(r"(?<![\w.])C\. (?P<code>route|éduc\.|env\.|urb\.|assur\.|séc\. soc\.|proc\. civ\.|proc\. pén\."
                 r"|mon\. fin\.)(?!\w)", code),
            rule(r"(?<![\w.])(?P<t>[Tt])rib\. (?P<kind>corr|adm|jud|com|civ)\.", lambda m:
                 f"{m['t']}ribunal {COURTS[m['kind']]}{own.sentence_stop(m)}"),
            rule(r"(?:(?<=\de )|(?<=\dre )|(?<=\dère ))ch\.(?=[,;)]| a | du | de la )",
                 lambda m: "chambre" if mentions(COURT, m.string) else None),
            rule(r"(?<![\w.,/-])(?P<a>\d{1,2})[/+](?P<b>\d{2,4}) ?(?P<unit>Go|To)(?!\w)", memory),
            rule(r"(?<![\w.])(?:MàJ|màj|MÀJ|maj)(?= [a-zà-ÿ]+?(?P<s>s?)\b)",
                 lambda m: f"{'M' if m[0][0] == 'M' else 'm'}ise{m['s']} à jour"),
        )),
        Kind("abbreviation", re.compile(r"\bvend\.|\b[Cc]h\. |\b(?:cc|CC|HC|avt|Avt|ap)\b|[cC]\.[cC]\."), (
            rule(r"(?:(?<=\bavant )|(?<=\bce )|(?<=\bdès )|(?<=\bjusqu'à )|(?<=\bd'ici )|(?<=\bpour )|(?<=\bau ))vend\."
                 r"(?= [a-zà-ÿ]|[,;)])", "vendredi"),
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
