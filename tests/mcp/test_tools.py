"""What an agent gets: the real client of the `mcp` package, in this process, both protocols."""

import asyncio
import json
import time

import numpy as np
import pytest
import soundfile

from mlx_tts.errors import MlxTtsError, RequestError
from mlx_tts.job.settings import SpeechSettings
from mlx_tts.mcp.files import SpokenFile
from mlx_tts.mcp.planning import LoadedModels, plan_text
from tests.helpers.fakes import hum

pytestmark = pytest.mark.usefixtures("mcp")
REAL_TIME = 0.02


@pytest.fixture
def talk(settings: SpeechSettings, box, place):
    """`talk(work)`: run `await work(call, client)` with a client named tester."""

    def run(work, mode="auto", client_voices=None, folder=place, **options):
        from mcp.client.client import Client
        from mcp_types import Implementation

        from mlx_tts.mcp.tools import Agents, make_server

        server = make_server(Agents(settings, client_voices or {}, folder), lambda: box)

        async def talking():
            async with Client(server, mode=mode, client_info=Implementation(name="Tester", version="1")) as client:

                async def call(tool, **arguments):
                    answer = await client.call_tool(tool, arguments, **options)
                    said = answer.content[0].text
                    return said if answer.is_error else json.loads(said)

                return await work(call, client)

        return asyncio.run(talking())

    return run


def test_the_tools_and_what_they_say_of_themselves(talk):
    async def work(_call, client):
        return (await client.list_tools()).tools

    tools = {tool.name: tool for tool in talk(work)}
    assert list(tools) == ["speak", "stop", "queue", "read_file", "save", "voices"]
    read_only = {name for name, tool in tools.items() if tool.annotations.read_only_hint}
    assert read_only == {"queue", "voices"}
    assert not any(tool.annotations.open_world_hint for tool in tools.values())
    assert tools["speak"].input_schema["required"] == ["text"]
    for tool in tools.values():
        assert tool.description
        for name, field in tool.input_schema.get("properties", {}).items():
            assert field.get("description"), f"{tool.name} does not say what {name} is"


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_speak_and_wait_tells_each_sentence(talk, device, mode):
    device.block_seconds = 0.002
    told = []

    async def progress(done, total, sentence):
        told.append((done, total, sentence))

    async def work(call, _client):
        return await call("speak", text="The first one. The second one is longer.", wait=True)

    answer = talk(work, mode, progress_callback=progress)
    assert answer["id"] == "speech-1" and answer["state"] == "done"
    assert [sentence for *_, sentence in told] == ["The first one.", "The second one is longer."]
    assert [done for done, *_ in told] == sorted(done for done, *_ in told)
    assert np.count_nonzero(device.streams[0].heard) == np.count_nonzero(hum(25))


@pytest.mark.timed
def test_speak_answers_at_once_and_stop_says_what_was_heard(talk, device):
    device.block_seconds = REAL_TIME

    async def work(call, _client):
        begin = time.monotonic()
        first = await call("speak", text="This is the first text of all.")
        second = await call("speak", text="And this one waits.")
        took = time.monotonic() - begin
        await asyncio.sleep(1.0)
        queue = await call("queue")
        one = await call("stop", id=second["id"])
        rest = await call("stop")
        return took, first, second, queue["queue"], one["stopped"], rest["stopped"]

    took, first, second, queue, one, rest = talk(work)
    assert took < 0.9  # two seconds are spoken
    assert (first["position"], second["position"]) == (0, 1)
    assert [entry["state"] for entry in queue] == ["speaking", "waiting"]
    assert [(entry["id"], entry["heard_words"]) for entry in one] == [(second["id"], 0)]
    (stopped,) = rest
    assert stopped["id"] == first["id"] and stopped["words"] == 7
    assert 0 < stopped["heard_words"] < 7
    assert stopped["heard"] == " ".join(["This", "is", "the", "first", "text", "of", "all."][: stopped["heard_words"]])


