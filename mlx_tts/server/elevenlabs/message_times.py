"""Parts of a context's speech -> when each character of the text is spoken, for each message with sound.

Clients add up the times of the messages, so together they last exactly as long as the sound. While a piece is made, its
characters are placed by the time that the text takes about; what is left of them comes with its last sound. A message
in whose time no character begins has none, and the next one's begin as much earlier.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from mlx_tts.narration.marks import spread, words_of
from mlx_tts.narration.narrate import Spoken
from mlx_tts.server.timed_speech import Characters, characters_of
from mlx_tts.text.cutting.pace import expected_seconds


class MessageTimes:
    """Of one context. whole: times count from its beginning, not from the message's."""

    def __init__(self, sample_rate: int, speed: float, whole: bool):
        self._rate, self._speed, self._whole = sample_rate, speed, whole
        self._piece: object = None
        self._working = False  # whether more sound of the piece comes
        self._waiting = Characters()  # of the piece in work, with the times that they likely have
        self._ready: list[tuple[str, float]] = []  # characters of the sound that was not sent yet, and their beginnings
        self._made = self._sent = 0.0  # seconds

    def add(self, part: Spoken) -> None:
        """A part whose sound goes into the next message."""
        start, self._made = self._made, self._made + len(part.samples) / self._rate
        if part.piece is not self._piece and len(part.samples):
            self._release(float("inf"))
            self._piece = part.piece
            start += int(np.argmax(part.samples != 0)) / self._rate  # the pause before a piece is of exact zeros
            end = start + expected_seconds(part.piece.spoken) / self._speed
            # The space tells a client that the last word is over.
            self._waiting = characters_of(f"{part.piece.text} ", spread(words_of(part.piece.text), start, end), start)
        self._working = part.report is None
        self._release(self._made if self._working else float("inf"))

    def _release(self, until: float) -> None:
        """The characters that begin before this time are spoken by now, or as far as there is sound."""
        waiting = self._waiting
        count = sum(begin < until for begin in waiting.starts)
        if until <= self._made and self._working:
            count = min(count, len(waiting.text) - 1)  # one is left for the piece's last sound
        begun = zip(waiting.text[:count], waiting.starts[:count], strict=True)
        self._ready += [(text, min(start, self._made)) for text, start in begun]
        self._waiting = Characters(waiting.text[count:], waiting.starts[count:], waiting.ends[count:])

    def taken(self) -> dict[str, Any] | None:
        """Of the message that is sent now; None where its sound has no character of its own."""
        begin, end, found = self._sent, self._made, self._ready
        if not found:
            return None
        self._sent, self._ready = self._made, []
        starts = [min(max(at, begin), end) for _, at in found]
        starts[0] = begin
        origin = 0.0 if self._whole else begin
        times = [round((at - origin) * 1000) for at in [*starts, end]]
        return {
            "chars": [text for text, _ in found],
            "charStartTimesMs": times[:-1],
            "charDurationsMs": [after - at for at, after in pairwise(times)],
        }
