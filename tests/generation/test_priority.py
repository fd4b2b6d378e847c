"""On a CPU who has no sound yet goes first, and who is ahead of its listener waits; the bytes of all stay the same."""

import asyncio
import time
from dataclasses import replace
from itertools import cycle
from types import SimpleNamespace

import numpy as np
import pytest

from mlx_tts.generation import guarded
from mlx_tts.generation.engine import Engine
from mlx_tts.generation.guarded import LEAST_AHEAD_SECONDS, GuardedGeneration, gives_way
from mlx_tts.generation.stream import SpeechStream
from mlx_tts.generation.synthesizer import ANY_FRAMES
from mlx_tts.models.qwen3_tts.frames import TalkerBatch
from mlx_tts.models.qwen3_tts.synthesizer import Qwen3TTS
from mlx_tts.runtime import mlx_thread
from mlx_tts.runtime.device import on_gpu
from mlx_tts.server.spoken_text import SpokenText
from mlx_tts.text.cutting.pieces import Piece
from tests.generation.test_engine import asked, codes_of, until

pytestmark = pytest.mark.timed

pytestmark = pytest.mark.skipif(on_gpu(), reason="a row costs a GPU's step little, so there nobody gives way")
LONG, NEWCOMER = 21, 22  # seeds


@pytest.fixture
def model(oracle):
    return oracle("custom_voice_tiny").synthesizer


@pytest.fixture
def events(model, monkeypatch) -> list[tuple[int, ...] | int]:
    """In order: the seeds of each step's rows, and the frames of each piece that was decoded."""
    until(lambda: not model._engine._working)
    found: list[tuple[int, ...] | int] = []
    step, decode = TalkerBatch.step, model._synthesizer.decode

    def stepped(self, rows):
        found.append(tuple(row.utterance.seed for row in rows))
        return step(self, rows)

    def decoded(pieces):
        found.extend(len(frames) for frames, _ in pieces)
        return decode(pieces)

    monkeypatch.setattr(TalkerBatch, "step", stepped)
    monkeypatch.setattr(model._synthesizer, "decode", decoded)
    return found


def everybody_is_ahead(monkeypatch, seconds: float) -> None:
    """A row that was heard has so much sound ahead, however long this machine takes."""
    monkeypatch.setattr(SpeechStream, "ahead_seconds", property(lambda self: seconds if self.plays_until else 0.0))


def until_first_sound(model, events, **how) -> list[tuple[int, ...] | int]:
    """What is done from a newcomer's first step to its first piece, while a long text is spoken."""
    with model.submit(asked(1, seed=LONG, max_frames=230), live=True) as long:
        next(long)
        next(long)
        with model.submit(asked(2, seed=NEWCOMER), live=True, **how) as newcomer:
            next(newcomer)
        assert not long.ended
    first = next(at for at, event in enumerate(events) if isinstance(event, tuple) and NEWCOMER in event)
    return events[first : events.index(3, first) + 1]


@pytest.mark.slow
def test_who_is_ahead_waits_until_a_newcomer_was_heard(model, events, monkeypatch):
    everybody_is_ahead(monkeypatch, 5.0)
    assert until_first_sound(model, events) == [(NEWCOMER,), (NEWCOMER,), (NEWCOMER,), 3]


@pytest.mark.slow
def test_who_has_nothing_to_spare_goes_on(model, events, monkeypatch):
    everybody_is_ahead(monkeypatch, LEAST_AHEAD_SECONDS)
    steps = [event for event in until_first_sound(model, events) if isinstance(event, tuple)]
    assert [NEWCOMER in step for step in steps] == [True] * 3
    assert all(LONG in step for step in steps)


@pytest.mark.slow
def test_the_next_piece_of_a_long_text_hurries_nobody(model, events, monkeypatch):
    everybody_is_ahead(monkeypatch, 5.0)
    done = until_first_sound(model, events, plays_until=time.monotonic() + 60)
    assert all(LONG in step for step in done[:3] if isinstance(step, tuple))


