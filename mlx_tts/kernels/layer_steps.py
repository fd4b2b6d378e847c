"""One position (or two) through a stack of blocks on a GPU, in few launches.

Every launch costs microseconds. With the attention kernel a layer is five launches, and its cache has a fixed capacity
and a length that is an array, so that one compiled step serves every frame; or all layers are one persistent kernel.
Around MLX's own attention a layer is 13 launches, 8 with product kernels: whatever is elementwise stands together,
where `mx.compile` makes one launch of it, the gains of the head norms, RoPE and the choice of what goes into the cache.
MLX's RoPE alone would be two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import mlx.core as mx
import numpy as np
from mlx import nn

from mlx_tts.kernels import persistent_stack
from mlx_tts.kernels.attention import PART_COLUMNS, AttentionKernel
from mlx_tts.kernels.core.self_check import CheckNumbers, self_checked
from mlx_tts.kernels.persistent_sizes import FEW_COLUMNS, StackKernel
from mlx_tts.kernels.products import multiply
from mlx_tts.nn.activations import silu
from mlx_tts.nn.attention import Factors, periods_of, rotate
from mlx_tts.nn.cache import KVCache
from mlx_tts.nn.transformer import Attention, Block, Transformer
from mlx_tts.runtime.device import compiled

LEAST_STARTS = 8  # Metal puts smaller inputs into another address space, which is another kernel
Turns = tuple[mx.array, mx.array]  # what a head's low and high half are multiplied with, [rows, new, 1, 2, D / 2]


def turns(positions: np.ndarray, rope_theta: float, head_dim: int, factors: Factors = ()) -> Turns:
    """Positions [rows, new] -> cosines and sines as `heads_of` takes them; once a step, for all layers.

    By the host, in float64: more exact than any GPU's, and no launch.
    """
    angles = positions[..., None] / periods_of(head_dim, rope_theta, factors)
    cosine, sine = np.cos(angles), np.sin(angles)
    first, second = np.stack([cosine, sine], axis=-2), np.stack([-sine, cosine], axis=-2)
    return mx.array(first[:, :, None].astype(np.float32)), mx.array(second[:, :, None].astype(np.float32))


@dataclass(frozen=True)
class HeadNorms:
    """The gains of q's and k's norms, [heads, 1, D / 2] for each half; 1 for the values, which stay as they are. None
    where heads have no norms."""

    low: mx.array | None
    high: mx.array | None
    is_value: mx.array
    epsilon: float

    @classmethod
    def of(cls, attn: Attention) -> HeadNorms:
        half, heads = attn.head_dim // 2, np.arange(attn.heads + 2 * attn.kv_heads)
        is_value = mx.array(heads >= attn.heads + attn.kv_heads)[:, None, None]
        if "q_norm" not in attn:
            mx.eval(is_value)
            return cls(None, None, is_value, 0.0)
        kinds = [(attn.q_norm.weight, attn.heads), (attn.k_norm.weight, attn.kv_heads)]
        kinds.append((mx.ones((2 * half,)), attn.kv_heads))
        gains = mx.concatenate([mx.broadcast_to(gain.astype(mx.float32), (count, 2 * half)) for gain, count in kinds])
        low, high = (mx.contiguous(part[:, None]) for part in mx.split(gains, 2, axis=1))
        mx.eval(low, high, is_value)
        return cls(low, high, is_value, attn.q_norm.eps)


def heads_of(
    qkv: mx.array, norms: HeadNorms, attn: Attention, turned: Sequence[mx.array], new: int
) -> tuple[mx.array, mx.array]:
    """[B * new, q k v] -> queries [B, heads, new, D], keys and values [2, B, kv_heads, new, D]: normed, where there are
    norms, and rotated. turned: see `turns`; empty where positions are not told."""
    D = attn.head_dim
    plain = qkv.reshape(-1, new, attn.heads + 2 * attn.kv_heads, 2, D // 2)
    low, high, both = plain[..., :1, :], plain[..., 1:, :], plain
    if norms.low is not None and norms.high is not None:  # one norm for all heads; the values go through it unused
        normed = mx.fast.rms_norm(plain.reshape(*plain.shape[:3], D), None, norms.epsilon).reshape(plain.shape)
        low, high = normed[..., :1, :] * norms.low, normed[..., 1:, :] * norms.high
    if turned:
        both = mx.where(norms.is_value, plain, (low * turned[0] + high * turned[1]).astype(qkv.dtype))
    both = both.reshape(*plain.shape[:3], D)
    kv = both[:, :, attn.heads :].reshape(-1, new, 2, attn.kv_heads, D)
    return both[:, :, : attn.heads].swapaxes(1, 2), kv.transpose(2, 0, 3, 1, 4)


def before_attention(block: Block, x: mx.array) -> mx.array:
    """[B, D] -> [B, q k v]: norm and product."""
    attn = block.self_attn
    if "qkv_proj" in attn:
        return multiply(attn.qkv_proj, x, block.input_layernorm)
    parts = (attn.q_proj, attn.k_proj, attn.v_proj)
    return mx.concatenate([multiply(part, x, block.input_layernorm) for part in parts], axis=-1)


def after_attention(block: Block, x: mx.array, y: mx.array) -> mx.array:
    """What goes through the block [B, D] and what attention found [B, heads * D] -> what leaves the block [B, D]."""
    mlp, norm, scale = block.mlp, block.post_attention_layernorm, block.residual_scale
    x = _with_residual(block.self_attn.o_proj, y, x, scale)
    if "gate_up_proj" in mlp:
        wide = multiply(mlp.gate_up_proj, x, norm, gated=True)
    else:
        wide = silu(multiply(mlp.gate_proj, x, norm)) * multiply(mlp.up_proj, x, norm)
    return _with_residual(mlp.down_proj, wide, x, scale)


def _with_residual(layer: nn.Module, y: mx.array, x: mx.array, scale: float) -> mx.array:
    return multiply(layer, y, residual=x) if scale == 1.0 else added(layer, y, x, scale)


def added(layer: nn.Module, y: mx.array, x: mx.array, scale: float = 1.0) -> mx.array:
    """x + scale * layer(y), as one launch for several rows; for one, MLX's product of a vector is faster than that."""
    if type(layer) is nn.Linear and x.shape[0] > 1:
        return mx.addmm(x, y, layer.weight.T, alpha=scale)
    y = layer(y)
    return x + (y if scale == 1.0 else scale * y)


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


