"""Turkish: its names, and how a text in it is known."""

from mlx_tts.text.languages import Language

LANGUAGE = Language(
    "turkish",
    "tr tur türkçe turkce",
    common_words="ve bir bu da de için ile çok ne daha gibi o var ama en kadar sonra olarak ben mi değil her olan",
    own_letters="ğı",
)
