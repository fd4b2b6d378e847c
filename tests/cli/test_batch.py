"""`mlx-tts batch` with the built-in voices: exit codes, what is said, kills at any moment."""

import json
import os
import re
import signal
import subprocess
import time

import pytest
import soundfile

from mlx_tts.batch.run import Progress
from mlx_tts.cli import run
from mlx_tts.cli.batch_telling import progress_line
from mlx_tts.narration.time_left import TimeLeft
from tests.helpers.forked import start_command
from tests.helpers.stand_in_engine import StandInEngine, install

pytestmark = pytest.mark.usefixtures("desk")
TEXTS = ("Go.", "It is.", "No.")  # short: what a test costs is how much it speaks


@pytest.fixture
def engine(monkeypatch):
    return install(monkeypatch, StandInEngine())


def write_lines(path, count, bad=()):
    lines = [json.dumps({"id": f"line-{number}", "text": TEXTS[number % 3]}) for number in range(count)]
    path.write_text("\n".join([*lines, *bad]) + "\n")


def test_one_line_is_one_line(engine, desk, capfd):
    write_lines(desk / "lines.jsonl", 1)
    assert run(["batch", "lines.jsonl", "-o", "out", "--model", "tiny"]) == 0
    assert capfd.readouterr().err.startswith("spoke 1 line, ")


def test_a_csv_file_becomes_a_folder_of_files(engine, desk, capfd):
    (desk / "lines.csv").write_text("id,text,voice\na,Good morning.,ivy\nb,Good night.,\n")
    assert run(["batch", "lines.csv", "-o", "out", "--model", "tiny"]) == 0
    out, error = capfd.readouterr()
    assert out == ""
    assert re.fullmatch(
        r"spoke 2 lines, \d+ s of speech in \d+ s\nwrote out/results.jsonl and out/report.html\n", error
    )
    assert sorted(path.name for path in (desk / "out").iterdir() if not path.name.startswith(".")) == [
        "a.wav",
        "b.wav",
        "report.html",
        "results.jsonl",
        "run.json",
        "tables",
    ]
    assert run(["batch", "lines.csv", "-o", "out", "--model", "tiny"]) == 0
    assert "2 of 2 lines are there already" in capfd.readouterr().err


def test_bad_lines_are_named_and_the_code_is_one(engine, desk, capfd):
    write_lines(desk / "lines.jsonl", 2, ["nonsense", '{"id": "../x", "text": "Hello."}'])
    assert run(["batch", "lines.jsonl", "-o", "out", "--model", "tiny"]) == 1
    lines = capfd.readouterr().err.splitlines()
    assert lines[0] == "line 3 is not JSON (Expecting value at character 1)"
    assert lines[1].startswith("line 4 has id '../x': a name may not hold a path")
    assert lines[-1] == "mlx-tts: 2 lines were not spoken: out/results.jsonl says why"
    assert len(list((desk / "out").glob("*.wav"))) == 2


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--strict"], "nothing was begun, because of --strict: line 3 is not JSON"),
        (["--format", "aiff"], "--format is 'aiff'"),
        (["--rate", "11025"], "--rate is 11025"),
        (["--manifest", "x"], "--manifest is 'x'"),
        (["--shard", "3/2"], "--shard is '3/2': K must be from 1 to N"),
        (["--shard", "auto"], "--shard auto is for job arrays"),
        (["--loudness", "loud"], "--loudness is 'loud'"),
        (["--model", "nonsense"], "unknown model 'nonsense'"),
        (["--ray", "local"], "--ray"),
        (["--ray", "auto", "--shard", "1/2"], "give one of them"),
        (["--rows", "0"], "--rows is 0: give 1 to 256"),
    ],
)
def test_nothing_begins_with_what_is_wrong(engine, desk, capfd, options, said, monkeypatch):
    for name in ("SLURM_ARRAY_TASK_ID", "SGE_TASK_ID", "LSB_JOBINDEX", "AWS_BATCH_JOB_ARRAY_INDEX"):
        monkeypatch.delenv(name, raising=False)
    write_lines(desk / "lines.jsonl", 2, ["nonsense"])
    model = [] if "--model" in options else ["--model", "tiny"]
    assert run(["batch", "lines.jsonl", "-o", "out", *model, *options]) == 2
    error = capfd.readouterr().err
    assert said in error and len(error.splitlines()) == 1
    assert not (desk / "out").exists()


