"""Spanish short forms of courts and of offers ("del C.C.", "rec. 3401/2017", "gje. opc.", "red. 8 €") -> words."""

from __future__ import annotations

import re

from mlx_tts.text.normalise.engine import Kind, mentions, rule, text_before
from mlx_tts.text.normalise.romance import Romance
from mlx_tts.text.normalise.romance_notices import quarter_rule, short_word

# In these texts the letters with points are codes of law.
LAW = re.compile(
    r"\b(?:[Aa]rts?\.|[Aa]rtículos?|STS|STC|SAP|ATS|[Ss]entencia|[Rr]ecurso|[Dd]emanda\w*|[Tt]ribunal|[Ll]ey"
    r"|[Jj]uzgado)"
)
LAWS = {
    "C.C.": "del Código Civil", "C.c.": "del Código Civil", "C. C.": "del Código Civil", "C.Civ.": "del Código Civil",
    "C. Civ.": "del Código Civil", "C.P.": "del Código Penal", "C. P.": "del Código Penal",
    "C.E.": "de la Constitución", "C. E.": "de la Constitución", "C.Com.": "del Código de Comercio",
    "C. Com.": "del Código de Comercio", "L.E.C.": "de la Ley de Enjuiciamiento Civil",
    "L.E.Crim.": "de la Ley de Enjuiciamiento Criminal", "L.O.P.J.": "de la Ley Orgánica del Poder Judicial",
    "E.T.": "del Estatuto de los Trabajadores",
}  # fmt: skip
# A text with one of these offers a flat or a car.
OFFER = re.compile(
    r"(?i)\b(?:piso|ático|dúplex|alquil\w+|vend[eo]|habitaci\w+|hab\.|dorm\w*\.?|m²|m2|chalet|estudio|apto\.|baños?"
    r"|ascensor|garaje|trastero|gje\.|fianza|km)"
)
SHORT = {
    "gje": "garaje", "plza": "plaza", "calef": "calefacción", "equip": "equipada",
    "vtas": "ventanas", "excel": "excelente", "indiv": "individual", "ind": "individual", "elec": "eléctrica",
    "opc": "opcional", "compl": "completo", "arm": "armarios", "jard": "jardín",
    "pisc": "piscina", "lum": "luminoso", "c/clima": "con clima", "gar": "garaje",
    "amuebl": "amueblado", "negoc": "negociable", "negociab": "negociable",
}  # fmt: skip


def _spoons(own: Romance, match: re.Match[str]) -> str:
    """ "2 c/s de aceite": of soup, dessert or coffee."""
    kind = {"s": "sopera", "p": "de postre", "c": "de café"}[match["what"]]
    if match["n"] in ("1/2", "½"):
        return f"media cucharada {kind}"
    several = match["n"] != "1"
    kind = "soperas" if several and kind == "sopera" else kind
    return f"{own.cardinal(int(match['n']), 'f')} cucharada{'s' if several else ''} {kind}"


def _minutes(match: re.Match[str]) -> str:
    return "minutos" if match["several"] else "minuto"


def _quarter(own: Romance, match: re.Match[str]) -> str:
    """ "las 12 y 1/4"."""
    article, hour, _ = match["at"].split(" ", 2)
    return f"{article} {own.cardinal(int(hour), 'f')} y cuarto"


def _furnished(own: Romance, match: re.Match[str]) -> str:
    feminine = own.gender(match["noun"].rstrip(".")) == "f" or match["noun"] in ("coc.", "hab.", "habitación")
    noun = {"coc.": "cocina", "hab.": "habitación"}.get(match["noun"], match["noun"])
    return f"{noun} amueblad{'a' if feminine else 'o'}{own.sentence_stop(match)}"


