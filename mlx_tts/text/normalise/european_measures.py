"""The money and the measures that European languages share: patterns, and which method says them."""

from __future__ import annotations

import re

from mlx_tts.text.normalise.engine import Kind, one_of, rule, text_after, text_before
from mlx_tts.text.normalise.european import FEMININE
from mlx_tts.text.normalise.european_numbers import (
    DECIMAL,
    END,
    MINUS,
    START,
    VULGAR,
    NumberRules,
    following,
    fraction_of,
)

# Behind n/n these tell that it is from the one to the other.
SERVED = r"(?:[Pp]ers\b|[Pp]erson\w*|pessoas|porciones|raciones|porzioni|porções|convives|comensales|Portionen|Pers\.)"
# What a number of volts stands before: a battery, or its charge.
POWERED = re.compile(
    r" \d{1,4}(?:[.,]\d{1,2})? ?(?:m?Ah?|k?Wh?|Hz)\b"
    r"|-(?:Akku|Batterie|Netz|Block|Anschl|Steck|Bord|Ladeg|Motor|System|Lei)"
)
# Letters that may be names: units only with a space or another sign of it.
BARE_UNITS = frozenset("mghstlLAVKWJАВК")  # the last three are Russian


# Behind "500g": what is weighed.
WEIGHED = re.compile(r" (?:d[ei] |d['’]|do |da )")
# Before it, where it is no house, paragraph or class: "(500g)", "und 20g Zucker", "100 ml Milch, 80g Butter".
NO_NAME = re.compile(
    r"(?:\A|[\n(\[;:+]|\b(?i:und|oder|plus|mit|etwa|rund|nur|noch|je|pro|von|wiegt|et|ou|avec|environ|seulement|y|o|con|unos"
    r"|unas|solo|e|ed|circa|ou|com|cerca de|apenas|de|di|und|и|или|около|по|весит|p[eè]se|pes[ao])"
    r"|\d ?(?:[mk]?g|[mcd]?l|[ET]L|г|мл)\b[^\n.;:]{0,40},) ?\Z"
)


def weighs(match: re.Match[str]) -> bool:
    """Whether g is grams behind a number without a blank."""
    if match["unit"] != "g":
        return False
    if WEIGHED.match(text_after(match, 8)):
        return True
    return len(match["n"]) > 1 and NO_NAME.search(text_before(match, 48)) is not None


def powers(match: re.Match[str]) -> bool:
    """Whether V is volts: "12 V 7 Ah", "12-V-Akku"."""
    return match["unit"] == "V" and POWERED.match(text_after(match, 24)) is not None


PART = rf"[1-9]/[2-8](?!\d)|[{''.join(VULGAR)}]"
# A number that may have a part behind it; two parts alone are more often dates.
MIXED = rf"(?:\d{{1,3}} ?(?:[{''.join(VULGAR)}]|(?<= )(?:{PART}))|[{''.join(VULGAR)}]|\d{{1,3}}(?:,\d)?)"


def fraction_of_one(written: str) -> bool:
    """Whether it is less than one."""
    return re.fullmatch(PART, written) is not None


