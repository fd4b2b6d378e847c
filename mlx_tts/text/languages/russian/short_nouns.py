"""Russian nouns that are cut short ("в окт.", "кол-во", "оз. Байкал", "Ленинградская обл.") -> words in their case."""

from __future__ import annotations

import re
from functools import partial

from mlx_tts.text.languages.russian.governed import last_stop
from mlx_tts.text.normalise.engine import Rule, one_of, rule, text_before
from mlx_tts.text.normalise.european import European
from mlx_tts.text.roman import value

# With a hyphen or a slash in them these are no words.
CONTRACTED = {
    "кол-во": "количество", "кол-ва": "количества", "кол-ве": "количестве", "кол-вом": "количеством",
    "кач-во": "качество", "кач-ва": "качества", "изд-во": "издательство", "изд-ва": "издательства",
    "изд-ве": "издательстве", "гос-во": "государство", "гос-ва": "государства", "гос-ве": "государстве",
    "об-во": "общество", "об-ва": "общества", "общ-во": "общество", "общ-ва": "общества", "хоз-во": "хозяйство",
    "хоз-ва": "хозяйства", "пр-ва": "производства", "мин-ва": "министерства", "мин-ве": "министерстве",
    "ин-т": "институт", "ин-та": "института", "ин-те": "институте", "ун-т": "университет", "ун-та": "университета",
    "ун-те": "университете", "р-на": "района", "р-не": "районе", "р-ну": "району", "пр-та": "проспекта",
    "пр-те": "проспекте", "пр-ту": "проспекту", "б-р": "бульвар", "б-ра": "бульвара", "б-ре": "бульваре",
    "д-ру": "доктору", "д-ром": "доктором", "ф-т": "факультет", "ф-та": "факультета", "ф-те": "факультете",
    "б-ка": "библиотека", "б-ки": "библиотеки", "б-ке": "библиотеке", "темп-ра": "температура",
    "темп-ры": "температуры", "темп-ре": "температуре", "т-ра": "температура", "т-ре": "температуре",
    "кв-ра": "квартира", "кв-ры": "квартиры", "кв-ре": "квартире", "кв-ру": "квартиру", "г-ном": "господином",
    "г-жой": "госпожой", "а/я": "абонентский ящик", "з/п": "зарплата", "д/з": "домашнее задание",
    "и мн. др.": "и многие другие", "под ред.": "под редакцией", "прим. ред.": "примечание редактора",
    "прим. пер.": "примечание переводчика", "прим. авт.": "примечание автора", "л. д.": "лист дела",
    "Год рожд.": "Год рождения", "год рожд.": "год рождения", "Дата рожд.": "Дата рождения",
    "дата рожд.": "дата рождения", "на душу нас.": "на душу населения", "с/у": "санузел", "т. наз.": "так называемый",
}  # fmt: skip
MONTHS = {"янв": 1, "фев": 2, "февр": 2, "мар": 3, "апр": 4, "июн": 6, "июл": 7, "авг": 8, "сен": 9, "сент": 9,
          "окт": 10, "ноя": 11, "нояб": 11, "дек": 12}  # fmt: skip
DAYS = {"пон": ("понедельник", "понедельник"), "вторн": ("вторник", "вторник"), "вт": ("вторник", "вторник"),
        "пн": ("понедельник", "понедельник"), "ср": ("среда", "среду"), "чт": ("четверг", "четверг"),
        "пт": ("пятница", "пятницу"), "сб": ("суббота", "субботу"), "вс": ("воскресенье", "воскресенье"),
        "четв": ("четверг", "четверг"), "пятн": ("пятница", "пятницу"), "субб": ("суббота", "субботу"),
        "воскр": ("воскресенье", "воскресенье")}  # fmt: skip
