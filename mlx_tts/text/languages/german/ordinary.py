"""German forms that ordinary texts meet most often: "für 1 Tag", "Mo-Sa", "12 A", "im Verhältnis 1:10" -> words."""

from __future__ import annotations

import re

from mlx_tts.text.languages.german.adjectives import gender
from mlx_tts.text.languages.german.grammar import ARTICLES, DECLINING, LISTED, MEASURED_DATIVE, OPENER, ends
from mlx_tts.text.languages.german.nouns import FEMININE_NOUN, gender_of_noun
from mlx_tts.text.normalise.engine import Kind, one_of, rule, text_after, text_before, words_of
from mlx_tts.text.normalise.european import European
from mlx_tts.text.roman import value

DAYS = "Mo|Di|Mi|Do|Fr|Sa|So"
# Nouns of one thing that is counted, whose accusative is heard.
MASCULINE = frozenset(words_of(
    "Tag Monat Euro Cent Dollar Franken Meter Kilometer Zentimeter Millimeter Liter Punkt Zähler Treffer Hund Kater "
    "Bruder Mann Sohn Vater Freund Nachbar Gegner Fehler Grund Termin Teller Becher Löffel Apfel Stuhl Tisch Brief "
    "Wagen Raum Ort Schritt Satz Song Gast Mitarbeiter Schüler Lehrer Spieler Fahrer Teilnehmer Besucher Bewohner "
    "Kuchen Salat Kaffee Tee Stellplatz Parkplatz Platz Sitzplatz Arbeitstag Werktag Urlaubstag Kalendertag Feiertag "
    "Prozentpunkt Rang Koffer Schlüssel Monitor Drucker Kasten Strauß Computer Laptop Fernseher Schrank Sessel "
    "Garten Balkon Keller Sack Beutel Eimer Karton Block Stein Ball Pass Sieg Zug Bus Flug Test Kurs Band Artikel Tipp "
    "Bund Zweig Spritzer Schuss Esslöffel Teelöffel Würfel Kopf Hektar Zoll"
))  # fmt: skip
OF_THE_ACCUSATIVE = (
    r"(?:[Ff]ür|[Dd]urch|[Oo]hne|[Gg]egen|[Uu]m|kostet|kosten|kostete|dauert|dauerte|habe?|hat|haben|hatten?"
    r"|brauche?n?|braucht|benötigt|benötigen|[Nn]imm|[Nn]ehmt|bekommt|bekam|bekommen|erhält|erhielt|gibt|gab|kaufte?n?"
    r"|sucht?|suchen|verlor|gewann|macht|[Gg]ib|zahlt|zahlen|beträgt)"
)
# Behind these a letter is a part of the number, and no unit.
LETTERED = re.compile(
    r"(?:\b(?:Gleis|Gl\.|Wagen|Wg\.|Haus|Sitz|Sitzplatz|Platz|Reihe|Zimmer|Zi\.|Raum|Halle|Gate|Tor|Eingang|Nr\.|Nummer"
    r"|Block|Aufgang|Top|Apartment|Wohnung|Whg\.|Steig|Bussteig|Bahnsteig|Zone|Tarifzone|Klasse|Stand|Abb\.|Abbildung"
    r"|Tab\.|Tabelle)"
    r"|(?:[Ss]tr\.|[Ss]traße|gasse|weg|platz|allee|ring|damm|ufer|steig|hof|berg|markt)"
    r"|\b(?:Am|An der|An den|Auf der|Auf dem|Zum|Zur|Unter den) [A-ZÄÖÜ][a-zäöüß]{2,20}) \Z"
)
# Of these what follows is the object, to the end of the list.
TAKES = re.compile(
    r"\b(?:[Bb]ring\w{0,3}|[Hh]ol\w{0,3}|[Kk]auf\w{0,3}|[Nn]imm|[Nn]ehmt|[Bb]rauch\w{0,3}|[Bb]estell\w{0,3}|[Gg]ib|habe?"
    r"|hat|haben)\b(?:[^.!?;:]|(?<=Pck)\.|(?<=Fl)\.|(?<=Pkg)\.|(?<=Stk)\.){1,60}(?:,| und| u\.) \Z"
)
SPOONS = {"EL": "Esslöffel", "TL": "Teelöffel"}
# A first name of a woman, with her last name and a verb behind it.
HER_NAME = re.compile(
    r"(?!(?:Luca|Sascha|Andrea|Nikola|Joshua|Mika|Elia|Ilja|Mischa|Luka|Nicola|Jona|Juha|Costa|Akira)\b)"
    r"[A-ZÄÖÜ][a-zäöüß]+(?:a|ie|ine|lin|rin|trid|grid|ette) [A-ZÄÖÜ][\wäöüß-]+(?: \([A-Z]{3}\))?"
    r" (?:wurde|war|ist|kam|belegte|landete)\b"
)
NUMBERED = re.compile(
    r"(?:\b(?:Platz|Nr\.|Nummer|Gleis|Tag|Teil|Stufe|Linie|Gruppe|Phase|Zimmer|Kapitel|Klasse|Band|Version|Seite|Schritt"
    r"|Punkt|Rang|Woche|Artikel|Level)|[A-Z]) \Z"
)
MONTHS = {"Jan": 1, "Feb": 2, "Febr": 2, "Apr": 4, "Aug": 8, "Sep": 9, "Sept": 9, "Okt": 10, "Nov": 11, "Dez": 12}
WITH = re.compile(r"\bmit [^.!?;:]{1,60}(?:,| und| u\.) \Z")
TITLES = (
    "(?:Groß|Kur|Land|Mark|Pfalz|Burg|Erz)?(?:[Ff]ürst(?:en|in)?|[Gg]raf(?:en)?|[Gg]räfin|[Hh]erzogs?|[Bb]ischofs?)|Königs?|Kaisers?"
    "|Kaiserin|Königin|Papst(?:es)?|Zaren?|Sultans?|Prinz(?:en)?|Freiherr|Fürstbischofs?|Abt|Patriarch"
)
LASTS = r"(?:[Ii]n|[Nn]ach|[Bb]innen|[Dd]auer|[Dd]auert|[Dd]auerte|\w+zeit|\w+dauer|[Ll]änge|[Gg]esamt)"
WAR = re.compile(r"(?:\b(?:Krieg\w*|\w+krieg\w*|Jahren?|[Ii]n|[Vv]on|[Ss]eit|[Uu]m|Zeit|Revolution|Winter)|\() ?\Z")


