"""A request in, the checked request out: once, at the door. Reads no weights."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from mlx_tts.errors import RequestError
from mlx_tts.generation.requests import (
    AGAIN,
    array_of,
    check_transcript,
    checked_fields,
    known_options,
    number_in,
    preset_voice,
    printable,
    sampling_of,
    saved_voice,
    voice_codes,
)
from mlx_tts.generation.sampling import SamplerSettings, SamplingParams
from mlx_tts.models.qwen3_tts.checkpoint import OPTIONS, Checkpoint
from mlx_tts.models.qwen3_tts.config import GenerationConfig
from mlx_tts.setting import settings_in
from mlx_tts.shortened import shown
from mlx_tts.speech import CheckedRequest, ModelInfo, Sampling, SpeechRequest, Voice
from mlx_tts.text.languages import resolve

LARGEST_NUMBER = 1 << 30  # of a setting for sampling
LARGEST_VECTOR_ENTRY = 1e4  # speaker vectors have entries of a few units; far larger ones overflow in the talker


def check_request(checkpoint: Checkpoint, request: SpeechRequest) -> CheckedRequest:
    """The request with its voice and language as the checkpoint spells them; RequestError says what cannot be done."""
    info = checkpoint.info
    own = checked_fields(request)
    asked = sampling_of(own["sampling"], settings_in(Sampling), "")
    sampling = check_sampling(replace(asked, **known_options(own["options"], OPTIONS)))
    own |= {
        "voice": _check_voice(checkpoint, request.voice),
        "language": resolve(request.language, info.languages),
        "instruct": _check_instruct(info, request.instruct),
        "sampling": sampling,
        "options": None,
        "params": resolve_sampling(sampling, checkpoint.generation),
    }
    return CheckedRequest(**own)


def _check_voice(checkpoint: Checkpoint, voice: Any) -> str | Voice | None:
    info = checkpoint.info
    if info.can.designs:
        if voice is not None:
            raise RequestError(
                "a VoiceDesign model has no preset voices and no clones: describe the voice with --instruct"
            )
        return None
    if info.can.clones:
        if isinstance(voice, str):
            raise RequestError(
                f"a Base model has no preset voice {shown(voice)}: clone one from a recording (mlx-tts clone)"
            )
        return _check_clone(checkpoint, voice) if voice is not None else None
    if isinstance(voice, Voice):
        raise RequestError("a CustomVoice model cannot clone: use a Base model (mlx-tts models lists them)")
    return preset_voice(voice, info.voices)


def _check_clone(checkpoint: Checkpoint, voice: Any) -> Voice:
    """The voice with arrays of the right types; RequestError for what would read foreign memory or make noise."""
    voice = saved_voice(voice, checkpoint.info.family)
    width, decoder = checkpoint.model.talker_config.hidden_size, checkpoint.codec.decoder_config
    with np.errstate(over="ignore"):  # what becomes infinite is refused
        vector = array_of(voice.speaker_embedding, "the voice's speaker_embedding").astype(np.float32)
    if vector.shape != (width,):
        raise RequestError(f"the voice has a speaker vector of {vector.shape}, this model needs ({width},): {AGAIN}")
    if not np.isfinite(vector).all() or np.abs(vector).max() > LARGEST_VECTOR_ENTRY:
        raise RequestError(f"the voice has a speaker vector with numbers that are not those of a speaker: {AGAIN}")
    if (voice.reference_codes is None) != (voice.transcript is None):
        raise RequestError(f"the voice has reference codes without a transcript, or the reverse: {AGAIN}")
    if voice.reference_codes is None:
        return replace(voice, speaker_embedding=vector)
    if not checkpoint.info.can.clones_in_context:
        raise RequestError(f"the voice was made in context, this model knows a voice by its vector alone: {AGAIN}")
    codes = voice_codes(voice, decoder.num_quantizers, decoder.codebook_size)
    check_transcript(voice)
    return replace(voice, speaker_embedding=vector, reference_codes=codes)


def _check_instruct(info: ModelInfo, instruct: str | None) -> str | None:
    instruct = printable(instruct or "") or None
    if info.can.designs and instruct is None:
        raise RequestError("a VoiceDesign model needs a description of the voice: give --instruct")
    if info.can.clones and instruct is not None:
        raise RequestError("a Base model takes no --instruct: use a CustomVoice or VoiceDesign model")
    return instruct


def check_sampling(sampling: Sampling) -> Sampling:
    """The same with plain numbers; RequestError names the first that is out of range."""
    values: dict[str, Any] = {}
    for name, known in settings_in(Sampling).items():
        if (value := getattr(sampling, name)) is not None:
            values[name] = known.read(name, number_in(name, value))
            if values[name] > LARGEST_NUMBER:
                raise RequestError(f"{name} is {shown(value)}: that is too large")
    return Sampling(**values)


def resolve_sampling(asked: Sampling, defaults: GenerationConfig) -> SamplingParams:
    """What the request leaves open is the checkpoint's own; temperature 0 alone makes both transformers greedy."""

    def given(name: str) -> float:
        value = getattr(asked, name)
        return getattr(defaults, name) if value is None else value

    temperature = given("temperature") if defaults.do_sample or asked.temperature is not None else 0.0
    if asked.subtalker_temperature is not None:
        rest_temperature = asked.subtalker_temperature
    elif asked.temperature == 0 or not defaults.subtalker_dosample:
        rest_temperature = 0.0
    else:
        rest_temperature = defaults.subtalker_temperature
    return SamplingParams(
        first=SamplerSettings(temperature, int(given("top_k")), given("top_p")),
        rest=SamplerSettings(rest_temperature, int(given("subtalker_top_k")), given("subtalker_top_p")),
        repetition_penalty=given("repetition_penalty"),
    )
