"""Finite scalar quantisation (Mentzer et al. 2023) in groups: codes [B, T, K] <-> vectors [B, T, K * len(levels)]."""

from __future__ import annotations

from collections.abc import Sequence
from math import tan

import mlx.core as mx
import mlx.nn as nn
import numpy as np

SHRINK = 1e-3  # how far the outermost levels stay inside the range of tanh


class GroupFSQ(nn.Module):
    """Each code is a number of digits, one a dimension, with `levels` values each; K groups stand side by side."""

    def __init__(self, groups: int, levels: Sequence[int]):
        super().__init__()
        self.groups = groups
        self._levels = mx.array(list(levels), mx.int32)
        self._bases = mx.array(np.cumprod([1, *levels[:-1]]).tolist(), mx.int32)
        self._half = mx.array([level // 2 for level in levels], mx.int32)
        even = [0.5 if level % 2 == 0 else 0.0 for level in levels]
        reach = [(level - 1) / 2 * (1 - SHRINK) for level in levels]
        self._offset, self._reach = mx.array(even), mx.array(reach)
        self._shift = mx.array([tan(offset / scale) for offset, scale in zip(even, reach, strict=True)])

    def decode(self, codes: mx.array) -> mx.array:
        B, T, _ = codes.shape
        digits = codes.astype(mx.int32)[..., None] // self._bases % self._levels
        return ((digits - self._half) / self._half).reshape(B, T, -1)

    def encode(self, x: mx.array) -> mx.array:
        B, T, _ = x.shape
        x = x.reshape(B, T, self.groups, -1)
        bounded = self._reach * mx.tanh(x + self._shift) - self._offset
        digits = mx.round(bounded).astype(mx.int32) + self._half
        return (digits * self._bases).sum(-1)
