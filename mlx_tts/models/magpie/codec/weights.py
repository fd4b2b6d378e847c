"""The codec's tensors -> its decoder or encoder, always float32; a weight is its direction times its norm."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx import nn

from mlx_tts.checkpoints.tensors import joined_weight, load_strictly, open_tensors, parameters_of
from mlx_tts.errors import ModelError
from mlx_tts.models.magpie.codec.decoder import CodecDecoder
from mlx_tts.models.magpie.codec.encoder import CodecEncoder
from mlx_tts.models.magpie.config import CodecConfig
from mlx_tts.nn.activations import LEAST_FREQUENCY
from mlx_tts.nn.conv import conv_weight, grouped_transposed_weight
from mlx_tts.nn.linear import kept_random_state

DECODER, ENCODER = "audio_decoder.", "audio_encoder."
TRAINING = ("discriminator.", "vector_quantizer.", "mel_loss_fn.", "stft_loss_fn.")
NORM, DIRECTION = ".parametrizations.weight.original0", ".parametrizations.weight.original1"
RENAMES = (
    (r"^up_sample_conv_layers\.(\d+)\.", r"layers.\1.up."),
    (r"^down_sample_conv_layers\.(\d+)\.", r"layers.\1.down."),
    (r"^activations\.(\d+)\.", r"layers.\1.activation."),
    (r"\.activation\.snake_act\.alpha$", ".snake.alpha"),
)
RESIDUAL = re.compile(r"^res_layers\.(\d+)\.res_blocks\.(\d+)\.res_blocks\.(\d+)\.")


def _path_of(name: str, part: str) -> str:
    residual = r"layers.\1.residual.chains.\2.\3." if part == DECODER else r"layers.\1.chains.\2.\3."
    name = RESIDUAL.sub(residual, name)
    for pattern, replacement in RENAMES:
        name = re.sub(pattern, replacement, name)
    return name


def _parameters(tensors: dict[str, mx.array], part: str, where: Path) -> dict[str, mx.array]:
    parameters: dict[str, mx.array] = {}
    for name, stored in tensors.items():
        if not name.startswith(part) or name.endswith(NORM):
            continue
        path, value = name.removeprefix(part), stored.astype(mx.float32)
        if path.endswith(DIRECTION):
            value = joined_weight(value, tensors.get(name.replace(DIRECTION, NORM)), where, name)
            path = path.replace(DIRECTION, ".weight")
            if path.startswith("up_sample"):
                value = grouped_transposed_weight(value.reshape(value.shape[0] // 2, 2, -1))
            else:
                value = conv_weight(value)
        path = _path_of(path, part)
        if path.endswith(".alpha"):
            value = value.reshape(-1)
            parameters[path.replace(".alpha", ".beta")] = 1 / (value + LEAST_FREQUENCY)
        parameters[path] = value
    return parameters


def _load(module: nn.Module, part: str, folder: Path) -> None:
    file = open_tensors(folder)
    unexpected = [name for name in file.tensors if not name.startswith((DECODER, ENCODER, *TRAINING))]
    if unexpected:
        raise ModelError(f"{file.path} has unexpected tensors ({unexpected[0]}): it is not a codec of this model")
    load_strictly(module, _parameters(file.tensors, part, file.path), file.path, part)
    for value in parameters_of(module).values():
        mx.async_eval(value)


@kept_random_state()
def load_decoder(folder: Path, config: CodecConfig) -> CodecDecoder:
    decoder = CodecDecoder(config)
    _load(decoder, DECODER, folder)
    return decoder


@kept_random_state()
def load_encoder(folder: Path, config: CodecConfig) -> CodecEncoder:
    """The half that listens; conversions may come without it."""
    encoder: Any = CodecEncoder(config)
    if not any(name.startswith(ENCODER) for name in open_tensors(folder).tensors):
        raise ModelError(f"{folder} came without the codec's encoder: convert the model again with it")
    _load(encoder, ENCODER, folder)
    return encoder  # type: ignore[no-any-return]
