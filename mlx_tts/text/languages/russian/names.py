"""Russian abbreviations beside names, of a town, an avenue and of whom a thing is named after -> their words."""

from __future__ import annotations

import re

from mlx_tts.text.languages.russian.governed import CAPITAL_FOLLOWS, last_stop
from mlx_tts.text.normalise.engine import rule, text_after, text_before

# Whose name such a thing may bear, and what a verb looks like: "театр им. Пушкина", but "Я помог им. Потом".
BEARS_A_NAME = re.compile(
    r"(?:\b(?:(?:[Кк]ино)?[Тт]еатр|[Мм]узе|[Шш]кол|[Гг]имнази|[Лл]ице|[Кк]олледж|[Тт]ехникум|[Уу]чилищ|[Пп]арк"
    r"|[Сс]ад[ауе]?\b"
    r"|[Зз]авод|[Фф]абрик|[Кк]омбинат|[Уу]ниверситет|[Ии]нститут|[Аа]кадеми|[Бб]иблиотек|[Бб]ольниц|[Гг]оспитал"
    r"|[Кк]линик|[Сс]тадион|[Аа]эропорт|[Вв]окзал|[Сс]танци|[Мм]етро|[Уу]лиц|[Пп]лощад|[Бб]ульвар|[Нн]абережн|[Кк]анал"
    r"|[Мм]ост|[Кк]олхоз|[Сс]овхоз|[Шш]ахт|[Кк]онсерватори|[Фф]илармони|[Цц]ирк|[Кк]иностуди|[Гг]алере|[Дд]вор[ец]"
    r"|[Дд]ом[ауе]?\b|[Кк]луб|[Цц]ентр|[Фф]онд|[Пп]реми|[Оо]рден|[Мм]едал|[Сс]типенди|[Кк]онкурс|[Фф]естивал|[Тт]урнир"
    r"|[Кк]уб[ко]|[Мм]емориал|[Хх]ор[ауе]?\b|[Оо]ркестр|[Аа]нсамбл|[Кк]апелл|[Бб]ригад|[Дд]ивизи|[Пп]олк|[Лл]едокол"
    r"|[Пп]ос[её]л|[Оо]бсерватори|[Лл]аборатори|[Зз]ал[ауе]?\b|[Сс]цен|[Лл]агер|[Сс]анатори|[Бб]аз[аеуы]\b)|[А-ЯЁ]{2})"
)
LIKE_A_VERB = re.compile(r"(?:л|ла|ло|ли|лся|лась|лись|лось|ть|ти|ться|ете|ешь|ишь|ют|ят|ит|[ую])\s+\Z")
# One of them: the genitive of an animate noun, which is the accusative as well.
MEN_OF_ONE = (
    "студента|друга|человека|мальчика|реб[её]нка|пассажира|пациента|сотрудника|врача|учителя|участника|игрока|солдата|"
    "водителя|брата|сына|отца|мужа|коллеги|клиента|гостя|кота|коня|тренера|ученика|покупателя|продавца|эксперта|автора"
)
# What ends so is no singular, but for a few nouns.
GENITIVE_PLURALS = (
    "ок|ек|иц|человек|ств|щин|шин|тысяч|недель|секунд|минут|книг|"
    "стран|команд|групп|школ|комнат|тонн|игр|побед|картин|суток"
)
MEN_ALONE = (
    "урок|срок|рынок|кусок|звонок|значок|игрок|блок|поток|участок|список|порядок|звонок|подарок|ребёнок|ребенок|щенок|"
    "кот[её]нок|бросок|рывок|глоток|росток|носок|платок|сок|ток|рок|бок|век|чек|восток|отрывок|снимок|рисунок"
)


def named_after(match: re.Match[str]) -> str | None:
    """What bears a name stands before it, in the same sentence; "им." is "to them" elsewhere."""
    before = re.split(r"[.!?]\s", text_before(match, 70))[-1]
    last = before.split()[-1] if before.split() else ""
    behind = text_after(match, 24)
    if re.match(r" ?[А-ЯЁ]\. ?(?:[А-ЯЁ]\. ?)?[А-ЯЁ][а-яё]", behind) and not LIKE_A_VERB.search(before):
        return "имени"
    if not BEARS_A_NAME.match(last) and (LIKE_A_VERB.search(before) or not BEARS_A_NAME.search(before)):
        return None
    return "имени"


