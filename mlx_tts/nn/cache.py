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
        visible = columns[None, :] >= self.start[:, None]
        if L == 1:
            return visible[:, None, None, :]
        causal = columns[None, :] <= (self.length + mx.arange(L))[:, None]
        # a padded query sees itself, or its softmax would be over nothing and give NaN
        itself = columns[None, :] == (self.length + mx.arange(L))[:, None]
        return ((visible[:, None, :] & causal[None]) | itself[None])[:, None]


def _longer(have: mx.array | None, room: tuple[int, int, int, int], dtype: mx.Dtype) -> mx.array:
    """What is there and empty columns behind it. Each call makes an array of its own: assignment writes in place."""
    empty = mx.zeros(room, dtype)
    return empty if have is None else mx.concatenate([have, empty], axis=2)
