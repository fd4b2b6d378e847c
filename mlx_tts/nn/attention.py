"""[B, L, D] -> [B, L, D]: self-attention, whole or one position at a time, over caches that the caller owns; RoPE with
the reference's frequencies; and cross-attention over a memory of another sequence, where a prior can pull it.

Also what a transformer's layers read of a config, and the options in which families differ.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

import mlx.core as mx
import numpy as np
from mlx import nn
from numpy.typing import NDArray

from mlx_tts.nn.activations import norm_constants, normed
from mlx_tts.nn.cache import KVCache, OnePass
from mlx_tts.nn.linear import fuse_projections
from mlx_tts.runtime.device import made_by_device, policy

Factors = tuple[float, ...]  # by which the periods of a long context are stretched, one each; empty: none
TINY = 1.1754943508222875e-38  # of float32: what the reference adds to a prior before it multiplies


def rope_periods(head_dim: int, theta: float, factors: Factors = ()) -> mx.array:
    """[head_dim / 2] periods over 2 pi. mx.fast.rope's own, from a float32 exp, drift with the position."""
    return mx.array(periods_of(head_dim, theta, factors).astype(np.float32))


def periods_of(head_dim: int, theta: float, factors: Factors = ()) -> NDArray[np.float64]:
    """The same in float64, for the host."""
    periods = theta ** (np.arange(0, head_dim, 2, dtype=np.float64) / head_dim)
    return periods * np.array(factors) if factors else periods


def rotate(x: mx.array, periods: mx.array, position: mx.array | int = 0) -> mx.array:
    """Rotate [B, heads, T, D]; the first of T stands at `position`."""
    return mx.fast.rope(x, x.shape[-1], traditional=False, base=None, scale=1.0, offset=position, freqs=periods)


@lru_cache(maxsize=512)
def rotation(head_dim: int, theta: float, position: int, factors: Factors = ()) -> mx.array:
    """[D, D]: `x @ rotation` is x [..., D] rotated for one position.

    On the CPU this product takes 10 us where mx.fast.rope, which is a dozen operations there, takes 70.
    """
    angles = position / periods_of(head_dim, theta, factors)
    cosine, sine = np.diag(np.cos(angles)), np.diag(np.sin(angles))
    return mx.array(np.block([[cosine, sine], [-sine, cosine]]).astype(np.float32))


@dataclass
class Memory:
    """What one layer attends to, for one utterance: keys and values [1, heads, N, head_dim].

    prior: [N] above zero, or None for none; every query's probabilities are multiplied by it. attended: the
    probabilities of the last query, [heads, N] float32, after each call.
    """

    keys: mx.array
    values: mx.array
    prior: mx.array | None = None
    attended: mx.array | None = None


class CrossAttention(nn.Module):
    """Plain attention without biases, over memories that are normed and projected once (`read`)."""

    def __init__(self, width: int, memory_width: int, heads: int, head_dim: int, norm: nn.Module):
        super().__init__()
        self.heads, self.head_dim = heads, head_dim
        self.scale = head_dim**-0.5
        self.q_proj = nn.Linear(width, heads * head_dim, bias=False)
        self.kv_proj = nn.Linear(memory_width, 2 * heads * head_dim, bias=False)
        self.o_proj = nn.Linear(heads * head_dim, width, bias=False)
        self.memory_norm = norm

    def read(self, memory: mx.array) -> Memory:
        """[1, N, memory width] -> the memory of this layer."""
        B, N, _ = memory.shape
        kv = self.kv_proj(self.memory_norm(memory)).reshape(B, N, 2, self.heads, self.head_dim)
        keys, values = (mx.contiguous(kv[:, :, part].transpose(0, 2, 1, 3)) for part in range(2))
        return Memory(keys, values)

    def __call__(self, x: mx.array, memory: Memory) -> mx.array:
        """[1, L, D] -> [1, L, D]"""
        B, L, _ = x.shape
        q = self.q_proj(x).reshape(B, L, self.heads, self.head_dim).transpose(0, 2, 1, 3)
        y = self.attend(q * self.scale, memory)
        return self.o_proj(y.transpose(0, 2, 1, 3).reshape(B, L, -1))

    def decode_step(self, x: mx.array, counts: Sequence[int], memories: Sequence[Memory]) -> mx.array:
        """[B, D] -> [B, D]: one position of several utterances, each with `counts` rows and its own memory.

        The first row of each attends; the others have an empty memory, whose values are zero.
        """
        B = x.shape[0]
        firsts = [sum(counts[:at]) for at in range(len(counts))] if len(counts) > 1 else [0]
        asking = x if len(firsts) == B else x[mx.array(firsts)]
        q = self.q_proj(asking).reshape(len(firsts), self.heads, 1, self.head_dim) * self.scale
        rows = [self.attend(q[at : at + 1], memory) for at, memory in enumerate(memories)]
        y = self.o_proj((rows[0] if len(rows) == 1 else mx.concatenate(rows)).reshape(len(rows), -1))
        if len(firsts) == B:
            return y
        empty = mx.zeros((B - len(firsts), y.shape[-1]), y.dtype)
        if len(firsts) == 1:
            return mx.concatenate([y, empty])
        order = mx.array([at if first else len(firsts) for at, first in _places(counts)])
        return mx.concatenate([y, empty])[order]

    @staticmethod
    def attend(q: mx.array, memory: Memory) -> mx.array:
        """Scaled queries [1, heads, L, head_dim] -> the same shape; probabilities are float32, whatever the weights."""
        scores = q @ memory.keys.swapaxes(-1, -2)
        weights = mx.softmax(scores.astype(mx.float32), axis=-1)
        if memory.prior is not None:
            weights = weights * memory.prior
            weights = weights / weights.sum(-1, keepdims=True)
        memory.attended = weights[0, :, -1]
        return weights.astype(memory.values.dtype) @ memory.values


