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

from mlx_tts.checkpoints.quantising import DEFAULT_GROUP, DTYPES, METADATA, Formed, form_of, formed, made, plan, save
from mlx_tts.checkpoints.work import ConversionWork
from mlx_tts.errors import RequestError
from mlx_tts.files.writing import atomic_folder
from mlx_tts.models.convert_options import ConvertOptions, model_card
from mlx_tts.models.voxcpm2.checkpoint import FAMILY, Checkpoint
from mlx_tts.models.voxcpm2.codec.weights import ENCODER, UNUSED
from mlx_tts.models.voxcpm2.network import COMPUTED
from mlx_tts.models.voxcpm2.weights import CODEC, MODEL, open_codec, open_model

PRODUCTS = re.compile(r"(base_lm|residual_lm)\.layers\.\d+\.(self_attn\.[qkvo]_proj|mlp\.(gate|up|down)_proj)\.weight")
COPIED = ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json")


def convert(source: Checkpoint, destination: Path, options: ConvertOptions, log: Callable[[str], None]) -> None:
    """Quantise or cast the language models; the codec keeps float32."""
    options.must_leave_out(FAMILY, "text_embedding_bits", "table_bits", "codec_bits")
    options.must_be_uniform(FAMILY)
    if options.codec_dtype != "float32":
        raise RequestError("this model's codec is kept in float32: leave --codec-dtype out")
    if options.drop_encoder and not source.info.can.designs:
        raise RequestError("--drop-encoder would leave this model without voices: it knows them by recordings alone")
    if source.raw.get("quantization"):
        raise RequestError(f"{source.folder} is quantised already: convert the original")
    quantisation = options.quantisation(DEFAULT_GROUP)
    stored = open_model(source.folder).tensors.items()
    named = ((name, value) for name, value in stored if not any(part in name for part in COMPUTED))
    model = formed(named, PRODUCTS, quantisation, source.folder)
    config = {"model_type": source.model.architecture, **source.raw, "dtype": options.dtype}
    if quantisation is not None:
        config["quantization"] = quantisation
    codec = open_codec(source.folder, source.model.codec).tensors
    left_out = (ENCODER,) if options.drop_encoder else ()
    kept: Formed = {
        name: (value.astype(mx.float32), None)
        for name, value in codec.items()
        if not (name.startswith(left_out) or UNUSED.fullmatch(name))
    }
    work, dtype = ConversionWork.of(log), DTYPES[options.dtype]
    plan(model, dtype, work)
    plan(kept, mx.float32, work)
    tensors = made(model, dtype, work)
    with atomic_folder(destination) as folder:
        for name in COPIED:
            if (source.folder / name).is_file():
                shutil.copyfile(source.folder / name, folder / name)
        (folder / "config.json").write_text(json.dumps(config, indent=1, ensure_ascii=False), encoding="utf-8")
        metadata = {"format": "pt", **METADATA}
        save(folder / f"{MODEL}.safetensors", tensors, metadata, work)
        save(folder / f"{CODEC}.safetensors", made(kept, mx.float32, work), metadata, work)
        form = form_of(quantisation, options.dtype)
        form = f"language models in {form}; the rest {options.dtype}" if quantisation else form
        (folder / "README.md").write_text(_card(source, form), encoding="utf-8")


def _card(source: Checkpoint, form: str) -> str:
    text = f"""A VoxCPM checkpoint ({source.info.size}). Network: {form}. The codec is the original's, in float32.
The licence of the original applies: Apache-2.0 for the released models."""
    return model_card(source.folder, "voxcpm", text)
