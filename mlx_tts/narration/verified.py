"""A model and a recogniser -> a model whose pieces were listened to, and spoken again where their words differ."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from mlx_tts.generation.seeds import verified_seed
from mlx_tts.speech import AudioChunk, CheckedRequest, ModelInfo, NumberedRequests, Samples, SpeechRequest
from mlx_tts.text.heard_words import count, differences

END = "end"


class Listener(Protocol):
    def __call__(self, samples: Samples, sample_rate: int, text: str, language: str) -> str:
        """The words that are heard."""
        ...


class Speaker(Protocol):
    """As narration needs it, and what the command asks of a loaded model besides."""

    @property
    def info(self) -> ModelInfo: ...
    @property
    def frames_made(self) -> int: ...
    def stream_many(
        self, requests: NumberedRequests, rows: int = 1, live: bool = False, low_latency: bool = False
    ) -> Iterator[tuple[int, AudioChunk]]: ...
    def submit(self, request: Any, *, live: bool = False, low_latency: bool = False) -> Any: ...


@dataclass(frozen=True)
class Finding:
    """What was heard of a take. places: where words differ. again: it is spoken once more; else it, or an earlier take
    that is better, is kept."""

    text: str
    places: list[tuple[str, str]]
    take: int
    again: bool


@dataclass
class _Piece:
    """A piece in work: its request, and the best take so far."""

    request: SpeechRequest
    take: int = 1
    best: Any = None
    wrong: int = 0
    chunks: list[AudioChunk] = field(default_factory=list)


class Verified:
    """Speaks as the model does, whole pieces only. Each is listened to; where words differ it is spoken again, up to
    `retries` times, and the take with the fewest wrong words is given. found: told of each take that was not right."""

    def __init__(self, model: Speaker, listen: Listener, retries: int, found: Callable[[Finding], None]) -> None:
        self._model, self._listen, self._retries, self._found = model, listen, retries, found

    @property
    def info(self) -> ModelInfo:
        return self._model.info

    @property
    def frames_made(self) -> int:
        return self._model.frames_made

    def stream_many(
        self,
        requests: NumberedRequests,
        rows: int = 1,
        live: bool = False,  # noqa: ARG002 (a piece is given when it was heard as a whole)
        low_latency: bool = False,
    ) -> Iterator[tuple[int, AudioChunk]]:
        working: dict[int, _Piece] = {}
        again: deque[int] = deque()
        taken = self._model.stream_many(self._asked(requests, working, again), rows, False, low_latency)
        for number, chunk in taken:
            piece = working[number]
            piece.chunks.append(chunk)
            if chunk.report is None:
                continue
            chunks, piece.chunks = piece.chunks, []
            if self._is_over(piece, chunks, chunks):
                del working[number]
                yield from ((number, chunk) for chunk in piece.best)
            else:
                again.append(number)

    def _asked(self, requests: NumberedRequests, working: dict[int, _Piece], again: deque[int]) -> NumberedRequests:
        """The requests, and those that are spoken again, which go first."""
        source = iter(requests)
        more = True
        while more or working:
            if again:
                number = again.popleft()
                yield number, _another_take(working[number])
                continue
            asked = next(source, END) if more else None
            if asked == END:
                more = False
            elif asked is None or isinstance(asked, str):
                yield None
            else:
                number, request = asked
                working[number] = _Piece(request)
                yield asked

    def submit(self, request: CheckedRequest, *, live: bool = False, low_latency: bool = False) -> _Kept:  # noqa: ARG002
        """For a model that carries state from piece to piece: the state is that of the take that is kept."""
        piece = _Piece(request)
        while True:
            asked = request if piece.take == 1 else _another_take(piece)
            with self._model.submit(asked, live=False, low_latency=low_latency) as stream:
                chunks = list(stream)
            if self._is_over(piece, chunks, _Kept(chunks, stream.continuation)):
                return piece.best  # type: ignore[no-any-return]

    def _is_over(self, piece: _Piece, chunks: list[AudioChunk], take: Any) -> bool:
        """Listen to a take; whether the piece needs no other."""
        samples = np.concatenate([chunk.samples for chunk in chunks])
        request = piece.request
        heard = self._listen(samples, self.info.sample_rate, request.text, request.language)
        places = differences(request.text, heard, request.language)
        wrong = count(places)
        if piece.best is None or wrong < piece.wrong:
            piece.best, piece.wrong = take, wrong
        again = bool(wrong) and piece.take <= self._retries
        if wrong:
            self._found(Finding(request.text, places, piece.take, again))
        piece.take += again
        return not again


class _Kept:
    """The take that was kept, as the stream of a submitted request."""

    def __init__(self, chunks: list[AudioChunk], continuation: Any) -> None:
        self._chunks, self.continuation = iter(chunks), continuation

    def __enter__(self) -> _Kept:
        return self

    def __exit__(self, *_: object) -> None: ...

    def __iter__(self) -> Iterator[AudioChunk]:
        return self._chunks


def _another_take(piece: _Piece) -> SpeechRequest:
    return replace(piece.request, seed=verified_seed(piece.request.seed or 0, piece.take))
