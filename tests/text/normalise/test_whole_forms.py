"""A form is said whole or left as it was written: 10,000 generated strings over all languages, from fixed seeds (the
first of each language in every run, all of them with the mark `long`)."""

import random
import re
from functools import cache
from importlib import import_module

import pytest

from mlx_tts.text.languages import find
from mlx_tts.text.languages.english.words import DOTTED, NUMBERED
from mlx_tts.text.normalise.engine import NUMERIC, UNSPACED, speak
from mlx_tts.text.normalise.normaliser import normalise, spans
from tests.text.normalise import LANGUAGES

STRINGS = 1000  # of each language
SHORT_RUN = 60  # of these in the run without the mark `long`
NUMBERS = ("0", "1", "2", "3", "5", "07", "12", "21", "44", "101", "221", "800", "1000", "1984", "2024", "1.234",
    "1,5", "3.25", "12,–", "2024/25", "7/22", "4:30.5", "45:30", "1.2.3", "10 000", "1,000,000",
           "123456789012345678901234567890", "½", "¾", "²", "IV", "XIX", "I")  # fmt: skip
MARKS = ("", "", "", " ", " ", "-", "–", "/", ":", ".", ",", "'", "’", "+", "×", "x", "=", "%", "°", "#", "@", "_",
    "(", ")", "€", "$", "£", "§", "&", "~",
         "*", "…", "\u00a0", "\u202f")  # fmt: skip
WORDS = {
    "english": "Apt. B M m h g s in min N St. Dr. kg km/h tsp 1st th Jan. Mon. p.m. No. vs. the and of GB ft. k bn "
    "Ave. e.g. www.a.com c. T. q6h est. F.3d (a) (ii) Ex. in BR BA lb y/o et v. Boeing John Psalm ° E N′ Q3 u r 2 4 "
    "lol score",
    "german": "Nr. Str. Uhr km kg h Mio. der am Januar . Mo. S. § Jh. € z.B. Tag jährig er mal g l S. Abs. Jh. "
    "Friedrich II. wurde und oder der prozentig ern Kind Frau Uhr RR",
    "spanish": "n.º ª º er de enero h km kg años a las siglo Sr. EE. UU. % millones ud. a. C. p. m. s. XV cap. "
    "presión cdta. Felipe al ganó libro RR. CC.",
    "french": "e er re ème h kg km n° M. siècle janvier Md€ % de la p. c. à s. Tél. XVIe et siècles la Ire Ve chap. "
    "tension M. tables pincée s. th.",
    "italian": "° º ª h kg km n. art. secolo gennaio mln € % di la Sig. q.b. a.C. S. Anna sec. cap. alle pressione "
    "uovo ora secoli XV",
    "portuguese": "º ª h kg km n.º R$ século janeiro mi % de a Sr. ap. às D. Maria col. cap. pressão pitada séculos "
    "XV e",
    "russian": "-й -м -я -е -го -летний г. руб. км кг ч мин января век № % в до ул. т.е. м около с по до г. Москва "
    "н. э. стр. давление книги лет при ах XIX–XX ок. мм рт. ст.",
    "japanese": "年 月 日 時 分 円 kg km から 第 番目 人 (月) 〜 度 血圧 スコア 対 〒 サイズ Ver. № Ⅲ",
    "chinese": "年 月 日 点 分 元 kg km 到 第 个 人 (一) 〜 度 万 亿 血压 比分 G 纸 Ver. / № Ⅲ",
    "korean": "년 월 일 시 분 원 kg km 부터 번째 명 개 (월) 〜 도 만 억 대 로 혈압 점수 용지 Ver. № Ⅲ",
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
    for text in strings(language)[:SHORT_RUN]:
        check_whole(text, language)


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_form_of_10_000_is_half_said(language):
    for text in strings(language):
        check_whole(text, language)
        check_whole(f"A {text} b {text}, c.", language)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("Es sind 18 Qx/4 Qy im Haus 3.", "Es sind 18 Qx/4 Qy im Haus drei."),
        ("Es waren 102/7 214 von 8.", "Es waren 102/7 214 von acht."),
        ("Es waren 24 Qx von 4.", "Es waren vierundzwanzig Qx von vier."),
    ],
)
def test_what_belongs_to_a_number_behind_a_blank_is_said_with_it_or_left(written, said):
    assert normalise(written, "german") == said


@pytest.mark.parametrize("language", LANGUAGES[:1] + LANGUAGES[5:])
def test_words_are_never_glued(language):
    check_glue(language, strings(language)[:SHORT_RUN])


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
def test_words_of_10_000_are_never_glued(language):
    check_glue(language, strings(language))


def check_glue(language: str, texts: list[str]) -> None:
    """A letter next to what was said, from either side, has a blank between."""
    for text in texts:
        found = [span for span in spans(text, language) if span.words]
        marked = speak(text, [span._replace(words="ΩΨ"[place % 2]) for place, span in enumerate(found)])
        glued = re.search(rf"[^\W\d_ΩΨ{UNSPACED}][ΩΨ]|[ΩΨ][^\W\d_{UNSPACED}]", marked)
        assert not glued, f"{text!r}: {marked!r}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_of_a_text_is_lost_but_what_a_span_says(language):
    for text in strings(language)[:SHORT_RUN]:
        found = list(spans(text, language))
        kept = "".join(
            c for at, c in enumerate(text) if not any(s.start <= at < s.end and s.words is not None for s in found)
        )
        said = normalise(text, language)
        for letter in re.findall(r"\w", kept):
            assert letter in said, f"{text!r}: {letter!r} is lost in {said!r}"


# Between two words in small letters nothing ends a sentence.
AROUND = {"russian": ("это", "потом")}


@pytest.mark.parametrize("language", ["german", "french", "spanish", "italian", "portuguese", "russian"])
def test_no_abbreviation_ends_a_sentence_in_its_middle(language):
    own = import_module(f"mlx_tts.text.languages.{language}").WORDS
    before, after = AROUND.get(language, ("abc", "oder"))
    texts = [f"{before} {key} {after}" for key in own.abbreviations if key.endswith(".")]
    texts += [f"{before} {key} {number} {after}" for key in own.before_numbers for number in ("3", "IV")]
    said = {text: normalise(text, language) for text in texts}
    assert len(said) > 30
    assert not {text: words for text, words in said.items() if re.search(r"\.\s", words)}


def test_no_english_abbreviation_ends_a_sentence_in_its_middle():
    texts = [f"the {key}. one" for key in DOTTED] + [f"see {key}. {n} of it" for key in NUMBERED for n in ("3", "IV")]
    said = {text: normalise(text, "english") for text in texts}
    assert not {text: words for text, words in said.items() if re.search(r"\.\s", words)}


def test_a_text_without_rules_has_no_spans():
    assert list(spans("12 % und 3 km", "swahili")) == []
    language = find("english")
    assert language is not None and language.recognise is not None
    assert language.recognise("Plain words only", "") == []
