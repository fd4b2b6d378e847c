"""Russian times with a full stop ("от 9.30 до 18.30", "после 9.45"), which are no decimals, and stations -> words."""

from __future__ import annotations

import re

from mlx_tts.text.languages.russian.governed import last_stop
from mlx_tts.text.languages.russian.in_cases import InCases
from mlx_tts.text.normalise.engine import Rule, mentions, rule, text_after, text_before

# What tells that a text is about hours.
ABOUT_HOURS = re.compile(
    r"\bчас|\bч\.|\bмин|[Уу]тр[оа]м?\b|[Вв]ечер|[Рр]ежим|[Рр]абот|[Оо]бед|[Пп]ри[её]м|[Зз]апис|[Нн]ачал|[Рр]асписан"
    r"|[Рр]ейс|[Пп]оезд|[Аа]втобус|[Ээ]лектрич|\b(?:[Пп]н|[Вв]т|[Чч]т|[Пп]т|[Сс]б)\b|[Оо]ткр|[Зз]акр|[Кк]асс"
    r"|[Зз]аняти|[Уу]рок|\b[Пп]ара\b|[Зз]вон|[Вв]стреч|[Сс]обрани|[Пп]риход|[Пп]рид[её]|[Пп]риед|[Бб]удн|[Вв]ыходн"
    r"|[Ее]жедневн|[Пп]онедельник|[Вв]торник|[Сс]ред[уы]|[Чч]етверг|[Пп]ятниц|[Сс]уббот|[Вв]оскресень|[Дд]виж|[Зз]автра"
    r"|[Сс]егодня|[Зз]абер|[Жж]д[ую]|[Дд]оставк|[Пп]ерекрыт|[Оо]тправл|[Пп]рибы|[Рр]егистрац|[Зз]аезд|[Вв]ыезд|[Сс]еанс"
)
# Behind these it is the number of a version, a mark or a price.
COUNTED = re.compile(
    r"(?:[Вв]ерс|[Бб]алл|[Кк]урс|[Цц]ен|[Рр]ейтинг|[Оо]ценк|[Пп]ункт|[Рр]аздел|[Пп]араграф|[Рр]елиз|[A-Za-z])\S{0,6} \Z"
    r"|(?:вырос|выросл[аи]|снизил\w+|поднял\w+|упал\w?)[а-яё ,]{0,12} \Z"
)
UNIT = re.compile(
    r" ?(?:%|[₽$€°]|руб|тыс|млн|млрд|раз|балл|очк|пункт|процент|лет\b|км|кг|мм|см|дол|евро|ГБ|МБ|[-–—]? ?\d|г\.|г\b)"
)


# Before "на" they tell where one goes, and no place.
TOWARDS = re.compile(
    r"(?:\b(?i:(?:съ|въ|вы|пере)езд|поворот|вы?ход|переход|сверн|поверн|поворачив|сворачив|(?:вы|пере|при|до|за|у|по|съ|въ)"
    r"е(?:х|д|зж)|е(?:дет|ду|хал|хать)|при(?:бы|х|ш|д|й)|пере(?:й|в|н|с|б|х|ш)|вер(?:н|т)у|ид(?:и|у|ё|е)|ш[её]л|шл[аио]"
    r"|по(?:йд|ш[её]?л|пад|пал)|до(?:йд|ш[её]?л|бр|став)|за(?:йд|ш[её]?л)|вы(?:йд|йт|ш[её]?л)|направ|отправ|смотр|вед[её]т"
    r"|сл[её]д(?:у|ов)|окна|вид\b|привез|привоз))"
    r"[а-яё]*(?: (?!в\b|во\b|к\b|ко\b|у\b|доме?\b|сто[ия]|наход|располож|жив|встреч|останов|работ|произош|перекр)"
    r"(?:[^.!?;,— ]{1,20}|[а-я]{1,4}\.)){0,3} \Z"
)


