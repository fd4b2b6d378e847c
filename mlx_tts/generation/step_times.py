"""The engine's steps as they happen -> how long a step of n rows takes here, and how many rows stay in real time."""

from __future__ import annotations

import time

WINDOW_SECONDS = 0.5  # of steps that are averaged: prompts and sound come in some steps and not in others
WINDOW_PAUSE_SECONDS = 10.0  # a window that was interrupted for longer begins anew
NEW_SHARE = 0.25  # of a new window in what was known before
KEEP_SECONDS = 120.0  # what was measured longer ago may be measured again
MARGIN = 0.95  # of real time, so that a listener stays ahead


class StepTimes:
    """Written by the MLX thread; any thread may read, since each entry is one assignment.

    frame_seconds: of sound in a frame. row_cost: what another row adds to a step, as a share of what the rows before it
    take each: 1 where rows are computed one after the other. It is used for numbers of rows that were not seen yet, and
    rather too small than too large: a number that was tried is measured half a second later, one that was never tried
    is not.
    """

    def __init__(self, frame_seconds: float, row_cost: float):
        self._frame_seconds, self._row_cost = frame_seconds, row_cost
        self._known: dict[int, tuple[float, float]] = {}  # rows -> seconds of a step, when that was
        self._last: float | None = None  # when the step before ended; None behind a pause
        self._latest = 0.0
        self._steps, self._rows, self._seconds = 0, 0, 0.0

    @property
    def is_known(self) -> bool:
        """Whether anything was measured yet."""
        return bool(self._known)

    def pause(self) -> None:
        """The next step comes after a time without work, which is not its own."""
        self._last = None

    def step(self, rows: int, now: float | None = None) -> None:
        """A step of so many rows has ended. now: of `time.monotonic`."""
        now = time.monotonic() if now is None else now
        last, self._last = self._last, now
        if now - self._latest > WINDOW_PAUSE_SECONDS:
            self._steps, self._rows, self._seconds = 0, 0, 0.0
        self._latest = now
        if last is None:
            return
        self._seconds += now - last
        if rows:
            self._steps, self._rows = self._steps + 1, self._rows + rows
        if self._seconds < WINDOW_SECONDS or not self._steps:
            return
        number, seconds = round(self._rows / self._steps), self._seconds / self._steps
        self._steps, self._rows, self._seconds = 0, 0, 0.0
        if number in self._known:
            before, _ = self._known[number]
            seconds = before + NEW_SHARE * (seconds - before)
        self._known = {**self._known, number: (seconds, now)}

    def step_seconds(self, rows: int, now: float | None = None) -> float | None:
        """Of a step of so many rows, from what is known of the nearest numbers of rows; None where nothing is known."""
        now = time.monotonic() if now is None else now
        if not (entries := self._known):
            return None
        newest = max(at for _, at in entries.values())
        oldest = min(newest, now - KEEP_SECONDS)
        known = {number: seconds for number, (seconds, at) in entries.items() if at >= oldest}
        longest = min((known[number] for number in known if number >= rows), default=float("inf"))
        nearest = max((number for number in known if number <= rows), default=None)
        if nearest is None:
            return longest  # fewer rows take no longer
        return min(longest, known[nearest] * (1 + self._row_cost * (rows - nearest) / nearest))

    def live_rows(self, most: int, now: float | None = None) -> int:
        """The largest number of rows, from 1 to `most`, that speak as fast as they are heard; `most` where nothing is
        known."""
        now = time.monotonic() if now is None else now
        for rows in range(1, most + 1):
            seconds = self.step_seconds(rows, now)
            if seconds is not None and seconds > MARGIN * self._frame_seconds:
                return max(1, rows - 1)
        return most

    def sound_rate(self, rows: int) -> float | None:
        """Seconds of sound a second of so many rows together; None where nothing is known."""
        seconds = self.step_seconds(rows)
        return None if not seconds else rows * self._frame_seconds / seconds
