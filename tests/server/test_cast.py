"""A text with its cast: the route's sound is that of `speak --cast`, and what is wrong with a cast is a 400."""

from pathlib import Path

import httpx
import pytest
import soundfile

from mlx_tts.cli import run
from tests.helpers.cast_book import BOOK, MISTAKES, SHORTEST, TOLD, with_mistake, write_cast
from tests.server.conftest import running

pytestmark = pytest.mark.slow  # a server is started
WAV = ("-o", "-", "--format", "wav")  # written as it comes, as the server does


@pytest.fixture(scope="module")
def short(short_tiny, tmp_path_factory):
    """A server of a model whose pieces end soon."""
    with running(tmp_path_factory.mktemp("home"), "--model", short_tiny, "--rows", "4") as server:
        server.wait_until_ready()
        yield server


@pytest.fixture
def cast(tmp_path):
    return write_cast(tmp_path)


def test_the_sound_is_to_the_bit_that_of_speak(short, short_tiny, desk, capfdbinary):
    """Of `speak -o -`, which writes samples as they come, as the server does."""
    cast = write_cast(desk, SHORTEST)
    answer = short.post(input=SHORTEST, cast=cast, seed=5, guard=False, response_format="wav")
    assert answer.status_code == 200 and answer.headers["x-mlx-tts-voice"] == "miles"
    assert "Ann%20by%20" in answer.headers["x-mlx-tts-cast"] and "Tom%20by%20" in answer.headers["x-mlx-tts-cast"]
    command = ["speak", "book.md", "--cast", "cast.toml", "--seed", "5", "--no-guard", "--model", short_tiny, *WAV]
    capfdbinary.readouterr()
    assert run(command) == 0
    wav = capfdbinary.readouterr().out
    assert len(wav) > 50_000 and answer.content[44:] == wav[44:]


CHAPTERS = """CHAPTER I.

“Go on,” said Ann. It had rained all day, and nobody had gone out, and nobody had come in, and the fire was out. She
looked at the window, and then at the door, and then at the clock, which had stopped long ago, and said nothing more.

CHAPTER II.

“No,” said Tom. He had gone to the door, and back to the table, and to the door again, all that long day. Then he sat
down, and took off his boots, and put them on again, and looked at the rain, which fell as it had fallen all the day.
"""


@pytest.mark.smoke("md", "html")
@pytest.mark.parametrize(
    ("name", "text"),
    [("b.txt", CHAPTERS), ("b.md", SHORTEST), ("b.html", "<p>“Go,” said Ann.</p>")],
    ids=["txt", "md", "html"],
)
def test_the_command_with_a_server_gives_the_sound_of_the_command(short, short_tiny, desk, capfdbinary, name, text):
    """Each line in the same voice, word for word; `-o -` writes samples as they come, as the server does."""
    with Path(name).open("w", encoding="utf-8", newline="") as file:
        file.write(text.replace("\n", "\r\n") if name == "b.txt" else text)
    assert run(["cast", name, "-o", "c.toml"]) == 0
    command = ["speak", name, "--cast", "c.toml", "--seed", "5", "--no-guard"]
    capfdbinary.readouterr()
    assert run([*command, "--model", short_tiny, *WAV]) == 0
    here = capfdbinary.readouterr()
    assert run([*command, "--server", short.url, "-o", "there.wav"]) == 0
    there = capfdbinary.readouterr()
    samples, _ = soundfile.read("there.wav", dtype="int16")
    assert len(samples) > 10_000 and samples.tobytes() == here.out[44:]
    assert b"spoken: Ann by " in there.err and b"spoken: Ann by " in here.err


