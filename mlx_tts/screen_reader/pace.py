"""When the parts of earlier texts came -> how long the first part of the next one is held, so that no hole follows it.

A first part is short, for it is a frame without the silence before it, and the model may need longer for the next one
than the first one plays. Held for the difference, it comes a little later and the speech goes on without a break.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from threading import Condition
from typing import Protocol

RECENT_TEXTS = 8
MOST_HELD_SECONDS = 0.06  # who waits for an answer hears a later one, and a hole of a few ms is hard to hear
OFTEN_LONGER = 1.25  # a text may take so many times as long as it was guessed


class Arriving(Protocol):
    """What is seen of a piece in work: SpeechStream is one."""

    condition: Condition
    arrivals: list[float]
    cancelled: bool

    @property
    def ended(self) -> bool: ...
    def cancel(self) -> None: ...


@dataclass(frozen=True)
class ArrivedPart:
    """came: of `time.monotonic`, when the model had made it. seconds: how long it plays at speed 1."""

    came: float
    seconds: float


class RecentPace:
    """Of the texts that were made last. One thread uses it."""

    def __init__(self) -> None:
        self._texts: deque[Sequence[ArrivedPart]] = deque(maxlen=RECENT_TEXTS)

    def learn(self, parts: Sequence[ArrivedPart]) -> None:
        """The parts of a text, from its first on. Its last one is left out: it is shorter, and what judges the whole
        comes before it."""
        if len(parts) > 2:
            self._texts.append(parts[:-1])

    def hold_seconds(self, number: int, seconds: float, speed: float, expected_seconds: float) -> float | None:
        """How long after its arrival a first part should leave; None where nothing is known yet.

        number: of the part that is heard first, from 0. seconds: how long it plays. speed: times as fast as at speed 1.
        expected_seconds: about how long the whole text plays. What one in two of the recent texts needed is waited for:
        more would let all begin later for the sake of a few.
        """
        needs = sorted(
            _missing_seconds(parts[number:], seconds, speed, OFTEN_LONGER * expected_seconds)
            for parts in self._texts
            if len(parts) > number + 1
        )
        if not needs:
            return None
        need = needs[len(needs) // 2]
        return min(MOST_HELD_SECONDS, max(0.0, need))


def _missing_seconds(parts: Sequence[ArrivedPart], seconds: float, speed: float, most: float) -> float:
    """How much too late the latest of the parts behind the first comes, where the first plays for so long; below zero
    where all come early enough."""
    played, missing = seconds, float("-inf")
    for part in parts[1:]:
        missing = max(missing, part.came - parts[0].came - played)
        played += part.seconds / speed
        if played >= most:
            break
    return missing


@dataclass
class Pacing:
    """The parts of one text, on their way from the model to the player. height: times as fast as they are made, they
    are played. expected_seconds: as in `RecentPace.hold_seconds`."""

    pace: RecentPace
    sample_rate: int
    speed: float
    height: float
    expected_seconds: float
    stream: Arriving | None = None  # of the first piece of the text; those behind it follow without a hold
    _lengths: list[int] = field(default_factory=list)

    def begun(self, stream: Arriving) -> None:
        if self.stream is None:
            self.stream = stream

    def came(self, samples: int) -> None:
        """Another part was read, with so many samples to play."""
        self._lengths.append(samples)

    def hold(self, samples: int) -> None:
        """Wait until the part that was read last may leave as the first one. It is not waited for what will not come:
        the text is whole, or it is cancelled."""
        stream, number = self.stream, len(self._lengths) - 1
        if stream is None or number >= len(stream.arrivals):
            return
        played_speed = self.speed * self.height
        seconds = samples / self.sample_rate / self.height
        wanted = self.pace.hold_seconds(number, seconds, played_speed, self.expected_seconds)
        until = stream.arrivals[number] + (MOST_HELD_SECONDS if wanted is None else wanted)
        with stream.condition:
            while not stream.ended and not stream.cancelled:
                is_followed = len(stream.arrivals) > number + 1
                if (left := until - time.monotonic()) <= 0 or (wanted is None and is_followed):
                    return
                stream.condition.wait(left)

    def learn(self) -> None:
        """The text was spoken to its end."""
        if self.stream is not None:
            pairs: Iterable[tuple[float, int]] = zip(self.stream.arrivals, self._lengths, strict=False)
            self.pace.learn([ArrivedPart(came, samples / self.sample_rate * self.speed) for came, samples in pairs])
