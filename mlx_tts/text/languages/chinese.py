"""Chinese: its names, how a text in it is known and cut, and its words for numbers and signs."""

from __future__ import annotations

import re

from mlx_tts.text.languages import Language
from mlx_tts.text.normalise.chinese_notices import DOSES, POWER, notice_rules
from mlx_tts.text.normalise.east_asian import NUMBER, START, EastAsian
from mlx_tts.text.normalise.east_asian_measures import ChartWords, measure_rules
from mlx_tts.text.normalise.east_asian_notices import blood_rule, protection_rule, test_rule
from mlx_tts.text.normalise.east_asian_products import aircraft_rule, model_rules, optics_rules
from mlx_tts.text.normalise.east_asian_slashes import slash_rules, span_rule
from mlx_tts.text.normalise.east_asian_spans import is_title, span_rules, title_rules
from mlx_tts.text.normalise.engine import Rule, mentions, one_of, rule, text_after, text_before, words_of

COUNTERS = (
    r"勺|碗|颗|粒|根|支|头|片|节|套|辆|座|站|分(?=\d)|层(?=楼|小楼|别墅|厚|床|纸|玻璃|巴士|建筑)|份|斤|公斤|分钟|秒钟|项|款|届|批|组|家|"
    r"分半|点半|汤匙|茶匙|大勺|小勺|匙|滴|把|包|袋|盒|箱|趟|轮|处|户|间|扇|匹|尾|朵|棵|株|枝|句|段|篇|封|幅|桩|笔|双|对|副|堆|枚|"
    r"架|艘|股|刀|票|番|成|台|部|场|遍|顿|步|点|道|亩|晚|夜|学期|"
    r"例(?![如子外])|起(?=事故|案件|事件|火灾|纠纷|投诉|病例|[，。、])|局(?!部)|球(?![类员队衣鞋场])|胜(?![利任])|平(?=[0-9]|，|。)|负(?=[，。、]|\s*\Z)"
    r"|桶|盘(?![点活])|锅|壶|罐|听(?=可乐|啤酒|饮料|雪碧|罐头)|串|[栋幢](?=楼|房|别墅|建筑|大厦|厂房|住宅|小楼)|面(?=墙|镜|国?旗|锦旗|红旗)"
    r"|口(?=人|之家|锅|井|气)|门(?=课|学科|功课|语言|选修|必修|专业|大炮|考试)|首(?![页都席先创付届])|集(?![团体合成中群结训])"
    r"|页(?=纸|书|文件|内容|资料)|行(?=字|代码|诗)|回(?=合)|代人|公里|千米|米(?![饭粉粥黄线其兰\d])|厘米|毫米|平方|立方|平米|吨|毫升|升(?![级旗至])|克"
    r"|[美欧港日]元|港币|英镑|元(?![旦宵月素论化组件]|一次|结构|方程)|角(?=钱|五|[，。])|毛(?=钱|[，。])|束|捆|筐|篮|盏|顶|圈|杆|剂|针|缸"
    r"|格(?=电|[，。])|地(?=[之间的])|国(?=[之间元首])|千|餐|样|身(?=衣服|西装)|桌(?![面子游球上下])"
    r"|所|瓣|册(?!子)|冊|个|個|次|天|岁|歲|本|人|只|隻|块|塊|小时|小時|位|名|件|条|條|家|种|種|张|張|瓶|杯|年(?!代|级)|周|週|倍|万|萬|亿|億"
)

