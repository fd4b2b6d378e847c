"""Arabic: its names, and how a text in it is known."""

from mlx_tts.text.languages import Language

LANGUAGE = Language("arabic", "ar ara العربية", script="\u0600-\u06ff")
