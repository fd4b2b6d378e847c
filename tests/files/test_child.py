"""A parser's child process: it answers, or it is ended at a limit with one line, and nothing is left of it."""

import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from mlx_tts.errors import MlxTtsError, RequestError
from mlx_tts.files import budget, child
from mlx_tts.files.child import keep_warm, let_go, resident_bytes, run_limited
from tests.helpers.paths import ROOT

JOBS = "tests.files.child_jobs"
ONE_SECOND = replace(budget.PARSER_SECONDS, most=1)


def descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd" if sys.platform == "linux" else "/dev/fd").iterdir())


def children() -> set[int]:
    said = subprocess.run(["/bin/ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    pairs = [tuple(map(int, line.split())) for line in said.splitlines()]
    listed = {pid for pid, parent in pairs if parent == os.getpid()}
    return {pid for pid in listed if Path(f"/proc/{pid}").exists() and "ps" not in _name(pid)}


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return "ps"


@pytest.fixture(autouse=True)
def _nothing_is_left():
    before, open_before = children(), descriptors()
    yield
    let_go(JOBS)
    assert children() == before, "a child or a zombie is left"
    assert descriptors() == open_before, "a descriptor is left"


def test_it_answers_with_what_it_was_given():
    data = bytes(range(256)) * 5000
    found, body = run_limited(JOBS, {"do": "echo", "said": "\ud800 é"}, data, "a.epub")
    assert found == {"said": "\ud800 é"} and body == data[::-1]


def test_a_child_that_starts_slowly_gets_all_of_a_large_job(monkeypatch):
    monkeypatch.setattr(child, "LOOK_SECONDS", 0.001)  # many looks before it has read anything
    data = bytes(range(256)) * 12_000
    assert run_limited(JOBS, {"do": "echo", "said": 1}, data, "a.epub")[1] == data[::-1]


@pytest.mark.parametrize(
    ("do", "error", "says"),
    [
        pytest.param(
            "spin",
            RequestError,
            "a.epub takes more than 1 s of the processor to read: that is refused (MLX_TTS_BUDGET=2 ",
            marks=pytest.mark.slow,
        ),
        ("fill", RequestError, "a.epub takes more than 1,000 MB of memory to read: that is refused (MLX_TTS_BUDGET=2 "),
        ("crash", MlxTtsError, "a.epub cannot be read: the process that reads it was ended by signal 11"),
        ("leave", MlxTtsError, "a.epub cannot be read: the process that reads it gave half an answer"),
        ("fail", MlxTtsError, "a.epub cannot be read: the process that reads it ended with 70"),
    ],
)
def test_whatever_a_parser_does_is_one_line(do, error, says, monkeypatch):
    monkeypatch.setattr(budget, "WALL_TIMES", 100)  # on a busy machine the clock would be first
    if do == "fill" and sys.platform != "linux":
        pytest.skip("NOT CHECKED HERE: only Linux holds a process to a limit of memory")
    with pytest.raises(error) as caught:
        run_limited(JOBS, {"do": do}, b"", "a.epub", ONE_SECOND)
    assert str(caught.value).startswith(says) and "\n" not in str(caught.value)


@pytest.mark.timed
def test_one_that_waits_for_ever_is_ended_by_the_clock(monkeypatch):
    monkeypatch.setattr(budget, "WALL_TIMES", 0.5)
    start = time.monotonic()
    with pytest.raises(RequestError, match=r"takes too long to read: it was given up .MLX_TTS_BUDGET=2"):
        run_limited(JOBS, {"do": "sleep"}, b"", "a.epub", ONE_SECOND)
    assert time.monotonic() - start < 5


def test_where_no_process_can_be_started_it_is_one_line(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(MlxTtsError, match="no process can be started to read documents in"):
        run_limited(JOBS, {"do": "echo", "said": ""}, b"", "a.epub")


def test_it_imports_neither_the_models_nor_the_key(monkeypatch):
    """A start method that imports the package again would load MLX, and give a stranger's file the user's keys."""
    monkeypatch.setenv("MLX_TTS_API_KEY", "secret")
    found, _ = run_limited(JOBS, {"do": "modules"}, b"", "a.epub")
    assert not {"mlx.core", "numpy", "typer", "mlx_tts.cli", "mlx_tts.api"} & set(found["modules"])
    assert len(found["modules"]) < 150 and "MLX_TTS_API_KEY" not in found["variables"]


def test_one_that_waits_is_taken_and_replaced():
    keep_warm(JOBS)
    (first,) = {process.pid for process in child._spare.values()}
    assert run_limited(JOBS, {"do": "echo", "said": 1}, b"ab", "a.epub")[1] == b"ba"
    (second,) = {process.pid for process in child._spare.values()}
    assert second != first
    os.kill(second, signal.SIGKILL)  # somebody ends it: the next job starts its own
    while child._spare[JOBS].poll() is None:
        time.sleep(0.01)
    assert run_limited(JOBS, {"do": "echo", "said": 1}, b"ab", "a.epub")[1] == b"ba"
    keep_warm(JOBS)


@pytest.mark.slow
def test_many_threads_have_a_child_each():
    answers: list[bytes] = []
    work = [
        threading.Thread(
            target=lambda n=n: answers.append(run_limited(JOBS, {"do": "echo", "said": n}, b"%d!" % n, "a")[1])
        )
        for n in range(4)
    ]
    for thread in work:
        thread.start()
    for thread in work:
        thread.join()
    assert sorted(answers) == [b"!0", b"!1", b"!2", b"!3"]


def test_ctrl_c_ends_it_at_once():
    code = (
        "import os, sys, threading, time\n"
        "from mlx_tts.files.child import run_limited\n"
        "threading.Timer(1.0, os.killpg, (0, 2)).start()\n"
        "try: run_limited('tests.files.child_jobs', {'do': 'sleep'}, b'', 'a.epub')\n"
        "except KeyboardInterrupt: print('stopped', flush=True)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, start_new_session=True, timeout=30
    )
    assert (done.stdout, done.stderr) == (b"stopped\n", b"")


def test_the_memory_of_another_process_is_told():
    """What macOS goes by."""
    assert 3_000_000 < resident_bytes(os.getpid()) < 8_000_000_000
    assert resident_bytes(2_000_000_000) == 0
