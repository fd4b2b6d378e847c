"""Russian numbers in their genders and cases: rules for what stands beside them. The words are in `__init__`."""

from __future__ import annotations

import re

from mlx_tts.text.languages.russian.abridged import ordinary_kinds
from mlx_tts.text.languages.russian.amounts import Amounts
from mlx_tts.text.languages.russian.asking import Asking
from mlx_tts.text.languages.russian.clock import Clock
from mlx_tts.text.languages.russian.endings import CASE_OF_ENDING, HUNDREDS, LENGTHS, PARTS, PERIODS
from mlx_tts.text.languages.russian.everyday import Everyday
from mlx_tts.text.languages.russian.gadgets import Gadgets
from mlx_tts.text.languages.russian.governed import GENITIVE, LOCATIVE, Governed, ends_in_one, last_stop, spelled_out
from mlx_tts.text.languages.russian.in_context import InContext
from mlx_tts.text.languages.russian.monarchs import ruler_rules
from mlx_tts.text.languages.russian.names import GENITIVE_PLURALS, MEN_ALONE, MEN_OF_ONE, NAME_RULES
from mlx_tts.text.languages.russian.notices import ShortNotices
from mlx_tts.text.languages.russian.offices import office_rules
from mlx_tts.text.languages.russian.ordinals import OrdinalForms
from mlx_tts.text.languages.russian.ordinary import DATE_FOLLOWS
from mlx_tts.text.languages.russian.quantities import Quantities
from mlx_tts.text.languages.russian.ranges import Ranges
from mlx_tts.text.languages.russian.ranks import Ranks
from mlx_tts.text.languages.russian.shortened import Shortened
from mlx_tts.text.languages.russian.spans import Spans
from mlx_tts.text.languages.russian.streets import STREET_RULES
from mlx_tts.text.languages.russian.whereabouts import Whereabouts
from mlx_tts.text.normalise.engine import Kind, UnspeakableError, one_of, rule, text_after, text_before
from mlx_tts.text.normalise.european import European
from mlx_tts.text.normalise.european_numbers import EXPONENT, RAISED, several
from mlx_tts.text.normalise.number_words import number_words

MEN = re.compile(r"(?:мужчин|дедушк|юнош|судь|дяд|колле[гж]|пап|воевод|старост)\w{1,2}\Z|(?:раза|часа|года|дня)\Z")
GENITIVE_BEFORE = (
    r"[Оо]коло|[Бб]олее|[Мм]енее|[Сс]выше|[Бб]ольше|[Мм]еньше|[Дд]ольше|[Дд]о|[Оо]т|[Ии]з|[Дд]ля|[Бб]ез|[Пп]осле|[Пп]орядка|"
    r"[Уу]|[Вв]место|[Вв] течение|[Вв] возрасте|[Вв] количестве|[Нн]а протяжении|[Сс]реди|[Пп]ротив|[Кк]роме"
    r"|[Дд]остиг\w{0,3}"
)

# What is done to so many of them: "ремонт 37 школ" is the genitive.
WORKS = (
    r"[Рр]емонт\w{0,2}|[Сс]троительств\w{1,2}|[Пп]остройк\w{1,2}|[Пп]окупк\w{1,2}|[Зз]акупк\w{1,2}|[Пп]оставк\w{1,2}"
    r"|[Пп]роизводств\w{1,2}|[Сс]оздани\w{1,2}|[Оо]ткрыти\w{1,2}|[Зз]акрыти\w{1,2}|[Оо]бучени\w{1,2}|[Лл]ечени\w{1,2}"
    r"|[Пп]родаж\w{1,2}|[Пп]риобретени\w{1,2}|[Вв]осстановлени\w{1,2}|[Рр]еконструкци\w{1,2}|[Сс]пасени\w{1,2}"
    r"|[Пп]одготовк\w{1,2}|[Оо]снащени\w{1,2}|[Бб]лагоустройств\w{1,2}|[Пп]осадк\w{1,2}|[Гг]ибел\w{1,2}"
    r"|[Зз]адержани\w{1,2}|[Уу]части\w{1,2}|[Ээ]вакуаци\w{1,2}|[Вв]ыпуск\w{0,2}"
)
# A noun without a singular is counted so.
NIGHTS = {"1": "одни", "2": "двое", "3": "трое", "4": "четверо"}
SPANS_OF_TIME = r"(?:лет|дней|часов|минут|секунд|месяцев|недель|суток|раз|год|век|процент)\b"


