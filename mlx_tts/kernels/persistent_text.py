"""A persistent kernel's sizes in, its text out: its phases, and the warp that brings its weights."""

from __future__ import annotations

from functools import lru_cache

from mlx_tts.kernels.attention import LANE_NUMBERS
from mlx_tts.kernels.core.source import SIMD_WIDTH, bits_of, text_of
from mlx_tts.kernels.persistent_sizes import (
    FEW_COLUMNS,
    GATE_BYTES,
    LAYER_ARRAYS,
    MANY_COLUMNS,
    MOST_ROWS,
    MOST_SLOTS,
    NORM_ARRAYS,
    PADDING,
    STEP_ARRAYS,
    STEP_COLUMNS,
    STUCK,
    WARPS,
    LaterCodes,
    Ring,
    RingProduct,
    Solver,
    StackKernel,
    at_once,
    ring_of,
)


def sizes_of(chosen: StackKernel) -> dict[str, int | str]:
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


def bringing(ring: Ring) -> str:
    """The text of the warp that brings the weights of all layers, and where those that compute begin."""
    of_layer, behind = ("".join(_call(product, ring) for product in own) for own in (ring.products, ring.behind))
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


def _call(product: RingProduct, ring: Ring) -> str:
    sizes = (product.columns, product.parts, product.width, product.tiles, product.passes, product.together)
    numbers = ", ".join(str(size) for size in (*sizes, product.slice, ring.slots, ring.slot_bytes))
    return f"bring<{numbers}>({product.weights}{product.place}, slots, gates, slot, parity, block, blocks, lane);\n"


def _product(product: RingProduct, chosen: StackKernel, ring: Ring) -> str:
    head = f"const DEVICE bfloat_t* w = {product.weights}{product.place};\n(void)w;\n"
    head += f"const DEVICE bfloat_t* x = {product.x};\nDEVICE bfloat_t* to = {product.out};\n"
    of_norm = "[layer]" if product.place == "[layer]" else ""
    head += f"const DEVICE bfloat_t* norm = {product.norm}{of_norm};\n" if product.norm else ""
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
    return _phase(
        head + "const int place = lane >> 2;\nconst int part = lane & 3;\n" + text_of("persistent", "product"), sizes
    )


@lru_cache(maxsize=64)
def stack_text(chosen: StackKernel) -> str:
    cached, ring = chosen.cached, ring_of(chosen)
    kinds = (*LAYER_ARRAYS, *(NORM_ARRAYS if chosen.head_norms else ()), *(() if chosen.short else ("kv",)))
    tables, place = "", ring.pool
    for at, kind in enumerate(kinds):
        tables += _table(kind, chosen.layers, place, 32 * at + 1, "" if chosen.prompt and kind == "kv" else "const ")
        place += 8 * chosen.layers
    qkv, o, gate_up, down = (_product(product, chosen, ring) for product in ring.products)
    follows, barrier = "if (layer + 1 < layers) ", text_of("persistent", "grid_barrier")
    if chosen.prompt:
        attend = _prompt_attention(chosen)
    else:
        attend = _short_attention(chosen) if chosen.short else _cached_attention(chosen)
    phases = [(text_of("persistent", "prefetch_columns") if cached else "") + qkv, attend, o, gate_up, down]
    loop = "for (int layer = 0; layer < layers; layer++) {\n" + barrier.join(phases)
    loop += follows + "{" + barrier + "}\n}\n"
    begin = text_of("persistent", "begin")
    if chosen.solver is not None:
        begin = begin.replace("entered_shape", "base_shape")
        behind = [_product(product, chosen, ring) for product in ring.behind]
        loop = _solved(chosen, chosen.solver, ring, [loop, *behind])
    turns = ""
    if cached:
        turns = f"THREAD float* turns = (THREAD float*)(pool + {ring.pool + chosen.table_bytes});\n"
    if chosen.later is not None:
        for at, kind in enumerate(STEP_ARRAYS):
            tables += _table(kind, chosen.later.steps, place + 8 * at * chosen.later.steps, 32 * at + 2, "const ")
        loop = _sampled(chosen, chosen.later, ring, loop)
    elif cached:
        turns += _turns("THREADS + 32")
    begin += tables + text_of("persistent", "numbers_read") + turns + text_of("persistent", "begun")
    begin += text_of("persistent", "attention_sizes") if cached else ""
    return begin + bringing(ring) + _call_for_gains(chosen) + loop + text_of("persistent", "end")


