"""French words of crammed paragraphs: cut short in offers, recipes, case notes and reports of matches -> whole."""

from __future__ import annotations

import re

from mlx_tts.text.normalise.engine import Kind, mentions, rule
from mlx_tts.text.normalise.romance import Romance
from mlx_tts.text.normalise.romance_forms import Shared, SharedForms, cut_rule
from mlx_tts.text.normalise.romance_notices import zone_rule
from mlx_tts.text.roman import value

OFFER = re.compile(
    r"(?i)\b(?:canapé|à déb|TBE|à retirer|loue\w*|à louer|vends|vds|à vendre|appts?|appart\w*|[tf][1-6]|studio|maison"
    r"|cherche|loyer|meublé\w*)\b"
    r"|m²"
)
RECIPE = re.compile(
    r"(?i)\b(?:pers\.|farine|sucre|beurre|four|thermostat|c\. à|càs|càc|enfourn\w+|cuiss\w*|recette)(?!\w)"
)
PATIENT = re.compile(
    r"\b(?:AVC|NIHSS|kiné)\b|"
    r"\b(?:[Pp]atiente?|ATCD|FR|[Pp]te?|TA|FC|IMC|GCS|Hb|CRP|NFS|ATCD|[Tt]tt|SpO2"
    r"|[Oo]rdonnance)\b"
    r"|\bmg\b"
)
MATCH = re.compile(
    r"\b(?:L1|L2|Ligue|buts?|match\w*|championnat|Top 14|pts|points|[Ee]tape|[Éé]tape|Tour|finale|maillot)\b|\d-\d \("
)
ARTICLES = re.compile(r"\b[Aa]rt(?:icle)?s?\b")
WAR = re.compile(r"(?i)\b(?:guerre|armistice|poilus?|tranchées|front|combattants|occupation|résistance|résistants)\b")
OFFERED = {
    "opt": "options", "ass": "assorti", "esp": "espèces", "vir": "virement", "av. asc": "avec ascenseur",
    "sép": "séparés", "chauf": "chauffage", "cces": "commerces", "transp": "transports",
    "dép. gar": "dépôt de garantie",
    "distrib": "distribution", "enf": "enfants", "sér": "sérieuse", "exig": "exigées",
    "réf. exig": "références exigées",
    "ref. exig": "références exigées", "élec": "électrique", "gaz ind": "gaz individuel", "parq": "parquet",
    "lum": "lumineux", "calme et ens": "calme et ensoleillé", "park": "parking",
    "tt conf": "tout confort", "cuis. éq": "cuisine équipée", "rénov": "rénové",
    "refait nf": "refait neuf", "dressg": "dressing", "disp": "disponible", "dispo": "disponible",
    "imméd": "immédiate", "prox": "proximité",
}  # fmt: skip
COOKED = {"bouq": "bouquet", "cuiss": "cuisson", "pinc": "pincée", "sach": "sachet",
          "ingr": "ingrédients", "vanil": "vanillé", }  # fmt: skip
TREATED = {"ex. clin": "examen clinique", "amox": "amoxicilline", "poso": "posologie",
           "hospit": "hospitalisation", "cardio": "cardiologie",
           "antéc": "antécédents", "diag": "diagnostic", "exam": "examen", "bilat": "bilatéral", "inj": "injection",
           "cpr": "comprimé", "gél": "gélule", "abdo": "abdominal", "thor": "thoracique"}  # fmt: skip
