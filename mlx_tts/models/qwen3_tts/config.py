"""config.json, generation_config.json and speech_tokenizer/config.json as frozen dataclasses.

Field names are the files' own. Only what the model code reads is listed; defaults stand where the reference's own
configuration classes have them and released files leave the entry out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from math import prod
from pathlib import Path
from typing import Annotated, Any

from mlx_tts.checkpoints.config_fields import Limits, check_ids, read_fields, read_json, told
from mlx_tts.errors import ModelError
from mlx_tts.generation.signs import ANY_HEADS, Following
from mlx_tts.setting import SettingError, settings_in
from mlx_tts.shortened import shown
from mlx_tts.speech import Sampling

MODEL_TYPE = "qwen3_tts"
CODEC_TYPE = "qwen3_tts_tokenizer_12hz"
KINDS = ("custom_voice", "voice_design", "base")
Layers = Annotated[int, Limits(1, 500)]
Id = Annotated[int, Limits(0, (1 << 24) - 1)]  # of a token; `check_configs` knows how many rows its table has
Rate = Annotated[int, Limits(8000, 192_000)]
Small = Annotated[int, Limits(1, 64)]
Epsilon = Annotated[float, Limits(0, 1)]
Theta = Annotated[float, Limits(1, 1e9)]
TopK = Annotated[int, Limits(0, 1 << 30)]
CONTROL_IDS = 1024  # the last ids of the talker's vocabulary are never sampled, but for the end of speech


@dataclass(frozen=True)
class TransformerConfig:
    hidden_size: int
    intermediate_size: int
    num_hidden_layers: Layers
    num_attention_heads: int
    num_key_value_heads: int
    head_dim: int
    rms_norm_eps: Epsilon
    rope_theta: Theta


@dataclass(frozen=True)
class CodePredictorConfig(TransformerConfig):
    vocab_size: int
    num_code_groups: int


@dataclass(frozen=True)
class TalkerConfig(TransformerConfig):
    vocab_size: int
    num_code_groups: int
    text_hidden_size: int
    text_vocab_size: int
    codec_bos_id: Id
    codec_eos_token_id: Id
    codec_pad_id: Id
    codec_think_id: Id
    codec_nothink_id: Id
    codec_think_bos_id: Id
    codec_think_eos_id: Id
    codec_language_id: dict
    spk_id: dict
    spk_is_dialect: dict
    code_predictor_config: CodePredictorConfig
    max_position_embeddings: Annotated[int, Limits(16, 1 << 24)] = 32768


@dataclass(frozen=True)
class SpeakerEncoderConfig:
    mel_dim: int = 128
    enc_dim: int = 1024
    enc_channels: tuple = (512, 512, 512, 512, 1536)
    enc_kernel_sizes: tuple = (5, 3, 3, 3, 1)
    enc_dilations: tuple = (1, 2, 3, 4, 1)
    enc_attention_channels: int = 128
    enc_res2net_scale: int = 8
    enc_se_channels: int = 128
    sample_rate: Rate = 24000


@dataclass(frozen=True)
class CodecDecoderConfig(TransformerConfig):
    codebook_size: int
    codebook_dim: int
    num_quantizers: int
    latent_dim: int
    decoder_dim: int
    sliding_window: int
    upsample_rates: tuple
    upsampling_ratios: tuple
    num_semantic_quantizers: int = 1


@dataclass(frozen=True)
class CodecEncoderConfig:
    """The fields of transformers' MimiConfig that the encoder half reads."""

    codebook_size: int
    codebook_dim: int
    vector_quantization_hidden_dimension: int
    hidden_size: int
    intermediate_size: int
    num_filters: int
    num_hidden_layers: Layers
    num_attention_heads: int
    num_key_value_heads: int
    head_dim: int
    upsampling_ratios: tuple
    num_quantizers: int = 32
    num_semantic_quantizers: int = 1
    num_residual_layers: Small = 1
    kernel_size: Small = 7
    last_kernel_size: Small = 3
    residual_kernel_size: Small = 3
    dilation_growth_rate: Small = 2
    compress: Small = 2
    norm_eps: Epsilon = 1e-5
    rope_theta: Theta = 10000.0


@dataclass(frozen=True)
class CodecQuantisation:
    """How products of the codec are stored, in checkpoints of our own; 0 bits: plain."""

    bits: Annotated[int, Limits(0, 8)] = 0
    group_size: Annotated[int, Limits(0, 128)] = 0


