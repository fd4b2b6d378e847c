"""Scripts -> chapters with the spans of their speakers."""

import pytest

from mlx_tts.errors import RequestError
from mlx_tts.text.cast.dialogue import one_chapter_a_speaker, read_dialogue
from mlx_tts.text.cutting.pieces import Chapter, Packing, VoiceSpan
from mlx_tts.text.reading import Reading


def turns(text: str, **options) -> list[tuple[str | None, str]]:
    """Each part of all chapters with its speaker; None: the narrator."""
    found = []
    for chapter in read_dialogue(text, **options).chapters:
        at = 0
        for start, end, speaker in chapter.voices:
            found += [(None, chapter.text[at:start].strip()), (speaker, chapter.text[start:end])]
            at = end
        found.append((None, chapter.text[at:].strip()))
    return [(speaker, said) for speaker, said in found if said]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ANN: Hello.\nBOB: Hi.", [("ANN", "Hello."), ("BOB", "Hi.")]),
        ("Ann: Hello.\nBob: Hi.", [("Ann", "Hello."), ("Bob", "Hi.")]),
        ("ANN: One\ntwo.\n\nThree.\n\nBOB: Hi.", [("ANN", "One two."), ("ANN", "Three."), ("BOB", "Hi.")]),
        ("**Ann:** Hello.\n**Bob**: Hi.", [("Ann", "Hello."), ("Bob", "Hi.")]),
        ("- ANN: Hello.\n- BOB: At 10:30.", [("ANN", "Hello."), ("BOB", "At 10:30.")]),
        ("ANN (softly): Hello.\nBOB: (sighs) Hi.", [("ANN", "Hello."), ("BOB", "Hi.")]),
        ("ANN: Hello.\n# Two\nRain.\nBOB: Hi.", [("ANN", "Hello."), (None, "# Two\n\nRain."), ("BOB", "Hi.")]),
        ("NARRATOR: Rain.\nANN: Hello.", [(None, "Rain."), ("ANN", "Hello.")]),
        (
            "Dr. Ann O’Neil: Hello.\nAnn: See https://a.b/c",
            [("Dr. Ann O’Neil", "Hello."), ("Ann", "See https://a.b/c")],
        ),
        ("爱丽丝：你好。\n鲍勃：再见。", [("爱丽丝", "你好。"), ("鲍勃", "再见。")]),
        ("ANN: Hello.\r\nAnn: Again.", [("ANN", "Hello."), ("ANN", "Again.")]),
    ],
)
def test_labels(text, expected):
    assert turns(text) == expected


def test_a_word_before_a_colon_is_a_speaker_only_where_it_looks_like_one():
    text = "ANN: Listen.\n\nNote: it rains.\n\nIt was late.\n\nNobody came.\n\nThe end."
    assert ("ANN", "Note: it rains.") in turns(text)
    assert ("Note", "it rains.") in turns(text, known=["Note"])
    script = "Ann: Listen.\nNote: it rains.\nBen: Where?"
    assert turns(script) == [("Ann", "Listen. Note: it rains."), ("Ben", "Where?")]
    assert ("Note", "it rains.") in turns(script + "\nNote: Here.")


def test_the_time_of_day_is_no_speaker():
    dialogue = read_dialogue("Ann: Hi.\nAt 10:30 we left.\nSpeaker 2: 30 people.\nBob: No.")
    assert dialogue.speakers == ("Ann", "Speaker 2", "Bob")
    assert [chapter.text for chapter in dialogue.chapters] == ["Hi. At 10:30 we left.\n\n30 people.\n\nNo."]


def test_a_table_says_the_voices():
    script = read_dialogue("| Speaker | Voice |\n|---|---|\n| ANN | `ivy` |\n\nANN: Hello.")
    assert script.voices == {"ANN": "ivy"}
    assert [chapter.text for chapter in script.chapters] == ["Hello."]


FOUNTAIN = """Title: Rain
Author: Ann Example

INT. KITCHEN - NIGHT

Ann looks at the rain. /* cut this */

ANN
(softly)
It rains [[check]].

@McBob ^
It does.
Still.

CUT TO:

.A GARDEN

!BOB leaves.
"""


def test_fountain():
    expected = [
        (None, "INT. KITCHEN - NIGHT\n\nAnn looks at the rain."),
        ("ANN", "It rains ."),
        ("McBob", "It does. Still."),
        (None, "A GARDEN\n\nBOB leaves."),
    ]
    assert turns(FOUNTAIN) == turns(FOUNTAIN, ending=".fountain") == expected


@pytest.mark.parametrize("text", [
    "CHAPTER ONE\nRain.\n\nANN: Hello.\n\nBOB: Hi.",  # a line in capitals above another is no screenplay
    "Int. calls cost more.\n\nANN: Hello.\n\nBOB: Hi.",  # nor is a line that begins like a scene
])  # fmt: skip
def test_capitals_or_a_scene_alone_do_not_make_a_screenplay(text):
    assert [speaker for speaker, _ in turns(text)] == [None, "ANN", "BOB"]


def test_a_cue_in_other_capitals_is_the_same_speaker():
    assert read_dialogue("@Ann\nHi.\n\nANN\nYes.\n\nBOB\nNo.", ".fountain").speakers == ("Ann", "BOB")


def test_chapters_and_files_of_speakers():
    script = read_dialogue("# One\nANN: Hello.\n# Two\nBOB: Hi.\nANN: So.")
    assert [(chapter.title, chapter.text) for chapter in script.chapters] == [
        ("One", "# One\n\nHello."),
        ("Two", "# Two\n\nHi.\n\nSo."),
    ]
    apart = {chapter.title: chapter.text for chapter in one_chapter_a_speaker(script)}
    assert apart == {"Narrator": "# One\n\n# Two", "ANN": "Hello.\n\nSo.", "BOB": "Hi."}


@pytest.mark.parametrize("text", ["Nobody speaks here.", "<speak>ANN: Hello.</speak>"])
def test_a_text_without_speakers_is_refused(text):
    with pytest.raises(RequestError, match="--dialogue"):
        read_dialogue(text)


def test_each_turn_is_pieces_of_its_own_behind_a_pause_of_a_paragraph():
    (chapter,) = read_dialogue("ANN: Hello [pause 2s] there.\nBOB: Hi. Ho.").chapters
    pieces = list(Reading("off").pieces([chapter], Packing()))
    assert [(piece.voice, piece.text, piece.gap, piece.pause_before_seconds) for piece in pieces] == [
        ("ANN", "Hello", "start", None),
        ("ANN", "there.", "sentence", 2.0),
        ("BOB", "Hi. Ho.", "paragraph", None),
    ]


def test_marks_between_two_voices_are_no_piece_of_their_own():
    text = "One. — Two. \r\n\r\nThree."
    chapter = Chapter(None, text, voices=(VoiceSpan(0, 4, "a"), VoiceSpan(7, 11, "b")))
    pieces = list(Reading("off", markup=False).pieces([chapter], Packing()))
    assert [(piece.voice, piece.text, piece.gap) for piece in pieces] == [
        ("a", "One. —", "start"),
        ("b", "Two.", "sentence"),
        (None, "Three.", "paragraph"),
    ]
