"""Prompts of newcomers, read together as a GPU reads them, against each alone."""

from __future__ import annotations

import mlx.core as mx
import numpy as np
import pytest

from benchmarks.random_model import random_talker, talker_config
from mlx_tts.models.qwen3_tts import prefill
from mlx_tts.models.qwen3_tts.prefill import Prefill
from mlx_tts.nn.cache import alone as cut_out
from mlx_tts.nn.cache import regrouped
from mlx_tts.runtime.device import CUDA, METAL
from tests.helpers.gpu_form import as_on_gpu
from tests.helpers.launches import as_on_metal, launches


@pytest.fixture(scope="module")
def talker():
    return random_talker(talker_config("tiny"), 32, mx.float32)


@pytest.fixture
def counted(talker, monkeypatch):
    """The shapes of what the talker reads."""
    shapes, read = [], type(talker.model).__call__

    def logged(model, x, caches):
        shapes.append(x.shape[:2])
        return read(model, x, caches)

    monkeypatch.setattr(type(talker.model), "__call__", logged)
    return shapes


def embedded(*lengths: int) -> list[mx.array]:
    return [mx.random.normal((length, 256), key=mx.random.key(length)) for length in lengths]


def whole(reading) -> list:
    while True:
        try:
            next(reading)
        except StopIteration as done:
            return done.value


def columns(caches) -> np.ndarray:
    return np.stack([np.array(cache.kv[:, :, :, : cache.length]) for cache in caches])


def test_newcomers_are_read_in_one_step_and_get_their_own_columns(talker, counted, monkeypatch):
    alone = [columns(whole(Prefill(talker).read(Prefill(talker).enter(x)))) for x in embedded(5, 9, 3)]
    counted.clear()
    monkeypatch.setattr(prefill, "policy", lambda: METAL)
    reader = Prefill(talker)
    prompts = [reader.enter(x) for x in embedded(5, 9, 3)]
    together = [cut_out(whole(reader.read(prompt))) for prompt in prompts]
    assert counted == [(3, 9)]
    for caches, wanted, length in zip(together, alone, (5, 9, 3), strict=True):
        assert {cache.length for cache in caches} == {length}
        np.testing.assert_allclose(columns(caches), wanted, atol=1e-4)


def test_who_has_gone_is_not_read_and_who_is_long_is_read_alone(talker, counted, monkeypatch):
    monkeypatch.setattr(prefill, "policy", lambda: METAL)
    monkeypatch.setattr(prefill, "SHARED_POSITIONS", 10)
    monkeypatch.setattr(prefill, "MOST_POSITIONS", 24)
    monkeypatch.setattr(prefill, "PROMPT_BLOCK", 16)
    reader = Prefill(talker)
    first, gone, long, *others = [reader.enter(x) for x in embedded(4, 5, 20, 6, 7, 8)]
    del gone
    assert list(reader.read(first)) == [4]
    assert counted == [(3, 7)]  # one of eight more would be 4 x 8 positions
    assert list(reader.read(long)) == [16, 4]
    assert [list(reader.read(other)) for other in others] == [[], [], [8]]
    assert counted == [(3, 7), (1, 16), (1, 4), (1, 8)]


def test_few_newcomers_are_read_by_few_launches_of_a_kernel_and_many_by_one_step(talker, counted, monkeypatch):
    """A kernel of 64 positions reads 8 newcomers in 2 launches; 32 would be 8, and the plain step is shorter."""
    alone = [columns(whole(Prefill(talker).read(Prefill(talker).enter(x)))) for x in embedded(*range(5, 13))]
    monkeypatch.setattr(prefill, "policy", lambda: METAL)
    for most, groups in ((48, [(4, 12), (4, 11)]), (20, [(8, 12)]), (0, [(8, 12)])):
        counted.clear()
        reader = Prefill(talker)
        monkeypatch.setattr(reader._step, "most_positions", lambda dtype, most=most: most)
        prompts = [reader.enter(x) for x in embedded(12, *range(5, 12))]
        together = [cut_out(whole(reader.read(prompt))) for prompt in prompts]
        assert counted == groups
        for caches, wanted in zip(together, [alone[-1], *alone[:-1]], strict=True):
            np.testing.assert_allclose(columns(caches), wanted, atol=1e-4)


@pytest.mark.parametrize(
    ("lengths", "read"), [((5,), (1, 8)), ((8,), (1, 8)), ((5, 9, 3), (4, 16)), ((4,) * 5, (8, 8))]
)
def test_on_cuda_few_shapes_are_read(talker, counted, monkeypatch, lengths, read):
    """Each new one is planned for 10 ms; what is read beyond a prompt is nobody's."""
    alone = [columns(whole(Prefill(talker).read(Prefill(talker).enter(x)))) for x in embedded(*lengths)]
    counted.clear()
    monkeypatch.setattr(prefill, "policy", lambda: CUDA)
    reader = Prefill(talker)
    prompts = [reader.enter(x) for x in embedded(*lengths)]
    joining = [whole(reader.read(prompt)) for prompt in prompts]
    assert counted == [read]
    for caches, wanted, length in zip(map(cut_out, joining), alone, lengths, strict=True):
        assert {cache.length for cache in caches} == {length}
        np.testing.assert_allclose(columns(caches), wanted, atol=1e-4)
    together = regrouped([], (), joining)
    for row, (wanted, length) in enumerate(zip(alone, lengths, strict=True)):
        found = np.stack([np.array(cache.kv[:, row, :, cache.length - length : cache.length]) for cache in together])
        np.testing.assert_allclose(found, wanted[:, :, 0], atol=1e-4)


def test_on_the_cpu_everyone_reads_alone(talker, counted):
    reader = Prefill(talker)
    prompts = [reader.enter(x) for x in embedded(5, 3)]
    assert [list(reader.read(prompt)) for prompt in prompts] == [[5], [3]]
    assert counted == [(1, 5), (1, 3)]


@pytest.mark.slow
@pytest.mark.smoke("8")
@pytest.mark.parametrize("rows", [1, 8, 32])
def test_launches_until_newcomers_stand_in_a_batch(monkeypatch, rows):
    """16 a layer to read several, where one with its room has 20; to join 3 a layer, and not one for each row."""
    as_on_gpu(monkeypatch)
    talker = random_talker(talker_config("tiny"), 16)  # laid out for a GPU
    as_on_metal(monkeypatch)
    layers = len(talker.model.layers)
    reader = Prefill(talker)
    xs = [mx.zeros((20 + at % 3, 256), talker.dtype) for at in range(rows)]
    mx.eval(xs)
    prompts = [reader.enter(x) for x in xs]
    monkeypatch.setattr(mx, "async_eval", lambda *_: None)  # so that the graph is still there
    joining = [whole(reader.read(prompt)) for prompt in prompts]
    kv = [cache.kv for cache in (joining[0] if rows == 1 else joining[0].batch)]
    assert launches(kv).total() <= (20 * layers if rows == 1 else 16 * layers + rows)
    mx.eval(kv)
    if rows > 1:
        assert launches([cache.kv for cache in regrouped([], (), joining)]).total() == 3 * layers
