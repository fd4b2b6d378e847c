"""Russian figures of gadgets, sheets, flats and results: screens, sizes, ports, areas, "№5", results -> words."""

from __future__ import annotations

import re

from mlx_tts.text.languages.russian.governed import GENITIVE, UsesGoverned, last_stop
from mlx_tts.text.normalise.engine import Rule, rule, text_before

ADJECTIVES = {"": "ый", "а": "ого", "у": "ому", "ом": "ым", "е": "ом", "ы": "ые", "и": "ые", "ов": "ых", "ам": "ым",
              "ами": "ыми", "ах": "ых"}  # fmt: skip
# What is named by its inches: its stem, and the ends of its adjective by its own.
MEASURED = {
    **dict.fromkeys(("экран", "монитор", "телевизор", "ноутбук", "планшет", "смартфон", "диск", "велосипед"),
                    ADJECTIVES),
    "диспле": {"й": "ый", "я": "ого", "ю": "ому", "ем": "ым", "е": "ом", "и": "ые", "ев": "ых", "ям": "ым",
               "ями": "ыми", "ях": "ых"},
    "матриц": {"а": "ая", "ы": "ой", "у": "ую", "ей": "ой", "е": "ой"},
    "колёс": {"а": "ые", "": "ых", "ах": "ых", "ам": "ым", "ами": "ыми"},
}  # fmt: skip
STEMS = "|".join(MEASURED)
SIZE = r"\d{1,5}(?:,\d{1,3})?"


def accusative(words: str) -> str:
    """Of a number behind "на": a feminine one is heard."""
    said = re.sub(r"\bодна тысяча\b", "одну тысячу", re.sub(r"\Aодна тысяча\b", "тысячу", words))
    said = re.sub(r"\bодна\b", "одну", said)
    return re.sub(r"\b(цел|\w*десят|\w*сот|\w*тысячн)ая\b", r"\1ую", said)


