"""Runs with a stand-in engine: every line exactly once, whatever happened before, beside or in between."""

import errno
import fcntl
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import soundfile

from mlx_tts.batch import BatchSettings, run_batch
from mlx_tts.batch.lines import Line
from mlx_tts.batch.plan import Role, Task
from mlx_tts.batch.run import How, prepare
from mlx_tts.batch.run_folder import Claims, open_folder
from mlx_tts.batch.settings import Shard
from mlx_tts.batch.speaking import speak_lines
from mlx_tts.errors import AudioError, MlxTtsError, RequestError
from mlx_tts.speech import GuardReport, SpeechRequest
from mlx_tts.text.cutting.pace import expected_seconds
from tests.helpers.paths import ROOT
from tests.helpers.stand_in_engine import StandInEngine, install

TINY_RUN = BatchSettings(model="tiny")
WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
LINES = [
    {"id": f"line-{number}", "text": f"This is line {WORDS[number % 10]}." + " And more." * (number % 7)}
    for number in range(20)
]


@pytest.fixture
def engine(monkeypatch, tmp_path):
    monkeypatch.setenv("MLX_TTS_HOME", str(tmp_path / "home"))
    return install(monkeypatch, StandInEngine())


def files(folder):
    return {path.name: path.read_bytes() for path in folder.glob("*.wav")}


def results(folder):
    return [json.loads(line) for line in (folder / "results.jsonl").read_text(encoding="utf-8").splitlines()]


def run(folder, lines=LINES, settings=TINY_RUN, **options):
    said = []
    outcome = run_batch(lines, folder, settings, How(**options), say=said.append)
    return outcome, said


def test_every_line_has_its_file_and_its_row(engine, tmp_path):
    outcome, said = run(tmp_path / "out", rows=4)
    assert (outcome.spoken, outcome.there, outcome.failed, outcome.refused) == (20, 0, 0, ())
    assert outcome.is_complete and said == [] and engine.closed
    rows = results(tmp_path / "out")
    assert [row["id"] for row in rows] == [line["id"] for line in LINES]
    for row in rows:
        data = (tmp_path / "out" / row["file"]).read_bytes()
        assert soundfile.info(tmp_path / "out" / row["file"]).duration == pytest.approx(row["seconds"], abs=1e-3)
        assert (row["status"], row["bytes"], row["error"]) == ("ok", len(data), None)
        assert row["guard"] == {"takes": 1, "faults": [], "kept_fault": None}
        assert row["voice"] == "miles" and row["machine"] == "a stand-in" and row["worker"]
    import hashlib

    assert rows[0]["sha256"] == hashlib.sha256((tmp_path / "out" / "line-0.wav").read_bytes()).hexdigest()
    assert not [path for path in (tmp_path / "out").iterdir() if "unfinished" in path.name]


def test_a_line_that_was_kept_with_a_fault_is_suspect(engine, tmp_path):
    engine.report = GuardReport(3, ("looped", "looped"), "looped")
    outcome, said = run(tmp_path / "out", lines=LINES[:2])
    assert outcome.is_complete
    assert [row["status"] for row in results(tmp_path / "out")] == ["suspect", "suspect"]
    assert sorted(said)[0].endswith("(line-0) may be misspoken: listen to line-0.wav")
    engine.report = GuardReport(1)
    outcome, _ = run(tmp_path / "out", lines=LINES[:2])  # it has its file, and is not made again
    assert (outcome.spoken, outcome.there) == (0, 2)


def test_the_longest_lines_are_spoken_first_and_rows_are_kept_busy(engine, tmp_path):
    run(tmp_path / "out", rows=3)
    lengths = [expected_seconds(text) for text, _, _ in engine.asked]
    assert lengths == sorted(lengths, reverse=True)
    assert len(set(lengths)) > 5


def test_the_same_command_again_makes_nothing(engine, tmp_path):
    run(tmp_path / "out")
    before = files(tmp_path / "out")
    engine.asked.clear()
    outcome, _ = run(tmp_path / "out")
    assert (outcome.spoken, outcome.there, engine.asked) == (0, 20, [])
    assert files(tmp_path / "out") == before


def test_only_what_is_missing_is_made_and_comes_out_the_same(engine, tmp_path):
    run(tmp_path / "out")
    before = files(tmp_path / "out")
    (tmp_path / "out" / "line-3.wav").unlink()
    (tmp_path / "out" / "line-5.wav").write_bytes(b"RIFF")
    table = next((tmp_path / "out" / "tables").iterdir())
    rows = table.read_bytes().splitlines(keepends=True)
    kept = [row for row in rows if b'"line-7"' not in row]
    table.write_bytes(b"".join(kept) + b'{"id": "line-7", "status": "ok", "fi')
    engine.asked.clear()
    outcome, _ = run(tmp_path / "out")
    assert (outcome.spoken, outcome.there) == (3, 17)
    assert files(tmp_path / "out") == before
    assert len(results(tmp_path / "out")) == 20


