"""Checkpoint in, converted checkpoint out: the body of `mlx-tts convert`."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import mlx.core as mx
from mlx import nn
from mlx.utils import tree_flatten

from mlx_tts.checkpoints.config_fields import read_json
from mlx_tts.checkpoints.tensors import TensorFile, load_strictly, open_tensors
from mlx_tts.errors import MlxTtsError, ModelError, RequestError
from mlx_tts.models.qwen3_tts.config import ModelConfig, load_model_config
from mlx_tts.models.qwen3_tts.info import describe
from mlx_tts.models.qwen3_tts.talker import Talker
from mlx_tts.models.qwen3_tts.tokenizer import build_tokenizer
from mlx_tts.models.qwen3_tts.weights import SPEAKER_ENCODER, TALKER, open_model, source_layout

FORMAT_VERSION = "1"  # of what this module writes; under the metadata key below
VERSION_KEY = "mlx_tts"
DTYPES = {"bfloat16": mx.bfloat16, "float32": mx.float32, "float16": mx.float16}
MODES = ("affine", "mxfp4", "nvfp4", "mxfp8")
# mlx-audio, which must load the result, never quantises these tables
EMBEDDINGS = ("codec_embedding", "text_embedding")
COPIED = (
    "generation_config.json",
    "tokenizer_config.json",
    "vocab.json",
    "merges.txt",
    "preprocessor_config.json",
    "special_tokens_map.json",
)
CODEC_COPIED = ("config.json", "preprocessor_config.json", "configuration.json")


class _Root(nn.Module):
    """Gives the talker's layers the paths that they have in a checkpoint."""

    def __init__(self, talker: Talker):
        super().__init__()
        self.talker = talker


def convert(
    source: Path,
    dest: Path,
    *,
    bits: int | None = None,
    group_size: int | None = None,
    mode: str = "affine",
    dtype: str = "bfloat16",
    text_embedding_bits: int | None = None,
    codec_dtype: str = "float32",
    drop_encoder: bool = False,
    log: Callable[[str], None] = lambda line: None,
) -> None:
    """Write a checkpoint to `dest` that this package and mlx-audio load.

    bits None keeps plain weights in `dtype`; else the talker and the code predictor are quantised, all but their
    embedding tables (text_embedding_bits quantises the text table too, which mlx-audio cannot read). The codec stays
    in the official layout; drop_encoder leaves out the half that only cloning needs. `dest` appears only when whole.
    """
    _check_options(bits, group_size, mode, dtype, text_embedding_bits, codec_dtype)
    info, config = describe(source), load_model_config(source)
    raw = read_json(source / "config.json")
    if "quantization" in raw:
        raise ModelError(f"{source} is quantised already: convert from the official checkpoint")
    if dest.exists() and (not dest.is_dir() or any(dest.iterdir())):
        raise RequestError(f"{dest} exists and is not empty: choose another folder")
    if drop_encoder and info.kind == "base":
        raise RequestError("a Base model without the codec's encoder could not clone: keep the encoder")
    file = open_model(source, config)
    log(f"reading {source} ({info.kind}, {len(file.tensors)} tensors)")
    tensors, quantised = _talker_tensors(file, config, raw, bits, group_size, mode, DTYPES[dtype], text_embedding_bits)
    tensors |= _speaker_encoder_tensors(file, DTYPES[dtype])
    codec = _codec_tensors(source, DTYPES[codec_dtype], drop_encoder)
    partial = dest.with_name(dest.name + ".partial")
    try:
        if partial.exists():
            shutil.rmtree(partial)
        (partial / "speech_tokenizer").mkdir(parents=True)
        metadata = {"format": "mlx", VERSION_KEY: FORMAT_VERSION}
        log("writing model.safetensors")
        mx.save_safetensors(str(partial / "model.safetensors"), tensors, metadata)
        log("writing speech_tokenizer/model.safetensors")
        mx.save_safetensors(str(partial / "speech_tokenizer" / "model.safetensors"), codec, {"format": "pt"})
        (partial / "config.json").write_text(json.dumps(quantised, indent=1) + "\n", encoding="utf-8")
        for name in COPIED:
            if (source / name).exists():
                shutil.copyfile(source / name, partial / name)
        for name in CODEC_COPIED:
            if (source / "speech_tokenizer" / name).exists():
                shutil.copyfile(source / "speech_tokenizer" / name, partial / "speech_tokenizer" / name)
        build_tokenizer(source).save(str(partial / "tokenizer.json"))
        (partial / "README.md").write_text(_model_card(source, info.kind, quantised, dtype), encoding="utf-8")
        if dest.exists():
            dest.rmdir()
        partial.rename(dest)
    except (OSError, RuntimeError) as error:
        raise MlxTtsError(f"{dest} cannot be written ({error}): free some space or choose another folder") from None
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _check_options(
    bits: int | None, group_size: int | None, mode: str, dtype: str, text_embedding_bits: int | None, codec_dtype: str
) -> None:
    for name, value, allowed in (("dtype", dtype, DTYPES), ("codec_dtype", codec_dtype, DTYPES), ("mode", mode, MODES)):
        if value not in allowed:
            raise RequestError(f"{name} is {value!r}; allowed are {', '.join(allowed)}")
    if codec_dtype == "bfloat16":
        raise RequestError("codec_dtype bfloat16 loses audible precision: use float32 or float16")
    for count in (bits, text_embedding_bits):
        if count is None:
            continue
        try:
            mx.quantize(mx.zeros((1, 256)), group_size=group_size, bits=count, mode=mode)
        except (ValueError, RuntimeError) as error:
            raise RequestError(
                f"{count} bits with group size {group_size} and mode {mode} do not go together: {error}"
            ) from None


