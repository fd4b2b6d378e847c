"""How German says a number by what stands beside it: gender, case, and whether a full stop is an ordinal's."""

from __future__ import annotations

import re

from mlx_tts.text.languages.german.everyday import counts_small, small_one
from mlx_tts.text.languages.german.nouns import (
    FEMININE_NOUN,
    MASCULINE_UNIT,
    NAMING,
    NEUTER_NOUN,
)
from mlx_tts.text.normalise.engine import text_after, text_before, words_of
from mlx_tts.text.normalise.european import European
from mlx_tts.text.normalise.number_words import number_words

ARTICLES = {"die": "f", "eine": "f", "jede": "f", "diese": "f", "seine": "f", "ihre": "f", "meine": "f", "das": "f",
    "der": "f", "fürs": "f", "ins": "f", "aufs": "f", "durchs": "f", "ums": "f",
            "ein": "r", "sein": "r", "ihr": "r", "mein": "r", "kein": "r", "jeder": "f", "jedes": "f",
            "dieser": "f"}  # fmt: skip
DECLINING = frozenset(words_of(
    "v. am vom zum zur dem den des beim im einem einen einer eines seinem seinen ihrem ihren jedem jeden diesem bis "
    "seit ab nach vor meinen deinen unseren euren keinen diesen meinem deinem unserem d. "
    "seiner ihrer meiner deiner unserer eurer keiner"
))  # fmt: skip
DATIVE = re.compile(
    r"\b(?:mit|von|zu|aus|bei|nach|seit|vor|in|an|auf|unter|neben|ab|hinter|während|innerhalb)\s+\Z", re.IGNORECASE
)
MEASURED_DATIVE = re.compile(r"\b(?i:mit|von|aus|bei|nach|seit|zu|in|binnen) (?:etwa |rund |ca\. |nur )?\Z")
PART_DATIVE = re.compile(
    r"(?:\bm\.|\bv\.|\b(?:mit|von|zu|aus|bei|nach|seit))\s+(?:etwa\s+|rund\s+|nur\s+)?\Z", re.IGNORECASE
)
# "mit 1 Frau und 1 Mann": what stands between the preposition and the second thing.
LISTED = re.compile(
    r"(?:(?:\d{1,4}|½|1/2) ?(?:(?:k?g|[mcd]?l) )?(?:[a-zäöüß]{2,20} )?[A-ZÄÖÜ][\w-]{1,30}(?:\.? [A-ZÄÖÜ][\w-]{1,30})?"
    r"(?: (?:fra[iî]che|double|légère|natur))?(?: \([^()]{1,30}\))?"
    r"(?:,? (?:und|oder|sowie|u\.) |, )){1,4}\Z"
)
# "Für die Suppe 1 Zwiebel".
FOR_WHAT = re.compile(r"\b[Ff]ür (?:die|den|das|jede[ns]?) \w+ \Z")
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
    "Vorher|Nachher|Hinterher|Dafür|Allerdings|Jedoch|Übrigens|Manchmal|Immer|Meist|Meistens|Oft|Vielleicht|Eigentlich|"
    "Normalerweise|Natürlich|Zunächst|Zuerst|Schließlich|Seitdem|Damals|Inzwischen|Mittlerweile|Derzeit|Aktuell|Momentan|"
    "Mir|Mich|Dir|Uns|Ihm|Ihnen|Jemand|Niemand|Nichts|Manche|Mehrere|Sobald|Solange|Bevor|Sogar|Sehr|Gerade|Wieder|"
    "Weiterhin|Habe|Hatte|Waren|Soll|Sollen|Muss|Müssen|Darf|Dürfen|Bin|Wäre|Würde|"
    "Dauert|Komm|Kommst|Bist|Hast|Habt|Seid|Willst|Wollt|Magst|Geht|Gehst|Reicht|Passt|Klappt|Stimmt|Klingt|Warte|Wartet"
    "|Sag|Bring|Bringst|Nimm|Schau|Lass|Freu|Freue|Bleib|Bleibt|Bleibst|Weißt|Brauchst|Brauche|Vergiss|Glaubst|Hoffe"
    "|Liegt|Läuft|Fehlt|Steht|Kostet|Beginnt|Startet|Endet|Kannst|Könnt|Könntest|Könnten|Würdest|Dürft|Darfst|Hättest"
    "|Okay|Ok|Super|Cool|Schön|Sorry|Hallo|Hi|Klar|Gern|Gerne|Egal|Genau|Wirklich|Treffen wir|Sehen wir|Gehen wir|"
    "Je|Pro|Rund|Zwei|Drei|Kann|Können|Wird|Werden|Gibt|Kommt|Möchte|Alles|Herzliche|MfG|Mfg|LG|VG"
)
OPENER = re.compile(OPENERS)
BEGINS = re.compile(rf"\s+(?:{OPENERS})\b")
PLACED = re.compile(
    r"\b(?:Raum|Zimmer|Zi\.|R\.|Büro|Halle|Kapitel|Kap\.|Abschnitt|Abs\.|Version|Punkt|Ziffer|Ziff\.|Nummer|Nr\.|"
    r"Tab\.|"
    r"USB|HDMI|DP|DisplayPort|Wi-Fi|SATA|DDR|TLS|iOS|Android|macOS|Windows|Firmware|"
    r"Bluetooth|PCIe|WLAN|Tabelle|Abb\.|Abbildung|Aufgabe|Übung|Box|Tor|Saal|Hörsaal|Lektion) \Z"
)
PER_YEAR = ("kWh/(m²·a)", "kWh/(m²a)", "kWh/(m² a)", "kWh/(m²*a)", "kWh/m²a", "kWh/(m²·Jahr)")


