"""Parts of a speech -> events that say which text begins, and when its sentences and words are spoken.

`speech.audio.piece` comes with the first sound of a piece, with times that are worked out from its text;
`speech.audio.marks` with its last sound, with the times that it has. Seconds are those of what is sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from mlx_tts.narration.marks import Heard, piece_marks
from mlx_tts.narration.narrate import Spoken
from mlx_tts.speech import Mark
from mlx_tts.text.cutting.pace import expected_seconds
from mlx_tts.text.cutting.pieces import Piece

PIECE, MARKS = "speech.audio.piece", "speech.audio.marks"


class MarkEvents:
    """The events of one speech."""

    def __init__(self, sample_rate: int, speed: float, language: str):
        self._rate, self._speed, self._language = sample_rate, speed, language
        self._piece = -1
        self._samples = 0

    def events(self, part: Spoken) -> list[dict[str, Any]]:
        """What this part tells; call it with every part, in their order."""
        told = []
        if part.piece.number != self._piece and len(part.samples):
            self._piece = part.piece.number
            pause = int(np.argmax(part.samples != 0))  # the pause before a piece is of exact zeros
            told.append(self._beginning(part.piece, (self._samples + pause) / self._rate))
        self._samples += len(part.samples)
        if part.marks:
            told.append({"type": MARKS, "number": part.piece.number, "marks": self._shown(part.marks)})
        return told

    def _beginning(self, piece: Piece, start: float) -> dict[str, Any]:
        likely = Heard(start, start, start + expected_seconds(piece.spoken) / self._speed)
        marks = piece_marks(piece.text, likely, language=piece.language or self._language)
        return {
            "type": PIECE,
            "number": piece.number,
            "text": piece.text,
            "start": round(start, 3),
            "marks": self._shown(marks),
        }

    def _shown(self, marks: Sequence[Mark]) -> list[dict[str, Any]]:
        """As in a .json file of subtitles."""
        return [asdict(mark) | {"start": round(mark.start, 3), "end": round(mark.end, 3)} for mark in marks]
