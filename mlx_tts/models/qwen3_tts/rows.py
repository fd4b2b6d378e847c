"""Utterances and rows of the decode loop, and the masks and texts of a whole batch in few launches, not one a row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, TypeVar

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from mlx_tts.errors import ModelError
from mlx_tts.generation.sampling import SamplingParams
from mlx_tts.generation.signs import Following, TextAttention
from mlx_tts.generation.synthesizer import has_arrived
from mlx_tts.nn.cache import RowCaches
from mlx_tts.samples import Codes
from mlx_tts.speech import GrowingText

AnyRow = TypeVar("AnyRow")


@dataclass(frozen=True)
class TextPlaces:
    """Where the text stands among the talker's positions. first: of its first id; ids: how many it has; begins: of
    each of the words, counted from there. crowding: in times of the ids that its letters alone have. signs: which of
    the ids are punctuation or spaces."""

    first: int
    ids: int
    words: tuple[str, ...]
    begins: tuple[int, ...]
    crowding: float = 1.0
    signs: tuple[bool, ...] = ()


@dataclass(frozen=True)
class PendingAttention:
    """What frames of an utterance looked at, on its way from the device: seen [T, N]."""

    seen: mx.array
    places: TextPlaces
    limits: Following

    def read(self) -> TextAttention:
        """Wait for it."""
        places, seen = self.places, np.array(self.seen)
        return TextAttention(seen, places.words, places.begins, self.limits, places.crowding, places.signs)


@dataclass(frozen=True)
class Utterance:
    """One text ready for the loop.

    prefill: [L, D] what the talker is given first. trailing: [N, D] text added to the frames that follow, one a frame;
    after the last, `pad` [D] is added for ever. params and seed: how its codes are sampled. places: of the words, where
    their times can be told. fault: what is wrong with its embeddings; it waits for the device.
    """

    prefill: mx.array
    trailing: mx.array
    pad: mx.array
    params: SamplingParams
    seed: int
    places: TextPlaces | None = None
    fault: Callable[[], ModelError | None] | None = None
    text_grows: ClassVar[bool] = False

    def text_after(self, frame: int) -> mx.array | None:
        """[D]: what is added to the embedding of a frame before the talker reads it; None: it has not arrived yet."""
        return self.trailing[frame] if frame < self.trailing.shape[0] else self.pad


@dataclass
class TalkerRow:
    """An utterance on its way: about to generate `frame` of take `take`.

    caches (one a layer), x [1, 1, D] and used [1, V] are its state while it is in no batch. surprises: [3] of each
    frame that was read, how its first code surprised the model; attention: of its frames, once it was asked for.
    looking: the same while it is on its way from the device. made: codes [T, K] of its first frames, which an earlier
    run sampled.
    """

    utterance: Utterance
    take: int
    caches: RowCaches
    x: mx.array
    used: mx.array
    frame: int = 0
    text: mx.array | None = None
    surprises: list[NDArray[np.float32]] = field(default_factory=list)
    attention: TextAttention | None = None
    looking: PendingAttention | None = None
    made: Codes | None = None

    @property
    def made_codes(self) -> Codes | None:
        """[K]: of the frame that it is about to generate, where an earlier run sampled them."""
        return self.made[self.frame] if self.made is not None and self.frame < len(self.made) else None

    @property
    def ready(self) -> bool:
        if self.text is None and self.utterance.text_grows:
            self.text = self.utterance.text_after(self.frame)
        return self.text is not None or not self.utterance.text_grows


def who_stays(before: Sequence[AnyRow], now: Sequence[AnyRow]) -> tuple[list[int], list[AnyRow]]:
    """The numbers in `before` of the rows that `now` has as well, ascending, and the newcomers in their order: a row
    that missed a step goes behind those that did not, so that they need not be put together again."""
    present, known = set(map(id, now)), set(map(id, before))
    return [at for at, row in enumerate(before) if id(row) in present], [row for row in now if id(row) not in known]


def joined(values: mx.array, kept: list[int], new: list[mx.array]) -> mx.array:
    """The rows `kept`, ascending, of an array [B, ...], and new ones [1, ...] behind them."""
    if kept and len(kept) == values.shape[0]:
        return mx.concatenate([values, *new]) if new else values
    return mx.concatenate(([mx.take(values, mx.array(kept), axis=0)] if kept else []) + new)


class RowInputs:
    """Made when the rows of a batch change. All texts stand in one table, each with its pad behind it."""

    def __init__(self, utterances: Sequence[Utterance], before: RowInputs | None = None, kept: Sequence[int] = ()):
        """before: of the rows whose numbers are `kept` and come first here. Their texts stay where they are, since a
        table is put together by two launches for each text; one that is half unused is made again."""
        self._early: list[bool] = []
        self._masks = mx.zeros((0,))
        self._utterances = utterances
        self._table: mx.array | None = None
        self._begins: NDArray[np.int32]
        self._ends: NDArray[np.int32]
        if any(utterance.text_grows for utterance in utterances):
            return
        lengths = np.array([utterance.trailing.shape[0] + 1 for utterance in utterances], np.int32)
        table = None if before is None else before._table
        if before is None or table is None or table.shape[0] > 2 * lengths.sum():
            table, kept, begins = None, (), np.zeros(0, np.int32)
        else:
            begins = before._begins[list(kept)]
        used, new = 0 if table is None else table.shape[0], len(kept)
        joining = used + np.cumsum(lengths[new:], dtype=np.int32) - lengths[new:]
        self._begins = np.concatenate([begins, joining])
        self._ends = self._begins + lengths - 1
        parts = [part for utterance in utterances[new:] for part in (utterance.trailing, utterance.pad[None])]
        parts = parts if table is None else [table, *parts]
        self._table = parts[0] if len(parts) == 1 else mx.concatenate(parts)

    def forbidden(self, is_early: list[bool], early: mx.array, later: mx.array) -> mx.array:
        """[B, V]: of each row the early mask [V] or the later one; made again only when a row changes over."""
        if is_early != self._early:
            self._early = is_early
            self._masks = mx.where(mx.array(is_early)[:, None], early, later)
        return self._masks

    def text(self, frames: Sequence[int], texts: Sequence[mx.array | None]) -> mx.array:
        """[B, D]: the text of each row's frame; `texts` are the same one by one, of those that still grow."""
        if self._table is None:
            own = zip(self._utterances, frames, texts, strict=True)
            found = [utterance.text_after(frame) if text is None else text for utterance, frame, text in own]
            return mx.stack([text for text in found if text is not None])
        return self._table[mx.array(np.minimum(self._begins + np.asarray(frames, np.int32), self._ends))]


@dataclass(frozen=True, kw_only=True)
class GrowingUtterance(Utterance):
    """read_trailing: the trailing ids of the text so far, the closing one last. A frame waits for the id it needs;
    words are whole, so more of them change no id that was read."""

    text_grows: ClassVar[bool] = True
    growing: GrowingText
    read_trailing: Callable[[], list[int]]
    embed: Callable[[mx.array], mx.array]

    def text_after(self, frame: int) -> mx.array | None:
        complete = has_arrived(self.growing)
        ids = self.read_trailing()[: None if complete else -1]
        if frame < len(ids):
            return self.embed(mx.array(ids[frame : frame + 1]))[0]
        return self.pad if complete else None