def _places(counts: Sequence[int]) -> list[tuple[int, bool]]:
    """For each row: the number of its utterance, and whether it is the first there."""
    return [(at, row == 0) for at, count in enumerate(counts) for row in range(count)]


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


@dataclass(frozen=True)
class LayerOptions:
    """What a layer has. norm: makes one of a width and an epsilon. head_norms: of queries and keys. rope: rotated
    positions; rope_factors stretch their periods, and rope_gain multiplies what is rotated, as in LongRoPE.
    residual_scale: of what attention and MLP add. joined: queries, keys and values are stored as one product. mlp and
    cross_attention: make a part of a config. positions: how many learned ones are added to the embeddings. final_norm:
    behind the last layer."""

    norm: Callable[[int, float], Any] = nn.RMSNorm
    head_norms: bool = True
    rope: bool = True
    rope_factors: tuple[float, ...] = ()
    rope_gain: float = 1.0
    residual_scale: float = 1.0
    joined: bool = False
    mlp: Callable[[Any], Any] | None = None
    cross_attention: Callable[[Any], CrossAttention] | None = None
    positions: int = 0
    final_norm: bool = True


QWEN3 = LayerOptions()
LEAST_PLANNED = 4  # queries: MLX has kernels of its own for fewer
MOST_SCORES = 1 << 24  # numbers that attention by products may hold


def attended(q: mx.array, k: mx.array, v: mx.array, scale: float, mask: mx.array | str | None) -> mx.array:
    """Queries [B, heads, L, D] over keys and values [B, kv_heads, K, D] -> [B, heads, L, D].

    mask: "causal", what is seen (bool), what is added, or None. On CUDA by products: there MLX's own attention of
    16-bit numbers is cuDNN's, which plans 40 ms for each length and number of rows that it sees first (H200), and every
    text has a length of its own. All layers of the 0.6B model take 2 ms longer by products.
    """
    (B, heads, L, D), (_, kv_heads, K, _) = q.shape, k.shape
    if not policy().avoids_libraries or q.dtype == mx.float32 or L < LEAST_PLANNED or B * heads * L * K > MOST_SCORES:
        return mx.fast.scaled_dot_product_attention(q, k, v, scale=scale, mask=mask)
    folded = q.astype(mx.float32).reshape(B, kv_heads, -1, D)
    scores = (folded @ k.astype(mx.float32).swapaxes(-1, -2)).reshape(B, heads, L, K) * scale
    if isinstance(mask, str):
        mask = _causal(L, K)
    if mask is not None:
        scores = mx.where(mask, scores, -mx.inf) if mask.dtype == mx.bool_ else scores + mask
    weights = mx.softmax(scores, axis=-1).reshape(B, kv_heads, -1, K)
    return (weights @ v.astype(mx.float32)).astype(q.dtype).reshape(q.shape)


@lru_cache(maxsize=16)
def _causal(queries: int, keys: int) -> mx.array:
    """Which keys each of the last `queries` positions sees. Kept: all layers ask for the same."""
    return made_by_device(mx.array(np.arange(keys) <= np.arange(keys - queries, keys)[:, None]))


