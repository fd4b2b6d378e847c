"""What lies between a request and its first sound: frames and waits, counted in the form of a GPU on the CPU."""

from __future__ import annotations

import threading

import mlx.core as mx
import numpy as np
import pytest

from mlx_tts.api import load_folder
from mlx_tts.models.qwen3_tts.frames import CodeStep, TalkerBatch
from mlx_tts.models.qwen3_tts.talker import TalkerModel
from mlx_tts.runtime import mlx_thread
from tests.generation.test_engine import asked, until
from tests.helpers.gpu_form import as_on_gpu
from tests.helpers.rounding import assert_same_sound

pytestmark = pytest.mark.slow


@pytest.fixture
def model(oracle, monkeypatch):
    reference = oracle("custom_voice_tiny")
    as_on_gpu(monkeypatch)
    with load_folder(reference.folder) as model:
        model.serve_rows(8)
        yield model


@pytest.fixture
def events(model, monkeypatch) -> list[str]:
    """In order, what the host sends to the device and where it waits. A wait for what was read before is none."""
    found: list[str] = []
    step, read, decode, prompts = TalkerBatch.step, CodeStep.read, model._synthesizer.decode, TalkerModel.__call__
    item, evaluate = mx.array.item, mx.eval

    def here(name: str) -> None:
        if threading.current_thread().name == mlx_thread.NAME:
            found.append(name)

    monkeypatch.setattr(TalkerBatch, "step", lambda self, rows: (here(f"step {len(rows)}"), step(self, rows))[1])
    monkeypatch.setattr(CodeStep, "read", lambda self: (here("wait for a step"), read(self))[1])
    monkeypatch.setattr(model._synthesizer, "decode", lambda of: (here(f"sound {len(of)}"), decode(of))[1])
    monkeypatch.setattr(TalkerModel, "__call__", lambda *of, **how: (here("prompts"), prompts(*of, **how))[1])
    monkeypatch.setattr(mx.array, "item", lambda self: (here("wait for a number"), item(self))[1])
    monkeypatch.setattr(mx, "eval", lambda *of: (here("wait"), evaluate(*of))[1])
    return found


def first_sounds(model, events: list[str], count: int) -> list[str]:
    """Requests that come at the same moment: what happens until the first sound of all."""
    until(lambda: not model._engine._working)
    events.clear()
    gate = threading.Event()
    mlx_thread._running().call(gate.wait)  # all have arrived when the engine takes its first step
    streams = [model.submit(asked(number, seed=number), live=True) for number in range(count)]
    gate.set()
    sounds = [next(stream) for stream in streams]
    before = events[: next(at for at, event in enumerate(events) if event.startswith("sound")) + 3]
    assert all(len(chunk.samples) == 3 * 1920 for chunk in sounds)
    for stream in streams:
        stream.close()
    until(lambda: not model._engine._working)
    return before


@pytest.mark.smoke("4")
@pytest.mark.parametrize("count", [1, 4])
def test_three_frames_and_four_waits_lie_before_the_first_sound(model, events, count):
    first_sounds(model, events, count)  # compiles and checks
    step, read = f"step {count}", "wait for a step"
    frames = [step, step, read, step, read]  # the device never waits for the host between frames
    # Whether embeddings are numbers is asked when the first frame has come: the answer is there.
    told = ["wait for a number"] * count
    # The next step is sent before the sound is waited for, so that the device goes on meanwhile.
    wanted = ["prompts", *frames[:3], *told, *frames[3:], read, f"sound {count}", step, "wait"]
    assert first_sounds(model, events, count) == wanted


def test_the_sound_is_that_of_the_whole(model):
    whole = model.speak(asked(1)).samples
    for _ in range(2):
        live = [model.submit(asked(number), live=True) for number in (1, 2, 1)]
        heard = [np.concatenate([chunk.samples for chunk in stream]) for stream in live]
        assert_same_sound(heard[0], heard[2], 1e-4)  # random weights amplify
        np.testing.assert_allclose(heard[0], whole, atol=1e-4)
