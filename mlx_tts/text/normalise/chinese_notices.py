"""Chinese forms of charts, pay, feasts, crafts and generations -> words: "5mg bid", "8k-1w", "5.1假期", "90后"."""

from __future__ import annotations

import re

from mlx_tts.text.normalise.east_asian import NUMBER, START, EastAsian
from mlx_tts.text.normalise.engine import Rule, mentions, one_of, rule, text_after, text_before

# Of these "w" is a watt, elsewhere ten thousand.
POWER = re.compile("功率|快充|充电|充電|电源|灯|瓦|电机|空调|适配器")
DOSES = {"qd": "每日一次", "bid": "每日两次", "tid": "每日三次", "qid": "每日四次", "qn": "每晚一次",
         "qod": "隔日一次", "prn": "必要时", "biw": "每周两次", "qw": "每周一次"}  # fmt: skip
ROUTES = {"ivgtt": "静脉滴注", "iv": "静脉注射", "im": "肌肉注射", "ih": "皮下注射", "sc": "皮下注射", "po": "口服"}
DOSED = r"(?:(?<=[克升片粒位支滴喷袋丸包gLlUu\d])|(?<=口服)|(?<=静滴)|(?<=静注)|(?<=皮下)|(?<=外用))[ ，,]{1,2}"
INSULIN = re.compile("胰岛素|肝素|青霉素|皮下|ih|sc")
PAID = re.compile("薪|工资|待遇|收入|价|元|块|钱|卖|炒|租|费|预算|粉丝|播放|点赞|阅读|offer")
PAY = re.compile("薪|工资|待遇|预算|收入")
RUN_IN = re.compile("跑|配速|马拉松|徒步")
SHARP = "[屏清画@]|分辨率|片源|价位|电视|内存|视频|画质|显示|跑步?鞋"
FESTIVE = (
    "那天|当天|当日|假期|小?长假|放假|黄金周|期间|大促|购物节|晚会|儿童节|建军节|教师节|劳动节|国庆|妇女节|女神节"
    "|节(?![目日假省约])|青年节|表白|地震|事变|开学|出发"
)
FESTIVALS = {"5.1": "五一", "10.1": "十一", "11.11": "双十一", "12.12": "双十二", "3.8": "三八", "6.1": "六一",
             "5.4": "五四", "3.15": "三一五", "6.18": "六一八", "5.20": "五二零", "9.18": "九一八",
             "5.12": "五一二"}  # fmt: skip
EVENTS = (
    "已|发[送布货车]|更新|开[学始业幕盘]|放假|大促|国庆|妇女节|儿童节|劳动节|圣诞|元旦|情人节|签[约到收]|到[期货达]|上[线市映]|出发|入[住学职]|退房"
    "|启动|举[行办]|返[校程]|交[稿付]|面试|考试|开会|体检|复[查诊]|手术|演出|首[发映播]|结束|下单|付款|提交|完成"
)
BORN = re.compile("[05-9][05]后")
CRAFT = (
    "歼|运|轰|强|直|教|轰油|运油|武直|苏|图|米格|雅克|安|东风|巨浪|鹰击|霹雳|红旗|海鹰|长剑|长征|神舟|天舟|天宫|嫦娥"
    "|快舟|力箭|朱雀|双曲线|天问|风云|高分|北斗|资源|实践|涡扇|涡桨|彩虹|翼龙|攻击|无侦|猎鹰|联盟|阿波罗|旅行者"
    "|织女|阿丽亚娜|质子|安加拉|月球|火星|探测器|新舟"
)


