"""A whole stack of blocks as one launch on CUDA: as many groups of threads as run at once stay until the end, and meet
between its phases.

A launch costs the host more than most phases cost the GPU, and a stack of 28 blocks had 140 of them. Weights do not
depend on what was computed before: while a phase works and while groups wait for each other, those of the two products
that follow come into shared memory. What one phase leaves for the next goes through the GPU's level 2 cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import mlx.core as mx
import numpy as np
from mlx import nn

from mlx_tts.nn.cache import KVCache
from mlx_tts.nn.fused import attention, rows_product, short_attention
from mlx_tts.nn.fused.gpu_source import SIMD_WIDTH, Kernel, bits_of, gpu_language, launch
from mlx_tts.nn.transformer import Block, Transformer
from mlx_tts.runtime.device import CudaLimits, cuda_limits

WARPS = 8  # of a group: one group stays on each multiprocessor
TILE, OUTPUTS = rows_product.TILE, rows_product.OUTPUTS  # rows and outputs of a product's smallest part
MOST_ROWS, MOST_KV_HEADS = 64, 16
FEW_COLUMNS, MANY_COLUMNS = 64, attention.PART_COLUMNS  # of a cache, that one group reads
PADDING = 64  # bytes behind a row of weights in shared memory, so that eight rows lie in different banks
SUMS = 96  # numbers of a product that a thread adds up at once
LEAST_POOL = 20_480  # bytes of shared memory for what a phase works with
CHECK_LAYERS = 2  # that a self-check runs
STUCK = 1 << 23  # readings of the counter, seconds: then something else holds a multiprocessor for ever
GATE_BYTES = 128  # the first of shared memory
COUNTERS = 8 + MOST_ROWS * MOST_KV_HEADS

_FUNCTIONS = (
    rows_product.FUNCTIONS
    + """
#ifdef __CUDA_ARCH__
INLINE uint32_t count_up(uint32_t* counter) {
  __threadfence();
  const uint32_t before = atomicAdd(counter, 1u);
  __threadfence();
  return before;
}
INLINE void all_meet(uint32_t* counter, uint32_t expected, int tid) {
  __syncthreads();
  if (tid == 0) {
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(counter) : "memory");
    uint32_t seen = 0u;
    for (int reading = 0; seen < expected; reading++) {
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(counter) : "memory");
      if (reading > STUCK) __trap();
    }
  }
  __syncthreads();
}
INLINE uint32_t place_of(const void* shared) { return (uint32_t)__cvta_generic_to_shared(shared); }
#define FROM_OTHERS(x) __ldcg(&(x))
#else
INLINE uint32_t count_up(DEVICE uint32_t* counter) { return groups_count(counter); }
INLINE void all_meet(DEVICE uint32_t* counter, uint32_t expected, int tid) {
  BARRIER();
  if (tid == 0) groups_meet(counter, expected);
  BARRIER();
}
#define FROM_OTHERS(x) (x)
#endif
// A gate opens when all bytes that it expects have come. In bulk, the copies are nobody's to wait for until then.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define COPIERS 32
INLINE void make_gate(uint64_t* gate) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(place_of(gate)) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
INLINE void expect(uint64_t* gate, int bytes, int tid) {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  if (tid == 0)
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(place_of(gate)), "r"(bytes) : "memory");
  __syncwarp();
}
INLINE void copy_row(char* to, const bfloat_t* from, int bytes, int at, uint64_t* gate) {
  if (at == 0)
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     place_of(to)),
                 "l"(from), "r"(bytes), "r"(place_of(gate))
                 : "memory");
}
INLINE void call_for(const bfloat_t* from, int bytes) {
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(from), "r"(bytes) : "memory");
}
INLINE void pass_gate(uint64_t* gate, uint32_t parity) {
  uint32_t open = 0u;
  while (open == 0u)
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
        : "=r"(open)
        : "r"(place_of(gate)), "r"(parity)
        : "memory");
}
#else
#define COPIERS THREADS
INLINE void make_gate(THREAD uint64_t*) {}
INLINE void expect(THREAD uint64_t*, int, int) {}
INLINE void call_for(const DEVICE bfloat_t*, int) {}
INLINE void copy_row(THREAD char* to, const DEVICE bfloat_t* from, int bytes, int at, THREAD uint64_t*) {
#ifdef __CUDA_ARCH__
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(place_of(to + at * 16)), "l"(from + at * 8));
#else
  std::memcpy(to + at * 16, from + at * 8, 16);
