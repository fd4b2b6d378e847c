"""Pieces of a text in, one long speech out: in order, in one voice, with pauses; a store's are not made again."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from mlx_tts.narration.piece_store import PieceStore
from mlx_tts.speech import AudioChunk, CheckedRequest, GuardReport, ModelInfo, NumberedRequests, Samples
from mlx_tts.text.cutting.pieces import CHAPTER, PARAGRAPH, SENTENCE, Piece

SILENT = 10 ** (-45 / 20)  # below it a sample belongs to a pause
IDLE_SECONDS = 0.01  # how often a source that has nothing just now is asked again
END = "end"  # behind the last request
AHEAD = 4  # pieces begun per row before the oldest of them is over: a slow one holds up the others, not the memory


@dataclass(frozen=True)
class Pauses:
    """Seconds of quiet between the speech of two pieces; what the voice itself leaves quiet at its end counts."""

    sentence: float = 0.25
    paragraph: float = 0.7
    chapter: float = 1.5

    def after(self, gap: str) -> float:
        return {SENTENCE: self.sentence, PARAGRAPH: self.paragraph, CHAPTER: self.chapter}.get(gap, 0.0)


@dataclass(frozen=True)
class NarrationOptions:
    """How it is wanted. live: sound leaves as it is made, one piece after the other and none from a store; else `rows`
    pieces are made side by side. every_sentence: each is a piece of its own."""

    rows: int = 1
    live: bool = False
    low_latency: bool = False
    pauses: Pauses = Pauses()
    every_sentence: bool = False


@dataclass(frozen=True)
class Spoken:
    """Some speech of a piece, the pause before it included. report: with the last of a piece; None if it was stored."""

    piece: Piece
    samples: Samples
    report: GuardReport | None = None


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
) -> Iterator[Spoken]:
    """Speak the pieces as `request` says, whose own text does not count; None among them: no text just now.

    A piece's number goes into its seed, so the speech is the same for any `rows`, streamed or not, resumed or not. A
    model that carries state from piece to piece speaks them one after the other.
    """
    pauses = PauseMaker(options.pauses, model.info.sample_rate)
    for piece, chunk in _in_order(model, request, pieces, options, store):
        yield Spoken(piece, pauses.before(piece, chunk.samples), chunk.report)


def piece_request(template: CheckedRequest, piece: Piece) -> CheckedRequest:
    """The request for one piece of a speech; its number is given to the model beside it."""
    return replace(
        template,
        text=piece.spoken,
        voice=piece.voice or template.voice,
        language=piece.language or template.language,
        growing=piece.growing,
    )


class _Order:
    """Which pieces are begun, finished and next: out of order in, in order out."""

    def __init__(self, pieces: Iterator[Piece | None], store: PieceStore | None, most_working: int):
        self.source, self.store, self.most_working = pieces, store, most_working
        self.begun: dict[int, Piece] = {}  # in their order; not yet given away
        self.working: set[int] = set()  # those of them that were not in the store
        self.finished: dict[int, list[AudioChunk]] = {}

    def requests(self, template: CheckedRequest) -> NumberedRequests:
        """What there is to synthesise: pieces that the store holds only wait for their turn."""
        for piece in self.source:
            if piece is None:
                yield None
                continue
            while len(self.working) >= self.most_working:
                yield None
            self.begun[piece.number] = piece
            if self.store is None or piece.number not in self.store:
                self.working.add(piece.number)
                yield piece.number, piece_request(template, piece)

    def leave(self, number: int) -> None:
        del self.begun[number]
        self.working.discard(number)

    def leaving(self) -> Iterator[tuple[Piece, AudioChunk]]:
        """The finished pieces whose turn it is."""
        while self.begun:
            number, piece = next(iter(self.begun.items()))
            chunks = self.finished.pop(number, [])
            if self.store is not None and number in self.store:
                report = chunks[-1].report if chunks else None
                chunks = [AudioChunk(self.store.read(number), self.store.sample_rate, report)]
            elif not chunks:
                return
            self.leave(number)
            for chunk in chunks:
                yield piece, chunk


def _in_order(
    model: Speaker,
    request: CheckedRequest,
    pieces: Iterator[Piece | None],
    options: NarrationOptions,
    store: PieceStore | None,
) -> Iterator[tuple[Piece, AudioChunk]]:
    order = _Order(pieces, store, most_working=max(1, options.rows * AHEAD))
    parts: dict[int, list[AudioChunk]] = {}
    if model.info.can.continues:
        stream = _one_after_the_other(model, order.requests(request), options)
    else:
        stream = model.stream_many(order.requests(request), options.rows, options.live, options.low_latency)
    try:
        for number, chunk in stream:
            if options.live:
                yield order.begun[number], chunk
                if chunk.report is not None:
                    order.leave(number)
                continue
            parts.setdefault(number, []).append(chunk)
            if chunk.report is None:
                continue
            order.finished[number] = parts.pop(number)
            if store is not None:
                store.write(number, np.concatenate([part.samples for part in order.finished[number]]))
            yield from order.leaving()
    except (KeyboardInterrupt, Exception):
        # On interruption, flush the audio already decoded of the piece whose turn it is before re-raising.
        for number, piece in list(order.begun.items())[:1]:
            for chunk in parts.get(number, []):
                yield piece, chunk
        raise
    yield from order.leaving()


def _one_after_the_other(
    model: Speaker, requests: NumberedRequests, options: NarrationOptions
) -> Iterator[tuple[int, AudioChunk]]:
    """As `stream_many` with one row; each piece begins with what the one before it left behind.

    A piece is told whether another follows; where that has not arrived yet, one is expected.
    """
    after, asked = None, next(requests, END)
    while asked != END:
        following = next(requests, END)
        if asked is None or isinstance(asked, str):
            time.sleep(IDLE_SECONDS)
        else:
            number, request = asked
            request = replace(request, after=after, more=following != END)
            with model.submit(request, live=options.live, low_latency=options.low_latency) as stream:
                for chunk in stream:
                    yield number, chunk
            after = stream.continuation
        asked = following


class PauseMaker:
    """Puts quiet before a piece's first sound: what the last piece's quiet end lacks of the pause."""

    def __init__(self, pauses: Pauses, sample_rate: int):
        self._pauses, self._rate = pauses, sample_rate
        self._piece = -1
        self._quiet = 0  # samples since the last that was heard

    def before(self, piece: Piece, samples: Samples) -> Samples:
        """The samples, behind a pause where a new piece begins with them."""
        begins = piece.number != self._piece and len(samples) > 0
        pause = piece.pause_before_seconds
        pause = self._pauses.after(piece.gap) if pause is None else pause
        lacking = round(pause * self._rate) - self._quiet
        if begins:
            self._piece = piece.number
        heard = np.flatnonzero(np.abs(samples) > SILENT)
        self._quiet = len(samples) - 1 - int(heard[-1]) if len(heard) else self._quiet + len(samples)
        if begins and lacking > 0:
            return np.concatenate([np.zeros(lacking, np.float32), samples])
        return samples