def pay_rules(own: EastAsian) -> tuple[Rule, ...]:
    """ "8k-1w": thousands and myriads of pay, of prices and of followers."""

    def thousands(number: str, letter: str) -> str:
        value = float(number) * (1000 if letter in "kK" else 10_000)
        if value == int(value):
            return own.cardinal(int(value))
        return own.spoken(number) + ("万" if letter in "wW" else "千")

    def pay(match: re.Match[str]) -> str | None:
        before = text_before(match, 8)
        if match["k"] in "kK" and RUN_IN.search(before[-3:] + text_after(match, 2)):
            return None if match["more"] else f"{own.spoken(match['n'])}公里"
        if match["k"] == "w" and (not mentions(PAID, match.string) or mentions(POWER, match.string)):
            return None
        if match["k"] in "KW" and not PAY.search(before):
            return None
        return thousands(match["n"], match["k"]) + ("多" if match["more"] else "")

    def pays(match: re.Match[str]) -> str | None:
        if not mentions(PAID, match.string) or RUN_IN.search(text_before(match, 3)):
            return None
        first, last = thousands(match["a"], match["ka"] or match["kb"]), thousands(match["b"], match["kb"])
        return f"{first}到{last}{'多' if match['more'] else ''}"

    amount = r"\d{1,3}(?:\.\d)?"
    return (
        rule(rf"{START}(?P<a>{amount})(?P<ka>[kKwW]?) ?[-–—~～至到] ?(?P<b>{amount})(?P<kb>[kKwW])(?P<more>\+?)"
             r"(?![A-Za-z\d])", pays),
        rule(rf"{START}(?P<n>{amount})(?P<k>[kKwW])(?P<more>(?:\+(?![提奖绩补餐房全社五双分]))?)"
             rf"(?![A-Za-z\d]|{SHARP})", pay),
        rule(r"(?<=\d[kKwW])\+(?=[提奖绩补餐房全社五双分])", "加"),
    )  # fmt: skip


