"""Russian numbers behind words that ask for the genitive: "добился 3 побед", "по итогам 2 тура", "автор 4 книг"."""

from __future__ import annotations

import re

from mlx_tts.text.languages.russian.governed import ends_in_one
from mlx_tts.text.languages.russian.in_cases import InCases
from mlx_tts.text.normalise.engine import Rule, one_of, rule, text_before, words_of

# Verbs whose object is in the genitive, also where nothing is denied.
ASKING = (
    r"[Дд]оби(?:л|ть|ва)[а-яё]*(?:ся|сь)|[Дд]обь[её][а-яё]*|[Дд]остиг[а-яё]*|[Лл]иш(?:ил|ит|ат|а)[а-яё]*(?:ся|сь)"
    r"|[Лл]иш[её]н[аоы]?|[Уу]досто(?:ен[аоы]?|ил[а-яё]*|ена)|[Хх]ват(?:ит|ило|ает|ало)|[Дд]остаточно"
    r"|[Тт]ребу(?:ет|ют|ющ[а-яё]+)|[Тт]ребовал[аои]?|[Пп]отреб(?:ует|уют|овал[аои]?)|[Кк]осн(?:улся|улась|улось|улись"
    r"|[её]тся)|[Кк]аса(?:ется|ются|лся|лась|лось|лись)|[Ии]збе(?:жал|жать|гает|гал|жит)[а-яё]*"
    r"|[Пп]ридержива[а-яё]+|[Дд]ожд(?:ал|[её])[а-яё]*(?:ся|сь)|[Нн]едосчита[а-яё]+|[Нн]едоста[её]т|[Нн]едоставало"
    r"|[Зз]аслужива[а-яё]+|[Сс]тоил[аои]? (?:ему|ей|им|нам|команде|клубу)|[Пп]риобщ[а-яё]+ из|[Оо]пасал[а-яё]+"
    r"|[Пп]оявлени[ея]|[Нн]аличи[еия]|[Оо]тсутстви[еия]|[Пп]рисутстви[еия]"
)
# Prepositions of two words.
COMPOUND = (
    r"[Пп]о (?:итогам|результатам|окончании|завершении|мнению|словам|данным)|[Сс] (?:участием|помощью|начала|конца)"
    r"|[Пп]ри (?:помощи|участии|наличии)|[Вв] (?:отношении|ходе|результате|начале|середине|конце|случае|пользу|счёт"
    r"|присутствии)|[Зз]а счёт|[Дд]ля|[Вв]о время|[Нн]а (?:основе|базе|территории|основании)|[Сс]о стороны|[Вв]округ"
    r"|[Пп]осредством|[Пп]ут[её]м|[Пп]омимо|[Кк] (?:началу|концу|середине)|[Дд]о (?:начала|конца|середины)|[Рр]ади"
)
# Whose or of what: before a genitive of several, or of one that is numbered.
HEADS = (
    r"[Оо]бладател[а-яё]{1,3}|[Аа]втор[а-яё]{0,3}|[Пп]обедител[а-яё]{1,3}|[Уу]частни[кц][а-яё]{0,3}"
    r"|[Лл]ауреат[а-яё]{0,3}|[Вв]ладел[а-яё]{1,4}|[Чч]емпион[а-яё]{0,3}|[Сс]тоимост[ьи]|[Сс]оздател[а-яё]{1,3}"
    r"|[Оо]снователь?[а-яё]{0,2}|[Оо]рганизатор[а-яё]{0,3}|[Фф]иналист[а-яё]{0,3}|[Пп]риз[её]р[а-яё]{0,3}"
    r"|[Мм]ать|[Мм]атер(?:и|ью|ей)|[Оо]тец|[Оо]тц(?:а|у|ом|е)|[Жж]ител[а-яё]{1,3}|[Пп]редставител[а-яё]{1,3}"
    r"|[Рр]уководител[а-яё]{1,3}|[Уу]чредител[а-яё]{1,3}|[Ии]тог[а-яё]{0,3}|[Рр]езультат[а-яё]{0,3}|[Сс]бор[а-яё]{0,2}"
    r"|[Пп]родажа|[Пп]редседател[а-яё]{1,3}|[Дд]ействи[ея]|[Сс]писок|[Кк]оманда|[Гг]руппа|[Дд]оход[а-яё]{0,2} от"
)
# Before a genitive of one that is numbered.
EDGES = (
    r"[Нн]ачал[аоеу]|[Кк]он(?:ец|ца|цу|це|цом)|[Сс]ередин[а-яё]|[Оо]кончани[а-яё]|[Зз]авершени[а-яё]"
    r"|[Пп]обедител[а-яё]{1,3}"
    r"|[Уу]частни[кц][а-яё]{0,3}|[Ии]тог[а-яё]{0,3}|[Рр]езультат[а-яё]{0,3}|[Рр]асписани[а-яё]|[Мм]атч[а-яё]{0,3}"
    r"|[Сс]тарт[а-яё]{0,2}|[Рр]амк[а-яё]{1,2}|[Оо]тбор[а-яё]{0,2}"
)
PREPOSITIONS = r"[Пп]осле|[Дд]о|[Сс]о?|[Оо]т|[Ии]з|[Дд]ля|[Бб]ез|[Уу]|[Кк]роме|[Вв]озле|[Оо]коло|[Пп]ротив|[Вв]место"
# Genitives of one, of which a number that is not one can only be the ordinal.
OF_ONE = {
    **dict.fromkeys(words_of(
        "этажа класса курса тура раунда подъезда разряда квартала сезона сектора выпуска этапа вагона периода тайма "
        "матча круга подхода корпуса блока ряда абзаца пункта модуля урока тома эпизода сета гейма боя забега заезда "
        "века тысячелетия дня уровня микрорайона иннинга акта семестра триместра километра"
    ), "mg"),
    **dict.fromkeys(words_of("места столетия отделения"), "ng"),
    **dict.fromkeys(words_of(
        "четверти недели главы части попытки ступени очереди минуты секунды строки страницы партии статьи группы "
        "палаты смены серии категории линии стадии позиции степени половины лиги передачи скорости секции "
        "мировой роты бригады"
    ), "fg"),
}  # fmt: skip
# A lone one before them is counted.
LONE = frozenset(words_of("места части группы минуты недели секунды страницы километра строки урока дня матча"))
# One of them behind such a number is not counted by it.
SINGULAR = (
    "день|год|месяц|матч|тайм|период|том|урок|вопрос|вариант|раунд|круг|этап|тур|поход|звонок|акт|эпизод|сет|гейм|бой"
    "|заезд|забег|подъезд|этаж|вагон|курс"
)
NUMBERED = re.compile(r"(?i:вариант|билет|глава|том|акт|сезон|тур|урок|дом|корпус|автобус|трамвай|номер|№) \Z")
UNSAID = frozenset(words_of("и или а но из за на в по с до от не год года лет тыс млн млрд трлн раз раза х"))
LITTLE = r"(?: (?:лишь|только|ещё|уже|всего|почти|примерно|сразу|как минимум|целых|всех|этих))?"
NUMBER = r"(?P<n>\d{1,3}(?: \d{3}){1,2}|\d{1,6})"
# A genitive of several: what counts them is not a nominative.
SEVERAL = r"(?:[а-яё]{2,20}[ыи]х |[а-яё]{2,20}[ыи]х\b|[а-яё]{2,20}(?:[бвгджзйклмнпрстфхцчшщ]|ей|ий|ь)\b|«[А-ЯЁ])"


