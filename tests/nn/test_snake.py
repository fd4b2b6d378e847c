"""SnakeBeta: the CPU's polynomial is the sine, and stored logarithms become frequency and amplitude."""

from __future__ import annotations

import mlx.core as mx
import numpy as np

from mlx_tts.nn.activations import SnakeBeta, snake_amplitude, snake_frequency


def test_snake_is_the_formula_in_float64():
    rng = np.random.default_rng(0)
    x = rng.uniform(-30, 30, (2, 5000, 3)).astype(np.float32)
    alpha, beta = rng.normal(0, 0.5, (2, 3)).astype(np.float32)
    layer = SnakeBeta(3)
    stored = {"alpha": snake_frequency(mx.array(alpha)), "beta": snake_amplitude(mx.array(beta))}
    layer.load_weights(list(stored.items()))
    # the phase is a float32 in the reference too; from there on the sine must be right
    phase = (x * np.array(stored["alpha"])).astype(np.float64)
    expected = x + np.sin(phase) ** 2 / (np.exp(beta.astype(np.float64)) + 1e-9)
    np.testing.assert_allclose(np.array(layer(mx.array(x))), expected, atol=3e-6)
    np.testing.assert_allclose(np.array(stored["alpha"]), np.exp(alpha), rtol=1e-6)


def test_the_squared_sine_is_right_to_a_few_units_of_the_last_place():
    layer = SnakeBeta(1)
    x = np.linspace(-20, 20, 200001, dtype=np.float32)
    y = np.array(layer(mx.array(x[None, :, None])))[0, :, 0].astype(np.float64) - x
    close = np.abs(x) < 2  # elsewhere x itself rounds the sum
    np.testing.assert_allclose(y[close], np.sin(x[close].astype(np.float64)) ** 2, atol=4e-7)
