"""A whole stack of blocks as one launch on CUDA: as many groups of threads as run at once stay until the end, and meet
between its phases.

A launch costs the host more than most phases cost the GPU, and a stack of 28 blocks had 140 of them. Weights do not
depend on what was computed before: while a phase works and while groups wait for each other, those that follow come
into shared memory (`resident_weights.py`). What one phase leaves for the next goes through the GPU's level 2 cache.

All groups must run at once. MLX puts launches of a process behind each other on one stream, but for those of one `eval`
that do not need each other: there, only one stack may be. A group that waits for seconds ends the launch with an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import mlx.core as mx
import numpy as np
from mlx import nn

from mlx_tts.nn.cache import KVCache
from mlx_tts.nn.fused.gpu_source import SIMD_WIDTH, Kernel, launch, made_by_device
from mlx_tts.nn.fused.resident_parts import FUNCTIONS
from mlx_tts.nn.fused.resident_stack import (
    FEW_COLUMNS,
    LAYER_ARRAYS,
    MOST_KV_HEADS,
    MOST_ROWS,
    NORM_ARRAYS,
    WARPS,
    Signature,
    sizes_of,
)
from mlx_tts.nn.fused.resident_text import text_of
from mlx_tts.nn.transformer import Transformer

CHECK_LAYERS = 2  # that a self-check runs
COUNTERS = 8 + MOST_ROWS * MOST_KV_HEADS


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
    names, arrays = _of_layers(model, (*LAYER_ARRAYS, *(NORM_ARRAYS if chosen.head_norms else ())))
    own = [_kept(L, capacity), _periods(model)]
    shape = 2, B, chosen.kv_heads, capacity, chosen.head_dim
    kv = [(f"kv_{at}", shape, mx.bfloat16) for at in range(chosen.layers)]
    given = ("offset", "periods", *names), [*own, *arrays]
    made = _launched(chosen, *given, x.reshape(B * L, width), meeting, layers, kv)
    return made[0].reshape(x.shape), made[-chosen.layers :]


def solve(
    chosen: Signature,
    model: Transformer,
    ends: tuple[nn.Linear, nn.Linear],
    turned: mx.array,
    base: mx.array,
    noise: mx.array,
    times: mx.array,
    step_sizes: mx.array,
    guidance: mx.array,
    meeting: mx.array,
    layers: int | None = None,
) -> mx.array:
    """Noise [B, frames, D] float32 -> what all Euler steps make of it.

    ends: products before and behind the stack; turned: see `short_attention.fused`; base [B * halves * new, W]: rows
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
    return _launched(chosen, *given, base, meeting, layers, written, step_sizes.shape[0])[-1]


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
    chosen: Signature,
    names: Sequence[str],
    arrays: list[mx.array],
    x: mx.array,
    meeting: mx.array,
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
        Kernel("resident", (read, "counters", "asked", *names), kinds, text_of(chosen), FUNCTIONS),
        [x, meeting, asked, *arrays],
        [*outputs, *((shape, dtype) for _, shape, dtype in written)],
        (chosen.limits.multiprocessors, 1, 1),
        (WARPS + 1) * SIMD_WIDTH,  # those that compute, and one that brings weights
        sizes_of(chosen),
        {"value_t": mx.bfloat16},
        chosen.limits.shared_bytes,
    )
