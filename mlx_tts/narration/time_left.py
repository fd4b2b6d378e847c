"""Pieces that are planned, in work and finished, and the clock -> how much of the work is done, and the time left.

The rest of the work is played through a few times: the rows go on with the pieces that are in work, take the next one
when one is finished, and run out of pieces at the end. How long a piece becomes is not known before its end, so each
time it gets another length of those that are likely, longer than what is made of it already.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Hashable
from statistics import NormalDist
from typing import Protocol
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

KNOWN_SECONDS = 6.0  # of finished speech after which its own pace weighs as much as the usual one
KNOWN_MADE_SECONDS = 25.0  # of speech that is kept, after which the share of what was made in vain counts by half
USUAL_VAIN = 0.08  # seconds made in vain for each that is kept, as long as little is known
USUAL_PACE = 0.8  # of voices: a cautious reader's is 1
SPREAD = 0.07  # standard deviation of a piece's length, as a share of what is expected
LEAST_LEFT = 0.02  # seconds of speech of a piece that is not over
PLAYS = 8  # how often the rest is played through
PLAYED_PIECES = 4  # waiting pieces for each row that are played; those before them are reckoned at full rows
FORGET_SECONDS = 30.0  # after which what was measured of the costs' proportions counts a third
LATELY_SECONDS = 10.0  # and of how fast the machine is, since other programs come and go
LEAST_FADE = 1e-9  # after hours in which the program was stopped, what was known is worth little, but more than nothing
BLOCK_SECONDS = 1.0  # at least, of what the speed is measured by: rows make frames for a while, then sound of them
MISS = 0.2  # seconds by which the costs usually miss a block of one second
STEP_COSTS = tuple(2.0**power for power in range(-4, 7))  # what a step may cost besides its rows, in times of one row
SOUND_COSTS = tuple(2.0**power for power in range(-5, 4))  # what the sound of a frame may cost, in times of one row
USUAL_SOUND_COST = 1.0
UNLIKELY = 0.3  # exponent by which a cost of twice or half the usual one counts less


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


class _Costs:
    """What a second of speech costs of each part of the work, as far as it was measured: a step, whatever rows it has;
    the frames of a row; their sound. Work is [steps, frames, sound], each in seconds of speech.

    The proportions that were tried are STEP_COSTS and SOUND_COSTS; each counts as much as it explains the time that
    was taken. step_cost: which of STEP_COSTS is usual."""

    def __init__(self, step_cost: float):
        pairs = [(step, sound) for step in STEP_COSTS for sound in SOUND_COSTS]
        self._forms = np.array([(step, 1.0, sound) for step, sound in pairs])
        off = [math.log2(step / step_cost) ** 2 + math.log2(sound / USUAL_SOUND_COST) ** 2 for step, sound in pairs]
        self._unlikely = UNLIKELY * np.array(off)
        self._seconds = 0.0
        self._work = np.zeros(3)
        self._squares = np.zeros((3, 3))  # of work, over the seconds that it took
        self._lately_seconds, self._lately = 0.0, np.zeros(3)  # the same, sooner forgotten

    def add(self, work: NDArray[np.float64], seconds: float) -> None:
        fade = max(LEAST_FADE, math.exp(-seconds / FORGET_SECONDS))
        self._seconds = fade * self._seconds + seconds
        self._work = fade * self._work + work
        self._squares = fade * self._squares + np.outer(work, work) / seconds
        fade = max(LEAST_FADE, math.exp(-seconds / LATELY_SECONDS))
        self._lately_seconds = fade * self._lately_seconds + seconds
        self._lately = fade * self._lately + work

    def costs(self) -> NDArray[np.float64] | None:
        """Seconds of each part [3]; None while nothing is known."""
        explained = self._forms @ self._work
        squares = np.einsum("fi,ij,fj->f", self._forms, self._squares, self._forms)
        if not self._work.any() or not (squares > 0).all():
            return None
        unit = explained / squares
        misses = (self._seconds - explained * unit) / MISS**2
        weights = np.exp(-0.5 * (misses - misses.min()) - self._unlikely)
        costs: NDArray[np.float64] = (weights * unit) @ self._forms / weights.sum()
        return costs * self._lately_seconds / float(costs @ self._lately)


class TimeLeft:
    """How much of a long work is done, and how long the rest takes. One thread plans and begins, another one may ask.

    rows: pieces made side by side. frame_rate: frames a second of speech. step_cost: see DevicePolicy.
    finished_pieces: with those that were there already.
    """

    def __init__(self, rows: int = 1, frame_rate: float = 1.0, step_cost: float = 2.0):
        self.use_model(rows, frame_rate, step_cost)
        self.finished_pieces = 0
        self._kept_expected = 0.0
        self._waiting: dict[Hashable, float] = {}
        self._waiting_expected = 0.0
        self._working: dict[Hashable, tuple[float, Making]] = {}
        self._finished_expected = 0.0
        self._finished = 0.0
        self._vain = 0.0

    def use_model(self, rows: int, frame_rate: float, step_cost: float = 2.0) -> None:
        """From now on another model makes the pieces: what is known of the speed is forgotten."""
        self.rows, self._frame_rate = rows, frame_rate
        self._costs = _Costs(step_cost)
        self._counted: dict[Hashable, tuple[int, int]] = {}  # frames and sound of pieces in work at the last look
        self._block = np.zeros(3)  # the work since the last block ended
        self._block_began: float | None = None

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
    def shown_seconds(self) -> float:
        """`made_seconds`, where a frame without its sound counts half: rows make frames for a while and then sound of
        them, and what is shown moves all the time."""
        return self.made_seconds - 0.5 * self.silent_seconds

    @property
    def silent_seconds(self) -> float:
        """Of the speech that is made, what has no sound yet."""
        working = [making for _, making in list(self._working.values())]
        return sum(max(0, making.frames - making.decoded_frames) for making in working) / self._frame_rate

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
        costs = self._costs.costs()
        if costs is None:
            return None
        work = sum((self._played(number) for number in range(PLAYS)), np.zeros(3)) / PLAYS
        return self._again * float(costs @ work)

    @property
    def _again(self) -> float:
        """How much longer the rest takes since pieces are spoken again: as often as until now, cautious while little
        is made. That a take will be thrown away is not known before it ends: a piece that is spoken again is a
        surprise, and each one makes the time left jump."""
        working = [making for _, making in list(self._working.values())]
        vain = self._vain + sum(making.vain_frames for making in working) / self._frame_rate
        kept = self._finished + sum(map(self._made, working))
        return 1 + (vain + USUAL_VAIN * KNOWN_MADE_SECONDS) / (kept + KNOWN_MADE_SECONDS)

    def _made(self, making: Making) -> float:
        return making.frames / self._frame_rate

    def _settle(self) -> None:
        """What is over is no longer in work."""
        for key, (expected, making) in list(self._working.items()):
            if making.ended:
                del self._working[key]
                self._counted.pop(key, None)
                self.finished(expected, self._made(making))
                self._vain += making.vain_frames / self._frame_rate

    def _measure(self, now: float) -> None:
        """Count what was made since the last look. A block of work ends where something was made: what comes in lumps
        took the time before it as well."""
        frames, sounds = [0], [0]
        for key, (_, making) in list(self._working.items()):
            made, sound = making.frames + making.vain_frames, making.decoded_frames + making.vain_frames
            made_before, sound_before = self._counted.get(key, (0, 0))
            self._counted[key] = (made, sound)
            frames.append(max(0, made - made_before))
            sounds.append(max(0, sound - sound_before))
        self._settle()
        if self._block_began is None:
            # The time before the first frame is that of beginning.
            self._block_began = now if any(frames) else None
            return
        steps = max(max(frames), sum(frames) / max(1, self.rows))
        self._block += np.array([steps, sum(frames), sum(sounds)]) / self._frame_rate
        seconds = now - self._block_began
        if (any(frames) or any(sounds)) and (seconds >= BLOCK_SECONDS or (self._costs.costs() is None and seconds > 0)):
            self._costs.add(self._block, seconds)
            self._block, self._block_began = np.zeros(3), now

    def _played(self, number: int) -> NDArray[np.float64]:
        """The work that is left [steps, frames, sound], where each piece gets the length that it has in this play."""
        pace, rows = self.pace, max(1, self.rows)
        waiting = list(self._waiting.items())
        played = waiting[-PLAYED_PIECES * rows :]
        before = max(0.0, self._waiting_expected - sum(expected for _, expected in played)) * pace
        lengths, silent = [], 0.0
        for key, (expected, making) in list(self._working.items()):
            made = self._made(making)
            lengths.append(_length(expected * pace, made, _chance(key, number)) - made)
            silent += max(0.0, made - making.decoded_frames / self._frame_rate)
        lengths.extend(_length(expected * pace, 0.0, _chance(key, number)) for key, expected in played)
        ends = [0.0] * rows  # of each row, in seconds of speech
        for length in lengths:
            heapq.heapreplace(ends, ends[0] + length)
        frames = before + sum(lengths)
        return np.array([before / rows + max(ends), frames, frames + silent])


def _chance(key: Hashable, play: int) -> float:
    """Between 0 and 1, spread evenly over the plays of a piece, and always the same: so the time left does not jump."""
    return ((crc32(repr(key).encode()) * 0.6180339887 + play / PLAYS) % 1.0) * 0.96 + 0.02


def _length(expected: float, made: float, chance: float) -> float:
    """A likely length of a piece of which so much is made already. chance: which one, 0 to 1."""
    likely = NormalDist(expected, SPREAD * expected + 0.1)
    gone = min(likely.cdf(made), 0.9999)
    return max(made, likely.inv_cdf(gone + (1 - gone) * chance))
