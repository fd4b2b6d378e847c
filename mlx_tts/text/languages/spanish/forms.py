"""Spanish words of crammed paragraphs: cut short in offers, recipes, case notes and reports of matches -> whole."""

from __future__ import annotations

import re

from mlx_tts.text.normalise.engine import Kind, mentions, rule, text_before
from mlx_tts.text.normalise.romance import Romance
from mlx_tts.text.normalise.romance_forms import Shared, SharedForms, cut_rule
from mlx_tts.text.normalise.romance_notices import TENNIS
from mlx_tts.text.roman import value

OFFER = re.compile(
    r"(?i)\b(?:piso|ático|dúplex|alquil\w+|vend[eo]|se busca|busco|habitaci\w+|hab\.|dorm\w*\.?|m²|m2|chalet|apto\."
    r"|fianza"
    r"|único dueño|ITV)(?!\w)"
)
CAR = re.compile(r"\b(?:ITV|km|kms|CV|diésel|gasolina|TDI|TSI|único dueño)\b")
RECIPE = re.compile(
    r"(?i)\b(?:cdt?as?\.|cdita\.|harina|azúcar|horno|hornea\w*|sofr[ieí]\w*|ajo|raciones|receta|cocer)(?!\w)"
)
PATIENT = re.compile(r"\b(?:[Pp]aciente|[Vv]arón|TA|FC|FR|IMC|GCS|Hb|PCR|Sat|SatO2|[Tt]to)\b|\bmg\b")
MATCH = re.compile(r"\b(?:ACB|[Ll]iga|partidos?|goles|ptos|puntos|[Ee]tapa|[Mm]aratón|maillot|jornada)\b|\d-\d \(")
OPENING = re.compile(r"(?i)\d ?h\b|\d:\d|abiert|horario|cerrad")
WEEK = {"L": "lunes", "M": "martes", "X": "miércoles", "J": "jueves", "V": "viernes", "S": "sábados", "D": "domingos"}
OFFERED = {
    "chalet ados": "chalet adosado", "chim": "chimenea", "parc": "parcela", "no ag": "no agencias", "gar": "garaje",
    "gtos. incl": "gastos incluidos", "gastos incl": "gastos incluidos", "gtos": "gastos",
    "cerca univ": "cerca de la universidad",
    "disp": "disponible",
    "dorm": "dormitorio", "dorms": "dormitorios", "coc. amer": "cocina americana", "amer": "americana",
    "calef. ind": "calefacción individual", "bien com": "bien comunicado", "comprob": "comprobables",
    "ref. comprob": "referencias comprobables", "refs": "referencias", "exp": "experiencia", "amueb": "amueblado",
    "reform": "reformado", "lumin": "luminoso", "inmob": "inmobiliarias", "orient": "orientación", "ascen": "ascensor",
    "soleado y tranq": "soleado y tranquilo", "tranq": "tranquilo", "cdad": "comunidad",
    "pl. garaje": "plaza de garaje", "trast": "trastero", "acab": "acabados", "tlfno": "teléfono",

}  # fmt: skip
COOKED = {"cocc": "cocción", "dific": "dificultad", "prep": "preparación", "pizc": "pizca", "rac": "raciones",
          "sob": "sobre", "ingr": "ingredientes"}  # fmt: skip
TREATED = {"diagn": "diagnóstico", "antec": "antecedentes", "explor": "exploración", "analít": "analítica",
           "abd": "abdominal", "neg": "negativo", "pos": "positivo", "ingr": "ingreso", "trat": "tratamiento",
           "evol": "evolución"}  # fmt: skip
