"""One client that is slow, floods, breaks off or sends what nobody sends: the others must not notice."""

import http.client
import json
import socket
import struct
import threading
import time
from collections import Counter
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import numpy as np
import pytest

from mlx_tts.server.run import PING_SECONDS, has_left
from tests.attack.served import Contention

pytestmark = pytest.mark.slow

MOST_SECONDS = 0.25  # of another client's /health on a machine that other tests use as well; alone it is below 0.1
HEAD = json.dumps({"format": "mp3", "sample_rate": 24_000}).encode()
FILE_BODY = struct.pack("<I", len(HEAD)) + HEAD


def answer_to(server, request: bytes) -> bytes:
    with socket.create_connection(server.address, timeout=10) as client:
        client.sendall(request)
        client.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: client.recv(65_536), b""))


@contextmanager
def watched(server):
    """The longest time that /health took meanwhile, as the one entry of a list; without the time that other programs
    had the processor, as far as the system tells."""
    longest, over = [0.0], threading.Event()

    def watch():
        client = http.client.HTTPConnection(*server.address, timeout=30)
        taken = Contention(server.process.pid, all_threads=False)
        while not over.is_set():
            taken.begin()
            begin = time.perf_counter()
            client.request("GET", "/health")
            client.getresponse().read()
            longest[0] = max(longest[0], time.perf_counter() - begin - taken.seconds())
            time.sleep(0.005)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield longest
    finally:
        over.set()
        thread.join()


def held(server) -> tuple[int, list[str]]:
    """Descriptors of the server, and its files in the folder of temporary ones."""
    process = Path(f"/proc/{server.process.pid}/fd")
    names = []
    for entry in process.iterdir():
        try:
            names.append(str(entry.readlink()))
        except OSError:
            continue
    return len(names), [name for name in names if "mlx-tts-" in name]


@pytest.mark.parametrize("header", ["Host: [", "Host: [abc]", "Host: localhost\r\nOrigin: http://["])
def test_an_odd_header_is_a_400(server, header):
    answer = answer_to(server, f"GET /v1/models HTTP/1.1\r\n{header}\r\nConnection: close\r\n\r\n".encode())
    assert answer.startswith(b"HTTP/1.1 400 ") and b'"invalid_header"' in answer


def test_two_origins_are_not_none(server):
    body = b'{"input": "Hi."}'
    head = "POST /v1/audio/speech HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    twice = "Origin: https://evil.example\r\nOrigin: https://evil.example\r\n"
    answer = answer_to(server, f"{head}{twice}Connection: close\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
    assert answer.startswith(b"HTTP/1.1 400 ")


def frame(message: dict) -> bytes:
    data = json.dumps(message).encode()
    length = bytes([0x80 | len(data)]) if len(data) < 126 else bytes([0x80 | 126]) + struct.pack(">H", len(data))
    return b"\x81" + length + bytes(4) + data


HANDSHAKE = (
    b"GET /v1/audio/speech/stream HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OUFCQ0RFRg==\r\n\r\n"
)


def test_a_flood_of_small_messages_holds_up_nobody(server):
    utterance = frame({"type": "input.text", "text": "Hello."}) + frame({"type": "input.done"})
    with socket.create_connection(server.address) as client, watched(server) as longest:
        client.sendall(HANDSHAKE)
        assert b" 101 " in client.recv(4096)
        client.settimeout(3)
        with suppress(TimeoutError):  # the server reads no more than it can speak
            client.sendall(frame({"type": "session.config", "voice": "ivy"}) + utterance * 20_000)
    assert longest[0] < MOST_SECONDS
    server.wait_for_metric("mlx_tts_rows_used", 0)


def test_frames_without_bytes_are_counted(server):
    with socket.create_connection(server.address, timeout=10) as client:
        client.sendall(HANDSHAKE)
        assert b" 101 " in client.recv(4096)
        client.sendall(b"\x01\x80" + bytes(4) + (b"\x00\x80" + bytes(4)) * 5000)
        assert client.recv(100)[:4] == b"\x88" + bytes([2 + len("too many frames in one message")]) + struct.pack(
            ">H", 1009
        )


def test_pings_are_answered_in_their_time(server):
    """All of them, but not at once: while the loop answered a flood, others waited 2 s for their first sound."""
    ping, pong, count = b"\x89\x80" + bytes(4), b"\x8a\x00", 600
    with socket.create_connection(server.address, timeout=10) as client:
        client.sendall(HANDSHAKE)
        assert b" 101 " in client.recv(4096)
        begin = time.monotonic()
        client.sendall(ping * count)
        answers = b""
        while len(answers) < len(pong) * count:
            answers += client.recv(4096)
        assert answers == pong * count
        assert time.monotonic() - begin > 0.9 * PING_SECONDS


def test_a_long_message_is_read_away_from_the_loop(server):
    with socket.create_connection(server.address) as client, watched(server) as longest:
        client.sendall(HANDSHAKE)
        assert b" 101 " in client.recv(4096)
        text = "On 3/4/2021 it cost $12,345.67, i.e. 5% more. " * 800
        client.sendall(frame({"type": "session.config", "voice": "ivy"}))
        for _ in range(2):
            client.sendall(frame({"type": "input.text", "text": text}))
        time.sleep(3)
    assert longest[0] < MOST_SECONDS
    server.wait_for_metric("mlx_tts_rows_used", 0)


def test_many_requests_in_one_packet_hold_up_nobody(server):
    with socket.create_connection(server.address) as client, watched(server) as longest:
        client.settimeout(2)
        with suppress(TimeoutError):
            client.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20_000)
    assert longest[0] < MOST_SECONDS