#endif
}
INLINE void pass_gate(THREAD uint64_t*, uint32_t) {
#ifdef __CUDA_ARCH__
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
  BARRIER();
}
#endif
// A group's share of a matrix: every `blocks`th tile of 8 rows (and of 8 more, where two halves are multiplied).
template <int LENGTH, int HALVES, int WIDTH, int TILES_OF_ALL, int FIT>
INLINE void stage(
    const DEVICE bfloat_t* w, THREAD char* to, THREAD uint64_t* gate, int block, int blocks, int tid) {
  if (tid >= COPIERS) return;
  const int pieces = COPIERS == 32 ? 1 : LENGTH / 8;
  const int own = (TILES_OF_ALL - block + blocks - 1) / blocks;
  expect(gate, (own < FIT ? own : FIT) * HALVES * 8 * LENGTH * 2, tid);
  for (int i = tid; i < own * HALVES * 8 * pieces; i += COPIERS) {
    const int row = i / pieces;
    const int tile = row / (HALVES * 8);
    const int n = (block + tile * blocks) * 8 + row % 8;
    const DEVICE bfloat_t* from = w + (int64_t)((n < WIDTH ? n : WIDTH - 1) + row / 8 % HALVES * WIDTH) * LENGTH;
    if (tile < FIT) copy_row(to + row * (LENGTH * 2 + PADDING), from, LENGTH * 2, i % pieces, gate);
    else if (i % pieces == 0) call_for(from, LENGTH * 2);
  }
}
"""
)

_LAYER_ARRAYS = ("norm_in", "qkv_w", "o_w", "norm_mid", "gate_up_w", "down_w")
_NORM_ARRAYS = ("q_norm", "k_norm")

_BEGIN = """
    const int block = group_x;
    const int blocks = groups_x;
    const int all_rows = entered_shape[0];
    DEVICE uint32_t* meeting = (DEVICE uint32_t*)counters;
    uint32_t expected = 0u;
#ifdef __CUDA_ARCH__
    extern __shared__ uint4 shared_bytes[];
#else
    SHARED(uint4, shared_bytes, SHARED_BYTES / 16);
#endif
    THREAD uint64_t* gates = (THREAD uint64_t*)shared_bytes;
    THREAD char* pool = (THREAD char*)shared_bytes + GATE_BYTES;
    THREAD int* said = (THREAD int*)pool;
    if (tid == 0) {  // what the host said lies in its own memory: one reading a group, not one a warp and layer
      make_gate(gates);
      make_gate(gates + 1);
      said[0] = asked[0];
#ifdef CACHED
      said[1] = offset[0];
#endif
    }
    BARRIER();
    const int layers = said[0];
    const int columns_before = said[1];
    (void)columns_before;
    BARRIER();
#undef SHARED
#define SHARED(type, name, count) THREAD type* name = (THREAD type*)(pool + used); used += ((count) * 4 + 15) / 16 * 16
"""
_ATTENTION_SIZES = """
    const int capacity_of_all = kv_0_shape[3];
    const int batch = kv_0_shape[1];
    const int seen_columns = columns_before + NEW;
    int part_columns = FEW_COLUMNS;
    if (batch * KV_HEADS * ((seen_columns + FEW_COLUMNS - 1) / FEW_COLUMNS) > 4 * blocks) part_columns = MANY_COLUMNS;
    const int parts_used = IN_PARTS ? (seen_columns + part_columns - 1) / part_columns : 1;
    const int kv_shape[4] = {2, batch, KV_HEADS, capacity_of_all};
"""
# The counters are left as they were found: nobody reads them any more when the last group comes.
_END = """
    if (tid == 0 && count_up(meeting + 1) == (uint32_t)(blocks - 1)) {
      meeting[0] = 0u;
      meeting[1] = 0u;
    }
"""
_MEET = """
      expected += (uint32_t)blocks;
      all_meet(meeting, expected, tid);
