"""Arrays and inputs in, operations of a Core ML graph out, and the layers that the models' graphs share.

Layout is [1, channels, 1, positions], as the Neural Engine likes it; a linear layer is a convolution of width 1.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlx_tts.export.coreml.packages import coremltools

ENTRIES = 256
ROUNDS = 40  # of k-means; the error changes by less than a thousandth after 30
HALVES = 1 << 16  # how many float16 there are: k-means runs over their counts, not over the weights
Array = NDArray[Any]
LEAST_SCALE = 2.0**-8  # of the scaled norm: divided by more, its epsilon would leave what float16 holds
NORMS = ("layer", "scaled")
Weights = Callable[[str], NDArray[Any]]  # name -> array; read when it is asked for, so that not all are there at once
MASK = -1e4  # not minus infinity: that becomes NaN


def palette(weight: NDArray[Any]) -> tuple[NDArray[np.uint8], NDArray[np.float16]]:
    """Weights of any shape -> numbers of entries (the same shape) and the entries [256], float16, ascending."""
    codes = weight.astype(np.float16).view(np.uint16)
    counts = np.bincount(codes.reshape(-1), minlength=HALVES)
    present = np.flatnonzero(counts)
    values = present.astype(np.uint16).view(np.float16).astype(np.float64)
    order = np.argsort(values, kind="stable")
    values, present = values[order], present[order]
    weights = counts[present].astype(np.float64)
    entries = _k_means(values, weights).astype(np.float16)
    nearest = np.searchsorted(_borders(entries.astype(np.float64)), values)
    table = np.zeros(HALVES, np.uint8)
    table[present] = nearest
    return table[codes], entries


def _borders(centres: NDArray[np.float64]) -> NDArray[np.float64]:
    return (centres[1:] + centres[:-1]) / 2


def _k_means(values: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ascending values and how often each occurs -> centres, ascending. In one dimension a cluster is an interval."""
    if len(values) <= ENTRIES:
        return np.concatenate([values, np.full(ENTRIES - len(values), values[-1])])
    # The best density of centres goes with the third root of the density of the values (Panter and Dite 1951).
    bins = np.linspace(values[0], values[-1], 4 * ENTRIES + 1)
    density = np.cbrt(np.histogram(values, bins, weights=weights)[0] + 1e-3)
    centres = np.interp((np.arange(ENTRIES) + 0.5) / ENTRIES, np.cumsum(density) / density.sum(), bins[1:])
    count, total = (np.concatenate([[0], np.cumsum(column)]) for column in (weights, weights * values))
    for _ in range(ROUNDS):
        edges = np.concatenate([[0], np.searchsorted(values, _borders(centres)), [len(values)]])
        held = np.diff(count[edges])
        centres = np.where(held > 0, np.diff(total[edges]) / np.maximum(held, 1), centres)
        centres.sort()
    return centres


@dataclass(frozen=True)
class Form:
    """How numbers are stored and normed. half: float16, which is what the Neural Engine takes; float32 is for proofs.
    norm: which of two forms keeps x * x within float16. bits: 8 stores the weights of linear layers as palettes."""

    half: bool = True
    norm: str = "layer"
    bits: int = 16

    @property
    def dtype(self) -> type[np.floating[Any]]:
        return np.float16 if self.half else np.float32


