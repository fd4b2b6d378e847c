"""What the decoder attends to, step by step -> where in the text it is, and the prior that keeps it going forward.

And the ids of a piece, with what the piece before left -> the window of the text that is read, and its encoding.

The rules are NeMo's, exactly: `get_most_attended_text_timestep`, `construct_inference_prior` for the first piece of a
text and `construct_multi_chunk_prior` for later ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from mlx_tts.errors import RequestError
from mlx_tts.models.magpie.network import Magpie
from mlx_tts.nn.attention import Memory
from mlx_tts.shortened import shown
from mlx_tts.speech import Mark

STUCK, WORN = 8, 10  # steps at one position: the next is taken; it and those before count as spoken
LAST = 3  # positions at the end of a text that are not searched
FORCED_AFTER, FORCED_LATER = 20, 5  # steps at the end before the end of speech is forced; in later pieces
PIECE_ENDS_AFTER = 3  # steps at the end before a piece ends that others follow
OPENING = (0.5, 1.0, 0.8, 0.2, 0.2)  # the first prior of a piece, from its first id on
AROUND = (0.2, 1.0, 0.6, 0.4, 0.2, 0.2)  # the prior of a piece around its position, from the one before it on
SHORT_TEXT, SHORT_PIECE = 5, 35  # ids: no prior for shorter ones

Prior = NDArray[np.float32]
MOST_HISTORY = 20  # ids of the pieces before that stay in the window
MOST_POSITION = 1 << 40  # of an id in a whole text
STORED = ("ids", "encoded", "end_and_attended")  # the names of a continuation's arrays


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


@dataclass(frozen=True)
class MagpieContinuation:
    """What a piece leaves to the next: the last of its window's ids and their encoding [n, D], where the window ends in
    the whole text, and the position in it where the piece ended."""

    ids: NDArray[np.int64]
    encoded: NDArray[np.float32]
    end: int
    attended: int

    @classmethod
    def of(cls, stored: Any, width: int, rows: int | None) -> MagpieContinuation:
        """From what `stored` made. width: of the encoding; rows: of the text table, where known. RequestError for
        anything else."""
        try:
            ids, encoded, place = (np.asarray(stored[name]) for name in STORED)
            n = len(ids)
            right = ids.dtype == place.dtype == np.int64 and encoded.dtype == np.float32 and place.shape == (2,)
            right = right and ids.shape == (n,) and 0 < n <= MOST_HISTORY and encoded.shape == (n, width)
            right = right and np.isfinite(encoded).all() and ids.min() >= 0 and (rows is None or ids.max() < rows)
            end, attended = (int(number) for number in place)
            # A piece that ended early may be left behind the window of the next, never before its text.
            right = right and n <= end < MOST_POSITION and 0 <= attended < end
        except (KeyError, TypeError, ValueError, IndexError, AttributeError):
            right = False
        if not right:
            raise RequestError(f"after is {shown(stored)}: give what the stream of the piece before left")
        return cls(ids, encoded, end, attended)

    def stored(self) -> dict[str, NDArray[Any]]:
        """As plain arrays, which a narration keeps next to its pieces."""
        place = np.array([self.end, self.attended], np.int64)
        return dict(zip(STORED, (self.ids, self.encoded, place), strict=True))


@dataclass(frozen=True)
class EncodedPiece:
    """A piece ready to be spoken. encoded: [1, n, D], the encoder's output for the whole window."""

    ids: tuple[int, ...]
    encoded: mx.array
    window: Window

    def continuation(self, attended: int) -> MagpieContinuation:
        ids = np.array(self.ids[-MOST_HISTORY:], np.int64)
        encoded = np.array(self.encoded[0, -len(ids) :].astype(mx.float32))
        return MagpieContinuation(ids, encoded, self.window.offset + len(self.ids), attended)

    def memory(self, model: Magpie) -> list[Memory]:
        return model.read_memory(self.encoded)


def read_passage(model: Magpie, ids: Sequence[int], after: MagpieContinuation | None, final: bool) -> EncodedPiece:
    """Encode a piece's ids, the end of speech among them, behind the last ids of the piece before."""
    own = len(ids)
    if after is None:
        return EncodedPiece(tuple(ids), model.encode(ids), Window(own, own, final=final))
    history = min(own, len(after.ids))
    window_ids = (*after.ids[len(after.ids) - history :].tolist(), *ids)
    encoded = model.encode(window_ids)
    if history:
        before = mx.array(after.encoded[None, -history:]).astype(encoded.dtype)
        encoded = mx.concatenate([before, encoded[:, history:]], axis=1)
    window = Window(history + own, own, after.end - history, after.attended, first=False, final=final)
    return EncodedPiece(window_ids, encoded, window)


def word_marks(
    text: str, passage: EncodedPiece, path: Sequence[int], spaces: frozenset[int], step_seconds: float, seconds: float
) -> tuple[Mark, ...]:
    """A mark for each word, or none where words and ids cannot be matched: then the tokenizer left some out.

    path: the attended position of each step, in the whole text. spaces: the ids that stand between words. seconds: how
    long the speech is.
    """
    words = text.split()
    begins = _first_ids(passage, spaces)
    if not words or len(words) != len(begins) or not path:
        return ()
    offset = passage.window.offset
    starts = []
    for begin in begins:
        reached = (step for step, attended in enumerate(path) if attended - offset >= begin)
        starts.append(min(next(reached, len(path)) * step_seconds, seconds))
    ends = [*starts[1:], seconds]
    return tuple(
        Mark(word, round(start, 3), round(max(start, end), 3), level="word", estimated=True)
        for word, start, end in zip(words, starts, ends, strict=True)
    )


def _first_ids(passage: EncodedPiece, spaces: frozenset[int]) -> list[int]:
    """Where each word of the piece begins, among the ids of its window."""
    first = passage.window.ids - passage.window.own
    own = passage.ids[first:-1]  # without the end
    begins = []
    for at, number in enumerate(own):
        if number not in spaces and (at == 0 or own[at - 1] in spaces):
            begins.append(first + at)
    return begins