"""
# Every warp takes a share of the columns and all of the group's tiles, so that the rows are read once.
_PRODUCT = """
      const THREAD char* staged = pool + BUFFER;
      pass_gate(gates + GATE, PARITY);
      for (int first_tile = 0; first_tile < MINE; first_tile += TOGETHER) {
        float sums[TOGETHER * TILES * PARTS * 4];
        UNROLL for (int i = 0; i < TOGETHER * TILES * PARTS * 4; i++) sums[i] = 0.0f;
        float squares[TILES * 2];
        UNROLL for (int i = 0; i < TILES * 2; i++) squares[i] = 0.0f;
        UNROLL_STEPS
        for (int step = 0; step < STEPS; step++) {
          const int at = (step * WARPS + warp) * 4 + part;  // 16 bytes of a row
          uint32_t inputs[TILES * 8];
#if NORMED
          float gains[8];
          load8(norm + at * 8, gains);
#endif
          UNROLL for (int r = 0; r < TILES * 2; r++) {
            const int row = r * 8 + place < all_rows ? r * 8 + place : all_rows - 1;
            const uint4 four = ((const DEVICE uint4*)x)[row * (COLUMNS / 8) + at];
            inputs[4 * r] = four.x; inputs[4 * r + 1] = four.y; inputs[4 * r + 2] = four.z; inputs[4 * r + 3] = four.w;
#if NORMED
            UNROLL for (int i = 0; i < 4; i++) {
              float two[2];
              halves(inputs[4 * r + i], two);
              squares[r] = FMA(two[0], two[0], FMA(two[1], two[1], squares[r]));
              inputs[4 * r + i] = rounded(two[0] * gains[2 * i]) | (rounded(two[1] * gains[2 * i + 1]) << 16);
            }
#endif
          }
          UNROLL for (int i = 0; i < TOGETHER; i++) {
            const int tile = block + (first_tile + i) * blocks;
            if (tile < TILES_OF_ALL) {
              uint32_t weights[PARTS * 4];
              UNROLL for (int p = 0; p < PARTS; p++) {
                uint4 four;
                if (first_tile + i < FIT) {
                  const int row = ((first_tile + i) * PARTS + p) * 8 + place;
                  four = *(const THREAD uint4*)(staged + row * (COLUMNS * 2 + PADDING) + at * 16);
                } else {
                  const int n = tile * 8 + place < WIDTH ? tile * 8 + place : WIDTH - 1;
                  four = ((const DEVICE uint4*)w)[(int64_t)(n + p * WIDTH) * (COLUMNS / 8) + at];
                }
                weights[4 * p] = four.x; weights[4 * p + 1] = four.y;
                weights[4 * p + 2] = four.z; weights[4 * p + 3] = four.w;
              }
              UNROLL for (int t = 0; t < TILES; t++) {
                UNROLL for (int half = 0; half < 2; half++) {
                  uint32_t a[4];
                  a[0] = inputs[8 * t + 2 * half];
                  a[1] = inputs[8 * t + 4 + 2 * half];
                  a[2] = inputs[8 * t + 2 * half + 1];
                  a[3] = inputs[8 * t + 4 + 2 * half + 1];
                  UNROLL for (int p = 0; p < PARTS; p++)
                    multiply_tile(sums + ((i * TILES + t) * PARTS + p) * 4, a, weights + 4 * p + 2 * half, lane);
                }
              }
            }
          }
        }
        int used = 0;
        SHARED(float, shares, TILES * PARTS * 4 * WARPS * 32);
        SHARED(float, lengths, WARPS * TILES * 16);
#if NORMED
        UNROLL for (int r = 0; r < TILES * 2; r++) {
          float square = squares[r];
          square += SHUFFLE_XOR(square, 1);
          square += SHUFFLE_XOR(square, 2);
          if (part == 0) lengths[warp * TILES * 16 + r * 8 + place] = square;
        }
#endif
        UNROLL for (int i = 0; i < TOGETHER; i++) {
          const int tile = block + (first_tile + i) * blocks;
          if (tile < TILES_OF_ALL) {
            UNROLL for (int j = 0; j < TILES * PARTS * 4; j++)
              shares[(j * WARPS + warp) * 32 + lane] = sums[i * TILES * PARTS * 4 + j];
            BARRIER();
            for (int which = tid; which < TILES * 16 * 8; which += THREADS) {
              const int row = which / 8;
              const int n = tile * 8 + which % 8;
              if (row < all_rows && n < WIDTH) {
                const int from = (row % 8) * 4 + which % 8 / 2;
                const int number = row % 16 / 8 * 2 + which % 2;
                float values[PARTS];
                UNROLL for (int p = 0; p < PARTS; p++) {
                  values[p] = 0.0f;
                  UNROLL for (int other = 0; other < WARPS; other++)
                    values[p] += shares[(((row / 16 * PARTS + p) * 4 + number) * WARPS + other) * 32 + from];
                }
#if NORMED
                float square = 0.0f;
                UNROLL for (int other = 0; other < WARPS; other++) square += lengths[other * TILES * 16 + row];
                const float gain = RSQRT(square / (float)COLUMNS + FLOAT_OF_BITS(EPSILON));
                UNROLL for (int p = 0; p < PARTS; p++) values[p] *= gain;
#endif
#if PARTS == 2
                to[row * WIDTH + n] = (value_t)(values[0] / (1.0f + EXP(-values[0])) * values[1]);
#elif ADDED
                to[row * WIDTH + n] = (value_t)((float)residual[row * WIDTH + n] + values[0]);
#else
                to[row * WIDTH + n] = (value_t)values[0];
#endif
              }
            }
            BARRIER();
          }
        }
      }
