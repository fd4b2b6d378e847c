"""Swahili: its names."""

from mlx_tts.text.languages import Language

LANGUAGE = Language("swahili", "sw swa swh kiswahili")
