"""XHTML as its author wrote it -> the same with a span around each sentence that was spoken.

Sentences are found by their letters and digits alone, since reading a page aloud changes white space and marks. Nothing
of the page is written anew: spans are put between its characters, and without them it is what it was.
"""

from __future__ import annotations

import html
import re
import unicodedata
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from mlx_tts.text.source.html_document import BREAKING, NEVER_DEEP, NOTE_MARK, UNSPOKEN, WORD_BEFORE, is_hidden

# A comment, a section, an instruction or a tag. In XHTML no "<" stands within a tag, so that no search goes far.
TOKEN = re.compile(
    r"<!--.*?(?:-->|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)|<\?.*?(?:\?>|\Z)"
    r"|<(?P<end>/?)(?P<name>[A-Za-z][^\s/<>]*+)(?P<rest>(?:[^<>\"']++|\"[^\"<]*+\"|'[^'<]*+')*+)>",
    re.DOTALL,
)
CHARACTER = re.compile(r"&[#\w]{1,32};|.", re.DOTALL)
ATTRIBUTE = re.compile(r"([\w:.-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
NOTE_CHARACTERS = 300  # the mark of a note and its link
SHORT, NEAR, FAR = 12, 60, 20_000  # letters: a short sentence is looked for nearby alone
HEAD = 200  # letters by which a chapter's beginning is found
MARKS_END = re.compile(r"[\s<>&;]")


@dataclass(frozen=True)
class Token:
    """start, end: in the markup. name: in lower case, without a prefix; "" for what is no tag."""

    start: int
    end: int
    name: str = ""
    closes: bool = False
    is_empty: bool = False
    attributes: str = ""


@dataclass
class Page:
    """One document of a book. letters: what is read aloud of it, as `letters_of` has it, with the place of each in the
    markup. runs: from where to where visible text stands between two tags."""

    name: str
    markup: str
    tokens: list[Token] = field(default_factory=list)
    runs: list[tuple[int, int]] = field(default_factory=list)
    letters: str = ""
    starts: array[int] = field(default_factory=lambda: array("I"))
    ends: array[int] = field(default_factory=lambda: array("I"))

    @classmethod
    def of(cls, name: str, markup: str) -> Page:
        page = cls(name, markup, list(tokens_of(markup)))
        found: list[str] = []
        for start, end in _visible(page):
            page.runs.append((start, end))
            for match in CHARACTER.finditer(markup, start, end):
                text = match[0] if len(match[0]) == 1 else html.unescape(match[0])
                for letter in letters_of(text):
                    found.append(letter)
                    page.starts.append(match.start())
                    page.ends.append(match.end())
        page.letters = "".join(found)
        return page


def letters_of(text: str) -> str:
    """The letters and digits alone, taken apart and in lower case, so that each can be looked at for itself."""
    return "".join(c for c in unicodedata.normalize("NFKD", text).lower() if c.isalnum())


def tokens_of(markup: str) -> Iterator[Token]:
    for match in TOKEN.finditer(markup):
        name = (match["name"] or "").lower().rpartition(":")[2]
        rest = match["rest"] or ""
        yield Token(match.start(), match.end(), name, bool(match["end"]), rest.endswith("/"), rest)


def attributes_of(token: Token) -> dict[str, str | None]:
    return {name: html.unescape(double or single) for name, double, single in ATTRIBUTE.findall(token.attributes)}


def _visible(page: Page) -> Iterator[tuple[int, int]]:
    """What a reader of the page hears, tag by tag: not the parts that `html_document` leaves out either."""
    at, hidden, depth = 0, "", 0
    for token in [*page.tokens, Token(len(page.markup), len(page.markup))]:
        if not hidden and token.start > at:
            yield at, token.start
        at = token.end
        if not token.name or token.is_empty or token.name in NEVER_DEEP:
            continue
        if hidden:
            depth += 0 if token.name != hidden else -1 if token.closes else 1
            hidden = hidden if depth else ""
        elif not token.closes and _is_left_out(token, page.markup):
            hidden, depth = token.name, 1


def _is_left_out(token: Token, markup: str) -> bool:
    if token.name in UNSPOKEN or is_hidden(attributes_of(token)):
        return True
    if token.name != "sup":
        return False
    inside = markup[token.end : token.end + NOTE_CHARACTERS].partition("</")[0]
    if "<a" in inside:
        return True
    before = TOKEN.sub("", markup[max(0, token.start - NOTE_CHARACTERS) : token.start])[-8:]
    return bool(NOTE_MARK.fullmatch(inside.strip()) and WORD_BEFORE.search(before))


@dataclass(frozen=True)
class SentencePlace:
    """Where a sentence stands: the pages by number, with the first letter of it there and the one behind its last."""

    page: int
    first: int
    last: int


def places_of(
    pages: Sequence[Page], chapters: Sequence[str], sentences: Sequence[tuple[int, str]]
) -> list[SentencePlace | None]:
    """Where each sentence (the number of its chapter, its text) stands; None for one that is not found as it was
    spoken. chapters: their texts, in the order of the pages."""
    stream = "".join(page.letters for page in pages)
    begins = [0]
    for page in pages:
        begins.append(begins[-1] + len(page.letters))
    starts = [*_chapter_starts(stream, chapters), len(stream)]
    places: list[SentencePlace | None] = []
    chapter, at = -1, 0
    for number, text in sentences:
        if number != chapter and 0 <= number < len(chapters):
            chapter, at = number, starts[number]
        found = _found(stream, letters_of(text), at, max(at, starts[chapter + 1]))
        places.append(None if found is None else _on_page(begins, *found))
        at = at if found is None else found[1]
    return places


def _chapter_starts(stream: str, chapters: Sequence[str]) -> list[int]:
    starts, at = [], 0
    for text in chapters:
        head = letters_of(text[: 4 * HEAD])[:HEAD]
        found = stream.find(head, at) if head else -1
        starts.append(at if found < 0 else found)
        at = at if found < 0 else found + len(head)
    return starts


def _found(stream: str, wanted: str, at: int, end: int) -> tuple[int, int] | None:
    if not wanted:
        return None
    far = at + len(wanted) + (NEAR if len(wanted) < SHORT else FAR)
    found = stream.find(wanted, at, min(end, far))
    return None if found < 0 else (found, found + len(wanted))


def _on_page(begins: list[int], first: int, last: int) -> SentencePlace:
    """A sentence that goes on on the next page stands where it begins."""
    page = bisect_right(begins, first) - 1
    return SentencePlace(page, first - begins[page], min(last, begins[page + 1]) - begins[page])


def spans_of(page: Page, places: Sequence[SentencePlace]) -> list[list[tuple[int, int]]]:
    """For each place, in their order: from where to where a span can stand in the markup. One holds the sentence where
    elements allow it, else each part of the text between two tags has its own."""
    by_start = {token.start: token for token in page.tokens}
    by_end = {token.end: token for token in page.tokens}
    places_of_tokens = [token.start for token in page.tokens]
    spans: list[list[tuple[int, int]]] = []
    floor = 0
    for place in places:
        start, end = _with_marks(page.markup, page.starts[place.first], page.ends[place.last - 1], floor)
        whole = _whole(page, start, end, floor, by_start, by_end, places_of_tokens)
        spans.append([whole] if whole is not None else _parts(page, start, end))
        floor = max(floor, spans[-1][-1][1] if spans[-1] else end)
    return spans


def _with_marks(markup: str, start: int, end: int, floor: int) -> tuple[int, int]:
    """With the quotation marks and full stops that stand next to the letters."""
    while start > floor and not MARKS_END.match(markup[start - 1]):
        start -= 1
    while end < len(markup) and not MARKS_END.match(markup[end]):
        end += 1
    return max(start, floor), end


def _whole(
    page: Page, start: int, end: int, floor: int, by_start: dict[int, Token], by_end: dict[int, Token], at: list[int]
) -> tuple[int, int] | None:
    """From where to where whole elements stand around a sentence, or None: elements that begin or end at its edge are
    taken in."""
    while True:
        inside = page.tokens[bisect_left(at, start) : bisect_left(at, end)]
        if any(token.name in BREAKING for token in inside):
            return None
        unopened, opened = _open_ends(inside)
        before, behind = by_end.get(start), by_start.get(end)
        if not opened and not unopened:
            if not _is_one_with_marks(page.markup, before, behind, floor):
                return _with_marks(page.markup, start, end, floor)
            assert before is not None
            assert behind is not None
            start, end = before.start, behind.end
        elif (
            unopened and before is not None and before.name == unopened and not before.closes and before.start >= floor
        ):
            start = before.start
        elif opened and behind is not None and behind.name == opened[-1] and behind.closes:
            end = behind.end
        else:
            return None


def _open_ends(tokens: Sequence[Token]) -> tuple[str, list[str]]:
    """The first element that ends in there without having begun ("" for none), and those that begin and do not end."""
    opened: list[str] = []
    unopened = ""
    for token in tokens:
        if not token.name or token.is_empty or token.name in ("br", "img", "wbr"):
            continue
        if not token.closes:
            opened.append(token.name)
        elif opened and opened[-1] == token.name:
            opened.pop()
        else:
            unopened = unopened or token.name
    return unopened, opened


def _is_one_with_marks(markup: str, before: Token | None, behind: Token | None, floor: int) -> bool:
    """Whether a sentence fills an element within a line, and its full stop stands behind that."""
    if before is None or behind is None or before.closes or not behind.closes or before.name != behind.name:
        return False
    return before.name not in BREAKING and before.start >= floor and not MARKS_END.match(markup[behind.end])


def _parts(page: Page, start: int, end: int) -> list[tuple[int, int]]:
    """What is read of it between two tags, without the white space around it."""
    parts = []
    for own_start, own_end in page.runs[max(0, bisect_right(page.runs, (start, 0)) - 1) :]:
        if own_start >= end:
            break
        first, last = max(start, own_start), min(end, own_end)
        text = page.markup[first:last]
        if letters_of(html.unescape(text)):
            parts.append((first + len(text) - len(text.lstrip()), last - len(text) + len(text.rstrip())))
    return parts


def with_spans(page: Page, spans: Sequence[tuple[int, int, str]], link: str = "") -> str:
    """spans: from where to where, and the id of each; in order, none within another. link: an element that the page's
    head gets at its end."""
    edits = [(start, f'<span id="{name}">') for start, _, name in spans] + [(end, "</span>") for _, end, _ in spans]
    # Where one ends and the next begins, the end comes first.
    edits.sort(key=lambda edit: (edit[0], edit[1] != "</span>"))
    head = next((token for token in page.tokens if token.name == "head" and token.closes), None)
    if link and head is not None:
        edits = [(head.start, link), *edits]
    return with_edits(page.markup, edits)


def with_edits(markup: str, edits: Sequence[tuple[int, str]]) -> str:
    """With each text put in at its place; the places rise."""
    places = [0, *(at for at, _ in edits), len(markup)]
    added = ["", *(text for _, text in edits)]
    return "".join(text + markup[start:end] for text, (start, end) in zip(added, pairwise(places), strict=True))
