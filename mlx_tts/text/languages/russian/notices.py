"""Russian short forms of notices, references and versions ("ст.ст. 15", "Иванов и др.", "Python 3.11+") -> words."""

from __future__ import annotations

import re

from mlx_tts.text.languages.russian.everyday import EACH
from mlx_tts.text.languages.russian.everyday import GENITIVE as GENITIVE_WORDS
from mlx_tts.text.languages.russian.governed import (
    ABLATIVE,
    DATIVE,
    GENITIVE,
    LOCATIVE,
    PART_CASES,
    UsesGoverned,
    ends_in_one,
    last_stop,
)
from mlx_tts.text.languages.russian.short_nouns import MONTHS, weekday
from mlx_tts.text.languages.russian.spans import RELATIONS
from mlx_tts.text.normalise.engine import Rule, mentions, one_of, rule, text_before
from mlx_tts.text.roman import value

GREEK = {
    "α": "альфа", "β": "бета", "γ": "гамма", "δ": "дельта", "Δ": "дельта", "ε": "эпсилон", "η": "эта", "θ": "тета",
    "κ": "каппа", "λ": "лямбда", "μ": "мю", "ν": "ню", "ξ": "кси", "π": "пи", "ρ": "ро", "σ": "сигма", "Σ": "сигма",
    "τ": "тау", "φ": "фи", "Φ": "фи", "χ": "хи", "ψ": "пси", "Ψ": "пси", "ω": "омега",
}  # fmt: skip
ARTICLES = {"": "статьи", GENITIVE: "статей", DATIVE: "статьям", ABLATIVE: "статьями", LOCATIVE: "статьях"}
POINT = {GENITIVE: "пункта", DATIVE: "пункта"}
# Whose "and others" is in the genitive: "согласно работе Иванова и др."
OF_WHOM = (
    r"[Рр]абот\w{0,3}|[Ии]сследовани\w{1,3}|[Дд]анны\w{1,2}|[Сс]тать\w{1,3}|[Мм]нени\w{1,2}|[Аа]вторств\w{1,2}"
    r"|[Мм]етод\w{0,3}|[Мм]етодик\w{1,2}|[Тт]еори\w{1,2}|[Мм]одел\w{1,2}|[Кк]ниг\w{0,2}|[Дд]оклад\w{0,2}"
    r"|[Пп]одход\w{0,2}|[Уу]|[Оо]т|[Дд]ля|[Ии]з|[Бб]ез|[Кк]роме|[Пп]осле|[Сс]реди|[Пп]ротив"
)
OTHERS = {"в": "других", "й": "других", "х": "других", "м": "другим", "и": "другими"}
STATES = {
    "отл": "отличном",
    "хор": "хорошем",
    "идеал": "идеальном",
    "норм": "нормальном",
    "раб": "рабочем",
    "удовл": "удовлетворительном",
}
# A range of years behind them is in the nominative or the accusative, and behind other nouns in the genitive.
NO_OWNER = (
    r"(?:через|примерно|только|также|между|даже|приблизительно|[а-яё]+[аи]л[аи]?"
    r"|был[аои]?|\w*(?:лся|лась|лось|лись|ется|ются|ится|ятся))"
)
# Nominative, genitive, locative, accusative.
STREETS = {
    "ул.": ("улица", "улицы", "улице", "улицу"),
    "пл.": ("площадь", "площади", "площади", "площадь"),
    "наб.": ("набережная", "набережной", "набережной", "набережную"),
}
STOREYED = {"дом": {"": "ый", "а": "ого", "у": "ому", "ом": "ым", "е": "ом", "ов": "ых", "ах": "ых"},
            "здани": {"е": "ое", "я": "ого", "ю": "ому", "ем": "ым", "и": "ом", "й": "ых"}}  # fmt: skip
