"""Pieces as they begin, and their marks once complete -> which sentence is spoken at a time, and its neighbours."""

from __future__ import annotations

import threading
from bisect import bisect_right
from dataclasses import dataclass

from mlx_tts.narration.marks import spread
from mlx_tts.speech import Mark
from mlx_tts.text.cutting.pieces import Piece
from mlx_tts.text.cutting.sentences import split_sentences

BACK_SECONDS = 1.5  # later than this in a sentence, one step back goes to its own beginning


@dataclass(frozen=True)
class SpokenSentence:
    """start: in seconds of the whole speech."""

    text: str
    start: float


class SentenceTimes:
    """Filled by the thread that makes the speech, asked by others. While a piece is being made, the times of its
    sentences are estimates; its marks replace them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: list[SpokenSentence] = []
        self._working: list[SpokenSentence] = []  # of the piece that is being made
        self._piece = -1

    def begin(self, piece: Piece, seconds: float, language: str, speed: float = 1.0) -> None:
        """Sound of this piece begins at `seconds`. For the piece that is in work already: nothing."""
        if piece.number == self._piece:
            return
        from mlx_tts.text.cutting.pace import expected_seconds

        text = piece.text if piece.growing is None else piece.growing.text
        sentences = [part.strip() for part in split_sentences(text, piece.language or language)] or [text]
        placed = spread(sentences, seconds, seconds + expected_seconds(text) / speed)
        with self._lock:
            self._piece = piece.number
            self._known += self._working
            self._working = [SpokenSentence(mark.text, mark.start) for mark in placed]

    def complete(self, marks: tuple[Mark, ...]) -> None:
        """The marks of the piece in work, with its last sound; empty for a model that has none."""
        sentences = [SpokenSentence(mark.text, mark.start) for mark in marks if mark.level == "sentence"]
        if sentences:
            with self._lock:
                self._known += sentences
                self._working = []

    def at(self, seconds: float) -> SpokenSentence | None:
        """What is spoken at a time; None before the first sentence."""
        with self._lock:
            everything = self._known + self._working
        number = _number_at(everything, seconds)
        return everything[number] if number >= 0 else None

    def stepped(self, seconds: float, step: int) -> float | None:
        """Where the sentence begins that lies `step` from that of a time; None behind the last that is known. A step
        back from within a sentence goes to its own beginning first."""
        with self._lock:
            everything = self._known + self._working
        number = _number_at(everything, seconds)
        if step < 0 and number >= 0 and seconds - everything[number].start > BACK_SECONDS:
            step += 1
        wanted = max(0, number + step)
        return everything[wanted].start if wanted < len(everything) else None


def _number_at(sentences: list[SpokenSentence], seconds: float) -> int:
    return bisect_right(sentences, seconds, key=lambda sentence: sentence.start) - 1
