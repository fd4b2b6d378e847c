"""Chinese: its names, how a text in it is known and cut, and its words for numbers and signs."""

from __future__ import annotations

import re

from mlx_tts.text.languages import Language
from mlx_tts.text.normalise.east_asian import NUMBER, START, EastAsian
from mlx_tts.text.normalise.engine import Rule, one_of, rule

COUNTERS = (
    r"勺|碗|颗|粒|根|支|头|片|节|套|辆|层|座|份|斤|公斤|分钟|秒钟|项|款|届|批|组|家|"
    r"个|個|次|天|岁|歲|本|人|只|隻|块|塊|小时|小時|位|名|件|条|條|家|种|種|张|張|瓶|杯|年(?!代)|周|週|倍|万|萬|亿|億"
)


class Chinese(EastAsian):
    """Two is 两 before thousands, myriads and words that count; a gap below a myriad of myriads is said."""

    def cardinal(self, number: int) -> str:
        high, low = divmod(number, 10**8)
        if not high:
            said = super().cardinal(number)
        else:
            gap = "零" if 0 < low < 10**7 else ""
            rest = super().cardinal(low) if low else ""
            rest = f"一{rest}" if rest.startswith("十") and not gap else rest
            said = f"{self.cardinal(high)}亿{gap}{rest}"
        return re.sub(r"二(?=[千万亿])", "两", said)

    def counters(self) -> tuple[Rule, ...]:
        return (rule(rf"{START}(?<!第)2(?=(?:{COUNTERS}))", lambda match: "两"),)

    def own_rules(self) -> tuple[Rule, ...]:
        return (
            rule(r"(?:(?<=公元前)|(?<=公元)|(?<=纪元)|(?<=西元)|(?<=西元前))(?P<n>\d{1,4})(?= ?年)",
                 lambda m: self.by_digits(m["n"])),
            rule(rf"(?P<sign>{one_of(self.money)}) ?(?P<n>{NUMBER})[/／](?P<per>[一-鿿]{{1,2}})(?![一-鿿])",
                 lambda m: f"{self.money[m['sign']].format(self.spoken(m['n']))}每{m['per']}"),
            rule(r"(?<![A-Za-z\d.,_-])(?P<n>\d{3,4})(?=室|房间|号房|会议室|教室)",
            lambda m: self.by_digits(m["n"])),
            rule(r"(?:(?<=邮编)|(?<=邮政编码)|(?<=邮编[：: ])|(?<=邮政编码[：: ])|(?<=邮编：)|(?<=验证码)|"
            r"(?<=验证码[：: 是])|(?<=密码[：: 是])|(?<=学号[：: ]))(?P<n>\d{4,8})(?!\d)",
                 lambda m: self.by_digits(m["n"])),
            rule(r"(?<![\d-])\d{1,3}[-–:]\d{1,3}(?:[、，, ]{1,2}\d{1,3}[-–:]\d{1,3}){1,4}(?![\d-])", self._sets),
            rule(r"(?<=[元块])/㎡", "每平方米"),
            rule(rf"{START}(?P<a>(?:1[5-9]|20)\d\d) ?[-–~～至到] ?(?P<b>(?:1[5-9]|20)\d\d)(?=年|赛季|学年|财年|[）)])",
                 lambda m: f"{self.by_digits(m['a'])}到{self.by_digits(m['b'])}"),
            rule(rf"{START}(?P<a>\d{{1,3}})/(?P<b>\d{{1,3}})(?=层)",
            lambda m: f"{self.cardinal(int(m['a']))}层，共{self.cardinal(int(m['b']))}"),
            rule(r"(?<=[次人个件台辆吨米升克])/(?=[年月日天周次人位个件分秒])", "每"),
            rule(r"(?<=[元块])/(?=[年月日天周次人位个件小])", "每"),
            rule(rf"{START}(?P<n>\d{{1,4}})(?P<year>年)?(?P<month>(?:\d{{1,2}}月)?) ?(?P<era>[aA]\.?[dD]\.?|"
                 rf"[bB]\.?[cC]\.?)(?![A-Za-z])", self._era),
        )  # fmt: skip

    def _sets(self, match: re.Match[str]) -> str | None:
        """Scores of several sets, where the sentence is about a match."""
        if not re.search(r"比分|战胜|击败|不敌|负于|获胜|取胜|大比分|局|盘", match.string):
            return None
        return re.sub(r"(\d+)[-–:](\d+)", lambda m: f"{self.cardinal(int(m[1]))}比{self.cardinal(int(m[2]))}", match[0])

    def _era(self, match: re.Match[str]) -> str:
        era = "公元" if match["era"][0] in "aA" else "公元前"
        month = f"{self.cardinal(int(match['month'][:-1]))}月" if match["month"] else ""
        return f"{era}{self.by_digits(match['n'])}年{month}"