# Nominative, genitive, dative, ablative, locative, accusative.
PLACES = {
    "оз.": ("озеро", "озера", "озеру", "озером", "озере", "озеро"),
    "р.": ("река", "реки", "реке", "рекой", "реке", "реку"),
    "пл.": ("площадь", "площади", "площади", "площадью", "площади", "площадь"),
    "наб.": ("набережная", "набережной", "набережной", "набережной", "набережной", "набережную"),
    "мкр.": ("микрорайон", "микрорайона", "микрорайону", "микрорайоном", "микрорайоне", "микрорайон"),
    "респ.": ("республика", "республики", "республике", "республикой", "республике", "республику"),
    "Респ.": ("Республика", "Республики", "Республике", "Республикой", "Республике", "Республику"),
    "дер.": ("деревня", "деревни", "деревне", "деревней", "деревне", "деревню"),
    "обл.": ("область", "области", "области", "областью", "области", "область"),
}  # fmt: skip
GOVERNED = (
    (r"[Ии]з|[Оо]т|[Дд]о|[Уу]|[Сс]о?|[Дд]ля|[Вв]озле|[Оо]коло|[Вв]близи|[Бб]ерег\w*|[Вв]од\w+|[Тт]ерритори\w+", 1),
    (r"[Кк]о?", 2),
    (r"[Нн]ад|[Зз]а|[Пп]еред|[Мм]ежду", 3),
    (r"[Вв]о?|[Нн]а|[Оо]б?|[Пп]ри", 4),
)
INCLUDED = {
    "завтрак|ужин|обед|багаж|интернет|трансфер|бензин|монтаж|НДС|налог|сервис": "включён",
    "доставка|парковка|страховка|уборка|установка|комиссия|упаковка|экскурсия|виза": "включена",
    "вс[её]|питание|топливо|обслуживание|проживание": "включено",
    "налоги|сборы|напитки|билеты|чаевые|завтраки|коммунальные": "включены",
}


PARTS_OF_A_TIME = {"сер": ("середина", "середины"), "нач": ("начало", "начала"), "кон": ("конец", "конца")}


def part_of_a_time(match: re.Match[str]) -> str:
    """ "хроника кон. XIII в.": behind a noun in the genitive."""
    said = PARTS_OF_A_TIME[match["part"].lower()][bool(re.search(r"[а-яё]{3} \Z", text_before(match, 4)))]
    return said.capitalize() if match["part"][0].isupper() else said


def place(match: re.Match[str]) -> str:
    """Behind a preposition, in its case."""
    forms, before = PLACES[match["word"]], text_before(match, 14)
    if match["word"] == "р." and re.search(r"наб(?:\.|ережн\w+) \Z", before):
        return forms[1]
    for words, case in GOVERNED:
        if re.search(rf"\b(?:{words}) \Z", before):
            return forms[case]
    return forms[0]


def region(match: re.Match[str]) -> str:
    """ "в Ленинградской обл.": the adjective shows the case."""
    forms = PLACES["обл."]
    return {"ая ": forms[0], "ую ": forms[5]}.get(text_before(match, 3), forms[1]) + last_stop(match)


def contracted(match: re.Match[str]) -> str:
    short = match[0]
    said = CONTRACTED.get(short) or CONTRACTED[short[0].lower() + short[1:]].capitalize()
    return said if short.endswith("ред.") else said + last_stop(match)


def month_rule_words(own: European, match: re.Match[str]) -> str | None:
    """ "в окт.", "до янв.": by the preposition."""
    before = match["before"]
    name = own.month_names[MONTHS[match["month"].lower()] - 1]  # the genitive
    case = before.lower().split()[-1]
    if case in ("в", "во"):
        name = f"{name[:-1]}е"
    elif case in ("к", "ко"):
        name = f"{name[:-1]}{'у' if name[-1] == 'а' else 'ю'}"
    elif case in ("по", "на", "за"):
        name = name[:-1] if name[-1] == "а" else f"{name[:-1]}ь"
    said = f"{before} {name}"
    if match["year"]:
        return f"{said} {own.ordinal(int(match['year']), 'mg')} года{last_stop(match)}"
    return said + last_stop(match)


def months_rule_words(own: European, match: re.Match[str]) -> str:
    """ "янв.-март": several months, in the locative behind a preposition."""
    said = []
    for short in (match["a"], match["b"].rstrip(".")):
        number = MONTHS.get(short.lower())
        name = own.month_names[number - 1] if number else own.month_names[own.month_numbers[short.lower()] - 1]
        end = "е" if match["before"] else "" if name[-1] == "а" else "й" if name == "мая" else "ь"
        said.append(name[:-1] + end)
    before = f"{match['before']} " if match["before"] else ""
    return f"{before}{said[0]} — {said[1]}{last_stop(match)}"


