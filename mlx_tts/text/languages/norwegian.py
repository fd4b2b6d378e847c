"""Norwegian: its names."""

from mlx_tts.text.languages import Language

LANGUAGE = Language("norwegian", "no nor nb nob nn nno norsk")
