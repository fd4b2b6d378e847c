"""Rows whose pieces are due in; of each piece its sound out, or what is wrong with it alone.

Pieces are sent and read at two moments: a GPU is given the next step of the rows between them, so that it has something
to do while the host takes in what it made. What is planned again for each length there, a compiled step and the
products of libraries, sees few lengths: an utterance's last piece is decoded with frames behind its end, whose sound is
cut off.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlx_tts.errors import ModelError
from mlx_tts.generation.guarded import CHUNK_FRAMES, LOW_LATENCY_FRAMES, GuardedGeneration, gives_way
from mlx_tts.generation.synthesizer import PendingSound, Synthesizer
from mlx_tts.runtime.device import policy
from mlx_tts.samples import Samples

NOT_FINITE = "the model made sound that is not a number (NaN or infinity): its weights are damaged, fetch it again"
LENGTHS = sorted({*CHUNK_FRAMES, *LOW_LATENCY_FRAMES})


@dataclass(frozen=True)
class DuePiece:
    """Frames [T, ...] of a request's take, and the decoder's state before them. length: with those behind the end."""

    generation: GuardedGeneration
    frames: NDArray[Any]
    state: Any
    length: int

    @property
    def filled(self) -> tuple[NDArray[Any], Any]:
        """What the decoder gets."""
        behind = np.repeat(self.frames[-1:], self.length - len(self.frames), axis=0)
        return np.concatenate([self.frames, behind]), self.state

    def own(self, samples: Samples) -> Samples:
        """Those of its frames."""
        return samples[: len(self.frames) * self.generation.info.frame_samples]


Made = tuple[DuePiece, Samples, Any] | tuple[DuePiece, None, Exception]  # with the state after, or what went wrong


class SoundUnderWay:
    """What was sent to be decoded and is not read yet."""

    def __init__(self, synthesizer: Synthesizer):
        self.synthesizer = synthesizer
        self._fills = policy().shares_pieces
        self._sent: list[tuple[list[DuePiece], PendingSound | Exception]] = []

    def __bool__(self) -> bool:
        return bool(self._sent)

    def length(self, generation: GuardedGeneration) -> int:
        """Of what is decoded of a row now; 0: nothing is due. Only behind an end nobody asks for the state after."""
        due, take = generation.due_frames, generation.take
        is_end = take.over and due == len(take.pending)
        return next((length for length in LENGTHS if length >= due), due) if self._fills and due and is_end else due

    def groups(self, ready: Sequence[GuardedGeneration]) -> list[list[GuardedGeneration]]:
        """Those whose pieces are due, as they are best decoded together: of one length, first sounds first, and on a
        GPU those for whom somebody waits first of all."""
        due: dict[int, list[GuardedGeneration]] = {}
        for generation in sorted(ready, key=lambda own: own.take.decoded_chunks):
            if length := self.length(generation):
                due.setdefault(length, []).append(generation)
        most = self.synthesizer.decoded_at_once
        groups = [own[at : at + most] for own in due.values() for at in range(0, len(own), most)]
        return sorted(groups, key=lambda own: all(map(gives_way, own))) if self._fills else groups

    def send(self, generations: Sequence[GuardedGeneration]) -> None:
        """Have what is due of them decoded together. Their pieces have one length."""
        length = self.length(generations[0])
        pieces = [DuePiece(own, *own.take.cut(own.due_frames), length) for own in generations]
        self._sent.append((pieces, self._decode(pieces)))

    def read(self) -> Iterator[Made]:
        """Wait for all that was sent."""
        sent, self._sent = self._sent, []
        for pieces, sound in sent:
            yield from self._read(pieces, sound)

    def forget(self) -> None:
        """Let go of what was sent."""
        self._sent = []

    def _decode(self, pieces: list[DuePiece]) -> PendingSound | Exception:
        try:
            return self.synthesizer.decode([piece.filled for piece in pieces])
        except Exception as error:  # noqa: BLE001 (whatever it is, it is one request's: `_read` finds out whose)
            return error

    def _read(self, pieces: list[DuePiece], sound: PendingSound | Exception) -> Iterator[Made]:
        made: list[tuple[Samples, Any]] = []
        error: Exception | None = sound if isinstance(sound, Exception) else None
        if not isinstance(sound, Exception):
            try:
                made = sound.read()
            except Exception as fault:  # noqa: BLE001 (as in `_decode`)
                error = fault
        if error is None:
            for piece, (samples, state) in zip(pieces, made, strict=True):
                own = piece.own(samples)
                yield (piece, own, state) if np.isfinite(own).all() else (piece, None, ModelError(NOT_FINITE))
        elif len(pieces) == 1:
            yield pieces[0], None, error
        else:
            for piece in pieces:
                yield from self._read([piece], self._decode([piece]))
