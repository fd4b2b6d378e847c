"""A request that an earlier run was stopped in, in; the beginning of its first take, with the frames kept, out."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

import numpy as np

from mlx_tts.generation.synthesizer import Frame, Repeats, Row, Synthesizer
from mlx_tts.speech import CheckedRequest


class EarlierRun:
    """What was made of a request before, and what is kept of it now. Nothing for text that still arrives, and where the
    model cannot repeat frames."""

    def __init__(self, synthesizer: Synthesizer, request: CheckedRequest):
        kept = request.unfinished if request.growing is None else None
        self._repeats = synthesizer if kept is not None and isinstance(synthesizer, Repeats) else None
        self._kept, self._seed, self._frames = kept, request.seed, 0

    def begin(self, prepared: Any) -> Generator[int, None, Row] | None:
        """The first take, with the frames of the earlier run; None where there are none."""
        if self._repeats is None or self._kept is None or self._seed is None:
            return None
        frames = self._kept.read(self._seed)
        if frames is None:
            return None
        self._frames = len(frames)
        return self._repeats.repeat(prepared, frames)

    def keep(self, frames: Sequence[Frame]) -> None:
        """All frames of the first take so far; fewer than an earlier run kept are of no use."""
        if self._repeats is None or self._kept is None or self._seed is None:
            return
        if len(frames) > self._frames:
            self._kept.write(self._seed, np.stack(frames))
