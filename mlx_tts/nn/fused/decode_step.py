"""One position (or two) through a stack of blocks with the attention kernel: five launches a layer, or one for
all layers.

The cache has a fixed capacity and its length is an array, so that one compiled step serves every frame.
"""

from __future__ import annotations

from functools import lru_cache

import mlx.core as mx

from mlx_tts.nn.fused import attention, resident, resident_signature
from mlx_tts.nn.fused.layer_step import after_attention, before_attention
from mlx_tts.nn.fused.resident_stack import FEW_COLUMNS, Signature
from mlx_tts.nn.fused.self_check import CheckNumbers, passes_self_check
from mlx_tts.nn.rope import rotate
from mlx_tts.nn.transformer import Attention, Transformer

LEAST_STARTS = 8  # Metal puts smaller inputs into another address space, which is another kernel


def empty_cache(batch: int, kv_heads: int, capacity: int, head_dim: int, dtype: mx.Dtype) -> mx.array:
    """Keys and values of one layer in memory of their own: [2, B, kv_heads, capacity, D]."""
    return mx.contiguous(mx.zeros((2, batch, kv_heads, capacity, head_dim), dtype))


def starts_of(start: mx.array | None, rows: int) -> mx.array:
    """The first column in use of each row, with as many entries as the kernel wants."""
    if start is None:
        return _no_starts(max(rows, LEAST_STARTS))
    start = start.astype(mx.int32)
    return start if rows >= LEAST_STARTS else mx.pad(start, (0, LEAST_STARTS - rows))


@lru_cache(maxsize=64)
def _no_starts(count: int) -> mx.array:
    """Kept, because making it would be a launch; by the device, because what the host makes lies in its memory."""
    starts = mx.zeros((count,), mx.int32)
    mx.eval(starts)
    return starts


def attention_signature(attn: Attention, capacity: int, new: int, dtype: mx.Dtype) -> attention.Signature | None:
    """The kernel for this attention and this many columns, or None where there is none."""
    norms = (attn.q_norm, attn.k_norm)
    if len({(norm.eps, norm.weight.dtype) for norm in norms} | {(attn.q_norm.eps, dtype)}) > 1:
        return None
    shared_by = attn.heads // attn.kv_heads
    return attention.signature(attn.head_dim, shared_by, new, capacity, attn.q_norm.eps, dtype)


def attention_passes(attn: Attention, rows: int, capacity: int, new: int, dtype: mx.Dtype) -> bool:
    """Whether the attention kernel may be used for so many rows; at the first time it is checked with them."""
    chosen, D = attention_signature(attn, capacity, new, dtype), attn.head_dim

    def check() -> list[tuple[mx.array, mx.array]]:
        assert chosen is not None
        columns = min(capacity, 2 * attention.PART_COLUMNS + 8) if chosen.long else min(capacity, 40)
        numbers = CheckNumbers()
        few = numbers.normal((rows * new, (chosen.shared_by + 2) * D), dtype)
        cache = mx.contiguous(numbers.normal((2, rows, 1, columns, D), dtype))
        mx.eval(cache)
        before = max(columns - new - 3, 0)
        at = mx.array([before], mx.int32)
        starts = starts_of(mx.array([min(5, before) * (row % 2) for row in range(rows)]), rows)
        wide = few.astype(mx.float32), cache.astype(mx.float32)
        exact = plain_attention(attn, wide[0], wide[1], at, starts[:rows], new)
        right, right_cache = (value.astype(dtype) for value in exact)
        mx.eval(right, right_cache)
        made = attention.fused(chosen, few, _gains(attn), cache, at, starts, attn._periods)
        mx.eval(made)
        return [(made, right), (cache, right_cache)]

    return passes_self_check(chosen, check, rows=rows, part="attention")


def _gains(attn: Attention) -> tuple[mx.array, mx.array]:
    return attn.q_norm.weight, attn.k_norm.weight