TITLES = {"проф": "профессор", "акад": "академик", "доц": "доцент", "арх": "архитектор", "реж": "режиссёр"}
OF_WHOM = re.compile(
    r"\b(?:[Пп]о (?:оценк[еа]м?|словам|мнению|данным|верси[ия]|подсч[её]там|заявлению|методу|методике|теории"
    r"|проекту|чертежам)"
    r"|[Уу]|[Оо]т|[Дд]ля|[Ии]з|[Бб]ез|[Пп]од (?:руководством|редакцией|началом)|под ред\.|[Сс]о слов"
    r"|[Лл]екци[яиюей]|[Мм]нени[еяю]|[Гг]рупп[аыуе]|[Кк]оманд[аыуе]|[Лл]аборатори[яию]|[Кк]ниг[аиуе]"
    r"|[Сс]тать[яиюе]|[Дд]оклад[ауе]?|[Кк]абинет[ауе]?) \Z"
)


def titled(match: re.Match[str]) -> str:
    """A title before a name, in the case of the words before it."""
    before, word = text_before(match, 28), TITLES[match["title"]]
    if re.match(r" (?:[А-ЯЁ]\. ?){0,2}[А-ЯЁ][а-яё]+(?:ом|ем|ым|им)\b", text_after(match, 40)):
        return f"{word}ом"
    if OF_WHOM.search(before):
        return f"{word}а"
    if re.search(r"\b[Кк] \Z", before):
        return f"{word}у"
    if re.search(r"\b[Оо]б? \Z", before):
        return f"{word}е"
    return f"{word}ом" if re.search(r"\b[Сс]о? \Z", before) else word


# What "см." asks to see.
SEEN = {"стр": "страницу", "с": "страницу", "табл": "таблицу", "гл": "главу", "ст": "статью"}
# "1/2 часа"; genitives have a rule of their own.
HALVES = {"часа": "полчаса", "ч": "полчаса", "года": "полгода", "минуты": "полминуты", "дня": "полдня",
          "стакана": "полстакана", "литра": "пол-литра", "километра": "полкилометра",
          "таблетки": "полтаблетки", "метра": "полметра"}  # fmt: skip


# A noun before the town is of it, where the town's name is no nominative.
OF_A_TOWN = re.compile(r"\b(?!адрес)[А-ЯЁ]?[а-яё]{3,20}(?<!ется)(?<!ится)(?<!лся)(?<!лась) \Z")
NOMINATIVE_TOWN = re.compile(
    r" ?(?:Москва|Тула|Пенза|Калуга|Самара|Уфа|Чита|Рига|Вологда|Кострома|Казань|Рязань|Пермь|Тверь|Тюмень|Элиста"
    r"|Астана|Алма-Ата|Ялта|Анапа|Одинцово|[А-ЯЁ][а-яё]*(?:град|бург|ск|мск|поль|ов|ев|ин|дар|ль|рь))\b"
)


def city(match: re.Match[str]) -> str | None:
    """Behind a number it is a year or a gram."""
    before = text_before(match, 4)
    if re.search(r"\d ?\Z", before):
        return None
    if re.search(r"\b(?:[оО]т|[иИ]з|[дД]о|[уУ]|[дД]ля) \Z", before):
        return "города"
    if re.search(r"\b(?:[кК]|[пП]о) \Z", before):
        return "городу"
    if re.search(r"\b(?:[нН]ад|[пП]од|за) \Z", before):
        return "городом"
    if OF_A_TOWN.search(text_before(match, 24)) and not NOMINATIVE_TOWN.match(text_after(match, 16)):
        return "города"
    return "городе" if re.search(r"\b[вВ] \Z", before) else "город"


DAYS = {"пн": ("понедельник", "понедельник", "понедельника"), "вт": ("вторник", "вторник", "вторника"),
        "ср": ("среда", "среду", "среды"), "чт": ("четверг", "четверг", "четверга"),
        "пт": ("пятница", "пятницу", "пятницы"), "сб": ("суббота", "субботу", "субботы"),
        "вс": ("воскресенье", "воскресенье", "воскресенья")}  # fmt: skip


def weekday(match: re.Match[str]) -> str:
    """A weekday without a full stop, in the case of the preposition."""
    before = text_before(match, 7)
    case = 1 if re.search(r"\b(?:[вВ]о?|[нН]а|[пП]о) \Z", before) else 0
    until = re.search(r"\b[Сс]о? [а-яё]{2,12}\.? по \Z", text_before(match, 20))
    if re.search(r"\b[пП]о \Z", before) and not until:
        each = DAYS[match[0].rstrip(".")][2]
        return f"{each}м" if each[-1] in "ая" else f"{each[:-1]}ам"
    return DAYS[match[0].rstrip(".")][2 if re.search(r"\b(?:[Кк]роме|до|со?|после|от) \Z", before) else case]


SHORT_DAY = r"(?:[Пп]н|[Вв]т|[Сс]р|[Чч]т|[Пп]т|[Сс]б|[Вв]с)\b\.?"


