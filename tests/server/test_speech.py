"""POST /v1/audio/speech as the openai client and plain HTTP use it: formats, streams, equal bytes, errors."""

import base64
import io
import json
import threading
import time

import av
import httpx
import numpy as np
import pytest

import mlx_tts
from mlx_tts.audio.encoder import to_pcm16

pytestmark = pytest.mark.slow  # a server is started

TEXT = "Go on.\n\nNo."  # two pieces, with a pause between


@pytest.fixture
def client(server, openai):
    return openai.OpenAI(base_url=f"{server.url}/v1", api_key="nothing", max_retries=0)


@pytest.fixture(scope="module")
def tiny():
    with mlx_tts.load("tiny") as tts:
        yield tts


@pytest.fixture(scope="module")
def samples(tiny):
    """What Python says of the same text with the same seed, as 16-bit samples."""
    return b"".join(to_pcm16(chunk.samples) for chunk in tiny.narrate(TEXT, voice="ivy", seed=3))


def decoded(data: bytes, name: str | None = None) -> tuple[np.ndarray, int]:
    with av.open(io.BytesIO(data), format=name) as container:
        frames = list(container.decode(audio=0))
    rate = frames[0].sample_rate
    return np.concatenate([frame.to_ndarray().mean(axis=0) for frame in frames]), rate


def test_the_openai_client_speaks(client, samples):
    speech = client.audio.speech.create(
        model="tts-1", input=TEXT, voice="ivy", response_format="pcm", extra_body={"seed": 3}
    )
    assert speech.content == samples
    assert speech.response.headers["content-type"] == "audio/pcm"
    assert speech.response.headers["x-request-id"].startswith("req_")


def test_the_openai_client_streams(client, samples):
    body = {"seed": 3}
    with client.audio.speech.with_streaming_response.create(
        model="tiny", input=TEXT, voice="ivy", response_format="wav", extra_body=body
    ) as speech:
        parts = list(speech.iter_bytes())
    wav = b"".join(parts)
    assert len(parts) > 3
    assert wav[:4] == b"RIFF" and wav[4:8] == b"\xff\xff\xff\xff" and wav[40:44] == b"\xff\xff\xff\xff"
    assert wav[44:] == samples


@pytest.mark.smoke("opus-audio/ogg-ogg")
@pytest.mark.parametrize(
    ("name", "media_type", "container"),
    [
        ("mp3", "audio/mpeg", "mp3"),
        ("opus", "audio/ogg", "ogg"),
        ("aac", "audio/aac", "aac"),
        ("flac", "audio/flac", "flac"),
        ("wav", "audio/wav", "wav"),
    ],
)
def test_every_format_is_what_it_says(server, samples, name, media_type, container):
    answer = server.post(input=TEXT, voice="ivy", seed=3, response_format=name)
    assert answer.headers["content-type"] == media_type
    sound, rate = decoded(answer.content, container)
    assert abs(len(sound) / rate - len(samples) / 48_000) < 0.15
    assert sound.std() > 0


def test_flac_is_lossless(server, samples):
    sound, _ = decoded(server.post(input=TEXT, voice="ivy", seed=3, response_format="flac").content)
    assert sound.astype("<i2").tobytes() == samples


def test_mp3_is_what_comes_without_a_format(server):
    answer = server.post(input="Hi.", voice="ivy")
    assert answer.headers["content-type"] == "audio/mpeg"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-accel-buffering"] == "no"


def test_events_carry_the_same_bytes(server, samples):
    body = {"input": TEXT, "voice": "ivy", "seed": 3, "response_format": "pcm", "stream_format": "sse"}
    with httpx.stream("POST", f"{server.url}/v1/audio/speech", json=body, timeout=60) as answer:
        assert answer.headers["content-type"].partition(";")[0] == "text/event-stream"
        text = "".join(answer.iter_text())
    assert text.endswith("\n\n")
    lines = text[:-2].split("\n\n")
    assert all(line.startswith("data: ") for line in lines)
    events = [json.loads(line[6:]) for line in lines]
    assert b"".join(base64.b64decode(event["audio"]) for event in events[:-1]) == samples
    assert {event["type"] for event in events[:-1]} == {"speech.audio.delta"}
    assert events[-1]["type"] == "speech.audio.done"
    usage = events[-1]["usage"]
    assert usage["input_tokens"] > 5
    assert usage["total_tokens"] == usage["input_tokens"] + usage["output_tokens"]


def events_of(server, **body) -> list[dict]:
    with httpx.stream("POST", f"{server.url}/v1/audio/speech", json=body, timeout=60) as answer:
        text = "".join(answer.iter_text())
    assert answer.status_code == 200, text
    return [json.loads(line[6:]) for line in text[:-2].split("\n\n")]


