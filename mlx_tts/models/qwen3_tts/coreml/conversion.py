"""A checkpoint in, a folder of checked Core ML packages out: the body of `mlx-tts convert --format coreml`."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from mlx_tts.checkpoints.quantising import plain_layer
from mlx_tts.checkpoints.tensors import open_tensors
from mlx_tts.checkpoints.work import ConversionWork
from mlx_tts.errors import MlxTtsError, ModelError, RequestError
from mlx_tts.export.coreml.graph import Form
from mlx_tts.export.coreml.packages import MANIFEST, coremltools
from mlx_tts.export.coreml.reader import stored_weights
from mlx_tts.files.writing import atomic_folder
from mlx_tts.models.convert_options import ConvertOptions
from mlx_tts.models.qwen3_tts.checkpoint import Checkpoint
from mlx_tts.models.qwen3_tts.codec.weights import DECODER, TABLE, decoder_weights, plain_tensors
from mlx_tts.models.qwen3_tts.conversion import copy_small_files
from mlx_tts.models.qwen3_tts.coreml.costs import PACKAGES, Costs, costs_of
from mlx_tts.models.qwen3_tts.coreml.manifest import CODEC_TABLE, FORMAT, Manifest, package_bytes
from mlx_tts.models.qwen3_tts.coreml.model_graphs import (
    FRAME_COLUMNS,
    StackPart,
    code_decoder_parts,
    head_groups,
    save_decoder_part,
    save_embedder,
    save_speech_decoder,
    save_text_projector,
    sizes_of,
)
from mlx_tts.models.qwen3_tts.weights import stored_talker
from mlx_tts.nn.activations import snake_amplitude, snake_frequency
from mlx_tts.nn.linear import kept_random_state

BLOCK_ROWS = 8192
Weights = Callable[[str], NDArray[Any]]
PREDICTOR = "code_predictor."
ROOM_FACTOR = 2.5  # free disk to begin with: packages in the folder for temporary files, then in their place
Log = Callable[[str], None]


@kept_random_state()
def talker_weights(checkpoint: Checkpoint) -> Weights:
    """Names below `talker.` -> arrays. Opened again for each package: what was read is freed with it."""
    talker, _ = stored_talker(checkpoint)
    modules = dict(talker.named_modules())

    def read(name: str) -> NDArray[Any]:
        path, _, part = name.rpartition(".")
        return np.array(plain_layer(modules[path])[part].astype(mx.float32))

    return read


@kept_random_state()
def text_table(checkpoint: Checkpoint, dtype: Any) -> NDArray[Any]:
    """The talker's text embeddings [ids, width], made a block at a time: those of a released model are 0.6 GB."""
    table: Any = stored_talker(checkpoint)[0].model.text_embedding
    rows = table.weight.shape[0]
    blocks = (table(mx.arange(at, min(at + BLOCK_ROWS, rows))) for at in range(0, rows, BLOCK_ROWS))
    made: NDArray[Any] | None = None
    for number, block in enumerate(blocks):
        part = np.array(block.astype(mx.float32)).astype(dtype)
        made = np.empty((rows, part.shape[1]), dtype) if made is None else made
        made[number * BLOCK_ROWS : number * BLOCK_ROWS + len(part)] = part
    assert made is not None
    return made


def codec_weights(checkpoint: Checkpoint) -> Weights:
    """Names below the codec's `decoder.` -> arrays; `quantizer.table` is all codebooks, projected, below each other."""
    file = open_tensors(checkpoint.folder / "speech_tokenizer")
    tensors = plain_tensors(file.tensors, checkpoint.codec.quantization)

    def read(name: str) -> NDArray[Any]:
        if name == TABLE:
            return np.array(decoder_weights(tensors, checkpoint.codec.decoder_config).parameters[TABLE])
        stored = tensors.get(DECODER + name)
        if stored is None:
            raise ModelError(f"{file.path} has no tensor {DECODER}{name}: fetch or copy the whole checkpoint again")
        value = stored.astype(mx.float32)
        if name.endswith(".alpha"):
            value = snake_frequency(value)
        elif name.endswith(".beta"):
            value = snake_amplitude(value)
        return np.array(value)

    return read


def convert(
    source: Checkpoint, destination: Path, options: ConvertOptions, log: Log, half: bool = True
) -> list[list[str]]:
    """Write the packages to `destination`, which appears only when it is whole and its check has passed; the rows of
    the check's table. half: float16; float32 is for proofs only. With 8 bits the weights of the talker's and the
    predictor's layers are stored as palettes."""
    from mlx_tts.models.qwen3_tts.coreml.check import check_packages

    if (source.folder / MANIFEST).is_file():
        raise RequestError(
            f"{source.folder} holds Core ML packages already: convert the checkpoint they were made from"
        )
    work = ConversionWork.of(log)
    work("loading coremltools")
    coremltools()
    form = Form(half, options.norm, options.bits or 16)
    costs = costs_of(source, code_decoder_parts(source.model.talker_config, options.context), form.bits)
    costs.plan(work)
    with atomic_folder(destination) as folder:
        _must_have_room(source, folder)
        write_packages(source, folder, form, options.context, costs, work)
        return check_packages(source, folder, costs, work)


