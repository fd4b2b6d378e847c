"""Russian ranges in the case that stands before or behind them ("около 6-7 млн"), comparisons, doses -> words."""

from __future__ import annotations

import re
from collections.abc import Callable

from mlx_tts.text.languages.russian.governed import (
    CAPITAL_FOLLOWS,
    DATIVE,
    GENITIVE,
    LOCATIVE,
    SCALES,
    Governed,
    ends_in_one,
    spelled_out,
)
from mlx_tts.text.normalise.engine import Rule, one_of, rule, text_after, text_before
from mlx_tts.text.normalise.european_numbers import following

RELATIONS = {"<": "менее", ">": "более", "≤": "не более", "≥": "не менее", "~": "около", "≈": "около", "⩽": "не более",
    "⩾": "не менее"}  # fmt: skip
GENITIVE_WORDS = (
    r"[Оо]коло|[Оо]к\.|[Сс]в\.|[Бб]олее|[Мм]енее|[Сс]выше|[Бб]ольше|[Мм]еньше|[Дд]ольше|[Дд]о|[Оо]т|[Ии]з|[Дд]ля|[Бб]ез|[Пп]осле"
    r"|[Пп]орядка|[Сс]тарше|[Мм]ладше|[Вв] (?:течение|возрасте|количестве|размере|пределах|радиусе|объ[её]ме|сумме)"
    r"|[Нн]а (?:протяжении|расстоянии|глубине|высоте|уровне)|[Нн]е (?:выше|ниже|старше|младше|позднее|позже|раньше)"
)
# Whose age a number behind them is.
PEOPLE = (
    r"(?:[Дд]ет(?:и|ей|ям|ях|ьми)|[Рр]еб[её]н(?:ок|ка|ку|ком)|[Пп]одростк\w{1,3}|[Лл]иц(?:а|ам|ами|ах)?"
    r"|[Пп]ациент\w{0,3}|[Мм]альчик\w{0,3}|[Дд]евоч[ек]\w{0,3}|[Дд]евуш[ек]\w{0,3}|[Юю]нош\w{1,3}|[Вв]зросл\w{2,3}"
    r"|[Мм]ужчин\w{0,3}|[Жж]енщин\w{0,3}|[Лл]юд(?:и|ей|ям|ях|ьми)|[Шш]кольник\w{0,3}|[Мм]олод[её]ж\w{1,2}"
    r"|[Гг]раждан\w{0,3}|[Жж]ител\w{1,3}|[Бб]ольн\w{2,3})"
)
PLURAL_CASES = {"ах": "locative", "ях": "locative", "ам": "dative", "ям": "dative", "ами": "ablative",
    "ями": "ablative", "ьми": "ablative"}  # fmt: skip
TIMES = ("раз", "раза", "раз", "раза")


