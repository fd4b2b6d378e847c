"""`serve --ray` on a real Ray cluster of one node, on a network of its own with nothing but 127.0.0.1."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from mlx_tts.errors import RequestError
from mlx_tts.server.on_ray import must_fit
from mlx_tts.server.settings import ServerSettings
from tests.helpers.closed_network import closed_network
from tests.helpers.ray_nodes import RayNodes, free_port, must_have_ray
from tests.server.conftest import LONG_TEXT, RunningServer, running

SPEECH = "/v1/audio/speech"


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        (ServerSettings(wyoming_port=10200), "--wyoming does not work on a cluster"),
        (ServerSettings(port=0), "--port is 0: name the port that the cluster is to listen on"),
    ],
)
def test_what_a_cluster_does_not_have_is_refused(settings, error):
    with pytest.raises(RequestError, match=error):
        must_fit(settings)


@pytest.fixture(scope="module")
def nodes(tmp_path_factory):
    must_have_ray("serve --ray")
    with closed_network():
        nodes = RayNodes(tmp_path_factory.mktemp("serve-ray"))
        try:
            nodes.head()
            nodes.node()
            yield nodes
        finally:
            nodes.close()


def start(nodes, *options, model="tiny", **environment):
    command = [sys.executable, "-m", "mlx_tts", "serve", "--model", model, "--ray", nodes.address, *options]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**nodes.environment, "HF_HUB_OFFLINE": "1", **environment},
    )
    return RunningServer(process, nodes.folder)


@pytest.fixture(scope="module")
def server(nodes):
    server = start(nodes, "--port", str(free_port()))
    try:
        wait_until_it_says_where(server)
        yield server
    finally:
        if server.process.poll() is None:
            server.stop()
        server.process.kill()


def said(server):
    """What stands on its standard error, but for what Ray says of a network without a way out."""
    return [line for line in server.log if "Failed to determine local IP" not in line]


def wait_until_it_says_where(server, seconds=180.0):
    until = time.monotonic() + seconds
    while not server.lines:
        assert server.process.poll() is None and time.monotonic() < until, "\n".join(server.log)
        time.sleep(0.05)


def refused(nodes, *options, **environment):
    """The exit code and what is said of a server that does not start."""
    server = start(nodes, *options, **environment)
    try:
        code = server.process.wait(90)
        time.sleep(0.2)
        assert server.lines == []
        return code, "\n".join(said(server))
    finally:
        server.process.kill()


@pytest.fixture(scope="module")
def plain(nodes, tmp_path_factory):
    """The server of one machine, to compare with."""
    with running(tmp_path_factory.mktemp("plain"), "--model", "tiny") as server:
        server.wait_until_ready()
        yield server


@pytest.mark.slow
class TestServing:
    """In the order of a day: all share one deployment, and the last test stops it."""

    def test_one_address_that_is_ready_when_it_is_named(self, server):
        assert server.lines == [f"serving on {server.url}"]
        health = httpx.get(f"{server.url}/health").json()
        assert (health["status"], health["service"]) == ("ok", "mlx-tts")
        assert httpx.get(f"{server.url}/ready").json() == {"status": "ready", "model": "tiny"}

    @pytest.mark.parametrize("kind", ["wav", "pcm", "flac"])
    def test_it_says_what_a_plain_server_says(self, server, plain, kind):
        body = {"input": "Good morning.", "voice": "ivy", "seed": 7, "response_format": kind}
        ours, theirs = server.post(**body), plain.post(**body)
        assert ours.status_code == theirs.status_code == 200
        assert ours.content == theirs.content
        assert ours.headers["content-type"] == theirs.headers["content-type"]

    def test_errors_are_those_of_a_plain_server(self, server, plain):
        for body in ({"input": ""}, {"input": "Hi.", "voice": "nobody"}, {"input": "Hi.", "model": "none"}):
            ours, theirs = server.post(**body), plain.post(**body)
            assert (ours.status_code, ours.json()) == (theirs.status_code, theirs.json())
        assert httpx.get(f"{server.url}/health", headers={"Host": "evil.example"}).status_code == 421

    def test_sound_comes_chunk_by_chunk(self, server):
        body = {"input": LONG_TEXT, "voice": "ivy", "seed": 1, "response_format": "pcm"}
        begin, times, size = time.monotonic(), [], 0
        with httpx.stream("POST", f"{server.url}{SPEECH}", json=body, timeout=120) as answer:
            for data in answer.iter_raw():
                times.append(time.monotonic() - begin)
                size += len(data)
        assert len(times) > 10
        assert times[0] < 0.3 * times[-1]
        assert size > 20 * 48_000  # seconds of speech

    def test_events_come_as_they_are_made(self, server):
        body = {"input": "Good morning.", "seed": 1, "response_format": "pcm", "stream_format": "sse"}
        with httpx.stream("POST", f"{server.url}{SPEECH}", json=body, timeout=60) as answer:
            events = [json.loads(line[6:]) for line in answer.iter_lines() if line.startswith("data: ")]
        assert [event["type"] for event in events][-1] == "speech.audio.done"
        assert {event["type"] for event in events[:-1]} == {"speech.audio.delta"}

    def test_a_client_that_goes_frees_its_row(self, server):
        body = {"input": LONG_TEXT, "response_format": "pcm"}
        with httpx.stream("POST", f"{server.url}{SPEECH}", json=body, timeout=60) as answer:
            parts = answer.iter_raw()
            next(parts)
            assert server.metric("mlx_tts_active_streams") == 1
        server.wait_for_metric("mlx_tts_active_streams", 0)

    def test_a_replica_that_is_killed_is_replaced(self, server):
        (old,) = replicas()
        os.kill(old, signal.SIGKILL)
        body = {"input": "Good morning.", "seed": 7, "response_format": "pcm"}
        until = time.monotonic() + 90
        while not (set(replicas()) - {old} and speaks(server, body)):
            assert time.monotonic() < until, "no other replica came"
            time.sleep(0.2)

    def test_what_is_being_spoken_ends_before_it_stops(self, server):
        body = {"input": LONG_TEXT, "voice": "ivy", "seed": 1, "response_format": "pcm"}
        whole = server.post(**body).content
        begun = threading.Event()

        def read():
            data = b""
            with httpx.stream("POST", f"{server.url}{SPEECH}", json=body, timeout=120) as answer:
                for part in answer.iter_raw():
                    data += part
                    begun.set()
            return data

        with ThreadPoolExecutor(1) as pool:
            reading = pool.submit(read)
            assert begun.wait(30)
            server.process.send_signal(signal.SIGTERM)
            assert reading.result(120) == whole
        assert server.process.wait(60) == 0
        assert said(server) == []
        with pytest.raises(httpx.ConnectError):
            httpx.get(f"{server.url}/health")
        assert replicas() == []


def replicas():
    """The processes of the deployment's replicas."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                if (entry / "cmdline").read_bytes().startswith(b"ray::ServeReplica:mlx-tts:mlx-tts"):
                    found.append(int(entry.name))
    return found


