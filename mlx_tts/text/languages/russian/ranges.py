"""Russian ranges as objects ("через 1-2 недели"), of degrees, fractions as objects, hours with a hyphen -> words."""

from __future__ import annotations

import re

from mlx_tts.text.languages.russian.amounts import LITTLE, TAKING, VERB_ENDS
from mlx_tts.text.languages.russian.clock import ABOUT_HOURS
from mlx_tts.text.languages.russian.governed import DATIVE, GENITIVE, UsesGoverned, ends_in_one, last_stop
from mlx_tts.text.normalise.engine import Rule, mentions, one_of, rule, text_before
from mlx_tts.text.roman import value

OBJECT = rf"(?:[Вв]|[Нн]а|[Зз]а|[Чч]ерез|[Пп]ро|{TAKING}{VERB_ENDS}{LITTLE}|[А-ЯЁ]?[а-яё]{{2,14}}(?:ьте|йте|ите))"


class Ranges(UsesGoverned):
    def rules(self) -> tuple[Rule, ...]:
        own = self.own
        units = one_of({**own.unit_names, **own.money})
        hour = r"(?P<h>[01]?\d|2[0-4])-(?P<m>00|15|30|45)"
        return (
            rule(rf"\b(?P<before>{OBJECT}) (?P<a>\d{{0,2}}1) ?[-–—] ?(?P<b>\d{{1,3}})"
                 rf"(?: (?P<scale>тыс)(?:\.|яч[иа]?(?!\w)|(?!\w)))?(?: ?(?P<unit>{units})(?!\w))?(?![\w²³/]|[.,:]\d)",
                 self.accusative),
            rule(r"\b(?P<before>[Дд]о|[Оо]т|[Оо]коло|[Нн]иже|[Вв]ыше|[Сс]о?|[Кк]о?) "
                 r"(?P<a>(?:[-–+]|минус |плюс )\d{1,3}) ?(?:…|\.\.\.?|[-–—]) ?(?P<b>[-–+]?\d{1,3})"
                 r" ?°(?P<scale>[CС]?)(?!\w)", self.degrees),
            rule(r"(?<=\d )\((?:мск|МСК)\)|(?<=\d )(?:мск|МСК)(?!\w)", "по московскому времени"),
            rule(r"(?<![\w.-])(?P<n>[IVX]{1,4}) (?P<noun>(?:декад|половин|групп|лиг)[аеуыи]|(?:очеред|степен|част)[ьи]"
                 r"|категори[яюи])(?!\w)", self.roman),
            rule(r"(?:\b(?P<before>[Вв]|[Сс]|[Дд]о|[Кк]|[Оо]т|[Нн]а|[Пп]о|[Зз]а) )?(?<![\w.,/-])"
                 r"(?P<month>0[1-9]|1[0-2])\.(?P<year>20\d\d)(?!\w|[.,]\d)", self.month),
            rule(r"№ ?(?P<n>\d{1,5}(?:[-/]\d{1,6}){1,3})(?![\w/-]|[.,]\d)", self.numbered),
            rule(rf"\b(?P<head>(?:[Нн]а|[Вв]|[Зз]а|{TAKING}{VERB_ENDS}{LITTLE}) )1/(?P<n>[5-9]|[1-9]\d{{1,3}})"
                 r"(?![\w/]|[.,]\d)(?! финала)",
                 lambda m: f"{m['head']}одну {own.ordinal(int(m['n']), 'fc')}"),
            rule(r"\b(?P<before>[Сс]о?|[Оо]т) (?P<h>[01]?\d|2[0-4])-(?P<m>[0-5]\d) до (?P<h2>[01]?\d|2[0-4])-"
                 r"(?P<m2>[0-5]\d)(?![\w-]|[.,]\d)"
                 r"(?! (?:[а-яё]+(?:ов|ей|ек|ых|их)|лет|мин|раз|руб|км|кг|тыс|чел|дн|м|г|л)\b)",
                 lambda m: f"{m['before']} {self.hour(m['h'], m['m'], GENITIVE)} до "
                 f"{self.hour(m['h2'], m['m2'], GENITIVE)}"),
            rule(rf"\b(?P<before>[Дд]о|[Пп]осле|[Оо]коло|[Оо]т|[Пп]озже|[Пп]озднее|[Рр]аньше|[Кк]о?|[Сс]о?) {hour}"
                 r"(?![\w-])(?=[,;)!?]|\.(?!\d)|\s*\Z| (?:и|а|но|я|мы|буду|на|в|у|часов)\b)", self.hour_of_day),
            rule(rf"\b(?P<before>[Вв]) {hour}(?![\w-])(?=[,;)!?]|\.(?!\d)|\s*\Z| (?:и|а|но|я|мы|буду|на|у|часов)\b)",
                 self.at_hour),
        )  # fmt: skip

    def accusative(self, match: re.Match[str]) -> str | None:
        """A feminine one is heard: "за 1-2 минуты"."""
        own, a, b = self.own, match["a"], match["b"]
        if not ends_in_one(a) or a[0] == "0" or int(a) >= int(b):
            return None
        first = re.sub(r"\bодна\Z", "одну", own.cardinal(int(a), "f"))
        forms = self.governed.forms(match["unit"])
        stop = last_stop(match)
        if match["scale"]:
            of = f" {forms[2]}" if len(forms) > 2 else ""
            return f"{match['before']} {first} — {own.scaled(b, match['scale'])}{of}{stop}"
        if forms:
            if not forms[0].split(" ")[0].endswith(("а", "я")):
                return None
            return f"{match['before']} {first} — {own.counted(b, forms)}{stop}"
        noun = re.match(r" [а-яё]{3,20}[ыи]\b", match.string[match.end() : match.end() + 24])
        return f"{match['before']} {first} — {own.cardinal(int(b), 'f')}" if noun else None

    def degrees(self, match: re.Match[str]) -> str:
        """ "до -12...-15 °C"."""
        case = DATIVE if match["before"][0] in "Кк" else GENITIVE
        said = []
        for written in (match["a"], match["b"]):
            sign = "" if written[0].isdecimal() else self.own.plus if written[0] in "+п" else self.own.minus
            said.append(f"{sign} {self.in_case(int(written.lstrip('-–+минуспл ')), case)}".lstrip())
        one = ends_in_one(match["b"].lstrip("-–+"))
        noun = ("градусу" if one else "градусам") if case == DATIVE else "градуса" if one else "градусов"
        return f"{match['before']} {said[0]} — {said[1]} {noun}{' Цельсия' if match['scale'] else ''}"

    def numbered(self, match: re.Match[str]) -> str | None:
        """ "№ 17/08", "№ 17/08-2026": no date, and no range."""
        parts = re.split(r"([-/])", match["n"])
        if len(parts) < 5 and (parts[1] == "-" or not any(part[0] == "0" for part in parts)):
            return None
        said = []
        for part in parts:
            if part in "-/":
                said.append(self.own.over if part == "/" else "тире")
            elif part[0] == "0":
                said.append(self.own.digits(part))
            else:
                said.append(self.own.cardinal(int(part)))
        return f"номер {' '.join(said)}"

    def roman(self, match: re.Match[str]) -> str:
        """ "во II декаде": the noun shows the case."""
        noun = match["noun"]
        form = "f" if noun[-1] in "аяь" else "fc" if noun[-1] in "ую" else "fg"
        return f"{self.own.ordinal(value(match['n']), form)} {noun}"

    def month(self, match: re.Match[str]) -> str | None:
        """ "до 10.2026"."""
        if re.search(r"(?:[Вв]ерси|[Рр]елиз|[Сс]борк)[а-яё]{0,2} \Z", text_before(match, 10)):
            return None
        name, before = self.own.month_names[int(match["month"]) - 1], match["before"] or ""
        if before.lower() == "в":
            name = f"{name[:-1]}е"
        elif before.lower() == "к":
            name = f"{name[:-1]}{'у' if name[-1] == 'а' else 'ю'}"
        elif before.lower() not in ("с", "до", "от"):
            name = "май" if name == "мая" else name[:-1] if name[-1] == "а" else f"{name[:-1]}ь"
        return f"{before} {name} {self.own.ordinal(int(match['year']), 'mg')} года".lstrip()

    def hour(self, hour: str, minute: str, case: str) -> str:
        said = self.in_case(int(hour), case)
        if minute == "00":
            one = int(hour) % 20 == 1
            return f"{said} {('часу' if one else 'часам') if case == DATIVE else 'часа' if one else 'часов'}"
        zero = f"{self.own.cardinal(0)} " if minute[0] == "0" else ""
        return f"{said} {zero}{self.in_case(int(minute), case, 'feminine')}"

    def hour_of_day(self, match: re.Match[str]) -> str | None:
        if match["m"] != "00" and not mentions(ABOUT_HOURS, match.string):
            return None
        hours = " часов" if match.string[match.end() : match.end() + 6] == " часов" else ""
        said = self.hour(match["h"], match["m"], DATIVE if match["before"][0] in "Кк" else GENITIVE)
        return f"{match['before']} {said.removesuffix(hours)}"

    def at_hour(self, match: re.Match[str]) -> str | None:
        if not mentions(ABOUT_HOURS, match.string):
            return None
        hour, minute = int(match["h"]), match["m"]
        said = (
            self.own.counted(str(hour), ["час", "часа", "часов", "часа"]) if minute == "00" else self.own.cardinal(hour)
        )
        return f"{match['before']} {said}{'' if minute == '00' else ' ' + self.own.cardinal(int(minute), 'f')}"
