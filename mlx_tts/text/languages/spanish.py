"""Spanish: its names, how a text in it is known and cut, and its words for numbers and signs."""

from __future__ import annotations

import re

from mlx_tts.text.languages import Language
from mlx_tts.text.normalise.engine import Kind, Rule, mentions, rule, text_after, text_before, words_of
from mlx_tts.text.normalise.european import European
from mlx_tts.text.normalise.european_rules import EuropeanReader

MASCULINE_IN_AS = (
    r"(?!(?:días|mapas|temas|problemas|programas|sistemas|idiomas|planetas|poetas|turistas"
    r"|artistas|futbolistas|gramas|kilogramas|mañanas)\b)"
)
ORDINAL_MARKS = {"º": "m", "°": "m", "o": "m", "ª": "f", "a": "f", "er": "adjective", "ᵉʳ": "adjective", "ᵒ": "m",
    "ᵃ": "f", "ro": "m", "do": "m",
                 "to": "m", "mo": "m", "vo": "m", "no": "m", "ra": "f", "da": "f", "ta": "f", "ma": "f", "va": "f",
                     "na": "f",
                 "os": "m", "as": "f"}  # fmt: skip
PLAIN = str.maketrans("áéíóú", "aeiou")


# Behind "1" these count nothing.
SMALL_WORDS = frozenset(
    words_of(
        "de y a o u e en por para con que es al del la el los las un una se no más menos pero si como su sobre "
        "hasta desde entre fue era son sigue está murió resultó quedó permanece continúa tiene ha han"
    )
)
NAMING = re.compile(
    r"\b(?:[Pp]ágina|[Cc]apítulo|[Nn]úmero|[Nn]ivel|[Gg]rupo|[Ss]ala|[Pp]lanta|[Pp]uerta|[Ll]ínea|[Tt]ipo|[Ff]ase|"
    r"[Pp]arte|[Vv]ersión|[Ss]erie|[Cc]anal|[Oo]pción|[Aa]rtículo|[Ff]igura|[Tt]abla|[Pp]aso)\s+\Z"
)


WEEK = {"L": "lunes", "M": "martes", "X": "miércoles", "J": "jueves", "V": "viernes", "S": "sábado", "D": "domingo"}
PLURALS = {"temp": "temperaturas", "mín": "mínimas"}
# Given names and such behind "D."; elsewhere it is a letter ("vitamina D.").
A_NOUN = re.compile(
    r"(?!(?:día|mapa|problema|tema|programa|sistema|idioma|planeta|gramo|kilograma|clima)\b)\w+(?:a|ción|dad)\b"
)
GIVEN_NAMES = (
    "Juan|José|Antonio|Manuel|Francisco|Luis|Pedro|Pablo|Carlos|Miguel|Ángel|Javier|Jesús|Fernando|Alfonso|Dieg"
    "o|Andrés|"
    "Enrique|Quijote|Rafael|Ramón|Alberto|Álvaro|Alejandro|Daniel|David|Eduardo|Emilio|Felipe|Gabriel|Gonzalo|Ignacio|"
    "Jaime|Joaquín|Jorge|Julio|Julián|Mariano|Mario|Martín|Nicolás|Óscar|Roberto|Rodrigo|Salvador|Santiago|Sebastián|"
    "Sergio|Tomás|Vicente|Víctor|Benito|Bernardo|Camilo|Claudio|Agustín|Arturo|César|Cristóbal|Domingo|Eugenio|"
    "Federico|"
    "Félix|Germán|Gregorio|Guillermo|Gustavo|Hernán|Hugo|Iván|Lorenzo|Lucas|Marcos|Mateo|Raúl|Ricardo|Simón"
)
WARMED = re.compile(
    r"(?i)\b(?:baj|sub|descend|desciend|ascend|asciend|aument|perd|pierd|temperatura|temp\.)\w* (?:unos |hasta |de )?\Z"
)
ARTICLE = re.compile(r"(?i)\b(?:el|la|los|las|del|al|su|este|esta) \Z")
LETTERED = re.compile(
    r"\b(?:[Vv]itaminas?|[Ll]etra|[Gg]rupo|[Tt]ipo|[Cc]lase|[Pp]lan|[Oo]pción|[Hh]epatitis|[Bb]loque|[Pp]uerta|"
    r"[Pp]ortal|"
    r"[Ee]scalera|[Aa]partado|[Aa]nexo|[Ss]ección|[Zz]ona|P\.|R\.) ?\Z"
)


