"""Positions of rows by NumPy against the transformer's own, and each row against itself alone."""

import mlx.core as mx
import numpy as np
import pytest

from mlx_tts.nn import cache
from mlx_tts.nn import row_steps as tested
from mlx_tts.nn.cache import KVCache
from mlx_tts.nn.row_steps import RowStack, RowSteps, runs_by_rows
from tests.helpers.gpu_form import with_policy
from tests.nn.test_transformer import random_transformer

POSITIONS = 7
X = np.random.default_rng(0).normal(size=(3, POSITIONS, 32)).astype(np.float32)


def stepped(x: np.ndarray, steps: RowSteps) -> np.ndarray:
    steps.begin(len(x))
    return np.stack([steps(x[:, at]) for at in range(x.shape[1])], axis=1)


def test_every_position_is_the_transformers():
    plain = random_transformer(join=False)
    wanted = plain(mx.array(X), [KVCache() for _ in plain.layers])
    steps = RowSteps(random_transformer(join=True), POSITIONS)
    np.testing.assert_allclose(stepped(X, steps), wanted, atol=2e-6)
    np.testing.assert_allclose(stepped(X, steps), wanted, atol=2e-6)  # nothing is left of the first time


def test_a_row_has_the_bits_that_it_has_alone():
    steps = RowSteps(random_transformer(join=True), POSITIONS)
    together = stepped(X, steps)
    for at, row in enumerate(X):
        np.testing.assert_array_equal(together[at], stepped(row[None], steps)[0])


@pytest.mark.parametrize("reason", ["not laid out", "a product in another format", "large", "on a GPU"])
def test_others_have_no_such_form(monkeypatch, reason):
    if reason == "large":
        monkeypatch.setattr(tested, "CACHED_BYTES", 1000)
    model = random_transformer(join=reason != "not laid out", unlike="another" in reason)
    if reason == "on a GPU":
        with_policy(monkeypatch, tested, prefers_products=False)
    assert not runs_by_rows(model)


def test_a_small_network_of_the_cpu_has_one():
    assert runs_by_rows(random_transformer(join=True))


@pytest.mark.parametrize("read", [(3, 1, 2), (6,), (1, 5)], ids=str)
def test_a_row_reads_its_positions_in_blocks_and_goes_on_next_to_others(monkeypatch, read):
    """Rows of other lengths, whose caches grow on the way."""
    monkeypatch.setattr(cache, "GROWTH_STEP", 2)
    plain = random_transformer(join=False)
    stack = RowStack(random_transformer(join=True))
    wanted = np.array(plain(mx.array(X), [KVCache() for _ in plain.layers]))
    first, second = stack.make_cache(), stack.make_cache()
    at, made = 0, []
    for count in read:
        made.append(stack.read(X[0, at : at + count], first))
        at += count
    np.testing.assert_allclose(np.concatenate(made), wanted[0, :at], atol=2e-6)
    stack.read(X[1, :2], second)
    together = stack.step(np.stack([X[0, at], X[1, 2]]), [first, second])
    np.testing.assert_allclose(together, [wanted[0, at], wanted[1, 2]], atol=2e-6)
    assert (first.length, second.length) == (at + 1, 3)


def test_a_row_at_its_own_place_has_the_bits_that_it_has_alone():
    stack = RowStack(random_transformer(join=True))

    def after(rows: list[int]) -> np.ndarray:
        caches = [stack.make_cache() for _ in rows]
        for row, own in zip(rows, caches, strict=True):
            stack.read(X[row, : row + 1], own)
        return np.stack([stack.step(np.stack([X[row, 3 + at] for row in rows]), caches) for at in range(3)], axis=1)

    together = after([0, 1, 2])
    for row in range(3):
        np.testing.assert_array_equal(together[row], after([row])[0])
