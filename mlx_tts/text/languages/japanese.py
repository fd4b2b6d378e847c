"""Japanese: its names, how a text in it is known and cut, and its words for numbers and signs."""

from __future__ import annotations

import re

from mlx_tts.text.languages import Language
from mlx_tts.text.normalise.east_asian import EastAsian
from mlx_tts.text.normalise.engine import Rule, rule


class Japanese(EastAsian):
    """Before a myriad a thousand is "one thousand"."""

    def cardinal(self, number: int) -> str:
        return re.sub(r"(\A|[万億兆])千(?=[^万億兆]*[万億兆])", r"\1一千", super().cardinal(number))

    def own_rules(self) -> tuple[Rule, ...]:
        return (
            rule(r"〒 ?(?P<a>\d{3})-(?P<b>\d{4})(?!\d)",
                 lambda m: f"郵便番号{self.by_digits(m['a'])}の{self.by_digits(m['b'])}"),
            rule(r"(?<=[一-鿿ぁ-んァ-ヶー])\d{1,4}(?:[-－‐–]\d{1,4}){2,3}(?![\d-])",
                 lambda m: None if re.match(r"0|\d{4}-\d\d-\d\d\Z", m[0])
                 else "の".join(self.cardinal(int(part)) for part in re.findall(r"\d+", m[0]))),
        )  # fmt: skip


WORDS = Japanese(
    versus="対", score_words="スコア[はが]?|結果[はが]?|得点[はが]?", pressure_words="血圧[はがも]?", pressure="の",
    version="バージョン", numero="ナンバー",
    code="ja", digits="零一二三四五六七八九", point="点", minus="マイナス", plus="プラス", percent="{}パーセント",
        fraction="{bottom}分の{top}",
        to="から", root="ルート",
    money={"¥": "{}円", "￥": "{}円", "$": "{}ドル", "€": "{}ユーロ", "£": "{}ポンド", "US$": "{}米ドル", "JPY": "{}円",
        "USD": "{}ドル", "EUR": "{}ユーロ"},
    units={"km/h": "時速{}キロメートル", "m/s": "秒速{}メートル", "km": "{}キロメートル", "kg": "{}キログラム",
        "cm": "{}センチメートル",
        "mm": "{}ミリメートル", "m": "{}メートル",
           "g": "{}グラム", "mg": "{}ミリグラム", "t": "{}トン", "°C": "{}度", "℃": "{}度", "°": "{}度",
               "ml": "{}ミリリットル",
               "mL": "{}ミリリットル", "L": "{}リットル", "l": "{}リットル",
           "dl": "{}デシリットル", "GB": "{}ギガバイト", "MB": "{}メガバイト", "KB": "{}キロバイト",
               "TB": "{}テラバイト", "m²": "{}平方メートル",
               "㎡": "{}平方メートル", "km²": "{}平方キロメートル",
           "m³": "{}立方メートル", "ha": "{}ヘクタール", "W": "{}ワット", "kW": "{}キロワット",
               "kWh": "{}キロワット時", "V": "{}ボルト",
               "Hz": "{}ヘルツ", "MHz": "{}メガヘルツ", "GHz": "{}ギガヘルツ",
           "kcal": "{}キロカロリー", "cc": "{}シーシー", "hPa": "{}ヘクトパスカル", "dB": "{}デシベル"},
    date="{year}年{month}月{day}日", clock="{hour}時{minute}分", full_hour="{hour}時",
        seconds="{hour}時{minute}分{second}秒",
        weekdays="月火水木金土日", weekday="{}曜日",
    web={".": "ドット", "-": "ハイフン", "_": "アンダーバー", "/": "スラッシュ", ":": "コロン", "@": "アットマーク",
        "+": "足す", "=": "は",
        "×": "掛ける", "÷": "割る"},
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
    everyday=(
        "今日はとても天気がいいので、散歩に行きましょう。",
        "すみません、駅はどこですか。",
        "妹は毎晩ギターを練習しています。",
        "この本はもう二回読みました。",
        "手伝ってくれて、本当にありがとう。",
    ),
    recognise=WORDS.recognise,
)
