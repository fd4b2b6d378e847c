"""Arrays and inputs in, operations of a Core ML graph out: what the layers of layers.py are written in.

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
