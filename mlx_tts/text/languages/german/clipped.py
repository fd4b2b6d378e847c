"""German words of which the end is left out, towns on rivers, rulers with two names, halves of hours -> words."""

from __future__ import annotations

import re

from mlx_tts.text.languages.german.adjectives import ending
from mlx_tts.text.languages.german.grammar import OPENERS, ends
from mlx_tts.text.normalise.engine import Kind, mentions, one_of, rule, text_after, text_before
from mlx_tts.text.normalise.european import European
from mlx_tts.text.roman import value

# Adjectives in "-lich", by what is left of them before "l.".
CUT = (
    r"(?P<stem>(?:[Pp]ersön|[Ss]ach|[Ff]ach|[Ss]port|(?:un)?gesundheit|nachträg|[Öö]rt|nächt|pünkt|feier|[Aa]usführ"
    r"|[Gg]eschäft|[Vv]ertrag|[Dd]urchschnitt|herz|mensch|natür|künst|wesent|eigent|end|grundsätz|kind|nament|hauptsäch"
    r"|ursprüng|ausschließ|fried|fröh|glück|gefähr|erheb|(?:un)?deut|bau|stünd|sommer|winter|länd|bürger"
    r"|handwerk|inhalt"
    r"|zeit|räum|bild|unterschied|wahrschein|vermut|erforder|gebräuch|(?:handels)?üb|verbind|verantwort|steuer|polizei"
    r"|christ|(?:viertel|halb)jähr|gründ|(?:außer)?ordent|gelegent|hoffent|angeb|maßgeb|vergeb|käuf|verkäuf"
    r"|(?:haupt|neben)beruf|vorsorg|diesbezüg|anläss|unverzüg|nachdrück|ausdrück|augenblick|schließ|äußer|körper"
    r"|farb|volkswirtschaft|privatrecht|strafrecht|arbeitsrecht|mietrecht|geld|ausdrück|fachärzt|hausärzt|tierärzt"
    r"|zahnärzt|feind|ungewöhn|gewöhn|nütz|plötz|schäd|heim|wirk|ehr|lieb|hand|jugend|geschicht|partnerschaft"
    r"|gemeinschaft|freiberuf|elter|mütter|väter|herbst|früh|verständ|umständ|gütl|abschluss)l)"
)
TERMS = {"kurzfr": "kurzfristig", "langfr": "langfristig", "mittelfr": "mittelfristig", "halbtäg": "halbtägig",
         "ganztäg": "ganztägig", "ganzj": "ganzjährig", "medizin": "medizinisch", "juristi": "juristisch",
         "technolog": "technologisch", "ökolog": "ökologisch", "biolog": "biologisch",
         "statist": "statistisch", "elektron": "elektronisch", "automat": "automatisch", "prakt": "praktisch",
         "theoret": "theoretisch", "physikal": "physikalisch", "chem": "chemisch", "sportl": "sportlich",
         "innerh": "innerhalb", "außerh": "außerhalb", "selbstst": "selbstständig", "selbständ": "selbständig",
         "vollständ": "vollständig", "notwend": "notwendig", "gleichz": "gleichzeitig", "rechtz": "rechtzeitig",
         "gegens": "gegenseitig", "beids": "beidseitig", "mehrj": "mehrjährig",
         "abschließ": "abschließend", "anschließ": "anschließend", "umfass": "umfassend"}  # fmt: skip
RIVERS = {"M": "am Main", "Rh": "am Rhein", "N": "am Neckar"}
ON_THE = {"O": "Oder", "R": "Ruhr", "W": "Weinstraße", "T": "Tauber", "D": "Donau", "S": "Saale", "I": "Isar",
          "L": "Lahn", "E": "Elbe", "H": "Havel"}  # fmt: skip
