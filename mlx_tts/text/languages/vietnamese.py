"""Vietnamese: its names, and how a text in it is known."""

from mlx_tts.text.languages import Language

LANGUAGE = Language(
    "vietnamese",
    "vi vie",
    common_words="và của là có không được trong cho một người những với các đã này để khi đến cũng như về tôi",
    own_letters="đơư",
)