@dataclass(frozen=True)
class CodecConfig:
    """encodes: false in checkpoints of our own that came without the encoder's weights."""

    encoder_config: CodecEncoderConfig
    decoder_config: CodecDecoderConfig
    encoder_valid_num_quantizers: int = 16
    input_sample_rate: Rate = 24000
    output_sample_rate: Rate = 24000
    decode_upsample_rate: int = 1920
    encode_downsample_rate: int = 1920
    quantization: CodecQuantisation = CodecQuantisation()
    encodes: bool = True


@dataclass(frozen=True)
class GenerationConfig:
    """The checkpoint's own way of sampling; the defaults are those of the reference's `generate`."""

    do_sample: bool = True
    temperature: float = 0.9
    top_k: TopK = 50
    top_p: float = 1.0
    repetition_penalty: float = 1.05
    subtalker_dosample: bool = True
    subtalker_temperature: float = 0.9
    subtalker_top_k: TopK = 50
    subtalker_top_p: float = 1.0
    max_new_tokens: Annotated[int, Limits(2, 1 << 20)] = 8192


HEADS = Limits(0, 1 << 10)


@dataclass(frozen=True)
class AlignmentConfig:
    """Which heads look at the text being spoken, in checkpoints of our own: `heads` of `layer` (none: not known), and
    how many seconds they look ahead. measured: on held-out sentences 95 % of the words that these heads tell begin
    within 200 ms; elsewhere words are estimates. limits: what good speech keeps to, where many takes of the checkpoint
    were measured (scripts/planted_takes.py)."""

    layer: Annotated[int, HEADS] = 0
    heads: Annotated[tuple, HEADS] = ()
    lead_seconds: Annotated[float, Limits(0, 1)] = 0.0
    measured: bool = False
    limits: Following = ANY_HEADS


@dataclass(frozen=True)
class ModelConfig:
    tts_model_type: str
    im_start_token_id: Id
    im_end_token_id: Id
    tts_pad_token_id: Id
    tts_bos_token_id: Id
    tts_eos_token_id: Id
    talker_config: TalkerConfig
    tts_model_size: str = ""
    speaker_encoder_config: SpeakerEncoderConfig = SpeakerEncoderConfig()
    alignment: AlignmentConfig = AlignmentConfig()


def model_config(data: dict[str, Any], path: Path) -> ModelConfig:
    """The object of config.json, read from `path`; ModelError names what is wrong with it."""
    if data.get("model_type") != MODEL_TYPE:
        raise ModelError(
            f"{path} has model_type {told(data.get('model_type'))}; this program speaks with {shown(MODEL_TYPE)} models"
        )
    config = read_fields(ModelConfig, data, str(path))
    if config.tts_model_type not in KINDS:
        raise ModelError(f"{path} has tts_model_type {shown(config.tts_model_type)}; known are {', '.join(KINDS)}")
    own, talker = config.alignment, config.talker_config
    fits = all(type(head) is int and 0 <= head < talker.num_attention_heads for head in own.heads)
    if not fits or not 0 <= own.layer < talker.num_hidden_layers:
        raise ModelError(f"{path}.alignment names heads that the talker does not have: fetch or copy it again")
    return config


def load_codec_config(folder: Path) -> CodecConfig:
    """Read folder/speech_tokenizer/config.json; only the 12 Hz codec is known."""
    path = folder / "speech_tokenizer" / "config.json"
    data = read_json(path)
    if data.get("model_type") != CODEC_TYPE:
        raise ModelError(f"{path} has model_type {told(data.get('model_type'))}; the codec must be {shown(CODEC_TYPE)}")
    return read_fields(CodecConfig, data, str(path))


def load_generation_config(folder: Path) -> GenerationConfig:
    """Read folder/generation_config.json, or the reference's defaults where there is none."""
    path = folder / "generation_config.json"
    if not path.exists():
        return GenerationConfig()
    config = read_fields(GenerationConfig, read_json(path), str(path))
    for name, known in settings_in(Sampling).items():
        if hasattr(config, name):  # not what only this program knows
            try:
                known.read(name, getattr(config, name))
            except SettingError as error:
                raise ModelError(f"{path}.{error}: the file is damaged") from None
    return config


