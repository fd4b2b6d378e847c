"""Russian numbers and words that are cut short within a sentence ("до 12 л.", "2й", "др. стран") -> words."""

from __future__ import annotations

import re
from collections.abc import Callable

from mlx_tts.text.languages.russian.everyday import EACH
from mlx_tts.text.languages.russian.governed import (
    ABLATIVE,
    AMOUNT_END,
    GENITIVE,
    LOCATIVE,
    UsesGoverned,
    amount_of,
    ends_in_one,
    last_stop,
)
from mlx_tts.text.languages.russian.ordinary import GENITIVE_BEFORE, HALVED, HALVED_FORMS, MEASURE, Ordinary
from mlx_tts.text.languages.russian.premises import Premises
from mlx_tts.text.languages.russian.short_nouns import MONTHS
from mlx_tts.text.normalise.engine import Kind, Rule, one_of, rule, text_after, text_before
from mlx_tts.text.normalise.european import European
from mlx_tts.text.roman import value

# Whose age it is.
AGED = (
    r"(?:[Дд]ет(?:и|ей|ям|ях|ьми|ский)|[Рр]еб[её]н(?:ок|ка|ку|ком)|[Шш]кольник\w{0,3}|[Пп]одростк\w{1,3}|[Лл]иц\w{0,3}"
    r"|[Мм]альчик\w{0,3}|[Дд]евоч\w{1,3}|[Пп]енсионер\w{0,3}|[Вв]зрослы\w{1,2}|[Мм]ужчин\w{0,3}|[Жж]енщин\w{0,3}"
    r"|[Лл]юд\w{1,3}|[Гг]раждан\w{0,3}|[Вв]озраст\w{0,2}|[Ии]нвалид\w{0,3}|[Сс]туденты?)"
)
# What something is strewn or poured with is in the ablative.
STREWN = re.compile(
    r"\b(?i:(?:по|об|при|за)?сып|поле[ий]|полива|сбрызн|сма[жз]|украс|заправ|приправ|запра|разбав|запе[йи]|запива|развод"
    r"|развед|залей|залить|накр|окроп|дополн)[а-яё]{0,8}(?: (?!с\b|со\b|в\b|на\b|до\b|при\b|до\b)[а-яё,]{1,20}){0,4} \Z"
)
# What is done to so much of something, which is in the genitive.
DONE_TO = (
    r"(?i:выделени|получени|взыскани|привлечени|перечислени|хищени|краж|поставк|продаж|покупк|закупк|производств|добыч"
    r"|экспорт|импорт|возврат|выплат|инвестировани|вложени|потреблени|вырубк|утилизаци|передач|растрат"
    r"|присвоени|сборк?|строительств|ввод|обработк|изъяти|списани|погашени|накоплени|распределени)[а-яё]{0,3}"
)
KINDS = {"ст": "столов", "ч": "чайн", "дес": "десертн"}
STREET = re.compile(
    r"(?:мкр|ул\.|пр-т|пр-д|ш\.|пер\.|наб\.|шоссе|проезд|[Уу]лица)[^;!?]{0,40}(?:\d[а-я]?|[а-яё]{3}), \Z"
)
YOUNG = "котят|щенят|ребят|цыплят|поросят|утят|гусят|телят|козлят|ягнят|медвежат|крольчат|волчат|мышат|внучат|близнецов"
OTHERS = (("ах|ях|ов|ев|ей|ий|ых|их", "других"), ("ам|ям|ым|им", "другим"), ("ами|ями|ыми|ими|ьми", "другими"))
COMPARED = "более|больше|менее|меньше|старше|младше|выше|ниже|дольше"
BY_NOUN = {"ами": ABLATIVE, "ями": ABLATIVE, "ьми": ABLATIVE, "ах": LOCATIVE, "ях": LOCATIVE}
LED = {"с": GENITIVE, "со": GENITIVE, "от": GENITIVE, "до": GENITIVE, "из": GENITIVE, "для": GENITIVE, "у": GENITIVE,
       "без": GENITIVE, "около": GENITIVE, "к": "dative", "при": LOCATIVE}  # fmt: skip


