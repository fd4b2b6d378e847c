"""Logits and the codes drawn with them in; how much each draw surprises the model, and how much it should, out."""

from __future__ import annotations

from collections.abc import Sequence

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from mlx_tts.generation.signs import Draws

LEAST_LOG = -1e4  # stands for minus infinity, which times zero is no number


def surprise(logits: mx.array, codes: mx.array) -> mx.array:
    """[B, V], [B] -> [B, 3]: surprise, entropy, and variance of the surprise."""
    logits = logits.astype(mx.float32)
    logs = mx.maximum(logits - mx.logsumexp(logits, axis=-1, keepdims=True), LEAST_LOG)
    weighted = mx.exp(logs) * logs
    entropy = -weighted.sum(axis=-1)
    variance = (weighted * logs).sum(axis=-1) - mx.square(entropy)
    drawn = mx.take_along_axis(logs, codes[:, None], axis=-1)[:, 0]
    return mx.stack([-drawn, entropy, variance], axis=-1)


def draws_of(values: Sequence[NDArray[np.float32]]) -> Draws | None:
    """What `surprise` says of each draw, in order; None without any."""
    return Draws(*np.stack(values, axis=1)) if len(values) else None
