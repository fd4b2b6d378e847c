"""French short forms of courts, offers, openings and case notes ("Cass. soc.", "TR 8 €", "av. asc.") -> words."""

from __future__ import annotations

import re

from mlx_tts.text.normalise.engine import Kind, Words, mentions, rule, text_before
from mlx_tts.text.normalise.romance import Romance
from mlx_tts.text.normalise.romance_notices import (
    at_least_rule,
    few_minutes_rule,
    quarter_rule,
    short_word,
    side_by_side_rule,
    split_hours_rule,
    tennis_rules,
    tested_rules,
    two_days_rule,
    two_months_rule,
    version_rule,
)

PATIENT = re.compile(r"\b(?:[Pp]atiente?|[Pp]te?|ATCD|Pat|HTA|FR|TA|FC|Hb|SpO2|CRP|NFS|[Bb]ilan)\b|\bmg\b")
TESTED = {"K+": "potassium", "Na+": "sodium", "Hb": "hémoglobine", "Plaq.": "plaquettes", "plaq.": "plaquettes",
          "Leuco.": "leucocytes",
          "leuco.": "leucocytes", "Hte": "hématocrite", "Créat.": "créatinine", "créat.": "créatinine",
          "Gly.": "glycémie", "gly.": "glycémie"}  # fmt: skip
STUDIED = re.compile(r"(?i)\b(?:étude|essai|placebo|mg|mmol|p ?<|randomis\w*)\b")
MONTHS = "janv|févr|mars|avr|mai|juin|juil|août|sept|oct|nov|déc"
CHAMBERS = {"soc": "sociale", "com": "commerciale", "crim": "criminelle", "civ": "civile",
            "ass. plén": "assemblée plénière", "ch. mixte": "chambre mixte", "req": "des requêtes"}  # fmt: skip
# A text with one of these offers a flat.
HOMES = re.compile(
    r"(?i)\b(?:[tf][1-7]|studio|appt?|appart\w*|maison|villa|louer|loue|vends|étage|ch\.|séj|sdb|loyer|m2"
    r"|immeuble)\b|m²"
)
SHORT = {"kitch": "kitchenette", "séj": "séjour", "terr": "terrasse", "balc": "balcon", "cuis": "cuisine",
         "mezz": "mezzanine", "jard": "jardin", "gar": "garage"}  # fmt: skip
ROOMS = r"(?:séj|salon|jardin|terr|balcon|cuis|garage|ch\.|sous-sol|hall|dressing|parking|T\d|studio|appart)"


