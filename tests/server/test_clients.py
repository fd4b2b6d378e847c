"""Requests as other programs send them, word by word, from their own source code (November 2026).

The openai client itself is in test_speech, Home Assistant in test_wyoming, a language model in test_websocket.
"""

import asyncio
import io
import json
import shutil
import subprocess

import av
import httpx
import pytest

pytestmark = pytest.mark.slow

TEXT = "Hello."


def seconds(data: bytes) -> float:
    with av.open(io.BytesIO(data)) as container:
        frames = list(container.decode(audio=0))
    return sum(frame.samples for frame in frames) / frames[0].sample_rate


def test_open_webui(server):
    """backend/open_webui/routers/audio.py: the page's body, with the model put in; the file is read whole."""
    headers = {
        "Content-Type": "application/json",
        "Authorization": "Bearer ",
        "X-OpenWebUI-User-Name": "Ada",
        "User-Agent": "Python/3.11 aiohttp/3.12",
    }
    headers["Authorization"] = headers["Authorization"].strip()
    body = {"input": TEXT, "voice": "alloy", "model": "tts-1"}
    answer = httpx.post(f"{server.url}/v1/audio/speech", json=body, headers=headers, timeout=60)
    assert answer.headers["content-type"] == "audio/mpeg"
    assert 0.5 < seconds(answer.content) < 10
    refused = httpx.post(f"{server.url}/v1/audio/speech", json={**body, "voice": "nobody"}, headers=headers)
    assert refused.json()["error"]["message"]  # what it shows to its user


def test_sillytavern(server):
    """src/endpoints/openai.js: the whole address is the user's; no key is configured."""
    headers = {"Content-Type": "application/json", "Authorization": "Bearer", "User-Agent": "node"}
    body = {"input": TEXT, "response_format": "mp3", "voice": "shimmer", "speed": 1, "model": "tts-1"}
    answer = httpx.post(f"{server.url}/v1/audio/speech", json=body, headers=headers, timeout=60)
    assert answer.status_code == 200
    assert 0.5 < seconds(answer.content) < 10


def test_livekit(server, openai):
    """livekit-plugins-openai: a warming GET of the base URL, then a stream whose Content-Type it believes."""
    assert httpx.get(f"{server.url}/v1/").status_code == 200

    async def run(**more) -> tuple[str, bytes]:
        async with openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0) as client:
            timeout = httpx.Timeout(30, connect=10)
            options = {"model": "gpt-4o-mini-tts", "voice": "ash", "response_format": "mp3", "speed": 1.0, **more}
            async with client.audio.speech.with_streaming_response.create(
                input=TEXT, timeout=timeout, **options
            ) as stream:
                return stream.headers["content-type"], b"".join([part async for part in stream.iter_bytes()])

    kind, sound = asyncio.run(run(instructions="Speak kindly."))
    assert kind == "audio/mpeg" and 0.5 < seconds(sound) < 10
    kind, events = asyncio.run(run(stream_format="sse"))
    assert kind.startswith("text/event-stream")
    last = [json.loads(line[6:]) for line in events.decode().splitlines() if line.startswith("data: ")][-1]
    assert last["type"] == "speech.audio.done"


def test_pipecat(server, openai):
    """pipecat.services.openai.tts: 24 kHz PCM, in parts of a size of its own; only OpenAI's voices."""

    async def run() -> bytes:
        async with openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key="none") as client:
            options = {"input": TEXT, "model": "gpt-4o-mini-tts", "voice": "ballad", "response_format": "pcm"}
            async with client.audio.speech.with_streaming_response.create(
                **options, instructions="Speak kindly.", speed=1.2
            ) as stream:
                assert stream.status_code == 200
                return b"".join([part async for part in stream.iter_bytes(9600)])

    assert 0.5 < len(asyncio.run(run())) / 48_000 < 10


def test_the_javascript_client(server):
    """openai-node: its own headers, and an Accept that names no format."""
    headers = {
        "accept": "application/octet-stream",
        "content-type": "application/json",
        "user-agent": "OpenAI/JS 6.9.1",
        "x-stainless-lang": "js",
        "x-stainless-retry-count": "0",
        "authorization": "Bearer none",
        "sec-fetch-mode": "cors",
    }
    body = {"model": "gpt-4o-mini-tts", "voice": "coral", "input": TEXT, "response_format": "opus"}
    answer = httpx.post(f"{server.url}/v1/audio/speech", json=body, headers=headers, timeout=60)
    assert answer.headers["content-type"] == "audio/ogg"
    assert 0.5 < seconds(answer.content) < 10


@pytest.mark.skipif(shutil.which("curl") is None, reason="NOT CHECKED with curl: it is not installed")
def test_curl(server, tmp_path):
    body = json.dumps({"input": TEXT, "voice": "ivy", "response_format": "wav"})
    command = ["curl", "-sf", f"{server.url}/v1/audio/speech", "-H", "Content-Type: application/json", "-d", body]
    subprocess.run([*command, "-o", str(tmp_path / "hello.wav")], check=True, timeout=60)
    assert 0.5 < seconds((tmp_path / "hello.wav").read_bytes()) < 10


@pytest.mark.heard
@pytest.mark.long
def test_the_words_arrive(server):
    from tests.helpers.hearing import recognised, word_errors, words

    text = "The train to the north leaves at nine. Please wait behind the line."
    answer = server.post(input=text, voice="ivy", seed=1, response_format="flac")
    with av.open(io.BytesIO(answer.content)) as container:
        import numpy as np

        sound = np.concatenate([frame.to_ndarray().mean(axis=0) for frame in container.decode(audio=0)]) / 32768
    assert word_errors(words(text), recognised(sound.astype(np.float32), 24_000)) <= 2
