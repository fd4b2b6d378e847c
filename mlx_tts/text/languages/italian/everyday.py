"""Italian short forms of chat, timetables and offers ("22 h 40 min", "max 4 persone", "X la cena") -> words."""

from __future__ import annotations

import re

from mlx_tts.text.normalise.engine import Kind, mentions, rule, text_after, text_before
from mlx_tts.text.normalise.romance import Romance
from mlx_tts.text.roman import value

# Behind these "S." is the first letter of a name, and no saint.
SIGNED = re.compile(
    r"(?:\b(?:[Ss]ig|[Dd]ott|[Aa]vv|[Ii]ng|[Pp]rof|[Dd]r|[Gg]eom|[Aa]rch)\.(?:ra|ssa|na)? |\b[A-Z]\. ?(?:e )?"
    r"|\b[TtSs]u[ao] |\b[Vv]ostr[ao] |\b[Aa]utor\w+ |\b[Rr]egia di )\Z"
)
PATIENT = re.compile(r"\b(?:[Pp]z|[Pp]az)\.|\b[Pp]azient|\bPA\b|[Dd]iagnosi|[Rr]iferisce|[Rr]icover|[Aa]namnesi")
DAYS = {"lun": "lunedì", "mer": "mercoledì", "gio": "giovedì", "ven": "venerdì", "sab": "sabato"}
FOR = (
    r"il|la|lo|l['’]|i|gli|le|te|me|noi|voi|lui|lei|loro|un|una|ora|favore|fare|domani|stasera|cena|pranzo|tutt[oi]|chi"
    r"|caso|esempio|questo|quello|il momento"
)