class Asking(InCases):
    def rules(self) -> tuple[Rule, ...]:
        months = one_of(self.own.month_names)
        return (
            rule(rf"(?P<head>\b(?:{PREPOSITIONS}|{COMPOUND}|{EDGES}) )(?P<n>[1-9]\d?)(?= (?P<noun>{one_of(OF_ONE)})\b)",
                 self.numbered),
            rule(rf"(?P<head>\b(?:{ASKING}|{COMPOUND}){LITTLE} ){NUMBER}(?= (?!(?:{months})\b)"
                 r"(?:(?P<noun>[а-яё]{2,20})\b|(?P<name>«[А-ЯЁ])))", self.genitive),
            rule(rf"(?P<head>\b(?:{HEADS}){LITTLE} ){NUMBER}(?= (?!(?:{months})\b)(?P<noun>{SEVERAL}))", self.genitive),
            rule(rf"(?<![\w.,:/–—-])(?<![-–—] )(?P<n>[2-9]|[1-9]\d)(?= (?:{SINGULAR})\b)",
                 lambda m: None if ends_in_one(m["n"]) or NUMBERED.search(text_before(m, 12))
                 else self.own.ordinal(int(m["n"]))),
            rule(rf"(?P<head>\b[а-яё]{{2,20}} и ){NUMBER}(?= (?!(?:{months})\b)(?P<noun>{SEVERAL}))", self.and_of),
        )  # fmt: skip

    def numbered(self, match: re.Match[str]) -> str | None:
        """ "после 17 тура"."""
        if ends_in_one(match["n"]) and match["noun"] in LONE:
            return None
        return match["head"] + self.own.ordinal(int(match["n"]), OF_ONE[match["noun"]])

    def genitive(self, match: re.Match[str]) -> str | None:
        written, noun = match["n"].replace(" ", ""), (match["noun"] or "").strip()
        groups = match.groupdict()
        if written[0] == "0" or noun in UNSAID or (noun in OF_ONE and not ends_in_one(written)):
            return None
        if not re.fullmatch(SEVERAL, match["noun"] or "") and not (groups.get("name") or ends_in_one(written)):
            return None
        if noun.startswith("год") or (re.fullmatch(r"(?:1[5-9]|20)\d\d", written) and not groups.get("name")):
            return None
        feminine = ends_in_one(written) and re.search(r"[ыи]\Z", noun) is not None
        return match["head"] + self.in_case(int(written), "genitive", "feminine" if feminine else "masculine")

    def and_of(self, match: re.Match[str]) -> str | None:
        """ "автор 4 книг и 22 статей": the second is in the case of the first."""
        governs = rf"\b(?:{ASKING}|{COMPOUND}|{HEADS}|[Оо]коло|[Бб]олее|[Мм]енее|[Сс]выше|[Ии]з|[Бб]ез|[Пп]орядка)"
        before = text_before(match, 70) + match["head"]
        if not re.search(rf"{governs}{LITTLE} \d[\d ]{{0,8}} (?:[а-яё]{{2,20}} ){{1,3}}и \Z", before):
            return None
        return self.genitive(match)
