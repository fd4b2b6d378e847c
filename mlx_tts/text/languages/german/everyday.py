"""German telephone numbers with blanks, houses with stairs and doors, spoons, files of courts -> words."""

from __future__ import annotations

import re

from mlx_tts.text.languages.german.nouns import FEMININE_NOUN
from mlx_tts.text.normalise.engine import Kind, mentions, one_of, rule, text_after, text_before, words_of
from mlx_tts.text.normalise.european import European
from mlx_tts.text.roman import value

# "0 89/45 67 89-12", "(02 21) 9 87 65 - 43": the code of a town, its end, and groups of digits.
TOWN = r"0(?: ?\d){1,5}"
GROUPS = r"\d{1,8}(?: \d{1,4}){0,5}"
DIRECT = r"(?: ?[-–] ?\d{1,4}(?: \d{1,3}){0,2})?"
TELEPHONE = rf"(?:\({TOWN}\) ?|{TOWN} ?/ ?){GROUPS}{DIRECT}"
# Behind these words the numbers of an address stand.
STREET = (
    r"(?:[Ss]tr(?:aße|\.)|\w(?:str\.|straße|gasse|weg|platz|allee|ring|damm|ufer|steig|zeile|hof|berg|markt|kai|gürtel"
    r"|graben)|\b(?:Gasse|Weg|Platz|Allee|Ring|Hauptplatz|Markt|Kai|Gürtel|Graben))"
)
COURTS = "KLs|Ks|Ds|Cs|Js|Ss|ZR|ZB|ZA|StR|AR|ARs|ARZ|AZR|AZB|ABR|BvR|BvL|BvF|BvE|BGs|StS"
# What is taken by heaped or levelled spoons.
SPOONS = {"TL": "Teelöffel", "EL": "Esslöffel", "Teel.": "Teelöffel", "Essl.": "Esslöffel",
          "Teelöffel": "Teelöffel", "Esslöffel": "Esslöffel"}  # fmt: skip
FILLED = {"geh.": "gehäuft", "gehäuft.": "gehäuft", "gestr.": "gestrichen", "ger.": "gestrichen", "knapp.": "knapp"}
# What is done to food, behind an amount and before its noun.
PREPARED = {"geh.": "gehackt", "gem.": "gemahlen", "ger.": "gerieben", "getr.": "getrocknet", "gew.": "gewürfelt",
            "gek.": "gekocht", "gesch.": "geschält", "geschn.": "geschnitten", "gestift.": "gestiftelt",
            "gehob.": "gehobelt", "geräuch.": "geräuchert", "gefr.": "gefroren"}  # fmt: skip
# Of which one takes an amount, and no number.
MASCULINE_FOOD = re.compile(
    r"\w*(?:[Kk]äse|Parmesan|Gouda|Emmentaler|Ingwer|[Ss]chinken|[Ss]peck|[Kk]noblauch|Lachs|Dill|Schnittlauch|Koriander"
    r"|[Pp]feffer|Zimt|Kümmel|Reis|[Kk]ohl|Spinat|Mohn|Sellerie|Fenchel|Lauch)"
)
MIXED_WITH = re.compile(r"\b(?i:mit|aus|von|in) (?:\d{1,4}|½|¼) ?(?:k?g|[mcd]?l|EL|TL|Bund|Tasse|Tassen|Prise|Dose) \Z")
# Words that begin a sentence and do not follow "sogenannte".
BEGINNINGS = (
    "Er|Sie|Es|Ich|Wir|Du|Ihr|Man|Dann|Da|Der|Die|Das|Den|Dem|Des|Ein|Eine|Und|Aber|Doch|Als|Wenn|Nun|So|Auch|Im|In|Am|An|Auf"
    "|Mit|Nach|Von|Zu|Bei|Für|Aus|Vor"
)
DAYS = "Mo|Di|Mi|Do|Fr|Sa|So"
BANDWIDTH = re.compile(r"\b[MG][Bb]it/s(?!\w)")
REACHED = re.compile(r"\b(?:erreich\w+|mobil|Mobil|Tel|Telefon\w*|Durchwahl|Rückfragen|anrufen|Zentrale)\b")
# What stands before the number of a file.
FILED = re.compile(r"(?:\bAz\.:?|\bAktenzeichen:?|\bGz\.:?|\d\d\d\d,?|[–-]) \Z")
CALLED = re.compile(r"(?:\b(?:Tel|Fax|Mobil|Handy|Telefon|Ruf|Hotline|FON|Fon|Telefax)\.?:? ?|☎ ?|T: ?)\Z")
# What stands behind an ordinal, and the form that it has without an article.
RANKED = {
    **dict.fromkeys(
        words_of("Dosis Impfung Mahnung Rate Hälfte Halbzeit Etage Instanz Lesung Liga Runde Auflage"), "f"
    ),
    **dict.fromkeys(words_of("Stock Spieltag Versuch Termin Gang Advent"), "r"),
    **dict.fromkeys(words_of("Trimester Semester Obergeschoss Quartal Viertel Lehrjahr Halbjahr"), "s"),
}
SIDES = {"N": "Nord", "S": "Süd", "O": "Ost", "W": "West", "NO": "Nordost", "NW": "Nordwest", "SO": "Südost",
         "SW": "Südwest"}  # fmt: skip