def offer_kinds(own: Romance) -> tuple[Kind, ...]:
    """own: the words of the language."""

    stop, short = own.sentence_stop, short_word(own, SHORT, OFFER)

    def law(match: re.Match[str]) -> str | None:
        """Behind an article's number with "del", behind an article without it."""
        if not mentions(LAW, match.string):
            return None
        said, before = LAWS[match["law"]], text_before(match, 8)
        if re.search(r"(?:\d\.?º?|ss\.|bis|ter) \Z", before):
            return said + stop(match)
        noun = said.split(" ", 2)[2] if said.startswith("de la ") else said.split(" ", 1)[1]
        article = re.search(r"\b(?:[Ee]l|[Dd]el|[Aa]l|[Ll]a|[Ss]u|nuestro) \Z", before)
        return f"{noun}{stop(match)}" if article else None

    def file(match: re.Match[str]) -> str:
        word = match["word"].replace("núm.", "número")
        return f"{word}{own.spoken(match['n'])} {own.web['/']} {own.year(int(match['year']))}"

    def appeal(match: re.Match[str]) -> str:
        return f"recurso{' de casación' if match['cas'] else ''} "

    return (
        Kind("abbreviation", re.compile(
            r"ppto\.|\bSal\. |lleg\. |\bC\. Real|ª cl\.|izq\.|\d pac\.|\bef\. |\b[Pp]te\. |\bag\.|\bal [NSEO] "
            r"|\bdesc\.|\(min |pr[óo]rr\.|laparosc|\brev\. |\bC\. ?Ext|extraesc|\bTb\b|\bc/[spc] |sigs?\.|[Ss]ecc?\. "
            r"|\b[Vv]\. |gral\.|y (?:1/4|¼)|\btransf\.|\d d de |antem\.|\bs/ ?[a-zI]"
            r"|los (?:dom|sáb)|\bPart\. |amuebl?\.|acrist\.|\babst\.|\bprob\."
        ), (
            rule(r"(?:(?<=ediante )|(?<=\bpor )|(?<=\bla )|(?<=\buna )|(?<=\bcon )|(?<=\bsu ))transf\.(?= (?:banc"
                 r"|a la|a |desde|de |inm))",
                 "transferencia"),
            rule(r"(?<![\w.,])(?P<n>\d{1,3}) d(?= de (?:evolución|duración|tratamiento|ingreso|vida|tto|antibi"
                 r"|fiebre|baja)"
                 r"(?!\w))", lambda m: own.counted(m["n"], ["día", "días"])),
            rule(r"(?<![\w.])(?P<p>[Pp])pto\.", lambda m: f"{m['p']}resupuesto{stop(m)}"),
            rule(r"(?<![\w.])Sal\.(?= (?:de )?[A-ZÁ-Ú][a-zà-ÿ]+[^.!?]{0,24} \d{1,2}[.:]\d\d)", "Salida"),
            rule(r"(?<![\w.])(?P<l>[Ll])leg\.(?= (?:a )?[A-ZÁ-Ú][a-zà-ÿ]+[^.!?]{0,24} \d{1,2}[.:]\d\d)",
                 r"\g<l>legada"),
            rule(r"(?<![\w.])C\.(?= Real\b)", "Ciudad"),
            rule(r"(?<=ª )cl\.", lambda m: f"clase{stop(m)}"),
            rule(r"\b(?P<noun>borde|lado|margen|ojo|brazo|pie|codo|hombro|pulmón|riñón|oído|tobillo) izq\.",
                 lambda m: f"{m['noun']} izquierdo{stop(m)}"),
            rule(r"(?P<n>(?<![\w.,])[2-9]|(?<![\w.,])\d{2,4}) pac\.",
                 lambda m: f"{own.cardinal(int(m['n']))} pacientes{stop(m)}"),
            rule(r"(?<![\w.])ef\.(?= (?:advers|secund))", "efectos"),
            rule(r"(?<![\w.])(?P<p>[Pp])te\.(?= (?:del|de la) (?:[A-ZÁ-Ú]|consejo|gobierno|club|comité"
                 r"|junta))", r"\g<p>residente"),
            rule(r"(?<=\d de )ag\.", "agosto"),
            rule(r"(?:(?<=\b[Ee]l )|(?<=\bdel )|(?<=\bal ))gral\.(?= [A-ZÁ-Ú][a-zà-ÿ])", "general"),
            quarter_rule(own),
            rule(r"(?:(?<=\()|(?<=\bal )|(?<=\bel ))desc\.(?=:? \d| |[,;)])", "descanso"),
            rule(r"(?<=\()min(?=(?P<several> \d{1,2}(?:, \d{1,2}){0,4} y)? \d{1,2}(?:[,;) +’']))", _minutes),
            rule(r"(?<![\w.])pr[óo]rr\.", lambda m: f"prórroga{stop(m)}"),
            rule(r"(?<![\w.])laparosc\.", lambda m: f"laparoscópica{stop(m)}"),
            rule(r"(?<![\w.])(?P<r>[Rr])ev\.(?= (?:en (?:C\.|cons|\d)|por su|con su))", r"\g<r>evisión"),
            rule(r"(?<![\w.])C\. ?Ext\.", lambda m: f"consultas externas{stop(m)}"),
            rule(r"(?<=[a-z]s )extraesc\.", lambda m: f"extraescolares{stop(m)}"),
            rule(r"(?:\A|(?<=[.!?;] ))Tb\.?(?= [a-z])", "También"),
            rule(r"(?<![\w.])(?P<v>[Vv])\.(?= (?:pp?\. ?\d|págs?\.|fig\.|cap\.|cuadro|tabla|nota \d"
                 r"|anexo))", r"\g<v>éase"),
            rule(r"(?<![\w.,/])(?P<n>\d{1,2}|1/2|½) c/(?P<what>[spc])(?= (?:de|rasa"
                 r"|colmada)\b)", lambda m: _spoons(own, m)),
            rule(r"(?:(?<=\by )|(?<=\d ))sigs?\.", lambda m: f"siguientes{stop(m)}"),
            rule(r"(?<![\w.])(?P<s>[Ss])ecc?\.(?= \d{1,2}\.?ª)", r"\g<s>ección"),
            rule(r"(?<![\w.])(?P<v>[Vv])\.(?= (?:también|además|asimismo|STS|STC|por todas|art)\b)", r"\g<v>éase"),
            rule(r"\b(?P<noun>(?i:entrada|secretar[íi][ao]|dirección|directora?|junta|asamblea|hospital|huelga"
                 r"|ensayo|medicina"
                 r"|público|tarifa|gerente|servicios?)) gral\.", lambda m: f"{m['noun']} general{stop(m)}"),
            rule(r"(?P<at>\b[Ll]as? (?:1[0-2]|[1-9]) y )(?:1/4|¼)(?![\w/])", lambda m: _quarter(own, m)),
            rule(r"(?<=\b[Dd]e )antem\.", lambda m: f"antemano{stop(m)}"),
            rule(r"(?<![\w./])s/ ?(?=(?:asc|ascensor|amueb|muebles|comisi|gastos|compromiso|trastero|garaje|gje"
                 r"|terraza|IVA"
                 r"|límite|azúcar|gluten|sal|lactosa|coste|intermediarios|permanencia|amueblar)\b)", "sin "),
            rule(r"(?P<many>\b[Ll]os )(?P<day>dom|sáb)\.",
                 lambda m: f"{m['many']}{'domingos' if m['day'] == 'dom' else 'sábados'}{stop(m)}"),
            rule(r"(?<![\w.])Part\.(?= (?:alquila|vende|busca|compra|a part))", "Particular"),
            rule(r"\b(?P<noun>coc\.|cocina|hab\.|habitación|vivienda|casa|piso|estudio|apartamento|todo"
                 r"|totalmente) amuebl?\.",
                 lambda m: _furnished(own, m)),
            rule(r"(?<![\w.])acrist\.", lambda m: f"acristalamiento{stop(m)}"),
            rule(r"(?<![\w.])abst\.(?= (?:agencias|curiosos|inmob|intermed))", "abstenerse"),
            rule(r"(?:(?<=ismo )|(?<=\bun )|(?<=algún )|(?<=ningún )|(?<=\beste )|(?<=\bese )|(?<=\bel ))prob\.",
                 lambda m: f"problema{stop(m)}"),
        )),
        Kind("abbreviation", re.compile(
            r"\b[CLE]\. ?[A-Zc]|\brec\. |/(?:19|20)\d\d|\bred\.|\b(?:int|ext)\.|\ba/a\b|A/A|al\.|emp\."
            rf"|\b(?i:{'|'.join(SHORT)})\."
        ), (
            rule(rf"(?<![\w.])(?P<law>{'|'.join(re.escape(law) for law in sorted(LAWS, key=len, reverse=True))})"
                 r"(?![\w])(?!\.\w)", law),
            rule(r"(?<![\w.])rec\. (?P<cas>cas\. )?(?=(?:n\.º |núm\. |nº )?\d{1,5}/(?:19|20)\d\d)", appeal),
            rule(r"(?P<word>\b(?:núm\.|[Rr]ec\.|[Rr]ecurso|[Aa]utos|[Ee]xpte\.|[Ee]xpediente|[Pp]rocedimiento"
                 r"|[Rr]esolución|[Ss]entencia) )(?P<n>\d{1,5})/(?P<year>(?:19|20)\d\d)(?![\w/]|[.,]\d)",
                 lambda m: None if m["word"][:4].lower() == "rec." else file(m)),
            # A price for some, next to that of all.
            rule(r"(?:(?<=\()|(?<=[,;/] )|(?<=€ )|(?<=y ))red\.(?=:? \d)", "reducida"),
            rule(r"(?:(?<=[Tt]arifa )|(?<=[Ee]ntrada )|(?<=[Mm]ovilidad ))red\.", lambda m: f"reducida{stop(m)}"),
            rule(rf"(?<![\w.])(?P<word>(?i:{'|'.join(SHORT)}))\.(?! ?\d)(?!\w)", short),
            rule(r"(?<![\w.])(?P<c>[Cc])al\.(?= (?:indiv|ind|central|elec|gas|a gas|por)\b)", r"\g<c>alefacción"),
            rule(r"(?<=[Aa]rm\. )emp\.", lambda m: f"empotrados{stop(m)}"),
            rule(r"(?:(?<=\dº )|(?<=\.º ))(?P<side>ext|int)\.",
                 lambda m: f"{'exterior' if m['side'] == 'ext' else 'interior'}{stop(m)}"),
            rule(r"(?:(?<=, )|(?<=[Pp]iso )|(?<=todo ))(?P<side>ext|int)\.(?=[,;])",
                 lambda m: ("exterior" if m["side"] == "ext" else "interior") if mentions(OFFER, m.string) else None),
            rule(r"(?:(?<=, )|(?<=con )|(?<=c/ ))[aA]/[aA](?=[,;. ]|\Z)(?! [A-ZÁ-Ú])",
                 lambda m: "aire acondicionado" if mentions(OFFER, m.string) else None),
        )),
    )  # fmt: skip
