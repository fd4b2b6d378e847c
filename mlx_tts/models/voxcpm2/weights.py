"""A checkpoint's folder -> its tensors under the official names, from safetensors, torch archives or MLX conversions.

Files are taken in the order of the official code: safetensors before archives. Archives are read without torch, and
nothing in them is run.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from mlx_tts.checkpoints.shard_index import missing_weights, tensor_names
from mlx_tts.errors import ModelError
from mlx_tts.models.voxcpm2.config import CodecConfig

if TYPE_CHECKING:
    import mlx.core as mx

    from mlx_tts.checkpoints.tensors import TensorFile

MODEL, MODEL_ARCHIVE = "model", "pytorch_model.bin"
CODEC, CODEC_ARCHIVE = "audiovae", "audiovae.pth"
IN_MODEL = "audio_vae."  # begins the codec's tensors where they stand in the model's file
# The names of MLX conversions, whose convolutions are [out, k, in].
UNIT = {"snake1": "block.0", "conv1": "block.1", "snake2": "block.2", "conv2": "block.3"}
ENCODER_PARTS = {"res1": "block.0", "res2": "block.1", "res3": "block.2", "snake": "block.3", "conv": "block.4"}
DECODER_PARTS = {"snake": "block.0", "conv_t": "block.1", "res1": "block.2", "res2": "block.3", "res3": "block.4"}
LAYER = re.compile(r"(encoder|decoder)\.blocks\.layers\.(\d+)\.(\w+)(?:\.(\w+))?\.(weight|bias|alpha)")


def weight_files(folder: Path) -> tuple[Path | None, Path | None]:
    """The files of the model and of the codec, as far as they are there; both are one where one holds both."""
    model = [f"{MODEL}.safetensors", f"{MODEL}.safetensors.index.json", MODEL_ARCHIVE]
    codec = [f"{CODEC}.safetensors", CODEC_ARCHIVE]
    first, second = (
        next((folder / name for name in names if (folder / name).is_file()), None) for names in (model, codec)
    )
    return first, second


def missing_files(folder: Path) -> list[str]:
    """What a folder lacks of the weights' files; empty when it is complete."""
    model, codec = weight_files(folder)
    missing = [] if model is not None and model.name == MODEL_ARCHIVE else missing_weights(folder)
    if codec is None and not (model is not None and not missing and _holds_codec(model)):
        missing.append(CODEC_ARCHIVE)
    return missing


def _holds_codec(model: Path) -> bool:
    """Whether the model's file has the codec in it, as those of MLX conversions do."""
    if model.name == MODEL_ARCHIVE:
        return False
    try:
        names = tensor_names(model)
    except ModelError:
        return False
    return any(name.startswith(IN_MODEL) for name in names)


def open_model(folder: Path) -> TensorFile:
    """The network's tensors."""
    from mlx_tts.checkpoints.tensors import TensorFile, open_archive, open_tensors

    path, _ = weight_files(folder)
    if path is not None and path.name == MODEL_ARCHIVE:
        return open_archive(path)
    file = open_tensors(folder, MODEL)
    own = {name: value for name, value in file.tensors.items() if not name.startswith(IN_MODEL)}
    return TensorFile(file.path, own, {name: file.sources[name] for name in own}, file.metadata)


def open_codec(folder: Path, config: CodecConfig) -> TensorFile:
    """The codec's tensors under their official names, in PyTorch's order, wherever they stand."""
    from mlx_tts.checkpoints.tensors import TensorFile, open_archive, open_tensors

    model, path = weight_files(folder)
    if path is None:
        file = open_tensors(folder, MODEL) if model is not None and model.name != MODEL_ARCHIVE else None
        inside = {} if file is None else {k: v for k, v in file.tensors.items() if k.startswith(IN_MODEL)}
        if file is None or not inside:
            raise ModelError(f"{folder} has no {CODEC}.safetensors and no {CODEC_ARCHIVE}: fetch the checkpoint again")
        own = dict(_official(name, value, config) for name, value in inside.items())
        return TensorFile(file.path, own, dict.fromkeys(own, file.path), {})
    return open_archive(path) if path.name == CODEC_ARCHIVE else open_tensors(folder, CODEC)


def _official(name: str, value: mx.array, config: CodecConfig) -> tuple[str, mx.array]:
    """A tensor of an MLX conversion under its official name, in PyTorch's order."""
    own = _official_name(name.removeprefix(IN_MODEL), len(config.decoder_rates))
    if value.ndim != 3 or not own.endswith(".weight"):
        return own, value
    transposes = re.fullmatch(r"decoder\.model\.\d+\.block\.1\.weight", own)
    return own, value.transpose(2, 0, 1) if transposes else value.transpose(0, 2, 1)


def _official_name(name: str, layers: int) -> str:
    if found := LAYER.fullmatch(name):
        half, level, part, inner, leaf = found.groups()
        parts = ENCODER_PARTS if half == "encoder" else DECODER_PARTS
        if part not in parts or (inner is not None and inner not in UNIT):
            return name
        at = int(level) + 1 if half == "encoder" else int(level) + 2
        front = f"encoder.block.{at}" if half == "encoder" else f"decoder.model.{at}"
        return ".".join(filter(None, (front, parts[part], UNIT.get(inner or ""), leaf)))
    for pattern, official in (
        (r"encoder\.conv_in\.", "encoder.block.0."),
        (r"decoder\.conv_in\.layers\.([01])\.", r"decoder.model.\1."),
        (r"decoder\.snake_out\.", f"decoder.model.{layers + 2}."),
        (r"decoder\.conv_out\.", f"decoder.model.{layers + 3}."),
        (r"decoder\._sr_boundaries", "decoder.sr_bin_boundaries"),
    ):
        if re.match(pattern, name):
            return re.sub(pattern, official, name)
    if found := re.fullmatch(r"decoder\.sr_cond_layers\.(\d+)\.((?:scale|bias)_embed\.weight)", name):
        return f"decoder.sr_cond_model.{int(found[1]) + 2}.{found[2]}"
    return name