def test_a_changed_line_is_made_again_and_changed_back_again(engine, tmp_path):
    run(tmp_path / "out")
    first = files(tmp_path / "out")
    changed = [{**LINES[0], "text": "Something else."}, *LINES[1:]]
    assert run(tmp_path / "out", changed)[0].spoken == 1
    second = files(tmp_path / "out")
    assert {name for name in first if first[name] != second[name]} == {"line-0.wav"}
    assert run(tmp_path / "out", changed)[0].spoken == 0
    assert run(tmp_path / "out")[0].spoken == 1  # the newest row counts, not an older one with this content
    assert files(tmp_path / "out") == first


def test_added_and_removed_lines(engine, tmp_path):
    run(tmp_path / "out")
    assert run(tmp_path / "out", [{"id": "new", "text": "New."}, *LINES[5:]])[0].spoken == 1
    assert [row["id"] for row in results(tmp_path / "out")] == ["new", *(line["id"] for line in LINES[5:])]
    assert results(tmp_path / "out")[1]["line"] == 2


def test_neither_rows_nor_order_nor_shards_change_a_byte(engine, tmp_path):
    run(tmp_path / "a", rows=1)
    run(tmp_path / "b", list(reversed(LINES)), rows=7)
    for number in (1, 2, 3):
        run(tmp_path / "c", shard=Shard(number, 3))
    assert files(tmp_path / "a") == files(tmp_path / "b") == files(tmp_path / "c")
    assert len(results(tmp_path / "c")) == 20


def test_a_share_does_not_change_when_lines_are_added(tmp_path, monkeypatch):
    install(monkeypatch, StandInEngine())
    more = [{"id": f"more-{number}", "text": "More."} for number in range(100)]

    def share(lines):
        plan = prepare(lines, tmp_path / "none", TINY_RUN, How(shard=Shard(2, 3))).plan
        return {task.line.id for task in plan.tasks}

    assert 2 < len(share(LINES)) < 15
    assert share(LINES) == share([*more, *LINES]) - {line["id"] for line in more}


def test_a_seed_follows_from_the_id_alone_or_is_the_lines_own(engine, tmp_path):
    lines = [{"id": "a", "text": "One."}, {"id": "b", "text": "One."}, {"id": "c", "text": "One.", "seed": 5}]
    run(tmp_path / "one", lines)
    rows = {row["id"]: row["seed"] for row in results(tmp_path / "one")}
    assert rows["c"] == 5 and len(set(rows.values())) == 3
    run(tmp_path / "two", [{"id": "a", "text": "Another text."}], BatchSettings(model="tiny", voice="ivy"))
    assert results(tmp_path / "two")[0]["seed"] == rows["a"]
    run(tmp_path / "three", lines, BatchSettings(model="tiny", seed=1))
    assert results(tmp_path / "three")[0]["seed"] != rows["a"]


def test_bad_lines_are_named_and_the_good_ones_are_spoken(engine, tmp_path):
    lines = [
        {"id": "a", "text": "One."},
        {"id": "a/b", "text": "Two."},
        {"id": "c", "text": "Three.", "voice": "nobody"},
    ]
    outcome, said = run(tmp_path / "out", lines)
    assert (outcome.spoken, len(outcome.refused), outcome.is_complete) == (1, 2, False)
    assert said[0].startswith("line 2 has id 'a/b': a name may not hold a path")
    assert said[1].startswith("line 3 cannot be spoken: ") and "nobody" in said[1] and "ivy" in said[1]
    rows = results(tmp_path / "out")
    assert [(row["line"], row["id"], row["status"]) for row in rows] == [
        (1, "a", "ok"),
        (2, "a/b", "refused"),
        (3, "c", "refused"),
    ]
    assert rows[2]["error"] == said[1].removeprefix("line 3 ")


def test_strict_begins_nothing(engine, tmp_path):
    lines = [{"id": "a", "text": "One."}, {"id": "b", "text": ""}]
    with pytest.raises(RequestError, match=r"nothing was begun, because of --strict: line 2 has no text"):
        run(tmp_path / "out", lines, strict=True)
    assert not (tmp_path / "out").exists() and engine.asked == []