def speaks(server, body):
    try:
        return server.post(**body).status_code == 200
    except httpx.HTTPError:
        return False


@pytest.mark.slow
def test_it_needs_a_token(nodes, tmp_path):
    code, error = refused(nodes, "--port", "8880", RAY_AUTH_TOKEN_PATH=str(tmp_path / "none"))
    assert code == 2
    assert "the cluster has no token here" in error


@pytest.mark.slow
def test_a_port_that_is_taken(nodes):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, error = refused(nodes, "--port", str(port))
    assert code == 1
    assert f"cannot listen on 127.0.0.1:{port} (Failed to bind to address" in error
    assert len(error.splitlines()) == 1, error


@pytest.mark.slow
def test_a_model_that_no_machine_has(nodes, tmp_path):
    code, error = refused(
        nodes, "--port", str(free_port()), "--offline", model="1.7b-custom-8bit", HF_HOME=str(tmp_path)
    )
    assert code == 1
    assert "the cluster could not start a replica: 1.7b-custom-8bit is not on disk and the network is off" in error
    assert len(error.splitlines()) == 1, error


@pytest.mark.slow
def test_what_a_killed_command_left_is_replaced(nodes):
    """It is the deployment that serves, not the command, so it goes on after the command was killed."""
    port = free_port()
    first = start(nodes, "--port", str(port))
    wait_until_it_says_where(first)
    first.process.kill()
    first.process.wait()
    assert httpx.get(f"http://127.0.0.1:{port}/health").status_code == 200
    second = start(nodes, "--port", str(free_port()))
    try:
        wait_until_it_says_where(second)
        assert httpx.get(f"{second.url}/health").status_code == 200
        assert second.stop() == 0
    finally:
        second.process.kill()


@pytest.mark.slow
def test_a_head_that_dies_ends_it_with_a_line(nodes):
    server = start(nodes, "--port", str(free_port()))
    try:
        wait_until_it_says_where(server)
        nodes.kill(nodes.marks[0])
        assert server.process.wait(60) == 1
        time.sleep(0.2)
        assert "the head of the cluster does not answer any more: start it, and serve again" in "\n".join(server.log)
        assert "Traceback" not in "\n".join(server.log)
    finally:
        server.process.kill()