def weekdays(match: re.Match[str]) -> str:
    """Short names of days in a row, in the case of the preposition before them."""
    before = text_before(match, 7)
    case = 1 if re.search(r"\b(?:[вВ]о?|[нН]а|[пП]о) \Z", before) else 0
    case = 2 if re.search(r"\b(?:[Кк]роме|до|со?|после|от) \Z", before) else case
    often = re.search(r"\b[пП]о \Z", before)  # each of these days
    ends = match[0].endswith(".") and CAPITAL_FOLLOWS.match(match.string, match.end())

    def said(day: re.Match[str]) -> str:
        forms = DAYS[day[0].rstrip(".").lower()]
        if often:
            return f"{forms[2]}м" if forms[2][-1] in "ая" else f"{forms[2][:-1]}ам"
        return forms[case].capitalize() if day[0][0].isupper() else forms[case]

    return re.sub(SHORT_DAY, said, match[0]) + ("." if ends else "")


def kilometre(match: re.Match[str]) -> str:
    """Behind an ordinal, in its case: "на 120-м км", "между 120-м и 128-м км"."""
    before = text_before(match, 28)
    end = before.rstrip().rpartition("-")[2]
    if end == "м" and re.search(r"\b[Мм]ежду \d+-м и \d+-м \Z", before):
        return "километрами"
    if end == "м" and re.search(r"\b(?:[Зз]а|[Пп]еред|[Нн]ад|[Пп]од|[Сс]о?) \d+-м \Z", before):
        return "километром"
    return {"м": "километре", "го": "километра", "му": "километру"}.get(end, "километр")


