"""How many launches a GPU would make for some lazy arrays, counted without a GPU.

`mx.export_to_dot` shows the graph behind them, as `mx.compile` leaves it. MLX's fast operations, which the CPU takes
apart, and the kernels of this package each become one node that nothing fuses with (`mx.depends`).
"""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

VIEWS = {"Reshape", "Slice", "Transpose", "Broadcast", "ExpandDims", "Squeeze", "Split", "Flatten", "Unflatten"}
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
