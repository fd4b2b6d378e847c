"""German short forms of recipes, charts, timetables and flats, which the words next to them explain -> words."""

from __future__ import annotations

import re

from mlx_tts.text.languages.german.adjectives import gender
from mlx_tts.text.languages.german.grammar import ends
from mlx_tts.text.languages.german.nouns import FEMININE_NOUN
from mlx_tts.text.normalise.engine import Kind, mentions, one_of, rule, text_after, text_before
from mlx_tts.text.normalise.european import European
from mlx_tts.text.roman import value

CLINIC = re.compile(
    r"\b(?:Befund|Diagn|Pat\.|Patient|Z\. ?n\.|CRP|RR|Rö|CT|MRT|Thorax|Anamnese|Ther|Th\.|Leukos|mmHg|EKG)(?!\w)"
)
COOKING = re.compile(r"\b(?:EL|TL|Prise|Pr\.|Zwiebeln?|Knobl\w*|Ofen|Pfanne|schälen|würzen|backen|braten|anbraten)\b")
# What is done to food closes a clause, so that what stands before it is the object.
DONE = re.compile(
    r"(?: (?!(?:wird|werden|wurde|wurden|ist|sind|kommt|kommen|zum|beim)\b)[^\s.!?;:]{1,24}){0,9} "
    r"(?!(?:reichen|genügen|fehlen|bleiben|machen|werden|können|müssen|sollen|dürfen|sollten|neben|zwischen|kosten)\b)"
    r"[a-zäöüß]{3,}(?:en|ern|eln)(?:[.!;)]|,(?= [\d½¼⅛a-zäöüß])|, (?:dann|danach|anschließend|bis)\b"
    r"| und (?:[^.!?;:]|(?:Min|Std|ca)\.){1,60}en[.!;]|\s*\Z)"
)
DATIVE = re.compile(r"\b(?i:mit|aus|von|bei|nach|zu|in|auf|je) (?:[^.;:!?]{1,60} )?\Z")
DAYS = "Mo|Di|Mi|Do|Fr|Sa|So"
SPOONS = {"TL": "Teelöffel", "EL": "Esslöffel"}
SIZES = {"gr": "groß", "kl": "klein", "mittl": "mittler"}
TITLES = r"(?:Papst|Kaiser|König|Zar|Herzog|Kurfürst|Großherzog|Fürst|Kaiserin|Königin|Zarin)"
MONTHS = r"Jan|Feb|März|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez"
# What is left out of a word next to a number or a small word.
FLAT_PARTS = {"DG": "Dachgeschoss", "EG": "Erdgeschoss", "OG": "Obergeschoss", "Neubau": "Neubau", "Altbau": "Altbau"}
# A word that is cut short -> the whole one, where a number or one of these words follows.
FOLLOWED = (
    ("Abf", "Abfahrt", r":? \d"), ("Ank", "Ankunft", r":? \d"),
    ("Umst", "Umstieg", r" in "), ("Kt", "Kaution", r":? \d"),
    ("verk", "verkehrt", r" (?:nur|die|der|das|alle|von|täglich|stdl\.|zw\.|zwischen|nicht)\b"),
    ("durchg", "durchgehend", r"(?: alle| bis| von| geöffnet| warm|[,;)])"), ("Sen", "Senioren", r" (?:ab |\()"),
    ("außerd", "außerdem", r" "), ("Blk", "Balkon", r"[,;)]| [a-zäöüß]"),
    ("Kellerabt", "Kellerabteil", r"[,;)]| [a-zäöüß]"), ("Nachm", "Nachmieter", r" (?:ges\.|gesucht)"),
    ("Rö-Thorax-Ktr", "Röntgen-Thorax-Kontrolle", r" "), ("Ktr", "Kontrolle", r" (?:in|am|nach|bei)\b"),
)  # fmt: skip
SHORT = {word: (said, behind) for word, said, behind in FOLLOWED}


