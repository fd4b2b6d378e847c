"""A whole stack of blocks as one launch on CUDA: as many groups of threads as run at once stay until the end, and meet
between its phases.

A launch costs the host more than most phases cost the GPU, and a stack of 28 blocks had 140 of them. The phases are the
texts of the kernels that do the same one by one; what one leaves for the next goes through the GPU's level 2 cache,
where the next weights are called for while the present phase still works. For bfloat16.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import mlx.core as mx
import numpy as np
from mlx import nn

from mlx_tts.nn.fused import attention, rows_product, short_attention
from mlx_tts.nn.fused.gpu_source import SIMD_WIDTH, Kernel, bits_of, gpu_language, launch
from mlx_tts.nn.transformer import Block, Transformer
from mlx_tts.runtime.device import multiprocessors

WARPS = 8  # of a group: one group stays on each multiprocessor
MOST_ROWS = 64
FEW_COLUMNS, MANY_COLUMNS = 64, attention.PART_COLUMNS  # of a cache, that one group reads
POOL_BYTES = 40_960  # of shared memory, for one phase at a time
CHECK_LAYERS = 2  # that a self-check runs
STUCK = 1 << 24  # readings of the counter, seconds: then something else holds a multiprocessor for ever

_FUNCTIONS = (
    rows_product.FUNCTIONS
    + """
#ifdef __CUDA_ARCH__
INLINE void all_meet(uint32_t* counter, uint32_t expected, int tid) {
  __syncthreads();
  if (tid == 0) {
    __threadfence();
    atomicAdd(counter, 1u);
    uint32_t seen = 0u;
    for (int reading = 0; seen < expected; reading++) {
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(counter) : "memory");
      if (reading > STUCK) __trap();
    }
    __threadfence();
  }
  __syncthreads();
}
INLINE uint32_t count_up(uint32_t* counter) { return atomicAdd(counter, 1u); }
INLINE void call_for(const bfloat_t* from, int bytes, int worker, int workers) {
  for (int line = worker; line < bytes / 128; line += workers)
    asm volatile("prefetch.global.L2 [%0];" ::"l"((const char*)from + (int64_t)line * 128));
}
#else
INLINE void all_meet(DEVICE uint32_t* counter, uint32_t expected, int tid) {
  BARRIER();
  if (tid == 0) groups_meet(counter, expected);
  BARRIER();
}
INLINE uint32_t count_up(DEVICE uint32_t* counter) { return groups_count(counter); }
INLINE void call_for(const DEVICE bfloat_t*, int, int, int) {}
#endif
"""
)

_LAYER_ARRAYS = ("norm_in", "qkv_w", "o_w", "norm_mid", "gate_up_w", "down_w")
_NORM_ARRAYS = ("q_norm", "k_norm")

_BEGIN = """
    const int block = group_x;
    const int blocks = groups_x;
    const int all_rows = entered_shape[0];
    const int worker = block * (WARPS * 32) + tid;
    const int workers = blocks * (WARPS * 32);
    DEVICE uint32_t* meeting = (DEVICE uint32_t*)counters;
    uint32_t expected = 0u;
    SHARED(uint4, pool, POOL_BYTES / 16);
#undef SHARED
#define SHARED(type, name, count) type* name = (type*)((char*)pool + used); used += ((count) * 4 + 15) / 16 * 16
"""
_ATTENTION_SIZES = """
    const int capacity_of_all = kv_0_shape[3];
    const int batch = kv_0_shape[1];
    const int seen_columns = offset[0] + NEW;
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


TEXTS = (_FUNCTIONS, _BEGIN, _ATTENTION_SIZES, _MEET, _END)


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
    groups: int


