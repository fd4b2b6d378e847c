"""What breaks inside: cut answers look cut, others go on, /health tells, and models come and go."""

import contextlib
import json
import re
import shutil
import threading
import time

import httpx
import pytest

from tests.server.conftest import FEW_ROWS, LONG_TEXT, running

pytestmark = pytest.mark.slow

# A request whose text has the word fails in the middle of its sound, in the step that all share.
BREAKS = """
from mlx_tts.generation.guarded import GuardedGeneration
whole = GuardedGeneration.on_audio
def on_audio(self, samples, state):
    if "avalanche" in self.request.text and self.take.decoded_chunks >= {after}:
        raise ValueError("planted")
    whole(self, samples, state)
GuardedGeneration.on_audio = on_audio
"""
TEXT = "An avalanche came down in the night, and the village was cut off for some days."
# What fails by the words of a request, in a server that several tests ask: the avalanche in the middle of its sound,
# an earthquake before the first, a ghost has no sound, and a zero ends outside the engine.
BY_WORDS = (
    BREAKS.format(after=2)
    + """
import numpy as np
from mlx_tts.server.serving import Serving
broken = GuardedGeneration.on_audio
def at_once(self, samples, state):
    if "earthquake" in self.request.text:
        raise ValueError("planted")
    broken(self, samples, state)
GuardedGeneration.on_audio = at_once
put = GuardedGeneration._put
def silent(self, samples, *more):
    put(self, np.zeros(0, np.float32) if "ghost" in self.request.text else samples, *more)
GuardedGeneration._put = silent
# A session of words that do not come ends soon.
from mlx_tts.server import websocket
websocket.IDLE_SECONDS = 1.0
# What has the seed 4711 comes when all of it is made.
from mlx_tts.server.spoken_text import SpokenText
import asyncio
come = SpokenText.__anext__
async def late(self):
    while self.request.seed == 4711 and not self.is_made:
        self._begin_next()
        await asyncio.sleep(0.05)
    return await come(self)
SpokenText.__anext__ = late
prepare = Serving.prepare
async def outside(self, order):
    if "zero" in str(order):
        raise ZeroDivisionError("planted")
    return await prepare(self, order)
Serving.prepare = outside
"""
)


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    with running(tmp_path_factory.mktemp("home"), *FEW_ROWS, plant=BY_WORDS) as server:
        server.wait_until_ready()
        yield server


def received(server, body: dict) -> tuple[bytes, bool]:
    """What came, and whether the connection was closed as it is after a whole answer."""
    got = b""
    with httpx.stream("POST", f"{server.url}/v1/audio/speech", json=body, timeout=30) as answer:
        assert answer.status_code == 200
        try:
            for part in answer.iter_raw():
                got += part
        except httpx.RemoteProtocolError:
            return got, False
    return got, True


@pytest.mark.smoke("sse")
@pytest.mark.parametrize("kind", ["audio", "sse"])
def test_a_cut_answer_never_looks_whole(planted, kind):
    server = planted
    body = {"input": TEXT, "voice": "ivy", "response_format": "pcm", "stream_format": kind}
    got, whole = received(server, body)
    assert not whole
    if kind == "sse":
        last = json.loads(got.split(b"\n\n")[-2].removeprefix(b"data: "))
        assert last["type"] == "error" and last["error"]["code"] == "internal_error"
        assert "planted" not in got.decode()
    assert server.metric("mlx_tts_rows_used") == 0
    broken = httpx.get(f"{server.url}/health")
    assert broken.status_code == 503 and broken.json()["error"]["code"] == "unhealthy"
    assert server.post(input="All is well.", voice="ivy", response_format="pcm").status_code == 200
    assert httpx.get(f"{server.url}/health").status_code == 200


def failed(server) -> float:
    """How many answers had the status 500."""
    found = re.search(r'mlx_tts_requests_total\{status="500"\} (\S+)', httpx.get(f"{server.url}/metrics").text)
    return float(found[1]) if found else 0.0


def test_what_breaks_before_the_first_sound_has_a_status(planted):
    before = failed(planted)
    answer = planted.post(input="An earthquake came.", voice="ivy")
    assert answer.status_code == 500
    assert answer.json()["error"]["type"] == "server_error"
    assert "planted" not in answer.text
    planted.wait_for_log("ValueError: planted")
    assert failed(planted) == before + 1


def test_a_speech_without_sound_is_no_success(planted):
    for name in ("wav", "mp3"):
        answer = planted.post(input="A ghost.", voice="ivy", response_format=name)
        assert (answer.status_code, answer.json()["error"]["type"]) == (500, "server_error")


