"""Russian rooms, classes, spoons, minutes of a match and halves of hours, in the case of their context -> words."""

from __future__ import annotations

import re

from mlx_tts.text.languages.russian.governed import (
    ABLATIVE,
    GENITIVE,
    GOVERNS,
    UsesGoverned,
    ends_in_one,
    last_stop,
    noun_in_case,
)
from mlx_tts.text.normalise.engine import Rule, mentions, one_of, rule, text_after, text_before

# Nominative, genitive, dative, locative, accusative.
ROOMS = {
    "каб.": ("кабинет", "кабинета", "кабинету", "кабинете", "кабинет"),
    "ауд.": ("аудитория", "аудитории", "аудитории", "аудитории", "аудиторию"),
    "пав.": ("павильон", "павильона", "павильону", "павильоне", "павильон"),
    "маг.": ("магазин", "магазина", "магазину", "магазине", "магазин"),
    "шк.": ("школа", "школы", "школе", "школе", "школу"),
    "корп.": ("корпус", "корпуса", "корпусу", "корпусе", "корпус"),
    "кв.": ("квартира", "квартиры", "квартире", "квартире", "квартиру"),
    "оф.": ("офис", "офиса", "офису", "офисе", "офис"),
}
PLACED = {**dict.fromkeys(("в", "на", "во"), 3), **dict.fromkeys(("из", "от", "до", "у", "около", "возле", "для"), 1),
          **dict.fromkeys(("к", "ко", "по"), 2)}  # fmt: skip
# Of going somewhere "в" has the accusative.
GOING = re.compile(
    r"(?:\b[Пп]ро[йх]\w*|\b[Зз]а(?:йд|йти|ход|гля)\w*|\b(?:[Пп]од|[Пп]ере|[Вв])(?:ойт|ойд|ход|ойди|йд|йт)\w*"
    r"|[Пп]риглаша\w+|[Пп]однима\w+|[Пп]однят\w+|\b[Оо]бра(?:ти|ща)\w+|[Пп]ерен(?:ос|ес|ёс)\w+|[Пп]ерев(?:од|ед|ел)\w+"
    r"|[Нн]аправ\w+|\b[Ии]ди\w*|\b[Пп]рий?[дт]\w+|\b[Пп]риход\w+|\b[Дд]остав\w+|\b[Вв]ход\b|\b[Оо]тнес\w+|\b[Сс]да[йтв]\w*)"
    r"(?: (?:[^.!?;]|\.(?= ?[а-яё№\d])){1,40})? \Z"
)
GOALS = re.compile(r"\b(?:[Гг]ол|[Мм]яч|[Сс]ч[её]т)|забил|\b[Пп]енальти|\b[Уу]дар|\b[Мм]атч|\b[Тт]айм|карточк|ворот")
MIXED = (
    r"(?:[Сс]меша\w+|[Пп]еремеша\w+|[Сс]оедини\w+|[Вв]збе\w+|[Вв]зби\w+|[Рр]азот[рт]\w+|[Рр]астер\w+|[Рр]астир\w+"
    r"|[Зз]але\w+|[Рр]азве\w+)"
)
# The end of "class" -> the case of its ordinal.
CLASSES = {"": "m", "а": "mg", "у": "md", "ом": "ma", "е": "ml"}
SCHOOL = re.compile(
    r"[Кк]ласс|[Уу]чени[кц]|[Уу]рок|[Шш]кол|[Уу]чител|[Кк]онтрольн|[Сс]обрани|[Дд]ет[ие]|[Рр]одител|[Дд]невник"
)
HOUSE = re.compile(r"(?:[Дд]ом\w{0,2}|д\.|[Кк]орп\.|[Кк]орпус\w{0,2}|,) ?\Z")
INTO = re.compile(r"\b(?:[Пп]ере[шйв]\w+|[Пп]оступ\w+|[Пп]о[шй]\w+|[Ии]д[её]т|[Пп]рин[ия]\w+|[Зз]ачисл\w+) \Z")
TAKES = (
    "изуч|собра|купи|прода|постро|выпусти|обработа|провери|опроси|насчита|обнаружи|получи|приня|посади|произве|выяви"
    "|зарегистрирова|прочита|написа|потрати|заработа|прое[хз]|пробежа|набра|привл[её]к|записа|отобра|посети|приобре"
    "|эвакуирова|задержа|заплати|сэкономи"
)
SPOON = {"ст": "столов", "ч": "чайн", "дес": "десертн"}


