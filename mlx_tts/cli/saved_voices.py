"""A saved voice that does not fit the model -> one that does, prepared again from its recording."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mlx_tts.cli.console import Console

if TYPE_CHECKING:
    from mlx_tts.api import TextToSpeech
    from mlx_tts.library.voice_store import SavedVoice
    from mlx_tts.speech import CheckedRequest


def prepared_again(model: TextToSpeech, saved: SavedVoice, request: CheckedRequest, console: Console) -> CheckedRequest:
    """The request with its voice made by this model from the recording that was kept."""
    from mlx_tts.cli.cloning import make_voice

    assert saved.recording is not None
    console.say(f"the voice was made with {saved.model or 'another model'}: preparing it for this one")
    voice = make_voice(model, saved.recording, saved.voice.transcript or None)
    return model.check(replace(request, voice=voice))
