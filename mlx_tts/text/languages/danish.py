"""Danish: its names, and how a text in it is known."""

from mlx_tts.text.languages import Language

LANGUAGE = Language(
    "danish",
    "da dan dansk",
    common_words="og i at det er en på til af for ikke der den med som jeg de har et var han men sig vi fra eller "
    "havde blev",
    own_letters="ø",
)