def signature(model: Transformer, rows: int, new: int, dtype: mx.Dtype, capacity: int | None) -> Signature | None:
    """The kernel for so many rows of the stack, or None where there is none. capacity: of the caches; None: no cache,
    all `new` positions of a row see each other."""
    first, groups = model.layers[0], multiprocessors()
    attn = first.self_attn
    if gpu_language() != "cuda" or groups is None or dtype != mx.bfloat16 or not 1 <= rows <= MOST_ROWS:
        return None
    norms = "q_norm" in attn
    if not all(_plain(block, first) for block in model.layers) or (capacity is None and norms):
        return None
    width, inner, D = first.mlp.down_proj.weight.shape[0], first.mlp.down_proj.weight.shape[1], attn.head_dim
    q_width = attn.heads * D
    if any(size % (WARPS * rows_product.COLUMNS_A_STEP) for size in (width, inner, q_width)):
        return None
    if capacity is None:
        kinds = short_attention.signature(attn, new, dtype) is not None and rows % new == 0
    else:
        shared_by = attn.heads // attn.kv_heads
        kinds = attention.signature(D, shared_by, new, capacity, first.input_layernorm.eps, dtype) is not None
    if not kinds:
        return None
    tiles = 1 << (-(-rows // rows_product.TILE) - 1).bit_length()  # few kernels for many numbers of rows
    parts = capacity is not None and capacity > FEW_COLUMNS
    sizes = len(model.layers), width, inner, attn.heads, attn.kv_heads, D, tiles, new, capacity is None, parts, norms
    return Signature(*sizes, first.input_layernorm.eps, attn.scale, groups)


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
    """Where the groups of a launch count themselves; launches that may run side by side need their own. Made by the
    host, so it is no launch."""
    return mx.array(np.zeros(8, np.uint32))


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
    shapes = [(rows, chosen.width), (rows, chosen.width), (rows, q_width + 2 * kv_width), (rows, q_width)]
    shapes.append((rows, chosen.inner))
    outputs: list[tuple[tuple[int, ...], mx.Dtype]] = [(shape, mx.bfloat16) for shape in shapes]
    kinds = ["out", "middle", "qkv", "attended", "wide"]
    if chosen.parts:
        capacity = arrays[-1].shape[3]
        outputs.append(((rows * chosen.heads, -(-capacity // FEW_COLUMNS), chosen.head_dim + 2), mx.float32))
        kinds.append("parts")
    asked = mx.array(np.full(8, layers or chosen.layers, np.int32))
    kernel = Kernel("resident", ("entered", "counters", "asked", *names), tuple(kinds), _text(chosen), _FUNCTIONS)
    sizes = {"WARPS": WARPS, "POOL_BYTES": POOL_BYTES, "STUCK": STUCK, "NEW": chosen.new, "KV_HEADS": chosen.kv_heads}
    sizes |= {"FEW_COLUMNS": FEW_COLUMNS, "MANY_COLUMNS": MANY_COLUMNS, "IN_PARTS": int(chosen.parts)}
    return launch(
        kernel,
        [x, meeting, asked, *arrays],
        outputs,
        (chosen.groups, 1, 1),
        WARPS * SIMD_WIDTH,
        sizes,
        {"value_t": mx.bfloat16},
    )[0]


@lru_cache(maxsize=64)
def _text(chosen: Signature) -> str:
    q_width, kv_width = chosen.heads * chosen.head_dim, chosen.kv_heads * chosen.head_dim
    cached = not chosen.short
    kinds = (*_LAYER_ARRAYS, *(_NORM_ARRAYS if chosen.head_norms else ()), *(("kv",) if cached else ()))
    tables = "".join(_table(kind, chosen.layers) for kind in kinds)
    qkv = _product(
        chosen, "qkv_w", "layer == 0 ? entered : out", "qkv", chosen.width, q_width + 2 * kv_width, norm="in"
    )
    o = _product(chosen, "o_w", "attended", "middle", q_width, chosen.width, residual="layer == 0 ? entered : out")
    gate_up = _product(chosen, "gate_up_w", "middle", "wide", chosen.width, chosen.inner, norm="mid", gated=True)
    down = _product(chosen, "down_w", "wide", "out", chosen.inner, chosen.width, residual="middle")
    attend = _cached_attention(chosen) if cached else _short_attention(chosen)
    phases = [
        _call_for("o_w", "layer", chosen.width * q_width) + qkv,
        _call_for("gate_up_w", "layer", 2 * chosen.inner * chosen.width) + attend,
        o,
        _call_for("down_w", "layer", chosen.inner * chosen.width) + gate_up,
        "if (layer + 1 < asked[0]) {"
        + _call_for("qkv_w", "layer + 1", chosen.width * (q_width + 2 * kv_width))
        + "}\n"
        + down,
    ]
    loop = "for (int layer = 0; layer < asked[0]; layer++) {\n" + _MEET.join(phases)
    loop += "if (layer + 1 < asked[0]) {" + _MEET + "}\n}\n"
    return _BEGIN + tables + (_ATTENTION_SIZES if cached else "") + loop + _END


def _table(kind: str, layers: int) -> str:
    entries = ", ".join(f"{kind}_{at}" for at in range(layers))
    return f"const DEVICE bfloat_t* const {kind}[{layers}] = {{{entries}}};\n"


def _call_for(kind: str, layer: str, numbers: int) -> str:
    return f"call_for({kind}[{layer}], {2 * numbers}, worker, workers);\n"


def _phase(text: str, sizes: dict[str, int | str]) -> str:
    """A kernel's text within another one, with its own sizes."""
    defined = "".join(f"#define {name} {value}\n" for name, value in sizes.items())
    return "{\n" + defined + text + "".join(f"#undef {name}\n" for name in sizes) + "}\n"


def _product(
    chosen: Signature,
    weights: str,
    x: str,
    out: str,
    columns: int,
    outputs: int,
    norm: str = "",
    residual: str = "",
    gated: bool = False,
) -> str:
    tiles = -(-outputs // rows_product.OUTPUTS)
    # Where there are more tiles than groups, fewer warps share each: so few are left over, and fewer wait.
    team = next((warps for warps in (8, 4) if tiles * warps <= WARPS * chosen.groups), 2)
    sizes: dict[str, int | str] = {
        "COLUMNS": columns,
        "TILES": chosen.tiles,
        "PARTS": 2 if gated else 1,
        "TEAM": team,
        "STEPS": columns // (rows_product.COLUMNS_A_STEP * team),
        "NORMED": int(bool(norm)),
        "ADDED": int(bool(residual)),
        "EPSILON": bits_of(chosen.epsilon),
    }
    head = f"""
      const DEVICE bfloat_t* w = {weights}[layer];
      const DEVICE bfloat_t* x_of_phase = {x};
      DEVICE bfloat_t* out_of_phase = {out};
    """
    if norm:
        head += f"const DEVICE bfloat_t* norm = norm_{norm}[layer];\n"
    if residual:
        head += f"const DEVICE bfloat_t* residual = {residual};\n"
    return _phase(
        head
        + f"""
      const int rows = all_rows;
      const int width = {outputs};
      const int team = tid / (TEAM * 32);
      const int thread_of_team = tid % (TEAM * 32);
      for (int base = block * (WARPS / TEAM); base < {tiles}; base += blocks * (WARPS / TEAM)) {{
        const int group_x = base + team;
        const int tid = thread_of_team;
        const int warp = tid >> 5;
        const DEVICE bfloat_t* x = x_of_phase;
        DEVICE bfloat_t* out = out_of_phase;
        int used = team * (POOL_BYTES / (WARPS / TEAM) / 16 * 16);
        """
        + rows_product.WORK.replace("WARPS", "TEAM")
        + "BARRIER();\n}\n",
        sizes,
    )


def _cached_attention(chosen: Signature) -> str:
    shared_by = chosen.heads // chosen.kv_heads
    sizes: dict[str, int | str] = {
        "HEAD_DIM": chosen.head_dim,
        "HALF": chosen.head_dim // 2,
        "PAIRS": -(-(chosen.head_dim // 2) // SIMD_WIDTH),
        "SHARED_BY": shared_by,
        "QUERIES": chosen.new * shared_by,
        "LANES": chosen.head_dim // attention.LANE_NUMBERS,
        "AHEAD": 2,
        "PARTS": int(chosen.parts),
        "PART_COLUMNS": "part_columns",
        "HEAD_NORMS": int(chosen.head_norms),
        "EPSILON": bits_of(chosen.epsilon),
        "SCALE": bits_of(chosen.scale),
    }
    both = ("q_norm", "k_norm") if chosen.head_norms else ()
    norms = "".join(f"const DEVICE bfloat_t* {norm}_of_phase = {norm}[layer];\n" for norm in both)
    own_norms = "".join(f"const DEVICE bfloat_t* {norm} = {norm}_of_phase;\n" for norm in both)
    text = f"""
{norms}
      const DEVICE bfloat_t* kv_of_phase = kv[layer];
      for (int item = block; item < parts_used * KV_HEADS * batch; item += blocks) {{
        const int group_x = item % parts_used;
        const int group_y = item / parts_used % KV_HEADS;
        const int group_z = item / (parts_used * KV_HEADS);
        const int groups_x = parts_used;
        (void)groups_x;
        {own_norms}
        const DEVICE bfloat_t* kv = kv_of_phase;
        DEVICE {"float* out = parts" if chosen.parts else "bfloat_t* out = attended"};
        int used = 0;
        {attention.BODY}
        BARRIER();
      }}
    """
    made = _phase(text, sizes)
    if not chosen.parts:
        return made
    merge = f"""
      const int parts_shape[2] = {{0, parts_used}};
      for (int item = block; item < all_rows * {chosen.heads}; item += blocks) {{
        const int group_x = item;
        DEVICE bfloat_t* out = attended;
        {attention.MERGE}
      }}
    """
    return made + _MEET + _phase(merge, {"HEAD_DIM": chosen.head_dim})


def _short_attention(chosen: Signature) -> str:
    sizes: dict[str, int | str] = {
        "HEADS": chosen.heads,
        "HEAD_DIM": chosen.head_dim,
        "HALF": chosen.head_dim // 2,
        "PAIRS": chosen.head_dim // 2 // SIMD_WIDTH,
        "LENGTH": chosen.new,
        "SCALE": bits_of(chosen.scale),
    }
    text = f"""
      for (int item = block; item < {chosen.heads} * (all_rows / LENGTH); item += blocks) {{
        const int group_x = item % {chosen.heads};
        const int group_y = item / {chosen.heads};
        DEVICE bfloat_t* out = attended;
        int used = 0;
        {short_attention.BODY}
        BARRIER();
      }}
    """
    return _phase(text, sizes)
