"""How many launches a GPU would make for some lazy arrays, and what they put out, counted without a GPU.

`mx.export_to_dot` shows the graph behind them, as `mx.compile` leaves it. MLX's fast operations, which the CPU takes
apart, and the kernels of this package each become one node that nothing fuses with (`mx.depends`).
"""

from __future__ import annotations

import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest
from mlx.utils import tree_flatten, tree_map

from mlx_tts.nn import attention as nn_attention
from tests.helpers.gpu_form import with_policy

VIEWS = {"Reshape", "Slice", "Transpose", "Broadcast", "ExpandDims", "Squeeze", "Split", "Flatten", "Unflatten"}
FUSED = {"Add", "AsType", "Broadcast", "Divide", "Equal", "Multiply", "Round", "Select", "Sigmoid", "Sin", "Square"}
FUSED |= {"Subtract", "Tanh"}  # with each other, where a function is compiled
SEVERAL = {"DynamicSliceUpdate": 2, "Pad": 2}  # the offset is computed by a launch of its own; a fill and a copy


def opaque(inputs: Sequence[mx.array | None], shapes: Sequence[Any], dtypes: Sequence[mx.Dtype]) -> list[mx.array]:
    """Outputs of one launch that needs all inputs."""
    outputs = [mx.zeros(shape, dtype) for shape, dtype in zip(shapes, dtypes, strict=True)]
    mx.eval(outputs)
    return list(mx.depends(outputs, [value for value in inputs if isinstance(value, mx.array)]))


def as_on_metal(patch: pytest.MonkeyPatch) -> None:
    """MLX's fast operations and our kernels as single nodes."""

    def rms_norm(x: mx.array, weight: mx.array | None, eps: float, **_: Any) -> mx.array:
        return opaque([x, weight], [x.shape], [x.dtype])[0]

    def layer_norm(x: mx.array, weight: mx.array | None, bias: mx.array | None, eps: float, **_: Any) -> mx.array:
        return opaque([x, weight, bias], [x.shape], [x.dtype])[0]

    def rope(x: mx.array, dims: int, *, offset: Any = 0, freqs: Any = None, **_: Any) -> mx.array:
        return opaque([x, offset, freqs], [x.shape], [x.dtype])[0]

    def attention(q: mx.array, k: mx.array, v: mx.array, *, mask: Any = None, **_: Any) -> mx.array:
        return opaque([q, k, v, mask], [q.shape], [q.dtype])[0]

    def metal_kernel(**_: Any) -> Any:
        def run(inputs: Any, output_shapes: Any, output_dtypes: Any, **_: Any) -> list[mx.array]:
            return opaque(inputs, output_shapes, output_dtypes)

        return run

    with_policy(patch, nn_attention, avoids_libraries=False)
    patch.setattr(mx.fast, "rms_norm", rms_norm)
    patch.setattr(mx.fast, "layer_norm", layer_norm)
    patch.setattr(mx.fast, "rope", rope)
    patch.setattr(mx.fast, "scaled_dot_product_attention", attention)
    patch.setattr(mx.fast, "metal_kernel", metal_kernel)


def launches(outputs: Sequence[mx.array]) -> Counter[str]:
    """The launches behind these outputs by the name of MLX's primitive; one that gives several outputs counts once."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph.dot"
        mx.export_to_dot(str(path), *outputs)
        text = path.read_text(encoding="utf-8")
    inputs = Counter(re.findall(r'^"\w+" -> (\d+)$', text, re.M))
    counted: Counter[str] = Counter()
    for node, name in set(re.findall(r'(\d+) \[label ="(\w+)"', text)):
        if name == "Concatenate":  # a copy for each part
            counted[name] += inputs[node]
        elif name not in VIEWS:
            counted["Compiled" if name.startswith("Compiled") else name] += SEVERAL.get(name, 1)
    return counted


@dataclass(frozen=True)
class PutOut:
    """Of the launches of a compiled function: how many, and the bytes that all of them together write."""

    launches: int
    bytes: int


def put_out(function: Callable[..., Any], *inputs: Any, compiled: bool = True) -> PutOut:
    """What a function of trees of arrays writes on CUDA, compiled or not, whatever its size: nothing is computed.

    A device holds what a launch reads and writes until it has come that far, so this is what is held where all was sent
    ahead. Left out: that one array may take the place of another, and the scratch space of libraries.
    """
    nodes, last = _nodes(function, inputs)
    fused = FUSED if compiled else frozenset()
    users: dict[str, list[int]] = defaultdict(list)
    for at, node in enumerate(nodes):
        for name, _, _ in node["inputs"]:
            users[name].append(at)
    launch: dict[int, int] = {}  # node -> the node that ends its launch
    for at in range(len(nodes) - 1, -1, -1):
        name = nodes[at]["outputs"][0][0]
        ends = {launch[user] for user in users[name] if nodes[user]["name"] in fused}
        alone = name in last or any(nodes[user]["name"] not in fused for user in users[name])
        launch[at] = at if alone or len(ends) != 1 or nodes[at]["name"] not in fused else ends.pop()
    count = size = 0
    for at, node in enumerate(nodes):
        if launch[at] != at or node["name"] in VIEWS | {"AsStrided", "Full"}:
            continue
        count += len(node["inputs"]) if node["name"] == "Concatenate" else 1
        size += sum(map(_bytes, node["outputs"]))
        if node["name"] == "Convolution" and node["arguments"][-1] is True:  # transposed: its weight is turned first
            count, size = count + 1, size + _bytes(node["inputs"][1])
    return PutOut(count, size)


def _nodes(function: Callable[..., Any], inputs: Sequence[Any]) -> tuple[list[dict[str, Any]], set[str]]:
    """The primitives of a function in their order, and the names of what it returns."""
    nodes: list[dict[str, Any]] = []
    last: set[str] = set()

    def heard(part: dict[str, Any]) -> None:
        if part["type"] == "primitive":
            nodes.append(part)
        elif part["type"] == "outputs":
            last.update(name for name, _, _ in part["outputs"])

    def flat(*values: mx.array) -> list[mx.array]:
        given = iter(values)
        return [value for _, value in tree_flatten(function(*tree_map(lambda _: next(given), list(inputs))))]

    mx.export_function(heard, flat, *(value for _, value in tree_flatten(list(inputs))))
    return nodes, last


def _bytes(array: tuple[str, Sequence[int], mx.Dtype]) -> int:
    _, shape, dtype = array
    return prod(shape) * dtype.size
