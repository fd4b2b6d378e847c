"""A text that is too long to be shown -> its beginning, cut between characters as people see them."""

from __future__ import annotations

LONGEST_CHARACTER = (
    16  # code points that are shown of one: a family of four with skin tones has 11, a flood of accents more
)


def shortened(text: str, most: int) -> str:
    """At most `most` characters (extended grapheme clusters of Unicode's annex 29) and "..." where more follow."""
    if len(text) <= most and text.isascii():
        return text
    import regex  # only for a text that needs it: it takes longer to import than most commands take to answer

    kept: list[str] = []
    for match in regex.finditer(r"\X", text):
        if len(kept) == most:
            return f"{''.join(kept).rstrip()}..."
        kept.append(match[0][:LONGEST_CHARACTER])
    return "".join(kept)