NAME_RULES = (
    rule(
        r"\b(?P<from>[Сс]о?) (?P<a>пн|вт|ср|чт|пт|сб|вс)\b\.? по (?P<b>пн|вт|ср|чт|пт|сб|вс)\b"
        r"(?:\.(?= [а-я\d(]|[,;)]))?",
        lambda m: f"{m['from']} {DAYS[m['a']][2]} по {DAYS[m['b']][1]}",
    ),
    rule(
        r"(?:(?<=\bв )|(?<=\bВ )|(?<=\bво )|(?<=\bна )|(?<=\bкроме )|(?<=\bдо )|(?<=\bпосле ))(?:пн|вт|ср|чт|пт"
        r"|сб|вс)\b",
        weekday,
    ),
    rule(
        r"(?<![\w.])[Ээ]л\. ?(?=почт(?P<end>а|ы|е|у|ой)\b)",
        lambda m: f"{m[0][0]}лектронн{ {'а': 'ая', 'у': 'ую'}.get(m['end'], 'ой') } ",
    ),
    rule(r"(?:(?<=словам )|(?<=\bу )|(?<=\bот ))зам\.(?= [а-яё])", "заместителя"),
    # A building beside the number of a house.
    rule(
        r"(?:(?<=\d, )|(?<=\d[А-Яа-яё], )|(?<=\d ))стр\.(?= \d)",
        lambda m: (
            "строение"
            if re.search(
                r"(?:ул\.|пр-т|просп|пр\.|пер\.|\bд\.|\bвл\.|корп|шоссе|\bш\.|наб\.|б-р|мкр|пр-д|\bк\.)",
                text_before(m, 50),
            )
            else None
        ),
    ),
    rule(
        r"(?:(?<=\bсо )|(?<=\bс )|(?<=\bна )|(?<=\bв )|(?<=\bдо )|(?<=\bпо )|(?<=\bкроме )|(?<=\bКроме ))(?:пн"
        r"|вт|ср|чт|пт|сб"
        r"|вс)\.(?=[ ,;)]|\Z)",
        lambda m: weekday(m) + ("." if CAPITAL_FOLLOWS.match(m.string, m.end()) else ""),
    ),
    # The pages of a range.
    rule(r"(?<![\w.])[Сс]тр\.(?= ?\d+ ?[-–] ?\d)", lambda m: f"{m[0][0]}траницы"),
    rule(r"(?<=\b[пП]о )тел\.", "телефону"),
    rule(
        r"(?:(?<=диабет )|(?<=диабета )|(?<=диабетом )|(?<=СД ))(?P<n>[12])(?: |-го )типа\b",
        lambda m: f"{'первого' if m['n'] == '1' else 'второго'} типа",
    ),
    rule(r"(?<=\b[Сс] )чел\.", lambda m: f"человека{last_stop(m)}"),
    rule(r"(?<![\w.])корп\.(?= ?[А-ЯЁ](?!\w|\.\w))", "корпус"),
    rule(r"(?<![\w.])(?P<d>[Дд])еп\.(?= (?:[А-ЯЁ]\. ?){1,2}[А-ЯЁ][а-яё]+(?<!а)(?<!ой)\b)", r"\g<d>епутат"),
    rule(r"(?<![\w.])(?P<a>[Аа])рт\.(?=:? ?\d)", r"\g<a>ртикул"),
    rule(r"(?<![\w.])внутр\.(?= номер)", "внутренний"),
    rule(r"(?<=огласно )ст\. ?(?=\d{1,4} ?[-–] ?\d)", "статьям "),
    rule(r"(?:(?<=\d )|(?<=\d))с\. ?г\.(?= [а-яё]|[,;)])", "сего года"),
    rule(r"(?<![\w.])(?P<r>[Рр])азм\.(?= (?:[XХSМMLЛ\d]))", r"\g<r>азмер"),
    rule(r"(?<![\w.])(?P<i>[Ии])нж\.(?= [А-ЯЁ])", r"\g<i>нженер"),
    rule(
        r"(?<![\w.])(?P<a>[Аа])тм\.(?= давлени(?P<end>е|я|ю|ем|и)\b)",
        lambda m: f"{m['a']}тмосферно{ {'е': 'е', 'я': 'го', 'ю': 'му', 'ем': 'м', 'и': 'м'}[m['end']] }",
    ),
    rule(r"(?<=\d евро в )сут\.|(?<=₽ в )сут\.|(?<=руб\. в )сут\.", "сутки"),
    rule(
        r"(?<![\w.])(?P<a>[сю])\.-(?P<b>[зв])\.(?=[,;)]| \d| [а-яё])",
        lambda m: (
            f"{'северо' if m['a'] == 'с' else 'юго'}-{'западный' if m['b'] == 'з' else 'восточный'}"
            if re.search(r"[Вв]етер\b[^.!?]{0,30}\Z", text_before(m, 40))
            else None
        ),
    ),
    rule(r"(?<![\w.])(?P<title>проф|акад|доц|арх|реж)\.(?= (?:[А-ЯЁ]\. ?){0,2}[А-ЯЁ][а-яё]+)", titled),
    rule(
        rf"(?<![\w.])(?P<s>[Сс])м\. (?P<what>{'|'.join(SEEN)})\.(?= ?\d+(?! ?[-–,] ?\d| и \d))",
        lambda m: f"{m['s']}мотри {SEEN[m['what']]}",
    ),
    rule(rf"(?<![\w.,/-])(?:1/2|½) ?(?P<noun>{'|'.join(HALVES)})(?!\w|\. ?л)", lambda m: HALVES[m["noun"]]),
    rule(r"(?<=\b[вВ] )каб\.(?= ?\d)", "кабинете"),
    rule(r"(?<![\w.])оф\.(?= ?\d)", lambda m: "офисе" if re.search(r"\b[вВ] \Z", text_before(m, 3)) else "офис"),
    # Days in a row are all in the case of the preposition.
    rule(rf"(?<![\w.]){SHORT_DAY}(?:(?:,|,? и|,? или) {SHORT_DAY}){{1,6}}(?!\w)", weekdays),
    rule(r"(?<=-[йя] )км\b|(?<=-м )км\b|(?<=-го )км\b|(?<=-му )км\b", kilometre),
    rule(r"(?<![\w.])С\.(?:-| ?)(?=Петербург)", "Санкт-"),
    rule(
        r"(?<![\w.])Н\. ?(?=Новгород(?P<end>а|у|ом|е|)\b)",
        lambda m: f"Нижн{ {'а': 'его', 'у': 'ему', 'ом': 'им', 'е': 'ем', '': 'ий'}[m['end']] } ",
    ),
    rule(r"(?<!\d )(?<![\w.])м\.(?= ?(?:[«\"“„][А-ЯЁ]|[А-ЯЁ][а-яё]{2,}))", "метро"),
    rule(r"(?<![\w.])им\.(?= ?(?:[А-ЯЁ]|\d))", named_after),
    rule(r"(?<![\w.])г\.(?= [А-ЯЁ][а-яё]+)", city),
    rule(r"(?<![\w.])пр\.(?= [А-ЯЁ])", "проспект"),
    rule(r"(?<=[а-яё]ий )пр\.(?=,)", "проспект"),
    rule(r"(?<=[а-яё]ое )ш\.(?=,| |\s*\Z)", "шоссе"),
    rule(
        r"(?<![\w.])ст\. ?м\.(?= ?[«\"“„А-ЯЁ])",
        lambda m: (
            "станции метро"
            if re.search(
                r"\b(?:[уУ]|[оО]т|[дД]о|[сС]|[кК]|[нН]а|[вВ]озле|[оО]коло|[Рр]-не?|[Рр]айоне?) \Z", text_before(m, 8)
            )
            else "станция метро"
        ),
    ),
    rule(
        r"(?<![\w.])ур\. ?моря\b",
        lambda m: "уровнем моря" if re.search(r"\b[нН]ад \Z", text_before(m, 5)) else "уровня моря",
    ),
)
