"""Checkpoint in, converted checkpoint out: the body of `mlx-tts convert`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx import nn
from mlx.utils import tree_flatten

from mlx_tts.checkpoints.quantising import (
    DEFAULT_GROUP,
    DTYPES,
    METADATA,
    PARTS_OF_LAYER,
    Formed,
    check_form,
    form_of,
    make_plain,
    plan,
    stored_bytes,
)
from mlx_tts.checkpoints.recipe import Recipe
from mlx_tts.checkpoints.tensors import open_tensors
from mlx_tts.checkpoints.weight_writer import write_tensors
from mlx_tts.checkpoints.work import ConversionWork
from mlx_tts.errors import ModelError
from mlx_tts.files.reading import UnreadableFileError, read_bytes
from mlx_tts.files.writing import atomic_folder, check_room
from mlx_tts.models.convert_options import AUTO, ConvertOptions, model_card
from mlx_tts.models.qwen3_tts import recipe as measurable
from mlx_tts.models.qwen3_tts.checkpoint import Checkpoint
from mlx_tts.models.qwen3_tts.codec.weights import ENCODER, is_unused_codebook, plain_tensors, shared_codebooks
from mlx_tts.models.qwen3_tts.talker import Talker
from mlx_tts.models.qwen3_tts.tokenizer import build_tokenizer
from mlx_tts.models.qwen3_tts.tuning import Tuning, tuned_predictor
from mlx_tts.models.qwen3_tts.weights import TALKER, open_model, plain_speaker_encoder, source_layout, stored_talker
from mlx_tts.models.recipes.measuring import measured_recipe

# mlx-audio, which must load the result, never quantises these tables
CODE_TABLES, TEXT_TABLE = "codec_embedding", "text_embedding"
CODEC_GROUP = 64
ENCODER_FORM = {"group_size": CODEC_GROUP, "mode": "affine"}  # of the speaker encoder, where a recipe quantises it
PREDICTOR_LAYERS = "talker.code_predictor."
TABLE_BITS, CODEC_BITS, CODEC_DTYPE = 8, 8, "float16"  # what a recipe comes with
QUANTISED_BY = ("quantization", "quantization_config")  # programs look for either
COPIED = (
    "generation_config.json",
    "tokenizer_config.json",
    "vocab.json",
    "merges.txt",
    "preprocessor_config.json",
    "special_tokens_map.json",
)
MOST_SMALL_BYTES = 32_000_000
CODEC_COPIED = ("config.json", "preprocessor_config.json", "configuration.json")


class _Root(nn.Module):
    """Gives the talker's layers the paths that they have in a checkpoint."""

    def __init__(self, talker: Talker):
        super().__init__()
        self.talker = talker


def convert(source: Checkpoint, destination: Path, options: ConvertOptions, log: Callable[[str], None]) -> str | None:
    """Write a checkpoint to `destination` that this package and mlx-audio load; it appears only when it is whole.

    With `bits` the talker and the code predictor are quantised. Their tables and the codec are with a measured recipe,
    or where the options say so; mlx-audio cannot read these. The codec stays in the official layout. Returns what
    mlx-audio cannot read, and what a measured recipe came to, for people.
    """
    work = ConversionWork.of(log)
    options = _with_recipe(source, options)
    forms = _Forms(options)  # refuses what cannot be
    dtype, codec_dtype = DTYPES[options.dtype], DTYPES[options.codec_type]
    recipe, formed, codec = None, _formed_model(source, forms, dtype), _formed_codec(source, options)
    plan(formed, dtype, work)
    plan(codec, codec_dtype, work)
    check_room(destination, stored_bytes(formed, dtype) + stored_bytes(codec, codec_dtype))
    if options.is_measured:  # before the folder is begun: an interrupted measurement leaves nothing
        recipe = measured_recipe(measurable, source, options, forms.group_size, stored_bytes(formed, dtype), work)
        forms = _Forms(options, recipe)
        formed = _formed_model(source, forms, dtype)
        check_room(destination, stored_bytes(formed, dtype) + stored_bytes(codec, codec_dtype))
    tuning = _tuned(source, formed, forms.group_size, dtype, work) if options.tune else None
    with atomic_folder(destination) as folder:
        work(f"reading {source.folder} ({source.info.kind}, {len(formed)} tensors)")
        config = _config(source, formed, forms)
        _put_in(formed, tuning)
        (folder / "speech_tokenizer").mkdir()
        write_tensors(folder / "model.safetensors", formed, dtype, {"format": "mlx", **METADATA}, work)
        write_tensors(folder / "speech_tokenizer" / "model.safetensors", codec, codec_dtype, {"format": "pt"}, work)
        _write_small_files(source, folder, config, options, recipe, tuning)
    told = [found.line for found in (recipe, tuning) if found is not None]
    return "\n".join([*told, *_unreadable(options)]) or None


