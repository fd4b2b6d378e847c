"""A request in, the checked request out: once, at the door. Reads no weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mlx_tts.errors import RequestError
from mlx_tts.generation.requests import (
    AGAIN,
    checked_fields,
    known_options,
    number_within,
    preset_voice,
    sampling_of,
    saved_voice,
    voice_codes,
    whole_number,
)
from mlx_tts.generation.sampling import SamplerSettings
from mlx_tts.models.magpie.alignment import MagpieContinuation
from mlx_tts.models.magpie.checkpoint import FAMILY, OPTIONS, Checkpoint
from mlx_tts.models.magpie.config import CACHED, EOS_METHODS, RECOMPUTED, GenerationSettings
from mlx_tts.shortened import shown
from mlx_tts.speech import CheckedRequest, SpeechRequest, Voice
from mlx_tts.text.language_guess import guess_language
from mlx_tts.text.languages import AUTO, resolve

MOST_GUIDANCE, MOST_TEMPERATURE, MOST_LOOKAHEAD, MOST_PASSES = 20.0, 5.0, 100, 64
NO_VOICE = "this model has no voices of its own: clone one from a recording (mlx-tts clone)"
SAMPLING = ("temperature", "top_k")  # what of `Sampling` this family has


def check_request(checkpoint: Checkpoint, request: SpeechRequest) -> CheckedRequest:
    """The request with its voice and language as the checkpoint spells them; RequestError says what cannot be done."""
    own = checked_fields(request)
    if own["instruct"]:
        raise RequestError("a Magpie model takes no --instruct: leave it out, or use a Qwen3-TTS model")
    continuation_of(checkpoint, own["after"])  # refuses what no piece left
    settings = generation_settings(checkpoint, own["sampling"], own["options"])
    own |= {
        "voice": _check_voice(checkpoint, request.voice),
        "language": _check_language(checkpoint, request.language, own["text"]),
        "options": None,
        "params": settings,
    }
    if own["growing"] is None and any(character.isalnum() for character in own["text"]):
        # Refuses what cannot be read. A text of signs alone stands for one to come, in plans; `prepare` refuses it.
        checkpoint.text.encode(own["text"], own["language"])
    return CheckedRequest(**own)


def continuation_of(checkpoint: Checkpoint, after: Any) -> MagpieContinuation | None:
    """What the piece before left, as the model takes it."""
    if after is None:
        return None
    rows = checkpoint.shapes.get("text_embedding.weight")
    return MagpieContinuation.of(after, checkpoint.model.embedding_dim, rows[0] if rows else None)


def _check_language(checkpoint: Checkpoint, asked: str, text: str) -> str:
    """A language by its name; that of the text where none was asked for."""
    languages = checkpoint.info.languages
    language = resolve(asked, languages)
    if language != AUTO:
        return language
    guess = guess_language(text)
    return guess if guess in languages else "english" if "english" in languages else languages[1]


def _check_voice(checkpoint: Checkpoint, voice: Any) -> str | Voice | None:
    info = checkpoint.info
    if info.can.clones:
        if voice is None:
            return None  # a plan is checked before the recording is read; `prepare` wants the voice
        if not isinstance(voice, Voice):
            raise RequestError(NO_VOICE)
        return _check_clone(checkpoint, voice)
    if isinstance(voice, Voice):
        raise RequestError(f"this model cannot clone: choose one of its voices, {', '.join(info.voices)}")
    return preset_voice(voice, info.voices, numbered=True)


def _check_clone(checkpoint: Checkpoint, voice: Voice) -> Voice:
    if saved_voice(voice, FAMILY).reference_codes is None:
        raise RequestError(f"the voice was made with another family of models: {AGAIN}")
    codec = checkpoint.codec
    codes = voice_codes(voice, codec.num_groups, codec.codebook_size)
    limit = checkpoint.model.most_context_frames
    if len(codes) > limit:
        raise RequestError(f"the voice is {len(codes)} frames long, this model takes {limit}: use a shorter recording")
    return replace(voice, reference_codes=codes)


def generation_settings(checkpoint: Checkpoint, sampling: Any, options: Mapping[str, Any] | None) -> GenerationSettings:
    """What the request leaves open is the checkpoint's own."""
    own, model, given = checkpoint.model.inference, checkpoint.model, known_options(options, OPTIONS)
    asked, top_k = sampling_of(sampling, SAMPLING, ", ".join(SAMPLING)), own.topk
    if asked.top_k is not None:
        top_k = whole_number("top_k", asked.top_k, 0)
    temperature = own.temperature
    if asked.temperature is not None:
        temperature = number_within("temperature", asked.temperature, 0.0, MOST_TEMPERATURE)
    guidance = _number(given, "guidance", own.cfg_scale, 1.0, MOST_GUIDANCE)
    watched = _switch(given, "watch_end", not own.ignore_finished_sentence_tracking)
    if watched and model.local_type == "maskgit":
        raise RequestError("watch_end does not go with a MaskGit local transformer: use --option watch_end=off")
    layers = tuple(range(model.decoder.n_layers))
    return GenerationSettings(
        sampler=SamplerSettings(temperature, top_k, 1.0),
        confidence_temperature=temperature or own.temperature or 1.0,
        guidance=None if guidance == 1.0 else guidance,
        prior=_switch(given, "prior", own.apply_attention_prior),
        epsilon=_number(given, "prior_epsilon", own.attention_prior_epsilon, 0.0, 1.0),
        lookahead=int(_whole(given, "lookahead", own.attention_prior_lookahead_window, 1, MOST_LOOKAHEAD)),
        prior_layers=tuple(own.apply_prior_to_layers) or layers,
        alignment_layers=tuple(own.estimate_alignment_from_layers) or layers,
        eos_method=_choice(given, "end_rule", own.eos_detection_method, EOS_METHODS),
        least_frames=own.min_generated_frames,
        watched=watched,
        local=model.local is not None and _switch(given, "local_transformer", True),
        passes=int(_whole(given, "passes", 3, 1, MOST_PASSES)),
        cache=_choice(given, "cache", CACHED, (CACHED, RECOMPUTED)),
    )


def _number(given: Mapping[str, Any], name: str, otherwise: float, least: float, most: float) -> float:
    return number_within(name, given[name], least, most) if name in given else otherwise


def _whole(given: Mapping[str, Any], name: str, otherwise: int, least: int, most: int) -> int:
    return whole_number(name, given[name], least, most) if name in given else otherwise


def _choice(given: Mapping[str, Any], name: str, otherwise: str, allowed: tuple[str, ...]) -> str:
    value = given.get(name, otherwise)
    if value not in allowed:
        raise RequestError(f"{name} is {shown(value)}; it must be {', '.join(allowed)}")
    return str(value)


def _switch(given: Mapping[str, Any], name: str, otherwise: bool) -> bool:
    value = given.get(name, otherwise)
    if isinstance(value, bool):
        return value
    return _choice(given, name, "off", ("on", "off")) == "on"