def test_missing_files_and_other_settings(engine, desk, capfd):
    assert run(["batch", "nowhere.csv", "-o", "out"]) == 2
    assert "no file nowhere.csv" in capfd.readouterr().err
    write_lines(desk / "lines.jsonl", 2)
    assert run(["batch", "lines.jsonl", "-o", "out", "--model", "tiny"]) == 0
    assert run(["batch", "lines.jsonl", "-o", "out", "--model", "tiny", "--rate", "16"]) == 2
    assert "was made with other settings (rate was null, now 16000)" in capfd.readouterr().err


def test_the_dry_run_says_what_there_is_to_do(desk, capfd):
    long = " ".join(["This sentence is said again and again until it is long."] * 20)
    write_lines(desk / "lines.jsonl", 3, [json.dumps({"id": "long", "text": long}), '{"id": "x"}'])
    assert run(["batch", "lines.jsonl", "-o", "out", "--model", "tiny", "--dry-run"]) == 0
    out, error = capfd.readouterr()
    assert error == "" and not (desk / "out").exists()
    facts = dict(re.findall(r"^([\w ]+):\s+(.*)$", out, re.M))
    assert (facts["lines"], facts["bad"], facts["to make"], facts["there already"]) == ("5", "1", "4", "0")
    assert facts["pieces"] == "10"
    assert "line 5 has no text" in out
    assert re.fullmatch(r"about \d+ s", facts["speech"])
    assert facts["time"] == "not known before a first run on this machine"
    assert re.fullmatch(r"about [\d.]+ MB of [\d,]+ MB free", facts["disk"])


def test_after_a_run_the_dry_run_knows_the_time(engine, desk, capfd):
    write_lines(desk / "lines.jsonl", 60)
    assert run(["batch", "lines.jsonl", "-o", "out", "--model", "tiny"]) == 0
    assert run(["batch", "lines.jsonl", "-o", "again", "--model", "tiny", "--dry-run"]) == 0
    assert re.search(r"time: +about \d+ s", capfd.readouterr().out)


def test_the_time_left_on_a_cluster_is_that_of_finished_lines():
    progress = Progress(total_seconds=100.0, total=10, spoken=5, seconds=100.0, expected_seconds=50.0)
    line, share = progress_line(progress, progress.began + 40.0)
    assert (line, share) == ("5 of 10 lines, 2 min of speech, 40 s left", 0.5)
    assert "left" not in progress_line(Progress(total_seconds=9.0, total=3), 1.0)[0]


def test_a_batch_of_which_each_line_is_done_is_done_whatever_was_made():
    """It said 0 % where all lines had failed, or were made before anything was measured."""
    over = Progress(total_seconds=9.0, total=2, spoken=1, failed=1)
    assert progress_line(over, over.began + 1)[0].startswith("1 of 2 lines")
    assert progress_line(over, over.began + 1)[1] == 1.0
    over.left = TimeLeft()
    assert progress_line(over, over.began + 1)[1] == 1.0


def start(*options):
    return start_command(["batch", "lines.jsonl", "--model", "tiny", *options], os.environ)


def files(folder):
    return {path.name: path.read_bytes() for path in folder.glob("*.wav")}


