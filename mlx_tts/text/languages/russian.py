"""Russian: its names, how a text in it is known and cut, and its words for numbers and signs."""

from __future__ import annotations

import re

from mlx_tts.text.languages import Language
from mlx_tts.text.normalise.engine import Kind, Rule, one_of, rule
from mlx_tts.text.normalise.european import European
from mlx_tts.text.normalise.european_rules import EuropeanReader, value
from mlx_tts.text.normalise.number_words import number_words

PARTS = {
    1: "десятая|десятых",
    2: "сотая|сотых",
    3: "тысячная|тысячных",
    4: "десятитысячная|десятитысячных",
    5: "стотысячная|стотысячных",
    6: "миллионная|миллионных",
}
ENDINGS = {"й": "m", "ый": "m", "ий": "m", "я": "f", "ая": "f", "ья": "f", "го": "mg", "ого": "mg", "его": "mg",
    "му": "md", "ому": "md", "м": "ml", "ом": "ml", "ем": "ml", "х": "pg",
           "ых": "pg", "их": "pg", "ми": "pa", "ыми": "pa", "ой": "fg", "ей": "fg", "ю": "fc", "ую": "fc", "ое": "n",
               "ье": "n", "ые": "p", "ым": "ma"}  # fmt: skip
CASES = {"": "", "g": "-genitive", "d": "-dative", "l": "-locative", "a": "-ablative", "c": "-accusative"}
GENDERS = {"m": "masculine", "f": "feminine", "n": "neuter", "p": "plural"}
MEN = re.compile(r"(?:мужчин|дедушк|юнош|судь|дяд|колле[гж]|пап|воевод|старост)\w{1,2}\Z|(?:раза|часа|года|дня)\Z")
GENITIVE_BEFORE = (
    r"[Оо]коло|[Бб]олее|[Мм]енее|[Сс]выше|[Бб]ольше|[Мм]еньше|[Дд]о|[Оо]т|[Ии]з|[Дд]ля|[Бб]ез|[Пп]осле|[Пп]орядка|"
    r"[Уу]|[Вв]место|[Сс]реди|[Пп]ротив|[Кк]роме"
)
CASE_OF_ENDING = {"ах": "locative", "ях": "locative", "ам": "dative", "ям": "dative", "ами": "ablative",
    "ями": "ablative", "ьми": "ablative"}  # fmt: skip
DATE_BEFORE = re.compile(r"(?:\A|[.,:;(]\s*)\Z")


