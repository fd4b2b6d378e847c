"""Utterances of a batch in; out, for each step, the masks and the texts of all rows in few launches, not one a row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import mlx.core as mx
import numpy as np


class Text(Protocol):
    """`frames.Utterance`, as far as its text goes."""

    @property
    def trailing(self) -> mx.array: ...  # [N, D]

    @property
    def pad(self) -> mx.array: ...  # [D]

    @property
    def text_grows(self) -> bool: ...


def who_stays(before: Sequence[object], now: Sequence[object]) -> list[int]:
    """The numbers in `before` of the rows with which `now` begins; none where newcomers stand between them."""
    numbers = {id(row): at for at, row in enumerate(before)}
    kept = [numbers[id(row)] for row in now if id(row) in numbers]
    return kept if all(id(row) in numbers for row in now[: len(kept)]) else []


def joined(values: mx.array, kept: list[int], new: list[mx.array]) -> mx.array:
    """The rows `kept` of an array [B, ...], and new ones [1, ...] behind them."""
    if kept and len(kept) == values.shape[0] and kept == sorted(kept):
        return mx.concatenate([values, *new]) if new else values
    return mx.concatenate(([mx.take(values, mx.array(kept), axis=0)] if kept else []) + new)


class RowInputs:
    """Made when the rows of a batch change. All texts stand in one table, each with its pad behind it."""

    def __init__(self, utterances: Sequence[Text]):
        self._early: list[bool] = []
        self._masks = mx.zeros((0,))
        self._table: mx.array | None = None
        if not any(utterance.text_grows for utterance in utterances):
            lengths = np.array([utterance.trailing.shape[0] + 1 for utterance in utterances], np.int32)
            self._ends = np.cumsum(lengths, dtype=np.int32) - 1
            self._begins = self._ends - lengths + 1
            parts = [part for utterance in utterances for part in (utterance.trailing, utterance.pad[None])]
            self._table = mx.concatenate(parts)

    def forbidden(self, is_early: list[bool], early: mx.array, later: mx.array) -> mx.array:
        """[B, V]: of each row the early mask [V] or the later one; made anew only when a row changes over."""
        if is_early != self._early:
            self._early = is_early
            self._masks = mx.stack([early if flag else later for flag in is_early])
        return self._masks

    def text(self, frames: Sequence[int], texts: Sequence[mx.array | None]) -> mx.array:
        """[B, D]: the text of each row's frame; `texts` are the same one by one, for texts that still grow."""
        if self._table is None:
            return mx.stack([text for text in texts if text is not None])
        return self._table[mx.array(np.minimum(self._begins + np.asarray(frames, np.int32), self._ends))]