# In these texts "6 m." are months.
BILLED = re.compile(r"(?i)\b(?:dto|cuota|permanencia|fibra|contrato|tarifa|financ\w*|plazo)\b|€/mes")


class Spanish(European):
    """Numbers agree with what they count; of a fraction's parts those above ten have names with -avo."""

    def counted(self, written: str, forms: list[str], scale: str = "") -> str:
        if forms[0] == "por ciento":
            return f"{self.spoken(written)} por ciento"
        return super().counted(written, forms, scale)

    def gender_of_many(self, noun: str) -> str:
        return super().gender_of_many(noun) or ("m" if re.fullmatch(r"[a-zà-ÿ]+s", noun) else "")

    def one(self, noun: str, before: str) -> str:
        if not noun[:1].islower() or noun in SMALL_WORDS or NAMING.search(before):
            return super().one("", before)
        masculine = re.fullmatch(r"(?:día|mapa|problema|tema|programa|sistema|idioma|planeta|clima|poeta)", noun)
        feminine = re.match(self.feminine, noun) or re.fullmatch(r"\w+(?:a|ción|sión|dad|tud)", noun)
        return self.cardinal(1, "f" if feminine and not masculine else "m")

    def gender(self, noun: str) -> str:
        return "f" if A_NOUN.match(noun) else super().gender(noun)

    def part(self, bottom: int) -> str | None:
        if bottom in self.parts or bottom > 999:
            return self.parts.get(bottom)
        said = self.cardinal(bottom).translate(PLAIN).replace(" y ", "i").replace(" ", "")
        one = said + "vo" if said.endswith("a") else said[:-1] + "avo" if said.endswith("uno") else said + "avo"
        return f"{one}|{one}s"

    def of_unit(self, unit: str) -> str:
        return f"de {unit}"

    def ordinal(self, number: int, form: str = "m") -> str:
        special = {11: "undécim", 12: "duodécim"}.get(number)
        if special and form in ("m", "f"):
            return special + ("a" if form == "f" else "o")
        return super().ordinal(number, form).replace("octingésim", "octingentésim")

    def ordinal_rules(self) -> tuple[Rule, ...]:
        return (
            rule(
                r"(?<![\w.,])(?P<n>\d{1,3}(?:[. ]\d{3}){1,2}|\d{1,7})\.?(?P<mark>[ºª°ᵒᵃ]|er|ᵉʳ)(?:(?<=\.[ºª])|("
                r"?! ?[CF]\b))(?!\w)",
                 self._ordinal),
            rule(r"(?<![\w.,/-])1(?= de (?:ellas|las)\b)", "una"),
            rule(r"(?<![\w.])[Cc]/ ?(?=[A-ZÁÉÍÓÚÑ]|de |del |la |el )", "calle "),
            rule(r"(?<![\w.])c/ ?(?=(?P<each>año|mes|día|semana|hora|un[oa]|vez|tarde|mañana|noche|persona)\b)",
                "cada "),
            rule(r"(?<![\w.])c/ ?(?=[a-zà-ÿ]{3})", "con "),
            rule(r"(?<=[12]\.º )sem\.", lambda m: f"semestre{self.sentence_stop(m)}"),
            rule(r"(?<![\w./])p/ ?(?=\d|[a-zà-ÿ]{2})", "para "),
            rule(r"(?<![\w.,])(?P<n>\d{1,2}) m\.(?=[:,;)])", lambda m: self.counted(m["n"], ["mes", "meses"])
                 if mentions(BILLED, m.string) else None),
            rule(r"(?<!\w)(?P<word>[Pp]róx)\. (?P<noun>[a-zà-ÿ]{3,20})",
                 lambda m: f"{m['word']}im{'a' if self.gender(m['noun']) == 'f' else 'o'} {m['noun']}"),
            rule(r"(?<![\w./])s/ ?(?=lienzo|tabla|tela|papel|madera|cartón|mármol)", "sobre "),
            rule(r"(?<![\w./])s/ ?(?=[a-zà-ÿ]{3})", "según "),
            rule(r"(?<![\w.])h\.(?= 1[0-9]{3}\b)", "hacia"),
            rule(r"(?<![\w.,/-])1(?= sobre\b(?! \d))", "un"),
            rule(r"(?<=\b(?:el|al) )(?P<n>[1-4])T(?!\w)|(?<=\bdel )(?P<m>[1-4])T(?!\w)",
                 lambda m: f"{self.ordinal(int(m['n'] or m['m']), 'adjective')} trimestre"),
            rule(r"(?<![\w.,])(?P<n>[1-9]) hab\.", lambda m: f"{self.cardinal(int(m['n']), 'f')} "
                 f"{'habitación' if m['n'] == '1' else 'habitaciones'}"),
            rule(r"(?<![\w.,])(?P<n>\d{1,3})(?P<mark>ro|do|to|mo|vo|no|ra|da|ta|ma|va|na)(?!\w)", self._ordinal),
        )  # fmt: skip

    def _ordinal(self, match: re.Match[str]) -> str | None:
        if match["mark"] == "°" and "." not in match[0] and not re.match(r" [a-z]{4,}", text_after(match, 40)):
            return None
        behind = text_after(match, 12)
        number = int(re.sub(r"\D", "", match["n"]))
        noun = re.match(r" (?!durante|y |en |por |con |hasta |a |o |de |unos )[a-zà-ÿ]", behind)
        if match["mark"] in "º°" and WARMED.search(text_before(match, 24)):
            return self.counted(str(number), ["grado", "grados"])
        oven = re.match(r"(?: (?:al|en|durante|por|con|hasta|unos) |[,;)])", behind)
        if match["mark"] in "º°" and 99 < number < 401 and oven and not ARTICLE.search(text_before(match, 8)):
            return f"{self.cardinal(number)} grados"
        heated = re.search(r"\b(?:a|de|hasta|horno|unos) \Z", text_before(match, 8))
        if match["mark"] in "º°" and heated and (39 < number < 401 or re.match(r" \d", behind)) and not noun:
            return f"{self.cardinal(number)} grados"  # of an oven or a turn
        return self.ordinal(int(re.sub(r"\D", "", match["n"])), ORDINAL_MARKS[match["mark"]])

    def time(self, hour: int, minute: int, second: int | None, match: re.Match[str]) -> str:
        written = match[0].rstrip(". ")
        half = re.search(r"([ap])\.? ?m", match[0], re.IGNORECASE)
        said = super().time(hour, minute, second, match)
        if not half:
            return said + (" horas" if written.endswith(("h", "hs", "hrs")) else "")
        morning = half[1].casefold() == "a"
        part = (
            "de la noche"
            if (morning and hour == 12) or (not morning and 8 <= hour < 12)
            else "de la madrugada"
            if morning and hour < 6
            else ("de la mañana" if morning else "del mediodía" if hour == 12 else "de la tarde")
        )
        return f"{said} {part}"

    def don(self, match: re.Match[str]) -> str | None:
        """A name follows, which is known as one or has another behind it, and no word before that has letters."""
        if LETTERED.search(text_before(match, 14)):
            return None
        name = rf" (?:(?:{GIVEN_NAMES})\b|[A-ZÁÉÍÓÚÑ][a-zà-ÿ]+ (?:de (?:la |los )?|del |y )?[A-ZÁÉÍÓÚÑ][a-zà-ÿ])"
        return "don" if re.match(name, text_after(match, 60)) else None

    def own_kinds(self) -> tuple[Kind, ...]:
        return (
            Kind(
                "name",
                re.compile(r"\bD\.|\bL\b|temp\."),
                (
                    rule(r"(?<![\w.])D\.(?= [A-ZÁÉÍÓÚÑ])", self.don),
                    rule(
                        r"(?<!\w)(?:de )?(?P<a>[LMXJV]) ?(?P<to>a|-|–|y) ?(?P<b>[MXJVSD])(?=[ ,.:;)]|\Z)(?!\. ?[A-Z])",
                        lambda m: (
                            f"{'' if m['to'] == 'y' else 'de '}{WEEK[m['a']]} "
                            f"{'y' if m['to'] == 'y' else 'a'} {WEEK[m['b']]}"
                            if re.search(r"(?i)\d ?h|\d:\d|abiert|horario|cerrad", m.string)
                            else None
                        ),
                    ),
                    rule(
                        r"(?<=\b[Ll]as )(?P<word>temp|máx|mín)\.", lambda m: PLURALS[m["word"]] + self.sentence_stop(m)
                    ),
                ),
            ),
            Kind(
                "time",
                re.compile(r"\d ?[ap]\.? ?m|c/\d|\d \d{3} \d{3}"),
                (
                    rule(
                        r"(?<!\w)c/ ?(?P<n>\d{1,2}) ?h(?!\w)",
                        lambda m: f"cada {self.cardinal(int(m['n']), 'f')} horas",
                    ),
                    rule(
                        r"(?:(?<=\bal )|(?<=\bmóvil )|(?<=\bteléfono )|(?<=\bWhatsApp ))[6-9]\d\d \d{3} \d{3}(?"
                        r"![\w-]|[.,]\d)",
                        lambda m: ", ".join(self.digits(group) for group in m[0].split()),
                    ),
                    rule(
                        r"(?<![\w.,-])[6-9]\d\d \d{3} \d{3}(?! ?[\w€$%.,]*\w)(?<!000)|(?<![\w.,-])[6-9]\d\d \d{3} "
                        r"\d{3}(?= [oy] [a-z\d])",
                        lambda m: ", ".join(self.digits(group) for group in m[0].split()),
                    ),
                    rule(
                        r"(?<![\w.,:])(?P<hour>1[0-2]|0?[1-9]) ?[ap]\.? ?m\b\.?",
                        lambda m: self.time(int(m["hour"]), 0, None, m),
                    ),
                ),
            ),
        )


