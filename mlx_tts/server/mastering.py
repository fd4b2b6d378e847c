"""Speech on its way to an encoder -> the same without peaks above -1 dBTP and, if asked, as loud as is wanted."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mlx_tts.audio.sinks.mastered import MasteredSink
from mlx_tts.samples import Samples


class _Collected:
    """A sink that keeps what it is given until it is taken."""

    def __init__(self) -> None:
        self._parts: list[Samples] = []

    def begin_chapter(self, number: int) -> None: ...

    def write(self, samples: Samples) -> None:
        self._parts.append(samples)

    def finish(self) -> Path | None:
        return None

    def abandon(self) -> Path | None:
        return None

    def taken(self) -> Samples:
        parts, self._parts = self._parts, []
        return np.concatenate([np.zeros(0, np.float32), *parts])


class Mastering:
    """The effects of the command line's `--loudness`, for what is played: each voice comes to the target as it speaks.
    target: LUFS; None leaves the loudness."""

    def __init__(self, sample_rate: int, target: float | None) -> None:
        self.levels = target is not None
        self._out = _Collected()
        self._sink = MasteredSink(self._out, sample_rate, target)
        self._sink.begin_chapter(0)

    def begin_voice(self, name: str | None) -> None:
        """The samples that follow are of this voice; None is the speech's own."""
        self._sink.begin_voice(name)

    def change(self, samples: Samples) -> Samples:
        self._sink.write(samples)
        return self._out.taken()

    def finish(self) -> Samples:
        self._sink.finish()
        return self._out.taken()
