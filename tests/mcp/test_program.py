"""`mlx-tts mcp` as agents start it: a program that speaks the protocol on its standard streams, with a real voice."""

import asyncio
import json
import os
import statistics
import sys
import time

import pytest

from mlx_tts.cli import run as run_command
from tests.helpers.paths import ROOT

pytestmark = pytest.mark.usefixtures("mcp")

# Each block of the sound device is a line with the time and whether it is silent. Prints of others, of C code as well,
# must not get into the protocol.
PROGRAM = """
import os, sys, time
from tests.helpers import fakes
from mlx_tts.mcp.planning import LoadedModels

log = open(os.environ["BLOCKS"], "w", buffering=1)

class Stream(fakes.FakeStream):
    def __init__(self, callback, **options):
        def heard(out, *more):
            callback(out, *more)
            log.write(f"{time.monotonic()} {int(bool(out.any()))}\\n")
        super().__init__(callback=heard, **options)

fakes.FakeStream = Stream
sys.modules["sounddevice"] = fakes.FakeSoundDevice(block_seconds=0.02)
using = LoadedModels.using

def noisy(self, planned):
    print("a line of somebody else", flush=True)
    os.write(1, b"and one of C code\\n")
    return using(self, planned)

LoadedModels.using = noisy
from mlx_tts.cli import main
main()
"""


def client(blocks, mode):
    from mcp.client.client import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    environment = {**os.environ, "BLOCKS": str(blocks), "PYTHONPATH": str(ROOT)}
    command = ["-c", PROGRAM, "mcp", "--model", "tiny"]
    return Client(stdio_client(StdioServerParameters(command=sys.executable, args=command, env=environment)), mode=mode)


@pytest.mark.timed
@pytest.mark.long
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_an_agent_speaks_and_is_interrupted(place, mode):
    blocks = place / "blocks"

    async def talk():
        async with client(blocks, mode) as agent:

            async def call(tool, **arguments):
                answer = await agent.call_tool(tool, arguments)
                assert not answer.is_error, answer
                return json.loads(answer.content[0].text)

            whole = await call("speak", text="It works.", wait=True)
            await call(
                "speak", text="This is a long sentence, and the user will interrupt it in a moment, as users do."
            )
            while (await call("queue"))["queue"][0].get("heard_words", 0) < 2:
                await asyncio.sleep(0.02)
            begin = time.monotonic()
            (stopped,) = (await call("stop"))["stopped"]
            answered = time.monotonic()
            await asyncio.sleep(0.3)
            return whole, stopped, begin, answered

    whole, stopped, begin, answered = asyncio.run(talk())
    assert (whole["state"], whole["voice"]) == ("done", "miles")
    assert 0 < stopped["heard_words"] < stopped["words"] == 17
    heard = [float(line.split()[0]) for line in blocks.read_text().splitlines() if line.endswith("1")]
    late = max(heard) - begin
    print(f"silent {late * 1000:.0f} ms after stop was sent, answered after {(answered - begin) * 1000:.0f} ms")
    assert heard[0] < begin and late <= 0.05


@pytest.mark.slow
@pytest.mark.timed
def test_the_first_sound_comes_as_soon_as_with_speak(box, device, models, settings):
    """By turns in one process, with a model that takes 20 ms a frame: the command from its first line on, and a call of
    the tool."""
    from mcp.client.client import Client

    from mlx_tts.mcp.tools import Agents, make_server

    device.block_seconds, models.settings["pause"] = 0.002, 0.02
    command = ["speak", "--text", "Hello there.", "--model", str(settings.model), "--loudness", "off", "--play", "-q"]

    def by_command():
        begin = time.monotonic()
        assert run_command(command) == 0
        return device.streams[-1].first_sound - begin

    async def by_tool(agent):
        begin = time.monotonic()
        answer = await agent.call_tool("speak", {"text": "Hello there.", "wait": True})
        assert not answer.is_error, answer
        return device.streams[-1].first_sound - begin

    async def talk():
        async with Client(make_server(Agents(settings, {}, None), lambda: box)) as agent:
            by_command(), await by_tool(agent)
            return list(zip(*[(by_command(), await by_tool(agent)) for _ in range(3)], strict=True))

    by_the_command, tool = map(statistics.median, asyncio.run(talk()))
    print(f"first sound: {by_the_command * 1000:.0f} ms by the command, {tool * 1000:.0f} ms by the tool")
    assert tool <= by_the_command + 0.05
