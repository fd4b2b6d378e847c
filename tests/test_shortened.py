"""A text is cut where people see the end of a character; no flood of accents passes; no error line cuts by itself."""

import ast
import sys
import time

import pytest

from mlx_tts.errors import RequestError
from mlx_tts.generation.requests import preset_voice
from mlx_tts.setting import Setting, read_number
from mlx_tts.shortened import LONGEST_CHARACTER, listed, reason_of, shortened, shown
from mlx_tts.text import languages
from tests.helpers.paths import ROOT

FAMILY = "\U0001f469\U0001f3fd‍\U0001f469\U0001f3fb‍\U0001f467‍\U0001f466"
GERMANY = "\U0001f1e9\U0001f1ea"
SCOTLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("abc", "abc"),
        ("abcd", "abcd"),
        ("abcde", "abcd..."),
        ("ab  cd", "ab..."),
        ("été é", "été..."),
        ("ete\u0301\u0301s", "ete\u0301\u0301s"),
        ("abce\u0301s", "abce\u0301..."),
        ("abcd\u0301", "abcd\u0301"),
        (f"a{FAMILY}b{FAMILY}c", f"a{FAMILY}b{FAMILY}..."),
        (GERMANY + "\U0001f1eb\U0001f1f7" + GERMANY * 2, GERMANY + "\U0001f1eb\U0001f1f7" + GERMANY * 2),
        ("\u1112\u1161\u11ab" * 5, "\u1112\u1161\u11ab" * 4 + "..."),
        ("नमस्ते", "नमस्ते"),
    ],
)
def test_it_is_cut_between_characters(text, expected):
    assert shortened(text, 4) == expected


def test_a_flood_of_accents_is_cut():
    assert shortened("e" + "\u0301" * 100_000, 60) == "e" + "\u0301" * (LONGEST_CHARACTER - 1) + "..."
    assert shortened("e" + "\u0301" * 100 + "f", 60) == "e" + "\u0301" * (LONGEST_CHARACTER - 1) + "f"


def test_the_time_does_not_follow_the_text():
    assert shortened("é" * 10_000_000, 3) == "ééé..."


def test_a_plain_text_needs_no_library(monkeypatch):
    monkeypatch.setitem(sys.modules, "regex", None)  # an import of it fails
    assert (shortened("a" * 1000, 3), shown("Nobody", 4)) == ("aaa...", "'Nobo...'")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("Ivy", "'Ivy'"),
        ("it's", '"it\'s"'),
        (f"{FAMILY}{SCOTLAND}{GERMANY}", f"'{FAMILY}{SCOTLAND}{GERMANY}'"),
        (f"{FAMILY}'\"\n", f"'{FAMILY}\\'\"\\n'"),
        ("a\u200db\\\u202e\x1b", "'a\u200db\\\\\\u202e\\x1b'"),
        ("a\U000e0067", "'a\\U000e0067'"),  # a tag that belongs to no flag hides words
        (None, "None"),
        (["a", 1], "['a', 1]"),
        (list(range(100)), "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 1..."),
    ],
)
def test_a_value_is_shown_in_quotes_on_one_line(value, expected):
    assert shown(value) == expected


def test_the_words_of_another_library_are_one_line():
    assert reason_of(ValueError(f" bad:\n{FAMILY * 9}"), 7) == f"bad: {FAMILY * 2}..."


@pytest.mark.parametrize("character", [FAMILY, SCOTLAND, GERMANY])
def test_an_error_line_shows_whole_characters(character):
    """One character before them, so that a cut by code points falls inside of one whatever their length."""
    for given in (f"{'x' * before}{character * 70}" for before in range(4)):
        for ask in (
            lambda given=given: languages.resolve(given, ["English"]),
            lambda given=given: preset_voice(given, ["Ivy"]),
            lambda given=given: Setting("", read_number).read("speed", given),
        ):
            with pytest.raises(RequestError) as told:
                ask()
            assert f"{character}...'" in str(told.value)
            rest = str(told.value).replace(character, "")
            assert rest.isascii(), rest


@pytest.mark.parametrize(
    ("names", "most", "expected"),
    [
        ([], 5, ""),
        (["a", "b", "c"], 7, "a, b, c"),
        (["a", "b", "c"], 6, "a, b and 1 more, all here"),
        (["abcdef", "g"], 3, "abcdef and 1 more, all here"),
    ],
)
def test_a_list_of_names_is_cut_between_names(names, most, expected):
    assert listed(names, most, ", all here") == expected


def test_a_model_with_many_voices_names_the_nearest_and_some():
    voices = [f"af_voice{number}" for number in range(54)]
    with pytest.raises(RequestError) as told:
        preset_voice("voice17", voices)
    first = "af_voice0, af_voice1, af_voice2, af_voice3, af_voice4, af_voice5, af_voice6"
    assert str(told.value) == (
        f"unknown voice 'voice17': did you mean af_voice17? this model has {first} and 47 more: "
        "`mlx-tts voices` lists all"
    )


def cuts(tree):
    """The lines on which a message cuts a text by code points, or shows one of any length with its joiners spelled out;
    an AttributeError names what a program says, and `nn` raises no line for users."""
    for raised in (node for node in ast.walk(tree) if isinstance(node, ast.Raise)):
        is_for_users = not ast.unparse(raised).startswith(("raise AttributeError", "raise ValueError"))
        for shown_value in (node for node in ast.walk(raised) if isinstance(node, ast.FormattedValue)):
            if shown_value.conversion == ord("r") and is_for_users:
                yield shown_value.lineno
            for node in ast.walk(shown_value.value):
                if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice) and node.slice.lower is None:
                    most = node.slice.upper
                    if not (isinstance(most, ast.Constant) and most.value < 9):  # the first names of a list
                        yield node.lineno


@pytest.mark.slow
def test_no_error_line_cuts_a_text_by_itself():
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in sorted((ROOT / "mlx_tts").rglob("*.py"))
        if "raise " in (code := path.read_text(encoding="utf-8"))
        and ("[:" in code or "!r}" in code)  # the others need not be parsed
        for line in cuts(ast.parse(code))
    ]
    assert not found
    assert list(cuts(ast.parse('raise ValueError(f"{name[:64]!r} is not a voice")'))) == [1]
    assert list(cuts(ast.parse('raise RequestError(f"{name!r} is not a voice")'))) == [1]


def test_a_list_of_a_hundred_thousand_names_takes_no_time():
    began = time.process_time()
    assert listed(["name"] * 100_000) == f"{', '.join(['name'] * 13)} and 99987 more"
    assert time.process_time() - began < 0.5
