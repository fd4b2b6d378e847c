"""A request in, the checked request out: once, at the door. Reads no weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mlx_tts.errors import RequestError
from mlx_tts.generation.requests import checked_fields, known_options, number_within, sampling_of
from mlx_tts.models.kokoro.checkpoint import LANGUAGES, OPTIONS, Checkpoint
from mlx_tts.models.kokoro.voices import mixed_voice
from mlx_tts.shortened import shown
from mlx_tts.speech import CheckedRequest, SpeechRequest, Voice
from mlx_tts.text.languages import AUTO, resolve

SLOWEST, FASTEST = 0.25, 4.0


@dataclass(frozen=True)
class SpeakingSettings:
    """speed: times as fast. phonemes: the text is phonemes. greedy: a second take would be the same but for its breath,
    so the guard makes none."""

    speed: float = 1.0
    phonemes: bool = False
    greedy: bool = True


def check_request(checkpoint: Checkpoint, request: SpeechRequest) -> CheckedRequest:
    """The request with its voice and language as the checkpoint spells them; RequestError says what cannot be done."""
    own = checked_fields(request)
    if own["instruct"]:
        raise RequestError("a Kokoro model takes no --instruct: leave it out, or use a Qwen3-TTS model")
    sampling_of(own["sampling"], (), "no settings of sampling, but --option speed=S")
    languages = checkpoint.info.languages
    language = resolve(own["language"], languages)
    voice = _voice(checkpoint, request.voice, language)
    own |= {
        "voice": voice,
        "language": LANGUAGES.get(voice[0], "english") if language == AUTO else language,
        "options": None,
        "sampling": None,
        # Lengths are worked out from the text, nothing is sampled: no take runs away, and none is cut at a limit.
        "guard": bool(own["guard"]) if own["guard"] is not None else False,
        "params": _settings(own["options"]),
    }
    return CheckedRequest(**own)


def _voice(checkpoint: Checkpoint, voice: Any, language: str) -> str:
    """A voice, or a mix of voices; where none was asked for the first that speaks the language."""
    voices = checkpoint.info.voices
    if isinstance(voice, Voice):
        raise RequestError(f"this model cannot clone: choose one of its voices, {', '.join(voices)}")
    if voice is None:
        own = (name for name in voices if LANGUAGES.get(name[0]) == language)
        return next(own, voices[0])
    if not isinstance(voice, str):
        raise RequestError(f"voice is a {type(voice).__name__}: give a name, of {', '.join(voices)}")
    return mixed_voice(voice, voices)


def _settings(options: Mapping[str, Any] | None) -> SpeakingSettings:
    given = known_options(options, OPTIONS)
    speed = number_within("speed", given.get("speed", 1.0), SLOWEST, FASTEST)
    phonemes = given.get("phonemes", False)
    if phonemes not in (True, False, "on", "off"):
        raise RequestError(f"phonemes is {shown(phonemes)}; it must be on or off")
    return SpeakingSettings(speed, phonemes in (True, "on"))
