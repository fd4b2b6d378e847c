"""Korean numbers that only the words next to them explain: copies, outs of baseball, sheaves -> words."""

from __future__ import annotations

import re
from typing import Protocol

from mlx_tts.text.normalise.east_asian import START
from mlx_tts.text.normalise.engine import Rule, mentions, rule, words_of

ENGLISH = ("제로", "원", "투", "쓰리", "포", "파이브", "식스", "세븐", "에이트", "나인")
METALS = words_of("하나 둘 셋 넷 다섯 여섯 일곱 여덟 아홉")
PLACES = words_of("첫 둘 셋 넷 다섯 여섯 일곱 여덟 아홉")
PAPERS = (
    "계약서|서류|신청서|사본|복사본|보고서|자료|신문|이력서|등본|초본|증명서|설명서|팸플릿|책자|원서|답안지|시험지|설문지|문서|동의서"
    "|명세서|영수증|원본|견적서|잡지|소책자|안내문|유인물"
)


PAIRS = words_of("일이 이삼 삼사 사오 오륙 육칠 칠팔 팔구")
LASTING = (
    r"개월|개년|주(?![차기])|일(?![차자째요])|년(?![생급도차형])|분(?![기의단])|초(?!등)|회(?![차말초])|인(?![승실])|미터|센티|킬로|리터"
    r"|도(?![시로])|퍼센트|그램|천|백|만"
)


# Of them "3대" is three that have a name together.
TOGETHER = (
    "보험|강국|강|대륙|명절|도시|질병|과제|그룹|은행|의혹|요소|원칙|리그|구단|중증|천왕|성인|독자|주주|이동통신|통신사|항공사"
    "|후손|손(?![가-힣])|거래소|지수|연기금|수출국|산업|축제|시장|악재|변수|요인|종목|종교|포털|백화점|로펌|금융|신문|공약|전략|목표"
    "|분야|사건|불가사의|욕구|영양소|국정|개혁|사업|현안|쟁점|미항|폭포|광역시|암(?![가-힣])|질환|비극|희극|화가|시인|작가"
    "|서원|사찰|명산|가문|재벌|기업|업체|제조사|플랫폼|정유사|조선사|증권사|세종|태종|성종|영조|정조|고종|순종"
)
# Before them "2대" is two of them, whatever particle follows.
MACHINES = (
    "차|트럭|버스|택시|자전거|오토바이|헬기|헬리콥터|비행기|전투기|드론|컴퓨터|노트북|카메라|장비|기기|서버|로봇|에어컨|"
    "냉장고|세탁기|TV|텔레비전|피아노|전화기|휴대폰|스마트폰|발전기|굴착기|크레인|엘리베이터|기계|프린터|차량|펌프"
)
SHEETS = (
    "경고|옐로카드|레드카드|영화|공연|뮤지컬|콘서트|입장권|승차권|기차표|항공권|예매권|관람권|초대장|"
    "어묵|베이컨|라이스페이퍼|토르티야|또띠아|다시마|치즈|사진|종이|색종이|티켓|표|엽서|카드|수건|이불|김|상추|깻잎|지폐|셔츠|티셔츠|마스크|앨범|음반|담요|쿠폰|사본|용지|"
    "포스터|그림|식빵|만두피"
)
MEDALS = re.compile("메달|종합|대회|올림픽|선수단")


class Counting(Protocol):
    """What these rules ask of the language."""

    def cardinal(self, number: int) -> str: ...
    def native(self, written: str) -> str: ...


def about(match: re.Match[str]) -> str | None:
    """ "2~3주": of two numbers side by side nothing is said between."""
    first, last = int(match["a"]), int(match["b"])
    return PAIRS[first - 1] + (" 퍼센트" if match["share"] else "") if last == first + 1 else None


