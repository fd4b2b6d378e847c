"""Sound under way: made while the next step is, in parts, and heard by the guard as if neither were so."""

from __future__ import annotations

import contextlib
import gc
import itertools
import threading
import time
import weakref
from collections.abc import Callable

import numpy as np
import pytest

import mlx_tts
from mlx_tts import SpeechRequest
from mlx_tts.api import load_folder
from mlx_tts.errors import MlxTtsError, ModelError
from mlx_tts.generation import engine
from mlx_tts.generation.guard import Fault, QualityMonitor
from mlx_tts.generation.guarded import GuardedGeneration
from mlx_tts.generation.stream import SpeechStream
from mlx_tts.models.qwen3_tts.frames import TalkerBatch
from mlx_tts.models.qwen3_tts.synthesizer import Qwen3TTS
from mlx_tts.nn.streaming import SteppedTogether
from mlx_tts.runtime import mlx_thread
from mlx_tts.runtime.device import CUDA
from tests.generation.test_engine import asked, until
from tests.helpers import toy_family
from tests.helpers.gpu_form import as_on_gpu
from tests.models.test_toy_family import toy as toy

pytestmark = pytest.mark.slow

PIECES = [3, 4, 8, 12, 3]  # frames of an utterance of 30, as the guard hears them
FRAMES = 30


@pytest.fixture
def on_cpu(oracle):
    return oracle("custom_voice_tiny").synthesizer


@pytest.fixture
def on_gpu(oracle, monkeypatch):
    folder = oracle("custom_voice_tiny").folder
    as_on_gpu(monkeypatch)
    with load_folder(folder) as model:
        model.serve_rows(4)
        yield model


@pytest.fixture(params=["cpu", "gpu"])
def model(request):
    return request.getfixturevalue(f"on_{request.param}")


