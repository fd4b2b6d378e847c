"""Italian short forms of letters, offers and case notes ("app.to di lunedì", "unipropr.", "velocità max.") -> words."""

from __future__ import annotations

import re

from mlx_tts.text.normalise.engine import Kind, Rule, mentions, rule, text_after, text_before
from mlx_tts.text.normalise.romance import Romance
from mlx_tts.text.normalise.romance_notices import (
    TENNIS,
    at_least_rule,
    few_minutes_rule,
    lone_century_rule,
    quarter_rule,
    side_by_side_rule,
    split_hours_rule,
    tennis_rules,
    tested_rules,
    two_days_rule,
    two_months_rule,
    version_rule,
)

PATIENT = re.compile(
    r"\b(?:[Pp]z\.|[Pp]az\.|[Pp]azient\w|PA\b|FC\b|Hb\b|SpO2|PCR|[Dd]ecorso|[Dd]imess[ao]|Glicemia"
    r"|emocromo)|\bmg\b"
)
TESTED = {"K+": "potassio", "Na+": "sodio", "Hb": "emoglobina", "Plt": "piastrine", "PLT": "piastrine",
          "Leuc.": "leucociti", "leuc.": "leucociti",
          "Hct": "ematocrito", "Glic.": "glicemia", "glic.": "glicemia"}  # fmt: skip
# Whom one meets, and what is done with a meeting: the same letters are a flat elsewhere.
MEETING = re.compile(
    r"(?i)\b(?:conferm\w+|fiss\w+|prend\w+|pres[oi]|disd\w+|spost\w+|annull\w+|prenot\w+|rimand\w+|previo|solo su|su"
    r"|prossimo|nostro|suo|richied\w+|ricev\w+|ricord\w+|senza|ho un|abbiamo un|avrei un|un altro)"
    r"(?: (?:l['’]|il|un|di un|lo|tuo|suo|Suo|mio|per un|per l['’]|dell['’]|che l['’]))? ?\Z"
)
MEETING_BEHIND = re.compile(
    r" (?:d(?:i|el|ell['’]|elle) ?(?:oggi|domani|lun|mar|mer|gio|ven|sab|dom|\d{1,2}(?![\d.]* ?m)|ore|h\b|luned|marted"
    r"|mercoled|gioved|venerd|sabato)|per (?:il|le|luned|marted|mercoled|gioved|venerd|domani|oggi|la visita)"
    r"|alle|ore|h \d|con (?:il|la|lo|l['’]|i|Lei|te|voi|noi|lui|un|(?:dott|avv|dr|ing)\.|[A-Z])(?![a-zà-ÿ])"
    r"|dal (?:medico|dottore|dentista|notaio)|telefonic|fissato|confermato|medico|odierno"
    r"|(?:è|sarà) (?:alle|per|il|luned|confermat|fissat|spostat))"
)
FLAT = re.compile(
    r" (?:di|da|in|al|d['’]|n\.|int\.|con) ?(?:\d{2,3} ?m|affitto|vendita|condominio|\d (?:vani|locali)|piano)"
)
# A text with one of these offers a flat or a car.
OFFER = re.compile(
    r"(?i)\b(?:vend[eo]|vendesi|affitt\w+|trilocale|bilocale|monolocale|quadrilocale|camere|bagn[io]|mq|m²|piano|cucina"
    r"|soggiorno|immatr\w*|km|cv|tagliand\w*|unipropr\w*|clima|prezzo)\b"
)
SHORT = {
    "unipropr": "unico proprietario", "uniprop": "unico proprietario", "ang. cott": "angolo cottura",
    "terr": "terrazzo", "balc": "balcone", "giard": "giardino", "cant": "cantina", "arred": "arredato",
    "ristrutt": "ristrutturato", "semiarr": "semiarredato", "termoaut": "termoautonomo", "ult": "ultimo",
    "certif": "certificati", "tagl": "tagliandata", "trattab": "trattabili", "rich": "richiesti", "lum": "luminoso",
    "gomm": "gomme", "rev": "revisione", "condiz": "condizioni", "autom": "automatico", "sing": "singolo",
    "p. auto": "posto auto", "p.auto": "posto auto", "p.a": "posto auto", "risc": "riscaldamento",
}  # fmt: skip