# Between "bis" and its day; what stands before a day is cut off behind some letters.
UNTIL = re.compile(
    r"(?:\b(?:bis|ab|zum)|\A(?:is|s|b|m|um|)) (?:spätestens|frühestens|mindestens|mind\.|maximal|max\.|längstens"
    r"|einschließlich|einschl\.|inkl\.|voraussichtlich|vorauss\.|zunächst|vorläufig) \Z|\A[a-zß]{4,9}lich \Z"
)
# A finding with the word for how long it has lasted, from the beginning of its sentence.
NOTED = re.compile(r"(?:\A|[.!?;:,] |\n)([^.!?;:,\n]*[A-ZÄÖÜ][\wäöüß-]{2,}) seit(?: ca\.| etwa| rund)? \Z")
FINITE = r"hat|haben|habe|hatte\w*|ist|sind|war|waren|wird|werden|wurde\w*|kann|können|soll\w*|muss|müssen|darf|dürfen"
SPEAKS = re.compile(
    rf"\b(?:[Hh]ab|Habe|Hatte|{FINITE}|gibt|gab|herrscht\w*|fehlt\w*|macht\w*|klagt\w*|leidet|litt|nimmt|besteh\w+|läuft|lief|bleibt)\b"
)
# The next sentence, as it begins with a noun and its verb.
CLAUSE = re.compile(
    r" [A-ZÄÖÜ][\wäöüß-]{2,}(?: (?!und\b|oder\b|die\b|der\b|das\b|den\b|was\b|wenn\b|dass\b)[\wäöüßÄÖÜ.]{1,24}){0,3}"
    rf" (?:{FINITE}|gilt|gelten|gibt|kostet|kosten|folgt|folgen|beginnt|beginnen|liegt|liegen|steht|stehen|kommt"
    r"|kommen|erfolgt|findet|finden|startet|endet|entfällt|fällt|fallen|bleibt|bleiben)\b"
)
# A heading of what follows: "80 J. Kinder: 3".
HEADING = re.compile(
    r" [A-ZÄÖÜ][\wäöüß-]{2,}(?: [A-ZÄÖÜ][\wäöüß-]{2,}| [12]\d{3})?:(?!\d)"
    r"| (?:Lieferzeit|Gewicht|Versand|Laufzeit|Reichweite|Garantie|Preis|Maße|Größe|Packmaß|Farbe|Material)"
    r" (?:\d|ca\.|nur|bis|inkl\.)"
)
# Behind these no participle or infinitive can follow, so that any verb tells.
COSTS = re.compile(r"\b(?:kostet\w*|zahlt|zahlen|dauert\w*|beträgt)\b[^.!?]*\Z")
ANY_CLAUSE = re.compile(r" [A-ZÄÖÜ][\wäöüß-]{2,} (?!und\b|mit\b|ge|inbegriffen)[a-zäöüß]{3,}(?:en|t|te)\b")

# What an advertisement says next.
LABELLED = re.compile(r" (?:Tel|Fax|Mobil|Handy|E-Mail|Info|Infos|Anmeldung|Eintritt)(?:\.|:|\b(?= ?[\d(:]))")


def ends(match: re.Match[str]) -> str:
    """The full stop of a form, where it is the sentence's as well."""
    rest = text_after(match, 24)
    return "." if not rest.strip() or BEGINS.match(rest) or LABELLED.match(rest) else ""


