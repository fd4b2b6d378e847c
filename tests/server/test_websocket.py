"""WS /v1/audio/speech/stream: words in as a language model writes them, sound out, interruptions, nonsense."""

import json
import time

import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

pytestmark = pytest.mark.slow

WORDS = ["Go", "on.", "It", "is."]


@pytest.fixture
def open_socket(server):
    sockets = []

    def open_one(configure: bool = True, **options):
        socket = connect(f"{server.url.replace('http', 'ws')}/v1/audio/speech/stream", open_timeout=10, **options)
        sockets.append(socket)
        if configure:
            say(socket, "session.config", model="tiny", voice="ivy", seed=4, response_format="pcm")
        return socket

    yield open_one
    for socket in sockets:
        socket.close()


def say(socket, kind: str, **fields) -> None:
    socket.send(json.dumps({"type": kind, **fields}))


def heard(socket, until: str = "session.done") -> tuple[list[dict], bytes]:
    """Messages up to the first of this type, and the sound between them."""
    messages, sound = [], b""
    while not messages or messages[-1]["type"] != until:
        message = socket.recv(timeout=30)
        if isinstance(message, bytes):
            sound += message
        else:
            messages.append(json.loads(message))
    return messages, sound


def test_words_become_sentences(open_socket):
    socket = open_socket()
    for word in WORDS:
        say(socket, "input.text", text=f"{word} ")
    say(socket, "input.done")
    messages, sound = heard(socket)
    starts = [message for message in messages if message["type"] == "audio.start"]
    ends = [message for message in messages if message["type"] == "audio.done"]
    assert " ".join(start["sentence_text"] for start in starts) == " ".join(WORDS)
    assert [start["sentence_index"] for start in starts] == list(range(len(starts)))
    assert {(start["format"], start["sample_rate"], start["channels"]) for start in starts} == {("pcm", 24_000, 1)}
    assert sum(end["total_bytes"] for end in ends) == len(sound) > 48_000
    assert [end["error"] for end in ends] == [False] * len(starts)
    assert messages[-1] == {"type": "session.done", "utterance_index": 0, "total_sentences": len(starts)}


def test_rate_and_loudness_are_obeyed(open_socket):
    heard_as = []
    for settings in ({}, {"rate": 8000}, {"loudness": -30}):
        socket = open_socket(False)
        say(socket, "session.config", model="tiny", voice="ivy", seed=4, **settings)
        say(socket, "input.text", text="Hello.")
        say(socket, "input.done")
        messages, sound = heard(socket)
        assert messages[0]["sample_rate"] == settings.get("rate", 24_000)
        assert messages[1]["total_bytes"] == len(sound)
        heard_as.append(np.frombuffer(sound, "<i2").astype(np.float64))
    plain, slow, quiet = heard_as
    assert len(slow) == pytest.approx(len(plain) / 3, abs=2) and len(quiet) == len(plain)
    assert np.sqrt((quiet**2).mean()) < 0.7 * np.sqrt((plain**2).mean())


def test_it_speaks_while_the_text_arrives(open_socket):
    socket = open_socket()
    say(socket, "input.text", text="It was late. The next")
    messages, _ = heard(socket, until="audio.start")
    assert messages[0]["sentence_text"] == "It was late."
    say(socket, "input.text", text=" one ends.")
    say(socket, "input.done")
    messages, _ = heard(socket)
    assert messages[-1]["total_sentences"] == 2


def test_the_connection_stays_for_the_next_utterance(open_socket):
    socket = open_socket()
    for number in range(2):
        say(socket, "input.text", text="Hello.")
        say(socket, "input.done")
        messages, sound = heard(socket)
        assert messages[-1]["utterance_index"] == number
        assert len(sound) > 10_000
    say(socket, "session.close")
    with pytest.raises(ConnectionClosed) as closed:
        socket.recv(timeout=10)
    assert closed.value.rcvd.code == 1000


def test_the_next_utterance_waits_for_the_one_before(open_socket):
    socket = open_socket()
    for text in ("One is first.", "Two."):
        say(socket, "input.text", text=text)
        say(socket, "input.done")
    first, _ = heard(socket)
    second, _ = heard(socket)
    assert {message["utterance_index"] for message in first} == {0}
    assert {message["utterance_index"] for message in second} == {1}


@pytest.mark.timed
def test_an_interruption_ends_the_sound_at_once(open_socket, server):
    socket = open_socket()
    say(socket, "input.text", text="This is a long story that nobody will hear to its end. " * 6)
    say(socket, "input.done")
    heard(socket, until="audio.start")
    say(socket, "input.cancel")
    begin = time.monotonic()
    messages, sound = heard(socket)
    assert messages[-1]["cancelled"] is True
    assert time.monotonic() - begin < 2
    assert len(sound) < 48_000 * 10
    server.wait_for_metric("mlx_tts_rows_used", 0)
    say(socket, "input.text", text="Something else.")
    say(socket, "input.done")
    messages, sound = heard(socket)
    assert messages[0]["sentence_text"] == "Something else."
    assert len(sound) > 10_000


def test_a_client_that_goes_frees_its_row(open_socket, server):
    socket = open_socket()
    say(socket, "input.text", text="This is a long story that nobody will hear to its end. " * 6)
    heard(socket, until="audio.start")
    socket.close()
    assert server.wait_for_metric("mlx_tts_rows_used", 0) < 1.0


NONSENSE = [
    "no json",
    "[]",
    '{"type": 7}',
    '{"type": "input.text", "text": 7}',
    '{"type": "input.text", "text": "too much ' + "x" * 100_001 + '"}',
    '{"type": "dance"}',
    '{"type": "session.config", "voice": "nobody"}',
    '{"type": "session.config", "cast": "lines = []"}',
    '{"type": "session.config", "model": "gpt-5"}',
    '{"type": "session.config", "response_format": "mp3"}',
    '{"type": "session.config", "seed": "x"}',
    b"\x00\x01",
]


@pytest.mark.parametrize("message", NONSENSE, ids=lambda message: str(message)[:40])
def test_nonsense_is_an_error_and_the_end(open_socket, message):
    socket = open_socket()
    socket.send(message)
    messages, _ = heard(socket, until="error")
    assert set(messages[-1]["error"]) == {"message", "type", "param", "code"}
    with pytest.raises(ConnectionClosed):
        socket.recv(timeout=10)


def test_the_configuration_comes_first(open_socket):
    socket = open_socket(configure=False)
    say(socket, "input.text", text="Hello.")
    messages, _ = heard(socket, until="error")
    assert "session.config comes first" in messages[0]["error"]["message"]


def test_a_huge_message_ends_the_connection(open_socket):
    socket = open_socket()
    socket.send("x" * 200_000)
    with pytest.raises(ConnectionClosed) as closed:
        socket.recv(timeout=10)
    assert closed.value.rcvd.code == 1009


@pytest.mark.parametrize(
    ("headers", "status"), [({"Origin": "https://evil.example"}, 403), ({"Host": "evil.example"}, 421)]
)
def test_pages_of_strangers_are_refused(open_socket, headers, status):
    origin = headers.pop("Origin", None)
    with pytest.raises(InvalidStatus) as refused:
        open_socket(False, origin=origin) if origin else open_socket(False, additional_headers=headers)
    assert refused.value.response.status_code == status