def _tuned(source: Checkpoint, formed: Formed, group_size: int, dtype: mx.Dtype, work: ConversionWork) -> Tuning:
    bits = {
        name.removeprefix(PREDICTOR_LAYERS).removesuffix(".weight"): form["bits"]
        for name, (_, form) in formed.items()
        if form is not None and name.startswith(PREDICTOR_LAYERS) and CODE_TABLES not in name
    }
    return tuned_predictor(source, bits, group_size, dtype, work)


def _put_in(formed: Formed, tuning: Tuning | None) -> None:
    """Tuned layers in the place of those that would be fitted; their codes are the same."""
    for path, parts in (tuning.layers if tuning is not None else {}).items():
        del formed[f"{PREDICTOR_LAYERS}{path}.weight"]
        formed |= {
            f"{PREDICTOR_LAYERS}{path}.{part}": (value, None) for part, value in zip(PARTS_OF_LAYER, parts, strict=True)
        }


def _with_recipe(source: Checkpoint, options: ConvertOptions) -> ConvertOptions:
    """With a measured recipe all of the folder gets small, not the layers alone, unless mlx-audio must read it. Only a
    model that clones hears with the codec's encoder."""
    if not options.is_measured or options.for_mlx_audio:
        return options
    return replace(
        options,
        text_embedding_bits=options.text_embedding_bits or AUTO,
        table_bits=options.table_bits or TABLE_BITS,
        codec_bits=options.codec_bits or CODEC_BITS,
        codec_dtype=options.codec_dtype or CODEC_DTYPE,
        drop_encoder=options.drop_encoder or not source.info.can.clones,
    )


def _write_small_files(
    source: Checkpoint,
    folder: Path,
    config: dict[str, Any],
    options: ConvertOptions,
    recipe: Recipe | None,
    tuning: Tuning | None,
) -> None:
    copy_small_files(source, folder, config)
    path = folder / "speech_tokenizer" / "config.json"
    codec = json.loads(path.read_text(encoding="utf-8"))
    codec.pop("quantization", None)
    codec |= {"encodes": False} if options.drop_encoder else {}
    if options.codec_bits is not None:
        codec["quantization"] = {"bits": options.codec_bits, "group_size": CODEC_GROUP}
    path.write_text(json.dumps(codec, indent=1) + "\n", encoding="utf-8")
    card = _model_card(source, config, options, recipe, tuning)
    (folder / "README.md").write_text(card, encoding="utf-8")


def copy_small_files(source: Checkpoint, folder: Path, config: dict[str, Any]) -> None:
    """Write a config and the small files that a checkpoint needs next to its weights."""
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")
    (folder / "speech_tokenizer").mkdir(exist_ok=True)
    for name in (*COPIED, *(f"speech_tokenizer/{name}" for name in CODEC_COPIED)):
        if (source.folder / name).exists():
            (folder / name).write_bytes(_own_file(source.folder, name))
    build_tokenizer(source.folder).save(str(folder / "tokenizer.json"), pretty=False)  # half as many bytes