@pytest.fixture
def heard(monkeypatch) -> list[tuple[str, int]]:
    """What the guard hears, in its order: frames, and the length of each piece of sound in frames."""
    found: list[tuple[str, int]] = []
    frame, audio = QualityMonitor.on_frame, QualityMonitor.on_audio
    monkeypatch.setattr(
        QualityMonitor, "on_frame", lambda self, f: (found.append(("frame", 1)), frame(self, f) and None)[1]
    )
    told = lambda self, s: (found.append(("sound", len(s) // 1920)), audio(self, s) and None)[1]  # noqa: E731
    monkeypatch.setattr(QualityMonitor, "on_audio", told)
    monkeypatch.setattr(QualityMonitor, "on_end", lambda self: None)
    return found


def in_parts_of(monkeypatch, frames: int) -> None:
    monkeypatch.setattr(Qwen3TTS, "decoded_frames", frames)


@contextlib.contextmanager
def mlx_thread_held():
    """Nothing runs there before the block has ended."""
    gate = threading.Event()
    mlx_thread._running().call(gate.wait)
    try:
        yield
    finally:
        gate.set()


def in_order() -> list[tuple[str, int]]:
    """All frames of a piece, its sound, the frames of the next."""
    return [event for piece in PIECES for event in ([("frame", 1)] * piece + [("sound", piece)])]


@pytest.mark.smoke("cpu-True-5", "gpu-True-2")
@pytest.mark.parametrize("part", [1, 2, 5, 100])
@pytest.mark.parametrize("live", [True, False])
def test_the_guard_hears_whole_pieces_in_order_whatever_is_decoded_at_once(model, heard, monkeypatch, part, live):
    whole = model.speak(asked(max_frames=FRAMES)).samples
    sizes: list[int] = []
    decode = model._synthesizer.decode
    monkeypatch.setattr(model._synthesizer, "decode", lambda of: (sizes.append(len(of[0][0])), decode(of))[1])
    in_parts_of(monkeypatch, part)
    request = asked(max_frames=FRAMES, guard=True, retries=0)
    chunks = [chunk.samples for chunk in model.submit(request, live=live)]
    assert heard == in_order()
    assert max(sizes) == min(part, 12)
    assert sum(sizes) == FRAMES
    np.testing.assert_allclose(np.concatenate(chunks), whole, atol=1e-4)
    assert [len(chunk) // 1920 for chunk in chunks if len(chunk)] == PIECES


def test_parts_are_decoded_before_their_piece_is_whole(on_gpu, monkeypatch):
    """What is left behind the last frame is a part, not a piece."""
    steps, sent = [], []
    step, decode = TalkerBatch.step, on_gpu._synthesizer.decode
    monkeypatch.setattr(TalkerBatch, "step", lambda self, rows: (steps.append(len(rows)), step(self, rows))[1])
    monkeypatch.setattr(
        on_gpu._synthesizer, "decode", lambda of: (sent.append((len(steps), len(of[0][0]))), decode(of))[1]
    )
    in_parts_of(monkeypatch, 4)
    list(on_gpu.submit(asked(max_frames=27), live=True))
    assert [frames for _, frames in sent] == [3, 4, 4, 4, 4, 4, 4]
    # Each as soon as its last frame was read, which is when the next step is on its way.
    assert [at for at, _ in sent[1:]] == [8, 12, 16, 20, 24, 27]


@pytest.mark.parametrize("frames", [8, 10, 11, 12, 15])
def test_speech_that_ends_with_a_part_loses_nothing(toy, monkeypatch, frames):
    """Its last piece has 8 frames, of which the first 4 are a part: it may end before, with and behind them."""
    monkeypatch.setattr(toy_family, "expected_seconds", lambda text: frames * toy_family.FRAME / toy_family.RATE)
    with mlx_tts.load(toy) as model:
        whole = model.speak("Hello.", guard=False, seed=0).samples
        model._synthesizer.decoded_frames = 4
        heard = [chunk.samples for chunk in model.submit(SpeechRequest("Hello.", guard=False, seed=0), live=True)]
    assert len(whole) == frames * toy_family.FRAME
    np.testing.assert_array_equal(np.concatenate(heard), whole)


def test_the_device_has_the_next_step_before_the_sound_is_waited_for(on_gpu, monkeypatch):
    events: list[str] = []
    step, decode, read = TalkerBatch.step, on_gpu._synthesizer.decode, SteppedTogether.read
    monkeypatch.setattr(TalkerBatch, "step", lambda self, rows: (events.append("step"), step(self, rows))[1])
    monkeypatch.setattr(on_gpu._synthesizer, "decode", lambda of: (events.append("sound"), decode(of))[1])
    monkeypatch.setattr(SteppedTogether, "read", lambda self: (events.append("wait"), read(self))[1])
    list(on_gpu.submit(asked(max_frames=20), live=True))
    waits = [at for at, event in enumerate(events) if event == "wait"]
    assert len(waits) == 4
    # Behind the last frame there is no next step.
    assert [events[at - 2 : at] for at in waits] == [["sound", "step"]] * 3 + [["step", "sound"]]


@pytest.mark.smoke("33-lengths0", "10-lengths3")
@pytest.mark.parametrize(
    ("frames", "lengths"), [(33, [3, 4, 8, 12, 8]), (28, [3, 4, 8, 12, 1]), (12, [3, 4, 8]), (10, [3, 4, 3])]
)
def test_a_last_piece_has_one_of_few_lengths_on_a_gpu(on_cpu, on_gpu, monkeypatch, frames, lengths):
    """Each new length is planned and compiled; what is decoded behind the end is not heard."""
    whole = on_cpu.speak(asked(max_frames=frames)).samples
    sent: list[int] = []
    decode = on_gpu._synthesizer.decode
    monkeypatch.setattr(on_gpu._synthesizer, "decode", lambda of: (sent.append(len(of[0][0])), decode(of))[1])
    heard = np.concatenate([chunk.samples for chunk in on_gpu.submit(asked(max_frames=frames))])
    assert sent == lengths
    assert len(heard) == len(whole) == frames * 1920
    np.testing.assert_allclose(heard, whole, atol=1e-4)


def failing(model, monkeypatch, fails: Callable[[np.ndarray], bool], when: str) -> None:
    """Pieces of which one `fails`: their decoding raises when it is sent, or when it is read."""
    decode = model._synthesizer.decode

    class Broken:
        def read(self):
            raise MemoryError("no room")

    def sometimes(pieces):
        if not any(fails(codes) for codes, _ in pieces):
            return decode(pieces)
        if when == "sent":
            raise MemoryError("no room")
        return Broken()

    monkeypatch.setattr(model._synthesizer, "decode", sometimes)


@pytest.mark.smoke("cpu-read", "gpu-sent")
@pytest.mark.parametrize("when", ["sent", "read"])
def test_a_failure_ends_the_request_that_has_it_and_no_other(model, monkeypatch, when):
    def codes_of(stream):
        for _ in stream:
            pass
        return stream.codes

    wanted, right = codes_of(model.submit(asked(1)))[3], codes_of(model.submit(asked(2, seed=99)))
    failing(model, monkeypatch, lambda codes: np.array_equal(codes[0], wanted), when)
    streams = [model.submit(asked(1)), model.submit(asked(2, seed=99)), model.submit(asked(2, seed=99))]
    with pytest.raises(MemoryError):
        list(streams[0])
    for stream in streams[1:]:
        np.testing.assert_array_equal(codes_of(stream), right)
    until(lambda: not model._engine._working and not model._engine._sound)


def test_sound_that_is_no_number_is_one_clear_error(model, monkeypatch):
    decode = model._synthesizer.decode

    class Damaged:
        def __init__(self, sound):
            self.sound = sound

        def read(self):
            return [(samples * np.float32(np.nan), state) for samples, state in self.sound.read()]

    monkeypatch.setattr(model._synthesizer, "decode", lambda pieces: Damaged(decode(pieces)))
    with pytest.raises(ModelError, match="not a number"):
        list(model.submit(asked()))


def test_what_is_under_way_is_given_to_who_interrupts(on_gpu, monkeypatch):
    """Ctrl-C: the sound that was sent to be made when it came is heard, too."""
    streams, decode = [], on_gpu._synthesizer.decode

    def interrupted(pieces):
        sound = decode(pieces)
        streams[0].cancel(flush=True)
        return sound

    monkeypatch.setattr(on_gpu._synthesizer, "decode", interrupted)
    with mlx_thread_held():
        streams.append(on_gpu.submit(asked(max_frames=200), live=True))
    assert [len(chunk.samples) for chunk in streams[0]] == [3 * 1920]


def test_a_take_that_is_made_again_is_the_same_on_every_device(on_cpu, on_gpu, monkeypatch):
    """The first take's second piece is bad. A GPU has sent more by then, and nothing of it is heard."""
    audio = QualityMonitor.on_audio
    judged: dict[int, int] = {}

    def bad_once(self, samples):
        audio(self, samples)
        judged[id(self)] = judged.get(id(self), 0) + 1
        first = next(iter(judged)) == id(self)
        return Fault("planted", 3) if first and judged[id(self)] == 2 else None

    monkeypatch.setattr(QualityMonitor, "on_audio", bad_once)
    monkeypatch.setattr(QualityMonitor, "on_frame", lambda self, frame: None)
    monkeypatch.setattr(QualityMonitor, "on_end", lambda self: None)
    found = []
    for model in (on_cpu, on_gpu):
        judged.clear()
        stream = model.submit(asked(max_frames=FRAMES, guard=True, retries=2))
        chunks = list(stream)
        found.append((stream.codes, chunks[-1].report))
    np.testing.assert_array_equal(found[0][0], found[1][0])
    assert found[0][1] == found[1][1]
    assert found[0][1].takes == 2 and found[0][1].faults == ("planted",)


def test_a_closed_model_lets_go_of_what_is_under_way(on_gpu, monkeypatch):
    read = SteppedTogether.read
    monkeypatch.setattr(SteppedTogether, "read", lambda self: (time.sleep(0.05), read(self))[1])
    stream = on_gpu.submit(asked(max_frames=500), live=True)
    next(stream)
    held = weakref.ref(on_gpu._synthesizer)
    on_gpu.close()
    with pytest.raises(MlxTtsError, match="closed"):
        list(stream)
    gc.collect()
    assert held() is None, "the weights go with the model, although somebody holds it"


def everybody_is_ahead(monkeypatch) -> None:
    """A row that was heard has enough sound, however long this machine takes."""
    monkeypatch.setattr(SpeechStream, "ahead_seconds", property(lambda self: 5.0 if self.plays_until else 0.0))


@pytest.mark.long
def test_one_group_is_decoded_in_a_step_of_a_gpu_besides_those_that_are_waited_for(on_gpu, monkeypatch):
    """To send one takes the host longer than a frame, so the others would have to wait for it."""
    alone = [on_gpu.speak(asked(number, seed=number, max_frames=45)).samples for number in range(3)]
    everybody_is_ahead(monkeypatch)
    monkeypatch.setattr(Qwen3TTS, "decoded_at_once", 1)
    steps, sent = [], []
    step, decode = TalkerBatch.step, on_gpu._synthesizer.decode
    monkeypatch.setattr(TalkerBatch, "step", lambda self, rows: (steps.append(len(rows)), step(self, rows))[1])
    monkeypatch.setattr(on_gpu._synthesizer, "decode", lambda of: (sent.append(len(steps)), decode(of))[1])
    with mlx_thread_held():
        streams = [on_gpu.submit(asked(number, seed=number, max_frames=45), live=True) for number in range(3)]
    for stream, whole in zip(streams, alone, strict=True):
        np.testing.assert_allclose(np.concatenate([chunk.samples for chunk in stream]), whole, atol=1e-4)
    assert sent[:3] == [3, 3, 3], "first sounds are waited for"
    within = [at for at in sent[3:] if at < len(steps) - 12]
    assert len(within) > 6 and len(within) == len(set(within))
    assert min(steps[:-12]) == 3, "meanwhile their rows go on"


def test_a_row_waits_when_its_piece_does_for_long(on_gpu, monkeypatch):
    """Its frames behind the piece are kept, and are no more than a few."""
    everybody_is_ahead(monkeypatch)
    most: list[int] = []
    piece = GuardedGeneration.on_frame
    monkeypatch.setattr(
        GuardedGeneration, "on_frame", lambda own, f: (piece(own, f), most.append(len(own.take.early)))[0]
    )
    whole = on_gpu.speak(asked(1, max_frames=60)).samples
    turns = itertools.count()
    # Somebody else is always first, but for every thirtieth time.
    monkeypatch.setattr(engine, "MOST_DECODED", 0)
    monkeypatch.setattr(engine, "gives_way", lambda own: own.take.decoded_chunks > 0 and next(turns) % 30 != 0)
    heard = np.concatenate([chunk.samples for chunk in on_gpu.submit(asked(1, max_frames=60), live=True)])
    np.testing.assert_allclose(heard, whole, atol=1e-4)
    assert max(most) in (CUDA.early_frames, CUDA.early_frames + 1)
