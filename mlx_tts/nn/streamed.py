"""What decoders of codecs share: layers behind each other that are stepped in slices, and a decoder that streams."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import mlx.core as mx
import mlx.nn as nn

from mlx_tts.nn.conv import State, prefers_products
from mlx_tts.nn.streaming import step_in_slices, step_through
from mlx_tts.runtime.device import policy

# Numbers that a block of layers puts out at once. On the CPU arrays that stay in its cache make the block 4 to 10 %
# faster; a GPU wants few and large kernels, and only its memory sets a limit.
CPU_NUMBERS, GPU_NUMBERS = 200_000, 1 << 30  # a row's number must fit in 32 bits
# A GPU's time for a short piece is that of its launches, and a compiled step has half of them. A graph is kept for each
# length: those of a stream's pieces, not of everything that is decoded at once.
COMPILED_FRAMES = 16


class SlicedLayers(nn.Module):
    """A base of layers behind each other, [B, T, in] -> [B, T * rate, out], that take so many rows at once as keep what
    they put out small. A subclass says which they are."""

    def __init__(self, numbers_a_row: int):
        """numbers_a_row: what the widest of them puts out for a row that comes in."""
        super().__init__()
        self.rows_at_once = max(1, (CPU_NUMBERS if prefers_products() else GPU_NUMBERS) // numbers_a_row)

    def _stages(self) -> Sequence[Any]:
        raise NotImplementedError

    def make_state(self, batch: int) -> State:
        return tuple(stage.make_state(batch) for stage in self._stages())

    def step(self, x: mx.array, state: State) -> tuple[mx.array, State]:
        return step_in_slices(partial(step_through, self._stages()), x, state, self.rows_at_once)


class StreamedDecoder(nn.Module):
    """A base of decoders: frames [B, T, K] -> samples [B, N], whole or streamed. A subclass says what its layers are,
    what the first of them is given, and what the last one's numbers become.

    Every layer sees the past only, so a stream carries one small state a layer and equals the whole.
    """

    def __init__(self, cpu_frames: int, gpu_frames: int):
        """Frames that are decoded at once on a CPU that is fastest with products of matrices, and elsewhere."""
        super().__init__()
        self.frames_at_once = cpu_frames if prefers_products() else gpu_frames
        self._short_step: Any = mx.compile(self._step) if policy().compiles else None

    def _stages(self) -> Sequence[Any]:
        raise NotImplementedError

    def _read(self, frames: mx.array) -> mx.array:
        return frames

    def _bounded(self, x: mx.array) -> mx.array:
        """Samples within [-1, 1]."""
        return mx.clip(x, -1, 1)

    def __call__(self, frames: mx.array) -> mx.array:
        return self.step(frames, self.make_state(frames.shape[0]))[0]

    def make_state(self, batch: int = 1) -> State:
        """State before the first frame: a tree of tuples of arrays, of the same shapes through the whole stream."""
        return tuple(stage.make_state(batch) for stage in self._stages())

    def step(self, frames: mx.array, state: State) -> tuple[mx.array, State]:
        """The next frames [B, T, K], the state before them -> their samples, the state after."""
        if frames.shape[1] == 0:
            return mx.zeros((frames.shape[0], 0)), state
        at_once = self._at_once(frames.shape[0])
        is_short = min(frames.shape[1], at_once) <= COMPILED_FRAMES
        step = self._short_step if self._short_step is not None and is_short else self._step
        return step_in_slices(step, frames, state, at_once, one_at_a_time=policy().looks_ahead)

    def _at_once(self, _rows: int) -> int:
        """Frames of each of so many rows."""
        return self.frames_at_once

    def _step(self, frames: mx.array, state: State) -> tuple[mx.array, State]:
        x, state = step_through(self._stages(), self._read(frames), state)
        return self._bounded(x[..., 0]), state