class InContext(UsesGoverned):
    def rules(self) -> tuple[Rule, ...]:
        own = self.own
        return (
            rule(r"\b(?P<before>[Оо]коло|[Нн]иже|[Вв]ыше|[Дд]о|[Оо]т|[Сс]выше|[Бб]олее|[Мм]енее|[Бб]ольше|[Мм]еньше"
                 r"|[Пп]осле|[Сс]) 0(?![\w:/–—-]|[.,]\d| ?[°%–—-]| (?:к?г|[скм]?м|мг|м?л|ч|мин|с|сек|р|руб|шт)\b)",
                 r"\g<before> нуля"),
            rule(r"(?P<before>(?:\b[А-ЯЁа-яё]{1,4} )?)(?<![\w.,-])(?P<n>[1-9]|1[01]) ?(?P<letter>[«\"“„]?[А-И][»\"”“]?)"
                 r"(?= класс(?P<end>|а|у|ом|е)(?!\w))",
                 lambda m: f"{m['before']}{own.ordinal(int(m['n']), CLASSES[m['end']])} {m['letter']}"),
            rule(r"(?:\b(?P<before>[Вв]о?|[Ии]з|[Уу]|[Дд]о|[Оо]т|[Кк]о?|[Дд]ля) )?(?<![\w.,-])(?P<n>[1-9]|1[01]) ?"
                 r"(?P<letter>«[А-И]»|\"[А-И]\")(?! класс)(?!\w)", self.school_class),
            rule(r"№№ ?(?=\d)", "номера "),
            rule(r"(?P<before>(?:\b[А-ЯЁа-яё]{1,4} )?)(?<![\w.,-])(?P<a>[1-9]|10) ?[-–—] ?(?P<b>[2-9]|1[01])"
                 r"(?= класс(?P<end>ов|ы|ам|ах)(?!\w))", self.classes),
            rule(r"(?<!\w)[Ø⌀] ?(?P<n>[1-9]\d{0,3}(?:,\d{1,2})?) ?(?P<unit>мм|см|м)(?!\w)",
                 lambda m: f"диаметром {own.counted(m['n'], own.unit_names[m['unit']].split('|'))}"),
            rule(r"(?:\b(?P<before>[Дд]о|[Сс]|[Пп]осле|[Кк]|[Нн]а|[Оо]коло|[Оо]т|[Пп]о) )?"
                 r"(?<![\w.,-])(?P<n>[1-9]|[12]\d|3[01])(?= числ(?P<end>а|у|о|е)(?!\w))", self.day_of_month),
            rule(rf"(?P<head>\b(?i:{TAKES})[а-яё]{{0,4}}(?<!ся)(?<!сь)(?<!н[оыа]) )"
                 r"(?P<n>1 ?\d{3})(?= (?!год)[а-яё]{3})",
                 lambda m: m["head"] + re.sub(r"\A(?:одна )?тысяча", "одну тысячу",
                                              own.cardinal(int(m["n"].replace(" ", ""))))),
            rule(r"(?<![\w.,/])(?:(?P<whole>[1-9]) )?(?P<top>[1-9]\d?)/(?P<bottom>[248]|16)[\"″]"
                 r"(?![\w\"])", self.part_of_inch),
            rule(rf"\b(?P<before>{GOVERNS[GENITIVE]}|[Сс]) (?P<n>\d{{1,3}}(?: \d{{3}}){{1,2}}|\d{{1,6}}) ?"
                 r"(?:руб\.?|р\.|₽) (?P<part>\d{1,2}) ?(?P<coins>коп\.?)(?!\w)", self.with_coins),
            rule(r"(?:\b(?P<before>[Вв]|[Кк]|[Дд]о|[Пп]осле|[Оо]коло|[Сс]) )?\b(?P<half>[Пп])ол[- ]?(?P<n>[1-9]|1[0-2])"
                 r"(?= (?:утра|вечера|дня|ночи|у|в|на|я|мы|он|она|буду|жду|возле|около|и|а|но)\b"
                 r"|[,;!?)]|\.(?!\d)|\s*\Z)",
                 self.half_past),
            rule(r"(?:\b(?P<until>[Дд]о|[Пп]осле) |(?<=-го )|(?<=[Зз]автра )|(?<=[Сс]егодня )|(?<=\b[Нн]а ))"
                 r"др(?![\w.])",
                 lambda m: f"{m['until']} дня рождения" if m["until"] else "день рождения"),
            rule(rf"\b(?P<before>[А-ЯЁа-яё]{{1,5}}) (?P<room>{one_of(ROOMS)})(?= ?(?:№ ?)?\d)", self.room),
            rule(r"\b(?P<before>[Сс]о?) (?P<a>\d{1,2}) ?[-–—] ?(?P<b>\d{1,2}) ?(?P<kind>ст|ч|дес)\. ?л(?:\.|ожками)"
                 r"(?!\w)",
                 lambda m: f"{m['before']} {self.in_case(int(m['a']), ABLATIVE)} — "
                 f"{self.in_case(int(m['b']), ABLATIVE)} {SPOON[m['kind']]}ыми ложками{last_stop(m)}"),
            rule(r"(?<=[мйюи], )(?P<n>[1-9]) (?P<kind>ст|ч|дес)\. ?л\.(?!\w)", self.and_spoons),
            rule(rf"(?P<head>\b{MIXED}(?: [^.!?;,\d]{{1,40}})? со?) (?P<n>[1-9]\d{{0,3}}) ?(?P<unit>г|мл|кг|л)"
                 r"(?= (?!до )[а-яё]{3})", self.mixed),
            rule(r"\b(?P<before>[Сс]о?) (?P<n>[1-9]\d{0,4})(?:,(?P<part>\d{1,3}))? ?(?P<unit>к?г|[скм]?м|км/ч|м?л|°C?|%"
                 r"|руб\.|₽|тыс\. руб\.|чел\.)(?= до (?:\d|[-–+]\d))", self.downwards),
            rule(r"(?:(?<=\A)|(?<=[.!?;,(] )|(?<=, а )|(?<=\bи )|(?<=\n))(?P<before>[Нн]а) "
                 r"(?P<a>[1-9]\d?|1[01]\d|120)(?P<more>\+[1-9]\d?)? (?P<noun>мин\.?|минуте)"
                 r"(?= [А-ЯЁа-яё«]|(?<=минуте))",
                 self.of_the_match),
            rule(r"\b(?P<before>[Нн]а) (?P<a>[1-9]\d?|1[01]\d|120)(?P<more>\+[1-9]\d?) (?P<noun>мин(?:\.|уте|(?!\w)))",
                 lambda m: f"{self.of_the_match(m)}{last_stop(m)}"),
            rule(r"(?P<before>\b(?:[Кк]|[Нн]а|[Пп]осле|[Дд]о|[Сс]о?|[Оо]т)) (?P<n>\d{1,3})-й(?= мин)",
                 lambda m: f"{m['before']} {own.ordinal(int(m['n']), 'fg')}"),
        )  # fmt: skip

    def classes(self, match: re.Match[str]) -> str | None:
        """From one class of a school to another, and no number of them."""
        if int(match["a"]) >= int(match["b"]):
            return None
        case = {"ов": "pg", "ы": "p", "ам": "pd", "ах": "pl"}[match["end"]]
        first, last = (self.own.ordinal(int(match[name]), case) for name in "ab")
        return f"{match['before']}{first} — {last}"

    def school_class(self, match: re.Match[str]) -> str | None:
        """A class of a school by its letter alone."""
        if not mentions(SCHOOL, match.string) or HOUSE.search(text_before(match, 10)):
            return None
        before = match["before"] or ""
        case = {"в": "ml", "во": "ml", "к": "md", "ко": "md", "": "m"}.get(before.lower(), "mg")
        if case == "ml" and INTO.search(text_before(match, 24)):
            case = "m"
        return f"{before} {self.own.ordinal(int(match['n']), case)} {match['letter']}".lstrip()

    def part_of_inch(self, match: re.Match[str]) -> str | None:
        top, bottom = int(match["top"]), int(match["bottom"])
        if top >= bottom:
            return None
        if match["whole"]:
            return f"{self.own.mixed(match['whole'], top, bottom)} дюйма"
        return "полдюйма" if bottom == 2 else f"{self.own.fraction(top, bottom)} дюйма"

    def with_coins(self, match: re.Match[str]) -> str | None:
        """Roubles and kopecks are both in the genitive."""
        if match["before"] in ("С", "с") and not re.match(r" до \d", text_after(match, 6)):
            return None
        money = self.governed.amount(match["n"].replace(" ", ""), None, None, "руб.", GENITIVE)
        coins = self.governed.amount(match["part"], None, None, "коп.", GENITIVE)
        return f"{match['before']} {money} {coins}{last_stop(match)}"

    def half_past(self, match: re.Match[str]) -> str | None:
        before = match["before"]
        if match["half"] == "П" and not re.match(" (?:утра|вечера|дня|ночи)", text_after(match, 8)):
            return None
        return f"{before + ' ' if before else ''}{match['half']}ол {self.own.ordinal(int(match['n']), 'mg')}"

    def day_of_month(self, match: re.Match[str]) -> str | None:
        """Two to four of them without a preposition can be numbers of a sum."""
        before, end = match["before"], match["end"]
        if not before and end == "а" and re.fullmatch(r"[2-4]", match["n"]):
            return None
        said = self.own.ordinal(int(match["n"]), {"а": "ng", "у": "nd", "о": "n", "е": "nl"}[end])
        return f"{before} {said}" if before else said

    def room(self, match: re.Match[str]) -> str | None:
        before = match["before"]
        case = PLACED.get(before.lower())
        if case is None:
            return None
        if case == 3 and GOING.search(text_before(match, 60)):
            case = 4
        return f"{before} {ROOMS[match['room']][case]}"

    def and_spoons(self, match: re.Match[str]) -> str | None:
        """All of it is mixed with: behind one egg in the ablative are two spoonfuls of sugar."""
        led = rf"{MIXED} [^.!?;]{{0,60}}\bсо? [^.!?;]{{1,40}}(?:[ое]м|[ое]й|ью|ами|ями), \Z"
        if not re.search(led, text_before(match, 120)):
            return None
        one = match["n"] == "1"
        said = self.in_case(int(match["n"]), ABLATIVE, "feminine" if one else "masculine")
        return f"{said} {SPOON[match['kind']]}{'ой ложкой' if one else 'ыми ложками'}"

    def mixed(self, match: re.Match[str]) -> str | None:
        """What is mixed with so much of something."""
        one = ends_in_one(match["n"])
        noun = noun_in_case(self.governed.forms(match["unit"]), ABLATIVE, one)
        return noun and f"{match['head']} {self.in_case(int(match['n']), ABLATIVE)} {noun}"

    def downwards(self, match: re.Match[str]) -> str | None:
        """From one amount to another."""
        unit = match["unit"]
        scale = "тыс" if unit.startswith("тыс") else None
        said = self.governed.amount(match["n"], match["part"], scale, "руб." if scale else unit, GENITIVE)
        return said and f"{match['before']} {said}"

    def of_the_match(self, match: re.Match[str]) -> str | None:
        """A goal in that minute: when, and not for how long."""
        if not (match["more"] or match["noun"] == "минуте" or mentions(GOALS, match.string)):
            return None
        own, a = self.own, int(match["a"])
        if match["more"]:
            said = f"{own.cardinal(a)} {own.plus} {own.ordinal(int(match['more']), 'fg')}"
        else:
            said = own.ordinal(a, "fg")
        return f"{match['before']} {said} минуте"