COLOURS = {
    "серебр": "серебристый", "сереб": "серебристый", "черн": "чёрный", "чёрн": "чёрный", "бел": "белый", "син": "синий",
    "красн": "красный", "сер": "серый", "зел": "зелёный", "беж": "бежевый", "корич": "коричневый", "гол": "голубой",
    "желт": "жёлтый", "жёлт": "жёлтый", "оранж": "оранжевый", "фиол": "фиолетовый", "т.-син": "тёмно-синий",
}  # fmt: skip
DATIVE_DAYS = {"пн": "понедельнику", "вт": "вторнику", "ср": "среде", "чт": "четвергу", "пт": "пятнице",
               "сб": "субботе", "вс": "воскресенью"}  # fmt: skip
# A noun that is cut short, by the preposition before it; else in the nominative.
BY_PREPOSITION = {
    "а/м": ("автомобиль", {"на": "автомобиле", "в": "автомобиле", "с": "автомобилем", "к": "автомобилю",
                           "от": "автомобиля", "до": "автомобиля", "у": "автомобиля", "для": "автомобиля",
                           "из": "автомобиля", "без": "автомобиля", "за": "автомобиль"}),
    "ост.": ("остановка", {"на": "остановке", "к": "остановке", "до": "остановки", "от": "остановки",
                           "у": "остановки", "с": "остановки"}),
    "прил.": ("приложение", {"в": "приложении", "к": "приложению", "согласно": "приложению", "из": "приложения",
                             "по": "приложению"}),
    "ж/д ст.": ("железнодорожная станция", dict.fromkeys(("до", "от", "у", "на", "к", "с", "около", "возле"),
                                                         "железнодорожной станции")),
}  # fmt: skip
PERMITS = re.compile(
    r"(?:[Пп]ропуск|[Дд]оверенност|[Дд]окумент|[Пп]олис"
    r"|ОСАГО|[Сс]трахов|[Пп]рава?"
    r"|[Оо]бмен|[Мм]еня|[Сс]мен|[Дд]енег|[Дд]еньги)[а-яё]* на \Z"
)
QUARTER_OF = {"в": ("ml", "квартале"), "во": ("ml", "квартале"), "к": ("md", "кварталу"), "с": ("mg", "квартала"),
              "до": ("mg", "квартала"), "от": ("mg", "квартала"), "за": ("m", "квартал"), "на": ("m", "квартал"),
              "и": ("m", "квартал"), "": ("m", "квартал")}  # fmt: skip
ANALYSIS = {"": "ий", "а": "ого", "у": "ому", "ом": "им", "е": "ом"}
FEED = re.compile(r"\b[Кк]орм|\bед[аеуы]\b|\bест\b|\bмл\b|\bмг\b")
# Of these it is the age.
ANIMALS = re.compile(
    r"\b[Кк](?:от|ошк[аиу]|отик)\b|\b[Сс]обак[аиу]\b|\b[Пп](?:ёс|ес)\b|(?:[Пп]отерял|[Пп]ропал)(?:ся|ась|а)?\b"
)
HOUSES = re.compile(r"\bдом|\bкв(?:\.|артир)|м²|м2|\bэт(?:\.|аж)|[Зз]дани|[Пп]остро|[Кк]оттедж|[Дд]ач[аиуе]\b")


