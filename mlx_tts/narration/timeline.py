"""Chunks of a speech's pieces in, what is heard out: pauses, speed, and when each sentence and word is spoken."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mlx_tts.narration.marks import Heard, piece_marks
from mlx_tts.speech import AudioChunk, Mark, Samples, SpeechRequest
from mlx_tts.text.cutting.pieces import CHAPTER, PARAGRAPH, SENTENCE, START, Piece

if TYPE_CHECKING:
    from mlx_tts.audio.effects.speed import ChangingSpeed

SILENT = 10 ** (-45 / 20)  # below it a sample belongs to a pause
PAUSE_SECONDS = 0.1  # within a piece; what is shorter may be the closure of a consonant
NO_SAMPLES: Samples = np.zeros(0, np.float32)


@dataclass(frozen=True)
class Pauses:
    """Seconds of quiet between the speech of two pieces; what the voice itself leaves quiet at its end counts."""

    sentence: float = 0.25
    paragraph: float = 0.7
    chapter: float = 1.5

    def after(self, gap: str) -> float:
        return {SENTENCE: self.sentence, PARAGRAPH: self.paragraph, CHAPTER: self.chapter}.get(gap, 0.0)


ORDINARY = Pauses()


class Timeline:
    """Places pieces one after the other. Before a piece's first sound it puts what the quiet end of the last one lacks
    of the pause. speed: times as fast; each piece is stretched on its own, so its times are exact. most_seconds: of all
    that is given, pauses included; None where there is no limit."""

    def __init__(
        self,
        pauses: Pauses,
        sample_rate: int,
        speed: float = 1.0,
        language: str = "auto",
        most_seconds: float | None = None,
    ):
        self.speed = speed
        self._most = None if most_seconds is None else round(most_seconds * sample_rate)
        self._pauses, self._rate, self._language = pauses, sample_rate, language
        self._position = 0  # samples given so far
        self._quiet = 0  # of them, those since the last that was heard
        self._piece = -1
        self._pace = speed  # of the piece that is placed now
        self._change: ChangingSpeed | None = None
        self._begin_piece()

    def _begin_piece(self) -> None:
        self._start = self._last_heard = self._position
        self._first_heard: int | None = None
        self._pauses_within: list[tuple[int, int]] = []

    def place(self, piece: Piece, chunk: AudioChunk, last: bool) -> tuple[Samples, tuple[Mark, ...]]:
        """The samples, behind a pause where a new piece begins with them, and with its last chunk the piece's marks."""
        samples = self._louder(piece, self._changed(piece, chunk.samples, last))
        if len(samples) and piece.number != self._piece:
            samples = self._behind_pause(piece, samples)
        if self._most is not None:
            samples = samples[: self._most - self._position]
        self._listen(samples)
        return samples, self._marks(piece, chunk.marks) if last and piece.number == self._piece else ()

    @property
    def is_full(self) -> bool:
        """Whether all has been given that may be."""
        return self._most is not None and self._position >= self._most

    def _changed(self, piece: Piece, samples: Samples, last: bool) -> Samples:
        self._pace = min(4.0, max(0.25, self.speed * (piece.rate or 1.0)))
        if self._change is None:
            if self._pace == 1.0:
                return samples
            from mlx_tts.audio.effects.speed import ChangingSpeed

            self._change = ChangingSpeed(self._rate)
        return self._change.change(samples, self._pace, last)

    @staticmethod
    def _louder(piece: Piece, samples: Samples) -> Samples:
        return samples * np.float32(10 ** (piece.decibels / 20)) if piece.decibels else samples

    def _behind_pause(self, piece: Piece, samples: Samples) -> Samples:
        pause = piece.pause_before_seconds
        pause = self._pauses.after(piece.gap) if pause is None else pause
        lacking = max(0, round(pause / self.speed * self._rate) - self._quiet)
        self._piece = piece.number
        self._position += lacking
        self._begin_piece()
        self._position -= lacking
        return np.concatenate([np.zeros(lacking, np.float32), samples]) if lacking else samples

    def _listen(self, samples: Samples) -> None:
        heard: Any = np.flatnonzero(np.abs(samples) > SILENT)
        if len(heard):
            edges: Any = heard + self._position
            if self._first_heard is not None:
                edges = np.concatenate([[self._last_heard - 1], edges])
            long = np.flatnonzero(np.diff(edges) > PAUSE_SECONDS * self._rate)
            self._pauses_within += [(int(edges[at]) + 1, int(edges[at + 1])) for at in long.tolist()]
            self._quiet = len(samples) - 1 - int(heard[-1])
            self._last_heard = self._position + int(heard[-1]) + 1
            if self._first_heard is None:
                self._first_heard = self._position + int(heard[0])
        else:
            self._quiet += len(samples)
        self._position += len(samples)

    def _marks(self, piece: Piece, words: tuple[Mark, ...]) -> tuple[Mark, ...]:
        first = self._start if self._first_heard is None else self._first_heard
        last = self._position if self._first_heard is None else self._last_heard
        quiet = tuple((start / self._rate, end / self._rate) for start, end in self._pauses_within)
        heard = Heard(self._start / self._rate, first / self._rate, last / self._rate, self._pace, quiet)
        text = piece.text if piece.growing is None else piece.growing.text
        return piece_marks(text, heard, words, piece.language or self._language)


def marked(chunks: Iterable[AudioChunk], request: SpeechRequest, sample_rate: int) -> Iterator[AudioChunk]:
    """The chunks of one request, the last with marks of its sentences and words; the samples stay as they are."""
    piece = Piece(0, request.text, 0, START, growing=request.growing)
    timeline = Timeline(ORDINARY, sample_rate, language=request.language)
    for chunk in chunks:
        samples, marks = timeline.place(piece, chunk, chunk.report is not None)
        yield AudioChunk(samples, sample_rate, chunk.report, marks)
