"""The one entry: chapters -> pieces with words for the model, pauses and voices of the markup."""

import subprocess
import sys

import pytest

from mlx_tts.errors import RequestError
from mlx_tts.text.cutting.pieces import CHAPTER, PARAGRAPH, SENTENCE, START, Chapter, Packing
from mlx_tts.text.reading import Reading, pause_after_seconds


def pieces(text: str, reading: Reading | None = None, **packing):
    packing.setdefault("language", "english")
    return list((reading or Reading()).pieces([Chapter(None, text)], Packing(**packing)))


def spoken(text: str, reading: Reading | None = None, **packing) -> list[str]:
    return [piece.spoken for piece in pieces(text, reading, **packing)]


LONG = "The ship left at 10:30 with 1,250 men. Nobody knew why.\n\n# Two\n\n* one\n* two\n\n" + "He left. " * 60


def test_without_anything_asked_the_words_are_those_of_the_text():
    chapters = [Chapter("A", LONG), Chapter("B", "Again *so*.\n\n😀\n\nEnd.")]
    packing = Packing("english", characters=180)
    skipped: list[str] = []
    found = list(Reading().pieces(chapters, packing, skipped.append))
    assert all(piece.spoken == piece.text and len(piece.text) <= 180 for piece in found)
    words = [word for piece in found if piece.chapter == 0 for word in piece.text.split()]
    assert words == [word for line in LONG.split("\n") for word in line.lstrip("#* ").split()]
    assert skipped == ["😀"]


def test_auto_asks_the_model():
    text = "It costs $5."
    assert spoken(text) == [text]
    assert spoken(text, Reading(model_needs_words=True)) == ["It costs five dollars."]
    assert spoken(text, Reading("on")) == ["It costs five dollars."]
    assert spoken(text, Reading("off", model_needs_words=True)) == [text]
    with pytest.raises(RequestError, match="--normalise is 'yes': use auto, on, off"):
        Reading("yes")


@pytest.mark.parametrize(
    "text",
    [
        "**Bold**  and\u00a0a 😀 <b>x</b>, `y` & $5 at 10:30; [a](b)",
        "one line\nanother line\n  and one more",
        "x\0y\x1b[31mz",
        "THIS IS A 2026-11-21 TEST",
    ],
)
def test_off_gives_the_text_byte_for_byte(text):
    assert "".join(spoken(text, Reading("off", model_needs_words=True))) == text


def test_both_texts_are_kept():
    (piece,) = pieces("He paid **$5** in 1999.", Reading("on"))
    assert (piece.text, piece.spoken) == ("He paid $5 in 1999.", "He paid five dollars in nineteen ninety nine.")


def test_words_must_fit_not_digits():
    text = "It is " + "1,234,567,891 and " * 12 + "so on."
    found = pieces(text, Reading("on"), characters=180)
    assert all(len(piece.spoken) <= 180 for piece in found) and len(found) > 5
    assert "".join("".join(piece.text for piece in found).split()) == "".join(text.split())
    assert sum(piece.spoken.lower().count("one billion two hundred") for piece in found) == 12


def test_with_a_sentence_pause_every_sentence_is_a_piece():
    text = "One. Two! Is it three? He is Dr. Smith."
    assert spoken(text, every_sentence=True) == ["One.", "Two!", "Is it three?", "He is Dr. Smith."]
    assert [piece.gap for piece in pieces(text, every_sentence=True)] == [START, SENTENCE, SENTENCE, SENTENCE]
    assert spoken(text) == [text]


@pytest.mark.parametrize(
    ("directive", "seconds"),
    [
        ("[pause 2s]", 2.0),
        ("[pause:2]", 2.0),
        ("[pause 500ms]", 0.5),
        ("[[slnc 500]]", 0.5),
        ("[PAUSE 1.5 s]", 1.5),
        ("[pause 0]", 0.0),
        ("[pause 1s] [pause 1s]", 2.0),
        ("[pause 99999s]", 60.0),
    ],
)
def test_pauses_in_a_text(directive, seconds):
    first, second = pieces(f"One two. {directive} Three four.")
    assert (first.spoken, second.spoken) == ("One two.", "Three four.")
    assert second.pause_before_seconds == seconds and first.pause_before_seconds is None
    assert pause_after_seconds(first, second, {SENTENCE: 0.25}.__getitem__) == seconds


