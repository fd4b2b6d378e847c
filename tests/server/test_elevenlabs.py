"""ElevenLabs' own SDK, and the sockets as LiveKit and Pipecat use them, against a server that speaks."""

import asyncio
import base64
import io
import json
import time
from importlib.util import find_spec

import av
import numpy as np
import pytest

from tests.server.conftest import LONG_TEXT

if find_spec("elevenlabs") is None:
    pytest.skip("NOT CHECKED: ElevenLabs' clients, for elevenlabs is not installed", allow_module_level=True)

pytestmark = pytest.mark.slow
TEXT = "Hello there. It works."
RACHEL = "21m00Tcm4TlvDq8ikWAM"


@pytest.fixture(scope="module")
def client(server):
    from elevenlabs.client import ElevenLabs

    return ElevenLabs(base_url=server.url, api_key="none", timeout=60)


def decoded(data: bytes, **how) -> tuple[float, int]:
    """Seconds and rate."""
    with av.open(io.BytesIO(data), **how) as container:
        frames = list(container.decode(audio=0))
    return sum(frame.samples for frame in frames) / frames[0].sample_rate, frames[0].sample_rate


def check_alignment(alignment, text, seconds):
    assert "".join(alignment.characters) == text
    times = alignment.character_start_times_seconds
    assert times == sorted(times) and len(times) == len(alignment.character_end_times_seconds) == len(text)
    assert alignment.character_end_times_seconds[-1] == pytest.approx(seconds, abs=0.1)


def test_speech_and_lists(client):
    """One of each: the SDK reads every field."""
    from elevenlabs import VoiceSettings
    from elevenlabs.core.api_error import ApiError

    voices = client.voices.get_all().voices
    assert [voice.name for voice in voices][:4] == ["miles", "ivy", "rowan", "hazel"]
    ivy = voices[1]
    assert (ivy.category, ivy.labels["gender"], len(ivy.voice_id)) == ("premade", "female", 20)
    assert [voice.name for voice in client.voices.search(search="IV").voices] == ["ivy"]
    assert client.voices.get(ivy.voice_id).name == "ivy"
    with pytest.raises(ApiError) as unknown:
        client.voices.get("nobody")
    assert (unknown.value.status_code, unknown.value.body["detail"]["status"]) == (404, "voice_not_found")
    (model,) = client.models.list()
    assert model.model_id == "tiny" and model.can_do_text_to_speech
    assert [language.language_id for language in model.languages] == ["en"]
    assert client.user.subscription.get().status == "active"
    assert client.voices.get(RACHEL).labels["gender"] == "female"

    options = {"text": TEXT, "model_id": "eleven_flash_v2_5", "seed": 3, "voice_settings": VoiceSettings(speed=1.1)}
    whole = b"".join(client.text_to_speech.convert(ivy.voice_id, output_format="pcm_24000", **options))
    assert whole == b"".join(client.text_to_speech.stream("ivy", output_format="pcm_24000", **options))
    seconds = len(whole) / 48_000
    assert 1 < seconds < 6 and np.abs(np.frombuffer(whole, "<i2")).max() > 3000
    timed = client.text_to_speech.convert_with_timestamps("ivy", output_format="pcm_24000", **options)
    assert base64.b64decode(timed.audio_base_64) == whole
    check_alignment(timed.alignment, TEXT, seconds)


@pytest.mark.long
def test_times_come_with_the_stream(client):
    options = {"text": TEXT, "seed": 3, "output_format": "pcm_24000"}
    lines = list(client.text_to_speech.stream_with_timestamps("ivy", **options))
    sound = b"".join(base64.b64decode(line.audio_base_64) for line in lines)
    assert sound == b"".join(client.text_to_speech.convert("ivy", **options))
    (alignment,) = [line.alignment for line in lines if line.alignment is not None]
    check_alignment(alignment, TEXT, len(sound) / 48_000)


@pytest.mark.long
@pytest.mark.parametrize(
    "name", ["mp3_22050_32", "mp3_44100_128", "opus_48000_64", "wav_16000", "pcm_8000", "ulaw_8000", "alaw_8000"]
)
def test_each_format_decodes_at_its_rate(client, name):
    data = b"".join(client.text_to_speech.convert(RACHEL, text="Yes.", seed=1, output_format=name))
    codec, rate = name.split("_")[:2]
    raw = {"pcm": "s16le", "ulaw": "mulaw", "alaw": "alaw"}
    how = {"format": raw[codec], "options": {"sample_rate": rate}} if codec in raw else {}
    seconds, found = decoded(data, **how)
    assert found == int(rate) and 0.3 < seconds < 3


