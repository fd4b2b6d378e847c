"""Layers and weights <-> their quantised forms, named as MLX's layers name them: for loading and for conversions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx import nn
from mlx.utils import tree_unflatten

from mlx_tts.checkpoints.least_squares import quantise
from mlx_tts.errors import ModelError, RequestError

DTYPES = {"bfloat16": mx.bfloat16, "float32": mx.float32, "float16": mx.float16}
METADATA = {"mlx_tts": "1"}  # of files that conversions write: the version of what they write
DEFAULT_GROUP = {"affine": 64, "mxfp4": 32, "mxfp8": 32, "nvfp4": 16}


def quantise_layers(
    module: nn.Module, prefix: str, tensors: Mapping[str, mx.array], quantization: Mapping[str, Any] | None
) -> None:
    """Quantise the layers whose checkpoint holds `.scales`; formats come from the config, layer by layer."""

    def format_of(path: str, layer: nn.Module) -> bool | dict[str, Any]:
        name = prefix + path
        if f"{name}.scales" not in tensors or not hasattr(layer, "to_quantized"):
            return False
        if not quantization:
            raise ModelError(
                f"{name}.scales is in the file but config.json has no quantization entry: convert it again"
            )
        own = quantization.get(name)
        chosen = own if isinstance(own, dict) else quantization
        try:
            found = {"group_size": chosen["group_size"], "bits": chosen["bits"], "mode": chosen.get("mode", "affine")}
            mx.quantize(mx.zeros((1, found["group_size"])), **found)  # refuses what MLX does not know
        except (KeyError, ValueError, TypeError) as error:
            raise ModelError(f"config.json gives {name} an unknown quantisation ({error}): convert it again") from None
        if layer.weight.shape[-1] % found["group_size"]:
            raise ModelError(
                f"{name} has {layer.weight.shape[-1]} columns, not a multiple of its group size: convert it again"
            )
        return found

    nn.quantize(module, class_predicate=format_of)


def quantised(name: str, weight: mx.array, form: Mapping[str, Any], dtype: mx.Dtype) -> dict[str, mx.array]:
    """NAME.weight [out, in] -> NAME.weight, NAME.scales and, where the mode has them, NAME.biases, in `dtype`.

    form: bits, group_size and mode. Affine scales and biases are fitted by least squares. RequestError for a form that
    MLX does not have, ModelError for weights that are not finite.
    """
    check_form(form)
    try:
        if form["mode"] == "affine":
            parts: Sequence[mx.array] = quantise(weight, form["bits"], form["group_size"], dtype)
        else:
            parts = mx.quantize(weight.astype(mx.float32), **form)
    except ValueError as error:
        raise ModelError(f"{name} cannot be quantised: {error}") from None
    return {
        name.removesuffix("weight") + part: value
        for part, value in zip(("weight", "scales", "biases"), parts, strict=False)
    }


def plain_layer(layer: nn.Module) -> nn.Module:
    """A plain layer, float32 and lazy, in the place of a quantised one or a quantised table; others as they are."""
    if not isinstance(layer, nn.QuantizedLinear | nn.QuantizedEmbedding):
        return layer
    scales, biases = layer.scales, layer.get("biases")
    if biases is not None:  # affine; in bfloat16 a scale's products would be rounded once more, which costs codes
        scales, biases = scales.astype(mx.float32), biases.astype(mx.float32)
    weight = mx.dequantize(layer.weight, scales, biases, layer.group_size, layer.bits, layer.mode)
    kind = nn.Linear if isinstance(layer, nn.QuantizedLinear) else nn.Embedding
    plain = kind.__new__(kind)
    nn.Module.__init__(plain)  # its own would fill a weight from MLX's global random state
    plain.weight = weight.astype(mx.float32)
    if "bias" in layer:
        plain.bias = layer.bias
    return plain


def check_form(form: Mapping[str, Any]) -> None:
    """RequestError for bits, group size and mode that MLX does not have together."""
    try:
        mx.quantize(mx.zeros((1, 256)), **form)
    except (ValueError, RuntimeError) as error:
        raise RequestError(
            "{bits} bits in groups of {group_size} with mode {mode} do not go together".format(**form) + f": {error}"
        ) from None


def make_plain(module: nn.Module) -> None:
    """Put plain layers in the place of a module's quantised layers and tables."""
    layers = [(path, layer, plain_layer(layer)) for path, layer in module.named_modules()]
    module.update_modules(tree_unflatten([(path, plain) for path, layer, plain in layers if plain is not layer]))


def quantised_or_cast(
    tensors: Iterable[tuple[str, mx.array]],
    products: re.Pattern[str],
    quantisation: Mapping[str, Any] | None,
    dtype: mx.Dtype,
    folder: Path,
) -> dict[str, mx.array]:
    """Names as in `tensors`. What fits `products` is quantised, with its scales next to it, where a `quantisation`
    (bits, group_size, mode) is asked for and its width is in whole groups; other floating numbers are cast. ModelError,
    which names `folder`, where nothing could be quantised."""
    out: dict[str, mx.array] = {}
    size = 0 if quantisation is None else quantisation["group_size"]
    for name, value in tensors:
        if quantisation is not None and products.fullmatch(name) and value.ndim == 2 and value.shape[-1] % size == 0:
            out |= quantised(name, value, quantisation, dtype)
        else:
            out[name] = value.astype(dtype) if mx.issubdtype(value.dtype, mx.floating) else value
    if quantisation is not None and not any(name.endswith(".scales") for name in out):
        raise ModelError(f"{folder} has no layer whose width is a multiple of {size}: choose another --group-size")
    return out


def form_of(quantisation: Mapping[str, Any] | None, dtype: str) -> str:
    """For people."""
    return dtype if quantisation is None else "{bits} bits, groups of {group_size}, mode {mode}".format(**quantisation)