EVERYWHERE = {
    "ininterrump": "ininterrumpido",
    "reu": "reunión",
    "recl": "reclamación",
    "Slds": "saludos",
    "rehab": "rehabilitación",
    "Precio obj": "precio objetivo",
    "precio obj": "precio objetivo",
    "obj": "objetivo",
    "supl": "suplemento",
    "indiv": "individual",
    "nec": "necesario",
    "piscina mun": "piscina municipal",
    "fines de sem": "fines de semana",
    "fin de sem": "fin de semana",
    "sanc": "sanción",
    "datos pers": "datos personales",
    "transf": "transferencia",
    "desay": "desayuno",
    "turíst": "turística",
    "ambos incl": "ambos incluidos",
    "hab. dob": "habitación doble",
    "hab. ind": "habitación individual",
    "hab. indiv": "habitación individual",
    "Regl": "Reglamento",
    "blq": "bloque",
    "autom": "automático",
    "presup": "presupuesto",
    "part. soc": "participaciones sociales",
    "desn": "desnivel",
    "aparcam": "aparcamiento",
    "media pens": "media pensión",
    "pensión compl": "pensión completa",
    "clase tur": "clase turista",
    "efvo": "efectivo",
    "plz": "plazas",
    "telef": "teléfono",
    "Vda": "viuda",
    "amox": "amoxicilina",
}
SHARED = Shared(
    see="véase", molar="molar", reign="reinado", months="mes|meses", from_to=("del", "al"),
    electronvolt="electronvoltio|electronvoltios",
    prefixes={"k": "kilo", "M": "mega", "G": "giga", "T": "tera"},
    dated=r"(?<=fecha ex )|(?<=[Pp]ago )|(?<=[Vv]encimiento )",
    stars="estrellas", either_of="o",
    elements={"C": "carbono", "U": "uranio", "K": "potasio", "Cs": "cesio", "I": "yodo", "Sr": "estroncio",
              "Pb": "plomo"},
    finals={"2": "semifinal", "4": "cuartos de final", "8": "octavos de final", "16": "dieciseisavos de final"},
    quarter="trimestre", half_year="semestre", of_year=" de ",
    before_period=r"(?<=\b[Ee]l )|(?<=\bal )|(?<=\bdel )|(?<=\bun )",
    ranked="milenio|trimestre|cuatrimestre|semestre|congreso|concurso|festival|torneo|encuentro|certamen|premio|plan"
           "|foro|simposio",
    ranked_women="edición|legislatura|dinastía|feria|semana|carrera|media maratón|conferencia|cumbre|asamblea|muestra"
                 "|copa|marcha|reunión|república",
    ordinal_form="adjective",
    squared="cuadrado", cubed="cúbico", ten_to="por diez elevado a", cubic="por milímetro cúbico",
    results=("victoria|victorias", "empate|empates", "derrota|derrotas"), letters=(r"[vVgG]", r"[eE]", r"[dDpP]"),
    dialled=r"[Tt]lf(?:no)?|[Tt]fno|[Tt]el|[Tt]el[ée]fono|[Mm]óvil|WhatsApp|[Ww]asap|al",
    groups=r"(\d{3})(\d{3})(\d{3})",
    offices={"min": ("ministro", "ministra"), "pdte": ("presidente", "presidenta"), "sen": ("senador", "senadora"),
             "dip": ("diputado", "diputada"), "gob": ("gobernador", "gobernadora")},
    of_men=r"(?<=\b[Ee]l )|(?<=\b[Dd]el )|(?<=\b[Aa]l )", of_women=r"(?<=\b[Ll]a )", years=("año", "años"),
    stay=("día|días", "noche|noches"), barrel="barril", folio=("folio", "recto", "vuelto"), manuscript="manuscrito",
    each_quarter=(r"\b(?:cada|c/)", "cada cuarto de hora"), between_prices="por",
    aged=r"(?:menores|mayores|niños|personas|hijos?|hijas?|bebés?) (?:de|hasta)|(?:hasta|desde|de|con)(?= \d{1,2}[-–])"
         r"|hasta(?: los)?|(?:a partir|más|menos) de(?: los)?",
    base_units={"N": "newton|newtons", "Pa": "pascal|pascales", "mol": "mol|moles", "C": "culombio|culombios",
                "T": "tesla|teslas", "mmol": "milimol|milimoles", "kPa": "kilopascal|kilopascales"},
)  # fmt: skip


