"""The sound of a single listener, made on a second thread while the next frame is: the same, as soon as it is there."""

from __future__ import annotations

import threading

import mlx.core as mx
import numpy as np
import pytest

from mlx_tts.generation import engine as engines
from mlx_tts.models.qwen3_tts.frames import TalkerBatch
from mlx_tts.runtime import blas, mlx_thread
from mlx_tts.runtime.device import begin_early
from tests.generation.test_engine import FRAMES, asked, until

pytestmark = pytest.mark.slow


@pytest.fixture
def model(oracle, monkeypatch):
    monkeypatch.setattr(engines, "CORES", 2)
    monkeypatch.setattr(blas, "threads", lambda: 1)
    model = oracle("custom_voice_tiny").synthesizer
    until(lambda: not model._engine._working)
    return model


@pytest.fixture
def threads(model, monkeypatch) -> list[str]:
    """The threads on which pieces are decoded."""
    found, decode = [], model._synthesizer.decode
    monkeypatch.setattr(
        model._synthesizer, "decode", lambda pieces: found.append(threading.current_thread().name) or decode(pieces)
    )
    return found


def heard(model, number: int = 0, **options) -> tuple[list[np.ndarray], np.ndarray]:
    stream = model.submit(asked(number, **options), live=True, low_latency=True)
    return [chunk.samples for chunk in stream], stream.codes


def test_it_is_the_same_sound_in_the_same_pieces(model, threads, monkeypatch):
    pieces, codes = heard(model)
    assert threads[0] == mlx_thread.NAME, "the first sound goes before all else"
    assert threads[1] == mlx_thread.SECOND_NAME
    monkeypatch.setattr(engines, "CORES", 1)
    threads.clear()
    alone, codes_alone = heard(model)
    assert set(threads) == {mlx_thread.NAME}
    np.testing.assert_array_equal(codes, codes_alone)
    assert len(pieces) == len(alone)
    for ours, theirs in zip(pieces, alone, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_sound_leaves_while_a_frame_is_under_way(model, monkeypatch):
    """The third step goes on until the second piece has left, which is made meanwhile."""
    step, seen = TalkerBatch.step, []
    streams: list = []

    def slow(batch, rows):
        seen.append(len(streams[0].arrivals))
        if len(seen) == 3:
            until(lambda: begin_early(mx.zeros((1,))) or len(streams[0].arrivals) == 2)
        return step(batch, rows)

    monkeypatch.setattr(TalkerBatch, "step", slow)
    gate = threading.Event()
    mlx_thread.wake(Gate(gate))  # nothing begins before the stream is known here
    streams.append(model.submit(asked(), live=True, low_latency=True))
    gate.set()
    assert len(list(streams[0])) > 2
    assert seen[:3] == [0, 1, 1]


class Gate:
    """Holds the MLX thread until it opens."""

    def __init__(self, event: threading.Event):
        self.event = event

    def step(self) -> None:
        assert self.event.wait(20)


def test_a_frame_is_made_while_sound_is(model, monkeypatch):
    """The decoder waits for the third step, which would never come if the engine waited for the second piece."""
    steps, pieces, step, decode = [], [], TalkerBatch.step, model._synthesizer.decode
    monkeypatch.setattr(TalkerBatch, "step", lambda batch, rows: steps.append(1) or step(batch, rows))

    def waits(due):
        pieces.append(1)
        until(lambda: len(pieces) != 2 or len(steps) > 2)
        return decode(due)

    monkeypatch.setattr(model._synthesizer, "decode", waits)
    assert len(heard(model)[1]) == FRAMES


@pytest.mark.parametrize("why", ["two rows", "not in a hurry", "threads", "family"])
def test_elsewhere_the_engine_decodes_itself(model, threads, monkeypatch, why):
    if why == "threads":
        monkeypatch.setattr(blas, "threads", lambda: 2)
    if why == "family":
        monkeypatch.setattr(type(model._synthesizer), "decodes_beside", False)
    other = model.submit(asked(1), live=True) if why == "two rows" else None
    stream = model.submit(asked(), live=True, low_latency=why != "not in a hurry")
    for chunk in stream:
        if other is not None and len(chunk.samples):
            break
    assert set(threads) == {mlx_thread.NAME}
    for one in (stream, other):
        if one is not None:
            one.close()


def test_a_failure_beside_ends_the_request_and_no_other(model, monkeypatch):
    decode = model._synthesizer.decode

    calls: list[int] = []

    def fails(pieces):
        calls.append(1)
        if len(calls) > 1:
            raise MemoryError("no room")
        return decode(pieces)

    monkeypatch.setattr(model._synthesizer, "decode", fails)
    with pytest.raises(MemoryError):
        heard(model)
    monkeypatch.setattr(model._synthesizer, "decode", decode)
    assert len(heard(model)[1]) == FRAMES
