"""Layers that stream: one step of several behind each other, in slices; states of streams; the decoder of a codec."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import numpy as np
from mlx.utils import tree_flatten, tree_map

from mlx_tts.nn.conv import State, prefers_products
from mlx_tts.runtime.device import begin_early, policy

Step = Callable[[mx.array, State], tuple[mx.array, State]]
# Numbers that a block of layers puts out at once. On the CPU arrays that stay in its cache make the block 4 to 10 %
# faster; a GPU wants few and large kernels, and only its memory sets a limit.
CPU_NUMBERS, GPU_NUMBERS = 200_000, 1 << 30  # a row's number must fit in 32 bits
# A GPU's time for a short piece is that of its launches, and a compiled step has half of them. A graph is kept for each
# length: those of a stream's pieces, not of everything that is decoded at once.
COMPILED_FRAMES = 16


def step_through(layers: Sequence[Any], x: mx.array, states: State) -> tuple[mx.array, State]:
    """One step of layers behind each other; a state for each."""
    after = []
    for layer, state in zip(layers, states, strict=True):
        x, state = layer.step(x, state)
        begin_early(x)
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
        begin_early(y)
    return mx.concatenate(pieces, axis=1) if len(pieces) > 1 else pieces[0], state


@dataclass(frozen=True)
class RowState:
    """One stream's part of a batch's state, which is cut out only when the stream goes on in other company."""

    batch: State
    row: int


def _place(state: State) -> tuple[State, int]:
    """The batch's state of which a stream's is a part, and its row there; a newcomer's is the only row."""
    return (state.batch, state.row) if isinstance(state, RowState) else (state, 0)


def by_company(states: Sequence[State]) -> list[int]:
    """The order in which streams are joined with the fewest copies: those of one batch as they stood there."""
    first: dict[int, int] = {}
    places = [(first.setdefault(id(batch), at), row) for at, (batch, row) in enumerate(map(_place, states))]
    return sorted(range(len(states)), key=places.__getitem__)


@dataclass(frozen=True)
class _Run:
    """Rows of a batch that stand behind each other there, or a single one several times."""

    batch: State
    begin: int
    end: int
    times: int = 1

    def follows(self, other: _Run) -> bool:
        return self.batch is other.batch and self.times == other.times == 1 and self.begin == other.end

    def repeats(self, other: _Run) -> bool:
        is_same = self.batch is other.batch and (self.begin, self.end) == (other.begin, other.end)
        return is_same and self.end == self.begin + 1

    def cut(self, value: mx.array) -> mx.array:
        rows = value if value.shape[0] == self.end - self.begin else value[self.begin : self.end]
        return mx.repeat(rows, self.times, axis=0) if self.times > 1 else rows


def _runs(states: Sequence[State], wanted: int) -> list[_Run]:
    """Of these streams, and more rows behind them that are like some of the first."""
    runs: list[_Run] = []

    def add(run: _Run) -> None:
        if runs and run.follows(runs[-1]):
            runs[-1] = replace(runs[-1], end=run.end)
        elif runs and run.repeats(runs[-1]):
            runs[-1] = replace(runs[-1], times=runs[-1].times + 1)
        else:
            runs.append(run)

    for batch, row in map(_place, states):
        add(_Run(batch, row, row + 1))
    whole, missing = runs[0], wanted - len(states)
    if len(runs) == 1 and whole.times == 1 and whole.begin + wanted <= _rows(whole.batch):
        return [replace(whole, end=whole.begin + wanted)]
    while missing:
        more = min(missing, whole.end - whole.begin)
        add(_Run(whole.batch, whole.begin, whole.begin + more))
        missing -= more
    return runs


def join_states(states: Sequence[State], wanted: int) -> State:
    """States of single streams -> the state of them as one batch of `wanted` rows; nobody needs those behind them.

    Streams that stay together keep their state as it is, or a view of it. Else it takes a copy of every array for each
    run of rows that stood behind each other, and for each row as many launches as the step itself: see `by_company`.
    """
    runs = _runs(states, wanted)
    if len(runs) == 1 and runs[0].times == 1 and _rows(runs[0].batch) == wanted:
        return runs[0].batch

    def joined(*arrays: mx.array) -> mx.array:
        parts = [run.cut(value) for run, value in zip(runs, arrays, strict=True)]
        return parts[0] if len(parts) == 1 else mx.concatenate(parts)

    return tree_map(joined, *(run.batch for run in runs))


def _rows(state: State) -> int:
    arrays: Any = tree_flatten(state)
    return next((value.shape[0] for _, value in arrays), 0)


@dataclass(frozen=True)
class SteppedTogether:
    """Samples [R, N] of streams and the state after, on their way to the device. rows: those of the streams."""

    samples: mx.array
    after: State
    rows: Sequence[int]

    def read(self) -> list[tuple[np.ndarray, State]]:
        """Wait for them: samples [N] and the state of each."""
        mx.eval(self.samples, self.after)
        read = np.array(self.samples, dtype=np.float32)  # once: each reading waits for the device
        return [(read[at].copy(), RowState(self.after, at)) for at in self.rows]


