"""A checkpoint's configs in, nothing out: ModelError for values that are fine alone and do not fit each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from math import prod
from pathlib import Path
from typing import Any

from mlx_tts.checkpoints.config_fields import check_ids, shown
from mlx_tts.errors import ModelError
from mlx_tts.models.qwen3_tts.config import CONTROL_IDS, CodecConfig, ModelConfig, TalkerConfig


def check_configs(folder: Path, raw: Mapping[str, Any], model: ModelConfig, codec: CodecConfig) -> None:
    """raw: config.json as it is."""
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
        _require(known or dialect in (False, None), f"{where}.spk_is_dialect.{shown(speaker)}", dialect, "a dialect")


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
        raise ModelError(f"{where} is {shown(value)}; it must be {wanted}: the checkpoint's config is damaged")
