"""Who may speak: keys, hosts, origins, sizes, times, and settings that would let strangers in."""

import re
import socket
import time

import httpx
import pytest

from mlx_tts.server.settings import proof_of_key

pytestmark = pytest.mark.slow

KEY = "a-long-secret-key"
GUARDED_HEADER_SECONDS = 2.0  # of the server with a key: other tests wait the usual ten for nothing
BODY = {"input": "Hi.", "voice": "ivy", "response_format": "pcm", "max_seconds": 0.24}


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    from tests.server.conftest import FEW_ROWS, running

    folder = tmp_path_factory.mktemp("guarded")
    (folder / "key").write_text(f"{KEY}\n")
    options = [
        "--api-key-file",
        str(folder / "key"),
        "--cors-origin",
        "https://app.example",
        "--allowed-host",
        "voice.lan",
    ]
    plant = f"from mlx_tts.server import run\nrun.HEADER_SECONDS = {GUARDED_HEADER_SECONDS}"
    with running(folder, *FEW_ROWS, *options, plant=plant) as server:
        server.wait_until_ready()
        yield server


def ask(server, **headers: str) -> httpx.Response:
    return httpx.post(f"{server.url}/v1/audio/speech", json=BODY, headers=headers, timeout=30)


# Keys.


@pytest.mark.parametrize("header", [None, "Bearer", "Bearer wrong", f"Basic {KEY}", KEY, f"Bearer {KEY}x"])
def test_a_wrong_key_is_refused(guarded, header):
    answer = ask(guarded, **({} if header is None else {"Authorization": header}))
    assert answer.status_code == 401
    assert answer.json()["error"]["code"] == "invalid_api_key"


def test_the_right_key_speaks(guarded):
    assert ask(guarded, Authorization=f"Bearer {KEY}").status_code == 200


@pytest.mark.parametrize(
    ("path", "status"),
    [("/health", 200), ("/ready", 200), ("/metrics", 401), ("/v1/models", 401), ("/v1/audio/voices", 401), ("/", 200)],
)
def test_only_the_state_is_told_without_a_key(guarded, path, status):
    assert httpx.get(f"{guarded.url}{path}").status_code == status


def test_the_key_is_proven_without_telling_it(guarded, server):
    nonce, (host, port) = "ab" * 32, guarded.address
    proven = httpx.get(f"{guarded.url}/health?nonce={nonce}").json()
    assert proven["proof"] == proof_of_key(KEY, nonce, host, port) and proven["process"] == guarded.process.pid
    assert "proof" not in httpx.get(f"{guarded.url}/health?nonce=short").json()
    assert "proof" not in httpx.get(f"{server.url}/health?nonce={nonce}").json()


def test_a_browser_gives_the_key_as_a_subprotocol(guarded):
    from websockets.exceptions import InvalidStatus
    from websockets.sync.client import connect

    url = f"{guarded.url.replace('http', 'ws')}/v1/audio/speech/stream"
    with connect(url, subprotocols=["realtime", f"openai-insecure-api-key.{KEY}"]) as websocket:
        assert websocket.subprotocol == "realtime"
    with pytest.raises(InvalidStatus) as refused, connect(url, subprotocols=["openai-insecure-api-key.wrong"]):
        pass
    assert refused.value.response.status_code == 401


def test_without_a_key_any_header_will_do(server):
    assert ask(server, Authorization="Bearer").status_code == 200  # what SillyTavern sends
    assert ask(server, Authorization="Bearer sk-anything").status_code == 200


# Hosts and origins.


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:8880", "", "tiny"])
def test_a_foreign_host_is_refused(server, host):
    answer = ask(server, Host=host)
    assert answer.status_code == 421 and answer.json()["error"]["code"] == "host_not_allowed"
    assert httpx.get(f"{server.url}/v1/models", headers={"Host": host}).status_code == 421
    assert httpx.get(f"{server.url}/health", headers={"Host": host}).status_code == 421


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8880", "127.0.0.1:1", "[::1]:8880", "192.168.1.5:8880"])
def test_addresses_and_localhost_are_ours(server, host):
    assert httpx.get(f"{server.url}/health", headers={"Host": host}).status_code == 200


def test_an_allowed_host_is_ours(guarded, server):
    assert httpx.get(f"{guarded.url}/health", headers={"Host": "voice.lan:8880"}).status_code == 200
    assert httpx.get(f"{server.url}/health", headers={"Host": "voice.lan:8880"}).status_code == 421


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1", "file://"])
def test_pages_of_strangers_may_not_speak(server, origin):
    answer = ask(server, Origin=origin)
    assert answer.status_code == 403
    assert "access-control-allow-origin" not in answer.headers
    deleted = httpx.delete(f"{server.url}/v1/audio/voices/x", headers={"Origin": origin})
    assert deleted.status_code == 403
    preflight = httpx.options(f"{server.url}/v1/audio/speech", headers={"Origin": origin})
    assert preflight.status_code == 403
    looked = httpx.get(f"{server.url}/v1/models", headers={"Origin": origin})
    assert "access-control-allow-origin" not in looked.headers


