// [B, K] times a plain matrix for 9 to 32 rows, by CUDA's matrix units: see products.py.

#ifdef __CUDA_ARCH__
#define UNROLL_STEPS _Pragma("unroll 4")
INLINE void multiply_tile(float* d, const uint32_t* a, const uint32_t* b, int) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
#define ROLLED _Pragma("unroll 1")
// Two products, each rounded to bfloat16: x * gain - 0.
INLINE uint32_t gained(uint32_t two, uint32_t gains) {
  uint32_t made;
  asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(made) : "r"(two), "r"(gains), "r"(0x80008000u));
  return made;
}
#else
#define UNROLL_STEPS
#define ROLLED
INLINE uint32_t rounded(float x) {
  const uint32_t raw = as_type<uint32_t>(x);
  return (raw + 0x7fffu + ((raw >> 16) & 1u)) >> 16;
}
INLINE uint32_t gained(uint32_t two, uint32_t gains) {
  float left[2];
  float right[2];
  halves(two, left);
  halves(gains, right);
  return rounded(left[0] * right[0]) | (rounded(left[1] * right[1]) << 16);
}
INLINE void multiply_tile(THREAD float* d, const THREAD uint32_t* a, const THREAD uint32_t* b, int lane) {
  uint32_t every_a[128];  // the same by exchange: for tests, slow
  uint32_t every_b[64];
#ifdef EXCHANGE_ALL  // of the emulator that the tests have
  EXCHANGE_ALL(a, 4, every_a);
  EXCHANGE_ALL(b, 2, every_b);
#else
  for (int mask = 0; mask < 32; mask++) {
    for (int i = 0; i < 4; i++) every_a[(lane ^ mask) * 4 + i] = mask ? SHUFFLE_XOR(a[i], mask) : a[i];
    for (int i = 0; i < 2; i++) every_b[(lane ^ mask) * 2 + i] = mask ? SHUFFLE_XOR(b[i], mask) : b[i];
  }
#endif
  for (int c = 0; c < 4; c++) {
    const int row = lane / 4 + 8 * (c / 2);
    const int column = 2 * (lane % 4) + c % 2;
    for (int k = 0; k < 16; k++) {
      float left[2];
      float right[2];
      halves(every_a[((row % 8) * 4 + k % 8 / 2) * 4 + row / 8 + 2 * (k / 8)], left);
      halves(every_b[(column * 4 + k % 8 / 2) * 2 + k / 8], right);
      d[c] += left[k % 2] * right[k % 2];
    }
  }
}
#endif

// All rows of a step of a warp, as they are: into RAW(r), and the gains into GAINS. EIGHTS: of rows, in tiles of two.
PART(read_rows) {
  UNROLL for (int r = 0; r < EIGHTS; r++) {
    const int row = r * 8 + place < rows ? r * 8 + place : rows - 1;
    RAW(r) = ((const DEVICE uint4*)x)[row * (COLUMNS / 8) + at];
  }
#if NORMED
  GAINS = ((const DEVICE uint4*)norm)[at];
#endif
}

// The same as a matrix unit takes them, times the gains; the sums of squares are added up in parallel. It has few
// instructions because a persistent kernel has it many times.
PART(take_rows) {
  uint32_t inputs[TILES * 8];
  UNROLL for (int i = EIGHTS * 4; i < TILES * 8; i++) inputs[i] = 0u;
#if NORMED
  const uint32_t gains[4] = {GAINS.x, GAINS.y, GAINS.z, GAINS.w};
#endif
  UNROLL for (int r = 0; r < EIGHTS; r++) {
    const uint4 four = RAW(r);
    inputs[4 * r] = four.x;
    inputs[4 * r + 1] = four.y;
    inputs[4 * r + 2] = four.z;
    inputs[4 * r + 3] = four.w;
#if NORMED
    UNROLL for (int i = 0; i < 4; i++) {
      float two[2];
      halves(inputs[4 * r + i], two);
      squares[r] = FMA(two[0], two[0], FMA(two[1], two[1], squares[r]));
      inputs[4 * r + i] = gained(inputs[4 * r + i], gains[i]);
    }
#endif
  }
}

