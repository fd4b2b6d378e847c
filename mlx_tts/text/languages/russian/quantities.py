"""Russian quantities as recipes, case notes, tests and leaflets write them ("2 ст. муки", "1,2±0,1 млн") -> words."""

from __future__ import annotations

import re

from mlx_tts.text.languages.russian.governed import ends_in_one, last_stop
from mlx_tts.text.languages.russian.in_cases import InCases
from mlx_tts.text.languages.russian.names import DAYS
from mlx_tts.text.normalise.engine import Rule, mentions, one_of, rule, text_before

GLASS = ("стакан", "стакана", "стаканов", "стакана")
FOODS = (
    r"(?=(?:[а-яё]{4,12}(?:ого|ой|ых|его|ей) )?(?:мук|сахар|молок|вод|рис|греч|кефир|сметан|масл|крахмал|манк"
    r"|бульон|слив|орех|изюм|круп|сок|пшен|овсян|хлопь|йогурт|мёд|мед|соли|фасол|горох|чечевиц|ягод|варень"
    r"|панир|геркулес)[а-яё]{0,5}\b)"
)
SUFFERER = (
    r"(?P<who>(?:\b[А-ЯЁ]\.|\b(?:[Пп]ациентк?а?|[Бб]ольн(?:ой|ая)|[Мм]ужчина|[Жж]енщина|[Рр]еб[её]нок"
    r"|[Мм]альчик|[Дд]евочка)|\b(?:муж|жен)\.),? )"
)
NUTRIENTS = {"Б": "белки", "Ж": "жиры", "У": "углеводы"}
FAT = re.compile(r"(?<![\w.])Ж[ :—–-]{0,3}\d")
INTERFACES = "USB(?:[- ](?:Type-)?[ABC])?|HDMI|Bluetooth|PCIe|DisplayPort|iOS|macOS|iPadOS|Android|DirectX|SATA"
HALVES = {"0,5": "полу", "1,5": "полутора"}
# "по ½ таблетки", by the last character.
PARTS_EACH = {"½": "половине", "2": "половине", "⅓": "трети", "3": "трети", "¼": "четверти", "4": "четверти"}
SPENDS = (
    "принес|принёс|заплат|получ|потрат|выигр|собра|выдел|перев[её]|заработ|взя|верн|прода|отда|накоп|сэконом|потеря"
)
PARTS_OF_ONE = {"½": (1, 2), "⅓": (1, 3), "⅔": (2, 3), "¼": (1, 4), "¾": (3, 4)}
BOOKS = re.compile("[Кк]ниг|[Ии]зд|[Уу]чебник|[Тт]ираж|[Тт]ом\\b|[Бб]рошюр|[Жж]урнал|[Мм]онографи")
# Genitives of several that end in the stem: "жители 3 сёл".
STEMS = "с[её]л|деревень|стран|рек|оз[её]р|окон|мест|дел|слов|писем|яблок|в[её]дер|кол[её]с|ламп|бригад|зв[её]зд"
AGE = ("год", "года", "лет", "года")
# Adjectives before a noun whose ending is theirs as well: "слив. масла". Of a light year see `light_years`.
SHORT_ADJECTIVES = {
    "слив.": "сливочн", "раст.": "растительн", "подсолн.": "подсолнечн", "олив.": "оливков", "оливк.": "оливков",
    "кукур.": "кукурузн", "топл.": "топлён", "тв.": "тверд", "плавл.": "плавлен",
}  # fmt: skip
FEMININE_ADJECTIVES = {"сах.": "сахарн", "пшен.": "пшеничн", "ржан.": "ржан", "пищ.": "пищев", "кип.": "кипячён"}
FEMININE_ENDS = {"а": "ая", "у": "ую"}
ADJECTIVE_ENDS = {"": "ый", "о": "ое", "а": "ого", "у": "ому", "ом": "ым", "е": "ом"}
LIGHT_ENDS = {"": "ой", "а": "ого", "у": "ому", "ом": "ым", "е": "ом", "ы": "ые", "ам": "ым", "ами": "ыми"}
LIGHT_CASES = {"ах": "locative", "ам": "dative", "ами": "ablative"}