def _attention_kernel(attn: Attention, capacity: int, new: int, dtype: mx.Dtype) -> AttentionKernel | None:
    """The kernel for this attention and this many columns, or None where there is none."""
    norms = (attn.q_norm, attn.k_norm)
    if len({(norm.eps, norm.weight.dtype) for norm in norms} | {(attn.q_norm.eps, dtype)}) > 1:
        return None
    shared_by = attn.heads // attn.kv_heads
    return AttentionKernel.of(attn.head_dim, shared_by, new, capacity, attn.q_norm.eps, dtype)


def attention_passes(attn: Attention, rows: int, capacity: int, new: int, dtype: mx.Dtype) -> bool:
    """Whether the attention kernel may be used for so many rows; at the first time it is checked with them."""

    def check(chosen: AttentionKernel) -> list[tuple[mx.array, mx.array]]:
        columns = min(capacity, 2 * PART_COLUMNS + 8) if chosen.long else min(capacity, 40)
        numbers, D = CheckNumbers(), attn.head_dim
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
        made = chosen.run(few, _gains(attn), cache, at, starts, attn._periods)
        mx.eval(made)
        return [(made, right), (cache, right_cache)]

    chosen = _attention_kernel(attn, capacity, new, dtype)
    return self_checked(chosen, check, rows=rows, part="attention") is not None


def _gains(attn: Attention) -> tuple[mx.array, mx.array]:
    return attn.q_norm.weight, attn.k_norm.weight


