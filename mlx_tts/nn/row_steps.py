"""Positions of rows through a small transformer on the CPU, one after the other: by NumPy, and a product for each row.

MLX takes 5 us or more for each of thirty operations a layer, and OpenBLAS copies a weight before it multiplies one row
with it. A network whose weights stay in the processor's cache takes less than half of the time here. A row has the
numbers that it has alone, whoever is next to it: each of its products is made by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from mlx_tts.nn.attention import Attention, periods_of
from mlx_tts.nn.linear import ProductLinear
from mlx_tts.nn.transformer import MLP, Block, Transformer
from mlx_tts.runtime.blas import multiply_into
from mlx_tts.runtime.device import policy

CACHED_BYTES = 32e6  # weights that are read again from memory for each row are faster in one product of all rows

Floats = NDArray[np.float32]


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


def row_steps(transformer: Transformer, positions: int) -> RowSteps | None:
    """For a network that is laid out for the CPU and small; None for all others. positions: at most so many."""
    products = [_products_of(block) for block in transformer.layers]
    if not policy().prefers_products or not all(products):
        return None
    weights = [product.weight for own in products for product in own]
    return RowSteps(transformer, positions) if sum(weight.nbytes for weight in weights) <= CACHED_BYTES else None


def _products_of(block: Block) -> list[ProductLinear]:
    """The four products of a block of Qwen3; none of a block of another kind or layout."""
    attention, mlp = block.self_attn, block.mlp
    if not (isinstance(mlp, MLP) and "gate_up_proj" in mlp and "qkv_proj" in attention and "q_norm" in attention):
        return []
    products = [attention.qkv_proj, attention.o_proj, mlp.gate_up_proj, mlp.down_proj]
    return products if all(isinstance(one, ProductLinear) and "bias" not in one for one in products) else []


class RowSteps:
    """The network, and room for what it has seen of the rows that it is at."""

    def __init__(self, transformer: Transformer, positions: int):
        attention = cast(Attention, transformer.layers[0].self_attn)
        self._layers = [LayerWeights.of(block) for block in transformer.layers]
        self._norm = Norm.of(np.array(transformer.norm.weight), transformer.norm.eps)
        self._heads, self._kv_heads, self._head_dim = attention.heads, attention.kv_heads, attention.head_dim
        angles = np.arange(positions)[:, None] / periods_of(self._head_dim, attention.rope_theta)
        self._cosine, self._sine = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
        self._kv: list[Floats] = []  # [2, rows, kv_heads, positions, head_dim], one a layer
        self._at = 0

    def begin(self, rows: int) -> None:
        """Forget what was seen: the next position is the first one, of so many rows."""
        shape = (2, rows, self._kv_heads, len(self._cosine), self._head_dim)
        if not self._kv or self._kv[0].shape != shape:
            self._kv = [np.zeros(shape, np.float32) for _ in self._layers]
        self._at = 0

    def __call__(self, x: Floats) -> Floats:
        """The next position [rows, D] -> [rows, D], normed."""
        for layer, kv in zip(self._layers, self._kv, strict=True):
            x = x + product(self._attended(product(layer.before_attention(x), layer.qkv), layer, kv), layer.out)
            gate_up = product(layer.before_mlp(x), layer.gate_up)
            gate, up = gate_up[:, : len(layer.down)], gate_up[:, len(layer.down) :]
            x = x + product(gate / (1 + np.exp(-gate)) * up, layer.down)
        self._at += 1
        return self._norm(x)

    def _attended(self, qkv: Floats, layer: LayerWeights, kv: Floats) -> Floats:
        """Queries, keys and values of each row side by side -> [rows, heads * head_dim]."""
        rows, turned, half = len(qkv), self._heads + self._kv_heads, self._head_dim // 2
        heads = qkv.reshape(rows, -1, self._head_dim)
        plain = layer.heads(heads[:, :turned])
        first, second = plain[..., :half], plain[..., half:]
        cosine, sine = self._cosine[self._at], self._sine[self._at]
        qk = np.concatenate([first * cosine - second * sine, second * cosine + first * sine], axis=-1)
        kv[0, :, :, self._at], kv[1, :, :, self._at] = qk[:, self._heads :], heads[:, turned:]
        keys, values = kv[:, :, :, : self._at + 1]
        scores = qk[:, : self._heads].reshape(rows, self._kv_heads, -1, self._head_dim) @ keys.swapaxes(-1, -2)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
        return (weights @ values).reshape(rows, -1)


def product(x: Floats, weight: Floats) -> Floats:
    """[rows, in] @ [in, out], each row by itself."""
    made = np.empty((len(x), weight.shape[1]), np.float32)
    for at in range(len(x)):
        multiply_into(made[at : at + 1], x[at : at + 1], weight, adds=False)
    return made