def everyday_kinds(own: Romance) -> tuple[Kind, ...]:
    """own: the words of the language."""

    def length(match: re.Match[str]) -> str:
        hours = own.counted(match["h"], own.unit_names["h"].split("|"))
        minutes = own.counted(str(int(match["m"])), own.unit_names["min"].split("|"))
        stop = own.sentence_stop(match) if match[0].endswith(".") else ""
        return f"{hours} {'e ' if match['and'] else ''}{minutes}{stop}"

    def limit(match: re.Match[str]) -> str:
        word = "massim" if match["word"].casefold() == "max" else "minim"
        warm = re.search(
            r"(?i)\b(?:temp(?:eratur[ae]|\.)|t|quota|velocità|altezza|profondità|pressione|PA) \Z",
            text_before(match, 14),
        )
        said = f"{word}{'a' if warm else 'o'}"
        return said.capitalize() if match["word"][0].isupper() else said

    def decades(match: re.Match[str]) -> str:
        return f"{match['word']}{own.cardinal(int(match['a']))}-{own.cardinal(int(match['b']))}"

    def months(match: re.Match[str]) -> str:
        return f"{match['head']}{own.counted(match['n'], ['mese', 'mesi'])}{own.sentence_stop(match)}"

    def floor(match: re.Match[str]) -> str | None:
        before = text_before(match, 60)
        return (
            f"piano {own.ordinal(int(match['n']))}"
            if re.search(r"(?i)\b(?:via|viale|corso|piazza|c\.so|p\.za|p\.zza|v\.le|sc\.|scala) ", before)
            else None
        )

    def section(match: re.Match[str]) -> str:
        number = value(match["n"])
        said = (
            own.ordinal(number, "f") if re.search(r"sez(?:\.|ione) \Z", text_before(match, 8)) else own.cardinal(number)
        )
        return f"{said} {match['again']}"

    def moment(match: re.Match[str]) -> str:
        word = own.abbreviations.get(match["word"].lower(), match["word"])
        return f"{word}{match['gap']}{own.time(int(match['h']), int(match['m']), None, match)}"

    def centuries(match: re.Match[str]) -> str:
        first, last = (own.century_words(value(match[n])) for n in ("a", "b"))
        stop = "." if not text_after(match, 3).strip() else ""
        return f"{first} {match['joint']}{' ' if match['joint'][-1].isalpha() else ''}{last} secolo{stop}"

    return (
        Kind("abbreviation", re.compile(
            r"dent\.|[Ss]tudio |\(x \d|\bcad\.|comp\.|[IVX] (?:e|al) |\b(?:lun|merc?|giov?|ven|sab|dom)\."
        ), (
            rule(r"(?<=[Ss]tudio )(?P<kind>dent|med|leg|comm)\.", lambda m: {
                "dent": "dentistico", "med": "medico", "leg": "legale", "comm": "commerciale"}[m["kind"]]),
            rule(r"(?<=\()x (?=\d{1,2}(?:\)| pers| porz))", "per "),
            rule(r"(?:(?<=€ )|(?<=euro ))cad\.", lambda m: f"cadauno{own.sentence_stop(m)}"),
            rule(r"(?<=[Ff]oro )comp\.", lambda m: f"competente{own.sentence_stop(m)}"),
            rule(r"\b(?P<a>[IVX]{1,5}) (?P<joint>e (?:il|l['’]|nel|del|dal|al)|al|e) ?(?P<b>[IVX]{1,5})"
                 r" (?:sec\.|secolo)(?!\w)",
                 centuries),
            rule(r"(?:(?<=\b[Ee]ntro )|(?<=\b[Dd]a )|(?<=\b[Aa] )|(?<=\b[Dd]i )|(?<=\b[Pp]er )|(?<=\bquesto ))"
                 r"(?P<day>lun|merc?|giov?|ven|sab)\.(?!\w)", lambda m: f"{DAYS[m['day'][:3]]}{own.sentence_stop(m)}"),
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
                 r"(?P<h>[01]?\d|2[0-3])\.(?P<m>[0-5]\d)(?![\w%€]|[.,]\d| ?(?:€|%|euro))", moment),
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
            rule(r"(?<![\w.])[Pp]\. ?(?P<n>\d{1,2})(?=, (?:int|app|scala|sc)\b|, \d{5} )", floor),
            rule(r"(?:(?<=\ba )|(?<=\bper ))porz\.", lambda m: f"porzione{own.sentence_stop(m)}"),
            rule(r"(?:(?<=\b[Ii]l )|(?<=\b[Ll]a )|(?<=\b[Uu]n )|(?<=\bdel )|(?<=\bal )|(?<=\bdella ))"
                 r"[Pp]z\.(?= ?[(a-z,])",
                 "paziente"),
            rule(r"(?<![\w.,])(?P<n>[1-9]\d?|10\d) a\.(?=[,;)])", lambda m: f"{own.counted(m['n'], ['anno', 'anni'])}"
                 if mentions(PATIENT, m.string) else None),
            rule(r"(?P<head>\b(?:[Rr]ivalut\w+|[Cc]ontroll\w+|[Rr]ived\w+|[Rr]itorn\w+|[Vv]isita|[Ff]ollow-up) "
                 r"(?:clinico |ECG |ematico |esami )?(?:tra|fra|a|dopo) )(?P<n>\d{1,2}) m\.(?!\w)", months),
            rule(r"(?<![\w.])(?P<c>[Cc])ol\.(?= (?:tot|HDL|LDL))", r"\g<c>olesterolo"),
            rule(r"(?<![\w.])[Tt]er\.(?=:)", "Terapia"),
            rule(r"(?<![\w/])(?P<a>€|EUR)/(?P<b>\$|USD)(?![\w/])", "euro dollaro"),
            rule(r"\b(?P<n>[IVX]{1,4})-(?P<again>bis|ter|quater)(?!\w)", section),
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
        Kind("time", re.compile(r"\d ?h ?(?:e )?\d"), (
            rule(r"(?<![\w.,:-])(?P<h>\d{1,3}) ?h ?(?P<and>e )?(?P<m>[0-5]?\d) ?(?:min\b\.?|m\b|['’′])(?!\w)", length),
        )),
        Kind("number", re.compile(r"['’]\d0"), (
            rule(r"\b(?P<word>anni )['’]?(?P<a>[1-9]0) ?[-–/] ?['’](?P<b>[1-9]0)(?!\w)", decades),
        )),
        Kind("abbreviation", re.compile(r"\b(?:max|min|Max|Min)\b|\bCmq\b"), (
            rule(r"(?<!\d )(?<![\w.])(?P<word>max|min)(?= ?\d)", limit),
            rule(r"(?:\A|(?<=[.!?] )|(?<=\n))(?P<word>Max|Min)(?= \d)", limit),
            rule(r"(?:(?<=\b[Aa]l )|(?<=[a-z\d] )|(?<=\())(?P<word>max|min)(?=[,;)!?]|\.(?!\w)|\s*\Z)",
                 lambda m: None if re.search(r"\d \Z", text_before(m, 2)) and m["word"] == "min" else limit(m)),
            rule(r"(?<![\w.])Cmq(?!\w)", "Comunque"),
        )),
        Kind("chat", re.compile(r"\b[Xx] "), (
            rule(rf"(?:\A|(?<=[.!?,] )|(?<=[a-zà-ÿ] ))(?P<x>[Xx])(?= (?:{FOR})(?!\w))",
                 lambda m: None if re.search(r"\b(?:variabile|incognita|valore|asse|raggi|punto|per|lettera) \Z",
                                             text_before(m, 12)) or re.match(r" i? ?[=+]", text_after(m, 4))
                 else "Per" if m["x"] == "X" and not re.search(r"[a-zà-ÿ,] \Z", text_before(m, 2)) else "per"),
        )),
    )  # fmt: skip


def is_a_saint(match: re.Match[str]) -> bool:
    return not SIGNED.search(text_before(match, 20))
