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


def test_masks_are_made_again_when_a_row_changes_over():
    inputs = RowInputs(texts(Known, 1, 1))
    first = inputs.forbidden([True, True], EARLY, LATER)
    assert inputs.forbidden([True, True], EARLY, LATER) is first
    assert inputs.forbidden([False, True], EARLY, LATER).tolist() == [[3.0, 4.0], [1.0, 2.0]]
    assert inputs.forbidden([False, False], EARLY, LATER).tolist() == [[3.0, 4.0], [3.0, 4.0]]


def test_who_stays_is_who_stands_in_front():
    a, b, c, d = [[1] for _ in range(4)]  # equal, and yet four rows
    assert who_stays([a, b, c], [a, c, d]) == [0, 2]
    assert who_stays([a, b, c], [c, a]) == [2, 0]
    assert who_stays([a, b], [a, d, b]) == []
    assert who_stays([], [a]) == []
    values = mx.array([[1.0], [2.0], [3.0]])
    assert joined(values, [0, 2], [mx.array([[9.0]])]).tolist() == [[1.0], [3.0], [9.0]]
    assert joined(values, [2, 1, 0], []).tolist() == [[3.0], [2.0], [1.0]]
    assert joined(mx.zeros((0,)), [], [mx.array([[9.0]])]).tolist() == [[9.0]]
