"""Chinese: its names, how a text in it is known and cut, and its words for numbers and signs."""

from __future__ import annotations

from mlx_tts.text.languages import Language
from mlx_tts.text.normalise.east_asian import START, EastAsian
from mlx_tts.text.normalise.rules import Rule, rule

COUNTERS = (
    "个|個|次|天|岁|歲|本|人|只|隻|块|塊|小时|小時|位|名|件|条|條|家|种|種|张|張|瓶|杯|年(?!代)|周|週|倍|万|萬|亿|億"
)


class Chinese(EastAsian):
    def counters(self) -> tuple[Rule, ...]:
        return (rule(rf"{START}2(?=(?:{COUNTERS}))", self.two),)


WORDS = Chinese(
    digits="零一二三四五六七八九", tens=("十", "百", "千"), myriads=("万", "亿", "兆"), one_before=2, point="点",
    minus="负", percent="百分之{}", fraction="{bottom}分之{top}", to="到",
    money={"¥": "{}元", "￥": "{}元", "$": "{}美元", "€": "{}欧元", "£": "{}英镑"},
    units={"km/h": "{}公里每小时", "km": "{}公里", "kg": "{}公斤", "cm": "{}厘米", "mm": "{}毫米", "m": "{}米",
           "g": "{}克", "°C": "{}摄氏度", "℃": "{}摄氏度", "°": "{}度", "ml": "{}毫升", "L": "{}升", "m²": "{}平方米",
           "GB": "{}G B"},
    date="{year}年{month}月{day}日", clock="{hour}点{minute}分", full_hour="{hour}点整", one_inside=True, two="两",
    zero="零", before_minutes="零", years_by_digits=True, telephone_one="幺",
)  # fmt: skip
LANGUAGE = Language(
    name="chinese",
    spellings="zh zho chi cmn mandarin 中文 汉语 漢語 普通话 普通話 国语 國語 zhongwen putonghua",
    script="\u3400-\u9fff",
    character_weight=3,
    sentences="zh",
    sample="你昨天晚上听见下雨了吗？雨是半夜开始下的，到了早上，整个花园都在发亮。我泡了一杯茶，看着小鸟飞回来。",
    normalise=WORDS.normalise,
)
