"""Russian amounts behind a word that governs a case ("на уровне 5,5 %", "к 15 км"), and the parts of laws -> words."""

from __future__ import annotations

import re
from collections.abc import Callable

from mlx_tts.text.languages.russian.in_cases import InCases
from mlx_tts.text.normalise.engine import Rule, UnspeakableError, mentions, one_of, rule, text_after, text_before
from mlx_tts.text.normalise.european import European
from mlx_tts.text.roman import value

GENITIVE, DATIVE, ABLATIVE, LOCATIVE, ACCUSATIVE = "genitive", "dative", "ablative", "locative", "accusative"
# What governs an amount. A word of the first group governs bare numbers as well; see GENITIVE_BEFORE in rules.
GOVERNS = {
    GENITIVE: r"(?:[Нн]а|с) (?:уровн[ея]|отметк[еи])|[Вв] (?:размере|количестве|возрасте|пределах|районе|течение"
        r"|объ[её]ме"
    r"|радиусе|сумме)|[Нн]а (?:протяжении|расстоянии|глубине|высоте)|[Нн]е (?:превы[шс]\w+|достиг\w+|хватает"
    r"|позднее|позже"
    r"|раньше|ниже|выше|старше|младше)|(?:[Дд]ости[гч]|касал|требу|стоит не|превышает не)\w*|[Сс]тарше|[Мм]ладше"
    r"|[Вв]ыше|[Нн]иже"
    r"|[Оо]коло|[Оо]к\.|[Сс]в\.|[Бб]олее|[Мм]енее|[Сс]выше|[Бб]ольше|[Мм]еньше|[Дд]ольше|[Дд]о|[Оо]т|[Ии]з|[Дд]ля|[Бб]ез|[Пп]осле"
    r"|[Пп]орядка|[Пп]ротив|[Дд]ешевле|[Дд]ороже",
    DATIVE: r"[Кк]|равн(?:а|о|ы|яется|ялась|ялся|ялось)|[Рр]авен|[Бб]лагодаря|эквивалентн\w+|соответству\w+",
    ACCUSATIVE: r"[Нн]а|[Вв]|[Зз]а|[Чч]ерез|[Пп]о|состав(?:ил[аио]?|ляет|ляют|ляла|ляло|лял|ит|ят)"
        r"|превы(?:сил[аио]?|шает|шала)"
    r"|набрал[аио]?|потерял[аио]?|стоит|весит|занимает|теря[юе]т|прибавил[аио]?",
    LOCATIVE: r"[Пп]ри",
}  # fmt: skip
SCALES = {"тыс": ("тысяч", "f"), "млн": ("миллион", "m"), "млрд": ("миллиард", "m"), "трлн": ("триллион", "m")}
ENDINGS = {  # of one and of several
    GENITIVE: (("а", "ов"), ("и", "")),
    DATIVE: (("у", "ам"), ("е", "ам")),
    ABLATIVE: (("ом", "ами"), ("ей", "ами")),
    LOCATIVE: (("е", "ах"), ("е", "ах")),
}
WHOLE = {GENITIVE: "целых", DATIVE: "целым", ABLATIVE: "целыми", LOCATIVE: "целых"}
PART_NAMES = {1: "десят", 2: "сот", 3: "тысячн", 4: "десятитысячн", 5: "стотысячн", 6: "миллионн"}
PART_ENDINGS = {GENITIVE: "ых", DATIVE: "ым", ABLATIVE: "ыми", LOCATIVE: "ых"}
CAPITAL_FOLLOWS = re.compile(r"\s*\Z|\s+[А-ЯЁ]")


def spelled_out(before: str) -> str:
    """Words that govern a case, where they are cut short."""
    return {"ок.": "около", "Ок.": "Около", "св.": "свыше", "Св.": "Свыше"}.get(before, before)


def ends_in_one(digits: str) -> bool:
    last = int(digits[-2:])
    return last % 10 == 1 and last != 11