class Grammar(European):
    """Ordinals: "der dritte", but "am dritten", and "dritter" where no article stands before; years in hundreds."""

    def sentence_stop(self, match: re.Match[str]) -> str:
        """In notes, what has lasted for some time stands before it, and what follows is the next finding: "Husten seit
        2 Wo. Diabetes". A verb before tells that the sentence goes on, unless a noun and another verb follow."""
        stop = super().sentence_stop(match)
        if stop or not match[0].endswith(".") or not re.match(r" [A-ZÄÖÜ][a-zäöüß]{2}", text_after(match, 4)):
            return stop
        before = text_before(match, 80)
        behind, clause = text_after(match, 60), re.split(r"[.!?;:,\n] ", before)[-1]
        if "month" in match.groupdict() and len(clause.split()) > 1 and (CLAUSE.match(behind) or HEADING.match(behind)):
            return "."  # the stop of a month ends the sentence as well
        if HEADING.match(behind) or (match[0].endswith("Pers.") and not re.match(r" Haushalt", behind)):
            return "."
        if (CLAUSE.match(behind) and SPEAKS.search(clause)) or (COSTS.search(clause) and ANY_CLAUSE.match(behind)):
            return "."
        noted = NOTED.search(before)
        return "." if noted and not SPEAKS.search(noted[1]) else ""

    def ordinal(self, number: int, form: str = "f") -> str:
        said = super().ordinal(number, form)
        return re.sub(r"^eine Million", "einmillion", said)

    def day(self, number: int, before: str) -> str:
        before = re.sub(r"(?:\d{1,2}\.(?:,| und| oder| bis|/| ?[–-]) ?)+\Z", "", before)
        if UNTIL.search(before):
            return self.ordinal(number, "n")
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
        before = re.sub(r"\d{1,2}([/-])\d{1,2}(?:\1\d{2,4})?\Z", "", before)  # the date itself: "bis 1/2"
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
        if bottom == 4:
            one = self.cardinal(1, "m") if whole == "1" else self.whole(whole)
            return f"{one}{'dreiviertel' if top == 3 else 'einviertel'}"
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
        before = re.sub(r"(?:Papst|König|Kaiser|Zar|Herzog|Kurfürst|Königin|Kaiserin|Zarin) \Z", "", before)
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
        if noun == "nicht":
            return "einer"  # "3 kommen, 1 nicht"
        if noun == "von":
            return "eins"  # "1 von 3 Spuren"
        listed, before = before, LISTED.sub("", before)
        last = before.split()[-1] if before.split() else ""
        numbered = (
            (
                last[:1].isupper()
                and last.isalpha()
                and last.casefold() not in SMALL_BEFORE
                and len(before.split()) > 1
                and not OPENER.fullmatch(last)
                and listed == before
                and not FOR_WHAT.search(before)
            )
            or last in NAMING
            or self.abbreviations.get(last, "") in NAMING
            or last in self.before_numbers
        )
        if counts_small(noun, before):
            return small_one(noun)
        if not noun[:1].isupper() or (len(noun) < 3 and noun != "Ei") or numbered or noun.isupper():
            return super().one(noun, before)
        if noun == "Uhr":
            return "ein"
        feminine = FEMININE_NOUN.fullmatch(noun) is not None
        if last == "auf" and not feminine and re.fullmatch(r"Teil|Liter|Kilo(?:gramm)?|Becher|Esslöffel|Meter", noun):
            return "einen" if noun in ("Teil", "Liter", "Becher", "Esslöffel", "Meter") else "ein"  # a ratio
        if DATIVE.search(before):
            return "einer" if feminine else "einem"
        return "eine" if feminine else "ein"

    def in_case(self, words: str, before: str) -> str:
        """ "nach 20 Sp.", "mit 37 Pkt." are datives."""
        dative = re.search(
            r"(?:\b(?i:mit|nach|von|bei|seit|zu|aus|vor|in|binnen|ab|unter)|(?<!\w)[vm]\.)"
            r" (?:[a-zäöüß]+ )?(?:\d{1,3} [A-ZÄÖÜ][a-zäöüß]*\.? (?:und|u\.) )?\Z",
            before,
        )
        single = re.match(r"(?P<one>eine?) (?P<half>halb(?:er?|es) )?(?=[A-ZÄÖÜ])", words)
        if single and MEASURED_DATIVE.search(LISTED.sub("", before)):
            one = f"{single['one'].removesuffix('e')}e{'r' if single['one'] == 'eine' else 'm'}"
            return f"{one} {'halben ' if single['half'] else ''}{words[single.end() :]}"
        return (
            f"{words}n"
            if dative and re.search(r"(?:Jahr|Monat|Punkt|Spiel|Tag|Stern|Kilowatt|Stück)e\Z", words)
            else words
        )

    def repeated(self, number: int) -> str:
        return f"{self.cardinal(number, 'm')}mal"

    def gender_in_a_list(self, noun: str) -> str:
        """Where no article shows the form of an ordinal."""
        return "f" if FEMININE_NOUN.fullmatch(noun) else "s" if NEUTER_NOUN.fullmatch(noun) else "r"
