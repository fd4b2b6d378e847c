"""Transformer: embeddings in, normed hidden states out; the caller makes the caches and passes them in.

Without options the layers are those of Qwen3; `LayerOptions` says what other families have in their place.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mlx.core as mx
from mlx import nn

from mlx_tts.nn.activations import Norm, silu, step_norm
from mlx_tts.nn.attention import QWEN3, Attention, LayerOptions, Memory, TransformerSizes
from mlx_tts.nn.cache import ONE_PASS, KVCache, OnePass
from mlx_tts.nn.linear import expand_for_prompts, fuse_projections
from mlx_tts.runtime.device import begin_early, policy


class MLP(nn.Module):
    """SwiGLU: down(silu(gate(x)) * up(x))."""

    def __init__(self, config: TransformerSizes):
        super().__init__()
        self.gate_proj = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.up_proj = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.down_proj = nn.Linear(config.intermediate_size, config.hidden_size, bias=False)

    def __call__(self, x: mx.array) -> mx.array:
        """[B, L, D] -> [B, L, D]"""
        if "gate_up_proj" in self:
            gate, up = mx.split(self.gate_up_proj(x), 2, axis=-1)
        else:
            gate, up = self.gate_proj(x), self.up_proj(x)
        return self.down_proj(silu(gate) * up)

    def fuse_projections(self) -> None:
        """Replace gate and up by one product where their formats allow it."""
        one = fuse_projections([self.gate_proj, self.up_proj])
        if one is not None:
            self.gate_up_proj = one
            del self.gate_proj, self.up_proj


class Block(nn.Module):
    """Attention, cross-attention where there is one, and MLP, each behind a norm and added to its input."""

    def __init__(self, config: TransformerSizes, options: LayerOptions = QWEN3):
        super().__init__()
        self.self_attn = Attention(config, options)
        self.mlp: Any = (options.mlp or MLP)(config)
        self.residual_scale = options.residual_scale
        self.input_layernorm: Any = options.norm(config.hidden_size, config.rms_norm_eps)
        self.post_attention_layernorm: Any = options.norm(config.hidden_size, config.rms_norm_eps)
        if options.cross_attention is not None:
            self.cross_attn = options.cross_attention(config)
            self.cross_layernorm = options.norm(config.hidden_size, config.rms_norm_eps)

    def __call__(
        self, x: mx.array, cache: KVCache | OnePass, mask: mx.array | str | None, memory: Memory | None = None
    ) -> mx.array:
        x = x + self._scaled(self.self_attn(self.input_layernorm(x), cache, mask))
        if memory is not None:
            x = x + self.cross_attn(self.cross_layernorm(x), memory)
        return x + self._scaled(self.mlp(self.post_attention_layernorm(x)))

    def _scaled(self, x: mx.array) -> mx.array:
        return x if self.residual_scale == 1.0 else x * self.residual_scale

    def decode_step(self, x: mx.array, *caches: KVCache, memories: Sequence[Memory] = ()) -> mx.array:
        """[B, D] -> [B, D]: the same for one position."""
        x = x + self._scaled(self.self_attn.decode_step(self._before_attention(x), *caches))
        if memories:
            x = x + self.cross_attn.decode_step(self._before_cross(x), [cache.rows for cache in caches], memories)
        return x + self._scaled(self.mlp(self._before_mlp(x)))

    def fuse_projections(self) -> None:
        self.self_attn.fuse_projections()
        if hasattr(self.mlp, "fuse_projections"):
            self.mlp.fuse_projections()

    def prepare_decode_step(self) -> None:
        self.self_attn.prepare_decode_step()
        self._before_attention = step_norm(self.input_layernorm)
        self._before_mlp = step_norm(self.post_attention_layernorm)
        if "cross_attn" in self:
            self._before_cross = step_norm(self.cross_layernorm)


class Transformer(nn.Module):
    """The stack of blocks and the final norm; subclasses add their embeddings next to it."""

    def __init__(self, config: TransformerSizes, options: LayerOptions = QWEN3):
        super().__init__()
        self.layers = [Block(config, options) for _ in range(config.num_hidden_layers)]
        self.norm: Any = options.norm(config.hidden_size, config.rms_norm_eps) if options.final_norm else nn.Identity()
        if options.positions:
            self.position_embeddings = nn.Embedding(options.positions, config.hidden_size)
        self._at_the_end: Norm | None = None  # set where one position takes `decode_step`

    def __call__(
        self, x: mx.array, caches: list[KVCache], memories: Sequence[Memory] | None = None, causal: bool = True
    ) -> mx.array:
        """[B, L, D] -> [B, L, D], normed. memories: one a layer, in layers with cross-attention."""
        if self._at_the_end is not None and memories is None and x.shape[1] == 1 and caches[0].start is None:
            return self.decode_rows(x, [caches])
        x = self.placed(x, caches[0].length)
        mask = caches[0].mask(x.shape[1]) if causal else None
        own: Sequence[Memory | None] = memories or [None] * len(caches)
        for at, (layer, cache, memory) in enumerate(zip(self.layers, caches, own, strict=True)):
            if at and self._at_the_end is not None:  # not where it is trained; and a prompt needs no last output
                begin_early(x)
            x = layer(x, cache, mask, memory)
        return self.norm(x)

    def read_at_once(self, x: mx.array, mask: mx.array | None = None) -> mx.array:
        """[B, L, D] -> [B, L, D], normed: every position sees all others, or those that the boolean mask [L, L] has."""
        x = self.placed(x, 0)
        for layer in self.layers:
            x = layer(x, ONE_PASS, mask)
        return self.norm(x)

    def placed(self, x: mx.array, first: int) -> mx.array:
        """[B, L, D] -> [B, L, D]: with the learned positions from `first` on, where there are any."""
        if "position_embeddings" not in self:
            return x
        return x + self.position_embeddings.weight[first : first + x.shape[1]]

    def decode_rows(
        self, x: mx.array, rows: Sequence[list[KVCache]], memories: Sequence[Sequence[Memory]] = ()
    ) -> mx.array:
        """[B, 1, D] -> [B, 1, D], normed: one position of B rows, with caches, one a layer, of one or more rows each.
        memories: those of each, one a layer, for the first of its rows; the others attend to nothing.

        Rows come and go without a copy of anybody's cache, and on the CPU each has the bits that it has alone.
        """
        assert self._at_the_end is not None
        if "position_embeddings" in self:
            places = [row[0].length for row in rows for _ in range(row[0].rows if len(rows) > 1 else 1)]
            x = x + self.position_embeddings.weight[mx.array(places)][:, None]
        row = x[:, 0]
        for at, (layer, *caches) in enumerate(zip(self.layers, *rows, strict=True)):
            row = layer.decode_step(row, *caches, memories=[own[at] for own in memories])
            begin_early(row)
        return self._at_the_end(row)[:, None]

    def fuse_projections(self) -> None:
        for layer in self.layers:
            layer.fuse_projections()
        expand_for_prompts(self)
        if policy().prefers_products:
            self.prepare_decode_step()

    def prepare_decode_step(self) -> None:
        for layer in self.layers:
            layer.prepare_decode_step()
        self._at_the_end = step_norm(self.norm) if "weight" in self.norm else self.norm
