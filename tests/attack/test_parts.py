"""An attack in parts: each case is tried once, the parts go on where they stopped, and their counts are added up."""

import argparse
import importlib.util
import json
import os
import subprocess
import sys
from dataclasses import asdict

import pytest

from tests.attack.harness import Attack, Tally
from tests.helpers.paths import ROOT


@pytest.fixture
def script(monkeypatch):
    """scripts/attack.py, whose cases are not tried but noted in `script.tried`; those that 10 divides are wrong."""
    spec = importlib.util.spec_from_file_location("attack_script", ROOT / "scripts" / "attack.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.tried = []

    def run_attack(_attack, numbers, _seed, _failures, tally):
        for number in numbers:
            module.tried.append(number)
            fault = {number: "bad"} if number % 10 == 0 else {}
            tally.add(Tally(1, 1 - len(fault), fault, float(number), figures={"load": number}))
            yield number

    monkeypatch.setattr(module, "run_attack", run_attack)
    return module


def asked(tmp_path, part, seconds=float("inf"), seed=0):
    return argparse.Namespace(part=part, seconds=seconds, seed=seed, folder=tmp_path, number=None)


def test_parts_try_each_case_once_and_are_added_up(script, tmp_path):
    attack = Attack()
    attack.name = "server"
    for number in (1, 2, 3):
        script.attack_with(attack, 20, asked(tmp_path, (number, 3), seconds=-1))  # one case, and then it is time
        script.attack_with(attack, 20, asked(tmp_path, (number, 3)))
    assert sorted(script.tried) == list(range(20))
    script.attack_with(attack, 5, asked(tmp_path, (1, 1), seed=7))
    whole = script.sum_of(attack, asked(tmp_path, (1, 1)))
    assert (whole.tried, whole.right, whole.faults) == (25, 22, {0: "bad", 10: "bad"})
    assert (whole.most_seconds, whole.figures) == (19.0, {"load": 19})


def test_what_was_wrong_by_the_clock_alone_is_tried_again_alone(script, tmp_path, capsys):
    """10 is wrong again, 11 is right; 12 is wrong in another way, and 13 is of another seed."""
    attack, late = Attack(), "name: another client waits"
    attack.name = "server"
    path, other = tmp_path / "server-5-1of2.json", tmp_path / "server-6-1of2.json"
    path.write_text(json.dumps(asdict(Tally(9, 6, {10: late, 11: late, 12: "name: the server ended"}))))
    other.write_text(json.dumps(asdict(Tally(1, 0, {13: late}))))
    kept = other.read_bytes()
    script.try_alone(attack, argparse.Namespace(seed=5, parts=2, folder=tmp_path))
    assert script.tried == [10, 11]
    tally = script.read_tally(path)
    assert (tally.tried, tally.right, tally.faults) == (9, 7, {10: "bad", 12: "name: the server ended"})
    assert other.read_bytes() == kept
    assert f"server 11, alone: right; beside the others: {late}" in capsys.readouterr().out


@pytest.mark.parametrize(("text", "found"), [("3/8", (3, 8)), ("1/1", (1, 1))])
def test_a_part_is_a_number_of_so_many(script, text, found):
    assert script.part(text) == found


@pytest.mark.parametrize("text", ["0/8", "9/8", "3", "a/b"])
def test_what_is_no_part_is_refused(script, text):
    with pytest.raises(ValueError, match=r"."):
        script.part(text)


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="only Linux says which processors a process may use")
@pytest.mark.parametrize(
    ("parts", "shares"), [(1, [{0, 1, 2, 3}]), (2, [{0, 1}, {2, 3}]), (6, [{0}, {1}, {2}, {3}, {0}, {1}])]
)
def test_parts_share_the_processors(script, monkeypatch, parts, shares):
    given = {}
    monkeypatch.setattr(os, "sched_getaffinity", lambda _process: {0, 1, 2, 3})
    monkeypatch.setattr(os, "sched_setaffinity", given.__setitem__)
    for number in range(parts):
        script.give_processors(100 + number, number, parts)
    assert list(given.values()) == shares


@pytest.mark.slow
def test_all_parts_at_once(tmp_path):
    line = [
        sys.executable,
        "scripts/attack.py",
        "environments",
        "--parts",
        "2",
        "--count",
        "2",
        "--folder",
        str(tmp_path),
    ]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "| environments | 2 | 2 | 0 |" in done.stdout
    assert len(list(tmp_path.glob("environments-0-*of2.json"))) == 2