def write_packages(
    source: Checkpoint, folder: Path, form: Form, context: int, costs: Costs, work: ConversionWork
) -> None:
    """The six packages (the code decoder may be several), tables, small files and coreml.json. context: positions of
    prompt and speech that the cache holds."""
    talker = source.model.talker_config
    parts = code_decoder_parts(talker, context)

    def writing(*names: str) -> AbstractContextManager[None]:
        work(f"writing {', '.join(names)}")
        return work.doing(PACKAGES, sum(map(costs.of_package, names)))

    with writing("TextProjector", "CodeEmbedder", "MultiCodeEmbedder"):
        _embedders(source, folder, form)
    for part in parts:
        outputs = {"logits": ["codec_head.weight"]} if part.last else {}
        path = folder / f"{part.name}.mlpackage"
        with writing(part.name):
            save_decoder_part(path, form, part, talker_weights(source), talker.hidden_size, outputs)
    with writing("MultiCodeDecoder"):
        heads = _code_predictor(source, folder, form)
    with writing("SpeechDecoder"):
        weights = codec_weights(source)
        sound = replace(form, bits=16)  # with 8 the noise would be heard: 31 dB below the sound
        save_speech_decoder(folder / "SpeechDecoder.mlpackage", sound, source.codec.decoder_config, weights)
    np.save(folder / CODEC_TABLE, weights(TABLE).astype(np.float32))
    copy_small_files(source, folder, {name: value for name, value in source.raw.items() if name not in DROPPED})
    packages = {path.name: package_bytes(path) for path in sorted(folder.glob("*.mlpackage"))}
    Manifest(
        FORMAT,
        source.folder.resolve().name,
        _revision(source.folder),
        form.half,
        form.norm,
        form.bits,
        context,
        len(parts),
        heads,
        packages,
        _tables(folder),
    ).write(folder)


# Of the weights, which stay behind, and the heads that tell the times of words, which a graph does not show.
DROPPED = ("quantization", "quantization_config", "alignment")


def _embedders(source: Checkpoint, folder: Path, form: Form) -> None:
    weights = talker_weights(source)
    save_text_projector(folder / "TextProjector.mlpackage", form, weights, text_table(source, form.dtype))
    save_embedder(folder / "CodeEmbedder.mlpackage", form, weights("model.codec_embedding.weight"))
    count = source.model.talker_config.num_code_groups - 1
    tables = [weights(f"{PREDICTOR}model.codec_embedding.{at}.weight") for at in range(count)]
    save_embedder(folder / "MultiCodeEmbedder.mlpackage", form, np.concatenate(tables))


def _code_predictor(source: Checkpoint, folder: Path, form: Form) -> dict[str, int]:
    """Write the code predictor; which heads are in each of its outputs."""
    config = source.model.talker_config
    own, read = config.code_predictor_config, talker_weights(source)
    groups = head_groups(own.num_code_groups - 1, own.vocab_size)
    heads = {f"logits_{at}": [f"lm_head.{head}.weight" for head in group] for at, group in enumerate(groups)}
    projection = "small_to_mtp_projection" if own.hidden_size != config.hidden_size else None
    path = folder / "MultiCodeDecoder.mlpackage"
    part = StackPart("MultiCodeDecoder", 0, sizes_of(own), FRAME_COLUMNS, True)
    save_decoder_part(path, form, part, lambda name: read(PREDICTOR + name), config.hidden_size, heads, projection)
    return {"in_each": len(groups[0]), "vocabulary": own.vocab_size}


def _tables(folder: Path) -> dict[str, Any]:
    names = ("text", "fc1_weight", "fc1_bias", "fc2_weight", "fc2_bias")
    tables = dict(zip(names, stored_weights(folder / "TextProjector.mlpackage"), strict=True))
    for name, package in (("code", "CodeEmbedder"), ("rest", "MultiCodeEmbedder")):
        (tables[name],) = stored_weights(folder / f"{package}.mlpackage")
    return tables


def _revision(folder: Path) -> str:
    """The commit, where the checkpoint lies in the download cache."""
    resolved = folder.resolve()
    return resolved.name if resolved.parent.name == "snapshots" else ""


def _must_have_room(source: Checkpoint, folder: Path) -> None:
    stored = sum(path.stat().st_size for path in source.folder.glob("**/*.safetensors"))
    wanted, free = int(ROOM_FACTOR * stored), shutil.disk_usage(folder).free
    if free < wanted:
        raise MlxTtsError(
            f"{folder.parent} has {free / 1e9:.1f} GB free and this conversion wants {wanted / 1e9:.1f} GB: "
            f"free some space or choose another folder"
        )
