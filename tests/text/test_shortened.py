"""A text is cut where people see the end of a character, and no flood of accents passes."""

import pytest

from mlx_tts.text.shortened import LONGEST_CHARACTER, shortened

FAMILY = "\U0001f469\U0001f3fd‍\U0001f469\U0001f3fb‍\U0001f467‍\U0001f466"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("abc", "abc"),
        ("abcd", "abcd"),
        ("abcde", "abcd..."),
        ("ab  cd", "ab..."),
        ("été é", "été..."),
        ("ete\u0301\u0301s", "ete\u0301\u0301s"),
        (f"a{FAMILY}b{FAMILY}c", f"a{FAMILY}b{FAMILY}..."),
        ("\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7" * 2, "\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7" * 2),
        ("\u1112\u1161\u11ab" * 5, "\u1112\u1161\u11ab" * 4 + "..."),
        ("नमस्ते", "नमस्ते"),
    ],
)
def test_it_is_cut_between_characters(text, shown):
    assert shortened(text, 4) == shown


def test_a_flood_of_accents_is_cut():
    assert shortened("e" + "\u0301" * 100_000, 60) == "e" + "\u0301" * (LONGEST_CHARACTER - 1)


def test_the_time_does_not_follow_the_text():
    assert shortened("é" * 10_000_000, 3) == "ééé..."
