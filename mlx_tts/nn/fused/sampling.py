"""Logits and noise in, sampled ids and their embeddings out: penalty, mask, temperature, top-k and draw in one.

The draw is exact without sorting: take the largest of logits + noise; if fewer than k logits are larger than its own,
it is among the k largest and so the answer. If not, neither it nor any smaller one is, so look again among the larger.
"""

from __future__ import annotations

from dataclasses import dataclass

import mlx.core as mx

from mlx_tts.nn.fused.gpu_source import SIMD_WIDTH, Kernel, launch

WARPS = 8

_BODY = """
    const int row = group_x;
    const DEVICE float* own = settings + row * 8 + (FIRST ? 0 : 4);  // inverse temperature, k, penalty, noisy
    (void)own;
    float values[EACH];
    float chances[EACH];
    UNROLL for (int e = 0; e < EACH; e++) {
      const int i = e * (WARPS * 32) + tid;
      values[e] = NEGATIVE_INFINITY;
      chances[e] = NEGATIVE_INFINITY;
      if (i < IDS) {
        float value = (float)logits[row * IDS + i];
#if FIRST
        const float penalty = own[2];
        if (used[row * IDS + i]) value = value < 0.0f ? value * penalty : value / penalty;
        value += forbidden[i];
#endif
#if GREEDY
        values[e] = value;
        chances[e] = value;
#else
        values[e] = value * own[0];
        chances[e] = own[3] > 0.0f ? values[e] + noise[row * NOISE_WIDTH + place[1] + i] : values[e];
#endif
      }
    }
    SHARED(float, best_chances, WARPS);
    SHARED(float, best_values, WARPS);
    SHARED(int, best_ids, WARPS);
    SHARED(float, counts, WARPS);
    float floor_value = NEGATIVE_INFINITY;
    int chosen = 0;
    for (int round = 0; round < IDS; round++) {
      float chance = NEGATIVE_INFINITY;
      float value = NEGATIVE_INFINITY;
      int id = IDS;
      UNROLL for (int e = 0; e < EACH; e++) {
        if (values[e] > floor_value && chances[e] > chance) {
          chance = chances[e];
          value = values[e];
          id = e * (WARPS * 32) + tid;
        }
      }
      UNROLL for (int mask = 1; mask < 32; mask <<= 1) {
        const float other_chance = SHUFFLE_XOR(chance, mask);
        const float other_value = SHUFFLE_XOR(value, mask);
        const int other_id = SHUFFLE_XOR(id, mask);
        if (other_chance > chance || (other_chance == chance && other_id < id)) {
          chance = other_chance;
          value = other_value;
          id = other_id;
        }
      }
      if (lane == 0) {
        best_chances[warp] = chance;
        best_values[warp] = value;
        best_ids[warp] = id;
      }
      BARRIER();
      chance = best_chances[0];
      value = best_values[0];
      id = best_ids[0];
      UNROLL for (int other = 1; other < WARPS; other++) {
        const float other_chance = best_chances[other];
        if (other_chance > chance || (other_chance == chance && best_ids[other] < id)) {
          chance = other_chance;
          value = best_values[other];
          id = best_ids[other];
        }
      }
      if (id < IDS) chosen = id;
#if GREEDY
      break;
#else
      float larger = 0.0f;
      UNROLL for (int e = 0; e < EACH; e++) larger += values[e] > value ? 1.0f : 0.0f;
      larger = simd_total(larger);
      if (lane == 0) counts[warp] = larger;
      BARRIER();
      larger = 0.0f;
      UNROLL for (int other = 0; other < WARPS; other++) larger += counts[other];
      if (larger < own[1] || id == IDS) break;  // the same in every thread
      floor_value = value;
#endif
    }
    if (tid < CODES) {
#if FIRST
      const uint32_t before = 0;
#else
      const uint32_t before = codes[row * CODES + tid];
#endif
      codes_out[row * CODES + tid] = tid == place[0] ? (uint32_t)chosen : before;
    }
#if FIRST
    for (int i = tid; i < IDS; i += WARPS * 32) used_out[row * IDS + i] = used[row * IDS + i] || i == chosen;
#endif
    for (int d = tid; d < DIM; d += WARPS * 32) {
      const value_t embedded = table[chosen * DIM + d];
#if FIRST
      pair[(row * 2) * DIM + d] = hidden[row * DIM + d];
      pair[(row * 2 + 1) * DIM + d] = embedded;
      total_out[row * DIM + d] = (float)total[row * DIM + d] + (float)embedded;
#elif LAST
      total_out[row * DIM + d] = (value_t)(total[row * DIM + d] + (float)embedded);
#else
      embedding[row * DIM + d] = embedded;
      total_out[row * DIM + d] = total[row * DIM + d] + (float)embedded;
#endif
    }
"""


