"""What European languages say for marks between and behind numbers.

Slashes that are not fractions, comparisons, inches, stars, primes, and directions of the wind.
"""

from __future__ import annotations

import re
from functools import cache

from mlx_tts.text.normalise.engine import Kind, Rule, mentions, one_of, rule, text_after, text_before
from mlx_tts.text.normalise.european import FEMININE, European
from mlx_tts.text.normalise.european_numbers import DECIMAL, END, GROUPED, START, NumberRules

# A set of tennis or volleyball with its tie-break: "7/6 (7/5)", "6/7 (5)".
SET = r"\d{1,2}/\d{1,2}(?: ?\(\d{1,2}(?:[/-]\d{1,2})?\))?"
PRESSURE = re.compile(
    r"\bmm ?Hg\b|\b(?:Blutdruck|[Tt]ensión|[Tt]ension|[Pp]ress(?:ão|ione)|[Pp]resión) (?:art\w+|sang\w+|de|von|lag)"
)
EQUATION = re.compile(r"[xyz²³\d)] ?= ?[-\dxyz(]|[xyz][²³] [-+]")
HOTELS = re.compile(r"(?i)h[oô]tel|alberg|hostal|pousada|pension|resort|ferienhaus|unterkunft|chambre|zimmer|\d\*")
# Behind "e 1/2": the half belongs to this noun, not to the one before.
OWN_NOUN = (
    r"(?!(?:de|del|della|delle|dello|dei|des|più|más|mais|plus|per|por|pour|con|com|avec|prima|dopo|antes)\b)"
    r"[a-zà-ÿ]{3,}"
)
# Behind these and a colon "4/5" is a mark.
RATED = re.compile(
    r"(?i)\b(?:h[oô]tel|hostal|pension|pousada|restaurante?|caf[eé]|film[e]?|película|servicio|service|essen)\b"
    r"[^.:\n]{0,24}: \Z"
)
BLOWING = re.compile(r"(?i)\b(?:wind|vent|vient|brise|brisa|brezza)")
# Before "16/18": an address.
STREET = re.compile(
    r"(?:\b(?:R\.|[Rr]ua|[Aa]v\.|[Aa]venida|[Tt]ravessa|[Aa]lameda|[Pp]raça|[Cc]alle|C/|[Pp]laza|[Aa]vda\.|[Rr]ue|[Bb]d"
    r"|[Aa]venue|[Bb]oulevard|[Vv]ia|[Vv]iale|[Cc]orso|[Pp]iazza) ?|\w(?:straße|str\.|weg|platz|gasse) ?)"
    r"[^\d\n]{0,30}, \Z"
)
NUMBERED = ("n°", "N°", "nº", "Nº", "n.º", "N.º", "Nr.", "nr.")
# Words that a hexadecimal number follows.
MACHINES = (
    r"(?i)(?:err(?:or|eur|ore|o)|fehler(?:code)?|ошибк[аиуе]|ошибкой|code|código|codice|код[аеу]?|адрес[ау]?|adresse|address"
    r"|regist(?:er|ro)|offset|byte):? \Z"
)