SIDED = (
    "Europa|Deutschland|Italien|Frankreich|Amerika|Afrika|Asien|Spanien|Bayern|England|Tirol|Korea|Seite|Hang|Wand"
    "|Balkon|Terrasse|Ufer|Küste|Lage|Ausrichtung|Wind"
)
AMOUNT = (
    r"(?:\d|[½¼¾⅓⅔]) ?(?:(?:g|kg|ml|l|cl|dl|EL|TL|Msp\.|Pck\.|Pr\.|Bd\.|Bund|Tasse|Tassen|Dose|Dosen|Stk\.|Handvoll"
    r"|Prise) )?(?:frisch )?\Z|\bfrisch \Z"
)
# Small words that follow a number and are not its noun, and nouns after which a number is a name.
NO_NOUNS = frozenset(
    words_of(
        "und oder ist war sind bis von vom zu zum zur in im auf mit für wird hat haben kann plus minus bei nach aus "
        "noch nur aber als wie dann auch uhr gegen über pro durch ab an am um so zehn davon darunter mehr "
        "weniger geteilt kein keine keinen nicht sein seine der die das den dem des ein eine einen er sie es wir ihr "
        "man sich wo was wenn weil dass ob da hier dort alle jede jeder beide sowie werden wurde gibt gilt steht"
    )
)
NAMES_OF_NUMBERS = frozenset(
    words_of(
        "seite platz punkt nummer nr zimmer linie kapitel teil gleis tag stufe level klasse band phase aufgabe frage "
        "version folge staffel runde gruppe spur bus halle tor um gegen ab von gleich als auf wert status "
        "code option feld spalte argument byte bit rang note typ raum woche schritt zone"
    )
)


