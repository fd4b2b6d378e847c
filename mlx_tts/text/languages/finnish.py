"""Finnish: its names, and how a text in it is known."""

from mlx_tts.text.languages import Language

LANGUAGE = Language(
    "finnish",
    "fi fin suomi",
    common_words="ja on ei se että oli hän mutta kun niin ovat kuin olen mitä ole joka myös tämä siitä sen",
)
