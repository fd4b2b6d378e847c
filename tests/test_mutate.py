"""Faults that scripts/mutate.py plants: each is off until its switch is on, and the tests that reach it are known."""

import json

import pytest

from scripts import mutate

SOURCE = """
def wage(hours, rate=2):
    if hours < 0:
        raise ValueError(
            "hours")
    total = 0
    total += hours * rate
    return f"{total + 1}" if not hours else total
"""
CASES = [(3, 2), (0, 2), (-1, 2)]


@pytest.fixture
def work(tmp_path, monkeypatch):
    """A package of one module, and its copy with a fault in each line that can have one."""
    monkeypatch.setattr(mutate, "ROOT", tmp_path / "root")
    for folder in (tmp_path / "root", tmp_path / "work" / "tree"):
        (folder / "mlx_tts").mkdir(parents=True)
    (tmp_path / "root" / "mlx_tts" / "wages.py").write_text(SOURCE)
    work = mutate.Work(tmp_path / "work")
    faults = mutate.planted(work.tree, 99, 1)
    work.faults_file.write_text(json.dumps([vars(fault) for fault in faults]))
    return work


def outcomes(work, on):
    """What the planted function answers to each case while one fault is on."""
    names = {mutate.SWITCH: lambda number: number == on}
    exec((work.tree / "mlx_tts" / "wages.py").read_text(), names)
    found = []
    for case in CASES:
        try:
            found.append(names["wage"](*case))
        except ValueError:
            found.append("refused")
    return found


def test_each_fault_is_off_until_its_switch_is_on(work):
    assert [fault.line for fault in sorted(work.faults.values(), key=lambda fault: fault.line)] == [2, 3, 4, 6, 7, 8]
    assert outcomes(work, 0) == [6, "1", "refused"]
    changed = {fault.line: outcomes(work, number) for number, fault in work.faults.items()}
    assert all(found != outcomes(work, 0) for line, found in changed.items() if line != 2)
    assert changed[4] == [6, "1", -2]
    assert changed[7][0] in (0, 1.5)


def test_the_tests_that_reach_a_fault_are_asked_near_and_cheap_ones_first(work):
    number = next(number for number, fault in work.faults.items() if fault.line == 3)
    names = {"tests/test_a.py::test_it[1]": 0.1, "tests/test_a.py::test_it[2]": 0.2, "tests/test_a.py::test_dear": 9}
    names |= {"tests/test_wages.py::test_it": 3, "tests/test_a.py::test_long": 1, "tests/test_a.py::test_else": 1}
    with work.tests.open("w") as file:
        for name, seconds in names.items():
            marks = ["long"] if "long" in name else []
            row = {"test": name, "outcome": "passed", "marks": marks, "setup": 0, "call": seconds}
            file.write(json.dumps(row) + "\n")
    reached = [name for name in names if "else" not in name]
    work.hits.write_text("".join(f"{number}\t{name} (call)\n" for name in reached))
    short = ["test_wages.py::test_it", "test_a.py::test_it[1]", "test_a.py::test_dear", "test_a.py::test_it[2]"]
    assert [name.removeprefix("tests/") for name in work.order(number, False)] == short
    assert work.order(number, True) == ["tests/test_a.py::test_long"]
    few = work.within(work.order(number, False), 3, 5)
    assert [name.removeprefix("tests/") for name in few] == [short[0], short[1], short[3]]


def test_what_the_short_run_finds_of_all_that_is_found(work):
    rows = [(1, False, "a"), (2, False, None), (2, True, "b"), (3, False, None), (3, True, None), (4, False, None)]
    row = {"asked": 1, "reaching": 2}
    lines = [json.dumps({"number": n, "long": long, "found": found, **row}) for n, long, found in rows]
    work.record.write_text("\n".join(lines))
    told = work.table()
    assert "| short | 4 | 1 | 25 % |\n| all | 3 | 2 | 67 % |" in told
    assert "Of 2 that all tests find, the short run finds 50%." in told
    assert "- 3 `mlx_tts/wages.py:" in told and "(1 of 2 tests asked)" in told
