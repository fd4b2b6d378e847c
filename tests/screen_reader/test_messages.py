"""SSML, characters and keys -> words and marks."""

import pytest

from mlx_tts.screen_reader.messages import (
    MOST_CHARACTERS,
    Segment,
    character,
    everyday,
    key,
    segments_of,
    spelled,
    with_signs_named,
)


@pytest.mark.parametrize(
    ("ssml", "segments"),
    [
        ("<speak>hello world</speak>", [Segment("hello world")]),
        ("<speak>a &lt;b&gt; &amp; c</speak>", [Segment("a <b> & c")]),
        ("a &lt; b", [Segment("a &lt; b")]),
        ("<speak>one<break/>two</speak>", [Segment("one two")]),
        ("<speak>1 < 2 and <b>3</speak>", [Segment("1 < 2 and 3")]),
        ("<speak></speak>", [Segment("")]),
        ('<speak><mark name="only"/></speak>', [Segment("", ((0, "only"),))]),
        (
            '<speak><mark name="0"/>One. <mark name=\'1&amp;\'/>Two.<mark name="end"/></speak>',
            [Segment("One. ", ((0, "0"),)), Segment("Two.", ((0, "1&"), (4, "end")))],
        ),
        ('<speak>One <mark name="w"/>word.</speak>', [Segment("One word.", ((4, "w"),))]),
    ],
)
def test_a_message_becomes_words_and_marks(ssml, segments):
    assert segments_of(ssml) == segments


def test_long_texts_are_cut_at_sentences_and_lose_nothing():
    text = "This is a sentence. " * 400
    segments = segments_of(f'<speak>{text}<mark name="end"/></speak>')
    assert "".join(one.text for one in segments) == text
    assert all(len(one.text) <= MOST_CHARACTERS and one.text.rstrip().endswith(".") for one in segments)
    assert [mark for one in segments for mark in one.marks] == [(len(segments[-1].text), "end")]


def test_text_without_a_space_is_cut_as_well():
    segments = segments_of(f"<speak>{'a' * 5000}</speak>")
    assert [len(one.text) for one in segments] == [2000, 2000, 1000]


@pytest.mark.parametrize(
    ("sign", "words"),
    [
        ("a", "A."),
        ("A", "A."),
        ("space", "space."),
        (" ", "space."),
        ("_", "underscore."),
        ("?", "question mark."),
        ("comma", "comma."),
        ("é", "É."),
        ("\x00", "unknown sign."),
        ("", ""),
    ],
)
def test_a_character_has_a_name(sign, words):
    assert character(sign) == words


def test_capitals_are_told_where_it_is_wished():
    assert (character("A", True), character("a", True), key("shift_A", True)) == (
        "capital A.",
        "A.",
        "shift capital A.",
    )
    assert spelled("Ab c", True) == "capital A. B. C."


@pytest.mark.parametrize(
    ("name", "words"),
    [("control_a", "control A."), ("KP_Enter", "keypad Enter."), ("_", "underscore."), ("space", "space."), ("", "")],
)
def test_a_key_has_a_name(name, words):
    assert key(name) == words


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        ("none", "a, (b) = c."),
        ("some", "a, (b)  equals  c."),
        ("most", "a,  left paren b right paren   equals  c."),
        ("all", "a comma,   left paren b right paren   equals  c dot. "),
    ],
)
def test_signs_are_named_by_the_mode(mode, words):
    text = "a, (b) = c."
    named = with_signs_named(Segment(text, ((0, "begin"), (7, "equals"), (len(text), "end"))), mode)
    assert named.text == words
    assert named.marks == (
        (0, "begin"),
        (words.index("=" if mode == "none" else " equals"), "equals"),
        (len(words), "end"),
    )


@pytest.mark.parametrize("said", ["blank", "not checked", "visited link"])
@pytest.mark.parametrize("mode", ["none", "some", "most", "all"])
def test_what_orca_says_most_often_is_made_before(said, mode):
    (segment,) = segments_of(f"<speak>{said}</speak>")
    assert with_signs_named(segment, mode).text in everyday()


def test_letters_are_made_before_words():
    assert everyday()[0] == character("a") and everyday().index("blank") > everyday().index(character("End"))