def included(match: re.Match[str]) -> str | None:
    before = text_before(match, 24)
    counted = re.search(r"(\w+) (?:до )?\d+ ?(?:кг|л|шт\.) \Z", before)
    word = counted[1] if counted else before.rstrip().rpartition(" ")[2].lstrip("(«")
    for nouns, said in INCLUDED.items():
        if re.fullmatch(nouns, word, re.IGNORECASE):
            return said + last_stop(match)
    dated = re.search(r"\b(?:по|до) (?:\d[\d.]* ?[а-яё]{0,8}\.?|[а-яё]+) \Z", text_before(match, 24))
    return f"включительно{last_stop(match)}" if dated else None


def weekday(match: re.Match[str]) -> str:
    """A day with its hours, and "в пятн."."""
    name = match["day"].lower()
    accusative = re.search(
        r"\b(?:[Вв]о?|[Нн]а) (?:(?:пон|вторн|ср|четв|пятн|субб)\.(?:,| и|, и) ){0,4}\Z", text_before(match, 40)
    )
    said = DAYS[name][1 if accusative else 0]
    return (said.capitalize() if match["day"][0].isupper() else said) + last_stop(match)


def half(own: European, match: re.Match[str]) -> str:
    """The first or second half of a century or year, in the case of the preposition."""
    before = match["before"] or ""
    located = before.lower() in ("в", "во", "к", "ко")
    form = "fg" if located or before else "f"
    noun = "половине" if located else "половины" if before else "половина"
    return f"{before} {own.ordinal(len(match['n']), form)} {noun}".lstrip()


