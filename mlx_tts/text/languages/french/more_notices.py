"""French short forms of matches, charts, letters and flats, which the words next to them explain -> words."""

from __future__ import annotations

import re

from mlx_tts.text.normalise.engine import Kind, mentions, one_of, rule, text_after, text_before
from mlx_tts.text.normalise.romance import Romance

CLINIC = re.compile(
    r"\b(?:[Pp]atiente?|pte?|TA|FC|EVA|IMC|CRP|Hb|ECG|IRM|HTA|ATCD|[Cc]onsult\w*|[Hh]ospit\w*|[Dd]yspnée|SpO2|Ttt)\b"
)
FLAT = re.compile(r"\b(?:[TF][1-9]|studio|appart\w*|appt|loyer|meublé\w*|chauff|dépôt de garantie|caution|HC|CC|DPE)\b")
PEOPLE = re.compile(
    r"\b(?:hab|habitants|population|visiteurs|abonnés|spectateurs|électeurs|touristes|voyageurs)\b|M de vis\."
)
WITH = (
    r"(?:douche|baignoire|balcon|jardin|terrasse|cave|garage|parking|vue|piscine|cuisine|lit|wc|WC|meubles|loggia|clim)"
)
# A word that is cut short -> the whole one, where these follow.
FOLLOWED = (
    ("consult", "consultation", r" (?:du|de|le|au|pour|en|externe|à)\b|[,;:)]"),
    ("assist", "assistante", r" (?:de|du|d['’]|RH|com|sociale|dir)"),
    ("ferm", "fermeture", r" (?:\d|du|le|annuelle|exceptionnelle)|:| :"),
    ("jusq", "jusqu'à", r" (?:\d|midi|minuit)"), ("ap", "après", r" \d{1,2} ?h"),
    ("bat", "batterie", r" (?:\d|neuve|lithium|amovible)"), ("chauff", "chauffage", r" "),
    ("sat", "saturation", r" ?:? ?\d{2,3} ?%"),
    ("dispo", "disponible", r" (?:\d|dès|imm|de suite|tout de suite|à partir|mi-|début|fin)"),
    ("spect", "spectateurs", r"[ ,;)]"),
)  # fmt: skip
SHORT = {word: (said, behind) for word, said, behind in FOLLOWED}
# Behind the noun that they belong to.
KINDS = {"indiv": "individuel", "coll": "collectif", "élec": "électrique"}


def _short(match: re.Match[str]) -> str | None:
    word = match["word"]
    said, behind = SHORT[word[0].lower() + word[1:]]
    if not re.match(behind, text_after(match, 24)):
        return None
    return said[0].upper() + said[1:] if word[0].isupper() else said