def test_nothing_but_bad_lines(engine, tmp_path):
    with pytest.raises(RequestError, match=r"no line can be spoken: line 1 has no text; line 2 has no id.*and 1 more"):
        run(tmp_path / "out", [{"id": "a"}, {"text": "x"}, {"id": "c"}, {"id": "d"}])
    assert not (tmp_path / "out").exists()


def test_a_language_that_the_model_does_not_speak(engine, tmp_path):
    german = "Das ist ein ganz anderer Satz, und er ist nicht auf Englisch geschrieben."
    outcome, said = run(tmp_path / "out", [{"id": "a", "text": "One."}, {"id": "b", "text": german}])
    assert (outcome.spoken, outcome.failed) == (1, 1)
    assert said == [
        "line 2 (b) failed: this text reads like German, which tiny does not speak: "
        "give --model 0.6b-custom-8bit --voice Ryan (2.0 GB); --language english reads it all the same"
    ]
    assert run(tmp_path / "two", [{"id": "b", "text": german, "language": "english"}])[0].spoken == 1


def test_a_line_that_failed_once_is_spoken_and_one_that_fails_twice_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("MLX_TTS_HOME", str(tmp_path / "home"))
    install(
        monkeypatch,
        StandInEngine(
            failures={
                "line four. And more. And more. And more. And more.": 1,
                "line six. And more. And more. And more. And more. And more. And more.": 2,
            }
        ),
    )
    outcome, said = run(tmp_path / "out")
    assert (outcome.spoken, outcome.failed) == (19, 1)
    assert said == ["line 7 (line-6) failed: the device is gone"]
    assert results(tmp_path / "out")[6]["status"] == "failed"
    again, _ = run(tmp_path / "out")
    assert (again.spoken, again.there, again.failed) == (1, 19, 0)


def test_a_machine_on_which_everything_fails_stops_the_run(monkeypatch, tmp_path):
    install(monkeypatch, StandInEngine(failures={"This": 1000}))
    many = [{"id": str(number), "text": "This fails."} for number in range(200)]
    with pytest.raises(
        MlxTtsError, match=r"20 lines failed one after the other, the last one because the device is gone"
    ):
        run(tmp_path / "out", many)


def test_other_settings_in_the_same_folder(engine, tmp_path):
    run(tmp_path / "out")
    with pytest.raises(RequestError, match=r"was made with other settings \(rate was null, now 8000\): give the same"):
        run(tmp_path / "out", settings=BatchSettings(model="tiny", rate=8000))
    with pytest.raises(RequestError, match=r"and voice differ too|and .*format differ too"):
        run(tmp_path / "out", settings=BatchSettings(model="tiny", voice="ivy", format="flac"))
    assert run(tmp_path / "out", rows=2)[0].spoken == 0


def test_a_folder_of_something_else(engine, tmp_path):
    (tmp_path / "results.jsonl").write_text("mine")
    with pytest.raises(RequestError, match=r"holds a results.jsonl without run.json, so it is not ours"):
        run(tmp_path)
    (tmp_path / "results.jsonl").unlink()
    (tmp_path / "run.json").write_text("{")
    with pytest.raises(RequestError, match=r"run.json cannot be read as JSON .*: choose another folder"):
        run(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(RequestError, match=r"file is a file: give a folder"):
        run(tmp_path / "file")
    with pytest.raises(RequestError, match=r"cannot make the folder"):
        run(tmp_path / "file" / "out")


def test_a_full_disk_stops_the_run_and_keeps_what_is_done(engine, tmp_path, monkeypatch):
    from mlx_tts.batch import worker

    real, written = worker.write_sound, []

    def write_sound(path, sound):
        if len(written) == 5:
            raise AudioError(f"could not write {path}: the disk is full; nothing was left behind")
        written.append(path)
        return real(path, sound)

    monkeypatch.setattr(worker, "write_sound", write_sound)
    monkeypatch.setattr(
        worker.shutil, "disk_usage", lambda path: os.terminal_size((0, 0)) and type("U", (), {"free": 0})
    )
    with pytest.raises(MlxTtsError, match=r"is full: make room and run it again, what is done is kept"):
        run(tmp_path / "out", rows=1)
    assert len(files(tmp_path / "out")) == len(results(tmp_path / "out")) == 5
    monkeypatch.undo()
    install(monkeypatch, engine)
    assert run(tmp_path / "out")[0].spoken == 15


def test_a_disk_without_room_for_a_row_is_full_too(engine, tmp_path, monkeypatch):
    from mlx_tts.batch import tables, worker

    def no_room(descriptor, data):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(tables, "os", SimpleNamespace(**vars(os) | {"write": no_room}))
        patched.setattr(worker.shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(0, 0, 0))
        with pytest.raises(MlxTtsError, match=r"is full: make room and run it again, what is done is kept"):
            run(tmp_path / "out", rows=1)


def test_interrupted_it_keeps_a_table_of_what_is_done(monkeypatch, tmp_path):
    engine = install(monkeypatch, StandInEngine())
    real = engine.submit

    def submit(request, **options):
        if len(engine.asked) == 12:
            raise KeyboardInterrupt
        return real(request, **options)

    engine.submit = submit
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "out", rows=1)
    made = files(tmp_path / "out")
    assert 5 < len(made) < 13
    assert {row["file"] for row in results(tmp_path / "out")} == set(made)
    engine.submit = real
    assert run(tmp_path / "out")[0].spoken == 20 - len(made)


