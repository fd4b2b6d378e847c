"""Pieces of a text and a loaded model -> sound, piece by piece, for an event loop: nothing here waits for MLX."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from mlx_tts.errors import MlxTtsError
from mlx_tts.narration.narrate import NarrationOptions, Spoken, piece_request
from mlx_tts.narration.timeline import Timeline
from mlx_tts.runtime import mlx_thread
from mlx_tts.speech import CheckedRequest
from mlx_tts.text.cutting.pieces import Piece

if TYPE_CHECKING:
    from mlx_tts.api import TextToSpeech

AHEAD_SECONDS = 20.0  # with so much unread sound the next piece does not begin
STALLED_SECONDS = 60.0  # an engine that gives nothing for so long is broken
END = object()
ORDINARY_OPTIONS = NarrationOptions(live=True)
LOOK_SECONDS = 1.0  # how often a silent engine is looked after


class EngineStalledError(RuntimeError):
    """The engine makes no progress. Not an MlxTtsError: no client can do anything about it."""


class LoopCondition(threading.Condition):
    """A condition that also wakes an event loop, so that no thread waits for a stream."""

    def __init__(self, loop: asyncio.AbstractEventLoop, wake: Callable[[], None]):
        super().__init__()
        self._loop, self._wake = loop, wake

    def notify_all(self) -> None:
        super().notify_all()
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._wake)


@dataclass
class _Begun:
    piece: Piece
    stream: Any


class SpokenText:
    """The speech of one text: an async iterator of `Spoken`, which `close` ends at once.

    The pieces are spoken one after the other in one row: the next begins when the one before is made, also while its
    sound is still unread. pieces may give None: nothing just now; then `wake` says when to look again.
    """

    def __init__(
        self,
        model: TextToSpeech,
        request: CheckedRequest,
        pieces: Iterator[Piece | None],
        options: NarrationOptions = ORDINARY_OPTIONS,
    ):
        self.model, self.request = model, request
        self.frames = 0
        self._pieces = pieces
        self._ahead: Piece | object | None = None  # a piece, or END, that was looked at before its turn
        self._more = True
        self._begun: deque[_Begun] = deque()
        self._after: Any = None  # what the last piece left behind, in models that carry state
        self._plays_until = 0.0  # when the listener will have heard the last piece
        self._timeline = Timeline(options.pauses, model.sample_rate, options.speed, request.language)
        self._woken = asyncio.Event()
        self._condition = LoopCondition(asyncio.get_running_loop(), self._woken.set)
        self._progress = time.monotonic()
        self.wake = self._woken.set

    def __aiter__(self) -> SpokenText:
        return self

    async def __anext__(self) -> Spoken:
        while True:
            self._woken.clear()
            if (spoken := self.take()) is not None:
                return spoken
            if not (self._more or self._begun):
                raise StopAsyncIteration
            await self._wait()

    def take(self) -> Spoken | None:
        """What is there without waiting, or None; raises what ended the speech."""
        self._begin_next()
        while self._begun:
            begun = self._begun[0]
            with self._condition:
                if not begun.stream.has_something:
                    return None
                chunk = begun.stream.take()
            self._progress = time.monotonic()
            if chunk is None:
                ended = self._begun.popleft().stream
                self._after, self._plays_until = ended.continuation, ended.plays_until
                self._begin_next()
                continue
            self.frames += len(chunk.samples) // self.model.info.frame_samples
            samples, marks = self._timeline.place(begun.piece, chunk, chunk.report is not None)
            return Spoken(begun.piece, samples, chunk.report, marks)
        return None

    @property
    def is_over(self) -> bool:
        """Whether all was taken."""
        return not (self._more or self._begun)

    @property
    def is_made(self) -> bool:
        """Whether all of it is there, so that nothing has to be waited for any more."""
        return not self._more and all(begun.stream.ended for begun in self._begun)

    def close(self) -> None:
        """End the speech; its row is free at the engine's next step."""
        self._more = False
        for begun in self._begun:
            begun.stream.close()
        self._begun.clear()
        self._woken.set()

    def _begin_next(self) -> None:
        if not self._more or not self._last_is_made():
            return
        if sum(begun.stream.unread_seconds for begun in self._begun) >= AHEAD_SECONDS:
            return
        piece, self._ahead = next(self._pieces, END) if self._ahead is None else self._ahead, None
        if piece is END:
            self._more = False
        elif isinstance(piece, Piece):
            request, number = piece_request(self.request, piece), piece.number
            if self.model.info.can.continues and request.continues:
                self._ahead = next(self._pieces, END)  # None: nothing yet; another piece is expected then
                request, number = replace(request, after=self._after, more=self._ahead is not END), 0
            stream = self.model.submit(
                request, live=True, condition=self._condition, number=number, plays_until=self._plays_until
            )
            self._begun.append(_Begun(piece, stream))
            self._progress = time.monotonic()

    def _last_is_made(self) -> bool:
        if not self._begun:
            return True
        stream = self._begun[-1].stream
        self._after, self._plays_until = stream.continuation, stream.plays_until
        return bool(stream.ended)

    async def _wait(self) -> None:
        """Until something may have come; an error where the engine is broken."""
        try:
            async with asyncio.timeout(LOOK_SECONDS):
                await self._woken.wait()
        except TimeoutError:
            if not mlx_thread.is_alive():
                raise EngineStalledError("the MLX thread has ended") from None
            if self._is_waiting_for_text():
                self._progress = time.monotonic()
            elif time.monotonic() - self._progress > STALLED_SECONDS:
                raise EngineStalledError(f"no sound for {STALLED_SECONDS:.0f} s") from None

    def _is_waiting_for_text(self) -> bool:
        if not self._begun:
            return self._more
        growing = self._begun[0].piece.growing
        return growing is not None and not growing.complete


def check_spoken(total_samples: int) -> None:
    """MlxTtsError for a speech without any sound."""
    if not total_samples:
        raise MlxTtsError("the model ended at once and said nothing: try another seed")
