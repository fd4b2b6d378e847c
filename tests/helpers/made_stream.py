"""A stream as `submit` returns it, whose chunks are made when they are read: for stand-ins of a loaded model."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from typing import Any

from mlx_tts.speech import AudioChunk


class MadeStream:
    """chunks: may wait or raise where a model would."""

    has_something = True
    frames = decoded_frames = vain_frames = 0
    arrivals: tuple[float, ...] = ()

    def __init__(self, request: Any, chunks: Iterable[AudioChunk], continuation: Any = None) -> None:
        self.request, self.continuation = request, continuation
        self.condition = threading.Condition()
        self.ended = False
        self._chunks = iter(chunks)

    def __iter__(self) -> Iterator[AudioChunk]:
        return self

    def __next__(self) -> AudioChunk:
        try:
            return next(self._chunks)
        except BaseException:
            self.ended = True
            raise

    def __enter__(self) -> MadeStream:
        return self

    def __exit__(self, *_: object) -> None: ...

    def cancel(self, flush: bool = False) -> None:
        self.ended, self._chunks = True, iter(())

    def close(self) -> None:
        self.cancel()
