"""A plain text -> where its chapters begin: "CHAPTER II.", "Kapitel 3", and what else books in plain text have.

A heading is a paragraph of a few lines that begins with one of the words below and a number, in figures, Roman numerals
or words. Where no such word is used, numerals alone are headings if they count from one. What stands between two
headings is at least `SHORTEST` characters, so that a table of contents has none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, pairwise

from mlx_tts.text import roman
from mlx_tts.text.source.contents_list import listed_headings

SHORTEST = 200  # characters of a chapter without its heading
MOST_LINES, MOST_CHARACTERS = 5, 320  # of a heading with its title: one of Forster has five lines
MOST_TITLE = 90  # characters of a title that stands in a paragraph of its own
MOST_CONTENTS = 20_000  # characters: no table of contents between two headings is longer
MOST_HEADINGS = 5000  # more are no book
MOST_SUBTITLE = 400  # characters of a paragraph that says what a part is about
FAR_MORE = 1.4  # times as many chapters in the table of contents
LEAST_NUMBERED = 3  # headings that are numerals alone
SHOWN = 200  # characters of a chapter's title
BLOCK = 1024  # characters for one look of a pattern: no other thread goes on meanwhile, and lines may be short
FULL_LINES = re.compile(r"(?:[^\n]++\n?+)++")

ENGLISH = "chapter|chap|book|part|letter|stave|volume|canto|act"
OTHERS = (
    "kapitel|kap|teil|buch|brief|gesang|chapitre|livre|partie|tome|lettre|chant|capítulo|capitulo|cap|libro|parte|tomo|"
    "capitolo|livro|hoofdstuk|глава|часть|книга|том"
)
SCENE = "scene"  # scenes of a play are no chapters of their own
LETTERS = frozenset(("letter", "brief", "lettre"))
# What stands above chapters, so that "PART II" just before "CHAPTER I" belongs to it.
ABOVE = frozenset(
    ("book", "part", "volume", "act", "teil", "buch", "livre", "partie", "tome", "libro", "parte", "tomo")
)
ALONE = "prologue|epilogue|prolog|epilog|épilogue|prólogo|epílogo|prologo|epilogo|пролог|эпилог"  # without a number
ABOVE |= frozenset((*ALONE.split("|"), "livro", "часть", "книга", "том", *"卷部集권부"))
ONES = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|"
ONES += "eighteen|nineteen"
ORDINALS = "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirteenth|fourteenth|"
ORDINALS += "fifteenth|sixteenth|seventeenth|eighteenth|nineteenth|twentieth|thirtieth|last"
TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
ROMAN = r"(?=[mdclxvi])m{0,3}(?:cm|cd|d?c{0,4})(?:xc|xl|l?x{0,4})(?:ix|iv|v?i{0,4})j?"
# Ordinals of the other languages by their endings, since a word of a heading stands before them.
ORDINAL = (
    r"(?:(?:vingt|trente|quarante|двадцать|тридцать|сорок|décimo|decimo)[- ])?"
    r"(?:premi[eè]re?|second[oae]?|\w{2,12}(?:i[eè]me|[eé]sim[oa])|prim[oaeé]r?[oa]?|segund[oa]|tercer[oa]|terz[oa]|"
    r"terceir[oa]|cuart[oa]|quart[oa]|quint[oa]|sext[oa]|sest[oa]|s[eé]ptim[oa]|settim[oa]|octav[oa]|ottav[oa]|"
    r"noven[oa]|non[oa]|d[eé]cim[oa]|und[eé]cim[oa]|duod[eé]cim[oa]|primeir[oa]|перв\w{2}|втор\w{2}|треть[яи]|"
    r"четв[её]рт\w{2}|пят\w{2}|шест\w{2}|седьм\w{2}|восьм\w{2}|девят\w{2}|десят\w{2}|\w{2,12}надцат\w{2}|"
    r"двадцат\w{2}|тридцат\w{2})"
)
NUMBER = rf"(?:\d{{1,3}}|{ROMAN}|(?:the[ ])?(?:(?:{TENS})(?:[- ](?:{ONES}|{ORDINALS}))?|{ONES}|{ORDINALS})|{ORDINAL})"
# "Erstes Kapitel", "3. Kapitel", "Première partie".
NUMBERED = (
    r"(?:\d{1,3}\.[ ](?:kapitel|teil|buch)|\w{2,24}t(?:es|er)[ ](?:kapitel|teil|buch|brief|gesang)|"
    r"(?:premi[eè]re|seconde?|\w{2,12}i[eè]me)[ ](?:partie|livre|chant)|"
    r"(?:prim|segund|tercer|terz|cuart|quart|quint|sext|sest)(?:er)?a[ ]parte)"
)
FIRST_BOOK = rf"(?:the[ ])?(?:{ORDINALS})[ ](?:{ENGLISH})"
EAST_ASIAN = (
    r"第[ \t]?[0-9\uff10-\uff19〇零一二三四五六七八九十百千两兩]{1,8}[ \t]?[章回卷節节部集話话篇幕]|"
    r"제[ \t]?\d{1,3}[ \t]?[장부화권]"
)
LINE = re.compile(
    rf"^[ \t\f\ufeff]*+(?P<words>[_*=]{{0,2}}(?:(?P<east>{EAST_ASIAN})|"
    rf"(?P<alone>{ALONE})|(?P<numbered>{NUMBERED}|(?P<ordinal>{FIRST_BOOK}))|"
    rf"(?P<word>{ENGLISH}|{SCENE}|{OTHERS})\.?[ \t]{{1,4}}(?P<number>{NUMBER}))(?![\w'’])(?P<rest>.*))$",
    re.MULTILINE | re.IGNORECASE,
)
KINDS = {"chap": "chapter", "kap": "kapitel", "cap": "capítulo", "capitulo": "capítulo"}
# So that a table of contents may write "ACT I" for what is called "FIRST ACT" in the text.
VALUES = {word: str(value) for words in (ONES, ORDINALS) for value, word in enumerate(words.split("|"), 1)}
SEPARATED = re.compile(r"[_*=]{0,2}(?:[.:\])]|[ \t]*(?:--|[-–—:])|[ \t]{2,}|\u3000)")
SENTENCE_END = re.compile(r"(?<!\bMr)(?<!\bMrs)(?<!\bDr)(?<!\bSt)[.!?;][\"”’)]*\s+\S")
TITLE_STARTS = '_"“‘«¿¡'
NUMERAL = re.compile(
    rf"^[ \t\f]*+(?P<words>[_*=]{{0,2}}(?P<number>{ROMAN.upper()})[_*=]{{0,2}}\.?[_*=]{{0,2}}"
    rf"(?P<rest>(?<=\.)[ \t]+[^\W\d_a-z].{{0,{MOST_TITLE}}})?)"
    r"[ \t\r]*$",
    re.MULTILINE,
)
ENTRY = re.compile(rf"[ \t]*(?:{ROMAN}|\d{{1,3}})\.[ \t]+\S", re.IGNORECASE)
NOTE = re.compile(r"\[\d{1,4}\]")
BLANK = re.compile(r"\n[ \t\f]*\r?\n")
NEXT = re.compile(rf"(?:[ \t\f]*\r?\n)+[ \t]*(?P<title>\S.{{0,{MOST_TITLE}}})(?:\r?\n[ \t]*\r?\n|\s*\Z)")


@dataclass(frozen=True)
class PlainHeading:
    """start, end: characters of the text. kind, number: "chapter", "xii". title: the heading's own words."""

    start: int
    end: int
    kind: str
    number: str
    title: str


