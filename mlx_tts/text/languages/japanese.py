"""Japanese: its names, how a text in it is known and cut, and its words for numbers and signs."""

from mlx_tts.text.languages import Language
from mlx_tts.text.normalise.east_asian import EastAsian

WORDS = EastAsian(
    digits="零一二三四五六七八九", tens=("十", "百", "千"), myriads=("万", "億", "兆"), one_before=4, point="点",
    minus="マイナス", percent="{}パーセント", fraction="{bottom}分の{top}", to="から",
    money={"¥": "{}円", "￥": "{}円", "$": "{}ドル", "€": "{}ユーロ", "£": "{}ポンド"},
    units={"km/h": "時速{}キロメートル", "km": "{}キロメートル", "kg": "{}キログラム", "cm": "{}センチメートル",
           "mm": "{}ミリメートル", "m": "{}メートル", "g": "{}グラム", "°C": "{}度", "℃": "{}度", "°": "{}度",
           "ml": "{}ミリリットル", "L": "{}リットル", "GB": "{}ギガバイト"},
    date="{year}年{month}月{day}日", clock="{hour}時{minute}分", full_hour="{hour}時",
)  # fmt: skip
LANGUAGE = Language(
    name="japanese",
    spellings="ja jpn jp 日本語 nihongo",
    script="\u3040-\u30ff",
    character_weight=3,
    mixed_with="chinese",
    sentences="ja",
    sample="昨日の夜、雨の音が聞こえましたか。真夜中に降り始めて、朝には庭じゅうが光っていました。お茶をいれて、"
    "鳥が戻ってくるのを見ていました。",
    normalise=WORDS.normalise,
)
