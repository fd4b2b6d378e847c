"""What a family gives: a Synthesizer turns a checked request into frames, and frames into sound.

All of it is called on the MLX thread, if nothing else is said. The engine calls what stands in `Synthesizer`. The other
protocols are what a family may have besides: `api` and the guard ask with `isinstance` whether it has them, and `api`
says in one line what a family does not do. They stand here and not in speech.py because callers never meet them.

A frame is one row of an array: codes [K] int32, or latents [...] float32. Nothing of a stream lives on the Synthesizer:
rows and decoder states are values that the engine holds. `FrameSynthesizer` is a base for families that make speech
frame by frame, also of a text that still arrives: nobody waits for its words on the MLX thread.
"""

from __future__ import annotations

import threading
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from mlx_tts.errors import MlxTtsError
from mlx_tts.generation.requests import codes_of
from mlx_tts.runtime.device import policy
from mlx_tts.samples import Codes, Samples
from mlx_tts.speech import CheckedRequest, GrowingText, Mark, ModelInfo, Voice

ANY_FRAMES = 1 << 30  # a piece is decoded whole, however long it is

Frame = NDArray[np.int32] | NDArray[np.float32]


class Row(Protocol):
    """One utterance on its way: its caches and what it is about to generate. Made by `begin`, owned by the engine.

    ready: whether the next step may include it; a row whose text still arrives may have to wait for a word.
    """

    @property
    def ready(self) -> bool: ...


@dataclass(frozen=True)
class FrameBlock:
    """Frames [T, ...] of a row that came at once, from a model that makes a piece of speech in one go. last: the row
    ends with them."""

    frames: NDArray[Any]
    last: bool


class Step(Protocol):
    """One frame of each row, or a block of frames, on its way to the device. read: wait for it; None for a frame: the
    row has ended; an error: it has failed alone."""

    def read(self) -> Sequence[Frame | FrameBlock | MlxTtsError | None]: ...


class PendingSound(Protocol):
    """Pieces on their way to sound. read: wait for it; (samples, state after) of each."""

    def read(self) -> list[tuple[Samples, Any]]: ...


@dataclass(frozen=True)
class Decoded:
    """A `PendingSound` that was there at once."""

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
    """

    info: ModelInfo

    @property
    def row_bytes(self) -> int: ...
    @property
    def decoded_at_once(self) -> int: ...
    @property
    def decoded_frames(self) -> int: ...

    def prepare(self, request: CheckedRequest) -> Any:
        """The request as the model reads it; whatever can be wrong with it is raised here. Reused for every take."""
        ...

    def most_frames(self, request: CheckedRequest) -> int:
        """Where the model gives up by itself if nothing else sets a limit."""
        ...

    def begin(self, prepared: Any, take: int) -> Generator[int, None, Row]:
        """Read the prompt, a block at a time: yields the positions read, returns the row. `take` addresses the random
        numbers, together with the request's seed and the number of the frame: never the neighbours or the batch."""
        ...

    def open_batch(self) -> Batch:
        """An empty batch; it belongs to the caller and dies with it."""
        ...

    def decoder_state(self, prepared: Any) -> Any:
        """The decoder's state before the first frame of an utterance."""
        ...

    def decode(self, pieces: Sequence[tuple[NDArray[Any], Any]]) -> PendingSound:
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


@runtime_checkable
class HasCodes(Protocol):
    """A Synthesizer whose frames are codes, so that sound can be made of codes and codes of sound."""

    def decode_codes(self, codes: Codes, chunk_frames: int | None = None, left_context: int = 25) -> Samples:
        """Codes [frames, codebooks] -> samples [N]. chunk_frames: see `api.TextToSpeech.decode_codes`."""
        ...

    def encode_audio(self, samples: Samples, sample_rate: int) -> Codes:
        """Audio [N] at any rate -> codes [frames, codebooks]."""
        ...


@runtime_checkable
class ClonesVoices(Protocol):
    """A Synthesizer that makes voices of recordings."""

    def voice(self, samples: Samples, sample_rate: int, transcript: str | None = None) -> Voice:
        """A voice from audio [N] at any rate. RequestError where this checkpoint cannot clone."""
        ...


@runtime_checkable
class HasSpeakerVectors(Protocol):
    """A Synthesizer that knows a speaker by a vector, and may keep those of the last recordings."""

    def speaker_embedding(self, samples: Samples, sample_rate: int) -> NDArray[np.float32]:
        """Audio [N] at any rate -> the speaker vector [D]. RequestError where this checkpoint has none."""
        ...

    def clear_references(self) -> None:
        """Forget the recordings of which something is kept."""
        ...