class ShortNotices(UsesGoverned):
    def rules(self) -> tuple[Rule, ...]:
        own = self.own
        name = r"(?:[А-ЯЁ]\. ?){0,2}[А-ЯЁ][а-яё]{1,20}(?:-[А-ЯЁ][а-яё]{1,20})?"
        letters = "".join(GREEK)
        return (
            rule(rf"\b(?P<head>(?:{OF_WHOM}) {name}(?:, {name}){{0,3}},? и )др\.", self.others),
            rule(r"\bи др\.(?= (?:[а-яё]{2,20}[ыи](?:х|ми?) )?[а-яё]{2,20}(?P<end>[оеё]в|ей|ий|[ая]х|[ая]ми|[ая]м)"
                 r"(?!\w))", lambda m: f"и {OTHERS[m['end'][-1]]}"),
            rule(r"№ ?(?P<a>[1-9]\d{0,4})/(?P<b>[1-9]\d{0,3})-(?P<letters>[А-ЯЁA-Z]{1,4})(?![\w/-])",
                 lambda m: f"номер {own.cardinal(int(m['a']))} {own.over} {own.cardinal(int(m['b']))} "
                 + " ".join(m["letters"])),
            rule(r"(?P<sign>№ ?)?(?<![\w.,-])(?P<court>[АA])(?P<a>[1-9]\d?)-(?P<b>[1-9]\d{0,6})/(?P<year>20\d\d)"
                 r"(?![\w/-]|[.,]\d)",
                 lambda m: f"{'номер ' if m['sign'] else ''}{m['court']} {own.cardinal(int(m['a']))}, "
                 f"{own.cardinal(int(m['b']))} {own.over} {own.cardinal(int(m['year']))}"),
            rule(r"(?<![\w+/–-])\+ ?/?[-–−] ?(?=\d)", f"{own.plus} {own.minus} "),
            rule(r"(?<![\w.])[Сс]т\. ?ст\.(?= ?\d)", self.articles),
            rule(r"(?<![\w.])(?P<r>[Рр])ед\.(?= от \d)", lambda m: f"{m['r']}едакци"
                 + ("и" if re.search(r"\b[Вв] \Z", text_before(m, 3)) else "я")),
            rule(r"(?<=\b[Вв] )ред\.(?= [А-ЯЁа-яё]{2})", "редакции"),
            rule(r"\b(?P<before>[Дд]о|[Оо]т|[Оо]коло|[Бб]олее|[Мм]енее|[Сс]выше|[Нн]иже|[Вв]ыше|[Кк]) "
                 r"(?P<n>\d{1,3}(?: \d{3}){0,2}|\d{4,6})(?:,(?P<part>\d{1,2}))? п\.(?! ?[пн]\.)", self.points),
            rule(r"(?<![\w.,-])(?P<n>[1-9]\d{3}|[1-9]\d{0,2}(?: \d{3})?) п\.(?= (?:[а-я]|\()|,)(?! ?[пн]\.)",
                 lambda m: own.counted(m["n"], ["пункт", "пункта", "пунктов", "пункта"])
                 if re.search(r"(?:[Ии]ндекс|[Бб]ирж|РТС)[^.!?]{0,60}\Z", text_before(m, 80)) else None),
            rule(r"(?P<name>\b[A-Za-z][A-Za-z.]{1,15} )(?P<n>\d{1,3}(?:\.\d{1,3}){1,2})\+(?![\w+])",
                 lambda m: m["name"] + f" {own.dot} ".join(own.cardinal(int(n)) for n in m["n"].split("."))
                 + " и выше"),
            rule(r"\b(?P<before>(?:[Нн]е )?(?:[Вв]ыше|[Нн]иже)) (?P<n>\d{1,4})(?:,(?P<part>\d))?"
                 r"(?=[,;)]|\.(?!\d)|\s*\Z)(?!,\d)",
                 lambda m: f"{m['before']} {self.bare(m)}"),
            rule(r"(?:\b(?P<before>[Пп]ри) )?(?<![\w.,-])[tт](?P<sign>[<>≤≥]) ?(?P<n>3[4-9]|4[0-2])(?:,(?P<part>\d))?"
                 r"(?![\w-]|[.,]\d| ?°)",
                 lambda m: f"{m['before'] + ' ' if m['before'] else ''}температур{'е' if m['before'] else 'а'} "
                 f"{RELATIONS[m['sign']]} {self.bare(m)}"),
            rule(r"(?:(?<=\b[Нн]а )|(?<=\b[Вв] )|(?<=\b[Пп]о )|(?<=\b[Кк] ))(?P<located>)(?:(?P<n>\d{1,2})-й )?"
                 r"(?P<name>[А-ЯЁ][а-яё]{2,20}(?:-[А-ЯЁ][а-яё]{2,20})?[ое]й) (?P<what>ул\.|пл\.|наб\.)", self.street),
            rule(r"(?:(?P<n>\d{1,2})-й )?(?<![\w-])(?P<name>[А-ЯЁ][а-яё]{2,20}(?:-[А-ЯЁ][а-яё]{2,20})?(?:[ое]й|ую|ая))"
                 r" (?P<what>ул\.|пл\.|наб\.)", self.street),
            rule(r"(?<![\w.,-])(?P<n>[1-9]\d?)-? ?эт\.(?= (?P<noun>дом|здани)(?P<end>[а-яё]{0,2})(?!\w))",
                 self.storeyed),
            rule(r"(?<![\w.])(?P<v>[Вв])ых\.(?= ?(?:№ ?)?\d{1,2}(?![\d:.])"
                 r"(?=[),;]|\.(?!\d)|\s*\Z| (?:в|на|к|из|с|у) ))",
                 r"\g<v>ыход"),
            rule(r"(?<![\w.,-])(?P<n>[1-9]\d?) л\.(?= лаврового)",
                 lambda m: own.counted(m["n"], ["лист", "листа", "листов", "листа"])),
            rule(r"(?<!\w)(?P<k>[Кк]/?)?(?:[Бб]/[Жж]/[Уу]|БЖУ)(?P<mark>[ :—–-]{1,4})(?P<n>\d{1,4}(?:,\d)?"
                 r"(?:/\d{1,3}(?:,\d)?){2,3})(?: ?г\b\.?)?(?![\w/])", self.nutrients),
            rule(r"(?<!\w)[Бб]/[Жж]/[Уу](?![\w/])", "белки, жиры, углеводы"),
            rule(r"(?<![\w:.,-])(?P<a>2[5-9]|[3-9]\d|1[0-2]\d):0(?P<b>\d)(?![\w:])",
                 lambda m: f"{own.cardinal(int(m['a']))} {own.cardinal(0)} {own.cardinal(int(m['b']))}"),
            rule(r"\b(?P<before>[Пп]о (?:истечении|прошествии)|[Вв] продолжение) (?P<n>\d{1,3}) "
                 r"(?P<noun>дн(?:\.|ей)|дня|нед\.|недель|мес\.|месяц(?:ев|а)|сут\.|суток|лет|года|час(?:ов|а)|минут"
                 r"|рабочих|календарных)(?!\w)", self.after),
            rule(r"(?<![\w.])(?P<v>[Вв])ит\.(?= ?[A-ZА-Я]\d{0,2}\b)",
                 lambda m: f"{m['v']}итамин" + ("а" if re.search(r"[а-яё]{4} \Z", text_before(m, 6)) else "")),
            rule(rf"(?<=\b[Цц]вет )(?P<c>{one_of(COLOURS)})\.", lambda m: COLOURS[m["c"]] + last_stop(m)),
            rule(rf"(?<![\w.])(?P<s>[Сс])ост\.(?P<mark> ?[:—–-]?) ?(?P<how>{'|'.join(STATES)})\.(?!\w)",
                 lambda m: f"{m['s']}остояние{m['mark'].rstrip()} {STATES[m['how']][:-1]}е{last_stop(m)}"),
            rule(rf"(?<![\w.])(?<!\b[Вв] )(?P<how>{'|'.join(STATES)})\. ?сост\.(?!\w)",
                 lambda m: f"{STATES[m['how']][:-1]}е состояние{last_stop(m)}"),
            rule(r"(?<![\w.])(?P<g>[Гг])ор\. и хол\. (?=вод(?P<end>а|ы|е|у|ой)(?!\w))",
                 lambda m: "{}оряч{} и холодн{} ".format(
                     m["g"], *{"а": ("ая", "ая"), "у": ("ую", "ую")}.get(m["end"], ("ей", "ой")))),
            rule(r"(?<![\w.])(?P<k>[Кк])руглосут\.(?= авар\. служба)", r"\g<k>руглосуточная"),
            rule(r"(?<![\w.])(?P<k>[Кк]руглосут|[Бб]еспл)\.(?= ?[,;)]|\s*\Z| [А-ЯЁ—–])",
                 lambda m: m["k"] + ("очно" if m["k"][-1] == "т" else "атно") + last_stop(m)),
            rule(r"(?<![\w-])р-р(?P<end>а|е|у|ом|ы|ов|ах|)(?![\w-])", r"раствор\g<end>"),
            rule(r"(?<!\w)[TТtт]\.? ?(?P<of>пл|кип)\.(?= ?[-–=:]? ?\d)",
                 lambda m: "температура " + ("плавления" if m["of"] == "пл" else "кипения")),
            rule(r"(?<![\w.,/–—-])(?P<n>[1-9]) эт\.(?=,)", self.storeys),
            rule(r"(?<![\w.])(?P<s>[Сс])кваж\.(?!\w)", lambda m: f"{m['s']}кважина{last_stop(m)}"),
            rule(r"(?:(?<=ому )|(?<=ом )|(?<=ого )|(?<=ему )|(?<=ем )|(?<=его ))ш\.(?!\w)",
                 lambda m: f"шоссе{last_stop(m)}"),
            rule(r"(?<![\w./])(?:а/м|ж/д ст\.)(?!\w)|(?<![\w.])ост\.(?= ?[«А-ЯЁ])|(?<![\w.])прил\.(?= ?№)",
                 self.by_preposition),
            rule(r"(?:(?<=\b[Кк] )|(?<=\b[Кк]о ))(?P<day>пн|вт|ср(?!\.)|чт|пт|сб|вс)\b\.?",
                 lambda m: DATIVE_DAYS[m["day"]] + last_stop(m)),
            rule(r"(?<![\w.,/-])(?P<a>[1-9]\d{1,4})/(?P<b>[1-9]\d{1,4}) ?(?:р\.|руб\b\.?|₽)(?![\w/])",
                 lambda m: f"{own.cardinal(int(m['a']))}, {own.price(m['b'], 'руб.')}{last_stop(m)}"),
            rule(r"(?<![\w.])(?P<a>[Аа])вт\.(?= ?№)", r"\g<a>втобус"),
            rule(r"(?<![\w.])(?P<m>[Мм])аршр\.(?= ?(?:№ ?)?\d)", r"\g<m>аршрутка"),
            rule(r"(?P<head>(?:№|(?<![\w.])(?:[Аа]вт|[Мм]аршр)\."
                 r"|\b(?:[Аа]втобус|[Мм]аршрут|[Тт]роллейбус|[Тт]рамва)[а-яё]{0,3}) ?(?:№ ?)?)"
                 r"(?P<n>[1-9]\d{0,3})(?P<letter>к)(?!\w)", self.lettered),
            rule(r"(?:\b(?P<before>[Вв]о?|[Зз]а|[Кк]|[Сс]|[Нн]а|[Дд]о|[Оо]т|и) )?(?<![\w.-])(?P<n>I{1,3}|IV) кв\."
                 r"(?= (?P<next>[А-ЯЁ«]))", self.quarter),
            rule(rf"(?<![\w.,-])(?P<days>[1-3]?\d(?:, [1-3]?\d){{0,4}} (?:и|или) [1-3]?\d) "
                 rf"(?P<month>{one_of(MONTHS)})\.(?!\w)", self.days),
            rule(r"(?<![\w.,/-])(?P<a>[1-4]?\d)/(?P<b>[1-4]?\d) нед\.", self.weeks),
            rule(r"(?<=% )год\.(?!\w)", lambda m: f"годовых{last_stop(m)}"),
            rule(r"(?<![\w.])(?P<m>[Мм])ат\.(?= анализ(?P<end>а|у|ом|е|)(?!\w))",
                 lambda m: f"{m['m']}атематическ{ANALYSIS[m['end']]}"),
            rule(r"(?<=\b[Вв] )люб\.(?= время)", "любое"),
            rule(r"(?<![\w.])(?P<s>[Сс])туд\. (?P<n>[1-6])(?:-го)? курса",
                 lambda m: f"{m['s']}туденты {own.ordinal(int(m['n']), 'mg')} курса"),
            rule(r"(?<![\w.,-])(?P<n>[1-9]|1\d) г\.(?=,)", lambda m: own.counted(m["n"], ["год", "года", "лет", "года"])
                 if mentions(ANIMALS, m.string) and not mentions(FEED, m.string) else None),
            rule(r"(?<=\b[Кк] )ср\.(?= [а-яё]+[ое]му\b)", "среднему"),
            # What a measure of food has in it.
            rule(r"(?<!ом )(?<!ой )(?<!вес )\b(?P<before>[Вв]) 100 (?P<unit>г|гр|мл)\b\.?(?! ?[-–+]\d)",
                 lambda m: f"{m['before']} ста {'миллилитрах' if m['unit'] == 'мл' else 'граммах'}{last_stop(m)}"),
            rule(r"(?<![\w.])кв\. ?(?P<a>[1-9]\d{0,3}) ?[-–] ?(?P<b>[1-9]\d{0,3})(?![\w/-]|[.,]\d)",
                 lambda m: f"квартир{'' if re.search(r'[а-яё]{4} $', text_before(m, 5)) else 'ы'} "
                 f"{own.cardinal(int(m['a']))} {own.to} {own.cardinal(int(m['b']))}"),
            # Cars of these works are called by two numbers.
            rule(r"\b(?P<name>ВАЗ|ГАЗ|УАЗ)[ -]?(?P<a>[23]\d)(?P<b>\d\d)(?![\w]|[.,-]\d)",
                 lambda m: f"{m['name']} {own.cardinal(int(m['a']))} "
                 f"{own.cardinal(0) + ' ' if m['b'][0] == '0' else ''}{own.cardinal(int(m['b']))}"),
            rule(rf"(?:\b(?P<before>{GENITIVE_WORDS}) )?(?<![\w.,-])(?P<n>[1-9]\d{{0,3}}) ?т(?:ыс)?\.? ?р(?:уб)?\.?"
                 rf" ?/ ?(?P<per>{one_of(EACH)})(?!\w)\.?", self.thousands_for),
            # The frequency that a processor has.
            rule(r"(?:(?<=[\w)] )|(?<=[\w)]))@ ?(?=\d{1,4}(?:[,.]\d{1,3})? ?[МГ]Гц)", "на "),
            rule(r"\b(?P<owner>[А-ЯЁа-яё][а-яё]{3,20}) (?P<a>[12]\d{3}) ?[-–—] ?(?P<b>[12]\d{3}) гг\.", self.years_of),
            rule(r"(?<![\w.–—-])(?P<day>пн|вт|ср|чт|пт|сб|вс|Пн|Вт|Ср|Чт|Пт|Сб|Вс)\.?"
                 r"(?= ?[—–-] ?(?:вых\.|выходн|закрыт|нерабоч|[сдо]{1,2} \d|\d{1,2}[:.]\d\d))", weekday),
            rule(r"(?<![\w.,-])(?P<n>1[89]\d\d|20\d\d) ?г\. ?п\.(?!\w)", self.built),
            rule(r"(?<![\w.,-])(?P<n>[1-9]) хоз\.(?!\w)",
                 lambda m: own.counted(m["n"], ["хозяин", "хозяина", "хозяев", "хозяина"]) + last_stop(m)),
            rule(rf"(?<=\b[Вв] )(?P<how>{'|'.join(STATES)})\. ?сост\.(?!\w)",
                 lambda m: f"{STATES[m['how']]} состоянии{last_stop(m)}"),
            rule(r"(?:(?<=\d )|(?<=[°′″'\"] ))(?P<short>местн\. вр\.|[сю]\. ?ш\.|[вз]\. ?д\.)(?= [А-ЯЁ])",
                 lambda m: {"м": "местного времени", "с": "северной широты", "ю": "южной широты",
                            "в": "восточной долготы", "з": "западной долготы"}[m["short"][0]] + "."),
            rule(rf"(?<!\w)(?P<letter>[{letters}]) ?= ?(?P<n>\d{{1,6}}(?:,\d{{1,4}})?)(?=[;)]|[,.](?!\d)|\s*\Z)",
                 lambda m: f"{GREEK[m['letter']]} {own.equals} {own.spoken(m['n'])}"),
            rule(rf"(?<![\w{letters}\d])(?<!\d )(?P<letter>[{letters}])(?P<more>[A-Za-z]?)(?![\w])",
                 lambda m: GREEK[m["letter"]] + (f" {m['more']}" if m["more"] else "")),
        )  # fmt: skip

    def bare(self, match: re.Match[str]) -> str:
        """A number without a unit, in the genitive."""
        if match["part"]:
            return self.governed.decimal(match["n"], match["part"], GENITIVE)
        return self.in_case(int(match["n"]), GENITIVE)

    def storeys(self, match: re.Match[str]) -> str | None:
        """How many a house has; of a flat it is the one where it lies."""
        clause = text_before(match, 60)
        if not re.search(r"\b(?:[Дд]ом|[Кк]оттедж|[Дд]ача|[Тт]аунхаус)\b[^!?;]{0,50}\Z", clause) or re.search(
            r"\bкв\. ?\d|\bкв\.(?! ?м)|квартир|комнат|\b[Нн]а \Z", clause
        ):
            return None
        return self.own.counted(match["n"], ["этаж", "этажа", "этажей", "этажа"])

    def by_preposition(self, match: re.Match[str]) -> str:
        nominative, others = BY_PREPOSITION[match[0]]
        before = re.search(r"\b([А-Яа-яё]+) \Z", text_before(match, 12))
        said = others.get(before[1].lower() if before else "", nominative)
        if match[0] == "а/м" and PERMITS.search(text_before(match, 24)):
            said = nominative
        return said

    def lettered(self, match: re.Match[str]) -> str:
        """ "маршр. 12к": a letter of its name, not thousands."""
        head = re.sub(r"№ ?", "номер ", match["head"]).replace("вт.", "втобус").replace("аршр.", "аршрутка")
        return f"{head}{self.own.cardinal(int(match['n']))} {match['letter'].upper()}"

    def quarter(self, match: re.Match[str]) -> str:
        """Before a name: "в III кв. ВВП вырос"."""
        before = match["before"] or ""
        clause = text_before(match, 40)
        begins = not clause.strip() or re.search(r"[.!?] \Z", clause)
        case, noun = QUARTER_OF[before.lower()]
        if not before and not begins and re.search(r"[а-яё] \Z", clause):
            case, noun = "mg", "квартала"
        name = match["next"] == "«" or re.match(r" [А-ЯЁ]{2}", match.string[match.end() : match.end() + 3])
        stop = "" if begins or name else "."
        return f"{before} {self.own.ordinal(value(match['n']), case)} {noun}{stop}".lstrip()

    def days(self, match: re.Match[str]) -> str | None:
        if any(not 1 <= int(n) <= 31 for n in re.findall(r"\d+", match["days"])):
            return None
        said = re.sub(r"\d+", lambda n: self.own.ordinal(int(n[0]), "ng"), match["days"])
        return f"{said} {self.own.month_names[MONTHS[match['month']] - 1]}{last_stop(match)}"

    def weeks(self, match: re.Match[str]) -> str | None:
        """Of a pregnancy: between two weeks."""
        if int(match["b"]) != int(match["a"]) + 1 or int(match["a"]) < 4:
            return None
        said = self.own.counted(match["b"], self.own.unit_names["нед."].split("|"))
        return f"{self.own.cardinal(int(match['a']), 'f')} — {said}{last_stop(match)}"

    def street(self, match: re.Match[str]) -> str:
        """ "на 3-й Парковой ул.": in the case that the name and the preposition show."""
        forms, name = STREETS[match["what"]], match["name"]
        first = f"{self.own.ordinal(int(match['n']), 'fg')} " if match["n"] else ""
        case = {"ая": 0, "ую": 3}.get(name[-2:], 2 if "located" in match.groupdict() else 1)
        return f"{first}{name} {forms[case]}{last_stop(match)}"

    def storeyed(self, match: re.Match[str]) -> str | None:
        end = STOREYED[match["noun"]].get(match["end"])
        joined = self.in_case(int(match["n"]), GENITIVE).replace(" ", "").replace("одного", "одно")
        return end and f"{joined.replace('девяноста', 'девяносто')}этажн{end}"

    def nutrients(self, match: re.Match[str]) -> str | None:
        """What a portion has of protein, fat and carbohydrates, with the energy before them."""
        numbers = match["n"].split("/")
        if (len(numbers) == 4) != bool(match["k"]):
            return None
        said = ", ".join(self.own.spoken(number) for number in numbers)
        energy = "калории, " if match["k"] else ""
        return f"{energy}белки, жиры, углеводы — {said}{last_stop(match)}"

    def after(self, match: re.Match[str]) -> str:
        """ "по истечении 14 дн."."""
        one = ends_in_one(match["n"])
        noun = match["noun"]
        feminine = one and noun in ("нед.", "недели", "минуты")
        if noun.endswith("."):
            noun = self.own.unit_names[noun].split("|")[1 if one else 2] + last_stop(match)
        said = self.in_case(int(match["n"]), GENITIVE, "feminine" if feminine else "masculine")
        return f"{match['before']} {said} {noun}"

    def thousands_for(self, match: re.Match[str]) -> str:
        """What a month or a night costs, in thousands."""
        if match["before"]:
            one = ends_in_one(match["n"])
            said = f"{match['before']} {self.in_case(int(match['n']), GENITIVE, 'feminine' if one else 'masculine')} "
            said += "тысячи" if one else "тысяч"
        else:
            said = self.own.scaled(match["n"], "тыс.")
        return f"{said} рублей {self.own.per_word(EACH[match['per']])}{last_stop(match)}"

    def others(self, match: re.Match[str]) -> str:
        """ "Иванова и др.": genitives both."""
        return f"{match['head']}других{last_stop(match)}"

    def articles(self, match: re.Match[str]) -> str:
        """Several articles of a law in the case of the preposition before them, or before "п. 2 ст. 1 и"."""
        before = text_before(match, 100)
        chain = r"(?:(?:подп|абз|п|ч|ст)\. ?[^;!?()]{1,60}(?:,| и) )?"
        cases = [case for words, case in PART_CASES.items() if re.search(rf"\b(?:{words}) {chain}\Z", before)]
        if re.search(r"\b(?:[Пп]редусмотренн|[Уу]становленн)\w{2,3} \Z", before):
            cases = [ABLATIVE]
        said = ARTICLES[ABLATIVE if ABLATIVE in cases else cases[0] if cases else ""]
        return said.capitalize() if match[0][0] == "С" else said

    def points(self, match: re.Match[str]) -> str:
        """ "до 2 530,7 п.": of an index."""
        case = DATIVE if match["before"] in "Кк" else GENITIVE
        written = match["n"].replace(" ", "")
        if match["part"]:
            said = f"{self.governed.decimal(written, match['part'], case)} {POINT[case]}"
        else:
            one = ends_in_one(written)
            noun = ("пункту" if one else "пунктам") if case == DATIVE else "пункта" if one else "пунктов"
            said = f"{self.in_case(int(written), case)} {noun}"
        return f"{match['before']} {said}{last_stop(match)}"

    def years_of(self, match: re.Match[str]) -> str | None:
        """A war or a reign of these years."""
        if re.fullmatch(NO_OWNER, match["owner"].lower()):
            return None
        first, last = (self.own.ordinal(int(match[name]), "mg") for name in "ab")
        return f"{match['owner']} {first} — {last} годов{last_stop(match)}"

    def built(self, match: re.Match[str]) -> str | None:
        """The year in which a house was built."""
        if not mentions(HOUSES, match.string):
            return None
        return f"{self.own.ordinal(int(match['n']), 'mg')} года постройки{last_stop(match)}"