def noun_in_case(forms: list[str], case: str, one: bool) -> str | None:
    """forms: "рубль", "рубля", "рублей": the first word is declined; None for an adjective and a noun."""
    first, _, rest = forms[0].partition(" ")
    tail = f" {rest}" if rest else ""
    if re.search(r"(?:ый|ий|ая|ой)\Z", first):
        return None
    if case == GENITIVE:
        return forms[1 if one else min(2, len(forms) - 1)]
    if len(forms) < 3 or forms[0] == forms[1]:
        return forms[0]
    singular = forms[1].split(" ")[0]
    stem = singular[:-1]
    feminine = first.endswith(("а", "я"))
    soft = singular[-1] == "я" or (singular[-1] == "и" and stem[-1] not in "кгхжшчщ")
    if one:
        ending = {
            DATIVE: "е" if feminine else "ю" if soft else "у",
            ABLATIVE: ("ей" if soft else "ой") if feminine else "ем" if soft else "ом",
            LOCATIVE: "е",
        }[case]
    else:
        several = {DATIVE: "ам ям", ABLATIVE: "ами ями", LOCATIVE: "ах ях"}[case]
        ending = several.split()[soft]
    return f"{stem}{ending}{tail}"


def last_stop(match: re.Match[str]) -> str:
    """The full stop of a short form, where it ends the sentence as well."""
    return "." if match[0].endswith(".") and CAPITAL_FOLLOWS.match(match.string, match.end()) else ""


AMOUNT_END = r"(?![\w²³/])(?!(?<=\d)[.,:-]\d)(?! ?[-–] ?\d)(?!(?<=\d) [-–])"


def units_of(own: European) -> str:
    """The pattern of what amounts are of."""
    return one_of({**own.unit_names, **own.money, "%": ""})


def amount_of(own: European) -> str:
    """The pattern of an amount with its scale and units; AMOUNT_END belongs behind it."""
    units = units_of(own)
    return (
        r"(?P<minus>[-–+])?(?P<n>\d{1,3}(?: \d{3}){1,3}|\d{1,6})(?:,(?P<part>\d{1,6}))?"
        rf"(?: (?P<scale>{one_of(SCALES)})(?:\.(?! [А-ЯЁ] ))?(?!\w))?(?: ?(?P<unit>{units})(?:/(?P<per>{units}))?)?"
    )


