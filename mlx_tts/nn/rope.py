"""[B, heads, T, D] -> the same, rotated by position: RoPE with the reference's frequencies."""

from __future__ import annotations

from functools import lru_cache

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

Factors = tuple[float, ...]  # by which the periods of a long context are stretched, one each; empty: none


def rope_periods(head_dim: int, theta: float, factors: Factors = ()) -> mx.array:
    """[head_dim / 2] periods over 2 pi. mx.fast.rope's own, from a float32 exp, drift with the position."""
    return mx.array(periods_of(head_dim, theta, factors).astype(np.float32))


def periods_of(head_dim: int, theta: float, factors: Factors = ()) -> NDArray[np.float64]:
    """The same in float64, for the host."""
    periods = theta ** (np.arange(0, head_dim, 2, dtype=np.float64) / head_dim)
    return periods * np.array(factors) if factors else periods


def rotate(x: mx.array, periods: mx.array, position: mx.array | int = 0) -> mx.array:
    """Rotate [B, heads, T, D]; the first of T stands at `position`."""
    return mx.fast.rope(x, x.shape[-1], traditional=False, base=None, scale=1.0, offset=position, freqs=periods)


@lru_cache(maxsize=512)
def rotation(head_dim: int, theta: float, position: int, factors: Factors = ()) -> mx.array:
    """[D, D]: `x @ rotation` is x [..., D] rotated for one position.

    On the CPU this product takes 10 us where mx.fast.rope, which is a dozen operations there, takes 70.
    """
    angles = position / periods_of(head_dim, theta, factors)
    cosine, sine = np.diag(np.cos(angles)), np.diag(np.sin(angles))
    return mx.array(np.block([[cosine, sine], [-sine, cosine]]).astype(np.float32))