STATIONS = {"C.le": "Centrale", "S.L.": "Santa Lucia", "P.N.": "Porta Nuova"}
# Behind these a letter belongs to a number.
LETTERED = re.compile(
    r"(?i)\b(?:figg?|tabb?|n|art|all|sez|int|sc|p|pagg?|eq|es|cap|punto|scala|interno|aula|sala|posto|carrozza|gate|bus"
    r"|linea|figura|tabella|civico|lotto|piano|via [a-z]+|stanza|classe|sezione|nota)\.? \Z"
)
STUDIED = re.compile(r"(?i)\b(?:studio|placebo|mg|mmol|randomizz\w*|età media)\b|p ?<")
# In these texts a span of numbers behind a day is of hours.
OPEN = re.compile(r"(?i)\b(?:apert[oaie]|orari\w*|chius[oaie]|tranne|tutti i (?:giorni|gg))\b")


def _counted_rules(own: Romance) -> tuple[Rule, ...]:
    def ordinal(match: re.Match[str]) -> str | None:
        """ "4a giornata", "la Roma (2a, 38 pt)"; "fig. 3a" has a letter."""
        if LETTERED.search(text_before(match, 16)):
            return None
        return own.ordinal(int(match["n"]), "f" if match["mark"] == "a" else "m")

    def games(match: re.Match[str]) -> str | None:
        """ "nel 3° set", "in 2 set": of a match, and no day of September."""
        before = text_before(match, 8)
        ends = own.sentence_stop(match) if match[0].endswith(".") else ""
        if match["mark"]:
            played = mentions(TENNIS, match.string) or (not ends and re.search(r"\b(?:nel|del|un) \Z", before))
            return f"{own.ordinal(int(match['n']))} set{ends}" if played or (match["n"] != "1" and not ends) else None
        counted = re.search(r"\b(?:in|per|di|dei|i|soli|dopo|altri|vinto|perso) \Z", before)
        return f"{own.cardinal(int(match['n']))} set{ends}" if counted and match["n"] != "1" else None

    def hours(match: re.Match[str]) -> str | None:
        """ "tutti i giorni tranne il lun., 10-18"."""
        first, last = int(match["a"]), int(match["b"])
        if not 6 <= first < last <= 24 or not mentions(OPEN, match.string):
            return None
        return f"{_from(own.time(first, 0, None, match))} {_to(own.time(last, 0, None, match))}"

    def aged(match: re.Match[str]) -> str:
        """ "i 15-24enni"."""
        last = re.sub("[aeiou]\\Z", "", own.cardinal(int(match["b"])))
        return f"{own.cardinal(int(match['a']))}-{last}{match['end']}"

    return (
        rule(r"(?<![\w.,/-])(?P<a>\d{1,2})[-–](?P<b>\d{1,2})(?P<end>enn[ei])(?!\w)", aged),
        rule(r"(?<=[dì.aoi], )(?P<a>\d{1,2})-(?P<b>\d{1,2})(?=[;,)](?!\d)|\.?\s*\Z|\. [A-Z])", hours),
        # The marks of ordinals are letters where a keyboard has no others.
        rule(r"(?<![\w.,/:-])(?P<n>[1-9]\d?)(?P<mark>[ao])"
             r"(?=[,;)]| (?!(?:cosa|meglio|più|meno|forse|\d)\b)[a-zA-Zà-ÿ]{3})", ordinal),
        rule(r"(?<![\w.,/-])(?P<n>[1-5])(?P<mark>[°ºo]?) set(?:\.(?=\s*\Z|\s+[A-Z]))?(?![\w.-])(?! \d)", games),
    )  # fmt: skip


