"""Text to speech on MLX. Names are resolved when first used, so that importing costs next to nothing.

import mlx_tts

with mlx_tts.load("tiny") as tts:
    tts.speak("Hello there.").save("hello.wav")
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mlx_tts.api import TextToSpeech
    from mlx_tts.api import TextToSpeech as Synthesizer
    from mlx_tts.errors import AudioError, DownloadError, MlxTtsError, ModelError, RequestError
    from mlx_tts.library.voice_store import load_voice, save_voice
    from mlx_tts.speech import (
        AudioChunk,
        Capabilities,
        GuardReport,
        Mark,
        ModelInfo,
        Sampling,
        SpeechRequest,
        Voice,
    )

__version__ = "0.2.0"

__all__ = [
    "AudioChunk",
    "AudioError",
    "Capabilities",
    "DownloadError",
    "GuardReport",
    "Mark",
    "MlxTtsError",
    "ModelError",
    "ModelInfo",
    "RequestError",
    "Sampling",
    "SpeechRequest",
    "Synthesizer",
    "TextToSpeech",
    "Voice",
    "__version__",
    "load",
    "load_voice",
    "normalise",
    "save_voice",
]

# name -> where it is defined. Synthesizer is the name that TextToSpeech had in version 0.1.0.
_HOMES = {name: ("mlx_tts.errors", name) for name in __all__ if name.endswith("Error")}
_HOMES |= {name: ("mlx_tts.speech", name) for name in ("AudioChunk", "Capabilities", "GuardReport", "Mark")}
_HOMES |= {name: ("mlx_tts.speech", name) for name in ("ModelInfo", "Sampling", "SpeechRequest", "Voice")}
_HOMES |= {name: ("mlx_tts.library.voice_store", name) for name in ("load_voice", "save_voice")}
_HOMES |= dict.fromkeys(("Synthesizer", "TextToSpeech"), ("mlx_tts.api", "TextToSpeech"))


def load(model: str | Path = "tiny", *, offline: bool = False, progress: bool = True) -> TextToSpeech:
    """Load a model by alias, repository id or folder.

    A model that is not on disk is fetched: `progress` says so on standard error, with its size and a bar. With
    `offline` it raises DownloadError instead. The model may be used from any thread and closed with `close` or `with`.
    """
    from mlx_tts import api
    from mlx_tts.library import catalog, hub
    from mlx_tts.models import families

    if not isinstance(model, (str, Path)):
        from mlx_tts.errors import RequestError
        from mlx_tts.shortened import shown

        raise RequestError(f"model is {shown(model)}: give an alias, a repository id or a folder")
    spec = catalog.find(str(model))
    folder = hub.fetch(spec, offline=offline, log=_tell if progress else None, progress=progress)
    return api.load_checkpoint(families.open_checkpoint(folder))


def normalise(text: str, language: str = "auto") -> str:
    """The words that a model which needs words would be given: "It costs $5." -> "It costs five dollars."

    language: a name, an ISO code or a locale tag ("english", "en", "en-GB"); auto: that of the text. A form is said
    whole or left as it is written. RequestError for a language that nobody knows.
    """
    from mlx_tts.text.reading import normalise as in_words

    return in_words(text, language)


def _tell(line: str) -> None:
    import sys

    print(line, file=sys.stderr, flush=True)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'mlx_tts' has no attribute {name!r}")
    module, attribute = _HOMES[name]
    return getattr(import_module(module), attribute)


def __dir__() -> list[str]:
    return sorted(__all__)
