"""SSML -> passages: what is supported, what is left out with a word, what is refused."""

import pytest

from mlx_tts.errors import RequestError
from mlx_tts.text.cutting.pieces import PARAGRAPH, START, Chapter, Packing
from mlx_tts.text.markup.directives import is_ssml, read_ssml
from mlx_tts.text.reading import Reading


def spoken(body: str, normalise: str = "auto"):
    pieces = Reading(normalise).pieces([Chapter(None, f"<speak>{body}</speak>")], Packing("english"))
    return list(pieces)


def words(body: str) -> list[str]:
    return [piece.spoken for piece in spoken(body)]


def test_plain_words_and_elements_inside_a_sentence_are_one_piece():
    assert words('Hello <sub alias="World Wide Web">WWW</sub> and <emphasis>all</emphasis>!') == [
        "Hello World Wide Web and all!"
    ]


def test_breaks_are_exact():
    first, second, third = spoken('One.<break time="2s"/>Two.<break time="500ms"/><break strength="strong"/>Three.')
    assert (first.pause_before_seconds, second.pause_before_seconds) == (None, 2.0)
    assert third.pause_before_seconds == pytest.approx(1.3)
    (only,) = spoken('One.<break time="3s"/>')
    assert only.pause_after_seconds == 3.0


def test_a_break_is_not_endless():
    assert spoken('a<break time="99999s"/>b')[1].pause_before_seconds == 60


def test_paragraphs_and_sentences():
    pieces = spoken("<p><s>First one</s><s>Second.</s></p><p>Third.</p>tail")
    assert [(piece.spoken, piece.gap) for piece in pieces] == [
        ("First one. Second.", START),
        ("Third.", PARAGRAPH),
        ("tail", PARAGRAPH),
    ]


def test_voice_language_prosody():
    body = (
        'a <voice name="ivy">b <prosody rate="150%" volume="+6dB">c</prosody></voice>'
        '<lang xml:lang="de-DE">d</lang><prosody rate="slow" volume="soft">e</prosody>'
    )
    found = [(p.spoken, p.voice, p.language, p.rate, p.decibels) for p in spoken(body)]
    assert found == [
        ("a", None, None, None, None),
        ("b", "ivy", None, None, None),
        ("c", "ivy", None, 1.5, 6.0),
        ("d", None, "german", None, None),
        ("e", None, None, 0.75, -6.0),
    ]


def test_a_language_that_nobody_knows_is_left_to_the_model():
    assert [(piece.spoken, piece.language) for piece in spoken('<lang xml:lang="tlh">d</lang>')] == [("d", "tlh")]


@pytest.mark.parametrize(
    ("kind", "text", "said"),
    [
        ("characters", "abc", "A B C"),
        ("spell-out", "MLX", "M L X"),
        ("digits", "2026", "two zero two six"),
        ("telephone", "555-0199", "five five five, zero one nine nine"),
        ("ordinal", "3", "third"),
        ("ordinal", "12", "twelfth"),
        ("ordinal", "21", "twenty first"),
        ("cardinal", "42", "forty two"),
        ("date", "2026-11-21", "November twenty first, twenty twenty six"),
        ("unknown", "so", "so"),
    ],
)
def test_say_as(kind, text, said):
    (piece,) = spoken(f'We say <say-as interpret-as="{kind}">{text}</say-as>.', "on")
    assert piece.spoken.replace("-", ",").replace(" ,", ",").replace(",", "") == f"We say {said}.".replace(",", "")


def test_marks_stand_at_the_piece_that_follows():
    pieces = spoken('One. <mark name="here"/>Two.')
    assert [piece.marks for piece in pieces] == [(), ("here",)]


def test_what_is_not_supported_is_told_once_and_its_words_are_read():
    told: list[str] = []
    text = '<speak><audio src="x">beep</audio><audio/><prosody pitch="+2st">high</prosody><desc>no</desc></speak>'
    pieces = list(Reading(left_out=told.append).pieces([Chapter(None, text)], Packing("english")))
    assert "".join(piece.spoken for piece in pieces) == "beephigh"
    assert told == ["SSML that is not supported is left out: <audio>, prosody pitch"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("<speak>a", "not well-formed SSML"),
        ("<speak>a & b</speak>", "not well-formed SSML"),
        ('<!DOCTYPE speak [<!ENTITY a "b">]><speak>&a;</speak>', "refused"),
        ("<speak>" + "<p>" * 200 + "</p>" * 200 + "</speak>", "nested deeper than 100"),
        ("<speak>" + "<p>" * 200_000, "not well-formed"),
    ],
)
def test_what_is_refused_is_one_line(text, says):
    with pytest.raises(RequestError) as caught:
        read_ssml(text)
    assert says in str(caught.value) and "\n" not in str(caught.value)


def test_only_a_text_that_begins_with_speak_is_ssml():
    assert is_ssml("<speak>") and is_ssml('\ufeff <?xml version="1.0"?>\n<speak version="1.1">')
    assert not is_ssml("We <speak> so.") and not is_ssml("<speaker>")
    (piece,) = Reading(markup=False).pieces([Chapter(None, "<speak>Hi.</speak>")], Packing("english"))
    assert piece.spoken == "Hi." and piece.pause_before_seconds is None
