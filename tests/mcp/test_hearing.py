"""Which words were heard by a time: estimates while a piece is made, its marks at its end."""

import numpy as np
import pytest

from mlx_tts.mcp.hearing import Hearing
from mlx_tts.narration.narrate import Spoken
from mlx_tts.speech import Mark
from mlx_tts.text.cutting.pieces import Piece

RATE = 1000
WORDS = tuple(Mark(word, at, at + 1.0, "word") for at, word in enumerate(("One", "two", "three.")))


def spoken(number: int, text: str, seconds: float, marks=(), pause: float = 0.0) -> Spoken:
    samples = np.full(round(seconds * RATE), 0.5, np.float32)
    samples[: round(pause * RATE)] = 0.0
    return Spoken(Piece(number, text, 0, "", spoken=text), samples, marks=marks)


@pytest.mark.parametrize(("seconds", "heard"), [(0.4, ""), (0.5, "One"), (1.6, "One two"), (9, "One two three.")])
def test_a_word_is_heard_when_its_middle_is(seconds, heard):
    hearing = Hearing("One two three.", RATE, 1.0, "english")
    hearing.add(spoken(0, "One two three.", 3.0, (Mark("One two three.", 0.0, 3.0), *WORDS)))
    found = hearing.until(seconds)
    assert (found.text, found.words, found.of) == (heard, len(heard.split()), 3)
    assert found.whole is (found.words == 3)


def test_a_piece_in_work_is_an_estimate_that_its_marks_replace():
    hearing = Hearing("One two three. Four.", RATE, 1.0, "english")
    hearing.add(spoken(0, "One two three.", 0.5))
    assert hearing.until(60).text == "One two three."
    assert hearing.until(60).of == 4
    assert 0 < hearing.until(0.5).words < 3
    hearing.add(spoken(0, "One two three.", 2.5, (Mark("One two three.", 0.0, 3.0), *WORDS)))
    assert hearing.until(1.0).text == "One"  # not twice
    hearing.add(spoken(1, "Four.", 2.0, pause=1.0))
    assert hearing.until(3.9).text == "One two three."  # the pause is not the word
    assert hearing.until(60).whole
    assert hearing.sentence_at(0.0) == "One two three."
    assert hearing.sentence_at(3.9) == "One two three."
    assert hearing.sentence_at(4.1) == "Four."


def test_nothing_was_heard_before_the_first_sound():
    hearing = Hearing("One two.", RATE, 1.0, "english")
    assert hearing.until(60).words == 0
    assert hearing.sentence_at(60) is None