class Russian(European):
    """Numbers have a gender and a case; days and years are ordinals in the genitive, as after "on the"."""

    def spelling(self, words: str) -> str:
        return words.replace("третьому", "третьему").replace("третьом", "третьем")

    def own_kinds(self) -> tuple[Kind, ...]:
        pattern = r"(?<![\w.,-])8[ -]\(?\d{3}\)?[ -]\d{3}[ -]\d{2}[ -]\d{2}(?![\w-])"
        groups = rule(pattern, lambda m: ", ".join(self.digits(group) for group in re.findall(r"\d+", m[0])))
        places = (
            rule(r"(?<![\w.])г\.(?= [А-ЯЁ][а-яё]+)", self._city),
            rule(r"(?<![\w.])пр\.(?= [А-ЯЁ])", lambda m: "проспект"),
        )
        counted = one_of({**self.unit_names, **self.money, "%": ""})
        whole = r"(?P<n>\d{1,3}(?: \d{3}){1,2}|\d{1,6})"
        cases = (
            rule(r"(?<![\w.,-])1,5(?= (?P<noun>(?!для|при|над|под|или|это|как|что)[а-яё]{3,20})\b)",
                 lambda m: "полторы" if re.search(r"[ыи]\Z", m["noun"]) else "полтора"),
            rule(r"(?<![\w.,-])(?P<n>\d{0,3}[1-4])(?= лет\b)",
                 lambda m: None if re.search(r"1[1-4]\Z", m["n"]) else self._in_case(int(m["n"]), "genitive")),
            rule(r"\b(?P<before>[Пп]ри) (?P<n>\d{1,4}) ?°[CС](?!\w)",
                 lambda m: f"{m['before']} {self._in_case(int(m['n']), 'locative')} "
                 f"{'градусе' if self._ends_in_one(m['n']) else 'градусах'} Цельсия"),
            rule(rf"\b(?P<before>{GENITIVE_BEFORE}) {whole}(?: ?(?P<unit>{counted}))?(?![\w²³/])(?![.,:/-]\d)(?! "
                 rf"?[-–] ?\d)",
                 self._genitive),
            rule(r"\b(?P<before>[Сс]) (?P<n>\d{1,2}) ?ч\b\.?", lambda m: f"{m['before']} "
                 f"{self._in_case(int(m['n']), 'genitive')} {'часа' if self._ends_in_one(m['n']) else 'часов'}"),
            rule(r"\b(?P<before>[Сс]о?) (?P<n>\d{1,4})(?= до \d)",
                 lambda m: f"{m['before']} {self._in_case(int(m['n']), 'genitive')}"),
            rule(rf"(?<![\w.,-]){whole}(?= [а-яё]{{3,20}}(?P<end>ах|ях|ам|ям|ами|ями|ьми)\b)",
                 lambda m: self._in_case(int(m["n"].replace(" ", "")), CASE_OF_ENDING[m["end"]])),
        )  # fmt: skip
        return (Kind("telephone", re.compile(r"8[ -]"), (groups,)), Kind("name", re.compile(r"г\.|пр\."), places),
                Kind("number", re.compile(r"\d"), cases))  # fmt: skip

    def _in_case(self, number: int, case: str, gender: str = "masculine") -> str:
        return self.spelling(number_words(self.code, number, f"cardinal-{gender}-{case}"))

    def _genitive(self, match: re.Match[str]) -> str | None:
        """ "около 100 км", "из 21 участника"."""
        written, unit = match["n"].replace(" ", ""), match["unit"]
        if written[0] == "0" or (unit is None and re.fullmatch(r"1[1-9]\d\d|20\d\d", written)):
            return None
        if unit in ("г", "г.") and re.fullmatch(r"1\d{3}|20\d\d", written):
            return None
        one = self._ends_in_one(written)
        noun = re.match(r" ([а-яё]+)", match.string[match.end() : match.end() + 24])
        if unit is None and noun and noun[1] in ("и", "или", "а"):
            return None
        forms = "" if unit is None else self.percent if unit == "%" else self.money.get(unit) or self.unit_names[unit]
        first = forms.split("|")[0] if forms else noun[1] if noun else ""
        feminine = re.search(r"[ая]\Z" if forms else r"[ыи]\Z", first) is not None
        said = self._in_case(int(written), "genitive", "feminine" if feminine and one else "masculine")
        if not forms:
            return f"{match['before']} {said}"
        several = forms.split("|")
        return f"{match['before']} {said} {several[1 if one else min(2, len(several) - 1)]}"

    def ordinal(self, number: int, form: str = "m") -> str:
        return re.sub(r"^одна тысяча (?=\w)", "тысяча ", super().ordinal(number, form))

    def one(self, noun: str, before: str) -> str:
        if re.search(r"\b[Пп]о \Z", before) and noun:
            return "одной" if re.search(r"[еи]\Z", noun) else "одному"
        if noun and re.fullmatch(r"[а-яё]{2,}[ое]", noun):
            return self.cardinal(1, "n")
        return super().one(noun, before)

    def season(self, first: int, last: int) -> str:
        return f"{self.cardinal(first)} — {self.cardinal(last)}"

    def counted(self, written: str, forms: list[str], scale: str = "") -> str:
        """One and a half has a word of its own before what it counts."""
        if written == "1,5" and not scale:
            return f"{'полторы' if self.gender(forms[0]) == 'f' else 'полтора'} {forms[-1]}"
        return super().counted(written, forms, scale)

    def scaled(self, written: str, scale: str) -> str:
        said = super().scaled(written, scale)
        return (
            re.sub(r"^одна целая пять десятых", "полторы" if "тысяч" in said else "полтора", said)
            if written == "1,5"
            else said
        )

    def decimal(self, whole: str, fraction: str, point: str) -> str:
        """Up to millionths have names of their own."""
        part = PARTS.get(len(fraction))
        if part is None:
            return super().decimal(whole, fraction, point)
        one, many = part.split("|")
        said_part = f"{self.cardinal(int(fraction), 'f')} {one if self._ends_in_one(fraction) else many}"
        return f"{self.whole(whole, 'f')} {'целая' if self._ends_in_one(whole) else 'целых'} {said_part}"

    def _ends_in_one(self, digits: str) -> bool:
        return int(digits) % 10 == 1 and int(digits) % 100 != 11

    def fraction(self, top: int, bottom: int) -> str:
        if (top, bottom) == (1, 2):
            return "одна вторая"
        if bottom < 2 or bottom > 1000:
            return f"{self.cardinal(top)} {self.over} {self.cardinal(bottom)}"
        if bottom in (3, 4):
            one, many = {3: ("одна треть", "трети"), 4: ("одна четверть", "четверти")}[bottom]
            return one if top == 1 else f"{self.cardinal(top, 'f')} {many}"
        return f"{self.cardinal(top, 'f')} {self.ordinal(bottom, 'f' if self._ends_in_one(str(top)) else 'pg')}"

    def mixed(self, whole: str, top: int, bottom: int, noun: str = "") -> str:
        if (top, bottom) == (1, 2):
            return f"{self.whole(whole)} с половиной"
        return (
            f"{self.whole(whole, 'f')} {'целая' if self._ends_in_one(whole) else 'целых'} {self.fraction(top, bottom)}"
        )

    def part_of(self, top: int, bottom: int, unit: str) -> str:
        forms = unit.split("|")
        of = forms[3 if len(forms) > 3 else 1 if len(forms) > 1 else 0]
        return f"половина {of}" if (top, bottom) == (1, 2) else f"{self.fraction(top, bottom)} {of}"

    def day(self, number: int, before: str) -> str:
        return self.ordinal(number, "n" if DATE_BEFORE.search(before) and self.standing else "ng")

    standing = False

    def year(self, number: int) -> str:
        return self.ordinal(number, "mg")

    def regnal(self, number: int, name: str, before: str = "") -> str:
        return self.ordinal(number, "f" if name.endswith(("а", "я")) else "m")

    def century_words(self, number: int) -> str:
        return self.ordinal(number, "m")

    def gender_of_counted(self, written: str, noun: str) -> str:
        """One and two have genders, also at the end of a longer number; the noun's ending shows them."""
        known = self.gender_of_many(noun)
        plain = self.plain(written)
        if known or not plain.isdecimal() or plain[-2:-1] == "1" or MEN.match(noun):
            return known
        if plain[-1] == "1":
            return "f" if re.search(r"[ая]\Z", noun) else "n" if re.search(r"(?<!ы)(?<!и)[ое]\Z", noun) else ""
        return "f" if plain[-1] == "2" and re.search(r"[ыи]\Z", noun) else ""

    def gender_of_many(self, noun: str) -> str:
        return "f" if re.fullmatch(self.feminine_plural, noun) else ""

    def ordinal_rules(self) -> tuple[Rule, ...]:
        return (
            rule(rf"(?<![\w.,])(?P<n>\d{{1,7}})-?(?<=-)(?P<end>{one_of(ENDINGS)}|е|ти)(?!\w)", self._ordinal),
            rule(r"(?<![\w.,])(?P<a>\d{1,4})(?P<mark>[-–])(?P<b>\d{1,4})-?(?<=-)(?P<end>х|е|й|го|м)(?!\w)", self._two),
            rule(r"(?<![\w.,-])(?P<n>[12]\d{3}) ?(?P<word>год|года|году|годом|годы|годов|годах|гг?\.)(?!\w)",
                 self._year),
            rule(r"(?<![\w.,-])(?P<n>\d{1,3})-(?P<word>(?:летн|дневн|часов|этажн|кратн|местн|процентн|метров"
                 r"|минутн)\w{1,3})(?!\w)",
                 lambda m: self._joined(int(m["n"])) + m["word"]),
            rule(rf"(?<![\w.,-])(?P<n>[1-9]|[12]\d|3[01])(?=(?:, \d\d?){{0,5}} (?:и|или) (?:[1-9]|[12]\d|3[01]) "
                 rf"(?:{one_of(self.month_names)})\b)", lambda m: self.ordinal(int(m["n"]), "ng")),
            rule(r"(?<=\b[нН]а )ул\.", lambda m: "улице"),
            rule(r"(?<=\b[нН]а )стр\.(?= ?\d)", "странице"),
            rule(r"(?<![\w.,-])(?P<n>\d{1,4}) ?(?P<word>г\.|год|году|года)(?= (?:до )?н\. ?э\.)", self._year),
            rule(r"\b(?P<from>[сС]) (?P<a>\d{1,2})(?:-го)? по (?P<b>\d{1,2})(?:-е)? (?P<month>[а-я]{3,8})(?!\w)",
                 self._from_to),
            rule(r"\b(?P<from>[сС]) (?P<a>[12]\d{3})(?: г\.| года)? по (?P<b>[12]\d{3}) ?(?P<word>гг?\.|"
                 r"год(?:ы)?)(?!\w)",
                 lambda m: f"{m['from']} {self.ordinal(int(m['a']), 'mg')} по {self.ordinal(int(m['b']), 'm')} год"
                 + ("." if m[0].endswith(".") and re.match(r"\s*\Z|\s+[А-ЯЁ]", m.string[m.end() :]) else "")),
            rule(r"\b(?P<a>[IVX]{1,5})(?P<mark> ?[-–—] ?| и )(?P<b>[IVX]{1,5})(?P<after> (?P<end>века|веков|веках|"
                 r"веке|вв\.|столетий))",
                 self._centuries),
            rule(r"(?P<before>\b[вВ]о? )(?P<n>[IVX]{1,6})(?P<after> веке)\b",
                 lambda m: f"{m['before']}{self.ordinal(value(m['n']), 'ml')}{m['after']}"),
            rule(r"(?<![\w.,-])(?P<n>\d{1,2})(?P<after> (?:веке|столетии))\b",
                 lambda m: f"{self.ordinal(int(m['n']), 'ml')}{m['after']}"),
            rule(r"(?<![\w.,-])(?P<n>\d{1,2})(?P<after> (?:век|столетие))\b",
                 lambda m: f"{self.ordinal(int(m['n']), 'm')}{m['after']}"),
            rule(r"\b(?P<n>[IVX]{1,6})(?P<after> (?:веке|столетии))\b",
                 lambda m: f"{self.ordinal(value(m['n']), 'ml')}{m['after']}"),
            rule(r"(?P<before>\b[вВ]о? )?\b(?P<n>[IVX]{1,6}) в\.(?= |[,;)]|\Z)",
                 lambda m: f"{m['before']}{self.ordinal(value(m['n']), 'ml')} веке{self._stop(m)}" if m["before"]
                 else f"{self.ordinal(value(m['n']), 'mg')} века{self._stop(m)}"),
            rule(r"\b(?P<n>[IVX]{1,6})(?P<after> (?:века|столетия))\b",
                 lambda m: f"{self.ordinal(value(m['n']), 'mg')}{m['after']}"),
        )  # fmt: skip

    def _joined(self, number: int) -> str:
        """ "10-летний": the genitive, written in one word."""
        if number == 100:
            return "сто"
        said = number_words(self.code, number, "cardinal-masculine-genitive").replace(" ", "")
        return {1: "одно", 1000: "тысяче"}.get(number, said.replace("одного", "одно").replace("девяноста", "девяносто"))

    def _ordinal(self, match: re.Match[str]) -> str | None:
        number, end = int(match["n"]), match["end"]
        if end == "ти":
            return number_words(self.code, number, "cardinal-masculine-genitive")
        if end == "е":
            if re.match(r" (?:годы|[а-яё]+[ыи]\b)", match.string[match.end() : match.end() + 24]):
                return self.ordinal(number, "p")
            return self.ordinal(number, "n" if number % 10 == 3 or (number < 100 and number != 1) else "p")
        if (
            end == "ой"
            and number % 10 in (0, 2, 6, 7, 8)
            and not re.match(r" \w+(?:ой|ей|ы|и)\b", match.string[match.end() : match.end() + 24])
        ):
            return self.ordinal(number, "m")
        before = match.string[max(0, match.start() - 8) : match.start()]
        if end == "м" and re.search(
            r"\b(?:[Мм]ежду|над|перед|под)(?: \d+-м и)? \Z", match.string[max(0, match.start() - 20) : match.start()]
        ):
            return self.ordinal(number, "ma")
        if end == "й" and re.search(r"\bстала? \Z", before):
            return self.ordinal(number, "fg")
        after = match.string[match.end() : match.end() + 60]
        if end == "й" and re.match(r"(?:(?:,| и) \d+(?:\+\d+)?-й){0,4} [а-яё]+(?:е|и|ы|ой|ей|ах|ях)\b", after):
            return self.ordinal(number, "fg")
        if end == "х" and re.match(r" (?:человек|лет|месяц|дн|час|недел)", match.string[match.end() :]):
            return number_words(self.code, number, "cardinal-masculine-genitive")
        return self.ordinal(number, ENDINGS[end])

    def _two(self, match: re.Match[str]) -> str:
        form = {"е": "p", **ENDINGS}[match["end"]]
        joint = " — " if match["mark"] == "–" else "-"
        return f"{self.ordinal(int(match['a']), form)}{joint}{self.ordinal(int(match['b']), form)}"

    def _year(self, match: re.Match[str]) -> str:
        word = {"г.": "года", "гг.": "годов"}.get(match["word"], match["word"])
        before = match.string[max(0, match.start() - 12) : match.start()]
        if match["word"] == "г." and (preposition := re.search(r"\b([вВкК]о?) \Z", before)):
            word = "году"
            if preposition[1] in "кКкоКо":
                return f"{self.ordinal(int(match['n']), 'md')} году{self._stop(match)}"
        elif match["word"] == "г." and re.match(r" (?:до )?н\.", match.string[match.end() :]):
            word = "год"
        elif match["word"] == "году" and re.search(r"\b[кК] \Z", before):
            return f"{self.ordinal(int(match['n']), 'md')} году"
        form = {"год": "m", "года": "mg", "году": "ml", "годом": "ma", "годы": "p", "годов": "pg", "годах": "pl"}[word]
        return f"{self.ordinal(int(match['n']), form)} {word}{self._stop(match)}"

    def _stop(self, match: re.Match[str]) -> str:
        """A capital behind it begins a sentence where the word is not a name."""
        ends = re.match(r"\s*\Z|\s+(?:[А-ЯЁ][а-яё]?|Это|Этот|Эта|Они|Она|Оно|Мы|Вы|Как|Когда|После|Так|Там|Тогда|"
             r"Для|При|Все|Его|"
                        r"Её|Их|Потом|Затем|Через|До|Без|Под|Над|Если)\b", match.string[match.end() :])  # fmt: skip
        return "." if match[0].endswith(".") and ends else ""

    def _city(self, match: re.Match[str]) -> str | None:
        """Behind a number it is a year or a gram."""
        before = match.string[max(0, match.start() - 4) : match.start()]
        if re.search(r"\d ?\Z", before):
            return None
        return "городе" if re.search(r"\b[вВ] \Z", before) else "город"

    def _from_to(self, match: re.Match[str]) -> str | None:
        month = self.month_numbers.get(match["month"])
        if month is None or int(match["a"]) > 31 or int(match["b"]) > 31:
            return None
        first, last = self.ordinal(int(match["a"]), "ng"), self.ordinal(int(match["b"]), "n")
        return f"{match['from']} {first} по {last} {self.month_names[month - 1]}"

    def _centuries(self, match: re.Match[str]) -> str:
        plural = match["end"] in ("веков", "вв.", "столетий")
        form = "pl" if match["end"] == "веках" else "ml" if match["end"] == "веке" else "mg"
        words = " веков" if plural else match["after"]
        joint = " и " if "и" in match["mark"] else " — "
        return f"{self.ordinal(value(match['a']), form)}{joint}{self.ordinal(value(match['b']), form)}{words}"


