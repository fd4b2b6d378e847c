"""Burmese: its names, and how a text in it is known."""

from mlx_tts.text.languages import Language

LANGUAGE = Language("burmese", "my mya bur မြန်မာ", script="\u1000-\u109f")
