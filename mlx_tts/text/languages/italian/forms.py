"""Italian words of crammed paragraphs: cut short in offers, recipes, case notes and reports of matches -> whole."""

from __future__ import annotations

import re

from mlx_tts.text.languages.italian.provinces import province_rule
from mlx_tts.text.normalise.engine import Kind, mentions, one_of, rule, text_before
from mlx_tts.text.normalise.romance import Romance
from mlx_tts.text.normalise.romance_forms import Shared, SharedForms, cut_rule
from mlx_tts.text.normalise.romance_notices import TENNIS

OFFER = re.compile(
    r"(?i)\b(?:vill[ae]|attico|vend[eo]|vendesi|affitt\w+|trilocale|bilocale|bilo|trilo|monolocale|quadrilocale"
    r"|camere|mq|m²"
    r"|cerc[oa]\w*"
    r"|immatr\w*|canone)\b"
)
RECIPE = re.compile(r"(?i)\b(?:pers\.|farina|zucchero|burro|forno|cucch\w*|infornat\w+|cott\w*|soffrigg\w+|uova)(?!\w)")
PATIENT = re.compile(r"\b(?:[Pp]z|[Pp]az)\.|\b(?:PA|FC|TC|BMI|GCS|Hb|PCR|SpO2|ECG|[Pp]aziente)\b|\bmg\b")
MATCH = re.compile(r"\b(?:[Ss]erie [ABC]|gol|campionato|scudetto|punti|pti|[Tt]appa|maglia|classifica)\b|\d-\d \(")
OFFERED = {
    "poltr": "poltrona", "sal": "salone", "park": "parcheggio", "zona univ": "zona universitaria",
    "univ": "università", "bonif": "bonifico",
    "mat": "materasso", "scriv": "scrivania",
    "cuc. abit": "cucina abitabile", "cuc": "cucina", "sp. cond": "spese condominiali", "sp": "spese", "bag": "bagno",
    "s. asc": "senza ascensore", "autom": "automunita", "staz": "stazione", "arred": "arredato",
    "ripost": "ripostiglio",
    "cant": "cantina", "lumin": "luminoso", "ristr": "ristrutturato", "ingr": "ingresso",
    "ammob": "ammobiliato", "imm": "immatricolazione", "abit": "abitabile", "vic": "vicinanze", "disp": "disponibile",
    "trat": "trattabili", "panor": "panoramico", "access": "accessoriata",
    "disimp": "disimpegno", "mans": "mansarda", "post. auto": "posto auto",
}  # fmt: skip
COOKED = {"pizz": "pizzico", "cott": "cottura", "vent": "ventilato", "prezz": "prezzemolo", "spic": "spicchi",
          "bicc": "bicchiere",
          "raff": "raffreddare", "manc": "manciata", "q. b": "quanto basta"}  # fmt: skip
TREATED = {"ric": "ricoverata", "Ematochim": "ematochimici", "neurol": "neurologico", "ctr": "controllo",
           "sopraliv": "sopraslivellamento", "trasf": "trasferimento", "anamnesi neg": "anamnesi negativa",
           "amox": "amoxicillina", "neg": "negativo", "pos": "positivo",
           "s.o": "secondo occorrenza", "torac": "toracico", "ricov": "ricovero",
           "anam": "anamnesi", "diagn": "diagnosi", "esam": "esami", "terap": "terapia",
           "addom": "addominale"}  # fmt: skip
WEEKDAYS = {"lun": "lunedì", "mar": "martedì", "mer": "mercoledì", "gio": "giovedì", "ven": "venerdì",
            "sab": "sabato", "dom": "domenica"}  # fmt: skip
