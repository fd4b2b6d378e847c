"""A prompt at once, then one position at a time, against everything at once; random weights."""

from types import SimpleNamespace

import mlx.core as mx
import numpy as np
import pytest
from mlx import nn

from mlx_tts.nn import attention
from mlx_tts.nn.activations import norm_constants, normed
from mlx_tts.nn.cache import KVCache
from mlx_tts.nn.linear import to_cpu_layout
from mlx_tts.nn.transformer import Transformer
from tests.helpers.gpu_form import with_policy

SIZES = SimpleNamespace(
    hidden_size=32,
    intermediate_size=48,
    num_hidden_layers=3,
    num_attention_heads=4,
    num_key_value_heads=2,
    head_dim=16,
    rms_norm_eps=1e-3,  # large enough that a wrong place for it shows
    rope_theta=1e4,
)


def random_transformer(join: bool, unlike: bool = False) -> Transformer:
    mx.random.seed(0)
    model = Transformer(SIZES)
    for layer in model.layers:
        for norm in (
            layer.input_layernorm,
            layer.post_attention_layernorm,
            layer.self_attn.q_norm,
            layer.self_attn.k_norm,
        ):
            norm.weight = mx.random.uniform(0.5, 1.5, norm.weight.shape)
    model.norm.weight = mx.random.uniform(0.5, 1.5, model.norm.weight.shape)
    if unlike:  # a value product in another format than its neighbours', as mixed quantisation leaves some layers
        model.layers[1].self_attn.v_proj = nn.QuantizedLinear.from_linear(model.layers[1].self_attn.v_proj, 32, 8)
    if join:
        model.fuse_projections()
        to_cpu_layout(model)
    return model


@pytest.mark.parametrize("growth", [None, 4])
@pytest.mark.parametrize(("rows", "unlike"), [(1, False), (3, False), (1, True)])
def test_one_position_at_a_time(rows, unlike, growth):
    x = mx.random.normal((rows, 9, 32), key=mx.random.key(1))
    plain = random_transformer(False, unlike)
    wanted = plain(x, [KVCache() for _ in plain.layers])
    model = random_transformer(True, unlike)
    caches = [KVCache(capacity=4, growth=growth) for _ in model.layers]  # grows on the way
    found = [model(x[:, :3], caches)] + [model(x[:, at : at + 1], caches) for at in range(3, 9)]
    np.testing.assert_allclose(mx.concatenate(found, axis=1), wanted, atol=2e-6)
    assert {cache.length for cache in caches} == {9}
    if growth is not None:
        assert {cache.kv.shape[3] for cache in caches} == {12}


def test_the_norm():
    x, weight = mx.random.normal((2, 3, 16)) * 0.01, mx.random.uniform(0.5, 1.5, (16,))
    wanted = mx.fast.rms_norm(x, weight, 1e-3)
    np.testing.assert_allclose(normed(x, *norm_constants(weight[None, None], 1e-3)), wanted, atol=1e-6)


def seen_of(mask: str | None, queries: int, keys: int) -> mx.array | str | None:
    random = np.random.default_rng(3)
    if mask == "seen":
        seen = mx.array(random.random((2, 1, queries, keys)) < 0.7)
        return seen | (mx.arange(keys) == 0)
    return mx.array(random.normal(size=(queries, keys))).astype(mx.bfloat16) if mask == "added" else mask


@pytest.mark.parametrize("mask", ["causal", None, "seen", "added"])
@pytest.mark.parametrize("keys", [9, 14])
def test_attention_by_products_is_attention(mask, keys, monkeypatch):
    """As on CUDA, where every length would be planned anew; queries are the last of the positions."""
    random, queries = np.random.default_rng(2), 9
    q, k, v = (
        mx.array(random.normal(size=(2, heads, length, 16))).astype(mx.bfloat16)
        for heads, length in ((6, queries), (2, keys), (2, keys))
    )
    given = 0.3, seen_of(mask, queries, keys)
    exact = mx.fast.scaled_dot_product_attention(
        *(part.astype(mx.float32) for part in (q, k, v)), scale=0.3, mask=given[1]
    )
    with_policy(monkeypatch, attention, avoids_libraries=True)
    asked: list[int] = []
    library = mx.fast.scaled_dot_product_attention
    monkeypatch.setattr(
        mx.fast, "scaled_dot_product_attention", lambda *of, **how: asked.append(1) or library(*of, **how)
    )
    found = attention.attended(q, k, v, *given)
    assert found.dtype == mx.bfloat16 and found.shape == q.shape
    assert not asked
    np.testing.assert_allclose(found.astype(mx.float32), exact, rtol=8e-3, atol=1e-3)
    monkeypatch.setattr(attention, "MOST_SCORES", 2 * 6 * queries * keys - 1)
    attention.attended(q, k, v, *given)
    attention.attended(q[:, :, :1], k, v, 0.3, None)
    attention.attended(*(part.astype(mx.float32) for part in (q, k, v)), *given)
    assert len(asked) == 3, "what would hold too much, single positions and 32-bit numbers are the library's"
