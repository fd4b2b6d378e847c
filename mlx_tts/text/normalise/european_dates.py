"""Dates and times that European languages share: patterns, and which method says them."""

from __future__ import annotations

import re

from mlx_tts.text.normalise.engine import Kind, mentions, one_of, rule, text_after, text_before
from mlx_tts.text.normalise.european import European
from mlx_tts.text.normalise.european_marks import reports
from mlx_tts.text.normalise.european_numbers import START, NumberRules

# Behind n.n or n/n these words say that it is a number, not a date.
MEASURED = (
    r"(?! ?(?:%|[€$£]|(?:Jahr|Tag|Monat|Woche|Stunde|Minute|Sekunde|Prozent|Mio|Mrd|Mill|Kilo|Meter|Grad|Liter|Euro|"
    r"Punkt|лет|год|час|минут|тыс|млн|млрд|процент|рубл|градус|años|días|meses|horas|puntos|millones|por ciento|anni|"
    r"giorni|mesi|ore|punti|milioni|miliardi|per cento|ans|mois|jours|heures|points|millions|milliards|pour cent|anos|"
    r"dias|pontos|milhões|bilhões|por cento)|(?<=/\d) (?:de (?:la|los|las|el|su|cada)|"
    r"der|einer|eines|aller|des|de l|del|di|dei|dell|della|"
    r"do|"
    r"da|dos|das)\b))"
)


# Before hours with minutes and seconds: what tells how long a run lasted.
LASTED = re.compile(r"\b(?:[Ii]n|[Ee]n|[Ee]m|[Cc]on|[Cc]om|mit) \Z")
MONTH_NUMERALS = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII")
# What only texts about times have: in them 08.35 is one.
TIMETABLE = re.compile(
    r"\b(?:ore|orario|volo|treno|arr\.|part\.|Uhr|Gleis|Gl\.|Abf(?:ahrt|\.)|Ank(?:unft|\.)|Zug|Flug|vuelo|tren|salida|"
    r"llegada|départ|arrivée|train|horaires?|horario|partida|chegada|voo|comboio|trem|binario|ab|Treffpunkt|Anr"
    r"eise)(?!\w)"
)


TRAINS = re.compile(
    r"\b(?:part\.|arr\.|[Tt]ren[oi]?|[Tt]rains?|[Cc]omboio|[Tt]rem|Abf\.|Ank\.|Zug|Gl\.|Gleis|"
    r"Hbf|ICE|binario|bin\.|carr\.)(?!\w)"
)
STOPS = re.compile(
    r"(?i)\b(?:bus|autobus|treni?|capolinea|fermat[ae]|corsa|corse|autobús|parada|línea|tren|Haltestelle|Linie|"
    r"Abfahrt|Zug|"
    r"arrêt|autocarro|ônibus|paragem|comboio|trem|ferry|traghetto|Fähre)\b"
)
# What only texts about opening times or services have: in them 5.30-8.30 are hours.
OPENING = re.compile(
    r"(?i)\b(?:uhr|geöffnet|öffnungszeit\w*|orari[oi]|ore|apert[oiae]|apertura|chius[oiae]|servizio|feriali|fes"
    r"tivi|dalle|"
    r"horarios?|abierto|hora punta|salidas?|billete|laborables|festivos|horas|ouvert\w*|horaires?|fermé\w*|aber"
    r"to|horário|funcionamento)\b"
)


# Behind n-n: what is counted by a span of numbers.
COUNTED = re.compile(
    r" ?(?:%|€|(?!(?:a|en|y|de|del|se|por|con|la|el|los|com|e|em|da|do|às|al|il|di|per|und)\b)[a-zà-ÿ])"
)


def full_names(own: European) -> set[str]:
    return {name.casefold() for name in own.month_names}


