"""Abbreviations -> the words they stand for; a dot that also ends the sentence stays."""

from __future__ import annotations

import re

from mlx_tts.text.normalise.rules import one_of, rule, words_of

# Written with a dot; before anything.
DOTTED = {
    "Mr": "Mister", "Mrs": "Missus", "Ms": "Miss", "Prof": "Professor", "Rev": "Reverend", "Hon": "Honorable",
    "Gen": "General", "Col": "Colonel", "Sgt": "Sergeant", "Capt": "Captain", "Cpt": "Captain", "Lt": "Lieutenant",
    "Cmdr": "Commander", "Maj": "Major", "Gov": "Governor", "Sen": "Senator", "Rep": "Representative",
    "Pres": "President", "Supt": "Superintendent", "Messrs": "Messers", "Mme": "Madame", "Mt": "Mount", "Ft": "Fort",
    "approx": "approximately", "Approx": "Approximately", "vs": "versus", "dept": "department", "Dept": "Department",
    "govt": "government",
    "Govt": "Government", "est": "established", "Est": "Established", "temp": "temperature", "avg": "average",
    "max": "maximum", "min": "minimum", "Max": "Maximum", "Min": "Minimum", "misc": "miscellaneous",
    "incl": "including", "excl": "excluding",
    "tel": "telephone", "Tel": "Telephone", "assoc": "associate", "Assoc": "Associate", "asst": "assistant",
    "Asst": "Assistant", "Univ": "University", "univ": "university", "dist": "district", "bldg": "building",
    "Bldg": "Building", "apt": "apartment", "Apt": "Apartment", "Ste": "Suite", "hwy": "highway", "Hwy": "Highway",
    "pkg": "package", "qty": "quantity", "orig": "originally", "esp": "especially", "resp": "respectively",
    "cf": "compare", "viz": "namely", "ibid": "ibidem", "fl": "flourished", "attn": "attention", "Attn": "Attention",
    "int'l": "international", "Int'l": "International", "nat'l": "national", "Nat'l": "National",
}  # fmt: skip
# Before a number only.
NUMBERED = {
    "No": "number", "no": "number", "Nos": "numbers", "nos": "numbers", "p": "page", "pp": "pages", "pg": "page",
    "P": "page",
    "vol": "volume", "Vol": "Volume", "vols": "volumes", "ch": "chapter", "Ch": "Chapter", "chap": "chapter",
    "Chap": "Chapter", "fig": "figure", "Fig": "Figure", "figs": "figures", "Figs": "Figures", "eq": "equation",
    "Eq": "Equation", "sec": "section", "Sec": "Section", "sect": "section", "art": "article", "Art": "Article",
    "par": "paragraph", "ed": "edition", "Rte": "Route", "ln": "line", "tab": "table", "Tab": "Table",
    "app": "appendix",
    "App": "Appendix", "ex": "example", "Ex": "Example", "ext": "extension", "Ext": "extension", "nr": "number",
    "Nr": "number", "ver": "version",
}  # fmt: skip
# Behind a name.
AFTER_NAME = {
    "Ave": "Avenue", "Blvd": "Boulevard", "Rd": "Road", "Ln": "Lane", "Ct": "Court", "Pl": "Place", "Sq": "Square",
    "Pkwy": "Parkway", "Jr": "Junior", "Sr": "Senior", "Inc": "Incorporated", "Ltd": "Limited", "Corp": "Corporation",
    "Co": "Company", "Bros": "Brothers", "Hts": "Heights", "Cir": "Circle", "Terr": "Terrace",
}  # fmt: skip
FIXED = {
    "e.g.": "for example", "i.e.": "that is", "E.g.": "For example", "I.e.": "That is", "a.k.a.": "also known as",
    "et al.": "et al", "w/o": "without", "W/o": "Without", "b/c": "because", "c/o": "care of", "R.S.V.P.": "R S V P",
    "&c.": "et cetera", "aka": "also known as", "Ph.D.": "P H D",
    "PhD": "P H D", "M.D.": "M D", "B.A.": "B A", "M.A.": "M A", "B.Sc.": "B S C", "M.Sc.": "M S C", "Ph.D": "P H D",
    "D.C.": "D C", "i.e": "that is", "e.g": "for example", "N.B.": "note well", "p.s.": "P S", "P.S.": "P S",
    "asap": "as soon as possible", "ASAP": "as soon as possible", "FYI": "for your information",
    "n/a": "not applicable", "N/A": "not applicable",
}  # fmt: skip
ENDING = r"(?P<end>\.?)"


