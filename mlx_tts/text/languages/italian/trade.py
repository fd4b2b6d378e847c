"""Italian short forms of orders, matches, wards and maps ("60 gg d.f.f.m.", "8 rimb.", "lat. 45°40' N") -> words."""

from __future__ import annotations

import re

from mlx_tts.text.normalise.engine import Kind, mentions, rule
from mlx_tts.text.normalise.romance import Romance
from mlx_tts.text.normalise.romance_notices import extreme_rule, oxygen_rule, place_rules, year_of_month_rule

# In these texts a number before "p." is of points.
RANKED = re.compile(r"\b(?:classifica|campionato|GP|girone|Serie [A-D]|scudetto|retrocess\w+|capolista|giornata)\b")
PEOPLE = r"donna|uomo|ragazz[oa]|bambin[oa]|bimb[oa]|turista|ciclista|motociclista|anzian[oa]|giovane|signora|studente"
EXTREMES = {"max": "massima", "min": "minima", "med": "media"}
MEASURED = {"prof": "profondità", "alt": "altezza", "lungh": "lunghezza", "largh": "larghezza"}
POLICE = {"Strad": "Stradale", "Loc": "Locale", "Mun": "Municipale", "Ferr": "Ferroviaria", "Giud": "Giudiziaria"}
WARDS = {"cardiol": "cardiologica", "ortop": "ortopedica", "ocul": "oculistica", "dermatol": "dermatologica",
         "neurol": "neurologica", "ginecol": "ginecologica", "urol": "urologica"}  # fmt: skip
LINES = {"lat": "latitudine", "long": "longitudine", "lon": "longitudine"}