def _own_file(folder: Path, name: str) -> bytes:
    """A small file of the checkpoint. What a link leads to must be in its folder, or in the same model's part of the
    download cache: any other file of the user's would be copied to where it may be given away."""
    path = folder / name
    target, root = path.resolve(), folder.resolve()
    cached = root.parent.name == "snapshots" and target.is_relative_to(root.parents[1] / "blobs")
    if not (target.is_relative_to(root) or cached):
        raise ModelError(f"{path} is a link that leads out of the checkpoint's folder: copy the file itself there")
    try:
        return read_bytes(path, MOST_SMALL_BYTES)
    except UnreadableFileError as error:
        raise ModelError(f"{path} {error}: fetch or copy it again") from None


def _formed_model(source: Checkpoint, forms: _Forms, dtype: mx.Dtype) -> Formed:
    """Talker and speaker encoder, lazy, with the forms in which they will be stored."""
    talker: Formed = {name: (value.astype(dtype), form) for name, value, form in _plain_parameters(source, forms)}
    return talker | _formed_speaker_encoder(source, forms.encoder, dtype)


def _config(source: Checkpoint, formed: Formed, forms: _Forms) -> dict[str, Any]:
    """The source's config, and what says how each layer is stored."""
    config = {name: value for name, value in source.raw.items() if name not in QUANTISED_BY}
    of_layers = {name.removesuffix(".weight"): form for name, (_, form) in formed.items() if form is not None}
    if of_layers:
        own = {name: form for name, form in of_layers.items() if form != forms.usual}
        config |= {name: {**forms.usual, **own} for name in QUANTISED_BY}
    return config


def _plain_parameters(source: Checkpoint, forms: _Forms) -> Iterator[tuple[str, mx.array, dict[str, Any] | None]]:
    """The talker's parameters by their stored names, lazy and made plain, each with its form; None: it stays plain."""
    root = _Root(stored_talker(source)[0])
    make_plain(root)
    layers = {path: layer for path, layer in root.named_modules() if hasattr(layer, "to_quantized")}
    parameters: list[tuple[str, mx.array]] = tree_flatten(root.parameters())  # type: ignore[assignment]
    for name, value in parameters:
        path, _, parameter = name.rpartition(".")
        form = forms.of(path) if path in layers and parameter == "weight" else None
        yield name, value, None if form is None or value.shape[-1] % form["group_size"] else form


class _Forms:
    """What the options and a measured recipe say of each layer. RequestError where MLX does not have bits, group size
    and mode together."""

    def __init__(self, options: ConvertOptions, recipe: Recipe | None = None) -> None:
        text = options.bits if options.measures_text else options.text_embedding_bits
        codes = options.table_bits
        if codes is not None and recipe is None and options.is_measured:
            codes = options.bits  # as all parts whose bits are not chosen yet: see `measured_recipe`
        self._tables: dict[str, Any] = {TEXT_TABLE: text, CODE_TABLES: codes}
        self._layers = options.bits
        self._own = {} if recipe is None else {f"{TALKER}{path}": bits for path, bits in recipe.layer_bits.items()}
        self.group_size = options.group_size or DEFAULT_GROUP[options.mode]
        self._table_group = measurable.table_group(options) or self.group_size
        given = [bits for bits in (options.bits, *self._tables.values()) if bits is not None]
        needed = [*given, *self._own.values()]
        self._of_bits = {bits: {"group_size": self.group_size, "bits": bits, "mode": options.mode} for bits in needed}
        for form in self._of_bits.values():
            check_form(form)
        self.usual: dict[str, Any] = self._of_bits[given[0]] if given else {}
        is_small = options.is_measured and options.codec_bits is not None  # as the codec's own encoder
        self.encoder = {**ENCODER_FORM, "bits": options.codec_bits} if is_small else None

    def of(self, path: str) -> dict[str, Any] | None:
        """None: the layer stays plain."""
        usual = next((bits for table, bits in self._tables.items() if table in path), self._layers)
        bits = self._own.get(path, usual)
        if bits is None:
            return None
        is_table = any(table in path for table in self._tables)
        return {**self._of_bits[bits], "group_size": self._table_group} if is_table else self._of_bits[bits]


