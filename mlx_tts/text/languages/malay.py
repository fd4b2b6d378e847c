"""Malay: its names."""

from mlx_tts.text.languages import Language

LANGUAGE = Language(
    name="malay",
    spellings="ms msa may zsm melayu",
)
