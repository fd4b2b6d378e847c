"""The Chinese of Beijing: its names; it is normalised like Chinese."""

from mlx_tts.text.languages import Language
from mlx_tts.text.languages.chinese import WORDS

LANGUAGE = Language("beijing_dialect", "beijing 北京话 北京話 beijinghua", normalise=WORDS.normalise)
