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
DATE_BEFORE = re.compile(r"(?:\A|[.,:;(]\s*)\Z")


class Russian(European):
    """Numbers have a gender and a case; days and years are ordinals in the genitive, as after "on the"."""

    def spelling(self, words: str) -> str:
        return words.replace("третьому", "третьему").replace("третьом", "третьем")

    def own_kinds(self) -> tuple[Kind, ...]:
        pattern = r"(?<![\w.,-])8[ -]\(?\d{3}\)?[ -]\d{3}[ -]\d{2}[ -]\d{2}(?![\w-])"
        groups = rule(pattern, lambda m: ", ".join(self.digits(group) for group in re.findall(r"\d+", m[0])))
        return (Kind("telephone", re.compile(r"8[ -]"), (groups,)),)

    def ordinal(self, number: int, form: str = "m") -> str:
        return re.sub(r"^одна тысяча (?=\w)", "тысяча ", super().ordinal(number, form))

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

    def mixed(self, whole: str, top: int, bottom: int) -> str:
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

    def regnal(self, number: int, name: str) -> str:
        return self.ordinal(number, "f" if name.endswith(("а", "я")) else "m")

    def century_words(self, number: int) -> str:
        return self.ordinal(number, "m")

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
            rule(r"(?<=\b[нН]а )ул\.", lambda m: "улице"),
            rule(r"(?P<before>\b[вВ]о? )(?P<n>[IVX]{1,6})(?P<after> веке)\b",
                 lambda m: f"{m['before']}{self.ordinal(value(m['n']), 'ml')}{m['after']}"),
            rule(r"(?<![\w.,-])(?P<n>\d{1,2})(?P<after> (?:веке|столетии))\b",
                 lambda m: f"{self.ordinal(int(m['n']), 'ml')}{m['after']}"),
            rule(r"(?<![\w.,-])(?P<n>\d{1,2})(?P<after> (?:век|столетие))\b",
                 lambda m: f"{self.ordinal(int(m['n']), 'm')}{m['after']}"),
            rule(r"\b(?P<n>[IVX]{1,6})(?P<after> (?:веке|столетии))\b",
                 lambda m: f"{self.ordinal(value(m['n']), 'ml')}{m['after']}"),
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
            return self.ordinal(number, "n" if number % 10 == 3 or (number < 100 and number != 1) else "p")
        if (
            end == "ой"
            and number % 10 in (0, 2, 6, 7, 8)
            and not re.match(r" \w+(?:ой|ей|ы|и)\b", match.string[match.end() : match.end() + 24])
        ):
            return self.ordinal(number, "m")
        if end == "х" and re.match(r" (?:человек|лет|месяц|дн|час|недел|год)", match.string[match.end() :]):
            return number_words(self.code, number, "cardinal-masculine-genitive")
        return self.ordinal(number, ENDINGS[end])

    def _two(self, match: re.Match[str]) -> str:
        form = {"е": "p", **ENDINGS}[match["end"]]
        joint = " — " if match["mark"] == "–" else "-"
        return f"{self.ordinal(int(match['a']), form)}{joint}{self.ordinal(int(match['b']), form)}"

    def _year(self, match: re.Match[str]) -> str:
        word = {"г.": "года", "гг.": "годов"}.get(match["word"], match["word"])
        before = match.string[max(0, match.start() - 12) : match.start()]
        if match["word"] == "г." and re.search(r"\b[вВ] \Z", before):
            word = "году"
        form = {"год": "m", "года": "mg", "году": "ml", "годом": "ma", "годы": "p", "годов": "pg", "годах": "pl"}[word]
        end = "." if match[0].endswith(".") and not match.string[match.end() :].strip() else ""
        return f"{self.ordinal(int(match['n']), form)} {word}{end}"


WORDS = Russian(
    code="ru", genders={"m": "cardinal-masculine", "f": "cardinal-feminine", "n": "cardinal-neuter"},
        numbering="numbering",
    ordinals={gender + key: f"ordinal-{name}{case}" for gender, name in GENDERS.items() for key, case in CASES.items()},
    date="{day} {month}", date_year=" {year} года", written_date=r"DAY(?:\.|-го)? MONTH(?: YEAR)?(?: ?(?:г\.|года))?",
        days="понедельник вторник среда четверг пятница суббота воскресенье",
    year_words=r"(?: ?г\.| года)?", clock="{hour} {minute}", full_hour="{hour} ноль ноль",
        with_seconds="{hours} {minutes} {seconds}", before_minutes="ноль ", hour_words=r"",
    to="до", minus="минус", plus="плюс", point="запятая", dot="точка", percent="процент|процента|процентов|процента",
        with_cents="{money} {cents}", half="половина|половина", and_half="с половиной",
    parts={}, over="дробь", times="раз", by="на", equals="равно", per="в", hashtag="хештег", score="{a} {b}",
        centuries=(r"\bNUMERAL(?P<after> (?:век|столетие))\b",), feminine=r"(?:\w+[ая])\b",
    feminine_plural=r"(?:минуты|секунды|недели|тысячи|книги|женщины|девушки|копейки|страницы|ложки|штуки"
    r"|комнаты|улицы|машины|тонны|мили|игры|победы|дочери|сестры|ночи|части|статьи|чашки|бутылки|группы|команды|школы|страны)",
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
                   "пжл": "пожалуйста", "оч": "очень"},
    before_numbers={"г.": "город", "д.": "дом", "кв.": "квартира", "гл.": "глава", "рис.": "рисунок",
        "табл.": "таблица", "с.": "страница", "п.": "пункт", "корп.": "корпус", "ст.": "статья", "эт.": "этаж",
        "т.": "том"},
    enders=("и т. д.", "и т.д.", "и т.п.", "и т. п."), titles=("ул.", "проф.", "акад.", "д-р", "г-н", "г-жа", "им."),
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
    units={"км/с": "километр в секунду|километра в секунду|километров в секунду|километра в секунду",
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
