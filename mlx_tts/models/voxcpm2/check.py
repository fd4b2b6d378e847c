"""A request in, the checked request out: once, at the door. Reads no weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mlx_tts.errors import RequestError
from mlx_tts.generation.requests import checked_fields, known_options, number_within, sampling_of, whole_number
from mlx_tts.models.voxcpm2.checkpoint import AUTO, CLONING, Checkpoint, least_patches
from mlx_tts.models.voxcpm2.config import (
    GUIDANCE,
    LEAST_GUIDANCE,
    LEAST_STEPS,
    MOST_GUIDANCE,
    MOST_STEPS,
    STEPS,
    GenerationSettings,
)
from mlx_tts.models.voxcpm2.prompt import check_voice, continuation_of
from mlx_tts.shortened import shown
from mlx_tts.speech import CheckedRequest, SpeechRequest
from mlx_tts.text.languages import resolve

MOST_SECONDS = 600.0
BRACKETS = "()\uff08\uff09"


def check_request(checkpoint: Checkpoint, request: SpeechRequest) -> CheckedRequest:
    """The request with its voice and language as the checkpoint spells them; RequestError says what cannot be done."""
    own = checked_fields(request)
    options = known_options(own["options"], checkpoint.info.options)
    if "clone" in options and request.voice is None:
        raise RequestError("clone says what of a voice is used: give a voice as well")
    cloning = options.get("clone", AUTO)
    if cloning not in CLONING:
        raise RequestError(f"clone is {shown(cloning)}; it must be {', '.join(CLONING)}")
    voice = check_voice(checkpoint, request.voice, cloning)
    sampling_of(own["sampling"], (), "--option steps=N and guidance=G")
    _check_description(checkpoint, request.instruct, own["instruct"])
    if own["instruct"] and voice is not None and voice.prompt_latents is not None:
        raise RequestError(
            "a description does not go with the words of a recording: leave one out, or use --option clone=reference"
        )
    continuation_of(checkpoint, own["after"])  # refuses what no piece left
    own |= {
        "voice": voice,
        "language": resolve(request.language, checkpoint.info.languages),
        "options": None,
        "sampling": None,
        "params": _settings(checkpoint, options, continues=voice is None),
    }
    return CheckedRequest(**own)


def _check_description(checkpoint: Checkpoint, asked: Any, cleaned: str | None) -> None:
    if asked is None:
        return
    if not checkpoint.info.can.designs:
        raise RequestError("this model takes no description of a voice: leave --instruct out, or use voxcpm2")
    if cleaned is None:
        raise RequestError("the description is empty: say what the voice is like, or leave --instruct out")
    if set(cleaned) & set(BRACKETS):
        raise RequestError("the description has brackets, which would end it early: leave them out")


def _settings(checkpoint: Checkpoint, options: Mapping[str, Any], continues: bool) -> GenerationSettings:
    seconds = options.get("least_seconds")
    if seconds is not None:
        seconds = number_within("least_seconds", seconds, 0.0, MOST_SECONDS)
    steps = whole_number("steps", options.get("steps", STEPS), LEAST_STEPS, MOST_STEPS)
    guidance = number_within("guidance", options.get("guidance", GUIDANCE), LEAST_GUIDANCE, MOST_GUIDANCE)
    return GenerationSettings(steps, guidance, least_patches(checkpoint.model, seconds), continues)
