"""Which words are names of characters: none that only begin a sentence, no road, no place that is often told of."""

import pytest

from mlx_tts.text.cast.attribution import attribute
from mlx_tts.text.cutting.pieces import Chapter


def characters(text: str) -> dict[str, set[str]]:
    """Those who speak in a text, each with the other names."""
    return {one.name: set(one.aliases) for one in attribute([Chapter(None, text)], "English").characters}


@pytest.mark.parametrize(
    "text",
    [
        "It was very late, very dark.\n\n“Go,” said Ann.\n\nVery cried: “No.”",
        "He took the road.\n\n“Go,” said Ann.\n\n“No,” pursued the road.",
        "“Go,” said Ann.\n\n“My God,” said Ann.\n\nGod, how late it was.\n\n“Is it?”",
        "“Go,” said Ann.\n\n“Yes, your Ladyship,” said Ann, and Ladyship said: “No.”",
    ],
)
def test_words_that_are_no_names(text):
    assert set(characters(text)) == {"Ann"}


def test_a_word_at_a_verb_of_speech_is_a_name():
    text = "It will rain, I will go, they will see.\n\n“Go,” said Will.\n\n“No,” said Five, who had five dogs."
    assert set(characters(text)) == {"Will", "Five"}


def test_a_word_before_a_name_is_no_part_of_it():
    text = "He rose besides, and besides.\n\n“Go,” Besides Montparnasse said.\n\n“No,” said Montparnasse."
    assert set(characters(text)) == {"Montparnasse"}


def test_a_title_in_a_tag_is_not_taken_for_a_name():
    text = "“Where?” asked Mrs. Fisher of Mrs. Hare.\n\n“Here,” said Mrs. Hare."
    assert set(characters(text)) == {"Mrs. Fisher", "Mrs. Hare"}


def test_no_sentence_ends_at_a_short_title():
    text = "“Go,” said Wilkins.\n\n“Now,” said Wilkins.\n\n“No,” said Mrs. Wilkins.\n\n"
    text += "It rained upon Mrs. Wilkins and upon the house. “Oh, yes.”"
    assert [line.speaker for line in attribute([Chapter(None, text)], "English").lines][-1] != "Wilkins"


def test_a_name_without_a_title_is_the_man():
    text = "“Go,” said Miss Fox.\n\n“No,” said Mr. Fox.\n\n“Oh,” said Fox.\n\n“Ah,” said Miss Fox."
    assert characters(text) == {"Miss Fox": set(), "Mr. Fox": {"Fox"}}


def test_the_character_has_the_fullest_name_that_the_book_uses():
    text = "“Go,” said Ann Fox.\n\n“No,” said Fox.\n\n“Oh,” said Fox.\n\nThere sat Miss Ann Fox."
    assert characters(text) == {"Ann Fox": {"Fox", "Miss Ann Fox"}}


def test_a_french_title_is_a_title():
    text = "“Go,” said M. Fox.\n\n“No,” said Mademoiselle Fox.\n\n“Oh,” said Fox.\n\n“Ah,” said Mademoiselle Fox."
    assert characters(text) == {"Mademoiselle Fox": set(), "M. Fox": {"Fox"}}


def test_a_place_that_is_often_told_of_does_not_speak():
    told = "Paris was dark. " * 60
    text = f"{told}\n\n“Hear,” cried Paris.\n\n“Go,” said Ann, and sat down there.\n\n{'It rained a long while. ' * 9}"
    text += "\n\nParis shook.\n\n“Who?” somebody asked.\n\nParis slept. “Oh.”"
    assert [line.speaker for line in attribute([Chapter(None, text)], "English").lines][-1] is None
