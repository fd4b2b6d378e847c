"""The numbers, money and measures that European languages share: patterns, and which method says them."""

from __future__ import annotations

import re

from mlx_tts.text.normalise.engine import Kind, UnspeakableError, mentions, one_of, rule, text_after, text_before
from mlx_tts.text.normalise.european import FEMININE, European

# A comma before decimals, a dot or a narrow space between thousands: "1.234,5", "10 000"; "3.5" is a decimal too.
GROUPED = r"\d{1,3}(?:[. ]\d{3})+(?![\d])"
NUMBER = rf"(?:{GROUPED}(?:,\d+)?|\d+(?:,\d+)?(?!\.\d{{3}}(?!\d))|\d+)"
DECIMAL = rf"(?:{GROUPED}(?:,\d+)?|\d+,\d+|\d+\.\d{{1,2}}(?!\d)|\d+)"
START = r"(?<![\w.,])(?<!\d[-–/:])"
END = r"(?![\w])(?![.,:/-]\d)"
MINUS = r"(?P<minus>(?:[-+±]|(?:(?<!\S)|(?<=\())–)(?=[\d.]))?"
VULGAR = {"½": (1, 2), "⅓": (1, 3), "⅔": (2, 3), "¼": (1, 4), "¾": (3, 4), "⅕": (1, 5), "⅖": (2, 5), "⅗": (3, 5),
          "⅘": (4, 5), "⅙": (1, 6), "⅚": (5, 6), "⅛": (1, 8), "⅜": (3, 8), "⅝": (5, 8), "⅞": (7, 8)}  # fmt: skip
# A lone raised 2 or 3 is no exponent here: it is a square or a cube.
EXPONENT = (
    r"(?:\^(?P<power>[-+]?\d{1,3})|"
    r"(?P<raised>[⁻⁺]?[⁰¹⁴-⁹][⁰¹²³⁴-⁹]{0,2}|[²³][⁰¹²³⁴-⁹]{1,2}|[⁻⁺][⁰¹²³⁴-⁹]{1,3}))"
)
RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
LOWERED = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
# Behind these n/n is the number of a law or a file.
FILES = re.compile(r"\b(?:[A-Z]{1,4}|[Ll]egge|[Ll]ei|[Ll]ey|[Ll]oi|[Dd]ecreto|L\.|[Ll]gs\.|n\.|n[°º]|[Nn]\.º) \Z")
YEAR = re.compile(r"1[1-9]\d\d|20\d\d")
FILED = re.compile(
    r"(?:Nr\.|\b[Nn]\.|n[°º]|[Nn]\.º|Flst\.|\b(?:[Aa]utos|[Ee]xpediente|[Ee]xpte\.|[Pp]rocedimiento|[Pp]rocesso"
    r"|[Dd]ossier|[Aa]ktenzeichen|Az\.)) \Z"
)
# What only a date is: in its text 28/2 is one as well.
FULL_DATE = re.compile(
    r"(?<!\d)[0-3]?\d[-/][01]?\d[-/][12]\d{3}(?!\d)|(?<![\d/.,-])(?:1[3-9]|2\d|3[01])/(?:1[0-2]|[5-9])(?![\d/%]|[.,]\d)"
)
DATED = re.compile(r"\b(?:a|ao|até|dia|no dia|em|el|al|hasta|il|dal|fino al|le|du|au|jusqu'au|bis|vom|am) \Z")
CODED = re.compile(r"\b(?:EAN|ISBN|GTIN|IMEI|[Cc][óo]d(?:igo|ice)?|[Cc]ode?|Nr|[Nn]°|[Nn]\.?º)\.?:? \Z")
PAGES = re.compile(r"\b(?:pp?\.|págs?\.|pagg?\.|pages?|páginas?|pagine|S\.|Seiten?|SS\.) \Z")


