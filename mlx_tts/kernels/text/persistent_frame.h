// The later codes of a frame around a persistent kernel's stack: each is sampled by the group of its row, and its
// embedding is what the stack reads next.

// The same threads have the same numbers of a row in every step, so what is added up needs no barrier.
PART(sample) {
  const int slot = SLOT + step;
  const int noise_at = NOISE_AT + step * IDS;
  (void)noise_at;
  const DEVICE bfloat_t* table = tables[step];
  for (int row = block; row < all_rows; row += blocks) {
    int used = 0;

    INSERT(sampling, choose)

    if (tid < CODES) {
      const uint32_t before = step == 0 ? codes[row * CODES + tid] : codes_out[row * CODES + tid];
      codes_out[row * CODES + tid] = tid == slot ? (uint32_t)chosen : before;
    }
    for (int d = tid; d < DIM; d += THREADS) {
      const int at = row * DIM + d;
      const bfloat_t embedded = table[(int64_t)chosen * DIM + d];
      const float sum = (step == 0 ? total[at] : summed[at]) + (float)embedded;
      fed[at] = embedded;
      summed[at] = sum;
      if (step + 1 == steps) total_out[at] = (bfloat_t)sum;
    }
    BARRIER();
  }
}
