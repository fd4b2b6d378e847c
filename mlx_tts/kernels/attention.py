"""Queries, keys and values of a GPU's step in, what they attend to out: RoPE and attention of all heads in one launch.

`AttentionKernel` takes one or two new columns over a cache: head norms, RoPE and cache writes, all in one. A group of
threads serves one key-value head of one row, or one part of its columns when the cache is long; parts are then merged
by a second small launch, so that long contexts spread over the whole device. `ShortAttentionKernel` takes short rows
whose positions all see each other: a group serves one head of one row. MLX would need two launches, one of them a graph
of cuDNN's, which costs the host more than this costs the GPU.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import mlx.core as mx

from mlx_tts.kernels.core.source import SIMD_WIDTH, KernelText, bits_of, gpu_language, launch, text_of
from mlx_tts.nn.transformer import Attention

PART_COLUMNS = 256  # columns one group reads; up to here one launch does it all
LANE_NUMBERS = 8  # numbers of a key that one lane holds: 16 bytes of bfloat16
MOST_POSITIONS, SHORT_WARPS = 32, 4  # of a short row, of its group

_INPUTS = ("qkv", "q_norm", "k_norm", "kv", "offset", "start", "periods")


@dataclass(frozen=True)
class AttentionKernel:
    """All that makes one compiled attention over a cache differ from another."""

    kind: ClassVar[str] = "attention"
    head_dim: int
    shared_by: int  # query heads to a key-value head
    new: int  # new columns a row
    warps: int
    ahead: int  # keys that a lane reads before it uses the first
    long: bool  # the cache is read in parts
    epsilon: float
    dtype: mx.Dtype

    @classmethod
    def of(
        cls, head_dim: int, shared_by: int, new: int, capacity: int, epsilon: float, dtype: mx.Dtype
    ) -> AttentionKernel | None:
        """The kernel for these sizes, or None where there is none."""
        lanes = head_dim // LANE_NUMBERS
        if head_dim % 16 or lanes & (lanes - 1) or lanes > SIMD_WIDTH or new * shared_by > 8:
            return None
        if dtype not in (mx.float32, mx.bfloat16):
            return None
        # fewer warps where the cache is short or the queries are many: 32 KB of shared memory is all that Metal has
        warps, ahead = 4, 2
        if capacity > 32 and new * shared_by <= 2:
            # M1 and M2 give each of 512 threads 104 registers; 4 keys ahead want 124, and Metal would refuse it
            warps, ahead = (8, 2) if gpu_language() == "metal" else (16, 4)
        return cls(head_dim, shared_by, new, warps, ahead, capacity > PART_COLUMNS, epsilon, dtype)

    def run(
        self,
        qkv: mx.array,
        norms: tuple[mx.array, mx.array],
        kv: mx.array,
        offset: mx.array,
        start: mx.array,
        periods: mx.array,
    ) -> mx.array:
        """[B * new, (heads + 2 kv_heads) * D] -> [B * new, heads * D]

        kv: [2, B, kv_heads, capacity, D] **is written to**: columns offset .. offset + new. MLX does not know; it is
        safe because whatever reads them later depends on this output.
        """
        _, B, kv_heads, capacity, D = kv.shape
        heads, rows = kv_heads * self.shared_by, B * self.new
        half, warps = D // 2, self.warps
        sizes: dict[str, int | str] = {
            "HEAD_DIM": D,
            "HALF": half,
            "PAIRS": -(-half // SIMD_WIDTH),
            "SHARED_BY": self.shared_by,
            "SPLIT": 1,
            "TURNED": 0,
            "NEW": self.new,
            "QUERIES": self.new * self.shared_by,
            "LANES": D // LANE_NUMBERS,
            "WARPS": warps,
            "AHEAD": self.ahead,
            "PARTS": int(self.long),
            "PART_COLUMNS": PART_COLUMNS,
            "HEAD_NORMS": 1,
            "EPSILON": bits_of(self.epsilon),
            "SCALE": bits_of(D**-0.5),
        }
        parts = -(-capacity // PART_COLUMNS) if self.long else 1
        out = ((rows * heads, parts, D + 2), mx.float32) if self.long else ((rows, heads * D), self.dtype)
        result = launch(
            KernelText("attention", _INPUTS, ("out",), text_of("attention", "body")),
            [qkv, *norms, kv, offset, start, periods],
            [out],
            (parts, kv_heads, B),
            warps * SIMD_WIDTH,
            sizes,
            {"value_t": self.dtype},
        )[0]
        if not self.long:
            return result
        merged = launch(
            KernelText("merge", ("parts",), ("out",), text_of("attention", "merge")),
            [result],
            [((rows, heads * D), self.dtype)],
            (rows * heads, 1, 1),
            4 * SIMD_WIDTH,
            {"HEAD_DIM": D, "WARPS": 4},
            {"value_t": self.dtype},
        )
        return merged[0]


@dataclass(frozen=True)
class ShortAttentionKernel:
    """All that makes one compiled attention of short rows differ from another."""

    kind: ClassVar[str] = "short_attention"
    heads: int
    kv_heads: int
    head_dim: int
    length: int
    scale: float
    dtype: mx.Dtype

    @classmethod
    def of(cls, attn: Attention, length: int, dtype: mx.Dtype) -> ShortAttentionKernel | None:
        """The kernel for rows of so many positions, or None where there is none."""
        shared = 2 * 4 * length * attn.head_dim  # bytes; Metal and CUDA have 32 KB without being asked
        if gpu_language() != "cuda" or length > MOST_POSITIONS or attn.head_dim % 64 or shared > 32768:
            return None
        if dtype not in (mx.float32, mx.bfloat16) or attn._periods is None:
            return None
        return cls(attn.heads, attn.kv_heads, attn.head_dim, length, attn.scale, dtype)

    def run(self, qkv: mx.array, turned: mx.array) -> mx.array:
        """[B * L, (heads + 2 kv_heads) * D], cosines and sines [.., L, .., 2, D / 2] -> [B * L, heads * D]."""
        D = self.head_dim
        sizes: dict[str, int | str] = {
            "HEADS": self.heads,
            "KV_HEADS": self.kv_heads,
            "HEAD_DIM": D,
            "HALF": D // 2,
            "PAIRS": D // 2 // SIMD_WIDTH,
            "LENGTH": self.length,
            "WARPS": SHORT_WARPS,
            "SCALE": bits_of(self.scale),
        }
        return launch(
            KernelText("short_attention", ("qkv", "turned"), ("out",), text_of("short_attention", "body")),
            [qkv, turned],
            [((qkv.shape[0], self.heads * D), self.dtype)],
            (self.heads, qkv.shape[0] // self.length, 1),
            SHORT_WARPS * SIMD_WIDTH,
            sizes,
            {"value_t": self.dtype},
        )[0]
