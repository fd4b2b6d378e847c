"""The text of a stack in one launch, for its sizes: which phases follow each other."""

from __future__ import annotations

from functools import lru_cache

from mlx_tts.nn.fused import attention, short_attention
from mlx_tts.nn.fused.gpu_source import SIMD_WIDTH, bits_of
from mlx_tts.nn.fused.resident_attention import MERGE, PROMPT_ATTENTION
from mlx_tts.nn.fused.resident_parts import (
    ATTENTION_SIZES,
    BEGIN,
    BEGUN,
    CALL_FOR_COLUMNS,
    END,
    FUNCTIONS,
    MEET,
    NUMBERS_SAID,
    TURNS,
)
from mlx_tts.nn.fused.resident_product import PRODUCT
from mlx_tts.nn.fused.resident_solver import ENTER, EULER, SOLVED
from mlx_tts.nn.fused.resident_stack import LAYER_ARRAYS, NORM_ARRAYS, STEP_COLUMNS, Signature, Solver
from mlx_tts.nn.fused.resident_weights import Product, Ring, at_once, bringing, ring_of

PARTS = (FUNCTIONS, BEGIN, NUMBERS_SAID, TURNS, BEGUN, ATTENTION_SIZES, MEET, CALL_FOR_COLUMNS, END)
TEXTS = (*PARTS, PRODUCT, MERGE, PROMPT_ATTENTION, ENTER, EULER, SOLVED)


def _product(product: Product, chosen: Signature, ring: Ring, place: str = "[layer]") -> str:
    head = f"const DEVICE bfloat_t* w = {product.weights}{place};\n(void)w;\n"
    head += f"const DEVICE bfloat_t* x = {product.x};\nDEVICE bfloat_t* to = {product.out};\n"
    head += f"const DEVICE bfloat_t* norm = {product.norm}{place};\n" if product.norm else ""
    head += f"const DEVICE bfloat_t* residual = {product.residual};\n" if product.residual else ""
    head += f"const DEVICE bfloat_t* bias = {product.bias};\n" if product.bias else ""
    sizes: dict[str, int | str] = {
        "COLUMNS": product.columns,
        "WIDTH": product.width,
        "TILES": chosen.tiles,
        "EIGHTS": chosen.eights,
        "AHEAD": int(chosen.eights <= 4),
        "PARTS": product.parts,
        "TILES_OF_ALL": product.tiles,
        "PASSES": product.passes,
        "TOGETHER": product.together,
        "AT_ONCE": at_once(product, chosen, ring),
        "SLICE": product.slice,
        "STEPS": product.slice // STEP_COLUMNS,
        "SLOTS": ring.slots,
        "SLOT_BYTES": ring.slot_bytes,
        "PITCH": product.pitch,
        "NORMED": int(bool(product.norm)),
        "ADDED": int(bool(product.residual)),
        "BIASED": int(bool(product.bias)),
        "EPSILON": bits_of(chosen.epsilon),
    }
    return _phase(head + "const int place = lane >> 2;\nconst int part = lane & 3;\n" + PRODUCT, sizes)


@lru_cache(maxsize=64)
def text_of(chosen: Signature) -> str:
    cached, ring = chosen.cached, ring_of(chosen)
    kinds = (*LAYER_ARRAYS, *(NORM_ARRAYS if chosen.head_norms else ()), *(() if chosen.short else ("kv",)))
    tables = "".join(_table(kind, at, chosen, ring) for at, kind in enumerate(kinds))
    qkv, o, gate_up, down = (_product(product, chosen, ring) for product in ring.products)
    follows = "if (layer + 1 < layers) "
    if chosen.prompt:
        attend = _prompt_attention(chosen)
    else:
        attend = _short_attention(chosen) if chosen.short else _cached_attention(chosen)
    phases = [(CALL_FOR_COLUMNS if cached else "") + qkv, attend, o, gate_up, down]
    loop = "for (int layer = 0; layer < layers; layer++) {\n" + MEET.join(phases)
    loop += follows + "{" + MEET + "}\n}\n"
    begin = BEGIN
    if chosen.solver is not None:
        begin = BEGIN.replace("entered_shape", "base_shape")
        behind = [_product(product, chosen, ring, "") for product in ring.behind]
        loop = _solved(chosen, chosen.solver, ring, [loop, *behind])
    turns = f"#define TURNS_AT {ring.pool + chosen.table_bytes}\n{TURNS}" if cached else ""
    begin += tables + NUMBERS_SAID + turns + BEGUN + (ATTENTION_SIZES if cached else "")
    return begin + bringing(ring) + _call_for_gains(chosen) + loop + END