TOWN = r"(?P<town>\b[A-ZÄÖÜ][a-zäöüß]{2,20})"
EVENTS = (
    "Start|Beginn|Einlass|Treffpunkt|Treffen|Abfahrt|Ankunft|Anpfiff|Anstoß|Ende|Rückfahrt|Rückkehr|Feierabend"
    "|Los geht'?s|Abholung|Anreise|Abreise|Schluss|Party|Training|Probe|Konzert|Aufbau|Abbau"
)
SECOND_NAMES = "Adolf|August|Wilhelm|Emanuel|Joseph|Josef|Maria|Karl|Gustav|Philipp|Eugen|Ernst|Georg|Ludwig|Johann"
HOLY = r"(?:Abend|Geist(?:es)?|Vater[s]?|Land|Schrift|Familie|Stuhl|Messe|Nacht|[A-ZÄÖÜ][a-zäöüß]{3,12})"
# Behind these "1-2" is not an amount.
NAMED = re.compile(
    r"\b(?:Seiten?|S\.|Kapitel|Kap\.|Plätze|Platz|Teile?|Klassen?|Aufgaben?|Nr\.|Nummern?|Abs\.|Abb\.|Zimmer"
    r"|Linien?|Stufen?"
    r"|Gruppen?|Phasen?|Folgen?|Bände?|Bd\.|Tag|Woche|Gleise?|Tore?|Level|Typ|Position|Ränge?|Rang|Satz|Punkte"
    r"|von|Ziffern?"
    r"|Liga|Q|Staffeln?|Schritte?|Wochen|Tage|Häuser|Haus|Größen?|Noten?|Note|Stärken?) \Z"
)
PRESSURE = re.compile(r"\b(?:Blutdruck\w*|RR|Druck|mmHg|systol\w*|Hypert\w+)\b")
DOSES = re.compile(r"\b(?:mg|Tabl?|Tbl|Tabletten?|Kapseln?|Ramipril|Metformin|µg)\b")


