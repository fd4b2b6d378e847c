"""German short forms of charts, offers and notices, which the words next to them explain -> words."""

from __future__ import annotations

import re

from mlx_tts.text.languages.german.adjectives import ending
from mlx_tts.text.languages.german.grammar import DATIVE, OPENERS, ends
from mlx_tts.text.languages.german.more_notices import MoreNotices
from mlx_tts.text.normalise.engine import Kind, mentions, rule, text_after, text_before
from mlx_tts.text.normalise.european import European
from mlx_tts.text.normalise.european_marks import port_rule

LAW = re.compile(r"§|\b(?:BGH|BGB|Bekl\.|Urt(?:eil|\.)|Klage|Gericht|LG|OLG|AG)(?!\w)")
NUTRITION = re.compile(r"\b(?:kcal|kJ|Nährwerte?)\b")
NUTRIENTS = {"EW": "Eiweiß", "E": "Eiweiß", "F": "Fett", "KH": "Kohlenhydrate", "Bst": "Ballaststoffe"}
SIDES = {"li": "links", "re": "rechts", "mi": "Mitte"}
# What a notice begins with.
OFFERS = {"Verk": "Verkaufe", "Su": "Suche", "Verm": "Vermiete"}
PARTS = {"Balk": "Balkon", "Terr": "Terrasse", "Gart": "Garten", "Kell": "Keller", "Stellpl": "Stellplatz"}
# Before a flat that is counted by its rooms: "ruh. 2-Zi.-Whg."
FLATS = {"ruh": "ruhige", "sonn": "sonnige", "gemütl": "gemütliche", "gepfl": "gepflegte", "renov": "renovierte",
         "möbl": "möblierte", "kl": "kleine", "gr": "große", "schö": "schöne", "zentr": "zentrale"}  # fmt: skip
VERSIONED = (
    r"(?:(?<=\bUSB )|(?<=\bUSB-A )|(?<=\bUSB-C )|(?<=\bHDMI )|(?<=\bBluetooth )|(?<=\bBT )|(?<=\bPCIe )"
    r"|(?<=\bDisplayPort )|(?<=\bDP )|(?<=\bTLS )|(?<=\bPython )|(?<=\bThunderbolt ))"
)
SICK = r"(?P<noun>Hypertonie|Hypertonus|Hypotonie|Verschlusskrankheit|Embolie|Thrombose|Durchblutung\w{0,12})"
YEAR_MONTH = r"(?P<month>0?[1-9]|1[0-2])/(?P<year>(?:19|20)\d\d|\d\d)(?![\w/]|[.,]\d)"


