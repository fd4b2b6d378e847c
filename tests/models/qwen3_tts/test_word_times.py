"""The built-in voice's own times of its words: a path that never goes back, and what a recogniser hears."""

import numpy as np
import pytest

import mlx_tts
from mlx_tts.generation.signs import TextAttention, monotonic_path
from mlx_tts.models.qwen3_tts.alignment import word_marks
from mlx_tts.models.qwen3_tts.config import AlignmentConfig
from mlx_tts.models.qwen3_tts.tokenizer import TextTokenizer
from tests.helpers.hearing import recognised_times

SENTENCES = {  # none of them served to measure by how much the heads look ahead
    "hazel": "After the long winter, the farmers planted wheat in every field around the village.",
    "rowan": "The old captain told us a story about a whale, and nobody believed a word of it.",
    "ivy": "Please bring two cups of flour, a spoon of salt, and a little cold water.",
    "miles": "When the train finally arrived, most of the people had already gone home.",
}


@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_the_path_follows_a_diagonal(noise):
    random = np.random.default_rng(0)
    places = np.repeat(np.arange(12), random.integers(1, 5, 12))
    seen = np.eye(12)[places] + noise * random.random((len(places), 12))
    np.testing.assert_array_equal(monotonic_path(seen), places)


def test_a_look_back_is_no_step_back():
    seen = np.eye(6)[[0, 1, 2, 0, 3, 4, 5]]
    path = monotonic_path(seen)
    assert (np.diff(path) >= 0).all()
    assert path[-1] == 5


@pytest.mark.parametrize("measured", [False, True])
def test_words_are_estimates_unless_the_checkpoint_says_that_they_were_measured(measured):
    seen = np.eye(5, dtype=np.float32)[[0, 0, 1, 2, 2, 3, 4]]
    heads = AlignmentConfig(4, (0,), 0.1, measured=measured)
    marks = word_marks(TextAttention(seen, ("One", "two", "three."), (0, 1, 3)), 7, heads, 0.08)
    assert [(mark.text, round(mark.start, 2), round(mark.end, 2)) for mark in marks] == [
        ("One", 0.0, 0.26), ("two", 0.26, 0.5), ("three.", 0.5, 0.56)]  # fmt: skip
    assert {mark.estimated for mark in marks} == {not measured}


def test_every_word_knows_its_first_id(oracle):
    case = oracle("custom_voice_tiny")
    tokenizer = TextTokenizer(case.folder, case.model._config)
    text = "Hello there, every  body. Ok?"
    words, begins, ids = tokenizer.word_begins(text)
    assert words == ("Hello", "there,", "every", "body.", "Ok?")
    wrapped = tokenizer.assistant(text)[3:-5]
    assert ids == len(wrapped)
    for word, begin, end in zip(words, begins, [*begins[1:], ids], strict=True):
        assert tokenizer._tokenizer.decode(wrapped[begin:end]).strip() == word


@pytest.mark.slow
@pytest.mark.heard
@pytest.mark.smoke("one")
@pytest.mark.parametrize("voices", [pytest.param(("miles",), id="one"), pytest.param(tuple(SENTENCES), id="all")])
def test_the_built_in_voice_tells_its_words_times(voices):
    """The median error against a recogniser is at most 60 ms. Its own times are off as well: against the teachers' own
    durations 95 % are within 150 ms (scripts/train_tiny/word_times.py), so the words are measured, and say so."""
    errors = []
    with mlx_tts.load("tiny") as tts:
        assert tts.info.can.word_times
        for voice in voices:
            text = SENTENCES[voice]
            chunk = tts.speak(text, voice=voice, seed=7)
            words = [mark for mark in chunk.marks if mark.level == "word"]
            assert [mark.text for mark in words] == text.split()
            assert not any(mark.estimated for mark in words)
            heard = recognised_times(chunk.samples, chunk.sample_rate)
            if len(heard) == len(words):
                errors += [mark.start - start for mark, (_, start, _) in zip(words[1:], heard[1:], strict=True)]
    assert len(errors) > 6 * len(voices), "the recogniser heard other words: NOT MEASURED"
    print(f"{len(errors)} words: bias {np.median(errors):.3f}, median {np.median(np.abs(errors)):.3f} s, "
          f"95 % within {np.percentile(np.abs(errors), 95):.3f} s")  # fmt: skip
    assert round(float(np.median(np.abs(errors))), 3) <= 0.06
    assert np.percentile(np.abs(errors), 95) <= 0.25
