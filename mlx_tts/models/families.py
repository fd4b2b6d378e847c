"""Folder in, Synthesizer out: the checkpoint's config says which family of models loads it."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType

from mlx_tts.checkpoints.config_fields import read_json
from mlx_tts.errors import ModelError
from mlx_tts.speech import ModelInfo, SpeechRequest, Synthesizer

FAMILIES = {"qwen3_tts": "mlx_tts.models.qwen3_tts"}  # model_type in config.json -> package of the family
Log = Callable[[str], None]


def describe(folder: Path) -> ModelInfo:
    """What a checkpoint's small files say of it. Reads no weights and imports no mlx.nn."""
    return _part(folder, "info").describe(folder)


def check_request(info: ModelInfo, request: SpeechRequest) -> SpeechRequest:
    """The checked request; RequestError says what this model cannot do. Reads no weights."""
    return import_module(f"{FAMILIES[info.family]}.info").check_request(info, request)


def load_folder(folder: Path, *, dtype: str | None = None, log: Log | None = None) -> Synthesizer:
    """Load a checkpoint. dtype: "float32" or "bfloat16" for the talker; None chooses by device and file."""
    from mlx_tts.runtime.memory import limit_cache

    part = _part(folder, "synthesizer")
    limit_cache()
    return part.load(folder, dtype=dtype, log=log or (lambda line: None))


def _part(folder: Path, name: str) -> ModuleType:
    if not folder.is_dir():
        raise ModelError(f"{folder} is no folder: give an alias, a repository id or a checkpoint's folder")
    model_type = read_json(folder / "config.json").get("model_type")
    if model_type not in FAMILIES:
        known = ", ".join(FAMILIES)
        raise ModelError(
            f"{folder / 'config.json'} has model_type {model_type!r}; this program speaks with {known} models"
        )
    return import_module(f"{FAMILIES[model_type]}.{name}")
