"""Russian names of rulers in any case, with their Roman numerals ("при Екатерине II") -> words."""

from __future__ import annotations

from mlx_tts.text.normalise.engine import Rule, one_of, rule, words_of
from mlx_tts.text.normalise.european import European
from mlx_tts.text.roman import value

MEN = words_of(
    "Пётр Петр Александр Николай Павел Иван Людовик Карл Генрих Фридрих Вильгельм Георг Эдуард Яков Ричард Наполеон "
    "Иоанн Бенедикт Пий Филипп Густав Василий Рамзес Фёдор Федор Михаил Дмитрий Алексей Святослав Ярослав Владимир "
    "Фердинанд Франциск Франц Леопольд Максимилиан Оттон Сигизмунд Август Кристиан Климент Григорий Иннокентий "
    "Урбан Тутмос Аменхотеп Птолемей Дарий Ксеркс Селим Мурад Мехмед Сулейман Баязид Ахмед Альфонс Всеволод Изяслав "
    "Мстислав Константин Стефан Лжедмитрий"
)
WOMEN = words_of("Екатерина Елизавета Мария Изабелла Кристина Клеопатра Вильгельмина Маргарита Анна Иоанна")


def _declined() -> dict[str, str]:
    """Form of a name -> the ordinal's. What is alive has one form for the genitive and the accusative."""
    forms: dict[str, str] = {}
    for name in MEN:
        stem = {"Пётр": "Петр", "Павел": "Павл"}.get(name, name)
        endings = ("а", "у", "ом", "е")
        if name.endswith("й"):
            stem, endings = name[:-1], ("я", "ю", "ем", "и" if name.endswith("ий") else "е")
        forms[name] = "m"
        forms |= {stem + ending: key for ending, key in zip(endings, ("mg", "md", "ma", "ml"), strict=True)}
    for name in WOMEN:
        stem, soft = name[:-1], name.endswith("я")
        forms[name] = "f"
        endings = ("и", "и", "ей", "ю") if soft else ("ы", "е", "ой", "у")
        forms |= {stem + ending: key for ending, key in zip(endings, ("fg", "fg", "fg", "fc"), strict=True)}
    return forms


DECLINED = _declined()


def ruler_rules(own: European) -> tuple[Rule, ...]:
    return (
        rule(
            rf"\b(?P<name>{one_of(DECLINED)}) (?P<n>[IVX]{{1,5}})(?!\w|['’-]\w)",
            lambda m: f"{m['name']} {own.ordinal(value(m['n']), DECLINED[m['name']])}",
        ),
    )
