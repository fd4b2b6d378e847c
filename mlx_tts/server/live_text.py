"""Text that a client sends word by word -> its speech, from the first sentence on; for WebSocket and Wyoming."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Iterator

from mlx_tts.job import prepare
from mlx_tts.narration.narrate import Spoken
from mlx_tts.narration.plan import checked_names, packing_for
from mlx_tts.server.answers import bad_request
from mlx_tts.server.serving import Serving
from mlx_tts.server.speech_body import SpeechOrder
from mlx_tts.server.spoken_text import SpokenText
from mlx_tts.text.cutting.pieces import Piece
from mlx_tts.text.source.arriving import ArrivingText, growing_pieces


class _Inbox:
    """What came and was not read yet, as an iterator; None: nothing just now. The MLX thread may read it as well."""

    def __init__(self) -> None:
        self._parts: deque[str] = deque()
        self.complete = False

    def put(self, text: str) -> None:
        self._parts.append(text)

    def __iter__(self) -> _Inbox:
        return self

    def __next__(self) -> str | None:
        complete = self.complete  # asked first: what comes after that is not lost
        try:
            return self._parts.popleft()
        except IndexError:
            if complete:
                raise StopIteration from None
            return None


class LiveSpeech:
    """One utterance whose text arrives. The order's own input does not count. model, request: checked at once."""

    def __init__(self, serving: Serving, order: SpeechOrder, client: str):
        self._order = order = serving.with_lexicon(order)
        self.model, self.request = serving.request(order)
        self._serving, self._client = serving, client
        self._inbox = _Inbox()
        self._pieces = self._read_pieces()
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
            self._look_again()

    def finish(self) -> None:
        """No more text comes."""
        self._inbox.complete = True
        self._look_again()

    async def speak(self) -> AsyncGenerator[Spoken, None]:
        """The sound as it is made; a row is taken when the first sentence is there. Close it to end the speech."""
        first = await self._first_piece()
        if first is None:
            return
        pieces = self._from(first)
        async with self._serving.speaking(self.model, self.request, pieces, self._client, self._order) as self._spoken:
            async for part in self._spoken:
                yield part

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

    def _read_pieces(self) -> Iterator[Piece | None]:
        info, reading = self.model.info, prepare.reading_of(self._order, self.model.info)
        packing = packing_for(info, self.request.language, self._order.sentence_pause is not None)
        if info.can.streams_text and not reading.rewrites:
            yield from growing_pieces(self._inbox, packing)
            return
        text = ArrivingText(packing, _ignore, reading)
        for arrived in self._inbox:
            if arrived is None:
                yield None
            else:
                yield from self._checked(text.feed(arrived))
        yield from self._checked(text.finish())

    def _checked(self, pieces: list[Piece]) -> list[Piece]:
        """Markup may name voices; RequestError where the model does not have them."""
        return list(checked_names(pieces, self.request, self._serving.part_check(self.model)))


def _ignore(_paragraph: str) -> None: ...
