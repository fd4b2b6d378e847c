"""The written forms that European languages share, but for numbers: patterns, and which method says them."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache

from mlx_tts.text.normalise.accounts import IBAN, iban
from mlx_tts.text.normalise.engine import SIGNS, Kind, Span, one_of, recognise, rule, text_after, text_before
from mlx_tts.text.normalise.european import CAPITAL, European
from mlx_tts.text.normalise.european_dates import DateRules
from mlx_tts.text.normalise.european_marks import MarkRules
from mlx_tts.text.normalise.european_measures import MeasureRules
from mlx_tts.text.normalise.european_numbers import AT_AN_HOUR, GROUPED
from mlx_tts.text.normalise.web_address import BEHIND_HOST, parts_behind_host
from mlx_tts.text.roman import value

NUMERAL = r"M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})"
# Behind it the stop of an abbreviation ends no sentence: "e nel XVI sec. Roma".
OPENS_A_CLAUSE = re.compile(
    r"(?:(?:\A|[.!?…] )(?:Nel|Dal|Al|En el|Del|No|Do|Au|Du)|, (?:e |y |et )?(?:nel|dal|al|en el|au|du)) \Z"
)
# Before or after Christ; how a sentence begins that goes on behind it; a German one that begins with a noun.
ERA = re.compile(r"[ad]\. ?C\.|[vn]\. ?Chr\.|(?:av|ap|apr)\. ?J\.-C\.|(?:до )?н\. ?э\.")
IN_A_YEAR = re.compile(
    r"(?i:nel|nell|dal|dall|intorno|verso|dopo|fino|già|en|hacia|desde|hasta|em|no|na|por|im|um|vor|seit|ab|schon|bereits|vers"
    r"|au|dès|depuis|in|al|ao|в|к|до|около|с|от|ещё)\b"
)
NOUN_AND_VERB = re.compile(
    r"\s+[A-ZÄÖÜ][\wäöüß-]{2,} (?:ist|sind|war|waren|hat|haben|hatten?|wird|werden|wurden?|liegt|steht|kommt|beginnt)\b"
)
SENTENCE_ENDS = re.compile(r"(?<=[^\W_]{2})[.!?] (?=[A-ZÀ-ÞА-ЯЁ][a-zà-ÿа-яё]|[ВСКОАИAEOÀ] )|\n")
SMALL_NUMERAL = r"(?=[IVX])X{0,3}(?:IX|IV|V?I{0,3})"
ENDINGS = ["pdf", "txt", "md", "py", "js", "ts", "html", "htm", "css", "json", "yaml", "yml", "xml", "csv", "doc",
    "docx", "xls", "xlsx", "ppt", "pptx", "zip", "tar", "gz", "exe", "png", "jpg", "jpeg", "gif", "svg", "mp3", "mp4",
    "wav", "flac", "ogg", "epub", "ini", "log", "cfg", "conf", "dll", "iso", "apk", "dmg", "odt", "ods", "odp",
        "rtf", "webp",
    "heic", "avi", "mkv", "webm", "ics", "sql", "php", "rar", "bak", "srt"]  # fmt: skip
HOST = r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})\.){1,8}(?:[A-Za-z]{2,24})"
KNOWN_ENDS = (
    "com|org|net|io|ai|edu|gov|dev|app|co|uk|de|fr|info|me|tv|eu|ch|at|jp|ca|us|nl|it|es|pt|br|ru|mx|ar|be|gov|рф"
)


# Behind these digits are said one by one.
SECRET = (
    r"PIN|Pin|NIP|[Ss]enha|[Cc]lave|[Cc]ontraseña|[Pp]asswort|[Zz]ugangscode|[Mm]ot de passe|[Cc]ode PIN|[Cc]ódigo PIN"
)
# Behind these letters and numbers between slashes name a letter or a file.
REFERENCE = r"[Rr][eé]f\.|Zeichen:|N/Réf\.|V/Réf\.|[Rr]efer[eê]ncia:?|[Rr]éférence :?|Geschäftszeichen:?|Gz\.:?"


class _Rules(DateRules, MarkRules, MeasureRules):
    """All rules of one language."""

    # Addresses of the net and names

    def web(self) -> Kind:
        dotted = "(?:[.] )?" if self.own.dotted_version else ""
        rules = (
            rule(rf"\b[a-z]{{2,10}}://(?:www\.(?=\w))?(?P<host>{HOST}|localhost)(?::(?P<port>\d{{1,5}}))?{BEHIND_HOST}",
                 self.url),
            rule(rf"(?<![\w.@+-])(?:mailto:)?(?P<user>[A-Za-z0-9][\w.+-]{{0,63}})@(?P<host>{HOST})(?![\w@])",
                 lambda m: f"{self.marked(m['user'])} {self.own.web['@']} {self.marked(m['host'])}"),
            rule(rf"(?<![\w.@/-])(?=www\.|{HOST}/|(?:[A-Za-z0-9-]{{1,63}}\.){{1,8}}(?:{KNOWN_ENDS})\b)(?!\d+\.\d)"
                 rf"(?P<host>{HOST})(?P<port>){BEHIND_HOST}(?![\w@])", self.url),
            rule(r"(?<![\w@])@(?P<name>[A-Za-z_][\w.]{0,40}\w)",
                 lambda m: f"{self.own.web.get('@name', self.own.web['@'])} {self.marked(m['name'])}"),
            rule(r"(?<![\w&#])#(?P<tag>[^\W\d_]\w{1,60})", lambda m: f"{self.own.hashtag} {self.camel(m['tag'])}"),
            rule(rf"(?<![\w/.~-])(?P<name>[^\W_][\w-]{{0,80}})\.(?P<end>{one_of(ENDINGS)})(?![\w/-])(?!\.\w)",
                 lambda m: f"{self.camel(m['name'].replace('-', ' '))} {self.own.web['.']} "
                     f"{' '.join(m['end'].upper()) if len(m['end']) < 4 else m['end']}"),
            rule(r"(?<![\w.])(?P<ip>\d{1,3}(?:\.\d{1,3}){3})(?![\w.])",
                 lambda m: f" {self.own.web['.']} ".join(self.own.digits(part) for part in m["ip"].split("."))
                 if not re.fullmatch(GROUPED, m["ip"]) else None),
            rule(rf"(?<![\w.])v{dotted}"
                 r"(?P<n>\d{1,4}(?:\.\d{1,4}){1,3})"
                 r"(?![\w.]\w|\w)|(?<![\w.,])(?P<m>\d{1,4}(?:\.\d{1,4}){2})(?![\w.]\w|\w|,\d)",
                 self.version),
            rule(r"(?<![\w/.<])~?(?:/[\w.-]{0,60}\w){2,20}/?", lambda m: self.marked(m[0])),
            rule(r"(?<!\w)(?P<name>[A-Za-z]\w{0,60}_\w{1,60})(?!\w)", lambda m: self.camel(m["name"])),
        )  # fmt: skip
        return Kind("address of the net", re.compile(r"[@#/_]|\w\.\w"), rules)

    def version(self, match: re.Match[str]) -> str | None:
        """ "v2.1", "1.2.3"; behind the word for it the letter is not said again."""
        own = self.own
        if re.fullmatch(r"\d{1,3}(?:\.\d{3})+", match[0]):
            return None
        said = f" {own.dot} ".join(own.name_of_number(part) for part in (match["n"] or match["m"]).split("."))
        named = not match["n"] or text_before(match, 12).casefold().endswith(f"{own.version.casefold()} ")
        return said if named else f"{own.version} {said}".lstrip()

    def url(self, match: re.Match[str]) -> str:
        path, query = parts_behind_host(match["path"])
        port = f" {self.own.web[':']} {self.own.name_of_number(match['port'])}" if match["port"] else ""
        return (
            self.marked(match["host"].removeprefix("www."))
            + port
            + (f" {self.own.web['/']} {self.marked(path)}" if path else "")
            + (f" {self.marked(query)}" if query else "")
        )

    def marked(self, written: str) -> str:
        """Letters stay, marks become their names, digits are said one by one."""
        said = re.sub(r"[^\w\s]|_", lambda mark: f" {self.own.web.get(mark[0], '')} ", written)
        return " ".join(re.sub(r"\d+", lambda number: f" {self.own.digits(number[0])} ", said).split())

    def camel(self, name: str) -> str:
        apart = re.sub(r"(?<=[a-zà-ÿа-я])(?=[A-ZÀ-ÞА-Я0-9])|_", " ", name)
        return " ".join(re.sub(r"\d+", lambda n: f" {self.own.name_of_number(n[0])} ", apart).split())

    # Telephones

    def telephones(self) -> Kind:
        rules = (
            rule(rf"(?P<word>\b(?:{SECRET}):? )(?P<n>\d{{4,8}})(?![\w#-]|[.,]\d)",
                 lambda m: m["word"] + self.own.digits(m["n"])),
            rule(rf"(?P<word>\b(?:{REFERENCE}) ?)(?P<letters>[A-Z]{{1,4}})(?P<n>(?:/\d{{1,6}}){{1,3}})(?![\w/])",
                 lambda m: f"{self.reference(m['word'])} {' '.join(m['letters'])}, {self.dialled(m['n'])}"),
            rule(r"(?P<word>\bRCS (?:[A-ZÀ-Þ][\w-]{2,20} )?(?:[A-D] )?)(?P<n>\d{3} \d{3} \d{3})(?![\w-]|[.,]\d)",
                 lambda m: m["word"] + ", ".join(self.own.digits(part) for part in m["n"].split())),
            rule(IBAN, lambda m: iban(m, self.own.digits)),
            rule(r"(?:(?<=Nr\. )|(?<=n\.º )|(?<=nº )|(?<=n° )|(?<=Konto )|(?<=Depot ))\d{2,4}(?: \d{2,4}){2,5}("
                 r"?:/\d{1,4})?"
                 r"(?![\w-]|[.,]\d| ?[€$£%])", lambda m: self.dialled(m[0])),
            rule(r"(?<![\w.])(?P<word>USt-Id(?:Nr\.|\.-Nr\.)|UID|VAT|TVA|NIF|CIF|NIPC|CNPJ|SIRE[NT]|HRB|St\.-Nr"
                 r"\.|Steuernr\.|"
                 r"P\. ?IVA|P\.I\.|C\.F\.)(?P<gap>:? ?)(?P<land>[A-Z]{2} ?)?(?P<n>\d[\d ./-]{4,20}\d)(?![\w-]|[.,]\d)",
                 lambda m: f"{self.own.abbreviations.get(m['word'], m['word'])}{m['gap']}"
                 f"{' '.join(m['land'].strip()) + ' ' if m['land'] else ''}{self.dialled(m['n'])}"),
            rule(r"(?<![\w.,-])\d{2}\.\d{3}\.\d{3}/\d{4}-\d{2}(?![\w-])", self.telephone),
            rule(r"(?<![\w.])\+\d{1,3}[ .-]?(?:\(\d{1,5}\)[ .-]?)?\d{1,12}(?:[ .-]\d{1,8}){0,5}(?![\w%])(?!\.\d)",
                 lambda m: self.telephone(m) if sum(c.isdigit() for c in m[0]) > 6 else None),
            rule(r"(?<![\w.])(?:\d{1,3}[ .-])?\(0?\d{2,5}\)[ .-]?\d{2,8}(?:[ ./-]\d{2,8}){0,4}(?![\w-])",
                 self.telephone),
            rule(r"(?<![\w.,$€£-])(?:1[-.])?\d{3}([-.])\d{3}\1\d{3,4}(?:-\d{1,5})?(?![\w-])", self.telephone),
            rule(r"(?<![\w.,$€£-])\d{2} \d{4,5}-\d{4}(?![\w-])|(?<![\w.,$€£-])\d{3,5}-\d{4}(?![\w-])",
                 lambda m: None if re.fullmatch(r"(?:1[0-9]|20)\d\d-(?:1[0-9]|20)\d\d", m[0]) else self.telephone(m)),
            rule(r"(?<![\w.,$€£-])\d{2,4}(?: \d{2,4}){2,5}(?![\w-]|[.,]\d| ?[€%$£])",
                 lambda m: self.telephone(m) if sum(c.isdigit() for c in m[0]) > 7 else None),
            rule(r"(?<![\w.,$€£-])0\d(?:[ .]\d\d){4}(?![\w-])(?!\.\d)", self.telephone),
            rule(rf"\b(?P<word>(?i:{self.own.telephone_words}))(?P<gap>:? )-?"
                 rf"(?P<n>\d{{2,12}}(?:(?: / |[ /.-])\d{{2,8}}){{0,5}}(?:-\d)?)(?!\w|[.,]\d)",
                 lambda m: f"{self.reference(m['word'])}{m['gap']}{self.dialled(m['n'])}"),
            rule(r"(?<![\w.,-])1-(?:800|888|877|866)(?:-[A-Za-z\d]{1,10}){1,4}(?![\w-])", self.vanity),
            rule(r"(?<![\w.,-])\d{1,7}(?:-\d{1,7}){2,6}(?:-[\dX])?(?![\w-])", self.telephone),
            rule(r"(?<![\w.,$€£-])\d{3}[ /-]\d{7}(?![\w-]|[.,]\d| ?[€$£%])", self.telephone),
            rule(r"(?<![\w.,-])(?:0\d{1,4}[ /]\d{5,9}|0\d{2,4}[ /]\d{4})(?![\w-]|[.,]\d)", self.telephone),
            rule(r"(?<![\w.,-])\d{4,6}(?: \d{1,4}){3,6}(?![\w-]|[.,]\d| ?[€%$£])",
                 lambda m: None if re.search(r"\A\d+(?: \d{3})+\Z", m[0]) else self.telephone(m)),
            rule(r"(?<![\w.,-])0\d{2,4}(?: ?/ ?| )\d{2,8}(?:[ -]\d{1,8}){1,4}(?![\w-]|[.,]\d)", self.telephone),
            rule(r"(?<![\w.,-])\d{4} \d{4} \d{4} \d{3,4}(?!\w)", self.telephone),
        )  # fmt: skip
        return Kind("telephone", re.compile(r"\d{2}"), rules)

    def telephone(self, match: re.Match[str]) -> str | None:
        if re.fullmatch(GROUPED, match[0]):
            return None
        plus = f"{self.own.plus} " if match[0].lstrip("(").startswith("+") else ""
        return plus + self.dialled(match[0])

    def reference(self, word: str) -> str:
        word = word.strip()
        return self.any_case(self.own.abbreviations).get(word, word)

    def dialled(self, written: str) -> str:
        groups = re.findall(r"\d+", written)
        if self.own.telephone_pairs and all(len(group) == 2 for group in groups):
            return " ".join(self.own.digits(g) if g[0] == "0" else self.own.cardinal(int(g)) for g in groups)
        return ", ".join(self.own.digits(group) for group in groups)

    def vanity(self, match: re.Match[str]) -> str | None:
        groups = match[0].split("-")
        if all(group.isdecimal() for group in groups):
            return None
        return ", ".join(
            (self.own.cardinal(int(g)) if g.endswith("00") else self.own.digits(g)) if g.isdecimal() else self.camel(g)
            for g in groups
        )

    # Roman numerals

    @cached_property
    def numbered(self) -> dict[str, str]:
        """Abbreviations that stand before a numeral: "cap. III"."""
        own = self.own
        of_nouns = {key: said for key, said in own.abbreviations.items() if said in own.numbered_nouns}
        return {key: said for key, said in (own.before_numbers | of_nouns).items() if key.endswith((".", "°"))}

    def romans(self) -> Kind:
        own = self.own
        names = one_of(own.rulers) or "(?!)"
        counted = one_of(own.numbered_nouns) or "(?!)"
        return Kind("Roman numeral", re.compile(r"\b[IVXLCDM]+"), (
            rule(rf"(?<![\w.-])(?P<a>{SMALL_NUMERAL})[-–](?P<b>{SMALL_NUMERAL})(?![\w-])",
                 lambda m: f"{own.cardinal(value(m['a']))} {own.to} {own.cardinal(value(m['b']))}"
                 if value(m["a"]) < value(m["b"]) else None),
            rule(rf"\b(?P<name>{names}) (?P<numeral>{SMALL_NUMERAL})(?:er|º|ª|\.(?= [a-zà-ÿ(]| 1\d{{3}}\b|[,;:)]))?"
                 rf"(?![\w]|['’-]\w)",
                 lambda m: self.ruler(m)),
            rule(rf"\b(?P<word>{counted}) (?P<numeral>(?=[IVXLCDM]){NUMERAL})\b(?!['’-]?\w)",
                 lambda m: f"{m['word']} {own.cardinal(value(m['numeral']))}"),
            rule(rf"(?<![\w.])(?P<word>{one_of(self.numbered) or '(?!)'}) ?(?P<numeral>{SMALL_NUMERAL})\b(?!['’.-]?\w)",
                 lambda m: f"{self.numbered[m['word']]} {own.cardinal(value(m['numeral']))}"),
            rule(r"\b(?:(?P<before>(?:[Ss]iglos?|[Ss]ecol[io]|[Ss]éculos?|[Ss]écs?\.|[Ss]ecc?\.|ss?\.) "
            r")(?P<all>[IVX]{1,5}(?:(?:,? (?:y|e|a|al|o|ao|"
                 r"à) |, |"
                 r" ?[-–] ?)[IVX]{1,5}){1,3})\b(?P<after>)"
                 r"|(?P<all2>[IVX]{1,5}(?:e|ᵉ|ème|er)s?(?:(?:,? (?:et|ou|au|à) |, | ?[-–] ?)[IVX]{1,5}(?:e|ᵉ|"
                 r"ème)s?){1,3})"
                 r"(?P<after2> siècles?\b| s\.))", lambda m: self.several_centuries(m)),
            rule(rf"(?<=\d, )(?P<numeral>{SMALL_NUMERAL})(?=, (?:d[oa] |del |de la |du |lett|[a-z]\)|\"?[a-z]\"?,))",
                 lambda m: own.cardinal(value(m["numeral"]))
                 if re.search(r"\b[Aa]rts?(?:\.|igo|ículo|icle) \d{1,4}[ºª]?, \Z",
                     text_before(m, 18)) else None),
            *(rule(century.replace("NUMERAL", rf"(?P<numeral>{SMALL_NUMERAL})"),
                self.century) for century in own.centuries),
            rule(rf"\b(?P<numeral>{SMALL_NUMERAL})\.?(?P<after> (?:{own.ordinal_nouns}))\b",
                 lambda m: f"{own.ordinal(value(m['numeral']), own.ordinal_noun_form)}{m['after']}"),
            rule(rf"\b(?P<name>[A-ZÀ-ÞА-Я][a-zà-ÿа-яё]{{2,20}}) (?P<numeral>(?=[IVX]{{2}}){SMALL_NUMERAL})"
                 rf"\b(?!['’.-]?\w)",
                 lambda m: f"{m['name']} {own.cardinal(value(m['numeral']))}"),
        ))  # fmt: skip

    def ruler(self, match: re.Match[str]) -> str:
        return f"{match['name']} {self.own.regnal(value(match['numeral']), match['name'], text_before(match, 12))}"

    def century(self, match: re.Match[str]) -> str:
        said = self.own.century_words(value(match["numeral"]))
        groups = match.groupdict()
        noun, after = groups.get("before") or "", groups.get("after") or ""
        if after.endswith("."):
            opens = OPENS_A_CLAUSE.search(text_before(match, 16))
            after = f" {self.own.century_noun}{'' if opens and text_after(match, 1) else self.stop(match)}"
        if noun.strip().endswith("."):
            noun = self.own.century_noun
        return f"{noun.strip()} {said}{after}".lstrip()

    def several_centuries(self, match: re.Match[str]) -> str:
        """Several numerals beside one noun."""
        joined = re.sub(r" ?[-–] ?", f" {self.own.to} ", match["all"] or match["all2"])
        said = re.sub(r"(?P<n>[IVX]+)(?:ᵉ|er|ème|e)?s?\b", lambda m: self.own.century_words(value(m["n"])), joined)
        noun = match["before"] or ""
        if noun.endswith(". "):
            several = noun in ("ss. ", "secc. ") or noun.endswith("cs. ")
            noun = f"{self.own.centuries_noun if several else self.own.century_noun} "
        after = match["after2"] or ""
        return f"{noun}{said}{f' {self.own.centuries_noun}{self.stop(match)}' if after.endswith('.') else after}"

    # Abbreviations, chat and signs

    def abbreviations(self) -> Kind:
        own = self.own
        keys = one_of(self.any_case(own.abbreviations))
        numbered = one_of(self.any_case(own.before_numbers)) or "(?!)"
        words = self.any_case(own.before_numbers)
        return Kind("abbreviation", re.compile(r"\S"), (
            rule(rf"(?<![\w.])(?P<word>{keys})(?!\w)(?!\.\w)", self.abbreviation),
            rule(rf"(?<![\w.])(?P<word>{numbered}) ?(?=[\dIVX½]|[A-Z]\d)(?![IVX]+[a-z])", lambda m: words[m["word"]]),
        ))  # fmt: skip

    def any_case(self, table: dict[str, str]) -> dict[str, str]:
        """With a capital at the beginning too; short ones may then be names."""
        capitals = {
            key[0].upper() + key[1:]: words[:1].upper() + words[1:]
            for key, words in table.items()
            if len(key) > 3 and key[0].islower()
        }
        return capitals | table

    def abbreviation(self, match: re.Match[str]) -> str | None:
        word = match["word"]
        said = self.any_case(self.own.abbreviations)[word]
        rest = text_after(match, 40)
        if {word, word[0].lower() + word[1:]} & set(self.own.words_too):
            goes_on = re.match(r" ?[a-zà-ÿа-яё\d:(,;+/]| [IVX]+\b", rest) or re.search(r"\d \Z", text_before(match, 2))
            if not goes_on:
                return None
        ends = (
            word.endswith(".")
            and word not in self.own.titles
            and (
                not rest.strip("»”\"' )")
                or (word in self.own.enders and not ERA.fullmatch(word) and re.match(r"\s+[A-ZÀ-ÞА-Я]", rest))
                or (word not in self.own.leading and re.match(rf"\s+(?:{self.own.openers})\b", rest))
                or (ERA.fullmatch(word) and self.closes(match, rest))
            )
        )
        return f"{said}." if ends else said

    def closes(self, match: re.Match[str], rest: str) -> bool:
        """Whether an era ends its sentence: what begins with the year goes on behind it."""
        if not re.match(NOUN_AND_VERB if self.own.nouns_have_capitals else CAPITAL, rest):
            return False
        clause = re.split(
            r"(?<=[^\W_]{2})[.!?] (?=[A-ZÀ-ÞА-ЯЁ][a-zà-ÿа-яё]|[ВСКОАИAEOÀ] )|\n", text_before(match, 160)
        )[-1]
        long = len(clause.split()) > 5 or match["word"] in self.own.enders
        return long and not IN_A_YEAR.match(clause)

    def chat(self) -> Kind:
        words = self.own.chat
        counted = {*words, *(key for key in self.own.abbreviations if key.isalpha() and key.islower() and len(key) > 1)}

        @lru_cache(maxsize=8)
        def chats(text: str) -> bool:
            found = re.findall(r"(?<![\w.])(?<!\d )\w+\b(?!\.? [A-ZÀ-Þ]|\. [a-zà-ÿа-яё])|(?<![\w.])\w\w+", text)
            return len(
                {word.casefold() for word in found if word.casefold() in counted and (len(word) > 1 or word.islower())}
            ) > 1 or any(mark in text for mark in ("😀", "😂", ":)", ";)", ":D", "xD"))

        return Kind("chat", re.compile(r"\w"), (
            rule(rf"(?<![\w.@#/'’-])(?P<word>(?i:{one_of(words) or '(?!)'}))(?![\w@/'’-]|\.\w)"
                 r"(?:(?<!mdr)(?<!lol)(?<!ptdr)(?<!stp)(?<!svp)(?<!spc)(?<!спс)(?<!tkt)\.(?= [a-zà-ÿа-яё]))?",
                 lambda m: words.get(m["word"].casefold())
                 if not re.match(" ?[=<>≤≥]", text_after(m, 2))
                 and not (m["word"].isupper() and re.match(r" ?\d", text_after(m, 2)))
                 and (len(m["word"]) > 1 or (m["word"].islower()
                      and (not re.search(r"\d \Z", text_before(m, 12)) or AT_AN_HOUR.search(text_before(m, 14)))))
                 and chats(m.string) else None),
        ))  # fmt: skip

    def signs(self) -> Kind:
        web = self.own.web
        spaced = {"&": web["&"], "+": self.own.plus, "=": self.own.equals, "%": self.own.percent.split("|")[-1]}
        return Kind("sign", re.compile(r"[&+=%°№§<>@±]"), (
            rule(r"(?<=[\w.,)]) ?& ?(?=\w)", lambda m: f" {web['&']} "),
            rule(r"(?<!\w)± ?(?=\d)", f"{self.plus_minus()} "),
            rule(r"(?<!\S)°(?!\S)", lambda m: self.own.unit_names["°"].split("|")[0]),
            rule(r"(?<= )(?P<sign>[+=])(?= [^\s=+])", lambda m: spaced[m["sign"]]),
        ))  # fmt: skip


class EuropeanReader:
    """A text -> the spans that a language says in other words. The patterns are compiled when the first text comes."""

    def __init__(self, own: European):
        self.own = own

    def __call__(self, text: str, variant: str = "") -> list[Span]:
        spans = recognise(text.translate(SIGNS), self._kinds)
        if spans and spans[-1].end == len(text) and text.endswith(".") and not (spans[-1].words or ".").endswith("."):
            spans[-1] = spans[-1]._replace(words=f"{spans[-1].words}.")  # a full stop that is the sentence's as well
        return spans

    @cached_property
    def _kinds(self) -> tuple[Kind, ...]:
        rules, own = _Rules(self.own), self.own
        return (
            *own.own_kinds(), rules.dates(), rules.times(), rules.web(), rules.telephones(),
            Kind("ordinal", re.compile(r"[\dIVX]"), own.ordinal_rules()), rules.money(), rules.measures(),
            rules.each(),
            rules.romans(), rules.abbreviations(), rules.marks(), rules.numbers(),
            *((rules.chat(),) if own.chat else ()), rules.signs(),
        )  # fmt: skip