def test_the_command_says_what_the_server_says_of_a_cast(server, tmp_path, capsys):
    cast = write_cast(tmp_path)
    capsys.readouterr()
    for place in ("the narrator", "Mr. Fox"):
        voice = "miles" if place == "the narrator" else "rowan"
        (tmp_path / "cast.toml").write_text(cast.replace(f'voice = "{voice}"', 'voice = "nobody"'), encoding="utf-8")
        line = ["speak", str(tmp_path / "book.md"), "--cast", str(tmp_path / "cast.toml"), "--server", server.url]
        assert run([*line, "-o", str(tmp_path / "out.wav")]) == 2
        said = capsys.readouterr().err.splitlines()
        assert len(said) == 1 and f"cast: the voice of {place}: unknown voice 'nobody'" in said[0]
    assert not (tmp_path / "out.wav").exists()


def test_the_plan_says_who_speaks(server, cast):
    body = {"input": BOOK, "cast": cast}
    plan = httpx.post(f"{server.url}/page/api/plan", json=body).json()
    assert plan["cast"] == TOLD
    assert [piece["voice"] for piece in plan["pieces"]] == [
        *("miles", "miles", "ivy", "miles", "rowan", "miles", "miles", "miles"),  # the first chapter
        *("miles", "ivy", "miles"),
    ]
    assert {piece["chapter"] for piece in plan["pieces"]} == {1, 2}
    without = httpx.post(f"{server.url}/page/api/plan", json={"input": BOOK}).json()
    assert "cast" not in without and {piece["voice"] for piece in without["pieces"]} <= {"miles", None}


def test_a_voice_of_the_request_is_the_narrators(server, cast):
    plan = httpx.post(f"{server.url}/page/api/plan", json={"input": BOOK, "cast": cast, "voice": "hazel"}).json()
    assert plan["pieces"][1]["voice"] == "hazel" and plan["pieces"][2]["voice"] == "ivy"


def test_a_text_is_read_as_the_file_of_its_book(server, tmp_path):
    """A .txt file stays as it is written; without the cast a text that looks like Markdown is read as such."""
    text = "## One\n\n* “Go,” said *Ann*.\n\n## Two\n\n[“No,”](x) said Tom.\n"
    (tmp_path / "b.txt").write_text(text, encoding="utf-8")
    assert run(["cast", str(tmp_path / "b.txt"), "-o", str(tmp_path / "b.toml")]) == 0
    cast = (tmp_path / "b.toml").read_text(encoding="utf-8")
    assert httpx.post(f"{server.url}/page/api/plan", json={"input": text, "cast": cast}).status_code == 200


@pytest.mark.parametrize(("old", "new", "says"), MISTAKES, ids=[old for old, _, _ in MISTAKES])
def test_a_mistake_in_a_cast_is_refused_with_its_place(server, cast, old, new, says):
    refused(server, says, input=BOOK, cast=with_mistake(cast, old, new))


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (5, "cast is 5: give a string"),
        ("cast.toml", "cast is not a cast, it is not TOML"),  # a name of a file means nothing here
        ("x" * 1_000_001, "give at most 1,000,000 characters"),
        ("[narrator]\nvoice = 'ivy'", "cast has no lines"),
        ("[[character]]\nname = '" + "y" * 50_000 + "'\nsex = 'x'", "has the sex 'x'"),
    ],
)
def test_what_is_no_cast_is_refused(server, wrong, says):
    refused(server, says, input=BOOK, cast=wrong)


def test_another_text_is_refused(server, cast):
    refused(server, "cast was made for another text", input=BOOK.replace("rained", "snowed"), cast=cast)
    refused(server, "a cast is for books, and this is SSML", input="<speak>Go.</speak>", cast=cast)


def refused(server, says, **body):
    """The route's own shape, naming the field; nothing of megabytes comes back."""
    answer = server.post(**body)
    error = answer.json()["error"]
    assert answer.status_code == 400 and says in error["message"], error
    assert (error["param"], error["type"]) == ("cast", "invalid_request_error")
    assert len(error["message"]) < 400 and "\n" not in error["message"]
    assert answer.json()["detail"]["message"] == error["message"]
