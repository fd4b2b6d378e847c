"""Russian short forms of addresses, telephones and points of laws ("пом. 3", "пп. 3, 4") -> words."""

from __future__ import annotations

import re

from mlx_tts.text.languages.russian.governed import ABLATIVE, DATIVE, GENITIVE, LOCATIVE, PART, PART_CASES, PARTS
from mlx_tts.text.languages.russian.in_cases import InCases
from mlx_tts.text.normalise.engine import Rule, one_of, rule, text_before
from mlx_tts.text.roman import value

# Nominative, genitive, dative, locative.
PREMISES = {
    "пом.": ("помещение", "помещения", "помещению", "помещении"),
    "под.": ("подъезд", "подъезда", "подъезду", "подъезде"),
    "подъезд.": ("подъезд", "подъезда", "подъезду", "подъезде"),
    "мкр.": ("микрорайон", "микрорайона", "микрорайону", "микрорайоне"),
    "мкр-н": ("микрорайон", "микрорайона", "микрорайону", "микрорайоне"),
    "ком.": ("комната", "комнаты", "комнате", "комнате"),
    "комн.": ("комната", "комнаты", "комнате", "комнате"),
    "уч.": ("участок", "участка", "участку", "участке"),
}  # fmt: skip
WHERE = {"в": 3, "на": 3, "о": 3, "из": 1, "от": 1, "до": 1, "у": 1, "с": 1, "для": 1, "к": 2, "по": 2}
SETTLEMENTS = {"п": "посёлок", "с": "село", "д": "деревня", "х": "хутор", "ст": "станция", "г. о": "городской округ",
               "г.о": "городской округ", "пгт": "посёлок городского типа"}  # fmt: skip
LINES = {"вн": "внутреннему", "внутр": "внутреннему", "моб": "мобильному", "раб": "рабочему", "гор": "городскому",
         "сот": "сотовому", "конт": "контактному", "дом": "домашнему"}  # fmt: skip
OPENING = {
    "Ул": "Улица",
    "Пл": "Площадь",
    "Наб": "Набережная",
    "Пер": "Переулок",
    "Просп": "Проспект",
    "Пр": "Проспект",
}
HOUSE = re.compile(
    r"(?:\b(?:[Уу]л|пр|просп|пер|наб|пл|ш|д|вл|пр-д)\.|\b(?:пр-т|б-р|пр-д|шоссе|дом|[Уу]лиц[аеуы]|проспект|бульвар|переулок"
    r"|проезд|площадь|набережная)\b)[^;!?]{0,40}\Z"
)
# Points and parts, of which more than one is named: nominative, genitive, dative, ablative, locative.
SEVERAL = {"пп": ("пункты", "пунктов", "пунктам", "пунктами", "пунктах"),
           "ст": ("статьи", "статей", "статьям", "статьями", "статьях"),
           "чч": ("части", "частей", "частям", "частями", "частях")}  # fmt: skip
CASES = ("", GENITIVE, DATIVE, ABLATIVE, LOCATIVE)
LED_BY = {**PART_CASES, r"[Рр]уководств(?:уется|уются|оваться|овал[а-яё]{2,4})": ABLATIVE,
          r"[Пп]редусмотренн\w{2,3}|[Уу]становленн\w{2,3}": ABLATIVE, r"указанн\w{2,3} в|[Вв]": LOCATIVE}  # fmt: skip

# They lead a list of articles, of which those behind have no word before them.
LEADERS = r"[Вв] силу|[Нн]а основании|[Вв] соответствии со?|[Сс]огласно"


