"""`speak --dialogue`, `speak --cast` and `mlx-tts cast`: which voice gets which words, and what is refused."""

import json
from pathlib import Path

import pytest

from mlx_tts.cli import run
from tests.cli.test_speak import place  # noqa: F401 (fixture)

TABLE = "| speaker | voice |\n|---|---|\n| Bob | hazel |\n\n"


def spoken(capfd, *words: str) -> list[tuple[str, str]]:
    """What is said and by whom; nothing is made."""
    assert run(["speak", *words, "--dry-run", "--json"]) == 0, capfd.readouterr().err
    return [(piece["voice"], piece["text"]) for piece in json.loads(capfd.readouterr().out)["pieces"]]


def refused(capfd, *words: str) -> str:
    assert run(["speak", *words, "--dry-run"]) == 2
    return capfd.readouterr().err


def test_speakers_get_voices_by_table_by_name_and_else_in_turn(capfd):
    Path("s.md").write_text(TABLE + "Ivy: One.\nBob: Two.\nAnn: Three.\nNarrator: Four.\n")
    assert spoken(capfd, "s.md", "--dialogue") == [
        ("ivy", "One."),
        ("hazel", "Two."),
        ("rowan", "Three."),
        ("miles", "Four."),
    ]


def test_a_script_on_the_command_line_without_a_narrator_uses_every_voice(capfd):
    assert spoken(capfd, "A: One.\nB: Two.\nC: Three.\nD: Four.", "--dialogue") == [
        ("miles", "One."),
        ("ivy", "Two."),
        ("rowan", "Three."),
        ("hazel", "Four."),
    ]


def test_a_cast_says_the_voices_of_a_script(capfd):
    Path("c.toml").write_text(
        '[narrator]\nvoice = "rowan"\n[[character]]\nname = "ANN"\naliases = ["Annie"]\nvoice = "hazel"\n'
    )
    assert spoken(capfd, "Annie: One.\nNARRATOR: Two.", "--dialogue", "--cast", "c.toml") == [
        ("hazel", "One."),
        ("rowan", "Two."),
    ]


@pytest.mark.parametrize("aliases", ['"Annie"', "[1]"])
def test_aliases_that_are_no_list_of_names_are_refused(aliases, capfd):
    Path("c.toml").write_text(f'[[character]]\nname = "ANN"\naliases = {aliases}\n')
    said = refused(capfd, "Annie: One.", "--dialogue", "--cast", "c.toml")
    assert "c.toml: character 1 (ANN) has the aliases" in said and "give a list such as" in said


def test_a_voice_that_is_not_there_is_refused_with_its_speaker(capfd):
    Path("s.txt").write_text("ANN: One.\n")
    Path("c.toml").write_text('[[character]]\nname = "ANN"\nvoice = "nobody"\n')
    assert "c.toml: the voice of ANN: " in refused(capfd, "s.txt", "--dialogue", "--cast", "c.toml")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["No speaker.", "--dialogue"], "nobody speaks"),
        (["A: Hi.", "--each-speaker"], "--each-speaker works only with --dialogue"),
        (["A: Hi.", "--cast", "none.toml", "--dialogue"], "no file none.toml"),
        (["A: Hi.", "--dialogue", "--server", "auto"], "--server"),
    ],
)
def test_what_does_not_go_together(words, said, capfd):
    assert said in refused(capfd, *words)


BOOK = """It rained. “Good morning,” said Mrs. Fox. “You are late.”

“I know,” said Mr. Fox, and sat down.

Somebody knocked at the door, a long while after, when the rain had stopped and both of them were asleep at the table.

“Who is there?”
"""


@pytest.fixture
def book():
    Path("book.txt").write_text(BOOK, encoding="utf-8")
    assert run(["cast", "book.txt", "-o", "cast.toml"]) == 0


def test_a_book_is_spoken_by_its_cast(book, capfd):
    assert run(["cast", "book.txt"]) == 0
    assert "4 quotations: 3 have a speaker, 1 stay with the narrator" in capfd.readouterr().err
    said = spoken(capfd, "book.txt", "--cast", "cast.toml")
    assert [(voice, text.split()[0]) for voice, text in said] == [
        ("miles", "It"),
        ("ivy", "“Good"),
        ("miles", "said"),
        ("ivy", "“You"),
        ("rowan", "“I"),
        ("miles", "said"),
        ("miles", "Somebody"),
        ("miles", "“Who"),
    ]
    assert "".join("".join(text.split()) for _, text in said) == "".join(BOOK.split())


def test_who_speaks_and_what_the_narrator_keeps_is_said(book, capfd):
    capfd.readouterr()
    assert run(["speak", "book.txt", "--cast", "cast.toml", "--dry-run"]) == 0
    said = "spoken: Mrs. Fox by ivy, Mr. Fox by rowan; the narrator keeps 1 quotation that has no speaker\n"
    assert capfd.readouterr().err == said


