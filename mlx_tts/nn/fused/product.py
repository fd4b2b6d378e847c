"""[B, K] times a plain or quantised matrix, with what stands before and behind it, in one launch.

Before: an RMSNorm. Behind: a bias, a residual to add, or SwiGLU. One warp makes a few output numbers at once; it reads
the input itself, so no warp waits for another.
"""

from __future__ import annotations

from dataclasses import dataclass

import mlx.core as mx
from mlx import nn

from mlx_tts.nn.activations import silu
from mlx_tts.nn.fused import gpu_source
from mlx_tts.nn.fused.gpu_source import SIMD_WIDTH, Kernel, bits_of, launch
from mlx_tts.runtime.device import on_gpu

# Input rows; beyond that the products of MLX are faster. On CUDA the host is what a frame waits for, and a product of
# MLX costs it several times a kernel's launch: it is captured as a graph of its own, and a norm, a residual or a gate
# beside it is one launch more each. Its quantised product of 8 rows and more is also compiled anew in every process,
# for most of a minute: the code predictor's first step has two positions a row.
MOST_ROWS = {"metal": 4, "cuda": 8}
MOST_QUANTISED_ROWS = {"metal": 4, "cuda": 16}
WARPS = 4  # a group; they do not talk to each other

PLAIN, RESIDUAL, GATED, BIASED = range(4)  # what stands behind the product

_FUNCTIONS = """
// STEP weights out of WORDS_A_STEP words as whole numbers. A few bits set into the mantissa of 2^23 are read by one
// multiply-add, exactly; converting integers would take four times as long.
INLINE void unpack(const THREAD uint32_t* words, THREAD float* to) {
#if BITS == 4
  const uint32_t word = words[0];
  const uint32_t rest = word >> 20;
  to[0] = FLOAT_OF_BITS((word & 0x0000fu) | 0x4b000000u) - 8388608.0f;
  to[1] = FMA(FLOAT_OF_BITS((word & 0x000f0u) | 0x4b000000u), 0.0625f, -524288.0f);
  to[2] = FMA(FLOAT_OF_BITS((word & 0x00f00u) | 0x4b000000u), 0.00390625f, -32768.0f);
  to[3] = FMA(FLOAT_OF_BITS((word & 0x0f000u) | 0x4b000000u), 0.000244140625f, -2048.0f);
  to[4] = FMA(FLOAT_OF_BITS((word & 0xf0000u) | 0x4b000000u), 0.0000152587890625f, -128.0f);
  to[5] = FLOAT_OF_BITS((rest & 0x00fu) | 0x4b000000u) - 8388608.0f;
  to[6] = FMA(FLOAT_OF_BITS((rest & 0x0f0u) | 0x4b000000u), 0.0625f, -524288.0f);
  to[7] = FMA(FLOAT_OF_BITS((rest & 0xf00u) | 0x4b000000u), 0.00390625f, -32768.0f);
#elif BITS == 8
  UNROLL for (int i = 0; i < 2; i++) {
    const uint32_t word = words[i];
    const uint32_t rest = word >> 16;
    to[4 * i] = FLOAT_OF_BITS((word & 0x00ffu) | 0x4b000000u) - 8388608.0f;
    to[4 * i + 1] = FMA(FLOAT_OF_BITS((word & 0xff00u) | 0x4b000000u), 0.00390625f, -32768.0f);
    to[4 * i + 2] = FLOAT_OF_BITS((rest & 0x00ffu) | 0x4b000000u) - 8388608.0f;
    to[4 * i + 3] = FMA(FLOAT_OF_BITS((rest & 0xff00u) | 0x4b000000u), 0.00390625f, -32768.0f);
  }
#elif BITS == 16
  UNROLL for (int i = 0; i < 4; i++) halves(words[i], to + 2 * i);
#else
  UNROLL for (int i = 0; i < 4; i++) to[i] = FLOAT_OF_BITS(words[i]);
#endif
}
#if BITS == 32
#define LOAD_STEP load4
#else
#define LOAD_STEP load8
#endif
"""

