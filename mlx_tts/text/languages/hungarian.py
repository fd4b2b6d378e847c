"""Hungarian: its names, and how a text in it is known."""

from mlx_tts.text.languages import Language

LANGUAGE = Language(
    "hungarian",
    common_words="a az és hogy nem is egy ez de volt meg csak már még ki mint vagy ha el azt",
    own_letters="ő",
)