class Attention(nn.Module):
    """Grouped-query attention; by default with an RMSNorm on every head of q and k, then plain RoPE."""

    def __init__(self, config: TransformerSizes, options: LayerOptions = QWEN3):
        super().__init__()
        self.heads, self.kv_heads, self.head_dim = (
            config.num_attention_heads,
            config.num_key_value_heads,
            config.head_dim,
        )
        # Queries and keys are both multiplied by the gain, which comes to its square in their products.
        self.scale = self.head_dim**-0.5 * (options.rope_gain**2 if options.rope else 1.0)
        self.rope_theta, self.rope_factors = config.rope_theta, options.rope_factors
        periods = rope_periods(self.head_dim, config.rope_theta, options.rope_factors) if options.rope else None
        self._periods: Any = periods
        if options.joined:
            width = (self.heads + 2 * self.kv_heads) * self.head_dim
            self.qkv_proj: Any = nn.Linear(config.hidden_size, width, bias=False)
        else:
            self.q_proj = nn.Linear(config.hidden_size, self.heads * self.head_dim, bias=False)
            self.k_proj = nn.Linear(config.hidden_size, self.kv_heads * self.head_dim, bias=False)
            self.v_proj = nn.Linear(config.hidden_size, self.kv_heads * self.head_dim, bias=False)
        self.o_proj = nn.Linear(self.heads * self.head_dim, config.hidden_size, bias=False)
        if options.head_norms:
            self.q_norm = nn.RMSNorm(self.head_dim, config.rms_norm_eps)
            self.k_norm = nn.RMSNorm(self.head_dim, config.rms_norm_eps)

    def __call__(self, x: mx.array, cache: KVCache | OnePass, mask: mx.array | str | None) -> mx.array:
        """[B, L, D] -> [B, L, D]; appends L keys and values to the cache."""
        B, L, _ = x.shape
        q_width, kv_width = self.heads * self.head_dim, self.kv_heads * self.head_dim
        q, k, v = mx.split(self._qkv(x), [q_width, q_width + kv_width], axis=-1)
        q, k = q.reshape(B, L, self.heads, self.head_dim), k.reshape(B, L, self.kv_heads, self.head_dim)
        if "q_norm" in self:
            q, k = self.q_norm(q), self.k_norm(k)
        q, k = q.transpose(0, 2, 1, 3), k.transpose(0, 2, 1, 3)
        v = v.reshape(B, L, self.kv_heads, self.head_dim).transpose(0, 2, 1, 3)
        if self._periods is not None:
            q, k = rotate(q, self._periods, cache.positions), rotate(k, self._periods, cache.positions)
        k, v = cache.append(k, v)
        y = attended(q, k, v, self.scale, mask)
        return self.o_proj(y.transpose(0, 2, 1, 3).reshape(B, L, q_width))

    def _qkv(self, x: mx.array) -> mx.array:
        """[..., D] -> [..., (heads + 2 * kv_heads) * head_dim]: queries, keys and values side by side."""
        if "qkv_proj" in self:
            return self.qkv_proj(x)
        return mx.concatenate([self.q_proj(x), self.k_proj(x), self.v_proj(x)], axis=-1)

    def decode_step(self, x: mx.array, *caches: KVCache) -> mx.array:
        """[B, D] -> [B, D]: the same for one position, in a third of the operations. caches: one of all rows, or
        several, whose lengths and numbers of rows may differ.

        On the CPU each operation costs 5 us or more, however small. q and k are normed and rotated together, keys and
        values written and read together; the softmax scale is in q's norm, where there is one.
        """
        turned = self.heads + self.kv_heads
        heads = self._qkv(x).reshape(x.shape[0], -1, self.head_dim)
        qk, v = heads[:, :turned], heads[:, turned:]
        if self._head_norm is not None:
            qk = normed(qk, *self._head_norm)
        if len(caches) == 1:
            return self.o_proj(self._attend_position(qk, v, caches[0]))
        rows, at = [], 0
        for cache in caches:
            rows.append(self._attend_position(qk[at : at + cache.rows], v[at : at + cache.rows], cache))
            at += cache.rows
        return self.o_proj(mx.concatenate(rows))

    def _attend_position(self, qk: mx.array, v: mx.array, cache: KVCache) -> mx.array:
        """Normed queries and keys [B, heads + kv_heads, head_dim], values -> [B, heads * head_dim]."""
        B = qk.shape[0]
        if self._periods is not None:
            qk = qk @ rotation(self.head_dim, self.rope_theta, cache.length, self.rope_factors)
        kv = mx.concatenate([qk[:, self.heads :], v], axis=1)
        kv = cache.append_position(kv.reshape(B, 2, self.kv_heads, 1, self.head_dim).swapaxes(0, 1))
        keys, values = mx.split(kv, 2)
        q = qk[:, : self.heads].reshape(1, B, self.kv_heads, -1, self.head_dim)
        if self._head_norm is None:
            q = q * self.scale
        y = mx.softmax(q @ keys.swapaxes(-1, -2), axis=-1) @ values
        return y.reshape(B, -1)

    def fuse_projections(self) -> None:
        """Replace q, k and v by one product where their formats allow it: one kernel instead of three."""
        if "qkv_proj" in self:
            return
        one = fuse_projections([self.q_proj, self.k_proj, self.v_proj])
        if one is not None:
            self.qkv_proj = one
            del self.q_proj, self.k_proj, self.v_proj

    def prepare_decode_step(self) -> None:
        self._head_norm: tuple[mx.array, mx.array] | None = None
        if "q_norm" not in self:
            return
        norms = [self.q_norm.weight * self.scale] * self.heads + [self.k_norm.weight] * self.kv_heads
        self._head_norm = norm_constants(mx.stack(norms)[None], self.q_norm.eps)