OPEN = re.compile(
    r"(?i)\b(?:orari\w*|apert\w+|chius\w+|sportello|call|riunione|appuntamento|(?:lun|mar|mer|gio|ven"
    r"|sab|dom|w\.e)\.)(?!\w)"
)
EVERYWHERE = {
    "riun": "riunione",
    "Pross": "prossima",
    "pross": "prossima",
    "Suppl": "supplemento",
    "suppl": "supplemento",
    "orario cont": "orario continuato",
    "abb": "abbonamento",
    "piscina com": "piscina comunale",
    "dati pers": "dati personali",
    "Citof": "citofono",
    "citof": "citofono",
    "ingr. lib": "ingresso libero",
    "compr": "compreso",
    "Corte giust": "Corte di giustizia",
    "rate mens": "rate mensili",
    "rata mens": "rata mensile",
    "poss": "possibile",
    "pubbl": "pubblicato",
    "G.U": "Gazzetta Ufficiale",
    "G. U": "Gazzetta Ufficiale",
}
SHARED = Shared(
    see="vedi", molar="molare", reign="regno", months="mese|mesi", from_to=("dal", "al"),
    electronvolt="elettronvolt|elettronvolt",
    prefixes={"k": "chilo", "M": "mega", "G": "giga", "T": "tera"},
    dated=r"(?<=[Ss]tacco )|(?<=[Pp]agamento )|(?<=[Ss]cadenza )",
    stars="stelle", either_of="o",
    elements={"C": "carbonio", "U": "uranio", "K": "potassio", "Cs": "cesio", "I": "iodio", "Sr": "stronzio",
              "Pb": "piombo"},
    finals={"2": "semifinale", "4": "quarti di finale", "8": "ottavi di finale", "16": "sedicesimi di finale"},
    quarter="trimestre", half_year="semestre", of_year=" ",
    before_period=r"(?<=\bnel )|(?<=\bdel )|(?<=\bal )|(?<=\bil )|(?<=\bsul )|(?<=\bdal )",
    ranked="millennio|trimestre|quadrimestre|semestre|congresso|convegno|torneo|festival|rapporto|reparto|battaglione",
    ranked_women=r"edizione|giornata|conferenza|commissione|legislatura|dinastia|crociata|armata|divisione|repubblica"
                 r"|Rep\.|Repubblica",
    squared="quadrato", cubed="cubo", under="su", ten_to="per dieci elevato a", cubic="per millimetro cubo",
    results=("vittoria|vittorie", "pareggio|pareggi", "sconfitta|sconfitte"), letters=(r"[vV]", r"[nN]", r"[pPsS]"),
    dialled=r"[Tt]el|[Cc]ell|[Tt]elefono|[Cc]ellulare|WhatsApp|al", groups=r"(\d{3})(\d{3})(\d{3,5})",
    offices={"min": ("ministro", "ministra"), "pres": ("presidente", "presidente"), "sen": ("senatore", "senatrice"),
             "gen": ("generale", "generale"), "cons": ("consigliere", "consigliera"),
             "ass": ("assessore", "assessora"), "gov": ("governatore", "governatrice")},
    of_men=r"(?<=\b[Ii]l )|(?<=\b[Dd]el )|(?<=\b[Aa]l )|(?<=\b[Dd]al )", of_women=r"(?<=\b[Ll]a )|(?<=lla )",
    years=("anno", "anni"),
    stay=("giorno|giorni", "notte|notti"), barrel="barile", folio=("foglio", "recto", "verso"),
    manuscript="manoscritto", each_quarter=(r"\bogni", "ogni quarto d'ora"), between_prices="per",
    cut={"Rep.": "Repubblica"}, aged=r"(?:sotto|sopra|oltre) i|(?:fino|minori|maggiori|bambini|bimbi|età) (?:a|di|da)",
    base_units={"K": "kelvin|kelvin", "N": "newton|newton", "Pa": "pascal|pascal", "mol": "mole|moli",
                "C": "coulomb|coulomb",
                "T": "tesla|tesla", "mmol": "millimole|millimoli", "kPa": "chilopascal|chilopascal"},
)  # fmt: skip


