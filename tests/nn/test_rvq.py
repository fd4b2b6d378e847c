"""Residual vector quantisation against its definition."""

from __future__ import annotations

import mlx.core as mx
import numpy as np

from mlx_tts.nn.codebooks import CodeTable, ResidualQuantizer, codebook


def test_an_entry_is_the_mean_of_its_vectors_and_rare_entries_do_not_blow_up():
    sums, usage = mx.array([[2.0, 4.0], [1.0, 1.0]]), mx.array([2.0, 0.0])
    np.testing.assert_allclose(np.array(codebook(sums, usage)), [[1, 2], [1e5, 1e5]], rtol=1e-6)


def test_the_table_adds_one_row_of_each_codebook():
    rng = np.random.default_rng(1)
    books = rng.normal(size=(3, 7, 4)).astype(np.float32)
    codes = rng.integers(0, 7, (2, 5, 3))
    layer = CodeTable(3, 7, 4)
    layer.load_weights([("table", mx.array(books.reshape(21, 4)))])
    expected = sum(books[k][codes[..., k]] for k in range(3))
    np.testing.assert_allclose(np.array(layer(mx.array(codes))), expected, atol=1e-6)


def test_encoding_takes_the_nearest_entry_of_what_is_left():
    rng = np.random.default_rng(2)
    books, projection = rng.normal(size=(3, 11, 4)), rng.normal(size=(4, 6))
    usage, x = rng.uniform(0.5, 2, (3, 11)), rng.normal(size=(2, 9, 6))
    layer = ResidualQuantizer(3, 11, 4, 6)
    weights = [("input_proj.weight", projection)]
    for k in range(3):
        weights.append((f"layers.{k}.codebook.embed_sum", books[k] * usage[k][:, None]))
        weights.append((f"layers.{k}.codebook.cluster_usage", usage[k]))
    layer.load_weights([(name, mx.array(value.astype(np.float32))) for name, value in weights])

    residual, expected = x @ projection.T, []
    for book in books:
        chosen = ((residual[..., None, :] - book) ** 2).sum(-1).argmin(-1)
        residual = residual - book[chosen]
        expected.append(chosen)
    np.testing.assert_array_equal(np.array(layer(mx.array(x.astype(np.float32)))), np.stack(expected, axis=-1))