PARTS = {"½": "二分之一", "⅓": "三分之一", "⅔": "三分之二", "¼": "四分之一", "¾": "四分之三"}
BEFORE_CHRIST = re.compile("公元前")
DYNASTIES = re.compile(
    "[唐隋汉魏晋周秦吴蜀梁陈宋辽金]朝|皇帝|[高太]祖|太宗|武帝|公元|登基|即位|帝国|年号|罗马|拜占庭|教皇"
)
PROVINCES = "京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼"
SCORED = "(?<=[得拿砍扣加减差])|(?<=[得拿砍扣加减差先后]了)|(?<=领先)|(?<=落后)"
CHARTS = ChartWords("零 一 二 三 四", "每分钟每一点七三平方米{n}毫升", "千分之{}", "{}个加号")
CALLED = re.compile("电话|热线|客服|拨打|致电|咨询|投诉|查询|短信|银行|运营商|移动|联通|电信|官网")
SCHOOLS = re.compile("高校|大学|院校|工程|毕业|本科|硕士|名校|高考|考[上进入]|录取|双一流")
TWO_OF = words_of("km cm mm m g mg L l ml mL t h min s km² m² ㎡ m³ ha ㎝ ㎜ ㎞ ㎎ ㎖ ℓ m2 m3 KM")
RELATIONS = {"<": "小于", "＜": "小于", ">": "大于", "＞": "大于", "≤": "不超过", "≥": "不低于"}


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
        return re.sub(r"(?<![十百零])二(?=[千万亿])", "两", said)

    def hour(self, number: int) -> str:
        """Two o'clock is 两点."""
        return "两" if number == 2 else super().hour(number)

    def counters(self) -> tuple[Rule, ...]:
        return (
            rule(rf"{START}(?<!第)(?<!第\d、)2(?=(?:{COUNTERS}))", lambda match: "两"),
            rule(rf"(?:{SCORED})2(?=分(?![\d钟之秒]))", "两"),
            rule(rf"{START}(?<!第)(?<!分)2(?=秒(?![杀表钟]))", "两"),
            rule(rf"(?<=\.\d[-–~～])2(?=(?:{COUNTERS}))", lambda match: "两"),
            rule(
                r"(?<=[周期拜][一二三四五六])(?P<n>\d{1,2})(?=[点时号])",
                lambda m: "，" + (self.hour(int(m["n"])) if m.string[m.end()] != "号" else self.cardinal(int(m["n"]))),
            ),
            rule(rf"{START}(?<!第)2(?=、3(?:{COUNTERS}|[百千]))", lambda match: "两"),
            rule(rf"{START}(?<!第)2(?=[到至][3-9](?!年级)(?:{COUNTERS}))", lambda match: "两"),
            rule(
                rf"{START}(?<!第)2 ?[-–—~～〜] ?(?P<last>[3-9])(?!年级)(?=(?:{COUNTERS}))",
                lambda m: f"两到{self.cardinal(int(m['last']))}",
            ),
            rule(
                r"(?P<head>(?:拨打|致电|呼叫|拨|报警|急救|火警|匪警|救护)[：: 为]{0,2})"
                r"(?P<n>1\d\d)(?![\d.]| ?[个元次通遍多])",
                lambda m: m["head"] + self.by_digits(m["n"]).replace("一", self.telephone_one),
            ),
            rule(rf"{START}(?P<a>[1-9])\.(?P<b>[1-9])(?= ?折)", lambda m: self.by_digits(m["a"] + m["b"])),
            rule(r"(?<=[共有为了高])2(?=层)", lambda match: "两"),
            # Of a flat: "2室2厅2卫". Alone "2厅" is the name of a hall.
            rule(
                rf"{START}2(?=[室房]\d厅|居室|居(?![然住民委留])|室户|梯\d户|[男女](?:\d|[，,。、；)）]))|(?:(?<=室)|(?<=房))2(?=厅)|(?<=厅)2(?=[卫衛厨阳])|(?<=[卫厨])2(?=[厨阳])",
                lambda match: "两",
            ),
        )

    def own_rules(self) -> tuple[Rule, ...]:
        return (
            # How tall somebody is, or how high he jumps.
            rule(r"(?<![\d.A-Za-z])(?P<n>\d{1,2})(?P<metre>米)(?P<rest>\d\d)(?![\d.%]|[厘公分毫万千×xX*])",
                 lambda m: f"{'两' if m['n'] == '2' else self.cardinal(int(m['n']))}{m['metre']}"
                 f"{self.by_digits(m['rest'])}"),
            rule(r"(?:(?<=公元前)|(?<=公元)|(?<=纪元)|(?<=西元)|(?<=西元前))(?P<n>\d{1,4})(?= ?年)",
                 lambda m: self.by_digits(m["n"]) if len(m["n"]) > 2 else self.cardinal(int(m["n"]))),
            rule(rf"(?P<sign>{one_of(self.money)}) ?(?P<n>{NUMBER})[/／](?P<per>[一-鿿]{{1,2}}(?<!起))(?![一-鿿])",
                 lambda m: f"{self.money[m['sign']].format(self.spoken(m['n']))}每{m['per']}"),
            rule(r"(?<![A-Za-z\d._-])(?P<a>\d{1,2})-(?P<b>\d{1,2})-(?P<c>\d{3,4})(?![\d.-]|[年人元])",
                 lambda m: f"{self.cardinal(int(m['a']))}杠{self.cardinal(int(m['b']))}杠{self.by_digits(m['c'])}"),
            rule(r"(?<![A-Za-z\d._-])(?:(?P<area>0\d{2,3})-)?(?P<n>\d{3,8})(?=转\d)",
                 lambda m: (f"{self.by_digits(m['area'])}，" if m["area"] else "")
                 + self.by_digits(m["n"]).replace("一", self.telephone_one)),
            rule(r"(?P<head>(?:内线|总机|短号|报至|服务台|前台)(?:电话)?[：: 是为拨]{0,2})(?P<n>\d{3,6})"
                 r"(?![\d-]|[个人元名])",
                 lambda m: m["head"] + self.by_digits(m["n"])),
            rule(rf"{START}(?P<n>10086|10010|10000|12306|12315|12345|12123|955\d\d)(?=[、，。；！）)]|\s*\Z|热线|客服|查询)",
                 lambda m: self.by_digits(m["n"]).replace("一", self.telephone_one)
                 if mentions(CALLED, m.string) else None),
            rule(rf"{START}(?P<a>\d{{1,2}})\+(?P<b>\d{{1,4}})(?P<unit>[GT])B?(?![A-Za-z\d])",
                 lambda m: f"{self.cardinal(int(m['a']))}加{self.cardinal(int(m['b']))}{m['unit']}"),
            rule(r"(?:(?<=\d秒)|(?<=\d 秒))(?P<n>\d{2})(?![\d秒分个]|\.\d)", lambda m: self.by_digits(m["n"])),
            rule(r"(?P<head>楼层[：: 为]{0,2})(?P<a>\d{1,3})/(?P<b>\d{1,3})(?![\d/层])",
                 lambda m: f"{m['head']}{self.cardinal(int(m['a']))}层，共{self.cardinal(int(m['b']))}层"),
            rule(r"(?<=\d教)(?P<n>[1-9]\d{2,3})(?!\d)", lambda m: self.by_digits(m["n"])),
            rule(r"(?<=[楼层])(?P<n>[1-9]\d{2,3})(?=[，。；、）)]|\s*\Z)", lambda m: self.by_digits(m["n"])),
            rule(r"(?:(?<=号楼)|(?<=单元)|(?<=\d[栋幢座])|(?<=[A-Z][座栋幢]))(?P<n>[1-9]\d{2,3})(?![\d.-]|[一-鿿])",
                 lambda m: self.by_digits(m["n"])),
            rule(r"(?<![A-Za-z\d._-])(?<!\d,)(?P<n>\d{3,4})(?=室|房(?![地产价屋租源贷款子])|号房|会议室|教室|病房|寝室|宿舍|诊室|展厅|号?商?铺(?!垫)|档口)",
            lambda m: self.by_digits(m["n"])),
            rule(r"(?:(?<=邮编)|(?<=邮政编码)|(?<=邮编[：: ])|(?<=邮政编码[：: ])|(?<=邮编：)|(?<=验证码)|"
            r"(?<=验证码[：: 是])|(?<=密码[：: 是])|(?<=学号[：: ]))(?P<n>\d{4,8})(?!\d)",
                 lambda m: self.by_digits(m["n"])),
            rule(r"(?P<head>(?:热线|电话|拨打|致电|客服|投诉|举报|咨询)[：: 为是]{0,2})(?P<n>\d{5,6})(?![\d-])",
                 lambda m: m["head"] + self.by_digits(m["n"]).replace("一", self.telephone_one)),
            rule(r"(?P<head>(?:截止|截至|日期|定于|改到|改至|有效期至)[：: 到至于]{0,2})"
                 r"(?P<month>1[0-2]|0?[1-9])/(?P<day>3[01]"
                r"|[12]\d|0?[1-9])"
                 r"(?![\d/])",
                 lambda m: f"{m['head']}{self.cardinal(int(m['month']))}月{self.cardinal(int(m['day']))}日"),
            rule(r"(?:(?<=周[一二三四五六日天])|(?<=期[一二三四五六日天]))(?P<open>[（(])(?P<month>1[0-2]|0?[1-9])/"
                 r"(?P<day>3[01]|[12]\d|0?[1-9])(?=[）)])",
                 lambda m: f"{m['open']}{self.cardinal(int(m['month']))}月{self.cardinal(int(m['day']))}日"),
            rule(r"(?<![A-Za-z\d.])(?<!\d,)(?P<n>\d{1,3})(?P<part>[½⅓⅔¼¾])(?![\d.])",
                 lambda m: f"{self.cardinal(int(m['n']))}又{PARTS[m['part']]}"),
            rule(r"(?<![A-Za-z\d.-])(?<!\d,)(?P<n>\d{1,2}(?:\.\d{1,3})?)%/(?P<per>[日天月年])(?![一-鿿])|"
                 r"(?<![A-Za-z\d.-])(?<!\d,)(?P<m>\d{1,2}(?:\.\d{1,3})?)%/(?P<per2>[日天月年])(?=[计算收])",
                 lambda m: f"每{m['per'] or m['per2']}百分之{self.spoken(m['n'] or m['m'])}"),
            rule(r"(?<=公元前)(?P<a>\d{1,4})(?P<year>年?) ?[-–—~～至到]{1,2} ?(?P<before>(?:公元)?前)"
                 r"(?P<b>\d{1,4})(?=年)",
                 lambda m: f"{self.by_digits(m['a'])}{m['year']}到{m['before']}{self.by_digits(m['b'])}"),
            rule(r"(?<![元史纪以之从])前(?P<n>[1-9]\d\d)(?=年(?![前间来]))",
                 lambda m: "前" + self.by_digits(m["n"]) if mentions(BEFORE_CHRIST, m.string) else None),
            protection_rule(self, "|[个個]"),
            rule(rf"{START}(?P<n>19[5-9]\d|200[1-9]|20[1-4]\d)(?=[款级])", lambda m: self.by_digits(m["n"])),
            rule(rf"{START}(?P<month>1[0-2]|[1-9])/(?P<day>3[01]|[12]\d|[1-9])(?= \d{{1,2}}(?::\d\d|[点时點時]))",
                 lambda m: self._short_date_of(int(m["month"]), int(m["day"]))),
            blood_rule(self, "，"),
            test_rule(self),
            *span_rules(self, "{}日"),
            *title_rules(),
            *slash_rules(self),
            span_rule(self, self._two),
            *measure_rules(self, CHARTS),
            aircraft_rule(self, "波音", "杠"),
            *optics_rules(self),
            *model_rules(self, "加"),
            *notice_rules(self, COUNTERS),
            rule(r"(?:(?<=分机)|(?<=分机是)|(?<=分机号是)|(?<=分机号))(?P<n>\d{3})(?!\d)",
                 lambda m: self.by_digits(m["n"])),
            rule(r"(?<![A-Za-z\d.])(?P<h>\d{1,2})h(?P<m>[0-5]?\d)min(?![A-Za-z])",
                 lambda m: f"{'两' if m['h'] == '2' else self.cardinal(int(m['h']))}小时"
                 f"{self.cardinal(int(m['m']))}分钟"),
            rule(r"±(?=[A-Z）)])", self.plus + self.minus),
            rule(r"(?:(?<=[日次天片粒包袋])(?=[×x]\d{1,3}[天日周])|(?<=[AB][1-6])(?=[×x]\d{1,3}[页张份]))[×x]", "，"),
            rule(r"(?<=[一-鿿a-z])(?<![元块])[×x](?=[1-9]\d?(?:[根条个個台件盒袋]|[、。,，]|\s*\Z))", "，"),
            rule(r"(?<![A-Za-z\d])(?P<a>\d{1,3})G\+(?P<b>\d{2,4})(?P<unit>[GT])(?![A-Za-z\d])",
                 lambda m: f"{self.cardinal(int(m['a']))}G加{self.cardinal(int(m['b']))}{m['unit']}"),
            rule(rf"(?<![A-Za-z\d.])(?P<minus>[+-]?)(?P<n>{NUMBER}) ?(?:bps?|BP)(?![A-Za-z])",
                 lambda m: f"{self._sign(m)}{'两' if m['n'] == '2' else self.spoken(m['n'])}个基点"),
            rule(r"(?<=\d万)/(?:㎡|m²|平米|平方米)", "每平方米"),
            # A kilometre of a road, the number of a car, how long a drug is taken, how new a thing is.
            rule(r"(?<![A-Za-z\d])K(?P<a>\d{1,4})\+(?P<b>\d{1,3})(?![\d+])",
                 lambda m: f"K{self.cardinal(int(m['a']))}加{self.cardinal(int(m['b']))}"),
            rule(rf"(?P<place>[{PROVINCES}][A-Z])(?P<dot>[·• ]?)(?P<n>(?=[A-Z]{{0,2}}\d)[A-Z\d]{{5,6}})(?![A-Za-z\d])",
                 lambda m: f"{m['place']}{m['dot']}{re.sub(r'[0-9]', lambda n: self.by_digits(n[0]), m['n'])}"),
            rule(r"(?<![A-Za-z])(?P<how>q[a-z]{1,3}|[btq]id) ?[×x*] ?(?P<n>\d{1,3})(?=[天日周])",
                 lambda m: f"{DOSES.get(m['how'], m['how'])}，{self.cardinal(int(m['n'])) if m['n'] != '2' else '两'}"),
            rule(rf"{START}(?P<n>[89]\d)(?=新(?![一-鿿]))", lambda m: self.by_digits(m["n"])),
            rule(r"(?<=[一-鿿])\+(?=[¥￥$€] ?\d)", "加"),
            rule(rf"(?P<sign>{one_of(self.money)}) ?(?P<n>{NUMBER})(?P<from>起?)[/／](?P<per>人|晚|间夜?|天|次|位|张"
                 r"|小时|年|月)(?P<from2>起?)(?![一-鿿])",
                 lambda m: f"每{m['per']}{self.money[m['sign']].format(self.spoken(m['n']))}起"
                 if m["from"] or m["from2"] else None),
            rule(rf"{START}(?P<n>\d{{1,4}}(?:\.\d)?)w(?=[多\+]|左右|以[内下上]|块|元|粉|播放|[，。,！!）)、]|\s*\Z)",
                 lambda m: None if mentions(POWER, m.string) else f"{self.spoken(m['n'])}万"),
            rule(r"(?<=[-–—~～至到])前(?P<n>\d{1,4})(?=年[）)，。；、])",
                 lambda m: "前" + self.by_digits(m["n"]) if mentions(BEFORE_CHRIST, m.string) else None),
            rule(r"(?<=[万亿千])\+(?=[一-鿿，。；、！）)]|\s*\Z)", "多"),
            rule(rf"{START}(?P<n>{NUMBER}) ?(?P<unit>g|mg|kg|ml|mL|L|kcal|U|IU)/(?P<per>日|天|次|人|袋|盒|片|支"
                 rf"|晚)(?![一-鿿])",
                 self._each),
            # Of a dynasty's time three figures are a year, unless something says how long it took.
            rule(r"(?<![A-Za-z\d.-])(?<!\d,)(?P<a>[1-9]\d\d) ?[-–—~～至到] ?(?P<b>[1-9]\d\d)(?=年)",
                 lambda m: f"{self.by_digits(m['a'])}到{self.by_digits(m['b'])}"
                 if m["a"] < m["b"] and mentions(DYNASTIES, m.string) else None),
            rule(r"(?<!享国)(?<!国祚)(?<!延续)(?<!持续)(?<!统治)(?<!在位)(?<!存在)"
                 r"(?<![近约达时超过有共长了第这前后满经\d.])(?P<n>[1-9]\d\d)(?=年(?![前后间来代多余以左的]))",
                 lambda m: self.by_digits(m["n"]) if mentions(DYNASTIES, m.string) and not self._lasting(m) else None),
            rule(rf"{START}(?P<n>{NUMBER})(?=一[张个斤份只瓶杯次人位件条套晚天碗盒包袋本支双公])",
                 lambda m: f"{self.spoken(m['n'])}，"),
            rule(rf"{START}(?P<n>985|211)(?=[、/和或及]|高校|大学|院校|工程|毕业|本科|硕士|名校|的|，|。)",
                 lambda m: self.by_digits(m["n"]) if mentions(SCHOOLS, m.string) else None),
            rule(rf"{START}(?P<n>996|007)(?=工作制|上班|加班|的工作|模式|制度)", lambda m: self.by_digits(m["n"])),
            rule(rf"{START}(?P<n>618|315|520)(?=大促|活动|期间|购物节|年中|晚会|打假|投诉|表白)",
                 lambda m: self.by_digits(m["n"])),
            rule(rf"{START}(?P<n>12306|123[0-9]{{2}}|100[0-9]{{2}}|95\d{{3}})(?=官网|网|热线|客服|平台"
                 r"|APP|App|订票|购票|投诉|电话|短信|公布|咨询)",
                 lambda m: self.by_digits(m["n"]).replace("一", self.telephone_one)),
            rule(r"(?<![A-Za-z\d.-])(?<!\d,)(?P<a>1[0-4]\d\d) ?[-–—~～至到] ?(?P<b>1\d{3})(?=年)",
                 lambda m: f"{self.by_digits(m['a'])}到{self.by_digits(m['b'])}"
                 if m["a"] < m["b"] and not m["a"].endswith("00") else None),
            rule(r"(?P<head>(?:[=＝按]|比例?[为是约]?|配比[为是]?)[：: ]?)(?P<n>\d{1,4}(?::\d{1,4}){2,4})(?![\d:])",
                 lambda m: m["head"].replace("=", self.web["="])
                 + self.versus.join(self.cardinal(int(n)) for n in m["n"].split(":"))),
            rule(r"(?<=[周月年天晚夜])\+(?P<n>\d{1,3})(?=[天周日个晚夜])",
                 lambda m: self.web["+"] + ("两" if m["n"] == "2" else self.cardinal(int(m["n"])))),
            rule(r"(?<![A-Za-z\d.-])(?<!\d,)(?P<n>[1-9]\d\d)(?=年 ?[-–—至到~～] ?1\d{3}年)",
                 lambda m: self.by_digits(m["n"])),
            rule(rf"{START}(?P<n>{NUMBER}) ?(?P<unit>L|l|升|kWh|千瓦时|度)/100 ?(?:km|公里)(?![A-Za-z])",
                 lambda m: f"每百公里{self.spoken(m['n'])}"
                 + (self.all_units[m["unit"]].format("") if m["unit"] in self.all_units else m["unit"])),
            rule(rf"(?<=电流)(?P<n>{NUMBER}) ?A(?![A-Za-z\d])", lambda m: f"{self.spoken(m['n'])}安"),
            rule(r"(?<=满)(?P<a>\d{1,5})-(?P<b>\d{1,5})(?![\d-])",
                 lambda m: f"{self.cardinal(int(m['a']))}减{self.cardinal(int(m['b']))}"),
            rule(r"(?:(?<=[！!。，,~～？?啊哈了吧呀])|(?<=[！!。，,~～？?] )|(?<=\A))(?:6{3,6}|5{3,6}|23{2,6}|8{3,6})"
                 r"(?=[！!。，,~～]|\s*\Z)", lambda m: self.by_digits(m[0])),
            rule(r"(?:(?<=[：:，。！\s])|(?<=\A))\+1(?=[，。！~～]|\s*\Z)", "加一"),
            rule(r"(?<![A-Za-z\d._-])(?<!\d,)(?P<a>\d{3,4})-(?P<b>\d{3,4})(?=室|房间|号房)",
                 lambda m: f"{self.by_digits(m['a'])}到{self.by_digits(m['b'])}"),
            rule(r"(?<![A-Za-z\d./])(?P<all>\d{1,2}(?:/\d{1,2}){1,6})(?=号线)",
                 lambda m: "、".join(self.cardinal(int(n)) for n in m["all"].split("/"))),
            rule(r"(?<=[\d真]转)(?P<n>\d{2,5})(?=[，。；、）)]|,(?!\d)|\s*\Z)", lambda m: self.by_digits(m["n"])),
            rule(r"(?:(?<=[（(])|(?<=[一-鿿]))(?P<n>\d{1,3})['′](?=[)），。；、])",
                 lambda m: f"{self.cardinal(int(m['n']))}分钟"),
            rule(r"(?P<head>(?:账号|帐号|账户|卡号|单号|订单号|身份证号|编号|会员号|QQ|税号"
                 r"|票号|户号|合同号|批号|流水号|保单号|病历号|住院号|准考证号)[：: 为是]{0,2})"
                 r"(?P<n>\d(?:[ -]?\d){4,24})(?!\d)",
                 lambda m: m["head"] + "，".join(self.by_digits(group) for group in re.findall(r"\d+", m["n"]))),
            rule(r"(?<![\d.:-])(?P<a>\d{1,3}) ?[-–:] ?(?P<b>\d{1,3})(?= ?(?:逆转|战胜|击败|力克|大胜|险胜|完胜"
                r"|取胜|获胜|胜|"
                 r"负于|不敌|领先|落后|战平|横扫|淘汰|轻取|告负|击退|拿下))",
                 lambda m: f"{self.cardinal(int(m['a']))}比{self.cardinal(int(m['b']))}"),
            rule(r"(?<=[（(〔\[])(?P<n>20\d\d|19\d\d)(?=[）)〕\]] ?[一-鿿])", lambda m: self.by_digits(m["n"])),
            rule(r"(?<![A-Za-z\d.])(?<!\d,)(?P<n>\d{1,7})\+(?=[万亿千百]?[一-鿿]|[，。；、！）)])",
                 lambda m: f"{self.cardinal(int(m['n']))}多"),
            rule(r"(?<=[元块])/㎡", "每平方米"),
            rule(rf"{START}(?P<a>(?:1[5-9]|20)\d\d) ?[-–—~～至到] ?(?P<b>(?:1[5-9]|20)\d\d)(?=年|赛季|学年|财年|[）)])",
                 lambda m: f"{self.by_digits(m['a'])}到{self.by_digits(m['b'])}"),
            rule(rf"{START}(?P<a>\d{{1,3}})/(?P<b>\d{{1,3}})(?=层)",
            lambda m: f"{self.cardinal(int(m['a']))}层，共{self.cardinal(int(m['b']))}"),
            rule(r"(?<=[一-鿿])/(?=[年月日天周次人位个件分秒盒瓶袋片支粒包箱张页台辆户晚间小平亩吨斤公升])",
                 lambda m: "每" if re.search(r"\d[万亿千]?[一-鿿A-Za-z]{1,2}\Z", text_before(m, 8)) else None),
            rule(r"(?<=[元块])/(?=[年月日天周次人位个件小晚夜间单张盒袋瓶斤吨桶份课班台平时节套])", "每"),
            rule(r"(?<=[一-鿿])/(?=(?:立方米|平方米|学期|小时|公斤|公里|千克|毫升|分钟|人次|学年|季度|课时|平米|千瓦时|年度)(?![一-鿿]{2}))",
                 lambda m: "每" if re.search(r"\d[万亿千]?[一-鿿A-Za-z]{1,3}\Z", text_before(m, 8)) else None),
            rule(r"(?<=元)/(?=(?:股|盎司|桶|平方米|立方米|千瓦时|公里|千米|千克|公斤|小时|分钟)(?![一-鿿]))", "每"),
            rule(r"(?<=[个個])/(?P<unit>[µμ]L|m[Ll]|L)(?![A-Za-z])", lambda m: "每" + self.all_units[
                 m["unit"].replace("μ", "µ")].format("")),
            rule(r"(?<=元)/(?P<unit>kg|g|km|h|L|m²|㎡|kWh)(?![A-Za-z])",
                 lambda m: "每" + self.all_units[m["unit"]].format("")),
            rule(rf"{START}(?P<n>\d{{1,5}})\+ ?(?P<unit>{one_of(self.all_units)})(?![A-Za-z²³\d])",
                 lambda m: self.all_units[m["unit"]].format(f"{self.cardinal(int(m['n']))}多")),
            rule(r"(?<![A-Za-z])(?P<name>[A-Za-z]{0,3})(?P<sign>[<>≤≥＜＞]) ?(?=\d)",
                 lambda m: m["name"] + RELATIONS[m["sign"]]
                 if not is_title(m)
                 and (m["name"] or re.search(r"[一-鿿（(，：:、] ?\Z", text_before(m, 2))) else None),
            rule(rf"{START}(?P<n>\d{{1,4}})(?P<year>年)?(?P<month>(?:\d{{1,2}}月)?) ?(?P<era>[aA]\.?[dD]\.?|"
                 rf"[bB]\.?[cC]\.?)(?![A-Za-z])", self._era),
        )  # fmt: skip

    def _two(self, number: str, behind: str) -> str:
        """A number before what it counts."""
        return "两" if number == "2" and re.match(COUNTERS, behind) else self.spoken(number)

    def _lasting(self, match: re.Match[str]) -> bool:
        """Whether the number says how long something took: no word of a date comes before it, and no event after it."""
        before = text_before(match, 10)
        if re.search(
            r"(?:历时|历经|统治|享国|国祚|延续|持续|存在|在位|立国|总共|一共|共[有历传])[一-鿿\d、，,]{0,8}\Z", before
        ):
            return True
        dated = re.search(r"(?:[于在至到自从由即是元前后朝宗祖帝]|[^一-鿿])\Z|\A\Z", before)
        return dated is None and re.match(r"年(?:[，,。；;、！）)]|\s*\Z|的)", text_after(match, 2)) is not None

    def _time(self, match: re.Match[str]) -> str:
        """Behind the number of a weekday a pause keeps the two apart: 周三十四点 would be heard as thirty four."""
        named = re.search(
            r"(?:周|星期|礼拜)[一二三四五六] ?\Z", match.string[max(0, match.start() - 5) : match.start()]
        )
        return ("，" if named else "") + super()._time(match)

    def _weekday(self, match: re.Match[str]) -> str:
        """As in `_time`, before a number."""
        apart = "，" if re.match(r" ?\d", text_after(match, 2)) else ""
        return super()._weekday(match) + apart

    def _range(self, match: re.Match[str]) -> str:
        said = super()._range(match)
        return (
            said.replace("二", "两", 1)
            if match["a"] == "2" and match["unit"] in ("万", "亿", "个", "人", "年", "元")
            else said
        )

    def _price(self, match: re.Match[str]) -> str:
        """ "￥2" is counted."""
        said = super()._price(match)
        return said.replace("二", "两", 1) if match["n"] == "2" else said

    def _measure(self, match: re.Match[str]) -> str | None:
        """Units that are said as a word are counted; two kilograms would be heard as two thousand grams."""
        said = super()._measure(match)
        return said.replace("二", "两", 1) if said and match["n"] == "2" and match["unit"] in TWO_OF else said

    def _each(self, match: re.Match[str]) -> str:
        """ "5g/日"."""
        unit = self.all_units.get(match["unit"], "{}" + match["unit"])
        return f"{unit.format(self.spoken(match['n']))}每{match['per']}"

    def _era(self, match: re.Match[str]) -> str:
        era = "公元" if match["era"][0] in "aA" else "公元前"
        month = f"{self.cardinal(int(match['month'][:-1]))}月" if match["month"] else ""
        return f"{era}{self.by_digits(match['n'])}年{month}"


