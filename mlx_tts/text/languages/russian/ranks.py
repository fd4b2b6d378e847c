"""Russian numbers that are places in an order though no ending says so ("в 7 классе", "на 3 эт.") -> words."""

from __future__ import annotations

import re

from mlx_tts.text.languages.russian.governed import CAPITAL_FOLLOWS
from mlx_tts.text.normalise.engine import Rule, one_of, rule, text_before, words_of
from mlx_tts.text.normalise.european import European

# Gender -> stems and their endings: nominative, genitive, dative, ablative, locative, accusative.
RANKED = (
    ("m", "этаж класс курс тур раунд подъезд разряд квартал сезон сектор выпуск этап вагон микрорайон",
     ("", "а", "у", "ом", "е", "")),
    ("n", "мест", ("о", "а", "у", "ом", "е", "о")),
    ("f", "групп палат смен", ("а", "ы", "е", "ой", "е", "у")),
    ("f", "сери категори лини стади позици", ("я", "и", "и", "ей", "и", "ю")),
    ("f", "минут страниц строк", (None, None, "е", None, "е", None)),
)  # fmt: skip
CASES = ("", "g", "d", "a", "l", "c")
# A lone one before them is a rank as well.
ALWAYS = re.compile(r"(?:этаж|класс|курс|тур|подъезд|разряд|мест|групп|категори|стади)")
# Behind these "3 класса" is one class.
OWNERS = re.compile(
    r"\b(?:[Уу]чени[кц]\w{0,3}|[Уу]чащ\w{2,4}|[Шш]кольни[кц]\w{0,3}|[Сс]тудент\w{0,4}|[Пп]рограмм\w|[Уу]чебник\w{0,2}"
    r"|[Ии]нвалид\w{0,6}|[Дд]иплом\w{0,2}|[Мм]атч\w{0,2}|[Рр]ак\w?|[Уу]зник\w{0,2}|[Рр]емонт\w?|[Уу]борк\w|[Жж]ител\w{1,2}|[Сс]о?|[Оо]т|[Ии]з"
    r"|[Пп]осле|[Дд]о) \Z"
)


class Ranks:
    """own: the words of the language, with its ordinals."""

    def __init__(self, own: European):
        self.own = own
        self.forms: dict[str, tuple[str, str]] = {}
        for gender, stems, endings in RANKED:
            for stem in words_of(stems):
                for case, ending in zip(CASES, endings, strict=True):
                    if ending is not None:
                        self.forms.setdefault(stem + ending, (gender, case))

    def rules(self) -> tuple[Rule, ...]:
        months = one_of(self.own.month_names)
        return (
            rule(rf"(?<![\w.,:/–—-])(?<![-–—] )(?P<n>[1-9]\d?)(?= (?P<noun>{one_of(self.forms)})\b)", self.rank),
            rule(rf"(?<![\w.,-])(?P<a>[12]?[1-9]|[123]0|31) ?\((?P<b>[12]?[1-9]|[123]0|31)\)(?= (?:{months})\b)",
                 lambda m: f"{self.own.ordinal(int(m['a']), 'ng')} ({self.own.ordinal(int(m['b']), 'ng')})"),
            rule(r"(?:\b(?P<before>[Нн]а|[Сс]о?|[Дд]о|[Вв]ыше|[Нн]иже|[Оо]т|[Кк]о?) )?(?<![\w.,/–—-])(?<![-–—] )"
                 r"(?P<n>[1-9]\d?) ?эт\.", self.floor),
        )  # fmt: skip

    def rank(self, match: re.Match[str]) -> str | None:
        """None where the noun may be counted: "три класса", "один сезон"."""
        number, noun = int(match["n"]), match["noun"]
        gender, case = self.forms[noun]
        last = number % 10 if not 11 <= number <= 14 else 0
        before = text_before(match, 24)
        if last == 1 and case == "" and not ALWAYS.match(noun):
            return None
        counted = last in (2, 3, 4) and case == "g" and not OWNERS.search(before)
        if counted and not (noun.endswith("и") and re.search(r"\b(?:[Вв]о?|[Нн]а) \Z", before)):
            return None
        return self.own.ordinal(number, gender + case)

    def floor(self, match: re.Match[str]) -> str:
        before = match["before"] or ""
        case, ending = {"на": ("ml", "е"), "": ("m", ""), "к": ("md", "у")}.get(before.casefold(), ("mg", "а"))
        ends = "." if CAPITAL_FOLLOWS.match(match.string, match.end()) else ""
        return f"{before + ' ' if before else ''}{self.own.ordinal(int(match['n']), case)} этаж{ending}{ends}"


# Behind "3-й и 4-й" these are several of a masculine noun.
SEVERAL = re.compile(
    r"(?: и \d{1,3}-й)? (?:этажи|классы|курсы|туры|подъезды|корпуса|разряды|кварталы|сезоны|раунды|матчи|вагоны"
    r"|отделы|цеха)\b"
)