@pytest.mark.long
def test_errors_are_as_the_sdk_reads_them(client, serve):
    from elevenlabs.client import ElevenLabs
    from elevenlabs.core.api_error import ApiError

    for options, status, code in (
        ({"voice_id": "nobody", "text": "Yes."}, 400, "voice_not_found"),
        ({"voice_id": "ivy", "text": " "}, 400, "invalid_request_error"),
        ({"voice_id": "ivy", "text": "Yes.", "model_id": "gpt-5"}, 404, "model_not_found"),
        ({"voice_id": "ivy", "text": "Yes.", "output_format": "mp3_1_1"}, 400, "invalid_output_format"),
    ):
        with pytest.raises(ApiError) as error:
            b"".join(client.text_to_speech.convert(**options))
        assert (error.value.status_code, error.value.body["detail"]["status"]) == (status, code)
    guarded = serve("--model", "tiny", "--strict-names", MLX_TTS_API_KEY="the-right-key-of-it", ready=False)
    with pytest.raises(ApiError) as error:
        ElevenLabs(base_url=guarded.url, api_key="wrong").voices.get_all()
    assert (error.value.status_code, error.value.body["detail"]["status"]) == (401, "invalid_api_key")
    right = ElevenLabs(base_url=guarded.url, api_key="the-right-key-of-it")
    assert len(right.voices.get_all().voices) == 4
    with pytest.raises(ApiError) as error:
        b"".join(right.text_to_speech.convert(RACHEL, text="Yes."))
    assert error.value.status_code == 404


# Sockets.


def talk(server, path, work, **headers):
    """Run `await work(send, receive)` over a socket; what it returns."""
    import websockets

    async def talking():
        address = f"{server.url.replace('http', 'ws')}/v1/text-to-speech/{path}"
        async with websockets.connect(address, additional_headers=headers) as socket:

            async def send(**message):
                await socket.send(json.dumps(message))

            async def receive():
                return json.loads(await asyncio.wait_for(socket.recv(), 30))

            return await work(send, receive)

    return asyncio.run(talking())


async def until_final(receive, context):
    """The messages of a context until it is over."""
    messages = []
    while True:
        message = await receive()
        assert message.get("contextId") == context, message
        if message.get("isFinal"):
            return messages
        messages.append(message)


def sound_of(messages) -> bytes:
    return b"".join(base64.b64decode(message["audio"]) for message in messages)


@pytest.mark.long
def test_as_livekit_speaks(server):
    """livekit-plugins-elevenlabs: sentences that are flushed, closed right after the last; times of the context."""

    async def work(send, receive):
        await send(text=" ", voice_settings={}, context_id="a")
        await send(text="Hello there, my friend. ", context_id="a", flush=True)
        await send(text="It works. ", context_id="a", flush=True)
        await send(text="", context_id="a", flush=True)
        await send(context_id="a", close_context=True)
        return await until_final(receive, "a")

    query = "multi-stream-input?model_id=eleven_flash_v2_5&output_format=pcm_24000&auto_mode=true&sync_alignment=true"
    messages = talk(server, f"ivy/{query}", work, **{"xi-api-key": "x"})
    said = [message["normalizedAlignment"] for message in messages if message["normalizedAlignment"]]
    assert "".join("".join(times["chars"]) for times in said) == "Hello there, my friend. It works. "
    starts = [start for times in said for start in times["charStartTimesMs"]]
    assert starts == sorted(starts)
    end = said[-1]["charStartTimesMs"][-1] + said[-1]["charDurationsMs"][-1]
    assert end / 1000 == pytest.approx(len(sound_of(messages)) / 48_000, abs=0.1)


@pytest.mark.timed
def test_as_pipecat_speaks_and_is_interrupted(server):
    """pipecat.services.elevenlabs: sentences without a space behind, signs of life, an interruption, and another."""

    async def work(send, receive):
        await send(text=" ", context_id="a")
        await send(text="This is a long text that is interrupted by its listener, long before its end.", context_id="a")
        await send(context_id="a", flush=True)
        first = await receive()
        await send(text="")
        await send(context_id="a", close_context=True)
        begin = time.monotonic()
        await send(text=" ", context_id="b")
        while server.metric("mlx_tts_rows_used"):
            assert time.monotonic() < begin + 5
            await asyncio.sleep(0.02)
        freed = time.monotonic() - begin
        await send(text="Yes.", context_id="b")
        await send(context_id="b", flush=True)
        messages = []
        while sum(len(message["alignment"]["chars"]) for message in messages if message["alignment"]) != 5:
            message = await receive()
            if message["contextId"] == "b":
                messages.append(message)
        await send(close_socket=True)
        return first, freed, messages

    first, freed, messages = talk(server, "ivy/multi-stream-input?output_format=pcm_16000&auto_mode=true", work)
    assert first["contextId"] == "a" and first["audio"]
    assert freed < 1.0
    heard = 0.0
    for message in messages:
        times = message["alignment"]
        if times is not None:
            heard += (times["charStartTimesMs"][-1] + times["charDurationsMs"][-1]) / 1000
    assert heard == pytest.approx(len(sound_of(messages)) / 32_000, abs=0.1)


