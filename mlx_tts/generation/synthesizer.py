"""What a family gives to the engine: a Synthesizer turns a checked request into frames, and frames into sound.

All of it is called on the MLX thread, by the engine alone. A frame is one row of an array: codes [K] int32, or latents
[...] float32. Nothing of a stream lives on the Synthesizer: rows and decoder states are values that the engine holds.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from mlx_tts.errors import MlxTtsError
from mlx_tts.samples import Samples
from mlx_tts.speech import CheckedRequest, Mark, ModelInfo

ANY_FRAMES = 1 << 30  # a piece is decoded whole, however long it is

Frame = NDArray[np.int32] | NDArray[np.float32]


class Row(Protocol):
    """One utterance on its way: its caches and what it is about to generate. Made by `begin`, owned by the engine.

    ready: whether the next step may include it; a row whose text still arrives may have to wait for a word.
    """

    @property
    def ready(self) -> bool: ...


class Step(Protocol):
    """One frame of each row, on its way to the device. read: wait for it; None for a frame: the row has ended; an
    error: it has failed alone."""

    def read(self) -> Sequence[Frame | MlxTtsError | None]: ...


class Sound(Protocol):
    """Pieces on their way to sound. read: wait for it; (samples, state after) of each."""

    def read(self) -> list[tuple[Samples, Any]]: ...


@dataclass(frozen=True)
class Decoded:
    """A `Sound` that was there at once."""

    made: list[tuple[Samples, Any]]

    def read(self) -> list[tuple[Samples, Any]]:
        return self.made


class Batch(Protocol):
    """Rows that generate side by side, and the state that they share while they do."""

    def step(self, rows: Sequence[Row]) -> Step:
        """Generate one frame of each row. The rows of two calls may differ: rows join and leave between frames."""
        ...


class Synthesizer(Protocol):
    """A loaded model. row_bytes: memory that one row takes, its caches and its share of the codec's work.
    decoded_at_once: pieces that are best decoded in one call; 1 where each row's bits would depend on its neighbours.
    decoded_frames: how much of a piece is best decoded in one call; `ANY_FRAMES` where that is all of it.
    kernel_form: the name of the form in which it computes, where a device has several; "plain" elsewhere.
    """

    info: ModelInfo

    @property
    def row_bytes(self) -> int: ...
    @property
    def decoded_at_once(self) -> int: ...
    @property
    def decoded_frames(self) -> int: ...
    @property
    def kernel_form(self) -> str: ...

    def use_kernel_form(self, name: str) -> None:
        """Compute in this form from now on, where the device has it. No batch may be open."""
        ...

    def prepare(self, request: CheckedRequest) -> Any:
        """The request as the model reads it; whatever can be wrong with it is raised here. Reused for every take."""
        ...

    def most_frames(self, request: CheckedRequest) -> int:
        """Where the model gives up by itself if nothing else sets a limit."""
        ...

    def begin(self, prepared: Any, take: int) -> Generator[int, None, Row]:
        """Read the prompt, a block at a time: yields the positions read, returns the row. `take` addresses the random
        draws, together with the request's seed and the number of the frame: never the neighbours or the batch."""
        ...

    def open_batch(self) -> Batch:
        """An empty batch; it belongs to the caller and dies with it."""
        ...

    def decoder_state(self, prepared: Any) -> Any:
        """The decoder's state before the first frame of an utterance."""
        ...

    def decode(self, pieces: Sequence[tuple[NDArray[Any], Any]]) -> Sound:
        """Put (frames [T, ...], state before) of utterances whose pieces have one length on their way to sound."""
        ...

    def count_tokens(self, text: str) -> int:
        """How many tokens the model reads for a text, about; servers report it."""
        ...

    def continuation(self, row: Row) -> Any:
        """What the next piece of the same speech takes as `after`: numpy arrays by name, so that a run can be resumed
        behind any piece; None in families that carry nothing."""
        ...

    def marks(self, row: Row, frames: NDArray[Any]) -> tuple[Mark, ...]:
        """When the words are spoken in the kept frames [T, ...] of a row; empty in families that do not know."""
        ...


@runtime_checkable
class Repeats(Protocol):
    """A Synthesizer that can give the frames of an earlier run again for less work than making them took. Others leave
    this out: what was stopped in its midst is made again from the start."""

    def repeat(self, prepared: Any, frames: NDArray[Any]) -> Generator[int, None, Row]:
        """`begin` for the first take. The row's first steps give these frames [T, ...], and leave it with the bits that
        making them left. Frames that are none of this model's are left out: the row makes its own."""
        ...
