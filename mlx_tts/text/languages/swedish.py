"""Swedish: its names, and how a text in it is known."""

from mlx_tts.text.languages import Language

LANGUAGE = Language(
    "swedish",
    "sv swe svenska",
    common_words="och i att det som en på är av för med den till inte har de om ett var jag men sig så vi från "
    "eller hade när",
)
