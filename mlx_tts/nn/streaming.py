"""Layers that stream: one step of several behind each other, in slices, and the states of streams side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import mlx.core as mx
import numpy as np
from mlx.utils import tree_flatten, tree_map

from mlx_tts.nn.conv import State
from mlx_tts.runtime.device import policy

Step = Callable[[mx.array, State], tuple[mx.array, State]]


def step_through(layers: Sequence[Any], x: mx.array, states: State) -> tuple[mx.array, State]:
    """One step of layers behind each other; a state for each."""
    after = []
    for layer, state in zip(layers, states, strict=True):
        x, state = layer.step(x, state)
        after.append(state)
    return x, tuple(after)


def step_in_slices(
    step: Step, x: mx.array, state: State, size: int, one_at_a_time: bool = False
) -> tuple[mx.array, State]:
    """One step as several of at most `size` rows each; the same numbers. one_at_a_time: wait for each before the next
    is sent. A device holds all that a launch read until it has come that far, so what is sent ahead adds up."""
    pieces: list[mx.array] = []
    for start in range(0, x.shape[1], size):
        if one_at_a_time and pieces:
            mx.eval(pieces[-1], state)
        y, state = step(x[:, start : start + size], state)
        pieces.append(y)
    return mx.concatenate(pieces, axis=1) if len(pieces) > 1 else pieces[0], state


@dataclass(frozen=True)
class RowState:
    """One stream's part of a batch's state, which is cut out only when the stream goes on in other company."""

    batch: State
    row: int

    @property
    def alone(self) -> State:
        return tree_map(lambda value: value[self.row : self.row + 1], self.batch)


def join_states(states: Sequence[State], wanted: int) -> State:
    """States of single streams -> the state of them as one batch of `wanted` rows; those that nobody needs repeat the
    first. Streams that stay together keep their state as it is: to put it together anew takes a copy of every array
    and row, as many launches as the step itself."""
    first = states[0]
    if isinstance(first, RowState) and _rows(first.batch) == wanted:
        together = (isinstance(s, RowState) and s.batch is first.batch and s.row == at for at, s in enumerate(states))
        if all(together):
            return first.batch
    if wanted > 1 and not isinstance(first, RowState) and all(state is first for state in states):  # newcomers
        return tree_map(lambda value: mx.repeat(value, wanted, axis=0), first)
    single = [state.alone if isinstance(state, RowState) else state for state in states]
    single += [single[0]] * (wanted - len(single))
    return single[0] if wanted == 1 else tree_map(lambda *rows: mx.concatenate(list(rows)), *single)


def _rows(state: State) -> int:
    arrays: Any = tree_flatten(state)
    return next((value.shape[0] for _, value in arrays), 0)


@dataclass(frozen=True)
class SteppedTogether:
    """Samples [R, N] of streams and the state after, on their way to the device. rows: how many streams there are."""

    samples: mx.array
    after: State
    rows: int

    def read(self) -> list[tuple[np.ndarray, State]]:
        """Wait for them: samples [N] and the state of each."""
        mx.eval(self.samples, self.after)
        read = np.array(self.samples, dtype=np.float32)  # once: each reading waits for the device
        return [(read[at].copy(), RowState(self.after, at)) for at in range(self.rows)]


def step_together(step: Step, pieces: Sequence[tuple[np.ndarray, State]], compact: bool = False) -> SteppedTogether:
    """Send the next step of streams: codes [T, K] of one length, and the state before, of each.

    compact: the state gets memory of its own, on the CPU always. What a layer carries is the end of its input, and a
    slice keeps all of that alive: 8 MB a frame for Magpie's codec, where 1 MB is carried. On a GPU it takes a launch an
    array.
    """
    wanted = 1 << (len(pieces) - 1).bit_length()  # a compiled step for each power of two, not for each number
    codes = np.stack([pieces[at if at < len(pieces) else 0][0] for at in range(wanted)])
    samples, after = step(mx.array(codes), join_states([state for _, state in pieces], wanted))
    if compact or not policy().few_launches:
        after = tree_map(mx.contiguous, after)
    mx.async_eval(samples, after)
    return SteppedTogether(samples, after, len(pieces))