class Clipped:
    """The rules for a language's words. Methods are named after what they say."""

    def __init__(self, own: European):
        self.own = own

    def adjective(self, match: re.Match[str], said: str) -> str | None:
        """With the ending that the noun behind it asks for."""
        noun = re.match(r" ((?:[A-ZÄÖÜ][A-ZÄÖÜa-zäöüß]{0,20}-)?[A-ZÄÖÜ][a-zäöüß]{2,30})", text_after(match, 44))
        if noun is None or re.fullmatch(OPENERS, noun[1]):
            return said + ends(match)
        end = ending(text_before(match, 40), noun[1], True)
        if end is None:
            # Of several without an article, as they mostly are.
            several = noun[1].endswith(("en", "er", "e", "s"))
            end = (
                ("en" if re.search(r"\b(?:mit|aus|von|bei|nach|zu|in|vor) \Z", text_before(match, 5)) else "e")
                if several
                else ""
            )
        return said + end

    def cut(self, match: re.Match[str]) -> str | None:
        stem = match["stem"]
        if not re.match(r" [a-zäöüß\d(]| [A-ZÄÖÜ][a-zäöüß]|[,;)]", text_after(match, 4)):
            return None
        return self.adjective(match, f"{stem}ich")

    def amount(self, match: re.Match[str]) -> str | None:
        """ "1-2 Tage", "1 bis 2 Kilo"."""
        if NAMED.search(text_before(match, 16)):
            return None
        return f"ein bis {self.own.cardinal(int(match['n']))}"

    def holy_empire(self, match: re.Match[str]) -> str:
        word = (text_before(match, 6).split() or [""])[-1].casefold()
        if word in ("das", "ins"):
            ends_ = ("e", "e")
        elif word in ("dem", "des", "im", "vom", "zum", "am"):
            ends_ = ("en", "en")
        else:
            ends_ = ("es", "es")
        return f"Heilig{ends_[0]} Römisch{ends_[1]} Reich"

    def saint(self, match: re.Match[str]) -> str | None:
        """ "der hl. Martin", "am Hl. Abend"."""
        word = (text_before(match, 8).split() or [""])[-1].casefold()
        said = f"{match['h']}eilige"
        if word in ("der", "die", "das") and not re.search(
            r"\b(?:in|an|auf|mit|von|zu|aus|bei|nach) der \Z", text_before(match, 9)
        ):
            return said
        if word in ("dem", "den", "des", "am", "im", "vom", "zum", "beim", "einem", "der", "zur"):
            return f"{said}n"
        return (
            f"{said}{'s' if re.match(' Land', text_after(match, 5)) else 'r' if not word or word[-1] in ',:.;' else ''}"
        )

    def pressure(self, match: re.Match[str]) -> str | None:
        a, b = int(match["a"]), int(match["b"])
        if not (70 <= a <= 260 and 30 <= b < a) or not PRESSURE.search(text_before(match, 60)):
            return None
        return f"{self.own.cardinal(a)} zu {self.own.cardinal(b)}"

    def quarters(self, match: re.Match[str]) -> str:
        """ "ca. ¾ Std.", "in ¼ Std."."""
        before = match["before"] or ""
        said = "dreiviertel Stunde" if match["three"] else "Viertelstunde"
        stop = ends(match) if match[0].endswith(".") else ""
        if before.casefold() in ("eine", "einer"):
            return f"{match[0].split(' ')[0]} {said}{stop}"
        about = re.search(r"ca\.|etwa|rund", match[0])
        spoken = f"{ {'ca.': 'circa'}.get(about[0], about[0]) } " if about else ""
        return f"{before + ' ' if before else ''}{spoken}{'einer' if before else 'eine'} {said}{stop}"

    def kinds(self) -> tuple[Kind, ...]:
        own = self.own
        half = r"(?:½|1/2)"
        return (
            Kind("clipped", re.compile(r"[a-zäöüß]\."), (
                rule(rf"(?<![\w.-]){CUT}\.(?![\w-])", self.cut),
                rule(rf"(?<![\w.-])(?P<stem>{'|'.join(TERMS)})\.(?![\w-])",
                     lambda m: self.adjective(m, TERMS[m["stem"]])
                     if re.match(r" [a-zäöüß\d]| [A-ZÄÖÜ][a-zäöüß]{2}|[,;)]", text_after(m, 4)) else None),
            )),
            Kind("town", re.compile(r" [abo]\. ?|/[MO]"), (
                rule(rf"{TOWN} a\. ?(?P<of>M|Rh|N)\.(?!\w)", lambda m: f"{m['town']} {RIVERS[m['of']]}{ends(m)}"),
                rule(r"(?P<town>\bFrankfurt) ?[/(] ?(?:M\.|Main)(?!\w)\)?", lambda m: f"{m['town']} am Main"
                     + (ends(m) if m[0][-1] == "." else "")),
                rule(rf"{TOWN} (?P<on>[ao])\. ?d\. ?(?P<of>[ORWTDSILEH])\.(?!\w)",
                     lambda m: f"{m['town']} {'an' if m['on'] == 'a' else 'ob'} der {ON_THE[m['of']]}{ends(m)}"),
                rule(rf"{TOWN} (?P<on>[ao])\. ?d\.(?= [A-ZÄÖÜ][a-zäöüß]{{2}})",
                     lambda m: f"{m['town']} {'an' if m['on'] == 'a' else 'ob'} der"),
                rule(rf"{TOWN} a\."
                     r"(?= (?:Main|Rhein|Inn|Neckar|Lech|Chiemsee|Ammersee|Bodensee|Tegernsee"
                     r"|See|Harz|Berg|Wald)\b)",
                     lambda m: f"{m['town']} am"),
                rule(rf"{TOWN} b\."
                     r"(?= (?:München|Berlin|Hamburg|Köln|Stuttgart|Nürnberg|Bremen|Hannover|Leipzig|Dresden|Wien)\b)",
                     lambda m: f"{m['town']} bei"),
            )),
            Kind("ruler", re.compile(r"\b[IVX]+\. [A-Z]|\b[Hh]l\. "), (
                rule(rf"(?P<name>\b[A-ZÄÖÜ][a-zäöüß]{{3,12}}) (?P<n>I{{1,3}}|IV|VI{{0,3}}|IX|X{{1,2}}"
                     rf"(?:I{{1,3}}|IV|V)?)\. "
                     rf"(?P<second>{SECOND_NAMES})\b",
                     lambda m: f"{m['name']} {own.regnal(value(m['n']), m['name'], text_before(m, 12))} "
                     f"{m['second']}"),
                rule(r"(?<![\w.])(?:Hl|Heil)\. ?Röm\. ?(?=Reich)", lambda m: f"{self.holy_empire(m)[:-5]}"),
                rule(rf"(?<![\w.])(?P<h>[Hh])l\.(?= {HOLY}\b)", self.saint),
            )),
            Kind("greeting", re.compile(r"S\. ?g\.|Sg\.|\bMag\.|Vgl\."
                r"|Ø|Apgar|dl\.|\bo\. |[ei]n?kl\.|unabh|bstst|€ ?\d|\d ?h\b"), (
                rule(r"(?<![\w.])S\.? ?g\.(?= (?P<who>Herr|Hr\.|Frau|Fr\.|Damen|Familie|Fam\.))",
                     lambda m: f"Sehr geehrte{'r' if m['who'][0] == 'H' else ''}"),
                rule(r"(?<![\w.])Mag\.(?=(?: ?\(FH\))? [A-ZÄÖÜ][a-zäöüß])",
                     lambda m: "Magistra" if re.search(r"\b(?:Frau|Fr\.) \Z", text_before(m, 5)) else "Magister"),
                rule(r"Ø ?(?=\d[\d,.]{0,8} ?(?:%|€|km/h|°|Std|Min|l/100|Punkte|Euro))", "durchschnittlich "),
                rule(r"(?<=Apgar )(?P<a>\d{1,2})/(?P<b>\d{1,2})/(?P<c>\d{1,2})(?![\w/]|[.,]\d)",
                     lambda m: ", ".join(own.cardinal(int(m[name])) for name in "abc")),
                rule(r"(?<![\w.])(?<!mit )(?<!Mit )(?P<f>[Ff])r(?:eun)?dl\.(?= Gr(?:üße\b|\.))", r"\g<f>reundliche"),
                rule(r"(?<=[a-zäöüßA-Z] )o\.(?= (?:Aufzug|Lift|Balkon|Makler|Garantie|Batterien?|Keller|Provision"
                     r"|Gewähr|Haut|Kohlensäure|Zucker|Möbel|EBK|Garage|Fahrstuhl|Knochen|Gräten|Alkohol)\b)", "ohne"),
                rule(r"(?<![\w.])unabh\.(?= (?:vo[nm]|davon|da))", "unabhängig"),
                rule(r"(?:(?<=\bu\. )|(?<=\bund )|(?<=, )|(?<=\bfür ))Selbstst\.",
                     lambda m: f"Selbstständige{ends(m)}"),
                rule(r"(?:(?<=\b[Zz]um )|(?<=\b[Ii]m ))Vgl\.", "Vergleich"),
                rule(r"€ ?(?P<n>\d{1,3}(?:\.\d{3})*),[-–—]{1,2}(?!\d)", lambda m: own.counted(m["n"], ["Euro"])),
                rule(r"(?<![\w.])(?P<way>in|ex)kl\."
                     r"(?= (?:Wer|Was|Wie|Wo|Wann|Wir|Ich|Du|Man|Es|Bitte|Dann|Danach|Kommt)\b)",
                     lambda m: f"{m['way']}klusive."),
                rule(rf"(?P<head>\b(?:{EVENTS}):? (?:ca\.? |um |gegen |ab |so )?)(?P<n>[01]?\d|2[0-4]) ?h\b"
                     r"(?! (?:\d|lang|pro|am Tag|Dauer|Pause))",
                     lambda m: f"{m['head'].replace('ca.', 'circa')}"
                     f"{own.hours.get(int(m['n'])) or own.cardinal(int(m['n']))} Uhr"),
            )),
            Kind("named", re.compile(r"\b[ou]\. ?g\.|Vz\."), (
                rule(r"(?<![\w.])(?P<way>[ou])\. ?g\.(?= (?P<noun>[A-ZÄÖÜ][a-zäöüß]{2,30})\b)",
                     lambda m: f"{'oben' if m['way'] == 'o' else 'unten'} genannt"
                     + (ending(text_before(m, 40), m["noun"], True) or "en")
                     if not re.fullmatch(OPENERS, m["noun"]) else None),
                rule(r"(?:(?<=[a-zA-Z]-)|(?<=[A-Z] )|(?<=[a-z] ))Vz\.(?!\w|-)", lambda m: f"Vorzüge{ends(m)}"),
            )),
            Kind("hours", re.compile(r"½|[13]/[24]|¼|¾"), (
                rule(r"(?:\b(?P<before>(?i:nach|in|seit|vor|mit|binnen|einer?)) (?:ca\. |etwa |rund )?)?"
                     r"(?<![\w.,/])(?<!\d )(?:(?P<three>¾|3/4)|¼|1/4) ?(?:Std\.|Stunde|h)(?!\w)", self.quarters),
                rule(rf"\b(?P<each>[Aa]lle|[Jj]ede) {half} (?:Std\.|Stunde|h)(?!\w)",
                     lambda m: f"{m['each']} halbe Stunde" + (ends(m) if m[0][-1] == "." else "")),
                rule(r"(?:(?<=\bum )|(?<=\bgegen )|(?<=\bab )|(?<=\bbis )|(?<=\bso )|(?<=\berst )|(?<=\bschon )"
                     rf"|(?<=\bgg\. ))(?:(?P<half>{half})|(?P<quarter>¼|1/4)) (?P<n>[1-9]|1[0-2])(?![\w/]|[.,]\d)",
                     lambda m: f"{'halb' if m['half'] else 'viertel'} {own.cardinal(int(m['n']))}"),
                rule(rf"(?<![\w.,/]){half} (?P<n>[1-9]|1[0-2]) Uhr\b",
                     lambda m: f"halb {own.cardinal(int(m['n']))} Uhr"),
                rule(r"(?<![\w.,/])(?:¼|1/4)(?= (?:vor|nach) \d)", "viertel"),
                rule(rf"(?:(?<=\bmorgens )|(?<=\bmittags )|(?<=\babends )|(?<=\bnachts ))(?:(?P<half>{half})|1)"
                     r"(?=[,;)/]|\.(?!\d)|\s*\Z| u\. | und (?:abends|mittags|nachts))",
                     lambda m: ("eine halbe" if m["half"] else "eine") if mentions(DOSES, m.string) else None),
            )),
            Kind("amount", re.compile(r"\b1 ?[-–] ?\d|\b1 bis \d|\d/\d"), (
                rule(r"(?<![\w.,/:-])(?<!\d )1 ?(?:[-–]| bis) ?(?P<n>[2-9]|1[0-2])"
                     r"(?= (?:[a-zäöüß]{3,14}e[nrs]? )?[A-ZÄÖÜ][a-zäöüß]{2})(?! (?:Uhr|Bundesliga)\b)"
                     rf"(?! (?:{one_of(own.month_names)})\b)", self.amount),
                rule(r"(?<![\w.,/:-])1 ?[-–] ?(?P<n>[2-5]) ?(?:x|×|[Mm]al)(?!\w)",
                     lambda m: f"ein- bis {own.cardinal(int(m['n']))}mal"),
                rule(r"(?<![\w.,/-])(?P<a>\d{2,3})/(?P<b>\d{2,3})(?![\w/]|[.,]\d| ?mm)", self.pressure),
            )),
        )  # fmt: skip
