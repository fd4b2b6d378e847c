"""Queries, keys and values of a short row in, what they attend to out: RoPE and attention of all, in one launch.

A group of threads serves one head of one row. MLX would need two launches, one of them a graph of cuDNN's, which costs
the host more than this costs the GPU.
"""

from __future__ import annotations

from dataclasses import dataclass

import mlx.core as mx

from mlx_tts.nn.fused.gpu_source import SIMD_WIDTH, Kernel, bits_of, gpu_language, launch
from mlx_tts.nn.transformer import Attention

MOST_POSITIONS = 32
WARPS = 4

BODY = """
    const int row = group_y;
    const int all_heads = HEADS + 2 * KV_HEADS;
    const int from_key = HEADS + group_x / (HEADS / KV_HEADS);
    SHARED(float, keys, LENGTH * HEAD_DIM);
    SHARED(float, values, LENGTH * HEAD_DIM);
    for (int i = tid; i < LENGTH * HALF; i += WARPS * 32) {
      const int l = i / HALF;
      const int p = i % HALF;
      const int key = ((row * LENGTH + l) * all_heads + from_key) * HEAD_DIM;
      const int value = key + KV_HEADS * HEAD_DIM;
      const float cosine = turned[l * HEAD_DIM + p];
      const float sine = turned[l * HEAD_DIM + HALF + p];
      const float low = (float)qkv[key + p];
      const float high = (float)qkv[key + HALF + p];
      keys[l * HEAD_DIM + p] = (float)(value_t)(low * cosine - high * sine);
      keys[l * HEAD_DIM + HALF + p] = (float)(value_t)(high * cosine + low * sine);
      values[l * HEAD_DIM + p] = (float)qkv[value + p];
      values[l * HEAD_DIM + HALF + p] = (float)qkv[value + HALF + p];
    }
    BARRIER();
    for (int l = warp; l < LENGTH; l += WARPS) {
      const int from = ((row * LENGTH + l) * all_heads + group_x) * HEAD_DIM;
      float query[PAIRS * 2];
      UNROLL for (int i = 0; i < PAIRS; i++) {
        const int p = i * 32 + lane;
        const float cosine = turned[l * HEAD_DIM + p];
        const float sine = turned[l * HEAD_DIM + HALF + p];
        const float low = (float)qkv[from + p];
        const float high = (float)qkv[from + HALF + p];
        query[2 * i] = (float)(value_t)(low * cosine - high * sine);
        query[2 * i + 1] = (float)(value_t)(high * cosine + low * sine);
      }
      float scores[LENGTH];
      float highest = -1e30f;
      UNROLL for (int key = 0; key < LENGTH; key++) {
        float score = 0.0f;
        UNROLL for (int i = 0; i < PAIRS; i++) {
          score = FMA(query[2 * i], keys[key * HEAD_DIM + i * 32 + lane], score);
          score = FMA(query[2 * i + 1], keys[key * HEAD_DIM + HALF + i * 32 + lane], score);
        }
        scores[key] = simd_total(score) * FLOAT_OF_BITS(SCALE);
        highest = scores[key] > highest ? scores[key] : highest;
      }
      float total = 0.0f;
      float sums[PAIRS * 2];
      UNROLL for (int i = 0; i < PAIRS * 2; i++) sums[i] = 0.0f;
      UNROLL for (int key = 0; key < LENGTH; key++) {
        const float weight = EXP(scores[key] - highest);
        total += weight;
        UNROLL for (int i = 0; i < PAIRS; i++) {
          sums[2 * i] = FMA(weight, values[key * HEAD_DIM + i * 32 + lane], sums[2 * i]);
          sums[2 * i + 1] = FMA(weight, values[key * HEAD_DIM + HALF + i * 32 + lane], sums[2 * i + 1]);
        }
      }
      const int to = ((row * LENGTH + l) * HEADS + group_x) * HEAD_DIM;
      UNROLL for (int i = 0; i < PAIRS; i++) {
        out[to + i * 32 + lane] = (value_t)(sums[2 * i] / total);
        out[to + HALF + i * 32 + lane] = (value_t)(sums[2 * i + 1] / total);
      }
    }
"""
_KERNEL = Kernel("short_attention", ("qkv", "turned"), ("out",), BODY)


@dataclass(frozen=True)
class Signature:
    """All that makes one compiled attention differ from another."""

    heads: int
    kv_heads: int
    head_dim: int
    length: int
    scale: float
    dtype: mx.Dtype


def signature(attn: Attention, length: int, dtype: mx.Dtype) -> Signature | None:
    """The kernel for rows of so many positions, or None where there is none."""
    shared = 2 * 4 * length * attn.head_dim  # bytes; Metal and CUDA have 32 KB without being asked
    if gpu_language() != "cuda" or length > MOST_POSITIONS or attn.head_dim % 64 or shared > 32768:
        return None
    if dtype not in (mx.float32, mx.bfloat16) or attn._periods is None:
        return None
    return Signature(attn.heads, attn.kv_heads, attn.head_dim, length, attn.scale, dtype)


def fused(chosen: Signature, qkv: mx.array, turned: mx.array) -> mx.array:
    """[B * L, (heads + 2 kv_heads) * D], cosines and sines [.., L, .., 2, D / 2] -> [B * L, heads * D]."""
    D = chosen.head_dim
    sizes: dict[str, int | str] = {
        "HEADS": chosen.heads,
        "KV_HEADS": chosen.kv_heads,
        "HEAD_DIM": D,
        "HALF": D // 2,
        "PAIRS": D // 2 // SIMD_WIDTH,
        "LENGTH": chosen.length,
        "WARPS": WARPS,
        "SCALE": bits_of(chosen.scale),
    }
    return launch(
        _KERNEL,
        [qkv, turned],
        [((qkv.shape[0], chosen.heads * D), chosen.dtype)],
        (chosen.heads, qkv.shape[0] // chosen.length, 1),
        WARPS * SIMD_WIDTH,
        sizes,
        {"value_t": chosen.dtype},
    )[0]
