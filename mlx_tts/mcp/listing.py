"""The voices of this machine for an agent: presets of models, and the user's own."""

from __future__ import annotations

from typing import Any

from mlx_tts.library import catalog, hub
from mlx_tts.library.voice_shelf import user_shelf
from mlx_tts.shortened import shown
from mlx_tts.text.languages import named


def known_voices(language: str | None = None) -> list[dict[str, Any]]:
    """Name, sex, language, accent and character of each, and whether it can speak at once. RequestError for a language
    that is none."""
    wanted = None if language is None else _language(language)
    found: list[dict[str, Any]] = []
    presets = catalog.presets()
    for name in catalog.preset_names():
        models = catalog.with_preset(name)
        if wanted is not None and not any(wanted in spec.languages for spec in models):
            continue
        about = presets.get(catalog.voice_key(name))
        facts = {} if about is None else {key: value for key, value in vars(about).items() if key != "name"}
        on_disk = any(spec.folder is not None or hub.is_on_disk(spec) for spec in models)
        found.append({"name": name, **facts, "on_disk": on_disk})
    own = [{"name": kept.name, "language": kept.saved.language, "own": True} for kept in user_shelf().voices()]
    return sorted(found, key=lambda voice: not voice["on_disk"]) + own


def _language(asked: str) -> str:
    from mlx_tts.errors import RequestError

    found = named(asked)
    if found is None:
        raise RequestError(f"unknown language {shown(asked, 40)}: give a name or a code, such as German or de")
    return found
