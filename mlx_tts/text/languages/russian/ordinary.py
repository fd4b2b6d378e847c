"""Russian forms that ordinary texts meet most often: spans of days, ages, halves, school years -> words."""

from __future__ import annotations

import re

from mlx_tts.text.languages.russian.asking import SEVERAL
from mlx_tts.text.languages.russian.governed import (
    ABLATIVE,
    AMOUNT_END,
    DATIVE,
    GENITIVE,
    LOCATIVE,
    UsesGoverned,
    amount_of,
    ends_in_one,
    last_stop,
    noun_in_case,
)
from mlx_tts.text.normalise.engine import Rule, mentions, one_of, rule, text_before, words_of
from mlx_tts.text.roman import value

DAY = r"(?:[12]?[1-9]|[123]0|31)"
YEAR = r"(?: (?P<year>(?:1\d|20)\d\d)(?: ?(?P<word>года|г\.)(?!\w))?)?"
DATE_FOLLOWS = re.compile(
    r" \d{1,2}(?: и \d{1,2})? (?:(?:янв|февр?|апр|авг|сент?|окт|нояб?|дек)\."
    r"|(?:янв|февр|апр|июн|июл|сент|окт|нояб|дек)[а-я]*я\b"
    r"|марта\b|мая\b|августа\b)"
)
# Prepositions of the genitive before a date: a bare number behind them would be a cardinal.
BEFORE_A_DAY = (
    r"[Пп]осле|[Оо]коло|[Дд]о|[Оо]т|[Нн]акануне|[Пп]озднее|[Пп]озже|[Рр]анее|[Рр]аньше|[Дд]ля|[Пп]омимо|[Кк]роме"
    r"|[Вв]место"
)
# A noun and how one, two to four and five of it are counted.
HALVED = {
    "раз": ("m", "раза", "раз"), "год": ("m", "года", "лет"), "час": ("m", "часа", "часов"),
    "месяц": ("m", "месяца", "месяцев"), "день": ("m", "дня", "дней"), "минута": ("f", "минуты", "минут"),
    "неделя": ("f", "недели", "недель"),
}  # fmt: skip
HALVED_FORMS = {form: noun for noun, (_, *forms) in HALVED.items() for form in forms} | {"ч": "час", "ч.": "час"}
GENITIVE_BEFORE = (
    r"[Оо]коло|[Дд]о|[Оо]т|[Бб]олее|[Мм]енее|[Бб]ольше|[Мм]еньше|[Сс]выше|[Пп]осле|[Пп]орядка|[Дд]ольше|[Сс]тарше"
    r"|[Мм]ладше|[Вв] (?:течение|возрасте)|[Нн]а протяжении"
)
# Of such a start or a rise the amount behind "from" is in the genitive.
STARTS = re.compile(
    r"(?:[Нн]ач[аи]|[Сс]тарт|[Вв]ыр[оа]с|[Сс]низ|[Сс]ниж|[Уу]велич|[Сс]окра[тщ]|[Уу]п[аё][лв]|[Пп]одн[яи]|[Уу]меньш"
    r"|[Пп]одеше|[Пп]одорож|[Бб]ро[сш]|[Зз]аби|[Уу]дар|[Пп]опа[лд]|[Пп]рыг|[Сс]трел|[Вв]ыстр|[Дд]истанц"
    r"|[Гг]ол[аоы]?\b)"
    r"[^.!?;]{0,40}\Z"
)
MEMORY = r"(?: (?:ОЗУ|RAM|SSD|памяти|оперативн|видеопамят|встроенн|флеш|свободн|постоянн)|[,.;)](?!\d)|\s*\Z)"
# What befell so many, and what they did: they are the subject.
BEFELL = (
    r"погиб(?:ли|ло)?|пострадал[ио]|ранен[ыо]|умер(?:ли|ло)|выжил[ио]|утонул[ио]|госпитализирован[ыо]|эвакуирован[ыо]"
    r"|спасен[ыо]|спасён|задержан[ыо]|родил(?:ись|ось)|травмирован[ыо]|убит[ыо]|пропал[ио]|обратились|доставлен[ыо]"
    r"|раст(?:ут|[её]т)|есть|было|будет|осталось|жив(?:ут|[её]т)|прожива(?:ют|ет)|находил(?:ись|ось)|уч(?:ит|ат)ся"
    r"|заболел[ио]|получили"
)
SUBJECT = re.compile(rf"(?:\b(?i:{BEFELL})\b[^.!?;]{{0,60}}|\b[Уу] [А-ЯЁа-яё]{{2,20}}(?: [а-яё]{{2,20}})? )\Z")
LED_HERE = re.compile(
    r"\b(?:[Ии]з|[Дд]о|[Дд]ля|[Бб]ез|[Бб]олее|[Мм]енее|[Оо]коло|[Сс]реди|[Ии]меет|[Вв]оспитыва\w+|[Сс]пас(?:ли|ти|ла|[её]т)?"
    r"|[Сс]о?|[Оо]т|[Кк]|[Оо]б?|[Гг]ибел\w+|[Сс]мерт\w+|[Кк]роме) \Z"
)
TOGETHER = {"2": "двое", "3": "трое", "4": "четверо"}
# Percents before these are an adjective: "33% сливки".
FATS = {
    "слив": {"ки": "ые", "ок": "ых", "кам": "ым", "ками": "ыми", "ках": "ых"},
    "сметан": {"а": "ая", "ы": "ой", "у": "ую", "е": "ой", "ой": "ой"},
    "молок": {"о": "ое", "а": "ого", "у": "ому", "ом": "ым", "е": "ом"},
    **{noun: {"": "ый", "а": "ого", "у": "ому", "ом": "ым", "е": "ом", "ы": "ые", "ов": "ых"}
       for noun in ("кефир", "творог", "раствор", "уксус", "спирт", "крем")},
}  # fmt: skip
# The part of an amount that a recipe takes, and what else is in it, behind a preposition.
MEASURE = r"(?:(?:ст|ч|дес)\. ?л\.|г|мл|кг|л)"
LIST_OF_AMOUNTS = re.compile(
    rf"\b(?P<by>[Сс]о?|[Ии]з|[Бб]ез) \d{{1,4}}(?:,\d)?(?:[-–]\d{{1,4}})? ?{MEASURE} "
    r"(?P<rest>(?:[^.!?;:—]|(?<=\b[чл])\.|(?<=\bст)\.){1,90})\Z"
)
LIST_OF_THINGS = re.compile(
    r"\b[Сс]о? \d{1,4} [а-яё]{2,20}(?:[оеё]м|[оеё]й|ью|ами|ями|ьми)\b[^.!?;:—]{0,80}(?:,| и) \Z"
)
MADE_OF = re.compile(
    r"\b(?:[Сс]мес|[Тт]ест|[Сс]оус|[Мм]аринад|[Кк]рем|[Зз]аливк|[Оо]млет|[Сс]ироп|[Фф]арш|[Зз]аправк|[Нн]ачинк)"
    r"[а-яё]{0,3} из \d{1,4} [^.!?;:—]{1,80}(?:,| и) \Z"
)
# Nouns with a Roman numeral before them, and what their endings tell of its ordinal.
MASCULINE_ROMAN = (
    "триместр|этап|тур|раунд|период|класс|разряд|съезд|созыв|том|курс|конгресс|форум|чемпионат|турнир|сезон|интернационал"
    "|акт|отдел|сектор|пояс|вариант|конкурс|фестивал"
)
NEUTER_ROMAN = "полугоди|тысячелети|отделени|мест|столети"
MASCULINE_ENDS = {"": "m", "ь": "m", "а": "mg", "я": "mg", "у": "md", "ю": "md", "ом": "ma", "ем": "ma", "е": "ml"}
NEUTER_ENDS = {"е": "n", "о": "n", "я": "ng", "а": "ng", "ю": "nd", "у": "nd", "ем": "na", "ом": "na", "и": "nl"}
ADJECTIVE_KEYS = {"ая": "f", "яя": "f", "ой": "fg", "ей": "fg", "ую": "fc", "юю": "fc", "ый": "m", "ий": "m", "й": "m",
                  "ого": "mg", "его": "mg", "ому": "md", "ему": "md", "ом": "ml", "ем": "ml", "ым": "ma", "им": "ma",
                  "е": "p", "ые": "p", "ие": "p", "х": "pg", "ых": "pg", "их": "pg"}  # fmt: skip
