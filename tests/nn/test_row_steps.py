"""Positions of rows by NumPy against the transformer's own, and each row against itself alone."""

import mlx.core as mx
import numpy as np
import pytest

from mlx_tts.nn import row_steps as tested
from mlx_tts.nn.cache import KVCache
from mlx_tts.nn.row_steps import row_steps
from tests.helpers.gpu_form import with_policy
from tests.nn.test_transformer import random_transformer

POSITIONS = 7
X = np.random.default_rng(0).normal(size=(3, POSITIONS, 32)).astype(np.float32)


def stepped(x: np.ndarray, steps: tested.RowSteps) -> np.ndarray:
    steps.begin(len(x))
    return np.stack([steps(x[:, at]) for at in range(x.shape[1])], axis=1)


def test_every_position_is_the_transformers():
    plain = random_transformer(join=False)
    wanted = plain(mx.array(X), [KVCache() for _ in plain.layers])
    steps = row_steps(random_transformer(join=True), POSITIONS)
    np.testing.assert_allclose(stepped(X, steps), wanted, atol=2e-6)
    np.testing.assert_allclose(stepped(X, steps), wanted, atol=2e-6)  # nothing is left of the first time


def test_a_row_has_the_bits_that_it_has_alone():
    steps = row_steps(random_transformer(join=True), POSITIONS)
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
    assert row_steps(model, POSITIONS) is None
