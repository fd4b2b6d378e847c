"""Convolutions: equal to a plain definition in numpy, by products and by MLX, whole and streamed."""

from __future__ import annotations

import mlx.core as mx
import numpy as np
import pytest

from mlx_tts.nn import conv
from mlx_tts.nn.conv import CausalConv1d, CausalConvTranspose1d, conv_weight, transposed_conv_weight
from tests.helpers.gpu_form import with_policy

# in, out, kernel, stride, dilation, groups; 600 channels are above the width where rows are unfolded
SHAPES = [
    (3, 5, 7, 1, 1, 1),
    (4, 4, 7, 1, 9, 1),
    (4, 6, 1, 1, 1, 1),
    (1, 4, 3, 1, 2, 1),
    (6, 6, 7, 1, 1, 6),
    (4, 4, 7, 1, 3, 4),
    (4, 4, 5, 2, 1, 4),
    (5, 3, 8, 4, 1, 1),
    (4, 4, 4, 2, 1, 1),
    (600, 4, 3, 1, 2, 1),
]
TRANSPOSED = [(4, 6, 2, 2), (5, 3, 16, 8), (4, 4, 6, 3), (3, 2, 12, 4)]


@pytest.fixture(params=["products", "native", "cuda"])
def products(request, monkeypatch):
    monkeypatch.setattr(conv, "prefers_products", lambda: request.param == "products")
    with_policy(monkeypatch, conv, avoids_libraries=request.param == "cuda")


def random(*shape: int) -> np.ndarray:
    return np.random.default_rng(shape).normal(size=shape).astype(np.float32)


def by_definition(x, weight, bias, stride, dilation, groups, pad_mode="constant"):
    """x [B, T, in], weight [out, in / groups, k], one output at a time in float64."""
    out, width, kernel = weight.shape
    left = (kernel - 1) * dilation + 1 - stride
    T = -(-x.shape[1] // stride)
    x = np.pad(x.astype(np.float64), ((0, 0), (left, T * stride - x.shape[1]), (0, 0)), mode=pad_mode)
    y = np.zeros((x.shape[0], T, out))
    for t in range(T):
        taps = x[:, t * stride : t * stride + (kernel - 1) * dilation + 1 : dilation]
        for o in range(out):
            first = o * groups // out * width
            y[:, t, o] = np.einsum("bki,ik->b", taps[:, :, first : first + width], weight[o]) + bias[o]
    return y


def causal_conv(in_channels, out, kernel, stride, dilation, groups, pad_mode="constant"):
    layer = CausalConv1d(in_channels, out, kernel, stride, dilation, groups, pad_mode=pad_mode)
    weight, bias = random(out, in_channels // groups, kernel) / in_channels**0.5, random(out)
    layer.load_weights([("conv.weight", conv_weight(mx.array(weight))), ("conv.bias", mx.array(bias))])
    return layer, weight, bias


@pytest.mark.parametrize("shape", SHAPES)
def test_convolution_is_the_definition(products, shape):
    layer, weight, bias = causal_conv(*shape)
    for length in (1, 2, 13, 24):
        x = random(2, length, shape[0])
        np.testing.assert_allclose(np.array(layer(mx.array(x))), by_definition(x, weight, bias, *shape[3:]), atol=2e-5)


def test_edge_padding_repeats_first_and_last_input(products):
    layer, weight, bias = causal_conv(4, 4, 4, 2, 1, 1, pad_mode="edge")
    x = random(1, 7, 4)
    expected = by_definition(x, weight, bias, 2, 1, 1, pad_mode="edge")
    np.testing.assert_allclose(np.array(layer(mx.array(x))), expected, atol=2e-5)
    with pytest.raises(ValueError, match="does not stream"):
        layer.make_state(1)


@pytest.mark.parametrize("shape", SHAPES)
def test_streamed_convolution_is_the_whole(products, shape):
    layer, _, _ = causal_conv(*shape)
    stride = shape[3]
    x = mx.array(random(2, 24 * stride, shape[0]))
    state, pieces, start = layer.make_state(2), [], 0
    for length in (1, 2, 1, 13, 7):
        y, state = layer.step(x[:, start * stride : (start + length) * stride], state)
        pieces.append(y)
        start += length
    np.testing.assert_allclose(np.array(mx.concatenate(pieces, axis=1)), np.array(layer(x)), atol=1e-5)


def transposed_by_definition(x, weight, bias, stride):
    """x [B, T, in], weight [in, out, k]."""
    B, T, _ = x.shape
    _, out, kernel = weight.shape
    y = np.zeros((B, T * stride + kernel, out))
    for t in range(T):
        y[:, t * stride : t * stride + kernel] += np.einsum("bi,iok->bko", x[:, t].astype(np.float64), weight)
    return y[:, : T * stride] + bias


def transposed_conv(in_channels, out, kernel, stride):
    layer = CausalConvTranspose1d(in_channels, out, kernel, stride)
    weight, bias = random(in_channels, out, kernel), 5 + random(out)
    layer.load_weights([("conv.weight", transposed_conv_weight(mx.array(weight))), ("conv.bias", mx.array(bias))])
    return layer, weight, bias


@pytest.mark.parametrize("shape", TRANSPOSED)
@pytest.mark.parametrize("length", [1, 9])
def test_transposed_convolution_is_the_definition(products, shape, length):
    layer, weight, bias = transposed_conv(*shape)
    x = random(2, length, shape[0])
    expected = transposed_by_definition(x, weight, bias, shape[3])
    np.testing.assert_allclose(np.array(layer(mx.array(x))), expected, atol=2e-5)


@pytest.mark.parametrize("shape", TRANSPOSED)
def test_streamed_transposed_convolution_is_the_whole(products, shape):
    layer, _, _ = transposed_conv(*shape)
    x = mx.array(random(2, 14, shape[0]))
    state, pieces = layer.make_state(2), []
    for start, end in ((0, 1), (1, 2), (2, 5), (5, 14)):
        y, state = layer.step(x[:, start:end], state)
        pieces.append(y)
    np.testing.assert_allclose(np.array(mx.concatenate(pieces, axis=1)), np.array(layer(x)), atol=1e-5)


def test_a_stored_weight_means_the_same_in_both_layouts(products):
    weight = mx.array(random(5, 3, 7))
    np.testing.assert_array_equal(conv_weight(weight), conv_weight(weight.transpose(0, 2, 1), layout="mlx"))


def test_shapes_without_a_meaning_are_refused():
    with pytest.raises(ValueError, match="neither plain nor depthwise"):
        CausalConv1d(4, 4, 3, groups=2)
    with pytest.raises(ValueError, match="not a multiple"):
        CausalConvTranspose1d(4, 4, 5, 2)
