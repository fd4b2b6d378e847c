"""German: its names, how a text in it is known and cut, and its words for numbers and signs."""

from __future__ import annotations

import re

from mlx_tts.text.languages import Language
from mlx_tts.text.normalise.engine import Kind, Rule, one_of, rule, words_of
from mlx_tts.text.normalise.european import European
from mlx_tts.text.normalise.european_rules import EuropeanReader
from mlx_tts.text.normalise.number_words import number_words

ARTICLES = {"die": "f", "eine": "f", "jede": "f", "diese": "f", "seine": "f", "ihre": "f", "meine": "f", "das": "f",
    "der": "f",
            "ein": "r", "sein": "r", "ihr": "r", "mein": "r", "kein": "r", "jeder": "f", "jedes": "f"}  # fmt: skip
DECLINING = frozenset(words_of(
    "am vom zum zur dem den des beim im einem einen einer eines seinem seinen ihrem ihren jedem jeden diesem bis seit "
    "ab nach vor"
))  # fmt: skip
NOUNS = {"f": "Frau Klasse Runde Auflage Etage Minute Stunde Woche Liga Staffel Folge Ausgabe Reihe Stelle Welle "
"Etappe Saison Frage Sitzung Medaille "
        "Niederlage Dynastie Sinfonie Republik Zeile Spalte Ehe",
         "r": "FC SC Sieg Titel Treffer Punkt Marathon Präsident Kanzler Film Roman Lauf Tag Geburtstag Platz Satz "
             "Stock Spieltag Weltkrieg Preis Teil Band Versuch Bezirk Jahrestag "
             "Hochzeitstag Advent",
         "s": "OG UG Obergeschoss Untergeschoss Jahrhundert Kapitel Stockwerk Semester Mal Jubiläum Quartal "
              "Halbjahr Jahr Gebot Saisontor Kind Spiel Buch Album Konzert Rennen Haus Fest Treffen Opfer Mitglied "
              "Land Bild Ziel"}  # fmt: skip
GENDER_OF_NOUN = {noun.casefold(): form for form, nouns in NOUNS.items() for noun in nouns.split()}
# Capitalised words behind "1" that are feminine; most nouns in -e are.
FEMININE_NOUN = re.compile(
    r"(?:\w+(?:ung|heit|keit|schaft|ion|tät|enz|anz|ik|ei|ur|in)|Frau|Person|Stadt|Nacht|Hand|Wand|Tür|Zwiebel|Gabel"
    r"|Regel|Tochter|Mutter|Schwester|Firma|Zahl|Bank|Party|Kartoffel|Mark|Million|Milliarde|Packung|Prise|Dose"
    r"|(?!(?:Name|Junge|Käse|Kunde|Hase|Affe|Löwe|Kollege|Auge|Ende|Interesse|Erbe|Bote|Neffe|Experte|Zeuge|Patiente"
    r"|Gebäude|Getränk\w*|Ge\w+e|\w+(?:kunde|name|ende))\Z)\w+e)"
)
NAMING = frozenset(words_of("Platz Nummer Gleis Kapitel Teil Klasse Band Seite Zimmer Level Stufe Formel Tor Raum "
     "Linie Typ "
    "Phase Woche Tag Station Spur Punkt Artikel Paragraf"))  # fmt: skip
