"""Italian short forms of chat, timetables and offers ("22 h 40 min", "max 4 persone", "X la cena") -> words."""

from __future__ import annotations

import re

from mlx_tts.text.languages.italian.forms import form_kinds
from mlx_tts.text.normalise.engine import Kind, rule, text_after, text_before
from mlx_tts.text.normalise.romance import Romance

# Behind these "S." is the first letter of a name, and no saint.
SIGNED = re.compile(
    r"(?:\b(?:[Ss]ig|[Dd]ott|[Aa]vv|[Ii]ng|[Pp]rof|[Dd]r|[Gg]eom|[Aa]rch)\.(?:ra|ssa|na)? |\b[A-Z]\. ?(?:e )?"
    r"|\b[TtSs]u[ao] |\b[Vv]ostr[ao] |\b[Aa]utor\w+ |\b[Rr]egia di )\Z"
)
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

    return (
        *form_kinds(own),
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