class Abridged(UsesGoverned):
    def rules(self) -> tuple[Rule, ...]:
        own = self.own
        ordinary = Ordinary(own, self.in_case)
        day = r"(?:[12]?[1-9]|[123]0|31)"
        return (
            rule(rf"\b(?P<who>{AGED},?(?: в возрасте)?) (?P<before>до|от|с|старше|младше|после) "
                 r"(?P<n>\d{1,2}) ?[гл]\.(?!\w)",
                 lambda m: f"{m['who']} {m['before']} {self.in_case(int(m['n']), GENITIVE)} "
                 f"{'года' if ends_in_one(m['n']) else 'лет'}{last_stop(m)}"),
            rule(rf"\b(?P<before>[Сс]о?) (?P<a>{day})(?:-го)? (?P<mark>по|до) (?P<b>{day})(?:-е|-го)? "
                 rf"(?P<month>{one_of(MONTHS)})\.(?!\w)(?: (?P<year>20\d\d)(?: г\.)?)?", self.from_day),
            rule(rf"(?P<head>)\b(?P<n>[1-9]\d{{0,3}}) ?(?P<unit>{MEASURE})(?= [а-яё]{{3}})",
                 lambda m: ordinary.measured(m["n"], m["unit"], ABLATIVE)
                 if STREWN.search(text_before(m, 80)) else None),
            rule(r"\b(?P<before>[Нн]а|[Зз]а|[Пп]ро) (?P<n>[2-4])(?= (?:взрослых|детей|пассажиров|человек|гостей"
                 r"|студентов|мужчин|женщин|пенсионеров|сотрудников)\b)",
                 lambda m: f"{m['before']} {self.in_case(int(m['n']), GENITIVE)}"),
            rule(rf"(?<![\w.,-])(?P<n>[2-4])(?= (?:{YOUNG})\b)", lambda m: self.in_case(int(m["n"]), GENITIVE)),
            rule(rf"\b(?P<before>[А-ЯЁа-яё]{{1,5}}) (?P<n>\d{{1,6}})(?= (?:и|или) (?:{COMPARED})\b)", self.and_more),
            rule(r"(?<![\w.])др\.(?= (?:[а-яё]{2,20}[ыи](?:х|ми?) )?[а-яё]{2,20}?"
                 r"(?P<end>ах|ях|ов|ев|ей|ий|ам|ям|ами|ями|ьми)\b)",
                 lambda m: next(said for ends, said in OTHERS if re.fullmatch(ends, m["end"]))),
            rule(r"(?<![\w.])др\.(?= (?:стран|групп|школ|книг|областей|организаций|компаний|партий|систем)\b)",
                 "других"),
            rule(r"(?:(?<=\b[Оо]дин )|(?<=\b[Кк]аждый )|(?<=[Вв]торой )|(?<=\b[Вв]аш )|(?<=\b[Нн]аш ))экз\.(?!\w)",
                 lambda m: f"экземпляр{last_stop(m)}"),
            rule(r"(?P<what>\b(?:[Ээ]лектро)?(?:[Пп]оезд|[Рр]ейс|[Аа]втобус|[Ээ]кспресс|[Пп]аром|[Тт]еплоход)[а-яё]{0,2}"
                 r"(?: №?[ ]?[\dА-ЯЁA-Z-]{1,8})?) (?P<how>отпр|приб)\.(?= (?:в|из|от|с|на|к)\b)", self.leaves),
            rule(r"(?P<head>\b(?:[Вв]ыш(?:ел|ла|ли|ло)|[Пп]робил(?:ся|ась|ись)|[Пп]рош(?:[её]л|ла|ли)|[Вв]ыйти|[Вв]ыход"
                 r"|[Пп]опал[аи]?)"
                 r"(?: [а-яё]{2,12})? в) 1/(?P<n>[248]|16|32)(?= финала)",
                 lambda m: f"{m['head']} одну {own.ordinal(int(m['n']), 'fc')}"),
            # A preposition begins the next sentence, and is not a unit.
            rule(rf"(?:\b(?P<before>{GENITIVE_BEFORE}|[Вв]место) )?(?<![\w.,-])(?P<n>\d{{1,3}}(?: \d{{3}})?)"
                 r"(?:,(?P<part>\d{1,2}))? (?P<scale>тыс|млн|млрд)\. (?P<word>[ВАКС])(?= [а-яё«])",
                 self.then_begins),
            rule(r"\b(?P<v>[Вв]) теч(?:\.|ение) (?P<n>\d{1,3}) ?ч\.(?!\w)",
                 lambda m: f"{m['v']} течение {self.in_case(int(m['n']), GENITIVE)} "
                 f"{'часа' if ends_in_one(m['n']) else 'часов'}{last_stop(m)}"),
            # Decades, where no day has such a number.
            rule(r"(?<![\w.,-])(?P<n>[4-9]0)-е(?!\w)(?! мест)", lambda m: own.ordinal(int(m["n"]), "p")),
            rule(rf"\b(?P<before>{DONE_TO}) {amount_of(own)}{AMOUNT_END}", self.governed.said_in(GENITIVE)),
            rule(r"(?<![\w.,-])2(?=\?| бутылк| ручк| книг)",
                 lambda m: "две" if re.search(r"\b(?:1|одну) [а-яё]{3,20}[ую] или \Z", text_before(m, 32)) else None),
            rule(r"(?:(?<=[ыи]й )|(?<=[ыи]м )|(?<=ого )|(?<=его )|(?<=ому ))эт\.(?!\w)", self.storey),
            rule(r"(?<![\w.,-])(?P<a>\d{1,4}(?:,\d{1,2})?) ?(?P<x>мг|мкг|г|МЕ) ?/ ?(?P<b>\d{1,4}) ?(?P<y>мл|л)(?!\w)",
                 lambda m: f"{own.counted(m['a'], own.unit_names[m['x']].split('|'))} на "
                 f"{own.counted(m['b'], own.unit_names[m['y']].split('|'))}"),
            # An article and the number of its law.
            rule(r"(?P<head>\b(?:ст|п|ч)\. ?)(?P<a>\d{1,3}) (?P<b>\d{3})-(?P<law>ФЗ|ФКЗ)(?!\w)",
                 lambda m: f"{ {'с': 'статья', 'п': 'пункт', 'ч': 'часть'}[m['head'][0]] } "
                 f"{own.cardinal(int(m['a']))}, {own.cardinal(int(m['b']))} {m['law']}"),
            rule(rf"\b(?P<before>(?:[Нн]е )?(?:позднее|позже|раньше|ранее)) (?P<n>\d{{1,4}})"
                 rf"(?= (?!(?:{one_of(own.month_names)})\b)[а-яё]{{3}})",
                 lambda m: None if re.fullmatch(r"1\d{3}|20\d\d", m["n"])
                 else f"{m['before']} {self.in_case(int(m['n']), GENITIVE)}"),
            rule(r"(?P<of>\b(?:[Сс]ок|[Цц]едр|[Мм]якот|[Кк]ожур)[а-яё]{0,3}) (?:1/2|½)(?= [а-яё]{3,20}[аияы]\b)",
                 r"\g<of> половины"),
            rule(r"(?<![\w.,-])(?P<n>[1-9]\d?) (?P<kind>ст|ч|дес|стол|чайн)\. ложк(?P<end>ой|ами|ах|ам)(?!\w)",
                 self.spoonfuls),
            rule(r"\b(?P<before>[Ии]з) (?P<n>[1-9]\d{0,2})(?= (?:и|а|но|или)\b(?! \d))",
                 lambda m: f"{m['before']} {self.in_case(int(m['n']), GENITIVE)}"),
            rule(r"\b(?P<before>[Нн]а|[Кк] концу) (?P<n>[2-9]|[1-9]\d)(?= сутки\b)",
                 lambda m: f"{m['before']} {own.ordinal(int(m['n']), 'p')}"),
            # A day of a year before Christ.
            rule(r"(?<=[ая] )(?P<n>[1-9]\d{0,3}) ?г\. (?P<until>до )?н\. ?э\.", self.before_christ),
            rule(r"(?<![\w.])(?P<t>[Тт])ролл\.(?= ?(?:№|\d))", r"\g<t>роллейбус"),
            rule(r"(?<![\w.])(?P<t>[Тт])рам\.(?= ?(?:№|\d))", r"\g<t>рамвай"),
            rule(r"\b(?P<before>[Сс]о?) 0,5 ?(?P<kind>ст|ч|дес)\. ?л\.(?!\w)",
                 lambda m: f"{m['before']} половиной {KINDS[m['kind']]}ой ложки{last_stop(m)}"),
            rule(r"\b(?P<before>[Сс]о?) (?P<n>\d{1,3})-й(?= (?:на|до|по) \d{1,3}-(?:ю|й))",
                 lambda m: f"{m['before']} {own.ordinal(int(m['n']), 'fg')}"),
            rule(r"\b(?P<before>[Уу]) (?P<n>\d{1,3})(?:,(?P<part>\d{1,3}))? ?%(?!\w)",
                 lambda m: f"{m['before']} {self.governed.amount(m['n'], m['part'], None, '%', GENITIVE)}"),
            rule(r"(?<![\w.-])(?P<n>I{1,3}|IV|[1-4]) ф\. ?к\.(?!\w)",
                 lambda m: f"{own.ordinal(int(m['n']) if m['n'].isdecimal() else value(m['n']), 'mg')} "
                 f"функционального класса{last_stop(m)}"),
            rule(r"(?<![\w.])ф\.(?= (?:№ ?\d|КС-|М-\d|Т-\d|\d))", "форма"),
            rule(r"(?P<no>\b[Нн]и) 1(?= (?P<noun>[а-яё]{2,20}[аяыи])\b)",
                 lambda m: f"{m['no']} {'одной' if m['noun'][-1] in 'ыи' else 'одного'}"),
            rule(r"(?<![\w.,-])(?P<a>\d{1,4}) ?[–—-] ?(?P<b>\d{1,4}) ?т(?:ыс)?\. ?р(?:уб)?\.(?!\w)",
                 lambda m: f"{own.cardinal(int(m['a']), 'f')} — {own.scaled(m['b'], 'тыс.')} рублей{last_stop(m)}"),
            rule(r"(?<![\w.])(?P<a>[Аа])вт\.(?= ?\d{1,3}(?P<more>, \d| и \d)?)",
                 lambda m: f"{m['a']}втобус"
                 + (("ами" if text_before(m, 6) == "роезд " else "ы") if m["more"] else "")),
            rule(r"(?<=\b[Пп]ри )t(?= (?:до|от|не|выше|ниже|около|[-+–]?\d))", "температуре"),
            rule(r"(?<![\w.])отд\.(?= (?:письм|файл|сообщени|счет|счёт|пакет|документ|договор)[а-яё]?(?:ом|ем|м)\b)",
                 "отдельным"),
            rule(rf"\b(?P<before>{GENITIVE_BEFORE}) (?P<n>[1-9]) ?р\.?/(?P<per>сут|день|д|нед|мес)\b\.?",
                 lambda m: f"{m['before']} {self.in_case(int(m['n']), GENITIVE)} "
                 f"{'раза' if m['n'] == '1' else 'раз'} в "
                 + {"с": "сутки", "д": "день", "н": "неделю", "м": "месяц"}[m["per"][0]] + last_stop(m)),
            rule(r"\b(?P<before>[Сс]о?) (?P<n>\d{1,3} \d{3}|\d{5,6})(?= до \d)",
                 lambda m: f"{m['before']} {self.in_case(int(m['n'].replace(' ', '')), GENITIVE)}"),
            rule(rf"(?:\b(?P<before>{GENITIVE_BEFORE}) )?(?<![\w.,-])(?P<n>\d{{1,3}})(?:,(?P<part>\d))? ?тыс\.? ?/ ?"
                 rf"(?P<per>{one_of(EACH)})(?!\w)\.?", self.thousands_each),
            rule(r"(?<=\b[Вв] )отв\.(?= (?:[IVX]|aV|V\d))", "отведениях"),
            rule(rf"(?<![\w.,–—-])(?P<a>\d{{1,2}}) ?[–—-] ?(?P<n>[2-9]|[1-9]\d),5 ?"
                 rf"(?P<noun>{one_of(HALVED_FORMS)})(?!\w)", self.to_a_half),
            rule(r"(?<![\w.])(?P<d>[Дд])оп\.(?= мест(?P<end>о|а|у|ом|е)\b)",
                 lambda m: f"{m['d']}ополнительн"
                 + {"о": "ое", "а": "ого", "у": "ому", "ом": "ым", "е": "ом"}[m["end"]]),
            rule(r"(?<![\w.,-])(?P<a>\d{1,4}(?:,\d{1,2})?) ?В ?/ ?(?P<b>\d{1,4}(?:,\d{1,2})?) ?"
                 r"(?P<unit>А|Гц|А·ч|Вт)(?!\w)",
                 lambda m: f"{own.counted(m['a'], own.unit_names['В'].split('|'))}, "
                 f"{own.counted(m['b'], (own.unit_names.get(m['unit']) or own.unit_names['А']).split('|'))}"),
            rule(r"(?<![\w/])(?<!% )м/м(?![\w/])", lambda m: "машино-место"
                 if re.search(r"[Гг]араж|[Пп]арк|[Пп]одземн", text_before(m, 60) + text_after(m, 60)) else None),
            rule(r"\b(?P<a>[12]\d\d)/(?P<b>\d\d) ?(?P<r>Z?R) ?(?P<c>[12]\d)(?![\w/-])",
                 lambda m: f"{own.cardinal(int(m['a']))}, {own.cardinal(int(m['b']))}, {' '.join(m['r'])} "
                 f"{own.cardinal(int(m['c']))}"),
            rule(r"(?<=, )стр\. ?(?=\d{1,3}(?:,|\Z)(?! ?\d))",
                 lambda m: "строение " if STREET.search(text_before(m, 60)) else None),
        )  # fmt: skip

    def from_day(self, match: re.Match[str]) -> str:
        """A span of days in a month that is cut short."""
        own = self.own
        last = own.ordinal(int(match["b"]), "ng" if match["mark"] == "до" else "n")
        said = f"{match['before']} {own.ordinal(int(match['a']), 'ng')} {match['mark']} {last}"
        said += f" {own.month_names[MONTHS[match['month']] - 1]}"
        if match["year"]:
            said += f" {own.ordinal(int(match['year']), 'mg')} года"
        return said + last_stop(match)

    def and_more(self, match: re.Match[str]) -> str | None:
        """ "для семей, где 2 и более": by the noun behind, or the preposition."""
        noun = re.match(r" (?:и|или) [а-яё]+ [а-яё]{2,20}?(ами|ями|ьми|ах|ях)\b", text_after(match, 40))
        case = BY_NOUN[noun[1]] if noun else LED.get(match["before"].lower())
        return f"{match['before']} {self.in_case(int(match['n']), case)}" if case else None

    def then_begins(self, match: re.Match[str]) -> str | None:
        before = match["before"]
        number = match["n"].replace(" ", "")
        if before:
            said = self.governed.amount(number, match["part"], match["scale"], None, GENITIVE)
            said = said and f"{before} {said}"
        else:
            said = self.own.scaled(f"{number},{match['part']}" if match["part"] else number, match["scale"])
        return said and f"{said}. {match['word']}"

    def thousands_each(self, match: re.Match[str]) -> str:
        """ "от 2,5 тыс./ночь"."""
        before, part = match["before"], match["part"]
        if before:
            said = f"{before} {self.governed.amount(match['n'], part, 'тыс', None, GENITIVE)}"
        else:
            said = self.own.scaled(f"{match['n']},{part}" if part else match["n"], "тыс.")
        return f"{said} {self.own.per_word(EACH[match['per']])}{last_stop(match)}"

    def before_christ(self, match: re.Match[str]) -> str | None:
        if not re.search(rf"\b(?:{one_of(self.own.month_names)}) \Z", text_before(match, 10)):
            return None
        year = self.own.ordinal(int(match["n"]), "mg")
        return f"{year} года {match['until'] or ''}нашей эры{last_stop(match)}"

    def spoonfuls(self, match: re.Match[str]) -> str:
        case = {"ой": ABLATIVE, "ами": ABLATIVE, "ах": LOCATIVE, "ам": "dative"}[match["end"]]
        one = match["end"] == "ой"
        number = self.in_case(int(match["n"]), case, "feminine" if one else "masculine")
        kind = {"с": "столов", "ч": "чайн", "д": "десертн"}[match["kind"][0]]
        return f"{number} {kind}{ {'ой': 'ой', 'ами': 'ыми', 'ах': 'ых', 'ам': 'ым'}[match['end']] } ложк{match['end']}"

    def storey(self, match: re.Match[str]) -> str:
        ends = {"й": "", "м": "е", "о": "а", "у": "у"}
        return f"этаж{ends[text_before(match, 2)[0]]}{last_stop(match)}"

    def to_a_half(self, match: re.Match[str]) -> str:
        """A range of hours that ends with a half."""
        gender, few, many = HALVED[HALVED_FORMS[match["noun"]]]
        number = int(match["n"])
        counted = few if number % 10 in (2, 3, 4) and not 11 <= number <= 14 else many
        first = self.own.cardinal(int(match["a"]), gender)
        return f"{first} — {self.own.cardinal(number, gender)} с половиной {counted}{last_stop(match)}"

    def leaves(self, match: re.Match[str]) -> str | None:
        """A train and when it leaves."""
        number = re.search(r"(\d+)\Z", match["what"])
        if number:
            what = match["what"][: number.start()]
            what += self.own.cardinal(int(number[1]))
        else:
            what = match["what"]
        if re.search(r"\d", what):
            return None
        what = what.replace("№", "номер ").replace("  ", " ")
        return f"{what} {'отправляется' if match['how'] == 'отпр' else 'прибывает'}"


def ordinary_kinds(own: European, in_case: Callable[..., str]) -> tuple[Kind, ...]:
    tells = re.compile(r"[\d½]|[IVX] |ж/д|др\.|экз\.")
    return (
        Kind("ordinary", tells, (*Ordinary(own, in_case).rules(), *Abridged(own, in_case).rules())),
        Kind("premises", re.compile(r"[а-я]\.|\d{3}|мкр|пгт"), Premises(own, in_case).rules()),
    )
