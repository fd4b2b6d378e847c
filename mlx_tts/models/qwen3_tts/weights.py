"""Checkpoint folder in, loaded modules out: names stay the reference's, dtypes become what the device does well."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import mlx.core as mx
from mlx import nn
from mlx.utils import tree_unflatten

from mlx_tts.checkpoints import quantising
from mlx_tts.checkpoints.quantising import quantise_layers
from mlx_tts.checkpoints.stored_rows import StoredEmbedding
from mlx_tts.checkpoints.tensors import (
    TensorFile,
    check_finite,
    load_strictly,
    open_tensors,
    parameters_of,
    sums_of,
)
from mlx_tts.errors import ModelError
from mlx_tts.models.qwen3_tts.checkpoint import Checkpoint
from mlx_tts.models.qwen3_tts.codec.decoder import CodecDecoder
from mlx_tts.models.qwen3_tts.codec.encoder import CodecEncoder
from mlx_tts.models.qwen3_tts.codec.weights import (
    DECODER,
    ENCODER,
    SPEAKER_ENCODER,
    Weights,
    decoder_weights,
    encoder_weights,
    plain_tensors,
    speaker_encoder_weights,
)
from mlx_tts.models.qwen3_tts.config import CodecConfig, ModelConfig
from mlx_tts.models.qwen3_tts.speaker_encoder import SpeakerEncoder
from mlx_tts.models.qwen3_tts.talker import Talker
from mlx_tts.nn.linear import cast_network, choose_dtype, kept_random_state, to_cpu_layout
from mlx_tts.runtime.blas import fit_threads
from mlx_tts.runtime.device import policy

TALKER = "talker."
TEXT_TABLE = "talker.model.text_embedding"


def open_model(folder: Path, config: ModelConfig) -> TensorFile:
    """The tensors of model.safetensors, with none that belongs to no part of the model."""
    file = open_tensors(folder)
    known = (TALKER, SPEAKER_ENCODER) if config.tts_model_type == "base" else (TALKER,)
    unexpected = [name for name in file.tensors if not name.startswith(known)]
    if unexpected:
        raise ModelError(f"{file.path} has unexpected tensors ({unexpected[0]}): it is of another model")
    return file


def source_layout(file: TensorFile) -> str:
    """ "mlx" or "torch", as the file declares; convolutions differ and square ones cannot be told apart by shape."""
    return "mlx" if file.metadata.get("format") == "mlx" else "torch"


@kept_random_state()
def load_talker(checkpoint: Checkpoint, dtype: str | None, log: Callable[[str], None]) -> Talker:
    """Build, quantise, load strictly, fit for the device. The text table stays in the file."""
    talker, file = stored_talker(checkpoint)
    talker.model.text_embedding = StoredEmbedding(talker.model["text_embedding"], TEXT_TABLE, file)
    del file  # each tensor is freed when its layer is made
    wanted = choose_dtype(talker.dtype, dtype)
    if policy().few_launches:
        _expand_tables(talker, wanted)
    cast_network(talker, wanted, log)
    talker.fuse_projections()
    to_cpu_layout(talker)
    for layer in [*talker.model.layers, *talker.code_predictor.model.layers]:
        mx.eval(layer.parameters())  # one after the other: what a layer is made from is freed before the next is read
    parameters = list(parameters_of(talker).values())
    sums = sums_of(talker)
    mx.eval(parameters, sums)
    check_finite(sums, checkpoint.folder, TALKER)
    talker.prepare_rows()
    fit_threads(sum(value.nbytes for value in parameters))
    return talker


def stored_talker(checkpoint: Checkpoint) -> tuple[Talker, TensorFile]:
    """The talker as it is stored, lazy, and its file. It alone holds the tensors if the file is let go, so that each is
    freed when its layer is made."""
    file = open_model(checkpoint.folder, checkpoint.model)
    talker = Talker(checkpoint.model.talker_config)
    tensors = {name: value for name, value in file.tensors.items() if name.startswith(TALKER)}
    quantise_layers(talker, TALKER, tensors, checkpoint.raw.get("quantization"))
    parameters = {name.removeprefix(TALKER): value for name, value in tensors.items()}
    load_strictly(talker, parameters, file.path, TALKER)
    return talker, file


def _expand_tables(talker: Talker, dtype: mx.Dtype) -> None:
    """Make quantised tables of codes plain: the kernels that sample read their rows."""
    replaced = []
    for path, layer in talker.named_modules():
        if isinstance(layer, nn.QuantizedEmbedding):
            plain = nn.Embedding(1, 1)
            plain.weight = layer(mx.arange(layer.weight.shape[0])).astype(dtype)
            replaced.append((path, plain))
    talker.update_modules(tree_unflatten(replaced))


@kept_random_state()
def load_codec_decoder(folder: Path, config: CodecConfig) -> CodecDecoder:
    """The half of the codec that speaks, float32; the encoder's tensors are not read."""
    file = open_tensors(folder / "speech_tokenizer")
    unexpected = [name for name in file.tensors if not name.startswith((DECODER, ENCODER))]
    if unexpected:
        raise ModelError(f"{file.path} has unexpected tensors ({unexpected[0]}): it is of another model")
    decoder, path = CodecDecoder(config.decoder_config), file.path
    weights = decoder_weights(plain_tensors(file.tensors, config.quantization), config.decoder_config)
    del file  # nothing but the lazy parameters holds what is read then
    _load(decoder, DECODER, weights, path)
    return decoder


def check_codec(decoder: CodecDecoder, folder: Path) -> None:
    """ModelError for weights that are not numbers. Waits for the decoder's weights, which are loaded by the way."""
    check_finite(sums_of(decoder), folder / "speech_tokenizer", DECODER)


@kept_random_state()
def load_codec_encoder(folder: Path, config: CodecConfig) -> CodecEncoder:
    """The half of the codec that listens, float32; only cloning needs it, so a checkpoint may come without."""
    file = open_tensors(folder / "speech_tokenizer")
    if not any(name.startswith(ENCODER) for name in file.tensors):
        raise ModelError(f"{file.path} came without the codec's encoder: fetch a checkpoint that can encode audio")
    encoder = CodecEncoder(config)
    _load(encoder, ENCODER, encoder_weights(plain_tensors(file.tensors, config.quantization), config), file.path)
    return encoder


@kept_random_state()
def load_speaker_encoder(checkpoint: Checkpoint) -> SpeakerEncoder:
    """The speaker encoder of a Base model, float32."""
    file = open_model(checkpoint.folder, checkpoint.model)
    encoder = SpeakerEncoder(checkpoint.model.speaker_encoder_config)
    weights = speaker_encoder_weights(plain_speaker_encoder(checkpoint, file), source_layout(file))
    _load(encoder, SPEAKER_ENCODER, weights, file.path)
    return encoder


def plain_speaker_encoder(checkpoint: Checkpoint, file: TensorFile) -> dict[str, mx.array]:
    """The speaker encoder's tensors by their names in the file, lazy; quantised ones are made plain, since it computes
    in float32 and for a moment only."""
    own = {name: value for name, value in file.tensors.items() if name.startswith(SPEAKER_ENCODER)}
    return quantising.plain_tensors(own, checkpoint.raw.get("quantization"))


def _load(module: nn.Module, prefix: str, weights: Weights, where: Path) -> None:
    names = {path: name for name, path in weights.sources.items()}
    load_strictly(module, weights.parameters, where, prefix, names)
    weights.parameters.clear()
    to_cpu_layout(module)
    for value in parameters_of(module).values():
        mx.async_eval(value)  # one after the other, so that what was read is freed as it is used up; nobody waits
