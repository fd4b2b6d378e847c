"""How Spanish says a number by what stands beside it, and the forms that only Spanish has."""

from __future__ import annotations

import re

from mlx_tts.text.languages.spanish.forms import form_kinds
from mlx_tts.text.languages.spanish.notices import notice_kinds
from mlx_tts.text.normalise.engine import Kind, Rule, mentions, rule, text_after, text_before, words_of
from mlx_tts.text.normalise.romance import Alike, Romance

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


# Singular nouns that are feminine by their ending, or that people often count.
FEMININE_ONE = (
    r"\w+(?:a|ción|sión|dad|tud)|noche|parte|vez|mujer|clase|llave|calle|suite|tarde|nube|nave|base|frase|fase|serie"
    r"|leche|carne|flor|mano|luz|voz|cruz|red|pared|señal|imagen|crisis|dosis|tesis|moto|foto|radio|imagen|sede|fuente"
    r"|muerte|suerte|nuez|torre"
)
WEEK = {"L": "lunes", "M": "martes", "X": "miércoles", "J": "jueves", "V": "viernes", "S": "sábado", "D": "domingo"}
SHORT_MONTHS = {"set": "sept", "febr": "feb"}
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
BILLED = re.compile(r"(?i)\b(?:TAE|TIN|dto|cuota|permanencia|fibra|contrato|tarifa|financ\w*|plazo)\b|€/mes")


HOURS = re.compile(r"(?i)\d ?h\b|\d:\d|abiert|horario|cerrad")
PATIENT = re.compile(r"(?i)\b(?:paciente|varón|mujer|ingresa|acude|anamnesis|TA|FC)\b")


