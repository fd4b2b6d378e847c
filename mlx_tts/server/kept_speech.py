"""Short speeches that were asked for before: kept in memory and given again, as they were made the first time.

A home says "The light is on." many times a day. The same request gives the same speech from here, at once and without a
row. What is the same is decided by all that the sound depends on: the words as they are spoken, model, voice, language,
settings, and the seed as it was asked for. Without a seed any speech of the request will do, so the first one is given
again. Takes that the guard found fault with are not kept.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncIterator, Iterable
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Protocol

from mlx_tts.job import prepare
from mlx_tts.narration.narrate import Spoken
from mlx_tts.narration.piece_store import settings_of, voice_key
from mlx_tts.speech import CheckedRequest
from mlx_tts.text.cutting.pieces import Piece

if TYPE_CHECKING:
    from mlx_tts.api import TextToSpeech
    from mlx_tts.server.speech_body import SpeechOrder
    from mlx_tts.server.spoken_text import SpokenText

LONGEST = 300  # characters of a text that is kept: some sentences
SHARE = 4  # one speech takes at most 1 / SHARE of the memory
PART_BYTES = 2000  # of a part besides its samples, about


class SpeechParts(Protocol):
    """The speech of a whole text for an event loop, made or kept: a `SpokenText`, or what looks like one."""

    @property
    def model(self) -> TextToSpeech: ...
    @property
    def frames(self) -> int: ...
    @property
    def is_made(self) -> bool: ...
    def __aiter__(self) -> AsyncIterator[Spoken]:
        """Goes on where the last reader stopped."""
        ...


class KeptSpeeches:
    """What was used last stays, as long as it fits. Used by the event loop alone. most_bytes: 0 keeps nothing."""

    def __init__(self, most_bytes: int):
        self._most, self.bytes = most_bytes, 0
        self._found: OrderedDict[str, tuple[list[Spoken], int]] = OrderedDict()  # parts and frames

    def __len__(self) -> int:
        return len(self._found)

    def key_of(self, order: SpeechOrder, model: str, request: CheckedRequest, pieces: list[Piece]) -> str | None:
        """What tells one speech from another; None for one that is not kept."""
        if not self._most or not pieces or len(order.input) > LONGEST:
            return None
        asked = replace(request, seed=order.seed)
        said = settings_of(asked, (), model, prepare.narration_options(order, live=True))
        return repr((sorted(said.items()), [_of_piece(piece) for piece in pieces]))

    def find(self, key: str) -> tuple[list[Spoken], int] | None:
        """The parts and the frames of a kept speech."""
        if key in self._found:
            self._found.move_to_end(key)
        return self._found.get(key)

    def has_room(self, parts: Iterable[Spoken]) -> bool:
        """Whether a speech of these parts is small enough to be kept."""
        return _bytes_of(parts) <= self._most // SHARE

    def keep(self, key: str, parts: list[Spoken], frames: int) -> None:
        if not self.has_room(parts):
            return
        self._drop(key)
        self._found[key] = parts, frames
        self.bytes += _bytes_of(parts)
        while self.bytes > self._most:
            self._drop(next(iter(self._found)))

    def _drop(self, key: str) -> None:
        parts, _ = self._found.pop(key, ([], 0))
        self.bytes -= _bytes_of(parts)


class KeptText:
    """A kept speech: all of it is there."""

    is_made = True

    def __init__(self, model: TextToSpeech, parts: list[Spoken], frames: int):
        self.model, self.frames, self._rest = model, frames, iter(parts)

    def __aiter__(self) -> KeptText:
        return self

    async def __anext__(self) -> Spoken:
        for part in self._rest:
            return part
        raise StopAsyncIteration


class NotedText:
    """A speech that is made now, and kept at its end if it is whole and good."""

    def __init__(self, spoken: SpokenText, kept: KeptSpeeches, key: str):
        self.model, self._spoken, self._kept, self._key = spoken.model, spoken, kept, key
        self._parts: list[Spoken] | None = []

    @property
    def frames(self) -> int:
        return self._spoken.frames

    @property
    def is_made(self) -> bool:
        return self._spoken.is_made

    def __aiter__(self) -> NotedText:
        return self

    async def __anext__(self) -> Spoken:
        try:
            part = await anext(self._spoken)
        except StopAsyncIteration:
            if self._parts:
                self._kept.keep(self._key, self._parts, self._spoken.frames)
            raise
        if self._parts is not None:
            self._parts.append(part)
            if (part.report is not None and part.report.kept_fault) or not self._kept.has_room(self._parts):
                self._parts = None
        return part


def _of_piece(piece: Piece) -> tuple[object, ...]:
    """All of it but its place in memory: `own_voice` is told by what it holds."""
    own = {field.name: getattr(piece, field.name) for field in fields(piece) if field.name != "growing"}
    return tuple((own | {"own_voice": voice_key(piece.own_voice)}).items())


def _bytes_of(parts: Iterable[Spoken]) -> int:
    return sum(part.samples.nbytes + PART_BYTES for part in parts)
