"""Polish: its names, and how a text in it is known."""

from mlx_tts.text.languages import Language

LANGUAGE = Language(
    "polish",
    "pl pol polski",
    common_words="w i na z się nie do to że jest o jak ale po co za od tak jego przez już czy tym dla tylko są "
    "był jej go może być",
    own_letters="łę",
)