def trade_kinds(own: Romance) -> tuple[Kind, ...]:
    """own: the words of the language."""

    stop = own.sentence_stop

    return (
        Kind("abbreviation", re.compile(
            r"\bcad\.|\bc\. ?a\.|\bcod\.|\bcons\.|\blav\.|\bpag\. [aci]|\bd\. ?f\.|\bf\.to\b|\bmod\. |\bc/ |\bPol\. "
            r"|\b\d{1,2} a\.|\bDiff\.:|[Kk]cal \d|a [Pp]rof\.|\btratt\.[?!]|\bpom\.|\bPs:|\bcreat\."
        ), (
            rule(r"(?<=\d )cad\.", lambda m: f"cadauno{stop(m)}"),
            rule(r"(?<=\b[Aa]lla )c\. ?a\.(?= d[aei])", "cortese attenzione"),
            rule(r"(?<![\w.])(?P<c>[Cc])od\.(?= (?:art\.|articolo|prod|n\.|cliente|[A-Z\d]))", r"\g<c>odice"),
            rule(r"(?<![\w.])(?P<c>[Cc])od\. [Ff]isc\.", lambda m: f"{m['c']}odice fiscale{stop(m)}"),
            rule(r"(?:(?<=\b[Ll]a )|(?<=\bdella )|(?<=\balla ))(?P<p>[Pp])rof\.(?= [A-ZÀ-Þ])", r"\g<p>rofessoressa"),
            rule(r"(?<=[Cc]od\. )art\.(?= ?[A-Z\d])", "articolo"),
            rule(r"(?<![\w.])(?P<c>[Cc])ons\.(?= (?:entro|in \d|gratis|gratuita|a domicilio|prevista|il \d))",
                 r"\g<c>onsegna"),
            rule(r"(?:(?<=gg\. )|(?<=gg )|(?<=giorni ))lav\.", lambda m: f"lavorativi{stop(m)}"),
            rule(r"(?<![\w.])(?P<p>[Pp])ag\.(?= (?:a (?:vista|\d{2,3} ?(?:gg|giorni))|anticip|contest|alla cons"
                 r"|in contanti|con (?:bonifico|carta)))", r"\g<p>agamento"),
            rule(r"(?:(?<=gg )|(?<=gg\. )|(?<=giorni ))d\. ?f\.(?: ?f\. ?m\.)?(?!\w)",
                 lambda m: f"data fattura{' fine mese' if 'm' in m[0] else ''}{stop(m)}"),
            rule(r"(?<![\w.])f\.to(?![\w.])", "firmato"),
            rule(r"(?<![\w.])(?P<m>[Mm])od\.(?= ?[A-Z\d])", r"\g<m>odello"),
            rule(r"(?<![\w.])c/ (?=(?:il|lo|la|i|gli|le|un|una|l['’]) ?[a-zà-ÿ])", "con "),
            rule(rf"(?<![\w.])Pol\. (?P<what>{'|'.join(POLICE)})\.", lambda m: f"Polizia {POLICE[m['what']]}{stop(m)}"),
            rule(rf"\b(?P<who>(?i:{PEOPLE})) di (?P<n>[1-9]\d?) a\.(?!\w)",
                 lambda m: f"{m['who']} di {own.counted(m['n'], ['anno', 'anni'])}{stop(m)}"),
            rule(r"(?<![\w.])Diff\.(?=:)", "Difficoltà"),
            rule(r"(?<!\d )(?<![\w.])(?P<k>[Kk])cal(?= \d)",
                 lambda m: "Chilocalorie" if m["k"] == "K" else "chilocalorie"),
            rule(r"(?<=[a-zà-ÿ] )tratt\.(?=[?!])", "trattabile"),
            rule(r"(?<![\w.])pom\.(?= (?:dopo|alle|dalle|ore|tra|fra|o|e)\b|[,;)?!])", "pomeriggio"),
            rule(r"(?:\A|(?<=[.!?] ))Ps(?=:)", "Post scriptum"),
            rule(r"(?<![\w.])creat\.(?! ?[a-z]{4})", "creatinina"),
        )),
        Kind("abbreviation", re.compile(
            r"['’]on\. |\bpal\. |\bP\. ?N\.|\b[Cc]od\. "
            r"|\d (?:rimb|ass|p)\.|\bPz\. |\btp\b|[Vv]isita [a-z]{4,8}\.|\b(?:prof|alt|lungh|largh)\. m|uribor"
            r"|\d°|[a-z]{3}/\d\d|O₂"
        ), (
            rule(r"(?<![\w.,])(?P<n>\d{1,2}) (?P<what>rimb|ass)\.",
                 lambda m: own.counted(m["n"], ["rimbalzo", "rimbalzi"] if m["what"] == "rimb" else ["assist"] * 2)
                 + stop(m)),
            rule(r"(?<![\w.,])(?P<n>\d{1,3}) p\.(?=[,;)]| (?:e|su|in|contro|dopo|davanti)\b|\Z)",
                 lambda m: own.counted(m["n"], ["punto", "punti"]) + stop(m) if mentions(RANKED, m.string) else None),
            rule(r"(?:\A|(?<=[.!?:] )|(?<=\n))Pz\.(?= (?:[a-z(]|[MF]\b|\d))", "Paziente"),
            rule(r"(?<=\b[Ii]n )tp(?= (?:con|per|domiciliare|cronica|medica)\b)", "terapia"),
            rule(rf"(?<=[Vv]isita )(?P<what>{'|'.join(WARDS)})\.", lambda m: f"{WARDS[m['what']]}{stop(m)}"),
            rule(r"(?:(?<=\b[Ll]['’])|(?<=ll['’]))on\.(?= [A-ZÀ-Þ][a-zà-ÿ])", "onorevole"),
            rule(r"(?<=\bVerona )P\. ?N\.|(?<=\bTorino )P\. ?N\.", lambda m: f"Porta Nuova{stop(m)}"),
            rule(r"(?<![\w.])pal\.(?= [A-Z](?!\w|\.\w))", "palazzina"),
            rule(r"(?<![\w.])(?P<c>[Cc])od\.(?= (?:cliente|fiscale|prodotto|articolo|art\.|prenotazione|ordine))",
                 r"\g<c>odice"),
            extreme_rule(MEASURED, EXTREMES),
            rule(r"\b(?P<word>[Ee]uribor (?:a )?)(?P<n>1|3|6|12) ?[mM](?!\w)",
                 lambda m: f"{m['word']}{own.counted(m['n'], ['mese', 'mesi'])}"),
            *place_rules(own, ("grado|gradi", "primo|primi", "secondo|secondi"), LINES, "NSEOW"),
            year_of_month_rule(own, "gen|feb|mar|apr|mag|giu|lug|ago|set|ott|nov|dic", " "),
            oxygen_rule(own),
        )),
    )  # fmt: skip
