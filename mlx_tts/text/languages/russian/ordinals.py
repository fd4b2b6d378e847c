"""Russian ordinals, years, centuries and decades in the case of the words next to them -> words."""

from __future__ import annotations

import re

from mlx_tts.text.languages.russian.endings import ENDINGS
from mlx_tts.text.languages.russian.governed import last_stop
from mlx_tts.text.languages.russian.ranks import SEVERAL
from mlx_tts.text.normalise.engine import Rule, one_of, rule, text_after, text_before
from mlx_tts.text.normalise.european import European
from mlx_tts.text.normalise.number_words import number_words
from mlx_tts.text.roman import value

# Of an adjective that is made of a number and a noun: "2-комнатная".
ADJECTIVE_ENDS = "(?:ый|ий|ой|ая|яя|ое|ее|ые|ие|ого|его|ому|ему|ым|им|ом|ем|ую|юю|ых|их|ыми|ими)"
# Before "2-м": between and above, and what becomes a place in an order.
ABLATIVE_BEFORE = re.compile(
    r"\b(?:(?:[Мм]ежду|над|перед|под|[Зз]а)(?: \d+-м и)?|[Сс]тал[аио]?|станет|был[аио]?|будет|оказал[а-я]{2,3}"
    r"|приш[её]л|пришла|финиширова[а-я]{1,3}|ид[её]т) \Z"
)
# Behind these a year is an accusative.
ACCUSATIVE_BEFORE = re.compile(r"\b(?:[Нн]а|[Зз]а|[Пп]о|[Чч]ерез|[Пп]ро) \Z")
ERA = re.compile(r" (?:до )?н\.")
# What one may go to: "на 3-й этаж".
MASCULINE_PLACE = re.compile(
    r" (?:этаж|километр|круг|раз|день|год|месяц|тур|матч|ряд|курс|уровень|план|вызов|номер|срок)\b"
)
LONG_ENDINGS = one_of(end for end in ENDINGS if len(end) > 1)
VERB = re.compile(r"[а-яё]{2}(?:л[аои]?|[ое]н[аоы]?|л(?:ся|ась|ось|ись)|[аеиуюя]т(?:ся)?)\b")


