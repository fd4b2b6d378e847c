"""Norwegian: its names."""

from mlx_tts.text.languages import Language

LANGUAGE = Language(
    name="norwegian",
    spellings="no nor nb nob nn nno norsk",
)
