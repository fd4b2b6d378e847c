"""Quotations and their speakers: the styles of five languages, and every word kept."""

import random

import pytest

from mlx_tts.text.cast.attribution import attribute
from mlx_tts.text.cast.cast_file import Cast, as_toml, read_cast, text_hash
from mlx_tts.text.cast.quotations import STYLES, paragraphs_of, style_of
from mlx_tts.text.cast.speech_words import BY_CODE
from mlx_tts.text.cutting.pieces import Chapter


def said(text: str, language: str = "auto") -> list[tuple[str | None, str]]:
    lines = attribute([Chapter(None, text)], language).lines
    return [(line.speaker, text[line.start : line.end]) for line in lines]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("english", "‘Don’t,’ said Ann. ‘It’s Bob’s.’", [("Ann", "‘Don’t,’"), ("Ann", "‘It’s Bob’s.’")]),
        ("english", "'Don't go,' said Ann, and left.", [("Ann", "'Don't go,'")]),
        ("english", '"Go," Mr. Fox said. He saw "a star" there.', [("Mr. Fox", '"Go,"'), (None, '"a star"')]),
        ("german", "„Komm“, sagte Anna. „Es regnet.“", [("Anna", "„Komm“"), ("Anna", "„Es regnet.“")]),
        ("german", "»Komm«, sagte der Müller leise.", [("der Müller", "»Komm«")]),
        ("french", "« Oui, dit Jean, je viens. »", [("Jean", "« Oui,"), ("Jean", "je viens. »")]),
        ("french", "— Oui, répondit Marie. Je viens.", [("Marie", "— Oui,"), ("Marie", "Je viens.")]),
        ("spanish", "—Hola —dijo Juan—. ¿Vienes?", [("Juan", "—Hola "), ("Juan", ". ¿Vienes?")]),
        ("spanish", "«Hola», dijo Juana.", [("Juana", "«Hola»")]),
        ("russian", "— Идём, — сказала Анна. — Пора.", [("Анна", "— Идём,"), ("Анна", "Пора.")]),
        ("russian", "Дождь.\n\n— Да? — спросил Иван.\n\n— Да.", [("Иван", "— Да?"), (None, "— Да.")]),
        ("russian", "«Идём», — сказал Иван.", [("Иван", "«Идём»")]),
    ],
)
def test_the_quotations_of_five_languages(language, text, expected):
    assert said(text, language) == expected


def test_a_quotation_over_two_paragraphs_has_one_speaker():
    text = "“One,” said Ann. “Two.\n\n“Three.”\n\n“Four,” said Bob."
    assert [speaker for speaker, _ in said(text)] == ["Ann", "Ann", "Ann", "Bob"]


def test_turns_of_two_and_what_is_not_sure():
    told = "It rained for days. " * 6
    text = f"“One,” said Ann.\n\n“Two,” said Bob.\n\n“Three.”\n\n“Four.”\n\n{told}\n\n“Five.”"
    lines = attribute([Chapter(None, text)]).lines
    assert [line.speaker for line in lines] == ["Ann", "Bob", "Ann", "Bob", None]
    assert lines[-1].confidence == 0 and lines[0].evidence == "said Ann"
    assert lines[0].confidence > lines[2].confidence >= 0.6


def test_names_of_one_person_are_one_character():
    text = "“A,” said Sherlock Holmes. “B,” said Mr. Fox.\n\n“C,” said Holmes. “D,” said Mrs. Fox.\n\n“E,” Holmes said."
    found = {one.name: (one.aliases, one.sex, one.lines) for one in attribute([Chapter(None, text)]).characters}
    assert found == {
        "Sherlock Holmes": (("Holmes",), None, 3),
        "Mr. Fox": ((), "man", 1),
        "Mrs. Fox": ((), "woman", 1),
    }


MARKS = "Ann Bob said asked he she the old man rain. so, — – - “ ” \" ' ’ ‘ « » „ ` ? ! … : ; сказал Анна dit Jean"
WORDS_AND_MARKS = [
    *MARKS.split(),
    *("\n", "\n\n", "\r\n", " \n \n", "  ", "\t", "— ", "said Ann, ", "“Go,” ", "\u2028", "\x00", "😀"),
]


@pytest.mark.slow
def test_the_parts_are_the_text_whatever_it_is():
    chance = random.Random(1)
    for _ in range(10_000):
        pieces = chance.choices(WORDS_AND_MARKS, k=chance.randrange(1, 30))
        text = chance.choice((" ", "")).join(pieces)
        language = chance.choice(list(BY_CODE.values()))
        style, dashes = style_of([text])
        at, whole = 0, ""
        for paragraph in paragraphs_of(text, style, dashes, language):
            assert paragraph.start >= at and not text[at : paragraph.start].strip()
            whole += text[at : paragraph.start]
            at = paragraph.start
            for part in paragraph.parts:
                assert part.start == at < part.end
                whole += text[part.start : part.end]
                at = part.end
            assert at == paragraph.end
        assert whole + text[at:] == text and not text[at:].strip()
        assert style in STYLES


def test_lines_are_in_order_and_none_over_another():
    chance = random.Random(2)
    for _ in range(300):
        text = " ".join(chance.choices(WORDS_AND_MARKS, k=40))
        end = 0
        for line in attribute([Chapter(None, text)], chance.choice(list(BY_CODE))).lines:
            assert end <= line.start < line.end <= len(text)
            end = line.end


@pytest.mark.parametrize(
    ("names", "character"),
    [
        (("Ann", "ANN", "Ann"), "Ann"),
        (("the Hatter", "The Hatter", "the hatter", "the Hatter"), "the Hatter"),
        (("Mrs. Fox", "MRS. FOX", "Mrs. Fox"), "Mrs. Fox"),
        (("Holmes", "HOLMES", "Sherlock Holmes", "Sherlock HOLMES", "Sherlock Holmes"), "Sherlock Holmes"),
    ],
)
def test_a_name_in_capitals_is_the_same_character_in_a_cast_that_can_be_read(names, character, tmp_path):
    chapters = [Chapter(None, "\n\n".join(f'"Words," said {name}.' for name in names))]
    found = attribute(chapters, "english")
    assert [one.name for one in found.characters] == [character]
    cast = Cast(found.characters, None, found.lines, text_hash(chapters))
    (tmp_path / "cast.toml").write_text(as_toml(cast, chapters, "book.txt", "cast.toml"), "utf-8")
    (chapter,) = read_cast(tmp_path / "cast.toml").spoken_by(chapters)
    assert [span.voice for span in chapter.voices] == [character] * len(names)
