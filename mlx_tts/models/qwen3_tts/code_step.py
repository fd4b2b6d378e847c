"""A frame of codes on its way from the device in; for each row its codes, its end or what is wrong with it out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from mlx_tts.errors import ModelError
from mlx_tts.samples import Codes


@dataclass(frozen=True)
class CodeStep:
    """Codes [B, K] of rows, and how the first ones surprised the model [B, 3], on their way from the device. draws: of
    each row, where the surprise is noted. faults: of utterances whose first frame this is; what they waited for was
    there before the frame."""

    draws: Sequence[list[NDArray[np.float32]]]
    codes: mx.array
    surprise: mx.array
    end_of_speech: int
    faults: Sequence[Callable[[], ModelError | None] | None] = ()

    def read(self) -> list[Codes | ModelError | None]:
        for draws, values in zip(self.draws, np.array(self.surprise), strict=True):
            draws.append(values)
        frames = np.array(self.codes, dtype=np.int32)
        faults = [None if fault is None else fault() for fault in self.faults] or [None] * len(frames)
        found = zip(frames, faults, strict=True)
        return [fault or (None if codes[0] == self.end_of_speech else codes) for codes, fault in found]
