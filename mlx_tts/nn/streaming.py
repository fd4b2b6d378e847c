"""Layers that stream: one step of several behind each other, in slices, and the states of streams side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import mlx.core as mx
import numpy as np
from mlx.utils import tree_map

from mlx_tts.nn.conv import State

Step = Callable[[mx.array, State], tuple[mx.array, State]]


def step_through(layers: Sequence[Any], x: mx.array, states: State) -> tuple[mx.array, State]:
    """One step of layers behind each other; a state for each."""
    after = []
    for layer, state in zip(layers, states, strict=True):
        x, state = layer.step(x, state)
        after.append(state)
    return x, tuple(after)


def step_in_slices(step: Step, x: mx.array, state: State, size: int) -> tuple[mx.array, State]:
    """One step as several of at most `size` rows each; the same numbers."""
    pieces = []
    for start in range(0, x.shape[1], size):
        y, state = step(x[:, start : start + size], state)
        pieces.append(y)
    return mx.concatenate(pieces, axis=1) if len(pieces) > 1 else pieces[0], state


def join_states(states: Sequence[State]) -> State:
    """States of single streams -> the state of all of them as one batch."""
    if len(states) == 1:
        return states[0]
    return tree_map(lambda *rows: mx.concatenate(list(rows)), states[0], *states[1:])


def step_together(step: Step, pieces: Sequence[tuple[np.ndarray, State]]) -> list[tuple[np.ndarray, State]]:
    """(codes [T, K], state before) of streams whose pieces have one length -> (samples [N], state after) of each."""
    wanted = 1 << (len(pieces) - 1).bit_length()  # a compiled step for each power of two, not for each number
    padded = [*pieces, *[pieces[0]] * (wanted - len(pieces))]
    codes, before = mx.array(np.stack([codes for codes, _ in padded])), join_states([state for _, state in padded])
    samples, after = step(codes, before)
    mx.eval(samples, after)
    return [(np.array(samples[at], dtype=np.float32), row_state(after, at)) for at in range(len(pieces))]


def row_state(state: State, row: int) -> State:
    """One stream's part of a batch's state."""
    return tree_map(lambda value: value[row : row + 1], state)
