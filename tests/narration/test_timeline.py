"""When sentences and words are heard: with pauses, at any speed, in a batch, resumed from a store."""

import numpy as np
import pytest

from mlx_tts.narration.marks import as_written, spread, words_of
from mlx_tts.narration.narrate import NarrationOptions, narrate
from mlx_tts.narration.piece_store import PieceStore
from mlx_tts.narration.timeline import SILENT, Pauses, Timeline
from mlx_tts.speech import AudioChunk, Capabilities, CheckedRequest, GuardReport, Mark
from mlx_tts.text.cutting.pieces import PARAGRAPH, SENTENCE, START, Piece
from tests.helpers.made_stream import MadeStream

RATE, FRAME = 24_000, 0.08
TEXTS = ["The first sentence.", "A second one follows it here.", "Third!", "And that is the end of it all."]
REQUEST = CheckedRequest("", voice="hazel", seed=5)


class Talker:
    """Says each text as a tone of 0.05 s a letter between 0.1 s of quiet; knows its words where it is told to."""

    def __init__(self, knows=False):
        self.knows = knows
        self.info = type("Info", (), {"sample_rate": RATE, "can": Capabilities()})()

    def serve_rows(self, rows=None):
        return 8

    def submit(self, request, *, live=False, low_latency=False, condition=None, number=0):
        return MadeStream(request, self.chunks(request))

    def chunks(self, request):
        tone = 0.3 * np.sin(2 * np.pi * 200 / RATE * np.arange(round(0.05 * len(request.text) * RATE)))
        quiet = np.zeros(RATE // 10)
        samples = np.concatenate([quiet, tone, quiet]).astype(np.float32)
        for at in range(0, len(samples), 1920):
            yield AudioChunk(samples[at : at + 1920], RATE)
        marks = ()
        if self.knows:
            words = request.text.split()
            starts = [0.1 + 0.05 * request.text.index(word) for word in words]
            marks = tuple(
                Mark(word, start, start + 0.05 * len(word), "word") for word, start in zip(words, starts, strict=True)
            )
        yield AudioChunk(np.zeros(0, np.float32), RATE, GuardReport(1), marks)


def pieces(texts=TEXTS):
    return iter([Piece(number, text, 0, SENTENCE if number else START) for number, text in enumerate(texts)])


def told(options=None, store=None, knows=False):
    parts = list(narrate(Talker(knows), REQUEST, pieces(), options or NarrationOptions(), store))
    return np.concatenate([part.samples for part in parts]), [mark for part in parts for mark in part.marks]


def sentences(marks):
    return [mark for mark in marks if mark.level == "sentence"]


def bursts(samples):
    """Where a tone is heard, in seconds: quiet of 0.05 s and more stands between two."""
    heard = np.flatnonzero(np.abs(samples) > SILENT)
    cuts = np.flatnonzero(np.diff(heard) > 0.05 * RATE)
    return list(zip(heard[[0, *(cuts + 1)]] / RATE, (heard[[*cuts, -1]] + 1) / RATE, strict=True))


@pytest.mark.parametrize("speed", [1.0, 0.5, 1.7, 3.0])
@pytest.mark.parametrize("live", [True, False])
def test_sentences_are_exact_to_a_frame(speed, live):
    samples, marks = told(NarrationOptions(rows=1 if live else 3, live=live, speed=speed))
    spoken = sentences(marks)
    assert [mark.text for mark in spoken] == TEXTS
    assert not any(mark.estimated for mark in spoken)
    found = bursts(samples)
    assert len(found) == len(TEXTS)
    for mark, (start, end) in zip(spoken, found, strict=True):
        assert (mark.start, mark.end) == (pytest.approx(start, abs=FRAME), pytest.approx(end, abs=FRAME))
    assert len(samples) / RATE == pytest.approx(len(told()[0]) / RATE / speed, rel=0.05)


@pytest.mark.parametrize("speed", [1.0, 2.0])
def test_the_models_own_word_times_move_with_the_speed(speed):
    _, marks = told(NarrationOptions(speed=speed), knows=True)
    second = marks.index(next(mark for mark in marks if mark.text == TEXTS[1]))
    start = marks[second].start
    for mark, word in zip(marks[second + 1 :], TEXTS[1].split(), strict=False):
        assert (mark.text, mark.level, mark.estimated) == (word, "word", False)
        assert mark.start == pytest.approx(start + 0.05 * TEXTS[1].index(word) / speed, abs=0.03)


def test_a_stored_piece_keeps_its_times(tmp_path):
    store = PieceStore(tmp_path / "pieces", RATE)
    store.begin({}, 1, resume=False)
    whole = told(NarrationOptions(rows=2), store, knows=True)
    again = told(NarrationOptions(rows=2), PieceStore(tmp_path / "pieces", RATE), knows=False)
    assert whole[1] == again[1]
    assert len(whole[0]) == len(again[0])


def test_words_without_times_are_placed_by_their_length_and_say_so():
    words = [mark for mark in told()[1] if mark.level == "word"][:3]
    assert [mark.text for mark in words] == ["The", "first", "sentence."]
    assert all(mark.estimated for mark in words)
    assert words[0].end - words[0].start < words[1].end - words[1].start < words[2].end - words[2].start
    assert words[0].end == words[1].start


def test_a_number_has_the_time_of_the_words_it_was_said_as():
    said = ["in", "twenty", "twenty", "six", "it", "rained"]
    marks = [Mark(word, at, at + 1.0, "word") for at, word in enumerate(said)]
    placed = as_written(["in", "2026", "it", "rained"], marks)
    assert [(mark.text, mark.start, mark.end) for mark in placed] == [
        ("in", 0, 1), ("2026", 1, 4), ("it", 4, 5), ("rained", 5, 6)]  # fmt: skip


def test_a_word_behind_a_pause_begins_where_it_is_heard():
    timeline, tone = Timeline(Pauses(), RATE), np.full(RATE, 0.1, np.float32)
    samples = np.concatenate([tone, np.zeros(RATE // 2, np.float32), tone])
    words = (Mark("One,", 0, 0.5, "word"), Mark("two,", 0.5, 1.2, "word"), Mark("three", 1.2, 2.5, "word"))
    chunks = [AudioChunk(samples[: RATE + 5000], RATE), AudioChunk(samples[RATE + 5000 :], RATE, GuardReport(1), words)]
    marks = [timeline.place(Piece(0, "One, two, three", 0, START), chunk, chunk.report is not None) for chunk in chunks]
    assert [(mark.text, mark.start, mark.end) for mark in marks[1][1] if mark.level == "word"] == [
        ("One,", 0, 0.5), ("two,", 0.5, 1.0), ("three", 1.5, 2.5)]  # fmt: skip


def test_words_of_scripts_without_spaces_are_characters():
    assert words_of("你好，world 世界。") == ["你", "好，", "world", "世", "界。"]
    assert spread([], 0, 1) == []


def test_several_sentences_in_a_piece_are_parted_by_their_words():
    timeline = Timeline(Pauses(), RATE)
    samples = np.full(RATE * 4, 0.1, np.float32)
    words = tuple(Mark(word, at, at + 0.9, "word") for at, word in enumerate(["One", "two.", "Three", "four."]))
    piece = Piece(0, "One two. Three four.", 0, START)
    _, marks = timeline.place(piece, AudioChunk(samples, RATE, GuardReport(1), words), True)
    assert [(mark.text, mark.start, mark.end, mark.estimated) for mark in sentences(marks)] == [
        ("One two.", 0.0, 1.9, False), ("Three four.", 2.0, 4.0, False)]  # fmt: skip


def test_markup_rate_and_loudness_of_a_piece():
    samples = np.full(RATE, 0.1, np.float32)
    fast = Timeline(Pauses(), RATE).place(Piece(0, "Hi.", 0, START, rate=2.0), AudioChunk(samples, RATE), True)[0]
    assert len(fast) / RATE == pytest.approx(0.5, abs=0.05)
    loud = Timeline(Pauses(), RATE).place(Piece(0, "Hi.", 0, START, decibels=6.0), AudioChunk(samples, RATE), True)[0]
    np.testing.assert_allclose(loud, samples * 10 ** (6 / 20), rtol=1e-5)


def test_no_more_is_given_than_the_whole_may_have():
    """Pauses count, and what is cut off gives no mark behind the end."""
    timeline, tone = Timeline(Pauses(), RATE, most_seconds=2.5), np.full(RATE, 0.1, np.float32)
    first = timeline.place(Piece(0, "One.", 0, START), AudioChunk(tone, RATE), True)
    assert len(first[0]) == RATE and not timeline.is_full
    samples, marks = timeline.place(Piece(1, "Two.", 0, PARAGRAPH), AudioChunk(tone, RATE), True)
    assert len(samples) == 1.5 * RATE and timeline.is_full  # 0.7 s of them quiet
    assert max(mark.end for mark in marks) <= 2.5
    assert len(timeline.place(Piece(2, "Three.", 0, SENTENCE), AudioChunk(tone, RATE), True)[0]) == 0