PART(body) {
  const int rows = x_shape[0];
  const int width = w_shape[0] / PARTS;
  const int first = group_x * 8;
  const int place = lane >> 2;
  const int part = lane & 3;
  const int mine = first + place < width ? first + place : width - 1;
  float sums[TILES * PARTS * 4];
  UNROLL for (int i = 0; i < TILES * PARTS * 4; i++) sums[i] = 0.0f;
  float squares[TILES * 2];
  UNROLL for (int i = 0; i < TILES * 2; i++) squares[i] = 0.0f;
  UNROLL_STEPS
  for (int step = 0; step < STEPS; step++) {
    const int at = (step * WARPS + warp) * 4 + part;  // 16 bytes of a row
    uint32_t weights[PARTS * 4];
    UNROLL for (int p = 0; p < PARTS; p++) {
      const uint4 four = ((const DEVICE uint4*)w)[(int64_t)(mine + p * width) * (COLUMNS / 8) + at];
      weights[4 * p] = four.x;
      weights[4 * p + 1] = four.y;
      weights[4 * p + 2] = four.z;
      weights[4 * p + 3] = four.w;
    }
    uint4 raw[EIGHTS];
#define RAW(r) raw[r]
#if NORMED
    uint4 of_norm;
#define GAINS of_norm
#endif

    INSERT(rows_product, read_rows)

    INSERT(rows_product, take_rows)

    UNROLL for (int tile = 0; tile < TILES; tile++) {
      UNROLL for (int half = 0; half < 2; half++) {
        uint32_t a[4];
        a[0] = inputs[8 * tile + 2 * half];
        a[1] = inputs[8 * tile + 4 + 2 * half];
        a[2] = inputs[8 * tile + 2 * half + 1];
        a[3] = inputs[8 * tile + 4 + 2 * half + 1];
        UNROLL for (int p = 0; p < PARTS; p++)
            multiply_tile(sums + (tile * PARTS + p) * 4, a, weights + 4 * p + 2 * half, lane);
      }
    }
  }
  SHARED(float, shares, TILES * PARTS * 4 * WARPS * 32);
  SHARED(float, lengths, WARPS * TILES * 16);
  UNROLL for (int i = 0; i < TILES * PARTS * 4; i++) shares[(i * WARPS + warp) * 32 + lane] = sums[i];
#if NORMED
  UNROLL for (int r = 0; r < TILES * 2; r++) {
    float square = squares[r];
    square += SHUFFLE_XOR(square, 1);
    square += SHUFFLE_XOR(square, 2);
    if (part == 0) lengths[warp * TILES * 16 + r * 8 + place] = square;
  }
#endif
  BARRIER();
  for (int i = tid; i < TILES * 16 * 8; i += WARPS * 32) {
    const int row = i / 8;
    const int n = first + i % 8;
    if (row < rows && n < width) {
      const int from = (row % 8) * 4 + i % 8 / 2;
      const int number = row % 16 / 8 * 2 + i % 2;
      float values[PARTS];
      UNROLL for (int p = 0; p < PARTS; p++) {
        values[p] = 0.0f;
        for (int other = 0; other < WARPS; other++)
          values[p] += shares[(((row / 16 * PARTS + p) * 4 + number) * WARPS + other) * 32 + from];
      }
#if NORMED
      float square = 0.0f;
      for (int other = 0; other < WARPS; other++) square += lengths[other * TILES * 16 + row];
      const float gain = RSQRT(square / (float)COLUMNS + FLOAT_OF_BITS(EPSILON));
      UNROLL for (int p = 0; p < PARTS; p++) values[p] *= gain;
#endif
#if PARTS == 2
      out[row * width + n] = (value_t)(values[0] / (1.0f + EXP(-values[0])) * values[1]);
#elif ADDED
      out[row * width + n] = (value_t)((float)residual[row * width + n] + values[0]);
#else
      out[row * width + n] = (value_t)values[0];
#endif
    }
  }
}
