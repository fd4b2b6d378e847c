"""Batches on real Ray nodes that are really killed: the files of the local run, and every line once."""

import json
import os
import random
import re
import secrets
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.helpers.closed_network import closed_network
from tests.helpers.paths import ROOT
from tests.helpers.ray_nodes import RayNodes, must_have_ray

pytestmark = [pytest.mark.long, pytest.mark.slow]

TEXTS = ("Good morning.", "The bridge is closed today.", "We walked along the river, and nobody knew why.")
LINES = [{"id": f"line-{number}", "text": TEXTS[number % 3], "seed": number} for number in range(30)]
MANY = [{"id": f"more-{number}", "text": TEXTS[number % 3], "seed": number} for number in range(120)]
MOMENTS = sorted(random.Random(20).sample(range(1, 21), 3))  # lines that are made when a node is killed
NOTICED_SECONDS = 5.0
SILENT_SECONDS = 10.0  # three questions without an answer, at a load that other tests make


@pytest.fixture(scope="module")
def network():
    must_have_ray("batches on Ray nodes")
    with closed_network():
        yield


@pytest.fixture(scope="module")
def work(network, tmp_path_factory):
    """A folder with the lines, and with what a run without Ray makes of them."""
    folder = tmp_path_factory.mktemp("ray")
    write_lines(folder / "lines.jsonl", LINES)
    make_here(folder, "lines.jsonl", "local")
    return folder


@pytest.fixture(scope="module")
def cluster(work):
    nodes = RayNodes(work)
    try:
        nodes.head()
        yield nodes
    finally:
        nodes.close()


@pytest.fixture
def nodes(cluster):
    """A head and one node; the other nodes of a test are gone after it."""
    alive = [mark for mark in cluster.marks[1:] if is_alive(cluster, mark)]
    for mark in alive[1:]:
        cluster.kill(mark)
    if not alive:
        cluster.node()
    return cluster


def is_alive(cluster, mark):
    return cluster.kill(mark, 0) > 2


def write_lines(path, lines):
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def make_here(folder, source, out):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "MLX_TTS_HOME": str(folder)}
    command = [sys.executable, "-m", "mlx_tts", "batch", source, "--model", "tiny", "-o", out]
    subprocess.run(command, cwd=folder, env=environment, check=True, timeout=600)


def start(nodes, work, out, source="lines.jsonl", **environment):
    command = [sys.executable, "-m", "mlx_tts", "batch", source, "--model", "tiny", "-o", out, "--ray", nodes.address]
    return subprocess.Popen(
        command, cwd=work, env={**nodes.environment, **environment}, stderr=subprocess.PIPE, text=True
    )


def finish(run, seconds=300):
    """What a run says until its end, which comes by itself."""
    try:
        return run.communicate(timeout=seconds)[1]
    finally:
        run.kill()


def files(folder: Path):
    return {path.name: path.read_bytes() for path in folder.glob("*.wav")}


def results(folder: Path):
    return [json.loads(line) for line in (folder / "results.jsonl").read_text(encoding="utf-8").splitlines()]


def must_equal(folder: Path, local: Path, lines=LINES):
    """Every line once, in its order, and file and row to the byte those of the local run."""
    assert files(folder) == files(local)
    made, expected = results(folder), results(local)
    assert [row["id"] for row in made] == [line["id"] for line in lines]
    for row in made + expected:
        assert row.pop("worker")
    assert made == expected
    assert not list(folder.glob("*.unfinished"))


def wait_for(condition, seconds=120.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.02)


def workers(folder):
    """How many processes have finished a line so far."""
    return len(list((folder / "tables").glob("*.jsonl")))


def seconds_until(run, word):
    """How long it takes until a run says a word."""
    begin = time.monotonic()
    while word not in (line := run.stderr.readline()):
        assert line, f"the run ended without {word!r}"
    return time.monotonic() - begin


def test_one_node_makes_what_a_local_run_makes(nodes, work):
    run = start(nodes, work, "one")
    error = finish(run)
    assert run.returncode == 0, error
    must_equal(work / "one", work / "local")


@pytest.mark.parametrize("made", MOMENTS)
def test_a_node_that_is_killed_loses_no_line(nodes, work, made):
    victim = nodes.node()
    out = work / f"killed-{made}"
    run = start(nodes, work, out.name)
    try:
        wait_for(lambda: len(files(out)) >= made and workers(out) == 2)
        assert nodes.kill(victim) > 3
        assert seconds_until(run, "lost a machine") < NOTICED_SECONDS
    finally:
        error = finish(run)
    assert run.returncode == 0, error
    must_equal(out, work / "local")


