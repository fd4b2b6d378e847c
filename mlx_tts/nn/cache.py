"""Keys and values of one attention layer: preallocated, grown in steps, owned by the running generator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

GROWTH_STEP = 256  # columns; large enough that growing is rare, small against the weights


class KVCache:
    """Keys and values in one buffer `kv` [2, B, heads, columns, D], the first `length` columns in use: each of the two
    lies as MLX's attention reads it, for any number of rows.

    Rows may start late (left padding): `start` [B], or None for all at 0. growth: columns that are added at a time;
    None doubles the buffer.
    """

    def __init__(self, start: mx.array | None = None, capacity: int = GROWTH_STEP, growth: int | None = None):
        self.start = start
        self.capacity = capacity
        self.growth = growth
        self.length = 0
        self.kv: mx.array | None = None
        self.unseen = False  # a kernel has written to it, which MLX does not know of
        self.counters: mx.array | None = None  # of such kernels: see `kernels.persistent_stack`

    @property
    def rows(self) -> int:
        """B; 1 while nothing is stored."""
        return 1 if self.kv is None else self.kv.shape[1]

    @property
    def positions(self) -> int | mx.array:
        """The position of the next column in every row: left padding shifts it."""
        return self.length if self.start is None else self.length - self.start

    def has_room(self, columns: int) -> bool:
        """Whether so many columns fit behind those in use."""
        return self.kv is not None and self.length + columns <= self.kv.shape[3]

    def columns_for(self, end: int, have: int = 0) -> int:
        """How many columns a buffer of `have` gets when it must hold `end`."""
        if self.growth is not None:
            return -(-end // self.growth) * self.growth
        wanted = max(self.capacity, 2 * have)
        while wanted < end:
            wanted += GROWTH_STEP
        return -(-wanted // self.capacity) * self.capacity

    def reserve(self, end: int) -> None:
        """Make room for columns up to `end`: in steps, or twice as much each time, so that it grows rarely."""
        assert self.kv is not None
        _, B, heads, have, D = self.kv.shape
        if end > have:
            wanted = self.columns_for(end, have)
            self.kv = mx.concatenate([self.kv, mx.zeros((2, B, heads, wanted - have, D), self.kv.dtype)], axis=3)

    def append(self, keys: mx.array, values: mx.array) -> tuple[mx.array, mx.array]:
        """Write [B, heads, L, D] behind what is there; return all keys and values so far."""
        B, heads, L, D = keys.shape
        end = self.length + L
        if self.kv is None:
            self.kv = mx.zeros((2, B, heads, 0, D), keys.dtype)
        self.reserve(end)
        self.kv[0, :, :, self.length : end] = keys
        self.kv[1, :, :, self.length : end] = values
        self.length = end
        return self.kv[0, :, :, :end], self.kv[1, :, :, :end]

    def append_position(self, kv: mx.array) -> mx.array:
        """Write a column of both, [2, B, heads, 1, D]; return all keys and values so far [2, B, heads, columns, D]."""
        if self.kv is None:
            self.kv = kv[:, :, :, :0]
        self.reserve(self.length + 1)
        self.kv[:, :, :, self.length : self.length + 1] = kv
        self.length += 1
        return self.kv[:, :, :, : self.length]

    def mask(self, L: int) -> mx.array | str | None:
        """Which columns the next L queries may see: None (all), "causal", or a boolean [B, 1, L, columns]."""
        if self.start is None:
            return None if L == 1 else "causal"
        columns = mx.arange(self.length + L)
        queries = self.length + mx.arange(L)
        seen = (columns[None, :] >= self.start[:, None])[:, None, :] & (columns[None, :] <= queries[:, None])[None]
        return seen[:, None]


class FirstColumns(KVCache):
    """An empty cache that is written once: its buffer has just those columns."""

    def columns_for(self, end: int, have: int = 0) -> int:  # noqa: ARG002
        return end

    def append(self, keys: mx.array, values: mx.array) -> tuple[mx.array, mx.array]:
        self.kv, self.length = mx.stack([keys, values]), keys.shape[2]
        return keys, values


class OnePass:
    """In the place of a cache where all positions are there at once: nothing is kept."""

    positions = 0

    def append(self, keys: mx.array, values: mx.array) -> tuple[mx.array, mx.array]:
        return keys, values


ONE_PASS = OnePass()


@dataclass(frozen=True, eq=False)
class CacheRow:
    """One of several rows that were read together: its number in their caches `batch`, one a layer, and how many of the
    columns are its own, from the first on. Rows that go on together are not taken apart."""

    batch: list[KVCache]
    row: int
    length: int

    @property
    def alone(self) -> list[KVCache]:
        return [_row_of(layer, self.row, 0, self.length) for layer in self.batch]


class RowCache:
    """Keys and values of one row in all layers, of `length` positions, as NumPy's arrays: see row_steps.py."""

    def __init__(self, layers: int, kv_heads: int, head_dim: int):
        self._kv = [np.zeros((2, kv_heads, 0, head_dim), np.float32)] * layers
        self.length = 0

    def append(self, layer: int, keys: NDArray[np.float32], values: NDArray[np.float32]) -> NDArray[np.float32]:
        """[T, kv_heads, head_dim] each -> all of the layer [2, kv_heads, length + T, head_dim]. `length` is set by the
        caller, when all layers have theirs."""
        kv, end = self._kv[layer], self.length + len(keys)
        if end > kv.shape[2]:
            columns = -(-end // GROWTH_STEP) * GROWTH_STEP
            grown = np.zeros((*kv.shape[:2], columns, kv.shape[3]), np.float32)
            grown[:, :, : self.length] = kv[:, :, : self.length]
            kv = self._kv[layer] = grown
        kv[0, :, self.length : end], kv[1, :, self.length : end] = keys.swapaxes(0, 1), values.swapaxes(0, 1)
        return kv[:, :, :end]


Caches = list[KVCache] | CacheRow  # of one row
RowCaches = Caches | RowCache  # on any device


def alone(caches: Caches) -> list[KVCache]:
    return caches.alone if isinstance(caches, CacheRow) else caches


class _Newcomers:
    """Rows of the same caches, which join a batch side by side from row `at` on."""

    def __init__(self, rows: Sequence[Caches], at: int):
        self.at, self.count = at, len(rows)
        shared = [row for row in rows if isinstance(row, CacheRow)]
        self.layers = shared[0].batch if shared else alone(rows[0])
        self.lengths = np.array([row.length for row in shared] or [self.layers[0].length])
        self.longest = int(self.lengths.max())
        numbers = [row.row for row in shared] or [0]
        self._first = numbers[0]
        self._rows = None if numbers == list(range(self._first, self._first + self.count)) else mx.array(numbers)
        columns = np.arange(self.longest) - (self.longest - self.lengths[:, None])  # below 0: padding
        self._columns = mx.array(np.maximum(columns, 0)[None, :, None, :, None]) if (columns < 0).any() else None

    def columns(self, layer: int) -> mx.array:
        """[2, rows, heads, longest, D], aligned at their ends."""
        kv = self.layers[layer].kv
        assert kv is not None
        kv = kv[:, :, :, : self.longest]
        kv = kv[:, self._first : self._first + self.count] if self._rows is None else mx.take(kv, self._rows, axis=1)
        return kv if self._columns is None else mx.take_along_axis(kv, self._columns, axis=3)


def _newcomers(joining: Sequence[Caches], at: int) -> list[_Newcomers]:
    groups = []
    for _, rows in groupby(joining, key=lambda row: id(row.batch) if isinstance(row, CacheRow) else object()):
        groups.append(_Newcomers(list(rows), at))
        at += groups[-1].count
    return groups


def regrouped(batch: list[KVCache], kept: Sequence[int], joining: Sequence[Caches]) -> list[KVCache]:
    """Caches of a batch, the numbers of its rows that stay, and caches of newcomers -> caches of all of them, those
    that stay first, aligned at their ends, with room for more. Columns that nobody needs are dropped. Reads `start`
    back. An empty batch has no caches.

    A few launches a layer: to take all rows apart and put them together would be several for each layer and row. So
    newcomers that were read together come in as one block.
    """
    newcomers = _newcomers(joining, len(kept))
    batch = batch or newcomers[0].layers
    starts = np.zeros(batch[0].rows, np.int32) if batch[0].start is None else np.asarray(batch[0].start, np.int32)
    lengths = [*(batch[0].length - starts[list(kept)]), *(length for new in newcomers for length in new.lengths)]
    length, stay = int(max(lengths)), len(kept)
    have = int(max(lengths[:stay], default=0))
    start = mx.array([length - int(own) for own in lengths])
    columns = -(-(length + 1) // GROWTH_STEP) * GROWTH_STEP
    which = None if list(kept) == list(range(len(starts))) else mx.array(list(kept))
    together = []
    for number, layer in enumerate(batch):
        assert layer.kv is not None
        cache = KVCache(start)
        _, _, heads, _, D = layer.kv.shape
        kv = mx.zeros((2, len(lengths), heads, columns, D), layer.kv.dtype)
        if stay:
            used = layer.kv[:, :, :, layer.length - have : layer.length]
            kv[:, :stay, :, length - have : length] = used if which is None else mx.take(used, which, axis=1)
        for new in newcomers:
            kv[:, new.at : new.at + new.count, :, length - new.longest : length] = new.columns(number)
        cache.kv, cache.length = kv, length
        together.append(cache)
    return together


def unstacked(batch: list[KVCache], row: int) -> list[KVCache]:
    """One row of a batch's caches, without its padding. Reads `start` back."""
    offset = 0 if batch[0].start is None else int(batch[0].start[row].item())  # type: ignore[arg-type]
    return [_row_of(layer, row, offset, layer.length) for layer in batch]


def _row_of(layer: KVCache, row: int, begin: int, end: int) -> KVCache:
    """Columns of one row as a cache of their own."""
    assert layer.kv is not None
    cache = KVCache()
    cache.kv, cache.length = layer.kv[:, row : row + 1, :, begin:end], end - begin
    return cache
