"""Tags of feeling: what is said how, what is never read aloud, and that no word is lost."""

import random
from dataclasses import replace

import numpy as np
import pytest

from mlx_tts.errors import RequestError
from mlx_tts.narration.plan import felt, stored_texts
from mlx_tts.speech import Capabilities, SpeechRequest, Voice
from mlx_tts.text.cutting.pieces import Chapter, Packing, Piece, VoiceSpan
from mlx_tts.text.markup.feelings import FEELINGS, Feeling, read_feelings
from mlx_tts.text.reading import Reading
from mlx_tts.text.source.arriving import ArrivingText

ENGLISH = Packing("english")


def said(text, told=None, **options):
    """(words, tags) of each piece."""
    reading = Reading(left_out=told, **options)
    pieces = reading.pieces([Chapter(None, text)], ENGLISH)
    return [(piece.spoken, piece.feeling.names if piece.feeling else ()) for piece in pieces]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        (
            "Hello there. [whisper]Come here.[/whisper] And then he left.",
            [("Hello there.", ()), ("Come here.", ("whisper",)), ("And then he left.", ())],
        ),
        ("It is [slowly]very[/slowly] late.", [("It is", ()), ("very", ("slow",)), ("late.", ())]),
        (
            "[sad] It is lost. All of it. [excited] No, here!\n\nThe next day.",
            [("It is lost. All of it.", ("sad",)), ("No, here!", ("excited",)), ("The next day.", ())],
        ),
        (
            "[slow][sad]Both.[/sad] Slow alone[/slow]. Then on.",
            [("Both.", ("slow", "sad")), ("Slow alone.", ("slow",)), ("Then on.", ())],
        ),
        ("[sad]One.\n\nTwo.[/sad] Three.", [("One.", ("sad",)), ("Two.", ("sad",)), ("Three.", ())]),
        ("[SAD] Capitals.", [("Capitals.", ("sad",))]),
        ("“[whisper] Hush,” she said.", [("Hush,” she said.", ("whisper",))]),
        ("No end tag for it here.[/sad] Next.", [("No end tag for it here.", ()), ("Next.", ())]),
    ],
)
def test_tags_cut_the_text_and_are_not_read(text, pieces):
    assert said(text) == pieces


@pytest.mark.parametrize(
    "text",
    [
        "He was [sad] about it.",
        "As he wrote: it is a [fast] car [sic], and a [calm] sea.",
        "Nobody [sic] knows [1].",
        "[Laughs] That is it.",
    ],
)
def test_words_in_brackets_stay_words(text):
    assert said(text) == [(text, ())]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (r"\[sad] It is lost.", "[sad] It is lost."),
        (r"He wrote \[slow\]fast\[/slow].", None),
        ("It is [[slow]] here.", None),
    ],
)
def test_an_escaped_tag_is_a_word_in_brackets(text, read):
    ((words, tags),) = said(text)
    assert tags == () and words == (read or words)
    assert "".join(filter(str.isalpha, words)) == "".join(filter(str.isalpha, text))


def test_links_of_markdown_are_no_tags():
    assert said("[Slow](https://example.com) food.") == [("Slow food.", ())]


def test_a_pair_that_nobody_knows_is_told_once_and_its_words_are_read():
    told: list[str] = []
    assert said("[odd]Who is it?[/odd] [odd]Who?[/odd]", told.append) == [("Who is it?", ()), ("Who?", ())]
    assert told == ["tags that nobody knows are left out, and their words are read: [odd]"]


def test_without_markup_all_is_read():
    assert said("[sad] It is lost.", markup=False) == [("[sad] It is lost.", ())]


def test_a_cast_and_a_feeling_hold_together():
    text = 'He said: [sad]"It is lost," and went.[/sad] Then on.'
    start = text.index('"It')
    chapter = Chapter(None, text, voices=(VoiceSpan(start, text.index(" and"), "ivy"),))
    pieces = [(p.spoken, p.voice, p.feeling is not None) for p in Reading().pieces([chapter], ENGLISH)]
    assert pieces == [
        ("He said:", None, False),
        ('"It is lost,"', "ivy", True),
        ("and went.", None, True),
        ("Then on.", None, False),
    ]


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_text_that_arrives_is_felt_as_the_whole_one(size):
    text = "We waited. [sad] It was lost for good, and nobody knew. [excited] But then we found it in the garden!\n\n"
    text += "The next day was [whisper]very very quiet indeed[/whisper] for all of us. That was all there was to say."
    arriving = ArrivingText(ENGLISH, lambda _: None, Reading())
    pieces = [piece for at in range(0, len(text), size) for piece in arriving.feed(text[at : at + size])]
    pieces += arriving.finish()

    def words(pieces):
        """Each word with the tags that hold for it."""
        return [(word, piece.feeling and piece.feeling.names) for piece in pieces for word in piece.spoken.split()]

    assert words(pieces) == words(Reading().pieces([Chapter(None, text)], ENGLISH))


@pytest.mark.parametrize(
    ("level", "names"), [("strong", ("emphasis",)), ("", ("emphasis",)), ("reduced", ("reduced",)), ("none", ())]
)
def test_ssml_emphasis(level, names):
    attribute = f' level="{level}"' if level else ""
    text = f"<speak>Look. <emphasis{attribute}>That one is mine.</emphasis> Yes.</speak>"
    assert dict(said(text)).get("That one is mine.", ()) == names
    assert " ".join(words for words, _ in said(text)) == "Look. That one is mine. Yes."