def test_calls_at_once_are_spoken_in_their_order(talk, device, monkeypatch):
    """Even if the first takes the longest to be read."""
    device.block_seconds = REAL_TIME
    from mlx_tts.mcp import tools

    real = tools.plan_text

    def slow(settings, text, **more):
        time.sleep(0.1 if "0" in text else 0)
        return real(settings, text, **more)

    monkeypatch.setattr(tools, "plan_text", slow)

    async def work(call, _client):
        await asyncio.gather(*(call("speak", text=f"Text {number}.") for number in range(4)))
        queue = (await call("queue"))["queue"]
        await call("stop")
        return [one["id"] for one in queue], [one.get("text") for one in queue]

    ids, texts = talk(work)
    assert ids == [f"speech-{number}" for number in range(1, 5)]
    # the first may be spoken by now
    assert texts[1:] == ["Text 1.", "Text 2.", "Text 3."]


def test_an_interruption_says_what_was_heard_of_the_others(talk, device):
    device.block_seconds = REAL_TIME

    async def work(call, _client):
        await call("speak", text="Nobody wants to hear this.")
        await call("speak", text="Nor this.")
        await asyncio.sleep(0.4)
        answer = await call("speak", text="This matters.", interrupt=True)
        return answer, (await call("queue"))["queue"]

    answer, queue = talk(work)
    assert [one["state"] for one in answer["interrupted"]] == ["stopped", "stopped"]
    assert answer["position"] == 0
    assert [one["id"] for one in queue] == [answer["id"]]


@pytest.mark.timed
@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_client_that_gives_up_silences_its_speech(talk, device, box, mode):
    device.block_seconds = REAL_TIME

    async def work(call, _client):
        waiting = asyncio.create_task(call("speak", text="Hello there, how are you?", wait=True))
        while not (box.queue() and box.queue()[0].played_seconds > 0.2):
            await asyncio.sleep(0.01)
        (one,) = box.queue()
        waiting.cancel()
        begin = time.monotonic()
        while not one.has_ended:
            await asyncio.sleep(0.002)
        return one.state, time.monotonic() - begin

    state, seconds = talk(work, mode)
    assert state == "stopped" and seconds < 0.2


def test_each_client_has_its_voice_and_a_call_may_name_another(talk, models, device):
    async def work(call, _client):
        return [await call("speak", text="Hello.", wait=True, **more) for more in ({}, {"voice": "Serena"})]

    bound, named = talk(work, client_voices={"tester": "uncle_fu"})
    assert (bound["voice"], named["voice"]) == ("uncle_fu", "Serena")
    assert [request.voice for request in models.synthesizers[0].requests[1:]] == ["uncle_fu", "serena"]
    (other,) = talk(lambda call, _client: _one(call), client_voices={"somebody": "uncle_fu"})
    assert other["voice"] != "uncle_fu"


async def _one(call):
    return [await call("speak", text="Hello.", wait=True)]


def test_errors_are_one_line_for_the_model(talk, device, models):
    models.settings["failure"] = MlxTtsError("the model is broken: pull it again")

    async def work(call, _client):
        return [
            await call("speak", text="Hello.", voice="nobody"),
            await call("speak", text=" "),
            await call("speak", text="Hello.", speed=9),
            await call("speak", text="Hello.", language="Klingon"),
            await call("speak", text="Hello.", wait=True),
            await call("read_file", path="../secret.txt"),
            await call("voices", language="Klingon"),
        ]

    answers = talk(work)
    wanted = ("voice 'nobody'", "text is empty", "speed is 9", "Klingon", "pull it again", "is outside", "Klingon")
    for answer, said in zip(answers, wanted, strict=True):
        assert isinstance(answer, str) and said in answer and len(answer.splitlines()) == 1, answer


def test_a_failure_that_nobody_waited_for_is_told_once(talk, device, box):
    device.devices = 0

    async def work(call, _client):
        first = await call("speak", text="Hello.")
        while box.queue():
            await asyncio.sleep(0.002)
        return first, await call("queue"), await call("queue")

    first, told, after = talk(work)
    answers = [first] if first["state"] == "failed" else []  # it may fail before its call is answered
    (failed,) = answers + first.get("failed", []) + told.get("failed", [])
    assert (failed["id"], failed["state"]) == (first["id"], "failed") and "sound device" in failed["error"]
    assert after == {"queue": []}


