"""From steps and their times to the number of rows that stay in real time."""

import pytest

from mlx_tts.generation.step_times import KEEP_SECONDS, StepTimes

FRAME = 0.08


def seen(times: StepTimes, rows: int, seconds: float, begin: float = 0.0) -> float:
    """A second of such steps; the time after them."""
    times.pause()
    now = begin
    for _ in range(round(1 / seconds) + 1):
        times.step(rows, now)
        now += seconds
    return now


def test_nothing_is_known_before_a_window_of_steps():
    times = StepTimes(FRAME, 1.0)
    times.step(1, 0.0)
    times.step(1, 0.1)
    assert not times.is_known
    assert (times.step_seconds(1, 0.1), times.live_rows(8, 0.1)) == (None, 8)


@pytest.mark.parametrize(
    ("steps", "live"),
    [
        ({1: 0.035}, 2),  # what was not seen yet is taken for twice the work
        ({1: 0.035, 2: 0.045}, 3),
        ({1: 0.06, 2: 0.065}, 2),
        ({1: 0.035, 2: 0.045, 3: 0.06}, 3),
        ({1: 0.035, 2: 0.045, 3: 0.06, 4: 0.094}, 3),
        ({1: 0.02, 8: 0.07}, 8),
        ({8: 0.15}, 1),  # of fewer rows nothing is known but that they take no longer
        ({1: 0.2}, 1),  # a machine that is too slow still speaks
    ],
)
def test_rows_that_stay_in_real_time(steps, live):
    times, now = StepTimes(FRAME, 1.0), 0.0
    for rows, seconds in steps.items():
        now = seen(times, rows, seconds, now)
    assert times.live_rows(8, now) == live


def test_rows_of_a_gpu_cost_little():
    times = StepTimes(FRAME, row_cost=0.1)
    assert times.live_rows(64, seen(times, 1, 0.012)) == 54


def test_a_pause_is_not_counted():
    times = StepTimes(FRAME, 1.0)
    now = seen(times, 1, 0.02)
    now = seen(times, 1, 0.02, now + 60)
    assert times.step_seconds(1, now) == pytest.approx(0.02)


def test_steps_without_rows_count_for_those_around_them():
    """Sound is made in them, which is work for the rows, too."""
    times, now = StepTimes(FRAME, 1.0), 0.0
    for at in range(40):
        times.step(at % 2, now)
        now += 0.02
    assert times.step_seconds(1, now) == pytest.approx(0.04, rel=0.1)


def test_it_follows_the_machine_and_forgets():
    times, now = StepTimes(FRAME, 1.0), 0.0
    now = seen(times, 2, 0.02, now)
    for _ in range(10):
        now = seen(times, 2, 0.06, now)
    assert times.step_seconds(2, now) == pytest.approx(0.06, rel=0.05)
    later = now + KEEP_SECONDS
    for _ in range(10):
        later = seen(times, 1, 0.02, later)
    assert times.live_rows(8, now + 1) == 2
    assert times.live_rows(8, later) == 3  # of two rows nothing is known any more


def test_what_is_known_is_kept_while_nothing_newer_comes():
    times = StepTimes(FRAME, 1.0)
    now = seen(times, 2, 0.06)
    assert times.live_rows(8, now + 100 * KEEP_SECONDS) == 2


def test_a_row_that_was_never_tried_is_tried():
    """With two cores the second row of the built-in voice is nearly free: 50, 52 and 94 ms for 1, 2 and 4 rows."""
    times, now = StepTimes(FRAME, 0.3), seen(StepTimes(FRAME, 0.3), 1, 0.05)
    for rows, seconds, live in ((1, 0.05, 2), (2, 0.052, 5), (5, 0.105, 4), (4, 0.094, 3), (3, 0.074, 3)):
        now = seen(times, rows, seconds, now)
        assert times.live_rows(8, now) == live