class Quantities(InCases):
    def rules(self) -> tuple[Rule, ...]:
        own = self.own
        return (
            rule(r"\b(?P<before>[Сс]) (?P<n>\d{1,2}) (?P<kind>ст|ч|стол|чайн)\. ложк(?P<end>ой|ами)(?!\w)",
                 lambda m: f"{m['before']} {self.in_case(int(m['n']), 'ablative', 'feminine')} "
                 f"{'столов' if m['kind'][0] == 'с' else 'чайн'}{'ой' if m['end'] == 'ой' else 'ыми'} ложк{m['end']}"),
            rule(rf"(?<![\w.])(?P<word>{one_of(SHORT_ADJECTIVES)}) ?(?=(?:масл|сыр|молок|творог)"
                 r"(?P<end>|о|а|у|ом|е)(?!\w))",
                 lambda m: f"{SHORT_ADJECTIVES[m['word']]}{ADJECTIVE_ENDS[m['end']]} "),
            rule(rf"(?<![\w.])(?P<word>{one_of(FEMININE_ADJECTIVES)}) ?"
                 r"(?=(?:пудр|мук|сод|вод)(?P<end>а|ы|и|е|у|ой)(?!\w))",
                 lambda m: f"{FEMININE_ADJECTIVES[m['word']]}{FEMININE_ENDS.get(m['end'], 'ой')} "),
            rule(rf"(?<![\w.,/-])(?:(?P<n>\d{{1,2}}(?:,\d)?|полтора)|(?P<top>\d)/(?P<bottom>\d)"
                 rf"|(?P<whole>\d?) ?(?P<part>[½⅓⅔¼¾])) ?ст\. {FOODS}", self.glasses),
            rule(r"(?P<head>\b(?:[Пп]ропорци|[Сс]оотношени|[Оо]тношени|[Мм]асштаб)[а-яё]{0,3},? )"
                 r"(?P<n>\d{1,7}(?::(?:\d{1,3}(?: \d{3})+|\d{1,7})){1,3})(?![\w:]| \d{3})",
                 lambda m: m["head"] + " к ".join(
                     own.cardinal(int(n)) if place == 0 else self.in_case(int(n), "dative")
                     for place, n in enumerate(m["n"].replace(" ", "").split(":")))),
            rule(r"(?<![\w.])(?P<name>[БЖУ])[ :—–-]{1,3}(?P<n>\d{1,3}(?:,\d)?) ?(?:г\b|(?=[,;/)]))",
                 lambda m: f"{NUTRIENTS[m['name']]} {own.counted(m['n'], own.unit_names['г'].split('|'))}"
                 if mentions(FAT, m.string) else None),
            rule(rf"\b(?P<name>{INTERFACES}) (?P<a>\d{{1,2}})\.(?P<b>\d{{1,2}})(?P<letter>[a-e]?)(?!\w|\.\d)",
                 lambda m: f"{m['name']} {own.cardinal(int(m['a']))} {own.dot} {own.cardinal(int(m['b']))}"
                 + (f" {m['letter']}" if m["letter"] else "")),
            rule(r"(?<![\w.,-])(?P<n>\d,5)-(?P<word>(?:литров|килограммов|метров|километров|часов|годов|тонн|минутн|процентн)"
                 r"[а-яё]{2,3})\b",
                 self.and_a_half),
            rule(r"(?<![\w.,-])(?P<a>\d{1,3}) дн(?P<end>я|ей)/(?P<b>\d{1,3})(?P<nights> ноч[ьией]{1,2})\b",
                 lambda m: f"{own.cardinal(int(m['a']))} дн{m['end']}, {own.cardinal(int(m['b']), 'f')}{m['nights']}"),
            rule(rf"(?<![\w.,-])(?P<a>\d{{1,4}}(?:,\d{{1,4}})?) ?± ?(?P<b>\d{{1,4}}(?:,\d{{1,4}})?) ?"
                 rf"(?:(?P<scale>млн|млрд|тыс\.)|(?P<unit>{one_of(own.unit_names)}))(?![\w²³/])", self.give_or_take),
            rule(r"(?:\b(?P<before>[Пп]ри) )?(?<![\w.,])(?P<a>[-−–+]?\d{1,3}) ?(?:…|\.\.\.?) ?"
                 r"(?P<b>[-−–+]?\d{1,3}) ?°[CС]?(?!\w)",
                 self.degrees),
            rule(r"\b(?P<before>[Зз]а) 1:(?P<s>[0-5]\d,\d{1,2})(?![\w:]|[.,]\d)",
                 lambda m: f"{m['before']} одну минуту "
                 f"{own.counted(re.sub('^0', '', m['s']), own.unit_names['с'].split('|'))}"),
            rule(r"\b(?P<before>[Пп]о) (?P<part>½|1/2|⅓|1/3|¼|1/4)(?= [а-яё])",
                 lambda m: f"{m['before']} {PARTS_EACH[m['part'][-1]]}"),
            rule(rf"(?P<head>\b(?:{SPENDS})[а-яё]* )(?P<n>[2-9]?1|\d[02-9]1) ?тыс(?:\.|яч[аиу])?(?![а-яё])",
                 lambda m: f"{m['head']}{own.cardinal(int(m['n']), 'f')[:-1]}у тысячу"),
            rule(r"\b(?P<before>[Кк]) (?P<n>\d{1,2})(?=[,;!?)]|\.(?!\d)|\s*\Z| (?:на|в|у|за|приду|буду|я|мы|надо|нужно"
                 r"|точно|ровно|прибав|добав))",
                 lambda m: f"{m['before']} {self.in_case(int(m['n']), 'dative')}"),
            rule(rf"(?<![\w.,/:-])(?P<n>\d{{0,2}}(?<!1)[2-4])(?= (?:{STEMS})\b)",
                 lambda m: self.in_case(int(m["n"]), "genitive")),
            rule(r"\b(?P<before>[Пп]о) 1 (?P<kind>ст|ч)\. ?л\.(?!\w)",
                 lambda m: f"{m['before']} одной {'столовой' if m['kind'] == 'ст' else 'чайной'} ложке{last_stop(m)}"),
            rule(r"(?<=-й )стр\.(?!\w)", self.page),
            rule(rf"(?<=\d )(?P<name>{one_of(DAYS)})\.?(?!\w)",
                 lambda m: DAYS[m["name"]][2] + last_stop(m)
                 if re.search(r"\b(?:[Дд]о|[Сс]|[Пп]осле) \d{1,2}(?::\d\d)? \Z", text_before(m, 16)) else None),
            rule(r"(?P<head>\b(?:[Бб]агаж|[Кк]ладь|[Оо]сталось|[Сс]вободно|[Гг]руз"
                 r"|[Зз]абронирова[а-яё]{1,4}):? )1(?= место)",
                 lambda m: m["head"] + "одно"),
            rule(r"(?:(?<=\bуже )|(?<=\bещё )|(?<=\bеще )|(?<=\bпримерно )|(?<=\bвсего ))"
                 r"(?P<unit>мин|сек|руб|км|кг)(?= \d)",
                 lambda m: self.several(m["unit"])),
            rule(r"\b(?P<before>[Пп]о|[Зз]а) (?P<n>\d{1,5}) р(?![\w./])",
                 lambda m: f"{m['before']} {own.price(m['n'], 'руб.')}"),
            rule(r"(?P<head>\b[Ии]ндекс:? )(?P<a>\d{3})(?P<b>\d{3})(?![\w-]|[.,]\d| пункт)",
                 lambda m: f"{m['head']}{own.digits(m['a'])}, {own.digits(m['b'])}"),
            rule(rf"{SUFFERER}(?P<n>[1-9]\d?|1[01]\d) ?[гл]\.(?=[,;)]| [а-яё])",
                 lambda m: f"{m['who']}{own.counted(m['n'], list(AGE))}"),
            rule(r"(?:(?<=\bВ )(?P<n>[1-9]\d\d) ?г\.(?= [А-ЯЁ])|(?<=\bв )(?P<m>[1-9]\d\d) ?г\."
                 r"(?= [А-ЯЁ][а-яё]+ [а-яё]+(?:л|ла|ли|лся|лась)\b))",
                 lambda m: None if (m["n"] or m["m"]).endswith(("00", "50"))
                 else f"{own.ordinal(int(m['n'] or m['m']), 'ml')} году"),
            rule(r"\b(?P<before>[Мм]ежду) (?P<a>\d{1,3}) и (?P<b>\d{1,3})(?=[,;!?)]|\.(?!\d)|\s*\Z"
                 r"| (?:утра|вечера|дня|ночи|часами|и|он|она|на|в)\b)",
                 lambda m: f"{m['before']} {self.in_case(int(m['a']), 'ablative')} и "
                 f"{self.in_case(int(m['b']), 'ablative')}"),
            rule(r"(?<![\w.,-])(?P<n>\d{2,4}) ?с\.(?=[,;)]|\s*\Z| [—–А-ЯЁ])",
                 lambda m: own.counted(m["n"], own.unit_names["стр."].split("|")) + last_stop(m)
                 if mentions(BOOKS, m.string) else None),
            rule(r"(?<=\b[Нн]а )с\.(?= ?\d)", "странице"),
            rule(r"\b(?P<before>[Вв]) (?P<n>\d{1,3}) экз\.",
                 lambda m: f"{m['before']} {self.in_case(int(m['n']), 'locative')} "
                 f"{'экземпляре' if ends_in_one(m['n']) else 'экземплярах'}{last_stop(m)}"),
            rule(rf"(?<![\w.])(?P<before>[Сс]о?|[Дд]о|[Пп]осле|[Оо]т) (?P<name>{one_of(DAYS)})\.?,? "
                 r"(?P<day>0?[1-9]|[12]\d|3[01])\.(?P<month>0[1-9]|1[0-2])(?![\w/-]|[.,]\d)", self.from_a_day),
            rule(rf"(?<![\w.,-])(?P<name>[A-Za-zØ]) ?= ?(?P<n>\d{{1,4}}(?:,\d{{1,3}})?) ?"
                 rf"(?P<unit>{one_of(own.unit_names)})"
                 r"(?![\w²³/])",
                 lambda m: f"{m['name']} {own.equals} {own.counted(m['n'], own.unit_names[m['unit']].split('|'))}"),
            rule(r"(?:(?<![\w.,-])(?P<n>\d{1,3}(?: \d{3}){0,2}|\d{4,6}) )?(?<![\w.])св\. ?(?=(?:год"
                 r"(?P<end>|а|у|ом|е|ы|ов|ах|ам|ами)|лет(?:ах|ам|ами)?)(?!\w))", self.light_years),
            rule(r"(?<![\w.,/-])(?P<a>\d{2,3})/(?P<b>\d{2,3}) ?мм ?рт\. ?ст\.?(?!\w)",
                 lambda m: f"{own.cardinal(int(m['a']))} на "
                 f"{own.counted(m['b'], own.unit_names['мм рт. ст.'].split('|'))}{last_stop(m)}"),
            rule(r"(?<![\w.])(?<!\d )(?P<unit>мин|сек|руб|км|кг)(?P<joint> (?:на|через|за) (?=\d))",
                 lambda m: self.several(m["unit"]) + m["joint"]),
            rule(r"(?:(?<=\bна )|(?<=\bчерез )|(?<=\bза ))(?P<unit>мин|сек|руб|км|кг)(?= \d)",
                 lambda m: self.several(m["unit"])),
        )  # fmt: skip

    def glasses(self, match: re.Match[str]) -> str:
        """Glasses of flour, also one and a half."""
        own = self.own
        if match["n"]:
            return f"полтора {GLASS[1]} " if match["n"] == "полтора" else own.counted(match["n"], list(GLASS)) + " "
        top, bottom = PARTS_OF_ONE[match["part"]] if match["part"] else (int(match["top"]), int(match["bottom"]))
        if match["whole"] == "1" and bottom == 2:
            return f"полтора {GLASS[1]} "
        if match["whole"]:
            return f"{own.mixed(match['whole'], top, bottom)} {GLASS[1]} "
        return own.part_of(top, bottom, "|".join(GLASS)) + " "

    def and_a_half(self, match: re.Match[str]) -> str:
        """ "1,5-часовой", "2,5-метровый"."""
        number, word = match["n"], match["word"]
        if number in HALVES:
            return ("пол" if number == "0,5" and word[0] == "л" else HALVES[number]) + word
        return f"{self.in_case(int(number[0]), 'genitive')} с половиной {word}"

    def page(self, match: re.Match[str]) -> str:
        """Behind an ordinal, in the case of the preposition before it."""
        before = text_before(match, 12)
        located = re.search(r"\b(?:[Нн]а|[Вв]|[Оо]) \d{1,3}-й \Z", before)
        led = re.search(r"\b(?:[Сс]о?|[Дд]о|[Оо]т|[Ии]з) \d{1,3}-й \Z", before)
        return ("странице" if located else "страницы" if led else "страница") + last_stop(match)

    def several(self, unit: str) -> str:
        """ "мин на 20": before a number that is not exact the genitive of several."""
        return (self.own.money.get(unit) or self.own.unit_names[unit]).split("|")[2]

    def light_years(self, match: re.Match[str]) -> str | None:
        """ "в 124 св. годах", "4,2 св. года"."""
        written, end = match["n"] or "", match["end"]
        number = written.replace(" ", "")
        case = LIGHT_CASES.get(end or "")
        several = end in ("ов", "ах", None) or (end == "а" and number[-1:] in tuple("234") and number[-2:-1] != "1")
        said = f"светов{'ых' if several else LIGHT_ENDS[end]} "
        if not number:
            return said
        spoken = self.in_case(int(number), case) if case else None
        return f"{spoken or self.own.spoken(number)} {said}"

    def give_or_take(self, match: re.Match[str]) -> str:
        """ "1,2±0,1 млн"."""
        own = self.own
        if match["scale"]:
            last = own.scaled(match["b"], match["scale"])
        else:
            last = own.counted(match["b"], own.unit_names[match["unit"]].split("|")) + last_stop(match)
        return f"{own.spoken(match['a'])} {own.plus} {own.minus} {last}"

    def degrees(self, match: re.Match[str]) -> str:
        """ "+5…+8 °C": behind "при" in the locative."""
        own, before = self.own, match["before"]
        said = []
        for written in (match["a"], match["b"]):
            sign = {"+": f"{own.plus} "}.get(written[0], "" if written[0].isdecimal() else f"{own.minus} ")
            number = int(written.lstrip("-−–+"))
            said.append(sign + (self.in_case(number, "locative") if before else own.cardinal(number)))
        last = int(match["b"].lstrip("-−–+"))
        noun = own.counted(str(last), own.unit_names["°"].split("|")).rpartition(" ")[2]
        if before:
            noun = "градусе" if last % 10 == 1 and last % 100 != 11 else "градусах"
        scale = " Цельсия" if match[0][-1] in "CС" else ""
        return f"{before + ' ' if before else ''}{said[0]} {own.to} {said[1]} {noun}{scale}"

    def from_a_day(self, match: re.Match[str]) -> str:
        """The weekday is in the genitive, as the date is."""
        name = DAYS[match["name"]][2]
        before = match["before"]
        if before in "Сс" and name.startswith(("вт", "ср")):
            before += "о"
        return f"{before} {name} {self.own.said_date(int(match['day']), int(match['month']), None, '')}"