EVERYWHERE = {
    "évts": "événements",
    "Proch": "prochain",
    "Obj": "objectif",
    "obj": "objectif",
    "Supp": "supplément",
    "supp": "supplément",
    "muni": "municipale",
    "w.-e": "week-end",
    "réd": "réduit",
    "données pers": "données personnelles",
    "règl": "règlement",
    "éch": "échéance",
    "préf": "préfecture",
    "g.a": "glissement annuel",
    "s.s.p": "sous seing privé",
    "parts soc": "parts sociales",
    "cap. soc": "capital social",
}
SHARED = Shared(
    see="voir", molar="molaire", reign="règne", months="mois|mois", from_to=("du", "au"),
    electronvolt="électronvolt|électronvolts",
    prefixes={"k": "kilo", "M": "méga", "G": "giga", "T": "téra"},
    dated=r"(?<=ex-date )|(?<=[Pp]aiement )|(?<=[Vv]ersement )|(?<=[Dd]étachement )|(?<=[Éé]chéance )",
    stars="étoiles", either_of="",
    elements={"C": "carbone", "U": "uranium", "K": "potassium", "Cs": "césium", "I": "iode", "Sr": "strontium",
              "Pb": "plomb"},
    finals={"2": "demi-finale", "4": "quart de finale", "8": "huitième de finale", "16": "seizième de finale"},
    quarter="trimestre", half_year="semestre", of_year=" ",
    before_period=r"(?<=\bau )|(?<=\bdu )|(?<=\ble )|(?<=\bce )|(?<=\ben )|(?<=\bCA )|(?<=\bsur )|(?<=\bfin )",
    ranked=r"(?!)",
    squared="carré", cubed="cube", ten_to="fois dix puissance", cubic="par millimètre cube",
    results=("victoire|victoires", "nul|nuls", "défaite|défaites"), letters=(r"[vV]", r"[nN]", r"[dD]"),
    dialled=r"[Tt]él|[Pp]ort|[Tt]éléphone|au|WhatsApp", groups=r"(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)",
    offices={"min": ("ministre", "ministre"), "prés": ("président", "présidente"), "sén": ("sénateur", "sénatrice"),
             "dép": ("député", "députée"), "gouv": ("gouverneur", "gouverneure")},
    of_men=r"(?<=\b[Ll]e )|(?<=\b[Dd]u )|(?<=\b[Aa]u )", of_women=r"(?<=\b[Ll]a )", years=("an", "ans"),
    stay=("jour|jours", "nuit|nuits"), barrel="baril", folio=("folio", "recto", "verso"), manuscript="manuscrit",
    each_quarter=(r"\b[Tt](?:ou)?s les", "tous les quarts d'heure"), between_prices="fois",
    aged=r"(?:moins|plus|âgée?s?|partir|jusqu['’]à|enfants?|bébé|fille|garçon) (?:de )?|-",
    base_units={"N": "newton|newtons", "Pa": "pascal|pascals", "mol": "mole|moles", "C": "coulomb|coulombs",
                "T": "tesla|teslas", "mmol": "millimole|millimoles", "kPa": "kilopascal|kilopascals"},
)  # fmt: skip


