"""German short forms that a word or a number next to them explains: seats, ranks, titles of rulers, direct dialling."""

from __future__ import annotations

import re

from mlx_tts.text.languages.german.adjectives import gender
from mlx_tts.text.languages.german.everyday import PREPARED
from mlx_tts.text.languages.german.grammar import DECLINING, OPENERS, ends
from mlx_tts.text.normalise.engine import Kind, mentions, one_of, rule, text_after, text_before
from mlx_tts.text.normalise.european import European

# Before a name.
RULERS = {"Ks.": "Kaiser", "Kg.": "König", "Kgn.": "Königin", "Hzg.": "Herzog", "Gf.": "Graf", "Fst.": "Fürst",
          "Kfst.": "Kurfürst", "Mgf.": "Markgraf", "Lgf.": "Landgraf", "Frhr.": "Freiherr", "Bf.": "Bischof",
          "Ebf.": "Erzbischof", "Joh.": "Johann", "Chr.": "Christian", "Gg.": "Georg", "Wilh.": "Wilhelm",
          "Friedr.": "Friedrich", "Heinr.": "Heinrich", "Ludw.": "Ludwig", "Frz.": "Franz"}  # fmt: skip
# What has two numbers, one for each of two: "Pl. 64/66".
PLACES = {"Pl.": "Plätze", "Plätze": "Plätze", "Sitze": "Sitze", "Sitzplätze": "Sitzplätze", "Zi.": "Zimmer",
          "Zimmer": "Zimmer", "Wg.": "Wagen", "Wagen": "Wagen", "Gl.": "Gleis", "Gleis": "Gleis",
          "Räume": "Räume", "Parkplätze": "Parkplätze"}  # fmt: skip
# Whole words of which the end is left out behind their first part.
ENDS = {"temp.": "temperatur", "blätt.": "blätter", "nr.": "nummer", "verz.": "verzeichnis", "entf.": "entfernung",
        "gesch.": "geschichte"}  # fmt: skip
# Before a birthday's number: "zu Jans 30.?".
BIRTHDAY = re.compile(r"\bzu (?:[A-ZÄÖÜa-zäöüß]{2,20}s|(?:[mds]ein|ihr|eur|unser)em) \Z")
LISTED = re.compile(r": 1\. [^:.!?]{2,80}?[,;] 2\. [A-ZÄÖÜa-zäöüß]")
RANKING = re.compile(
    r"\b(?:Rennen|Sieg\w*|Ergebnis\w*|Endstand|Wertung|Tabelle|Finale|Podium|Platz|Meisterschaft\w*|Lauf)\b"
)
DAY = r"(?:Mo|Di|Mi|Do|Fr|Sa|So)\.?|(?:Mon|Diens|Donners|Frei|Sams|Sonn)tag|Mittwoch|\d\.\d{1,2}\.(?:\d{2,4})?"