class Clock(InCases):
    def rules(self) -> tuple[Rule, ...]:
        hour = r"(?P<h>[01]?\d|2[0-4])\.(?P<m>[0-5]\d)"
        return (
            rule(rf"\b(?P<before>[Сс]о?|[Оо]т) {hour} до (?P<h2>[01]?\d|2[0-4])[.:](?P<m2>[0-5]\d)(?![\w:]|[.,]\d)",
                 self.from_to),
            rule(r"\b(?P<before>[Сс]о?|[Дд]о|[Пп]осле|[Оо]коло|[Оо]т|[Пп]озже|[Пп]озднее|[Рр]аньше|[Рр]анее|[Кк]о?) "
                 rf"{hour}(?![\w:]|[.,]\d)", self.moment),
            rule(r"\b(?P<before>[Сс]) (?P<n>\d{1,2}) час\.",
                 lambda m: f"{m['before']} {self.in_words(m['n'], '00', 'genitive')}"),
            rule(r"(?:(?<=мин\. )|(?<=мин ))(?P<n>\d{1,2}) ?с\.(?!\w)",
                 lambda m: self.own.counted(m["n"], self.own.unit_names["с"].split("|")) + last_stop(m)),
            rule(r"\b(?P<who>[Мм]ужу|[Жж]ене|[Сс]ыну|[Дд]оч(?:ери|ке)|[Мм]аме|[Пп]апе|[Оо]тцу|[Мм]атери|[Мм]не|[Ее]му|[Ее]й"
                 r"|[Бб]абушке|[Дд]едушке|[Бб]рату|[Сс]естре) (?P<n>\d{1,3}) ?[лг]\.(?!\w)",
                 lambda m: f"{m['who']} {self.own.counted(m['n'], ['год', 'года', 'лет', 'года'])}{last_stop(m)}"),
            rule(r"(?<=\b[Пп]о )т\. ?(?=(?:\+7|8)[ (-])", "телефону "),
            rule(r"(?<=\b[Пп]о )(?P<name>вн|внутр|доб)\. ?(?:№ ?)?(?P<n>[1-9]\d{1,4})(?![\w-]|[.,]\d)",
                 lambda m: ("добавочному " if m["name"] == "доб" else "внутреннему ") + self.own.cardinal(int(m["n"]))),
            # How long a race took.
            rule(r"(?<![\w:.,])(?P<h>\d):(?P<m>[0-5]\d):(?P<s>[0-5]\d)(?![\w:]|[.,]\d)",
                 lambda m: " ".join(self.own.counted(str(int(m[name])), self.own.unit_names[unit].split("|"))
                                    for name, unit in (("h", "ч"), ("m", "мин"), ("s", "с")) if int(m[name]))),
            rule(r"(?P<room>\b(?:каб|ауд|оф)\.) ?(?P<a>\d{1,2})\.(?P<b>\d{1,3})(?![\w-]|[.,]\d)", self.room),
            rule(r"(?<![\w.])(?P<s>[Сс])т\.(?= ?[«\"][А-ЯЁ])", self.station),
            rule(r"(?P<before>\b(?:[Нн]а|[Дд]о|[Оо]т|[Уу]|[Сс]о?|[Кк]|[Ии]з|[Вв]озле|[Оо]коло) )ст\."
                 r"(?= [А-ЯЁ][а-яё]{2,})",
                 self.at_station),
        )  # fmt: skip

    def in_words(self, hour: str, minute: str, case: str) -> str:
        said = self.in_case(int(hour), case)
        if minute == "00":
            one = int(hour) % 20 == 1
            return f"{said} {('часу' if one else 'часам') if case == 'dative' else 'часа' if one else 'часов'}"
        zero = f"{self.own.cardinal(0)} " if minute[0] == "0" else ""
        return f"{said} {zero}{self.in_case(int(minute), case, 'feminine')}"

    def from_to(self, match: re.Match[str]) -> str | None:
        """Two days can be written so as well, with months up to 12."""
        first, last = int(match["m"]), int(match["m2"])
        if (1 <= first <= 12 and 1 <= last <= 12) or first == last == 0 or UNIT.match(text_after(match, 10)):
            return None
        if COUNTED.search(text_before(match, 30)):
            return None
        begins = (
            self.in_words(match["h"], match["m"], "genitive") if first else self.in_case(int(match["h"]), "genitive")
        )
        return f"{match['before']} {begins} до {self.in_words(match['h2'], match['m2'], 'genitive')}"

    def moment(self, match: re.Match[str]) -> str | None:
        minute = int(match["m"])
        if 1 <= minute <= 12 or UNIT.match(text_after(match, 10)) or COUNTED.search(text_before(match, 30)):
            return None
        if not mentions(ABOUT_HOURS, match.string):
            return None
        case = "dative" if match["before"][0] in "Кк" else "genitive"
        return f"{match['before']} {self.in_words(match['h'], match['m'], case)}"

    def station(self, match: re.Match[str]) -> str:
        """At the beginning of a clause in the nominative, behind a noun or a preposition in the genitive."""
        if re.search(r"(?:\A|[.!?,;:(—–-] ?|\n|\bи )\Z", text_before(match, 3)):
            return f"{match['s']}танция"
        passed = re.search(r"\b(?:[Вв]|[Чч]ерез|[Зз]а) \Z", text_before(match, 7))
        return match["s"] + ("танцию" if passed else "танции")

    def room(self, match: re.Match[str]) -> str:
        """A room on a floor: "каб. 4.15"."""
        located = re.search(r"\b[Вв] \Z", text_before(match, 3))
        name = {"каб.": ("кабинет", "кабинете"), "ауд.": ("аудитория", "аудитории"), "оф.": ("офис", "офисе")}
        last = match["b"]
        said = (
            f"{self.own.cardinal(0)} {self.own.cardinal(int(last))}" if last[0] == "0" else self.own.cardinal(int(last))
        )
        return f"{name[match['room']][bool(located)]} {self.own.cardinal(int(match['a']))} {self.own.dot} {said}"

    def at_station(self, match: re.Match[str]) -> str:
        towards = match["before"] in ("на ", "На ") and TOWARDS.search(text_before(match, 50))
        return f"{match['before']}станци{'ю' if towards else 'и'}"
