// [B, K] times a plain or quantised matrix: see products.py.

INLINE float whole(uint32_t number) { return FLOAT_OF_BITS(number | 0x4b000000u) - 8388608.0f; }

// STEP weights out of WORDS_A_STEP words as whole numbers. A few bits set into the mantissa of 2^23 are read by one
// multiply-add, exactly; converting integers would take four times as long.
INLINE void unpack(const THREAD uint32_t* words, THREAD float* to) {
#if BITS == 4
  const uint32_t word = words[0];
  const uint32_t rest = word >> 20;
  to[0] = FLOAT_OF_BITS((word & 0x0000fu) | 0x4b000000u) - 8388608.0f;
  to[1] = FMA(FLOAT_OF_BITS((word & 0x000f0u) | 0x4b000000u), 0.0625f, -524288.0f);
  to[2] = FMA(FLOAT_OF_BITS((word & 0x00f00u) | 0x4b000000u), 0.00390625f, -32768.0f);
  to[3] = FMA(FLOAT_OF_BITS((word & 0x0f000u) | 0x4b000000u), 0.000244140625f, -2048.0f);
  to[4] = FMA(FLOAT_OF_BITS((word & 0xf0000u) | 0x4b000000u), 0.0000152587890625f, -128.0f);
  to[5] = FLOAT_OF_BITS((rest & 0x00fu) | 0x4b000000u) - 8388608.0f;
  to[6] = FMA(FLOAT_OF_BITS((rest & 0x0f0u) | 0x4b000000u), 0.0625f, -524288.0f);
  to[7] = FMA(FLOAT_OF_BITS((rest & 0xf00u) | 0x4b000000u), 0.00390625f, -32768.0f);
#elif BITS == 6
  const uint32_t low = words[0];
  const uint32_t high = words[1];
  UNROLL for (int i = 0; i < 5; i++) to[i] = whole((low >> (6 * i)) & 63u);
  to[5] = whole((low >> 30 | high << 2) & 63u);
  to[6] = whole((high >> 4) & 63u);
  to[7] = whole((high >> 10) & 63u);
#elif BITS == 8
  UNROLL for (int i = 0; i < 2; i++) {
    const uint32_t word = words[i];
    const uint32_t rest = word >> 16;
    to[4 * i] = FLOAT_OF_BITS((word & 0x00ffu) | 0x4b000000u) - 8388608.0f;
    to[4 * i + 1] = FMA(FLOAT_OF_BITS((word & 0xff00u) | 0x4b000000u), 0.00390625f, -32768.0f);
    to[4 * i + 2] = FLOAT_OF_BITS((rest & 0x00ffu) | 0x4b000000u) - 8388608.0f;
    to[4 * i + 3] = FMA(FLOAT_OF_BITS((rest & 0xff00u) | 0x4b000000u), 0.00390625f, -32768.0f);
  }
#elif BITS == 16
  UNROLL for (int i = 0; i < 4; i++) halves(words[i], to + 2 * i);
#else
  UNROLL for (int i = 0; i < 4; i++) to[i] = FLOAT_OF_BITS(words[i]);
#endif
}
#if BITS == 32
#define LOAD_STEP load4
#else
#define LOAD_STEP load8
#endif

