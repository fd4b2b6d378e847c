// Sampling of one code of each row: see sampling.py.

// The answer is `chosen`. row: of the logits; noise_at: where the noise of this code begins in a row of noise.
PART(choose) {
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
      chances[e] = own[3] > 0.0f ? values[e] + noise[row * NOISE_WIDTH + noise_at + i] : values[e];
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
}

PART(body) {
  const int row = group_x;
  const int noise_at = place[1];
  (void)noise_at;

  INSERT(sampling, choose)

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
}