class Spans:
    """governed: who says a number in a case."""

    def __init__(self, governed: Governed):
        self.governed = governed
        self.own = governed.own
        self.in_case = governed.in_case

    def rules(self) -> tuple[Rule, ...]:
        own = self.own
        units = one_of({**own.unit_names, **own.money, "%": ""})
        number = r"(?:\d{1,3}(?: \d{3}){1,2}|\d{1,6})(?:,\d{1,3})?"
        per = one_of({**own.unit_names, **own.per_words})
        scale = rf"(?: (?P<scale>{one_of(SCALES)})(?:\.(?! [А-ЯЁ] ))?(?!\w))?"
        pair = rf"(?P<a>{number}) ?[-–—] ?(?P<b>{number}){scale}(?: ?(?P<unit>{units})(?:/(?P<per>{per}))?)?"
        one = rf"(?P<a>)(?P<b>{number}){scale}(?: ?(?P<unit>{units})(?:/(?P<per>{per}))?)?"
        end = r"(?![\w²³/])(?!(?<=\d)[.,:-]\d)(?! ?[-–] ?\d)(?!(?<=\d)-)"
        signs = one_of(RELATIONS)
        return (
            rule(rf"\b(?P<before>{GENITIVE_WORDS}) {pair}{end}", self.said_in(GENITIVE)),
            rule(rf"\b(?P<before>[Кк]) {pair}{end}", self.said_in(DATIVE)),
            rule(rf"\b(?P<before>[Пп]ри) {pair}{end}", self.said_in(LOCATIVE)),
            rule(rf"\b(?P<before>{GENITIVE_WORDS}|[Пп]ротив) (?P<unit>[$€£₽¥]) ?(?P<a>)(?P<b>{number}){scale}"
                 rf"(?P<per>){end}",
                 self.said_in(GENITIVE)),
            rule(rf"\b(?P<before>[Вв]) (?P<a>)(?P<b>{number}) ?(?P<unit>%)(?P<scale>)(?P<per>)(?= [а-яё]{{3,20}}"
                 rf"(?:ов|ев|ей|ий)\b)",
                 self.said_in(LOCATIVE)),
            rule(rf"(?:(?<=[^\s<>=~-])|(?<=[^\s<>=~-] ))(?P<before>{signs}) ?{pair}{end}", self.said_in(GENITIVE)),
            rule(rf"(?:(?<=[^\s<>=~-])|(?<=[^\s<>=~-] ))(?!<3(?![\d.,]))(?P<before>{signs}) ?{one}{end}",
                 self.said_in(GENITIVE)),
            rule(rf"(?<![\w.,-])(?P<name>[^\W\d_]{{1,3}})(?P<before>{signs})(?P<minus>[-−–]?){one}{end}",
                 lambda m: f"{m['name']} {RELATIONS[m['before']]} {own.minus + ' ' if m['minus'] else ''}"
                 f"{self.last(m, m['b'], m['scale'], m['unit'], GENITIVE)}{self.per(m, m['per'])}"),
            rule(rf"(?<![\w.,-])(?P<name>[^\W\d_]{{1,3}})(?P<before> ?≠ ?|=)(?P<minus>[-−–]?)(?P<n>{number})(?![\w²³/])"
                 rf"(?!(?<=\d)[.,:-]\d)(?! ?[-–+=×·] ?\d)",
                 lambda m: f"{m['name']} {'не ' if '≠' in m['before'] else ''}{own.equals} "
                 f"{own.minus + ' ' if m['minus'] else ''}{own.spoken(m['n'])}"),
            rule(rf"(?<![\w<>=~-])(?P<before>[~≈]) ?(?:{pair}|{one.replace('(?P<', '(?P<of_')}){end}",
                 self.said_in(GENITIVE)),
            rule(rf"\b(?P<before>{PEOPLE}) (?:(?P<a>\d{{1,2}}) ?[-–—] ?)?(?P<b>\d{{1,2}}) (?P<noun>лет|года|месяцев)\b",
                 self.aged),
            rule(r"\b(?P<before>[Сс]тарше|[Мм]ладше|[Дд]остигши\w{1,2}) (?P<a>)(?P<b>\d{1,2})"
                 r" (?P<noun>лет|года|месяцев)\b", self.aged),
            rule(rf"(?<![\w.,-])(?P<a>{number}) ?[-–—] ?(?P<b>{number})(?= [а-яё]{{3,20}}(?P<end>"
                 rf"{one_of(PLURAL_CASES)})\b)", self.before_a_noun),
            rule(rf"(?:\b(?P<before>[Пп]о) )?(?<![\w.,-])(?P<a>\d{{0,3}}[12]) ?[-–—] ?(?P<b>\d{{1,3}})"
                 rf"(?: ?(?P<unit>{units})(?:/(?P<per>{per}))?)?{end}", self.feminine),
            rule(r"\b(?P<before>[Сс]) 1,5(?= до \d)", lambda m: f"{m['before']} полутора"),
            rule(rf"(?<![\w.,-])(?P<a>{number}) ?[-–—] ?(?P<b>{number}) (?P<scale>{one_of(SCALES)})\.?(?![\w])"
                 rf"(?: ?(?P<unit>{units}))?(?![\w²³/])", self.scaled),
            rule(rf"(?<![\w.,-])1,5 ?[-–—] ?(?P<b>{number}){scale}(?: ?(?P<unit>{units})(?:/(?P<per>{per}))?)?{end}",
                 self.one_and_a_half),
            rule(r"(?<![\w.,-])(?:(?P<a>\d{1,2}) ?[-–—] ?)?(?P<b>\d{1,2}) ?р\.?(?= в (?:день|сутки|неделю|месяц|год|час"
                 r"|нед\.|сут\.|мес\.))", self.times),
        )  # fmt: skip

    def said_in(self, case: str) -> Callable[[re.Match[str]], str | None]:
        def said(match: re.Match[str]) -> str | None:
            groups = match.groupdict()
            first, last = groups["a"] or "", groups["b"] or groups.get("of_b") or ""
            unit, scale = groups["unit"] or groups.get("of_unit"), groups["scale"] or groups.get("of_scale")
            per = groups["per"] or groups.get("of_per")
            if re.match(r"0\d", last) or re.match(r"0\d", first):
                return None
            if first and unit is None and re.fullmatch(r"1\d{3}|20\d\d", first):
                return None  # years
            before = RELATIONS.get(match["before"]) or spelled_out(match["before"])
            start = f"{self.bare(first, case)} — " if first else ""
            words = self.last(match, last, scale, unit, case)
            if words is None:
                return None
            glued = " " if re.search(r"\w\Z", text_before(match, 1)) else ""
            return f"{glued}{before} {start}{words}{self.per(match, per)}"

        return said

    def last(self, match: re.Match[str], written: str, scale: str | None, unit: str | None, case: str) -> str | None:
        whole, _, part = written.replace(" ", "").partition(",")
        if unit is None and scale is None:
            noun = re.match(r" ([а-яё]+)", text_after(match, 24))
            one = ends_in_one(whole) and noun is not None and re.search(r"[ыи]\Z", noun[1]) is not None
            return self.bare(written, case, "feminine" if one else "masculine")
        return self.governed.amount(whole, part or None, scale, unit, case)

    def bare(self, written: str, case: str, gender: str = "masculine") -> str:
        whole, _, part = written.replace(" ", "").partition(",")
        return self.governed.decimal(whole, part, case) if part else self.in_case(int(whole), case, gender)

    def per(self, match: re.Match[str], per: str | None) -> str:
        said = ""
        if per:
            said = f" {self.own.per_unit(per)} {self.own.per_words.get(per) or self.governed.forms(per)[0]}"
        ends = match[0].endswith(".") and CAPITAL_FOLLOWS.match(match.string, match.end())
        return f"{said}." if ends else said

    def aged(self, match: re.Match[str]) -> str | None:
        """ "детям 6-9 лет": the genitive; "54 года" has none, and "Пациенту 45 лет, рост ..." says how old he is."""
        own = match["noun"] == "года" and not ends_in_one(match["b"])
        begins = not text_before(match, 2).strip(" ") or re.search(r"[.!?] \Z", text_before(match, 2))
        said_of_one = begins and re.search(r"[уюе]\Z", match["before"]) and re.match(r"[.,;]", text_after(match, 1))
        if own or (said_of_one and not match["a"]):
            return None
        first = f"{self.in_case(int(match['a']), GENITIVE)} — " if match["a"] else ""
        return f"{match['before']} {first}{self.in_case(int(match['b']), GENITIVE)} {match['noun']}"

    def before_a_noun(self, match: re.Match[str]) -> str | None:
        """ "в 5-6 случаях"."""
        case = PLURAL_CASES[match["end"]]
        if re.fullmatch(r"[12]\d{3}", match["a"]):
            return None
        return f"{self.bare(match['a'], case)} — {self.bare(match['b'], case)}"

    def feminine(self, match: re.Match[str]) -> str | None:
        """ "1-2 таблетки", "по 1-2 табл."."""
        unit, before = match["unit"], match["before"]
        forms = self.governed.forms(unit)
        noun = forms[0].split(" ")[0] if forms else ""
        if not forms:
            behind = re.match(r" ([а-яё]{3,20})\b", text_after(match, 24))
            if behind is None or not self.own.gender_of_counted("2", behind[1]):
                return None
        elif not noun.endswith(("а", "я")):
            return None
        first = self.own.cardinal(int(match["a"]), "f")
        if before and ends_in_one(match["a"]):
            first = re.sub(r"одна\Z", "одной", first)
        last = self.own.counted(match["b"], forms) if forms else self.own.cardinal(int(match["b"]), "f")
        return f"{before + ' ' if before else ''}{first} — {last}{self.per(match, match['per'])}"

    def scaled(self, match: re.Match[str]) -> str:
        """ "6-7 тыс."."""
        own, forms = self.own, self.governed.forms(match["unit"])
        halved = "полторы" if match["scale"] == "тыс" else "полтора"
        first = halved if match["a"] == "1,5" else own.spoken(match["a"], "f" if match["scale"] == "тыс" else "m")
        said = f"{first} — {own.scaled(match['b'], match['scale'])}{' ' + forms[2] if len(forms) > 2 else ''}"
        ends = match[0].endswith(".") and CAPITAL_FOLLOWS.match(match.string, match.end())
        return f"{said}." if ends else said

    def one_and_a_half(self, match: re.Match[str]) -> str:
        """ "1,5-2 года"."""
        own, unit, scale, last = self.own, match["unit"], match["scale"], match["b"]
        forms = self.governed.forms(unit)
        noun = forms[0] if forms else following(match)
        feminine = scale == "тыс" or (
            not scale and re.search(r"[ая]\Z" if forms else r"[ыи]\Z", noun.split(" ")[0] or "-")
        )
        said = self.governed.counted_amount(last, unit, scale, forms)
        said = said or own.spoken(last, own.gender_of_counted(last, noun))
        return f"{'полторы' if feminine else 'полтора'} — {said}{self.per(match, match['per'])}"

    def times(self, match: re.Match[str]) -> str:
        """How often in a day or a week."""
        first = f"{self.own.cardinal(int(match['a']), 'm')} — " if match["a"] else ""
        return first + self.own.counted(match["b"], list(TIMES))