def test_a_sign_of_life_for_a_context_that_has_ended_opens_none(server):
    """Pipecat names the context that it still plays. Twenty such ones would be more than a socket may have."""

    async def work(send, receive):
        for number in range(20):
            await send(text="", context_id=f"old {number}")
        await send(text="It works.", context_id="now", flush=True)
        await send(context_id="now", close_context=True)
        await send(text="", context_id="old 0")  # it must not silence the one that is spoken
        return await until_final(receive, "now")

    messages = talk(server, "ivy/multi-stream-input?output_format=pcm_16000&auto_mode=true", work)
    said = [message["alignment"] for message in messages if message["alignment"]]
    assert "".join("".join(times["chars"]) for times in said) == "It works. "


@pytest.mark.long
def test_the_sdks_own_socket(server, client):
    """It always takes wss, which a server of this machine does not have: the address is put right here."""
    speech = client.text_to_speech
    speech._ws_base_url = server.url.replace("http", "ws")
    sound = b"".join(speech.convert_realtime("ivy", text=iter(["Hello ", "there."]), output_format="pcm_24000"))
    assert 0.4 < len(sound) / 48_000 < 4


@pytest.mark.long
@pytest.mark.parametrize("message", ["{", "[]", '{"text": 5, "context_id": "a"}', b"\x00"])
def test_nonsense_is_refused_with_a_line(server, message):
    import websockets

    async def talking():
        address = f"{server.url.replace('http', 'ws')}/v1/text-to-speech/ivy/multi-stream-input"
        async with websockets.connect(address) as socket:
            await socket.send(message)
            said = json.loads(await socket.recv())
            with pytest.raises(websockets.ConnectionClosed):
                await socket.recv()
            return said, socket.close_code

    said, code = asyncio.run(talking())
    assert isinstance(said["error"], str) and code == 1008


def test_all_contexts_end_with_their_client(server):
    import websockets

    async def talking():
        address = f"{server.url.replace('http', 'ws')}/v1/text-to-speech/ivy/multi-stream-input"
        socket = await websockets.connect(address)
        for name in "abc":
            await socket.send(json.dumps({"text": LONG_TEXT, "context_id": name, "flush": True}))
        assert json.loads(await socket.recv())["audio"]
        socket.transport.abort()

    before = len(server.log)
    asyncio.run(talking())
    until = time.monotonic() + 5
    while server.metric("mlx_tts_rows_used") or server.metric("mlx_tts_waiting_requests"):
        assert time.monotonic() < until
        time.sleep(0.02)
    assert server.log[before:] == []


def test_words_that_are_never_finished_do_not_hold_the_socket(server):
    """The client is silent after a word: nothing can be spoken, so the limit counts."""
    import websockets

    async def talking():
        address = f"{server.url.replace('http', 'ws')}/v1/text-to-speech/ivy/stream-input?inactivity_timeout=1"
        async with websockets.connect(address) as socket:
            await socket.send(json.dumps({"text": "Hello "}))
            return json.loads(await asyncio.wait_for(socket.recv(), 10))

    assert asyncio.run(talking())["detail"]["status"] == "input_timeout_exceeded"


@pytest.mark.long
def test_each_context_has_its_own_speed(server):
    async def spoken(send, receive, context, **more):
        await send(text="It works very well. ", context_id=context, flush=True, **more)
        sound = [await receive()]
        while "".join(char for one in sound for char in (one["alignment"] or {"chars": ""})["chars"]).count(".") < 1:
            sound.append(await receive())
        return len(sound_of(sound))

    async def work(send, receive):
        first = await spoken(send, receive, "a")
        fast = await spoken(send, receive, "b", voice_settings={"speed": 2})
        again = await spoken(send, receive, "a")
        return first, fast, again

    first, fast, again = talk(server, "ivy/multi-stream-input?output_format=pcm_24000&seed=3", work)
    assert again > 0.9 * first and fast < 0.7 * first


# Kokoro-FastAPI's captions.


def test_captions(server):
    import httpx

    body = {"model": "kokoro", "voice": "af_sky", "input": TEXT, "response_format": "pcm", "seed": 3}
    url = f"{server.url}/dev/captioned_speech"
    whole = httpx.post(url, json={**body, "stream": False}, timeout=60).json()
    lines = [json.loads(line) for line in httpx.post(url, json=body, timeout=60).text.splitlines()]
    sound = base64.b64decode(whole["audio"])
    assert b"".join(base64.b64decode(line["audio"]) for line in lines) == sound
    words = [word for line in lines for word in line["timestamps"]]
    assert words == whole["timestamps"]
    assert " ".join(word["word"] for word in words) == TEXT
    times = [time for word in words for time in (word["start_time"], word["end_time"])]
    assert times == sorted(times) and times[-1] == pytest.approx(len(sound) / 48_000, abs=0.1)
    assert httpx.post(url, json={**body, "voice": "nobody"}).json()["detail"]["error"] == "voice_not_found"
    names = httpx.get(f"{server.url}/v1/audio/voices?legacy=true").json()["voices"]
    assert names[:2] == ["miles", "ivy"]
