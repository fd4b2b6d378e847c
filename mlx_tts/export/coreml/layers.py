"""Values of a graph and weights in, values out: the layers that the models' graphs share. They know no checkpoint."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlx_tts.export.coreml.graph import Graph

Weights = Callable[[str], NDArray[Any]]  # name -> array; read when it is asked for, so that not all are there at once
MASK = -1e4  # not minus infinity: that becomes NaN


@dataclass(frozen=True)
class Sizes:
    """Of a stack of layers. head_norms: queries and keys are normed. layer_scale: each branch is scaled by channel."""

    hidden: int
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    epsilon: float
    head_norms: bool = True
    layer_scale: bool = False

    @property
    def cache_channels(self) -> int:
        """Channels of the keys of one layer, and of its values."""
        return self.kv_heads * self.head_dim


@dataclass(frozen=True)
class Past:
    """Keys and values [1, layers * channels, 1, columns] of earlier positions; mask [1, 1, 1, columns] is 0 for those
    that may be seen. cosine and sine [1, 1, head_dim / 2, 1]: of the position that is read."""

    keys: Any
    values: Any
    mask: Any
    cosine: Any
    sine: Any


class Stack:
    """Layers of a transformer for one position. The graph only reads the cache; the new column is an output."""

    def __init__(self, graph: Graph, sizes: Sizes, weights: Weights, past: Past):
        self.graph, self.op = graph, graph.op
        self.sizes, self.weights, self.past = sizes, weights, past
        self.new_keys: list[Any] = []
        self.new_values: list[Any] = []

    def __call__(self, x: Any, first: int = 0) -> tuple[Any, Any, Any]:
        """[1, D, 1, 1] -> the same after all layers, not normed; new keys and values [1, layers * channels, 1, 1].
        first: the number of the first layer among the weights."""
        for at in range(self.sizes.layers):
            x = self._layer(x, at, f"layers.{first + at}.")
        op = self.op
        return x, op.concat(values=self.new_keys, axis=1), op.concat(values=self.new_values, axis=1)

    def _layer(self, x: Any, at: int, prefix: str) -> Any:
        y = self._attention(self._norm(x, f"{prefix}input_layernorm.weight"), at, f"{prefix}self_attn.")
        x = self._add(x, y, f"{prefix}self_attn_layer_scale.scale")
        y = self._mlp(self._norm(x, f"{prefix}post_attention_layernorm.weight"), f"{prefix}mlp.")
        return self._add(x, y, f"{prefix}mlp_layer_scale.scale")

    def _add(self, x: Any, y: Any, scale: str) -> Any:
        if self.sizes.layer_scale:
            y = self.op.mul(x=y, y=self.graph.array(self.weights(scale).reshape(1, -1, 1, 1)))
        return self.op.add(x=x, y=y)

    def _norm(self, x: Any, name: str, factor: float = 1.0, axis: int = 1) -> Any:
        return self.graph.rms_norm(x, self.weights(name) * np.float32(factor), self.sizes.epsilon, axis)

    def _mlp(self, x: Any, prefix: str) -> Any:
        gate = self.graph.linear(x, self.weights(f"{prefix}gate_proj.weight"))
        up = self.graph.linear(x, self.weights(f"{prefix}up_proj.weight"))
        gated = self.op.mul(x=self.op.silu(x=gate), y=up)
        return self.graph.linear(gated, self.weights(f"{prefix}down_proj.weight"))

    def _attention(self, x: Any, at: int, prefix: str) -> Any:
        op, sizes, graph, past = self.op, self.sizes, self.graph, self.past
        kv, dim, channels = sizes.kv_heads, sizes.head_dim, sizes.cache_channels
        q, k, v = (graph.linear(x, self.weights(f"{prefix}{name}_proj.weight")) for name in "qkv")
        q, k = op.reshape(x=q, shape=[1, sizes.heads, dim, 1]), op.reshape(x=k, shape=[1, kv, dim, 1])
        scale = dim**-0.5  # of the scores: in the norm of the queries, where there is one
        if sizes.head_norms:
            q, k = self._norm(q, f"{prefix}q_norm.weight", scale, 2), self._norm(k, f"{prefix}k_norm.weight", 1.0, 2)
        else:
            q = op.mul(x=q, y=graph.number(scale))
        q, k = self._rotated(q), self._rotated(k)
        self.new_keys.append(op.reshape(x=k, shape=[1, channels, 1, 1]))
        self.new_values.append(v)
        q = op.reshape(x=q, shape=[1, kv, sizes.heads // kv, dim])
        keys, values = self._of_layer(past.keys, at), self._of_layer(past.values, at)
        columns = keys.shape[3]
        old = op.add(x=op.matmul(x=q, y=keys), y=past.mask)
        scores = op.softmax(x=op.concat(values=[old, op.matmul(x=q, y=k)], axis=3), axis=3)
        before, now = op.split(x=scores, split_sizes=[columns, 1], axis=3)
        seen = op.matmul(x=before, y=values, transpose_y=True)
        own = op.matmul(x=now, y=op.reshape(x=v, shape=[1, kv, 1, dim]))
        y = op.reshape(x=op.add(x=seen, y=own), shape=[1, sizes.heads * dim, 1, 1])
        return graph.linear(y, self.weights(f"{prefix}o_proj.weight"))

    def _of_layer(self, cache: Any, at: int) -> Any:
        """[1, layers * channels, 1, columns] -> [1, kv_heads, head_dim, columns] of one layer."""
        sizes, columns = self.sizes, cache.shape[3]
        own = self.op.slice_by_size(
            x=cache, begin=[0, at * sizes.cache_channels, 0, 0], size=[1, sizes.cache_channels, 1, columns]
        )
        return self.op.reshape(x=own, shape=[1, sizes.kv_heads, sizes.head_dim, columns])

    def _rotated(self, x: Any) -> Any:
        """RoPE over the two halves of each head [1, heads, head_dim, 1]."""
        op, past = self.op, self.past
        a, b = op.split(x=x, num_splits=2, axis=2)
        first = op.sub(x=op.mul(x=a, y=past.cosine), y=op.mul(x=b, y=past.sine))
        second = op.add(x=op.mul(x=b, y=past.cosine), y=op.mul(x=a, y=past.sine))
        return op.concat(values=[first, second], axis=2)