class Spanish(Romance):
    """Numbers agree with what they count; of a fraction's parts those above ten have names with -avo."""

    alike = Alike(
        aged=("menores de", "mayores de"),
        plural=r"[a-zà-ÿ]{3,}s",
        university="universidad", either="o", lasting="por", more="más de", for_whom="para", of_so_many="por",
        months="ene febr feb abr jun jul ago sept set oct nov dic", other_months="set",
        before_months=r"[Ee]n|[Dd]esde|[Hh]asta|[Pp]ara|[Dd]e|a|y", x="por",
        month_forms=("mes", "meses"), day_forms=("día", "días"), to_one={"m": "me", "t": "te"},
    )  # fmt: skip

    def cardinal(self, number: int, gender: str = "") -> str:
        """Hundreds of thousands agree with what is counted: "doscientas mil personas"; millions are masculine."""
        said = super().cardinal(number, gender)
        if gender != "f" or number % 1_000_000 < 200_000:
            return said
        millions, rest = re.match(r"(.*mill(?:ón|ones) )?(.*)", said).groups("")  # type: ignore[union-attr]
        return millions + re.sub(r"ientos(?=(?: [a-zé]+){0,3} mil\b)", "ientas", rest)

    def or_before(self, number: int) -> str:
        return "u" if self.cardinal(number).startswith("o") else "o"

    def counted(self, written: str, forms: list[str], scale: str = "") -> str:
        if forms[0] == "por ciento" and written == "1":
            return f"{self.spoken(written)} por ciento"
        return super().counted(written, forms, scale)

    def gender_of_many(self, noun: str) -> str:
        return super().gender_of_many(noun) or ("m" if re.fullmatch(r"[a-zà-ÿ]+s", noun) else "")

    def one(self, noun: str, before: str) -> str:
        if not noun[:1].islower() or noun in SMALL_WORDS or NAMING.search(before):
            return super().one("", before)
        masculine = re.fullmatch(r"(?:día|mapa|problema|tema|programa|sistema|idioma|planeta|clima|poeta)", noun)
        feminine = re.match(self.feminine, noun) or re.fullmatch(FEMININE_ONE, noun)
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
            rule(r"(?<![\w.])c/ ?(?=(?:Sr|Sra|Srta|Sres|Dr|Dra)\.|D\.ª? [A-Z])", "con "),
            rule(r"(?<![\w./])i/v(?![\w/])", "ida y vuelta"),
            rule(r"(?<![\w.])[Cc]/ ?(?=[A-ZÁÉÍÓÚÑ]|de |del |la |el )", "calle "),
            rule(r"(?<![\w.])c/ ?(?=(?P<each>año|mes|día|semana|hora|un[oa]|vez|tarde|mañana|noche|persona)\b)",
                "cada "),
            rule(r"(?<![\w.])c/ ?(?=[a-zà-ÿ]{3})", "con "),
            rule(r"(?<![\w.])pl\.(?= (?:de (?:la |las |los )?|del |Mayor\b)?[A-ZÁÉÍÓÚÑ])", "plaza"),
            rule(r"(?:(?<=\bm de )|(?<=\bm )|(?<=\d de ))alt\.", lambda m: f"altitud{self.sentence_stop(m)}"),
            rule(r"(?<![\w.])(?<![Ll]a )Vid\.(?= (?:[A-ZÁÉÍÓÚÑ]{2}|arts?\.|supra|infra|nota|cap\.|págs?\.|pp?\.))",
                 "Véase"),
            rule(r"(?<=[a-zà-ÿ] )x (?=\d{1,2} de )", "por "),
            rule(r"(?:(?<=\b[Ll]as )|(?<=\b[Ll]a ))(?P<n>1[0-2]|[1-9]) y (?:1/2|½)(?![\w/])",
                 lambda m: f"{self.cardinal(int(m['n']), 'f')} y media"),
            rule(r"(?<![\w.])(?P<day>lun|jue|vie|sáb|mié|mar|dom)\.?(?= a las? \d)",
                 lambda m: next(day for day in WEEK.values() if day.startswith(m["day"]))),
            rule(r"(?<=[;,y] )(?P<day>[LMXJVSD])(?= (?:hasta|desde|de|a partir de) (?:las )?\d)",
                 lambda m: WEEK[m["day"]] if mentions(HOURS, m.string) else None),
            rule(r"(?<=\bde )(?P<n>[1-9]\d|\d) a\.(?= (?:con|que|y|sin|acude|ingresa|de edad)\b|,)",
                 lambda m: self.counted(m["n"], ["año", "años"]) if mentions(PATIENT, m.string) else None),
            rule(r"(?<=\b(?:[Ee]n|de) )(?P<month>set|sept|ago|dic|oct|nov|ene|febr?|abr)\.(?= [a-zà-ÿ(]|[,;)])",
                 lambda m: self.month_names[self.month_numbers[SHORT_MONTHS.get(m["month"], m["month"])] - 1]),
            rule(r"(?<![\w.])miérc?\.", lambda m: f"miércoles{self.sentence_stop(m)}"),
            rule(r"(?<![\w.])(?P<day>mart|juev|vier)\.(?= \d| a | de )",
                 lambda m: next(day for day in WEEK.values() if day.startswith(m["day"]))),
            rule(r"(?<![\w.-])sáb(?![\w.-])", "sábado"),
            rule(r"(?<![\w.])(?P<c>[Cc])ad\.(?=:? ?\d)", r"\g<c>aducidad"),
            rule(r"(?<=º )izq(?![\w.])", "izquierda"),
            rule(r"(?:(?<=\b[Ee]l )|(?<=\bal )|(?<=\bdel ))min\.? ?(?=\d)", "minuto "),
            rule(r"\b(?P<noun>(?:[Tt]emp|[Vv]el)\.|[a-zà-ÿ]{3,20}|[A-ZÁÉÍÓÚ][a-zà-ÿ]{3,20}) (?P<what>máx|mín)\.",
                 self._extreme),
            rule(r"\b(?P<noun>menisco|ligamento|maléolo|cóndilo|bloque|apto) (?P<side>int|ext)\.",
                 lambda m: f"{m['noun']} {'in' if m['side'] == 'int' else 'ex'}terno{self.sentence_stop(m)}"),
            rule(r"(?<=\bo )sup\.", lambda m: f"superior{self.sentence_stop(m)}"),
            rule(r"(?<=, )pf(?=[.!]|\s*\Z)", "por favor"),
            rule(r"(?<=[12]\.º )sem\.", lambda m: f"semestre{self.sentence_stop(m)}"),
            rule(r"(?<![\w.])c/ ?(?=\d{1,3} ?(?:min|h|d|días|horas|meses|años|sem|km|m)\b)", "cada "),
            rule(r"(?<![\w./])p/ ?(?=\d|[a-zà-ÿ]{2})", "para "),
            rule(r"(?<![\w.,])(?P<n>\d{1,2}) m\.(?=[:,;)]|\Z)", lambda m: self.counted(m["n"], ["mes", "meses"])
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

    def _extreme(self, match: re.Match[str]) -> str | None:
        """ "duración máx."."""
        noun = {"temp.": "temperatura", "vel.": "velocidad"}.get(match["noun"].casefold(), match["noun"].casefold())
        if self.gender(noun) != "f" and not re.search(r"(?:ión|dad|tud)\Z", noun):
            return None
        said = noun.capitalize() if match["noun"][0].isupper() else noun
        return f"{said} {'máxima' if match['what'] == 'máx' else 'mínima'}{self.sentence_stop(match)}"

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
            *form_kinds(self),
            *notice_kinds(self),
            *self.romance_kinds(),
            Kind(
                "name",
                re.compile(r"\bD\.|\b[LMXJV] ?(?:a|-|–|y) ?[MXJVSD]\b|temp\."),
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
