"""What crammed paragraphs of French, Italian, Spanish and Portuguese write alike: quarters of a year ("T2 2024", "III
trim."), units with exponents ("N·m²·kg⁻²"), doses, standings and words cut short. Each language gives its words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from mlx_tts.text.normalise.engine import Kind, Rule, mentions, one_of, rule, text_after, text_before
from mlx_tts.text.normalise.european import FEMININE
from mlx_tts.text.normalise.european_marks import port_rule
from mlx_tts.text.normalise.european_numbers import DECIMAL
from mlx_tts.text.normalise.romance import Romance
from mlx_tts.text.roman import value

# A text with one of these tells of money: in it "T2" is a quarter of the year.
MARKETS = re.compile(
    r"(?:[%€$] |\b)(?:PIB|PIL|CA|EBITDA|Ebitda|[Cc]hiffre d['’]affaires|[Rr]ésultats?|[Bb]énéfices?|[Cc]roissance"
    r"|[Rr]icavi"
    r"|[Uu]tili?|[Ff]atturato|[Vv]entas|[Ii]ngresos|[Bb]eneficios?|[Rr]eceitas?|[Ll]ucros?|[Vv]endas|[Cc]rescimento"
    r"|[Cc]rescita|[Cc]recimiento|[Tt]rim\w*|[Ii]nflação|inflation|inflación|inflazione)\b|\d ?(?:Md|mld|M€|bi\b|bn\b)"
)
# In these texts "0,4 M" is of a solution.
CHEMISTRY = re.compile(
    r"\b(?:NaCl|HCl|NaOH|KCl|H₂SO₄|H2SO4|mol|soluzione|solution|solución|disolución|solução"
    r"|g/mol)\b"
)
HOSTS = re.compile(
    r"(?i)\b(?:h[ôo]tel|camping|campeggio|campismo|hosta[l]|pensi[óo]n|pousada|residence|resort|albergo|auberge|gîte"
    r"|agriturismo"
    r"|apartamentos|résidence|villaggio|parador)\b"
)
SEEN = (
    r"carte|carta|mapa|quadro|cuadro|tableau|tabella|tabla|tabela|fig|foto|photo|pl\.|ill\.|annexe|anexo|allegat|note?"
    r"|nota|infra|supra|plus|più|sopra|sotto|encadré|riquadro|recuadro|schéma|grafic|gráfico|graphique|págs?\.|pp?\."
)
EXPONENTS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
EXPONENT = r"(?:⁻?[¹²³⁴])"
BASES = r"(?:kg|g|mg|µg|km|m|cm|mm|nm|µm|s|h|min|J|kJ|W|kW|N|K|°C|Pa|hPa|kPa|mol|mmol|L|l|mL|V|A|C|Hz|T|Ω)"


@dataclass(frozen=True)
class Shared:
    """What a language of these says for the forms here.

    quarter, half_year: of a year, masculine. of_year: before the year. before_period: a pattern of what stands before
    "T2". ranked, ranked_women: patterns of nouns behind a Roman numeral that says which of several it is. offices: of
    men and of women, for the short form; of_men, of_women: patterns of articles. years: one and several; aged: a
    pattern of what stands before "4 a.". squared, cubed: behind a unit; under: before one under the bar, where it is
    no "per"; base_units: those that stand in no other table. ten_to: between a number and the exponent of "e-23".
    results: won, drawn, lost, each one|several; letters: of these. dialled: a pattern of what stands before a number
    of nine digits; groups: how these are said. stay: days and nights, each one|several. barrel: of oil. folio: a
    leaf, and its two sides. each_quarter: a pattern of "every", and what is said with a quarter of an hour.
    between_prices: for "x" in "los 2 x 300 €". cut: ranked nouns that are cut short. see: "v.". molar: "M" behind a
    number. elements: of isotopes. finals: "1/4 de final", by its number. either_of: "or" in "compañero/a". stars: of
    a hotel. reign: "r." before its years. months: one|several. from_to: before the first and the last of some days.
    electronvolt: one|several; prefixes: "M" before it. dated: a pattern of what stands before a day and its
    month."""

    quarter: str
    half_year: str
    of_year: str
    before_period: str
    ranked: str
    squared: str
    cubed: str
    ten_to: str
    cubic: str
    results: tuple[str, str, str]
    letters: tuple[str, str, str]
    dialled: str
    groups: str
    ranked_women: str = r"(?!)"
    under: str = ""
    ordinal_form: str = "m"
    offices: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    of_men: str = r"(?!)"
    of_women: str = r"(?!)"
    years: tuple[str, ...] = ()
    stay: tuple[str, str] = ("", "")
    barrel: str = ""
    folio: tuple[str, str, str] = ("", "", "")
    manuscript: str = ""
    each_quarter: tuple[str, str] = (r"(?!)", "")
    between_prices: str = ""
    cut: Mapping[str, str] = field(default_factory=dict)
    see: str = ""
    molar: str = ""
    elements: Mapping[str, str] = field(default_factory=dict)
    finals: Mapping[str, str] = field(default_factory=dict)
    either_of: str = ""
    stars: str = ""
    reign: str = ""
    months: str = ""
    from_to: tuple[str, str] = ("", "")
    electronvolt: str = ""
    prefixes: Mapping[str, str] = field(default_factory=dict)
    dated: str = r"(?!)"
    aged: str = r"(?!)"
    base_units: Mapping[str, str] = field(default_factory=dict)


def cut_rule(own: Romance, words: Mapping[str, str], subject: re.Pattern[str] | None = None) -> Rule:
    """Words cut short with a full stop. subject: said only in texts that have it."""

    def whole(match: re.Match[str]) -> str | None:
        if subject is not None and not mentions(subject, match.string):
            return None
        said = words.get(match["word"]) or words[match["word"][0].lower() + match["word"][1:]]
        capital = match["word"][0].isupper() and match["word"] not in words
        named = re.match(
            r" (?:[A-Z]{1,3}\d|[A-Z]{2,4}(?: [a-z]|,))", text_after(match, 6)
        )  # "estac. P2", "sopraliv. ST in V2"
        return (said[0].upper() + said[1:] if capital else said) + ("" if named else own.sentence_stop(match))

    keys = {key for word in words for key in (word, word[0].upper() + word[1:])}
    return rule(rf"(?<![\w./-])(?P<word>{one_of(keys)})\.(?!\w)", whole)


class SharedForms:
    """own: the words of the language."""

    def __init__(self, own: Romance, words: Shared):
        self.own, self.words = own, words

    def kinds(self) -> tuple[Kind, ...]:
        own, words = self.own, self.words
        won, drawn, lost = words.letters
        offices = one_of(words.offices) or "(?!)"
        days = "|".join(sorted({name.rstrip(".") for name in own.day_names if name.islower()}, key=len, reverse=True))
        one, hours = rf"{BASES}{EXPONENT}?", own.unit_names["h"].split("|")
        return (
            Kind("date", re.compile(r"[TSQH][1-4]|[1-4][TSQH]|\b[IVX]+ [a-zà-ÿA-Z]{3}"), (
                rule(r"(?<![\w.,/-])(?:(?P<a>[TSQH])(?P<b>[1-4])|(?P<c>[1-4])(?P<d>[TSQH]))(?:(?: de| del)? "
                     r"(?P<year>20\d\d)|['’]?(?<=[TSQH’'])(?P<short>[0-3]\d))(?![\w-]|[.,]\d)", self.period),
                rule(rf"(?:{words.before_period})(?:(?P<a>[TSQH])(?P<b>[1-4])|(?P<c>[1-4])(?P<d>[TSQH]))"
                     r"(?P<year>)(?P<short>)(?![\w/-]|[.,]\d| ?(?:20\d\d|de \d|meubl|à louer))", self.period),
                rule(r"(?<![\w.'’-])(?P<numeral>(?=[IVX])X{0,3}(?:IX|IV|V?I{0,3})) "
                     rf"(?:(?P<man>trim\.|sem\.|(?:{words.ranked})(?!\w))|(?P<woman>(?:{words.ranked_women})(?!\w)))",
                     self.ranked),
            )),
            Kind("science", re.compile(
                r"[⁰¹²³⁴-⁹]{1,3}[A-Z]|\d M\b|m/s\^?2|[a-z]\.[a-z]+[-⁻]\d?|\bC-\d|\b1/\d+ d[ei] f|\d/\d+ ?[GT][Bo]"
                r"|o/a\b|\bv\. |€/\$|\*\*"
            ), (
                rule(rf"(?<![\w.])(?P<n>[⁰¹²³⁴-⁹]{{1,3}})(?P<element>{one_of(words.elements)})(?!\w)", lambda m:
                     f"{words.elements[m['element']]} {own.cardinal(int(m['n'].translate(EXPONENTS)))}"),
                rule(rf"(?<![\w.,/-])(?P<n>{DECIMAL}) M(?=[,;)]|\.?\s*\Z|\. [A-Z]| d[ei'’])", lambda m:
                     f"{own.spoken(m['n'])} {words.molar}" if mentions(CHEMISTRY, m.string) else None),
                rule(rf"(?<![\w.,/-])(?P<n>{DECIMAL}) ?m/s\^?2(?!\w)",
                     lambda m: own.counted(m["n"], own.unit_names["m/s²"].split("|"))),
                rule(rf"(?<![\w.,·/-])(?P<n>{DECIMAL}) ?(?P<units>{BASES}(?:\.{BASES}(?:-[1-4]|⁻[¹²³⁴])){{1,3}})(?!\w)",
                     self.compound),
                rule(r"\bC-(?P<a>\d{1,3})/(?P<b>\d\d)(?!\w)", lambda m:
                     f"C {own.cardinal(int(m['a']))} {own.web['/']} {own.cardinal(int(m['b']))}"),
                rule(rf"(?<![\w/])1/(?P<n>{'|'.join(words.finals)})s? (?:de|di) finale?(?!\w)",
                     lambda m: words.finals[m["n"]]),
                rule(r"(?<![\w.,/-])(?P<a>\d{1,2})/(?P<b>\d{2,4}) ?(?P<unit>GB|Go|TB|To)(?!\w)(?:\.(?= ))?",
                     self.memory),
                rule(r"\b(?P<stem>[a-zà-ÿ]{3,20})o/a(?P<s>s?)(?![\w/])", lambda m:
                     f"{m['stem']}o{m['s']} {words.either_of} {m['stem']}a{m['s']}" if words.either_of else None),
                rule(rf"(?<=\()v\.(?= (?:{SEEN}))", words.see),
                rule(r"(?<=[a-zà-ÿ]) ?(?P<stars>\*{2,5})(?![\w*])", lambda m:
                     f" {own.cardinal(len(m['stars']))} {words.stars}" if HOSTS.search(text_before(m, 40)) else None),
                rule(r"(?<![\w/])€/\$(?![\w/])",
                     lambda m: " ".join(own.money[sign].split("|")[0] for sign in "€$")),
            )),
            Kind("date", re.compile(
                rf"\d[-–]\d{{1,2}}/\d|\b[369]M ?\d|(?:{words.dated})\d|\(r\. ?\d|\d{{3}}/\d{{3}}|(?i:{days})\.?[/-]"
                r"|\d ?[kMGT]?eV|\dx"
            ), (
                rule(r"(?<![\w.,/-])(?P<a>3[01]|[12]?\d)[-–](?P<b>3[01]|[12]\d)/(?P<m>1[0-2]|0?[1-9])"
                     r"(?![\w/-]|[.,]\d| ?[%€])", self.days),
                rule(r"(?<![\w.,])(?P<n>[369])M ?(?P<y>20\d\d|[0-3]\d)(?!\w|[.,]\d)", lambda m:
                     f"{own.counted(m['n'], words.months.split('|'))}{words.of_year}"
                     f"{own.year(int(m['y']) + (2000 if len(m['y']) == 2 else 0))}"),
                rule(rf"(?:{words.dated})(?P<d>3[01]|[12]\d|0?[1-9])/(?P<m>1[0-2]|0?[1-9])(?![\w/-]|[.,]\d)",
                     lambda m: own.said_date(int(m["d"]), int(m["m"]), None, "")),
                rule(r"(?<![\w/.,-])(?P<a>[1-9]\d\d)/(?P<b>[1-9]\d\d)(?![\w/-]|[.,]\d| ?[a-zA-Z]{1,3}\b)",
                     self.years_next),
                rule(r"(?<=\()r\. ?(?=\d{3,4}[-–])", f"{words.reign} "),
                rule(rf"(?<!\w)(?P<all>(?:{days})\.?(?:(?:/(?:{days})\.?){{1,6}}|(?:-(?:{days})\.?){{2,6}}))(?![\w/-])",
                     self.weekdays),
                rule(rf"(?<![\w.,])(?P<n>{DECIMAL}) ?(?P<p>[kMGT]?)eV(?P<c>/c²)?(?!\w)", self.energy),
                rule(r"(?<![\w.,/-])(?P<n>\d{1,3},\d{1,2})x(?=[.,;)]|\s|\Z)",
                     lambda m: f"{own.spoken(m['n'])} {own.times}"),
            )),
            Kind("abbreviation", re.compile(rf"\b(?:{offices})\. [A-ZÀ-Þ]|\d a\."), (
                rule(rf"(?:{words.of_men}|{words.of_women})(?P<office>{offices})\.(?= [A-ZÀ-Þ][a-zà-ÿ])", self.office),
                rule(rf"(?P<word>\b(?:{words.aged}) )(?:(?P<a>\d{{1,2}}) ?[-–] ?)?(?P<n>\d{{1,2}}) a\.(?!\w| ?C\.)",
                     self.aged),
                rule(r"(?P<word>)(?<![\w.,-])(?P<a>[1-9]\d) ?[-–] ?(?P<n>[1-9]\d) a\.(?= |[,;)]|\s*\Z)(?! ?C\.)",
                     self.aged),
            )),
            Kind("measure", re.compile(
                r"\d/min\.|[a-zA-Z°²³]·[a-zA-Z]|\d [A-Za-zµΩ°]{1,4}/|\d[eE][-−+]?\d"
                r"|\d/\d+ ?(?:mg|µg|mcg)|\d ?/ ?mm[c3³]"
                r"|\d° C\b"
            ), (
                rule(rf"(?<![\w.,·/-])(?P<n>{DECIMAL}) ?(?P<units>{one}(?:[·/]{one}){{1,4}})(?![\w·⁻¹²³/])",
                     self.compound),
                rule(rf"(?<=[\d⁰-⁹¹²³] )(?P<n>)(?P<units>{one}(?:[·/]{one}){{1,4}})(?![\w·⁻¹²³/])",
                     self.compound),
                rule(r"(?<![\w.,-])(?P<n>\d(?:[.,]\d{1,6}|(?=[eE][-−+])))[eE](?P<minus>[-−])?\+?(?P<e>\d{1,3})(?!\w"
                     r"|[.,]\d)",
                     self.scientific),
                rule(r"(?<![\w.,/-])(?P<a>\d{2,4})/(?P<b>\d{2,4}) ?(?P<unit>mg|µg|mcg)(?![\w/])", self.dose),
                rule(rf"(?<![\w.,/-])(?P<n>{DECIMAL}) ?/ ?(?:mm[3³]|mmc)(?!\w)",
                     lambda m: f"{own.spoken(m['n'])} {words.cubic}"),
                rule(r"(?<![\w.,/-])(?P<n>\d{1,3})/min\.(?=\s+[A-ZÀ-Þ])", lambda m:
                     f"{own.spoken(m['n'])} {own.per_word(own.unit_names['min'].split('|')[0])}."),
                rule(r"(?<![\w.,/-])(?P<n>\d{1,3})° C(?![\w.])",
                     lambda m: own.counted(m["n"], own.unit_names["°C"].split("|"))),
            )),
            Kind("number", re.compile(rf"\d ?{won}\.?,|\(\+ |\d:\d\d|\d{{9}}|\d{{3}} \d{{3}} \d{{3}}"), (
                rule(rf"(?<![\w.,/-])(?P<a>\d{{1,2}}) ?{won}\.?, ?(?P<b>\d{{1,2}}) ?{drawn}\.?(?:,| et| e| y) "
                     rf"?(?P<c>\d{{1,2}}) ?{lost}\b\.?", self.standing),
                rule(r"(?<=\()\+ (?=\d[\d.,]* ?(?:%|s\b|pts?\b|points?\b|pb\b|p\.p\.|€|°|M))", f"{own.plus} "),
                port_rule(own),
                rule(rf"(?P<word>\b(?:{words.dialled})[.:]{{0,2}} )(?P<n>\d{{9,11}}|\d{{3}} \d{{3}} \d{{3}})(?![\w-]"
                     rf"|[.,]\d)",
                     self.dialled),
            )),
            Kind("measure", re.compile(
                r"\d ?(?:d|gg|j|jours|días|dias|giorni)\.?/\d|/b|\bf\w*\. ?\d|\bms\. |[½¼]|x [LPHA\d]"
            ), (
                rule(r"(?<![\w.,/-])(?P<a>\d{1,2}) ?(?:d|gg|j|jours|días|dias|giorni)\.? ?/ ?(?P<b>\d{1,2}) ?"
                     r"(?:n|notti|notte|nuits?|noches?|noites?)(?:\.|(?!\w))", self.stay),
                rule(rf"(?<![\w.,/-])(?P<n>{DECIMAL}) ?(?P<sign>\$)/(?:b|bar|bbl)(?:\.(?=,| [a-zà-ÿ])|(?!\w))",
                     self.barrel),
                rule(rf"(?<!\w)(?P<sign>US\$|\$) ?(?P<n>{DECIMAL})/(?:b|bar|bbl)(?:\.(?=,| [a-zà-ÿ])|(?!\w))",
                     self.barrel),
                rule(r"(?<![\w.])(?:fol|f|ff|fl|fls)\. ?(?P<n>\d{1,4}) ?(?P<side>[rv])[°º]?(?!\w)", self.folio),
                rule(r"(?:(?<=\b[Cc]e )|(?<=\b[LlDdUu][eounai] )|(?<=\b[IiEe]l )|(?<=\b[DdUu][eu]l )|(?<=\b[AaUu]n )"
                     r"|(?<=\b[Oo] )|(?<=este ))ms\.", lambda m: f"{words.manuscript}{own.sentence_stop(m)}"),
                rule(r"(?<![\w.,/])(?<![a-zà-ÿ\d] )(?:½|1/2)(?= (?:de|di) [a-zà-ÿ])", lambda m: own.half.split("|")[0]),
                rule(rf"(?:{words.each_quarter[0]}) ?(?:¼|1/4) ?(?:d['’]|de |di )?(?:h|heure|ora|hora)(?![\w/])",
                     words.each_quarter[1]),
                rule(r"(?<!\w)(?P<letter>[LPHA]) ?(?P<n>\d{1,4}(?:,\d)?) ?[x×] ?(?=[LPHAl] ?\d)",
                     lambda m: f"{m['letter']} {own.spoken(m['n'])} {own.by} "),
                rule(rf"(?<!\w)€ ?(?P<n>{DECIMAL}) ?[x×] ?(?P<h>\d{{1,3}}) ?h(?!\w)", lambda m:
                     f"{own.price(m['n'], '€')} {own.alike.lasting} {own.counted(m['h'], hours)}"),
                rule(rf"(?<![\w.,/-])(?P<n>\d{{1,3}}) [x×] (?P<price>{DECIMAL}) ?€(?![\w/])", lambda m:
                     f"{own.spoken(m['n'])} {words.between_prices} {own.price(m['price'], '€')}"),
            )),
        )  # fmt: skip

    def period(self, match: re.Match[str]) -> str | None:
        """ "T2 2024", "2T24", "1S"."""
        letter, number = match["a"] or match["d"], int(match["b"] or match["c"])
        year = match["year"] or match["short"]
        if not year and not mentions(MARKETS, match.string):
            return None
        half = letter in "SH"
        if half and number > 2:
            return None
        name = self.words.half_year if half else self.words.quarter
        said = f"{self.own.ordinal(number, self.words.ordinal_form)} {name}"
        years = int(year or 0) + (2000 if len(year or "") == 2 else 0)
        return f"{said}{self.words.of_year}{self.own.year(years)}" if year else said

    def ranked(self, match: re.Match[str]) -> str:
        """ "III millennio", "I sem."."""
        said = self.own.ordinal(value(match["numeral"]), FEMININE if match["woman"] else self.words.ordinal_form)
        noun = match["woman"] or match["man"]
        cut = {"trim.": self.words.quarter, "sem.": self.words.half_year, **self.words.cut}.get(noun)
        return f"{said} {cut}{self.own.sentence_stop(match)}" if cut else f"{said} {noun}"

    def office(self, match: re.Match[str]) -> str:
        """ "il min. Giorgetti"."""
        man, woman = self.words.offices[match["office"]]
        return woman if re.search(rf"(?:{self.words.of_women})\Z", text_before(match, 8)) else man

    def aged(self, match: re.Match[str]) -> str:
        """ "menores de 4 a."."""
        first = f"{self.own.cardinal(int(match['a']))} {self.own.to} " if match["a"] else ""
        years = self.own.counted(match["n"], [*self.words.years])
        return f"{match['word']}{first}{years}{self.own.sentence_stop(match)}"

    def compound(self, match: re.Match[str]) -> str | None:
        """ "6,67 N·m²·kg⁻²": the units above the bar, then "per" those under it."""
        own, words = self.own, self.words
        above: list[str] = []
        under: list[str] = []
        if match["n"] and not re.search("[·.]", match["units"]):
            return None  # "12 mm/h" is known
        for bar, sign, written in re.findall(rf"([·/.]?)({BASES})(-\d|{EXPONENT}?)(?![\w⁻¹²³])", match["units"]):
            exponent = int(written.translate(EXPONENTS) or "1") * (-1 if bar == "/" else 1)
            power = {1: "", 2: f" {words.squared}", 3: f" {words.cubed}"}.get(abs(exponent))
            if power is None:
                return None
            forms = (words.base_units.get(sign) or own.unit_names.get(sign) or sign).split("|")
            first = exponent > 0 and not above
            said = own.counted(match["n"], forms) if first and match["n"] else forms[-1 if first else 0]
            (above if exponent > 0 else under).append(said + power)
        if not above:
            return None
        return " ".join([*above, *(f"{words.under or own.per} {unit}" for unit in under)])

    def years_next(self, match: re.Match[str]) -> str | None:
        """ "481/482"."""
        first, last = int(match["a"]), int(match["b"])
        if last != first + 1:
            return None
        return f"{self.own.year(first)} {self.own.or_before(last)} {self.own.year(last)}"

    def days(self, match: re.Match[str]) -> str | None:
        """ "16-29/12"."""
        first, last = self.words.from_to
        if int(match["a"]) >= int(match["b"]):
            return None
        before = "" if text_before(match, len(first) + 1).casefold() == f"{first} " else f"{first} "
        end = self.own.said_date(int(match["b"]), int(match["m"]), None, "")
        start = self.own.first_of_month if match["a"] == "1" and self.own.first_of_month else None
        return f"{before}{start or self.own.cardinal(int(match['a']))} {last} {end}"

    def weekdays(self, match: re.Match[str]) -> str | None:
        """ "lun./mar./jeu."."""
        names = [self.own.day_names.get(day) or self.own.day_names.get(f"{day}.")
                 for day in re.findall(r"[^\W\d_]+", match["all"])]  # fmt: skip
        return ", ".join(name for name in names if name) if all(names) else None

    def energy(self, match: re.Match[str]) -> str:
        """ "0,8 eV/c²", "13 TeV"."""
        prefix = self.words.prefixes.get(match["p"], "")
        forms = [prefix + form for form in self.words.electronvolt.split("|")]
        mass = f" {self.words.under or self.own.per} c {self.words.squared}" if match["c"] else ""
        return self.own.counted(match["n"], forms) + mass

    def memory(self, match: re.Match[str]) -> str | None:
        """ "8/256 GB": of a telephone."""
        forms = self.own.unit_names.get(match["unit"])
        if forms is None:
            return None
        return (
            f"{self.own.cardinal(int(match['a']))}, {self.own.counted(match['b'], forms.split('|'))}"
            + self.own.sentence_stop(match)
        )

    def scientific(self, match: re.Match[str]) -> str:
        """ "1,38e-23"."""
        exponent = f"{self.own.minus} " if match["minus"] else ""
        first = self.own.spoken(match["n"].replace(".", ","))
        return f"{first} {self.words.ten_to} {exponent}{self.own.cardinal(int(match['e']))}"

    def dose(self, match: re.Match[str]) -> str | None:
        """ "875/125 mg": of two drugs in one pill."""
        if match["unit"] not in self.own.unit_names or max(int(match["a"]), int(match["b"])) > 2000:
            return None
        forms = self.own.unit_names[match["unit"]].split("|")
        return f"{self.own.spoken(match['a'])}, {self.own.counted(match['b'], forms)}"

    def standing(self, match: re.Match[str]) -> str:
        """ "5 v., 0 n., 3 d."."""
        own, said = self.own, []
        for number, name in zip((match["a"], match["b"], match["c"]), self.words.results, strict=True):
            one, several = name.split("|")
            said.append(own.counted(number, [one, several]))
        return ", ".join(said) + own.sentence_stop(match)

    def dialled(self, match: re.Match[str]) -> str:
        """ "tel 612345678"."""
        own = self.own
        parts = re.fullmatch(self.words.groups, match["n"])
        groups = parts.groups() if parts else match["n"].split()
        word = match["word"].rstrip(" :.")
        said = own.abbreviations.get(f"{word}.") or own.abbreviations.get(word) or word
        return f"{said}{': ' if ':' in match['word'] else ' '}" + ", ".join(own.digits(group) for group in groups)

    def stay(self, match: re.Match[str]) -> str:
        """ "3 d/2 n", "3 gg/2 notti"."""
        days, nights = (form.split("|") for form in self.words.stay)
        stop = self.own.sentence_stop(match)
        return f"{self.own.counted(match['a'], days)}, {self.own.counted(match['b'], nights)}{stop}"

    def barrel(self, match: re.Match[str]) -> str:
        """ "73,1 $/b"."""
        return f"{self.own.price(match['n'], match['sign'])} {self.own.per_word(self.words.barrel)}"

    def folio(self, match: re.Match[str]) -> str:
        """ "fol. 12r"."""
        leaf, front, back = self.words.folio
        return f"{leaf} {self.own.cardinal(int(match['n']))} {front if match['side'] == 'r' else back}"
