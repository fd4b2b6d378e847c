"""Official tensors of codec and speaker encoder -> the parameters of this package's modules, by declared layout.

Module trees are named as the checkpoint names its tensors, so that most of the renaming is a prefix taken off.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import mlx.core as mx

from mlx_tts.errors import ModelError
from mlx_tts.models.qwen3_tts.config import CodecConfig, CodecDecoderConfig, CodecQuantisation
from mlx_tts.nn.activations import snake_amplitude, snake_frequency
from mlx_tts.nn.codebooks import codebook
from mlx_tts.nn.conv import conv_weight, transposed_conv_weight

DECODER, ENCODER, SPEAKER_ENCODER = "decoder.", "encoder.", "speaker_encoder."
TABLE = "quantizer.table"
TRANSPOSED = re.compile(r"upsample\.\d+\.0\.conv\.weight|decoder\.\d+\.block\.1\.conv\.weight")
UNUSED_PROJECTION = re.compile(r"quantizer\.rvq_(first|rest)\.input_proj\.weight")  # of use in training only
SCALES = ".scales"
CODEBOOK_SUMS = (".embedding_sum", ".embed_sum")
ACOUSTIC_LAYER = re.compile(r"quantizer\.acoustic_residual_vector_quantizer\.layers\.(\d+)\.")


@dataclass(frozen=True)
class Weights:
    """parameters: path in the module -> float32 array, lazy. sources: original name -> path, several for a joined one.

    ignored: original names that the checkpoint holds and the module has no use for.
    """

    parameters: dict[str, mx.array]
    sources: dict[str, str]
    ignored: tuple[str, ...] = ()


def plain_tensors(raw: Mapping[str, mx.array], quantisation: CodecQuantisation) -> Mapping[str, mx.array]:
    """speech_tokenizer tensors as stored -> the same with quantised layers plain: float32, lazy, in official shapes.

    The codec computes in float32 and mostly in convolutions, so its products gain nothing from staying quantised.
    """
    layers = [name.removesuffix(SCALES) for name in raw if name.endswith(SCALES)]
    if not layers:
        return raw
    packed = {f"{layer}.{part}" for layer in layers for part in ("weight", "scales", "biases")}
    plain = {name: value for name, value in raw.items() if name not in packed}
    for layer in layers:
        name = f"{layer}.weight"
        try:
            parts = raw[name], raw[f"{layer}.scales"].astype(mx.float32), raw[f"{layer}.biases"].astype(mx.float32)
            weight = mx.dequantize(*parts, quantisation.group_size, quantisation.bits)
        except (KeyError, ValueError) as error:
            raise ModelError(f"the codec's {name} does not fit its quantisation ({error}): convert it again") from None
        if weight.ndim == 3:  # of a convolution, whose channels come before its taps
            weight = weight.swapaxes(1, 2)
        elif layer.endswith(".conv"):  # of one tap, stored like a linear layer by earlier versions
            weight = weight[..., None]
        plain[name] = weight
    return plain


def shared_codebooks(raw: Mapping[str, mx.array]) -> Mapping[str, mx.array]:
    """The same codebooks as means with a usage of 1: the sums that training leaves may be too large for float16."""
    found = dict(raw)
    for name, sums in raw.items():
        usage = f"{name.rpartition('.')[0]}.cluster_usage"
        if name.endswith(CODEBOOK_SUMS) and usage in raw and raw[usage].shape == sums.shape[:1]:
            found[name] = codebook(sums.astype(mx.float32), raw[usage].astype(mx.float32))
            found[usage] = mx.ones(raw[usage].shape)
    return found


def is_unused_codebook(name: str, config: CodecConfig) -> bool:
    """Whether a tensor is of a codebook of the encoder's that comes after those that speech is made of."""
    acoustic = config.encoder_valid_num_quantizers - config.encoder_config.num_semantic_quantizers
    book = ACOUSTIC_LAYER.match(name.removeprefix(ENCODER)) if name.startswith(ENCODER) else None
    return book is not None and int(book[1]) >= acoustic