WORDS = Russian(
    code="ru", genders={"m": "cardinal-masculine", "f": "cardinal-feminine", "n": "cardinal-neuter"},
        numbering="numbering",
    ordinals={gender + key: f"ordinal-{name}{case}" for gender, name in GENDERS.items() for key, case in CASES.items()},
    date="{day} {month}", date_year=" {year} года", written_date=r"DAY(?:\.|-го)? MONTH(?: YEAR)?(?: ?(?:г\.|года))?",
        days="понедельник вторник среда четверг пятница суббота воскресенье",
    year_words=r"(?: ?г\.| года)?", clock="{hour} {minute}", full_hour="{hour} ноль ноль",
        with_seconds="{hours} {minutes} {seconds}", before_minutes="ноль ", hour_words=r"",
    to="—", minus="минус", plus="плюс", point="запятая", dot="точка", percent="процент|процента|процентов|процента",
        with_cents="{money} {cents}", half="половина|половина", and_half="с половиной",
    parts={}, over="дробь", times="раз", by="на", equals="равно", per="в", hashtag="хештег", score="{a} {b}",
        centuries=(r"\bNUMERAL(?P<after> (?:век|столетие))\b",), feminine=r"(?:\w+[ая])\b",
    feminine_plural=r"(?:минуты|секунды|недели|тысячи|книги|женщины|девушки|копейки|страницы|ложки|штуки"
    r"|комнаты|улицы|машины|тонны|мили|игры|победы|дочери|сестры|ночи|части|статьи|чашки|бутылки|группы|команды|"
    r"школы|страны)",
    scales={"млн": "миллион|миллиона|миллионов|миллиона", "млн.": "миллион|миллиона|миллионов|миллиона",
        "млрд": "миллиард|миллиарда|миллиардов|миллиарда", "млрд.": "миллиард|миллиарда|миллиардов|миллиарда",
            "тыс.": "тысяча|тысячи|тысяч|тысячи", "тыс": "тысяча|тысячи|тысяч|тысячи",
                "трлн": "триллион|триллиона|триллионов|триллиона"},
    scale_words=("миллионов", "миллиона", "миллиардов", "миллиарда", "тысяч"),
    abbreviations={"т. е.": "то есть", "т.е.": "то есть", "и т. д.": "и так далее", "и т.д.": "и так далее",
        "и т.п.": "и тому подобное", "и т. п.": "и тому подобное", "т.к.": "так как", "т. к.": "так как",
        "напр.": "например",
                   "и др.": "и другие", "др.": "другие", "ул.": "улица", "стр.": "страница", "№": "номер",
                       "г-н": "господин", "г-жа": "госпожа", "т. н.": "так называемый", "т.н.": "так называемый",
                       "просп.": "проспект",
                   "пр-т": "проспект", "пер.": "переулок", "обл.": "область", "им.": "имени", "проф.": "профессор",
                       "акад.": "академик", "д-р": "доктор", "руб.": "рублей", "до н. э.": "до нашей эры",
                       "до н.э.": "до нашей эры",
                   "н. э.": "нашей эры", "н.э.": "нашей эры", "тел.": "телефон", "Тел.": "телефон", "млн": "миллионов",
                       "млрд": "миллиардов", "см.": "смотри", "ср.": "сравни", "мин.": "минут", "кв.": "квартира",
                       "спс": "спасибо",
                   "пжл": "пожалуйста", "оч": "очень", "ок.": "около", "Ок.": "около", "чел.": "человек",
                   "д-ра": "доктора", "См.": "смотри",
                   "г-на": "господина", "г-жи": "госпожи", "гос.": "государственный", "мин-во": "министерство",
                   "р-н": "район",
                   "прим.": "примерно", "мес.": "месяц", "макс.": "максимум", "§": "параграф",
                   "т. о.": "таким образом", "в т. ч.": "в том числе",
                   "в т.ч.": "в том числе", "и пр.": "и прочее", "пр-во": "производство", "ж/д": "железная дорога"},
    before_numbers={"г.": "город", "д.": "дом", "кв.": "квартира", "гл.": "глава", "рис.": "рисунок",
        "табл.": "таблица", "с.": "страница", "п.": "пункт", "корп.": "корпус", "ст.": "статья", "Ст.": "статья",
            "эт.": "этаж",
        "т.": "том"},
    enders=("и т. д.", "и т.д.", "и т.п.", "и т. п."), titles=("ок.", "Ок.", "См.", "см.", "прим.", "ул.", "проф.",
        "акад.", "д-р", "г-н", "г-жа", "им."),
    money={"₽": "рубль|рубля|рублей|рубля|копейка|копейки|копеек|копейки",
        "руб.": "рубль|рубля|рублей|рубля|копейка|копейки|копеек|копейки",
        "руб": "рубль|рубля|рублей|рубля|копейка|копейки|копеек|копейки",
           "р.": "рубль|рубля|рублей|рубля|копейка|копейки|копеек|копейки",
               "$": "доллар|доллара|долларов|доллара|цент|цента|центов|цента",
               "€": "евро|евро|евро|евро|цент|цента|центов|цента",
           "долл. США": "доллар США|доллара США|долларов США|доллара США|цент|цента|центов|цента",
               "долл.": "доллар|доллара|долларов|доллара|цент|цента|центов|цента",
               "£": "фунт|фунта|фунтов|фунта|пенс|пенса|пенсов|пенса",
           "коп.": "копейка|копейки|копеек|копейки|копейка|копейки|копеек|копейки",
               "евро": "евро|евро|евро|евро|цент|цента|центов|цента", "¥": "иена|иены|иен|иены|сен|сена|сенов|сена"},
    unit_signs={"км/ч": "kilometer-per-hour", "км": "kilometer", "м": "meter", "см": "centimeter", "мм": "millimeter",
        "кг": "kilogram", "г": "gram", "мг": "milligram", "мкг": "microgram", "т": "tonne", "л": "liter",
        "мл": "milliliter",
                "°C": "celsius", "℃": "celsius", "°С": "celsius", "°F": "fahrenheit", "°": "degree", "ч": "hour",
                    "ч.": "hour", "мин": "minute", "мин.": "minute", "с": "second", "сек": "second", "сек.": "second",
                    "мс": "millisecond", "м/с": "meter-per-second", "км²": "square-kilometer",
                "м²": "square-meter", "см²": "square-centimeter", "кв. м": "square-meter",
                    "кв. км": "square-kilometer", "га": "hectare", "м³": "cubic-meter", "см³": "cubic-centimeter",
                    "куб. м": "cubic-meter", "Вт": "watt", "кВт": "kilowatt", "МВт": "megawatt",
                "кВт·ч": "kilowatt-hour", "кДж": "kilojoule", "Дж": "joule", "кал": "calorie", "ккал": "kilocalorie",
                    "В": "volt", "А": "ampere", "Ом": "ohm", "Гц": "hertz", "кГц": "kilohertz", "МГц": "megahertz",
                    "ГГц": "gigahertz",
                "КБ": "kilobyte", "МБ": "megabyte", "ГБ": "gigabyte", "ТБ": "terabyte", "км³": "cubic-kilometer"},
    divided="разделить на", pressure_words="давление|давления|давлением|АД", pressure="{a} на {b}",
    units={"mmHg": "миллиметр ртутного столба|миллиметра ртутного столба|миллиметров ртутного столба|"
         "миллиметра ртутного столба", "mm Hg": "миллиметр ртутного столба|миллиметра ртутного столба|"
              "миллиметров ртутного столба|миллиметра ртутного столба",
              "мм рт. ст.": "миллиметр ртутного столба|миллиметра ртутного столба|миллиметров ртутного столба|"
                   "миллиметра ртутного столба", "км/с": "километр в секунду|километра в секунду|"
                        "километров в секунду|километра в секунду",
        "чел.": "человек|человека|человек|человека", "шт.": "штука|штуки|штук|штуки",
        "ст. л.": "столовая ложка|столовые ложки|столовых ложек|столовой ложки",
           "ч. л.": "чайная ложка|чайные ложки|чайных ложек|чайной ложки",
               "ГБ": "гигабайт|гигабайта|гигабайт|гигабайта"},
    web={"²": "в квадрате", "³": "в кубе", ".": "точка", "-": "дефис", "_": "нижнее подчёркивание", "/": "слэш",
        ":": "двоеточие", "@": "собака", "+": "плюс", "&": "и", "~": "тильда", "=": "равно", "%": "процентов",
        "#": "решётка"},
    rulers=["Пётр", "Петр", "Екатерина", "Александр", "Николай", "Павел", "Иван", "Людовик", "Карл", "Генрих",
        "Фридрих", "Вильгельм", "Георг", "Елизавета", "Эдуард", "Яков", "Ричард", "Наполеон", "Иоанн", "Бенедикт",
        "Пий", "Филипп", "Густав", "Василий", "Рамзес", "Фёдор"],
    numbered_nouns=("Глава", "глава", "Том", "том", "Часть", "часть", "Акт", "акт", "тип", "класс"),
    date_words=r"(?:до|с|от|к|на)",
        score_words=r"(?:счётом|счетом|победил|победила|победили|выиграл|выиграла|выиграли|проиграл|проиграла|"
        r"проиграли|счёт|обыграл|обыграли|обыграла)",
    telephone_words="тел\\.|Тел\\.|телефон|Телефон|звоните|позвоните по номеру|номер телефона|по номеру",
    fixed={"50/50": "пятьдесят на пятьдесят", "24/7": "двадцать четыре на семь"},
    chat={"пж": "пожалуйста", "спс": "спасибо", "прив": "привет", "хз": "не знаю", "лс": "личные сообщения",
        "др": "день рождения", "норм": "нормально", "мб": "может быть", "чё": "что", "щас": "сейчас", "оч": "очень"},
)  # fmt: skip
LANGUAGE = Language(
    name="russian",
    spellings="ru rus русский",
    script="\u0400-\u04ff",
    sentences="ru",
    unfinished=r"т\.\s?[едкп]|и\s?т|г|ул|др",
    sample="Ты слышал ночью дождь? Он начался в полночь, а утром весь сад блестел. Я заварил чай и смотрел, как "
    "возвращаются птицы.",
    everyday=(
        "Сегодня утром над рекой стоял густой туман.",
        "Скажите, пожалуйста, как пройти на вокзал?",
        "Моя сестра каждый вечер читает детям сказки.",
        "Старый дом стоит у самого берега реки.",
        "Большое спасибо, вы мне очень помогли!",
    ),
    recognise=EuropeanReader(WORDS),
)
