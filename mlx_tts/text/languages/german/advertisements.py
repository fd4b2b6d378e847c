"""German advertisements, charts and travel offers: words that are cut short in them alone -> words."""

from __future__ import annotations

import re

from mlx_tts.text.languages.german.adjectives import ending
from mlx_tts.text.languages.german.grammar import OPENERS, ends
from mlx_tts.text.normalise.engine import Kind, mentions, one_of, rule, text_after, text_before, words_of
from mlx_tts.text.normalise.european import European

# What only an advertisement has.
OFFER = re.compile(
    r"€|\b(?:Euro|EUR|VB|VHB|FP|NP|EBK|TÜV|HU|EZ|Bj|MM|NK|WM|KM|Whg|Zi|ZKB|PS|kW|Verkaufe|Suche|Biete|Abhol\w*"
    r"|Selbstabh\w*|Privatverkauf|Neupreis|Festpreis|Kaution|Warmmiete|Kaltmiete|Makler|Provision\w*)(?!\w)|m²|\bqm\b"
)
# Said as they are, and with an ending before a noun that shows it.
STATES = {
    "gepfl": "gepflegt", "renov": "renoviert", "san": "saniert", "kernsan": "kernsaniert", "modernis": "modernisiert",
    "ausgest": "ausgestattet", "neuw": "neuwertig", "gebr": "gebraucht", "kompl": "komplett", "vollst": "vollständig",
    "ruh": "ruhig", "sonn": "sonnig", "zentr": "zentral", "schw": "schwarz", "met": "metallic", "gef": "gefahren",
    "verkehrsg": "verkehrsgünstig", "unverb": "unverbindlich", "orig": "original", "gemütl": "gemütlich",
    "unterk": "unterkellert", "beh": "behindert", "bezugsf": "bezugsfertig", "ebenerd": "ebenerdig",
    "lichtdurchfl": "lichtdurchflutet", "großz": "großzügig", "teilmöbl": "teilmöbliert", "vollmöbl": "vollmöbliert",
    "unmöbl": "unmöbliert", "el": "elektrisch", "ungetr": "ungetragen", "getr": "getragen", "unben": "unbenutzt",
}  # fmt: skip
UNSURE = frozenset(words_of("gef beh getr ungetr san met orig el ruh gebr schw renov"))
FREE = (
    "unfall|rost|barriere|provisions|rauch|makel|kratzer|tierhaar|haustier|gebühren|versandkosten|lizenz|schuld|laktose"
    "|gluten|zucker|alkohol|wartungs|schnee|eis|verkehrs|auto"
)
THINGS = {
    "Zust": "Zustand", "Abhol": "Abholung", "Selbstabh": "Selbstabholer", "Vers": "Versand", "Hzg": "Heizung",
    "Grdst": "Grundstück", "Wohnl": "Wohnlage", "Kaut": "Kaution", "Makl": "Makler", "Nichtr": "Nichtraucher",
    "Kellerr": "Kellerraum", "Abstellr": "Abstellraum", "Laminatb": "Laminatboden", "Parkettb": "Parkettboden",
    "Wannenb": "Wannenbad", "Duschb": "Duschbad", "Tageslichtb": "Tageslichtbad", "Tiefg": "Tiefgarage",
    "Gewährl": "Gewährleistung", "Garant": "Garantie", "Rückn": "Rücknahme", "Ausst": "Ausstattung",
    "Winterr": "Winterreifen", "Sommerr": "Sommerreifen", "Ganzjahresr": "Ganzjahresreifen", "Nebenk": "Nebenkosten",
    "Heizk": "Heizkosten", "Kaltm": "Kaltmiete", "Warmm": "Warmmiete", "Festpr": "Festpreis", "Neupr": "Neupreis",
    "Nabensch": "Nabenschaltung", "Kettensch": "Kettenschaltung", "Besicht": "Besichtigung", "Wasch": "Waschmaschine",
    "Nichtraucherfzg": "Nichtraucherfahrzeug", "Unf": "Unfall", "Gebrauchsp": "Gebrauchsspuren",
    "Nachmiet": "Nachmieter", "Provis": "Provision", "Haust": "Haustiere",
    "Lichtsek": "Lichtsekunden", "Lichtmin": "Lichtminuten",
    "Klimaaut": "Klimaautomatik", "Vollaut": "Vollautomatik", "Stellpl": "Stellplatz",
    "Spülm": "Spülmaschine",
}  # fmt: skip
# The end of a longer word.
ENDS = {"hzg": "heizung", "fzg": "fahrzeug", "getr": "getriebe", "balk": "balkon", "terr": "terrasse",
        "stellpl": "stellplatz", "felg": "felgen", "garag": "garage", "ausst": "ausstattung",
        "insuff": "insuffizienz"}  # fmt: skip
