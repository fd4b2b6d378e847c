"""The configurations of docs/proxy.md, run as they stand, but for ports: sound streams, sockets open, errors pass."""

import re
import shutil
import socket
import subprocess
import time

import httpx
import pytest
from websockets.sync.client import connect

from tests.helpers.paths import ROOT
from tests.server.conftest import LONG_TEXT, running

pytestmark = pytest.mark.slow

PAGE = (ROOT / "docs" / "proxy.md").read_text(encoding="utf-8")
HOST = {"Host": "voice.example"}


def configuration(language: str, server_port: int, port: int) -> str:
    (text,) = re.findall(rf"```{language}\n(.*?)```", PAGE, re.S)
    assert "8880" in text and "8443" in text
    return text.replace("8880", str(server_port)).replace("8443", str(port))


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@pytest.fixture(scope="module")
def behind(tmp_path_factory):
    with running(tmp_path_factory.mktemp("behind"), "--model", "tiny", "--allowed-host", "voice.example") as server:
        server.wait_until_ready()
        yield server


@pytest.fixture(params=["nginx", "caddy"])
def proxy(request, tmp_path):
    """(its address, the server behind it), which is only started where there is a proxy."""
    program = shutil.which(request.param) or shutil.which(request.param, path="/usr/sbin:/usr/local/sbin")
    if program is None:
        pytest.skip(f"NOT CHECKED behind {request.param}: it is not installed")
    port, behind = free_port(), request.getfixturevalue("behind")
    text = configuration(request.param, behind.address[1], port)
    if request.param == "nginx":
        folders = "".join(
            f"{name}_temp_path {tmp_path}/{name};\n"
            for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
            if name in ("client_body", "proxy")
        )
        head = f"daemon off;\npid {tmp_path}/pid;\nerror_log stderr;\nevents {{}}\nhttp {{\naccess_log off;\n{folders}"
        (tmp_path / "nginx.conf").write_text(f"{head}{text}}}\n")
        command = [program, "-p", str(tmp_path), "-e", "stderr", "-c", str(tmp_path / "nginx.conf")]
    else:
        (tmp_path / "Caddyfile").write_text("{\n\tadmin off\n}\n" + text)
        command = [program, "run", "--config", str(tmp_path / "Caddyfile"), "--adapter", "caddyfile"]
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
    url = f"http://127.0.0.1:{port}"
    try:
        until = time.monotonic() + 15
        while True:
            try:
                if httpx.get(f"{url}/health", headers=HOST).status_code == 200:
                    break
            except httpx.TransportError:
                pass
            assert process.poll() is None and time.monotonic() < until, (tmp_path / "log").read_text()
            time.sleep(0.05)
        yield url, behind
    finally:
        process.terminate()
        process.wait(10)


@pytest.mark.timed
def test_sound_streams_through(proxy):
    url, behind = proxy
    body = {"input": LONG_TEXT, "voice": "ivy", "response_format": "pcm"}
    begin = time.monotonic()
    with httpx.stream("POST", f"{url}/v1/audio/speech", json=body, headers=HOST, timeout=60) as answer:
        parts = answer.iter_raw()
        next(parts)
        first = time.monotonic() - begin
        rest = sum(len(part) for part in parts)
    assert rest > 48_000
    assert first < (time.monotonic() - begin) / 3
    behind.wait_for_metric("mlx_tts_rows_used", 0)


def test_a_client_that_goes_frees_its_row_through_the_proxy(proxy):
    url, behind = proxy
    body = {"input": LONG_TEXT, "voice": "ivy", "response_format": "pcm"}
    with httpx.stream("POST", f"{url}/v1/audio/speech", json=body, headers=HOST, timeout=60) as answer:
        parts = answer.iter_raw()
        next(parts)
        assert behind.metric("mlx_tts_rows_used") == 1
    behind.wait_for_metric("mlx_tts_rows_used", 0, seconds=3)


def test_errors_and_sockets_pass(proxy):
    url, _ = proxy
    answer = httpx.post(f"{url}/v1/audio/speech", json={"input": "Hi.", "voice": "nobody"}, headers=HOST)
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, "voice")
    address = url.removeprefix("http://").split(":")
    wire = socket.create_connection((address[0], int(address[1])))
    with connect("ws://voice.example/v1/audio/speech/stream", sock=wire) as websocket:
        websocket.send('{"type": "session.config", "voice": "ivy"}')
        websocket.send('{"type": "input.text", "text": "Hello there."}')
        websocket.send('{"type": "input.done"}')
        kinds = set()
        while '"session.done"' not in str(message := websocket.recv(timeout=20)):
            kinds.add(type(message))
    assert kinds == {str, bytes}
