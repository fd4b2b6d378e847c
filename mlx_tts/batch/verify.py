"""--verify -> a function from a line's sound to the words that a recogniser hears in it, and how many are wrong."""

from __future__ import annotations

from collections.abc import Callable

from mlx_tts.batch.settings import BatchSettings
from mlx_tts.samples import Samples
from mlx_tts.text.heard_words import count, differences, language_code

Verify = Callable[[Samples, int, str, str], tuple[str, int]]


def verifier(settings: BatchSettings, say: Callable[[str], None]) -> Verify | None:
    """The function, with its recogniser loaded once; None where nobody asked for it."""
    if settings.verify is None:
        return None
    from mlx_tts.audio.recogniser import CHECKS, open_recogniser

    def agrees(what: str) -> bool:
        say(f"{what}: fetching it")
        return True

    recogniser = open_recogniser(settings.verify, agrees, CHECKS)

    def verify(samples: Samples, sample_rate: int, text: str, language: str) -> tuple[str, int]:
        words = recogniser.heard(samples, sample_rate, language_code(language, text)).words
        return words, count(differences(text, words, language))

    return verify