def offer_kinds(own: Romance) -> tuple[Kind, ...]:
    """own: the words of the language."""

    stop, short = own.sentence_stop, short_word(own, SHORT, HOMES)

    def chamber(match: re.Match[str]) -> str | None:
        known = "Cass." in match.string or text_before(match, 4) == "ch. "
        return CHAMBERS[match["ch"].lower()] + stop(match) if known else None

    def month(written: str) -> str:
        return own.month_names[own.month_numbers[written] - 1]

    def quarter(match: re.Match[str]) -> str:
        """ "midi et 1/4", "8 h et 1/2"."""
        hour = match["hour"]
        if hour[0].isdecimal():
            number = int(re.match(r"\d+", hour)[0])  # type: ignore[index]
            hour = f"{own.hours.get(number) or own.cardinal(number)} heure{'' if number < 2 else 's'}"
        half = "demi" if hour.casefold() in ("midi", "minuit") else "demie"
        return f"{hour} et {half if match['part'] in ('1/2', '½') else 'quart'}"

    def one_of_them(match: re.Match[str]) -> str:
        """ "3 blessés, dont 1 grave": of the gender of those that were counted."""
        noun = re.search(r"(\w+),? \Z", text_before(match, 24).removesuffix("dont "))
        feminine = noun and (own.gender_of_many(noun[1]) == "f" or noun[1].endswith("ées"))
        return own.cardinal(1, "f" if feminine else "m")

    def home(said: str) -> Words:
        return lambda match: said if mentions(HOMES, match.string) else None

    return (
        Kind("number", re.compile(r"\d"), (
            *tennis_rules(own),
            rule(r"(?P<each>\b[Tt](?:ou)?tes les |\b[Cc]haque )(?:1/2|½) ?(?:h(?:eures?)?)(?!\w)", lambda m:
                 f"{m['each'].replace('ttes', 'toutes')}demi-heure{'s' if 'les' in m['each'] else ''}"),
            at_least_rule("au moins", "au plus"),
            few_minutes_rule(own),
            version_rule(own, "version"),
            side_by_side_rule(own),
            two_days_rule(own),
            rule(r"(?<![\w.])(?P<t>T°?|[Tt]empérature|[Ff]ièvre) ?(?P<sign>[<>]) ?(?=\d)", lambda m:
                 f"{'température' if m['t'][0] == 'T' and len(m['t']) < 3 else m['t']} "
                 f"{'supérieure' if m['sign'] == '>' else 'inférieure'} à "),
            split_hours_rule(own, lambda a, b: f"de {a} à {b}", " et "),
            *tested_rules(own, TESTED, PATIENT, "température"),
        )),
        Kind("date", re.compile(r"[a-zû]\.?[-–/][a-z]"), (two_months_rule(own),)),
        Kind("abbreviation", re.compile(
            r"[a-zû]\.? ?[-–] ?[a-z]|\bDép\. |\barr\. |\brés\.|\b[Aa]u [NSEO] |\b(?:g|dr?)\.|\d pts "
        ), (
            rule(rf"(?<![\w.])(?P<a>{MONTHS})\.? ?[-–] ?(?P<b>{MONTHS})\b\.?",
                 lambda m: f"{month(m['a'])} {own.to} {month(m['b'])}{stop(m)}"),
            rule(r"(?<![\w.])(?P<d>[Dd])ép\.(?= [A-ZÉ][\w-]+)", r"\g<d>épart"),
            rule(r"(?<![\w.])(?P<a>[Aa])rr\.(?= [A-ZÉ][\w-]+(?: [A-ZÉ][\w-]+)? (?:à )?\d{1,2} ?[h:])", r"\g<a>rrivée"),
            rule(r"(?<=\b[Ss]ur )rés\.|(?<![\w.])rés\.(?= (?:obligatoire|conseillée|indispensable|au \d|avant))",
                 lambda m: f"réservation{stop(m)}"),
            quarter_rule(own),
            rule(r"\b(?P<noun>bord|côté|coin|bras|pied|genou|œil|poumon) (?P<side>g|dr?)\.", lambda m:
                 f"{m['noun']} {'gauche' if m['side'] == 'g' else 'droit'}{stop(m)}"),
            rule(r"(?<![\w.,])(?P<n>\d{1,4}) pts(?= (?:sur \d{2,5} )?(?:ont|étaient|sont|traités|inclus)\b)",
                 lambda m: own.counted(m["n"], ["patient", "patients"]) if mentions(STUDIED, m.string) else None),
        )),
        Kind("abbreviation", re.compile(
            r"spect\.|\d{3} \d{3}\b|\bcs \w|\bts \w|\b[Vv]\. (?:p|fig|tab|chap|ann|note|art)"
        ), (
            rule(r"(?<=\d )spect\.", lambda m: f"spectateurs{stop(m)}"),
            rule(r"(?P<word>\b(?:[Cc]ode(?: d['’]accès| PIN)?|PIN"
                 r"|[Mm]ot de passe)(?: ?:)? )(?P<n>\d{3} \d{3})(?P<hash>#)?"
                 r"(?![\w-]|[.,]\d)",
                 lambda m: m["word"] + ", ".join(own.digits(part) for part in m["n"].split())
                 + (" dièse" if m["hash"] else "")),
            rule(r"(?<![\w.])cs(?= (?:chir|cardio|gynéco|pneumo|neuro|ORL|ophtalmo|anesth|à \d|dans|de contrôle"
                 r"|externe))",
                 "consultation"),
            rule(r"(?<=\bcs )chir\.|(?<=onsultation )chir\.", lambda m: f"de chirurgie{stop(m)}"),
            rule(r"(?<![\w.])(?P<t>[Tt])s(?= (?:états|types|modèles|frais|niveaux|âges|travaux|commerces|publics"
                 r"|budgets)\b)",
                 r"\g<t>ous"),
            rule(r"(?<![\w.])(?P<v>[Vv])\.(?= (?:pp?\. ?\d|fig\.|tab\.|chap\.|ann\."
                 r"|annexes? |page |tableau |infra|supra|note \d|art\.))", r"\g<v>oir"),
        )),
        Kind("abbreviation", re.compile(
            r"\d a\. ?p\.|t\.a\.b|\([-+–] \d|et (?:1/[24]|[½¼])|suiv\.|\b1er/\d|\bts\b|\bjrs\b"
        ), (
            rule(r"(?<=\d )a\. ?p\.", lambda m: f"après prolongation{stop(m)}"),
            rule(r"(?<=\d )t\.a\.b\.|(?<=aux )t\.a\.b\.",
                 lambda m: f"{'' if text_before(m, 4) == 'aux ' else 'aux '}tirs au but{stop(m)}"),
            rule(r"(?<=\()(?P<sign>[-+–]) ?(?=\d{2,3} ?kg\b)",
                 lambda m: "plus de " if m["sign"] == "+" else "moins de "),
            rule(r"(?P<hour>\b(?:[Mm]idi|[Mm]inuit|\d{1,2} ?h|\d{1,2} heures|une heure)) et (?P<part>1/4|1/2|¼"
                 r"|½)(?![\w/])",
                 quarter),
            rule(r"(?<=\bet )suiv\.", lambda m: f"suivants{stop(m)}"),
            rule(r"(?<![\w.,/-])1er/(?P<month>1[0-2]|0?[1-9])(?:/(?P<year>(?:19|20)\d\d))?(?![\w/]|[.,]\d)",
                 lambda m: own.said_date(1, int(m["month"]), m["year"], "")),
            rule(r"(?<![\w.])(?P<t>[Tt])s(?= les\b)", r"\g<t>ous"),
            rule(r"(?:(?<=\bles )|(?<=\bdes )|(?<=\bqqs )|(?<=\d ))jrs(?![\w-])", "jours"),
        )),
        Kind("abbreviation", re.compile(
            r"\bP/[oO]\b|\bP\.O\.|\bserv\. |\bcompta\.|\bPat\. |\bdte\b|\bgche\b|\bTTT\b|% AA\b|['’]av\.|\bpbs?\b"
            r"|\b[Mm][aàÀ]j\b|\bPart\. |\béqu\b|\bdble\b|\bind\.|\bgar\.|dont 1\b"
        ), (
            rule(r"(?:(?<=[a-zé] )|(?<=\. ))P/[oO](?= [A-ZÉ])", "par ordre de"),
            rule(r"(?<![\w.])(?P<s>[Ss])erv\.(?= (?:compta|client|tech|après|comm|des? |du |urb|RH|juridique|social))",
                 r"\g<s>ervice"),
            rule(r"(?<![\w.])compta\.", lambda m: f"comptabilité{stop(m)}"),
            rule(r"(?:\A|(?<=[.!?:] )|(?<=\n))Pat\.(?= (?:de |âgée? |\d))", "Patient"),
            rule(r"(?<=[a-zé] )(?P<side>dte?|gche)(?:\.|(?=[ ,;)]|\s*\Z))", lambda m:
                 ("droite" if m["side"] == "dte" else "droit" if m["side"] == "dt" else "gauche")
                 + (stop(m) if m[0][-1] == "." else "") if mentions(PATIENT, m.string) else None),
            rule(r"(?<![\w.])TTT(?=[ :])", "Traitement"),
            rule(r"(?<=% )AA(?!\w)", lambda m: "en air ambiant" if mentions(PATIENT, m.string) else None),
            rule(r"\b(?P<d>[Dd])['’]av\.", lambda m: f"{m['d']}'avance{stop(m)}"),
            rule(r"(?:(?<=\b[Ll]e )|(?<=\b[Uu]n )|(?<=\bmême )|(?<=\b[Dd]e )|(?<=aucun )|(?<=gros )|(?<=petit )"
                 r"|(?<=\b[Dd]es )|(?<=\b[Ll]es )|(?<=\bce )|(?<=\bmon )|(?<=\bpas de ))pb(?P<s>s?)(?![\w.-])",
                 r"problème\g<s>"),
            rule(r"(?:(?<=\b[Ll]a )|(?<=\b[Uu]ne )|(?<=\bcette )|(?<=ernière )|(?<=ouvelle ))(?:màj|Màj|MàJ|maj)(?!\w)",
                 "mise à jour"),
            rule(r"(?<![\w.])Part\.(?= (?:loue|vend|cherche|recherche|à part|donne|achète))", "Particulier"),
            rule(r"(?:(?<=cuis\. )|(?<=cuisine ))équ\.", lambda m: f"équipée{stop(m)}"),
            rule(r"(?<![\w.])dble(?= [a-zéè])", home("double")),
            rule(r"(?:(?<=[Cc]hauff\. )|(?<=[Cc]hauffage ))ind\.", lambda m: f"individuel{stop(m)}"),
            rule(r"(?<=[Dd]épôt )(?:de )?gar\.", lambda m: f"de garantie{stop(m)}"),
            rule(r"(?<=\bdont )1(?= (?:grave|gravement|léger|légèrement|mortel|sérieusement|mineur"
                 r"|dans un état))", one_of_them),
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
