"""Qwen3 transformer: embeddings in, normed hidden states out; the caller makes the caches and passes them in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import mlx.core as mx
from mlx import nn

from mlx_tts.nn.activations import silu
from mlx_tts.nn.cache import KVCache
from mlx_tts.nn.linear import expand_for_prompts, fuse_projections
from mlx_tts.nn.rope import rope_periods, rotate, rotation
from mlx_tts.runtime.device import on_gpu


class TransformerSizes(Protocol):
    """The entries of a config that the layers read."""

    @property
    def hidden_size(self) -> int: ...
    @property
    def intermediate_size(self) -> int: ...
    @property
    def num_hidden_layers(self) -> int: ...
    @property
    def num_attention_heads(self) -> int: ...
    @property
    def num_key_value_heads(self) -> int: ...
    @property
    def head_dim(self) -> int: ...
    @property
    def rms_norm_eps(self) -> float: ...
    @property
    def rope_theta(self) -> float: ...


def norm_constants(weight: mx.array, eps: float) -> tuple[mx.array, mx.array]:
    """An RMSNorm's weight [1, ..., D] -> what `normed` takes."""
    width = weight.shape[-1]
    return weight.astype(mx.float32) * width**0.5, mx.full((1,) * weight.ndim, width * eps, mx.float32)


def normed(x: mx.array, scale: mx.array, floor: mx.array) -> mx.array:
    """RMSNorm in half of mx.fast.rms_norm's operations on the CPU: sums in the place of means, and nothing to shape."""
    return x * mx.rsqrt((x * x).sum(-1, keepdims=True) + floor) * scale


class Attention(nn.Module):
    """Grouped-query attention with an RMSNorm on every head of q and k, then plain RoPE."""

    def __init__(self, config: TransformerSizes):
        super().__init__()
        self.heads, self.kv_heads, self.head_dim = (
            config.num_attention_heads,
            config.num_key_value_heads,
            config.head_dim,
        )
        self.scale = self.head_dim**-0.5
        self.rope_theta = config.rope_theta
        self._periods = rope_periods(self.head_dim, config.rope_theta)
        self.q_proj = nn.Linear(config.hidden_size, self.heads * self.head_dim, bias=False)
        self.k_proj = nn.Linear(config.hidden_size, self.kv_heads * self.head_dim, bias=False)
        self.v_proj = nn.Linear(config.hidden_size, self.kv_heads * self.head_dim, bias=False)
        self.o_proj = nn.Linear(self.heads * self.head_dim, config.hidden_size, bias=False)
        self.q_norm = nn.RMSNorm(self.head_dim, config.rms_norm_eps)
        self.k_norm = nn.RMSNorm(self.head_dim, config.rms_norm_eps)

    def __call__(self, x: mx.array, cache: KVCache, mask: mx.array | str | None) -> mx.array:
        """[B, L, D] -> [B, L, D]; appends L keys and values to the cache."""
        B, L, _ = x.shape
        q_width, kv_width = self.heads * self.head_dim, self.kv_heads * self.head_dim
        q, k, v = mx.split(self._qkv(x), [q_width, q_width + kv_width], axis=-1)
        q = self.q_norm(q.reshape(B, L, self.heads, self.head_dim)).transpose(0, 2, 1, 3)
        k = self.k_norm(k.reshape(B, L, self.kv_heads, self.head_dim)).transpose(0, 2, 1, 3)
        v = v.reshape(B, L, self.kv_heads, self.head_dim).transpose(0, 2, 1, 3)
        q, k = rotate(q, self._periods, cache.positions), rotate(k, self._periods, cache.positions)
        k, v = cache.append(k, v)
        y = mx.fast.scaled_dot_product_attention(q, k, v, scale=self.scale, mask=mask)
        return self.o_proj(y.transpose(0, 2, 1, 3).reshape(B, L, q_width))

    def _qkv(self, x: mx.array) -> mx.array:
        """[..., D] -> [..., (heads + 2 * kv_heads) * head_dim]: queries, keys and values side by side."""
        if "qkv_proj" in self:
            return self.qkv_proj(x)
        return mx.concatenate([self.q_proj(x), self.k_proj(x), self.v_proj(x)], axis=-1)

    def decode_step(self, x: mx.array, *caches: KVCache) -> mx.array:
        """[B, D] -> [B, D]: the same for one position, in a third of the operations. caches: one of all rows, or one
        for each, whose lengths may differ.

        On the CPU each operation costs 5 us or more, however small. q and k are normed and rotated together, keys and
        values written and read together; the softmax scale is in q's norm.
        """
        turned = self.heads + self.kv_heads
        heads = self._qkv(x).reshape(x.shape[0], -1, self.head_dim)
        qk, v = normed(heads[:, :turned], *self._head_norm), heads[:, turned:]
        if len(caches) == 1:
            return self.o_proj(self._attend_position(qk, v, caches[0]))
        rows = [self._attend_position(qk[at : at + 1], v[at : at + 1], cache) for at, cache in enumerate(caches)]
        return self.o_proj(mx.concatenate(rows))

    def _attend_position(self, qk: mx.array, v: mx.array, cache: KVCache) -> mx.array:
        """Normed queries and keys [B, heads + kv_heads, head_dim], values -> [B, heads * head_dim]."""
        B = qk.shape[0]
        qk = qk @ rotation(self.head_dim, self.rope_theta, cache.length)
        kv = mx.concatenate([qk[:, self.heads :], v], axis=1)
        kv = cache.append_position(kv.reshape(B, 2, self.kv_heads, 1, self.head_dim).swapaxes(0, 1))
        keys, values = mx.split(kv, 2)
        q = qk[:, : self.heads].reshape(1, B, self.kv_heads, -1, self.head_dim)
        y = mx.softmax(q @ keys.swapaxes(-1, -2), axis=-1) @ values
        return y.reshape(B, -1)

    def fuse_projections(self) -> None:
        """Replace q, k and v by one product where their formats allow it: one kernel instead of three."""
        one = fuse_projections([self.q_proj, self.k_proj, self.v_proj])
        if one is not None:
            self.qkv_proj = one
            del self.q_proj, self.k_proj, self.v_proj

    def prepare_decode_step(self) -> None:
        norms = [self.q_norm.weight * self.scale] * self.heads + [self.k_norm.weight] * self.kv_heads
        self._head_norm = norm_constants(mx.stack(norms)[None], self.q_norm.eps)


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
    """Attention and MLP, each behind an RMSNorm and added to its input."""

    def __init__(self, config: TransformerSizes):
        super().__init__()
        self.self_attn = Attention(config)
        self.mlp = MLP(config)
        self.input_layernorm = nn.RMSNorm(config.hidden_size, config.rms_norm_eps)
        self.post_attention_layernorm = nn.RMSNorm(config.hidden_size, config.rms_norm_eps)

    def __call__(self, x: mx.array, cache: KVCache, mask: mx.array | str | None) -> mx.array:
        x = x + self.self_attn(self.input_layernorm(x), cache, mask)
        return x + self.mlp(self.post_attention_layernorm(x))

    def decode_step(self, x: mx.array, *caches: KVCache) -> mx.array:
        """[B, D] -> [B, D]: the same for one position."""
        x = x + self.self_attn.decode_step(normed(x, *self._before_attention), *caches)
        return x + self.mlp(normed(x, *self._before_mlp))

    def fuse_projections(self) -> None:
        self.self_attn.fuse_projections()
        self.mlp.fuse_projections()

    def prepare_decode_step(self) -> None:
        self.self_attn.prepare_decode_step()
        first, second = self.input_layernorm, self.post_attention_layernorm
        self._before_attention = norm_constants(first.weight[None], first.eps)
        self._before_mlp = norm_constants(second.weight[None], second.eps)


