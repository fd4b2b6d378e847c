"""Texts are spoken one after the other, can be stopped at any time, and say what was heard of them."""

import threading
import time

import numpy as np
import pytest

from mlx_tts.errors import MlxTtsError, RequestError
from mlx_tts.job.settings import SpeechSettings
from mlx_tts.mcp import voice_box
from mlx_tts.mcp.planning import LoadedModels, plan_text, with_wishes
from mlx_tts.mcp.voice_box import VoiceBox
from tests.helpers.fakes import FakeSynthesizer, hum, make_folder
from tests.helpers.made_stream import MadeStream
from tests.mcp.conftest import until

REAL_TIME = 0.02  # of a block of the sound device


def heard(stream) -> np.ndarray:
    return stream.heard[stream.heard != 0]


def test_each_is_heard_whole_and_in_order(box, device, plan):
    spoken = [box.say(plan(f"Text number {number}.")) for number in range(3)]
    assert [one.id for one in spoken] == ["speech-1", "speech-2", "speech-3"]
    until(lambda: all(one.has_ended for one in spoken))
    assert [one.state for one in spoken] == ["done"] * 3
    assert [stream.ended for stream in device.streams] == ["stopped"] * 3
    for one, stream in zip(spoken, device.streams, strict=True):
        assert np.count_nonzero(heard(stream)) == np.count_nonzero(hum(25))
        assert one.heard.whole and one.heard.text == one.planned.text
    assert box.queue() == []


def test_stopped_in_its_midst_it_is_silent_at_once_and_says_what_was_heard(box, device, plan):
    device.block_seconds = REAL_TIME
    one = box.say(plan("This is a sentence that is stopped after a while."))
    until(lambda: one.played_seconds > 0.5)
    (stopped,) = box.stop()
    blocks = len(device.streams[0].blocks)
    played = one.played_seconds
    assert stopped is one and one.state == "stopped"
    assert 0 < one.heard.words < one.heard.of == 10
    assert "This is a sentence that is stopped after a while.".startswith(one.heard.text)
    until(lambda: device.streams[0].ended == "stopped")
    assert one.played_seconds - played <= 2 * REAL_TIME  # the block that was being played, and the one that fades out
    for block in device.streams[0].blocks[blocks + 2 :]:
        assert not block.any()


def test_one_that_waits_is_never_heard(box, device, plan):
    device.block_seconds = REAL_TIME
    first, second, third = (box.say(plan(f"Text {number}.")) for number in range(3))
    until(lambda: first.state == "speaking")
    assert [one.id for one in box.stop(second.id)] == [second.id]
    assert (second.state, second.heard.words) == ("stopped", 0)
    assert box.queue() == [first, third]
    assert box.stop("speech-99") == []
    assert set(box.stop()) == {first, third}
    assert box.queue() == []


def test_after_an_interruption_the_next_begins(box, device, plan):
    device.block_seconds = REAL_TIME
    first = box.say(plan("A long text."))
    until(lambda: first.played_seconds > 0.2)
    box.stop()
    device.block_seconds = 0.0005
    second = box.say(plan("What matters."))
    until(lambda: second.has_ended)
    assert second.state == "done"
    assert np.count_nonzero(heard(device.streams[1])) == np.count_nonzero(hum(25))


class SlowStream(MadeStream):
    """A sound, and then none for a long time unless it is cancelled."""

    def __init__(self, request, chunks):
        self.cancelled = threading.Event()
        super().__init__(request, self.slowly(iter(chunks)))

    def slowly(self, chunks):
        for chunk in chunks:
            yield chunk
            if self.cancelled.wait(5.0):
                return

    def cancel(self, flush=False):
        self.cancelled.set()


@pytest.mark.timed
def test_the_next_does_not_wait_for_the_next_sound_of_a_stopped_one(box, plan, models, monkeypatch):
    loads = box.say(plan("Hello."))  # a model is tried with some words once
    until(lambda: loads.has_ended)
    quick, made = FakeSynthesizer.submit, models.synthesizers[-1].frames_made
    monkeypatch.setattr(FakeSynthesizer, "submit", lambda self, asked, **_: SlowStream(asked, self.chunks(asked)))
    first = box.say(plan("A long text."))
    until(lambda: first.state == "speaking" and models.synthesizers[-1].frames_made > made)
    monkeypatch.setattr(FakeSynthesizer, "submit", quick)
    begin = time.monotonic()
    box.stop()
    second = box.say(plan("What matters."))
    until(lambda: second.state != "waiting", 4.0)
    assert time.monotonic() - begin < 2.0  # the stopped one would have been silent for five seconds