WORDS = Spanish(
    code="es",
    article="el ", and_fraction="y ", month_first=True,
    genders={"m": "cardinal-masculine", "f": "cardinal-feminine"}, numbering="numbering",
    ordinals={"m": "ordinal-masculine", "f": "ordinal-feminine", "adjective": "ordinal-masculine-adjective"},
    date="{day} de {month}", date_year=" de {year}", written_date=r"DAY(?: de)? MONTH(?:,?(?: del?)? YEAR)?",
    clock="{hour} y {minute}", full_hour="{hour}", with_seconds="{hours} y {minutes} y {seconds}", hours={1: "una",
        21: "veintiuna"},
    hour_sign=r":|(?<=\d)\.(?=\d\d ?h)|(?:(?<=[Ll]as \d)|(?<=[Ll]as \d\d))\.(?=\d\d(?!\d| ?[%€$]))",
    hour_words=r"(?: ?h(?:s|rs)?\b\.?| ?[ap]\.? ?m\b\.?)?", to="a", minus="menos",
        plus="más", point="coma", dot="punto",
    percent="por ciento|por ciento", with_cents="{money} con {cents}", half="medio|media", and_half="y medio|y media",
    parts={2: "medio|medios", 3: "tercio|tercios", 4: "cuarto|cuartos", 5: "quinto|quintos", 6: "sexto|sextos",
        7: "séptimo|séptimos",
           8: "octavo|octavos", 9: "noveno|novenos", 10: "décimo|décimos", 100: "centésimo|centésimos",
               1000: "milésimo|milésimos"},
    over="sobre", times="veces", by="por", equals="es igual a", per="por", hashtag="hashtag", score="{a} a {b}",
    centuries=(r"(?P<before>\b(?:[Ss]iglos?|[Ss]\.) )NUMERAL\b",), ordinal_nouns="Guerra Mundial|República",
    scale_of=" de",
    feminine=r"(?:atmósfera|parte|hora|milla|libra|pulgada|yarda|tonelada|onza|hectárea|caloría|kilocaloría|cucharad\w+"
    r"|taza|persona|vez|semana|mañana|noche|mujer|chica|niña|casa)\b",
    feminine_plural=MASCULINE_IN_AS + r"(?:\w+as|mujeres|veces|nueces|noches|calles|flores|llaves|partes|habitaciones|"
        r"canciones|ciudades)\b",
    scales={"k": "mil|mil", "mill.": "millón|millones", "M": "millón|millones", "mil": "mil|mil",
    "mm": "mil millones|mil millones",
        "millón": "millón|millones",
            "billón": "billón|billones"},
    scale_words=("millones", "billones", "mil millones"),
    abbreviations={"vel.": "velocidad", "neg.": "negociable", "but.": "butacas", "financ.": "financiación",
    "esc.": "escalera", "att.": "atención", "sup.": "superior",
        "prob.": "probabilidad", "ref.": "referencia", "Tª": "temperatura", "T.ª": "temperatura",
        "excl.": "excluido", "exc.": "excepto", "pls": "por favor", "vs.": "contra", "vs": "contra",
        "cf.": "confróntese",
        "Cf.": "confróntese", "obs.": "observaciones", "Admón.": "administración", "urb.": "urbanización",
        "Pº": "paseo", "P.º": "paseo", "Pje.": "pasaje", "Trav.": "travesía", "Ayto.":
        "ayuntamiento", "Bco.": "banco", "cta.": "cuenta", "Cta.": "cuenta", "c/c": "cuenta corriente", "dto.":
        "descuento", "Dto.": "descuento", "ptas.": "pesetas", "máx": "máximo", "Nº":
        "número", "N°": "número", "n°": "número", "Tlfs.": "teléfonos", "tlfs.": "teléfonos", "tlf.": "teléfono",
        "Tlf.": "teléfono", "telf.": "teléfono", "Telf.":
        "teléfono", "Fdo.": "firmado", "Excmo.": "excelentísimo", "Ilmo.": "ilustrísimo", "Mons.": "monseñor", "Fray":
        "fray", "Hnos.": "hermanos", "JJ. OO.": "Juegos Olímpicos", "R. D.": "Real Decreto", "R.D.": "Real Decreto",
        "JJ.OO.": "Juegos Olímpicos", "FF. AA.":
        "Fuerzas Armadas", "CC. AA.": "comunidades autónomas", "CC.AA.": "comunidades autónomas", "q. e. p. d.":
        "que en paz descanse", "s. n. m.": "sobre el nivel del mar", "p. p.": "por persona", "p.p.": "por persona",
        "trim.": "trimestre", "PD:": "posdata:", "exper.": "experiencia", "c.c.": "con copia",
        "edif.": "edificio", "pta.": "puerta", "entlo.": "entresuelo", "ppal.":
        "principal", "bto.": "bruto", "nac.": "nacional", "ej.": "ejemplo",
        "Sr.": "señor", "Sra.": "señora", "Sres.": "señores", "Srta.": "señorita", "Dr.": "doctor",
        "Dra.": "doctora", "D.ª": "doña", "P. D.": "posdata", "P.D.": "posdata",
            "D. T.": "disposición transitoria",
        "D. A.": "disposición adicional", "arts.": "artículos", "hab. doble": "habitación doble",
        "hab. individual": "habitación individual", "hab. triple": "habitación triple",
                   "Dña.": "doña", "Prof.": "profesor", "Ing.": "ingeniero", "Lic.": "licenciado",
                       "Arq.": "arquitecto", "Ud.": "usted", "Uds.": "ustedes", "Vd.": "usted",
                   "EE. UU.": "Estados Unidos", "EE.UU.": "Estados Unidos", "EEUU": "Estados Unidos",
                       "etc.": "etcétera", "p. ej.": "por ejemplo",
                   "p.ej.": "por ejemplo", "n.º": "número", "N.º": "número", "nº": "número", "núm.": "número",
                       "Núm.": "número", "pág.": "página", "págs.": "páginas",
                   "aprox.": "aproximadamente", "avda.": "avenida", "Avda.": "avenida", "Av.": "avenida",
                       "C/": "calle", "Pza.": "plaza", "Pl.": "plaza",
                   "Ctra.": "carretera", "a. C.": "antes de Cristo", "d. C.": "después de Cristo",
                       "a.C.": "antes de Cristo", "d.C.": "después de Cristo",
                   "Tel.": "teléfono", "tel.": "teléfono", "Tfno.": "teléfono", "tfno.": "teléfono", "Vds.": "ustedes",
                       "art.": "artículo",
                   "izq.": "izquierda", "dcha.": "derecha", "izda.": "izquierda", "depto.": "departamento",
                       "Depto.": "departamento", "apdo.": "apartado",
                   "tb": "también", "xq": "porque", "pq": "porque", "xfa": "por favor", "tmb": "también",
                       "q.e.p.d.": "que en paz descanse", "s/n": "sin número",
                   "cda.": "cucharada", "cdas.": "cucharadas", "cdta.": "cucharadita", "cdtas.": "cucharaditas",
                       "cdita.": "cucharadita", "admón.": "administración", "Cía.": "compañía", "S.A.": "S A",
                       "S.L.": "S L", "ss.": "siguientes", "§": "parágrafo", "hab.": "habitantes",
                       "incl.": "incluido", "Atte.": "atentamente",
                   "RR. CC.": "Reyes Católicos", "máx.": "máximo", "mín.": "mínimo", "prov.": "provincia",
                   "pers.": "personas",
                   "pza.": "plaza", "esq.": "esquina", "Rte.": "remitente", "Gral.": "general",
                   "Sto.": "Santo", "Sta.": "Santa", "Mª": "María", "M.ª": "María", "temp.": "temperatura",
                   "fra.": "factura", "vto.": "vencimiento", "Pte.": "paciente", "dpto.": "departamento",
                   "Dpto.": "departamento"},
    before_numbers={"t.": "tomo", "ext.": "extensión", "Ø": "diámetro", "T.": "talla", "pto.": "punto", "Pto.": "punto",
    "exp.": "expediente",
        "Exp.": "expediente", "tab.": "tabla", "ap.": "apartado", "párr.": "párrafo",
        "p.": "página", "pp.": "páginas", "cap.": "capítulo", "vol.": "volumen", "fig.": "figura",
        "Art.": "artículo", "Cap.": "capítulo", "No.": "número",
                    "km": "kilómetro", "Fig.": "figura", "núm": "número", "min.": "minuto"},
    unit_words={"ha": r" (?:[a-zà-ÿ]+(?:do|da|dos|das|cho|to|so)|sido|ya)\b"},
    judged="dificultad|nota|valoración|puntuación|dolor|EVA", once="una vez", diameter="diámetro",
    inch="pulgada|pulgadas",
    screens="TV|televisor|pantalla|monitor|portátil|llanta|bici|tableta|tablet|pizza", fewer="menos de",
    openers="El|La|Los|Las|Un|Una|Unos|Unas|En|Por|Para|Con|Sin|Sobre|De|Del|Desde|Hasta|Al|Y|Pero|Si|No|Se|Su|"
            "Sus|Este|"
    "Esta|Estos|Estas|Es|Son|Está|Están|Hay|Hoy|Ayer|Mañana|Luego|Después|Antes|Ahora|También|Además|Aunque|Cua"
    "ndo|Como|"
    "Donde|Quien|Lo|Le|Les|Nos|Me|Te|Mi|Tu|Yo|Él|Ella|Ellos|Nosotros|Todo|Todos|Cada|Otro|Según|Tras|Entre|Dura"
    "nte|Solo|"
    "Sólo|Ya|Más|Fue|Era|Gracias|Un|Tiempo|Total|Así|Ese|Esa|Eso|Tiene|Puede|Quedan|Faltan|Falta|Incluye|Abierto",
    leading=("C/", "c/", "Pza.", "pza.", "Pl.", "Ctra.", "esq.", "n.º", "N.º", "nº", "Nº", "núm.", "Núm.", "pág.",
    "págs.",
             "art.", "arts.", "Tel.", "tel.", "Tfno.", "tfno.", "tlf.", "Tlf.", "telf.", "Telf.", "prov.", "Gral.",
             "Sto.",
             "Sta.", "Dpto.", "dpto.", "Depto.", "depto.", "apdo.", "Ref.", "ref.", "D.ª", "p. ej.", "p.ej.", "avda.",
             "Mª", "M.ª", "RR. CC.", "Urb.", "urb.", "P.º", "Pº", "Fdo.", "Mons.", "vs.", "cf.", "Cf.", "fra.", "incl.",
             "Edif.", "edif.", "esc.", "Rte.", "Pte.", "Ayto.", "ej.", "P. D.", "P.D."),
    naming="Puerta|puerta|Gate|Terminal|terminal|sala|Sala|aula|Aula|bloque|portal|local|calle|andén|asiento",
    relations={"<": "menor que", ">": "mayor que", "≤": "menor o igual que", "≥": "mayor o igual que",
               "<=": "menor o igual que", ">=": "mayor o igual que", "≈": "aproximadamente", "~": "unos"},
    compass={"N": "norte", "S": "sur", "E": "este", "O": "oeste", "NE": "nordeste", "NO": "noroeste", "SE": "sureste",
             "SO": "suroeste", "NNE": "nornoreste", "NNO": "nornoroeste", "SSE": "sursureste", "SSO": "sursuroeste",
             "ENE": "estenoreste", "ONO": "oestenoroeste", "ESE": "estesureste", "OSO": "oestesuroeste", "W": "oeste"},
    wind_words="(?:[Vv]ientos?|[Bb]risas?|[Rr]achas|[Cc]omponente)(?: \\w+)? (?:del?)|[Vv]ientos?",
    shots="en (?:triples|tiros|libres)|triples|tiros|de tres|en tiros",
    enders=("p. p.", "trim.", "aprox.", "izq.", "pls", "etc.", "EE. UU.", "EE.UU.", "máx.", "mín.", "incl.", "hab.",
    "izda.", "dcha.",
    "d. C.", "a. C.", "d.C.",
        "a.C."), out_of="sobre", titles=("Sr.", "Sra.",
        "Sres.", "Srta.", "Dr.", "Dra.", "D.", "Prof.",
        "Ing.", "Lic.", "Dña.", "Av.", "Avda."),
    money={"€": "euro|euros|céntimo|céntimos", "$": "dólar|dólares|centavo|centavos",
        "£": "libra|libras|penique|peniques", "¥": "yen|yenes|sen|sen",
           "EUR": "euro|euros|céntimo|céntimos", "USD": "dólar|dólares|centavo|centavos",
               "US$": "dólar|dólares|centavo|centavos",
           "BRL": "real brasileño|reales brasileños|centavo|centavos", "R$": "real|reales|centavo|centavos",
               "HKD": "dólar de Hong Kong|dólares de Hong Kong|centavo|centavos",
           "CHF": "franco suizo|francos suizos|céntimo|céntimos", "₡": "colón|colones|céntimo|céntimos",
               "JPY": "yen|yenes|sen|sen", "₩": "won|wones|jeon|jeon",
           "GBP": "libra|libras|penique|peniques", "MXN": "peso mexicano|pesos mexicanos|centavo|centavos",
               "CAD": "dólar canadiense|dólares canadienses|centavo|centavos",
           "₹": "rupia|rupias|paisa|paisas", "₽": "rublo|rublos|kopek|kopeks", "euros": "euro|euros|céntimo|céntimos",
               "dólares": "dólar|dólares|centavo|centavos",
           "KRW": "won|wones|jeon|jeon", "CNY": "yuan|yuanes|fen|fen", "PEN": "sol|soles|céntimo|céntimos",
               "ARS": "peso argentino|pesos argentinos|centavo|centavos"},
    century_noun="siglo", centuries_noun="siglos", minute_of_play="minuto {number}", power="elevado a",
    per_words={"sem.": "semana", "sem": "semana", "hora": "hora", "pers.": "persona", "día": "día", "mes": "mes",
    "año": "año", "semana": "semana", "persona": "persona", "noche": "noche"},
    short_month_words="(?:en|desde|hasta|principios de|finales de|mediados de)(?! (?:mar|may|set|ago|dic)\\b)",
    between_days="a|al|y|e",
    divided="dividido por", pressure_words="tensión|presión|TA", pressure="{a} {b}",
    units={"‰": "por mil|por mil", "ppb": "parte por mil millones|partes por mil millones",
        "p. b.": "punto básico|puntos básicos", "p.b.": "punto básico|puntos básicos",
    "rpm": "revolución por minuto|revoluciones por minuto",
    **dict.fromkeys(("l/100 km", "l/100km"), "litro cada cien kilómetros|litros cada cien kilómetros"),
           "m/s²": "metro por segundo al cuadrado|metros por segundo al cuadrado", "pts.": "punto|puntos",
           "pts": "punto|puntos", "pto.": "punto|puntos", "pb": "punto básico|puntos básicos", "pp": "punto porcentual|"
           "puntos porcentuales", "Mb/s": "megabit por segundo|megabits por segundo", "Gb/s": "gigabit por segundo|"
           "gigabits por segundo", "Gbps": "gigabit por segundo|gigabits por segundo",
           "comp.": "comprimido|comprimidos",
           "kWp": "kilovatio pico|kilovatios pico", "CV": "caballo|caballos",
           "cc": "centímetro cúbico|centímetros cúbicos",
           "c.c.": "centímetro cúbico|centímetros cúbicos", "mmol/l": "milimol por litro|milimoles por litro",
           "MWh": "megavatio hora|megavatios hora", "GW": "gigavatio|gigavatios", "mV": "milivoltio|milivoltios",
           "kV": "kilovoltio|kilovoltios", "kPa": "kilopascal|kilopascales", "µl": "microlitro|microlitros",
           "UI": "unidad internacional|unidades internacionales", "lt": "litro|litros", "gr": "gramo|gramos",
           "grs": "gramo|gramos", "kgs": "kilogramo|kilogramos", "mts": "metro|metros",
           "m2": "metro cuadrado|metros cuadrados",
           "km2": "kilómetro cuadrado|kilómetros cuadrados",
           "m3": "metro cúbico|metros cúbicos", **dict.fromkeys(("m.s.n.m.", "m s. n. m.", "msnm"),
        "metro sobre el nivel del mar|metros sobre el nivel del mar"),
           "mAh": "miliamperio hora|miliamperios hora", "★": "estrella|estrellas",
           "mmHg": "milímetro de mercurio|milímetros de mercurio",
        "mm Hg": "milímetro de mercurio|milímetros de mercurio", "kph": "kilómetro por hora|kilómetros por hora",
            "km/s": "kilómetro por segundo|kilómetros por segundo",
        "seg": "segundo|segundos", "seg.": "segundo|segundos",
           "hs": "hora|horas", "cda.": "cucharada|cucharadas", "cdas.": "cucharada|cucharadas",
               "cdta.": "cucharadita|cucharaditas", "cdtas.": "cucharadita|cucharaditas",
           "cdita.": "cucharadita|cucharaditas", "Mb": "megabit|megabits",
               "Mbps": "megabit por segundo|megabits por segundo", "°": "grado|grados", "dB": "decibelio|decibelios",
           "pulg.": "pulgada|pulgadas", "mins": "minuto|minutos", "hab.": "habitante|habitantes",
               "ud.": "unidad|unidades", "uds.": "unidad|unidades", "kilo": "kilo|kilos", "pers.": "persona|personas",
               "atm": "atmósfera|atmósferas", "ppm": "parte por millón|partes por millón", "Pa": "pascal|pascales",
               "bar": "bar|bares", "min.": "minuto|minutos", "ptos.": "punto|puntos",
               "sem.": "semana|semanas", "lpm": "latido por minuto|latidos por minuto"},
    web={"²": "al cuadrado", "³": "al cubo", ".": "punto", "-": "guion", "_": "guion bajo", "/": "barra",
        ":": "dos puntos", "@": "arroba", "+": "más", "&": "y", "~": "tilde", "=": "igual", "%": "por ciento",
         "#": "almohadilla"},
    queens=".*a|Isabel",
    rulers=["Felipe", "Carlos", "Alfonso", "Fernando", "Isabel", "Luis", "Juan", "Pablo", "Benedicto", "Pío", "León",
        "Enrique", "Jorge", "Eduardo", "Isabel", "María", "Napoleón", "Pedro", "Sancho", "Jaime", "Ramiro",
        "Alejandro", "Nicolás", "Francisco", "Clemente", "Gregorio", "Inocencio", "Urbano", "Catalina", "Guillermo",
        "Ricardo", "Jacobo", "Leopoldo", "Maximiliano", "Cristina", "Ana"],
    numbered_nouns=("año", "capítulo", "Capítulo", "tomo", "Tomo", "volumen", "Volumen", "acto", "Acto", "parte",
        "Parte", "fase", "tipo", "Título", "título", "artículo", "sección",
             "Guerra Mundial", "nivel", "grado", "Juegos Olímpicos", "anexo", "Anexo"),
    date_words=r"(?:(?<=\bel)|el|al|del|hasta el|desde el|día)",
        score_words=r"(?:ganó|ganaron|perdió|perdieron|venció|vencieron|empató|empataron|derrotó|goleó|gana|"
        r"marcador|resultado|cayó|terminó|quedaron)",
    telephone_words="Tel\\.|tel\\.|Teléfono|teléfono|Tfno\\.|tfno\\.|[Ll]l[aá]m\\w{1,5} al|Móvil|"
        "móvil|marque el|al número|Fax",
    fixed={"salu2": "saludos", "x2": "por dos", "50/50": "cincuenta cincuenta", "24/7": "veinticuatro siete"},
        measure_words="taza cucharada cucharadita vaso litro kilo hora docena copa libra lata manzana cebolla",
    chat={"q": "que", "k": "que", "tqm": "te quiero mucho", "bss": "besos", "msj": "mensaje", "x": "por", "d": "de",
        "dnd": "dónde", "finde": "fin de semana", "grax": "gracias",
          "salu2": "saludos", "kdms": "quedamos", "ntp": "no te preocupes", "xa": "para", "bn": "bien",
              "dsp": "después", "vdd": "verdad"},
)  # fmt: skip
LANGUAGE = Language(
    name="spanish",
    spellings="es spa español espanol castellano castilian",
    common_words="el la los las de que y en un una es no se por con para su al lo como más pero sus le ya o este sí "
    "porque esta entre cuando muy sin sobre también me hasta hay donde quien desde todo nos durante está "
    "son fue era del",
    own_letters="ñ¿¡",
    sentences="es",
    sample="¿Oíste la lluvia anoche? Empezó a medianoche, y por la mañana brillaba todo el jardín. Me preparé un"
    " té y miré cómo volvían los pájaros.",
    everyday=(
        "Esta mañana compramos pan y fruta en el mercado.",
        "¿Me puede decir a qué hora sale el autobús?",
        "Mi hermana toca la guitarra todas las noches.",
        "La casa vieja está al lado del río.",
        "¡Qué alegría verte otra vez por aquí!",
    ),
    recognise=EuropeanReader(WORDS),
)
