"""How German says a number by what stands beside it: gender, case, and whether a full stop is an ordinal's."""

from __future__ import annotations

import re

from mlx_tts.text.languages.german.nouns import (
    FEMININE_NOUN,
    MASCULINE_UNIT,
    NAMING,
    NEUTER_NOUN,
    SHORT_NOUNS,
    gender_of_noun,
)
from mlx_tts.text.normalise.engine import Kind, Rule, mentions, one_of, rule, text_after, text_before, words_of
from mlx_tts.text.normalise.european import European
from mlx_tts.text.normalise.european_dates import TIMETABLE
from mlx_tts.text.normalise.european_marks import reports
from mlx_tts.text.normalise.number_words import number_words

ARTICLES = {"die": "f", "eine": "f", "jede": "f", "diese": "f", "seine": "f", "ihre": "f", "meine": "f", "das": "f",
    "der": "f",
            "ein": "r", "sein": "r", "ihr": "r", "mein": "r", "kein": "r", "jeder": "f", "jedes": "f"}  # fmt: skip
DECLINING = frozenset(words_of(
    "v. am vom zum zur dem den des beim im einem einen einer eines seinem seinen ihrem ihren jedem jeden diesem bis "
    "seit ab nach vor"
))  # fmt: skip
DATIVE = re.compile(r"\b(?:mit|von|zu|aus|bei|nach|seit|vor|in|an|auf|unter|neben)\s+\Z", re.IGNORECASE)
PART_DATIVE = re.compile(r"\b(?:mit|von|zu|aus|bei|nach|seit)\s+(?:etwa\s+|rund\s+|nur\s+)?\Z", re.IGNORECASE)
# "mit 1 Frau und 1 Mann": what stands between the preposition and the second thing.
LISTED = re.compile(r"(?:\d{1,4} (?:[a-zäöüß]{2,20} )?[A-ZÄÖÜ][\w-]{1,30}(?:,? (?:und|oder|sowie) |, )){1,4}\Z")
SMALL_BEFORE = frozenset(
    words_of("mit von zu aus bei nach seit vor in an auf unter neben für gegen ohne um durch je ca und oder plus")
)
ACCUSATIVE = re.compile(r"\b(?:gegen|für|durch|ohne|um)\s+\Z", re.IGNORECASE)
# Words with a capital at the beginning of a sentence alone; all nouns have one.
OPENERS = (
    "Der|Die|Das|Den|Dem|Des|Ein|Eine|Einen|Einem|Einer|Im|In|Ins|Am|An|Ans|Auf|Aus|Bei|Beim|Bis|Durch|Für|Gegen|Mit|"
    "Nach|Nachdem|Ohne|Seit|Um|Unter|Über|Von|Vom|Vor|Während|Wegen|Zu|Zum|Zur|Zwischen|Ich|Du|Er|Es|Sie|Wir|Man|Wer|"
    "Was|Wie|Wo|Wann|Warum|Dann|Danach|Davor|Dort|Da|Daher|Dazu|Dabei|Damit|Hier|Heute|Gestern|Jetzt|Nun|Auch|Aber|Und|"
    "Oder|Doch|Denn|So|Zudem|Außerdem|Laut|Ab|Nur|Noch|Schon|Diese|Dieser|Dieses|Diesen|Alle|Viele|Einige|Jeder|Jede|"
    "Kein|Keine|Mein|Meine|Unser|Unsere|Sein|Seine|Wenn|Falls|Weil|Ob|Obwohl|Als|Anschließend|Zuvor|Später|Zuletzt|"
    "Erst|Trotzdem|Dennoch|Leider|Bitte|Danke|Ja|Nein|Nicht|Sonst|Weitere|Rund|Etwa|Ebenso|Ihr|Ihre|Welche|Wegen|Gilt|"
    "Insgesamt|Davon|Darunter|Darauf|Dadurch|Dagegen|Deshalb|Bereits|Beide|Neben|Trotz|Statt|Ist|Sind|War|Hat|Haben|"
    "Je|Pro|Rund|Zwei|Drei|Kann|Können|Wird|Werden|Gibt|Kommt|Möchte"
)
BEGINS = re.compile(rf"\s+(?:{OPENERS})\b")
PLACED = re.compile(
    r"\b(?:Raum|Zimmer|Zi\.|R\.|Büro|Halle|Kapitel|Kap\.|Abschnitt|Abs\.|Version|Punkt|Ziffer|Ziff\.|Nummer|Nr\.|"
    r"Tab\.|"
    r"Tabelle|Abb\.|Abbildung|Aufgabe|Übung|Box|Tor|Saal|Hörsaal|Lektion) \Z"
)
PER_YEAR = ("kWh/(m²·a)", "kWh/(m²a)", "kWh/(m² a)", "kWh/(m²*a)", "kWh/m²a", "kWh/(m²·Jahr)")


