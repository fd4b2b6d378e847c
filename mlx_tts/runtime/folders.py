"""Where the tool keeps its own files: settings and lexicon, voices, results of autotune."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

NAME = "mlx-tts"


def config_folder() -> Path:
    """settings.json and lexicon.toml. MLX_TTS_HOME replaces this folder and the others."""
    return _home() or Path(platformdirs.user_config_path(NAME, appauthor=False))


def data_folder() -> Path:
    """Voices: voices/ and uploaded-voices/."""
    return _home() or Path(platformdirs.user_data_path(NAME, appauthor=False))


def cache_folder() -> Path:
    """kernels/ (results of autotune), cuda/ (compiled kernels) and recipes/ (what was measured to convert)."""
    return _home() or Path(platformdirs.user_cache_path(NAME, appauthor=False))


def _home() -> Path | None:
    folder = os.environ.get("MLX_TTS_HOME")
    return Path(folder).expanduser() if folder else None