class DateRules(NumberRules):
    """The rules of one language. Methods are named after what they say."""

    # Dates

    def dates(self) -> Kind:
        own = self.own
        months = one_of(own.month_numbers)
        full_months = one_of(own.month_names)
        clear = [day for day in own.day_names if day.casefold() not in ("mar", "mer", "seg", "ter") and len(day) > 2]
        month = rf"(?P<month>(?i:{months}))(?:\.|(?!\w))"
        day, year = r"(?P<day>0?[1-9]|[12]\d|3[01])", r"(?P<year>[12]\d{3})"
        written = own.written_date.replace("DAY", day).replace("MONTH", month).replace("YEAR", year)
        full_days = {form for day in own.day_names.values() for form in (day, day[:1].upper() + day[1:])}
        days = rf"(?P<weekday>{one_of((*own.day_names, *sorted(full_days)))})"
        numeric = r"(?P<day>[0-3]?\d)º?(?P<mark>[./-])(?P<month>[01]?\d)"
        rules = [
            rule(rf"{START}(?P<year>[12]\d{{3}})(?P<mark>[-/.])(?P<month>0?[1-9]|1[0-2])(?P=mark)(?P<day>0?[1-9]|"
                 rf"[12]\d|3[01])(?![\w-]|\.\d)",
                 self.numeric_date),
            rule(rf"{START}{numeric}(?P=mark)(?P<year>[12]\d{{3}}|\d\d){own.year_words}(?![\w/-])(?!\.\d)",
                 self.numeric_date),
            rule(
                rf"{START}(?P<day>[0-3]?\d)(?P<mark>[./-])(?P<month>[01]?\d)"
                 rf"(?:(?P=mark)(?P<year>[12]\d{{3}}|\d\d)?)? ?[-–] ?"
                 rf"(?P<day2>[0-3]?\d)(?P=mark)(?P<month2>[01]?\d)(?P=mark)"
                 rf"(?P<year2>[12]\d{{3}}|\d\d)?(?![\w/-])(?!\.\d)",
                 self.span_of_dates),
            rule(rf"{START}(?P<day>[0-3]?\d)(?P<mark>[./-])(?P<month>IX|IV|V?I{{1,3}}|V|XI{{0,2}})(?P=mark)"
                 rf"(?P<year>[12]\d{{3}})"
                 rf"(?![\w/-]|[.,]\d)",
                 lambda m: own.said_date(int(m["day"]), MONTH_NUMERALS.index(m["month"]) + 1, m["year"], text_before(m,
                     12))),
            rule(rf"{START}(?P<month>0[1-9]|1[0-2])/(?P<year>(?:19|20)\d\d|1[3-9]|[2-9]\d)(?![\w/-]|[.,]\d)",
                 lambda m: f"{own.month_names[int(m['month']) - 1]}{self.month_year(self.full_year(m) or '')}"),
            rule(rf"{START}(?P<year>[12]\d{{3}})-(?P<month>0[1-9]|1[0-2])(?![\w-])",
                 lambda m: f"{own.month_names[int(m['month']) - 1]}{self.month_year(m['year'])}"),
            rule(rf"{START}{written}(?!\w)(?!\.\d)", self.written_date),
            rule(rf"(?<!\w)(?:{days}(?:\.|\b),? (?P<article>{own.article})?)?{written}(?!\w)(?!\.\d)",
                 self.written_date),
            rule(rf"(?<!\w){days}(?:\.|\b)(?P<comma>,?) {numeric}(?:(?P=mark)(?P<year>[12]\d{{3}}|\d\d)|\.(?!\d)|"
                 rf"(?![\w./-]\d|\w))",
                 self.weekday_date),
            rule(rf"\b(?P<word>(?i:{own.date_words})) {numeric}(?:(?P=mark)(?P<year>[12]\d{{3}}|\d{{2,3}})|"
                 rf"(?<=\.\d\d)\.(?=[ ,;:)]|\Z)|"
                 rf"(?<=\.\d)\.(?=[ ,;:)]|\Z)|(?![\w./-]\d|\w){MEASURED})",
                 self.worded_date),
            rule(rf"(?<!\w)(?P<weekday>{one_of(own.day_names)})\.(?=,? (?:\d|[a-zà-ÿа-я]))",
                 lambda m: own.day_names[m["weekday"]]),
            rule(rf"(?P<word>(?:\b(?:sauf|hors|[Ee]xcept[eo]|[Ee]xceto|excl\.|escl\.|[Aa]ußer) (?:el |le |il |o )?)"
                 rf")(?P<weekday>{one_of(own.day_names)})\.(?=[,;) ])",
                 lambda m: f"{self.excepted(m['word'])}{own.day_names[m['weekday']]}{self.stop(m)}"),
            rule(rf"\b(?P<word>(?i:le|et|du|au|il|dal|al|e|ed|el|del|y|na|no|nas|nos|da)) "
                 rf"(?P<weekday>{one_of(clear)})\.",
                 lambda m: f"{m['word']} {own.day_names[m['weekday']]}{self.stop(m)}"),
            rule(rf"(?<!\w)(?P<weekday>{one_of(own.day_names)})\.? ?[-–] ?(?P<last>{one_of(own.day_names)})(?:\.|"
                 rf"(?!\w))(?=,? (?:\d|с \d|von |de |das |dalle |di |ore )|:)",
                 lambda m: f"{own.day_names[m['weekday']]} {own.to} {own.day_names[m['last']]}"),
            rule(rf"(?<!\w)(?P<weekday>{one_of(own.day_names)})\. ?[-–] ?(?P<last>{one_of(own.day_names)})\.",
                 lambda m: f"{own.day_names[m['weekday']]} {own.to} {own.day_names[m['last']]}{self.stop(m)}"),
            rule(rf"(?<!\w)(?P<weekday>{one_of(own.day_names)})\. ?[+&] ?(?P<last>{one_of(own.day_names)})\.",
                 lambda m: f"{own.day_names[m['weekday']]} {own.web['&']} {own.day_names[m['last']]}{self.stop(m)}"),
            rule(rf"(?<!\w)(?P<month>(?i:{months}))\.(?: de)? (?P<year>[12]\d{{3}})(?!\w|[.,]\d)",
                 lambda m: f"{own.month_names[self.month(m) - 1]}{self.month_year(m['year'])}"),
            rule(rf"(?<![\w.])(?P<a>(?i:{months}))\. ?[-–] ?(?P<b>(?i:{months}))\.(?! ?\d)",
                 lambda m: f"{own.month_names[own.month_numbers[m['a'].casefold()] - 1]} {own.to} "
                 f"{own.month_names[own.month_numbers[m['b'].casefold()] - 1]}{self.stop(m)}"),
            rule(rf"\b(?P<word>{own.short_month_words}) (?P<month>(?i:{months}))\.(?! ?\d{{1,2}}(?!\d|\.\d{{3}}))",
                 lambda m: f"{m['word']} {own.month_names[self.month(m) - 1]}{self.stop(m)}"),
            rule(rf"(?<![\w.])(?P<month>(?i:{months}))\.? (?P<day>0?[1-9]|[12]\d|3[01])(?![\w.,:/-]?\d|\w)",
                 lambda m: own.said_date(int(m["day"]), self.month(m), None, "") if own.month_first else None),
            rule(rf"{START}(?P<first>[0-3]?\d) (?P<joint>{own.between_days}) (?P<day>[0-3]?\d)/(?P<month>[01]?\d)"
                 rf"(?:/(?P<year>[12]\d{{3}}|\d\d))?(?![\w/-]|[.,]\d)",
                 lambda m: f"{own.day(int(m['first']), text_before(m, 12))} {m['joint']} {self.short_date(m)}"
                 if int(m["first"]) < int(m["day"]) else None),
            rule(rf"{START}(?P<first>[0-3]?\d)\.?(?P<mark>[/–-])(?P<day>[0-3]?\d)\.? (?:de )?{month}(?: (?:de )"
                 rf"?(?P<year>[12]\d{{3}}))?(?!\w)", self.two_days),
            rule(rf"(?<!\w)(?P<month>{full_months})(?: de)? (?P<year>[12]\d{{3}}){own.year_words}(?!\w|\.\d|,\d)",
                 lambda m: f"{m['month']}{self.month_year(m['year'])}{self.stop(m)}"),
        ]  # fmt: skip
        return Kind("date", re.compile(r"\d"), tuple(rules))

    def month_year(self, year: str) -> str:
        return self.own.date_year.format(year=self.own.year(int(year)))

    def month(self, match: re.Match[str]) -> int:
        return self.own.month_numbers[match["month"].casefold()]

    def full_year(self, match: re.Match[str]) -> str | None:
        return self.long_year(match["year"])

    def long_year(self, written: str | None) -> str | None:
        if not written or len(written) > 2:
            return written
        return f"{'19' if int(written) > 39 else '20'}{written}"

    def numeric_date(self, match: re.Match[str]) -> str:
        return self.own.said_date(int(match["day"]), int(match["month"]), self.full_year(match), text_before(match, 12))

    def written_date(self, match: re.Match[str]) -> str:
        weekday = match.groupdict().get("weekday")
        article = match.groupdict().get("article") or ""
        before = text_before(match, 12) + (weekday or "") + (f" {article}" if article else "")
        said = self.own.said_date(int(match["day"]), self.month(match), match["year"], before)
        month = match["month"].casefold()
        full = match[0].casefold().endswith(f"{month}.") and month in full_names(self.own)
        said += "." if full else self.stop(match)
        if not weekday:
            return said
        comma = "," if "," in match[0] else self.own.weekday_ends
        return f"{self.weekday(match)}{comma} {article}{said}"

    def weekday(self, match: re.Match[str]) -> str:
        return self.own.day_name(match["weekday"], text_before(match, 4))

    def excepted(self, word: str) -> str:
        first, _, rest = word.partition(" ")
        return f"{self.own.abbreviations.get(first, first)} {rest}"

    def weekday_date(self, match: re.Match[str]) -> str:
        said = self.short_date(match)
        return f"{self.weekday(match)}{match['comma']} {said}{self.stop(match)}"

    def worded_date(self, match: re.Match[str]) -> str | None:
        if match["mark"] == "-" and not match["year"] and reports(match.string, self.own.score_words):
            return None  # "el 4-1"
        if match["word"] == "ab" and match["mark"] == "." and not match["year"] and mentions(TRAINS, match.string):
            return None  # a train leaves at a time
        if match["mark"] == "-" and not match["year"] and COUNTED.match(text_after(match, 12)):
            return None  # "em 4-5 h"
        return f"{match['word']} {self.short_date(match)}{self.stop(match)}"

    def short_date(self, match: re.Match[str]) -> str:
        return self.own.said_date(
            int(match["day"]), int(match["month"]), self.full_year(match), text_before(match, 12) + match[0]
        )

    def span_of_dates(self, match: re.Match[str]) -> str | None:
        """ "01.01.-31.12.2025", "1/9-31/10/2026": one of them has a year, or each ends with the mark."""
        own, before = self.own, text_before(match, 14)
        first = own.said_date(int(match["day"]), int(match["month"]), self.long_year(match["year"]), before)
        last = own.said_date(int(match["day2"]), int(match["month2"]), self.long_year(match["year2"]), before)
        if not match["year2"] and (match["mark"] != "." or match["year"]):
            return None
        return f"{first} {own.to} {last}{self.stop(match)}"

    def two_days(self, match: re.Match[str]) -> str:
        first = self.own.day(int(match["first"]), text_before(match, 12))
        joint = " " if match["mark"] == "/" else f" {self.own.to} "
        last = self.own.said_date(int(match["day"]), self.month(match), match["year"], text_before(match, 12))
        full = match["month"].casefold() in full_names(self.own) and match[0].endswith(".")
        return f"{first}{joint}{last}{'.' if full else self.stop(match)}"

    # Times

    def times(self) -> Kind:
        own = self.own
        clock = rf"(?P<hour>[01]?\d|2[0-4])(?:{own.hour_sign})(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d))?"
        return Kind("time", re.compile(r"\d"), (
            rule(rf"{START}(?P<hour>[01]?\d|2[0-4])(?:\.(?P<minute>[0-5]\d))? ?[-–] ?"
                 rf"(?P<hour2>[01]?\d|2[0-4])(?:\.(?P<minute2>[0-5]\d))?(?P<second>)(?![\w.%€]|[,:/-]\d| ?(?:€|"
                 rf"%|Uhr)){own.hour_words}",
                 lambda m: self.hours(m) if mentions(OPENING, m.string) else None),
            rule(r"(?P<place>\b[A-ZÀ-Þ][\w.’'-]{1,20} )(?P<hour>[01]?\d|2[0-3])\.(?P<minute>[0-5]\d)(?P<second>)"
                 r"(?=[,;)](?!\d)| \(|\.(?: |\Z)|\Z)",
                 lambda m: f"{m['place']}{self.time(m)}" if mentions(TRAINS, m.string) else None),
            rule(rf"{START}(?P<all>(?:[01]?\d|2[0-3])\.[0-5]\d(?:(?:, | [eyou] | und | et )(?:[01]?\d|2[0-3])\."
                 rf"[0-5]\d){{1,8}})"
                 rf"(?: Uhr\b)?(?![\w.%€:/-]|,\d| ?(?:€|%))",
                 lambda m: self.list_of_times(m) if mentions(STOPS, m.string) else None),
            rule(rf"{START}(?P<hour>0\d)\.(?P<minute>[0-5]\d)(?P<second>)(?![\w.%€]|[,:/-]\d| ?(?:€|%))",
                 lambda m: self.time(m) if mentions(TIMETABLE, m.string) else None),
            rule(rf"{START}{clock}{own.hour_words}(?!\w|:\S|\.\d|,\d)", self.time),
            rule(rf"{START}(?P<hour>[01]?\d|2[0-4])(?::(?P<minute>[0-5]\d))?(?P<second>) ?[-–] ?"
                 rf"(?P<hour2>[01]?\d|2[0-4])(?::(?P<minute2>[0-5]\d))?(?![\w:]|[.,]\d){own.hour_words}",
                 self.hours),
        ))  # fmt: skip

    def list_of_times(self, match: re.Match[str]) -> str:
        """ "7.10, 7.30"."""
        return re.sub(r"(\d+)\.(\d\d)", lambda m: self.own.time(int(m[1]), int(m[2]), None, m), match["all"])

    def hours(self, match: re.Match[str]) -> str | None:
        """ "9:00-18:00", "8:30-12 Uhr"; without minutes it is a span of numbers."""
        if match["minute"] is None and match["minute2"] is None:
            return None
        first, last = (
            self.own.time(int(match[hour]), int(match[minute] or 0), None, match)
            for hour, minute in (("hour", "minute"), ("hour2", "minute2"))
        )
        return f"{first} {self.own.to} {last}" + (self.stop(match) if not last.endswith(".") else "")

    def time(self, match: re.Match[str]) -> str:
        second = int(match["second"]) if match["second"] else None
        if second is not None and LASTED.search(text_before(match, 6)) and "h" in self.own.unit_names:
            parts = zip((match["hour"], match["minute"], match["second"]), ("h", "min", "s"), strict=True)
            return " ".join(self.own.counted(str(int(n)), self.time_unit(unit).split("|")) for n, unit in parts)
        said = self.own.time(int(match["hour"]), int(match["minute"]), second, match)
        return said + (self.stop(match) if not said.endswith(".") else "")
