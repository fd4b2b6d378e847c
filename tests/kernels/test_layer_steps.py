"""The GPU's plain steps, here on the CPU, against the model file itself."""

from __future__ import annotations

import mlx.core as mx
import numpy as np
import pytest

from mlx_tts.kernels.layer_steps import LayerSteps, UnrolledStack
from mlx_tts.nn.cache import KVCache, regrouped
from mlx_tts.nn.transformer import Transformer
from tests.nn.test_transformer import SIZES, random_transformer

pytestmark = [pytest.mark.slow, pytest.mark.compiled]

WIDTH = SIZES.hidden_size


def numbers(seed: int, *shape: int) -> mx.array:
    return mx.random.normal(shape, key=mx.random.key(seed))


def model_of(unlike: bool) -> Transformer:
    model = random_transformer(False, unlike)
    for layer in model.layers:
        layer.fuse_projections()
    return model


@pytest.mark.parametrize("unlike", [False, True])
def test_one_row_over_a_growing_cache(unlike):
    model, x = model_of(unlike), numbers(1, 1, 9, WIDTH)
    wanted = model(x, [KVCache() for _ in model.layers])
    caches, steps = [KVCache(capacity=4) for _ in model.layers], LayerSteps(model)
    model(x[:, :3], caches)
    found = [model.norm(steps(x[:, at], caches)) for at in range(3, 9)]
    np.testing.assert_allclose(mx.stack(found, axis=1), wanted[:, 3:], atol=2e-6)
    assert {cache.length for cache in caches} == {9}


def test_rows_that_start_late_see_their_own_columns():
    model, lengths, more = model_of(False), (5, 2, 7), 4
    texts = [numbers(seed, 1, length + more, WIDTH) for seed, length in enumerate(lengths)]
    rows = []
    for text, length in zip(texts, lengths, strict=True):
        rows.append([KVCache(capacity=4) for _ in model.layers])
        model(text[:, :length], rows[-1])
    caches, steps = regrouped(rows[0], (), rows), LayerSteps(model)
    for at in range(more):
        x = mx.concatenate([text[:, length + at] for text, length in zip(texts, lengths, strict=True)])
        found = model.norm(steps(x, caches))
        for row, (text, length) in enumerate(zip(texts, lengths, strict=True)):
            alone = model(text[:, : length + at + 1], [KVCache() for _ in model.layers])[0, -1]
            np.testing.assert_allclose(found[row], alone, atol=3e-6)


@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize("unlike", [False, True])
def test_a_frame_of_the_code_predictor(rows, unlike):
    model, columns = model_of(unlike), 6
    x = numbers(2, rows, columns, WIDTH)
    wanted = model(x, [KVCache() for _ in model.layers])
    stack, caches = UnrolledStack(model, columns), []
    y, caches = stack(x[:, :2].reshape(-1, WIDTH), 0, caches)
    np.testing.assert_allclose(model.norm(y).reshape(rows, 2, WIDTH), wanted[:, :2], atol=2e-6)
    for step in range(1, columns - 1):
        y, caches = stack(x[:, step + 1], step, caches)
        np.testing.assert_allclose(model.norm(y), wanted[:, step + 1], atol=2e-6)
