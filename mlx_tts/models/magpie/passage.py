"""Text ids of a piece, and what the piece before left -> the window that is read, and the decoder's memory of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from mlx_tts.errors import RequestError
from mlx_tts.generation.requests import short
from mlx_tts.models.magpie.alignment import Window
from mlx_tts.models.magpie.network import Magpie
from mlx_tts.nn.attention import Memory
from mlx_tts.speech import Mark

MOST_HISTORY = 20  # ids of the pieces before that stay in the window
MOST_POSITION = 1 << 40  # of an id in a whole text
STORED = ("ids", "encoded", "end_and_attended")  # the names of a continuation's arrays


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
            raise RequestError(f"after is {short(stored)}: give what the stream of the piece before left")
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
