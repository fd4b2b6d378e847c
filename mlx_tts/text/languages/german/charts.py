"""German charts of patients, and what recipes ask to take: short forms and cases -> words."""

from __future__ import annotations

import re

from mlx_tts.text.languages.german.adjectives import ending
from mlx_tts.text.languages.german.grammar import ends
from mlx_tts.text.languages.german.more_notices import DATIVE, DONE
from mlx_tts.text.normalise.engine import Kind, mentions, one_of, rule, text_after, text_before
from mlx_tts.text.normalise.european import European

CHART = re.compile(
    r"\b(?:Befund\w*|Diagn\w*|Pat|Patient\w*|Z\. ?n|CRP|RR|Rö|CT|MRT|Thorax|Anamnese|Ther|Th|Therapie|Leukos?|mmHg|EKG"
    r"|Sono|HWS|BWS|LWS|Medikation|stat|amb|postop|Entl|Hypertonie|Hypertonus|Procedere|[A-Z]\w{2,20}insuff"
    r"|Antibio\w+|Ibuprofen|ASS|Tbl|mg|Fraktur|OP|Klinik|Symptom\w*)\b"
)
# Short for a noun of charts, and short for an adjective of them.
NOUNS = {
    "Empf": "Empfehlung", "Proc": "Procedere", "Wiedervorst": "Wiedervorstellung", "Vorst": "Vorstellung",
    "Entl": "Entlassung", "Aufn": "Aufnahme", "Unters": "Untersuchung", "Beh": "Behandlung", "Med": "Medikation",
    "Ther": "Therapie", "Lab": "Labor", "Anamn": "Anamnese", "Kontr": "Kontrolle", "Nachbeh": "Nachbehandlung",
    "Schmerzmed": "Schmerzmedikation", "Dg": "Diagnose", "Verd": "Verdacht", "Krankengymn": "Krankengymnastik",
    "Bildg": "Bildgebung", "Verl": "Verlauf", "Überw": "Überweisung", "Symptom": "Symptomatik",
}  # fmt: skip
ADJECTIVES = {
    "stat": "stationär", "amb": "ambulant", "postop": "postoperativ", "präop": "präoperativ", "chron": "chronisch",
    "akut": "akut", "path": "pathologisch", "unauff": "unauffällig", "auff": "auffällig", "klin": "klinisch",
    "bek": "bekannt", "kons": "konservativ", "operat": "operativ", "rezidiv": "rezidivierend", "pulm": "pulmonal",
    "kard": "kardial", "art": "arteriell", "degen": "degenerativ", "tägl": "täglich", "vegetat": "vegetativ",
}  # fmt: skip
# What one takes of them is an object.
TAKEN = (
    "[A-ZÄÖÜ][a-zäöüß]{2,16}(?:kürbis|kohl|apfel|becher|würfel|zweig|salat|stängel|stiel|löffel|beutel"
    "|knoblauch|bund|käse"
    "|teig|ring|fisch|schinken)|Apfel|Becher|Zweig|Liter|Würfel|Stängel|Stiel|Kohlrabi|Blumenkohl|Weißkohl"
    "|Brokkoli|Kürbis|Kopfsalat|Salat|Rettich"
    "|Fenchel|Lauch|Schuss|Spritzer|Pfirsich|Granatapfel|Brühwürfel|Sellerie|Spitzkohl|Ring|Block|Mozzarella|Joghurt"
    "|Camembert|Chicorée|Knoblauch|Ingwer|Teelöffel|Esslöffel|Messlöffel|Schöpflöffel|Beutel|Topf|Römersalat"
)
WAYS = {"½": "einen halben", "1/2": "einen halben", "¼": "einen viertel", "1/4": "einen viertel",
        "⅛": "einen achtel", "1/8": "einen achtel", "1": "einen"}  # fmt: skip
ROOM = r"(?:Schlaf|Kinder|Wohn|Ess|Bade|Gäste|Einzel|Doppel|Mehrbett|Dreibett|Arbeits|Dusch|Kranken|Familien|Vorz?)"


