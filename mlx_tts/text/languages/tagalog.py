"""Tagalog: its names."""

from mlx_tts.text.languages import Language

LANGUAGE = Language("tagalog", "tl tgl fil filipino")
