"""Pieces that are planned, in work and finished, and the clock -> how much of the work is done, and the time left.

The rest of the work is played through a few times: the rows go on with the pieces that are in work, take the next one
when one is finished, and run out of pieces at the end. How long a piece becomes is not known before its end, so each
time it gets another length of those that are likely, longer than what is made of it already.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Hashable
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Protocol

KNOWN_SECONDS = 6.0  # of finished speech after which its own pace weighs as much as the usual one
USUAL_PACE = 0.8  # of voices: a cautious reader's is 1
SPREAD = 0.07  # standard deviation of a piece's length, as a share of what is expected
LEAST_LEFT = 0.02  # seconds of speech of a piece that is not over
PLAYS = 8  # how often the rest is played through
PLAYED_PIECES = 4  # waiting pieces for each row that are played; those before them are reckoned at full rows
FORGET_SECONDS = 30.0  # after which a measured speed counts a third: other programs come and go
LEAST_FADE = 1e-9  # after hours in which the program was stopped, what was known is worth little, but more than nothing
SURE_SECONDS = (
    3.0  # of measured work with so many rows, after which it counts as much as what other numbers of rows say
)
STEP_COSTS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)  # what a step costs besides its rows, in times of one row


class Making(Protocol):
    """What is seen of a piece in work: SpeechStream is one."""

    @property
    def frames(self) -> int: ...
    @property
    def decoded_frames(self) -> int: ...
    @property
    def vain_frames(self) -> int: ...
    @property
    def ended(self) -> bool: ...


@dataclass
class _Speed:
    """How long a step of so many rows takes, as far as it was measured. Steps are counted in seconds of speech.
    step_cost: what is usual of STEP_COSTS."""

    step_cost: float
    seconds: dict[int, float] = field(default_factory=dict)
    steps: dict[int, float] = field(default_factory=dict)

    def add(self, rows: int, seconds: float, steps: float) -> None:
        fade = max(LEAST_FADE, math.exp(-seconds / FORGET_SECONDS))
        for known in (self.seconds, self.steps):
            for number in known:
                known[number] *= fade
        self.seconds[rows] = self.seconds.get(rows, 0.0) + seconds
        self.steps[rows] = self.steps.get(rows, 0.0) + steps

    def by_rows(self, most: int) -> list[float]:
        """Seconds that rows take for a second of speech each: of 0 rows, of 1, ... of `most`. Empty while nothing is
        known. A step costs something besides its rows; how much follows from what was measured, else it is usual."""
        known = {rows: steps for rows, steps in self.steps.items() if steps > 0 and self.seconds[rows] > 0}
        if not known:
            return []
        _, cost, unit = min(self._fit(known, cost) for cost in STEP_COSTS)
        found = [0.0]
        for rows in range(1, most + 1):
            model = unit * (cost + rows)
            seconds, steps = self.seconds.get(rows, 0.0), self.steps.get(rows, 0.0)
            found.append((seconds + SURE_SECONDS) / (steps + SURE_SECONDS / model))
        return found

    def _fit(self, known: dict[int, float], cost: float) -> tuple[float, float, float]:
        """(how badly it fits, cost, seconds of one row)."""
        # A short while says little: rows make frames for a second, then sound of them for another.
        weights = {rows: self.seconds[rows] ** 2 / (self.seconds[rows] + SURE_SECONDS) for rows in known}
        total = sum(weights.values())
        logs = {rows: math.log(self.seconds[rows] / steps / (cost + rows)) for rows, steps in known.items()}
        middle = sum(weights[rows] * logs[rows] for rows in known) / total
        misfit = sum(weights[rows] * (logs[rows] - middle) ** 2 for rows in known)
        return misfit + 0.1 * math.log2(cost / self.step_cost) ** 2, cost, math.exp(middle)


class TimeLeft:
    """How much of a long work is done, and how long the rest takes. One thread plans and begins, another one may ask.

    rows: pieces made side by side. frame_rate: frames a second of speech. step_cost: see DevicePolicy.
    finished_pieces: with those that were there already.
    """

    def __init__(self, rows: int = 1, frame_rate: float = 1.0, step_cost: float = 0.5):
        self.use_model(rows, frame_rate, step_cost)
        self.finished_pieces = 0
        self._kept_expected = 0.0
        self._waiting: dict[Hashable, float] = {}
        self._waiting_expected = 0.0
        self._working: dict[Hashable, tuple[float, Making]] = {}
        self._finished_expected = 0.0
        self._finished = 0.0
        self._vain = 0.0

    def use_model(self, rows: int, frame_rate: float, step_cost: float = 0.5) -> None:
        """From now on another model makes the pieces: what is known of the speed is forgotten."""
        self.rows, self._frame_rate = rows, frame_rate
        self._speed = _Speed(step_cost)
        self._seen: tuple[float, float] | None = None  # when it was asked last, and the seconds made by then

    def plan(self, key: Hashable, expected_seconds: float) -> None:
        """A piece waits for its turn. Pieces have their turn in the order in which they are planned."""
        self.drop(key)
        self._waiting[key] = expected_seconds
        self._waiting_expected += expected_seconds

    def is_there(self, expected_seconds: float) -> None:
        """A piece was made by an earlier run: it takes no time, but is a part of the whole."""
        self._kept_expected += expected_seconds
        self.finished_pieces += 1

    def drop(self, key: Hashable) -> None:
        """It need not be made, or it was made elsewhere."""
        self._waiting_expected -= self._waiting.pop(key, 0.0)

    def begins(self, key: Hashable, expected_seconds: float, making: Making) -> None:
        """A piece is in work until `making` has ended."""
        self.drop(key)
        self._working[key] = (expected_seconds, making)

    def finished(self, expected_seconds: float, seconds: float) -> None:
        """A piece is over that was made where nobody sees its frames."""
        self._finished_expected += expected_seconds
        self._finished += seconds
        self.finished_pieces += 1

    @property
    def pace(self) -> float:
        """Seconds of this voice's speech for one expected second, cautious while little is known."""
        return (self._finished + USUAL_PACE * KNOWN_SECONDS) / (self._finished_expected + KNOWN_SECONDS)

    @property
    def made_seconds(self) -> float:
        """The speech that is there, also of pieces in work; of what was there already about as much."""
        self._settle()
        working = sum(self._made(making) for _, making in list(self._working.values()))
        return self._kept_expected * self.pace + self._finished + working

    @property
    def share(self) -> float:
        """How much of the work is done, 0 to 1; what was spoken in vain does not count."""
        done, pace = self.made_seconds, self.pace
        left = max(0.0, self._waiting_expected) * pace
        for expected, making in list(self._working.values()):
            made = self._made(making)
            left += max(_length(expected * pace, made, 0.5) - made, LEAST_LEFT)
        return done / max(done + left, 1e-6)

    def seconds(self, now: float) -> float | None:
        """Seconds of work that are left; None while no speed is known. now: of any clock; ask several times a second,
        since the speed is measured between one time and the next."""
        self._measure(now)
        steps = self._speed.by_rows(max(1, self.rows))
        if not steps:
            return None
        again = 1 + self._vain / (self._finished + sum(self._made(m) for _, m in list(self._working.values())) + 10.0)
        return again * sum(self._played(number, steps) for number in range(PLAYS)) / PLAYS

    def _made(self, making: Making) -> float:
        return making.frames / self._frame_rate

    def _work(self, making: Making) -> float:
        """The seconds made, where half of the work of a frame is to make sound of it: on a CPU rows do one, then the
        other for a whole piece of sound."""
        return (making.frames + making.decoded_frames) / 2 / self._frame_rate

    def _settle(self) -> None:
        """What is over is no longer in work."""
        for key, (expected, making) in list(self._working.items()):
            if making.ended:
                del self._working[key]
                self.finished(expected, self._made(making))
                self._vain += making.vain_frames / self._frame_rate

    def _measure(self, now: float) -> None:
        active = sum(making.frames > 0 for _, making in list(self._working.values()))
        self._settle()
        working = list(self._working.values())
        made = self._finished + self._vain + sum(
            self._work(making) + making.vain_frames / self._frame_rate for _, making in working
        )  # fmt: skip
        before, self._seen = self._seen, (now, made)
        if before is None or not before[1] or not active:
            return  # the time before the first frame is that of beginning
        rows = min(active, self.rows)
        self._speed.add(rows, now - before[0], max(0.0, made - before[1]) / rows)

    def _played(self, number: int, steps: list[float]) -> float:
        """The time left where each piece gets the length that it has in this play."""
        pace, rows = self.pace, len(steps) - 1
        waiting = list(self._waiting.items())
        played = waiting[-PLAYED_PIECES * rows :]
        before = max(0.0, self._waiting_expected - sum(expected for _, expected in played)) * pace
        passed = before * steps[rows] / rows
        lengths = []
        for key, (expected, making) in list(self._working.items()):
            made = self._made(making)
            lengths.append(_length(expected * pace, made, _chance(key, number)) - self._work(making))
        lengths.extend(_length(expected * pace, 0.0, _chance(key, number)) for key, expected in played)
        lengths.reverse()
        ends: list[float] = []  # of the rows that work, in seconds of speech that each of them has made
        at = 0.0
        while lengths or ends:
            while lengths and len(ends) < rows:
                heapq.heappush(ends, at + lengths.pop())
            end = heapq.heappop(ends)
            passed += (end - at) * steps[len(ends) + 1]
            at = end
        return passed


def _chance(key: Hashable, play: int) -> float:
    """Between 0 and 1, spread evenly over the plays of a piece, and always the same: so the time left does not jump."""
    return ((hash(key) * 0.6180339887 + play / PLAYS) % 1.0) * 0.96 + 0.02


def _length(expected: float, made: float, chance: float) -> float:
    """A likely length of a piece of which so much is made already. chance: which one, 0 to 1."""
    likely = NormalDist(expected, SPREAD * expected + 0.1)
    gone = min(likely.cdf(made), 0.9999)
    return max(made, likely.inv_cdf(gone + (1 - gone) * chance))
