"""Keys and values of one attention layer: preallocated, grown in steps, owned by the running generator."""

from __future__ import annotations

import mlx.core as mx

GROWTH_STEP = 256  # columns; large enough that growing is rare, small against the weights


class KVCache:
    """Keys and values [B, heads, columns, D]. Rows may start late (left padding): `start` [B], or None for all at 0."""

    def __init__(self, start: mx.array | None = None, capacity: int = GROWTH_STEP):
        self.start = start
        self.capacity = capacity
        self.length = 0
        self.keys: mx.array | None = None
        self.values: mx.array | None = None

    @property
    def positions(self) -> int | mx.array:
        """The position of the next column in every row: left padding shifts it."""
        return self.length if self.start is None else self.length - self.start

    def append(self, keys: mx.array, values: mx.array) -> tuple[mx.array, mx.array]:
        """Write [B, heads, L, D] behind what is there; return all keys and values so far."""
        B, heads, L, D = keys.shape
        end = self.length + L
        have = 0 if self.keys is None else self.keys.shape[2]
        if end > have:
            wanted = self.capacity if have == 0 else have
            while wanted < end:
                wanted += GROWTH_STEP
            self.keys = _longer(self.keys, (B, heads, wanted - have, D), keys.dtype)
            self.values = _longer(self.values, (B, heads, wanted - have, D), values.dtype)
        assert self.keys is not None and self.values is not None
        self.keys[:, :, self.length : end] = keys
        self.values[:, :, self.length : end] = values
        self.length = end
        return self.keys[:, :, :end], self.values[:, :, :end]

    def mask(self, L: int) -> mx.array | str | None:
        """Which columns the next L queries may see: None (all), "causal", or a boolean [B, 1, L, columns]."""
        if self.start is None:
            return None if L == 1 else "causal"
        columns = mx.arange(self.length + L)
        queries = self.length + mx.arange(L)
        seen = (columns[None, :] >= self.start[:, None])[:, None, :] & (columns[None, :] <= queries[:, None])[None]
        return seen[:, None]


def stacked(rows: list[list[KVCache]]) -> list[KVCache]:
    """Caches of single rows (one list of layers each) -> caches of the batch, aligned at their ends."""
    length = max(row[0].length for row in rows)
    start = mx.array([length - row[0].length for row in rows])
    batch = []
    for layers in zip(*rows, strict=True):
        cache = KVCache(start)
        cache.length = length
        cache.keys = mx.concatenate([_aligned(layer.keys, layer.length, length) for layer in layers])
        cache.values = mx.concatenate([_aligned(layer.values, layer.length, length) for layer in layers])
        batch.append(cache)
    return batch


def unstacked(batch: list[KVCache], row: int) -> list[KVCache]:
    """One row of a batch's caches, without its padding. Reads `start` back."""
    single = []
    offset = 0 if batch[0].start is None else int(batch[0].start[row].item())  # type: ignore[arg-type]
    for layer in batch:
        assert layer.keys is not None and layer.values is not None
        cache = KVCache()
        cache.length = layer.length - offset
        cache.keys = layer.keys[row : row + 1, :, offset : layer.length]
        cache.values = layer.values[row : row + 1, :, offset : layer.length]
        single.append(cache)
    return single


def _aligned(stored: mx.array | None, have: int, wanted: int) -> mx.array:
    """[1, heads, have, D] with empty columns before it: [1, heads, wanted, D]"""
    assert stored is not None
    return mx.pad(stored[:, :, :have], [(0, 0), (0, 0), (wanted - have, 0), (0, 0)])


def _longer(have: mx.array | None, room: tuple[int, int, int, int], dtype: mx.Dtype) -> mx.array:
    """What is there and empty columns behind it. Each call makes an array of its own: assignment writes in place."""
    empty = mx.zeros(room, dtype)
    return empty if have is None else mx.concatenate([have, empty], axis=2)