def noun_rules(own: European) -> tuple[Rule, ...]:
    short = one_of(MONTHS)
    full = "январь|февраль|март|апрель|май|июнь|июль|август|сентябрь|октябрь|ноябрь|декабрь"
    days = "пн|вт|ср|чт|пт|сб|вс|Пн|Вт|Ср|Чт|Пт|Сб|Вс"

    return (
        rule(rf"(?<![\w./-])(?:{one_of([*CONTRACTED, *(key.capitalize() for key in CONTRACTED if '-' in key)])})"
             r"(?![\w/-])(?!\.\w)", contracted),
        rule(rf"\b(?P<before>[Вв]о?|[Кк]о?|[Сс]о?|[Дд]о|[Оо]т|[Пп]о|[Нн]а|[Зз]а|[Пп]осле|конец|конца|конце|концу|начал[оеау]"
             rf"|середин[аеуы]|итоги|[Сс]) (?P<month>{short})\.(?: (?P<year>[12]\d{{3}})(?: ?(?:г\.|года))?)?(?![\w-])",
             partial(month_rule_words, own)),
        rule(rf"(?:\b(?P<before>[Вв]) )?(?<![\w.])(?P<a>{short})\. ?[-–—] ?(?P<b>(?:{short})\.|{full})(?!\w)",
             partial(months_rule_words, own)),
        rule(r"(?<=[А-ЯЁа-яё] )вкл\.(?!\w)", included),
        rule(r"(?:(?<=\) )|(?<=\d ))вкл\.(?!\w)",
             lambda m: f"включительно{last_stop(m)}"
             if re.search(r"\b(?:по|до) [\d.]+ \Z", text_before(m, 16)) else None),
        rule(r"(?:(?<=, )|(?<=\())вкл\.(?= [а-яёА-ЯЁ])", "включая"),
        rule(rf"(?<![\w.–—-])(?P<day>{days})\.?(?=:? (?:до|с|со|после|от) \d{{1,2}}(?:[:.]\d\d)?(?!\d)(?! (?:рис|табл))"
             rf"|:? (?:в )?\d{{1,2}}[:.]\d\d(?!\d)|: ?\d| (?:— )?(?:выходн|закрыт|нерабоч)"
             rf"| (?:утром|вечером|дн[её]м|ночью)\b)",
             weekday),
        rule(r"(?<![\w.])(?P<day>пон|вторн|четв|пятн|субб|воскр)\.(?!\w)", weekday),
        rule(r"(?<!\d )(?<![\w.])(?P<word>оз\.|р\.|пл\.|наб\.|мкр\.|[Рр]есп\.|дер\.)"
             r"(?= (?:[А-ЯЁ][а-яё]{2,}|реки|р\. [А-ЯЁ]))",
             place),
        rule(r"(?:(?<=ская )|(?<=ской )|(?<=скую ))обл\.(?!\w)", region),
        rule(r"(?:(?<=-м )|(?<=-й )|(?<=-го ))эт\.(?!\w)", lambda m: {
            "м": "этаже", "й": "этаж", "о": "этажа"}[m.string[m.start() - 2]] + last_stop(m)),
        rule(r"(?:(?<=-я )|(?<=-й )|(?<=-ю ))пол\.(?= (?:[IVX]|\d|дня|века|месяца|года|[а-яё]+(?:я|а)\b))",
             lambda m: {"я": "половина", "ю": "половину"}.get(
                 m.string[m.start() - 2],
                 "половине" if re.search(r"\b(?:[Вв]о?|[Кк]о?) \d+-й \Z", text_before(m, 9)) else "половины")),
        rule(r"(?<![\w.])(?P<part>[Сс]ер|[Нн]ач|[Кк]он)\.(?= (?:[IVX]{1,5} в|\d{4}-х|\d\d-х))",
             part_of_a_time),
        rule(r"(?P<head>\b[а-яё]{3,} )(?P<a>сер|нач|кон)\. (?P<n>[IVX]{1,5}) ?[—–-] ?(?P<b>сер|нач|кон)\. "
             r"(?P<last>[IVX]{1,5}) вв?\.",
             lambda m: f"{m['head']}{PARTS_OF_A_TIME[m['a']][1]} {own.ordinal(value(m['n']), 'mg')} — "
             f"{PARTS_OF_A_TIME[m['b']][1]} {own.ordinal(value(m['last']), 'mg')} века{last_stop(m)}"),
        rule(r"(?:(?<=ой )|(?<=след\. )|(?<=прош\. )|(?<=прошл\. ))нед\.(?!\w)",
             lambda m: ("неделе" if re.search(r"\b[Нн]а \S+ \Z", text_before(m, 14)) else "недели") + last_stop(m)),
        rule(r"(?:(?<=англ\. )|(?<=нем\. )|(?<=рус\. )|(?<=франц\. )|(?<=исп\. )|(?<=иностр\. ))яз\.(?!\w)",
             lambda m: f"язык{last_stop(m)}"),
        rule(r"(?<=\b[Зз]а )посл\.(?= \d)", "последние"),
        rule(r"(?<=», )стр\.(?= \d)", lambda m: "строение"
             if re.search(r"(?:[Цц]ентр|\bБЦ|\bТЦ|[Зз]авод) «[^»]{1,30}», \Z", text_before(m, 44)) else None),
        rule(r"(?<=\b[Вв] )пер\.(?= № ?\d)", "переговорной"),
        rule(r"(?<![\w.])(?P<v>[Вв])зр\.(?= ?[—–:]| \d)", r"\g<v>зрослый"),
        rule(r"(?<![\w.])(?P<d>[Дд])ет\.(?= ?[—–:]| \d)", r"\g<d>етский"),
        rule(r"(?<=\b[Сс] )др(?![\w.])", "днём рождения"),
        rule(r"(?<![\w.])(?P<n>[Нн])еск\.(?= [а-яё]+?(?P<end>ах|ях|ам|ям|ами|ями)?\b)",
             lambda m: f"{m['n']}ескольки{ {'х': 'х', 'м': 'м', 'и': 'ми'}[m['end'][-1]] }" if m["end"]
             else f"{m['n']}есколько"),
        rule(r"(?<=\b[Бб]ез )вых\.", lambda m: f"выходных{last_stop(m)}"),
        rule(r"(?<=\b[Вв] )вых\.", lambda m: f"выходные{last_stop(m)}"),
        rule(r"(?<=\b[Пп]о )вых\.", lambda m: f"выходным{last_stop(m)}"),
        rule(r"(?:(?<=конца )|(?<=начала )|(?<=середины )|(?<=концу ))нед\.(?!\w)", lambda m: f"недели{last_stop(m)}"),
        rule(r"(?<![\w.])(?P<r>[Рр])аб\.(?=:? ?(?:\d{1,4}-\d\d|\d{5}|\+\d|8 |тел))", r"\g<r>абочий"),
        rule(r"(?<![\w.])кн\.(?= [А-ЯЁ][а-яё]+?(?P<end>[аяуюем]|ом|ем)?\b)", lambda m: {
            "а": "князя", "я": "князя", "у": "князю", "ю": "князю", "м": "князем"}.get((m["end"] or " ")[-1], "князь")),
        rule(r"(?<=\b[Вв] )хол\.(?! вод)(?!\w)", lambda m: f"холодильнике{last_stop(m)}"),
        rule(r"(?<=\b[Вв] )хол\.(?= воде)", "холодной"),
        rule(r"(?<=\b[Вв] )д\. ?(?=\d)", "доме "),
        rule(r"(?<=\b[Нн]а )с\. ?(?=\d)", "странице "),
        rule(r"(?<![\w.])(?P<a>Пн|Вт|Ср|Чт|Пт|Сб|Вс) и (?P<b>пн|вт|ср|чт|пт|сб|вс)(?![\w.])",
             lambda m: f"{DAYS[m['a'].lower()][0].capitalize()} и {DAYS[m['b']][0]}"),
        rule(r"(?<![\w.])(?P<l>[Лл])ит\.(?= ?[А-Я]\b)", r"\g<l>итера"),
        rule(r"\b(?P<p>[Пп])ол ?(?P<kind>ст|ч)\. ?л\.(?!\w)",
             lambda m: f"{m['p']}ол {'столовой' if m['kind'] == 'ст' else 'чайной'} ложки{last_stop(m)}"),
        rule(r"(?<=\b[Пп]о )(?:мск|МСК)\b", "московскому времени"),
        rule(r"(?<=\b[Вв] )обл\.(?= [а-яё])", "области"),
        rule(r"(?<=\b[Вв] )с\.(?= [А-ЯЁ][а-яё]{2})", "селе"),
        rule(r"(?:(?<=\b[Ии]з )|(?<=\b[Дд]о ))с\.(?= [А-ЯЁ][а-яё]{2})", "села"),
        rule(r"(?<=\b[Вв] )д\.(?= [А-ЯЁ][а-яё]{2})", "деревне"),
        rule(r"(?<=\b[Вв] )пос\.(?= [А-ЯЁ])", "посёлке"),
        rule(r"(?<![\w.])[Вв] соотв\.(?= со? )", lambda m: f"{m[0][0]} соответствии"),
        rule(r"(?<![\w.])(?P<r>[Рр])ек\.(?=:)", r"\g<r>екомендации"),
        rule(r"(?<![\w.])(?P<b>[Бб])лиж\.(?= (?:ст\. ?м\.|станция|остановка))", r"\g<b>лижайшая"),
        rule(r"(?<![\w.])(?P<b>[Бб])лиж\.(?= (?:м\.|метро))", r"\g<b>лижайшее"),
        rule(r"(?:(?<=каждого )|(?<=этого )|(?<=прошлого )|(?<=следующего )|(?<=текущего ))мес\.(?!\w)",
             lambda m: f"месяца{last_stop(m)}"),
        rule(r"(?:(?<=этом )|(?<=прошлом )|(?<=следующем )|(?<=текущем ))мес\.(?!\w)",
             lambda m: f"месяце{last_stop(m)}"),
        rule(r"(?:\b(?P<before>[Вв]о?|[Кк]о?|[Сс]о?) )?(?<![\w.-])(?P<n>I{1,2}) пол\."
             r"(?= (?:[IVX]|\d|века|года|месяца|дня))",
             lambda m: half(own, m)),
        rule(r"(?:(?<=\d-е )|(?<=\d-го )|(?<=\d-м ))тыс\.(?= (?:до )?н\.)", lambda m: "тысячелети" + {
            "е": "е", "о": "я", "м": "и"}[m.string[m.start() - 2]]),
        rule(r"(?<![\w.])(?P<z>[Зз])ав\.(?= [а-яё]{2,}(?:ом|ой|ей|ем|ами|ями)\b)", r"\g<z>аведующий"),
        rule(r"(?<=с/у )разд\.", lambda m: f"раздельный{last_stop(m)}"),
        rule(r"(?<=с/у )совм\.", lambda m: f"совмещённый{last_stop(m)}"),
        rule(r"(?<![\w.])(?P<p>[Пп])рил\.(?= ?\d| [А-Я]\b)", r"\g<p>риложение"),
    )  # fmt: skip
