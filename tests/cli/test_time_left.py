"""The time left after a tenth of the work: on a recorded run, and on runs whose pieces and speed are written down."""

import json
import re

import pytest

from mlx_tts.cli.progress import Counts, TimeLeft, guard_line, progress_line
from mlx_tts.speech import GuardReport
from tests.helpers.paths import ROOT


def run(pieces, rows, speed, pace, stored=0):
    """Pieces (expected seconds) made `rows` side by side, each row at `speed`; at each end (share, told, true)."""
    left = TimeLeft(sum(pieces[stored:]), len(pieces) - stored, rows)
    lengths = [expected * pace for expected in pieces]
    waiting, working, now, made = list(range(stored, len(pieces))), {}, 0.0, 0.0
    history, step = [], 0.05
    while waiting or working:
        while waiting and len(working) < rows:
            working[waiting[0]] = 0.0
            waiting.pop(0)
        now += step
        for number in list(working):
            working[number] += step * speed
            made += step * speed
            if working[number] >= lengths[number]:
                del working[number]
                left.finished(pieces[number], lengths[number])
                history.append((now, made, left.seconds(now, made)))
    return [(made_then / made, told, now - then) for then, made_then, told in history]


BOOK = [4.0 + (7 * number) % 13 for number in range(120)]


@pytest.mark.parametrize("rows", [1, 4, 8])
@pytest.mark.parametrize("pace", [0.8, 1.0, 1.4])
@pytest.mark.parametrize("stored", [0, 60])
def test_after_a_tenth_of_the_work_it_is_within_30_percent(rows, pace, stored):
    told = [(said, true) for share, said, true in run(BOOK, rows, 0.5, pace, stored) if 0.1 <= share <= 0.9]
    assert len(told) > 20
    for said, true in told:
        assert said == pytest.approx(true, rel=0.3)


@pytest.mark.parametrize("clock", [1, 2])
def test_a_recorded_run_of_eight_rows(clock):
    """66 sentences of the built-in voice on two cores that others used as well. clock 1 is the time that went by, 2 the
    processor's time for this run alone. What is told is within 30 % until a tenth of the work is left."""
    recorded = json.loads((ROOT / "tests" / "fixtures" / "eight_rows.json").read_text())
    left = TimeLeft(recorded["expected_seconds"], recorded["pieces"], recorded["rows"])
    shown = [event for event in recorded["events"] if event[0] == "shown"]
    end, everything = shown[-1][clock], shown[-1][3]
    compared = 0
    for event in recorded["events"]:
        if event[0] == "finished":
            left.finished(*event[1:])
        elif 0.1 <= event[3] / everything <= 0.9:
            compared += 1
            assert left.seconds(event[clock], event[3]) == pytest.approx(end - event[clock], rel=0.3)
    assert compared > 30


def test_nothing_is_told_before_anything_is_made():
    assert TimeLeft(100).seconds(5.0, 0.0) is None
    assert TimeLeft(100).share(25.0) == pytest.approx(0.25)


def test_pieces_that_were_kept_count():
    left = TimeLeft(50.0, 5, 1, kept_expected=50.0)
    assert left.share(0.0) == pytest.approx(0.5)
    assert left.share(25.0) == pytest.approx(0.75)


def test_what_was_spoken_in_vain_is_no_progress():
    """Half of the pieces are done, each was spoken twice: as much time is needed again."""
    left = TimeLeft(100.0, 10)
    for _ in range(5):
        left.finished(10.0, 10.0, takes=2)
    assert left.share(100.0) == pytest.approx(0.5)
    assert left.seconds(60.0, 100.0) == pytest.approx(60.0, rel=0.05)


@pytest.mark.parametrize("made", [10.0, 99.9, 100.0, 400.0])
def test_it_never_says_that_nothing_is_left(made):
    left = TimeLeft(100.0, 10)
    counts = Counts(left=left, pieces=10, began=0.0)
    line, share = progress_line(counts, made)
    assert re.search(r", \d+ (s|min) left$|, [\d.]+ h left$", line)
    assert ", 0 s left" not in line
    assert share < 1.0


def test_the_guard_names_the_text_and_the_way_on():
    kept = GuardReport(3, ("looped", "looped"), "looped")
    assert guard_line(kept, "Chapter Two", 6) == (
        "“Chapter Two” may be misspoken (the model looped; 3 tries): listen to it, or use --redo 7"
    )
    assert guard_line(kept, "Chapter Two").endswith("listen to it")
    assert guard_line(GuardReport(2, ("looped",)), "Chapter Two") == (
        "“Chapter Two”: the model looped: spoke it again (take 2)"
    )
    assert guard_line(GuardReport(1), "Chapter Two") is None
