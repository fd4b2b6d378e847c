"""Checkpoint in, smaller checkpoint out: the body of `mlx-tts convert` for this family."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import mlx.core as mx

from mlx_tts.checkpoints.quantising import (
    DTYPES,
    METADATA,
    Formed,
    form_of,
    plain_tensors,
    plan,
    stored_bytes,
)
from mlx_tts.checkpoints.recipe import Recipe
from mlx_tts.checkpoints.tensors import open_tensors
from mlx_tts.checkpoints.weight_writer import write_tensors
from mlx_tts.checkpoints.work import ConversionWork
from mlx_tts.errors import RequestError
from mlx_tts.files.writing import atomic_folder
from mlx_tts.models.convert_options import ConvertOptions, model_card
from mlx_tts.models.magpie import recipe as measurable
from mlx_tts.models.magpie.checkpoint import FAMILY, Checkpoint
from mlx_tts.models.magpie.codec.weights import ENCODER, TRAINING
from mlx_tts.models.magpie.text.tokenizer import TABLES
from mlx_tts.models.magpie.weights import DROPPED, path_of
from mlx_tts.models.recipes.converting import planned_forms

PRODUCTS = re.compile(
    r".*\.(qkv_net|o_net|q_net|kv_net|proj\.conv|o_net\.conv)\.weight"
    r"|(final_proj|local_transformer_in_projection|local_transformer_out_projections\.\d+)\.weight"
)


def convert(source: Checkpoint, destination: Path, options: ConvertOptions, log: Callable[[str], None]) -> str | None:
    """Quantise or cast the products of the model; the codec keeps its precision unless another is asked for. Returns
    what a measured recipe came to, for people."""
    options.must_leave_out(FAMILY, "text_embedding_bits", "table_bits", "codec_bits", "for_mlx_audio", "tune")
    if options.drop_encoder and source.info.can.clones:
        raise RequestError("--drop-encoder would leave this model without voices: it knows them by samples alone")
    work = ConversionWork.of(log)
    dtype, codec_dtype = DTYPES[options.dtype], DTYPES[options.codec_type]
    stored = plain_tensors(open_tensors(source.folder).tensors, source.raw.get("quantization"), path_of)
    codec = _formed_codec(source.folder / "codec", options.drop_encoder)
    plan(codec, codec_dtype, work)
    model, quantisation, recipe = planned_forms(
        measurable,
        source,
        options,
        destination,
        dict(_products(stored)),
        PRODUCTS,
        stored_bytes(codec, codec_dtype),
        work,
        path_of,
    )
    del stored  # each tensor is freed when it is written
    config = {name: value for name, value in source.raw.items() if name != "quantization"}
    if quantisation is not None:
        config["quantization"] = quantisation
    with atomic_folder(destination) as folder:
        shutil.copytree(source.folder / "text", folder / "text")
        (folder / "text" / TABLES).write_text(json.dumps(source.text.frozen(), ensure_ascii=False), encoding="utf-8")
        (folder / "codec").mkdir()
        shutil.copyfile(source.folder / "codec" / "config.json", folder / "codec" / "config.json")
        (folder / "config.json").write_text(json.dumps(config, indent=1, ensure_ascii=False), encoding="utf-8")
        metadata = {"format": "pt", **METADATA}
        write_tensors(folder / "model.safetensors", model, dtype, metadata, work)
        write_tensors(folder / "codec" / "model.safetensors", codec, codec_dtype, metadata, work)
        form = form_of(quantisation, options.dtype, source.info.quantisation)
        (folder / "README.md").write_text(_card(source, form, recipe), encoding="utf-8")
    return None if recipe is None else recipe.line


def _products(tensors: Mapping[str, mx.array]) -> Iterator[tuple[str, mx.array]]:
    """Without what is computed again; a convolution over one position is a product, [out, in]."""
    for name, value in tensors.items():
        if not DROPPED.fullmatch(name):
            yield name, value[..., 0] if value.ndim == 3 and value.shape[-1] == 1 else value


def _formed_codec(folder: Path, drop_encoder: bool) -> Formed:
    left_out = (*TRAINING, ENCODER) if drop_encoder else TRAINING
    tensors = open_tensors(folder).tensors
    return {name: (value, None) for name, value in tensors.items() if not name.startswith(left_out)}


def _card(source: Checkpoint, form: str, recipe: Recipe | None) -> str:
    text = f"""A MagpieTTS checkpoint ({source.info.kind}). Model: {form}; the codec is the original's.
The licence of the original applies: NVIDIA Open Model License."""
    licence = "license: other\nlicense_name: nvidia-open-model-license"
    return model_card(source.folder, "magpie", text, licence, recipe)
