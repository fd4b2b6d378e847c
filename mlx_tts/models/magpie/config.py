"""The configs of model and codec as frozen dataclasses; field names are the files' own. ModelError for what is refused.

Defaults stand where NeMo 3.0.0 has them and released files leave the entry out. `GenerationSettings` is how one
utterance is generated: what the checkpoint says, changed by the options of the request.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from mlx_tts.checkpoints.config_fields import LARGEST_SIZE, Limits, read_fields
from mlx_tts.errors import ModelError
from mlx_tts.shortened import shown

if TYPE_CHECKING:
    from mlx_tts.generation.sampling import SamplerSettings

MODEL_TYPE = "magpie_tts"
DECODERS = ("decoder_ce", "decoder_context_tts")
LOCAL_TYPES = ("none", "autoregressive", "maskgit")
EOS_METHODS = tuple(
    f"argmax{or_sampled}_{where}" for or_sampled in ("", "_or_multinomial") for where in ("any", "all", "zero_cb")
)
# Settings that change what tensors mean, in ways that no released checkpoint has.
REFUSED = ("use_moe", "use_bpe_char_tokenizer", "legacy_text_conditioning", "vector_quantizer")
Count = Annotated[int, Limits(0, LARGEST_SIZE)]  # of what may be missing
LayerNumbers = Annotated[tuple, Limits(0, 499)]
RENAMED = {"prior_epsilon": "attention_prior_epsilon", "lookahead_window_size": "attention_prior_lookahead_window"}
CACHED, RECOMPUTED = "cached", "recomputed"


@dataclass(frozen=True)
class StackConfig:
    """One transformer; as `nn.attention.TransformerSizes` too."""

    n_layers: int
    d_model: int
    d_ffn: int
    sa_n_heads: int
    kernel_size: int
    is_causal: bool
    max_length_causal_mask: int
    has_xattn: bool = False
    xa_n_heads: Count = 1
    xa_d_head: Count = 0
    xa_d_memory: Count = 0
    rms_norm_eps: float = 1e-5
    rope_theta: float = 0.0

    @property
    def hidden_size(self) -> int:
        return self.d_model

    @property
    def intermediate_size(self) -> int:
        return self.d_ffn

    @property
    def num_hidden_layers(self) -> int:
        return self.n_layers

    @property
    def num_attention_heads(self) -> int:
        return self.sa_n_heads

    @property
    def num_key_value_heads(self) -> int:
        return self.sa_n_heads

    @property
    def head_dim(self) -> int:
        return self.d_model // self.sa_n_heads


@dataclass(frozen=True)
class InferenceConfig:
    """`inference_parameters`. Layers: empty is all of them."""

    max_decoder_steps: int = 500
    temperature: float = 0.7
    topk: Count = 80
    cfg_scale: float = 2.5
    apply_attention_prior: bool = True
    attention_prior_epsilon: float = 0.1
    attention_prior_lookahead_window: Count = 5
    estimate_alignment_from_layers: LayerNumbers = ()
    apply_prior_to_layers: LayerNumbers = ()
    min_generated_frames: Count = 4
    ignore_finished_sentence_tracking: bool = True
    eos_detection_method: str = "argmax_or_multinomial_any"


@dataclass(frozen=True)
class MagpieConfig:
    decoder_model_type: str
    embedding_dim: int
    encoder: StackConfig
    decoder: StackConfig
    text_tokenizers: dict
    local: StackConfig | None
    local_type: str
    inference: InferenceConfig
    context_encoder: StackConfig | None = None
    frame_stacking_factor: int = 1
    context_duration_min: float = 5.0
    context_duration_max: float = 5.0
    languages: dict = field(default_factory=dict)
    nemo_version: str = ""

    @property
    def most_context_frames(self) -> int:
        """Of a voice sample: half of the decoder's positions are left to the speech."""
        return (self.decoder.max_length_causal_mask // 2 - 2) * self.frame_stacking_factor


@dataclass(frozen=True)
class CodecConfig:
    """The audio codec. K: numbers that a code may have."""

    sample_rate: int
    samples_per_frame: int
    num_groups: int
    num_levels_per_group: tuple
    up_sample_rates: tuple
    base_channels: int
    down_sample_rates: tuple
    encoder_channels: int
    in_kernel_size: int = 7
    out_kernel_size: int = 3
    resblock_kernel_sizes: tuple = (3, 7, 11)
    resblock_dilation_sizes: tuple = (1, 3, 5)

    @property
    def codebook_size(self) -> int:
        return prod(self.num_levels_per_group)

    @property
    def frame_rate(self) -> float:
        return self.sample_rate / self.samples_per_frame


def model_config(raw: dict[str, Any], where: Path, codec: CodecConfig) -> MagpieConfig:
    """config.json of a folder: NeMo's YAML, with its `model_type` under `decoder_model_type`."""
    if raw.get("decoder_model_type") not in DECODERS:
        raise ModelError(f"{where} is of a {shown(raw.get('decoder_model_type'))} model; this program reads {DECODERS}")
    for name in REFUSED:
        if raw.get(name):
            raise ModelError(f"{where} sets {name}, which this program does not read: use a released checkpoint")
    own = {name: value for name, value in raw.items() if value is not None}
    stacks = {name: _stack(own.get(name), f"{where} {name}") for name in ("encoder", "decoder")}
    context = own.get("context_encoder")
    inference = _inference(own.get("inference_parameters") or {}, where)
    own |= {
        **stacks,
        "context_encoder": context and _stack(context, f"{where} context_encoder"),
        "languages": own.get("language_to_tokenizer_mapping") or {},
        "nemo_version": str(own.get("nemo_version", "")),
    }
    local_type, local = _local(own, codec.num_groups, where)
    own |= {"local_type": local_type, "local": local, "inference": inference}
    config = MagpieConfig(**{name: own[name] for name in MagpieConfig.__dataclass_fields__ if name in own})
    _check(config, raw, codec, where)
    return config


def _stack(entries: Any, where: str) -> StackConfig:
    if isinstance(entries, dict):
        entries = {name: value for name, value in entries.items() if value is not None}
    return read_fields(StackConfig, entries, where)


def _inference(entries: dict[str, Any], where: Path) -> InferenceConfig:
    entries = {RENAMED.get(name, name): value for name, value in entries.items() if value is not None}
    config = read_fields(InferenceConfig, entries, f"{where} inference_parameters")
    if config.eos_detection_method not in EOS_METHODS:
        raise ModelError(f"{where} ends by {shown(config.eos_detection_method)}; known are {', '.join(EOS_METHODS)}")
    return config


def _local(own: dict[str, Any], groups: int, where: Path) -> tuple[str, StackConfig | None]:
    kind = str(own.get("local_transformer_type", "none")).lower()
    if kind not in LOCAL_TYPES:
        raise ModelError(f"{where} has a local transformer of type {shown(kind)}; known are {', '.join(LOCAL_TYPES)}")
    if kind == "none":
        return kind, None
    width = own.get("local_transformer_hidden_dim", 256)
    entries = {
        "n_layers": own.get("local_transformer_n_layers", 2),
        "d_model": width,
        "d_ffn": width * 4 if isinstance(width, int) else width,
        "sa_n_heads": own.get("local_transformer_n_heads", 1),
        "kernel_size": 1,
        "is_causal": kind == "autoregressive",
        "max_length_causal_mask": groups * own.get("frame_stacking_factor", 1) + 2,
    }
    return kind, read_fields(StackConfig, entries, f"{where} local_transformer")


def _check(config: MagpieConfig, raw: dict[str, Any], codec: CodecConfig, where: Path) -> None:
    """Refuse what would be computed wrongly."""
    if config.frame_stacking_factor < 1 or not isinstance(config.text_tokenizers, dict) or not config.text_tokenizers:
        raise ModelError(f"{where} has no text_tokenizers or a wrong frame_stacking_factor: fetch it again")
    K = codec.codebook_size
    known = {"audio_bos_id": K, "audio_eos_id": K + 1, "context_audio_bos_id": K + 2, "context_audio_eos_id": K + 3}
    known |= {"mask_token_id": K + 4, "num_all_tokens_per_codebook": K + 8}
    for name, value in raw.items():
        if name.startswith("forced_") and value is not None and known.get(name.removeprefix("forced_")) != value:
            raise ModelError(f"{where} sets {name} to {shown(value)}, which this program does not read")
    for stack in filter(None, (config.encoder, config.decoder, config.context_encoder, config.local)):
        if not stack.sa_n_heads or stack.d_model % stack.sa_n_heads or not stack.n_layers or not stack.kernel_size:
            raise ModelError(f"{where} has a transformer of impossible sizes: fetch it again")


def codec_config(raw: dict[str, Any], where: Path) -> CodecConfig:
    """The config of the codec; ModelError where it is not the released kind."""
    decoder, encoder, quantiser = (raw.get(name) for name in ("audio_decoder", "audio_encoder", "vector_quantizer"))
    if not all(isinstance(part, dict) for part in (decoder, encoder, quantiser)):
        raise ModelError(f"{where} is not a codec's config: fetch the codec of the model again")
    assert isinstance(decoder, dict)
    assert isinstance(encoder, dict)
    assert isinstance(quantiser, dict)
    for part, name, wanted in (
        (decoder, "activation", "half_snake"),
        (decoder, "output_activation", "clamp"),
        (decoder, "pad_mode", "zeros"),
        (decoder, "n_groups_equal_to_out_channels", True),
        (encoder, "activation", "lrelu"),
        (encoder, "pad_mode", "replicate"),
    ):
        if part.get(name, wanted) != wanted:
            raise ModelError(
                f"{where} has {name} {shown(part[name])} in place of {shown(wanted)}: use the model's own codec"
            )
    own = {**{name: value for name, value in decoder.items() if name != "base_channels"}, **quantiser, **raw}
    own |= {"base_channels": decoder.get("base_channels"), "encoder_channels": encoder.get("base_channels")}
    own["down_sample_rates"] = encoder.get("down_sample_rates")
    config = read_fields(CodecConfig, own, str(where))
    sizes = (*config.num_levels_per_group, *config.up_sample_rates, config.num_groups, config.sample_rate)
    if not all(isinstance(size, int) and size > 0 for size in sizes):
        raise ModelError(f"{where} has impossible sizes: fetch it again")
    if prod(config.up_sample_rates) != config.samples_per_frame:
        raise ModelError(f"{where} makes {prod(config.up_sample_rates)} samples of a frame, not samples_per_frame")
    return config


@dataclass(frozen=True)
class GenerationSettings:
    """guidance: None generates without the second row. prior: whether attention is guided. local: whether the local
    transformer samples the codes, else the decoder's own heads. passes: of a MaskGit local transformer. cache: whether
    old positions keep the prior that they were read with ("cached"), or are read again under each new one
    ("recomputed", NeMo's default). watched: whether the end of the text decides when speech may and must end.
    confidence_temperature: that of MaskGit's confidences, which greedy sampling has too."""

    sampler: SamplerSettings
    confidence_temperature: float
    guidance: float | None
    prior: bool
    epsilon: float
    lookahead: int
    prior_layers: tuple[int, ...]
    alignment_layers: tuple[int, ...]
    eos_method: str
    least_frames: int
    watched: bool
    local: bool
    passes: int
    cache: str

    @property
    def greedy(self) -> bool:
        return self.sampler.greedy
