"""Russian amounts that only the words beside them explain: years, quarters, prices for one, doses, flats -> words."""

from __future__ import annotations

import re

from mlx_tts.text.languages.russian.governed import ends_in_one, last_stop
from mlx_tts.text.languages.russian.in_cases import InCases
from mlx_tts.text.languages.russian.short_adjectives import adjective_rules
from mlx_tts.text.languages.russian.short_nouns import noun_rules
from mlx_tts.text.normalise.engine import Rule, mentions, rule, text_after, text_before
from mlx_tts.text.roman import value

# In a sentence with one of these the short form of gram means years, unless it is about food.
LASTING = re.compile(
    r"\bмес\.|\bмесяц|\bнед\.|[Сс]рок|[Сс]таж|[Оо]пыт|[Вв]озраст|[Гг]аранти|[Аа]ренд|[Вв]клад|[Дд]оговор|[Ии]потек"
    r"|[Кк]редит|[Зз]аключени[яю]|[Лл]ишени|[Сс]тарше|[Мм]ладше|\bлет\b|[Уу]словно|\bстаж"
)
GARLIC = re.compile(r"[Чч]еснок")
FOOD = re.compile(
    r"[Мм]ук|[Сс]ахар|[Сс]оли|[Мм]асл|\bмл\b|\bкг\b|[Лл]ожк|ч\. ?л|ст\. ?л|[Вв]од[аыуе]\b|[Бб]ензин|\bмг\b"
)
GENITIVE = r"[Оо]т|[Дд]о|[Бб]олее|[Мм]енее|[Оо]коло|[Сс]выше|[Сс]тарше|[Мм]ладше|[Пп]осле|[Пп]орядка"
# What a price may be for, behind a slash.
EACH = {
    "ночь": "ночь", "час": "час", "ч": "час", "сутки": "сутки", "сут": "сутки", "день": "день", "дн": "день",
    "мес": "месяц", "месяц": "месяц", "год": "год", "нед": "неделю", "мин": "минуту", "чел": "человека",
    "человека": "человека", "шт": "штуку", "кг": "килограмм", "м²": "квадратный метр", "м2": "квадратный метр",
    "кв. м": "квадратный метр", "км": "километр", "л": "литр", "т": "тонну", "урок": "урок", "занятие": "занятие",
    "сеанс": "сеанс", "билет": "билет", "место": "место", "порция": "порцию", "порц": "порцию", "пара": "пару",
    "уп": "упаковку", "номер": "номер", "гость": "гостя", "выезд": "выезд", "эт": "этаж", "комплект": "комплект",
}  # fmt: skip
# A flat behind them is in the accusative.
TRADED = (
    r"[Пп]родам|[Пп]рода(?:ю|[её]м|ют|[её]т)|[Сс]дам|[Сс]да(?:ю|[её]м|[её]т)|[Кк]уплю|[Кк]уп(?:им|ила?|или)"
    r"|[Сс]ниму|[Сс]нима(?:ю|ем|ет)|[Ии]щ(?:у|ем|ет)|[Мм]еняю|[Оо]бменяю|[Аа]рендую"
)
TRADED_BEFORE = re.compile(rf"\b(?:{TRADED}) (?:(?!кв\.|квартир)[^;:!?]){{0,40}}\Z")
ROOM_ENDS = {"ая": "квартира", "ую": "квартиру", "ых": "квартир", "ые": "квартиры"}


