"""Korean: its names, how a text in it is known and cut, and its words for numbers and signs."""

from __future__ import annotations

import re
import unicodedata

from mlx_tts.text.languages import Language
from mlx_tts.text.normalise.east_asian import MINUS, NUMBER, START, EastAsian
from mlx_tts.text.normalise.east_asian_measures import ChartWords, measure_rules
from mlx_tts.text.normalise.east_asian_notices import (
    blood_rule,
    day_rules,
    formula_rules,
    nil_rule,
    protection_rule,
    test_rule,
)
from mlx_tts.text.normalise.east_asian_slashes import slash_rules, span_rule
from mlx_tts.text.normalise.east_asian_spans import is_title, span_rules, title_rules
from mlx_tts.text.normalise.engine import Rule, Span, mentions, one_of, rule, text_before, words_of
from mlx_tts.text.normalise.korean_counts import MACHINES, SHEETS, counted_rules
from mlx_tts.text.normalise.korean_dates import dotted_rules
from mlx_tts.text.normalise.korean_names import named_rules
from mlx_tts.text.normalise.korean_units import PER, PER_COUNTED, UNITS
from mlx_tts.text.normalise.number_words import number_words

# What is counted by Korean numbers; all else is counted by Chinese ones.
NATIVE = (
    r"번째|정거장|정류장|개(?!월|국|년)|명|살|시간|마리|권(?!투)|잔|병|벌|그루|가지|곳|달(?!러|리|라|월)|자리|송이|군데|꼬집"
    r"|조각|근(?=[ ,.이을의]|\Z)|판(?=[ ,.을의]|\Z)|끼(?![가-힣])|갑(?![가-힣])"
    r"|자루|차례|접시|다발|상자|쌍(?![가-힣]{2})"
    r"|캔|팩(?![트소스])|봉(?![가-힣])|덩이|덩어리|롤(?![가-힣])|박스|포대|곡(?![가-힣]{2})|문제(?=[ ,.를가는씩]|\Z)"
    r"|바구니|뭉치|뿌리|톨|잎(?![가-힣])|공기(?=[ ,.를])|국자|토막|캡슐|티백|가닥|움큼|스쿱|티스푼|꼬치|마디(?![가-힣])"
    r"|골(?=[ ,.을이로차]|\Z)|켤레|채|척|짝(?![가-힣]{2})|모금|꼭지|칸(?![가-힣]{2})|걸음|발자국|묶음"
    r"|꾸러미|타래|두름|글자|단어|문장(?![가-힣]{2})|테이블(?![가-힣]{2})|필지|"
    r"큰술|작은술|"
    r"숟가락|숟갈|스푼|컵|봉지|줌|알|포기|모(?![가-힣])|통(?![가-힣])|줄|편(?![가-힣])|그릇|바퀴|방울|"
    r"대(?![\w])|사람|배(?=[ .,였로를가나인]|\Z)|시(?!\w*[간속])"
)
WIND = re.compile("풍속|바람|강풍|돌풍|속도|속력")
LETTERS = dict(zip("abcdefghijklmnopqrstuvwxyz", words_of(
    "에이 비 씨 디 이 에프 지 에이치 아이 제이 케이 엘 엠 엔 오 피 큐 알 에스 티 유 브이 더블유 엑스 와이 지"),
        strict=True))  # fmt: skip
# Behind a closed syllable, and behind an open one.
PARTICLES = (("은", "는"), ("이", "가"), ("을", "를"), ("과", "와"), ("이었", "였"))
PARTICLE = re.compile(
    r"(?:은|는|이|가|을|를|과|와|으로|로)(?=[\s.,!?…)\]』」”\"'’]|\Z)|(?:이었|였)(?=다|고|으|는|지)|다(?=[\s.,!?]|\Z)"
)
LIQUID = 8  # the final sound that "로" may stand behind
# Behind a number that ends in a vowel these endings have another form.
BEHIND_VOWEL = {"은": "는", "이": "가", "을": "를"}


