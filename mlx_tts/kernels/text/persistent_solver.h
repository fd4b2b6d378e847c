// The phases of a diffusion's Euler steps around a persistent kernel's stack: its frames enter, its velocities move
// them. Every group has all frames in its own shared memory and moves them alike, so they need no grid barrier.

// The first numbers; in later steps x - size * velocity, with the velocity led away from the one without a condition,
// which is fitted in length first: see `guided` in a family's diffusion.
PART(euler) {
  THREAD float* state = (THREAD float*)(pool + STATE);
  const int batch = all_rows / (HALVES * LENGTH);
  if (step == 0) {
    for (int i = tid; i < batch * FRAMES * NUMBERS; i += THREADS) state[i] = noise[i];
  } else {
    const float size = sizes[step - 1];
    for (int b = 0; b < batch; b++) {
      const int from = (b * HALVES * LENGTH + LENGTH - FRAMES) * NUMBERS;
      const float lead = guidance[b];
      float ratio = 0.0f;
      if (HALVES == 2) {
        float along = 0.0f;
        float own = 0.0f;
        UNROLL for (int i = lane; i < FRAMES * NUMBERS; i += 32) {
          const float c = (float)velocity[from + i];
          const float u = (float)velocity[from + LENGTH * NUMBERS + i];
          along = FMA(c, u, along);
          own = FMA(u, u, own);
        }
        ratio = simd_total(along) / (simd_total(own) + FLOAT_OF_BITS(TINY));
      }
      for (int i = tid; i < FRAMES * NUMBERS; i += THREADS) {
        const float c = (float)velocity[from + i];
        float moved = c;
        if (HALVES == 2) {
          const float fitted = ratio * (float)velocity[from + LENGTH * NUMBERS + i];
          moved = fitted + lead * (c - fitted);
        }
        state[b * FRAMES * NUMBERS + i] -= size * moved;
      }
    }
  }
  BARRIER();
}

// What the stack reads: frames through their product, the same in both halves, and all other rows as they came, with
// the time added to one of them.
PART(enter) {
  const THREAD float* state = (const THREAD float*)(pool + STATE);
  for (int tile = block; tile < WIDTH / 8; tile += blocks) {
    for (int i = tid; i < all_rows * 8; i += THREADS) {
      const int row = i / 8;
      const int n = tile * 8 + i % 8;
      const int l = row % LENGTH;
      float value;
      if (l >= LENGTH - FRAMES) {
        const THREAD float* frame = state + (row / (HALVES * LENGTH) * FRAMES + l - (LENGTH - FRAMES)) * NUMBERS;
        value = (float)in_b[n];
        UNROLL for (int d = 0; d < NUMBERS; d += 8) {
          float weights[8];
          load8(in_w + n * NUMBERS + d, weights);
          UNROLL for (int j = 0; j < 8; j++) value = FMA((float)(value_t)frame[d + j], weights[j], value);
        }
      } else {
        value = (float)base[row * WIDTH + n];
        if (l == TIME_ROW) value += (float)times[step * WIDTH + n];
      }
      entered[row * WIDTH + n] = (value_t)value;
    }
  }
}

PART(solved) {
  const THREAD float* state = (const THREAD float*)(pool + STATE);
  for (int i = tid; block == 0 && i < all_rows / (HALVES * LENGTH) * FRAMES * NUMBERS; i += THREADS)
    solved[i] = state[i];
}
