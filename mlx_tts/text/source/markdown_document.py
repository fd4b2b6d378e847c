"""A Markdown file -> its document: blocks by its specification, the words in them by `markup/markdown.py`.

Front matter, code and formulas on lines of their own are left out; tables are read row by row. Footnotes are left out,
or read behind the paragraph that asks for them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from mlx_tts.files import budget
from mlx_tts.text.markup.markdown import FOOTNOTE, clean, without_markup
from mlx_tts.text.source.blocks import NO_ASIDES, Asides, Document, TextBlock, chapters_of, counted, lines_of_code

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
ESCAPED = 0xE000  # a private letter stands for an escaped sign until all markup is gone
RESTORED = {ESCAPED + code: chr(code) for code in range(33, 127)}
TASK = re.compile(r"\A\[[ xX]\][ \t]+")
HARD_BREAK = re.compile(r"(?:(?<![ ])[ ]{2,}+|\\)\n")
SKIPPED = ("footnote_reference", "footnote_block", "footnote")
DELIMITERS = re.compile(r"[|: \t]*+-[-|: \t]*+\Z")
FIELD = re.compile(r"^(title|author|lang|language)[ \t]*:[ \t]*(.+)$", re.MULTILINE | re.IGNORECASE)
SIGNS = (
    re.compile(r"\A---\n"),
    re.compile(r"^#{1,6} \S", re.MULTILINE),
    re.compile(r"^(?:```|~~~)", re.MULTILINE),
    re.compile(r"^[ \t]*+\|?+[ \t]*+:?+-{3,}+:?+[ \t]*+\|", re.MULTILINE),
    re.compile(r"^\[\^[^\]\s]{1,60}\]:", re.MULTILINE),
    re.compile(r"^\[[^\[\]\n]{1,200}\]:[ \t]+\S", re.MULTILINE),
)


def looks_like_markdown(text: str) -> bool:
    """Whether a text without a file's name has blocks that only Markdown has."""
    return any(sign.search(text) for sign in SIGNS)


def markdown_document(text: str, asides: Asides = NO_ASIDES) -> Document:
    blocks, fields, code = _blocks(text, asides)
    document = Document(chapters_of(blocks), left_out=counted(code, "block of code"))
    language = fields.get("language") or fields.get("lang")
    return replace(document, title=fields.get("title"), author=fields.get("author"), language=language)


def _check_tables(text: str) -> None:
    """Refuse tables whose rows are short of many cells: the parser writes all of them, so that 2 kB take a second."""
    columns = missing = 0
    for line in text.splitlines():
        row = line.strip(" \t>")
        if not row:
            columns = 0
        elif DELIMITERS.match(row):
            columns = max(columns, row.count("|") + 1)
        elif columns:
            missing += max(0, columns - row.count("|") - 1)
    budget.EMPTY_CELLS.check(missing, "a text")


def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.dollarmath import dollarmath_plugin
    from mdit_py_plugins.footnote import footnote_plugin
    from mdit_py_plugins.front_matter import front_matter_plugin

    parser = MarkdownIt("commonmark", {"html": True}).enable("table")
    parser.use(front_matter_plugin).use(footnote_plugin).use(dollarmath_plugin)
    parser.core.ruler.disable(["inline", "footnote_tail"])  # the words are ours: linear, and the same as in any text
    return parser


def _blocks(text: str, asides: Asides) -> tuple[list[TextBlock], dict[str, str], int]:  # noqa: C901 (one branch a kind of token)
    from mlx_tts.text.source.html_document import html_blocks

    blocks: list[TextBlock] = []
    fields: dict[str, str] = {}
    row: list[str] | None = None
    code = level = skipping = 0
    item = ""
    notes = _Notes()
    _check_tables(text)
    for token in _parser().parse(text.replace("\0", "")):
        kind, _, edge = token.type.rpartition("_")
        if kind in SKIPPED and edge in ("open", "close"):
            skipping += 1 if edge == "open" else -1
            notes.turn(token, edge)
        elif skipping:
            notes.add(token)
        elif token.type == "front_matter":
            fields = {name.lower(): value.strip().strip("\"'") for name, value in FIELD.findall(token.content)}
        elif kind == "heading":
            level = int(token.tag[1]) if edge == "open" else 0
        elif token.type == "list_item_open":
            item = f"{token.info}. " if token.info else ""
        elif kind == "tr":
            row = _row(row, edge, blocks)
        elif token.type == "inline":
            words = spoken_words(TASK.sub("", token.content))
            if row is not None:
                row.append(words)
            elif words:
                blocks.append(TextBlock(item + words, level))
            notes.ask(token.content, blocks)
            item = ""
        elif token.type in ("fence", "code_block"):
            code += not asides.code
            blocks += lines_of_code(token.content) if asides.code else []
        elif token.type == "html_block":
            blocks += html_blocks(token.content, asides)
    return notes.placed(blocks) if asides.footnotes else blocks, fields, code


@dataclass
class _Notes:
    """Footnotes of a file: words of each by its label, and behind which block each was first asked for."""

    words: dict[str, list[str]] = field(default_factory=dict)
    asked: dict[str, int] = field(default_factory=dict)
    label: str | None = None

    def turn(self, token: Token, edge: str) -> None:
        """A definition begins or ends; of two with one label the first counts."""
        label = str((token.meta or {}).get("label", ""))
        self.label = label if edge == "open" and label not in self.words else None

    def add(self, token: Token) -> None:
        if self.label is not None and token.type == "inline" and (words := spoken_words(token.content)):
            self.words.setdefault(self.label, []).append(words)

    def ask(self, content: str, blocks: list[TextBlock]) -> None:
        for match in FOOTNOTE.finditer(content):
            self.asked.setdefault(match[0][2:-1], len(blocks))

    def placed(self, blocks: list[TextBlock]) -> list[TextBlock]:
        behind: dict[int, list[TextBlock]] = {}
        for label, at in self.asked.items():
            behind.setdefault(at, []).extend(map(TextBlock, self.words.get(label, [])))
        placed = list(behind.get(0, []))
        for at, block in enumerate(blocks, 1):
            placed += [block, *behind.get(at, [])]
        return placed


def _row(row: list[str] | None, edge: str, blocks: list[TextBlock]) -> list[str] | None:
    """A table's row begins, or ends and is read as one sentence."""
    if edge == "open":
        return []
    cells = ", ".join(cell for cell in row or [] if cell)
    if cells:
        blocks.append(TextBlock(cells if cells[-1] in ".!?…。" else f"{cells}."))
    return None


def spoken_words(inline: str) -> str:
    """The words of a paragraph's source, on one line."""
    hidden = ESCAPE.sub(lambda match: chr(ESCAPED + ord(match[1])), HARD_BREAK.sub("\n\n", inline))
    words = without_markup(hidden).translate(RESTORED)
    lines = [clean(line, markup=False) for line in words.split("\n\n")]
    return clean("\n".join(line for line in lines if line), markup=False, verse=len(lines) > 1)
