"""Pieces of a text in, one long speech out: in order, in one voice, with pauses; a store's are not made again."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from mlx_tts.generation.seeds import redone_seed
from mlx_tts.narration.piece_store import PieceStore
from mlx_tts.narration.timeline import ORDINARY, Pauses, Timeline
from mlx_tts.speech import AudioChunk, CheckedRequest, GuardReport, Mark, ModelInfo, NumberedRequests, Samples
from mlx_tts.text.cutting.pieces import Piece

IDLE_SECONDS = 0.01  # how often a source that has nothing just now is asked again
Part = tuple[Piece, AudioChunk, bool]  # with whether it is the piece's last
END = "end"  # behind the last request
AHEAD = 4  # pieces begun per row before the oldest of them is over: a slow one holds up the others, not the memory


@dataclass(frozen=True)
class NarrationOptions:
    """How it is wanted. live: sound leaves as it is made, one piece after the other and none from a store; else `rows`
    pieces are made side by side. every_sentence: each is a piece of its own. speed: times as fast, pauses as well."""

    rows: int = 1
    live: bool = False
    low_latency: bool = False
    pauses: Pauses = ORDINARY
    every_sentence: bool = False
    speed: float = 1.0

    def __post_init__(self) -> None:
        if self.speed != 1.0:
            from mlx_tts.audio.effects.speed import check_speed

            check_speed(self.speed)


@dataclass(frozen=True)
class Spoken:
    """Some speech of a piece, the pause before it included. report: with the last of a piece; None if it was stored.
    marks: of the piece, with its last part, in seconds of the whole speech. made_samples: that the
    model made for it, before speed and pauses."""

    piece: Piece
    samples: Samples
    report: GuardReport | None = None
    marks: tuple[Mark, ...] = ()
    made_samples: int = 0


class Speaker(Protocol):
    """A loaded model as far as narration needs it: api.TextToSpeech is one."""

    @property
    def info(self) -> ModelInfo: ...
    def stream_many(
        self, requests: NumberedRequests, rows: int = 1, live: bool = False, low_latency: bool = False
    ) -> Iterator[tuple[int, AudioChunk]]: ...
    def submit(self, request: Any, *, live: bool = False, low_latency: bool = False) -> Any: ...


def narrate(
    model: Speaker,
    request: CheckedRequest,
    pieces: Iterator[Piece | None],
    options: NarrationOptions,
    store: PieceStore | None = None,
) -> Generator[Spoken, None, None]:
    """Speak the pieces as `request` says, whose own text does not count; None among them: no text just now.

    A piece's number goes into its seed, so the speech is the same for any `rows`, streamed or not, resumed or not.
    With a store, pieces that are in work when this is closed or interrupted are kept as the frames made so far. A
    model that carries state from piece to piece speaks them one after the other.
    """
    timeline = Timeline(options.pauses, model.info.sample_rate, options.speed, request.language)
    with closing(_in_order(model, request, pieces, options, store)) as parts:
        for piece, chunk, last in parts:
            samples, marks = timeline.place(piece, chunk, last)
            yield Spoken(piece, samples, chunk.report, marks, len(chunk.samples))


def piece_request(template: CheckedRequest, piece: Piece) -> CheckedRequest:
    """The request for one piece of a speech; its number is given to the model beside it."""
    return replace(
        template,
        text=piece.spoken,
        voice=piece.own_voice or piece.voice or template.voice,
        language=piece.language or template.language,
        growing=piece.growing,
    )


class _Order:
    """Which pieces are begun, finished and next: out of order in, in order out. states: what finished pieces left to
    the next, in models that carry state from piece to piece."""

    def __init__(self, pieces: Iterator[Piece | None], store: PieceStore | None, most_working: int):
        self.source, self.store, self.most_working = pieces, store, most_working
        self.begun: dict[int, Piece] = {}  # in their order; not yet given away
        self.working: set[int] = set()  # those of them that were not in the store
        self.finished: dict[int, list[AudioChunk]] = {}
        self.states: dict[int, Any] = {}

    def requests(self, template: CheckedRequest) -> NumberedRequests:
        """What there is to synthesise: pieces that the store holds only wait for their turn."""
        for piece in self.source:
            if piece is None:
                yield None
                continue
            while len(self.working) >= self.most_working:
                yield None
            request = self.begin(piece, template)
            if request is not None:
                yield piece.number, request

    def begin(self, piece: Piece, template: CheckedRequest) -> CheckedRequest | None:
        """The request for a piece whose turn to be made it is; None where the store has it."""
        self.begun[piece.number] = piece
        if self.store is not None and piece.number in self.store:
            return None
        self.working.add(piece.number)
        request = piece_request(template, piece)
        if self.store is None:
            return request
        request = replace(request, unfinished=self.store.unfinished(piece.number))
        if times := self.store.times_redone(piece.number):
            request = replace(request, seed=redone_seed(template.seed or 0, times))
        return request

    def stored_state(self, piece: Piece) -> Mapping[str, Any] | None:
        """What the store's piece left to the next. Without it the piece is of no use, and is made again."""
        if self.store is None or piece.number not in self.store:
            return None
        state = self.store.state(piece.number)
        if state is None:
            self.store.forget(piece.number)
        return state

    def leave(self, number: int) -> None:
        del self.begun[number]
        self.working.discard(number)

    def leaving(self) -> Iterator[Part]:
        """The finished pieces whose turn it is."""
        while self.begun:
            number, piece = next(iter(self.begun.items()))
            chunks = self.finished.pop(number, [])
            if self.store is not None and number in self.store:
                report = chunks[-1].report if chunks else None
                marks = self.store.marks(number)
                chunks = [AudioChunk(self.store.read(number), self.store.sample_rate, report, marks)]
            elif not chunks:
                return
            self.leave(number)
            for chunk in chunks:
                yield piece, chunk, chunk is chunks[-1]


