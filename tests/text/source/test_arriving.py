"""Text that arrives, read with words for numbers and with markup; long words and spaces in linear time."""

import itertools
import time

import pytest

from mlx_tts.text.cutting.pieces import Packing
from mlx_tts.text.reading import Reading
from mlx_tts.text.source.arriving import ArrivingText, read_growing, read_pieces

TEXT = "It cost $5 on 3 May. He is Dr. Smith, 42. [pause 2s] Then [voice:ivy] she left at 9:05 for the city. No. 5 won."


def arrive(text: str, size: int, reading: Reading | None) -> list[tuple]:
    arriving = ArrivingText(Packing("english"), lambda skipped: None, reading)
    pieces = [piece for at in range(0, len(text), size) for piece in arriving.feed(text[at : at + size])]
    return [(piece.spoken, piece.voice, piece.pause_before_seconds) for piece in pieces + arriving.finish()]


@pytest.mark.parametrize("size", [1, 3, 7, 1000])
def test_numbers_pauses_and_voices(size):
    assert arrive(TEXT, size, Reading("on")) == [
        ("It cost five dollars on the third of May.", None, None),
        ("He is Doctor Smith, forty two.", None, None),
        ("Then", None, 2.0),
        ("she left at nine oh five for the city.", "ivy", None),
        ("Number five won.", "ivy", None),
    ]


def test_without_a_reading_nothing_is_rewritten():
    assert arrive("It cost $5 on 3 May. He left.", 5, None)[0] == ("It cost $5 on 3 May.", None, None)


def test_pieces_of_bytes():
    blocks = iter([b"It cost $5 on ", b"3 May. He left.", b""])
    found = [p for p in read_pieces(lambda: next(blocks), Packing("english"), print, Reading("on")) if p is not None]
    assert [piece.spoken for piece in found] == ["It cost five dollars on the third of May.", "He left."]


@pytest.mark.slow
@pytest.mark.timed
@pytest.mark.parametrize("text", ["x" * 100_000, " " * 100_000 + "end", "\n" * 100_000 + "end", "word " * 20_000])
def test_long_words_and_spaces_word_by_word(text):
    blocks = itertools.chain([text.encode()], itertools.repeat(b""))
    start = time.process_time()
    found = [p for p in read_growing(lambda: next(blocks), Packing("english"), lambda skipped: None) if p is not None]
    words = "".join(piece.growing.text for piece in found if piece.growing is not None)
    assert "".join(words.split()) == "".join(text.split())
    assert time.process_time() - start < 20
