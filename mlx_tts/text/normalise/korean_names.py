"""Korean names with numbers, which are mostly said as in English: "M3 칩", "톱10", "K9 자주포" -> words."""

from __future__ import annotations

from mlx_tts.text.normalise.east_asian import EastAsian
from mlx_tts.text.normalise.east_asian_products import aircraft_rule, english_rules, model_rules, optics_rules
from mlx_tts.text.normalise.engine import Rule, rule
from mlx_tts.text.normalise.korean_counts import ENGLISH

DIGITS = " ".join((*ENGLISH, "텐"))
# Those of seats and blocks are said in Korean.
NAMES = (
    r"[A-Z][1-3](?! ?(?:석|열|구역|동|블록|홀|게이트|번|존|반|형|급))|G[78]|[KV][1-9]"
    r"|[AB][3-5](?= ?(?:용지|사이즈|크기|프린터|종이|복사|출력|판|로 |한 |두 |\d{1,3} ?[장매]))"
    r"|M[1-5](?= ?(?:칩|프로세서|맥|프로|울트라))|PS[1-5]|MP[34]"
)
AHEAD = r"(?<![가-힣])(?:톱(?! )|탑(?! )|빅(?=[2-5])|베스트)|(?<![A-Za-z])(?:TOP|Top|BEST|Best|Wi-Fi|WiFi)|와이파이"
BEHIND = r"(?:(?<=[2-4])D|(?<=[48])K)(?![A-Za-z\d])"


def named_rules(own: EastAsian) -> tuple[Rule, ...]:
    return (
        *english_rules(own, DIGITS, NAMES, AHEAD, BEHIND, "투"),
        aircraft_rule(own, "보잉", " 다시 "),
        *optics_rules(own),
        *model_rules(own, own.plus.strip()),
        rule(r"(?:№|(?<![A-Za-z])[Nn]o\.) ?(?P<n>[1-3])(?![\dA-Za-z-]|\.\d)", lambda m: f"넘버{ENGLISH[int(m['n'])]}"),
        rule(r"(?<![A-Za-z\d.])(?P<n>[1-5])(?P<more>on[1-5]|in1)(?![A-Za-z\d])",
             lambda m: ENGLISH[int(m["n"])] + ("온" if m["more"][0] == "o" else "인") + ENGLISH[int(m["more"][2])]),
    )  # fmt: skip
