"""Linear layers put side by side: several products of one input become one."""

from __future__ import annotations

import mlx.core as mx
from mlx import nn


def joined(layers: list[nn.Module]) -> nn.Module | None:
    """One layer whose output is the layers' outputs side by side; None where their formats differ.

    Rows of a quantised matrix are quantised one by one, so the joined layer computes the very same numbers.
    """
    first = layers[0]
    if any(type(layer) is not type(first) or "bias" in layer for layer in layers):
        return None
    if isinstance(first, nn.QuantizedLinear):
        formats = {(layer.group_size, layer.bits, layer.mode) for layer in layers}  # type: ignore[attr-defined]
        if len(formats) > 1:
            return None
    names = [name for name in ("weight", "scales", "biases") if first.get(name) is not None]
    if any(layer[name].dtype != first[name].dtype for layer in layers for name in names):
        return None
    one = type(first).__new__(type(first))
    nn.Module.__init__(one)
    if isinstance(first, nn.QuantizedLinear):
        one.group_size, one.bits, one.mode = first.group_size, first.bits, first.mode
    for name in names:
        one[name] = mx.concatenate([layer[name] for layer in layers], axis=0)
    return one
