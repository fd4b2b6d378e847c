"""scripts/check.py runs tests that judge a time again, alone, where they alone failed."""

import importlib.util
import sys

import pytest

from tests.helpers.paths import ROOT

TESTS = """
import pathlib
import pytest

@pytest.mark.timed
def test_of_time():
    again = pathlib.Path("again")
    was = again.exists()
    again.touch()
    assert was or {quick}, "busy"

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
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\nmarkers = ['timed']\n")
    (tmp_path / "test_a.py").write_text(TESTS.format(quick=quick, right=right))
    line = check_py.check(sys.executable, "tests", [], tmp_path)
    assert line.startswith(f"tests    {state} (") and ("PASSED ONLY WHEN RUN AGAIN" in line) is runs_alone
    assert ("again and alone" in capfd.readouterr().out) is runs_alone
    assert (tmp_path / "runs").read_text() == "x"  # what had passed is not run again


def test_what_fails_alone_as_well_has_failed(check_py, monkeypatch, tmp_path):
    monkeypatch.setitem(check_py.CHECKS, "tests", check_py.PYTEST)
    (tmp_path / "test_a.py").write_text("import pytest\n\n@pytest.mark.timed\ndef test_a():\n    assert False\n")
    assert check_py.check(sys.executable, "tests", [], tmp_path).startswith("tests    FAILED")