@dataclass(frozen=True)
class Signature:
    """All that makes one compiled draw differ from another."""

    ids: int
    codes: int  # in a frame
    dim: int
    first: bool  # first code of a frame: penalty, mask, and what the predictor is fed
    last: bool  # last code: the sum leaves in the dtype that the talker reads
    greedy: bool
    noise_width: int
    dtype: mx.Dtype


def signature(
    logits: mx.array, codes: int, table: mx.array, noise: mx.array | None, first: bool = False, last: bool = False
) -> Signature | None:
    """The kernel for these logits and this embedding table, or None where there is none."""
    if logits.dtype != table.dtype or table.dtype not in (mx.float32, mx.bfloat16) or codes > WARPS * SIMD_WIDTH:
        return None
    width = 0 if noise is None else noise.shape[1]
    return Signature(logits.shape[1], codes, table.shape[1], first, last, noise is None, width, table.dtype)


def _run(
    chosen: Signature, named: dict[str, mx.array | None], outputs: dict[str, tuple[tuple[int, ...], mx.Dtype]]
) -> list[mx.array]:
    there = {name: array for name, array in named.items() if array is not None}
    rows = there["logits"].shape[0]
    sizes = {
        "IDS": chosen.ids,
        "CODES": chosen.codes,
        "DIM": chosen.dim,
        "FIRST": int(chosen.first),
        "LAST": int(chosen.last),
        "GREEDY": int(chosen.greedy),
        "NOISE_WIDTH": chosen.noise_width,
        "WARPS": WARPS,
        "EACH": -(-chosen.ids // (WARPS * SIMD_WIDTH)),
    }
    return launch(
        Kernel("draw", tuple(there), tuple(outputs), _BODY),
        list(there.values()),
        list(outputs.values()),
        (rows, 1, 1),
        WARPS * SIMD_WIDTH,
        sizes,
        {"value_t": chosen.dtype},
    )


def first(
    chosen: Signature,
    logits: mx.array,
    noise: mx.array | None,
    used: mx.array,
    forbidden: mx.array,
    settings: mx.array,
    table: mx.array,
    hidden: mx.array,
    text: mx.array,
) -> list[mx.array]:
    """Draw code 0. settings: `RowSampling.packed` [B, 8]. text: [B, D], what is added to the frame.

    Returns codes [B, K], used ids [B, V], pair [B, 2, D] (hidden, embedding), embedding + text [B, D] float32.
    """
    B, D = hidden.shape
    named: dict[str, mx.array | None] = {"logits": logits, "noise": noise, "used": used, "forbidden": forbidden}
    named |= {"settings": settings, "table": table, "hidden": hidden, "total": text, "place": place(0, 0)}
    outputs = {
        "codes_out": ((B, chosen.codes), mx.uint32),
        "used_out": (used.shape, mx.bool_),
        "pair": ((B, 2, D), chosen.dtype),
        "total_out": ((B, D), mx.float32),
    }
    return _run(chosen, named, outputs)


def following(
    chosen: Signature,
    logits: mx.array,
    noise: mx.array | None,
    settings: mx.array,
    table: mx.array,
    codes: mx.array,
    total: mx.array,
    where: mx.array,
) -> tuple[mx.array, mx.array | None, mx.array]:
    """Draw a later code: codes so far [B, K], its embedding [B, D] (None after the last), the sum so far [B, D]."""
    B, D = total.shape
    named: dict[str, mx.array | None] = {"logits": logits, "noise": noise, "settings": settings, "table": table}
    named |= {"codes": codes, "total": total, "place": where}
    shape = (codes.shape, mx.uint32)
    if chosen.last:
        codes, total = _run(chosen, named, {"codes_out": shape, "total_out": ((B, D), chosen.dtype)})
        return codes, None, total
    outputs = {"codes_out": shape, "embedding": ((B, D), chosen.dtype), "total_out": ((B, D), mx.float32)}
    codes, embedding, total = _run(chosen, named, outputs)
    return codes, embedding, total


def place(slot: int, noise_at: int) -> mx.array:
    """Which code of the frame is drawn, and where in a row of noise its own begins."""
    return mx.array([slot, noise_at], mx.int32)
