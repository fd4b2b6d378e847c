"""A product of a stack in one launch: with weights out of the ring, by the matrix units."""

from __future__ import annotations

from mlx_tts.nn.fused.rows_product import READ_ROWS, TAKE_ROWS

# Every warp takes a share of each chunk's columns, and the rows are read once for all tiles that are added up together.
PRODUCT = (
    """
      const int rows = all_rows;
      for (int pass = 0; pass < PASSES; pass++) {
        float sums[TOGETHER * TILES * PARTS * 4];
        UNROLL for (int i = 0; i < TOGETHER * TILES * PARTS * 4; i++) sums[i] = 0.0f;
        float squares[TILES * 2];
        UNROLL for (int i = 0; i < TILES * 2; i++) squares[i] = 0.0f;
        uint4 raw[STEPS * EIGHTS];  // of the slice behind, where there are registers: read while one is multiplied
        uint4 of_norm[NORMED ? STEPS : 1];
        (void)of_norm;
#define RAW(r) raw[step * EIGHTS + (r)]
#define GAINS of_norm[step]
        auto read_ahead = [&](int slice) {
          UNROLL for (int step = 0; step < STEPS; step++) {
            const int at = ((slice * STEPS + step) * WARPS + warp) * 4 + part;  // 16 bytes of a row
"""
    + READ_ROWS
    + """
          }
        };
        if (AHEAD) read_ahead(0);
        for (int slice = 0; slice < COLUMNS / SLICE; slice++) {
          if (!AHEAD) read_ahead(slice);
          uint32_t of_rows[STEPS * TILES * 8];
          UNROLL for (int step = 0; step < STEPS; step++) {
"""
    + TAKE_ROWS
    + """
            UNROLL for (int i = 0; i < TILES * 8; i++) of_rows[step * TILES * 8 + i] = inputs[i];
          }
          if (AHEAD && slice + 1 < COLUMNS / SLICE) read_ahead(slice + 1);
#undef RAW
#undef GAINS
          UNROLL for (int i = 0; i < TOGETHER * PARTS; i++) {
            const int tile = block + (pass * TOGETHER + i / PARTS) * blocks;
            const int p = i % PARTS;
            const THREAD char* chunk = slots + slot * SLOT_BYTES;
            (void)chunk; (void)p;
            pass_gate(gates + slot, parity);
            if (tile < TILES_OF_ALL) {
              UNROLL for (int step = 0; step < STEPS; step++) {
#if RINGED
                const int from = place * PITCH + ((step * WARPS + warp) * 4 + part) * 16;
                const uint4 four = *(const THREAD uint4*)(chunk + from);
#else
                const int n = tile * 8 + place < WIDTH ? tile * 8 + place : WIDTH - 1;
                const int from = ((slice * STEPS + step) * WARPS + warp) * 4 + part;
                const uint4 four = ((const DEVICE uint4*)w)[(int64_t)(n + p * WIDTH) * (COLUMNS / 8) + from];
#endif
                const uint32_t weights[4] = {four.x, four.y, four.z, four.w};
                UNROLL for (int t = 0; t < TILES; t++) {
                  UNROLL for (int half = 0; half < 2; half++) {
                    const THREAD uint32_t* own = of_rows + (step * TILES + t) * 8;
                    uint32_t a[4];
                    a[0] = own[2 * half];
                    a[1] = own[4 + 2 * half];
                    a[2] = own[2 * half + 1];
                    a[3] = own[4 + 2 * half + 1];
                    multiply_tile(sums + ((i / PARTS * TILES + t) * PARTS + p) * 4, a, weights + 2 * half, lane);
                  }
                }
              }
            }
            used(gates + MOST_SLOTS + slot, lane);
            slot++;
            if (slot == SLOTS) {
              slot = 0;
              parity ^= 1u;
            }
          }
        }
        int used = 0;
        SHARED(float, lengths, WARPS * TILES * 16);
#if NORMED
        UNROLL for (int r = 0; r < EIGHTS; r++) {
          float square = squares[r];
          square += SHUFFLE_XOR(square, 1);
          square += SHUFFLE_XOR(square, 2);
          if (part == 0) lengths[warp * TILES * 16 + r * 8 + place] = square;
        }
#endif
        SHARED(float, shares, AT_ONCE * PARTS * EIGHTS * 2 * WARPS * 32);
        UNROLL for (int begin = 0; begin < TOGETHER; begin += AT_ONCE) {
          UNROLL for (int i = 0; i < AT_ONCE * PARTS * EIGHTS * 2; i++) {
            const int tile = (begin + i / (PARTS * EIGHTS * 2)) * TILES + i / 2 % EIGHTS / 2;
            const int number = i / 2 % EIGHTS % 2 * 2 + i % 2;
            shares[(i * WARPS + warp) * 32 + lane] = sums[(tile * PARTS + i / (EIGHTS * 2) % PARTS) * 4 + number];
          }
          BARRIER();
          ROLLED
          for (int which = tid; which < AT_ONCE * EIGHTS * 8 * 8; which += THREADS) {
            const int i = which / (EIGHTS * 8 * 8);
            const int tile = block + (pass * TOGETHER + begin + i) * blocks;
            const int row = which / 8 % (EIGHTS * 8);
            const int n = tile * 8 + which % 8;
            if (tile < TILES_OF_ALL && row < all_rows && n < WIDTH) {
              const int from = (row % 8) * 4 + which % 8 / 2;
              float values[PARTS];
              UNROLL for (int p = 0; p < PARTS; p++) {
                const int first = ((i * PARTS + p) * EIGHTS + row / 8) * 2 + which % 2;
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
#if BIASED
              values[0] += (float)bias[n];
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
          BARRIER();
        }
      }
"""
)
