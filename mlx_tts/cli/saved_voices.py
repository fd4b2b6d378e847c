"""Saved voices of a text -> those its model can use; one that does not fit is prepared again from its recording."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mlx_tts.cli.console import Console
from mlx_tts.errors import RequestError
from mlx_tts.library import catalog

if TYPE_CHECKING:
    from mlx_tts.api import TextToSpeech
    from mlx_tts.library.voice_store import SavedVoice
    from mlx_tts.models.families import OpenCheckpoint
    from mlx_tts.speech import CheckedRequest, SpeechRequest


def check_with_names(checkpoint: OpenCheckpoint, asked: SpeechRequest) -> CheckedRequest:
    """The request of a part of a text whose markup names its voice: a preset of the model, or a voice of the user's.
    A text may come from a stranger, so it names voices and no files."""
    from mlx_tts.library.voice_choice import fitting_models, is_voice_file
    from mlx_tts.library.voice_shelf import user_shelf
    from mlx_tts.models import families

    name = asked.voice
    presets = map(catalog.voice_key, checkpoint.info.voices)
    if not isinstance(name, str) or is_voice_file(name) or catalog.voice_key(name) in presets:
        return families.check_request(checkpoint, asked)
    kept = user_shelf().get(name)
    if kept is None:
        return families.check_request(checkpoint, asked)
    try:
        return families.check_request(checkpoint, replace(asked, voice=kept.saved.voice))
    except RequestError as error:
        fitting = ", ".join(fitting_models(kept.saved)[:3])
        hint = f"; it was made for {fitting}" if fitting else ""
        raise RequestError(f"[voice:{name}]: {error}{hint}") from None


def prepared_again(model: TextToSpeech, saved: SavedVoice, request: CheckedRequest, console: Console) -> CheckedRequest:
    """The request with its voice made by this model from the recording that was kept."""
    from mlx_tts.cli.cloning import make_voice

    assert saved.recording is not None
    console.say(f"the voice was made with {saved.model or 'another model'}: preparing it for this one")
    voice = make_voice(model, saved.recording, saved.voice.transcript or None)
    return model.check(replace(request, voice=voice))
