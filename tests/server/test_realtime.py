"""OpenAI's Realtime WebSocket, as its own client and as strangers speak it: texts come back as sound, word for word."""

import asyncio
import base64
import json

import pytest
import websockets.exceptions
from websockets.sync.client import connect

from mlx_tts.server.realtime import MOST_ITEMS, QUOTED
from tests.server.conftest import FEW_ROWS, running

pytestmark = pytest.mark.slow
SAID = "Go on. It is."


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with running(tmp_path_factory.mktemp("home"), *FEW_ROWS, "--max-input", "2000") as server:
        server.wait_until_ready()
        yield server


class Client:
    def __init__(self, server, query="?model=gpt-realtime-mini", **options):
        self._connection = connect(f"{server.url.replace('http', 'ws')}/v1/realtime{query}", max_size=None, **options)
        self._socket = self._connection.__enter__()
        self.created = self.next()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._connection.__exit__(*error)

    def send(self, type, **event):
        self._socket.send(json.dumps({"type": type, **event}))

    def next(self, timeout=60.0):
        return json.loads(self._socket.recv(timeout))

    def until(self, *types):
        """All events up to the first of these types."""
        events = [self.next()]
        while events[-1]["type"] not in types:
            events.append(self.next())
        return events

    def say(self, text, **response):
        item = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
        self.send("response.create", response={"input": [item], **response})


def pcm(events):
    return b"".join(base64.b64decode(e["delta"]) for e in events if e["type"] == "response.output_audio.delta")


def kinds(events):
    return [event["type"] for event in events]


def test_a_response_has_its_events_in_order(server):
    with Client(server) as client:
        assert client.created["type"] == "session.created"
        assert client.created["session"]["audio"]["output"]["voice"] == "miles"  # who speaks where nobody is named
        assert client.created["session"]["audio"]["output"]["format"] == {"type": "audio/pcm", "rate": 24_000}
        client.send("session.update", session={"type": "realtime", "audio": {"output": {"voice": "ivy"}}, "seed": 5})
        assert client.next()["session"]["audio"]["output"]["voice"] == "ivy"
        content = [{"type": "input_text", "text": SAID}]
        client.send(
            "conversation.item.create", item={"type": "message", "role": "user", "id": "one", "content": content}
        )
        added, done = client.next(), client.next()
        assert (added["type"], done["type"]) == ("conversation.item.added", "conversation.item.done")
        assert added["item"]["id"] == "one" and added["previous_item_id"] is None
        client.send("response.create", response={"metadata": {"client_event_id": "7"}})
        events = client.until("response.done")
    found = kinds(events)
    assert found[:4] == [
        "response.created", "response.output_item.added", "conversation.item.added", "response.content_part.added",
    ]  # fmt: skip
    assert found[-6:] == [
        "response.output_audio.done", "response.output_audio_transcript.done", "response.content_part.done",
        "response.output_item.done", "conversation.item.done", "response.done",
    ]  # fmt: skip
    assert found[4] == "response.output_audio_transcript.delta"  # the words come before their sound
    said = "".join(e["delta"] for e in events if e["type"] == "response.output_audio_transcript.delta")
    done = events[-1]["response"]
    assert said == SAID == done["output"][0]["content"][0]["transcript"]
    assert done["status"] == "completed" and done["metadata"] == {"client_event_id": "7"}
    assert len({event["event_id"] for event in events}) == len(events)
    plain = server.post(input=SAID, voice="ivy", seed=5, response_format="pcm").content
    assert pcm(events) == plain


def test_what_is_out_of_the_conversation_runs_beside_it(server):
    with Client(server, query="") as client:
        client.say("One.", conversation="none", metadata={"n": "1"})
        client.say("Two.", conversation="none", metadata={"n": "2"})
        events = client.until("response.done")
        events += client.until("response.done")
        done = [event["response"] for event in events if event["type"] == "response.done"]
        assert sorted(one["metadata"]["n"] for one in done) == ["1", "2"]
        assert "conversation.item.added" not in kinds(events)
        client.say(SAID)
        client.say("Not now.")
        refused = client.until("error")[-1]["error"]
        assert refused["code"] == "conversation_already_has_active_response"
        assert client.until("response.done")[-1]["response"]["status"] == "completed"


def test_cancelled_speech_stops_and_the_session_goes_on(server):
    with Client(server) as client:
        client.send("response.cancel", event_id="mine")
        error = client.next()["error"]
        assert (error["code"], error["event_id"]) == ("response_cancel_not_active", "mine")
        client.say("This is a long story, and nobody knows yet how it will end. " * 8)
        client.until("response.output_audio.delta")
        client.send("response.cancel")
        assert client.until("response.done")[-1]["response"]["status"] == "cancelled"
        client.say("Hi.")
        assert client.until("response.done")[-1]["response"]["status"] == "completed"
    server.wait_for_metric("mlx_tts_rows_used", 0.0)


def test_who_goes_away_frees_the_row(server):
    with Client(server) as client:
        client.say("This is a long story, and nobody knows yet how it will end. " * 8)
        client.until("response.output_audio.delta")
    server.wait_for_metric("mlx_tts_rows_used", 0.0)
    assert server.metric("mlx_tts_active_streams") == 0