WORDS = Chinese(
    versus="比", power="{base}的{exponent}次方", onward="起",
    floor="{}层", per="每", every="每", basement="地下{}层", rises="，上升", falls="，下降",
         penalties="点球大战|点球|PK",
    zero_place="零", figures="[表图圖式]|附件|例题?|实验",
    identifiers="分机号?|QQ群?|端口号?|[学工考货批卡桌群帐账]号|座位号|邮编|邮政编码|尾号|[后末]四位|[货型款]号|[一-鿿]{0,4}(?:编号|号码|单号)|会议号|ISBN|密码|口令|验证码|取件码|房号|ID",
         duration="{hour}小时{minute}分{second}秒",
    durations="成绩|用时|纪录|记录|历时|耗时|时长|男子组|女子组|完赛",
    sports="比分|战胜|击败|不敌|负于|获胜|取胜|局|盘|逆转|比赛|决赛|力克|"
    "NBA|CBA|篮板|进球|联赛|世界杯|晋级",
    about="约等于", and_part="又",
    score_words="比分[是为]?|[以]|战成", pressure_words="血压[是为]?|(?<![A-Za-z])BP:?",
        pressure="，",
    version="版本", numero="第",
    names_by_digits=3, code="zh", digits="零一二三四五六七八九", point="点", minus="负", plus="正", percent="百分之{}",
        fraction="{bottom}分之{top}",
        to="到", root="根号",
    money={"¥": "{}元", "￥": "{}元", "$": "{}美元", "€": "{}欧元", "£": "{}英镑", "US$": "{}美元", "HK$": "{}港元",
        "RMB": "{}元",
        "CNY": "{}元", "USD": "{}美元", "EUR": "{}欧元", "₩": "{}韩元"},
    units={"km/s": "{}公里每秒", "g/cm³": "{}克每立方厘米", "kg/m³": "{}千克每立方米", "Pa": "{}帕", "nm": "{}纳米",
    "µm": "{}微米", "MPa": "{}兆帕", "mg/dL": "{}毫克每分升", "ppm": "百万分之{}", "ppb": "十亿分之{}",
    "μg/m³": "{}微克每立方米",
    "µg/m³": "{}微克每立方米",
        "kPa": "{}千帕", "mmHg": "{}毫米汞柱", "mg/L": "{}毫克每升", "mmol/L": "{}毫摩尔每升", "km/h": "{}公里每小时",
            "m/s": "{}米每秒", "m/s²": "{}米每二次方秒", "km": "{}公里", "kg": "{}千克", "cm": "{}厘米", "mm": "{}毫米",
        "m": "{}米",
        "g": "{}克", "mg": "{}毫克", "t": "{}吨", "°C": "{}摄氏度",
           "℃": "{}摄氏度", "°F": "{}华氏度", "°": "{}度", "ml": "{}毫升", "mL": "{}毫升", "L": "{}升", "l": "{}升",
               "m²": "{}平方米",
               "mAh": "{}毫安时", "Ah": "{}安时", "N·m": "{}牛米", "Nm": "{}牛米", "AU": "{}天文单位",
               "㎡": "{}平方米", "km²": "{}平方公里", "m³": "{}立方米", "ha": "{}公顷",
           "GB": "{}G B", "MB": "{}M B", "TB": "{}T B", "ms": "{}毫秒", "s": "{}秒", "min": "{}分钟", "h": "{}小时",
               "W": "{}瓦", "kW": "{}千瓦", "mm²": "{}平方毫米", "cm²": "{}平方厘米", "mV": "{}毫伏",
               "mA": "{}毫安", "µmol": "{}微摩尔", "µL": "{}微升", "mol": "{}摩尔",
               "mmol": "{}毫摩尔", "dL": "{}分升", "Mbps": "{}兆",
               "Gbps": "{}G", "kbps": "{}K", "kJ": "{}千焦", "IU": "{}国际单位", "mIU": "{}毫国际单位",
               "μIU": "{}微国际单位", "µIU": "{}微国际单位", "μm": "{}微米", "ng": "{}纳克",
               "µg": "{}微克", "kWh": "{}千瓦时", "V": "{}伏",
           "rpm": "每分钟{}转", "r/min": "每分钟{}转", "fps": "每秒{}帧", "Hz": "{}赫兹", "MHz": "{}兆赫",
           "GHz": "{}吉赫", "pg": "{}皮克", "fL": "{}飞升", "mEq": "{}毫当量",
           "A": "{}安", "kV": "{}千伏", "Wh": "{}瓦时", "kVA": "{}千伏安", "Ω": "{}欧姆",
           "kΩ": "{}千欧", "kHz": "{}千赫", "kN": "{}千牛", "dpi": "{}D P I", "px": "{}像素",
           "kcal": "{}千卡", "hPa": "{}百帕", "dB": "{}分贝"},
    date="{year}年{month}月{day}日", clock="{hour}点{minute}分", full_hour="{hour}点整",
        seconds="{hour}点{minute}分{second}秒",
        before_minutes="零", years_by_digits=True, telephone_one="幺",
    weekdays="一二三四五六日", weekday="星期{}",
    web={".": "点", "-": "横杠", "_": "下划线", "/": "斜杠", ":": "冒号", "@": "艾特", "+": "加", "=": "等于",
    "≠": "不等于",
    "−": "减",
        "×": "乘以", "÷": "除以", "figure": "杠",
        "?": "问号", "&": "和", "#": "井号", "%": "百分号", "~": "波浪号"},
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
