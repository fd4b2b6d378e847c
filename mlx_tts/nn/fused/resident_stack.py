"""What makes one stack in one launch differ from another, and the numbers that all its texts know."""

from __future__ import annotations

from dataclasses import dataclass

from mlx_tts.nn.fused import attention, rows_product
from mlx_tts.nn.fused.gpu_source import SIMD_WIDTH
from mlx_tts.runtime.device import CudaLimits

WARPS = 8  # of a group: one group stays on each multiprocessor
TILE, OUTPUTS = rows_product.TILE, rows_product.OUTPUTS  # rows and outputs of a product's smallest part
ROWS = 8  # that are left out or not: half a tile
FEW_COLUMNS, MANY_COLUMNS = 64, attention.PART_COLUMNS  # of a cache, that one group reads
PADDING = 64  # bytes behind a row of weights in shared memory, so that eight rows lie in different banks
SUMS = 80  # numbers of a product that a thread adds up at once
STEP_COLUMNS = WARPS * rows_product.COLUMNS_A_STEP  # of all warps
STEPS_A_SLICE = 8  # of the columns that a thread holds of 16 rows at once
LEAST_POOL = 32_768  # bytes of shared memory for what the warps of a group say of a product
STUCK = 1 << 23  # readings of the counter, seconds: then something else holds a multiprocessor for ever
GATE_BYTES, MOST_SLOTS = 1024, 64  # the first of shared memory: two gates for each slot

MOST_ROWS, MOST_KV_HEADS = 64, 16
LAYER_ARRAYS = ("norm_in", "qkv_w", "o_w", "norm_mid", "gate_up_w", "down_w")
NORM_ARRAYS = ("q_norm", "k_norm")


@dataclass(frozen=True)
class Solver:
    """A diffusion around a stack of short rows, all its Euler steps in one launch. frames: positions at the end of a
    row that are solved, numbers: of a frame; time_row: where the time is added; guided: whether each second row has no
    condition and shows what the first is compared with; tiny: beside a length that is divided by."""

    frames: int
    numbers: int
    time_row: int
    guided: bool
    tiny: float


@dataclass(frozen=True)
class Signature:
    """All that makes one compiled stack differ from another. new: positions a row; of a short row, all it has."""

    layers: int
    width: int
    inner: int
    heads: int
    kv_heads: int
    head_dim: int
    eights: int  # of rows, two of which are a tile
    new: int
    short: bool  # all positions are there: nothing is cached
    prompt: bool  # all positions are there, none sees those behind it, and they are cached
    parts: bool  # the cache is read in parts
    head_norms: bool
    epsilon: float
    scale: float
    limits: CudaLimits
    solver: Solver | None = None

    @property
    def tiles(self) -> int:
        return -(-self.eights // 2)

    @property
    def cached(self) -> bool:
        return not self.short and not self.prompt

    @property
    def split(self) -> int:
        """Groups of threads among which the queries of a key's head are parted, so that each has two of a position."""
        shared_by = self.heads // self.kv_heads
        return shared_by // 2 if shared_by > 2 and shared_by % 2 == 0 and self.heads // 2 <= MOST_KV_HEADS else 1

    @property
    def table_bytes(self) -> int:
        """Of shared memory, for where the arrays of all layers begin."""
        return whole_lines(8 * self.layers * (len(LAYER_ARRAYS) + len(NORM_ARRAYS) + 1))

    @property
    def state_bytes(self) -> int:
        """Of shared memory, for all that is solved, or for the cosines and sines of all positions."""
        if self.solver is None:
            return whole_lines(4 * self.tiles * TILE * self.head_dim) if self.cached else 0
        rows = self.tiles * TILE // (self.new * (2 if self.solver.guided else 1))
        return whole_lines(4 * rows * self.solver.frames * self.solver.numbers)

    @property
    def kept_bytes(self) -> int:
        """Of shared memory, for what stays through all layers, behind what a phase works with."""
        return self.table_bytes + self.state_bytes


def whole_lines(count: int) -> int:
    """Bytes of whole lines of memory that hold so many."""
    return -(-count // 128) * 128


def sizes_of(chosen: Signature) -> dict[str, int | str]:
    """The macros of all phases."""
    sizes: dict[str, int | str] = {
        "WARPS": WARPS,
        "THREADS": WARPS * SIMD_WIDTH,
        "PADDING": PADDING,
        "GATE_BYTES": GATE_BYTES,
        "MOST_SLOTS": MOST_SLOTS,
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