@pytest.mark.slow
def test_runs_that_share_a_folder_share_the_work(monkeypatch, tmp_path):
    """Two processes at once: no line is lost, and hardly one is made twice."""
    code = (
        "import json, sys; from pathlib import Path\n"
        "from mlx_tts.batch import BatchSettings, run_batch\n"
        "from mlx_tts.batch import worker\n"
        "from tests.helpers.stand_in_engine import StandInEngine\n"
        "engine = StandInEngine(seconds=0.02)\n"
        "worker.load_model = lambda name, rows, offline, log: (engine, 2)\n"
        "worker.machine_of = lambda model: 'a stand-in'\n"
        "lines = [{'id': f'line-{n}', 'text': f'This is line {n}.'} for n in range(120)]\n"
        "print('ready', flush=True); sys.stdin.readline()\n"
        "outcome = run_batch(lines, Path(sys.argv[1]), BatchSettings(model='tiny'))\n"
        "print(outcome.spoken, outcome.there)"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "MLX_TTS_HOME": str(tmp_path / "home")}
    line = [sys.executable, "-c", code, str(tmp_path / "out")]
    runs = [
        subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True)
        for _ in range(2)
    ]
    for process in runs:
        process.stdout.readline()
    for process in runs:
        process.stdin.write("\n")
        process.stdin.flush()
    counts = [tuple(map(int, process.communicate(timeout=120)[0].split())) for process in runs]
    assert [process.returncode for process in runs] == [0, 0]
    assert sum(spoken for spoken, _ in counts) == 120
    assert all(spoken + there == 120 for spoken, there in counts)
    assert all(spoken > 10 for spoken, _ in counts)
    assert len(files(tmp_path / "out")) == len(results(tmp_path / "out")) == 120