def plain_attention(
    attn: Attention, qkv: mx.array, kv: mx.array, offset: mx.array, start: mx.array, new: int
) -> tuple[mx.array, mx.array]:
    """What the kernel computes, by MLX's own operations: its output and the cache with the new columns."""
    _, B, kv_heads, capacity, D = kv.shape
    heads = kv_heads * (attn.heads // attn.kv_heads)
    q, k, v = mx.split(qkv.reshape(B, new, -1), [heads * D, (heads + kv_heads) * D], axis=-1)
    q, k = q.reshape(B, new, heads, D), k.reshape(B, new, kv_heads, D)
    if "q_norm" in attn:
        q, k = attn.q_norm(q), attn.k_norm(k)
    q, k, v = (value.transpose(0, 2, 1, 3) for value in (q, k, v.reshape(B, new, kv_heads, D)))
    if attn._periods is not None:
        q, k = rotate(q, attn._periods, offset - start), rotate(k, attn._periods, offset - start)
    kv = mx.slice_update(kv, mx.stack([k, v]), offset, (3,))
    columns = mx.arange(capacity)
    visible = columns[None, None, :] >= start[:, None, None]
    visible = visible & (columns[None, None, :] <= (offset + mx.arange(new))[None, :, None])
    y = mx.fast.scaled_dot_product_attention(q, kv[0], kv[1], scale=attn.scale, mask=visible[:, None])
    return y.transpose(0, 2, 1, 3).reshape(B * new, heads * D), kv


def plain_layers(
    blocks: Sequence[Block], x: mx.array, caches: Sequence[mx.array], offset: mx.array, start: mx.array, new: int
) -> tuple[mx.array, list[mx.array]]:
    """What a stack's kernel computes, by MLX's own operations in float32: its output and the caches with the new
    columns."""
    x, made = x.astype(mx.float32), []
    for block, cache in zip(blocks, caches, strict=True):
        qkv = before_attention(block, x)
        y, kv = plain_attention(block.self_attn, qkv, cache.astype(mx.float32), offset, start, new)
        x = after_attention(block, x, y)
        made.append(kv)
    return x, made


def checked_stack(
    chosen: StackKernel | None, model: Transformer, rows: int, capacity: int, new: int, dtype: mx.Dtype
) -> StackKernel | None:
    """The kernel of the whole stack for so many rows over caches, where it passes its check: its first layers."""

    def check(chosen: StackKernel) -> list[tuple[mx.array, mx.array]]:
        numbers, few = CheckNumbers(), model.layers[: persistent_stack.CHECK_LAYERS]
        attn = few[0].self_attn
        x = numbers.normal((rows * new, chosen.width), dtype)
        columns = 2 * FEW_COLUMNS + 8 if chosen.parts else min(capacity, FEW_COLUMNS)
        shape = (2, rows, attn.kv_heads, columns, attn.head_dim)
        caches = [mx.contiguous(numbers.normal(shape, dtype)) for _ in few]
        mx.eval(caches)
        at, starts = mx.array([max(columns - new - 3, 0)], mx.int32), starts_of(None, rows)
        exact, right = plain_layers(few, x, caches, at, starts[:rows], new)
        mx.eval(exact, right)
        all_caches = [caches[min(layer, len(few) - 1)] for layer in range(chosen.layers)]
        made = persistent_stack.decode(chosen, model, x, all_caches, at, starts, persistent_stack.counters(), len(few))
        mx.eval(made)
        return [(made, exact.astype(dtype)), *zip(caches, [kv.astype(dtype) for kv in right], strict=True)]

    return self_checked(chosen, check, part="stacks")


def decode(
    model: Transformer,
    x: mx.array,
    caches: list[mx.array],
    offset: mx.array,
    starts: mx.array,
    barrier: mx.array,
    new: int = 1,
) -> mx.array:
    """[B * new, D] -> the same, **not** normed. offset [1]: columns before; starts: see `starts_of`; barrier: see
    `persistent_stack.counters`.

    The caches **are written to** where MLX does not see it: what reads them must need this output first, or evaluate
    it. Every layer's kernel must have passed `attention_passes`.
    """
    capacity = caches[0].shape[3]
    whole = persistent_stack.of_stack(model, x.shape[0], new, x.dtype, capacity)
    whole = checked_stack(whole, model, x.shape[0] // new, capacity, new, x.dtype)
    if whole is not None:
        return persistent_stack.decode(whole, model, x, caches, offset, starts, barrier)
    for block, kv in zip(model.layers, caches, strict=True):
        attn = block.self_attn
        chosen = _attention_kernel(attn, kv.shape[3], new, x.dtype)
        assert chosen is not None
        qkv = before_attention(block, x)
        x = after_attention(block, x, chosen.run(qkv, _gains(attn), kv, offset, starts, attn._periods))
    return x


class LayerSteps:
    """One new position through a whole stack over growing caches; around each attention one compiled function.

    The whole stack as one compiled function would need a cache of fixed capacity and a mask: slower attention.
    """

    def __init__(self, model: Transformer):
        self.attentions = [block.self_attn for block in model.layers]
        self._blocks = [
            (compiled(partial(_before, block, HeadNorms.of(block.self_attn))), compiled(partial(_after, block)))
            for block in model.layers
        ]

    def __call__(self, x: mx.array, caches: list[KVCache]) -> mx.array:
        """[B, D] -> [B, D], not normed; appends one column to the caches."""
        length, first = caches[0].length, self.attentions[0]
        start = np.zeros(1, int) if caches[0].start is None else np.asarray(caches[0].start)
        turned = turns(length - start[:, None], first.rope_theta, first.head_dim)
        mask = None
        if caches[0].start is not None:  # some rows start late
            mask = mx.array((np.arange(length + 1) >= start[:, None])[:, None, None])
        for attn, (before, after), cache in zip(self.attentions, self._blocks, caches, strict=True):
            q, kv = before(x, *turned)
            kv = cache.append_position(kv)
            x = after(x, mx.fast.scaled_dot_product_attention(q, kv[0, :], kv[1, :], scale=attn.scale, mask=mask))
        return x


def _before(block: Block, norms: HeadNorms, x: mx.array, *turned: mx.array) -> tuple[mx.array, mx.array]:
    return heads_of(before_attention(block, x), norms, block.self_attn, turned, 1)


def _after(block: Block, x: mx.array, y: mx.array) -> mx.array:
    return after_attention(block, x, y.reshape(x.shape[0], -1))


class UnrolledStack:
    """The code predictor's stack inside one graph of a whole frame: every step's position is a number, not an array.

    Caches have all columns of a frame from the start, and a new one is put in by selecting, not by writing: MLX would
    copy a cache that an earlier launch still reads. Columns behind the present one hold anything; no slice shows them.
    """

    def __init__(self, model: Transformer, columns: int):
        self.model, self.columns = model, columns
        self.norms = [HeadNorms.of(block.self_attn) for block in model.layers]
        first = model.layers[0].self_attn
        positions = [np.arange(at, at + new)[None] for at, new in _steps(columns)]
        self.turns = [turns(position, first.rope_theta, first.head_dim) for position in positions]
        self.is_column = [mx.array(np.arange(columns) == at)[:, None] for at in range(columns)]

    def __call__(self, x: mx.array, step: int, caches: list[mx.array]) -> tuple[mx.array, list[mx.array]]:
        """Step 0 takes two positions a row, [2 B, D], the others one, [B, D]; not normed."""
        (at, new), after = _steps(self.columns)[step], []
        for number, block in enumerate(self.model.layers):
            attn = block.self_attn
            q, kv = heads_of(before_attention(block, x), self.norms[number], attn, self.turns[step], new)
            kv = mx.where(self.is_column[at], kv[..., :1, :], kv[..., 1:, :] if new > 1 else caches[number])
            after.append(kv)
            k, v = kv[0, :, :, : at + new], kv[1, :, :, : at + new]
            y = mx.fast.scaled_dot_product_attention(q, k, v, scale=attn.scale, mask="causal" if new > 1 else None)
            x = after_attention(block, x, y.swapaxes(1, 2).reshape(x.shape[0], -1))
        return x, after


def _steps(columns: int) -> list[tuple[int, int]]:
    """(columns before, new columns) of each step of a frame: its first two positions together, then one by one."""
    return [(0, 2), *((at, 1) for at in range(2, columns))]