class Premises(InCases):
    def rules(self) -> tuple[Rule, ...]:
        own = self.own
        point = r"(?:«[а-яё]»|\d{1,3}(?:\.\d{1,3}){0,3})(?! ?(?:[скм]?м[²³]?|к?г|мл?|л|шт|руб|ч|мин|%|₽)(?!\w))"
        return (
            rule(rf"(?:\b(?P<before>{'|'.join(LED_BY)}) )?(?<![\w.])(?P<name>пп|чч)\. ?"
                 rf"(?P<all>{point}(?:(?:, ?| и | ?[–-] ?){point}){{0,6}})"
                 rf"(?P<more>(?:,? {PART}){{0,3}})(?![\w/-]|[.,]\d)",
                 self.points),
            # Articles of a law, of which several are named.
            rule(rf"(?:\b(?P<before>{'|'.join(LED_BY)}) )?(?<![\w.])(?<!ст\. )(?P<name>ст)\. ?"
                 r"(?P<all>\d{1,4}(?:\.\d{1,3})?(?:(?:, ?| и | ?[–-] ?)\d{1,4}(?:\.\d{1,3})?(?! ?г)){1,6})(?P<more>)"
                 r"(?= [А-ЯЁ]{2}| (?:настоящ|указанн|данн|[Кк]одекс|[Зз]акон|[Кк]онституц|[Дд]оговор|Федеральн)"
                 r"|[,.;)](?!\d))",
                 self.points),
            rule(r"§§ ?(?=\d)", "параграфы "),
            rule(r"(?<![\w.])(?P<k>[Кк])н\.(?= ?\d)", r"\g<k>нига"),
            rule(rf"(?:\b(?P<before>[А-ЯЁа-яё]{{1,3}}) )?(?<![\w.])(?P<word>{one_of(PREMISES)})"
                 r"(?:(?= ?(?:№ ?)?\d)| ?(?P<n>[IVX]{1,4})\b(?!['’.-]?\w))", self.premises),
            rule(r"(?:(?<=-й )|(?<=-м )|(?<=-го )|(?<=-му ))мкр\.?(?!\w)",
                 lambda m: "микрорайон" + {"м": "е", "о": "а", "у": "у"}.get(text_before(m, 2)[0], "")),
            # Behind the number of a house it is its block.
            rule(r"(?:(?<=\d, )|(?<=\d )|(?<=\d[а-яА-Я], ))к\. ?(?=\d)",
                 lambda m: "корпус " if HOUSE.search(text_before(m, 70)) else None),
            rule(rf"(?:(?<=[а-яё\d.)], )|(?<=\A))(?P<word>{one_of(SETTLEMENTS)})\. ?(?=[А-ЯЁ][а-яё]{{2,}})",
                 lambda m: f"{SETTLEMENTS[m['word']]} "),
            rule(r"(?<![\w.])г\. ?о\. ?(?=[А-ЯЁ][а-яё]{2,})", "городской округ "),
            rule(r"(?<![\w.])пгт\.?(?= [А-ЯЁ])", "посёлок городского типа"),
            rule(r"(?<![\w.])(?P<word>Ул|Пл|Наб|Пер|Просп|Пр)\.(?= ?(?:[А-ЯЁ«]|\d))", lambda m: OPENING[m["word"]]),
            rule(rf"(?<=\b[Пп]о )(?P<which>{'|'.join(LINES)})\. ?тел\.(?!\w)",
                 lambda m: f"{LINES[m['which']]} телефону"),
            rule(r"(?<![\w.])пр\.(?= \d{1,2}-летия)", "проспект"),
            rule(r"(?<![\w.])(?<!\b[Пп]о )(?P<t>[Тт])\.:? ?(?=(?:\+7|8)[ (-]?\(?\d{3}|\d{2,3}-\d\d-\d\d)",
                 lambda m: f"{'Т' if m['t'] == 'Т' else 'т'}елефон "),
            rule(r"(?<![\w.,-])(?P<plus>\+?)(?P<land>[78])(?P<gap>[ -]?)\(?(?P<code>\d{3})\)?[ -]?(?P<a>\d{3})"
                 r"(?P<b>\d{2})(?P<c>\d{2})(?![\w-]|[.,]\d)",
                 lambda m: (f"{own.plus} " if m["plus"] else "") + ", ".join(
                     own.digits(m[part]) for part in ("land", "code", "a", "b", "c"))
                 if m["gap"] or m["plus"] or m["code"][0] == "9" else None),
        )  # fmt: skip

    def premises(self, match: re.Match[str]) -> str:
        before = match["before"] or ""
        said = PREMISES[match["word"]][WHERE.get(before.casefold(), 0)]
        number = f" {self.own.cardinal(value(match['n']))}" if match["n"] else ""
        return f"{before} {said}{number}".lstrip()

    def number(self, written: str) -> str:
        if written[0] == "«":
            return written
        if written.isalpha():
            return self.own.cardinal(value(written))
        return f" {self.own.dot} ".join(self.own.cardinal(int(n)) for n in written.split("."))

    def points(self, match: re.Match[str]) -> str:
        """In the case of what is before; a lone one before "п." is a point below that point."""
        before = match["before"] or ""
        case = next((each for words, each in LED_BY.items() if re.fullmatch(words, before)), "")
        if not case:
            led = re.search(rf"\b({LEADERS}) [^!?;]{{1,60}}(?:РФ|\d),?(?: и)? \Z", text_before(match, 90))
            case = next((each for words, each in LED_BY.items() if led and re.fullmatch(words, led[1])), "")
        more = re.findall(rf"({one_of(PARTS)})\. ?([\d.]*\d|[IVX]+|«[а-яё]»)", match["more"])
        written = match["all"]
        if written[0] == "«" or (re.fullmatch(r"\d+", written) and more and more[0][0] == "п"):
            noun = PARTS["подп"][CASES.index(case)]
        elif re.fullmatch(r"[\d.]+", written):
            noun = PARTS["п" if match["name"] == "пп" else "ч"][CASES.index(case)]
        else:
            noun = SEVERAL[match["name"]][CASES.index(case)]
        said = re.sub(r"[\d.]*\d", lambda n: self.number(n[0]), re.sub(r"(?<=\d) ?[–-] ?(?=\d)", " — ", written))
        rest = "".join(f" {PARTS[name][1]} {self.number(number)}" for name, number in more)
        return f"{before} {noun} {re.sub(r',(?=[^ ])', ', ', said)}{rest}".lstrip()