def test_two_programs_take_turns(box, device, plan, tmp_path):
    device.block_seconds = 0.002
    other = VoiceBox(tmp_path / "speaking.lock", models=box.models)
    try:
        spoken = [which.say(plan("Hello.")) for which in (box, other, box, other)]
        together = set()
        until(lambda: together.add(sum(one.state == "speaking" for one in spoken)) or all(o.has_ended for o in spoken))
        assert together <= {0, 1}
        assert {one.state for one in spoken} == {"done"}
    finally:
        other.close()


def test_one_that_waits_for_another_program_can_be_stopped(box, device, plan, tmp_path):
    device.block_seconds = REAL_TIME
    other = VoiceBox(tmp_path / "speaking.lock", models=box.models)
    try:
        first = box.say(plan("Hello."))
        until(lambda: first.state == "speaking")
        waits = other.say(plan("And me?"))
        time.sleep(0.05)
        assert waits.state == "waiting"
        other.stop()
        after = other.say(plan("Now me."))
        box.stop()
        until(lambda: after.state == "speaking")
        assert len(device.streams) == 2  # the one that was stopped never opened the device
    finally:
        other.close()


def test_a_failure_ends_one_and_the_next_is_spoken(box, device, plan, models):
    models.settings["failure"] = MlxTtsError("the model is broken")
    first = box.say(plan("Hello."))
    until(lambda: first.has_ended)
    assert (first.state, first.error) == ("failed", "the model is broken")
    models.synthesizers[-1].failure = None
    second = box.say(plan("Hello."))
    until(lambda: second.has_ended)
    assert second.state == "done"


def test_without_a_sound_device_it_says_so(box, device, plan):
    device.devices = 0
    one = box.say(plan("Hello."))
    until(lambda: one.has_ended)
    assert one.state == "failed"
    assert "sound device" in one.error and len(one.error.splitlines()) == 1


def test_too_many_are_refused(box, device, plan, monkeypatch):
    monkeypatch.setattr(voice_box, "MOST_WAITING", 2)
    device.block_seconds = REAL_TIME
    for _ in range(3):
        box.say(plan("Hello."))
    with pytest.raises(MlxTtsError, match="2 texts wait already: stop some"):
        box.say(plan("Hello."))


def test_closing_ends_the_thread(box, device, plan):
    device.block_seconds = REAL_TIME
    box.say(plan("Hello."))
    box.close()
    assert not any(thread.name == "mlx-tts voice box" and thread.is_alive() for thread in threading.enumerate())


def test_a_model_in_use_stays_loaded(models, place, monkeypatch):
    """A file that is being saved is not cut short because others speak with other models."""
    closed = []
    monkeypatch.setattr("tests.helpers.fakes.FakeSynthesizer.close", lambda self: closed.append(self), raising=False)
    plans = []
    for name in ("one", "two", "three", "four"):
        make_folder(place / f"{name}_custom_voice")
        plans.append(plan_text(SpeechSettings(model=str(place / f"{name}_custom_voice"), seed=1), "Hello."))
    loaded = LoadedModels()
    with loaded.using(plans[0]) as first:
        for plan in plans[1:]:
            with loaded.using(plan):
                assert first not in closed
        assert len(closed) == 2
    with loaded.using(plans[0]) as again:
        assert again is first
    loaded.close()
    assert len(closed) == 4


def test_wishes_are_checked_like_options(settings):
    asked = with_wishes(settings, {"speed": "1.5", "voice": "vivian", "language": None, "instruct": "calmly"})
    assert (asked.speed, asked.voice, asked.instruct, asked.language) == (1.5, "vivian", "calmly", "auto")
    with pytest.raises(RequestError, match="speed is 9"):
        with_wishes(settings, {"speed": 9})
    with pytest.raises(RequestError, match="which is a file"):
        with_wishes(settings, {"voice": "/tmp/secret.safetensors"})


@pytest.mark.parametrize(
    ("text", "why"), [(" ", "empty"), ("x" * 100_001, "at most 100000"), ("...", "nothing to say")]
)
def test_texts_that_cannot_be_spoken(settings, text, why):
    with pytest.raises(RequestError, match=why):
        plan_text(settings, text)
