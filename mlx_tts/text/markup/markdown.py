"""Text as people and programs write it -> text as it is spoken: no NULs, no markup, no pictures."""

from __future__ import annotations

import re
import unicodedata

FENCE = re.compile(r"^\s*(```|~~~).*$", re.MULTILINE)
TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9-]*(?:\s[^<>]*)?/?>|<!--.*?-->", re.DOTALL)
IMAGE = re.compile(r"!\[([^\]]*)\]\([^)\s]*(?:\s\"[^\"]*\")?\)")
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?:[^)\s]*)(?:\s\"[^\"]*\")?\)")
STRONG = re.compile(r"(\*\*\*|\*\*|__|~~)(?=\S)(.+?)(?<=\S)\1")
EMPHASIS = re.compile(r"(?<![\w*])([*_])(?=[^\s*_])([^*_\n]+?)(?<=[^\s*_])\1(?![\w*])")
STRAY = re.compile(r"\*{2,}|(?<!\w)_{2,}(?=\w)|(?<=\w)_{2,}(?!\w)")  # marks whose other end is in another sentence
CODE = re.compile(r"(`+)(.+?)\1")
LINE_MARK = re.compile(r"^\s{0,3}(?:#{1,6}\s+|>\s?|[-*+•]\s+(?=\S))", re.MULTILINE)
RULE = re.compile(r"^\s*(?:[-*_=]\s*){3,}$|^\s*\|?\s*:?-{3,}.*\|.*$", re.MULTILINE)
EMOJI = re.compile("[\U0001f000-\U0001faff\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\ufe0f\u200d\U000e0000-\U000e007f]+")
SPACES = re.compile(r"[ \t\u00a0\u2000-\u200a\u3000]+")


def printable(text: str) -> str:
    """Without what no tokenizer reads or nobody says: lone surrogates, NULs and other controls, marks of direction."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n\n")
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "ignore")  # pairs become letters, lone ones go
    kept = (
        c
        for c in text
        if c in "\n\t" or (unicodedata.category(c) not in ("Cc", "Cs", "Cn", "Co") and c not in "\ufeff\u200b\u2060")
    )
    return "".join(kept)


def without_markup(text: str) -> str:
    """Markdown and HTML -> the words; what is no markup ("2 * 3 < 7", "snake_case") stays."""
    text = RULE.sub("", FENCE.sub("", TAG.sub(" ", text)))
    text = LINE_MARK.sub("", text)
    text = LINK.sub(r"\1", IMAGE.sub(r"\1", text))
    for pattern, words in ((CODE, r"\2"), (STRONG, r"\2"), (EMPHASIS, r"\2")):
        text = pattern.sub(words, text)
    return STRAY.sub("", text)


def is_spoken(text: str) -> bool:
    """Whether there is anything to say in it: a letter or a digit of any script."""
    return any(unicodedata.category(c)[0] in "LN" for c in text)


def clean(text: str) -> str:
    """One paragraph -> one line of speakable text, or "" when nothing in it is spoken."""
    text = without_markup(printable(text))
    text = EMOJI.sub("", text)
    text = SPACES.sub(" ", join_lines(text)).strip()
    return text if is_spoken(text) else ""


def join_lines(text: str) -> str:
    """Hard-wrapped lines -> one; scripts without spaces between words get none."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    joined = ""
    for line in lines:
        spaced = joined and not (_is_spaceless(joined[-1]) and _is_spaceless(line[0]))
        joined += (" " if spaced else "") + line
    return joined


def _is_spaceless(character: str) -> bool:
    code = ord(character)
    return 0x3000 <= code < 0xA000 or 0xF900 <= code < 0xFB00 or 0xFF00 <= code < 0xFFE0 or code >= 0x20000
