// Attention of one or two new columns over a cache, and the merging of its parts: see attention.py.
// SPLIT: groups among which the queries of a key's head are divided. TURNED: cosines and sines are there, in `turns`.

PART(body) {
  const int head = group_y;
  const int row = group_z;
  const int rows = kv_shape[1];
  const int kv_heads = kv_shape[2];
  const int capacity = kv_shape[3];
  const int key_head = head / SPLIT;
  const int heads = kv_heads * SPLIT * SHARED_BY;
  const int length = offset[0];  // columns that are there already
  const int begin = start[row];  // the first that counts in this row

  // 1. Head norms and RoPE: one warp a vector, q heads first, then k, then v (as it is), for each new column.
  SHARED(float, vectors, NEW*(SHARED_BY + 2) * HEAD_DIM);
  for (int vector = warp; vector < NEW * (SHARED_BY + 2); vector += WARPS) {
    const int column = vector / (SHARED_BY + 2);
    const int part = vector % (SHARED_BY + 2);
    int from = part < SHARED_BY ? head * SHARED_BY + part : heads + key_head + (part - SHARED_BY) * kv_heads;
    from = ((row * NEW + column) * (heads + 2 * kv_heads) + from) * HEAD_DIM;
    float low[PAIRS];
    float high[PAIRS];
    float square = 0.0f;
    UNROLL for (int p = 0; p < PAIRS; p++) {
      const int i = p * 32 + lane;
      low[p] = i < HALF ? (float)qkv[from + i] : 0.0f;
      high[p] = i < HALF ? (float)qkv[from + HALF + i] : 0.0f;
      square += low[p] * low[p] + high[p] * high[p];
    }
    if (part <= SHARED_BY) {
#if HEAD_NORMS
      const float gain = RSQRT(simd_total(square) / (float)HEAD_DIM + FLOAT_OF_BITS(EPSILON));
#endif
      UNROLL for (int p = 0; p < PAIRS; p++) {
        const int i = p * 32 + lane;
        if (i < HALF) {
          float a = low[p];
          float b = high[p];
#if HEAD_NORMS
          a *= gain * (float)(part < SHARED_BY ? q_norm[i] : k_norm[i]);
          b *= gain * (float)(part < SHARED_BY ? q_norm[HALF + i] : k_norm[HALF + i]);
#endif
#if TURNED
          const THREAD float* turn = turns + (row * NEW + column) * HEAD_DIM;
          const float cosine = turn[i];
          const float sine = turn[HALF + i];
#else
          const float angle = (float)(length + column - begin) * (1.0f / periods[i]);
          const float sine = SIN(angle);
          const float cosine = COS(angle);
#endif
          low[p] = a * cosine - b * sine;
          high[p] = b * cosine + a * sine;
        }
      }
    }
    UNROLL for (int p = 0; p < PAIRS; p++) {
      const int i = p * 32 + lane;
      if (i < HALF) {
        vectors[vector * HEAD_DIM + i] = low[p];
        vectors[vector * HEAD_DIM + HALF + i] = high[p];
      }
    }
  }
  BARRIER();

  // 2. The part that holds a new column writes it. No thread of this launch reads it from there; the next launch that
  // does needs this one's output first.
  const int part_begin = PARTS ? group_x * PART_COLUMNS : 0;
  const int part_end = PARTS ? part_begin + PART_COLUMNS : capacity;
  DEVICE value_t* store = (DEVICE value_t*)kv;
  for (int i = tid; i < NEW * 2 * HEAD_DIM; i += WARPS * 32) {
    const int column = i / (2 * HEAD_DIM);
    const int which = (i / HEAD_DIM) % 2;
    const int to = length + column;
    if (to >= part_begin && to < part_end && head % SPLIT == 0)
      store[((int64_t)((which * rows + row) * kv_heads + key_head) * capacity + to) * HEAD_DIM + i % HEAD_DIM] =
          (value_t)vectors[(column * (SHARED_BY + 2) + SHARED_BY + which) * HEAD_DIM + i % HEAD_DIM];
  }

  // 3. Softmax as it goes: LANES lanes share a key, 8 numbers each; a warp reads AHEAD times 32 / LANES keys at once.
  const int share = lane / LANES;
  const int at = (lane % LANES) * 8;
  float query[QUERIES * 8];
  float sums[QUERIES * 8];
  float best[QUERIES];
  float total[QUERIES];
  UNROLL for (int q = 0; q < QUERIES; q++) {
    const int vector = (q / SHARED_BY) * (SHARED_BY + 2) + q % SHARED_BY;
    UNROLL for (int i = 0; i < 8; i++) {
      query[q * 8 + i] = vectors[vector * HEAD_DIM + at + i] * FLOAT_OF_BITS(SCALE);
      sums[q * 8 + i] = 0.0f;
    }
    best[q] = -1e30f;
    total[q] = 0.0f;
  }
  const int first = begin > part_begin ? begin : part_begin;
  const int last = length + NEW < part_end ? length + NEW : part_end;
  const int64_t keys_at = (int64_t)(row * kv_heads + key_head) * capacity * HEAD_DIM + at;
  const int64_t values_at = keys_at + (int64_t)rows * kv_heads * capacity * HEAD_DIM;
  for (int base = first + warp * (32 / LANES); base < last; base += WARPS * (32 / LANES) * AHEAD) {
    float keys[AHEAD * 8];
    float values[AHEAD * 8];
    UNROLL for (int u = 0; u < AHEAD; u++) {
      const int column = base + u * (WARPS * (32 / LANES)) + share;
      if (column < length && column < last) {
        load8(kv + keys_at + (int64_t)column * HEAD_DIM, keys + u * 8);
        load8(kv + values_at + (int64_t)column * HEAD_DIM, values + u * 8);
      } else {
        const bool fresh = column < last;
        const int vector = fresh ? (column - length) * (SHARED_BY + 2) + SHARED_BY : 0;
        UNROLL for (int i = 0; i < 8; i++) {
          keys[u * 8 + i] = fresh ? vectors[vector * HEAD_DIM + at + i] : 0.0f;
          values[u * 8 + i] = fresh ? vectors[(vector + 1) * HEAD_DIM + at + i] : 0.0f;
        }
      }
    }
    UNROLL for (int u = 0; u < AHEAD; u++) {
      const int column = base + u * (WARPS * (32 / LANES)) + share;
      UNROLL for (int q = 0; q < QUERIES; q++) {
        float score = 0.0f;
        UNROLL for (int i = 0; i < 8; i++) score = FMA(query[q * 8 + i], keys[u * 8 + i], score);
        UNROLL for (int mask = 1; mask < LANES; mask <<= 1) score += SHUFFLE_XOR(score, mask);
        const bool visible = column < last && column <= length + q / SHARED_BY;
        const float higher = visible && score > best[q] ? score : best[q];
        const float keep = EXP(best[q] - higher);
        const float weight = visible ? EXP(score - higher) : 0.0f;
        best[q] = higher;
        total[q] = total[q] * keep + weight;
        UNROLL for (int i = 0; i < 8; i++) sums[q * 8 + i] = FMA(weight, values[u * 8 + i], sums[q * 8 + i] * keep);
      }
    }
  }

  // 4. Merge what the lanes of a warp hold, then the warps of the group.
  UNROLL for (int mask = LANES; mask < 32; mask <<= 1) {
    UNROLL for (int q = 0; q < QUERIES; q++) {
      const float other = SHUFFLE_XOR(best[q], mask);
      const float higher = other > best[q] ? other : best[q];
      const float mine = EXP(best[q] - higher);
      const float theirs = EXP(other - higher);
      best[q] = higher;
      total[q] = total[q] * mine + SHUFFLE_XOR(total[q], mask) * theirs;
      UNROLL for (int i = 0; i < 8; i++) sums[q * 8 + i] =
          sums[q * 8 + i] * mine + SHUFFLE_XOR(sums[q * 8 + i], mask) * theirs;
    }
  }
  SHARED(float, merged, WARPS * QUERIES * (HEAD_DIM + 2));
  if (share == 0) {
    UNROLL for (int q = 0; q < QUERIES; q++) {
      const int to = (warp * QUERIES + q) * (HEAD_DIM + 2);
      UNROLL for (int i = 0; i < 8; i++) merged[to + at + i] = sums[q * 8 + i];
      if (at == 0) {
        merged[to + HEAD_DIM] = best[q];
        merged[to + HEAD_DIM + 1] = total[q];
      }
    }
  }
  BARRIER();
  for (int i = tid; i < QUERIES * HEAD_DIM; i += WARPS * 32) {
    const int q = i / HEAD_DIM;
    const int d = i % HEAD_DIM;
    float highest = -1e30f;
    for (int other = 0; other < WARPS; other++) {
      const float found = merged[(other * QUERIES + q) * (HEAD_DIM + 2) + HEAD_DIM];
      highest = found > highest ? found : highest;
    }
    float sum = 0.0f;
    float weight = 0.0f;
    for (int other = 0; other < WARPS; other++) {
      const int from = (other * QUERIES + q) * (HEAD_DIM + 2);
      const float keep = EXP(merged[from + HEAD_DIM] - highest);
      sum += merged[from + d] * keep;
      weight += merged[from + HEAD_DIM + 1] * keep;
    }
    const int vector = (row * NEW + q / SHARED_BY) * heads + head * SHARED_BY + q % SHARED_BY;
#if PARTS
    const int to = (vector * groups_x + group_x) * (HEAD_DIM + 2);
    out[to + d] = sum;
    if (d == 0) {
      out[to + HEAD_DIM] = highest;
      out[to + HEAD_DIM + 1] = weight;
    }
#else
    out[vector * HEAD_DIM + d] = (value_t)(sum / weight);
#endif
  }
}

PART(merge) {
  const int count = parts_shape[1];
  float highest = -1e30f;
  for (int part = 0; part < count; part++) {
    const float found = parts[(group_x * count + part) * (HEAD_DIM + 2) + HEAD_DIM];
    highest = found > highest ? found : highest;
  }
  float weight = 0.0f;
  for (int part = 0; part < count; part++) {
    const int from = (group_x * count + part) * (HEAD_DIM + 2);
    weight += parts[from + HEAD_DIM + 1] * EXP(parts[from + HEAD_DIM] - highest);
  }
  for (int d = tid; d < HEAD_DIM; d += 32 * WARPS) {
    float sum = 0.0f;
    for (int part = 0; part < count; part++) {
      const int from = (group_x * count + part) * (HEAD_DIM + 2);
      sum += parts[from + d] * EXP(parts[from + HEAD_DIM] - highest);
    }
    out[group_x * HEAD_DIM + d] = (value_t)(sum / weight);
  }
}