class MeasureRules(NumberRules):
    """The rules of one language. Methods are named after what they say."""

    def money(self) -> Kind:
        own = self.own
        signs = one_of(own.money)
        scale = rf"(?: ?(?P<scale>{one_of((*own.scales, *own.scale_words))})(?!\w)(?:\.(?=,| [a-zà-ÿа-яё]))?)?"
        glued = rf"(?:(?P<scale>{one_of(own.scales)})(?=(?:{signs})))?"
        some_signs = one_of([sign for sign in own.money if not sign.isalpha() or len(sign) > 2])
        some_scale = one_of((*own.scales, *own.scale_words))
        of = r"(?: de| di| d')?"
        per = rf"(?: ?/ ?(?P<per>{one_of(own.unit_names)}|[^\W\d_]{{2,12}})(?!\w)(?:\.(?=[,/]| [a-zа-яё]))?(?!\.? \d)"
        per += rf"(?:/(?P<per2>{one_of(own.per_words) or '(?!)'})(?!\w))?)?"
        return Kind("money", re.compile(r"\d"), (
            rule(rf"{START}(?P<n>{DECIMAL}) ?(?P<sign>{signs})/(?P<of>\d{{1,4}}) ?(?P<unit>"
                 rf"{one_of(own.unit_names)})(?!\w)",
                 lambda m: f"{own.price(m['n'], m['sign'])} {own.per_amount or own.per} "
                 f"{own.counted(m['of'], own.unit_names[m['unit']].split('|'))}"),
            rule(rf"{START}{MINUS}(?P<n>{DECIMAL}) ?{glued}(?P<sign>{signs})(?!\w){per}", self.price),
            rule(r"(?<![\w.,])(?P<n>\d{1,4}) ?(?P<sign>[€£])(?P<cents>\d\d)(?![\w%€£]|[.,]\d)",
                 lambda m: own.price(f"{m['n']},{m['cents']}", m["sign"])),
            rule(rf"{START}{MINUS}(?P<n>{DECIMAL}) ?(?P<scale>{one_of((*own.scales, *own.scale_words))})(?![^\W\d_])"
                 rf"\.?{of} ?(?P<sign>{signs})(?!\w){per}", self.price),
            rule(rf"(?<!\w){MINUS}(?P<sign>{signs}) ?(?P<n>{DECIMAL}){scale}{per}{END}",
                 self.price),
            rule(rf"{START}{MINUS}(?P<n>\d{{1,3}}(?:\.\d{{3}})*),[-–—]{{1,2}} ?(?P<sign>{signs})(?!\w)(?P<scale>)",
            self.price),
            rule(rf"{START}(?P<a>{DECIMAL}) ?(?:{signs})? ?[-–] ?(?P<n>{DECIMAL}) ?{glued}(?P<sign>{signs})(?!\w)",
                 lambda m: f"{own.spoken(m['a'])}{self.to(m)}{own.price(m['n'], m['sign'], m['scale'] or '')}"),
            rule(rf"(?<!\w)(?P<sign>{signs}) ?(?P<a>{DECIMAL}) ?[-–] ?(?:{signs})? ?(?P<n>{DECIMAL}){END}",
                 lambda m: f"{own.spoken(m['a'])} {own.to} {own.price(m['n'], m['sign'])}"),
            rule(
                rf"{START}(?P<n>\d{{1,3}}) mil (?P<scale>{one_of(own.scales)}|milhões|millones) ?(?:de )?(?P<si"
                rf"gn>{signs})(?!\w)",
                 lambda m: own.price(str(int(m["n"]) * 1000), m["sign"], m["scale"])),
            rule(rf"{START}(?P<some>\d{{1,4}}(?:/\d{{1,4}}){{1,3}})/(?P<n>\d{{1,4}}) ?(?P<sign>{some_signs})(?!\w)",
                 lambda m: ", ".join(own.spoken(n) for n in m["some"].split("/"))
                 + f", {own.price(m['n'], m['sign'])}"),
            rule(rf"{START}(?P<a>{DECIMAL}) ?[-–] ?(?P<n>{DECIMAL}) ?(?P<scale>{some_scale})(?![^\W\d_])\.?{of} ?"
                 rf"(?P<sign>{signs})(?!\w)|(?<!\w)(?P<sign2>{signs}) ?(?P<a2>{DECIMAL})(?: ?[-–] ?| {own.to} )"
                 rf"(?P<n2>{DECIMAL}) (?P<scale2>{some_scale})(?![^\W\d_])",
                 lambda m: f"{own.spoken(m['a'] or m['a2'])} {own.to} "
                 + own.price(m["n"] or m["n2"], m["sign"] or m["sign2"], m["scale"] or m["scale2"])),
        ))  # fmt: skip

    def price(self, match: re.Match[str]) -> str | None:
        if (
            len(match["sign"]) == 1
            and match["sign"].isalpha()
            and re.search(rf"\b(?:{self.own.naming}) \Z", text_before(match, 16))
        ):
            return None  # "terminal 2F"
        if match["sign"] == "F" and match[0].lstrip("-+").startswith("F"):
            return None  # "F3" is a flat of three rooms; francs stand behind their number
        per = match.groupdict().get("per")
        said = self.sign(match) + self.own.price(match["n"], match["sign"], match["scale"] or "")
        if per in self.own.unit_names and per not in self.own.per_words:
            per = self.own.unit_names[per].split("|")[0]
        per = self.own.per_words.get(per) or self.own.abbreviations.get(f"{per}.", per) if per else per
        if (
            match["sign"].endswith(".")
            and match[0].endswith(".")
            and re.match(r" \d(?!\d? ?(?:коп|к\.))", text_after(match, 12))
        ):
            said += "."  # what is counted next is no part of the amount
        elif not per and (match["sign"].endswith(".") or (match["scale"] or "").endswith(".")):
            said += self.stop(match)
        if match.groupdict().get("per2"):
            said += f" {self.own.per_word(per or '')}"
            per = self.own.per_words[match["per2"]]
        return f"{said} {self.own.per_word(per)}{self.stop(match)}" if per else said

    def measures(self) -> Kind:
        own = self.own
        names = own.unit_names
        units = one_of(names)
        scale = (
            rf"(?: (?P<scale>{one_of((*own.scales, *own.scale_words))})(?!\w)(?:\.(?! ?[A-ZА-Я]\b))?(?: d[ei](?= ))?)?"
        )
        tail = r"(?![\w²³'’°]|(?<=\d [a-z])-[a-z]|\.[a-z]"
        tail += r"|/(?!\d{1,3}(?:[. ]\d{3}|,\d{1,2})? ?(?!h\b|min|d\b|s\b)[a-zA-Z°]))"
        tail += r"(?:\.(?=[,;)]| \(?[a-zà-ÿа-яё]))?"
        vulgar = rf"(?P<part>[1-9]\d{{0,2}}/[1-9]\d{{0,3}}|[{''.join(VULGAR)}])"
        return Kind("measure", re.compile(r"[\d¼-¾⅐-⅞]"), (
            rule(rf"{START}(?P<n>\d{{1,3}}(?:[.,]\d)?)/(?P<best>10|12|15|20|25|30|40|50|60|80|100|120) ?"
                 r"(?:Pkte?|[Pp]ts?|[Pp]tos?|[Pp]ti)(?!\w)\.?", self.points),
            rule(rf"{START}(?P<m>[1-9])m(?P<cm>\d\d)(?!\w)", self.height),
            rule(rf"{START}{MINUS}(?P<n>{DECIMAL}){scale}(?P<space>[ -]?)(?P<unit>{units}){tail}", self.measure),
            rule(rf"{START}(?=[\d ./–-]{{0,8}}(?:[{''.join(VULGAR)}]|/\d))(?P<a>{MIXED}) ?[-–] ?(?P<b>{MIXED})"
                 rf"(?![\w/½¼¾]|[.,:]\d|[-–]\w)(?: ?(?P<unit>{units}){tail})?", self.mixed_span),
            rule(rf"{START}(?P<a>\d{{1,2}})[°º]?/(?P<n>\d{{1,2}}) ?(?P<unit>[°º]C?)(?![\w/])",
                 lambda m: f"{own.spoken(m['a'])}, "
                           f"{own.counted(m['n'], names[m['unit'].replace('º', '°')].split('|'))}"),
            rule(rf"{START}{MINUS}(?:(?P<whole>\d{{1,4}}) ?(?:(?<= )(?:e|y|et) )?"
                 rf"(?<!\d(?=\d)))?{vulgar} ?(?:(?<= )(?:de |di |d'))?"
                 rf"(?P<unit>{units}){tail}",
                 self.part_of_unit),
            rule(rf"{START}(?P<part>1/2|½)(?= (?P<noun>{one_of(own.measure_words.split()) or '(?!)'})\b)",
                 lambda m: own.part_of(1, 2, m["noun"]).rpartition(" ")[0]),
            rule(rf"{START}(?P<a>{DECIMAL}) ?[-–] ?(?P<n>{DECIMAL}) ?(?P<unit>{units}|%)"
                 rf"(?:{tail}|/(?P<per>{one_of(own.per_words) or '(?!)'})(?!\w))",
                 lambda m: f"{self.first_of(m)}{self.to(m)}"
                 + own.in_case(own.counted(m["n"], (names.get(m["unit"]) or own.percent).split("|")),
                                   text_before(m, 24)) + self.unit_stop(m)
                     + (f" {own.per_word(own.per_words[m['per']])}" if m["per"] else "")),
            rule(rf"(?<=[€$£])/(?P<per>{one_of(own.per_words) or '(?!)'})(?!\w)",
                 lambda m: f" {own.per_word(own.per_words[m['per']])}"),
            rule(rf"{START}(?P<n>{DECIMAL}) ?m[lL]/min/(?P<of>1,73) ?m(?:²|2)(?!\w)",
                 lambda m: f"{own.counted(m['n'], names['ml/min'].split('|'))} {own.per_amount or own.per} "
                 f"{own.counted(m['of'], names['m²'].split('|'))}" if "ml/min" in names else None),
            rule(r"(?<=[€$£])/(?=(?:erm|red|réd|rid|Kinder|niños|enfants|bambini|crianças)\w{0,8}\.? \d)", ", "),
            rule(rf"(?<=[a-zA-Zµа-я°%~])/(?=\d{{1,3}}(?:[. ]\d{{3}}|,\d{{1,2}})? ?(?!h\b|min|d\b|s\b)(?:"
                 rf"{units})(?!\w))",
                 ", "),
            rule(rf"{START}(?P<a>{DECIMAL}) ?[x×х] ?(?:(?P<b>{DECIMAL}) ?[x×х] ?)?"
                 rf"(?P<n>{DECIMAL}) ?(?P<unit>{units}){tail}", self.sizes),
            rule(rf"{START}{MINUS}(?P<n>{DECIMAL}) ?(?:%|٪)"
                 rf"(?:/(?P<per>{one_of(own.per_words) or '(?!)'}|[^\W\d_]{{2,9}})"
                 rf"(?!\w))?", lambda m: self.sign(m) + own.counted(m["n"], own.percent.split("|"))
                 + (f" {own.per_word(own.per_words.get(m['per']) or m['per'])}" if m["per"] else "")),
            rule(rf"{START}{MINUS}(?P<n>\d{{1,3}},\d|(?<=-)\d{{1,2}}) ?º(?!\w)",
                 lambda m: self.sign(m) + own.counted(m["n"], names["°"].split("|")) if "°" in names else None),
            rule(rf"{START}(?P<n>{DECIMAL})/(?P<of>100|1000) ?(?P<unit>g|ml|mL)(?!\w)",
                 lambda m: f"{own.spoken(m['n'])} {own.per_amount or own.per} "
                 f"{own.counted(m['of'], names[m['unit']].split('|'))}"),
            rule(rf"{START}(?P<a>[2-9]|1\d)/(?P<b>[3-9]|1\d)(?= ?(?P<what>{SERVED}))",
                 lambda m: f"{own.spoken(m['a'])}{self.to(m)}{own.spoken(m['b'])}" if int(m["a"]) < int(m["b"])
                      else None),
            rule(rf"{START}(?P<a>\d{{1,3}})[-–](?P<b>\d{{1,3}})['’′](?![\w'’′])",
                 lambda m: f"{own.spoken(m['a'])}{self.to(m)}{own.counted(m['b'], names['min'].split('|'))}"
                 if "min" in names else None),
            rule(rf"{START}(?P<a>\d{{1,2}})/(?P<n>\d{{1,2}}) ?%",
                 lambda m: f"{own.spoken(m['a'])}, {own.counted(m['n'], own.percent.split('|'))}"),
            rule(rf"{START}(?P<n>\d{{1,2}}) ?(?P<unit>h|j|g)/(?P<of>7|24)(?![\w/])",
                 lambda m: f"{own.counted(m['n'], names[m['unit']].split('|'))} {own.out_of} "
                           f"{own.cardinal(int(m['of']))}"
                 if m["n"] == m["of"] and own.out_of and m["unit"] in names and m["unit"] != "g" else None),
            rule(rf"{START}(?P<n>{DECIMAL}) ?(?P<unit>{units})/(?P<per>[^\W\d_]{{4,16}})(?!\w)",
                 lambda m: f"{own.counted(m['n'], names[m['unit']].split('|'))} {own.per_word(m['per'])}"),
            rule(rf"{START}(?P<n>\d{{1,2}}[.,]\d{{1,2}})/(?P<best>5|10|20|100)(?![\w/]|[.,]\d)",
                 lambda m: f"{own.spoken(m['n'])} {own.out_of} {own.cardinal(int(m['best']))}" if own.out_of else None),
            rule(r"(?<![\w.,])(?:(?P<h>\d{1,2}) ?h ?)?(?P<m>\d{1,2})['’′] ?(?P<s>[0-5]?\d)(?:[\"″”]|''|’’)"
                 r"(?P<part>\d{0,3})(?!\w)",
                 self.length),
            rule(rf"{START}{MINUS}(?P<n>{DECIMAL}) ?(?P<unit>{units})/(?P<per>{units}|"
            rf"{one_of(own.per_words) or '(?!)'}){tail}",
                 lambda m: f"{self.sign(m)}{own.counted(m['n'], names[m['unit']].split('|'))} {own.per} "
                 f"{own.per_words.get(m['per']) or names[m['per']].split('|')[0]}{self.stop(m)}".replace(
                 f" {own.per} ", f" {own.per_unit(m['per'])} ").replace("' ", "'")),
            rule(rf"{START}(?P<n>{DECIMAL}) ?/ ?(?P<per>{one_of(own.per_words) or '(?!)'}){tail}",
                 lambda m: f"{own.spoken(m['n'])} {own.per_word(own.per_words[m['per']])}{self.stop(m)}"),
            rule(rf"{START}{MINUS}(?P<n>{DECIMAL}) ?/ ?(?P<unit>{units}){tail}",
                 lambda m: None if m["unit"] in BARE_UNITS and m["unit"].isupper() else
                 f"{self.sign(m)}{own.spoken(m['n'])} {own.per} {names[m['unit']].split('|')[0]}"),
        ))  # fmt: skip

    def each(self) -> Kind:
        """An abbreviation behind a word that asks for one of it: "pro Pers.", "por pers."."""
        own = self.own
        names = {unit: forms.split("|")[0] for unit, forms in own.unit_names.items()} | own.per_words
        one = {unit: name for unit, name in names.items() if unit.endswith(".") and len(unit) > 3}
        before = "[Pp]ro|[Jj]e|[Pp]or|[Pp]ar|[Pp]er|[Cc]ada|[Cc]haque|[Oo]gni"
        return Kind("measure", re.compile(rf"\b(?:{before}) \w+\."), (
            rule(rf"\b(?P<before>{before}) (?P<unit>{one_of(one) or '(?!)'})(?!\w)",
                 lambda m: f"{m['before']} {one[m['unit']]}{self.stop(m)}"),
        ))  # fmt: skip

    def points(self, match: re.Match[str]) -> str | None:
        """ "15/20 Pkt."."""
        own = self.own
        if not own.points_of:
            return None
        stop = self.stop(match) if match[0].endswith(".") else ""
        return f"{own.spoken(match['n'])} {own.out_of} {own.cardinal(int(match['best']))} {own.points_of}{stop}"

    def height(self, match: re.Match[str]) -> str | None:
        """ "1m78"."""
        own = self.own
        if "m" not in own.unit_names:
            return None
        metres = own.counted(match["m"], own.unit_names["m"].split("|"))
        below = own.digits(match["cm"]) if match["cm"][0] == "0" else own.cardinal(int(match["cm"]))
        return f"{metres}{own.metre_joint}{below}"

    def measure(self, match: re.Match[str]) -> str | None:
        own, unit = self.own, match["unit"]
        if match["space"] == "-" and unit in "AVKJ" and not powers(match):
            return None  # "n.º 14-A"
        glued = unit in BARE_UNITS and not match["space"] and "," not in match["n"]
        if glued and unit not in "mhWl" and not weighs(match):
            return None
        if (
            unit in BARE_UNITS
            and match["scale"] is None
            and re.match(r" (?:\d|[A-ZА-Я]\.)", text_after(match, 3))
            and unit in "AVKWJstК"
            and not powers(match)
        ):
            return None
        if (
            unit in "AVKWJ"
            and unit in BARE_UNITS
            and re.search(rf"\b(?:Nr|n|No|Gate|{self.own.naming})\.? \Z", text_before(match, 16))
        ):
            return None
        if unit in own.unit_words and re.match(own.unit_words[unit], text_after(match, 24)):
            return None
        number = match["n"].lstrip("0") or "0" if unit in ("h", "ч") and match["n"].isdecimal() else match["n"]
        said = own.counted(number, own.unit_names[unit].split("|"), match["scale"] or "")
        return self.sign(match) + own.in_case(said, text_before(match, 64)) + self.unit_stop(match)

    def first_of(self, match: re.Match[str]) -> str:
        """The first number of a span: a one has the gender of what is counted ("una a dos horas")."""
        own = self.own
        noun = (own.unit_names.get(match["unit"]) or own.percent).split("|")[0]
        if match["a"] == "1" and own.one_of_span:
            return own.one_of_span
        if match["a"] != "1" or own.gender(noun) != FEMININE:
            return own.spoken(match["a"])
        return own.spoken("1", FEMININE)

    def part_of_unit(self, match: re.Match[str]) -> str | None:
        top, bottom = fraction_of(match["part"])
        unit, stop = self.own.unit_names[match["unit"]], self.unit_stop(match)
        if re.match("[Pp]ers|pess", match["unit"]) and 1 < top < bottom and not match["whole"]:  # "4/6 pers."
            return f"{self.own.cardinal(top)} {self.own.to} {self.own.counted(str(bottom), unit.split('|'))}{stop}"
        if top > 99 and not match["whole"]:  # "110/220 V"
            return (
                f"{self.own.cardinal(top)}, {self.own.counted(str(bottom), unit.split('|'))}" if top < bottom else None
            )
        if 9 < top < bottom and not match["whole"]:  # "24/48 h"
            return f"{self.own.cardinal(top)}{self.to(match)}{self.own.counted(str(bottom), unit.split('|'))}"
        if match["whole"]:
            forms = unit.split("|")
            number = self.own.mixed(match["whole"], top, bottom, forms[-1])
            return f"{self.sign(match)}{number} {forms[1 if len(forms) > 2 else -1]}{stop}"
        return self.sign(match) + self.own.in_case(self.own.part_of(top, bottom, unit), text_before(match, 64)) + stop

    def mixed_span(self, match: re.Match[str]) -> str | None:
        """ "1-1½ h", "1 1/2 - 2 Stunden"."""
        own, unit = self.own, match["unit"]
        if not any(re.search(r"[/½-⅞¼¾]", match[name]) for name in "ab"):
            return None
        forms = own.unit_names[unit].split("|") if unit else []
        noun = forms[0] if unit else following(match)
        first, last = self.mixed_number(match["a"], noun, own.one_of_span), self.mixed_number(match["b"], noun)
        if not unit:
            return f"{first}{self.to(match)}{last}"
        if not re.search(r"[/½-⅞¼¾]", match["b"]):
            return f"{first}{self.to(match)}{own.counted(match['b'], forms)}{self.unit_stop(match)}"
        small = fraction_of_one(match["b"])
        return f"{first}{self.to(match)}{last} {forms[0 if small else -1]}{self.unit_stop(match)}"

    def mixed_number(self, written: str, noun: str, one: str = "") -> str:
        """one: what is said for 1, where the language has a word of its own."""
        own = self.own
        found = re.search(rf"(?:{PART})\Z", written)
        if found is None:
            feminine = bool(noun) and FEMININE in (own.gender(noun), own.gender_of_many(noun))
            return one if one and written == "1" else own.spoken(written, FEMININE if feminine else "")
        top, bottom = fraction_of(found[0])
        whole = written[: found.start()].strip()
        if whole:
            return own.mixed(whole, top, bottom, noun)
        return self.half(noun) if (top, bottom) == (1, 2) and self.half(noun) else own.fraction(top, bottom)