class Graph:
    """One program under construction. Values are coremltools' variables."""

    def __init__(self, form: Form):
        coremltools()
        from coremltools.converters.mil import Builder  # type: ignore[import-not-found]

        self.form = form
        self.op: Any = Builder

    def number(self, value: float) -> Any:
        return self.form.dtype(value)

    def array(self, value: Array) -> Array:
        return np.ascontiguousarray(value, self.form.dtype)

    def linear(self, x: Any, weight: Array, bias: Array | None = None, full: bool = False) -> Any:
        """[1, in, 1, S], [out, in] -> [1, out, 1, S]. full: never as a palette."""
        stored: Any = self.array(weight[:, :, None, None])
        if self.form.bits == 8 and not full:
            indices, entries = palette(stored)
            stored = self.op.constexpr_lut_to_dense(indices=indices, lut=self.array(entries.reshape(1, 1, 1, 1, -1, 1)))
        return self.op.conv(x=x, weight=stored, pad_type="valid", **self._bias(bias))

    def convolution(self, x: Any, weight: Array, bias: Array | None, dilation: int = 1, groups: int = 1) -> Any:
        """[1, in, 1, S], [out, in per group, k] -> [1, out, 1, S - (k - 1) * dilation]"""
        stored = self.array(weight[:, :, None])
        how = {"dilations": [1, dilation], "groups": groups}
        return self.op.conv(x=x, weight=stored, pad_type="valid", **how, **self._bias(bias))

    def transposed_convolution(self, x: Any, weight: Array, bias: Array, stride: int) -> Any:
        """[1, in, 1, S], [in, out, k] -> [1, out, 1, (S - 1) * stride + k]"""
        stored = self.array(weight[:, :, None])
        return self.op.conv_transpose(x=x, weight=stored, strides=[1, stride], pad_type="valid", **self._bias(bias))

    def _bias(self, bias: Array | None) -> dict[str, Array]:
        return {} if bias is None else {"bias": self.array(bias)}

    def rms_norm(self, x: Any, weight: Array, epsilon: float, axis: int = 1) -> Any:
        """The RMSNorm over one axis. Its x * x leaves float16 at |x| = 256, so it is computed in another way."""
        return (
            self._by_layer_norm(x, weight, epsilon, axis)
            if self.form.norm == "layer"
            else self._scaled(x, weight, epsilon, axis)
        )

    def _by_layer_norm(self, x: Any, weight: Array, epsilon: float, axis: int) -> Any:
        """The mean of x and -x together is 0, so that their LayerNorm is the RMSNorm of x; its first half is wanted."""
        op, shape = self.op, list(x.shape)
        both = op.concat(values=[x, op.mul(x=x, y=self.number(-1))], axis=axis)
        gamma = self.array(np.concatenate([weight, weight]))
        y = op.layer_norm(x=both, axes=[axis], gamma=gamma, epsilon=self.number(epsilon))
        return op.slice_by_size(x=y, begin=[0] * len(shape), size=shape)

    def _scaled(self, x: Any, weight: Array, epsilon: float, axis: int) -> Any:
        """x is divided by its largest magnitude first, and the root of epsilon with it, which is squared afterwards."""
        op = self.op
        least = float(np.finfo(self.form.dtype).tiny)  # what these operations add to a divisor; 1e-4 if nothing is said
        largest = op.reduce_max(x=op.abs(x=x), axes=[axis], keep_dims=True)
        inverse = op.inverse(x=op.maximum(x=largest, y=self.number(LEAST_SCALE)), epsilon=self.number(least / 1024))
        small, root = op.mul(x=x, y=inverse), op.mul(x=inverse, y=self.number(np.sqrt(epsilon)))
        mean = op.reduce_mean(x=op.mul(x=small, y=small), axes=[axis], keep_dims=True)
        factor = op.rsqrt(x=op.add(x=mean, y=op.mul(x=root, y=root)), epsilon=self.number(least / 1024))
        shape = [1] * len(x.shape)
        shape[axis] = -1
        return op.mul(x=op.mul(x=small, y=factor), y=self.array(weight.reshape(shape)))


Body = Callable[[Graph, dict[str, Any]], Mapping[str, Any]]
Shapes = Mapping[str, tuple[int, ...]]


def save(
    path: Path, form: Form, inputs: Shapes, body: Body, states: Shapes | None = None, ids: Shapes | None = None
) -> None:
    """Build a program and write it as the package `path`.

    inputs and states: names and shapes; a float32 package takes what would be a state as an input, because Core ML has
    states in float16 only. ids: inputs of integers. body: values of all of them -> outputs by name.
    """
    tools = coremltools()
    from coremltools.converters.mil.mil import Function, Program, types  # type: ignore[import-not-found]

    graph = Graph(form)
    dtype = types.fp16 if form.half else types.fp32
    given = {name: graph.op.TensorSpec(shape=shape, dtype=dtype) for name, shape in inputs.items()}
    given |= {name: graph.op.TensorSpec(shape=shape, dtype=types.int32) for name, shape in (ids or {}).items()}
    state = graph.op.StateTensorSpec if form.half else graph.op.TensorSpec
    given |= {name: state(shape=shape, dtype=dtype) for name, shape in (states or {}).items()}
    with Function(given, opset_version=tools.target.iOS18) as function:
        values = dict(function.inputs)
        if form.half:
            values |= {name: graph.op.read_state(input=values[name]) for name in states or {}}
        results = body(graph, values)
        function.set_outputs([graph.op.identity(x=value, name=name) for name, value in results.items()])
    program = Program()
    program.add_function("main", function)
    with contextlib.redirect_stderr(io.StringIO()):  # it shows bars of progress
        model = tools.convert(
            program,
            source="milinternal",
            convert_to="mlprogram",
            minimum_deployment_target=tools.target.iOS18,
            compute_precision=tools.precision.FLOAT32,  # every type is chosen here: no pass may add casts
            pass_pipeline=tools.PassPipeline.EMPTY,  # what is written is what was built, operation by operation
            skip_model_load=True,
        )
    model.save(str(path))


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