@pytest.mark.slow
@pytest.mark.smoke("moments0")
@pytest.mark.parametrize("moments", [(1,), (0, 2, 5, 9)])
def test_killed_at_any_moment_it_goes_on_to_the_same_files(desk, moments):
    """moments: numbers of files that there are when it is killed."""
    count = moments[-1] + 2
    write_lines(desk / "lines.jsonl", count)
    assert run(["batch", "lines.jsonl", "--model", "tiny", "-o", "whole", "--rows", "3"]) == 0
    for made in moments:
        killed = start("-o", "out")
        while len(files(desk / "out")) < made and killed.poll() is None:
            time.sleep(0.01)
        if not made:
            time.sleep(1)
        killed.kill()
        killed.wait()
    before = files(desk / "out")
    assert moments[-1] <= len(before) <= count
    assert run(["batch", "lines.jsonl", "--model", "tiny", "-o", "out"]) == 0
    assert files(desk / "out") == files(desk / "whole")
    assert before.items() <= files(desk / "whole").items()
    left = [path.name for path in (desk / "out").rglob("*") if "unfinished" in path.name]
    assert left == []
    rows = [json.loads(line) for line in (desk / "out" / "results.jsonl").read_text().splitlines()]
    assert [row["status"] for row in rows] == ["ok"] * count


@pytest.mark.slow
@pytest.mark.smoke("2")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_keeps_what_is_done(desk, number):
    write_lines(desk / "lines.jsonl", 30)
    process = start("-o", "out", "--rows", "2")
    while len(files(desk / "out")) < 2 and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(number)
    assert process.wait(60) == 130
    assert process.stderr.read() == "interrupted: what is done is kept in out, and the same command goes on\n"
    rows = [json.loads(line) for line in (desk / "out" / "results.jsonl").read_text().splitlines()]
    assert 2 <= len(rows) < 30
    assert {row["file"] for row in rows} == set(files(desk / "out"))


@pytest.mark.slow
def test_rows_change_nothing_and_a_line_is_what_speak_says(desk):
    """The same bytes with one row and with eight, and those of the narrated text with this seed."""
    import numpy as np

    import mlx_tts

    write_lines(desk / "lines.jsonl", 2)
    for folder, rows in (("one", "1"), ("eight", "8")):
        asked = ["batch", "lines.jsonl", "--model", "tiny", "-o", folder, "--rows", rows, "--loudness", "off"]
        assert run(asked) == 0
    assert files(desk / "one") == files(desk / "eight")
    row = json.loads((desk / "one" / "results.jsonl").read_text().splitlines()[1])
    with mlx_tts.load("tiny") as tts:
        speech = tts.speak(row["text"], voice=row["voice"], seed=row["seed"])
    samples, rate = soundfile.read(desk / "one" / row["file"], dtype="float32")
    assert rate == speech.sample_rate
    assert np.abs(samples - speech.samples).max() < 1e-4


@pytest.mark.long
@pytest.mark.slow
def test_a_disk_that_is_full(desk):
    """A file system of 80 kB, where this may be made; and the same command when there is room."""
    mount = desk / "small"
    mount.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=80k", "none", mount], capture_output=True).returncode:
        pytest.skip("NOT CHECKED: a full disk, because no small file system can be mounted here")
    try:
        write_lines(desk / "lines.jsonl", 3)
        process = start("-o", "small/out", "--rate", "24")
        process.wait(1200)
        error = process.stderr.read()
        assert process.returncode == 1
        assert "is full: make room and run it again, what is done is kept" in error, error
        assert "Traceback" not in error and "unexpected" not in error
        made = files(mount / "out")
        assert 0 < len(made) < 3
        for data in made.values():
            assert int.from_bytes(data[4:8], "little") + 8 == len(data)
        assert not [path for path in (mount / "out").iterdir() if path.name.endswith(".unfinished")]
        subprocess.run(["mount", "-o", "remount,size=20m", mount], check=True)
        assert start("-o", "small/out", "--rate", "24").wait(1200) == 0
        assert len(files(mount / "out")) == 3 and made.items() <= files(mount / "out").items()
        rows = [json.loads(row) for row in (mount / "out" / "results.jsonl").read_text().splitlines()]
        assert [row["status"] for row in rows] == ["ok"] * 3
    finally:
        subprocess.run(["umount", mount], check=True)
