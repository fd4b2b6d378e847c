"""What tests cost is counted and stored, parts are made by it, and an unmarked test may not cost much."""

import json
import os
import re
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

from scripts import processor_times
from tests.conftest import pytest_xdist_auto_num_workers
from tests.helpers import processor_time
from tests.helpers.paths import ROOT
from tests.helpers.processor_time import processor_seconds, read_record, split

BUSY = "import time\nuntil = time.process_time() + 0.3\nwhile time.process_time() < until: pass"


@pytest.mark.slow
def test_children_are_counted_while_they_run_and_when_they_have_ended():
    before = processor_seconds()
    subprocess.run([sys.executable, "-c", BUSY], check=True)
    assert processor_seconds() - before >= 0.3
    if not os.path.isdir("/proc/self/task"):  # noqa: PTH112
        pytest.skip("NOT CHECKED: without /proc only children that have ended are counted")
    before = processor_seconds()
    child = subprocess.Popen([sys.executable, "-c", f"{BUSY}\ntime.sleep(60)"])
    try:
        until = time.monotonic() + 30
        while processor_seconds() - before < 0.3:
            assert time.monotonic() < until
            time.sleep(0.01)
    finally:
        child.kill()
        child.wait()


def test_a_worker_more_than_there_are_cores(monkeypatch):
    monkeypatch.delenv("PYTEST_XDIST_AUTO_NUM_WORKERS", raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _process: {0, 3}, raising=False)
    assert pytest_xdist_auto_num_workers() == 3
    monkeypatch.setenv("PYTEST_XDIST_AUTO_NUM_WORKERS", "2")
    assert pytest_xdist_auto_num_workers() is None  # xdist reads it


def test_parts_hold_every_file_once_and_take_about_as_long():
    seconds = {f"test_{number}.py": number % 7 + 0.5 for number in range(40)}
    parts = split(seconds, 3)
    assert sorted(name for part in parts for name in part) == sorted(seconds)
    sums = [sum(seconds[name] for name in part) for part in parts]
    assert max(sums) - min(sums) <= 1


def test_what_nobody_asks_for_is_not_measured():
    assert processor_time.measured_phases("record.jsonl", None) == ("setup", "call", "teardown")
    assert processor_time.measured_phases(None, 2.0) == ("call",)
    assert processor_time.measured_phases(None, None) == ()


