"""How fast one connection may ask while something is spoken: a burst, then so many requests or messages a second."""

from __future__ import annotations

import time
from collections.abc import Callable

BURST, A_SECOND = 200, 500  # of which none costs more than 0.2 ms: a tenth of a processor for one connection


class Pace:
    """Of one connection. Words of a language model come at 200 a second at most; what is faster is a flood, or a text
    that will be spoken for minutes.

    is_busy: whether anything is spoken. If not, everything is read as fast as it comes: that a client is gone is only
    seen when all that it has sent is read.
    """

    def __init__(self, is_busy: Callable[[], bool], burst: int = BURST, a_second: int = A_SECOND):
        self._is_busy = is_busy
        self._each, self._burst_seconds = 1 / a_second, burst / a_second
        self._due = 0.0  # of `time.monotonic`: when all that came would have come at this pace

    def wait_seconds(self) -> float:
        """Count one more; the seconds until the next may come."""
        if not self._is_busy():
            return 0.0
        now = time.monotonic()
        self._due = max(self._due, now - self._burst_seconds) + self._each
        return max(0.0, self._due - now)