class Governed(InCases):
    def rules(self) -> tuple[Rule, ...]:
        own = self.own
        amount, units, end = amount_of(own), units_of(own), AMOUNT_END
        found = [rule(rf"\b(?P<before>{words}) {amount}{end}", self.said_in(case)) for case, words in GOVERNS.items()]
        prices = (
            rule(
                rf"\b(?P<before>{GOVERNS[case]}) (?P<minus>[-–+])?(?P<unit>[$€£¥]) ?"
                rf"(?P<n>\d{{1,3}}(?: \d{{3}}){{1,3}}|\d{{1,6}})(?:[,.](?P<part>\d{{1,2}}))?"
                rf"(?: ?(?P<scale>{one_of(SCALES)})\.?(?!\w))?(?P<per>)(?![\w/]|[.,]\d| ?[-–])",
                self.said_in(case),
            )
            for case in (GENITIVE, DATIVE)
        )
        return (
            *found,
            *prices,
            rule(r"\b(?P<before>[Сс]) (?P<n>\d{1,4}),(?P<part>\d{1,3})(?= до \d)",
                 lambda m: f"{m['before']} {self.decimal(m['n'], m['part'], GENITIVE)}"),
            rule(r"(?P<head>\b(?:[Пп]онедельник|[Вв]торник|[Сс]ред|[Чч]етверг|[Пп]ятниц|[Сс]уббот"
                r"|[Вв]оскресень)[а-я]{0,2},? )"
                 r"(?P<day>0?[1-9]|[12]\d|3[01])\.(?P<month>0[1-9]|1[0-2])(?!\d|\.\d)",
                 lambda m: m["head"] + own.said_date(int(m["day"]), int(m["month"]), None, m["head"])),
            rule(r"(?<![\w.,/-])(?P<day>0?[1-9]|[12]\d|3[01])\.(?P<month>0[1-9]|1[0-2])(?=,? в \d{1,2}:\d\d)",
                 lambda m: own.said_date(int(m["day"]), int(m["month"]), None, text_before(m, 12))),
            rule(r"(?<![\w.,/-])(?P<n>[1-9]\d?)/(?P<of>[1-9]\d?)(?P<word> ?эт(?:\.|аж[а-я]{0,2}))(?![а-яё])",
                 self.floor),
            rule(rf"\b(?P<before>[Мм]ежду) (?P<a>\d{{1,4}}) и (?P<n>\d{{1,4}}) ?(?P<unit>{units}){end}", self.between),
            rule(rf"(?:\b(?P<before>{'|'.join(PART_CASES)}) )?(?<![\w.])(?P<chain>{PART}(?:,? {PART}){{1,4}}|{PART})"
                 rf"(?![\w/-]|[.,]\d)", self.law),
            rule(r"(?:\b(?P<before>[А-ЯЁа-яё]{1,16}) )?(?<![\w.,-])(?P<n>[IV]{1,3}|[1-4](?:-(?:й|м|го|му))?)"
                 r" (?P<what>кв\.|квартал[а-я]{0,2}|полугоди[а-я]{1,2})(?!\w)(?= (?:20|19)\d\d|[,.;)]|\s*\Z| [а-яё(])",
                 self.quarter),
            rule(r"(?<![\w.,-])(?P<a>\d{1,3})\+(?P<b>\d{1,2})-й(?!\w)",
                 lambda m: f"{own.cardinal(int(m['a']))} {own.plus} {own.ordinal(int(m['b']), 'fg')}"),
            rule(r"(?<=-[йя] )мин(?:\.|(?!\w))", self.minute),
            rule(r"(?P<sign>№ ?)(?P<a>[1-9]\d{0,3})-(?P<b>[1-9]\d{0,5})/(?P<year>\d{2,4})(?![\w/-]|[.,]\d)",
                 lambda m: f"номер {own.cardinal(int(m['a']))} тире {own.cardinal(int(m['b']))} {own.over} "
                 f"{own.cardinal(int(m['year']))}"),
            rule(r"№ ?(?P<a>[1-9]\d{0,4})/(?P<b>[1-9]\d{0,3})(?![\w/-]|[.,]\d)",
                 lambda m: f"номер {own.cardinal(int(m['a']))} {own.over} {own.cardinal(int(m['b']))}"),
            rule(r"(?P<before>\b(?:[Рр]ейс[а-я]{0,2}|[Пп]оезд[а-я]{0,2}|[Аа]втобус[а-я]{0,2}|[Кк]од[а-я]{0,2}|[Мм]одель"
                 r"|[Мм]аршрут[а-я]{0,2}|[Нн]омер[а-я]{0,2}|[Кк]абинет[а-я]{0,2}|[Аа]удитори[а-я]{1,2}|доб\.|вн\.) )"
                 r"(?P<letters>(?:[A-ZА-ЯЁ]{1,3}[ -]?)?)(?P<n>\d{1,6})(?![\w/-]|[.,:]\d"
                 r"| ?(?:к?м|мин|ч|руб|р|шт|чел|к?г)\b| ?₽)",
                 self.named),
        )  # fmt: skip

    # Amounts

    def said_in(self, case: str) -> Callable[[re.Match[str]], str | None]:
        def said(match: re.Match[str]) -> str | None:
            unit, scale = match["unit"], match["scale"]
            written = match["n"].replace(" ", "")
            if (unit is None and scale is None and (match["part"] is None or case == DATIVE)) and not match["minus"]:
                return None
            if written[0] == "0" and len(written) > 1:
                return None
            behind = text_after(match, 4)
            year = re.fullmatch(r"1\d{3}|20\d\d", written) or re.match(r"\.? (?:до|н\.)", text_after(match, 5))
            if unit in ("г", "г.") and year and not match["part"]:
                return None
            if case == GENITIVE and match["n"] == "1" and match["part"] == "5" and not unit and behind == " до ":
                return f"{match['before']} полутора"
            if case == ACCUSATIVE:
                return self.accusative(match, written)
            words = self.amount(written, match["part"], scale, unit, case)
            if words is None:
                return None
            minus = {"+": f"{self.own.plus} ", None: ""}.get(match["minus"], f"{self.own.minus} ")
            return f"{spelled_out(match['before'])} {minus}{words}{self.per(match)}"

        return said

    def amount(self, written: str, part: str | None, scale: str | None, unit: str | None, case: str) -> str | None:
        own = self.own
        forms = self.forms(unit)
        one = ends_in_one(written)
        if part is not None and len(part) == 2 and not scale and unit in own.money:
            money = own.money[unit].split("|")
            return " ".join(
                f"{self.in_case(int(n), case, 'feminine' if cents and ends_in_one(n) else 'masculine')} "
                f"{noun_in_case(money[4:] if cents else money[:4], case, ends_in_one(n))}"
                for cents, n in ((False, written), (True, part))
                if int(n)
            )
        if (written, part, case) == ("1", "5", GENITIVE):
            several = forms[min(2, len(forms) - 1)] if forms else ""
            half = f"полутора {SCALES[scale][0]}{'ов' if scale != 'тыс' else ''}" if scale else "полутора"
            return f"{half} {several}".strip() if scale or forms else self.decimal(written, "5", case)
        if part is not None:
            number = self.decimal(written, part, case)
            if scale:
                number += f" {SCALES[scale][0]}{'и' if scale == 'тыс' else 'а'}"
                return f"{number} {forms[2 if len(forms) > 2 else -1]}" if forms else number
            return f"{number} {forms[3 if len(forms) > 3 else -1]}" if forms else number
        if scale:
            stem, gender = SCALES[scale]
            number = self.in_case(int(written), case, "feminine" if gender == "f" and one else "masculine")
            number += f" {stem}{ENDINGS[case][gender == 'f'][not one]}"
            return f"{number} {forms[2 if len(forms) > 2 else -1]}" if forms else number
        if not forms:
            return self.in_case(int(written), case)
        feminine = forms[0].split(" ")[0].endswith(("а", "я", "ая"))
        noun = noun_in_case(forms, case, one)
        if noun is None:
            return None
        return f"{self.in_case(int(written), case, 'feminine' if feminine and one else 'masculine')} {noun}"

    def forms(self, unit: str | None) -> list[str]:
        if unit is None:
            return []
        own = self.own
        if unit in own.money:
            return own.money[unit].split("|")[:4]
        return (own.percent if unit == "%" else own.unit_names[unit]).split("|")

    def decimal(self, whole: str, part: str, case: str) -> str:
        one = ends_in_one(part)
        name = PART_NAMES[len(part)] + ("ой" if one else PART_ENDINGS[case])
        whole_name = "целой" if ends_in_one(whole) else WHOLE[case]
        return (
            f"{self.in_case(int(whole), case, 'feminine')} {whole_name}"
            f" {self.in_case(int(part), case, 'feminine')} {name}"
        )

    def accusative(self, match: re.Match[str], written: str) -> str | None:
        """Only a feminine one differs from the nominative: "на одну целую", "за одну минуту"."""
        own, unit, scale, part = self.own, match["unit"], match["scale"], match["part"]
        thousand = re.fullmatch(r"1\d{3}", written) is not None and unit is not None
        if not (ends_in_one(written) or (part and ends_in_one(part)) or thousand) or match["minus"]:
            return None
        if (written, part) == ("1", "5"):
            return None  # "полтора"
        if written == "1" and not part and not scale and unit and match["before"] in ("по", "По"):
            noun = noun_in_case(self.forms(unit), DATIVE, True)
            feminine = self.forms(unit)[0].endswith(("а", "я"))
            return noun and f"{match['before']} {'одной' if feminine else 'одному'} {noun}{self.per(match)}"
        if match["before"] in ("в", "В") and re.match(
            r" (?:от|к|до|севернее|южнее|западнее|восточнее)\b", match.string[match.end() :]
        ):
            return None  # "в 1 км от": at a distance
        whole = f"{written},{part}" if part else written
        forms = self.forms(unit)
        said = self.counted_amount(whole, unit, scale, forms) or own.spoken(whole)
        for nominative, other in (("ая", "ую"), ("а", "у")):
            said = re.sub(rf"\bодна (\w+){nominative}\b", rf"одну \1{other}", said)
        if forms and " " in forms[0]:  # "столовая ложка"
            said = re.sub(r"\bодну (\w+ую \w+)а\b", r"одну \1у", said)
        if match["before"] in ("по", "По"):  # "по тысяче двести рублей"
            said = re.sub(r"\Aодну тысячу\b", "тысяче", said)
        return f"{match['before']} {said}{self.per(match)}"

    def counted_amount(self, number: str, unit: str | None, scale: str | None, forms: list[str]) -> str | None:
        """A number with its money, its scale or its unit, whose forms are given; None where it has none of them."""
        if unit in self.own.money:
            return self.own.price(number, unit, scale or "")
        if scale:
            return self.own.scaled(number, scale) + (f" {forms[2]}" if len(forms) > 2 else "")
        return self.own.counted(number, forms) if forms else None

    def per(self, match: re.Match[str]) -> str:
        own, per = self.own, match["per"]
        said = ""
        if per:
            said = f" {own.per_unit(per)} {own.per_words.get(per) or self.forms(per)[0]}"
        ends = match[0].endswith(".") and CAPITAL_FOLLOWS.match(match.string, match.end())
        return f"{said}." if ends else said

    def between(self, match: re.Match[str]) -> str | None:
        noun = noun_in_case(self.forms(match["unit"]), ABLATIVE, False)
        if noun is None:
            return None
        first, last = (self.in_case(int(n), ABLATIVE) for n in (match["a"], match["n"]))
        return f"{match['before']} {first} и {last} {noun}"

    # Names with numbers

    def law(self, match: re.Match[str]) -> str | None:
        """ "согласно ч. 2 ст. 158": the first in the preposition's case, what it is a part of in the genitive."""
        chain = match["chain"]
        capital, chain = chain[0].isupper(), chain[0].lower() + chain[1:]
        parts = re.findall(rf"({one_of(PARTS)})\. ?([\d.]*\d|[IVX]+|«[а-яё]»)", chain)
        case = next((case for words, case in PART_CASES.items() if re.fullmatch(words, match["before"] or "")), "")
        if len(parts) > 1 and not case and parts[-1][0] in ("рис", "табл", "прил"):
            return None
        if (
            len(parts) == 1
            and (not case or parts[0][0] in ("ч", "с") or parts[0][1][0] == "«")
            and "." not in parts[0][1]
        ):
            return None
        said = []
        last = ""
        for name, number in parts:
            inner = bool(last) and RANKS.index(name) > RANKS.index(last)
            noun = PARTS[name][("", GENITIVE, DATIVE, ABLATIVE, LOCATIVE).index(GENITIVE if inner else case)]
            if number[0] == "«":
                words = number
            elif number.isalpha():
                words = self.own.cardinal(value(number))
            else:
                words = f" {self.own.dot} ".join(self.own.cardinal(int(n)) for n in number.split("."))
            said.append(f"{noun} {words}")
            last = name
        begins = f"{match['before'].replace('соотв.', 'соответствии')} " if match["before"] else ""
        words = " ".join(said)
        return begins + (words[0].upper() + words[1:] if capital else words)

    def quarter(self, match: re.Match[str]) -> str | None:
        written, what, before = match["n"], match["what"], match["before"] or ""
        number = int(written[0]) if written[0].isdecimal() else value(written)
        if not 1 <= number <= 4 or (what == "кв." and written.isdecimal() and not mentions(QUARTER, match.string)):
            return None
        half = what.startswith("полуг")
        case = QUARTER_CASES.get(before.casefold(), GENITIVE if before and what == "кв." else "")
        if what == "кв." and written.endswith(("-м", "-му")):
            case = LOCATIVE if written.endswith("-м") else DATIVE
        if what.endswith(("ле", "ии")):
            case = LOCATIVE
        elif what.endswith(("ла", "ия")):
            case = GENITIVE
        elif what.endswith(("лу", "ию")):
            case = DATIVE
        elif what == "квартал" or what == "полугодие":
            case = ""
        key = {"": "", LOCATIVE: "l", DATIVE: "d", GENITIVE: "g"}[case]
        noun = what if what != "кв." else "квартал" + {"": "", LOCATIVE: "е", DATIVE: "у", GENITIVE: "а"}[case]
        said = f"{self.own.ordinal(number, ('n' if half else 'm') + key)} {noun}"
        ends = what == "кв." and CAPITAL_FOLLOWS.match(match.string, match.end())
        return (f"{before} " if before else "") + said + ("." if ends else "")

    def floor(self, match: re.Match[str]) -> str | None:
        """ "7/9 эт." of a flat."""
        if int(match["n"]) > int(match["of"]):
            return None
        ends = match["word"].endswith(".") and CAPITAL_FOLLOWS.match(match.string, match.end())
        said = f"{self.own.ordinal(int(match['n']))} этаж из {self.in_case(int(match['of']), GENITIVE)}"
        return said + ("." if ends else "")

    def minute(self, match: re.Match[str]) -> str:
        stop = last_stop(match)
        if text_before(match, 2) == "я ":
            listed = re.search(r"-я(?:,| и) \d[\d+]*-я \Z", text_before(match, 24))
            return ("минуты" if listed else "минута") + stop
        several = re.search(r"-[йя](?:,| и) \d[\d+]*-[йя] \Z", text_before(match, 24))
        noun = "минуты" if re.search(r"\b[Сс] \d[\d+]*-й \Z", text_before(match, 12)) else "минуте"
        return ("минутах" if several else noun) + stop

    def named(self, match: re.Match[str]) -> str | None:
        if len(match["n"]) > 1 and match["n"][0] == "0":
            raise UnspeakableError(match[0])
        before = match["before"].replace("доб.", "добавочный").replace("вн.", "внутренний")
        letters = match["letters"].rstrip(" -")
        return f"{before}{letters + ' ' if letters else ''}{self.own.cardinal(int(match['n']))}"