# Nouns of a row: their gender, and the form of the last ordinal where there are several.
IN_A_ROW = {
    **dict.fromkeys(words_of("класс курс этаж тур раунд ряд подъезд номер этап день том"), ("m", "")),
    **dict.fromkeys(words_of("классы курсы этажи туры ряды подъезды номера этапы дни тома"), ("m", "p")),
    "место": ("n", ""), "места": ("n", "p"),
    **dict.fromkeys(words_of("страницу главу неделю группу серию линию строку"), ("f", "")),
    **dict.fromkeys(words_of("страницы главы недели группы серии линии строки"), ("f", "p")),
}  # fmt: skip
# Verbs whose object is in the ablative.
OWNING = r"(?:[Вв]ладе|[Оо]блада|[Рр]асполага|[Рр]иск[оу]|[Пп]ожертвов|[Уу]правля|[Рр]аспоряжа)[а-яё]{1,6}"
SPOONS = {"ст": "столов", "ч": "чайн", "де": "десертн"}
MARATHON = re.compile(r"[Мм]арафон|[Тт]риатлон|[Вв]елогон|\b42 ?км")
SCHOOL_YEAR = {"году": ("ml", "ом"), "года": ("mg", "ого"), "год": ("m", "ый"), "годом": ("ma", "ым")}
ABBREVIATED_YEAR = {"в": "году", "к": "году", "с": "года", "до": "года", "за": "год", "на": "год", "": "года"}