class SmallPrint:
    """The rules for a language's words. Methods are named after what they say."""

    def __init__(self, own: European):
        self.own = own

    def deputy(self, match: re.Match[str]) -> str:
        """ "der CDU-Abg. Müller"."""
        word = (text_before(match, 12).split() or [""])[-1].casefold()
        dative = word == "der" and DATIVE.search(text_before(match, 24).rpartition("der ")[0])
        end = (
            "n"
            if dative or word in ("dem", "den", "des", "vom", "zum", "beim")
            else ""
            if word in ("der", "die")
            else "r"
        )
        return f"{match['party'] or ''}Abgeordnete{end}"

    def party(self, match: re.Match[str]) -> str | None:
        """ "Die Kl. begehrt": one woman or firm; "der Kl." is in the rules for ordinals."""
        if not mentions(LAW, match.string):
            return None
        several = match["verb"].endswith("en") or match["verb"] in ("sind", "waren")
        if match["word"] == "Kl":
            return "Kläger" if several else "Klägerin"
        return f"Beklagte{'n' if several else ''}"

    def month_of(self, match: re.Match[str]) -> str:
        """ "Bj. 03/2016", "EZ 4/16"."""
        word = {"Bj.": "Baujahr", "BJ": "Baujahr", "Erstzul.": "Erstzulassung"}.get(match["word"], match["word"])
        year = int(match["year"])
        if year < 100:
            year += 1900 if year > 60 else 2000
        return f"{word}{match['mark']} {self.own.month_names[int(match['month']) - 1]} {self.own.year(year)}"

    def both_days(self, match: re.Match[str]) -> str:
        """ "am 24. u. 31.12.": both stand in the case of the first."""
        own = self.own
        first, last = (own.ordinal(int(match[name]), "n") for name in ("n", "m"))
        month = own.month_names[int(match["month"]) - 1]
        year = f" {own.year(int(match['year']))}" if match["year"] else ""
        joint = {"u.": "und", "&": "und", "o.": "oder"}.get(match["to"], match["to"])
        return f"{match['before']} {first} {joint} {last} {month}{year}{'' if match['year'] else ends(match)}"

    def declined(self, match: re.Match[str], stem: str, default: str) -> str:
        end = ending(text_before(match, 40), match["noun"], True)
        return f"{stem}{default if end is None else end}"

    def floors(self, match: re.Match[str]) -> str:
        """ "1.-3. OG", "im 1. und 2. OG"."""
        word = (text_before(match, 8).split() or [""])[-1].casefold()
        form = "n" if word in ("im", "vom", "von", "dem", "am", "zum", "ab") else "f" if word in ("das", "ins") else "s"
        joint = {"u.": "und", "o.": "oder", "-": "bis", "–": "bis"}.get(match["to"], match["to"])
        first, last = (self.own.ordinal(int(match[name]), form) for name in ("n", "m"))
        return f"{first} {joint} {last} {match['what']}"

    def thousands(self, match: re.Match[str]) -> str:
        """ "128 Tkm", "98,5 tkm"."""
        whole, _, part = match["n"].partition(",")
        return f"{self.own.cardinal(int(whole) * 1000 + int((part + '000')[:3]))} Kilometer"

    def kinds(self) -> tuple[Kind, ...]:
        own = self.own
        return (
            Kind("notice", re.compile(
                r"Abg\.|[GS]\. |\b(?:li|re|mi)\.|\dg |\d g |× ?g|x g|\bds\.|jähr\.|\bart\.|\bD\. ?m\.|\bDM Typ|Kl\. "
                r"|röm\.|rk\.|geschl\.|\bAnf\.|\b(?:Verk|Su|Verm)\.|B[Jj]|EZ|Erstzul|[Tt]km|trg\."
                r"|\bBalk\.|Terr\.|Gart\.|Kell\.|Stellpl|sof\.|\d\.\d|Zi|/N\.|gl\b|\. ?(?:u\.|und|&|o\.|oder) \d|\bm\."
            ), (
                rule(r"(?<![\w.])(?P<party>[A-ZÄÖÜ][\wäöüß]{1,12}-)?Abg\.(?= [A-ZÄÖÜ][a-zäöüß])", self.deputy),
                rule(r"(?:(?<=[EODU]G )|(?<=\bEtage )|(?<=\bStock )|(?<=\bOG, )|(?<=\bEG, ))(?P<side>li|re|mi)\.",
                     lambda m: SIDES[m["side"]] + ends(m)),
                rule(r"(?:(?<=\dg )|(?<=\d g ))(?P<what>EW|KH|Bst|[EF])(?=[,;.)]| ?\||\s*\Z)",
                     lambda m: NUTRIENTS[m["what"]] if mentions(NUTRITION, m.string) else None),
                rule(r"(?<=\d )[×x] ?g(?=[ ,;.)]|\Z)", "mal g"),
                rule(r"(?<![\w.])(?:v\.|vom) (?P<n>\d{1,2})\. ?ds\.(?: ?Mts\.)?(?: ?J\.)?",
                     lambda m: f"vom {own.ordinal(int(m['n']), 'n')} dieses {'Jahres' if 'J' in m[0] else 'Monats'}"
                     f"{ends(m)}"),
                rule(r"(?<![\w.,])(?P<n>\d{1,3})-?jähr\.(?= (?:(?P<she>Pat\.in|Patientin)|Pat\.)(?!\w))",
                     lambda m: f"{own.cardinal(int(m['n']), 'm')}jährige{'' if m['she'] else 'r'}"),
                rule(rf"(?<![\w.])art\.(?= {SICK}(?!\w))",
                     lambda m: self.declined(m, "arteriell", "er" if m["noun"].endswith("us") else "e")),
                rule(r"(?<![\w.])(?:D\. ?m\.|DM)(?=,? (?:Typ|Type|[iI]nsulin))", "Diabetes mellitus"),
                rule(r"(?:(?<=\b[Dd]ie )|(?<=, ))(?P<word>Kl|Bekl)\.(?= (?P<verb>[a-zäöüß]{3,20})\b)", self.party),
                rule(r"(?<![\w.-])röm\.-(?P<church>kath|dt)\.(?= (?P<noun>[A-ZÄÖÜ][a-zäöüß]{2,30}))",
                     lambda m: self.declined(m, "römisch-" + ("katholisch" if m["church"] == "kath" else "deutsch"),
                                             "e")),
                rule(r"(?<![\w.-])röm\.-kath\.(?! [A-ZÄÖÜ])", lambda m: f"römisch-katholisch{own.sentence_stop(m)}"),
                # Behind a day it is said of the day, and what follows begins again.
                rule(r"(?:(?<=\d\. )|(?<=\b[MDFS][oira]\. )|(?<=\b[MDFS][oira] )|(?<=tag )|(?<=tags )|(?<=woch )"
                     r"|(?<=wochs )|(?<=tage ))geschl\.(?=\s*\Z|\s+[A-ZÄÖÜ])", "geschlossen."),
                rule(r"(?:(?<=\bf\. )|(?<=\bfür ))Anf\.(?= (?P<noun>[A-ZÄÖÜ])| [a-zäöüß]|[,;)]| \(|\s*\Z)",
                     lambda m: f"Anfänger{own.sentence_stop(m)}"),
                rule(r"(?:\A|(?<=\n)|(?<=[.!?] ))(?P<word>Verk|Su|Verm)\.(?= (?:[a-zäöüß]|[A-ZÄÖÜ\d]))",
                     lambda m: OFFERS[m["word"]]
                     if not re.match(rf" (?:{OPENERS})\b", text_after(m, 16)) else None),
                rule(rf"(?<![\w.])(?P<word>Bj\.|BJ|Baujahr|EZ|Erstzul\.|Erstzulassung)(?P<mark>:?) {YEAR_MONTH}",
                     self.month_of),
                rule(r"(?<![\w.,])(?P<n>\d{1,3}(?:,\d{1,2})?) ?[Tt]km(?!\w)", self.thousands),
                rule(r"(?<![\w.,-])(?P<n>[2-9])-?trg\.",
                     lambda m: f"{own.cardinal(int(m['n']), 'm')}türig{own.sentence_stop(m)}"),
                rule(rf"(?<![\w.])(?P<word>{'|'.join(FLATS)})\.(?= \d(?:,5)?-Zi(?:\.|mmer)-W)",
                     lambda m: FLATS[m["word"]]),
                rule(rf"(?:(?<=\bm\. )|(?<=\bmit )|(?<=\bu\. )|(?<=\bund )|(?<=[a-zäöüß.], ))"
                     rf"(?P<word>{'|'.join(PARTS)})\.(?=[,;)]| [a-zäöüß&]| \d|\s*\Z)",
                     lambda m: PARTS[m["word"]] + ends(m)),
                rule(rf"(?<=[a-z]\. )m\.(?= (?:{'|'.join(PARTS)}|EBK|Einbauküche|Garage|Bad|Blick)(?!\w))", "mit"),
                rule(r"(?:(?<=\b[Aa]b )|(?<=\bper ))sof\.(?=[ ,;)]|\s*\Z)",
                     lambda m: f"sofort{own.sentence_stop(m)}"),
                rule(r"(?P<ab>\b[Aa]b )(?:sof\.|sofort) (?:o\.|oder) (?P<day>[12]?\d|3[01])"
                     r"\.(?P<month>0?[1-9]|1[0-2])\.(?=[ ,;:)]|\s*\Z)",
                     lambda m: f"{m['ab']}sofort oder {own.ordinal(int(m['day']), 'n')} "
                     f"{own.month_names[int(m['month']) - 1]}{ends(m)}"),
                rule(r"(?<![\w.,])(?P<n>\d{1,2})\. ?(?P<to>[–-]|bis|und|u\.|oder|o\.) ?(?P<m>\d{1,2})\. ?"
                     r"(?P<what>[OU]G|Obergeschoss|Untergeschoss)(?!\w)", self.floors),
                rule(r"(?:(?<=\bsof\. )|(?<=\bsofort ))o\.(?= (?:\d|später|n\.|nach))", "oder"),
                rule(rf"{VERSIONED}(?P<a>\d)\.(?P<b>\d)(?P<stop>\.(?=\s*\Z| [A-ZÄÖÜ]))?(?!\w|[.,]\d)",
                     lambda m: f"{own.cardinal(int(m['a']))} {own.dot} {own.cardinal(int(m['b']))}{m['stop'] or ''}"),
                rule(r"(?P<before>\b(?:[Aa]m|[Vv]om|[Zz]um|[Bb]is|[Aa]b|[Ss]eit)) (?P<n>[12]?\d|3[01])\. "
                     r"(?P<to>u\.|und|&|o\.|oder) (?P<m>[12]?\d|3[01])\. ?(?P<month>0?[1-9]|1[0-2])\."
                     r"(?P<year>20\d\d)?(?=[ ,;:)]|\s*\Z)", self.both_days),
                rule(r"(?<=\b[Bb]is )gl\b(?!\.)", "gleich"),
                port_rule(own),
            )),
            *MoreNotices(own).kinds(),
        )  # fmt: skip
