"""Batches on real Ray nodes that are really killed: the files of the local run, and every line once."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import warnings
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.helpers.paths import ROOT

TEXTS = ("Good morning.", "The bridge is closed today.", "We walked along the river, and nobody knew why.")
LINES = [{"id": f"line-{number}", "text": TEXTS[number % 3], "seed": number} for number in range(30)]


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    if find_spec("ray") is None or not sys.platform.startswith("linux"):
        message = "NOT CHECKED: batches on Ray nodes, because Ray is not installed or this is no Linux"
        warnings.warn(message, stacklevel=1)
        pytest.skip(message)
    folder = tmp_path_factory.mktemp("ray")
    (folder / "lines.jsonl").write_text("".join(json.dumps(line) + "\n" for line in LINES))
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "MLX_TTS_HOME": str(folder)}
    command = [sys.executable, "-m", "mlx_tts", "batch", "lines.jsonl", "--model", "tiny", "-o", "local"]
    subprocess.run(command, cwd=folder, env=environment, check=True, timeout=300)
    return folder


@pytest.fixture(scope="module")
def nodes(work):
    from tests.helpers.ray_nodes import RayNodes

    nodes = RayNodes(work)
    try:
        nodes.head()
        yield nodes
    finally:
        nodes.close()


def start(nodes, work, out, *options):
    command = [sys.executable, "-m", "mlx_tts", "batch", "lines.jsonl", "--model", "tiny", "-o", out]
    return subprocess.Popen(
        [*command, "--ray", nodes.address, *options],
        cwd=work,
        env=nodes.environment,
        stderr=subprocess.PIPE,
        text=True,
    )


def files(folder: Path):
    return {path.name: path.read_bytes() for path in folder.glob("*.wav")}


def results(folder: Path):
    return [json.loads(line) for line in (folder / "results.jsonl").read_text(encoding="utf-8").splitlines()]


def wait_for(condition, seconds=120.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.05)


def test_one_node_makes_what_a_local_run_makes(nodes, work):
    nodes.node()
    run = start(nodes, work, "one")
    error = run.communicate(timeout=300)[1]
    assert run.returncode == 0, error
    assert files(work / "one") == files(work / "local")
    assert [row["status"] for row in results(work / "one")] == ["ok"] * len(LINES)
    assert not list((work / "one").glob(".ray-*"))


@pytest.mark.parametrize("made", [1, 8, 16])
def test_a_node_that_is_killed_loses_no_line(nodes, work, made):
    victim = nodes.node()
    out = f"killed-{made}"
    run = start(nodes, work, out)
    try:
        wait_for(lambda: len(files(work / out)) >= made and len(list((work / out / "tables").glob("*"))) == 2)
        killed = time.monotonic()
        assert nodes.kill(victim) > 2
        line = ""
        while "lost a machine" not in line:
            line = run.stderr.readline()
            assert line, "the run ended without a word of the loss"
        noticed = time.monotonic() - killed
        run.communicate(timeout=300)
    finally:
        run.kill()
    assert run.returncode == 0
    assert noticed < 5
    assert files(work / out) == files(work / "local")
    assert len(results(work / out)) == len({row["id"] for row in results(work / out)}) == len(LINES)


def test_a_node_that_joins_gets_work(nodes, work):
    """Nothing is lost where all machines are gone for a while."""
    for mark in nodes.marks[1:]:
        nodes.kill(mark)
    run = start(nodes, work, "joined")
    try:
        time.sleep(3)
        assert run.poll() is None
        nodes.node()
        error = run.communicate(timeout=300)[1]
    finally:
        run.kill()
    assert run.returncode == 0, error
    assert files(work / "joined") == files(work / "local")


def test_ctrl_c_keeps_what_is_done(nodes, work):
    run = start(nodes, work, "interrupted")
    wait_for(lambda: len(files(work / "interrupted")) >= 2)
    run.send_signal(signal.SIGTERM)
    error = run.communicate(timeout=60)[1]
    assert run.returncode == 130, error
    assert "interrupted: what is done is kept" in error
    made = files(work / "interrupted")
    assert made.items() <= files(work / "local").items()
    again = start(nodes, work, "interrupted")
    error = again.communicate(timeout=300)[1]
    assert again.returncode == 0, error
    assert int(re.search(r"([\d,]+) of 30 lines are there already", error)[1]) >= 2
    assert files(work / "interrupted") == files(work / "local")


def test_a_head_that_dies_ends_the_run_with_what_is_done(nodes, work):
    run = start(nodes, work, "headless")
    wait_for(lambda: len(files(work / "headless")) >= 2)
    nodes.kill(nodes.marks[0])
    error = run.communicate(timeout=90)[1]
    assert run.returncode == 1
    assert "the head of the cluster does not answer any more: what is done is kept, run it again" in error
    assert "Traceback" not in error
    kept = [row for row in results(work / "headless") if row["status"] == "ok"]
    assert len(kept) >= 2
    local = {row["id"]: row["sha256"] for row in results(work / "local")}
    assert all(local[row["id"]] == row["sha256"] for row in kept)
