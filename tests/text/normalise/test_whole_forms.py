"""A form is said whole or left as it was written: 10,000 generated strings over all languages, from fixed seeds."""

import random
import re
from functools import cache

import pytest

from mlx_tts.text.languages import find
from mlx_tts.text.normalise.engine import NUMERIC, UNSPACED, speak
from mlx_tts.text.normalise.normaliser import normalise, spans
from tests.text.normalise import LANGUAGES

STRINGS = 1000  # of each language
NUMBERS = ("0", "1", "2", "3", "5", "07", "12", "21", "44", "101", "221", "800", "1000", "1984", "2024", "1.234",
    "1,5", "3.25", "10 000", "1,000,000",
           "123456789012345678901234567890", "½", "¾", "²", "IV", "XIX", "I")  # fmt: skip
MARKS = ("", "", "", " ", " ", "-", "–", "/", ":", ".", ",", "'", "’", "+", "×", "x", "=", "%", "°", "#", "@", "_",
    "(", ")", "€", "$", "£", "§", "&", "~",
         "*", "…", "\u00a0", "\u202f")  # fmt: skip
WORDS = {
    "english": "Apt. B M m h g s in min N St. Dr. kg km/h tsp 1st th Jan. Mon. p.m. No. vs. the and of GB ft. k bn "
    "Ave. e.g. www.a.com",
    "german": "Nr. Str. Uhr km kg h Mio. der am Januar . Mo. S. § Jh. € z.B. Tag jährig er mal g l",
    "spanish": "n.º ª º er de enero h km kg años a las siglo Sr. EE. UU. % millones ud. a. C. p. m.",
    "french": "e er re ème h kg km n° M. siècle janvier Md€ % de la p. c. à s. Tél.",
    "italian": "° º ª h kg km n. art. secolo gennaio mln € % di la Sig. q.b. a.C.",
    "portuguese": "º ª h kg km n.º R$ século janeiro mi % de a Sr. ap. às",
    "russian": "-й -м -я -е -го -летний г. руб. км кг ч мин января век № % в до ул. т.е. м",
    "japanese": "年 月 日 時 分 円 kg km から 第 番目 人 (月) 〜 度",
    "chinese": "年 月 日 点 分 元 kg km 到 第 个 人 (一) 〜 度 万 亿",
    "korean": "년 월 일 시 분 원 kg km 부터 번째 명 개 (월) 〜 도 만 억",
}
OTHER = (
    "Word",
    "word",
    "A",
    "B",
    "ab",
    "ñandú",
    "GPT",
    "straße",
    "naïve",
    "😀",
    "\u200b",
    "\x00",
    "ﬁ",
    "İ",
    "٣",
    "三",
    "한",
    "x²",
    "...",
)


@cache
def parts(language: str) -> tuple[str, ...]:
    return (*NUMBERS, *NUMBERS, *MARKS, *MARKS, *WORDS[language].split(), *OTHER)


def strings(language: str) -> list[str]:
    source = random.Random(language)
    return ["".join(source.choice(parts(language)) for _ in range(source.randint(2, 9))) for _ in range(STRINGS)]


RUN = re.compile(rf"[^\s{UNSPACED}]+")


def check_whole(text: str, language: str) -> None:
    found = list(spans(text, language))
    said = speak(text, found)
    covered = bytearray(len(text))
    last = 0
    for span in found:
        assert last <= span.start < span.end, f"{text!r}: {found}"
        last = span.end
        if span.words is not None:
            assert not re.search(r"\d", span.words), f"{text!r}: {span}"
            covered[span.start : span.end] = b"\1" * (span.end - span.start)
            # What is dropped in the middle of a sentence leaves no full stop behind.
            if span.words.endswith(".") and span.rule == "abbreviation":
                assert not re.match(r"\s+[^\W\d_]", text[span.end :]) or not text[span.end :].lstrip()[:1].islower(), (
                    f"{text!r}: {said!r}"
                )
    for run in RUN.finditer(text):
        if NUMERIC.search(run[0]) and any(covered[run.start() : run.end()]):
            left = [text[at] for at in range(*run.span()) if not covered[at] and NUMERIC.match(text[at])]
            assert not left, f"{text!r}: {left} left in {said!r}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_form_is_half_said(language):
    for text in strings(language):
        check_whole(text, language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_are_never_glued(language):
    """A letter next to what was said, from either side, has a blank between."""
    for text in strings(language):
        found = [span for span in spans(text, language) if span.words]
        marked = speak(text, [span._replace(words="ΩΨ"[place % 2]) for place, span in enumerate(found)])
        glued = re.search(rf"[^\W\d_ΩΨ{UNSPACED}][ΩΨ]|[ΩΨ][^\W\d_{UNSPACED}]", marked)
        assert not glued, f"{text!r}: {marked!r}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_of_a_text_is_lost_but_what_a_span_says(language):
    for text in strings(language)[:300]:
        found = list(spans(text, language))
        kept = "".join(
            c for at, c in enumerate(text) if not any(s.start <= at < s.end and s.words is not None for s in found)
        )
        said = normalise(text, language)
        for letter in re.findall(r"\w", kept):
            assert letter in said, f"{text!r}: {letter!r} is lost in {said!r}"


def test_a_text_without_rules_has_no_spans():
    assert list(spans("12 % und 3 km", "swahili")) == []
    language = find("english")
    assert language is not None and language.recognise is not None
    assert language.recognise("Plain words only", "") == []