def recorded(path, **tests):
    """A record of tests, by name: the seconds of the call and the marks of each."""
    lines = [
        {"test": f"tests/test_{name}.py::test_it", "setup": 0.5, "call": call, "teardown": 0.0, "marks": list(marks)}
        for name, (call, *marks) in tests.items()
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_what_tests_cost_is_stored_for_both_runs_and_told_in_a_table(tmp_path, monkeypatch):
    stored, page = tmp_path / "stored.json", tmp_path / "page.md"
    page.write_text(f"before\n{processor_times.BEGIN}old\n{processor_times.END}after\n")
    for module in (processor_times, processor_time):
        monkeypatch.setattr(module, "STORED", stored)
    monkeypatch.setattr(processor_times, "PAGE", page)
    record = recorded(tmp_path / "record", a=(1.0,), b=(3.0, "slow"), c=(9.5, "long", "slow"))
    assert processor_times.main([str(record)]) == 0
    short = {"tests/test_a.py": 1.5, "tests/test_b.py": 3.5}
    assert json.loads(stored.read_text()) == {"all": {**short, "tests/test_c.py": 10.0}, "short": short}
    told = page.read_text()
    assert told.startswith("before\n") and told.endswith("after\n") and "old" not in told
    assert "| unmarked | 1 | 2 |\n| slow | 1 | 4 |\n| long | 1 | 10 |\n" in told
    assert "| `test_c.py` | 10 | 0 | `test_it` | 9.5 |\n| `test_b.py` | 4 | 4 | `test_it` | 3.0 |\n" in told
    assert processor_times.main([str(recorded(tmp_path / "more", b=(1.0, "slow"))), "--some"]) == 0
    short["tests/test_b.py"] = 1.5
    assert json.loads(stored.read_text()) == {"all": {**short, "tests/test_c.py": 10.0}, "short": short}
    assert page.read_text() == told


def test_a_run_of_some_tests_leaves_the_seconds_of_the_others(tmp_path, monkeypatch):
    """The short run of a file says nothing of its `long` tests, and they alone say nothing of the short run."""
    stored = tmp_path / "stored.json"
    for module in (processor_times, processor_time):
        monkeypatch.setattr(module, "STORED", stored)
    before = {"all": {"tests/test_a.py": 40.0, "tests/test_b.py": 7.0}, "short": {"tests/test_a.py": 10.0}}
    stored.write_text(json.dumps(before))
    assert processor_times.main([str(recorded(tmp_path / "short", a=(3.5, "slow"))), "--some"]) == 0
    assert json.loads(stored.read_text()) == {
        "all": {"tests/test_a.py": 34.0, "tests/test_b.py": 7.0},
        "short": {"tests/test_a.py": 4.0},
    }
    assert processor_times.main([str(recorded(tmp_path / "long", a=(1.5, "long"), c=(1.0, "long"))), "--some"]) == 0
    assert json.loads(stored.read_text()) == {
        "all": {"tests/test_a.py": 6.0, "tests/test_b.py": 7.0, "tests/test_c.py": 1.5},
        "short": {"tests/test_a.py": 4.0},
    }


@pytest.mark.parametrize(("work", "times"), [(0.5, 1.0), (1.0, 1.0), (3.0, 3.0)], ids=["quicker", "the same", "slower"])
def test_a_slower_machine_may_take_longer(monkeypatch, work, times):
    monkeypatch.setattr(processor_time, "_work", lambda: work * processor_time.WORK_SECONDS)
    assert processor_time.slowness() == pytest.approx(times)
    assert "took 5.0 s" in reported(5.0) if times < 2.5 else reported(5.0) == ""
    assert "at most 6.0 s are allowed" in reported(7.0) if times == 3.0 else "at most 2.0 s" in reported(7.0)


def reported(seconds: float) -> str:
    """What the plugin says of a test without a mark that passed and took so many seconds of the processor."""
    item = SimpleNamespace(
        nodeid="test_it",
        user_properties=[("processor_call", seconds)],
        config=SimpleNamespace(getoption={"most_seconds": 2.0}.get),
        get_closest_marker=lambda _name: None,
    )
    hook = processor_time.pytest_runtest_makereport(item)
    next(hook)
    report = SimpleNamespace(when="call", passed=True, longrepr="")
    with pytest.raises(StopIteration):
        hook.send(report)
    return report.longrepr


@pytest.mark.slow
def test_no_long_test_begins_too_late(tmp_path):
    (tmp_path / "test_it.py").write_text(
        "import pytest\n\ndef test_short(): pass\n\n@pytest.mark.long\ndef test_long(): pass\n"
    )
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n    long: costs most\n")
    line = [sys.executable, "-m", "pytest", "-rs", "-p", "tests.helpers.processor_time", "-c", tmp_path / "pytest.ini"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}

    def said(seconds):
        line_now = [*line, "--long-until", seconds, tmp_path]
        return subprocess.run(line_now, capture_output=True, text=True, cwd=tmp_path, env=environment).stdout

    assert "2 passed" in said("900")
    late = said("0")
    assert "1 passed, 1 skipped" in late and "NOT RUN: 0 s were over" in late and "error" not in late


@pytest.mark.slow
def test_an_unmarked_test_that_costs_much_fails(tmp_path):
    busy = "\n    ".join(BUSY.splitlines())
    (tmp_path / "test_it.py").write_text(
        f"import pytest\n\ndef test_plain():\n    {busy}\n\n@pytest.mark.slow\ndef test_marked():\n    {busy}\n"
        f"\n@pytest.fixture\ndef made():\n    {busy}\n\ndef test_of_a_costly_fixture(made): pass\n"
    )
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n    slow: costs more\n")
    line = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "tests.helpers.processor_time",
        "-c",
        tmp_path / "pytest.ini",
        tmp_path,
    ]
    line += ["--most-seconds", "0.02", "--processor-time", tmp_path / "record"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(line, capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert "1 failed, 2 passed" in done.stdout, done.stdout
    assert re.search(r"test_plain took 0\.\d s of the processor and is not marked", done.stdout)
    found = {test["test"].partition("::")[2]: test for test in read_record(tmp_path / "record")}
    assert {name: test["outcome"] for name, test in found.items()} == {
        "test_plain": "failed",
        "test_marked": "passed",
        "test_of_a_costly_fixture": "passed",
    }
    assert found["test_of_a_costly_fixture"]["setup"] >= 0.2 > found["test_of_a_costly_fixture"]["call"]