def test_what_breaks_outside_the_engine_has_the_same_body(planted):
    answer = planted.post(input="It was zero.", normalise="off")
    assert answer.status_code == 500
    assert answer.json()["error"]["type"] == "server_error" and "planted" not in answer.text
    planted.wait_for_log("ZeroDivisionError: planted")


def test_words_that_do_not_come_end_the_session(planted):
    from websockets.exceptions import ConnectionClosed
    from websockets.sync.client import connect

    with connect(f"{planted.url.replace('http', 'ws')}/v1/audio/speech/stream") as socket:
        socket.send('{"type": "session.config", "voice": "ivy"}')
        socket.send('{"type": "input.text", "text": "It was late. The second"}')
        messages = []
        with contextlib.suppress(ConnectionClosed):
            while True:
                messages.append(socket.recv(timeout=20))
    assert "nothing was sent for too long" in messages[-1]
    planted.wait_for_metric("mlx_tts_rows_used", 0)


def test_a_dead_engine_fails_everything_at_once(serve):
    plant = BREAKS.format(after=1).replace('ValueError("planted")', 'SystemExit("planted")')
    server = serve(*FEW_ROWS, plant=plant)
    with pytest.raises((httpx.RemoteProtocolError, httpx.ReadTimeout)):
        httpx.post(f"{server.url}/v1/audio/speech", json={"input": TEXT, "response_format": "pcm"}, timeout=15)
    assert httpx.get(f"{server.url}/health").status_code == 503


def test_an_engine_that_gives_nothing_is_given_up(serve):
    plant = "import time\nfrom mlx_tts.server import spoken_text\nspoken_text.STALLED_SECONDS = 2.0\n" + BREAKS.format(
        after=0
    ).replace('raise ValueError("planted")', "time.sleep(8)")
    server = serve(*FEW_ROWS, plant=plant)
    assert server.post(input=TEXT, voice="ivy").status_code == 500
    assert httpx.get(f"{server.url}/health").status_code == 503


def test_a_reader_that_takes_nothing_is_given_up(serve):
    import socket

    # The system would keep a minute of sound for the reader, and all of it would have to be made first.
    plant = """
import socket
from mlx_tts.generation import guarded
from mlx_tts.server import security
guarded.UNREAD_SECONDS = 1.0
import uvicorn.protocols.http.flow_control as flow
security.UNREAD_SECONDS = 1.0
flow.HIGH_WATER_LIMIT = 1024
whole = socket.socket.accept
def accept(self):
    connection, address = whole(self)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    return connection, address
socket.socket.accept = accept
"""
    server = serve(*FEW_ROWS, plant=plant)
    body = json.dumps({"input": LONG_TEXT * 4, "voice": "ivy", "response_format": "pcm", "speed": 0.25}).encode()
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect(server.address)
        head = "POST /v1/audio/speech HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        client.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        client.recv(1024)
        server.wait_for_metric("mlx_tts_rows_used", 0, seconds=100)


def test_a_model_that_cannot_be_loaded_leaves_the_others(serve, base_model, tmp_path):
    broken = tmp_path / "broken"
    shutil.copytree(base_model, broken)
    weights = next(broken.glob("*.safetensors"))
    weights.write_bytes(weights.read_bytes()[:1000])
    server = serve(*FEW_ROWS, "--model", str(broken))
    answer = server.post(input="Hi.", model="broken")
    assert answer.status_code == 503
    assert answer.json()["error"]["code"] == "model_load_failed"
    assert str(tmp_path) not in answer.text
    server.wait_for_log("broken could not be loaded")
    assert server.post(input="Hi.", voice="ivy").status_code == 200
    assert httpx.get(f"{server.url}/health").status_code == 200


def test_the_only_model_cannot_be_loaded(serve, base_model, tmp_path):
    broken = tmp_path / "broken"
    shutil.copytree(base_model, broken)
    weights = next(broken.glob("*.safetensors"))
    weights.write_bytes(weights.read_bytes()[:1000])
    server = serve("--model", str(broken), ready=False)
    assert server.process.wait(30) == 1
    server.wait_for_log("the model broken could not be loaded")


@pytest.mark.long
def test_the_default_model_cannot_be_loaded(serve, base_model, tmp_path):
    broken = tmp_path / "broken"
    shutil.copytree(base_model, broken)
    weights = next(broken.glob("*.safetensors"))
    weights.write_bytes(weights.read_bytes()[:1000])
    server = serve("--model", str(broken), "--model", "tiny", ready=False)
    server.wait_for_line()  # it listens: on a busy machine that alone takes seconds
    server.wait_for_log("is not ready")
    assert "could not be loaded" in httpx.get(f"{server.url}/ready").json()["error"]["message"]
    assert server.post(input="Hi.", model="tiny").status_code == 200