def test_a_line_that_another_run_works_on_is_waited_for(engine, tmp_path):
    """What the other run leaves undone when it dies is made here."""
    folder = tmp_path / "out"
    open_folder(folder, TINY_RUN.describe())
    code = (
        "import sys, time; from pathlib import Path; from mlx_tts.batch.run_folder import Claims\n"
        "claims = Claims(Path(sys.argv[1])); assert claims.take('line-3'); print('held', flush=True); time.sleep(60)"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", code, str(folder)], stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert other.stdout.readline() == b"held\n"
    done = []
    thread = threading.Thread(target=lambda: done.append(run(folder)))
    thread.start()
    end = time.monotonic() + 20
    while len(files(folder)) < 19 and time.monotonic() < end:
        time.sleep(0.02)
    time.sleep(0.3)
    assert len(files(folder)) == 19 and not done
    other.kill()
    thread.join(20)
    assert done[0][0].spoken == 20
    other.wait()


def test_a_file_system_without_locks(engine, tmp_path, monkeypatch):
    def lockf(*_arguments):
        raise OSError(37, "No locks available")

    monkeypatch.setattr(fcntl, "lockf", lockf)
    assert run(tmp_path / "out")[0].spoken == 20


@pytest.mark.slow
def test_claims_end_with_their_process(tmp_path):
    claims = Claims(tmp_path)
    assert claims.take("a") and claims.take("b")
    code = (
        "import sys; from pathlib import Path; from mlx_tts.batch.run_folder import Claims\n"
        "claims = Claims(Path(sys.argv[1])); print([claims.take(name) for name in 'abc'])"
    )
    line = [sys.executable, "-c", code, str(tmp_path)]

    def taken_elsewhere():
        done = subprocess.run(line, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
        return done.stdout.strip()

    assert taken_elsewhere() == "[False, False, True]"
    claims.release("a")
    assert taken_elsewhere() == "[True, False, True]"
    claims.close()
    assert taken_elsewhere() == "[True, True, True]"


def test_a_long_line_is_several_pieces_with_pauses_in_one_file(engine, tmp_path):
    text = " ".join(f"This is sentence number {number}, and it goes on for a little while." for number in range(12))
    run(tmp_path / "out", [{"id": "long", "text": text}], rows=3)
    (row,) = results(tmp_path / "out")
    assert row["pieces"] == len(engine.asked) > 2
    assert [number for _, _, number in engine.asked] == list(range(row["pieces"]))
    assert {seed for _, seed, _ in engine.asked} == {row["seed"]}
    assert row["seconds"] > 0.4 * row["pieces"]


@pytest.mark.parametrize("continues", [False, True])
def test_pieces_of_a_model_that_can_continue_have_numbers_unless_they_do(engine, continues):
    """As `speak` has them: the pieces of a cloned voice do not go on from each other, so each has a seed of its own."""
    can = replace(engine.info.can, continues=True)
    engine.info = replace(engine.info, can=can)
    text = " ".join(f"This is sentence number {number}, and it goes on for a little while." for number in range(12))
    checked = engine.check(SpeechRequest(text, voice="ivy", seed=5))
    role = Role("tiny", replace(checked, params=SimpleNamespace(continues=continues)), TINY_RUN)
    task = Task(Line(1, "long", text, "long"), 0, 5, 60.0, "long.wav")
    (line,) = filter(None, speak_lines(engine, iter([task]), lambda _task: role, 3))
    assert line.error is None
    numbers = range(len(line.pieces)) if not continues else [0] * len(line.pieces)
    assert [number for _, _, number in engine.asked] == list(numbers)


@pytest.mark.parametrize(
    ("format", "rate"), [("wav", 8000), ("flac", 16000), ("mp3", 24000), ("opus", 16000), ("ogg", None)]
)
def test_formats_and_rates(engine, tmp_path, format, rate):
    run(tmp_path / "out", LINES[:2], BatchSettings(model="tiny", format=format, rate=rate))
    (row, _) = results(tmp_path / "out")
    info = soundfile.info(tmp_path / "out" / f"line-0.{format}")
    assert (row["file"], info.samplerate) == (f"line-0.{format}", rate or 24_000)
    assert info.duration == pytest.approx(0.4, abs=0.06)


def test_hash_folders(engine, tmp_path):
    settings = BatchSettings(model="tiny", hash_folders=True)
    run(tmp_path / "out", settings=settings)
    paths = [path.relative_to(tmp_path / "out") for path in (tmp_path / "out").rglob("*.wav")]
    assert len(paths) == 20 and all(len(path.parts) == 2 and len(path.parts[0]) == 2 for path in paths)
    assert run(tmp_path / "out", settings=settings)[0].there == 20


def test_loudness(engine, tmp_path):
    run(tmp_path / "out", LINES[:2], BatchSettings(model="tiny", loudness=-23.0))
    assert [row["lufs"] for row in results(tmp_path / "out")] == pytest.approx([-23, -23], abs=0.3)
    assert all(row["peak"] <= -0.9 for row in results(tmp_path / "out"))


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        (BatchSettings(format="aiff"), "format is 'aiff': use wav"),
        (BatchSettings(rate=11025), "rate is 11025: use 8000"),
        (BatchSettings(format="opus", rate=22050), "Opus does not have it"),
        (BatchSettings(loudness=3.0), "loudness is 3: give -40 to -5 LUFS"),
        (BatchSettings(seed=-1), "seed is -1"),
        (BatchSettings(model="nonsense"), "no line can be spoken: line 1 cannot be spoken: unknown model 'nonsense'"),
    ],
)
def test_settings_that_cannot_be(engine, tmp_path, settings, error):
    with pytest.raises(RequestError) as raised:
        run(tmp_path / "out", settings=settings)
    assert error in str(raised.value)
    assert not (tmp_path / "out").exists()


def test_the_progress_ends_with_all_of_it(engine, tmp_path):
    told = []
    run_batch(
        LINES, tmp_path / "out", TINY_RUN, tell=lambda progress: told.append((progress.spoken, progress.made_seconds))
    )
    assert told[-1] == (20, pytest.approx(20 * 0.4))
    assert told == sorted(told)


def test_samples_are_those_of_the_engine(engine, tmp_path):
    from mlx_tts.speech import SpeechRequest

    run(tmp_path / "out", LINES[:1], BatchSettings(model="tiny", loudness="off"))
    samples, _ = soundfile.read(tmp_path / "out" / "line-0.wav", dtype="float32")
    expected = engine.sound(SpeechRequest(LINES[0]["text"], seed=results(tmp_path / "out")[0]["seed"]), 0)
    assert np.abs(samples - expected).max() < 1e-4
