"""Russian streets and houses cut short behind prepositions ("по ул. Чехова"), and square metres alone -> words."""

from __future__ import annotations

import re

from mlx_tts.text.languages.russian.clock import TOWARDS
from mlx_tts.text.languages.russian.governed import last_stop
from mlx_tts.text.normalise.engine import one_of, rule, text_after, text_before

# Nominative, genitive, dative, accusative, ablative, locative.
STREETS = {
    "ул.": ("улица", "улицы", "улице", "улицу", "улицей", "улице"),
    "просп.": ("проспект", "проспекта", "проспекту", "проспект", "проспектом", "проспекте"),
    "пр.": ("проспект", "проспекта", "проспекту", "проспект", "проспектом", "проспекте"),
    "пр-т": ("проспект", "проспекта", "проспекту", "проспект", "проспектом", "проспекте"),
    "пер.": ("переулок", "переулка", "переулку", "переулок", "переулком", "переулке"),
    "пл.": ("площадь", "площади", "площади", "площадь", "площадью", "площади"),
    "наб.": ("набережная", "набережной", "набережной", "набережную", "набережной", "набережной"),
    "пр-д": ("проезд", "проезда", "проезду", "проезд", "проездом", "проезде"),
    "туп.": ("тупик", "тупика", "тупику", "тупик", "тупиком", "тупике"),
}  # fmt: skip
HOUSE = ("дом", "дома", "дому", "дом", "домом", "доме")
CASES = (
    (r"[Пп]о|[Кк]о?", 2),
    (r"[Сс]о?|[Оо]т|[Дд]о|[Уу]|[Вв]доль|[Ии]з|[Вв]озле|[Оо]коло|[Вв]округ|[Пп]осле|[Ии]з-за|[Нн]апротив|[Вв]близи|[Дд]ля"
     r"|[Мм]имо", 1),
    (r"[Чч]ерез", 3),
    (r"[Мм]ежду|[Нн]ад|[Пп]од|[Пп]еред", 4),
    (r"[Нн]а|[Вв]о?|[Оо]б?", 5),
)  # fmt: skip
# Nouns of which a street or a house is a part or an owner.
OWNED = (
    r"(?:угл[ау]|угол|пересечени[а-яё]|перекр[её]стк[а-яё]{1,3}|перекр[её]сток|р-н[еау]?|район[а-яё]{0,2}|участ(?:ок|к[а-яё]{1,2})"
    r"|жил(?:ьц|ец)[а-яё]{0,3}|жител[а-яё]{1,3}|двор[а-яё]{0,3}|крыш[а-яё]{1,2}|подъезд[а-яё]{0,3}|подвал[а-яё]{0,2}"
    r"|собственник[а-яё]{0,3}|ремонт[а-яё]{0,2}|фасад[а-яё]{0,2}|стен[а-яё]{1,2}|территори[а-яё]|сторон[а-яё]{1,2}"
    r"|начал[а-яё]|конц[а-яё]{1,2}|конец|реконструкци[а-яё]|перекрыти[а-яё]|уборк[а-яё]|снос[а-яё]{0,2}|нечётной|чётной)"
)
NAME = r"(?:[А-ЯЁ][а-яё-]{2,20}|\d{1,2}(?:-[а-яё]{1,2})? [А-ЯЁа-яё]+)(?: [А-ЯЁ][а-яё]{2,20})?"
SQUARE = {"кв": "квадратн", "куб": "кубическ", "пог": "погонн"}
MEASURES = {"м": "метр", "км": "километр", "см": "сантиметр"}


def case_before(before: str) -> int:
    """By the preposition or the noun; behind "и" by what stands before the first street."""
    joined = re.search(rf"(?:\b(?P<by>[А-ЯЁа-яё-]{{1,12}}) )(?:{one_of(STREETS)}) ?{NAME} и \Z", before)
    if joined:
        before = f"{joined['by']} "
    for words, case in CASES:
        if re.search(rf"\b(?:{words}) \Z", before):
            return case
    return 1 if re.search(rf"(?i:\b{OWNED}) \Z", before) else 0


def street(match: re.Match[str]) -> str | None:
    case = case_before(text_before(match, 60))
    named = re.match(r" ?[А-ЯЁ][а-яё-]{2,20}[ую]ю\b", text_after(match, 24))
    if case == 5 and (named or TOWARDS.search(re.sub(r"\b[Нн]а \Z", "", text_before(match, 60)))):
        case = 3  # where one goes
    return STREETS[match["word"]][case] if case else None


def house(match: re.Match[str]) -> str | None:
    case = case_before(text_before(match, 24))
    return HOUSE[case] if case else None


def metre(match: re.Match[str]) -> str | None:
    """ "цена кв. м": without a number before."""
    kind, noun, before = SQUARE[match["kind"]], MEASURES[match["of"]], (match["before"] or "").lower()
    hard = "ий" if kind.endswith("к") else "ый"
    stop = last_stop(match)
    if before in ("с", "от", "до", "для") or (match["owner"] or "").strip():
        said = f"{kind}ого {noun}а"
    elif before in ("за", "на", "по"):
        said = f"{kind}{hard} {noun}"
    elif before == "в":
        said = f"{kind}{'их' if hard == 'ий' else 'ых'} {noun}ах"
    else:
        return None
    return f"{match['before'] or match['owner'].strip()} {said}{stop}"


STREET_RULES = (
    rule(rf"(?<![\w.])(?P<word>{one_of(STREETS)})(?!\w)"
         r"(?= ?(?:[А-ЯЁ«\"]|\d{1,2}-?[а-яё]{0,3} [А-ЯЁа-яё]))", street),
    rule(r"(?<![\w.])д\. ?(?=(?:№ ?)?\d)", house),
    rule(r"(?:\b(?P<before>[Сс]|[Оо]т|[Дд]о|[Дд]ля|[Зз]а|[Нн]а|[Пп]о|[Вв])|(?P<owner>\b(?:[Цц]ен|[Сс]тоимост|[Кк]ажд"
         r"|[Сс]ебестоимост|[Сс]тавк|[Пп]родаж)[а-яё]{1,3})) (?P<kind>кв|куб|пог)\. ?(?P<of>м|км|см)"
         r"(?:\.(?= [А-ЯЁ]|\s*\Z)|(?!\w))",
         metre),
)  # fmt: skip
