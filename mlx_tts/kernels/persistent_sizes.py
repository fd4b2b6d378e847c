"""What makes one persistent kernel differ from another, and the ring through which its weights come.

Weights come to shared memory through a ring of slots that never waits for a phase. A group's weights come in one order
through all layers, and none of them depends on what is computed. They are cut into chunks, a tile of outputs times a
slice of the columns. One warp more than those that compute only fetches the next chunk once a slot is free. So the
memory goes on working while groups attend and wait at the grid barrier.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import ClassVar

from mlx_tts.kernels import products
from mlx_tts.kernels.attention import PART_COLUMNS
from mlx_tts.kernels.core.source import SIMD_WIDTH
from mlx_tts.kernels.products import OUTPUTS, TILE
from mlx_tts.runtime.device import CudaLimits

WARPS = 8  # of a group: one group stays on each multiprocessor
ROWS = 8  # that are left out or not: half a tile
FEW_COLUMNS, MANY_COLUMNS = 64, PART_COLUMNS  # of a cache, that one group reads
PADDING = 64  # bytes behind a row of weights in shared memory, so that eight rows lie in different banks
SUMS = 80  # numbers of a product that a thread adds up at once
STEP_COLUMNS = WARPS * products.COLUMNS_A_STEP  # of all warps
STEPS_A_SLICE = 8  # of the columns that a thread holds of 16 rows at once
LEAST_POOL = 32_768  # bytes of shared memory for what the warps of a group say of a product
STUCK = 1 << 23  # readings of the counter, seconds: then something else holds a multiprocessor for ever
GATE_BYTES, MOST_SLOTS = 1024, 64  # the first of shared memory: two gates for each slot

MOST_ROWS, MOST_KV_HEADS = 64, 16
LAYER_ARRAYS = ("norm_in", "qkv_w", "o_w", "norm_mid", "gate_up_w", "down_w")
NORM_ARRAYS = ("q_norm", "k_norm")
STEP_ARRAYS = ("heads", "tables")


@dataclass(frozen=True)
class Solver:
    """A diffusion around a stack of short rows, all its Euler steps in one launch. frames: positions at the end of a
    row that are solved, numbers: of a frame; time_row: where the time is added; guided: whether each second row has no
    condition and shows what the first is compared with; tiny: added to a length that is divided by."""

    frames: int
    numbers: int
    time_row: int
    guided: bool
    tiny: float


@dataclass(frozen=True)
class LaterCodes:
    """The codes of a frame from `slot` on, sampled in one launch around a stack of one new position.

    ids: how many a code has to choose from. codes: how many a frame has. noise_at: where the noise of the first one
    begins in a row of noise, which is noise_width long. greedy: there is no noise.
    """

    ids: int
    codes: int
    slot: int
    noise_at: int
    noise_width: int
    greedy: bool

    @property
    def steps(self) -> int:
        return self.codes - self.slot


@dataclass(frozen=True)
class StackKernel:
    """All that makes one compiled stack differ from another. new: positions a row; of a short row, all it has."""

    kind: ClassVar[str] = "resident_stack"  # as stored results have it

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
    later: LaterCodes | None = None

    @property
    def tiles(self) -> int:
        return -(-self.eights // 2)

    @property
    def cached(self) -> bool:
        return not self.short and not self.prompt

    @property
    def split(self) -> int:
        """Groups of threads among which the queries of a key's head are divided, so that each has two of a position."""
        shared_by = self.heads // self.kv_heads
        return shared_by // 2 if shared_by > 2 and shared_by % 2 == 0 and self.heads // 2 <= MOST_KV_HEADS else 1

    @property
    def table_bytes(self) -> int:
        """Of shared memory, for where the arrays of all layers begin."""
        of_steps = 2 * self.later.steps if self.later else 0
        return whole_lines(8 * (self.layers * (len(LAYER_ARRAYS) + len(NORM_ARRAYS) + 1) + of_steps))

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


