"""Endings of Russian numbers: as they are written behind figures, and the names of cases and of parts."""

from __future__ import annotations

PARTS = {
    1: "десятая|десятых",
    2: "сотая|сотых",
    3: "тысячная|тысячных",
    4: "десятитысячная|десятитысячных",
    5: "стотысячная|стотысячных",
    6: "миллионная|миллионных",
}
ENDINGS = {"й": "m", "ый": "m", "ий": "m", "я": "f", "ая": "f", "ья": "f", "го": "mg", "ого": "mg", "его": "mg",
    "му": "md", "ому": "md", "м": "ml", "ом": "ml", "ем": "ml", "х": "pg",
           "ых": "pg", "их": "pg", "ми": "pa", "ыми": "pa", "ой": "fg", "ей": "fg", "ю": "fc", "ую": "fc", "ое": "n",
               "ье": "n", "ые": "p", "ым": "ma"}  # fmt: skip
CASES = {"": "", "g": "-genitive", "d": "-dative", "l": "-locative", "a": "-ablative", "c": "-accusative"}
GENDERS = {"m": "masculine", "f": "feminine", "n": "neuter", "p": "plural"}
CASE_OF_ENDING = {"ах": "locative", "ях": "locative", "ам": "dative", "ям": "dative", "ами": "ablative",
    "ями": "ablative", "ьми": "ablative"}  # fmt: skip
HUNDREDS = ("", "", "двух", "трех", "четырех", "пяти", "шести", "семи", "восьми", "девяти")
LENGTHS = (
    r"(?i:высот|длин|ширин|глубин|площад|рост|забег|бег|дистанци|прыж|толщин|диаметр|радиус|объ[её]м)[а-яё]{0,4} \Z"
)
PERIODS = r"(?:час|секунд|минут|сут|день|недел|месяц|год|квартал|смен)"