class Everyday(InCases):
    def rules(self) -> tuple[Rule, ...]:
        own = self.own
        number = r"(?P<n>\d{1,3}(?: \d{3}){1,2}|\d{1,6})"
        each = "|".join(sorted(EACH, key=len, reverse=True))
        roubles = r"(?:₽|руб\.?|р\.?)"
        return (
            *noun_rules(own),
            *adjective_rules(),
            rule(rf"(?:\b(?P<before>{GENITIVE}|[Нн]а|[Чч]ерез|[Зз]а) )?(?<![\w.,-])(?P<n>\d{{1,2}}(?:,5)?) ?[гл]\.?"
                 r"(?P<gap> (?:и )?)(?=\d{1,2} ?мес)", self.years),
            rule(rf"\b(?P<before>{GENITIVE}|[Нн]а|[Чч]ерез|[Зз]а|[Сс]роком на) (?P<n>\d{{1,2}}(?:,5)?) ?[гл]\.(?!\w)"
                 r"(?P<gap>)", self.years_by_subject),
            rule(r"(?P<head>\b(?:[Сс]рок (?:годности|службы|действия|хранения|аренды|договора)|[Гг]арантия"
                 r"|[Сс]таж|[Оо]пыт|[Вв]озраст):? )(?P<before>)(?P<n>\d{1,2}(?:,5)?) ?[гл]\.(?P<gap>)(?!\w)",
                 lambda m: m["head"] + self.years(m)),
            rule(r"(?P<head>\b[Нн]омер(?: площадью| на)?,? )(?P<n>\d{1,3}(?:,\d{1,2})?) ?(?P<unit>кв\. ?м|м²|м2)(?!\w)",
                 lambda m: m["head"] + own.counted(m["n"], own.unit_names["м²"].split("|"))),
            rule(r"(?P<head>\b(?:[Лл]оток|[Тт]етрад\w+|[Аа]льбом|[Бб]локнот)(?: на)? )(?P<n>\d{1,4}) ?л\.(?!\w)",
                 lambda m: f"{m['head']}{own.counted(m['n'], ['лист', 'листа', 'листов', 'листа'])}{last_stop(m)}"),
            rule(r"(?<![\w.,-])(?:(?P<a>\d) ?[-–] ?)?(?P<n>\d{1,2}) зуб\.", lambda m: (
                f"{own.cardinal(int(m['a'])) + ' ' + own.to + ' ' if m['a'] else ''}"
                f"{own.counted(m['n'], ['зубчик', 'зубчика', 'зубчиков', 'зубчика'])}{last_stop(m)}"
            ) if mentions(GARLIC, m.string) else None),
            rule(r"(?:\b(?P<before>[Вв]|[Зз]а|[Сс]|[Пп]о) )?(?<![\w.-])(?P<a>I{1,3}|IV)(?P<mark> по | и | ?[-–—] ?)"
                 r"(?P<b>I{1,3}|IV) (?:кв\.|квартал(?:а|е|ы|ах|ов|ам)?(?!\w))", self.quarters),
            rule(r"(?<![\w.,-])(?P<n>\d{0,2}(?<!1)3)-(?:и|ьи|ие)(?!\w)", lambda m: own.ordinal(int(m["n"]), "p")),
            rule(r"(?:(?<=\b[Вв] )|(?<=лихие )|(?<=далёкие )|(?<=[Вв]се ))(?P<n>[1-9]0)-е(?!\w)(?! (?:[а-яё]*"
                 r"(?:ое|ее|число|место)|[а-яё]+[ая]\b))", lambda m: own.ordinal(int(m["n"]), "p")),
            rule(r"(?<![\w.,-])(?P<n>[4-9]0)-е(?!\w)(?= (?:был|год|стал|прошл|ушл|приш))",
                 lambda m: own.ordinal(int(m["n"]), "p")),
            rule(rf"\b(?P<before>{GENITIVE}|[Дд]ешевле|[Дд]ороже) {number}(?P<scale> тыс\.)? ?{roubles}/(?P<per>{each})"
                 r"(?![\w²³])\.?", self.price_for_one),
            rule(r"(?:\b(?P<before>[Нн]а|[Дд]о|[Ии]з|[Кк]|[Пп]осле|[Сс]) )?(?<![\w.,/])1/(?P<n>[248]|16|32)"
                 r"(?= финала\b)",
                 self.of_the_final),
            rule(r"\b(?P<before>[Сс]) (?P<a>\d{1,2})(?::00)? на (?P<b>\d{1,2})(?::00)? ?ч(?:\.|асов|(?!\w))",
                 lambda m: f"{m['before']} {self.in_case(int(m['a']), 'genitive')} на "
                 f"{own.counted(m['b'], own.unit_names['ч'].split('|'))}{last_stop(m)}"),
            rule(rf"\b(?P<before>{GENITIVE}|[Дд]ешевле|[Дд]ороже) {number} ?(?P<scale>т)\.? ?р\.?(?![\w/])",
                 lambda m: self.amount(m["n"], m["before"], "т") + last_stop(m)),
            rule(r"(?<![\w.,-])(?P<n>\d{0,3}(?<!1)1)(?= (?:года|месяца|дня|часа|процента|рубля|метра|километра"
                 r"|килограмма|литра|градуса|балла|пункта|квартала|века)\b)",
                 lambda m: self.in_case(int(m["n"]), "genitive")),
            rule(r"\b(?P<head>(?:[Чч]аще|[Рр]еже|[Бб]олее|[Мм]енее|[Бб]ольше|[Мм]еньше|[Дд]о|[Оо]коло"
                 r"|[Сс]выше) )(?P<n>\d{1,3})(?= раза?\b)",
                 lambda m: m["head"] + self.in_case(int(m["n"]), "genitive")),
            rule(rf"(?<![\w.,-]){number}(?P<scale> тыс\.)? ?р\.?/(?P<per>{each})(?![\w²³])\.?", self.price_for_one),
            rule(rf"(?:\b(?P<before>{GENITIVE}) )?(?<![\w.,-])(?P<n>[1-9]\d{{1,2}}|[1-9]\d{{0,2}} ?\d{{3}})"
                 r" р(?![\w./])(?! в (?:день|сутки|неделю|месяц|год))", self.roubles),
            rule(r"(?:\b(?P<before>[Пп]ри|[Оо]|[Дд]о|[Оо]т|[Бб]ез|[Кк]|[Пп]о|[Сс]о?) )?(?<![\w.])(?:(?P<t>[Тт])емп\."
                 r"(?= ?[-–+~≈]\d| ?\d{1,4}(?:,\d)? ?°| (?:3[5-9]|4[01])(?:,\d)?\b"
                 r"| (?:в|на|до|от|не|ниже|выше|печи|духовки|около|ок|воздуха|тела|воды"
                 r"|окружающ\w+)\b|:)"
                 r"|[tт][°º]?(?:(?= (?:тела|воды|воздуха)\b| (?:не )?(?:выше|ниже) [-+]?\d{1,3} ?°"
                 r"| (?:[<>≤≥]|выше|ниже|до|от) ?(?:3[4-9]|4[0-2])(?:,\d)?(?![\w,.]\d)| [<>≤≥] ?[-+]?\d{1,4} ?°)"
                 r"| ?=? ?(?=[-–+]?\d{1,3}(?:[,-]\d{1,2})? ?°)))",
                 self.temperature),
            rule(r"(?<![\w.])[tт][°º] ?(?=[-–+]?\d)", "температура "),
            rule(rf"(?:\b(?P<before>[Вв]|[Нн]а|[Оо]|[Ии]з|[Дд]ля|[Оо]т|[Уу]|[Дд]о|{TRADED}) )?(?<![\w.,-])"
                 r"(?P<n>[1-9])[ -]?"
                 r"(?:к|ком|комн)\.? ?кв\.(?! ?(?:м|км|см)\b)", self.flat),
            rule(r"(?:(?<=комнатная )|(?<=комнатную )|(?<=комнатной )|(?<=комнатных )|(?<=комнатные ))кв\."
                 r"(?! ?(?:м|км|см)\b)", self.rooms),
            rule(r"(?<=\b[Вв] )кв\. ?(?=\d|[а-яё])(?!(?:м|км|см)\b)", "квартире "),
            rule(r"(?<=\b[Вв] )ср\.(?= (?:(?:на|по|за|до|от|около) )?\d[\d ,]*(?: ?[-–] ?[\d,]+)? ?(?:км|м\b|кг|г\b|мг"
                 r"|руб|р\b|р\.|₽|%|час|ч\b(?!\.)|мин|раз|дн|лет|тыс|млн|млрд|чел|шт|°|л\b|балл|ед\b|мес|нед|литр|человек)"
                 r"| по (?:стране|рынку|городу|региону|группе|отрасли|больнице))", "среднем"),
            rule(r"(?<![\w.])(?P<c>[Сс])р\.(?= (?:также |у [А-ЯЁ]|англ\.|нем\.|лат\.|с (?:рис|табл|стр|данными"
                 r"|результат|пред|показател|[А-ЯЁ«]|[а-яё]+(?:ом|ами|ыми|ими)\b)))", r"\g<c>равни"),
            rule(r"(?<!\d )(?<!\bв )(?<!ещё )(?<!еще )(?<!уже )(?<!через )(?<!примерно )(?<!на )(?<!за )(?<![\w.])"
                 r"(?P<m>[Мм])ин\.(?= ?\d)", r"\g<m>инимум"),
            rule(r"(?:(?<=ещё )|(?<=еще )|(?<=уже )|(?<=через )|(?<=примерно )|(?<=на )|(?<=за ))мин\.(?= \d)",
                 "минут"),
            rule(r"(?<![\w.])(?P<m>[Мм])акс(?= (?:в \d|до \d|через \d|\d))",
                 lambda m: "максимум" if m["m"] == "м" else None),
            rule(r"\b(?P<before>[Вв]) теч(?:\.|ение) (?P<n>\d{1,3}) (?P<unit>дн\.|нед\.|мес\.|мин\.|сут\.|сек\.)",
                 self.in_the_course),
            rule(r"(?:\b(?P<before>[Сс]) )(?P<n>\d) (?P<kind>ст|ч)\. ?л\.(?!\w)", self.with_spoons),
            rule(r"(?<![\w.,-])(?P<n>\d{1,3})(?P<half>,5)? ?%-(?P<end>ный|ного|ному|ным|ном|ная|ной|ную|ное|ные|ных"
                 r"|ными|ый|ого|ому|ым|ом|ая|ой|ую|ое|ые|ых|ыми|й|го|му|м|я|ю|е|х)(?!\w)", self.per_cent),
            rule(r"\b(?P<before>[Пп]о) (?P<n>1/2|½|[1-9]) т\.(?= ?\d ?р| утром| вечером| на ночь| в день| после"
                 r"| до еды| перед| [1-4] раза?)", self.tablets),
            rule(r"(?<![\w.,-])(?P<n>\d) р\. ?(?P<per>в д\.|в день|в сут\.|в сутки|в нед\.|в неделю)", self.so_often),
            rule(r"(?<![\w.])[Ии]нд\. ?(?P<a>\d{3})(?P<b>\d{3})(?![\w-]|[.,]\d)",
                 lambda m: f"индекс {own.digits(m['a'])}, {own.digits(m['b'])}"),
            rule(r"(?<![\w.])(?P<s>[Сс])в\. (?P<n>\d{1,3} \d{3}|\d{1,6})(?= [а-яё]{3})"
                 r"(?! (?:тыс|млн|млрд|руб|км|мм|см|кг))",
                 lambda m: f"{m['s']}выше {self.in_case(int(m['n'].replace(' ', '')), 'genitive')}"),
            rule(r"(?<![\w.,-])(?P<n>\d{1,3}) [гл]\.(?= (?:назад|спустя|подряд)\b)",
                 lambda m: own.counted(m["n"], ["год", "года", "лет", "года"])),
            rule(r"(?<![\w.,-])(?P<n>[1-3]0|[12]?\d)-е(?= числа\b)", lambda m: own.ordinal(int(m["n"]), "p")),
            rule(r"(?<![\w.,-])(?P<n>\d{1,2}) л\.(?= (?:лишения|условно|строгого|колонии|заключения))",
                 lambda m: own.counted(m["n"], ["год", "года", "лет", "года"])),
            # A unit with a full stop within a sentence.
            rule(r"(?:(?<=\d г)|(?<=\d кг)|(?<=\d мг)|(?<=\d л)|(?<=\d мл)|(?<=\d м)|(?<=\d км)|(?<=\d см)|(?<=\d мм))"
                 r"\.(?= [а-яё])", ""),
            rule(r"(?<=\b[Пп]о )ж/д\b", "железной дороге"),
        )  # fmt: skip

    def years_by_subject(self, match: re.Match[str]) -> str | None:
        sentence = re.split(r"[.!?] (?=[А-ЯЁ])", text_before(match, 80))[-1] + match[0] + text_after(match, 40)
        return self.years(match) if LASTING.search(sentence) and not FOOD.search(sentence) else None

    def years(self, match: re.Match[str]) -> str:
        """A year and a half, three years and two months: in the genitive behind "до" and its like."""
        before, number = match["before"] or "", match["n"]
        genitive = re.fullmatch(GENITIVE, before) is not None
        whole, _, part = number.partition(",")
        if genitive:
            said = (
                "полутора"
                if number == "1,5"
                else self.in_case(int(whole), "genitive") + (" с половиной" if part else "")
            )
            noun = "года" if ends_in_one(whole) and number != "1,5" and not part else "лет"
        elif number == "1,5":
            said, noun = "полтора", "года"
        else:
            said = self.own.cardinal(int(whole)) + (" с половиной" if part else "")
            noun = (
                "год"
                if ends_in_one(whole) and not part
                else ("года" if whole[-1] in "234" and not 11 <= int(whole) <= 14 else "лет")
            )
        said = f"{before} {said} {noun}".lstrip()
        return said + (match["gap"] or last_stop(match))

    def quarters(self, match: re.Match[str]) -> str:
        """From the first to the third quarter, and the first to third quarters."""
        before, mark = match["before"] or "", match["mark"].strip()
        first, last = value(match["a"]), value(match["b"])
        if mark == "по":
            form = "mg" if before in ("с", "С") else "m"
            said = f"{before} {self.own.ordinal(first, form)} по {self.own.ordinal(last)} квартал"
            return said.lstrip() + last_stop(match)
        joint = "и" if mark == "и" else self.own.to
        form, noun = ("ml", "кварталах") if before in ("в", "В") else ("m", "кварталы")
        said = f"{before} {self.own.ordinal(first, form)} {joint} {self.own.ordinal(last, form)} {noun}"
        return said.lstrip() + last_stop(match)

    def amount(self, written: str, before: str, scale: str) -> str:
        """Roubles, in the genitive where a preposition asks for it."""
        number = int(written.replace(" ", ""))
        genitive = re.fullmatch(rf"{GENITIVE}|[Дд]ешевле|[Дд]ороже", before) is not None
        if not genitive:
            return f"{self.own.scaled(written, 'тыс.')} рублей" if scale else self.own.price(written, "руб.")
        one = ends_in_one(str(number))
        if scale:
            said = self.in_case(number, "genitive", "feminine" if one else "masculine")
            return f"{before} {said} {'тысячи' if one else 'тысяч'} рублей"
        return f"{before} {self.in_case(number, 'genitive')} {'рубля' if one else 'рублей'}"

    def price_for_one(self, match: re.Match[str]) -> str | None:
        """What a night costs, or a kilogram."""
        before = match.groupdict().get("before") or ""
        if len(match["n"]) == 1 and not match["scale"] and not before:
            return None  # so many times a day
        said = self.amount(match["n"], before, match["scale"] or "")
        return f"{said} {self.own.per_word(EACH[match['per']])}{last_stop(match)}"

    def roubles(self, match: re.Match[str]) -> str:
        return self.amount(match["n"], match["before"] or "", "")

    def temperature(self, match: re.Match[str]) -> str:
        before = match["before"] or ""
        ends = {"при": "е", "о": "е", "к": "е", "по": "е", "с": "ой", "до": "ы", "от": "ы", "без": "ы"}
        noun = f"температур{ends.get(before.lower(), 'а')}"
        if match["t"] == "Т":
            noun = noun.capitalize()
        return f"{before} {noun}".lstrip() + ("" if text_after(match, 1) in (" ", ":", ".") else " ")

    def flat(self, match: re.Match[str]) -> str:
        before = match["before"] or ""
        traded = not before and TRADED_BEFORE.search(text_before(match, 60))
        end, noun = {
            "в": ("ой", "квартире"),
            "о": ("ой", "квартире"),
            "на": ("ую", "квартиру"),
            "": ("ая", "квартира"),
        }.get("на" if traded or re.fullmatch(TRADED, before) else before.lower(), ("ой", "квартиры"))
        rooms = self.in_case(int(match["n"]), "genitive").replace("одного", "одно")
        return f"{before} {rooms}комнатн{end} {noun}".lstrip() + last_stop(match)

    def rooms(self, match: re.Match[str]) -> str:
        end = text_before(match, 3)[:2]
        located = re.search(r"\b(?:[Вв]|[Оо]|[Нн]а) \S{0,20} \Z", text_before(match, 24))
        return ROOM_ENDS.get(end, "квартире" if located else "квартиры") + last_stop(match)

    def of_the_final(self, match: re.Match[str]) -> str:
        before = match["before"] or ""
        case = "a" if before.lower() == "на" else "g" if before else ""
        number = int(match["n"])
        part = self.own.ordinal(number, "fg" if case == "g" else "f")
        if case == "a":
            part = re.sub(r"ая\Z", "ую", part)
        one = {"a": "одну", "g": "одной"}.get(case, "одна")
        return f"{before} {one} {part}".lstrip()

    def in_the_course(self, match: re.Match[str]) -> str:
        forms = self.own.unit_names[match["unit"]].split("|")
        one = ends_in_one(match["n"])
        feminine = one and forms[0].endswith(("а", "я"))
        said = self.in_case(int(match["n"]), "genitive", "feminine" if feminine else "masculine")
        return f"{match['before']} течение {said} {forms[1 if one else 2]}{last_stop(match)}"

    def with_spoons(self, match: re.Match[str]) -> str:
        """One or several spoons that something is mixed with."""
        one = match["n"] == "1"
        said = self.in_case(int(match["n"]), "ablative", "feminine" if one else "masculine")
        kind = "столов" if match["kind"] == "ст" else "чайн"
        return f"{match['before']} {said} {kind}{'ой ложкой' if one else 'ыми ложками'}{last_stop(match)}"

    def per_cent(self, match: re.Match[str]) -> str:
        """Of a percentage that is written as an adjective: "2,5%-ное молоко"."""
        joined = self.in_case(int(match["n"]), "genitive")
        glued = f"н{match['end']}" if re.match("[ыоау].", match["end"]) else match["end"]
        end = {"й": "ный", "го": "ного", "му": "ному", "м": "ном", "я": "ная", "ю": "ную", "е": "ное", "х": "ных"}.get(
            glued, glued
        )
        if match["half"]:
            return f"{joined} с половиной процент{end}"
        joined = "сто" if joined == "ста" else joined.replace(" ", "").replace("девяноста", "девяносто")
        return f"{'одно' if joined == 'одного' else joined}процент{end}"

    def tablets(self, match: re.Match[str]) -> str:
        number = match["n"]
        if len(number) > 1 or number == "½":
            said = "половине таблетки"
        elif number == "1":
            said = "одной таблетке"
        else:
            said = self.own.counted(number, self.own.unit_names["таб."].split("|"))
        return f"{match['before']} {said}"

    def so_often(self, match: re.Match[str]) -> str:
        said = self.own.counted(match["n"], ["раз", "раза", "раз", "раза"])
        per = {"д": "день", "с": "сутки", "н": "неделю"}[match["per"][2]]
        return f"{said} в {per}{last_stop(match)}"
