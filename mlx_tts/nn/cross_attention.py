"""[B, L, D] queries and a memory of another sequence -> [B, L, D]; a prior over the memory can pull the attention."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mlx.core as mx
from mlx import nn

TINY = 1.1754943508222875e-38  # of float32: what the reference adds to a prior before it multiplies


@dataclass
class Memory:
    """What one layer attends to, for one utterance: keys and values [1, heads, N, head_dim].

    prior: [N] above zero, or None for none; every query's probabilities are multiplied by it. attended: the
    probabilities of the last query, [heads, N] float32, after each call.
    """

    keys: mx.array
    values: mx.array
    prior: mx.array | None = None
    attended: mx.array | None = None


class CrossAttention(nn.Module):
    """Plain attention without biases, over memories that are normed and projected once (`read`)."""

    def __init__(self, width: int, memory_width: int, heads: int, head_dim: int, norm: nn.Module):
        super().__init__()
        self.heads, self.head_dim = heads, head_dim
        self.scale = head_dim**-0.5
        self.q_proj = nn.Linear(width, heads * head_dim, bias=False)
        self.kv_proj = nn.Linear(memory_width, 2 * heads * head_dim, bias=False)
        self.o_proj = nn.Linear(heads * head_dim, width, bias=False)
        self.memory_norm = norm

    def read(self, memory: mx.array) -> Memory:
        """[1, N, memory width] -> the memory of this layer."""
        B, N, _ = memory.shape
        kv = self.kv_proj(self.memory_norm(memory)).reshape(B, N, 2, self.heads, self.head_dim)
        keys, values = (mx.contiguous(kv[:, :, part].transpose(0, 2, 1, 3)) for part in range(2))
        return Memory(keys, values)

    def __call__(self, x: mx.array, memory: Memory) -> mx.array:
        """[1, L, D] -> [1, L, D]"""
        B, L, _ = x.shape
        q = self.q_proj(x).reshape(B, L, self.heads, self.head_dim).transpose(0, 2, 1, 3)
        y = self.attend(q * self.scale, memory)
        return self.o_proj(y.transpose(0, 2, 1, 3).reshape(B, L, -1))

    def decode_step(self, x: mx.array, counts: Sequence[int], memories: Sequence[Memory]) -> mx.array:
        """[B, D] -> [B, D]: one position of several utterances, each with `counts` rows and its own memory.

        The first row of each attends; the others have an empty memory, whose values are zero.
        """
        B = x.shape[0]
        firsts = [sum(counts[:at]) for at in range(len(counts))] if len(counts) > 1 else [0]
        asking = x if len(firsts) == B else x[mx.array(firsts)]
        q = self.q_proj(asking).reshape(len(firsts), self.heads, 1, self.head_dim) * self.scale
        rows = [self.attend(q[at : at + 1], memory) for at, memory in enumerate(memories)]
        y = self.o_proj((rows[0] if len(rows) == 1 else mx.concatenate(rows)).reshape(len(rows), -1))
        if len(firsts) == B:
            return y
        empty = mx.zeros((B - len(firsts), y.shape[-1]), y.dtype)
        if len(firsts) == 1:
            return mx.concatenate([y, empty])
        order = mx.array([at if first else len(firsts) for at, first in _places(counts)])
        return mx.concatenate([y, empty])[order]

    @staticmethod
    def attend(q: mx.array, memory: Memory) -> mx.array:
        """Scaled queries [1, heads, L, head_dim] -> the same shape; probabilities are float32, whatever the weights."""
        scores = q @ memory.keys.swapaxes(-1, -2)
        weights = mx.softmax(scores.astype(mx.float32), axis=-1)
        if memory.prior is not None:
            weights = weights * memory.prior
            weights = weights / weights.sum(-1, keepdims=True)
        memory.attended = weights[0, :, -1]
        return weights.astype(memory.values.dtype) @ memory.values


def _places(counts: Sequence[int]) -> list[tuple[int, bool]]:
    """For each row: the number of its utterance, and whether it is the first there."""
    return [(at, row == 0) for at, count in enumerate(counts) for row in range(count)]
