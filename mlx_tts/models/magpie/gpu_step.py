"""A decode step for a GPU, in few launches: the decoder's one position, and sampling by the local transformer.

The same numbers as `nn/transformer.py` and `local_transformer.py`. The decoder's caches grow, so what stands between
two attentions is one compiled function; sampling all codes is one as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import mlx.core as mx
import numpy as np
from mlx import nn

from mlx_tts.generation.sampling import CodeSampling
from mlx_tts.kernels.layer_steps import added
from mlx_tts.models.magpie.local_transformer import Guidance, StepSampling
from mlx_tts.models.magpie.network import Magpie
from mlx_tts.nn.attention import Memory
from mlx_tts.nn.cache import KVCache
from mlx_tts.nn.transformer import Block, Transformer
from mlx_tts.runtime.device import compiled, policy

Rows = Sequence[list[KVCache]]
MOST_VECTORS = 4  # rows that a weight is multiplied with one by one: it is read again for each, from the GPU's cache


class DecoderSteps:
    """`Transformer.decode_rows` of blocks with cross-attention. Holds nothing of an utterance."""

    def __init__(self, model: Transformer):
        self.model = model
        self._before: list[Any] = [compiled(partial(_heads, block)) for block in model.layers]
        self._between: list[Any] = [compiled(partial(_asked, block)) for block in model.layers]
        self._after: list[Any] = [compiled(partial(_answered, block)) for block in model.layers]

    def __call__(self, x: mx.array, rows: Rows, memories: Sequence[Sequence[Memory]] = ()) -> mx.array:
        """[B, 1, D] -> [B, 1, D], normed."""
        counts = [row[0].rows for row in rows] if len(rows) > 1 else [x.shape[0]]
        table, places = self.model.position_embeddings.weight, [row[0].length for row in rows]
        if len(rows) == 1:
            x = x[:, 0] + table[places[0] : places[0] + 1]
        else:
            x = x[:, 0] + table[mx.array(np.repeat(places, counts))]
        starts = np.cumsum([0, *counts]).tolist()
        first = mx.array(np.isin(np.arange(starts[-1]), starts[:-1])[:, None])
        for at, block in enumerate(self.model.layers):
            q, kv = self._before[at](x)
            caches = [row[at] for row in rows]
            parts = [
                _attended(block, q[start : start + count], kv[:, start : start + count], cache)
                for start, count, cache in zip(starts, counts, caches, strict=False)
            ]
            y = parts[0] if len(parts) == 1 else mx.concatenate(parts)
            if not memories:
                x = self._after[at](x, y)
                continue
            x, asking = self._between[at](x, y)
            found = [
                block.cross_attn.attend(asking[start : start + 1], own[at])
                for start, own in zip(starts, memories, strict=False)
            ]
            x = self._after[at](x, self._spread(found, counts), first)
        return self.model.norm(x)[:, None]  # type: ignore[no-any-return]

    @staticmethod
    def _spread(found: list[mx.array], counts: Sequence[int]) -> mx.array:
        """What the first row of each found, [1, ...] -> [1 or B, ...]; the second rows' numbers are not used."""
        if len(found) == 1:
            return found[0]
        return mx.concatenate([part for part, count in zip(found, counts, strict=True) for _ in range(count)])


def _product(layer: Any, x: mx.array) -> mx.array:
    """[B, in] -> [B, out]. On CUDA MLX gives a product of two rows to cuBLAS, which is captured into a graph again each
    time and takes the host several times as long as a kernel of MLX's own: the weight times each row is one of those.
    """
    if type(layer) is not nn.Linear or not policy().avoids_libraries or not 1 < x.shape[0] <= MOST_VECTORS:
        return layer(x)  # type: ignore[no-any-return]
    y = (layer.weight @ x[:, :, None])[:, :, 0]
    return y + layer.bias if "bias" in layer else y


def _added(layer: Any, y: mx.array, x: mx.array) -> mx.array:
    """x + layer(y)"""
    return x + _product(layer, y) if policy().avoids_libraries else added(layer, y, x)


def _heads(block: Any, x: mx.array) -> tuple[mx.array, mx.array]:
    """[B, D] -> queries [B, heads, 1, head_dim], keys and values [2, B, heads, 1, head_dim]"""
    attn = block.self_attn
    heads = _product(attn.qkv_proj, block.input_layernorm(x)).reshape(x.shape[0], 3, attn.heads, 1, attn.head_dim)
    return heads[:, 0], heads[:, 1:].swapaxes(0, 1)


def _attended(block: Any, q: mx.array, kv: mx.array, cache: KVCache) -> mx.array:
    """-> [B, heads, 1, head_dim]"""
    kv = cache.append_position(kv)
    return mx.fast.scaled_dot_product_attention(q, kv[0, :], kv[1, :], scale=block.self_attn.scale)


def _with_attention(block: Any, x: mx.array, y: mx.array) -> mx.array:
    return _added(block.self_attn.o_proj, y.reshape(x.shape[0], -1), x)


