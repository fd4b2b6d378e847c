"""Malay: its names."""

from mlx_tts.text.languages import Language

LANGUAGE = Language("malay", "ms msa may zsm melayu")
