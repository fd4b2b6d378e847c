"""Pieces of a text in, one long speech out: in order, in one voice, with pauses; a store's are not made again."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

import numpy as np

from mlx_tts.generation.seeds import redone_seed
from mlx_tts.generation.side_by_side import SideBySide
from mlx_tts.generation.stream import SpeechStream
from mlx_tts.narration.piece_store import PieceStore
from mlx_tts.narration.timeline import ORDINARY, Pauses, Timeline
from mlx_tts.speech import AudioChunk, CheckedRequest, GuardReport, Mark, ModelInfo, Samples
from mlx_tts.text.cutting.pieces import Piece

Begun = Callable[[Piece, SpeechStream], None]
PieceChunk = tuple[Piece, AudioChunk, bool]  # with whether it is the piece's last
AHEAD = 4  # pieces begun per row before the oldest of them is over: a slow one holds up the others, not the memory


@dataclass(frozen=True)
class NarrationOptions:
    """How it is wanted. live: sound leaves as it is made, one piece after the other and none from a store; else `rows`
    pieces are made side by side. every_sentence: each is a piece of its own. speed: times as fast, pauses as well.
    most_seconds: of the whole speech; None where there is no limit."""

    rows: int = 1
    live: bool = False
    low_latency: bool = False
    pauses: Pauses = ORDINARY
    every_sentence: bool = False
    speed: float = 1.0
    most_seconds: float | None = None

    def timeline(self, sample_rate: int, language: str) -> Timeline:
        """For one speech."""
        return Timeline(self.pauses, sample_rate, self.speed, language, self.most_seconds)

    def __post_init__(self) -> None:
        if self.speed != 1.0:
            from mlx_tts.audio.effects.speed import check_speed

            check_speed(self.speed)


@dataclass(frozen=True)
class Spoken:
    """Some speech of a piece, the pause before it included. report: with the last of a piece; None if it was stored.
    marks: of the piece, with its last part, in seconds of the whole speech."""

    piece: Piece
    samples: Samples
    report: GuardReport | None = None
    marks: tuple[Mark, ...] = ()


class SpeakingModel(Protocol):
    """A loaded model as far as narration and the commands need it: api.TextToSpeech is one, `Verified` another."""

    @property
    def info(self) -> ModelInfo: ...
    @property
    def frames_made(self) -> int: ...
    def submit(
        self,
        request: Any,
        *,
        live: bool = False,
        low_latency: bool = False,
        condition: threading.Condition | None = None,
        number: int = 0,
    ) -> Any: ...
    def serve_rows(self, rows: int | None) -> int: ...


def narrate(
    model: SpeakingModel,
    request: CheckedRequest,
    pieces: Iterator[Piece | None],
    options: NarrationOptions,
    store: PieceStore | None = None,
    begun: Begun | None = None,
) -> Generator[Spoken, None, None]:
    """Speak the pieces as `request` says, whose own text does not count; None among them: no text just now. begun: is
    told of each piece that is not in the store, and of its stream.

    A piece's number goes into its seed, so the speech is the same for any `rows`, streamed or not, resumed or not.
    With a store, pieces that are in work when this is closed or interrupted are kept as the frames made so far. A
    model that carries state from piece to piece speaks them one after the other.
    """
    timeline = options.timeline(model.info.sample_rate, request.language)
    with closing(_PiecesInOrder(model, request, pieces, options, store, begun).parts()) as parts:
        for piece, chunk, last in parts:
            samples, marks = timeline.place(piece, chunk, last)
            yield Spoken(piece, samples, chunk.report, marks)
            if timeline.is_full:
                break


class PieceStreams(SideBySide[Piece]):
    """The pieces of one text in the engine. submit: `TextToSpeech.submit` with the delivery that the caller wants; it
    is given `condition` and `number`, since a piece's number goes into its seed. Where this model carries state from
    piece to piece of such a request (`continues`), a piece begins when the one before is made, and is told whether
    another follows. begun: is told of each piece and its stream."""

    def __init__(
        self,
        submit: Callable[..., Any],
        template: CheckedRequest,
        pieces: Iterator[Piece | None],
        info: ModelInfo,
        condition: threading.Condition | None = None,
        begun: Begun | None = None,
    ):
        super().__init__(pieces, self._submit_piece, condition)
        self._tell_begun = begun
        self.continues, self.template = info.can.continues and template.continues, template
        self.after: Any = None  # what the piece before left behind
        self._submit_request = submit

    def begin_next(self) -> bool:
        return not (self.continues and not self.is_made) and super().begin_next()

    def request_of(self, piece: Piece) -> CheckedRequest | None:
        """The request for a piece whose turn it is; None where it need not be made."""
        return piece_request(self.template, piece)

    def _submit_piece(self, piece: Piece, condition: threading.Condition) -> SpeechStream | None:
        if self.last is not None:
            self.after = self.last.continuation
        request, number = self.request_of(piece), piece.number
        if request is not None and self.continues:
            request, number = replace(request, after=self.after, more=self.more_follow), 0
        if request is None:
            return None
        stream: SpeechStream = self._submit_request(request, condition=condition, number=number)
        if self._tell_begun is not None:
            self._tell_begun(piece, stream)
        return stream


def piece_request(template: CheckedRequest, piece: Piece) -> CheckedRequest:
    """The request for one piece of a speech, without its number and what the piece before left behind."""
    return replace(
        template,
        text=piece.spoken,
        voice=piece.own_voice or piece.voice or template.voice,
        language=piece.language or template.language,
        instruct=piece.instruct or template.instruct,
        growing=piece.growing,
    )


class _PiecesInOrder(PieceStreams):
    """Which pieces are begun, finished and next: out of order in, in order out. Pieces that the store holds only wait
    for their turn."""

    def __init__(
        self,
        model: SpeakingModel,
        template: CheckedRequest,
        pieces: Iterator[Piece | None],
        options: NarrationOptions,
        store: PieceStore | None,
        begun: Begun | None,
    ):
        submit = partial(model.submit, live=options.live, low_latency=options.low_latency)
        if options.rows > model.serve_rows(None):
            model.serve_rows(options.rows)
        super().__init__(submit, template, self._few_ahead(pieces), model.info, begun=begun)
        self._rows = 1 if self.continues else options.rows
        self._live, self._store = options.live, store
        self._begun: dict[int, Piece] = {}  # in their order; not yet given away
        self._working: set[int] = set()  # those of them that were not in the store
        self._chunks: dict[int, list[AudioChunk]] = {}

    def _few_ahead(self, pieces: Iterator[Piece | None]) -> Iterator[Piece | None]:
        for piece in pieces:
            while piece is not None and len(self._working) >= self._rows * AHEAD:
                yield None
            yield piece

    def request_of(self, piece: Piece) -> CheckedRequest | None:
        self._begun[piece.number] = piece
        if self._is_stored(piece):
            return None
        self._working.add(piece.number)
        request = piece_request(self.template, piece)
        if self._store is None:
            return request
        request = replace(request, unfinished=self._store.unfinished(piece.number))
        if times := self._store.times_redone(piece.number):
            request = replace(request, seed=redone_seed(self.template.seed or 0, times))
        return request

    def _is_stored(self, piece: Piece) -> bool:
        """In a model that carries state, a piece without what it left to the next is of no use, and is made again."""
        if self._store is None or piece.number not in self._store:
            return False
        if self.continues:
            state = self._store.state(piece.number)
            if state is None:
                self._store.forget(piece.number)
                return False
            self.after, self.last = state or None, None
        return True

    def parts(self) -> Generator[PieceChunk, None, None]:
        """All of the speech; on interruption, what there is of the piece whose turn it is before the error."""
        try:
            with closing(self.run(self._rows)) as spoken:
                for piece, stream, chunk in spoken:
                    if self._live:
                        yield piece, chunk, chunk.report is not None
                        if chunk.report is not None:
                            self._leave(piece.number)
                        continue
                    self._chunks.setdefault(piece.number, []).append(chunk)
                    if chunk.report is not None:
                        self._keep(piece.number, stream.continuation)
                        yield from self._leaving()
        except (KeyboardInterrupt, Exception):
            for number, piece in list(self._begun.items())[:1]:
                for chunk in self._chunks.get(number, []):
                    yield piece, chunk, False
            raise
        yield from self._leaving()

    def close(self) -> None:
        """See SideBySide. What is made is kept, though the caller stopped before taking or keeping it."""
        for piece, stream in self.open:
            if self._store is not None and not self._live and piece.number not in self._store:
                chunks = self._chunks.setdefault(piece.number, [])
                with suppress(Exception):  # a stream that has failed has no report
                    chunks += stream if stream.ended else ()
                if chunks and chunks[-1].report is not None:
                    self._keep(piece.number, stream.continuation)
        super().close()

    def _keep(self, number: int, continuation: Any) -> None:
        if self._store is not None:
            chunks = self._chunks[number]
            state = (continuation or {}) if self.continues else None
            self._store.write(number, np.concatenate([chunk.samples for chunk in chunks]), chunks[-1].marks, state)

    def _leaving(self) -> Iterator[PieceChunk]:
        """The finished pieces whose turn it is."""
        while self._begun:
            number, piece = next(iter(self._begun.items()))
            chunks = self._chunks.get(number, [])
            report = chunks[-1].report if chunks else None
            if self._store is not None and number in self._store:
                marks = self._store.marks(number)
                chunks = [AudioChunk(self._store.read(number), self._store.sample_rate, report, marks)]
            elif report is None:
                return
            self._leave(number)
            for chunk in chunks:
                yield piece, chunk, chunk is chunks[-1]

    def _leave(self, number: int) -> None:
        del self._begun[number]
        self._working.discard(number)
        self._chunks.pop(number, None)
