"""Speech -> its words, by faster-whisper or, on a Mac, mlx-whisper; extras install them, and they are imported late."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from mlx_tts.audio.files import resample
from mlx_tts.errors import AudioError, DownloadError, RequestError
from mlx_tts.extras import missing
from mlx_tts.samples import Samples
from mlx_tts.shortened import reason_of, shown

RECOGNISER = "base"  # of Whisper's sizes the smallest that is good enough for clear speech in ten languages
RATE = 16_000

SIZES = {"tiny": "75 MB", "base": "145 MB", "small": "484 MB", "medium": "1.5 GB"}  # to download, for faster-whisper


@dataclass(frozen=True)
class Purpose:
    """What words are recognised for. option: what names the recogniser; instead: what to do where there is none."""

    asks: str
    option: str
    extra: str
    instead: str


TRANSCRIPTS = Purpose("--transcribe", "--recogniser", "transcribe", "give --transcript")
CHECKS = Purpose("--verify", "--verify-model", "verify", "leave --verify out")


@dataclass(frozen=True)
class RecognisedSpeech:
    """What was said, and the ISO code of the language that it was taken for."""

    words: str
    language: str


class Recogniser(Protocol):
    def heard(self, samples: Samples, sample_rate: int, language_code: str | None) -> RecognisedSpeech:
        """language_code: ISO 639-1; None lets the recogniser guess. Words may be empty."""
        ...


def check_recogniser(purpose: Purpose = TRANSCRIPTS, model: str | None = None) -> None:
    """RequestError where the extra for this model is missing; imports nothing heavy."""
    package = "mlx_whisper" if model is not None and _is_mlx_folder(Path(model)) else "faster_whisper"
    if importlib.util.find_spec(package) is None:
        name = package.replace("_", "-")
        raise RequestError(f"{missing(f'{purpose.asks} needs {name}', purpose.extra)}, or {purpose.instead}")


def open_recogniser(
    model: str = RECOGNISER, agrees: Callable[[str], bool] = lambda _question: False, purpose: Purpose = TRANSCRIPTS
) -> Recogniser:
    """model: a size of Whisper, or a folder with a model for either package. agrees: asked before one is fetched."""
    check_recogniser(purpose, model)
    if _is_mlx_folder(Path(model)):
        return _MlxWhisper(model, purpose)
    return _FasterWhisper(_load(model, agrees, purpose), purpose)


def transcribe(
    samples: Samples,
    sample_rate: int,
    language_code: str | None,
    model: str = RECOGNISER,
    agrees: Callable[[str], bool] = lambda _question: False,
) -> RecognisedSpeech:
    """The words of a voice sample; AudioError where there are none."""
    heard = open_recogniser(model, agrees).heard(samples, sample_rate, language_code)
    if not heard.words:
        raise AudioError("the recogniser heard no words in the voice sample: give --transcript, or another sample")
    return heard


class _FasterWhisper:
    def __init__(self, model: Any, purpose: Purpose) -> None:
        self._model, self._purpose = model, purpose

    def heard(self, samples: Samples, sample_rate: int, language_code: str | None) -> RecognisedSpeech:
        sound = resample(samples, sample_rate, RATE)
        try:
            segments, about = self._model.transcribe(
                sound, language=language_code, beam_size=5, condition_on_previous_text=False
            )
            words = " ".join(segment.text.strip() for segment in segments).strip()
        except (RuntimeError, ValueError) as error:
            raise _failure(error, self._purpose) from None
        return RecognisedSpeech(words, str(about.language))


class _MlxWhisper:
    """A folder of mlx-whisper: weights and a config.json with the names of Whisper's own sizes."""

    def __init__(self, folder: str, purpose: Purpose) -> None:
        self._folder, self._purpose = folder, purpose

    def heard(self, samples: Samples, sample_rate: int, language_code: str | None) -> RecognisedSpeech:
        import mlx_whisper

        sound, options = resample(samples, sample_rate, RATE), {"condition_on_previous_text": False}
        try:
            result = mlx_whisper.transcribe(sound, path_or_hf_repo=self._folder, language=language_code, **options)
        except (RuntimeError, ValueError, OSError, KeyError, TypeError) as error:
            raise _failure(error, self._purpose) from None
        return RecognisedSpeech(str(result["text"]).strip(), str(result["language"]))


def _failure(error: Exception, purpose: Purpose) -> AudioError:
    return AudioError(f"the recogniser failed ({reason_of(error)}): {purpose.instead}")


def _is_mlx_folder(folder: Path) -> bool:
    """Whether the folder is mlx-whisper's; faster-whisper's has a model.bin."""
    try:
        with (folder / "config.json").open(encoding="utf-8") as file:
            config = json.loads(file.read(1 << 20))
    except (OSError, ValueError):
        return False
    return isinstance(config, dict) and "n_audio_state" in config


def _load(model: str, agrees: Callable[[str], bool], purpose: Purpose) -> Any:
    from faster_whisper import WhisperModel

    options = {"device": "cpu", "compute_type": "int8"}
    try:
        return WhisperModel(model, local_files_only=True, **options)
    except ValueError as error:
        if "Invalid model size" in str(error):
            raise RequestError(
                f"{purpose.option} {shown(model)} is unknown: give tiny, base, small, medium or a folder"
            ) from None
    except (OSError, RuntimeError):  # not on disk, or no model in that folder
        pass
    if Path(model).is_dir():
        raise RequestError(f"{purpose.option} {model}: that folder holds no model of Whisper, give another")
    fetch_it = f"the recogniser {model} is not on disk"
    if not agrees(f"{fetch_it} ({SIZES[model]})" if model in SIZES else fetch_it):
        raise DownloadError(f"{fetch_it} and the network is off or was not wanted: {purpose.instead}")
    try:
        return WhisperModel(model, **options)
    except (OSError, RuntimeError, ValueError) as error:
        raise DownloadError(f"{fetch_it} and could not be fetched ({reason_of(error)}): {purpose.instead}") from None
