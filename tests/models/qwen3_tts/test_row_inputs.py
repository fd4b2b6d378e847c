"""Masks and texts of a batch's rows, against the rows one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import mlx.core as mx
import numpy as np

from mlx_tts.models.qwen3_tts.row_inputs import RowInputs

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
