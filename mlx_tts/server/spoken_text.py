"""Pieces of a text and a loaded model -> sound, piece by piece, for an event loop: nothing here waits for MLX."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from mlx_tts.errors import MlxTtsError
from mlx_tts.narration.narrate import NarrationOptions, PieceStreams, Spoken
from mlx_tts.runtime import mlx_thread
from mlx_tts.server.admission import Place
from mlx_tts.speech import CheckedRequest
from mlx_tts.text.cutting.pieces import Piece

if TYPE_CHECKING:
    from mlx_tts.api import TextToSpeech

AHEAD_SECONDS = 20.0  # with so much unread sound the next piece does not begin
STALLED_SECONDS = 60.0  # an engine that gives nothing for so long is broken
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


class SpokenText:
    """The speech of one text: an async iterator of `Spoken`, which `close` ends at once.

    The pieces are spoken one after the other: the next begins when the one before is made, also while its sound is
    still unread. pieces may give None: nothing just now; then `wake` says when to look again. place: what lends a row
    to one piece after the other; None where rows are free for all.
    """

    def __init__(
        self,
        model: TextToSpeech,
        request: CheckedRequest,
        pieces: Iterator[Piece | None],
        options: NarrationOptions = ORDINARY_OPTIONS,
        place: Place | None = None,
    ):
        self.model, self.request = model, request
        self._place = place
        self.frames = 0
        self._timeline = options.timeline(model.sample_rate, request.language)
        self._woken = asyncio.Event()
        condition = LoopCondition(asyncio.get_running_loop(), self._look)
        self._streams = PieceStreams(self._submit, request, pieces, model.info, condition)
        self._progress = time.monotonic()
        self.wake = self._woken.set
        if place is not None:
            place.on_row = self._woken.set

    def __aiter__(self) -> SpokenText:
        return self

    async def __anext__(self) -> Spoken:
        while True:
            self._woken.clear()
            if (spoken := self.take()) is not None:
                return spoken
            if self._streams.is_over:
                raise StopAsyncIteration
            await self._wait()

    def take(self) -> Spoken | None:
        """What is there without waiting, or None; raises what ended the speech."""
        self._begin_next()
        for piece, _, chunk in self._streams.take():
            self._progress = time.monotonic()
            self.frames += len(chunk.samples) // self.model.info.frame_samples
            if self._place is not None:
                self._place.made_seconds += chunk.seconds
            samples, marks = self._timeline.place(piece, chunk, chunk.report is not None)
            if self._timeline.is_full:
                self.close()
            return Spoken(piece, samples, chunk.report, marks)
        return None

    @property
    def is_made(self) -> bool:
        """Whether all of it is there, so that nothing has to be waited for any more."""
        return self._streams.is_made and not self._streams.more_follow

    def close(self) -> None:
        """End the speech; its row is free at the engine's next step."""
        self._streams.close()
        self._woken.set()

    def _look(self) -> None:
        """Something came from the engine. A piece that is made needs no row, also while its reader is slow."""
        if self._place is not None and self._streams.is_made and not self._place.is_lent:
            self._place.give_row_back()
        self._woken.set()

    def _begin_next(self) -> None:
        if not self._streams.is_made:
            return
        unread_seconds = sum(stream.unread_seconds for _, stream in self._streams.open)
        begun = unread_seconds < AHEAD_SECONDS and self._may_begin() and self._streams.begin_next()
        if begun:
            self._progress = time.monotonic()
        elif self._place is not None:
            self._place.give_row_back()

    def _may_begin(self) -> bool:
        """Whether a piece is there, and a row for it. The first one has its row already."""
        if self._place is None:
            return True
        if not self._streams.has_next:
            return False
        last = self._streams.last
        if last is None and self._place.holds_row:
            return True
        return self._place.take_row(0.0 if last is None else last.plays_until)

    def _submit(self, request: CheckedRequest, **options: Any) -> Any:
        before = self._streams.last
        plays_until = 0.0 if before is None else before.plays_until  # when the listener will have heard the last piece
        client = "" if self._place is None else self._place.client
        return self.model.submit(request, live=True, plays_until=plays_until, client=client, **options)

    async def _wait(self) -> None:
        """Until something may have come; an error where the engine is broken."""
        try:
            async with asyncio.timeout(LOOK_SECONDS):
                await self._woken.wait()
        except TimeoutError:
            if not mlx_thread.is_alive():
                raise EngineStalledError("the MLX thread has ended") from None
            if self._is_waiting_for_text() or (self._place is not None and self._place.waits_since is not None):
                self._progress = time.monotonic()
            elif time.monotonic() - self._progress > STALLED_SECONDS:
                raise EngineStalledError(f"no sound for {STALLED_SECONDS:.0f} s") from None

    def _is_waiting_for_text(self) -> bool:
        if not self._streams.open:
            return self._streams.more_follow
        growing = self._streams.open[0][0].growing
        return growing is not None and not growing.complete


def check_spoken(total_samples: int) -> None:
    """MlxTtsError for a speech without any sound."""
    if not total_samples:
        raise MlxTtsError("the model ended at once and said nothing: try another seed")