def step_together(step: Step, pieces: Sequence[tuple[np.ndarray, State]], compact: bool = False) -> SteppedTogether:
    """Send the next step of streams: codes [T, K] of one length, and the state before, of each.

    compact: the state gets memory of its own, on the CPU always. What a layer carries is the end of its input, and a
    slice keeps all of that alive: 8 MB a frame for Magpie's codec, where 1 MB is carried. On a GPU it takes a launch an
    array.
    """
    wanted = 1 << (len(pieces) - 1).bit_length()  # a compiled step for each power of two, not for each number
    order = by_company([state for _, state in pieces])
    codes = np.stack([pieces[at][0] for at in [*order, *order[:1] * (wanted - len(order))]])
    samples, after = step(mx.array(codes), join_states([pieces[at][1] for at in order], wanted))
    if compact or not policy().few_launches:
        after = tree_map(mx.contiguous, after)
    mx.async_eval(samples, after)
    return SteppedTogether(samples, after, np.argsort(order).tolist())


class StreamedLayers(nn.Module):
    """A base of layers behind each other. A subclass says which they are."""

    def stages(self) -> Sequence[Any]:
        raise NotImplementedError

    def make_state(self, batch: int = 1) -> State:
        """State before the first input: a tree of tuples of arrays, of the same shapes through the whole stream."""
        return tuple(stage.make_state(batch) for stage in self.stages())

    def step(self, x: mx.array, state: State) -> tuple[mx.array, State]:
        """The next inputs and the state before them -> what the layers make of them, and the state after."""
        return step_through(self.stages(), x, state)


class SlicedLayers(StreamedLayers):
    """[B, T, in] -> [B, T * rate, out]: layers that take so many rows at once as keep what they put out small."""

    def __init__(self, numbers_a_row: int):
        """numbers_a_row: what the widest of them puts out for a row that comes in."""
        super().__init__()
        self.rows_at_once = max(1, (CPU_NUMBERS if prefers_products() else GPU_NUMBERS) // numbers_a_row)

    def step(self, x: mx.array, state: State) -> tuple[mx.array, State]:
        return step_in_slices(partial(step_through, self.stages()), x, state, self.rows_at_once)


class StreamedDecoder(StreamedLayers):
    """A base of decoders: frames [B, T, K] -> samples [B, N], whole or streamed. A subclass says what its layers are,
    what the first of them is given, and what the last one's numbers become.

    Every layer sees the past only, so a stream carries one small state a layer and equals the whole.
    """

    def __init__(self, cpu_frames: int, gpu_frames: int):
        """Frames that are decoded at once on a CPU that is fastest with products of matrices, and elsewhere."""
        super().__init__()
        self.frames_at_once = cpu_frames if prefers_products() else gpu_frames
        self._short_step: Any = mx.compile(self._step) if policy().compiles else None

    def _read(self, frames: mx.array) -> mx.array:
        return frames

    def _bounded(self, x: mx.array) -> mx.array:
        """Samples within [-1, 1]."""
        return mx.clip(x, -1, 1)

    def __call__(self, frames: mx.array) -> mx.array:
        return self.step(frames, self.make_state(frames.shape[0]))[0]

    def decode_chunked(self, frames: mx.array, chunk_frames: int = 300, left_context: int = 25) -> mx.array:
        """[B, T, K] -> samples [B, N] as references make them: chunks on their own, each after reading some frames
        before it again. Differs slightly from the exact result after the first chunk."""
        chunks = []
        for start in range(0, frames.shape[1], chunk_frames):
            context = min(left_context, start)
            part = frames[:, start - context : start + chunk_frames]
            samples = self(part)
            chunks.append(samples[:, samples.shape[1] // part.shape[1] * context :])
            mx.eval(chunks[-1])  # so that a long speech takes no more memory than a chunk
        return mx.concatenate(chunks, axis=1) if chunks else mx.zeros((frames.shape[0], 0))

    def step(self, x: mx.array, state: State) -> tuple[mx.array, State]:
        """The next frames [B, T, K], the state before them -> their samples, the state after."""
        if x.shape[1] == 0:
            return mx.zeros((x.shape[0], 0)), state
        at_once = self._at_once(x.shape[0])
        is_short = min(x.shape[1], at_once) <= COMPILED_FRAMES
        step = self._short_step if self._short_step is not None and is_short else self._step
        return step_in_slices(step, x, state, at_once, one_at_a_time=policy().looks_ahead)

    def _at_once(self, _rows: int) -> int:
        """Frames of each of so many rows."""
        return self.frames_at_once

    def _step(self, frames: mx.array, state: State) -> tuple[mx.array, State]:
        x, state = step_through(self.stages(), self._read(frames), state)
        return self._bounded(x[..., 0]), state
