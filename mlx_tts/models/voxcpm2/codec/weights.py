"""The codec's file -> its decoder or encoder, always float32; a weight is its direction times its norm.

Reads the official names, from safetensors or from a torch archive, and those of MLX conversions, where the codec stands
in the model's file with its weights joined.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx import nn

from mlx_tts.checkpoints.tensors import TensorFile, joined_weight, load_strictly, parameters_of
from mlx_tts.errors import ModelError
from mlx_tts.models.voxcpm2.codec.decoder import CodecDecoder
from mlx_tts.models.voxcpm2.codec.encoder import CodecEncoder
from mlx_tts.models.voxcpm2.config import CodecConfig
from mlx_tts.models.voxcpm2.weights import open_codec
from mlx_tts.nn.activations import LEAST_FREQUENCY
from mlx_tts.nn.conv import conv_weight, transposed_conv_weight
from mlx_tts.nn.linear import kept_random_state
from mlx_tts.shortened import shown

UNIT = {"0": "first", "1": "wide", "2": "second", "3": "mix"}
DECODER, ENCODER = "decoder.", "encoder."
UNUSED = re.compile(r"encoder\.fc_logvar\..*|decoder\.sr_bin_boundaries")
CONDITION = re.compile(r"decoder\.sr_cond_model\.(\d+)\.(scale|bias)_embed\.weight")
CONV = re.compile(r"(.*)\.(weight_v|weight_g|weight|bias|alpha)")


def _unit(path: str) -> str:
    """The parts of a residual unit: block.0 to block.3."""
    return re.sub(r"\.block\.(\d)$", lambda found: "." + UNIT[found[1]], path)


def path_of(name: str, config: CodecConfig) -> str | None:
    """A layer's official name -> the path of ours; None for one that is unknown."""
    last = len(config.encoder_rates)
    if found := re.fullmatch(r"encoder\.block\.0", name):
        return "first"
    if name == "encoder.fc_mu":
        return "fc_mu"
    if found := re.fullmatch(r"encoder\.block\.(\d+)\.block\.(\d)(\.block\.\d)?", name):
        level, part = int(found[1]) - 1, int(found[2])
        if 0 <= level < last and part < 3 and found[3]:
            return _unit(f"layers.{level}.units.{part}{found[3]}")
        if 0 <= level < last and part in (3, 4) and not found[3]:
            return f"layers.{level}.{('activation', 'down')[part - 3]}"
        return None
    found = re.fullmatch(r"decoder\.model\.(\d+)(?:\.block\.(\d)(\.block\.\d)?)?", name)
    if found is None:
        return None
    level, layers = int(found[1]) - 2, len(config.decoder_rates)
    if found[2] is None:
        return {-2: "wide", -1: "mix", layers: "activation", layers + 1: "out"}.get(level)
    if not 0 <= level < layers:
        return None
    part = int(found[2])
    if part < 2 and not found[3]:
        return f"layers.{level}.{('activation', 'up')[part]}"
    return _unit(f"layers.{level}.units.{part - 2}{found[3]}") if 2 <= part < 5 and found[3] else None


def parameters(
    file: TensorFile, part: str, config: CodecConfig, rate: int
) -> tuple[dict[str, mx.array], dict[str, str]]:
    """The parameters of a half of the codec by path, and path -> name in the file. rate: of the sound."""
    out: dict[str, mx.array] = {}
    names: dict[str, str] = {}
    for name, stored in file.tensors.items():
        if name.startswith(part) and not UNUSED.fullmatch(name):
            for path, value in _of_tensor(file, name, stored.astype(mx.float32), config, rate):
                out[path], names[path] = value, name
    return out, names


def _of_tensor(
    file: TensorFile, name: str, value: mx.array, config: CodecConfig, rate: int
) -> Iterator[tuple[str, mx.array]]:
    """The parameters that come of one tensor."""
    if found := CONDITION.fullmatch(name):
        if value.ndim != 2 or value.shape[0] != len(config.sr_bin_boundaries) + 1:
            raise ModelError(f"{file.path} has {name} of shape {value.shape}: it is damaged or of another model")
        row = bisect_left(config.sr_bin_boundaries, rate)
        yield f"layers.{int(found[1]) - 2}.condition.{found[2]}", value[row]
        return
    layer = CONV.fullmatch(name)
    path = path_of(layer[1], config) if layer else None
    if layer is None or path is None:
        raise ModelError(f"{file.path} has an unexpected tensor, {shown(name, 80)}: it is not a codec of this model")
    if layer[2] == "alpha":
        value = value.reshape(-1)
        yield f"{path}.alpha", value
        yield f"{path}.beta", 1 / (value + LEAST_FREQUENCY)
    elif layer[2] == "bias":
        yield f"{path}.conv.bias", value
    elif layer[2] != "weight_g":
        weight = value
        if layer[2] == "weight_v":
            weight = joined_weight(value, file.tensors.get(name.replace("weight_v", "weight_g")), file.path, name)
        if weight.ndim != 3:
            raise ModelError(f"{file.path} has {name} of shape {value.shape}: it is damaged or of another model")
        turned = transposed_conv_weight(weight) if path.endswith(".up") else conv_weight(weight)
        yield f"{path}.conv.weight", turned


def _load(module: nn.Module, part: str, folder: Path, config: CodecConfig, rate: int) -> None:
    file = open_codec(folder, config)
    found, names = parameters(file, part, config, rate)
    load_strictly(module, found, file.path, part, names)
    for value in parameters_of(module).values():
        mx.eval(value)


@kept_random_state()
def load_decoder(folder: Path, config: CodecConfig, rate: int | None = None) -> CodecDecoder:
    """rate: what the decoder is told of the sound; the number of samples stays the same."""
    decoder = CodecDecoder(config)
    _load(decoder, DECODER, folder, config, rate or config.output_rate)
    return decoder


@kept_random_state()
def load_encoder(folder: Path, config: CodecConfig) -> CodecEncoder:
    """The half that listens; conversions may come without it."""
    if not any(name.startswith(ENCODER) for name in open_codec(folder, config).tensors):
        raise ModelError(f"{folder} came without the codec's encoder: convert the model again with it")
    encoder: Any = CodecEncoder(config)
    _load(encoder, ENCODER, folder, config, config.output_rate)
    return encoder  # type: ignore[no-any-return]