def test_a_voice_that_was_changed_by_hand_is_used(book, capfd):
    Path("cast.toml").write_text(Path("cast.toml").read_text().replace('voice = "rowan"', 'voice = "hazel"'))
    capfd.readouterr()
    assert ("hazel", "“I know,”") in spoken(capfd, "book.txt", "--cast", "cast.toml")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('voice = "rowan"', 'voice = "nobody"', "cast.toml: the voice of Mr. Fox: "),
        (
            'speaker = "Mr. Fox"',
            'speaker = "Mr. Box"',
            "entry 3 of lines (chapter 1, 59 to 68) has the speaker 'Mr. Box'",
        ),
        ('voice = "miles"', 'voice = "nobody"', "cast.toml: the voice of the narrator: "),
        ("start = 59", "start = 50", "entry 3 of lines (chapter 1, 50 to 68) lies over entry 2: take one of them out"),
        ("end = 68", "end = 9999", "entry 4 of lines (chapter 1, 218 to 233) lies over entry 3"),
        ("start = 59", "start = -1", "entry 3 of lines has the start -1"),
        ("end = 68", "end = 59", "entry 3 of lines (chapter 1) ends at 59 and begins at 59"),
        ('sha256 = "', 'sha256 = "0', "cast.toml was made for another text"),
        ("chapter = 1, start = 59", "chapter = 9, start = 59", "(chapter 9, 59 to 68) is outside of the text"),
        ("[[character]]", "[[charakter]]", "'charakter', which means nothing here"),
        ("aliases = []", 'aliases = ["Mr. Fox", "x"]', "have the same name or alias"),
        ('sex = "man"', 'sex = "male"', "sex 'male': use woman, man"),
        ("[book]", "[book", "cast.toml is not a cast"),
        ("confidence = 0.95", "confidence = 9", "entry 1 of lines has the confidence 9"),
        ("chapter = 1, start = 59", "chapter = 1, begin = 59", "'begin'"),
    ],
)
def test_a_cast_with_a_mistake_is_refused_with_its_place(old, new, said, book, capfd):
    text = Path("cast.toml").read_text(encoding="utf-8")
    assert old in text
    Path("cast.toml").write_text(text.replace(old, new, 1), encoding="utf-8")
    capfd.readouterr()
    error = refused(capfd, "book.txt", "--cast", "cast.toml")
    assert said in error and error.count("\n") == 1


def test_the_command_in_a_cast_can_be_pasted(book):
    Path("my book.txt").write_text(BOOK, encoding="utf-8")
    assert run(["cast", "my book.txt", "-o", "my cast.toml"]) == 0
    head = Path("my cast.toml").read_text(encoding="utf-8")
    assert "mlx-tts speak 'my book.txt' --cast 'my cast.toml' -o book.m4b" in head


def test_a_cast_for_a_folder_that_is_not_there_is_refused(book, capfd):
    capfd.readouterr()
    assert run(["cast", "book.txt", "-o", "nowhere/cast.toml"]) == 2
    error = capfd.readouterr().err
    assert error.startswith("mlx-tts: no folder ") and error.endswith("nowhere: make it first\n")


def test_a_book_that_changed_is_refused(book, capfd):
    Path("book.txt").write_text(BOOK.replace("rained", "snowed"), encoding="utf-8")
    assert "was made for another text" in refused(capfd, "book.txt", "--cast", "cast.toml")


def test_a_cast_is_not_replaced_and_json_tells_the_same(book, capfd):
    assert run(["cast", "book.txt", "-o", "cast.toml"]) == 2
    assert "is there already" in capfd.readouterr().err
    assert run(["cast", "book.txt", "--json"]) == 0
    told = json.loads(capfd.readouterr().out)
    assert [(one["name"], one["voice"], one["lines"]) for one in told["characters"]] == [
        ("Mrs. Fox", "ivy", 2),
        ("Mr. Fox", "rowan", 1),
    ]
    assert [BOOK[line["start"] : line["end"]] for line in told["lines"]][-1] == "“Who is there?”"


@pytest.mark.slow
def test_each_speaker_is_a_file_of_its_own():
    assert run(["speak", "ANN: Hello.\nBOB: Hi.\nANN: So.", "--dialogue", "--each-speaker", "-o", "s.wav"]) == 0
    assert len(list(Path().glob("s*.wav"))) == 2


def test_the_next_book_of_a_series_keeps_names_and_voices(capfd):
    Path("one.md").write_text("“Come,” said Alice.\n\n“No,” said Bertram Grey.\n")
    assert run(["cast", "one.md", "-o", "one.toml"]) == 0
    cast = Path("one.toml").read_text().replace("aliases = []", 'aliases = ["Al"]', 1)
    cast = cast.replace('name = "Alice"\nvoice = "', 'name = "Alice"\nvoice = "hazel" # was "')
    Path("one.toml").write_text(cast)
    Path("two.md").write_text("“Stay,” said Al.\n\n“I will,” said Clara.\n\n“Stay,” said Al again.\n")
    capfd.readouterr()
    assert run(["cast", "two.md", "--series", "one.toml", "-o", "two.toml", "--json"]) == 0
    out, said = capfd.readouterr()
    people = {one["name"]: one for one in json.loads(out)["characters"]}
    assert list(people)[:2] == ["Alice", "Clara"] and people["Bertram Grey"]["lines"] == 0
    assert people["Alice"]["voice"] == "hazel"
    assert people["Clara"]["voice"] not in ("hazel", people["Bertram Grey"]["voice"], "miles")
    assert "1 of its characters are in one.toml" in said
    written = Path("two.toml").read_text()
    assert written.count("# kept from one.toml\n[[character]]") == 2
    assert Path("one.toml").read_text() == cast
    assert [voice for voice, _ in spoken(capfd, "two.md", "--cast", "two.toml")].count("hazel") == 2
