// Attention in a persistent kernel: prompts', and how the parts of a cache are put together. Attention to a cache is
// the text of attention.h, that of short rows short_attention.h's.

// The group that is the last to have written its part of a head puts the parts together: first what each part counts
// for, a warp a query, then their numbers, several at a time.
PART(merge) {
  BARRIER();
  THREAD int* flag = (THREAD int*)pool;
  THREAD float* totals = (THREAD float*)pool + 4;
  THREAD float* keeps = totals + QUERIES;
  if (tid == 0) {
    DEVICE uint32_t* written = barrier_counter + 8 + group_z * KV_HEADS * SPLIT + group_y;
    flag[0] = count_up(written) == (uint32_t)(parts_used - 1);
    if (flag[0]) written[0] = 0u;
  }
  BARRIER();
  if (flag[0]) {
    auto vector_of = [&](int q) {
      return ((group_z * NEW + q / SHARED_BY) * KV_HEADS * SPLIT + group_y) * SHARED_BY + q % SHARED_BY;
    };
    for (int q = warp; q < QUERIES; q += WARPS) {
      const DEVICE float* own = parts + (int64_t)vector_of(q) * parts_used * (HEAD_DIM + 2) + HEAD_DIM;
      float highest = -1e30f;
      for (int p = lane; p < parts_used; p += 32) {
        const float found = FROM_OTHERS(own[p * (HEAD_DIM + 2)]);
        highest = found > highest ? found : highest;
      }
      UNROLL for (int mask = 16; mask > 0; mask >>= 1) {
        const float found = SHUFFLE_XOR(highest, mask);
        highest = found > highest ? found : highest;
      }
      float total = 0.0f;
      for (int p = lane; p < parts_used; p += 32) {
        const float keep = EXP(FROM_OTHERS(own[p * (HEAD_DIM + 2)]) - highest);
        keeps[q * parts_used + p] = keep;
        total += FROM_OTHERS(own[p * (HEAD_DIM + 2) + 1]) * keep;
      }
      total = simd_total(total);
      if (lane == 0) totals[q] = total;
    }
    BARRIER();
    ROLLED
    for (int i = tid; i < QUERIES * HEAD_DIM; i += THREADS) {
      const int q = i / HEAD_DIM;
      const DEVICE float* own = parts + (int64_t)vector_of(q) * parts_used * (HEAD_DIM + 2) + i % HEAD_DIM;
      float sum = 0.0f;
      UNROLL_STEPS
      for (int p = 0; p < parts_used; p++) sum += FROM_OTHERS(own[p * (HEAD_DIM + 2)]) * keeps[q * parts_used + p];
      attended[vector_of(q) * HEAD_DIM + i % HEAD_DIM] = (value_t)(sum / totals[q]);
    }
  }
}

