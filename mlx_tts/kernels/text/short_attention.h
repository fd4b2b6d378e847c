// RoPE and attention of short rows: see attention.py.

PART(body) {
  const int row = group_y;
  const int all_heads = HEADS + 2 * KV_HEADS;
  const int from_key = HEADS + group_x / (HEADS / KV_HEADS);
  SHARED(float, keys, LENGTH* HEAD_DIM);
  SHARED(float, values, LENGTH* HEAD_DIM);
  for (int i = tid; i < LENGTH * HALF; i += WARPS * 32) {
    const int l = i / HALF;
    const int p = i % HALF;
    const int key = ((row * LENGTH + l) * all_heads + from_key) * HEAD_DIM;
    const int value = key + KV_HEADS * HEAD_DIM;
    const float cosine = turned[l * HEAD_DIM + p];
    const float sine = turned[l * HEAD_DIM + HALF + p];
    const float low = (float)qkv[key + p];
    const float high = (float)qkv[key + HALF + p];
    keys[l * HEAD_DIM + p] = (float)(value_t)(low * cosine - high * sine);
    keys[l * HEAD_DIM + HALF + p] = (float)(value_t)(high * cosine + low * sine);
    values[l * HEAD_DIM + p] = (float)qkv[value + p];
    values[l * HEAD_DIM + HALF + p] = (float)qkv[value + HALF + p];
  }
  BARRIER();
  for (int l = warp; l < LENGTH; l += WARPS) {
    const int from = ((row * LENGTH + l) * all_heads + group_x) * HEAD_DIM;
    float query[PAIRS * 2];
    UNROLL for (int i = 0; i < PAIRS; i++) {
      const int p = i * 32 + lane;
      const float cosine = turned[l * HEAD_DIM + p];
      const float sine = turned[l * HEAD_DIM + HALF + p];
      const float low = (float)qkv[from + p];
      const float high = (float)qkv[from + HALF + p];
      query[2 * i] = (float)(value_t)(low * cosine - high * sine);
      query[2 * i + 1] = (float)(value_t)(high * cosine + low * sine);
    }
    float scores[LENGTH];
    float highest = -1e30f;
    UNROLL for (int key = 0; key < LENGTH; key++) {
      float score = 0.0f;
      UNROLL for (int i = 0; i < PAIRS; i++) {
        score = FMA(query[2 * i], keys[key * HEAD_DIM + i * 32 + lane], score);
        score = FMA(query[2 * i + 1], keys[key * HEAD_DIM + HALF + i * 32 + lane], score);
      }
      scores[key] = simd_total(score) * FLOAT_OF_BITS(SCALE);
      highest = scores[key] > highest ? scores[key] : highest;
    }
    float total = 0.0f;
    float sums[PAIRS * 2];
    UNROLL for (int i = 0; i < PAIRS * 2; i++) sums[i] = 0.0f;
    UNROLL for (int key = 0; key < LENGTH; key++) {
      const float weight = EXP(scores[key] - highest);
      total += weight;
      UNROLL for (int i = 0; i < PAIRS; i++) {
        sums[2 * i] = FMA(weight, values[key * HEAD_DIM + i * 32 + lane], sums[2 * i]);
        sums[2 * i + 1] = FMA(weight, values[key * HEAD_DIM + HALF + i * 32 + lane], sums[2 * i + 1]);
      }
    }
    const int to = ((row * LENGTH + l) * HEADS + group_x) * HEAD_DIM;
    UNROLL for (int i = 0; i < PAIRS; i++) {
      out[to + i * 32 + lane] = (value_t)(sums[2 * i] / total);
      out[to + HALF + i * 32 + lane] = (value_t)(sums[2 * i + 1] / total);
    }
  }
}