def counted_rules(own: Counting) -> tuple[Rule, ...]:
    return (
        rule(rf"{START}(?<!월 )(?<!월)(?P<a>[1-8]) ?[-–~〜～] ?(?P<b>[2-9]) ?"
             rf"(?:(?P<share>%)(?!p)|(?=(?:{LASTING})))", about),
        rule(rf"(?P<head>(?:{PAPERS})[은는이가을를도]? )"
             r"(?P<n>[1-9]|[1-4]\d)(?= ?부(?![가-힣]{{0,2}}(?:리그|작|에서|터)))",
             lambda m: m["head"] + own.native(m["n"])),
        rule(rf"{START}(?P<n>[1-9]|[1-4]\d)(?= ?부(?:씩|만|를|을)? ?(?:작성|복사"
             r"|출력|인쇄|제출|준비|보관|발급|필요|챙|가져|뽑|찍|주문))",
             lambda m: own.native(m["n"])),
        rule(rf"(?:(?<=씩 )|(?<=총 )|(?<=모두 )|(?<=각각 )|(?<=상위 )|(?<=하위 )|(?<=남은 )){START}"
             r"(?P<n>[1-9]|[1-4]\d)(?= ?팀)",
             lambda m: own.native(m["n"])),
        rule(rf"{START}(?P<n>[2-9]|[1-4]\d)(?= ?팀(?:이|만)? ?(?:겨루|겨룬|겨룰|맞붙|참가|출전|경쟁|진출|탈락|남))",
             lambda m: own.native(m["n"])),
        rule(rf"{START}(?P<n>[1-9]\d?)(?=대 ?(?:{TOGETHER}|\d{{2,3}}년))", lambda m: own.cardinal(int(m["n"]))),
        rule(rf"{START}(?P<n>[1-4])/4 ?분기", lambda m: f"{own.cardinal(int(m['n']))}사분기"),
        rule(r"(?P<head>(?<![가-힣])[금은동] ?)(?P<n>[1-9])(?=[,·)]| (?:은|동)(?: ?\d)|(?:으?로|을|를) )",
             lambda m: m["head"] + METALS[int(m["n"]) - 1] if mentions(MEDALS, m.string) else None),
        rule(r"(?P<head>(?:총알|실탄|포탄|미사일|로켓|옷감|비단|쌀|콩|보리|시금치|김) )(?P<n>[1-9])"
             r"(?= ?(?:발|필|말|되|접)(?![가-힣]{2}))",
             lambda m: m["head"] + own.native(m["n"])),
        rule(rf"{START}(?P<n>[1-9]\d?)(?=장 ?(?:분량|짜리|씩|가량)|장당"
             r"|장에 (?:약 )?\d[\d,.만천백 ]{0,9}(?:kcal|g|원|칼로리))", lambda m: own.native(m["n"])),
        # Baseball counts in English.
        rule(rf"{START}(?P<n>[1-3])(?= ?(?:아웃|스트라이크|볼(?= ?[1-3] ?스트)))"
             r"|(?<=스트라이크 )(?P<m>[1-3])(?= ?볼)",
             lambda m: ENGLISH[int(m["n"] or m["m"])]),
        rule(rf"{START}(?P<n>[1-9])(?=째(?![가-힣]{{2}}))", lambda m: PLACES[int(m["n"]) - 1]),
        rule(rf"{START}(?P<a>[1-9])\+(?P<b>[1-9])(?= ?(?:행사|이벤트|할인|상품|증정|프로모션|기획|특가))",
             lambda m: f"{ENGLISH[int(m['a'])]} 플러스 {ENGLISH[int(m['b'])]}"),
        rule(r"(?P<head>(?:시금치|대파|쪽파|미나리|부추|열무|얼갈이|쑥갓|아욱|근대) )(?P<n>[1-9])(?=단)",
             lambda m: m["head"] + own.native(m["n"])),
        rule(r"(?P<head>(?:마늘|사과|귤|레몬|오렌지|생강|양파|자몽|수박|멜론) )(?P<n>[1-9]\d?)(?=쪽)",
             lambda m: m["head"] + own.native(m["n"])),
    )  # fmt: skip