PART(prefill) {
  const int length = columns_before;
  const int batch = all_rows / length;
  for (int item = block; item < KV_HEADS * SHARED_BY * batch; item += blocks) {
    const int head = item % (KV_HEADS * SHARED_BY);
    const int row = item / (KV_HEADS * SHARED_BY);
    const int kv_head = head / SHARED_BY;
    int used = 0;
    SHARED(float, keys, MOST_PROMPT* HEAD_DIM);
    SHARED(float, values, MOST_PROMPT* HEAD_DIM);
    float low[PAIRS];
    float high[PAIRS];
    // A head's numbers at a position, one warp: normed, where heads are, and turned. Lane i has i, i + 32, ... of
    // each half.
    auto take = [&](int which, int l, const DEVICE bfloat_t* gains) {
      const int from = ((row * length + l) * KV_HEADS * (SHARED_BY + 2) + which) * HEAD_DIM;
      float square = 0.0f;
      (void)gains;
      UNROLL for (int p = 0; p < PAIRS; p++) {
        low[p] = (float)qkv[from + p * 32 + lane];
        high[p] = (float)qkv[from + HALF + p * 32 + lane];
        square += low[p] * low[p] + high[p] * high[p];
      }
#if HEAD_NORMS
      const float gain = RSQRT(simd_total(square) / (float)HEAD_DIM + FLOAT_OF_BITS(EPSILON));
      UNROLL for (int p = 0; p < PAIRS; p++) {
        low[p] *= gain * (float)gains[p * 32 + lane];
        high[p] *= gain * (float)gains[HALF + p * 32 + lane];
      }
#endif
      UNROLL for (int p = 0; p < PAIRS; p++) {
        const int i = p * 32 + lane;
        const float a = low[p];
        const float b = high[p];
        const float angle = (float)l * (1.0f / periods[i]);
        const float sine = SIN(angle);
        const float cosine = COS(angle);
        low[p] = (float)(value_t)(a * cosine - b * sine);
        high[p] = (float)(value_t)(b * cosine + a * sine);
      }
    };
    for (int l = warp; l < length; l += WARPS) {
      take(KV_HEADS * SHARED_BY + kv_head, l, K_GAINS);
      const int all_heads = KV_HEADS * (SHARED_BY + 2);
      const int value = ((row * length + l) * all_heads + KV_HEADS * (SHARED_BY + 1) + kv_head) * HEAD_DIM;
      DEVICE bfloat_t* store = kv[layer] + ((int64_t)(row * KV_HEADS + kv_head) * capacity_asked + l) * HEAD_DIM;
      const int64_t values_at = (int64_t)batch * KV_HEADS * capacity_asked * HEAD_DIM;
      UNROLL for (int p = 0; p < PAIRS; p++) {
        const int i = p * 32 + lane;
        keys[l * HEAD_DIM + i] = low[p];
        keys[l * HEAD_DIM + HALF + i] = high[p];
        values[l * HEAD_DIM + i] = (float)qkv[value + i];
        values[l * HEAD_DIM + HALF + i] = (float)qkv[value + HALF + i];
        if (head % SHARED_BY == 0) {
          store[i] = (value_t)low[p];
          store[HALF + i] = (value_t)high[p];
          store[values_at + i] = qkv[value + i];
          store[values_at + HALF + i] = qkv[value + HALF + i];
        }
      }
    }
    BARRIER();
    for (int l = warp; l < length; l += WARPS) {
      take(head, l, Q_GAINS);
      float best = -1e30f;
      float total = 0.0f;
      float sums[2 * PAIRS];
      UNROLL for (int i = 0; i < 2 * PAIRS; i++) sums[i] = 0.0f;
      for (int key = 0; key <= l; key++) {
        float score = 0.0f;
        UNROLL for (int p = 0; p < PAIRS; p++) {
          score = FMA(low[p], keys[key * HEAD_DIM + p * 32 + lane], score);
          score = FMA(high[p], keys[key * HEAD_DIM + HALF + p * 32 + lane], score);
        }
        score = simd_total(score) * FLOAT_OF_BITS(SCALE);
        const float higher = score > best ? score : best;
        const float keep = EXP(best - higher);
        const float weight = EXP(score - higher);
        best = higher;
        total = total * keep + weight;
        UNROLL for (int p = 0; p < PAIRS; p++) {
          sums[2 * p] = FMA(weight, values[key * HEAD_DIM + p * 32 + lane], sums[2 * p] * keep);
          sums[2 * p + 1] = FMA(weight, values[key * HEAD_DIM + HALF + p * 32 + lane], sums[2 * p + 1] * keep);
        }
      }
      const int to = ((row * length + l) * KV_HEADS * SHARED_BY + head) * HEAD_DIM;
      UNROLL for (int p = 0; p < PAIRS; p++) {
        attended[to + p * 32 + lane] = (value_t)(sums[2 * p] / total);
        attended[to + HALF + p * 32 + lane] = (value_t)(sums[2 * p + 1] / total);
      }
    }
    BARRIER();
  }
}
