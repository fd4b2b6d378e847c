"""What an event loop encodes itself, and what it leaves to another thread."""

import asyncio
import threading
from types import SimpleNamespace

import numpy as np
import pytest

from mlx_tts.narration.narrate import Spoken
from mlx_tts.server.metrics import Metrics
from mlx_tts.server.speech_body import SpeechOrder
from mlx_tts.server.streaming import SpeechAnswer, SpeechEncoder
from mlx_tts.text.cutting.pieces import Piece

QUIET = np.full(2400, 0.4, np.float32)
LOUD = np.full(2400, 0.5, np.float32)  # between such samples may be a peak of twice their height
NOTHING = np.zeros(0, np.float32)


@pytest.mark.parametrize(
    ("options", "slow"),
    [
        (("pcm", 24_000), (False, True, False)),
        (("wav", 24_000), (False, True, False)),
        (("wav", 24_000, "off"), (False, False, False)),
        (("pcm", 48_000), (True, True, True)),  # at another rate
        (("wav", 24_000, None, 16_000), (True, True, True)),
        (("wav", 24_000, -20.0), (True, True, True)),
        (("mp3", 24_000), (True, True, True)),
    ],
)
def test_what_takes_milliseconds_is_no_work_for_an_event_loop(options, slow):
    encoder = SpeechEncoder(*options)
    assert tuple(map(encoder.is_slow, (QUIET, LOUD, NOTHING))) == slow


class Made:
    """A speech of which all is there."""

    is_made, frames = True, 2

    def __init__(self):
        self._parts = iter([Spoken(Piece(0, "Hello.", 0, "start"), part) for part in (QUIET, LOUD)])

    def __aiter__(self):
        return self

    async def __anext__(self):
        for part in self._parts:
            return part
        raise StopAsyncIteration


@pytest.mark.parametrize("words", [True, False])
def test_the_end_of_a_whole_answer_is_no_work_for_an_event_loop_either(monkeypatch, words):
    where = set()
    for name in ("encode", "finish"):
        method = getattr(SpeechEncoder, name)

        def noted(self, *arguments, method=method):
            where.add(threading.current_thread())
            return method(self, *arguments)

        monkeypatch.setattr(SpeechEncoder, name, noted)
    order = SpeechOrder(input="Hello.", format="wav", loudness=-20.0, rate=16_000)
    model = SimpleNamespace(info=SimpleNamespace(sample_rate=24_000), id="tiny")
    job = SimpleNamespace(order=order, model=model, request=SimpleNamespace(voice="ivy"), pieces=[], told=None)
    answer = SpeechAnswer(SimpleNamespace(metrics=Metrics()), job, "10.0.0.1")
    sent = []

    async def send(message):
        sent.append(message)

    asyncio.run(answer._answer(Made(), send) if words else answer._say_nothing(send))
    wav = b"".join(message["body"] for message in sent[1:])
    assert dict(sent[0]["headers"])[b"content-length"] == str(len(wav)).encode()
    assert wav[4:8] == (len(wav) - 8).to_bytes(4, "little")
    assert threading.main_thread() not in where
