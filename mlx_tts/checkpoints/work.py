"""What a conversion has to do, and what is done of it -> how much of it is done, and the time that is left.

Work is of several kinds: fitting scales, reading weights, writing a file. Each has a usual cost, which says how the
kinds compare before anything is measured; from then on the seconds that a kind took count.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

# Usual seconds of one core. They are right for their proportions alone.
FIT_SECONDS = 70e-9  # for scales and codes of a weight
MAKE_SECONDS = 5e-9  # to read and cast a weight
WRITE_SECONDS = 1e-9  # a byte
FITTING, MAKING, WRITING = "fitting", "making", "writing"
SURE_SECONDS = 0.3  # that a kind of work took, after which its own speed counts as much as what is usual
MOST_OF_A_STEP = 0.95  # counts as done of a step that takes longer than it should


@dataclass
class _Kind:
    """usual: seconds that are still to be done, done, and in the step that is going on, as they usually take. seconds:
    that the done ones really took."""

    left: float = 0.0
    done: float = 0.0
    seconds: float = 0.0


@dataclass(frozen=True)
class _Step:
    """share: how much of it is done, where something can tell; else the clock says it."""

    kind: str
    usual: float
    began: float
    share: Callable[[], float] | None


class ConversionWork:
    """One thread plans and does the work, and tells lines of it; another one may ask what is left.

    tell: takes a line about what is being done. clock: seconds."""

    def __init__(self, tell: Callable[[str], None], clock: Callable[[], float] = time.perf_counter):
        self._tell, self._clock = tell, clock
        self._kinds: dict[str, _Kind] = {}
        self._step: _Step | None = None
        self._last: tuple[str, float] | None = None  # the kind of the last step, and when it ended
        self._lock = threading.Lock()
        self._is_stoppable, self.is_stopped = False, False  # is_stopped: asked by the work that is stoppable

    @classmethod
    def of(cls, log: Callable[[str], None]) -> ConversionWork:
        """The work that tells its lines to `log`; `log` itself where it is one."""
        return log if isinstance(log, cls) else cls(log)

    def __call__(self, line: str) -> None:
        self._tell(line)

    def plan(self, kind: str, usual_seconds: float) -> None:
        """So much more is to be done; less than 0: so much need not be done after all."""
        with self._lock:
            found = self._kinds.setdefault(kind, _Kind())
            found.left = max(0.0, found.left + usual_seconds)

    def drop(self, kind: str) -> None:
        """Nothing of this kind is left."""
        with self._lock:
            self._kinds.setdefault(kind, _Kind()).left = 0.0

    @contextmanager
    def doing(self, kind: str, usual_seconds: float, share: Callable[[], float] | None = None) -> Iterator[None]:
        """So much of what was planned is done while this lasts. share: 0 to 1, asked from another thread. What is done
        between two steps belongs to the first one's kind: it comes again with each."""
        began = self._clock()
        with self._lock:
            if self._last is not None:
                before, ended = self._last
                self._kinds[before].seconds += began - ended
        self._step = _Step(kind, usual_seconds, began, share)
        try:
            yield
        finally:
            with self._lock:
                found = self._kinds.setdefault(kind, _Kind())
                found.left = max(0.0, found.left - usual_seconds)
                found.done += usual_seconds
                now = self._clock()
                found.seconds += now - self._step.began
                self._step, self._last = None, (kind, now)

    @contextmanager
    def stoppable(self) -> Iterator[None]:
        """While this lasts the work may be stopped, and what comes after it goes on all the same."""
        self._is_stoppable, self.is_stopped = True, False
        try:
            yield
        finally:
            self._is_stoppable = False

    def stop(self) -> bool:
        """Ask what is going on to end soon. False where it cannot, or was asked already."""
        can = self._is_stoppable and not self.is_stopped
        self.is_stopped = self.is_stopped or can
        return can

    @property
    def left(self) -> tuple[float | None, float]:
        """Seconds that are left, None while no speed is known; and the share of the work that is done, 0 to 1."""
        with self._lock:
            step, now = self._step, self._clock()
            kinds = {name: (kind.left, kind.done, kind.seconds) for name, kind in self._kinds.items()}
        done = sum(done for _, done, _ in kinds.values())
        seconds = sum(seconds for _, _, seconds in kinds.values())
        if step is not None and step.share is not None and (share := min(step.share(), 1.0)) > 0:
            left, of_kind, took = kinds.get(step.kind, (step.usual, 0.0, 0.0))
            made = share * step.usual
            kinds[step.kind] = (max(0.0, left - made), of_kind + made, took + now - step.began)
            done, seconds = done + made, seconds + now - step.began
        if done <= 0:
            return None, 0.0
        slowness = seconds / done  # times of the usual
        ahead = past = 0.0
        for name, (left, of_kind, took) in kinds.items():
            own = (took + SURE_SECONDS) / (of_kind + SURE_SECONDS / slowness)
            ahead, past = ahead + left * own, past + of_kind * own
            if step is not None and step.share is None and step.kind == name:
                made = min(now - step.began, MOST_OF_A_STEP * step.usual * own, left * own)
                ahead, past = ahead - made, past + made
        return max(ahead, 0.0), past / max(past + ahead, 1e-9)