def plain_attention(
    attn: Attention, qkv: mx.array, kv: mx.array, offset: mx.array, start: mx.array, new: int
) -> tuple[mx.array, mx.array]:
    """What the kernel computes, by MLX's own operations: its output and the cache with the new columns."""
    _, B, kv_heads, capacity, D = kv.shape
    heads = kv_heads * (attn.heads // attn.kv_heads)
    q, k, v = mx.split(qkv.reshape(B, new, -1), [heads * D, (heads + kv_heads) * D], axis=-1)
    q = attn.q_norm(q.reshape(B, new, heads, D)).transpose(0, 2, 1, 3)
    k = attn.k_norm(k.reshape(B, new, kv_heads, D)).transpose(0, 2, 1, 3)
    v = v.reshape(B, new, kv_heads, D).transpose(0, 2, 1, 3)
    q, k = rotate(q, attn._periods, offset - start), rotate(k, attn._periods, offset - start)
    kv = mx.slice_update(kv, mx.stack([k, v]), offset, (3,))
    columns = mx.arange(capacity)
    visible = columns[None, None, :] >= start[:, None, None]
    visible = visible & (columns[None, None, :] <= (offset + mx.arange(new))[None, :, None])
    y = mx.fast.scaled_dot_product_attention(q, kv[0], kv[1], scale=attn.scale, mask=visible[:, None])
    return y.transpose(0, 2, 1, 3).reshape(B * new, heads * D), kv


def _resident(model: Transformer, rows: int, capacity: int, new: int, dtype: mx.Dtype) -> Signature | None:
    """The kernel of the whole stack for so many rows, where it passes its check: its first layers."""
    chosen = resident_signature.of_stack(model, rows * new, new, dtype, capacity)

    def check() -> list[tuple[mx.array, mx.array]]:
        assert chosen is not None
        numbers, few = CheckNumbers(), model.layers[: resident.CHECK_LAYERS]
        attn = few[0].self_attn
        x = numbers.normal((rows * new, chosen.width), dtype)
        columns = 2 * FEW_COLUMNS + 8 if chosen.parts else min(capacity, FEW_COLUMNS)
        shape = (2, rows, attn.kv_heads, columns, attn.head_dim)
        caches = [mx.contiguous(numbers.normal(shape, dtype)) for _ in few]
        mx.eval(caches)
        at, starts = mx.array([max(columns - new - 3, 0)], mx.int32), starts_of(None, rows)
        exact, right = x.astype(mx.float32), []
        for block, cache in zip(few, caches, strict=True):
            qkv = before_attention(block, exact)
            y, kv = plain_attention(block.self_attn, qkv, cache.astype(mx.float32), at, starts[:rows], new)
            exact = after_attention(block, exact, y)
            right.append(kv.astype(dtype))
        mx.eval(exact, right)
        all_caches = [caches[min(layer, len(few) - 1)] for layer in range(chosen.layers)]
        made = resident.decode(chosen, model, x, all_caches, at, starts, resident.counters(), len(few))
        mx.eval(made)
        return [(made, exact.astype(dtype)), *zip(caches, right, strict=True)]

    return chosen if passes_self_check(chosen, check, part="stacks") else None


def decode(
    model: Transformer,
    x: mx.array,
    caches: list[mx.array],
    offset: mx.array,
    starts: mx.array,
    meeting: mx.array,
    new: int = 1,
) -> mx.array:
    """[B * new, D] -> the same, **not** normed. offset [1]: columns before; starts: see `starts_of`; meeting: see
    `resident.counters`.

    The caches **are written to** where MLX does not see it: whoever reads them must need this output first, or evaluate
    it. Every layer's kernel must have passed `attention_passes`.
    """
    whole = _resident(model, x.shape[0] // new, caches[0].shape[3], new, x.dtype)
    if whole is not None:
        return resident.decode(whole, model, x, caches, offset, starts, meeting)
    for block, kv in zip(model.layers, caches, strict=True):
        attn = block.self_attn
        chosen = attention_signature(attn, kv.shape[3], new, x.dtype)
        assert chosen is not None
        qkv = before_attention(block, x)
        x = after_attention(block, x, attention.fused(chosen, qkv, _gains(attn), kv, offset, starts, attn._periods))
    return x
