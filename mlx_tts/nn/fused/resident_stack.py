"""What makes one stack in one launch differ from another, and the numbers that all its texts know."""

from __future__ import annotations

from dataclasses import dataclass

from mlx_tts.nn.fused import attention, rows_product
from mlx_tts.nn.fused.gpu_source import SIMD_WIDTH
from mlx_tts.runtime.device import CudaLimits

WARPS = 8  # of a group: one group stays on each multiprocessor
TILE, OUTPUTS = rows_product.TILE, rows_product.OUTPUTS  # rows and outputs of a product's smallest part
FEW_COLUMNS, MANY_COLUMNS = 64, attention.PART_COLUMNS  # of a cache, that one group reads
PADDING = 64  # bytes behind a row of weights in shared memory, so that eight rows lie in different banks
SUMS = 96  # numbers of a product that a thread adds up at once
LEAST_POOL = 20_480  # bytes of shared memory for what a phase works with
STUCK = 1 << 23  # readings of the counter, seconds: then something else holds a multiprocessor for ever
GATE_BYTES = 128  # the first of shared memory

MOST_ROWS = 64
LAYER_ARRAYS = ("norm_in", "qkv_w", "o_w", "norm_mid", "gate_up_w", "down_w")
NORM_ARRAYS = ("q_norm", "k_norm")


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
    prompt: bool  # all positions are there, none sees those behind it, and they are cached
    parts: bool  # the cache is read in parts
    head_norms: bool
    epsilon: float
    scale: float
    limits: CudaLimits


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
        "PROMPT": int(chosen.prompt),
        "HEAD_DIM": chosen.head_dim,
        "KV_HEADS": chosen.kv_heads,
        "FEW_COLUMNS": FEW_COLUMNS,
        "MANY_COLUMNS": MANY_COLUMNS,
        "IN_PARTS": int(chosen.parts),
    }
    return sizes if chosen.short else sizes | {"CACHED": 1, "MOST_PROMPT": MOST_ROWS}