def form_kinds(own: Romance) -> tuple[Kind, ...]:
    """own: the words of the language."""

    stop = own.sentence_stop

    def war(match: re.Match[str]) -> str:
        joint = "" if match["joint"] in "-–" else f" {match['joint'].strip()} "
        return f"{own.cardinal(int(match['a']))}{joint or '-'}{own.cardinal(int(match['b']))}"

    def opened(match: re.Match[str]) -> str | None:
        """ "12-13.45 e 17-20", "garantita 6-9 e 18-20": hours, where minutes, days or the second span tell it."""
        spans = [(match["a"], match["x"], match["b"], match["y"])]
        spans += [(match["c"], match["z"], match["d"], match["w"])] if match["c"] else []
        timed = any(span[1] or span[3] for span in spans)
        known = timed and mentions(OPEN, match.string)
        known = known or re.search(r"(?:garantit|apert|chius)[aeio] \Z", text_before(match, 12)) is not None
        if not known or any(int(a) * 60 + int(x or 0) >= int(b) * 60 + int(y or 0) for a, x, b, y in spans):
            return None
        return " e ".join(
            f"da{_at(own.time(int(a), int(x or 0), None, match))} a{_at(own.time(int(b), int(y or 0), None, match))}"
            for a, x, b, y in spans
        )

    def hours(match: re.Match[str]) -> str | None:
        """ "il sabato (8-13)"."""
        first, last = (own.time(int(match[name]), 0, None, match) for name in "ab")
        if int(match["a"]) >= int(match["b"]):
            return None
        return f"{match['day']} (da{_at(first)} a{_at(last)})"

    def two_days(match: re.Match[str]) -> str | None:
        """ "il 3-4 ott."."""
        first, last = int(match["a"]), int(match["b"])
        if last != first + 1:
            return None
        said = own.said_date(last, own.month_numbers[match["m"]], match["y"], "")
        return f"{match['the']} {'primo' if first == 1 else own.cardinal(first)} e {said}{stop(match)}"

    return (
        *SharedForms(own, SHARED).kinds(),
        Kind("address", re.compile(r" \([A-Z]{2}\)"), (province_rule(),)),
        Kind("number", re.compile(
            r"[oae]l? ?i?l? \d{1,2}/20|\bmq|\d[-–]\d|\d aa e|\d[°º] g\.|\d p\.|/(?:bis|ter|quater)|\bag\.|h ?24"
            r"|['’]\d\d[-–]['’]|\d cam\.|\d sp\.|\d\.[0-5]\d|/24"
        ), (
            rule(r"\b(?P<w>[Ff]ino a|[Dd]a|[Dd]e|[Ee]ntro )(?:l|il) (?P<m>0?[1-9]|1[0-2])/(?P<y>20\d\d)(?![\w/]"
                 r"|[.,]\d)",
                 lambda m:
                 f"{m['w'].strip().replace('de', 'di').replace('De', 'Di')} {own.month_names[int(m['m']) - 1]} "
                 f"{own.year(int(m['y']))}"),
            rule(r"(?<![\w.,:/-])(?P<a>1?\d|2[0-4])(?:\.(?P<x>[0-5][05]))?[-–](?P<b>1?\d|2[0-4])(?:\.(?P<y>[0-5][05]))?"
                 r"(?: e (?P<c>1?\d|2[0-4])(?:\.(?P<z>[0-5][05]))?[-–](?P<d>1?\d|2[0-4])(?:\.(?P<w>[0-5][05]))?)?"
                 r"(?![\w%€/]|[.,:]\d| ?(?:€|%|euro|punti|k?m\b|k?g\b|metri|milion|miliard|gradi|°))", opened),
            rule(rf"(?<!\w)(?P<day>{'|'.join(WEEKDAYS)})\.? (?P<h>1?\d|2[0-4])\.(?P<m>[0-5]\d)"
                 r"(?![\w%€]|[.,:]\d|[-–]\d| ?€)",
                 lambda m: f"{WEEKDAYS[m['day']]} {own.time(int(m['h']), int(m['m']), None, m)}"),
            rule(r"(?P<day>\b(?:luned|marted|mercoled|gioved|venerd)ì|\b(?:sabato|domenica)) \((?P<a>1?\d|2[0-4])[-–]"
                 r"(?P<b>1?\d|2[0-4])\)", hours),
            rule(r"(?<![\w.])[Mm]q\.? (?P<n>\d{1,4}(?:,\d{1,2})?|\d{1,3}\.\d{3})(?![\w/-]|[.,]\d)",
                 lambda m: own.counted(m["n"], own.unit_names["mq"].split("|"))),
            rule(r"\b(?P<the>[Ii]l|[Dd]el|[Nn]ei giorni|[Ii]) (?P<a>\d{1,2})[-–](?P<b>\d{1,2}) (?P<m>"
                 rf"{one_of(own.month_numbers)})(?:\.|(?!\w))(?: (?P<y>20\d\d|1\d{{3}}))?(?![\w-])", two_days),
            rule(r"(?<![\w.,])(?P<n>\d{1,2}) aa e (?P<m>\d{1,2}) mm\b\.?", lambda m:
                 f"{own.counted(m['n'], ['anno', 'anni'])} e {own.counted(m['m'], ['mese', 'mesi'])}{stop(m)}"),
            rule(r"(?<![\w.,])(?P<n>[1-9]\d?)[°º] g\.(?= \d|[,;:)]| di )",
                 lambda m: f"{own.ordinal(int(m['n']))} giorno"),
            rule(r"(?<![\w.,])(?P<n>[2-9]) p\.(?=[,; ])", lambda m: f"{own.cardinal(int(m['n']))} posti"
                 if re.search(r"\b(?:divan\w|sofà|auto)[^.\d]{0,16}\Z", text_before(m, 24)) else None),
            rule(r"(?<![\w.,/])(?P<n>\d{1,4})/(?P<again>bis|ter|quater)(?!\w)",
                 lambda m: f"{own.cardinal(int(m['n']))} {m['again']}"),
            rule(r"(?<=\d )ag\.(?= \d{4}|[,;)]| (?:alle|ore))", "agosto"),
            rule(r"(?<=[,;] )h ?24(?!\w)", "acca ventiquattro"),
            rule(r"(?<![\w.])['’](?P<a>\d\d)(?P<joint>[-–])['’](?P<b>\d\d)(?!\w)", war),
            rule(r"(?<![\w.,])(?P<n>[1-9]) cam\.",
                 lambda m: own.counted(m["n"], ["camera", "camere"]) + stop(m)),
            rule(r"(?<![\w.,])(?P<n>[1-9]) sp\.(?= d['’]?i? ?agli)",
                 lambda m: own.counted(m["n"], ["spicchio", "spicchi"])),
            rule(r"(?P<word>\b(?:[Vv]erso|[Dd]opo|[Pp]rima del|[Ee]ntro) ?le )(?P<a>1?\d"
                 r"|2[0-4])(?:\.(?P<x>[0-5]\d))?[-–]"
                 r"(?P<b>1?\d|2[0-4])(?:\.(?P<y>[0-5]\d))?(?![\w%€]|[.,:]\d)",
                 lambda m: f"{m['word']}{own.time(int(m['a']), int(m['x'] or 0), None, m)}, "
                 f"{own.time(int(m['b']), int(m['y'] or 0), None, m)}"),
            rule(r"(?<![\w.,])(?P<n>\d{1,3}(?:,\d)?) ?(?P<unit>g|mg|ml)/24 ?h(?!\w)",
                 lambda m: f"{own.counted(m['n'], own.unit_names[m['unit']].split('|'))} ogni ventiquattro ore"),
        )),
        Kind("abbreviation", re.compile(
            r"\bporta 1|\bpls\b|\bvs\b|\d[ie] [a-z]|\d°|€|\bsl\b|eventi/|\bc/ |vv/|p/[ya]\b|\bvs le|\ble h|\bAA\b"
            r"|\bx |\bsab |Snapdragon|\biniz |[a-zA-Zà-ÿ]\."
        ), (
            rule(r"(?:(?<=\d[-–]\d )|(?<=\d )|(?<=\())p\.t\.(?=[,;:)])",
                 lambda m: "primo tempo" if mentions(MATCH, m.string) else None),
            rule(r"(?<![\w.,])(?P<n>\d{1,3})[°º] s\.t\.",
                 lambda m: f"{own.ordinal(int(m['n']))} stesso tempo{stop(m)}"),
            rule(r"(?<![\w.])(?P<p>[Pp])ag\.(?= (?:contanti|bonif|PayPal|anticip|alla consegna|solo))",
                 r"\g<p>agamento"),
            rule(r"(?<=\ba )disp\.", lambda m: f"disposizione{stop(m)}"),
            rule(r"(?<![\w.])(?P<r>[Rr])(?P<what>ep|acc)\.(?= n\. ?\d)",
                 lambda m: f"{m['r']}{'epertorio' if m['what'] == 'ep' else 'accolta'}"),
            rule(r"(?<![\w.])sat\.(?= ?:? ?\d{2,3} ?%)", "saturazione"),
            rule(r"(?<![\w.])P\. ?IVA(?P<gap>:? )(?P<n>\d{11})(?!\w)",
                 lambda m: f"partita IVA{m['gap']}{own.digits(m['n'])}"),
            rule(r"(?<![\w.])P\. ?IVA(?!\w)", "partita IVA"),
            rule(r"(?:\A|(?<=[.!?] ))Ca\.(?= \d)", "Circa"),
            rule(r"(?<=\b[Ii]l )iniz(?= )|(?<=film )iniz(?= )", "inizia"),
            rule(r"(?:(?<=m di )|(?<=metri di ))prof\.", lambda m: f"profondità{stop(m)}"),
            rule(r"(?<![\w.])(?P<p>[Pp])rot\. ?[Cc]iv(?:ile|\.)", r"\g<p>rotezione Civile"),
            rule(r"(?<=[Ss]tudio )[Ll]eg\.", "legale"),
            rule(r"(?<![\w.])Pal\.(?= [A-Z\d](?!\w|\.\w))", "palazzina"),
            rule(r"(?<![\w.])(?P<w>[NnVv])s\.(?= (?:errore|ordine|cliente|favore|fornitore|conto)\b)",
                 lambda m: f"{m['w'].lower()}ostro"),
            rule(r"(?:(?<=gg )|(?<=gg\. )|(?<=giorni ))f\.m\.", lambda m: f"fine mese{stop(m)}"),
            rule(r"(?:(?<=\bal )|(?<=\bcon )|(?<=\bil )|(?<=tramite ))bon\.", lambda m: f"bonifico{stop(m)}"),
            rule(r"(?<![\w.])amm\.vo(?!\w)", "amministrativo"),
            rule(r"(?<=\d )p/[ya](?!\w)", lambda m: "pacchetti all'anno" if mentions(PATIENT, m.string) else None),
            rule(r"(?<![\w.])vs(?= le \d)", "verso"),
            rule(r"(?<=\ble )h\.? (?P<h>1?\d|2[0-4])[.,:](?P<m>[0-5]\d)(?!\w|[.,]\d)",
                 lambda m: f"ore {own.time(int(m['h']), int(m['m']), None, m)}"),
            rule(r"(?:(?<=\b[Aa] )|(?<=[a-zà-ÿ] ))(?P<n>[12]\d\d)[°º](?= (?:ventilat|static|in forno|preriscald"
                 r"|in modalità))",
                 lambda m: f"{own.cardinal(int(m['n']))} gradi"),
            rule(r"(?P<word>(?:freddo|caldo|fuori|gelo|temperatura|siamo a|fa)[^.\d()]{0,8}\()(?P<n>-?\d{1,2})°(?=\))",
                 lambda m: m["word"] + ("meno " if m["n"][0] == "-" else "")
                 + f"{own.cardinal(int(m['n'].lstrip('-')))} gradi"),
            rule(r"(?:(?<=\d )|(?<=0 m )|(?<=nei \d{4} ))sl(?=[,. ;)])", "stile libero"),
            rule(r"(?<=di )pen\.(?=[);,])", "penalità"),
            rule(r"\b(?P<noun>eventi|casi|contagi|visite|accessi|passi|ore)/g(?!\w)", r"\g<noun> al giorno"),
            rule(r"(?<![\w.])(?P<a>[Aa])gg\.(?= (?:planning|calendario|sito|listino|documenti|dati))",
                 r"\g<a>ggiornamento"),
            rule(r"(?<=ischemico )sin\.|(?<=emorragico )sin\.", lambda m: f"sinistro{stop(m)}"),
            rule(r"(?<![\w.,])(?P<n>[1-9]) vv/sett(?:\.(?=[,;)])|(?!\w)\.?)",
                 lambda m: f"{own.repeated(int(m['n']))} alla settimana"),
            rule(r"(?<![\w.])C\. ?[Aa]pp\.(?= [A-ZÀ-Þ])", "Corte d'appello"),
            rule(r"(?<![\w.])R\.G\. ?(?P<a>\d{1,6})/(?P<b>\d\d)(?![\w/])", lambda m:
                 f"R G {own.cardinal(int(m['a']))} {own.web['/']} {own.cardinal(int(m['b']))}"),
            rule(r"(?<![\w.])(?P<v>[Vv])\.(?= (?:in tal senso|in senso|in proposito|ad es))", r"\g<v>edi"),
            rule(r"(?<=[IVX], )c\. (?=\d)", "colonna "),
            rule(r"(?<![\w.])park\.(?= (?:gratuit|intern|privat|copert))", "parcheggio"),
            rule(r"(?<=\be )pag\.(?= il \d)", "pagamento"),
            rule(r"(?P<price>€ ?(?P<n>\d{1,3}(?:\.\d{3})*(?:,\d\d)?)) p\.p\.", lambda m:
                 f"{own.price(m['n'], '€')} a persona{stop(m)}"),
            rule(r"(?<![\w.])(?P<p>[Pp])art\.(?= [A-ZÀ-Þ][a-zà-ÿ]+[),])", r"\g<p>artenza"),
            rule(r"(?<![\w.])ass\.(?= (?:annull|medic|viaggio|auto))", "assicurazione"),
            rule(r"(?<=\bass\. )annull\.", lambda m: f"annullamento{stop(m)}"),
            rule(r"(?<![\w./])c/ (?=[a-zà-ÿ]{3})", "con "),
            rule(r"(?<![\w.])(?P<c>[Cc])l\. ?en\.(?= [A-G]\b)", r"\g<c>lasse energetica"),
            rule(r"€ ?(?P<n>\d{1,4})/m\b\.?(?!q)", lambda m: f"{own.price(m['n'], '€')} al mese{stop(m)}"
                 if mentions(OFFER, m.string) else None),
            rule(r"(?<![\w.])provv\.(?= \d{1,2}(?:,\d)? ?%)", "provvigione"),
            rule(r"(?<=[a-z%\d] )vs\.?(?= \d)", "contro"),
            rule(r"(?<![\w.])l\.(?= n\. ?\d)", "legge"),
            rule(r"(?<![\w.,])(?P<n>[1-9]\d?)(?P<end>[ie])(?= (?:nel|in|a|al|alla|con|dietro|classificat))",
                 lambda m: f"{own.ordinal(int(m['n']))[:-1]}{m['end']}"),
            rule(r"(?<=\b[Ii]l )n\.(?= di [a-z])|(?<=\bun )n\.(?= di [a-z])", "numero"),
            # Somebody is to bring it: elsewhere "porta 1" is a door.
            rule(r"(?<=\bporta )1(?= (?:bottiglia|torta|birra|pizza|coperta|felpa|sedia|tenda|palla|chitarra))", "una"),
            rule(r"(?<=[a-zà-ÿ] )pls(?=,|\s*\Z)", "per favore"),
            rule(r"(?<![\w.])p\.to(?= \d)", "punto"),
            rule(r"(?<=\bin )AA(?!\w)", lambda m: "aria ambiente" if mentions(PATIENT, m.string) else None),
            rule(r"(?<![\w.])Reg\.(?= \(?(?:UE|CE|CEE)\b)", "Regolamento"),
            rule(r"(?:(?<=[°a-z] )|(?<=°C ))x (?=\d{1,3} ?(?:min\b|minuti|['’′]|ore\b))", "per "),
            rule(r"(?<=\) )b\. (?=[A-ZÀ-Þ][a-z])", lambda m: "batte " if mentions(TENNIS, m.string) else None),
            rule(r"(?<![\w.])(?P<e>[Ee])sp\.(?= al \d|:? [A-ZÀ-Þ])",
                 lambda m: f"{m['e']}spulso" if mentions(MATCH, m.string) else None),
            rule(r"(?<![\w.])sab(?= (?:pome|sera|mattina|pom))", "sabato"),
            rule(r"(?<=\bsab )pome(?!\w)", "pomeriggio"),
            rule(r"(?<![\w.])lib\.(?= (?:dal|da|subito)\b)", "libero"),
            rule(r"(?<![\w.])(?P<o>[Oo])tt\.(?= (?:stato|cond))", lambda m: f"{m['o']}ttimo"),
            rule(r"(?:(?<=\bx )|(?<=\bper ))app\.(?= \d)", "appartamento"),
            rule(r"(?<=[a-z] )x (?=app\.)", "per "),
            rule(r"(?<![\w.])(?P<a>[Aa])gg\.(?= (?:ad?|di) (?:Android|iOS|Windows|sistema|firmware))",
                 r"\g<a>ggiornamento"),
            rule(r"(?<=Snapdragon )(?P<a>\d) Gen (?P<b>\d)(?!\w)",
                 lambda m: f"{own.cardinal(int(m['a']))} Gen {own.cardinal(int(m['b']))}"),
            cut_rule(own, EVERYWHERE),
            cut_rule(own, OFFERED, OFFER),
            cut_rule(own, COOKED, RECIPE),
            cut_rule(own, TREATED, PATIENT),
        )),
    )  # fmt: skip


def _at(time: str) -> str:
    return f"ll'{time}" if time.startswith("una") else f"lle {time}"