def decoder_weights(raw: Mapping[str, mx.array], config: CodecDecoderConfig) -> Weights:
    """speech_tokenizer tensors -> parameters of `CodecDecoder`. Tensors of the encoder are not touched."""
    semantic = config.num_semantic_quantizers
    first, used = _projected_codebooks(raw, "decoder.quantizer.rvq_first.", semantic, config)
    rest, more = _projected_codebooks(raw, "decoder.quantizer.rvq_rest.", config.num_quantizers - semantic, config)
    parameters = {TABLE: mx.concatenate([first, rest])}
    sources = dict.fromkeys([*used, *more], TABLE)
    ignored = []
    for name, stored in raw.items():
        if not name.startswith(DECODER) or name in sources:
            continue
        path = name.removeprefix(DECODER)
        if UNUSED_PROJECTION.fullmatch(path):
            ignored.append(name)
            continue
        tensor = stored.astype(mx.float32)
        if TRANSPOSED.fullmatch(path):
            tensor = _laid_out(tensor, transposed_conv_weight)
        elif path.endswith("conv.weight"):
            tensor = _laid_out(tensor, conv_weight)
        elif path.endswith(".alpha"):
            tensor = snake_frequency(tensor)
        elif path.endswith(".beta"):
            tensor = snake_amplitude(tensor)
        sources[name] = path
        parameters[path] = tensor
    return Weights(parameters, sources, tuple(ignored))


def _projected_codebooks(
    raw: Mapping[str, mx.array], prefix: str, count: int, config: CodecDecoderConfig
) -> tuple[mx.array, list[str]]:
    """One group's codebooks through its output projection, below each other: [count * size, codebook_dim]; names."""
    size, channels = config.codebook_size, config.codebook_dim // 2
    names = [f"{prefix}output_proj.weight"]
    projection = _tensor(raw, names[0], (config.codebook_dim, channels, 1))
    entries = []
    for i in range(count):
        book = f"{prefix}vq.layers.{i}._codebook."
        names += [f"{book}embedding_sum", f"{book}cluster_usage"]
        entries.append(codebook(_tensor(raw, names[-2], (size, channels)), _tensor(raw, names[-1], (size,))))
    return mx.concatenate(entries) @ projection[..., 0].T, names


def encoder_weights(raw: Mapping[str, mx.array], config: CodecConfig) -> Weights:
    """speech_tokenizer tensors -> parameters of `CodecEncoder`. Tensors of the decoder are not touched."""
    parameters, sources, ignored = {}, {}, []
    for name, stored in raw.items():
        if not name.startswith(ENCODER):
            continue
        path = name.removeprefix(ENCODER)
        if is_unused_codebook(name, config) or path.endswith((".initialized", "quantizer.output_proj.weight")):
            ignored.append(name)
            continue
        tensor = stored.astype(mx.float32)
        if path.endswith(".conv.weight"):
            tensor = _laid_out(tensor, conv_weight)
        elif path.endswith("input_proj.weight") and tensor.ndim == 3 and tensor.shape[-1] == 1:
            tensor = tensor[..., 0]
        sources[name] = path
        parameters[path] = tensor
    return Weights(parameters, sources, tuple(ignored))


def speaker_encoder_weights(raw: Mapping[str, mx.array], layout: str) -> Weights:
    """speaker_encoder tensors -> parameters of `SpeakerEncoder`.

    layout: "torch" for convolutions [out, in, k] (official files), "mlx" for [out, k, in] (files of `format: mlx`).
    """
    sources = {name: name.removeprefix(SPEAKER_ENCODER) for name in raw if name.startswith(SPEAKER_ENCODER)}
    parameters = {}
    for name, path in sources.items():
        tensor = raw[name].astype(mx.float32)
        parameters[path] = _laid_out(tensor, lambda w: conv_weight(w, layout)) if path.endswith(".weight") else tensor
    return Weights(parameters, sources)


def _laid_out(tensor: mx.array, lay: Callable[[mx.array], mx.array]) -> mx.array:
    """A convolution's weight in the order it is read; one of another rank stays, for the strict load to refuse."""
    return lay(tensor) if tensor.ndim == 3 else tensor


def _tensor(raw: Mapping[str, mx.array], name: str, shape: tuple[int, ...]) -> mx.array:
    """One of the tensors that are joined here, where the strict load cannot tell them apart any more."""
    if name not in raw:
        raise ModelError(f"the codec has no tensor {name}: fetch or copy the whole checkpoint again")
    if raw[name].shape != shape:
        raise ModelError(f"the codec's tensor {name} has shape {raw[name].shape}, its config says {shape}")
    return raw[name].astype(mx.float32)
