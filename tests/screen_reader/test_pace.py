"""What leaves first is followed in time: parts of a model with a given pace, on a clock of the test's own."""

from __future__ import annotations

from itertools import accumulate

import numpy as np
import pytest

from mlx_tts.generation.guarded import LOW_LATENCY_FRAMES
from mlx_tts.narration.cancellation import Cancellation
from mlx_tts.narration.narrate import Spoken
from mlx_tts.screen_reader import pace as module
from mlx_tts.screen_reader.pace import MOST_HELD_SECONDS, ArrivedPart, Pacing, RecentPace
from mlx_tts.screen_reader.wishes import Wishes
from tests.helpers.made_stream import MadeStream

RATE, FRAME_SECONDS = 24_000, 0.08
STEP_SECONDS, PIECE_SECONDS, DECODE_SECONDS = 0.025, 0.009, 0.005  # of a frame; of a piece, and of each frame in it
FIRST_SECONDS = 0.06
SILENT_SECONDS = 0.05  # before the first sound
STRETCH_SECONDS = 0.05  # that an effect holds back
CLOSELY = 1e-3


class ClockOfTest:
    """`time` to the module, and a condition to those who wait for the stream: waiting moves the clock."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


class PacedStream(MadeStream):
    """Chunks come when the clock says so. ends: nothing follows those that are there."""

    def __init__(self, clock: ClockOfTest, arrivals: list[float], end: float) -> None:
        super().__init__(None, [])
        self.cancelled = False
        self.clock, self.planned, self.end_at = clock, arrivals, end
        self.condition = self  # type: ignore[assignment]

    @property
    def arrivals(self) -> list[float]:  # type: ignore[override]
        return [at for at in self.planned if at <= self.clock.now]

    @property
    def ended(self) -> bool:
        return self.clock.now >= self.end_at

    @ended.setter
    def ended(self, _value: bool) -> None: ...

    def __enter__(self):
        return self

    def __exit__(self, *_: object) -> None: ...

    def wait(self, seconds: float) -> None:
        later = [at for at in (*self.planned, self.end_at) if at > self.clock.now]
        self.clock.now = min([self.clock.now + seconds, *later])


class PacedModel:
    """What `narrate` is to the voice. slower: in times of its usual pace. sizes: frames of its pieces."""

    def __init__(self, clock: ClockOfTest) -> None:
        self.clock, self.frames, self.slower, self.sizes = clock, 14, 1.0, LOW_LATENCY_FRAMES

    def __call__(self, _model, _request, _source, options, begun):
        sizes, left = [], self.frames
        for number in range(self.frames):
            if left:
                sizes.append(min(left, self.sizes[min(number, len(self.sizes) - 1)]))
                left -= sizes[-1]
        took = [self.slower * (size * (STEP_SECONDS + DECODE_SECONDS) + PIECE_SECONDS) for size in sizes]
        took[0] = FIRST_SECONDS
        arrivals = [self.clock.now + after for after in accumulate(took)]
        begun(None, PacedStream(self.clock, arrivals, arrivals[-1]))
        whole = np.full(round(self.frames * FRAME_SECONDS / options.speed * RATE), 0.3, np.float32)
        whole[: round(SILENT_SECONDS / options.speed * RATE)] = 0
        held, given = 0.0 if options.speed == 1.0 else STRETCH_SECONDS, 0
        for at, frames in zip(arrivals, accumulate(sizes), strict=True):
            self.clock.now = max(self.clock.now, at)
            is_last = frames == self.frames
            ready = frames * FRAME_SECONDS - (0.0 if is_last else held)
            upto = max(given, len(whole) if is_last else round(ready / options.speed * RATE))
            yield Spoken(None, whole[given:upto])  # type: ignore[arg-type]
            given = upto


@pytest.fixture
def clock(monkeypatch) -> ClockOfTest:
    clock = ClockOfTest()
    monkeypatch.setattr(module, "time", clock)
    return clock


@pytest.fixture
def paced(voice, clock, monkeypatch) -> PacedModel:
    model = PacedModel(clock)
    monkeypatch.setattr("mlx_tts.narration.narrate.narrate", model)
    voice.open()
    return model


def heard(voice, clock: ClockOfTest, text: str, **wishes: int) -> tuple[float, float]:
    """Seconds to the first sound, and of the longest hole behind it."""
    asked, played, hole = clock.now, 0.0, 0.0
    first = 0.0
    own = Wishes(**wishes)
    for part in voice.speak(text, own, Cancellation()):
        if not played:
            first, played = clock.now - asked, clock.now
        hole = max(hole, clock.now - played)
        played = max(played, clock.now) + len(part.samples) / RATE / own.height
    return first, hole


@pytest.mark.parametrize("frames", [2, 3, 7, 14, 40])
@pytest.mark.parametrize("rate", [0, 25, 50])
def test_no_hole_follows_the_first_part(voice, clock, paced, rate, frames):
    heard(voice, clock, "A text that is heard once.", rate=rate)
    heard(voice, clock, "A text of forty frames that is as long as they are.", rate=rate)
    paced.frames = frames
    first, hole = heard(voice, clock, "The battery is low, and that is all there is to say.", rate=rate)
    assert hole == pytest.approx(0.0, abs=CLOSELY)
    assert first < FIRST_SECONDS + (0.03 if rate == 0 else 0.06)


@pytest.mark.parametrize(("rate", "slower"), [(0, 1.2), (50, 1.1)])
def test_what_leaves_at_once_is_followed_by_a_hole(voice, clock, paced, rate, slower, monkeypatch):
    """The pace of this model is one with which it matters."""
    paced.slower = slower
    heard(voice, clock, "A text that is heard once.", rate=rate)
    assert heard(voice, clock, "The battery is charged.", rate=rate)[1] == pytest.approx(0.0, abs=CLOSELY)
    monkeypatch.setattr(Pacing, "hold", lambda *_: None)
    _, hole = heard(voice, clock, "The battery is low.", rate=rate)
    assert hole > 2 * CLOSELY


def test_pieces_that_grow_slowly_are_held_for_less(voice, clock, paced):
    def first(sizes: tuple[int, ...], text: str) -> float:
        paced.sizes, paced.frames = sizes, 14
        voice._pace = RecentPace()
        heard(voice, clock, f"{text} is known.", rate=50)
        return heard(voice, clock, f"{text} is heard, and that is all there is to say.", rate=50)[0]

    assert first(LOW_LATENCY_FRAMES, "One") < first((1, 2, 4, 8, 12), "Two") - 0.05


def test_the_first_text_of_all_waits_for_its_second_part(voice, clock, paced):
    first, hole = heard(voice, clock, "Nothing is known yet.")
    assert hole == 0.0
    assert first == pytest.approx(FIRST_SECONDS + STEP_SECONDS + DECODE_SECONDS + PIECE_SECONDS)


def test_a_slower_model_is_waited_for_longer_and_never_for_ever(voice, clock, paced):
    paced.slower = 1.5
    heard(voice, clock, "Now it is slower.")
    first, hole = heard(voice, clock, "Now it is known to be slower.")
    assert hole == pytest.approx(0.0, abs=CLOSELY) and first > FIRST_SECONDS + 0.015
    paced.slower = 30.0
    heard(voice, clock, "Now it is far too slow.")
    heard(voice, clock, "Now it is far too slow again.")
    first, hole = heard(voice, clock, "It is too slow for every hold.")
    assert hole > 0 and first == pytest.approx(FIRST_SECONDS + MOST_HELD_SECONDS)


def test_a_text_of_one_part_leaves_at_once(voice, clock, paced):
    paced.frames = 1
    assert heard(voice, clock, "A.") == (pytest.approx(FIRST_SECONDS), 0.0)
    paced.frames = 14
    heard(voice, clock, "This one is longer.")
    paced.frames = 1
    assert heard(voice, clock, "B.") == (pytest.approx(FIRST_SECONDS), 0.0)


def test_one_slow_text_of_several_is_forgotten():
    pace, usual = RecentPace(), [ArrivedPart(at / 10, 0.08) for at in range(5)]
    for _ in range(3):
        pace.learn(usual)
    assert pace.hold_seconds(0, 0.08, 1.0, 5.0) == pytest.approx(0.02 + 0.04)
    pace.learn([ArrivedPart(at / 2, 0.08) for at in range(5)])
    assert pace.hold_seconds(0, 0.08, 1.0, 5.0) == pytest.approx(0.02 + 0.04)
    # What comes behind the end of a short text does not matter.
    assert pace.hold_seconds(0, 0.08, 1.0, 0.1) == pytest.approx(0.02)
    assert pace.hold_seconds(0, 0.5, 1.0, 5.0) == 0.0
    assert pace.hold_seconds(4, 0.08, 1.0, 5.0) is None


def test_a_stop_ends_the_hold(voice, clock, paced):
    """Whoever stops a text does not wait until its first part may leave."""
    paced.slower = 10.0
    heard(voice, clock, "Known to be slow.")
    cancellation, begin = Cancellation(), clock.now
    wait = PacedStream.wait

    def stopped(stream, seconds):
        wait(stream, min(seconds, 0.01))
        stream.cancelled = True

    PacedStream.wait = stopped  # type: ignore[method-assign]
    try:
        next(voice.speak("It is stopped.", Wishes(), cancellation))
    finally:
        PacedStream.wait = wait  # type: ignore[method-assign]
    assert clock.now == pytest.approx(begin + FIRST_SECONDS + 0.01)
