"""The Chinese of Sichuan: its names; it is normalised like Chinese."""

from mlx_tts.text.languages import Language
from mlx_tts.text.languages.chinese import WORDS

LANGUAGE = Language("sichuan_dialect", "sichuan sichuanese 四川话 四川話 sichuanhua", normalise=WORDS.normalise)
