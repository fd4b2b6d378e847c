"""How much of a conversion is done, and the time left: on recorded work, and on work whose speed is written down."""

import json

import pytest

from mlx_tts.checkpoints.work import ConversionWork
from tests.helpers.paths import ROOT

RECORDED = sorted((ROOT / "tests" / "fixtures" / "progress").glob("convert_*.json"))


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def work(clock):
    return ConversionWork(lambda _line: None, clock)


def go(work, clock, kind, usual, seconds, told=None):
    with work.doing(kind, usual):
        for _ in range(10):
            clock.now += seconds / 10
            if told is not None:
                told.append((clock.now, *work.left))


def test_nothing_is_told_before_anything_is_done(work, clock):
    work.plan("fitting", 10.0)
    with work.doing("fitting", 5.0):
        clock.now += 3
        assert work.left == (None, 0.0)


def replayed(work, clock, path):
    """What is told while a recorded conversion is done again: (seconds, left, share)."""
    clock.now, told = 0.0, []
    for kind, name, *event in json.loads(path.read_text()):
        if kind == "plan":
            work.plan(name, *event)
        elif kind == "drop":
            work.drop(name)
        else:
            usual, began, ended = event
            clock.now = began
            with work.doing(name, usual):
                for step in range(1, 5):
                    clock.now = began + (ended - began) * step / 4
                    told.append((clock.now, *work.left))
    return [entry for entry in told if entry[0] >= 0.1 * told[-1][0]]


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_recorded_conversions(work, clock, path):
    """Measured recipes of the built-in voice (one with few frames and slow products), mxfp4 of 0.6B, and Core ML
    packages of a model of that size with random weights, by the seconds of one core."""
    told = replayed(work, clock, path)
    last = told[-1][0]
    assert len(told) > 100
    for now, left, share in told:
        assert abs(left - (last - now)) <= max(0.3 * (last - now), 5.0), (now, left, last - now)
        assert share == pytest.approx(now / last, abs=0.08)


@pytest.mark.parametrize("name", ["convert_coreml", "convert_tiny"])
def test_nine_of_ten_lines_are_within_30_percent(work, clock, name):
    told = replayed(work, clock, ROOT / "tests" / "fixtures" / "progress" / f"{name}.json")
    last = told[-1][0]
    wrong = [(last - now, left) for now, left, _ in told if abs(left - (last - now)) > max(0.3 * (last - now), 1.0)]
    assert len(wrong) <= len(told) / 10, wrong


@pytest.mark.parametrize("slowness", [0.2, 1.0, 7.0])
def test_it_is_right_from_a_tenth_on_at_any_speed_of_the_machine(work, clock, slowness):
    """Two kinds of work, one of them slower than usual, in turns."""
    told, began = [], clock.now
    for _ in range(20):
        work.plan("fitting", 2.0)
        work.plan("reading", 3.0)
    for _ in range(20):
        go(work, clock, "fitting", 2.0, 2.0 * slowness, told)
        go(work, clock, "reading", 3.0, 4.5 * slowness, told)
    last = clock.now
    compared = [entry for entry in told if entry[0] >= began + 0.1 * (last - began)]
    assert len(compared) > 300
    for now, left, share in compared:
        assert left == pytest.approx(last - now, rel=0.3, abs=2 * slowness)
        assert share == pytest.approx((now - began) / (last - began), abs=0.08)
    assert work.left == (0.0, 1.0)


def test_a_step_that_is_seen_tells_how_much_of_it_is_done(work, clock):
    """A file of 50 MB/s where ten times that is usual."""
    work.plan("writing", 10.0)
    part = 0.0
    with work.doing("writing", 10.0, lambda: part):
        for second in range(1, 100):
            clock.now += 1
            part = second / 100
            left, share = work.left
            assert left == pytest.approx(100 - second, rel=0.1)
            assert share == pytest.approx(part, abs=0.01)


def test_each_kind_of_work_has_a_speed_of_its_own(work, clock):
    """Both should take as long; reading takes four times that, and only reading is left."""
    work.plan("fitting", 10.0)
    work.plan("reading", 30.0)
    go(work, clock, "fitting", 10.0, 10.0)
    go(work, clock, "reading", 10.0, 40.0)
    left, share = work.left
    assert left == pytest.approx(80.0, rel=0.05)
    assert share == pytest.approx(50 / 130, abs=0.03)


def test_what_is_done_between_two_steps_takes_time_as_well(work, clock):
    """Each step of a second is followed by a second of other work."""
    work.plan("fitting", 20.0)
    for _ in range(10):
        go(work, clock, "fitting", 1.0, 1.0)
        clock.now += 1.0
    with work.doing("fitting", 1.0):
        left, share = work.left
    assert left == pytest.approx(20.0, rel=0.05)
    assert share == pytest.approx(0.5, abs=0.01)


def test_work_that_need_not_be_done_is_not_waited_for(work, clock):
    work.plan("speaking", 100.0)
    work.plan("fitting", 10.0)
    go(work, clock, "speaking", 10.0, 20.0)
    work.drop("speaking")
    left, share = work.left
    assert left == pytest.approx(20.0)
    assert share == pytest.approx(0.5)


def test_it_takes_the_place_of_a_log():
    lines: list[str] = []
    work = ConversionWork.of(lines.append)
    work("reading")
    assert lines == ["reading"]
    assert ConversionWork.of(work) is work