_BODY = """
    const int height = w_shape[0];
    const int given = x_shape[0];  // rows: as many as BATCH or fewer, and the last of them stands for those that lack
#if BEHIND == GATED
    const int width = height / 2;
#else
    const int width = height;
#endif
    const int first = (group_x * WARPS + warp) * WIDE;
    if (first >= width) return;  // no barrier below: a warp may leave alone

    float sums[ROWS * BATCH];
    float squares[BATCH];
    UNROLL for (int i = 0; i < ROWS * BATCH; i++) sums[i] = 0.0f;
    UNROLL for (int b = 0; b < BATCH; b++) squares[b] = 0.0f;
    int rows[ROWS];
    UNROLL for (int r = 0; r < ROWS; r++) {
#if BEHIND == GATED
      const int wanted = first + (r >> 1);
      rows[r] = (wanted < width ? wanted : width - 1) + (r & 1) * width;
#else
      rows[r] = first + r < width ? first + r : width - 1;
#endif
    }

#if BATCH > 1
    UNROLL_CHUNKS
#else
    UNROLL
#endif
    for (int chunk = 0; chunk < CHUNKS; chunk++) {
      const int at = (chunk * 32 + lane) * VALUES;
      if (at < COLUMNS) {
        uint32_t words[ROWS * 4];
        UNROLL for (int r = 0; r < ROWS; r++) {
          const uint4 four = ((const DEVICE uint4*)w)[(int64_t)rows[r] * (COLUMNS / VALUES) + at / VALUES];
          words[4 * r] = four.x; words[4 * r + 1] = four.y; words[4 * r + 2] = four.z; words[4 * r + 3] = four.w;
        }
#if QUANTISED
        float scale[ROWS];
        float shift[ROWS];
        UNROLL for (int r = 0; r < ROWS; r++) {
          scale[r] = (float)scales[rows[r] * (COLUMNS / GROUP_SIZE) + at / GROUP_SIZE];
          shift[r] = (float)biases[rows[r] * (COLUMNS / GROUP_SIZE) + at / GROUP_SIZE];
        }
        float dots[ROWS * BATCH];
        float totals[BATCH];
        UNROLL for (int i = 0; i < ROWS * BATCH; i++) dots[i] = 0.0f;
        UNROLL for (int b = 0; b < BATCH; b++) totals[b] = 0.0f;
#else
#define dots sums
#endif
        UNROLL for (int step = 0; step < VALUES / STEP; step++) {
          float inputs[BATCH * STEP];
#if NORMED
          float gains[STEP];
          LOAD_STEP(norm + at + step * STEP, gains);
#endif
          UNROLL for (int b = 0; b < BATCH; b++) {
            LOAD_STEP(x + (b < given ? b : given - 1) * COLUMNS + at + step * STEP, inputs + b * STEP);
            UNROLL for (int i = 0; i < STEP; i++) {
#if NORMED
              squares[b] = FMA(inputs[b * STEP + i], inputs[b * STEP + i], squares[b]);
              inputs[b * STEP + i] *= gains[i];
#endif
#if QUANTISED
              totals[b] += inputs[b * STEP + i];
#endif
            }
          }
          UNROLL for (int r = 0; r < ROWS; r++) {
            float weights[STEP];
            unpack(words + 4 * r + step * (STEP * BITS / 32), weights);
            UNROLL for (int b = 0; b < BATCH; b++) {
              UNROLL for (int i = 0; i < STEP; i++)
                dots[r * BATCH + b] = FMA(weights[i], inputs[b * STEP + i], dots[r * BATCH + b]);
            }
          }
        }
#if QUANTISED
        UNROLL for (int r = 0; r < ROWS; r++) {
          UNROLL for (int b = 0; b < BATCH; b++)
            sums[r * BATCH + b] += scale[r] * dots[r * BATCH + b] + shift[r] * totals[b];
        }
#endif
      }
    }
    UNROLL for (int i = 0; i < ROWS * BATCH; i++) sums[i] = simd_total(sums[i]);
#if NORMED
    UNROLL for (int b = 0; b < BATCH; b++) {
      const float gain = RSQRT(simd_total(squares[b]) / (float)COLUMNS + FLOAT_OF_BITS(EPSILON));
      UNROLL for (int r = 0; r < ROWS; r++) sums[r * BATCH + b] *= gain;
    }
#endif
    if (lane == 0) {
      UNROLL for (int b = 0; b < BATCH; b++) {
        UNROLL for (int i = 0; i < WIDE; i++) {
          const int n = first + i;
          if (n < width && b < given) {
#if BEHIND == GATED
            const float gate = sums[2 * i * BATCH + b];
            out[b * width + n] = (value_t)(gate / (1.0f + EXP(-gate)) * sums[(2 * i + 1) * BATCH + b]);
#elif BEHIND == RESIDUAL
            out[b * width + n] = (value_t)((float)residual[b * width + n] + sums[i * BATCH + b]);
#elif BEHIND == BIASED
            out[b * width + n] = (value_t)((float)bias[n] + sums[i * BATCH + b]);
#else
            out[b * width + n] = (value_t)sums[i * BATCH + b];
#endif
          }
        }
      }
    }
"""


