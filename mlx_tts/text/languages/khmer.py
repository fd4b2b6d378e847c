"""Khmer: its names, and how a text in it is known."""

from mlx_tts.text.languages import Language

LANGUAGE = Language("khmer", "km khm ខ្មែរ", script="\u1780-\u17ff")