# Of two numbers that a sign compares, the word stands behind the second.
RELATIONS = {"<": "미만", ">": "초과", "≤": "이하", "≥": "이상"}
# Courts number their cases so: the year, the kind, the number.
CASES = (
    "가합|가단|가소|나|다|고합|고단|고정|노|도|구합|구단|누|두|재누|재다|느합|느단|드합|드단|르|므|허|후|헌가|헌나|헌라|헌마|헌바"
    "|카합|카단|카기|타경|타채|차|차전|회합|회단|하단|하면|개회|머|브|스|마|모|로|초기|전도"
)
NAMED_BY_TURN = (
    "왕|국왕|임금|황제|대통령|총리|회장|사장|교황|천황|의장|위원장|총장|원장|장관|국회|감독|주지|총재|시장|도지사|교장"
)
SIDE_BY_SIDE = dict(enumerate(words_of("한두 두세 서너 네다섯 대여섯 예닐곱 일고여덟 여덟아홉"), 1))
ROOMS = words_of("하나 둘 셋 넷 다섯 여섯 일곱 여덟 아홉")
CHARTS = ChartWords("제로 원 투 쓰리 포", "{n} 밀리리터 퍼 분 퍼 일 점 칠삼 제곱미터", "{} 퍼밀", "{} 플러스", "와 ")
RENTED = re.compile("월세|보증금|반전세|원룸|투룸|쓰리룸|오피스텔|임대")
SEASONINGS = re.compile("설탕|간장|고추장|고춧가루|소금|식초|참기름|된장|맛술|물엿")
INDEX_MOVES = re.compile(" ?(?:하락|상승|오른|올[라랐]|내린|내[려렸]|떨어|뛰|뛴|급등|급락|빠진|빠졌)")


