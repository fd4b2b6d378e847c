"""What the decoder attends to, step by step -> where in the text it is, and the prior that keeps it going forward.

The rules are NeMo's, exactly: `get_most_attended_text_timestep`, `construct_inference_prior` for the first piece of a
text and `construct_multi_chunk_prior` for later ones.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

STUCK, WORN = 8, 10  # steps at one position: the next is taken; it and those before count as spoken
LAST = 3  # positions at the end of a text that are not searched
FORCED_AFTER, FORCED_LATER = 20, 5  # steps at the end before the end of speech is forced; in later pieces
PIECE_ENDS_AFTER = 3  # steps at the end before a piece ends that others follow
OPENING = (0.5, 1.0, 0.8, 0.2, 0.2)  # the first prior of a piece, from its first id on
AROUND = (0.2, 1.0, 0.6, 0.4, 0.2, 0.2)  # the prior of a piece around its position, from the one before it on
SHORT_TEXT, SHORT_PIECE = 5, 35  # ids: no prior for shorter ones

Prior = NDArray[np.float32]


@dataclass(frozen=True)
class Window:
    """The ids that the decoder attends to, of a text that may have begun before.

    ids: how many, of which the last `own` are the piece's. offset: of the first id in the whole text. attended: the
    position in the whole text where the piece before ended. first, final: whether the piece is the first, the last.
    """

    ids: int
    own: int
    offset: int = 0
    attended: int = 1
    first: bool = True
    final: bool = True


@dataclass
class Alignment:
    """One take's way through its window. prior: what the next step is decoded with; None: no prior yet."""

    window: Window
    epsilon: float
    lookahead: int
    prior: Prior | None = None
    attended: int = field(init=False)
    counts: Counter[int] = field(default_factory=Counter)
    steps_at_end: int = 0
    path: list[int] = field(default_factory=list)  # the attended position of each step

    def __post_init__(self) -> None:
        self.attended = self.window.attended
        if not self.window.first:
            self.prior = self._opening()

    def follow(self, scores: NDArray[np.float32]) -> None:
        """Take in a step's attention [ids]."""
        window = self.window
        n, offset = window.ids, window.offset
        start = self.attended - offset + (self.counts[self.attended] >= STUCK)
        # A piece may begin left of its window, where the reference's bounds count from the end, as Python's do.
        searched = scores[start : min(start + self.lookahead, n - LAST)]
        self.attended = offset + (start + int(np.argmax(searched)) if len(searched) else n - 1)
        self.counts[self.attended] += 1
        self.path.append(self.attended)
        self.prior = self._at_the_beginning() if window.first else self._later()
        near_end = n - 2 if window.first else n - LAST
        if self.steps_at_end or self.attended - offset >= near_end:
            self.steps_at_end += 1

    @property
    def may_end(self) -> bool:
        """Whether the end of speech may come, where the end of the text is watched."""
        return self.attended - self.window.offset >= self.window.ids - LAST

    @property
    def must_end(self) -> bool:
        return self.steps_at_end >= (FORCED_AFTER if self.window.first else FORCED_LATER)

    @property
    def piece_is_over(self) -> bool:
        """Whether a piece that others follow has been at its end long enough."""
        return not self.window.final and self.steps_at_end >= PIECE_ENDS_AFTER

    def _at_the_beginning(self) -> Prior:
        n, at = self.window.ids, self.attended
        if n <= SHORT_TEXT:
            return np.ones(n, np.float32)
        prior = np.full(n, self.epsilon, np.float32)
        prior[max(1, at - 1)] = prior[at] = 1
        for ahead in range(1, self.lookahead + 1):
            prior[min(at + ahead, n - 1)] = 1
        for position, count in self.counts.items():
            if count >= WORN:
                prior[: position + 1] = self.epsilon
        return prior

    def _opening(self) -> Prior:
        n, own, low = self.window.ids, self.window.own, self.epsilon
        prior = np.full(n, low, np.float32)
        prior[: n - own] = low * low
        values = OPENING[:own]
        prior[n - own : n - own + len(values)] = values
        return prior

    def _later(self) -> Prior:
        n, offset, low = self.window.ids, self.window.offset, self.epsilon * self.epsilon
        if n <= SHORT_PIECE:
            return np.ones(n, np.float32)
        # Where a piece is still left of its window, `at` is negative and counts from the end, as in the reference.
        at = self.attended - offset
        before = max(1, at - 1)
        prior = np.full(n, self.epsilon, np.float32)
        prior[:before] = low
        for position, value in zip((before, *range(at, at + len(AROUND) - 1)), AROUND, strict=True):
            if -n <= position < n:
                prior[position] = value
        prior[at + len(AROUND) - 1 :] = low
        for position, count in self.counts.items():
            if count >= WORN and position > offset:
                prior[: position - offset + 1] = low
        return prior