@pytest.mark.slow
def test_a_piece_that_is_due_waits_until_a_newcomer_was_heard(model, events, monkeypatch):
    everybody_is_ahead(monkeypatch, 5.0)
    came: list[SpeechStream] = []
    step = TalkerBatch.step

    def stepped(self, rows):
        if len(events) == 26 + 3:  # three pieces were decoded, and this frame makes one of 12 due
            came.append(model.submit(asked(2, seed=NEWCOMER), live=True))
        return step(self, rows)

    monkeypatch.setattr(TalkerBatch, "step", stepped)
    codes_of(model.submit(asked(1, seed=LONG, max_frames=80), live=True))
    codes_of(came[0])
    first = events.index((NEWCOMER,))
    assert events[first : first + 6] == [(NEWCOMER,), (NEWCOMER,), (NEWCOMER,), 3, (NEWCOMER,), 12]


@pytest.mark.smoke("5")
@pytest.mark.slow
@pytest.mark.parametrize("part", [ANY_FRAMES, 5])
def test_pieces_that_wait_are_the_same(model, events, monkeypatch, part):
    """A frame that was under way when its piece began to wait comes to the guard behind the sound of the piece."""
    monkeypatch.setattr(Qwen3TTS, "decoded_frames", part)
    frames = 27 + 2 * 12 + 6  # the last one comes while the first part of its piece waits
    alone = model.submit(asked(1, seed=LONG, max_frames=frames), live=True)
    sound = np.concatenate([chunk.samples for chunk in alone])
    pieces = [event for event in events if isinstance(event, int)]
    everybody_is_ahead(monkeypatch, 5.0)
    come = cycle([True, True, False])
    monkeypatch.setattr(Engine, "_somebody_has_come", lambda self: next(come))
    events.clear()
    again = model.submit(asked(1, seed=LONG, max_frames=frames), live=True)
    np.testing.assert_array_equal(np.concatenate([chunk.samples for chunk in again]), sound)
    np.testing.assert_array_equal(again.codes, alone.codes)
    assert [event for event in events if isinstance(event, int)] == pieces


@pytest.mark.slow
def test_a_newcomer_that_waits_for_words_holds_up_nobody(model, monkeypatch):
    class Silent:
        text, complete = "Hello", False

        def wait(self) -> None:
            time.sleep(60)

        def advance(self) -> bool:
            return False

    everybody_is_ahead(monkeypatch, 5.0)
    with model.submit(asked(1, seed=LONG, max_frames=90), live=True) as long:
        next(long)
        with model.submit(asked(2, growing=Silent()), live=True):
            until(lambda: long.ended)
    assert len(long.codes) == 90


MANY = (31, 32, 33)  # seeds of one client


def crowd(model, monkeypatch, clients: tuple[str, str], at: str) -> list[str]:
    """Three requests of the first client, and one of the second that comes in their first step or prompt -> whose
    prompts were read, in order; ends when the last one was heard."""
    came: list[SpeechStream] = []
    read: list[str] = []
    step, read_prompt = TalkerBatch.step, GuardedGeneration.read_prompt

    def come() -> None:
        if not came:
            came.append(model.submit(asked(2, seed=NEWCOMER), live=True, client=clients[1]))

    def stepped(self, rows):
        if at == "step":
            come()
        return step(self, rows)

    def read_some(self):
        if at == "prompt":
            come()
        before, positions = self.take.row, read_prompt(self)
        if self.take.row is not before:
            read.append(self.delivery.client)
        return positions

    monkeypatch.setattr(TalkerBatch, "step", stepped)
    monkeypatch.setattr(GuardedGeneration, "read_prompt", read_some)
    many = mlx_thread.run(  # so that all three are there before the first is begun
        lambda: [model.submit(asked(seed, seed=seed, max_frames=30), live=True, client=clients[0]) for seed in MANY]
    )
    for stream in many:
        codes_of(stream)
    codes_of(came[0])
    return read


