"""Streams side by side: a batch's state is taken apart and put together only when its streams part."""

from __future__ import annotations

import mlx.core as mx
import numpy as np
import pytest

from mlx_tts.nn import streaming
from mlx_tts.nn.conv import CausalConv1d
from mlx_tts.nn.streaming import join_states, step_together


@pytest.fixture
def layer():
    mx.random.seed(3)
    layer = CausalConv1d(4, 1, 5)
    layer.conv.weight = mx.random.normal(layer.conv.weight.shape)
    return layer


def stepped(layer, calls: list[int]):
    def step(x, state):
        calls.append(x.shape[0])
        y, state = layer.step(x, state)
        return y[..., 0], state

    return step


@pytest.fixture
def joins(monkeypatch):
    """How many arrays are put together."""
    counted, concatenate = [], mx.concatenate

    def logged(parts, axis=0):
        if axis == 0 and len(parts) > 1:
            counted.append(len(parts))
        return concatenate(parts, axis=axis)

    monkeypatch.setattr(streaming.mx, "concatenate", logged)
    return counted


def inputs(rows: int, seed: int) -> list[np.ndarray]:
    drawn = np.random.default_rng(seed)
    return [drawn.normal(size=(3, 4)).astype(np.float32) for _ in range(rows)]


@pytest.mark.parametrize("rows", [1, 2, 3, 8])
def test_streams_that_stay_together_are_joined_once(layer, joins, rows):
    calls: list[int] = []
    step, states = stepped(layer, calls), [layer.make_state(1) for _ in range(rows)]
    alone, single = [], [layer.make_state(1) for _ in range(rows)]
    for turn in range(3):
        xs = inputs(rows, turn)
        made = step_together(step, list(zip(xs, states, strict=True))).read()
        states = [state for _, state in made]
        alone = [layer.step(mx.array(x[None]), state) for x, state in zip(xs, single, strict=True)]
        single = [state for _, state in alone]
        for (samples, _), (right, _) in zip(made, alone, strict=True):
            np.testing.assert_allclose(samples, np.array(right)[0, :, 0], atol=1e-5)
    wanted = 1 << (rows - 1).bit_length()
    assert calls == [wanted] * 3
    assert joins == ([wanted] if rows > 1 else [])


def test_streams_that_begin_together_are_one_state_repeated(layer, joins):
    step, xs, silence = stepped(layer, []), inputs(3, 4), layer.make_state(1)
    made = step_together(step, [(x, silence) for x in xs]).read()
    for (samples, _), x in zip(made, xs, strict=True):
        np.testing.assert_allclose(samples, np.array(layer.step(mx.array(x[None]), silence)[0])[0, :, 0], atol=1e-5)
    assert not joins


def test_streams_that_part_or_change_places_keep_their_own_state(layer):
    step, xs = stepped(layer, []), inputs(2, 5)
    together = step_together(step, [(x, layer.make_state(1)) for x in xs]).read()
    states = [state for _, state in together]
    right = [layer.step(mx.array(x[None]), layer.make_state(1))[1] for x in xs]
    more = inputs(2, 6)
    for company in ([1], [1, 0], [0, 1], [0], [1, 1], [0, 1, 0]):
        made = step_together(step, [(more[at], states[at]) for at in company]).read()
        for at, (samples, _) in zip(company, made, strict=True):
            wanted = layer.step(mx.array(more[at][None]), right[at])[0]
            np.testing.assert_allclose(samples, np.array(wanted)[0, :, 0], atol=1e-5)


def test_a_newcomer_joins_with_a_state_of_its_own(layer):
    step, xs = stepped(layer, []), inputs(2, 7)
    (_, old), _ = step_together(step, [(x, layer.make_state(1)) for x in xs]).read()
    more = inputs(2, 8)
    made = step_together(step, [(more[0], layer.make_state(1)), (more[1], old)]).read()
    kept = layer.step(mx.array(xs[0][None]), layer.make_state(1))[1]
    for (samples, _), x, state in zip(made, more, (layer.make_state(1), kept), strict=True):
        np.testing.assert_allclose(samples, np.array(layer.step(mx.array(x[None]), state)[0])[0, :, 0], atol=1e-5)


def test_a_state_keeps_only_what_is_carried():
    """A slice of what a layer was given would keep all of it in memory."""
    layer = CausalConv1d(4, 4, 3)
    layer.conv.weight = mx.ones(layer.conv.weight.shape)
    frames = np.ones((4096, 4), np.float32)
    before = mx.get_active_memory()
    ((samples, state),) = step_together(lambda x, s: _summed(layer, x, s), [(frames, layer.make_state(1))]).read()
    assert len(samples) == len(frames)
    assert mx.get_active_memory() - before < frames.nbytes / 4
    assert join_states([state], 1)[0].shape == (1, 2, 4)


@pytest.mark.parametrize(
    ("stay", "newcomers", "copies"),
    [
        (range(8), 0, []),
        ((3, 1, 0, 2), 0, []),  # the first half goes on without the others: a view
        ((4, 5, 6, 7), 0, []),
        ((0, 1, 2, 4, 5, 6, 7), 0, [3]),  # one has left: two runs, and a row behind them that nobody needs
        ((7, 0, 6, 1), 4, [3]),  # newcomers that begin alike are one run, wherever they stand
        ((0, 2, 4, 6), 0, [4]),
    ],
)
def test_rows_that_stood_behind_each_other_are_copied_together(layer, joins, stay, newcomers, copies):
    step, silence = stepped(layer, []), layer.make_state(1)
    xs, more = inputs(8, 9), inputs(len(stay) + newcomers, 10)
    states = [state for _, state in step_together(step, [(x, silence) for x in xs]).read()]
    company = [(states[at], xs[at]) for at in stay]
    company[1:1] = [(silence, None)] * newcomers
    made = step_together(step, [(x, state) for x, (state, _) in zip(more, company, strict=True)]).read()
    assert joins == copies
    for x, (samples, _), (_, before) in zip(more, made, company, strict=True):
        own = silence if before is None else layer.step(mx.array(before[None]), silence)[1]
        np.testing.assert_allclose(samples, np.array(layer.step(mx.array(x[None]), own)[0])[0, :, 0], atol=1e-5)


def _summed(layer, x, state):
    y, state = layer.step(x, state)
    return y.sum(-1), state
