"""Russian short forms that only what stands beside them explains: of years of birth, offices, houses, memory."""

from __future__ import annotations

import re

from mlx_tts.text.languages.russian.governed import CAPITAL_FOLLOWS
from mlx_tts.text.languages.russian.names import DAYS
from mlx_tts.text.normalise.engine import Rule, mentions, one_of, rule, text_after, text_before
from mlx_tts.text.normalise.european import European
from mlx_tts.text.normalise.european_numbers import RAISED
from mlx_tts.text.normalise.number_words import number_words
from mlx_tts.text.roman import value

# Said wherever they stand. A slash or several full stops tell them from words.
FIXED = {
    "в/в": "внутривенно", "в/м": "внутримышечно", "п/к": "подкожно", "б/у": "бывший в употреблении", "и/или": "и или",
    "нач. отд.": "начальник отдела", "зав. отд.": "заведующий отделом", "зав. каф.": "заведующий кафедрой",
    "зам. дир.": "заместитель директора", "зам. нач.": "заместитель начальника", "ген. дир.": "генеральный директор",
    "гл. врач": "главный врач", "гл. бух.": "главный бухгалтер", "гл. инж.": "главный инженер",
    "к. м. н.": "кандидат медицинских наук", "к.м.н.": "кандидат медицинских наук",
    "д. м. н.": "доктор медицинских наук", "д.м.н.": "доктор медицинских наук",
    "к. т. н.": "кандидат технических наук", "к.т.н.": "кандидат технических наук",
    "и. о.": "исполняющий обязанности", "и.о.": "исполняющий обязанности", "лавр. лист": "лавровый лист",
    "г/г": "год к году", "м/м": "месяц к месяцу", "кв/кв": "квартал к кварталу", "местн. вр.": "местного времени",
    "раб. дням": "рабочим дням", "раб. дни": "рабочие дни", "раб. дней": "рабочих дней", "раб. дня": "рабочих дня",
    "вых. дни": "выходные дни", "вых. дням": "выходным дням", "праздн. дни": "праздничные дни",
    "праздн. дням": "праздничным дням", "раст. масло": "растительное масло", "слив. масло": "сливочное масло",
    "с. ш.": "северной широты",
    "ю. ш.": "южной широты", "в. д.": "восточной долготы", "з. д.": "западной долготы",
    "с.ш.": "северной широты", "ю.ш.": "южной широты", "в.д.": "восточной долготы", "з.д.": "западной долготы",
}  # fmt: skip
PARTS_OF_TIME = {"нач.": "начал", "сер.": "середин", "кон.": "кон"}
WEEKDAYS = {"пн": "понедельник", "вт": "вторник", "ср": "среда", "чт": "четверг", "пт": "пятница", "сб": "суббота",
    "вс": "воскресенье"}  # fmt: skip
NAMED = (
    r"переговорн\w{2}|[Кк]абинет\w{0,2}|[Аа]удитори\w{1,2}|[Оо]фис\w{0,2}|[Кк]омнат\w|[Вв]ерси\w{1,2}|[Рр]аздел\w{0,2}"
    r"|[Зз]адани\w{1,2}|[Уу]пражнени\w{1,2}|[Пп]араграф\w{0,2}|[Гг]лав\w|[Пп]ункт\w{0,2}|п\.|рис\.|[Рр]исун\w{2,4}"
    r"|табл\.|[Тт]аблиц\w|§|разд\.|[Пп]риложени\w{1,2}|[Рр]елиз\w{0,2}|[Сс]борк\w|[Пп]рошивк\w|[Фф]орм\w|СНиП\w?|СП|СанПиН\w?"
)

# Before a number with a full stop, or behind it, they say that it is no date.
NO_DATE = re.compile(
    r" ?(?:%|[₽$€°]|руб|тыс|млн|млрд|раз|балл|очк|пункт|процент|лет|год|час\b|мин|сек|км|м\b|кг|г\b|мм|см|л\b|мл"
    r"|°|дол|евро|ГБ|МБ)"
)
EACH = {"м²": "квадратный метр", "м2": "квадратный метр", "кв. м": "квадратный метр", "м³": "кубический метр",
    "куб. м": "кубический метр", "кг": "килограмм", "кВт·ч": "киловатт-час", "шт.": "штуку", "га": "гектар",
    "чел.": "человека", "сут.": "сутки", "мес.": "месяц", "км": "километр"}  # fmt: skip
