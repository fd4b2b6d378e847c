"""Home Assistant's sequences of events, by the wyoming package's own client, and what a stranger may send."""

import asyncio
import socket

import httpx
import pytest
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.client import AsyncTcpClient
from wyoming.error import Error
from wyoming.event import Event
from wyoming.info import Describe, Info
from wyoming.tts import Synthesize, SynthesizeChunk, SynthesizeStart, SynthesizeStop, SynthesizeStopped, SynthesizeVoice

pytestmark = pytest.mark.slow

TEXT = "Go on. It is."


def port(server) -> int:
    line = server.wait_for_line(1)
    assert line.startswith("wyoming on tcp://127.0.0.1:")
    return int(line.rpartition(":")[2])


def talk(server, *events: Event, until: str = AudioStop().event().type) -> list[Event]:
    """Send events, then read up to the first of this type, or to the end of the connection."""

    async def run() -> list[Event]:
        got = []
        async with AsyncTcpClient("127.0.0.1", port(server)) as client, asyncio.timeout(30):
            for event in events:
                await client.write_event(event)
            while (event := await client.read_event()) is not None:
                got.append(event)
                if event.type == until:
                    break
        return got

    return asyncio.run(run())


def sound(events: list[Event]) -> bytes:
    return b"".join(AudioChunk.from_event(event).audio for event in events if AudioChunk.is_type(event.type))


def test_describe(wyoming):
    (event,) = talk(wyoming, Describe().event(), until="info")
    (program,) = Info.from_event(event).tts
    assert program.supports_synthesize_streaming and program.installed
    assert [voice.name for voice in program.voices] == ["miles", "ivy", "rowan", "hazel"]
    assert all(voice.languages == ["en"] and voice.installed for voice in program.voices)


def test_a_whole_text(wyoming):
    events = talk(wyoming, Synthesize(TEXT, SynthesizeVoice("ivy")).event())
    assert AudioStart.is_type(events[0].type) and AudioStop.is_type(events[-1].type)
    start = AudioStart.from_event(events[0])
    assert (start.rate, start.width, start.channels) == (24_000, 2, 1)
    assert len(sound(events)) > 48_000


def test_home_assistant_streams_and_sends_the_whole_text_again(wyoming):
    words = [SynthesizeChunk(word + " ").event() for word in TEXT.split()]
    whole = Synthesize(TEXT, SynthesizeVoice("ivy")).event()
    sent = [SynthesizeStart(SynthesizeVoice("ivy")).event(), *words, whole, SynthesizeStop().event()]
    events = talk(wyoming, *sent, until=SynthesizeStopped().event().type)
    kinds = [event.type for event in events]
    assert (kinds[0], kinds[-2:]) == ("audio-start", ["audio-stop", "synthesize-stopped"])
    assert kinds.count("audio-start") == kinds.count("audio-stop") == 1
    alone = len(sound(talk(wyoming, whole)))
    assert 0.5 * alone < len(sound(events)) < 1.6 * alone


def test_sound_comes_before_the_text_is_complete(wyoming):
    async def run() -> None:
        async with AsyncTcpClient("127.0.0.1", port(wyoming)) as client, asyncio.timeout(30):
            await client.write_event(SynthesizeStart(SynthesizeVoice("ivy")).event())
            await client.write_event(SynthesizeChunk("It was late. The second").event())
            while not AudioChunk.is_type((await client.read_event()).type):
                pass
            await client.write_event(SynthesizeChunk(" one follows.").event())
            await client.write_event(SynthesizeStop().event())
            while not SynthesizeStopped.is_type((await client.read_event()).type):
                pass

    asyncio.run(run())


def test_one_connection_speaks_again_and_again(wyoming):
    async def run() -> list[int]:
        lengths = []
        async with AsyncTcpClient("127.0.0.1", port(wyoming)) as client, asyncio.timeout(60):
            for _ in range(2):
                await client.write_event(Synthesize("Hello.", SynthesizeVoice("ivy")).event())
                events = []
                while not events or not AudioStop.is_type(events[-1].type):
                    events.append(await client.read_event())
                lengths.append(len(sound(events)))
        return lengths

    assert all(length > 10_000 for length in asyncio.run(run()))