# The case of a quarter by the word before it. Any other word governs it as a noun does: "итоги III кв.".
QUARTER_CASES = {
    "в": LOCATIVE, "во": LOCATIVE, "к": DATIVE, "ко": DATIVE, "с": GENITIVE, "со": GENITIVE, "за": "", "на": "",
    "по": "", "через": "", "и": "", "или": "", "а": "", "но": "", "это": "", "только": "", "весь": "",
}  # fmt: skip
QUARTER = re.compile(r"выручк|прибыл|отч[её]т|год|рост|продаж|бюджет|ВВП|убыт")
PARTS = {
    "подп": ("подпункт", "подпункта", "подпункту", "подпунктом", "подпункте"),
    "абз": ("абзац", "абзаца", "абзацу", "абзацем", "абзаце"),
    "п": ("пункт", "пункта", "пункту", "пунктом", "пункте"),
    "ч": ("часть", "части", "части", "частью", "части"),
    "ст": ("статья", "статьи", "статье", "статьёй", "статье"),
    "разд": ("раздел", "раздела", "разделу", "разделом", "разделе"),
    "гл": ("глава", "главы", "главе", "главой", "главе"),
    "прил": ("приложение", "приложения", "приложению", "приложением", "приложении"),
    "табл": ("таблица", "таблицы", "таблице", "таблицей", "таблице"),
    "рис": ("рисунок", "рисунка", "рисунку", "рисунком", "рисунке"),
}
RANKS = list(PARTS)
PART = rf"(?:{one_of(PARTS)}|[ЧП]|Ст)\. ?(?:\d{{1,4}}(?:\.\d{{1,3}}){{0,3}}|[IVX]{{1,5}}\b|«[а-яё]»)"
PART_CASES = {
    r"[Сс]огласно|[Пп]о|[Кк]|[Бб]лагодаря|[Вв]опреки": DATIVE,
    r"[Вв] соответствии со?|[Вв] соотв\. со?|[Сс]о|[Пп]редусмотрен\w{0,3}|[Уу]становлен\w{0,3}"
    r"|[Рр]уководствуясь|[Мм]ежду": ABLATIVE,
    r"[Вв]|[Вв]о|[Нн]а|[Оо]|[Пп]ри": LOCATIVE,
    r"[Нн]а основании|[Ии]з|[Оо]т|[Дд]о|[Дд]ля|[Сс]|[Вв] силу|[Нн]арушение|[Нн]арушения|[Тт]ребовани[яй]"
    r"|[Тт]екст": GENITIVE,
}  # fmt: skip


class UsesGoverned(InCases):
    """Rules that use what `Governed` knows."""

    def __init__(self, own: European, in_case: Callable[..., str]):
        super().__init__(own, in_case)
        self.governed = Governed(own, in_case)
