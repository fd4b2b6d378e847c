"""A stack of blocks on a GPU as a whole: short prompts, short rows whose positions see each other, one position a row.

The same numbers as `nn/transformer.py`. `StackSteps` is for stacks without head norms: 9 launches a layer where all
positions are there, 12 for one of many. RoPE of queries and keys is one launch, which also passes the values on, and a
product adds what it is added to. One position goes over growing caches; what stands between two attentions is one
compiled function. With kernels of this package a layer is 5 launches, or 7, or all layers are one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import mlx.core as mx
import numpy as np

from mlx_tts.kernels import persistent_stack
from mlx_tts.kernels.attention import ShortAttentionKernel
from mlx_tts.kernels.core.forms import kernel_form
from mlx_tts.kernels.core.self_check import CheckNumbers, self_checked
from mlx_tts.kernels.layer_steps import (
    HeadNorms,
    after_attention,
    before_attention,
    checked_stack,
    heads_of,
    starts_of,
    turns,
)
from mlx_tts.kernels.persistent_sizes import MOST_ROWS, StackKernel
from mlx_tts.kernels.persistent_stack import CHECK_LAYERS
from mlx_tts.nn.cache import KVCache
from mlx_tts.nn.transformer import Attention, Transformer
from mlx_tts.runtime.device import compiled, made_by_device


class PrefillStep:
    """The prefill of one stack: on CUDA all layers of short prompts are one launch, where some 500 would read them. A
    first sound waits for that."""

    def __init__(self, model: Transformer):
        self.model = model
        self._chosen: dict[tuple[int, mx.Dtype], StackKernel | None] = {}  # to look at all layers takes its time

    def most_positions(self, dtype: mx.Dtype) -> int:
        """Of all prompts of a launch, with their padding; 0 where no kernel reads them."""
        return MOST_ROWS if kernel_form().stacks and self._kernel(1, dtype) is not None else 0

    def _kernel(self, positions: int, dtype: mx.Dtype) -> StackKernel | None:
        if (positions, dtype) not in self._chosen:
            self._chosen[positions, dtype] = persistent_stack.of_prompts(self.model, positions, dtype)
        return self._chosen[positions, dtype]

    def prefill(self, prompts: mx.array, caches: list[KVCache]) -> mx.array | None:
        """[B, L, D] into empty caches of these rows, and what leaves the last layer, not normed; None where no kernel
        does so, or none that passes its check: its first layers. Columns behind the prompts hold anything."""
        B, L, _ = prompts.shape
        model = self.model

        def check(chosen: StackKernel) -> list[tuple[mx.array, mx.array]]:
            few, own = model.layers[:CHECK_LAYERS], [KVCache() for _ in range(CHECK_LAYERS)]
            x = CheckNumbers().normal(prompts.shape, prompts.dtype)
            exact = x.astype(mx.float32)
            for block, cache in zip(few, own, strict=True):
                exact = block(exact, cache, cache.mask(L))
            made, kv = persistent_stack.prefill(chosen, model, x, L, persistent_stack.counters(), len(few))
            pairs = [(made, exact.astype(x.dtype))]
            for found, right in zip(kv, own, strict=False):
                assert right.kv is not None
                pairs.append((found, right.kv[:, :, :, :L].astype(x.dtype)))
            return pairs

        chosen = self_checked(self._kernel(B * L, prompts.dtype), check, part="stacks")
        if chosen is None:
            return None
        columns = caches[0].columns_for(L)
        read, all_kv = persistent_stack.prefill(chosen, model, prompts, columns, persistent_stack.counters())
        for cache, kv in zip(caches, all_kv, strict=True):
            cache.kv, cache.length = kv, L
        return read


class StackSteps:
    """The two faces of one stack. Holds nothing of an utterance."""

    def __init__(self, model: Transformer):
        attn = model.layers[0].self_attn
        self.model, self.turned = model, attn._periods is not None
        self._norms = HeadNorms.of(attn)
        last = len(model.layers) - 1
        self._first: Any = compiled(self._begin)
        self._between: list[Any] = [compiled(partial(self._next, at)) for at in range(last)]
        self._last, self._whole = compiled(self._end), compiled(self._step_whole)
        self._turns_of: dict[int, Sequence[mx.array]] = {}
        self._for_step: dict[tuple[int, mx.Dtype], StackKernel | None] = {}  # by capacity of the caches

    def read_at_once(self, x: mx.array, barrier: mx.array) -> mx.array:
        """[B, L, D] -> [B, L, D], normed: every position sees all of its row. A pure function, to be compiled. barrier:
        see `persistent_stack.counters`."""
        B, L, D = x.shape
        turned, rows = self.turns_of(L), x.reshape(B * L, D)
        whole = self._persistent(B * L, L, x.dtype, turned)
        if whole is not None:
            rows = persistent_stack.read_at_once(whole, self.model, rows, turned[0], barrier)
            return self.model.norm(rows).reshape(B, L, D)
        for block in self.model.layers:
            qkv = before_attention(block, rows)
            rows = after_attention(block, rows, self._attended_at_once(block.self_attn, qkv, L, turned))
        return self.model.norm(rows).reshape(B, L, D)

    def _persistent(self, rows: int, length: int, dtype: mx.Dtype, turned: Sequence[mx.array]) -> StackKernel | None:
        """The kernel of the whole stack for so many short rows, where it passes its check: its first layers."""

        def check(chosen: StackKernel) -> list[tuple[mx.array, mx.array]]:
            x, few = CheckNumbers().normal((rows, chosen.width), dtype), CHECK_LAYERS
            exact = self.read_exactly(x.astype(mx.float32), length, few)
            made = persistent_stack.read_at_once(chosen, self.model, x, turned[0], persistent_stack.counters(), few)
            return [(made, exact.astype(dtype))]

        return self_checked(persistent_stack.of_stack(self.model, rows, length, dtype, None), check, part="stacks")

    def read_exactly(self, rows: mx.array, length: int, layers: int) -> mx.array:
        """[B * length, W] float32 -> what its first layers make of it, not normed, by MLX's own operations."""
        turned = self.turns_of(length)
        for block in self.model.layers[:layers]:
            y = self._attention(block.self_attn, before_attention(block, rows), length, turned)
            rows = after_attention(block, rows, y)
        return rows

    def turns_of(self, length: int) -> Sequence[mx.array]:
        """Cosines and sines of the positions of a row."""
        if length not in self._turns_of:
            self._turns_of[length] = tuple(map(made_by_device, self._turns(np.arange(length)[None])))
        return self._turns_of[length]

    def _attended_at_once(self, attn: Attention, qkv: mx.array, length: int, turned: Sequence[mx.array]) -> mx.array:
        """[B * L, q k v] -> [B * L, heads * D]"""

        def check(chosen: ShortAttentionKernel) -> list[tuple[mx.array, mx.array]]:
            few = CheckNumbers().normal((2 * length, qkv.shape[1]), qkv.dtype)
            exact = self._attention(attn, few.astype(mx.float32), length, turned).astype(qkv.dtype)
            return [(chosen.run(few, turned[0]), exact)]

        chosen = self_checked(ShortAttentionKernel.of(attn, length, qkv.dtype) if turned else None, check)
        if chosen is not None:
            return chosen.run(qkv, turned[0])
        return self._attention(attn, qkv, length, turned)

    def _attention(self, attn: Attention, qkv: mx.array, length: int, turned: Sequence[mx.array]) -> mx.array:
        q, kv = self._heads(qkv, length, *turned)
        y = mx.fast.scaled_dot_product_attention(q, kv[0, :], kv[1, :], scale=attn.scale)
        return y.swapaxes(1, 2).reshape(qkv.shape[0], -1)

    def decode_rows(self, x: mx.array, caches: Sequence[list[KVCache]]) -> mx.array:
        """[B, D] -> [B, D], normed: one position of B rows, each with caches of its own, one a layer."""
        if len(caches) == 1 and caches[0][0].kv is not None:
            whole = self._persistent_step(caches[0][0].kv.shape[3], x.dtype)
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
        places = mx.array([length], mx.int32), starts_of(None, 1), persistent_stack.counters_of(caches)
        return self._whole(x, *places, [cache.kv for cache in caches])  # type: ignore[no-any-return]

    def _step_whole(
        self, x: mx.array, offset: mx.array, starts: mx.array, barrier: mx.array, caches: list[mx.array]
    ) -> mx.array:
        chosen = self._persistent_step(caches[0].shape[3], x.dtype)
        assert chosen is not None
        return self.model.norm(  # type: ignore[no-any-return]
            persistent_stack.decode(chosen, self.model, x, caches, offset, starts, barrier)
        )

    def _persistent_step(self, capacity: int, dtype: mx.Dtype) -> StackKernel | None:
        """The kernel of the whole stack for one row over caches, where it passes its check: its first layers."""
        if (capacity, dtype) not in self._for_step:  # to look at all layers at every step would take its time
            self._for_step[capacity, dtype] = persistent_stack.of_stack(self.model, 1, 1, dtype, capacity)
        return checked_stack(self._for_step[capacity, dtype], self.model, 1, capacity, 1, dtype)

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
        return self._heads(before_attention(self.model.layers[0], x), 1, *turned)

    def _next(self, at: int, x: mx.array, y: mx.array, *turned: mx.array) -> tuple[mx.array, mx.array, mx.array]:
        """From what attention found in one layer to the next one's queries, keys and values."""
        x = after_attention(self.model.layers[at], x, y)
        return x, *self._heads(before_attention(self.model.layers[at + 1], x), 1, *turned)

    def _end(self, x: mx.array, y: mx.array) -> mx.array:
        return self.model.norm(after_attention(self.model.layers[-1], x, y))  # type: ignore[no-any-return]

    def _heads(self, qkv: mx.array, new: int, *turned: mx.array) -> tuple[mx.array, mx.array]:
        return heads_of(qkv, self._norms, self.model.layers[0].self_attn, turned, new)
