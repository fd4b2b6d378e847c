"""Russian amounts as objects, from one to another, thirds, and what one fries in -> words in their cases."""

from __future__ import annotations

import re

from mlx_tts.text.languages.russian.governed import (
    ACCUSATIVE,
    AMOUNT_END,
    GENITIVE,
    LOCATIVE,
    SCALES,
    UsesGoverned,
    amount_of,
    last_stop,
    units_of,
)
from mlx_tts.text.languages.russian.shortened import FEMININE_SOFT
from mlx_tts.text.normalise.engine import Rule, one_of, rule, text_before

# Verbs whose object is an amount.
TAKING = (
    r"(?i:(?:по|ис|рас|за)?трат|расход|выдел|получ|собр|собер|набра|набер|куп|покупа|прода|постро|выпуст"
    r"|произве|производ|заработ|зарабат|прое[хз]|пробе[жг]|пробежа|проплы|про[шй]|проход|привле|приобре|плат[ия]"
    r"|заплат|выплат|сэконом|эконом|съе|выпи|добав|вле(?=[йи])|всып|налей|влить|возьм|взя|взыска|отда|верн|накоп|потеря"
    r"|теря|выигра|проигра|принес|принёс|принос|заня|займ|занима|составля|состав(?=и)|превы[сш]|преодоле|прове"
    r"|прожи|подожд|жда|прослуж|скача|загруз|отправ|достав|перев[её]|перевоз|влож|инвестир|вмеща|вмест|содерж"
    r"|потребля|вес(?=и)|сто(?=и)|длил|длит|насчит|пробурил|вырыл|сброс|поднял|собира"
    r"|добы|выраст|посади|намолот|выда|оштраф|присуд|отсуд|перечисл|экспортир|импортир|обработа|запрос|требова"
    r"|направ|ассигн|зарезерв|начисл|списа|оплат|внес|внёс|внос|сдела|соверш|наез|налета|осво|освои|разда"
    r"|уступ|разыгр|распредел|увез|вывез|ввез|име(?=[лею])|насчитыва|охват)"
)
VERB_ENDS = (
    r"[а-яё]{0,5}(?:л[аио]?|л(?:ся|ась|ось|ись)|т[ьи]|[аеё]ст|[еёиюуая]т|[её]м|им|[её]шь|ишь|[её]те|ите|[йь]те"
    r"|в(?:ши(?:й|е|ми|х|м)?|шая|шего|шую)?|йду)"
)
LITTLE = r"(?: (?:ещё|еще|уже|почти|примерно|всего|лишь|только|целых|сразу|ровно|в среднем|по итогам [а-яё]+))?"
PRESSURE = re.compile(r"(?:\bАД\b|[Дд]авлени)[^.!?;<>≤≥]{0,56}\Z")
THIRDS = {"1/3": "треть", "⅓": "треть", "1/4": "четверть", "¼": "четверть", "1/2": "половину", "½": "половину",
          "2/3": "две трети", "⅔": "две трети", "3/4": "три четверти", "¾": "три четверти"}  # fmt: skip
FRYING = (
    r"(?i:(?:об|под|по|за|про)?жар[а-яё]{1,6}|пассер[а-яё]{1,7}|(?:по|про)?туш[а-яё]{1,5}|(?:при)?готов[а-яё]{1,5}"
    r"|спассер[а-яё]{1,7})(?: [а-яё,\d–-]{1,20}\.?){0,7}?"
)