class Korean(EastAsian):
    """Hours and many counted things have Korean numbers; endings follow the last sound of a number."""

    gap = " "

    def recognise(self, text: str, variant: str = "") -> list[Span]:
        """A particle behind a form follows the sound that is said last."""
        return [self._with_particle(text, span) for span in super().recognise(text, variant)]

    def _with_particle(self, text: str, span: Span) -> Span:
        found = PARTICLE.match(text, span.end)
        last = ord((span.words or " ").rstrip()[-1:] or " ") - 0xAC00
        before = text[max(0, span.start - 1) : span.start]
        if found is None or not 0 <= last < 11172 or before in ("제", "로"):
            return span
        closed = last % 28 != 0
        written = found[0]
        if written == "다":
            right = "이다" if closed else "다"
        elif written in ("로", "으로"):
            right = "으로" if closed and last % 28 != LIQUID else "로"
        else:
            right = next(pair[not closed] for pair in PARTICLES if written in pair)
        if right == written:
            return span
        return span._replace(end=found.end(), words=f"{(span.words or '').rstrip()}{right}")

    def native(self, written: str) -> str:
        number = int(written)
        return (
            number_words(self.code, number, "cardinal-native-attributive")
            if 0 < number < 100
            else self.cardinal(number)
        )

    def counters(self) -> tuple[Rule, ...]:
        return (
            *counted_rules(self),
            rule(r"(?<![A-Za-z\d+-])1[5-9]\d\d-\d{4}(?![\d-])", lambda m: self.pause.join(self.by_digits(group)
                for group in m[0].split("-"))),
            rule(r"(?:(?<=[길로동리] )|(?<=\d가 )|(?<=번지 ))(?P<a>\d{1,4})-(?P<b>\d{1,4})(?![\d-]|으?로 )",
                 lambda m: f"{self.cardinal(int(m['a']))} 다시 {self.cardinal(int(m['b']))}"),
            rule(r"(?:(?<=매일 )|(?<=매주 )|(?<=매달 )|(?<=매년 )|(?<=하루 )|(?<=하루에 )|"
                 r"(?<=일주일에 )|(?<=한 달에 )|(?<=총"
                r" ))(?P<n>[1-9]\d?)(?= ?번)",
            lambda m: self.native(m["n"])),
            rule(r"(?<![\d.·])(?P<a>3·1|4·19|5·16|5·18|6·10|6·25|6·29|8·15)(?=[절 가-힣])",
                 lambda m: f"{self.cardinal(int(m['a'][0]))}"
                     f"{self.by_digits(m['a'][2:]) if m['a'][2:] not in ('10',) else '십'}"),
            rule(rf"{START}(?P<n>{NUMBER})(?P<scale>[만억천]?)(?P<counter> ?원|회|건|명|개|대|톤|통)[/](?P<per>월|분|"
            rf"일|년|인|시간|초|주)(?!(?!으로|로|이[고며다었]|[은을에의이인]|입니|정도|쯤|까지|였)[가-힣])",
                 self._each),
            rule(rf"{START}(?P<a>\d{{1,3}}) ?[-:–] ?(?P<b>\d{{1,3}})(?=(?:으?로)? ?(?:이[겼기긴]|승|패|[졌진져]|"
            rf"완[승패]|꺾|무승부|앞|뒤[지진졌]|비[겼기긴]|리드|끝|마무리|제압|대승|역전|"
                 r"신승|석패|물리|눌렀))",
                 lambda m: f"{self.cardinal(int(m['a']))} 대 {self.cardinal(int(m['b']))}"),
            rule(r"(?<=\d초 )(?P<n>\d{2})(?![\d가-힣])|(?<=\d초)(?P<m>\d{2})(?![\d가-힣])|(?<=\d초 "
            r")(?P<k>\d{2})(?=[을의에로])|(?<=\d초)(?P<j>\d{2})(?=[을의에로])",
                 lambda m: self.by_digits(m["n"] or m["m"] or m["k"] or m["j"])),
            rule(rf"{START}(?P<a>\d{{1,3}}) ?대 ?(?P<b>\d{{1,3}})(?=로|의|으로| |,|\.|\Z)",
                 lambda m: f"{self.cardinal(int(m['a']))} 대 {self.cardinal(int(m['b']))}"),
            rule(rf"{START}(?P<a>\d{{1,2}}) ?[~〜～-] ?(?P<b>[1-9]0)(?=대)",
                 lambda m: f"{self.cardinal(int(m['a']))}에서 {self.cardinal(int(m['b']))}"),
            rule(rf"{START}(?P<n>[1-9]0)(?=대(?:[가는의들와]|에|\s?(?:남|여|초|중|후|청|직|부))?)(?=대)",
                 lambda m: self.cardinal(int(m["n"]))),
            rule(rf"{START}(?P<n>1[1-3]\d)(?=(?:에|로)? ?(?:전화|신고|연락|구급|구조|상황실))",
                 lambda m: self.by_digits(m["n"])),
            rule(rf"{START}(?P<n>[1-3])(?= ?번만(?![가-힣]))", lambda m: self.native(m["n"])),
            rule(r"(?<=제)(?P<a>[1-9]\d{0,3})-(?P<b>[1-9]\d{0,2})(?=호)",
                 lambda m: f"{self.cardinal(int(m['a']))} 다시 {self.cardinal(int(m['b']))}"),
            rule(rf"{START}(?P<n>[1-5])(?= ?번에 (?:\d|[가-힣]+씩|다 |모두|여러|많|조금|나눠|나누|걸쳐))",
                 lambda m: self.native(m["n"])),
            rule(r"(?<![\d.-])(?P<a>[1-9]\d?)번 중(?P<of>에?) (?P<b>[1-9]\d?)(?=번)",
                 lambda m: f"{self.native(m['a'])}번 중{m['of']} {self.native(m['b'])}"),
            rule(rf"{START}1 ?(?=번째)", lambda match: "첫 "),
            rule(rf"{START}(?P<n>[1-9]\d?)(?=대 ?(?:{NAMED_BY_TURN}))",
                 lambda m: self.cardinal(int(m["n"]))),
            rule(rf"{START}(?<=에 )(?P<n>[1-9]|1\d)(?= ?번(?! ?(?:출구|버스|홈|방|국도|게이트|선|승강장|창구|문)))",
                 lambda m: self.native(m["n"])),
            rule(rf"{START}(?<!\b제)(?<!\b제 )(?P<n>[1-9]\d?)(?= ?(?:{NATIVE}))", self._counted),
            rule(rf"{START}(?<!\b제)(?<!\b제 )(?P<a>[1-9]\d?) ?[-–~〜～] ?(?P<b>[1-9]\d?)(?= ?(?:{NATIVE}))",
                 lambda m: self._some(m) if int(m["a"]) < int(m["b"]) or re.match("시(?!간)",
                      m.string[m.end() :]) else None),
            rule(rf"{START}(?P<a>[1-9]|1\d|2[0-4])시 ?[-–~〜～] ?(?P<b>[1-9]|1\d|2[0-4])(?=시)",
                 lambda m: f"{self._hour_of(m['a'])}시부터 {self._hour_of(m['b'])}"),
            rule(r"(?:(?<=A[345] )|(?<=A[345]로 )|(?<=A[345]용지 ))(?P<n>[1-9]\d?)(?=장)",
                 lambda m: self.native(m["n"])),
            rule(rf"(?P<head>(?:{SHEETS}) )(?P<n>[1-9]\d?)(?=장)", lambda m: m["head"] + self.native(m["n"])),
            rule(rf"(?P<head>(?:{SHEETS})[은는이가을를도] )(?P<n>[1-9]\d?)(?=장(?:에 [\d,]+[만천]? ?원|씩|을|이|만"
                 r"|[,.]| ?\Z| (?:있|남|샀|사|구|예|끊|줘|주)))", lambda m: m["head"] + self.native(m["n"])),
            rule(r"(?P<head>(?:두부|순두부|연두부|묵|도토리묵) )(?P<n>[1-9]\d?)(?= ?모[가-힣])",
                 lambda m: m["head"] + self.native(m["n"])),
            rule(r"(?P<head>(?:대파|쪽파|실파|파|셀러리|샐러리|아스파라거스|우엉|담배|주사) )"
                 r"(?P<n>[1-9]\d?)(?= ?대[가-힣])",
                 lambda m: m["head"] + self.native(m["n"])),
            rule(rf"(?P<head>(?:{MACHINES})[가-힣]? ?)(?P<n>[1-9]\d?)(?=대[가-힣])",
                 lambda m: m["head"] + self.native(m["n"])),
            rule(rf"{START}(?P<n>[1-9]|1\d)(?= ?번(?:이나|이상|만에|씩|도| (?:반복|실패|성공|시도|방문|만|더"
                rf"|이상|정도|연속|모두|"
                 r"먹|복용|했|갔|왔|봤|읽|물|씻|찍|울|걸|나눠|이겼|졌|우승|출전|도전|경기|생각)))",
                 lambda m: self.native(m["n"])),
            rule(rf"{START}(?P<n>[1-9]|1\d)(?= ?번 [가-힣]{{2,5}}(?:하(?:고|세요|여|면|십시오|였)"
                 r"|한 (?:뒤|후|다음)|합니다|해(?:서|야|요| 주)))",
                 lambda m: self.native(m["n"])),
            rule(r"(?<!\d)(?P<n>\d\d)(?= ?(?:올림픽|아시안게임|월드컵))", lambda m: self.by_digits(m["n"])),
            rule(rf"{START}(?P<n>[1-9]|1\d)(?= ?번 [가-힣]{{1,3}}[았었였했겼졌왔갔봤냈줬썼렸꿨켰쳤뒀])",
                 lambda m: self.native(m["n"])),
            rule(r"(?P<head>타율 ?)\.(?P<n>\d{3})(?!\d)",
                 lambda m: m["head"] + " ".join(f"{self.cardinal(int(digit))}{name}"
                                                for digit, name in zip(m["n"], "할푼리", strict=True) if digit != "0")),
            rule(r"(?<=\d)/(?=[가-힣]{1,3} ?\d)|(?<=원)/(?=(?:월세|관리비|전세|권리금) ?\d)", ", "),
            rule(rf"{START}(?P<a>\d{{1,4}})-(?P<b>\d{{1,4}})(?=번지|호(?![선실점]))",
                 lambda m: f"{self.cardinal(int(m['a']))} 다시 {self.cardinal(int(m['b']))}"),
            rule(r"(?P<a>원|엔|달러|유로|위안|파운드)/(?=달러|엔|유로|위안|파운드|원(?![가-힣]))", r"\g<a> "),
            rule(r"(?<=자리 )(?P<n>\d{3,6})(?!\d)|(?<=번호 )(?P<m>\d{3,8})(?!\d)", lambda m: self.by_digits(m["n"]
                 or m["m"])),
            rule(rf"{START}(?P<n>\d{{1,4}})(?P<joint>과 ?)(?P<root>√)?(?P<top>\d{{1,4}})/(?P<below>√)"
                 rf"?(?P<bottom>\d{{1,4}}) ?(?P<unit>{one_of(UNITS)})?(?![A-Za-z\d])", self._mixed),
            rule(rf"{START}(?P<top>\d{{1,4}})/(?P<bottom>\d{{1,4}})(?P<end>[은이을])(?= |\Z)", self._ended),
        )  # fmt: skip

    def _related(self, match: re.Match[str]) -> str | None:
        """ "p<0.05", "≥65세"."""
        known = re.search(r"(?:[가-힣（(,:]|\A) ?\Z", text_before(match, 2)) and match[0] != "<3"
        if (not match["name"] and not known) or is_title(match):
            return None
        said = self.spoken(match["n"])
        if match["unit"]:
            said = (self.percent if match["unit"] == "%" else self.all_units[match["unit"]]).format(said)
        name = f"{match['name'].rstrip()} " if match["name"] else " " if text_before(match, 1) > " (（" else ""
        return f"{name}{said}{match['counter']} {RELATIONS[match['sign']]}"

    def _each(self, match: re.Match[str]) -> str:
        """ "92회/분"; what a share pays is for one share, not for a week."""
        share = match["per"] == "주" and re.search("배당|주가|주식|액면|공모", match.string)
        said = f"{self.spoken(match['n'])}{match['scale']}{match['counter']}"
        return f"{'주당' if share else PER_COUNTED[match['per']]} {said}"

    def equals(self, match: re.Match[str]) -> str:
        last = ord(text_before(match, 1) or " ") - 0xAC00
        return "은 " if 0 <= last < 11172 and last % 28 else "는 "

    def joint(self, match: re.Match[str]) -> str:
        """From a date to a date is 부터; between what is counted stands 에서."""
        dated = (
            match["unit"] in ("년", "월", "일", "시")
            or re.fullmatch(r"\d{4}", match["a"])
            or re.search(r"월 ?\Z", text_before(match, 2))
        )
        return self.to if not dated or re.search("[-–]", match[0]) else self.from_to

    def _sum(self, match: re.Match[str]) -> str:
        """ "2+3=5": the particle follows the last sound."""
        return re.sub(
            r"(\S) 는 ", lambda m: f"{m[1]}{'은' if (ord(m[1]) - 0xAC00) % 28 else '는'} ", super()._sum(match)
        )

    def _hour_of(self, written: str) -> str:
        return self.cardinal(int(written)) if int(written) > 12 else self.native(written)

    def _before(self, number: str, behind: str) -> str:
        """A number before what it counts."""
        if re.match("시(?!간)", behind):
            return self._hour_of(number)
        return self.native(number) if number.isdigit() and re.match(NATIVE, behind) else self.spoken(number)

    def _some(self, match: re.Match[str]) -> str:
        """ "2~3개": two numbers side by side have a word of their own."""
        first, last = int(match["a"]), int(match["b"])
        hours = re.match(" ?시(?!간)", match.string[match.end() :]) is not None
        if last == first + 1 and first in SIDE_BY_SIDE and not hours:
            return SIDE_BY_SIDE[first]
        said = [
            self.cardinal(number) if hours and number > 12 else self.native(str(number)) for number in (first, last)
        ]
        if hours:
            return f"{said[0]}시부터 {said[1]}"
        counted = re.match(f" ?({NATIVE})", match.string[match.end() : match.end() + 12])
        return f"{said[0]}{counted[1] if counted else ''}에서 {said[1]}"

    def _counted(self, match: re.Match[str]) -> str:
        number = int(match["n"])
        return (
            self.cardinal(number)
            if number > 12 and re.match(" ?시", match.string[match.end() :])
            else self.native(match["n"])
        )

    def _mixed(self, match: re.Match[str]) -> str:
        top = (self.root if match["root"] else "") + self.spoken(match["top"])
        bottom = (self.root if match["below"] else "") + self.spoken(match["bottom"])
        said = f"{self.spoken(match['n'])}과 {self.fraction_words(bottom, top)}"
        return self.units[match["unit"]].format(said) if match["unit"] else said

    def _ended(self, match: re.Match[str]) -> str:
        said = self.fraction_words(self.spoken(match["bottom"]), self.spoken(match["top"]))
        closed = (ord(said[-1]) - 0xAC00) % 28 != 0
        return said + (match["end"] if closed else BEHIND_VOWEL[match["end"]])

    def dates(self) -> tuple[Rule, ...]:
        return (*super().dates(),
                rule(rf"{START}(?P<year>[12]\d{{3}})\. (?P<month>1[0-2]|0?[1-9])\. (?P<day>3[01]|[12]\d"
                    rf"|0?[1-9])\.?(?!\d)",
                     self._date),
                rule(rf"{START}(?P<year>[12]\d{{3}})\. ?(?P<month>1[0-2]|0?[1-9])\. ?(?P<day>3[01]|[12]\d|0?[1-9])\. ?"
                     r"[(](?P<name>[월화수목금토일])[)]",
                     lambda m: self._date(m) + self.weekday.format(m["name"])),
                rule(rf"{START}(?P<year>[12]\d{{3}})\.(?P<month>1[0-2]|0?[1-9])\.(?P<day>3[01]|[12]\d|0?[1-9])\."
                     r"(?= ?[가-힣(])", self._date),
                rule(rf"{START}(?P<n>0?6|10)(?= ?월)", lambda m: self.month(int(m["n"]))),
                rule(r"(?:(?<=월)|(?<=월 ))(?P<a>\d{1,2})[〜～~](?=\d{1,2}일)",
                     lambda m: f"{self.cardinal(int(m['a']))}일부터 "))  # fmt: skip

    def own_rules(self) -> tuple[Rule, ...]:
        units = one_of(UNITS)
        return (
            rule(rf"(?<![A-Za-z])(?P<name>(?:[A-Za-z]{{1,3}} ?)?)(?P<sign>[{''.join(RELATIONS)}]) ?(?P<n>{NUMBER}) ?"
                 rf"(?P<unit>(?:{units}|%)?)(?P<counter>(?:[세명회개건일년점원배초분주]|시간)?)(?![A-Za-z²³\d]|[./]\d)"
                 r"(?!(?!은|는|이|가|을|를|의|에|로|과|와|인|면)[가-힣])",
                 self._related),
            rule(rf"{START}(?<!의 )(?<!약 )(?P<month>1[0-2]|[1-9])/(?P<day>3[01]|[12]\d|[1-9])"
                 r"(?= ?(?:이후|이전|(?:밤|낮|아침|저녁|새벽)(?=에|[ ,.)]|\Z)|경(?![가-힣])|쯤|전후|까진"
                 r"|[입퇴내]원|재진|수술|출시|마감|발송|입고|개봉|개막|도착|출발)"
                 r"| \d{1,2}(?::\d\d|시))",
                 lambda m: self._short_date_of(int(m["month"]), int(m["day"]))),
            blood_rule(self, ", "),
            test_rule(self),
            *dotted_rules(self),
            *span_rules(self, "{}일"),
            *title_rules(),
            *slash_rules(self),
            span_rule(self, self._before),
            rule(r"(?<=요일)[-–](?=[월화수목금토일]요일)", self.from_to),
            rule(rf"{START}(?P<a>\d{{1,3}})-(?P<b>\d{{1,3}})"
                 r"(?=(?:으?로|에서|의|이던|인|까지|던)(?![가-힣]{3})| (?:동점|상황|균형|리드|무승부|역전))",
                 lambda m: f"{self.cardinal(int(m['a']))} 대 {self.cardinal(int(m['b']))}"
                 if mentions(self.sport_words, m.string) else None),
            rule(rf"{START}(?P<n>[2-6]0)-(?P=n)(?= ?(?:클럽|고지|달성|가입))",
                 lambda m: f"{self.cardinal(int(m['n']))} {self.cardinal(int(m['n']))}"),
            rule(r"(?<![A-Za-z\d./])(?P<a>[1-9]\d{2,5})/(?P<b>[1-9]\d{1,2})(?![\d/]|\.\d)",
                 lambda m: f"{self.cardinal(int(m['a']))}에 {self.cardinal(int(m['b']))}"
                 if mentions(RENTED, m.string) else None),
            rule(r"(?<![\d/.])(?P<top>\d)/(?P<bottom>\d)(?P<spoon>[tT])(?:s|sp|bsp)?(?![A-Za-z])",
                 lambda m: self.fraction_words(self.spoken(m["bottom"]), self.spoken(m["top"]))
                 + (" 작은술" if m["spoon"] == "t" else " 큰술")),
            *named_rules(self),
            *measure_rules(self, CHARTS),
            *day_rules(self, r"입니다|이다|이며|까지|에(?![서게])|부터|[.,)]",
                       "납기|마감일?|[가-힣]{0,2}기한|발송일|배송일|접수일|시행일|시험일|출발일?|도착일?|공연일?|개봉일?|일정"
                       "|돌아오는 (?:열차|기차|버스|비행기)|오는 편|가는 편", "[은는이가:]? ?"),
            nil_rule(self, "으?로|이|은|[.,]"),
            rule(r"(?<![\d·])(?P<a>[1-9]\d?)·(?P<b>[1-9]\d?)"
                 r"(?=호선|번 ?(?:출구|버스|게이트)|층|학년|교시|호기|단지|차전|관)",
                 lambda m: f"{self.cardinal(int(m['a']))}, {self.cardinal(int(m['b']))}"),
            rule(r"(?P<head>(?:계좌 [가-힣]{2,6}|은행|뱅크|농협|수협|신협|금고|우체국|계좌)[은는:]? ?)"
                 r"(?P<n>\d{2,6}(?:-\d{2,8}){1,4})(?![\d-])",
                 lambda m: m["head"] + self.pause.join(self.by_digits(part) for part in m["n"].split("-"))),
            rule(r"(?:(?<=내선은 )|(?<=내선 ))(?P<n>\d{3})(?=번)", lambda m: self.by_digits(m["n"])),
            rule(rf"{START}(?P<n>{NUMBER})(?P<won> ?원)/(?P<unit>kWh|kg|g|L|m²|㎡|km)(?![A-Za-z])",
                 lambda m: f"{self.all_units[m['unit']].format('').strip()}당 {self.spoken(m['n'])}{m['won']}"),
            rule(rf"{START}(?P<n>[1-9]\d?)(?=장 ?(?:살게|샀|사고|사서|구매|예매|끊|뽑|챙|남았|줘|주세요))",
                 lambda m: self.native(m["n"])),
            protection_rule(self),
            rule(rf"(?P<head>(?:{SEASONINGS.pattern}|마늘|후추|후춧가루|깨|깨소금|생강|올리고당|액젓) )"
                 r"(?P<n>[1-9])t(?![A-Za-z])", lambda m: f"{m['head']}{self.native(m['n'])}작은술"),
            rule(r"[①-⑳](?=[항호목번조])", lambda m: self.cardinal(int(unicodedata.numeric(m[0])))),
            rule(r"(?<=g )(?P<n>[1-9])T(?![A-Za-z\d])", lambda m: f"{self.native(m['n'])} 알"),
            rule(r"(?<![A-Za-z])(?P<name>W?[FQU]?HD)\+(?=[ (,.])", lambda m: f"{m['name']}플러스"),
            rule(r"(?P<head>(?:보증금|월세|전세|반전세|보증금/월세) ?)(?P<a>[1-9]\d{1,5})/(?P<b>\d{1,4})(?![\d/.])",
                 lambda m: f"{m['head']}{self.cardinal(int(m['a']))}에 {self.cardinal(int(m['b']))}"),
            rule(r"(?<![A-Za-z\d.])(?P<h>\d{1,2})h(?P<m>[0-5]?\d)min(?![A-Za-z])",
                 lambda m: f"{self.native(m['h'])}시간 {self.cardinal(int(m['m']))}분"),
            rule(r"(?<=[（(])±(?=[）)])", f"{self.plus}{self.minus}".strip()),
            rule(r"±(?=[A-Z])", f" {self.plus}{self.minus}"),
            rule(rf"{START}(?P<a>\d{{1,4}})-(?P<b>\d{{1,2}})(?=번 ?(?:버스|마을버스|출구|게이트|국도|승강장))",
                 lambda m: f"{self.cardinal(int(m['a']))} 다시 {self.cardinal(int(m['b']))}"),
            # The names of these letters end in a consonant.
            rule(r"(?<![A-Za-z])(?P<name>[A-Za-z]{0,2}[lmnrLMNR]) ?= ?(?=-?\d)", lambda m: f"{m['name']}은 "),
            *formula_rules("투", "에이치비", "에이원씨"),
            rule(rf"{START}(?P<a>\d{{1,2}})/(?P<b>\d{{1,2}})(?=층)",
                 lambda m: f"{self.cardinal(int(m['b']))}층 중 {self.cardinal(int(m['a']))}"
                 if int(m["a"]) <= int(m["b"]) else None),
            rule(rf"{START}(?P<year>(?:19|20)\d\d) ?(?P<kind>{CASES}) ?(?P<n>\d{{1,7}})(?![\d가-깋깍-혷혹-힣])",
                 lambda m: f"{self.cardinal(int(m['year']))} {m['kind']} {self.by_digits(m['n'])}"),
            rule(r"(?<![가-힣\d])(?P<a>[월화수목금토일])[~〜～-](?P<b>[월화수목금토일])(?:요일)?(?![가-힣\d])",
                 lambda m: f"{m['a']}요일부터 {m['b']}요일"),
            rule(r"(?:(?<=[,/·(~] )|(?<=[,/·(])|(?<=\A))(?P<a>[월화수목금토일])"
                 r"(?=(?: |: ?)(?:\d{1,2}:\d\d|\d{1,2}시|휴무))",
                 lambda m: f"{m['a']}요일"),
            rule(r"(?<![가-힣\d])(?P<a>[토일])(?=[·,/] ?(?:법정)?공휴일)", lambda m: f"{m['a']}요일"),
            rule(r"(?P<head>(?<![가-힣])(?:방|욕실?|화장실|거실|주방|베란다) ?)(?P<n>[1-9])"
                 r"(?=[ ,/]{1,2}(?:욕실?|화\d|화장실|거실|주방|베란다)| ?[,)]|\.(?!\d)|\s*\Z)",
                 lambda m: m["head"] + ROOMS[int(m["n"]) - 1]),
            rule(rf"{START}(?P<n>[1-9])T(?![A-Za-z])",
                 lambda m: f"{self.native(m['n'])}큰술" if mentions(SEASONINGS, m.string) else None),
            rule(rf"(?P<already>초속 ?)?{START}(?P<n>{NUMBER}) ?m/s(?![A-Za-z²])",
                 lambda m: f"초속 {self.spoken(m['n'])} 미터" if m["already"] or mentions(WIND, m.string) else None),
            rule(rf"{START}{MINUS}(?P<n>{NUMBER}) ?(?P<unit>{units})/(?P<per>{units}|s)(?![A-Za-z])",
                 lambda m: f"{self._sign(m)}{self.units[m['unit']].format(self.spoken(m['n']))} 퍼 "
                     f"{PER.get(m['per']) or self.units[m['per']].format('').strip()}"),
        )  # fmt: skip

    def _measure(self, match: re.Match[str]) -> str | None:
        """Metres a second are said by `own_rules`, and as "초속" behind a power of ten alone."""
        if match["unit"] == "p" and ("." in match["n"] or INDEX_MOVES.match(match.string, match.end())):
            return f"{self._sign(match)}{self.spoken(match['n'])} 포인트"
        return None if match["unit"] == "m/s" else super()._measure(match)

    def names(self) -> tuple[Rule, ...]:
        """Behind another item a pause parts the two: "①예산안 ②일정"."""
        items = rule(r"(?<=[가-힣]) [②-⑳]", lambda m: f", {self.cardinal(int(unicodedata.numeric(m[0][1])))}, ")
        return (items, *super().names())

    def letters(self, written: str) -> str:
        return "".join(LETTERS.get(letter, letter) for letter in written.lower()) if written.lower() != "com" else "컴"

    def _time(self, match: re.Match[str]) -> str:
        hour, minute = self.hour(int(match["hour"])), int(match["minute"])
        second = int(match["second"] or 0)
        parts = [
            f"{hour} 시",
            *([f"{self.cardinal(minute)} 분"] if minute else []),
            *([f"{self.cardinal(second)} 초"] if second else []),
        ]
        return " ".join(parts)