def _in_order(
    model: Speaker,
    request: CheckedRequest,
    pieces: Iterator[Piece | None],
    options: NarrationOptions,
    store: PieceStore | None,
) -> Generator[Part, None, None]:
    order = _Order(pieces, store, most_working=max(1, options.rows * AHEAD))
    parts: dict[int, list[AudioChunk]] = {}
    if model.info.can.continues and request.continues:
        stream = _one_after_the_other(model, order, request, options)
    else:
        stream = model.stream_many(order.requests(request), options.rows, options.live, options.low_latency)
    try:
        for number, chunk in stream:
            if options.live:
                yield order.begun[number], chunk, chunk.report is not None
                if chunk.report is not None:
                    order.leave(number)
                continue
            parts.setdefault(number, []).append(chunk)
            if chunk.report is None:
                continue
            order.finished[number] = parts.pop(number)
            if store is not None:
                samples = np.concatenate([part.samples for part in order.finished[number]])
                store.write(number, samples, chunk.marks, order.states.pop(number, None))
            yield from order.leaving()
    except (KeyboardInterrupt, Exception):
        # On interruption, flush the audio already decoded of the piece whose turn it is before re-raising.
        for number, piece in list(order.begun.items())[:1]:
            for chunk in parts.get(number, []):
                yield piece, chunk, False
        raise
    finally:
        _close(stream)
    yield from order.leaving()


def _close(stream: Iterator[tuple[int, AudioChunk]]) -> None:
    """What is in work is kept before anything is said of it."""
    if isinstance(stream, Generator):
        stream.close()


def _one_after_the_other(
    model: Speaker, order: _Order, template: CheckedRequest, options: NarrationOptions
) -> Iterator[tuple[int, AudioChunk]]:
    """As `stream_many` with one row; each piece begins with what the one before it left behind, made now or stored.

    A piece is told whether another follows; where that has not arrived yet, one is expected.
    """
    after, piece = None, next(order.source, END)
    while piece != END:
        following = next(order.source, END)
        if isinstance(piece, Piece):
            stored = order.stored_state(piece)
            request = order.begin(piece, template)
            if request is None:
                after = stored or None
            else:
                request = replace(request, after=after, more=following != END)
                with model.submit(request, live=options.live, low_latency=options.low_latency) as stream:
                    for chunk in stream:
                        if chunk.report is not None:
                            after = stream.continuation
                            order.states[piece.number] = {} if after is None else after
                        yield piece.number, chunk
        else:
            time.sleep(IDLE_SECONDS)
        piece = following