def notice_rules(own: EastAsian, counters: str) -> tuple[Rule, ...]:
    """counters: a pattern of what two of them are counted by."""

    def festival(match: re.Match[str]) -> str:
        return FESTIVALS.get(match[0]) or own._short_date_of(int(match["month"]), int(match["day"]))

    def hours(match: re.Match[str]) -> str:
        return f"每{'两' if match['n'] == '2' else own.cardinal(int(match['n']))}小时一次"

    return (
        rule(r"(?<![A-Za-z\d_-])(?P<a>[BCDGOP])2(?P<b>[BCDGOP])(?![A-Za-z\d_-])", r"\g<a> to \g<b>"),
        rule(rf"{START}(?P<a>[1-9])[vV](?P<b>[1-9])(?![A-Za-z\d])",
             lambda m: f"{own.cardinal(int(m['a']))}V{own.cardinal(int(m['b']))}"),
        # Who was born in the eighties: "85后".
        rule(rf"{START}(?P<n>[05-9][05])(?=(?:[、/和与]?[05-9][05])?后(?![天年来续面勤]))",
             lambda m: own.by_digits(m["n"])),
        rule(rf"{START}(?P<n>10)(?=后(?:[们，。、的]|儿童|孩子|小学生|一代))",
             lambda m: own.by_digits(m["n"]) if mentions(BORN, m.string) else None),
        # The number of a craft stands behind a hyphen, which is no minus.
        rule(rf"(?P<craft>{CRAFT})-(?P<n>\d{{1,3}})(?P<more>[A-Z]{{0,3}})(?![\dA-Za-z.%℃°度-])",
             lambda m: f"{m['craft']}{own.cardinal(int(m['n']))} {m['more']}".strip()),
        rule(r"(?<![A-Za-z\d./-])(?P<a>0?\d{2})(?P<letter>[A-D])(?=(?:主战)?坦克|型?(?:驱逐|护卫)舰|步战车)",
             lambda m: f"{own.by_digits(m['a'])} {m['letter']}"),
        rule(r"(?<![A-Za-z\d._-])(?P<n>0\d{2})(?P<letter>[A-Z])(?![A-Za-z\d_-])",
             lambda m: f"{own.by_digits(m['n'])} {m['letter']}"),
        rule(r"(?<![A-Za-z\d.:])1:(?P<n>\d{1,3}(?:,\d{3}){1,2}|\d{3,8})(?![\d:.])",
             lambda m: f"一比{own.spoken(m['n'])}"),
        # How and how often a drug is given, behind how much of it.
        rule(rf"(?P<head>{DOSED})(?:(?P<how>{one_of(DOSES)})|(?P<route>{one_of(ROUTES)})"
             rf"(?: (?P<often>{one_of(DOSES)}))?)(?![A-Za-z\d])",
             lambda m: m["head"] + (DOSES[m["how"]] if m["how"] else ROUTES[m["route"]])
             + (f" {DOSES[m['often']]}" if m["often"] else "")),
        rule(r"(?<![A-Za-z\d])[qQ](?P<n>\d{1,2})[hH](?![A-Za-z\d])", hours),
        rule(r"(?<![A-Za-z\d.])(?P<n>\d{1,3}(?:,\d{3})?(?:\.\d)?) ?(?:[uU]|IU)(?![A-Za-z\d/])",
             lambda m: f"{own.spoken(m['n'])}单位" if mentions(INSULIN, m.string) else None),
        rule(rf"{START}(?P<n>{NUMBER})% ?(?P<what>NS|GS|GNS)(?![A-Za-z])",
             lambda m: f"{own.percent.format(own.spoken(m['n']))} {m['what']}"),
        rule(r"(?<=\d[gLl])\+(?=[一-鿿])|(?<=\dm[gl])\+(?=[一-鿿])", "加"),
        *pay_rules(own),
        rule(rf"{START}(?P<month>1[0-2]|[1-9])\.(?P<day>3[01]|[12]\d|[1-9])(?={FESTIVE})", festival),
        # "3栋-2单元-501": the hyphen is no minus.
        rule(r"(?:(?<=\d[栋幢楼座])|(?<=\d号楼)|(?<=\d单元)) ?[-–] ?(?P<n>\d{1,4})"
             r"(?=单元|室|号|[-，。；、,）) ]|\s*\Z)",
             lambda m: "，" + (own.by_digits(m["n"]) if len(m["n"]) > 2 else own.cardinal(int(m["n"])))),
        rule(r"(?:(?<=\d\.\d)|(?<=[）)]))[×x](?=[1-9](?:[、，。,；]|\s*\Z))", "，"),
        rule(r"(?<![A-Za-z\d.-])(?P<name>[A-Z][A-Za-z-]{1,11})[×x](?P<n>[1-9])(?=[、，。,；]|\s*\Z)",
             lambda m: f"{m['name']}，{own.cardinal(int(m['n']))}"),
        rule(r"(?<=[周期][一二三四五六])[-–—](?=[周星][一二三四五六日天期])", own.to),
        # Of floors below the ground the last alone has the word for a floor.
        rule(r"(?<![A-Za-z\d])B(?P<n>[1-9])(?P<sign>[/-]?)(?=(?:[、/和至到-]?B[1-9]){1,3}层)",
             lambda m: f"地下{own.cardinal(int(m['n']))}层" + {"/": "、", "-": "到", "": ""}[m["sign"]]),
        rule(r"(?<![A-Za-z（(])HbA1c(?![A-Za-z\d])", "糖化血红蛋白"),
        # A day before what happens on it; no other part of a whole is written so.
        rule(rf"(?<![A-Za-z\d./~〜=+×÷-])(?P<month>1[0-2]|[1-9])/(?P<day>3[01]|[12]\d|[1-9])(?={EVENTS})",
             lambda m: own._short_date_of(int(m["month"]), int(m["day"]))),
        rule(r"(?<![A-Za-z\d./-])(?P<n>[1-9]\d{2,5})/(?P<per>[月年晚])(?![一-鿿])",
             lambda m: f"每{m['per']}{own.cardinal(int(m['n']))}"),
        rule(r"(?<![A-Za-z\d._-])[×x]?@ ?(?=\d[\d,.]{0,8}[元块])", "，单价"),
        rule(r"(?<![\d/.])(?P<top>\d)/(?P<bottom>\d) ?(?P<spoon>[tT])(?:s|sp|bsp)(?![A-Za-z])",
             lambda m: own.fraction_words(own.spoken(m["bottom"]), own.spoken(m["top"]))
             + ("汤匙" if m["spoon"] == "T" or m[0].endswith("bsp") else "茶匙")),
        rule(r"(?<![A-Za-z\d.,-])(?P<n>\d{3})(?=区\d{1,3}排)", lambda m: own.by_digits(m["n"])),
        # "1-2小时"
        rule(rf"(?:(?<=\A1[-–~～至到])|(?<=[^\d.:/]1[-–~～至到]))2(?=(?:{counters}))", "两"),
    )  # fmt: skip
