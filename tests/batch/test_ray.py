"""How a batch is handed to Ray: blocks of lines, and what is refused before anything is connected."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from mlx_tts.batch import BatchSettings
from mlx_tts.batch.lines import Line
from mlx_tts.batch.plan import Task
from mlx_tts.batch.ray_runner import LEAST_SECONDS, MOST_SECONDS, Blocks, ClusterJob, Maker
from mlx_tts.batch.run import How, prepare
from mlx_tts.batch.run_folder import identity, is_same, open_folder
from mlx_tts.errors import MlxTtsError, RequestError
from mlx_tts.runtime import ray_cluster
from tests.helpers.paths import ROOT
from tests.helpers.stand_in_engine import StandInEngine, install

TINY_RUN = BatchSettings(model="tiny")
HOLD = """
import sys, time
from pathlib import Path
from mlx_tts.batch.run_folder import Claims
claims = Claims(Path(sys.argv[1]))
assert all(map(claims.take, sys.argv[2:]))
print("held", flush=True)
time.sleep(600)
"""


def tasks(*seconds):
    return [Task(Line(n, str(n), "x", str(n)), 0, 0, length, str(n)) for n, length in enumerate(seconds)]


def test_blocks_are_minutes_long_and_small_at_the_end():
    blocks = Blocks(tasks(*[10.0] * 400))
    sizes = []
    while len(blocks):
        sizes.append(sum(task.seconds for task in blocks.take(2)))
    assert sum(sizes) == 4000
    assert sizes[0] == MOST_SECONDS
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] <= LEAST_SECONDS


def test_a_block_that_was_given_back_comes_first():
    blocks = Blocks(tasks(9.0, 8.0, 7.0, 1.0))
    first = blocks.take(1)
    assert [task.seconds for task in first] == [9.0]
    blocks.give_back(first)
    assert [task.seconds for task in blocks.take(1)] == [9.0]
    assert len(blocks) == 3


def test_a_line_that_is_longer_than_a_block_is_a_block():
    assert len(Blocks(tasks(5000.0, 1.0)).take(1)) == 1


@pytest.fixture
def no_token(monkeypatch, tmp_path):
    for name in ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(ray_cluster, "TOKEN_FILE", tmp_path / "none")
    monkeypatch.setattr(ray_cluster, "find_spec", lambda name: True)


@pytest.mark.parametrize("address", ["local", "", "6379", "ray", "host:", ":6379", "host:port"])
def test_it_starts_no_cluster_of_its_own(address, no_token):
    with pytest.raises(
        RequestError, match=r"give the address of a cluster that is running, as in 192.168.1.10:6379, or auto"
    ):
        ray_cluster.must_be_safe(address)


def test_a_cluster_without_a_password_is_refused(no_token, monkeypatch, tmp_path):
    with pytest.raises(RequestError, match=r"has no token here: `ray get-auth-token --generate` makes one"):
        ray_cluster.must_be_safe("127.0.0.1:6379")
    monkeypatch.setenv("RAY_AUTH_TOKEN", "x" * 32)
    ray_cluster.must_be_safe("127.0.0.1:6379")
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    with pytest.raises(RequestError, match=r"without a token anyone who reaches the cluster can run programs on it"):
        ray_cluster.must_be_safe("127.0.0.1:6379")


def test_without_the_extra(monkeypatch):
    monkeypatch.setattr(ray_cluster, "find_spec", lambda name: None)
    with pytest.raises(RequestError, match=r"pip install .*\[ray\]"):
        ray_cluster.must_be_safe("auto")


def test_nobody_at_the_address(no_token, monkeypatch):
    monkeypatch.setenv("RAY_AUTH_TOKEN", "x" * 32)
    with (
        pytest.raises(MlxTtsError, match=r"no cluster answers at 127.0.0.1:1 \(Connection refused\)"),
        ray_cluster.connected("127.0.0.1:1"),
    ):
        pass


def test_a_machine_knows_the_folder_by_its_identity(tmp_path):
    shared, other = tmp_path / "shared", tmp_path / "other"
    shared.mkdir()
    other.mkdir()
    name = identity(shared)
    assert identity(shared) == name != identity(other)
    assert is_same(shared, name)
    assert not is_same(other, name)
    assert not is_same(tmp_path / "not-there", name)


def test_what_a_lost_machine_claimed_is_made_all_the_same(tmp_path, monkeypatch):
    """Its claims are held by another process, as by a machine that is silent but not dead."""
    monkeypatch.setenv("MLX_TTS_HOME", str(tmp_path / "home"))
    engine = install(monkeypatch, StandInEngine())
    out = tmp_path / "out"
    run = prepare([{"id": name, "text": f"This is {name}."} for name in ("a", "b")], out, TINY_RUN, How())
    open_folder(out, run.settings.describe())
    roles = run.plan.roles
    maker = Maker(ClusterJob(out, identity(out), run.settings, roles, roles[0].model, How(offline=True)))
    maker.ready()
    holder = subprocess.Popen([sys.executable, "-c", HOLD, str(out), "a", "b"], stdout=subprocess.PIPE, cwd=ROOT)
    try:
        assert holder.stdout.readline() == b"held\n"
        made = ThreadPoolExecutor(1).submit(maker.make, list(run.plan.tasks), frozenset("ab"))
        rows, elsewhere = made.result(timeout=20)
    finally:
        holder.kill()
        holder.wait()
    assert (sorted(row["id"] for row in rows), elsewhere) == (["a", "b"], 0)
    assert len(engine.asked) == 2