@pytest.mark.smoke("1.5")
@pytest.mark.parametrize("speed", [1.0, 1.5])
def test_marks_come_behind_the_sound_of_their_piece(server, tiny, speed):
    wanted = [mark for chunk in tiny.narrate(TEXT, voice="ivy", seed=3, speed=speed) for mark in chunk.marks]
    body = {"input": TEXT, "voice": "ivy", "seed": 3, "response_format": "pcm", "stream_format": "sse", "marks": True}
    events = events_of(server, **body, speed=speed)
    marks = [mark for event in events if event["type"] == "speech.audio.marks" for mark in event["marks"]]
    assert [(mark["text"], mark["level"]) for mark in marks] == [(mark.text, mark.level) for mark in wanted]
    for mark, other in zip(marks, wanted, strict=True):
        assert (mark["start"], mark["end"]) == pytest.approx((other.start, other.end), abs=0.001)
    seconds = 0.0
    for event in events:
        if event["type"] == "speech.audio.delta":
            seconds += len(base64.b64decode(event["audio"])) / 48_000
        elif event["type"] == "speech.audio.marks":  # what they are of was sent, but for what the effects hold back
            assert event["marks"][-1]["end"] <= seconds + (0.2 if speed == 1 else 0.6)
    assert {event["type"] for event in events_of(server, **{**body, "input": "Hi.", "marks": False})} == {
        "speech.audio.delta",
        "speech.audio.done",
    }


@pytest.mark.long
def test_loudness_changes_the_level_and_no_peak_is_too_high(server):
    from mlx_tts.audio.effects.loudness import LoudnessMeter

    long = " ".join(["Good morning. It is seven o'clock. The train leaves at nine."] * 3)
    levels, peaks = {}, {}
    for wanted in (-30, -12, "off"):
        answer = server.post(input=long, voice="ivy", seed=3, response_format="pcm", loudness=wanted)
        heard = np.frombuffer(answer.content, "<i2") / np.float32(32768)
        meter = LoudnessMeter(24_000)
        meter.add(heard[len(heard) // 2 :])  # by then the voice's level is known
        levels[wanted], peaks[wanted] = meter.lufs, float(np.abs(heard).max())
    assert levels[-30] == pytest.approx(-30, abs=1.5)
    assert levels[-12] == pytest.approx(-12, abs=1.5)
    assert peaks[-12] <= 10 ** (-1 / 20) + 1e-3
    assert levels[-30] + 3 < levels["off"] < levels[-12] - 3


def test_loudness_is_heard(server, samples):
    answer = server.post(input=TEXT, voice="ivy", seed=3, response_format="pcm", loudness=-35)
    plain, quiet = (np.square(np.frombuffer(sound, "<i2") / 32768.0).mean() for sound in (samples, answer.content))
    assert len(answer.content) == len(samples)
    assert 10 * np.log10(quiet / plain) < -3


def test_company_changes_nothing(server, samples):
    answers = {}

    def ask(number: int) -> None:
        seed, voice = (3, "ivy") if number == 2 else (number + 10, "miles")
        answers[number] = server.post(input=TEXT, voice=voice, seed=seed, response_format="pcm")

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [answer.status_code for answer in answers.values()] == [200] * 3
    assert answers[2].content == samples
    assert len({answer.content for answer in answers.values()}) == 3


def test_speed_changes_the_length(server, samples):
    answer = server.post(input=TEXT, voice="ivy", seed=3, response_format="pcm", speed=2)
    assert abs(len(answer.content) / (len(samples) / 2) - 1) < 0.05


@pytest.mark.timed
def test_the_sound_comes_while_it_is_made(server):
    body = {"input": "This sentence takes some seconds.", "response_format": "pcm"}
    begin = time.monotonic()
    with httpx.stream("POST", f"{server.url}/v1/audio/speech", json=body, timeout=60) as answer:
        parts = answer.iter_raw()
        next(parts)
        first = time.monotonic() - begin
        for _ in parts:
            pass
    assert first < (time.monotonic() - begin) / 3


# Errors: status, type, field. Nothing of it was spoken.

WRONG = [
    ({}, 400, "input"),
    ({"input": " \n"}, 400, "input"),
    ({"input": 7}, 400, "input"),
    ({"input": None}, 400, "input"),
    ({"input": "x" * 100_001}, 400, "input"),
    ({"input": "Hi.", "voice": "nobody"}, 400, "voice"),
    ({"input": "Hi.", "voice": ["ivy"]}, 400, "voice"),
    ({"input": "Hi.", "voice": "../../etc/passwd"}, 400, "voice"),
    ({"input": "Hi.", "response_format": "midi"}, 400, "response_format"),
    ({"input": "Hi.", "speed": 0.2}, 400, "speed"),
    ({"input": "Hi.", "speed": 5}, 400, "speed"),
    ({"input": "Hi.", "speed": "fast"}, 400, "speed"),
    ({"input": "Hi.", "stream_format": "smoke"}, 400, "stream_format"),
    ({"input": "Hi.", "seed": -1}, 400, "seed"),
    ({"input": "Hi.", "seed": 1.5}, 400, "seed"),
    ({"input": "Hi.", "language": "klingon"}, 400, "language"),
    ({"input": "Hi.", "temperature": 9}, 400, "temperature"),
    ({"input": "Hi.", "loudness": -1}, 400, "loudness"),
    ({"input": "Hi.", "loudness": "loud"}, 400, "loudness"),
    ({"input": "Hi.", "marks": True}, 400, "marks"),
    ({"input": "Hi.", "marks": "maybe", "stream_format": "sse"}, 400, "marks"),
    ({"input": "[voice:nobody] Hi."}, 400, "input"),
    ({"input": "Hi.", "model": "gpt-5"}, 404, "model"),
    ({"input": "Hi.", "model": "../tiny"}, 404, "model"),
]


@pytest.mark.parametrize(("body", "status", "param"), WRONG, ids=lambda value: str(value)[:40])
def test_a_wrong_field_is_named(server, body, status, param):
    answer = server.post(**body)
    error = answer.json()["error"]
    assert (answer.status_code, error["param"]) == (status, param)
    assert error["type"] == "invalid_request_error"
    assert set(error) == {"message", "type", "param", "code"}
    if status == 404:
        assert error["code"] == "model_not_found"


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b'"Hi."', b"\xff\xfe", b"[" * 100_000], ids=lambda body: str(body[:4])
)
def test_what_is_no_object_is_refused(server, body):
    headers = {"Content-Type": "application/json"}
    answer = httpx.post(f"{server.url}/v1/audio/speech", content=body, headers=headers)
    assert answer.status_code == 400
    assert answer.json()["error"]["type"] == "invalid_request_error"


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", None])
def test_only_json_speaks(server, kind):
    headers = {} if kind is None else {"Content-Type": kind}
    answer = httpx.post(f"{server.url}/v1/audio/speech", content=b'{"input": "Hi."}', headers=headers)
    assert answer.status_code == 415


