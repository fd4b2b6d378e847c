"""Text to speech with Qwen3-TTS on MLX. Names are resolved when first used, so that importing costs next to nothing."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mlx_tts.errors import AudioError, DownloadError, MlxTtsError, ModelError, RequestError
    from mlx_tts.library.voice_store import load_voice, save_voice
    from mlx_tts.speech import AudioChunk, GuardReport, ModelInfo, Sampling, SpeechRequest, Synthesizer, Voice

__version__ = "0.1.0"

__all__ = [
    "AudioChunk",
    "AudioError",
    "DownloadError",
    "GuardReport",
    "MlxTtsError",
    "ModelError",
    "ModelInfo",
    "RequestError",
    "Sampling",
    "SpeechRequest",
    "Synthesizer",
    "Voice",
    "__version__",
    "load",
    "load_voice",
    "save_voice",
]

_HOMES = {name: "mlx_tts.errors" for name in __all__ if name.endswith("Error")}
_HOMES |= dict.fromkeys(
    ("AudioChunk", "GuardReport", "ModelInfo", "Sampling", "SpeechRequest", "Synthesizer", "Voice"), "mlx_tts.speech"
)
_HOMES |= dict.fromkeys(("load_voice", "save_voice"), "mlx_tts.library.voice_store")


def load(model: str | Path = "tiny", *, offline: bool = False) -> Synthesizer:
    """Load a model by alias, repository id or folder, fetching it if it is not on disk (unless `offline`).

    It may be used from any thread: its work is done on one of its own.
    """
    from mlx_tts.library import catalog, hub
    from mlx_tts.models import families
    from mlx_tts.runtime import mlx_thread

    folder = hub.fetch(catalog.find(str(model)), offline=offline)
    return mlx_thread.load(lambda: families.load_folder(folder))


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'mlx_tts' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