ROOMS = {"DZ": "Doppelzimmer", "EZ": "Einzelzimmer", "ÜF": "Übernachtung mit Frühstück", "HP": "Halbpension",
         "VP": "Vollpension", "FeWo": "Ferienwohnung", "Fewo": "Ferienwohnung"}  # fmt: skip
TRAVEL = re.compile(
    r"\bDZ\b|\b(?:Hotel\w*|Pension|Übernacht\w*|Nächte|Nacht|Frühst\w*|Anreise|Reise\w*|Zimmer|Flug|Wellness\w*"
    r"|Urlaub\w*"
    r"|Gasthof)\b|-Hotel\b|p\. ?P\."
)
SIDES = {"B": "Breite", "T": "Tiefe", "H": "Höhe", "L": "Länge"}
CLINIC = re.compile(
    r"\b(?:mg|ml|tgl|Pat|Patient\w*|Tabl?|Tabletten?|Diagnose|Th|Antibio\w+|Gabe|Infusion\w*|Medikament\w*"
    r"|Allergie|RR|Z"
    r"|Vorerkrankung\w*|Anamnese|Insulin|IE|Dosis|Schmerz\w*|stationär\w*|Klinik|Arzt)\b"
)
WAYS = {"p": "per os", "s": "subkutan", "v": "intravenös", "m": "intramuskulär"}
DAY = r"(?:0?[1-9]|[12]\d|3[01])"
MONTH = r"(?:0?[1-9]|1[0-2])"
DAYS = "Mo|Di|Mi|Do|Fr|Sa|So"
# Behind these a day stands in another case.
DATED = re.compile(
    r"(?i)\b(?:vom?|am|ab|zum|zur|bis|seit|den|dem|der|im|mo|di|mi|do|fr|sa|so|\w+tag|mittwoch)[.,]{0,2} \Z"
)
STREET = re.compile(
    r"(?:[Ss]tr(?:aße\b|\.)|(?:weg|platz|allee|ring|gasse|damm|ufer|hof|berg|markt|Postfach)\b).{0,24}\Z"
)
ABODE = re.compile(
    r"\b(?:Abhol\w+|Standort|Raum|wohn\w+|Selbstabh\w*\.?|Sitz|Büro|Filiale|Praxis|Laden|Nähe)\b[^.;]{0,20} \Z"
)
# Towns that need no street before their code.
TOWNS = (
    "Berlin|Hamburg|München|Köln|Frankfurt|Stuttgart|Düsseldorf|Leipzig|Dortmund|Essen|Bremen|Dresden|Hannover|Nürnberg"
    "|Duisburg|Bochum|Wuppertal|Bielefeld|Bonn|Münster|Mannheim|Karlsruhe|Augsburg|Wiesbaden|Mainz|Kiel|Lübeck|Erfurt"
    "|Rostock|Kassel|Freiburg|Potsdam|Saarbrücken|Regensburg|Würzburg|Ulm|Heidelberg|Göttingen|Jena|Trier|Aachen"
    "|Braunschweig|Chemnitz|Magdeburg|Halle|Krefeld|Oberhausen"
)
# Feminine nouns that are counted also without an article.
COUNTED = (
    "Hand|Auflage|Reihe|Klasse|Mahnung|Instanz|Lesung|Etage|Linie|Stunde|Liga|Hälfte|Halbzeit|Runde|Minute|Seite|Person"
    "|Generation|Woche|Schicht|Dosis|Impfung|Spur|Stufe|Ordnung|Ebene|Potenz|Sitzung|Phase|Ehe|Mannschaft|Wahl|Lage"
    "|Staffel|Folge|Rate|Position|Ausgabe|Serie|Kategorie|Aufführung"
)
TITLES = "med|jur|phil|rer|nat|dent|vet|pol|theol|oec|habil"