PART(body) {
  const int height = w_shape[0];
  const int given = x_shape[0];  // rows: as many as BATCH or fewer, and the last of them stands for those that lack
#if BEHIND == GATED
  const int width = height / 2;
#else
  const int width = height;
#endif
  const int first = (group_x * WARPS + warp) * WIDE;
  if (first >= width) return;  // no barrier below: a warp may leave alone

  float sums[ROWS * BATCH];
  float squares[BATCH];
  UNROLL for (int i = 0; i < ROWS * BATCH; i++) sums[i] = 0.0f;
  UNROLL for (int b = 0; b < BATCH; b++) squares[b] = 0.0f;
  int rows[ROWS];
  UNROLL for (int r = 0; r < ROWS; r++) {
#if BEHIND == GATED
    const int wanted = first + (r >> 1);
    rows[r] = (wanted < width ? wanted : width - 1) + (r & 1) * width;
#else
    rows[r] = first + r < width ? first + r : width - 1;
#endif
  }

#if BATCH > 1
  UNROLL_CHUNKS
#else
  UNROLL
#endif
  for (int chunk = 0; chunk < CHUNKS; chunk++) {
    const int at = (chunk * 32 + lane) * VALUES;
    if (at < COLUMNS) {
      uint32_t words[ROWS * 4];
      UNROLL for (int r = 0; r < ROWS; r++) {
#if BITS == 6
        // 16 weights in three words. Each half gets two words of its own, which begin with its first weight.
        const DEVICE uint32_t* three = (const DEVICE uint32_t*)w + ((int64_t)rows[r] * COLUMNS + at) / VALUES * 3;
        words[4 * r] = three[0];
        words[4 * r + 1] = three[1];
        words[4 * r + 2] = three[1] >> 16 | three[2] << 16;
        words[4 * r + 3] = three[2] >> 16;
#else
        const uint4 four = ((const DEVICE uint4*)w)[(int64_t)rows[r] * (COLUMNS / VALUES) + at / VALUES];
        words[4 * r] = four.x;
        words[4 * r + 1] = four.y;
        words[4 * r + 2] = four.z;
        words[4 * r + 3] = four.w;
#endif
      }
#if QUANTISED
      float scale[ROWS];
      float shift[ROWS];
      UNROLL for (int r = 0; r < ROWS; r++) {
        scale[r] = (float)scales[rows[r] * (COLUMNS / GROUP_SIZE) + at / GROUP_SIZE];
        shift[r] = (float)biases[rows[r] * (COLUMNS / GROUP_SIZE) + at / GROUP_SIZE];
      }
      float dots[ROWS * BATCH];
      float totals[BATCH];
      UNROLL for (int i = 0; i < ROWS * BATCH; i++) dots[i] = 0.0f;
      UNROLL for (int b = 0; b < BATCH; b++) totals[b] = 0.0f;
#else
#define dots sums
#endif
      UNROLL for (int step = 0; step < VALUES / STEP; step++) {
        float inputs[BATCH * STEP];
#if NORMED
        float gains[STEP];
        LOAD_STEP(norm + at + step * STEP, gains);
#endif
        UNROLL for (int b = 0; b < BATCH; b++) {
          LOAD_STEP(x + (b < given ? b : given - 1) * COLUMNS + at + step * STEP, inputs + b * STEP);
          UNROLL for (int i = 0; i < STEP; i++) {
#if NORMED
            squares[b] = FMA(inputs[b * STEP + i], inputs[b * STEP + i], squares[b]);
            inputs[b * STEP + i] *= gains[i];
#endif
#if QUANTISED
            totals[b] += inputs[b * STEP + i];
#endif
          }
        }
        UNROLL for (int r = 0; r < ROWS; r++) {
          float weights[STEP];
          unpack(words + 4 * r + step * WORDS_A_STEP, weights);
          UNROLL for (int b = 0; b < BATCH; b++) {
            UNROLL for (int i = 0; i < STEP; i++) dots[r * BATCH + b] =
                FMA(weights[i], inputs[b * STEP + i], dots[r * BATCH + b]);
          }
        }
      }
#if QUANTISED
      UNROLL for (int r = 0; r < ROWS; r++) {
        UNROLL for (int b = 0; b < BATCH; b++) sums[r * BATCH + b] +=
            scale[r] * dots[r * BATCH + b] + shift[r] * totals[b];
      }
#endif
    }
  }
  UNROLL for (int i = 0; i < ROWS * BATCH; i++) sums[i] = simd_total(sums[i]);
#if NORMED
  UNROLL for (int b = 0; b < BATCH; b++) {
    const float gain = RSQRT(simd_total(squares[b]) / (float)COLUMNS + FLOAT_OF_BITS(EPSILON));
    UNROLL for (int r = 0; r < ROWS; r++) sums[r * BATCH + b] *= gain;
  }
#endif
  if (lane == 0) {
    UNROLL for (int b = 0; b < BATCH; b++) {
      UNROLL for (int i = 0; i < WIDE; i++) {
        const int n = first + i;
        if (n < width && b < given) {
#if BEHIND == GATED
          const float gate = sums[2 * i * BATCH + b];
          out[b * width + n] = (value_t)(gate / (1.0f + EXP(-gate)) * sums[(2 * i + 1) * BATCH + b]);
#elif BEHIND == RESIDUAL
          out[b * width + n] = (value_t)((float)residual[b * width + n] + sums[i * BATCH + b]);
#elif BEHIND == BIASED
          out[b * width + n] = (value_t)((float)bias[n] + sums[i * BATCH + b]);
#else
          out[b * width + n] = (value_t)sums[i * BATCH + b];
#endif
        }
      }
    }
  }
}