def test_a_blank_text_is_silence(wyoming):
    assert [event.type for event in talk(wyoming, Synthesize(" ").event())] == ["audio-start", "audio-stop"]


def test_after_an_error_the_connection_is_closed(wyoming):
    events = talk(wyoming, Synthesize("Hello.", SynthesizeVoice("nobody")).event(), until="never")
    assert [event.type for event in events] == ["error"]
    assert "unknown voice 'nobody'" in Error.from_event(events[0]).text


@pytest.mark.parametrize(
    "line",
    [
        b"nonsense\n",
        b"[]\n",
        b'{"type": 7}\n',
        b'{"type": "synthesize", "data": [1]}\n',
        b'{"type": "synthesize", "data": {"text": "Hi.", "voice": {"name": 7}}}\n',
        b'{"type": "synthesize-start", "data": {"voice": {"name": ["ivy"]}}}\n',
        b'{"type": "ping", "data": {"text": [7]}}\n' + b"}\n",
        b'{"type": "describe", "data_length": 99000000000}\n',
        b'{"type": "describe", "data_length": -1}\n',
        b'{"type": "describe", "payload_length": "many"}\n',
        b'{"type": "describe", "data_length": 2}\n[]',
        b'{"type": "synthesize", "data": {"text": 7}}\n',
        b"x" * 200_000 + b"\n",
    ],
    ids=lambda line: str(line[:50]),
)
def test_nonsense_ends_the_connection_and_nothing_else(wyoming, line):
    with socket.create_connection(("127.0.0.1", port(wyoming)), timeout=10) as client:
        client.sendall(line)
        received = b""
        while part := client.recv(65_536):
            received += part
    assert any(b'"type": "error"' in line for line in received.splitlines())
    assert httpx.get(f"{wyoming.url}/health").status_code == 200
    assert talk(wyoming, Describe().event(), until="info")


def test_a_client_that_goes_frees_its_row(wyoming):
    async def run() -> None:
        async with AsyncTcpClient("127.0.0.1", port(wyoming)) as client:
            await client.write_event(Synthesize("A sentence that is long enough to be left. " * 9).event())
            while not AudioChunk.is_type((await client.read_event()).type):
                pass

    asyncio.run(run())
    assert wyoming.wait_for_metric("mlx_tts_rows_used", 0) < 1.0


def test_wyoming_beyond_this_machine_needs_a_word(serve):
    server = serve("--model", "tiny", "--host", "0.0.0.0", "--wyoming", "0", ready=False, MLX_TTS_API_KEY="secret")
    assert server.process.wait(20) == 2
    server._readers[1].join(5)
    assert "Wyoming cannot ask for a key" in server.log[-1]


def test_a_new_text_ends_the_one_before(wyoming):
    """Its end would never be read: the connection kept its descriptor for good, also when the client was gone."""
    start, stop = SynthesizeStart(SynthesizeVoice("ivy")).event(), SynthesizeStop().event()
    sent = [start, SynthesizeChunk(TEXT).event(), start, SynthesizeChunk(TEXT).event(), stop]
    events = talk(wyoming, *sent, until=SynthesizeStopped().event().type)
    assert len(sound(events)) > 48_000


def test_a_client_that_goes_in_the_midst_is_no_fault_of_the_server(wyoming):
    """To write to a client that has gone is AttributeError from Python 3.12 on: /health said the engine was broken."""
    text = Synthesize("A sentence that is long enough to be left. " * 9).event()

    async def run() -> None:
        for _ in range(3):
            client = AsyncTcpClient("127.0.0.1", port(wyoming))
            await client.connect()
            await client.write_event(text)
            while not AudioChunk.is_type((await client.read_event()).type):
                pass
            client._writer.transport.abort()  # a reset, as of a machine that is switched off

    asyncio.run(run())
    assert wyoming.wait_for_metric("mlx_tts_rows_used", 0) < 1.0
    assert httpx.get(f"{wyoming.url}/health").status_code == 200
    assert not [line for line in wyoming.log if "Traceback" in line or "speaking failed" in line]
