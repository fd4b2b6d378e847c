"""What is to be said and a model -> nothing, or a refusal that names a model which speaks the language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlx_tts.errors import RequestError
from mlx_tts.library import catalog
from mlx_tts.library.catalog import ModelSpec
from mlx_tts.speech import ModelInfo
from mlx_tts.text.language_guess import SAMPLE, foreign_to
from mlx_tts.text.languages import AUTO, named, resolve

if TYPE_CHECKING:
    from mlx_tts.narration.job import Plan


def must_speak_language(asked: str, info: ModelInfo, model: str) -> None:
    """RequestError for a --language that this model does not have."""
    try:
        resolve(asked, info.languages)
    except RequestError:
        language = named(asked)
        if language is None or (other := _speaker_of(language, info)) is None:
            raise
        raise RequestError(f"{model} does not speak {language.capitalize()}: {_instead(other)}") from None


def must_speak_text(plan: Plan, info: ModelInfo, model: str) -> None:
    """RequestError for a text that surely is in another language, unless --language says what it is to be read as."""
    if plan.request.language != AUTO:
        return
    read, text = 0, []
    for piece in plan.pieces or []:
        if piece.language is None:
            text.append(piece.text)
            read += len(piece.text)
        if read >= SAMPLE:
            break
    spoken = [name for name in info.languages if name != AUTO]
    language = foreign_to(" ".join(text), spoken)
    if language is None or not spoken:
        return
    other = _speaker_of(language, info)
    instead = "no known model does" if other is None else _instead(other)
    raise RequestError(
        f"this text reads like {language.capitalize()}, which {model} does not speak: {instead}; "
        f"--language {spoken[0]} reads it all the same"
    )


def _speaker_of(language: str, info: ModelInfo) -> ModelSpec | None:
    """The model of the same kind to recommend for a language, the smallest first."""
    able = [spec for spec in catalog.models() if language in spec.languages and spec.kind == info.kind]
    return next((spec for spec in able if spec.recommended), able[0] if able else None)


def _instead(spec: ModelSpec) -> str:
    voice = f" --voice {spec.voices[0]}" if spec.voices else ""
    return f"give --model {spec.name}{voice} ({spec.download_size})"