NEUTER_NOUN = re.compile(
    r"\w+(?:chen|lein|ment|um)|(?:\w*(?:[Gg]las|[Pp]fund|[Bb]rot|[Kk]ilo\w*|[Gg]ramm|[Dd]utzend|[Bb]lech|[Ss]tück|"
    r"[Jj]ahr|[Hh]uhn"
    r"|[Ff]ilet|[Dd]utzend)|Ei|Kind|Haus|Auto|Buch|Zimmer|Bier|Wasser|Bund|Mal)"
)
DATIVE = re.compile(r"\b(?:mit|von|zu|aus|bei|nach|seit|vor|in|an|auf|unter|neben)\s+\Z", re.IGNORECASE)
# "mit 1 Frau und 1 Mann": what stands between the preposition and the second thing.
LISTED = re.compile(r"(?:\d{1,4} (?:[a-zäöüß]{2,20} )?[A-ZÄÖÜ][\w-]{1,30}(?:,? (?:und|oder|sowie) |, )){1,4}\Z")
SMALL_BEFORE = frozenset(
    words_of("mit von zu aus bei nach seit vor in an auf unter neben für gegen ohne um durch je ca und oder plus")
)
ACCUSATIVE = re.compile(r"\b(?:gegen|für|durch|ohne|um)\s+\Z", re.IGNORECASE)
MASCULINE_UNIT = re.compile(r"(?:\w*(?:[Ll]iter|[Mm]eter|löffel|[Bb]echer|[Tt]ag|[Mm]onat))\Z")


