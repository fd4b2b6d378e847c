"""Which ids of the text each frame of an utterance looked at, in; when each of its words was spoken, out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mlx_tts.generation.signs import TextAttention, monotonic_path
from mlx_tts.models.qwen3_tts.config import AlignmentConfig
from mlx_tts.speech import Mark


def word_marks(
    attention: TextAttention | None, frames: int, heads: AlignmentConfig, frame_seconds: float
) -> tuple[Mark, ...]:
    """A mark for each word, in seconds of the utterance, of which so many frames were kept. None where nothing is
    known, as for a text that was not laid out in one go. A word behind a pause seems to begin with the pause: only the
    sound tells (narration/marks.py)."""
    if attention is None or not attention.words or not frames:
        return ()
    path = monotonic_path(attention.seen[:frames])
    seconds = frames * frame_seconds
    starts = [min(seconds, _reached(path, begin) * frame_seconds + heads.lead_seconds) for begin in attention.begins]
    starts[0] = 0.0
    ends = [*starts[1:], seconds]
    words = zip(attention.words, starts, ends, strict=True)
    return tuple(Mark(*entry, "word", estimated=not heads.measured) for entry in words)


def _reached(path: NDArray[np.int64], begin: int) -> int:
    """The first frame that looks at a place or behind it."""
    return int(np.searchsorted(path, begin))
