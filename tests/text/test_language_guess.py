"""Which language a text is in: sure for sentences, silent for a few words."""

import pytest

from mlx_tts.text.language_guess import foreign_to, guess_language

SENTENCES = {
    "english": ["The old man sat by the sea and looked at the boats.", "Rendezvous at the cafe with a croissant."],
    "german": ["Der alte Mann saß am Meer und sah nach den Booten.", "Das ist gut, oder nicht wahr?"],
    "french": ["Le vieil homme était assis près de la mer.", "Je ne sais pas où il est."],
    "spanish": ["El viejo estaba sentado junto al mar y miraba los barcos.", "¿Dónde está la biblioteca de la ciudad?"],
    "italian": ["Il vecchio sedeva vicino al mare e guardava le barche.", "Non so dove sia la casa di mio padre."],
    "portuguese": ["O velho estava sentado à beira do mar e olhava os barcos.", "Não sei onde fica a casa do meu pai."],
    "russian": ["Старик сидел у моря и смотрел на лодки.", "Привет"],
    "chinese": ["老人坐在海边看着船。", "你好"],
    "japanese": ["老人は海のそばに座って船を見ていた。", "こんにちは"],
    "korean": ["노인은 바닷가에 앉아 배를 바라보았다.", "안녕"],
    "dutch": ["De oude man zat aan de zee en keek naar de boten."],
}


@pytest.mark.parametrize(("language", "text"), [(name, text) for name, texts in SENTENCES.items() for text in texts])
def test_sentences(language, text):
    assert guess_language(text) == language


@pytest.mark.parametrize(
    "text", ["Hello world", "Siobhan Nguyen", "No.", "", "123", "Déjà vu!", "Bonjour tout le monde"]
)
def test_a_few_words_in_latin_letters_prove_nothing(text):
    assert guess_language(text) is None and foreign_to(text, ["english"]) is None


@pytest.mark.parametrize(
    "text",
    [
        "Visit www.example.com for more.",
        "Write to maria.da.silva@exemplo.com or joao@exemplo.com today.",
        "Copy para/com/de.txt over there, then look at de.el.com again.",
        "Mr. Com met Mrs. Com.",
    ],
)
def test_addresses_and_names_are_in_no_language(text):
    assert foreign_to(text, ["english"]) is None


def test_what_a_model_cannot_say():
    assert foreign_to("Das ist nicht gut, denn wir haben es nicht.", ["English"]) == "german"
    assert foreign_to("你好", ["english"]) == "chinese"
    assert foreign_to("你好", ["english", "chinese"]) is None
    assert foreign_to("He said 你好 to the man at the door.", ["english"]) is None


def test_capitals_within_a_text_are_short_forms():
    assert guess_language("Meet at 221B Baker St. at 3:30pm PT / 6:30 ET, Tu/Th.") is None  # "at" and "et" are Danish
    assert guess_language("MEET ME AT THE STATION, AND THEN WE GO ON") == "english"
