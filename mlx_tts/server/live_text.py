"""Text that a client sends word by word -> its speech, from the first sentence on; for WebSocket and Wyoming."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import suppress
from typing import Generic, TypeVar

from mlx_tts.job import prepare
from mlx_tts.narration.narrate import Spoken
from mlx_tts.narration.plan import checked_names, packing_for
from mlx_tts.server.answers import bad_request
from mlx_tts.server.serving import Serving
from mlx_tts.server.speech_body import SpeechOrder
from mlx_tts.server.spoken_text import SpokenText
from mlx_tts.text.cutting.pieces import Piece
from mlx_tts.text.source.arriving import ArrivingText, growing_pieces

READ_CHARACTERS = 500  # at once: some milliseconds of a thread
MOST_READY = 8  # pieces that were read and not begun
READ_PAUSE_SECONDS = 0.005  # in which more may come, so that a flood of letters is read together
T = TypeVar("T")


class _Inbox(Generic[T]):
    """What came and was not read yet, as an iterator; None: nothing just now. The MLX thread may read it as well.
    error: what is raised when all of it was read."""

    def __init__(self) -> None:
        self._parts: deque[T] = deque()
        self.complete = False
        self.error: Exception | None = None

    def put(self, part: T) -> None:
        self._parts.append(part)

    def __len__(self) -> int:
        return len(self._parts)

    def take(self) -> list[T]:
        """All that came by now."""
        return [self._parts.popleft() for _ in range(len(self._parts))]

    def __iter__(self) -> _Inbox[T]:
        return self

    def __next__(self) -> T | None:
        complete = self.complete  # asked first: what comes after that is not lost
        try:
            return self._parts.popleft()
        except IndexError:
            if self.error is not None:
                raise self.error from None
            if complete:
                raise StopIteration from None
            return None


class LiveSpeech:
    """One utterance whose text arrives. The order's own input does not count. model, request: checked at once."""

    def __init__(self, serving: Serving, order: SpeechOrder, client: str):
        self.order = order = serving.with_lexicon(order)
        self.model, self.request = serving.request(order)
        self._serving, self._client = serving, client
        self._inbox: _Inbox[str] = _Inbox()
        self._ready: _Inbox[Piece] = _Inbox()
        reading = prepare.reading_of(order, self.model.info)
        packing = packing_for(self.model.info, self.request.language, order.sentence_pause is not None)
        self._text: ArrivingText | None = None  # where whole sentences are spoken: it is read as it comes
        if self.model.info.can.streams_text and not reading.rewrites:
            self._pieces = growing_pieces(self._inbox, packing)
        else:
            self._text = ArrivingText(packing, _ignore, reading)
            self._pieces = self._taken()
        self._came = asyncio.Event()
        self._room = asyncio.Event()
        self._arrived = asyncio.Event()
        self._spoken: SpokenText | None = None
        self._characters = 0

    def feed(self, text: str) -> None:
        """More of the text; ApiError 400 when it becomes too much."""
        self._characters += len(text)
        if self._characters > self._serving.settings.max_input:
            raise bad_request(f"the text has more than {self._serving.settings.max_input} characters", "text")
        if text:
            self._inbox.put(text)
            self._tell_reader()

    def finish(self) -> None:
        """No more text comes."""
        self._inbox.complete = True
        self._tell_reader()

    async def speak(self) -> AsyncGenerator[Spoken, None]:
        """The sound as it is made; a row is taken when the first sentence is there. Close it to end the speech."""
        reading = asyncio.create_task(self._read(self._text)) if self._text is not None else None
        try:
            async for part in self._speak():
                yield part
        finally:
            if reading is not None:
                reading.cancel()
                with suppress(asyncio.CancelledError):
                    await reading

    async def _speak(self) -> AsyncGenerator[Spoken, None]:
        first = await self._first_piece()
        if first is None:
            return
        pieces = self._from(first)
        speaking = self._serving.speaking(self.model, self.request, pieces, self._client, self.order, seconds=0)
        async with speaking as self._spoken:
            async for part in self._spoken:
                yield part

    async def _read(self, text: ArrivingText) -> None:
        """What comes -> pieces, a little at a time and away from the event loop."""
        try:
            complete = False
            while not complete:
                self._came.clear()
                complete = self._inbox.complete  # asked first: what comes after that is not lost
                came = "".join(self._inbox.take())  # at once: a thread for each word would keep Python from others
                for at in range(0, len(came), READ_CHARACTERS):
                    await self._until_room()
                    await self._put(text.feed, came[at : at + READ_CHARACTERS])
                if complete:
                    await self._put(text.finish)
                else:
                    await asyncio.sleep(READ_PAUSE_SECONDS if came else 0)
                    await self._came.wait()
        except Exception as error:  # noqa: BLE001 (the reader of the pieces raises it)
            self._ready.error = error
        self._ready.complete = True
        self._look_again()

    async def _put(self, read: Callable[..., list[Piece]], *text: str) -> None:
        pieces = await self._serving.read_text(sum(map(len, text)), read, *text)
        for piece in self._checked(pieces):
            self._ready.put(piece)
        if pieces:
            self._look_again()

    async def _until_room(self) -> None:
        """Wait until few pieces are ready: a long text that is read far ahead would make the other clients wait."""
        while len(self._ready) >= MOST_READY:
            self._room.clear()
            await self._room.wait()

    def _taken(self) -> Iterator[Piece | None]:
        for piece in self._ready:
            self._room.set()
            yield piece

    def _tell_reader(self) -> None:
        """Words came, or the text is over. The speaker is woken when there are new pieces."""
        if self._text is None:
            self._look_again()
        self._came.set()

    def _look_again(self) -> None:
        self._arrived.set()
        if self._spoken is not None:
            self._spoken.wake()

    async def _first_piece(self) -> Piece | None:
        while True:
            self._arrived.clear()
            try:
                piece = next(self._pieces)
            except StopIteration:
                return None
            if piece is not None:
                return piece
            await self._arrived.wait()

    def _from(self, first: Piece) -> Iterator[Piece | None]:
        yield first
        yield from self._pieces

    def _checked(self, pieces: list[Piece]) -> list[Piece]:
        """Markup may name voices; RequestError where the model does not have them."""
        return list(checked_names(pieces, self.request, self._serving.part_check(self.model), self.model.info))


def _ignore(_paragraph: str) -> None: ...
