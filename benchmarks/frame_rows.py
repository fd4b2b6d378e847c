"""Utterances -> frames of codes, side by side, with one step of look-ahead as the engine has it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from mlx_tts.models.qwen3_tts.frames import FrameLoop
from mlx_tts.models.qwen3_tts.rows import TalkerRow, Utterance


def begin(loop: FrameLoop, utterance: Utterance) -> TalkerRow:
    """Read the whole prompt."""
    beginning = loop.begin(utterance)
    while True:
        try:
            next(beginning)
        except StopIteration as done:
            return done.value  # type: ignore[no-any-return]


def run(loop: FrameLoop, utterances: Sequence[Utterance], frames: int) -> Iterator[tuple[int, np.ndarray]]:
    """(index of the row, codes [K]) of every frame; rows go on to the last of `frames`."""
    rows = [begin(loop, utterance) for utterance in utterances]
    batch, waiting = loop.open_batch(), None
    for number in range(frames + 1):
        launched = None
        if number < frames:
            assert all(row.ready for row in rows)
            launched = batch.step(rows)
        if waiting is not None:
            yield from ((index, codes) for index, codes in enumerate(waiting.read()) if codes is not None)
        waiting = launched