class OrdinalForms(European):
    """What `Russian` says of ordinals, of spans of years, of decades and of centuries."""

    def ordinal_rules(self) -> tuple[Rule, ...]:
        return (
            rule(r"(?<![\w.,-])(?<!\b[вВ] )(?<!\b[нН]а )(?<!\b[оО] )(?P<n>\d{1,4})-м(?= [а-яё]{2,}[оеё]м\b)",
                 lambda m: self.ordinal(int(m["n"]), "ma")),
            rule(r"(?<![\w.,-])(?P<n>\d{1,4})-м(?= [а-яё]+[ая]м\b)", lambda m: self.ordinal(int(m["n"]), "pd")),
            rule(rf"(?<![\w.,])(?P<n>\d{{1,7}})-?(?<=-)(?P<end>{one_of(ENDINGS)}|е|ти)(?!\w)", self._ordinal),
            # Without a hyphen, as in messages.
            rule(rf"(?<![\w.,-])(?P<n>\d{{1,4}})(?P<end>й|я|{LONG_ENDINGS})(?![\w.-])", self._ordinal),
            rule(r"(?<![\w.,])(?P<a>\d{1,4})(?P<mark>[-–])(?P<b>\d{1,4})-?(?<=-)(?P<end>х|е|й|го|м)(?!\w)", self._two),
            rule(r"(?<=сравнени[юи] )с (?P<n>[12]\d{3}) ?(?P<word>г\.)",
                 lambda m: f"с {self.ordinal(int(m['n']), 'ma')} годом{self._stop(m)}"),
            rule(r"(?<![\w.,-])(?P<n>[12]\d{3}) ?(?P<word>год|года|году|годом|годы|годов|годах|гг?\.)(?!\w)",
                 self._year),
            rule(rf"(?<![\w.,-])(?P<n>\d{{1,3}})-(?P<word>(?:(?:летн|дневн|часов|этажн|кратн|местн|процентн|метров"
                 rf"|минутн)\w{{1,3}}|[а-яё]{{2,12}}[нвт]{ADJECTIVE_ENDS}))(?!\w)",
                 lambda m: self._joined(int(m["n"])) + m["word"]),
            rule(r"(?<![\w.,-])(?P<n>[1-9]\d?0|\d{1,2}|1000)-(?P<word>лети(?:е|я|ю|и|ем))(?!\w)",
                 lambda m: self._joined(int(m["n"])) + m["word"]),
            rule(rf"(?<![\w.,-])(?P<n>[1-9]|[12]\d|3[01])(?=(?:, \d\d?){{0,5}} (?:и|или) (?:[1-9]|[12]\d|3[01]) "
                 rf"(?:{one_of(self.month_names)})\b)", lambda m: self.ordinal(int(m["n"]), "ng")),
            rule(r"(?P<before>\b[вВ] )?(?<![\w.,-])(?P<a>[12]\d{3}) ?[-–—] ?(?P<b>[12]\d{3}|\d\d) гг\.",
            self._span_of_years),
            rule(r"(?P<before>\b[вВ] )?(?<![\w.,-])(?P<a>[1-9]\d|[12]\d\d0)-(?P<end>[хе]) гг\.", self._decade),
            rule(r"(?<=\b[вВ] )(?P<n>[1-9]\d{2}) ?(?P<word>г\.)(?= [а-яё])",
                 lambda m: None if m["n"].endswith(("00", "50")) else f"{self.ordinal(int(m['n']), 'ml')} году"),
            rule(r"(?P<before>\b[вВ] )1/(?P<n>[248]|16|32)(?= финала\b)",
                 lambda m: f"{m['before']}одной {self.ordinal(int(m['n']), 'fg')}"),
            rule(r"(?<=\b[нН]а )ул\.", lambda m: "улицу" if re.match(r" [А-ЯЁ]\w+ую\b",
                 m.string[m.end() :]) else "улице"),
            rule(r"(?<=\b[нН]а )стр\.(?= ?\d)", "странице"),
            rule(r"(?<![\w.,-])(?P<n>\d{1,4}) ?(?P<word>г\.|год|году|года)(?= (?:до )?н\. ?э\.)", self._year),
            rule(r"\b(?P<from>[сС]) (?P<a>\d{1,2})(?:-го)? по (?P<b>\d{1,2})(?:-е)? (?P<month>[а-я]{3,8})(?!\w)",
                 self._from_to),
            rule(r"\b(?P<from>[сС]) (?P<a>[12]\d{3})(?: г\.| года)? по (?P<b>[12]\d{3}) ?(?P<word>гг?\.|"
                 r"год(?:ы)?)(?!\w)",
                 lambda m: f"{m['from']} {self.ordinal(int(m['a']), 'mg')} по {self.ordinal(int(m['b']), 'm')} год"
                 + last_stop(m)),
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
        said = re.sub(r"\Aста", "сто", said)
        return {1: "одно", 1000: "тысяче"}.get(number, said.replace("одного", "одно").replace("девяноста", "девяносто"))

    def _ordinal(self, match: re.Match[str]) -> str | None:
        number, end = int(match["n"]), match["end"]
        if end == "ти":
            return number_words(self.code, number, "cardinal-masculine-genitive")
        if end == "е":
            behind = text_after(match, 24)
            if re.match(r"(?:,? (?:и|или) \d{1,4}-е)? (?:годы|гг\.|[а-яё]+[ыи]\b)", behind):
                return self.ordinal(number, "p")
            if re.match(r" [а-яё]+[ое]\b", behind):
                return self.ordinal(number, "n")
            return self.ordinal(number, "n" if number % 10 == 3 or (number < 100 and number != 1) else "p")
        if (
            end == "ой"
            and number % 10 in (0, 2, 6, 7, 8)
            and not re.match(r" \w+(?:ой|ей|ы|и)\b", text_after(match, 24))
        ):
            return self.ordinal(number, "m")
        before = text_before(match, 8)
        if end == "м" and ABLATIVE_BEFORE.search(text_before(match, 20)):
            return self.ordinal(number, "ma")
        if end == "й" and (re.search(r"\bстала? \Z", before) or self._of_play(match)):
            return self.ordinal(number, "fg")
        after = text_after(match, 60)
        several = r"(?:(?:,| и) \d+(?:\+\d+)?-й){0,4}"
        if (
            end == "й"
            and not SEVERAL.match(after)
            and not re.match(r" (?:не|же|или|если|где|после|уже|ещё|еще|все|даже|тоже|при|ни|более)\b", after)
            and not re.search(r"\b(?:[Кк]аждый|[Ээ]тот|[Тт]от|[Нн]аш|[Мм]ой|[Сс]вой|[Вв]есь) \Z", text_before(match, 8))
            and re.match(rf"{several} (?![а-яё]+[ьйи]те\b)(?:[а-яё]+(?:е|и|ы|ой|ей|ах|ях)\b|мин\.|стр\.|пол\.)", after)
        ):
            return self.ordinal(number, "fg")
        if end == "х" and number in (2, 3, 4) and re.match(" [а-яё]{2}", match.string[match.end() :]):
            return number_words(self.code, number, "cardinal-masculine-genitive")
        return self.ordinal(number, ENDINGS[end])

    @staticmethod
    def _of_play(match: re.Match[str]) -> bool:
        """ "на 7-й минуте ..., но на 63-й": the noun is said once."""
        again = re.search(r"(?:\b(?:а|и|но|затем|потом|уже|ещё|еще)|,) на \Z", text_before(match, 12))
        if not again or MASCULINE_PLACE.match(text_after(match, 24)):
            return False
        return re.search(r"\d-й (?:минут|мин\.)", text_before(match, 160)) is not None

    def _two(self, match: re.Match[str]) -> str:
        form = {"е": "p", **ENDINGS}[match["end"]]
        joint = " — " if match["mark"] == "–" else "-"
        return f"{self.ordinal(int(match['a']), form)}{joint}{self.ordinal(int(match['b']), form)}"

    def _year(self, match: re.Match[str]) -> str:
        word = {"г.": "года", "гг.": "годов"}.get(match["word"], match["word"])
        before = text_before(match, 12)
        if match["word"] == "г." and (preposition := re.search(r"\b([вВкК]о?) \Z", before)):
            word = "году"
            if preposition[1] in "кКкоКо":
                return f"{self.ordinal(int(match['n']), 'md')} году{self._stop(match)}"
        elif match["word"] == "г." and (ACCUSATIVE_BEFORE.search(before) or ERA.match(text_after(match, 8))):
            word = "год"
        elif match["word"] == "году" and re.search(r"\b[кК] \Z", before):
            return f"{self.ordinal(int(match['n']), 'md')} году"
        form = {"год": "m", "года": "mg", "году": "ml", "годом": "ma", "годы": "p", "годов": "pg", "годах": "pl"}[word]
        return f"{self.ordinal(int(match['n']), form)} {word}{self._stop(match)}"

    def _stop(self, match: re.Match[str]) -> str:  # behind a capital that is no name
        ends = re.match(r"\s*\Z|\s+(?:[А-ЯЁ]{2,5}(?= \d)|[А-ЯЁ][а-яё]?(?!\.)|Это|Этот|Эта|Они|Она|Оно|Мы|Вы|Как"
                        r"|Когда|После|Так|Там|Тогда|Для|При|Все|Его|Её|Их|Потом|Затем|Через|До|Без|Под|Над|Если|[А-ЯЁ][а-яё]+(?=:))\b",
                        match.string[match.end() :]) is not None  # fmt: skip
        if not ends and re.match(
            r" [А-ЯЁ][а-яё]{2,}(?<!ым)(?<!им)(?<!ом)(?<!ем)(?<!ой)(?<!ей) [а-яё\d]", match.string[match.end() :]
        ):
            clause = re.split(r"(?<=[а-яё]{5})\. |[!?…] ", text_before(match, 120))[-1]
            ends = len(clause.split()) > 4 or VERB.search(clause) is not None  # the year ends what was said
        return "." if match[0].endswith(".") and ends else ""

    def _span_of_years(self, match: re.Match[str]) -> str:
        form, noun = ("ml", "годах") if match["before"] else ("m", "годы")
        first, last = self.ordinal(int(match["a"]), form), self.ordinal(int(match["b"]), form)
        return f"{match['before'] or ''}{first} — {last} {noun}{self._stop(match)}"

    def _decade(self, match: re.Match[str]) -> str:
        form, noun = ("p", "годы") if match["end"] == "е" else ("pl", "годах") if match["before"] else ("pg", "годов")
        return f"{match['before'] or ''}{self.ordinal(int(match['a']), form)} {noun}{self._stop(match)}"

    def _from_to(self, match: re.Match[str]) -> str | None:
        month = self.month_numbers.get(match["month"])
        if month is None or int(match["a"]) > 31 or int(match["b"]) > 31:
            return None
        first, last = self.ordinal(int(match["a"]), "ng"), self.ordinal(int(match["b"]), "n")
        return f"{match['from']} {first} по {last} {self.month_names[month - 1]}"

    def _centuries(self, match: re.Match[str]) -> str:
        plural = match["end"] in ("веков", "вв.", "столетий")
        if match["end"] == "вв." and re.search(r"\b[вВ] \Z", text_before(match, 3)):
            joint = " и " if "и" in match["mark"] else " — "
            first, last = self.ordinal(value(match["a"]), "ml"), self.ordinal(value(match["b"]), "ml")
            return f"{first}{joint}{last} веках{self._stop(match)}"
        form = "pl" if match["end"] == "веках" else "ml" if match["end"] == "веке" else "mg"
        words = " веков" if plural else match["after"]
        joint = " и " if "и" in match["mark"] else " — "
        ends = match["end"] == "вв." and re.match(r"\s*\Z|\s+[А-ЯЁ]", text_after(match, 4))
        said = f"{self.ordinal(value(match['a']), form)}{joint}{self.ordinal(value(match['b']), form)}{words}"
        return f"{said}." if ends else said