def _with_mlp(block: Block, x: mx.array) -> mx.array:
    mlp = block.mlp
    return _added(mlp.down, mlp._gelu(_product(mlp.up, block.post_attention_layernorm(x))), x)


def _asked(block: Any, x: mx.array, y: mx.array) -> tuple[mx.array, mx.array]:
    """What goes through the block and what its attention found -> the same together, and what the memory is asked."""
    x, cross = _with_attention(block, x, y), block.cross_attn
    q = _product(cross.q_proj, block.cross_layernorm(x)) * cross.scale
    return x, q.reshape(x.shape[0], cross.heads, 1, cross.head_dim)


def _answered(block: Any, x: mx.array, y: mx.array, first: mx.array | None = None) -> mx.array:
    """first: [B, 1], the rows that have a memory; without it, y is what the attention found."""
    if first is None:
        return _with_mlp(block, _with_attention(block, x, y))
    return _with_mlp(block, x + mx.where(first, block.cross_attn.o_proj(y.reshape(y.shape[0], -1)), 0))


class LocalSampler:
    """Sampling by an autoregressive local transformer as one compiled function. Holds nothing of an utterance."""

    def __init__(self, model: Magpie):
        self.model, self.columns = model, len(model.local.heads)
        self._is_slot = [mx.array(np.arange(self.columns) == at) for at in range(self.columns)]
        self._no_codes = mx.zeros((1, self.columns), mx.uint32)
        mx.eval(self._is_slot, self._no_codes)
        self._forms: dict[tuple[str, bool], Callable[..., tuple[mx.array, mx.array, mx.array]]] = {}

    def __call__(
        self, hidden: mx.array, guidance: Guidance, sampling: StepSampling
    ) -> tuple[mx.array, mx.array, mx.array]:
        """Hidden states [B, D] -> codes [R, slots], choices of the parallel heads [R, slots], what the decoder reads
        next [R, 1, D]."""
        how, form = sampling.how, (guidance.form, sampling.how.greedy)
        if form not in self._forms:
            self._forms[form] = compiled(partial(self._sampled, *form))
        noise = [] if sampling.noise is None or how.greedy else [sampling.noise]
        settings = [how.inverse_temperature, how.kth_column, how.top_p_tail, how.noisy]
        return self._forms[form](hidden, guidance.arrays, sampling.forbidden, settings, *noise)

    def _sampled(
        self,
        form: str,
        greedy: bool,
        hidden: mx.array,
        guided: list[mx.array],
        forbidden: mx.array,
        settings: list[mx.array],
        noise: mx.array | None = None,
    ) -> tuple[mx.array, mx.array, mx.array]:
        model, local, V = self.model, self.model.local, forbidden.shape[-1]
        guidance = Guidance(form, *guided)
        inverse_temperature, kth_column, top_p_tail, noisy = settings
        how = CodeSampling(inverse_temperature, kth_column, top_p_tail, noisy, greedy, False)
        sampling = StepSampling(how, how, forbidden, noise)
        parallel = guidance(_product(model.final_proj, hidden)).reshape(forbidden.shape[0], -1, V)
        heads = mx.argmax(parallel + forbidden[:, None], axis=-1)
        x, codes = self._projected(hidden), self._no_codes
        caches: list[mx.array | None] = [None] * len(local.model.layers)
        total: mx.array | None = None
        for slot, (head, table) in enumerate(zip(local.heads, model.audio_embeddings, strict=True)):
            y = x + local.model.position_embeddings.weight[slot : slot + 1]
            for number, block in enumerate(local.model.layers):
                y, caches[number] = self._layer(block, y, slot, caches[number])
            code = sampling.one(guidance(_product(head, y)), slot)
            codes = mx.where(self._is_slot[slot], code[:, None], codes)  # stacked by a launch or two for all slots
            embedded = guidance.embed(table, code)
            own = guidance.first_rows(embedded)
            total = own if total is None else total + own
            x = self._projected(embedded)
        assert total is not None
        return codes, heads, (total / model.slots)[:, None]

    def _projected(self, x: mx.array) -> mx.array:
        return _product(self.model.local.in_projection, x) if "in_projection" in self.model.local else x

    def _layer(self, block: Any, x: mx.array, at: int, cache: mx.array | None) -> tuple[mx.array, mx.array]:
        """[B, D], keys and values [2, B, heads, columns, head_dim] -> the same behind the layer. Columns are put in by
        selecting: MLX would copy a cache that an earlier launch still reads. Those behind the present one hold
        anything."""
        q, kv = _heads(block, x)
        if cache is None:  # one position attends to itself alone
            everywhere = mx.broadcast_to(kv, (*kv.shape[:3], self.columns, kv.shape[4]))
            return _with_mlp(block, _with_attention(block, x, kv[1])), everywhere
        cache = mx.where(self._is_slot[at][:, None], kv, cache)
        keys, values = cache[0, :, :, : at + 1], cache[1, :, :, : at + 1]
        y = mx.fast.scaled_dot_product_attention(q, keys, values, scale=block.self_attn.scale)
        return _with_mlp(block, _with_attention(block, x, y)), cache