@pytest.mark.parametrize(
    ("type", "event", "said"),
    [
        ("response.create", {}, "nothing to speak"),
        ("response.create", {"response": {"input": [{"role": "user", "content": "text"}]}}, "list of parts"),
        ("response.create", {"response": 3}, "has no response"),
        ("response.create", {"response": {"output_modalities": ["text"]}}, "only sound"),
        ("session.update", {"session": {"audio": {"output": {"voice": "nobody at all"}}}}, "nobody at all"),
        ("session.update", {"session": {"audio": {"output": {"format": {"type": "audio/mp3"}}}}}, "audio/pcmu"),
        ("session.update", {"session": {"audio": {"output": {"speed": "fast"}}}}, "speed"),
        ("session.update", {}, "has no session"),
        ("conversation.item.create", {"item": {"type": "function_call"}}, "only messages"),
        ("conversation.item.delete", {"item_id": "x"}, "no item 'x'"),
        ("input_audio_buffer.commit", {}, "does not listen"),
        ("response.sing", {}, "unknown event type"),
    ],
)
def test_a_wrong_event_is_told_and_the_session_goes_on(server, type, event, said):
    with Client(server) as client:
        client.send(type, event_id="e1", **event)
        error = client.next()
        assert error["type"] == "error" and said in error["error"]["message"]
        assert error["error"]["event_id"] == "e1"
        client.send("input_audio_buffer.append", audio="AAAA")
        client.send("input_audio_buffer.clear")
        assert client.next()["type"] == "input_audio_buffer.cleared"


@pytest.mark.parametrize("text", ["", "no", "[1]", "{}", '{"type": 3}', "[" * 20_000])
def test_what_is_no_event_is_told(server, text):
    with Client(server) as client:
        client._socket.send(text)
        assert client.next()["error"]["code"] == "invalid_event"


def test_the_text_has_the_limit_of_the_server(server):
    with Client(server) as client:
        client.say("a" * 2001)
        assert "more than 2000 characters" in client.next()["error"]["message"]
        for number in range(MOST_ITEMS + 2):
            content = [{"type": "input_text", "text": "Hi."}]
            client.send("conversation.item.create", item={"type": "message", "id": str(number), "content": content})
            client.until("conversation.item.done")
        client.send("conversation.item.retrieve", item_id="0")
        assert client.next()["error"]["code"] == "item_retrieve_invalid_item_id"
        client.send("conversation.item.retrieve", item_id="9")
        assert client.next()["item"]["id"] == "9"
        content = [{"type": "input_text", "text": "a" * 2000}, {"type": "input_image", "image_url": "x" * 50_000}]
        client.send("conversation.item.create", item={"type": "message", "id": "long", "content": content})
        added = client.until("conversation.item.done")[-1]["item"]
        assert added["content"] == [{"type": "input_text", "text": "a" * 2000}]
        client.send("conversation.item.retrieve", item_id="9")  # all together are as long as one may be
        assert client.next()["error"]["code"] == "item_retrieve_invalid_item_id"


def test_telephones(server):
    with Client(server) as client:
        client.say("Hi.", seed=3, audio={"output": {"format": {"type": "audio/pcmu"}}})
        narrow = pcm(client.until("response.done"))
        client.say("Hi.", seed=3)
        wide = pcm(client.until("response.done"))
        assert len(narrow) == pytest.approx(len(wide) / 6, rel=0.02)  # 8,000 bytes a second beside 48,000


def test_a_wrong_voice_in_the_address_and_a_wrong_key_end_it(tmp_path):
    with running(tmp_path, *FEW_ROWS, "--strict-names", MLX_TTS_API_KEY="secret") as server:
        server.wait_until_ready()
        with pytest.raises(websockets.exceptions.InvalidStatus):
            Client(server)
        with Client(server, additional_headers={"Authorization": "Bearer secret"}) as client:
            assert client.created["type"] == "error" and "gpt-realtime-mini" in client.created["error"]["message"]
            with pytest.raises(websockets.exceptions.ConnectionClosed):
                client.next()
        with Client(server, query="", subprotocols=["realtime", "openai-insecure-api-key.secret"]) as client:
            assert client.created["type"] == "session.created"


def test_the_openai_client_speaks(server, openai):
    """Each event of ours is one of its own."""

    async def spoken():
        socket = f"{server.url.replace('http', 'ws')}/v1"
        client = openai.AsyncOpenAI(base_url=f"{server.url}/v1", websocket_base_url=socket, api_key="none")
        async with client.realtime.connect(model="gpt-realtime-2.1-mini") as connection:
            await connection.session.update(session={"type": "realtime", "audio": {"output": {"voice": "marin"}}})
            content = [{"type": "input_text", "text": SAID}]
            await connection.conversation.item.create(item={"type": "message", "role": "user", "content": content})
            await connection.response.create()
            events = []
            async for event in connection:
                events.append(event)
                if event.type == "response.done":
                    return events

    events = asyncio.run(spoken())
    assert all(type(event).__module__.startswith("openai.types.realtime.") for event in events)
    done = events[-1].response
    assert done.status == "completed" and done.output[0].content[0].transcript == SAID
    sound = b"".join(base64.b64decode(e.delta) for e in events if e.type == "response.output_audio.delta")
    assert len(sound) > 48_000


@pytest.mark.parametrize(
    ("instructions", "text"),
    [
        ('Read this aloud, word for word: "Hello there."', "Hello there."),
        ("Please say “Good night.” now", "Good night."),
        ("You are a helpful assistant.", None),
        ('Be "brief".', None),
    ],
)
def test_instructions_that_quote_a_text(instructions, text):
    found = QUOTED.search(instructions)
    assert (found and found["text"]) == text