def offer_kinds(own: Romance) -> tuple[Kind, ...]:
    """own: the words of the language."""

    stop = own.sentence_stop

    def meeting(match: re.Match[str]) -> str | None:
        behind = text_after(match, 32)
        if FLAT.match(behind) or re.search(r"(?i)(?:vend|affitt)\w+ \Z", text_before(match, 16)):
            return None
        known = MEETING.search(text_before(match, 32)) or MEETING_BEHIND.match(behind)
        if not known:
            return None
        said = "appuntament" + ("i" if match["end"] == "ti" else "o")
        return said.capitalize() if match[0][0] == "A" else said

    def short(match: re.Match[str]) -> str | None:
        if not mentions(OFFER, match.string):
            return None
        said = SHORT[match["word"].lower()]
        if said.endswith("ato") and re.search(
            r"\b(?:casa|villa|camera|cucina|stanza|mansarda) \Z", text_before(match, 12)
        ):
            said = f"{said[:-1]}a"
        ends = stop(match) if match[0].endswith(".") else ""
        return (said.capitalize() if match["word"][0].isupper() else said) + ends

    def extreme(match: re.Match[str]) -> str | None:
        """ "velocità max. 120 km/h", "età min."."""
        noun = match["noun"].lower()
        if own.gender(noun) != "f" and not re.search(r"(?:à|ù|ione)\Z", noun):
            return None
        ends = own.sentence_stop(match) if match[0].endswith(".") and not text_after(match, 8).strip() else ""
        return f"{match['noun']} {'massima' if match['what'] == 'max' else 'minima'}{ends}"

    return (
        Kind("number", re.compile(r"\d"), (
            *_counted_rules(own),
            *tennis_rules(own),
            at_least_rule("almeno", "al massimo"),
            few_minutes_rule(own),
            version_rule(own, "versione"),
            side_by_side_rule(own),
            two_days_rule(own),
            split_hours_rule(own, lambda a, b: f"{_from(a)} {_to(b)}", " e "),
            *tested_rules(own, TESTED, PATIENT, "temperatura"),
        )),
        Kind("Roman numeral", re.compile(r"l [IVX]"), (
            lone_century_rule(own, "[Nn]el|[Dd]el|[Aa]l|[Dd]al|e il|[Ii]l|sul",
                              "fine|inizio|inizi|metà|principio|prima metà|seconda metà",
                              "e|o|fino|si|fu|era|con|la|il|lo|le|gli|i|un|una|nel|nella|come|per|quando|non|già|ci"
                              "|visse|nacque|morì|al|in|a"),
        )),
        Kind("date", re.compile(r"[a-zû]\.?[-–/][a-z]"), (two_months_rule(own),)),
        Kind("abbreviation", re.compile(
            r"\bcons\. |\bpres\. |\bv\. [A-Z]|\b[Pp]art\. |\b[Aa]rr\. |S\.L\.|\bferm\.|\d[aª] cl|\bpren\.|C\.le \d"
            r"|\bsin\.|femm\.|masch\.|\d pz\.|\bev\. |\b[Aa] [NSEO] "
        ), (
            rule(r"(?<![\w.])(?P<c>[Cc])ons\.(?= [A-Z]\. ?[A-Z]| (?:com|reg)\.)", r"\g<c>onsigliere"),
            rule(r"(?<![\w.])(?P<p>[Pp])res\.(?= del(?:la\b|l['’]|\b))", r"\g<p>residente"),
            rule(r"(?<![\w.])v\.(?= [A-Z][a-zà-ÿ]+ \d)", "via"),
            rule(r"(?<![\w.])(?P<p>[Pp])art\.(?= [A-Z][a-z]+[^!?]{0,24} \d{1,2}[.:]\d\d)", r"\g<p>artenza"),
            rule(r"(?<![\w.])(?P<a>[Aa])rr\.(?= [A-Z][a-z]+[^!?]{0,24} \d{1,2}[.:]\d\d)", r"\g<a>rrivo"),
            rule(r"(?<![\w.])ferm\.(?= (?:a|di|in)\b)", "fermate"),
            rule(r"(?<![\w.])(?P<n>[1-3])[aª] cl\.(?! \d)",
                 lambda m: f"{own.ordinal(int(m['n']), 'f')} classe{stop(m)}"),
            rule(r"(?:(?<=\bsu )|(?<=con )|(?<=senza ))pren\.", lambda m: f"prenotazione{stop(m)}"),
            rule(r"(?<=[a-z] )(?P<which>C\.le|S\.L\.|P\.N\.) (?P<h>1\d|2[0-3]|0?\d)\.(?P<m>[0-5]\d)(?!\w|[.,:]\d)",
                 lambda m: f"{STATIONS[m['which']]} {own.time(int(m['h']), int(m['m']), None, m)}"),
            rule(r"\b(?P<noun>bordo|lato|margine|angolo|occhio|piede|braccio|ginocchio|polmone|mano|gamba|spalla"
                 r"|anca) sin\.",
                 lambda m: f"{m['noun']} sinistr"
                 f"{'a' if m['noun'] in ('mano', 'gamba', 'spalla', 'anca') else 'o'}{stop(m)}"),
            rule(r"(?<=[Ss]esso )(?P<what>femm|masch)\.",
                 lambda m: f"{'femminile' if m['what'] == 'femm' else 'maschile'}{stop(m)}"),
            rule(r"(?<![\w.,])(?P<n>\d{1,4}) pz\.(?= (?:su \d|si sono|hanno|sono|trattati))",
                 lambda m: own.counted(m["n"], ["paziente", "pazienti"]) if mentions(STUDIED, m.string) else None),
            rule(r"(?<![\w.])ev\.(?= avvers)", "eventi"),
            quarter_rule(own),
        )),
        Kind("abbreviation", re.compile(
            r"\b[Vv]\. [a-z]|\([ps]\.t\.|\bprec\.|\bbis\.|\bEs\. |\d[aª] g\.|amb\.|sett\.|scol\.|\d\.\d\d|\b[cm]?m \d"
            r"|cond\."
        ), (
            rule(r"(?<![\w.])(?P<v>[Vv])\.(?= (?:pp?\. ?\d|pagg?\.|fig\.|tab\.|cap\.|nota \d|all\.|sopra|oltre|art\."
                 r"|anche))",
                 r"\g<v>edi"),
            rule(r"(?<=\()(?P<half>[ps])\.t\.(?=:? \d)",
                 lambda m: f"{'primo' if m['half'] == 'p' else 'secondo'} tempo"),
            rule(r"(?<=\b[Ii]n )prec\.", lambda m: f"precedenza{stop(m)}"),
            rule(r"(?<=\bal )bis\.", lambda m: f"bisogno{stop(m)}" if mentions(PATIENT, m.string) else None),
            rule(r"(?<![\w.])Es\.(?= (?:ematici|ematochimici|strumentali|urine|del sangue))", "Esami"),
            rule(r"(?<![\w.])Es\.(?= (?:obiettivo|istologico|neurologico|urine))", "Esame"),
            rule(r"(?<![\w.])(?P<n>\d{1,2})[aª] g\.", lambda m: f"{own.ordinal(int(m['n']), 'f')} giornata{stop(m)}"),
            rule(r"(?:(?<=ontrollo )|(?<=isita )|(?<=isite )|(?<=pecialistica ))amb\.",
                 lambda m: f"ambulatoriale{stop(m)}"),
            rule(r"(?:(?<=\ba )|(?<=\btra )|(?<=\bfra )|(?<=\bdopo )|(?<=\bper )|(?<=\bogni )|(?<=\bda )|(?<=\boltre )"
                 r"|(?<=\bcirca )|(?<=\bdi ))(?P<n>\d{1,2}) sett\.(?! \d)",
                 lambda m: own.counted(m["n"], ["settimana", "settimane"]) + stop(m)),
            rule(r"\b(?P<noun>[Aa]nno|[Cc]alendario|[Vv]acanze|[Aa]ttività|[Mm]ensa|[Cc]edola) scol\.", lambda m:
                 f"{m['noun']} scolastic{ {'o': 'o', 'e': 'he'}.get(m['noun'][-1], 'a')}{stop(m)}"),
            rule(r"(?<=\()(?P<day>lun|mar|mer|gio|ven|sab|dom)\. (?P<h>1\d|2[0-3]|0?\d)\.(?P<m>[0-5]\d)(?=[,;)])",
                 lambda m: f"{own.day_names[m['day']]} {own.time(int(m['h']), int(m['m']), None, m)}"),
            rule(r"(?<![\w.])(?P<unit>[cm]?m) (?=\d{1,4}(?:,\d{1,2})? ?[x×] ?\d)",
                 lambda m: f"{own.unit_names[m['unit']].split('|')[-1]} "),
            rule(r"(?P<which>\b(?:[Qq]ualsiasi|[Oo]ttim[ae]|[Bb]uon[ae]|[Pp]erfett[ae]|[Dd]iscret[ae]) )cond\.",
                 lambda m: f"{m['which']}condizion{'i' if m['which'][-2] == 'e' else 'e'}{stop(m)}"),
        )),
        Kind("abbreviation", re.compile(
            r"Gent\.m|[a-z][?!]|macch\.|segg\.|\b[Cc]ons\. |\bDist\. |Amm\.ne|\bamm\.ne|\b[VN]s\. |\bp\. [A-Z]"
            r"|\d aa\b|\bTp\b|\bant\.|\bprob\b|\bL\. ?\d"
            r"|\babit\.|\bag\."
        ), (
            rule(r"(?<![\w.])(?P<g>[Gg])ent\.m(?P<end>[ei])(?!\w)", r"\g<g>entilissim\g<end>"),
            rule(r"(?<=[a-z] )(?P<day>lun|mer|gio|ven|sab|dom)(?=[?!])", lambda m: own.day_names[m["day"]]),
            rule(r"(?<=\bin )macch\.", lambda m: f"macchina{stop(m)}"),
            rule(r"(?:(?<=\be )|(?<=\d ))segg\.", lambda m: f"seguenti{stop(m)}"),
            rule(r"(?<![\w.])(?P<c>[Cc])ons\.(?: di)? Stato", r"\g<c>onsiglio di Stato"),
            rule(r"(?<![\w.])(?P<d>[Dd])ist\.(?= [Ss]aluti)", r"\g<d>istinti"),
            rule(r"(?<![\w.])(?P<a>[Aa])mm\.ne(?!\w)", r"\g<a>mministrazione"),
            rule(r"(?<![\w.])(?P<whose>[VvNn])s\.(?= e-?mail\b)",
                 lambda m: f"{'v' if m['whose'] in 'Vv' else 'n'}ostra"),
            rule(r"(?<=[Ss]aluti, )p\. (?=[A-Z]\. ?[A-Z])", "per "),
            rule(r"(?<![\w.,])(?P<n>\d{1,3}) aa(?![\w.])", lambda m: own.counted(m["n"], ["anno", "anni"])),
            rule(r"(?:\A|(?<=[.;!?] )|(?<=\n))Tp(?=[ :])(?=: | (?:con|domic))", "Terapia"),
            rule(r"(?<=\b[Ii]n )ant\.(?! ?\d)", lambda m: f"anticipo{stop(m)}"),
            rule(r"(?:(?<=[Ss]tesso )|(?<=\bun )|(?<=qualche )|(?<=nessun )|(?<=\bil )|(?<=\bche )"
                 r"|(?<=questo ))prob(?![\w-])\.?",
                 lambda m: f"problema{stop(m) if m[0][-1] == '.' else ''}"),
            # Money of before 2002, and no law.
            rule(r"(?<![\w.])(?:L\.|Lit\.|₤) ?(?P<n>\d{1,3}(?:\.\d{3}){1,4})(?!\w|[.,/]\d)",
                 lambda m: f"{own.spoken(m['n'])} {'di ' if m['n'].endswith('.000.000') else ''}lire"),
            rule(r"(?:(?<=[Cc]ucina )|(?<=[Mm]ansarda )|(?<=[Ss]eminterrato )|(?<=[Ss]offitta ))abit\.",
                 lambda m: f"abitabile{stop(m)}"),
            rule(r"(?:(?<=\bno )|(?<=\bNo )|(?<=astenersi )|(?<=[Ee]scluse ))ag\.", lambda m: f"agenzie{stop(m)}"),
        )),
        Kind("abbreviation", re.compile(
            r"pp?\.?t[oi]\b|punt\.|\b(?:max|min)\b"
            rf"|\b(?i:{'|'.join(re.escape(word) for word in SHORT)})\."
        ), (
            rule(r"(?<![\w.])[Aa]pp(?:\.|unt\.)(?P<end>t[oi])(?!\w)", meeting),
            rule(r"\b(?P<noun>[A-Za-zà-ÿ][a-zà-ÿ]{2,20}) (?P<what>max|min)(?:\.|(?!\w))(?=[ ,;:)]|\s*\Z)", extreme),
            rule(rf"(?<![\w.])(?P<word>(?i:{'|'.join(re.escape(w) for w in sorted(SHORT, key=len, reverse=True))}))"
                 r"(?:\.|(?<=auto)(?!\w))(?! ?\d(?![.\d]* ?(?:€|km)))(?!\w)", short),
            rule(r"(?<![\w.])(?:P\. ?T\.|p\. ?t\.)(?=[,;)]|\s*\Z)",
                 lambda m: "piano terra" + ("." if not text_after(m, 4).strip() else "")
                 if mentions(OFFER, m.string) else None),
        )),
    )  # fmt: skip


def _from(time: str) -> str:
    return f"dall'{time}" if time.startswith("una") else f"dalle {time}"


def _to(time: str) -> str:
    return f"all'{time}" if time.startswith("una") else f"alle {time}"
