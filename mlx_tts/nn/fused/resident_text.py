"""The text of a stack in one launch, for its sizes: which phases follow each other, where weights wait for theirs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from mlx_tts.nn.fused import attention, rows_product, short_attention
from mlx_tts.nn.fused.gpu_source import SIMD_WIDTH, bits_of
from mlx_tts.nn.fused.resident_parts import ATTENTION_SIZES, BEGIN, CALL_FOR_COLUMNS, END, FUNCTIONS, MEET
from mlx_tts.nn.fused.resident_phases import MERGE, PRODUCT, PROMPT_ATTENTION
from mlx_tts.nn.fused.resident_stack import (
    GATE_BYTES,
    LAYER_ARRAYS,
    LEAST_POOL,
    MOST_ROWS,
    NORM_ARRAYS,
    OUTPUTS,
    PADDING,
    SUMS,
    TILE,
    WARPS,
    Signature,
)

TEXTS = (FUNCTIONS, BEGIN, ATTENTION_SIZES, MEET, PRODUCT, MERGE, CALL_FOR_COLUMNS, PROMPT_ATTENTION, END)


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
        together = min(mine, max(1, SUMS // (4 * chosen.tiles * self.parts)))
        shares = chosen.tiles * self.parts * 4 * WARPS * SIMD_WIDTH * 4
        all_fit = mine == together and together * shares <= self.fit * self.tile_bytes
        sizes: dict[str, int | str] = {
            "COLUMNS": self.columns,
            "WIDTH": self.width,
            "TILES": chosen.tiles,
            "PARTS": self.parts,
            "TILES_OF_ALL": self.tiles,
            "MINE": mine,
            "TOGETHER": together,
            "AT_ONCE": together if all_fit else 1,
            "ALL_FIT": int(all_fit),
            "FIT": self.fit,
            "BUFFER": self.buffer,
            "GATE": self.gate,
            "PARITY": f"{self.turn}u",
            "STEPS": self.columns // (rows_product.COLUMNS_A_STEP * WARPS),
            "NORMED": int(bool(self.norm)),
            "ADDED": int(bool(self.residual)),
            "EPSILON": bits_of(chosen.epsilon),
        }
        return _phase(head + "const int place = lane >> 2;\nconst int part = lane & 3;\n" + PRODUCT, sizes)


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
    if chosen.short or chosen.prompt:
        attending = 2 * (MOST_ROWS if chosen.prompt else chosen.new) * D * 4
    else:
        shared_by = chosen.heads // chosen.kv_heads
        attending = chosen.new * (shared_by + 2) * D * 4 + WARPS * chosen.new * shared_by * (D + 2) * 4
    return -(-max(sums, attending, LEAST_POOL) // 128) * 128 + 128


@lru_cache(maxsize=64)
def text_of(chosen: Signature) -> str:
    cached = not chosen.short and not chosen.prompt
    kinds = (*LAYER_ARRAYS, *(NORM_ARRAYS if chosen.head_norms else ()), *(() if chosen.short else ("kv",)))
    tables = "".join(_table(kind, chosen.layers, chosen.prompt and kind == "kv") for kind in kinds)
    qkv, o, gate_up, down = _products_of(chosen)
    follows = "if (layer + 1 < layers) "
    if chosen.prompt:
        attend = _prompt_attention(chosen)
    else:
        attend = _short_attention(chosen) if chosen.short else _cached_attention(chosen)
    phases = [
        (CALL_FOR_COLUMNS if cached else "") + qkv.text(chosen) + gate_up.staged("layer"),
        attend,
        o.text(chosen) + down.staged("layer"),
        gate_up.text(chosen) + follows + qkv.staged("layer + 1"),
        down.text(chosen) + follows + o.staged("layer + 1"),
    ]
    loop = "for (int layer = 0; layer < layers; layer++) {\n" + MEET.join(phases)
    loop += follows + "{" + MEET + "}\n}\n"
    begun = qkv.staged("0") + o.staged("0") + _call_for_gains(chosen)
    return BEGIN + tables + (ATTENTION_SIZES if cached else "") + begun + loop + END


def _call_for_gains(chosen: Signature) -> str:
    gains = "".join(f"call_for({norm}[layer], {2 * chosen.width});\n" for norm in ("norm_in", "norm_mid"))
    return "for (int layer = block; tid == 0 && layer < layers; layer += blocks) {\n" + gains + "}\n"


def _table(kind: str, layers: int, written: bool) -> str:
    entries = ", ".join(f"{kind}_{at}" for at in range(layers))
    const = "" if written else "const "
    return f"{const}DEVICE bfloat_t* const {kind}[{layers}] = {{{entries}}};\n"


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
        {MERGE if chosen.parts else ""}
        BARRIER();
      }}
    """
    return _phase(text, sizes)


def _prompt_attention(chosen: Signature) -> str:
    sizes: dict[str, int | str] = {
        "HALF": chosen.head_dim // 2,
        "PAIRS": chosen.head_dim // 2 // SIMD_WIDTH,
        "SHARED_BY": chosen.heads // chosen.kv_heads,
        "EPSILON": bits_of(chosen.epsilon),
        "SCALE": bits_of(chosen.scale),
    }
    return _phase(PROMPT_ATTENTION, sizes)


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
