"""Positions of rows through a small transformer on the CPU: by NumPy, and a product for each row.

MLX takes 5 us or more for each of thirty operations a layer, and OpenBLAS copies a weight before it multiplies one row
with it. A network whose weights stay in the processor's cache takes less than half of the time here. A row has the
numbers that it has alone, whoever is next to it: each of its products is made by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from mlx_tts.nn.attention import Attention, periods_of
from mlx_tts.nn.cache import RowCache
from mlx_tts.nn.linear import ProductLinear
from mlx_tts.nn.transformer import MLP, Block, Transformer
from mlx_tts.runtime.blas import multiply_into
from mlx_tts.runtime.device import policy

CACHED_BYTES = 32e6  # weights that are read again from memory for each row are faster in one product of all rows

Floats = NDArray[np.float32]
Product = Callable[[Floats, Floats], Floats]
Attended = Callable[[int, Floats, Floats], Floats]


@dataclass(frozen=True)
class Norm:
    """RMSNorm as `activations.normed` computes it: sums in the place of means."""

    scale: Floats
    floor: np.float32

    @classmethod
    def of(cls, weight: Floats, eps: float) -> Norm:
        width = weight.shape[-1]
        return cls(weight * np.float32(width**0.5), np.float32(width * eps))

    def __call__(self, x: Floats) -> Floats:
        return x * (self.scale / np.sqrt((x * x).sum(-1, keepdims=True) + self.floor))


@dataclass(frozen=True)
class LayerWeights:
    """Views of a block's weights, [in, out] each; the scale of the softmax is in the norm of the queries' heads."""

    before_attention: Norm
    qkv: Floats
    heads: Norm
    out: Floats
    before_mlp: Norm
    gate_up: Floats
    down: Floats

    @classmethod
    def of(cls, block: Block) -> LayerWeights:
        attention, mlp = block.self_attn, block.mlp
        norms = [np.array(attention.q_norm.weight) * np.float32(attention.scale)] * attention.heads
        norms += [np.array(attention.k_norm.weight)] * attention.kv_heads
        return cls(
            Norm.of(np.array(block.input_layernorm.weight), block.input_layernorm.eps),
            np.asarray(attention.qkv_proj.weight),
            Norm.of(np.stack(norms), attention.q_norm.eps),
            np.asarray(attention.o_proj.weight),
            Norm.of(np.array(block.post_attention_layernorm.weight), block.post_attention_layernorm.eps),
            np.asarray(mlp.gate_up_proj.weight),
            np.asarray(mlp.down_proj.weight),
        )


def runs_by_rows(transformer: Transformer) -> bool:
    """Whether a network is laid out for the CPU and small."""
    products = [_products_of(block) for block in transformer.layers]
    if not policy().prefers_products or not all(products):
        return False
    return sum(product.weight.nbytes for own in products for product in own) <= CACHED_BYTES


def _products_of(block: Block) -> list[ProductLinear]:
    """The four products of a block of Qwen3; none of a block of another kind or layout."""
    attention, mlp = block.self_attn, block.mlp
    if not (isinstance(mlp, MLP) and "gate_up_proj" in mlp and "qkv_proj" in attention and "q_norm" in attention):
        return []
    products = [attention.qkv_proj, attention.o_proj, mlp.gate_up_proj, mlp.down_proj]
    return products if all(isinstance(one, ProductLinear) and "bias" not in one for one in products) else []


class RowNetwork:
    """A network's weights, and how its layers follow each other. Holds nothing of a row."""

    def __init__(self, transformer: Transformer):
        attention = cast(Attention, transformer.layers[0].self_attn)
        self._layers = [LayerWeights.of(block) for block in transformer.layers]
        self._norm = Norm.of(np.array(transformer.norm.weight), transformer.norm.eps)
        self.heads, self.kv_heads, self.head_dim = attention.heads, attention.kv_heads, attention.head_dim
        self._periods = periods_of(self.head_dim, attention.rope_theta)

    @property
    def depth(self) -> int:
        return len(self._layers)

    def turns(self, first: int, count: int) -> tuple[Floats, Floats]:
        """Cosines and sines of positions, [count, 1, head_dim / 2] each."""
        angles = np.arange(first, first + count)[:, None, None] / self._periods
        return np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)

    def through(self, x: Floats, attended: Attended, multiply: Product) -> Floats:
        """[N, D] -> [N, D], normed. attended: the number of a layer, and of each input its queries and keys, not turned
        yet, [N, heads + kv_heads, head_dim], and its values [N, kv_heads, head_dim] -> [N, heads * head_dim]."""
        turned = self.heads + self.kv_heads
        with quiet():
            for number, layer in enumerate(self._layers):
                parts = multiply(layer.before_attention(x), layer.qkv).reshape(len(x), -1, self.head_dim)
                x = x + multiply(attended(number, layer.heads(parts[:, :turned]), parts[:, turned:]), layer.out)
                gate_up = multiply(layer.before_mlp(x), layer.gate_up)
                x = x + multiply(silu(gate_up[:, : len(layer.down)]) * gate_up[:, len(layer.down) :], layer.down)
            return self._norm(x)


