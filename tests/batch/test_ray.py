"""How a batch is handed to Ray: blocks of lines, and what is refused before anything is connected."""

import pytest

from mlx_tts.batch.blocks import LEAST_SECONDS, MOST_SECONDS, Blocks
from mlx_tts.batch.lines import Line
from mlx_tts.batch.plan import Task
from mlx_tts.errors import MlxTtsError, RequestError
from mlx_tts.runtime import ray_cluster


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
    with pytest.raises(RequestError, match=r"without a token whoever reaches the cluster can run programs on it"):
        ray_cluster.must_be_safe("127.0.0.1:6379")


def test_without_the_extra(monkeypatch):
    monkeypatch.setattr(ray_cluster, "find_spec", lambda name: None)
    with pytest.raises(RequestError, match=r"pip install 'mlx-tts\[ray\]'"):
        ray_cluster.must_be_safe("auto")


def test_nobody_at_the_address(no_token, monkeypatch):
    monkeypatch.setenv("RAY_AUTH_TOKEN", "x" * 32)
    with (
        pytest.raises(MlxTtsError, match=r"no cluster answers at 127.0.0.1:1 \(Connection refused\)"),
        ray_cluster.connected("127.0.0.1:1"),
    ):
        pass
