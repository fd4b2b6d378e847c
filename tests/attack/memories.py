"""Memory after each of many sessions -> by how much it grows from one to the next, and how sure that is.

Allocators and caches fill once, in steps of megabytes: a plateau. What grows on in the later half of the sessions is a
leak. That half is cut into blocks, and the medians of neighbouring blocks are compared: a single peak changes no median,
one step raises the mean of the differences by no more than their error, and what grows with each session is in all of
them. So the error holds the noise of the very sessions that are judged.

Caches of a fresh server fill over its first hundred sessions, and that is as steady as a leak. So a growth above the limit
is a fault only after the last round: a leak goes on until then. Where even that round cannot tell (the error is too
large), the figures are noted and no fault is claimed; the growth over all sessions, and the most memory there may be, are
judged besides.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import mean, median, stdev

BLOCKS = 8
ROUNDS = (80, 160, 320)  # sessions: more of them until the growth is surely allowed
LOOKED_AT = 32 << 20  # bytes: who leaves so much more memory than was known is repeated
# Bytes a session. The error that was measured (docs/attacks.md): 0.1 KiB where all is filled, 60 to 100 in the first eighty
# sessions of a fresh server, 41 over 631 of all kinds.
MOST_A_SESSION = 64 << 10
MOST_ABOVE = 128 << 20  # bytes that all caches and allocators may hold above what the settled server does
ERRORS = 2.0  # so many errors above or below the limit is sure


def growth(memories: Sequence[int]) -> tuple[float, float]:
    """Bytes a session in the later half of at least 32 sessions, and the standard error of that."""
    size = len(memories) // 2 // BLOCKS
    later = memories[len(memories) - size * BLOCKS :]
    medians = [median(later[start : start + size]) for start in range(0, len(later), size)]
    steps = [(after - before) / size for before, after in pairwise(medians)]
    return mean(steps), stdev(steps) / len(steps) ** 0.5


def is_below(memories: Sequence[int]) -> bool:
    """Whether the growth is surely less than the limit, so that no further session is needed."""
    grows, error = growth(memories)
    return grows + ERRORS * error <= MOST_A_SESSION


def fault_of(memories: Sequence[int]) -> str | None:
    """What is wrong with a growth that is surely above the limit, in words, with the figures."""
    grows, error = growth(memories)
    if grows - ERRORS * error <= MOST_A_SESSION:
        return None
    return (
        f"memory grows by {grows / 1024:.0f} KiB a session (error {error / 1024:.0f}, at most "
        f"{MOST_A_SESSION >> 10} are allowed), and is {memories[-1] >> 20} MiB after {len(memories)} of them"
    )