def check_configs(folder: Path, raw: Mapping[str, Any], model: ModelConfig, codec: CodecConfig) -> None:
    """ModelError for values that are fine alone and do not fit each other. raw: config.json as it is."""
    path = folder / "config.json"
    _check_ids(model, path)
    _check_talker(model.talker_config, f"{path}.talker_config")
    _check_quantisation(raw.get("quantization"), f"{path}.quantization")
    _check_codec(codec, model.talker_config, str(folder / "speech_tokenizer" / "config.json"))


def _check_ids(config: ModelConfig, path: Path) -> None:
    """Every id against the table that it is looked up in: a larger one would read memory behind that."""
    talker, where = config.talker_config, f"{path}.talker_config"
    single = {entry.name: getattr(talker, entry.name) for entry in fields(talker) if entry.name.startswith("codec_")}
    single.pop("codec_language_id")
    for ids in (single, talker.codec_language_id, talker.spk_id):
        check_ids(ids, talker.vocab_size, where)
    texts = {entry.name: getattr(config, entry.name) for entry in fields(config) if entry.name.endswith("token_id")}
    check_ids(texts, talker.text_vocab_size, str(path))
    for speaker, dialect in talker.spk_is_dialect.items():
        known = isinstance(dialect, str) and dialect in talker.codec_language_id
        _require(known or dialect in (False, None), f"{where}.spk_is_dialect.{told(speaker)}", dialect, "a dialect")


def _check_talker(talker: TalkerConfig, where: str) -> None:
    rest = talker.code_predictor_config
    _require(talker.vocab_size > CONTROL_IDS, f"{where}.vocab_size", talker.vocab_size, f"more than {CONTROL_IDS}")
    same = rest.num_code_groups == talker.num_code_groups
    _require(same, f"{where}.code_predictor_config.num_code_groups", rest.num_code_groups, "that of the talker")
    for part, sizes in (("", talker), (".code_predictor_config", rest)):
        _check_heads(sizes, where + part)


def _check_quantisation(given: Any, where: str) -> None:
    """What it says of single layers is checked where they are made."""
    if given is None:
        return
    fits = isinstance(given, dict) and type(given.get("bits")) is int and type(given.get("group_size")) is int
    _require(fits, where, given, "an object with the whole numbers bits and group_size")


def _check_codec(codec: CodecConfig, talker: TalkerConfig, path: str) -> None:
    """Every code that the talker can sample must be a row of the codec's tables."""
    decoder, encoder = codec.decoder_config, codec.encoder_config
    made = prod(decoder.upsample_rates) * prod(decoder.upsampling_ratios)
    fits = made == codec.decode_upsample_rate
    _require(fits, f"{path}.decode_upsample_rate", codec.decode_upsample_rate, f"the product of its rates, {made}")
    valid = codec.encoder_valid_num_quantizers
    _require(valid <= encoder.num_quantizers, f"{path}.encoder_valid_num_quantizers", valid, "one of the encoder's")
    for name, part in (("decoder_config", decoder), ("encoder_config", encoder)):
        _check_heads(part, f"{path}.{name}")
        semantic = part.num_semantic_quantizers
        _require(semantic < part.num_quantizers, f"{path}.{name}.num_semantic_quantizers", semantic, "less than all")
    groups, books = talker.num_code_groups, decoder.num_quantizers
    _require(books == groups, f"{path}.decoder_config.num_quantizers", books, f"{groups}, as in the talker")
    codes, rows = max(talker.vocab_size - CONTROL_IDS, talker.code_predictor_config.vocab_size), decoder.codebook_size
    _require(rows >= codes, f"{path}.decoder_config.codebook_size", rows, f"at least {codes}")


def _check_heads(sizes: Any, where: str) -> None:
    """Heads share keys in equal groups, and a head's numbers are rotated in pairs."""
    heads, groups, width = sizes.num_attention_heads, sizes.num_key_value_heads, sizes.head_dim
    _require(heads % groups == 0, f"{where}.num_key_value_heads", groups, f"a divisor of {heads}")
    _require(width % 2 == 0, f"{where}.head_dim", width, "even")


def _require(fits: bool, where: str, value: Any, wanted: str) -> None:
    if not fits:
        raise ModelError(f"{where} is {told(value)}; it must be {wanted}: the checkpoint's config is damaged")