@dataclass(frozen=True)
class RingProduct:
    """A product of every layer, or the one behind them. x, residual, bias, out: what is read and written; norm: of the
    gains before it; place: which of its weights; together: tiles of a group that it adds up at once, in so many passes;
    slice: columns of a chunk."""

    weights: str
    columns: int
    width: int
    x: str
    out: str
    norm: str = ""
    residual: str = ""
    bias: str = ""
    gated: bool = False
    place: str = "[layer]"
    slice: int = 0
    together: int = 1
    passes: int = 1

    @property
    def parts(self) -> int:
        return 2 if self.gated else 1

    @property
    def tiles(self) -> int:
        return -(-self.width // OUTPUTS)

    @property
    def pitch(self) -> int:
        """Bytes from row to row of a chunk: whole rows come in one copy, as they lie; others may avoid each other's
        banks."""
        return 2 * self.slice + (PADDING if self.slice < self.columns else 0)

    def share_bytes(self, chosen: StackKernel) -> int:
        """What all warps of a group have to say of one tile."""
        return chosen.eights * self.parts * 2 * WARPS * SIMD_WIDTH * 4


@dataclass(frozen=True)
class Ring:
    """The products of a layer and behind the last one, and where their chunks lie: behind the pool, of which `begin`
    holds what stays there."""

    products: tuple[RingProduct, ...]
    behind: tuple[RingProduct, ...]
    pool: int
    begin: int
    slots: int
    slot_bytes: int


@lru_cache(maxsize=64)
def ring_of(chosen: StackKernel) -> Ring:
    first = "entered" if chosen.later is None else "step == 0 ? entered : fed"
    q_width, came = chosen.heads * chosen.head_dim, f"layer > 0 ? out : {first}"
    heads_width = q_width + 2 * chosen.kv_heads * chosen.head_dim
    wanted = [
        RingProduct("qkv_w", chosen.width, heads_width, came, "qkv", norm="norm_in"),
        RingProduct("o_w", q_width, chosen.width, "attended", "middle", residual=came),
        RingProduct("gate_up_w", chosen.width, chosen.inner, "middle", "wide", norm="norm_mid", gated=True),
        RingProduct("down_w", chosen.inner, chosen.width, "wide", "out", residual="middle"),
    ]
    if chosen.solver is not None:
        sizes = chosen.width, chosen.solver.numbers
        wanted.append(RingProduct("out_w", *sizes, "out", "velocity", norm="norm_out", bias="out_b", place=""))
    if chosen.later is not None:
        sizes = chosen.width, chosen.later.ids
        wanted.append(RingProduct("heads", *sizes, "out", "logits", norm="norm_out", place="[step]"))
    made = []
    for product in wanted:
        mine = -(-product.tiles // chosen.limits.multiprocessors)
        passes = -(-mine // max(1, SUMS // (4 * chosen.tiles * product.parts)))
        # A thread holds its rows of a slice; slices of one size fill the slots.
        most = min(STEPS_A_SLICE // chosen.tiles, chosen.width // STEP_COLUMNS)
        steps = max(count for count in range(1, max(1, most) + 1) if product.columns % (count * STEP_COLUMNS) == 0)
        made.append(replace(product, slice=steps * STEP_COLUMNS, together=-(-mine // passes), passes=passes))
    slot_bytes = whole_lines(max(OUTPUTS * product.pitch for product in made))
    pool = _pool_bytes(chosen, made)
    begin = pool + chosen.kept_bytes
    slots = min((chosen.limits.shared_bytes - GATE_BYTES - begin) // slot_bytes, MOST_SLOTS)
    return Ring(tuple(made[:4]), tuple(made[4:]), pool, begin, slots, slot_bytes)


def _pool_bytes(chosen: StackKernel, products: list[RingProduct]) -> int:
    """What a phase works with: shares of sums, or vectors of an attention."""
    D = chosen.head_dim
    lengths = WARPS * chosen.tiles * TILE * 4
    if chosen.short or chosen.prompt:
        attending = 2 * (MOST_ROWS if chosen.prompt else chosen.new) * D * 4
    else:
        shared_by = chosen.heads // chosen.kv_heads // chosen.split
        attending = chosen.new * (shared_by + 2) * D * 4 + WARPS * chosen.new * shared_by * (D + 2) * 4
    sums = max(product.share_bytes(chosen) for product in products)
    return whole_lines(max(sums + lengths, attending, LEAST_POOL + lengths)) + 128


def at_once(product: RingProduct, chosen: StackKernel, ring: Ring) -> int:
    """How many of the tiles that are added up together also find room for what the warps say of them."""
    room = (ring.pool - 128 - WARPS * chosen.tiles * TILE * 4) // product.share_bytes(chosen)
    return max(count for count in range(1, product.together + 1) if product.together % count == 0 and count <= room)