class Ordinary(UsesGoverned):
    def rules(self) -> tuple[Rule, ...]:
        own = self.own
        months = one_of(own.month_names)
        number = r"(?P<n>\d{1,3}(?: \d{3}){1,2}|\d{1,6})"
        named = r"(?:\b(?P<name>[А-ЯЁ][а-яё]{2,20}) )?(?<![\w.–-])(?P<n>[IVX]{1,5}) "
        return (
            rule(rf"\b(?P<before>[Сс]о?) (?P<a>{DAY})(?:-го)? (?P<mark>по|до|на) (?P<b>{DAY})(?:-е|-го)? "
                 rf"(?P<month>{months}|числа|число)(?!\w){YEAR}(?!\w)", self.from_day),
            rule(rf"\b(?P<before>{BEFORE_A_DAY}) (?P<a>{DAY})(?:-го)? (?P<month>{months})(?!\w){YEAR}(?!\w)",
                 lambda m: f"{m['before']} {own.ordinal(int(m['a']), 'ng')} {m['month']}{self.of_year(m)}"),
            rule(rf"\b(?P<before>[Мм]ежду) (?P<a>{DAY}) и (?P<b>{DAY}) (?P<month>{months})(?!\w){YEAR}(?!\w)",
                 lambda m: f"{m['before']} {own.ordinal(int(m['a']), 'ma')} и {own.ordinal(int(m['b']), 'ma')} "
                 f"{m['month']}{self.of_year(m)}"),
            rule(rf"\b(?P<before>[Сс]о?) {number}(?= (?!(?:{months})\b)(?P<noun>{SEVERAL}))(?! \d)", self.since),
            rule(r"\b(?P<before>[Сс]о?) (?P<n>\d{1,4}) ?(?P<unit>[ГМТ][Бб])(?!\w)" rf"(?={MEMORY})",
                 lambda m: f"{m['before']} {self.governed.amount(m['n'], None, None, m['unit'], ABLATIVE)}"),
            rule(r"\b(?P<before>[Сс]о?) (?P<n>\d{1,3} \d{3}|\d{1,6}) ?(?P<unit>к?м|руб\.?|₽|%)(?![\w²³/])"
                 r"(?! ?[-–] ?\d)",
                 self.started),
            rule(rf"(?:\b(?P<before>{GENITIVE_BEFORE}) )?(?<![\w.,–—-])(?<![-–—] )(?P<n>[2-9]|[1-9]\d),5 ?"
                 rf"(?P<noun>{one_of(HALVED_FORMS)})(?!\w)", self.and_a_half),
            rule(r"\b(?P<before>[Кк]) (?P<n>\d{0,2}(?<!1)1)(?= (?P<noun>году|месяцу|дню|часу|рублю|проценту|неделе"
                 r"|минуте|тысяче|миллиону|человеку)\b)",
                 lambda m: f"{m['before']} "
                 f"{self.in_case(int(m['n']), DATIVE, 'feminine' if m['noun'][-1] == 'е' else 'masculine')}"),
            rule(r"\b(?P<before>[Кк]|[Вв]|[Оо]) 1,5(?= [а-яё]{3,20}(?:ам|ям|ах|ях)\b)", r"\g<before> полутора"),
            rule(rf"\b(?P<before>[Оо]б?) {number}(?= [а-яё]{{3,20}}[ыи]х\b)",
                 lambda m: f"{m['before']} {self.in_case(int(m['n'].replace(' ', '')), LOCATIVE)}"),
            rule(r"\b(?P<before>[Кк]о?) (?P<n>[IVX]{1,5}) в\.(?!\w)",
                 lambda m: f"{m['before']} {own.ordinal(value(m['n']), 'md')} веку{last_stop(m)}"),
            rule(r"(?:\b(?P<before>[Вв]о?|[Кк]о?|[Сс]о?|[Дд]о) )?(?<![\w.-])(?P<n>[IVX]{1,4}) тыс\."
                 r"(?= (?:до )?н\. ?э\.)", self.millennium),
            rule(r"\b(?P<before>[Оо]т|[Сс]) (?P<n>1\d{3}|20\d\d) до (?P<m>1\d{3}|20\d\d) ?(?P<word>года|г\.)(?!\w)",
                 lambda m: f"{m['before']} {own.ordinal(int(m['n']), 'mg')} до {own.ordinal(int(m['m']), 'mg')} года"
                 f"{last_stop(m)}"),
            rule(r"\b(?P<before>[Сс]) 1(?= раза\b)", r"\g<before> первого"),
            rule(r"\b(?P<before>[Оо]т|[Сс]) (?P<n>1[1-9]\d\d|20\d\d)(?= до (?P<m>\d{1,3} \d{3}|\d{3,6}) ?"
                 r"(?!г\b|гг?\.|год|\d)(?:[а-яё₽%]|\$))",
                 lambda m: f"{m['before']} {self.in_case(int(m['n']), GENITIVE)}"),
            rule(r"(?:\b(?P<before>[Вв]|[Кк]|[Сс]|[Дд]о|[Зз]а|[Нн]а) )?(?<![\w.,/-])(?P<a>(?:19|20)\d\d) ?[/–-] ?"
                 r"(?P<b>(?:19|20)?\d\d) (?:(?P<what>учебн|финансов|хозяйственн|отопительн)[а-яё]{2,3} "
                 r"|(?P<short>уч\.) ?)?(?P<noun>год(?:у|а|ом)?|г\.)(?!\w)", self.school_year),
            rule(r"(?<![\w.,-])(?P<n>[2-4])(?= (?:детей|военных|полицейских|рабочих|взрослых|мужчин|малышей)\b)",
                 self.together),
            rule(rf"(?<![\w.,:/–—-])(?<![–—-] )(?P<n>[2-4])(?= (?:{BEFELL.partition('|раст')[0]})\b)",
                 lambda m: TOGETHER[m["n"]]),
            rule(r"(?<![\w.,:-])(?P<n>\d{0,2}(?<!1)1)(?= (?P<noun>[а-яё]{3,20}(?:[оеё]м|[оеё]й|ью))\b)", self.and_one),
            rule(r"(?<![\w.,/–-])(?P<a>\d{1,2}(?:,\d)?)(?: ?[-–—] ?(?P<b>\d{1,2}(?:,\d)?))? ?л ?/ ?100 ?км(?!\w)",
                 lambda m: f"{own.spoken(m['a']) + ' ' + own.to + ' ' if m['b'] else ''}"
                 f"{own.counted(m['b'] or m['a'], own.unit_names['л'].split('|'))} на сто километров"),
            rule(rf"(?<![\w.,–-])(?P<n>[1-9]\d?) ?%(?= (?P<noun>{one_of(FATS)})(?P<end>[а-яё]{{0,3}})\b)",
                 lambda m: (end := FATS[m["noun"]].get(m["end"])) and f"{self.joined(int(m['n']))}процентн{end}"),
            rule(r"(?<![\w.,/])(?<!\d )½(?= (?!финала)[а-яё]{3,20}[аиыя]\b)",
                 lambda m: "половину" if re.search(r"[а-яё](?:[йьи]те|ть)\b[^.!?]{0,40}\Z", text_before(m, 60))
                 else "половина"),
            rule(r"(?<![\w.,/-])(?P<n>[1-9]) и (?:1/2|½)(?P<noun> [а-яё]{3,20}[аиыя])\b", self.and_half),
            rule(rf"(?:(?<=, )|(?<= и ))(?P<n>[1-9]\d{{0,3}}) ?(?P<unit>{MEASURE})(?= [а-яё]{{3}})", self.listed),
            rule(r"\b(?P<before>[Сс]о?) (?P<n>[1-9]\d{0,3}) ?(?P<unit>г|мл|кг|л)"
                 r"(?= (?![а-яё]+л[аи]\b)[а-яё]{3,20}(?:а|я|ы|и|у|ю|ого|ей|ой|ов)\b)",
                 lambda m: f"{m['before']} {self.measured(m['n'], m['unit'], ABLATIVE)}"),
            rule(r"(?:\b(?P<before>[Зз]а|[Пп]оказал[аи]?) )?(?<![\w:.,-])(?:(?P<h>\d):)?(?P<m>[0-5]?\d):(?P<s>[0-5]\d)"
                 r"(?P<mark>[.,])(?P<part>\d{1,3})(?![\w:]|[.,]\d)", self.race),
            rule(r"(?<![\w.])(?P<s>[Сс])в\. ?(?P<n>\d{1,3} \d{3}|\d{1,6})(?=[,;)]|\.(?!\d)|\s*\Z)",
                 lambda m: f"{m['s']}выше {self.in_case(int(m['n'].replace(' ', '')), GENITIVE)}"),
            rule(r"(?<![\w:.,-])(?P<sign>\+?)(?P<m>\d{1,2})\.(?P<s>[0-5]\d),(?P<part>\d{1,2})(?![\w:]|[.,]\d)",
                 lambda m: (f"{own.plus} " if m["sign"] else "")
                 + f"{own.counted(m['m'], own.unit_names['мин'].split('|'))} "
                 + own.counted(f"{int(m['s'])},{m['part']}", own.unit_names["с"].split("|"))),
            rule(r"\b(?P<before>[Кк]) (?P<n>\d{1,2}) ?[гл]\.(?: (?P<and>и )?(?P<m>\d{1,2}) мес\.)?(?!\w)"
                 r"(?= (?:лишени|колони|услов|строг|общ|тюрьм|заключ|исправ|прину)|(?<=мес\.))", self.sentenced),
            rule(rf"{named}(?P<stem>{MASCULINE_ROMAN})(?P<end>|ь|а|я|у|ю|ом|ем|е)(?!\w)",
                 self.roman),
            rule(r"(?<![\w.–-])(?P<n>I{1,3}|IV|VI{0,3}|[XV]{1,3}I{0,3}) (?=(?:[Мм]иров|[Оо]течественн|[Мм]еждународн"
                 r"|[Вв]сероссийск|[Вв]сесоюзн|[Вв]сеобщ|[Вв]атиканск|[Вв]селенск|[Зз]имни|[Лл]етни"
                 r"|[Оо]ткрыт|[Рр]егиональн)"
                 rf"(?P<end>{one_of(ADJECTIVE_KEYS)})(?!\w))",
                 lambda m: f"{own.ordinal(value(m['n']), ADJECTIVE_KEYS[m['end']])} "),
            rule(rf"{named}(?P<stem>{NEUTER_ROMAN})(?P<end>е|о|я|а|ю|у|ем|ом|и)(?!\w)",
                 self.roman),
            rule(r"(?<![\w.,/-])(?P<n>[1-9]\d?)/(?P<of>[1-9]\d?)-? ?эт(?:\.|ажн[а-яё]{2,3})"
                 r"(?= (?:[а-яё]+\.? )?(?:дом|здани))",
                 lambda m: f"{own.ordinal(int(m['n']))} этаж {self.joined(int(m['of']))}этажного"),
            rule(r"\b(?P<before>[Вв]) (?P<n>[1-9]\d?) ?(?P<unit>(?:ст|ч|дес)\. ?л\.)(?= [а-яё]{3})",
                 lambda m: f"{m['before']} {self.measured(m['n'], m['unit'], LOCATIVE)}"),
            rule(rf"\b(?P<before>{GENITIVE_BEFORE}) (?P<n>\d{{1,4}}) ?[кk](?!\w)",
                 lambda m: f"{m['before']} {self.governed.amount(m['n'], None, 'тыс', None, GENITIVE)}"),
            rule(r"\b(?P<what>ГБ|ХБП|ХСН|АГ|ХИБМ|ДЭП|[Рр]ак[а-яё ]{0,20}|[Гг]ипертоническ[а-яё]{2} болезн[а-яё]{1,2}) "
                 r"(?P<n>[IVX]{1,3}|[1-4]) ст\.(?!\w)",
                 lambda m: f"{m['what']} {own.ordinal(int(m['n']) if m['n'].isdecimal() else value(m['n']), 'fg')} "
                 f"стадии{last_stop(m)}"),
            rule(r"(?<![\w.,-])(?P<n>\d{1,4}(?:,\d{1,3})?) ?(?P<unit>[кМГТ]эВ)/[cс]²(?!\w)",
                 lambda m: f"{own.counted(m['n'], own.unit_names[m['unit']].split('|'))} на цэ в квадрате"),
            rule(r"(?P<noun>\b[а-яё]{4,20} )ж/д(?= (?:в|на|и|с|от|до|к|по|за)\b|[,.;)]|\s*\Z)",
                 lambda m: None if re.search(r"[аеиуыюя]т \Z|л[аи]? \Z", m["noun"])
                 else f"{m['noun']}железных дорог"),
            # From one of a row to another: classes of a school, places, pages.
            rule(r"\b(?P<before>[Сс]о?) (?P<a>\d{1,3})(?:-го)? по (?P<b>\d{1,3})(?:-[йе])? "
                 rf"(?P<noun>{one_of(IN_A_ROW)})(?!\w)", self.from_one),
            rule(r"\b(?P<before>[Сс]о?) (?P<n>\d{1,6})(?= по \d{1,6}(?![\w:]|[.,]\d))",
                 lambda m: f"{m['before']} {self.in_case(int(m['n']), GENITIVE)}"),
            rule(rf"\b(?P<before>{OWNING}) {amount_of(own)}{AMOUNT_END}", self.owned),
            # Endings that do not belong there, but are written often: "7-ми человек", "3-мя".
            rule(r"(?<![\w.,-])(?P<n>\d{0,3}[78])-(?:ми|и)(?!\w)(?! [а-яё]*(?:[ыи]ми|ами|ями)\b)(?!-| ?летн)",
                 lambda m: self.in_case(int(m["n"]), GENITIVE)),
            rule(r"(?<![\w.,-])(?P<n>\d{0,3}[234])-(?:р?[её]х|ух)(?!\w)",
                 lambda m: self.in_case(int(m["n"]), GENITIVE)),
            rule(r"(?<![\w.,-])(?P<n>\d{0,3}[234])-(?:у|р?[её]|ь)?мя(?!\w)|(?<![\w.,-])(?P<m>\d{1,3})-тью(?!\w)",
                 lambda m: self.in_case(int(m["n"] or m["m"]), ABLATIVE)),
            rule(r"(?<![\w.,-])(?P<n>\d{1,3})-(?:ми|ти|и|х)[ -](?P<word>(?:летн|дневн|часов|этажн|месячн|комнатн"
                 r"|местн|кратн|минутн|метров|тонн|процентн)[а-яё]{2,3})(?!\w)",
                 lambda m: f"{self.joined(int(m['n']))}{m['word']}"),
            rule(r"\b(?P<before>[Вв]ыше|[Нн]иже) (?P<n>\d{1,6})(?= (?!на\b|млн|млрд|тыс)[а-яё]{2}"
                 r"|[;)]|[,.](?!\d)|\s*\Z)",
                 lambda m: f"{m['before']} {self.in_case(int(m['n']), GENITIVE)}"),
            rule(r"\b(?P<before>[Дд]о|[Оо]т|[Вв]ыше|[Нн]иже|[Оо]коло|[Сс]) (?P<sign>минус|плюс) (?P<n>\d{1,3})"
                 r"(?![\w°%]|[.,:–-]\d| ?[°%–-])",
                 lambda m: f"{m['before']} {m['sign']} {self.in_case(int(m['n']), GENITIVE)}"),
            # The sentence goes on behind an era, where its clause began with the year.
            rule(r"(?P<head>[;,—:] (?:а|и|но) в) (?P<n>[1-9]\d{0,2}) г\. (?P<until>до )?н\. ?э\.(?= [А-ЯЁ])",
                 lambda m: f"{m['head']} {own.ordinal(int(m['n']), 'ml')} году {m['until'] or ''}нашей эры"),
        )  # fmt: skip

    def of_year(self, match: re.Match[str]) -> str:
        if not match["year"]:
            return ""
        year = f" {self.own.ordinal(int(match['year']), 'mg')} года"
        return year + (last_stop(match) if match["word"] == "г." else "")

    def from_day(self, match: re.Match[str]) -> str | None:
        """A span of days in one month, and the night between two days."""
        if match["mark"] == "на" and not re.search(r"\b[Нн]оч[иь]ю? \Z", text_before(match, 8)):
            return None
        first = self.own.ordinal(int(match["a"]), "ng")
        last = self.own.ordinal(int(match["b"]), "ng" if match["mark"] == "до" else "n")
        return f"{match['before']} {first} {match['mark']} {last} {match['month']}{self.of_year(match)}"

    def since(self, match: re.Match[str]) -> str | None:
        """Before a genitive of several, as an age; a year has no noun."""
        written = match["n"].replace(" ", "")
        if written[0] == "0" or ends_in_one(written) or match["noun"].startswith(("год", "ч ")):
            return None
        if re.fullmatch(r"1\d{3}|20\d\d", written) and not re.match(r"рубл|метр|человек|тонн|долл", match["noun"]):
            return None
        return f"{match['before']} {self.in_case(int(written), GENITIVE)}"

    def started(self, match: re.Match[str]) -> str | None:
        """A price from which something falls, and the distance of a goal."""
        if not STARTS.search(text_before(match, 60)):
            return None
        said = self.governed.amount(match["n"].replace(" ", ""), None, None, match["unit"], GENITIVE)
        return f"{match['before']} {said}{last_stop(match)}"

    def and_a_half(self, match: re.Match[str]) -> str:
        """ "в 2,5 раза", "около 3,5 лет"."""
        noun = HALVED_FORMS[match["noun"]]
        gender, few, many = HALVED[noun]
        number = int(match["n"])
        if match["before"]:
            said = f"{match['before']} {self.in_case(number, GENITIVE)} с половиной {many}"
        else:
            counted = few if number % 10 in (2, 3, 4) and not 11 <= number <= 14 else many
            said = f"{self.own.cardinal(number, gender)} с половиной {counted}"
        return said + last_stop(match)

    def and_half(self, match: re.Match[str]) -> str:
        """ "1 и 1/2 стакана"."""
        feminine = match["noun"][-1] in "иы"
        if match["n"] == "1":
            return f"{'полторы' if feminine else 'полтора'}{match['noun']}"
        return f"{self.own.cardinal(int(match['n']), 'f' if feminine else 'm')} с половиной{match['noun']}"

    def millennium(self, match: re.Match[str]) -> str:
        before = match["before"] or ""
        form, end = {"в": ("nl", "и"), "во": ("nl", "и"), "к": ("nd", "ю"), "ко": ("nd", "ю"), "": ("n", "е")}.get(
            before.casefold(), ("ng", "я")
        )
        if not before and re.search(r"[а-яё]{3} \Z", text_before(match, 4)):
            form, end = "ng", "я"  # "начало III тыс."
        return f"{before} {self.own.ordinal(value(match['n']), form)} тысячелети{end}".lstrip()

    def school_year(self, match: re.Match[str]) -> str | None:
        """ "2023/24 учебный год"."""
        first, last = int(match["a"]), int(match["b"])
        if last % 100 != (first + 1) % 100:
            return None
        before, noun = match["before"] or "", match["noun"]
        if noun == "г.":
            noun = ABBREVIATED_YEAR[before.casefold()]
        form, end = SCHOOL_YEAR[noun]
        if noun == "году" and before.casefold() == "к":
            form, end = "md", "ому"
        what = f"{'учебн' if match['short'] else match['what']}{end} " if match["short"] or match["what"] else ""
        said = f"{self.own.ordinal(first, form)} — {self.own.ordinal(last, form)} {what}{noun}"
        return f"{before} {said}".lstrip() + last_stop(match)

    def together(self, match: re.Match[str]) -> str | None:
        """ "пострадали 2 детей": a subject."""
        before = text_before(match, 90)
        return TOGETHER[match["n"]] if SUBJECT.search(before) and not LED_HERE.search(before) else None

    def and_one(self, match: re.Match[str]) -> str | None:
        """ "4 портами и 1 разъёмом": in the case of the first."""
        if not re.search(r"\d [^.!?;]{0,40}(?:ами|ями|ьми)\b[^.!?;]{0,60}(?:,| и) \Z", text_before(match, 110)):
            return None
        feminine = re.search(r"(?:[оеё]й|ью)\Z", match["noun"])
        return self.in_case(int(match["n"]), ABLATIVE, "feminine" if feminine else "masculine")

    def joined(self, number: int) -> str:
        said = self.in_case(number, GENITIVE).replace(" ", "").replace("девяноста", "девяносто")
        return said.replace("одного", "одно")

    def measured(self, number: str, unit: str, case: str) -> str | None:
        one = ends_in_one(number)
        if unit.endswith("."):
            end = {
                ABLATIVE: ("ой ложкой", "ыми ложками"),
                GENITIVE: ("ой ложки", "ых ложек"),
                LOCATIVE: ("ой ложке", "ых ложках"),
            }[case][not one]
            said = self.in_case(int(number), case, "feminine" if one else "masculine")
            return f"{said} {SPOONS[unit[:2].strip('.')]}{end}"
        noun = noun_in_case(self.governed.forms(unit), case, one)
        return noun and f"{self.in_case(int(number), case)} {noun}"

    def from_one(self, match: re.Match[str]) -> str:
        key, several = IN_A_ROW[match["noun"]]
        first = self.own.ordinal(int(match["a"]), f"{key}g")
        last = self.own.ordinal(int(match["b"]), several or key.replace("f", "fc"))
        return f"{match['before']} {first} по {last} {match['noun']}"

    def owned(self, match: re.Match[str]) -> str | None:
        """ "владеет 51 % акций"."""
        if match["unit"] is None and match["scale"] is None:
            return None
        said = self.governed.amount(match["n"].replace(" ", ""), match["part"], match["scale"], match["unit"], ABLATIVE)
        return said and f"{match['before']} {said}{self.governed.per(match)}"

    def sentenced(self, match: re.Match[str]) -> str:
        """Of a sentence: years and months."""
        years, months = (int(match[name] or 0) for name in ("n", "m"))
        said = f"{match['before']} {self.in_case(years, DATIVE)} {'году' if ends_in_one(str(years)) else 'годам'}"
        if months:
            said += f" {match['and'] or ''}{self.in_case(months, DATIVE)} "
            said += "месяцу" if ends_in_one(str(months)) else "месяцам"
        return said + last_stop(match)

    def roman(self, match: re.Match[str]) -> str:
        """ "в I триместре", "XX съезд": the noun shows the case."""
        stem, end = match["stem"], match["end"]
        key = (NEUTER_ENDS if stem in NEUTER_ROMAN.split("|") else MASCULINE_ENDS)[end]
        key = "nl" if (stem, end) == ("мест", "е") else key
        name = f"{match['name']} " if match["name"] else ""
        return f"{name}{self.own.ordinal(value(match['n']), key)} {stem}{end}"

    def listed(self, match: re.Match[str]) -> str | None:
        """What a recipe mixes: the whole list is in the case of its preposition."""
        before = text_before(match, 120)
        if LIST_OF_THINGS.search(before):
            return self.measured(match["n"], match["unit"], ABLATIVE)
        if MADE_OF.search(before):
            return self.measured(match["n"], match["unit"], GENITIVE)
        listed = LIST_OF_AMOUNTS.search(before)
        if not listed or re.search(r"[а-яё](?:[йьи]те|ть|ют|[ае]т)\b", listed["rest"]):
            return None
        return self.measured(match["n"], match["unit"], ABLATIVE if listed["by"] in ("С", "с", "со") else GENITIVE)

    def race(self, match: re.Match[str]) -> str:
        """How long a race took: "1:12:34,5", and "2:07.58" of a marathon."""
        own, before = self.own, match["before"]
        h, m, s, part = match["h"], match["m"], match["s"], match["part"]
        if not h and match["mark"] == "." and len(part) == 2 and int(m) < 8 and mentions(MARATHON, match.string):
            h, m, s, part = m, s, part, ""
        seconds = f"{int(s)},{part}" if part else str(int(s))
        said = " ".join(
            own.counted(str(int(n)) if unit != "с" else n, own.unit_names[unit].split("|"))
            for unit, n in (("ч", h), ("мин", m), ("с", seconds))
            if n and (unit == "с" or int(n))
        )
        if not before:
            return said
        said = re.sub(r"\bодна минута\b", "одну минуту", said)
        return f"{before} {re.sub(r'одна целая', 'одну целую', said)}"
