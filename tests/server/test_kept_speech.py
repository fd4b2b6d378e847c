"""Short speeches that are asked for again come from memory: the same sound, at once; and nothing else does."""

import asyncio
from dataclasses import replace

import httpx
import numpy as np
import pytest

from mlx_tts.narration.narrate import Spoken
from mlx_tts.server.kept_speech import LONGEST, KeptSpeeches, KeptText, NotedText
from mlx_tts.server.speech_body import SpeechOrder
from mlx_tts.speech import CheckedRequest, GuardReport, Voice
from mlx_tts.text.cutting.pieces import Piece
from tests.server.conftest import running

MIB = 1 << 20
PIECE = Piece(0, "The light is on.", 0, "start")


def job(text="The light is on.", pieces=(PIECE,), model="tiny", **asked):
    order = {name: asked.pop(name) for name in ("seed", "speed", "format") if name in asked}
    request = CheckedRequest(text, **{"seed": 5, "voice": "ivy", "language": "english"} | asked)
    return SpeechOrder(input=text, **order), model, request, list(pieces)


def clone(value: float) -> Voice:
    return Voice(np.full(4, value, np.float32))


def test_what_the_sound_depends_on_tells_speeches_apart():
    def key_of(one):
        return KeptSpeeches(MIB).key_of(*one)

    jobs = [
        job(),
        job(seed=5),
        job(seed=6),
        job(speed=1.2),
        job(voice="miles"),
        job(voice=clone(1.0)),
        job(voice=clone(2.0)),
        job(language="german"),
        job(model="tiny-base"),
        job(options={"streams": True}),
        job(pieces=[replace(PIECE, spoken="the light is off")]),
        job(pieces=[replace(PIECE, rate=1.1)]),
        job(pieces=[replace(PIECE, own_voice=clone(1.0))]),
        job(pieces=[replace(PIECE, own_voice=clone(2.0))]),
        job(pieces=[PIECE, PIECE]),
    ]
    keys = [key_of(one) for one in jobs]
    assert None not in keys and len(set(keys)) == len(keys)
    again = job(voice=clone(1.0), seed=7), job(voice=clone(1.0), seed=7)
    assert key_of(again[0]) == key_of(again[1])
    # the seed that the server takes where none is asked for, and the format, change nothing
    assert key_of(replace_seed(job(), 99)) == key_of(job()) == key_of(job(format="wav"))


def replace_seed(one, seed):
    order, model, request, pieces = one
    return order, model, replace(request, seed=seed), pieces


def test_long_texts_and_none_are_not_kept():
    assert KeptSpeeches(MIB).key_of(*job("a" * LONGEST)) is not None
    assert KeptSpeeches(MIB).key_of(*job("a" * (LONGEST + 1))) is None
    assert KeptSpeeches(MIB).key_of(*job(pieces=())) is None
    assert KeptSpeeches(0).key_of(*job()) is None


def parts(samples: int, kept_fault: str | None = None) -> list[Spoken]:
    sound = np.arange(samples, dtype=np.float32)
    return [Spoken(PIECE, sound), Spoken(PIECE, sound[:0], GuardReport(1, kept_fault=kept_fault))]


def test_what_was_used_last_stays_within_the_memory():
    kept = KeptSpeeches(MIB)
    size = 60_000  # a quarter of a MiB with what else a part takes
    for name in "abcd":
        kept.keep(name, parts(size), 9)
    assert len(kept) == 4 and kept.bytes <= MIB
    assert kept.find("a") is not None
    kept.keep("e", parts(size), 9)
    assert kept.find("b") is None and kept.find("a") is not None and len(kept) == 4
    kept.keep("large", parts(size + 20_000), 9)
    assert kept.find("large") is None
    kept.keep("e", parts(10), 9)
    assert (
        len(kept) == 4 and kept.bytes == sum(part.samples.nbytes + 2000 for n in "cda" for part in parts(size)) + 4040
    )


class Speech:
    """A speech that ends well, or breaks."""

    model, frames, is_made = "a model", 3, False

    def __init__(self, made, error=None):
        self._rest, self._error = iter(made), error

    def __aiter__(self):
        return self

    async def __anext__(self):
        for part in self._rest:
            return part
        raise self._error or StopAsyncIteration


def noted(made, error=None, most=None):
    """What the listener of a speech got, and what is kept after it."""
    kept, got = KeptSpeeches(MIB), []

    async def listen():
        async for part in NotedText(Speech(made, error), kept, "key"):
            got.append(part)
            if len(got) == most:
                break

    if error is None:
        asyncio.run(listen())
    else:
        with pytest.raises(type(error)):
            asyncio.run(listen())
    return got, kept.find("key")


def test_only_what_is_whole_and_good_is_kept():
    good = parts(100)
    assert noted(good) == (good, (good, 3))
    assert noted(good, most=1) == (good[:1], None)
    assert noted(good, OSError()) == (good, None)
    faulty = parts(100, kept_fault="says other words")
    assert noted(faulty) == (faulty, None)
    large = parts(MIB)
    assert noted(large) == (large, None)
    assert noted([]) == ([], None)


def test_a_kept_speech_is_given_as_it_was_made():
    """Also to a reader that stops after the first part and goes on later, as an answer's does."""
    made = parts(100)

    async def listen(text):
        async for part in text:
            first = part
            break
        return [first, *[part async for part in text]]

    for text in (KeptText("a model", made, 7), KeptText("a model", made, 7)):
        assert asyncio.run(listen(text)) == made
        assert text.is_made and text.frames == 7
    assert asyncio.run(listen(NotedText(Speech(made), KeptSpeeches(MIB), "key"))) == made


@pytest.mark.slow
def test_a_home_that_says_the_same_again(tmp_path):
    """In several formats and by other doors: the second time nothing is spoken."""
    with running(tmp_path, "--model", "tiny", "--cache-mb", "1") as server:
        server.wait_until_ready()
        ask = {"input": "The light is on.", "voice": "ivy"}
        first = server.post(**ask, response_format="pcm").content
        assert server.metric("mlx_tts_repeated_total") == 0
        kept = server.metric("mlx_tts_kept_bytes")
        assert kept > 2 * len(first)  # samples are kept as float32
        assert server.post(**ask, response_format="pcm").content == first
        whole = server.post(**ask, response_format="wav")
        assert int(whole.headers["content-length"]) == len(whole.content) == len(first) + 44
        events = server.post(**ask, response_format="pcm", stream_format="sse", marks=True).text
        assert "speech.audio.done" in events and '"output_tokens":0' not in events
        assert server.metric("mlx_tts_repeated_total") == 3
        assert server.metric("mlx_tts_kept_bytes") == kept
        other = server.post(**ask, response_format="pcm", seed=1).content
        assert other != first and server.metric("mlx_tts_repeated_total") == 3
        assert server.post(**ask, response_format="pcm", seed=1).content == other
        stamps = httpx.post(
            f"{server.url}/dev/captioned_speech", json={**ask, "stream": False, "return_timestamps": True}, timeout=60
        )
        assert stamps.status_code == 200 and server.metric("mlx_tts_repeated_total") == 5
