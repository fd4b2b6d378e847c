"""One position (or two) through a stack of blocks, in five launches a layer where the kernels work: for a GPU.

The cache has a fixed capacity and its length is an array, so the compiled step serves every frame.
"""

from __future__ import annotations

import mlx.core as mx
from mlx import nn

from mlx_tts.nn.fused import attention, product
from mlx_tts.nn.fused.self_check import CheckNumbers, passes_self_check
from mlx_tts.nn.rope import rotate
from mlx_tts.nn.transformer import Attention, Transformer

CHECK_ROWS = 64  # output numbers of a product in its self-check


def empty_cache(batch: int, kv_heads: int, capacity: int, head_dim: int, dtype: mx.Dtype) -> mx.array:
    """Keys and values of one layer in memory of their own: [B, 2, kv_heads, capacity, D]."""
    return mx.contiguous(mx.zeros((batch, 2, kv_heads, capacity, head_dim), dtype))


def part_of(layer: nn.Module, rows: int) -> nn.Module:
    """The same kind of layer with the first rows of its matrix."""
    small = _like(layer)
    for name, value in layer.parameters().items():
        small[name] = value[:rows]
    return small


def in_float32(layer: nn.Module) -> nn.Module:
    """The same layer computing in float32; quantised numbers stay as they are."""
    wide = _like(layer)
    for name, value in layer.parameters().items():
        wide[name] = value.astype(mx.float32) if mx.issubdtype(value.dtype, mx.floating) else value
    return wide


def _like(layer: nn.Module) -> nn.Module:
    other = type(layer).__new__(type(layer))
    nn.Module.__init__(other)
    for name in ("group_size", "bits", "mode", "eps"):
        if hasattr(layer, name):
            setattr(other, name, getattr(layer, name))
    return other


def multiply(
    layer: nn.Module, x: mx.array, norm: nn.RMSNorm | None = None, residual: mx.array | None = None, gated: bool = False
) -> mx.array:
    """[B, K] -> [B, N]: norm, product, then bias, residual or SwiGLU."""
    behind = product.GATED if gated else product.PLAIN if residual is None else product.RESIDUAL
    if "bias" in layer:
        assert behind == product.PLAIN
        behind = product.BIASED
    chosen = product.signature(layer, x.shape[0], x.dtype, norm, behind)

    def check() -> list[tuple[mx.array, mx.array]]:
        assert chosen is not None
        small, numbers = part_of(layer, CHECK_ROWS), CheckNumbers()
        few = numbers.normal((x.shape[0], chosen.columns), x.dtype)
        height = small.weight.shape[0]
        added = None if residual is None else numbers.normal((x.shape[0], height), x.dtype)
        wide = None if added is None else added.astype(mx.float32)
        own = None if norm is None else in_float32(norm)
        exact = product.plain(in_float32(small), few.astype(mx.float32), own, wide, behind)  # type: ignore[arg-type]
        return [(product.fused(chosen, small, few, norm, added), exact.astype(x.dtype))]

    if passes_self_check(chosen, check):
        assert chosen is not None
        return product.fused(chosen, layer, x, norm, residual)
    return product.plain(layer, x, norm, residual, behind)


