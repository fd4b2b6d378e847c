"""A request in, the checked request out: once, at the door. Reads no weights."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

from mlx_tts.errors import RequestError
from mlx_tts.generation.requests import checked_fields, number_in, short, whole_number
from mlx_tts.generation.seeds import fresh_seed
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
from mlx_tts.models.voxcpm2.voices import check_voice, continuation_of
from mlx_tts.speech import CheckedRequest, Sampling, SpeechRequest
from mlx_tts.text.languages import resolve

MOST_SECONDS = 600.0
BRACKETS = "()\uff08\uff09"


def check_request(checkpoint: Checkpoint, request: SpeechRequest) -> CheckedRequest:
    """The request with its voice and language as the checkpoint spells them; RequestError says what cannot be done."""
    own = checked_fields(request)
    options = _options(checkpoint, own["options"] or {})
    if "clone" in options and request.voice is None:
        raise RequestError("clone says what of a voice is used: give a voice as well")
    voice = check_voice(checkpoint, request.voice, _cloning(options))
    _check_sampling(own["sampling"])
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
        "seed": fresh_seed() if own["seed"] is None else own["seed"],
        "params": _settings(checkpoint, options, continues=voice is None),
    }
    return CheckedRequest(**own)


def _options(checkpoint: Checkpoint, options: Mapping[str, Any]) -> dict[str, Any]:
    given = {name: value for name, value in options.items() if value is not None}
    known = [option.name for option in checkpoint.info.options]
    if unknown := sorted(set(given) - set(known)):
        raise RequestError(f"unknown option {short(unknown[0])}: there are {', '.join(known)}")
    return given


def _cloning(options: Mapping[str, Any]) -> str:
    value = options.get("clone", AUTO)
    if value not in CLONING:
        raise RequestError(f"clone is {short(value)}; it must be {', '.join(CLONING)}")
    return str(value)


def _check_sampling(sampling: Any) -> None:
    if sampling is None:
        return
    if not isinstance(sampling, Sampling):
        raise RequestError(f"sampling is a {type(sampling).__name__}: give a Sampling")
    for name, value in vars(sampling).items():
        if value is not None:
            raise RequestError(f"{name} is not one of this model's settings: it has --option steps=N and guidance=G")


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
    seconds = _number(options, "least_seconds", 0.0, MOST_SECONDS) if "least_seconds" in options else None
    steps = whole_number("steps", options["steps"], LEAST_STEPS, MOST_STEPS) if "steps" in options else STEPS
    guidance = _number(options, "guidance", LEAST_GUIDANCE, MOST_GUIDANCE) if "guidance" in options else GUIDANCE
    return GenerationSettings(steps, guidance, least_patches(checkpoint.model, seconds), continues)


def _number(options: Mapping[str, Any], name: str, least: float, most: float) -> float:
    value = number_in(name, options[name])
    if not isfinite(value) or not least <= value <= most:
        raise RequestError(f"{name} is {value:g}; it must be from {least:g} to {most:g}")
    return value
