"""The weight of a product -> its quantised parts, named as MLX's layers name them: for conversions."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import mlx.core as mx
from mlx import nn
from mlx.utils import tree_unflatten

from mlx_tts.errors import ModelError, RequestError

DEFAULT_GROUP = {"affine": 64, "mxfp4": 32, "mxfp8": 32, "nvfp4": 16}


def quantised(name: str, weight: mx.array, bits: int, size: int, mode: str) -> dict[str, mx.array]:
    """NAME.weight [out, in] -> NAME.weight, NAME.scales and, where the mode has them, NAME.biases."""
    try:
        parts = mx.quantize(weight.astype(mx.float32), size, bits, mode)
    except ValueError as error:
        raise RequestError(f"{mode} does not go with {bits} bits in groups of {size} ({error})") from None
    return {
        name.removesuffix("weight") + part: value
        for part, value in zip(("weight", "scales", "biases"), parts, strict=False)
    }


def make_plain(module: nn.Module) -> None:
    """Put plain layers, float32 and lazy, in the place of a module's quantised layers and tables."""
    replaced = []
    for path, layer in module.named_modules():
        if isinstance(layer, nn.QuantizedLinear | nn.QuantizedEmbedding):
            scales, biases = layer.scales, layer.get("biases")
            if biases is not None:  # affine; in bfloat16 a scale's products would be rounded once more
                scales, biases = scales.astype(mx.float32), biases.astype(mx.float32)
            weight = mx.dequantize(layer.weight, scales, biases, layer.group_size, layer.bits, layer.mode)
            plain: nn.Module = nn.Embedding(1, 1)
            if isinstance(layer, nn.QuantizedLinear):
                plain = nn.Linear(1, 1, bias=False)
            plain.weight = weight.astype(mx.float32)
            if "bias" in layer:
                plain.bias = layer.bias
            replaced.append((path, plain))
    module.update_modules(tree_unflatten(replaced))


def check_some_quantised(names: Iterable[str], folder: Path, size: int) -> None:
    """ModelError where no layer fitted the size of the groups."""
    if not any(name.endswith(".scales") for name in names):
        raise ModelError(f"{folder} has no layer whose width is a multiple of {size}: choose another --group-size")
