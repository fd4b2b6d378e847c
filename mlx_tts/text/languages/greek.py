"""Greek: its names, and how a text in it is known."""

from mlx_tts.text.languages import Language

LANGUAGE = Language("greek", "el ell gre ελληνικά", script="\u0370-\u03ff")
