"""[B, heads, T, D] -> the same, rotated by position: RoPE with the reference's frequencies."""

from __future__ import annotations

import mlx.core as mx
import numpy as np


def rope_periods(head_dim: int, theta: float) -> mx.array:
    """[head_dim / 2] periods over 2 pi. mx.fast.rope's own, from a float32 exp, drift with the position."""
    exponents = np.arange(0, head_dim, 2, dtype=np.float64) / head_dim
    return mx.array((theta**exponents).astype(np.float32))


def rotate(x: mx.array, periods: mx.array, position: mx.array | int = 0) -> mx.array:
    """Rotate [B, heads, T, D]; the first of T stands at `position`."""
    return mx.fast.rope(x, x.shape[-1], traditional=False, base=None, scale=1.0, offset=position, freqs=periods)
