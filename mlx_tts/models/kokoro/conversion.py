"""A checkpoint -> a smaller one in another folder: what reads the text quantised, what makes the sound as it is.

The model computes in float32 all the same, and expands weights when it loads them, so few bits save disk and download
alone. What they do to lengths, pitch and sound is measured afterwards: see `gate`.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np

from mlx_tts.checkpoints.quantising import DEFAULT_GROUP, METADATA, check_form, form_of, formed, plan, stored_bytes
from mlx_tts.checkpoints.weight_writer import write_tensors
from mlx_tts.checkpoints.work import ConversionWork
from mlx_tts.errors import RequestError
from mlx_tts.files.writing import atomic_folder, check_room
from mlx_tts.models.convert_options import ConvertOptions, model_card
from mlx_tts.models.kokoro.checkpoint import FAMILY, Checkpoint, open_checkpoint
from mlx_tts.models.kokoro.gate import Gate, measured
from mlx_tts.models.kokoro.weights import LSTM_MATRIX, SHAPE, folded, numbers, stored_tensors

LEAST = 1 << 14  # numbers of a weight that is quantised: smaller ones take no room worth a rounding
GENERATOR = re.compile(r"decoder\.generator\..*\.weight")
READERS = re.compile(r"(bert|bert_encoder|predictor)\..*")
BITS_OF_READERS = 8  # with fewer PL-BERT and the predictor change how long phonemes last


def convert(source: Checkpoint, destination: Path, options: ConvertOptions, log: Callable[[str], None]) -> str | None:
    """Quantise the matrices and convolutions before the generator; it, too, with `codec_bits`. With 4 and 6 bits
    PL-BERT and the predictor get 8, unless the recipe is "uniform". Returns what the gate found, for people."""
    options.must_leave_out(FAMILY, "text_embedding_bits", "table_bits", "drop_encoder", "for_mlx_audio", "tune")
    options.must_leave_out(FAMILY, "budget_mb", "codec_dtype")
    quantisation = options.quantisation(DEFAULT_GROUP)
    if quantisation is None or options.dtype == "float16":
        raise RequestError("a Kokoro model is computed in float32 and made smaller by --bits alone: give 8, 6 or 4")
    check_form(quantisation)
    work, dtype = ConversionWork.of(log), mx.float32
    tensors, shapes = _tensors(source, quantisation["group_size"], options.codec_bits is not None)
    chosen = re.compile("|".join(re.escape(f"{layer}.weight") for layer in shapes) or "(?!)")
    found = formed(tensors.items(), chosen, quantisation, source.folder, lambda name: _bits(name, options))
    del tensors  # each is freed when it is written
    plan(found, dtype, work)
    check_room(destination, stored_bytes(found, dtype))
    forms = {layer: {**(found[f"{layer}.weight"][1] or {}), SHAPE: shape} for layer, shape in shapes.items()}
    raw = {**source.raw, "quantization": {**quantisation, **forms}}
    with atomic_folder(destination) as folder:
        shutil.copytree(source.folder / "voices", folder / "voices")
        (folder / "config.json").write_text(json.dumps(raw, indent=1, ensure_ascii=False), encoding="utf-8")
        write_tensors(folder / "model.safetensors", found, dtype, {"format": "pt", **METADATA}, work)
        work("gate: speaking three sentences with the source's weights, and again with the new ones")
        gate = measured(source, open_checkpoint(folder, raw))
        (folder / "README.md").write_text(_card(source, quantisation, gate), encoding="utf-8")
    return gate.line


def _tensors(source: Checkpoint, group: int, generator_too: bool) -> tuple[dict[str, mx.array], dict[str, list[int]]]:
    """Folded tensors by the names that they get in the file, and the shapes of those that can be quantised, by layer:
    those are [out, all else], with zeros up to whole groups."""
    tensors, shapes = {}, {}
    for name, value in folded(stored_tensors(source.weights, source.quantization), source.weights):
        own = numbers(value)
        is_product = name.endswith(".weight") or LSTM_MATRIX.fullmatch(name)
        if is_product and own.ndim > 1 and own.size >= LEAST and (generator_too or not GENERATOR.fullmatch(name)):
            layer = name.removesuffix(".weight")
            shapes[layer] = list(own.shape)
            columns = own.reshape(len(own), -1)
            tensors[f"{layer}.weight"] = mx.array(np.pad(columns, [(0, 0), (0, -columns.shape[1] % group)]))
        else:
            tensors[name] = mx.array(own)
    return tensors, shapes


def _bits(name: str, options: ConvertOptions) -> int | None:
    """Of a layer, where it has others than the quantisation."""
    if GENERATOR.fullmatch(name):
        return options.codec_bits
    return BITS_OF_READERS if options.recipe != "uniform" and READERS.fullmatch(name) else None


def _card(source: Checkpoint, quantisation: Mapping[str, Any], gate: Gate) -> str:
    advice = "" if gate.passes else "\n**It misses the gate, so it is not recommended.**\n"
    form = form_of(quantisation, "float32", source.info.quantisation)
    text = f"""A Kokoro checkpoint. Weights: {form}; all else float32.
config.json has the bits of each layer. The licence of the original applies: Apache-2.0 for the released models.

Three sentences were spoken with the source's weights and with these: how many symbols last longer or shorter, and, with
equal lengths, how far the pitch and the sound's spectrum move.
{advice}
{gate.table}"""
    return model_card(source.folder, "kokoro", text)
