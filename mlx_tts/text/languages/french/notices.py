"""French short forms of charts, offers and notices, which the words next to them explain -> words."""

from __future__ import annotations

import re

from mlx_tts.text.languages.french.everyday import COURT
from mlx_tts.text.languages.french.more_notices import more_notice_kinds
from mlx_tts.text.languages.french.offers import offer_kinds
from mlx_tts.text.normalise.engine import Kind, mentions, rule, text_after, text_before
from mlx_tts.text.normalise.european_marks import port_rule
from mlx_tts.text.normalise.romance import Romance

CARS = (
    r"(?:km|dCi|HDi|BlueHDi|TDI|TSI|TCe|GTI|cv|CV|[Dd]iesel|[Ee]ssence|[Cc]lim|CT|BVA|BVM|BV6|[Mm]oteur|Renault|Peugeot"
    r"|Citroën|Dacia|VW|Golf|Clio|Audi|BMW|Toyota|Ford|Fiat|[Bb]erline|[Bb]reak|[Mm]otos?)"
)
NEAR_CARS = re.compile(rf"\b{CARS}\b")
OFFICERS = {"Gal": "Général", "Mal": "Maréchal", "Pdt": "Président"}
HOTELS = re.compile(r"(?i)\b(?:hôtel|auberge|pension|résidence|gîte|clinique|foyer|château)\b")
HOMES = re.compile(r"(?i)\b(?:appt?|appart\w*|[tf][1-6]|maison|studio|villa|loue\w*|location)\b|m²")
SPORT = re.compile(r"\b(?:pts?|points?|L1|L2|Ligue|buts?|match\w*|championnat|Top 14|club)\b")
DIVISIBLE = (
    r"(?:(?<=bénéfice)|(?<=CC)|(?<=HC)|(?<=TTC)|(?<=HT)|(?<=loyer)|(?<=prix)|(?<=dividende)|(?<=coût)|(?<=tarif)"
    r"|(?<=dose)|(?<=charges)|(?<=€ cc))"
)


