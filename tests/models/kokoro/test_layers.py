"""Forms of layers for one row on the CPU: the numbers of the plain ones."""

import mlx.core as mx
import numpy as np
import pytest

from mlx_tts.models.kokoro.layers import BiLSTM, Extent, SharedLinear
from mlx_tts.models.kokoro.prosody import _gelu_by_numpy
from mlx_tts.nn.conv import _gelu
from mlx_tts.runtime import mlx_thread
from mlx_tts.runtime.device import policy

pytestmark = pytest.mark.skipif(not policy().prefers_products, reason="the forms are the CPU's")


def test_an_lstm_of_one_row_is_that_of_two():
    def both():
        lstm, keys = BiLSTM(5, 3), mx.random.split(mx.random.key(1), 4)
        lstm.inputs, lstm.bias = mx.random.normal((5, 24), key=keys[0]), mx.random.normal((24,), key=keys[1])
        lstm.recurrent = mx.random.normal((2, 3, 12), key=keys[2])
        x = mx.random.normal((1, 21, 5), key=keys[3])
        alone, two = lstm(x, Extent.of([21])), lstm(mx.concatenate([x, x]), Extent.of([21, 21]))
        return np.array(alone[0]), np.array(two[1])

    np.testing.assert_allclose(*mlx_thread.run(both), atol=2e-6)


def test_a_shared_linear_layer_of_one_row_is_that_of_two():
    def both():
        linear, keys = SharedLinear(6, 10), mx.random.split(mx.random.key(2), 3)
        linear.weight, linear.bias = mx.random.normal((6, 10), key=keys[0]), mx.random.normal((10,), key=keys[1])
        x = mx.random.normal((1, 7, 6), key=keys[2])
        return np.array(linear(x)[0]), np.array(linear(mx.concatenate([x, x]))[1])

    np.testing.assert_allclose(*mlx_thread.run(both), atol=2e-6)


def test_gelu_of_numpy_is_that_of_mlx():
    def both():
        x = mx.linspace(-12, 12, 4001)
        return np.array(_gelu_by_numpy(x)), np.array(_gelu(x))

    np.testing.assert_allclose(*mlx_thread.run(both), atol=2e-6)
