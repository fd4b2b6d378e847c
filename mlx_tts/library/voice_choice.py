"""--voice NAME or FILE -> the saved voice and the model for it; a voice that does not fit is prepared again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mlx_tts.errors import RequestError
from mlx_tts.library import catalog
from mlx_tts.shortened import shown

if TYPE_CHECKING:
    from mlx_tts.library.selection import Choice
    from mlx_tts.library.voice_shelf import KeptVoice
    from mlx_tts.library.voice_store import SavedVoice
    from mlx_tts.models.families import OpenCheckpoint
    from mlx_tts.speech import CheckedRequest, SpeechRequest

    Check = Callable[[SpeechRequest], CheckedRequest]


@dataclass(frozen=True)
class VoiceChoice:
    """The model, and the saved voice where --voice means one."""

    choice: Choice
    saved: SavedVoice | None = None


def is_voice_file(voice: str) -> bool:
    """Whether --voice means a file: names have no such ending and no folder."""
    return voice.endswith(".safetensors") or "/" in voice


def choose(model: str | None, voice: str | None) -> VoiceChoice:
    """The model to use, and the voice where --voice names a file or a voice of the user's."""
    from mlx_tts.library import hub, selection

    default = selection.configured_default()
    saved = None if voice is None else find_saved(voice)
    if saved is None:
        return VoiceChoice(selection.choose_model(model, voice, default, hub.is_on_disk))
    if model is None and saved.model is not None and not _is_known(saved.model):
        # Made elsewhere, with a model that is not here: any that takes vectors of this width will do.
        fitting = catalog.cloners_for(len(saved.voice.speaker_embedding))
        there = next(filter(hub.is_on_disk, fitting), fitting[0] if fitting else None)
        if there is None:
            raise RequestError(f"the voice {shown(voice)} was made with {saved.model}, which is not here: give --model")
        return VoiceChoice(replace(selection.choose_base(there.name, None, hub.is_on_disk), named=False), saved)
    choice = selection.choose_base(model or saved.model, default, hub.is_on_disk)
    return VoiceChoice(replace(choice, named=model is not None), saved)


def find_saved(voice: str) -> SavedVoice | None:
    """The voice in a file, or the user's voice of this name; presets come first."""
    if is_voice_file(voice):
        from mlx_tts.files.reading import user_path
        from mlx_tts.library.voice_store import load_voice

        return load_voice(user_path(voice))
    if catalog.voice_key(voice) in catalog.presets():
        return None
    from mlx_tts.library.voice_shelf import user_shelf

    kept = user_shelf().get(voice)
    return None if kept is None else kept.saved


def _is_known(model: str) -> bool:
    try:
        catalog.find(model)
    except RequestError:
        return False
    return True


def fitting_models(saved: SavedVoice) -> list[str]:
    """The names of the models that can use a voice: the one it was made with, and the others of its width."""
    known = [spec.name for spec in catalog.cloners_for(len(saved.voice.speaker_embedding))]
    return known if saved.model is None or saved.model in known else [saved.model, *known]


def check_with_names(
    check: Check, presets: Iterable[str], find: Callable[[str], KeptVoice | None], asked: SpeechRequest
) -> CheckedRequest:
    """The request of a part of a text whose markup names its voice: a preset of the model, or one that `find` knows. A
    text may come from a stranger, so it names voices and no files. RequestError for any other name."""
    name = asked.voice
    if not isinstance(name, str) or is_voice_file(name) or catalog.voice_key(name) in map(catalog.voice_key, presets):
        return check(asked)
    kept = find(name)
    if kept is None:
        return check(asked)
    try:
        return check(replace(asked, voice=kept.saved.voice))
    except RequestError as error:
        fitting = ", ".join(fitting_models(kept.saved)[:3])
        hint = f"; it was made for {fitting}" if fitting else ""
        raise RequestError(f"[voice:{name}]: {error}{hint}") from None


def check_with_voice(
    asked: SpeechRequest, saved: SavedVoice | None, chosen: Choice, checkpoint: OpenCheckpoint
) -> tuple[CheckedRequest, bool]:
    """The checked request, and whether its voice must be prepared again from its recording once the model is loaded."""
    from mlx_tts.models import families

    if saved is None:
        return families.check_request(checkpoint, asked), False
    if not checkpoint.info.can.clones:
        fitting = ", ".join(fitting_models(saved)[:3]) or "a Base model"
        raise RequestError(f"{chosen.spec.name} cannot use a saved voice: leave --model out, or use {fitting}")
    try:
        return families.check_request(checkpoint, asked), False
    except RequestError as error:
        without = families.check_request(checkpoint, replace(asked, voice=None))  # is it the voice?
        if saved.recording is None:
            fitting = ", ".join(fitting_models(saved)[:3])
            raise RequestError(f"{error}{f', or use {fitting}' if fitting else ''}") from None
        return without, True
