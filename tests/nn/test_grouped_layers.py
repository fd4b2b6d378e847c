"""Layers that came with grouped codecs and cross-attention, each against plain numpy."""

import mlx.core as mx
import numpy as np
import pytest
from mlx import nn

from mlx_tts.nn import conv
from mlx_tts.nn.activations import HalfSnake, layer_norm, step_norm
from mlx_tts.nn.attention import CrossAttention
from mlx_tts.nn.codebooks import GroupFSQ
from mlx_tts.nn.conv import CausalConvTranspose1d, ConvMLP, grouped_transposed_weight
from tests.helpers.gpu_form import with_policy


def random(*shape):
    return np.random.default_rng(list(shape)).normal(size=shape).astype(np.float32)


@pytest.mark.parametrize(("inputs", "outputs", "rate"), [(6, 3, 2), (8, 4, 8)])
def test_a_grouped_transposed_convolution(inputs, outputs, rate):
    """Output j reads inputs 2j and 2j + 1; in PyTorch's weight layout [in, 1, k]."""
    weight, bias, x = random(inputs, 1, 2 * rate), random(outputs), random(2, 7, inputs)
    layer = CausalConvTranspose1d(inputs, outputs, 2 * rate, rate, groups=outputs)
    layer.conv.weight = grouped_transposed_weight(mx.array(weight.reshape(outputs, 2, -1)))
    layer.conv.bias = mx.array(bias)
    expected = np.zeros((2, 9 * rate, outputs)) + bias
    for t in range(7):
        for j in range(outputs):
            for i in (2 * j, 2 * j + 1):
                expected[:, t * rate : (t + 2) * rate, j] += x[:, t, i, None] * weight[i, 0]
    np.testing.assert_allclose(np.array(layer(mx.array(x))), expected[:, : 7 * rate], atol=1e-5)
    state, parts = layer.make_state(2), []
    for start, end in ((0, 1), (1, 4), (4, 7)):
        y, state = layer.step(mx.array(x[:, start:end]), state)
        parts.append(np.array(y))
    np.testing.assert_allclose(np.concatenate(parts, axis=1), expected[:, : 7 * rate], atol=1e-5)
    with pytest.raises(ValueError, match="neither 1 nor the outputs"):
        CausalConvTranspose1d(6, 3, 4, 2, groups=2)


