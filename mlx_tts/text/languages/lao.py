"""Lao: its names, and how a text in it is known."""

from mlx_tts.text.languages import Language

LANGUAGE = Language("lao", "lo ລາວ", script="\u0e80-\u0eff")
