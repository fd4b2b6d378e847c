"""Italian short forms of law, medicine, offers and timetables ("sez. III", "risc. aut.", "ore 9,30") -> words."""

from __future__ import annotations

import re

from mlx_tts.text.languages.italian.adverts import advert_kinds
from mlx_tts.text.languages.italian.offers import offer_kinds
from mlx_tts.text.languages.italian.trade import trade_kinds
from mlx_tts.text.normalise.engine import Kind, mentions, rule, text_before
from mlx_tts.text.normalise.romance import Romance
from mlx_tts.text.normalise.romance_notices import zone_rule
from mlx_tts.text.roman import value

# In these texts "c.c." is the civil code.
LAW = re.compile(r"\b[Aa]rtt?\.|\b[Aa]rticol[oi]\b|\b[Cc]odice\b|\bcomma\b|\b[Cc]ass\.|\bc\.p")
# What only a case note or a prescription has.
PATIENT = re.compile(r"\b(?:[Pp]z|[Pp]az)\.|\b[Pp]azient|\bPA\b|\bFC\b|Sp?O[2₂]|\bcpr\b|\bmg\b|\b[Pp]rescri|[Tt]erapia")
ROUTES = {"i.m.": "intramuscolo", "e.v.": "endovena", "i.v.": "endovena", "s.c.": "sottocute", "p.o.": "per bocca"}
MONTHS = (
    r"(?:[Gg]ennaio|[Ff]ebbraio|[Mm]arzo|[Aa]prile|[Mm]aggio|[Gg]iugno|[Ll]uglio|[Aa]gosto|[Ss]ettembre|[Oo]ttobre"
    r"|[Nn]ovembre|[Dd]icembre)"
)
HEATING = {"aut": "autonomo", "centr": "centralizzato", "centralizz": "centralizzato", "cond": "condominiale"}
GROWN = {"t/t": "su base trimestrale", "m/m": "su base mensile"}

# A lone "M" counts millions of money only: "0,1 M" may as well be of a solution.
SCALES = {"M": "mln", "Mln": "mln", "Mld": "mld"}