def _solved(chosen: StackKernel, solver: Solver, ring: Ring, phases: list[str]) -> str:
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
    barrier = text_of("persistent", "grid_barrier")
    euler, enter, solved = (_phase(text_of("persistent_solver", part), sizes) for part in ("euler", "enter", "solved"))
    step = euler + "if (step == steps) break;\n" + enter + barrier
    return "for (int step = 0;; step++) {\n" + step + barrier.join([*phases, ""]) + "}\n" + solved


def _sampled(chosen: StackKernel, later: LaterCodes, ring: Ring, layers: str) -> str:
    """The codes around a stack."""
    sizes: dict[str, int | str] = {
        "IDS": later.ids,
        "CODES": later.codes,
        "DIM": chosen.width,
        "SLOT": later.slot,
        "NOISE_AT": later.noise_at,
        "NOISE_WIDTH": later.noise_width,
        "GREEDY": int(later.greedy),
        "FIRST": 0,
        "EACH": -(-later.ids // (WARPS * SIMD_WIDTH)),
    }
    barrier, (head,) = text_of("persistent", "grid_barrier"), ring.behind
    step = "const int columns_before = first_column + step;\n" + _turns("THREADS") + "BARRIER();\n"
    sample = _phase(text_of("persistent_frame", "sample"), sizes)
    step += barrier.join([layers, _product(head, chosen, ring), sample])
    step += "if (step + 1 < steps) {\n" + barrier + "}\n"
    begin = "const int first_column = columns_before;\n"
    return begin + "for (int step = 0; step < steps; step++) {\n" + step + "}\n"


def _turns(threads: str) -> str:
    return _phase(text_of("persistent", "turns"), {"TURNERS": f"({threads})"})


def _call_for_gains(chosen: StackKernel) -> str:
    sizes = {"norm_in": chosen.width, "norm_mid": chosen.width}
    sizes |= dict.fromkeys(NORM_ARRAYS, chosen.head_dim) if chosen.head_norms else {}
    gains = "".join(f"call_for({norm}[layer], {2 * size});\n" for norm, size in sizes.items())
    return "for (int layer = block; tid == 0 && layer < layers; layer += blocks) {\n" + gains + "}\n"


def _table(kind: str, count: int, place: int, thread: int, const: str) -> str:
    """In shared memory: a thread's own memory is read again behind each grid barrier."""
    kept = f"{const}DEVICE bfloat_t* THREAD*"
    entries = "".join(f"{kind}[{at}] = {kind}_{at};\n" for at in range(count))
    return f"{kept} {kind} = ({kept})(pool + {place});\nif (tid == {thread}) {{\n{entries}}}\n"


def _phase(text: str, sizes: dict[str, int | str]) -> str:
    """A part of the text with sizes of its own."""
    defined = "".join(f"#define {name} {value}\n" for name, value in sizes.items())
    return "{\n" + defined + text + "".join(f"#undef {name}\n" for name in sizes) + "}\n"


def _cached_attention(chosen: StackKernel) -> str:
    shared_by = chosen.heads // chosen.kv_heads // chosen.split
    sizes: dict[str, int | str] = {
        "HALF": chosen.head_dim // 2,
        "PAIRS": -(-(chosen.head_dim // 2) // SIMD_WIDTH),
        "SHARED_BY": shared_by,
        "SPLIT": chosen.split,
        "TURNED": 1,
        "QUERIES": chosen.new * shared_by,
        "LANES": chosen.head_dim // LANE_NUMBERS,
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
          {text_of("attention", "body")}
        }}
        {text_of("persistent_attention", "merge") if chosen.parts else ""}
        BARRIER();
      }}
    """
    return _phase(text, sizes)


def _prompt_attention(chosen: StackKernel) -> str:
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
    return _phase(text_of("persistent_attention", "prefill"), sizes)


def _short_attention(chosen: StackKernel) -> str:
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
        {text_of("short_attention", "body")}
        BARRIER();
      }}
    """
    return _phase(text, sizes)
