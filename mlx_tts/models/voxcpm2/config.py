"""config.json as frozen dataclasses; field names are the file's own. ModelError for what would be computed wrongly.

Also how one utterance is generated, with what the request leaves open filled in.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite, log, prod, sqrt
from pathlib import Path
from typing import Annotated, Any

from mlx_tts.checkpoints.config_fields import LARGEST_SIZE, Limits, read_fields, told
from mlx_tts.errors import ModelError

FIRST, SECOND = "voxcpm", "voxcpm2"  # architectures: that of the 0.5B and 1.5 checkpoints, and that of VoxCPM2
Boundaries = Annotated[tuple, Limits(1, LARGEST_SIZE)]
AUDIO_START, REFERENCE_START, REFERENCE_END = 101, 103, 104  # ids between text and audio
LEAST_VOCABULARY = REFERENCE_END + 1
MOST_LAYERS, MOST_POSITIONS = 500, 1 << 22
MOST_FACTOR, MOST_FACTORS = 1e6, 1024
Count = Annotated[int, Limits(0, LARGEST_SIZE)]  # of what may be missing
Layers = Annotated[int, Limits(1, MOST_LAYERS)]
Positions = Annotated[int, Limits(1, MOST_POSITIONS)]
Scale = Annotated[float, Limits(1e-6, 1e6)]
STEPS, GUIDANCE = 10, 2.0  # the official defaults
LEAST_STEPS, MOST_STEPS = 2, 100
LEAST_GUIDANCE, MOST_GUIDANCE = 1.0, 10.0
LEAST_PATCHES = 4  # before speech may end


@dataclass(frozen=True)
class CodecConfig:
    """`audio_vae_config`. Rates: samples that a step of the encoder joins, and that one of the decoder makes."""

    sample_rate: int
    encoder_dim: int
    encoder_rates: tuple
    latent_dim: int
    decoder_dim: int
    decoder_rates: tuple
    out_sample_rate: Count = 0
    sr_bin_boundaries: Boundaries = ()
    delayed: bool = False  # the first architecture's encoder sees a sample less in front of an odd stride

    @property
    def encoder_hop(self) -> int:
        return prod(self.encoder_rates)

    @property
    def decoder_hop(self) -> int:
        return prod(self.decoder_rates)

    @property
    def output_rate(self) -> int:
        return self.out_sample_rate or self.sample_rate


def codec_config(entries: Any, architecture: str, where: str) -> CodecConfig:
    """The codec's sizes; ModelError for the kinds that no released checkpoint has."""
    raw = {name: value for name, value in object_of(entries, where).items() if value is not None}
    refused = {"use_noise_block": raw.get("use_noise_block", False), "cond_out_layer": raw.get("cond_out_layer", False)}
    refused |= {"depthwise": not raw.get("depthwise", True)}
    refused |= {"cond_type": raw.get("cond_type", "scale_bias") != "scale_bias"}
    if wrong := [name for name, is_set in refused.items() if is_set]:
        raise ModelError(f"{where} sets {wrong[0]} to {told(raw[wrong[0]])}, which this program does not read")
    second = architecture == SECOND
    own = {name: value for name, value in raw.items() if name != "delayed"}
    boundaries = own.pop("sr_bin_boundaries", None) if second else None
    if not second:
        own.pop("out_sample_rate", None)
        own.pop("sr_bin_boundaries", None)
    if boundaries:
        own["sr_bin_boundaries"] = boundaries
    config = replace(read_fields(CodecConfig, own, where), delayed=not second)
    halvings = len(config.decoder_rates)
    # Odd numbers of channels are halved as the official code does it, rounded down.
    if not config.decoder_dim >> halvings or halvings > 16 or len(config.encoder_rates) > 16:
        raise ModelError(f"{where} halves {config.decoder_dim} channels {halvings} times: it is damaged")
    widest = config.encoder_dim << len(config.encoder_rates)
    if max(config.encoder_hop, config.decoder_hop, widest) > LARGEST_SIZE:
        raise ModelError(f"{where} has rates or widths that no codec has: it is damaged")
    # Latents are as many a second on both sides.
    if config.sample_rate * config.decoder_hop != config.output_rate * config.encoder_hop:
        raise ModelError(f"{where} encodes and decodes at rates that do not fit each other: it is damaged")
    return config