def plain_cuts(text: str) -> list[tuple[int, str]]:
    """Where each chapter begins, and its title; none where there are not at least two."""
    cuts = _with_listed(_worded_cuts(text), _listed_cuts(text))
    if len(cuts) < 2:
        cuts = max(_numbered_cuts(text, is_titled=False), _numbered_cuts(text, is_titled=True), key=len)
        if len(cuts) < LEAST_NUMBERED:
            return []
    return [(start, title if len(title) <= SHOWN else title[: SHOWN - 1].rstrip() + "…") for start, title in cuts]


def _worded_cuts(text: str) -> list[tuple[int, str]]:
    found = list(islice(_headings(text), MOST_HEADINGS))
    if len(found) == MOST_HEADINGS:
        return []
    found = _without_letters(_without_contents(found, text))
    # The notes behind an act repeat its heading.
    found = [one for at, one in enumerate(found) if not at or not _is_again(found[at - 1], one)]
    has_text = _with_text(found, text)
    for at, (one, following) in enumerate(pairwise(found)):  # "BOOK II. Containing scenes of happiness"
        if one.kind in ABOVE and following.kind not in ABOVE and _is_subtitle(text[one.end : following.start]):
            has_text[at] = False
    cuts: list[tuple[int, str]] = []
    used = -1
    for at, heading in enumerate(found):
        if not has_text[at]:
            continue
        first, kinds = at, {heading.kind}
        while first - 1 > used and not has_text[first - 1] and found[first - 1].kind in ABOVE - kinds:
            first -= 1
            kinds.add(found[first].kind)
        used = at
        cuts.append((found[first].start, ", ".join(one.title for one in found[first : at + 1])))
    return cuts


