"""What French, Spanish, Portuguese and Italian say alike where the words around a form tell what it means.

Degrees that are written like ordinals, "2/3 days", months cut short within a sentence, and halves behind a noun.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import ClassVar

from mlx_tts.text.normalise.engine import Kind, rule, text_after, text_before, words_of
from mlx_tts.text.normalise.european import FEMININE, European
from mlx_tts.text.normalise.european_numbers import DECIMAL, following

# Before "30º" and "30°": it is warm.
WARM = re.compile(
    r"(?i)\b(?:hac(?:e|en|ía|ían)|hizo|hará|haga|faz|fazem|fazia|fará|fez|fa|faceva|farà|rond\w+ (?:a )?los"
    r"|llegar\w* a los|alcanz\w+(?: los)?|atin\w+(?: os)?|super\w+(?: los| i| os)?|raggiung\w+(?: i)?|sfior\w+(?: i)?"
    r"|passa\w* dos|chega\w* aos|m[áàa]xim\w*|m[íi]nim\w*|m(?:[áa]x|[íi]n)\.|massim[ae]|minim[ae]|fiebre|febre|febbre"
    r"|temperaturas?"
    r"|ci sono|c'erano|(?:água|agua|acqua|aire|ar|aria|term[óo]\w+|ambiente|horno"
    r"|forno)(?: \w+)?(?: est[áa])? a)(?: (?:de|di|do|a|é de|es de|era de|hasta|até|fino a|unos|uns|circa|cerca de"
    r"|cerca di|casi|quase|quasi|más de|mais de|più di|los|os|i))?:? \Z|\b(?:cay|caer|ca[ií]|baj|baix|desc|desç|scend"
    r"|sub|sob|sal)\w* (?:hasta|até|fino a) \Z|\b(?:entre|tra|fra) (?:los |os |i )?\Z|\b(?:entre|tra|fra) (?:los |os "
    r"|i )?-?\d{1,2} ?[º°]? (?:y|e)(?: los| os| i)? \Z"
)
HEATED = re.compile(
    r" (?:a la sombra|à sombra|all['’]ombra|al sol\b|ao sol\b|al sole\b|de fiebre|de febre|di febbre|bajo cero|"
    r"abaixo de zero|sotto zero|sopra lo zero|sobre cero|a la (?:derecha|izquierda)|[àa] (?:direita|esquerda))"
)
# Before an ordinal: who came where, or which of several.
PLACED = re.compile(
    r"(?i)\b(?:qued\w+|termin\w+|acab\w+|clasific\w+|llegó|entró|finaliz\w+|fic\w+|cheg\w+|classific\w+|arriv\w+"
    r"|fin[iì]\w*|"
    r"chius\w+|piazz\w+|es|era|fue|é|foi|è|fu|siglo|século|secolo|puesto|lugar|posto|posizione|posición|posição|c"
    r"olocado|séc\w*|"
    r"el|la|del|al|su|este|mi|tu|o|do|ao|no|pelo|seu|meu|il|dal|nel|sul|suo|mio|n\.|art\w*\.?)(?: (?:em|en|in|de"
    r"|come)| \w+ em)? \Z"
)
NO_NOUN = (
    r"(?:de|del|en|a|al|y|o|con|por|para|que|se|hasta|durante|los|las|unos|do|da|dos|das|em|no|na|nos|nas|ao|com|até|e"
    r"|ou|per|nel|nella|nei|alla|alle|allo|della|delle|dei|fino|poi|senza|oggi|hoy|hoje|ayer|ontem|ieri|mañana|amanhã"
    r"|domani|sul|sulla|sui|sulle|sobre|circa|verso|entro|oltre|sotto|sopra|bajo|aunque|cuando|quando|mentre|mientras"
    r"|enquanto|dove|donde|onde|est[áa]\w*|siamo|sono|son|são|era|fue|foi|fu|hace|faz|anche|também|también|però|porém"
    r"|stasera|stanotte|esta|questa|este|questo|allora|entonces|então|aqui|aquí|qui|ayer|non|no|si|se|ya|já|già|pero"
    r"|mas|ma|più|más|mais|di|in|ad|ed)\b"
)
# What is counted by "2/3"; behind parts of a whole stands an article or one thing.
COUNTED = (
    r"jours|heures|minutes|secondes|semaines|mois|ans|années|nuits|fois|euros|km|días|horas|minutos|segundos|semanas"
    r"|meses|años|noches|veces|dias|anos|noites|vezes|reais|giorni|ore|minuti|secondi|settimane|mesi|anni|notti|volte"
    r"|persone|porzioni|fette|cucchiai|cucchiaini|gocce|compresse|bustine|spicchi|uova"
)
# Behind "2/3" of these there may as well be a part of one, or a part of all.
MEASURING = (
    r"taz[ae]s?|cuchar\w+|vasos?|copas?|xícaras?|colher\w*|copos?|tasses?|verres?|cuill\w+|litros?|litres?|litri"
    r"|kilos?|quilos?|chili|bicchieri|tazze|libras|livres|onces|bouteilles?|botellas?|garrafas?|part[ei]s?|partes"
    r"|parties|finales?|finais|finali|des|dos|das|dels?|del\w+|de[gi]\w*|les|los|las|nos|nas|plus|más|mais|puis|dans"
    r"|sous|sans|vers|chez|dès|entre|tras|pues|antes|depois|después|pelos|pelas|aos|otros|outros|come|dove|che|anche"
    r"|poi|oltre|sempre|quasi|circa|prima|per|ogni|tutti|forse"
)
PRICED = re.compile(r"(?:[€$]|euros?|reais|pagas|cuotas)(?:/\w+)? \Z")
PER_UNITS = r"ml|mL|cl|dl|l|L|kg|g|m[²³23]|km²?|ha|h|min|s|mq|litre|litro|kilo|quilo|chilo|mètre|metro|heure|hora|ora"
WEEKDAYS = r"lun|mar|mer|mié|mer|jeu|jue|gio|ven|vie|sam|sáb|sab|dim|dom|seg|ter|qua|qui|sex"
# What is held on a day: "reunião de 8/12".
HELD = (
    r"[Rr]eun\w+|[Rr]iun\w+|[Rr]éunion|[Cc]ita|[Cc]onsulta|[Vv]isita|[Jj]ogo|[Pp]rova|[Ee]xame[ns]?|[Ff]esta|[Vv]oo"
    r"|[Vv]uelo|[Vv]olo|[Vv]ol|[Cc]art[aeo]|[Ll]ettera|e-?mail|[Ss]ess\w+|[Ss]eduta|[Ss]esión|[Pp]artid[ao]|[Pp]artita"
    r"|[Cc]oncert\w+|[Ll]ezione|[Cc]lase|[Aa]ula|[Ff]attura|[Ff]actura|[Ff]atura|[Nn]ota|[Ii]ncontro|[Ee]ncontro"
    r"|[Ee]vento|[Ss]éance|[Mm]atch|[Ff]acture|[Cc]ourrier|[Ll]ettre|[Aa]ta|[Aa]cta|[Vv]erbale|[Aa]tto|[Dd]ecreto"
    r"|[Ll]lamada|[Aa]nalítica|[Rr]eferto|[Bb]oletim"
)
# Before "12/14": a card's or a contract's last month.
EXPIRING = re.compile(
    r"(?i)\b(?:scad\w*|valid\w*|expir\w*|venc\w*|vto|cad\w*|échéance|en|em|nel|di|de|dal|al|desde|depuis|fin|do|du|n\."
    r"|nº|n°|art\w*|legge|ley|lei|loi)[.:]? \Z"
)
HALVED = words_of(
    "ans an mois jours jour heures heure h semaines années kg l litres kilos kilo litre km años año meses mes días día "
    "horas hora litros litro anos ano dias dia quilos quilo anni anno mesi mese giorni giorno ore ora litri chili chilo"
)
LONG = {"genn": 1, "fevr": 2, "febr": 2, "febbr": 2, "febb": 2, "magg": 5, "lugl": 7, "sett": 9, "set": 9, "dec": 12}
AFTER_MONTHS = (
    r" (?:derniers?|prochains?|inclus|dernière|pasado|próximo|passado|que vem|que viene|scorso|prossimo|compreso"
    r"|incluido)\b"
)

# A line with one of these is chat.
CHATTY = re.compile(
    r"(?<![\w.'’])(?:q|xq|pq|tngo|xfa|xfi|tb|tmb|tqm|bss|dnd|kdms|ntp|vc|vcs|dps|mto|bjs|abs|vlw|blz|hj|amg|kd"
    r"|tbm|nn|xké|cmq|tvb|tt|ke"
    r"|d (?:l[ao]s?|el|mi|tu|su|o|a|os|as|meu))(?![\w'’.])|\b[a-z]{1,6}(?:j[aeio]){2,}|\b(?:ah){2,}|\bkkk"
)
# Behind these "3 m" are months: what is to be seen again, or who is so old.
CONTROLLED = re.compile(
    r"(?i)\b(?:control\w*|revisi\w+|cita|seguimiento|re-?evalu\w+|reavali\w+|retorno|consulta|acompanhamento"
    r"|tratamiento|tratamento|niñ[oa]|lactante|criança|beb[eéê]|menin[oa]|dosis|dose|vacuna\w*|vacina|analítica"
    r"|ecograf\w+|exames?|garantía|garantia|permanencia|contrato|prazo|plazo|carência)\b[^.\d]{0,16}\b(?:en|em|de"
    r"|a los|aos|tras|após|durante|cada|dentro de|hasta los|daqui a|por|cumplidos los) \Z"
)


# Before a month these may as well stand at the end of a sentence.
JOINTS = ("De ", "de ", "a ", "A ", "tra ", "Tra ", "e ", "y ", "et ", "Di ", "di ", "du ")


# Behind these "< 18 anos" is an age.
PEOPLE = re.compile(
    r"(?i)\b(?:para|p/|les|aux|los|os|aos|i|gli|ai|niñ[ao]s|crianças|enfants|bambini"
    r"|ragazzi|personas?|personnes"
    r"|pessoas|persone|adult\w+) \Z"
)
# Before parts of something.
PARTS = re.compile(
    r"\b(?:los|las|les|os|as|i|le|gli|ai|dei|nei|alle|delle|dos|das|aos|às|nos|nas|des|aux|ces|ses|otros|outros) \Z",
    re.IGNORECASE,
)
# What a date would begin with: these belong to a span that is none.
DAY_WORDS = (
    r"[Ll]e|[Dd]u|[Aa]u|[Ee]l|[Dd]el|[Aa]l|[Ii]l|[Dd]al|[Dd]ia|[Dd]ía|[Nn]o|[Nn]a|[Dd]o|[Dd]a|[Aa]o|[Ee]m|[Ee]n|[Aa]té"
    r"|[Hh]asta|[Jj]usqu['’]au|[Tt]ra|[Ff]ra|[Ee]ntre|[Dd]esde|[Aa]ntes de|[Dd]epois de|[Aa] partir de"
)
# Before a date.
ON_A_DAY = ("el ", "le ", "du ", "au ", "il ", "al ", "del ", "dal ", "dia ", "día ", "em ", "no ", "do ")


@dataclass(frozen=True)
class Alike:
    """What a language of these says for what they share.

    plural: a pattern of nouns in the plural. lasting: behind a dose, before how long ("x 5 días"); priced_times:
    whether a price has another word there. for_whom: "pizza x 4". of_so_many: "15 casos/100.000". aged: younger and
    older than. months: short forms; other_months: those of them that are other words as well; before_months: a
    pattern. month_forms, day_forms: one and several, where "3 m" and "7 d" may be these. to_one: what a lone m and t
    are in chat; x: a lone x before "favor". about: the first letter of an ending -> number -> a word ("une 30aine").
    elided_day: whether "l'8/12" is a day."""

    plural: str
    university: str
    either: str
    lasting: str
    more: str
    for_whom: str
    of_so_many: str
    aged: tuple[str, str]
    months: str
    other_months: str
    before_months: str
    priced_times: bool = False
    elided_day: bool = False
    month_forms: tuple[str, ...] = ()
    day_forms: tuple[str, ...] = ()
    x: str = ""
    to_one: dict[str, str] = field(default_factory=dict)
    about: dict[str, dict[int, str]] = field(default_factory=dict)


class Romance(European):
    """A language that came from Latin. ordinal_marks: what ordinals are written with; where it is a small circle,
    degrees look like them."""

    alike: ClassVar[Alike]
    ordinal_marks: ClassVar[str] = "º°"

    def or_before(self, number: int) -> str:
        """ "Or" before a number."""
        return self.alike.either

    def romance_kinds(self) -> tuple[Kind, ...]:
        alike = self.alike
        months = "|".join(sorted(words_of(alike.months), key=len, reverse=True))
        halved = "|".join(rf"(?<=\b{noun} )" for noun in HALVED)
        degrees = (rule(r"(?<![\w.,/])(?P<minus>[-–])?(?P<n>\d{1,3})[º°](?!\w|\. ?[a-z])", self._degrees),)
        return (
            Kind("measure", re.compile(r"\d[º°]"), degrees if "º" in self.ordinal_marks else ()),
            Kind("measure", re.compile(r"\d [md]\b"), (
                rule(r"(?<=\d )d(?= (?!después|despu|depois|antes|tras|más|mais|seguid|consec|después|durante|para|por"
                     r"|con|com|sin|sem|desde|hasta|até|como|entre|sobre|pero|porque)[a-zà-ÿ]{4,})", self._of),
                rule(r"(?<![\w.,/-])(?P<n>\d{1,2}) m\b(?![²³/]| de (?:alt|larg|anch|prof|long|comp|diám|diâm|dist)"
                     r"| d[aeo]l? (?:la |el )?(?:porta|puerta|casa|rua|calle|suelo|chão))\.?", self._months),
            ) if alike.month_forms else ()),
            Kind("measure", re.compile(r"\d ?[º°]|[<>+–-] ?\d|[-–+] d|\bx ?\d|\d d\b|/\d|\$ ?\d|[x×] ?(?:R|US)?\$"), (
                rule(r"(?<![\w.,/-])(?P<a>\d{1,3}) ?[-–/] ?(?P<b>\d{1,3}) ?[º°](?!\w)", self._span_of_degrees),
                rule(r"(?:(?<=\b[Ll]es )|(?<=\b[Ll]os )|(?<=\b[Oo]s )|(?<=\b[Ii] )|(?<=\bgli )|(?<=\bai )|(?<=\baux ))"
                     r"(?P<sign>[-–+]) ?(?:de |di )?(?P<n>\d{1,2}) (?P<noun>ans|años|anos|anni)\b",
                     self._aged),
                rule(r"(?<![\w<>=])(?P<sign>[<>]) ?(?P<n>\d{1,3}) (?P<noun>años|anos|anni|ans|meses|mois|mesi)\b",
                     self._aged),
                rule(r"(?<=[a-zà-ÿ\d).€] )[x×] ?(?=\d{1,3} ?(?:d[íi]as?|d|j|jours?|gg|giorni|semanas?|sem|semaines?"
                     r"|sett|mois|mes(?:es|i)|noches?|noites?|notti|nuits|pers\w*|pessoas?"
                     r"|personas?)(?!\w))", self._times),
                rule(r"(?P<before>\b(?:[Dd]urante|[Cc]ada|a los|[Ee]n|[Pp]or|[Ee]m|x|[Tt]ras|[Aa]pós|[Hh]ace"
                     r"|[Hh]á)) (?P<n>\d{1,3}) d(?=[,;:)]|\.(?! ?C\b)|\s*\Z| (?:y|e|si|se|con|com|después|depois|más|o"
                     r"|ou)\b)", self._days),
                rule(r"(?<![\w.,/-])(?P<k>\d{1,2}) ?(?P<what>[a-zà-ÿ]{2,12}\.?)/(?P<n>4|6|8|12|24|48) ?h(?!\w)",
                     self._every),
                rule(rf"(?<!\w)(?P<sign>R\$|US\$|[€$£]) ?(?P<n>{DECIMAL}) ?[x×] ?(?=\d{{1,3}}(?!\d))",
                     lambda m: f"{self.price(m['n'], m['sign'])} {self._by(m)} " if m["sign"] in self.money else None),
                rule(r"(?<![\w.,/-])(?P<n>\d{1,3}) d\.(?! ?C\b)(?=[,;:)]|\s|\Z)", self._days),
                rule(r"(?<=\d) ?[x×] ?(?=(?:R|US)\$ ?\d)", lambda m: f" {self.times} "),
                rule(r"(?<=[a-zà-ÿ] )x (?=\d{1,2}(?:[,;!?)](?!\d)|\.(?!\d)|\s*\Z))",
                     lambda m: f"{self.alike.for_whom} "),
            )),
            Kind("abbreviation", re.compile(r"[Uu]niv\. "), (
                rule(r"(?<![\w.])(?P<u>[Uu])niv\.(?= (?:d[aeio]l?l?s?|du|degli|dell['’]|d['’]) ?[\wÀ-Þ])"
                     r"|(?<![\w.])(?P<name>U)niv\.(?= [A-ZÀ-Þ])",
                     lambda m: (m["u"] or m["name"]) + alike.university[1:]),
            )),
            Kind("chat", re.compile(r"(?:\A|\s)[mtx] "), (
                rule(r"(?:\A|(?<=[a-zà-ÿ,!?] ))(?P<short>[mt])(?= [a-zà-ÿ]{2,}(?![\w|/]))",
                     lambda m: alike.to_one.get(m["short"]) if CHATTY.search(m.string[:2000]) else None),
                rule(r"(?:\A|(?<=[a-zà-ÿ,.!?] ))x(?= (?:cierto|favor|fa|eso|ejemplo|fin|si|lo menos))",
                     lambda m: alike.x or None),
            )),
            Kind("number", re.compile(r"\d/\d|½"), (
                rule(r"\b(?P<word>[Tt]ou(?:s|tes) les|[Cc]haque|[Oo]gni|[Cc]ada|[Uu]n|[Uu]m|[Dd]ernier|[Pp]rem(?:ier"
                     r"|ero)|[Úú]ltimo|[Uu]ltimo|[Pp]rim(?:er|o|eiro)|al|del|au|du|do|no|nel"
                     r"|dal) 1/(?P<n>[34])(?![\w/]|[.,]\d)(?P<of> ?(?:d['’]|de "
                     r"|di )(?:[a-zà-ÿ]{3,20})?)?(?P<unit>h(?!\w))?", self._each_part),
                rule(rf"(?<![\w.,/-])(?P<word>\b(?:{DAY_WORDS}) )?(?<![\d.,/-])(?P<a>[1-9]\d?)/(?P<b>[1-9]\d?)"
                     r"(?: ?(?P<unit>h|j|min|ans|nuits|secondes|sem\.|sett\.|gg)(?![\w/])"
                     rf"|(?= (?:{COUNTED}|(?!(?:{MEASURING})(?!\w)){alike.plural})(?!\w)))", self._either),
                rule(rf"(?:{halved})(?:1/2|½)(?![\w/]| [a-zà-ÿ]{{4,}}s?\b(?<! environ))",
                     self._and_a_half),
            )),
            Kind("measure", re.compile(rf"[a-zà-ÿ]/(?:{PER_UNITS}|1)"), (
                rule(r"(?<![\w/.])(?P<noun>[a-zà-ÿœ]{3,20})/(?P<n>1(?:[ .]?0{2,3}){1,3})(?: (?P<who>hab\."
                     r"|ab\.))?(?![\w/]|[.,]\d)",
                     self._rate),
                rule(rf"(?<![\w/.])(?P<noun>[a-zà-ÿœ]{{3,20}})/(?P<per>{PER_UNITS})(?![\w/]|[.,]\d)",
                     self._noun_per_unit),
            )),
            Kind("number", re.compile(r"\+|\d(?:aine|ina|na)"), (
                rule(r"(?<=[\d€$] )(?P<or>ou|o|e|et|y) \+(?=[ ,.;)]|\Z)(?! ?\d)", lambda m: f"{m['or']} {self.plus}"),
                rule(r"(?<![\w.,])(?P<n>\d{1,3})(?P<end>aines?|ina|ine)(?!\w)",
                     lambda m: self._about(int(m["n"]), m["end"])),
            )),
            Kind("date", re.compile(r"\d/\d"), (
                rule(r"\b(?P<before>[dl]|[Dd]ell|[Dd]all|[Aa]ll|[Nn]ell|[Ss]ull|L)(?P<mark>['’])(?P<day>8"
                     r"|11)/(?P<month>1[0-2]|0?[1-9])(?![\w/]|[.,]\d)", self._named_day),
                rule(rf"(?P<before>\b(?:{HELD}) (?:d[aeio]l?s?|du|de la|del)) (?P<mark>)(?P<day>[12]\d|3[01]|0?[1-9])/"
                     r"(?P<month>1[0-2]|0?[1-9])(?![\w/]|[.,]\d)", self._named_day),
                rule(r"\b(?P<before>[Dd]e |[Dd]all['’]|[Dd]al |[Dd]o )(?P<a>\d{1,2})/(?P<b>\d{1,2}) "
                     r"(?P<to>a|al|ao|all['’]) ?(?P<c>\d{1,2})/(?P<d>\d{1,2})(?![\w/]|[.,]\d)", self._from_to),
                rule(r"(?P<before>\()(?P<mark>)(?P<day>[12]\d|3[01]|0?[1-9])/(?P<month>7|9|11|12|0[1-9])(?=\))",
                     self._named_day),
                rule(r"(?<![\w.,/-])(?P<a>1[0-2])/(?P<b>1[3-9]|20)(?![\w/]|[.,]\d| ?[%€])", self._about_so_many),
            )),
            Kind("date", re.compile(rf"\b(?:{months})\.|\b(?:{WEEKDAYS})\. \d"), (
                rule(rf"(?:(?P<word>\b(?:{DAY_WORDS})) )?\b(?P<day>{WEEKDAYS})\. (?=\d{{1,2}}(?!\d|[.:/h]\d| ?h\b))",
                     lambda m: f"{m['word'] + ' ' if m['word'] else ''}{self.day_names[m['day']]} "
                     if m["day"] in self.day_names else None),
                rule(rf"(?<![\w.])(?P<word>(?:{alike.before_months}) |[Mm]i-)(?P<month>{months})\.(?! ?\d)",
                     self._short_month),
                rule(rf"(?<![\w.])(?P<word>)(?P<month>{months})\.(?={AFTER_MONTHS})", self._short_month),
                rule(rf"(?<![\w.])(?P<first>{months})\. (?P<to>a|à|e|y|et) (?P<month>mar|mag|may|mai)\.(?! ?\d)",
                     lambda m: f"{self.month_names[self._number_of(m['first']) - 1]} {m['to']} "
                     f"{self.month_names[self._number_of(m['month']) - 1]}{self.sentence_stop(m)}"),
            )),
        )  # fmt: skip

    def _degrees(self, match: re.Match[str]) -> str | None:
        """ "Hace 30º", "32° all'ombra": no rank."""
        before, behind = text_before(match, 48), text_after(match, 24)
        noun = re.match(rf" (?!{NO_NOUN})[a-zà-ÿ]{{3,}}", behind) and not HEATED.match(behind)
        high = int(match["n"]) > 20 and re.search(r"[a-zà-ÿ], ?\Z|[a-zà-ÿ] \Z", before) and not PLACED.search(before)
        if noun or not (match["minus"] or HEATED.match(behind) or WARM.search(before) or high):
            return None
        said = self.counted(match["n"], self.unit_names["°"].split("|"))
        return f"{self.minus} {said}" if match["minus"] else said

    def _span_of_degrees(self, match: re.Match[str]) -> str | None:
        """ "170-180º"."""
        first, last, behind = int(match["a"]), int(match["b"]), text_after(match, 24)
        noun = re.match(rf" (?!{NO_NOUN})[a-zà-ÿ]{{4,}}", behind) and not HEATED.match(behind)
        if first >= last:
            return None
        if noun and last < 13:
            return f"{self.ordinal(first)} {self.or_before(last)} {self.ordinal(last)}" if self.ordinal_marks else None
        both = re.search(r"\b(?:entre|tra|fra) \Z", text_before(match, 6))
        joint = self.web["&"] if both else self.to
        return f"{self.cardinal(first)} {joint} {self.counted(match['b'], self.unit_names['°'].split('|'))}"

    def _by(self, match: re.Match[str]) -> str:
        counted = not self.alike.priced_times and re.match(r"\d+ [a-zà-ÿ]{3}", text_after(match, 8))
        return self.alike.lasting if counted else self.times

    def _times(self, match: re.Match[str]) -> str:
        """ "cada 8 h x 5 días", "95 € x 3 noches"."""
        before, behind = text_before(match, 24), text_after(match, 8)
        priced = self.alike.priced_times and PRICED.search(before)
        if re.match(r"\d+ ?m[oe][is]", behind) and re.search(r"[€$]|euros?\b|reais\b", before):
            return f"{self.times} "  # so much a month
        people = re.match(r"\d+ ?pers", behind) and not PRICED.search(before)
        return f"{self.times if priced else self.alike.for_whom if people else self.alike.lasting} "

    def _days(self, match: re.Match[str]) -> str | None:
        """ "durante 7 d"."""
        if not self.alike.day_forms:
            return None
        before = match.groupdict().get("before") or ""
        before = "por" if before == "x" else before
        days = self.counted(match["n"], [*self.alike.day_forms])
        return f"{before} {days}".lstrip() + (self.sentence_stop(match) if match[0].endswith(".") else "")

    def _every(self, match: re.Match[str]) -> str | None:
        """ "1 sobre/12 h"."""
        if not self.every_hours:
            return None
        forms, many = self.unit_names.get(match["what"]), match["k"]
        if forms:
            said = self.counted(many, forms.split("|"))
        else:
            noun = match["what"]
            said = f"{self.cardinal(int(many), self.gender_of_many(noun) or self.gender(noun))} {noun}"
        return f"{said} {self.every_hours.format(n=self.cardinal(int(match['n']), FEMININE))}"

    def _noun_per_unit(self, match: re.Match[str]) -> str | None:
        """ "10 g de sel/litre", "3,2 x 10⁵ batteri/ml"."""
        if not re.search(r"[\d⁰-⁹²³½¼¾][^.;:!?]{0,24}\Z", text_before(match, 28)):
            return None
        per, joint = match["per"], self.per_unit(match["per"])
        word = self.unit_names[per].split("|")[0] if per in self.unit_names else per
        if per not in self.unit_names:
            return f"{match['noun']} {self.per_word(word)}"
        return f"{match['noun']} {joint} {word}".replace("' ", "'")

    def _rate(self, match: re.Match[str]) -> str | None:
        """ "15 cas/100 000 hab."."""
        if not re.search(r"\d[^.;:!?]{0,24}\Z", text_before(match, 28)):
            return None
        who = self.abbreviations.get(match["who"] or "", "")
        said = f"{match['noun']} {self.per_amount or self.alike.of_so_many} {self.spoken(match['n'])} {who}".rstrip()
        return said + (self.sentence_stop(match) if match[0].endswith(".") else "")

    def _about(self, number: int, end: str) -> str | None:
        """ "une 30aine", "una 30ina"."""
        several, numbers = end in ("aines", "ine"), self.alike.about.get(end[0], {})
        said = numbers.get(number)
        if said is None:
            return None
        return said if not several else f"{said}s" if end[0] == "a" else f"{said[:-1]}e"

    def _named_day(self, match: re.Match[str]) -> str | None:
        """ "la riunione dell'8/12", "RM (3/11)"."""
        before, day, month = match["before"], int(match["day"]), int(match["month"])
        if before == "(" and (day, month) in ((7, 9), (9, 11)):
            return None
        said = self.said_date(day, month, None, before)
        if not match["mark"]:
            return f"{before}{'' if before == '(' else ' '}{said}"
        return f"{before}{match['mark']}{said}" if self.alike.elided_day else None

    def _from_to(self, match: re.Match[str]) -> str | None:
        """ "de 1/11 a 31/3", "dall'1/11 al 31/3": days, where one of them can be no part of a whole."""
        a, b, c, d = (int(match[name]) for name in "abcd")
        if not (a > b or c > d) or not (0 < a < 32 and 0 < b < 13 and 0 < c < 32 and 0 < d < 13):
            return None
        before = match["before"]
        if before[-1] in "'’" and a not in (8, 11):
            before = f"{before[:-2]} "
        joint = "al" if match["to"][-1] in "'’" and c not in (8, 11) else match["to"]
        joint = joint if joint[-1] in "'’" else f"{joint} "
        return f"{before}{self.said_date(a, b, None, '')} {joint}{self.said_date(c, d, None, '')}"

    def _about_so_many(self, match: re.Match[str]) -> str | None:
        """ "ne vengono 12/14"."""
        if EXPIRING.search(text_before(match, 14)):
            return None
        return f"{self.cardinal(int(match['a']))} {self.to} {self.cardinal(int(match['b']))}"

    def _aged(self, match: re.Match[str]) -> str:
        """ "niños < 6 años", "les - 18 ans": behind people they are younger, behind a number's name it is less."""
        older = match["sign"] in "+>"
        people = PEOPLE.search(text_before(match, 12)) is not None
        than = self.alike.aged[older] if people else self.alike.more if older else self.fewer
        return f"{than} {self.counted(match['n'], [match['noun']])}"

    def _each_part(self, match: re.Match[str]) -> str:
        """ "tous les 1/4 d'h", "ogni 1/4 d'ora": without a one before it."""
        part = self.fraction(1, int(match["n"])).partition(" ")[2]
        several = "s" if match["word"].casefold().startswith("tou") else ""
        hour = self.unit_names["h"].split("|")[0] if match["unit"] else ""
        return f"{match['word']} {part}{several}{match['of'] or ''}{hour}"

    def _either(self, match: re.Match[str]) -> str | None:
        """ "2/3 jours", "15/20 minutos"."""
        first, last = int(match["a"]), int(match["b"])
        unit = match["unit"]
        if PARTS.search(text_before(match, 7)):
            return None  # "les 3/4 restants"
        if unit and (unit not in self.unit_names or (unit in ("h", "min") and (first, last) in ((1, 2), (3, 4)))):
            return None  # three quarters of an hour
        if (
            not unit
            and not re.match(rf" (?:{COUNTED})(?!\w)", text_after(match, 16))
            and (first == 1 or last != first + 1 or (match["word"] or "").casefold() in ON_A_DAY)
        ):
            return None  # a date, or a part
        near = 99 if first % 5 == last % 5 == 0 else first - 1 if first > 5 else 1
        if not first < last <= first + near:
            return None
        noun = self.unit_names[unit].split("|")[-1] if unit else following(match)
        gender = self.gender_of_many(noun)
        alike = last == first + 1 or (match["word"] or "").casefold() in ("tra ", "fra ")
        beside = not alike and re.search(rf"\b(?:{self.span_words}) \Z", text_before(match, 12))
        joint = "-" if beside else f" {self.or_before(last) if alike else self.to} "
        said = f"{match['word'] or ''}{self.cardinal(first, gender)}{joint}{self.cardinal(last, gender)}"
        said += f" {noun}{self.sentence_stop(match) if unit.endswith('.') else ''}" if unit else ""
        return said

    def _and_a_half(self, match: re.Match[str]) -> str | None:
        """ "6 ans 1/2"."""
        before = re.search(r"(?:\d|\bun[ea]?) ?(\w+) \Z", text_before(match, 24))
        if before is None:
            return None
        noun = self.unit_names.get(before[1], before[1]).split("|")[0]
        masculine, _, feminine = self.and_half.partition("|")
        is_feminine = FEMININE in (self.gender(noun), self.gender_of_many(noun))
        return feminine if is_feminine and feminine else masculine

    def _short_month(self, match: re.Match[str]) -> str | None:
        """ "en sept. dernier": where a small letter follows it is no other word, and no sentence ends."""
        short, behind = match["month"], text_after(match, 24)
        inside = re.match(r"(?: ?-)? [a-zà-ÿ(]|[,;:)]", behind) is not None
        if short in words_of(self.alike.other_months) and not inside:
            return None
        if short == "sett" and not re.match(r" (?:scorso|prossimo|\d{4})", behind):
            return None
        of = re.search(
            r"\b(?:fin|fines|finales|mediados|principios|fins?|fim|início|inícios|meados) \Z", text_before(match, 12)
        )
        if match["word"] in JOINTS and not of and not inside and behind.strip():
            return None
        said = f"{match['word']}{self.month_names[self._number_of(short) - 1]}"
        return said if inside else said + self.sentence_stop(match)

    def _number_of(self, short: str) -> int:
        return LONG.get(short) or self.month_numbers[short]

    def _of(self, match: re.Match[str]) -> str | None:
        """ "39,2 d fiebre" in a line of chat: "de", and no days."""
        return self.chat.get("d") if CHATTY.search(match.string[:2000]) else None

    def _months(self, match: re.Match[str]) -> str | None:
        """ "control en 3 m": months, and no metres."""
        if not CONTROLLED.search(text_before(match, 40)):
            return None
        return self.counted(match["n"], [*self.alike.month_forms]) + (self.sentence_stop(match))
