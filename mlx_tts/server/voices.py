"""Names of voices -> voices: presets of the served models, OpenAI's names, and voices that were uploaded or saved."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from mlx_tts.errors import MlxTtsError
from mlx_tts.library.catalog import voice_key
from mlx_tts.library.voice_shelf import NAME, NAMES_ARE, KeptVoice, VoiceShelf
from mlx_tts.library.voice_store import SUFFIX, save_voice
from mlx_tts.server import borrowed_names
from mlx_tts.server.answers import ApiError, bad_request
from mlx_tts.server.model_pool import ModelPool, ServedModel
from mlx_tts.server.voice_ids import name_of
from mlx_tts.shortened import did_you_mean, listed, shown
from mlx_tts.speech import Voice

NO_ALIASES: Mapping[str, str] = MappingProxyType({})
MOST_VOICES = 1000  # uploaded ones; each takes some kilobytes


class UploadedVoices(VoiceShelf):
    """The shelf as the server's clients change it: they add and remove uploaded voices, and no others."""

    def __init__(self, uploaded: Path, saved: Path):
        super().__init__(uploaded, saved)
        self._changing = threading.Lock()

    def upload(self, voice: Voice, model: str) -> KeptVoice:
        """Keep an uploaded voice; ApiError 400 where its name was taken meanwhile, MlxTtsError where the disk takes no
        more."""
        with self._changing:
            return self._upload(voice, model)

    def _upload(self, voice: Voice, model: str) -> KeptVoice:
        if self.find(voice.name) is not None:
            raise _name_is_taken(voice.name)
        if len(list(self.uploaded.glob(f"*{SUFFIX}"))) >= MOST_VOICES:
            raise bad_request(f"{MOST_VOICES} voices are kept already: delete some", code="too_many_voices")
        path = self.uploaded / f"voice_{secrets.token_hex(8)}{SUFFIX}"
        try:
            self.uploaded.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise MlxTtsError(f"cannot make {self.uploaded}: {error.strerror}") from None
        save_voice(voice, path, model)
        kept = self._kept(path)
        assert kept is not None
        return kept

    def delete(self, voice_id: str) -> None:
        """Delete an uploaded voice; ApiError 404 where there is none of this id."""
        kept = next((kept for kept in self.voices() if kept.id == voice_id), None)
        if kept is None or not kept.uploaded:
            raise ApiError(
                404, f"no uploaded voice has the id {shown(voice_id)}", param="voice", code="voice_not_found"
            )
        kept.path.unlink(missing_ok=True)


def check_name(name: object, pool: ModelPool, shelf: UploadedVoices) -> str:
    """A name for an uploaded voice; ApiError 400 says what is wrong with it."""
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise bad_request(f"name must be {NAMES_ARE}", "name")
    taken = [voice for model in pool.models for voice in model.info.voices] + list(borrowed_names.VOICES)
    if voice_key(name) in map(voice_key, taken) or shelf.find(name) is not None:
        raise _name_is_taken(name)
    return name


def _name_is_taken(name: str) -> ApiError:
    return bad_request(f"name {shown(name)} is taken by another voice: choose another", "name", "voice_exists")


def known_names(pool: ModelPool, shelf: UploadedVoices) -> Iterator[str]:
    """The names of all voices: presets of every served model, and then voices of the shelf."""
    for model in pool.models:
        yield from model.info.voices
    yield from (kept.name for kept in shelf.voices())


def choose(
    pool: ModelPool,
    shelf: UploadedVoices,
    model_name: str | None,
    voice_name: str | None,
    aliases: Mapping[str, str] = NO_ALIASES,
    strict: bool = False,
) -> tuple[ServedModel, str | Voice | None]:
    """The model and the voice for what a client names. A voice alone brings the model that has it.

    aliases: names that stand for others, by their keys. strict: the names of OpenAI's and Kokoro's voices, which many
    clients let out alone, stand for none of ours.
    """
    model = pool.find(model_name)
    if voice_name is None or not voice_name.strip():
        return model, None
    voice_name = name_of(aliases.get(voice_key(voice_name), voice_name), known_names(pool, shelf))
    named = model_name is not None and pool.find(None) is not model
    others = [] if named else [other for other in pool.models if other is not model]
    for candidate in (model, *others):
        if (preset := candidate.preset(voice_name)) is not None:
            return candidate, preset
    kept = shelf.find(voice_name)
    if kept is not None:
        made_with = next((m for m in pool.models if kept.saved.model in (m.id, m.spec.lasting_name)), None)
        return (model if named or made_with is None else made_with), kept.saved.voice
    if borrowed_names.is_voice(voice_name) and not strict:
        return model, borrowed_names.preset_for(voice_name, model.info.voices)
    known = [kept.name for kept in shelf.voices()] + [voice for m in (model, *others) for voice in m.info.voices]
    raise bad_request(
        f"unknown voice {shown(voice_name, 40)}: {_instead(voice_name, known)}",
        "voice",
        "voice_not_found",
    )


def _instead(voice_name: str, known: list[str]) -> str:
    if not known:
        return "use none: this model has no voices by name"
    by_key = {voice_key(name): name for name in known}
    return f"{did_you_mean(voice_key(voice_name), by_key)}use {listed(known, rest=': GET /v1/audio/voices lists all')}"