def test_our_own_page_may_speak(server):
    assert ask(server, Origin=server.url).status_code == 200


def test_a_page_that_was_let_in(guarded):
    origin = "https://app.example"
    preflight = httpx.options(
        f"{guarded.url}/v1/audio/speech",
        headers={
            "Origin": origin,
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization,content-type",
        },
    )
    assert preflight.status_code == 204
    assert preflight.headers["access-control-allow-origin"] == origin
    assert "content-type" in preflight.headers["access-control-allow-headers"]
    answer = ask(guarded, Origin=origin, Authorization=f"Bearer {KEY}")
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == origin
    refused = ask(guarded, Origin=origin)
    assert refused.status_code == 401
    assert refused.headers["access-control-allow-origin"] == origin


def test_every_answer_has_strict_headers(server):
    for answer in (httpx.get(f"{server.url}/"), httpx.get(f"{server.url}/nothing"), ask(server, Host="evil.example")):
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert re.fullmatch(r"req_[0-9a-f]{24}", answer.headers["x-request-id"])


def test_no_page_of_documentation(server):
    """Such a page loads scripts of other sites; the schema for programs is there."""
    for path in ("/docs", "/redoc"):
        assert httpx.get(f"{server.url}{path}").status_code == 404
    assert httpx.get(f"{server.url}/openapi.json").json()["paths"]


# Sizes and times.


def test_a_body_that_says_it_is_too_large(server):
    body = b'{"input": "' + b"x" * (5 << 20) + b'"}'
    answer = httpx.post(f"{server.url}/v1/audio/speech", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 413
    assert answer.json()["error"]["code"] == "body_too_large"


def test_a_body_that_does_not_say_so(server):
    def parts():
        for _ in range(80):
            yield b"x" * 65_536

    headers = {"Content-Type": "application/json"}
    answer = httpx.post(f"{server.url}/v1/audio/speech", content=parts(), headers=headers)
    assert answer.status_code == 413


def until_closed(client: socket.socket) -> bytes:
    received = b""
    while part := client.recv(65_536):
        received += part
    return received


def send_slowly(client: socket.socket, data: bytes, times: int) -> None:
    for _ in range(times):
        client.sendall(data)
        time.sleep(0.001)


def test_endless_headers_end_the_connection(server):
    with socket.create_connection(server.address, timeout=10) as client:
        client.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n")
        with pytest.raises((BrokenPipeError, ConnectionResetError)):
            send_slowly(client, b"X-Filler: " + b"x" * 1000 + b"\r\n", 1000)
    assert httpx.get(f"{server.url}/health").status_code == 200


def seconds_until_given_up(server) -> float:
    begin = time.monotonic()
    with socket.create_connection(server.address, timeout=20) as client:
        client.sendall(b"GET /health HTTP/1.1\r\n")
        until_closed(client)
    return time.monotonic() - begin


@pytest.mark.timed
def test_headers_that_never_end_are_given_up(guarded):
    assert 0.9 * GUARDED_HEADER_SECONDS < seconds_until_given_up(guarded) < GUARDED_HEADER_SECONDS + 3


@pytest.mark.timed
@pytest.mark.long
def test_headers_have_ten_seconds(server):
    assert 9 < seconds_until_given_up(server) < 13


@pytest.mark.parametrize("data", [b"\x16\x03\x01\x02\x00\x01\x00\n\n", b"GET\r\n\r\n", b"nonsense\r\n\r\n" * 3])
def test_bytes_that_are_no_request(server, data):
    with socket.create_connection(server.address, timeout=10) as client:
        client.sendall(data)
        assert b" 400 " in until_closed(client)


# Settings.


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--host", "0.0.0.0"], "set a key"),
        (["--host", "::"], "set a key"),
        (["--keep-alive", "soon"], "--keep-alive is 'soon'"),
        (["--api-key-file", "/nowhere/key"], "cannot be read"),
        (["--rows", "0"], "--rows is 0: give 1 to 256"),
        (["--model", "nonsense"], "unknown model"),
        (["--host", "no.such.host.invalid", "--insecure"], "is not an address of this machine"),
    ],
)
def test_wrong_settings_start_nothing(serve, options, message):
    server = serve(*options, ready=False)
    assert server.process.wait(20) == 2
    server._readers[1].join(5)
    assert message in server.log[-1]
    assert len(server.log) == 1 and server.lines == []


def test_a_port_in_use(serve, server):
    second = serve("--port", str(server.address[1]), ready=False)
    assert second.process.wait(20) == 1
    second._readers[1].join(5)
    assert "is in use" in second.log[-1] and len(second.log) == 1


def test_a_key_in_the_environment(serve):
    server = serve("--model", "tiny", MLX_TTS_API_KEY=KEY, ready=False)
    assert ask(server).status_code == 401
    voices = f"{server.url}/v1/audio/voices"
    assert httpx.get(voices, headers={"Authorization": f"bearer {KEY}"}).status_code == 200
