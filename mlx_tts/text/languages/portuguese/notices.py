"""Portuguese short forms of medicine, courts, markets and labels ("VO", "Rel. Min.", "a/a", "(395g)") -> words."""

from __future__ import annotations

import re

from mlx_tts.text.languages.portuguese.adverts import advert_kinds
from mlx_tts.text.languages.portuguese.offers import offer_kinds
from mlx_tts.text.languages.portuguese.trade import trade_kinds
from mlx_tts.text.normalise.engine import Kind, mentions, rule, text_after
from mlx_tts.text.normalise.romance import Romance
from mlx_tts.text.normalise.romance_notices import zone_rule

# What only a case note or a prescription has.
PATIENT = re.compile(r"\b(?:[Pp]aciente|PA|FC|FR|Sp?O2|[Pp]rescrev)|\bmg\b|\d/\d{1,2} ?h|\b[Cc]omprimidos?\b")
ROUTES = {"vo": "via oral", "iv": "via intravenosa", "ev": "via endovenosa", "im": "via intramuscular",
          "sc": "via subcutânea"}  # fmt: skip
GROWN = {"a/a": "na comparação anual", "t/t": "na comparação trimestral", "m/m": "na comparação mensal"}
# Given names of women. One on -a has a surname behind it: "Min. Barbosa" may be a man.
WOMAN = re.compile(
    r" (?:Nancy|Cármen|Carmen|Isabel|Inês|Beatriz|Raquel|Ester|Rosimeire|Liana|(?!Luca|Nicola)[A-ZÀ-Þ][a-zà-ÿ]+a"
    r"(?= (?:d[aeo]s? )?[A-ZÀ-Þ]))\b"
)


def notice_kinds(own: Romance) -> tuple[Kind, ...]:
    """own: the words of the language."""

    stop = own.sentence_stop

    def route(match: re.Match[str]) -> str | None:
        short = match["how"].replace(".", "").replace(" ", "").casefold()
        return f"{ROUTES[short]}{stop(match)}" if mentions(PATIENT, match.string) else None

    def minister(match: re.Match[str]) -> str:
        """ "Rel. Min. Nancy Andrighi"."""
        woman = match["of"] == "ª" or WOMAN.match(text_after(match, 20)) is not None
        said = "ministra" if woman else "ministro"
        if match["rel"]:
            said = f"{match['rel']}elator{'a' if woman else ''} {said}"
        return said

    return (
        *offer_kinds(own),
        *advert_kinds(own),
        *trade_kinds(own),
        Kind("abbreviation", re.compile(
            r"\b(?:VO|v\. ?o\.|IV|EV|IM|SC)|\bMin[.ª]|\bRel\.|\bj\. |segs\.|\bss\.|% [atm]/[atm]\b|\d d\. "
            r"|[Kk]m \d|Eng"
        ), (
            rule(r"(?:(?<=\dg )|(?<= g )|(?<=mg )|(?<=ml )|(?<=mL )|(?<=UI )|(?<=cp )|(?<=cp\. )|(?<=comp\. )"
                 r"|(?<=cápsula )|(?<=comprimido )|(?<=comprimidos ))(?P<how>VO|IV|EV|IM|SC|v\. ?o\.)(?!\w)", route),
            rule(r"(?<![\w.])(?:(?P<rel>[Rr])el\.ª? )?Min(?:\.?(?P<of>ª)|\.)(?= [A-ZÀ-Þ][a-zà-ÿ])", minister),
            rule(r"(?<![\w.])(?P<r>[Rr])el\.(?= (?:Des|Juiz|Juíza)[.ae ])", r"\g<r>elator"),
            rule(r"(?<![\w.])j\.(?= (?:em )?\d{1,2}[./]\d)", "julgado em"),
            rule(r"(?<=\be )(?:segs|ss)\.(?! ?\d)", lambda m: f"seguintes{stop(m)}"),
            rule(r"(?<=% )(?:a/a|t/t|m/m)(?![\w/])", lambda m: GROWN[m[0]]),
            rule(r"\b(?P<before>[Dd]urante|[Cc]ada|[Ee]m|[Pp]or|[Aa]pós|[Hh]á) (?P<n>\d{1,3}) d\.(?= [a-zà-ÿ(])",
                 lambda m: f"{m['before']} {own.counted(m['n'], ['dia', 'dias'])}"),
            rule(r"(?<![\w.])(?<!\b[Nn]o )(?<!\b[Dd]o )(?<!\b[Aa]o )(?<!\bo )(?P<k>[Kk])m "
                 r"(?=\d{2,3}\.\d{3}(?!\d|[.,]\d))",
                 lambda m: f"{'Q' if m['k'] == 'K' else 'q'}uilômetros "),
            rule(r"(?<![\w.])Eng\.?ª(?= [A-ZÀ-Þ])", "engenheira"),
        )),
        Kind("time", re.compile(r"(?:UTC|GMT) ?[-+−–]\d"), (
            zone_rule(own, "e"),
        )),
    )  # fmt: skip