IN_A = {"мин.": "минуту", "сек.": "секунду", "нед.": "неделю", "мес.": "месяц", "сут.": "сутки"}
BLOWS = {"сев.": "север", "юж.": "юж", "зап.": "запад", "вост.": "восточ"}
STREETS = r"(?:ул\.|улиц|пр-т|просп|пр\.|пер\.|переул|шоссе|наб\.|набереж|б-р|бульвар|пл\.|площад)[^.;]{0,40}\Z"
MATCH = re.compile(r"[Тт]айм|ГОЛ|\b[Гг]ол\b|[Пп]енальти|[Уу]дал[её]н|[Кк]арточк|[Мм]атч|[Зз]абил")
NO_DATE_BEFORE = re.compile(
    r"(?:[Кк]урс|[Цц]ен[аыуео]|\bсто[ия]т|[Бб]алл|[Оо]ценк|[Кк]оэффициент|[Ии]ндекс|[Рр]авн|[Сс]редн|[Зз]начени|[Пп]оказател"
    r"|[=×≈])[^.!?;]{0,16}\Z"
)
PICTURES = re.compile(r"[Вв]идео|[Рр]азрешени|[Мм]онитор|[Тт]елевизор|[Ээ]кран|[Кк]ачеств|[Кк]амер|HDR|UHD|[Фф]ильм")
FEMININE_SOFT = (
    r"морковь|соль|часть|площадь|ночь|дверь|кровать|тетрадь|область|степень|цель|деталь|роль|мышь|вещь|речь|дочь|сеть"
    r"|очередь|запись|модель|скорость|должность|возможность|жизнь|смерть|церковь|осень|болезнь|смесь|пыль|сталь|нить"
    r"|кость|печь|ель|лошадь|связь|подпись|надпись|горсть|щепоть"
)
ACCOUNTS = {"р/с": "расчётный счёт", "к/с": "корреспондентский счёт"}
LEAF_ENDS = {"": "ый", "ом": "ым", "а": "ых", "ов": "ых", "ьев": "ых", "ья": "ые", "ы": "ые"}
DOORS_END = {"а": "ая", "я": "ая", "е": "ое", "о": "ое", "ы": "ые", "и": "ые"}
POINTS = ("пункт", "пункта", "пунктов", "пункта")
WARMTH = re.compile(r"°|[Тт]емператур|[Гг]радус|[Дд]уховк|[Гг]ре[елю]|[Нн]агре|[Мм]ороз|[Тт]епл[ао]\b")