@dataclass(frozen=True)
class Signature:
    """All that makes one compiled product differ from another; bits is 16 or 32 for a plain matrix."""

    columns: int
    bits: int
    group_size: int
    batch: int  # rows it can take: a power of two, so that few kernels are compiled while rows come and go
    behind: int
    epsilon: float  # of the norm in front; 0: no norm
    dtype: mx.Dtype
    wide: int  # output numbers a warp makes


def signature(layer: nn.Module, batch: int, dtype: mx.Dtype, norm: nn.RMSNorm | None, behind: int) -> Signature | None:
    """The kernel for this layer and this many input rows, or None where there is none."""
    weight = layer.weight
    most = MOST_QUANTISED_ROWS if isinstance(layer, nn.QuantizedLinear) else MOST_ROWS
    language = gpu_source.gpu_language()
    if language is None or batch > most[language] or dtype not in (mx.float32, mx.bfloat16):
        return None
    if isinstance(layer, nn.QuantizedLinear):
        if layer.mode != "affine" or layer.bits not in (4, 8) or layer.scales.dtype != dtype:
            return None
        bits, group_size, columns = layer.bits, layer.group_size, weight.shape[1] * 32 // layer.bits
    elif type(layer) is nn.Linear and weight.dtype == dtype:
        bits, group_size, columns = dtype.size * 8, 0, weight.shape[1]
    else:
        return None
    if ("bias" in layer) != (behind == BIASED) or columns * bits % 128:
        return None
    if norm is not None and norm.weight.dtype != dtype:
        return None
    height = weight.shape[0]
    batch = 1 << (batch - 1).bit_length()
    # 8 rows read the input so often that two numbers should share each reading; 4 lack registers on Metal, 16 on CUDA
    wide = 1 if height <= 1024 or behind == GATED or batch in (4, 16) else 2
    return Signature(columns, bits, group_size, batch, behind, norm.eps if norm else 0.0, dtype, wide)


def _inputs(
    layer: nn.Module, x: mx.array, norm: mx.array | None, residual: mx.array | None
) -> tuple[list[str], list[mx.array]]:
    named = {"x": x, "w": layer.weight, "scales": layer.get("scales"), "biases": layer.get("biases")}
    named |= {"norm": norm, "residual": residual, "bias": layer.get("bias")}
    there = {name: value for name, value in named.items() if value is not None}
    return list(there), list(there.values())


def fused(
    chosen: Signature, layer: nn.Module, x: mx.array, norm: nn.RMSNorm | None = None, residual: mx.array | None = None
) -> mx.array:
    """[B, K] -> [B, N] by the kernel that `signature` chose."""
    names, arrays = _inputs(layer, x, norm.weight if norm else None, residual)
    gated = chosen.behind == GATED
    width = layer.weight.shape[0] // (2 if gated else 1)
    values = 128 // chosen.bits  # weights in the 16 bytes that a lane reads at once
    sizes: dict[str, int | str] = {
        "COLUMNS": chosen.columns,
        "BITS": chosen.bits,
        "GROUP_SIZE": chosen.group_size,
        "QUANTISED": int(chosen.group_size > 0),
        "NORMED": int(norm is not None),
        "EPSILON": bits_of(chosen.epsilon),
        "BATCH": chosen.batch,
        "WIDE": chosen.wide,
        "ROWS": chosen.wide * (2 if gated else 1),
        "WARPS": WARPS,
        "VALUES": values,
        "STEP": min(values, 8),
        "CHUNKS": -(-chosen.columns // (SIMD_WIDTH * values)),
        "PLAIN": PLAIN,
        "RESIDUAL": RESIDUAL,
        "GATED": GATED,
        "BIASED": BIASED,
        "BEHIND": chosen.behind,
    }
    return launch(
        Kernel("product", tuple(names), ("out",), _BODY, _FUNCTIONS),
        arrays,
        [((x.shape[0], width), chosen.dtype)],
        (-(-width // (WARPS * chosen.wide)), 1, 1),
        WARPS * SIMD_WIDTH,
        sizes,
        {"value_t": chosen.dtype},
    )[0]


def plain(layer: nn.Module, x: mx.array, norm: nn.RMSNorm | None, residual: mx.array | None, behind: int) -> mx.array:
    """The same by MLX's own operations."""
    if residual is not None and type(layer) is nn.Linear and x.shape[0] > 1 and on_gpu():
        return mx.addmm(residual, x, layer.weight.T)  # one launch, not two; a single row has a faster product
    y = layer(x if norm is None else norm(x))
    if behind == GATED:
        gate, up = mx.split(y, 2, axis=-1)
        return silu(gate) * up
    return y if residual is None else residual + y