def _with_listed(cuts: list[tuple[int, str]], listed: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """Chapters by their words, and in front of them and behind them what the table of contents has, such as a preface;
    or those of the table alone, where it has many more."""
    if len(cuts) < 2 or len(listed) >= FAR_MORE * len(cuts):
        return listed or cuts
    begins = [one[0] for one in listed if one[0] < cuts[0][0]] + [cuts[0][0]]
    before = [one for one, end in zip(listed, begins[1:], strict=False) if end - one[0] >= SHORTEST + len(one[1])]
    return [*before, *cuts, *(one for one in listed if one[0] > cuts[-1][0])]


def _listed_cuts(text: str) -> list[tuple[int, str]]:
    """The same of the titles of a table of contents. A title just before another one, as of a part, belongs to it."""
    found = [
        PlainHeading(start, end, "", "", _titled([words], "", 0))
        for start, end, words in listed_headings(text)
        if not words.casefold().startswith(SCENE)
    ]
    cuts: list[tuple[int, str]] = []
    above: list[PlainHeading] = []
    for heading, has_text in zip(found, _with_text(found, text), strict=True):
        above.append(heading)
        if has_text:
            cuts.append((above[0].start, ", ".join(one.title for one in above)))
            above = []
    return cuts


def _numbered_cuts(text: str, is_titled: bool) -> list[tuple[int, str]]:
    """The same of Roman numerals without a word, if none of I, II, III and so on is left out. is_titled: a title stands
    behind each on its line; else none does, as of the parts of a story in a book whose stories have titles."""
    lines = (match for match in _matches(NUMERAL, text) if bool(match["rest"]) == is_titled)
    every = (_heading(match, text, "", match["number"].casefold()) for match in lines)
    found = list(islice((one for one in every if one is not None), MOST_HEADINGS))
    chain: list[PlainHeading] = []
    for heading, has_text in zip(found, _with_text(found, text), strict=True):
        if has_text and heading.number == str(len(chain) + 1):
            chain.append(heading)
    if not chain or 2 * chain[0].start > len(text):
        return []  # those of an appendix
    return [(one.start, one.title) for one in chain]


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Of a pattern for whole lines that are not empty."""
    for lines in FULL_LINES.finditer(text):
        begin, stop = lines.span()
        while begin < stop:
            end = text.find("\n", begin + BLOCK, stop) + 1 or stop
            yield from pattern.finditer(text, begin, end)
            begin = end


def _headings(text: str) -> Iterator[PlainHeading]:
    for match in _matches(LINE, text):
        if _is_heading(match) and (found := _heading(match, text, *_named(match))) is not None:
            yield found


def _heading(match: re.Match[str], text: str, kind: str, number: str) -> PlainHeading | None:
    """None where the line does not begin a paragraph of a few lines, or where that is a table of contents."""
    if not _is_after_blank(text, match.start()):
        return None
    start = match.start("words")
    paragraph = text[start : start + MOST_CHARACTERS + 4]
    blank = BLANK.search(paragraph)
    paragraph = paragraph[: blank.start()].rstrip() if blank else paragraph.rstrip()
    lines = [line for line in paragraph.splitlines() if line.strip()]
    if len(paragraph) > MOST_CHARACTERS or len(lines) > MOST_LINES:
        return None
    if sum(LINE.match(line) is not None or NUMERAL.match(line) is not None for line in lines) > 2:
        return None
    end = start + len(paragraph)
    return PlainHeading(match.start(), end, kind, _value(number), _titled(lines, text, end))


def _is_after_blank(text: str, start: int) -> bool:
    return start == 0 or not text[text.rfind("\n", 0, start - 1) + 1 : start].strip()


def _is_heading(match: re.Match[str]) -> bool:
    """Whether a line has the capitals of a heading, and behind its number nothing or a title, not a sentence."""
    words, rest = match["words"], match["rest"].rstrip()
    bare = words.lstrip("_*=")
    if not (bare[0].isupper() or bare[0].isdigit() or match["east"]) or (match["word"] or "").casefold() == SCENE:
        return False
    if match["ordinal"] and not match["ordinal"].isupper():
        return False  # "The first book" begins many a sentence
    if not rest.strip("_*=.:]) \t") or SEPARATED.match(rest):
        return True
    title = rest.lstrip()
    if match["east"] or not match["word"]:
        return bool(match["east"]) and rest != title
    return (title[0].isupper() or title[0] in TITLE_STARTS) and not SENTENCE_END.search(title)


def _named(match: re.Match[str]) -> tuple[str, str]:
    if match["alone"]:
        return match["alone"].casefold(), ""
    if match["word"]:
        kind, number = match["word"].casefold(), match["number"].casefold()
    else:
        words = (match["numbered"] or match["east"]).casefold()
        number, _, kind = words.rpartition(" ") if match["numbered"] else (words, "", words[-1])
    number = number.removeprefix("the ")
    return KINDS.get(kind, kind), number


def _titled(lines: list[str], text: str, end: int) -> str:
    """The heading's words on one line, with a title that stands in the next paragraph."""
    title = _joined([plain for line in lines if (plain := _plain(line))])
    following = NEXT.match(text, end) if len(title.split()) < 4 else None
    if following is not None and (following["title"][0].isalpha() or following["title"][0] in TITLE_STARTS):
        own = _plain(following["title"])
        is_whole = own[-1:].isalnum() or (own.isupper() and own[-1:] == ".")
        if is_whole and not LINE.match(own):
            title = _joined([title, own])
    return title.rstrip(".:")


def _joined(lines: list[str]) -> str:
    if len(lines) < 2:
        return "".join(lines)
    first = lines[0] if not lines[0][-1:].isalnum() or len(lines[0].split()) > 3 else f"{lines[0]}."
    return " ".join((first, *lines[1:]))


def _plain(line: str) -> str:
    return " ".join(NOTE.sub("", line).replace("_", "").strip(" \t\r\f*=[]\ufeff").split())


def _with_text(found: list[PlainHeading], text: str) -> list[bool]:
    """Whether each heading has the text of a chapter behind it. Lines of a table of contents are none."""
    ends = [*(one.start for one in found[1:]), len(text)][: len(found)]
    return [_is_text(text[one.end : end]) for one, end in zip(found, ends, strict=True)]


def _is_text(body: str) -> bool:
    if len(body) < MOST_CONTENTS:
        body = "".join(line for line in body.splitlines(keepends=True) if not _is_entry(line.rstrip()))
    return len(body.strip()) >= SHORTEST


def _without_letters(found: list[PlainHeading]) -> list[PlainHeading]:
    """Without those behind the first chapter: somebody reads them there."""
    first = next((at for at, one in enumerate(found) if one.kind not in LETTERS | ABOVE), len(found))
    return [one for at, one in enumerate(found) if at < first or one.kind not in LETTERS]


def _is_again(last: PlainHeading, heading: PlainHeading) -> bool:
    return bool(heading.number) and last.title.casefold() == heading.title.casefold()


def _is_subtitle(body: str) -> bool:
    return len(body.strip()) <= MOST_SUBTITLE and BLANK.search(body.strip()) is None


def _is_entry(line: str) -> bool:
    return LINE.match(line) is not None or (len(line) < MOST_TITLE and ENTRY.match(line) is not None)


def _without_contents(found: list[PlainHeading], text: str) -> list[PlainHeading]:
    """Without a table of contents: the first headings, most of them with no text between, up to where the first of all
    comes again. Behind the last of them may be a preface."""
    begin = 0
    while begin < len(found):
        first = (found[begin].kind, found[begin].number)
        again = next((at for at in range(begin + 1, len(found)) if (found[at].kind, found[at].number) == first), None)
        if again is None or 2 * sum(_with_text(found[begin : again + 1], text)[:-1]) > again - begin:
            break
        begin = again
    return found[begin:]


def _value(number: str) -> str:
    """ "xii", "twelfth" and "12" are one number."""
    if re.fullmatch(ROMAN, number):
        return str(roman.value(number.replace("j", "i").upper()))
    return VALUES.get(number, number)
