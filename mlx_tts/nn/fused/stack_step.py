"""A stack of blocks without head norms for a GPU: 9 launches a layer where all positions are there, 12 for one of many.

The same numbers as `nn/transformer.py`. RoPE of queries and keys is one launch, which also passes the values on, and a
product adds what it is added to. One position goes over growing caches; what stands between two attentions is one
compiled function. With kernels of this package a layer is 5 launches, or 7, or all layers are one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import mlx.core as mx
import numpy as np
from mlx import nn

from mlx_tts.nn.activations import silu
from mlx_tts.nn.cache import KVCache
from mlx_tts.nn.fused import resident, resident_signature, short_attention
from mlx_tts.nn.fused.decode_step import starts_of
from mlx_tts.nn.fused.gpu_source import made_by_device
from mlx_tts.nn.fused.layer_step import turns
from mlx_tts.nn.fused.multiply import multiply
from mlx_tts.nn.fused.resident_stack import FEW_COLUMNS, Signature
from mlx_tts.nn.fused.self_check import CheckNumbers, passes_self_check
from mlx_tts.nn.transformer import Attention, Block, Transformer
from mlx_tts.runtime.device import compiled


class StackSteps:
    """The two faces of one stack. Holds nothing of an utterance."""

    def __init__(self, model: Transformer):
        attn = model.layers[0].self_attn
        self.model, self.turned = model, attn._periods is not None
        heads = np.arange(attn.heads + 2 * attn.kv_heads)
        self._is_value = mx.array(heads >= attn.heads + attn.kv_heads)[:, None, None]
        mx.eval(self._is_value)
        last = len(model.layers) - 1
        self._first: Any = compiled(self._begin)
        self._between: list[Any] = [compiled(partial(self._next, at)) for at in range(last)]
        self._last, self._whole = compiled(self._end), compiled(self._step_whole)
        self._turns_of: dict[int, Sequence[mx.array]] = {}
        self._for_step: dict[tuple[int, mx.Dtype], Signature | None] = {}  # by capacity of the caches

    def read_at_once(self, x: mx.array, meeting: mx.array) -> mx.array:
        """[B, L, D] -> [B, L, D], normed: every position sees all of its row. A pure function, to be compiled. meeting:
        see `resident.counters`."""
        B, L, D = x.shape
        turned, rows = self.turns_of(L), x.reshape(B * L, D)
        whole = self._resident(B * L, L, x.dtype, turned)
        if whole is not None:
            rows = resident.read_at_once(whole, self.model, rows, turned[0], meeting)
            return self.model.norm(rows).reshape(B, L, D)
        for block in self.model.layers:
            qkv = _before(block, rows)
            rows = _after(block, rows, self._attended_at_once(block.self_attn, qkv, L, turned))
        return self.model.norm(rows).reshape(B, L, D)

    def _resident(self, rows: int, length: int, dtype: mx.Dtype, turned: Sequence[mx.array]) -> Signature | None:
        """The kernel of the whole stack for so many short rows, where it passes its check: its first layers."""
        chosen = resident_signature.of_stack(self.model, rows, length, dtype, None)

        def check() -> list[tuple[mx.array, mx.array]]:
            assert chosen is not None
            x, few = CheckNumbers().normal((rows, chosen.width), dtype), resident.CHECK_LAYERS
            exact = self.read_exactly(x.astype(mx.float32), length, few)
            made = resident.read_at_once(chosen, self.model, x, turned[0], resident.counters(), few)
            return [(made, exact.astype(dtype))]

        return chosen if passes_self_check(chosen, check, part="stacks") else None

    def read_exactly(self, rows: mx.array, length: int, layers: int) -> mx.array:
        """[B * length, W] float32 -> what its first layers make of it, not normed, by MLX's own operations."""
        turned = self.turns_of(length)
        for block in self.model.layers[:layers]:
            y = self._attention(block.self_attn, _before(block, rows), length, turned)
            rows = _after(block, rows, y)
        return rows

    def turns_of(self, length: int) -> Sequence[mx.array]:
        """Cosines and sines of the positions of a row."""
        if length not in self._turns_of:
            self._turns_of[length] = tuple(map(made_by_device, self._turns(np.arange(length)[None])))
        return self._turns_of[length]

    def _attended_at_once(self, attn: Attention, qkv: mx.array, length: int, turned: Sequence[mx.array]) -> mx.array:
        """[B * L, q k v] -> [B * L, heads * D]"""
        chosen = short_attention.signature(attn, length, qkv.dtype) if turned else None

        def check() -> list[tuple[mx.array, mx.array]]:
            assert chosen is not None
            few = CheckNumbers().normal((2 * length, qkv.shape[1]), qkv.dtype)
            exact = self._attention(attn, few.astype(mx.float32), length, turned).astype(qkv.dtype)
            return [(short_attention.fused(chosen, few, turned[0]), exact)]

        if passes_self_check(chosen, check):
            assert chosen is not None
            return short_attention.fused(chosen, qkv, turned[0])
        return self._attention(attn, qkv, length, turned)

    def _attention(self, attn: Attention, qkv: mx.array, length: int, turned: Sequence[mx.array]) -> mx.array:
        q, kv = self._heads(qkv, length, *turned)
        y = mx.fast.scaled_dot_product_attention(q, kv[0, :], kv[1, :], scale=attn.scale)
        return y.swapaxes(1, 2).reshape(qkv.shape[0], -1)

    def decode_rows(self, x: mx.array, caches: Sequence[list[KVCache]]) -> mx.array:
        """[B, D] -> [B, D], normed: one position of B rows, each with caches of its own, one a layer."""
        if len(caches) == 1 and caches[0][0].kv is not None:
            whole = self._resident_step(caches[0][0].kv.shape[3], x.dtype)
            if whole is not None:
                return self._decode_whole(x, caches[0])
        if any(row[0].unseen for row in caches):
            mx.eval(x)  # which needs what was written there
            for cache in (cache for row in caches for cache in row):
                cache.unseen = False
        turned = self._turns(np.array([[row[0].length] for row in caches]))
        q, kv = self._first(x, *turned)
        for at, between in enumerate(self._between):
            x, q, kv = between(x, self._attended(at, q, kv, caches), *turned)
        return self._last(x, self._attended(len(self._between), q, kv, caches))  # type: ignore[no-any-return]

    def _decode_whole(self, x: mx.array, caches: list[KVCache]) -> mx.array:
        """One row by the kernel of the whole stack, which writes to the caches."""
        length = caches[0].length
        if not caches[0].has_room(1):
            mx.eval(x)  # what was written unseen must be there before a copy is made
            for cache in caches:
                cache.reserve(length + 1)
        for cache in caches:
            cache.length, cache.unseen = length + 1, True
        places = mx.array([length], mx.int32), starts_of(None, 1), resident.counters_of(caches)
        return self._whole(x, *places, [cache.kv for cache in caches])  # type: ignore[no-any-return]

    def _step_whole(
        self, x: mx.array, offset: mx.array, starts: mx.array, meeting: mx.array, caches: list[mx.array]
    ) -> mx.array:
        chosen = self._resident_step(caches[0].shape[3], x.dtype)
        assert chosen is not None
        return self.model.norm(  # type: ignore[no-any-return]
            resident.decode(chosen, self.model, x, caches, offset, starts, meeting)
        )

    def _resident_step(self, capacity: int, dtype: mx.Dtype) -> Signature | None:
        """The kernel of the whole stack for one row over caches, where it passes its check: its first layers."""
        if (capacity, dtype) not in self._for_step:  # to look at all layers at every step would take its time
            self._for_step[capacity, dtype] = resident_signature.of_stack(self.model, 1, 1, dtype, capacity)
        chosen = self._for_step[capacity, dtype]

        def check() -> list[tuple[mx.array, mx.array]]:
            assert chosen is not None
            numbers, few = CheckNumbers(), self.model.layers[: resident.CHECK_LAYERS]
            attn, columns = few[0].self_attn, 2 * FEW_COLUMNS + 8 if chosen.parts else capacity
            caches = [numbers.normal((2, 1, attn.kv_heads, columns, attn.head_dim), dtype) for _ in few]
            x, length = numbers.normal((1, chosen.width), dtype), columns - 3
            exact, turned, right = x.astype(mx.float32), self._turns(np.array([[length]])), []
            for block, cache in zip(few, caches, strict=True):
                q, new = self._heads(_before(block, exact), 1, *turned)
                kv = mx.concatenate([cache[:, :, :, :length].astype(mx.float32), new], axis=3)
                y = mx.fast.scaled_dot_product_attention(q, kv[0], kv[1], scale=attn.scale)
                exact = _after(block, exact, y.reshape(1, -1))
                right.append(mx.concatenate([kv.astype(dtype), cache[:, :, :, length + 1 :]], axis=3))
            caches = [mx.contiguous(cache) for cache in caches]
            mx.eval(exact, right, caches)
            all_caches = [caches[min(layer, len(few) - 1)] for layer in range(chosen.layers)]
            places = mx.array([length], mx.int32), starts_of(None, 1), resident.counters()
            made = resident.decode(chosen, self.model, x, all_caches, *places, len(few))
            mx.eval(made)
            return [(made, exact.astype(dtype)), *zip(caches, right, strict=True)]

        return chosen if passes_self_check(chosen, check, part="stacks") else None

    def _turns(self, positions: np.ndarray) -> Sequence[mx.array]:
        attn = self.model.layers[0].self_attn
        return turns(positions, attn.rope_theta, attn.head_dim, attn.rope_factors) if self.turned else ()

    def _attended(self, at: int, q: mx.array, kv: mx.array, caches: Sequence[list[KVCache]]) -> mx.array:
        """Queries [B, heads, 1, D], new keys and values [2, B, kv_heads, 1, D] -> [B, heads * D]."""
        scale, parts = self.model.layers[at].self_attn.scale, []
        for row, own in enumerate(caches):
            all_kv = own[at].append_position(kv[:, row : row + 1])
            keys, values = all_kv[0, :], all_kv[1, :]  # slices: an index would be a launch
            parts.append(mx.fast.scaled_dot_product_attention(q[row : row + 1], keys, values, scale=scale))
        y = parts[0] if len(parts) == 1 else mx.concatenate(parts)
        return y.reshape(len(caches), -1)

    def _begin(self, x: mx.array, *turned: mx.array) -> tuple[mx.array, mx.array]:
        return self._heads(_before(self.model.layers[0], x), 1, *turned)

    def _next(self, at: int, x: mx.array, y: mx.array, *turned: mx.array) -> tuple[mx.array, mx.array, mx.array]:
        """From what attention found in one layer to the next one's queries, keys and values."""
        x = _after(self.model.layers[at], x, y)
        return x, *self._heads(_before(self.model.layers[at + 1], x), 1, *turned)

    def _end(self, x: mx.array, y: mx.array) -> mx.array:
        return self.model.norm(_after(self.model.layers[-1], x, y))  # type: ignore[no-any-return]

    def _heads(self, qkv: mx.array, new: int, *turned: mx.array) -> tuple[mx.array, mx.array]:
        """[B * new, q k v] -> queries [B, heads, new, D], keys and values [2, B, kv_heads, new, D], rotated."""
        attn = self.model.layers[0].self_attn
        D = attn.head_dim
        heads = qkv.reshape(-1, new, attn.heads + 2 * attn.kv_heads, 2, D // 2)
        if turned:
            both = (heads[..., :1, :] * turned[0] + heads[..., 1:, :] * turned[1]).astype(heads.dtype)
            heads = mx.where(self._is_value, heads, both)
        heads = heads.reshape(*heads.shape[:3], D)
        kv = heads[:, :, attn.heads :].reshape(-1, new, 2, attn.kv_heads, D)
        return heads[:, :, : attn.heads].swapaxes(1, 2), kv.transpose(2, 0, 3, 1, 4)


def _before(block: Block, x: mx.array) -> mx.array:
    """[N, W] -> [N, q k v]: norm and product."""
    attn = block.self_attn
    parts = (attn.qkv_proj,) if "qkv_proj" in attn else (attn.q_proj, attn.k_proj, attn.v_proj)
    made = [_product(part, x, block.input_layernorm) for part in parts]
    return made[0] if len(made) == 1 else mx.concatenate(made, axis=-1)


def _after(block: Block, x: mx.array, y: mx.array) -> mx.array:
    """What goes through a block [N, W] and what its attention found [N, heads * D] -> what leaves it [N, W]."""
    scale, norm, mlp = block.residual_scale, block.post_attention_layernorm, block.mlp
    x = _product(block.self_attn.o_proj, y, residual=x, scale=scale)
    if "gate_up_proj" in mlp:
        wide = _product(mlp.gate_up_proj, x, norm, gated=True)
    else:
        wide = silu(_product(mlp.gate_proj, x, norm)) * _product(mlp.up_proj, x, norm)
    return _product(mlp.down_proj, wide, residual=x, scale=scale)


def _product(
    layer: nn.Module,
    x: mx.array,
    norm: nn.RMSNorm | None = None,
    residual: mx.array | None = None,
    gated: bool = False,
    scale: float = 1.0,
) -> mx.array:
    """[N, K] -> [N, M]: norm, product, SwiGLU; or residual + scale * product."""
    if scale == 1.0 or residual is None:
        return multiply(layer, x, norm, residual, gated)
    return added(layer, x, residual, scale)


def added(layer: nn.Module, y: mx.array, x: mx.array, scale: float = 1.0) -> mx.array:
    """x + scale * layer(y), as one launch for several rows; for one, MLX's product of a vector is faster than that."""
    if type(layer) is nn.Linear and x.shape[0] > 1:
        return mx.addmm(x, y, layer.weight.T, alpha=scale)
    y = layer(y)
    return x + (y if scale == 1.0 else scale * y)
