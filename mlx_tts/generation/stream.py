"""What a caller holds of a request in the engine: an iterator of chunks that any thread may read, cancel and close."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import numpy as np

from mlx_tts.speech import AudioChunk, CheckedRequest


@dataclass(frozen=True)
class Delivery:
    """How a request's sound leaves. live: as it is made; else the utterance leaves when it is whole and good.
    silent: the frames alone are wanted, so unwatched takes are not decoded. plays_until: of `time.monotonic`, when the
    listener will have heard what was spoken before. client: whose request it is, where several share the model."""

    live: bool = False
    low_latency: bool = False
    silent: bool = False
    plays_until: float = 0.0
    client: str = ""


class ChunkIterator(Iterator[AudioChunk]):
    """The same for `for`, `next` and `async for`, which does not hold up an event loop."""

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> AudioChunk:
        import asyncio

        chunk = await asyncio.to_thread(next, self, None)
        if chunk is None:
            raise StopAsyncIteration
        return chunk


class Chunks(ChunkIterator):
    """Chunks of a speech as they are made. Closing it, or letting go of it, ends the generation within a frame."""

    def __init__(self, source: Generator[AudioChunk, None, None]):
        self._source = source

    def __next__(self) -> AudioChunk:
        return next(self._source)

    def close(self) -> None:
        self._source.close()


class SpeechStream(ChunkIterator):
    """Chunks of one request, in order; the last has the guard's report. Made by `Engine.submit`.

    Streams may share a `condition`, so that one thread waits for whichever has something first.
    codes: all frames [T, ...] that were kept, once the stream has ended. continuation: what the next piece takes.
    plays_until: of `time.monotonic`, when somebody who plays all that was given as it comes has heard it.
    arrivals: of `time.monotonic`, when each chunk came.
    frames: that were made of the take in work, decoded_frames of them are sound already. vain_frames: of takes that
    were thrown away.
    """

    def __init__(
        self, request: CheckedRequest, woken: Callable[[], None], condition: threading.Condition | None = None
    ):
        self.request = request
        self.condition = condition or threading.Condition()
        self.codes: np.ndarray | None = None
        self.continuation: Any = None
        self.cancelled = False
        self.flushing = False
        self._woken = woken
        self._chunks: deque[AudioChunk] = deque()
        self._unread_samples = 0
        self.plays_until = 0.0
        self.arrivals: list[float] = []
        self.frames = 0
        self.decoded_frames = 0
        self.vain_frames = 0
        self._error: BaseException | None = None
        self._ended = False

    # The caller's side.

    def __next__(self) -> AudioChunk:
        with self.condition:
            while not self.has_something:
                self.condition.wait()
            chunk = self.take()
        if chunk is None:
            raise StopIteration
        return chunk

    @property
    def has_something(self) -> bool:
        """Whether `take` returns at once with a chunk, the end or an error. Hold the condition."""
        return bool(self._chunks) or self._ended

    def take(self) -> AudioChunk | None:
        """The next chunk, or None at the end; raises what ended the request. Hold the condition."""
        if self._chunks:
            chunk = self._chunks.popleft()
            self._unread_samples -= len(chunk.samples)
            self._woken()  # a row that waited for its reader goes on
            return chunk
        if self._error is not None:
            raise self._error
        return None

    def cancel(self, flush: bool = False) -> None:
        """Have the request end within a frame; returns at once. flush: what is decoded already is still given."""
        self.cancelled, self.flushing = True, flush
        if not self._ended:
            self._woken()

    def close(self) -> None:
        """Cancel, and give nothing more."""
        self.cancel()
        with self.condition:
            self._chunks.clear()

    def __enter__(self) -> SpeechStream:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    # The engine's side.

    @property
    def unread_seconds(self) -> float:
        try:
            chunk = self._chunks[0]  # in one step: the reader may take it meanwhile
        except IndexError:
            return 0.0
        return self._unread_samples / chunk.sample_rate

    @property
    def ahead_seconds(self) -> float:
        """How much sound somebody who plays it as it comes still has."""
        return max(0.0, self.plays_until - time.monotonic())

    @property
    def ended(self) -> bool:
        return self._ended

    def put(self, chunk: AudioChunk) -> None:
        with self.condition:
            self._chunks.append(chunk)
            self._unread_samples += len(chunk.samples)
            self.arrivals.append(time.monotonic())
            self.plays_until = max(self.plays_until, self.arrivals[-1]) + chunk.seconds
            self.condition.notify_all()

    def end(self, error: BaseException | None = None) -> None:
        """Nothing more comes; `error` is raised behind the chunks that are there."""
        with self.condition:
            if not self._ended:
                self._ended, self._error = True, error
            self.condition.notify_all()
