"""Names of other languages: those of names.txt, and unknown ones whose spelling tells the language."""

import pytest

from mlx_tts.text.phonemes.dictionary import NAMES, look_up
from mlx_tts.text.phonemes.notations import from_ipa
from mlx_tts.text.phonemes.origins import origin_by_spelling
from mlx_tts.text.phonemes.phones import marked_words
from mlx_tts.text.phonemes.reader import phones_by_spelling, with_phones, with_respelled_names
from mlx_tts.text.reading import Reading

LINES = [line.split("\t") for line in NAMES.read_text(encoding="utf-8").splitlines()]


def test_the_list_can_be_searched_and_read():
    """Bisection needs the order of bytes; each pronunciation can be read in both accents, and has a main stress."""
    names = [name.encode() for name, _ in LINES]
    assert names == sorted(set(names))
    for name, ipa in LINES:
        assert name[0].isupper() or name.startswith("d'"), name
        assert not set(" -\t") & set(name + ipa), name
        for is_british in (False, True):
            assert from_ipa(ipa, is_british).phones.count("ˈ") == 1, name


def test_each_name_is_found():
    for name, ipa in LINES:
        assert look_up(name).phones == from_ipa(ipa).phones, name


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Niamh's letters came.", [("Niamh's", "nˈivz")]),
        ("We met Giuseppe.", [("Giuseppe", "ʤuzˈɛpA")]),
        ("Ask Jaroszewicz.", [("Jaroszewicz", "jɑɹɔʃˈɛviʧ")]),
        ("Ask Řepková.", [("Řepková", "ɹʒˈɛpkOvɑ")]),
        ("Wait, Vindlebrook is late.", []),
        ("A rose is a rose, Bill.", []),
    ],
)
def test_a_name_goes_as_phones(text, said):
    assert [(word, phones) for _, word, phones in marked_words(with_phones(text))] == said


@pytest.mark.parametrize(
    ("name", "origin"),
    [
        ("Błaszczyk", "pl"), ("Zawadzkiewicz", "pl"), ("Vrbová", "cs"), ("Szőke", "hu"), ("Zsombor", "hu"),
        ("Kılıçoğlu", "tr"), ("Vauquelineau", "fr"), ("Schnürer", "de"), ("Xiaoling", "pinyin"), ("Zhengqi", "pinyin"),
        ("Calexico", None), ("Titanesque", None), ("Quentin", None), ("Hobbs", None), ("Rossi", None), ("Maxine", None),
    ],
)  # fmt: skip
def test_the_spelling_tells_the_language_or_does_not(name, origin):
    assert origin_by_spelling(name) == origin


def test_only_names_are_read_by_their_spelling():
    """Small letters are words, and capitals alone are abbreviations."""
    assert phones_by_spelling("Xiaoling") and phones_by_spelling("Xiaoling", is_british=True)
    assert phones_by_spelling("xiaoling") is phones_by_spelling("QI") is phones_by_spelling("Łé̱ƣ") is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Niamh's letters for Giuseppe.", "Neevz letters for Joozehpay."),
        ("Ask Vrbová or Bill at the synecdoche.", None),
        ("NIAMH and niamh.", "NIAMH and niamh."),
    ],
)
def test_a_model_of_letters_gets_names_respelled(text, said):
    found = with_respelled_names(text)
    assert found == said if said else "Vrbov" not in found and found.endswith(" or Bill at the synecdoche.")


@pytest.mark.parametrize(("kind", "given"), [({"respells_names": True}, "Ask Neev."), ({}, "Ask Niamh.")])
def test_the_reading_respells_where_the_model_needs_it(kind, given):
    assert Reading(**kind).spoken("Ask Niamh.") == given
    assert Reading("off", **kind).spoken("Ask Niamh.") == "Ask Niamh."
    assert Reading(**kind).spoken("Fragt Niamh.", "german") == "Fragt Niamh."
