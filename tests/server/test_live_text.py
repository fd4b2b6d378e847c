"""Text that arrives, without a server process: how it is read, and which rows it may have."""

import asyncio
from contextlib import asynccontextmanager
from types import SimpleNamespace

import pytest

from mlx_tts.server.admission import Admission
from mlx_tts.server.live_text import MOST_READY, READ_CHARACTERS, LiveSpeech
from mlx_tts.server.run import new_serving
from mlx_tts.server.serving import Serving
from mlx_tts.server.settings import ServerSettings
from mlx_tts.server.speech_body import SpeechOrder

TEXT = "It was late, and the street was quiet. Nobody was there to see who came. " * 20
END = object()


@pytest.fixture
def serving(monkeypatch, tmp_path):
    """With the built-in voices, of which nothing is loaded: whoever has a row keeps it."""
    monkeypatch.setenv("MLX_TTS_HOME", str(tmp_path))
    serving = new_serving(ServerSettings(models=("tiny",)))

    @asynccontextmanager
    async def use(model):
        yield None

    monkeypatch.setattr(serving.pool, "use", use)
    monkeypatch.setattr("mlx_tts.server.serving.SpokenText", lambda *_: Endless())
    return serving


class Endless:
    """Stands for the engine, which says nothing here."""

    def __aiter__(self):
        return self

    async def __anext__(self):
        await asyncio.Event().wait()

    def close(self): ...
    def wake(self): ...


def order() -> SpeechOrder:
    return SpeechOrder(input="...", voice="ivy")


def test_live_texts_take_no_more_rows_than_stay_in_real_time(serving):
    """Nobody knows how long they will be: they are not like the few words for which all rows are used."""

    async def play():
        admission = serving.pool.default.admission = Admission(8, lambda: 1)
        tasks = []
        for number in range(4):
            speech = LiveSpeech(serving, order(), f"10.0.0.{number}")
            speech.feed(TEXT)
            tasks.append(asyncio.create_task(anext(speech.speak())))
        async with asyncio.timeout(5):
            while admission.active + admission.waiting < 4:
                await asyncio.sleep(0.001)
        assert (admission.active, admission.waiting) == (2, 2)  # one that is live, and one that has not begun
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert admission.active == admission.waiting == 0

    asyncio.run(play())


@pytest.mark.parametrize(("pause", "most"), [(None, len(TEXT) // READ_CHARACTERS + 3), (0, len(TEXT) // 10)])
def test_letters_that_come_one_by_one_are_read_together(serving, monkeypatch, pause, most):
    """A thread's turn for each of them would keep Python from everybody else, and so would a look at the pieces."""
    woken = []
    turns = []

    async def read_text(self, characters, read, *arguments):
        turns.append(characters)
        await asyncio.sleep(0)
        return read(*arguments)

    monkeypatch.setattr(Serving, "read_text", read_text)

    async def play():
        serving.pool.default.admission = Admission(1)
        speech = LiveSpeech(serving, order(), "10.0.0.1")
        speech._spoken = SimpleNamespace(wake=lambda: woken.append(1))
        reading = asyncio.create_task(speech._read(speech._text))
        for letter in TEXT:
            speech.feed(letter)
            if pause is not None:
                await asyncio.sleep(pause)
        speech.finish()
        texts = []
        async with asyncio.timeout(5):
            while (piece := next(speech._pieces, END)) is not END:
                assert len(speech._ready) <= MOST_READY + READ_CHARACTERS // 30  # of a turn
                texts += [] if piece is None else [piece.text]
                await asyncio.sleep(0 if piece is not None else 0.001)
        await reading
        return texts

    assert " ".join(asyncio.run(play())) == TEXT.strip()
    assert len(turns) <= most and len(woken) <= most


def test_requests_that_come_at_once_are_looked_at_one_in_a_turn_of_the_loop(serving, monkeypatch):
    turn, looked = 0, []
    pieces = serving._pieces
    monkeypatch.setattr(serving, "_pieces", lambda *how: (looked.append(turn), pieces(*how))[1])

    async def play():
        nonlocal turn
        asked = SpeechOrder(input="Hello there.", voice="ivy")
        tasks = [asyncio.create_task(serving.prepare(asked)) for _ in range(10)]
        while not all(task.done() for task in tasks):
            turn += 1
            await asyncio.sleep(0)
        return [task.result() for task in tasks]

    jobs = asyncio.run(play())
    assert [[piece.text for piece in job.pieces] for job in jobs] == [["Hello there."]] * 10
    assert len(set(looked)) == 10


def test_of_a_long_text_no_more_is_read_than_is_spoken_soon(serving):
    async def play():
        serving.pool.default.admission = Admission(1)
        speech = LiveSpeech(serving, order(), "10.0.0.1")
        speech.feed(TEXT * 20)
        reading = asyncio.create_task(speech._read(speech._text))
        async with asyncio.timeout(5):
            while len(speech._ready) < MOST_READY:
                await asyncio.sleep(0.001)
        await asyncio.sleep(0.1)
        assert len(speech._ready) <= MOST_READY + READ_CHARACTERS // 30 and not reading.done()
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)

    asyncio.run(play())
