"""Thai: its names, and how a text in it is known."""

from mlx_tts.text.languages import Language

LANGUAGE = Language("thai", "th tha ไทย", script="\u0e00-\u0e7f")
