"""Written forms -> the words for them: two tables of exact expectations, and what no rule may change."""

import gc
import subprocess
import sys
from pathlib import Path

import pytest

from mlx_tts.text.languages import every_language
from mlx_tts.text.normalise.engine import Rule
from mlx_tts.text.normalise.normaliser import normalise
from tests.helpers.cases import Cases

HERE = Path(__file__).parent


def table(name: str, language: str = "english") -> list[tuple[str, str, str]]:
    rows = []
    for line in (HERE / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            language = line[2:]
        elif line:
            written, said = line.split(" => ")
            rows.append((language, written, said))
    return rows


ENGLISH, OTHERS = table("english.txt"), table("other_languages.txt") + table("eastern.txt")
PARAGRAPHS = table("paragraphs.txt")  # dense ones of many kinds, each read word for word


def test_the_tables_are_long_enough():
    assert len(ENGLISH) >= 200 and len(OTHERS) >= 100
    assert len({language.split()[0] for language, *_ in OTHERS} - {"english"}) == 9


ROWS = ENGLISH + OTHERS + PARAGRAPHS
BY_LANGUAGE = {
    name: [row for row in ROWS if row[0] == name] for name in dict.fromkeys(language for language, *_ in ROWS)
}


@pytest.mark.parametrize("language", BY_LANGUAGE)
def test_what_is_said(language):
    """language: its name, and behind a blank a region."""
    with Cases() as case:
        for _, written, said in BY_LANGUAGE[language]:
            with case(written):
                assert normalise(written, *language.split()) == said


# The 18 texts of which, as written, 4 of 36 readings (two voices) came out right.
ORDINARY = {
    "THIS IS VERY IMPORTANT NEWS.": "This is very important news.",
    "Visit www.example.com today.": "Visit example dot com today.",
    "Write to jane.doe@example.com.": "Write to jane dot doe at example dot com.",
    "The date is 2026-11-21.": "The date is November twenty first, twenty twenty six.",
    "Call +1 (555) 010-2030.": "Call plus one, five five five, zero one zero, two zero three zero.",
    "They raised $24.5M.": "They raised twenty four point five million dollars.",
    "There are 2,000,000 houses.": "There are two million houses.",
    "It grew by 11.8 in 1950.": "It grew by eleven point eight in nineteen fifty.",
    "Pi is about 3.14159.": "Pi is about three point one four one five nine.",
    "It is 25 °C at 100 km/h.": "It is twenty five degrees Celsius at one hundred kilometers per hour.",
    "So x = 3 + 4 × 2, and x > 10.": "So x equals three plus four times two, and x is greater than ten.",
    "Python 3.11.7 and Node v20": "Python three point eleven point seven and Node version twenty",
    "New York, NY 10001": "New York, New York one zero zero zero one",
    "Chapter IV, Henry VIII, World War II": "Chapter four, Henry the eighth, World War two",
    "@openai and #machinelearning": "At openai and hashtag machinelearning",
    "tea and/or milk, he/she, w/o": "tea and or milk, he or she, without",
    "Number 978-0-00-000000-2": "Number nine seven eight, zero, zero zero, zero zero zero zero zero zero, two",
    "approx. ten": "approximately ten",
    "NaCl in Q3": "N-A-C-L in Q three",
}


def test_the_ordinary_texts():
    with Cases() as case:
        for written, said in ORDINARY.items():
            with case(written):
                assert normalise(written, "english") == said


@pytest.mark.parametrize(
    "text",
    [
        "She was happy, but he left early; nobody knew why.",
        "“Well,” he said, “that's it – isn't it?”",
        "I am here. A dog barked. I think so...",
        "Martin Luther came in and Louis left.",
        "The well-known twenty-one-year-old didn't care (much).",
        "No. I won't. In May I may march.",
        "Come in! It was a mix of civil and vivid colors.",
    ],
)
def test_words_stay_as_they_are(text):
    assert normalise(text, "english") == text


def test_a_language_without_rules_is_left_alone():
    assert normalise("12 % und 3 km", "klingon") == "12 % und 3 km"


def test_white_space_around_a_text_stays():
    assert normalise("  It is 5. ", "english") == "  It is five. "


def test_no_digit_is_left_in_english_prose():
    text = "On 1/2/34 at 5:06, 7 men paid $8.09 for 10kg, 1112 of 13.14% (15-16), v1.7, 18th, A19, 20b, 21°, 2²."
    assert not any(character.isdigit() for character in normalise(text, "english"))


@pytest.mark.long
@pytest.mark.timed
@pytest.mark.slow
def test_a_long_text_takes_seconds():
    import time

    text = "It cost $5.20 on 3 May 2020, i.e. 12% of it. " * 4500
    start = time.process_time()
    said = normalise(text, "english")
    assert time.process_time() - start < 30 and said.count("five dollars and twenty cents") == 4500


FEW_PATTERNS = """
from mlx_tts.text.languages.english import all_rules
from mlx_tts.text.normalise.normaliser import normalise
normalise("The old lighthouse stood at the end of the pier.", "english")
rules = [rule for kind in all_rules.KINDS for rule in kind.rules]
print(len(rules), sum("pattern" in vars(rule) for rule in rules))
"""


def test_a_plain_sentence_compiles_few_patterns():
    """All of them take a quarter of a second, before the first word of every command."""
    ran = subprocess.run([sys.executable, "-c", FEW_PATTERNS], capture_output=True, text=True, check=True)
    rules, compiled = map(int, ran.stdout.split())
    assert rules > 300
    assert compiled <= 50


@pytest.mark.slow
def test_every_pattern_compiles():
    """They are compiled when a text first asks for them, so a wrong one would wait for its text."""
    for language in every_language():
        if language.recognise is not None:
            language.recognise("A 1.", "")
    rules = [rule for rule in gc.get_objects() if isinstance(rule, Rule)]
    assert len(rules) > 1500
    assert all(rule.pattern for rule in rules)