class Advertisements:
    """The rules for a language's words. Methods are named after what they say."""

    def __init__(self, own: European):
        self.own = own

    def state(self, match: re.Match[str]) -> str | None:
        """ "ruh. Lage", "gut gepfl."."""
        word = match["word"]
        said = (match["first"] or "") + STATES[word.casefold()]
        said = said.capitalize() if word[0].isupper() else said
        noun = re.match(r" ([A-ZÄÖÜ][a-zäöüß]{2,30}(?:-[A-ZÄÖÜ][a-zäöüß]{2,30})?|[A-ZÄÖÜ][a-zäöüß]+\.)",
                        text_after(match, 44))  # fmt: skip
        if word.casefold() in UNSURE and not mentions(OFFER, match.string):
            return None
        if noun is None or re.fullmatch(OPENERS, noun[1]) or said.endswith(("metallic", "original")):
            return said + ends(match)
        named = THINGS.get(noun[1].rstrip("."), noun[1])
        end = ending(text_before(match, 40), named, True)
        return said + (end or "")

    def thing(self, match: re.Match[str]) -> str | None:
        if match["word"] in ("Vers", "Unf", "Wasch", "Garant") and not mentions(OFFER, match.string):
            return None
        said = THINGS[match["word"]]
        if text_after(match, 1) == "-":
            return f"{said}{'n' if said.endswith('age') else ''}"
        return said + ends(match)

    def sides(self, match: re.Match[str]) -> str | None:
        """ "B 220 x T 95 x H 80 cm"."""
        own, said = self.own, []
        parts = re.findall(r"([BTHL]):? ?(\d{1,4}(?:,\d)?)(?: ?(cm|mm|m))?", match[0])
        last = parts[-1][2]
        if len({letter for letter, *_ in parts}) < len(parts) or (not last and not parts[0][2] and "," in match[0]):
            return None  # roads: "B 2, L 123"
        for letter, number, unit in parts:
            unit = unit if unit and unit != last else ""
            said.append(
                f"{SIDES[letter]} {own.spoken(number)}{' ' + own.unit_names[unit].split('|')[-1] if unit else ''}"
            )
        if last:
            said[-1] += f" {own.unit_names[last].split('|')[-1]}"
        return ", ".join(said)

    def span_of_days(self, match: re.Match[str]) -> str | None:
        """ "Ferien 29.7. bis 8.9.": without a preposition both are in the nominative."""
        own = self.own
        form = "n" if DATED.search(text_before(match, 14)) else "r"
        if form == "n" and match["am"]:
            return None
        months = own.month_names
        first, last = (own.ordinal(int(match[name]), form) for name in "ab")
        if match["am"]:
            first += f" {months[int(match['am']) - 1]}" + (f" {own.year(int(match['ay']))}" if match["ay"] else "")
        month = match["bm"]
        last += f" {match['bn'] or (own.ordinal(int(month), 'n') if form == 'n' else months[int(month) - 1])}"
        year = match["by"] or ""
        if year:
            last += f" {own.year(int(year) + (2000 if len(year.strip()) == 2 else 0))}"
        return f"{first} bis {last}{'' if year or match['bn'] else ends(match)}"

    def post_code(self, match: re.Match[str]) -> str | None:
        """The code of a town is said digit by digit."""
        street = STREET.search(text_before(match, 60)) and re.search(
            r"\d ?[a-z]?,? \Z|[,\n] ?\Z", text_before(match, 4)
        )
        abode = ABODE.search(text_before(match, 40))
        if not (match["land"] or abode or re.match(rf" (?:{TOWNS})\b", text_after(match, 16)) or street):
            return None
        return f"{match['land'] or ''}{' ' if match['land'] else ''}{self.own.digits(match['n'])}"

    def declined(self, match: re.Match[str]) -> str | None:
        """ "aus 1. Hand", "bis 3. Etage": without an article the ordinal shows the case."""
        said = self.own.ordinal(int(match["n"]), "f" if match["before"].casefold() == "bis" else "r")
        return f"{match['before']} {said}"

    def week(self, match: re.Match[str]) -> str:
        """ "Sa/So", "Mo/Mi/Fr"."""
        days = [self.own.day_names[day] for day in re.findall(DAYS, match[0])]
        return f"{', '.join(days[:-1])} und {days[-1]}"

    def kinds(self) -> tuple[Kind, ...]:
        own = self.own
        return (
            Kind("advertisement", re.compile(
                r"[a-zäöüA-Z]\.|\b(?:DZ|EZ|KM|WM|ÜF|HP|VP|F[Ee][Ww]o|Bhf)\b|[MDFS][oiraA]/|\b[BTHL]:? ?\d|\d\.|\d{5} "
            ), (
                rule(r"(?<![\w.-])(?P<first>(?:scheckheft|un|gut)?)(?P<word>gepfl)\.(?!\w)", self.state),
                rule(rf"(?<![\w.-])(?P<first>)(?P<word>{one_of([*STATES, *map(str.capitalize, STATES)])})\.(?!\w)"
                     r"(?= [A-ZÄÖÜa-zäöüß(]|[,;)&]|\s*\Z)", self.state),
                rule(rf"(?<![\w.-])(?P<first>{FREE})fr\.(?=[,;)]| |\s*\Z)",
                     lambda m: f"{m['first']}frei{ends(m)}"),
                rule(r"(?<![\w.-])(?P<first>silber|blau|schwarz|grau|rot|grün|weiß|gold)met\.",
                     lambda m: f"{m['first']}metallic{ends(m)}"),
                rule(r"(?<![\w.-])el\. FH(?!\w)", "elektrische Fensterheber"),
                rule(r"(?<![\w.,-])(?P<n>[2-9]|[12]\d)-?Gg?\.-?(?=[A-ZÄÖÜ][a-zäöüß])",
                     lambda m: f"{own.cardinal(int(m['n'])).capitalize()}-Gang-"),
                rule(r"(?<![\w.-])ren\.-?bed\.", lambda m: f"renovierungsbedürftig{ends(m)}"),
                rule(r"(?:(?<=gut )|(?<=bestens )|(?<=gepflegt, ))erh\.", lambda m: f"erhalten{ends(m)}"),
                rule(r"(?<=\bzu )(?P<do>verk|verm|versch|vermiet)\.",
                     lambda m: {"verk": "verkaufen", "versch": "verschenken"}.get(m["do"], "vermieten") + ends(m)),
                rule(r"(?<![\w.-])pens\.(?= [A-ZÄÖÜ])", "pensionierte"),
                rule(r"(?<![\w.-])v\. priv\.", lambda m: f"von privat{ends(m)}"),
                rule(r"(?<![\w.,-])(?P<n>[48])-?f(?:ach|\.) ber(?:\.|eift)",
                     lambda m: f"{own.cardinal(int(m['n']))}fach bereift{ends(m)}"),
                rule(rf"(?:(?<![\w.-])|(?<=\.-)|(?<=[a-zäöüß]-))(?P<word>{one_of(THINGS)})\.(?!\w)", self.thing),
                rule(rf"(?<![\w.-])(?P<first>[A-ZÄÖÜ][a-zäöüß]{{2,18}})(?P<end>{one_of(ENDS)})\.(?=[,;)& -]|\s*\Z)",
                     lambda m: f"{m['first']}{ENDS[m['end']]}" + ("" if text_after(m, 1) == "-" else ends(m))),
                rule(r"(?<![\w.-])kl\.(?= (?:Gebrauchs|Kratzer|Mängel|Macken|Fehler|Schäden|Dellen))", "kleine"),
                rule(r"(?<![\w.,])(?P<n>\d{1,2})\. Hd\.",
                     lambda m: own.ordinal(int(m["n"]), "r" if text_before(m, 4) == "aus " else "f")
                     + f" Hand{ends(m)}"),
                rule(r"(?<!\w)(?P<which>[KW])M(?=:? ?(?:ca\. ?)?\d[\d.]{1,6}(?:,\d\d)? ?(?:€|EUR|Euro))",
                     lambda m: "Kaltmiete" if m["which"] == "K" else "Warmmiete"),
                rule(r"(?:(?<=€ )|(?<=EUR )|(?<=Euro ))(?P<which>[KW])M(?!\w)",
                     lambda m: "Kaltmiete" if m["which"] == "K" else "Warmmiete"),
                rule(r"(?<![\w.])(?:[BTHL]:? ?\d{1,4}(?:,\d)?(?: ?(?:cm|mm|m))? ?[x×/,] ?){1,2}[BTHL]:? ?\d{1,4}"
                     r"(?:,\d)?(?: ?(?:cm|mm|m))?(?!\w|[.,]\d)", self.sides),
                rule(r"(?<!\w)(?P<a>[BTHL]) ?[x×/] ?(?P<b>[BTHL])(?: ?[x×/] ?(?P<c>[BTHL]))?(?!\w)",
                     lambda m: ", ".join(SIDES[m[name]] for name in "abc" if m[name])),
            )),
            Kind("travel", re.compile(r"\b(?:DZ|EZ|ÜF|HP|VP|F[Ee][Ww]o|Bhf)\b|/N\b|/Pers|p\. ?P\."), (
                rule(rf"(?<!\w)(?P<room>{one_of(ROOMS)})(?:/(?P<board>ÜF|HP|VP))?(?![\w-])",
                     lambda m: ROOMS[m["room"]] + (f", {ROOMS[m['board']]}" if m["board"] else "")
                     if mentions(TRAVEL, m.string) and not re.match(r":? \d\d?/\d", text_after(m, 7)) else None),
                rule(r"(?<!\w)Bhf(?![\w.])", "Bahnhof"),
                rule(r"(?<![\w.])(?:p\. ?P\.|pro Person) ?(?:/|u\.|und) ?(?:N\.|Nacht)",
                     lambda m: f"pro Person und Nacht{ends(m) if m[0][-1] == '.' else ''}"),
                rule(r"(?<=\bpro Nacht)(?:/| u\. | und )Pers\.", lambda m: f" und Person{ends(m)}"),
            )),
            Kind("clinic", re.compile(r"\b[psi]\. ?[ovcm]\.|\bDiab\.|\b(?:med|jur|phil|rer)\.|\bv\. "), (
                rule(r"(?<![\w.])(?:(?P<a>[ps])\. ?[oc]|i\. ?(?P<b>[vm]))\.(?!\w)",
                     lambda m: WAYS[m["a"] or m["b"]] + ends(m) if mentions(CLINIC, m.string) else None),
                rule(r"(?<![\w.])Diab\.(?= (?:mell|Typ|insip))", "Diabetes"),
                rule(r"(?<![\w.])insip\.", lambda m: f"insipidus{ends(m)}"),
                rule(rf"(?<![\w.])Dr\.(?P<all>(?: ?(?:{TITLES})\.){{1,3}})(?= (?:[A-ZÄÖÜ]|h\. ?c\.))",
                     lambda m: f"Doktor {' '.join(re.findall('[a-z]+', m['all']))}"),
                rule(r"(?:(?<=[A-Za-zäöüß\d] )|(?<=, ))v\.(?= (?:de[rmn]|eine[mrn]|dies\w+|unser\w+|ihr\w*|sein\w*"
                     r"|mein\w*|mir|uns|allen)\b)", "von"),
            )),
            Kind("date", re.compile(r"\d\.|[MDFS][oira]\.?[/ ]"), (
                rule(rf"(?<![\w.,-])(?P<a>{DAY})\. ?(?:(?P<am>{MONTH})\. ?(?P<ay>[12]\d{{3}})?)?(?: ?[–-] ?| bis )"
                     rf"(?P<b>{DAY})\. ?(?:(?P<bm>{MONTH})\.|(?P<bn>{one_of(own.month_names)})\b)"
                     r"(?P<by> ?[12]\d{3}|\d\d)?(?!\w|[.,:]\d| ?Uhr)",
                     self.span_of_days),
                rule(rf"(?<![\w.])(?:{DAYS})\.?(?:/(?:{DAYS})\.?){{1,4}}(?![\w/])(?=[ ,:;)]|\Z)",
                     lambda m: self.week(m) + (ends(m) if m[0][-1] == "." else "")),
                rule(rf"(?<![\w.])(?P<day>{DAYS})\.(?= (?:Ruhetag|geschlossen|frei|zu)\b)",
                     lambda m: own.day_names[m["day"]]),
                rule(r"(?<=\()(?P<n>\d{1,3})\./(?P<how>PP|SH|EN|FE|ET|HE)(?=[,)])",
                     lambda m: f"{own.ordinal(int(m['n']), 'f')}, {m['how']}"),
                rule(r"\b(?P<before>(?i:aus|in|mit|nach|von|zu|bei|seit|ab|bis)) (?P<n>\d{1,3})\."
                     rf"(?= (?:{COUNTED})\b)", self.declined),
            )),
            Kind("address", re.compile(r"\d{5} "), (
                rule(r"(?<![\w.,/-])(?P<land>(?:D-)?)(?P<n>\d{5})"
                     r"(?= (?:[A-Z]{1,2}-)?[A-ZÄÖÜ][a-zäöüß]{2})", self.post_code),
            )),
        )  # fmt: skip
