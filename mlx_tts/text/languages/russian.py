"""Russian: its names, how a text in it is known and cut, and its words for numbers and signs."""

from __future__ import annotations

from mlx_tts.text.languages import Language
from mlx_tts.text.normalise.european import European


class Russian(European):
    """Numbers have a gender; days and years are ordinals in the genitive, as after "on the"."""

    def count(self, written: str, feminine: bool) -> str:
        if feminine and written.isdecimal():
            return self.cardinal(int(written), gender="f")
        return super().count(written, feminine)

    def decimal(self, whole: str, fraction: str) -> str:
        """Up to thousandths have names of their own."""
        return self.cardinal(f"{int(whole)}.{fraction}") if len(fraction) < 4 else super().decimal(whole, fraction)

    def day(self, number: int, before: str) -> str:
        return self.cardinal(number, to="ordinal", gender="n", case="genitive")

    def year(self, number: int) -> str:
        return self.cardinal(number, to="ordinal", case="genitive")


WORDS = Russian(
    number_words="ru", months="января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
    date="{day} {month}", date_year=" {year} года", written_date=r"DAY\.? MONTH(?: YEAR)?(?: (?:г\.|года))?",
    clock="{hour} {minute}", full_hour="{hour} ноль ноль", one="один|одна", to="до", minus="минус", point="запятая",
    percent="процент|процента|процентов", with_cents="{money} {cents}",
    abbreviations={"т. е.": "то есть", "т.е.": "то есть", "и т. д.": "и так далее", "и т.д.": "и так далее",
                   "и т.п.": "и тому подобное", "т.к.": "так как", "т. к.": "так как", "напр.": "например",
                   "др.": "другие", "ул.": "улица", "стр.": "страница", "№": "номер", "&": "и", "г-н": "господин",
                   "г-жа": "госпожа"},
    money={"₽": "рубль|рубля|рублей|копейка|копейки|копеек", "руб.": "рубль|рубля|рублей|копейка|копейки|копеек",
           "$": "доллар|доллара|долларов|цент|цента|центов", "€": "евро|евро|евро|цент|цента|центов"},
    units={"км/ч": "километр в час|километра в час|километров в час", "км": "километр|километра|километров",
           "м": "метр|метра|метров", "см": "сантиметр|сантиметра|сантиметров",
           "мм": "миллиметр|миллиметра|миллиметров", "кг": "килограмм|килограмма|килограммов",
           "г": "грамм|грамма|граммов", "л": "литр|литра|литров", "мл": "миллилитр|миллилитра|миллилитров",
           "°C": "градус Цельсия|градуса Цельсия|градусов Цельсия", "°": "градус|градуса|градусов",
           "ч": "час|часа|часов", "мин": "минута|минуты|минут", "ГБ": "гигабайт|гигабайта|гигабайт"},
    feminine=("мин", "копейка"), before_minutes="ноль ",
)  # fmt: skip
LANGUAGE = Language(
    name="russian",
    spellings="ru rus русский",
    script="\u0400-\u04ff",
    sentences="ru",
    unfinished=r"т\.\s?[едкп]|и\s?т|г|ул|др",
    sample="Ты слышал ночью дождь? Он начался в полночь, а утром весь сад блестел. Я заварил чай и смотрел, как "
    "возвращаются птицы.",
    normalise=WORDS.normalise,
)