def test_codes_are_digits_of_their_levels():
    quantiser, levels = GroupFSQ(2, [8, 7, 6, 6]), np.array([8, 7, 6, 6])
    codes = np.array([[[0, 2015], [1, 8], [56, 336], [1234, 77]]])
    digits = codes[..., None] // np.array([1, 8, 56, 336]) % levels
    values = (digits - levels // 2) / (levels // 2)
    np.testing.assert_allclose(np.array(quantiser.decode(mx.array(codes))), values.reshape(1, 4, 8), atol=1e-6)
    even, reach = 0.5 * (levels % 2 == 0), (levels - 1) / 2 * 0.999
    inverse = np.arctanh(np.clip((digits - levels // 2 + even) / reach, -0.9999, 0.9999))
    shift = np.tan(even / reach)
    latents = (inverse - shift).reshape(1, 4, 8).astype(np.float32)
    np.testing.assert_array_equal(np.array(quantiser.encode(mx.array(latents))), codes)


def test_half_a_snake():
    layer, x = HalfSnake(5), random(1, 3, 5)
    layer.snake.alpha, layer.snake.beta = mx.array([0.7, 1.3]), mx.array([1 / 0.7, 1 / 1.3])
    frequency = np.array([0.7, 1.3])
    snake = x[..., :2] + np.sin(frequency * x[..., :2]) ** 2 / frequency
    expected = np.concatenate([snake, np.where(x[..., 2:] < 0, 0.01, 1) * x[..., 2:]], axis=-1)
    np.testing.assert_allclose(np.array(layer(mx.array(x))), expected, atol=1e-6)


def attention():
    layer = CrossAttention(8, 6, 2, 4, layer_norm(6, 1e-5))
    layer.update({"q_proj": {"weight": mx.array(random(8, 8))}, "kv_proj": {"weight": mx.array(random(16, 6))}})
    layer.update({"o_proj": {"weight": mx.array(random(8, 8)[::-1].copy())}})
    return layer


def plain_attention(layer, x, memory, prior):
    weights = {name: np.array(layer[name].weight) for name in ("q_proj", "kv_proj", "o_proj")}
    normed = (memory - memory.mean(-1, keepdims=True)) / np.sqrt(memory.var(-1, keepdims=True) + 1e-5)
    q = (x @ weights["q_proj"].T).reshape(-1, 2, 4)
    k, v = np.moveaxis((normed @ weights["kv_proj"].T).reshape(-1, 2, 2, 4), 1, 0)
    scores = np.einsum("lhd,nhd->hln", q, k) / 2
    p = np.exp(scores - scores.max(-1, keepdims=True))
    p = p / p.sum(-1, keepdims=True) * prior
    p = p / p.sum(-1, keepdims=True)
    return np.einsum("hln,nhd->lhd", p, v).reshape(-1, 8) @ weights["o_proj"].T, p


def test_a_prior_pulls_every_query():
    layer, x, memory = attention(), random(3, 8), random(5, 6)
    prior = np.array([0.1, 1, 0.5, 0.1, 0.01], np.float32)
    expected, p = plain_attention(layer, x, memory, prior)
    read = layer.read(mx.array(memory)[None])
    read.prior = mx.array(prior)
    np.testing.assert_allclose(np.array(layer(mx.array(x)[None], read))[0], expected, atol=1e-5)
    np.testing.assert_allclose(np.array(read.attended), p[:, -1], atol=1e-6)


def test_one_position_of_several_utterances():
    """The first row of each attends to its own memory; a second one adds nothing."""
    layer, x = attention(), random(5, 8)
    memories = [random(5, 6), random(3, 6), random(4, 6)]
    counts = [2, 1, 2]
    expected = np.zeros((5, 8))
    for row, memory in zip((0, 2, 3), memories, strict=True):
        expected[row] = plain_attention(layer, x[row : row + 1], memory, 1)[0][0]
    read = [layer.read(mx.array(memory)[None]) for memory in memories]
    np.testing.assert_allclose(np.array(layer.decode_step(mx.array(x), counts, read)), expected, rtol=1e-5, atol=1e-5)
    alone = layer.decode_step(mx.array(x[:2]), [2], read[:1])
    np.testing.assert_allclose(np.array(alone), expected[:2], atol=1e-5)


@pytest.mark.parametrize("cuda", [False, True])
@pytest.mark.parametrize(("kernel", "causal"), [(1, True), (3, True), (3, False)])
def test_a_convolutional_mlp(kernel, causal, cuda, monkeypatch):
    with_policy(monkeypatch, conv, avoids_libraries=cuda)
    if cuda:
        monkeypatch.setattr(conv, "prefers_products", lambda: False)
    layer, x = ConvMLP(4, 6, kernel, causal), random(1, 5, 4)
    up, down = random(6, 4, kernel), random(4, 6, kernel)
    if kernel == 1:
        layer.up.weight, layer.down.weight = mx.array(up[..., 0]), mx.array(down[..., 0])
    else:
        order = (0, 2, 1) if cuda else (2, 1, 0)
        layer.up.weight, layer.down.weight = (mx.array(w.transpose(order)) for w in (up, down))
        assert isinstance(layer.up, conv.UnfoldedConv1d) == cuda
    pad = (kernel - 1, 0) if causal else ((kernel - 1) // 2,) * 2

    def convolve(y, w):
        y = np.pad(y, [pad, (0, 0)])
        return np.stack([np.einsum("kc,dck->d", y[t : t + kernel], w) for t in range(len(y) - kernel + 1)])

    y = convolve(x[0].astype(np.float64), up)
    y = 0.5 * y * (1 + np.tanh(np.sqrt(2 / np.pi) * (y + 0.044715 * y**3)))
    np.testing.assert_allclose(np.array(layer(mx.array(x)))[0], convolve(y, down), atol=1e-4)


@pytest.mark.parametrize("norm", [nn.RMSNorm(6, 1e-5), layer_norm(6, 1e-5)], ids=["rms", "layer"])
def test_a_norm_of_one_position(norm):
    norm.weight = mx.array(random(6))
    x = mx.array(random(3, 6))
    np.testing.assert_allclose(np.array(step_norm(norm)(x)), np.array(norm(x)), atol=1e-5)
