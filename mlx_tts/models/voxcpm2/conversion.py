"""A checkpoint -> a smaller one in another folder: quantised language models, the rest cast, the codec as it is.

The diffusion transformer and the stop head keep their precision: patches feed back, and with few bits the end of speech
is no longer found.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
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
from mlx_tts.checkpoints.weight_writer import write_tensors
from mlx_tts.checkpoints.work import ConversionWork
from mlx_tts.errors import RequestError
from mlx_tts.files.writing import atomic_folder
from mlx_tts.models.convert_options import ConvertOptions, model_card
from mlx_tts.models.recipes.converting import planned_forms
from mlx_tts.models.voxcpm2 import recipe as measurable
from mlx_tts.models.voxcpm2.checkpoint import FAMILY, Checkpoint
from mlx_tts.models.voxcpm2.codec.weights import ENCODER, UNUSED
from mlx_tts.models.voxcpm2.network import COMPUTED
from mlx_tts.models.voxcpm2.weights import CODEC, MODEL, open_codec, open_model

PRODUCTS = re.compile(r"(base_lm|residual_lm)\.layers\.\d+\.(self_attn\.[qkvo]_proj|mlp\.(gate|up|down)_proj)\.weight")
COPIED = ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json")


def convert(source: Checkpoint, destination: Path, options: ConvertOptions, log: Callable[[str], None]) -> str | None:
    """Quantise or cast the language models; the codec keeps float32. Returns what a measured recipe came to, for
    people."""
    options.must_leave_out(FAMILY, "text_embedding_bits", "table_bits", "codec_bits", "for_mlx_audio", "tune")
    if options.codec_dtype not in (None, "float32"):
        raise RequestError("this model's codec is kept in float32: leave --codec-dtype out")
    if options.drop_encoder and not source.info.can.designs:
        raise RequestError("--drop-encoder would leave this model without voices: it knows them by recordings alone")
    codec = open_codec(source.folder, source.model.codec).tensors
    left_out = (ENCODER,) if options.drop_encoder else ()
    kept: Formed = {
        name: (value.astype(mx.float32), None)
        for name, value in codec.items()
        if not (name.startswith(left_out) or UNUSED.fullmatch(name))
    }
    work, dtype = ConversionWork.of(log), DTYPES[options.dtype]
    plan(kept, mx.float32, work)
    stored = plain_tensors(open_model(source.folder).tensors, source.raw.get("quantization"))
    named = {name: value for name, value in stored.items() if not any(part in name for part in COMPUTED)}
    codec_bytes = stored_bytes(kept, mx.float32)
    model, quantisation, recipe = planned_forms(
        measurable, source, options, destination, named, PRODUCTS, codec_bytes, work
    )
    del stored, named, codec  # each tensor is freed when it is written
    config = {"model_type": source.model.architecture, **source.raw, "dtype": options.dtype}
    config.pop("quantization", None)
    if quantisation is not None:
        config["quantization"] = quantisation
    with atomic_folder(destination) as folder:
        for name in COPIED:
            if (source.folder / name).is_file():
                shutil.copyfile(source.folder / name, folder / name)
        (folder / "config.json").write_text(json.dumps(config, indent=1, ensure_ascii=False), encoding="utf-8")
        metadata = {"format": "pt", **METADATA}
        write_tensors(folder / f"{MODEL}.safetensors", model, dtype, metadata, work)
        write_tensors(folder / f"{CODEC}.safetensors", kept, mx.float32, metadata, work)
        form = form_of(quantisation, options.dtype, source.info.quantisation)
        form = f"language models in {form}; the rest {options.dtype}" if quantisation else form
        (folder / "README.md").write_text(_card(source, form, recipe), encoding="utf-8")
    return None if recipe is None else recipe.line


def _card(source: Checkpoint, form: str, recipe: Recipe | None) -> str:
    text = f"""A VoxCPM checkpoint ({source.info.size}). Network: {form}. The codec is the original's, in float32.
The licence of the original applies: Apache-2.0 for the released models."""
    return model_card(source.folder, "voxcpm", text, recipe=recipe)
