"""Rows whose pieces are due in; of each piece its sound out, or what is wrong with it alone.

Pieces are sent and read at two moments: a GPU is given the next step of the rows between them, so that it has something
to do while the host takes in what it made.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlx_tts.errors import ModelError
from mlx_tts.generation.guarded import GuardedGeneration
from mlx_tts.generation.synthesizer import Sound, Synthesizer
from mlx_tts.speech import Samples

NOT_FINITE = "the model made sound that is no number (NaN or infinity): its weights are damaged, fetch it again"


@dataclass(frozen=True)
class Piece:
    """Frames [T, ...] of a request's take, and the decoder's state before them."""

    generation: GuardedGeneration
    frames: NDArray[Any]
    state: Any


Made = tuple[Piece, Samples, Any] | tuple[Piece, None, Exception]  # with the state after, or what went wrong


class SoundUnderWay:
    """What was sent to be decoded and is not read yet."""

    def __init__(self, synthesizer: Synthesizer):
        self.synthesizer = synthesizer
        self._sent: list[tuple[list[Piece], Sound | Exception]] = []

    def __bool__(self) -> bool:
        return bool(self._sent)

    def send(self, generations: Sequence[GuardedGeneration]) -> None:
        """Have what is due of them decoded together. Their pieces have one length."""
        pieces = [Piece(own, *own.take.cut(own.due_frames)) for own in generations]
        self._sent.append((pieces, self._decode(pieces)))

    def read(self) -> Iterator[Made]:
        """Wait for all that was sent."""
        sent, self._sent = self._sent, []
        for pieces, sound in sent:
            yield from self._read(pieces, sound)

    def forget(self) -> None:
        """Let go of what was sent."""
        self._sent = []

    def _decode(self, pieces: list[Piece]) -> Sound | Exception:
        try:
            return self.synthesizer.decode([(piece.frames, piece.state) for piece in pieces])
        except Exception as error:  # noqa: BLE001 (whatever it is, it is one request's: `_read` finds out whose)
            return error

    def _read(self, pieces: list[Piece], sound: Sound | Exception) -> Iterator[Made]:
        made, error = self._waited_for(sound)
        if error is None:
            for piece, (samples, state) in zip(pieces, made, strict=True):
                good = bool(np.isfinite(samples).all())
                yield (piece, samples, state) if good else (piece, None, ModelError(NOT_FINITE))
        elif len(pieces) == 1:
            yield pieces[0], None, error
        else:
            for piece in pieces:
                yield from self._read([piece], self._decode([piece]))

    @staticmethod
    def _waited_for(sound: Sound | Exception) -> tuple[list[tuple[Samples, Any]], Exception | None]:
        if isinstance(sound, Exception):
            return [], sound
        try:
            return sound.read(), None
        except Exception as error:  # noqa: BLE001 (as in `_decode`)
            return [], error
