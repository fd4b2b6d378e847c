"""Romanian: its names, and how a text in it is known."""

from mlx_tts.text.languages import Language

LANGUAGE = Language(
    "romanian",
    common_words="și în de a la nu o cu este pe că un se din mai pentru sunt care ce au fost sau dar lui",
    own_letters="țș",
)