def test_pauses_at_the_ends():
    (only,) = pieces("[pause 1s]Hello.[pause 2s]")
    assert (only.spoken, only.pause_before_seconds, only.pause_after_seconds) == ("Hello.", 1.0, 2.0)
    assert pause_after_seconds(only, None, str) == 2.0
    first, second = pieces("One.\n\n[pause 3s]\n\nTwo.")
    assert second.pause_before_seconds == 3.0 and first.pause_after_seconds is None
    assert pause_after_seconds(pieces("One.\n\nTwo.")[0], pieces("One.\n\nTwo.")[1], {PARAGRAPH: 0.7}.get) == 0.7


def test_voices_in_a_text_go_on_until_the_next():
    found = pieces("One. [voice:ivy] Two.\n\nThree. [voice: Uncle Fu]Four. [/voice]Five.")
    assert [(piece.spoken, piece.voice) for piece in found] == [
        ("One.", None),
        ("Two.", "ivy"),
        ("Three.", "ivy"),
        ("Four.", "Uncle Fu"),
        ("Five.", None),
    ]
    assert [piece.gap for piece in found] == [START, SENTENCE, PARAGRAPH, SENTENCE, SENTENCE]


def test_without_markup_all_of_it_is_text():
    assert spoken("One [pause 2s] two [voice:ivy].", Reading(markup=False)) == ["One [pause 2s] two [voice:ivy]."]
    assert spoken("An array[pause] and [voices] stay [1].") == ["An array[pause] and [voices] stay [1]."]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("John Smith\n12 Main Street\nSpringfield", "John Smith, 12 Main Street, Springfield"),
        ("Roses are red\nViolets are blue\nSugar is sweet", "Roses are red, Violets are blue, Sugar is sweet"),
        ("Tyger Tyger, burning bright,\nIn the forests;", "Tyger Tyger, burning bright, In the forests;"),
        ("a long line that was wrapped at a column of a mail,\nor so",
         "a long line that was wrapped at a column of a mail, or so"),
        ("床前明月光\n疑是地上霜\n举头望明月", "床前明月光，疑是地上霜，举头望明月"),
    ],
)  # fmt: skip
def test_lines_that_are_meant_pause(text, said):
    assert spoken(text) == [said]


def test_languages_of_a_text_without_a_named_one():
    german = "Das ist nicht gut, denn wir haben nur 3,50 € und es sind noch 12 km bis zur Stadt."
    assert "drei Euro fünfzig" in spoken(german, Reading("on"), language="auto")[0]
    assert spoken("今天是2026年。", Reading("on"), language="auto") == ["今天是二零二六年。"]
    finnish = "Se ei ole hyvä, mutta hän on niin kuin 12 muuta, joka on tämä myös, ja se on kun olen mitä hän oli."
    assert spoken(finnish, Reading("on"), language="auto") == [finnish]


def test_numbers_go_on_over_chapters():
    found = list(Reading().pieces([Chapter("A", "One."), Chapter("B", "Two.")], Packing("english")))
    assert [(piece.number, piece.chapter, piece.gap) for piece in found] == [(0, 0, START), (1, 1, CHAPTER)]


def test_plain_chapters_are_not_searched_for_markdown():
    (piece,) = Reading().pieces([Chapter(None, "2 *of* <these> [a](b)", plain=True)], Packing("english"))
    assert piece.spoken == "2 *of* <these> [a](b)"


def test_nothing_heavy_is_imported_for_plain_text():
    code = (
        "from mlx_tts.text.reading import Reading; import sys; Reading('on').spoken('Plain words.');"
        "print(sorted({'unicode_rbnf', 'selectolax', 'markdown_it', 'defusedxml', 'mlx'} & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