class Charts:
    """The rules for a language's words. Methods are named after what they say."""

    def __init__(self, own: European):
        self.own = own

    def patient(self, match: re.Match[str]) -> str:
        """The article tells the sex and the case, and the verb the number."""
        word, behind = match["word"].casefold(), text_after(match, 40)
        if word in ("die", "eine", "diese", "unsere"):
            several = word != "eine" and re.match(
                r" (?:sind|waren|wurden|werden|haben|hatten|können|müssen|[a-z]+en)\b", behind
            )
            said = "Patienten" if several else "Patientin"
        elif word in ("den", "dem", "des", "einen", "einem", "eines", "beim", "vom", "zum", "am"):
            said = "Patienten"
        elif word.startswith("o."):
            return f"oben genannten Patienten{ends(match)}"
        else:
            said = "Patient"
        return f"{match['word']} {said}{ends(match)}"

    def adjective(self, match: re.Match[str]) -> str | None:
        if not mentions(CHART, match.string):
            return None
        word = match["word"]
        said = ADJECTIVES[word.casefold()]
        said = said.capitalize() if word[0].isupper() else said
        noun = re.match(r" ([A-ZÄÖÜ][a-zäöüß]{2,30})(\.?)", text_after(match, 34))
        if noun is None:
            return said + ends(match)
        named = NOUNS.get(noun[1], noun[1]) if noun[2] else noun[1]
        end = ending(text_before(match, 40), named, True)
        return said + (end or "")

    def taken(self, match: re.Match[str]) -> str | None:
        """ "1 Apfel schälen", "½ l Milch zugießen": an infinitive has objects."""
        behind = re.sub(r" \([^()]{1,40}\)", "", match.string[match.end() : match.end() + 160])
        before = re.split(r"[a-zäöüß]{3}en, ", text_before(match, 80))[-1]  # of this clause
        if not DONE.match(behind) or DATIVE.search(before):
            return None
        noun = match["noun"] or "Liter"
        return f"{WAYS[match['n']]} {noun}"

    def kinds(self) -> tuple[Kind, ...]:
        own = self.own
        return (
            Kind("chart", re.compile(r"[a-zäöü]\.|\d ?d\b|\d/\d|\bNW\b|\bSt\. n"), (
                rule(r"\b(?P<word>(?i:die|der|den|dem|des|einen?|einem|einer|eines|diese|unsere|beim|vom|zum"
                     r"|o\. ?g\.)) Pat\."
                     r"(?![\w-])",
                     self.patient),
                rule(rf"(?<![\w.-])(?P<word>{one_of(NOUNS)})\.(?![\w-])",
                     lambda m: NOUNS[m["word"]] + ends(m)
                     if mentions(CHART, m.string) and (m["word"] != "Med" or text_after(m, 1) == ":") else None),
                rule(rf"(?<![\w.-])(?P<word>{one_of([*ADJECTIVES, *map(str.capitalize, ADJECTIVES)])})\.(?![\w-])",
                     self.adjective),
                rule(r"(?<![\w.])bds\.", lambda m: f"beidseits{ends(m)}" if mentions(CHART, m.string) else None),
                rule(r"(?<![\w.])St\. ?n\.", "Status nach"),
                rule(r"(?<!\w)NW(?=[,.;)]| (?:auf|bek|nicht|kein|wurd|aufgekl))",
                     lambda m: "Nebenwirkungen" if mentions(CHART, m.string) else None),
                rule(r"(?<![\w.,/])(?P<n>\d{1,3}) ?d(?=[,;.)]| (?!h\b)[a-zäöüß]|\s*\Z)",
                     lambda m: own.counted(m["n"], ["Tag", "Tage"]) if mentions(CHART, m.string) else None),
                # Between two bones of the back.
                rule(r"(?<![\w.])(?P<part>[CTLS]|[BLH]WK|[BLH]WK )(?P<a>\d{1,2})/(?P<to>[SL]?)(?P<b>\d{1,2})"
                     r"(?![\w/]|[.,]\d)",
                     lambda m: f"{m['part'].strip()} {own.cardinal(int(m['a']))}{', ' + m['to'] if m['to'] else ''} "
                     f"{own.cardinal(int(m['b']))}" if mentions(CHART, m.string) or m["to"] else None),
                rule(r"(?<![\w.,/-])(?P<n>[1-9]) ?[x×] ?/ ?(?P<per>Wo|Mon)\.",
                     lambda m: f"{own.repeated(int(m['n']))} pro {'Woche' if m['per'] == 'Wo' else 'Monat'}{ends(m)}"),
                rule(rf"(?<![\w.-])(?P<room>{ROOM})zi\.", lambda m: f"{m['room']}zimmer{ends(m)}"),
            )),
            Kind("recipe", re.compile(r"\b1(?:/[248])? |[½¼⅛] |\dx\d-|\d P\.|zeichen|ummer|[rl][ei]\."), (
                rule(r"(?<=\b[Ff]ür )(?P<n>\d{1,2}) P\.", lambda m: own.counted(m["n"], ["Person", "Personen"]) + (
                     "" if text_after(m, 1) == ":" else ends(m))),
                rule(r"(?P<by>\b(?:mit|in|aus|zu|von|nach)) (?P<n>1/[248]|[½¼⅛]) ?(?:l|Liter)(?=[ ,.;)])",
                     lambda m: f"{m['by']} {WAYS[m['n']].replace('einen', 'einem')} Liter"),
                rule(r"(?P<head>\b\w{2,24}(?:zeichen|nummer):? )(?P<n>\d{1,7}(?:[./-]\d{1,8}){2,5})(?![\w/-]|[.,]\d)",
                     lambda m: m["head"] + ", ".join(own.digits(n) for n in re.split("[./-]", m["n"]))),
                rule(r"(?:(?<=, )|(?<=\())(?P<side>re|li)\."
                     r"(?= (?P<noun>Flur|Tür|Seite|Eingang|Aufgang|Treppe|Gang|Flügel))",
                     lambda m: ("recht" if m["side"] == "re" else "link")
                     + (ending(text_before(m, 12), m["noun"], True) or "er")),
                rule(rf"(?<![\w.,/-])(?P<n>1) (?P<noun>{TAKEN})(?![\w-])", self.taken),
                rule(r"(?<![\w.,/-])(?P<n>1|1/[248]|[½¼⅛]) ?(?:l|Liter)(?P<noun>)(?= [A-ZÄÖÜa-zäöü])", self.taken),
                rule(r"(?<![\w.,-])(?P<n>[2-9])[x×](?P<m>[2-9])[- ](?P<noun>[A-ZÄÖÜ][\w-]{1,40})",
                     lambda m: f"{own.cardinal(int(m['n']))} "
                     f"{'gegen' if m['n'] == m['m'] == '3' else 'mal'} {own.cardinal(int(m['m']))}-{m['noun']}"),
            )),
        )  # fmt: skip
