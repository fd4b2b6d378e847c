"""scripts/check.py runs tests that judge a time again, alone, where they alone failed; and it ends, whatever hangs."""

import importlib.util
import sys

import pytest

from tests.helpers.paths import ROOT

TESTS = """
import pathlib
import pytest

@pytest.mark.timed
@pytest.mark.smoke("short")
@pytest.mark.parametrize("length", ["short", "long"])
def test_of_time(length):
    again = pathlib.Path(f"again-{{length}}")
    was = again.exists()
    again.touch()
    assert was or {quick} or length == "short", "busy"

@pytest.mark.timed
def test_of_time_that_passes():
    with open("runs", "a") as runs:
        runs.write("x")

def test_other():
    assert {right}
"""


@pytest.fixture(scope="module")
def check_py():
    spec = importlib.util.spec_from_file_location("check_py", ROOT / "scripts" / "check.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
@pytest.mark.smoke("False-True-ok-True", "False-False-FAILED-False")
@pytest.mark.parametrize(
    ("quick", "right", "state", "runs_alone"),
    [
        (True, True, "ok", False),
        (False, True, "ok", True),
        (False, False, "FAILED", False),
        (True, False, "FAILED", False),
    ],
)
def test_a_failure_by_time_alone_is_tried_again(
    check_py, monkeypatch, tmp_path, capfd, quick, right, state, runs_alone
):
    monkeypatch.setitem(check_py.CHECKS, "tests", check_py.PYTEST)
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\nmarkers = ['timed', 'smoke', 'long']\n")
    (tmp_path / "conftest.py").write_text("from tests.conftest import pytest_collection_modifyitems\n")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    (tmp_path / "test_a.py").write_text(TESTS.format(quick=quick, right=right))
    line = check_py.check(sys.executable, "tests", [], tmp_path)
    assert line.startswith(f"tests    {state} (") and ("PASSED ONLY WHEN RUN AGAIN" in line) is runs_alone
    assert ("again and alone" in capfd.readouterr().out) is runs_alone
    assert (tmp_path / "runs").read_text() == "x"  # what had passed is not run again


@pytest.mark.slow
def test_what_fails_alone_as_well_has_failed(check_py, monkeypatch, tmp_path):
    monkeypatch.setitem(check_py.CHECKS, "tests", check_py.PYTEST)
    (tmp_path / "test_a.py").write_text("import pytest\n\n@pytest.mark.timed\ndef test_a():\n    assert False\n")
    assert check_py.check(sys.executable, "tests", [], tmp_path).startswith("tests    FAILED")


HANGS = """
import atexit
import itertools
import time

def test_that_sleeps():
    time.sleep(60)

def test_that_no_signal_ends():
    sum(itertools.repeat(0))

def test_that_passes():
    atexit.register(time.sleep, {seconds})
"""


@pytest.mark.slow
def test_what_hangs_fails_and_the_others_run(check_py, monkeypatch, tmp_path, capfd):
    """The limits are those of check.py, but for their seconds."""
    most = check_py.MOST_SECONDS_A_TEST
    seconds = {f"{most}": "1", f"faulthandler_timeout={most + 60}": "faulthandler_timeout=2"}
    line = [seconds.get(part, part) for part in check_py.PYTEST]
    assert len(set(line) - set(check_py.PYTEST)) == 2
    monkeypatch.setitem(check_py.CHECKS, "tests", [*line, "-n", "2", "--dist", "worksteal", "-p", "tests.conftest"])
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    (tmp_path / "test_a.py").write_text(HANGS.format(seconds=0))
    assert check_py.check(sys.executable, "tests", [], tmp_path).startswith("tests    FAILED (")
    said = capfd.readouterr()
    assert "2 failed, 1 passed" in said.out
    assert "FAILED test_a.py::test_that_sleeps in its call: Failed: Timeout" in said.out
    assert "crashed while running 'test_a.py::test_that_no_signal_ends'" in said.out
    assert "in test_that_no_signal_ends" in said.err  # where it hung


@pytest.mark.slow
def test_a_run_that_does_not_end_is_stopped(check_py, monkeypatch, tmp_path):
    monkeypatch.setitem(check_py.CHECKS, "tests", [*check_py.PYTEST, "test_a.py::test_that_passes"])
    monkeypatch.setattr(check_py, "MOST_SECONDS", 2)
    (tmp_path / "test_a.py").write_text(HANGS.format(seconds=60))
    assert check_py.check(sys.executable, "tests", [], tmp_path).startswith("tests    FAILED: stopped after 2 s")
