"""The forms that only German has: ordinals by a full stop, flats, streets, ranks, and spans of hours."""

from __future__ import annotations

import re

from mlx_tts.text.languages.german.adjectives import adjectives
from mlx_tts.text.languages.german.advertisements import Advertisements
from mlx_tts.text.languages.german.charts import Charts
from mlx_tts.text.languages.german.clipped import Clipped
from mlx_tts.text.languages.german.everyday import EverydayForms
from mlx_tts.text.languages.german.grammar import ARTICLES, BEGINS, DATIVE, DECLINING, OPENERS, PLACED, Grammar, ends
from mlx_tts.text.languages.german.notices import SmallPrint
from mlx_tts.text.languages.german.nouns import (
    FEMININE_NOUN,
    NEUTER_NOUN,
    SHORT_NOUNS,
    gender_of_noun,
)
from mlx_tts.text.languages.german.ordinary import OrdinaryForms
from mlx_tts.text.languages.german.short_forms import ShortForms
from mlx_tts.text.normalise.engine import Kind, Rule, mentions, one_of, rule, text_after, text_before
from mlx_tts.text.normalise.european_dates import TIMETABLE
from mlx_tts.text.normalise.european_marks import reports

PART_ENDS = {"f": "", "s": "s", "r": "r"}
SMALL = {"I": 1, "II": 2, "III": 3, "IV": 4, "V": 5, "VI": 6, "VII": 7, "VIII": 8}


def _minute(match: re.Match[str]) -> str:
    return f"Minute{ends(match)}"


RAIL = re.compile(r"\b(?:ICE|IC|RE|RB|Gl\.|Gleis|Hbf|Bahnhof|Zug|Abf\.|Ank\.)(?!\w)")
SECTION = re.compile(r"§§? ?\d{1,4}[a-z]? \Z")
LAW = re.compile(r"§|\b(?:BGH|BGB|Bekl\.|Urt(?:eil|\.)|Klage|Gericht)(?!\w)")


# What says that hours are counted: before "bis 12 h", and behind "ab 3 h" and "um 2 h".
LASTS_BEFORE = re.compile(
    r"\b(?:dauer\w*|[Dd]auer|\w+dauer|(?!Öffnung|Sprech|Geschäft|Besuch|Abhol|Annahme|Service|Büro)\w+(?:zeit|frist)(?:en)?"
    r"|beträgt|betragen|hält|halten|reicht|reichen|Akku\w*|innerhalb|binnen"
    r"|Zeitraum|verlänger\w+|verkürz\w+|verschob\w+|verschieb\w+|Verspätung\w*|mindestens|höchstens|maximal)"
    r"(?: (?:ca\.|etwa|rund|nur|noch|sich|von|sogar|die \w+|der \w+|das \w+|dem \w+)){0,2}:? \Z"
)
LASTS_BEHIND = re.compile(
    r" (?:[A-ZÄÖÜ]\w*(?:zeit|dauer|betrieb|fahrt|flug|schlaf|arbeit|miete|aufenthalt|pause|abstand)\b"
    r"|(?:Fahrt|Flug|Schlaf|Arbeit|Miete|Aufenthalt|Pause|Abstand|Verspätung|Betrieb|Training|Unterricht|Leistung)\b"
    r"|(?:verl|verk|versch|versp|verz|vor(?:verlegt|gestellt)|zurück|länger|kürzer|später|früher|lang\b"
    r"|am (?:Tag|Stück)|pro |täglich|wöchentlich))"
)