def test_a_node_that_falls_silent_loses_no_line(nodes, work):
    """As a machine whose cable is pulled: nothing says that it is gone, and what it claimed stays claimed."""
    victim = nodes.node()
    out = work / "silent"
    run = start(nodes, work, out.name)
    try:
        wait_for(lambda: len(files(out)) >= 4 and workers(out) == 2)
        assert nodes.kill(victim, signal.SIGSTOP) > 3
        assert seconds_until(run, "lost a machine") < SILENT_SECONDS
        error = finish(run)
    finally:
        run.kill()
        nodes.kill(victim)
    assert run.returncode == 0, error
    must_equal(out, work / "local")


def test_a_third_node_that_joins_and_dies(nodes, work):
    write_lines(work / "many.jsonl", MANY)
    make_here(work, "many.jsonl", "many-local")
    nodes.node()
    out = work / "third"
    run = start(nodes, work, out.name, "many.jsonl")
    try:
        wait_for(lambda: workers(out) == 2)
        before = len(files(out))
        third = nodes.node()
        wait_for(lambda: workers(out) == 3)
        assert before < len(files(out)) < len(MANY), "it joined before the run or after it"
        nodes.kill(third)
        assert seconds_until(run, "lost a machine") < NOTICED_SECONDS
    finally:
        error = finish(run)
    assert run.returncode == 0, error
    must_equal(out, work / "many-local", MANY)


def test_a_node_that_joins_gets_work(nodes, work):
    """Nothing is lost where all machines are gone for a while."""
    for mark in nodes.marks[1:]:
        nodes.kill(mark)
    run = start(nodes, work, "joined")
    try:
        time.sleep(3)
        assert run.poll() is None
        nodes.node()
        error = finish(run)
    finally:
        run.kill()
    assert run.returncode == 0, error
    must_equal(work / "joined", work / "local")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_run_that_is_interrupted_goes_on(nodes, work, number):
    out = work / f"interrupted-{number}"
    run = start(nodes, work, out.name)
    wait_for(lambda: len(files(out)) >= 2)
    run.send_signal(number)
    error = finish(run, 60)
    if number != signal.SIGKILL:
        assert run.returncode == 130, error
        assert "interrupted: what is done is kept" in error
        assert "Traceback" not in error
        assert len(results(out)) >= 1
    made = files(out)
    assert 2 <= len(made) < len(LINES)
    assert made.items() <= files(work / "local").items()
    again = start(nodes, work, out.name)
    error = finish(again)
    assert again.returncode == 0, error
    assert int(re.search(r"([\d,]+) of 30 lines are there already", error)[1]) >= 1
    must_equal(out, work / "local")


def test_a_wrong_token_is_refused_by_the_cluster(nodes, work):
    wrong = work / "wrong-token"
    wrong.write_text(secrets.token_hex(16))
    run = start(nodes, work, "stranger", RAY_AUTH_TOKEN_PATH=str(wrong))
    error = finish(run, 90)
    assert run.returncode == 1, error
    assert "does not take the token of this machine" in error
    assert len(error.splitlines()) == 1, error
    assert not list(work.glob("stranger/*.wav"))


def test_a_cluster_without_a_token_is_refused(work, tmp_path):
    open_cluster = RayNodes(tmp_path, token=False)
    try:
        open_cluster.head()
        run = start(open_cluster, work, "open", RAY_AUTH_MODE="token")
        error = finish(run, 90)
    finally:
        open_cluster.close()
    assert run.returncode == 1, error
    assert "lets everybody in: anyone who reaches it can run programs on it" in error
    assert len(error.splitlines()) == 1, error
    assert not list(work.glob("open/*.wav"))


@pytest.mark.timed
def test_a_head_that_dies_ends_the_run_with_what_is_done(nodes, work):
    out = work / "headless"
    run = start(nodes, work, out.name)
    wait_for(lambda: len(files(out)) >= 2)
    nodes.kill(nodes.marks[0])
    killed = time.monotonic()
    error = finish(run, 90)
    assert run.returncode == 1
    assert time.monotonic() - killed < 30
    assert "the head of the cluster does not answer any more: what is done is kept, run it again" in error
    assert "Traceback" not in error
    kept = [row for row in results(out) if row["status"] == "ok"]
    assert len(kept) >= 2
    local = {row["id"]: row["sha256"] for row in results(work / "local")}
    assert all(local[row["id"]] == row["sha256"] for row in kept)