"""
# The group that is the last to have written its part of a head puts the parts together.
_MERGE = """
        BARRIER();
        THREAD int* flag = (THREAD int*)pool;
        if (tid == 0) {
          DEVICE uint32_t* written = meeting + 8 + group_z * KV_HEADS + group_y;
          flag[0] = count_up(written) == (uint32_t)(parts_used - 1);
          if (flag[0]) written[0] = 0u;
        }
        BARRIER();
        if (flag[0]) {
          for (int i = tid; i < QUERIES * HEAD_DIM; i += THREADS) {
            const int q = i / HEAD_DIM;
            const int d = i % HEAD_DIM;
            const int vector =
                (group_z * NEW + q / SHARED_BY) * KV_HEADS * SHARED_BY + group_y * SHARED_BY + q % SHARED_BY;
            const DEVICE float* own = parts + (int64_t)vector * parts_used * (HEAD_DIM + 2);
            float highest = -1e30f;
            for (int p = 0; p < parts_used; p++) {
              const float found = FROM_OTHERS(own[p * (HEAD_DIM + 2) + HEAD_DIM]);
              highest = found > highest ? found : highest;
            }
            float sum = 0.0f;
            float weight = 0.0f;
            for (int p = 0; p < parts_used; p++) {
              const DEVICE float* one = own + p * (HEAD_DIM + 2);
              const float keep = EXP(FROM_OTHERS(one[HEAD_DIM]) - highest);
              sum += FROM_OTHERS(one[d]) * keep;
              weight += FROM_OTHERS(one[HEAD_DIM + 1]) * keep;
            }
            attended[vector * HEAD_DIM + d] = (value_t)(sum / weight);
          }
        }
"""
_CALL_FOR_COLUMNS = """
      for (int i = block + blocks * tid; columns_before > 0 && i < 2 * batch * KV_HEADS; i += blocks * THREADS)
        call_for(kv[layer] + (int64_t)i * capacity_of_all * HEAD_DIM, columns_before * HEAD_DIM * 2);
