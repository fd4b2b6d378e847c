"""Residual vector quantisation: codes [B, T, K] -> vectors [B, T, D] for decoding, vectors -> codes for encoding."""

from __future__ import annotations

import mlx.core as mx
import mlx.nn as nn

LEAST_USAGE = 1e-5


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
