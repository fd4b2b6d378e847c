"""What was asked for -> the model to use, and a line to say about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches

from mlx_tts.errors import RequestError
from mlx_tts.library import catalog
from mlx_tts.library.catalog import ModelSpec
from mlx_tts.library.preferences import preferences, set_preference
from mlx_tts.shortened import LOOKED_AT, listed, shown

OnDisk = Callable[[ModelSpec], bool]
NAME, NAMES = 40, 60  # characters of a wrong name and of right ones in an error line


@dataclass(frozen=True)
class Choice:
    """The model taken. named: the user named it, so it may be fetched unasked. note: a line for standard error."""

    spec: ModelSpec
    named: bool = False
    note: str | None = None


def choose_model(model: str | None, voice: str | None, default: str | None, on_disk: OnDisk) -> Choice:
    """For `speak`: the named model, else one with the voice, else the default, else 0.6B CustomVoice, else tiny.

    voice is a preset's name; default is the configured default model; on_disk tells what needs no download.
    """
    if model is not None:
        return Choice(catalog.find(model), named=True)
    if voice is not None:
        return _model_with_voice(voice, default, on_disk)
    if default is not None:
        return Choice(catalog.find(default), named=True)
    presets = _variants("custom_voice", "0.6B")
    if found := next(filter(on_disk, presets), None):
        return Choice(found)
    builtin, full = catalog.find("tiny"), _recommended(presets)
    return Choice(builtin, note=_note(builtin, full))


def choose_base(model: str | None, default: str | None, on_disk: OnDisk) -> Choice:
    """For `clone`: the named model, else the default if it can clone, else a Base model: the 0.6B ones first, the
    built-in one last. Where none is on disk it is the one to fetch."""
    if model is not None:
        return Choice(catalog.find(model), named=True)
    if default is not None and ((can := (spec := catalog.find(default)).can) is None or can.clones):
        return Choice(spec, named=True)
    bases = [spec for spec in catalog.models() if spec.kind == "base"]
    full = _recommended(bases)
    found = next(filter(on_disk, bases), full)
    return Choice(found, note=_note(found, full) if found.folder else None)


def models_to_serve(names: tuple[str, ...], on_disk: OnDisk) -> list[ModelSpec]:
    """The named ones; without names what `speak` would take, and every model that is on disk."""
    if names:
        return list(dict.fromkeys(map(catalog.find, names)))
    default = choose_model(None, None, configured_default(), on_disk).spec
    return list(dict.fromkeys([default, *filter(on_disk, catalog.models())]))


def _note(builtin: ModelSpec, full: ModelSpec) -> str:
    experimental = " (experimental)" if builtin.experimental else ""
    return (
        f"using the small built-in model {builtin.name}{experimental}; "
        f"for the full one run `mlx-tts pull {full.name}` ({full.download_size})"
    )


def choose_designer(model: str | None, default: str | None, on_disk: OnDisk) -> Choice:
    """For `voice design`: the named model, else the default if it designs voices, else a VoiceDesign model."""
    if model is not None:
        return Choice(catalog.find(model), named=True)
    if default is not None and ((can := (spec := catalog.find(default)).can) and can.designs):
        return Choice(spec, named=True)
    designers = [spec for spec in catalog.models() if spec.kind == "voice_design"]
    return Choice(next(filter(on_disk, designers), None) or _recommended(designers))


def _model_with_voice(voice: str, default: str | None, on_disk: OnDisk) -> Choice:
    if default is not None:
        spec = catalog.find(default)
        # A folder or a foreign repository may know voices that the catalogue does not.
        if spec.has_voice(voice) or not spec.kind:
            return Choice(spec, named=True)
    having = [spec for spec in catalog.models() if spec.has_voice(voice)]
    if having:
        return Choice(next(filter(on_disk, having), None) or _recommended(having))
    raise _unknown(voice)


def must_be_known(voice: str) -> None:
    """RequestError for a name that is neither a preset of any model nor a voice of the user's."""
    from mlx_tts.library.voice_shelf import user_shelf

    if not catalog.with_preset(voice) and user_shelf().get(voice) is None:
        raise _unknown(voice)


def nearest_voices(voice: str, most: int) -> list[tuple[str, str]]:
    """The voices of all models and of the user whose names are most like this one, the nearest first, and whose each
    is: a model's name, or "yours"."""
    by_key = _voices_by_key()
    near = get_close_matches(catalog.voice_key(voice[:LOOKED_AT]), by_key, n=most)
    return [(by_key[key], _whose(by_key[key])) for key in near]


def _voices_by_key() -> dict[str, str]:
    return {catalog.voice_key(name): name for name in (*catalog.preset_names(), *_own_voices())}


def _own_voices() -> list[str]:
    from mlx_tts.library.voice_shelf import user_shelf

    return [kept.name for kept in user_shelf().voices()]


def _unknown(voice: str) -> RequestError:
    if near := nearest_voices(voice, 2):
        meant = " or ".join(f"{name} ({whose})" for name, whose in near)
        return RequestError(f"unknown voice {shown(voice, NAME)}: did you mean {meant}? `mlx-tts voices` lists all")
    # Of 60 names none is like it: those that need no download say what a name looks like.
    at_hand = listed(
        [*_own_voices(), *(voice for spec in catalog.models() if spec.folder for voice in spec.voices)], NAMES
    )
    return RequestError(
        f"unknown voice {shown(voice, NAME)}: try one of {at_hand}; `mlx-tts voices` lists all {len(_voices_by_key())}"
    )


def _whose(voice: str) -> str:
    """The first model that has a known voice."""
    return next((spec.name for spec in catalog.with_preset(voice)), "yours")


def _variants(kind: str, size: str) -> list[ModelSpec]:
    return [spec for spec in catalog.models() if spec.kind == kind and spec.size == size]


def _recommended(specs: list[ModelSpec]) -> ModelSpec:
    return next((spec for spec in specs if spec.recommended), specs[0])


def configured_default() -> str | None:
    """The model set with `mlx-tts models default`, or None."""
    return preferences().default_model


def set_default(name: str | None) -> None:
    """Configure the default model; None forgets it."""
    set_preference("default_model", name)