class MoreNotices:
    """The rules for a language's words. Methods are named after what they say."""

    def __init__(self, own: European):
        self.own = own

    def short(self, match: re.Match[str]) -> str | None:
        said, behind = SHORT[match["word"]]
        if match["word"] == "verk" and text_before(match, 3).casefold() == "zu ":
            return None  # for sale
        return said if re.match(behind, text_after(match, 24)) else None

    def two_days(self, match: re.Match[str]) -> str:
        """ "am 17./18. Dez."."""
        own = self.own
        before = text_before(match, 14)
        month = next(name for name in own.month_names if name.startswith(match["month"]))
        year = f" {own.year(int(match['year']))}" if match["year"] else ""
        stop = "" if match["year"] or not match[0].endswith(".") else ends(match)
        first, last = (own.day(int(match[name]), before) for name in ("n", "m"))
        return f"{first} und {last} {month}{year}{stop}"

    def spoonful(self, match: re.Match[str]) -> str | None:
        """ "1/2 TL Salz und 1 EL Öl verrühren": an infinitive has objects."""
        if not DONE.match(match.string[match.end() : match.end() + 160]) or DATIVE.search(
            re.split(r"[a-zäöüß]{3}en, ", text_before(match, 80))[-1]
        ):
            return None
        return ("einen " if match["n"] == "1" else "einen halben ") + SPOONS[match["spoon"]]

    def sized(self, match: re.Match[str]) -> str:
        """ "1 gr. Zwiebel", "2 kl. Äpfel"."""
        number, noun, stem = match["n"], match["noun"], SIZES[match["size"]]
        if number != "1":
            return f"{self.own.cardinal(int(number))} {stem}e"
        feminine = FEMININE_NOUN.fullmatch(noun) is not None
        if re.search(r"\b(?:mit|in|aus|von|auf|zu|bei) \Z", text_before(match, 5)):
            return f"eine{'r' if feminine else 'm'} {stem}en"
        if feminine:
            return f"eine {stem}e"
        return f"ein {stem}{'es' if gender(noun) == 'n' else 'er'}"

    def ruler(self, match: re.Match[str]) -> str:
        """The preposition before the title rules the case: "unter Kaiser Friedrich II."."""
        said = self.own.regnal(value(match["numeral"]), match["name"], f"{match['by']} ")
        return f"{match['by']} {match['title']} {match['name']} {said}{ends(match)}"

    def week(self, match: re.Match[str]) -> str:
        """ "Mo-Fr 8-12 Uhr": from day to day, and from hour to hour."""
        own = self.own
        said = f"{own.day_names[match['a']]} bis {own.day_names[match['b']]}"
        if match["h"]:
            return f"{said}{match['mark']} {own.cardinal(int(match['h']))} bis {own.cardinal(int(match['h2']))} Uhr"
        return said

    def departure(self, match: re.Match[str]) -> str | None:
        """ "Abf. 6.12, 7.12, dann bis 22.12": all of them are times."""
        if not re.search(r"\b(?:Abf|Ank|Abfahrt|Ankunft)\b\.?:? \d[\d., a-zäöü]{0,60}\Z", text_before(match, 80)):
            return None
        return (match["by"] or "") + self.own.time(int(match["h"]), int(match["m"]), None, match)

    def flat(self, match: re.Match[str]) -> str:
        """ "3½-Zi.-DG-Whg."."""
        number = self.own.cardinal(int(match["n"]), "m") + ("einhalb" if match["half"] else "")
        number = "eineinhalb" if number == "eineinhalb" or (match["n"] == "1" and match["half"]) else number
        part = f"{FLAT_PARTS[match['part']]}-" if match["part"] else ""
        return f"{number[0].upper()}{number[1:]}zimmer-{part}Wohnung{ends(match)}"

    def decade(self, match: re.Match[str]) -> str:
        end = "n" if re.search(r"\bden \Z", text_before(match, 5)) else ""
        return f"{self.own.year(int(match['n']))}er-Jahre{end}"

    def kinds(self) -> tuple[Kind, ...]:
        own = self.own
        return (
            Kind("notice", re.compile(
                r"[a-zäöü]\.[: ,;)/-]|[1½2] [ET]L\b|Prozentp|\./\d|Knobl|[½2] Bd\.|S\+P|O/U|7-?m|\b[niVbf]\. "
                r"|(?:Mo|D[io]|Mi|Fr|S[ao])\.? ?[-–]|lap\.|red\.|adip\.|\bWV\b|\b(?:RE|RB|IC|ICE|EC|Bus|Tram|Linie) 1 "
                r"|[IVX]\b|er-J\.|\d\.\d\d[,;]|-Zi|\d S\.|i\.v\."
            ), (
                rule(rf"(?<![\w.])(?P<word>{one_of(SHORT)})\.", self.short),
                rule(r"(?<![\w.])(?P<m>Jan|Febr?|Aug|Sept?|Okt|Nov|Dez)\.(?=: ?\d)",
                     lambda m: next(name for name in own.month_names if name.startswith(m["m"][:3]))),
                rule(r"(?<![\w.,/-])(?P<n>1|1/2|½) (?P<spoon>[ET]L)(?= [A-ZÄÖÜa-z])", self.spoonful),
                rule(r"(?<=\d )Prozentp(?:kte?|te?)?\.", lambda m: f"Prozentpunkte{own.sentence_stop(m)}"),
                rule(r"(?<![\w.,-])(?P<n>[12]?\d|3[01])\./(?P<m>[12]?\d|3[01])\. ?"
                     rf"(?P<month>{MONTHS})[a-z]{{0,7}}\.?(?: (?P<year>[12]\d{{3}})(?!\w))?", self.two_days),
                rule(r"(?:(?<=mehlig )|(?<=mehl\. )|(?<=vorw\. ))k\.(?=[,;)]| )", "kochend"),
                rule(r"(?<![\w.,/-])(?P<n>[1-4]) (?P<size>gr|kl|mittl)\.(?= (?P<noun>[A-ZÄÖÜ][a-zäöüß]{2,30}))",
                     self.sized),
                rule(r"(?<![\w.])Knobl\.(?:(?P<clove>-?[Zz]ehen?)|(?=[ ,;)]))",
                     lambda m: "Knoblauch" + (m["clove"].lstrip("-").casefold() if m["clove"] else "")),
                rule(r"(?<![\w/])(?:½|1/2) Bd\.(?= [A-ZÄÖÜ])", "ein halbes Bund"),
                rule(r"(?<![\w+])S ?[+&] ?P(?=[,.;)]| )",
                     lambda m: "Salz und Pfeffer" if mentions(COOKING, m.string) else None),
                rule(r"(?<![\w/])O/U-Hitze", "Ober- und Unterhitze"),
                rule(r"(?<![\w.])n\.(?= (?:ca\. )?\d{1,3}(?:[-–]\d{1,3})? (?:Min|Std|Stunden?|Tagen?|Tg|Wo|Wochen|Mon"
                     r"|Monaten|J|Jahren)\b)", "nach"),
                rule(r"(?:(?<=Min\. )|(?<=Std\. ))m\.(?= [A-ZÄÖÜ][a-zäöüß]{3})", "mit"),
                # Of so many throws from seven metres.
                rule(r"(?<![\w.,/])(?P<n>\d{1,2})/(?P<m>\d{1,2}) (?:7-?m|Siebenmetern?)(?!\w)",
                     lambda m: f"{own.cardinal(int(m['n']))} von {own.cardinal(int(m['m']))} Siebenmetern"),
                rule(r"(?<![\w.])n\. ?V\.(?= (?:mit )?\d{1,3}:\d)", "nach Verlängerung"),
                rule(r"(?<![\w.])n\. ?E\.(?= (?:mit )?\d{1,3}:\d)|(?<=\d )n\. ?E\.",
                     lambda m: f"nach Elfmeterschießen{ends(m)}"),
                rule(r"(?<![\w.])lap\.(?= (?:CHE|Chole|AE|Append|Cholezyst|Hernien|Sigma))", lambda m: "laparoskopische"
                     + ("r" if re.search(r"(?:\b(?:n\.|nach|mit|bei|zur)) \Z", text_before(m, 6)) else "")),
                rule(r"(?<![\w.])V\. ?a\.(?= )", lambda m: "Verdacht auf" if mentions(CLINIC, m.string) else None),
                rule(r"(?<=\bAZ )red\.", lambda m: f"reduziert{own.sentence_stop(m)}"),
                rule(r"(?<=\bEZ )adip\.", lambda m: f"adipös{own.sentence_stop(m)}"),
                rule(r"(?:(?<=g )|(?<=ml )|(?<=IE )|(?<=gabe ))(?P<way>i\. ?v\.|i\. ?m\.|s\. ?c\.|p\. ?o\.)",
                     lambda m: {"iv": "intravenös", "im": "intramuskulär", "sc": "subkutan", "po": "per os"}[
                         re.sub(r"[. ]", "", m["way"])] + ends(m)),
                rule(r"(?<![\w.])WV(?= (?:b\.|bei|beim|am|in)(?!\w))",
                     lambda m: "Wiedervorstellung" if mentions(CLINIC, m.string) else None),
                rule(r"(?<=[A-Za-zäöüß] )b\.(?= (?:Hausarzt|Facharzt|Arzt|Kardiologen|Orthopäden|Neurologen))", "beim"),
                rule(r"(?:(?<=[A-Za-zäöüß] )|(?<=ges\. ))f\.(?= (?:Q[1-4]\b|\d{1,2}(?:½|,5)?-Zi))"
                     r"|(?<=[a-z]\. )f\.(?= \d)", "für"),
                rule(r"(?P<what>\b(?:max\.|ca\.|insg\.|je|umfasst|rund)) (?P<n>\d{1,3}) S\.(?=[,;)]| [a-zäöüß])",
                     lambda m: f"{own.abbreviations.get(m['what'], m['what'])} {own.cardinal(int(m['n']))} Seiten"),
                rule(r"(?:(?<=\blt\. )|(?<=\blaut )|(?<=\bder )|(?<=\bdie ))Abt\.(?= [A-ZÄÖÜ][a-z]{0,8}[A-Z])",
                     "Abteilung"),
                rule(rf"(?<![\w.])(?P<by>(?i:unter|von|mit|bei|nach|zu|aus|seit|gegen|für|durch)) (?P<title>{TITLES}) "
                     r"(?P<name>[A-ZÄÖÜ][a-zäöüß]{2,14}) (?P<numeral>(?=[IVX])X{0,3}(?:IX|IV|V?I{0,3}))\.", self.ruler),
                rule(r"(?<![\w.,-])(?P<n>[2-9]0|1[1-9]\d0)er-?J\.(?= [a-zäöüß])", self.decade),
                rule(r"(?<![\w.])(?P<way>Abf|Ank)\.(?P<mark>:?) (?P<h>[01]?\d|2[0-3])[.:](?P<m>[0-5]\d)"
                     r"(?: ?Uhr)?(?!\w|[.,:]\d)",
                     lambda m: f"{'Abfahrt' if m['way'] == 'Abf' else 'Ankunft'}{m['mark']} "
                     f"{own.time(int(m['h']), int(m['m']), None, m)}"),
                rule(rf"(?<![\w.–-])(?P<a>{DAYS})\.? ?[-–] ?(?P<b>{DAYS})(?![\w–-])\.?"
                     r"(?:(?P<mark>[:,]?) (?P<h>[01]?\d|2[0-4]) ?[-–] ?(?P<h2>[01]?\d|2[0-4]) ?(?:Uhr|h)(?!\w)"
                     r"|(?= (?:ab|von|bis|um|geschlossen|geöffnet|nur|frei|zu)\b))", self.week),
                rule(r"(?P<by>\bbis )?(?<![\w.,:])(?P<h>[01]?\d|2[0-3])\.(?P<m>[0-5]\d)(?=[,;](?!\d)| u\.| und\b)",
                     self.departure),
                rule(r"(?<![\w.])(?P<a>Mo|Di|Mi|Do|Fr|Sa|So)\.?/(?P<b>Mo|Di|Mi|Do|Fr|Sa|So)\.(?! ?\d)",
                     lambda m: f"{own.day_names[m['a']]}, {own.day_names[m['b']]}{ends(m)}"),
                rule(r"(?:(?<=Nachm\. )|(?<=Nachmieter )|(?<=mieter )|(?<=Whg\. )|(?<=hilfe ))ges\."
                     r"(?= f\.| für| ab| zum|[,;)]|\s*\Z)", lambda m: f"gesucht{ends(m)}"),
                rule(r"(?<![\w.,])(?P<n>[1-9])(?P<half>½|,5)?-Zi\.?-(?:(?P<part>DG|EG|OG|Neubau|Altbau)-)Whg\.",
                     self.flat),
                rule(r"(?<![\w.,])(?P<n>[1-9])(?P<half>½)-Zi\.?-(?P<part>)Whg\.", self.flat),
                rule(r"(?:(?<=inkl\. )|(?<=mit )|(?<=m\. )|(?<=u\. )|(?<=und ))Matr\.(?= (?:f\.|für|u\.|und)|[,;)])",
                     "Matratze"),
                rule(r"(?<![\w.])(?P<train>RE|RB|IC|ICE|EC|Bus|Tram|Linie) 1(?= [A-ZÄÖÜ])", r"\g<train> eins"),
                rule(r"(?<=\b[Bb]ei )Int\.(?=[ ,:])", "Interesse"),
            )),
        )  # fmt: skip
