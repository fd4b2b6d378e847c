"""Lines with a cast: every piece in its voice, mistakes found before anything is spoken, the same bytes as `speak`."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from mlx_tts.batch import BatchSettings, run_batch
from mlx_tts.batch.run import How
from mlx_tts.cli import run
from mlx_tts.errors import RequestError
from tests.helpers.cast_book import BOOK, MISTAKES, SHORT, SHORTEST, TOLD, with_mistake, write_cast
from tests.helpers.paths import ROOT
from tests.helpers.stand_in_engine import StandInEngine, install

pytestmark = pytest.mark.usefixtures("desk")
PLAIN = {"id": "plain", "text": "Hello."}
ROW = {"id": "book", "text": BOOK, "cast": "cast.toml", "seed": 5}


class NotedVoices(StandInEngine):
    """spoken: voices with the words that they say, in order."""

    def submit(self, request, **options):
        self.spoken = [*getattr(self, "spoken", []), (request.voice, request.text)]
        return super().submit(request, **options)


@pytest.fixture
def engine(monkeypatch):
    return install(monkeypatch, NotedVoices())


@pytest.fixture
def cast(desk):
    return write_cast(desk)


def write_rows(folder, *rows):
    folder.mkdir(exist_ok=True)
    (folder / "lines.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return str(folder / "lines.jsonl")


def made(source, settings=None, **how):
    said = []
    outcome = run_batch(source, "out", settings or BatchSettings(model="tiny"), How(**how), say=said.append)
    return outcome, said


def test_each_piece_is_in_its_voice_and_who_speaks_is_said(engine, cast, desk):
    outcome, said = made(write_rows(desk, ROW, PLAIN))
    assert outcome.is_complete and said == [f"line 1: {TOLD}"]
    assert [(voice, words.split()[0]) for voice, words in engine.spoken if words != "Hello."] == [
        ("miles", "One"),
        ("miles", "It"),
        ("ivy", "“Go,”"),
        ("miles", "said"),
        ("rowan", "“No,”"),
        ("miles", "said"),
        ("miles", "Somebody"),
        ("miles", "“Who?”"),
        ("miles", "Two"),
        ("ivy", "“Me,”"),
        ("miles", "said"),
    ]
    assert ("miles", "Hello.") in engine.spoken


@pytest.mark.slow
def test_of_many_casts_the_first_ones_are_said(engine, cast, desk):
    outcome, said = made(write_rows(desk, *({**ROW, "id": str(number)} for number in range(22))))
    assert outcome.is_complete
    assert said == [*(f"line {number}: {TOLD}" for number in range(1, 21)), "and 2 more lines have a cast"]


def test_a_cast_lies_beside_its_table(engine, cast, desk):
    (desk / "tables" / "casts").mkdir(parents=True)
    (desk / "cast.toml").rename(desk / "tables" / "casts" / "c.toml")
    outcome, said = made(write_rows(desk / "tables", {**ROW, "cast": "casts/c.toml"}))
    assert outcome.is_complete and said == [f"line 1: {TOLD}"]


def test_the_voice_of_a_line_is_the_narrators(engine, cast, desk):
    made(write_rows(desk, {**ROW, "voice": "hazel"}))
    assert ("hazel", "It rained.") in engine.spoken and ("ivy", "“Go,”") in engine.spoken


def test_a_cast_of_the_whole_run_is_for_lines_of_its_text(engine, cast, desk):
    rows = [{**ROW, "cast": ""}, {**ROW, "id": "slow", "cast": None, "speed": 0.8}, PLAIN]
    assert run(["batch", write_rows(desk, *rows), "-o", "out", "--model", "tiny", "--cast", "cast.toml"]) == 1
    rows = [json.loads(row) for row in (desk / "out" / "results.jsonl").read_text().splitlines()]
    assert [row["status"] for row in rows] == ["ok", "ok", "refused"]
    assert rows[2]["error"].startswith("cannot be spoken: cast.toml was made for another text")
    assert len((desk / "out" / "run.json").read_text()) < 2000  # it says which cast it was, not all of it


def test_a_line_whose_cast_changed_is_made_again(engine, cast, desk):
    source = write_rows(desk, ROW, PLAIN)
    assert made(source)[0].spoken == 2
    (desk / "cast.toml").write_text(cast.replace("confidence = 0.95", "confidence = 0.5"), encoding="utf-8")
    assert made(source)[0].spoken == 0  # what is there for people alone
    (desk / "cast.toml").write_text(cast.replace('voice = "rowan"', 'voice = "hazel"'), encoding="utf-8")
    assert made(source)[0].spoken == 1


@pytest.mark.parametrize(("old", "new", "says"), MISTAKES, ids=[old for old, _, _ in MISTAKES])
def test_a_mistake_in_a_cast_is_one_line_with_its_place(engine, cast, desk, capfd, old, new, says):
    (desk / "cast.toml").write_text(with_mistake(cast, old, new), encoding="utf-8")
    source = write_rows(desk, ROW)
    capfd.readouterr()
    assert run(["batch", source, "-o", "out", "--model", "tiny"]) == 2
    error = capfd.readouterr().err
    assert error.startswith("mlx-tts: no line can be spoken: line 1 cannot be spoken: ") and error.count("\n") == 1
    assert f"cast.toml{says}" in error if says[0] in ":" else says in error
    assert len(error) < 600 and not (desk / "out").exists() and not engine.asked
    assert run(["batch", source, "-o", "out", "--model", "tiny", "--cast", "cast.toml"]) == 2


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("none.toml", "no file"),
        ("../cast.toml", "has cast '../cast.toml': give a file beside the table"),
        ("/etc/passwd", "has cast '/etc/passwd': give a file beside the table"),
        ("a\0b", "is not a name of a file"),
        (".", "is not a regular file"),
        (5, "has cast 5: give the name of a file"),
    ],
)
def test_a_file_that_is_no_cast_of_this_table_ends_its_line_alone(engine, desk, name, says):
    outcome, _ = made(write_rows(desk, {**ROW, "cast": name}, PLAIN))
    assert (outcome.spoken, len(outcome.refused)) == (1, 1)
    assert says in outcome.refused[0].error and outcome.refused[0].number == 1


def test_a_cast_of_a_script_has_no_lines(engine, desk):
    (desk / "cast.toml").write_text('[[character]]\nname = "ANN"\nvoice = "ivy"\n')
    with pytest.raises(RequestError, match=r"line 1 cannot be spoken: .*cast\.toml has no lines: `mlx-tts cast BOOK`"):
        made(write_rows(desk, ROW))


def test_each_voice_of_a_cast_is_as_loud(cast):
    """As `speak` has it: the quiet voice is not left quiet because the line as a whole is loud enough."""
    from mlx_tts.audio.effects.loudness import LoudnessMeter
    from mlx_tts.batch.worker import make_sound
    from mlx_tts.speech import AudioChunk
    from mlx_tts.text.cast.cast_file import parse_cast
    from mlx_tts.text.cutting.pieces import Piece

    noise = np.random.default_rng(1).standard_normal(72_000).astype(np.float32)

    def chunk(level):
        return [AudioChunk(level * noise, 24_000, None)]

    spoken = [(Piece(0, "a", 0, "start", voice="ivy"), chunk(0.2)), (Piece(1, "b", 0, "sentence"), chunk(0.01))]
    settings = BatchSettings(loudness=-23.0, cast=parse_cast(cast, "cast"))
    sound = make_sound(spoken, 24_000, "en", settings)
    for half in (sound.samples[:72_000], sound.samples[-72_000:]):
        meter = LoudnessMeter(24_000)
        meter.add(half)
        assert meter.lufs == pytest.approx(-23.0, abs=0.3)
    short = make_sound(spoken, 24_000, "en", BatchSettings(max_seconds=4.0))
    assert len(short.samples) == 96_000, "of the whole line, not of each piece"


@pytest.mark.slow
def test_a_batch_is_to_the_bit_what_speak_says(desk, short_tiny):
    """As FLAC: into a WAV file `speak` writes the kept pieces, with and without a cast."""
    write_cast(desk, SHORTEST)
    own = ["--model", short_tiny, "--no-guard"]
    assert run(["batch", write_rows(desk, {**ROW, "text": SHORTEST}), "-o", "out", "--format", "flac", *own]) == 0
    assert run(["speak", "book.md", "--cast", "cast.toml", "--seed", "5", "-o", "s.flac", *own]) == 0
    assert (desk / "out" / "book.flac").read_bytes() == (desk / "s.flac").read_bytes()


@pytest.mark.long
def test_killed_it_goes_on_to_the_same_files(desk):
    write_cast(desk, SHORT)
    rows = [{**ROW, "text": SHORT, "id": f"book-{number}", "seed": None} for number in range(3)]
    source = write_rows(desk, *rows)

    def start(folder):
        command = [sys.executable, "-m", "mlx_tts", "batch", source, "--model", "tiny", "--rows", "2", "-o", folder]
        return subprocess.Popen(
            command, cwd=desk, env={**os.environ, "PYTHONPATH": str(ROOT)}, stderr=subprocess.DEVNULL
        )

    def files(folder):
        return {path.name: path.read_bytes() for path in (desk / folder).glob("*.wav")}

    killed = start("out")
    while not files("out") and killed.poll() is None:
        time.sleep(0.01)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    there = files("out")
    assert 0 < len(there) < 3
    assert start("out").wait(600) == 0 and start("whole").wait(600) == 0
    assert there.items() <= files("out").items() and files("out") == files("whole") and len(files("out")) == 3