def test_paths_and_methods_that_are_not_there(server):
    for method, path, status in (
        ("GET", "/v1/nothing", 404),
        ("GET", "/v1/audio/speech", 405),
        ("PUT", "/health", 405),
    ):
        answer = httpx.request(method, f"{server.url}{path}")
        assert answer.status_code == status
        assert answer.json()["error"]["type"] == "invalid_request_error"


def test_the_openai_client_raises_its_own_errors(client, openai):
    with pytest.raises(openai.BadRequestError) as raised:
        client.audio.speech.create(model="tts-1", input="Hi.", voice="nobody")
    assert raised.value.param == "voice"
    assert raised.value.request_id.startswith("req_")
    with pytest.raises(openai.NotFoundError) as raised:
        client.audio.speech.create(model="gpt-5", input="Hi.", voice="ivy")
    assert raised.value.code == "model_not_found"


def test_fields_of_other_servers_are_ignored(server):
    answer = server.post(
        input="Hi.", voice={"id": "ivy"}, lang_code="a", normalization_options={}, speed=None, model=None
    )
    assert answer.status_code == 200


def test_the_voices_of_openai_speak(server):
    for voice in ("alloy", "cedar", "Nova"):
        assert server.post(input="Hi.", voice=voice, response_format="pcm", max_seconds=0.24).status_code == 200


def test_max_seconds_is_of_all_pieces(server):
    text = "Hi there. How are you?\n\nA paragraph more.\n\nAnd one more."
    answer = server.post(input=text, voice="ivy", response_format="pcm", max_seconds=1.6, seed=1)
    assert len(answer.content) == 2 * 1.6 * 24_000


def test_instructions_without_use_are_ignored(server):
    body = {"input": "Hi.", "voice": "ivy", "instructions": "Sing it.", "response_format": "pcm", "max_seconds": 0.24}
    assert [server.post(**body).status_code for _ in range(2)] == [200, 200]
    assert sum("instructions are ignored" in line for line in server.log) == 1


def test_the_log_holds_no_text(server):
    server.post(input="A secret.", voice="ivy", response_format="pcm")
    server.wait_for_log("spoke 9 characters")
    assert not any("secret" in line for line in server.log)