class Shortened:
    """own: the words of the language."""

    def __init__(self, own: European):
        self.own = own

    def rules(self) -> tuple[Rule, ...]:
        own = self.own
        return (
            rule(rf"(?<![\w./])(?:{one_of(FIXED)})(?![\w/])(?!\.\w)", self.fixed),
            rule(r"(?<![\w.,-])(?P<n>[12]\d{3}) ?г\. ?р\.(?!\w)",
                 lambda m: f"{own.ordinal(int(m['n']), 'mg')} года рождения{self.stop(m)}"),
            rule(r"(?<![\w.,-])(?P<n>[12]\d{3}) ?г\. ?в\.(?!\w)",
                 lambda m: f"{own.ordinal(int(m['n']), 'mg')} года выпуска{self.stop(m)}"),
            rule(rf"(?:(?<=\d )|(?<=\bраз )|(?<=\bраза )|(?<=ов ))в (?P<unit>{one_of(IN_A)})(?!\w)",
                 lambda m: f"в {IN_A[m['unit']]}{self.stop(m)}"),
            rule(r"\b(?P<before>[Вв]) теч(?:\.|ение) (?P<a>\d{1,2}) ?[-–—] ?(?P<b>\d{1,2}) "
                 r"(?P<unit>дн\.|нед\.|мес\.|мин\.|ч\b\.?|сут\.)", self.in_the_course),
            rule(rf"(?<=\b[Вв]етер )(?P<a>{one_of(BLOWS)})(?:-(?P<b>{one_of(BLOWS)}))?(?!\w)",
                 lambda m: BLOWS[m["a"]] + "ный" if not m["b"] else
                 f"{ {'сев.': 'северо', 'юж.': 'юго'}.get(m['a'], BLOWS[m['a']] + 'о')}-{BLOWS[m['b']]}ный"),
            rule(r"(?<=[12]\d\d\d) ?г\. ?р\.(?!\w)", lambda m: f" рождения{self.stop(m)}"),
            rule(r"(?<![\w.])(?P<before>[Пп]о|[Вв]|[Сс]огласно) пп\.(?= ?\d)",
                 lambda m: f"{m['before']} {'пунктах' if m['before'] in 'Вв' else 'пунктам'}"),
            rule(r"(?<=\d\d )(?:мск|МСК)\b", "по московскому времени"),
            rule(r"(?<![\w.])(?P<before>[Вв]|[Кк]о?|[Сс]о?|[Дд]о) (?P<part>нач\.|сер\.|кон\.)"
                 r"(?= (?:[IVX]{1,5}|\d{2,4}|[а-яё]{3,9}(?:я|а)\b))", self.part_of_time),
            rule(r"(?<=\d )\((?P<day>пн|вт|ср|чт|пт|сб|вс)\.?\)", lambda m: f"({WEEKDAYS[m['day']]})"),
            rule(rf"(?<=[а-яё] )\((?P<day>{one_of(WEEKDAYS)})\)", lambda m: f"({WEEKDAYS[m['day']]})"
                 if re.search(rf"(?:{one_of(own.month_names)}) \Z", text_before(m, 12)) else None),
            rule(r"(?<![\w.,-])(?P<n>[1-9]\d{0,4})-(?P<letter>[А-ЯЁ])(?![\w-])",
                 lambda m: f"{own.cardinal(int(m['n']))} {m['letter']}"),
            rule(r"(?<![\w.,/-])(?P<a>\d{1,2})(?P<mark>[/+])(?P<b>\d{2,4}) ?(?P<unit>[ГТMМ][БбB]|[GT]B)(?![\w/])",
                 self.memory),
            rule(rf"\b(?P<name>{NAMED}) (?P<n>\d{{1,3}}(?:\.\d{{1,3}}){{1,3}})(?![\w/]|[.,:]\d)", self.section),
            rule(r"(?<![\w.,-])(?P<n>\d{1,3}(?: \d{3}){0,2},\d{1,2}) п\.(?! ?[пн]\.)",
                 lambda m: f"{own.counted(m['n'], list(POINTS))}{self.stop(m)}"),
            rule(r"(?P<before>\b(?:[вВ]|[пП]осле|[дД]о|[сС]|[кК]|[оО]коло|по) )(?P<hour>[01]?\d|2[0-3])-00(?![\w-])",
                 lambda m: m["before"] + own.time(int(m["hour"]), 0, None, m)),
            rule(r"(?<![\w.,-])(?P<hour>[01]?\d|2[0-3])-00 ?[-–—] ?(?P<hour2>[01]?\d|2[0-3])-00(?![\w-])",
                 lambda m: f"{own.time(int(m['hour']), 0, None, m)} {own.to} {own.time(int(m['hour2']), 0, None, m)}"),
            rule(r"(?<![\w.,-])(?P<hour>[01]?\d|2[0-4]) ?ч\.? ?(?P<minute>[0-5]?\d) ?м(?:ин)?(?:\.|(?!\w))",
                 lambda m: f"{own.counted(str(int(m['hour'])), own.unit_names['ч'].split('|'))} "
                 f"{own.counted(str(int(m['minute'])), own.unit_names['мин'].split('|'))}{self.stop(m)}"),
            rule(r"(?P<word>(?:\b[тТ]\. ?)?)(?<![\w.,-])(?P<n>(?:\+7|8) ?\(\d{3,5}\) ?\d{1,3}(?:[ -]?\d\d){2})"
                 r"(?![\w-])",
                 self.telephone),
            rule(r"(?<=[а-яё], )(?P<a>[1-9]\d{0,2})/(?P<b>[1-9]\d?)(?![\w/-]|[.,]\d)",
                 lambda m: f"{own.cardinal(int(m['a']))} {own.over} {own.cardinal(int(m['b']))}"
                 if re.search(STREETS, text_before(m, 50)) else None),
            rule(r"(?<![\w.,-])(?P<a>[1-6]\d\d)(?P<b>\d{3})(?=, (?:г\. ?|д\. ?|с\. ?|пос\.|респ|РФ\b|Россия"
                 r"|Москва\b|Санкт-|[А-ЯЁ]"
                 r"[а-яё]+(?:ая|ий|ой|ый) (?:обл|край|респ)))",
                 lambda m: f"{own.digits(m['a'])}, {own.digits(m['b'])}"),
            rule(r"(?<=\b[нН]а )чел\.", lambda m: f"человека{self.stop(m)}"),
            rule(r"(?P<what>\b(?:[Гг]ипертони|[Оо]жог|[Оо]жирени|[Аа]ртроз|[Сс]колиоз|[Пп]лоскостопи|[Мм]иопи|[Дд]иплом|[Гг]рыж"
                 r"|[Нн]едостаточност|[Вв]арикоз|АГ|ХСН|ДН)\w{0,3} )(?P<n>[1-4]|I{1,3}|IV)(?:-й)? ?ст\.",
                 self.degree),
            rule(r"\b(?P<before>[Вв]|[Кк]|[Дд]о|[Пп]осле|[Сс]) (?P<n>1[5-9]\d\d|20[0-4]\d)(?=[,;)](?! ?\d)|\."
                 r"(?!\d)|\s*\Z| (?:он|она|они"
                 r"|я|мы|его|её|их|был[аои]?)\b)",
                 self.year),
            rule(r"(?<![\w.,:-])(?P<minute>\d{1,2}):(?P<second>[0-5]\d) мин/км(?!\w)",
                 lambda m: f"{own.counted(m['minute'], own.unit_names['мин'].split('|'))} "
                 f"{own.counted(str(int(m['second'])), own.unit_names['с'].split('|'))} на километр"),
            rule(r"(?P<head>\b(?:[Пп]арол[ьяюе]м?|[Кк]од(?: доступа)?|[Пп]ин-код|ПИН|PIN|ИНН|КПП|БИК|ОГРН|СНИЛС"
                 r"|[рк]/с|[Аа]ртикул"
                 r"|[Тт]рек-номер|VIN)(?: №)?:? )(?P<n>\d{5,20})(?![\w-]|[.,]\d)",
                 lambda m: re.sub(r"\A[рк]/с", lambda a: ACCOUNTS[a[0]], m["head"]) + own.digits(m["n"])),
            rule(r"(?<=\d )ч\. ?(?=\d{1,2}(?: ?ст\.| [А-ЯЁ]))", "часть"),
            rule(r"(?<=\b[Уу] )№ ?(?=\d)", "номера"),
            rule(r"(?<![\w.,-])(?:(?P<a>\d{1,2}) ?[-–—] ?)?(?P<b>\d{1,2}) ?р\.?/(?P<per>д\.?|день|сут\.?|нед\.?"
                 r"|мес\.?)(?!\w)",
                 self.how_often),
            rule(r"(?<![\w.,'’-])(?P<n>\d{1,3})(?:\+(?P<more>\d{1,2}))?['’′](?![\w'’′])", self.minute),
            rule(rf"\b(?P<before>[Вв]о?|[Нн]а|[Пп]о) (?P<name>{one_of(DAYS)})\.?(?P<comma>,?) (?P<day>0?[1-9]"
                 rf"|[12]\d|3[01])"
                 rf" (?P<month>{one_of(own.month_names)})\b", self.weekday_and_date),
            rule(rf"\b(?P<before>[Зз]а) (?P<unit>{one_of(EACH)})(?![\w²³/])",
                 lambda m: f"{m['before']} {EACH[m['unit']]}{self.stop(m)}"),
            rule(r"(?<![\w.,/-])1 ?(?P<unit>ст\. ?л\.|ч\. ?л\.|табл\.|капс\.|шт\.|уп\.)(?!\w)", self.one_to_take),
            rule(r"(?<![\w*])\*(?P<n>\d{4})(?![\w*])", lambda m: own.digits(m["n"])),
            rule(rf"(?<![\w.,-])(?P<a>\d{{1,4}}) ?[-–—] ?(?P<b>\d{{1,4}}) с(?={own.unit_words['с']})"
                 r"(?: (?P<from>\d{1,2})(?= (?:до|по)))?", self.span_with),
            rule(r"(?<![\w.,-])(?P<n>[1-9])-?к(?:омн?)?\.(?= (?:кв\.|квартир))", self.flat),
            rule(r"(?<![\w.,-])(?P<n>[1-9]\d{0,2}(?: ?\d{3})?)р(?![\w./])",
                 lambda m: own.price(m["n"], "руб.")),
            rule(r"(?<=-й )корп\.", lambda m: f"корпус{self.stop(m)}"),
            rule(r"(?<=\b[вВ] )ауд\. ?(?=\d)", "аудитории"),
            rule(r"(?<![\w.])[сС]\. ?(?=\d+ ?[-–] ?\d)", "страницы"),
            rule(r"(?<![\w.,-])(?P<n>\d{1,4}(?:,\d{1,2})?) ?т(?:ыс)?\.? ?р\.(?!\w)",
                 lambda m: f"{own.scaled(m['n'], 'тыс.')} рублей{self.stop(m)}"),
            rule(r"(?<![\w.,-])(?P<plus>\+?)(?P<n>\d{1,4}(?:,\d{1,2})?)[кk](?![\w-]|\.(?!\s*\Z|\s+[А-ЯЁA-Z]))",
                 self.thousands),
            rule(r"(?<![\w.,-])(?P<n>[2-5])-?дв\.(?= (?P<noun>[а-яё]{3,}))",
                 lambda m: f"{number_words(own.code, int(m['n']), 'cardinal-masculine-genitive')}дверн"
                 f"{DOORS_END.get(m['noun'][-1], 'ый')}"),
            rule(r"(?P<before>\b[Пп]о )тел\.:? ?(?P<n>\d{2,4}(?:-\d{2,3}){0,2})(?![\w-]| ?\d|[.,]\d)",
                 lambda m: f"{m['before']}телефону " + ", ".join(own.digits(n) for n in m["n"].split("-"))),
            rule(r"(?<![\w.,/-])(?:(?P<a>\d{1,2}) ?[-–—] ?)?(?P<n>\d{1,2}(?:,\d)?|1/[2-4]) (?P<kind>ст|ч|стол|чайн)\."
                 r" лож(?P<end>к[аиу]|ек)(?!\w)", self.spoons),
            rule(r"(?<![\w.])лавр\. ?(?=лист(?P<end>|а|ов|ьев|ья|ы|ом)(?!\w))",
                 lambda m: f"лавров{LEAF_ENDS[m['end']]} "),
            rule(r"(?<![\w.,-])(?P<n>\d{1,4}(?:,\d{1,3})?) ?[×·*xх] ?10(?:\^(?P<power>\d{1,2})|"
                 r"(?P<raised>[⁰¹²³⁴-⁹]{1,2}))"
                 r" ?/ ?(?P<per>л|мл|мкл|м³)(?!\w)",
                 lambda m: f"{own.spoken(m['n'])} {own.by_before('', '')} {own.cardinal(10)} {own.power} "
                 f"{own.cardinal(int(m['power'] or m['raised'].translate(RAISED)))} на "
                 f"{own.unit_names[m['per']].split('|')[0]}"),
            rule(rf"(?<![\w.,-])(?P<n>\d{{0,2}}1)(?= (?:{FEMININE_SOFT})\b)", self.one_soft),
            rule(r"(?<![\w.])(?P<first>[Дд])в\.(?= ?\d[.,]\d(?!\d))", r"\g<first>вигатель"),
            rule(r"(?<![\w.])дв\.(?= ?\d)", lambda m: "двор"
                 if re.search(r"\b(?:ул|пер|пр|пл|д)\. ?\w", text_before(m, 30)) else None),
            rule(r"(?<![\w.,-])(?P<n>\d{1,3})(?P<letter>[А-Яа-я]?)(?:/(?P<over>\d{1,2}))?(?P<more>к\d{1,2}"
                 r"(?:с\d{1,2})?|с\d{1,2})(?!\w)", self.building),
            rule(r"(?<![\w.,/-])(?P<day>0?[1-9]|[12]\d|3[01])\.(?P<month>0[1-9]|1[0-2])(?![\w/-]|[.,:]\d)",
                 self.short_date),
            rule(r"(?<![\w.,/-])(?P<hour>[01]?\d|2[0-3])\.(?P<minute>[0-5]\d)(?: ?[-–—] ?(?P<hour2>[01]?\d|2[0-3])"
                 r"\.(?P<minute2>[0-5]\d))?(?![\w/-]|[.,:]\d)(?! ?[-–—] ?\d)", self.dotted_time),
            rule(r"(?<![\w.,-])(?P<n>\d{1,4}(?:,\d)?) ?гр\b\.?", self.gram_or_degree),
            rule(r"(?<=[\"″])[–-](?=\d)", " — "),
            rule(r"(?:(?<=[\d²³₽%.)] )|(?<=[а-яё] ))(?P<sign>[×·÷*])(?= \d)",
                 lambda m: own.divided if m["sign"] == "÷" else "умножить на"),
        )  # fmt: skip

    def stop(self, match: re.Match[str]) -> str:
        return "." if CAPITAL_FOLLOWS.match(match.string, match.end()) else ""

    def fixed(self, match: re.Match[str]) -> str:
        ends = match[0].endswith(".") and not match.string[match.end() :].strip()
        return FIXED[match[0]] + ("." if ends else "")

    def part_of_time(self, match: re.Match[str]) -> str:
        """ "в нач. XX в.": in the case of the preposition."""
        before, part = match["before"], PARTS_OF_TIME[match["part"]]
        case = {"в": 2, "к": 1, "ко": 1}.get(before.casefold(), 0)  # genitive, dative, locative
        if part == "кон":
            return f"{before} {('конца', 'концу', 'конце')[case]}"
        return f"{before} {part}{('ауе' if part == 'начал' else 'ыее')[case]}"

    def memory(self, match: re.Match[str]) -> str:
        unit = {"Г": "ГБ", "G": "ГБ", "Т": "ТБ", "T": "ТБ"}.get(match["unit"][0], "МБ")
        joint = self.own.by if match["mark"] == "/" else self.own.plus
        forms = self.own.unit_names[unit].split("|")
        return f"{self.own.cardinal(int(match['a']))} {joint} {self.own.counted(match['b'], forms)}"

    def building(self, match: re.Match[str]) -> str:
        """A house with its block and building, behind the name of a street."""
        own = self.own
        over = f" {own.over} {own.cardinal(int(match['over']))}" if match["over"] else ""
        said = f"{own.cardinal(int(match['n']))}{' ' + match['letter'] if match['letter'] else ''}{over}"
        for letter, number in re.findall(r"([кс])(\d+)", match["more"]):
            said += f" {'корпус' if letter == 'к' else 'строение'} {own.cardinal(int(number))}"
        return said

    def telephone(self, match: re.Match[str]) -> str:
        said = ", ".join(self.own.digits(group) for group in re.findall(r"\d+", match["n"]))
        plus = f"{self.own.plus} " if match["n"].startswith("+") else ""
        return f"{'телефон ' if match['word'] else ''}{plus}{said}"

    def in_the_course(self, match: re.Match[str]) -> str:
        """ "в теч. 2-3 дн.": both numbers are in the genitive."""
        forms = self.own.unit_names[match["unit"]].split("|")
        first, last = (
            number_words(self.own.code, int(match[name]), "cardinal-masculine-genitive") for name in ("a", "b")
        )
        stop = self.stop(match) if match[0].endswith(".") else ""
        return f"{match['before']} течение {first} — {last} {forms[2]}{stop}"

    def flat(self, match: re.Match[str]) -> str:
        """ "2-комн. кв."; a flat that is sold or sought is in the case of its word."""
        rooms = number_words(self.own.code, int(match["n"]), "cardinal-masculine-genitive").replace("одного", "одно")
        noun = re.match(r" (кв\.|квартир\w*)", text_after(match, 14))
        ends = {"квартиру": "ую", "квартиры": "ой", "квартире": "ой", "квартирой": "ой"}
        return f"{rooms}комнатн{ends.get(noun[1] if noun else '', 'ая')}"

    def how_often(self, match: re.Match[str]) -> str:
        """How often in a day or a week."""
        first = f"{self.own.cardinal(int(match['a']), 'm')} — " if match["a"] else ""
        said = self.own.counted(match["b"], ["раз", "раза", "раз", "раза"])
        per = match["per"].rstrip(".")
        named = {"д": "день", "сут": "сутки", "нед": "неделю", "мес": "месяц"}.get(per, per)
        return f"{first}{said} в {named}{self.stop(match) if match[0].endswith('.') else ''}"

    def minute(self, match: re.Match[str]) -> str:
        """ "18'": of a match, or a time that something takes."""
        own, number, more = self.own, int(match["n"]), match["more"]
        if more:
            return f"{own.cardinal(number)} {own.plus} {own.ordinal(int(more), 'f')} минута"
        if mentions(MATCH, match.string):
            return f"{own.ordinal(number, 'f')} минута"
        return own.counted(match["n"], own.unit_names["мин"].split("|"))

    def weekday_and_date(self, match: re.Match[str]) -> str:
        """A weekday behind a preposition, with its date."""
        months = self.own.month_names
        said = self.own.said_date(int(match["day"]), months.index(match["month"]) + 1, None, " ")
        return f"{match['before']} {DAYS[match['name']][1]}{match['comma']} {said}"

    def one_to_take(self, match: re.Match[str]) -> str | None:
        """ "добавить 1 ч. л.": what the sentence asks for is in the accusative."""
        if not self.asked(match) or re.search(r"\b[Пп]о \Z", text_before(match, 4)):
            return None
        one = self.own.unit_names[re.sub(r"\.(?=\w)", ". ", match["unit"])].split("|")[0]
        said = re.sub(r"ая\b", "ую", re.sub(r"а\b", "у", one))
        return f"одну {said}{self.stop(match)}"

    def spoons(self, match: re.Match[str]) -> str:
        """ "3 ст. ложки": a spoon that is half written out."""
        own = self.own
        forms = own.unit_names["ст. л." if match["kind"][0] == "с" else "ч. л."].split("|")
        if match["n"].startswith("1/"):
            said = own.part_of(1, int(match["n"][2:]), "|".join(forms))
            return re.sub(r"\Aполовина", "половину", said) if self.asked(match) else said
        first = f"{own.cardinal(int(match['a']), 'f')} {own.to} " if match["a"] else ""
        each = re.search(r"\b[Пп]о \Z", text_before(match, 4))
        if match["a"] and (
            each or self.asked(match) or re.search(r"[аеи]ем \Z|[ая]ем \Z|им \Z", text_before(match, 6))
        ):
            first = re.sub(r"\bодна (?=—)", "одной " if each else "одну ", first)
        if match["end"] == "ку":
            return f"одну {forms[0].replace('ая', 'ую')[:-1]}у"
        return first + own.counted(match["n"], forms)

    def one_soft(self, match: re.Match[str]) -> str | None:
        """ "1 морковь": in the accusative where the sentence asks for it."""
        if match["n"].endswith("11"):
            return None
        said = self.own.cardinal(int(match["n"]), "f")
        governed = re.search(r"\b(?:[Вв]|[Нн]а|[Зз]а|[Чч]ерез|[Пп]ро) \Z", text_before(match, 7))
        return re.sub(r"одна\Z", "одну", said) if governed or self.asked(match) else said

    def asked(self, match: re.Match[str]) -> re.Match[str] | None:
        """The verb with which the sentence asks for what follows."""
        sentence = re.split(r"(?<=[а-яё]{2})(?:[.!?]\s(?=[А-ЯЁ\d]|\Z)|:\s)|\n", text_before(match, 200))[-1]
        return re.search(r"[а-яё](?:ьте|йте|ите|ить|ать|ять|еть|ыть)\b", sentence)

    def thousands(self, match: re.Match[str]) -> str | None:
        """ "35к"; of pictures 2, 4 and 8 are names of sizes."""
        if match["n"] in ("2", "4", "5", "8") and mentions(PICTURES, match.string):
            return None
        return f"{self.own.plus + ' ' if match['plus'] else ''}{self.own.scaled(match['n'], 'тыс.')}"

    def span_with(self, match: re.Match[str]) -> str:
        """What follows the span is a preposition, not its unit."""
        own = self.own
        hour = number_words(own.code, int(match["from"]), "cardinal-masculine-genitive") if match["from"] else ""
        return f"{own.cardinal(int(match['a']))} {own.to} {own.cardinal(int(match['b']))} с {hour}".strip()

    def degree(self, match: re.Match[str]) -> str:
        """ "ожог III ст."."""
        number = int(match["n"]) if match["n"].isdecimal() else value(match["n"])
        return f"{match['what']}{self.own.ordinal(number, 'fg')} степени{self.stop(match)}"

    def year(self, match: re.Match[str]) -> str:
        case = {"в": "ml", "к": "md"}.get(match["before"].casefold(), "mg")
        return f"{match['before']} {self.own.ordinal(int(match['n']), case)}"

    def short_date(self, match: re.Match[str]) -> str | None:
        """Decimals have a comma, so "18.03" is a day, unless a name or a measure says otherwise."""
        before, behind = text_before(match, 16), text_after(match, 12)
        if re.search(rf"(?:\b(?:{NAMED}|в|В)|[A-Za-z]\w*|№) ?\Z", before) or re.match(NO_DATE, behind):
            return None
        heading = not text_before(match, 2).strip(" ") and re.match(r" [А-ЯЁA-Z]", behind)
        if heading or re.search(NO_DATE_BEFORE, text_before(match, 40)):
            return None
        return self.own.said_date(int(match["day"]), int(match["month"]), None, before)

    def dotted_time(self, match: re.Match[str]) -> str | None:
        """ "в 9.30", "10.00-19.00"."""
        first = (int(match["hour"]), int(match["minute"]))
        behind = text_after(match, 12)
        if not match["minute2"]:
            dated = rf"(?:\b[вВ]|(?:{one_of(self.own.month_names)}),?) \Z"
            known = re.search(dated, text_before(match, 12)) or match["minute"] == "00"
            if not known or re.match(NO_DATE, behind):
                return None
        if match["minute2"]:
            days = [
                (int(match[hour]), int(match[minute])) for hour, minute in (("hour", "minute"), ("hour2", "minute2"))
            ]
            if all(1 <= month <= 12 for _, month in days) and 0 <= days[1][1] - days[0][1] <= 1:
                before = text_before(match, 4)
                return f" {self.own.to} ".join(self.own.said_date(*day, None, before) for day in days)
        said = self.own.time(*first, None, match)
        if match["minute2"]:
            said += f" {self.own.to} {self.own.time(int(match['hour2']), int(match['minute2']), None, match)}"
        return said

    def gram_or_degree(self, match: re.Match[str]) -> str:
        warm = mentions(WARMTH, match.string)
        forms = "градус|градуса|градусов|градуса" if warm else "грамм|грамма|грамм|грамма"
        return self.own.counted(match["n"], forms.split("|")) + (self.stop(match) if match[0].endswith(".") else "")

    def section(self, match: re.Match[str]) -> str | None:
        """Decimals have a comma, so these numbers are names."""
        known = {"п.": "пункт", "рис.": "рисунок", "табл.": "таблица", "разд.": "раздел", "§": "параграф"}
        name = known.get(match["name"], match["name"])
        parts = match["n"].split(".")
        said = f" {self.own.dot} ".join(self.own.whole(part) for part in parts)
        return f"{name} {said}"
