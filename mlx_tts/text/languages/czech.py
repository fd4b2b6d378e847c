"""Czech: its names, and how a text in it is known."""

from mlx_tts.text.languages import Language

LANGUAGE = Language(
    "czech",
    common_words="a se v na je že o s z do to i ale jako za by pro tak po jsem jeho si jsou který však bylo od",
    own_letters="řě",
)
