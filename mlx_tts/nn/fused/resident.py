"""A whole stack of blocks as one launch on CUDA: as many groups of threads as run at once stay until the end, and meet
between its phases.

A launch costs the host more than most phases cost the GPU, and a stack of 28 blocks had 140 of them. Weights do not
depend on what was computed before: while a phase works and while groups wait for each other, those of the two products
that follow come into shared memory. What one phase leaves for the next goes through the GPU's level 2 cache.

All groups must run at once. MLX puts launches of a process behind each other on one stream, but for those of one `eval`
that do not need each other: there, only one stack may be. A group that waits for seconds ends the launch with an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import mlx.core as mx
import numpy as np
from mlx import nn

from mlx_tts.nn.cache import KVCache
from mlx_tts.nn.fused import attention, rows_product, short_attention
from mlx_tts.nn.fused.gpu_source import SIMD_WIDTH, Kernel, gpu_language, launch
from mlx_tts.nn.fused.resident_parts import FUNCTIONS
from mlx_tts.nn.fused.resident_stack import (
    FEW_COLUMNS,
    LAYER_ARRAYS,
    MOST_ROWS,
    NORM_ARRAYS,
    TILE,
    WARPS,
    Signature,
    sizes_of,
)
from mlx_tts.nn.fused.resident_text import text_of
from mlx_tts.nn.transformer import Block, Transformer
from mlx_tts.runtime.device import cuda_limits

MOST_KV_HEADS = 16
LEAST_SHARED_BYTES = 96_000  # that a group must be able to ask for
CHECK_LAYERS = 2  # that a self-check runs
COUNTERS = 8 + MOST_ROWS * MOST_KV_HEADS


def signature(model: Transformer, rows: int, new: int, dtype: mx.Dtype, capacity: int | None) -> Signature | None:
    """The kernel for so many rows of the stack, or None where there is none. capacity: of the caches; None: no cache,
    all `new` positions of a row see each other."""
    first, common = model.layers[0], _common(model, rows, dtype)
    if common is None:
        return None
    attn, norms = first.self_attn, "q_norm" in first.self_attn
    if capacity is None:
        there = not norms and short_attention.signature(attn, new, dtype) is not None and rows % new == 0
    else:
        shared_by, epsilon = attn.heads // attn.kv_heads, first.input_layernorm.eps
        there = attention.signature(attn.head_dim, shared_by, new, capacity, epsilon, dtype) is not None
    parts = capacity is not None and capacity > FEW_COLUMNS
    return replace(common, new=new, short=capacity is None, parts=parts) if there else None


def prompt_signature(model: Transformer, positions: int, dtype: mx.Dtype) -> Signature | None:
    """The kernel that reads so many positions of prompts, with their padding, or None where there is none."""
    common, attn = _common(model, positions, dtype), model.layers[0].self_attn
    if common is None or attn.head_dim % 64 or "q_norm" not in attn or attn._periods is None:
        return None
    return replace(common, prompt=True)


def _common(model: Transformer, rows: int, dtype: mx.Dtype) -> Signature | None:
    """What all kinds of stacks must have."""
    first, limits = model.layers[0], cuda_limits()
    attn = first.self_attn
    if gpu_language() != "cuda" or limits is None or dtype != mx.bfloat16 or not 1 <= rows <= MOST_ROWS:
        return None
    if not all(_plain(block, first) for block in model.layers):
        return None
    width, inner = first.mlp.down_proj.weight.shape
    q_width = attn.heads * attn.head_dim
    if any(size % (WARPS * rows_product.COLUMNS_A_STEP) for size in (width, inner, q_width)):
        return None
    if attn.kv_heads > MOST_KV_HEADS or limits.shared_bytes < LEAST_SHARED_BYTES:
        return None
    tiles = 1 << (-(-rows // TILE) - 1).bit_length()  # few kernels for many numbers of rows
    sizes = len(model.layers), width, inner, attn.heads, attn.kv_heads, attn.head_dim, tiles, 1
    return Signature(*sizes, False, False, False, "q_norm" in attn, first.input_layernorm.eps, attn.scale, limits)


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
    names, arrays = _of_layers(model, LAYER_ARRAYS)
    return _launched(chosen, ("turned", *names), [turned, *arrays], x, meeting, layers)[0]


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
    names, arrays = _of_layers(model, (*LAYER_ARRAYS, *(NORM_ARRAYS if chosen.head_norms else ())))
    names += [f"kv_{at}" for at in range(len(caches))]
    own = [offset, starts, _periods(model)]
    given = ("offset", "start", "periods", *names), [*own, *arrays, *caches]
    return _launched(chosen, *given, x, meeting, layers)[0]


def read_prompts(
    chosen: Signature, model: Transformer, x: mx.array, capacity: int, meeting: mx.array, layers: int | None = None
) -> tuple[mx.array, list[mx.array]]:
    """[B, L, W] -> the same, not normed, and of each layer keys and values [2, B, kv_heads, capacity, D]. Columns
    behind the first L are not written."""
    B, L, width = x.shape
    names, arrays = _of_layers(model, (*LAYER_ARRAYS, *NORM_ARRAYS))
    own = [mx.array([L, capacity], mx.int32), _periods(model)]
    kv = [((2, B, chosen.kv_heads, capacity, chosen.head_dim), mx.bfloat16)] * chosen.layers
    given = ("offset", "periods", *names), [*own, *arrays]
    made = _launched(chosen, *given, x.reshape(B * L, width), meeting, layers, kv)
    return made[0].reshape(x.shape), made[-chosen.layers :]


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
    chosen: Signature,
    names: Sequence[str],
    arrays: list[mx.array],
    x: mx.array,
    meeting: mx.array,
    layers: int | None,
    written: Sequence[tuple[tuple[int, ...], mx.Dtype]] = (),
) -> list[mx.array]:
    rows, q_width, kv_width = x.shape[0], chosen.heads * chosen.head_dim, chosen.kv_heads * chosen.head_dim
    widths = {"out": chosen.width, "middle": chosen.width, "qkv": q_width + 2 * kv_width, "attended": q_width}
    widths["wide"] = chosen.inner
    outputs: list[tuple[tuple[int, ...], mx.Dtype]] = [((rows, width), mx.bfloat16) for width in widths.values()]
    if chosen.parts:
        capacity = arrays[-1].shape[3]
        outputs.append(((rows * chosen.heads, -(-capacity // FEW_COLUMNS), chosen.head_dim + 2), mx.float32))
    asked = mx.array(np.full(8, layers or chosen.layers, np.int32))
    kinds = (*widths, *(("parts",) if chosen.parts else ()), *(f"kv_{at}" for at in range(len(written))))
    return launch(
        Kernel("resident", ("entered", "counters", "asked", *names), kinds, text_of(chosen), FUNCTIONS),
        [x, meeting, asked, *arrays],
        [*outputs, *written],
        (chosen.limits.multiprocessors, 1, 1),
        WARPS * SIMD_WIDTH,
        sizes_of(chosen),
        {"value_t": mx.bfloat16},
        chosen.limits.shared_bytes,
    )
