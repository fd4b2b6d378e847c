"""A text or a value that is too long to be shown -> its beginning, cut between characters as people see them.

Every error line that names what a user gave takes it from here, so none shows half of an emoji or of a flag.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

SHOWN, LISTED = 60, 80  # characters of a value and of a list of names, unless the caller says otherwise
LOOKED_AT = 100  # characters of a wrong name that are compared with others: it may have megabytes
LONGEST_CHARACTER = (
    16  # code points that are shown of one: a family of four with skin tones has 11, a flood of accents more
)
JOINERS = "\u200c\u200d"  # they cannot be seen, but what they join falls apart without them
BLACK_FLAG, TAGS = "\U0001f3f4", ("\U000e0020", "\U000e007f")  # the flag of Scotland is a black flag and five tags


def shortened(text: str, most: int) -> str:
    """At most `most` characters (extended grapheme clusters of Unicode's annex 29) and "..." where more follow."""
    if text[: most + 1].isascii():
        return text if len(text) <= most else f"{text[:most].rstrip()}..."
    import regex  # only for a text that needs it: it takes longer to import than most commands take to answer

    kept: list[str] = []
    # A million accents are one character, and take long to look through.
    beginning = text[: (most + 1) * LONGEST_CHARACTER]
    for match in regex.finditer(r"\X", beginning):
        if len(kept) == most:
            return f"{''.join(kept).rstrip()}..."
        kept.append(match[0][:LONGEST_CHARACTER])
    return "".join(kept) if len(beginning) == len(text) else f"{''.join(kept).rstrip()}..."


def shown(value: Any, most: int = SHOWN) -> str:
    """A value as an error line shows it: a string in quotes, on one line, with signs that cannot be seen spelled out;
    anything else as Python writes it. At most `most` characters of it."""
    if isinstance(value, str):
        return _quoted(shortened(value, most))
    try:
        written = repr(value)
    except ValueError:  # TOML's 0xFFF... is read at any length, and Python writes no number of 5,000 digits
        written = "a number of thousands of digits"
    return shortened(written, most)


def _quoted(text: str) -> str:
    """What `repr` gives, but with the joiners and tags inside a character left as they are."""
    if text.isprintable():
        return repr(text)
    quote = '"' if "'" in text and '"' not in text else "'"
    body, is_flag = "", False
    for sign in text:
        is_flag = sign == BLACK_FLAG or (is_flag and TAGS[0] <= sign <= TAGS[1])
        is_kept = sign.isprintable() or sign in JOINERS or is_flag
        body += f"\\{sign}" if sign in ("\\", quote) else sign if is_kept else repr(sign)[1:-1]
    return f"{quote}{body}{quote}"


def reason_of(error: BaseException, most: int = 200) -> str:
    """What another library says of a failure, on one line."""
    return shortened(" ".join(str(error).split()), most)


def did_you_mean(name: str, by_key: Mapping[str, str]) -> str:
    """ "did you mean NAME? " where one of the keys is near, else ""; it goes before what else is said."""
    from difflib import get_close_matches  # takes longer to import than most commands need

    near = get_close_matches(name[:LOOKED_AT], by_key, n=1)
    return f"did you mean {by_key[near[0]]}? " if near else ""


def listed(names: Sequence[str], most: int = LISTED, rest: str = "") -> str:
    """As many of the names as have at most so many characters, and how many more there are. At least one is named.
    rest: what is said where there are more."""
    taken, length = min(1, len(names)), sum(map(len, names[:1]))
    while taken < len(names) and (length := length + len(", ") + len(names[taken])) <= most:
        taken += 1
    more = len(names) - taken
    return ", ".join(names[:taken]) + (f" and {more} more{rest}" if more else "")
