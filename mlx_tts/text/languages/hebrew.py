"""Hebrew: its names, and how a text in it is known."""

from mlx_tts.text.languages import Language

LANGUAGE = Language("hebrew", "he heb iw עברית", script="\u0590-\u05ff")
