"""A text and its language -> phonemes, by what reads that language. RequestError says what is not installed."""

from __future__ import annotations

from collections.abc import Iterable

from mlx_tts.errors import RequestError
from mlx_tts.models.kokoro.text import by_espeak
from mlx_tts.models.kokoro.text.phonemes import Phonemes, english
from mlx_tts.text.phonemes.phones import written


def phonemes_of(text: str, language: str, voice: str, known: Iterable[str]) -> Phonemes:
    """English is American but for voices whose names begin with b. known: the symbols of the model."""
    if language == "english":
        return english(text, voice.startswith("b"), known)
    if by_espeak.is_read(language):
        return by_espeak.read(written(text), language, known)
    raise RequestError(
        f"this program does not read {language.capitalize()} for Kokoro yet: give phonemes (--option phonemes=on)"
    )