class German(European):
    """Ordinals: "der dritte", but "am dritten", and "dritter" where no article stands before; years in hundreds."""

    def ordinal(self, number: int, form: str = "f") -> str:
        said = super().ordinal(number, form)
        return re.sub(r"^eine Million", "einmillion", said)

    def day(self, number: int, before: str) -> str:
        before = re.sub(r"(?:\d{1,2}\.(?:,| und| oder| bis|/| ?[–-]) ?)+\Z", "", before)
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
        before = LISTED.sub("", before)
        last = before.split()[-1] if before.split() else ""
        numbered = (
            (last[:1].isupper() and last.isalpha() and last.casefold() not in SMALL_BEFORE and len(before.split()) > 1)
            or last in NAMING
            or re.search(r"\w+\. \Z", before)
        )
        if not noun[:1].isupper() or len(noun) < 3 or numbered or noun.isupper():
            return super().one(noun, before)
        if noun == "Uhr":
            return "ein"
        feminine = FEMININE_NOUN.fullmatch(noun) is not None
        if DATIVE.search(before):
            return "einer" if feminine else "einem"
        return "eine" if feminine else "ein"

    def ordinal_rules(self) -> tuple[Rule, ...]:
        return (
            rule(rf"(?<![\w.,])(?P<n>\d{{1,7}})\.(?= (?:[A-ZÄÖÜ][a-zäöüß]|[A-ZÄÖÜ]{{2}}|[a-zäöü]|(?:und|bis|"
                 rf"oder) \d))(?! "
                 rf"(?:{one_of(self.month_names)})\b)", self._ordinal),
            rule(r"(?<![\w.,])(?P<n>\d{1,4})\.(?= [a-zäöüß]{2})", self._placed),
            rule(r"(?<![\w.,])(?P<n>\d{1,3})\.(?P<more>(?:(?:,| und| oder| bis|,? und) \d{1,3}\.){1,5})(?= [A-ZÄÖÜa-"
                 r"zäöü])",
                 self._listed),
            rule(r"(?<![\w.,-])(?P<n>\d{1,5})-(?P<unit>m|km|kg|g|l|cm|mm|PS|€)-(?P<noun>[A-ZÄÖÜ]\w{0,40})",
                 self._joined_unit),
            rule(r"(?<![\w.,])(?P<n>\d{1,3})\.\+(?P<more>\d{1,2})(?= (?:Spielm|M)inute\b)", self._added_time),
            rule(r"(?<![\w.,-])(?P<day>0?[1-9]|[12]\d|3[01])\.(?P<month>0[1-9]|1[0-2]|[1-9])\.(?=[ ,;)]|\Z)(?! ?[%€])",
                 lambda m: self.said_date(int(m["day"]), int(m["month"]), None, m.string[max(0,
                     m.start() - 14) : m.start()])
                 + ("." if m.end() == len(m.string) else "")),
            rule(r"(?<![\w.,-])(?P<n>\d{1,2})-(?=Zi\.-Whg\.)", lambda m: f"{self.cardinal(int(m['n']))} "),
            rule(r"\b(?P<before>[Uu]m|[Bb]is|[Aa]b|[Gg]egen|[Vv]on) (?P<n>[01]?\d|2[0-4]) ?h\b(?! \d)",
                 lambda m: f"{m['before']} {self.hours.get(int(m['n'])) or self.cardinal(int(m['n']))} Uhr"),
            rule(r"(?<![\w.,/-])(?:1/2|½)(?= (?P<noun>[A-ZÄÖÜ][a-zäöüß]{2,30})\b)", self._half),
            rule(r"(?<![\w.,-])(?P<n>\d{1,3},\d{1,2})-?(?P<noun>(?:fach|prozentig|jährig|stündig|monatig|malig|minütig"
                 r"|metrig)(?:e[nrsm]?)?)(?!\w)",
                 lambda m: self.spoken(m["n"]).replace(" ", "").casefold() + m["noun"]),
            rule(r"(?<![\w.,])(?P<n>\d{1,2})\. (?:Jh\.|Jhd\.|Jhdt\.)", self._century),
            rule(r"(?<![\w.,-])(?P<n>\d{1,3})-?(?P<noun>jährig|fach|mal|er|(?:jährig|fach|tägig|stündig|köpfig"
                 r"|stellig|prozentig|monatig|wöchig|minütig|seitig|teilig|malig|stöckig|türig|sprachig|gängig)"
                 r"(?:e[nrsm]?)?)(?!\w)",
                 lambda m: f"{self.cardinal(int(m['n']), 'm')}{m['noun']}"),
            rule(r"(?<![\w.,-])(?P<n>1[1-9]\d0|20\d0|[2-9]0)er(?P<end>n?)(?![\w-])",
                 lambda m: f"{self.year(int(m['n']))}er{m['end']}"),
            rule(r"(?<![\w.,-])(?P<n>\d{2,4})er[ -]?(?P<noun>Jahren?|Jahre)(?!\w)",
                 lambda m: f"{self.year(int(m['n']))}er {m['noun']}"),
        )  # fmt: skip

    def _ordinal(self, match: re.Match[str]) -> str | None:
        number, before = int(match["n"]), match.string[max(0, match.start() - 14) : match.start()]
        if re.search(
            r"\b(?:Wg|Nr|S|Gl|Zi|Abs|Art|Kap|Abb|Tab|Bd|Seite|Wagen|Gleis|Nummer|Zimmer|Linie|Kapitel)\.? \Z", before
        ):
            return None  # a name, and the end of a sentence
        word = before.split()[-1].casefold() if before.split() and before.endswith(" ") else ""
        noun = re.match(r" (\w+)", match.string[match.end() :])
        of_noun = next(
            (form for ending, form in GENDER_OF_NOUN.items() if noun and noun[1].casefold().endswith(ending)), None
        )
        if word in DECLINING or (word == "der" and DATIVE.search(before[: before.rfind("der")])):
            return self.ordinal(number, "n")
        if word in ARTICLES:
            form = ARTICLES[word]
            return self.ordinal(number, "s" if form == "r" and of_noun == "s" else form)
        return self.ordinal(number, of_noun) if of_noun else None

    def _century(self, match: re.Match[str]) -> str:
        before = match.string[max(0, match.start() - 6) : match.start()].split()
        form = "n" if before and before[-1].casefold() in DECLINING else ARTICLES.get(before[-1] if before else "", "s")
        ends = "." if not match.string[match.end() :].strip() else ""
        genitive = "s" if before and before[-1].casefold() in ("des", "eines") else ""
        return f"{self.ordinal(int(match['n']), form)} Jahrhundert{genitive}{ends}"

    def _listed(self, match: re.Match[str]) -> str:
        """ "in der 12., 44. und 90. Minute": all in the form of the first."""
        before = match.string[max(0, match.start() - 14) : match.start()]
        word = before.split()[-1].casefold() if before.split() and before.endswith(" ") else ""
        dative = word in DECLINING or (word == "der" and DATIVE.search(before[: before.rfind("der")]))
        form = "n" if dative or word in ("die", "den") else ARTICLES.get(word, "r")
        return re.sub(r"(\d+)\.", lambda n: self.ordinal(int(n[1]), form), match[0])

    def _joined_unit(self, match: re.Match[str]) -> str:
        unit = {"PS": "P S", "€": "Euro"}.get(match["unit"]) or self.unit_names[match["unit"]].split("|")[0]
        return f"{self.cardinal(int(match['n']))}-{unit}-{match['noun']}"

    def _added_time(self, match: re.Match[str]) -> str:
        """ "in der 90.+2 Minute"."""
        return f"{self._ordinal(match)} plus {self.cardinal(int(match['more']))}"

    def _half(self, match: re.Match[str]) -> str:
        noun = match["noun"]
        if FEMININE_NOUN.fullmatch(noun):
            return "eine halbe"
        return "ein halbes" if NEUTER_NOUN.fullmatch(noun) else "ein halber"

    def _placed(self, match: re.Match[str]) -> str | None:
        """A full stop in the midst of a sentence: "wurde 2. bei", "den 3. und 4."."""
        before = match.string[max(0, match.start() - 24) : match.start()]
        word = before.split()[-1].casefold() if before.split() and before.endswith(" ") else ""
        if word in DECLINING or word in ARTICLES:
            return self._ordinal(match)
        said = self.ordinal(int(match["n"]), "f" if re.search(r"\b[Ss]ie (?:\w+ )?\Z", before) else "r")
        return said[:1].upper() + said[1:]

    def own_kinds(self) -> tuple[Kind, ...]:
        return (
            Kind(
                "match",
                re.compile(r"\bMin\."),
                (
                    rule(
                        r"(?<=\d\. )(?:Spielm|M)in\.(?P<end>\s*\Z)?",
                        lambda m: "Minute." if m["end"] is not None else "Minute",
                    ),
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
        return "Satz " if re.search(r"\bAbs\. ?\d+[a-z]? \Z", match.string[: match.start()][-16:]) else None

    def _street(self, match: re.Match[str]) -> str:
        return f"{match['name']}straße" + ("" if match.string[match.end() :].strip() else ".")


WORDS = German(
    code="de",
    article="(?:dem|den|der) ", weekday_ends=",", ordinal_noun_form="r",
    genders={"m": "cardinal-masculine", "f": "cardinal-feminine", "n": "cardinal-neuter"},
        numbering="numbering",
    ordinals={"f": "ordinal", "m": "ordinal-r", "r": "ordinal-r", "n": "ordinal-n", "s": "ordinal-s"},
    date="{day} {month}", date_year=" {year}", written_date=r"DAY\.? ?MONTH(?: YEAR)?", clock="{hour} Uhr {minute}",
    full_hour="{hour} Uhr", with_seconds="{hours} {minutes} {seconds}", hours={1: "ein"},
        short_days="Mo Di Mi Do Fr Sa So",
    hour_sign=r":|\.(?=\d\d ?Uhr(?![\d:]))", hour_words=r"(?: ?Uhr\b| ?h\b)?", to="bis", minus="minus", plus="plus",
        point="Komma",
    dot="Punkt", percent="Prozent|Prozent", with_cents="{money} {number}", half="ein halber|eine halbe",
        and_half="einhalb",
    parts={2: "halb|halbe", 3: "Drittel|Drittel", 7: "Siebtel|Siebtel", 8: "Achtel|Achtel",
        100: "Hundertstel|Hundertstel",
           1000: "Tausendstel|Tausendstel"},
    over="durch", times="mal", by="mal", equals="gleich", per="pro", hashtag="Hashtag", score="{a} zu {b}",
    centuries=(), ordinal_nouns=r"Weltkrieg",
        feminine=r"(?:\w*(?:Meile|Unze|Tonne|Stunde|Minute|Sekunde|Kalorie|Million|Milliarde|Billion|stunde))\b",
    scales={"Mio.": "Million|Millionen", "Mio": "Million|Millionen", "Mrd.": "Milliarde|Milliarden",
        "Mrd": "Milliarde|Milliarden",
            "Bio.": "Billion|Billionen", "Tsd.": "tausend|tausend", "Million": "Million|Millionen",
                "Milliarde": "Milliarde|Milliarden",
            "Mill.": "Million|Millionen"},
    scale_words=("Millionen", "Milliarden", "Billionen", "Tausend"),
    abbreviations={"z. B.": "zum Beispiel", "z.B.": "zum Beispiel", "d. h.": "das heißt", "d.h.": "das heißt",
                   "usw.": "und so weiter", "bzw.": "beziehungsweise", "u. a.": "unter anderem",
                       "u.a.": "unter anderem", "u.": "und", "Vj.": "Vorjahr", "Ecke": "Ecke", "li.": "links",
                       "re.": "rechts", "Grundst.": "Grundstück", "Whg.": "Wohnung", "gegr.": "gegründet",
                       "Min.-Präs.": "Ministerpräsident", "tgl.": "täglich", "Temp.": "Temperatur",
                       "Pat.": "Patient", "Ri.": "Richtung", "zw.": "zwischen", "Halbj.": "Halbjahr",
                       "betr.": "betreffs",
                       "Betr.": "Betreff", "Rg.": "Rechnung", "od.": "oder", "Pkt.": "Punkte",
                       "Rg.-Nr.": "Rechnungsnummer", "Kd.-Nr.": "Kundennummer", "Bhf.": "Bahnhof",
                       "öffentl.": "öffentlich",
                       "möbl.": "möbliert", "wöchentl.": "wöchentlich", "durchschn.": "durchschnittlich",
                       "Std": "Stunden",
                       "Dipl.-Kfm.": "Diplomkaufmann", "Tsd.": "Tausend",
                   "ca.": "circa", "Nr.": "Nummer", "Dr.": "Doktor", "Prof.": "Professor", "Hr.": "Herr",
                       "Hrn.": "Herrn", "Fr.": "Frau",
                   "Str.": "Straße", "evtl.": "eventuell", "ggf.": "gegebenenfalls", "vgl.": "vergleiche",
                       "Vgl.": "Vergleiche",
                   "inkl.": "inklusive", "exkl.": "exklusive", "zzgl.": "zuzüglich", "§": "Paragraf",
                       "§§": "Paragrafen", "Tel.": "Telefon",
                   "max.": "maximal", "min.": "minimal", "etc.": "et cetera", "Pers.": "Personen", "Jh.": "Jahrhundert",
                   "v. Chr.": "vor Christus", "n. Chr.": "nach Christus", "v.Chr.": "vor Christus",
                       "n.Chr.": "nach Christus",
                   "Gem.": "gemäß", "gem.": "gemäß", "St.": "Sankt", "Mio.": "Millionen", "Mrd.": "Milliarden",
                       "o. Ä.": "oder Ähnliches",
                   "u. U.": "unter Umständen", "i. d. R.": "in der Regel", "z. T.": "zum Teil", "z.T.": "zum Teil",
                       "s. o.": "siehe oben",
                   "s. u.": "siehe unten", "geb.": "geboren", "gest.": "gestorben", "verh.": "verheiratet",
                       "lt.": "laut",
                   "Bd.": "Band", "Hbf.": "Hauptbahnhof", "Hbf": "Hauptbahnhof", "Std.": "Stunden", "Min.": "Minuten",
                       "Sek.": "Sekunden",
                   "MwSt.": "Mehrwertsteuer", "Mwst.": "Mehrwertsteuer", "bzgl.": "bezüglich", "Fa.": "Firma",
                       "Dipl.-Ing.": "Diplomingenieur",
                   "EL": "Esslöffel", "TL": "Teelöffel", "Pck.": "Päckchen", "Msp.": "Messerspitze",
                       "allg.": "allgemein", "Zi.-Whg.": "Zimmerwohnung", "-Zi.-Whg.": "-Zimmerwohnung",
                       "Bj.": "Baujahr", "NK": "Nebenkosten", "rd.": "rund", "monatl.": "monatlich",
                       "jährl.": "jährlich", "tägl.": "täglich",
                   "ff.": "folgende", "i. A.": "im Auftrag", "i.A.": "im Auftrag", "i. V.": "in Vertretung",
                   "i.V.": "in Vertretung",
                   "MfG": "mit freundlichen Grüßen", "bspw.": "beispielsweise", "insb.": "insbesondere",
                   "v. a.": "vor allem",
                   "v.a.": "vor allem", "u. Ä.": "und Ähnliches", "o. g.": "oben genannt", "z. Zt.": "zurzeit",
                   "z. Hd.": "zu Händen",
                   "a. D.": "außer Dienst", "ehem.": "ehemals", "Einw.": "Einwohner", "stellv.": "stellvertretend",
                   "s. Abb.": "siehe Abbildung", "s. S.": "siehe Seite", "s. Kap.": "siehe Kapitel",
                   "s. Tab.": "siehe Tabelle",
                   "Hausnr.": "Hausnummer", "Tel.-Nr.": "Telefonnummer", "Zt.": "Zeit", "m. E.": "meines Erachtens",
                   "u. s. w.": "und so weiter"},
    before_numbers={"S.": "Seite", "Abs.": "Absatz", "Art.": "Artikel", "Kap.": "Kapitel", "Abb.": "Abbildung",
        "Bd.": "Band",
                    "Tab.": "Tabelle", "km": "Kilometer", "Az.": "Aktenzeichen", "Zi.": "Zimmer", "Whg.": "Wohnung",
                    "Kl.": "Klasse", "Aufl.": "Auflage", "v.": "vom", "Wg.": "Wagen", "Gl.": "Gleis",
                    "Ausf.": "Ausfahrt"},
    enders=("usw.", "etc."), titles=("Dr.", "Prof.", "Hr.", "Hrn.", "Fr.", "St.", "Dipl.-Ing."),
    money={"€": "Euro|Euro|Cent|Cent", "$": "Dollar|Dollar|Cent|Cent", "£": "Pfund|Pfund|Pence|Pence",
        "¥": "Yen|Yen|Sen|Sen",
           "EUR": "Euro|Euro|Cent|Cent", "Euro": "Euro|Euro|Cent|Cent",
               "CHF": "Schweizer Franken|Schweizer Franken|Rappen|Rappen",
           "USD": "US-Dollar|US-Dollar|Cent|Cent", "US$": "US-Dollar|US-Dollar|Cent|Cent",
               "Dollar": "Dollar|Dollar|Cent|Cent", "Cent": "Cent|Cent|Cent|Cent", "Ct": "Cent|Cent|Cent|Cent",
           "ct": "Cent|Cent|Cent|Cent", "US-Dollar": "US-Dollar|US-Dollar|Cent|Cent"},
    nouns_have_capitals=True, divided="geteilt durch", power="hoch",
    per_words={"Tag": "Tag", "Woche": "Woche", "Monat": "Monat", "Jahr": "Jahr", "Person": "Person", "Std.": "Stunde"},
    short_month_words="[Ii]m|Anfang|Ende|Mitte|[Ss]eit|[Bb]is", pressure_words="Blutdruck|RR|Druck",
    pressure="{a} zu {b}",
    units={"mmHg": "Millimeter Quecksilbersäule|Millimeter Quecksilbersäule",
        "mm Hg": "Millimeter Quecksilbersäule|Millimeter Quecksilbersäule", "Std.": "Stunde|Stunden",
            "Min.": "Minute|Minuten", "Sek.": "Sekunde|Sekunden", "EL": "Esslöffel|Esslöffel",
           "TL": "Teelöffel|Teelöffel", "km/s": "Kilometer pro Sekunde|Kilometer pro Sekunde",
               "qm": "Quadratmeter|Quadratmeter",
           "Pers.": "Person|Personen", "Mbit/s": "Megabit pro Sekunde|Megabit pro Sekunde",
           "MBit/s": "Megabit pro Sekunde|Megabit pro Sekunde",
               "Gbit/s": "Gigabit pro Sekunde|Gigabit pro Sekunde", "ppm": "Teil pro Million|Teile pro Million",
               "Pa": "Pascal|Pascal", "atm": "Atmosphäre|Atmosphären", "mol": "Mol|Mol", "J.": "Jahr|Jahre",
               "Wo.": "Woche|Wochen", "Mon.": "Monat|Monate", "bar": "Bar|Bar", "PS": "P S|P S",
               "Jh.": "Jahrhundert|Jahrhunderte",
           "Pkg.": "Packung|Packungen", "Pck.": "Päckchen|Päckchen", "St.": "Stück|Stück", "dB": "Dezibel|Dezibel",
               "Stk.": "Stück|Stück"},
    web={"²": "hoch zwei", "³": "hoch drei", ".": "Punkt", "-": "Strich", "_": "Unterstrich", "/": "Schrägstrich",
        ":": "Doppelpunkt", "@": "at", "+": "plus", "&": "und",
         "~": "Tilde", "=": "gleich", "%": "Prozent", "#": "Raute"},
    rulers=[f"{name}{end}" for name in ("Ludwig", "Karl", "Heinrich", "Friedrich", "Wilhelm", "Otto", "Johannes",
        "Papst", "Elisabeth", "Georg",
        "Leopold", "Franz", "Joseph", "Maximilian", "Katharina", "Peter", "Alexander", "Nikolaus", "Benedikt", "Pius",
        "Paul", "Philipp", "Gustav", "Christian", "Rudolf", "Konrad", "Albert", "August", "Napoleon",
            "Clemens") for end in ("", "s")],
    numbered_nouns=("Teil", "Kapitel", "Band", "Akt", "Typ", "Klasse", "Artikel", "Phase", "Stufe", "Weltkrieg",
        "Hartz", "Nr."),
    date_words=r"(?:am|vom|bis zum|zum|bis|seit|ab|den)",
    score_words=r"(?:gewann|gewinnt|gewannen|siegte|siegten|verlor|verloren|schlug|besiegte|stand es|steht es|"
        r"führte|endete|unterlag|unterlagen|spielte|trennten sich|Ergebnis:)",
    telephone_words="Tel\\.|Telefon|Fax|Mobil|Handy|ruf|Notruf|anrufen unter|unter der Nummer",
    fixed={"50/50": "fünfzig fünfzig", "24/7": "vierundzwanzig sieben"},
    measure_words="Liter Kilo Stunde Tasse Teelöffel Esslöffel Dutzend Glas Päckchen Flasche",
    chat={"lg": "liebe Grüße", "vg": "viele Grüße", "mfg": "mit freundlichen Grüßen", "hdl": "hab dich lieb",
        "kp": "kein Plan", "ka": "keine Ahnung",
          "vlt": "vielleicht", "evtl": "eventuell", "nix": "nichts", "bb": "bis bald", "bd": "bis dann",
              "gn8": "gute Nacht", "wg": "wegen",
          "thx": "danke", "pls": "bitte", "iwie": "irgendwie", "iwann": "irgendwann", "jmd": "jemand",
              "zb": "zum Beispiel", "mMn": "meiner Meinung nach"},
)  # fmt: skip
LANGUAGE = Language(
    name="german",
    spellings="de deu ger deutsch",
    common_words="der die das und ist nicht ein eine zu den mit sich des auf für von dem im es auch als an werden aus "
    "er hat dass sie nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder "
    "aber vor zur bis mehr ich wir",
    own_letters="ß",
    sentences="de",
    sample="Hast du heute Nacht den Regen gehört? Um Mitternacht fing er an, und am Morgen glänzte der ganze "
    "Garten. Ich machte mir einen Tee und sah den Vögeln zu.",
    everyday=(
        "Heute Morgen lag noch Nebel über den Feldern.",
        "Können Sie mir sagen, wann der nächste Zug fährt?",
        "Meine Schwester backt am Sonntag immer einen Kuchen.",
        "Das alte Haus am Fluss steht schon lange leer.",
        "Vielen Dank, das war wirklich sehr freundlich von Ihnen!",
    ),
    recognise=EuropeanReader(WORDS),
)
