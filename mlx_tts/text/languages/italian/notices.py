"""Italian short forms of addresses, offers, case notes and law ("ang. via Po", "rid. 8 €", "col. tot.") -> words."""

from __future__ import annotations

import re

from mlx_tts.text.normalise.engine import Kind, mentions, rule, text_after, text_before
from mlx_tts.text.normalise.romance import Romance
from mlx_tts.text.roman import value

PATIENT = re.compile(
    r"\b(?:[Pp]z|[Pp]az)\.|\b[Pp]azient|\bPA\b|[Dd]iagnosi|[Rr]iferisce|[Rr]icover|[Bb]ambini|volte al dì|[Aa]namnesi"
)
DAYS = {"lun": "lunedì", "mer": "mercoledì", "gio": "giovedì", "ven": "venerdì", "sab": "sabato",
        "dom": "domenica"}  # fmt: skip
INCLUDED = {
    "bagaglio|pranzo|parcheggio|wi-?fi|prezzo|vino|coperto|servizio|pasto|trasporto|ingresso|caffè|posto auto"
    "|tutto": "o",
    "spese|tasse|bevande|pulizie|lenzuola": "e", "pasti|costi|consumi|asciugamani": "i",
}  # fmt: skip


class Notices:
    """own: the words of the language."""

    def __init__(self, own: Romance):
        self.own = own

    def kinds(self) -> tuple[Kind, ...]:
        own = self.own
        return (
        Kind("abbreviation", re.compile(
            r"dent\.|[Ss]tudio |\(x \d|\bcad\.|sett\.|rag\.|cond\.|ff\.|incl\.|comp\.|[IVX] (?:e|al) "
            r"|\b(?:lun|merc?|giov?|ven|sab|dom)"
            r"[.?!]"
        ), (
            rule(r"(?<=[Ss]tudio )(?P<kind>dent|med|leg|comm)\.", lambda m: {
                "dent": "dentistico", "med": "medico", "leg": "legale", "comm": "commerciale"}[m["kind"]]),
            rule(r"(?<=\()x (?=\d{1,2}(?:\)| pers| porz))", "per "),
            rule(r"(?:(?<=€ )|(?<=euro ))cad\.", lambda m: f"cadauno{own.sentence_stop(m)}"),
            rule(r"\b(?P<e>[Ee])ntro fine sett\.(?! (?:\d|scorso))",
                 lambda m: f"{m['e']}ntro fine settimana{own.sentence_stop(m)}"),
            rule(r"(?<![\w.])rag\.(?= [A-ZÀ-Þ])", "ragionier"),
            rule(r"(?<=[Aa]ria )cond\.", lambda m: f"condizionata{own.sentence_stop(m)}"),
            rule(r"(?<![\w.,])(?P<n>\d{1,4}) ff\.",
                 lambda m: f"{own.counted(m['n'], ['foglio', 'fogli'])}{own.sentence_stop(m)}"),
            rule(r"(?<![\w.])incl\.", self.included),
            rule(r"(?<=[Ff]oro )comp\.", lambda m: f"competente{own.sentence_stop(m)}"),
            rule(r"\b(?P<a>[IVX]{1,5}) (?P<joint>e (?:il|l['’]|nel|del|dal|al)|al|e) ?(?P<b>[IVX]{1,5})"
                 r" (?:sec\.|secolo)(?!\w)",
                 self.centuries),
            rule(r"(?:(?<=\b[Ee]ntro )|(?<=\b[Dd]a )|(?<=\b[Aa] )|(?<=\b[Dd]i )|(?<=\b[Pp]er )|(?<=\bquesto )"
                 r"|(?<=[Cc]hiuso )|(?<=[Cc]hiusi )|(?<=[Aa]perto )|(?<=[Aa]perti ))"
                 r"(?P<day>lun|merc?|giov?|ven|sab|dom)(?:\.(?!\w)|(?=[?!]))",
                 lambda m: DAYS[m["day"][:3]] + (own.sentence_stop(m) if m[0][-1] == "." else "")),
        )),
        Kind("abbreviation", re.compile(
            r"\bang\.|verde|WhatsApp|\b[Cc]ell|[Ii]ngr|spettacol|[Mm]essa|[Cc]oncert|[Uu]scita|\brid\.|\bint\.|\bord\."
            r"|\b[sc]\. asc|\d-[bqtso]"
        ), (
            rule(r"(?<![\w.])(?P<a>[Aa])ng\.(?= (?:[Vv]ia|[Vv]\.|[Vv]iale|[Vv]\.le|[Cc]orso|[Cc]\.so"
                 r"|[Pp]iazza|[Pp]\.zz?a))",
                 r"\g<a>ngolo"),
            rule(r"(?<![\w.])(?P<n>[Nn])\.(?= verde\b)", r"\g<n>umero"),
            rule(r"(?P<head>\b(?:verde|WhatsApp|SMS|[Cc]ellulare)(?: al)?:? )(?P<n>\d{3}(?: \d{2,3}){2,3})(?!\w| ?\d)",
                 lambda m: m["head"] + ", ".join(own.digits(group) for group in m["n"].split())),
            rule(r"\b(?P<word>[Ii]ngr\.|[Ii]ngresso|[Ss]pettacol[oi]|[Mm]essa|[Cc]oncerto|[Uu]scita)(?P<gap>:? )"
                 r"(?P<h>[01]?\d|2[0-3])\.(?P<m>[0-5]\d)(?![\w%€]|[.,]\d| ?(?:€|%|euro))", self.moment),
            rule(r"(?<![\w.])(?P<r>[Rr])id\.(?=:? (?:€ ?)?\d)", r"\g<r>idotto"),
            rule(r"(?<![\w.])(?P<i>[Ii])nt\.(?=:? (?:€ ?\d|\d+(?:,\d\d)? ?(?:€|euro)))", r"\g<i>ntero"),
            rule(r"(?<![\w.])(?P<o>[Oo])rd\.(?= (?:n\.|nr\.|n°|\d|Cass|Trib))", r"\g<o>rdinanza"),
            rule(r"(?<![\w.])(?P<w>[sc])\.(?= asc\.)", lambda m: "senza" if m["w"] == "s" else "con"),
            rule(r"(?<![\w.,/-])(?P<n>\d{1,4})-(?P<again>bis|ter|quater|quinquies|sexies|septies|octies)(?![\w-])",
                 lambda m: f"{own.cardinal(int(m['n']))} {m['again']}"),
        )),
        Kind("abbreviation", re.compile(
            r"\d ?mila\b|\b[Pp]\. ?\d|porz\.|\b[Pp]z\.|\d a\.|\d m\.|[Cc]ol\.|\b[Tt]er\.:|€/\$|-(?:bis|ter|quater)\b"
            r"|gen\."
            r"|[Ff]am\.|/notte|/giorno|[Kk]cal\b|\d[-+] |\*\*"
        ), (
            rule(r"(?<![\w.,])(?P<n>[1-9]\d{0,2})mila(?!\w)", lambda m: own.cardinal(int(m["n"]) * 1000)),
            rule(r"(?<![\w.])[Pp]\. ?(?P<n>\d{1,2})(?=, (?:int|app|scala|sc)\b|, \d{5} )", self.floor),
            rule(r"(?:(?<=\ba )|(?<=\bper ))porz\.", lambda m: f"porzione{own.sentence_stop(m)}"),
            rule(r"(?:(?<=\b[Ii]l )|(?<=\b[Ll]a )|(?<=\b[Uu]n )|(?<=\bdel )|(?<=\bal )|(?<=\bdella ))"
                 r"[Pp]z\.(?= ?[(a-z,])",
                 "paziente"),
            rule(r"(?<![\w.,])(?P<n>[1-9]\d?|10\d) a\.(?=[,;:)])", lambda m: f"{own.counted(m['n'], ['anno', 'anni'])}"
                 if mentions(PATIENT, m.string) else None),
            rule(r"(?P<head>\b(?:[Rr]ivalut\w+|[Cc]ontroll\w+|[Rr]ived\w+|[Rr]itorn\w+|[Vv]isita|[Ff]ollow-up) "
                 r"(?:clinico |ECG |ematico |esami )?(?:tra|fra|a|dopo) )(?P<n>\d{1,2}) m\.(?!\w)", self.months),
            rule(r"(?<![\w.])(?P<c>[Cc])ol\.(?= (?:tot|HDL|LDL))", r"\g<c>olesterolo"),
            rule(r"(?<![\w.])[Tt]er\.(?=:)", "Terapia"),
            rule(r"(?<![\w/])(?P<a>€|EUR)/(?P<b>\$|USD)(?![\w/])", "euro dollaro"),
            rule(r"\b(?P<n>[IVX]{1,4})-(?P<again>bis|ter|quater)(?!\w)", self.section),
            rule(r"(?<=ª )gen\.", lambda m: f"generazione{own.sentence_stop(m)}"),
            rule(r"(?<![\w.])(?P<f>[Ff])am\.(?= [A-ZÀ-Þ])", r"\g<f>amiglia"),
            rule(r"(?<![\w.])pers(?:\.|ona)/(?P<per>notte|giorno)(?!\w)",
                 lambda m: f"persona {'a notte' if m['per'] == 'notte' else 'al giorno'}"),
            rule(r"(?<!\d )(?<![\w.])(?P<k>[Kk])cal(?= (?:a|per) |:)",
                 lambda m: "Chilocalorie" if m["k"] == "K" else "chilocalorie"),
            rule(r"(?<![\w.,/-])(?P<n>[3-9])(?P<sign>[-+])(?= (?:in|di|a) [a-z])",
                 lambda m: f"{own.cardinal(int(m['n']))} {own.minus if m['sign'] == '-' else own.plus}"),
            rule(r"(?<=[a-zà-ÿ]) ?(?P<stars>\*{2,5})(?![\w*])", lambda m: f" {own.cardinal(len(m['stars']))} stelle"
                 if re.search(r"(?i)\b(?:hotel|camping|residence|resort|albergo)\b", text_before(m, 40)) else None),
        )),
        )  # fmt: skip

    def months(self, match: re.Match[str]) -> str:
        return f"{match['head']}{self.own.counted(match['n'], ['mese', 'mesi'])}{self.own.sentence_stop(match)}"

    def floor(self, match: re.Match[str]) -> str | None:
        before = text_before(match, 60)
        return (
            f"piano {self.own.ordinal(int(match['n']))}"
            if re.search(r"(?i)\b(?:via|viale|corso|piazza|c\.so|p\.za|p\.zza|v\.le|sc\.|scala) ", before)
            else None
        )

    def section(self, match: re.Match[str]) -> str:
        number = value(match["n"])
        said = (
            self.own.ordinal(number, "f")
            if re.search(r"sez(?:\.|ione) \Z", text_before(match, 8))
            else self.own.cardinal(number)
        )
        return f"{said} {match['again']}"

    def moment(self, match: re.Match[str]) -> str:
        word = self.own.abbreviations.get(match["word"].lower(), match["word"])
        return f"{word}{match['gap']}{self.own.time(int(match['h']), int(match['m']), None, match)}"

    def included(self, match: re.Match[str]) -> str | None:
        before = re.sub(r" (?:fino a )?\d+ ?kg \Z", " ", text_before(match, 30))
        for nouns, end in INCLUDED.items():
            if re.search(rf"(?i)\b(?:{nouns}) \Z", before):
                return f"inclus{end}{self.own.sentence_stop(match)}"
        return None

    def centuries(self, match: re.Match[str]) -> str:
        first, last = (self.own.century_words(value(match[n])) for n in ("a", "b"))
        stop = "." if not text_after(match, 3).strip() else ""
        return f"{first} {match['joint']}{' ' if match['joint'][-1].isalpha() else ''}{last} secolo{stop}"