def form_kinds(own: Romance) -> tuple[Kind, ...]:
    """own: the words of the language."""

    stop = own.sentence_stop

    def war(match: re.Match[str]) -> str | None:
        if not mentions(WAR, match.string):
            return None
        return f"{own.cardinal(int(match['a']))} {own.cardinal(int(match['b']))}"

    def month_of(match: re.Match[str]) -> str:
        """ "BIOS F12 du 03/2024"."""
        name = own.month_names[int(match["m"]) - 1]
        return f"{own.of_unit(name)} {own.year(int(match['y']))}"

    return (
        *SharedForms(own, SHARED).kinds(),
        Kind("time", re.compile(r"(?:UTC|GMT) ?[-+−–]\d"), (zone_rule(own, "et"),)),
        Kind("number", re.compile(
            r"14-18|39-45|J ?\d|\d rbd|\d pds|\d-\d|mens\.|ord\.|\d[er]r? j\.|pens\.|\d pl\.|\d ptes|an\. \d"
            r"|[Tt]h\.\d|[Cc]h\. ?[IVX]|\dre MT|\de j\.|\de? m\.t\."
        ), (
            rule(r"(?<![\w.,/-])(?P<a>14|39|40)[-–](?P<b>18|45|44)(?![\w/-]|[.,]\d| ?(?:ans|€|%|h\b))", war),
            rule(r"(?<![\w.,])(?P<n>[35]) (?:ptes|p)\b\.?(?=[, ]*(?:an|mod|\d{4}|es|dies|clim|\d{2,3} ?\d{3}|CT))",
                 lambda m: f"{own.cardinal(int(m['n']))} portes"),
            rule(r"(?<![\w.])(?P<a>[Aa])n\. (?=(?:19|20)\d\d)", r"\g<a>nnée "),
            rule(r"(?<![\w.])(?P<t>[Tt])h\.(?P<n>\d{1,2})(?![\w/-]|[.,]\d)",
                 lambda m: f"{m['t']}hermostat {own.cardinal(int(m['n']))}"),
            rule(r"(?<![\w.])(?P<c>[Cc])h\. ?(?P<n>(?=[IVX])X{0,3}(?:IX|IV|V?I{0,3}))(?![\w'’-])",
                 lambda m: f"{m['c']}hapitre {own.cardinal(value(m['n']))}"),
            rule(r"(?<=\()J ?(?P<n>\d{1,2})(?=\))", lambda m: f"journée {own.cardinal(int(m['n']))}"
                 if mentions(MATCH, m.string) else None),
            rule(r"(?<![\w.,])(?P<n>\d{1,2}) (?P<what>rbds?|pds?)(?!\w)\.?",
                 lambda m: own.counted(m["n"], ["rebond", "rebonds"] if m["what"][0] == "r"
                                       else ["passe décisive", "passes décisives"]) + stop(m)
                 if mentions(MATCH, m.string) else None),
            rule(r"(?:(?<=\bet )|(?<=, ))(?P<a>\d{3,4})-(?P<b>\d{1,2})(?= et s\.| C\. | du [Cc]ode|,| et \d)",
                 lambda m: f"{own.cardinal(int(m['a']))} tiret {own.cardinal(int(m['b']))}"
                 if mentions(ARTICLES, m.string) else None),
            rule(r"(?<=\d )et s\.(?= (?:du [Cc]|C\. ))",
                 lambda m: "et suivants" if mentions(ARTICLES, m.string) else None),
            rule(r"(?<=\d )mens\.", lambda m: f"mensualités{stop(m)}"),
            rule(r"(?:(?<=\b[Ll]['’])|(?<=\b[Dd]['’]))ord\.(?= (?:n°|du|\d))", "ordonnance"),
            rule(r"(?<=\b1er )j\.|(?<=\d[eᵉ] )j\.(?= \d| de (?:marche|rando|traitement|trek))",
                 lambda m: f"jour{stop(m)}"),
            rule(r"(?<![\w.])(?:½|1/2) ?-?pens\.", lambda m: f"demi-pension{stop(m)}"),
            rule(r"(?<![\w.,])(?P<n>\d{1,3}) pl\.(?=[ ,;)])(?! d(?:e|u|es|\'|’) ?[A-ZÀ-Þla])",
                 lambda m: own.counted(m["n"], ["place", "places"])),
            rule(r"(?<=\dre )MT(?!\w)|(?<=\de )MT(?!\w)", "mi-temps"),
            rule(r"(?<=\de )j\.(?= ?:| \(|[,;)]| de )", lambda m: "journée" if mentions(MATCH, m.string) else None),
            rule(r"(?<=\de )m\. ?t\.", lambda m: f"même temps{stop(m)}"),
        )),
        Kind("abbreviation", re.compile(
            r"\bnb\b|e ét\b|n° ?\d|et [LRDA]\. ?\d|évts/|\dj/7|\d j/7|\bIV\b|dble\b|du \d{1,2}/\d{4}|s/sol"
            r"|[Bb][àa]v|\bg [a-z]|-Pce\b|\bc/|\b[nv]s |\bvirt\b|\bpt \d|\b[HF], \d|\bT [a-z]|\de sp|\bM[Aà]J\b"
            r"|\bj\. ?fér|\bdble\b|[Àà] part\.|\bpr \w|\b[Pp]ds \d|\bpls \d|\bste\b|\bkms\b|\b(?:lun|ven|sam|dim) "
            r"|\btte\b|\bqs\b|\bcces\b|[a-zà-ÿ]\."
        ), (
            rule(r"(?<![\w.])(?P<j>[Jj])(?:rs)?\. ?fér\.", lambda m: f"{m['j']}ours fériés{stop(m)}"),
            rule(r"(?:(?<=[Ss]éj\. )|(?<=[Ss]éjour )|(?<=[Ss]alon )|(?<=lit )|(?<=vitrage ))(?:dble|dbl|db)\b\.?",
                 lambda m: "double" + (stop(m) if m[0][-1] == "." else "")),
            rule(r"(?<![\w.])(?P<p>[Pp])art\. à part\.", lambda m: f"{m['p']}articulier à particulier{stop(m)}"),
            rule(r"(?<=articulier à )part\.", lambda m: f"particulier{stop(m)}"),
            rule(r"(?<=[a-zéû.] )pr(?= (?:garde|ménage|travail|repassage|étudiant|le|la|les|un|une|mon|ton|ce|demain"
                 r"|ce soir|moi|toi|nous|vous|hier|l['’]|faire)\b)", "pour"),
            rule(r"(?<![\w.])(?P<p>[Pp])ds(?= ?:? ?\d)",
                 lambda m: f"{m['p']}oids" if mentions(PATIENT, m.string) else None),
            rule(r"(?<![\w.])pls(?= ?:? ?\d)", lambda m: "pouls" if mentions(PATIENT, m.string) else None),
            rule(r"(?<![\w.])(?P<day>lun|ven|sam|dim)(?= (?:vers|après|avant|dès|aprèm|en 8)\b)",
                 lambda m: own.day_names.get(f"{m['day']}.", own.day_names.get(m["day"], m["day"]))),
            rule(r"(?<=\bà )tte(?=\s*\Z|[ ,.!])", "toute"),
            rule(r"(?<=\bde )ste(?= |[,.;]|\s*\Z)", lambda m: "suite" if mentions(OFFER, m.string) else None),
            rule(r"(?<![\w.])[Cc]uis\. US(?!\w)", "cuisine américaine"),
            rule(r"(?<![\w.])cces(?![\w.])", lambda m: "commerces" if mentions(OFFER, m.string) else None),
            rule(r"(?<![\w.])qs(?= (?:de |d['’]|pour ))|(?<= )q\.s\.", "quantité suffisante"),
            rule(r"(?<![\w.,])(?P<n>[4-7]) ?j/7(?!\w)", lambda m: f"{own.cardinal(int(m['n']))} jours sur sept"),
            rule(r"(?<![\w.,])(?P<n>[1-9]\d?|10\d) a\.(?=[,;)])", lambda m: own.counted(m["n"], ["an", "ans"])
                 if mentions(PATIENT, m.string) else None),
            rule(r"\b(?P<noun>[A-Za-zà-ÿ]{2,20}) IV(?=[ ,.;)])",
                 lambda m: f"{m['noun']} intraveineuse" if mentions(PATIENT, m.string) else None),
            rule(r"(?<=\d )évts/j(?!\w)", "événements par jour"),
            rule(r"(?<=sylvien )(?P<s>[GD])(?!\w)", lambda m: "gauche" if m["s"] == "G" else "droit"),
            rule(r"(?<=[Cc]hambre )dble(?!\w)", "double"),
            rule(r"(?<![\w.])ch\. dble(?![\w.])", "chambre double"),
            rule(r"(?<![\w.])(?P<d>[Dd])ép\.(?= [A-ZÀ-Þ][a-zà-ÿ]+[),])", r"\g<d>épart"),
            rule(r"(?<![\w.])ass\.(?= (?:multirisque|annulation|habitation|auto|maladie|rapatriement))", "assurance"),
            rule(r"(?<=\b[Aa] )p\.(?= (?:du|de) )|(?<=\bà )p\.(?= (?:du|de) )", "partir"),
            rule(r"\bdu (?P<m>0?[1-9]|1[0-2])/(?P<y>(?:19|20)\d\d)(?![\w/]|[.,]\d)", month_of),
            rule(r"(?<![\w/])s/sol(?!\w)", "sous-sol"),
            rule(r"(?<![\w.,])(?P<n>\d{1,2}) voit\.", lambda m: own.counted(m["n"], ["voiture", "voitures"]) + stop(m)),
            rule(r"(?<=% )ch\. acq\.", lambda m: f"à la charge de l'acquéreur{stop(m)}"),
            rule(r"(?:\A|(?<=[.!?] ))(?P<b>[Bb])[àa]v(?=[ ,.!]|\s*\Z)", lambda m: "Bien à vous"),
            rule(r"(?<= )g (?=(?:attends|arrive|pense|crois|veux|suis|vais|dois|reste|rentre|passe|pars|sais|mange"
                 r"|dors)\b)",
                 "j'"),
            rule(r"(?<=s de )pén\.", "pénalité"),
            rule(r"(?<![\w.])Voy\.(?= (?:en ce|not|D\.|JCP|Cass|CE|aussi|par ex|supra|infra))", "Voyez"),
            rule(r"(?<=, )obs\.(?= [A-ZÀ-Þ])", "observations"),
            rule(r"(?<=\bet )(?P<letter>[LRDA])\. ?(?P<a>\d{1,4})-(?P<b>\d{1,3})(?![\w-]|[.,]\d)", lambda m:
                 f"{m['letter']} {own.cardinal(int(m['a']))} tiret {own.cardinal(int(m['b']))}"
                 if mentions(ARTICLES, m.string) else None),
            rule(r"(?<![\w.])n° ?(?P<n>\d{3,7})(?= [a-zà-ÿ])", lambda m: f"numéro {own.cardinal(int(m['n']), 'm')}"),
            rule(r"(?<![\w.])nb(?= (?:de |d['’]))", "nombre"),
            rule(r"(?<=\d[eᵉ] )ét(?=[,;)]|\s*\Z)|(?<=\d[èr][mr]e )ét(?=[,;)]|\s*\Z)", "étage"),
            rule(r"(?<![\w.])Lot\.(?= (?:L[eao]s? |des? |du )?[A-ZÀ-Þ])", "lotissement"),
            rule(r"(?<=-en-)Pce(?!\w)", "Provence"),
            rule(r"(?<![\w/])c/ ?(?=(?:signature|remboursement|récépissé|reçu|paiement)\b)", "contre "),
            rule(r"(?:(?<=\bde )|(?<=\bà ))(?P<w>[nv])s(?= (?:part|service|commande|courrier|facture|dossier"
                 r"|demande)\b)",
                 lambda m: f"{'n' if m['w'] == 'n' else 'v'}otre"),
            rule(r"(?:(?<=\bau )|(?<=\ble )|(?<=\bun )|(?<=\bpar )|(?<=\bdu ))virt(?![\w.])|(?<![\w.])virt(?= (?:sous"
                 r"|le \d|de \d|SEPA|instant))", "virement"),
            rule(r"(?<![\w.])aff\.(?= (?:C-\d|T-\d|n°|jointes))", "affaire"),
            rule(r"(?:(?<=, )|(?<=\bau ))pt(?= \d{1,3}\b)", "point"),
            rule(r"(?<=[\de] )ch\.(?= réunies)", "chambres"),
            rule(r"(?:\A|(?<=[.!?] ))(?P<who>[HF])(?=, \d{1,2} ans)", lambda m:
                 ("Homme" if m["who"] == "H" else "Femme") if mentions(PATIENT, m.string) else None),
            rule(r"(?:\A|(?<=[.!?:,] ))T(?= (?:chez|où|ou|là|dispo|en|à|au|prêt|rentré|malade)\b)", "T'es"),
            rule(r"(?:\A|(?<=[.!?] ))Ch\.(?= (?:colocataire|coloc|studio|appart|maison|emploi|femme|étudiante?|garage"
                 r"|[FT]\d"
                 r"|heures|personne|nounou))", "Cherche"),
            rule(r"(?<=\de )sp(?=[,;)])", "sur penalty"),
            rule(r"(?<=[a-zà-ÿ] )m\. ?t\.", lambda m: f"même temps{stop(m)}" if mentions(MATCH, m.string) else None),
            rule(r"(?<![\w.])(?:MAJ|MàJ)(?= (?:vers|de|du|Android|iOS|Windows|logicielle|dispo))", "mise à jour"),
            cut_rule(own, EVERYWHERE),
            cut_rule(own, OFFERED, OFFER),
            cut_rule(own, COOKED, RECIPE),
            cut_rule(own, TREATED, PATIENT),
        )),
    )  # fmt: skip
