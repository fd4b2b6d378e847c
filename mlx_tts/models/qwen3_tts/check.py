"""A request in, the checked request out: once, at the door. Reads no weights."""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches
from typing import Any

import numpy as np

from mlx_tts.errors import RequestError
from mlx_tts.generation.requests import checked_fields, codes_of, number_in, printable, short
from mlx_tts.generation.sampling import SamplerSettings, SamplingParams
from mlx_tts.generation.seeds import fresh_seed
from mlx_tts.models.qwen3_tts.checkpoint import OPTIONS, Checkpoint
from mlx_tts.models.qwen3_tts.config import GenerationConfig
from mlx_tts.setting import settings_in
from mlx_tts.speech import CheckedRequest, ModelInfo, Sampling, SpeechRequest, Voice
from mlx_tts.text.languages import resolve

LARGEST_NUMBER = 1 << 30  # of a setting for sampling
LARGEST_VECTOR_ENTRY = 1e4  # speaker vectors have entries of a few units; far larger ones overflow in the talker


def check_request(checkpoint: Checkpoint, request: SpeechRequest) -> CheckedRequest:
    """The request with its voice and language as the checkpoint spells them; RequestError says what cannot be done."""
    info = checkpoint.info
    own = checked_fields(request)
    sampling = check_sampling(_with_options(own["sampling"], own["options"]))
    own |= {
        "voice": _check_voice(checkpoint, request.voice),
        "language": resolve(request.language, info.languages),
        "instruct": _check_instruct(info, request.instruct),
        "sampling": sampling,
        "options": None,
        "seed": fresh_seed() if own["seed"] is None else own["seed"],
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
                f"a Base model has no preset voice {short(voice)}: clone one from a recording (mlx-tts clone)"
            )
        return _check_clone(checkpoint, voice) if voice is not None else None
    if isinstance(voice, Voice):
        raise RequestError("a CustomVoice model cannot clone: use a Base model (mlx-tts models lists them)")
    if voice is None:
        return info.voices[0] if info.voices else None
    if not isinstance(voice, str):
        raise RequestError(f"voice is a {type(voice).__name__}: give a name, of {', '.join(info.voices)}")
    by_name = {name.lower(): name for name in info.voices}
    if voice.lower() not in by_name:
        near = get_close_matches(voice.lower(), by_name, n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise RequestError(f"unknown voice {short(voice)}: {hint}this model has {', '.join(info.voices)}")
    return by_name[voice.lower()]


def _check_clone(checkpoint: Checkpoint, voice: Any) -> Voice:
    """The voice with arrays of the right types; RequestError for what would read foreign memory or make noise."""
    if not isinstance(voice, Voice):
        raise RequestError(f"voice is a {type(voice).__name__}: give a Voice, from `voice()` or a voice file")
    again = "make it again with this model"
    if voice.family not in (None, checkpoint.info.family):
        raise RequestError(f"the voice was made with another family of models ({short(voice.family)}): {again}")
    width, decoder = checkpoint.model.talker_config.hidden_size, checkpoint.codec.decoder_config
    vector = _vector(voice.speaker_embedding)
    if vector.shape != (width,):
        raise RequestError(f"the voice has a speaker vector of {vector.shape}, this model needs ({width},): {again}")
    if not np.isfinite(vector).all() or np.abs(vector).max() > LARGEST_VECTOR_ENTRY:
        raise RequestError(f"the voice has a speaker vector with numbers that are no speaker's: {again}")
    if (voice.reference_codes is None) != (voice.transcript is None):
        raise RequestError(f"the voice has reference codes without a transcript, or the reverse: {again}")
    if voice.reference_codes is None:
        return replace(voice, speaker_embedding=vector)
    if not checkpoint.info.can.clones_in_context:
        raise RequestError(f"the voice was made in context, this model knows a voice by its vector alone: {again}")
    try:
        codes = codes_of(voice.reference_codes, decoder.num_quantizers, decoder.codebook_size, "reference codes")
    except RequestError as error:
        raise RequestError(f"the voice's {error}: {again}") from None
    transcript = voice.transcript
    if not isinstance(transcript, str) or not printable(transcript):
        raise RequestError(f"the voice's transcript is {short(transcript)}: give the words of its recording")
    return replace(voice, speaker_embedding=vector, reference_codes=codes)


def _vector(value: Any) -> np.ndarray:
    try:
        array = np.asarray(value)
        if array.dtype.kind not in "iuf":
            raise ValueError(f"an array of {array.dtype}")
        with np.errstate(over="ignore"):  # what becomes infinite is refused
            return array.astype(np.float32)
    except (TypeError, ValueError) as error:
        raise RequestError(f"the voice's speaker_embedding is {error}: give an array of numbers") from None


def _check_instruct(info: ModelInfo, instruct: str | None) -> str | None:
    instruct = printable(instruct or "") or None
    if info.can.designs and instruct is None:
        raise RequestError("a VoiceDesign model needs a description of the voice: give --instruct")
    if info.can.clones and instruct is not None:
        raise RequestError("a Base model takes no --instruct: use a CustomVoice or VoiceDesign model")
    return instruct


def _with_options(sampling: Sampling | None, options: dict[str, Any] | None) -> Sampling:
    """Options of this family are settings of its code predictor."""
    if sampling is not None and not isinstance(sampling, Sampling):
        raise RequestError(f"sampling is a {type(sampling).__name__}: give a Sampling")
    known = {option.name for option in OPTIONS}
    if unknown := sorted(set(options or {}) - known):
        raise RequestError(f"unknown option {unknown[0]!r}: this family has {', '.join(sorted(known))}")
    return replace(sampling or Sampling(), **(options or {}))


def check_sampling(sampling: Sampling) -> Sampling:
    """The same with plain numbers; RequestError names the first that is out of range."""
    values: dict[str, Any] = {}
    for name, known in settings_in(Sampling).items():
        if (value := getattr(sampling, name)) is not None:
            values[name] = known.read(name, number_in(name, value))
            if values[name] > LARGEST_NUMBER:
                raise RequestError(f"{name} is {short(value)}: that is too large")
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