def ends(match: re.Match[str]) -> str:
    """The full stop of a form, where it is the sentence's as well."""
    rest = text_after(match, 24)
    return "." if not rest.strip() or BEGINS.match(rest) else ""


def _minute(match: re.Match[str]) -> str:
    return f"Minute{ends(match)}"


class German(European):
    """Ordinals: "der dritte", but "am dritten", and "dritter" where no article stands before; years in hundreds."""

    def ordinal(self, number: int, form: str = "f") -> str:
        said = super().ordinal(number, form)
        return re.sub(r"^eine Million", "einmillion", said)

    def day(self, number: int, before: str) -> str:
        before = re.sub(r"(?:\d{1,2}\.(?:,| und| oder| bis|/| ?[–-]) ?)+\Z", "", before)
        before = re.sub(r"(?:spätestens|frühestens|einschließlich|einschl\.|inkl\.) \Z", "", before)
        word = before.split()[-1].rstrip(",").casefold() if before.split() else ""
        if word in DECLINING or re.search(r"(?:tag|woch)\w*,?\s*\Z|\b(?:Mo|Di|Mi|Do|Fr|Sa|So)\b", before):
            return self.ordinal(number, "n")
        return self.ordinal(number, ARTICLES.get(word, "r"))

    def said_date(self, day: int, month: int, year: str | None, before: str) -> str:
        """3.6. is "dritter sechster" between a weekday and its time, as it is written."""
        if "." in before and re.search(r"\d\.\d{1,2}\.", before) and 1 <= month <= 12 and 1 <= day <= 31:
            form = "n"
            said = f"{self.ordinal(day, form)} {self.ordinal(month, form)}"
            return said + (f" {self.year(int(year))}" if year else "")
        return super().said_date(day, month, year, before)

    def year(self, number: int) -> str:
        return (
            self.spelling(number_words(self.code, number, "numbering-year"))
            if 1100 <= number < 2000
            else self.cardinal(number)
        )

    def year_of_span(self, number: int) -> str:
        return self.year(number)

    def part(self, bottom: int) -> str | None:
        if bottom in self.parts:
            return self.parts[bottom]
        return self.ordinal(bottom, "f") + "l" if bottom <= 1_000_000 else None

    def mixed(self, whole: str, top: int, bottom: int, noun: str = "") -> str:
        if (top, bottom) == (1, 2) and whole == "1":
            return "eineinhalb"
        if (top, bottom) == (1, 2):
            return f"{self.whole(whole)}einhalb"
        return super().mixed(whole, top, bottom)

    def part_of(self, top: int, bottom: int, unit: str) -> str:
        if (top, bottom) == (1, 2):
            one = unit.split("|")[0]
            half = (
                "eine halbe" if self.gender(one) == "f" else "ein halber" if MASCULINE_UNIT.match(one) else "ein halbes"
            )
            return f"{half} {one}"
        return super().part_of(top, bottom, unit)

    def fraction(self, top: int, bottom: int) -> str:
        return "ein halb" if (top, bottom) == (1, 2) else super().fraction(top, bottom)

    def fraction_behind(self, top: int, bottom: int, before: str) -> str:
        """ "zu einem Drittel", "von zwei Dritteln"; behind capitals stands the number of a file: "VIII ZR 24/22"."""
        if re.search(r"\b(?:[A-Z]{1,4}|[A-Z][a-z]?[A-Z][a-z]?) \Z", before):
            return f"{self.cardinal(top)} {self.web['/']} {self.cardinal(bottom)}"
        said = self.fraction(top, bottom)
        if (top, bottom) == (1, 2) or self.part(bottom) is None or not PART_DATIVE.search(before):
            return said
        return f"einem {said.partition(' ')[2]}" if top == 1 else f"{said}n"

    def century_words(self, number: int) -> str:
        return self.ordinal(number, "n")

    def regnal(self, number: int, name: str, before: str = "") -> str:
        """Nominative, or the case that the word before the name or its own ending shows."""
        woman = re.fullmatch(r".*[ae]th|.*a|Elisabeths|\w+as", name) is not None
        if name.endswith("s") and name[:-1] in self.rulers:
            article, form = ("der" if woman else "des"), "n"
        elif DATIVE.search(before):
            article, form = ("der" if woman else "dem"), "n"
        elif ACCUSATIVE.search(before):
            article, form = ("die", "f") if woman else ("den", "n")
        else:
            article, form = ("die" if woman else "der"), "f"
        said = self.ordinal(number, form)
        return f"{article} {said[:1].upper()}{said[1:]}"

    def one(self, noun: str, before: str) -> str:
        """Before a noun "ein", "eine" or their datives; behind a noun a number is its name: "Platz 1"."""
        if noun in ("davon", "darunter"):
            return self.cardinal(1, "f")  # of persons
        before = LISTED.sub("", before)
        last = before.split()[-1] if before.split() else ""
        numbered = (
            (last[:1].isupper() and last.isalpha() and last.casefold() not in SMALL_BEFORE and len(before.split()) > 1)
            or last in NAMING
            or self.abbreviations.get(last, "") in NAMING
            or last in self.before_numbers
        )
        if not noun[:1].isupper() or (len(noun) < 3 and noun != "Ei") or numbered or noun.isupper():
            return super().one(noun, before)
        if noun == "Uhr":
            return "ein"
        feminine = FEMININE_NOUN.fullmatch(noun) is not None
        if DATIVE.search(before):
            return "einer" if feminine else "einem"
        return "eine" if feminine else "ein"

    def ordinal_rules(self) -> tuple[Rule, ...]:
        return (
            rule(
                r"(?<![\w.,-])(?P<day>0?[1-9]|[12]\d|3[01])\. (?P<month>0?[1-9]|1[0-2])\. (?P<year>[12]\d{3})(?"
                r"!\w|[.,]\d)",
                 lambda m: self.said_date(int(m["day"]), int(m["month"]), m["year"], text_before(m, 14))),
            rule(rf"(?<![\w.,])(?P<n>\d{{1,3}})\. (?P<noun>{one_of(SHORT_NOUNS)})", self._short_noun),
            rule(r"(?<![\w/])(?:½|1/2)(?= so [a-zäöüß])", "halb"),
            rule(r"(?<![\w/.,])(?P<top>\d)/(?P<bottom>[248]|16)[\"″]-(?P<noun>[A-ZÄÖÜ]\w{1,30})",
                 lambda m: f"{self.fraction(int(m['top']), int(m['bottom']))} Zoll-{m['noun']}"),
            rule(r"(?<![\w/.,])(?P<n>\d{1,3}(?:,\d)?)[\"″]-(?P<noun>[A-ZÄÖÜ]\w{1,30})",
                 lambda m: f"{self.spoken(m['n'])} Zoll-{m['noun']}"),
            rule(r"(?<![\w.,])(?P<n>\d{1,3})-?tlg\.", lambda m: f"{self.cardinal(int(m['n']), 'm')}teilig{ends(m)}"),
            rule(r"(?:(?<=\bKinder )|(?<=\bKids )|(?<=\bJugendliche ))u\.(?= \d{1,2}\b)", "unter"),
            rule(r"\b(?P<word>[Zz]wischen|[Zz]w\.|[Vv]on) (?P<a>[01]?\d|2[0-3])\.(?P<b>[0-5]\d) (?P<to>u\.|und|bis) "
                 r"(?P<c>[01]?\d|2[0-3])\.(?P<d>[0-5]\d)(?!\w|[.,]\d)(?= Uhr)?", self._between),
            rule(rf"(?<![\w.,])(?P<n>\d{{1,7}})\.(?= (?:[A-ZÄÖÜ][a-zäöüß]|[A-ZÄÖÜ]{{2}}|[a-zäöü]|(?:und|bis|"
                 rf"oder) \d))(?! "
                 rf"(?:{one_of(self.month_names)})\b)", self._ordinal),
            rule(r"(?<![\w.,])(?P<n>\d{1,4})\.(?= [a-zäöüß]{2}|[,;])", self._placed),
            rule(r"(?<=\()(?P<n>\d{1,3})\.(?: ?\+ ?(?P<more>\d{1,2}))?(?=[,)/;])|"
                 r"(?<=[\d.], )(?P<m>\d{1,3})\.(?=[,)])",
                 self._goal),
            rule(r"(?<![\w.,])(?P<n>\d{1,3}(?:\.\d{3})*),[-–—]{1,2}(?=[.,;:)!? ]|\Z)(?! ?(?:€|EUR|Euro|[-–]))",
                 lambda m: self.counted(m["n"], ["Euro"])),
            rule(r"(?<=\d )ff?\.(?=[ ,;)]|\Z)", lambda m: f"folgende{ends(m)}"),
            rule(r"(?<![\w.,-])(?P<n>[1-9]\d?) Bd\.(?= [A-ZÄÖÜ][a-zäöüß])",
                 lambda m: self.counted(m["n"], ["Bund", "Bund"])),
            rule(r"(?<![\w.,-])(?P<n>\d)[x×](?P<m>\d{2,4})-(?P<unit>m|km)-(?P<noun>[A-ZÄÖÜ]\w{0,40})",
                 lambda m: f"{self.cardinal(int(m['n']))} mal {self._joined_unit(m, 'm')}"),
            rule(r"(?<![\w.,-])(?P<n>[12]?\d|3[01])\./(?P<day>[12]?\d|3[01])\.(?P<month>0?[1-9]|1[0-2])\."
                 r"(?P<year>\d{4})?(?=[ ,;:)]|\Z)",
                 lambda m: f"{self.day(int(m['n']), text_before(m, 14))} und "
                 f"{self.said_date(int(m['day']), int(m['month']), m['year'], text_before(m, 14))}"),
            rule(r"(?<![\w.,:])(?P<h>\d{1,3}):(?P<m>[0-5]\d) (?:Std\.|Stunden?\b)", self._lasted),
            rule(r"(?<![\w.,-])(?P<n>\d{1,3})er-(?P<noun>[A-ZÄÖÜ]\w{1,30})",
                 lambda m: f"{self.cardinal(int(m['n']), 'm')}er-{m['noun']}"),
            rule(r"(?<![\w.,-])(?P<n>\d{1,3})-?(?P<noun>Fache[sn]?|Jährige[nr]?)(?!\w)",
                 lambda m: f"{self.cardinal(int(m['n']), 'm').capitalize()}{m['noun'].casefold()}"),
            rule(r"(?<![\w.,])(?P<n>\d{1,3})\.(?P<more>(?:(?:,| und| oder| bis|,? und| u\.| sowie) \d{1,3}\.|"
                 r" ?[–-] ?\d{1,3}\.){1,5})"
                 r"(?= [A-ZÄÖÜa-"
                 r"zäöü])",
                 self._listed),
            rule(r"(?<![\w.,-])(?P<n>\d{1,5})-(?P<unit>m|km|kg|g|l|cm|mm|PS|€)-(?P<noun>[A-ZÄÖÜ]\w{0,40})",
                 self._joined_unit),
            rule(r"(?<![\w.,])(?P<n>\d{1,3})\.\+(?P<more>\d{1,2})(?!\w|[.,]\d)", self._added_time),
            rule(r"(?<![\w.,-])(?P<day>0?[1-9]|[12]\d|3[01])\.(?P<month>0[1-9]|1[0-2]|[1-9])\.(?=[ ,;)]|\Z)(?! ?[%€])",
                 self._short_date),
            rule(r"(?<![\w.,-])(?P<n>\d{1,2})(?P<half>,5)?[- ]Zi(?:\.|mmer)-W(?:hg\.|ohnung)", self._flat),
            rule(r"(?<=Durchwahl )-?(?P<n>\d{1,5})(?!\w)|(?<=DW )-?(?P<m>\d{1,5})(?!\w)|(?<=Fax )-(?P<k>\d{1,5})(?!\w)"
                 r"|(?<=Fax \()-(?P<l>\d{1,5})(?!\w)",
                 lambda m: self.digits(m["n"] or m["m"] or m["k"] or m["l"])),
            rule(r"(?<=\bGas )St\.(?= ?\d)", "Stufe"),
            rule(r"(?<![\w.])v\. (?=[½¼¾⅓⅔]|\d/\d)", "von "),
            rule(r"(?<=\bdie )(?:110|112|115|116117|116 117)(?= (?:an)?(?:ruf|wähl)| an\b|[.,!]|\Z)",
                lambda m: self.digits(m[0])),
            rule(r"(?<![\w.,:-])(?P<a>[01]?\d|2[0-4])(?:[.:](?P<b>[0-5]\d))? ?[-–] ?(?P<c>[01]?\d|2[0-4])"
                 r"[.:](?P<d>[0-5]\d) ?Uhr(?!\w)", self._opening),
            rule(r"(?<![\w.,:-])(?P<a>[01]?\d|2[0-4]) ?[-–] ?(?P<c>[01]?\d|2[0-4]) ?h\b(?! \d)", self._hours),
            rule(r"\b(?P<before>[Uu]m|[Bb]is|[Aa]b|[Gg]egen|[Vv]on) (?P<n>[01]?\d|2[0-4]) ?h\b(?! \d)",
                 lambda m: f"{m['before']} {self.hours.get(int(m['n'])) or self.cardinal(int(m['n']))} Uhr"),
            rule(r"(?<![\w.,/-])(?:1/2|½)(?= (?P<noun>(?:[A-ZÄÖÜ]\w{1,20}-)?[A-ZÄÖÜ][a-zäöüß]{2,30})\b)", self._half),
            rule(r"(?<![\w.,-])(?P<n>\d{1,3},\d{1,2})-?(?P<noun>(?:fach|prozentig|jährig|stündig|monatig|malig|minütig"
                 r"|metrig)(?:e[nrsm]?)?)(?!\w)",
                 lambda m: self.spoken(m["n"]).replace(" ", "").casefold() + m["noun"]),
            rule(r"(?<![\w.,])(?P<n>\d{1,2})\. (?:Jh\.|Jhd\.|Jhdt\.)", self._century),
            rule(r"(?<![\w.,-])(?P<n>\d{1,3})-?(?P<noun>jährig|fach|mal|er|(?:fach|[a-zäöüß]{3,20}ig)"
                 r"(?:e[nrsm]?)?)(?!\w)",
                 lambda m: f"{self.cardinal(int(m['n']), 'm')}{m['noun']}"),
            rule(r"(?<![\w.,-])(?P<n>1[1-9]\d0|20\d0|[2-9]0)er(?P<end>n?)(?![\w-])",
                 lambda m: f"{self.year(int(m['n']))}er{m['end']}"),
            rule(r"(?<![\w.,-])(?P<n>\d{2,4})er[ -]?(?P<noun>Jahren?|Jahre)(?!\w)",
                 lambda m: f"{self.year(int(m['n']))}er {m['noun']}"),
        )  # fmt: skip

    def _short_noun(self, match: re.Match[str]) -> str | None:
        """ "2. Kl.", "3. Aufl."."""
        form, noun = SHORT_NOUNS[match["noun"]]
        before = text_before(match, 14).split()
        word = before[-1].casefold() if before else ""
        dative = word in DECLINING or (word == "der" and DATIVE.search(text_before(match, 14).rpartition("der")[0]))
        form = "n" if dative else ARTICLES.get(word, form)
        return f"{self.ordinal(int(match['n']), form)} {noun}{ends(match)}"

    def _between(self, match: re.Match[str]) -> str | None:
        """ "zw. 5.04 u. 23.04": times, where the text is about some."""
        if not mentions(TIMETABLE, match.string):
            return None
        word = {"zw.": "zwischen", "Zw.": "Zwischen"}.get(match["word"], match["word"])
        first, last = (self.time(int(match[h]), int(match[m]), None, match) for h, m in (("a", "b"), ("c", "d")))
        return f"{word} {first} {'und' if match['to'] == 'u.' else match['to']} {last}"

    def _short_date(self, match: re.Match[str]) -> str:
        """ "am 9.11."; behind a room it is its number."""
        if PLACED.search(text_before(match, 14)):
            return f"{self.cardinal(int(match['day']))} {self.dot} {self.name_of_number(match['month'])}."
        return self.said_date(int(match["day"]), int(match["month"]), None, text_before(match, 14)) + ends(match)

    def _goal(self, match: re.Match[str]) -> str:
        """Behind a scorer: "(67., Elfmeter)", "(90.+4)"."""
        more = f" plus {self.cardinal(int(match['more']))}" if match["more"] else ""
        return f"{self.ordinal(int(match['n'] or match['m']))}{more}"

    def _lasted(self, match: re.Match[str]) -> str:
        hours, minutes = (self.unit_names[unit].split("|") for unit in ("h", "min"))
        said = f"{self.counted(match['h'], hours)} {self.counted(str(int(match['m'])), minutes)}"
        return said + (ends(match) if match[0].endswith(".") else "")

    def _ordinal(self, match: re.Match[str]) -> str | None:
        number, before = int(match["n"]), text_before(match, 14)
        if BEGINS.match(text_after(match, 24)):
            if not re.search(r"(?i)\b(?:am|vom|zum|dem|den|der|die|das)\s+\Z", before):
                return None  # a number, and the end of a sentence
            return f"{self.ordinal(number, 'n' if before.split()[-1].casefold() in DECLINING else 'f')}."
        if re.search(
            r"\b(?:Wg|Nr|S|Gl|Zi|Abs|Art|Kap|Abb|Tab|Bd|Seite|Wagen|Gleis|Nummer|Zimmer|Linie|Kapitel)\.? \Z", before
        ):
            return None  # a name, and the end of a sentence
        if (
            re.search(r"\b(?:[Ss]eit|[Aa]b|[Bb]is|[Vv]or|[Nn]ach|[Uu]m|[Gg]egen|[Vv]on|Jahre?) \Z", before)
            and 1100 <= number <= 2100
        ):
            return None  # a year
        if re.search(r"(?:\A|[\s(])[A-ZÄÖÜ]\w+ \Z", before) and not re.search(r"(?:\A|[.!?:]\s)\w+ \Z", before):
            return None  # "Port 22. Netzteil": the number behind a noun is its name
        word = before.split()[-1].casefold() if before.split() and before.endswith(" ") else ""
        noun = re.match(r" ([\w-]+)", text_after(match, 40))
        of_noun = gender_of_noun(noun[1]) if noun else None
        if word in DECLINING or (word == "der" and DATIVE.search(before[: before.rfind("der")])):
            return self.ordinal(number, "n")
        if noun and before.rstrip()[-1:] in ("", ",", ":", "(", "•", "·"):
            nominal = noun[1].rpartition("-")[2]
            return self.ordinal(number, of_noun or self.gender_in_a_list(nominal))
        if word in ARTICLES:
            form = ARTICLES[word]
            neuter = of_noun == "s" or (noun and re.search(r"(?:sch|ig|lich)es\Z", noun[1]))
            return self.ordinal(number, "s" if form == "r" and neuter else form)
        return self.ordinal(number, of_noun) if of_noun else None

    def gender_in_a_list(self, noun: str) -> str:
        """Where no article shows the form of an ordinal."""
        return "f" if FEMININE_NOUN.fullmatch(noun) else "s" if NEUTER_NOUN.fullmatch(noun) else "r"

    def _century(self, match: re.Match[str]) -> str:
        before = text_before(match, 6).split()
        form = "n" if before and before[-1].casefold() in DECLINING else ARTICLES.get(before[-1] if before else "", "s")
        genitive = "s" if before and before[-1].casefold() in ("des", "eines") else ""
        return f"{self.ordinal(int(match['n']), form)} Jahrhundert{genitive}{ends(match)}"

    def _listed(self, match: re.Match[str]) -> str:
        """ "in der 12., 44. und 90. Minute": all in the form of the first."""
        before = text_before(match, 14)
        word = before.split()[-1].casefold() if before.split() and before.endswith(" ") else ""
        dative = word in DECLINING or (word == "der" and DATIVE.search(before[: before.rfind("der")]))
        form = "n" if dative or word in ("die", "den") else ARTICLES.get(word, "r")
        said = re.sub(r"(\d+)\.", lambda n: self.ordinal(int(n[1]), form), match[0])
        return re.sub(r" ?[–-] ?", " bis ", said.replace(" u. ", " und "))

    def _flat(self, match: re.Match[str]) -> str:
        """ "3-Zi.-Whg.", "2,5-Zimmer-Wohnung"."""
        rooms = self.cardinal(int(match["n"]), "m")
        rooms = "eineinhalb" if match["half"] and match["n"] == "1" else rooms + ("einhalb" if match["half"] else "")
        stop = ends(match) if match[0].endswith(".") else ""
        return f"{rooms[0].upper()}{rooms[1:]}zimmerwohnung{stop}"

    def _opening(self, match: re.Match[str]) -> str:
        """A span of hours."""
        first = self.hours.get(int(match["a"])) or self.cardinal(int(match["a"]))
        if match["b"]:
            first = self.time(int(match["a"]), int(match["b"]), None, match)
        return f"{first} bis {self.time(int(match['c']), int(match['d']), None, match)}"

    def _hours(self, match: re.Match[str]) -> str | None:
        """ "Di. 10-18 h": behind a day of the week an h is no length."""
        days = (
            r"\b(?:Mo|Di|Mi|Do|Fr|Sa|So|\w+tags?|geöffnet|Öffnungszeit\w*|täglich|tägl\.|tgl\.|von)\b\.?:? ?\Z"
            r"|[a-zäöüß]{4}, \Z|\d\., \Z"
        )
        if int(match["a"]) >= int(match["c"]) or not re.search(days, text_before(match, 20)):
            return None
        first, last = (self.hours.get(int(n)) or self.cardinal(int(n)) for n in (match["a"], match["c"]))
        return f"{first} bis {last} Uhr"

    def _joined_unit(self, match: re.Match[str], number: str = "n") -> str:
        unit = {"PS": "P S", "€": "Euro"}.get(match["unit"]) or self.unit_names[match["unit"]].split("|")[0]
        return f"{self.cardinal(int(match[number]))}-{unit}-{match['noun']}"

    def _added_time(self, match: re.Match[str]) -> str:
        """ "in der 90.+2 Minute"."""
        before = text_before(match, 8).split()
        form = "n" if before and before[-1].casefold() in ("der", "zur") else "f"
        return f"{self.ordinal(int(match['n']), form)} plus {self.cardinal(int(match['more']))}"

    def in_case(self, words: str, before: str) -> str:
        """ "nach 20 Sp.", "mit 37 Pkt." are datives."""
        dative = re.search(r"\b(?i:mit|nach|von|bei|seit|zu|aus|vor|in|binnen|ab) (?:[a-zäöüß]+ )?\Z", before)
        return (
            f"{words}n"
            if dative and re.search(r"(?:Jahr|Monat|Punkt|Spiel|Tag|Stern|Kilowatt|Stück)e\Z", words)
            else words
        )

    def repeated(self, number: int) -> str:
        return f"{self.cardinal(number, 'm')}mal"

    def _half(self, match: re.Match[str]) -> str:
        noun = match["noun"].rpartition("-")[2]
        if re.search(r"\b(?:mit|von|v\.|aus|zu|bei|nach) \Z", text_before(match, 8)):
            return "einer halben" if FEMININE_NOUN.fullmatch(noun) else "einem halben"
        if FEMININE_NOUN.fullmatch(noun):
            return "eine halbe"
        return "ein halbes" if NEUTER_NOUN.fullmatch(noun) else "ein halber"

    def _placed(self, match: re.Match[str]) -> str | None:
        """A full stop in the midst of a sentence: "wurde 2. bei", "den 3. und 4."."""
        before = text_before(match, 24)
        if before.endswith("("):
            return None
        word = before.split()[-1].casefold() if before.split() and before.endswith(" ") else ""
        if word in DECLINING or word in ARTICLES:
            return self._ordinal(match)
        said = self.ordinal(int(match["n"]), "f" if re.search(r"\b[Ss]ie (?:\w+ )?\Z", before) else "r")
        return said[:1].upper() + said[1:]

    def _rank(self, match: re.Match[str]) -> str | None:
        """ "ist 7." is a rank in a report of a match; elsewhere it is an age."""
        if not reports(match.string, self.score_words):
            return None
        said = self.ordinal(int(match["n"]), "r")
        return said[:1].upper() + said[1:] + ends(match)

    def own_kinds(self) -> tuple[Kind, ...]:
        return (
            Kind(
                "rank",
                re.compile(r"\b(?:ist|war|wurde|bleibt|wird|blieb|als) \d"),
                (
                    rule(
                        r"(?:(?<=\bist )|(?<=\bwar )|(?<=\bals )|(?<=\bwurde )|(?<=\bbleibt )|(?<=\bblieb ))"
                        r"(?P<n>\d{1,3})\.(?=\s*\Z| [A-ZÄÖÜ])",
                        self._rank,
                    ),
                ),
            ),
            Kind(
                "abbreviation",
                re.compile(r"\bn\. ?V\.|\bm\. [A-Z]"),
                (
                    rule(r"(?<=\d )n\. ?V\.", lambda m: f"nach Verlängerung{ends(m)}"),
                    rule(r"(?<=\d\) )n\. ?V\.", lambda m: f"nach Verlängerung{ends(m)}"),
                    rule(r"(?<![\w.])n\. ?V\.", lambda m: f"nach Vereinbarung{ends(m)}"),
                    rule(r"(?<=[A-Za-zäöüß,] )m\.(?= [A-ZÄÖÜ][a-zäöüß]{2})", "mit"),
                ),
            ),
            Kind("match", re.compile(r"\bMin\."), (rule(r"(?<=\d\. )(?:Spielm|M)in\.", _minute),)),
            Kind(
                "date",
                re.compile(r"v\. ?\d"),
                (
                    rule(r"(?<![\w.])v\. ?(?=\d{1,2}\. ?(?:\d|[A-Z][a-zä]))", "vom "),
                    rule(r"(?<![\w.])v\. (?=\d)", "von "),
                ),
            ),
            Kind("law", re.compile(r"S\. ?\d"), (rule(r"(?<=\d )S\. ?(?=\d)", self._sentence),)),
            Kind(
                "address",
                re.compile(r"(?:str|pl)\."),
                (
                    rule(r"(?<!\w)(?P<name>[A-ZÄÖÜ][a-zäöüß]{1,30})str\.", self._street),
                    rule(r"(?<!\w)(?P<name>[A-ZÄÖÜ][a-zäöüß]{1,30})pl\.(?= \d)", lambda m: f"{m['name']}platz"),
                ),
            ),
        )

    def _sentence(self, match: re.Match[str]) -> str | None:
        """Behind a paragraph of a law S. is a sentence, else it is a page."""
        return "Satz " if re.search(r"\bAbs\. ?\d+[a-z]? \Z", text_before(match, 16)) else None

    def _street(self, match: re.Match[str]) -> str:
        return f"{match['name']}straße{ends(match)}"