class OrdinaryForms:
    """The rules for a language's words. Methods are named after what they say."""

    def __init__(self, own: European):
        self.own = own

    def one(self, match: re.Match[str]) -> str | None:
        """ "für 1 Tag", "kostet 1 Euro": the accusative of what is masculine."""
        noun = match["noun"]
        masculine = noun in MASCULINE or gender_of_noun(noun) == "r" or gender(noun) == "m"
        return f"{match['head']} einen" if masculine else None

    def one_unit(self, match: re.Match[str]) -> str | None:
        """ "um 1 km", "kostet 1 €"."""
        units = {"€": "Euro", "km": "Kilometer", "m": "Meter", "cm": "Zentimeter", "l": "Liter", "EL": "Esslöffel",
                 "TL": "Teelöffel"}  # fmt: skip
        return f"{match['head']} einen {units[match['unit']]}"

    def week(self, match: re.Match[str]) -> str:
        """Days that are joined: "Mo-Sa", "Sa+So"."""
        said = re.sub(r" ?[–-] ?", " bis ", re.sub(r" ?[+&] ?", " und ", match["all"]))
        return re.sub(rf"\b(?:{DAYS})\b", lambda day: self.own.day_names[day[0]], said)

    def hours(self, match: re.Match[str]) -> str | None:
        first, last = int(match["a"]), int(match["b"])
        dated = re.match(rf" (?:{one_of(self.own.month_names)}|[A-Z][a-z]{{2}}\.)", text_after(match, 12))
        if first >= last or last > 24 or dated:
            return None
        first_hour = self.own.hours.get(first) or self.own.cardinal(first)
        said = f"{self.own.day_names[match['day']]} {first_hour} bis {self.own.cardinal(last)} Uhr"
        return said + (match["stop"] or "")

    def lettered(self, match: re.Match[str]) -> str:
        last = f" bis {match['last']}" if match["last"] else ""
        return f"{self.own.cardinal(int(match['n']))} {match['letter']}{last}"

    def lasting(self, match: re.Match[str]) -> str:
        """How long, and no time of day."""
        own = self.own
        parts = [(match["h"], "h"), (match["m"], "min")]
        if match.groupdict().get("s"):
            parts.append((match["s"], "s"))
        said = " ".join(
            own.counted(str(int(number)), own.unit_names[unit].split("|")) for number, unit in parts if int(number)
        )
        return f"{match.groupdict().get('head') or ''}{said}" + (ends(match) if match[0].endswith(".") else "")

    def millennium(self, match: re.Match[str]) -> str:
        before = text_before(match, 6).split()
        word = before[-1].casefold() if before else ""
        form = "n" if word in DECLINING else ARTICLES.get(word, "s")
        return f"{self.own.ordinal(int(match['n']), form)} Jahrtausend{'s' if word in ('des', 'eines') else ''}"

    def kinds(self) -> tuple[Kind, ...]:
        own = self.own
        return (
            Kind("ordinary", re.compile(r"\d|\b(?:Mo|Di|Mi|Do|Fr|Sa|So) ?[–+&-]|sog\.|ehem\."), (
                rule(rf"(?P<head>\b{OF_THE_ACCUSATIVE}(?: (?:nur|etwa|rund|noch|genau|mindestens|maximal|je|sich"
                     r"|bis zu))?) 1(?= (?P<noun>[A-ZÄÖÜ][a-zäöüß]{2,30})\b)(?!-)", self.one),
                rule(rf"(?P<head>\b{OF_THE_ACCUSATIVE}(?: (?:nur|etwa|rund|noch|genau))?) 1 ?"
                     r"(?P<unit>€|km|m|cm|l|EL|TL)(?![\w²³/-])", self.one_unit),
                rule(r"(?<![\w.,/-])1 ?Msp\.",
                     lambda m: f"{own.one('Messerspitze', text_before(m, 64))} Messerspitze{ends(m)}"),
                rule(rf"(?<![\w.–+&/-])(?P<all>(?:{DAYS})(?:(?: ?[–-] ?| ?[+&] ?)(?:{DAYS})){{1,4}})"
                     r"(?:\.(?= ?[\da-zäöü(,;:]))?(?![\w+&/–-])", self.week),
                rule(rf"(?<![\w.–-])(?P<day>{DAYS})\.? (?P<a>\d{{1,2}}) ?[–-] ?(?P<b>\d{{1,2}})"
                     r"(?:(?P<stop>\.)(?=\s|\Z)|(?=[,;)]|\s*\Z))", self.hours),
                rule(r"(?<= )(?P<n>\d{1,4}) ?(?P<letter>[A-Z])(?: ?[–-] ?(?P<last>[A-Z]))?(?![\w-]|[.,]\d)",
                     lambda m: self.lettered(m) if LETTERED.search(text_before(m, 40)) else None),
                rule(rf"(?P<head>\b{LASTS}:? (?:ca\. |etwa |rund |nur )?)(?P<h>\d{{1,2}}):(?P<m>[0-5]\d) ?h\b",
                     self.lasting),
                rule(r"(?<![\w:.,-])(?P<h>\d{1,2}):(?P<m>[0-5]\d):(?P<s>[0-5]\d) ?h\b", self.lasting),
                rule(r"(?<![\w.,:-])(?P<h>[01]?\d|2[0-4])\.(?P<m>[0-5]\d) ?h\b",
                     lambda m: own.time(int(m["h"]), int(m["m"]), None, m)),
                rule(r"(?<![\w.,-])(?P<n>\d{1,3}(?:,\d)?) ?-?%-?ig(?P<end>(?:e[nrsm]?)?)(?!\w)",
                     lambda m: f"{own.spoken(m['n']).replace(' ', '').casefold()}prozentig{m['end']}"),
                rule(r"(?P<head>\b(?:\w*[Vv]erhältnis|\w*[Mm]ischung|[Vv]erdünnung|[Vv]erdünn\w*|[Qq]uote|[Mm]aßstab)"
                     r"(?: von| im| etwa| ca\.)?:? )(?P<a>\d{1,4}):(?P<b>\d{1,5})(?![\w:]|[.,]\d)",
                     lambda m: f"{m['head']}{own.cardinal(int(m['a']))} zu {own.cardinal(int(m['b']))}"),
                rule(r"(?<![\w.,/])(?P<a>1[0-9]\d\d)/(?P<b>\d\d)(?![\w/]|[.,]\d)",
                     lambda m: f"{own.year(int(m['a']))} bis {own.cardinal(int(m['b']))}"
                     if int(m["b"]) > int(m["a"]) % 100 + 1 and WAR.search(text_before(m, 24)) else None),
                rule(r"(?<![\w.,])(?P<n>[1-9])\. (?:Jt|Jtsd|Jtd)\.(?= [vn]\. ?Chr)", self.millennium),
                rule(r"(?:(?<=Sieg )|(?<=Erfolg )|(?<=Niederlage )|(?<=gewann )|(?<=verlor )|(?<=gewonnen )"
                     r"|(?<=verloren )|(?<=-Sieg )|(?<=Spiel ))n\. ?V\.", lambda m: f"nach Verlängerung{ends(m)}"),
                rule(r"(?<=\d )n\. ?P\.", lambda m: f"nach Penaltyschießen{ends(m)}"),
                rule(r"(?<![\w.,])(?P<n>[12]|I{1,2})\. ?WK(?!\w)", self.war),
                rule(rf"(?P<head>\b(?P<title>{TITLES}) (?:[A-ZÄÖÜ][a-zäöüß]{{2,20}} )?"
                     r"(?P<name>[A-ZÄÖÜ][a-zäöüß]{2,20})) (?P<n>[IVX]{1,5})\.?(?= [a-zäöüß(]|[,;:)])", self.noble),
                rule(r"(?:(?<=, )|(?<=\bund ))(?P<n>¼|½|1/4|1/2) ?(?:l|Liter)(?=[ ,.;)])",
                     lambda m: f"einem {'viertel' if '4' in m['n'] or m['n'] == '¼' else 'halben'} Liter"
                     if MEASURED_DATIVE.search(LISTED.sub("", text_before(m, 64))) else None),
                rule(r"(?<![\w.,/-])1(?= (?P<noun>[A-ZÄÖÜ][a-zäöüß]{2,30})\b)(?!-)", self.one_more),
                rule(r"(?<![\w.,/-])1(?= (?P<noun>[A-Z][\w.]{0,9}(?:-[\w.]{1,12}){0,2}-[A-ZÄÖÜ][a-zäöüß]{2,20})\b)",
                     lambda m: own.one(m["noun"].rpartition("-")[2], "mit " if WITH.search(text_before(m, 70))
                                       else text_before(m, 64))),
                rule(r"\b(?P<name>USB|HDMI|DP|Bluetooth|PCIe|DisplayPort)-(?P<a>\d)\.(?P<b>\d)(?=-[A-ZÄÖÜ])",
                     lambda m: f"{m['name']} {own.cardinal(int(m['a']))} {own.dot} {own.cardinal(int(m['b']))}"),
                rule(r"(?<=[IVX]\. )(?P<und>(?:und|u\.|bzw\.) )"
                     r"(?P<name>[A-ZÄÖÜ][a-zäöüß]{2,20}) (?P<n>[IVX]{1,5})\.?(?=[ ,;:)]|\.?\s*\Z)", self.noble_too),
                rule(r"\b(?P<a>[12]\d{2})/(?P<b>\d{2}) ?(?P<r>Z?R) ?(?P<c>[12]\d)"
                     r"(?: (?P<load>\d{2,3}) ?(?P<speed>[A-Z]))?"
                     r"(?![\w/-])", self.tyre),
                rule(rf"(?P<head>\b(?:{DAYS})\.?(?: ?[–-] ?(?:{DAYS})\.?)?:? )"
                     r"(?P<h>[01]?\d|2[0-4])\.(?P<m>[0-5]\d) ?[–-] ?(?P<h2>[01]?\d|2[0-4])\.(?P<m2>[0-5]\d)"
                     r"(?: Uhr)?(?![\w:]|[.,]\d)",
                     lambda m: f"{self.named_days(m['head'])}{own.time(int(m['h']), int(m['m']), None, m)} bis "
                     f"{own.time(int(m['h2']), int(m['m2']), None, m)}"),
                rule(rf"(?P<head>\b(?:{DAYS})\.?,? (?:ab|bis|um) "
                     r"|\b(?:Abfahrt|Ankunft|Beginn|Einlass|Anpfiff|Start)(?: um|:)? )"
                     r"(?P<h>[01]?\d|2[0-4])\.(?P<m>[0-5]\d)(?![\w:]|[.,]\d| ?(?:Uhr|h\b|€|Euro|%|km|Mio))",
                     lambda m: f"{self.named_days(m['head'])}{own.time(int(m['h']), int(m['m']), None, m)}"),
                rule(r"(?<![\w./])So\.? (?:u\.|und|&) (?=[Ff]eiertag(?P<end>e|en|s)?\b)",
                     lambda m: "sonn- und " if text_after(m, 1) == "f" else "Sonn- und "),
                rule(r"(?<=[a-zäöüß][.!?,] )LG(?=\s*\Z)", "Liebe Grüße"),
                rule(r"\bzu je (?:½|1/2)(?![\w/])", "je zur Hälfte"),
                rule(r"(?P<by>\b(?i:mit|aus|von|zu) je) 1 (?P<noun>EL|TL|[A-ZÄÖÜ][a-zäöüß]{2,30})\b(?!-)",
                     lambda m: f"{m['by']} {own.one(SPOONS.get(m['noun'], m['noun']), 'mit ')} "
                     f"{SPOONS.get(m['noun'], m['noun'])}"),
                rule(r"\b(?P<land>[A-Z]{3})/(?P<m>\d{1,2}):(?P<s>[0-5]\d)(?P<part>(?:,\d{1,2})?) ?Min\.",
                     lambda m: f"{m['land']}, {own.counted(m['m'], own.unit_names['min'].split('|'))} "
                     + own.counted(f"{int(m['s'])}{m['part']}", own.unit_names["s"].split("|"))),
                rule(r"(?<![\w.])Beschl\.(?= (?:v\.|vom)|[,;)])", "Beschluss"),
                rule(r"(?<![\w.])m\. ?d\. ?B\.(?= um\b)", "mit der Bitte"),
                rule(r"(?<![\w.,/-])(?P<a>\d{1,3}) ?[×x] ?(?P<b>\d{1,3}(?:\.\d{3})?(?:,\d\d)?) ?€(?!\w|/)",
                     lambda m: f"{own.cardinal(int(m['a']))} {own.times} {own.price(m['b'], '€')}"),
                rule(r"(?:(?<=\berst )|(?<=\bgegen )|(?<=pätestens )|(?<=\bschon um )|(?<=\bso um )|(?<=\bkurz vor )"
                     r"|(?<=\bkurz nach ))(?P<h>[01]?\d|2[0-3])\.(?P<m>00|15|30|45)(?![\w%]|[.,:]\d"
                     r"| ?(?:%|€|Euro|Prozent|Meter|Grad|Punkt|Mio|Mrd|Uhr|km|kg))",
                     lambda m: own.time(int(m["h"]), int(m["m"]), None, m)),
                rule(r"(?:(?<=[a-zäöü] ab )|(?<=[a-zäöü] an ))(?P<h>[01]?\d|2[0-3])\.(?P<m>[0-5]\d)(?= \(Gl)",
                     lambda m: own.time(int(m["h"]), int(m["m"]), None, m)),
                rule(r"(?<![\w.,-])(?P<n>\d{1,3}(?:,\d)?) ?MP(?!\w|-)", lambda m: f"{own.spoken(m['n'])} Megapixel"),
                rule(r"(?<!\w)(?P<room>EZ|DZ)-(?=(?:Zuschlag|Zimmer|Preis|Aufpreis|Belegung)\b)",
                     lambda m: {"E": "Einzelzimmer-", "D": "Doppelzimmer-"}[m["room"][0]]),
                rule(r"(?<=\b[Ii]m )(?P<floor>EG|UG|DG)(?![\w-])(?! -)",
                     lambda m: {"E": "Erdgeschoss", "U": "Untergeschoss", "D": "Dachgeschoss"}[m["floor"][0]]),
                rule(r"(?:(?<=\bwurde )|(?<=\bwar )|(?<=\bist )|(?<=\bals ))(?P<n>\d{1,3})\."
                     r"(?=,| (?:hinter|vor|und|in|im|bei)\b)", self.placed_woman),
                rule(r"(?<=[a-z] )(?P<n>\d{1,3})\.(?=, \d{1,3},\d{1,2} Sek)", self.placed_woman),
                rule(r"(?<![\w.,-])(?P<n>\d{1,4}(?:,\d)?) ?(?P<k>k?)[Bb]it/s(?!\w)",
                     lambda m: f"{own.spoken(m['n'])} {'Kilobit' if m['k'] else 'Bit'} pro Sekunde"),
                rule(r"(?:(?<=\bkostet )|(?<=\bkosten )|(?<=\bkostete )|(?<=\bzahle )|(?<=\bzahlen )|(?<=\bbezahlt ))"
                     r"(?P<a>[1-9]\d{0,2}),(?P<b>\d\d)(?=[.;!?](?!\d)|\s*\Z| (?:pro|je|im|am|die|und|statt|inkl)\b)",
                     lambda m: f"{own.cardinal(int(m['a']))} Euro"
                     + (f" {own.cardinal(int(m['b']))}" if int(m["b"]) else "")),
                rule(r"(?<=[a-zäöüß] )1(?= (?P<noun>Mann|Frau|Kind|Junge|Mädchen|Person|Mensch"
                     r"|Toter|Tote|Verletzter|Verletzte)\b)",
                     lambda m: ("eine" if m["noun"] in ("Frau", "Person", "Tote", "Verletzte") else "ein")
                     if re.search(r"(?:\A| )[A-ZÄÖÜ][\wäöüß-]+ \Z", text_before(m, 40)) else None),
                rule(r"(?<![\w.,/-])1(?= (?!kein|[mds]ein|ihr|unser|eine|dies|jede|alle|viel|solch|manch|welch|beide"
                     r"|weniger|mehrere|oder|aber|wieder|immer|unter|über|hinter|gegen|neben|wegen|zwischen)[a-zäöüß]{3,20}?(?<!end)(?P<end>e|er|es|en)"
                     r" (?P<noun>[A-ZÄÖÜ][a-zäöüß]{2,30})\b)",
                     self.one_such),
                rule(r"(?P<before>\b[A-ZÄÖÜ][a-zäöüß]{3,30} )(?P<n>[1-9])\. (?=(?P<noun>Instanz|Klasse|Ordnung|Wahl"
                     r"|Generation|Güte|Kategorie|Grades|Ranges)\b)",
                     lambda m: f"{m['before']}{own.ordinal(int(m['n']), 'n' if m['noun'][-1] == 's' else 'r')} "
                     if not OPENER.fullmatch(m["before"].strip()) else None),
                rule(rf"(?P<before>\b(?:[Vv]on|[Aa]b|[Bb]is|[Ss]eit|[Ii]m|Mitte|Anfang|Ende) )"
                     rf"(?P<month>{one_of(MONTHS)})\.(?= (?:bis|und|oder|an|\d{{4}})\b|[,;)])",
                     lambda m: f"{m['before']}{own.month_names[MONTHS[m['month']] - 1]}"),
                rule(r"(?<![\w.,])(?P<n>\d{1,2})\. Jh\.(?= (?:Papst|König|Kaiser|Fürst|Graf|Herzog|Bischof|Kurfürst)"
                     r" [A-ZÄÖÜ])", self.then_a_ruler),
                rule(r"(?P<before>\b(?:[Vv]om|[Aa]m|[Aa]b|[Bb]is|[Zz]um|dem|den)) (?P<n>[12]?\d|3[01])\.(?= \()",
                     lambda m: f"{m['before']} {own.ordinal(int(m['n']), 'n')}"),
                rule(r"(?<![\w.])Bstg\.(?= ?\d)", "Bussteig"),
                rule(r"(?<![\w.])(?P<z>[Zz])u verm\.", lambda m: f"{m['z']}u vermieten{ends(m)}"),
                rule(r"(?<=[1-9] )KM(?![\w-])", "Kaltmieten"),
                rule(r"(?<![\w.])Kl\.(?= [A-H]\+{0,3}(?![\w.]))", "Klasse"),
                rule(r"(?<![\w.])Bes\.(?= (?:n\.|nach\b))", "Besichtigung"),
                rule(r"(?<![\w.])n\. tel\. (?:Vereinb\.|Vereinbarung)(?!\w)",
                     lambda m: f"nach telefonischer Vereinbarung{ends(m) if m[0][-1] == '.' else ''}"),
                rule(r"(?<=\()(?P<all>\d{1,3}\.(?:/\d{1,3}\.){1,3})(?=[,)])",
                     lambda m: ", ".join(own.ordinal(int(n), "f") for n in re.findall(r"\d+", m["all"]))),
                rule(r"(?<=\()(?P<n>\d{1,3}) S\.(?=[,)])", lambda m: own.counted(m["n"], ["Seite", "Seiten"])),
                rule(r"(?P<head>§ ?\d{1,4}[a-z]?) S\. ?(?=\d)",
                     lambda m: f"Paragraf {self.of_law(m['head'])} Satz "),
                rule(r"(?P<auf>\b[Aa]uf) 1(?= (?P<noun>Jahr|Monat|Tag|Stunde|Minute|Sekunde|Woche|Prozent|Euro"
                     r"|Person|Meter|Kilometer|Liter|Kilo|Drittel|Viertel)\b)",
                     lambda m: f"{m['auf']} {'einen' if m['noun'] in MASCULINE else own.one(m['noun'], '')}"),
                rule(r"(?<![\w.,/-])(?P<n>\d{5}) Stgt\.", lambda m: f"{own.digits(m['n'])} Stuttgart"),
                rule(r"(?<![\w.])Stgt\.", "Stuttgart"),
                rule(r"(?<![\w.,:-])(?P<h>[01]?\d|2[0-4])\.(?P<m>[0-5]\d) bis "
                     r"(?P<h2>[01]?\d|2[0-4])\.(?P<m2>[0-5]\d) ?Uhr(?!\w)",
                     lambda m: f"{own.time(int(m['h']), int(m['m']), None, m)} bis "
                     f"{own.time(int(m['h2']), int(m['m2']), None, m)}"),
                rule(r"(?<![\w.,:-])0(?P<a>\d) ?[–-] ?(?P<b>[012]?\d) ?Uhr(?!\w)",
                     lambda m: f"{own.hours.get(int(m['a'])) or own.cardinal(int(m['a']))} bis "
                     f"{own.hours.get(int(m['b'])) or own.cardinal(int(m['b']))} Uhr"),
                rule(rf"(?<![\w.–-])(?P<a>{DAYS})\. ?[–-] ?(?P<b>{DAYS})\./(?P<c>{DAYS})"
                     r"(?:\.(?= ?[\da-zäöü(:])|(?![\w.]))",
                     lambda m: f"{own.day_names[m['a']]} bis {own.day_names[m['b']]} und {own.day_names[m['c']]}"),
                rule(r"(?<![\w.,-])(?P<n>[2-9]|[1-9]\d{1,3}) (?P<letter>A(?=-(?:Länderspiel|Jugend|Junior|Klasse|Team"
                     r"|Note|Liga|Lizenz|Kader|Mannschaft|Promi))|[WK](?=-Frage))",
                     lambda m: f"{own.cardinal(int(m['n']))} {m['letter']}"),
                rule(r"(?P<head>\b[Aa]ls) (?P<n>\d{1,3})\.(?= (?P<noun>[A-ZÄÖÜ][a-zäöüß]{3,30})\b)", self.as_rank),
                rule(r"(?<![\w.])St (?=\d{4}\b)", "Staatsstraße "),
                rule(r"(?P<one>\b(?:[Ee]in|[Kk]ein|[Mm]ein|[Dd]ein|[Ss]ein|[Ii]hr|[Uu]nser)) sog\."
                     r"(?= (?P<noun>[A-ZÄÖÜ][a-zäöüß]{2,30}))",
                     lambda m: f"{m['one']} sogenannte{'s' if gender(m['noun']) == 'n' else 'r'}"),
                rule(r"(?P<by>\b(?i:mit|von|aus|bei|unter|zwischen|an|nach)) ehem\.(?= [A-ZÄÖÜ][a-zäöüß]{2,30}n\b)",
                     lambda m: f"{m['by']} ehemaligen"),
                # A feminine noun behind "der" is in the genitive or the dative.
                rule(r"(?P<der>\b(?:[Dd]er|[Dd]ieser|[Jj]eder)) (?P<n>\d{1,3})\."
                     r"(?= (?P<noun>[A-ZÄÖÜ][\wäöüß-]{1,40}[a-zäöüß])(?![\w-]))",
                     lambda m: f"{m['der']} {own.ordinal(int(m['n']), 'n')}"
                     if gender_of_noun(m["noun"]) == "f" or gender(m["noun"]) == "f" else None),
                rule(r"(?<![\w.,])(?P<all>\d{1,3}\.(?:, \d{1,3}\.){0,5})(?P<last>(?: und|,| u\.) \d{1,3}\.)"
                     r" ?\+ ?(?P<more>\d{1,2})(?=[.]? (?:Minute|Min\.|Spielminute))", self.minutes),
            )),
        )  # fmt: skip

    def noble(self, match: re.Match[str]) -> str:
        """ "Fürst Karl Egon III. ließ"."""
        if match["title"].endswith(("en", "s")):
            said = self.own.ordinal(value(match["n"]), "n")
            return f"{match['head']} des {said[:1].upper()}{said[1:]}"
        return f"{match['head']} {self.own.regnal(value(match['n']), match['name'], text_before(match, 12))}"

    def one_more(self, match: re.Match[str]) -> str | None:
        """ "Bring 2 Flaschen u. 1 Kasten mit": an object as well."""
        noun = match["noun"]
        if not TAKES.search(text_before(match, 80)):
            return None
        if re.search(r"\b(?:mit|von|aus|bei|zu)\b[^.!?;:]*\Z", text_before(match, 80)):
            return None
        masculine = noun in MASCULINE or gender_of_noun(noun) == "r" or gender(noun) == "m"
        return "einen" if masculine else None

    def noble_too(self, match: re.Match[str]) -> str:
        """ "unter Friedrich III. und Wilhelm II.": in the case of the first."""
        before = text_before(match, 60)
        led = re.search(r"\b(?i:unter|mit|von|nach|bei|zu|seit|zwischen|vor) [A-ZÄÖÜ][\wäöüß. ]{2,40}\Z", before)
        said = self.own.regnal(value(match["n"]), match["name"], "unter " if led else "")
        joint = match["und"].replace("u.", "und").replace("bzw.", "beziehungsweise")
        return f"{joint}{match['name']} {said}" + (ends(match) if match[0].endswith(".") else "")

    def tyre(self, match: re.Match[str]) -> str:
        own = self.own
        said = f"{own.cardinal(int(match['a']))}, {own.cardinal(int(match['b']))}, {' '.join(match['r'])} "
        said += own.cardinal(int(match["c"]))
        return said + (f", {own.cardinal(int(match['load']))} {match['speed']}" if match["load"] else "")

    def named_days(self, written: str) -> str:
        """ "Mo-Fr " with the names of the days."""
        said = re.sub(r" ?[–-] ?", " bis ", written)
        return re.sub(rf"\b({DAYS})\b\.?", lambda day: self.own.day_names[day[1]], said)

    def placed_woman(self, match: re.Match[str]) -> str | None:
        """ "Lena Dürr wurde 2.": by her first name."""
        sentence = re.split(r"[.!?;,)] ", text_before(match, 90))[-1]
        if not HER_NAME.match(sentence):
            return None
        said = self.own.ordinal(int(match["n"]), "f")
        return said[:1].upper() + said[1:]

    def one_such(self, match: re.Match[str]) -> str | None:
        """ "1 rote Paprika": by the ending of the adjective."""
        before, end, noun = text_before(match, 64), match["end"], match["noun"]
        if NUMBERED.search(before):
            return None
        if end != "en":
            return "eine" if end == "e" else "ein"
        if MEASURED_DATIVE.search(LISTED.sub("", before)):
            return "einer" if FEMININE_NOUN.fullmatch(noun) or gender(noun) == "f" else "einem"
        return "einen"

    def then_a_ruler(self, match: re.Match[str]) -> str:
        before = text_before(match, 6).split()
        word = before[-1].casefold() if before else ""
        form = "n" if word in DECLINING else ARTICLES.get(word, "s")
        return f"{self.own.ordinal(int(match['n']), form)} Jahrhundert{'s' if word in ('des', 'eines') else ''}."

    def of_law(self, written: str) -> str:
        number, letter = re.fullmatch(r"§ ?(\d+)([a-z]?)", written).groups()  # type: ignore[union-attr]
        return f"{self.own.cardinal(int(number))} {letter}".rstrip()

    def as_rank(self, match: re.Match[str]) -> str | None:
        """ "als 2. Deutscher", "als 1. Frau"."""
        noun = match["noun"]
        if OPENER.fullmatch(noun):
            return None
        form = gender_of_noun(noun) or {"m": "r", "f": "f", "n": "s"}.get(gender(noun) or "")
        form = form or ("r" if noun.endswith("er") else "f" if noun.endswith("e") else None)
        return form and f"{match['head']} {self.own.ordinal(int(match['n']), form)}"

    def war(self, match: re.Match[str]) -> str:
        before = text_before(match, 8).split()
        word = before[-1].casefold() if before else ""
        number = int(match["n"]) if match["n"].isdecimal() else value(match["n"])
        return f"{self.own.ordinal(number, 'n' if word in DECLINING else ARTICLES.get(word, 'r'))} Weltkrieg"

    def minutes(self, match: re.Match[str]) -> str:
        """ "in der 9., 33. und 90.+3 Minute"."""
        before = text_before(match, 6).split()
        form = "n" if before and before[-1].casefold() in ("der", "zur", "den") else "f"
        said = re.sub(r"(\d+)\.", lambda n: self.own.ordinal(int(n[1]), form), match["all"] + match["last"])
        return f"{said.replace(' u. ', ' und ')} plus {self.own.cardinal(int(match['more']))}"
