"""LiveKit's and Pipecat's own services against a server that speaks, as voice agents run them.

test_elevenlabs and test_clients send what these programs send; here they send it themselves, and read the answers.
CI's job `clients` installs them. Elsewhere each test is skipped, and says so.
"""

import asyncio
from itertools import pairwise

import pytest

from tests.helpers.client_packages import needs_client
from tests.server.conftest import LONG_TEXT

pytestmark = pytest.mark.long
WORDS = ["Hello", "there,", "my", "friend.", "It", "works."]
SECONDS = 120  # for an answer, on a machine that does other things as well
EMOJI = "\N{GRINNING FACE}"


def run(work):
    async def limited():
        return await asyncio.wait_for(work(), SECONDS)

    return asyncio.run(limited())


def check_words(words, starts, seconds):
    """The words in their order, with times that rise within the sound."""
    assert words == WORDS
    assert all(before < after for before, after in pairwise(starts))
    assert starts[-1] < seconds


# LiveKit.


@pytest.fixture
def livekit():
    needs_client("livekit.plugins.elevenlabs", "LiveKit's ElevenLabs service")
    needs_client("livekit.plugins.openai", "LiveKit's OpenAI service")


def test_livekit_reads_when_each_word_is_spoken(server, livekit):
    import aiohttp
    from livekit.agents.types import USERDATA_TIMED_TRANSCRIPT
    from livekit.plugins import elevenlabs

    async def spoken(tts):
        stream = tts.stream()
        for word in WORDS:
            stream.push_text(f"{word} ")
        stream.end_input()
        seconds, words = 0.0, []
        async for event in stream:
            seconds += event.frame.duration
            words += event.frame.userdata.get(USERDATA_TIMED_TRANSCRIPT, [])
        await stream.aclose()
        return seconds, words

    async def work():
        async with aiohttp.ClientSession() as session:
            options = {"voice_id": "ivy", "encoding": "pcm_24000", "http_session": session}
            tts = elevenlabs.TTS(base_url=f"{server.url}/v1", api_key="none", **options)
            voices = [voice.name for voice in await tts.list_voices()]
            spoke = [await spoken(tts) for _ in range(2)]  # the second over the same socket
            whole = await tts.synthesize(" ".join(WORDS)).collect()
            await tts.aclose()
            return voices, spoke, whole.duration

    voices, spoke, whole = run(work)
    assert voices == ["miles", "ivy", "rowan", "hazel"]
    for seconds, words in spoke:
        check_words([word.strip() for word in words], [word.start_time for word in words], seconds)
        assert words[-1].end_time == pytest.approx(seconds, abs=0.1)
    assert 1 < whole < 6


def test_livekit_speaks_with_names_of_other_voices(server, livekit):
    from livekit.plugins import openai

    async def seconds(text, **options):
        tts = openai.TTS(base_url=f"{server.url}/v1", api_key="none", **options)
        frame = await tts.synthesize(text).collect()
        await tts.aclose()
        return frame.duration

    async def work():
        kokoro = await seconds("It works.", model="kokoro", voice="af_alloy")
        events, whole = await seconds(EMOJI, voice="ash"), await seconds(EMOJI, model="tts-1", voice="ash")
        return kokoro, events, whole

    kokoro, events, whole = run(work)
    assert 0.4 < kokoro < 4
    assert events == whole == pytest.approx(0.1, abs=0.05)  # nobody can say it: as much silence


def test_livekit_speaks_over_the_realtime_socket(server, livekit):
    import aiohttp
    from livekit.agents import llm
    from livekit.plugins import openai

    async def asked(session, text):
        context = llm.ChatContext()
        context.add_message(role="user", content=text)
        await session.update_chat_ctx(context)
        generation = await session.generate_reply()
        return await anext(aiter(generation.message_stream))

    async def read(message):
        async def text():
            return "".join([str(part) async for part in message.text_stream])

        async def seconds():
            return sum([frame.duration async for frame in message.audio_stream])

        return await asyncio.gather(text(), seconds())

    async def work():
        async with aiohttp.ClientSession() as http:
            model = openai.realtime.RealtimeModel(
                base_url=f"{server.url}/v1", api_key="none", model="gpt-realtime", voice="ivy", http_session=http
            )
            session, errors = model.session(), []
            session.on("error", errors.append)
            text, seconds = await read(await asked(session, " ".join(WORDS)))
            long = await asked(session, LONG_TEXT)
            await anext(aiter(long.audio_stream))
            session.interrupt()
            rest = await read(long)
            await session.aclose()
            await model.aclose()
            return text, seconds, rest[1], errors

    text, seconds, rest, errors = run(work)
    assert text == " ".join(WORDS) and 1 < seconds < 6
    assert rest < 20  # of more than thirty
    assert errors == []
    server.wait_for_metric("mlx_tts_rows_used", 0)


# Pipecat.


@pytest.fixture
def pipecat():
    needs_client("pipecat", "Pipecat")