WORDS = Chinese(
    versus="比", about="约等于", and_part="又", score_words="比分[是为]?|[以]|战成", pressure_words="血压[是为]?",
        pressure="，",
    version="版本", numero="第",
    names_by_digits=3, code="zh", digits="零一二三四五六七八九", point="点", minus="负", plus="正", percent="百分之{}",
        fraction="{bottom}分之{top}",
        to="到", root="根号",
    money={"¥": "{}元", "￥": "{}元", "$": "{}美元", "€": "{}欧元", "£": "{}英镑", "US$": "{}美元", "HK$": "{}港元",
        "RMB": "{}元",
        "CNY": "{}元", "USD": "{}美元", "EUR": "{}欧元", "₩": "{}韩元"},
    units={"km/s": "{}公里每秒", "ppm": "百万分之{}", "ppb": "十亿分之{}", "μg/m³": "{}微克每立方米",
    "µg/m³": "{}微克每立方米",
        "kPa": "{}千帕", "mmHg": "{}毫米汞柱", "mg/L": "{}毫克每升", "mmol/L": "{}毫摩尔每升", "km/h": "{}公里每小时",
            "m/s": "{}米每秒", "km": "{}公里", "kg": "{}千克", "cm": "{}厘米", "mm": "{}毫米",
        "m": "{}米",
        "g": "{}克", "mg": "{}毫克", "t": "{}吨", "°C": "{}摄氏度",
           "℃": "{}摄氏度", "°F": "{}华氏度", "°": "{}度", "ml": "{}毫升", "mL": "{}毫升", "L": "{}升", "l": "{}升",
               "m²": "{}平方米",
               "㎡": "{}平方米", "km²": "{}平方公里", "m³": "{}立方米", "ha": "{}公顷",
           "GB": "{}G B", "MB": "{}M B", "TB": "{}T B", "ms": "{}毫秒", "s": "{}秒", "min": "{}分钟", "h": "{}小时",
               "W": "{}瓦", "kW": "{}千瓦", "kWh": "{}千瓦时", "V": "{}伏", "Hz": "{}赫兹", "MHz": "{}兆赫",
           "GHz": "{}吉赫", "kcal": "{}千卡", "hPa": "{}百帕", "dB": "{}分贝"},
    date="{year}年{month}月{day}日", clock="{hour}点{minute}分", full_hour="{hour}点整",
        seconds="{hour}点{minute}分{second}秒",
        before_minutes="零", years_by_digits=True, telephone_one="幺",
    weekdays="一二三四五六日", weekday="星期{}",
    web={".": "点", "-": "横杠", "_": "下划线", "/": "斜杠", ":": "冒号", "@": "艾特", "+": "加", "=": "等于",
    "−": "减",
        "×": "乘以", "÷": "除以"},
)  # fmt: skip
LANGUAGE = Language(
    name="chinese",
    spellings="zh zho chi cmn mandarin 中文 汉语 漢語 普通话 普通話 国语 國語 zhongwen putonghua",
    script="\u3400-\u9fff",
    character_weight=3,
    sentences="zh",
    sample="你昨天晚上听见下雨了吗？雨是半夜开始下的，到了早上，整个花园都在发亮。我泡了一杯茶，看着小鸟飞回来。",
    everyday=(
        "今天天气很好，我们去公园散步吧。",
        "请问，去火车站怎么走？",
        "他每天早上喝一杯热茶。",
        "孩子们在院子里高兴地玩。",
        "这本书我已经看过两遍了。",
    ),
    recognise=WORDS.recognise,
)