def of_the_newcomer(events) -> list[tuple[int, ...] | int]:
    first = next(at for at, event in enumerate(events) if isinstance(event, tuple) and NEWCOMER in event)
    return events[first : events.index(3, first) + 1]


@pytest.mark.slow
def test_who_asks_for_one_thing_is_heard_before_who_asks_for_much(model, events, monkeypatch):
    crowd(model, monkeypatch, ("a", "b"), "step")
    assert of_the_newcomer(events) == [(NEWCOMER,), (NEWCOMER,), (NEWCOMER,), 3]


@pytest.mark.slow
@pytest.mark.parametrize(("clients", "seconds"), [(("a", "a"), 2.0), (("a", "b"), 0.0)])
def test_one_client_hurries_its_requests_together_and_waits_a_little_for_others(
    model, events, monkeypatch, clients, seconds
):
    monkeypatch.setattr(guarded, "COURTESY_SECONDS", seconds)
    crowd(model, monkeypatch, clients, "step")
    assert any(len(event) > 1 for event in of_the_newcomer(events) if isinstance(event, tuple))


@pytest.mark.slow
def test_the_prompt_of_who_asks_for_one_thing_goes_first(model, events, monkeypatch):
    assert crowd(model, monkeypatch, ("a", "b"), "prompt") == ["b", "a", "a", "a"]


LONG_TEXT = "He went on and on about it. " * 10


@pytest.mark.slow
@pytest.mark.parametrize(("clients", "seconds", "alone"), [("ab", 2.0, True), ("aa", 2.0, False), ("ab", 0.0, False)])
def test_a_few_words_are_heard_before_a_far_longer_text_of_somebody_else(
    model, events, monkeypatch, clients, seconds, alone
):
    """A client that had as many rows, one, shared its steps and its long prompt with two words of another."""
    monkeypatch.setattr(guarded, "COURTESY_SECONDS", seconds)
    came: list[SpeechStream] = []
    read_prompt = GuardedGeneration.read_prompt

    def read_some(self):
        positions = read_prompt(self)
        if not came:  # while the long prompt is read
            came.append(model.submit(asked(2, seed=NEWCOMER), live=True, client=clients[1]))
        return positions

    monkeypatch.setattr(GuardedGeneration, "read_prompt", read_some)
    long = replace(asked(1, seed=LONG, max_frames=30), text=LONG_TEXT)
    stream = model.submit(long, live=True, client=clients[0])
    codes_of(stream)
    codes_of(came[0])
    steps = of_the_newcomer(events)
    assert (steps == [(NEWCOMER,), (NEWCOMER,), (NEWCOMER,), 3]) == alone
    if alone:
        assert not any(isinstance(event, tuple) and LONG in event for event in events[: events.index((NEWCOMER,))])


@pytest.mark.slow
def test_the_server_says_until_when_its_listener_has_sound(model, monkeypatch):
    told, submit = [], model.submit
    monkeypatch.setattr(model, "submit", lambda *a, **how: (told.append(how["plays_until"]), submit(*a, **how))[1])
    pieces = [Piece(number, "Hello world.", 0, "sentence") for number in range(3)]
    request = model.check(asked(max_frames=25))

    async def served() -> list:
        return [part async for part in SpokenText(model, request, iter(pieces))]

    begin = time.monotonic()
    asyncio.run(served())
    assert told[0] == 0
    assert told[1] > begin + 1.9
    assert told[2] > begin + 3.9


@pytest.mark.parametrize(
    ("pending", "ahead", "waits"), [(12, 0.2, True), (12, 0.1, False), (0, 0.6, False), (0, 0.7, True)]
)
def test_who_gives_way_has_sound_until_its_next_piece_is_made(pending, ahead, waits):
    take = SimpleNamespace(over=False, pending=[None] * pending)
    stream, info = SimpleNamespace(ahead_seconds=ahead), SimpleNamespace(frame_rate=12.5)
    delivery = SimpleNamespace(live=True)
    row = SimpleNamespace(take=take, stream=stream, info=info, delivery=delivery, piece_frames=12)
    assert gives_way(row) is waits