def more_notice_kinds(own: Romance) -> tuple[Kind, ...]:
    """own: the words of the language."""

    def stop(match: re.Match[str]) -> str:
        return own.sentence_stop(match) if match[0].endswith(".") else ""

    def span(match: re.Match[str]) -> str | None:
        """ "(1/11-31/3)": days and months, and no parts of a whole."""
        a, b, c, d = (int(match[name]) for name in "abcd")
        before = text_before(match, 4)
        if not (a > b or c > d or (b == d and a < c and before.endswith(("(", "du ")))):
            return None
        first, last = (own.said_date(day, month, None, "") for day, month in ((a, b), (c, d)))
        return f"{first} au {last}" if before.endswith("du ") else f"du {first} au {last}"

    def reference(match: re.Match[str]) -> str:
        letters = f", {' '.join(match['letters'][1:])}" if match["letters"] else ""
        first = "R" if match["r"] == "R" else "r"
        return (
            f"{match['word']}{first}éférence {own.cardinal(int(match['a']))}, {own.cardinal(int(match['b']))}{letters}"
        )

    def millions(match: re.Match[str]) -> str | None:
        if not mentions(PEOPLE, match.string):
            return None
        return own.counted(match["n"], ["million", "millions"])

    def pain(match: re.Match[str]) -> str | None:
        if not mentions(CLINIC, match.string):
            return None
        said = "ouleurs" if text_before(match, 3) == "si " else "ouleur"
        return f"{match['d']}{said}{stop(match)}"

    return (
        Kind("notice", re.compile(
            r"[a-zé]\.|\bmt\b|\d PA\b|[Pp]te \d|[Pp]te de|\d/\d|[Cc]dlt|\d M\b|es h\)|€/m|\bRV\b"
        ), (
            rule(rf"(?<![\w.])(?P<word>(?i:{one_of(SHORT)}))\.", _short),
            rule(r"(?<![\w.])(?P<day>lun|mar|mer|jeu|ven|sam|dim)\.(?= ?: ?[\da-z])",
                 lambda m: own.day_names.get(f"{m['day']}.", own.day_names.get(m["day"], m[0]))),
            rule(r"(?<=\()mt(?= ?[:\d])", "mi-temps"),
            rule(r"(?:(?<=\d )|(?<=une )|(?<=deux ))(?P<what>transf|pén)\.(?=[ ,;)])",
                 lambda m: ("transformation" if m["what"] == "transf" else "pénalité")
                 + ("" if re.search(r"\b(?:1|une) \Z", text_before(m, 4)) else "s")),
            rule(r"(?:(?<=[Tt]abac )|(?<=[Tt]abagisme )|(?<=à )|(?<=sevré )|(?<=actif ))(?P<n>\d{1,3}) PA(?!\w)",
                 lambda m: f"{own.cardinal(int(m['n']))} paquets-années" if mentions(CLINIC, m.string) else None),
            rule(r"(?<![\w.])(?P<p>[Pp])te(?= (?:de )?\d{1,3} ans\b)", r"\g<p>atiente"),
            rule(r"(?<![\w.])(?P<p>[Pp])t(?= (?:de )?\d{1,3} ans\b)", r"\g<p>atient"),
            rule(r"(?<![\w.])(?P<d>[Dd])l\.(?=[ ,;)(])", pain),
            rule(r"(?P<word>\b(?:[Nn]otre |[Vv]otre )?)(?<![\w.])(?P<r>[Rr])éf\. ?:? ?(?P<a>\d{2,4})/(?P<b>\d{1,5})"
                 r"(?P<letters>-[A-Z]{1,4})?(?![\w/]|[.,]\d)", reference),
            rule(r"(?<![\w.])(?P<c>[Cc])dlt(?=[ ,.!]|\s*\Z)", r"\g<c>ordialement"),
            rule(r"(?:(?<=\b[Ll]a )|(?<=\b[Dd]e la ))Révol\.(?= (?:fr|de )|[ ,;)])", lambda m: f"Révolution{stop(m)}"),
            rule(r"(?<![\w.,])(?P<n>\d{1,3}(?:,\d{1,2})?) M(?= (?:en|vers|à|au|dès|contre)\b|[,;)])", millions),
            rule(r"(?<=M de )vis\.", lambda m: f"visiteurs{stop(m)}"),
            rule(r"(?<![\w.,/-])(?P<a>[12]\d|3[01]|0?[1-9])/(?P<b>1[0-2]|0?[1-9]) ?[-–] ?(?P<c>[12]\d|3[01]|0?[1-9])"
                 r"/(?P<d>1[0-2]|0?[1-9])(?![\w/-]|[.,]\d)", span),
            rule(r"(?:(?<=\bttes les )|(?<=\btoutes les ))h(?=\))", "heures"),
            rule(r"(?:(?<=\bcuis\. )|(?<=\bcuisine ))équip\.", lambda m: f"équipée{stop(m)}"),
            rule(rf"(?<=[a-zé.)] )av\.(?= {WITH}\b)", "avec"),
            rule(r"(?:(?<=\bchauff\. )|(?<=\bchauffage )|(?<=\bvélo )|(?<=\bfour )|(?<=\bvolet ))"
                 r"(?P<kind>indiv|coll|élec)\.",
                 lambda m: KINDS[m["kind"]] + stop(m)),
            rule(r"(?<=€ )(?:de )?ch\.(?=[ ,;)]|\s*\Z)", lambda m: f"{'de ' if 'de' in m[0] else ''}charges{stop(m)}"
                 if mentions(FLAT, m.string) else None),
            rule(r"(?<![\w.])Gar\.(?= (?:et|fermé|en|\d|box))|(?<=, )gar\.(?=[ ,;])",
                 lambda m: "Garage" if m[0][0] == "G" else "garage"),
            # A rent by the month; land is sold by the square metre.
            rule(r"(?<![\w.,])(?P<n>\d{1,4}) ?€/m(?![\w²³]|\.\w)",
                 lambda m: f"{own.counted(m['n'], ['euro', 'euros'])} par mois" if mentions(FLAT, m.string) else None),
            rule(r"(?:(?<=\bsur )|(?<=\bun )|(?<=\ble )|(?<=\bprendre )|(?<=\bavec ))RV(?![\w-])", "rendez-vous"),
        )),
    )  # fmt: skip