def object_of(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ModelError(f"{where} is {told(value)}, not an object: the checkpoint's config is damaged")
    return {name: entry for name, entry in value.items() if entry is not None}


@dataclass(frozen=True)
class RopeScaling:
    """LongRoPE. factors: those in use; they are chosen when the checkpoint is read, never by the length of a text."""

    factors: tuple[float, ...] = ()
    gain: float = 1.0


@dataclass(frozen=True)
class StackConfig:
    """One transformer, as `nn.attention.TransformerSizes`."""

    hidden_size: int
    intermediate_size: int
    num_hidden_layers: Layers
    num_attention_heads: int
    num_key_value_heads: int
    rms_norm_eps: Scale
    rope_theta: Scale
    kv_channels: Count = 0
    use_mup: bool = False
    scale_depth: Scale = 1.0
    rope: bool = True
    rope_scaling: RopeScaling = RopeScaling()

    @property
    def head_dim(self) -> int:
        return self.kv_channels or self.hidden_size // self.num_attention_heads

    @property
    def residual_scale(self) -> float:
        return self.scale_depth / sqrt(self.num_hidden_layers) if self.use_mup else 1.0


@dataclass(frozen=True)
class LanguageModelFields:
    """Entries of `lm_config` other than those of its transformer."""

    vocab_size: Annotated[int, Limits(LEAST_VOCABULARY, LARGEST_SIZE)]
    max_position_embeddings: Positions = 32768
    scale_emb: Scale = 1.0


@dataclass(frozen=True)
class LocalFields:
    """`encoder_config` and `dit_config`: transformers over the frames of one patch."""

    hidden_dim: int
    ffn_dim: int
    num_heads: int
    num_layers: Layers
    kv_channels: Count = 0


@dataclass(frozen=True)
class ModelFields:
    """Entries of config.json itself."""

    patch_size: Annotated[int, Limits(1, 64)]
    feat_dim: int
    scalar_quantization_latent_dim: int
    scalar_quantization_scale: int
    residual_lm_num_layers: Layers
    max_length: Positions = 4096


@dataclass(frozen=True)
class ModelConfig:
    """The network. mean_mode: the estimator is told the size of each step. context_patches: of a prompt's audio, that
    the decoder hears before the first patch."""

    architecture: str
    fields: ModelFields
    semantic: StackConfig
    residual: StackConfig
    local_encoder: StackConfig
    local_decoder: StackConfig
    vocab_size: int
    embedding_scale: float
    mean_mode: bool
    codec: CodecConfig

    @property
    def joined(self) -> bool:
        """Whether parts are put side by side where the first architecture adds them up."""
        return self.architecture == SECOND

    @property
    def context_patches(self) -> int:
        return 3 if self.joined else 2

    @property
    def patch_samples(self) -> int:
        """Samples of sound that one patch makes."""
        return self.fields.patch_size * self.codec.decoder_hop

    @property
    def frame_rate(self) -> float:
        return self.codec.output_rate / self.patch_samples


def architecture_of(raw: dict[str, Any]) -> str | None:
    """The architecture that a config.json names; without a name it is the first. None: another family's."""
    for key in ("architecture", "model_type"):
        if isinstance(raw.get(key), str):
            return raw[key].lower() if raw[key].lower() in (FIRST, SECOND) else None
    return FIRST if isinstance(raw.get("lm_config"), dict) and "audio_vae_config" in raw else None


def model_config(raw: dict[str, Any], where: Path) -> ModelConfig:
    """Everything that the network's sizes depend on."""
    architecture = architecture_of(raw)
    if architecture is None:
        raise ModelError(f"{where} is not of a VoxCPM model: use a released checkpoint")
    raw = {name: value for name, value in raw.items() if value is not None}
    language_model = object_of(raw.get("lm_config"), f"{where} lm_config")
    fields = read_fields(ModelFields, raw, str(where))
    language = read_fields(LanguageModelFields, language_model, f"{where} lm_config")
    semantic = _semantic(language_model, language, f"{where} lm_config")
    no_rope = architecture == SECOND and _flag(raw, "residual_lm_no_rope", where)
    residual = replace(semantic, num_hidden_layers=fields.residual_lm_num_layers, rope=not no_rope)
    local = {}
    for name in ("encoder_config", "dit_config"):
        local[name] = _local(
            semantic, read_fields(LocalFields, object_of(raw.get(name), f"{where} {name}"), str(where))
        )
    decoder = object_of(raw["dit_config"], f"{where} dit_config")
    # Released configs also say `mean_mode`, which the official code does not read.
    mean_mode = _flag(decoder if architecture == SECOND else raw, "dit_mean_mode", where)
    codec = codec_config(raw.get("audio_vae_config"), architecture, f"{where} audio_vae_config")
    if codec.latent_dim != fields.feat_dim:
        raise ModelError(f"{where} has patches of {fields.feat_dim} channels and a codec of {codec.latent_dim}")
    scale = language.scale_emb if semantic.use_mup else 1.0
    parts = (semantic, residual, local["encoder_config"], local["dit_config"])
    for part in parts:
        _check(part, where)
    return ModelConfig(architecture, fields, *parts, language.vocab_size, scale, mean_mode, codec)


def _semantic(entries: dict[str, Any], language: LanguageModelFields, where: str) -> StackConfig:
    own = {name: value for name, value in entries.items() if name not in ("rope", "rope_scaling")}
    stack = read_fields(StackConfig, own, where)
    scaling = entries.get("rope_scaling")
    if scaling is None:
        return stack
    return replace(stack, rope_scaling=_rope_scaling(scaling, stack, language.max_position_embeddings, where))


def _rope_scaling(entries: Any, stack: StackConfig, positions: int, where: str) -> RopeScaling:
    entries = object_of(entries, f"{where} rope_scaling")
    kind = entries.get("type", entries.get("rope_type", "longrope"))
    if kind != "longrope":
        raise ModelError(f"{where} has rope_scaling of type {told(kind)}: this program reads longrope")
    original = entries.get("original_max_position_embeddings", positions)
    if isinstance(original, bool) or not isinstance(original, int) or not 1 < original <= MOST_POSITIONS:
        raise ModelError(f"{where} has original_max_position_embeddings {told(original)}: the config is damaged")
    name = "long_factor" if positions > original else "short_factor"
    factors = entries.get(name)
    if not isinstance(factors, list) or len(factors) != stack.head_dim // 2 or len(factors) > MOST_FACTORS:
        raise ModelError(f"{where} has {told(factors)} as {name}: a head needs {stack.head_dim // 2} numbers")
    for factor in factors:
        number = isinstance(factor, (int, float)) and not isinstance(factor, bool)
        if not number or not isfinite(factor) or not 1 / MOST_FACTOR <= factor <= MOST_FACTOR:
            raise ModelError(f"{where} has {told(factor)} among {name}: the config is damaged")
    gain = sqrt(1 + log(positions / original) / log(original)) if positions > original else 1.0
    return RopeScaling(tuple(map(float, factors)), gain)


def _local(semantic: StackConfig, own: LocalFields) -> StackConfig:
    """A transformer of the patches: what its own entries leave out is the language model's."""
    return replace(
        semantic,
        hidden_size=own.hidden_dim,
        intermediate_size=own.ffn_dim,
        num_attention_heads=own.num_heads,
        num_hidden_layers=own.num_layers,
        kv_channels=own.kv_channels,
    )


def _check(stack: StackConfig, where: Path) -> None:
    """Refuse sizes that do not fit each other, before anything is built."""
    heads = stack.num_attention_heads
    fits = stack.kv_channels or stack.hidden_size % heads == 0
    if not fits or heads % stack.num_key_value_heads or stack.head_dim % 2 or stack.hidden_size % 2:
        raise ModelError(
            f"{where} has a transformer of {heads} heads for a width of {stack.hidden_size}: it is damaged"
        )
    factors = stack.rope_scaling.factors
    if factors and stack.rope and len(factors) != stack.head_dim // 2:
        raise ModelError(f"{where} has {len(factors)} rope factors for heads of {stack.head_dim}: it is damaged")


def _flag(entries: dict[str, Any], name: str, where: Path) -> bool:
    value = entries.get(name, False)
    if not isinstance(value, bool):
        raise ModelError(f"{where} has {name} {told(value)}, which is neither true nor false: it is damaged")
    return value


@dataclass(frozen=True)
class GenerationSettings:
    """steps: of the diffusion. guidance: 1 follows the text no more than the model does by itself. least_patches:
    before speech may end. continues: whether a piece of a long text goes on in the voice of the first one."""

    steps: int = STEPS
    guidance: float = GUIDANCE
    least_patches: int = LEAST_PATCHES
    continues: bool = False

    @property
    def form(self) -> tuple[int, bool]:
        """Rows share a step where this is equal."""
        return self.steps, self.guidance != 1.0