def attend(
    attn: Attention, qkv: mx.array, kv: mx.array, offset: mx.array, start: mx.array, new: int
) -> tuple[mx.array, mx.array]:
    """[B * new, q k v] -> [B * new, heads * D] and the cache with the new columns: written in place, or a copy."""
    _, _, kv_heads, capacity, D = kv.shape
    norms = (attn.q_norm, attn.k_norm)
    same = len({(norm.eps, norm.weight.dtype) for norm in norms} | {(attn.q_norm.eps, qkv.dtype)}) == 1
    chosen = attention.signature(D, attn.heads // kv_heads, new, capacity, attn.q_norm.eps, qkv.dtype) if same else None

    def check() -> list[tuple[mx.array, mx.array]]:
        assert chosen is not None
        columns = min(capacity, 2 * attention.PART_COLUMNS + 8) if chosen.long else min(capacity, 40)
        numbers = CheckNumbers()
        few = numbers.normal((2 * new, (chosen.shared_by + 2) * D), qkv.dtype)
        cache = mx.contiguous(numbers.normal((2, 2, 1, columns, D), qkv.dtype))
        mx.eval(cache)
        at = mx.array([columns - new - 3], mx.int32)
        starts = mx.array([0, 5], mx.int32)
        wide = few.astype(mx.float32), cache.astype(mx.float32)
        exact = plain_attention(attn, wide[0], wide[1], at, starts, new)
        right, right_cache = (value.astype(qkv.dtype) for value in exact)
        mx.eval(right, right_cache)
        made = attention.fused(chosen, few, _gains(attn), cache, at, starts, attn._periods)
        mx.eval(made)
        return [(made, right), (cache, right_cache)]

    if passes_self_check(chosen, check):
        assert chosen is not None
        return attention.fused(chosen, qkv, _gains(attn), kv, offset, start, attn._periods), kv
    return plain_attention(attn, qkv, kv, offset, start, new)


def _gains(attn: Attention) -> tuple[mx.array, mx.array]:
    return attn.q_norm.weight, attn.k_norm.weight


def plain_attention(
    attn: Attention, qkv: mx.array, kv: mx.array, offset: mx.array, start: mx.array, new: int
) -> tuple[mx.array, mx.array]:
    """`attend` by MLX's own operations."""
    B, _, kv_heads, capacity, D = kv.shape
    heads = kv_heads * (attn.heads // attn.kv_heads)
    q, k, v = mx.split(qkv.reshape(B, new, -1), [heads * D, (heads + kv_heads) * D], axis=-1)
    q = attn.q_norm(q.reshape(B, new, heads, D)).transpose(0, 2, 1, 3)
    k = attn.k_norm(k.reshape(B, new, kv_heads, D)).transpose(0, 2, 1, 3)
    v = v.reshape(B, new, kv_heads, D).transpose(0, 2, 1, 3)
    q, k = rotate(q, attn._periods, offset - start), rotate(k, attn._periods, offset - start)
    kv = mx.slice_update(kv, mx.stack([k, v], axis=1), offset, (3,))
    columns = mx.arange(capacity)
    visible = columns[None, None, :] >= start[:, None, None]
    visible = visible & (columns[None, None, :] <= (offset + mx.arange(new))[None, :, None])
    y = mx.fast.scaled_dot_product_attention(q, kv[:, 0], kv[:, 1], scale=attn.scale, mask=visible[:, None])
    return y.transpose(0, 2, 1, 3).reshape(B * new, heads * D), kv


def decode(
    model: Transformer,
    x: mx.array,
    caches: list[mx.array],
    offset: mx.array,
    start: mx.array,
    new: int = 1,
) -> tuple[mx.array, list[mx.array]]:
    """[B * new, D] -> the same, **not** normed, and the caches. offset [1]: columns before; start [B]: first in use."""
    after = []
    for layer, kv in zip(model.layers, caches, strict=True):
        attn, mlp = layer.self_attn, layer.mlp
        if "qkv_proj" in attn:
            qkv = multiply(attn.qkv_proj, x, layer.input_layernorm)
        else:
            parts = (attn.q_proj, attn.k_proj, attn.v_proj)
            qkv = mx.concatenate([multiply(part, x, layer.input_layernorm) for part in parts], axis=-1)
        y, kv = attend(attn, qkv, kv, offset, start, new)
        x = multiply(attn.o_proj, y, residual=x)
        if "gate_up_proj" in mlp:
            wide = multiply(mlp.gate_up_proj, x, layer.post_attention_layernorm, gated=True)
        else:
            gate, up = (multiply(part, x, layer.post_attention_layernorm) for part in (mlp.gate_proj, mlp.up_proj))
            wide = nn.silu(gate) * up
        x = multiply(mlp.down_proj, wide, residual=x)
        after.append(kv)
    return x, after