def _ends_a_sentence(match: re.Match[str]) -> bool:
    """Whether the dot of an abbreviation is also a full stop: nothing follows, or a capital letter."""
    rest = match.string[match.end() :]
    return re.match(r"[\"'”’)]*(?:\s*\Z|\s+[\"'“‘(]?[A-Z][a-z])", rest) is not None


def _keeps_dot(words: str, match: re.Match[str]) -> str:
    return f"{words}." if _ends_a_sentence(match) else words


def _fixed(match: re.Match[str]) -> str:
    words = FIXED[match["word"]]
    at_end = match["word"].endswith(".") and not match.string[match.end() :].strip("\"'”’) \n")
    return f"{words}." if at_end else words


def _saint_or_street(match: re.Match[str]) -> str:
    before, after = match.string[: match.start()], match.string[match.end() :]
    follows = re.match(r" [A-Z][a-z]", after)
    number_before = re.search(r"\d\w* (?:[NSEW]\.? )?(?:[A-Z]\w+ )?\Z", before[-40:])
    named = re.search(r"[A-Z\d][\w']* \Z", before[-20:])
    if follows and not (named and number_before):
        return "Saint"
    return _keeps_dot("Street", match) if match["dot"] else "Street"


def _doctor_or_drive(match: re.Match[str]) -> str:
    if re.search(r"\d \w+ \Z|\d \w+ \w+ \Z", match.string[max(0, match.start() - 40) : match.start()]):
        return _keeps_dot("Drive", match)
    return "Doctor"


def _pointed(match: re.Match[str]) -> str:
    """U.S.A. -> U S A; two letters and more, with the full stop that it may be as well."""
    letters = " ".join(re.findall(r"[A-Za-z]", match[0]))
    return f"{letters}." if not match.string[match.end() :].strip("\"'”’)") else letters


# Before the numbers are words: digits tell what is meant.
BEFORE_NUMBERS = (
    rule(rf"(?<![\w.'’])(?P<word>{one_of(NUMBERED)})\. ?(?=#?\d)", lambda m: f"{NUMBERED[m['word']]} "),
    rule(r"(?<!\w)pp (?=\d)", "pages "),
    rule(r"(?<![\w.])St(?P<dot>\.|(?= [A-Z]))", _saint_or_street),
    rule(r"(?<![\w.])Dr(?:\.|(?= [A-Z]))", _doctor_or_drive),
    rule(r"(?<![\w.])(?P<word>approx|Approx|Mr|Mrs|Ms)(?= [A-Z\d~])", lambda m: DOTTED[m["word"]]),
)
RULES = (
    rule(r"\bet al\.(?=[,;:)]| [a-z(])", "et al"),
    rule(rf"(?<![\w.])(?P<word>{one_of(FIXED)})(?![\w/])(?!\.\w)", _fixed),
    rule(r"(?<!\w)vs\b\.?", "versus"),
    rule(r"(?<!\w)(?:&c|[Ee]tc)\b\.?", lambda m: _keeps_dot("et cetera", m) if m[0].endswith(".") else "et cetera"),
    rule(rf"(?<=[\w.,] )(?P<word>{one_of(AFTER_NAME)})\.(?!\w)", lambda m: _keeps_dot(AFTER_NAME[m["word"]], m)),
    rule(rf"(?<![\w.'’-])(?P<word>{one_of(DOTTED)})\.(?!\w|\.)", lambda m: _title(m)),
    rule(r"(?<![\w.])(?!(?:[ap]\.m\.))(?:[A-Z]\.){2,8}(?!\w)", _pointed),
    rule(r"(?<![\w/])w/ ?(?=\w)", "with "),
)  # fmt: skip

TITLES = frozenset(
    words_of("Mr Mrs Ms Prof Rev Hon Gen Col Sgt Capt Cpt Lt Cmdr Maj Gov Sen Rep Pres Supt Messrs Mme Mt Ft")
)


def _title(match: re.Match[str]) -> str:
    """A title's dot never ends a sentence."""
    word = match["word"]
    return DOTTED[word] if word in TITLES else _keeps_dot(DOTTED[word], match)