def test_a_wav_file_that_is_ready_at_once_says_its_size(planted):
    answer = planted.post(input="Hi.", voice="ivy", response_format="wav", seed=4711)
    size = len(answer.content)
    assert answer.headers["content-length"] == str(size)
    assert int.from_bytes(answer.content[4:8], "little") == size - 8
    assert int.from_bytes(answer.content[40:44], "little") == size - 44 > 10_000


@pytest.mark.long
def test_a_model_that_is_not_whole_is_not_served(serve, tmp_path):
    (tmp_path / "empty").mkdir()
    server = serve("--model", "tiny", "--model", str(tmp_path / "empty"))
    assert server.post(input="Hi.", model="empty").status_code == 503
    assert server.post(input="Hi.", voice="ivy").status_code == 200
    alone = serve("--model", str(tmp_path / "empty"), ready=False)
    assert alone.process.wait(20) == 1


def test_models_come_when_asked_for_and_go_when_unused(serve, base_model):
    """What is there when the server is ready is left alone by the garbage collector, until a model goes."""
    plant = """
import gc
from mlx_tts.server import model_pool
whole = model_pool.ModelPool._free
async def free(self, model):
    before = gc.get_freeze_count()
    await whole(self, model)
    model_pool.log.info("frozen: %s, then %d", before > 1000, gc.get_freeze_count())
model_pool.ModelPool._free = free
"""
    server = serve(*FEW_ROWS, "--model", str(base_model), "--keep-alive", "1s", "-v", plant=plant)
    assert not any("loaded cloner" in line for line in server.log)
    assert server.post(input="Hi.", model="cloner", response_format="pcm").status_code == 200
    server.wait_for_log("loaded cloner")
    body = {"input": LONG_TEXT[:60], "voice": "ivy", "response_format": "pcm"}
    with httpx.stream("POST", f"{server.url}/v1/audio/speech", json=body, timeout=60) as answer:
        parts = answer.iter_raw()
        next(parts)
        before = sum("freed tiny" in line for line in server.log)
        for _ in parts:  # longer than the second: what is in use stays
            assert sum("freed tiny" in line for line in server.log) == before
    until = time.monotonic() + 10
    while sum("freed" in line for line in server.log) < 2 and time.monotonic() < until:
        time.sleep(0.1)
    assert any("freed cloner" in line for line in server.log) and any("freed tiny" in line for line in server.log)
    server.wait_for_log("frozen: True, then 0")
    assert server.post(input="Hi.", voice="ivy", response_format="pcm").status_code == 200


def test_who_comes_while_a_model_loads_waits_for_it(serve):
    plant = (
        "import time\nfrom mlx_tts.server import model_pool\nwhole = model_pool._load\n"
        "def slow(checkpoint):\n    time.sleep({seconds})\n    return whole(checkpoint)\nmodel_pool._load = slow\n"
    )
    server = serve(*FEW_ROWS, ready=False, plant=plant.format(seconds=2))
    assert httpx.get(f"{server.url}/ready").status_code == 503
    assert httpx.get(f"{server.url}/health").status_code == 200
    assert server.post(input="Hi.", voice="ivy").status_code == 200
    server.stop()
    slow = "from mlx_tts.server import model_pool as pool\npool.LOAD_WAIT_SECONDS = 0.5\n" + plant.format(seconds=5)
    server = serve(*FEW_ROWS, ready=False, plant=slow)
    answer = server.post(input="Hi.", voice="ivy")
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "loading")
    assert int(answer.headers["retry-after"]) > 0


@pytest.mark.long
def test_several_ask_for_a_model_that_is_not_loaded(serve, base_model):
    server = serve("--model", "tiny", "--model", str(base_model), "-v")
    statuses = []
    threads = [
        threading.Thread(target=lambda: statuses.append(server.post(input="Hi.", model="cloner").status_code))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert statuses == [200] * 4
    server.wait_for_log("loaded cloner")
    assert sum("loaded cloner" in line for line in server.log) == 1


@pytest.mark.long
def test_a_model_that_loads_slowly_is_served_all_the_same(serve):
    """Clients are not kept waiting for a slow load; the server itself waits as long as it takes."""
    server = serve(
        "--model", "tiny", plant="from mlx_tts.server import model_pool\nmodel_pool.LOAD_WAIT_SECONDS = 0.001"
    )
    assert server.post(input="Hi.", voice="ivy").status_code == 200
