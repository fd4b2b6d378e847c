"""Masks and texts of a batch's rows, against the rows one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import mlx.core as mx
import numpy as np

from mlx_tts.models.qwen3_tts.rows import RowInputs, joined, who_stays

EARLY, LATER = mx.array([1.0, 2.0]), mx.array([3.0, 4.0])


@dataclass
class Known:
    trailing: mx.array
    pad: mx.array
    text_grows: ClassVar[bool] = False

    def text_after(self, frame: int) -> mx.array:
        return self.trailing[frame] if frame < self.trailing.shape[0] else self.pad


@dataclass
class Growing(Known):
    text_grows: ClassVar[bool] = True


def texts(kind, *lengths: int) -> list[Known]:
    return [kind(mx.random.normal((length, 3)), mx.random.normal((3,))) for length in lengths]


def test_the_text_of_each_row_is_its_own_at_every_frame():
    for rows in (texts(Known, 4, 0, 2), texts(Known, 1), texts(Growing, 3, 2)):
        inputs = RowInputs(rows)
        for frames in ([0] * len(rows), [3, 1, 2][: len(rows)], [9, 100, 5][: len(rows)]):
            own = [row.text_after(frame) for row, frame in zip(rows, frames, strict=True)]
            # known texts are not looked at one by one
            given = own if rows[0].text_grows else [mx.zeros((3,))] * len(rows)
            assert np.array_equal(inputs.text(frames, given), mx.stack(own))


def test_texts_of_rows_that_stay_are_not_put_together_again(monkeypatch):
    parts, concatenate = [], mx.concatenate
    monkeypatch.setattr(mx, "concatenate", lambda of, *at: (parts.append(len(of)), concatenate(of, *at))[1])
    rows = texts(Known, *[5] * 8)
    inputs, now = RowInputs(rows), rows
    assert parts.pop() == 2 * len(rows)
    for kept, newcomers, copies in (
        ([0, 1, 2, 4, 5, 6, 7], [], 0),
        ([1, 2, 3, 4, 5, 6], [7, 0], 5),
        ([0, 7], [], 4),  # most of the table is of no use any more
        ([1], [3], 3),
    ):
        now = [now[at] for at in kept] + texts(Known, *newcomers)
        inputs = RowInputs(now, inputs, kept)
        assert sum(parts) == copies
        parts.clear()
        for frame in range(10):
            given = [mx.zeros((3,))] * len(now)
            own = [row.text_after(max(0, frame - at)) for at, row in enumerate(now)]
            frames = [max(0, frame - at) for at in range(len(now))]
            assert np.array_equal(inputs.text(frames, given), mx.stack(own))


def test_masks_are_made_again_when_a_row_changes_over():
    inputs = RowInputs(texts(Known, 1, 1))
    first = inputs.forbidden([True, True], EARLY, LATER)
    assert inputs.forbidden([True, True], EARLY, LATER) is first
    assert inputs.forbidden([False, True], EARLY, LATER).tolist() == [[3.0, 4.0], [1.0, 2.0]]
    assert inputs.forbidden([False, False], EARLY, LATER).tolist() == [[3.0, 4.0], [3.0, 4.0]]


def test_who_stays_goes_before_newcomers_wherever_they_stand():
    a, b, c, d = [[1] for _ in range(4)]  # equal, and yet four rows
    assert who_stays([a, b, c], [a, c, d]) == ([0, 2], [d])
    assert who_stays([a, b, c], [c, a]) == ([0, 2], [])
    assert [own is d for own in who_stays([a, b], [a, d, b])[1]] == [True]
    assert who_stays([a, b], [c, a, d, b])[0] == [0, 1]
    assert who_stays([], [a]) == ([], [a])
    values = mx.array([[1.0], [2.0], [3.0]])
    assert joined(values, [0, 2], [mx.array([[9.0]])]).tolist() == [[1.0], [3.0], [9.0]]
    assert joined(values, [0, 1, 2], []) is values
    assert joined(mx.zeros((0,)), [], [mx.array([[9.0]])]).tolist() == [[9.0]]