class RowSteps:
    """Rows that are at the same position: each takes it, and then all go on to the next."""

    def __init__(self, transformer: Transformer, positions: int):
        """positions: at most so many."""
        self._network = RowNetwork(transformer)
        self._positions, self._turns = positions, self._network.turns(0, positions)
        self._kv: list[Floats] = []  # [2, rows, kv_heads, positions, head_dim], one a layer
        self._at = 0

    def begin(self, rows: int) -> None:
        """Forget what was seen: the next position is the first one, of so many rows."""
        network = self._network
        shape = (2, rows, network.kv_heads, self._positions, network.head_dim)
        if not self._kv or self._kv[0].shape != shape:
            self._kv = [np.zeros(shape, np.float32) for _ in range(network.depth)]
        self._at = 0

    def __call__(self, x: Floats) -> Floats:
        """The next position [rows, D] -> [rows, D], normed."""
        x = self._network.through(x, self._attended, product)
        self._at += 1
        return x

    def _attended(self, number: int, qk: Floats, values: Floats) -> Floats:
        kv, at, heads = self._kv[number], self._at, self._network.heads
        cosine, sine = self._turns
        qk = rotated(qk, cosine[at], sine[at])
        kv[0, :, :, at], kv[1, :, :, at] = qk[:, heads:], values
        rows, kv_heads, head_dim = values.shape
        return attention(qk[:, :heads].reshape(rows, kv_heads, -1, head_dim), *kv[:, :, :, : at + 1]).reshape(rows, -1)


class RowStack:
    """Rows that are each at a position of its own, with a cache of its own."""

    def __init__(self, transformer: Transformer):
        self._network = RowNetwork(transformer)

    def make_cache(self) -> RowCache:
        network = self._network
        return RowCache(network.depth, network.kv_heads, network.head_dim)

    def read(self, x: Floats, cache: RowCache) -> Floats:
        """The next positions of one row [T, D] -> [T, D], normed."""
        x = self._through(x, [cache], len(x), whole_product)
        cache.length += len(x)
        return x

    def step(self, x: Floats, caches: Sequence[RowCache]) -> Floats:
        """The next position of each row [rows, D] -> [rows, D], normed."""
        x = self._through(x, caches, 1, product)
        for cache in caches:
            cache.length += 1
        return x

    def _through(self, x: Floats, caches: Sequence[RowCache], count: int, multiply: Product) -> Floats:
        network = self._network
        turns = [network.turns(cache.length, count) for cache in caches]
        unseen = [_unseen(cache.length, count) for cache in caches]

        def attended(number: int, qk: Floats, values: Floats) -> Floats:
            made = []
            for at, (cache, turn, mask) in enumerate(zip(caches, turns, unseen, strict=True)):
                own = slice(at * count, (at + 1) * count)
                turned = rotated(qk[own], *turn)
                keys, seen = cache.append(number, turned[:, network.heads :], values[own])[:, :, None]
                q = turned[:, : network.heads].reshape(count, network.kv_heads, -1, network.head_dim)
                y = attention(q.transpose(1, 2, 0, 3), keys, seen, mask)
                made.append(y.transpose(2, 0, 1, 3).reshape(count, -1))
            return np.concatenate(made)

        return network.through(x, attended, multiply)


def product(x: Floats, weight: Floats) -> Floats:
    """[rows, in] @ [in, out], each row by itself."""
    made = np.empty((len(x), weight.shape[1]), np.float32)
    for at in range(len(x)):
        multiply_into(made[at : at + 1], x[at : at + 1], weight, adds=False)
    return made


def whole_product(x: Floats, weight: Floats) -> Floats:
    """[N, in] @ [in, out]"""
    made = np.empty((len(x), weight.shape[1]), np.float32)
    multiply_into(made, x, weight, adds=False)
    return made


def quiet() -> np.errstate:
    """No warnings: a shut gate overflows to infinity, which is right, and callers look for damaged numbers."""
    return np.errstate(over="ignore", invalid="ignore")


def silu(x: Floats) -> Floats:
    """x * sigmoid(x)"""
    return x / (1 + np.exp(-x))


def rotated(x: Floats, cosine: Floats, sine: Floats) -> Floats:
    """[..., head_dim], halves turned against each other."""
    half = x.shape[-1] // 2
    first, second = x[..., :half], x[..., half:]
    return np.concatenate([first * cosine - second * sine, second * cosine + first * sine], axis=-1)


def attention(q: Floats, keys: Floats, values: Floats, unseen: Floats | None = None) -> Floats:
    """Scaled queries [..., Q, head_dim], keys and values [..., K, head_dim] -> [..., Q, head_dim]. unseen: [Q, K], what
    is added to the scores."""
    scores = q @ keys.swapaxes(-1, -2)
    if unseen is not None:
        scores += unseen
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    return weights @ values


def _unseen(before: int, count: int) -> Floats | None:
    """[count, before + count]: minus infinity where a position would see a later one."""
    if count == 1:
        return None
    later = np.arange(before + count) > np.arange(before, before + count)[:, None]
    return np.where(later, np.float32(-np.inf), np.float32(0))
