"""Rows that leave and join a batch of caches keep their own columns."""

from __future__ import annotations

import mlx.core as mx
import numpy as np
import pytest

from mlx_tts.nn.cache import KVCache, regrouped, unstacked

LAYERS, HEADS, D = 2, 3, 4


def row(length: int, seed: int) -> list[KVCache]:
    caches = [KVCache() for _ in range(LAYERS)]
    for layer, cache in enumerate(caches):
        keys = mx.random.normal((2, 1, HEADS, length, D), key=mx.random.key(10 * seed + layer))
        cache.append(keys[0], keys[1])
    return caches


def columns(caches: list[KVCache]) -> np.ndarray:
    return np.stack([np.array(cache.kv[:, :, :, : cache.length]) for cache in caches])


@pytest.mark.parametrize(
    ("lengths", "kept", "new"),
    [
        ((5, 3, 9), (0, 1, 2), (4,)),
        ((5, 3, 9), (1, 0), ()),
        ((5, 3, 9), (0, 1), (2, 6)),
        ((5, 3), (1,), (300,)),
        ((5,), (0,), (2,)),
        ((5, 3), (), (2, 1)),
    ],
)
def test_every_row_has_its_own_columns_again(lengths, kept, new):
    rows = [row(length, at) for at, length in enumerate(lengths)]
    joining = [row(length, 50 + at) for at, length in enumerate(new)]
    batch = regrouped(rows[0], (), rows) if len(rows) > 1 else rows[0]
    together = regrouped(batch, kept, joining)
    wanted = [rows[at] for at in kept] + joining
    longest = max(single[0].length for single in wanted)
    assert together[0].length == longest  # what only those needed that left is gone
    assert together[0].has_room(1)
    assert together[0].start.tolist() == [longest - single[0].length for single in wanted]
    for at, single in enumerate(wanted):
        assert np.array_equal(columns(unstacked(together, at)), columns(single))
