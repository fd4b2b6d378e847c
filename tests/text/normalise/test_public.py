"""mlx_tts.normalise, its regions, the spans of the dry run, and what reading costs to import."""

import subprocess
import sys

import pytest

import mlx_tts
from mlx_tts.errors import RequestError
from mlx_tts.text.normalise.engine import Kind, Span, UnspeakableError, recognise, rule, speak
from mlx_tts.text.reading import Reading


@pytest.mark.parametrize(
    ("text", "language", "said"),
    [
        ("It costs $5.", "english", "It costs five dollars."),
        ("It costs $5.", "auto", "It costs five dollars."),
        ("We met at 9:30 on 3/4/2024.", "en", "We met at nine thirty on March fourth, twenty twenty four."),
        ("We met at 9:30 on 3/4/2024.", "en-GB", "We met at half past nine on the third of April twenty twenty four."),
        ("All 101 of them", "en_GB", "All one hundred and one of them"),
        ("3 km", "de-AT", "drei Kilometer"),
        ("今天是2026年。", "auto", "今天是二零二六年。"),
        ("12 % na 3 km", "sw", "12 % na 3 km"),
        ("", "en", ""),
        ("\ud800 5", "en", "\ud800 Five"),
    ],
)
def test_words_of_a_text(text, language, said):
    assert mlx_tts.normalise(text, language) == said


def test_an_unknown_language_is_refused():
    with pytest.raises(RequestError, match="unknown language 'klingon'"):
        mlx_tts.normalise("5", "klingon")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        # A letter behind a number needs evidence to be a unit or a scale.
        ("Meet me at 221B Baker St.", "Meet me at two twenty one B Baker Street."),
        ("Apt. 4B is on 5 W. 42nd St.", "Apartment four B is on five West forty second Street."),
        ("It cost £5m and $3B.", "It cost five million pounds and three billion dollars."),
        ("In 450 B.C. Athens rose.", "In four fifty B C Athens rose."),
        ("Take I-95 N for 12 mi.", "Take I ninety five North for twelve miles."),
        ("It lasted 1h 15m.", "It lasted one hour fifteen minutes."),
        ("Please pay by 12/5.", "Please pay by December fifth."),
        ("My 401(k) grew; call 911.", "My four oh one k grew; call nine one one."),
        ("Win 5 V 3 in Flat 3 B.", "Win five V three in Flat three B."),
        ("The snow was 9 in. deep in 9 in 10 years.", "The snow was nine inches deep in nine in ten years."),
        # What no rule knows whole stays.
        ("see a3@ and 7&/x", "see a3@ and 7&/x"),
        ("12%3/q", "12%3/q"),
    ],
)  # fmt: skip
def test_evidence_before_meaning(text, said):
    assert mlx_tts.normalise(text, "en") == said


def test_spans_say_which_rule_changed_what():
    text = "Dr. Lee paid $5."
    assert [(text[s.start : s.end], s.rule, s.words) for s in Reading("on").changes(text, "english")] == [
        ("Dr.", "address", "Doctor"),
        ("$5", "money", "five dollars"),
    ]
    assert Reading("off").changes(text, "english") == Reading().changes(text, "english") == []


DIGITS = Kind("digits", rule(r"\d", "x").pattern, (rule(r"\d+", "many"), rule(r"\d", "one"), rule(r"\d+ km", "far")))


def test_the_longest_span_wins_then_the_first_rule():
    assert recognise("5 km", [DIGITS]) == [Span(0, 4, "digits", "far")]
    assert recognise("5", [DIGITS]) == [Span(0, 1, "digits", "many")]


@pytest.mark.parametrize("text", ["5ab", "5=6", "5/", "a5"])
def test_a_run_is_said_to_its_end_or_left(text):
    assert recognise(text, [DIGITS]) == []


def test_a_rule_may_know_a_form_and_not_be_able_to_say_it():
    def words(match):
        raise UnspeakableError(match[0])

    kind = Kind("digits", DIGITS.tells, (rule(r"\d+", words), rule(r"\d+", lambda match: "9 left")))
    assert recognise("5", [kind]) == []


@pytest.mark.parametrize("language", ["Japanese", "Chinese", "Korean", "English", "German"])
def test_a_number_that_the_library_does_not_end_with_is_left_or_said(language):
    """In Japanese and Korean its rules ask for themselves again at sixteen nines."""
    said = mlx_tts.normalise("9999999999999999 and 99999999999999999", language)
    assert said == "9999999999999999 and 99999999999999999" or not set(said) & set("0123456789")


def test_words_get_blanks_where_they_would_be_glued():
    assert speak("a5b", [Span(1, 2, "digits", "five")]) == "a five b"
    assert speak("约5个", [Span(1, 2, "digits", "五")]) == "约五个"
    assert speak("Foo™ bar™.", [Span(3, 4, "sign", ""), Span(8, 9, "sign", "")]) == "Foo bar."


def test_a_plain_sentence_imports_nothing_new():
    code = (
        "import mlx_tts, sys; mlx_tts.normalise('Plain words.', 'de'); mlx_tts.normalise('Plain words.', 'en');"
        "print(sorted({'unicode_rbnf', 'num2words', 'mlx', 'numpy'} & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
