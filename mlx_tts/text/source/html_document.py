"""HTML or XHTML -> blocks of words: an article's text without navigation, scripts, notes and their marks."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from mlx_tts.files import budget
from mlx_tts.text.markup.markdown import clean
from mlx_tts.text.source.blocks import NO_ASIDES, Asides, Document, TextBlock, chapters_of, counted, lines_of_code

BREAKING_NAMES = (
    "p div li ul ol dl dt dd h1 h2 h3 h4 h5 h6 blockquote section article aside main header footer table thead "
    "tbody tr pre hr figure figcaption address details summary body caption fieldset form"
)
BREAKING = frozenset(BREAKING_NAMES.split())
UNSPOKEN_NAMES = (
    "head script style template nav svg math noscript iframe object embed video audio canvas button select "
    "textarea input rt rp map dialog menu datalist progress meter"
)
UNSPOKEN = frozenset(UNSPOKEN_NAMES.split())
HIDDEN_ROLES_NAMES = (
    "navigation search banner contentinfo doc-noteref doc-footnote doc-endnotes doc-endnote doc-pagebreak "
    "doc-backlink doc-toc doc-index"
)
HIDDEN_ROLES = frozenset(HIDDEN_ROLES_NAMES.split())
HIDDEN_TYPES_NAMES = "noteref footnote footnotes endnote endnotes rearnote rearnotes pagebreak toc landmarks"
HIDDEN_TYPES = frozenset(HIDDEN_TYPES_NAMES.split())
SELF_CLOSED = re.compile(
    r"<(script|style|title|a|div|span|p|i|b|em|td|th|iframe|textarea)\b([^<>]*+)(?<=/)>", re.IGNORECASE
)
TAG_NAME = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]*)(?![^<>]*/>)")
TAG_OR_COMMENT = re.compile(r"<(?:!--|([A-Za-z][^\s/>]*+))")
COMMENT_END = re.compile(r"--!?>")
ATTRIBUTE = re.compile(r"[\s/]*+[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:\"[^\"]*+\"?|'[^']*+'?|[^\s>]*+))?")
RAW_END = {name: re.compile(rf"</{name}", re.IGNORECASE) for name in ("script", "style")}  # nothing in them is a tag
FOREIGN = re.compile(r"<(?:svg|math)", re.IGNORECASE)  # but in these it is
# Elements without an end, or whose end is implied by the next of their kind.
NEVER_DEEP_NAMES = (
    "area base br col embed hr img input link meta source track wbr p li dt dd tr td th thead tbody option colgroup"
)
NEVER_DEEP = frozenset(NEVER_DEEP_NAMES.split())
RUBY_PARTS = frozenset(("rt", "rp"))  # they end each other inside ruby alone
FORMATTING = frozenset(
    ["a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"]
)
SUPERSCRIPT = str.maketrans("0123456789-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻")
SUBSCRIPT = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
NOTE_MARK = re.compile(r"\[?(?:\d{1,3}|[a-z*†‡§])\]?")
CODE_CLASS = re.compile(
    r"\b(?:code|source\w*|highlight\w*|hljs|syntax\w*|prettyprint\w*|brush|lang(?:uage)?-\w|programlisting|screen|terminal"
    r"|console|shell|doctest|literal-block)",
    re.IGNORECASE,
)
CODE_SIGN = re.compile(r"[{}\[\]()<>=;_/\\|$#+&^~@`%]")
MOST_SIGNS = 0.06  # for each letter; stories have one bracket in a hundred letters
SENTENCE_ENDS = ".,;:!?…—–-\"'”’»)"
WORD_BEFORE = re.compile(r"(?:[^\W\d_]{3}|[.,;:!?…”’\"')\]»])\s?\Z")


@dataclass
class _Page:
    """blocks: those that are over. parts, names: of the block that grows. level: of the heading in which we are. code:
    how many blocks of code were left out."""

    reads_code: bool
    blocks: list[TextBlock] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    level: int = 0
    cells: int = 0
    code: int = 0

    def end_block(self) -> None:
        text = clean("".join(self.parts), markup=False, verse=True)
        if text or self.names:
            self.blocks.append(TextBlock(text, self.level if text else 0, tuple(self.names)))
        self.parts, self.names = [], []

    @property
    def tail(self) -> str:
        return "".join(self.parts[-4:])[-8:]


def html_document(markup: str, asides: Asides = NO_ASIDES) -> Document:
    """A page as its author means it to be read: the article where there is one."""
    tree = _parse(markup)
    page = _read(_main_part(tree), _Page(asides.code), whole_page=True)
    title = tree.css_first("title")
    language = tree.root.attributes.get("lang") if tree.root else None
    words = clean(title.text(), markup=False) if title else ""
    code = counted(page.code, "block of code")
    return Document(chapters_of([b for b in page.blocks if b.text]), words or None, None, language, left_out=code)


def html_blocks(markup: str, asides: Asides = NO_ASIDES) -> list[TextBlock]:
    """All blocks of a page or of a part of one; such without words but with anchors included."""
    tree = _parse(markup)
    return _read(tree.body, _Page(asides.code), whole_page=False).blocks if tree.body else []


def _parse(markup: str) -> Any:
    from selectolax.lexbor import LexborHTMLParser

    budget.ELEMENTS.check(markup.count("<"), "a page")
    _check_work(markup)
    # XHTML closes empty elements at once; HTML would take all that follows for their content.
    return LexborHTMLParser(SELF_CLOSED.sub(r"<\1\2></\1>", markup.replace("\0", "")))


def _check_work(markup: str) -> None:
    """Refuse what would take long though it is short. The parser looks through all open elements at many a tag, so
    depth takes quadratic time; and it opens what is left open of FORMATTING anew in each paragraph."""
    budget.ATTRIBUTES.check(most_attributes(markup, budget.ATTRIBUTES.allowed), "a page")
    opened: Counter[str] = Counter()
    depth = formatting = made = 0
    deepest, most = budget.DEPTH.allowed, budget.ELEMENTS.allowed
    for match in TAG_NAME.finditer(markup):
        name = match[2].lower()
        if name not in NEVER_DEEP and not (name in RUBY_PARTS and opened["ruby"]):
            step = 1 if not match[1] else -1 if opened[name] else 0  # an end without a beginning ends nothing
            opened[name] += step
            depth += step
            formatting += step if name in FORMATTING else 0
        made += 1 + formatting
        if depth > deepest or made > most:
            budget.DEPTH.check(depth, "a page")
            budget.ELEMENTS.check(made, "a page, with what it leaves open,")


def most_attributes(markup: str, enough: int) -> int:
    """Of the tag that has most of them; with more than `enough` the rest is not looked at. As the parser reads tags:
    one ends at the first ">" that is not in quotes."""
    most = at = 0
    raw = {} if FOREIGN.search(markup) else RAW_END
    while most <= enough and (start := TAG_OR_COMMENT.search(markup, at)) is not None:
        if start[1] is None:
            end = COMMENT_END.search(markup, start.start() + 2)  # "<!-->" is a whole one
            at = len(markup) if end is None else end.end()
            continue
        count, at = 0, start.end()
        while count <= enough and (found := ATTRIBUTE.match(markup, at)) is not None:
            count, at = count + 1, found.end()
        most = max(most, count)
        if (closing := raw.get(start[1].lower())) is not None:
            end = closing.search(markup, at)
            at = len(markup) if end is None else end.start()
    return most


def _main_part(tree: Any) -> Any:
    articles = tree.css("article")
    if len(articles) == 1:
        return articles[0]
    return tree.css_first("main") or tree.css_first("[role=main]") or tree.body


def _read(root: Any, page: _Page, whole_page: bool) -> _Page:
    """In the order of the text, without recursion: pages of strangers may be nested as deeply as they like."""
    node, depth = root, 0
    while True:
        if _enter(node, page, whole_page and depth > 0) and node.child is not None:
            node, depth = node.child, depth + 1
            continue
        _end(node.tag, page)
        while depth and node.next is None:
            node, depth = node.parent, depth - 1
            _end(node.tag, page)
        if not depth:
            break
        node = node.next
    page.end_block()
    return page


def _enter(node: Any, page: _Page, whole_page: bool) -> bool:
    tag = node.tag
    if tag != "-text":
        return _begin(node, tag, page, whole_page)
    page.parts.append(re.sub(r"\s+", " ", node.text_content or ""))
    return False


def _is_code(block: Any) -> bool:
    """Whether preformatted text is code or what a program writes, not a poem or a letter: by what is in it, by the
    classes that tools for code give it, else by its signs."""
    if block.css_first("code, kbd, samp") is not None:
        return True
    around = [block, block.parent, block.parent.parent if block.parent else None]
    classes = " ".join(str(node.attributes.get("class") or "") for node in around if node is not None)
    return CODE_CLASS.search(classes) is not None or _reads_as_code(block.text())


def _reads_as_code(text: str) -> bool:
    """Many signs; or lines that neither begin with a capital nor end as a sentence, such as a command."""
    letters = sum(map(str.isalpha, text))
    if len(CODE_SIGN.findall(text)) > MOST_SIGNS * letters:
        return True
    lines = [line for line in map(str.strip, text.split("\n")) if line]
    return bool(lines) and all("a" <= line[0] <= "z" and line[-1] not in SENTENCE_ENDS for line in lines)


def _begin(node: Any, tag: str, page: _Page, whole_page: bool) -> bool:
    """Whether what is inside is read."""
    attributes = node.attributes
    if name := attributes.get("id") or (attributes.get("name") if tag == "a" else None):
        page.names.append(name)
    if tag in UNSPOKEN or tag.startswith(("-", "!")) or is_hidden(attributes):
        return False
    if whole_page and tag in ("header", "footer") and (node.parent is None or node.parent.tag in ("body", "div")):
        return False
    if tag == "pre" and _is_code(node):
        page.end_block()
        page.code += not page.reads_code
        page.blocks += lines_of_code(node.text()) if page.reads_code else []
        return False
    if tag in ("sup", "sub"):
        _raised(node, tag, page)
        return False
    if tag == "br":
        page.parts.append("\n")
    elif tag in BREAKING:
        names, page.names = page.names, []
        page.end_block()
        page.names = names
        page.cells = 0
        if tag[0] == "h" and tag[1:].isdigit():
            page.level = int(tag[1:])
    elif tag in ("td", "th"):
        page.parts.append(", " if page.cells and "".join(page.parts).strip() else "")
        page.cells += 1
    return True


def _end(tag: str, page: _Page) -> None:
    if tag == "tr" and (text := "".join(page.parts).strip()) and text[-1] not in ".!?":
        page.parts.append(".")
    if tag in BREAKING:
        page.end_block()
        if tag[0] == "h" and tag[1:].isdigit():
            page.level = 0


def is_hidden(attributes: dict[str, str | None]) -> bool:
    """Whether an element is not shown, or is a note, a mark of one, or something else that is not read aloud."""
    if "hidden" in attributes or attributes.get("aria-hidden") == "true":
        return True
    style = (attributes.get("style") or "").replace(" ", "").lower()
    roles = set((attributes.get("role") or "").split())
    types = set((attributes.get("epub:type") or "").split())
    return "display:none" in style or bool(roles & HIDDEN_ROLES or types & HIDDEN_TYPES)


def _raised(node: Any, tag: str, page: _Page) -> None:
    """x<sup>2</sup> is a power, "night.<sup>1</sup>" the mark of a note, H<sub>2</sub>O a formula."""
    text = " ".join((node.text() or "").split())
    if tag == "sup" and (
        node.css_first("a") is not None or (NOTE_MARK.fullmatch(text) and WORD_BEFORE.search(page.tail))
    ):
        return
    digits = text.lstrip("-−").isdigit()
    page.parts.append(text.translate(SUPERSCRIPT if tag == "sup" else SUBSCRIPT) if digits else text)