class German(Grammar):
    """What a full stop behind a number means depends on what stands around it."""

    def ordinal_rules(self) -> tuple[Rule, ...]:
        return (
            rule(
                r"(?<![\w.,-])(?P<day>0?[1-9]|[12]\d|3[01])\. (?P<month>0?[1-9]|1[0-2])\. (?P<year>[12]\d{3})(?"
                r"!\w|[.,]\d)",
                 lambda m: self.said_date(int(m["day"]), int(m["month"]), m["year"], text_before(m, 14))),
            rule(rf"(?<![\w.,])(?P<n>\d{{1,3}})\. (?P<noun>{one_of(SHORT_NOUNS)})", self._short_noun),
            rule(r"(?<=\d )(?P<n>I{1,3}|IV|VI{0,3})(?= (?:Nr\.|S\.|[A-ZÄÖÜ]\w{0,10}[BGO]\b))",
                 lambda m: f"Absatz {self.cardinal(SMALL[m['n']])}" if SECTION.search(text_before(m, 12)) else None),
            rule(r"(?:(?<=\bum )|(?<=\bUm ))(?P<h>[01]?\d|2[0-3])\.(?P<m>[0-5]\d)(?![\w%]|[.,:]\d| ?(?:%|€|Euro|"
                 r"Prozent|Meter|Gramm|Liter|Grad|Kilo|"
                 r"Punkte?n?|Mio|Mrd|Mill|[A-Z]\w*(?:meter|gramm))|\.(?:\d| [a-zäöü]))",
                 lambda m: self.time(int(m["h"]), int(m["m"]), None, m)),
            rule(r"(?:(?<=\b[Aa]b )|(?<=\b[Aa]n ))(?P<h>[01]?\d|2[0-3])\.(?P<m>[0-5]\d)(?=[,;)](?!\d)| (?:Uhr|"
                 r"nach|in|auf)\b)",
                 lambda m: self.time(int(m["h"]), int(m["m"]), None, m) if mentions(RAIL, m.string) else None),
            rule(r"(?<![\w.,:-])(?P<h>[01]?\d|2[0-3])\.(?P<m>[0-5]\d) Uhr(?!\w)",
                 lambda m: self.time(int(m["h"]), int(m["m"]), None, m)),
            rule(r"(?:(?<=\bTÜV )|(?<=\bHU )|(?<=\bMHD )|(?<=\bMHD: )|(?<=\bTÜV bis )|(?<=\bHU bis )|"
                 r"(?<=\bgültig bis ))"
                 r"(?P<month>[1-9]|1[0-2])/(?P<year>[2-4]\d)(?![\w/]|[.,]\d)",
                 lambda m: f"{self.month_names[int(m['month']) - 1]} {self.year(2000 + int(m['year']))}"),
            rule(r"(?<![\w.,])(?P<n>\d{1,3})-?j\.(?= (?:(?P<she>Pat\.in|Patientin|Frau)|Pat\.|Patient|Mann)(?!\w))",
                 lambda m: f"{self.cardinal(int(m['n']), 'm')}jährige{'' if m['she'] else 'r'}"),
            rule(r"(?<![\w.])(?P<day>Mo|Di|Mi|Do|Fr|Sa|So)\.(?= (?:früh|Morgen|Vormittag|Mittag|Nachmittag|"
                 r"Abend|Nacht)\b)",
                 lambda m: self.day_names[m["day"]]),
            rule(r"(?:(?<=\b[Aa]m )|(?<=\b[Bb]is )|(?<=\b[Aa]b )|(?<=\bjeden )|(?<=\bnächsten )|(?<=\bkommenden )"
                 r"|(?<=\bletzten )|(?<=\bdiesen ))(?P<day>Mo|Di|Mi|Do|Fr|Sa|So)\.(?! ?(?:\d|[–-]))",
                 lambda m: self.day_names[m["day"]] + ends(m)),
            rule(r"(?<![\w.])(?P<word>[Gg]r)\.(?= (?:XXS|XS|S|M|L|XL|XXL|XXXL)(?![\w-]))", lambda m: f"{m['word']}öße"),
            rule(r"(?<![\w.,])(?P<n>\d{1,2})\.(?P<what>OG|UG|og|ug)(?!\w)",
                 lambda m: f"{self.ordinal(int(m['n']), 's')} {m['what'].upper()}"),
            rule(r"(?:(?<=[.!?] )|(?<=\n))(?P<word>LG|VG)(?=,? (?:[A-ZÄÖÜ]\. ?)?[A-ZÄÖÜ][a-zäöüß]+\s*\Z)",
                 lambda m: "Liebe Grüße" if m["word"] == "LG" else "Viele Grüße"),
            rule(r"(?<![\w.])Geb\.(?= (?:[A-Z]|\d{1,3}[a-z]?)(?!\w|\.\w))", "Gebäude"),
            rule(r"(?<![\w.])z\.(?= (?P<noun>[A-ZÄÖÜ][a-zäöüß]{3,30}))",
                 lambda m: "zur" if FEMININE_NOUN.fullmatch(m["noun"]) else "zum"),
            rule(r"(?<=\d )ff?\.(?= (?:[A-ZÄÖÜ][a-zäöüß]{3}|Art\. ?\d|Vgl\.|Gem\.|Nr\. ?\d|Zur? ))", "folgende."),
            rule(r"\bAnm\.(?=:? (?:bis|unter|an|über|bei|per|ab|erf)\b)", "Anmeldung"),
            rule(r"(?<![\w/])(?:½|1/2)(?= so [a-zäöüß])", "halb"),
            rule(r"(?<![\w.,/])(?P<n>\d{1,2})/(?P<m>\d{1,2}) (?P<goals>Toren?|Treffern?)\b",
                 lambda m: f"{self.cardinal(int(m['n']))} {m['goals']}, davon {self.cardinal(int(m['m']))} Sieb"
                           f"enmeter"),
            rule(r"(?:(?<=\b[Dd]em )|(?<=\b[Dd]er )|(?<=\b[Dd]en )|(?<=\b[Dd]es ))Kl\.(?! ?\d{1,2}\b)",
                 lambda m: None if not mentions(LAW, m.string) else "Klägers" if text_before(m,
                     2) == "s " else "Kläger"),
            rule(r"(?:(?<=\b[Dd]em )|(?<=\b[Dd]er )|(?<=\b[Dd]en ))Kl\. (?=\d[\d.]{0,12}(?:,\d\d)? ?(?:€|EUR|Euro))",
                 lambda m: "Kläger " if mentions(LAW, m.string) else None),
            rule(r"(?<![\w.,:-])(?P<a>[01]?\d|2[0-4])[.:](?P<b>[0-5]\d) ?[-–] ?(?P<c>[01]?\d|2[0-4])(?P<d>) ?Uhr(?!\w)",
                 self._opening),
            rule(r"(?<![\w/.,])(?P<top>\d)/(?P<bottom>[248]|16)[\"″]-(?P<noun>[A-ZÄÖÜ]\w{1,30})",
                 lambda m: f"{self.fraction(int(m['top']), int(m['bottom']))} Zoll-{m['noun']}"),
            rule(r"(?<![\w/.,])(?P<n>\d{1,3}(?:,\d)?)[\"″]-(?P<noun>[A-ZÄÖÜ]\w{1,30})",
                 lambda m: f"{self.spoken(m['n'])} Zoll-{m['noun']}"),
            rule(rf"(?<![\w.,])(?P<n>\d{{1,3}})-?tlg\.(?: (?!(?:{OPENERS})\b)"
                 r"(?P<noun>(?:[A-ZÄÖÜ][a-zäöüß]{0,20}-)?[A-ZÄÖÜ]\w{1,30}))?",
                 lambda m: f"{self.cardinal(int(m['n']), 'm')}teilig" + (
                     f"e{PART_ENDS[self.gender_in_a_list(m['noun'].rpartition('-')[2])]} {m['noun']}"
                     if m["noun"] else ends(m))),
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
            rule(r"(?<![\w.,-])(?P<n>\d{1,5})-(?P<unit>m|km|kg|g|t|l|ml|cm|mm|PS|€|V|W|kW|kWh|Wh|Ah|mAh|TB|GB|MB|Hz|kHz|MHz|GHz)-(?P<noun>[A-ZÄÖÜ]\w{0,40})",
                 self._joined_unit),
            rule(r"(?<![\w.,])(?P<n>\d{1,3})\.\+(?P<more>\d{1,2})(?!\w|[.,]\d)", self._added_time),
            rule(r"(?<![\w.,-])(?P<day>0?[1-9]|[12]\d|3[01])\.(?P<month>0[1-9]|1[0-2]|[1-9])\.(?=[ ,;:)]|\Z)(?! ?[%€])",
                 self._short_date),
            rule(r"(?<![\w.,-])(?P<n>\d{1,2})(?P<half>,5)?[- ]Zi(?:\.|mmer)-W(?:hg\.|ohnung)", self._flat),
            rule(r"(?<=Durchwahl )-?(?P<n>\d{1,5})(?!\w)|(?<=DW )-?(?P<m>\d{1,5})(?!\w)|(?<=Fax )-(?P<k>\d{1,5})(?!\w)"
                 r"|(?<=Fax \()-(?P<l>\d{1,5})(?!\w)",
                 lambda m: self.digits(m["n"] or m["m"] or m["k"] or m["l"])),
            rule(r"(?<=\bGas )St\.(?= ?\d)", "Stufe"),
            rule(r"(?<![\w.])v\. (?=[½¼¾⅓⅔]|\d/\d)", "von "),
            rule(r"(?<=\bdie )(?:110|112|115|116117|116 117)(?= (?:an)?(?:ruf|wähl)| an\b| oder\b|[.,!]|\Z)",
                lambda m: self.digits(m[0])),
            rule(r"(?<![\w.,:-])(?P<a>[01]?\d|2[0-4])(?:[.:](?P<b>[0-5]\d))? ?[-–] ?(?P<c>[01]?\d|2[0-4])"
                 r"[.:](?P<d>[0-5]\d) ?Uhr(?!\w)", self._opening),
            rule(r"(?<![\w.,:-])(?P<a>[01]?\d|2[0-4]) ?[-–] ?(?P<c>[01]?\d|2[0-4]) ?h\b(?! \d)", self._hours),
            rule(r"\b(?P<before>[Uu]m|[Bb]is|[Aa]b|[Gg]egen|[Vv]on|heute|(?:heute |morgen )?[Aa]bends?"
                 r"|[Hh]eute (?:früh|Abend)"
                 r"|(?:Mon|Diens|Donners|Frei|Sams|Sonn)tag|Mittwoch) (?P<n>[01]?\d|2[0-4]) ?h\b(?! \d)",
                 self._hour_of_day),
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
        if re.search(r"(?i)(?:\b(?:viertel|kurz|fünf|zehn|zwanzig) (?:vor|nach)|\bhalb) \Z", before):
            return None  # a time of day, and the end of a sentence
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
        if noun and before.rstrip()[-1:] in ("", ",", ":", ";", "(", "•", "·"):
            nominal = noun[1].rpartition("-")[2]
            return self.ordinal(number, of_noun or self.gender_in_a_list(nominal))
        if word in ARTICLES:
            form = ARTICLES[word]
            neuter = of_noun == "s" or (noun and re.search(r"(?:sch|ig|lich)es\Z", noun[1]))
            return self.ordinal(number, "s" if form == "r" and neuter else form)
        return self.ordinal(number, of_noun) if of_noun else None

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
        noun = re.match(r" ([A-ZÄÖÜ][\w-]+)", text_after(match, 40))
        of_noun = gender_of_noun(noun[1]) if noun else None
        form = "n" if dative or word in ("die", "den") else ARTICLES.get(word, of_noun or "r")
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
        return f"{first} bis {self.time(int(match['c']), int(match['d'] or 0), None, match)}"

    def _hour_of_day(self, match: re.Match[str]) -> str | None:
        """ "um 12 h" is a time of day; "von 12 h", "ab 3 h Wartezeit" and "um 2 h verlängert" say how long it takes."""
        word, behind = match["before"].casefold(), text_after(match, 40)
        from_to = re.match(r" ?(?:bis|[-–]) ?\d", behind)
        lasts = (word == "von" and not from_to) or LASTS_BEFORE.search(text_before(match, 40))
        if lasts or (word != "gegen" and LASTS_BEHIND.match(behind)):
            return None
        return f"{match['before']} {self.hours.get(int(match['n'])) or self.cardinal(int(match['n']))} Uhr"

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
        unit = {"PS": "P S", "€": "Euro", "t": "Tonnen"}.get(match["unit"])
        unit = unit or self.unit_names[match["unit"]].split("|")[0]
        unit += "n" if unit.endswith("stunde") else ""
        return f"{self.cardinal(int(match[number]), 'm')}-{unit}-{match['noun']}"

    def _added_time(self, match: re.Match[str]) -> str:
        """ "in der 90.+2 Minute"."""
        before = text_before(match, 8).split()
        form = "n" if before and before[-1].casefold() in ("der", "zur") else "f"
        return f"{self.ordinal(int(match['n']), form)} plus {self.cardinal(int(match['more']))}"

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
        if not re.search(r"\b(?:ist|war|wurde|bleibt|wird|blieb|als)\b[^.!?]{0,32}\Z", text_before(match, 40)):
            return None  # "stehen noch 5."
        said = self.ordinal(int(match["n"]), "r")
        return said[:1].upper() + said[1:] + ends(match)

    def own_kinds(self) -> tuple[Kind, ...]:
        return (
            *OrdinaryForms(self).kinds(),
            *Advertisements(self).kinds(),
            *Charts(self).kinds(),
            *Clipped(self).kinds(),
            *SmallPrint(self).kinds(),
            adjectives(self, OPENERS),
            *ShortForms(self).kinds(),
            *EverydayForms(self).kinds(),
            Kind(
                "rank",
                re.compile(r"\b(?:ist|war|wurde|bleibt|wird|blieb|als|noch|nun|jetzt) \d"),
                (
                    rule(
                        r"(?:(?<=\bist )|(?<=\bwar )|(?<=\bals )|(?<=\bwurde )|(?<=\bbleibt )|(?<=\bblieb )"
                        r"|(?<=\bnoch )|(?<=\bnun )|(?<=\bjetzt ))"
                        r"(?P<n>\d{1,3})\.(?=\s*\Z| [A-ZÄÖÜ])",
                        self._rank,
                    ),
                ),
            ),
            Kind(
                "abbreviation",
                re.compile(r"\bn\. ?V\.|\bm\. [A-Za-z\d½¼¾]|\bd\. ?[MJ]\."),
                (
                    rule(
                        r"(?:(?<=\d\. )|(?<=\bEnde )|(?<=\bMitte )|(?<=\bAnfang ))d\. ?M\.",
                        lambda m: f"dieses Monats{ends(m)}",
                    ),
                    rule(
                        r"(?:(?<=\d\. )|(?<=\bEnde )|(?<=\bMitte )|(?<=\bAnfang )|(?<=\d )|(?<=Januar )"
                        r"|(?<=Februar )"
                        r"|(?<=März )|(?<=April )|(?<=Mai )|(?<=Juni )|(?<=Juli )|(?<=August )|(?<=ember )"
                        r"|(?<=ktober ))"
                        r"d\. ?J\.",
                        lambda m: f"dieses Jahres{ends(m)}",
                    ),
                    rule(r"(?<=\d )n\. ?V\.", lambda m: f"nach Verlängerung{ends(m)}"),
                    rule(r"(?<=\d\) )n\. ?V\.", lambda m: f"nach Verlängerung{ends(m)}"),
                    rule(r"(?<![\w.])n\. ?V\.", lambda m: f"nach Vereinbarung{ends(m)}"),
                    rule(
                        r"(?<=[A-Za-zäöüß,] )m\.(?= (?:[A-ZÄÖÜ][a-zäöüß]{2}|\d|[½¼¾]"
                        r"|(?:de[mrn]|eine[mr]|viel|etwas)\b))",
                        "mit",
                    ),
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
                    rule(r"(?<!\w)(?P<name>[A-ZÄÖÜ][a-zäöüß]{1,30})pl\.(?= \d|[,;)])", lambda m: f"{m['name']}platz"),
                ),
            ),
        )

    def _sentence(self, match: re.Match[str]) -> str | None:
        """Behind a paragraph of a law S. is a sentence, else it is a page."""
        return "Satz " if re.search(r"\bAbs\. ?\d+[a-z]? \Z", text_before(match, 16)) else None

    def _street(self, match: re.Match[str]) -> str:
        return f"{match['name']}straße{ends(match)}"
