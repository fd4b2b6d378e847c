"""The phases of a stack in one launch that no other kernel has: products out of shared memory and prompts' attention.

Attention to a cache is the text of `attention.py`, whose parts the last group to come puts together.
"""

from __future__ import annotations

from mlx_tts.nn.fused.rows_product import LOAD_ROWS

# Every warp takes a share of the columns and all of the group's tiles, so that the rows are read once.
PRODUCT = (
    """
      const int rows = all_rows;
      const THREAD char* staged = pool + BUFFER;
      pass_gate(gates + GATE, PARITY);
      for (int first_tile = 0; first_tile < MINE; first_tile += TOGETHER) {
        float sums[TOGETHER * TILES * PARTS * 4];
        UNROLL for (int i = 0; i < TOGETHER * TILES * PARTS * 4; i++) sums[i] = 0.0f;
        float squares[TILES * 2];
        UNROLL for (int i = 0; i < TILES * 2; i++) squares[i] = 0.0f;
        UNROLL_STEPS
        for (int step = 0; step < STEPS; step++) {
          const int at = (step * WARPS + warp) * 4 + part;  // 16 bytes of a row
"""
    + LOAD_ROWS
    + """
          UNROLL for (int i = 0; i < TOGETHER; i++) {
            const int tile = block + (first_tile + i) * blocks;
            if (tile < TILES_OF_ALL) {
              uint32_t weights[PARTS * 4];
              UNROLL for (int p = 0; p < PARTS; p++) {
                uint4 four;
                if (first_tile + i < FIT) {
                  const int row = ((first_tile + i) * PARTS + p) * 8 + place;
                  four = *(const THREAD uint4*)(staged + row * (COLUMNS * 2 + PADDING) + at * 16);
                } else {
                  const int n = tile * 8 + place < WIDTH ? tile * 8 + place : WIDTH - 1;
                  four = ((const DEVICE uint4*)w)[(int64_t)(n + p * WIDTH) * (COLUMNS / 8) + at];
                }
                weights[4 * p] = four.x; weights[4 * p + 1] = four.y;
                weights[4 * p + 2] = four.z; weights[4 * p + 3] = four.w;
              }
              UNROLL for (int t = 0; t < TILES; t++) {
                UNROLL for (int half = 0; half < 2; half++) {
                  uint32_t a[4];
                  a[0] = inputs[8 * t + 2 * half];
                  a[1] = inputs[8 * t + 4 + 2 * half];
                  a[2] = inputs[8 * t + 2 * half + 1];
                  a[3] = inputs[8 * t + 4 + 2 * half + 1];
                  UNROLL for (int p = 0; p < PARTS; p++)
                    multiply_tile(sums + ((i * TILES + t) * PARTS + p) * 4, a, weights + 4 * p + 2 * half, lane);
                }
              }
            }
          }
        }
        int used = 0;
        SHARED(float, lengths, WARPS * TILES * 16);
#if NORMED
        UNROLL for (int r = 0; r < TILES * 2; r++) {
          float square = squares[r];
          square += SHUFFLE_XOR(square, 1);
          square += SHUFFLE_XOR(square, 2);
          if (part == 0) lengths[warp * TILES * 16 + r * 8 + place] = square;
        }
#endif
        // Tiles are added up all at once where the weights that were read leave room enough, else one after the other.
#if !ALL_FIT
        SHARED(float, shares, TILES * PARTS * 4 * WARPS * 32);
#else
        THREAD float* shares = (THREAD float*)(pool + BUFFER);
        BARRIER();
#endif
        UNROLL for (int begin = 0; begin < TOGETHER; begin += AT_ONCE) {
          UNROLL for (int i = 0; i < AT_ONCE; i++) {
            UNROLL for (int j = 0; j < TILES * PARTS * 4; j++)
              shares[((i * TILES * PARTS * 4 + j) * WARPS + warp) * 32 + lane] =
                  sums[(begin + i) * TILES * PARTS * 4 + j];
          }
          BARRIER();
          UNROLL_STEPS
          for (int which = tid; which < AT_ONCE * TILES * 16 * 8; which += THREADS) {
            const int i = which / (TILES * 16 * 8);
            const int tile = block + (first_tile + begin + i) * blocks;
            const int row = which / 8 % (TILES * 16);
            const int n = tile * 8 + which % 8;
            if (tile < TILES_OF_ALL && row < all_rows && n < WIDTH) {
              const int from = (row % 8) * 4 + which % 8 / 2;
              const int number = row % 16 / 8 * 2 + which % 2;
              float values[PARTS];
              UNROLL for (int p = 0; p < PARTS; p++) {
                const int first = i * TILES * PARTS * 4 + (row / 16 * PARTS + p) * 4 + number;
                values[p] = 0.0f;
                UNROLL for (int other = 0; other < WARPS; other++)
                  values[p] += shares[(first * WARPS + other) * 32 + from];
              }
#if NORMED
              float square = 0.0f;
              UNROLL for (int other = 0; other < WARPS; other++) square += lengths[other * TILES * 16 + row];
              const float gain = RSQRT(square / (float)COLUMNS + FLOAT_OF_BITS(EPSILON));
              UNROLL for (int p = 0; p < PARTS; p++) values[p] *= gain;
#endif
#if PARTS == 2
              to[row * WIDTH + n] = (value_t)(values[0] / (1.0f + EXP(-values[0])) * values[1]);
#elif ADDED
              to[row * WIDTH + n] = (value_t)((float)residual[row * WIDTH + n] + values[0]);
#else
              to[row * WIDTH + n] = (value_t)values[0];
#endif
            }
          }
          copies_follow();
          BARRIER();
        }
      }
"""
)
# The group that is the last to have written its part of a head puts the parts together.
MERGE = """
        BARRIER();
        THREAD int* flag = (THREAD int*)pool;
        if (tid == 0) {
          DEVICE uint32_t* written = meeting + 8 + group_z * KV_HEADS + group_y;
          flag[0] = count_up(written) == (uint32_t)(parts_used - 1);
          if (flag[0]) written[0] = 0u;
        }
        BARRIER();
        if (flag[0]) {
          for (int i = tid; i < QUERIES * HEAD_DIM; i += THREADS) {
            const int q = i / HEAD_DIM;
            const int d = i % HEAD_DIM;
            const int vector =
                (group_z * NEW + q / SHARED_BY) * KV_HEADS * SHARED_BY + group_y * SHARED_BY + q % SHARED_BY;
            const DEVICE float* own = parts + (int64_t)vector * parts_used * (HEAD_DIM + 2);
            float highest = -1e30f;
            for (int p = 0; p < parts_used; p++) {
              const float found = FROM_OTHERS(own[p * (HEAD_DIM + 2) + HEAD_DIM]);
              highest = found > highest ? found : highest;
            }
            float sum = 0.0f;
            float weight = 0.0f;
            for (int p = 0; p < parts_used; p++) {
              const DEVICE float* one = own + p * (HEAD_DIM + 2);
              const float keep = EXP(FROM_OTHERS(one[HEAD_DIM]) - highest);
              sum += FROM_OTHERS(one[d]) * keep;
              weight += FROM_OTHERS(one[HEAD_DIM + 1]) * keep;
            }
            attended[vector * HEAD_DIM + d] = (value_t)(sum / weight);
          }
        }
"""
PROMPT_ATTENTION = """
      const int length = columns_before;
      const int batch = all_rows / length;
      for (int item = block; item < KV_HEADS * SHARED_BY * batch; item += blocks) {
        const int head = item % (KV_HEADS * SHARED_BY);
        const int row = item / (KV_HEADS * SHARED_BY);
        const int kv_head = head / SHARED_BY;
        int used = 0;
        SHARED(float, keys, MOST_PROMPT * HEAD_DIM);
        SHARED(float, values, MOST_PROMPT * HEAD_DIM);
        float low[PAIRS];
        float high[PAIRS];
        // A head's numbers at a position, one warp: normed and turned. Lane i has i, i + 32, ... of each half.
        auto take = [&](int which, int l, const DEVICE bfloat_t* gains) {
          const int from = ((row * length + l) * KV_HEADS * (SHARED_BY + 2) + which) * HEAD_DIM;
          float square = 0.0f;
          UNROLL for (int p = 0; p < PAIRS; p++) {
            low[p] = (float)qkv[from + p * 32 + lane];
            high[p] = (float)qkv[from + HALF + p * 32 + lane];
            square += low[p] * low[p] + high[p] * high[p];
          }
          const float gain = RSQRT(simd_total(square) / (float)HEAD_DIM + FLOAT_OF_BITS(EPSILON));
          UNROLL for (int p = 0; p < PAIRS; p++) {
            const int i = p * 32 + lane;
            const float a = low[p] * gain * (float)gains[i];
            const float b = high[p] * gain * (float)gains[HALF + i];
            const float angle = (float)l * (1.0f / periods[i]);
            const float sine = SIN(angle);
            const float cosine = COS(angle);
            low[p] = (float)(value_t)(a * cosine - b * sine);
            high[p] = (float)(value_t)(b * cosine + a * sine);
          }
        };
        for (int l = warp; l < length; l += WARPS) {
          take(KV_HEADS * SHARED_BY + kv_head, l, k_norm[layer]);
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
          take(head, l, q_norm[layer]);
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
"""
