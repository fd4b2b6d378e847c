"""Streams that are read together: how many are open, who is read first, what an error and a closing end."""

import numpy as np
import pytest

from mlx_tts.generation.side_by_side import SideBySide
from mlx_tts.speech import AudioChunk, SpeechRequest
from tests.helpers.made_stream import MadeStream


def chunk(level: float) -> AudioChunk:
    return AudioChunk(np.full(1, level, np.float32), 24_000)


def failing():
    yield chunk(9)
    raise RuntimeError("the device is gone")


def side_by_side(source, chunks=lambda item: [chunk(item), chunk(item + 0.5)]):
    begun = []

    def submit(item, condition):
        stream = MadeStream(SpeechRequest(str(item)), chunks(item))
        begun.append(stream)
        return stream

    return SideBySide(iter(source), submit), begun


def heard(parts):
    return [float(chunk.samples[0]) for _, _, chunk in parts]


@pytest.mark.parametrize(
    ("rows", "order"), [(1, [0, 0.5, 1, 1.5, 2, 2.5]), (2, [0, 1, 0.5, 1.5, 2, 2.5]), (9, [0, 1, 2, 0.5, 1.5, 2.5])]
)
def test_so_many_are_open_and_the_oldest_is_read_first(rows, order):
    spoken, _ = side_by_side([0, 1, 2])
    assert heard(spoken.run(rows)) == order
    assert spoken.is_over


def test_nothing_is_begun_before_it_is_asked_for():
    spoken, begun = side_by_side([None, 0, 1])
    assert not begun
    assert [spoken.begin_next() for _ in range(4)] == [False, True, True, False]
    assert len(begun) == 2


def test_an_error_leaves_the_others_open():
    spoken, _ = side_by_side([0, 1], lambda item: failing() if item else [chunk(0), chunk(0.5), chunk(0.75)])
    spoken.begin_next()
    spoken.begin_next()
    assert heard(spoken.take()) == [0, 9]
    with pytest.raises(RuntimeError, match="gone"):
        list(spoken.take())
    assert [item for item, _ in spoken.open] == [0]
    assert heard(spoken.take()) == [0.75]
    assert not spoken.is_over
    assert heard(spoken.take()) == []
    assert spoken.is_over


def test_closing_ends_what_is_open_and_begins_nothing_more():
    spoken, begun = side_by_side([0, 1, 2])
    run = spoken.run(2)
    next(run)
    run.close()
    assert [stream.ended for stream in begun] == [True, True]
    assert spoken.is_over
    assert not spoken.begin_next()
