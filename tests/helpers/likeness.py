"""Recordings in, vectors of their voices out: by Resemblyzer where it is installed, else by a model's own encoder."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.helpers.paths import ROOT

JUDGE_RATE = 16_000


def voice_judge(model: Any) -> Callable[[np.ndarray, int], np.ndarray]:
    """(samples, rate) -> a unit vector of the voice. model: one that clones, whose encoder stands in for the judge."""
    sys.path.insert(0, str(ROOT / "scripts" / "train_tiny"))
    from judges import MissingJudge, load_judge

    try:
        judge = load_judge("voice")
    except MissingJudge as error:
        warnings.warn(f"LIKENESS BY THE MODEL'S OWN ENCODER, which judges itself: {error}", stacklevel=2)
        return lambda samples, rate: unit(model.speaker_embedding(samples, rate))

    def judged(samples: np.ndarray, rate: int) -> np.ndarray:
        import soxr

        return unit(judge(soxr.resample(samples, rate, JUDGE_RATE)))

    return judged


def unit(vector: np.ndarray) -> np.ndarray:
    return np.asarray(vector / np.linalg.norm(vector))
