"""Pieces side by side, seeds, streaming, marks and cuts, with random weights."""

from itertools import pairwise

import numpy as np
import pytest

from mlx_tts import SpeechRequest
from mlx_tts.models.kokoro.text.phonemes import Phonemes, PlacedWord
from mlx_tts.runtime import mlx_thread

TEXT = "Hello there, this is a longer sentence. And one more!"


@pytest.fixture
def tts(kokoro):
    return kokoro("limit").tts  # the smaller one


def pieces_of(tts, texts):
    from mlx_tts.models.kokoro.synthesizer import KokoroRow

    model = tts._synthesizer
    made = []
    for text in texts:
        request = tts.check(SpeechRequest(text, language="english", seed=5, options={"phonemes": "on"}))
        made.append(model._loop._piece(KokoroRow(model.prepare(request).utterance, 0)))
    return made


def sounds_of(tts, pieces):
    making = tts._synthesizer._loop.network.speak(pieces)
    while True:
        try:
            next(making)
        except StopIteration as done:
            return done.value


def test_pieces_of_several_lengths_are_what_they_are_alone(tts):
    """Masks in attention, LSTMs, instance norms, convolutions and both transforms: nothing of a neighbour is heard."""
    texts = ["nˈi", "hˈAlO wˈɜɹld, ə tˈɛst!", "tˈu tˈi"]

    def compare():
        pieces = pieces_of(tts, texts)
        alone = [sounds_of(tts, [piece])[0] for piece in pieces]
        return alone, sounds_of(tts, pieces)

    alone, together = mlx_thread.run(compare)
    for one, other in zip(alone, together, strict=True):
        np.testing.assert_array_equal(one.frames, other.frames)
        assert one.samples.shape == other.samples.shape
        assert np.abs(one.samples - other.samples).max() < 5e-3 * np.abs(one.samples).max()


@pytest.mark.slow
def test_a_seed_repeats_and_another_breathes_otherwise(tts):
    first, again, other = (tts.speak(TEXT, language="english", seed=seed).samples for seed in (3, 3, 4))
    np.testing.assert_array_equal(first, again)
    assert first.shape == other.shape
    assert not np.array_equal(first, other)


def test_streamed_is_whole(tts):
    request = SpeechRequest(TEXT, language="english", seed=9)
    streamed = [chunk.samples for chunk in tts.stream(request)]
    np.testing.assert_array_equal(np.concatenate(streamed), tts.speak(request).samples)


@pytest.mark.slow
def test_live_speech_begins_with_a_clause(tts):
    """All sound of a piece comes at once, so the first piece of a text is short."""
    text = (
        "When the storm came in, the keeper climbed the stairs and waited until the last boat had found its way home."
    )
    streamed = [len(chunk.samples) for chunk in tts.stream(text, language="english", seed=1) if len(chunk.samples)]
    assert len(streamed) > 1
    assert streamed[0] < 0.5 * len(tts.speak(text, language="english", seed=1).samples)


def test_a_request_in_company_is_the_same(tts):
    alone = tts.speak(SpeechRequest(TEXT, language="english", seed=1)).samples
    streams = [tts.submit(SpeechRequest(text, language="english", seed=1)) for text in ("Good morning.", TEXT, "No.")]
    together = [np.concatenate([chunk.samples for chunk in stream]) for stream in streams]
    np.testing.assert_array_equal(together[1], alone)


def test_words_have_their_times(tts):
    made = tts.speak(SpeechRequest("One two, three.", language="english", seed=1))
    words = [mark for mark in made.marks if mark.level == "word"]
    assert [mark.text for mark in words] == ["One", "two,", "three."]
    assert all(mark.start < mark.end and not mark.estimated for mark in words)
    assert all(before.end <= after.start for before, after in pairwise(words))
    assert words[-1].end <= made.seconds


@pytest.mark.slow
def test_the_model_itself_speaks_faster(tts):
    slow, fast = (
        tts.speak(SpeechRequest(TEXT, language="english", seed=1, options={"speed": s})).seconds for s in (0.5, 2.0)
    )
    assert fast < slow / 2


@pytest.mark.slow
def test_a_request_longer_than_the_model_reads_is_cut_at_clauses(tts):
    text = "This is one clause of several, " * 20
    pieces = tts._synthesizer.prompt(tts.check(SpeechRequest(text, language="english")))
    assert len(pieces) > 1
    assert all(len(piece) <= 510 and piece.endswith(",") for piece in pieces)
    made = tts.speak(SpeechRequest(text, language="english", seed=1))
    assert sum(mark.text == "clause" for mark in made.marks) == 20


def test_a_cut_keeps_the_words_in_their_places():
    whole = Phonemes(
        "ab, cd. ef gh", (PlacedWord("x", 0, 3), PlacedWord("y", 4, 7), PlacedWord("z", 8, 10), PlacedWord("w", 11, 13))
    )
    pieces = whole.cut(8)
    assert [piece.symbols for piece in pieces] == ["ab, cd.", "ef gh"]
    assert [[piece.symbols[word.start : word.end] for word in piece.words] for piece in pieces] == [
        ["ab,", "cd."],
        ["ef", "gh"],
    ]


def test_a_symbol_that_the_model_does_not_have_is_said_once(tts, caplog):
    for _ in range(2):
        tts.speak(SpeechRequest("nˈi 好 ʭ", seed=1, options={"phonemes": "on"}))
    assert [record.getMessage() for record in caplog.records] == ["this model has no sound for ʭ 好: left out"]
