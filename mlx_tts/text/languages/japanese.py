"""Japanese: its names, how a text in it is known and cut, and its words for numbers and signs."""

from __future__ import annotations

import re

from mlx_tts.text.languages import Language
from mlx_tts.text.normalise.east_asian import NUMBER, START, EastAsian
from mlx_tts.text.normalise.east_asian_measures import ChartWords, measure_rules
from mlx_tts.text.normalise.east_asian_notices import (
    blood_rule,
    day_rules,
    formula_rules,
    nil_rule,
    protection_rule,
    test_rule,
)
from mlx_tts.text.normalise.east_asian_products import aircraft_rule, english_rules, model_rules, optics_rules
from mlx_tts.text.normalise.east_asian_slashes import slash_rules, span_rule
from mlx_tts.text.normalise.east_asian_spans import is_title, span_rules, title_rules
from mlx_tts.text.normalise.engine import Rule, mentions, one_of, rule, text_before

# "500円/月" is said the other way round.
PER = {"月": "月", "日": "一日", "年": "年", "人": "一人", "週": "週", "時間": "一時間", "分": "毎分", "個": "一個",
"回": "一回",
       "泊": "一泊", "食": "一食", "秒": "毎秒", "室": "一室"}  # fmt: skip

# Who is called by a number that is said digit by digit.
EMERGENCY = re.compile("通報|電話|警察|消防|救急|緊急|火事|事故")


# Of what two numbers are compared with a sign, the word stands behind the second.
RELATIONS = {"<": "未満", ">": "超", "≤": "以下", "≥": "以上", "≦": "以下", "≧": "以上"}

RACES = re.compile("マラソン|駅伝|区間|完走|レース|トライアスロン|競歩")

# Words from English have its numbers before them.
ENGLISH = {"1": "ワン", "2": "ツー", "3": "スリー"}
BEHIND_ENGLISH = (
    r"ラン(?![クチドナプキニ])|アウト(?![レラソ])|ストライク(?![ゾ])|ベースヒット|ベースを|トップ(?=[でのにをや、。])"
    r"|バック(?=[でのにをや、。])|ポイント(?=シュート|ライン|を(?:決|沈|成功)|成功|が決)|ルーム|ランク(?=[上下ア])"
    r"|クリック|プッシュ|タッチ|ショット|コイン|トーン|ステップ(?=[でのに])|オペ"
)
DIGITS = "ゼロ ワン ツー スリー フォー ファイブ シックス セブン エイト ナイン テン"
# Of letters with a number those that are said as in English; "A4" and "E5系" are not.
NAMES = (
    r"[GJT][1-3]|G[78]|F[1-3]|[KR]1(?!年)|M1(?=グランプリ)|PS[1-5]|MP[34]"
    r"|M[1-5](?= ?(?:チップ|搭載|プロセッサ|Mac|Max|Pro|Ultra|モデル))|H[23]A?(?=ロケット)|V[2-9](?=達成|を|に)"
)
AHEAD = r"トップ|ベスト|ワースト|ビッグ|ナンバー|(?<![A-Za-z])(?:TOP|BEST|Top|Best|Wi-Fi|WiFi)"
BEHIND = r"[2-9]?(?:(?<=[2-4])D(?![A-Za-z\d])|(?<=[3-6])G(?![A-Za-z\d])|(?<=1)(?:S?L?D?K|R)(?![A-Za-z\d]))"
MATCH = re.compile("第[1-5]セット|第[1-4]クォーター|準々?決勝|[得失]点|先制|逆転|連取|日本代表|[前後]半")
CAR = re.compile("車検|自賠責|年式|初度登録|走行|登録|満了|有効期限")
CHARTS = ChartWords(
    "ゼロ ワン ツー スリー フォー", "{n}ミリリットル毎分毎一点七三平方メートル", "{}パーミル", "{}プラス"
)
TENS = ("トゥエンティ", "サーティ", "フォーティ", "フィフティ", "シックスティ")
BASEBALL = re.compile("大谷|本塁打|盗塁|ホームラン|打者|達成|クラブ|メジャー")
ERAS = {"M": "明治", "T": "大正", "S": "昭和", "H": "平成", "R": "令和"}
DISASTERS = re.compile("震災|地震|震度|津波|被災|原発|復興|テロ|同時多発")