class ShortForms:
    """The rules for a language's words. Methods are named after what they say."""

    def __init__(self, own: European):
        self.own = own

    def rank(self, match: re.Match[str]) -> str:
        """ "zum Tabellen-2.", "der Vorjahres-3."."""
        before = text_before(match, 12).split()
        word = before[-1].casefold() if before else ""
        form = "n" if word in DECLINING else "f" if word in ("der", "die", "das") else "r"
        return f"{match['first']}{self.own.ordinal(int(match['n']), form)}{ends(match)}"

    def places(self, match: re.Match[str]) -> str:
        numbers = [self.own.cardinal(int(number)) for number in match["n"].split("/")]
        return f"{PLACES[match['word']]} {' und '.join(numbers)}"

    def hour(self, match: re.Match[str]) -> str:
        hour = int(match["n"])
        return f"{self.own.hours.get(hour) or self.own.cardinal(hour)} Uhr"

    def latest(self, match: re.Match[str]) -> str | None:
        """ "spät. Mi.": behind "bis", or before a day that is cut short; "Es ist spät. Freitag kommt er" is a word."""
        if not match["bis"] and (
            match["day"][-1] not in ".0123456789"
            or re.search(r"\b(?:ist|war|wird|wurde|zu|so|sehr|schon|recht|ziemlich) \Z", text_before(match, 12))
        ):
            return None
        return f"{match['bis'] or ''}{match['s']}pätestens"

    def kinds(self) -> tuple[Kind, ...]:
        own = self.own
        return (
            Kind("ordinal", re.compile(r"-\d"), (
                rule(r"(?<![\w-])(?P<first>Tabellen|Vorjahres|Liga|Weltranglisten|Gruppen|Aufstiegs)-(?P<n>\d{1,2})\."
                     r"(?!\w)", self.rank),
            )),
            Kind("address", re.compile(r"\d/\d|\d/[A-ZÄÖÜ]"), (
                rule(rf"(?<![\w.])(?P<word>{one_of(PLACES)}) (?P<n>\d{{1,3}}/\d{{1,3}})(?![\w/]|[.,]\d)", self.places),
                rule(r"(?<![\w.])(?P<road>[ABLK]) ?(?P<n>\d{1,4})/(?:(?P<to>[A-ZÄÖÜ][a-zäöüß]{2,30})(?![\w./])"
                     r"|(?=[A-ZÄÖÜ][a-zäöüß]{1,30}str\.))",
                     lambda m: f"{m['road']} {own.cardinal(int(m['n']))}, {m['to'] or ''}"),
            )),
            Kind("time", re.compile(r"\d h\b"), (
                rule(r"(?:(?<=\d\., )|(?<=\d{4}, )|(?<=[MDFS][oira], )|(?<=[MDFS][oira]\., )|(?<=tag, )"
                     r"|(?<=woch, ))(?P<n>[01]?\d|2[0-4]) ?h\b(?! \d)", self.hour),
            )),
            Kind("time", re.compile(r"\d ?h\b"), (
                rule(r"\b(?P<before>(?:[Uu]m|[Aa]b|[Bb]is|[Vv]on|[Gg]egen|gg\.|und) |[–-] ?)(?P<h>[01]?\d|2[0-3])"
                     r"\.(?P<m>[0-5]\d) ?h\b(?! \d)",
                     lambda m: ("bis " if m["before"][0] in "–-" else m["before"].replace("gg.", "gegen"))
                     + own.time(int(m["h"]), int(m["m"]), None, m)),
                rule(r"(?:(?<=\b[MDFS][oira]\. )|(?<=\b[MDFS][oira] ))(?P<n>[6-9]|1\d|2[0-4]) ?h\b"
                     r"(?! (?:\d|[A-ZÄÖÜ]|lang))", self.hour),
                # From 13 on an hour of the day: "ca 19h gehts los".
                rule(r"(?:(?<=\bca )|(?<=\bca\. )|(?<=\bso )|(?<=\bum )|(?<=\bgegen ))(?P<n>1[3-9]|2[0-3]) ?h\b"
                     r"(?= (?:gehts?|los|treff\w*|da|bei|im|am|ist|sind|fängt|beginn\w*|start\w*|komm\w*)\b)",
                     self.hour),
            )),
            Kind("date or time", re.compile(r"\d/\d|\d\. \d"), (
                rule(r"(?:(?<=\b[Bb]is )|(?<=\b[Ss]eit )|(?<=\b[Aa]b )|(?<=\b[Ss]tand )|(?<=\b[Ss]tand: )|(?<=\b[Ii]m )"
                     r"|(?<=\b[Vv]on )|(?<=\bEZ )|(?<=\bEZ: ))(?P<month>0?[1-9]|1[0-2])/(?P<year>(?:19|20)\d\d)"
                     r"(?![\w/]|[.,]\d)",
                     lambda m: f"{own.month_names[int(m['month']) - 1]} {own.year(int(m['year']))}"),
                rule(r"(?P<before>\b(?:[Aa]m|[Vv]om|[Zz]um|[Bb]is|[Aa]b|[Ss]eit|[Dd]en)) (?P<day>[12]?\d|3[01])\. "
                     r"(?P<month>1[0-2]|0?[1-9])\.(?=[ ,;:)]|\Z)(?! ?\d)",
                     lambda m: f"{m['before']} {own.ordinal(int(m['day']), 'n')} {own.ordinal(int(m['month']), 'n')}"
                     f"{ends(m)}"),
                rule(r"(?<![\w.,/])(?P<a>10\d\d)/(?P<b>\d\d)(?![\w/]|[.,]\d)",
                     lambda m: own.season(int(m["a"]), int(m["b"]))
                     if int(m["b"]) == (int(m["a"]) + 1) % 100 else None),
            )),
            Kind("ordinal", re.compile(r": 1\. "), (
                # "Themen: 1. Ziele, 2. Personal": in a list the numbers count.
                rule(r"(?:(?<=: )|(?<=[a-zäöüß\d)], )|(?<=[a-zäöüß\d)]; )|(?<=\bund ))(?P<n>[1-9])\."
                     r"(?= (?!(?:Platz|Rang|Preis|Tag|Liga|Runde|Satz|Halbzeit|Quartal)\b)[A-ZÄÖÜa-zäöüß])",
                     lambda m: f"{own.ordinal(int(m['n']), 'f')}ns"
                     if mentions(LISTED, m.string) and not mentions(RANKING, m.string) else None),
            )),
            Kind("ordinal", re.compile(r"\d\.[?!]"), (
                rule(r"(?<![\w.,])(?P<n>\d{1,3})\.(?=[?!])",
                     lambda m: own.ordinal(int(m["n"]), "n") if BIRTHDAY.search(text_before(m, 28)) else None),
            )),
            Kind("number", re.compile(r"\b1 [MJTQ]"), (
                rule(r"(?<![\w.,-])1(?= (?:Monats|Jahres|Tages|Quartals|Jahrzehnts|Jahrhunderts)\b)", "eines"),
            )),
            Kind("telephone", re.compile(r"-\d"), (
                rule(r"(?<![\w.])(?P<word>Durchw\.|NSt\.|App\.):? ?-?(?P<n>\d{1,5})(?![\w/-]|[.,]\d)",
                     lambda m: {"D": "Durchwahl", "N": "Nebenstelle", "A": "Apparat"}[m["word"][0]]
                     + f" {own.digits(m['n'])}"),
            )),
            Kind("abbreviation", re.compile(r"[A-Za-zäöü]\.|\bmax\b|S\+P"), (
                rule(rf"(?<![\w.])(?P<word>{one_of(RULERS)})(?= (?:(?:{one_of(RULERS)}) )?(?!(?:{OPENERS})\b)"
                     r"(?:[A-ZÄÖÜ][a-zäöüß]{2}|[IVX]{1,4}\b))",
                     lambda m: None if m["word"] == "Chr." and text_before(m, 3)[:1] in "vn" else RULERS[m["word"]]),
                rule(rf"(?<![\w.])(?P<first>[A-ZÄÖÜ][a-zäöüß]{{3,20}})(?P<end>{one_of(ENDS)})(?= [a-zäöüß\d(]|[,:;)])",
                     lambda m: m["first"] + ENDS[m["end"]]),
                rule(r"(?<=[a-zäöüß] )u\. ?a\.(?= \((?:1[6-9]|20)\d\d)|(?<=et )al\.", lambda m: "und andere"
                     if m[0][0] == "u" else "al"),
                rule(r"(?P<before>\b(?i:nächste[rn]?|diese[rn]?|letzte[rn]?|kommende[rn]?|pro|jede|je|vorige)) Wo\.",
                     lambda m: f"{m['before']} Woche{'.' if text_after(m, 4) == ' MfG' else ends(m)}"),
                rule(r"(?:(?<=\bJ\., )|(?<=\bJ\. )|(?<=\bJahre, )|(?<=\bPat\., )|(?<=\bPat\. ))"
                     r"(?P<sex>[mw])\.(?=[,;)])",
                     lambda m: {"m": "männlich", "w": "weiblich"}[m["sex"]]),
                rule(r"(?<![\w.])Tel\.(?= (?:erreich|bin ich|sind wir))", "Telefonisch"),
                rule(r"(?<![\w.])Anl\.(?= [A-Z]\b)", "Anlage"),
                rule(r"(?<![\w.])Th\.:", "Therapie:"),
                rule(r"(?<![\w.])v\. ?(?=\d{1,2}\. ?d\. ?[MJ]\.)", "vom "),
                rule(r"(?<=[a-zäöüß] \()(?P<word>gem|ger|geh|getr|gew|gek|geschn|gestift)\.(?=\)|,)",
                     lambda m: PREPARED[f"{m['word']}."]),
                rule(r"(?P<what>\b(?:vor|nach)) St\.(?= (?:[a-zäöüß(]|\d)|[,;)])", r"\g<what> Steuern"),
                rule(r"(?<![\w.])(?P<what>St|Vz)\.-(?P<noun>Akti\w+)",
                     lambda m: f"{'Stamm' if m['what'] == 'St' else 'Vorzugs'}{m['noun'].casefold()}"),
                rule(r"(?P<before>\b(?:[Zz]um|(?:[mds]ein|ihr|eur|unser)em|runden)) Geb\."
                     r"(?=[!?,;:)]| (?:am|im|mit|und|von)\b)", r"\g<before> Geburtstag"),
                rule(r"(?<=\d\. )Geb\.(?=[!?,;:)]| (?:am|im|mit|und|von)\b)", "Geburtstag"),
                rule(r"(?<![\w.])s\. ?(?=§|Anl\b|Anlage|Anhang|Art\.|Ziff\.|Nr\.|Rn\.)", "siehe "),
                rule(r"(?<![\w.])n\. ?Abspr\.", lambda m: "nach Absprache" + (
                     "." if re.match(r"\s*\Z|\s+[A-ZÄÖÜ]", text_after(m, 4)) else "")),
                rule(r"(?<![\w.])n\. ?(?=Vereinb\.|Absprache|Vereinbarung|Neujahr|Ostern|Weihnachten|Bedarf)",
                     "nach "),
                rule(r"(?<![\w.])(?P<day>Mo|Di|Mi|Do|Fr|Sa|So)\.(?=, (?:Mo|Di|Mi|Do|Fr|Sa|So)\b)",
                     lambda m: own.day_names[m["day"]]),
                rule(r"(?<![\w.])kl\.(?= (?:schneiden|geschnitten|gehackt|hacken|würfeln)\b)", "klein"),
                rule(r"(?:(?<=\bSalz u\. )|(?<=\bSalz und )|(?<=\bSalz, )|(?<=\bSalz & ))Pf\.(?=[ ,;)]|\Z)",
                     "Pfeffer"),
                rule(r"(?<![\w.])(?P<who>Kg|Ks|Hzg|Gf|Bf)\.(?= (?:des|der|von|v\.)\b)"
                     r"|(?<=\b[Zz]um )(?P<to>Kg|Ks|Hzg|Bf)\.(?= [a-zäöüß])",
                     lambda m: RULERS[f"{m['who'] or m['to']}."]),
                rule(r"(?P<before>\b(?:nach|vor|mit|bei|von|zu|aus|seit)) d\.(?= (?P<noun>[A-ZÄÖÜ][a-zäöüß]{2,30}))",
                     lambda m: f"{m['before']} dem" if gender(m["noun"]) in ("m", "n") else None),
                # Behind a greeting it is who writes.
                rule(r"(?:(?<=\b[LlVv][gG] )|(?<=\b[mM]fG )|(?<=\bmfg ))max\b\.?", lambda m: m[0]),
                rule(r"(?<=[.!?] )MfG(?= ?[,\n]|\s+(?:[A-ZÄÖÜ]|i\. ?[AV]\.)|\s*\Z)", "Mit freundlichen Grüßen"),
                rule(rf"(?:(?P<bis>\b[Bb]is )|(?<![\w.]))(?P<s>[sS])pät\.(?=,? (?P<day>{DAY}))", self.latest),
                rule(r"(?:(?<=\b[Dd]ie )|(?<=\b[Ii]hre )|(?<=\bnsere )|(?<=\b[Zz]ur )|(?<=[a-zß], )|(?<=[GK][BG], )"
                     r"|(?<=\bin der )|(?<=\baus der )|(?<=\bvon der )|(?<=\bbei der ))"
                     r"Abt\.(?= [A-ZÄÖÜ][a-zäöüß]|\s*\Z)",
                     lambda m: f"Abteilung{ends(m)}"),
                rule(r"(?<![\w.])(?P<z>[zZ])(?:\. |\.|ur )Verf\.(?! v)", lambda m: f"{m['z']}ur Verfügung{ends(m)}"),
                rule(r"(?<![\w.])a\. ?a\. ?O\.", "am angegebenen Ort"),
            )),
        )  # fmt: skip