def _formed_speaker_encoder(source: Checkpoint, form: dict[str, Any] | None, dtype: mx.Dtype) -> Formed:
    """The speaker encoder in MLX's layout, convolutions [out, k, in], as its `format` declares. form: of those with
    whole groups of channels."""
    file = open_model(source.folder, source.model)
    formed: Formed = {}
    for name, value in plain_speaker_encoder(source, file).items():
        if value.ndim == 3 and source_layout(file) == "torch":
            value = value.transpose(0, 2, 1)
        fits = form is not None and value.ndim == 3 and value.shape[-1] % form["group_size"] == 0
        formed[name] = mx.contiguous(value.astype(dtype)), form if fits else None
    return formed


def _formed_codec(source: Checkpoint, options: ConvertOptions) -> Formed:
    """The codec by its official names; the encoder's half can stay behind, linear layers can be quantised. Layers that
    have the wanted bits already are copied: quantised again, they would lose once more."""
    tensors: Mapping[str, mx.array] = open_tensors(source.folder / "speech_tokenizer").tensors
    stored, dtype, formed = source.codec.quantization, DTYPES[options.codec_type], Formed()
    is_done = (stored.bits, stored.group_size) == (options.codec_bits, CODEC_GROUP)
    if not is_done:
        tensors = plain_tensors(tensors, stored)
    if dtype == mx.float16:
        tensors = shared_codebooks(tensors)
    for name, value in tensors.items():
        if options.drop_encoder and name.startswith(ENCODER):
            continue
        if options.codec_bits is not None and is_unused_codebook(name, source.codec):
            continue
        if value.dtype == mx.uint32:
            formed[name] = value, None
        elif options.codec_bits is not None and not is_done and _is_product(name, value):
            rows = value.transpose(0, 2, 1) if value.ndim == 3 else value  # a convolution's taps go before its channels
            formed[name] = rows, {"group_size": CODEC_GROUP, "bits": options.codec_bits, "mode": "affine"}
        else:
            formed[name] = value.astype(dtype), None
    return formed


def _is_product(name: str, value: mx.array) -> bool:
    """Whether it is a linear layer's weight or a convolution's, in whole groups of channels. What leads to the
    codebooks keeps its precision."""
    fits = value.ndim in (2, 3) and value.shape[1] % CODEC_GROUP == 0
    return fits and name.endswith(".weight") and "quantizer." not in name


def _unreadable(options: ConvertOptions) -> list[str]:
    """The line about what mlx-audio cannot read of it, if there is something."""
    given = options.unread_by_mlx_audio
    if not given:
        return []
    if options.is_measured:
        return ["mlx-audio cannot read this folder: for it, convert again with --for-mlx-audio"]
    return [f"mlx-audio cannot read this folder: for it, leave {', '.join(given)} out"]


def _sentence(tuning: Tuning | None) -> list[str]:
    """For the card."""
    return [] if tuning is None else [f"{tuning.line[0].upper()}{tuning.line[1:]}."]


def _model_card(
    source: Checkpoint, config: dict, options: ConvertOptions, recipe: Recipe | None, tuning: Tuning | None
) -> str:
    quantization = config.get("quantization")
    form = form_of(quantization or None, options.dtype, source.info.quantisation)
    if recipe is not None:
        form += ", some layers in more bits (the table below)"
    codec = f"the codec is the original's in {options.codec_type}"
    if options.codec_bits is not None:
        codec += f", its linear layers and convolutions in {options.codec_bits} bits, groups of {CODEC_GROUP}"
    if options.drop_encoder:
        codec += ", without its encoder, which only cloning needs"
    if options.is_measured and options.codec_bits is not None and source.info.can.clones:
        codec += f"; the speaker encoder has {options.codec_bits} bits"
    text = f"""A Qwen3-TTS checkpoint of kind `{source.info.kind}`. Talker and code predictor: {form}; {codec}.
The licence of the original applies."""
    for more in [*_unreadable(options), *_sentence(tuning)]:
        text += f"\n\n{more}"
    return model_card(source.folder, "qwen3_tts", text, recipe=recipe)
