"""One iterator for `for`, `next` and `async for`; a chunk's player in a notebook."""

import asyncio
import base64
import io
import sys
import threading
import time

import numpy as np
import pytest
import soundfile

from mlx_tts.generation.stream import Chunks, SpeechStream
from mlx_tts.speech import AudioChunk

CHUNKS = [AudioChunk(np.full(10, level, np.float32), 24_000) for level in (0.1, 0.2, 0.3)]


def slowly(closed):
    try:
        for chunk in CHUNKS:
            time.sleep(0.05)
            yield chunk
    finally:
        closed.append(True)


def test_all_ways_give_the_same():
    chunks = Chunks(slowly([]))
    assert [next(chunks), *chunks] == CHUNKS

    async def gathered():
        return [chunk async for chunk in Chunks(slowly([]))]

    assert asyncio.run(gathered()) == CHUNKS


def test_an_event_loop_goes_on_meanwhile():
    async def ticks():
        count = 0

        async def tick():
            nonlocal count
            while True:
                await asyncio.sleep(0.005)
                count += 1

        ticking = asyncio.create_task(tick())
        async for _ in Chunks(slowly([])):
            pass
        ticking.cancel()
        return count

    assert asyncio.run(ticks()) > 5


@pytest.mark.parametrize("how", ["close", "let go"])
def test_closing_it_or_letting_go_of_it_ends_the_generation(how):
    closed = []
    chunks = Chunks(slowly(closed))
    next(chunks)
    if how == "close":
        chunks.close()
    del chunks
    assert closed == [True]


def test_a_notebook_shows_a_player():
    page = CHUNKS[1]._repr_html_()
    assert page.startswith("<audio controls src=")
    samples, rate = soundfile.read(io.BytesIO(base64.b64decode(page.split("base64,")[1].split('"')[0])))
    assert rate == 24_000
    np.testing.assert_allclose(samples, 0.2, atol=1e-4)


def test_the_engine_may_ask_what_is_unread_while_the_reader_takes_it():
    """Both are threads: a chunk that went between two looks ended the whole speech."""
    stream = SpeechStream(None, lambda: None)
    chunk = AudioChunk(np.zeros(10, np.float32), 10)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    over = threading.Event()

    def read_and_write():
        while not over.is_set():
            stream.put(chunk)
            next(stream)

    reader = threading.Thread(target=read_and_write)
    reader.start()
    try:
        asked = {stream.unread_seconds for _ in range(30_000)}
    finally:
        over.set()
        reader.join()
        sys.setswitchinterval(interval)
    assert asked <= {0.0, 1.0}
