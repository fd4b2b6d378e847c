"""Codes [B, T, K] <-> vectors [B, T, D]: residual vector quantisation, and finite scalar quantisation in groups."""

from __future__ import annotations

from collections.abc import Sequence
from math import tan

import mlx.core as mx
import mlx.nn as nn
import numpy as np

LEAST_USAGE = 1e-5
SHRINK = 1e-3  # how far the outermost levels stay inside the range of tanh


def codebook(entry_sum: mx.array, usage: mx.array) -> mx.array:
    """Sums [size, D] of the vectors that chose an entry, and how many did [size] -> entries [size, D]."""
    return entry_sum / mx.maximum(usage, LEAST_USAGE)[..., None]


class CodeTable(nn.Module):
    """Decoding half: one gather and a sum over codebooks.

    table [K * size, D] holds all codebooks below each other, each already through its group's output projection:
    projecting 2,048 entries once at load replaces projecting every frame.
    """

    def __init__(self, codebooks: int, size: int, channels: int):
        super().__init__()
        self.table = mx.zeros((codebooks * size, channels))
        self._first_rows = mx.arange(codebooks) * size

    def __call__(self, codes: mx.array) -> mx.array:
        return self.table[codes + self._first_rows].sum(axis=2)


class ResidualQuantizer(nn.Module):
    """Encoding half of one group: [B, T, hidden] -> codes [B, T, K].

    Each codebook takes the entry nearest to what the ones before it left over.
    """

    def __init__(self, codebooks: int, size: int, channels: int, hidden: int):
        super().__init__()
        self.input_proj = nn.Linear(hidden, channels, bias=False)
        self.layers = [Codebook(size, channels) for _ in range(codebooks)]

    def __call__(self, x: mx.array) -> mx.array:
        residual = self.input_proj(x)
        codes = []
        for layer in self.layers:
            chosen, entries = layer(residual)
            residual = residual - entries
            codes.append(chosen)
        return mx.stack(codes, axis=-1)


class Codebook(nn.Module):
    """[B, T, D] -> the number of the nearest entry [B, T], and that entry [B, T, D]. Parameters as stored."""

    def __init__(self, size: int, channels: int):
        super().__init__()
        self.codebook = {"cluster_usage": mx.ones((size,)), "embed_sum": mx.zeros((size, channels))}

    def __call__(self, x: mx.array) -> tuple[mx.array, mx.array]:
        entries = codebook(self.codebook["embed_sum"], self.codebook["cluster_usage"])
        # |x - e|^2 without |x|^2, which is the same for every entry
        distances = mx.square(entries).sum(axis=-1) - 2 * (x @ entries.T)
        chosen = mx.argmin(distances, axis=-1)
        return chosen, entries[chosen]


class GroupFSQ(nn.Module):
    """Finite scalar quantisation (Mentzer et al. 2023). Each code is a number of digits, one a dimension, with `levels`
    values each; K groups stand side by side: codes [B, T, K] <-> vectors [B, T, K * len(levels)]."""

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
