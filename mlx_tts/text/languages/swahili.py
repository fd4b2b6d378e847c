"""Swahili: its names."""

from mlx_tts.text.languages import Language

LANGUAGE = Language(
    name="swahili",
    spellings="sw swa swh kiswahili",
)
