"""Speech while it is played -> which of its words were heard by a time. One thread tells, others ask."""

from __future__ import annotations

import threading
from dataclasses import dataclass

import numpy as np

from mlx_tts.narration.marks import Heard, piece_marks, words_of
from mlx_tts.narration.narrate import Spoken
from mlx_tts.speech import Mark
from mlx_tts.text.cutting.pace import expected_seconds


@dataclass(frozen=True)
class HeardWords:
    """text: the words that were heard, as written. of: how many words there are. whole: all of them."""

    text: str
    words: int
    of: int

    @property
    def whole(self) -> bool:
        return self.words >= self.of


class Hearing:
    """The marks of one speech, as far as it is made: those of a piece in work are estimates until its end. text: as it
    was written, without markup."""

    def __init__(self, text: str, sample_rate: int, speed: float, language: str):
        self._rate, self._speed, self._language = sample_rate, speed, language
        self._of = len(words_of(text))
        self._lock = threading.Lock()
        self._known: list[Mark] = []
        self._working: list[Mark] = []
        self._piece = -1
        self._samples = 0

    def add(self, part: Spoken) -> None:
        """A part that is about to be played; call it with every part, in their order."""
        with self._lock:
            if part.piece.number != self._piece and len(part.samples):
                self._piece = part.piece.number
                pause = int(np.argmax(part.samples != 0))  # the pause before a piece is of exact zeros
                start = (self._samples + pause) / self._rate
                end = start + expected_seconds(part.piece.spoken) / self._speed
                language = part.piece.language or self._language
                self._known += self._working
                self._working = list(piece_marks(part.piece.text, Heard(start, start, end), language=language))
            self._samples += len(part.samples)
            if part.marks:
                self._known += part.marks
                self._working = []

    def until(self, seconds: float) -> HeardWords:
        """The words whose middle was heard by this time of the speech."""
        with self._lock:
            words = [mark for mark in (*self._known, *self._working) if mark.level == "word"]
        heard = [mark.text for mark in words if (mark.start + mark.end) / 2 <= seconds]
        return HeardWords(" ".join(heard), len(heard), max(self._of, len(words)))

    def sentence_at(self, seconds: float) -> str | None:
        """The sentence that is being heard then; None before the first."""
        with self._lock:
            marks = [mark for mark in (*self._known, *self._working) if mark.level == "sentence"]
        begun = [mark.text for mark in marks if mark.start <= seconds]
        return begun[-1] if begun else None
