"""Indonesian: its names, and how a text in it is known."""

from mlx_tts.text.languages import Language

LANGUAGE = Language(
    "indonesian",
    "id ind",
    common_words="yang dan di itu dengan untuk tidak ini dari dalam akan pada juga saya ke karena ada oleh kami",
)
