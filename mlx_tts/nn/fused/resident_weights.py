"""How the weights of a stack in one launch come to shared memory: a ring of slots that never waits for a phase.

A group's weights come in one order through all layers, and none of them depends on what is computed. They are cut into
chunks, a tile of outputs times a slice of the columns. One warp more than those that compute does nothing but call for
the next chunk once a slot is free. So the memory works on while groups attend and meet.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from mlx_tts.nn.fused.gpu_source import SIMD_WIDTH
from mlx_tts.nn.fused.resident_stack import (
    GATE_BYTES,
    LEAST_POOL,
    MOST_ROWS,
    MOST_SLOTS,
    OUTPUTS,
    PADDING,
    STEP_COLUMNS,
    STEPS_A_SLICE,
    SUMS,
    TILE,
    WARPS,
    Signature,
    whole_lines,
)


@dataclass(frozen=True)
class Product:
    """A product of every layer, or the one behind them. x, residual, bias, out: what is read and written; norm: of the
    gains before it; together: tiles of a group that it adds up at once, in so many passes; slice: columns of a chunk.
    """

    weights: str
    columns: int
    width: int
    x: str
    out: str
    norm: str = ""
    residual: str = ""
    bias: str = ""
    gated: bool = False
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

    def share_bytes(self, chosen: Signature) -> int:
        """What all warps of a group have to say of one tile."""
        return chosen.eights * self.parts * 2 * WARPS * SIMD_WIDTH * 4


@dataclass(frozen=True)
class Ring:
    """The products of a layer and behind the last one, and where their chunks lie: behind the pool, of which `begin`
    holds what stays there."""

    products: tuple[Product, ...]
    behind: tuple[Product, ...]
    pool: int
    begin: int
    slots: int
    slot_bytes: int


@lru_cache(maxsize=64)
def ring_of(chosen: Signature) -> Ring:
    q_width, came = chosen.heads * chosen.head_dim, "layer == 0 ? entered : out"
    heads_width = q_width + 2 * chosen.kv_heads * chosen.head_dim
    wanted = [
        Product("qkv_w", chosen.width, heads_width, came, "qkv", norm="norm_in"),
        Product("o_w", q_width, chosen.width, "attended", "middle", residual=came),
        Product("gate_up_w", chosen.width, chosen.inner, "middle", "wide", norm="norm_mid", gated=True),
        Product("down_w", chosen.inner, chosen.width, "wide", "out", residual="middle"),
    ]
    if chosen.solver is not None:
        last = Product("out_w", chosen.width, chosen.solver.numbers, "out", "velocity", norm="norm_out", bias="out_b")
        wanted.append(last)
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


def _pool_bytes(chosen: Signature, products: list[Product]) -> int:
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


def at_once(product: Product, chosen: Signature, ring: Ring) -> int:
    """How many of the tiles that are added up together also find room for what the warps say of them."""
    room = (ring.pool - 128 - WARPS * chosen.tiles * TILE * 4) // product.share_bytes(chosen)
    return max(count for count in range(1, product.together + 1) if product.together % count == 0 and count <= room)


def bringing(ring: Ring) -> str:
    """The text of the warp that brings the weights of all layers, and where those that compute begin."""
    of_layer, behind = (
        "".join(_call(product, ring, place) for product in products)
        for products, place in ((ring.products, "[layer]"), (ring.behind, ""))
    )
    text = f"for (int layer = 0; layer < layers; layer++) {{\n{of_layer}}}\n"
    if ring.behind:
        text = f"for (int step = 0; step < steps; step++) {{\n{text}{behind}}}\n"
    return f"""
    THREAD char* slots = pool + {ring.begin};
    int slot = 0;
    uint32_t parity = 0u;
    if (warp == WARPS) {{
#if RINGED
      parity = 1u;
      {text}
#endif
      return;
    }}
    """


def _call(product: Product, ring: Ring, place: str) -> str:
    sizes = (product.columns, product.parts, product.width, product.tiles, product.passes, product.together)
    numbers = ", ".join(str(size) for size in (*sizes, product.slice, ring.slots, ring.slot_bytes))
    return f"bring<{numbers}>({product.weights}{place}, slots, gates, slot, parity, block, blocks, lane);\n"