def _solved(chosen: Signature, solver: Solver, ring: Ring, phases: list[str]) -> str:
    """The Euler steps around a stack."""
    sizes: dict[str, int | str] = {
        "LENGTH": chosen.new,
        "FRAMES": solver.frames,
        "NUMBERS": solver.numbers,
        "WIDTH": chosen.width,
        "TIME_ROW": solver.time_row,
        "HALVES": 2 if solver.guided else 1,
        "TINY": bits_of(solver.tiny),
        "STATE": ring.pool + chosen.table_bytes,
    }
    step = _phase(EULER, sizes) + "if (step == steps) break;\n" + _phase(ENTER, sizes) + MEET
    return "for (int step = 0;; step++) {\n" + step + MEET.join([*phases, ""]) + "}\n" + _phase(SOLVED, sizes)


def _call_for_gains(chosen: Signature) -> str:
    sizes = {"norm_in": chosen.width, "norm_mid": chosen.width}
    sizes |= dict.fromkeys(NORM_ARRAYS, chosen.head_dim) if chosen.head_norms else {}
    gains = "".join(f"call_for({norm}[layer], {2 * size});\n" for norm, size in sizes.items())
    return "for (int layer = block; tid == 0 && layer < layers; layer += blocks) {\n" + gains + "}\n"


def _table(kind: str, at: int, chosen: Signature, ring: Ring) -> str:
    """In shared memory: a thread's own memory is read anew behind each meeting."""
    kept = ("" if chosen.prompt and kind == "kv" else "const ") + "DEVICE bfloat_t* THREAD*"
    entries = "".join(f"{kind}[{layer}] = {kind}_{layer};\n" for layer in range(chosen.layers))
    place = ring.pool + 8 * at * chosen.layers
    return f"{kept} {kind} = ({kept})(pool + {place});\nif (tid == {32 * at + 1}) {{\n{entries}}}\n"


def _phase(text: str, sizes: dict[str, int | str]) -> str:
    """A part of the text with sizes of its own."""
    defined = "".join(f"#define {name} {value}\n" for name, value in sizes.items())
    return "{\n" + defined + text + "".join(f"#undef {name}\n" for name in sizes) + "}\n"


def _cached_attention(chosen: Signature) -> str:
    shared_by = chosen.heads // chosen.kv_heads // chosen.split
    sizes: dict[str, int | str] = {
        "HALF": chosen.head_dim // 2,
        "PAIRS": -(-(chosen.head_dim // 2) // SIMD_WIDTH),
        "SHARED_BY": shared_by,
        "SPLIT": chosen.split,
        "TURNED": 1,
        "QUERIES": chosen.new * shared_by,
        "LANES": chosen.head_dim // attention.LANE_NUMBERS,
        "AHEAD": 4 if chosen.new * shared_by <= 2 else 2 if chosen.new * shared_by <= 4 else 1,  # 168 registers
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
      for (int item = block; item < parts_used * KV_HEADS * SPLIT * batch; item += blocks) {{
        const int group_x = item % parts_used;
        const int group_y = item / parts_used % (KV_HEADS * SPLIT);
        const int group_z = item / (parts_used * KV_HEADS * SPLIT);
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
        "HEAD_NORMS": int(chosen.head_norms),
        "Q_GAINS": "q_norm[layer]" if chosen.head_norms else "(const DEVICE bfloat_t*)0",
        "K_GAINS": "k_norm[layer]" if chosen.head_norms else "(const DEVICE bfloat_t*)0",
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
