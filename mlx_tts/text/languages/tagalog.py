"""Tagalog: its names."""

from mlx_tts.text.languages import Language

LANGUAGE = Language(
    name="tagalog",
    spellings="tl tgl fil filipino",
)