class Gadgets(UsesGoverned):
    def rules(self) -> tuple[Rule, ...]:
        own = self.own
        return (
            rule(r"№(?P<n>\d{1,6})(?P<letter>[А-Яа-яё]?)(?![\w/–-]|[.,:]\d)", self.numbered),
            rule(rf"(?<![\w.,/])(?P<n>\d{{1,3}})(?P<part>,\d{{1,2}})? ?(?:[\"″”]|'')-? ?(?P<kind>(?:[A-Z]{{2,6}}[- ])?)"
                 rf"(?P<stem>{STEMS})(?P<end>[а-яё]{{0,3}})(?!\w)", self.screen),
            rule(rf"(?<![\w.,/])(?P<all>{SIZE}(?: ?[x×хХ*] ?{SIZE}){{1,3}})(?: ?(?P<unit>мм|см|дм|м|px|пикс\.?))?"
                 r"(?![\w^²³⁰-⁹₀-₉/]|[.,]\d| ?[=x×хХ*])", self.sheet),
            rule(r"(?<![\w.,])(?P<n>[1-9]\d?) ?[×xх] ?(?P<name>[A-Z][A-Za-z]{1,11})(?:-(?:(?P<letter>[A-Z]{1,2})"
                 r"|(?P<number>\d{1,2})))?(?: (?P<a>\d)\.(?P<b>\d)(?P<more>[a-e]?))?(?![\w-]|\.\d)", self.ports),
            rule(rf"(?<![\w.,/])(?P<all>{SIZE}(?:/{SIZE}){{2}}) ?(?:м²|м2|кв\. ?м\.?|м)(?!\w)", self.area),
            rule(r"(?<![\w.,-])(?P<n>\d{1,3}),(?P<part>[1-9]\d?)-(?P<word>(?:дюймов|литров|метров|процентн|балльн|кратн"
                 r"|тонн|мегапиксельн)[а-яё]{2,3})(?!\w)",
                 lambda m: f"{self.governed.decimal(m['n'], m['part'], GENITIVE)} {m['word']}"
                 if m["part"] != "5" else None),
            # "пазл на 1000 деталей": the accusative.
            rule(r"\b(?P<before>[Нн]а|[Зз]а|[Чч]ерез) (?P<n>1 ?\d{3})(?= (?:[а-яё]{2,20}[ыи]х )?[а-яё]{2,20}"
                 r"(?:[бвгджзйклмнпрстфхцчшщ]|ей|ий|ь)\b)(?! (?:год|дн))",
                 lambda m: f"{m['before']} {accusative(own.cardinal(int(m['n'].replace(' ', ''))))}"),
            rule(r"(?<![\w.,:])(?P<a>\d{1,2}),5:(?P<b>\d{1,2}),5(?![\w:]|[.,]\d)",
                 lambda m: f"{self.half_points(m['a'])} — {self.half_points(m['b'])}"),
            rule(r"№ ?(?P<letter>[А-ЯЁA-Z])(?P<court>\d{1,3})-(?P<n>\d{1,6})/(?P<year>\d{2,4})"
                 r"(?P<more>(?:-\d{1,5}){1,4})(?![\w/-]|[.,]\d)",
                 lambda m: f"номер {m['letter']} {own.cardinal(int(m['court']))}, {own.cardinal(int(m['n']))} "
                 f"{own.over} {own.cardinal(int(m['year']))}, "
                 + ", ".join(own.cardinal(int(n)) for n in m["more"].strip("-").split("-"))),
            # How a match ended: behind its score.
            rule(r"(?<=[^\d.,]\d:\d )(?P<how>\(?(?:ОТ|Б)\)?)(?!\w)",
                 lambda m: re.sub("ОТ|Б", lambda how: {"ОТ": "в овертайме", "Б": "по буллитам"}[how[0]], m["how"])),
            rule(r"(?<=\b[Вв] )ОТ(?!\w)", "овертайме"),
            rule(r"(?<![\w.])(?:над ур\. ?м\.|над у\. ?м\.|н\. ?у\. ?м\.)",
                 lambda m: f"над уровнем моря{last_stop(m)}"),
        )  # fmt: skip

    def numbered(self, match: re.Match[str]) -> str:
        """ "школа №5"."""
        n = match["n"]
        said = self.own.digits(n) if n[0] == "0" else self.own.bare_year(int(n))
        word = "номера" if re.search(r"\b[Уу] \Z", text_before(match, 3)) else "номер"
        return f"{word} {said} {match['letter']}".rstrip()

    def half_points(self, whole: str) -> str:
        """Of chess: a draw gives half a point."""
        if whole in "01":
            return ("половина", "полтора")[int(whole)]
        return f"{self.own.cardinal(int(whole))} с половиной"

    def screen(self, match: re.Match[str]) -> str | None:
        """ "14-дюймовым экраном"; parts of an inch stand behind the noun."""
        end = MEASURED[match["stem"]].get(match["end"])
        if end is None:
            return None
        noun = f"{match['kind']}{match['stem']}{match['end']}"
        if match["part"]:
            return f"{noun} {self.own.counted(match['n'] + match['part'], (self.own.inch or '').split('|'))}"
        joined = self.in_case(int(match["n"]), "genitive").replace(" ", "")
        joined = joined.replace("одного", "одно").replace("девяноста", "девяносто").replace("четырех", "четырёх")
        return f"{joined}дюймов{end} {noun}"

    def sheet(self, match: re.Match[str]) -> str | None:
        """Behind "на" a thousand and a whole are accusatives: "1920x1080"."""
        numbers = re.split(r" ?[x×хХ*] ?", match["all"])
        pictured = (match["unit"] or "м")[0] == "p" or (match["unit"] or "м").startswith("пикс")
        heard = any(re.match(r"1\d{3}\Z|\d*1,|\d*,\d*1\Z", number) for number in numbers[1:])
        if not (pictured or heard or "1,5" in numbers):
            return None
        if not match["unit"] and any("," in number or len(number) < 3 for number in numbers):
            return None
        first, *others = ("полтора" if number == "1,5" else self.own.spoken(number) for number in numbers)
        unit = {"м": "м", "дм": "дм", "см": "см", "мм": "мм"}.get(match["unit"] or "")
        if unit == "дм" or (match["unit"] and not unit):
            forms = ["пиксель", "пикселя", "пикселей", "пикселя"] if not unit else ["дециметр", "дециметра",
                                                                               "дециметров", "дециметра"]  # fmt: skip
            others[-1] = self.own.counted(numbers[-1], forms)
        elif unit:
            others[-1] = self.own.counted(numbers[-1], self.own.unit_names[unit].split("|"))
        first = re.sub(r"\Aодна (?=тысяча)", "", first)
        return " на ".join([first, *(accusative(said) for said in others)])

    def ports(self, match: re.Match[str]) -> str | None:
        """How many there are of them, and of which version: "2xUSB-C 3.2"."""
        own = self.own
        name = match["name"] + (f"-{match['letter']}" if match["letter"] else "")
        said = f"{own.cardinal(int(match['n']))} {name}"
        if match["number"]:
            said += f" {own.cardinal(int(match['number']))}"
        if match["a"]:
            said += (
                f" {own.cardinal(int(match['a']))} {own.dot} {own.cardinal(int(match['b']))} {match['more']}".rstrip()
            )
        return said

    def area(self, match: re.Match[str]) -> str | None:
        """Of a flat: the whole, where one lives, and the kitchen."""
        numbers = match["all"].split("/")
        if float(numbers[0].replace(",", ".")) < float(numbers[1].replace(",", ".")):
            return None
        said = [self.own.spoken(number) for number in numbers[:-1]]
        ends = "." if match[0].endswith(".") and re.match(r"\s*\Z|\s+[А-ЯЁ]", match.string[match.end() :]) else ""
        said.append(self.own.counted(numbers[-1], self.own.unit_names["м²"].split("|")))
        return ", ".join(said) + ends