# A noun that is taken by halves: no preposition or article, no word for what is done.
HALVED = re.compile(
    r"(?!(?:del|della|dei|dos|das|con|com|per|por|para|pela|pelo|los|las|una|uma)\b)[a-zà-ÿ]{4,}|d[ií]a|ora|a[nñ]o"
    r"|m[eê]s"
)
# Behind these words n/n is the day from which a flat is free, or on which something ends.
FREE = re.compile(
    r"(?i)\b(?:disp(?:on|\.|on\.)|disponib\w+|dispon[ií]ve\w+|libre|libero|libera|livre|vence|caduca|scade|vto\.|venc\."
    r"|scad\.|vencimento|échéance|expire|(?:dès|à partir) le|frei ab) \Z"
)


# Behind an hour of the day x is the "for" of chat: "alle 8 x cena".
AT_AN_HOUR = re.compile(r"\b(?:alle|le|ore|las|às|as) \d{1,2}(?:[:.h]\d\d)?h? ?\Z")


class NumberRules:
    """The rules of one language. Methods are named after what they say."""

    def __init__(self, own: European):
        self.own = own

    def sign(self, match: re.Match[str]) -> str:
        minus = f"{self.own.minus} "
        signs = {"-": minus, "–": minus, "+": f"{self.own.plus} ", "±": f"{self.plus_minus()} "}
        return signs.get(match["minus"] or "", "")

    def plus_minus(self) -> str:
        return self.own.plus_minus or f"{self.own.plus} {self.own.minus}"

    def stop(self, match: re.Match[str]) -> str:
        return self.own.sentence_stop(match)

    def unit_stop(self, match: re.Match[str]) -> str:
        return self.stop(match) if match["unit"].endswith(".") else ""

    # Numbers

    def numbers(self) -> Kind:
        own = self.own
        scales = one_of(
            word for word in (*own.scales, *own.scale_words) if word not in {*own.unit_names, "k", "T", "M"}
        )
        return Kind("number", re.compile(r"[\d²³₀-₉¼-¾⅐-⅞]"), (
            rule(rf"(?<![\w/])(?:{one_of(own.fixed)})(?![\w/])" if own.fixed else r"(?!)", lambda m: own.fixed[m[0]]),
            rule(rf"{START}(?P<n>{GROUPED}|\d{{1,6}})/(?P<year>1[89]\d\d|20\d\d)(?![\w/]|[.,]\d)"
                 rf"|{START}(?P<grouped>{GROUPED})/(?P<short>\d\d)(?![\w/]|[.,]\d)",
                 lambda m: None if re.fullmatch(r"(?:19|20)\d\d", m["n"] or "") else
                 f"{own.spoken(m['n'] or m['grouped'])} {own.web['/']} {own.cardinal(int(m['year'] or m['short']))}"),
            rule(rf"{START}(?P<n>\d) ?[x×] ?/ ?(?P<per>{one_of(own.per_words) or '(?!)'})(?!\w)",
                 lambda m: f"{own.repeated(int(m['n']))} {own.per_word(own.per_words[m['per']])}"),
            rule(r"(?:(?<=n° )|(?<=nº )|(?<=n\.º )|(?<=Nr\. )|(?<=№ )|(?<=\b[LR]\. )|(?<=\b[RrAa][eé]f\. )"
                 r"|(?<=\b[Cc]od\. art\. )|(?<=\b[Аа]рт\. )|(?P<n>(?<=\b[nN]\. )))"
                 r"(?P<a>[1-9]\d{0,3})-(?P<b>\d{1,6}|\d{1,3}\.\d{3})(?![\w-]|[.,]\d)",
                 lambda m: None if m["n"] is not None and len(m["a"]) == len(m["b"]) and m["a"] < m["b"]
                 else f"{own.spoken(m['a'])} {own.web['-']} {own.spoken(m['b'])}"),
            rule(rf"{START}{MINUS}(?:(?P<whole>\d{{1,9}}) (?:(?:e|y|et) )?)?(?P<top>\d{{1,9}})/"
                 r"(?P<bottom>\d{1,9})(?![\w/]|[.,]\d)",
                 self.fraction),
            rule(rf"{START}(?P<a>{GROUPED})/(?P<b>{GROUPED})(?![\w/]|[.,]\d)",
                 lambda m: f"{own.spoken(m['a'])} {own.out_of or own.over} {own.spoken(m['b'])}"),
            rule(rf"{START}{MINUS}(?:(?P<whole>\d{{1,9}}) ?)?(?P<part>[{''.join(VULGAR)}])(?!\w)", self.vulgar),
            rule(rf"{START}{MINUS}(?P<n>{DECIMAL}) ?(?P<scale>M)(?P<of>)(?= d[ei] | d['’])",
                 lambda m: self.sign(m) + own.scaled(m["n"], m["scale"]) if m["scale"] in own.scales else None),
            rule(rf"{START}{MINUS}(?P<n>{DECIMAL}) (?P<scale>{scales})(?!\w)\.?(?P<of>)",
                 lambda m: self.sign(m) + own.scaled(m["n"], m["scale"]) + self.stop(m)),
            rule(rf"{START}(?P<a>{DECIMAL}) ?[-–] ?(?P<n>{DECIMAL}) (?P<scale>{scales})(?!\w)\.?",
                 lambda m: f"{own.spoken(m['a'])}{self.to(m)}{own.scaled(m['n'], m['scale'])}{self.stop(m)}"),
            # Between them no "n. V.", which another rule reads.
            rule(rf"\b(?P<word>{own.score_words})(?P<gap>(?:(?! n\. ?[VE]\.)[^\d\n]){{1,24}})"
                 r"(?P<a>\d{1,3}) ?[-–:x] ?(?P<b>\d{1,3})"
                 rf"(?P<more>(?:, \d{{1,2}}[-–:]\d{{1,2}}){{0,4}})(?![\w/:-]|[.,]\d)", self.score),
            rule(r"(?:(?<=\d[-–:]\d )|(?<=\d[-–:]\d\d ))\((?P<a>\d{1,2})[-–:/](?P<b>\d{1,2})\)",
                 lambda m: f"({self.result(m['a'], m['b'])})"),
            rule(rf"(?<!\blas )(?<!\balle )(?<!\bàs ){START}(?P<a>\d{{1,2}})[-–:](?P<b>\d{{1,2}}), "
                 r"(?P<c>\d{1,2})[-–:](?P<d>\d{1,2})(?![\w:/-]|,? (?:y|e|et|und|и|o|ou) \d{1,2}:[0-5]\d)",
                 lambda m: f"{self.result(m['a'], m['b'])}, {self.result(m['c'], m['d'])}"),
            rule(rf"{START}(?P<a>{DECIMAL}) ?[-–] ?(?P<b>{DECIMAL})(?![\w–-]|[.,:/]\d)",
                 lambda m: own.digits(m["a"]) + ", " + own.digits(m["b"]) if re.match(r"0\d\d|\d+-0\d\d", m[0])
                 else self.span(m)),
            rule(rf"{START}(?P<a>\d{{1,3}}):(?P<b>\d{{1,3}})(?![\w:]|[.,]\d)", lambda m: self.result(m["a"], m["b"])),
            rule(rf"{START}(?P<n>\d{{1,4}})(?:[x×](?= |[.,;!?)]|\Z)(?! ?[-+=\d])| [x×](?= [^\W\d_]{{2}}| s/))",
                 lambda m: f"{own.cardinal(int(m['n']))} {own.chat['x']}"
                 if "x" in own.chat and AT_AN_HOUR.search(m.string[max(0, m.start() - 8) : m.end("n")])
                 else own.repeated(int(m["n"]))),
            rule(r"(?<=[A-Za-zà-ÿ.] )[x×] (?=\d[\d.,–-]{0,12} ?€|(?:R\$|[€$£]) ?\d)",
                 lambda m: f"{own.by_before('', '')} "),
            rule(r"(?<=[A-Za-zà-ÿ] )x (?=\d{1,3} (?:mes|mois|Monat|pagas|mensualidad|parcel|pesso|person|noit|n"
                 r"och|nuits|"
                 r"notti|d[íi]as|jours|giorni|Tage))", f"{own.times} "),
            rule(r"(?<=\d) ?[x×] ?(?=[€$£]? ?\d)", lambda m: f" {own.by_before('', '')} "),
            rule(
                rf"{START}(?P<a>\d{{1,5}}) ?[x×х] ?(?P<b>\d{{1,5}})(?: ?[x×х] ?(?P<c>\d{{1,5}}))?(?![\w]|[.,]\d|"
                 r",[-–—])",
                 lambda m: f" {own.by_before('', '') if len(m[0]) < 6 and following(m) else own.by} ".join(
                     own.spoken(part) for part in m.groups() if part)),
            rule(rf"{START}{MINUS}(?:(?P<n>{DECIMAL}) ?[x×·*] ?)?(?P<base>\d{{1,6}}){EXPONENT}(?: "
                     rf"?(?P<unit>{one_of(own.unit_names)}))?(?![\w²³/^])",
                 self.power),
            rule(r"(?<!\w)(?=[A-Za-z]{1,8}[₀-₉])(?P<atoms>(?:[A-Z][a-z]?[₀-₉]{0,3}){1,8})(?!\w)", self.formula),
            rule(rf"{START}{MINUS}(?P<n>{DECIMAL}) ?[x×·*] ?(?P<base>10)(?P<power>)(?P<raised>[²³])"
                 rf"(?: ?(?P<unit>{one_of(own.unit_names)}))?(?![\w²³/^])", self.power),
            rule(r"(?<![\w.,])(?P<n>\d{1,4}(?=[xyzn][²³]))?(?P<base>[A-Za-z]{1,3}|\d{1,9})(?P<power>[²³])(?!\w)",
                 lambda m: f"{own.spoken(m['n']) + ' ' if m['n'] else ''}"
                 f"{own.spoken(m['base']) if m['base'].isdecimal() else m['base']} {own.web[m['power']]}"),
            rule(rf"{START}(?P<a>{DECIMAL})(?P<rest>(?: ?[+×·÷=x] ?{DECIMAL}| - {DECIMAL}){{1,12}})"
                 rf"(?![\w%\"″]|[.,]\d|,[-–—]| ?[€$£])",
                 self.sum),
            rule(
                rf"\b(?P<word>{own.pressure_words})(?!\w)(?P<gap>[^\d\n]{{1,16}})(?P<a>\d{{1,3}})(?:/|(?<=\d\d)"
                rf"x(?=\d\d))(?P<b>\d{{1,3}})"
                 rf"(?P<unit> ?(?:mm ?Hg|мм рт\. ст\.))?(?![\w/]|[.,]\d)",
                 lambda m: f"{m['word']}{self.compared(m['gap'])}"
                 + own.pressure.format(a=own.cardinal(int(m['a'])), b=own.cardinal(int(m['b'])))
                 + (f" {several(own.unit_names['mmHg'])}" if m["unit"] else "")),
            rule(rf"{START}(?P<n>\d{{1,4}})/(?P<letter>[A-Za-z])(?![\w/])",
                 lambda m: f"{own.cardinal(int(m['n']))} {m['letter']}"),
            rule(r"(?<![\w/.])(?P<name>[A-ZÀ-Þ]{2,6})/(?P<n>\d{2}|(?:19|20)\d{2})(?![\w/]|[.,-]\d)",
                 lambda m: f"{m['name']} {own.name_of_number(m['n'])}"),
            rule(rf"{START}(?P<n>\d+)\+(?![\w+])", lambda m: f"{own.spoken(m['n'])} {own.plus}"),
            rule(rf"(?<![\w.,-]){MINUS}(?P<n>{DECIMAL}){END}(?!,\d)", self.plain),
            rule(r"(?<![\w.,])(?=[^\W\d_]{0,20}-?\d)(?=\w{1,40}(?:-|\b))[^\W_]{1,40}(?:-[^\W_]{1,40}){0,6}(?![\w@])"
                 r"(?!\.\w)", self.label),
        ))  # fmt: skip

    def plain(self, match: re.Match[str]) -> str:
        own, written = self.own, match["n"]
        if self.year_like(match):
            return own.bare_year(int(written))
        if written.isdecimal() and len(written) > 7 and CODED.search(text_before(match, 12)):
            return own.digits(written)
        noun = following(match)
        if own.plain(written) == "1":
            return self.sign(match) + own.one(noun, "" if match["minus"] else text_before(match, 60))
        return self.sign(match) + own.spoken(written, own.gender_of_counted(written, noun))

    def year_like(self, match: re.Match[str]) -> bool:
        return YEAR.fullmatch(match["n"]) is not None and not match["minus"]

    def to(self, match: re.Match[str]) -> str:
        """Behind "a" a span has no second one: "a 30-50 km/h"; behind "entre" it is "y". Where two numbers next to each
        other have a word of their own ("due o tre cose"), others are said side by side ("otto-dieci minuti")."""
        own, small = self.own, [int(number) for number in re.findall(r"(?<![\d,.])\d{1,2}(?![\d,.])", match[0])]
        counted = re.match(r" (?!d[ae])[a-zà-ÿ]{3}", text_after(match, 4)) or re.search(
            r"(?:[^\W\d_]\.?|['’′%€])\Z", match[0]
        )
        beside = own.near and counted and len(small) == 2 and small[0] < small[1]
        if beside and small[1] == small[0] + 1 < 11:
            return f" {own.near} "
        if re.search(r"\b(?:[Ee]ntre|[Tt]ra|[Ff]ra) \Z", text_before(match, 6)):
            return f" {own.web['&']} "
        beside = beside and not re.search(r"\b[Dd]a(?:l|i|lle|gli)? \Z", text_before(match, 6))
        beside = beside or (own.to == "a" and text_before(match, 3).endswith((" a ", "(a ")))
        return "-" if beside or re.search(rf"\b(?:{own.span_words}) \Z", text_before(match, 12)) else f" {own.to} "

    def span(self, match: re.Match[str]) -> str:
        """ "1712-1786", "1618-48": from a year to a year; else from a number to what is counted."""
        own, first, last = self.own, match["a"], match["b"]
        shorter = first.isdecimal() and last.isdecimal() and len(last) < len(first) and int(last) < int(first)
        if shorter and len(last) < 3 and PAGES.search(text_before(match, 10)):
            last = first[: -len(last)] + last  # "pp. 214-9"
        elif shorter and len(first) > 3 and len(last) == 1:
            return f"{own.digits(first)}, {own.digits(last)}"  # a code and its check digit
        if YEAR.fullmatch(first) and re.fullmatch(r"\d\d|[12]\d{3}", last):
            return f"{own.year_of_span(int(first))} {own.to} {own.year_of_span(int(last))}"
        noun = following(match)
        said = own.spoken(first, own.gender_of_counted(first, noun) if first != "1" else "")
        return f"{said}{self.to(match)}{own.spoken(last, own.gender_of_counted(last, noun))}"

    def like_a_date(self, match: re.Match[str], top: int, bottom: int) -> bool:
        """Nobody writes a fraction as 3/09 or 25/7; "de 5/3" is no fraction either."""
        if top > 31 or bottom > 12 or (match["top"][0] == "0" and match["bottom"][0] != "0"):
            return False
        if re.fullmatch(r"0[1-9]", match["bottom"]) or (bottom and FREE.search(text_before(match, 14))):
            return True
        if top > bottom > 0 and mentions(FULL_DATE, match.string) and not FILED.search(text_before(match, 12)):
            return True
        if bottom in (7, 9, 11, 12) and mentions(FULL_DATE, match.string) and DATED.search(text_before(match, 12)):
            return True
        of = re.search(r"\bde \Z", text_before(match, 4)) is not None
        if of and bottom in (7, 9, 11) and not re.match(r" (?:d(?:[aeo]s?|el)|[a-zà-ÿ]+s)\b", text_after(match, 20)):
            return True
        return bottom > 0 and ((top > 12 and bottom > 4) or (of and top > bottom > 1))

    def fraction(self, match: re.Match[str]) -> str | None:
        top, bottom = int(match["top"]), int(match["bottom"])
        if match["whole"] is not None:
            if top >= bottom:
                return None
            return self.sign(match) + self.own.mixed(match["whole"], top, bottom, following(match))
        if not match["minus"] and self.like_a_date(match, top, bottom):
            return self.own.said_date(top, bottom, None, text_before(match, 12))
        if match["top"][0] == "0" or match["bottom"][0] == "0":
            return None
        if YEAR.fullmatch(match["top"]) and bottom in ((top + 1) % 100, top + 1):
            return self.own.season(top, bottom)
        if re.fullmatch(r"(?:19|20)\d\d", match["top"]) and bottom > 12:
            return f"{self.own.year(top)} {self.own.web['/']} {self.own.cardinal(bottom)}"
        if bottom == top + 1 and top > 9 and not match["minus"]:
            return f"{self.own.cardinal(top)} {self.own.cardinal(bottom)}"  # the two releases of a program
        filed = FILED.search(text_before(match, 12))
        if top > bottom > (1 if filed else 12):
            over = self.own.web["/"] if filed or FILES.search(text_before(match, 12)) else self.own.over
            return f"{self.sign(match)}{self.own.cardinal(top)} {over} {self.own.cardinal(bottom)}"
        if top == 1 and bottom > 2 and re.search(r"\b(?:[Ee]l|[Ll]e|[Ii]l|[Oo]) \Z", text_before(match, 12)):
            return self.own.fraction(top, bottom).partition(" ")[2]  # the article says that it is one
        half = self.half(following(match)) if (top, bottom) == (1, 2) else ""
        return self.sign(match) + (half or self.own.fraction_behind(top, bottom, text_before(match, 12)))

    def half(self, noun: str) -> str:
        """ "1/2 compressa": without an article; nothing: the language has one, or no noun follows."""
        if not self.own.half_before_nouns or not HALVED.fullmatch(noun):
            return ""
        masculine, _, feminine = self.own.half.partition("|")
        is_feminine = FEMININE in (self.own.gender(noun), self.own.gender_of_many(noun)) or (
            noun[-1] == "a" and noun not in ("dia", "día")
        )
        return feminine if is_feminine else masculine

    def vulgar(self, match: re.Match[str]) -> str:
        top, bottom = VULGAR[match["part"]]
        if match["whole"]:
            return self.sign(match) + self.own.mixed(match["whole"], top, bottom, following(match))
        half = self.half(following(match)) if (top, bottom) == (1, 2) else ""
        return self.sign(match) + (half or self.own.fraction_behind(top, bottom, text_before(match, 12)))

    def compared(self, gap: str) -> str:
        """What stands between a name and its number: " > " becomes words."""
        return re.sub(r" ?[<>≤≥≈=] ?", lambda m: f" {self.own.relations.get(m[0].strip(), self.own.equals)} ", gap)

    def result(self, a: str, b: str) -> str:
        return self.own.score.format(a=self.own.cardinal(int(a)), b=self.own.cardinal(int(b)))

    def score(self, match: re.Match[str]) -> str:
        more = re.sub(r"(\d+)[-–:](\d+)", lambda m: self.result(m[1], m[2]), match["more"])
        return f"{match['word']}{match['gap']}{self.result(match['a'], match['b'])}{more}"

    def sum(self, match: re.Match[str]) -> str | None:
        if re.search(r"[€$£] ?\Z", text_before(match, 2)) or re.match(r" ?€", text_after(match, 2)):
            return None  # "€ 700 + 80 spese": of money
        names = {
            "+": self.own.plus,
            "-": self.own.minus,
            "=": self.own.equals,
            "×": self.own.by,
            "·": self.own.by,
            "x": self.own.by,
        }
        names["÷"] = self.own.divided
        said = re.sub(r" ?([+×·÷=x-]) ?", lambda m: f" {names[m[1]]} ", match["rest"])
        said = re.sub(r"\d[\d.,]*", lambda n: self.own.spoken(n[0].rstrip(".,")), said)
        return f"{self.own.spoken(match['a'])}{said}"

    def sizes(self, match: re.Match[str]) -> str:
        """ "2,1 x 0,9 m", "80 x 190 x 30 cm"."""
        own = self.own
        last = own.counted(match["n"], own.unit_names[match["unit"]].split("|")) + self.unit_stop(match)
        first = [own.spoken(match[name]) for name in "ab" if match[name]]
        return f" {own.by_before(match['n'], match['unit'])} ".join([*first, last])

    def length(self, match: re.Match[str]) -> str:
        """ "1'12"", "4h12'35"": how long something took."""
        own = self.own
        said = [
            own.counted(written.lstrip("0") or "0", self.time_unit(sign).split("|"))
            for written, sign in ((match["h"], "h"), (match["m"], "min"), (match["s"], "s"))
            if written
        ]
        part = match["part"]
        return " ".join(said) + (f" {own.hundredths(part) if len(part) == 2 else own.digits(part)}" if part else "")

    def time_unit(self, sign: str) -> str:
        """The forms of an hour, a minute or a second, by its sign in Latin letters."""
        names = self.own.unit_names
        known = sign if sign in names else {"h": "ч", "min": "мин", "s": "с"}.get(sign, sign)
        if known not in names:
            raise UnspeakableError(sign)
        return names[known]

    def formula(self, match: re.Match[str]) -> str:
        """ "CO₂"."""
        parts = re.findall(r"[A-Z][a-z]?|\d+", match["atoms"].translate(LOWERED))
        return " ".join(part if part[0].isalpha() else self.own.cardinal(int(part)) for part in parts)

    def power(self, match: re.Match[str]) -> str:
        """ "1,4 · 10^-9 m"."""
        own = self.own
        exponent = (match["power"] or match["raised"]).translate(RAISED)
        minus = f"{own.minus} " if exponent[0] == "-" else ""
        first = f"{own.spoken(match['n'])} {own.by_before('', '')} " if match["n"] else ""
        unit = f" {several(own.unit_names[match['unit']])}" if match["unit"] else ""
        said = f"{own.cardinal(int(match['base']))} {own.power} {minus}{own.cardinal(int(exponent.lstrip('+-')))}"
        return f"{self.sign(match)}{first}{said}{unit}"

    def label(self, match: re.Match[str]) -> str | None:
        """Letters and digits that are one name: A6, 12a, 3-D-Drucker, COVID-19."""
        parts = re.findall(r"\d+|[^\W\d_]+|-", match[0])
        if not any(part[0].isalpha() for part in parts):
            return None
        if len(parts) > 1 and parts[0].isdecimal() and parts[-1].islower() and len(parts[-1]) > 1:
            return None  # a number with a word's ending
        words = []
        for place, part in enumerate(parts):
            after = parts[place + 1] if place + 1 < len(parts) else ""
            if part == "-":
                numbers = after.isdecimal() and parts[place - 1].isdecimal()
                words.append(
                    "," if numbers else "-" if after and not after.isdecimal() and parts[place - 1].isalpha() else " "
                )
            else:
                words.append(f" {self.own.name_of_number(part)}" if part.isdecimal() else f" {part}")
        return re.sub(r" ?- ?", "-", re.sub(r" +", " ", "".join(words))).strip()


def several(forms: str) -> str:
    """Of the forms of a noun the one behind large numbers."""
    found = forms.split("|")
    return found[2 if len(found) > 2 else -1]


def fraction_of(written: str) -> tuple[int, int]:
    if written in VULGAR:
        return VULGAR[written]
    top, _, bottom = written.partition("/")
    return int(top), int(bottom)


def following(match: re.Match[str]) -> str:
    """The word behind a number, if one blank stands between."""
    word = re.match(r" ([^\W\d_]+)(?!\.?\w)", text_after(match, 30))
    return word[1] if word else ""