def speech(text: str) -> bytes:
    body = json.dumps({"input": text, "voice": "ivy", "response_format": "pcm"}).encode()
    head = "POST /v1/audio/speech HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return head.encode() + b"Content-Length: %d\r\n\r\n" % len(body) + body


def plan(text: str) -> bytes:
    body = json.dumps({"input": text}).encode()
    head = b"POST /page/api/plan HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return head + b"Content-Length: %d\r\n\r\n" % len(body) + body


def plan_seconds(server, text: str) -> float:
    begin = time.perf_counter()
    with socket.create_connection(server.address, timeout=120) as client:
        client.sendall(plan(text))
        assert client.recv(12) == b"HTTP/1.1 200"
    return time.perf_counter() - begin


def test_what_clients_asked_for_that_are_gone_is_not_done(server):
    """The plans of 512 clients that had left were made one after the other, and no other connection was taken."""
    text = "He paid $12.50 on 3/4/2021 for 5 kg. " * 520
    alone = plan_seconds(server, text)
    clients = [socket.create_connection(server.address) for _ in range(30)]
    for client in clients:
        client.sendall(plan(text))
    time.sleep(1)  # so that all are waiting for their turn
    for client in clients:
        client.close()
    assert plan_seconds(server, text) < 8 * alone + 1
    assert answer_to(server, b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n").startswith(b"HTTP/1.1 200")


def test_a_client_that_leaves_its_pipeline_gives_its_place_back(one_row):
    """Behind its first request nothing of it is read, its end neither."""
    server = one_row
    with socket.create_connection(server.address) as speaking:
        speaking.sendall(speech("This is a long story, and nobody knows how it ends. " * 60))
        server.wait_for_metric("mlx_tts_active_streams", 1)
        with socket.create_connection(server.address) as waiting:
            waiting.sendall(speech("Hello. " * 40))
            server.wait_for_metric("mlx_tts_waiting_requests", 1)
            waiting.sendall(speech("Hello.") * 2)
            time.sleep(0.2)
        server.wait_for_metric("mlx_tts_waiting_requests", 0, 5)
        assert server.metric("mlx_tts_active_streams") == 1
    server.wait_for_metric("mlx_tts_rows_used", 0)


@pytest.mark.parametrize(("leave", "gone"), [(None, False), ("shutdown", True), ("close", True)])
def test_a_client_that_left_is_seen_behind_bytes_that_were_not_read(leave, gone):
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(b"unread")
        if leave == "shutdown":
            theirs.shutdown(socket.SHUT_WR)
        elif leave == "close":
            theirs.close()
        assert has_left(ours) is gone


def test_a_body_of_many_values_holds_up_nobody(server):
    with watched(server) as longest:
        for body in (b"[" + b"{}," * 1_300_000 + b"{}]", b"[" * 4_000_000):
            answer = httpx.post(
                f"{server.url}/v1/audio/speech", content=body, headers={"Content-Type": "application/json"}
            )
            assert answer.status_code == 400 and answer.json()["error"]["code"] == "invalid_json"
    assert longest[0] < MOST_SECONDS


def test_slow_uploads_do_not_block_a_download(server):
    slow = []
    for _ in range(4):
        client = socket.create_connection(server.address)
        client.sendall(
            b"POST /page/api/file HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n" + FILE_BODY
        )
        slow.append(client)
    time.sleep(0.3)
    answer = httpx.post(f"{server.url}/page/api/file", content=FILE_BODY + bytes(48_000), timeout=10)
    assert answer.status_code == 200
    for client in slow:
        client.close()
    wait_until(lambda: not held(server)[1])


def wait_until(condition, seconds: float = 10.0) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.05)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="descriptors are counted in /proc")
@pytest.mark.parametrize("name", ["mp3", "wav", "m4b"])
def test_a_broken_off_upload_leaves_nothing(server, name):
    head = json.dumps({"format": name, "sample_rate": 24_000}).encode()
    before = held(server)[0]
    for _ in range(8):
        with socket.create_connection(server.address) as client:
            client.sendall(b"POST /page/api/file HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n")
            client.sendall(struct.pack("<I", len(head)) + head + bytes(1_200_000))
            time.sleep(0.1)
    wait_until(lambda: held(server)[0] <= before and not held(server)[1])


@pytest.mark.timed
def test_a_body_that_trickles_is_ended(serve):
    plant = "from mlx_tts.server import security\nsecurity.BODY_SECONDS = 1.0"
    server = serve("--model", "tiny", plant=plant, ready=False)
    with socket.create_connection(server.address, timeout=10) as client:
        client.sendall(
            b"POST /page/api/file HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n" + FILE_BODY
        )
        begin = time.monotonic()
        client.settimeout(0.1)
        answer = b""
        while not answer and time.monotonic() < begin + 8:
            client.sendall(b"\0")
            try:
                answer = client.recv(1000)
            except TimeoutError:
                continue
    assert answer.startswith(b"HTTP/1.1 408 ") and time.monotonic() - begin < 5


def test_of_two_uploads_of_one_name_one_wins(tmp_path):
    from mlx_tts.server.answers import ApiError
    from mlx_tts.server.voices import UploadedVoices
    from mlx_tts.speech import Voice

    shelf = UploadedVoices(tmp_path / "uploaded", tmp_path / "saved")
    voice = Voice(np.ones(16, np.float32), name="same")
    came: Counter[str] = Counter()

    def upload():
        try:
            shelf.upload(voice, "tiny-base")
            came["kept"] += 1
        except ApiError as error:
            came[error.code] += 1

    threads = [threading.Thread(target=upload) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert came == {"kept": 1, "voice_exists": 7}
    assert len(shelf.voices()) == 1