def form_kinds(own: Romance) -> tuple[Kind, ...]:
    """own: the words of the language."""

    stop = own.sentence_stop

    def day(match: re.Match[str]) -> str | None:
        return WEEK[match["day"]] if mentions(OPENING, match.string) else None

    def listed(match: re.Match[str]) -> str | None:
        """ "L, M y J, 12-14 h"."""
        if not mentions(OPENING, match.string):
            return None
        return f"{WEEK[match['a']]}, {WEEK[match['b']]} y {WEEK[match['c']]}"

    def numbered(match: re.Match[str]) -> str:
        """ "fra. 387/24"."""
        word = own.abbreviations.get(match["word"].strip(), match["word"].strip())
        word = {"rec.": "recurso", "alb.": "albarán"}.get(word.casefold(), word)
        return f"{word} {own.cardinal(int(match['a']))} {own.web['/']} {own.cardinal(int(match['b']))}"

    return (
        *SharedForms(own, SHARED).kinds(),
        Kind("notice", re.compile(
            r"\b[LMXJVSD](?::| y |,)|\bM\.º|\bs/ ?[a-z]|\d d\. de|\d p\.|\bJ\d|\d\.?º m\.t\.|% i\.|\(J ?\d"
            r"|\d['’′] y \d|\d as\.|\d a\. y|[rº] d\.|\d ?cáps|rpm|\d m\."
        ), (
            rule(r"(?:\A|(?<=[;,.] )|(?<=\n))(?P<day>[LMXJVSD])(?=: ?\d)", day),
            rule(r"(?<=[;,.] )(?P<day>[SD])(?= y (?:fest|[DSV]\b))|(?<=\b[SDV] y )(?P<last>[SD])(?=[:,;]| \d)",
                 lambda m: (WEEK[m["day"] or m["last"]]) if mentions(OPENING, m.string) else None),
            rule(r"(?<![\w.])M\.º(?= [A-ZÁ-Ú])", "metro"),
            rule(r"(?<![\w./])s/ ?(?=(?:cargas|hijos|experiencia|exp|papeles|compromiso|amueblar|estrenar|ducha|balcón"
                 r"|alt|hallazgos|incidencias|complicaciones|cita|niños|mascotas|animales|fumar|fiebre|dolor)\b)",
                 "sin "),
            rule(r"(?<![\w.,])(?P<n>[1-9]) d\.(?= de ajo)", lambda m: own.counted(m["n"], ["diente", "dientes"])),
            rule(r"(?<![\w.,])(?P<n>[2-5]) p\.(?=[, ])", lambda m: f"{own.cardinal(int(m['n']))} puertas"
                 if mentions(CAR, m.string) else None),
            rule(r"(?<![\w.])J(?P<n>\d{1,2})(?=: )",
                 lambda m: f"jornada {own.cardinal(int(m['n']))}" if mentions(MATCH, m.string) else None),
            rule(r"(?<=º )m\. ?t\.", lambda m: f"mismo tiempo{stop(m)}"),
            rule(r"(?<=\bFR )(?P<n>\d{1,2}) ?rpm(?!\w)",
                 lambda m: own.counted(m["n"], ["respiración por minuto", "respiraciones por minuto"])),
            rule(r"(?<=\()J ?(?P<n>\d{1,2})(?=\))",
                 lambda m: f"jornada {own.cardinal(int(m['n']))}" if mentions(MATCH, m.string) else None),
            rule(r"(?<![\w.,])(?P<all>\d{1,2}['’′](?:, \d{1,2}['’′]){0,5} y \d{1,2}['’′])(?![\w'’′\"])",
                 lambda m: "minutos " + re.sub(r"\d+['’′]", lambda n: own.cardinal(int(n[0][:-1])), m["all"])
                 if mentions(MATCH, m.string) else None),
            rule(r"(?<![\w.,])(?P<n>\d{1,2}) as\.(?=[ ,;)]|\s*\Z)",
                 lambda m: own.counted(m["n"], ["asistencia", "asistencias"]) + stop(m)
                 if mentions(MATCH, m.string) else None),
            rule(r"(?<![\w.,])(?P<n>\d{1,2}) a\. y (?P<m>\d{1,2}) m\.", lambda m:
                 f"{own.counted(m['n'], ['año', 'años'])} y {own.counted(m['m'], ['mes', 'meses'])}{stop(m)}"),
            rule(r"(?:(?<=\.er )|(?<=\der )|(?<=\.º ))d\.(?= (?:si|de|y|a|con|post)|[,;)])", "día"),
            rule(r"(?<=% )i\. ?a\.", lambda m: f"interanual{stop(m)}"),
            rule(r"(?<![\w.,])(?P<n>\d{1,2}) cáps?\.",
                 lambda m: own.counted(m["n"], ["cápsula", "cápsulas"]) + stop(m)),
            rule(r"(?P<word>\b[Mm]ín(?:imo|\.) )(?P<n>\d{1,2}) m\.", lambda m:
                 f"mínimo {own.counted(m['n'], ['mes', 'meses'])}{stop(m)}" if mentions(OFFER, m.string) else None),
        )),
        Kind("abbreviation", re.compile(
            r"\d\.?(?:os|as|ºs|ªs)\b|\d\.[a-z]\)|v/sem|\(-?\d{1,2}[º°]\)|\b[LMXJVSD],? |\bley [IVX]|[a-zà-ÿS]\."
            r"|\bc/o\b"
        ), (
            rule(r"(?<![\w.])(?P<p>[Pp])rot\.(?= (?:n\.º |núm\. )?\d)", r"\g<p>rotocolo"),
            rule(r"(?<![\w.])(?P<s>[Ss])ign\.(?= \d)", r"\g<s>ignatura"),
            rule(r"(?<![\w.])(?P<d>[Dd])ur\.(?=:? ?\d)", r"\g<d>uración"),
            rule(r"(?<![\w.])(?P<s>[Ss])al\.(?= (?:a las )?\d{1,2}[:.]\d\d)", r"\g<s>alida"),
            rule(r"(?<![\w.])(?P<s>[Ll])leg\.(?= (?:a las )?\d{1,2}[:.]\d\d)", r"\g<s>legada"),
            rule(r"(?<![\w.])(?P<p>[Pp])l\.(?= \d{1,3}[A-H]?\b)", r"\g<p>laza"),
            rule(r"(?:(?<=buen )|(?<=perfecto )|(?<=mal )|(?<=excelente )|(?<=\ben ))est\.(?! \d)",
                 lambda m: f"estado{stop(m)}"),
            rule(r"\ban\. x f\. x al\.", "ancho por fondo por alto"),
            rule(r"(?<=[a-z] )(?P<m>ene|feb|abr|jun|jul|ago|oct|nov|dic)\.(?= (?:en|con|al|a) )",
                 lambda m: own.month_names[own.month_numbers[m["m"]] - 1]),
            rule(r"(?:(?<=m de )|(?<=metros de ))prof\.", lambda m: f"profundidad{stop(m)}"),
            rule(r"(?<![\w/])c/o(?= [A-ZÁ-Ú])", "a la atención de"),
            rule(r"(?<![\w.])(?P<e>[Ee])ntr\.(?= (?:libre|gratuita|general|antic|\d))", r"\g<e>ntrada"),
            rule(r"(?P<n>(?<![\w.,])[2-9]|(?<![\w.,])\d{2}) prov\.", lambda m:
                 f"{own.cardinal(int(m['n']), 'f')} provincias{stop(m)}"),
            rule(r"(?<![\w.,])(?P<n>\d{1,3}) vtas?\.", lambda m: own.counted(m["n"], ["vuelta", "vueltas"]) + stop(m)),
            rule(r"(?<![\w.])act\.(?= de(?:l| la) (?:calendario|web|base|listado|tarifas))", "actualización"),
            rule(r"(?<![\w.])(?P<p>[Pp])róx\. (?P<noun>[a-zà-ÿ]{2,20}ión)(?!\w)", r"\g<p>róxima \g<noun>"),
            rule(r"(?<![\w.])tít\.(?= (?:\d|[IVX]))", "título"),
            rule(r"(?:(?<=mil )|(?<=\d ))alm\.", lambda m: f"almas{stop(m)}"),
            rule(r"(?<=, )ingr\.(?= el \d)", lambda m: "ingresa" if mentions(PATIENT, m.string) else None),
            rule(r"(?<![\w.])(?P<a>[Aa])nal\.(?=:)", r"\g<a>nalítica"),
            rule(r"(?<![\w.,])(?P<n>[1-9]) v/sem(?:\.(?=[,;)])|(?!\w))",
                 lambda m: f"{own.repeated(int(m['n']))} por semana"),
            rule(r"(?<=\b[Ee]n )(?P<n>Neurol|Cardiol|Traumatol|Dermatol|Oftalmol|Urol|Ginecol|Oncol)\.",
                 lambda m: f"{m['n']}ogía{stop(m)}"),
            rule(r"(?<=\b[Pp]or )S\.(?= de \d)", "sentencia"),
            rule(r"(?<![\w.])rec\.(?= de (?:casación|apelación|amparo|reposición|alzada|suplicación))", "recurso"),
            rule(r"(?<![\w.])(?P<v>[Vv])\.(?= en (?:este|tal|el mismo) sentido)", r"\g<v>éase"),
            rule(r"(?<=, )com\.(?= de [A-ZÁ-Ú])", "comentario"),
            rule(r"(?<=[(,] )sal\.(?= [A-ZÁ-Ú][a-z]+[),])|(?<=\()sal\.(?= [A-ZÁ-Ú])", "salida"),
            rule(r"(?<= )(?P<open>\()(?P<n>-?\d{1,2})[º°](?=\))", lambda m:
                 f"({'menos ' if m['n'][0] == '-' else ''}{own.cardinal(int(m['n'].lstrip('-')))} grados"
                 if re.search(r"(?i)(?:fr[ií]o|calor|fuera|temperatura|hace)[^.()]{0,12}\Z",
                              text_before(m, 24)) else None),
            rule(r"(?<![\w.,])(?P<n>[2-9]) dorm\.", lambda m: f"{own.cardinal(int(m['n']))} dormitorios{stop(m)}"),
            rule(r"(?<![\w.,])(?P<n>[1-9]) b\.(?=[,; ])", lambda m: own.counted(m["n"], ["baño", "baños"])
                 if mentions(OFFER, m.string) else None),
            rule(r"(?<=m² )c\.(?= |,)", lambda m: "construidos" if mentions(OFFER, m.string) else None),
            rule(r"(?<=, )com\.(?= \d)", lambda m: "comunidad" if mentions(OFFER, m.string) else None),
            rule(r"(?:\A|(?<=[:;.] ))(?P<a>[LMXJV]), (?P<b>[MXJVS]) y (?P<c>[XJVSD])(?=,? ?\d|,)", listed),
            rule(r"(?<=[;,] )(?P<day>[LMXJVSD])(?=, ?\d)|(?<=[a-z] )(?P<last>[LMXJVSD])(?= \d{1,2}:\d\d)", lambda m:
                 WEEK[m["day"] or m["last"]] if mentions(OPENING, m.string) else None),
            rule(r"(?<=\bley )(?P<n>[IVX]{1,6})(?=[,.;)])", lambda m: own.cardinal(value(m["n"]))),
            rule(r"(?<=, )urg\.(?=\))", "urgente"),
            rule(r"(?<![\w.,])(?P<n>\d{1,3})\.?(?P<end>os|as|ºs|ªs)(?!\w)", lambda m:
                 f"{own.ordinal(int(m['n']), 'f' if m['end'][0] in 'aª' else 'm')}s"),
            rule(r"(?<![\w.,])(?P<a>\d{1,3})\.(?P<b>\d{1,2})\.(?P<letter>[a-z])\)", lambda m:
                 f"{own.cardinal(int(m['a']))} {own.dot} {own.cardinal(int(m['b']))}, letra {m['letter']},"),
            rule(r"(?<![\w.])of\.(?= \d)", "oficina"),
            rule(r"(?<![\w.])pdte\.(?= de)", "pendiente"),
            rule(r"(?<![\w.])(?P<w>[nv])tr(?P<end>[oa]s?)\.",
                 lambda m: f"{'nuestr' if m['w'] == 'n' else 'vuestr'}{m['end']}{stop(m)}"),
            rule(r"(?<=\b[Dd]pto\. )(?:de )?[Cc]ontab\.", lambda m: f"de Contabilidad{stop(m)}"),
            rule(r"(?P<word>\b(?:[Ff]ra\.|[Ff]actura|[Aa]lb\.|[Aa]lbarán|[Rr]ec\."
                 r"|[Pp]edido) )(?P<a>\d{1,5})/(?P<b>\d\d)"
                 r"(?![\w/]|[.,]\d)", numbered),
            rule(r"(?<![\w.,])(?P<n>[1-9]\d?|10\d) a\.(?=[,;)])",
                 lambda m: own.counted(m["n"], ["año", "años"]) if mentions(PATIENT, m.string) else None),
            rule(r"(?<![\w.,])(?P<n>\d{1,3}) paq\.(?P<per>/año)?", lambda m:
                 own.counted(m["n"], ["paquete", "paquetes"]) + (" al año" if m["per"] else stop(m))),
            rule(r"(?<=, )S\.(?= de \d)", "sentencia"),
            rule(r"(?<![\w.])(?P<v>[Vv])id\. tb\.", r"\g<v>éase también"),
            rule(r"(?<![\w.])as\.(?= C-\d)", "asunto"),
            rule(r"(?<=\by )pers\.(?= [A-ZÁ-Ú]|\s*\Z|[,;)])", lambda m: f"persona{stop(m)}"),
            rule(r"(?<![\w.])(?P<a>[Aa])ct\.(?= a (?:Android|iOS|Windows))", r"\g<a>ctualización"),
            rule(r"(?<![\w.])(?P<u>[Úú])lt\.(?= (?P<noun>[a-zà-ÿ]{3,20}))",
                 lambda m: f"{m['u']}ltim{'a' if own.gender(m['noun']) == 'f' else 'o'}"),
            rule(r"(?<![\w.])(?P<v>[Vv])ac\.(?= (?:de (?:Navidad|verano|Semana)|escol))", r"\g<v>acaciones"),
            rule(r"(?<=\) )g\. a(?= [A-ZÁ-Ú])", lambda m: "gana a" if mentions(TENNIS, m.string) else None),
            rule(r"(?<=, )m\. ?t\.", lambda m: "mismo tiempo" + stop(m) if mentions(MATCH, m.string) else None),
            rule(r"(?<=\()p\.(?=, \d)", lambda m: "de penalti" if mentions(MATCH, m.string) else None),
            rule(r"(?<![\w.])exp\.(?=: [A-ZÁ-Ú])", lambda m: "expulsado" if mentions(MATCH, m.string) else None),
            cut_rule(own, EVERYWHERE),
            cut_rule(own, OFFERED, OFFER),
            cut_rule(own, COOKED, RECIPE),
            cut_rule(own, TREATED, PATIENT),
        )),
    )  # fmt: skip
