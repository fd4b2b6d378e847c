"""Korean: its names, how a text in it is known and cut, and its words for numbers and signs."""

from __future__ import annotations

from mlx_tts.text.languages import Language
from mlx_tts.text.normalise.east_asian import START, EastAsian
from mlx_tts.text.normalise.rules import Rule, rule, words_of


class Korean(EastAsian):
    def dates(self) -> tuple[Rule, ...]:
        return (*super().dates(), rule(rf"{START}(?P<n>6|10)(?= ?월)", lambda m: self.month(int(m["n"]))))

    def times(self) -> tuple[Rule, ...]:
        hours = rule(rf"{START}(?P<n>1[0-2]|[1-9])(?= ?시(?!\w*[간속]))", lambda m: self.hour(int(m["n"])))
        return (*super().times(), hours)


WORDS = Korean(
    digits="영일이삼사오육칠팔구", tens=("십", "백", "천"), myriads=("만", "억", "조"), one_before=5, point=" 점 ",
    minus="마이너스 ", percent="{} 퍼센트", fraction="{bottom}분의 {top}", to="에서 ",
    money={"₩": "{} 원", "$": "{} 달러", "€": "{} 유로", "£": "{} 파운드", "¥": "{} 엔"},
    units={"km/h": "시속 {} 킬로미터", "km": "{} 킬로미터", "kg": "{} 킬로그램", "cm": "{} 센티미터",
           "mm": "{} 밀리미터", "m": "{} 미터", "g": "{} 그램", "°C": "{} 도", "℃": "{} 도", "°": "{} 도",
           "ml": "{} 밀리리터", "L": "{} 리터", "GB": "{} 기가바이트"},
    date="{year}년 {month}월 {day}일", clock="{hour} 시 {minute} 분", full_hour="{hour} 시", pause=", ",
    hours=dict(enumerate(words_of("한 두 세 네 다섯 여섯 일곱 여덟 아홉 열 열한 열두"), 1)),
    months={6: "유", 10: "시"},
)  # fmt: skip
LANGUAGE = Language(
    name="korean",
    spellings="ko kor kr 한국어 hangugeo",
    script="\uac00-\ud7af\u1100-\u11ff",
    character_weight=3,
    sentences="ko",
    sample="어젯밤에 빗소리 들었어요? 자정에 내리기 시작해서 아침에는 온 정원이 반짝였어요. 차를 "
    "끓여 놓고 새들이 돌아오는 것을 보았어요.",
    normalise=WORDS.normalise,
)
