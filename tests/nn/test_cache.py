"""Rows that leave and join a batch of caches keep their own columns."""

from __future__ import annotations

import mlx.core as mx
import numpy as np
import pytest

from mlx_tts.nn.cache import CacheRow, KVCache, regrouped, unstacked

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


@pytest.mark.parametrize("numbers", [(0, 1, 2, 3), (1, 2), (3, 1), (2,)])
@pytest.mark.parametrize("kept", [(), (0,), (1, 0)])
def test_rows_that_were_read_together_join_as_one_block(numbers, kept, monkeypatch):
    lengths = (5, 3, 5, 4)
    read = [KVCache() for _ in range(LAYERS)]
    for layer, cache in enumerate(read):
        keys = mx.random.normal((2, len(lengths), HEADS, 8, D), key=mx.random.key(layer))  # padded at their ends
        cache.append(keys[0], keys[1])
    rows, other = [row(6, 1), row(2, 2)], row(7, 3)
    joining = [CacheRow(read, number, lengths[number]) for number in numbers]
    batch = regrouped([], (), rows) if kept else []
    joins: list[int] = []
    take = mx.take_along_axis
    monkeypatch.setattr(mx, "take_along_axis", lambda kv, *at, **how: joins.append(kv.shape[1]) or take(kv, *at, **how))
    together = regrouped(batch, kept, [*joining, other])
    unequal = len({lengths[number] for number in numbers}) > 1
    assert joins == ([len(numbers)] * LAYERS if unequal else [])  # a launch a layer, not one for each row
    wanted = [rows[at] for at in kept] + [single.alone for single in joining] + [other]
    assert together[0].length == 7
    for at, single in enumerate(wanted):
        assert np.array_equal(columns(unstacked(together, at)), columns(single))
    for layer, cache in enumerate(joining[0].alone):
        own = np.array(read[layer].kv[:, numbers[0] : numbers[0] + 1, :, : lengths[numbers[0]]])
        assert np.array_equal(np.array(cache.kv), own)
