"""A whole stack of blocks as one persistent kernel on CUDA: as many groups of threads as run at once stay until the
end, with a grid barrier between its phases.

A launch costs the host more than most phases cost the GPU, and a stack of 28 blocks had 140 of them. Weights do not
depend on what was computed before: while a phase works and while groups wait for each other, those that follow come
into shared memory (`persistent_sizes.py`). What one phase leaves for the next goes through the GPU's level 2 cache.

All groups must run at once. MLX puts launches of a process behind each other on one stream, but for those of one `eval`
that do not need each other: there, only one stack may be. A group that waits for seconds ends the launch with an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import mlx.core as mx
import numpy as np
from mlx import nn

from mlx_tts.kernels.attention import AttentionKernel, ShortAttentionKernel
from mlx_tts.kernels.core.source import SIMD_WIDTH, KernelText, gpu_language, launch, text_of
from mlx_tts.kernels.persistent_sizes import (
    FEW_COLUMNS,
    LAYER_ARRAYS,
    MOST_KV_HEADS,
    MOST_ROWS,
    NORM_ARRAYS,
    ROWS,
    STEP_ARRAYS,
    STEP_COLUMNS,
    WARPS,
    LaterCodes,
    Solver,
    StackKernel,
)
from mlx_tts.kernels.persistent_text import sizes_of, stack_text
from mlx_tts.nn.cache import KVCache
from mlx_tts.nn.transformer import Block, Transformer
from mlx_tts.runtime.device import cuda_limits, made_by_device

CHECK_LAYERS = 2  # that a self-check runs
COUNTERS = 8 + MOST_ROWS * MOST_KV_HEADS
LEAST_SHARED_BYTES = 96_000  # that a group must be able to ask for
MOST_COLUMNS = 1 << 16  # of a cache: what its parts count for must fit in shared memory


def of_stack(model: Transformer, rows: int, new: int, dtype: mx.Dtype, capacity: int | None) -> StackKernel | None:
    """The kernel for so many rows of the stack, or None where there is none. capacity: of the caches; None: no cache,
    all `new` positions of a row see each other."""
    first, common = model.layers[0], _common(model, rows, dtype)
    if common is None:
        return None
    attn, norms = first.self_attn, "q_norm" in first.self_attn
    if capacity is None:
        there = not norms and ShortAttentionKernel.of(attn, new, dtype) is not None and rows % new == 0
    else:
        shared_by, epsilon = attn.heads // attn.kv_heads, first.input_layernorm.eps
        there = AttentionKernel.of(attn.head_dim, shared_by, new, capacity, epsilon, dtype) is not None
        there = there and capacity <= MOST_COLUMNS
    if not there:
        return None
    if capacity is None:  # of few numbers of rows
        return replace(common, new=new, short=True, eights=-(-rows // ROWS))
    return replace(common, new=new, parts=capacity > FEW_COLUMNS)


def of_solver(
    model: Transformer, ends: tuple[nn.Linear, nn.Linear], solver: Solver, rows: int, new: int
) -> StackKernel | None:
    """The kernel for all steps of a diffusion around the stack, or None where there is none."""
    common, norm = of_stack(model, rows, new, mx.bfloat16, None), model.norm
    if common is None or type(norm) is not nn.RMSNorm or norm.eps != common.epsilon:
        return None
    if any(type(layer) is not nn.Linear or "bias" not in layer for layer in ends):
        return None
    arrays = [norm.weight, *(value for layer in ends for value in (layer.weight, layer.bias))]
    shapes = [layer.weight.shape for layer in ends]
    if shapes != [(common.width, solver.numbers), (solver.numbers, common.width)] or solver.numbers % 8:
        return None
    return replace(common, solver=solver) if all(value.dtype == mx.bfloat16 for value in arrays) else None


def of_codes(
    model: Transformer,
    ends: tuple[Sequence[nn.Linear], Sequence[nn.Embedding]],
    later: LaterCodes,
    rows: int,
    dtype: mx.Dtype,
    capacity: int,
) -> StackKernel | None:
    """The kernel for the later codes of a frame, or None where there is none. ends: head and table of each of them."""
    common, norm, (heads, tables) = of_stack(model, rows, 1, dtype, capacity), model.norm, ends
    if common is None or common.parts or capacity < later.codes or len(heads) != later.steps:
        return None
    if type(norm) is not nn.RMSNorm or norm.eps != common.epsilon:
        return None
    if any(type(head) is not nn.Linear or "bias" in head for head in heads):
        return None
    if any(type(table) is not nn.Embedding for table in tables):
        return None
    arrays = [norm.weight, *(layer.weight for layer in (*heads, *tables))]
    shapes = {head.weight.shape for head in heads} | {(table.weight.shape[0], common.width) for table in tables}
    if shapes != {(later.ids, common.width)} or any(table.weight.shape[1] != common.width for table in tables):
        return None
    return replace(common, later=later) if all(value.dtype == mx.bfloat16 for value in arrays) else None


def of_prompts(model: Transformer, positions: int, dtype: mx.Dtype) -> StackKernel | None:
    """The kernel that reads so many positions of prompts, with their padding, or None where there is none."""
    common, attn = _common(model, positions, dtype), model.layers[0].self_attn
    if common is None or attn.head_dim % 64:
        return None
    return replace(common, prompt=True)


def _common(model: Transformer, rows: int, dtype: mx.Dtype) -> StackKernel | None:
    """What all kinds of stacks must have."""
    first, limits = model.layers[0], cuda_limits()
    attn = first.self_attn
    if gpu_language() != "cuda" or limits is None or dtype != mx.bfloat16 or not 1 <= rows <= MOST_ROWS:
        return None
    if not all(_plain(block, first) for block in model.layers):
        return None
    width, inner = first.mlp.down_proj.weight.shape
    q_width = attn.heads * attn.head_dim
    if any(size % STEP_COLUMNS for size in (width, inner, q_width)):
        return None
    if attn.kv_heads > MOST_KV_HEADS or limits.shared_bytes < LEAST_SHARED_BYTES:
        return None
    eights = 1 << (-(-rows // ROWS) - 1).bit_length()  # few kernels for many numbers of rows
    sizes = len(model.layers), width, inner, attn.heads, attn.kv_heads, attn.head_dim, eights, 1
    return StackKernel(*sizes, False, False, False, "q_norm" in attn, first.input_layernorm.eps, attn.scale, limits)


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
    """Where the groups of a launch count themselves, all 0 between launches. Those that may run at the same time need
    their own. Made by the device: what the host makes lies in its memory at first."""
    return mx.zeros((COUNTERS,), mx.uint32)


def counters_of(caches: Sequence[KVCache]) -> mx.array:
    """The same for all launches that write to these caches, one launch after the other."""
    first = caches[0]
    if first.counters is None:
        first.counters = counters()
    return first.counters


def read_at_once(
    chosen: StackKernel, model: Transformer, x: mx.array, turned: mx.array, barrier: mx.array, layers: int | None = None
) -> mx.array:
    """[B * new, W] -> the same, not normed: every position sees all of its row. turned: see `ShortAttentionKernel`."""
    names, arrays = _of_layers(model, LAYER_ARRAYS)
    return _launched(chosen, ("turned", *names), [turned, *arrays], x, barrier, layers)[0]


def decode(
    chosen: StackKernel,
    model: Transformer,
    x: mx.array,
    caches: Sequence[mx.array],
    offset: mx.array,
    starts: mx.array,
    barrier: mx.array,
    layers: int | None = None,
) -> mx.array:
    """[B * new, W] -> the same, not normed, over caches that **are written to**: see `layer_steps.decode`."""
    names, arrays = _of_layers(model, (*LAYER_ARRAYS, *(NORM_ARRAYS if chosen.head_norms else ())))
    names += [f"kv_{at}" for at in range(len(caches))]
    own = [offset, starts, _periods(model)]
    given = ("offset", "start", "periods", *names), [*own, *arrays, *caches]
    return _launched(chosen, *given, x, barrier, layers)[0]


def prefill(
    chosen: StackKernel, model: Transformer, x: mx.array, capacity: int, barrier: mx.array, layers: int | None = None
) -> tuple[mx.array, list[mx.array]]:
    """[B, L, W] -> the same, not normed, and of each layer keys and values [2, B, kv_heads, capacity, D]. Columns
    behind the first L are not written."""
    B, L, width = x.shape
    names, arrays = _of_layers(model, (*LAYER_ARRAYS, *(NORM_ARRAYS if chosen.head_norms else ())))
    own = [_kept(L, capacity), _periods(model)]
    shape = 2, B, chosen.kv_heads, capacity, chosen.head_dim
    kv = [(f"kv_{at}", shape, mx.bfloat16) for at in range(chosen.layers)]
    given = ("offset", "periods", *names), [*own, *arrays]
    made = _launched(chosen, *given, x.reshape(B * L, width), barrier, layers, kv)
    return made[0].reshape(x.shape), made[-chosen.layers :]


def solve(
    chosen: StackKernel,
    model: Transformer,
    ends: tuple[nn.Linear, nn.Linear],
    turned: mx.array,
    base: mx.array,
    noise: mx.array,
    times: mx.array,
    step_sizes: mx.array,
    guidance: mx.array,
    barrier: mx.array,
    layers: int | None = None,
) -> mx.array:
    """Noise [B, frames, D] float32 -> what all Euler steps make of it.

    ends: products before and behind the stack; turned: see `ShortAttentionKernel.run`; base [B * halves * new, W]: rows
    without frames and time; times [n, W]: what is added in each step; step_sizes [n], guidance [B]: float32.
    """
    assert chosen.solver is not None
    names, arrays = _of_layers(model, LAYER_ARRAYS)
    first, last = ends
    own = {"turned": turned, "noise": noise, "times": times, "sizes": step_sizes, "guidance": guidance}
    own |= {"in_w": first.weight, "in_b": first.bias, "out_w": last.weight, "out_b": last.bias}
    own |= {"norm_out": model.norm.weight}
    rows, width = base.shape
    written = [
        ("velocity", (rows, chosen.solver.numbers), mx.bfloat16),
        ("entered", (rows, width), mx.bfloat16),
        ("solved", noise.shape, mx.float32),
    ]
    given = (*own, *names), [*own.values(), *arrays]
    return _launched(chosen, *given, base, barrier, layers, written, step_sizes.shape[0])[-1]


def sample_codes(
    chosen: StackKernel,
    model: Transformer,
    ends: tuple[Sequence[nn.Linear], Sequence[nn.Embedding]],
    x: mx.array,
    caches: Sequence[mx.array],
    starts: mx.array,
    barrier: mx.array,
    settings: mx.array,
    noise: mx.array | None,
    codes: mx.array,
    total: mx.array,
    layers: int | None = None,
) -> list[mx.array]:
    """The codes of a frame from a slot on: codes [B, K], the sum of all embeddings [B, W], the last logits [B, ids].

    ends: head and table of each slot; x [B, W]: the embedding of the code before; settings: `RowSampling.packed`; codes
    [B, K]: those before; total [B, W] float32: their sum. The caches **are written to**: see `layer_steps.decode`.
    """
    assert chosen.later is not None
    slot, rows = chosen.later.slot, x.shape[0]
    names, arrays = _of_layers(model, (*LAYER_ARRAYS, *(NORM_ARRAYS if chosen.head_norms else ())))
    names += [f"kv_{at}" for at in range(len(caches))]
    arrays += [*caches]
    for kind, behind in zip(STEP_ARRAYS, ends, strict=True):
        names += [f"{kind}_{at}" for at in range(len(behind))]
        arrays += [layer.weight for layer in behind]
    own = {"offset": _kept(slot), "start": starts, "periods": _periods(model), "norm_out": model.norm.weight}
    own |= {"settings": settings, "codes": codes, "total": total}
    if noise is not None:
        own["noise"] = noise
    written = [
        ("logits", (rows, chosen.later.ids), mx.bfloat16),
        ("fed", x.shape, mx.bfloat16),
        ("summed", x.shape, mx.float32),
        ("codes_out", codes.shape, mx.uint32),
        ("total_out", x.shape, mx.bfloat16),
    ]
    given = (*own, *names), [*own.values(), *arrays]
    made = _launched(chosen, *given, x, barrier, layers, written, chosen.later.steps)
    return [made[-2], made[-1], made[-5]]


def _periods(model: Transformer) -> mx.array:
    """Of RoPE; where positions are not told, periods without end: nothing is turned."""
    attn = model.layers[0].self_attn
    if attn._periods is None:
        return _kept_periods((np.inf,) * (attn.head_dim // 2))
    return _kept_periods(tuple(np.array(attn._periods).tolist()))


# What the host makes lies in pages that it goes on writing to, so a launch that reads it waits for them to come over.


@lru_cache(maxsize=256)
def _kept(*numbers: int) -> mx.array:
    """Numbers that a launch is told."""
    return made_by_device(mx.array([*numbers, *[0] * (8 - len(numbers))], mx.int32))


@lru_cache(maxsize=64)
def _kept_periods(periods: tuple[float, ...]) -> mx.array:
    return made_by_device(mx.array(periods, mx.float32))


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
    chosen: StackKernel,
    names: Sequence[str],
    arrays: list[mx.array],
    x: mx.array,
    barrier: mx.array,
    layers: int | None,
    written: Sequence[tuple[str, tuple[int, ...], mx.Dtype]] = (),
    steps: int = 1,
) -> list[mx.array]:
    """The outputs: what leaves the stack, room that phases work in, then all of `written`."""
    rows, q_width, kv_width = x.shape[0], chosen.heads * chosen.head_dim, chosen.kv_heads * chosen.head_dim
    widths = {"out": chosen.width, "middle": chosen.width, "qkv": q_width + 2 * kv_width, "attended": q_width}
    widths["wide"] = chosen.inner
    outputs: list[tuple[tuple[int, ...], mx.Dtype]] = [((rows, width), mx.bfloat16) for width in widths.values()]
    if chosen.parts:
        capacity = arrays[-1].shape[3]
        outputs.append(((rows * chosen.heads, -(-capacity // FEW_COLUMNS), chosen.head_dim + 2), mx.float32))
    asked = _kept(layers or chosen.layers, steps)
    kinds = (*widths, *(("parts",) if chosen.parts else ()), *(name for name, *_ in written))
    read = "entered" if chosen.solver is None else "base"
    return launch(
        KernelText("resident", (read, "counters", "asked", *names), kinds, stack_text(chosen), text_of("persistent")),
        [x, barrier, asked, *arrays],
        [*outputs, *((shape, dtype) for _, shape, dtype in written)],
        (chosen.limits.multiprocessors, 1, 1),
        (WARPS + 1) * SIMD_WIDTH,  # those that compute, and one that brings weights
        sizes_of(chosen),
        {"value_t": mx.bfloat16},
        chosen.limits.shared_bytes,
    )
