"""Layers and weights <-> their quantised forms, named as MLX's layers name them: for loading and for conversions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx import nn
from mlx.utils import tree_unflatten

from mlx_tts.checkpoints.least_squares import quantise
from mlx_tts.checkpoints.work import (
    FIT_SECONDS,
    FITTING,
    MAKE_SECONDS,
    MAKING,
    WRITE_SECONDS,
    WRITING,
    ConversionWork,
)
from mlx_tts.errors import ModelError, RequestError

DTYPES = {"bfloat16": mx.bfloat16, "float32": mx.float32, "float16": mx.float16}
METADATA = {"mlx_tts": "1"}  # of files that conversions write: the version of what they write
PARTS_OF_LAYER = ("weight", "scales", "biases")  # of a quantised one; modes other than affine have no biases
DEFAULT_GROUP = {"affine": 64, "mxfp4": 32, "mxfp8": 32, "nvfp4": 16}


def quantise_layers(
    module: nn.Module, prefix: str, tensors: Mapping[str, mx.array], quantization: Mapping[str, Any] | None
) -> None:
    """Quantise the layers whose checkpoint holds `.scales`; formats come from the config, layer by layer."""

    def format_of(path: str, layer: nn.Module) -> bool | dict[str, Any]:
        name = prefix + path
        if f"{name}.scales" not in tensors or not hasattr(layer, "to_quantized"):
            return False
        found = stored_form(name, quantization)
        if layer.weight.shape[-1] % found["group_size"]:
            raise ModelError(
                f"{name} has {layer.weight.shape[-1]} columns, not a multiple of its group size: convert it again"
            )
        return found

    nn.quantize(module, class_predicate=format_of)


def stored_form(name: str, quantization: Mapping[str, Any] | None) -> dict[str, Any]:
    """What config.json says of a quantised layer: group_size, bits and mode. ModelError for what MLX does not know."""
    if not quantization:
        raise ModelError(f"{name}.scales is in the file but config.json has no quantization entry: convert it again")
    own = quantization.get(name)
    chosen = own if isinstance(own, dict) else quantization
    try:
        found = {"group_size": chosen["group_size"], "bits": chosen["bits"], "mode": chosen.get("mode", "affine")}
        mx.quantize(mx.zeros((1, found["group_size"])), **found)  # refuses what MLX does not know
    except (KeyError, ValueError, TypeError) as error:
        raise ModelError(f"config.json gives {name} an unknown quantisation ({error}): convert it again") from None
    return found


def plain_tensors(
    tensors: Mapping[str, mx.array],
    quantization: Mapping[str, Any] | None,
    path_of: Callable[[str], str] = lambda name: name,
) -> dict[str, mx.array]:
    """Tensors as a file has them -> the same with quantised ones plain, float32 and lazy: to be converted again.

    path_of: the name of a tensor in the file -> that of the parameter, by which config.json knows its layer. ModelError
    for what does not fit its form."""
    layers = {name.removesuffix(".scales") for name in tensors if name.endswith(".scales")}
    packed = {f"{layer}.{part}" for layer in layers for part in ("scales", "biases")}
    plain = {}
    for name, value in tensors.items():
        layer = name.removesuffix(".weight")
        if layer not in layers:
            if name not in packed:
                plain[name] = value
            continue
        form = stored_form(path_of(name).removesuffix(".weight"), quantization)
        parts = [value, tensors[f"{layer}.scales"], tensors.get(f"{layer}.biases")]
        try:
            plain[name] = dequantised(parts, form["bits"], form["group_size"], form["mode"])
        except ValueError as error:
            raise ModelError(f"{name} does not fit its quantisation ({error}): convert the original") from None
    return plain


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
    return {name.removesuffix("weight") + part: value for part, value in zip(PARTS_OF_LAYER, parts, strict=False)}


def plain_layer(layer: nn.Module) -> nn.Module:
    """A plain layer, float32 and lazy, in the place of a quantised one or a quantised table; others as they are."""
    if not isinstance(layer, nn.QuantizedLinear | nn.QuantizedEmbedding):
        return layer
    parts = [layer.weight, layer.scales, layer.get("biases")]
    weight = dequantised(parts, layer.bits, layer.group_size, layer.mode)
    kind = nn.Linear if isinstance(layer, nn.QuantizedLinear) else nn.Embedding
    plain = kind.__new__(kind)
    nn.Module.__init__(plain)  # its own would fill a weight from MLX's global random state
    plain.weight = weight
    if "bias" in layer:
        plain.bias = layer.bias
    return plain


def dequantised(parts: Sequence[mx.array | None], bits: int, group_size: int, mode: str = "affine") -> mx.array:
    """Codes, scales and, where the mode has them, biases -> the weight, float32 and lazy."""
    weight, scales, biases = parts
    assert weight is not None
    assert scales is not None
    if biases is not None:  # affine; in bfloat16 a scale's products would be rounded once more, which costs codes
        scales, biases = scales.astype(mx.float32), biases.astype(mx.float32)
    return mx.dequantize(weight, scales, biases, group_size, bits, mode).astype(mx.float32)


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


Formed = dict[str, tuple[mx.array, Mapping[str, Any] | None]]  # by its name: a tensor, and the form that it will have


def formed(
    tensors: Iterable[tuple[str, mx.array]],
    products: re.Pattern[str],
    quantisation: Mapping[str, Any] | None,
    folder: Path,
    bits_of: Callable[[str], int | None] = lambda _name: None,
) -> Formed:
    """For `write_tensors`: what fits `products` is quantised where a `quantisation` (bits, group_size, mode) is asked
    for and its width is in whole groups. bits_of: a tensor's name -> its own bits, where it has others than the
    quantisation. ModelError, which names `folder`, where nothing could be quantised."""
    size = 0 if quantisation is None else quantisation["group_size"]

    def is_product(name: str, value: mx.array) -> bool:
        return products.fullmatch(name) is not None and value.ndim == 2 and value.shape[-1] % size == 0

    def form_of_tensor(name: str, value: mx.array) -> Mapping[str, Any] | None:
        if quantisation is None or not is_product(name, value):
            return None
        bits = bits_of(name)
        return quantisation if bits in (None, quantisation["bits"]) else {**quantisation, "bits": bits}

    chosen: Formed = {name: (value, form_of_tensor(name, value)) for name, value in tensors}
    if quantisation is not None and all(form is None for _, form in chosen.values()):
        raise ModelError(f"{folder} has no layer whose width is a multiple of {size}: choose another --group-size")
    return chosen


def plan(tensors: Formed, dtype: mx.Dtype, work: ConversionWork) -> None:
    """Tell what `write_tensors` will have to do."""
    for value, form in tensors.values():
        work.plan(*making(value, form))
    work.plan(WRITING, stored_bytes(tensors, dtype) * WRITE_SECONDS)


def stored_bytes(tensors: Formed, dtype: mx.Dtype) -> int:
    """What a file of them takes in their forms, but for its header. Nothing is computed."""
    total = 0
    for value, form in tensors.values():
        if form is None:
            total += value.size * (dtype if mx.issubdtype(value.dtype, mx.floating) else value.dtype).size
        else:
            of_a_group = 2 * dtype.size if form["mode"] == "affine" else 1  # scale and bias, or a scale of 8 bits
            total += value.size * form["bits"] // 8 + of_a_group * value.size // form["group_size"]
    return total


def making(value: mx.array, form: Mapping[str, Any] | None) -> tuple[str, float]:
    """The kind of work, and its usual seconds."""
    if form is not None:
        return FITTING, value.size * FIT_SECONDS
    return MAKING, value.size * MAKE_SECONDS


def form_of(quantisation: Mapping[str, Any] | None, dtype: str, source: str = "") -> str:
    """For people. source: the form that the weights were made from, where it was a quantised one."""
    form = dtype
    if quantisation is not None:
        form = "{bits} bits, groups of {group_size}, mode {mode}".format(**quantisation)
    return f"{form}, made from {source} weights" if source else form
