"""The user's own words: whole words, case, patterns, languages, and one line for each mistake in the file."""

import pytest

from mlx_tts.errors import RequestError
from mlx_tts.text.normalise.lexicon import Lexicon, LexiconEntry, read_lexicon
from mlx_tts.text.reading import Reading


def said(text: str, *entries: LexiconEntry, language: str = "english", normalise: str = "on") -> str:
    return Reading(normalise, Lexicon(entries)).spoken(text, language)


def test_whole_words_whatever_their_case():
    entry = LexiconEntry("Siobhan", "shi-vawn")
    assert said("Siobhan and SIOBHAN's friend Siobhanna.", entry) == "shi-vawn and shi-vawn's friend Siobhanna."


def test_case_and_longer_words_first():
    assert said("US and us", LexiconEntry("US", "the States", case=True)) == "the States and us"
    assert said("New York", LexiconEntry("New", "old"), LexiconEntry("New York", "big apple")) == "big apple"


def test_what_is_said_is_not_normalised_again():
    assert said("It is v2.0 on mlx.", LexiconEntry("mlx", "M.L.X. 3")) == "It is version two point zero on M.L.X. 3."


def test_patterns_with_groups():
    assert said("gate B12", LexiconEntry(r"\bB(\d)(\d)\b", r"bee \1 \2", regex=True)) == "gate bee 1 2"


def test_signs_and_scripts_without_spaces():
    assert said("C++ rocks", LexiconEntry("C++", "see plus plus")) == "see plus plus rocks"
    assert said("我在重庆市", LexiconEntry("重庆", "崇庆"), language="chinese") == "我在崇庆市"


def test_an_entry_of_one_language_only():
    entry = LexiconEntry("Gift", "poison", language="german")
    assert said("Gift", entry) == "Gift" and said("Gift", entry, language="german") == "poison"


def test_a_lexicon_also_works_where_nothing_else_is_changed():
    assert said("Ivy has 5.", LexiconEntry("Ivy", "Eye-vee"), normalise="off") == "Eye-vee has 5."


def test_a_file(tmp_path):
    path = tmp_path / "words.toml"
    path.write_text('[[entry]]\nmatch = "SQL"\nsay = "sequel"\ncase = true\nlanguage = "en"\n', encoding="utf-8")
    (entry,) = read_lexicon(path).entries
    assert entry == LexiconEntry("SQL", "sequel", "english", False, True)


@pytest.mark.parametrize(
    ("toml", "says"),
    [
        ('[[entry]]\nmatch = "a"\nsay = "b"\n[[entry]]\nmatch = "c"', "entry 2: say is missing"),
        ('[[entry]]\nmatch = ""\nsay = "b"', "entry 1: match is empty"),
        ('[[entry]]\nmatch = 3\nsay = "b"', "entry 1: match is '3', it must be a str"),
        ('[[entry]]\nmatch = "a"\nsay = "b"\nipa = "b"', "entry 1: it has say and ipa: give one of them"),
        ('[[entry]]\nmatch = "a"\nsay = "b"\nwords = 1', "entry 1: unknown key 'words'"),
        ('[[entry]]\nmatch = "("\nsay = "b"\nregex = true', "entry 1: '(' is not a regular expression"),
        ('[[entry]]\nmatch = "a*"\nsay = "b"\nregex = true', "it matches nothing at all"),
        ('[[entry]]\nmatch = "a"\nsay = "\\\\1"\nregex = true', "entry 1: 'a' is not a regular expression"),
        ('[[entry]]\nmatch = "a"\nsay = "b"\nlanguage = "klingon"', "entry 1: unknown language 'klingon'"),
        (f'[[entry]]\nmatch = "a"\nsay = "{"b" * 1001}"', "entry 1 says more than 1,000 characters: that is refused"),
        (f'[[entry]]\nmatch = "a"\nipa = "{"ə" * 1001}"', "entry 1 says more than 1,000 characters: that is refused"),
        ("entry = 3", "is not a lexicon"),
        ("entry = [3]", "entry 1: write [[entry]]"),
        ("[other]\na = 1", "is not a lexicon"),
        ("not toml", "is not a lexicon"),
    ],
)
def test_a_bad_file_is_one_line_with_the_entrys_number(tmp_path, toml, says):
    path = tmp_path / "words.toml"
    path.write_text(toml, encoding="utf-8")
    with pytest.raises(RequestError) as caught:
        read_lexicon(path)
    assert says in str(caught.value) and "words.toml" in str(caught.value) and "\n" not in str(caught.value)


def test_no_file(tmp_path):
    with pytest.raises(RequestError, match="cannot read"):
        read_lexicon(tmp_path / "none.toml")