@runtime_checkable
class ShowsPrompts(Protocol):
    """A Synthesizer that shows what the model would read for a request."""

    def prompt(self, request: CheckedRequest) -> Any:
        """What the model would read, in a type of the family: for looking at, and for tests."""
        ...


@runtime_checkable
class Autotunes(Protocol):
    """A Synthesizer that computes in one of several forms on a GPU. kernel_form: the name of the one in use; "plain"
    where there is no choice. Speech sampled in two forms may differ."""

    @property
    def kernel_form(self) -> str: ...

    def use_kernel_form(self, name: str) -> None:
        """Compute in this form from now on, where the device has it. No batch may be open."""
        ...

    def examine_kernels(self) -> dict[str, Any] | None:
        """Check and time the kernels on this machine; None where there is nothing to check."""
        ...

    def wait_for_kernels(self, seconds: float) -> bool:
        """Wait for a check of the kernels that has begun; whether the next load would use what it found. Called on any
        thread."""
        ...


def has_arrived(growing: GrowingText) -> bool:
    """Take in what is there without waiting; whether the text is complete."""
    advance = getattr(growing, "advance", None)
    while advance is not None and not growing.complete and advance():
        pass
    return growing.complete


def keep_waiting(growing: GrowingText) -> None:
    """Have a thread wait for a text that can only be waited for, so that nobody else does."""
    if hasattr(growing, "advance"):
        return

    def wait() -> None:
        while not growing.complete:
            growing.wait()

    threading.Thread(target=wait, name="mlx-tts growing text", daemon=True).start()


@dataclass
class PreparedRequest:
    """A request that was read. utterance: None until all of a text that must be waited for is there."""

    request: CheckedRequest
    utterance: Any = None


class FrameSynthesizer:
    """What Synthesizers share that make speech frame by frame. A subclass has the loop that makes its frames, and says
    what of a request the loop reads. Without more it lays out a text in one go: one that still arrives is waited for.

    gpu_pieces: pieces of equal length that a GPU decodes in one step.
    """

    gpu_pieces = 32
    decoded_frames = ANY_FRAMES
    _loop: Any

    def _utterance(self, request: CheckedRequest) -> Any:
        raise NotImplementedError

    @property
    def decoded_at_once(self) -> int:
        # On the CPU each row's bits would depend on the size of the products it shares.
        return self.gpu_pieces if policy().shares_pieces else 1

    def open_batch(self) -> Any:
        return self._loop.open_batch()

    def prepare(self, request: CheckedRequest) -> PreparedRequest:
        if request.growing is None:
            return PreparedRequest(request, self._utterance(request))
        keep_waiting(request.growing)
        return PreparedRequest(request)

    def begin(self, prepared: PreparedRequest, take: int) -> Generator[int, None, Any]:
        if prepared.utterance is not None:  # it waits for its reading from now on, together with other newcomers
            return self._loop.begin(prepared.utterance, take)  # type: ignore[no-any-return]
        return self._begin_when_it_may(prepared, take)

    def _begin_when_it_may(self, prepared: PreparedRequest, take: int) -> Generator[int, None, Any]:
        while not self._may_begin(prepared.request):
            yield 0
        prepared.utterance = self._growing_utterance(prepared.request)
        return (yield from self._loop.begin(prepared.utterance, take))

    def _may_begin(self, request: CheckedRequest) -> bool:
        assert request.growing is not None
        return has_arrived(request.growing)

    def _growing_utterance(self, request: CheckedRequest) -> Any:
        assert request.growing is not None
        return self._utterance(replace(request, text=request.growing.text))


class CodeSynthesizer(FrameSynthesizer):
    """A FrameSynthesizer whose frames are codes. A subclass has the codec's decoder, and says how many codes a frame
    has and how many values each can have."""

    _decoder: Any

    @property
    def _code_sizes(self) -> tuple[int, int]:
        raise NotImplementedError

    def decode_codes(self, codes: Codes, chunk_frames: int | None = None, left_context: int = 25) -> Samples:
        """Codes [T, codebooks] -> samples [N]. chunk_frames None is exact; a number decodes chunks on their own, each
        after re-reading `left_context` frames before it."""
        batch = mx.array(codes_of(codes, *self._code_sizes)[None])
        if chunk_frames is None:
            samples = self._decoder(batch)
        else:
            samples = self._decoder.decode_chunked(batch, chunk_frames, left_context)
        return np.array(samples[0], dtype=np.float32)
