"""Checkpoint in, smaller checkpoint out: the body of `mlx-tts convert` for this family."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import mlx.core as mx

from mlx_tts.checkpoints.quantising import (
    DEFAULT_GROUP,
    DTYPES,
    METADATA,
    Formed,
    form_of,
    formed,
    made,
    plan,
    save,
)
from mlx_tts.checkpoints.tensors import open_tensors
from mlx_tts.checkpoints.work import ConversionWork
from mlx_tts.errors import RequestError
from mlx_tts.files.writing import atomic_folder
from mlx_tts.models.convert_options import ConvertOptions, model_card
from mlx_tts.models.magpie.checkpoint import FAMILY, Checkpoint
from mlx_tts.models.magpie.codec.weights import ENCODER, TRAINING
from mlx_tts.models.magpie.text.tokenizer import TABLES
from mlx_tts.models.magpie.weights import DROPPED

PRODUCTS = re.compile(
    r".*\.(qkv_net|o_net|q_net|kv_net|proj\.conv|o_net\.conv)\.weight"
    r"|(final_proj|local_transformer_in_projection|local_transformer_out_projections\.\d+)\.weight"
)


def convert(source: Checkpoint, destination: Path, options: ConvertOptions, log: Callable[[str], None]) -> None:
    """Quantise or cast the products of the model; the codec keeps its precision unless another is asked for."""
    options.must_leave_out(FAMILY, "text_embedding_bits", "table_bits", "codec_bits")
    options.must_be_uniform(FAMILY)
    if options.drop_encoder and source.info.can.clones:
        raise RequestError("--drop-encoder would leave this model without voices: it knows them by samples alone")
    if source.raw.get("quantization"):
        raise RequestError(f"{source.folder} is quantised already: convert the original")
    quantisation = options.quantisation(DEFAULT_GROUP)
    named = _products(open_tensors(source.folder).tensors)
    model = formed(named, PRODUCTS, quantisation, source.folder)
    codec = _formed_codec(source.folder / "codec", options.drop_encoder)
    work = ConversionWork.of(log)
    dtype, codec_dtype = DTYPES[options.dtype], DTYPES[options.codec_dtype]
    plan(model, dtype, work)
    plan(codec, codec_dtype, work)
    tensors = made(model, dtype, work)
    config = source.raw if quantisation is None else {**source.raw, "quantization": quantisation}
    with atomic_folder(destination) as folder:
        shutil.copytree(source.folder / "text", folder / "text")
        (folder / "text" / TABLES).write_text(json.dumps(source.text.frozen(), ensure_ascii=False), encoding="utf-8")
        (folder / "codec").mkdir()
        shutil.copyfile(source.folder / "codec" / "config.json", folder / "codec" / "config.json")
        (folder / "config.json").write_text(json.dumps(config, indent=1, ensure_ascii=False), encoding="utf-8")
        metadata = {"format": "pt", **METADATA}
        save(folder / "model.safetensors", tensors, metadata, work)
        stored_codec = made(codec, codec_dtype, work)
        save(folder / "codec" / "model.safetensors", stored_codec, metadata, work)
        (folder / "README.md").write_text(_card(source, form_of(quantisation, options.dtype)), encoding="utf-8")


def _products(tensors: Mapping[str, mx.array]) -> Iterator[tuple[str, mx.array]]:
    """Without what is computed again; a convolution over one position is a product, [out, in]."""
    for name, value in tensors.items():
        if not DROPPED.fullmatch(name):
            yield name, value[..., 0] if value.ndim == 3 and value.shape[-1] == 1 else value


def _formed_codec(folder: Path, drop_encoder: bool) -> Formed:
    left_out = (*TRAINING, ENCODER) if drop_encoder else TRAINING
    tensors = open_tensors(folder).tensors
    return {name: (value, None) for name, value in tensors.items() if not name.startswith(left_out)}


def _card(source: Checkpoint, form: str) -> str:
    text = f"""A MagpieTTS checkpoint ({source.info.kind}). Model: {form}; the codec is the original's.
The licence of the original applies: NVIDIA Open Model License."""
    return model_card(source.folder, "magpie", text, "license: other\nlicense_name: nvidia-open-model-license")