def office_kinds(own: Romance) -> tuple[Kind, ...]:
    """own: the words of the language."""

    stop = own.sentence_stop

    def heating(match: re.Match[str]) -> str:
        head = "Riscaldamento" if match["r"] == "R" else "riscaldamento"
        return f"{head} {HEATING[match['how']]}{stop(match)}" if match["how"] else f"{head} "

    def day_of_a_street(match: re.Match[str]) -> str:
        day = value(match["n"])
        return "Primo" if day == 1 else own.cardinal(day).capitalize()

    def route(match: re.Match[str]) -> str | None:
        return f"{ROUTES[match[0].casefold()]}{stop(match)}" if mentions(PATIENT, match.string) else None

    def moment(match: re.Match[str]) -> str:
        return f"{match['word']}{own.time(int(match['h']), int(match['m']), None, match)}"

    def mailed(match: re.Match[str]) -> str | None:
        """ "c.c. Anna": who gets a letter as well."""
        return None if mentions(LAW, match.string) else "in copia"

    return (
        *offer_kinds(own),
        *advert_kinds(own),
        *trade_kinds(own),
        Kind("abbreviation", re.compile(
            r"c\.c\.|[Ss]ez\. |SS\. ?UU|\bs\.l\.|\baa\.|\ba\.[as]\.|\bcpr\b|[iesp]\.[mvco]\."
        ), (
            rule(r"(?<=\b[Ii]n )c\.c\.(?! ?\d)", lambda m: f"copia{stop(m)}"),
            rule(r"(?:\A|(?<=[,;(] )|(?<=[.!?] )|(?<=\())[Cc]\.c\.(?=:? [A-ZÀ-Þ][a-zà-ÿ])", mailed),
            rule(r"(?<![\w.])c\.c\.(?= (?:n\.|nr\.|n°|bancario|postale|p\.))", "conto corrente"),
            rule(r"(?<![\w.])(?P<s>[Ss])ez\. (?P<n>(?=[IVX])X{0,3}(?:IX|IV|V?I{0,3}))(?![\w-])",
                 lambda m: f"{m['s']}ezione {own.ordinal(value(m['n']), 'f')}"),
            rule(r"(?<![\w.])(?:[Ss]ez\. [Uu]n\.|SS\. ?UU\.)", lambda m: f"Sezioni Unite{stop(m)}"),
            rule(r"(?:(?<=\dm )|(?<=\d m )|(?<=[x×]\d00 )|(?<= metri ))s\.l\.(?!\w)",
                 lambda m: f"stile libero{stop(m)}"),
            rule(r"(?<![\w.])(?<!\d )aa\.(?= \d{1,3}(?!\d))", "anni"),
            rule(r"(?<![\w.])(?<!SpO2 )a\.(?P<what>[as])\.(?= (?:19|20)\d\d)",
                 lambda m: f"anno {'accademico' if m['what'] == 'a' else 'scolastico'}"),
            rule(r"(?:(?<=\bin )|(?<=% ))a\.a\.(?! ?\d)",
                 lambda m: f"aria ambiente{stop(m)}" if mentions(PATIENT, m.string) else None),
            rule(r"(?:(?<=\d g )|(?<=mg )|(?<=mcg )|(?<=µg ))cpr(?!\w)\.?", lambda m: f"compresse{stop(m)}"),
            rule(r"(?<![\w.])(?:i\.m\.|e\.v\.|i\.v\.|s\.c\.|p\.o\.)(?!\w)", route),
        )),
        Kind("abbreviation", re.compile(r"[Rr]isc\.|cond\.|energ\.|tratt\.|su rig\.|% [tm]/[tm]\b"), (
            rule(r"(?<![\w.])(?P<r>[Rr])isc\.(?: (?P<how>aut|centr|centralizz|cond)\.)?(?! ?\d)",
                 heating),
            rule(r"(?<=[Rr]iscaldamento )(?P<how>aut|centr|centralizz)\.", lambda m: f"{HEATING[m['how']]}{stop(m)}"),
            rule(r"(?<=[Ss]pese )cond\.", lambda m: f"condominiali{stop(m)}"),
            rule(r"(?:(?<=\b[Cc]l\. )|(?<=[Cc]lasse ))energ\.(?= ?[A-G]\b)", "energetica"),
            rule(r"(?<![\w.])(?P<c>[Cc])l\.(?= energ)", r"\g<c>lasse"),
            rule(r"(?<=\d )tratt\.", lambda m: f"trattabili{stop(m)}"),
            rule(r"(?:(?<=[Pp]rezzo )|(?<=[Aa]ffitto )|(?<=[Cc]anone ))tratt\.", lambda m: f"trattabile{stop(m)}"),
            rule(r"(?<=\bsu )rig\.(?= [A-ZÀ-Þ])", "rigore."),
            rule(r"(?<=% )(?:t/t|m/m)(?![\w/])", lambda m: GROWN[m[0]]),
        )),
        Kind("money", re.compile(r"\d ?M(?:ln|ld)?\b"), (
            rule(r"(?<![\w.,-])(?P<n>\d{1,3}(?:\.\d{3}|,\d{1,3})?) ?(?P<scale>Mln\.?|Mld\.?|M)"
                 r" ?(?:di )?(?P<sign>[€$£])(?!\w)",
                 lambda m: own.price(m["n"], m["sign"], SCALES[m["scale"].rstrip(".")])),
            rule(r"(?<!\w)(?P<sign>[€$£]) ?(?P<n>\d{1,3}(?:\.\d{3}|,\d{1,3})?) ?(?P<scale>Mln|Mld|M)(?!\w)",
                 lambda m: own.price(m["n"], m["sign"], SCALES[m["scale"]])),
        )),
        Kind("time", re.compile(r"(?:UTC|GMT) ?[-+−–]\d|\d,[0-5]\d|\b[Kk]m \d"), (
            zone_rule(own, "e"),
            rule(r"(?P<word>\b(?:[Oo]re|h|h\.) )(?P<h>[01]?\d|2[0-4]),(?P<m>[0-5]\d)(?![\w%€]|[.,:]\d| ?[-–] ?\d)",
                 moment),
            rule(r"(?P<word>\b(?:[Dd]?[Aa]lle) )(?P<h>[01]?\d|2[0-4]),(?P<m>[0-5][05])(?![\w%€]|[.,:]\d"
                 r"| ?(?:[-–€%$°]|euro|punti|milion|miliard|k?m\b|k?g\b|metri|gradi|unità|ton))", moment),
            rule(r"(?<![\w.])(?<!\b[Aa]l )(?<!\b[Dd]al )(?<!\b[Ii]l )(?<!\b[Dd]el )(?P<k>[Kk])m "
                 r"(?=\d{2,3}\.\d{3}(?!\d|[.,]\d))",
                 lambda m: f"{'C' if m['k'] == 'K' else 'c'}hilometri "),
        )),
        Kind("Roman numeral", re.compile(rf"[IVX] {MONTHS}"), (
            rule(rf"(?<![\w.'’-])(?P<n>(?=[IVX])X{{0,3}}(?:IX|IV|V?I{{0,3}}))(?= {MONTHS}\b)",
                 lambda m: day_of_a_street(m) if value(m["n"]) < 32 and re.search(
                     r"(?i)\b(?:via|viale|v\.le|piazzal?e?|p\.zz?a|p\.le|corso|c\.so|largo|l\.go|ponte|rione) \Z",
                     text_before(m, 12)) else None),
        )),
    )  # fmt: skip