def test_a_stressed_word_is_not_cut_out_of_its_sentence():
    assert said("<speak>It is <emphasis>mine</emphasis>.</speak>") == [("It is mine.", ())]


def test_ssml_styles_of_others_are_taken_and_unknown_ones_told():
    told: list[str] = []
    text = '<mstts:express-as style="sad">Gone.</mstts:express-as><emphasis level="odd">On.</emphasis>'
    text = f'<speak xmlns:mstts="x">{text}</speak>'
    assert said(text, told.append)[0] == ("Gone.", ("sad",))
    assert told == ["SSML that is not supported is left out: emphasis odd"]


# What a model makes of it.


class Info:
    def __init__(self, **can):
        self.can = Capabilities(**can)


SAD = Piece(0, "Gone.", 0, "start", feeling=FEELINGS["sad"], rate=1.1)


def unchecked(asked):
    return asked


def voice(**more):
    return Voice(np.zeros(4, np.float32), **more)


def test_a_model_that_follows_instructions_is_instructed():
    piece = felt(SAD, SpeechRequest("Gone.", instruct="An old man."), Info(instructs=True), unchecked)
    assert (piece.instruct, piece.rate, piece.decibels) == ("An old man. Speak sadly, in a low voice.", 1.1, None)


def test_any_other_has_pace_and_loudness():
    piece = felt(SAD, SpeechRequest("Gone."), Info(presets=True), unchecked)
    assert (piece.instruct, piece.rate, piece.decibels) == (None, pytest.approx(0.99), -2.0)


def test_a_voice_that_goes_on_from_a_recording_takes_no_instruction():
    going_on = voice(prompt_latents=np.zeros((1, 2, 3), np.float32), transcript="So.")
    assert felt(SAD, SpeechRequest("Gone.", going_on), Info(instructs=True), unchecked).instruct is None


def test_a_voice_that_has_the_style_speaks_in_it():
    sad, happy = voice(), voice()
    person = voice(styles={"sad": sad, "happy": happy})
    piece = felt(SAD, SpeechRequest("Gone.", person), Info(clones=True), unchecked)
    assert piece.own_voice is sad and (piece.rate, piece.decibels) == (1.1, None)
    both = replace(SAD, feeling=FEELINGS["happy"].within(FEELINGS["sad"]))
    assert felt(both, SpeechRequest("Gone.", person), Info(clones=True), unchecked).own_voice is happy
    other = replace(SAD, voice="ivy")  # another voice speaks this piece
    assert felt(other, SpeechRequest("Gone.", person), Info(clones=True), unchecked).own_voice is None
    named = replace(SAD, voice="me", own_voice=person)
    assert felt(named, SpeechRequest("Gone.", "ivy"), Info(clones=True), unchecked).own_voice is sad


# Tags of a user's own.


def test_own_tags_are_read():
    found = read_feelings("gruff = 0.9x -3dB Speak in a gruff voice.; wry=Speak wryly. ; Très doux = -2.5 dB")
    assert found == {
        "gruff": Feeling(("gruff",), "Speak in a gruff voice.", 0.9, -3.0),
        "wry": Feeling(("wry",), "Speak wryly."),
        "très doux": Feeling(("très doux",), "", 1.0, -2.5),
    }
    assert said("[gruff] Well.", feelings={**FEELINGS, **found}) == [("Well.", ("gruff",))]


@pytest.mark.parametrize("written", ["gruff", "= Speak.", "a=9x", "a=+40dB", "1a=Speak.", "a[b]=x", "a=" + "x" * 600])
def test_what_is_no_tag_is_refused_in_one_line(written):
    with pytest.raises(RequestError) as refused:
        read_feelings(written)
    assert "\n" not in str(refused.value)


# Whatever the text.


@pytest.mark.slow
def test_no_letter_outside_of_tags_is_lost_or_read_twice():
    rng = random.Random(3)
    parts = ["[sad]", "[/sad]", "[whisper]", "[/whisper]", "[odd]hm[/odd]", " word", ". ", "\n\n", '"', "Yes", ", "]
    for _ in range(2000):
        text = "".join(rng.choices(parts, k=rng.randint(1, 14)))
        spoken = "".join(words for words, _ in said(text))
        bare = [text]
        for tag in ("[sad]", "[/sad]", "[whisper]", "[/whisper]", "[odd]", "[/odd]"):
            bare = [part for whole in bare for part in whole.split(tag)]
        letters = "".join(filter(str.isalpha, "".join(bare)))
        kept = spoken
        for name in ("[sad]", "[/sad]", "[whisper]", "[/whisper]", "[odd]", "[/odd]"):
            kept = kept.replace(name, "")
        assert "".join(filter(str.isalpha, kept)) == letters, text
        assert "[/sad]" not in spoken and "[/whisper]" not in spoken, text


# What a run that goes on compares.


def test_a_feeling_that_moved_to_another_sentence_is_another_speech():
    hush = {"instruct": "Whisper."}
    first = [Piece(0, "One.", 0, "start", **hush), Piece(1, "Two.", 0, "start")]
    second = [Piece(0, "One.", 0, "start"), Piece(1, "Two.", 0, "start", **hush)]
    assert stored_texts(first) != stored_texts(second)
    assert stored_texts(first) == stored_texts(list(first))
