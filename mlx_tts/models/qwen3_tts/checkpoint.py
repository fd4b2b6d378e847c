"""A checkpoint's small files, read once, as one value: what everything else of the family takes. Reads no weights."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mlx_tts.checkpoints.config_fields import read_json, told
from mlx_tts.errors import ModelError
from mlx_tts.models.qwen3_tts.config import (
    CodecConfig,
    GenerationConfig,
    ModelConfig,
    check_configs,
    load_codec_config,
    load_generation_config,
    model_config,
)
from mlx_tts.speech import Capabilities, FamilyOption, ModelInfo
from mlx_tts.text.phonemes.phones import SET

FAMILY = "qwen3_tts"
TRAINED_FOR_INSTRUCTIONS = "1b7"  # the other sizes of CustomVoice take an instruction and may not follow it
OWN = "the checkpoint's"
OPTIONS = (
    FamilyOption("subtalker_temperature", float, OWN, "How freely the code predictor samples; 0 is greedy."),
    FamilyOption("subtalker_top_k", int, OWN, "The code predictor samples among the k likeliest; 0 is all."),
    FamilyOption("subtalker_top_p", float, OWN, "The code predictor samples among those that sum to p."),
)

KINDS = {
    "custom_voice": Capabilities(presets=True, codes=True),
    "base": Capabilities(clones=True, clones_in_context=True, streams_text=True, codes=True),
    "voice_design": Capabilities(designs=True, codes=True),
}


@dataclass(frozen=True)
class Checkpoint:
    """raw: config.json as it is, with entries that only some parts read (quantization)."""

    folder: Path
    raw: dict[str, Any]
    model: ModelConfig
    codec: CodecConfig
    generation: GenerationConfig
    info: ModelInfo


def open_checkpoint(folder: Path, raw: dict[str, Any] | None = None) -> Checkpoint:
    """Read the configs of a folder; ModelError when they are missing or damaged. raw: its config.json, if read."""
    raw = read_json(folder / "config.json") if raw is None else raw
    model, codec = model_config(raw, folder / "config.json"), load_codec_config(folder)
    check_configs(folder, raw, model, codec)
    return Checkpoint(folder, raw, model, codec, load_generation_config(folder), _info(folder, raw, model, codec))


def _info(folder: Path, raw: dict[str, Any], model: ModelConfig, codec: CodecConfig) -> ModelInfo:
    talker, kind = model.talker_config, model.tts_model_type
    quantisation, longest_text = raw.get("quantization"), raw.get("longest_text")
    phones = _phones(folder, raw)
    return ModelInfo(
        folder=folder,
        family=FAMILY,
        kind=kind,
        size=model.tts_model_size,
        voices=tuple(talker.spk_id),
        languages=("auto", *(name for name in talker.codec_language_id if "dialect" not in name)),
        sample_rate=codec.output_sample_rate,
        frame_rate=codec.output_sample_rate / codec.decode_upsample_rate,
        codebooks=talker.num_code_groups,
        quantisation=f"{quantisation['bits']}-bit" if quantisation else "",
        dialects={name: dialect for name, dialect in talker.spk_is_dialect.items() if dialect},
        longest_text=longest_text if isinstance(longest_text, int) and longest_text > 0 else None,
        british_voices=tuple(name for name in talker.spk_id if name in (phones or {}).get("british", ())),
        can=replace(
            KINDS[kind],
            clones_in_context=KINDS[kind].clones_in_context and codec.encodes,
            instructs=kind == "custom_voice" and model.tts_model_size == TRAINED_FOR_INSTRUCTIONS,
            word_times=bool(model.alignment.heads),
            reads_phones=phones is not None,
            needs_respelling=longest_text is not None and phones is None,
            reads_numbers=longest_text is None,  # small models of our own say so; the released ones read figures
        ),
        options=OPTIONS,
    )


def _phones(folder: Path, raw: dict[str, Any]) -> dict[str, Any] | None:
    """What config.json says of phones within the text: their set, the id of the first, and the British voices."""
    phones = raw.get("phones")
    if phones is None:
        return None
    british = phones.get("british", []) if isinstance(phones, dict) else None
    if not isinstance(phones, dict) or not isinstance(british, list) or type(phones.get("first")) is not int:
        raise ModelError(f"{folder / 'config.json'}.phones is {told(phones)}, not a set of phones: fetch it again")
    return phones if phones.get("set") == SET else None