"""

TEXTS = (_FUNCTIONS, _BEGIN, _ATTENTION_SIZES, _MEET, _PRODUCT, _MERGE, _CALL_FOR_COLUMNS, _END)


@dataclass(frozen=True)
class Signature:
    """All that makes one compiled stack differ from another. new: positions a row; of a short row, all it has."""

    layers: int
    width: int
    inner: int
    heads: int
    kv_heads: int
    head_dim: int
    tiles: int
    new: int
    short: bool  # all positions are there: nothing is cached
    parts: bool  # the cache is read in parts
    head_norms: bool
    epsilon: float
    scale: float
    limits: CudaLimits


def signature(model: Transformer, rows: int, new: int, dtype: mx.Dtype, capacity: int | None) -> Signature | None:
    """The kernel for so many rows of the stack, or None where there is none. capacity: of the caches; None: no cache,
    all `new` positions of a row see each other."""
    first, limits = model.layers[0], cuda_limits()
    attn = first.self_attn
    if gpu_language() != "cuda" or limits is None or dtype != mx.bfloat16 or not 1 <= rows <= MOST_ROWS:
        return None
    norms = "q_norm" in attn
    if not all(_plain(block, first) for block in model.layers) or (capacity is None and norms):
        return None
    width, inner, D = first.mlp.down_proj.weight.shape[0], first.mlp.down_proj.weight.shape[1], attn.head_dim
    q_width = attn.heads * D
    if any(size % (WARPS * rows_product.COLUMNS_A_STEP) for size in (width, inner, q_width)):
        return None
    if attn.kv_heads > MOST_KV_HEADS or limits.shared_bytes < 2 * LEAST_POOL:
        return None
    if capacity is None:
        kinds = short_attention.signature(attn, new, dtype) is not None and rows % new == 0
    else:
        shared_by = attn.heads // attn.kv_heads
        kinds = attention.signature(D, shared_by, new, capacity, first.input_layernorm.eps, dtype) is not None
    if not kinds:
        return None
    tiles = 1 << (-(-rows // TILE) - 1).bit_length()  # few kernels for many numbers of rows
    parts = capacity is not None and capacity > FEW_COLUMNS
    sizes = len(model.layers), width, inner, attn.heads, attn.kv_heads, D, tiles, new, capacity is None, parts, norms
    return Signature(*sizes, first.input_layernorm.eps, attn.scale, limits)


def _plain(block: Block, first: Block) -> bool:
    """Whether the kernel has all that is in this block, in the sizes of the first."""
    attn, mlp = block.self_attn, block.mlp
    if "qkv_proj" not in attn or "gate_up_proj" not in mlp or block.residual_scale != 1.0 or "cross_attn" in block:
        return False
    layers = _products(block)
    norms = [block.input_layernorm, block.post_attention_layernorm]
    norms += [attn.q_norm, attn.k_norm] if "q_norm" in attn else []
    if any(type(layer) is not nn.Linear or "bias" in layer or layer.weight.dtype != mx.bfloat16 for layer in layers):
        return False
    if any(type(norm) is not nn.RMSNorm or norm.weight.dtype != mx.bfloat16 for norm in norms):
        return False
    same = [layer.weight.shape for layer in layers] == [layer.weight.shape for layer in _products(first)]
    return same and len({norm.eps for norm in [*norms, first.input_layernorm]}) == 1


def _products(block: Block) -> list[nn.Linear]:
    return [block.self_attn.qkv_proj, block.self_attn.o_proj, block.mlp.gate_up_proj, block.mlp.down_proj]


def counters() -> mx.array:
    """Where the groups of a launch count themselves, all 0 between launches; those that may run side by side need their
    own. Made by the device: what the host makes lies in its memory at first."""
    return mx.zeros((COUNTERS,), mx.uint32)


def counters_of(caches: Sequence[KVCache]) -> mx.array:
    """The same for whoever writes to these caches, one launch after the other."""
    first = caches[0]
    if first.counters is None:
        first.counters = counters()
    return first.counters


def read_at_once(
    chosen: Signature, model: Transformer, x: mx.array, turned: mx.array, meeting: mx.array, layers: int | None = None
) -> mx.array:
    """[B * new, W] -> the same, not normed: every position sees all of its row. turned: see `short_attention.fused`."""
    names, arrays = _of_layers(model, _LAYER_ARRAYS)
    return _launched(chosen, ("turned", *names), [turned, *arrays], x, meeting, layers)


def decode(
    chosen: Signature,
    model: Transformer,
    x: mx.array,
    caches: Sequence[mx.array],
    offset: mx.array,
    starts: mx.array,
    meeting: mx.array,
    layers: int | None = None,
) -> mx.array:
    """[B * new, W] -> the same, not normed, over caches that **are written to**: see `decode_step.decode`."""
    names, arrays = _of_layers(model, (*_LAYER_ARRAYS, *(_NORM_ARRAYS if chosen.head_norms else ())))
    names += [f"kv_{at}" for at in range(len(caches))]
    own = [offset, starts, _periods(model)]
    return _launched(chosen, ("offset", "start", "periods", *names), [*own, *arrays, *caches], x, meeting, layers)


def _periods(model: Transformer) -> mx.array:
    """Of RoPE; where positions are not told, periods without end: nothing is turned."""
    attn = model.layers[0].self_attn
    return mx.array(np.full(attn.head_dim // 2, np.inf, np.float32)) if attn._periods is None else attn._periods


def _of_layers(model: Transformer, kinds: Sequence[str]) -> tuple[list[str], list[mx.array]]:
    names, arrays = [], []
    for at, block in enumerate(model.layers):
        attn, mlp = block.self_attn, block.mlp
        layers = {
            "norm_in": block.input_layernorm,
            "qkv_w": attn.qkv_proj,
            "o_w": attn.o_proj,
            "norm_mid": block.post_attention_layernorm,
            "gate_up_w": mlp.gate_up_proj,
            "down_w": mlp.down_proj,
        }
        if "q_norm" in attn:
            layers |= {"q_norm": attn.q_norm, "k_norm": attn.k_norm}
        names += [f"{kind}_{at}" for kind in kinds]
        arrays += [layers[kind].weight for kind in kinds]
    return names, arrays


def _launched(
    chosen: Signature, names: Sequence[str], arrays: list[mx.array], x: mx.array, meeting: mx.array, layers: int | None
) -> mx.array:
    rows, q_width, kv_width = x.shape[0], chosen.heads * chosen.head_dim, chosen.kv_heads * chosen.head_dim
    widths = {"out": chosen.width, "middle": chosen.width, "qkv": q_width + 2 * kv_width, "attended": q_width}
    widths["wide"] = chosen.inner
    outputs: list[tuple[tuple[int, ...], mx.Dtype]] = [((rows, width), mx.bfloat16) for width in widths.values()]
    if chosen.parts:
        capacity = arrays[-1].shape[3]
        outputs.append(((rows * chosen.heads, -(-capacity // FEW_COLUMNS), chosen.head_dim + 2), mx.float32))
    asked = mx.array(np.full(8, layers or chosen.layers, np.int32))
    kinds = (*widths, *(("parts",) if chosen.parts else ()))
    return launch(
        Kernel("resident", ("entered", "counters", "asked", *names), kinds, _text(chosen), _FUNCTIONS),
        [x, meeting, asked, *arrays],
        outputs,
        (chosen.limits.multiprocessors, 1, 1),
        WARPS * SIMD_WIDTH,
        sizes_of(chosen),
        {"value_t": mx.bfloat16},
        chosen.limits.shared_bytes,
    )[0]


def sizes_of(chosen: Signature) -> dict[str, int | str]:
    """The macros of all phases."""
    sizes: dict[str, int | str] = {
        "WARPS": WARPS,
        "THREADS": WARPS * SIMD_WIDTH,
        "PADDING": PADDING,
        "GATE_BYTES": GATE_BYTES,
        "SHARED_BYTES": chosen.limits.shared_bytes,
        "STUCK": STUCK,
        "NEW": chosen.new,
        "HEAD_DIM": chosen.head_dim,
        "KV_HEADS": chosen.kv_heads,
        "FEW_COLUMNS": FEW_COLUMNS,
        "MANY_COLUMNS": MANY_COLUMNS,
        "IN_PARTS": int(chosen.parts),
    }
    return sizes if chosen.short else sizes | {"CACHED": 1}


@dataclass(frozen=True)
class _Product:
    """A product of every layer. x, residual, out: what is read and written; norm: of the gains before it; buffer: where
    its weights are staged in shared memory, fit: how many of a group's tiles; turn: which of the two that share gate
    and buffer it is."""

    weights: str
    columns: int
    width: int
    x: str
    out: str
    norm: str = ""
    residual: str = ""
    gated: bool = False
    gate: int = 0
    turn: int = 0
    buffer: int = 0
    fit: int = 0

    @property
    def parts(self) -> int:
        return 2 if self.gated else 1

    @property
    def tiles(self) -> int:
        return -(-self.width // OUTPUTS)

    @property
    def tile_bytes(self) -> int:
        return self.parts * OUTPUTS * (2 * self.columns + PADDING)

    def staged(self, layer: str) -> str:
        """The text that brings a layer's weights."""
        sizes = f"{self.columns}, {self.parts}, {self.width}, {self.tiles}, {self.fit}"
        return (
            f"stage<{sizes}>({self.weights}[{layer}], pool + {self.buffer}, gates + {self.gate}, block, blocks, tid);\n"
        )

    def text(self, chosen: Signature) -> str:
        mine = -(-self.tiles // chosen.limits.multiprocessors)
        head = f"const DEVICE bfloat_t* w = {self.weights}[layer];\n(void)w;\n"
        head += f"const DEVICE bfloat_t* x = {self.x};\nDEVICE bfloat_t* to = {self.out};\n"
        head += f"const DEVICE bfloat_t* norm = {self.norm}[layer];\n" if self.norm else ""
        head += f"const DEVICE bfloat_t* residual = {self.residual};\n" if self.residual else ""
        sizes: dict[str, int | str] = {
            "COLUMNS": self.columns,
            "WIDTH": self.width,
            "TILES": chosen.tiles,
            "PARTS": self.parts,
            "TILES_OF_ALL": self.tiles,
            "MINE": mine,
            "TOGETHER": min(mine, max(1, SUMS // (4 * chosen.tiles * self.parts))),
            "FIT": self.fit,
            "BUFFER": self.buffer,
            "GATE": self.gate,
            "PARITY": f"{self.turn}u",
            "STEPS": self.columns // (rows_product.COLUMNS_A_STEP * WARPS),
            "NORMED": int(bool(self.norm)),
            "ADDED": int(bool(self.residual)),
            "EPSILON": bits_of(chosen.epsilon),
        }
        return _phase(head + "const int place = lane >> 2;\nconst int part = lane & 3;\n" + _PRODUCT, sizes)


def _products_of(chosen: Signature) -> tuple[_Product, _Product, _Product, _Product]:
    """qkv, o, gate and up, down: the first and the third take turns in one half of the shared memory, the others in the
    other half."""
    q_width, came = chosen.heads * chosen.head_dim, "layer == 0 ? entered : out"
    heads_width = q_width + 2 * chosen.kv_heads * chosen.head_dim
    wanted = [
        _Product("qkv_w", chosen.width, heads_width, came, "qkv", norm="norm_in"),
        _Product("o_w", q_width, chosen.width, "attended", "middle", residual=came, gate=1),
        _Product("gate_up_w", chosen.width, chosen.inner, "middle", "wide", norm="norm_mid", gated=True, turn=1),
        _Product("down_w", chosen.inner, chosen.width, "wide", "out", residual="middle", gate=1, turn=1),
    ]
    groups, pool = chosen.limits.multiprocessors, _pool_bytes(chosen)
    needs = [-(-product.tiles // groups) * product.tile_bytes for product in wanted]
    first, second, room = (
        max(needs[0], needs[2]),
        max(needs[1], needs[3]),
        chosen.limits.shared_bytes - GATE_BYTES - pool,
    )
    if first + second > room:
        second = min(second, room // 3 // 16 * 16)
        first = room - second
    places = [(pool, first), (pool + first, second)] * 2
    made = [
        replace(product, buffer=at, fit=min(-(-product.tiles // groups), size // product.tile_bytes))
        for product, (at, size) in zip(wanted, places, strict=True)
    ]
    return made[0], made[1], made[2], made[3]


def _pool_bytes(chosen: Signature) -> int:
    """What a phase works with: shares of sums, or vectors of an attention."""
    D = chosen.head_dim
    sums = chosen.tiles * 2 * 4 * WARPS * SIMD_WIDTH * 4 + WARPS * chosen.tiles * TILE * 4
    if chosen.short:
        attending = 2 * chosen.new * D * 4
    else:
        shared_by = chosen.heads // chosen.kv_heads
        attending = chosen.new * (shared_by + 2) * D * 4 + WARPS * chosen.new * shared_by * (D + 2) * 4
    return -(-max(sums, attending, LEAST_POOL) // 128) * 128 + 128


@lru_cache(maxsize=64)
def _text(chosen: Signature) -> str:
    cached = not chosen.short
    kinds = (*_LAYER_ARRAYS, *(_NORM_ARRAYS if chosen.head_norms else ()), *(("kv",) if cached else ()))
    tables = "".join(_table(kind, chosen.layers) for kind in kinds)
    qkv, o, gate_up, down = _products_of(chosen)
    follows = "if (layer + 1 < layers) "
    phases = [
        (_CALL_FOR_COLUMNS if cached else "") + qkv.text(chosen) + gate_up.staged("layer"),
        _cached_attention(chosen) if cached else _short_attention(chosen),
        o.text(chosen) + down.staged("layer"),
        gate_up.text(chosen) + follows + qkv.staged("layer + 1"),
        down.text(chosen) + follows + o.staged("layer + 1"),
    ]
    loop = "for (int layer = 0; layer < layers; layer++) {\n" + _MEET.join(phases)
    loop += follows + "{" + _MEET + "}\n}\n"
    begun = qkv.staged("0") + o.staged("0") + _call_for_gains(chosen)
    return _BEGIN + tables + (_ATTENTION_SIZES if cached else "") + begun + loop + _END


def _call_for_gains(chosen: Signature) -> str:
    gains = "".join(f"call_for({norm}[layer], {2 * chosen.width});\n" for norm in ("norm_in", "norm_mid"))
    return "for (int layer = block; tid == 0 && layer < layers; layer += blocks) {\n" + gains + "}\n"


def _table(kind: str, layers: int) -> str:
    entries = ", ".join(f"{kind}_{at}" for at in range(layers))
    return f"const DEVICE bfloat_t* const {kind}[{layers}] = {{{entries}}};\n"


def _phase(text: str, sizes: dict[str, int | str]) -> str:
    """A part of the text with sizes of its own."""
    defined = "".join(f"#define {name} {value}\n" for name, value in sizes.items())
    return "{\n" + defined + text + "".join(f"#undef {name}\n" for name in sizes) + "}\n"


def _cached_attention(chosen: Signature) -> str:
    shared_by = chosen.heads // chosen.kv_heads
    sizes: dict[str, int | str] = {
        "HALF": chosen.head_dim // 2,
        "PAIRS": -(-(chosen.head_dim // 2) // SIMD_WIDTH),
        "SHARED_BY": shared_by,
        "QUERIES": chosen.new * shared_by,
        "LANES": chosen.head_dim // attention.LANE_NUMBERS,
        "AHEAD": 4 if chosen.new * shared_by <= 2 else 2,
        "PARTS": int(chosen.parts),
        "PART_COLUMNS": "part_columns",
        "HEAD_NORMS": int(chosen.head_norms),
        "EPSILON": bits_of(chosen.epsilon),
        "SCALE": bits_of(chosen.scale),
    }
    of_phase = ("q_norm", "k_norm", "kv") if chosen.head_norms else ("kv",)
    given = "".join(f"const DEVICE bfloat_t* {name}_of_phase = {name}[layer];\n" for name in of_phase)
    named = "".join(f"const DEVICE bfloat_t* {name} = {name}_of_phase;\n" for name in of_phase)
    text = f"""
      {given}
      for (int item = block; item < parts_used * KV_HEADS * batch; item += blocks) {{
        const int group_x = item % parts_used;
        const int group_y = item / parts_used % KV_HEADS;
        const int group_z = item / (parts_used * KV_HEADS);
        const int groups_x = parts_used;
        (void)groups_x;
        {{
          {named}
          const int offset[1] = {{columns_before}};
          DEVICE {"float* out = parts" if chosen.parts else "bfloat_t* out = attended"};
          int used = 0;
          {attention.BODY}
        }}
        {_MERGE if chosen.parts else ""}
        BARRIER();
      }}
    """
    return _phase(text, sizes)


def _short_attention(chosen: Signature) -> str:
    sizes: dict[str, int | str] = {
        "HEADS": chosen.heads,
        "HALF": chosen.head_dim // 2,
        "PAIRS": chosen.head_dim // 2 // SIMD_WIDTH,
        "LENGTH": chosen.new,
        "SCALE": bits_of(chosen.scale),
    }
    text = f"""
      for (int item = block; item < HEADS * (all_rows / LENGTH); item += blocks) {{
        const int group_x = item % HEADS;
        const int group_y = item / HEADS;
        DEVICE bfloat_t* out = attended;
        int used = 0;
        {short_attention.BODY}
        BARRIER();
      }}
    """
    return _phase(text, sizes)