class MarkRules(NumberRules):
    """The rules of one language. Methods are named after what they say."""

    def marks(self) -> Kind:
        own = self.own
        per_words = one_of(own.per_words) or "(?!)"
        numbered = one_of(word for word in NUMBERED if word in own.abbreviations) or "(?!)"
        signs = one_of(own.relations) or "(?!)"
        return Kind("mark", re.compile(r"[\d/Ø#]|\b[NSEOW]{1,3}\b"), (
            rule(rf"(?<![\w<>=-])(?P<sign>{signs}) ?(?=[-+]?(?:R\$ ?|[€$£] ?)?\d)(?!<3(?![\d.,]))",
                lambda m: own.relations[m["sign"]]),
            rule(rf"(?<![\w.,-])(?P<name>[^\W\d_]{{1,12}})(?P<sign>{signs})(?=[-+]?\d)(?!~)",
                 lambda m: f"{m['name']} {own.relations[m['sign']]}"),
            rule(rf"{START}(?P<all>{SET}(?:(?:, ?|,? (?:e|y|et|und|o) | (?=\d/\d)){SET}){{1,5}})"
                 r"(?![\w/]|[.,]\d)", self.sets),
            rule(rf"{START}(?P<a>\d{{1,2}})/(?P<b>\d{{1,2}})(?= (?:{own.shots})\b)",
                 lambda m: f"{own.cardinal(int(m['a']))} {own.out_of} {own.cardinal(int(m['b']))}"),
            rule(rf"{START}(?P<year>(?:19|20)\d\d)/(?P<n>0\d{{2,6}}|\d{{5,7}})(?![\w/-]|[.,]\d)",
                 lambda m: f"{own.year(int(m['year']))} {own.web['/']} {own.digits(m['n'])}"),
            rule(rf"{START}(?P<year>\d{{2}})/(?P<n>0\d{{3,6}})(?![\w/-]|[.,]\d)",
                 lambda m: f"{own.name_of_number(m['year'])} {own.web['/']} {own.digits(m['n'])}"),
            rule(r"(?<![\w.])0[xX](?P<hex>[\dA-Fa-f]{1,16})(?!\w)", self.hexadecimal),
            rule(r"(?:(?<=\d° )|(?<=\dº )|(?<=\d°)|(?<=\d['’′] )|(?<=\d[\"″] ))(?P<at>[NSEOWL])(?![\w'’]|\.\w)",
                 self.coordinate),
            rule(rf"{START}(?P<n>{DECIMAL}) ?(?P<unit>mg|g|µg|ml|mL|UI)/(?P<hours>[1-9]\d?) ?h(?:oras?|eures?)?(?!\w)",
                 lambda m: f"{own.counted(m['n'], own.unit_names[m['unit']].split('|'))} "
                 + own.every_hours.format(n=own.cardinal(int(m["hours"]), FEMININE))
                 if own.every_hours and m["unit"] in own.unit_names and m["hours"] != "1" else None),
            rule(r"(?<![\w#.,-])(?P<n>\d{2,8})#(?![\w#])", lambda m: f"{own.digits(m['n'])} {own.web['#']}"),
            rule(r"(?<![\w.,/-])(?P<a>\d{1,4})/(?P<b>\d{1,4})/(?P<by>[A-ZÀ-Þ]{2,4})(?![\w/])",
                 lambda m: f"{self.part_of_name(m['a'])} {own.web['/']} {self.part_of_name(m['b'])} {m['by']}"),
            rule(rf"(?<![\w.,/-])(?P<n>{GROUPED}|\d{{3,7}})/(?P<by>[A-Z]{{2}})(?![\w/-])",
                 lambda m: f"{own.spoken(m['n'])} {m['by']}"),
            rule(r"(?<![\w.,/-])(?P<letters>(?!CAD|EXP|VAL|FAB|VTO)[A-ZÀ-Þ]{1,3}) ?(?P<n>\d{1,2})/(?P<year>(?:1"
                 r"9|20)\d\d)(?![\w/-]|[.,]\d)",
                 lambda m: f"{m['letters']} {own.cardinal(int(m['n']))} {own.year(int(m['year']))}"),
            rule(rf"{START}(?P<n>\d{{1,3}}(?:[.,]\d{{1,2}})?)(?: ?[\"″”]|'')(?![\w\"])", self.inches),
            rule(rf"{START}(?P<sign>[+-])?(?P<s>\d{{1,2}})(?:[\"″]|s)(?P<part>\d{{1,3}})(?!\w)",
                 lambda m: f"{self.sign_of(m)}{self.of_unit(m['s'], 's')} {own.hundredths(m['part'])}"),
            rule(rf"{START}(?P<m>\d{{1,2}}) ?min ?(?P<s>[0-5]?\d) ?s(?P<part>\d{{1,3}})(?!\w)",
                 lambda m: f"{self.of_unit(m['m'], 'min')} {self.of_unit(m['s'], 's')} {own.hundredths(m['part'])}"),
            rule(rf"{START}(?P<h>\d{{1,2}}) ?h ?(?P<m>[0-5]?\d)['’′](?P<s>)(?!['’′\w])", self.lasting),
            rule(rf"{START}(?:(?P<h>\d{{1,2}}) ?h ?)?(?P<m>\d{{1,3}}) ?(?:min|mn|m) ?"
                 r"(?P<s>[0-5]?\d) ?(?:s|sec|seg)(?!\w)",
                 self.lasting),
            rule(rf"{START}(?P<h>\d{{1,2}})h(?P<m>[0-5]\d):(?P<s>[0-5]\d)(?![\w:]|[.,]\d)", self.lasting),
            rule(r"(?:(?<=\b[iIeE]n )|(?<=\b[eE]m ))(?P<h>)(?P<m>2[5-9]|[3-9]\d):(?P<s>[0-5]\d)(?![\w:]|[.,]\d)",
                 self.lasting),
            rule(rf"{START}(?P<h>)(?P<m>\d{{1,3}}):(?P<s>[0-5]\d(?:\.(?!000|500)\d{{1,3}}|,\d{{1,3}}))"
                 rf"(?: ?(?:Min\.|min|Minuten|minutes|minut[oi]s?)(?!\w))?(?![\w:]|[.,]\d)",
                 self.lasting),
            rule(r"(?<=[a-zà-ÿ] )(?<!\biphone )(?<!\bserie )(?P<h>)(?P<m>)(?P<s>\d{1,2})s(?![\w'’-])", self.lasting),
            rule(r"(?:(?<![\w.,'’])|(?<=\ball['’])|(?<=\bdall['’])|(?<=\bnell['’]))"
                 r"(?P<n>\d{1,3})['’′](?: ?\+(?P<more>\d{1,2})['’′]?)?(?![\w'’′])"
                 r"|(?<![\w.,'’])(?P<n2>\d{1,3})\+(?P<more2>\d{1,2})['’′](?![\w'’′])", self.minute),
            rule(r"(?<=\()[-–] (?=\d)", own.minus),
            rule(r"(?<=[²³xyz\d)])(?P<sign> [-–−+] )(?P<n>\d{1,4})?(?P<unknown>[xyz])(?![\w²³]|[.,]\d)", self.term),
            rule(r"(?<=[²³xyz)])(?P<sign> [-–−+] )(?P<n>\d{1,4})(?P<unknown>)(?= ?[=+<>)-]|[.,;]?(?: |\Z))(?![.,]\d)",
                 self.term),
            rule(r"(?<=[²³xyz)])(?P<sign> [-–−+] )(?P<n>)(?P<unknown>)(?=\d{1,4} ?[=+])", self.term),
            rule(r"(?<![\w.,²³])(?P<n>\d{1,4})(?P<unknown>[xyz])(?P<sign> [-−+=] )(?=\d{0,4}[xyz]?(?!\w))", self.term),
            rule(rf"(?<!\w)CO[2₂]/(?P<per>{one_of(own.unit_names)})(?!\w)",
                 lambda m: f"CO {own.cardinal(2)} {own.per_unit(m['per'])} "
                 f"{own.unit_names[m['per']].split('|')[0]}".replace("' ", "'")),
            rule(rf"\b(?P<word>(?i:{own.judged}):? (?:[a-zà-ÿ]{{1,12}} )?\(?)(?P<n>\d{{1,2}}(?:[.,]\d)?)/"
                 r"(?P<best>3|4|5|6|7|8|9|10|12|20|100)(?![\w/]|[.,]\d)"
                 r"(?P<points> ?(?:Pkte?|[Pp]ts?|[Pp]tos?|[Pp]ti)(?!\w)\.?)?",
                 lambda m: f"{m['word']}{own.spoken(m['n'])} {own.out_of} {own.cardinal(int(m['best']))}"
                 + (f" {own.points_of}{self.stop(m)}" if m["points"] else "")),
            rule(rf"{START}(?P<n>\d{{1,3}})/(?P<best>10|12|15|20|25|30|40|50|60|80|100|120)"
                 r"(?= (?:Pkt|Punkt|[Pp]oints?\b|pts\b|puntos?\b|punti\b|pontos?\b))",
                 lambda m: f"{own.spoken(m['n'])} {own.out_of} {own.cardinal(int(m['best']))}"),
            rule(rf"{START}(?P<h>\d{{1,2}}) ?h ?(?P<m>[0-5]\d)(?P<s>)m?(?![\w'’])", self.lasting),
            rule(rf"{START}(?P<sign>[+-])?(?P<h>)(?P<m>\d{{1,3}}):(?P<s>[0-5]\d) ?(?:Min\.|min\b|Minuten)",
                 self.lasting),
            rule(rf"{START}(?P<h>\d{{1,3}}):(?P<m>[0-5]\d):(?P<s>[0-5]\d) ?(?:Std\.|Stunden\b|h\b)", self.lasting),
            rule(rf"(?<=[a-zà-ÿ] )(?:e|y|et) (?:1/2|½)(?![\w/])(?! (?:{one_of(own.unit_names)})(?!\w)| {OWN_NOUN})",
                 self.and_half),
            rule(rf"\b(?P<word>{own.pressure_words})(?!\w)(?P<gap>[^\d\n]{{1,16}})(?P<a>\d{{1,2}},\d)/(?P<b>\d{{1,2}},\d)"
                 r"(?![\w/]|[.,]\d)",
                 lambda m: f"{m['word']}{m['gap']}"
                 + own.pressure.replace("} {", "}, {").format(a=own.spoken(m["a"]), b=own.spoken(m["b"]))),
            rule(rf"{START}(?P<n>[0-5])/(?P<best>5)"
                 r"(?= (?:Sterne|étoiles|estrellas|estrelas|stelle)\b|[,.;!](?!\d)|\s*\Z)",
                 lambda m: f"{own.spoken(m['n'])} {own.out_of} {own.cardinal(5)}"
                 if own.out_of and (text_after(m, 2)[1:].isalpha() or RATED.search(text_before(m, 40))) else None),
            rule(rf"{START}(?P<a>1\d\d|2[0-4]\d|[89]\d)/(?P<b>1[0-4]\d|[4-9]\d)(?P<unit> ?mm ?Hg)?"
                 r"(?![\w/]|[.,]\d| ?[%€])",
                 lambda m: own.pressure.format(a=own.cardinal(int(m["a"])), b=own.cardinal(int(m["b"])))
                 + (f" {own.unit_names['mmHg'].split('|')[-1]}" if m["unit"] else "")
                 if int(m["a"]) > int(m["b"]) and mentions(PRESSURE, m.string) else None),
            rule(r"(?:(?<=\bpro )|(?<=\bje )|(?<=\bal )|(?<=\bpor )|(?<=\bpar )|(?<=\bper )|(?<=\ble )|(?<=\bel"
                 r" )|(?<=\bao ))"
                 r"(?P<unit>k?m[²³]|µ[lLg]|m[lL]|dl|kg|kWh|ha)(?![\w/²³]| \d)",
                 lambda m: own.unit_names[m["unit"]].split("|")[0] if m["unit"] in own.unit_names else None),
            rule(r"(?<=, )(?P<a>\d{1,4})/(?P<b>\d{1,4})(?=,|\s*\Z)",
                 lambda m: f"{own.cardinal(int(m['a']))}, {own.cardinal(int(m['b']))}"
                 if STREET.search(text_before(m, 40)) else None),
            rule(r"(?<![\w.])(?P<word>S\.|Seite|p\.|pág\.|pag\.|[Pp]ages?|[Pp]ágina|[Pp]agina|Blatt|Folge|hoja|"
                 r"fls?\.|folha|"
                 r"[Ff]oglio) "
                 r"(?P<a>\d{1,3})/(?P<b>\d{1,3})(?![\w/]|[.,]\d)", self.page_of),
            rule(rf"{START}1(?P<mark>[/:]| : )(?P<n>{GROUPED})(?![\w/]|[.,]\d)", self.map_scale),
            rule(r"(?<![\w/])(?P<a>[A-Z]{1,2}\d{1,3})/(?P<b>[A-Z]{1,2}\d{1,3})(?![\w/])",
                 lambda m: f"{self.label_words(m['a'])}, {self.label_words(m['b'])}"),
            rule(r"(?<![\w./-])(?P<letter>[A-Z])(?P<a>\d{1,4})[-–](?P=letter)(?P<b>\d{1,4})(?![\w/-])",
                 lambda m: f"{m['letter']} {own.name_of_number(m['a'])} {own.to} {m['letter']} "
                           f"{own.name_of_number(m['b'])}"
                 if int(m["a"]) < int(m["b"]) else None),
            # A flight: without a pause its two numbers would be heard as one.
            rule(r"(?P<word>\b(?:[Vv]oo|[Vv]uelo|[Vv]olo|[Vv]ol|[Ff]lug) )(?P<letter>[A-Z])(?P<a>\d) (?P<b>\d{2,4})"
                 r"(?![\w-]|[.,]\d)",
                 lambda m: f"{m['word']}{m['letter']} {own.cardinal(int(m['a']))}, {own.name_of_number(m['b'])}"),
            rule(r"(?<![\w*.,])(?P<n>[1-7])\*{1,5}(?=[ ,.;:)/-]|\Z)", self.stars),
            rule(rf"(?:(?<=km a )|(?<=km al )|(?<=km ao )|(?<=km au ))(?P<at>{one_of(own.compass) or '(?!)'})(?"
                 rf"![\w'’])",
                 lambda m: own.compass[m["at"]]),
            rule(r"(?:(?<=km a )|(?<=km al )|(?<=km ao )|(?<=km au ))(?P<a>[NS])\.?-(?P<b>[EOW])\b\.?(?![\w'’-])",
                 lambda m: own.compass.get(m["a"] + m["b"])),
            rule(r"(?:(?<=\b(?:los|les|aos|dos|nos) )|(?<=\b(?:os|ai) )|(?<=\bi ))km (?P<n>\d{1,4})"
                 r"(?= (?:y|e|et|a|à) \d)(?![\d,.])",
                 lambda m: f"{own.unit_names['km'].split('|')[-1]} {own.spoken(m['n'])}"),
            rule(r"(?<![\w.])(?P<a>[NS])(?P<mark>\.-|\.|-)(?P<b>[EOWL])(?:\.(?![\w-])|(?![\w.'’-]))", self.direction),
            rule(rf"\b(?P<word>{own.wind_words}) (?P<at>{one_of(own.compass) or '(?!)'})(?![\w'’]|\.?-|\.[EOWL])",
                 lambda m: f"{m['word']} {own.compass[m['at']]}"),
            rule(rf"(?:(?<=km/h )|(?<=m/s ))(?P<word>d[aeo]l?|du|dai?|di|von) (?P<at>{one_of(own.compass) or '(?!)'})"
                 r"(?![\w'’]|\.?-|\.[EOWL])", lambda m: f"{m['word']} {own.compass[m['at']]}"),
            rule(rf"(?<![\w.])(?P<word>{numbered})(?=\d)", lambda m: f"{own.abbreviations[m['word']]} "),
            rule(rf"(?:(?<=[\w€] )|(?<=\b[dl]['’]))(?P<noun>[^\W\d_]{{3,20}})/(?P<per>{per_words})(?!\w)",
                 lambda m: f"{m['noun']} {own.per_word(own.per_words[m['per']])}"
                 if re.search(r"\d[^.;]{0,16}\Z", text_before(m, 24)) else None),
            rule(rf"(?<=\w )[x×] ?(?P<n>\d) ?/ ?(?P<per>{per_words})(?!\w)\.?",
                 lambda m: f"{own.repeated(int(m['n']))} {own.per_word(own.per_words[m['per']])}{self.stop(m)}"),
            rule(r"(?<!\w)Ø(?=:? ?\d)|(?<=\dcm )Ø(?!\w)|(?<=\d [cm]m )Ø(?!\w)|(?<=\d m )Ø(?!\w)|(?<=\dm de )Ø|("
                 r"?<= m de )Ø|(?<=cm de )Ø|(?<=mm de )Ø", lambda m: own.diameter or None),
            rule(rf"(?<![\w.,)])(?P<sign>[-–+]) ?(?=(?:de|di|d'|von) {DECIMAL})",
                 lambda m: {"+": own.plus}.get(m["sign"], own.minus)),
            rule(rf"(?P<open>\()[-–] ?(?P<of>de )?(?P<n>\d{{1,3}}) (?P<noun>ans|años|anni|anos|Jahre)\b{END}",
                 lambda m: f"({own.fewer} {own.counted(m['n'], [m['noun']])}" if own.fewer else None),
        ))  # fmt: skip

    def term(self, match: re.Match[str]) -> str | None:
        """ "- 5x" and "- 5" in an equation."""
        own = self.own
        if not mentions(EQUATION, match.string):
            return None
        sign = {"+": own.plus, "=": own.equals}.get(match["sign"].strip(), own.minus)
        number = own.cardinal(int(match["n"])) if match["n"] else ""
        term = f"{number} {match['unknown']}".strip()
        if not term or match.start("sign") > match.start("unknown"):
            return f"{term} {sign} "
        return f" {sign} {term}"

    def direction(self, match: re.Match[str]) -> str | None:
        """ "N.-O."; before a name with a capital the letters may be its initials."""
        own = self.own
        initials = match["mark"] != ".-" or match[0][-1] != "." or re.match(r" [A-ZÀ-Þ][a-zà-ÿ]", text_after(match, 3))
        if initials and not BLOWING.search(around(match, 12)):
            return None
        said = own.compass.get(match["a"] + match["b"])
        return said and said + (self.stop(match) if match[0].endswith(".") else "")

    def coordinate(self, match: re.Match[str]) -> str | None:
        """ "18° N"."""
        said = (self.own.coordinates or self.own.compass).get(match["at"])
        return f" {said}" if said and not text_before(match, 1).isspace() else said

    def part_of_name(self, written: str) -> str:
        return self.own.year(int(written)) if re.fullmatch(r"(?:19|20)\d\d", written) else self.own.whole(written)

    def hexadecimal(self, match: re.Match[str]) -> str | None:
        """Few digits without a letter are the score of a match, but behind "error"."""
        own, signs = self.own, match["hex"]
        short = len(signs) < 4 and signs.isdecimal()
        if short and not re.search(MACHINES, text_before(match, 20)):
            return None
        said = " ".join(own.cardinal(int(sign)) if sign.isdecimal() else sign.upper() for sign in signs)
        return f"{own.cardinal(0)} x {said}"

    def sets(self, match: re.Match[str]) -> str | None:
        """Sets have at most seven games, or more than ten points; fractions in a row are smaller than one."""
        pairs = [(int(a), int(b)) for a, b in re.findall(r"(?<![(\d/-])(\d{1,2})/(\d{1,2})", match["all"])]
        games = all(max(pair) <= 7 for pair in pairs)
        points = all(max(pair) >= 15 and max(pair) <= 45 for pair in pairs) and any(b > 12 for _, b in pairs)
        if not (games or points) or not any(a > b for a, b in pairs):
            return None
        said = re.sub(r"(\d{1,2})[/-](\d{1,2})", lambda m: self.result(m[1], m[2]), match["all"])
        return re.sub(r"\d+", lambda m: self.own.cardinal(int(m[0])), said)

    def inches(self, match: re.Match[str]) -> str | None:
        """A mark that closes a quotation has one that opens it before."""
        own = self.own
        if not own.inch or len(re.findall(r"(?<!\d)[\"“]", text_before(match, 200))) % 2:
            return None
        if match["n"].isdecimal() and not re.search(f"(?i:{own.screens})", around(match, 40)):
            if not self.reports(match.string):
                return None
            return self.of_unit(match["n"], "s")  # behind who has won
        return own.counted(match["n"], own.inch.split("|"))

    def lasting(self, match: re.Match[str]) -> str:
        """ "2h41'", "4h12min35s", "26:12,4"."""
        written = ((match["h"], "h"), (match["m"], "min"), (match["s"], "s"))
        parts = [
            self.of_unit(re.sub(r"^0+(?=\d)", "", number).replace(".", ","), unit) for number, unit in written if number
        ]
        return self.sign_of(match) + " ".join(parts) + (self.stop(match) if match[0].endswith(".") else "")

    def sign_of(self, match: re.Match[str]) -> str:
        return {"+": f"{self.own.plus} ", "-": f"{self.own.minus} "}.get(match.groupdict().get("sign") or "", "")

    def and_half(self, match: re.Match[str]) -> str:
        """ "1 cucchiaio e 1/2"."""
        noun = text_before(match, 24).split()[-1]
        noun = self.own.unit_names.get(noun, noun).split("|")[0]
        masculine, _, feminine = self.own.and_half.partition("|")
        is_feminine = FEMININE in (self.own.gender(noun), self.own.gender_of_many(noun))
        return feminine if is_feminine and feminine else masculine

    def page_of(self, match: re.Match[str]) -> str | None:
        """ "S. 2/3"."""
        own, word = self.own, match["word"]
        if int(match["a"]) > int(match["b"]) or not own.out_of:
            return None
        said = own.before_numbers.get(word) or own.abbreviations.get(word, word)
        joint = own.to if word == "fls." else own.of_pages or own.out_of
        return f"{said} {own.cardinal(int(match['a']))} {joint} {own.cardinal(int(match['b']))}"

    def map_scale(self, match: re.Match[str]) -> str:
        """ "1/25 000", "1:50.000"."""
        bottom = int(self.own.plain(match["n"]))
        if ":" in match["mark"]:
            return self.result("1", str(bottom))
        said = self.own.fraction(1, bottom)
        return said.partition(" ")[2] if re.search(r"\b(?:au|du|al|alla|del|el|il) \Z", text_before(match, 5)) else said

    def label_words(self, label: str) -> str:
        return re.sub(r"\d+", lambda n: f" {self.own.name_of_number(n[0])}", label)

    def of_unit(self, number: str, unit: str) -> str:
        return self.own.counted(number, self.time_unit(unit).split("|"))

    def stars(self, match: re.Match[str]) -> str | None:
        if not HOTELS.search(around(match, 40)):
            return None
        return self.of_unit(match["n"], "★")

    def minute(self, match: re.Match[str]) -> str | None:
        """ "al 21'", "90'+3" in a report of a match, and "cuocere 5'"."""
        own = self.own
        if not own.minute_of_play:
            return None
        written = match["n"] or match["n2"]
        number, added = int(written), match["more"] or match["more2"]
        played = re.search(
            r"(?:\b(?:all['’]|dall['’]|nell['’])\Z|\b(?:al|dal|del|nel|el|au|du|le|à la|aos?|do|no)|[A-Z]\w+|"
            r"['’′]\+?\d?['’′]? (?:y|e|et)) ?\(?\Z",
            text_before(match, 20),
        )
        opened = text_before(match, 1) == "(" and self.reports(match.string)
        scorer = re.match(r" (?:rig\. |pen\. )?[A-ZÀ-Þ][a-zà-ÿ]+", text_after(match, 24))
        if not (added or played or opened or (scorer and self.reports(match.string))):
            return self.of_unit(written, "min")
        more = f" {own.plus} {own.cardinal(int(added))}" if added else ""
        said = own.minute_of_play.format(ordinal=own.ordinal(number, "m"), number=f"{own.cardinal(number)}{more}")
        return said if "{number}" in own.minute_of_play else said + more

    def reports(self, text: str) -> bool:
        """Whether a text is a report of a match."""
        return reports(text, self.own.score_words)


def reports(text: str, score_words: str) -> bool:
    """Whether a text is a report of a match. score_words: a pattern of what only such a report says."""
    return mentions(_report_of(score_words), text)


@cache
def _report_of(score_words: str) -> re.Pattern[str]:
    """What only the report of a match has."""
    result = r"(?<!\d)\d[-–]\d(?!\d|[,.]\d| ?(?:h|min|km|m|kg|g|l|cm|%|€|x)\b)"
    primes = r"\d['’′] ?\+\d|\d['’′] ?\d\d[\"″]"
    return re.compile(rf"\b(?:{score_words})|{result}|{primes}")


def around(match: re.Match[str], characters: int) -> str:
    return text_before(match, characters) + match.string[match.start() : match.end() + characters]


def port_rule(own: European) -> Rule:
    """ "192.168.0.1:8080"."""

    def said(match: re.Match[str]) -> str:
        host = f" {own.web['.']} ".join(own.digits(part) for part in match["ip"].split("."))
        return f"{host} {own.web[':']} {own.name_of_number(match['port'])}"

    return rule(r"(?<![\w.])(?P<ip>\d{1,3}(?:\.\d{1,3}){3}):(?P<port>\d{2,5})(?![\w.]\w|\w)", said)