class Russian(Whereabouts, OrdinalForms, European):
    """Numbers have a gender and a case; days and years are ordinals in the genitive, as after "on the"."""

    def spelling(self, words: str) -> str:
        return words.replace("третьому", "третьему").replace("третьом", "третьем").replace("ноля", "нуля")

    def own_kinds(self) -> tuple[Kind, ...]:
        pattern = r"(?<![\w.,-])8[ -]\(?\d{3}\)?[ -]\d{3}[ -]\d{2}[ -]\d{2}(?![\w-])"
        groups = rule(pattern, lambda m: ", ".join(self.digits(group) for group in re.findall(r"\d+", m[0])))
        governed = Governed(self, self.number_in_case)
        counted = one_of({**self.unit_names, **self.money, "%": ""})
        per = one_of({**self.unit_names, **self.per_words})
        whole = r"(?P<n>\d{1,3}(?: \d{3}){1,2}|\d{1,6})"
        cases = (
            rule(r"(?<![\w.,-])(?:(?P<a>[1-3]) ?[-–—] ?)?(?P<n>\d{1,3})(?= (?:сутки|суток)\b)", self._days_and_nights),
            rule(r"(?<![\w.,-])1,5(?= (?P<noun>(?!для|при|над|под|или|это|как|что)[а-яё]{3,20})\b)",
                 lambda m: "полторы" if re.search(r"[ыи]\Z", m["noun"]) else "полтора"),
            rule(r"(?<![\w.,-])(?P<n>\d{0,3}[1-4])(?= лет\b)",
                 lambda m: None if re.search(r"1[1-4]\Z", m["n"]) else self.number_in_case(int(m["n"]), "genitive")),
            rule(r"\b(?P<before>[Пп]ри) (?P<n>\d{1,4}) ?°[CС](?!\w)",
                 lambda m: f"{m['before']} {self.number_in_case(int(m['n']), 'locative')} "
                 f"{'градусе' if ends_in_one(m['n']) else 'градусах'} Цельсия"),
            rule(rf"\b(?P<before>{GENITIVE_BEFORE}|[Оо]к\.) {whole}(?: ?(?P<unit>{counted})(?:/(?P<per>{per}))?)?"
                 rf"(?![\w²³/])(?![.,:/-]\d)(?! ?[-–] ?\d)", self._genitive),
            rule(rf"\b(?P<before>{GENITIVE_BEFORE}|[Сс]) {whole}"
                 r"(?P<scale> (?:тысяч|миллионов|миллиардов|триллионов))(?!\w)",
                 lambda m: f"{m['before']} {self.number_in_case(int(m['n'].replace(' ', '')), GENITIVE)}{m['scale']}"),
            rule(rf"(?<![\w.,-])(?P<n>\d{{0,3}}[234])(?= (?!(?:{MEN_ALONE})\b)[а-яё]{{1,20}}(?:{GENITIVE_PLURALS})\b)",
                 lambda m: None if re.search(r"1\d\Z", m["n"]) else self.number_in_case(int(m["n"]), "genitive")),
            rule(r"(?<![\w.,-])(?P<n>\d{0,3}[234])(?= [а-яё]{2,20}(?:[оеё]в|ей)\b)",
                 lambda m: None if re.search(r"1\d\Z", m["n"]) else self.number_in_case(int(m["n"]), "genitive")),
            rule(rf"(?<![\w.,-])(?P<n>\d{{0,3}}1)(?= (?:{MEN_OF_ONE})\b)",
                 lambda m: None if re.search(r"11\Z", m["n"]) else self.number_in_case(int(m["n"]), "genitive")),
            rule(rf"\b(?P<before>{GENITIVE_BEFORE}) (?:(?P<n>\d{{1,6}})(?:,(?P<part>\d{{1,6}}))? ?[x×·*] ?)?"
                 rf"(?P<base>\d{{1,6}}){EXPONENT}(?: ?(?P<unit>{one_of(self.unit_names)}))?(?![\w²³/^])",
                 lambda m: self._power_genitive(m, governed)),
            rule(rf"\b(?P<before>{GENITIVE_BEFORE}) (?P<n>\d{{1,6}})(?:,(?P<part>\d{{1,6}}))? ?[x×·*] ?(?P<base>10)"
                 rf"(?P<power>)(?P<raised>[²³])(?: ?(?P<unit>{one_of(self.unit_names)}))?(?![\w²³/^])",
                 lambda m: self._power_genitive(m, governed)),
            rule(rf"\b(?P<before>{GENITIVE_BEFORE}) (?P<n>\d{{1,6}})(?P<power>[²³])(?![\w²³/^])",
                 lambda m: f"{m['before']} {self.number_in_case(int(m['n']), GENITIVE)} {self.web[m['power']]}"),
            rule(rf"\b(?P<before>{GENITIVE_BEFORE}) (?P<top>\d{{1,2}})/(?P<bottom>\d{{1,3}})(?![\w/.,])",
                 self._fraction_genitive),
            rule(r"(?<![\w.,-])(?P<n>\d{1,3}),5(?= [а-яё]{3,20}(?P<end>ами|ями|ах|ях|ам|ям)\b)",
                 lambda m: f"{self.number_in_case(int(m['n']), CASE_OF_ENDING[m['end']])} с половиной"),
            rule(r"\b(?P<before>[Вв]) (?P<n>\d{1,4})(?= из (?:них|\d|[а-яё]+(?:ов|ев|ей|х)\b))",
                 lambda m: f"{m['before']} {self.number_in_case(int(m['n']), 'locative')}"),
            rule(r"\b(?P<before>[Сс]) (?P<n>[1-9]\d?)(?=[.;)](?!\d)|\s*\Z)",
                 lambda m: f"{m['before']} {self.number_in_case(int(m['n']), 'genitive')}"),
            rule(r"(?P<before>\b[вВ] )(?P<n>[1-9]\d{0,3}) ?(?P<unit>км|м)(?=[.,;)](?!\d)|\s*\Z)",
                 lambda m: None if re.search(LENGTHS, text_before(m, 30)) else self._at_a_distance(m)),
            rule(r"(?P<before>\b[вВ] )(?P<n>\d{1,3} \d{3}|\d{1,4}) ?(?P<unit>км|м|мин\.?|ч\.?)(?= (?:от"
                 r"|к (?:север|юг|запад|восток|[СЮ]\.?-)\w*|езды|ходьбы|пешком"
                 r"|пути|до)\b)",
                 self._at_a_distance),
            rule(r"\b(?P<before>[Сс]) (?P<h>\d{1,2}):(?P<m>[0-5]\d) до (?P<h2>\d{1,2}):(?P<m2>[0-5]\d)(?![\w:])(?P<ho"
            r"urs> ч\b\.?| часов)?",
                 self._opening_hours),
            rule(r"\b(?P<before>[Сс]) (?P<h>\d|1\d|2[0-4])[.:](?P<m>[0-5]\d) ?[-–—] ?(?P<h2>\d|1\d|2[0-4])[.:]"
                 r"(?P<m2>[0-5]\d)(?![\w:]|[.,]\d)(?P<hours> ч\b\.?| часов)?", self._opening_hours),
            rule(r"\b(?P<before>[Кк]) (?P<a>[СЮ])\.?-(?P<b>[ВЗ])\.?(?= от\b)",
                 lambda m: f"{m['before']} {'северо' if m['a'] == 'С' else 'юго'}-"
                 f"{'востоку' if m['b'] == 'В' else 'западу'}"),
            rule(r"\b(?P<before>[Сс]|[Дд]о|[Пп]осле|[Оо]коло|[Оо]т|[Пп]озднее|[Пп]озже"
                 r"|[Рр]анее|[Рр]аньше) (?P<h>[01]?\d|2[0-4])(?::(?P<m>[0-5]\d)|\.00)"
                 r"(?: часов| ч\b)?(?![\w:]|[.,]\d| ?[-–—] ?\d)", self._moment),
            rule(r"\b(?P<before>[Кк]|[Сс]) (?P<n>\d|1[0-2])(?= (?:утра|вечера|ночи|дня)\b)",
                 lambda m: f"{m['before']} "
                 f"{self.number_in_case(int(m['n']), 'dative' if m['before'] in 'Кк' else GENITIVE)}"),
            rule(r"\b(?P<before>[Кк]) (?P<h>[01]?\d|2[0-4]):(?P<m>[0-5]\d)(?![\w:]|[.,]\d| ?[-–—] ?\d)", self._towards),
            rule(rf"(?<![\w.,-]){whole}(?= [а-яё]{{3,20}}[ыи]х [а-яё]{{2,20}}[ая]х\b)",
                 lambda m: self.number_in_case(int(m["n"].replace(" ", "")), LOCATIVE)),
            rule(rf"(?<![\w.,-]){whole}(?= [а-яё]{{3,20}}[ыи]м [а-яё]{{2,20}}[ая]м\b)",
                 lambda m: self.number_in_case(int(m["n"].replace(" ", "")), "dative")),
            rule(r"(?<=\b[Вв] )(?P<n>\d{0,2}[02-9]?1)(?= [а-яё]{3,20}[ое]м [а-яё]{2,20}е\b)",
                 lambda m: self.number_in_case(int(m["n"]), LOCATIVE)),
            rule(rf"(?<![\w.,-]){whole}(?= [а-яё]{{3,20}}[ыи]ми [а-яё]{{2,20}}[ая]ми\b)",
                 lambda m: self.number_in_case(int(m["n"].replace(" ", "")), "ablative")),
            rule(r"\b(?P<before>[Пп]ри) (?P<a>\d{1,4})(?P<noun> [а-яё]{3,20}[ыи]х)"
                 r"(?: и (?P<b>\d{1,4})(?= [а-яё]{3,20}[ыи]х\b))?",
                 lambda m: f"{m['before']} {self.number_in_case(int(m['a']), LOCATIVE)}{m['noun']}"
                 + (f" и {self.number_in_case(int(m['b']), LOCATIVE)}" if m["b"] else "")),
            rule(r"\b(?P<before>[Вв]) теч\.(?: (?P<n>[1-9]\d{0,3})(?= (?P<noun>[а-яё]+)))?", self._in_the_course),
            rule(rf"\b(?P<head>(?:{WORKS}) )(?P<n>\d{{1,3}} \d{{3}}|[2-9]|[1-9]\d{{1,5}})"
                 rf"(?= (?P<noun>(?!{SPANS_OF_TIME})"
                 r"[а-яё]{2,20}[б-дж-нп-тф-щьй])\b)",
                 lambda m: None if ends_in_one(m["n"].replace(" ", ""))
                 else m["head"] + self.number_in_case(int(m["n"].replace(" ", "")), "genitive")),
            rule(r"(?<![\w.,/])(?:1/2|½) (?P<unit>ст\. ?л\.|ч\. ?л\.|л|кг|г|мл)(?!\w)", self._half_of),
            rule(r"(?<![\w.,/])1/2(?= (?:от|[а-яё]{3,20}[аяиы])\b)",
                 lambda m: "половину" if re.search(r"(?:[айеиь]те|ить|ать|[вВ]|[нН]а"
                                  r"|состав(?:ит|ляет|ил[аио]?)|[Пп]олуч\w{1,5}"
                                  r"|[Оо]тдал[аи]?|[Сс]ъе[лдш]\w{0,2}|потратил[аи]?|занимает) \Z", text_before(m, 16))
                 else "половина"),
            rule(r"(?<![\w.,-])(?P<n>\d{0,3}1)(?= [а-яё]{2,20}[ую]\b)",
                 lambda m: None if re.search(r"1[1]\Z", m["n"]) or re.search(r"\b[пПкК]о? \Z", text_before(m, 4))
                 else re.sub(r"одна\Z", "одну", self.cardinal(int(m["n"]), "f"))),
            rule(r"(?P<before>\b(?:[вВ]|[нН]а|[оО]|[пП]ри|[сС]|[вВ] каждой|[дД]ля|[иИ]з|[дД]о|[оО]т) "
            r")(?P<n>\d{0,3}1)(?= (?P<noun>[а-яё]{2,20})\b)",
                 self._one_in_case),
            rule(r"(?<![\w.,-])(?P<n>\d) ?р\.? ?/ ?(?P<per>день|сут(?:ки|\.)?)(?!\w)",
                 lambda m: f"{self.cardinal(int(m['n']), 'm')} {'раза' if m['n'] in '234' else 'раз'} в "
                     f"{'день' if m['per'] == 'день' else 'сутки'}"),
            rule(r"\b(?P<before>[Сс]) (?P<n>\d{1,2}) ?ч\b\.?", lambda m: f"{m['before']} "
                 f"{self.number_in_case(int(m['n']), 'genitive')} {'часа' if ends_in_one(m['n']) else 'часов'}"),
            rule(r"\b(?P<before>[Сс]о?) (?P<n>\d{1,4})(?= до \d)",
                 lambda m: f"{m['before']} {self.number_in_case(int(m['n']), 'genitive')}"),
            rule(rf"(?<![\w.,-]){whole}(?= (?!возьми)[а-яё]{{3,20}}(?P<end>ах|ях|ам|ям|ами|ями|ьми)\b)",
                 lambda m: self.number_in_case(int(m["n"].replace(" ", "")), CASE_OF_ENDING[m["end"]])),
        )  # fmt: skip
        return (*ordinary_kinds(self, self.number_in_case),
                Kind("asked for", re.compile(r"\d"), Asking(self, self.number_in_case).rules()),
                Kind("amount", re.compile(r"[\d½⅓⅔¼¾]"), Amounts(self, self.number_in_case).rules()),
                Kind("clock", re.compile(r"\d\.\d|\b[Сс]т\.|час\.|\d ?[слг]\.|[тнрб]\.|:\d"),
                     Clock(self, self.number_in_case).rules()),
                Kind("range", re.compile(r"\d[-–—/…+. ]|№|мск|МСК|\b[IVX]{1,4} "),
                     Ranges(self, self.number_in_case).rules()),
                Kind("street", re.compile(r"[а-я]\. ?|пр-[тд]"), STREET_RULES),
                Kind("office", re.compile(r"[а-яё]\. |/|\d\.\d|\.\d"), office_rules(self)),
                Kind("device", re.compile(r"\d|ОТ|\bу"), Gadgets(self, self.number_in_case).rules()),
                Kind("in context", re.compile(r"\d"), InContext(self, self.number_in_case).rules()),
                Kind("notices", re.compile(r"[\d.α-ωΔΣΦΨ]|\b[пвсчПВСЧ][нтрбс]\b"),
                     ShortNotices(self, self.number_in_case).rules()),
                Kind("everyday", re.compile(r"[\d.]|-|/|\b[пвсчПВСЧ][нтрбс]\b"),
                     Everyday(self, self.number_in_case).rules()),
                Kind("telephone", re.compile(r"8[ -]"), (groups,)),
                Kind("name", re.compile(r"г\.|пр\.|им\.|м\.|[СН]\.|тел\.|тр\.|л\.|каб\.|оф\.|км|ш\.|ур\.|вл\."
                                        r"|\b(?:[Пп]н|[Вв]т|[Сс]р|[Чч]т|[Пп]т|[Сс]б|[Вв]с)\b|½|1/2"
                                        r"|(?:ф|акад|доц|корп|чел|рт|еп|внутр|[стм]|азм|нж|сут)\."
                                        r"|диабет|СД [12]"),
                     NAME_RULES),
                Kind("ruler", re.compile(r" [IVX]"), ruler_rules(self)),
                Kind("shortened", re.compile(r"[\d./]"),
                     (*Shortened(self).rules(), *Quantities(self, self.number_in_case).rules())),
                Kind("number", re.compile(r"\d|\b[Кк] [СЮ]|[IV] (?:кв|полуг)"),
                     (*governed.rules(), *Spans(governed).rules(), *Ranks(self).rules(),
                                                   *cases)))  # fmt: skip

    def day_name(self, written: str, before: str) -> str:
        """A weekday behind "in" is an accusative, before a date as well."""
        said = super().day_name(written, before)
        return re.sub(r"а\Z", "у", said) if re.search(r"\b[Вв]о? \Z", before) else said

    def per_unit(self, sign: str) -> str:
        """ "миллиграмм на килограмм", "километров в час"."""
        return (
            self.per
            if sign.rstrip(".") in ("ч", "с", "мин", "сут", "сут.", "день", "мес.", "мес", "нед.", "год", "мин.", "сек")
            else "на"
        )

    def per_word(self, word: str) -> str:
        return f"{'в' if re.match(PERIODS, word) else 'за'} {word}"

    def number_in_case(self, number: int, case: str, gender: str = "masculine") -> str:
        """A cardinal in a case by CLDR's name of it, such as "genitive"."""
        said = self.spelling(number_words(self.code, number, f"cardinal-{gender}-{case}"))
        # CLDR has no locative of twenty and thirty: it gives the nominative.
        return re.sub(r"\b(два|три)дцать\b", r"\1дцати", said) if case == LOCATIVE else said

    def _genitive(self, match: re.Match[str]) -> str | None:
        """ "около 100 км", "из 21 участника"."""
        written, unit = match["n"].replace(" ", ""), match["unit"]
        like_a_year = unit is None and re.fullmatch(r"1[1-9]\d\d|20\d\d", written) is not None
        if written[0] == "0" or (like_a_year and re.fullmatch(r"(?i:до|от|из|для|без|после|у|кроме)", match["before"])):
            return None
        if (unit in ("г", "г.") or text_after(match, 4) == " год") and re.fullmatch(r"1\d{3}|20\d\d", written):
            return None
        one = ends_in_one(written)
        noun = re.match(r" ([а-яё]+)", text_after(match, 24))
        if unit is None and noun and noun[1] in ("и", "или", "а"):
            return None
        forms = "" if unit is None else self.percent if unit == "%" else self.money.get(unit) or self.unit_names[unit]
        first = forms.split("|")[0] if forms else noun[1] if noun else ""
        feminine = re.search(r"[ая]\Z" if forms else r"[ыи]\Z", first) is not None
        said = self.number_in_case(int(written), "genitive", "feminine" if feminine and one else "masculine")
        if not forms:
            return f"{spelled_out(match['before'])} {said}"
        several = forms.split("|")
        per = ""
        if match["per"]:
            counted = self.per_words.get(match["per"]) or self.unit_names[match["per"]].split("|")[0]
            per = f" {self.per_unit(match['per'])} {counted}"
        stop = self.unit_stop(match)
        return f"{spelled_out(match['before'])} {said} {several[1 if one else min(2, len(several) - 1)]}{per}{stop}"

    def _moment(self, match: re.Match[str]) -> str:
        """ "до 17:00": an hour behind a preposition is in the genitive."""
        hour, minute = self.number_in_case(int(match["h"]), "genitive"), int(match["m"] or 0)
        if not minute:
            return f"{match['before']} {hour} {'часа' if int(match['h']) % 20 == 1 else 'часов'}"
        zero = f"{self.cardinal(0)} " if minute < 10 else ""
        return f"{match['before']} {hour} {zero}{self.number_in_case(minute, 'genitive', 'feminine')}"

    def _towards(self, match: re.Match[str]) -> str:
        """ "к 15:00": the dative."""
        hour, minute = self.number_in_case(int(match["h"]), "dative"), int(match["m"])
        if not minute:
            return f"{match['before']} {hour} {'часу' if int(match['h']) % 20 == 1 else 'часам'}"
        zero = f"{self.cardinal(0)} " if minute < 10 else ""
        return f"{match['before']} {hour} {zero}{self.number_in_case(minute, 'dative', 'feminine')}"

    def _in_the_course(self, match: re.Match[str]) -> str:
        said = f"{match['before']} течение"
        if not match["n"]:
            return said
        feminine = ends_in_one(match["n"]) and re.search(r"[иы]\Z", match["noun"])
        return f"{said} {self.number_in_case(int(match['n']), 'genitive', 'feminine' if feminine else 'masculine')}"

    def sentence_stop(self, match: re.Match[str]) -> str:
        """A date alone is not a sentence: the stop of its year is left out. After "20 мин." it begins the next one."""
        if match[0].endswith("мин.") and DATE_FOLLOWS.match(text_after(match, 14)):
            return "."
        dated = "month" in match.groupdict() and text_after(match, 40).strip()
        if dated and re.search(r"(?:\A|[.!?…]\s|\n)(?:[ВСДКН][а-я]{0,3} )?\Z", text_before(match, 8)):
            return ""
        return super().sentence_stop(match)

    def unit_stop(self, match: re.Match[str]) -> str:
        return last_stop(match)

    def _fraction_genitive(self, match: re.Match[str]) -> str:
        top, bottom = int(match["top"]), int(match["bottom"])
        if bottom < 2 or top >= bottom:
            raise UnspeakableError(match[0])
        one = ends_in_one(match["top"])
        names = {2: ("второй", "вторых"), 3: ("трети", "третей"), 4: ("четверти", "четвертей")}
        part = names[bottom][not one] if bottom in names else self.ordinal(bottom, "fg" if one else "pg")
        if (top, bottom) == (1, 2):
            return f"{match['before']} половины"
        return f"{match['before']} {self.number_in_case(top, 'genitive', 'feminine')} {part}"

    def _power_genitive(self, match: re.Match[str], governed: Governed) -> str:
        """ "около 3·10^8 м": the preposition governs the first factor alone."""
        exponent = (match["power"] or match["raised"]).translate(RAISED)
        minus = f"{self.minus} " if exponent[0] == "-" else ""
        base = int(match["base"])
        if match["part"]:
            first = governed.decimal(match["n"], match["part"], GENITIVE)
        else:
            first = self.number_in_case(int(match["n"] or base), GENITIVE)
        factor = f" {self.by_before('', '')} {self.cardinal(base)}" if match["n"] else ""
        unit = f" {several(self.unit_names[match['unit']])}" if match["unit"] else ""
        power = f"{self.power} {minus}{self.cardinal(int(exponent.lstrip('+-')))}"
        return f"{match['before']} {first}{factor} {power}{unit}{self.unit_stop(match) if unit else ''}"

    def _days_and_nights(self, match: re.Match[str]) -> str | None:
        """ "через 1 сутки", "2-3 суток"; "последних 3 суток" is a genitive."""
        number, first = match["n"], match["a"]
        if re.search(r"[иы]х \Z", text_before(match, 4)) or (first and number not in NIGHTS):
            return None
        if number in NIGHTS:
            return f"{NIGHTS[first]} — {NIGHTS[number]}" if first else NIGHTS[number]
        return re.sub(r"один\Z", "одни", self.cardinal(int(number))) if ends_in_one(number) else None

    def _half_of(self, match: re.Match[str]) -> str | None:
        """A half that the sentence asks to add is in the accusative."""
        sentence = re.split(r"(?<=\w\w)[.!?]\s(?=[А-ЯЁ])|\n", text_before(match, 200))[-1]
        if not re.search(r"[а-яё](?:ьте|йте|ите)\b", sentence):
            return None
        unit = re.sub(r"\.(?=\w)", ". ", match["unit"])
        return f"половину {self.unit_names[unit].split('|')[3]}"

    def _one_in_case(self, match: re.Match[str]) -> str | None:
        """ "в 1 порции", "из 21 дома": by the preposition and the noun's ending."""
        number, noun, before = int(match["n"]), match["noun"], match["before"].casefold().strip()
        if number % 100 == 11:
            return None
        if before in ("для", "из", "до", "от"):
            feminine = re.search(r"[иы]\Z", noun)
            return (
                f"{match['before']}{self.number_in_case(number, 'genitive', 'feminine' if feminine else 'masculine')}"
                if feminine or re.search(r"[ая]\Z", noun)
                else None
            )
        if before == "с":
            feminine = re.search(r"[оеё]й\Z|ью\Z", noun)
            return (
                f"{match['before']}{self.number_in_case(number, 'ablative', 'feminine' if feminine else 'masculine')}"
                if feminine or re.search(r"[оеё]м\Z", noun)
                else None
            )
        if re.search(r"(?:ии|ти|ди|си|зи|чи|ни|ли|ри|би|ей|ой)\Z", noun):
            return f"{match['before']}{self.number_in_case(number, 'locative', 'feminine')}"
        return (
            f"{match['before']}{self.number_in_case(number, 'locative')}"
            if noun.endswith("е") and before != "на"
            else None
        )

    def ordinal(self, number: int, form: str = "m") -> str:
        thousands, rest = divmod(number, 1000)
        if rest and not rest % 100 and rest > 100:  # CLDR has no ordinals of full hundreds, nor of most thousands
            last = HUNDREDS[rest // 100] + super().ordinal(100, form)
            before = self.cardinal(thousands * 1000) if thousands else ""
            return re.sub(r"^одна (?=тысяча)", "", f"{before} {last}".strip())
        if number > 2000 and not rest and thousands < 1000:
            return self._joined(thousands) + super().ordinal(1000, form)
        said = re.sub(r"^одна тысяча (?=\w)", "тысяча ", super().ordinal(number, form))
        return re.sub(r"сороковой\Z", "сороковом", said) if form in ("ml", "nl") else said

    def one(self, noun: str, before: str) -> str:
        if noun.endswith("лся"):
            return self.cardinal(1, "m")
        if re.search(r"\b[Пп]о \Z", before) and noun:
            return "одной" if re.search(r"[еи]\Z", noun) else "одному"
        if noun and re.fullmatch(r"[а-яё]{2,}[ое]", noun):
            return self.cardinal(1, "n")
        return super().one(noun, before)

    def season(self, first: int, last: int) -> str:
        return f"{self.cardinal(first)} — {self.cardinal(last)}"

    def counted(self, written: str, forms: list[str], scale: str = "") -> str:
        """One and a half has a word of its own before what it counts, and so have small numbers of "сутки"."""
        if forms[0] == "сутки" and not scale and written in NIGHTS:
            return f"{NIGHTS[written]} {forms[0 if written == '1' else 1]}"
        if written == "1,5" and not scale:
            return f"{'полторы' if self.gender(forms[0]) == 'f' else 'полтора'} {forms[-1]}"
        return super().counted(written, forms, scale)

    def scaled(self, written: str, scale: str) -> str:
        said = super().scaled(written, scale)
        return (
            re.sub(r"^одна целая пять десятых", "полторы" if "тысяч" in said else "полтора", said)
            if written == "1,5"
            else said
        )

    def decimal(self, whole: str, fraction: str, point: str) -> str:
        """Up to millionths have names of their own."""
        part = PARTS.get(len(fraction))
        if part is None:
            return super().decimal(whole, fraction, point)
        one, many = part.split("|")
        said_part = f"{self.cardinal(int(fraction), 'f')} {one if ends_in_one(fraction) else many}"
        return f"{self.whole(whole, 'f')} {'целая' if ends_in_one(whole) else 'целых'} {said_part}"

    def fraction_behind(self, top: int, bottom: int, before: str) -> str:
        """Of a house number the second part is another house: "д. 44/8"."""
        if re.search(r"(?:\b[дД](?:\.|ом)|\bстр\.|\bкорп\.) \Z", before):
            return f"{self.cardinal(top)} {self.over} {self.cardinal(bottom)}"
        return self.fraction(top, bottom)

    def fraction(self, top: int, bottom: int) -> str:
        if (top, bottom) == (1, 2):
            return "одна вторая"
        if bottom < 2 or bottom > 1000:
            return f"{self.cardinal(top)} {self.over} {self.cardinal(bottom)}"
        if bottom in (3, 4):
            one, many = {3: ("одна треть", "трети"), 4: ("одна четверть", "четверти")}[bottom]
            return one if top == 1 else f"{self.cardinal(top, 'f')} {many}"
        return f"{self.cardinal(top, 'f')} {self.ordinal(bottom, 'f' if ends_in_one(str(top)) else 'pg')}"

    def mixed(self, whole: str, top: int, bottom: int, noun: str = "") -> str:
        if (top, bottom) == (1, 2):
            return f"{self.whole(whole)} с половиной"
        return f"{self.whole(whole, 'f')} {'целая' if ends_in_one(whole) else 'целых'} {self.fraction(top, bottom)}"

    def part_of(self, top: int, bottom: int, unit: str) -> str:
        forms = unit.split("|")
        of = forms[3 if len(forms) > 3 else 1 if len(forms) > 1 else 0]
        return f"половина {of}" if (top, bottom) == (1, 2) else f"{self.fraction(top, bottom)} {of}"

    def day(self, number: int, before: str) -> str:
        until = re.search(
            r"\b(?:[Пп]о|[Нн]а|[Зз]а|[Пп]од) (?:\d[\d.]*)?\Z", before
        )  # "по 31 декабря" is the accusative
        if re.search(r"\b[Кк]о? (?:\d[\d.]*)?\Z", before):
            return self.ordinal(number, "nd")
        return self.ordinal(number, "n" if until else "ng")

    def year(self, number: int) -> str:
        return self.ordinal(number, "mg")

    def bare_year(self, number: int) -> str:
        return re.sub(r"^одна (?=тысяча)", "", self.cardinal(number))

    def regnal(self, number: int, name: str, before: str = "") -> str:
        return self.ordinal(number, "f" if name.endswith(("а", "я")) else "m")

    def century_words(self, number: int) -> str:
        return self.ordinal(number, "m")

    def gender_of_counted(self, written: str, noun: str) -> str:
        """One and two have genders, also at the end of a longer number; the noun's ending shows them."""
        known = self.gender_of_many(noun)
        plain = self.plain(written)
        if known or not plain.isdecimal() or plain[-2:-1] == "1" or MEN.match(noun):
            return known
        if plain[-1] == "1":
            return "f" if re.search(r"[ая]\Z", noun) else "n" if re.search(r"(?<!ы)(?<!и)[ое]\Z", noun) else ""
        return "f" if plain[-1] == "2" and re.search(r"[ыи]\Z", noun) else ""

    def gender_of_many(self, noun: str) -> str:
        return "f" if re.fullmatch(self.feminine_plural, noun) else ""
