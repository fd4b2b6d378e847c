"""What tests cost is counted, parts are made by it, an unmarked test may not cost much; actions are pinned."""

import os
import re
import subprocess
import sys
import time

import pytest
import yaml

from tests.helpers.paths import ROOT
from tests.helpers.processor_time import processor_seconds, read_record, split

BUSY = "import time\nuntil = time.process_time() + 0.3\nwhile time.process_time() < until: pass"


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


def test_parts_hold_every_file_once_and_take_about_as_long():
    seconds = {f"test_{number}.py": number % 7 + 0.5 for number in range(40)}
    parts = split(seconds, 3)
    assert sorted(name for part in parts for name in part) == sorted(seconds)
    sums = [sum(seconds[name] for name in part) for part in parts]
    assert max(sums) - min(sums) <= 1


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
    line += ["--most-seconds", "0.2", "--processor-time", tmp_path / "record"]
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


@pytest.mark.parametrize("path", sorted((ROOT / ".github" / "workflows").glob("*.yml")), ids=lambda path: path.name)
def test_every_action_is_pinned_by_its_commit(path):
    text = path.read_text(encoding="utf-8")
    assert yaml.safe_load(text)["permissions"] == {"contents": "read"}
    used = re.findall(r"uses: (\S+)(.*)", text)
    assert used
    for action, comment in used:
        assert action.startswith("./") or re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", action), action
        assert action.startswith("./") or re.fullmatch(r" # v\d+\.\d+\.\d+.*", comment), f"{action}: say which version"