class Transformer(nn.Module):
    """The stack of blocks and the final norm; subclasses add their embeddings beside it."""

    def __init__(self, config: TransformerSizes):
        super().__init__()
        self.layers = [Block(config) for _ in range(config.num_hidden_layers)]
        self.norm = nn.RMSNorm(config.hidden_size, config.rms_norm_eps)
        self._at_the_end: tuple[mx.array, mx.array] | None = None  # set where one position takes `decode_step`

    def __call__(self, x: mx.array, caches: list[KVCache]) -> mx.array:
        """[B, L, D] -> [B, L, D], normed."""
        if self._at_the_end is not None and x.shape[1] == 1 and caches[0].start is None:
            row = x[:, 0]
            for layer, cache in zip(self.layers, caches, strict=True):
                row = layer.decode_step(row, cache)
            return normed(row, *self._at_the_end)[:, None]
        mask = caches[0].mask(x.shape[1])
        for layer, cache in zip(self.layers, caches, strict=True):
            x = layer(x, cache, mask)
        return self.norm(x)

    def decode_rows(self, x: mx.array, rows: Sequence[list[KVCache]]) -> mx.array:
        """[B, 1, D] -> [B, 1, D], normed: one position of B rows on the CPU, each with its own caches, one a layer.

        Rows come and go without a copy of anybody's cache, and each has the bits that it has alone.
        """
        assert self._at_the_end is not None
        row = x[:, 0]
        for layer, *caches in zip(self.layers, *rows, strict=True):
            row = layer.decode_step(row, *caches)
        return normed(row, *self._at_the_end)[:, None]

    def fuse_projections(self) -> None:
        for layer in self.layers:
            layer.fuse_projections()
        expand_for_prompts(self)
        if not on_gpu():
            for layer in self.layers:
                layer.prepare_decode_step()
            self._at_the_end = norm_constants(self.norm.weight[None], self.norm.eps)
