"""Which sentence is spoken at a time: estimated while its piece is made, exact when its marks are there."""

from mlx_tts.narration.marks import SentenceTimes
from mlx_tts.speech import Mark
from mlx_tts.text.cutting.pieces import Piece


def two_pieces() -> SentenceTimes:
    times = SentenceTimes()
    times.begin(Piece(0, "One is here. Two is there.", 0, "start"), 0.0, "English")
    times.complete((Mark("One is here.", 0.1, 2.0), Mark("One", 0.1, 0.4, "word"), Mark("Two is there.", 2.5, 4.0)))
    times.begin(Piece(1, "Three follows. Four is last.", 0, "sentence"), 5.0, "English")
    return times


def test_the_sentence_of_a_time():
    times = two_pieces()
    assert times.at(0.0) is None
    assert times.at(0.1).text == times.at(2.4).text == "One is here."
    assert times.at(2.5).text == "Two is there."
    assert times.at(5.0).text == "Three follows."
    assert times.at(60.0).text == "Four is last."


def test_marks_replace_estimates():
    times = two_pieces()
    times.complete((Mark("Three follows.", 5.2, 8.0), Mark("Four is last.", 8.5, 9.0)))
    assert times.at(8.4).text == "Three follows."
    assert times.at(8.5).text == "Four is last."


def test_a_part_of_the_piece_in_work_begins_nothing():
    times = two_pieces()
    before = times.at(5.5)
    times.begin(Piece(1, "Three follows. Four is last.", 0, "sentence"), 6.0, "English")
    assert times.at(5.5) == before


def test_steps():
    times = two_pieces()
    assert times.stepped(2.6, -1) == 0.1
    assert times.stepped(4.2, -1) == 2.5  # its own beginning, at first
    assert times.stepped(0.0, -1) == 0.1
    assert times.stepped(0.5, 1) == 2.5
    assert times.stepped(2.6, 1) == 5.0
    assert times.stepped(60.0, 1) is None
    assert SentenceTimes().stepped(1.0, 1) is None