def turn(*texts):
    """The frames of an answer that a language model writes."""
    from pipecat.frames import frames

    return [frames.LLMFullResponseStartFrame(), *map(frames.LLMTextFrame, texts), frames.LLMFullResponseEndFrame()]


async def piped(service, *sent, rate=24_000):
    """What a pipeline with this service makes of the frames: seconds of sound, and the frames of text."""
    from pipecat.frames import frames
    from pipecat.pipeline.worker import PipelineParams
    from pipecat.tests.utils import run_test

    down, up = await run_test(
        service,
        frames_to_send=sent,
        pipeline_params=PipelineParams(audio_out_sample_rate=rate),
        start_timeout=SECONDS,
    )
    assert [str(frame) for frame in up if isinstance(frame, frames.ErrorFrame)] == []
    sound = [frame for frame in down if isinstance(frame, frames.TTSAudioRawFrame)]
    return (
        sum(len(frame.audio) / 2 / frame.sample_rate for frame in sound),
        [frame for frame in down if isinstance(frame, frames.TTSTextFrame)],
    )


def over_socket(server):
    from pipecat.services.elevenlabs.tts import ElevenLabsTTSService

    settings = ElevenLabsTTSService.Settings(voice="ivy")
    return ElevenLabsTTSService(url=server.url.replace("http", "ws"), api_key="none", settings=settings)


def check_timed(seconds, texts):
    starts = [frame.pts / 1e9 for frame in texts]
    check_words([frame.text for frame in texts], [start - starts[0] for start in starts], seconds)


def test_pipecat_speaks_with_openais_voices(server, pipecat):
    from pipecat.frames.frames import TTSSpeakFrame
    from pipecat.services.openai.tts import OpenAITTSService

    def service():
        settings = OpenAITTSService.Settings(voice="nova")
        return OpenAITTSService(base_url=f"{server.url}/v1", api_key="none", settings=settings)

    async def work():
        answer = await piped(service(), *turn("Hello there. ", "It works."))
        return answer, await piped(service(), TTSSpeakFrame(EMOJI))

    (seconds, texts), (silence, _) = run(work)
    assert 1 < seconds < 6 and [frame.text for frame in texts] == ["Hello there.", "It works."]
    assert silence == pytest.approx(0.1, abs=0.05)


@pytest.mark.parametrize("rate", [24_000, 16_000])
def test_pipecat_reads_when_each_word_is_spoken(server, pipecat, rate):
    async def work():
        return await piped(over_socket(server), *turn("Hello there, my friend. ", "It works."), rate=rate)

    check_timed(*run(work))


def test_pipecat_is_interrupted_and_speaks_again(server, pipecat):
    from pipecat.frames.frames import InterruptionFrame
    from pipecat.tests.utils import SleepFrame

    async def work():
        waits = SleepFrame(4), InterruptionFrame(), SleepFrame(1)
        return await piped(over_socket(server), *turn(LONG_TEXT), *waits, *turn("It works."))

    seconds, texts = run(work)
    assert [frame.text for frame in texts[-2:]] == ["It", "works."]
    assert seconds < 20  # of more than thirty: the rest was not waited for
    server.wait_for_metric("mlx_tts_rows_used", 0)


def test_pipecat_reads_timed_lines_over_http(server, pipecat):
    import aiohttp
    from pipecat.services.elevenlabs.tts import ElevenLabsHttpTTSService

    async def work():
        async with aiohttp.ClientSession() as session:
            settings = ElevenLabsHttpTTSService.Settings(voice="ivy")
            service = ElevenLabsHttpTTSService(
                base_url=server.url, api_key="none", aiohttp_session=session, settings=settings
            )
            return await piped(service, *turn("Hello there, my friend. ", "It works."))

    check_timed(*run(work))


def test_pipecats_models_take_every_realtime_event(server, pipecat):
    import json

    import websockets
    from pipecat.services.openai.realtime.events import parse_server_event

    async def work():
        async with websockets.connect(f"{server.url.replace('http', 'ws')}/v1/realtime?model=gpt-realtime") as socket:

            async def until(kind):
                came = []
                while not came or came[-1].type != kind:
                    came.append(parse_server_event(await asyncio.wait_for(socket.recv(), 60)))
                return came

            async def send(kind, **fields):
                await socket.send(json.dumps({"type": kind, **fields}))

            parsed = await until("session.created")
            await send("session.update", session={"type": "realtime", "audio": {"output": {"voice": "ivy"}}})
            parsed += await until("session.updated")
            content = [{"type": "input_text", "text": "It works."}]
            await send("conversation.item.create", item={"type": "message", "role": "user", "content": content})
            parsed += await until("conversation.item.done")
            await send("response.create")
            parsed += await until("response.done")
            await send("response.cancel")
            return parsed + await until("error")

    kinds = [event.type for event in run(work)]
    assert kinds[:2] == ["session.created", "session.updated"] and kinds[-2:] == ["response.done", "error"]
    assert {"response.output_audio.delta", "response.output_audio_transcript.delta"} <= set(kinds)
