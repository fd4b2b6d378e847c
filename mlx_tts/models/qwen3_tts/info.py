"""A checkpoint's small files in, what it can do out; a request in, the checked request out. Reads no weights."""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches
from math import isfinite
from pathlib import Path

from mlx_tts.checkpoints.config_fields import read_json
from mlx_tts.errors import RequestError
from mlx_tts.models.qwen3_tts.config import (
    ModelConfig,
    load_codec_config,
    load_generation_config,
    load_model_config,
)
from mlx_tts.speech import ModelInfo, Sampling, SpeechRequest, Voice
from mlx_tts.text.languages import resolve

MAX_TEMPERATURE = 5.0
MAX_RETRIES = 20


def describe(folder: Path) -> ModelInfo:
    """What a checkpoint's config files say of it; ModelError when they are missing or damaged."""
    config, codec = load_model_config(folder), load_codec_config(folder)
    load_generation_config(folder)
    talker = config.talker_config
    raw = read_json(folder / "config.json")
    quantisation, longest_text = raw.get("quantization"), raw.get("longest_text")
    return ModelInfo(
        folder=folder,
        family="qwen3_tts",
        kind=config.tts_model_type,
        size=config.tts_model_size,
        voices=tuple(talker.spk_id),
        languages=("auto", *(name for name in talker.codec_language_id if "dialect" not in name)),
        sample_rate=codec.output_sample_rate,
        frame_rate=codec.output_sample_rate / codec.decode_upsample_rate,
        codebooks=talker.num_code_groups,
        quantisation=f"{quantisation['bits']}-bit" if quantisation else "",
        dialects={name: dialect for name, dialect in talker.spk_is_dialect.items() if dialect},
        streams_text=config.tts_model_type == "base",
        longest_text=longest_text if isinstance(longest_text, int) and longest_text > 0 else None,
    )


def check_request(info: ModelInfo, request: SpeechRequest) -> SpeechRequest:
    """The request with its voice and language as the checkpoint spells them; RequestError says what cannot be done."""
    text = printable(request.text)
    if not text:
        raise RequestError("there is no text to speak: give some words")
    if request.max_frames is not None and request.max_frames < 1:
        raise RequestError(f"max_frames is {request.max_frames}; it must be at least 1")
    if not 0 <= request.retries <= MAX_RETRIES:
        raise RequestError(f"retries is {request.retries}; it must be from 0 to {MAX_RETRIES}")
    check_sampling(request.sampling or Sampling())
    return replace(
        request,
        text=text,
        voice=_check_voice(info, request),
        language=resolve(request.language, info.languages),
        instruct=_check_instruct(info, request.instruct),
    )


def printable(text: str) -> str:
    """Text without what no tokenizer can read: NULs and lone surrogates go, outer white space too."""
    return "".join(c for c in text if c != "\0" and not 0xD800 <= ord(c) <= 0xDFFF).strip()


def _check_voice(info: ModelInfo, request: SpeechRequest) -> str | Voice | None:
    voice = request.voice
    if info.kind == "voice_design":
        if voice is not None:
            raise RequestError(
                "a VoiceDesign model has no preset voices and no clones: describe the voice with --instruct"
            )
        return None
    if info.kind == "base":
        if isinstance(voice, str):
            raise RequestError(
                f"a Base model has no preset voice {voice!r}: clone one from a recording (mlx-tts clone)"
            )
        return voice
    if isinstance(voice, Voice):
        raise RequestError("a CustomVoice model cannot clone: use a Base model (mlx-tts models lists them)")
    if voice is None:
        return info.voices[0] if info.voices else None
    by_name = {name.lower(): name for name in info.voices}
    if voice.lower() not in by_name:
        near = get_close_matches(voice.lower(), by_name, n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise RequestError(f"unknown voice {voice!r}: {hint}this model has {', '.join(info.voices)}")
    return by_name[voice.lower()]


def _check_instruct(info: ModelInfo, instruct: str | None) -> str | None:
    instruct = printable(instruct or "") or None
    if info.kind == "voice_design" and instruct is None:
        raise RequestError("a VoiceDesign model needs a description of the voice: give --instruct")
    if info.kind == "base" and instruct is not None:
        raise RequestError("a Base model takes no --instruct: use a CustomVoice or VoiceDesign model")
    return instruct


def check_sampling(sampling: Sampling) -> None:
    """RequestError names the first number that is out of range."""
    ranges = (
        ("temperature", 0.0, MAX_TEMPERATURE),
        ("subtalker_temperature", 0.0, MAX_TEMPERATURE),
        ("top_k", 0, float("inf")),
        ("subtalker_top_k", 0, float("inf")),
        ("top_p", 0.0, 1.0),
        ("subtalker_top_p", 0.0, 1.0),
        ("repetition_penalty", 0.1, 10.0),
    )
    for name, least, most in ranges:
        value = getattr(sampling, name)
        if value is None:
            continue
        if not isfinite(value) or not least <= value <= most or (name.endswith("top_p") and value == 0):
            limits = f"from {least:g} to {most:g}" if most < float("inf") else f"{least:g} or more"
            raise RequestError(
                f"{name} is {value:g}; it must be {'above 0 and up to 1' if 'top_p' in name else limits}"
            )


def language_id(config: ModelConfig, info: ModelInfo, language: str, voice: str | Voice | None) -> int | None:
    """The language's codec id, or None for auto; a dialect speaker's dialect stands in for Chinese and auto only."""
    ids = config.talker_config.codec_language_id
    if isinstance(voice, str) and voice in info.dialects and language in ("chinese", "auto"):
        return ids[info.dialects[voice]]
    return None if language == "auto" else ids[language]
