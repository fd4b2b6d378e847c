"""cast.toml as people change it: what is wrong is named with its place and what to do."""

import pytest

from mlx_tts.errors import RequestError
from mlx_tts.text.cast.cast_file import Cast, CastLine, Character, read_cast, text_hash
from mlx_tts.text.cutting.pieces import Chapter, VoiceSpan

ANN = '[[character]]\nname = "Ann"\nvoice = "ivy"\n'
CHAPTERS = [Chapter(None, "“Go,” said Ann.")]


def entry(**values):
    given = {"chapter": 1, "start": 0, "end": 5, "speaker": '"Ann"', **values}
    return "{ " + ", ".join(f"{name} = {value}" for name, value in given.items()) + " }"


def with_lines(*entries):
    return f"lines = [{', '.join(entries)}]\n{ANN}"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("cast = 1", "has 'cast', which means nothing here: use book, character, lines, narrator"),
        ("book = 1", "book is 1: write [book] and its values below"),
        ("[book]\nsha256 = 1", "[book] has the sha256 1: give text in quotes"),
        ("[narrator]\nvoice = true", "[narrator] has the voice True: give text in quotes"),
        ("character = [1]", "character is not a list of tables: see the file that `mlx-tts cast` writes"),
        ('[[character]]\nvoice = "ivy"', "character 1 has no name: give one"),
        (f'{ANN}[[character]]\nname = ""', "character 2 has no name: give one"),
        (f'{ANN}aliases = "A"', "character 1 (Ann) has the aliases 'A': give a list such as"),
        (f"{ANN}aliases = [1]", "character 1 (Ann) has the aliases [1]: give a list such as"),
        (f'{ANN}sex = "cat"', "character 1 (Ann) has the sex 'cat': use woman, man, or leave it out"),
        (f'{ANN}age = "9"', "character 1 (Ann) has 'age', which means nothing here"),
        (f'{ANN}[[character]]\nname = "Bob"\naliases = ["ann"]', "'Bob' and 'Ann' have the same name or alias 'ann'"),
        (with_lines(entry(chapter=0)), "entry 1 of lines has the chapter 0: give a whole number of at least 1"),
        (with_lines(entry(start=-1)), "entry 1 of lines has the start -1: give a whole number of at least 0"),
        (with_lines(entry(end="true")), "entry 1 of lines has the end True: give a whole number of at least 0"),
        (with_lines(entry(end=0)), "(chapter 1) ends at 0 and begins at 0: give a larger end"),
        (with_lines(entry(confidence=1.1)), "entry 1 of lines has the confidence 1.1: give 0 to 1"),
        (with_lines(entry(speaker='"Bob"')), "has the speaker 'Bob', who is no [[character]]: add one, or use Ann"),
        (with_lines(entry(), entry(start=4, end=9)), "entry 2 of lines (chapter 1, 4 to 9) lies over entry 1"),
    ],
)
def test_what_is_wrong_has_its_place(tmp_path, text, said):
    path = tmp_path / "cast.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RequestError) as caught:
        read_cast(path)
    assert said in str(caught.value)


def test_what_stands_in_it(tmp_path):
    path = tmp_path / "cast.toml"
    path.write_text(with_lines(entry(end=1), entry(start=1, speaker='""')) + 'aliases = ["A"]', encoding="utf-8")
    cast = read_cast(path)
    assert cast.characters == (Character("Ann", "ivy", ("A",)),) and cast.voices == {"ann": "ivy", "a": "ivy"}
    assert cast.lines == (CastLine(1, 0, 1, "Ann"), CastLine(1, 1, 5, None))  # side by side is not over each other


def test_lines_are_of_one_text():
    cast = Cast((Character("Ann"),), lines=(CastLine(1, 0, 5, "Ann"),), sha256=text_hash(CHAPTERS))
    assert cast.spoken_by(CHAPTERS)[0].voices == (VoiceSpan(0, 5, "Ann"),)
    with pytest.raises(RequestError, match="was made for another text"):
        cast.spoken_by([Chapter(None, "“Go!” said Ann.")])


@pytest.mark.parametrize("line", [CastLine(2, 0, 5, "Ann"), CastLine(1, 0, 16, "Ann")])
def test_a_line_outside_of_the_text(line):
    cast = Cast((Character("Ann"),), lines=(line,), sha256=text_hash(CHAPTERS))
    with pytest.raises(RequestError, match=r"entry 1 of lines .* is outside of the text: take the line out"):
        cast.spoken_by(CHAPTERS)