def notice_kinds(own: Romance) -> tuple[Kind, ...]:
    """own: the words of the language."""

    def stop(match: re.Match[str]) -> str:
        return own.sentence_stop(match) if match[0].endswith(".") else ""

    def horses(match: re.Match[str]) -> str | None:
        """ "90 ch" next to a car; many flats stand next to cars in a page of offers."""
        before = text_before(match, 60)
        if int(match["n"]) < 30 or HOTELS.search(before) or not NEAR_CARS.search(before):
            return None
        return f"{own.spoken(match['n'])} chevaux"

    def doors(match: re.Match[str]) -> str | None:
        before = text_before(match, 40)
        if HOMES.search(before) or not re.search(rf"\b(?:{CARS}|\d{{2,3}} ch)\b", before):
            return None
        return f"{own.cardinal(int(match['n']))} portes"

    def lap(match: re.Match[str]) -> str:
        """ "1'52"69"."""
        part = match["part"]
        small = own.digits(part) if part[0] == "0" else own.cardinal(int(part))
        minutes = own.counted(match["m"], ["minute", "minutes"])
        return f"{minutes} {own.counted(str(int(match['s'])), ['seconde', 'secondes'])} {small}"

    def some(match: re.Match[str]) -> str:
        return f"{match['q']}uelque{'s' if match['noun'][-1] in 'sx' else ''}"

    def patient(match: re.Match[str]) -> str:
        return "Patiente" if match[0].endswith("e") else "Patient"

    return (
        *offer_kinds(own),
        *more_notice_kinds(own),
        Kind("notice", re.compile(
            r"\bVve\b|\b(?:Gal|Mal|Pdt)-|\d j\.|['’′]\d\d[\"″”]|\bsqq?\.|et s\.|[srx] art\.|\badj\.|\bPte? |\dr?e ch\."
            r"|/[a-zé]"
            r"|\bvs\b|[Cc]h\. d?[bs]|Ire?\b|Iᵉʳ|\bqqs?\.|vac\.|\btlj\b|\bsf\b|\d ch\b|\d p\.|déb\.|[Pp]rox\.|['’]abst\."
            r"|\d:\d\d|scol\."
        ), (
            rule(r"(?<![\w.-])(?P<title>Gal|Pdt)(?=-(?:de-)?[A-ZÀ-Þ])"
                 r"|(?<![\w.-])(?P<marshal>Mal)(?=-(?:Foch|Joffre|Leclerc|de-Lattre|Juin|Lyautey|Ney|Gallieni|Lannes))",
                 lambda m: OFFICERS[m["title"] or m["marshal"]]),
            rule(r"(?<![\w.])V(?P<v>ve|VE)(?= [A-ZÀ-Þ])", "veuve"),
            # Days of a championship.
            rule(r"(?:(?<=\bpts en )|(?<=\bpoints en )|(?<=\bpts après )|(?<=\bpoints après ))(?P<n>\d{1,2}) j\.",
                 lambda m: f"{own.cardinal(int(m['n']), 'f')} journées{stop(m)}"
                 if mentions(SPORT, m.string) else None),
            rule(r"(?<![\w.,])(?P<m>\d{1,2})['’′](?P<s>[0-5]\d)[\"″”](?P<part>\d\d)(?!\w)", lap),
            rule(r"(?<=\d )sqq?\.", lambda m: f"et suivantes{stop(m)}"),
            rule(r"(?<=\d )et s\.",
                 lambda m: "et suivants" + ("" if re.match(r" [A-Z]\. ?[a-z]", text_after(m, 8)) else stop(m))
                 if re.search(r"\b[Aa]rt(?:icle)?s?\.?(?: [LRDA]\.)? ?[\d-]{1,10} \Z", text_before(m, 24)) else None),
            rule(r"(?:(?<=\b[Ll]es )|(?<=\b[Aa]ux )|(?<=\b[Dd]es ))art\. ?(?=\d)", "articles "),
            rule(r"(?:(?<=\bresp\. )|(?<=responsable )|(?<=directeur )|(?<=\bdir\. )|(?<=maire )|(?<=général )"
                 r"|(?<=secrétaire ))adj\.", lambda m: f"adjoint{stop(m)}"),
            rule(r"(?<=directrice )adj\.", lambda m: f"adjointe{stop(m)}"),
            rule(r"(?:\A|(?<=[.!?] )|(?<=\n))Pte?(?= (?:de )?\d{1,3} ans\b)", patient),
            rule(r"(?:(?<=\de )|(?<=\dre )|(?<=\dère ))ch\.(?: (?=[A-ZÀ-Þ])|(?=\s*\Z))",
                 lambda m: f"chambre.{' ' if m[0].endswith(' ') else ''}" if mentions(COURT, m.string) else None),
            rule(rf"{DIVISIBLE}/(?=(?:action|part|mois|an|jour|semaine|nuit|pers|personne|kg|unité|séance)\b)",
                 " par "),
            rule(r"(?<=[\wà-ÿ,)%€] )vs\b\.?(?= [\dA-ZÀ-Þ])", "contre"),
            rule(r"(?<![\w.])(?P<c>[Cc])h\. (?P<kind>dble|dbl|double|sple|smple)\b\.?",
                 lambda m: f"{m['c']}hambre {'double' if m['kind'][0] == 'd' else 'simple'}{stop(m)}"),
            rule(r"(?<=[a-zà-ÿ] )I(?:er|ᵉʳ)(?!\w)", "premier"),
            rule(r"(?<=[a-zà-ÿ] )Ire(?!\w)", "première"),
            rule(r"(?<![\w.])(?P<q>[Qq])qs?\.(?= (?P<noun>[a-zà-ÿ]{2,20}))", some),
            rule(r"(?<![\w.])(?P<v>[Vv])ac\. scol\.", lambda m: f"{m['v']}acances scolaires{stop(m)}"),
            rule(r"(?<=[a-zà-ÿ] )scol\.", lambda m: f"scolaire{'s' if text_before(m, 2)[0] == 's' else ''}{stop(m)}"),
            rule(r"(?<![\w.])(?P<t>[Tt])lj(?!\w)", r"\g<t>ous les jours"),
            rule(r"(?<![\w.-])sf(?= (?:le |la |les |lun|mar|mer|jeu|ven|sam|dim|j\. |jours|fériés|accord|en ))",
                 "sauf"),
            rule(r"(?<=\bsf )(?P<day>lun|mar|mer|jeu|ven|sam|dim)\.",
                 lambda m: own.day_names.get(f"{m['day']}.", own.day_names.get(m["day"], m["day"])) + stop(m)),
            rule(r"(?<![\w.,-])(?P<n>\d{2,3}) ?ch(?![\w.])", horses),
            rule(r"(?<![\w.,-])(?P<n>\d{2,3}) ch\.", lambda m: f"{own.cardinal(int(m['n']), 'f')} chambres{stop(m)}"
                 if HOTELS.search(text_before(m, 40)) else None),
            rule(r"(?<![\w.,-])(?P<n>[2-5]) p\.(?=[ ,;)])", doors),
            rule(r"(?<=\bà )déb\.", lambda m: f"débattre{stop(m)}"),
            rule(r"(?<![\w.])(?P<p>[Pp])rox\.(?= [a-zA-ZÀ-ÿ]|[,;)])", r"\g<p>roximité"),
            rule(r"(?<=\bs['’])abst\.", lambda m: f"abstenir{stop(m)}"),
            port_rule(own),
        )),
    )  # fmt: skip