def _talker_tensors(
    file: TensorFile,
    config: ModelConfig,
    raw: dict,
    bits: int | None,
    group_size: int | None,
    mode: str,
    dtype: mx.Dtype,
    text_embedding_bits: int | None,
) -> tuple[dict[str, mx.array], dict]:
    """The talker's tensors as they will be stored, and the config that says how."""
    root = _Root(Talker(config.talker_config))
    parameters = {name.removeprefix(TALKER): value for name, value in file.tensors.items() if name.startswith(TALKER)}
    load_strictly(root.talker, parameters, file.path, TALKER)
    root.update(_cast(root.parameters(), dtype))
    quantised = raw
    if bits is not None or text_embedding_bits is not None:
        from mlx_lm.utils import quantize_model  # imports transformers: only a conversion pays for it

        def chosen(path: str, layer: nn.Module) -> bool | dict:
            if path.endswith("text_embedding") and text_embedding_bits is not None:
                return {"group_size": group_size or 64, "bits": text_embedding_bits, "mode": mode}
            return bits is not None and not any(name in path for name in EMBEDDINGS)

        with contextlib.redirect_stdout(io.StringIO()):  # it prints to standard output
            _, quantised = quantize_model(root, raw, group_size, bits, mode, quant_predicate=chosen)
    return dict(tree_flatten(root.parameters())), quantised


def _cast(tree: dict, dtype: mx.Dtype) -> dict:
    from mlx.utils import tree_map

    return tree_map(lambda value: value.astype(dtype), tree)


def _speaker_encoder_tensors(file: TensorFile, dtype: mx.Dtype) -> dict[str, mx.array]:
    """The speaker encoder in MLX's layout, convolutions [out, k, in], as its `format` declares."""
    tensors = {}
    for name, value in file.tensors.items():
        if name.startswith(SPEAKER_ENCODER):
            if value.ndim == 3 and source_layout(file) == "torch":
                value = value.transpose(0, 2, 1)
            tensors[name] = mx.contiguous(value.astype(dtype))
    return tensors


def _codec_tensors(source: Path, dtype: mx.Dtype, drop_encoder: bool) -> dict[str, mx.array]:
    """The codec in the official layout; the encoder's half can stay behind."""
    tensors = open_tensors(source / "speech_tokenizer").tensors
    return {
        name: value.astype(dtype)
        for name, value in tensors.items()
        if not (drop_encoder and name.startswith("encoder."))
    }


def _model_card(source: Path, kind: str, config: dict, dtype: str) -> str:
    quantization = config.get("quantization")
    form = (
        f"{quantization['bits']} bits, groups of {quantization['group_size']}, mode {quantization['mode']}"
        if quantization
        else dtype
    )
    return f"""---
library_name: mlx
license: apache-2.0
pipeline_tag: text-to-speech
tags: [mlx, text-to-speech, qwen3_tts]
---
# {source.resolve().name}, converted with mlx-tts

A Qwen3-TTS checkpoint of kind `{kind}`. Talker and code predictor: {form}; the codec is the original's.
The licence of the original applies.

    mlx-tts speak "Hello." --model FOLDER
"""