class Amounts(UsesGoverned):
    def rules(self) -> tuple[Rule, ...]:
        own = self.own
        amount, units, end = amount_of(own), units_of(own), AMOUNT_END
        signed = (
            r"(?P<minus>[-–+])?(?P<unit>[$€£¥]) ?(?P<n>\d{1,3}(?: \d{3}){1,3}|\d{1,6})(?:[,.](?P<part>\d{1,2}))?"
            rf"(?: ?(?P<scale>{one_of(SCALES)})\.?(?!\w))?(?P<per>)"
        )
        to = r"(?= до (?:\d|[-–+$€£¥]))"
        taken = self.governed.said_in(ACCUSATIVE)
        led = self.governed.said_in(GENITIVE)
        return (
            rule(r"(?P<head>(?:\b(?:АД|[Дд]авлени[а-яё]{1,2})(?!\w)[^.!?;<>≤≥\d]{0,50} )?)"
                 r"(?<![\w.,/-])(?P<a>\d{2,3})/(?P<b>\d{2,3})(?P<unit> ?мм ?рт\. ?ст\.?)?"
                 r"(?![\w/]|[.,]\d)", self.pressure),
            rule(r"(?P<head>\b(?:АД|[Дд]авлени[ие])) ?(?P<sign>[<>≤≥]) ?(?P<a>\d{2,3})/"
                 r"(?P<b>\d{2,3})(?![\w/])",
                 lambda m: f"{m['head']} {'выше' if m['sign'] in '>≥' else 'ниже'} "
                 f"{self.in_case(int(m['a']), GENITIVE)} на "
                 f"{own.cardinal(int(m['b']))}"),
            rule(rf"\b(?P<before>{TAKING}{VERB_ENDS}{LITTLE}) {amount}{end}", taken),
            rule(rf"(?P<head>\b{TAKING}{VERB_ENDS}{LITTLE} )(?P<n>\d{{1,3}}(?: \d{{3}}){{0,2}}),(?P<part>\d{{1,3}})"
                 rf"(?! ?(?:{units}|млн|млрд|трлн|тыс)(?!\w))(?= [а-яё]{{2}})",
                 self.decimal),
            rule(rf"(?P<head>\b{TAKING}{VERB_ENDS}{LITTLE} )(?P<n>\d{{0,2}}(?<!1)1)(?= (?:{FEMININE_SOFT})\b)",
                 lambda m: m["head"] + re.sub(r"одна\Z", "одну", own.cardinal(int(m["n"]), "f"))),
            rule(r"\b(?P<before>[Ии]з|[Оо]т|[Дд]ля|[Бб]ез|[Оо]коло) (?P<n>[1-9]) (?P<kind>ст|ч)\. ?л\.(?!\w)",
                 self.of_spoons),
            rule(r"(?<=[а-я\d] )[×xх] ?(?P<n>[1-9]) ?р(?:\.|аза?) ?(?:в|/) ?(?P<per>день|сутки|сут\.)",
                 lambda m: f"{own.counted(m['n'], ['раз', 'раза', 'раз', 'раза'])} в "
                 f"{'день' if m['per'] == 'день' else 'сутки'}"),
            rule(r"(?P<head>\b(?i:задерж|арест|осуд|освобод|госпитализ|эвакуир|спас|наград|увол|обвин|допро|опро|уби"
                 r"|рани|отпуст|пригла|приня|обуч|отправ|разыск|выяв)[а-яё]{1,7} )(?P<n>[2-4])(?= [а-яё]{3,20}[ыи]х\b)"
                 r"(?! [а-яё]+[ыи]х [а-яё]+(?:а|ы|и|я)\b)",
                 lambda m: m["head"] + self.in_case(int(m["n"]), GENITIVE)),
            rule(rf"\b(?P<before>[Сс]о?) {amount}{to}", led),
            rule(rf"\b(?P<before>[Сс]о?) {signed}{to}", led),
            rule(r"(?P<on>\b[Нн]а )(?P<n>1/[234]|[23]/[34]|[½⅓⅔¼¾])(?=[,.;)](?!\d)| [а-яё]|\s*\Z)"
                 r"(?! (?:января|февраля|марта|апреля|мая|июня|июля|августа|сентября|октября|ноября|декабря|финал))",
                 lambda m: m["on"] + THIRDS[m["n"]]),
            rule(r"(?<![\w.,/])(?<!\d )(?P<n>1/[34]|[⅓¼])(?= [а-яё]{2,20}[аяиыу]\b)(?! финала)",
                 lambda m: THIRDS[m["n"]]),
            rule(rf"(?<![\w.,/])(?<!\d )(?P<n>1/[34]|[⅓¼]) ?(?P<unit>ст\. ?л\.|ч\. ?л\.|{units})(?!\w)", self.third),
            rule(r"\b(?P<head>на) (?P<n>\d{1,3}) ?(?P<unit>ст\. ?л\.|ч\. ?л\.|г|мл|л)"
                 r"(?= (?:[а-яё]{4,20}(?:ого|ей|ой|его) )?(?:масл|жир|смал|вод|бульон|сливоч))", self.fried),
        )  # fmt: skip

    def decimal(self, match: re.Match[str]) -> str | None:
        """ "набрав 1 527,3 очка"."""
        if (match["n"], match["part"]) == ("1", "5"):
            return None
        said = self.own.spoken(f"{match['n'].replace(' ', '')},{match['part']}")
        said = re.sub(r"\Aодна тысяча\b", "тысячу", said)
        said = re.sub(r"\bодна (тысяч|цел|десят|сот|тысячн)(а|ая)\b",
                      lambda m: f"одну {m[1]}{'у' if m[2] == 'а' else 'ую'}", said)  # fmt: skip
        return match["head"] + said

    def pressure(self, match: re.Match[str]) -> str | None:
        """Of blood, in the same clause as its word."""
        a, b, before = int(match["a"]), int(match["b"]), text_before(match, 60) + match["head"]
        if not (70 <= a <= 260 and 30 <= b < a) or not PRESSURE.search(before):
            return None
        forms = self.governed.forms("мм рт. ст.")
        around = re.search(r"\b(?:[Оо]коло|[Дд]о|[Вв]ыше|[Нн]иже|[Оо]т|[Сс]выше) \Z", before)
        first = self.in_case(a, GENITIVE) if around else self.own.cardinal(a)
        last = self.own.counted(match["b"], forms) if match["unit"] else self.own.cardinal(b)
        return f"{match['head']}{first} на {last}{last_stop(match)}"

    def of_spoons(self, match: re.Match[str]) -> str:
        """ "смесь из 1 ст. л. соли"."""
        one = match["n"] == "1"
        number = self.in_case(int(match["n"]), GENITIVE, "feminine" if one else "masculine")
        kind = "столов" if match["kind"] == "ст" else "чайн"
        return f"{match['before']} {number} {kind}{'ой ложки' if one else 'ых ложек'}{last_stop(match)}"

    def third(self, match: re.Match[str]) -> str | None:
        """Thirds and quarters have one form as a subject and as an object."""
        unit = re.sub(r"\.(?=\w)", ". ", match["unit"])
        forms = self.governed.forms(unit)
        if not forms or unit == "%":
            return None
        return f"{THIRDS[match['n']]} {forms[3 if len(forms) > 3 else 1]}{last_stop(match)}"

    def fried(self, match: re.Match[str]) -> str | None:
        """ "обжарьте на 3 ст. л. масла"."""
        if not re.search(rf"\b{FRYING} \Z", text_before(match, 90)):
            return None
        one = match["n"][-1] == "1" and match["n"] != "11"
        if match["unit"].endswith("."):
            said = self.in_case(int(match["n"]), LOCATIVE, "feminine" if one else "masculine")
            kind = "столов" if match["unit"][0] == "с" else "чайн"
            return f"{match['head']} {said} {kind}{'ой ложке' if one else 'ых ложках'}"
        amount = self.governed.amount(match["n"], None, None, match["unit"], LOCATIVE)
        return f"{match['head']} {amount}"