WORDS = Korean(
    versus=" 대 ", power="{base}의 {exponent} 제곱", onward="부터",
    floor="{}층", per=" 퍼 ", every=", ", basement="지하 {}층", rises=" 상승", falls=" 하락",
         penalties="승부차기|PK", figures="표|그림|문제|예제",
    identifiers="내선|품번|모델명|[가-힣]{0,4}번호|ID|암호|패스워드|비번|비밀번호|계좌번호|회원번호|인증번호",
    durations="기록|우승",
    duration="{hour}시간 {minute}분 {second}초",
    sports="승리|단식|복식|결정전|준결승|전적|역전|동점|연승|연패|홈런|타점|득점|회말|회초|쿼터|전반전?|후반전?|이겼|이긴|졌다|패했|꺾|세트|경기|우승|결승|누르|물리",
    about=" 약 ", and_part="과 ", score_words="스코어|점수|결과", pressure_words="혈압[은이]?|(?<![A-Za-z])BP:?",
        pressure="에 ",
    version="버전", numero="넘버 ",
    code="ko", digits="영일이삼사오육칠팔구", numbering="cardinal-sinokorean", point=" 점 ", minus="마이너스 ",
        plus="플러스 ",
        percent="{} 퍼센트", fraction="{bottom}분의 {top}", to="에서 ", from_to="부터 ", root="루트 ",
    money={"₩": "{} 원", "$": "{} 달러", "€": "{} 유로", "£": "{} 파운드", "¥": "{} 엔", "US$": "{} 달러",
        "KRW": "{} 원",
        "USD": "{} 달러", "EUR": "{} 유로", "JPY": "{} 엔", "GBP": "{} 파운드", "CNY": "{} 위안",
           "AED": "{} 아랍에미리트 디르함", "CHF": "{} 스위스 프랑", "HKD": "{} 홍콩 달러", "CAD": "{} 캐나다 달러",
               "AUD": "{} 호주 달러"},
    units=UNITS, date="{year}년 {month}월 {day}일", clock="{hour} 시 {minute} 분", full_hour="{hour} 시",
        seconds="{hour} 시 {minute} 분 {second} 초", pause=", ", country_code="국가번호 ",
    hours=dict(enumerate(words_of("영 한 두 세 네 다섯 여섯 일곱 여덟 아홉 열 열한 열두"))), months={6: "유",
        10: "시"}, weekdays="월화수목금토일",
        weekday=" {}요일",
    web={".": " 닷 ", "-": " 대시 ", "_": " 언더바 ", "/": " 슬래시 ", ":": " 콜론 ", "@": " 골뱅이 ", "+": " 더하기 ",
        "=": " 는 ", "≠": " 낫 이퀄 ", "−": " 빼기 ",
        "×": " 곱하기 ", "÷": " 나누기 ", "figure": " 다시 ",
        "?": " 물음표 ", "in address =": " 이퀄 ", "&": " 앤드 ", "#": " 샵 ", "%": " 퍼센트 ", "~": " 물결 "},
)  # fmt: skip
LANGUAGE = Language(
    name="korean",
    spellings="ko kor kr 한국어 hangugeo",
    script="\uac00-\ud7af\u1100-\u11ff",
    character_weight=3,
    sentences="ko",
    sample="어젯밤에 빗소리 들었어요? 자정에 내리기 시작해서 아침에는 온 정원이 반짝였어요. 차를 "
    "끓여 놓고 새들이 돌아오는 것을 보았어요.",
    everyday=(
        "오늘은 날씨가 좋아서 공원에 갔어요.",
        "실례지만 기차역이 어디에 있어요?",
        "동생은 매일 저녁 책을 읽어요.",
        "우리는 강을 따라 천천히 걸었어요.",
        "도와주셔서 정말 감사합니다.",
    ),
    recognise=WORDS.recognise,
)