class EverydayForms:
    """The rules for a language's words. Methods are named after what they say."""

    def __init__(self, own: European):
        self.own = own

    def dialled(self, match: re.Match[str]) -> str:
        town, rest = re.fullmatch(rf"\(?({TOWN})\)? ?/? ?(.+)", match["n"]).groups()  # type: ignore[union-attr]
        return ", ".join(self.own.digits(part) for part in (town, *re.findall(r"\d+", rest)))

    def of_house(self, written: str) -> str:
        number, letter = re.fullmatch(r"(\d+)([a-z]?)", written).groups()  # type: ignore[union-attr]
        return f"{self.own.cardinal(int(number))} {letter}".strip()

    def houses(self, match: re.Match[str]) -> str | None:
        if not re.search(rf"{STREET} \Z", text_before(match, 24)):
            return None
        return ", ".join(self.of_house(part) for part in match[0].split("/"))

    def spoons(self, match: re.Match[str]) -> str:
        one, filled = match["n"] in ("1", "ein", None), FILLED[match["filled"]]
        dative = (
            re.search(r"\b(?i:mit|aus|von) (?:[^.;:,]{1,50} (?:und|sowie|u\.) )?\Z", text_before(match, 64)) is not None
        )
        if match["n"] in ("1", "ein"):
            number = "einem " if dative else "ein "
        else:
            number = f"{self.own.spoken(match['n'])} " if match["n"] else ""
        ending = ("en" if dative else "er") if one and number else "e"
        return f"{number}{filled}{ending} {SPOONS[match['spoon']]}"

    def prepared(self, match: re.Match[str]) -> str | None:
        if match["n"]:
            feminine = FEMININE_NOUN.fullmatch(match["noun"])
            return f"eine {PREPARED[match['word']]}e" if feminine else f"ein {PREPARED[match['word']]}er"
        if not re.search(AMOUNT, text_before(match, 24)):
            return None
        masculine = MASCULINE_FOOD.fullmatch(match["noun"])
        if MIXED_WITH.search(text_before(match, 40)):
            return PREPARED[match["word"]] + ("em" if masculine else "en" if match["noun"].endswith("n") else "er")
        return f"{PREPARED[match['word']]}{'er' if masculine else 'e'}"

    def ranked(self, match: re.Match[str]) -> str:
        """ "Impfung 2. Dosis": these are counted by ordinals, whatever stands before."""
        before = text_before(match, 8).split()
        word = before[-1].casefold() if before else ""
        if word in ("der", "am", "im", "zur", "zum", "beim", "vom", "dem", "den", "bis", "ab", "seit", "nach", "vor"):
            return self.own.ordinal(int(match["n"]), "n")
        articles = ("die", "das", "eine", "diese", "jede", "fürs", "ins", "aufs", "durchs", "ums")
        return self.own.ordinal(int(match["n"]), "f" if word in articles else RANKED[match["noun"]])

    def down_and_up(self, match: re.Match[str]) -> str | None:
        """ "38/11 Mbit/s"."""
        own, a, b = self.own, match["a"], match["b"]
        if match["unit"]:
            return f"{own.spoken(a)}, {own.counted(b, own.unit_names[match['unit']].split('|'))}"
        if not (int(a) > int(b) > 9 and mentions(BANDWIDTH, match.string)):
            return None
        return f"{own.spoken(a)}, {own.spoken(b)}"

    def per_many(self, match: re.Match[str]) -> str:
        """ "24 kWh/1000 h"."""
        own = self.own
        names = own.unit_names
        if match["unit"] == "€":
            said = own.price(match["n"], "€")
        else:
            said = own.counted(match["n"], names[match["unit"]].split("|"))
        return f"{said} {own.per} {own.counted(match['of'], names[match['per']].split('|'))}"

    def file(self, match: re.Match[str]) -> str:
        senate = (
            self.own.cardinal(value(match["senate"])) if match["senate"].isalpha() else self.own.spoken(match["senate"])
        )
        return (
            f"{senate} {match['court']} {self.own.cardinal(int(match['n']))} {self.own.web['/']} "
            f"{self.own.name_of_number(match['year'])}"
        )

    def joined(self, match: re.Match[str]) -> str:
        return "- und " if text_after(match, 1).isupper() else "- "

    def more_kinds(self) -> tuple[Kind, ...]:
        own = self.own
        return (
            Kind("telephone", re.compile(r"\d{2}|nr\."), (
                rule(rf"(?<![\w.,/-])(?P<n>{TOWN} ?[-–] ?{GROUPS}{DIRECT})(?![\w/]|-\d|[.,]\d| \d| ?[€%])",
                     lambda m: ", ".join(own.digits(part) for part in re.findall(r"0(?: ?\d){1,5}|\d+", m["n"]))
                     if CALLED.search(text_before(m, 14)) else None),
                rule(r"(?P<word>\b(?:WKN|PZN|BLZ|PLZ|[A-ZÄÖÜ][a-zäöüß]{2,15}nr\.):? )(?P<n>\d{5,12})"
                     r"(?![\w-]|[.,]\d)", lambda m: m["word"].replace("nr.", "nummer") + own.digits(m["n"])),
                rule(r"(?<!\w)(?P<noun>[A-ZÄÖÜ][a-zäöüß]{2,24})nr\.:? (?P<n>\d{2,8}"
                     r"(?:[-/ ]\d{1,8}){1,4})(?![\w/-]|[.,]\d)",
                     lambda m: f"{m['noun']}nummer {', '.join(own.digits(n) for n in re.split('[-/ ]', m['n']))}"),
                rule(r"(?<!\w)(?P<noun>[A-ZÄÖÜ][a-zäöüß]{2,24})nr\.", lambda m: f"{m['noun']}nummer"),
                rule(r"(?:(?<=\bunter )|(?<=\bDurchwahl: )|(?<=\bDW: ))-(?P<n>\d{1,4})"
                     r"(?=[,.;)]| (?:oder|und|erreich|zu erreich)|\s*\Z)",
                     lambda m: own.digits(m["n"]) if mentions(REACHED, m.string) else None),
            )),
            Kind("date", re.compile(r"\b(?:Mo|Di|Mi|Do|Fr|Sa|So)\b"), (
                rule(rf"(?<![\w.])(?P<day>{DAYS})(?=(?:, ?| ?/ ?| u\. | und | bis | & | ?\+ ?)(?:{DAYS})\b(?!\.\w))",
                     lambda m: own.day_names[m["day"]]),
                rule(rf"(?:(?<=\b[MDFS][oiraA], )|(?<=\b[MDFS][oira] u\. )|(?<=\b[MDFS][oira] und )"
                     rf"|(?<=\b[MDFS][oira] & )|(?<=\b[MDFS][oira] bis ))(?P<day>{DAYS})\b(?=[ ,:;.]|\Z)",
                     lambda m: own.day_names[m["day"]]),
                rule(rf"(?<![\w.])(?P<day>{DAYS})(?=,? den \d| n\. ?V\.| geschl| zu\b| Ruhetag| (?:ab|bis) \d"
                     r"|:? \d{1,2}(?:[.:]\d\d)? ?(?:[–-] ?\d|Uhr|h\b))", lambda m: own.day_names[m["day"]]),
            )),
            Kind("ordinal", re.compile(r"\d\."), (
                rule(rf"(?<![\w.,])(?P<n>\d{{1,2}})\.(?= (?P<noun>{one_of(RANKED)})\b)", self.ranked),
                rule(r"(?:(?<=\b[Aa]m )|(?<=\b[Vv]om )|(?<=\b[Zz]um ))(?P<n>\d{1,2})\."
                     r"(?= \d{1,3} (?:J\.|Jahre?\b|Uhr\b))", lambda m: own.ordinal(int(m["n"]), "n")),
                rule(r"(?<![\w.,-])(?P<n>[12]?\d|3[01])\./(?P<m>[12]?\d|3[01])\.(?=[,;)]| [a-zäöüß]|\s*\Z)",
                     lambda m: " und ".join(own.day(int(m[name]), text_before(m, 14)) for name in "nm")
                     + own.sentence_stop(m)),
                rule(r"(?<=\b[Zz]um )(?P<n>\d{1,3})\.(?=[!?,;:)])", lambda m: own.ordinal(int(m["n"]), "n")),
                rule(r"(?P<part>\b(?:[Ee]nde|[Mm]itte|[Aa]nfang)) d(?:es|\.) (?P<n>\d{1,2})\. (?:Jh\.|Jhs\.|Jhd\.)",
                     lambda m: f"{m['part']} des {own.ordinal(int(m['n']), 'n')} Jahrhunderts{own.sentence_stop(m)}"),
            )),
            Kind("measure", re.compile(r"/1\.?0|[\d½] P\. "), (
                rule(r"(?<![\w.,/])(?P<n>\d{1,5}(?:,\d{1,2})?) ?(?P<unit>kWh|l(?!/100 ?km)|kg|g|ml|mg|€)/"
                     r"(?P<of>1\.?000|100|10) ?(?P<per>h|km|ml|kg|g|m|Std\.)(?![\w²³]|\.\w)", self.per_many),
                rule(r"(?<![\w.,/])(?P<n>\d{1,2}|1/2|½) P\.(?= [A-ZÄÖÜ][a-zäöüß]{3})",
                     lambda m: "ein halbes Päckchen" if m["n"] in ("1/2", "½")
                     else own.counted(m["n"], ["Päckchen", "Päckchen"])),
            )),
            Kind("abbreviation", re.compile(r"\b[dvf]\. |\b(?:Art|R)\. |\bmittl\.|\b[NSOW]{1,2}-[A-Z]|\bKi\. "), (
                rule(r"(?<=[a-zäöüß\d] )d\.(?= (?P<noun>[A-ZÄÖÜ][\wäöüß-]{2,30}))",
                     lambda m: "der" if FEMININE_NOUN.fullmatch(m["noun"]) or m["noun"] == "AGB" else None),
                rule(r"(?<=, )d\.(?= \d{1,2}\.)", "den"),
                rule(r"(?<=\()v\.(?= [A-ZÄÖÜ])", "von"),
                rule(r"(?<![\w.])R\.(?= [A-Z]?\d{1,3}(?:\.\d{1,3})?[a-z]?(?!\w))", "Raum"),
                rule(r"(?<![\w.])Art\.(?= [A-Z]-?\d)", "Artikel"),
                rule(r"(?<=[a-zäöüß] )v\.(?= (?:(?P<at>Hbf|Bhf|Bahnhof|Zentrum|Strand|Flughafen|Meer|Ort|Hotel)\b"
                     r"|[A-ZÄÖÜ][a-zäöüß]{2}))", lambda m: "vom" if m["at"] else "von"),
                rule(r"(?<=[a-zäöüß] )f\.(?= (?:das|die|den|mich|dich|uns|euch|alle|eine?n?"
                     r"|(?:[Ii]hr|[MmDd]ein)e[nrs]?)\b)",
                     "für"),
                rule(r"(?<![\w.])mittl\.(?= [A-ZÄÖÜ][a-zäöüß])", lambda m: "mittlerer"
                     if re.search(r"\b(?i:auf|bei|in|mit) \Z", text_before(m, 5)) else "mittlere"),
                rule(rf"(?<![\w.])(?P<side>{one_of(SIDES)})-(?=(?:{SIDED}))", lambda m: f"{SIDES[m['side']]}-"),
                rule(r"(?<![\w.])Ki\.(?= (?:\(|\d|bis|ab|unter|frei))", "Kinder"),
            )),
        )  # fmt: skip

    def kinds(self) -> tuple[Kind, ...]:
        own = self.own
        return (
            Kind("telephone", re.compile(r"0 ?\d"), (
                rule(rf"(?<![\w.,/-])(?P<n>{TELEPHONE})(?![\w/]|-\d|[.,]\d| \d| ?[€%])",
                     lambda m: self.dialled(m) if 5 < sum(c.isdigit() for c in m["n"]) < 16 else None),
                rule(r"(?<![\w.,/-])(?P<n>0 ?\d \d{2} ?/ ?\d{1,3}(?: \d{2,3}){1,4})(?![\w/-]|[.,]\d)", self.dialled),
            )),
            *self.more_kinds(),
            Kind("address", re.compile(r"\d/\d|\da/\d"), (
                rule(r"(?<![\w.,/-])\d{1,4}[a-z]?(?:/\d{1,4}[a-z]?){1,3}(?![\w/-]|[.,]\d)", self.houses),
            )),
            Kind("abbreviation", re.compile(r"\bge\w{1,6}\. |\bknapp\. |\bsog\. |\bspät\. "), (
                # "spät" and "sog" are words as well, which may end a sentence.
                rule(r"(?<![\w.])(?P<s>[sS])pät\.(?= (?:bis|am|um|im|in|ab|nach|zum|zur|bei|\d))", r"\g<s>pätestens"),
                rule(rf"(?<![\w.])sog\.(?= (?:[a-zäöüß„»\"]|(?!(?:{BEGINNINGS})\b)[A-ZÄÖÜ\d]))", "sogenannte"),
                rule(rf"(?:(?<![\w.,/])(?P<n>\d{{1,2}}|ein) )?(?<![\w.])(?P<filled>{one_of(FILLED)}) "
                     rf"(?P<spoon>{one_of(SPOONS)})(?!\w)", self.spoons),
                rule(rf"(?:(?<![\w.,/])(?P<n>1) )?(?<![\w.])(?P<word>{one_of(PREPARED)})"
                     r"(?= (?P<noun>[A-ZÄÖÜ][a-zäöüß]{2,30}))", self.prepared),
            )),
            Kind("law", re.compile(r"[A-Za-z] \d{1,5}/\d\d\b"), (
                rule(rf"(?<![\w.])(?P<senate>[IVX]{{1,5}}|\d{{1,3}}) (?P<court>{COURTS}) (?P<n>\d{{1,5}})/"
                     r"(?P<year>\d\d)(?![\w/]|[.,]\d)", self.file),
                rule(r"(?<![\w.])(?P<senate>\d{1,4}) (?P<court>[A-Z][A-Za-z]{0,3}) (?P<n>\d{1,5})/(?P<year>\d\d)"
                     r"(?![\w/]|[.,]\d)", lambda m: self.file(m) if FILED.search(text_before(m, 16)) else None),
            )),
            Kind("measure", re.compile(r"\d/\d"), (
                rule(r"(?<![\w.,/-])(?P<a>\d{1,4})/(?P<b>\d{1,4})(?: ?(?P<unit>[MG][Bb]it/s))?(?![\w/]|[.,]\d)",
                     self.down_and_up),
            )),
            Kind("code", re.compile(r"802\.|[a-z]\+\w|-%-|[CT]-\d"), (
                rule(r"(?<![\w.])(?P<n>802)\.(?P<m>\d{1,2})(?P<letters>[a-z]{1,2})(?!\w)",
                     lambda m: f"{own.spoken(m['n'])} {own.dot} {own.spoken(m['m'])} {' '.join(m['letters'])}"),
                rule(r"(?<![\w+])(?P<keys>(?:Strg|Ctrl|Alt|Umschalt|Shift|Cmd|Fn|Win)(?:\+\w{1,9}){1,3})(?![\w+])",
                     lambda m: re.sub(r"(?<=[A-Z])\d+", lambda n: f" {own.spoken(n[0])}",
                                      m["keys"].replace("+", f" {own.plus} "))),
                rule(r"(?<![\w.,])(?P<n>\d{1,3}(?:,\d)?)[- ]?%-(?P<noun>[A-ZÄÖÜ]\w{1,30})",
                     lambda m: f"{own.spoken(m['n'])} Prozent-{m['noun']}"),
                rule(r"(?<![\w.])(?:(?P<case>Rs)\. )?(?P<court>[CT])-(?P<n>\d{1,4})/(?P<year>\d\d)(?![\w/]|[.,]\d)",
                     lambda m: f"{'Rechtssache ' if m['case'] else ''}{m['court']} {own.spoken(m['n'])} {own.web['/']} "
                     f"{own.name_of_number(m['year'])}"),
            )),
            Kind("measure", re.compile(r"\bf/\d"), (
                rule(r"(?<![\w/])f/(?P<n>\d{1,2}(?:[.,]\d)?)(?![\w/]|[.,]\d)",
                     lambda m: f"f {own.spoken(m['n'].replace('.', ','))}"),
            )),
            Kind("sign", re.compile(r"-/[A-ZÄÖÜ]"), (
                rule(r"(?<=[a-zäöüß]{2})-/(?=[A-ZÄÖÜ][a-zäöüß])", self.joined),
            )),
            Kind("abbreviation", re.compile(r"\bf\. |\bi\. ?\w"), (
                rule(r"(?<=[a-zäöüß] )f\.(?= (?:\d|[A-ZÄÖÜ][a-zäöüß]))", "für"),
                rule(r"(?<![\w.])i\. (?=(?:Vj|Vgl)\.)", "im "),
                rule(r"(?<![\w.])i\. ?J\.(?= [12]\d{3}\b)", "im Jahr"),
                rule(r"(?<![\w.])(?P<way>[iz])\. ?Vgl\.",
                     lambda m: "im Vergleich" if m["way"] == "i" else "zum Vergleich"),
            )),
        )  # fmt: skip


def counts_small(noun: str, before: str) -> bool:
    """Whether a line writes its nouns small: "hab noch 1 koffer"."""
    words = re.findall(r"[^\W\d_]{2,}", before)
    if not words or not all(word.islower() for word in words) or len(noun) < 3 or not noun.islower():
        return False
    return noun not in NO_NOUNS and words[-1] not in NAMES_OF_NUMBERS


def small_one(noun: str) -> str:
    """ "1" before a noun that is written small."""
    return "eine" if FEMININE_NOUN.fullmatch(noun.capitalize()) else "ein"
