"""A request that is stopped keeps its frames, and goes on from them with the bits that it would have had."""

import time

import numpy as np
import pytest

from mlx_tts import SpeechRequest, api
from tests.helpers.paths import ROOT

pytestmark = pytest.mark.slow

TEXTS = [
    "The old man sat by the sea.",
    "Nobody came, for it was cold.",
    "He left when the sun was down.",
]


class Kept:
    """Frames by seed, in memory."""

    def __init__(self):
        self.frames = {}

    def read(self, seed):
        return self.frames.get(seed)

    def write(self, seed, frames):
        self.frames[seed] = frames


@pytest.fixture(scope="module")
def voice():
    return api.load_folder(ROOT / "mlx_tts" / "builtin" / "tiny")


def requests(kept=None, texts=TEXTS):
    return [
        (number, SpeechRequest(text, voice="hazel", language="english", seed=3, unfinished=kept))
        for number, text in enumerate(texts)
    ]


def spoken(voice, rows, kept=None, texts=TEXTS):
    parts = {number: [] for number in range(len(texts))}
    for number, chunk in voice.stream_many(iter(requests(kept, texts)), rows):
        parts[number].append(chunk.samples)
    return [np.concatenate(chunks) for chunks in parts.values()]


@pytest.fixture(scope="module")
def whole(voice):
    """The sound of all texts, and how many frames were drawn for it."""
    with pytest.MonkeyPatch.context() as patch:
        counted = drawn(voice, patch)
        return spoken(voice, 3), sum(counted)


def stopped(voice, kept, frames):
    """Speak until so many frames of all rows are made, and stop."""

    def source():
        yield from requests(kept)
        until, deadline = voice.frames_made + frames, time.monotonic() + 60
        while voice.frames_made < until:
            assert time.monotonic() < deadline
            yield None
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(voice.stream_many(source(), len(TEXTS) + 1))  # while there is room, the source is asked


def drawn(voice, monkeypatch):
    """How many rows the code predictor draws for."""
    loop, rows = voice._synthesizer._loop, []
    plain = loop.sample_frame
    monkeypatch.setattr(loop, "sample_frame", lambda how, *rest: (rows.append(how.rows), plain(how, *rest))[1])
    return rows


@pytest.mark.smoke("3")
@pytest.mark.parametrize("rows", [1, 3])
def test_a_stopped_request_goes_on_with_the_same_bits(voice, whole, rows, monkeypatch):
    kept, (sound, frames) = Kept(), whole
    stopped(voice, kept, 36)
    there = sum(len(frames) for frames in kept.frames.values())
    assert len(kept.frames) == 3 and there >= 36 - 3
    counted = drawn(voice, monkeypatch)
    for one, other in zip(spoken(voice, rows, kept), sound, strict=True):
        np.testing.assert_array_equal(one, other)
    assert sum(counted) == frames - there, "kept frames were drawn again"


@pytest.mark.long
def test_stopped_twice_is_as_good_as_once(voice, whole):
    kept = Kept()
    stopped(voice, kept, 36)
    first = {seed: len(frames) for seed, frames in kept.frames.items()}
    stopped(voice, kept, 9)
    assert {seed: len(frames) for seed, frames in kept.frames.items()} == first, "fewer frames took the place of more"
    stopped(voice, kept, 54)
    assert sum(map(len, kept.frames.values())) > sum(first.values())
    for one, other in zip(spoken(voice, 3, kept), whole[0], strict=True):
        np.testing.assert_array_equal(one, other)


def test_frames_of_another_model_are_left_out(voice, whole):
    kept = Kept()
    stopped(voice, kept, 12)
    for seed, frames in list(kept.frames.items()):
        kept.frames[seed] = frames + 100_000
    np.testing.assert_array_equal(spoken(voice, 3, kept, TEXTS[:1])[0], whole[0][0])


def test_frames_are_those_of_the_first_take_alone(voice, whole, monkeypatch):
    """A take after a fault is another one: what is kept of the first must not become part of it."""
    from mlx_tts.generation import guarded
    from mlx_tts.generation.guard import Fault

    class Refuses(guarded.QualityMonitor):
        def on_frame(self, frame):
            return Fault("was refused", 10) if len(self.first_codes) == 9 else super().on_frame(frame)

    monkeypatch.setattr(guarded, "QualityMonitor", Refuses)
    kept = Kept()
    stopped(voice, kept, 3 * 15)  # each in its second take
    assert kept.frames == {}
