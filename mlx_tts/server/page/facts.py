"""The served models, voices and limits -> one answer from which the page draws its lists."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from mlx_tts import __version__
from mlx_tts.audio.formats import FORMATS
from mlx_tts.library import catalog, hub
from mlx_tts.library.catalog import ModelSpec
from mlx_tts.server.model_pool import ServedModel
from mlx_tts.server.serving import Serving
from mlx_tts.server.uploads import LEAST_SECONDS, MOST_SECONDS, SAMPLE_BYTES


def facts(serving: Serving) -> dict[str, Any]:
    """What the page shows before anybody speaks. Reads small files only."""
    pool = serving.pool
    return {
        "version": __version__,
        "max_input": serving.settings.max_input,
        "sample": {"bytes": SAMPLE_BYTES, "least_seconds": LEAST_SECONDS, "most_seconds": MOST_SECONDS},
        "models": [_served(model, model is pool.default) for model in pool.models],
        "voices": [
            {
                "id": kept.id,
                "name": kept.name,
                "model": _name_of_maker(serving, kept.saved.model),
                "created_at": kept.created_at,
                "deletable": kept.uploaded,
            }
            for kept in serving.shelf.voices()
        ],
        "formats": [
            {"name": entry.name, "title": entry.title, "note": entry.note}
            for entry in FORMATS.values()
            if entry.container
        ],
        "catalogue": [_listed(spec, {model.id for model in pool.models}) for spec in catalog.models()],
    }


def _served(model: ServedModel, is_default: bool) -> dict[str, Any]:
    info, spec = model.info, model.spec
    return {
        "id": model.id,
        "default": is_default,
        "loaded": model.tts is not None,
        "rows": model.admission.rows if model.admission is not None else None,
        "family": info.family,
        "kind": info.kind,
        "size": info.size,
        "quantisation": info.quantisation,
        "licence": spec.licence,
        "experimental": spec.experimental,
        "size_bytes": spec.size_bytes,
        "languages": list(info.languages),
        "can": asdict(info.can),
        "voices": [_preset(name) for name in info.voices],
    }


def _preset(name: str) -> dict[str, Any]:
    known = catalog.presets().get(catalog.voice_key(name))
    if known is None:
        return {"name": name}
    return {**asdict(known), "name": name}


def _name_of_maker(serving: Serving, made_with: str | None) -> str | None:
    """The served model that a voice was made with; None where none of them made it."""
    models = serving.pool.models
    return next((model.id for model in models if made_with in (model.id, model.spec.lasting_name)), None)


def _listed(spec: ModelSpec, served: set[str]) -> dict[str, Any]:
    return {
        "id": spec.name,
        "kind": spec.kind,
        "size": spec.size,
        "quantisation": spec.quantisation,
        "licence": spec.licence,
        "size_bytes": spec.size_bytes,
        "on_disk": hub.is_on_disk(spec),
        "served": spec.name in served,
        "recommended": spec.recommended,
        "experimental": spec.experimental,
        "clones": spec.can is not None and spec.can.clones,
    }
