"""The product with the weight first is the plain one, and a row has the bits that it has alone."""

import mlx.core as mx
import numpy as np
import pytest
from mlx import nn

from mlx_tts.nn import linear
from mlx_tts.nn.linear import WeightFirstLinear, rows_with_equal_bits


def layer(inputs: int, outputs: int, bias: bool = True) -> nn.Linear:
    plain = nn.Linear(inputs, outputs, bias=bias)
    plain.weight = mx.random.normal((outputs, inputs), key=mx.random.key(1))
    return plain


@pytest.mark.parametrize("widest", [4096, 40], ids=["whole", "in parts"])
@pytest.mark.parametrize("shape", [(1, 48), (2, 48), (5, 48), (2, 1, 48), (2, 30, 48), (1, 30, 48), (3, 4, 48)])
def test_it_is_the_plain_product(monkeypatch, widest, shape):
    monkeypatch.setattr(linear, "WIDEST", widest)
    plain = layer(48, 96)
    x = mx.random.normal(shape, key=mx.random.key(2))
    np.testing.assert_allclose(np.array(WeightFirstLinear(plain)(x)), np.array(plain(x)), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(("inputs", "outputs"), [(48, 192), (128, 768), (768, 256), (256, 1024)])
def test_rows_have_the_bits_that_they_have_alone(inputs, outputs):
    own = WeightFirstLinear(layer(inputs, outputs))
    x = mx.random.normal((20, inputs), key=mx.random.key(3))
    together = np.array(own(x))
    for row in range(20):
        np.testing.assert_array_equal(together[row], np.array(own(x[row : row + 1]))[0])
    assert 1 <= rows_with_equal_bits(inputs, outputs, weight_first=True) <= 16


def test_a_quantised_layer_is_expanded():
    plain = layer(64, 32, bias=False)
    quantised = nn.QuantizedLinear.from_linear(plain, group_size=32, bits=8)
    x = mx.random.normal((2, 64), key=mx.random.key(4))
    np.testing.assert_allclose(np.array(WeightFirstLinear(quantised)(x)), np.array(quantised(x)), atol=1e-4)
