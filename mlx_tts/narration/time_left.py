"""Pieces that are planned, in work and finished, and the clock -> how much of the work is done, and the time left.

The rest of the work is played through a few times: the rows go on with the pieces that are in work, take the next one
when one is finished, and run out of pieces at the end. How long a piece becomes is not known before its end, so each
time it gets another length of those that are likely, longer than what is made of it already. The guard may also throw
a take away, which nobody knows before its end: so in some of the plays a piece is spoken again, as often as it happened
until now. What is told is the median of the plays: a last piece that may be spoken again mostly is not.
"""

from __future__ import annotations

import heapq
import math
import operator
from collections.abc import Hashable
from itertools import accumulate
from statistics import NormalDist
from typing import Protocol
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from mlx_tts.text.cutting.pieces import PIECE_SECONDS

KNOWN_SECONDS = 6.0  # of finished speech after which its own pace weighs as much as the usual one
# Shares of takes that may be thrown away, and how likely each share is before anything is known: of first takes, of
# second takes, which often have the fault of the first, and of later ones, which the guard keeps as the best it has.
# One piece that is spoken again says little of the others; three of six say much.
THROWN = (0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8)
USUAL_THROWN = (
    (0.88, 0.11, 0.004, 0.003, 0.0015, 0.001, 0.0005),
    (0.15, 0.15, 0.15, 0.2, 0.15, 0.1, 0.1),
    (0.9, 0.04, 0.02, 0.02, 0.01, 0.005, 0.005),
)
USUAL_PACE = 0.92  # of voices: the mean of the built-in four (0.83 to 0.98); a cautious reader's is 1
SPREAD = 0.07  # standard deviation of a piece's length, as a share of what is expected
LEAST_LEFT = 0.02  # seconds of speech of a piece that is not over
PLAYS = 24  # how often the rest is played through, and of many rows, whose lengths even out, each third of the plays
FEW_ROWS = 8
LONGEST_PIECE = 1.5  # times the usual most of a piece; what is longer will be cut
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
        self._thrown = [
            np.array(usual) / sum(usual) for usual in USUAL_THROWN
        ]  # how likely each of THROWN is, of a take by number
        self._takes: dict[Hashable, tuple[int, int]] = {}  # of pieces in work: the take's number, and frames in vain

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
        plays, waiting = range(0, PLAYS, 1 if self.rows <= FEW_ROWS else 3), self._last_waiting()
        return float(np.median([costs @ self._played(number, waiting) for number in plays]))

    def _more_takes(self, take: int) -> list[float]:
        """How likely it is that at least one, two, ... takes more follow a take that is in work; `take` counts from 0.
        A piece that is spoken again is a surprise, and each one makes the time left jump."""
        chances = [float(likely @ THROWN) for likely in self._thrown[min(take, len(self._thrown) - 1) :]]
        return list(accumulate(chances, operator.mul))

    def _made(self, making: Making) -> float:
        return making.frames / self._frame_rate

    def _settle(self) -> None:
        """What is over is no longer in work, and takes that were thrown away are counted."""
        for key, (expected, making) in list(self._working.items()):
            take, vain = self._takes.get(key, (0, 0))
            if making.vain_frames > vain:
                self._take_is_over(take, thrown=True)
                take += 1
                self._takes[key] = take, making.vain_frames
            if making.ended:
                del self._working[key]
                self._takes.pop(key, None)
                self._counted.pop(key, None)
                self._take_is_over(take, thrown=False)
                self.finished(expected, self._made(making))

    def _take_is_over(self, take: int, thrown: bool) -> None:
        likely = self._thrown[min(take, len(self._thrown) - 1)]
        likely *= THROWN if thrown else 1 - np.array(THROWN)
        likely /= likely.sum()

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

    def _last_waiting(self) -> list[tuple[Hashable, float]]:
        """The waiting pieces that are played, in their order: the last ones."""
        most, found = PLAYED_PIECES * max(1, self.rows), list[tuple[Hashable, float]]()
        for key, expected in reversed(list(self._waiting.items())):
            if len(found) >= most:
                break
            found.extend(reversed(_parts(key, expected)))
        return found[:most][::-1]

    def _played(self, number: int, played: list[tuple[Hashable, float]]) -> NDArray[np.float64]:
        """The work that is left [steps, frames, sound], where each piece gets the length that it has in this play.
        played: of the waiting pieces those that are played."""
        pace, rows, first = self.pace, max(1, self.rows), self._more_takes(0)
        before = max(0.0, self._waiting_expected - sum(expected for _, expected in played)) * pace * (1 + sum(first))
        lengths, silent = [], 0.0
        for key, (expected, making) in list(self._working.items()):
            made, (take, _) = self._made(making), self._takes.get(key, (0, 0))
            length = _length(expected * pace, made, _chance(key, number))
            lengths.append((1 + _again(self._more_takes(take), key, number)) * length - made)
            silent += max(0.0, made - making.decoded_frames / self._frame_rate)
        lengths.extend(
            (1 + _again(first, key, number)) * _length(expected * pace, 0.0, _chance(key, number))
            for key, expected in played
        )
        ends = [0.0] * rows  # of each row, in seconds of speech
        for length in lengths:
            heapq.heapreplace(ends, ends[0] + length)
        frames = before + sum(lengths)
        return np.array([before / rows + max(ends), frames, frames + silent])


def _parts(key: Hashable, expected: float) -> list[tuple[Hashable, float]]:
    """The pieces that a waiting text will be cut into: a line of a batch is cut when its turn comes."""
    if expected <= LONGEST_PIECE * PIECE_SECONDS:
        return [(key, expected)]
    count = math.ceil(expected / PIECE_SECONDS)
    return [((key, number), expected / count) for number in range(count)]


def _chance(key: Hashable, play: int) -> float:
    """Between 0.02 and 0.98, spread evenly over the plays of a piece, and always the same: so the time left does not
    jump."""
    return _drawn(repr(key), play) * 0.96 + 0.02


def _again(more_takes: list[float], key: Hashable, play: int) -> int:
    """How many takes more a piece has in this play. more_takes: the chances of at least one, two, ... of them."""
    drawn = _drawn(f"again {key!r}", play)
    return sum(drawn < chance for chance in more_takes)


def _drawn(name: str, play: int) -> float:
    """From 0 to below 1."""
    return (crc32(name.encode()) * 0.6180339887 + play / PLAYS) % 1.0


def _length(expected: float, made: float, chance: float) -> float:
    """A likely length of a piece of which so much is made already. chance: which one, 0 to 1."""
    likely = NormalDist(expected, SPREAD * expected + 0.1)
    gone = min(likely.cdf(made), 0.9999)
    return max(made, likely.inv_cdf(gone + (1 - gone) * chance))