def test_a_failure_that_was_waited_for_is_not_told_again(talk, device):
    device.devices = 0

    async def work(call, _client):
        return await call("speak", text="Hello.", wait=True), await call("queue")

    said, queue = talk(work)
    assert "sound device" in said and queue == {"queue": []}


def test_a_file_that_is_saved_meanwhile_is_not_replaced(settings, models, place):
    """Two calls with one name, both checked before either of them has written."""
    path = place / "hello.wav"
    first, second = (SpokenFile(path, plan_text(settings, text, live=False)) for text in ("One.", "Two."))
    loaded = LoadedModels()
    first.write(loaded, lambda: False)
    written = path.read_bytes()
    with pytest.raises(RequestError, match="exists: choose another name"):
        second.write(loaded, lambda: False)
    assert path.read_bytes() == written
    assert [path.name for path in place.glob(".hello*")] == []


def test_a_file_is_read_aloud(talk, device, place, models):
    (place / "notes.md").write_text("# Notes\n\nThe **first** line.\n")

    async def work(call, _client):
        return await call("read_file", path="notes.md", wait=True)

    answer = talk(work)
    assert answer["state"] == "done" and answer["text"] == "Notes The first line."


def test_save_writes_a_new_file_and_replaces_none(talk, place):
    async def work(call, _client):
        return await call("save", text="Hello.", path="hello.wav"), await call("save", text="Hello.", path="hello.wav")

    saved, refused = talk(work)
    assert saved == {"path": str((place / "hello.wav").resolve()), "seconds": 2.0}
    np.testing.assert_allclose(soundfile.read(place / "hello.wav", dtype="float32")[0], hum(25), atol=1 / 32_000)
    assert "exists: choose another name" in refused


def test_a_client_that_gives_up_gets_no_file(talk, place, models):
    models.settings["pause"] = 0.05

    async def work(call, client):
        await call("speak", text="Hello.", wait=True)  # it is loaded then
        saving = asyncio.create_task(call("save", text="Hello.", path="hello.wav"))
        await asyncio.sleep(0.2)
        saving.cancel()
        while any("hello" in path.name for path in place.iterdir()):  # until the piece in work is made
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)
        return sorted(path.name for path in place.iterdir())

    assert talk(work) == ["home", "speaking.lock"]


@pytest.mark.parametrize(
    "name", ["../out.wav", "/etc/out.wav", "link/out.wav", "~/out.wav", "a\0b.wav", "out.exe", "out"]
)
def test_nothing_is_written_elsewhere(talk, place, name, tmp_path_factory):
    (place / "link").symlink_to(tmp_path_factory.mktemp("elsewhere"))

    async def work(call, _client):
        return await call("save", text="Hello.", path=name)

    folder = place / "inside"
    folder.mkdir()
    (folder / "link").symlink_to(place)
    before = sorted(place.iterdir())
    answer = talk(work, folder=folder)
    assert isinstance(answer, str) and len(answer.splitlines()) == 1, answer
    assert sorted(place.iterdir()) == before and [one.name for one in folder.iterdir()] == ["link"]


def test_without_a_folder_no_file_is_touched(talk):
    async def work(call, _client):
        return await call("read_file", path="notes.md"), await call("save", text="Hello.", path="hello.wav")

    for answer in talk(work, folder=None):
        assert "--folder DIR" in answer


def test_voices_of_a_language(talk):
    async def work(call, _client):
        return (await call("voices"))["voices"], (await call("voices", language="de"))["voices"]

    everyone, german = talk(work)
    names = [voice["name"] for voice in everyone]
    assert {"ivy", "miles"} <= set(names[:4]) and everyone[0]["on_disk"]
    assert not {"ivy", "miles"} & {voice["name"] for voice in german}
    assert german and len(german) < len(everyone)
    assert LoadedModels  # listing loads none


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_wrong_types_are_told_in_one_line(talk, mode):
    async def work(call, _client):
        return await call("speak", text=["Hello."], speed="fast")

    said = talk(work, mode)
    assert said.splitlines() == [said]
    assert said.startswith("speak cannot take these arguments: text: ") and "; speed: " in said