class Japanese(EastAsian):
    """Before a myriad a thousand is "one thousand"."""

    def cardinal(self, number: int) -> str:
        return re.sub(r"(\A|[万億兆])千(?=[^万億兆]*[万億兆])", r"\1一千", super().cardinal(number))

    def _average(self, written: str) -> str:
        """ "打率.310" -> "三割一分"."""
        return "".join(
            f"{self.cardinal(int(digit))}{name}" for digit, name in zip(written, "割分厘", strict=True) if digit != "0"
        )

    def _related(self, match: re.Match[str]) -> str | None:
        """ "p<0.05", "≧65歳"."""
        known = re.search(r"(?:[ぁ-ヿ一-鿿（(、，,：:]|\A) ?\Z", text_before(match, 2)) and match[0] != "<3"
        if (not match["name"] and not known) or is_title(match):
            return None
        said = self.percent.format(self.spoken(match["n"])) if match["unit"] == "%" else self.spoken(match["n"])
        if match["unit"] not in ("", "%"):
            said = self.all_units[match["unit"]].format(said)
        joint = "は" if match["name"] else ""
        return f"{match['name'].rstrip()}{joint}{said}{match['counter']}{RELATIONS[match['sign']]}"

    def own_rules(self) -> tuple[Rule, ...]:
        return (
            rule(rf"(?<![A-Za-z])(?P<name>(?:[A-Za-z]{{1,3}} ?)?)(?P<sign>[{''.join(RELATIONS)}]) ?(?P<n>{NUMBER}) ?"
                 rf"(?P<unit>(?:{one_of(self.all_units)}|%)?)(?P<counter>(?:[歳才人名回個件日年点円倍秒分週本枚]|時間)?)(?![一-鿿ァ-ヺ])"
                 r"(?![A-Za-z²³\d]|[./]\d)", self._related),
            rule(r"(?:(?<=\d)|(?<=[時点円人名日月年分歳]))[〜～~](?= [^\d\s])", lambda m: self.onward),
            rule(r"(?:(?<=:\d\d)|(?<=[時円人名日月年分]))[〜～~](?=[でのはもが])", lambda m: self.onward),
            rule(r"(?<=[\d時円人名日月年分])[〜～~](?=から)", ""),
            rule(rf"{START}(?P<month>1[0-2]|[1-9])/(?P<day>3[01]|[12]\d|[1-9])(?= \d{{1,2}}(?::\d\d|時))",
                 lambda m: self._short_date_of(int(m["month"]), int(m["day"]))),
            # A day behind its name.
            rule(r"(?:(?<=曜[（(])|(?<=曜日[（(])|(?<=[今明本昨翌]日[（(])|(?<=明後日[（(]))(?P<month>1[0-2]|[1-9])/"
                 r"(?P<day>3[01]|[12]\d|[1-9])(?=[)）、 ])",
                 lambda m: self._short_date_of(int(m["month"]), int(m["day"]))),
            rule(r"(?:(?<=[時間円人名日月年分歳h])|(?<=:\d\d))[〜～~](?:(?P<well>OK)|(?=可|応募|応相談|勤務|歓迎|スタート|営業|開始))",
                 lambda m: self.onward + (m["well"] or "")),
            rule(r"(?<![\d.])(?P<n>3\.11|9\.11)(?![\d.%]|[円倍度秒点個人年月日万億])",
                 lambda m: self.by_digits(m["n"]) if mentions(DISASTERS, m.string) else None),
            blood_rule(self, "、"),
            test_rule(self),
            *span_rules(self, "{}日"),
            *title_rules(),
            *slash_rules(self),
            span_rule(self, lambda number, behind: self.spoken(number)),
            rule(r"(?<=曜)[-–](?=[月火水木金土日]曜)|(?<=[年月日])[-–](?=令和|平成|昭和)", self.to),
            *measure_rules(self, CHARTS),
            rule(r"(?<![A-Za-z\d.])1R(?![A-Za-z\d])", "ワンルーム"),
            rule(r"敷金?(?P<a>\d(?:\.\d)?)(?P<unit>(?:[ヶカか]月)?)[/／・ ]?礼金?(?P<b>\d(?:\.\d)?)",
                 lambda m: "、".join(f"{name}金{'ゼロ' if n == '0' else self.spoken(n)}{m['unit']}"
                                    for name, n in (("敷", m["a"]), ("礼", m["b"])))),
            rule(r"(?<![A-Za-z\d])(?P<n>[1-9]\d?)F=(?=\d)", lambda m: f"{self.cardinal(int(m['n']))}階は"),
            rule(r"(?:(?<=普[）)])|(?<=当[）)])|(?<=普通)|(?<=当座)|(?<=普通 )|(?<=当座 ))(?P<n>\d{6,8})(?!\d)",
                 lambda m: self.by_digits(m["n"])),
            rule(r"(?<![A-Za-z\d._-])[×x]?[@＠] ?(?=\d[\d,]{0,8}円)", "、単価"),
            rule(r"(?<=錠) ?(?P<n>[1-4])×(?!\d)", lambda m: f"、分{self.cardinal(int(m['n']))}"),
            *english_rules(self, DIGITS, NAMES, AHEAD, BEHIND, "トゥー"),
            aircraft_rule(self, "ボーイング", "の"),
            *optics_rules(self),
            *model_rules(self, self.plus),
            rule(r"(?:№|(?<![A-Za-z])[Nn]o\.) ?(?P<n>[1-3])(?![\dA-Za-z-]|\.\d)",
                 lambda m: f"ナンバー{ENGLISH[m['n']]}"),
            rule(r"(?<![A-Za-z\d])(?P<n>[1-3])(?P<more>st|nd|rd)(?![A-Za-z\d])",
                 lambda m: {"1st": "ファースト", "2nd": "セカンド", "3rd": "サード"}.get(m[0])),
            rule(r"(?<![A-Za-z\d.])(?P<n>[1-3])(?P<more>on[1-3]|in1|way|WAY)(?![A-Za-z\d])",
                 lambda m: ENGLISH[m["n"]] + (f"オン{ENGLISH[m['more'][2]]}" if m["more"][:2] == "on"
                                              else "インワン" if m["more"] == "in1" else "ウェイ")),
            rule(r"(?<![\d-])0\d{1,4}[（(]\d{1,4}[)）]\d{4}(?!\d)",
                 lambda m: self.pause.join(self.by_digits(group) for group in re.findall(r"\d+", m[0]))),
            rule(r"(?<![A-Za-z\d#])#(?P<n>\d{4})(?!\d)", lambda m: f"シャープ{self.by_digits(m['n'])}"),
            rule(r"(?<![A-Za-z\d.])(?P<n>\d{1,2})m(?P<rest>\d\d)(?![\dA-Za-z])",
                 lambda m: f"{self.cardinal(int(m['n']))}メートル{self.cardinal(int(m['rest']))}"),
            rule(r"(?<![A-Za-z])HbA1[cC](?P<n>\d{1,2}\.\d)(?P<share>%?)(?!\d)",
                 lambda m: "ヘモグロビンエーワンシー"
                 + (self.percent if m["share"] else "{}").format(self.spoken(m["n"]))),
            # An address whose quarter has no word for one: "千代田区千代田1-1".
            rule(r"(?P<head>[都道府県市区町村郡][一-鿿ヶケ々ノぁ-んァ-ヴー]{1,8})(?P<a>\d{1,3})-(?P<b>\d{1,3})"
                 r"(?=[、。，（(「 ]|の[一-鿿ァ-ヴ]|\s*\Z)(?!の(?:勝|敗|引|逆|スコア|同点|接戦|大勝|快勝|完封))",
                 lambda m: None if mentions(self.sport_words, m.string)
                 else f"{m['head']}{self.cardinal(int(m['a']))}の{self.cardinal(int(m['b']))}"),
            # What a hitter reached in both of two counts is said in English.
            rule(rf"{START}(?P<n>[2-6]0)-(?P=n)(?=[をのにで（(、。 ]|達成|クラブ|到達)",
                 lambda m: "・".join([TENS[int(m["n"]) // 10 - 2]] * 2)
                 if mentions(BASEBALL, m.string) else None),
            rule(r"(?<![\d.:-])(?P<a>\d{1,2})-(?P<b>\d{1,2})(?=[でのとにをはが](?!\d))",
                 lambda m: f"{self.cardinal(int(m['a']))}対{self.cardinal(int(m['b']))}"
                 if mentions(MATCH, m.string) else None),
            rule(r"(?<=[一-鿿ァ-ヶー])(?P<all>\d{1,4}(?:-\d{1,4}){1,3})-(?P<floor>\d{1,2})F(?![A-Za-z\d])",
                 lambda m: "の".join(self.cardinal(int(part)) for part in m["all"].split("-"))
                 + f"の{self.cardinal(int(m['floor']))}階"),
            # "R6.4.1", "H30年": an era by its letter.
            rule(r"(?:(?<![A-Za-z\d])(?P<era>[MTSHR])|(?<=明治)|(?<=大正)|(?<=昭和)|(?<=平成)|(?<=令和))(?P<year>[1-9]\d?)"
                 r"[./](?P<month>1[0-2]|0?[1-9])[./](?P<day>3[01]|[12]\d|0?[1-9])(?![\d/]|\.\d)",
                 lambda m: f"{ERAS.get(m['era'] or '', '')}{self.cardinal(int(m['year']))}年"
                 f"{self.cardinal(int(m['month']))}月{self.cardinal(int(m['day']))}日"),
            rule(r"(?<![A-Za-z\d])(?P<era>[TSHR])(?P<year>[1-9]\d?)(?=年(?!間))",
                 lambda m: ERAS[m["era"]] + self.cardinal(int(m["year"]))),
            rule(r"(?<![A-Za-z\d])(?P<era>[HR])(?P<year>[1-9]|[12]\d|3[01])[./](?P<month>1[0-2]|0?[1-9])(?![\d./])",
                 lambda m: f"{ERAS[m['era']]}{self.cardinal(int(m['year']))}年{self.cardinal(int(m['month']))}月"
                 if mentions(CAR, m.string) else None),
            # The number of a room for lessons and meetings is said digit by digit.
            rule(r"(?<![A-Za-z\d._-])(?<!\d,)(?P<letter>[A-Z]?)(?P<n>[1-9]\d{2,3})(?=(?:番?教室|会議室|講義室|演習室|研究室"
                 r"|実験室|診察室|ホール(?=[でにへ、。]))(?!以上|の数))",
                 lambda m: f"{m['letter']} {self.by_digits(m['n'])}".strip()),
            rule(r"(?<![A-Za-z\d._-])(?<!\d,)(?P<a>\d{1,2})-(?P<b>\d{3,4})(?=号室|教室|会議室)",
                 lambda m: f"{self.cardinal(int(m['a']))}の{self.by_digits(m['b'])}"),
            *day_rules(self, "で[すしあ]|[。、，）)]|に|まで|から|は",
                       "帰り|行き|次回|期限|納期|期日|[締〆]切日?|締め切り|支払日|[更配撮]新?日|提出日|希望日|予約日|実施日"
                       "|発売日?|開催日?|日程|日時|出発日?|到着日?|復路|往路", "[はがも:：]? ?"),
            nil_rule(self, "で|は|に|と|の|だ|[、。]"),
            rule(r"(?:(?<=町)|(?<=通り)|(?<=丁目)|(?<=ヶ丘)|(?<=が丘)|(?<=台))(?P<a>\d{1,3})-"
                 r"(?P<b>\d{1,3})(?=[、。，（( ]|\s*\Z)",
                 lambda m: f"{self.cardinal(int(m['a']))}の{self.cardinal(int(m['b']))}"),
            rule(rf"{START}(?P<n>{NUMBER})円/(?P<unit>kWh|kg|g|L|m²|㎡|km|GB)(?![A-Za-z])",
                 lambda m: f"{self.all_units[m['unit']].format('一')}あたり{self.spoken(m['n'])}円"),
            protection_rule(self),
            # "十分" is "enough" as well.
            rule(rf"{START}(?<!時)10分(?!間|前|後|ほど|程|以[内上下降]"
                 r"|[割冊野類岐団隊派量布位析科散離校裂身枝画配担別数]|おき|ごと|毎|の[\d一-九])", "じゅっぷん"),
            rule(r"(?<=g )(?P<n>[1-9])T(?![A-Za-z\d])", lambda m: f"{self.cardinal(int(m['n']))}錠"),
            rule(r"(?<![A-Za-z])(?P<name>W?[FQU]?HD)\+(?=[ （(、,。])", lambda m: f"{m['name']}プラス"),
            rule(r"(?<![A-Za-z\d.])(?P<h>\d{1,2})h(?P<m>[0-5]?\d)min(?![A-Za-z])",
                 lambda m: f"{self.cardinal(int(m['h']))}時間{self.cardinal(int(m['m']))}分"),
            rule(r"±(?=[A-Z）)])", self.plus + self.minus),
            rule(r"(?<=[白糖血応性][（(])[+-](?=[）)])", lambda m: self.plus if m[0] == "+" else self.minus),
            rule(r"(?:(?<=内線)[#:： ]?|(?<=内線番号)[:： ]?|(?<=内線は))(?P<n>\d{2,6})(?![\d番])",
                 lambda m: self.by_digits(m["n"])),
            rule(r"(?:(?<=[錠包滴])(?=[×x]\d{1,3}(?:日|週))|(?<=[AB][1-6])(?=[×x]\d{1,3}枚))[×x]", "、"),
            rule(r"(?<![A-Za-z\d.-])(?P<name>[A-Z][A-Za-z-]{1,11})[×x](?P<n>[1-9]\d?)(?=[をがとにで（(、。，]|ポート|搭載|,(?!\d)|\s*\Z)",
                 lambda m: f"{m['name']}、{self.cardinal(int(m['n']))}"),
            rule(r"(?:(?<=\d\.\d)|(?<=[）)]))[×x](?=[1-9](?:[をがとにで（(、。，]|ポート|搭載|\s*\Z))", "、"),
            rule(r"(?<=[ァ-ヿ一-鿿a-z])(?<![元円])[×x]"
                 r"(?=[1-9]\d?(?:[本個枚台箱袋口をがとにでのも（(]|セット|ポート|搭載|[、。，]|,(?!\d)|\s*\Z))", "、"),
            # How the yen stands: "円は1ドル=147円台".
            rule(r"(?<=1ドル)=(?=\d)|(?<=1(?:ユーロ|ポンド|バレル))=(?=\d)|(?<=1オンス)=(?=\d)",
                 lambda m: "" if re.search(r"は[^。]{0,14}\Z", text_before(m, 20)) else None),
            rule(rf"{START}(?P<n>[1-9])(?P<kind>S?L?D?K|R)\+(?P<more>S|WIC|N)(?![A-Za-z\d])",
                 lambda m: f"{self.cardinal(int(m['n']))} {m['kind']}プラス{m['more']}"),
            rule(r"(?<=%)/(?=[ぁ-ヿ一-鿿])", "、"),
            rule(r"(?<![\d.:-])(?P<a>\d{1,3}) ?[-－–] ?(?P<b>\d{1,3})"
                 r"(?=で(?:リード|先行|突入|試合終了)|の(?:逆転|サヨナラ|完封|辛勝|惜敗|完勝))",
                 lambda m: f"{self.cardinal(int(m['a']))}{self.versus}{self.cardinal(int(m['b']))}"),
            rule(r"(?P<head>(?<![A-Za-z\d])(?:FG|FT|3P|2P)(?:成功率?)? ?)(?P<a>\d{1,2})/(?P<b>\d{1,2})(?![\d/])",
                 lambda m: f"{'スリーポイント' if m['head'][0] == '3' else m['head'].rstrip()} "
                 f"{self.cardinal(int(m['b']))}本中{self.cardinal(int(m['a']))}本"),
            rule(r"(?P<head>[（(])(?P<hour>\d{1,2}):(?P<minute>[0-5]\d):(?P<second>[0-5]\d)(?=[）)])",
                 lambda m: self._duration(m) if mentions(RACES, m.string) else None),
            *formula_rules("ツー", "ヘモグロビン", "エーワンシー"),
            rule(r"(?<=[（(])(?P<a>[月火水木金土日])(?P<b>(?:[・、]?[月火水木金土日]){0,5})(?P<holiday>[・、]?祝(?:日)?)"
                 r"(?=[）)])",
                 lambda m: "、".join(self.weekday.format(day) for day in re.findall(r"[^・、]", m["a"] + m["b"]))
                 + "、祝日"),
            rule(r"(?<![A-Za-z])[pP]{1,2}\.? ?(?P<a>\d{1,4})(?:[-–〜~～](?P<b>\d{1,4}))?(?![\dA-Za-z]|\.\d)",
                 lambda m: f"{self.cardinal(int(m['a']))}ページ"
                 + (f"から{self.cardinal(int(m['b']))}ページ" if m["b"] else "")),
            rule(r"(?:(?<=丁目)|(?<=番地)|(?<=[町村区]))(?P<a>\d{1,4})[-－‐–](?P<b>\d{1,4})(?![\d.-]|[名人円年月日回点個]|[でにの][^。\d]{0,8}[勝敗負引])",
                 lambda m: f"{self.cardinal(int(m['a']))}の{self.cardinal(int(m['b']))}"),
            rule(rf"{START}(?P<n>[1-3])(?=(?:{BEHIND_ENGLISH}))", lambda m: ENGLISH[m["n"]]),
            rule(rf"{START}(?P<n>[1-3])(?=ボール[1-3]ストライク)|(?<=\dストライク)(?P<m>[1-3])(?=ボール)",
                 lambda m: ENGLISH[m["n"] or m["m"]]),
            rule(r"(?P<head>大字[^\d\s。、]{1,8})(?P<a>\d{1,4})[-－‐–](?P<b>\d{1,4})(?![\d-])",
                 lambda m: f"{m['head']}{self.cardinal(int(m['a']))}の{self.cardinal(int(m['b']))}"),
            rule(r"(?<![A-Za-z.])(?P<half>[AaPp])\.?[Mm]\.? ?(?P<hour>1[0-2]|0?\d):(?P<minute>[0-5]\d)"
                 r"(?P<second>)(?![\d:])(?P<wave> ?[~〜～–-] ?(?=[AaPp]\.?[Mm]))?",
                 lambda m: f"午{'前' if m['half'] in 'Aa' else '後'}{self._time(m)}{'から' if m['wave'] else ''}"),
            rule(r"(?<=月)(?P<a>[1-9]|[12]\d|3[01])[~〜～-](?=[1-3]?\d日(?!間))",
                 lambda m: f"{self.cardinal(int(m['a']))}日から"),
            rule(rf"[▲△](?P<n>{NUMBER})(?P<share>%?)(?![\d.])",
                 lambda m: self.minus + (self.percent.format(self.spoken(m["n"]))
                      if m["share"] else self.spoken(m["n"]))),
            rule(r"(?:(?<=[、。：: ，(（])|(?<=\A))[~〜～](?P<month>1[0-2]|[1-9])/(?P<day>3[01]|[12]\d|[1-9])(?![\d/])",
                 lambda m: self._short_date_of(int(m["month"]), int(m["day"])) + "まで"),
            rule(r"(?<![A-Za-z\d./~〜=+×÷-])(?P<month>1[0-2]|[1-9])/(?P<day>(?:3[01]|[12]\d|[1-9])(?=必着|現在|時点|頃|ごろ|発表"
                 r"|公開|オープン|スタート|予定|開始|終了|迄|消印|[入退来]院|再診|受診|手術|発[売送]|納品|締切|開催|入荷|送[付信]|更新|購入|契約|入[学社金]|退社|卒業|掲載|配信|投稿|休[業館み]|開[業館店始]|閉店|生まれ|祝日|振替|成人式|の日|受[付領取]"
                 r"|支払|振込|請求|締結|施行|改定|撮影|確認|回答|返信|連絡|報告|提出|完了|対応|到着|出荷|訪問|来社|面談|定例|の(?:会議|夜|朝|昼|午[前後]|試合|予約|イベント|ライブ|打ち?合|ミーティング|面談|面接"
                 r"|授業"
                 r"|試験|テスト|飲み会|公演|議事録|講座|セミナー|診察|便|ニュース|放送|配信|レッスン|練習"
                 r"|説明会|懇親会|納品|件|開催|旅行|発表会"
                 r"|運動会|締|予定|朝刊|夕刊|新聞|終値|宿泊|出発|営業|講義|収録|引っ越し|工事))"
                 r"|31|2[1-36-9]|1[7-9])(?![\d/=+×÷倍])",
                 lambda m: None if re.search(r"(?:率|割合|縮尺|約)[はがの]?\Z", text_before(m, 4))
                 else self._short_date_of(int(m["month"]), int(m["day"]))),
            rule(r"(?<=[・、,])(?P<day>3[01]|[12]\d|[1-9])[（(](?P<name>[月火水木金土日])[)）]",
                 lambda m: f"{self.cardinal(int(m['day']))}日{self.weekday.format(m['name'])}"),
            rule(r"(?<![A-Za-z\d.,-])(?P<n>\d{2,3})V型", lambda m: f"{self.cardinal(int(m['n']))}V型"),
            rule(r"[★☆] ?(?P<n>\d(?:\.\d)?)(?![\d.])", lambda m: f"星{self.spoken(m['n'])}"),
            rule(r"〒 ?(?P<a>\d{3})-(?P<b>\d{4})(?!\d)",
                 lambda m: f"郵便番号{self.by_digits(m['a'])}の{self.by_digits(m['b'])}"),
            rule(r"(?<!\d)(?P<a>\d{1,3}) ?[-－–] ?(?P<b>\d{1,3})(?=(?:で(?:延長|迎え|折り返|前半|後半"
            r"|終え|終わ|推移|並|勝|敗|負|逆転|下|破|引|制|大勝|快勝|"
            r"辛勝)|の(?:勝利|敗戦|引き分け|接戦|まま|同点|スコア|大勝|快勝"
            r"|ドロー)|と(?:リード|逆転|突き放|快勝|大勝|完勝|圧勝|惜敗|勝利|勝ち越)))",
                 lambda m: f"{self.cardinal(int(m['a']))}対{self.cardinal(int(m['b']))}"),
            rule(r"(?<![\d.:-])(?P<a>\d{1,3}) ?[-－–] ?(?P<b>\d{1,3})(?=で[^。\d\n]{0,24}(?:勝|敗|負|下し|破っ"
                r"|引き分|制し))",
                 lambda m: f"{self.cardinal(int(m['a']))}対{self.cardinal(int(m['b']))}"),
            rule(r"(?<![\d.:-])(?P<a>\d{1,2}) ?[-－–] ?(?P<b>\d{1,2})(?=から(?:\d{1,2} ?[-－–] ?\d{1,2}[での]|逆転|追い"
                 r"|同点|反撃|巻き返))",
                 lambda m: f"{self.cardinal(int(m['a']))}対{self.cardinal(int(m['b']))}"),
            rule(r"(?<![\d.,-])(?P<n>11[089])(?=番(?:[にへを]|通報|する|して))",
                 lambda m: self.by_digits(m["n"]) if mentions(EMERGENCY, m.string) else None),
            rule(r"(?<=率)(?P<joint>[はをがの]?)\.(?P<n>\d{3})(?!\d)", lambda m: m["joint"] + self._average(m["n"])),
            rule(r"(?<=\d秒)(?P<n>\d{2})(?![\d秒分])", lambda m: self.by_digits(m["n"])),
            rule(rf"{START}(?P<n>{NUMBER})/(?P<per>分|秒|時)(?![一-鿿])",
            lambda m: f"毎{m['per']}{self.spoken(m['n'])}"),
            rule(r"(?<![A-Za-z])M(?P<n>\d\.\d)(?![\d.])", lambda m: f"マグニチュード{self.spoken(m['n'])}"),
            rule(r"(?<![\d.+])(?P<a>\d{2,3})\+(?P<b>\d{1,2})(?=分)",
                 lambda m: f"{self.cardinal(int(m['a']))}プラス{self.cardinal(int(m['b']))}"),
            rule(rf"{START}(?P<n>{NUMBER})(?P<scale>(?:[万億千](?:\d{{1,4}}[千百]?)?)?)(?P<counter>円|人|回|個|件|本|冊|台|時間|匹|枚|杯|"
            rf"ドル|名|食|錠)[/／](?P<per>月|日|年|人|週|時間|分|個|回|泊|食|秒|室"
                 r"|坪|株|席|名|台|枚|本|箱|袋|社|校|部屋|セット)(?![一-鿿])",
                 lambda m: f"{PER.get(m['per'], '一' + m['per'])}{self.spoken(m['n'])}"
                 + re.sub(r"\d+", lambda n: self.cardinal(int(n[0])), m["scale"]) + m["counter"]),
            rule(rf"{START}(?P<n>{NUMBER}) ?(?P<unit>g|mg|kg|ml|mL|L|kcal)[/／](?P<per>日|回|人|食|袋|本|個)(?!分)",
                 lambda m: f"{PER.get(m['per'], '一' + m['per'])}{self.units[m['unit']].format(self.spoken(m['n']))}"),
            rule(r"(?<![A-Za-z\d+-])(?:0120|0570|0800|0990)-\d{2,4}-\d{2,4}(?![\d-])",
                 lambda m: self.pause.join(self.by_digits(group) for group in m[0].split("-"))),
            rule(r"(?<=[一-鿿ぁ-んァ-ヶー])\d{1,4}(?:[-－‐–]\d{1,4}){2,3}(?![\d-])",
                 lambda m: None if re.match(r"0|\d{4}-\d\d-\d\d\Z", m[0])
                 else "の".join(self.cardinal(int(part)) for part in re.findall(r"\d+", m[0]))),
        )  # fmt: skip


WORDS = Japanese(
    versus="対", power="{base}の{exponent}乗", onward="から",
    floor="{}階", per="毎", every="、", basement="地下{}階", rises="上昇", falls="低下", penalties="PK戦?",
         figures="[表図]|第|問題?|付録",
    identifiers="ISBN|内線|[品型]番|[一-鿿]{0,4}番号|ID|パス|パスワード|パスコード|会員番号|口座番号|暗証番号|認証番号",
    durations="タイム|記録|優勝", duration="{hour}時間{minute}分{second}秒",
    sports="勝|敗|突破|セット|試合|対戦|初戦|優勝|決勝|破っ|サッカー|リーグ|第\\d+節|得点|ゴール",
    about="約", and_part="と",
    score_words="スコア[はが]?|結果[はが]?|得点[はが]?",
        pressure_words="血圧[はがも]?|(?<![A-Za-z])BP[:：]?", pressure="の",
    version="バージョン", numero="ナンバー",
    code="ja", digits="零一二三四五六七八九", point="点", minus="マイナス", plus="プラス", percent="{}パーセント",
        fraction="{bottom}分の{top}",
        to="から", root="ルート",
    money={"¥": "{}円", "￥": "{}円", "$": "{}ドル", "€": "{}ユーロ", "£": "{}ポンド", "US$": "{}米ドル", "JPY": "{}円",
        "USD": "{}ドル", "EUR": "{}ユーロ"},
    units={"mmHg": "{}水銀柱ミリメートル", "km/s": "秒速{}キロメートル", "m/s²": "{}メートル毎秒毎秒",
    "g/cm³": "{}グラム毎立方センチメートル",
    "mg/dL": "{}ミリグラム毎デシリットル",
    "Pa": "{}パスカル", "kPa": "{}キロパスカル", "nm": "{}ナノメートル", "µm": "{}マイクロメートル",
    "kJ": "{}キロジュール", "mol": "{}モル", "µL": "{}マイクロリットル", "mmol": "{}ミリモル",
    "ppm": "{}ピーピーエム", "°F": "華氏{}度",
    "lx": "{}ルクス", "bp": "{}ベーシスポイント", "bps": "{}ベーシスポイント", "min": "{}分", "ms": "{}ミリ秒",
        "km/h": "時速{}キロメートル", "m/s": "秒速{}メートル", "km": "{}キロメートル", "kg": "{}キログラム",
        "cm": "{}センチメートル",
        "mm": "{}ミリメートル", "m": "{}メートル",
           "g": "{}グラム", "mg": "{}ミリグラム", "t": "{}トン", "°C": "{}度", "℃": "{}度", "°": "{}度",
               "ml": "{}ミリリットル",
               "mL": "{}ミリリットル", "L": "{}リットル", "l": "{}リットル",
           "dl": "{}デシリットル", "GB": "{}ギガバイト", "MB": "{}メガバイト", "KB": "{}キロバイト",
               "TB": "{}テラバイト", "m²": "{}平方メートル",
               "mAh": "{}ミリアンペアアワー", "Ah": "{}アンペアアワー", "N・m": "{}ニュートンメートル",
               "N·m": "{}ニュートンメートル", "Nm": "{}ニュートンメートル", "AU": "{}天文単位",
               "㎡": "{}平方メートル", "km²": "{}平方キロメートル",
           "m³": "{}立方メートル", "ha": "{}ヘクタール", "W": "{}ワット", "h": "{}時間",
           "mm²": "{}平方ミリメートル", "cm²": "{}平方センチメートル", "mV": "{}ミリボルト",
           "dL": "{}デシリットル", "IU": "{}国際単位", "Mbps": "{}メガビーピーエス",
           "Gbps": "{}ギガビーピーエス", "µg": "{}マイクログラム", "ng": "{}ナノグラム", "kW": "{}キロワット",
               "kWh": "{}キロワット時", "V": "{}ボルト", "rpm": "毎分{}回転", "fps": "毎秒{}フレーム",
               "Hz": "{}ヘルツ", "MHz": "{}メガヘルツ", "GHz": "{}ギガヘルツ",
           "pg": "{}ピコグラム", "mIU": "{}ミリ国際単位", "mEq": "{}ミリ当量",
           "fL": "{}フェムトリットル", "A": "{}アンペア", "mA": "{}ミリアンペア",
           "kV": "{}キロボルト", "Wh": "{}ワット時",
           "kVA": "{}キロボルトアンペア", "Ω": "{}オーム", "kΩ": "{}キロオーム", "kHz": "{}キロヘルツ",
           "MPa": "{}メガパスカル", "kN": "{}キロニュートン", "dpi": "{}ディーピーアイ", "px": "{}ピクセル",
           "bit": "{}ビット", "kcal": "{}キロカロリー", "cc": "{}シーシー",
           "hPa": "{}ヘクトパスカル", "dB": "{}デシベル"},
    date="{year}年{month}月{day}日", clock="{hour}時{minute}分", full_hour="{hour}時",
        seconds="{hour}時{minute}分{second}秒",
        weekdays="月火水木金土日", weekday="{}曜日",
    web={".": "ドット", "-": "ハイフン", "_": "アンダーバー", "/": "スラッシュ", ":": "コロン", "@": "アットマーク",
        "+": "足す", "=": "は", "≠": "ノットイコール", "−": "引く",
        "×": "掛ける", "÷": "割る", "figure": "の",
        "?": "クエスチョンマーク", "in address =": "イコール", "&": "アンド", "#": "シャープ", "%": "パーセント",
        "~": "チルダ"},
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
