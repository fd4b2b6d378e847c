"""Hindi: its names, and how a text in it is known."""

from mlx_tts.text.languages import Language

LANGUAGE = Language("hindi", "hi hin हिन्दी हिंदी", script="\u0900-\u097f")
