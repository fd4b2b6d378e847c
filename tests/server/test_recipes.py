"""Each recipe of docs/clients.md, word by word, with the real package of its client; only the address is another."""

import asyncio
import io
import re

import av
import pytest

from tests.helpers.client_packages import needs_client
from tests.helpers.paths import ROOT

PAGE = (ROOT / "docs" / "clients.md").read_text(encoding="utf-8")
SECTIONS = [section.partition("\n") for section in re.split(r"^## ", PAGE, flags=re.M)[1:]]
RECIPES = {
    name: text.partition("```python\n")[2].partition("```")[0]
    for name, _, text in SECTIONS
    if re.fullmatch(r"\w+", name) and "```python\n" in text
}
PACKAGES = {
    "OpenAI": "openai",
    "LangChain": "langchain_core",
    "ElevenLabs": "elevenlabs",
    "LiveKit": "livekit.plugins.elevenlabs",
    "Pipecat": "pipecat",
    "Wyoming": "wyoming",
}


@pytest.fixture
def recipe(wyoming, tmp_path, monkeypatch):
    """`recipe("OpenAI")`: the names that it leaves behind, run in an empty folder."""

    def run(name):
        needs_client(PACKAGES[name], f"the recipe for {name}")
        monkeypatch.chdir(tmp_path)
        code = RECIPES[name].replace("127.0.0.1:8880", wyoming.url.removeprefix("http://"))
        code = code.replace("10200", wyoming.wait_for_line(1).rpartition(":")[2])
        names = {}
        exec(compile(code, f"docs/clients.md, {name}", "exec"), names)
        return names

    return run


def seconds(data: bytes) -> float:
    with av.open(io.BytesIO(data)) as container:
        return sum(frame.samples / frame.sample_rate for frame in container.decode(audio=0))


def test_the_page_has_a_recipe_for_each_and_no_other():
    assert set(RECIPES) == set(PACKAGES)
    for name, code in RECIPES.items():
        lines = [line for line in code.splitlines() if line.strip()]
        assert len(lines) <= 8, f"{name} is long"


@pytest.mark.slow
def test_the_realtime_recipe_writes_a_file(wyoming, tmp_path, monkeypatch):
    needs_client("openai", "the recipe for OpenAI's Realtime")
    monkeypatch.chdir(tmp_path)
    code = PAGE.partition("## OpenAI's Realtime\n")[2].partition("```python\n")[2].partition("```")[0]
    code = code.replace("127.0.0.1:8880", wyoming.url.removeprefix("http://"))
    exec(compile(code, "docs/clients.md, Realtime", "exec"), {})
    assert 0.4 < seconds((tmp_path / "hello.wav").read_bytes()) < 4


@pytest.mark.long
@pytest.mark.parametrize("name", ["OpenAI", "LangChain", "ElevenLabs"])
def test_a_file_is_written(recipe, tmp_path, name):
    recipe(name)
    assert 0.4 < seconds((tmp_path / "hello.mp3").read_bytes()) < 4


@pytest.mark.long
def test_wyoming(recipe):
    speak = recipe("Wyoming")["speak"]

    async def collect():
        return b"".join([part async for part in speak("Good morning.")])

    assert 0.4 < len(asyncio.run(collect())) / 48_000 < 4


@pytest.mark.long
def test_livekit(recipe):
    names = recipe("LiveKit")

    async def collect(tts):
        import aiohttp

        async with aiohttp.ClientSession() as session:
            if hasattr(tts, "_session"):
                tts._session = session  # where there is no worker that has one
            frame = await tts.synthesize("Good morning.").collect()
            await tts.aclose()
            return frame.duration

    for name in ("plain", "timed"):
        assert 0.4 < asyncio.run(collect(names[name])) < 4


@pytest.mark.long
def test_pipecat(recipe):
    async def names():  # services want a running loop
        return recipe("Pipecat")

    found = asyncio.run(names())
    assert found["plain"] is not None and found["timed"] is not None
